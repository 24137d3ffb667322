/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A template: quicksort in vectors of 512 bits, of keys of QUICK_BITS bits.
 *
 * A range is parted at its pivot vector by vector: what is not above goes, compressed,
 * to the front, which has been read; what is above to where it belongs in scratch
 * memory, and back when it is parted or sorted itself. Short ranges are sorted in registers by K. E. Batcher's bitonic network
 * (Sorting Networks and their Applications, 1968). There the low bits of an element's
 * number say the register and the high bits the lane, so that most steps are a minimum
 * and a maximum of whole registers; in the end the bits change places. */

#define NAME(name) PASTE (quick_##name##_, QUICK_BITS)
#define V(name) PASTE (_mm512_##name##_epi, QUICK_BITS)
#define Key PASTE (gint, QUICK_BITS)
#define LARGEST ((Key) (~(PASTE (guint, QUICK_BITS)) 0 >> 1))
#define LANES (512 / QUICK_BITS)
#define LONGEST (16 * LANES)

typedef Key NAME (Lanes) __attribute__ ((vector_size (64)));

static inline __m512i
NAME (swap_lanes) (__m512i v, const guint distance)
{
  return V (permutexvar) ((__m512i) (NAME (numbers) ^ (Key) distance), v);
}

static inline void
NAME (order) (__m512i *a, __m512i *b)
{
  const __m512i least = V (min) (*a, *b);

  *b = V (max) (*a, *b);
  *a = least;
}

/* Each lane against that of the other which it is to be ordered with; the lanes with
 * that bit in their numbers keep the larger. */
static inline __m512i
NAME (order_lanes) (__m512i v, __m512i other, const guint bit)
{
  return V (mask_max) (V (min) (v, other), LANES_WITH (bit), v, other);
}

/* ---- Steps of the network over n registers ---- */

static ALWAYS_INLINE void
NAME (flip_registers) (__m512i *v, const guint n, const guint size)
{
  UNROLL for (guint r = 0; r < n; r++) if ((r & size / 2) == 0) NAME (order) (&v[r], &v[r ^ (size - 1)]);
}

static ALWAYS_INLINE void
NAME (order_registers) (__m512i *v, const guint n, const guint distance)
{
  UNROLL for (guint r = 0; r < n; r++) if ((r & distance) == 0) NAME (order) (&v[r], &v[r ^ distance]);
}

static ALWAYS_INLINE void
NAME (order_all_registers) (__m512i *v, const guint n)
{
  if (n >= 16)
    NAME (order_registers) (v, n, 8);
  if (n >= 8)
    NAME (order_registers) (v, n, 4);
  if (n >= 4)
    NAME (order_registers) (v, n, 2);
  if (n >= 2)
    NAME (order_registers) (v, n, 1);
}

static ALWAYS_INLINE void
NAME (flip_lanes) (__m512i *v, const guint n, const guint size)
{
  __m512i others[16];

  UNROLL for (guint r = 0; r < n; r++) others[r] = NAME (swap_lanes) (v[n - 1 - r], size - 1);
  UNROLL for (guint r = 0; r < n; r++) v[r] = NAME (order_lanes) (v[r], others[r], size / 2);
}

static ALWAYS_INLINE void
NAME (merge_lanes) (__m512i *v, const guint n, const guint distance)
{
  UNROLL for (guint r = 0; r < n; r++) v[r] = NAME (order_lanes) (v[r], NAME (swap_lanes) (v[r], distance), distance);
}

/* A bit of the register's number and one of the lane's change places. */
static ALWAYS_INLINE void
NAME (exchange) (__m512i *v, const guint n, const guint bit, const guint lane_bit)
{
  const NAME (Lanes) second = (NAME (numbers) & (Key) lane_bit) * (Key) (LANES / lane_bit);
  const __m512i low = (__m512i) ((NAME (numbers) & ~(Key) lane_bit) + second);
  const __m512i high = (__m512i) ((NAME (numbers) | (Key) lane_bit) + second);

  UNROLL for (guint r = 0; r < n; r++) if ((r & bit) == 0)
  {
    const __m512i a = v[r], b = v[r | bit];

    v[r] = V (permutex2var) (a, low, b);
    v[r | bit] = V (permutex2var) (a, high, b);
  }
}

/* Where there are more registers than lanes, each as many of them as there are lanes
 * for themselves; they then lie between each other. */
