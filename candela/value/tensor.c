/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tensors: a dtype and a layout over a buffer, and what can be read from one.
 * Those who make one (tensor-new.c) have made sure that every element lies within
 * the buffer, so nothing here checks that again. */
#include <candela/value/dtype-private.h>
#include <candela/value/layout-private.h>
#include <candela/value/tensor-private.h>

#include <math.h>
#include <string.h>

struct _CandelaTensor
{
  GObject parent_instance;
  CandelaDType dtype;
  CandelaLayout *layout;
  CandelaBuffer *buffer;
};

G_DEFINE_FINAL_TYPE (CandelaTensor, candela_tensor, G_TYPE_OBJECT)

G_DEFINE_FLAGS_TYPE (CandelaMemoryFlags, candela_memory_flags,
                     G_DEFINE_ENUM_VALUE (CANDELA_MEMORY_READ_ONLY, "read-only"),
                     G_DEFINE_ENUM_VALUE (CANDELA_MEMORY_WRITABLE, "writable"))

enum {
  PROP_DTYPE = 1,
  PROP_LAYOUT,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

/* What a tensor is that was constructed without memory: one without elements. */
static CandelaLayout *empty_layout;
static CandelaBuffer *empty_buffer;

static void
candela_tensor_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  CandelaTensor *tensor = CANDELA_TENSOR (object);

