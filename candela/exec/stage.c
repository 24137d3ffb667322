/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows of stages. Parts of a fused step that follow each other and declare stages of
 * one family run as a group: what one part computes is still in the accumulator, in
 * vector registers, when the next one reads it. What is read later is stored on the
 * way, and so is a result; what is read first is loaded. A few of the values that are
 * read later need no memory either: the family may keep them in registers of their own.
 *
 * A group goes through all its parts block by block, a block being what the
 * accumulator holds. So a register that only the group reads needs memory for one
 * block; where a group is the whole step, there are no tiles at all.
 *
 * What fills no block is left to the loops, which give the same bits. */
#include <candela/exec/stage-private.h>
#include <candela/value/stream-private.h>
#include <string.h>

/* What has fewer blocks is done before the stages are made. */
#define MIN_BLOCKS 4
#define MIN_ELEMENTS 64
/* Load, op, stores to memory and for the group; and the end of a group. */
#define MAX_STAGES 5

#define EVERYWHERE G_MAXSIZE

typedef struct
{
  const CandelaPass *pass;
  const CandelaPlanPart *parts; /* of the step */
  CandelaStageProgram *program;
  guint32 n_places;                     /* registers, then outputs */
  guint32 group, group_end;             /* 1 + the group that is being made; the part after its last */
  guint32 *last_read;                   /* of each part: who reads its output last; itself: nobody */
  guint32 *defined_in;                  /* of each place: 1 + the last group that writes it */
  guint32 *exported_by;                 /* … that writes it for others */
  guint32 *kept_in;                     /* of each place: 1 + the register that keeps it */
  guint32 kept_until[CANDELA_MAX_KEPT]; /* the part that reads it last */
} Builder;

static const guint32 *
part_operands (const Builder *builder, guint32 part)
{
  return candela_plan_part_operands (builder->pass->run->plan, &builder->parts[part]);
}

static guint32
part_output (const Builder *builder, guint32 part)
{
  return part_operands (builder, part)[builder->parts[part].node->n_inputs];
}

/* A register's or an output's; CANDELA_PLAN_NONE: an input. */
static guint32
place_of (const CandelaPass *pass, guint32 operand)
{
  if ((operand & CANDELA_PART_OUTPUT) != 0)
    return pass->step->n_registers + (operand & ~CANDELA_PART_OUTPUT);
  return operand < pass->step->n_inputs ? CANDELA_PLAN_NONE : operand - pass->step->n_inputs;
}

static gboolean
is_scalar (const CandelaPass *pass, guint32 operand)
{
  return operand < pass->step->n_inputs
         && (pass->inputs[operand].kind == CANDELA_TILE_SCALAR
             || pass->inputs[operand].kind == CANDELA_TILE_ROW_SCALAR);
}

/* ---- Groups ---- */

/* Only a scalar can be converted on the way, once and for all; a result cannot. */
static gboolean
has_stages (const Builder *builder, guint32 part)
{
  const CandelaNode *node = builder->parts[part].node;
  const CandelaKernelInfo *kernel = node->u.op.kernel;
  const guint32 *operands = part_operands (builder, part);
  gboolean arrays = FALSE;

  if (kernel->loop == NULL || kernel->stages == NULL || node->dtype != kernel->out[0]
      || (node->n_inputs == 1 ? kernel->stages->unary : kernel->stages->acc_memory) == NULL)
    return FALSE;
  for (guint32 i = 0; i < node->n_inputs; i++)
    {
      gboolean scalar = is_scalar (builder->pass, operands[i]);

      if (!scalar && node->inputs[i]->dtype != kernel->in[i])
        return FALSE;
      arrays = arrays || !scalar;
    }
  return arrays;
}

static gboolean
joins_group (const CandelaStageGroup *group, const CandelaKernelInfo *kernel)
{
  return kernel->stages->family == group->family && candela_dtype_get_size (kernel->out[0]) == group->size;
}

/* Of what is read from memory, only that which the accumulator is loaded with. */
static gboolean
loads_strided (const Builder *builder, guint32 p, guint32 k)
{
  const CandelaPass *pass = builder->pass;
  guint32 other;

  if (builder->parts[p].node->n_inputs == 1)
    return TRUE;
  other = part_operands (builder, p)[1 - k];
  if (is_scalar (pass, other))
    return TRUE;
  return (other >= pass->step->n_inputs || pass->inputs[other].kind != CANDELA_TILE_STRIDED)
         && (p == 0 || other != part_output (builder, p - 1));
}

