/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DLPack, the structs by which array libraries in one process exchange memory
 * without a copy (https://dmlc.github.io/dlpack), as version 1.0 has them and as
 * they were before: for others, and from them. What is called when nobody reads
 * the memory any more is C on both sides, so that it may come on any thread, while
 * a language handles an error, and after its interpreter has ended. */
#include <candela/value/dlpack.h>
#include <candela/value/tensor-private.h>

/* The ABI of DLPack's header. */
enum {
  DEVICE_CPU = 1,
  CODE_INT = 0,
  CODE_UINT = 1,
  CODE_FLOAT = 2,
  CODE_BFLOAT = 4,
  CODE_COMPLEX = 5,
  CODE_BOOL = 6,
  FLAG_READ_ONLY = 1 << 0,
  FLAG_IS_COPIED = 1 << 1
};

typedef struct
{
  gpointer data;
  struct
  {
    gint32 type;
    gint32 id;
  } device;
  gint32 n_dims;
  struct
  {
    guint8 code;
    guint8 bits;
    guint16 lanes;
  } dtype;
  gint64 *shape;
  gint64 *strides;
  guint64 byte_offset;
} DLTensor;

typedef struct Unversioned Unversioned;
struct Unversioned
{
  DLTensor tensor;
  gpointer context;
  void (*deleter) (Unversioned *managed);
};

typedef struct Versioned Versioned;
struct Versioned
{
  guint32 major;
  guint32 minor;
  gpointer context;
  void (*deleter) (Versioned *managed);
  guint64 flags;
  DLTensor tensor;
};

static guint8
get_code (CandelaDType dtype)
{
  if (dtype == CANDELA_DTYPE_BFLOAT16)
    return CODE_BFLOAT;
  switch (candela_dtype_get_kind (dtype))
    {
    case CANDELA_DTYPE_KIND_BOOL:
      return CODE_BOOL;
    case CANDELA_DTYPE_KIND_SIGNED:
      return CODE_INT;
    case CANDELA_DTYPE_KIND_UNSIGNED:
      return CODE_UINT;
    case CANDELA_DTYPE_KIND_FLOAT:
      return CODE_FLOAT;
    case CANDELA_DTYPE_KIND_COMPLEX:
      return CODE_COMPLEX;
    }
  return G_MAXUINT8;
}

/* ---- For others ---- */

static void
unversioned_delete (Unversioned *managed)
{
  g_object_unref (managed->context);
  g_free (managed);
}

static void
versioned_delete (Versioned *managed)
{
  g_object_unref (managed->context);
  g_free (managed);
}

/* Shape and strides are the layout's own, which lives as long as the tensor. */
static void
fill (DLTensor *out, CandelaTensor *tensor)
{
  CandelaLayout *layout = candela_tensor_get_layout (tensor);
  CandelaDType dtype = candela_tensor_get_dtype (tensor);
  gsize n_dims;

  if (candela_tensor_get_n_elements (tensor) > 0)
    out->data = (gpointer) candela_tensor_get_data (tensor);
  out->device.type = DEVICE_CPU;
  out->shape = (gint64 *) candela_layout_get_shape (layout, &n_dims);
  out->strides = (gint64 *) candela_layout_get_strides (layout, &n_dims);
  out->n_dims = (gint32) n_dims;
  out->dtype.code = get_code (dtype);
  out->dtype.bits = (guint8) (8 * candela_dtype_get_size (dtype));
  out->dtype.lanes = 1;
}

static CandelaTensor *
tensor_copy (CandelaTensor *tensor, GError **error)
{
  g_autoptr (GBytes) bytes = candela_tensor_get_bytes (tensor, error);
  const gint64 *shape;
  gsize n_dims, n_bytes;

  if (bytes == NULL)
    return NULL;
  shape = candela_tensor_get_shape (tensor, &n_dims);
  return candela_tensor_new_from_data (candela_tensor_get_dtype (tensor), shape, n_dims,
                                       g_bytes_get_data (bytes, &n_bytes), g_bytes_get_size (bytes), error);
}

/**
 * candela_tensor_to_dlpack:
 * @tensor: a tensor
 * @versioned: whether as DLPack 1.0 has it, and not as it was before
 * @copy: whether it is to be of memory of its own
 * @error: return location for an error
 *
 * A tensor as a `DLManagedTensorVersioned`, or a `DLManagedTensor`, of
 * [DLPack](https://dmlc.github.io/dlpack/latest/c_api.html), over the tensor's own
 * memory or a copy. It holds what it needs until whoever takes it calls its
 * `deleter`, once and on any thread. Memory that is not a copy is read-only; only a
 * struct of version 1.0 can say so.
 *
 * Errors: those of candela_tensor_get_bytes() and candela_tensor_new_from_data() for
 * a copy, else none.
 *
 * Returns: (transfer none): the struct's address, or %NULL with @error set
 *
 * Since: 1.0
 */
gpointer
candela_tensor_to_dlpack (CandelaTensor *tensor, gboolean versioned, gboolean copy, GError **error)
{
  g_autoptr (CandelaTensor) held = NULL;
  Unversioned *before;
  Versioned *managed;

  g_return_val_if_fail (CANDELA_IS_TENSOR (tensor), NULL);

  held = copy ? tensor_copy (tensor, error) : g_object_ref (tensor);
  if (held == NULL)
    return NULL;
  if (!versioned)
    {
      before = g_new0 (Unversioned, 1);
      fill (&before->tensor, held);
      before->deleter = unversioned_delete;
      before->context = g_steal_pointer (&held);
      return before;
    }
  managed = g_new0 (Versioned, 1);
  managed->major = 1;
  managed->flags = copy ? FLAG_IS_COPIED : FLAG_READ_ONLY;
  fill (&managed->tensor, held);
  managed->deleter = versioned_delete;
  managed->context = g_steal_pointer (&held);
  return managed;
}

/* ---- From others ---- */

static void
unversioned_release (gpointer data)
{
  Unversioned *managed = data;

  if (managed->deleter != NULL)
    managed->deleter (managed);
}

static void
versioned_release (gpointer data)
{
  Versioned *managed = data;

  if (managed->deleter != NULL)
    managed->deleter (managed);
}

static CandelaDType
find_dtype (const DLTensor *tensor, GError **error)
{
  for (CandelaDType dtype = CANDELA_DTYPE_BOOL; dtype < CANDELA_N_DTYPES; dtype++)
    if (tensor->dtype.code == get_code (dtype) && tensor->dtype.bits == 8 * candela_dtype_get_size (dtype)
        && tensor->dtype.lanes == 1)
      return dtype;
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE, "DLPack: kind %u of %u bits, %u at once, is no dtype",
               tensor->dtype.code, tensor->dtype.bits, tensor->dtype.lanes);
  return CANDELA_DTYPE_INVALID;
}

