/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The libraries that multiply matrices: each that CANDELA_LINALG can ask for gives the
 * right products, and the same bits whatever the numbers of threads are, in the child
 * of a fork, and beside others who use the same library in their own way. Products of
 * small whole numbers are exact in every order of summation. */
#include "op-testing.h"

#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* LeakSanitizer falls over the threads of OpenMP, which end with the process. */
int __lsan_is_turned_off (void);

int
__lsan_is_turned_off (void)
{
  return 1;
}

static const char *const libraries[] = { "", "cblas", "onednn" };
static const char *program;

typedef struct
{
  gint64 rows, inner, cols;
} Extents;

/* On both sides of every edge: small and not, panels of rows and of columns, one row,
 * one column, blocks with a single row left, halves, and wide but not deep. */
static const Extents extents[] = {
  { 5, 7, 3 },       { 64, 64, 64 },    { 65, 64, 64 },     { 300, 300, 301 }, { 530, 600, 512 }, { 7, 900, 2100 },
  { 1, 1500, 2600 }, { 2600, 1500, 1 }, { 600, 1100, 6 },   { 700, 1, 700 },   { 1, 3, 1 },       { 257, 1030, 1100 },
  { 97, 300, 130 },  { 150, 130, 129 }, { 1100, 40, 2100 }, { 128, 128, 64 },  { 9, 512, 220 },   { 97, 64, 128 },
};

/* A matrix that lies by columns if that is asked for. */
static CandelaNode *
make_matrix (CandelaDType dtype, gint64 rows, gint64 cols, gboolean by_columns, gboolean whole, double *values)
{
  g_autoptr (GError) error = NULL;
  gint64 n = rows * cols;
  g_autoptr (CandelaTensor) base = candela_tensor_new (dtype, &n, 1, &error);
  gpointer data;

  g_assert_no_error (error);
  data = candela_tensor_get_writable_data (base);
  for (gint64 i = 0; i < rows; i++)
    for (gint64 j = 0; j < cols; j++)
      {
        gint64 at = by_columns ? j * rows + i : i * cols + j;
        double value = whole ? (double) ((i * 5 + j * 3) % 7 - 3) : sin ((double) (i * cols + j));

        if (dtype == CANDELA_DTYPE_FLOAT32)
          ((float *) data)[at] = (float) value;
        else
          ((double *) data)[at] = value;
        if (values != NULL)
          values[i * cols + j] = value;
      }
  return make_view (base, candela_layout_new_strided ((gint64[]){ rows, cols }, 2,
                                                      by_columns ? (gint64[]){ 1, rows } : (gint64[]){ cols, 1 }, 2, 0,
                                                      &error));
}

static double
get_element (CandelaTensor *tensor, gint64 i)
{
  gconstpointer data = candela_tensor_get_data (tensor);

  return candela_tensor_get_dtype (tensor) == CANDELA_DTYPE_FLOAT32 ? ((const float *) data)[i]
                                                                    : ((const double *) data)[i];
}

static void
check_values (CandelaDType dtype, const Extents *e, guint how)
{
  g_autofree double *a = g_new (double, e->rows * e->inner), *b = g_new (double, e->inner * e->cols);
  g_autofree double *row = g_new (double, e->cols);
  g_autoptr (CandelaNode) left = make_matrix (dtype, e->rows, e->inner, (how & 1) != 0, TRUE, a);
  g_autoptr (CandelaNode) right = make_matrix (dtype, e->inner, e->cols, (how & 2) != 0, TRUE, b);
  g_autoptr (CandelaTensor) product = compute_op ("matmul", NULL, left, right);

  for (gint64 i = 0; i < e->rows; i++)
    {
      for (gint64 j = 0; j < e->cols; j++)
        row[j] = 0.0;
      for (gint64 k = 0; k < e->inner; k++)
        for (gint64 j = 0; j < e->cols; j++)
          row[j] += a[i * e->inner + k] * b[k * e->cols + j];
      for (gint64 j = 0; j < e->cols; j++)
        g_assert_cmpfloat (get_element (product, i * e->cols + j), ==, row[j]);
    }
}

