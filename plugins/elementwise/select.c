/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements taken over as they are: chosen from two operands, or converted. */
#include "complex.h"

#define WHERE_LOOP(op, DT, T, W, E)                                                                                    \
  static void op##_##DT (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)           \
  {                                                                                                                    \
    const guint8 *condition = in[0];                                                                                   \
    const T *x1 = in[1], *x2 = in[2];                                                                                  \
    T *y = out[0];                                                                                                     \
                                                                                                                       \
    _Pragma ("GCC ivdep") for (gsize k = 0; k < n; k++)                                                                \
    {                                                                                                                  \
      const T a = x1[k], b = x2[k];                                                                                    \
      y[k] = condition[k] ? a : b;                                                                                     \
    }                                                                                                                  \
  }

#define WHERE_ROW(op, DT, T, W, E)                                                                                     \
  { .in = { CANDELA_DTYPE_BOOL, CANDELA_DTYPE_##DT, CANDELA_DTYPE_##DT },                                              \
    .out = { CANDELA_DTYPE_##DT },                                                                                     \
    .loop = op##_##DT },

ELEMENTWISE_ALL (WHERE_LOOP, where, )
ELEMENTWISE_HALVES (WHERE_LOOP, where, )
ELEMENTWISE_COMPLEX (WHERE_LOOP, where, )

ELEMENTWISE_TABLE (where, ELEMENTWISE_ALL (WHERE_ROW, where, ) ELEMENTWISE_COMPLEX (WHERE_ROW, where, )
                            ELEMENTWISE_HALVES (WHERE_ROW, where, ))

static const CandelaInputInfo where_inputs[] = {
  { "condition", ELEMENTWISE_KIND_REAL, .fixed = CANDELA_DTYPE_BOOL, .summary = "which to take, read as bool" },
  { "x1", ELEMENTWISE_KIND_ANY, .summary = "taken where the condition is true" },
  { "x2", ELEMENTWISE_KIND_ANY, .summary = "taken where it is false" },
  { NULL },
};

ELEMENTWISE_OP (where, where_inputs, "x1 where the condition is true, x2 elsewhere", .fold = NULL,
                .gradients = { NULL, "where(condition, grad, 0)", "where(condition, 0, grad)" })

/* The engine reads an input as the dtype that infer settles on: that is the whole
 * conversion, and the loop copies. */
#define SAME(T, W, a) (a)

enum {
  ASTYPE_DTYPE
};

static const CandelaParamInfo astype_params[] = {
  { "dtype", CANDELA_PARAM_DTYPE, CANDELA_PARAM_REQUIRED, .summary = "the dtype of the result" },
  { NULL },
};

static gboolean
infer_astype (CandelaInference *inference, GError **error)
{
  CandelaDType from = candela_inference_get_input_dtype (inference, 0);
  CandelaDType to = candela_params_get_dtype (candela_inference_get_params (inference), ASTYPE_DTYPE);

  if (candela_dtype_get_kind (from) == CANDELA_DTYPE_KIND_COMPLEX
      && (candela_dtype_get_kind (to) & ELEMENTWISE_KIND_NUMERIC) != 0)
    return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE,
                                   "x has dtype %s, and %s has no room for it; take real(x), imag(x) or abs(x)",
                                   candela_dtype_get_name (from), candela_dtype_get_name (to));
  candela_inference_set_compute_dtype (inference, to);
  return candela_inference_broadcast (inference, error);
}

static int
fold_astype (const CandelaInference *inference)
{
  CandelaDType dtype = candela_params_get_dtype (candela_inference_get_params (inference), ASTYPE_DTYPE);

  return candela_inference_get_input_dtype (inference, 0) == dtype ? 0 : -1;
}

ELEMENTWISE_ALL (ELEMENTWISE_UNARY, astype, SAME)
ELEMENTWISE_HALVES (ELEMENTWISE_UNARY, astype, SAME)
ELEMENTWISE_COMPLEX (ELEMENTWISE_UNARY, astype, SAME)

ELEMENTWISE_TABLE (astype, ELEMENTWISE_ALL (ELEMENTWISE_UNARY_ROW, astype, SAME)
                             ELEMENTWISE_COMPLEX (ELEMENTWISE_UNARY_ROW, astype, )
                               ELEMENTWISE_HALVES (ELEMENTWISE_UNARY_ROW, astype, ))

ELEMENTWISE_OP (astype, elementwise_x_any, "x converted to another dtype", .params = astype_params,
                .infer = infer_astype, .fold = fold_astype, .gradients = { "astype(grad, x.dtype)" })

const CandelaOpInfo *const ELEMENTWISE_OPS (select)[] = {
  &where_info,
  &astype_info,
  NULL,
};
