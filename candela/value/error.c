/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The error domain. */
#include <candela/value/error.h>

G_DEFINE_ENUM_TYPE (
  CandelaError, candela_error, G_DEFINE_ENUM_VALUE (CANDELA_ERROR_SHAPE, "shape"),
  G_DEFINE_ENUM_VALUE (CANDELA_ERROR_DTYPE, "dtype"), G_DEFINE_ENUM_VALUE (CANDELA_ERROR_AXIS, "axis"),
  G_DEFINE_ENUM_VALUE (CANDELA_ERROR_PARAMETER, "parameter"), G_DEFINE_ENUM_VALUE (CANDELA_ERROR_ARITY, "arity"),
  G_DEFINE_ENUM_VALUE (CANDELA_ERROR_UNKNOWN_OP, "unknown-op"), G_DEFINE_ENUM_VALUE (CANDELA_ERROR_SYNTAX, "syntax"),
  G_DEFINE_ENUM_VALUE (CANDELA_ERROR_FORMAT, "format"), G_DEFINE_ENUM_VALUE (CANDELA_ERROR_PLUGIN, "plugin"),
  G_DEFINE_ENUM_VALUE (CANDELA_ERROR_BUDGET, "budget"), G_DEFINE_ENUM_VALUE (CANDELA_ERROR_NO_MEMORY, "no-memory"),
  G_DEFINE_ENUM_VALUE (CANDELA_ERROR_VALUE, "value"), G_DEFINE_ENUM_VALUE (CANDELA_ERROR_SCRIPT, "script"))

/**
 * candela_error_quark:
 *
 * The domain of Candela's errors, also as %CANDELA_ERROR.
 *
 * Returns: the quark of `candela-error-quark`
 *
 * Since: 1.0
 */
GQuark
candela_error_quark (void)
{
  return g_quark_from_static_string ("candela-error-quark");
}
