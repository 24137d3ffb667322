/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The buffer pool: what is kept, what is given out again, what goes first, and
 * what of it is seen from outside. */
#include <candela/value/debug-private.h>
#include <candela/value/tensor-private.h>

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KIB ((gsize) 1024)
#define MIB ((gsize) 1024 * 1024)

/* Each test begins with an empty pool of its own limit. */
static void
start (guint64 limit)
{
  candela_set_pool_limit (limit);
  candela_trim ();
  g_assert_cmpuint (candela_get_pool_limit (), ==, limit);
  g_assert_cmpuint (candela_get_pooled_bytes (), ==, 0);
}

static CandelaBuffer *
buffer_new (gsize size)
{
  g_autoptr (GError) error = NULL;
  CandelaBuffer *buffer = candela_buffer_new (size, &error);

  g_assert_no_error (error);
  g_assert_nonnull (buffer->data);
  g_assert_cmpuint ((guintptr) buffer->data % CANDELA_ALIGNMENT, ==, 0);
  g_assert_cmpuint (buffer->size, ==, size);
  return buffer;
}

static gconstpointer
buffer_drop (CandelaBuffer *buffer)
{
  gconstpointer data = buffer->data;

  candela_buffer_unref (buffer);
  return data;
}

static void
test_reuse (void)
{
  static const gsize sizes[] = { 4 * KIB, 4 * KIB + 1, 9999,    64 * KIB,   1000 * KIB + 7,
                                 MIB,     3 * MIB,     4 * MIB, 5 * MIB + 1 };

  start (64 * MIB);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      CandelaBuffer *buffer = buffer_new (sizes[i]);
      gconstpointer first;

      memset (buffer->data, 0x5a, sizes[i]);
      candela_buffer_ref (buffer);
      candela_buffer_unref (buffer);
      g_assert_cmpuint (candela_get_pooled_bytes (), ==, 0);
      first = buffer_drop (buffer);
      g_assert_cmpuint (candela_get_pooled_bytes (), >=, sizes[i]);
      g_assert_cmpuint (candela_get_pooled_bytes (), <=, sizes[i] + sizes[i] / 4);

      buffer = buffer_new (sizes[i]);
      g_assert_true (buffer->data == first);
      g_assert_cmpuint (candela_get_pooled_bytes (), ==, 0);
      candela_buffer_unref (buffer);
      candela_trim ();
      g_assert_cmpuint (candela_get_pooled_bytes (), ==, 0);
    }
}

/* A block serves what needs at least four fifths of it, and nothing smaller. */
static void
test_waste (void)
{
  gconstpointer kept;
  CandelaBuffer *buffer;

  start (64 * MIB);
  kept = buffer_drop (buffer_new (2 * MIB));

  buffer = buffer_new (MIB);
  g_assert_true (buffer->data != kept);
  g_assert_cmpuint (candela_get_pooled_bytes (), ==, 2 * MIB);
  candela_buffer_unref (buffer);

  buffer = buffer_new (2 * MIB + 1);
  g_assert_true (buffer->data != kept);
  candela_buffer_unref (buffer);

  buffer = buffer_new (1700 * KIB);
  g_assert_true (buffer->data == kept);
  candela_buffer_unref (buffer);
}

/* Of several that would do, the closest; of equals, the last that was freed. */
static void
test_best_fit (void)
{
  CandelaBuffer *large, *close, *again, *buffer;
  gconstpointer close_data, again_data, large_data;

  start (64 * MIB);
  large = buffer_new (120 * KIB);
  close = buffer_new (104 * KIB);
  again = buffer_new (104 * KIB);
  close_data = buffer_drop (close);
  again_data = buffer_drop (again);
  large_data = buffer_drop (large);

  buffer = buffer_new (100 * KIB);
  g_assert_true (buffer->data == again_data);
  close = buffer_new (100 * KIB);
  g_assert_true (close->data == close_data);
  large = buffer_new (100 * KIB);
  g_assert_true (large->data == large_data);
  candela_buffer_unref (buffer);
  candela_buffer_unref (close);
  candela_buffer_unref (large);
}

static void
test_small_sizes_are_not_kept (void)
{
  start (64 * MIB);
  candela_buffer_unref (buffer_new (0));
  candela_buffer_unref (buffer_new (1));
  candela_buffer_unref (buffer_new (4 * KIB - 1));
  g_assert_cmpuint (candela_get_pooled_bytes (), ==, 0);
}

