/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The layout plugin. Right values are NumPy's: each row of the table is a chain of
 * ops over arange(n).reshape(shape), with the shape and the elements that NumPy gives,
 * and how many buffers the plan may allocate: none for a view. */
#include <candela/candela.h>
#include <string.h>

/* Integers parted by blanks. */
static gint64 *
read_integers (const char *text, gsize *n)
{
  GArray *array = g_array_new (FALSE, FALSE, sizeof (gint64));
  char *end;

  for (; *text != '\0'; text = end)
    {
      gint64 value = g_ascii_strtoll (text, &end, 10);

      g_assert_true (end != text);
      g_array_append_val (array, value);
    }
  *n = array->len;

  return (gint64 *) g_array_free (array, FALSE);
}

static CandelaTensor *
new_arange (CandelaDType dtype, const char *shape_text)
{
  g_autoptr (GError) error = NULL;
  gsize rank;
  g_autofree gint64 *shape = read_integers (shape_text, &rank);
  CandelaTensor *tensor = candela_tensor_new (dtype, shape, rank, &error);

  g_assert_no_error (error);
  if (dtype == CANDELA_DTYPE_INT64)
    for (gint64 i = 0; i < candela_tensor_get_n_elements (tensor); i++)
      ((gint64 *) candela_tensor_get_writable_data (tensor))[i] = i;

  return tensor;
}

/* "op; op {parameters}; …" over an int64 arange of that shape, or over a slot. */
static CandelaNode *
build (const char *chain, const char *shape_text, CandelaDType dtype, GError **error)
{
  g_autoptr (CandelaTensor) tensor = new_arange (dtype, shape_text);
  g_autoptr (CandelaNode) node = candela_node_new_tensor (tensor);
  g_auto (GStrv) links = g_strsplit (chain, "; ", -1);

  for (guint i = 0; node != NULL && links[i] != NULL; i++)
    {
      g_auto (GStrv) words = g_strsplit (links[i], " ", 2);
      GVariant *params = NULL;
      CandelaNode *next;

      if (words[1] != NULL)
        {
          g_autoptr (GError) wrong = NULL;

          params = g_variant_parse (G_VARIANT_TYPE_VARDICT, words[1], NULL, NULL, &wrong);
          g_assert_no_error (wrong);
        }
      next = candela_node_new_opv (words[0], &node, 1, params, error);
      g_clear_pointer (&params, g_variant_unref);
      candela_node_unref (node);
      node = next;
    }

  return g_steal_pointer (&node);
}

/* The elements in row-major order, by index: the tensor may have any layout. */
static char *
elements_to_string (CandelaTensor *tensor)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gsize rank;
  const gint64 *shape = candela_tensor_get_shape (tensor, &rank);
  gint64 index[CANDELA_MAX_RANK] = { 0 };

  for (gint64 i = 0; i < candela_tensor_get_n_elements (tensor); i++)
    {
      g_autoptr (GError) error = NULL;
      gint64 value = candela_tensor_get_int64 (tensor, index, rank, &error);

      g_assert_no_error (error);
      g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? " " : "", value);
      for (gsize axis = rank; axis-- > 0;)
        if (++index[axis] < shape[axis])
          break;
        else
          index[axis] = 0;
    }

  return g_strdup (text->str);
}

typedef struct
{
  const char *chain;
  const char *shape;
  const char *result_shape;
  const char *result;
  guint n_allocations;
} Case;

