/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * einsum and tensordot. The values of the tables are NumPy's, of operands whose elements
 * are whole numbers so small that every order of summation gives them exactly: element i
 * of operand k is (i + 3k) * 7 mod 13 - 6. */
#include "op-testing.h"

/* LeakSanitizer falls over the threads of OpenMP, which end with the process. */
int __lsan_is_turned_off (void);

int
__lsan_is_turned_off (void)
{
  return 1;
}

#define MAX_OPERANDS 3

typedef struct
{
  const char *what; /* subscripts, or parameters */
  const char *shapes[MAX_OPERANDS];
  const char *shape, *elements;
} Case;

static const Case sums[] = {
  { "ij,jk->ik", { "2 3", "3 4" }, "2 4", "-38 22 17 12 6 0 -32 1" },
  { "ij,jk", { "2 3", "3 2" }, "2 2", "-29 31 4 -2" },
  { "ij,jk->ki", { "2 3", "3 4" }, "4 2", "-38 6 22 0 17 -32 12 1" },
  { "ji,kj->ik", { "3 2", "2 3" }, "2 2", "-4 6 3 -1" },
  { "bij,bjk->bik", { "2 2 3", "2 3 2" }, "2 2 2", "-29 31 4 -2 21 1 -17 1" },
  { "ijb,jkb->ikb", { "2 3 2", "3 2 2" }, "2 2 2", "-56 -8 -19 -2 -20 -26 -13 -11" },
  { "i,j->ij", { "2", "3" }, "2 3", "-12 24 -18 2 -4 3" },
  { "i,j->ji", { "2", "3" }, "3 2", "-12 2 24 -4 -18 3" },
  { "i,i->", { "5", "5" }, "", "-53" },
  { "i,i->i", { "5", "5" }, "5", "-12 -4 -15 -6 -16" },
  { "ij,ij->ji", { "2 3", "2 3" }, "3 2", "-12 -6 -4 -16 -15 -6" },
  { "ii->i", { "3 3" }, "3", "-6 -4 -2" },
  { "ii", { "3 3" }, "", "-12" },
  { "iji->j", { "2 3 2" }, "3", "-2 0 2" },
  { "ij->ji", { "2 3" }, "3 2", "-6 2 1 -4 -5 3" },
  { "ji", { "2 3" }, "3 2", "-6 2 1 -4 -5 3" },
  { "ij->i", { "2 3" }, "2", "-10 1" },
  { "ij->j", { "2 3" }, "3", "-4 -3 -2" },
  { "ij->", { "2 3" }, "", "-9" },
  { "ijk->ki", { "2 3 2" }, "2 2", "-15 -6 6 15" },
  { "...ij,...jk->...ik", { "2 1 2 3", "2 3 2" }, "2 2 2 2", "-29 31 4 -2 6 1 -32 1 -2 4 31 -29 21 1 -17 1" },
  { "...i,...i->...", { "2 3", "3" }, "2", "-31 29" },
  { "i...->...i", { "2 3 2" }, "3 2 2", "-6 -3 1 4 -5 -2 2 5 -4 -1 3 6" },
  { "...", { "2 3" }, "2 3", "-6 1 -5 2 -4 3" },
  { "ij,k->ik", { "2 3", "2" }, "2 2", "-20 40 2 -4" },
  { "ij,j", { "2 3", "3" }, "2", "-31 29" },
  { "ij,kj->ik", { "2 1", "3 4" }, "2 3", "12 -36 -6 -2 6 1" },
  { "ij,jk,kl->il", { "2 3", "3 2", "2 4" }, "2 4", "56 70 58 -331 -10 4 -8 32" },
  { "i,j,k->ijk", { "2", "2", "2" }, "2 2 2", "36 -48 -72 96 -6 8 12 -16" },
  { "ab,ab,ab->b", { "3 2", "3 2", "3 2" }, "2", "82 -82" },
  { "ij,ji->", { "2 3", "3 2" }, "", "-31" },
  { "ii,ij->j", { "3 3", "3 2" }, "2", "-32 40" },
  { "ijkl,kl->ij", { "2 2 3 2", "3 2" }, "2 2", "-59 -59 58 58" },
  { "ba", { "2 3" }, "3 2", "-6 2 1 -4 -5 3" },
  { ",->", { "", "" }, "", "-12" },
  { ",ij->ij", { "", "2 2" }, "2 2", "-12 24 -18 18" },
  { "ij,jk->ik", { "2 0", "0 3" }, "2 3", "0 0 0 0 0 0" },
  { "ij->j", { "0 3" }, "3", "0 0 0" },
  { "ij,jk->ik", { "0 3", "3 2" }, "0 2", "" },
  { " i j , j k -> i k ", { "2 3", "3 2" }, "2 2", "-29 31 4 -2" },
  { "bi,bi->b", { "4 3", "4 3" }, "4", "-31 -28 -31 12" },
  { "bi,bj->bij", { "2 2", "2 3" }, "2 2 3", "-12 24 -18 2 -4 3 15 -20 10 -6 8 -4" },
};

