/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The lapack plugin on random matrices: products of what a matrix was decomposed into, and
 * the same bits from any layout, place in a stack and number of threads. */
#include "op-testing.h"

/* ---- Products ---- */

static CandelaNode *
make_random (CandelaDType dtype, gint64 stack, gint64 rows, gint64 cols)
{
  gint64 shape[3] = { stack, rows, cols }, n = stack * rows * cols * (is_complex (dtype) ? 2 : 1);
  g_autoptr (CandelaTensor) tensor = candela_tensor_new (dtype, shape, 3, NULL);
  gpointer data = candela_tensor_get_writable_data (tensor);

  for (gint64 i = 0; i < n; i++)
    if (dtype == CANDELA_DTYPE_FLOAT32 || dtype == CANDELA_DTYPE_COMPLEX64)
      ((float *) data)[i] = (float) sin (1.7 * (double) i + 0.3 * (double) (i * i % 101));
    else
      ((double *) data)[i] = sin (1.7 * (double) i + 0.3 * (double) (i * i % 101));
  return candela_node_new_tensor (tensor);
}

typedef struct
{
  double re, im;
} Complex;

/* Element of a matrix of a stack, conjugate transposed if that is asked for. */
static Complex
element (CandelaTensor *stack, gint64 matrix, gint64 row, gint64 col, gboolean adjoint)
{
  gsize rank;
  const gint64 *shape = candela_tensor_get_shape (stack, &rank);
  gint64 rows = shape[rank - 2], cols = shape[rank - 1];
  gint64 at = matrix * rows * cols + (adjoint ? col * cols + row : row * cols + col);
  gboolean complex = is_complex (candela_tensor_get_dtype (stack));

  if (!complex)
    return (Complex){ part_of (stack, at), 0 };
  return (Complex){ part_of (stack, 2 * at), part_of (stack, 2 * at + 1) * (adjoint ? -1 : 1) };
}

/* max | A diag (d) B - C |, where d may be NULL, and C too: the identity. Of the result
 * that many rows and columns are looked at, and of A and B so much within. */
static double
distance (CandelaTensor *a, gboolean a_adjoint, CandelaTensor *d, CandelaTensor *b, gboolean b_adjoint,
          CandelaTensor *c, gint64 stack, gint64 rows, gint64 inner, gint64 cols)
{
  double most = 0;

  for (gint64 m = 0; m < stack; m++)
    for (gint64 i = 0; i < rows; i++)
      for (gint64 j = 0; j < cols; j++)
        {
          Complex sum = c != NULL ? element (c, m, i, j, FALSE) : (Complex){ i == j, 0 };

          for (gint64 k = 0; k < inner; k++)
            {
              Complex x = element (a, m, i, k, a_adjoint), y = element (b, m, k, j, b_adjoint);
              double scale = d != NULL ? part_of (d, m * inner + k) : 1;

              sum.re -= (x.re * y.re - x.im * y.im) * scale;
              sum.im -= (x.re * y.im + x.im * y.re) * scale;
            }
          most = fmax (most, hypot (sum.re, sum.im));
        }
  return most;
}

static const CandelaDType dtypes[] = { CANDELA_DTYPE_FLOAT32, CANDELA_DTYPE_FLOAT64, CANDELA_DTYPE_COMPLEX64,
                                       CANDELA_DTYPE_COMPLEX128 };
static const gint64 sides[][2] = { { 1, 1 }, { 3, 2 }, { 2, 3 }, { 7, 7 }, { 40, 33 }, { 33, 40 } };

static double
tolerance_of (CandelaDType dtype)
{
  return dtype == CANDELA_DTYPE_FLOAT32 || dtype == CANDELA_DTYPE_COMPLEX64 ? 1e-4 : 1e-12;
}