static const Case cases[] = {
  /* The input itself; packed only where it is not. */
  { "identity", "2 3", "2 3", "0 1 2 3 4 5", 0 },
  { "contiguous", "2 3", "2 3", "0 1 2 3 4 5", 0 },
  { "transpose; contiguous", "2 3", "3 2", "0 3 1 4 2 5", 1 },
  { "index {'key': <'1:'>}; contiguous", "3 2", "2 2", "2 3 4 5", 0 },

  /* Reshape: a view where strides allow it, else a copy. */
  { "reshape {'shape': <[int64 3, 2]>}", "2 3", "3 2", "0 1 2 3 4 5", 0 },
  { "reshape {'shape': <[int64 2, -1]>}", "3 4", "2 6", "0 1 2 3 4 5 6 7 8 9 10 11", 0 },
  { "reshape {'shape': <[int64 -1]>}", "", "1", "0", 0 },
  { "reshape {'shape': <@ax []>}", "1 1", "", "0", 0 },
  { "reshape {'shape': <[int64 1, 2, 1, 3]>}", "2 3", "1 2 1 3", "0 1 2 3 4 5", 0 },
  { "transpose; reshape {'shape': <[int64 6]>}", "2 3", "6", "0 3 1 4 2 5", 1 },
  { "transpose; reshape {'shape': <[int64 3, 1, 2]>}", "2 3", "3 1 2", "0 3 1 4 2 5", 0 },
  { "index {'key': <'::2, :'>}; reshape {'shape': <[int64 2, 3, 1]>}", "4 3", "2 3 1", "0 1 2 6 7 8", 0 },
  { "index {'key': <'::2, :'>}; reshape {'shape': <[int64 6]>}", "4 3", "6", "0 1 2 6 7 8", 1 },
  { "broadcast_to {'shape': <[int64 2, 3]>}; reshape {'shape': <[int64 6]>}", "3", "6", "0 1 2 0 1 2", 1 },
  { "flip; reshape {'shape': <[int64 3, 2]>}", "6", "3 2", "5 4 3 2 1 0", 0 },
  { "reshape {'shape': <[int64 4, 0]>}", "0 3", "4 0", "", 0 },
  { "reshape {'shape': <[int64 -1, 2]>}", "0 3", "0 2", "", 0 },

  /* Axes in another order. */
  { "permute_dims {'axes': <[int64 1, 0]>}", "2 3", "3 2", "0 3 1 4 2 5", 0 },
  { "permute_dims {'axes': <[int64 2, 0, 1]>}", "2 3 2", "2 2 3", "0 2 4 6 8 10 1 3 5 7 9 11", 0 },
  { "permute_dims {'axes': <[int64 -1, 0, -2]>}", "2 3 2", "2 2 3", "0 2 4 6 8 10 1 3 5 7 9 11", 0 },
  { "permute_dims {'axes': <@ax []>}", "", "", "0", 0 },
  { "transpose", "2 1 3", "3 1 2", "0 3 1 4 2 5", 0 },
  { "transpose", "3", "3", "0 1 2", 0 },
  { "matrix_transpose", "2 2 3", "2 3 2", "0 3 1 4 2 5 6 9 7 10 8 11", 0 },
  { "diagonal", "2 3", "2", "0 4", 0 },
  { "diagonal", "2 3 2", "2 2", "0 3 6 9", 0 },
  { "diagonal {'offset': <int64 1>}", "2 3", "2", "1 5", 0 },
  { "diagonal {'offset': <int64 2>}", "2 3", "1", "2", 0 },
  { "diagonal {'offset': <int64 -1>}", "2 3", "1", "3", 0 },
  { "diagonal {'offset': <int64 -9223372036854775808>}", "2 3", "0", "", 0 },
  { "diagonal {'offset': <int64 9223372036854775807>}", "2 3", "0", "", 0 },
  { "diagonal", "2 0 3", "2 0", "", 0 },
  { "moveaxis {'source': <[int64 0]>, 'destination': <[int64 -1]>}", "2 2 3", "2 3 2", "0 6 1 7 2 8 3 9 4 10 5 11", 0 },
  { "moveaxis {'source': <[int64 2, 0]>, 'destination': <[int64 0, 1]>}", "2 1 3", "3 2 1", "0 3 1 4 2 5", 0 },
  { "moveaxis {'source': <@ax []>, 'destination': <@ax []>}", "2 3", "2 3", "0 1 2 3 4 5", 0 },
  { "flip", "2 3", "2 3", "5 4 3 2 1 0", 0 },
  { "flip {'axis': <[int64 -1]>}", "2 3", "2 3", "2 1 0 5 4 3", 0 },
  { "flip {'axis': <[int64 0, 2]>}", "2 1 3", "2 1 3", "5 4 3 2 1 0", 0 },

  /* More axes, and fewer. */
  { "broadcast_to {'shape': <[int64 2, 3]>}", "3", "2 3", "0 1 2 0 1 2", 0 },
  { "broadcast_to {'shape': <[int64 3, 2]>}", "3 1", "3 2", "0 0 1 1 2 2", 0 },
  { "broadcast_to {'shape': <[int64 2, 0]>}", "1 0", "2 0", "", 0 },
  { "broadcast_to {'shape': <[int64 2, 2]>}", "", "2 2", "0 0 0 0", 0 },
  { "expand_dims", "3", "1 3", "0 1 2", 0 },
  { "expand_dims {'axis': <int64 -1>}", "2 2", "2 2 1", "0 1 2 3", 0 },
  { "expand_dims {'axis': <int64 1>}", "2 2", "2 1 2", "0 1 2 3", 0 },
  { "flip {'axis': <@ax []>}", "2 3", "2 3", "0 1 2 3 4 5", 0 },
  { "squeeze {'axis': <@ax []>}", "1 3", "1 3", "0 1 2", 0 },
  { "squeeze {'axis': <[int64 0]>}", "1 3", "3", "0 1 2", 0 },
  { "squeeze {'axis': <[int64 -1, 0]>}", "1 3 1", "3", "0 1 2", 0 },

  /* Indices. */
  { "index {'key': <'0'>}", "3", "", "0", 0 },
  { "index {'key': <'-1'>}", "3 2", "2", "4 5", 0 },
  { "index {'key': <'1, -2'>}", "2 3", "", "4", 0 },
  { "index {'key': <'1:4'>}", "6", "3", "1 2 3", 0 },
  { "index {'key': <'::-1'>}", "4", "4", "3 2 1 0", 0 },
  { "index {'key': <'1:4, ::-1, None, 0, ...'>}", "5 2 2", "3 2 1", "6 4 10 8 14 12", 0 },
  { "index {'key': <'...'>}", "2 2", "2 2", "0 1 2 3", 0 },
  { "index {'key': <'..., 0'>}", "2 2 2", "2 2", "0 2 4 6", 0 },
  { "index {'key': <'0, ...'>}", "2 2", "2", "0 1", 0 },
  { "index {'key': <'0, ..., 1'>}", "2 2", "", "1", 0 },
  { "index {'key': <'None'>}", "2", "1 2", "0 1", 0 },
  { "index {'key': <'None, ..., None'>}", "2", "1 2 1", "0 1", 0 },
  { "index {'key': <' 1 : , None '>}", "3", "2 1", "1 2", 0 },
  { "index {'key': <'4:1:-1'>}", "6", "3", "4 3 2", 0 },
  { "index {'key': <'-2::-2'>}", "6", "3", "4 2 0", 0 },
  { "index {'key': <'5:2'>}", "6", "0", "", 0 },
  { "index {'key': <'-100:100:3'>}", "7", "3", "0 3 6", 0 },
  { "index {'key': <'100:-100:-3'>}", "7", "3", "6 3 0", 0 },
  { "index {'key': <':0:-1'>}", "3", "2", "2 1", 0 },
  { "index {'key': <'2:2, 0'>}", "3 2", "0", "", 0 },
  { "index {'key': <'::9223372036854775807'>}", "3", "1", "0", 0 },
  { "index {'key': <'::-9223372036854775808'>}", "3", "1", "2", 0 },
  { "index {'key': <'-9223372036854775808:'>}", "3", "3", "0 1 2", 0 },
  { "index {'key': <':-9223372036854775808'>}", "3", "0", "", 0 },
  { "index {'key': <'...'>}", "", "", "0", 0 },
  { "index {'key': <'None, None'>}", "", "1 1", "0", 0 },
  { "index {'key': <'::2, 1::2'>}", "4 4", "2 2", "1 3 9 11", 0 },

  /* Slices in words. */
  { "slice {'axis': <int64 0>, 'start': <int64 1>}", "4", "3", "1 2 3", 0 },
  { "slice {'axis': <int64 -1>, 'step': <int64 -1>}", "2 3", "2 3", "2 1 0 5 4 3", 0 },
  { "slice {'axis': <int64 1>, 'start': <int64 0>, 'stop': <int64 -1>, 'step': <int64 2>}", "2 5", "2 2", "0 2 5 7",
    0 },
  { "slice {'axis': <int64 0>, 'stop': <int64 0>}", "3 2", "0 2", "", 0 },
  { "slice {'axis': <int64 0>, 'stop': <int64 -9223372036854775808>}", "3", "0", "", 0 },

  /* Views of views. */
  { "transpose; index {'key': <'::-1, 1'>}; broadcast_to {'shape': <[int64 2, 3]>}", "2 3", "2 3", "5 4 3 5 4 3", 0 },
  { "index {'key': <'1:'>}; transpose; index {'key': <'::2'>}; reshape {'shape': <[int64 2, 2]>}", "3 3", "2 2",
    "3 6 5 8", 0 },
};

