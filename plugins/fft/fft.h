/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of this plugin share. Numbers are complex binary64, two doubles each,
 * whatever the dtype of input and output. */
#pragma once

#include <candela/candela-plugin.h>

G_BEGIN_DECLS

/* kiss.cc: KISS FFT, for one length and direction; its cost grows with the sum of the
 * length's prime factors. One thread may use it at a time. */
typedef struct _FftKiss FftKiss;

FftKiss *fft_kiss_new (gsize n, gboolean inverse);
void fft_kiss_run (FftKiss *kiss, const double *in, double *out);
void fft_kiss_free (FftKiss *kiss);

/* transform.c: sums of x[k] exp (∓2πi jk / n) for any n, in O(n log n). in and out are
 * apart; scale multiplies the result. */
typedef struct _FftTransform FftTransform;

FftTransform *fft_transform_new (gsize n, gboolean inverse);
void fft_transform_run (FftTransform *transform, const double *in, double *out, double scale);
void fft_transform_free (FftTransform *transform);

/* The ops of each file, up to a NULL. */
extern const CandelaOpInfo *const fft_line_ops[];
extern const CandelaOpInfo *const fft_frequency_ops[];

G_END_DECLS
