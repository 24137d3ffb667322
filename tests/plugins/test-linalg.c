/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The linalg plugin. The values of the table are NumPy's. Those of the layouts are
 * products of small whole numbers, which every order of summation gives exactly. */
#include "op-testing.h"

/* LeakSanitizer falls over the threads of OpenMP, which end with the process. */
int __lsan_is_turned_off (void);

int
__lsan_is_turned_off (void)
{
  return 1;
}

typedef struct
{
  const char *op, *params;
  const char *a_dtype, *a_shape, *a;
  const char *b_dtype, *b_shape, *b;
  const char *dtype, *shape, *elements;
} Case;

#define COMPLEX_A "1 2 -1 0 0 0.5 3 -1"
#define COMPLEX_B "2 -1 1 0 0 1 -2 2"

static const Case cases[] = {
  { "matmul", NULL, "float64", "2 3", "1 2 3 4 5 6", "float64", "3 2", "1 0 0 1 1 1", "float64", "2 2", "4 5 10 11" },
  { "matmul", NULL, "float32", "2 2", "1 2 3 4", "float32", "2 2", "5 6 7 8", "float32", "2 2", "19 22 43 50" },

  /* Vectors. */
  { "matmul", NULL, "float64", "3", "1 2 3", "float64", "3", "4 5 6", "float64", "", "32" },
  { "matmul", NULL, "float64", "2 3", "1 2 3 4 5 6", "float64", "3", "1 0 -1", "float64", "2", "-2 -2" },
  { "matmul", NULL, "float32", "2", "1 -1", "float32", "2 3", "1 2 3 4 5 6", "float32", "3", "-3 -3 -3" },
  { "matmul", NULL, "int32", "3", "1 2 3", "int32", "3", "4 5 6", "int32", "", "32" },
  { "matmul", NULL, "float64", "2 2 2", "1 2 3 4 5 6 7 8", "float64", "2", "1 -1", "float64", "2 2", "-1 -1 -1 -1" },
  { "matmul", NULL, "float64", "2", "1 -1", "float64", "2 2 2", "1 2 3 4 5 6 7 8", "float64", "2 2", "-2 -2 -2 -2" },

  /* Extents of 1. */
  { "matmul", NULL, "float64", "1 3", "1 2 3", "float64", "3 1", "4 5 6", "float64", "1 1", "32" },
  { "matmul", NULL, "float64", "3 1", "1 2 3", "float64", "1 2", "4 5", "float64", "3 2", "4 5 8 10 12 15" },

  /* Stacks, broadcast. */
  { "matmul", NULL, "float64", "2 1 2", "1 2 3 4", "float64", "2 2 1", "5 6 7 8", "float64", "2 1 1", "17 53" },
  { "matmul", NULL, "float64", "2 1 1 2", "1 2 3 4", "float64", "3 2 1", "1 0 0 1 1 1", "float64", "2 3 1 1",
    "1 2 3 3 4 7" },
  { "matmul", NULL, "int64", "2 2 2", "1 0 0 1 0 1 1 0", "int64", "2 2", "1 2 3 4", "int64", "2 2 2",
    "1 2 3 4 3 4 1 2" },

  /* Promotion; integers wrap around. */
  { "matmul", NULL, "int8", "1 2", "100 100", "int8", "2 1", "2 1", "int8", "1 1", "44" },
  { "matmul", NULL, "uint16", "1 1", "65535", "uint16", "1 1", "65535", "uint16", "1 1", "1" },
  { "matmul", NULL, "int16", "1 2", "300 -300", "uint8", "2 1", "200 100", "int16", "1 1", "30000" },
  { "matmul", NULL, "int64", "1 1", "-9223372036854775808", "int64", "1 1", "-1", "int64", "1 1",
    "-9223372036854775808" },
  { "matmul", NULL, "float32", "1 2", "16777217 1", "float64", "2 1", "1 1", "float64", "1 1", "16777217" },

  /* Nothing to add up, and nothing to compute. */
  { "matmul", NULL, "float64", "2 0", "", "float64", "0 3", "", "float64", "2 3", "0 0 0 0 0 0" },
  { "matmul", NULL, "float32", "0", "", "float32", "0", "", "float32", "", "0" },
  { "matmul", NULL, "int32", "2 0", "", "int32", "0 2", "", "int32", "2 2", "0 0 0 0" },
  { "matmul", NULL, "float64", "0 4", "", "float64", "4 3", "1 2 3 4 5 6 7 8 9 10 11 12", "float64", "0 3", "" },
  { "matmul", NULL, "float64", "0 2 2", "", "float64", "2 2", "1 2 3 4", "float64", "0 2 2", "" },

  { "matmul", NULL, "float64", "1 2", "inf 1", "float64", "2 2", "0 1 1 1", "float64", "1 2", "nan inf" },

  /* Complex numbers. */
  { "matmul", NULL, "complex128", "2 2", COMPLEX_A, "complex128", "2 2", COMPLEX_B, "complex128", "2 2",
    "4 2 3 0 1.5 4 -4 8.5" },
  { "matmul", NULL, "complex64", "2 2", COMPLEX_A, "complex64", "2", "2 -1 0 1", "complex64", "2", "4 2 1.5 4" },
  { "matmul", NULL, "complex64", "2", "1 2 -1 0", "float64", "2 1", "2 3", "complex128", "1", "-1 4" },
  { "matmul", NULL, "complex64", "1 0", "", "complex64", "0 1", "", "complex64", "1 1", "0 0" },
  { "vecdot", NULL, "complex128", "2 2", COMPLEX_A, "complex128", "2 2", COMPLEX_B, "complex128", "2", "-1 -5 -7.5 4" },
  { "vecdot", NULL, "complex64", "2", "1 2 -1 0", "int8", "2", "3 1", "complex64", "", "2 -6" },
  { "outer", NULL, "complex64", "2", "1 2 -1 0", "complex64", "2", "0 1 -2 2", "complex64", "2 2",
    "-2 1 -6 -2 -0 -1 2 -2" },
  { "outer", NULL, "complex128", "1", "1 2", "float32", "2", "2 -1", "complex128", "1 2", "2 4 -1 -2" },

  { "vecdot", NULL, "float64", "3", "1 2 3", "float64", "3", "4 5 6", "float64", "", "32" },
  { "vecdot", NULL, "float32", "2 3", "1 2 3 4 5 6", "float32", "3", "1 0 -1", "float32", "2", "-2 -2" },
  { "vecdot", "{'axis': <-2>}", "int32", "2 3", "1 2 3 4 5 6", "int32", "2 3", "1 1 1 10 10 10", "int32", "3",
    "41 52 63" },
  { "vecdot", NULL, "int8", "1 2", "100 100", "int8", "3 2", "1 1 2 0 0 -1", "int8", "3", "-56 -56 -100" },
  { "vecdot", NULL, "float64", "2 0", "", "float64", "2 0", "", "float64", "2", "0 0" },
  { "vecdot", NULL, "float32", "2", "16777216 1", "float32", "2", "1 1", "float32", "", "16777216" },
  { "vecdot", NULL, "uint8", "2", "255 255", "uint64", "2", "1 2", "uint64", "", "765" },

  { "outer", NULL, "int32", "2", "2 3", "int32", "3", "1 10 100", "int32", "2 3", "2 20 200 3 30 300" },
  { "outer", NULL, "float32", "2", "0.5 -1", "float64", "2", "4 inf", "float64", "2 2", "2 inf -4 -inf" },
  { "outer", NULL, "uint16", "1", "65535", "uint16", "1", "65535", "uint16", "1 1", "1" },
  { "outer", NULL, "int8", "0", "", "int8", "3", "1 2 3", "int8", "0 3", "" },

  { "cross", NULL, "float64", "3", "1 2 3", "float64", "3", "4 5 6.5", "float64", "3", "-2 5.5 -3" },
  { "cross", NULL, "float32", "2 3", "1 0 0 0 1 0", "float64", "3", "0 0 2", "float64", "2 3", "0 -2 0 2 0 0" },
  { "cross", "{'axis': <-2>}", "int32", "3 2", "1 0 0 1 0 0", "int32", "3 1", "0 0 2", "int32", "3 2", "0 2 -2 0 0 0" },
  { "cross", NULL, "int8", "3", "100 0 0", "int8", "3", "0 100 100", "int8", "3", "0 -16 16" },
  { "cross", NULL, "uint16", "3", "65535 0 0", "uint16", "3", "0 65535 0", "uint16", "3", "0 0 1" },
  { "cross", NULL, "uint8", "3", "0 1 0", "int64", "3", "0 0 3", "int64", "3", "3 0 0" },
  { "cross", NULL, "float32", "0 3", "", "float32", "3", "1 2 3", "float32", "0 3", "" },
};

