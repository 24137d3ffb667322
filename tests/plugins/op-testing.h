/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values and results as text, for tests of ops: shapes and elements are numbers
 * parted by blanks (two for each complex one), parameters the text of an a{sv}. Elements must be equal bit for
 * bit, but for the payload of a NaN. */
#pragma once

#include <candela/candela.h>
#include <math.h>
#include <string.h>

static inline gsize
read_shape (const char *text, gint64 *shape)
{
  gsize n = 0;

  for (char *end; *text != '\0'; text = end)
    {
      shape[n++] = g_ascii_strtoll (text, &end, 10);
      g_assert_true (end != text);
    }
  return n;
}

static inline CandelaDType
read_dtype (const char *name)
{
  g_autoptr (GError) error = NULL;
  CandelaDType dtype = candela_dtype_from_name (name, &error);

  g_assert_no_error (error);
  return dtype;
}

#define OP_TESTING_DTYPES(X)                                                                                           \
  X (BOOL, guint8)                                                                                                     \
  X (INT8, gint8)                                                                                                      \
  X (INT16, gint16)                                                                                                    \
  X (INT32, gint32)                                                                                                    \
  X (INT64, gint64)                                                                                                    \
  X (UINT8, guint8)                                                                                                    \
  X (UINT16, guint16)                                                                                                  \
  X (UINT32, guint32)                                                                                                  \
  X (UINT64, guint64)

static inline void
put_element (CandelaDType dtype, gpointer data, gint64 i, const char *text, char **end)
{
  gboolean negative = text[strspn (text, " ")] == '-';
  gint64 integer = negative ? g_ascii_strtoll (text, end, 10) : (gint64) g_ascii_strtoull (text, end, 10);

  switch ((int) dtype)
    {
#define PUT(DTYPE, type)                                                                                               \
  case CANDELA_DTYPE_##DTYPE:                                                                                          \
    ((type *) data)[i] = (type) integer;                                                                               \
    break;
      OP_TESTING_DTYPES (PUT)
#undef PUT
    case CANDELA_DTYPE_FLOAT32:
    case CANDELA_DTYPE_COMPLEX64:
      ((float *) data)[i] = (float) g_ascii_strtod (text, end);
      break;
    default:
      ((double *) data)[i] = g_ascii_strtod (text, end);
    }
  g_assert_true (*end != text);
}

static inline gboolean
is_complex (CandelaDType dtype)
{
  return candela_dtype_get_kind (dtype) == CANDELA_DTYPE_KIND_COMPLEX;
}

static inline CandelaTensor *
make_tensor (const char *dtype_name, const char *shape_text, const char *elements)
{
  g_autoptr (GError) error = NULL;
  gint64 shape[CANDELA_MAX_RANK];
  gsize rank = read_shape (shape_text, shape);
  CandelaDType dtype = read_dtype (dtype_name);
  CandelaTensor *tensor = candela_tensor_new (dtype, shape, rank, &error);
  gint64 n;

  g_assert_no_error (error);
  n = candela_tensor_get_n_elements (tensor) * (1 + is_complex (dtype));
  for (gint64 i = 0; i < n; i++)
    {
      char *end;

      put_element (dtype, candela_tensor_get_writable_data (tensor), i, elements, &end);
      elements = end;
    }
  g_assert_cmpstr (elements, ==, "");
  return tensor;
}

static inline CandelaNode *
make_value (const char *dtype, const char *shape, const char *elements)
{
  g_autoptr (CandelaTensor) tensor = make_tensor (dtype, shape, elements);

  return candela_node_new_tensor (tensor);
}

/* The same buffer under another layout; layout is taken over. */
static inline CandelaNode *
make_view (CandelaTensor *tensor, CandelaLayout *layout)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = candela_tensor_get_bytes (tensor, &error);
  g_autoptr (CandelaTensor) view = NULL;

  g_assert_no_error (error);
  view = candela_tensor_new_for_bytes (candela_tensor_get_dtype (tensor), layout, bytes, &error);
  g_assert_no_error (error);
  candela_layout_unref (layout);
  return candela_node_new_tensor (view);
}

