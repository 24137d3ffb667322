/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Layouts: what they are made from and what can be asked of them. (What makes
 * one from another is in layout-view.c, walking over elements in layout-walk.c.)
 *
 * Two promises keep the rest of the engine simple. Every number that can be
 * reached from a layout with elements (their count, and the first and last
 * address) fits a gint64, so that nobody needs to check again. And numbers that no
 * address depends on (strides of axes of length 1, all strides and the offset of
 * a layout without elements) have one canonical value, so that layouts which map
 * alike are equal. */
#include <candela/value/layout-private.h>

#include <string.h>

G_DEFINE_BOXED_TYPE (CandelaLayout, candela_layout, candela_layout_ref, candela_layout_unref)

CandelaLayout *
candela_layout_alloc (guint rank)
{
  CandelaLayout *layout = g_malloc (sizeof *layout + 2 * rank * sizeof (gint64));

  layout->ref_count = 1;
  layout->rank = rank;
  layout->contiguous = FALSE;
  layout->offset = 0;
  layout->n_elements = 0;
  layout->strides = layout->dims + rank;
  return layout;
}

gboolean
candela_layout_check_rank (gsize rank, GError **error)
{
  if (rank <= CANDELA_MAX_RANK)
    return TRUE;
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE, "%" G_GSIZE_FORMAT " axes are more than the %d there can be",
               rank, CANDELA_MAX_RANK);
  return FALSE;
}

/* Axes of length 0 count as 1: what is left when they are sliced away, and the
 * row-major strides, are to fit too. */
static gboolean
layout_count_elements (CandelaLayout *layout, GError **error)
{
  gint64 product = 1;
  gboolean empty = FALSE;
  const char *wrong = NULL;

  for (guint i = 0; i < layout->rank && wrong == NULL; i++)
    {
      if (layout->dims[i] < 0)
        wrong = "a negative length";
      else if (layout->dims[i] == 0)
        empty = TRUE;
      else if (__builtin_mul_overflow (product, layout->dims[i], &product))
        wrong = "too many elements";
    }
  if (wrong != NULL)
    {
      g_autofree char *shape = candela_shape_to_string (layout->dims, layout->rank);

      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE, "shape %s has %s", shape, wrong);
      return FALSE;
    }
  layout->n_elements = empty ? 0 : product;
  return TRUE;
}

static void
layout_set_row_major (CandelaLayout *layout)
{
  gint64 stride = 1;

  for (guint i = layout->rank; i-- > 0;)
    {
      layout->strides[i] = stride;
      stride *= MAX (layout->dims[i], 1);
    }
}

static gboolean
layout_is_row_major (const CandelaLayout *layout)
{
  gint64 expected = 1;

  if (layout->n_elements <= 1)
    return TRUE;
  for (guint i = layout->rank; i-- > 0;)
    {
      if (layout->dims[i] != 1 && layout->strides[i] != expected)
        return FALSE;
      expected *= layout->dims[i];
    }
  return TRUE;
}

CandelaLayout *
candela_layout_complete (CandelaLayout *layout, GError **error)
{
  if (!layout_count_elements (layout, error))
    {
      g_free (layout);
      return NULL;
    }

  if (layout->n_elements == 0)
    layout->offset = 0;
  layout->contiguous = layout_is_row_major (layout);
  if (layout->contiguous)
    layout_set_row_major (layout);
  else
    for (guint i = layout->rank; i-- > 0;)
      if (layout->dims[i] == 1)
        {
          gint64 stride = 1;

          if (i + 1 < layout->rank && __builtin_mul_overflow (layout->dims[i + 1], layout->strides[i + 1], &stride))
            stride = 0;
          layout->strides[i] = stride;
        }
  return layout;
}

/**
 * candela_layout_new:
 * @shape: (array length=n_dims) (nullable): the lengths of the axes
 * @n_dims: how many there are, 0 to %CANDELA_MAX_RANK
 * @error: return location for an error
 *
 * A contiguous layout: row-major, without gaps, from the start of its buffer.
 * Negative lengths, too many axes and more elements than a 64-bit number counts
 * give %CANDELA_ERROR_SHAPE.
 *
 * Returns: (transfer full): the layout, or %NULL with @error set
 *
 * Since: 1.0
 */
