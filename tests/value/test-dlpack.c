/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DLPack's structs, as its header has them: what is in those that are made, what is
 * made of others, and that each deleter is called once. */
#include <candela/candela.h>
#include <candela/value/dlpack.h>

#include <string.h>

typedef struct
{
  void *data;
  gint32 device_type, device_id, ndim;
  guint8 code, bits;
  guint16 lanes;
  gint64 *shape, *strides;
  guint64 byte_offset;
} DLTensor;

typedef struct DLManagedTensor
{
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter) (struct DLManagedTensor *self);
} DLManagedTensor;

typedef struct DLManagedTensorVersioned
{
  guint32 major, minor;
  void *manager_ctx;
  void (*deleter) (struct DLManagedTensorVersioned *self);
  guint64 flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

G_STATIC_ASSERT (sizeof (DLTensor) == 48 && sizeof (DLManagedTensor) == 64 && sizeof (DLManagedTensorVersioned) == 80);

static CandelaTensor *
make_tensor (void)
{
  static const float numbers[] = { 1, 2, 3, 4, 5, 6 };
  const gint64 shape[] = { 2, 3 };
  g_autoptr (GError) error = NULL;
  CandelaTensor *tensor =
    candela_tensor_new_from_data (CANDELA_DTYPE_FLOAT32, shape, 2, (const guint8 *) numbers, sizeof numbers, &error);

  g_assert_no_error (error);
  return tensor;
}

static void
test_out (void)
{
  CandelaTensor *tensor = make_tensor ();
  gpointer weak = tensor;
  g_autoptr (GError) error = NULL;
  DLManagedTensorVersioned *managed = candela_tensor_to_dlpack (tensor, TRUE, FALSE, &error);
  DLManagedTensorVersioned *copy = candela_tensor_to_dlpack (tensor, TRUE, TRUE, &error);
  DLManagedTensor *before = candela_tensor_to_dlpack (tensor, FALSE, FALSE, &error);
  const DLTensor *seen[] = { &managed->dl_tensor, &copy->dl_tensor, &before->dl_tensor };

  g_assert_no_error (error);
  g_object_add_weak_pointer (G_OBJECT (tensor), &weak);
  for (guint i = 0; i < G_N_ELEMENTS (seen); i++)
    {
      g_assert_cmpint (seen[i]->device_type, ==, 1);
      g_assert_cmpint (seen[i]->device_id, ==, 0);
      g_assert_cmpint (seen[i]->ndim, ==, 2);
      g_assert_cmpuint (seen[i]->code, ==, 2);
      g_assert_cmpuint (seen[i]->bits, ==, 32);
      g_assert_cmpuint (seen[i]->lanes, ==, 1);
      g_assert_cmpint (seen[i]->shape[0], ==, 2);
      g_assert_cmpint (seen[i]->shape[1], ==, 3);
      g_assert_cmpint (seen[i]->strides[0], ==, 3);
      g_assert_cmpint (seen[i]->strides[1], ==, 1);
      g_assert_cmpuint (seen[i]->byte_offset, ==, 0);
      g_assert_cmpfloat (((float *) seen[i]->data)[4], ==, 5);
      g_assert_cmpint (seen[i]->data == candela_tensor_get_data (tensor), ==, i != 1);
    }
  g_assert_cmpuint (managed->major, ==, 1);
  g_assert_cmpuint (managed->flags, ==, 1);
  g_assert_cmpuint (copy->flags, ==, 2);

  /* It holds the tensor. */
  g_object_unref (tensor);
  managed->deleter (managed);
  copy->deleter (copy);
  g_assert_nonnull (weak);
  before->deleter (before);
  g_assert_null (weak);
}

static const struct
{
  CandelaDType dtype;
  guint8 code, bits;
} kinds[] = {
  { CANDELA_DTYPE_BOOL, 6, 8 },     { CANDELA_DTYPE_INT8, 0, 8 },       { CANDELA_DTYPE_INT64, 0, 64 },
  { CANDELA_DTYPE_UINT16, 1, 16 },  { CANDELA_DTYPE_FLOAT16, 2, 16 },   { CANDELA_DTYPE_BFLOAT16, 4, 16 },
  { CANDELA_DTYPE_FLOAT64, 2, 64 }, { CANDELA_DTYPE_COMPLEX64, 5, 64 }, { CANDELA_DTYPE_COMPLEX128, 5, 128 },
};

static void
test_dtypes (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaTensor) tensor = candela_tensor_new (kinds[i].dtype, NULL, 0, &error);
      g_autoptr (CandelaTensor) back = NULL;
      DLManagedTensorVersioned *managed = candela_tensor_to_dlpack (tensor, TRUE, FALSE, &error);

      g_assert_cmpuint (managed->dl_tensor.code, ==, kinds[i].code);
      g_assert_cmpuint (managed->dl_tensor.bits, ==, kinds[i].bits);
      back = candela_tensor_new_for_dlpack (managed, TRUE, &error);
      g_assert_no_error (error);
      g_assert_cmpint (candela_tensor_get_dtype (back), ==, kinds[i].dtype);
      g_assert_true (candela_tensor_get_data (back) == candela_tensor_get_data (tensor));
    }
}