static void
test_values (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const Case *c = &cases[i];
      g_autoptr (CandelaNode) a = make_value (c->a_dtype, c->a_shape, c->a);
      g_autoptr (CandelaNode) b = make_value (c->b_dtype, c->b_shape, c->b);
      g_autoptr (CandelaTensor) result = compute_op (c->op, c->params, a, b);
      g_autofree char *what =
        g_strdup_printf ("%s of %s [%s] and %s [%s]", c->op, c->a_dtype, c->a_shape, c->b_dtype, c->b_shape);

      assert_elements (result, c->dtype, c->shape, c->elements, what);
    }
}

typedef struct
{
  const char *op, *params, *a_dtype, *a_shape, *b_dtype, *b_shape;
  CandelaError code;
  const char *message;
} Refusal;

static const Refusal refusals[] = {
  { "matmul", NULL, "float64", "2 3", "float64", "4 5", CANDELA_ERROR_SHAPE,
    "matmul: x1 has shape [2, 3] and x2 [4, 5]: 3 and 4 must be equal" },
  { "matmul", NULL, "float64", "3", "float64", "2", CANDELA_ERROR_SHAPE,
    "matmul: x1 has shape [3] and x2 [2]: 3 and 2 must be equal" },
  { "matmul", NULL, "float64", "", "float64", "2", CANDELA_ERROR_SHAPE,
    "matmul: x1 has shape [] and x2 [2]: both need an axis at least" },
  { "matmul", NULL, "int8", "2 1 3", "int8", "4 3 1", CANDELA_ERROR_SHAPE,
    "matmul: x1 has shape [2, 1, 3] and x2 [4, 3, 1]: the axes before the last two cannot be broadcast together" },
  { "matmul", NULL, "float32", "3000000000 1", "float32", "1 2", CANDELA_ERROR_SHAPE, NULL },
  { "matmul", NULL, "int8", "4611686018427387904 1", "int8", "1 4", CANDELA_ERROR_SHAPE, NULL },
  { "matmul", NULL, "bool", "2 2", "bool", "2 2", CANDELA_ERROR_DTYPE, NULL },
  { "matmul", NULL, "float32", "2 2", "bool", "2 2", CANDELA_ERROR_DTYPE, NULL },
  { "vecdot", NULL, "int8", "2 3", "int8", "2", CANDELA_ERROR_SHAPE,
    "vecdot: x1 has shape [2, 3] and x2 [2]: 3 and 2 must be equal" },
  { "vecdot", "{'axis': <0>}", "int8", "2 3", "int8", "2 3", CANDELA_ERROR_AXIS, NULL },
  { "vecdot", "{'axis': <-2>}", "int8", "2 3", "int8", "3", CANDELA_ERROR_AXIS, NULL },
  { "vecdot", NULL, "int8", "2 3", "int8", "5 3", CANDELA_ERROR_SHAPE, NULL },
  { "outer", NULL, "int8", "2 3", "int8", "2", CANDELA_ERROR_SHAPE,
    "outer: x1 has shape [2, 3] and x2 [2]: both need one axis exactly" },
  { "outer", NULL, "bool", "2", "int8", "2", CANDELA_ERROR_DTYPE, NULL },
  { "cross", NULL, "int8", "2 3", "int8", "1", CANDELA_ERROR_SHAPE,
    "cross: x1 has shape [2, 3] and x2 [1]: the axis of the vectors must be of length 3 in both" },
  { "cross", NULL, "int8", "2 3", "int8", "5 3", CANDELA_ERROR_SHAPE, NULL },
  { "cross", "{'axis': <0>}", "int8", "3", "int8", "3", CANDELA_ERROR_AXIS, NULL },
  { "cross", "{'axis': <-2>}", "int8", "3 3", "int8", "3", CANDELA_ERROR_AXIS, NULL },
};

