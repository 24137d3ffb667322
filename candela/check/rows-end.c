/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A reduction that takes rows as stages make them against its function that takes them as they lie: the
 * case's array, again and again, in rows of whole blocks. */
#include <candela/check/stages-private.h>
#include <candela/op/elementwise.h>
#include <string.h>

#define N_ROWS 3
/* More blocks than any sum takes in one go. */
#define BLOCKS 33

typedef struct
{
  CandelaCheck *check;
  const CandelaRowsEnd *end;
  gsize size, n; /* of an element; elements of a row */
  CandelaCheckMemory in, out;
  guint8 *expected;
} Rows;

static void
take (Rows *rows, CandelaMadeRows *made)
{
  const CandelaStage stages[] = { { .func = rows->end->family->load, .data = rows->in.data, .mask = G_MAXSIZE },
                                  { .func = rows->end->end, .data = made } };
  g_autoptr (CandelaLayout) shape = candela_layout_new ((const gint64[]){ N_ROWS }, 1, NULL);
  gssize at;

  memset (rows->out.data, 0xa5, N_ROWS * candela_dtype_get_size (rows->end->out));
  made->out = rows->out.data;
  made->size = rows->n * rows->size;
  made->n = rows->n;
  made->params = rows->check->params;
  made->again = FALSE;
  candela_check_begin (rows->check, CANDELA_CHECK_ROWS, "rows of %" G_GSIZE_FORMAT " as stages make them", rows->n);
  rows->end->begin (made);
  rows->end->family->run_rows (stages, made->size, N_ROWS, NULL, 0);
  if (candela_check_memory_find_stray (&rows->out, &at))
    candela_check_fail (rows->check, CANDELA_CHECK_BOUNDS, "what ends its rows wrote outside its output");
  if (!made->again)
    candela_check_compare (rows->check, CANDELA_CHECK_ROWS, 0, shape, rows->end->out, rows->expected, rows->out.data,
                           N_ROWS);
}

static void
check_end (CandelaCheck *check, const CandelaRowsEnd *end, gsize blocks)
{
  Rows rows = { .check = check, .end = end, .size = candela_dtype_get_size (end->in) };
  gsize n = (gsize) check->packed[0]->n_elements, bytes = N_ROWS * blocks * end->family->block;
  CandelaMadeRows made __attribute__ ((aligned (64)));

  rows.n = blocks * end->family->block / rows.size;
  rows.expected = g_malloc (N_ROWS * candela_dtype_get_size (end->out));
  candela_check_memory_init (&rows.in, end->in, bytes, CANDELA_CHECK_AT_START, 0, FALSE, check->names[0]);
  for (gsize k = 0; k < bytes / rows.size; k++)
    memcpy (rows.in.data + k * rows.size, (const guint8 *) check->values[0] + k % n * rows.size, rows.size);
  candela_check_memory_protect (&rows.in);
  candela_check_memory_init (&rows.out, end->out, N_ROWS * candela_dtype_get_size (end->out), CANDELA_CHECK_AT_END, 0,
                             TRUE, candela_check_output_name (check->facts, 0));
  check->inference.kernel->rows ((gpointer[]){ rows.expected }, rows.in.data, (gint64) rows.n, N_ROWS, rows.n,
                                 check->params);
  memset (&made, 0xa5, sizeof made);
  take (&rows, &made);
  take (&rows, &made);
  candela_check_memory_clear (&rows.in);
  candela_check_memory_clear (&rows.out);
  g_free (rows.expected);
}

/* Whether the processor has the instructions, as far as the library knows the family. */
static gboolean
can_run (const CandelaStageFamily *family)
{
#ifdef __x86_64__
  const CandelaInstructionSet set = candela_get_instruction_set ();

  return (family != &candela_stage_family_avx2 || set >= CANDELA_INSTRUCTION_SET_AVX2)
         && (family != &candela_stage_family_avx512 || set >= CANDELA_INSTRUCTION_SET_AVX512);
#else
  return TRUE;
#endif
}

void
candela_check_rows_ends (CandelaCheck *check)
{
  const CandelaKernelInfo *row = check->inference.kernel;
  const CandelaRowsEnd *end;

  for (end = check->facts->info->rows_ends; end != NULL && end->family != NULL; end++)
    if (end->in == row->in[0] && end->out == row->out[0] && can_run (end->family))
      {
        check_end (check, end, 1);
        check_end (check, end, BLOCKS);
      }
}
