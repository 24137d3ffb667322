/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <candela/value/dtype.h>

G_BEGIN_DECLS

/**
 * CandelaParamType:
 * @CANDELA_PARAM_BOOL: true or false
 * @CANDELA_PARAM_INT: an integer of 64 bits
 * @CANDELA_PARAM_FLOAT: a binary64 number; integers are taken too
 * @CANDELA_PARAM_STRING: text
 * @CANDELA_PARAM_DTYPE: a dtype, by its name
 * @CANDELA_PARAM_INT_LIST: integers of 64 bits; a single one is a list of one
 * @CANDELA_PARAM_SCALAR: a bool, an integer or a binary64 number, which of them
 *   the value says; if its row says so, also an integer up to 2^64 - 1 or a complex
 *   number
 *
 * The type of an op's parameter.
 *
 * Since: 1.0
 */
typedef enum {
  CANDELA_PARAM_BOOL,
  CANDELA_PARAM_INT,
  CANDELA_PARAM_FLOAT,
  CANDELA_PARAM_STRING,
  CANDELA_PARAM_DTYPE,
  CANDELA_PARAM_INT_LIST,
  CANDELA_PARAM_SCALAR
} CandelaParamType;

/* What a parameter may be, beside its range. */
typedef enum {
  CANDELA_PARAM_FLAGS_NONE = 0,
  CANDELA_PARAM_REQUIRED = 1 << 0,   /* has no default: must be given */
  CANDELA_PARAM_ANY_SCALAR = 1 << 1, /* of a SCALAR: may be a uint64 that no int64 holds, or complex */
} CandelaParamFlags;

/* One parameter of an op, in its const table; the table ends with a NULL name.
 * A parameter that is neither given nor has a default (NULL) is "none", which
 * the op can ask for with candela_params_is_set(). */
typedef struct
{
  const char *name; /* with underscores, as in the array API standard */
  CandelaParamType type;
  CandelaParamFlags flags;
  const char *default_value;  /* as an expression would write it: "-1", "false", "float64", "[0, 1]"; NULL: none */
  double minimum, maximum;    /* of numbers and of the items of lists; both 0: any */
  const char *const *choices; /* of strings: what is allowed, NULL-terminated; or NULL */
  const char *summary;        /* one line */
  gpointer padding[2];
} CandelaParamInfo;

/* The parameters of one node, checked, in the order of the table. Getters take
 * the index in that table. */
typedef struct _CandelaParams CandelaParams;

CANDELA_AVAILABLE_IN_1_0
gboolean candela_params_is_set (const CandelaParams *params, guint index);

CANDELA_AVAILABLE_IN_1_0
gboolean candela_params_get_bool (const CandelaParams *params, guint index);

CANDELA_AVAILABLE_IN_1_0
gint64 candela_params_get_int (const CandelaParams *params, guint index);

CANDELA_AVAILABLE_IN_1_0
double candela_params_get_float (const CandelaParams *params, guint index);

CANDELA_AVAILABLE_IN_1_0
const char *candela_params_get_string (const CandelaParams *params, guint index);

CANDELA_AVAILABLE_IN_1_0
CandelaDType candela_params_get_dtype (const CandelaParams *params, guint index);

CANDELA_AVAILABLE_IN_1_0
const gint64 *candela_params_get_int_list (const CandelaParams *params, guint index, gsize *n);

/* Of a SCALAR: what kind the value is: BOOL, INT64 or FLOAT64, or, where the row has
 * ANY_SCALAR, also UINT64 (if it is above all int64s) or COMPLEX128. Its value is read
 * by get_bool, get_int, get_uint, get_float or get_complex; these convert. */
CANDELA_AVAILABLE_IN_1_0
CandelaDType candela_params_get_scalar_kind (const CandelaParams *params, guint index);

CANDELA_AVAILABLE_IN_1_0
guint64 candela_params_get_uint (const CandelaParams *params, guint index);

CANDELA_AVAILABLE_IN_1_0
void candela_params_get_complex (const CandelaParams *params, guint index, double *real, double *imaginary);

G_END_DECLS
