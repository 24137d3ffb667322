/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The sort plugin. Right values are NumPy 2.4's (kind="stable"; descending: those of
 * the negative). Then every op is compared with its definition, for lengths around
 * those at which the ways of sorting change, and all of it once more with the loops
 * for any processor, in a process of their own. */
#include "../testing.h"
#include "views.h"

static const OpCase cases[] = {
  { "sort", NULL, "int32", "6", "3 1 2 1 3 0", "int32", "6", "0 1 1 2 3 3" },
  { "argsort", NULL, "int32", "6", "3 1 2 1 3 0", "int64", "6", "5 1 3 2 0 4" },
  { "sort", "{'descending': <true>}", "int32", "6", "3 1 2 1 3 0", "int32", "6", "3 3 2 1 1 0" },
  { "argsort", "{'descending': <true>}", "int32", "6", "3 1 2 1 3 0", "int64", "6", "0 4 2 1 3 5" },
  { "sort", NULL, "int32", "2 3", "3 1 2 1 3 0", "int32", "2 3", "1 2 3 0 1 3" },
  { "argsort", NULL, "int32", "2 3", "3 1 2 1 3 0", "int64", "2 3", "1 2 0 2 0 1" },
  { "sort", "{'axis': <int64 0>}", "int32", "2 3", "3 1 2 1 3 0", "int32", "2 3", "1 1 0 3 3 2" },
  { "argsort", "{'axis': <int64 0>}", "int32", "2 3", "3 1 2 1 3 0", "int64", "2 3", "1 0 1 0 1 0" },
  { "sort", "{'axis': <int64 -2>, 'descending': <true>}", "int32", "2 3", "3 1 2 1 3 0", "int32", "2 3",
    "3 3 2 1 1 0" },
  { "argsort", "{'axis': <int64 -2>, 'descending': <true>}", "int32", "2 3", "3 1 2 1 3 0", "int64", "2 3",
    "0 1 0 1 0 1" },
  { "sort", "{'stable': <false>}", "int32", "6", "3 1 2 1 3 0", "int32", "6", "0 1 1 2 3 3" },
  { "argsort", "{'stable': <false>}", "int32", "6", "3 1 2 1 3 0", "int64", "6", "5 1 3 2 0 4" },
  { "sort", NULL, "bool", "4", "1 0 1 0", "bool", "4", "0 0 1 1" },
  { "argsort", NULL, "bool", "4", "1 0 1 0", "int64", "4", "1 3 0 2" },
  { "sort", "{'descending': <true>}", "bool", "4", "1 0 1 0", "bool", "4", "1 1 0 0" },
  { "argsort", "{'descending': <true>}", "bool", "4", "1 0 1 0", "int64", "4", "0 2 1 3" },
  { "sort", NULL, "int8", "6", "0 127 -1 -128 1 -1", "int8", "6", "-128 -1 -1 0 1 127" },
  { "argsort", NULL, "int8", "6", "0 127 -1 -128 1 -1", "int64", "6", "3 2 5 0 4 1" },
  { "sort", "{'descending': <true>}", "int8", "6", "0 127 -1 -128 1 -1", "int8", "6", "127 1 0 -1 -1 -128" },
  { "argsort", "{'descending': <true>}", "int8", "6", "0 127 -1 -128 1 -1", "int64", "6", "1 4 0 2 5 3" },
  { "sort", NULL, "int16", "6", "0 32767 -1 -32768 1 -1", "int16", "6", "-32768 -1 -1 0 1 32767" },
  { "argsort", NULL, "int16", "6", "0 32767 -1 -32768 1 -1", "int64", "6", "3 2 5 0 4 1" },
  { "sort", "{'descending': <true>}", "int16", "6", "0 32767 -1 -32768 1 -1", "int16", "6", "32767 1 0 -1 -1 -32768" },
  { "argsort", "{'descending': <true>}", "int16", "6", "0 32767 -1 -32768 1 -1", "int64", "6", "1 4 0 2 5 3" },
  { "sort", NULL, "int32", "6", "0 2147483647 -1 -2147483648 1 -1", "int32", "6", "-2147483648 -1 -1 0 1 2147483647" },
  { "argsort", NULL, "int32", "6", "0 2147483647 -1 -2147483648 1 -1", "int64", "6", "3 2 5 0 4 1" },
  { "sort", "{'descending': <true>}", "int32", "6", "0 2147483647 -1 -2147483648 1 -1", "int32", "6",
    "2147483647 1 0 -1 -1 -2147483648" },
  { "argsort", "{'descending': <true>}", "int32", "6", "0 2147483647 -1 -2147483648 1 -1", "int64", "6",
    "1 4 0 2 5 3" },
  { "sort", NULL, "int64", "6", "0 9223372036854775807 -1 -9223372036854775808 1 -1", "int64", "6",
    "-9223372036854775808 -1 -1 0 1 9223372036854775807" },
  { "argsort", NULL, "int64", "6", "0 9223372036854775807 -1 -9223372036854775808 1 -1", "int64", "6", "3 2 5 0 4 1" },
  { "sort", "{'descending': <true>}", "int64", "6", "0 9223372036854775807 -1 -9223372036854775808 1 -1", "int64", "6",
    "9223372036854775807 1 0 -1 -1 -9223372036854775808" },
  { "argsort", "{'descending': <true>}", "int64", "6", "0 9223372036854775807 -1 -9223372036854775808 1 -1", "int64",
    "6", "1 4 0 2 5 3" },
  { "sort", NULL, "uint8", "5", "128 255 0 127 1", "uint8", "5", "0 1 127 128 255" },
  { "argsort", NULL, "uint8", "5", "128 255 0 127 1", "int64", "5", "2 4 3 0 1" },
  { "sort", "{'descending': <true>}", "uint8", "5", "128 255 0 127 1", "uint8", "5", "255 128 127 1 0" },
  { "argsort", "{'descending': <true>}", "uint8", "5", "128 255 0 127 1", "int64", "5", "1 0 3 4 2" },
  { "sort", NULL, "uint16", "5", "32768 65535 0 32767 1", "uint16", "5", "0 1 32767 32768 65535" },
  { "argsort", NULL, "uint16", "5", "32768 65535 0 32767 1", "int64", "5", "2 4 3 0 1" },
  { "sort", "{'descending': <true>}", "uint16", "5", "32768 65535 0 32767 1", "uint16", "5", "65535 32768 32767 1 0" },
  { "argsort", "{'descending': <true>}", "uint16", "5", "32768 65535 0 32767 1", "int64", "5", "1 0 3 4 2" },
  { "sort", NULL, "uint32", "5", "2147483648 4294967295 0 2147483647 1", "uint32", "5",
    "0 1 2147483647 2147483648 4294967295" },
  { "argsort", NULL, "uint32", "5", "2147483648 4294967295 0 2147483647 1", "int64", "5", "2 4 3 0 1" },
  { "sort", "{'descending': <true>}", "uint32", "5", "2147483648 4294967295 0 2147483647 1", "uint32", "5",
    "4294967295 2147483648 2147483647 1 0" },
  { "argsort", "{'descending': <true>}", "uint32", "5", "2147483648 4294967295 0 2147483647 1", "int64", "5",
    "1 0 3 4 2" },
  { "sort", NULL, "uint64", "5", "9223372036854775808 18446744073709551615 0 9223372036854775807 1", "uint64", "5",
    "0 1 9223372036854775807 9223372036854775808 18446744073709551615" },
  { "argsort", NULL, "uint64", "5", "9223372036854775808 18446744073709551615 0 9223372036854775807 1", "int64", "5",
    "2 4 3 0 1" },
  { "sort", "{'descending': <true>}", "uint64", "5", "9223372036854775808 18446744073709551615 0 9223372036854775807 1",
    "uint64", "5", "18446744073709551615 9223372036854775808 9223372036854775807 1 0" },
  { "argsort", "{'descending': <true>}", "uint64", "5",
    "9223372036854775808 18446744073709551615 0 9223372036854775807 1", "int64", "5", "1 0 3 4 2" },
  { "sort", NULL, "float32", "11", "1 nan -inf 0 -0 0 inf -1 nan -1.401298464324817e-45 1.401298464324817e-45",
    "float32", "11", "-inf -1 -1.401298464324817e-45 0 -0 0 1.401298464324817e-45 1 inf nan nan" },
  { "argsort", NULL, "float32", "11", "1 nan -inf 0 -0 0 inf -1 nan -1.401298464324817e-45 1.401298464324817e-45",
    "int64", "11", "2 7 9 3 4 5 10 0 6 1 8" },
  { "sort", "{'descending': <true>}", "float32", "11",
    "1 nan -inf 0 -0 0 inf -1 nan -1.401298464324817e-45 1.401298464324817e-45", "float32", "11",
    "inf 1 1.401298464324817e-45 0 -0 0 -1.401298464324817e-45 -1 -inf nan nan" },
  { "argsort", "{'descending': <true>}", "float32", "11",
    "1 nan -inf 0 -0 0 inf -1 nan -1.401298464324817e-45 1.401298464324817e-45", "int64", "11",
    "6 0 10 3 4 5 9 7 2 1 8" },
  { "sort", NULL, "float32", "2", "-0 -0", "float32", "2", "-0 -0" },
  { "argsort", NULL, "float32", "2", "-0 -0", "int64", "2", "0 1" },
  { "sort", "{'descending': <true>}", "float32", "2", "0 -0", "float32", "2", "0 -0" },
  { "argsort", "{'descending': <true>}", "float32", "2", "0 -0", "int64", "2", "0 1" },
  { "sort", NULL, "float32", "3", "nan nan 1", "float32", "3", "1 nan nan" },
  { "argsort", NULL, "float32", "3", "nan nan 1", "int64", "3", "2 0 1" },
  { "sort", NULL, "float64", "11", "1 nan -inf 0 -0 0 inf -1 nan -5e-324 5e-324", "float64", "11",
    "-inf -1 -5e-324 0 -0 0 5e-324 1 inf nan nan" },
  { "argsort", NULL, "float64", "11", "1 nan -inf 0 -0 0 inf -1 nan -5e-324 5e-324", "int64", "11",
    "2 7 9 3 4 5 10 0 6 1 8" },
  { "sort", "{'descending': <true>}", "float64", "11", "1 nan -inf 0 -0 0 inf -1 nan -5e-324 5e-324", "float64", "11",
    "inf 1 5e-324 0 -0 0 -5e-324 -1 -inf nan nan" },
  { "argsort", "{'descending': <true>}", "float64", "11", "1 nan -inf 0 -0 0 inf -1 nan -5e-324 5e-324", "int64", "11",
    "6 0 10 3 4 5 9 7 2 1 8" },
  { "sort", NULL, "float64", "2", "-0 -0", "float64", "2", "-0 -0" },
  { "argsort", NULL, "float64", "2", "-0 -0", "int64", "2", "0 1" },
  { "sort", "{'descending': <true>}", "float64", "2", "0 -0", "float64", "2", "0 -0" },
  { "argsort", "{'descending': <true>}", "float64", "2", "0 -0", "int64", "2", "0 1" },
  { "sort", NULL, "float64", "3", "nan nan 1", "float64", "3", "1 nan nan" },
  { "argsort", NULL, "float64", "3", "nan nan 1", "int64", "3", "2 0 1" },
  { "sort", NULL, "float32", "0", "", "float32", "0", "" },
  { "argsort", NULL, "float32", "0", "", "int64", "0", "" },
  { "sort", NULL, "int64", "2 0", "", "int64", "2 0", "" },
  { "argsort", NULL, "int64", "2 0", "", "int64", "2 0", "" },
  { "sort", NULL, "int64", "0 3", "", "int64", "0 3", "" },
  { "argsort", NULL, "int64", "0 3", "", "int64", "0 3", "" },
  { "sort", NULL, "float64", "1", "7", "float64", "1", "7" },
  { "argsort", NULL, "float64", "1", "7", "int64", "1", "0" },
  { "sort", "{'axis': <int64 1>}", "int64", "2 3 2", "10 11 8 9 6 7 4 5 2 3 0 1", "int64", "2 3 2",
    "6 7 8 9 10 11 0 1 2 3 4 5" },
  { "argsort", "{'axis': <int64 1>}", "int64", "2 3 2", "10 11 8 9 6 7 4 5 2 3 0 1", "int64", "2 3 2",
    "2 2 1 1 0 0 2 2 1 1 0 0" },
};

