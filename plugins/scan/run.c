/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The lines along the axis, some at a time: neighbours in memory as vectors, the
 * lines of the last axis a few side by side. Elements of another dtype, or that no
 * stride leads to, are packed first, part by part. */
#include "scan.h"
#include <pthread.h>

/* Elements that one thread takes at a time, about, and between two looks at the
 * cancellable; and elements that are packed at a time. */
#define CHUNK_ELEMENTS (1 << 16)
#define PACK_ELEMENTS 1024
/* Lines side by side where no two results are neighbours in memory: as many as the
 * loops hold in registers; or, where the elements of different lines are neighbours,
 * of a cache line of theirs each. */
#define LINES 4
#define LINES_ACROSS 64

typedef void (*Convert) (gpointer out, gconstpointer in, gsize n);

typedef struct
{
  CandelaKernel *kernel;
  const ScanFold *fold;
  gsize size;      /* of an element of the result */
  gint64 n, out_n; /* elements of a line, and results */
  gint64 inner;    /* lines under one index of the axes before */
  gint64 n_lines;
  gint64 width;     /* lines side by side */
  gint64 n_groups;  /* of so many */
  gint64 per_inner; /* of them under one index of the axes before */
  gint64 per_chunk;
  gboolean direct; /* elements are read where they are, at these strides */
  gint64 in_step, in_next, in_outer;
  CandelaDType packed; /* else they are packed as these, */
  Convert convert;     /* and this makes elements of the result's dtype of them, or NULL */
  pthread_mutex_t lock;
  GError *error; /* the first, under the lock */
} Scan;

/* ---- Elements ---- */

typedef _Complex float Complex64;
typedef _Complex double Complex128;

/* The library converts between real dtypes. */
#define CONVERT(name, In, Out)                                                                                         \
  static void name (gpointer out, gconstpointer in, gsize n)                                                           \
  {                                                                                                                    \
    for (gsize i = 0; i < n; i++)                                                                                      \
      ((Out *) out)[i] = (Out) ((const In *) in)[i];                                                                   \
  }

CONVERT (convert_float32, float, Complex64)
CONVERT (convert_float64, double, Complex128)
CONVERT (convert_complex64, Complex64, Complex128)
CONVERT (convert_complex128, Complex128, Complex64)

static void
choose_packed (Scan *scan, CandelaDType in, CandelaDType out)
{
  gboolean wide = out == CANDELA_DTYPE_COMPLEX128;

  scan->packed = out;
  scan->convert = NULL;
  if (candela_dtype_get_kind (out) != CANDELA_DTYPE_KIND_COMPLEX || in == out)
    return;
  scan->packed = in;
  scan->convert = wide ? convert_complex64 : convert_complex128;
  if (candela_dtype_get_kind (in) == CANDELA_DTYPE_KIND_COMPLEX)
    return;
  scan->packed = wide ? CANDELA_DTYPE_FLOAT64 : CANDELA_DTYPE_FLOAT32;
  scan->convert = wide ? convert_float64 : convert_float32;
}

static void
pack (const Scan *scan, gint64 start, gint64 n, guint8 *out)
{
  guint8 raw[PACK_ELEMENTS * sizeof (Complex128)];

  candela_kernel_pack_input (scan->kernel, 0, scan->packed, start, (gsize) n, scan->convert != NULL ? raw : out);
  if (scan->convert != NULL)
    scan->convert (out, raw, (gsize) n);
}

/* Of `width` lines from line on, the elements i to i + n - 1: n such that they fit.
 * Those of the last axis are packed line by line, others row by row. */
static void
pack_part (const Scan *scan, ScanPart *part, gint64 line, gint64 i, guint8 *packed)
{
  gint64 width = (gint64) part->width, n = (gint64) part->n;
  gint64 outer = line / scan->inner, w = line % scan->inner;

  part->in = packed;
  if (scan->inner == 1)
    {
      part->in_step = 1;
      part->in_next = n;
      for (gint64 k = 0; k < width; k++)
        pack (scan, (line + k) * scan->n + i, n, packed + k * n * (gint64) scan->size);
      return;
    }
  part->in_step = width;
  part->in_next = 1;
  if (width == scan->inner)
    pack (scan, (outer * scan->n + i) * width, n * width, packed);
  else
    for (gint64 k = 0; k < n; k++)
      pack (scan, (outer * scan->n + i + k) * scan->inner + w, width, packed + k * width * (gint64) scan->size);
}

/* ---- Lines ---- */

