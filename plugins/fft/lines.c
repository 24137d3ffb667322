/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Transforms along one axis, line by line: of complex numbers, of real ones (half of
 * whose transform is the conjugate of the other half and left out), and from such halves
 * back to real ones. All in binary64, float32 being rounded once, at the end; unless there
 * are transforms of binary32. Lines are shared among threads, each transform by one, and
 * always in memory that begins a cache line: so neither threads nor layouts change a bit. */
#include "fft.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
  PARAM_N,
  PARAM_AXIS,
  PARAM_NORM
};

typedef struct
{
  FftWay way;
  gboolean inverse; /* exp (+…), and by default divided by n */
} Kind;

static const Kind kind_fft = { FFT_COMPLEX, FALSE };
static const Kind kind_ifft = { FFT_COMPLEX, TRUE };
static const Kind kind_rfft = { FFT_REAL_TO_HALF, FALSE };
static const Kind kind_irfft = { FFT_HALF_TO_REAL, TRUE };
/* Time and frequency are exchanged. */
static const Kind kind_hfft = { FFT_HALF_TO_REAL, FALSE };
static const Kind kind_ihfft = { FFT_REAL_TO_HALF, TRUE };

/* ---- Shapes ---- */

static gsize
half_of (gint64 n)
{
  return (gsize) (n / 2 + 1);
}

static gboolean
is_single (CandelaDType dtype)
{
  return dtype == CANDELA_DTYPE_FLOAT32 || dtype == CANDELA_DTYPE_COMPLEX64;
}

/* The axis, and how long its transform is. */
static gboolean
read_params (const CandelaParams *params, const Kind *kind, const CandelaLayout *layout, gint64 *axis, gint64 *n,
             GError **error)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);

  *axis = candela_params_get_int (params, PARAM_AXIS);
  if (!candela_axis_normalize (axis, (guint) rank, error))
    return FALSE;
  *n = candela_params_is_set (params, PARAM_N) ? candela_params_get_int (params, PARAM_N)
       : kind->way == FFT_HALF_TO_REAL         ? 2 * (shape[*axis] - 1)
                                               : shape[*axis];
  return TRUE;
}

static gboolean
infer (CandelaInference *inference, const Kind *kind, GError **error)
{
  const CandelaLayout *layout = candela_inference_get_input_layout (inference, 0);
  CandelaDType dtype = candela_inference_get_input_dtype (inference, 0), result;
  gint64 shape[CANDELA_MAX_RANK], n, axis;
  const gint64 *extents;
  gsize rank;

  if (!read_params (candela_inference_get_params (inference), kind, layout, &axis, &n, error))
    return FALSE;
  extents = candela_layout_get_shape (layout, &rank);
  memcpy (shape, extents, rank * sizeof *shape);
  if (n < 1)
    return candela_inference_fail (inference, error, CANDELA_ERROR_PARAMETER,
                                   "a transform of length %" G_GINT64_FORMAT "; it must be 1 at least%s", n,
                                   candela_params_is_set (candela_inference_get_params (inference), PARAM_N)
                                     ? ""
                                     : ": give n, or an axis that is long enough");
  shape[axis] = kind->way == FFT_REAL_TO_HALF ? (gint64) half_of (n) : n;
  if (kind->way == FFT_HALF_TO_REAL)
    result = is_single (dtype) ? CANDELA_DTYPE_FLOAT32 : CANDELA_DTYPE_FLOAT64;
  else
    result = is_single (dtype) ? CANDELA_DTYPE_COMPLEX64 : CANDELA_DTYPE_COMPLEX128;
  return candela_inference_set_output (inference, 0, result, shape, rank, error);
}

/* ---- Lines ---- */

typedef struct
{
  CandelaKernel *kernel;
  const Kind *kind;
  CandelaLayout *lines; /* the input with the axis last */
  gint64 n;             /* of the transform */
  gint64 length;        /* of the input's lines */
  gint64 given;         /* of which this many are read */
  gint64 out_length;
  gint64 n_lines;
  gint64 per_chunk;
  gint64 inner;    /* elements from one of an output line to the next */
  FftWay way;      /* of the transforms: all numbers may be complex */
  gboolean single; /* the transforms are */
  double scale;
  pthread_mutex_t lock;
  GSList *idle; /* of FftTransform, under the lock */
  gint failed;  /* atomic: there was no memory */
} Share;