static void
test_values (void)
{
  assert_op_cases (cases, G_N_ELEMENTS (cases));
}

/* ---- By definition ---- */

static guint64 state;

static guint64
next_word (void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/* Of few different values, or of many. */
static CandelaTensor *
few_or_many (CandelaDType dtype, const gint64 *shape, gsize rank, gboolean many)
{
  g_autoptr (GError) error = NULL;
  CandelaTensor *tensor = candela_tensor_new (dtype, shape, rank, &error);
  gpointer data;

  g_assert_no_error (error);
  data = candela_tensor_get_writable_data (tensor);
  state = 88172645463325252u;
  for (gint64 i = 0; i < candela_tensor_get_n_elements (tensor); i++)
    {
      guint64 word = next_word (), value = many ? word : (word >> 20) % 5 - 2;
      double number = many ? (double) (gint64) word * 1e-9 : (double) (gint64) value;

      if (word % 61 == 0)
        number = (word & 64) != 0 ? NAN : -0.0;
      switch ((int) dtype)
        {
#define PUT(DTYPE, type)                                                                                               \
  case CANDELA_DTYPE_##DTYPE:                                                                                          \
    ((type *) data)[i] = (type) value;                                                                                 \
    break;
          OP_TESTING_DTYPES (PUT)
#undef PUT
        case CANDELA_DTYPE_FLOAT32:
          ((float *) data)[i] = (float) number;
          break;
        default:
          ((double *) data)[i] = number;
        }
      if (dtype == CANDELA_DTYPE_BOOL)
        ((guint8 *) data)[i] &= 1;
    }
  return tensor;
}

static gconstpointer element_data;
static CandelaDType element_dtype;
static gboolean element_descending;

#define COMPARE(type)                                                                                                  \
  {                                                                                                                    \
    type x = ((const type *) element_data)[*(const gint64 *) a],                                                       \
         y = ((const type *) element_data)[*(const gint64 *) b];                                                       \
                                                                                                                       \
    if (x != x || y != y)                                                                                              \
      order = (x != x) - (y != y);                                                                                     \
    else                                                                                                               \
      order = element_descending ? (x < y) - (x > y) : (x > y) - (x < y);                                              \
    break;                                                                                                             \
  }

static int
compare_elements (gconstpointer a, gconstpointer b)
{
  int order;

  switch ((int) element_dtype)
    {
#define COMPARE_ROW(DTYPE, type)                                                                                       \
  case CANDELA_DTYPE_##DTYPE:                                                                                          \
    COMPARE (type)
      OP_TESTING_DTYPES (COMPARE_ROW)
    case CANDELA_DTYPE_FLOAT32:
      COMPARE (float)
    default:
      COMPARE (double)
    }
  if (order != 0)
    return order;
  return *(const gint64 *) a < *(const gint64 *) b ? -1 : 1;
}

/* The first k of each line of a packed array: where they come from, and they. */
static void
order_by_definition (CandelaTensor *x, gint64 axis, gboolean descending, gint64 k, CandelaTensor **values,
                     CandelaTensor **indices)
{
  g_autoptr (GError) error = NULL;
  gsize rank, size = candela_dtype_get_size (candela_tensor_get_dtype (x));
  const gint64 *shape = candela_tensor_get_shape (x, &rank);
  gint64 out[CANDELA_MAX_RANK], step = 1, n = shape[axis];
  g_autofree gint64 *line = g_new (gint64, MAX (n, 1));

  memcpy (out, shape, rank * sizeof *out);
  out[axis] = k;
  *values = candela_tensor_new (candela_tensor_get_dtype (x), out, rank, &error);
  g_assert_no_error (error);
  *indices = candela_tensor_new (CANDELA_DTYPE_INT64, out, rank, &error);
  g_assert_no_error (error);
  element_data = candela_tensor_get_data (x);
  element_dtype = candela_tensor_get_dtype (x);
  element_descending = descending;
  for (gsize a = (gsize) axis + 1; a < rank; a++)
    step *= shape[a];
  for (gint64 l = 0; l < candela_tensor_get_n_elements (x) / MAX (n, 1); l++)
    {
      gint64 first = l / step * n * step + l % step, to = l / step * k * step + l % step;

      for (gint64 i = 0; i < n; i++)
        line[i] = first + i * step;
      qsort (line, (gsize) n, sizeof *line, compare_elements);
      for (gint64 i = 0; i < k; i++)
        {
          ((gint64 *) candela_tensor_get_writable_data (*indices))[to + i * step] = (line[i] - first) / step;
          memcpy ((guint8 *) candela_tensor_get_writable_data (*values) + (gsize) (to + i * step) * size,
                  (const guint8 *) element_data + (gsize) line[i] * size, size);
        }
    }
}

static void
check_order (CandelaNode *x, CandelaNode *packed, gint64 axis, const char *what)
{
  g_autoptr (CandelaTensor) tensor = candela_node_get_tensor (packed);
  gint64 n = candela_tensor_get_shape (tensor, NULL)[axis];
  const gint64 some[] = { n, n / 3, 1 };

  for (gint descending = 0; descending < 2; descending++)
    for (guint i = 0; i < G_N_ELEMENTS (some); i++)
      {
        g_autofree char *direction =
          g_strdup_printf ("{'axis': <int64 %d>, 'descending': <%s>}", (int) axis, descending ? "true" : "false");
        g_autofree char *top = g_strdup_printf ("{'k': <int64 %d>, 'axis': <int64 %d>, 'largest': <%s>}", (int) some[i],
                                                (int) axis, descending ? "true" : "false");
        g_autoptr (CandelaTensor) values = NULL, indices = NULL, got_values = NULL, got_indices = NULL;
        g_autoptr (CandelaNode) node = NULL;
        g_autoptr (GError) error = NULL;

        order_by_definition (tensor, axis, descending, MIN (some[i], n), &values, &indices);
        if (i == 0)
          {
            g_autoptr (CandelaTensor) sorted = compute_op ("sort", direction, x, NULL);
            g_autoptr (CandelaTensor) order = compute_op ("argsort", direction, x, NULL);

            assert_same (sorted, values, what);
            assert_same (order, indices, what);
          }
        node = make_op ("topk", top, x, NULL, &error);
        g_assert_no_error (error);
        got_values = compute_output (node, 0);
        got_indices = compute_output (node, 1);
        assert_same (got_values, values, what);
        assert_same (got_indices, indices, what);
      }
}

static const CandelaDType dtypes[] = {
  CANDELA_DTYPE_BOOL,   CANDELA_DTYPE_INT8,    CANDELA_DTYPE_INT16,   CANDELA_DTYPE_INT32,
  CANDELA_DTYPE_INT64,  CANDELA_DTYPE_UINT8,   CANDELA_DTYPE_UINT16,  CANDELA_DTYPE_UINT32,
  CANDELA_DTYPE_UINT64, CANDELA_DTYPE_FLOAT32, CANDELA_DTYPE_FLOAT64,
};

/* Around a vector, the registers that a short range takes, and long ones. */
static void
test_lengths (void)
{
  static const gint64 lengths[] = { 1,  2,  3,  7,   8,   9,   15,  16,  17,  31,  32,   33,   48,   49,
                                    63, 64, 65, 100, 127, 128, 129, 255, 256, 257, 1000, 4097, 20000 };

  for (gsize d = 0; d < G_N_ELEMENTS (dtypes); d++)
    for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
      for (gint many = 0; many < 2; many++)
        {
          g_autoptr (CandelaTensor) tensor = few_or_many (dtypes[d], &lengths[i], 1, many);
          g_autoptr (CandelaNode) x = candela_node_new_tensor (tensor);
          g_autofree char *what = g_strdup_printf ("%s [%d] of %s values", candela_dtype_get_name (dtypes[d]),
                                                   (int) lengths[i], many ? "many" : "few");

          check_order (x, x, 0, what);
        }
}

static void
check_view (CandelaNode *view, CandelaNode *packed, const char *what)
{
  for (gint64 axis = 0; axis < 3; axis++)
    {
      g_autofree char *text = g_strdup_printf ("%s, axis %d", what, (int) axis);

      check_order (view, packed, axis, text);
    }
}

static void
check_layouts (CandelaDType dtype, const gint64 *shape)
{
  g_autoptr (CandelaTensor) base = few_or_many (dtype, shape, 3, FALSE);

  check_views (base, check_view);
}

static void
test_layouts (void)
{
  for (guint threads = 1; threads <= 3; threads += 2)
    {
      candela_set_num_threads (threads);
      check_layouts (CANDELA_DTYPE_FLOAT32, (gint64[]){ 3, 300, 5 });
      check_layouts (CANDELA_DTYPE_FLOAT64, (gint64[]){ 70, 6, 100 });
      check_layouts (CANDELA_DTYPE_INT16, (gint64[]){ 40, 7, 33 });
      check_layouts (CANDELA_DTYPE_UINT8, (gint64[]){ 9, 1000, 2 });
    }
}

/* Keys of 64 bits whose differences are in all of them, and in the low ones of some. */
static void
test_far_apart (void)
{
  const gint64 n = 5000;
  g_autoptr (CandelaTensor) tensor = few_or_many (CANDELA_DTYPE_INT64, &n, 1, FALSE);
  g_autoptr (CandelaNode) x = NULL;
  gint64 *data = candela_tensor_get_writable_data (tensor);

  data[17] = G_MAXINT64;
  data[4000] = G_MININT64;
  for (gint64 i = 0; i < n; i += 3)
    data[i] = data[i] * 1000 + G_GINT64_CONSTANT (0x123456789abcdef);
  x = candela_node_new_tensor (tensor);
  check_order (x, x, 0, "far apart");
}

/* In order, in reverse, like the pipes of an organ, and all but one the same. */
static void
test_patterns (void)
{
  const gint64 n = 30000;

  for (guint pattern = 0; pattern < 4; pattern++)
    for (guint d = 0; d < 2; d++)
      {
        CandelaDType dtype = d == 0 ? CANDELA_DTYPE_INT32 : CANDELA_DTYPE_INT64;
        g_autoptr (CandelaTensor) tensor = few_or_many (dtype, &n, 1, FALSE);
        g_autoptr (CandelaNode) x = NULL;
        gpointer data = candela_tensor_get_writable_data (tensor);
        g_autofree char *what = g_strdup_printf ("pattern %u of dtype %u", pattern, d);

        for (gint64 i = 0; i < n; i++)
          {
            const gint64 values[] = { i, n - i, MIN (i, n - i), i == 77 };

            if (d == 0)
              ((gint32 *) data)[i] = (gint32) values[pattern];
            else
              ((gint64 *) data)[i] = values[pattern];
          }
        x = candela_node_new_tensor (tensor);
        check_order (x, x, 0, what);
      }
}

/* ---- searchsorted ---- */

static void
check_search (const char *params, CandelaNode *const *inputs, gsize n, const char *shape, const char *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) given = read_params (params);
  g_autoptr (CandelaNode) node = candela_node_new_opv ("searchsorted", (CandelaNode **) inputs, n, given, &error);
  g_autoptr (CandelaTensor) got = NULL;

  g_assert_no_error (error);
  got = compute (node);
  assert_elements (got, "int64", shape, wanted, "searchsorted");
}

