/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <candela/graph/node.h>

G_BEGIN_DECLS

#define CANDELA_TYPE_EXPRESSION (candela_expression_get_type ())

/**
 * CandelaExpression:
 *
 * Text that has been read into nodes: the value of its last statement, and the
 * names that its statements bound.
 *
 * Since: 1.0
 */
CANDELA_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (CandelaExpression, candela_expression, CANDELA, EXPRESSION, GObject)

CANDELA_AVAILABLE_IN_1_0
CandelaExpression *candela_expression_parse (const char *text, gssize length, GHashTable *names, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaNode *candela_expression_get_value (CandelaExpression *expression);

CANDELA_AVAILABLE_IN_1_0
guint candela_expression_get_n_values (CandelaExpression *expression);

CANDELA_AVAILABLE_IN_1_0
CandelaNode *candela_expression_get_nth_value (CandelaExpression *expression, guint n);

CANDELA_AVAILABLE_IN_1_0
CandelaNode *candela_expression_lookup (CandelaExpression *expression, const char *name);

CANDELA_AVAILABLE_IN_1_0
char **candela_expression_list_names (CandelaExpression *expression);

CANDELA_AVAILABLE_IN_1_0
CandelaNode *candela_expression_build (const char *text, GError **error, ...) G_GNUC_NULL_TERMINATED;

CANDELA_AVAILABLE_IN_1_0
CandelaNode *candela_expression_build_with_names (const char *text, GHashTable *names, GError **error);

G_END_DECLS