static CandelaNode *
make_slot (const char *dtype, const char *shape_text)
{
  g_autoptr (GError) error = NULL;
  gint64 shape[CANDELA_MAX_RANK];
  gsize rank = read_shape (shape_text, shape);
  CandelaNode *slot = candela_node_new_slot ("x", read_dtype (dtype), shape, rank, &error);

  g_assert_no_error (error);
  return slot;
}

static void
test_refusals (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      const Refusal *r = &refusals[i];
      g_autoptr (CandelaNode) a = make_slot (r->a_dtype, r->a_shape), b = make_slot (r->b_dtype, r->b_shape);

      assert_refused (r->op, r->params, a, b, r->code, r->message);
    }
}

/* ---- Layouts ---- */

#define ROWS 37
#define INNER 11
#define COLS 23

/* A matrix of small whole numbers in one of the ways that it can lie in memory;
 * values gets them row by row. */
static CandelaNode *
make_matrix (CandelaDType dtype, gint64 rows, gint64 cols, guint how, double *values)
{
  /* row and column stride, offset, elements of the buffer */
  const gint64 ways[][4] = {
    { cols, 1, 0, rows * cols },                  /* packed */
    { 1, rows, 0, rows * cols },                  /* by columns */
    { cols + 3, 1, 2, rows * (cols + 3) },        /* rows apart */
    { 1, rows + 5, 1, cols * (rows + 5) },        /* columns apart */
    { 2 * cols, 2, 1, 2 * rows * cols },          /* every second */
    { -cols, 1, (rows - 1) * cols, rows * cols }, /* rows reversed */
    { cols, -1, cols - 1, rows * cols },          /* columns reversed */
    { -1, -rows, rows * cols - 1, rows * cols },  /* both, by columns */
    { 0, 1, 0, cols },                            /* one row again and again */
    { 1, 0, 0, rows },                            /* one column again and again */
    { 1, 1, 0, rows + cols },                     /* rows that overlap */
  };
  const gint64 *way = ways[how];
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) base = candela_tensor_new (dtype, &way[3], 1, &error);
  CandelaLayout *layout;
  gpointer data;

  g_assert_no_error (error);
  data = candela_tensor_get_writable_data (base);
  for (gint64 i = 0; i < way[3]; i++)
    {
      int value = (int) (i * 7 % 13) - 6;

      if (dtype == CANDELA_DTYPE_FLOAT32)
        ((float *) data)[i] = (float) value;
      else if (dtype == CANDELA_DTYPE_FLOAT64)
        ((double *) data)[i] = value;
      else
        ((gint16 *) data)[i] = (gint16) value;
    }
  for (gint64 i = 0; i < rows; i++)
    for (gint64 j = 0; j < cols; j++)
      values[i * cols + j] = (int) ((way[2] + i * way[0] + j * way[1]) * 7 % 13) - 6;
  layout = candela_layout_new_strided ((gint64[]){ rows, cols }, 2, way, 2, way[2], &error);
  g_assert_no_error (error);
  return make_view (base, layout);
}