static inline GVariant *
read_params (const char *text)
{
  g_autoptr (GError) error = NULL;
  GVariant *params = text != NULL ? g_variant_parse (G_VARIANT_TYPE_VARDICT, text, NULL, NULL, &error) : NULL;

  g_assert_no_error (error);
  return params;
}

/* Inputs that may be NULL come last. */
static inline CandelaNode *
make_op (const char *op, const char *params_text, CandelaNode *a, CandelaNode *b, GError **error)
{
  CandelaNode *inputs[2] = { a, b };
  g_autoptr (GVariant) params = read_params (params_text);

  return candela_node_new_opv (op, inputs, a == NULL ? 0 : b == NULL ? 1 : 2, params, error);
}

static inline CandelaTensor *
compute (CandelaNode *node)
{
  g_autoptr (GError) error = NULL;
  CandelaTensor *tensor;

  g_assert_nonnull (node);
  tensor = candela_node_materialize (node, &error);
  g_assert_no_error (error);
  return tensor;
}

static inline CandelaTensor *
compute_op (const char *op, const char *params, CandelaNode *a, CandelaNode *b)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) node = make_op (op, params, a, b, &error);

  g_assert_no_error (error);
  return compute (node);
}

static inline CandelaTensor *
compute_output (CandelaNode *node, guint output)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) part = candela_node_get_output (node, output, &error);

  g_assert_no_error (error);
  return compute (part);
}

static inline char *
shape_text (CandelaTensor *tensor)
{
  GString *text = g_string_new (NULL);
  gsize rank;
  const gint64 *shape = candela_tensor_get_shape (tensor, &rank);

  for (gsize k = 0; k < rank; k++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, k > 0 ? " " : "", shape[k]);
  return g_string_free (text, FALSE);
}

/* A number of a result of floats or int64; the parts of complex ones are counted apart. */
static inline double
part_of (CandelaTensor *tensor, gint64 i)
{
  CandelaDType dtype = candela_tensor_get_dtype (tensor);
  gconstpointer data = candela_tensor_get_data (tensor);

  if (dtype == CANDELA_DTYPE_INT64)
    return (double) ((const gint64 *) data)[i];
  return dtype == CANDELA_DTYPE_COMPLEX64 || dtype == CANDELA_DTYPE_FLOAT32 ? (double) ((const float *) data)[i]
                                                                            : ((const double *) data)[i];
}

static inline gboolean
same_float32 (gconstpointer x, gconstpointer y)
{
  return memcmp (x, y, sizeof (float)) == 0 || (isnan (*(const float *) x) && isnan (*(const float *) y));
}

static inline gboolean
same_float64 (gconstpointer x, gconstpointer y)
{
  return memcmp (x, y, sizeof (double)) == 0 || (isnan (*(const double *) x) && isnan (*(const double *) y));
}

/* Results of ops that compute are packed. */
static inline gboolean
same_element (CandelaTensor *a, CandelaTensor *b, gint64 i)
{
  CandelaDType dtype = candela_tensor_get_dtype (a);
  gsize size = candela_dtype_get_size (dtype);
  const guint8 *x = (const guint8 *) candela_tensor_get_data (a) + i * (gint64) size;
  const guint8 *y = (const guint8 *) candela_tensor_get_data (b) + i * (gint64) size;

  switch ((int) dtype)
    {
    case CANDELA_DTYPE_FLOAT32:
      return same_float32 (x, y);
    case CANDELA_DTYPE_FLOAT64:
      return same_float64 (x, y);
    case CANDELA_DTYPE_COMPLEX64:
      return same_float32 (x, y) && same_float32 (x + 4, y + 4);
    case CANDELA_DTYPE_COMPLEX128:
      return same_float64 (x, y) && same_float64 (x + 8, y + 8);
    default:
      return memcmp (x, y, size) == 0;
    }
}

