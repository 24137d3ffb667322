/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Dtypes: names, sizes, kinds and promotion. Promotion is computed from kind and
 * size rather than looked up in a table of pairs: the standard's tables (Python
 * array API 2024.12, "Type Promotion Rules") are these few sentences, and what
 * they leave open (numbers of different kinds) follows NumPy. */
#include <candela/value/dtype-private.h>

G_DEFINE_ENUM_TYPE (
  CandelaDType, candela_dtype, G_DEFINE_ENUM_VALUE (CANDELA_DTYPE_INVALID, "invalid"),
  G_DEFINE_ENUM_VALUE (CANDELA_DTYPE_BOOL, "bool"), G_DEFINE_ENUM_VALUE (CANDELA_DTYPE_INT8, "int8"),
  G_DEFINE_ENUM_VALUE (CANDELA_DTYPE_INT16, "int16"), G_DEFINE_ENUM_VALUE (CANDELA_DTYPE_INT32, "int32"),
  G_DEFINE_ENUM_VALUE (CANDELA_DTYPE_INT64, "int64"), G_DEFINE_ENUM_VALUE (CANDELA_DTYPE_UINT8, "uint8"),
  G_DEFINE_ENUM_VALUE (CANDELA_DTYPE_UINT16, "uint16"), G_DEFINE_ENUM_VALUE (CANDELA_DTYPE_UINT32, "uint32"),
  G_DEFINE_ENUM_VALUE (CANDELA_DTYPE_UINT64, "uint64"), G_DEFINE_ENUM_VALUE (CANDELA_DTYPE_FLOAT32, "float32"),
  G_DEFINE_ENUM_VALUE (CANDELA_DTYPE_FLOAT64, "float64"), G_DEFINE_ENUM_VALUE (CANDELA_DTYPE_COMPLEX64, "complex64"),
  G_DEFINE_ENUM_VALUE (CANDELA_DTYPE_COMPLEX128, "complex128"), G_DEFINE_ENUM_VALUE (CANDELA_DTYPE_FLOAT16, "float16"),
  G_DEFINE_ENUM_VALUE (CANDELA_DTYPE_BFLOAT16, "bfloat16"))

G_DEFINE_FLAGS_TYPE (CandelaDTypeKind, candela_dtype_kind, G_DEFINE_ENUM_VALUE (CANDELA_DTYPE_KIND_BOOL, "bool"),
                     G_DEFINE_ENUM_VALUE (CANDELA_DTYPE_KIND_SIGNED, "signed"),
                     G_DEFINE_ENUM_VALUE (CANDELA_DTYPE_KIND_UNSIGNED, "unsigned"),
                     G_DEFINE_ENUM_VALUE (CANDELA_DTYPE_KIND_FLOAT, "float"),
                     G_DEFINE_ENUM_VALUE (CANDELA_DTYPE_KIND_COMPLEX, "complex"))

const CandelaDTypeFacts candela_dtype_facts[CANDELA_N_DTYPES] = {
  [CANDELA_DTYPE_INVALID] = { "invalid", 0, 0 },
  [CANDELA_DTYPE_BOOL] = { "bool", 1, CANDELA_DTYPE_KIND_BOOL },
  [CANDELA_DTYPE_INT8] = { "int8", 1, CANDELA_DTYPE_KIND_SIGNED },
  [CANDELA_DTYPE_INT16] = { "int16", 2, CANDELA_DTYPE_KIND_SIGNED },
  [CANDELA_DTYPE_INT32] = { "int32", 4, CANDELA_DTYPE_KIND_SIGNED },
  [CANDELA_DTYPE_INT64] = { "int64", 8, CANDELA_DTYPE_KIND_SIGNED },
  [CANDELA_DTYPE_UINT8] = { "uint8", 1, CANDELA_DTYPE_KIND_UNSIGNED },
  [CANDELA_DTYPE_UINT16] = { "uint16", 2, CANDELA_DTYPE_KIND_UNSIGNED },
  [CANDELA_DTYPE_UINT32] = { "uint32", 4, CANDELA_DTYPE_KIND_UNSIGNED },
  [CANDELA_DTYPE_UINT64] = { "uint64", 8, CANDELA_DTYPE_KIND_UNSIGNED },
  [CANDELA_DTYPE_FLOAT32] = { "float32", 4, CANDELA_DTYPE_KIND_FLOAT },
  [CANDELA_DTYPE_FLOAT64] = { "float64", 8, CANDELA_DTYPE_KIND_FLOAT },
  [CANDELA_DTYPE_COMPLEX64] = { "complex64", 8, CANDELA_DTYPE_KIND_COMPLEX },
  [CANDELA_DTYPE_COMPLEX128] = { "complex128", 16, CANDELA_DTYPE_KIND_COMPLEX },
  [CANDELA_DTYPE_FLOAT16] = { "float16", 2, CANDELA_DTYPE_KIND_FLOAT },
  [CANDELA_DTYPE_BFLOAT16] = { "bfloat16", 2, CANDELA_DTYPE_KIND_FLOAT },
};

