/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <candela/candela.h>

/* plugin-info-header.c: the text of candela-ops.h, a typed function for each op of
 * the plugins (of #CandelaPlugin), in their order. */
char *plugin_info_ops_header (GPtrArray *plugins);