static CandelaTensor *
compute_text (const char *text, CandelaNode *x)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) names =
    g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) candela_node_unref);
  g_autoptr (CandelaNode) node = NULL;

  g_hash_table_insert (names, "x", candela_node_ref (x));
  node = candela_expression_build_with_names (text, names, &error);
  g_assert_no_error (error);
  return compute (node);
}

/* Of few rows and of more, one column and several. */
static void
test_solve (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (dtypes); t++)
    for (gint64 n = 1; n < 40; n += n < 15 ? 7 : 1)
      for (gint64 cols = 1; cols < 4; cols += 2)
        {
          g_autofree char *text =
            g_strdup_printf ("x + 8 * eye(%" G_GINT64_FORMAT ", dtype=%s)", n, candela_dtype_get_name (dtypes[t]));
          g_autoptr (CandelaNode) x = make_random (dtypes[t], 2, n, n), b = make_random (dtypes[t], 2, n, cols);
          g_autoptr (CandelaTensor) a = compute_text (text, x), right = candela_node_get_tensor (b), got = NULL;
          g_autoptr (CandelaNode) a_node = candela_node_new_tensor (a);

          got = compute_op ("solve", NULL, a_node, b);
          g_assert_cmpfloat (distance (a, FALSE, NULL, got, FALSE, right, 2, n, n, cols), <=, tolerance_of (dtypes[t]));
        }
}

static void
test_qr (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (dtypes); t++)
    for (guint s = 0; s < G_N_ELEMENTS (sides); s++)
      for (guint complete = 0; complete < 2; complete++)
        {
          gint64 m = sides[s][0], n = sides[s][1], inner = complete ? m : MIN (m, n);
          g_autoptr (GError) error = NULL;
          g_autoptr (CandelaNode) x = make_random (dtypes[t], 2, m, n);
          g_autoptr (CandelaNode) node = make_op ("qr", complete ? "{'mode': <'complete'>}" : NULL, x, NULL, &error);
          g_autoptr (CandelaTensor) a = candela_node_get_tensor (x), q = NULL, r = NULL;

          g_assert_no_error (error);
          q = compute_output (node, 0);
          r = compute_output (node, 1);
          g_assert_cmpfloat (distance (q, FALSE, NULL, r, FALSE, a, 2, m, inner, n), <=, tolerance_of (dtypes[t]));
          g_assert_cmpfloat (distance (q, TRUE, NULL, q, FALSE, NULL, 2, inner, m, inner), <=,
                             tolerance_of (dtypes[t]));
          for (gint64 matrix = 0; matrix < 2; matrix++)
            for (gint64 i = 0; i < inner; i++)
              for (gint64 j = 0; j < MIN (i, n); j++)
                g_assert_true (element (r, matrix, i, j, FALSE).re == 0 && element (r, matrix, i, j, FALSE).im == 0);
        }
}

static void
test_svd (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (dtypes); t++)
    for (guint s = 0; s < G_N_ELEMENTS (sides); s++)
      for (guint full = 0; full < 2; full++)
        {
          gint64 m = sides[s][0], n = sides[s][1], k = MIN (m, n);
          g_autoptr (GError) error = NULL;
          g_autoptr (CandelaNode) x = make_random (dtypes[t], 2, m, n);
          g_autoptr (CandelaNode) node = make_op ("svd", full ? NULL : "{'full_matrices': <false>}", x, NULL, &error);
          g_autoptr (CandelaTensor) a = candela_node_get_tensor (x), u = NULL, values = NULL, vh = NULL;
          double allowed = tolerance_of (dtypes[t]);

          g_assert_no_error (error);
          u = compute_output (node, 0);
          values = compute_output (node, 1);
          vh = compute_output (node, 2);
          g_assert_cmpfloat (distance (u, FALSE, values, vh, FALSE, a, 2, m, k, n), <=, allowed);
          g_assert_cmpfloat (distance (u, TRUE, NULL, u, FALSE, NULL, 2, full ? m : k, m, full ? m : k), <=, allowed);
          g_assert_cmpfloat (distance (vh, FALSE, NULL, vh, TRUE, NULL, 2, full ? n : k, n, full ? n : k), <=, allowed);
          for (gint64 i = 0; i + 1 < 2 * k; i++)
            if ((i + 1) % k != 0)
              g_assert_cmpfloat (part_of (values, i), >=, part_of (values, i + 1));
        }
}

