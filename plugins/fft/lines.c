/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Transforms along one axis, line by line: of complex numbers, of real ones (half of
 * whose transform is the conjugate of the other half and left out), and from such halves
 * back to real ones. All in binary64; float32 is rounded once, at the end. Lines are
 * shared among threads, each transform by one, so that threads change no bit. */
#include "fft.h"
#include <math.h>
#include <pthread.h>
#include <string.h>

enum {
  PARAM_N,
  PARAM_AXIS,
  PARAM_NORM
};

/* What a line is, before and after. */
typedef enum {
  COMPLEX_TO_COMPLEX,
  REAL_TO_HALF,
  HALF_TO_REAL
} Way;

typedef struct
{
  Way way;
  gboolean inverse; /* exp (+…), and by default divided by n */
} Kind;

static const Kind kind_fft = { COMPLEX_TO_COMPLEX, FALSE };
static const Kind kind_ifft = { COMPLEX_TO_COMPLEX, TRUE };
static const Kind kind_rfft = { REAL_TO_HALF, FALSE };
static const Kind kind_irfft = { HALF_TO_REAL, TRUE };
/* Time and frequency are exchanged. */
static const Kind kind_hfft = { HALF_TO_REAL, FALSE };
static const Kind kind_ihfft = { REAL_TO_HALF, TRUE };

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
       : kind->way == HALF_TO_REAL             ? 2 * (shape[*axis] - 1)
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
  shape[axis] = kind->way == REAL_TO_HALF ? (gint64) half_of (n) : n;
  if (kind->way == HALF_TO_REAL)
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
  gint64 inner; /* elements from one of an output line to the next */
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
  return transform != NULL ? transform : fft_transform_new ((gsize) share->n, share->kind->inverse);
}

static void
give_back (Share *share, FftTransform *transform)
{
  pthread_mutex_lock (&share->lock);
  share->idle = g_slist_prepend (share->idle, transform);
  pthread_mutex_unlock (&share->lock);
}

/* The n numbers that are transformed: what is given, then zeros; of a half the other
 * half too. */
static void
read_line (const Share *share, gint64 line, double *in)
{
  gint64 n = share->n;

  candela_kernel_pack_layout (share->kernel, 0, share->lines, CANDELA_DTYPE_COMPLEX128, line * share->length,
                              (gsize) share->given, in);
  memset (in + 2 * share->given, 0, (gsize) (2 * (n - share->given)) * sizeof *in);
  if (share->kind->way != HALF_TO_REAL)
    return;
  in[1] = 0;
  if (n % 2 == 0)
    in[n + 1] = 0;
  for (gint64 k = n / 2 + 1; k < n; k++)
    {
      in[2 * k] = in[2 * (n - k)];
      in[2 * k + 1] = -in[2 * (n - k) + 1];
    }
}

static void
write_line (const Share *share, gint64 line, const double *out)
{
  CandelaDType dtype = candela_kernel_get_output_dtype (share->kernel, 0);
  gint64 at = line / share->inner * share->inner * share->out_length + line % share->inner;
  gboolean complex = share->kind->way != HALF_TO_REAL;
  gint64 parts = complex ? 2 : 1;

#define WRITE(type)                                                                                                    \
  for (gint64 k = 0; k < share->out_length; k++)                                                                       \
    {                                                                                                                  \
      type *to = (type *) candela_kernel_get_output (share->kernel, 0) + parts * (at + k * share->inner);              \
                                                                                                                       \
      to[0] = (type) out[2 * k];                                                                                       \
      if (complex)                                                                                                     \
        to[1] = (type) out[2 * k + 1];                                                                                 \
    }
  if (is_single (dtype))
    WRITE (float)
  else
    WRITE (double)
#undef WRITE
}

static void
run_chunk (guint64 chunk, gpointer data)
{
  Share *share = data;
  FftTransform *transform = take_transform (share);
  g_autofree double *work = g_try_new (double, 4 * (gsize) share->n);
  gint64 first = (gint64) chunk * share->per_chunk;

  if (transform == NULL || work == NULL)
    g_atomic_int_set (&share->failed, TRUE);
  else
    for (gint64 line = first; line < MIN (first + share->per_chunk, share->n_lines); line++)
      {
        if (g_cancellable_is_cancelled (candela_kernel_get_cancellable (share->kernel)))
          break;
        read_line (share, line, work);
        fft_transform_run (transform, work, work + 2 * share->n, share->scale);
        write_line (share, line, work + 2 * share->n);
      }
  if (transform != NULL)
    give_back (share, transform);
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
  share.given = MIN (share.length, kind->way == HALF_TO_REAL ? (gint64) half_of (share.n) : share.n);
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

#define FFT_OP(op, op_inputs, op_summary)                                                                              \
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
                                           .since = "1.0",                                                             \
                                           .inputs = op_inputs,                                                        \
                                           .params = params_table,                                                     \
                                           .axes = CANDELA_AXES_OPAQUE,                                                \
                                           .infer = infer_##op,                                                        \
                                           .kernels = op##_kernels };

FFT_OP (fft, inputs_any, "The discrete Fourier transform along an axis")
FFT_OP (ifft, inputs_any, "The inverse of fft")
FFT_OP (rfft, inputs_real, "The discrete Fourier transform of real numbers: its first half, the rest being conjugate")
FFT_OP (irfft, inputs_any, "The inverse of rfft: real numbers from half a spectrum")
FFT_OP (hfft, inputs_any, "The transform of half of a signal whose other half is conjugate: real numbers")
FFT_OP (ihfft, inputs_real, "The inverse of hfft: half of a signal from its real spectrum")

const CandelaOpInfo *const fft_line_ops[] = {
  &fft_info, &ifft_info, &rfft_info, &irfft_info, &hfft_info, &ihfft_info, NULL,
};
