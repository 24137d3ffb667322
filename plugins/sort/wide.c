/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Keys of 64 bits of elements of any dtype, complex ones too: for what is equal the same
 * key. The order is that of sort; complex numbers go by their real parts and then by
 * their imaginary ones. The two keys of a complex64 make one; those of a complex128
 * remain two. */
#include "sort.h"

/* Elements that are packed at a time. */
#define PACKED 512

static gboolean
is_complex (CandelaDType dtype)
{
  return candela_dtype_get_kind (dtype) == CANDELA_DTYPE_KIND_COMPLEX;
}

gboolean
sort_has_wide_keys (CandelaDType dtype)
{
  return is_complex (dtype) || sort_set->to_keys[dtype] != NULL;
}

gboolean
sort_wide_has_minor (CandelaDType dtype)
{
  return dtype == CANDELA_DTYPE_COMPLEX128;
}

static void
keys_of_real (CandelaDType dtype, gconstpointer elements, gsize n, gint64 *keys)
{
  gint32 narrow[PACKED];

  if (candela_dtype_get_size (dtype) > 4)
    {
      sort_set->to_keys[dtype](keys, elements, n, FALSE);
      return;
    }
  sort_set->to_keys[dtype](narrow, elements, n, FALSE);
  for (gsize i = 0; i < n; i++)
    keys[i] = narrow[i];
}

gboolean
sort_get_nan_key (CandelaDType dtype, gint64 *key)
{
  const guint64 ones = G_MAXUINT64;

  *key = G_MAXINT64;
  if (candela_dtype_get_kind (dtype) == CANDELA_DTYPE_KIND_FLOAT)
    keys_of_real (dtype, &ones, 1, key);
  return (candela_dtype_get_kind (dtype) & (CANDELA_DTYPE_KIND_FLOAT | CANDELA_DTYPE_KIND_COMPLEX)) != 0;
}

/* A number with a NaN in it has the largest key. */
#define COMPLEX_KEYS(name, part_type, dtype, key_type, largest, ...)                                                   \
  static void keys_of_##name (gconstpointer elements, gsize n, gint64 *keys, gint64 *minor)                            \
  {                                                                                                                    \
    const part_type *x = elements;                                                                                     \
    part_type part[PACKED];                                                                                            \
    key_type re[PACKED], im[PACKED];                                                                                   \
                                                                                                                       \
    for (gsize i = 0; i < n; i++)                                                                                      \
      part[i] = x[2 * i];                                                                                              \
    sort_set->to_keys[dtype](re, part, n, FALSE);                                                                      \
    for (gsize i = 0; i < n; i++)                                                                                      \
      part[i] = x[2 * i + 1];                                                                                          \
    sort_set->to_keys[dtype](im, part, n, FALSE);                                                                      \
    for (gsize i = 0; i < n; i++)                                                                                      \
      {                                                                                                                \
        const gboolean nan = re[i] == largest || im[i] == largest;                                                     \
                                                                                                                       \
        __VA_ARGS__                                                                                                    \
      }                                                                                                                \
  }

COMPLEX_KEYS (complex64, float, CANDELA_DTYPE_FLOAT32, gint32, G_MAXINT32,
              keys[i] = nan ? G_MAXINT64 : (gint64) re[i] * ((gint64) 1 << 32) + ((gint64) im[i] - G_MININT32);)
COMPLEX_KEYS (complex128, double, CANDELA_DTYPE_FLOAT64, gint64, G_MAXINT64, keys[i] = nan ? G_MAXINT64 : re[i];
              minor[i] = nan ? 0 : im[i];)

void
sort_pack_wide_keys (const CandelaKernel *kernel, guint input, CandelaDType dtype, gint64 start, gsize n, gint64 *keys,
                     gint64 *minor)
{
  guint64 elements[2 * PACKED];

  for (gsize done = 0, part; done < n; done += part)
    {
      part = MIN (n - done, PACKED);
      candela_kernel_pack_input (kernel, input, dtype, start + (gint64) done, part, elements);
      if (dtype == CANDELA_DTYPE_COMPLEX64)
        keys_of_complex64 (elements, part, keys + done, NULL);
      else if (dtype == CANDELA_DTYPE_COMPLEX128)
        keys_of_complex128 (elements, part, keys + done, minor + done);
      else
        keys_of_real (dtype, elements, part, keys + done);
    }
}

/* By the minor keys and then by the major ones, which leaves those that are equal as
 * they lie. */
gboolean
sort_order_wide (const gint64 *keys, const gint64 *minor, gint64 *numbers, gint64 *packed, gint64 *scratch, gsize n,
                 GCancellable *cancellable)
{
  SortOrderer orderer = { minor, packed, scratch, cancellable };

  for (gsize i = 0; i < n; i++)
    numbers[i] = (gint64) i;
  if (minor != NULL && !sort_order_numbers (&orderer, numbers, packed, n))
    return FALSE;
  orderer.keys = keys;
  return sort_order_numbers (&orderer, numbers, packed, n);
}