static void
checksum_products (GChecksum *checksum)
{
  const CandelaDType dtypes[] = { CANDELA_DTYPE_FLOAT32, CANDELA_DTYPE_FLOAT64 };

  for (gsize d = 0; d < G_N_ELEMENTS (dtypes); d++)
    for (gsize i = 0; i < G_N_ELEMENTS (extents); i++)
      {
        const Extents *e = &extents[i];
        g_autoptr (CandelaNode) left = make_matrix (dtypes[d], e->rows, e->inner, FALSE, FALSE, NULL);
        g_autoptr (CandelaNode) right = make_matrix (dtypes[d], e->inner, e->cols, i % 2 != 0, FALSE, NULL);
        g_autoptr (CandelaTensor) product = compute_op ("matmul", NULL, left, right);

        g_checksum_update (checksum, candela_tensor_get_data (product),
                           (gssize) ((gsize) (e->rows * e->cols) * candela_dtype_get_size (dtypes[d])));
      }
}

static void
print_checksum (void)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);

  checksum_products (checksum);
  g_print ("%s\n", g_checksum_get_string (checksum));
}

/* ---- What this program does when it runs itself ---- */

/* Somebody else has loaded the library, and for another processor. */
static void
load_for_another_processor (void)
{
  g_setenv ("OPENBLAS_CORETYPE", "Prescott", TRUE);
  g_assert_nonnull (dlopen (CBLAS_SONAME, RTLD_NOW | RTLD_LOCAL));
  g_unsetenv ("OPENBLAS_CORETYPE");
}

/* After a product of this process, on all its threads. */
static int
print_from_child (void)
{
  g_autoptr (CandelaNode) a = make_matrix (CANDELA_DTYPE_FLOAT32, 600, 600, FALSE, FALSE, NULL);
  g_autoptr (CandelaNode) b = make_matrix (CANDELA_DTYPE_FLOAT64, 600, 600, FALSE, FALSE, NULL);
  g_autoptr (CandelaTensor) c = compute_op ("matmul", NULL, a, a), d = compute_op ("matmul", NULL, b, b);
  pid_t child = fork ();
  int status;

  if (child == 0)
    {
      alarm (120);
      print_checksum ();
      fflush (stdout);
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  return status != 0;
}

static int
run_mode (const char *mode)
{
  if (g_str_equal (mode, "fork"))
    return print_from_child ();
  if (g_str_equal (mode, "other"))
    load_for_another_processor ();
  print_checksum ();
  return 0;
}

/* What it prints then, with the variables set that follow, up to a NULL. */
static char *
run_self (const char *mode, const char *library, ...)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) environment = g_environ_setenv (g_get_environ (), "CANDELA_TEST_MODE", mode, TRUE);
  char *arguments[] = { (char *) program, NULL };
  const char *variable;
  char *output = NULL;
  va_list list;
  int status;

  environment = g_environ_setenv (environment, "CANDELA_LINALG", library, TRUE);
  va_start (list, library);
  while ((variable = va_arg (list, const char *)) != NULL)
    environment = g_environ_setenv (environment, variable, va_arg (list, const char *), TRUE);
  va_end (list);
  g_spawn_sync (NULL, arguments, environment, G_SPAWN_SEARCH_PATH, NULL, NULL, &output, NULL, &status, &error);
  g_assert_no_error (error);
  g_assert_true (g_spawn_check_wait_status (status, &error));
  g_assert_cmpuint (strlen (output), ==, 65);
  return output;
}

/* ---- Tests ---- */

static void
test_values (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (extents); i++)
    for (guint how = 0; how < 4; how++)
      {
        check_values (CANDELA_DTYPE_FLOAT32, &extents[i], how);
        check_values (CANDELA_DTYPE_FLOAT64, &extents[i], how);
      }
}

/* What follows a product runs on each panel when it is done: as on the whole product. */
static void
check_followed (CandelaNode *left, CandelaNode *right)
{
  static const char *const after = "gelu(p * 0.5 + 0.25)";
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) product = compute_op ("matmul", NULL, left, right);
  g_autoptr (CandelaNode) value = candela_node_new_tensor (product), p = make_op ("matmul", NULL, left, right, &error);
  g_autoptr (CandelaNode) apart = candela_expression_build (after, &error, "p", value, NULL);
  g_autoptr (CandelaNode) together = candela_expression_build (after, &error, "p", p, NULL);
  g_autoptr (CandelaTensor) wanted = compute (apart), got = compute (together);

  g_assert_no_error (error);
  assert_same (got, wanted, after);
}

