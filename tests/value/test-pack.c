/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packing against a walk by index: every element is where its index and the
 * strides say. */
#include <candela/value/copy-private.h>

#include <string.h>

#define MAX_RANK 6

static const gsize sizes[] = { 1, 2, 4, 8, 16 };

/* A layout, its source with nothing behind it, and the same elements packed. */
typedef struct
{
  CandelaLayout *layout;
  gsize size;
  guint8 *source;
  guint8 *packed;
  char *text;
} Case;

static gint64
address_of (const CandelaLayout *layout, gint64 flat)
{
  gint64 address = layout->offset;

  for (guint i = layout->rank; i-- > 0;)
    {
      address += flat % layout->dims[i] * layout->strides[i];
      flat /= layout->dims[i];
    }
  return address;
}

static void
case_init (Case *c, const gint64 *shape, const gint64 *strides, guint rank, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  gint64 offset = 0, end;

  for (guint i = 0; i < rank; i++)
    {
      g_string_append_printf (text, " %" G_GINT64_FORMAT ":%" G_GINT64_FORMAT, shape[i], strides[i]);
      if (strides[i] < 0 && shape[i] > 0)
        offset -= (shape[i] - 1) * strides[i];
    }
  c->size = size;
  c->layout = candela_layout_new_strided (shape, rank, strides, rank, offset, &error);
  g_assert_no_error (error);
  candela_layout_get_extent (c->layout, NULL, &end);
  c->source = g_malloc (MAX (end, 1) * size);
  for (gsize i = 0; i < end * size; i++)
    c->source[i] = g_test_rand_int ();
  c->packed = g_malloc (MAX (c->layout->n_elements, 1) * size);
  for (gint64 flat = 0; flat < c->layout->n_elements; flat++)
    memcpy (c->packed + flat * size, c->source + address_of (c->layout, flat) * size, size);
  c->text = g_strdup_printf ("size %zu, shape:strides%s", size, text->str);
}

static void
case_clear (Case *c)
{
  candela_layout_unref (c->layout);
  g_free (c->source);
  g_free (c->packed);
  g_free (c->text);
}

static void
check_range (const Case *c, const CandelaPackWalk *walk, gint64 start, gsize n)
{
  const gsize bytes = n * c->size;
  g_autofree guint8 *out = g_malloc (bytes + 1);
  const guint8 *data = c->source + c->layout->offset * c->size;
  const guint8 *read;

  out[bytes] = 0x55;
  candela_pack_walk_run (walk, data, start, n, out);
  if (memcmp (out, c->packed + start * c->size, bytes) != 0)
    g_error ("%s: %zu from %" G_GINT64_FORMAT " on", c->text, n, start);
  g_assert_cmpint (out[bytes], ==, 0x55);

  read = n > 0 ? candela_pack_walk_read (walk, data, start, n, out) : NULL;
  if (read != NULL && memcmp (read, c->packed + start * c->size, bytes) != 0)
    g_error ("%s: reading %zu from %" G_GINT64_FORMAT " on", c->text, n, start);
}

/* Ranges at random, those that whole axes make, and all of it; of few elements every
 * range that there is. */
static void
check_case (const Case *c)
{
  gint64 n = c->layout->n_elements;
  CandelaPackWalk walk;

  candela_pack_walk_init (&walk, c->layout, c->size);
  check_range (c, &walk, 0, n);
  if (n <= 24)
    {
      for (gint64 start = 0; start < n; start++)
        for (gint64 end = start; end <= n; end++)
          check_range (c, &walk, start, end - start);
      return;
    }
  for (guint round = 0; round < 3; round++)
    {
      gint64 start = g_test_rand_int_range (0, n);

      check_range (c, &walk, start, g_test_rand_int_range (0, n - start) + 1);
    }
  for (gint64 step = 1, i = c->layout->rank; i-- > 1 && step <= n / 2;)
    {
      step *= c->layout->dims[i];
      check_range (c, &walk, step, n - step);
      check_range (c, &walk, 0, n - step);
      check_range (c, &walk, step - 1, n - step);
    }
}

/* Axes that lie in memory in any order, some of them reversed, with gaps, or of
 * stride 0. */