CandelaLayout *
candela_layout_new (const gint64 *shape, gsize n_dims, GError **error)
{
  CandelaLayout *layout;

  g_return_val_if_fail (shape != NULL || n_dims == 0, NULL);

  if (!candela_layout_check_rank (n_dims, error))
    return NULL;
  layout = candela_layout_alloc (n_dims);
  if (n_dims > 0)
    memcpy (layout->dims, shape, n_dims * sizeof *shape);
  if (!layout_count_elements (layout, error))
    {
      g_free (layout);
      return NULL;
    }
  layout->contiguous = TRUE;
  layout_set_row_major (layout);
  return layout;
}

/* The lowest and the highest address of a layout with elements; FALSE if they
 * overflow. */
static gboolean
layout_find_addresses (const CandelaLayout *layout, gint64 *lowest, gint64 *highest)
{
  *lowest = *highest = layout->offset;
  for (guint i = 0; i < layout->rank; i++)
    {
      gint64 span;
      gint64 *end;

      if (layout->dims[i] == 1)
        continue;
      if (__builtin_mul_overflow (layout->dims[i] - 1, layout->strides[i], &span))
        return FALSE;
      end = span < 0 ? lowest : highest;
      if (__builtin_add_overflow (*end, span, end))
        return FALSE;
    }
  return TRUE;
}

/* What new_strided is given, from outside: nothing of it is to be believed. */
static gboolean
layout_check_addresses (const CandelaLayout *layout, GError **error)
{
  gint64 lowest = layout->offset;
  gint64 highest = layout->offset;
  g_autofree char *shape = NULL;
  g_autofree char *strides = NULL;

  if (layout->n_elements == 0)
    return TRUE;
  if (layout->offset >= 0 && layout_find_addresses (layout, &lowest, &highest) && highest < G_MAXINT64 && lowest >= 0)
    return TRUE;

  shape = candela_shape_to_string (layout->dims, layout->rank);
  strides = candela_shape_to_string (layout->strides, layout->rank);
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE,
               "shape %s with strides %s from offset %" G_GINT64_FORMAT " has elements %s", shape, strides,
               layout->offset, lowest < 0 ? "before the start of its buffer" : "whose addresses are too large");
  return FALSE;
}

/**
 * candela_layout_new_strided:
 * @shape: (array length=n_dims) (nullable): the lengths of the axes
 * @n_dims: how many there are, 0 to %CANDELA_MAX_RANK
 * @strides: (array length=n_strides) (nullable): by how many elements a step along each axis moves
 * @n_strides: how many there are, as many as @n_dims
 * @offset: where the element at index 0, 0, … is, in elements
 * @error: return location for an error
 *
 * A layout with any strides, negative and zero ones too. The strides of axes of
 * length 1, and strides and offset of a layout without elements, have no meaning
 * and are set to what row-major order gives them. Elements before the start of the buffer,
 * and all that overflows, give %CANDELA_ERROR_SHAPE.
 *
 * Returns: (transfer full): the layout, or %NULL with @error set
 *
 * Since: 1.0
 */
CandelaLayout *
candela_layout_new_strided (const gint64 *shape, gsize n_dims, const gint64 *strides, gsize n_strides, gint64 offset,
                            GError **error)
{
  g_autoptr (CandelaLayout) layout = NULL;

  g_return_val_if_fail (shape != NULL || n_dims == 0, NULL);
  g_return_val_if_fail (strides != NULL || n_strides == 0, NULL);

  if (!candela_layout_check_rank (n_dims, error))
    return NULL;
  if (n_strides != n_dims)
    {
      g_autofree char *text = candela_shape_to_string (shape, n_dims);

      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE, "%" G_GSIZE_FORMAT " strides do not go with shape %s",
                   n_strides, text);
      return NULL;
    }

  layout = candela_layout_alloc (n_dims);
  layout->offset = offset;
  if (n_dims > 0)
    {
      memcpy (layout->dims, shape, n_dims * sizeof *shape);
      memcpy (layout->strides, strides, n_dims * sizeof *strides);
    }
  layout = candela_layout_complete (g_steal_pointer (&layout), error);
  if (layout == NULL || !layout_check_addresses (layout, error))
    return NULL;
  return g_steal_pointer (&layout);
}

/**
 * candela_layout_ref:
 * @layout: a layout
 *
 * Takes a reference.
 *
 * Returns: (transfer full): @layout
 *
 * Since: 1.0
 */
