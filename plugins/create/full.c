/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * full, zeros, ones and eye: values known from the parameters, written by the
 * size of an element. */
#include "create.h"

#define KINDS                                                                                                          \
  (CANDELA_DTYPE_KIND_BOOL | CANDELA_DTYPE_KIND_SIGNED | CANDELA_DTYPE_KIND_UNSIGNED | CANDELA_DTYPE_KIND_FLOAT        \
   | CANDELA_DTYPE_KIND_COMPLEX)

enum {
  FULL_PARAM_SHAPE,
  FULL_PARAM_VALUE,
  FULL_PARAM_DTYPE,
  ZEROS_PARAM_SHAPE = 0,
  ZEROS_PARAM_DTYPE = 1,
  EYE_PARAM_ROWS = 0,
  EYE_PARAM_COLS = 1,
  EYE_PARAM_K = 2,
  EYE_PARAM_DTYPE = 3
};

/* One element, as it lies in memory. */
typedef struct
{
  gsize size;
  union
  {
    guint8 one;
    guint16 two;
    guint32 four;
    guint64 eight;
    float f[2]; /* of complex numbers both parts */
    double d[2];
  };
} Element;

#define FILL_CASE(bytes, type, field)                                                                                  \
  case bytes:                                                                                                          \
    for (gint64 i = 0; i < n; i++)                                                                                     \
      ((type *) out)[first + i] = element->field;                                                                      \
    break;

static void
fill_element (CandelaKernel *kernel, gconstpointer data, gpointer out, gint64 first, gint64 n)
{
  const Element *element = data;

  switch (element->size)
    {
      FILL_CASE (1, guint8, one)
      FILL_CASE (2, guint16, two)
      FILL_CASE (4, guint32, four)
      FILL_CASE (8, guint64, eight)
    default:
      for (gint64 i = 0; i < n; i++)
        memcpy ((double *) out + 2 * (first + i), element->d, sizeof element->d);
    }
}

/* Modulo 2^n for integers. */
static void
element_init (Element *element, CandelaDType dtype, gint64 integer, double number)
{
  element->size = candela_dtype_get_size (dtype);
  memset (element->d, 0, sizeof element->d);
  if (dtype == CANDELA_DTYPE_FLOAT32 || dtype == CANDELA_DTYPE_COMPLEX64)
    element->f[0] = (float) number;
  else if (dtype == CANDELA_DTYPE_FLOAT64 || dtype == CANDELA_DTYPE_COMPLEX128)
    element->d[0] = number;
  else if (candela_dtype_get_kind (dtype) == CANDELA_DTYPE_KIND_FLOAT)
    candela_dtype_convert (CANDELA_DTYPE_FLOAT64, &number, dtype, &element->two, 1);
  else if (element->size == 1)
    element->one = (guint8) integer;
  else if (element->size == 2)
    element->two = (guint16) integer;
  else if (element->size == 4)
    element->four = (guint32) integer;
  else
    element->eight = (guint64) integer;
}

/* ---- full ---- */

static CandelaDType
full_dtype (const CandelaParams *params)
{
  return candela_params_is_set (params, FULL_PARAM_DTYPE) ? candela_params_get_dtype (params, FULL_PARAM_DTYPE)
                                                          : candela_params_get_scalar_kind (params, FULL_PARAM_VALUE);
}

/* Whether a value of that kind is one of the dtype: any is a bool, and any but a complex
 * one a float. An integer has to be whole, and in range. */
static gboolean
is_value (const CandelaParams *params, CandelaDType dtype, CandelaDType kind)
{
  double number = candela_params_get_float (params, FULL_PARAM_VALUE);

  if (dtype == CANDELA_DTYPE_BOOL || candela_dtype_get_kind (dtype) == CANDELA_DTYPE_KIND_COMPLEX)
    return TRUE;
  if (kind == CANDELA_DTYPE_COMPLEX128)
    return FALSE;
  if (candela_dtype_get_kind (dtype) == CANDELA_DTYPE_KIND_FLOAT)
    return TRUE;
  if (kind == CANDELA_DTYPE_UINT64)
    return dtype == CANDELA_DTYPE_UINT64;
  if (kind == CANDELA_DTYPE_FLOAT64)
    return number >= -0x1p63 && number < 0x1p63 && number == floor (number) && create_fits (dtype, (gint64) number);
  return create_fits (dtype, candela_params_get_int (params, FULL_PARAM_VALUE));
}