/* Whether a group that is the whole step can read a strided input where it lies. */
static gboolean
can_alternate (const Builder *builder, guint32 input)
{
  const CandelaPackWalk *walk = builder->pass->inputs[input].walk;
  const CandelaStageGroup *group = &builder->program->groups[0];

  if (walk->rank != 1 || walk->strides[0] != 2 || walk->size != group->size
      || group->family->load_alternate[g_bit_nth_lsf (walk->size, -1)] == NULL)
    return FALSE;
  for (guint32 p = 0; p < builder->pass->step->n_parts; p++)
    for (guint32 k = 0; k < builder->parts[p].node->n_inputs; k++)
      if (part_operands (builder, p)[k] == input && !loads_strided (builder, p, k))
        return FALSE;
  return TRUE;
}

static void
form_groups (Builder *builder)
{
  CandelaStageProgram *program = builder->program;
  guint32 n_parts = builder->pass->step->n_parts;

  for (guint32 p = 0; p < n_parts;)
    {
      const CandelaKernelInfo *kernel = builder->parts[p].node->u.op.kernel;
      CandelaStageGroup group = { .first_part = p };

      if (!has_stages (builder, p++))
        continue;
      group.family = kernel->stages->family;
      group.size = candela_dtype_get_size (kernel->out[0]);
      while (p < n_parts && has_stages (builder, p) && joins_group (&group, builder->parts[p].node->u.op.kernel))
        p++;
      group.n_parts = p - group.first_part;
      /* A single part between others has nothing to keep in registers. */
      if (group.n_parts == 1 && n_parts > 1)
        continue;
      program->block = MAX (program->block, group.family->block / group.size);
      program->whole = group.n_parts == n_parts;
      program->groups[program->n_groups++] = group;
    }
  for (guint32 i = 0; i < builder->pass->step->n_inputs; i++)
    program->whole =
      program->whole && (builder->pass->inputs[i].kind != CANDELA_TILE_STRIDED || can_alternate (builder, i));
  for (guint32 i = 0; i < builder->pass->step->n_inputs; i++)
    builder->pass->inputs[i].alternate = program->whole && builder->pass->inputs[i].kind == CANDELA_TILE_STRIDED;
}

/* ---- Stages ---- */

/* Backwards: what is read before it is written again. */
static void
find_reads (Builder *builder)
{
  const CandelaPass *pass = builder->pass;
  guint32 *last = candela_arena_new (&pass->run->arena, guint32, builder->n_places);

  memset (last, 0xff, builder->n_places * sizeof *last);
  for (guint32 p = pass->step->n_parts; p-- > 0;)
    {
      const CandelaNode *node = builder->parts[p].node;
      const guint32 *operands = part_operands (builder, p);
      guint32 read = last[place_of (pass, operands[node->n_inputs])];

      builder->last_read[p] = read != CANDELA_PLAN_NONE ? read : p;
      for (guint o = 0; o < node->n_outputs; o++)
        last[place_of (pass, operands[node->n_inputs + o])] = CANDELA_PLAN_NONE;
      for (guint32 i = 0; i < node->n_inputs; i++)
        {
          guint32 place = place_of (pass, operands[i]);

          if (place != CANDELA_PLAN_NONE && last[place] == CANDELA_PLAN_NONE)
            last[place] = p;
        }
    }
}

static CandelaStage *
emit (Builder *builder, CandelaStageFunc func, guint32 operand, gsize mask)
{
  CandelaStageProgram *program = builder->program;

  program->operands[program->n_stages] = operand;
  program->stages[program->n_stages] = (CandelaStage){ .func = func, .mask = mask };
  return &program->stages[program->n_stages++];
}

/* 1 + the register that keeps an operand, or 0. */
static guint32
find_kept (const Builder *builder, guint32 operand)
{
  guint32 place = place_of (builder->pass, operand);

  return place != CANDELA_PLAN_NONE ? builder->kept_in[place] : 0;
}

