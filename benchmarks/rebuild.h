/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A graph built again and again, node by node, as a C program builds it. */
#pragma once

#include <candela/candela.h>

G_BEGIN_DECLS

typedef struct _Recipe Recipe;

/* NULL if the graph has nodes other than tensors, common scalars and ops
 * of one output and few inputs. */
Recipe *recipe_new (CandelaNode *root);
CandelaNode *recipe_build (const Recipe *recipe);
void recipe_free (Recipe *recipe);

G_END_DECLS
