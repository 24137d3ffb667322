/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Running a plan on paper: which value lies in which slot after each step. No step
 * may read a slot that was freed, or that something else was written into since. */
#pragma once

#include <candela/candela.h>
#include <candela/plan/plan-private.h>
#include <string.h>

typedef struct
{
  const CandelaPlan *plan;
  guint32 *writer;  /* of each value: the one whose elements it reads; NONE: not made yet */
  guint32 *content; /* of each slot: the value that was written last; NONE: none */
  guint8 *live;     /* of each slot */
  guint8 *freed;
  guint64 held, peak;
} Paper;

static inline void
paper_free_slot (Paper *paper, guint32 slot, guint32 s)
{
  g_assert_true (paper->live[slot]);
  g_assert_cmpuint (paper->plan->slots[slot].end, ==, s);
  paper->live[slot] = FALSE;
  paper->freed[slot] = TRUE;
  paper->content[slot] = CANDELA_PLAN_NONE;
  paper->held -= paper->plan->slots[slot].bytes;
}

static inline void
paper_read (const Paper *paper, guint32 v)
{
  const CandelaPlanValue *value = &paper->plan->values[v];
  gint64 first, end;

  if (value->storage != CANDELA_STORAGE_SLOT)
    return;
  g_assert_cmpuint (value->source, <, paper->plan->n_slots);
  g_assert_cmpuint (paper->writer[v], !=, CANDELA_PLAN_NONE);
  g_assert_true (paper->live[value->source]);
  g_assert_cmpuint (paper->content[value->source], ==, paper->writer[v]);
  candela_layout_get_extent (value->layout, &first, &end);
  g_assert_cmpint (first, >=, 0);
  g_assert_cmpuint ((gsize) end * candela_dtype_get_size (value->dtype), <=, paper->plan->slots[value->source].bytes);
}

static inline guint32
paper_input (const Paper *paper, const CandelaPlanStep *step, guint32 i)
{
  return paper->plan->inputs[step->first_input + i];
}

/* What a step writes is packed, so an index is at the same place if this is too. */
static inline gboolean
paper_same_addresses (const CandelaLayout *read, const CandelaLayout *written)
{
  return read->contiguous && written->contiguous && read->offset == written->offset
         && read->n_elements == written->n_elements;
}

static inline void
paper_check_in_place (const Paper *paper, const CandelaPlanStep *step, const CandelaPlanOutput *output)
{
  const CandelaPlanValue *value = &paper->plan->values[output->value];
  const CandelaPlanValue *over;

  g_assert_cmpint (paper->plan->flags & CANDELA_PLAN_NO_IN_PLACE, ==, 0);
  g_assert_cmpuint (output->input, <, step->n_inputs);
  over = &paper->plan->values[paper_input (paper, step, output->input)];
  g_assert_cmpint (over->storage, ==, CANDELA_STORAGE_SLOT);
  g_assert_cmpuint (over->source, ==, value->source);
  g_assert_cmpuint (candela_dtype_get_size (over->dtype), ==, candela_dtype_get_size (value->dtype));
  g_assert_true (paper_same_addresses (over->layout, value->layout));
  for (guint32 i = 0; i < step->n_inputs; i++)
    {
      const CandelaPlanValue *other = &paper->plan->values[paper_input (paper, step, i)];

      if (other->storage == CANDELA_STORAGE_SLOT && other->source == value->source)
        g_assert_true (paper_same_addresses (other->layout, value->layout));
    }
}

static inline void
paper_write (Paper *paper, guint32 s, const CandelaPlanOutput *output)
{
  const CandelaPlanStep *step = &paper->plan->steps[s];
  const CandelaPlanValue *value = &paper->plan->values[output->value];
  guint32 slot = value->source;

  switch ((CandelaOutputKind) output->kind)
    {
    case CANDELA_OUTPUT_REFERENCE_SLOT:
      g_assert_cmpint (value->storage, ==, CANDELA_STORAGE_SLOT);
      g_assert_cmpuint (output->input, <, step->n_inputs);
      g_assert_cmpuint (paper->plan->values[paper_input (paper, step, output->input)].source, ==, slot);
      paper->writer[output->value] = paper->writer[paper_input (paper, step, output->input)];
      return;
    case CANDELA_OUTPUT_REFERENCE_ETERNAL:
      g_assert_cmpint (value->storage, !=, CANDELA_STORAGE_SLOT);
      return;
    case CANDELA_OUTPUT_ALLOCATE:
      g_assert_false (paper->live[slot] || paper->freed[slot]);
      g_assert_cmpuint (paper->plan->slots[slot].start, ==, s);
      paper->live[slot] = TRUE;
      paper->held += paper->plan->slots[slot].bytes;
      break;
    case CANDELA_OUTPUT_REUSE:
      g_assert_cmpint (paper->plan->flags & CANDELA_PLAN_NO_REUSE, ==, 0);
      g_assert_true (paper->live[slot]);
      for (guint32 i = 0; i < step->n_inputs; i++)
        g_assert_true (paper->plan->values[paper_input (paper, step, i)].storage != CANDELA_STORAGE_SLOT
                       || paper->plan->values[paper_input (paper, step, i)].source != slot);
      break;
    case CANDELA_OUTPUT_IN_PLACE:
      paper_check_in_place (paper, step, output);
      break;
    }
  g_assert_cmpint (value->storage, ==, CANDELA_STORAGE_SLOT);
  g_assert_cmpuint ((gsize) value->layout->n_elements * candela_dtype_get_size (value->dtype), <=,
                    paper->plan->slots[slot].bytes);
  for (guint32 o = step->first_output; &paper->plan->outputs[o] != output; o++)
    g_assert_true (paper->plan->values[paper->plan->outputs[o].value].storage != CANDELA_STORAGE_SLOT
                   || paper->plan->values[paper->plan->outputs[o].value].source != slot);
  paper->writer[output->value] = output->value;
  paper->content[slot] = output->value;
}