static void
test_followed (void)
{
  const CandelaDType dtypes[] = { CANDELA_DTYPE_FLOAT32, CANDELA_DTYPE_FLOAT64 };

  for (gsize d = 0; d < G_N_ELEMENTS (dtypes); d++)
    for (gsize i = 0; i < G_N_ELEMENTS (extents); i++)
      {
        const Extents *e = &extents[i];
        g_autoptr (CandelaNode) left = make_matrix (dtypes[d], e->rows, e->inner, FALSE, FALSE, NULL);
        g_autoptr (CandelaNode) right = make_matrix (dtypes[d], e->inner, e->cols, FALSE, FALSE, NULL);

        check_followed (left, right);
      }
}

static void
test_stacks_followed (void)
{
  static const char *const stacks[] = { "reshape(x, [60, 40, 40])", "reshape(x, [24000, 2, 2])",
                                        "reshape(x, [6, 400, 40])" };

  for (gsize i = 0; i < G_N_ELEMENTS (stacks); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaNode) x = make_matrix (CANDELA_DTYPE_FLOAT32, 60, 1600, FALSE, FALSE, NULL);
      g_autoptr (CandelaNode) left = candela_expression_build (stacks[i], &error, "x", x, NULL);
      g_autoptr (CandelaNode) right = candela_expression_build ("permute_dims(x, [0, 2, 1])", &error, "x", left, NULL);

      g_assert_no_error (error);
      check_followed (left, right);
    }
}

/* A few large products, whose panels are shared one product after the other; some more,
 * small, which are shared whole. In whole numbers each is what it is alone. */
static void
test_stacks (void)
{
  static const char *const stacks[] = { "reshape(x, [3, 300, 200])", "reshape(x, [50, 30, 120])" };
  const CandelaDType dtypes[] = { CANDELA_DTYPE_FLOAT32, CANDELA_DTYPE_FLOAT64 };

  for (gsize i = 0; i < G_N_ELEMENTS (stacks) * G_N_ELEMENTS (dtypes); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaNode) x = make_matrix (dtypes[i % 2], 900, 200, FALSE, TRUE, NULL);
      g_autoptr (CandelaNode) a = candela_expression_build (stacks[i / 2], &error, "x", x, NULL);
      g_autoptr (CandelaNode) b = candela_expression_build ("contiguous(a.mT)", &error, "a", a, NULL);
      g_autoptr (CandelaNode) together = make_op ("matmul", NULL, a, b, &error);
      g_autoptr (CandelaNode) apart = candela_expression_build (
        i / 2 == 0 ? "stack(a[0] @ b[0], a[1] @ b[1], a[2] @ b[2])" : "concat(a[:49] @ b[:49], (a[49] @ b[49])[None])",
        &error, "a", a, "b", b, NULL);
      g_autoptr (CandelaTensor) got = NULL, wanted = NULL;

      g_assert_no_error (error);
      got = compute (together);
      wanted = compute (apart);
      assert_same (got, wanted, stacks[i / 2]);
    }
}