static void
emit_scalar (Builder *builder, CandelaStageFunc func, guint32 part, guint32 input)
{
  CandelaStageProgram *program = builder->program;
  const CandelaNode *node = builder->parts[part].node;
  CandelaDType from = node->inputs[input]->dtype, to = node->u.op.kernel->in[input];

  program->scalars[program->n_scalars++] =
    (CandelaStageScalar){ .stage = program->n_stages,
                          .input = part_operands (builder, part)[input],
                          .size = candela_dtype_get_size (to),
                          .convert = from == to ? NULL : candela_dtype_get_convert_func (from, to) };
  emit (builder, func, CANDELA_PLAN_NONE, 0);
}

/* Whether a register's one block serves: it was written by this group, for itself.
 * What is stored past the caches is kept for the group in the same way. */
static gsize
mask_of (const Builder *builder, guint32 operand)
{
  const CandelaPass *pass = builder->pass;
  guint32 place = place_of (pass, operand);

  if (place == CANDELA_PLAN_NONE)
    return EVERYWHERE;
  if (place >= pass->step->n_registers)
    return builder->program->whole && pass->streamed[place - pass->step->n_registers] ? 0 : EVERYWHERE;
  return builder->defined_in[place] == builder->group && builder->exported_by[place] != builder->group ? 0 : EVERYWHERE;
}

static gboolean
is_alternate (const CandelaPass *pass, guint32 operand)
{
  return operand < pass->step->n_inputs && pass->inputs[operand].alternate;
}

/* From a register that keeps it, or from memory. */
static void
emit_load (Builder *builder, const CandelaStageFamily *family, guint32 operand)
{
  guint32 kept = find_kept (builder, operand);

  if (kept != 0)
    emit (builder, family->recall[kept - 1], CANDELA_PLAN_NONE, 0);
  else if (is_alternate (builder->pass, operand))
    emit (builder, family->load_alternate[g_bit_nth_lsf (builder->pass->inputs[operand].size, -1)], operand,
          EVERYWHERE);
  else
    emit (builder, family->load, operand, mask_of (builder, operand));
}

/* With the accumulator and something else. */
static void
emit_binary (Builder *builder, const CandelaStages *stages, guint32 other, gboolean other_first)
{
  guint32 kept = find_kept (builder, other);

  if (kept != 0)
    emit (builder, (other_first ? stages->kept_acc : stages->acc_kept)[kept - 1], CANDELA_PLAN_NONE, 0);
  else
    emit (builder, other_first ? stages->memory_acc : stages->acc_memory, other, mask_of (builder, other));
}

static void
emit_op (Builder *builder, guint32 p, guint32 acc)
{
  const CandelaStages *stages = builder->parts[p].node->u.op.kernel->stages;
  const guint32 *operands = part_operands (builder, p);
  gboolean binary = builder->parts[p].node->n_inputs == 2;
  guint32 x = operands[0], y = binary ? operands[1] : CANDELA_PLAN_NONE;
  gboolean scalar_x = is_scalar (builder->pass, x), scalar_y = binary && is_scalar (builder->pass, y);

  if (acc != x && (!binary || scalar_x || scalar_y || acc != y))
    {
      guint32 loaded = scalar_x || is_alternate (builder->pass, y) ? y : x;

      if (loaded != acc)
        emit_load (builder, stages->family, loaded);
      acc = loaded;
    }
  if (!binary)
    emit (builder, stages->unary, CANDELA_PLAN_NONE, 0);
  else if (scalar_x)
    emit_scalar (builder, stages->scalar_acc, p, 0);
  else if (scalar_y)
    emit_scalar (builder, stages->acc_scalar, p, 1);
  else
    emit_binary (builder, stages, acc == x ? y : x, acc != x);
}

/* Whether a part after the next reads it, or the next one twice: as the accumulator
 * and beside that. */
static gboolean
is_read_later (const Builder *builder, guint32 p)
{
  const guint32 *operands;

  if (builder->last_read[p] == p)
    return FALSE;
  if (builder->last_read[p] != p + 1 || p + 1 == builder->group_end)
    return TRUE;
  operands = part_operands (builder, p + 1);
  return builder->parts[p + 1].node->n_inputs == 2 && operands[0] == operands[1];
}

/* 1 + a register that can keep what a part computes until a later one of the group reads
 * it last, or 0. What the part itself reads last has been read by then. */