static void
test_values (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const Case *c = &cases[i];
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaNode) node = build (c->chain, c->shape, CANDELA_DTYPE_INT64, &error);
      g_autoptr (CandelaPlan) plan = NULL;
      g_autoptr (CandelaTensor) tensor = NULL;
      gsize rank, wanted_rank;
      g_autofree gint64 *wanted = read_integers (c->result_shape, &wanted_rank);
      g_autofree char *elements = NULL;

      g_test_message ("%s of shape [%s]", c->chain, c->shape);
      g_assert_no_error (error);
      g_assert_cmpint (candela_node_get_dtype (node), ==, CANDELA_DTYPE_INT64);

      const gint64 *shape = candela_node_get_shape (node, &rank);
      g_assert_cmpmem (shape, rank * sizeof (gint64), wanted, wanted_rank * sizeof (gint64));

      tensor = candela_node_materialize (node, &error);
      g_assert_no_error (error);
      shape = candela_tensor_get_shape (tensor, &rank);
      g_assert_cmpmem (shape, rank * sizeof (gint64), wanted, wanted_rank * sizeof (gint64));
      elements = elements_to_string (tensor);
      g_assert_cmpstr (elements, ==, c->result);

      plan = candela_node_plan (node, CANDELA_PLAN_DEFAULT, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (candela_plan_get_n_allocations (plan), ==, c->n_allocations);
    }
}

