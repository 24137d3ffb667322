/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <candela/version.h>
#include <glib-object.h>

G_BEGIN_DECLS

/**
 * CandelaError:
 * @CANDELA_ERROR_SHAPE: shapes that do not go together, or a size that overflows
 * @CANDELA_ERROR_DTYPE: a dtype that an op does not take
 * @CANDELA_ERROR_AXIS: an axis out of range, or named twice
 * @CANDELA_ERROR_PARAMETER: a parameter that is unknown, missing or out of range
 * @CANDELA_ERROR_ARITY: too few or too many inputs
 * @CANDELA_ERROR_UNKNOWN_OP: no plugin has an op of that name
 * @CANDELA_ERROR_SYNTAX: an expression that cannot be read
 * @CANDELA_ERROR_FORMAT: a file that is not what it says
 * @CANDELA_ERROR_PLUGIN: a module that cannot be loaded as a plugin
 * @CANDELA_ERROR_BUDGET: a plan that needs more memory than it may
 * @CANDELA_ERROR_NO_MEMORY: memory that the system does not give
 * @CANDELA_ERROR_VALUE: elements for which there is no result, such as those of a
 *   singular matrix that was to be inverted; found while computing
 * @CANDELA_ERROR_SCRIPT: a function of an op that a script made has failed
 *
 * What went wrong, in the domain %CANDELA_ERROR. Errors of GIO pass through as
 * they are; a cancelled run is %G_IO_ERROR_CANCELLED.
 *
 * Since: 1.0
 */
typedef enum {
  CANDELA_ERROR_SHAPE,
  CANDELA_ERROR_DTYPE,
  CANDELA_ERROR_AXIS,
  CANDELA_ERROR_PARAMETER,
  CANDELA_ERROR_ARITY,
  CANDELA_ERROR_UNKNOWN_OP,
  CANDELA_ERROR_SYNTAX,
  CANDELA_ERROR_FORMAT,
  CANDELA_ERROR_PLUGIN,
  CANDELA_ERROR_BUDGET,
  CANDELA_ERROR_NO_MEMORY,
  CANDELA_ERROR_VALUE,
  CANDELA_ERROR_SCRIPT
} CandelaError;

/**
 * CANDELA_ERROR:
 *
 * The error domain of Candela; codes are of #CandelaError.
 *
 * Since: 1.0
 */
#define CANDELA_ERROR (candela_error_quark ())

#define CANDELA_TYPE_ERROR (candela_error_get_type ())

CANDELA_AVAILABLE_IN_1_0
GQuark candela_error_quark (void);

CANDELA_AVAILABLE_IN_1_0
GType candela_error_get_type (void);

G_END_DECLS
