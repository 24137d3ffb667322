/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of Fourier transforms, over KISS FFT. */
#include "fft.h"

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_ops (plugin, fft_line_ops, error)
         && candela_plugin_add_ops (plugin, fft_frequency_ops, error);
}

CANDELA_PLUGIN_DEFINE ("fft", CANDELA_VERSION_S, "LGPL-2.1-or-later", "Discrete Fourier transforms", register_ops)
