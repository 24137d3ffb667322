/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The ops of the plugin fft, over FFTW. FFTW is GPL: so is this module, and a program that
 * loads it must be one that may be. Hence it is in a folder of its own, where it is looked
 * for only if that is asked for. */
#include "../fft/fft.h"

#include <fftw3.h>

static GVariant *
describe (void)
{
  GVariantBuilder facts;

  g_variant_builder_init (&facts, G_VARIANT_TYPE ("a{ss}"));
  g_variant_builder_add (&facts, "{ss}", "library", fftw_version);
  return g_variant_builder_end (&facts);
}

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  /* Who else in the process uses FFTW may be planning at the same time. */
  fftw_make_planner_thread_safe ();
  fftwf_make_planner_thread_safe ();
  return candela_plugin_add_ops (plugin, fft_line_ops, error)
         && candela_plugin_add_ops (plugin, fft_frequency_ops, error);
}

CANDELA_PLUGIN_DEFINE_DESCRIBED ("fftw", CANDELA_VERSION_S, "GPL-2.0-or-later",
                                 "The Fourier transforms of fft over FFTW, which is GPL", register_ops, describe)