static guint32
take_register (Builder *builder, guint32 p, const CandelaStageFamily *family)
{
  guint32 last = builder->last_read[p];

  if (last >= builder->group_end)
    return 0;
  for (guint32 q = p + 1; q <= last; q++)
    if (!builder->parts[q].node->u.op.kernel->stages->preserves)
      return 0;
  for (guint32 k = 0; k < CANDELA_MAX_KEPT && family->keep[k] != NULL; k++)
    if (builder->kept_until[k] <= p)
      {
        builder->kept_until[k] = last;
        return k + 1;
      }
  return 0;
}

static void
emit_store (Builder *builder, guint32 p, const CandelaStageFamily *family)
{
  const CandelaPass *pass = builder->pass;
  guint32 output = part_output (builder, p), o = output & ~CANDELA_PART_OUTPUT, place = place_of (pass, output);
  gboolean result = (output & CANDELA_PART_OUTPUT) != 0;
  gboolean streamed = result && builder->program->whole && pass->streamed[o];
  gboolean read = is_read_later (builder, p);

  if (streamed)
    emit (builder, family->stream != NULL ? family->stream : family->store, output | CANDELA_STAGE_STREAMED,
          EVERYWHERE);
  builder->defined_in[place] = builder->group;
  builder->kept_in[place] = read && (streamed || !result) ? take_register (builder, p, family) : 0;
  if (builder->kept_in[place] != 0)
    emit (builder, family->keep[builder->kept_in[place] - 1], CANDELA_PLAN_NONE, 0);
  else if (read || (result && !streamed))
    emit (builder, family->store, output, mask_of (builder, output));
}

/* Where results go past the caches, inputs do not come from there either: what is read a
 * while later is fetched, for between loads and such stores nobody else would. */
static void
emit_ahead (Builder *builder, const CandelaStageFamily *family)
{
  const CandelaPass *pass = builder->pass;
  gboolean streamed = FALSE;

  for (guint32 o = 0; o < pass->n_streamed; o++)
    streamed = streamed || pass->streamed[o];
  if (!streamed || !builder->program->whole || pass->row != 0 || family->ahead == NULL)
    return;
  for (guint32 i = 0; i < pass->step->n_inputs; i++)
    if (pass->inputs[i].kind == CANDELA_TILE_PACKED)
      emit (builder, family->ahead, i, EVERYWHERE);
}

static void
emit_group (Builder *builder, guint32 index)
{
  CandelaStageGroup *group = &builder->program->groups[index];
  guint32 acc = CANDELA_PLAN_NONE;

  builder->group = index + 1;
  builder->group_end = group->first_part + group->n_parts;
  memset (builder->kept_in, 0, builder->n_places * sizeof *builder->kept_in);
  memset (builder->kept_until, 0, sizeof builder->kept_until);
  group->first_stage = builder->program->n_stages;
  emit_ahead (builder, group->family);
  for (guint32 p = group->first_part; p < builder->group_end; p++)
    if (builder->last_read[p] >= builder->group_end)
      builder->exported_by[place_of (builder->pass, part_output (builder, p))] = builder->group;
  for (guint32 p = group->first_part; p < builder->group_end; p++)
    {
      emit_op (builder, p, acc);
      emit_store (builder, p, group->family);
      acc = part_output (builder, p);
    }
  emit (builder, group->family->end, CANDELA_PLAN_NONE, 0);
  group->n_stages = builder->program->n_stages - group->first_stage;
}

