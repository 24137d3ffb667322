/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ops that a script makes: what they declare, and one call of theirs. */
#pragma once

#include <candela/op/op-private.h>
#include <candela/op/script.h>

G_BEGIN_DECLS

/* A declaration made from a{sv}, and what it points to. */
typedef struct
{
  CandelaOpInfo info;
  gboolean owner_thread; /* its functions run on the thread that made the op */
  GArray *inputs;        /* CandelaInputInfo */
  GArray *params;        /* CandelaParamInfo */
  GArray *in_place;      /* CandelaInPlace */
  GPtrArray *texts;      /* owned texts and arrays of texts */
  GStrv outputs;
} CandelaScriptFacts;

/* Sinks facts. NULL with an error set if something in it is not as it should be. */
CandelaScriptFacts *candela_script_facts_new (const char *name, GVariant *facts, GError **error);
void candela_script_facts_free (CandelaScriptFacts *facts);

/* script-infer.c: dtypes and shapes; of a view strides and offsets too, in elements. */
#define CANDELA_SCRIPT_SHAPES "a(sax)"
#define CANDELA_SCRIPT_VIEWS "a(saxaxx)"

/* Floating. */
GVariant *candela_script_describe_inputs (const CandelaInference *inference);
gboolean candela_script_set_outputs (CandelaInference *inference, GVariant *answer, GError **error);
/* Without a function. */
gboolean candela_script_infer_by_facts (CandelaInference *inference, GError **error);

/* The parameters that are not none, a{sv}, floating. */
GVariant *candela_script_params_to_variant (const CandelaParams *params);

CandelaScriptCall *candela_script_call_new (CandelaKernel *kernel, GError **error);
/* Whoever still holds it has no memory of the run through it. */
void candela_script_call_end (CandelaScriptCall *call);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CandelaScriptFacts, candela_script_facts_free)

G_END_DECLS