static void
make_strides (const gint64 *shape, guint rank, gint64 *strides)
{
  guint order[MAX_RANK];
  gint64 stride = g_test_rand_int_range (0, 4) == 0 ? 2 : 1;

  for (guint i = 0; i < rank; i++)
    order[i] = i;
  for (guint i = rank; i-- > 1;)
    {
      guint j = g_test_rand_int_range (0, 3) == 0 ? i : (guint) g_test_rand_int_range (0, i + 1);
      guint axis = order[i];

      order[i] = order[j];
      order[j] = axis;
    }
  for (guint i = rank; i-- > 0;)
    {
      strides[order[i]] = g_test_rand_int_range (0, 5) == 0 ? 0 : stride;
      if (strides[order[i]] != 0)
        stride *= MAX (shape[order[i]], 1);
      if (g_test_rand_int_range (0, 5) == 0)
        strides[order[i]] *= -1;
      if (g_test_rand_int_range (0, 6) == 0)
        stride += g_test_rand_int_range (0, 3);
    }
}

static void
test_random (void)
{
  for (guint round = 0; round < (g_test_slow () ? 100000 : 2000); round++)
    {
      guint rank = g_test_rand_int_range (0, MAX_RANK + 1);
      gint64 shape[MAX_RANK], strides[MAX_RANK];
      gint64 most = 6000;
      Case c;

      for (guint i = 0; i < rank; i++)
        {
          gint64 limit = g_test_rand_int_range (0, 3) == 0 ? most : MIN (most, 6);

          shape[i] = g_test_rand_int_range (0, 100) == 0 ? 0 : g_test_rand_int_range (0, limit) + 1;
          most = MAX (most / MAX (shape[i], 1), 1);
        }
      make_strides (shape, rank, strides);
      case_init (&c, shape, strides, rank, sizes[round % G_N_ELEMENTS (sizes)]);
      check_case (&c);
      case_clear (&c);
    }
}

/* The patterns with loops of their own, with edges around each length of a vector
 * and of a cache line. */
static void
test_planes (void)
{
  static const gint64 lengths[] = { 1, 2, 3, 4, 7, 8, 9, 16, 17, 31, 64, 65, 130 };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
      for (guint j = 0; j < G_N_ELEMENTS (lengths); j++)
        {
          const gint64 rows = lengths[i], columns = lengths[j];
          const gint64 shape[3] = { 2, rows, columns };
          const gint64 strides[][3] = {
            { rows, 1, 0 },                           /* each row's value */
            { columns, 0, 1 },                        /* the same row */
            { rows * columns, 1, rows },              /* transposed */
            { rows * columns, -1, rows },             /* and reversed, either way */
            { rows * columns, 1, -rows },             /**/
            { 2 * rows * columns, 2, 2 * rows },      /* a slice, transposed */
            { 2 * rows * columns, 2 * columns, 2 },   /* a slice */
            { -rows * columns, -columns, -1 },        /* reversed */
            { rows * columns, columns, -1 },          /* rows reversed */
            { 1, 2, 2 * rows },                       /* transposed, the first axis nearest */
            { (columns + 3) * rows, columns + 3, 1 }, /* rows with gaps */
            { 0, 1, rows },                           /* one transposed, twice */
            { 1, 0, 2 },                              /**/
            { 1, 0, 0 },                              /**/
          };

          for (guint k = 0; k < G_N_ELEMENTS (strides); k++)
            {
              Case c;

              case_init (&c, shape, strides[k], 3, sizes[s]);
              check_case (&c);
              case_clear (&c);
            }
        }
}

/* A batch of small matrices, where the batch is the longest axis. */
static void
test_small_planes (void)
{
  const gint64 shape[3] = { 501, 2, 3 };
  const gint64 strides[][3] = { { 6, 1, 2 }, { -6, 1, 2 }, { 3, 0, 1 }, { 2, 1, 0 }, { 8, 4, 1 }, { 0, 1, 2 } };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (guint k = 0; k < G_N_ELEMENTS (strides); k++)
      {
        Case c;

        case_init (&c, shape, strides[k], 3, sizes[s]);
        check_case (&c);
        case_clear (&c);
      }
}

