/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Results so large that they are stored past the caches have the bits that the
 * same ops give piece by piece. */
#include "../testing.h"

#define MIB ((gint64) 1 << 20)
#define PIECE 50001

/* Values from 0 to 249, of either sign where there is one. */
static CandelaTensor *
make_large (CandelaDType dtype, gint64 n)
{
  CandelaTensor *tensor = candela_tensor_new (dtype, &n, 1, NULL);
  gpointer data = candela_tensor_get_writable_data (tensor);
  gint64 n_doubles = n * candela_dtype_get_size (dtype) / sizeof (double);

  if (dtype == CANDELA_DTYPE_UINT8)
    for (gint64 i = 0; i < n; i++)
      ((guint8 *) data)[i] = i % 250;
  else
    for (gint64 i = 0; i < n_doubles; i++)
      ((double *) data)[i] = (i % 250) * (i % 3 == 0 ? -0.75 : 1.25);
  return tensor;
}

static CandelaNode *
build_piece (const char *text, CandelaTensor *x, gint64 start, gint64 end)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autofree char *slice = g_strdup_printf ("x = x[%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT "]; %s", start, end, text);

  put_name (names, "x", candela_node_new_tensor (x));
  return build (slice, names);
}

static void
check_pieces (const char *text, CandelaTensor *x, CandelaTensor *whole)
{
  gint64 n = candela_tensor_get_n_elements (x);
  gsize size = candela_dtype_get_size (candela_tensor_get_dtype (whole));

  g_assert_cmpint (candela_tensor_get_n_elements (whole), ==, n);
  for (gint64 start = 0; start < n; start += PIECE)
    {
      g_autoptr (GError) error = NULL;
      gint64 end = MIN (start + PIECE, n);
      g_autoptr (CandelaNode) node = build_piece (text, x, start, end);
      g_autoptr (CandelaTensor) piece = candela_node_materialize (node, &error);

      g_assert_no_error (error);
      if (memcmp (candela_tensor_get_data (piece), (const guint8 *) candela_tensor_get_data (whole) + start * size,
                  (end - start) * size)
          != 0)
        g_error ("%s: other bits between %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT, text, start, end);
    }
}

static void
test_pieces (void)
{
  static const struct
  {
    const char *text;
    CandelaDType dtype;
    gint64 n;
  } cases[] = {
    { "x * 2.0 + 1.0", CANDELA_DTYPE_FLOAT64, MIB },
    { "exp(x * 0.01) - x", CANDELA_DTYPE_FLOAT64, MIB + 37 },
    { "x > 100.0", CANDELA_DTYPE_FLOAT64, 8 * MIB + 13 },
    { "x * x", CANDELA_DTYPE_UINT8, 8 * MIB + 77 },
    { "q, r = divmod(x, 7.0); q", CANDELA_DTYPE_FLOAT64, MIB + 1 },
    { "q, r = divmod(x, 7.0); r", CANDELA_DTYPE_FLOAT64, MIB + 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (CandelaTensor) x = make_large (cases[i].dtype, cases[i].n);
      g_autoptr (CandelaNode) node = build_piece (cases[i].text, x, 0, cases[i].n);
      g_autoptr (CandelaPlan) plan = plan_node (node, CANDELA_PLAN_DEFAULT);

      for (guint threads = 1; threads <= 3; threads += 2)
        {
          CandelaTensor **got;

          candela_set_num_threads (threads);
          got = run_plan (plan, NULL);
          check_pieces (cases[i].text, x, got[0]);
          free_tensors (got, 1);
        }
    }
  candela_set_num_threads (0);
}

/* Values that later steps read, on other threads too: x[i] + x[n - 1 - i] of the
 * numbers from 0 on, doubled, is the same everywhere. */
static void
test_read_again (void)
{
  const gint64 n = 4 * MIB + 9;
  g_autoptr (GHashTable) names = names_new ();
  g_autofree char *text = g_strdup_printf ("t = arange(%" G_GINT64_FORMAT ".0) * 2.0; t + t[::-1]", n);
  g_autoptr (CandelaNode) node = build (text, names);

  for (guint threads = 1; threads <= 3; threads += 2)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaTensor) sum = NULL;
      const double *data;

      candela_set_num_threads (threads);
      sum = candela_node_materialize (node, &error);
      g_assert_no_error (error);
      data = candela_tensor_get_data (sum);
      for (gint64 i = 0; i < n; i++)
        if (data[i] != 2.0 * (double) (n - 1))
          g_error ("element %" G_GINT64_FORMAT " is %g", i, data[i]);
    }
  candela_set_num_threads (0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stream/pieces", test_pieces);
  g_test_add_func ("/stream/read-again", test_read_again);
  return g_test_run ();
}