static inline void
assert_same (CandelaTensor *got, CandelaTensor *wanted, const char *what)
{
  g_autofree char *got_shape = shape_text (got), *wanted_shape = shape_text (wanted);

  g_assert_cmpstr (candela_dtype_get_name (candela_tensor_get_dtype (got)), ==,
                   candela_dtype_get_name (candela_tensor_get_dtype (wanted)));
  g_assert_cmpstr (got_shape, ==, wanted_shape);
  g_assert_true (candela_layout_is_contiguous (candela_tensor_get_layout (got)));
  for (gint64 i = 0; i < candela_tensor_get_n_elements (got); i++)
    if (!same_element (got, wanted, i))
      {
        g_autofree char *got_text = candela_tensor_to_string (got), *wanted_text = candela_tensor_to_string (wanted);

        g_test_message ("%s, element %" G_GINT64_FORMAT ": %s and not %s", what, i, got_text, wanted_text);
        g_test_fail ();
        return;
      }
}

static inline void
assert_elements (CandelaTensor *got, const char *dtype, const char *shape, const char *elements, const char *what)
{
  g_autoptr (CandelaTensor) wanted = make_tensor (dtype, shape, elements);

  assert_same (got, wanted, what);
}

/* An expression that is one bool, true. */
static inline void
assert_holds (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) node = candela_expression_build (text, &error, NULL);
  g_autoptr (CandelaTensor) result = NULL;

  g_assert_no_error (error);
  result = compute (node);
  assert_elements (result, "bool", "", "1", text);
}

static inline CandelaTensor *
evaluate (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) node = candela_expression_build (text, &error, NULL);

  g_assert_no_error (error);
  return compute (node);
}

/* An expression and its value. */
typedef struct
{
  const char *text;
  const char *dtype, *shape, *elements;
} TextCase;

static inline void
assert_text_cases (const TextCase *cases, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (CandelaTensor) result = evaluate (cases[i].text);

      assert_elements (result, cases[i].dtype, cases[i].shape, cases[i].elements, cases[i].text);
    }
}

/* An op of one input and its value. */
typedef struct
{
  const char *op, *params;
  const char *dtype, *shape, *elements;
  const char *out_dtype, *out_shape, *out_elements;
} OpCase;

static inline void
assert_op_cases (const OpCase *cases, gsize n)
{
  for (const OpCase *c = cases; c < cases + n; c++)
    {
      g_autoptr (CandelaNode) x = make_value (c->dtype, c->shape, c->elements);
      g_autoptr (CandelaTensor) result = compute_op (c->op, c->params, x, NULL);
      g_autofree char *what = g_strdup_printf ("%s (%s [%s] %s, %s)", c->op, c->dtype, c->shape, c->elements,
                                               c->params != NULL ? c->params : "");

      assert_elements (result, c->out_dtype, c->out_shape, c->out_elements, what);
    }
}

static inline void
assert_refused (const char *op, const char *params, CandelaNode *a, CandelaNode *b, CandelaError code,
                const char *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) node = make_op (op, params, a, b, &error);

  g_assert_null (node);
  g_assert_error (error, CANDELA_ERROR, (int) code);
  if (message != NULL)
    g_assert_cmpstr (error->message, ==, message);
  g_assert_true (g_str_has_prefix (error->message, op));
}

/* An op of a slot of a shape and dtype that it does not take. */
typedef struct
{
  const char *op, *params, *dtype, *shape;
  CandelaError code;
  const char *message;
} OpRefusal;

static inline void
assert_op_refusals (const OpRefusal *refusals, gsize n)
{
  for (const OpRefusal *r = refusals; r < refusals + n; r++)
    {
      g_autoptr (GError) error = NULL;
      gint64 shape[CANDELA_MAX_RANK];
      gsize rank = read_shape (r->shape, shape);
      g_autoptr (CandelaNode) x = candela_node_new_slot ("x", read_dtype (r->dtype), shape, rank, &error);

      g_assert_no_error (error);
      assert_refused (r->op, r->params, x, NULL, r->code, r->message);
    }
}