static ALWAYS_INLINE void
NAME (transpose) (__m512i *v, const guint n)
{
  const guint rest = n < LANES ? LANES / n : 1, times = n > LANES ? n / LANES : 1;
  const __m512i turned =
    (__m512i) ((NAME (numbers) & (Key) (n - 1)) * (Key) rest + (NAME (numbers) >> __builtin_ctz (n)));
  __m512i between[16];

  if (n >= 2)
    NAME (exchange) (v, n, 1, rest);
  if (n >= 4)
    NAME (exchange) (v, n, 2, 2 * rest);
  if (n >= 8)
    NAME (exchange) (v, n, 4, 4 * rest);
  if (n >= 16 && LANES >= 16)
    NAME (exchange) (v, n, 8, 8 * rest);
  if (rest > 1 && n > 1)
    UNROLL for (guint r = 0; r < n; r++) v[r] = V (permutexvar) (turned, v[r]);
  if (times == 1)
    return;
  UNROLL for (guint r = 0; r < n; r++) between[r % LANES * times + r / LANES] = v[r];
  UNROLL for (guint r = 0; r < n; r++) v[r] = between[r];
}

static ALWAYS_INLINE void
NAME (sort_registers) (__m512i *v, const guint n)
{
  if (n >= 2)
    NAME (flip_registers) (v, n, 2);
  if (n >= 4)
    {
      NAME (flip_registers) (v, n, 4);
      NAME (order_registers) (v, n, 1);
    }
  if (n >= 8)
    {
      NAME (flip_registers) (v, n, 8);
      NAME (order_registers) (v, n, 2);
      NAME (order_registers) (v, n, 1);
    }
  if (n >= 16)
    {
      NAME (flip_registers) (v, n, 16);
      NAME (order_registers) (v, n, 4);
      NAME (order_registers) (v, n, 2);
      NAME (order_registers) (v, n, 1);
    }
  NAME (flip_lanes) (v, n, 2);
  NAME (order_all_registers) (v, n);
  NAME (flip_lanes) (v, n, 4);
  NAME (merge_lanes) (v, n, 1);
  NAME (order_all_registers) (v, n);
  NAME (flip_lanes) (v, n, 8);
  NAME (merge_lanes) (v, n, 2);
  NAME (merge_lanes) (v, n, 1);
  NAME (order_all_registers) (v, n);
  if (LANES > 8)
    {
      NAME (flip_lanes) (v, n, 16);
      NAME (merge_lanes) (v, n, 4);
      NAME (merge_lanes) (v, n, 2);
      NAME (merge_lanes) (v, n, 1);
      NAME (order_all_registers) (v, n);
    }
  NAME (transpose) (v, n);
}

/* ---- Short ranges ---- */

/* As many keys as there are lanes, or fewer, from register r on. */
static inline guint
NAME (mask) (gsize n, guint r)
{
  return n >= (r + 1) * LANES ? (1u << LANES) - 1 : n > r * LANES ? (1u << (n - r * LANES)) - 1 : 0;
}

static ALWAYS_INLINE void
NAME (sort_block) (const Key *keys, Key *to, gsize n, const guint n_registers)
{
  __m512i v[16];

  UNROLL for (guint r = 0; r < n_registers; r++) v[r] =
    V (mask_loadu) (V (set1) (LARGEST), NAME (mask) (n, r), keys + r * LANES);
  NAME (sort_registers) (v, n_registers);
  UNROLL for (guint r = 0; r < n_registers; r++) V (mask_storeu) (to + r * LANES, NAME (mask) (n, r), v[r]);
}

static void
NAME (sort_1) (const Key *keys, Key *to, gsize n)
{
  NAME (sort_block) (keys, to, n, 1);
}

static void
NAME (sort_4) (const Key *keys, Key *to, gsize n)
{
  NAME (sort_block) (keys, to, n, 4);
}

static void
NAME (sort_8) (const Key *keys, Key *to, gsize n)
{
  NAME (sort_block) (keys, to, n, 8);
}

static void
NAME (sort_16) (const Key *keys, Key *to, gsize n)
{
  NAME (sort_block) (keys, to, n, 16);
}

static void
NAME (sort_short) (const Key *keys, Key *to, gsize n)
{
  if (n <= LANES)
    NAME (sort_1) (keys, to, n);
  else if (n <= 4 * LANES)
    NAME (sort_4) (keys, to, n);
  else if (n <= 8 * LANES)
    NAME (sort_8) (keys, to, n);
  else
    NAME (sort_16) (keys, to, n);
}

/* ---- Long ranges ---- */

typedef struct
{
  Key *low;  /* the end of those at the front */
  Key *high; /* the beginning of the others, elsewhere */
} NAME (Parting);