/* Elements of a chunk, which one thread takes at a time. */
#define CHUNK_ELEMENTS (32 * 1024)

static FftTransform *
take_transform (Share *share)
{
  FftTransform *transform = NULL;

  pthread_mutex_lock (&share->lock);
  if (share->idle != NULL)
    {
      transform = share->idle->data;
      share->idle = g_slist_delete_link (share->idle, share->idle);
    }
  pthread_mutex_unlock (&share->lock);
  return transform != NULL ? transform
                           : fft_transform_new ((gsize) share->n, share->way, share->kind->inverse, share->single);
}

static void
give_back (Share *share, FftTransform *transform)
{
  pthread_mutex_lock (&share->lock);
  share->idle = g_slist_prepend (share->idle, transform);
  pthread_mutex_unlock (&share->lock);
}

static gsize
number_size (const Share *share)
{
  return 2 * (share->single ? sizeof (float) : sizeof (double));
}

/* Half a line: what has to be real, and the second half if it is wanted. */
#define COMPLETE(name, type)                                                                                           \
  static void name (type *x, gint64 n, gboolean whole)                                                                 \
  {                                                                                                                    \
    x[1] = 0;                                                                                                          \
    if (n % 2 == 0)                                                                                                    \
      x[n + 1] = 0;                                                                                                    \
    for (gint64 k = n / 2 + 1; whole && k < n; k++)                                                                    \
      {                                                                                                                \
        x[2 * k] = x[2 * (n - k)];                                                                                     \
        x[2 * k + 1] = -x[2 * (n - k) + 1];                                                                            \
      }                                                                                                                \
  }

COMPLETE (complete_floats, float)
COMPLETE (complete_doubles, double)

/* The numbers that are transformed: what is given, then zeros; of a half the other half
 * too, if they are to be complex. */
static void
read_line (const Share *share, gint64 line, gpointer in)
{
  gboolean real = share->way == FFT_REAL_TO_HALF;
  gint64 n = share->way == FFT_HALF_TO_REAL ? (gint64) half_of (share->n) : share->n;
  gsize size = real ? number_size (share) / 2 : number_size (share);
  CandelaDType dtype = share->single ? (real ? CANDELA_DTYPE_FLOAT32 : CANDELA_DTYPE_COMPLEX64)
                                     : (real ? CANDELA_DTYPE_FLOAT64 : CANDELA_DTYPE_COMPLEX128);

  candela_kernel_pack_layout (share->kernel, 0, share->lines, dtype, line * share->length, (gsize) share->given, in);
  memset ((guint8 *) in + (gsize) share->given * size, 0, (gsize) (n - share->given) * size);
  if (share->kind->way != FFT_HALF_TO_REAL)
    return;
  if (share->single)
    complete_floats (in, share->n, share->way == FFT_COMPLEX);
  else
    complete_doubles (in, share->n, share->way == FFT_COMPLEX);
}

/* Complex numbers, or real ones that come so far apart, a step apart. */
#define WRITE(name, from_type, type)                                                                                   \
  static void name (const from_type *from, type *to, gint64 n, gint64 step, gboolean complex, gint64 apart)            \
  {                                                                                                                    \
    if (complex)                                                                                                       \
      for (gint64 k = 0; k < n; k++)                                                                                   \
        {                                                                                                              \
          to[2 * k * step] = (type) from[2 * k];                                                                       \
          to[2 * k * step + 1] = (type) from[2 * k + 1];                                                               \
        }                                                                                                              \
    else                                                                                                               \
      for (gint64 k = 0; k < n; k++)                                                                                   \
        to[k * step] = (type) from[k * apart];                                                                         \
  }

WRITE (write_floats, float, float)
WRITE (write_rounded, double, float)
WRITE (write_doubles, double, double)

static void
write_line (const Share *share, gint64 line, gconstpointer out)
{
  CandelaDType dtype = candela_kernel_get_output_dtype (share->kernel, 0);
  gint64 at = line / share->inner * share->inner * share->out_length + line % share->inner;
  gboolean complex = share->kind->way != FFT_HALF_TO_REAL;
  gint64 apart = share->way == FFT_COMPLEX ? 2 : 1;
  gpointer to = (guint8 *) candela_kernel_get_output (share->kernel, 0) + at * (gint64) candela_dtype_get_size (dtype);

  if (share->single)
    write_floats (out, to, share->out_length, share->inner, complex, apart);
  else if (is_single (dtype))
    write_rounded (out, to, share->out_length, share->inner, complex, apart);
  else
    write_doubles (out, to, share->out_length, share->inner, complex, apart);
}

