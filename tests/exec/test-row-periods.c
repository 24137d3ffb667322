/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows of two axes, along one of which an operand is repeated, or has its rows as far apart as along no other:
 * the values that plain loops over whole numbers give, which are the same in any order and all dtypes. */
#include "../testing.h"

/* x, w: [n, m] and [2n, m]; y: [p, m]; z: [n, p, m]; v, of the same numbers: [p, n, m]; c: [n]; r: [p]. */
typedef struct
{
  gint64 n, p, m;
  int *x, *w, *y, *z, *c, *r;
} Data;

typedef struct
{
  const char *text; /* elements */
  int (*element) (const Data *data, gint64 i, gint64 k, gint64 j);
} Case;

#define X(i, j) data->x[(i) *data->m + (j)]
#define W(i, j) data->w[(i) *data->m + (j)]
#define Y(k, j) data->y[(k) *data->m + (j)]
#define Z(i, k, j) data->z[((i) *data->p + (k)) * data->m + (j)]
#define ELEMENT(name, value)                                                                                           \
  static int name (const Data *data, gint64 i, gint64 k, gint64 j)                                                     \
  {                                                                                                                    \
    return value;                                                                                                      \
  }

ELEMENT (difference, X (i, j) - Y (k, j))
ELEMENT (reversed, X (data->n - 1 - i, j) - Y (data->p - 1 - k, j))
ELEMENT (sliced, Y (k, j) - W (2 * i, j))
ELEMENT (backwards, Z (i, data->p - 1 - k, j) - Y (k, j))
ELEMENT (crossed, Z (0, k * data->n + i, j) * X (i, j))
ELEMENT (numbers, X (i, j) * data->c[i] + data->r[k])
ELEMENT (both, data->c[i] * Z (i, k, j) - data->r[data->p - 1 - k] * Z (i, k, j))
ELEMENT (three, (X (i, j) + Y (k, j)) * Z (i, k, j) - W (2 * i + 1, j))
ELEMENT (first, Z (i, 0, j) - Z (i, k, j) + Z (0, k, j))

static const Case cases[] = {
  { "x[:, None] - y", difference },
  { "x[::-1, None] - y[::-1]", reversed },
  { "y - w[::2, None]", sliced },
  { "z[:, ::-1] - y", backwards },
  { "permute_dims(v, [1, 0, 2]) * x[:, None]", crossed },
  { "x[:, None] * c[:, None, None] + r[:, None]", numbers },
  { "c[:, None, None] * z - r[::-1, None] * z", both },
  { "(x[:, None] + y) * z - w[1::2, None]", three },
  { "z[:, 0:1] - z + z[0]", first },
};

static int *
make_numbers (gint64 n, guint32 seed)
{
  int *numbers = g_new (int, n);

  for (gint64 k = 0; k < n; k++)
    numbers[k] = (int) ((seed = seed * 1664525 + 1013904223) >> 29) - 3;
  return numbers;
}

static void
put_numbers (GHashTable *names, const char *name, CandelaDType dtype, const int *numbers, const gint64 *shape,
             guint rank)
{
  g_autoptr (CandelaTensor) tensor = candela_tensor_new (dtype, shape, rank, NULL);

  candela_dtype_convert (CANDELA_DTYPE_INT32, numbers, dtype, candela_tensor_get_writable_data (tensor),
                         (gsize) candela_tensor_get_n_elements (tensor));
  put_name (names, name, candela_node_new_tensor (tensor));
}

static Data
make_data (GHashTable *names, CandelaDType dtype, gint64 n, gint64 p, gint64 m)
{
  const gint64 shapes[][3] = { { n, m }, { 2 * n, m }, { p, m }, { n, p, m }, { p, n, m }, { n }, { p } };
  Data data = { n,
                p,
                m,
                make_numbers (n * m, 1),
                make_numbers (2 * n * m, 2),
                make_numbers (p * m, 3),
                make_numbers (n * p * m, 4),
                make_numbers (n, 5),
                make_numbers (p, 6) };

  put_numbers (names, "x", dtype, data.x, shapes[0], 2);
  put_numbers (names, "w", dtype, data.w, shapes[1], 2);
  put_numbers (names, "y", dtype, data.y, shapes[2], 2);
  put_numbers (names, "z", dtype, data.z, shapes[3], 3);
  put_numbers (names, "v", dtype, data.z, shapes[4], 3);
  put_numbers (names, "c", dtype, data.c, shapes[5], 1);
  put_numbers (names, "r", dtype, data.r, shapes[6], 1);
  return data;
}

static void
clear_data (Data *data)
{
  g_free (data->x);
  g_free (data->w);
  g_free (data->y);
  g_free (data->z);
  g_free (data->c);
  g_free (data->r);
}