/* By hand: [[0], [1], [2]] over four columns, [0, 1, 2, 3] over three rows. */
static void
test_broadcast (void)
{
  static const gint32 numbers[] = { 0, 1, 2, 3 };
  static const gint32 down[] = { 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2 };
  static const gint32 across[] = { 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3 };
  const gint64 shape[2] = { 3, 4 };
  const gint64 column[2] = { 3, 1 };
  const gint64 row = 4;
  g_autoptr (CandelaLayout) columns = candela_layout_new (column, 2, NULL);
  g_autoptr (CandelaLayout) rows = candela_layout_new (&row, 1, NULL);
  g_autoptr (CandelaLayout) one = candela_layout_new (NULL, 0, NULL);
  g_autoptr (CandelaLayout) down_layout = candela_layout_broadcast (columns, shape, 2, NULL);
  g_autoptr (CandelaLayout) across_layout = candela_layout_broadcast (rows, shape, 2, NULL);
  g_autoptr (CandelaLayout) one_layout = candela_layout_broadcast (one, shape, 2, NULL);
  CandelaPackWalk walk;
  gint32 out[12];

  candela_pack_walk_init (&walk, down_layout, 4);
  candela_pack_walk_run (&walk, numbers, 0, 12, out);
  g_assert_cmpmem (out, sizeof out, down, sizeof down);
  candela_pack_walk_run (&walk, numbers, 3, 7, out);
  g_assert_cmpmem (out, 7 * 4, down + 3, 7 * 4);

  candela_pack_walk_init (&walk, across_layout, 4);
  candela_pack_walk_run (&walk, numbers, 0, 12, out);
  g_assert_cmpmem (out, sizeof out, across, sizeof across);
  g_assert_true (candela_pack_walk_read (&walk, numbers, 5, 3, out) == numbers + 1);
  g_assert_true (candela_pack_walk_read (&walk, numbers, 5, 4, out) == out);

  candela_pack_walk_init (&walk, one_layout, 4);
  candela_pack_walk_run (&walk, numbers + 2, 1, 9, out);
  for (guint i = 0; i < 9; i++)
    g_assert_cmpint (out[i], ==, 2);
}

/* Packed copies in pieces, made in an order at random, to any alignment, stored past
 * the caches and not. */
static void
check_copy (const Case *c, gsize stream_from, gsize misalignment)
{
  const gint64 one = 1;
  gint64 n = c->layout->n_elements;
  gsize bytes = n * c->size;
  g_autoptr (CandelaLayout) dest = candela_layout_new_strided (&n, 1, &one, 1, 3, NULL);
  g_autofree guint8 *memory = g_malloc0 (misalignment + 3 * c->size + bytes + 1);
  guint8 *out = memory + misalignment + 3 * c->size;
  g_autofree guint64 *order = NULL;
  CandelaCopy copy;
  guint64 n_pieces = candela_copy_init (&copy, memory + misalignment, dest, c->source, c->layout, c->size, stream_from);

  order = g_new (guint64, MAX (n_pieces, 1));
  for (guint64 i = 0; i < n_pieces; i++)
    {
      guint64 j = g_test_rand_int_range (0, i + 1);

      order[i] = order[j];
      order[j] = i;
    }
  for (guint64 i = 0; i < n_pieces; i++)
    candela_copy_piece (order[i], &copy);
  if (memcmp (out, c->packed, bytes) != 0)
    g_error ("%s: copied in %" G_GUINT64_FORMAT " pieces", c->text, n_pieces);
  g_assert_cmpint (out[-1], ==, 0);
  g_assert_cmpint (out[bytes], ==, 0);
}

static void
test_copies (void)
{
  static const struct
  {
    gint64 shape[3], strides[3];
  } cases[] = {
    { { 1, 512, 1024 }, { 0, 1, 512 } },    /* transposed */
    { { 1, 301, 700 }, { 0, 1, 301 } },     /* with edges */
    { { 1, 1100, 301 }, { 0, -1, 1103 } },  /* rows reversed */
    { { 1, 301, 1100 }, { 0, 1, -303 } },   /* columns reversed */
    { { 5, 200, 300 }, { 60000, 1, 200 } }, /* in a batch */
    { { 200, 5, 300 }, { 1, 60000, 200 } }, /* the nearest axis first */
    { { 200, 101, 9 }, { 1, 1800, 200 } },  /* and the last one short */
    { { 1, 5, 70000 }, { 0, 1, 5 } },       /* few long rows */
    { { 1, 70000, 5 }, { 0, 1, 70000 } },   /* many short ones */
    { { 1, 300, 500 }, { 0, 2, 600 } },     /* a slice, transposed */
    { { 1, 300, 500 }, { 0, 1001, 2 } },    /* a slice */
    { { 300, 2, 301 }, { 602, 301, 1 } },   /* packed */
    { { 300, 4, 101 }, { 101, 0, 1 } },     /* repeated */
    { { 2, 3, 5 }, { 1, 2, 6 } },           /* small */
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      {
        Case c;

        case_init (&c, cases[i].shape, cases[i].strides, 3, sizes[s]);
        check_copy (&c, 0, 0);
        check_copy (&c, 0, 13 * sizes[s]);
        check_copy (&c, 0, 1);
        check_copy (&c, G_MAXSIZE, 0);
        case_clear (&c);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pack/random", test_random);
  g_test_add_func ("/pack/planes", test_planes);
  g_test_add_func ("/pack/small-planes", test_small_planes);
  g_test_add_func ("/pack/broadcast", test_broadcast);
  g_test_add_func ("/pack/copies", test_copies);
  return g_test_run ();
}
