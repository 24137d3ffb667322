/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a family of stages may have beside what every row needs: a block that is written and read
 * again and again, every other element, reading ahead, and rows with numbers and places of
 * their own. */
#include <candela/check/stages-private.h>
#include <string.h>

#define emit candela_check_stages_emit
#define compare candela_check_stages_compare

/* The op, with its first input in the accumulator and all others in memory. */
static CandelaStage *
emit_op (CandelaStageCheck *stage)
{
  if (stage->check->n_inputs == 1)
    return emit (stage, stage->stages->unary, NULL, NULL);
  return emit (stage, stage->stages->acc_memory, stage->in[1].data, NULL);
}

static gconstpointer
second_input (const CandelaStageCheck *stage)
{
  return stage->check->n_inputs == 2 ? stage->in[1].data : NULL;
}

static void
check_ahead (CandelaStageCheck *stage)
{
  if (stage->family->ahead == NULL)
    return;
  emit (stage, stage->family->ahead, stage->in[0].data, NULL);
  emit (stage, stage->family->load, stage->in[0].data, NULL);
  emit_op (stage);
  compare (stage, stage->family->store, "with an input read ahead");
}

/* Through memory of one block, which is at the same place for each, and anywhere. */
static void
check_one_block (CandelaStageCheck *stage)
{
  CandelaCheckMemory block;
  gssize at;

  candela_check_memory_init (&block, stage->out.dtype, stage->family->block, CANDELA_CHECK_AT_START, stage->size, TRUE,
                             "block");
  emit (stage, stage->family->load, stage->in[0].data, NULL);
  emit (stage, stage->family->store, block.data, NULL)->mask = 0;
  emit (stage, stage->family->load, stage->in[stage->check->n_inputs - 1].data, NULL);
  emit (stage, stage->family->load, block.data, NULL)->mask = 0;
  emit_op (stage);
  compare (stage, stage->family->store, "over one block of memory, again and again");
  if (candela_check_memory_find_stray (&block, &at))
    candela_check_fail (stage->check, CANDELA_CHECK_BOUNDS, "its stages wrote outside one block of memory");
  candela_check_memory_clear (&block);
}

/* The last element that is read is the last one that there is. */
static void
check_alternate (CandelaStageCheck *stage)
{
  CandelaStageFunc load = stage->family->load_alternate[g_bit_nth_lsf (stage->size, -1)];
  gsize bytes = 2 * stage->bytes - stage->size;
  CandelaCheckMemory spread;

  if (load == NULL)
    return;
  candela_check_memory_init (&spread, stage->in[0].dtype, bytes, CANDELA_CHECK_AT_END, 0, FALSE, stage->in[0].name);
  memset (spread.data, 0x5a, bytes);
  for (gsize k = 0; k < stage->n; k++)
    memcpy (spread.data + 2 * k * stage->size, stage->in[0].data + k * stage->size, stage->size);
  candela_check_memory_protect (&spread);
  emit (stage, load, spread.data, NULL);
  emit_op (stage);
  compare (stage, stage->family->store, "of every other element");
  candela_check_memory_clear (&spread);
}

/* ---- Rows ---- */

/* Before each row this stage has what lies there; the next row's is so many bytes on. */
static void
move (CandelaStageCheck *stage, CandelaStage *of, gconstpointer data, gssize step, gsize size)
{
  stage->moves[stage->n_moves++] = (CandelaStageMove){ .stage = of, .data = data, .step = step, .size = size };
}

/* Of the last row first, and so on: an operand's place is told beside the offset, which goes on. */
static void
check_rows_reversed (CandelaStageCheck *stage)
{
  gsize row_bytes = stage->bytes / stage->n_rows;
  g_autofree guint8 *reversed = g_malloc (stage->bytes);

  for (gsize r = 0; r < stage->n_rows; r++)
    memcpy (reversed + r * row_bytes, stage->in[0].data + (stage->n_rows - 1 - r) * row_bytes, row_bytes);
  candela_check_stages_expect (stage, reversed, second_input (stage));
  move (stage, emit (stage, stage->family->load, stage->in[0].data, NULL), stage->in[0].data + stage->bytes - row_bytes,
        -2 * (gssize) row_bytes, 0);
  emit_op (stage);
  compare (stage, stage->family->store, "in rows, one input's from the last to the first");
}

/* A number for each row, which are next to each other, and the last one of memory. */
static void
check_rows_numbers (CandelaStageCheck *stage)
{
  gsize per_row = stage->n / stage->n_rows;
  g_autofree guint8 *spread = g_malloc (stage->bytes);
  CandelaCheckMemory numbers;

  candela_check_memory_init (&numbers, stage->in[1].dtype, stage->n_rows * stage->size, CANDELA_CHECK_AT_END, 0, FALSE,
                             stage->in[1].name);
  memcpy (numbers.data, stage->in[1].data, numbers.size);
  candela_check_memory_protect (&numbers);
  for (gsize k = 0; k < stage->n; k++)
    memcpy (spread + k * stage->size, numbers.data + k / per_row * stage->size, stage->size);
  candela_check_stages_expect (stage, stage->in[0].data, spread);
  emit (stage, stage->family->load, stage->in[0].data, NULL);
  move (stage, emit (stage, stage->stages->acc_scalar, NULL, numbers.data), numbers.data, (gssize) stage->size,
        stage->size);
  compare (stage, stage->family->store, "in rows, each with a number as second input");
  candela_check_memory_clear (&numbers);
}

static void
check_rows (CandelaStageCheck *stage)
{
  for (stage->n_rows = 1; stage->n_rows <= CANDELA_CHECK_BLOCKS; stage->n_rows *= 2)
    {
      candela_check_stages_expect (stage, stage->in[0].data, second_input (stage));
      emit (stage, stage->family->load, stage->in[0].data, NULL);
      emit_op (stage);
      compare (stage, stage->family->store, "in rows");
      check_rows_reversed (stage);
      if (stage->check->n_inputs == 2)
        check_rows_numbers (stage);
    }
  stage->n_rows = 0;
}

void
candela_check_stage_family (CandelaStageCheck *stage)
{
  candela_check_stages_expect (stage, stage->in[0].data, second_input (stage));
  check_ahead (stage);
  check_one_block (stage);
  check_alternate (stage);
  if (stage->family->run_rows != NULL)
    check_rows (stage);
}
