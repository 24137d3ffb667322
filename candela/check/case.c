/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cases, made from a seed. Nothing is known of what an op wants but its tables, so shapes
 * come in the ways in which ops are used to them (all the same, broadcast, a product's,
 * square, a matrix and a vector, whatever), and the op's own infer sorts out those that it
 * does not take. Later tries are plainer than early ones. */
#include <candela/check/check-private.h>
#include <string.h>

guint64
candela_check_random (guint64 *state)
{
  guint64 z = (*state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15));

  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ (z >> 31);
}

guint
candela_check_random_below (guint64 *state, guint n)
{
  return (guint) ((candela_check_random (state) >> 32) % n);
}

/* ---- Dtypes ---- */

/* Of a kind that the input's row takes. */
static CandelaDType
choose_dtype (const CandelaInputInfo *info, guint64 *state)
{
  CandelaDType dtypes[CANDELA_N_DTYPES];
  guint n = 0;

  for (guint d = CANDELA_DTYPE_BOOL; d < CANDELA_N_DTYPES; d++)
    if (info->kinds == 0 || (info->kinds & candela_dtype_get_kind (d)) != 0)
      dtypes[n++] = d;
  return n > 0 ? dtypes[candela_check_random_below (state, n)] : CANDELA_DTYPE_FLOAT64;
}

/* Mostly one dtype for all that take it; those with a fixed one mostly have that. */
static void
choose_dtypes (CandelaCheckCase *test, const CandelaOpFacts *facts, guint64 *state)
{
  CandelaDType common = CANDELA_DTYPE_INVALID;
  gboolean alike = candela_check_random_below (state, 4) != 0;

  for (guint i = 0; i < test->n_inputs; i++)
    {
      const CandelaInputInfo *info = candela_op_facts_input (facts, i);
      gboolean fits =
        common != CANDELA_DTYPE_INVALID && (info->kinds == 0 || (info->kinds & candela_dtype_get_kind (common)) != 0);

      if (info->fixed != CANDELA_DTYPE_INVALID && candela_check_random_below (state, 8) != 0)
        test->inputs[i].dtype = info->fixed;
      else if (alike && fits)
        test->inputs[i].dtype = common;
      else
        test->inputs[i].dtype = choose_dtype (info, state);
      if (common == CANDELA_DTYPE_INVALID && info->fixed == CANDELA_DTYPE_INVALID)
        common = test->inputs[i].dtype;
    }
}

/* ---- Shapes ---- */

static gint64
choose_length (guint64 *state)
{
  static const gint64 lengths[] = { 1, 2, 3, 4, 5, 7, 3, 2, 8, 13 };

  return lengths[candela_check_random_below (state, G_N_ELEMENTS (lengths))];
}

static void
set_shape (CandelaCheckInput *input, guint rank, const gint64 *dims)
{
  input->rank = rank;
  memcpy (input->dims, dims, rank * sizeof *dims);
}

/* Some of the axes have one element, some of the first ones are missing. */
static void
set_broadcast_shape (CandelaCheckInput *input, guint rank, const gint64 *dims, guint64 *state)
{
  guint missing = candela_check_random_below (state, 3) == 0 ? candela_check_random_below (state, rank + 1) : 0;

  set_shape (input, rank - missing, dims + missing);
  for (guint axis = 0; axis < input->rank; axis++)
    if (candela_check_random_below (state, 3) == 0)
      input->dims[axis] = 1;
}

/* (…, m, k) and (…, k, n), turn and turn about. */
static void
set_product_shapes (CandelaCheckCase *test, guint rank, const gint64 *dims)
{
  rank = MAX (rank, 2);
  for (guint i = 0; i < test->n_inputs; i++)
    {
      set_shape (&test->inputs[i], rank, dims);
      test->inputs[i].dims[rank - 2] = dims[i % 2 == 0 ? rank - 2 : rank - 1];
      test->inputs[i].dims[rank - 1] = dims[i % 2 == 0 ? rank - 1 : rank - 2];
    }
}

/* (…, n, n) first, then the same or (…, n). */
static void
set_square_shapes (CandelaCheckCase *test, guint rank, gint64 *dims, gboolean vectors)
{
  rank = MAX (rank, 2);
  dims[rank - 2] = dims[rank - 1];
  for (guint i = 0; i < test->n_inputs; i++)
    if (i > 0 && vectors)
      set_shape (&test->inputs[i], 1, dims + rank - 1);
    else
      set_shape (&test->inputs[i], rank, dims);
}