static const Case products[] = {
  { "{'axes': <2>}", { "2 3 4", "3 4 2" }, "2 2", "-65 13 -19 56" },
  { "{'axes': <1>}", { "2 3", "3 2" }, "2 2", "-29 31 4 -2" },
  { "{'axes': <0>}", { "2", "3" }, "2 3", "-12 24 -18 2 -4 3" },
  { "{'x1_axes': <@ax [0, 1]>, 'x2_axes': <@ax [0, 1]>}", { "2 3", "2 3" }, "", "-59" },
  { "{'x1_axes': <@ax [0, -1]>, 'x2_axes': <@ax [1, 0]>}", { "2 3 4", "4 2 3" }, "3 3", "-13 56 34 -1 50 36 11 44 38" },
  { "{'x1_axes': <@ax [0]>, 'x2_axes': <@ax [0]>}", { "3 2", "3 2" }, "2 2", "-43 47 20 -16" },
  { "{'x1_axes': <@ax [2]>, 'x2_axes': <@ax [0]>}", { "2 3 2", "2 2" }, "2 3 2", "-9 21 -4 14 1 7 6 0 11 -7 16 -14" },
  { "{'axes': <1>}", { "2 0", "0 2" }, "2 2", "0 0 0 0" },
  { "{'x1_axes': <@ax []>, 'x2_axes': <@ax []>}", { "2 2", "3" }, "2 2 3", "-12 24 -18 2 -4 3 -10 20 -15 4 -8 6" },
};

static int
value_of (guint operand, gint64 i)
{
  return (int) ((i + 3 * operand) * 7 % 13) - 6;
}

static void
put (CandelaDType dtype, gpointer data, gint64 i, int value)
{
  switch ((int) dtype)
    {
    case CANDELA_DTYPE_INT8:
      ((gint8 *) data)[i] = (gint8) value;
      break;
    case CANDELA_DTYPE_INT64:
      ((gint64 *) data)[i] = value;
      break;
    case CANDELA_DTYPE_FLOAT32:
      ((float *) data)[i] = (float) value;
      break;
    case CANDELA_DTYPE_FLOAT64:
      ((double *) data)[i] = value;
      break;
    case CANDELA_DTYPE_COMPLEX64:
      ((float *) data)[2 * i] = (float) value;
      ((float *) data)[2 * i + 1] = 0;
      break;
    default:
      ((double *) data)[2 * i] = value;
      ((double *) data)[2 * i + 1] = 0;
    }
}

static CandelaNode *
make_node (const char *op, const char *what, CandelaNode **operands, guint n, GError **error)
{
  g_autoptr (GVariant) params = NULL;

  if (strcmp (op, "einsum") == 0)
    params = g_variant_ref_sink (g_variant_new_parsed ("{'subscripts': <%s>}", what));
  else
    params = read_params (what);
  return candela_node_new_opv (op, operands, n, params, error);
}

#define N_WAYS 4

/* An operand, as it can lie in memory: by rows, by columns, every second element
 * backwards, or by columns apart. */
