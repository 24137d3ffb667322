/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a plan is made of: values, slots and steps, all in flat arrays that refer
 * to each other by index. */
#pragma once

#include <candela/graph/node-private.h>
#include <candela/plan/arena-private.h>
#include <candela/plan/plan.h>

G_BEGIN_DECLS

#define CANDELA_PLAN_NONE G_MAXUINT32

/* Where a value's memory comes from. */
typedef enum {
  CANDELA_STORAGE_SLOT,    /* a slot of the plan */
  CANDELA_STORAGE_TENSOR,  /* an edge's tensor, or that of a cache that was filled when the plan was made */
  CANDELA_STORAGE_LITERAL, /* a scalar in its node */
  CANDELA_STORAGE_BINDING, /* a slot node's: bound when the plan runs */
  CANDELA_STORAGE_LOCAL    /* a block of rows at a time, within a step */
} CandelaStorage;

/* Why an output is produced as it is. */
typedef enum {
  CANDELA_REASON_NONE,
  CANDELA_REASON_IN_PLACE,     /* input arg is not read after this step */
  CANDELA_REASON_REFERENCE,    /* another layout over the buffer of input arg */
  CANDELA_REASON_FLAG,         /* switched off by a flag */
  CANDELA_REASON_NO_INPUT,     /* no input */
  CANDELA_REASON_NOT_DECLARED, /* the op does not declare it */
  CANDELA_REASON_ETERNAL,      /* input arg comes from outside */
  CANDELA_REASON_READ_LATER,   /* input arg is read again, by step `at` */
  CANDELA_REASON_IS_ROOT,      /* input arg is a result */
  CANDELA_REASON_IS_CACHED,    /* input arg is kept by a cache node */
  CANDELA_REASON_READ_WITHIN,  /* a later op of the step reads input arg */
  CANDELA_REASON_BYTES,        /* input arg's buffer has another size */
  CANDELA_REASON_LAYOUT,       /* input arg maps the indices to other addresses */
  CANDELA_REASON_TWO_LAYOUTS,  /* the buffer of input arg is read through two layouts */
  CANDELA_REASON_TAKEN,        /* input arg is overwritten by another output */
  CANDELA_REASON_BAKED         /* the inner plan brings its own buffer */
} CandelaReason;

/* A value: one output of one node, over a buffer. */
typedef struct
{
  CandelaNode *node;     /* that it is the value of; the plan's reference is through its roots */
  CandelaLayout *layout; /* resolved: over the buffer that it really has; a node's, or one of the plan's */
  guint32
    source; /* the slot, the index of the tensor or binding, the value whose node holds the scalar, or the local */
  guint8 output;
  guint8 dtype;
  guint8 storage; /* CandelaStorage */
} CandelaPlanValue;

/* Memory of the plan, from its first step to its last. */
typedef struct
{
  gsize bytes;
  guint32 start;
  guint32 end; /* CANDELA_PLAN_NONE: never freed, a result or a cache keeps it */
} CandelaPlanSlot;

typedef struct
{
  guint32 value;
  guint8 kind;        /* CandelaOutputKind */
  guint8 reason;      /* CandelaReason: why in place, or why not */
  guint32 reason_arg; /* which of the step's inputs */
  guint32 reason_at;  /* which step */
  guint32 input;      /* of the step: overwritten or referred to; CANDELA_PLAN_NONE otherwise */
  guint32 part;       /* of the step: the one that computes it */
} CandelaPlanOutput;

typedef enum {
  CANDELA_STEP_KERNEL,    /* an op's kernel over whole values */
  CANDELA_STEP_FUSED,     /* element-wise ops, one or several, as one pass */
  CANDELA_STEP_REFERENCE, /* nothing to compute */
  CANDELA_STEP_PACK,      /* a contiguous copy, for a cache */
  CANDELA_STEP_BAKED,     /* a plan within the plan */
  CANDELA_STEP_ROWS,      /* several of the first two, a block of rows after the other */
  CANDELA_STEP_COLUMNS,   /* … a block of columns after the other */
  CANDELA_STEP_FED        /* one of each: the kernel is fed what the element-wise step computes */
} CandelaStepKind;

/* One micro-op of a fused step. Operands below n_inputs (of the step) are the
 * step's inputs; those from n_inputs on are registers: tiles that live only
 * within the step; those from CANDELA_PART_OUTPUT on are outputs of the step,
 * which later parts may read too. */
#define CANDELA_PART_OUTPUT 0x80000000u