static void
test_limit (void)
{
  CandelaBuffer *buffers[6];
  gconstpointer data[6];

  start (4 * MIB);
  for (guint i = 0; i < 6; i++)
    buffers[i] = buffer_new (MIB);
  for (guint i = 0; i < 6; i++)
    {
      data[i] = buffer_drop (buffers[i]);
      g_assert_cmpuint (candela_get_pooled_bytes (), ==, MIN (i + 1, 4) * MIB);
    }
  /* The first two are gone, and the last ones come first. */
  for (guint i = 6; i-- > 2;)
    {
      buffers[i] = buffer_new (MIB);
      g_assert_true (buffers[i]->data == data[i]);
    }
  for (guint i = 2; i < 6; i++)
    candela_buffer_unref (buffers[i]);

  /* One that is larger than the limit throws nothing out. */
  candela_buffer_unref (buffer_new (5 * MIB));
  g_assert_cmpuint (candela_get_pooled_bytes (), ==, 4 * MIB);

  candela_set_pool_limit (2 * MIB + 1);
  g_assert_cmpuint (candela_get_pooled_bytes (), ==, 2 * MIB);
  candela_set_pool_limit (G_MAXUINT64);
  g_assert_cmpuint (candela_get_pooled_bytes (), ==, 2 * MIB);
  g_assert_cmpuint (candela_get_pool_limit (), ==, G_MAXUINT64);
}

static void
test_no_pool (void)
{
  static const gsize sizes[] = { 4 * KIB, 100 * KIB, 2 * MIB, 9 * MIB };

  start (0);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      CandelaBuffer *buffer = buffer_new (sizes[i]);

      memset (buffer->data, 1, sizes[i]);
      candela_buffer_unref (buffer);
      g_assert_cmpuint (candela_get_pooled_bytes (), ==, 0);
    }
  /* What was allocated before may be kept when it is freed after. */
  {
    CandelaBuffer *buffer = buffer_new (5000);

    candela_set_pool_limit (MIB);
    candela_buffer_unref (buffer);
    g_assert_cmpuint (candela_get_pooled_bytes (), >=, 5000);
  }
}

static void
test_zeroed (void)
{
  static const gsize sizes[] = { 10, 4 * KIB, 70 * KIB + 3, MIB, 6 * MIB + 5 };

  start (64 * MIB);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint round = 0; round < 3; round++)
      {
        CandelaBuffer *buffer = candela_buffer_new_zeroed (sizes[i], NULL);

        for (gsize k = 0; k < sizes[i]; k++)
          if (buffer->data[k] != 0)
            g_error ("byte %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " is not zero", k, sizes[i]);
        memset (buffer->data, 0xff, sizes[i]);
        candela_buffer_unref (buffer);
      }
}

/* The memory of a tensor stays as long as anyone has a part in it. */
static void
test_last_user (void)
{
  const gint64 shape[] = { 100, 1000 };
  g_autoptr (GError) error = NULL;
  CandelaTensor *tensor;
  GBytes *bytes;

  start (64 * MIB);
  tensor = candela_tensor_new (CANDELA_DTYPE_FLOAT32, shape, 2, &error);
  g_assert_no_error (error);
  bytes = candela_tensor_get_bytes (tensor, &error);
  g_assert_no_error (error);
  g_object_unref (tensor);
  g_assert_cmpuint (candela_get_pooled_bytes (), ==, 0);
  g_bytes_unref (bytes);
  g_assert_cmpuint (candela_get_pooled_bytes (), >=, 400000);
}

static void
test_huge_sizes (void)
{
  static const gsize sizes[] = { (gsize) 1 << 62, ((gsize) 1 << 62) + 1, G_MAXSSIZE - 128, G_MAXSSIZE, G_MAXSIZE };
  static const guint64 limits[] = { 0, 64 * MIB, G_MAXUINT64 };

  for (guint l = 0; l < G_N_ELEMENTS (limits); l++)
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
      {
        g_autoptr (GError) error = NULL;

        candela_set_pool_limit (limits[l]);
        g_assert_null (candela_buffer_new (sizes[i], &error));
        g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY);
      }
}

/* Takes, marks, looks and drops; a block that two have at once loses its marks. */
static gpointer
hammer (gpointer data)
{
  guint32 seed = GPOINTER_TO_UINT (data);
  const guint8 mark = (guint8) seed;
  CandelaBuffer *buffers[8] = { NULL };

  for (guint round = 0; round < 4000; round++)
    {
      guint place;

      seed = seed * 1664525u + 1013904223u;
      place = seed >> 29;
      if (buffers[place] != NULL)
        {
          CandelaBuffer *buffer = buffers[place];

          g_assert_cmpint (buffer->data[0], ==, mark);
          g_assert_cmpint (buffer->data[buffer->size - 1], ==, mark);
          candela_buffer_unref (buffer);
        }
      buffers[place] = buffer_new (4096 + (seed >> 8) % 30000);
      buffers[place]->data[0] = mark;
      buffers[place]->data[buffers[place]->size - 1] = mark;
      if (round % 1000 == 0)
        candela_trim ();
    }
  for (guint i = 0; i < 8; i++)
    g_clear_pointer (&buffers[i], candela_buffer_unref);
  return NULL;
}

