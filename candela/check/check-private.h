/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The checker: an op's declaration against what its functions do.
 *
 * A case is inputs (dtypes, shapes, layouts, values) and parameters. It is made from a
 * seed, so the process that watches and the one that runs the op make the same one. All
 * that calls the op runs in a child process (child.c), whose inputs and outputs lie
 * between pages that cannot be touched (memory.c). The child ends at the first fact that
 * does not hold, whatever it is; what it was doing it has noted in memory that both
 * share. */
#pragma once

#include <candela/check/check.h>
#include <candela/exec/executor-private.h>
#include <candela/graph/node-private.h>

G_BEGIN_DECLS

#define CANDELA_CHECK_MAX_INPUTS 4
#define CANDELA_CHECK_MAX_RANK 4

/* What is proven, in the order in which a case looks at it. */
typedef enum {
  CANDELA_CHECK_SURVIVAL,
  CANDELA_CHECK_REFUSAL,
  CANDELA_CHECK_PARAMETERS,
  CANDELA_CHECK_INFER,
  CANDELA_CHECK_INPUTS,
  CANDELA_CHECK_BOUNDS,
  CANDELA_CHECK_COMPLETE,
  CANDELA_CHECK_DETERMINISM,
  CANDELA_CHECK_MEMORY,
  CANDELA_CHECK_POSITION,
  CANDELA_CHECK_STAGES,
  CANDELA_CHECK_IN_PLACE,
  CANDELA_CHECK_ALIASING,
  CANDELA_CHECK_FOLD,
  CANDELA_CHECK_LAYOUT,
  CANDELA_CHECK_ROWS,
  CANDELA_CHECK_FED,
  CANDELA_CHECK_DONE,
  CANDELA_CHECK_THREADS,
  CANDELA_CHECK_SHAPE,
  CANDELA_CHECK_PLAN,
  CANDELA_CHECK_GRADIENT,
  CANDELA_CHECK_N_FACTS
} CandelaCheckFact;

/* facts.c: "in-place", and what it says. */
const char *candela_check_fact_get_name (CandelaCheckFact fact);

/* How an axis of a view goes through the array under it. */
typedef enum {
  CANDELA_CHECK_AXIS_PLAIN,
  CANDELA_CHECK_AXIS_ALTERNATE,          /* [::2] */
  CANDELA_CHECK_AXIS_REVERSED,           /* [::-1] */
  CANDELA_CHECK_AXIS_REVERSED_ALTERNATE, /* [::-2] */
  CANDELA_CHECK_AXIS_BROADCAST,          /* one element, again and again */
  CANDELA_CHECK_N_AXIS_FORMS
} CandelaCheckAxisForm;

typedef enum {
  CANDELA_CHECK_VALUES_ANY,    /* all that the dtype has: infinities, not-a-numbers, the ends of its range */
  CANDELA_CHECK_VALUES_SMALL,  /* finite, positive, small */
  CANDELA_CHECK_VALUES_MATRIX, /* small; the diagonals of matrices outweigh what is beside them */
  CANDELA_CHECK_VALUES_PLAIN,  /* few, in turn: a formula has them */
  /* Where ops have derivatives: floats of four digits if they are few, no two of an array or of
   * two arrays the same, none a whole number … */
  CANDELA_CHECK_VALUES_AROUND_ZERO,
  CANDELA_CHECK_VALUES_WITHIN_ONE, /* … between 0 and 1 */
  CANDELA_CHECK_VALUES_ABOVE_ONE,
  CANDELA_CHECK_VALUES_DOMINANT /* … but the diagonals of matrices outweigh what is beside them */
} CandelaCheckValues;

typedef struct
{
  CandelaDType dtype;
  guint rank;
  gint64 dims[CANDELA_CHECK_MAX_RANK];
  guint8 forms[CANDELA_CHECK_MAX_RANK]; /* CandelaCheckAxisForm */
  gboolean transposed;                  /* of two axes: the first one is next to each other in memory */
  gboolean shifted;                     /* begins an element after where memory is aligned: [1:] along the last axis */
} CandelaCheckInput;

typedef struct
{
  guint n_inputs;
  CandelaCheckInput inputs[CANDELA_CHECK_MAX_INPUTS];
  GVariant *params; /* a{sv}, owned */
  CandelaCheckValues values;
  guint64 seed; /* of the values */
} CandelaCheckCase;

/* SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
 * 2014). */
guint64 candela_check_random (guint64 *state);
/* From 0 to n - 1. */
guint candela_check_random_below (guint64 *state, guint n);

/* case.c: the n-th try at a case; most tries are refused by ops that are choosy. */
void candela_check_case_init (CandelaCheckCase *test, CandelaOp *op, guint64 seed, guint index, guint attempt);
void candela_check_case_clear (CandelaCheckCase *test);
void candela_check_case_copy (CandelaCheckCase *to, const CandelaCheckCase *from);

/* params.c: some that the op may take. */
GVariant *candela_check_make_params (const CandelaOpFacts *facts, const CandelaCheckCase *test, guint index,
                                     guint64 *state);

