/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Between terms.c, which knows how operands lie and packs them, and contract.c, which
 * multiplies them. */
#pragma once

#include "linalg.h"

typedef struct
{
  guint n;
  guint8 labels[LINALG_MAX_LABELS];
} Labels;

/* Those of two terms, by what becomes of them: both have those of the stack and the inner
 * ones, over which is summed. */
typedef struct
{
  Labels stack, left, inner, right;
} Parts;

/* An operand, or what became of two. */
typedef struct
{
  int input; /* -1: what became of two */
  const guint8 *data;
  gpointer memory; /* freed with it */
  CandelaDType dtype;
  guint64 labels;                    /* as bits */
  gint64 strides[LINALG_MAX_LABELS]; /* 0 where it has no such label */
} Term;

typedef struct
{
  const Contraction *contraction;
  CandelaKernel *kernel;
  CandelaDType dtype;
  Term *terms; /* those that are left, and one's room */
  guint n_terms;
} Run;

gboolean contraction_has (guint64 set, guint label);

/* Elements along all labels of a set; as a double, since there may be more than can be
 * counted. */
double contraction_count (const Contraction *contraction, guint64 set);
gint64 contraction_count_labels (const Contraction *contraction, const Labels *labels);

/* Adds those of a set, in the order of the result if there is no term, else in that in
 * which they lie in it, the farthest apart first. */
void contraction_add_labels (Labels *labels, const Contraction *contraction, guint64 set, const Term *term);

/* 1, repeated along some labels. */
void term_init_ones (const Run *run, Term *term, guint64 labels);
void term_init (const Run *run, Term *term, guint input);
void term_clear (Term *term);

/* Room for elements along labels, and the strides that they have there. */
gboolean term_allocate (const Run *run, Term *term, const Labels *labels, GError **error);

/* Writes the term's elements along these labels, packed and converted. */
gboolean term_write (const Run *run, const Term *term, const Labels *labels, gpointer out, GError **error);

/* The term becomes one that is packed in that order, but for those labels of the stack
 * along which it repeats its elements. */
gboolean term_pack (const Run *run, Term *term, const Labels *stack, const Labels *rows, const Labels *cols,
                    GError **error);

/* The one stride along labels, neighbours first, if there is one. */
gboolean term_find_stride (const Contraction *contraction, const Term *term, const Labels *labels, gint64 *stride);