  switch (id)
    {
    case PROP_DTYPE:
      g_value_set_enum (value, tensor->dtype);
      break;
    case PROP_LAYOUT:
      g_value_set_boxed (value, tensor->layout);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
candela_tensor_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  CandelaTensor *tensor = CANDELA_TENSOR (object);

  switch (id)
    {
    case PROP_DTYPE:
      tensor->dtype = g_value_get_enum (value);
      break;
    case PROP_LAYOUT:
      tensor->layout = g_value_dup_boxed (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

gboolean
candela_tensor_count_bytes (CandelaDType dtype, const CandelaLayout *layout, gsize *bytes)
{
  gint64 end;

  candela_layout_get_extent (layout, NULL, &end);
  return g_size_checked_mul (bytes, end, candela_dtype_get_size (dtype));
}

/* What is never freed is not counted, so that threads do not wait for each other. */
static CandelaBuffer *
hold_buffer (CandelaBuffer *buffer)
{
  return buffer == empty_buffer ? buffer : candela_buffer_ref (buffer);
}

static void
release_buffer (CandelaBuffer *buffer)
{
  if (buffer != empty_buffer)
    candela_buffer_unref (buffer);
}

/* g_object_new() knows properties but no memory: zeros where that is possible,
 * else no elements, so that a script that does this gets something whole. */
static void
candela_tensor_constructed (GObject *object)
{
  CandelaTensor *tensor = CANDELA_TENSOR (object);
  gsize bytes;

  G_OBJECT_CLASS (candela_tensor_parent_class)->constructed (object);

  if (tensor->layout != NULL && tensor->dtype != CANDELA_DTYPE_INVALID
      && candela_tensor_count_bytes (tensor->dtype, tensor->layout, &bytes))
    tensor->buffer = candela_buffer_new_zeroed (bytes, NULL);
  if (tensor->buffer == NULL)
    {
      g_clear_pointer (&tensor->layout, candela_layout_unref);
      tensor->layout = candela_layout_ref (empty_layout);
      tensor->buffer = empty_buffer;
    }
}

static void
candela_tensor_finalize (GObject *object)
{
  CandelaTensor *tensor = CANDELA_TENSOR (object);

  candela_layout_unref (tensor->layout);
  release_buffer (tensor->buffer);

  G_OBJECT_CLASS (candela_tensor_parent_class)->finalize (object);
}

static void
candela_tensor_class_init (CandelaTensorClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const gint64 no_elements = 0;

  object_class->get_property = candela_tensor_get_property;
  object_class->set_property = candela_tensor_set_property;
  object_class->constructed = candela_tensor_constructed;
  object_class->finalize = candela_tensor_finalize;

  /**
   * CandelaTensor:dtype:
   *
   * The type of the elements.
   *
   * Since: 1.0
   */
  properties[PROP_DTYPE] =
    g_param_spec_enum ("dtype", "Dtype", "The type of the elements", CANDELA_TYPE_DTYPE, CANDELA_DTYPE_INVALID,
                       G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);

  /**
   * CandelaTensor:layout:
   *
   * Where in the memory the elements are.
   *
   * Since: 1.0
   */
  properties[PROP_LAYOUT] =
    g_param_spec_boxed ("layout", "Layout", "Where in the memory the elements are", CANDELA_TYPE_LAYOUT,
                        G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);

  g_object_class_install_properties (object_class, N_PROPS, properties);

  empty_layout = candela_layout_new (&no_elements, 1, NULL);
  empty_layout->ref_count = CANDELA_LAYOUT_ETERNAL;
  empty_buffer = candela_buffer_new_foreign (NULL, 0, TRUE, NULL, NULL);
}

static void
candela_tensor_init (CandelaTensor *tensor)
{
}

CandelaTensor *
candela_tensor_new_for_buffer (CandelaDType dtype, CandelaLayout *layout, CandelaBuffer *buffer)
{
  CandelaTensor *tensor = g_object_new (CANDELA_TYPE_TENSOR, NULL);

  candela_layout_unref (tensor->layout);
  release_buffer (tensor->buffer);
  tensor->dtype = dtype;
  tensor->layout = candela_layout_ref (layout);
  tensor->buffer = hold_buffer (buffer);
  return tensor;
}

CandelaBuffer *
candela_tensor_get_buffer (CandelaTensor *tensor)
{
  return tensor->buffer;
}

/**
 * candela_tensor_get_dtype:
 * @tensor: a tensor
 *
 * The type of the elements.
 *
 * Returns: the dtype
 *
 * Since: 1.0
 */
CandelaDType
candela_tensor_get_dtype (CandelaTensor *tensor)
{
  g_return_val_if_fail (CANDELA_IS_TENSOR (tensor), CANDELA_DTYPE_INVALID);

  return tensor->dtype;
}

/**
 * candela_tensor_get_layout:
 * @tensor: a tensor
 *
 * Where in the memory the elements are.
 *
 * Returns: (transfer none): the layout
 *
 * Since: 1.0
 */
CandelaLayout *
candela_tensor_get_layout (CandelaTensor *tensor)
{
  g_return_val_if_fail (CANDELA_IS_TENSOR (tensor), NULL);

  return tensor->layout;
}

/**
 * candela_tensor_get_shape:
 * @tensor: a tensor
 * @n_dims: (out) (optional): return location for the number of axes
 *
 * The lengths of the axes.
 *
 * Returns: (array length=n_dims) (transfer none): the shape
 *
 * Since: 1.0
 */
const gint64 *
candela_tensor_get_shape (CandelaTensor *tensor, gsize *n_dims)
{
  g_return_val_if_fail (CANDELA_IS_TENSOR (tensor), NULL);

  return candela_layout_get_shape (tensor->layout, n_dims);
}

/**
 * candela_tensor_get_n_elements:
 * @tensor: a tensor
 *
 * The number of elements.
 *
 * Returns: how many there are
 *
 * Since: 1.0
 */
gint64
candela_tensor_get_n_elements (CandelaTensor *tensor)
{
  g_return_val_if_fail (CANDELA_IS_TENSOR (tensor), 0);

  return tensor->layout->n_elements;
}

/**
 * candela_tensor_get_data:
 * @tensor: a tensor
 *
 * The address of the element at index 0, 0, …; the others are where the layout's
 * strides say, some of them perhaps before it. Valid as long as @tensor lives.
 *
 * Returns: (transfer none): the address
 *
 * Since: 1.0
 */
gconstpointer
candela_tensor_get_data (CandelaTensor *tensor)
{
  g_return_val_if_fail (CANDELA_IS_TENSOR (tensor), NULL);

  return tensor->buffer->data + tensor->layout->offset * candela_dtype_get_size (tensor->dtype);
}

/**
 * candela_tensor_get_writable_data:
 * @tensor: a tensor
 *
 * As candela_tensor_get_data(), for filling a tensor before it is first used.
 * Graphs take a tensor's values as constant.
 *
 * Returns: (transfer none) (nullable): the address; %NULL if the memory is read-only
 *
 * Since: 1.0
 */
gpointer
candela_tensor_get_writable_data (CandelaTensor *tensor)
{
  g_return_val_if_fail (CANDELA_IS_TENSOR (tensor), NULL);

  return tensor->buffer->read_only ? NULL : (gpointer) candela_tensor_get_data (tensor);
}

/**
 * candela_tensor_get_bytes:
 * @tensor: a tensor
 * @error: return location for an error
 *
 * The elements, packed in row-major order. Of a contiguous tensor nothing is
 * copied: the bytes keep its memory alive. For others a copy is made, which gives
 * %CANDELA_ERROR_NO_MEMORY if there is none.
 *
 * Returns: (transfer full): the bytes, or %NULL with @error set
 *
 * Since: 1.0
 */
GBytes *
candela_tensor_get_bytes (CandelaTensor *tensor, GError **error)
{
  gsize item_size;
  gsize bytes;
  CandelaBuffer *packed;

  g_return_val_if_fail (CANDELA_IS_TENSOR (tensor), NULL);

  item_size = candela_dtype_get_size (tensor->dtype);
  if (tensor->layout->contiguous)
    return g_bytes_new_with_free_func (candela_tensor_get_data (tensor), tensor->layout->n_elements * item_size,
                                       (GDestroyNotify) candela_buffer_unref, candela_buffer_ref (tensor->buffer));

  /* A broadcast layout has more elements than its memory. */
  if (!g_size_checked_mul (&bytes, tensor->layout->n_elements, item_size))
    bytes = G_MAXSIZE;
  packed = candela_buffer_new (bytes, error);
  if (packed == NULL)
    return NULL;
  candela_layout_pack (tensor->layout, tensor->buffer->data, item_size, 0, tensor->layout->n_elements, packed->data);
  return g_bytes_new_with_free_func (packed->data, bytes, (GDestroyNotify) candela_buffer_unref, packed);
}

/* Converts one element into out. */
static gboolean
tensor_read (CandelaTensor *tensor, const gint64 *index, gsize n_dims, CandelaDType as, gpointer out, GError **error)
{
  const CandelaLayout *layout = tensor->layout;
  CandelaConvertFunc convert = candela_dtype_get_convert_func (tensor->dtype, as);
  gint64 address = layout->offset;

  if (convert == NULL)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE, "an element of dtype %s cannot be read as %s",
                   candela_dtype_get_name (tensor->dtype), candela_dtype_get_name (as));
      return FALSE;
    }
  if (n_dims != layout->rank)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_AXIS,
                   "an index of %" G_GSIZE_FORMAT " numbers names no element of rank %u", n_dims, layout->rank);
      return FALSE;
    }
  for (gsize i = 0; i < n_dims; i++)
    {
      gint64 at = index[i] < 0 ? index[i] + layout->dims[i] : index[i];

      if (at < 0 || at >= layout->dims[i])
        {
          g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_AXIS,
                       "index %" G_GINT64_FORMAT " is out of range for axis %" G_GSIZE_FORMAT
                       " of length %" G_GINT64_FORMAT,
                       index[i], i, layout->dims[i]);
          return FALSE;
        }
      address += at * layout->strides[i];
    }
  convert (out, tensor->buffer->data + address * (gint64) candela_dtype_get_size (tensor->dtype), 1);
  return TRUE;
}

