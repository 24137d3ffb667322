/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For the subcommands that tell what there is. */
#pragma once

#include <candela/candela.h>

/* The text that a dictionary has under a key, or "". */
const char *tool_facts_get_text (GVariant *facts, const char *key);

/* "sum (x, axis=none, keepdims=false)" */
void tool_facts_append_signature (GString *out, GVariant *facts);

/* Whether a word is the path of a plugin's module or .ops file, and no name. */
gboolean tool_is_plugin_file (const char *name);

/* An op by name or by operator, to be unreffed, or NULL with the error of the name. */
CandelaOp *tool_find_op (CandelaRegistry *registry, const char *name, GError **error);

/* reference-page.c: what a page says of an op, in Markdown. Its example is run; it
 * is an error if that cannot be. */
char *tool_reference_page (CandelaOp *op, CandelaPlugin *plugin, GError **error);

/* Text as it stands in prose of Markdown, in tables too. */
void tool_reference_append_escaped (GString *out, const char *text);

/* reference-dtypes.c: rows of a table, "| `float32`, `float64` | the same |"; none if it
 * cannot be said. */
void tool_reference_append_dtypes (GString *out, CandelaOp *op, GVariant *facts);