/* ---- From others ---- */

static guint n_deleted;

static void
delete_versioned (DLManagedTensorVersioned *managed)
{
  g_assert_nonnull (managed);
  n_deleted++;
}

static void
delete_before (DLManagedTensor *managed)
{
  g_assert_nonnull (managed);
  n_deleted++;
}

static double numbers[] = { 0, 1, 2, 3, 4, 5 };
static gint64 shape[33] = { 2, 3 };
static gint64 backwards[] = { 3, -1 };

/* Over numbers, in rows that are read from their ends. */
static DLManagedTensorVersioned
make_struct (void)
{
  DLManagedTensorVersioned managed = { 1, 1, NULL, delete_versioned, 0, { NULL } };

  managed.dl_tensor = (DLTensor){ numbers, 1, 0, 2, 2, 64, 1, shape, backwards, 2 * sizeof (double) };
  n_deleted = 0;
  return managed;
}

static void
check_read (CandelaTensor *tensor)
{
  static const double wanted[] = { 2, 1, 0, 5, 4, 3 };
  g_autoptr (GError) error = NULL;

  for (gint64 i = 0; i < 6; i++)
    {
      const gint64 index[] = { i / 3, i % 3 };

      g_assert_cmpfloat (candela_tensor_get_double (tensor, index, 2, &error), ==, wanted[i]);
      g_assert_no_error (error);
    }
  g_assert_null (candela_tensor_get_writable_data (tensor));
}

