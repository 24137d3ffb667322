/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What an op declares. The planner and the executor decide from these facts
 * alone; nothing in them knows an op's name. */
#pragma once

#include <candela/op/params.h>
#include <candela/value/layout.h>
#include <gio/gio.h>

G_BEGIN_DECLS

/* How an output relates to the buffer of an input. */
typedef enum {
  CANDELA_ALIASING_NONE,      /* a buffer of its own */
  CANDELA_ALIASING_ALIAS,     /* the output is the input: the identity */
  CANDELA_ALIASING_REFERENCE, /* the input's buffer under another layout */
  CANDELA_ALIASING_TAKEOVER   /* computed into a buffer of its own; then stands for its input */
} CandelaAliasing;

/* How a kernel reads an input that it may overwrite. */
typedef enum {
  CANDELA_IN_PLACE_NEVER,
  CANDELA_IN_PLACE_SAME_INDEX, /* element i is read before output element i is written, and not after */
  CANDELA_IN_PLACE_WITHIN_ROW, /* a row (the last axis) is read before that row is written, and not after */
  CANDELA_IN_PLACE_READ_FIRST  /* all is read before the first write */
} CandelaInPlaceMode;

/* May this output be written over this input? A table of these ends with
 * CANDELA_IN_PLACE_NEVER. */
typedef struct
{
  guint output;
  guint input;
  CandelaInPlaceMode mode;
} CandelaInPlace;

/* What axes mean to the op. */
typedef enum {
  CANDELA_AXES_OPAQUE,      /* the kernel gets whole values */
  CANDELA_AXES_ELEMENTWISE, /* inputs broadcast; every element on its own; kernels are CandelaLoopFuncs */
  CANDELA_AXES_ROWWISE,     /* every row (the last axis) on its own */
  CANDELA_AXES_REDUCTION    /* some axes are reduced, the others are on their own */
} CandelaAxes;

typedef enum {
  CANDELA_EFFECT_PURE,   /* a function of inputs and parameters */
  CANDELA_EFFECT_ORDERED /* has state: in every run of a plan it runs in the order of the plan's steps, on one thread */
} CandelaEffect;

typedef enum {
  CANDELA_DETERMINISM_BITWISE,    /* the same values give the same bits */
  CANDELA_DETERMINISM_PER_LAYOUT, /* … for the same layouts of the operands */
  CANDELA_DETERMINISM_NONE
} CandelaDeterminism;

typedef enum {
  CANDELA_THREADS_ANY, /* on any thread, several at once */
  CANDELA_THREADS_ONE_AT_A_TIME,
  CANDELA_THREADS_CALLER /* on the thread that runs the plan */
} CandelaThreads;

typedef enum {
  CANDELA_OUTPUT_SHAPE_STATIC, /* known when the node is built */
  CANDELA_OUTPUT_SHAPE_DATA    /* known only from data: the node is computed when it is built, and the kernel says the
                                * shapes with candela_kernel_set_output_shape(); of what infer says only dtypes and
                                * numbers of axes count */
} CandelaOutputShape;

/* Where the operands of a kernel are. */
typedef enum {
  CANDELA_PLACE_HOST
} CandelaPlace;

/* What an input is to promotion and to callers. */
typedef enum {
  CANDELA_INPUT_REQUIRED = 0,
  CANDELA_INPUT_OPTIONAL = 1 << 0, /* may be missing, if all after it are missing too, or if another stands in */
  CANDELA_INPUT_VARIADIC = 1 << 1, /* the last: none, one or several */
} CandelaInputFlags;

/* One input of an op; the table ends with a NULL name. */
typedef struct
{
  const char *name;       /* as in the array API standard */
  CandelaDTypeKind kinds; /* what it may be; 0: any */
  CandelaInputFlags flags;
  CandelaDType fixed; /* takes no part in promotion: is read as this dtype; INVALID: it does */
  const char *summary;
  guint
    stand_in; /* optional, missing, and one after it is given: 1 + the input before it that is taken; 0: none may be */
  gpointer padding[2];
} CandelaInputInfo;