CandelaLayout *
candela_layout_ref (CandelaLayout *layout)
{
  g_return_val_if_fail (layout != NULL, NULL);

  if (g_atomic_int_get (&layout->ref_count) != CANDELA_LAYOUT_ETERNAL)
    g_atomic_int_inc (&layout->ref_count);
  return layout;
}

/**
 * candela_layout_unref:
 * @layout: (transfer full): a layout
 *
 * Gives a reference back; the last one frees @layout.
 *
 * Since: 1.0
 */
void
candela_layout_unref (CandelaLayout *layout)
{
  gint count;

  g_return_if_fail (layout != NULL);

  count = g_atomic_int_get (&layout->ref_count);
  if (count == CANDELA_LAYOUT_ETERNAL)
    return;
  /* The only reference: nobody else can be counting. */
  if (count == 1 || g_atomic_int_dec_and_test (&layout->ref_count))
    g_free (layout);
}

/**
 * candela_layout_get_rank:
 * @layout: a layout
 *
 * The number of axes.
 *
 * Returns: 0 to %CANDELA_MAX_RANK
 *
 * Since: 1.0
 */
guint
candela_layout_get_rank (const CandelaLayout *layout)
{
  g_return_val_if_fail (layout != NULL, 0);

  return layout->rank;
}

/**
 * candela_layout_get_shape:
 * @layout: a layout
 * @n_dims: (out) (optional): return location for the number of axes
 *
 * The lengths of the axes.
 *
 * Returns: (array length=n_dims) (transfer none): the shape
 *
 * Since: 1.0
 */
const gint64 *
candela_layout_get_shape (const CandelaLayout *layout, gsize *n_dims)
{
  g_return_val_if_fail (layout != NULL, NULL);

  if (n_dims != NULL)
    *n_dims = layout->rank;
  return layout->dims;
}

/**
 * candela_layout_get_strides:
 * @layout: a layout
 * @n_dims: (out) (optional): return location for the number of axes
 *
 * By how many elements a step along each axis moves in the buffer.
 *
 * Returns: (array length=n_dims) (transfer none): the strides
 *
 * Since: 1.0
 */
const gint64 *
candela_layout_get_strides (const CandelaLayout *layout, gsize *n_dims)
{
  g_return_val_if_fail (layout != NULL, NULL);

  if (n_dims != NULL)
    *n_dims = layout->rank;
  return layout->strides;
}

/**
 * candela_layout_get_offset:
 * @layout: a layout
 *
 * Where in the buffer the element at index 0, 0, … is, in elements.
 *
 * Returns: the offset
 *
 * Since: 1.0
 */
gint64
candela_layout_get_offset (const CandelaLayout *layout)
{
  g_return_val_if_fail (layout != NULL, 0);

  return layout->offset;
}

/**
 * candela_layout_get_n_elements:
 * @layout: a layout
 *
 * The number of elements, the product of the shape: 1 for rank 0.
 *
 * Returns: how many elements there are
 *
 * Since: 1.0
 */
gint64
candela_layout_get_n_elements (const CandelaLayout *layout)
{
  g_return_val_if_fail (layout != NULL, 0);

  return layout->n_elements;
}

/**
 * candela_layout_get_extent:
 * @layout: a layout
 * @first: (out) (optional): return location for the lowest address of an element
 * @end: (out) (optional): return location for one past the highest
 *
 * The part of the buffer that @layout lies in, in elements: both 0 if there are
 * none. A buffer must have at least @end elements.
 *
 * Since: 1.0
 */
void
candela_layout_get_extent (const CandelaLayout *layout, gint64 *first, gint64 *end)
{
  gint64 lowest = 0;
  gint64 highest = -1;

  g_return_if_fail (layout != NULL);

  if (layout->n_elements > 0)
    layout_find_addresses (layout, &lowest, &highest);
  if (first != NULL)
    *first = lowest;
  if (end != NULL)
    *end = highest + 1;
}

/**
 * candela_layout_is_contiguous:
 * @layout: a layout
 *
 * Whether the elements follow each other in row-major order without gaps; the
 * offset may be anything. Layouts of one element or none always do.
 *
 * Returns: whether @layout is contiguous
 *
 * Since: 1.0
 */
