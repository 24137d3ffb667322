/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stages against the loop beside them: as the engine puts them in a row, one op between
 * what loads and what stores the accumulator, in each way in which it can have its operands.
 * The arrays are the case's, again and again, until they fill whole blocks. */
#include <candela/check/stages-private.h>
#include <string.h>

#define EVERYWHERE G_MAXSIZE

#define emit candela_check_stages_emit
#define compare candela_check_stages_compare
#define expect candela_check_stages_expect

CandelaStage *
candela_check_stages_emit (CandelaStageCheck *stage, CandelaStageFunc func, gconstpointer data, const guint8 *scalar)
{
  CandelaStage *next = &stage->row[stage->n_row++];

  *next = (CandelaStage){ .func = func, .data = data, .mask = EVERYWHERE };
  if (scalar != NULL)
    memcpy (&next->scalar, scalar, stage->size);
  return next;
}

void
candela_check_stages_compare (CandelaStageCheck *stage, CandelaStageFunc store, const char *what)
{
  const CandelaInference *inference = &stage->check->inference;
  g_autoptr (CandelaLayout) shape = candela_layout_new ((const gint64[]){ (gint64) stage->n }, 1, NULL);
  gssize at;

  emit (stage, store, stage->out.data, NULL);
  emit (stage, stage->family->end, NULL, NULL);
  memset (stage->out.data, 0xa5, stage->bytes);
  candela_check_begin (stage->check, CANDELA_CHECK_STAGES, "stages, %s", what);
  if (stage->n_rows > 0)
    stage->family->run_rows (stage->row, stage->bytes / stage->n_rows, stage->n_rows, stage->moves, stage->n_moves);
  else
    stage->family->run (stage->row, stage->bytes);
  stage->n_row = 0;
  stage->n_moves = 0;
  if (candela_check_memory_find_stray (&stage->out, &at))
    candela_check_fail (stage->check, CANDELA_CHECK_BOUNDS, "its stages wrote outside their output");
  candela_check_compare (stage->check, CANDELA_CHECK_STAGES, 0, shape, inference->kernel->out[0], stage->expected,
                         stage->out.data, (gint64) stage->n);
}

void
candela_check_stages_expect (CandelaStageCheck *stage, gconstpointer first, gconstpointer second)
{
  const CandelaKernelInfo *row = stage->check->inference.kernel;

  row->loop ((gpointer[]){ stage->expected }, (gconstpointer[]){ first, second }, stage->n, stage->check->params);
}

static void
check_unary (CandelaStageCheck *stage)
{
  expect (stage, stage->in[0].data, NULL);
  emit (stage, stage->family->load, stage->in[0].data, NULL);
  emit (stage, stage->stages->unary, NULL, NULL);
  compare (stage, stage->family->store, "of a value in memory");
  if (stage->family->stream == NULL)
    return;
  emit (stage, stage->family->load, stage->in[0].data, NULL);
  emit (stage, stage->stages->unary, NULL, NULL);
  compare (stage, stage->family->stream, "stored past the caches");
}

static void
check_kept (CandelaStageCheck *stage)
{
  const CandelaStages *stages = stage->stages;

  for (guint k = 0; k < CANDELA_MAX_KEPT && stages->preserves && stage->family->keep[k] != NULL; k++)
    for (guint second = 0; second < 2; second++)
      {
        emit (stage, stage->family->load, stage->in[1 - second].data, NULL);
        emit (stage, stage->family->keep[k], NULL, NULL);
        emit (stage, stage->family->load, stage->in[second].data, NULL);
        emit (stage, second == 0 ? stages->acc_kept[k] : stages->kept_acc[k], NULL, NULL);
        compare (stage, stage->family->store, second == 0 ? "with what is kept, second" : "with what is kept, first");
      }
}