static void
test_in (void)
{
  DLManagedTensorVersioned managed = make_struct ();
  DLManagedTensor before = { managed.dl_tensor, NULL, delete_before };
  g_autoptr (GError) error = NULL;
  CandelaTensor *tensor = candela_tensor_new_for_dlpack (&managed, TRUE, &error);

  g_assert_no_error (error);
  check_read (tensor);
  g_assert_cmpuint (n_deleted, ==, 0);
  g_object_unref (tensor);
  g_assert_cmpuint (n_deleted, ==, 1);

  tensor = candela_tensor_new_for_dlpack (&before, FALSE, &error);
  g_assert_no_error (error);
  check_read (tensor);
  g_object_unref (tensor);
  g_assert_cmpuint (n_deleted, ==, 2);

  /* Packed, and nobody to tell. */
  before.dl_tensor.strides = NULL;
  before.deleter = NULL;
  tensor = candela_tensor_new_for_dlpack (&before, FALSE, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (candela_tensor_get_double (tensor, (gint64[]){ 1, 0 }, 2, &error), ==, 5);
  g_object_unref (tensor);
}

static void
refuse (DLManagedTensorVersioned managed, CandelaError code)
{
  g_autoptr (GError) error = NULL;

  n_deleted = 0;
  g_assert_null (candela_tensor_new_for_dlpack (&managed, TRUE, &error));
  g_assert_error (error, CANDELA_ERROR, (int) code);
  g_assert_cmpuint (n_deleted, ==, 1);
}

static void
test_wrong (void)
{
  static gint64 negative[] = { -1, 3 };
  static gint64 many[] = { G_MAXINT64 / 4, 3 };
  static gint64 far[] = { G_MININT64 / 2, -1 };
  DLManagedTensorVersioned managed = make_struct ();

  managed.major = 2;
  refuse (managed, CANDELA_ERROR_PARAMETER);
  managed = make_struct ();
  managed.dl_tensor.device_type = 2;
  refuse (managed, CANDELA_ERROR_PARAMETER);
  managed = make_struct ();
  managed.dl_tensor.lanes = 4;
  refuse (managed, CANDELA_ERROR_DTYPE);
  managed = make_struct ();
  managed.dl_tensor.bits = 80;
  refuse (managed, CANDELA_ERROR_DTYPE);
  managed = make_struct ();
  managed.dl_tensor.ndim = -1;
  refuse (managed, CANDELA_ERROR_SHAPE);
  managed = make_struct ();
  managed.dl_tensor.strides = NULL;
  managed.dl_tensor.ndim = 33;
  refuse (managed, CANDELA_ERROR_SHAPE);
  managed = make_struct ();
  managed.dl_tensor.shape = negative;
  refuse (managed, CANDELA_ERROR_SHAPE);
  managed.dl_tensor.shape = many;
  refuse (managed, CANDELA_ERROR_SHAPE);
  managed = make_struct ();
  managed.dl_tensor.strides = far;
  managed.dl_tensor.shape = many;
  refuse (managed, CANDELA_ERROR_SHAPE);
  managed = make_struct ();
  managed.dl_tensor.data = NULL;
  refuse (managed, CANDELA_ERROR_SHAPE);
}

static void
test_nothing (void)
{
  static gint64 empty[] = { 0, 3 };
  DLManagedTensorVersioned managed = make_struct ();
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor = NULL;

  managed.dl_tensor.shape = empty;
  managed.dl_tensor.data = NULL;
  tensor = candela_tensor_new_for_dlpack (&managed, TRUE, &error);
  g_assert_no_error (error);
  g_assert_cmpint (candela_tensor_get_n_elements (tensor), ==, 0);
  g_assert_cmpuint (n_deleted, ==, 1);
}

/* ---- Capsules ---- */

typedef struct
{
  const char *name;
  gpointer pointer;
} Capsule;

static int
is_valid (gpointer capsule, const char *name)
{
  return strcmp (((Capsule *) capsule)->name, name) == 0;
}

static gpointer
get_pointer (gpointer capsule, const char *name)
{
  g_assert_true (is_valid (capsule, name));
  return ((Capsule *) capsule)->pointer;
}

static void
test_capsules (void)
{
  void (*destroy) (gpointer capsule) =
    (void (*) (gpointer)) candela_dlpack_get_capsule_destructor ((gpointer) is_valid, (gpointer) get_pointer);
  static const char *const names[] = { "dltensor", "dltensor_versioned", "used_dltensor", "used_dltensor_versioned" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      gboolean versioned = i % 2 != 0;
      g_autoptr (GError) error = NULL;
      CandelaTensor *tensor = make_tensor ();
      gpointer weak = tensor;
      Capsule capsule = { names[i], candela_tensor_to_dlpack (tensor, versioned, FALSE, &error) };

      g_object_add_weak_pointer (G_OBJECT (tensor), &weak);
      g_object_unref (tensor);
      destroy (&capsule);
      g_assert_cmpint (weak == NULL, ==, i < 2);
      if (i >= 2)
        /* Whoever has taken it. */
        g_object_unref (candela_tensor_new_for_dlpack (capsule.pointer, versioned, &error));
      g_assert_null (weak);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/dlpack/out", test_out);
  g_test_add_func ("/dlpack/dtypes", test_dtypes);
  g_test_add_func ("/dlpack/in", test_in);
  g_test_add_func ("/dlpack/wrong", test_wrong);
  g_test_add_func ("/dlpack/nothing", test_nothing);
  g_test_add_func ("/dlpack/capsules", test_capsules);
  return g_test_run ();
}