/* A binding can hand any number over as a dtype. */
static const CandelaDTypeFacts *
dtype_get_facts (CandelaDType dtype)
{
  return &candela_dtype_facts[(guint) dtype < CANDELA_N_DTYPES ? dtype : CANDELA_DTYPE_INVALID];
}

/**
 * candela_dtype_get_name:
 * @dtype: a dtype
 *
 * The name of @dtype in the array API standard, such as `float32`.
 *
 * Returns: (transfer none): the name; `invalid` for what is no dtype
 *
 * Since: 1.0
 */
const char *
candela_dtype_get_name (CandelaDType dtype)
{
  return dtype_get_facts (dtype)->name;
}

/**
 * candela_dtype_from_name:
 * @name: a name, such as `float32`
 * @error: return location for an error
 *
 * The dtype that the array API standard calls @name. A name that is none gives
 * %CANDELA_ERROR_DTYPE, with all that there are.
 *
 * Returns: the dtype, or %CANDELA_DTYPE_INVALID with @error set
 *
 * Since: 1.0
 */
CandelaDType
candela_dtype_from_name (const char *name, GError **error)
{
  g_autoptr (GString) known = NULL;

  for (guint i = CANDELA_DTYPE_INVALID + 1; i < CANDELA_N_DTYPES; i++)
    if (g_strcmp0 (name, candela_dtype_facts[i].name) == 0)
      return i;

  known = g_string_new (candela_dtype_facts[CANDELA_DTYPE_INVALID + 1].name);
  for (guint i = CANDELA_DTYPE_INVALID + 2; i < CANDELA_N_DTYPES; i++)
    g_string_append_printf (known, ", %s", candela_dtype_facts[i].name);
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE, "no dtype is called “%s”; there are %s",
               name != NULL ? name : "", known->str);
  return CANDELA_DTYPE_INVALID;
}

/**
 * candela_dtype_get_size:
 * @dtype: a dtype
 *
 * The bytes that an element of @dtype takes.
 *
 * Returns: 1 to 16; 0 for what is no dtype
 *
 * Since: 1.0
 */
gsize
candela_dtype_get_size (CandelaDType dtype)
{
  return dtype_get_facts (dtype)->size;
}

/**
 * candela_dtype_get_kind:
 * @dtype: a dtype
 *
 * The kind of @dtype: bool, signed or unsigned integer, float or complex.
 *
 * Returns: the kind; 0 for what is no dtype
 *
 * Since: 1.0
 */
CandelaDTypeKind
candela_dtype_get_kind (CandelaDType dtype)
{
  return dtype_get_facts (dtype)->kind;
}

/* The dtype of a kind (not bool) and size; INVALID if there is none. */
static CandelaDType
dtype_find (guint kind, gsize size)
{
  for (guint i = CANDELA_DTYPE_INVALID + 1; i < CANDELA_N_DTYPES; i++)
    if (candela_dtype_facts[i].kind == kind && candela_dtype_facts[i].size == size)
      return i;
  return CANDELA_DTYPE_INVALID;
}

static CandelaDType
dtype_real_part (CandelaDType dtype)
{
  switch (dtype)
    {
    case CANDELA_DTYPE_COMPLEX64:
      return CANDELA_DTYPE_FLOAT32;
    case CANDELA_DTYPE_COMPLEX128:
      return CANDELA_DTYPE_FLOAT64;
    default:
      return dtype;
    }
}

/**
 * candela_dtype_promote:
 * @a: a dtype
 * @b: another
 *
 * The dtype of a result of values of dtypes @a and @b: the tables of the array
 * API standard 2024.12, "Type Promotion Rules". Where they leave it open NumPy's
 * answer is given: bool with a number gives the number's dtype, an integer of 8
 * bits with a float the float's, one of 16 bits at least float32, a longer one
 * float64, and uint64 with a signed integer float64; with complex likewise. So is
 * float16 with bfloat16 float32.
 *
 * Returns: the dtype; %CANDELA_DTYPE_INVALID if either is no dtype
 *
 * Since: 1.0
 */
