/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The inputs that most ops of this plugin have, by what dtypes they may be, and
 * how functions over floats read what is not floating. The array API standard
 * leaves integers in functions over floats open; here they are always read as
 * float64, whatever their size. */
#include "elementwise.h"

const CandelaInputInfo elementwise_x_any[] = {
  { "x", ELEMENTWISE_KIND_ANY, .summary = "the operand" },
  { NULL },
};

const CandelaInputInfo elementwise_x[] = {
  { "x", ELEMENTWISE_KIND_REAL, .summary = "the operand" },
  { NULL },
};

const CandelaInputInfo elementwise_x_numeric[] = {
  { "x", ELEMENTWISE_KIND_NUMERIC | CANDELA_DTYPE_KIND_COMPLEX, .summary = "the operand: numbers, not bool" },
  { NULL },
};

const CandelaInputInfo elementwise_x_bits[] = {
  { "x", ELEMENTWISE_KIND_INTEGER | CANDELA_DTYPE_KIND_BOOL, .summary = "the operand: integers or bool" },
  { NULL },
};

const CandelaInputInfo elementwise_x1_x2_any[] = {
  { "x1", ELEMENTWISE_KIND_ANY, .summary = "the first operand" },
  { "x2", ELEMENTWISE_KIND_ANY, .summary = "the second operand" },
  { NULL },
};

const CandelaInputInfo elementwise_x1_x2[] = {
  { "x1", ELEMENTWISE_KIND_REAL, .summary = "the first operand" },
  { "x2", ELEMENTWISE_KIND_REAL, .summary = "the second operand" },
  { NULL },
};

const CandelaInputInfo elementwise_x1_x2_numeric[] = {
  { "x1", ELEMENTWISE_KIND_ANY, .summary = "the first operand" },
  { "x2", ELEMENTWISE_KIND_ANY, .summary = "the second operand; one of the two must not be bool" },
  { NULL },
};

const CandelaInputInfo elementwise_x1_x2_bits[] = {
  { "x1", ELEMENTWISE_KIND_INTEGER | CANDELA_DTYPE_KIND_BOOL, .summary = "the first operand: integers or bool" },
  { "x2", ELEMENTWISE_KIND_INTEGER | CANDELA_DTYPE_KIND_BOOL, .summary = "the second operand: integers or bool" },
  { NULL },
};

gboolean
elementwise_infer_floating (CandelaInference *inference, GError **error)
{
  CandelaDTypeKind kind = candela_dtype_get_kind (candela_inference_get_promoted_dtype (inference));

  if (kind & (ELEMENTWISE_KIND_INTEGER | CANDELA_DTYPE_KIND_BOOL))
    candela_inference_set_compute_dtype (inference, CANDELA_DTYPE_FLOAT64);

  return candela_inference_broadcast (inference, error);
}