static CandelaNode *
make_operand (CandelaDType dtype, const char *shape_text, guint operand, guint way)
{
  g_autoptr (GError) error = NULL;
  gint64 shape[CANDELA_MAX_RANK], strides[CANDELA_MAX_RANK], n = way == 3 ? 3 : 1, n_elements = 1, offset = 0;
  gsize rank = read_shape (shape_text, shape);
  g_autoptr (CandelaTensor) base = NULL;

  for (gsize k = 0; k < rank; k++)
    {
      gsize axis = way % 2 == 0 ? rank - 1 - k : k;

      strides[axis] = way == 2 ? -2 * n : way == 3 && k == 0 ? 1 : n;
      n *= shape[axis] + (way == 3);
      n_elements *= shape[axis];
    }
  n = MAX (2 * n, 1);
  base = candela_tensor_new (dtype, &n, 1, &error);
  g_assert_no_error (error);
  for (gsize axis = 0; axis < rank && way == 2 && n_elements > 0; axis++)
    offset -= (shape[axis] - 1) * strides[axis];
  for (gint64 i = 0; i < n_elements; i++)
    {
      gint64 place = offset, rest = i;

      for (gsize axis = rank; axis-- > 0; rest /= shape[axis])
        place += rest % shape[axis] * strides[axis];
      put (dtype, candela_tensor_get_writable_data (base), place, value_of (operand, i));
    }
  return make_view (base, candela_layout_new_strided (shape, rank, strides, rank, offset, &error));
}

/* Of floats the signs of zeros may differ. */
static void
assert_equal (CandelaTensor *got, CandelaTensor *wanted, const char *what)
{
  CandelaDType dtype = candela_tensor_get_dtype (wanted);
  gint64 n = candela_tensor_get_n_elements (got) * (1 + is_complex (dtype));
  gconstpointer a = candela_tensor_get_data (got), b = candela_tensor_get_data (wanted);
  g_autofree char *shape = shape_text (got), *wanted_shape = shape_text (wanted);

  g_assert_cmpstr (shape, ==, wanted_shape);
  g_assert_cmpint (candela_tensor_get_dtype (got), ==, dtype);
  for (gint64 i = 0; i < n; i++)
    if (dtype == CANDELA_DTYPE_FLOAT32 || dtype == CANDELA_DTYPE_COMPLEX64
          ? ((const float *) a)[i] != ((const float *) b)[i]
        : dtype == CANDELA_DTYPE_FLOAT64 || dtype == CANDELA_DTYPE_COMPLEX128
          ? ((const double *) a)[i] != ((const double *) b)[i]
          : !same_element (got, wanted, i))
      {
        g_autofree char *got_text = candela_tensor_to_string (got), *wanted_text = candela_tensor_to_string (wanted);

        g_test_message ("%s: %s and not %s", what, got_text, wanted_text);
        g_test_fail ();
        return;
      }
}

static void
check (const char *op, const Case *c, CandelaDType dtype, CandelaDType first_dtype, guint way)
{
  g_autoptr (GError) error = NULL;
  CandelaNode *operands[MAX_OPERANDS];
  g_autoptr (CandelaNode) node = NULL;
  g_autoptr (CandelaTensor) got = NULL, wanted = NULL;
  g_autofree char *what = g_strdup_printf ("%s %s, %s, way %u", op, c->what, candela_dtype_get_name (dtype), way);
  const char *elements = c->elements;
  gint64 shape[CANDELA_MAX_RANK];
  gsize rank = read_shape (c->shape, shape);
  guint n = 0;

  for (; n < MAX_OPERANDS && c->shapes[n] != NULL; n++)
    operands[n] = make_operand (n == 0 ? first_dtype : dtype, c->shapes[n], n, (way + n) % N_WAYS);
  node = make_node (op, c->what, operands, n, &error);
  g_assert_no_error (error);
  got = compute (node);
  wanted = candela_tensor_new (dtype, shape, rank, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < candela_tensor_get_n_elements (wanted); i++)
    {
      char *end;

      put (dtype, candela_tensor_get_writable_data (wanted), i, (int) g_ascii_strtoll (elements, &end, 10));
      elements = end;
    }
  assert_equal (got, wanted, what);
  for (guint k = 0; k < n; k++)
    candela_node_unref (operands[k]);
}