static void
choose_shapes (CandelaCheckCase *test, guint index, guint attempt, guint64 *state)
{
  gint64 dims[CANDELA_CHECK_MAX_RANK];
  guint rank = index % 7 == 3 ? 0 : 1 + candela_check_random_below (state, attempt % 2 == 0 ? 3 : 2);
  guint way = (index + attempt) % 8;

  for (guint axis = 0; axis < CANDELA_CHECK_MAX_RANK; axis++)
    dims[axis] = choose_length (state);
  if (index % 9 == 4 && rank > 0)
    dims[candela_check_random_below (state, rank)] = 0;
  else if (index % 8 == 5 && rank > 0)
    dims[rank - 1] = 40 + candela_check_random_below (state, rank > 1 ? 100 : 1500);
  if (way == 6)
    set_product_shapes (test, rank, dims);
  else if (way == 7)
    set_square_shapes (test, rank, dims, candela_check_random_below (state, 2) == 0);
  else
    for (guint i = 0; i < test->n_inputs; i++)
      if (way == 3 || way == 4)
        set_broadcast_shape (&test->inputs[i], rank, dims, state);
      else if (way == 5 && i > 0)
        {
          guint own = candela_check_random_below (state, 3);

          for (guint axis = 0; axis < own; axis++)
            dims[axis] = choose_length (state);
          set_shape (&test->inputs[i], own, dims);
        }
      else
        set_shape (&test->inputs[i], rank, dims);
}

/* ---- Layouts ---- */

static void
choose_layout (CandelaCheckInput *input, guint index, guint64 *state)
{
  gboolean plain = index % 5 == 0;

  memset (input->forms, CANDELA_CHECK_AXIS_PLAIN, sizeof input->forms);
  input->transposed = !plain && input->rank == 2 && candela_check_random_below (state, 3) == 0;
  input->shifted = !plain && candela_check_random_below (state, 3) == 0;
  for (guint axis = 0; !plain && axis < input->rank; axis++)
    if (candela_check_random_below (state, 2) == 0)
      input->forms[axis] = candela_check_random_below (state, CANDELA_CHECK_N_AXIS_FORMS);
}

static guint
choose_n_inputs (const CandelaOpFacts *facts, guint64 *state)
{
  guint most = MIN (facts->variadic ? MAX (facts->n_inputs, 3) : facts->n_inputs, CANDELA_CHECK_MAX_INPUTS);
  guint least = MIN (MAX (facts->n_required, facts->variadic ? facts->n_inputs : 0), CANDELA_CHECK_MAX_INPUTS);

  return most > least ? least + candela_check_random_below (state, most - least + 1) : least;
}

void
candela_check_case_init (CandelaCheckCase *test, CandelaOp *op, guint64 seed, guint index, guint attempt)
{
  static const CandelaCheckValues values[] = { CANDELA_CHECK_VALUES_SMALL, CANDELA_CHECK_VALUES_ANY,
                                               CANDELA_CHECK_VALUES_MATRIX, CANDELA_CHECK_VALUES_ANY };
  const CandelaOpFacts *facts = candela_op_get_facts (op);
  guint64 state = seed ^ ((guint64) index << 32) ^ ((guint64) attempt << 16) ^ g_str_hash (facts->info->name);

  memset (test, 0, sizeof *test);
  candela_check_random (&state);
  test->n_inputs = choose_n_inputs (facts, &state);
  test->values = values[(index + attempt) % G_N_ELEMENTS (values)];
  choose_dtypes (test, facts, &state);
  choose_shapes (test, index, attempt, &state);
  for (guint i = 0; i < test->n_inputs; i++)
    choose_layout (&test->inputs[i], index, &state);
  test->params = g_variant_ref_sink (candela_check_make_params (facts, test, index + attempt, &state));
  test->seed = candela_check_random (&state);
}

void
candela_check_case_clear (CandelaCheckCase *test)
{
  g_clear_pointer (&test->params, g_variant_unref);
}

void
candela_check_case_copy (CandelaCheckCase *to, const CandelaCheckCase *from)
{
  *to = *from;
  g_variant_ref (to->params);
}