/* values.c */
void candela_check_fill (gpointer data, CandelaDType dtype, const gint64 *dims, guint rank, CandelaCheckValues values,
                         guint64 seed);
/* Whether two elements are the same: bit for bit, but that any not-a-number is as good as another. */
gboolean candela_check_same_element (CandelaDType dtype, gconstpointer a, gconstpointer b);
/* An element as an expression has it. */
void candela_check_append_element (GString *text, CandelaDType dtype, gconstpointer element);

/* describe.c: the array under an input's view, its layout over it, and both as text. */
CandelaTensor *candela_check_input_make_base (const CandelaCheckCase *test, guint input);
CandelaLayout *candela_check_input_make_layout (const CandelaCheckInput *input, const CandelaTensor *base);
GVariant *candela_check_case_describe (const CandelaCheckCase *test, CandelaOp *op);

/* ---- The child's ---- */

/* What both processes see. */
typedef struct
{
  guint32 index, attempt; /* of the case */
  guint32 beat;           /* goes up with every run of the op */
  guint32 fact;           /* CandelaCheckFact: what is being looked at */
  guint32 n_cases;        /* that the op took */
  guint32 n_refused;
  guint32 gradients;        /* of which inputs they were found right, as bits */
  guint32 gradient_attempt; /* at which point: what the case became for it */
  guint64 runs[CANDELA_CHECK_N_FACTS];
  gboolean finished; /* all cases */
  gboolean failed;
  char doing[160];
  char message[700];
} CandelaCheckShared;

typedef struct
{
  CandelaOp *op;
  const CandelaOpFacts *facts;
  const CandelaCheckCase *test;
  CandelaCheckShared *shared;

  CandelaParams *params;
  guint n_inputs;
  CandelaTensor *bases[CANDELA_CHECK_MAX_INPUTS];
  CandelaLayout *views[CANDELA_CHECK_MAX_INPUTS];  /* over the bases */
  guint8 *values[CANDELA_CHECK_MAX_INPUTS];        /* packed */
  CandelaLayout *packed[CANDELA_CHECK_MAX_INPUTS]; /* as they are then */
  CandelaDType dtypes[CANDELA_CHECK_MAX_INPUTS];
  CandelaDType promoted;
  char names[CANDELA_CHECK_MAX_INPUTS][64];
  CandelaInference inference; /* for the packed ones */

  gboolean exact;                                /* the same values give the same bits, whatever the layouts */
  gboolean elementwise;                          /* a loop is called, not a kernel … */
  guint8 *loop_inputs[CANDELA_CHECK_MAX_INPUTS]; /* … with these: converted and broadcast */
  /* What came of the first run: of a loop in its dtypes. What is not computed has the
   * elements of its input. */
  guint8 *expected[CANDELA_MAX_OUTPUTS];
} CandelaCheck;

/* child.c: ends the child. */
void candela_check_fail (const CandelaCheck *check, CandelaCheckFact fact, const char *format, ...)
  G_GNUC_PRINTF (3, 4) G_GNUC_NORETURN;
/* Before each run: what it is about, for whoever reads why it did not come back. */
void candela_check_begin (const CandelaCheck *check, CandelaCheckFact fact, const char *format, ...)
  G_GNUC_PRINTF (3, 4);

/* memory.c: memory between pages that cannot be touched. */
typedef enum {
  CANDELA_CHECK_AT_START, /* begins right behind such a page */
  CANDELA_CHECK_AT_END,   /* ends right before one */
  CANDELA_CHECK_ACROSS    /* the page boundary is in its middle */
} CandelaCheckPlacement;

typedef struct
{
  guint8 *pages; /* the guard page before comes first */
  gsize n_bytes; /* of all pages */
  guint8 *data;
  gsize size;
  gboolean output;
  const char *name;
  CandelaDType dtype;
} CandelaCheckMemory;

void candela_check_memory_init (CandelaCheckMemory *memory, CandelaDType dtype, gsize size,
                                CandelaCheckPlacement placement, gsize shift, gboolean output, const char *name);
void candela_check_memory_protect (CandelaCheckMemory *memory);
void candela_check_memory_clear (CandelaCheckMemory *memory);
/* The first byte outside data that has been written, counted from its first; 0 if none. */
gboolean candela_check_memory_find_stray (const CandelaCheckMemory *memory, gssize *at);
void candela_check_memory_watch (const CandelaCheck *check);
/* The next touch of the page in the middle runs func on another thread first, as far as that
 * gets; TRUE if there is such a page. */
gboolean candela_check_memory_stop_at (CandelaCheckMemory *memory, void (*func) (gpointer data), gpointer data);
/* … and sees to it that func has been run. */
void candela_check_memory_end_stop (void);

/* run.c: FALSE if the op does not take the case. */
gboolean candela_check_run_case (CandelaOp *op, const CandelaCheckCase *test, CandelaCheckShared *shared);

/* Both: names of an op's operands; the buffer has 64 bytes. */
const char *candela_check_input_name (const CandelaOpFacts *facts, guint input, char *buffer);
const char *candela_check_output_name (const CandelaOpFacts *facts, guint output);

/* ---- Calls ---- */