/* NumPy's answers. */
static void
test_search (void)
{
  g_autoptr (CandelaNode) x1 = make_value ("float64", "6", "1 2 2 3 nan nan");
  g_autoptr (CandelaNode) x2 = make_value ("float64", "2 4", "0 1 2 2.5 3 4 inf nan");
  g_autoptr (CandelaNode) mixed = make_value ("float64", "6", "nan 2 3 1 nan 2");
  g_autoptr (CandelaNode) sorter = make_value ("int16", "6", "3 1 5 2 0 4");
  g_autoptr (CandelaNode) integers = make_value ("int8", "3", "-5 0 5"), one = make_value ("int64", "", "300");
  g_autoptr (CandelaNode) none = make_value ("float32", "0", "");
  CandelaNode *plain[] = { x1, x2 }, *sorted[] = { mixed, x2, sorter }, *wide[] = { integers, one };
  CandelaNode *numbers[] = { integers, x2 }, *empty[] = { none, x2 }, *nothing[] = { x1, none };

  check_search (NULL, plain, 2, "2 4", "0 0 1 3 3 4 4 4");
  check_search ("{'side': <'right'>}", plain, 2, "2 4", "0 1 3 3 4 4 4 6");
  check_search (NULL, sorted, 3, "2 4", "0 0 1 3 3 4 4 4");
  check_search ("{'side': <'right'>}", sorted, 3, "2 4", "0 1 3 3 4 4 4 6");
  check_search (NULL, wide, 2, "", "3");
  check_search (NULL, numbers, 2, "2 4", "1 2 2 2 2 2 3 3");
  check_search (NULL, empty, 2, "2 4", "0 0 0 0 0 0 0 0");
  check_search (NULL, nothing, 2, "0", "");
}