static gboolean
check_value (CandelaInference *inference, CandelaDType dtype, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  CandelaDType kind = candela_params_get_scalar_kind (params, FULL_PARAM_VALUE);
  double real, imaginary;
  char text[G_ASCII_DTOSTR_BUF_SIZE], other[G_ASCII_DTOSTR_BUF_SIZE] = "";

  if (is_value (params, dtype, kind))
    return TRUE;
  candela_params_get_complex (params, FULL_PARAM_VALUE, &real, &imaginary);
  if (kind == CANDELA_DTYPE_UINT64)
    g_snprintf (text, sizeof text, "%" G_GUINT64_FORMAT, candela_params_get_uint (params, FULL_PARAM_VALUE));
  else if (kind == CANDELA_DTYPE_INT64)
    g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT, candela_params_get_int (params, FULL_PARAM_VALUE));
  else
    g_ascii_dtostr (text, sizeof text, real);
  if (kind == CANDELA_DTYPE_COMPLEX128)
    g_ascii_dtostr (other, sizeof other, imaginary);
  return candela_inference_fail (inference, error, CANDELA_ERROR_PARAMETER,
                                 "fill_value %s%s%s%s is not a value of dtype %s", text,
                                 kind == CANDELA_DTYPE_COMPLEX128 && other[0] != '-' ? "+" : "", other,
                                 kind == CANDELA_DTYPE_COMPLEX128 ? "j" : "", candela_dtype_get_name (dtype));
}

static gboolean
infer_full (CandelaInference *inference, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  CandelaDType dtype = full_dtype (params);
  gsize rank;
  const gint64 *shape = candela_params_get_int_list (params, FULL_PARAM_SHAPE, &rank);

  return create_check_dtype (inference, dtype, KINDS, error) && check_value (inference, dtype, error)
         && candela_inference_set_output (inference, 0, dtype, shape, rank, error);
}

static gboolean
compute_full (CandelaKernel *kernel, GError **error)
{
  const CandelaParams *params = candela_kernel_get_params (kernel);
  CandelaDType dtype = candela_kernel_get_output_dtype (kernel, 0);
  CandelaDType kind = candela_params_get_scalar_kind (params, FULL_PARAM_VALUE);
  double number, imaginary;
  gint64 integer = 0;
  Element element;

  candela_params_get_complex (params, FULL_PARAM_VALUE, &number, &imaginary);
  if (dtype == CANDELA_DTYPE_BOOL)
    integer = candela_params_get_bool (params, FULL_PARAM_VALUE);
  else if (kind == CANDELA_DTYPE_UINT64)
    integer = (gint64) candela_params_get_uint (params, FULL_PARAM_VALUE);
  else if ((candela_dtype_get_kind (dtype) & (CANDELA_DTYPE_KIND_SIGNED | CANDELA_DTYPE_KIND_UNSIGNED)) != 0)
    integer = kind == CANDELA_DTYPE_FLOAT64 ? (gint64) number : candela_params_get_int (params, FULL_PARAM_VALUE);
  element_init (&element, dtype, integer, number);
  if (dtype == CANDELA_DTYPE_COMPLEX64)
    element.f[1] = (float) imaginary;
  else if (dtype == CANDELA_DTYPE_COMPLEX128)
    element.d[1] = imaginary;
  return create_run (kernel, fill_element, &element, error);
}

/* ---- zeros and ones ---- */

static gboolean
infer_constant (CandelaInference *inference, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  CandelaDType dtype = candela_params_get_dtype (params, ZEROS_PARAM_DTYPE);
  gsize rank;
  const gint64 *shape = candela_params_get_int_list (params, ZEROS_PARAM_SHAPE, &rank);

  return create_check_dtype (inference, dtype, KINDS, error)
         && candela_inference_set_output (inference, 0, dtype, shape, rank, error);
}

static gboolean
compute_zeros (CandelaKernel *kernel, GError **error)
{
  Element element;

  element_init (&element, candela_kernel_get_output_dtype (kernel, 0), 0, 0.0);
  return create_run (kernel, fill_element, &element, error);
}

static gboolean
compute_ones (CandelaKernel *kernel, GError **error)
{
  Element element;

  element_init (&element, candela_kernel_get_output_dtype (kernel, 0), 1, 1.0);
  return create_run (kernel, fill_element, &element, error);
}

/* ---- eye ---- */