/* What is kept is still there after an op, in each way in which it has its operands. */
static void
check_preserved (CandelaStageCheck *stage)
{
  const CandelaStages *stages = stage->stages;
  const CandelaStageFamily *family = stage->family;
  guint8 *other = stage->in[stage->check->n_inputs - 1].data;

  for (guint k = 0; k < CANDELA_MAX_KEPT && stages->preserves && family->keep[k] != NULL; k++)
    {
      const CandelaStageFunc funcs[] = { stages->unary,      stages->acc_memory, stages->memory_acc,
                                         stages->acc_scalar, stages->scalar_acc, stages->acc_kept[k],
                                         stages->kept_acc[k] };

      memcpy (stage->expected, stage->in[0].data, stage->bytes);
      for (guint f = 0; f < G_N_ELEMENTS (funcs); f++)
        {
          if (funcs[f] == NULL)
            continue;
          emit (stage, family->load, stage->in[0].data, NULL);
          emit (stage, family->keep[k], NULL, NULL);
          emit (stage, funcs[f], other, other);
          emit (stage, family->recall[k], NULL, NULL);
          compare (stage, family->store, "what is kept");
        }
    }
}

static void
check_scalars (CandelaStageCheck *stage)
{
  g_autofree guint8 *same = g_malloc (stage->bytes);

  for (guint i = 0; i < 2; i++)
    {
      for (gsize k = 0; k < stage->n; k++)
        memcpy (same + k * stage->size, stage->in[i].data, stage->size);
      expect (stage, i == 0 ? same : stage->in[0].data, i == 0 ? stage->in[1].data : same);
      emit (stage, stage->family->load, stage->in[1 - i].data, NULL);
      emit (stage, i == 0 ? stage->stages->scalar_acc : stage->stages->acc_scalar, NULL, stage->in[i].data);
      compare (stage, stage->family->store, i == 0 ? "with a scalar first" : "with a scalar second");
    }
}

static void
check_binary (CandelaStageCheck *stage)
{
  expect (stage, stage->in[0].data, stage->in[1].data);
  emit (stage, stage->family->load, stage->in[0].data, NULL);
  emit (stage, stage->stages->acc_memory, stage->in[1].data, NULL);
  compare (stage, stage->family->store, "with the second input in memory");
  emit (stage, stage->family->load, stage->in[1].data, NULL);
  emit (stage, stage->stages->memory_acc, stage->in[0].data, NULL);
  compare (stage, stage->family->store, "with the first input in memory");
  check_kept (stage);
  check_scalars (stage);
}

static void
fill_input (CandelaStageCheck *stage, guint i)
{
  gsize n = (gsize) stage->check->inference.out_layouts[0]->n_elements;

  candela_check_memory_init (&stage->in[i], stage->check->inference.kernel->in[i], stage->bytes, CANDELA_CHECK_AT_START,
                             0, FALSE, stage->check->names[i]);
  for (gsize k = 0; k < stage->n; k++)
    memcpy (stage->in[i].data + k * stage->size, stage->check->loop_inputs[i] + k % n * stage->size, stage->size);
  candela_check_memory_protect (&stage->in[i]);
}

void
candela_check_stages (CandelaCheck *check)
{
  const CandelaKernelInfo *row = check->inference.kernel;
  CandelaStageCheck stage = { .check = check, .stages = row->stages };

  if (row->loop == NULL || row->stages == NULL || check->n_inputs > 2)
    return;
  stage.family = row->stages->family;
  stage.size = candela_dtype_get_size (row->out[0]);
  stage.bytes = CANDELA_CHECK_BLOCKS * stage.family->block;
  stage.n = stage.bytes / stage.size;
  stage.expected = g_malloc (stage.bytes);
  for (guint i = 0; i < check->n_inputs; i++)
    fill_input (&stage, i);
  candela_check_memory_init (&stage.out, row->out[0], stage.bytes, CANDELA_CHECK_AT_START, 0, TRUE, "out");
  if (check->n_inputs == 1)
    check_unary (&stage);
  else
    check_binary (&stage);
  check_preserved (&stage);
  candela_check_stage_family (&stage);
  for (guint i = 0; i < check->n_inputs; i++)
    candela_check_memory_clear (&stage.in[i]);
  candela_check_memory_clear (&stage.out);
  g_free (stage.expected);
}
