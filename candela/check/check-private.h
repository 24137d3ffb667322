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

#define CHECK_MAX_INPUTS 4
#define CHECK_MAX_RANK 4

/* What is proven, in the order in which a case looks at it. */
typedef enum {
  CHECK_SURVIVAL,
  CHECK_REFUSAL,
  CHECK_PARAMETERS,
  CHECK_INFER,
  CHECK_INPUTS,
  CHECK_BOUNDS,
  CHECK_COMPLETE,
  CHECK_DETERMINISM,
  CHECK_MEMORY,
  CHECK_POSITION,
  CHECK_STAGES,
  CHECK_IN_PLACE,
  CHECK_ALIASING,
  CHECK_FOLD,
  CHECK_LAYOUT,
  CHECK_ROWS,
  CHECK_FED,
  CHECK_DONE,
  CHECK_THREADS,
  CHECK_SHAPE,
  CHECK_PLAN,
  CHECK_N_FACTS
} CheckFact;

/* facts.c: "in-place", and what it says. */
const char *check_fact_get_name (CheckFact fact);

/* How an axis of a view goes through the array under it. */
typedef enum {
  CHECK_AXIS_PLAIN,
  CHECK_AXIS_ALTERNATE,          /* [::2] */
  CHECK_AXIS_REVERSED,           /* [::-1] */
  CHECK_AXIS_REVERSED_ALTERNATE, /* [::-2] */
  CHECK_AXIS_BROADCAST,          /* one element, again and again */
  CHECK_N_AXIS_FORMS
} CheckAxisForm;

typedef enum {
  CHECK_VALUES_ANY,    /* all that the dtype has: infinities, not-a-numbers, the ends of its range */
  CHECK_VALUES_SMALL,  /* finite, positive, small */
  CHECK_VALUES_MATRIX, /* small; the diagonals of matrices outweigh what is beside them */
  CHECK_VALUES_PLAIN   /* few, in turn: a formula has them */
} CheckValues;

typedef struct
{
  CandelaDType dtype;
  guint rank;
  gint64 dims[CHECK_MAX_RANK];
  guint8 forms[CHECK_MAX_RANK]; /* CheckAxisForm */
  gboolean transposed;          /* of two axes: the first one is next to each other in memory */
  gboolean shifted;             /* begins an element after where memory is aligned: [1:] along the last axis */
} CheckInput;

typedef struct
{
  guint n_inputs;
  CheckInput inputs[CHECK_MAX_INPUTS];
  GVariant *params; /* a{sv}, owned */
  CheckValues values;
  guint64 seed; /* of the values */
} CheckCase;

/* SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
 * 2014). */
guint64 check_random (guint64 *state);
/* From 0 to n - 1. */
guint check_random_below (guint64 *state, guint n);

/* case.c: the n-th try at a case; most tries are refused by ops that are choosy. */
void check_case_init (CheckCase *test, CandelaOp *op, guint64 seed, guint index, guint attempt);
void check_case_clear (CheckCase *test);
void check_case_copy (CheckCase *to, const CheckCase *from);

/* params.c: some that the op may take. */
GVariant *check_make_params (const CandelaOpFacts *facts, const CheckCase *test, guint index, guint64 *state);

/* values.c */
void check_fill (gpointer data, CandelaDType dtype, const gint64 *dims, guint rank, CheckValues values, guint64 seed);
/* Whether two elements are the same: bit for bit, but that any not-a-number is as good as another. */
gboolean check_same_element (CandelaDType dtype, gconstpointer a, gconstpointer b);
/* An element as an expression has it. */
void check_append_element (GString *text, CandelaDType dtype, gconstpointer element);

/* describe.c: the array under an input's view, its layout over it, and both as text. */
CandelaTensor *check_input_make_base (const CheckCase *test, guint input);
CandelaLayout *check_input_make_layout (const CheckInput *input, const CandelaTensor *base);
GVariant *check_case_describe (const CheckCase *test, CandelaOp *op);

/* ---- The child's ---- */

/* What both processes see. */
typedef struct
{
  guint32 index, attempt; /* of the case */
  guint32 beat;           /* goes up with every run of the op */
  guint32 fact;           /* CheckFact: what is being looked at */
  guint32 n_cases;        /* that the op took */
  guint32 n_refused;
  guint64 runs[CHECK_N_FACTS];
  gboolean finished; /* all cases */
  gboolean failed;
  char doing[160];
  char message[700];
} CheckShared;

typedef struct
{
  CandelaOp *op;
  const CandelaOpFacts *facts;
  const CheckCase *test;
  CheckShared *shared;

  CandelaParams *params;
  guint n_inputs;
  CandelaTensor *bases[CHECK_MAX_INPUTS];
  CandelaLayout *views[CHECK_MAX_INPUTS];  /* over the bases */
  guint8 *values[CHECK_MAX_INPUTS];        /* packed */
  CandelaLayout *packed[CHECK_MAX_INPUTS]; /* as they are then */
  CandelaDType dtypes[CHECK_MAX_INPUTS];
  CandelaDType promoted;
  char names[CHECK_MAX_INPUTS][64];
  CandelaInference inference; /* for the packed ones */

  gboolean exact;                        /* the same values give the same bits, whatever the layouts */
  gboolean elementwise;                  /* a loop is called, not a kernel … */
  guint8 *loop_inputs[CHECK_MAX_INPUTS]; /* … with these: converted and broadcast */
  /* What came of the first run: of a loop in its dtypes. What is not computed has the
   * elements of its input. */
  guint8 *expected[CANDELA_MAX_OUTPUTS];
} Check;