static gboolean
infer_eye (CandelaInference *inference, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  CandelaDType dtype = candela_params_get_dtype (params, EYE_PARAM_DTYPE);
  gint64 shape[2];

  shape[0] = shape[1] = candela_params_get_int (params, EYE_PARAM_ROWS);
  if (candela_params_is_set (params, EYE_PARAM_COLS))
    shape[1] = candela_params_get_int (params, EYE_PARAM_COLS);
  return create_check_dtype (inference, dtype, KINDS, error)
         && candela_inference_set_output (inference, 0, dtype, shape, 2, error);
}

static gboolean
compute_eye (CandelaKernel *kernel, GError **error)
{
  gint64 k = candela_params_get_int (candela_kernel_get_params (kernel), EYE_PARAM_K);
  CandelaDType dtype = candela_kernel_get_output_dtype (kernel, 0);
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_kernel_get_output_layout (kernel, 0), &rank);
  Element element;

  if (!compute_zeros (kernel, error))
    return FALSE;
  element_init (&element, dtype, 1, 1.0);

  /* A diagonal that is not in the matrix has no rows; k may be any number. */
  gint64 first = k < 0 ? (k <= -shape[0] ? shape[0] : -k) : 0;
  gint64 last = k >= shape[1] ? 0 : k >= 0 ? MIN (shape[0], shape[1] - k) : shape[0];

  for (gint64 i = first; i < last && i + k < shape[1]; i++)
    fill_element (kernel, &element, candela_kernel_get_output (kernel, 0), i * shape[1] + i + k, 1);
  return TRUE;
}

/* ---- Declarations ---- */

static const CandelaParamInfo full_params[] = {
  CREATE_PARAM_SHAPE,
  { .name = "fill_value",
    .type = CANDELA_PARAM_SCALAR,
    .flags = CANDELA_PARAM_REQUIRED | CANDELA_PARAM_ANY_SCALAR,
    .summary = "what every element is" },
  { .name = "dtype",
    .type = CANDELA_PARAM_DTYPE,
    .summary = "of the result; none: bool, int64, float64 or complex128, as the value is" },
  { NULL },
};

static const CandelaParamInfo constant_params[] = { CREATE_PARAM_SHAPE, CREATE_PARAM_DTYPE, { NULL } };

static const CandelaParamInfo eye_params[] = {
  { .name = "n_rows",
    .type = CANDELA_PARAM_INT,
    .flags = CANDELA_PARAM_REQUIRED,
    .maximum = (double) G_MAXINT64,
    .summary = "the number of rows" },
  { .name = "n_cols",
    .type = CANDELA_PARAM_INT,
    .maximum = (double) G_MAXINT64,
    .summary = "the number of columns; none: as many as rows" },
  { .name = "k",
    .type = CANDELA_PARAM_INT,
    .default_value = "0",
    .summary = "which diagonal: 0 the main one, positive ones above it, negative ones below" },
  CREATE_PARAM_DTYPE,
  { NULL },
};

#define OP(NAME, INFER, PARAMS, SUMMARY, FORMULA, EXAMPLE)                                                             \
  static const CandelaKernelInfo NAME##_kernels[] = { { .compute = compute_##NAME }, { .compute = NULL } };            \
                                                                                                                       \
  const CandelaOpInfo create_##NAME##_op = {                                                                           \
    .struct_size = sizeof (CandelaOpInfo),                                                                             \
    .name = #NAME,                                                                                                     \
    .summary = SUMMARY,                                                                                                \
    .formula = FORMULA,                                                                                                \
    .example = EXAMPLE,                                                                                                \
    .since = "1.0",                                                                                                    \
    .params = PARAMS,                                                                                                  \
    .axes = CANDELA_AXES_OPAQUE,                                                                                       \
    .infer = INFER,                                                                                                    \
    .kernels = NAME##_kernels,                                                                                         \
    .takes_halves = TRUE,                                                                                              \
  };

OP (full, infer_full, full_params, "An array of one value", "out[…] = fill_value", "full([2, 3], 7)")
OP (zeros, infer_constant, constant_params, "An array of zeros", "out[…] = 0", "zeros([2, 3])")
OP (ones, infer_constant, constant_params, "An array of ones", "out[…] = 1", "ones([2, 3], dtype=int32)")
OP (eye, infer_eye, eye_params, "A matrix of zeros with ones on a diagonal", "out[i, j] = 1 where j - i = k, else 0",
    "eye(2), eye(2, 3, k=1)")