/* Where a factor lies changes no bit: here with no row at a cache line's beginning. */
static void
test_places (void)
{
  const CandelaDType dtypes[] = { CANDELA_DTYPE_FLOAT32, CANDELA_DTYPE_FLOAT64 };
  static const Extents shapes[] = { { 128, 128, 64 }, { 160, 240, 256 }, { 70, 200, 250 } };

  for (gsize i = 0; i < G_N_ELEMENTS (shapes) * G_N_ELEMENTS (dtypes); i++)
    {
      const Extents *e = &shapes[i / 2];
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaNode) a = make_matrix (dtypes[i % 2], e->rows, e->inner, FALSE, FALSE, NULL);
      g_autoptr (CandelaNode) b = make_matrix (dtypes[i % 2], e->inner, e->cols, FALSE, FALSE, NULL);
      g_autoptr (CandelaNode) longer =
        candela_expression_build ("concat(b[0, :1], reshape(b, [-1]))", &error, "b", b, NULL);
      g_autoptr (CandelaTensor) elements = compute (longer);
      g_autoptr (CandelaNode) apart = candela_node_new_tensor (elements);
      g_autoptr (CandelaNode) wanted = candela_expression_build ("a @ b", &error, "a", a, "b", b, NULL);
      g_autoptr (CandelaNode) got =
        candela_expression_build ("a @ reshape(y[1:], b.shape)", &error, "a", a, "b", b, "y", apart, NULL);
      g_autoptr (CandelaTensor) first = NULL, second = NULL;

      g_assert_no_error (error);
      first = compute (wanted);
      second = compute (got);
      assert_same (second, first, "places");
    }
}

/* In a process each, because the choice is made once. */
static void
test_values_of_each (void)
{
  for (gsize i = 1; i < G_N_ELEMENTS (libraries); i++)
    {
      if (g_test_subprocess ())
        {
          test_values ();
          return;
        }
      g_setenv ("CANDELA_LINALG", libraries[i], TRUE);
      g_test_trap_subprocess (NULL, 0, 0);
      g_test_trap_assert_passed ();
      g_unsetenv ("CANDELA_LINALG");
    }
}

static void
test_threads (void)
{
  const char *const numbers[] = { "1", "2", "5" };

  for (gsize i = 0; i < G_N_ELEMENTS (libraries); i++)
    {
      g_autofree char *wanted = run_self ("plain", libraries[i], NULL);

      for (gsize n = 0; n < G_N_ELEMENTS (numbers); n++)
        {
          g_autofree char *theirs =
            run_self ("plain", libraries[i], "OMP_NUM_THREADS", numbers[n], "OPENBLAS_NUM_THREADS", numbers[n],
                      "BLIS_NUM_THREADS", numbers[n], "CANDELA_NUM_THREADS", "2", NULL);
          g_autofree char *ours = run_self ("plain", libraries[i], "CANDELA_NUM_THREADS", numbers[n], NULL);

          g_assert_cmpstr (theirs, ==, wanted);
          g_assert_cmpstr (ours, ==, wanted);
        }
    }
}

static void
test_fork (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (libraries); i++)
    {
      g_autofree char *wanted = run_self ("plain", libraries[i], NULL);
      g_autofree char *child =
        run_self ("fork", libraries[i], "CANDELA_NUM_THREADS", "3", "OMP_NUM_THREADS", "3", NULL);

      g_assert_cmpstr (child, ==, wanted);
    }
}

static void
test_misjudged_processor (void)
{
#ifdef __x86_64__
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma") && strstr (CBLAS_SONAME, "openblas") != NULL)
    {
      g_autofree char *wanted = run_self ("plain", "cblas", NULL);
      g_autofree char *beside = run_self ("other", "cblas", NULL);
      g_autofree char *told = run_self ("plain", "cblas", "OPENBLAS_CORETYPE", "Prescott", NULL);

      g_assert_cmpstr (beside, ==, wanted);
      g_assert_cmpstr (told, !=, wanted); /* who sets the variable is believed */
      return;
    }
#endif
  g_test_skip ("not OpenBLAS, or not a processor with AVX2");
}

int
main (int argc, char **argv)
{
  const char *mode = g_getenv ("CANDELA_TEST_MODE");

  program = argv[0];
  if (mode != NULL)
    return run_mode (mode);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/libraries/values", test_values);
  g_test_add_func ("/libraries/values-of-each", test_values_of_each);
  g_test_add_func ("/libraries/followed", test_followed);
  g_test_add_func ("/libraries/stacks", test_stacks);
  g_test_add_func ("/libraries/places", test_places);
  g_test_add_func ("/libraries/stacks-followed", test_stacks_followed);
  g_test_add_func ("/libraries/threads", test_threads);
  g_test_add_func ("/libraries/fork", test_fork);
  g_test_add_func ("/libraries/misjudged-processor", test_misjudged_processor);
  return g_test_run ();
}