typedef struct
{
  CandelaNode *node;
  guint32 first_operand; /* in the plan's operands: inputs, then outputs */
  guint8 n_inputs;       /* of a part of a fused step, like the rest */
  guint8 n_outputs;
  guint8 same_index; /* whatever it reads it may write over, index by index */
} CandelaPlanPart;

typedef struct
{
  guint8 kind;    /* CandelaStepKind */
  guint8 follows; /* fused: it may run on each part of its input as the step before it is done with that */
  guint32 first_input, n_inputs;   /* in the plan's inputs: resolved values */
  guint32 first_output, n_outputs; /* in the plan's outputs */
  guint32 first_part, n_parts;     /* in the plan's parts; several if fused or a group */
  union
  {
    guint32 n_registers; /* fused */
    guint32 group;       /* rows, columns, fed: in the plan's groups */
  };
  guint32 first_free, n_free; /* in the plan's frees: slots, after this step */
} CandelaPlanStep;

/* Steps that run together: block by block of their rows, the first axes of all
 * that they compute, or of columns, the last axes, within each of the rows. What only
 * they read are locals; a local's `source` is its number in the group. */
typedef struct
{
  guint32 first_sub, n_subs;     /* in the plan's subs */
  guint32 first_local, n_locals; /* in the plan's local_bytes */
  gint64 n_rows, n_columns;
  guint n_axes;   /* the first ones, which are the rows */
  guint n_last;   /* the last ones, which are the columns; none unless it goes by columns */
  gboolean packs; /* by columns: a few at a time, of which what is read is packed */
} CandelaPlanGroup;

struct _CandelaPlan
{
  gatomicrefcount ref_count;
  CandelaPlanFlags flags;
  guint depth;        /* of baked plans within baked plans */
  CandelaArena arena; /* of all arrays here */

  CandelaNode **roots; /* references of the plan's */
  guint32 *root_values;
  guint n_roots;

  CandelaPlanValue *values;
  guint32 n_values;
  CandelaPlanSlot *slots;
  guint32 n_slots;
  CandelaPlanStep *steps;
  guint32 n_steps;
  CandelaPlanGroup *groups;
  guint32 n_groups;
  CandelaPlanStep *subs; /* steps of groups, which free nothing */
  gsize *local_bytes;    /* of a row; of one column of it */
  guint32 n_locals;
  guint32 *inputs;
  CandelaPlanOutput *outputs;
  CandelaPlanPart *parts;
  guint32 n_parts;
  guint32 *operands;
  guint32 *frees;

  GPtrArray *layouts;      /* those of values that no node has; owned; NULL: none */
  CandelaTensor **tensors; /* of edges and of filled caches; not owned (reached from roots) */
  guint32 n_tensors;
  CandelaNode **bindings; /* slot nodes, in order of first use; not owned (reached from roots) */
  guint32 n_bindings;
  guint32 *caches; /* pairs: value, index of the cache node in cache_nodes; filled after the run */
  CandelaNode **cache_nodes;
  guint32 n_caches;

  guint64 peak_bytes;
  guint64 lower_bound_bytes;
  guint64 intermediate_bytes;
};

/* The scalar of a literal, which several values may be: itself, or under another
 * layout, or kept by a cache. */
static inline gconstpointer
candela_plan_scalar (const CandelaPlan *plan, const CandelaPlanValue *value)
{
  return plan->values[value->source].node->u.scalar;
}

static inline gboolean
candela_plan_step_is_group (const CandelaPlanStep *step)
{
  return step->kind == CANDELA_STEP_ROWS || step->kind == CANDELA_STEP_COLUMNS || step->kind == CANDELA_STEP_FED;
}

/* The registers and outputs of the parts are in the plan's operands. */
static inline const guint32 *
candela_plan_part_operands (const CandelaPlan *plan, const CandelaPlanPart *part)
{
  return plan->operands + part->first_operand;
}

/* in-place.c: whether a fused step may write an output over one of its inputs. The part that
 * writes it may do so; those before it are done with an index before it writes there, and
 * those after it must not read it. */
gboolean candela_plan_may_overwrite (const CandelaPlan *plan, const CandelaPlanStep *step,
                                     const CandelaPlanOutput *output, guint32 input);

/* "in place: input 0 is not read after this step" */
char *candela_plan_output_reason (const CandelaPlan *plan, const CandelaPlanStep *step, guint output);

/* "add", "add+multiply" for a fused step; "pack", "baked" for steps without an op. */
char *candela_plan_step_name (const CandelaPlan *plan, const CandelaPlanStep *step);

G_END_DECLS