/* Eigenvectors and Cholesky factors of x x^H + 1. */
static void
test_hermitian (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (dtypes); t++)
    for (gint64 n = 1; n < 60; n = 2 * n + 1)
      {
        gint64 shape[3] = { 2, n, n };
        g_autoptr (GError) error = NULL;
        g_autoptr (CandelaNode) x = make_random (dtypes[t], 2, n, n), h_node = NULL, node = NULL;
        g_autoptr (CandelaTensor) a = candela_node_get_tensor (x), h = candela_tensor_new (dtypes[t], shape, 3, NULL);
        g_autoptr (CandelaTensor) values = NULL, vectors = NULL, l = NULL, u = NULL;
        gboolean complex = is_complex (dtypes[t]), single = tolerance_of (dtypes[t]) > 1e-6;
        double allowed = tolerance_of (dtypes[t]) * (double) n;

        for (gint64 at = 0; at < 2 * n * n; at++)
          {
            gint64 m = at / (n * n), i = at / n % n, j = at % n;
            double part[2] = { i == j, 0 };

            for (gint64 k = 0; k < n; k++)
              {
                Complex p = element (a, m, i, k, FALSE), q = element (a, m, k, j, TRUE);

                part[0] += p.re * q.re - p.im * q.im;
                part[1] += p.re * q.im + p.im * q.re;
              }
            for (gint64 c = 0; c < (complex ? 2 : 1); c++)
              if (single)
                ((float *) candela_tensor_get_writable_data (h))[at * (complex ? 2 : 1) + c] = (float) part[c];
              else
                ((double *) candela_tensor_get_writable_data (h))[at * (complex ? 2 : 1) + c] = part[c];
          }
        h_node = candela_node_new_tensor (h);
        node = make_op ("eigh", NULL, h_node, NULL, &error);
        g_assert_no_error (error);
        values = compute_output (node, 0);
        vectors = compute_output (node, 1);
        g_assert_cmpfloat (distance (vectors, TRUE, NULL, vectors, FALSE, NULL, 2, n, n, n), <=, allowed);
        for (gint64 m = 0; m < 2; m++)
          for (gint64 j = 0; j < n; j++)
            for (gint64 i = 0; i < n; i++)
              {
                Complex v = element (vectors, m, i, j, FALSE), sum = { 0, 0 };
                double value = part_of (values, m * n + j);

                for (gint64 k = 0; k < n; k++)
                  {
                    Complex p = element (h, m, i, k, FALSE), q = element (vectors, m, k, j, FALSE);

                    sum.re += p.re * q.re - p.im * q.im;
                    sum.im += p.re * q.im + p.im * q.re;
                  }
                g_assert_cmpfloat (hypot (sum.re - value * v.re, sum.im - value * v.im), <=, 10 * allowed);
              }
        l = compute_op ("cholesky", NULL, h_node, NULL);
        u = compute_op ("cholesky", "{'upper': <true>}", h_node, NULL);
        g_assert_cmpfloat (distance (l, FALSE, NULL, l, TRUE, h, 2, n, n, n), <=, allowed);
        g_assert_cmpfloat (distance (u, TRUE, NULL, u, FALSE, h, 2, n, n, n), <=, allowed);
      }
}

/* ---- Bits ---- */

