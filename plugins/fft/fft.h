/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of this plugin share, and those of plugins that have the same ops and
 * other transforms. Numbers are complex, their parts side by side. */
#pragma once

#include <candela/candela-plugin.h>

G_BEGIN_DECLS

/* kiss.cc: KISS FFT in binary64, for one length and direction; its cost grows with the
 * sum of the length's prime factors. One thread may use it at a time. */
typedef struct _FftKiss FftKiss;

FftKiss *fft_kiss_new (gsize n, gboolean inverse);
void fft_kiss_run (FftKiss *kiss, const double *in, double *out);
void fft_kiss_free (FftKiss *kiss);

/* What a line is, before and after. */
typedef enum {
  FFT_COMPLEX,
  FFT_REAL_TO_HALF, /* n / 2 + 1 numbers: the others are conjugate to these */
  FFT_HALF_TO_REAL
} FftWay;

/* transform.c, or what another plugin has in its place: sums of x[k] exp (∓2πi jk / n) for
 * any n, in O(n log n). The parts are floats if the transform is single, otherwise
 * doubles. One thread may use it at a time. in, which may be overwritten, and out are
 * apart and each at the start of a cache line; scale multiplies the result. */
typedef struct _FftTransform FftTransform;

/* Whether there are single ones, and other ways than FFT_COMPLEX. */
extern const gboolean fft_transform_has_single, fft_transform_has_real;

/* NULL if there is no memory. */
FftTransform *fft_transform_new (gsize n, FftWay way, gboolean inverse, gboolean single);
void fft_transform_run (FftTransform *transform, gpointer in, gpointer out, double scale);
void fft_transform_free (FftTransform *transform);

/* The ops of each file, up to a NULL. */
extern const CandelaOpInfo *const fft_line_ops[];
extern const CandelaOpInfo *const fft_frequency_ops[];

G_END_DECLS