#define N_WAYS 11

static void
check_product (CandelaDType dtype, gint64 rows, gint64 inner, gint64 cols)
{
  for (guint how = 0; how < N_WAYS * N_WAYS; how++)
    {
      double a[ROWS * COLS], b[ROWS * COLS];
      g_autoptr (CandelaNode) left = make_matrix (dtype, rows, inner, how / N_WAYS, a);
      g_autoptr (CandelaNode) right = make_matrix (dtype, inner, cols, how % N_WAYS, b);
      g_autoptr (CandelaTensor) product = compute_op ("matmul", NULL, left, right);

      for (gint64 i = 0; i < rows; i++)
        for (gint64 j = 0; j < cols; j++)
          {
            g_autoptr (GError) error = NULL;
            double wanted = 0.0;

            for (gint64 k = 0; k < inner; k++)
              wanted += a[i * inner + k] * b[k * cols + j];
            g_assert_cmpfloat (candela_tensor_get_double (product, (gint64[]){ i, j }, 2, &error), ==, wanted);
            g_assert_no_error (error);
          }
    }
}

static void
test_layouts (void)
{
  const CandelaDType dtypes[] = { CANDELA_DTYPE_FLOAT32, CANDELA_DTYPE_FLOAT64, CANDELA_DTYPE_INT16 };

  for (gsize d = 0; d < G_N_ELEMENTS (dtypes); d++)
    {
      check_product (dtypes[d], ROWS, INNER, COLS);
      check_product (dtypes[d], 1, INNER, COLS);
      check_product (dtypes[d], ROWS, INNER, 1);
      check_product (dtypes[d], ROWS, 1, COLS);
      check_product (dtypes[d], 1, INNER, 1);
    }
}

