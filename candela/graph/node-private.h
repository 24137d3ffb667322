/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The struct behind a node. Small, with its inputs in line: graphs have
 * millions of them. */
#pragma once

#include <candela/graph/node.h>
#include <candela/op/op-private.h>
#include <candela/value/tensor-private.h>

G_BEGIN_DECLS

/* What an op node knows of each of its outputs. */
typedef struct
{
  CandelaLayout *layout;
  guint8 dtype;
  guint8 aliasing; /* CandelaAliasing, for the inputs' layouts at construction */
  guint16 aliased_input;
} CandelaNodeOutput;

struct _CandelaNode
{
  gint ref_count;
  guint8 kind;
  guint8 dtype;
  guint8 weak;      /* a Python-like scalar: takes the dtype of what it meets */
  guint8 literal;   /* an edge whose value is in u.scalar */
  guint8 unbound;   /* depends on slots: has another value in each run */
  guint8 n_outputs; /* values that it produces: 0 for a projection */
  guint8 aliasing;  /* of output 0 */
  guint8 direct;    /* an op whose loop takes its operands as they are, on whatever thread */
  guint16 aliased_input;
  guint8 lent; /* the layout is an input's, which holds it */
  guint32 n_inputs;
  guint32 place;         /* in the list of the last plan that held plan/order.c's lock; means nothing elsewhere */
  CandelaLayout *layout; /* of output 0 */
  union
  {
    CandelaTensor *tensor; /* EDGE; CACHE, once filled (atomic) */
    guint8 scalar[16];     /* EDGE, literal */
    struct
    {
      CandelaTensor *tensor;  /* the one above */
      CandelaTensor **others; /* EDGE: of an op with several outputs that has been computed, all but the first, ended by
                               * NULL; else NULL */
    } edge;
    char *slot_name; /* SLOT */
    guint output;    /* OUTPUT: which */
    struct
    {
      CandelaOp *op;
      const CandelaOpFacts *facts;
      const CandelaKernelInfo *kernel;
      CandelaParams *params;
      CandelaNodeOutput *outputs; /* all of them, if there are several; else NULL */
    } op;
    struct
    {
      gpointer plan;
      GDestroyNotify plan_unref;
    } baked;
  } u;
  CandelaNode *inputs[];
};

/* One value of a node; output is 0 but for ops with several. */
static inline CandelaLayout *
candela_node_output_layout (const CandelaNode *node, guint output)
{
  return output == 0 ? node->layout : node->u.op.outputs[output].layout;
}

static inline CandelaDType
candela_node_output_dtype (const CandelaNode *node, guint output)
{
  return output == 0 ? node->dtype : node->u.op.outputs[output].dtype;
}

/* node-life.c: a node of that kind, zeroed after its head; takes over the references to its
 * layout and inputs. */
CandelaNode *candela_node_alloc (CandelaNodeKind kind, CandelaDType dtype, CandelaLayout *layout,
                                 CandelaNode *const *inputs, gsize n_inputs);

/* A scalar of that dtype; value is read as the dtype's C type. */
CandelaNode *candela_node_new_literal (CandelaDType dtype, gconstpointer value, gboolean weak);

/* An edge with the values of an op that has been computed; takes the tensors over. */
CandelaNode *candela_node_new_computed (CandelaTensor **tensors, guint n);

/* exec/now.c, of a layer above: computes a node whose shape depends on data, from the
 * inputs that have been inferred from; NULL with an error of
 * candela_node_materialize(), or the kernel's. */
CandelaNode *candela_node_compute_now (const CandelaInference *inference, CandelaNode *const *inputs, GError **error);

/* A plan (of the layer above) as one node; takes the plan over. */
CandelaNode *candela_node_new_for_plan (gpointer plan, GDestroyNotify plan_unref, CandelaDType dtype,
                                        CandelaLayout *layout, CandelaNode *const *inputs, gsize n_inputs);

/* The tensor of a filled cache, or NULL. */
CandelaTensor *candela_node_peek_cached (CandelaNode *node);

/* Fills a cache with a contiguous tensor, unless another thread was first. */
void candela_node_fill_cache (CandelaNode *node, CandelaTensor *tensor);

/* graph/construct.c: an output of an element-wise op over literals, as a literal;
 * NULL if an input is none, or the op cannot be run at any time. */
CandelaNode *candela_node_fold_literals (const CandelaOpFacts *facts, const CandelaKernelInfo *kernel,
                                         CandelaNode *const *inputs, guint n_inputs, const CandelaParams *params,
                                         guint output, gboolean weak);

/* graph/construct.c: a weak literal, input i, as a scalar of the dtype that it takes there. */
CandelaNode *candela_node_convert_literal (const CandelaOpFacts *facts, guint i, const CandelaNode *literal,
                                           CandelaDType dtype, gboolean weak, GError **error);

/* graph/plain.c: what candela_node_construct() makes of as many inputs as the op takes, if
 * that is simple; or NULL. */
CandelaNode *candela_node_new_plain (CandelaOp *op, CandelaNode *const *given, guint n_inputs, CandelaParams *params);

/* graph/construct.c: the dtype of an op's inputs together, those with a fixed one
 * left out; whether all of them are weak. */
CandelaDType candela_node_promote (const CandelaOpFacts *facts, CandelaNode *const *inputs, guint n_inputs,
                                   gboolean *all_weak);

/* graph/construct.c: candela_node_new_for_op() with a value for each of the op's
 * parameters, as candela_params_new_for_values() takes them. */
CandelaNode *candela_node_new_for_values (CandelaOp *op, CandelaNode *const *inputs, gsize n_inputs,
                                          GVariant *const *values, GError **error);

/* graph/expand.c: the node of an op that is an expression, its inputs checked. */
CandelaNode *candela_node_expand (const CandelaOpFacts *facts, CandelaNode *const *inputs, guint n_inputs,
                                  const CandelaParams *params, GError **error);

/* graph/expand.c: the parameters as statements that bind their names. */
GString *candela_params_to_statements (const CandelaOpFacts *facts, const CandelaParams *params);

/* graph/gradient.c: candela_node_new_gradient() of an op over these inputs, where node is
 * what was made of it. */
CandelaNode *candela_node_build_gradient (CandelaOp *op, CandelaNode *const *inputs, guint n_inputs,
                                          const CandelaParams *params, CandelaNode *node, guint input,
                                          CandelaNode *const *cotangents, GError **error);

/* graph/construct.c: checks, folds, makes the node. */
CandelaNode *candela_node_construct (CandelaOp *op, CandelaNode *const *inputs, gsize n_inputs, CandelaParams *params,
                                     GError **error);

G_END_DECLS