/* What is known to change nothing is no node of its own. */
static void
test_folds (void)
{
  static const struct
  {
    const char *chain, *shape;
    gboolean folds;
  } folds[] = {
    { "reshape {'shape': <[int64 2, 3]>}", "2 3", TRUE },
    { "reshape {'shape': <[int64 -1, 3]>}", "2 3", TRUE },
    { "reshape {'shape': <[int64 3, 2]>}", "2 3", FALSE },
    { "reshape {'shape': <@ax []>}", "", TRUE },
    { "broadcast_to {'shape': <[int64 2, 3]>}", "2 3", TRUE },
    { "broadcast_to {'shape': <[int64 1, 2, 3]>}", "2 3", FALSE },
    { "broadcast_to {'shape': <@ax []>}", "", TRUE },
    { "permute_dims {'axes': <[int64 0, 1]>}", "3 3", TRUE },
    { "permute_dims {'axes': <[int64 0, -1]>}", "3 3", TRUE },
    { "permute_dims {'axes': <[int64 1, 0]>}", "3 3", FALSE },
    { "transpose", "3", TRUE },
    { "transpose", "3 3", FALSE },
    { "identity", "3 3", FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (folds); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaNode) node = build (folds[i].chain, folds[i].shape, CANDELA_DTYPE_INT64, &error);

      g_test_message ("%s of shape [%s]", folds[i].chain, folds[i].shape);
      g_assert_no_error (error);
      g_assert_cmpint (candela_node_get_kind (node), ==, folds[i].folds ? CANDELA_NODE_EDGE : CANDELA_NODE_OP);
    }
}

/* Views and copies move bits: of every dtype, complex ones too. */
static void
test_dtypes (void)
{
  for (int dtype = CANDELA_DTYPE_BOOL; dtype < CANDELA_N_DTYPES; dtype++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaNode) view = build ("transpose; flip", "2 3", dtype, &error);
      g_autoptr (CandelaNode) copy =
        build ("transpose; contiguous; flip; reshape {'shape': <[int64 6]>}", "2 3", dtype, &error);
      g_autoptr (CandelaTensor) tensor = NULL;

      g_assert_no_error (error);
      g_assert_cmpint (candela_node_get_dtype (view), ==, dtype);
      tensor = candela_node_materialize (copy, &error);
      g_assert_no_error (error);
      g_assert_cmpint (candela_tensor_get_dtype (tensor), ==, dtype);
      g_assert_cmpint (candela_tensor_get_n_elements (tensor), ==, 6);
    }
}