/* Those that are cut in each of the ways, or taken a few rows at a time: dtype, rows, inner
 * extent, columns. Whole numbers so small that their sums are exact. */
static const struct
{
  CandelaDType dtype;
  gint64 rows, inner, cols;
} large[] = {
  { CANDELA_DTYPE_FLOAT32, 300, 330, 270 },  { CANDELA_DTYPE_FLOAT64, 300, 330, 270 },
  { CANDELA_DTYPE_FLOAT32, 3, 301, 4100 },   { CANDELA_DTYPE_FLOAT64, 3, 301, 4100 },
  { CANDELA_DTYPE_FLOAT32, 4100, 301, 3 },   { CANDELA_DTYPE_FLOAT64, 4100, 301, 3 },
  { CANDELA_DTYPE_FLOAT32, 40, 333, 4100 },  { CANDELA_DTYPE_FLOAT32, 4100, 333, 40 },
  { CANDELA_DTYPE_FLOAT32, 1, 301, 9000 },   { CANDELA_DTYPE_FLOAT64, 9000, 301, 1 },
  { CANDELA_DTYPE_FLOAT32, 2060, 16, 2100 }, { CANDELA_DTYPE_FLOAT32, 2060, 1010, 2100 },
};

static int
value_at (gint64 i)
{
  return (int) (i * 7 % 13) - 6;
}

/* A matrix, or the transpose of one of the transposed shape; element (i, j) has the
 * value of its place in memory. */
static CandelaNode *
make_large (CandelaDType dtype, gint64 rows, gint64 cols, gboolean transposed)
{
  g_autoptr (GError) error = NULL;
  const gint64 strides[] = { transposed ? 1 : cols, transposed ? rows : 1 };
  g_autoptr (CandelaTensor) base = candela_tensor_new (dtype, (gint64[]){ rows * cols }, 1, &error);
  gpointer data;

  g_assert_no_error (error);
  data = candela_tensor_get_writable_data (base);
  for (gint64 i = 0; i < rows * cols; i++)
    if (dtype == CANDELA_DTYPE_FLOAT32)
      ((float *) data)[i] = (float) value_at (i);
    else
      ((double *) data)[i] = value_at (i);
  return make_view (base, candela_layout_new_strided ((gint64[]){ rows, cols }, 2, strides, 2, 0, &error));
}