/* Against counting, through views, for every dtype. */
static void
test_search_by_definition (void)
{
  for (gsize d = 0; d < G_N_ELEMENTS (dtypes); d++)
    for (gint64 n = 1; n < 600; n = n * 2 + 1)
      {
        const gint64 m = 900;
        g_autoptr (CandelaTensor) raw = few_or_many (dtypes[d], &n, 1, FALSE), sorted = NULL, got = NULL;
        g_autoptr (CandelaTensor) values = few_or_many (dtypes[d], &m, 1, TRUE), both = NULL, right = NULL;
        g_autoptr (CandelaNode) x = candela_node_new_tensor (raw), x2 = candela_node_new_tensor (values), x1 = NULL;
        const guint8 *elements;
        gsize size = candela_dtype_get_size (dtypes[d]);

        sorted = compute_op ("sort", NULL, x, NULL);
        x1 = candela_node_new_tensor (sorted);
        got = compute_op ("searchsorted", NULL, x1, x2);
        right = compute_op ("searchsorted", "{'side': <'right'>}", x1, x2);
        element_dtype = dtypes[d];
        element_descending = FALSE;
        elements = candela_tensor_get_data (sorted);
        for (gint64 i = 0; i < m; i += 7)
          {
            g_autofree guint8 *pair = g_malloc (size * ((gsize) n + 1));
            gint64 below = 0, not_above = 0;

            /* As element 0 it comes before its equals; as the last, after them. */
            memcpy (pair, (const guint8 *) candela_tensor_get_data (values) + (gsize) i * size, size);
            memcpy (pair + size, elements, (gsize) n * size);
            element_data = pair;
            for (gint64 k = 1; k <= n; k++)
              below += compare_elements (&(gint64){ 0 }, &k) > 0;
            memcpy (pair, elements, (gsize) n * size);
            memcpy (pair + (gsize) n * size, (const guint8 *) candela_tensor_get_data (values) + (gsize) i * size,
                    size);
            for (gint64 k = 0; k < n; k++)
              not_above += compare_elements (&n, &k) > 0;
            g_assert_cmpint (((const gint64 *) candela_tensor_get_data (got))[i], ==, below);
            g_assert_cmpint (((const gint64 *) candela_tensor_get_data (right))[i], ==, not_above);
          }
      }
}