static void
test_threads (void)
{
  GThread *threads[4];

  start (256 * KIB);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("hammer", hammer, GUINT_TO_POINTER (i + 1));
  for (guint i = 0; i < 200; i++)
    g_assert_cmpuint (candela_get_pooled_bytes (), <=, 256 * KIB);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpuint (candela_get_pooled_bytes (), >, 0);
  g_assert_cmpuint (candela_get_pooled_bytes (), <=, 256 * KIB);
  candela_trim ();
  g_assert_cmpuint (candela_get_pooled_bytes (), ==, 0);
}

static int stop;

static gpointer
take_and_drop (gpointer data)
{
  while (!g_atomic_int_get (&stop))
    candela_buffer_unref (buffer_new (8 * KIB));
  return NULL;
}

/* A child finds the pool unlocked, whoever had the lock when it was born. */
static void
test_fork (void)
{
  GThread *thread;

  start (MIB);
  g_atomic_int_set (&stop, 0);
  thread = g_thread_new ("busy", take_and_drop, NULL);
  for (guint i = 0; i < 20; i++)
    {
      int status;
      pid_t child = fork ();

      if (child == 0)
        {
          CandelaBuffer *buffer;

          alarm (20);
          buffer = candela_buffer_new (8 * KIB, NULL);
          memset (buffer->data, 1, buffer->size);
          candela_buffer_unref (buffer);
          candela_trim ();
          _exit (candela_get_pooled_bytes () == 0 ? 0 : 1);
        }
      g_assert_cmpint (child, >, 0);
      g_assert_cmpint (waitpid (child, &status, 0), ==, child);
      g_assert_true (WIFEXITED (status));
      g_assert_cmpint (WEXITSTATUS (status), ==, 0);
    }
  g_atomic_int_set (&stop, 1);
  g_thread_join (thread);
}

/* ---- The environment, which a process reads once ---- */

static void
print_limit (void)
{
  g_print ("limit %" G_GUINT64_FORMAT "\n", candela_get_pool_limit ());
}

static void
test_environment (void)
{
  static const struct
  {
    const char *text;
    guint64 limit;
  } cases[] = {
    { "0", 0 },
    { "4096", 4096 },
    { "3K", 3 * 1024 },
    { "200m", 200 * MIB },
    { "2G", (guint64) 2048 * MIB },
    { "99999999999999G", G_MAXINT64 },
    { "1T", 0 }, /* the default, as of anything else that is no size */
    { "-1", 0 },
    { "G", 0 },
    { "", 0 },
    { NULL, 0 },
  };
  guint64 standard = 0;

  for (guint i = G_N_ELEMENTS (cases); i-- > 0;)
    {
      g_auto (GStrv) environment = g_get_environ ();
      char *arguments[] = { (char *) g_get_prgname (), (char *) "--print-limit", NULL };
      g_autofree char *output = NULL;
      g_autoptr (GError) error = NULL;
      guint64 limit;

      arguments[0] = g_file_read_link ("/proc/self/exe", NULL);
      environment = cases[i].text != NULL ? g_environ_setenv (environment, "CANDELA_POOL_LIMIT", cases[i].text, TRUE)
                                          : g_environ_unsetenv (environment, "CANDELA_POOL_LIMIT");
      g_spawn_sync (NULL, arguments, environment, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &output, NULL, NULL, &error);
      g_free (arguments[0]);
      g_assert_no_error (error);
      g_assert_true (g_str_has_prefix (output, "limit "));
      limit = g_ascii_strtoull (output + 6, NULL, 10);
      if (cases[i].text == NULL)
        standard = limit;
      g_assert_cmpuint (limit, ==, i < 6 ? cases[i].limit : standard);
    }
  g_assert_cmpuint (standard, >, 0);
  g_assert_cmpuint (standard, <=, 1024 * MIB);
}

int
main (int argc, char **argv)
{
  if (argc == 2 && strcmp (argv[1], "--print-limit") == 0)
    {
      print_limit ();
      return 0;
    }
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pool/reuse", test_reuse);
  g_test_add_func ("/pool/waste", test_waste);
  g_test_add_func ("/pool/best-fit", test_best_fit);
  g_test_add_func ("/pool/small-sizes-are-not-kept", test_small_sizes_are_not_kept);
  g_test_add_func ("/pool/limit", test_limit);
  g_test_add_func ("/pool/none", test_no_pool);
  g_test_add_func ("/pool/zeroed", test_zeroed);
  g_test_add_func ("/pool/last-user", test_last_user);
  g_test_add_func ("/pool/huge-sizes", test_huge_sizes);
  g_test_add_func ("/pool/threads", test_threads);
  g_test_add_func ("/pool/fork", test_fork);
  g_test_add_func ("/pool/environment", test_environment);
  return g_test_run ();
}