static void
check_large (CandelaDType dtype, gint64 rows, gint64 inner, gint64 cols, gboolean a_transposed, gboolean b_transposed)
{
  g_autoptr (CandelaNode) a = make_large (dtype, rows, inner, a_transposed);
  g_autoptr (CandelaNode) b = make_large (dtype, inner, cols, b_transposed);
  g_autoptr (CandelaTensor) product = compute_op ("matmul", NULL, a, b);
  gconstpointer data = candela_tensor_get_data (product);

  for (gint64 n = 0; n < rows * cols; n += 1 + rows * cols / 1009)
    {
      gint64 i = n / cols, j = n % cols;
      double wanted = 0.0;

      for (gint64 k = 0; k < inner; k++)
        wanted += value_at (a_transposed ? k * rows + i : i * inner + k)
                  * value_at (b_transposed ? j * inner + k : k * cols + j);
      g_assert_cmpfloat (dtype == CANDELA_DTYPE_FLOAT32 ? ((const float *) data)[n] : ((const double *) data)[n], ==,
                         wanted);
    }
}

static void
test_large (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (large); i++)
    for (guint transposed = 0; transposed < 4; transposed++)
      check_large (large[i].dtype, large[i].rows, large[i].inner, large[i].cols, (transposed & 1) != 0,
                   (transposed & 2) != 0);
}

/* Matrices that are packed, in stacks that are broadcast: each has to be packed
 * again when it is another, and only then. */
static void
test_stacks_of_views (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) base = make_tensor ("int32", "12", "1 2 3 4 5 6 7 8 9 10 11 12");
  g_autoptr (CandelaNode) a = make_view (
    base, candela_layout_new_strided ((gint64[]){ 3, 1, 2, 2 }, 4, (gint64[]){ 4, 0, -1, -2 }, 4, 3, &error));
  g_autoptr (CandelaNode) b =
    make_view (base, candela_layout_new_strided ((gint64[]){ 2, 2, 1 }, 3, (gint64[]){ 0, 6, 1 }, 3, 0, &error));
  g_autoptr (CandelaNode) c = make_value ("float32", "2 1", "1 7");
  g_autoptr (CandelaTensor) product = NULL, mixed = NULL;

  /* a: [[4, 2], [3, 1]], then 4 more each; b: [1, 7] twice. */
  g_assert_no_error (error);
  product = compute_op ("matmul", NULL, a, b);
  assert_elements (product, "int32", "3 2 2 1", "18 10 18 10 50 42 50 42 82 74 82 74", "integers");
  mixed = compute_op ("matmul", NULL, a, c);
  g_assert_cmpfloat (candela_tensor_get_double (mixed, (gint64[]){ 2, 0, 1, 0 }, 4, &error), ==, 74.0);
  g_assert_no_error (error);
}

/* [2, 0] @ [0, 3] into a buffer that was used before: zeros. */
static void
test_nothing_into_a_used_buffer (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) a = make_value ("float64", "2 2", "1 2 3 4");
  g_autoptr (CandelaNode) b = make_value ("float64", "2 3", "5 6 7 8 9 1");
  g_autoptr (CandelaNode) c = make_value ("float64", "3 0", ""), d = make_value ("float64", "0 3", "");
  g_autoptr (CandelaNode) product = make_op ("matmul", NULL, a, b, &error);
  g_autoptr (CandelaNode) nothing = make_op ("matmul", NULL, product, c, &error);
  g_autoptr (CandelaTensor) zeros = compute_op ("matmul", NULL, nothing, d);

  g_assert_no_error (error);
  assert_elements (zeros, "float64", "2 3", "0 0 0 0 0 0", "a product of nothing");
}

/* ---- Threads ---- */