static void
run_lines (const Share *share, FftTransform *transform, gint64 first, gpointer in, gpointer out)
{
  for (gint64 line = first; line < MIN (first + share->per_chunk, share->n_lines); line++)
    {
      if (g_cancellable_is_cancelled (candela_kernel_get_cancellable (share->kernel)))
        return;
      read_line (share, line, in);
      fft_transform_run (transform, in, out, share->scale);
      write_line (share, line, out);
    }
}

static void
run_chunk (guint64 chunk, gpointer data)
{
  Share *share = data;
  FftTransform *transform = NULL;
  gpointer work = NULL;
  gsize bytes = ((gsize) share->n * number_size (share) + 63) & ~(gsize) 63;

  if (share->n <= G_MAXINT64 / 64 && posix_memalign (&work, 64, 2 * bytes) == 0)
    transform = take_transform (share);
  if (transform == NULL)
    g_atomic_int_set (&share->failed, TRUE);
  else
    {
      run_lines (share, transform, (gint64) chunk * share->per_chunk, work, (guint8 *) work + bytes);
      give_back (share, transform);
    }
  free (work);
}

static double
choose_scale (const CandelaParams *params, const Kind *kind, gint64 n)
{
  const char *norm = candela_params_get_string (params, PARAM_NORM);

  if (g_str_equal (norm, "ortho"))
    return 1 / sqrt ((double) n);
  return kind->inverse == g_str_equal (norm, "backward") ? 1 / (double) n : 1;
}

/* The axis goes last, the others stay in their order. */
static CandelaLayout *
make_lines (const CandelaLayout *layout, gint64 axis, GError **error)
{
  gint64 axes[CANDELA_MAX_RANK];
  gsize rank;

  candela_layout_get_shape (layout, &rank);
  for (gint64 a = 0, k = 0; a < (gint64) rank; a++)
    if (a != axis)
      axes[k++] = a;
  axes[rank - 1] = axis;
  return candela_layout_permute (layout, axes, rank, error);
}

static gboolean
compute (CandelaKernel *kernel, const Kind *kind, GError **error)
{
  const CandelaParams *params = candela_kernel_get_params (kernel);
  const CandelaLayout *layout = candela_kernel_get_input_layout (kernel, 0);
  Share share = { .kernel = kernel, .kind = kind, .inner = 1 };
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_kernel_get_output_layout (kernel, 0), &rank);
  gint64 axis;

  if (!read_params (params, kind, layout, &axis, &share.n, error))
    return FALSE;
  share.out_length = shape[axis];
  if (candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 0)) == 0)
    return TRUE;
  share.n_lines = candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 0)) / share.out_length;
  for (gsize a = (gsize) axis + 1; a < rank; a++)
    share.inner *= shape[a];
  share.length = candela_layout_get_shape (layout, NULL)[axis];
  share.given = MIN (share.length, kind->way == FFT_HALF_TO_REAL ? (gint64) half_of (share.n) : share.n);
  share.single = fft_transform_has_single && is_single (candela_kernel_get_output_dtype (kernel, 0));
  share.way = fft_transform_has_real ? kind->way : FFT_COMPLEX;
  share.scale = choose_scale (params, kind, share.n);
  share.per_chunk = MAX (CHUNK_ELEMENTS / share.n, 1);
  share.lines = make_lines (layout, axis, error);
  if (share.lines == NULL)
    return FALSE;
  pthread_mutex_init (&share.lock, NULL);
  candela_kernel_parallel_for (kernel, (guint64) ((share.n_lines + share.per_chunk - 1) / share.per_chunk), run_chunk,
                               &share);
  pthread_mutex_destroy (&share.lock);
  g_slist_free_full (share.idle, (GDestroyNotify) fft_transform_free);
  candela_layout_unref (share.lines);
  if (g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (kernel), error))
    return FALSE;
  if (!share.failed)
    return TRUE;
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY,
               "there is no memory for a transform of length %" G_GINT64_FORMAT, share.n);
  return FALSE;
}

/* ---- Declarations ---- */

static const char *const norms[] = { "backward", "ortho", "forward", NULL };

