/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stages that lie, and families of them. Their accumulator is a buffer. */
#include "liars.h"

#include <string.h>

#define BLOCK 64
#define N (BLOCK / sizeof (double))

typedef void (*Step) (const CandelaStage *stage, gsize offset, double *acc);

#define NEXT(stage, offset, acc) ((Step) (stage)[1].func) ((stage) + 1, offset, acc)
#define AT(stage, offset) ((guint8 *) (stage)->data + ((offset) & (stage)->mask))
#define STAGE(name) static void name (const CandelaStage *stage, gsize offset, double *acc)

STAGE (load)
{
  memcpy (acc, AT (stage, offset), BLOCK);
  NEXT (stage, offset, acc);
}

STAGE (store)
{
  memcpy (AT (stage, offset), acc, BLOCK);
  NEXT (stage, offset, acc);
}

STAGE (end)
{
}

STAGE (ahead)
{
  NEXT (stage, offset, acc);
}

STAGE (alternate)
{
  for (gsize i = 0; i < N; i++)
    memcpy (acc + i, (const guint8 *) stage->data + 2 * (offset & stage->mask) + 2 * i * sizeof *acc, sizeof *acc);
  NEXT (stage, offset, acc);
}

STAGE (twice)
{
  for (gsize i = 0; i < N; i++)
    acc[i] *= 2;
  NEXT (stage, offset, acc);
}

STAGE (plus_memory)
{
  double other[N];

  memcpy (other, AT (stage, offset), BLOCK);
  for (gsize i = 0; i < N; i++)
    acc[i] += other[i];
  NEXT (stage, offset, acc);
}

STAGE (plus_scalar)
{
  double scalar;

  memcpy (&scalar, &stage->scalar, sizeof scalar);
  for (gsize i = 0; i < N; i++)
    acc[i] += scalar;
  NEXT (stage, offset, acc);
}

static void
run_from (const CandelaStage *stages, gsize offset, gsize end)
{
  double acc[N];

  for (; offset < end; offset += BLOCK)
    ((Step) stages[0].func) (stages, offset, acc);
}

static void
run (const CandelaStage *stages, gsize size)
{
  run_from (stages, 0, size);
}

static void
make_moves (CandelaStageMove *moves, gsize n_moves, gboolean again)
{
  for (gsize k = 0; k < n_moves; k++)
    {
      if (moves[k].size == 0)
        moves[k].stage->data = moves[k].data;
      else
        memcpy (&moves[k].stage->scalar, moves[k].data, moves[k].size);
      if (again)
        moves[k].data = (const guint8 *) moves[k].data + moves[k].step;
    }
}

static void
run_rows (const CandelaStage *stages, gsize size, gsize n_rows, CandelaStageMove *moves, gsize n_moves)
{
  for (gsize row = 0; row < n_rows; row++)
    {
      make_moves (moves, n_moves, TRUE);
      run_from (stages, row * size, (row + 1) * size);
    }
}

/* ---- Lies ---- */

STAGE (thrice)
{
  for (gsize i = 0; i < N; i++)
    acc[i] *= 3;
  NEXT (stage, offset, acc);
}

STAGE (store_on)
{
  memcpy ((guint8 *) stage->data + offset, acc, BLOCK);
  NEXT (stage, offset, acc);
}

STAGE (ahead_of_itself)
{
  NEXT (stage + 1, offset, acc);
}

STAGE (alternate_pairs)
{
  double pairs[2 * N];

  memcpy (pairs, (const guint8 *) stage->data + 2 * (offset & stage->mask), sizeof pairs);
  for (gsize i = 0; i < N; i++)
    acc[i] = pairs[2 * i];
  NEXT (stage, offset, acc);
}

/* Where operands are is known to this one. */
static void
run_rows_unmoved (const CandelaStage *stages, gsize size, gsize n_rows, CandelaStageMove *moves, gsize n_moves)
{
  run_from (stages, 0, n_rows * size);
}

/* The moves do not go on. */
static void
run_rows_alike (const CandelaStage *stages, gsize size, gsize n_rows, CandelaStageMove *moves, gsize n_moves)
{
  for (gsize row = 0; row < n_rows; row++)
    {
      make_moves (moves, n_moves, moves->size == 0);
      run_from (stages, row * size, (row + 1) * size);
    }
}

