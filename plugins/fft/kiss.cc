/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * KISS FFT's template, of which there is a library for binary32 alone, for binary64. */
#include "fft.h"
#include <kissfft/kissfft.hh>
#include <new>

struct _FftKiss
{
  kissfft<double> transform;
};

FftKiss *
fft_kiss_new (gsize n, gboolean inverse)
{
  try
    {
      return new FftKiss { kissfft<double> (n, inverse) };
    }
  catch (const std::bad_alloc &)
    {
      return NULL;
    }
}

void
fft_kiss_run (FftKiss *kiss, const double *in, double *out)
{
  kiss->transform.transform (reinterpret_cast<const std::complex<double> *> (in),
                             reinterpret_cast<std::complex<double> *> (out));
}

void
fft_kiss_free (FftKiss *kiss)
{
  delete kiss;
}