static const struct
{
  const char *chain, *shape;
  CandelaError code;
  const char *words[3];
} errors[] = {
  { "reshape {'shape': <[int64 4, 2]>}", "2 3", CANDELA_ERROR_SHAPE, { "reshape:", "[2, 3]", "[4, 2]" } },
  { "transpose; reshape {'shape': <[int64 5]>}", "2 3", CANDELA_ERROR_SHAPE, { "reshape:", "[3, 2]", "[5]" } },
  { "reshape {'shape': <[int64 -1, 4]>}", "2 3", CANDELA_ERROR_SHAPE, { "reshape:", "[2, 3]", "[-1, 4]" } },
  { "reshape {'shape': <[int64 -1, -1]>}", "2 3", CANDELA_ERROR_SHAPE, { "reshape:", "[-1, -1]" } },
  { "reshape {'shape': <[int64 -2, 3]>}", "2 3", CANDELA_ERROR_SHAPE, { "reshape:", "[-2, 3]" } },
  { "reshape {'shape': <[int64 0, -1]>}", "0 3", CANDELA_ERROR_SHAPE, { "reshape:", "[0, 3]", "[0, -1]" } },
  { "reshape {'shape': <[int64 4611686018427387904, 4]>}", "2 3", CANDELA_ERROR_SHAPE, { "reshape:", "[2, 3]" } },
  { "reshape {'shape': <[int64 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
    "1, 1, "
    "1, 1, 1]>}",
    "1",
    CANDELA_ERROR_SHAPE,
    { "reshape:", "33" } },
  { "reshape", "2 3", CANDELA_ERROR_PARAMETER, { "reshape:", "shape" } },
  { "broadcast_to {'shape': <[int64 2, 4]>}", "3", CANDELA_ERROR_SHAPE, { "broadcast_to:", "[3]", "[2, 4]" } },
  { "broadcast_to {'shape': <[int64 3]>}", "1 3", CANDELA_ERROR_SHAPE, { "broadcast_to:", "[1, 3]", "[3]" } },
  { "broadcast_to {'shape': <[int64 -1, 3]>}", "3", CANDELA_ERROR_SHAPE, { "broadcast_to:", "[-1, 3]" } },
  { "permute_dims {'axes': <[int64 0]>}", "2 3", CANDELA_ERROR_AXIS, { "permute_dims:" } },
  { "permute_dims {'axes': <[int64 0, 0]>}", "2 3", CANDELA_ERROR_AXIS, { "permute_dims:", "0" } },
  { "permute_dims {'axes': <[int64 0, 2]>}", "2 3", CANDELA_ERROR_AXIS, { "permute_dims:", "2" } },
  { "matrix_transpose", "3", CANDELA_ERROR_SHAPE, { "matrix_transpose:", "[3]" } },
  { "diagonal", "3", CANDELA_ERROR_SHAPE, { "diagonal:", "[3]" } },
  { "moveaxis {'source': <[int64 0, 1]>, 'destination': <[int64 0]>}",
    "2 3",
    CANDELA_ERROR_AXIS,
    { "moveaxis:", "2" } },
  { "moveaxis {'source': <[int64 0, -2]>, 'destination': <[int64 0, 1]>}",
    "2 3",
    CANDELA_ERROR_AXIS,
    { "moveaxis:", "-2", "source" } },
  { "moveaxis {'source': <[int64 0]>, 'destination': <[int64 2]>}", "2 3", CANDELA_ERROR_AXIS, { "moveaxis:", "2" } },
  { "flip {'axis': <[int64 2]>}", "2 3", CANDELA_ERROR_AXIS, { "flip:", "2" } },
  { "expand_dims {'axis': <int64 3>}", "2", CANDELA_ERROR_AXIS, { "expand_dims:", "3" } },
  { "squeeze {'axis': <[int64 1]>}", "1 3", CANDELA_ERROR_SHAPE, { "squeeze:", "[1, 3]", "1" } },
  { "squeeze {'axis': <[int64 0, 0]>}", "1 3", CANDELA_ERROR_AXIS, { "squeeze:", "0" } },
  { "slice {'axis': <int64 0>, 'step': <int64 0>}", "3", CANDELA_ERROR_PARAMETER, { "slice:", "step" } },
  { "slice {'axis': <int64 1>}", "3", CANDELA_ERROR_AXIS, { "slice:", "1" } },
  { "index {'key': <'3'>}", "3", CANDELA_ERROR_AXIS, { "index 3", "axis 0", "length 3" } },
  { "index {'key': <'0, None, ..., -4'>}", "2 5 3", CANDELA_ERROR_AXIS, { "index -4", "axis 2", "length 3" } },
  { "index {'key': <'0'>}", "0", CANDELA_ERROR_AXIS, { "index 0", "axis 0", "length 0" } },
  { "index {'key': <'0, :, 1'>}", "2 3", CANDELA_ERROR_SHAPE, { "index:", "[2, 3]" } },
  { "index {'key': <'0'>}", "", CANDELA_ERROR_SHAPE, { "index:", "[]" } },
  { "index {'key': <'..., ...'>}", "2 3", CANDELA_ERROR_PARAMETER, { "index:", "ellipsis" } },
  { "index {'key': <'::0'>}", "3", CANDELA_ERROR_PARAMETER, { "index:", "step" } },
  { "index {'key': <''>}", "3", CANDELA_ERROR_PARAMETER, { "index:", "expected" } },
  { "index {'key': <'1,'>}", "3", CANDELA_ERROR_PARAMETER, { "index:", "expected" } },
  { "index {'key': <'1 2'>}", "3", CANDELA_ERROR_PARAMETER, { "index:", "comma" } },
  { "index {'key': <'1.5'>}", "3", CANDELA_ERROR_PARAMETER, { "index:", "comma" } },
  { "index {'key': <'1:2:3:4'>}", "3", CANDELA_ERROR_PARAMETER, { "index:", "comma" } },
  { "index {'key': <'-'>}", "3", CANDELA_ERROR_PARAMETER, { "index:", "minus" } },
  { "index {'key': <'Nonesuch'>}", "3", CANDELA_ERROR_PARAMETER, { "index:", "comma" } },
  { "index {'key': <'true'>}", "3", CANDELA_ERROR_PARAMETER, { "index:", "expected" } },
  { "index {'key': <'9223372036854775808'>}", "3", CANDELA_ERROR_PARAMETER, { "index:", "64 bits" } },
};