static void
check_all (const char *op, const Case *cases, gsize n)
{
  static const CandelaDType dtypes[] = { CANDELA_DTYPE_INT8,    CANDELA_DTYPE_INT64,     CANDELA_DTYPE_FLOAT32,
                                         CANDELA_DTYPE_FLOAT64, CANDELA_DTYPE_COMPLEX64, CANDELA_DTYPE_COMPLEX128 };

  for (gsize i = 0; i < n; i++)
    for (gsize d = 0; d < G_N_ELEMENTS (dtypes); d++)
      for (guint way = 0; way < N_WAYS; way++)
        {
          check (op, &cases[i], dtypes[d], dtypes[d], way);
          if (cases[i].shapes[1] != NULL)
            check (op, &cases[i], dtypes[d], CANDELA_DTYPE_INT8, way);
        }
}

static void
test_einsum (void)
{
  check_all ("einsum", sums, G_N_ELEMENTS (sums));
}

static void
test_tensordot (void)
{
  check_all ("tensordot", products, G_N_ELEMENTS (products));
}

/* ---- What is wrong ---- */

typedef struct
{
  const char *op, *what, *shapes[MAX_OPERANDS];
  CandelaError code;
  const char *message;
} Refusal;

static const Refusal refusals[] = {
  { "einsum",
    "ij,jk->ik",
    { "2 3", "4 2" },
    CANDELA_ERROR_SHAPE,
    "einsum: subscripts 'ij,jk->ik', character 4: axis 0 of operand 2 is 4 long, and that of an operand before it 3" },
  { "einsum",
    "ij,jk->iq",
    { "2 3", "3 2" },
    CANDELA_ERROR_PARAMETER,
    "einsum: subscripts 'ij,jk->iq', character 9: no operand has an axis q" },
  { "einsum",
    "ij->ii",
    { "2 2" },
    CANDELA_ERROR_PARAMETER,
    "einsum: subscripts 'ij->ii', character 6: the result has this axis already" },
  { "einsum",
    "ijk->i",
    { "2 2" },
    CANDELA_ERROR_SHAPE,
    "einsum: subscripts 'ijk->i', character 3: operand 1 has shape [2, 2], and no axis for this" },
  { "einsum",
    "i->i",
    { "2 2" },
    CANDELA_ERROR_SHAPE,
    "einsum: subscripts 'i->i', character 2: operand 1 has shape [2, 2]: there are letters missing, or '...'" },
  { "einsum",
    "i,j,k",
    { "2", "2" },
    CANDELA_ERROR_PARAMETER,
    "einsum: subscripts 'i,j,k', character 4: there is no operand 3" },
  { "einsum",
    "i->i",
    { "2", "2" },
    CANDELA_ERROR_PARAMETER,
    "einsum: subscripts 'i->i', character 2: there are subscripts for 1 of 2 operands" },
  { "einsum",
    "i1->i",
    { "2 2" },
    CANDELA_ERROR_PARAMETER,
    "einsum: subscripts 'i1->i', character 2: a letter, '...', ',' or one '->' is needed here" },
  { "einsum",
    "i->i->i",
    { "2" },
    CANDELA_ERROR_PARAMETER,
    "einsum: subscripts 'i->i->i', character 5: a letter or '...' is needed here" },
  { "einsum",
    "...i...",
    { "2 2" },
    CANDELA_ERROR_PARAMETER,
    "einsum: subscripts '...i...', character 5: there is a second '...'" },
  { "einsum",
    "...i->i",
    { "2 2" },
    CANDELA_ERROR_PARAMETER,
    "einsum: subscripts '...i->i', character 8: the result needs '...' for those of the operands" },
  { "einsum",
    "ii->i",
    { "2 3" },
    CANDELA_ERROR_SHAPE,
    "einsum: subscripts 'ii->i', character 2: the axes of a diagonal of operand 1 are 2 and 3 long" },
  { "einsum", "i..", { "2 3" }, CANDELA_ERROR_PARAMETER, NULL },
  { "einsum", "i-", { "2" }, CANDELA_ERROR_PARAMETER, NULL },
  { "einsum", "\303\251", { "2" }, CANDELA_ERROR_PARAMETER, NULL },
  { "tensordot",
    "{'axes': <3>}",
    { "2 3", "2 3" },
    CANDELA_ERROR_AXIS,
    "tensordot: axes is 3: x1 has 2 of them and x2 2" },
  { "tensordot", "{'axes': <-1>}", { "2 3", "2 3" }, CANDELA_ERROR_AXIS, NULL },
  { "tensordot",
    "{'axes': <1>}",
    { "2 3", "2 3" },
    CANDELA_ERROR_SHAPE,
    "tensordot: x1 has shape [2, 3] and x2 [2, 3]: axis 1 of x1 and axis 0 of x2 must be as long" },
  { "tensordot",
    "{'x1_axes': <[int64 0]>, 'x2_axes': <[int64 2]>}",
    { "2 3", "2 3" },
    CANDELA_ERROR_AXIS,
    "tensordot: axis 2 is out of range: x2 has 2 axes" },
  { "tensordot",
    "{'x1_axes': <[int64 0, -2]>, 'x2_axes': <[int64 0, 1]>}",
    { "2 3", "2 3" },
    CANDELA_ERROR_AXIS,
    "tensordot: axis 0 of x1 is named twice" },
  { "tensordot",
    "{'x1_axes': <[int64 0]>}",
    { "2 3", "2 3" },
    CANDELA_ERROR_AXIS,
    "tensordot: x1_axes has 1 axes and x2_axes 0" },
};