CandelaStageProgram *
candela_stage_program_new (const CandelaPass *pass)
{
  const CandelaPlanStep *step = pass->step;
  Builder builder = { .pass = pass,
                      .parts = pass->run->plan->parts + step->first_part,
                      .n_places = step->n_registers + step->n_outputs };
  CandelaArena *arena = &pass->run->arena;
  guint32 *lists;
  CandelaStageProgram *program;
  gsize size, n_stages;

  if (pass->n < MIN_ELEMENTS)
    return NULL;
  n_stages = MAX_STAGES * step->n_parts + step->n_inputs;
  size = sizeof *program + n_stages * (sizeof (CandelaStage) + sizeof (guint32))
         + step->n_parts * (sizeof (CandelaStageGroup) + sizeof (CandelaStageScalar));
  program = builder.program = candela_arena_alloc0 (arena, 1, size);
  program->stages = (CandelaStage *) (program + 1);
  program->groups = (CandelaStageGroup *) (program->stages + n_stages);
  program->scalars = (CandelaStageScalar *) (program->groups + step->n_parts);
  program->operands = (guint32 *) (program->scalars + step->n_parts);
  form_groups (&builder);
  if (program->n_groups == 0 || pass->n < MIN_BLOCKS * program->block)
    return NULL;
  lists = candela_arena_new0 (arena, guint32, step->n_parts + 3 * builder.n_places);
  builder.last_read = lists;
  builder.defined_in = builder.last_read + step->n_parts;
  builder.exported_by = builder.defined_in + builder.n_places;
  builder.kept_in = builder.exported_by + builder.n_places;
  find_reads (&builder);
  for (guint32 g = 0; g < program->n_groups; g++)
    emit_group (&builder, g);
  return program;
}

CandelaStageProgram *
candela_stage_program_end_with (const CandelaPass *pass, CandelaStageFunc end)
{
  CandelaArena *arena = &pass->run->arena;
  CandelaStageProgram *copy = candela_arena_new (arena, CandelaStageProgram, 1);
  guint32 last = pass->program->n_stages - 2;

  *copy = *pass->program;
  copy->n_stages = last + 1;
  copy->stages = candela_arena_new (arena, CandelaStage, copy->n_stages);
  copy->operands = candela_arena_new (arena, guint32, copy->n_stages);
  copy->groups = candela_arena_new (arena, CandelaStageGroup, 1);
  copy->groups[0] = pass->program->groups[0];
  copy->groups[0].n_stages = copy->n_stages;
  memcpy (copy->stages, pass->program->stages, last * sizeof *copy->stages);
  memcpy (copy->operands, pass->program->operands, last * sizeof *copy->operands);
  copy->stages[last] = (CandelaStage){ .func = end };
  copy->operands[last] = CANDELA_PLAN_NONE;
  return copy;
}

void
candela_stage_program_copy (const CandelaPass *pass, CandelaStage *stages)
{
  memcpy (stages, pass->program->stages, pass->program->n_stages * sizeof *stages);
}

void
candela_stage_program_set_scalars (const CandelaPass *pass, CandelaStage *stages, guint64 start)
{
  const CandelaStageProgram *program = pass->program;

  for (guint32 s = 0; s < program->n_scalars; s++)
    {
      const CandelaStageScalar *scalar = &program->scalars[s];
      gconstpointer data = candela_pass_scalar (pass, scalar->input, start);

      if (scalar->convert != NULL)
        scalar->convert (&stages[scalar->stage].scalar, data, 1);
      else
        memcpy (&stages[scalar->stage].scalar, data, scalar->size);
    }
}

void
candela_stage_group_point (const CandelaPass *pass, const CandelaStageGroup *group, CandelaStage *stages,
                           const guint8 *const *inputs, guint8 *scratch, guint64 start)
{
  const guint32 *operands = pass->program->operands + group->first_stage;

  for (guint32 s = 0; s < group->n_stages; s++)
    if (operands[s] == CANDELA_PLAN_NONE)
      continue;
    else if ((operands[s] & CANDELA_PART_OUTPUT) != 0 && (operands[s] & CANDELA_STAGE_STREAMED) != 0)
      {
        guint32 o = operands[s] & ~(CANDELA_PART_OUTPUT | CANDELA_STAGE_STREAMED);
        guint8 *data = pass->outputs[o] + start * pass->output_sizes[o];

        stages[s].data = data;
        if (((guintptr) data & (CANDELA_STREAM_LINE - 1)) != 0)
          stages[s].func = group->family->store;
      }
    else
      stages[s].data = candela_pass_operand (pass, inputs, scratch, operands[s], start);
}

void
candela_stage_group_run (const CandelaPass *pass, const CandelaStageGroup *group, CandelaStage *stages,
                         const guint8 *const *inputs, guint8 *scratch, guint64 start, gsize n)
{
  stages += group->first_stage;
  candela_stage_group_point (pass, group, stages, inputs, scratch, start);
  group->family->run (stages, n * group->size);
}