static const CandelaParamInfo params_table[] = {
  { "n", CANDELA_PARAM_INT, .minimum = 1, .maximum = (double) G_MAXINT64,
    .summary = "the length of the transform: the axis is cut, or filled with zeros; none: what the axis has" },
  { "axis", CANDELA_PARAM_INT, .default_value = "-1", .summary = "the axis, counted from the end if negative" },
  { "norm", CANDELA_PARAM_STRING, .default_value = "backward", .choices = norms,
    .summary = "which direction is divided by n: backward, forward; or both by its root: ortho" },
  { NULL },
};

#define REAL_KINDS                                                                                                     \
  (CANDELA_DTYPE_KIND_BOOL | CANDELA_DTYPE_KIND_SIGNED | CANDELA_DTYPE_KIND_UNSIGNED | CANDELA_DTYPE_KIND_FLOAT)

static const CandelaInputInfo inputs_any[] = { { "x", .summary = "the numbers" }, { NULL } };
static const CandelaInputInfo inputs_real[] = { { "x", REAL_KINDS, .summary = "real numbers" }, { NULL } };

#define FFT_OP(op, op_inputs, op_summary, op_formula, op_example)                                                      \
  static gboolean infer_##op (CandelaInference *inference, GError **error)                                             \
  {                                                                                                                    \
    return infer (inference, &kind_##op, error);                                                                       \
  }                                                                                                                    \
                                                                                                                       \
  static gboolean compute_##op (CandelaKernel *kernel, GError **error)                                                 \
  {                                                                                                                    \
    return compute (kernel, &kind_##op, error);                                                                        \
  }                                                                                                                    \
                                                                                                                       \
  static const CandelaKernelInfo op##_kernels[] = { { .compute = compute_##op }, { .compute = NULL } };                \
  static const CandelaOpInfo op##_info = { .struct_size = sizeof (CandelaOpInfo),                                      \
                                           .name = #op,                                                                \
                                           .summary = op_summary,                                                      \
                                           .formula = op_formula,                                                      \
                                           .example = op_example,                                                      \
                                           .since = "1.0",                                                             \
                                           .inputs = op_inputs,                                                        \
                                           .params = params_table,                                                     \
                                           .axes = CANDELA_AXES_OPAQUE,                                                \
                                           .infer = infer_##op,                                                        \
                                           .kernels = op##_kernels };

FFT_OP (fft, inputs_any, "The discrete Fourier transform along an axis",
        "out[k] = Σₘ x[m] · exp(-2πj · k · m / n), m along axis", "fft([1.0, 2.0, 0.0, -1.0]), fft([1.0, 1.0], n=4)")
FFT_OP (ifft, inputs_any, "The inverse of fft", "out[m] = Σₖ x[k] · exp(2πj · k · m / n) / n, k along axis",
        "ifft([4.0, 0.0, 0.0, 0.0]), ifft(fft([1.0, 2.0, 3.0]))")
FFT_OP (rfft, inputs_real, "The discrete Fourier transform of real numbers: its first half, the rest being conjugate",
        "out[k] = Σₘ x[m] · exp(-2πj · k · m / n), m along axis, k ≤ n / 2", "rfft([1.0, 2.0, 0.0, -1.0])")
FFT_OP (irfft, inputs_any, "The inverse of rfft: real numbers from half a spectrum",
        "out[m] = Σₖ x[k] · exp(2πj · k · m / n) / n, k along axis, x[n - k] = conj(x[k])\n"
        "n = 2 · (length - 1) if it is not given",
        "irfft([2+0j, 1-3j, 0j]), irfft(rfft([1.0, 2.0, 3.0]), n=3)")
FFT_OP (hfft, inputs_any, "The transform of half of a signal whose other half is conjugate: real numbers",
        "out[k] = Σₘ x[m] · exp(-2πj · k · m / n), m along axis, x[n - m] = conj(x[m])\n"
        "n = 2 · (length - 1) if it is not given",
        "hfft([1+0j, 2-1j, 3+0j])")
FFT_OP (ihfft, inputs_real, "The inverse of hfft: half of a signal from its real spectrum",
        "out[m] = Σₖ x[k] · exp(2πj · k · m / n) / n, k along axis, m ≤ n / 2", "ihfft([1.0, 2.0, 0.0, -1.0])")

const CandelaOpInfo *const fft_line_ops[] = {
  &fft_info, &ifft_info, &rfft_info, &irfft_info, &hfft_info, &ihfft_info, NULL,
};