static void
test_refusals (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      const Refusal *r = &refusals[i];
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaNode) node = NULL;
      CandelaNode *operands[MAX_OPERANDS];
      guint n = 0;

      for (; n < MAX_OPERANDS && r->shapes[n] != NULL; n++)
        operands[n] = make_operand (CANDELA_DTYPE_FLOAT32, r->shapes[n], n, 0);
      node = make_node (r->op, r->what, operands, n, &error);
      g_assert_null (node);
      g_assert_error (error, CANDELA_ERROR, (int) r->code);
      if (r->message != NULL)
        g_assert_cmpstr (error->message, ==, r->message);
      for (guint k = 0; k < n; k++)
        candela_node_unref (operands[k]);
    }
}

static void
test_no_operand (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) node = make_node ("einsum", "", NULL, 0, &error);

  g_assert_null (node);
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY);
}

/* ---- Numbers with two parts; large operands ---- */

static void
test_complex (void)
{
  g_autoptr (CandelaNode) a = make_value ("complex128", "2 2", "1 2 -1 0 0 0.5 3 -1");
  g_autoptr (CandelaNode) b = make_value ("complex128", "2 2", "2 -1 1 0 0 1 -2 2");
  g_autoptr (CandelaTensor) product = compute_op ("einsum", "{'subscripts': <'ij,jk->ik'>}", a, b);
  g_autoptr (CandelaTensor) elements = compute_op ("einsum", "{'subscripts': <'ij,ij->ij'>}", a, b);
  g_autoptr (CandelaTensor) sum = compute_op ("einsum", "{'subscripts': <'ij->'>}", a, NULL);

  assert_elements (product, "complex128", "2 2", "4 2 3 0 1.5 4 -4 8.5", "a product of matrices");
  assert_elements (elements, "complex128", "2 2", "4 3 -1 0 -0.5 0 -4 8", "a product of elements");
  assert_elements (sum, "complex128", "", "3 1.5", "a sum");
}

/* What is added are the parts: an infinite one makes no other one NaN. The sums are by
 * hand; the second operand repeats its elements along its last axis. */