static gboolean
run_group (const Scan *scan, gint64 line, gsize width, GError **error)
{
  const gint64 size = (gint64) scan->size, outer = line / scan->inner, w = line % scan->inner;
  const gint64 most = MAX ((scan->direct ? CHUNK_ELEMENTS : PACK_ELEMENTS) / (gint64) width, 1);
  const guint8 *in = candela_kernel_get_input (scan->kernel, 0);
  guint8 *out = candela_kernel_get_output (scan->kernel, 0);
  Complex128 acc[SCAN_WIDTH], packed[PACK_ELEMENTS];
  ScanPart part = { .acc = acc, .width = width, .in_step = scan->in_step, .in_next = scan->in_next };
  gint64 seen = 0;

  part.out_step = scan->inner;
  part.out_next = scan->inner == 1 ? scan->out_n : 1;
  in += (outer * scan->in_outer + w * scan->in_next) * size;
  out += (outer * scan->out_n * scan->inner + w) * size;
  if (scan->out_n > scan->n)
    {
      for (gsize k = 0; k < width; k++)
        memcpy (out + (gint64) k * part.out_next * size, scan->fold->initial, scan->size);
      out += part.out_step * size;
    }
  for (gint64 i = 0; i < scan->n; i += (gint64) part.n)
    {
      part.n = (gsize) (i == 0 ? 1 : MIN (scan->n - i, most));
      part.in = in + i * scan->in_step * size;
      part.out = out + i * part.out_step * size;
      if (!scan->direct)
        pack_part (scan, &part, line, i, (guint8 *) packed);
      (i == 0 ? scan->fold->begin : scan->fold->part) (&part);
      seen += (gint64) part.n * (gint64) width;
      if (seen >= CHUNK_ELEMENTS
          && g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (scan->kernel), error))
        return FALSE;
      seen = seen >= CHUNK_ELEMENTS ? 0 : seen;
    }
  return TRUE;
}

static void
run_chunk (guint64 chunk, gpointer data)
{
  Scan *scan = data;
  gint64 first = (gint64) chunk * scan->per_chunk, end = MIN (first + scan->per_chunk, scan->n_groups);
  g_autoptr (GError) error = NULL;

  g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (scan->kernel), &error);
  for (gint64 group = first; group < end && error == NULL; group++)
    {
      gint64 at = group % scan->per_inner * scan->width, line = group / scan->per_inner * scan->inner + at;
      gint64 end_line = scan->inner == 1 ? scan->n_lines : line - at + scan->inner;

      if (scan->inner == 1)
        line = group * scan->width;
      run_group (scan, line, (gsize) MIN (end_line - line, scan->width), &error);
    }
  if (error == NULL)
    return;
  pthread_mutex_lock (&scan->lock);
  if (scan->error == NULL)
    scan->error = g_steal_pointer (&error);
  pthread_mutex_unlock (&scan->lock);
}

/* ---- All ---- */

/* The one stride that leads through axes first to end - 1 in order, if there is one. */
static gboolean
find_stride (const gint64 *shape, const gint64 *strides, gsize first, gsize end, gint64 *stride)
{
  gint64 n = 1;

  *stride = 0;
  for (gsize axis = end; axis-- > first;)
    {
      if (shape[axis] == 1)
        continue;
      if (n == 1)
        *stride = strides[axis];
      else if (strides[axis] != *stride * n)
        return FALSE;
      n *= shape[axis];
    }
  return TRUE;
}

static void
choose_way (Scan *scan, guint axis)
{
  const CandelaLayout *layout = candela_kernel_get_input_layout (scan->kernel, 0);
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);
  const gint64 *strides = candela_layout_get_strides (layout, &rank);
  CandelaDType in = candela_kernel_get_input_dtype (scan->kernel, 0);
  CandelaDType out = candela_kernel_get_output_dtype (scan->kernel, 0);

  choose_packed (scan, in, out);
  scan->direct = in == out && find_stride (shape, strides, 0, axis, &scan->in_outer)
                 && find_stride (shape, strides, axis + 1, rank, &scan->in_next);
  scan->in_step = strides[axis];
  scan->width = MIN (scan->inner, SCAN_WIDTH);
  if (scan->inner == 1)
    {
      scan->in_next = scan->in_outer;
      scan->width = scan->direct && scan->in_step != 1 ? LINES_ACROSS : LINES;
    }
  if (!scan->direct)
    scan->in_step = scan->in_next = scan->in_outer = 0;
  scan->per_inner = (scan->inner + scan->width - 1) / scan->width;
  scan->n_groups =
    scan->inner == 1 ? (scan->n_lines + scan->width - 1) / scan->width : scan->n_lines / scan->inner * scan->per_inner;
  scan->per_chunk = MAX (CHUNK_ELEMENTS / MAX (scan->n, 1) / scan->width, 1);
}

gboolean
scan_run (CandelaKernel *kernel, const ScanFold *const *folds, GError **error)
{
  CandelaDType dtype = candela_kernel_get_output_dtype (kernel, 0);
  Scan scan = { .kernel = kernel, .fold = folds[dtype], .size = candela_dtype_get_size (dtype), .inner = 1 };
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_kernel_get_input_layout (kernel, 0), &rank);
  guint axis = scan_get_axis (candela_kernel_get_params (kernel), (guint) rank);
  gint64 n_results = candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 0));

  if (n_results == 0)
    return TRUE;
  if (scan.fold == NULL)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE, "there is no running sum or product of dtype %s",
                   candela_dtype_get_name (dtype));
      return FALSE;
    }
  scan.n = shape[axis];
  scan.out_n = candela_layout_get_shape (candela_kernel_get_output_layout (kernel, 0), &rank)[axis];
  for (gsize k = axis + 1; k < rank; k++)
    scan.inner *= shape[k];
  scan.n_lines = n_results / scan.out_n;
  choose_way (&scan, axis);

  pthread_mutex_init (&scan.lock, NULL);
  candela_kernel_parallel_for (kernel, (guint64) ((scan.n_groups + scan.per_chunk - 1) / scan.per_chunk), run_chunk,
                               &scan);
  pthread_mutex_destroy (&scan.lock);
  if (scan.error == NULL)
    return TRUE;
  g_propagate_error (error, scan.error);
  return FALSE;
}