/* Within a fused step: no part reads a register or an output that no part has
 * written, and each output of the step is written once. */
static inline void
paper_check_registers (const CandelaPlan *plan, const CandelaPlanStep *step)
{
  guint32 n = step->n_inputs + step->n_registers;
  g_autofree guint8 *written = g_new0 (guint8, n + 1);
  gboolean outputs[CANDELA_MAX_OUTPUTS] = { FALSE };

  g_assert_cmpuint (step->n_outputs, <=, CANDELA_MAX_OUTPUTS);
  memset (written, TRUE, step->n_inputs);
  for (guint32 p = 0; p < step->n_parts; p++)
    {
      const CandelaPlanPart *part = &plan->parts[step->first_part + p];
      const guint32 *operands = candela_plan_part_operands (plan, part);

      for (guint32 i = 0; i < part->node->n_inputs; i++)
        if ((operands[i] & CANDELA_PART_OUTPUT) != 0)
          g_assert_true (outputs[operands[i] & ~CANDELA_PART_OUTPUT]);
        else
          g_assert_true (operands[i] < n && written[operands[i]]);
      for (guint o = 0; o < part->node->n_outputs; o++)
        {
          guint32 out = operands[part->node->n_inputs + o];

          if ((out & CANDELA_PART_OUTPUT) == 0)
            {
              g_assert_true (p + 1 < step->n_parts && out >= step->n_inputs && out < n);
              written[out] = TRUE;
              continue;
            }
          out &= ~CANDELA_PART_OUTPUT;
          g_assert_true (out < step->n_outputs && !outputs[out]);
          g_assert_cmpuint (plan->outputs[step->first_output + out].part, ==, p);
          outputs[out] = TRUE;
        }
    }
  for (guint32 o = 0; o < step->n_outputs; o++)
    g_assert_true (outputs[o]);
}

/* Steps that run together read what is outside the step, or made before by another of
 * them; and what they make is a result of the step, or a local. */
static inline void
paper_check_rows (const CandelaPlan *plan, const CandelaPlanStep *step)
{
  const CandelaPlanGroup *group = &plan->groups[step->group];
  const gint64 n_lanes = group->n_rows * group->n_columns;
  g_autoptr (GHashTable) there = g_hash_table_new (NULL, NULL);
  guint32 n_results = 0, n_locals = 0;

  g_assert_cmpuint (group->n_subs, >, 1);
  for (guint32 i = 0; i < step->n_inputs; i++)
    g_hash_table_add (there, GUINT_TO_POINTER (plan->inputs[step->first_input + i] + 1));
  for (guint32 k = 0; k < group->n_subs; k++)
    {
      const CandelaPlanStep *sub = &plan->subs[group->first_sub + k];

      g_assert_true (sub->kind == CANDELA_STEP_FUSED || sub->kind == CANDELA_STEP_KERNEL);
      if (sub->kind == CANDELA_STEP_FUSED)
        paper_check_registers (plan, sub);
      for (guint32 i = 0; i < sub->n_inputs; i++)
        {
          guint32 v = plan->inputs[sub->first_input + i];

          /* A view of a local or of a result is not listed by itself. */
          if (plan->values[v].storage == CANDELA_STORAGE_LOCAL)
            g_assert_cmpuint (plan->values[v].source, <, n_locals);
          else if (!g_hash_table_contains (there, GUINT_TO_POINTER (v + 1)))
            g_assert_true (g_hash_table_contains (there, GUINT_TO_POINTER (G_MAXUINT32 - plan->values[v].source)));
        }
      for (guint32 o = 0; o < sub->n_outputs; o++)
        {
          guint32 v = plan->outputs[sub->first_output + o].value;
          const CandelaPlanValue *value = &plan->values[v];

          g_assert_cmpint (value->layout->n_elements % n_lanes, ==, 0);
          if (value->storage == CANDELA_STORAGE_LOCAL)
            {
              g_assert_cmpuint (value->source, ==, n_locals++);
              g_assert_cmpuint (plan->local_bytes[group->first_local + value->source] * n_lanes, ==,
                                value->layout->n_elements * candela_dtype_get_size (value->dtype));
              continue;
            }
          g_assert_cmpuint (plan->outputs[step->first_output + n_results++].value, ==, v);
          g_hash_table_add (there, GUINT_TO_POINTER (v + 1));
          g_hash_table_add (there, GUINT_TO_POINTER (G_MAXUINT32 - value->source));
        }
    }
  g_assert_cmpuint (n_results, ==, step->n_outputs);
  g_assert_cmpuint (n_locals, ==, group->n_locals);
}

