/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An op as the rest of the engine reads it: the declaration with its counts
 * taken, and the two contexts that its functions get. */
#pragma once

#include <candela/op/op-class.h>
#include <candela/op/params-private.h>
#include <candela/value/layout-private.h>
#include <candela/value/tensor-private.h>

G_BEGIN_DECLS

/* The declaration, read once: plain fields, for the planner's inner loops. */
typedef struct
{
  const CandelaOpInfo *info; /* the plugin's, or a larger copy of an older one */
  char *plugin_name;
  guint n_inputs; /* rows in the table */
  guint n_required;
  guint n_outputs;
  guint n_params;
  gboolean variadic;
  gboolean resident; /* a plugin's: it is never destroyed, and need not be counted */
  gboolean infers;   /* by a function of its own */
  gboolean computes; /* … of its class */
  gboolean plain; /* element-wise, and dtypes alone say all of its nodes but their shape, as far as it does not infer */
  guint16 first_row[CANDELA_N_DTYPES]; /* of the kernels, that reads such an input 0 */
  /* Of a plain op: the one for inputs of that dtype, or NULL. */
  const CandelaKernelInfo *plain_row[CANDELA_N_DTYPES];
} CandelaOpFacts;

const CandelaOpFacts *candela_op_get_facts (CandelaOp *op);

/* choose.c: what of them takes a while to find out; the rest is there. */
void candela_op_facts_complete (CandelaOpFacts *facts, const CandelaOpClass *klass);

/* Checked parameters; given is owned by the caller, and so by others too where it is
 * likely to be given again. */
CandelaParams *candela_op_read_params (CandelaOp *op, GVariant *given, gboolean again, GError **error);

void candela_op_set_resident (CandelaOp *op);

/* Between these an op stays, even if another takes its name. */
static inline CandelaOp *
candela_op_hold (CandelaOp *op)
{
  return candela_op_get_facts (op)->resident ? op : g_object_ref (op);
}

static inline void
candela_op_release (CandelaOp *op)
{
  if (!candela_op_get_facts (op)->resident)
    g_object_unref (op);
}

/* Whether, and how, an output may be written over an input. */
CandelaInPlaceMode candela_op_facts_in_place (const CandelaOpFacts *facts, guint output, guint input);

/* The row of the input table that stands for the n-th input: the last for all
 * that a variadic one takes. */
static inline const CandelaInputInfo *
candela_op_facts_input (const CandelaOpFacts *facts, guint n)
{
  return &facts->info->inputs[n < facts->n_inputs ? n : facts->n_inputs - 1];
}

/* Whether its kernels are called as on float32 where values are stored as float16 or
 * bfloat16. An element-wise op has rows to choose from instead. */
static inline gboolean
candela_op_facts_widens (const CandelaOpFacts *facts)
{
  return facts->info->axes != CANDELA_AXES_ELEMENTWISE && !facts->info->takes_halves;
}

/* gradients.c: what is wrong with them, or NULL. */
const char *candela_op_facts_check_gradients (const CandelaOpFacts *facts);

/* Checks a declaration (names, tables, kernels that fit its axes) and makes the
 * op; type is CANDELA_TYPE_OP or a subclass. The error says which fact is wrong. */
CandelaOp *candela_op_new (GType type, const CandelaOpInfo *info, const char *plugin_name, GError **error);

/* An inference under way. Inputs first, then what infer answers. */
struct _CandelaInference
{
  CandelaOp *op;
  const CandelaOpFacts *facts;
  const CandelaParams *params;
  guint n_inputs;
  const CandelaLayout *const *layouts; /* of the inputs */
  const CandelaDType *dtypes;          /* of the inputs, weak scalars promoted */
  CandelaDType promoted;               /* of the inputs that take part in promotion; INVALID if none does */

  CandelaDType compute_dtype; /* what kernels are looked up by; starts as promoted */
  const CandelaKernelInfo *kernel;
  CandelaLayout *out_layouts[CANDELA_MAX_OUTPUTS]; /* owned */
  CandelaDType out_dtypes[CANDELA_MAX_OUTPUTS];
  guint8 aliasing[CANDELA_MAX_OUTPUTS]; /* CandelaAliasing */
  guint aliased_input[CANDELA_MAX_OUTPUTS];
};

void candela_inference_init (CandelaInference *inference, CandelaOp *op, const CandelaParams *params, guint n_inputs,
                             const CandelaLayout *const *layouts, const CandelaDType *dtypes, CandelaDType promoted);
gboolean candela_inference_run (CandelaInference *inference, GError **error);
void candela_inference_clear (CandelaInference *inference);

/* choose.c: the row for the dtypes that are computed with, or NULL; FALSE if there is
 * none. */
const CandelaKernelInfo *candela_inference_find_kernel (const CandelaInference *inference);
gboolean candela_inference_choose_kernel (CandelaInference *inference, GError **error);

/* choose.c: what an output of the row that was chosen for an element-wise op is stored as. */
CandelaDType candela_inference_stored_dtype (const CandelaInference *inference, guint output);

/* A kernel call under way. */
struct _CandelaKernel
{
  CandelaOp *op;
  const CandelaKernelInfo *info; /* its row in the op's table; NULL if the class computes */
  const CandelaParams *params;
  guint n_inputs, n_outputs;
  const gconstpointer *inputs; /* the buffers; layouts count from here */
  const CandelaLayout *const *in_layouts;
  const CandelaDType *in_dtypes;
  gpointer *outputs;
  CandelaLayout **out_layouts;
  const CandelaDType *out_dtypes;
  GCancellable *cancellable;
  void (*parallel_for) (guint64 n, CandelaKernelChunkFunc func, gpointer data); /* NULL: on this thread */
  void (*feed) (gpointer data, gint64 start, gsize n, gpointer out); /* computes elements of input 0, which is NULL */
  gpointer feed_data;
  void (*output_done) (gpointer data, guint64 start, guint64 n); /* NULL: nobody wants to know */
  gpointer output_done_data;
  /* An operand as a tensor over the memory that it is in. */
  CandelaTensor *(*share) (gpointer data, guint index, gboolean output, GError **error);
  gpointer share_data;
  CandelaTensor **made; /* of an op whose outputs have shapes that depend on data: what has been made of them */
  const CandelaLayout *const *inferred;                      /* the layouts that infer gave these */
  CandelaBuffer *(*new_buffer) (gsize size, GError **error); /* for these; NULL: candela_buffer_new() */
};

/* choose.c: whether a row of the table that takes rows is one of a reduction, and says of which dtypes. */
gboolean candela_op_facts_fit_rows (const CandelaOpFacts *facts, const CandelaKernelInfo *row);

/* … whether stages fit a row's operands; whether there are such rows for what ends those that stages make. */
gboolean candela_op_facts_fit_stages (const CandelaOpFacts *facts, const CandelaKernelInfo *row);
gboolean candela_op_facts_fit_rows_ends (const CandelaOpFacts *facts);

G_END_DECLS