/* The layout from the lowest address on; what is there before the first element, in elements. */
static CandelaLayout *
make_layout (const DLTensor *tensor, gint64 *before, GError **error)
{
  gsize n_dims = (gsize) tensor->n_dims;

  *before = 0;
  if (tensor->strides == NULL)
    return candela_layout_new (tensor->shape, n_dims, error);
  for (gsize i = 0; i < n_dims; i++)
    {
      gint64 reach;

      if (tensor->shape[i] > 1 && tensor->strides[i] < 0
          && (__builtin_mul_overflow (tensor->shape[i] - 1, tensor->strides[i], &reach)
              || __builtin_sub_overflow (*before, reach, before)))
        {
          g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE, "DLPack: axis %" G_GSIZE_FORMAT " reaches too far",
                       i);
          return NULL;
        }
    }
  return candela_layout_new_strided (tensor->shape, n_dims, tensor->strides, n_dims, *before, error);
}

/**
 * candela_tensor_new_for_dlpack:
 * @managed: the address of a struct of DLPack
 * @versioned: whether it is a `DLManagedTensorVersioned`, and not a `DLManagedTensor`
 * @error: return location for an error
 *
 * A read-only tensor over memory that somebody gives as
 * [DLPack](https://dmlc.github.io/dlpack/latest/c_api.html). The struct is taken:
 * its `deleter` is called once, on any thread, when the memory is no longer needed, or
 * at once if there is an error, or nothing in it, or its elements are not aligned and so
 * have been copied. A version above 1 and a device that is not the CPU give
 * %CANDELA_ERROR_PARAMETER, elements of no dtype %CANDELA_ERROR_DTYPE, a wrong shape
 * %CANDELA_ERROR_SHAPE.
 *
 * Returns: (transfer full): the tensor, or %NULL with @error set
 *
 * Since: 1.0
 */
