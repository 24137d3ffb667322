/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <candela/value/tensor.h>

G_BEGIN_DECLS

CANDELA_AVAILABLE_IN_1_0
char **candela_safetensors_list (GFile *file, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaTensor *candela_safetensors_load (GFile *file, const char *name, GError **error);

CANDELA_AVAILABLE_IN_1_0
gboolean candela_safetensors_save (GFile *file, const char *const *names, CandelaTensor *const *tensors,
                                   gsize n_tensors, GError **error);

G_END_DECLS