/* The largest number of inputs and outputs of an element-wise op, and of inputs of
 * one that is an expression. */
#define CANDELA_MAX_LOOP_INPUTS 8
#define CANDELA_MAX_EXPRESSION_INPUTS 8
#define CANDELA_MAX_OUTPUTS 8

/* Inputs that can have a gradient: the first ones. */
#define CANDELA_MAX_GRADIENTS 8

/* The inner loop of an element-wise op: n packed elements of each operand, of
 * the dtypes in the kernel's row. Outputs are the inputs' memory or apart from
 * it; where out[o] == in[i] is allowed (by default it is), read index k of every
 * input before writing index k of any output. Must give an element the same
 * bits wherever in the loop it stands. */
typedef void (*CandelaLoopFunc) (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params);

/* What infer works on; see candela-plugin.h for its functions. */
typedef struct _CandelaInference CandelaInference;

/* What a kernel works on. */
typedef struct _CandelaKernel CandelaKernel;

/* Says the dtype and layout of every output, from dtypes and layouts of the
 * inputs and the parameters, or why not. Called when a node is built, and again
 * by the planner where an input turns out to have another layout (packed, for
 * example): it must be a pure function of these. */
typedef gboolean (*CandelaInferFunc) (CandelaInference *inference, GError **error);

/* Of an op of CANDELA_AXES_REDUCTION with one input: the axes that are reduced,
 * as bits, where the input has this rank. Results along the other axes may then
 * be computed a few at a time, each from a part of the input. */
typedef guint32 (*CandelaReducedAxesFunc) (const CandelaParams *params, guint rank);

/* What the kernel of a reduction makes of n_rows rows of n elements each, the first elements of
 * which are stride elements apart, and those of a row packed: one element of each output for
 * each row, the outputs packed too. No number is zero. It must give the bits that compute gives
 * for the last axes of such an input. */
typedef void (*CandelaRowsFunc) (gpointer const *out, gconstpointer in, gint64 stride, gsize n_rows, gsize n,
                                 const CandelaParams *params);

/* Computes the outputs. FALSE with an error set: the run stops. */
typedef gboolean (*CandelaKernelFunc) (CandelaKernel *kernel, GError **error);

/* Bit-safe fold: the input that the node is equal to (same dtype, shape and bits), or -1. */
typedef int (*CandelaFoldFunc) (const CandelaInference *inference);

/* How many floating-point operations a node does, a multiplication with an addition
 * being two: from the layouts and dtypes of the inputs and the parameters. */
typedef guint64 (*CandelaFlopsFunc) (const CandelaInference *inference);

/* Stages: an element-wise op as a function over an accumulator that is held in
 * vector registers, beside its loop. Each does its op and calls the stage of the
 * next instruction as its last act, so that what lies between ops never goes to
 * memory. How the accumulator is passed is the family's own affair; the engine only
 * makes the instructions, an array that ends with one of the family's end stage. */
typedef void (*CandelaStageFunc) (void); /* really of the family's type */

typedef struct
{
  CandelaStageFunc func;
  gconstpointer data; /* an operand in memory; its block at offset is at data + (offset & mask) */
  gsize mask;         /* all ones: an array; 0: one block, read and written again and again */
  guint64 scalar;     /* in its first bytes: an operand that is the same for all elements */
} CandelaStage;

/* What an instruction has anew in each row: where its operand is, or a number for all of the row. */
typedef struct
{
  CandelaStage *stage;
  gconstpointer data; /* what there is in the next row */
  gssize step;        /* bytes on is what there is in the one after it */
  gsize size;         /* of the number, 1, 2, 4 or 8 bytes; 0: an operand, which is there in the offset's place */
} CandelaStageMove;

