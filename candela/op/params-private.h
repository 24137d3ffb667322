/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parameters: from a{sv} to checked values, and back to text. */
#pragma once

#include <candela/op/params.h>

G_BEGIN_DECLS

typedef struct
{
  guint8 set;
  guint8 kind; /* of a SCALAR: BOOL, INT64 or FLOAT64 */
  union
  {
    gboolean b;
    gint64 i;
    double d;
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
  CandelaParamValue values[];
};

/* Checks a{sv} (sunk if floating; NULL for none given) against the table. Every
 * error begins with the op's name. */
CandelaParams *candela_params_new (const char *op, const CandelaParamInfo *info, GVariant *given, GError **error);
CandelaParams *candela_params_ref (CandelaParams *params);
void candela_params_unref (CandelaParams *params);
gboolean candela_params_equal (const CandelaParams *a, const CandelaParams *b);

/* "axis=[0], keepdims=true": those that differ from their defaults, or NULL. */
char *candela_params_to_string (const CandelaParams *params);

/* For introspection: a GParamSpec per row (names with dashes). */
GParamSpec *candela_param_info_to_spec (const CandelaParamInfo *info);

/* "int", "list of int", "string" …, for messages and help texts. */
const char *candela_param_type_get_name (CandelaParamType type);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CandelaParams, candela_params_unref)

G_END_DECLS