/* What a plan within the plan holds while it runs: its own peak, and a packed copy
 * of every input that does not lie packed from the start of its buffer. */
static inline guint64
paper_baked (const CandelaPlan *plan, const CandelaPlanStep *step)
{
  guint64 bytes = ((CandelaPlan *) plan->parts[step->first_part].node->u.baked.plan)->peak_bytes;

  for (guint32 i = 0; i < step->n_inputs; i++)
    {
      const CandelaPlanValue *value = &plan->values[plan->inputs[step->first_input + i]];

      if (!candela_layout_is_contiguous (value->layout) || candela_layout_get_offset (value->layout) != 0)
        bytes += (guint64) candela_layout_get_n_elements (value->layout) * candela_dtype_get_size (value->dtype);
    }
  return bytes;
}

static inline void
paper_step (Paper *paper, guint32 s)
{
  const CandelaPlan *plan = paper->plan;
  const CandelaPlanStep *step = &plan->steps[s];

  for (guint32 i = 0; i < step->n_inputs; i++)
    paper_read (paper, paper_input (paper, step, i));
  for (guint32 o = 0; o < step->n_outputs; o++)
    paper_write (paper, s, &plan->outputs[step->first_output + o]);
  if (step->kind == CANDELA_STEP_FUSED)
    paper_check_registers (plan, step);
  if (candela_plan_step_is_group (step))
    paper_check_rows (plan, step);
  paper->peak = MAX (paper->peak, paper->held + (step->kind == CANDELA_STEP_BAKED ? paper_baked (plan, step) : 0));
  for (guint32 f = 0; f < step->n_free; f++)
    paper_free_slot (paper, plan->frees[step->first_free + f], s);
}

static inline void
verify_plan (CandelaPlan *plan)
{
  Paper paper = { .plan = plan };
  g_autofree guint8 *kept = g_new0 (guint8, plan->n_slots + 1);

  paper.writer = g_new (guint32, plan->n_values + 1);
  paper.content = g_new (guint32, plan->n_slots + 1);
  paper.live = g_new0 (guint8, plan->n_slots + 1);
  paper.freed = g_new0 (guint8, plan->n_slots + 1);
  memset (paper.writer, 0xff, (plan->n_values + 1) * sizeof (guint32));
  memset (paper.content, 0xff, (plan->n_slots + 1) * sizeof (guint32));
  for (guint32 s = 0; s < plan->n_steps; s++)
    paper_step (&paper, s);

  /* What is left: the results and what caches keep, and nothing else. */
  for (guint r = 0; r < plan->n_roots; r++)
    {
      paper_read (&paper, plan->root_values[r]);
      if (plan->values[plan->root_values[r]].storage == CANDELA_STORAGE_SLOT)
        kept[plan->values[plan->root_values[r]].source] = TRUE;
    }
  for (guint32 c = 0; c < plan->n_caches; c++)
    if (plan->values[plan->caches[c]].storage == CANDELA_STORAGE_SLOT)
      kept[plan->values[plan->caches[c]].source] = TRUE;
  for (guint32 slot = 0; slot < plan->n_slots; slot++)
    {
      g_assert_cmpint (paper.live[slot], ==, kept[slot]);
      g_assert_cmpint (paper.live[slot], ==, plan->slots[slot].end == CANDELA_PLAN_NONE);
    }
  g_assert_cmpuint (paper.peak, ==, candela_plan_get_peak_bytes (plan));
  g_assert_cmpuint (plan->lower_bound_bytes, <=, plan->peak_bytes);
  g_free (paper.writer);
  g_free (paper.content);
  g_free (paper.live);
  g_free (paper.freed);
}