/* Registers beside the accumulator. */
#define CANDELA_MAX_KEPT 2

/* Those that go together: one accumulator, in one way. */
typedef struct
{
  gsize block; /* bytes of the accumulator: a power of two */
  /* Runs the instructions for each block of size bytes, a multiple of block. */
  void (*run) (const CandelaStage *stages, gsize size);
  CandelaStageFunc load;   /* from data */
  CandelaStageFunc store;  /* to data; the accumulator stays */
  CandelaStageFunc stream; /* the same, past the caches; data is aligned to 64 bytes. NULL: there is none */
  CandelaStageFunc end;
  /* Every other element, of 1, 2, 4 and 8 bytes: from data + 2 * (offset & mask) on, and
   * nothing behind the last one. NULL: there is none. */
  CandelaStageFunc load_alternate[4];
  CandelaStageFunc keep[CANDELA_MAX_KEPT];   /* in a register, until the block ends. NULL: there are no more */
  CandelaStageFunc recall[CANDELA_MAX_KEPT]; /* from there */
  /* Runs the instructions for n_rows rows of size bytes, each a multiple of block: the offset goes on from
   * one to the next, before which the moves are made, and go on. NULL: rows are run one by one. */
  void (*run_rows) (const CandelaStage *stages, gsize size, gsize n_rows, CandelaStageMove *moves, gsize n_moves);
  CandelaStageFunc ahead; /* fetches what will be read at data. NULL: there is none */
  gpointer padding[2];
} CandelaStageFamily;

/* An op of one or two inputs and one output, all of dtypes of one size. It must give
 * the bits that the loop gives. */
typedef struct
{
  const CandelaStageFamily *family;
  CandelaStageFunc unary;                      /* of one input: op (accumulator) */
  CandelaStageFunc acc_memory;                 /* of two: op (accumulator, data) */
  CandelaStageFunc memory_acc;                 /* op (data, accumulator) */
  CandelaStageFunc acc_scalar;                 /* op (accumulator, scalar) */
  CandelaStageFunc scalar_acc;                 /* op (scalar, accumulator) */
  gboolean preserves;                          /* what the family keeps is still there after any of these */
  CandelaStageFunc acc_kept[CANDELA_MAX_KEPT]; /* of two, if it preserves: op (accumulator, what is kept) */
  CandelaStageFunc kept_acc[CANDELA_MAX_KEPT]; /* op (what is kept, accumulator) */
  gpointer padding[3];
} CandelaStages;

/* Rows that stages make, on their way into a reduction, which takes the accumulator of each block. */
typedef struct
{
  guint64 own[64]; /* the reduction's, at a multiple of 64 bytes */
  gpointer out;    /* where the next row's result goes; the reduction moves it on by one element with each */
  gsize size, n;   /* of a row: bytes, a multiple of the family's block, and elements */
  const CandelaParams *params;
  gboolean again; /* set by the reduction: what it had of these rows does not do. They go to the kernel's
                   * function that takes rows */
} CandelaMadeRows;

/* That way into it: one of the family's end stages, beside a kernel's function that takes rows of
 * the same dtypes, the bits of which it must give. */
typedef struct
{
  const CandelaStageFamily *family; /* NULL ends the table */
  CandelaDType in, out;
  void (*begin) (CandelaMadeRows *rows); /* before some rows, the first of which begins at offset 0 */
  CandelaStageFunc end;                  /* of a block, whose accumulator it takes; its data are these rows */
  gpointer padding[2];
} CandelaRowsEnd;

/* What a kernel was compiled for, beyond what the processor that a program runs on is
 * sure to have. */
typedef enum {
  CANDELA_INSTRUCTION_SET_BASELINE, /* nothing */
  CANDELA_INSTRUCTION_SET_AVX2,     /* AVX2 and FMA */
  CANDELA_INSTRUCTION_SET_AVX512    /* these, and AVX-512 F, BW, DQ and VL */
} CandelaInstructionSet;

