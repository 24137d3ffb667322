/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parameters: from a{sv} to checked values, and back to text. */
#pragma once

#include <candela/op/params.h>

G_BEGIN_DECLS

typedef struct
{
  guint8 set;
  guint8 given; /* set or not, somebody said so, and not the table */
  guint8 kind;  /* of a SCALAR: BOOL, INT64, UINT64, FLOAT64 or COMPLEX128 */
  union
  {
    gboolean b;
    gint64 i;
    guint64 u;
    double d;
    double parts[2]; /* real and imaginary */
    CandelaDType dtype;
    char *string;
    struct
    {
      gint64 *items;
      gsize n;
    } list;
  };
} CandelaParamValue;

struct _CandelaParams
{
  gatomicrefcount ref_count;
  guint n;
  const CandelaParamInfo *info;
  GVariant *given; /* what they were read from, where that is remembered; or NULL */
  CandelaParamValue values[];
};

/* Checks a{sv} (sunk if floating; NULL for none given) against the table. Every
 * error begins with the op's name. */
CandelaParams *candela_params_new (const char *op, const CandelaParamInfo *info, GVariant *given, GError **error);

/* The same from a value for each row of the table, NULL for those that are not
 * given; all of them if values is NULL. */
CandelaParams *candela_params_new_for_values (const char *op, const CandelaParamInfo *info, GVariant *const *values,
                                              GError **error);

/* The same from arguments: a name, a format of g_variant_new() and its arguments each,
 * ended by NULL. */
CandelaParams *candela_params_new_va (const char *op, const CandelaParamInfo *info, va_list *args, GError **error);

/* The same as the first, of what is likely to be given again, since it has another owner
 * (bindings keep the variants that they make): slot, which is atomic, holds what was read
 * last. */
CandelaParams *candela_params_new_remembered (CandelaParams **slot, const char *op, const CandelaParamInfo *info,
                                              GVariant *given, GError **error);
CandelaParams *candela_params_ref (CandelaParams *params);
void candela_params_unref (CandelaParams *params);
gboolean candela_params_equal (const CandelaParams *a, const CandelaParams *b);

/* "axis=[0], keepdims=true": those that differ from their defaults, or NULL. */
char *candela_params_to_string (const CandelaParams *params);

/* One of them as it is written in an expression. */
void candela_params_append_value (const CandelaParams *params, guint k, GString *text);

/* For introspection: a GParamSpec per row (names with dashes). */
GParamSpec *candela_param_info_to_spec (const CandelaParamInfo *info);

/* "int", "list of int", "string" …, for messages and help texts. */
const char *candela_param_type_get_name (CandelaParamType type);

/* Whether the table's defaults are of their types and in their ranges. */
gboolean candela_param_info_check (const char *op, const CandelaParamInfo *info, GError **error);

/* op/params-value.c: one value. Each sets out, which was zeroed, or leaves it unset
 * for none; the value is to be cleared even if the check fails. */
gboolean candela_param_value_set_default (const char *op, const CandelaParamInfo *info, CandelaParamValue *out,
                                          GError **error);
gboolean candela_param_value_set_given (const char *op, const CandelaParamInfo *info, GVariant *given,
                                        CandelaParamValue *out, GError **error);
gboolean candela_param_value_set_va (const char *op, const CandelaParamInfo *info, const char *format, va_list *args,
                                     CandelaParamValue *out, GError **error);

/* The range that a row declares, or all there is. */
void candela_param_info_get_range (const CandelaParamInfo *info, gint64 *low, gint64 *high, double *minimum,
                                   double *maximum);

/* The shortest text that reads back as the same binary64: "1.0", "1e-05", "nan". */
char *candela_param_float_to_string (double value);

/* "2.0-1.5j" */
char *candela_param_complex_to_string (const double *parts);

/* Sets an error that begins with the op's name; returns FALSE. */
gboolean candela_param_fail (GError **error, const char *op, CandelaError code, const char *format, ...)
  G_GNUC_PRINTF (4, 5);

/* Text from outside, quoted and cut to a length that a message can bear. */
char *candela_quote_for_message (const char *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CandelaParams, candela_params_unref)

G_END_DECLS