static void
test_errors (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (errors); i++)
    {
      g_autoptr (GError) error = NULL;
      CandelaNode *node = build (errors[i].chain, errors[i].shape, CANDELA_DTYPE_INT64, &error);

      g_test_message ("%s of shape [%s]: %s", errors[i].chain, errors[i].shape, error != NULL ? error->message : "");
      g_assert_null (node);
      g_assert_error (error, CANDELA_ERROR, (int) errors[i].code);
      for (gsize k = 0; k < G_N_ELEMENTS (errors[i].words) && errors[i].words[k] != NULL; k++)
        g_assert_nonnull (strstr (error->message, errors[i].words[k]));
    }
}

/* A key is text from outside: of any length, and with more new axes than there can be. */
static void
test_long_keys (void)
{
  g_autoptr (GString) key = g_string_new ("None");
  g_autoptr (CandelaTensor) tensor = new_arange (CANDELA_DTYPE_INT64, "2");
  g_autoptr (CandelaNode) x = candela_node_new_tensor (tensor);
  g_autoptr (CandelaNode) node = NULL;
  g_autoptr (GError) error = NULL;
  gsize rank;

  /* 32 new axes and the one of x taken away: as many as a layout can have. */
  for (guint i = 1; i < CANDELA_MAX_RANK; i++)
    g_string_append (key, ", None");
  g_string_append (key, ", 1");
  node = candela_node_new_op ("index", &error, x, NULL, "key", "s", key->str, NULL);
  g_assert_no_error (error);
  candela_node_get_shape (node, &rank);
  g_assert_cmpuint (rank, ==, CANDELA_MAX_RANK);

  g_string_append (key, ", None");
  g_assert_null (candela_node_new_op ("index", &error, x, NULL, "key", "s", key->str, NULL));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE);
  g_clear_error (&error);

  g_string_set_size (key, 1000000);
  memset (key->str, 'x', key->len);
  g_assert_null (candela_node_new_op ("index", &error, x, NULL, "key", "s", key->str, NULL));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER);
  g_assert_cmpuint (strlen (error->message), <, 200);
}

/* Layouts without memory behind them, with more elements than 32 bits count. */
static void
test_large (void)
{
  const gint64 shape[] = { G_GINT64_CONSTANT (1) << 40, 1 };
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) slot = candela_node_new_slot ("x", CANDELA_DTYPE_INT8, shape, 2, &error);
  g_autoptr (CandelaNode) last = NULL;
  g_autoptr (CandelaNode) wide = NULL;

  g_assert_no_error (error);
  last = candela_node_new_op ("index", &error, slot, NULL, "key", "s", "-1", NULL);
  g_assert_no_error (error);
  g_assert_cmpint (candela_layout_get_offset (candela_node_get_layout (last)), ==, shape[0] - 1);

  wide = candela_node_new_op ("broadcast_to", &error, slot, NULL, "shape", "@ax",
                              g_variant_new_parsed ("[%x, %x]", shape[0], G_GINT64_CONSTANT (1) << 40), NULL);
  g_assert_null (wide);
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/plugins/layout/values", test_values);
  g_test_add_func ("/plugins/layout/folds", test_folds);
  g_test_add_func ("/plugins/layout/dtypes", test_dtypes);
  g_test_add_func ("/plugins/layout/errors", test_errors);
  g_test_add_func ("/plugins/layout/long-keys", test_long_keys);
  g_test_add_func ("/plugins/layout/large", test_large);

  return g_test_run ();
}