/**
 * candela_tensor_get_double:
 * @tensor: a tensor
 * @index: (array length=n_dims) (nullable): an index on each axis; negative ones count from the end
 * @n_dims: how many there are: the rank
 * @error: return location for an error
 *
 * One element as a double; bools are 0 and 1, integers rounded to nearest. An
 * index out of range, or for another rank, gives %CANDELA_ERROR_AXIS; a complex
 * element %CANDELA_ERROR_DTYPE.
 *
 * Returns: the element, or NaN with @error set
 *
 * Since: 1.0
 */
double
candela_tensor_get_double (CandelaTensor *tensor, const gint64 *index, gsize n_dims, GError **error)
{
  double value = 0;

  g_return_val_if_fail (CANDELA_IS_TENSOR (tensor), 0);
  g_return_val_if_fail (index != NULL || n_dims == 0, 0);

  if (!tensor_read (tensor, index, n_dims, CANDELA_DTYPE_FLOAT64, &value, error))
    return NAN;
  return value;
}

/**
 * candela_tensor_get_int64:
 * @tensor: a tensor
 * @index: (array length=n_dims) (nullable): an index on each axis; negative ones count from the end
 * @n_dims: how many there are: the rank
 * @error: return location for an error
 *
 * One element as an integer; bools are 0 and 1, floats lose their fraction (NaN
 * and what is out of range give the smallest integer), and uint64 from 2^63 on
 * wraps. Errors are those of candela_tensor_get_double().
 *
 * Returns: the element, or 0 with @error set
 *
 * Since: 1.0
 */
gint64
candela_tensor_get_int64 (CandelaTensor *tensor, const gint64 *index, gsize n_dims, GError **error)
{
  gint64 value = 0;

  g_return_val_if_fail (CANDELA_IS_TENSOR (tensor), 0);
  g_return_val_if_fail (index != NULL || n_dims == 0, 0);

  tensor_read (tensor, index, n_dims, CANDELA_DTYPE_INT64, &value, error);
  return value;
}

/**
 * candela_tensor_to_string:
 * @tensor: a tensor
 *
 * The elements as NumPy's `str()` prints them: nested brackets, columns aligned,
 * and only the corners of a large tensor.
 *
 * Returns: (transfer full): the text
 *
 * Since: 1.0
 */
char *
candela_tensor_to_string (CandelaTensor *tensor)
{
  g_return_val_if_fail (CANDELA_IS_TENSOR (tensor), NULL);

  if (tensor->dtype == CANDELA_DTYPE_INVALID)
    return g_strdup ("[]");
  return candela_format_elements (tensor->dtype, tensor->layout, tensor->buffer->data);
}

/**
 * candela_tensor_to_literal:
 * @tensor: a tensor
 * @indent: how many columns stand before the first line; the others are indented by
 *   as many
 *
 * The elements as NumPy's `repr()` has them between its parentheses: as
 * candela_tensor_to_string(), with commas.
 *
 * Returns: (transfer full): the text
 *
 * Since: 1.0
 */
char *
candela_tensor_to_literal (CandelaTensor *tensor, guint indent)
{
  g_return_val_if_fail (CANDELA_IS_TENSOR (tensor), NULL);
  g_return_val_if_fail (indent <= 64, NULL);

  if (tensor->dtype == CANDELA_DTYPE_INVALID)
    return g_strdup ("[]");
  return candela_format_literal (tensor->dtype, tensor->layout, tensor->buffer->data, indent);
}