/* What an operand is when the op's function is called. */
typedef struct
{
  const guint8 *data; /* of an input; the buffer from which the layout counts */
  gsize bytes;
  CandelaDType dtype;
  const CandelaLayout *layout; /* of a kernel's */
} CandelaCheckOperand;

/* A call of a loop over some elements of packed operands, or of a kernel over whole
 * values. */
typedef struct
{
  CandelaCheck *check;
  guint n_inputs;
  CandelaCheckOperand in[CANDELA_CHECK_MAX_INPUTS], out[CANDELA_MAX_OUTPUTS];
  gboolean computed[CANDELA_MAX_OUTPUTS];
  gsize n; /* elements of a loop */

  /* How it is called, other than in the plainest way; all zero is that. */
  CandelaCheckPlacement placement;
  gboolean shifted;    /* operands begin an element after where memory is aligned */
  gboolean other;      /* the other poison */
  guint over[2];       /* 1 + the output, 1 + the input over which it is written */
  guint same_as;       /* 1 + the input that lies where this other one does; … */
  guint same;          /* … the other one */
  gsize splits[3];     /* of a loop: elements before each of which it is called anew */
  gboolean last_first; /* … the last part first */
  gboolean fed;        /* input 0 is not in memory */
  void (*parallel_for) (guint64 n, CandelaKernelChunkFunc func, gpointer data);
  gboolean watch_done; /* what the kernel says is done is noted */

  CandelaCheckMemory inputs[CANDELA_CHECK_MAX_INPUTS], outputs[CANDELA_MAX_OUTPUTS];
  guint8 *results[CANDELA_MAX_OUTPUTS]; /* in one of these */
  guint8 *done[CANDELA_MAX_OUTPUTS];    /* elements of output 0 as they were when they were said to be done; … */
  guint8 *is_done;                      /* … which */
  gboolean ok;
  GError *error;
} CandelaCheckCall;

/* call.c: the case's packed operands, and those as the case lays them out. */
void candela_check_call_init (CandelaCheckCall *call, CandelaCheck *check);
/* Puts everything where it belongs; calls; both. */
void candela_check_call_prepare (CandelaCheckCall *call);
void candela_check_call_go (CandelaCheckCall *call);
void candela_check_call_run (CandelaCheckCall *call);
/* Fails if anything was written where it should not be. */
void candela_check_call_verify (CandelaCheckCall *call);
/* A copy of a result. */
guint8 *candela_check_call_take (const CandelaCheckCall *call, guint output);
void candela_check_call_clear (CandelaCheckCall *call);
/* All of that, and the results against those of the first run. */
void candela_check_call_compare (CandelaCheckCall *call, CandelaCheckFact fact, const char *what);
/* common.c: what loops and kernels have in common. FALSE: the op refuses these values. */
gboolean candela_check_common (CandelaCheck *check);
/* together.c: two calls at once. */
void candela_check_together (CandelaCheck *check);
/* run.c: infer, for these layouts. */
gboolean candela_check_run_infer (const CandelaCheck *check, CandelaInference *inference, CandelaLayout *const *layouts,
                                  GError **error);

/* stages.c: those of the row that was chosen. */
void candela_check_stages (CandelaCheck *check);
/* kernel.c */
void candela_check_kernel (CandelaCheck *check);
/* rows-end.c: of a reduction that takes rows: those that stages make. */
void candela_check_rows_ends (CandelaCheck *check);

/* lanes.c: some rows, or columns, by themselves; an input that is fed. */
void candela_check_lanes (CandelaCheck *check);
/* now.c: of an op that says its shapes while it runs. FALSE: it refuses these values. */
gboolean candela_check_data_shape (CandelaCheck *check);
/* graph.c: through plans. */
void candela_check_graph (CandelaCheck *check);
/* gradient.c: against finite differences. */
void candela_check_gradients (CandelaCheck *check);
/* gradient.c: the case as one for gradients, at one of several points; whether it is one. */
void candela_check_case_differentiate (CandelaCheckCase *test, const CandelaOpFacts *facts, guint attempt);
gboolean candela_check_case_is_differentiated (const CandelaCheckCase *test);
/* refusal.c: what is wrong is an error. */
void candela_check_refusals (CandelaCheck *check);

/* run.c */
void candela_check_error (const CandelaCheck *check, CandelaCheckFact fact, const GError *error);
void candela_check_compare (const CandelaCheck *check, CandelaCheckFact fact, guint output, const CandelaLayout *layout,
                            CandelaDType dtype, const guint8 *expected, const guint8 *got, gint64 n);

/* ---- The watcher's ---- */

/* child.c: runs cases from one on in a child, or the one that is given. FALSE: a fact does
 * not hold; the rest is in shared. limit: seconds without a beat. */
gboolean candela_check_watch (CandelaOp *op, const CandelaCheckCase *only, guint64 seed, guint first, guint n,
                              guint limit, CandelaCheckShared *shared, GCancellable *cancellable);

/* shrink.c: makes a case that fails as small as it goes. */
void candela_check_shrink (CandelaOp *op, CandelaCheckCase *test, CandelaCheckShared *shared, guint limit,
                           GCancellable *cancellable);

G_END_DECLS