static void
test_infinite (void)
{
  static const struct
  {
    const char *subscripts, *shape, *elements, *text;
  } rows[] = {
    { "ij->i", "2", "inf -inf 12 4", "over rows" },
    { "ij->j", "3", "inf 2 5 2 7 -inf", "over columns" },
    { "ij->", "", "inf -inf", "of all" },
    { "...j->...", "2", "inf -inf 12 4", "under an ellipsis" },
    { "ijk->ik", "2 2", "inf -inf inf -inf 12 4 12 4", "of what is repeated" },
    { "ijk->k", "2", "inf -inf inf -inf", "over two axes" },
  };
  static const char *const dtypes[] = { "complex64", "complex128" };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (guint t = 0; t < G_N_ELEMENTS (dtypes); t++)
      {
        g_autoptr (GError) error = NULL;
        g_autofree char *params = g_strdup_printf ("{'subscripts': <'%s'>}", rows[i].subscripts);
        g_autoptr (CandelaNode) x = make_value (dtypes[t], "2 3 1", "inf 0 1 1 2 -inf 3 2 4 1 5 1");
        g_autoptr (CandelaNode) repeated = make_op ("broadcast_to", "{'shape': <@ax [2, 3, 2]>}", x, NULL, &error);
        g_autoptr (CandelaNode) matrix = make_op ("reshape", "{'shape': <@ax [2, 3]>}", x, NULL, &error);
        gboolean three = strstr (rows[i].subscripts, "k") != NULL;
        g_autoptr (CandelaTensor) sum = compute_op ("einsum", params, three ? repeated : matrix, NULL);

        assert_elements (sum, dtypes[t], rows[i].shape, rows[i].elements, rows[i].text);
      }
}

static gint64
element_of (CandelaTensor *tensor, gint64 i)
{
  return candela_tensor_get_dtype (tensor) == CANDELA_DTYPE_FLOAT32
           ? (gint64) ((const float *) candela_tensor_get_data (tensor))[i]
           : ((const gint64 *) candela_tensor_get_data (tensor))[i];
}

/* In chunks among threads, of which float32 and integers go different ways. */
static void
test_large (void)
{
  static const struct
  {
    const char *subscripts, *shapes[2];
  } large[] = {
    { "ij,jk->ik", { "300 170", "170 310" } },
    { "kji,ljk->il", { "40 50 60", "70 50 40" } },
    { "bij,bkj->bik", { "70 30 9", "70 11 9" } },
    { "bi,bi->b", { "3000 7", "3000 7" } },
    { "ij,ij->ji", { "300 400", "300 400" } },
    { "ij,j->i", { "2000 300", "300" } },
    { "i,j->ij", { "700", "300" } },
    { "ij->j", { "3000 200" } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (large); i++)
    {
      g_autofree char *params = g_strdup_printf ("{'subscripts': <'%s'>}", large[i].subscripts);
      CandelaTensor *results[2];

      for (guint k = 0; k < 2; k++)
        {
          CandelaDType dtype = k == 0 ? CANDELA_DTYPE_FLOAT32 : CANDELA_DTYPE_INT64;
          g_autoptr (CandelaNode) a = make_operand (dtype, large[i].shapes[0], 0, k);
          g_autoptr (CandelaNode) b =
            large[i].shapes[1] != NULL ? make_operand (dtype, large[i].shapes[1], 1, k) : NULL;

          results[k] = compute_op ("einsum", params, a, b);
        }
      for (gint64 n = 0; n < candela_tensor_get_n_elements (results[1]); n++)
        g_assert_cmpint (element_of (results[0], n), ==, element_of (results[1], n));
      g_object_unref (results[0]);
      g_object_unref (results[1]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/contract/einsum", test_einsum);
  g_test_add_func ("/contract/tensordot", test_tensordot);
  g_test_add_func ("/contract/refusals", test_refusals);
  g_test_add_func ("/contract/no-operand", test_no_operand);
  g_test_add_func ("/contract/complex", test_complex);
  g_test_add_func ("/contract/infinite", test_infinite);
  g_test_add_func ("/contract/large", test_large);
  return g_test_run ();
}