/* ---- Graphs and refusals ---- */

static void
test_graphs (void)
{
  static const char *const texts[] = {
    "t = x * 2.0; sort(t, axis=1) + t",
    "sort(x * 2.0, axis=0)",
    "argsort(argsort(x.T, axis=0, descending=true))",
    "v, i = topk(x * 3.0, 5); v + astype(i, float32)",
    "e = exp(x); s = e / sum(e, axis=1, keepdims=true); sort(s, axis=-1)[:, ::-1], s",
    "searchsorted(sort(reshape(x, [-1])), x + 0.5)",
  };
  const gint64 shape[] = { 70, 130 };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GHashTable) names = names_new ();
      g_autoptr (CandelaTensor) x = few_or_many (CANDELA_DTYPE_FLOAT32, shape, 2, FALSE), wanted = NULL;
      g_autoptr (CandelaNode) root = NULL;
      g_autoptr (CandelaPlan) plan = NULL;
      CandelaTensor **plain;

      put_name (names, "x", candela_node_new_tensor (x));
      root = build (texts[i], names);
      plan = plan_node (root, NO_OPTIMIZATION);
      candela_set_num_threads (1);
      plain = run_plan (plan, NULL);
      wanted = g_object_ref (plain[0]);
      free_tensors (plain, 1);
      check_roots (&root, &wanted, 1, texts[i]);
    }
}