/* The offset does not. */
static void
run_rows_anew (const CandelaStage *stages, gsize size, gsize n_rows, CandelaStageMove *moves, gsize n_moves)
{
  for (gsize row = 0; row < n_rows; row++)
    {
      make_moves (moves, n_moves, TRUE);
      run_from (stages, 0, size);
    }
}

LOOP_FUNC (doubles)
{
  for (gsize i = 0; i < n; i++)
    ((double *) out[0])[i] = ((const double *) in[0])[i] * 2;
}

LOOP_FUNC (adds)
{
  for (gsize i = 0; i < n; i++)
    ((double *) out[0])[i] = ((const double *) in[0])[i] + ((const double *) in[1])[i];
}

static const CandelaInputInfo two_inputs[] = {
  { .name = "x1", .kinds = CANDELA_DTYPE_KIND_FLOAT, .summary = "an operand" },
  { .name = "x2", .kinds = CANDELA_DTYPE_KIND_FLOAT, .summary = "the other" },
  { NULL },
};

#define FUNC(func) ((CandelaStageFunc) (func))

/* A family that is right, but for what is said. */
#define FAMILY(op, its_store, its_ahead, its_alternate, its_rows)                                                      \
  static const CandelaStageFamily op##_family = { .block = BLOCK,                                                      \
                                                  .run = run,                                                          \
                                                  .load = FUNC (load),                                                 \
                                                  .store = FUNC (its_store),                                           \
                                                  .end = FUNC (end),                                                   \
                                                  .load_alternate = { NULL, NULL, NULL, FUNC (its_alternate) },        \
                                                  .run_rows = its_rows,                                                \
                                                  .ahead = FUNC (its_ahead) };

#define UNARY(op, stage)                                                                                               \
  static const CandelaStages op##_stages = { .family = &op##_family, .unary = FUNC (stage) };                          \
  static const CandelaKernelInfo op##_kernels[] = {                                                                    \
    { { CANDELA_DTYPE_FLOAT64 }, { CANDELA_DTYPE_FLOAT64 }, .loop = doubles, .stages = &op##_stages },                 \
    { .loop = NULL },                                                                                                  \
  };                                                                                                                   \
  OP (op, op##_kernels, .axes = CANDELA_AXES_ELEMENTWISE);

FAMILY (loop_or_stages, store, ahead, alternate, run_rows)
UNARY (loop_or_stages, thrice)
FAMILY (family_without_mask, store_on, ahead, alternate, run_rows)
UNARY (family_without_mask, twice)
FAMILY (family_ahead_of_itself, store, ahead_of_itself, alternate, run_rows)
UNARY (family_ahead_of_itself, twice)
FAMILY (family_reads_pairs, store, ahead, alternate_pairs, run_rows)
UNARY (family_reads_pairs, twice)
FAMILY (family_of_unmoved_rows, store, ahead, alternate, run_rows_unmoved)
UNARY (family_of_unmoved_rows, twice)
FAMILY (family_of_first_rows, store, ahead, alternate, run_rows_anew)
UNARY (family_of_first_rows, twice)

FAMILY (family_of_one_number, store, ahead, alternate, run_rows_alike)
static const CandelaStages one_number_stages = {
  .family = &family_of_one_number_family,
  .acc_memory = FUNC (plus_memory),
  .memory_acc = FUNC (plus_memory),
  .acc_scalar = FUNC (plus_scalar),
  .scalar_acc = FUNC (plus_scalar),
};
static const CandelaKernelInfo one_number_kernels[] = {
  { { CANDELA_DTYPE_FLOAT64, CANDELA_DTYPE_FLOAT64 },
    { CANDELA_DTYPE_FLOAT64 },
    .loop = adds,
    .stages = &one_number_stages },
  { .loop = NULL },
};
static const CandelaOpInfo family_of_one_number_info = { .struct_size = sizeof (CandelaOpInfo),
                                                         .name = "family_of_one_number",
                                                         .summary = "A lie",
                                                         .since = "1.0",
                                                         .inputs = two_inputs,
                                                         .axes = CANDELA_AXES_ELEMENTWISE,
                                                         .kernels = one_number_kernels };

const CandelaOpInfo *const lying_stages[] = {
  &loop_or_stages_info,         &family_without_mask_info,  &family_ahead_of_itself_info, &family_reads_pairs_info,
  &family_of_unmoved_rows_info, &family_of_first_rows_info, &family_of_one_number_info,   NULL,
};