/* child.c: ends the child. */
void check_fail (const Check *check, CheckFact fact, const char *format, ...) G_GNUC_PRINTF (3, 4) G_GNUC_NORETURN;
/* Before each run: what it is about, for whoever reads why it did not come back. */
void check_begin (const Check *check, CheckFact fact, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* memory.c: memory between pages that cannot be touched. */
typedef enum {
  CHECK_AT_START, /* begins right behind such a page */
  CHECK_AT_END,   /* ends right before one */
  CHECK_ACROSS    /* the page boundary is in its middle */
} CheckPlacement;

typedef struct
{
  guint8 *pages; /* the guard page before comes first */
  gsize n_bytes; /* of all pages */
  guint8 *data;
  gsize size;
  gboolean output;
  const char *name;
  CandelaDType dtype;
} CheckMemory;

void check_memory_init (CheckMemory *memory, CandelaDType dtype, gsize size, CheckPlacement placement, gsize shift,
                        gboolean output, const char *name);
void check_memory_protect (CheckMemory *memory);
void check_memory_clear (CheckMemory *memory);
/* The first byte outside data that has been written, counted from its first; 0 if none. */
gboolean check_memory_find_stray (const CheckMemory *memory, gssize *at);
void check_memory_watch (const Check *check);
/* The next touch of the page in the middle runs func on another thread first, as far as that
 * gets; TRUE if there is such a page. */
gboolean check_memory_stop_at (CheckMemory *memory, void (*func) (gpointer data), gpointer data);
/* … and sees to it that func has been run. */
void check_memory_end_stop (void);

/* run.c: FALSE if the op does not take the case. */
gboolean check_run_case (CandelaOp *op, const CheckCase *test, CheckShared *shared);

/* Both: names of an op's operands; the buffer has 64 bytes. */
const char *check_input_name (const CandelaOpFacts *facts, guint input, char *buffer);
const char *check_output_name (const CandelaOpFacts *facts, guint output);

/* ---- Calls ---- */

/* What an operand is when the op's function is called. */
typedef struct
{
  const guint8 *data; /* of an input; the buffer from which the layout counts */
  gsize bytes;
  CandelaDType dtype;
  const CandelaLayout *layout; /* of a kernel's */
} CheckOperand;

/* A call of a loop over some elements of packed operands, or of a kernel over whole
 * values. */
typedef struct
{
  Check *check;
  guint n_inputs;
  CheckOperand in[CHECK_MAX_INPUTS], out[CANDELA_MAX_OUTPUTS];
  gboolean computed[CANDELA_MAX_OUTPUTS];
  gsize n; /* elements of a loop */

  /* How it is called, other than in the plainest way; all zero is that. */
  CheckPlacement placement;
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

  CheckMemory inputs[CHECK_MAX_INPUTS], outputs[CANDELA_MAX_OUTPUTS];
  guint8 *results[CANDELA_MAX_OUTPUTS]; /* in one of these */
  guint8 *done[CANDELA_MAX_OUTPUTS];    /* elements of output 0 as they were when they were said to be done; … */
  guint8 *is_done;                      /* … which */
  gboolean ok;
  GError *error;
} CheckCall;

/* call.c: the case's packed operands, and those as the case lays them out. */
void check_call_init (CheckCall *call, Check *check);
/* Puts everything where it belongs; calls; both. */
void check_call_prepare (CheckCall *call);
void check_call_go (CheckCall *call);
void check_call_run (CheckCall *call);
/* Fails if anything was written where it should not be. */
void check_call_verify (CheckCall *call);
void check_call_clear (CheckCall *call);
/* All of that, and the results against those of the first run. */
void check_call_compare (CheckCall *call, CheckFact fact, const char *what);
/* common.c: what loops and kernels have in common. FALSE: the op refuses these values. */
gboolean check_common (Check *check);
/* together.c: two calls at once. */
void check_together (Check *check);
/* run.c: infer, for these layouts. */
gboolean check_run_infer (const Check *check, CandelaInference *inference, CandelaLayout *const *layouts,
                          GError **error);

/* stages.c: those of the row that was chosen. */
void check_stages (Check *check);
/* kernel.c */
void check_kernel (Check *check);
/* lanes.c: some rows, or columns, by themselves; an input that is fed. */
void check_lanes (Check *check);
/* now.c: of an op that says its shapes while it runs. FALSE: it refuses these values. */
gboolean check_data_shape (Check *check);
/* graph.c: through plans. */
void check_graph (Check *check);
/* refusal.c: what is wrong is an error. */
void check_refusals (Check *check);

/* run.c */
void check_error (const Check *check, CheckFact fact, const GError *error);
void check_compare (const Check *check, CheckFact fact, guint output, const CandelaLayout *layout, CandelaDType dtype,
                    const guint8 *expected, const guint8 *got, gint64 n);

/* ---- The watcher's ---- */

/* child.c: runs cases from one on in a child, or the one that is given. FALSE: a fact does
 * not hold; the rest is in shared. limit: seconds without a beat. */
gboolean check_watch (CandelaOp *op, const CheckCase *only, guint64 seed, guint first, guint n, guint limit,
                      CheckShared *shared, GCancellable *cancellable);

/* shrink.c: makes a case that fails as small as it goes. */
void check_shrink (CandelaOp *op, CheckCase *test, CheckShared *shared, guint limit, GCancellable *cancellable);

G_END_DECLS