static const char *const texts[] = {
  "inv(x)",
  "pinv(x)",
  "matrix_power(x, 5)",
  "solve(x, x[..., :3])",
  "solve(x, x[..., 0:1])",
  "solve(x[..., :5, 3:8], x[..., :5, 0:1])",
  "q, r = qr(x[..., :20]); q + 0.0",
  "u, s, v = svd(x[..., :20]); u + 0.0",
  "l, v = eigh(x); v + 0.0",
  "cholesky(x + x.mT + 100 * eye(33))",
  "sign, size = slogdet(x); size + 0.0",
  "matrix_norm(x, ord=\"1\")",
  "vector_norm(x, axis=-1)",
  "vector_norm(x, axis=[0, 2])",
  "vector_norm(x, axis=[1, 2], ord=3.0)",
};

/* 33² elements are no whole number of cache lines: every matrix stands differently. */
static void
test_bits (void)
{
  g_autoptr (CandelaNode) x = make_random (CANDELA_DTYPE_FLOAT64, 40, 33, 33);
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) turned_node = make_op ("matrix_transpose", NULL, x, NULL, &error), packed = NULL,
                          turned = NULL;
  g_autoptr (CandelaTensor) packed_tensor = NULL;

  g_assert_no_error (error);
  packed_tensor = compute_text ("contiguous(x)", turned_node);
  packed = candela_node_new_tensor (packed_tensor);
  turned = make_op ("matrix_transpose", NULL, packed, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (CandelaTensor) first = NULL, other = NULL, strided = NULL;

      candela_set_num_threads (1);
      first = compute_text (texts[i], x);
      candela_set_num_threads (3);
      other = compute_text (texts[i], x);
      strided = compute_text (texts[i], turned);
      assert_same (other, first, texts[i]);
      assert_same (strided, first, texts[i]);
      if (g_str_has_prefix (texts[i], "vector_norm(x, axis=[0"))
        continue;
      for (gint64 matrix = 0; matrix < 40; matrix += 13)
        {
          g_autofree char *part = g_strdup_printf ("x[%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT "]", matrix, matrix + 1);
          g_autofree char *packed = g_strdup_printf ("contiguous(%s)", part);
          g_autoptr (CandelaTensor) part_of_x = compute_text (part, x), alone = NULL, wanted = NULL;
          g_autoptr (CandelaNode) alone_node = candela_node_new_tensor (part_of_x);
          g_autoptr (CandelaNode) first_node = candela_node_new_tensor (first);

          alone = compute_text (texts[i], alone_node);
          wanted = compute_text (packed, first_node);
          assert_same (alone, wanted, texts[i]);
        }
    }
  candela_set_num_threads (0);
}

/* A vector of many parts, as others add it up; and one whose squares are too large. */
static void
test_long_vector (void)
{
  gint64 n = 300000;
  g_autoptr (CandelaTensor) tensor = candela_tensor_new (CANDELA_DTYPE_FLOAT64, &n, 1, NULL);
  g_autoptr (CandelaNode) x = candela_node_new_tensor (tensor);
  long double sum = 0;

  for (gint64 i = 0; i < n; i++)
    {
      double value = sin ((double) i);

      ((double *) candela_tensor_get_writable_data (tensor))[i] = value;
      sum += (long double) value * value;
    }
  for (guint threads = 1; threads <= 3; threads += 2)
    {
      g_autoptr (CandelaTensor) got = NULL, large = NULL;

      candela_set_num_threads (threads);
      got = compute_text ("vector_norm(x)", x);
      large = compute_text ("vector_norm(x * 1e300) / 1e300", x);
      g_assert_cmpfloat_with_epsilon (part_of (got, 0), (double) sqrtl (sum), 1e-11);
      g_assert_cmpfloat_with_epsilon (part_of (large, 0), (double) sqrtl (sum), 1e-11);
    }
  candela_set_num_threads (0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/decompositions/solve", test_solve);
  g_test_add_func ("/decompositions/qr", test_qr);
  g_test_add_func ("/decompositions/svd", test_svd);
  g_test_add_func ("/decompositions/hermitian", test_hermitian);
  g_test_add_func ("/decompositions/bits", test_bits);
  g_test_add_func ("/decompositions/long-vector", test_long_vector);
  return g_test_run ();
}