/* An inner extent so long that a BLAS with threads divides it among them. */
static char *
product_checksum (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) x = NULL, y = NULL;
  g_autoptr (CandelaNode) a = NULL, b = NULL;
  g_autoptr (CandelaTensor) product = NULL;

  x = candela_tensor_new (CANDELA_DTYPE_FLOAT32, (gint64[]){ 100, 33333 }, 2, &error);
  y = candela_tensor_new (CANDELA_DTYPE_FLOAT32, (gint64[]){ 33333, 7 }, 2, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < 3333300; i++)
    ((float *) candela_tensor_get_writable_data (x))[i] = sinf ((float) i);
  for (gint64 i = 0; i < 7 * 33333; i++)
    ((float *) candela_tensor_get_writable_data (y))[i] = cosf ((float) i);
  a = candela_node_new_tensor (x);
  b = candela_node_new_tensor (y);
  product = compute_op ("matmul", NULL, a, b);
  return g_compute_checksum_for_data (G_CHECKSUM_SHA256, candela_tensor_get_data (product), 2800);
}

static void
test_threads (void)
{
  const char *const numbers[] = { "1", "2", "5" };
  g_autofree char *checksum = product_checksum ();

  if (g_test_subprocess ())
    {
      g_print ("%s\n", checksum);
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autofree char *pattern = g_strdup_printf ("*%s*", checksum);

      g_setenv ("OPENBLAS_NUM_THREADS", numbers[i], TRUE);
      g_setenv ("BLIS_NUM_THREADS", numbers[i], TRUE);
      g_test_trap_subprocess (NULL, 0, 0);
      g_test_trap_assert_passed ();
      g_test_trap_assert_stdout (pattern);
    }
  g_unsetenv ("OPENBLAS_NUM_THREADS");
  g_unsetenv ("BLIS_NUM_THREADS");
}

/* Results are the same from several threads at once: the number of threads of the
 * BLAS is put back by the last of them only. */
static gpointer
multiply_on_thread (gpointer data)
{
  return product_checksum ();
}

static void
test_at_once (void)
{
  GThread *threads[4];
  g_autofree char *wanted = product_checksum ();

  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("matmul", multiply_on_thread, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      g_autofree char *checksum = g_thread_join (threads[i]);

      g_assert_cmpstr (checksum, ==, wanted);
    }
}

/* A dot product of a view has the bits of that of a packed copy. */
static void
test_vecdot_of_views (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) base = candela_tensor_new (CANDELA_DTYPE_FLOAT64, (gint64[]){ 4000 }, 1, &error);
  g_autoptr (CandelaTensor) packed = candela_tensor_new (CANDELA_DTYPE_FLOAT64, (gint64[]){ 2000 }, 1, &error);
  g_autoptr (CandelaNode) view = NULL, copy = NULL;
  g_autoptr (CandelaTensor) a = NULL, b = NULL;

  for (gint64 i = 0; i < 4000; i++)
    ((double *) candela_tensor_get_writable_data (base))[i] = sin ((double) i) * pow (10.0, (double) (i % 20));
  for (gint64 i = 0; i < 2000; i++)
    ((double *) candela_tensor_get_writable_data (packed))[i] =
      ((const double *) candela_tensor_get_data (base))[3999 - 2 * i];
  view = make_view (base, candela_layout_new_strided ((gint64[]){ 2000 }, 1, (gint64[]){ -2 }, 1, 3999, &error));
  copy = candela_node_new_tensor (packed);
  a = compute_op ("vecdot", NULL, view, view);
  b = compute_op ("vecdot", NULL, copy, copy);
  assert_same (a, b, "vecdot");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/linalg/values", test_values);
  g_test_add_func ("/linalg/refusals", test_refusals);
  g_test_add_func ("/linalg/layouts", test_layouts);
  g_test_add_func ("/linalg/large", test_large);
  g_test_add_func ("/linalg/stacks-of-views", test_stacks_of_views);
  g_test_add_func ("/linalg/nothing-into-a-used-buffer", test_nothing_into_a_used_buffer);
  g_test_add_func ("/linalg/threads", test_threads);
  g_test_add_func ("/linalg/at-once", test_at_once);
  g_test_add_func ("/linalg/vecdot-of-views", test_vecdot_of_views);
  return g_test_run ();
}