gboolean
candela_layout_is_contiguous (const CandelaLayout *layout)
{
  g_return_val_if_fail (layout != NULL, FALSE);

  return layout->contiguous;
}

/**
 * candela_layout_is_injective:
 * @layout: a layout
 *
 * Whether no two indices have the same address, so that each element may be
 * written on its own. Exact for every layout that slicing, permuting and
 * broadcasting make of a contiguous one; %FALSE for other strides if each axis
 * does not step over all that lies within smaller steps.
 *
 * Returns: whether @layout is known to be injective
 *
 * Since: 1.0
 */
gboolean
candela_layout_is_injective (const CandelaLayout *layout)
{
  gint64 strides[CANDELA_MAX_RANK];
  gint64 spans[CANDELA_MAX_RANK];
  gint64 reach = 0;
  guint n = 0;

  g_return_val_if_fail (layout != NULL, FALSE);

  if (layout->contiguous)
    return TRUE;

  /* Insertion sort by absolute stride. No absolute value overflows: addresses are 0 or more. */
  for (guint i = 0; i < layout->rank; i++)
    {
      gint64 stride;
      guint at = n;

      if (layout->dims[i] == 1)
        continue;
      stride = ABS (layout->strides[i]);
      for (; at > 0 && strides[at - 1] > stride; at--)
        {
          strides[at] = strides[at - 1];
          spans[at] = spans[at - 1];
        }
      strides[at] = stride;
      spans[at] = (layout->dims[i] - 1) * stride;
      n++;
    }
  for (guint i = 0; i < n; i++)
    {
      if (strides[i] <= reach)
        return FALSE;
      reach += spans[i];
    }
  return TRUE;
}

/**
 * candela_layout_equal:
 * @a: a layout
 * @b: another
 *
 * Whether two layouts have the same shape and map each index to the same address.
 *
 * Returns: whether they are equal
 *
 * Since: 1.0
 */
gboolean
candela_layout_equal (const CandelaLayout *a, const CandelaLayout *b)
{
  g_return_val_if_fail (a != NULL && b != NULL, FALSE);

  if (a == b)
    return TRUE;
  return a->rank == b->rank && a->offset == b->offset && memcmp (a->dims, b->dims, 2 * a->rank * sizeof (gint64)) == 0;
}

/**
 * candela_layout_same_shape:
 * @a: a layout
 * @b: another
 *
 * Whether two layouts have the same shape.
 *
 * Returns: whether they have
 *
 * Since: 1.0
 */
gboolean
candela_layout_same_shape (const CandelaLayout *a, const CandelaLayout *b)
{
  g_return_val_if_fail (a != NULL && b != NULL, FALSE);

  return a->rank == b->rank && memcmp (a->dims, b->dims, a->rank * sizeof (gint64)) == 0;
}

/**
 * candela_layout_to_string:
 * @layout: a layout
 *
 * Shape, strides and offset as text, for people:
 * `shape [2, 3], strides [1, 2], offset 0`.
 *
 * Returns: (transfer full): the text
 *
 * Since: 1.0
 */
char *
candela_layout_to_string (const CandelaLayout *layout)
{
  g_autofree char *shape = NULL;
  g_autofree char *strides = NULL;

  g_return_val_if_fail (layout != NULL, NULL);

  shape = candela_shape_to_string (layout->dims, layout->rank);
  strides = candela_shape_to_string (layout->strides, layout->rank);
  return g_strdup_printf ("shape %s, strides %s, offset %" G_GINT64_FORMAT, shape, strides, layout->offset);
}

/**
 * candela_shape_to_string:
 * @shape: (array length=n_dims) (nullable): the lengths of the axes
 * @n_dims: how many there are
 *
 * A shape as text, such as `[2, 3]`.
 *
 * Returns: (transfer full): the text
 *
 * Since: 1.0
 */
char *
candela_shape_to_string (const gint64 *shape, gsize n_dims)
{
  GString *text;

  g_return_val_if_fail (shape != NULL || n_dims == 0, NULL);

  text = g_string_new ("[");
  for (gsize i = 0; i < n_dims; i++)
    {
      /* A shape from outside that is far too long is for an error's text, which should be short. */
      if (i == 2 * CANDELA_MAX_RANK)
        {
          g_string_append (text, ", …");
          break;
        }
      g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", shape[i]);
    }
  return g_string_free (g_string_append_c (text, ']'), FALSE);
}