CandelaTensor *
candela_tensor_new_for_dlpack (gpointer managed, gboolean versioned, GError **error)
{
  GDestroyNotify release = versioned ? versioned_release : unversioned_release;
  const DLTensor *tensor;
  g_autoptr (CandelaLayout) layout = NULL;
  CandelaDType dtype = CANDELA_DTYPE_INVALID;
  gint64 before = 0;
  gsize n_bytes = 0;

  g_return_val_if_fail (managed != NULL, NULL);

  tensor = versioned ? &((Versioned *) managed)->tensor : &((Unversioned *) managed)->tensor;
  if (versioned && ((Versioned *) managed)->major > 1)
    g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER, "DLPack: version %u is not known",
                 ((Versioned *) managed)->major);
  else if (tensor->device.type != DEVICE_CPU)
    g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER, "DLPack: device %d is not the CPU, %d",
                 tensor->device.type, DEVICE_CPU);
  else if (tensor->n_dims < 0)
    g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE, "DLPack: %d axes", tensor->n_dims);
  else
    dtype = find_dtype (tensor, error);
  if (dtype != CANDELA_DTYPE_INVALID)
    layout = make_layout (tensor, &before, error);
  if (layout == NULL)
    {
      release (managed);
      return NULL;
    }
  /* What cannot be counted is refused below. */
  if (!candela_tensor_count_bytes (dtype, layout, &n_bytes))
    n_bytes = G_MAXSIZE;
  if (n_bytes == 0 || tensor->data == NULL)
    {
      release (managed);
      return candela_tensor_new_foreign (dtype, layout, NULL, 0, CANDELA_MEMORY_READ_ONLY, NULL, NULL, error);
    }
  return candela_tensor_new_foreign (
    dtype, layout, (guint8 *) tensor->data + tensor->byte_offset - before * (gint64) candela_dtype_get_size (dtype),
    n_bytes, CANDELA_MEMORY_READ_ONLY, release, managed, error);
}

/* ---- Python's wrapping of it ---- */

typedef int (*IsValid) (gpointer capsule, const char *name);
typedef gpointer (*GetPointer) (gpointer capsule, const char *name);

static gpointer capsule_is_valid;
static gpointer capsule_get_pointer;

/* Whoever takes what is in a capsule renames it. */
static void
capsule_destroy (gpointer capsule)
{
  IsValid is_valid = (IsValid) g_atomic_pointer_get (&capsule_is_valid);
  GetPointer get_pointer = (GetPointer) g_atomic_pointer_get (&capsule_get_pointer);

  if (is_valid (capsule, "dltensor"))
    unversioned_release (get_pointer (capsule, "dltensor"));
  else if (is_valid (capsule, "dltensor_versioned"))
    versioned_release (get_pointer (capsule, "dltensor_versioned"));
}

/**
 * candela_dlpack_get_capsule_destructor:
 * @is_valid: the address of `PyCapsule_IsValid()`
 * @get_pointer: the address of `PyCapsule_GetPointer()`
 *
 * The destructor for [the capsules](https://dmlc.github.io/dlpack/latest/python_spec.html)
 * in which Python hands over what candela_tensor_to_dlpack() gives: it calls the deleter
 * of what nobody has taken. It is not written in Python, since a capsule may go while an
 * exception is on its way, which a function of Python would lose. The library knows
 * nothing of Python, so that it is given Python's functions.
 *
 * Returns: (transfer none): the address of a function over a capsule
 *
 * Since: 1.0
 */
gpointer
candela_dlpack_get_capsule_destructor (gpointer is_valid, gpointer get_pointer)
{
  g_return_val_if_fail (is_valid != NULL && get_pointer != NULL, NULL);

  g_atomic_pointer_set (&capsule_is_valid, is_valid);
  g_atomic_pointer_set (&capsule_get_pointer, get_pointer);
  return (gpointer) capsule_destroy;
}