enum {
  SQUARES,
  LARGEST,
  SMALLEST,
  REST,
  ELEMENTS,
  N_RESULTS
};

static void
compute_wanted (const Data *data, const Case *c, double **wanted)
{
  int *row = g_new (int, data->m);

  for (gint64 i = 0; i < data->n; i++)
    for (gint64 k = 0; k < data->p; k++)
      {
        gint64 at = i * data->p + k;
        int sum = 0, squares = 0, most = G_MININT, least = G_MAXINT;

        for (gint64 j = 0; j < data->m; j++)
          {
            row[j] = c->element (data, i, k, j);
            sum += row[j];
            squares += row[j] * row[j];
            most = MAX (most, row[j]);
            least = MIN (least, row[j]);
          }
        wanted[SQUARES][at] = squares;
        wanted[LARGEST][at] = 2 * most - sum;
        wanted[SMALLEST][at] = least;
        for (gint64 j = 0; j < data->m; j++)
          {
            wanted[REST][at * data->m + j] = 2 * row[j] - sum;
            wanted[ELEMENTS][at * data->m + j] = row[j];
          }
      }
  g_free (row);
}

static void
check_result (CandelaTensor *got, const double *wanted, const char *what)
{
  gint64 n = candela_tensor_get_n_elements (got);
  g_autofree double *values = g_new (double, n);

  candela_dtype_convert (candela_tensor_get_dtype (got), candela_tensor_get_data (got), CANDELA_DTYPE_FLOAT64, values,
                         (gsize) n);
  for (gint64 k = 0; k < n; k++)
    if (values[k] != wanted[k])
      g_error ("%s: element %" G_GINT64_FORMAT " is %g, not %g", what, k, values[k], wanted[k]);
}

static void
check_plan (GHashTable *names, const char *text, double *const *wanted, gsize n)
{
  g_autoptr (CandelaExpression) expression = parse (text, names);
  g_autoptr (CandelaPlan) plan = NULL;
  CandelaNode *roots[N_RESULTS];

  g_assert_cmpuint (candela_expression_get_n_values (expression), ==, n);
  for (guint v = 0; v < n; v++)
    roots[v] = candela_expression_get_nth_value (expression, v);
  plan = plan_roots (roots, n, CANDELA_PLAN_DEFAULT);
  for (guint threads = 1; threads <= 4; threads++)
    {
      CandelaTensor **got;

      candela_set_num_threads (threads);
      got = run_plan (plan, NULL);
      for (guint v = 0; v < n; v++)
        check_result (got[v], wanted[v], text);
      free_tensors (got, n);
    }
  candela_set_num_threads (0);
}

/* What only a reduction reads, what several do and is read again, and a step alone. */
static void
check_case (GHashTable *names, const Data *data, const Case *c)
{
  g_autofree char *alone = g_strdup_printf ("d = %s; sum(d * d, axis=2)", c->text);
  g_autofree char *again =
    g_strdup_printf ("d = %s; u = d * 2 - sum(d, axis=2, keepdims=true); max(u, axis=2), min(d, axis=2), u", c->text);
  double *wanted[N_RESULTS];

  for (guint v = 0; v < N_RESULTS; v++)
    wanted[v] = g_new (double, data->n * data->p * (v >= REST ? data->m : 1));
  compute_wanted (data, c, wanted);
  check_plan (names, alone, wanted + SQUARES, 1);
  check_plan (names, again, wanted + LARGEST, 3);
  check_plan (names, c->text, wanted + ELEMENTS, 1);
  for (guint v = 0; v < N_RESULTS; v++)
    g_free (wanted[v]);
}

/* Periods that are no multiple of what threads and blocks take, of rows that are whole blocks of stages and not. */
static void
test_case (gconstpointer c)
{
  static const gint64 shapes[][3] = { { 5, 3, 4 },     { 797, 10, 64 }, { 302, 5, 256 }, { 1501, 2, 128 },
                                      { 211, 7, 300 }, { 999, 1, 64 },  { 37, 11, 512 }, { 3, 301, 256 } };
  static const CandelaDType dtypes[] = { CANDELA_DTYPE_FLOAT32, CANDELA_DTYPE_FLOAT64, CANDELA_DTYPE_INT32 };

  for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
    for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
      {
        g_autoptr (GHashTable) names = names_new ();
        Data data = make_data (names, dtypes[d], shapes[s][0], shapes[s][1], shapes[s][2]);

        check_case (names, &data, c);
        clear_data (&data);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/row-periods/%u", i);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/row-periods/instruction-sets", run_with_instruction_sets);
  return g_test_run ();
}