static const OpRefusal refusals[] = {
  { "sort", NULL, "float64", "", CANDELA_ERROR_SHAPE, "sort: x has shape []; an axis is needed" },
  { "sort", "{'axis': <2>}", "float64", "2 3", CANDELA_ERROR_AXIS, "sort: axis 2 is out of range: x has shape [2, 3]" },
  { "argsort", "{'axis': <int64 -9223372036854775808>}", "float64", "2 3", CANDELA_ERROR_AXIS, NULL },
  { "sort", NULL, "complex64", "2", CANDELA_ERROR_DTYPE, NULL },
  { "topk", "{'k': <4>}", "int8", "2 3", CANDELA_ERROR_PARAMETER,
    "topk: k is 4; x has shape [2, 3]: it must be between 0 and 3" },
  { "topk", "{'k': <-1>}", "int8", "2 3", CANDELA_ERROR_PARAMETER, NULL },
  { "topk", NULL, "int8", "2 3", CANDELA_ERROR_PARAMETER, NULL },
};

static void
test_refusals (void)
{
  g_autoptr (CandelaNode) matrix = make_value ("int8", "1 2", "1 2"), line = make_value ("int8", "2", "1 2");
  g_autoptr (CandelaNode) one = make_value ("int8", "1", "0"), outside = make_value ("int64", "2", "0 2");
  CandelaNode *short_sorter[] = { line, line, one }, *wrong_sorter[] = { line, line, outside };
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) node = NULL;

  assert_op_refusals (refusals, G_N_ELEMENTS (refusals));
  assert_refused ("searchsorted", NULL, matrix, line, CANDELA_ERROR_SHAPE,
                  "searchsorted: x1 has shape [1, 2]; it must have one axis");
  assert_refused ("searchsorted", "{'side': <'middle'>}", line, line, CANDELA_ERROR_PARAMETER, NULL);
  g_assert_null (candela_node_new_opv ("searchsorted", short_sorter, 3, NULL, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE);
  g_clear_error (&error);
  node = candela_node_new_opv ("searchsorted", wrong_sorter, 3, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (candela_node_materialize (node, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER);
  g_assert_nonnull (strstr (error->message, "element 1 of sorter is 2; x1 has 2 elements"));
}

static const char *program;

static void
test_other_loops (void)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GError) error = NULL;

  if (g_getenv ("CANDELA_CPU") != NULL)
    {
      g_test_skip ("CANDELA_CPU is set");
      return;
    }
  g_subprocess_launcher_setenv (launcher, "CANDELA_CPU", "baseline", TRUE);
  process = g_subprocess_launcher_spawn (launcher, &error, program, NULL);
  g_assert_no_error (error);
  g_subprocess_wait_check (process, NULL, &error);
  g_assert_no_error (error);
}

int
main (int argc, char **argv)
{
  program = argv[0];
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sort/values", test_values);
  g_test_add_func ("/sort/lengths", test_lengths);
  g_test_add_func ("/sort/layouts", test_layouts);
  g_test_add_func ("/sort/far-apart", test_far_apart);
  g_test_add_func ("/sort/patterns", test_patterns);
  g_test_add_func ("/sort/search", test_search);
  g_test_add_func ("/sort/search-by-definition", test_search_by_definition);
  g_test_add_func ("/sort/graphs", test_graphs);
  g_test_add_func ("/sort/refusals", test_refusals);
  g_test_add_func ("/sort/other-loops", test_other_loops);
  return g_test_run ();
}