CandelaDType
candela_dtype_promote (CandelaDType a, CandelaDType b)
{
  const CandelaDTypeFacts *fa = dtype_get_facts (a);
  const CandelaDTypeFacts *fb = dtype_get_facts (b);

  if (fa->kind == 0 || fb->kind == 0)
    return CANDELA_DTYPE_INVALID;
  if (a == b)
    return a;
  if (fa->kind == CANDELA_DTYPE_KIND_BOOL)
    return b;
  if (fb->kind == CANDELA_DTYPE_KIND_BOOL)
    return a;
  /* float16 and bfloat16: neither holds what the other does. */
  if (fa->kind == fb->kind && fa->size == fb->size)
    return CANDELA_DTYPE_FLOAT32;
  if (fa->kind == fb->kind)
    return fa->size > fb->size ? a : b;

  if ((fa->kind | fb->kind) & CANDELA_DTYPE_KIND_COMPLEX)
    {
      CandelaDType real = candela_dtype_promote (dtype_real_part (a), dtype_real_part (b));

      return real == CANDELA_DTYPE_FLOAT32 ? CANDELA_DTYPE_COMPLEX64 : CANDELA_DTYPE_COMPLEX128;
    }
  if ((fa->kind | fb->kind) & CANDELA_DTYPE_KIND_FLOAT)
    {
      gboolean a_is_float = fa->kind == CANDELA_DTYPE_KIND_FLOAT;
      const CandelaDTypeFacts *integer = a_is_float ? fb : fa;
      CandelaDType holding = integer->size == 1   ? CANDELA_DTYPE_FLOAT16
                             : integer->size == 2 ? CANDELA_DTYPE_FLOAT32
                                                  : CANDELA_DTYPE_FLOAT64;

      /* Of one byte also bfloat16 holds them. */
      return candela_dtype_facts[holding].size > (a_is_float ? fa : fb)->size ? holding : a_is_float ? a : b;
    }

  {
    gboolean a_is_signed = fa->kind == CANDELA_DTYPE_KIND_SIGNED;
    const CandelaDTypeFacts *with_sign = a_is_signed ? fa : fb;
    const CandelaDTypeFacts *without = a_is_signed ? fb : fa;

    if (without->size == 8)
      return CANDELA_DTYPE_FLOAT64;
    return dtype_find (CANDELA_DTYPE_KIND_SIGNED, MAX (with_sign->size, 2 * without->size));
  }
}

/**
 * candela_dtype_promote_weak:
 * @array: the dtype of an array
 * @scalar: what a scalar without a dtype of its own is: %CANDELA_DTYPE_BOOL,
 *   %CANDELA_DTYPE_INT64, %CANDELA_DTYPE_FLOAT64 or %CANDELA_DTYPE_COMPLEX128
 *
 * The dtype of a result of an array and a Python-like scalar, which has a kind
 * but no size (array API standard 2024.12, "Mixing arrays with Python scalars").
 * The array's, if its kind is at least the scalar's; where the standard leaves
 * it open, the scalar's kind in its default size: a bool array with an int gives
 * int64, a bool or integer array with a float float64, and a real array with a
 * complex scalar complex64 if it is float32 or a smaller float, else complex128.
 *
 * Returns: the dtype; %CANDELA_DTYPE_INVALID if either is no dtype
 *
 * Since: 1.0
 */
CandelaDType
candela_dtype_promote_weak (CandelaDType array, CandelaDType scalar)
{
  guint array_kind = dtype_get_facts (array)->kind;
  guint scalar_kind = dtype_get_facts (scalar)->kind;

  if (array_kind == 0 || scalar_kind == 0)
    return CANDELA_DTYPE_INVALID;
  /* The bits of the kinds are in order, but the two integer kinds are one. */
  if (scalar_kind == CANDELA_DTYPE_KIND_UNSIGNED)
    scalar_kind = CANDELA_DTYPE_KIND_SIGNED;
  if (array_kind >= scalar_kind)
    return array;

  switch (scalar_kind)
    {
    case CANDELA_DTYPE_KIND_SIGNED:
      return CANDELA_DTYPE_INT64;
    case CANDELA_DTYPE_KIND_FLOAT:
      return CANDELA_DTYPE_FLOAT64;
    default:
      return array_kind == CANDELA_DTYPE_KIND_FLOAT && dtype_get_facts (array)->size <= 4 ? CANDELA_DTYPE_COMPLEX64
                                                                                          : CANDELA_DTYPE_COMPLEX128;
    }
}

/**
 * candela_dtype_can_cast:
 * @from: a dtype
 * @to: another
 *
 * Whether values of @from may be made ones of @to under the promotion rules,
 * that is whether promoting the two gives @to.
 *
 * Returns: whether they may
 *
 * Since: 1.0
 */
gboolean
candela_dtype_can_cast (CandelaDType from, CandelaDType to)
{
  CandelaDType promoted = candela_dtype_promote (from, to);

  return promoted != CANDELA_DTYPE_INVALID && promoted == to;
}