/* All up to the end of the vector has been read: a whole one may be stored. */
static ALWAYS_INLINE void
NAME (part_vector) (NAME (Parting) * parting, __m512i v, __m512i pivots, const gboolean below)
{
  const guint above = below ? MASK (cmpge) (v, pivots) : MASK (cmpgt) (v, pivots);
  const guint n_above = (guint) __builtin_popcount (above);

  _mm512_storeu_si512 (parting->low, V (maskz_compress) (~above, v));
  parting->low += LANES - n_above;
  parting->high -= n_above;
  V (mask_storeu) (parting->high, (1u << n_above) - 1, V (maskz_compress) (above, v));
}

/* Those not above the pivot, or only those below it, to the front; the others to the
 * end of the range in other memory. How many the former are. */
static ALWAYS_INLINE gsize
NAME (part) (Key *keys, Key *other, gsize n, Key pivot, const gboolean below)
{
  const __m512i pivots = V (set1) (pivot);
  NAME (Parting) parting = { keys, other + n };
  gsize i = 0;

  for (; i + 4 * LANES <= n; i += 4 * LANES)
    {
      __m512i v[4];

      UNROLL for (guint k = 0; k < 4; k++) v[k] = _mm512_loadu_si512 (keys + i + k * LANES);
      UNROLL for (guint k = 0; k < 4; k++) NAME (part_vector) (&parting, v[k], pivots, below);
    }
  for (; i + LANES <= n; i += LANES)
    NAME (part_vector) (&parting, _mm512_loadu_si512 (keys + i), pivots, below);
  for (; i < n; i++)
    if (below ? keys[i] >= pivot : keys[i] > pivot)
      *--parting.high = keys[i];
    else
      *parting.low++ = keys[i];
  return (gsize) (parting.low - keys);
}

static gsize
NAME (part_above) (Key *keys, Key *other, gsize n, Key pivot)
{
  return NAME (part) (keys, other, n, pivot, FALSE);
}

static gsize
NAME (part_below) (Key *keys, Key *other, gsize n, Key pivot)
{
  return NAME (part) (keys, other, n, pivot, TRUE);
}

/* The median of a sample. */
static Key
NAME (pivot) (const Key *keys, gsize n)
{
  Key sample[4 * LANES];
  gsize n_sample = n < 16 * LONGEST ? LANES : 4 * LANES;

  for (gsize i = 0; i < n_sample; i++)
    sample[i] = keys[n / n_sample * i + n / n_sample / 2];
  NAME (sort_short) (sample, sample, n_sample);
  return sample[n_sample / 2];
}

/* Where the pivots were bad again and again: in n log n steps whatever the keys are. */
static void
NAME (heap) (Key *keys, gsize n)
{
  for (gsize first = n / 2, end = n; end > 1;)
    {
      gsize at, child;
      Key key;

      if (first > 0)
        at = --first;
      else
        {
          at = 0;
          end--;
          key = keys[end];
          keys[end] = keys[0];
          keys[0] = key;
        }
      for (key = keys[at]; (child = 2 * at + 1) < end; at = child)
        {
          child += child + 1 < end && keys[child] < keys[child + 1];
          if (key >= keys[child])
            break;
          keys[at] = keys[child];
        }
      keys[at] = key;
    }
}

/* A range, which is to be sorted where it is, or else in the other memory. */
static gboolean
NAME (sort) (Key *keys, Key *other, gsize n, gsize wanted, gboolean here, guint depth, GCancellable *cancellable)
{
  while (n > LONGEST)
    {
      const Key pivot = NAME (pivot) (keys, n);
      gsize low;

      if (n > CANCEL_KEYS && g_cancellable_is_cancelled (cancellable))
        return FALSE;
      if (depth-- == 0)
        {
          NAME (heap) (keys, n);
          if (!here)
            memcpy (other, keys, n * sizeof *keys);
          return TRUE;
        }
      low = NAME (part_above) (keys, other, n, pivot);
      if (low == n)
        {
          /* None is above the pivot: those equal to it are in order. */
          low = NAME (part_below) (keys, other, n, pivot);
          if (here)
            memcpy (keys + low, other + low, (n - low) * sizeof *keys);
        }
      else if (low < wanted && !NAME (sort) (other + low, keys + low, n - low, wanted - low, !here, depth, cancellable))
        return FALSE;
      n = low;
    }
  NAME (sort_short) (keys, here ? keys : other, n);
  return TRUE;
}

gboolean
SORT_KEYS (Key *keys, gsize n, gsize wanted, gpointer scratch, GCancellable *cancellable)
{
  return NAME (sort) (keys, scratch, n, wanted, TRUE, 4 * g_bit_storage (n), cancellable);
}

#undef NAME
#undef V
#undef MASK
#undef SORT_KEYS
#undef Key
#undef LARGEST
#undef LANES
#undef LONGEST
#undef QUICK_BITS