/* A row of the table of kernels, which ends with neither function set. Rows of an
 * instruction set that the processor lacks, or that CANDELA_CPU rules out, are passed over: of
 * those for the same dtypes, the best comes first. For an
 * element-wise op the row is taken whose in-dtypes are those of the (promoted)
 * inputs, else the first one that they can be cast to. Other ops: the row whose in[] are the dtypes that infer
 * settled on; INVALID matches any. */
typedef struct
{
  CandelaDType in[CANDELA_MAX_LOOP_INPUTS];
  CandelaDType out[CANDELA_MAX_OUTPUTS];
  CandelaLoopFunc loop;
  CandelaKernelFunc compute;
  CandelaPlace place;
  guint n_inputs; /* serves that many inputs only; 0: any number */
  union
  {
    const CandelaStages *stages; /* beside the loop of an element-wise op, or NULL */
    CandelaRowsFunc rows; /* beside compute, with reduced_axes, of in[0] and out[], or NULL: many calls for a few rows
                           * each cost less */
  };
  CandelaInstructionSet instruction_set;
} CandelaKernelInfo;

/* The whole declaration: one const struct beside the kernel. All that is zero is
 * the common case. */
typedef struct
{
  gsize struct_size; /* sizeof (CandelaOpInfo) */
  const char *name;
  const char *summary; /* one line */
  const char *since;   /* version of the plugin */
  const CandelaInputInfo *inputs;
  const char *const *outputs; /* names, NULL-terminated; NULL: one, "out" */
  const CandelaParamInfo *params;
  const char *operators; /* separated by spaces: "infix:+", "prefix:-", "index:[]", "attribute:.T"; or NULL */

  CandelaAxes axes;
  CandelaAliasing aliasing;       /* of output 0 and input 0, where infer says nothing else */
  const CandelaInPlace *in_place; /* NULL: every pair by the same index if element-wise, none otherwise */
  CandelaEffect effect;
  CandelaDeterminism determinism;
  CandelaThreads threads;
  CandelaOutputShape output_shape;

  CandelaInferFunc infer; /* NULL for element-wise: broadcast and promote */
  const CandelaKernelInfo *kernels;
  CandelaFoldFunc fold;                /* or NULL */
  CandelaReducedAxesFunc reduced_axes; /* or NULL: the op runs over whole values only */
  gboolean takes_fed; /* with reduced_axes: if these are the last ones, candela_kernel_get_input() may be NULL, and the
                       * kernel packs what it needs of the input, which is computed then */
  CandelaFlopsFunc flops; /* or NULL: not declared; asked only where output 0 is floating-point */
  gboolean takes_halves;  /* not element-wise: infer and kernels take float16 and bfloat16, by an element's size, say;
                           * FALSE: they see float32, and what they make of that is rounded */

  /* Or NULL. What the op is, in Candela's language, over its inputs and parameters by
   * their names: a node of it is made of the ops that are called there, and of the other
   * facts only the inputs and the parameters count. There are no infer and no kernels,
   * and one output. */
  const char *expression;

  /* Or NULL; for users, who read them in the reference and in help texts. */
  const char *formula; /* what is computed, in plain text: "yᵢ = xᵢ / (1 + |xᵢ|)"; one line or a few */
  const char *example; /* a program of Candela's language that stands alone, calls the op and has a small result */

  /* Of each input, in the order of their table: its gradient (vector-Jacobian product), in
   * Candela's language, over the inputs, the parameters and the outputs by their names, and
   * the cotangent, which is grad; if there are several outputs, grad_ and the name of each.
   * An input that is missing is none there. Where the input was broadcast, the result is
   * summed over these axes. NULL: it has none. */
  const char *gradients[CANDELA_MAX_GRADIENTS];

  const CandelaRowsEnd *rows_ends; /* or NULL: with kernels that take rows */
} CandelaOpInfo;

G_END_DECLS
