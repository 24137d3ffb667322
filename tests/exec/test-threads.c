/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How many threads work, and where they may run. */
#ifdef __linux__
#define _GNU_SOURCE /* for sched_setaffinity() */
#endif
#include "../testing.h"

#include <sched.h>

#define N (G_GINT64_CONSTANT (1) << 18)
/* Longer than a thread looks out for work before it sleeps. */
#define ASLEEP_US 20000

static void
test_number (void)
{
  guint before = candela_get_num_threads ();

  g_assert_cmpuint (before, >=, 1);
  candela_set_num_threads (3);
  g_assert_cmpuint (candela_get_num_threads (), ==, 3);
  candela_set_num_threads (0);
  g_assert_cmpuint (candela_get_num_threads (), >=, 1);
  g_assert_cmpuint (candela_get_num_threads (), <=, g_get_num_processors ());
}

/* What is no number above 0 is as if it were not there. */
static void
test_environment (void)
{
  static const char *const none[] = { "", "0", "-1", "-18446744073709551613", "abc", "4abc", "1e3", "2.5", " 3" };
  guint processors;

  candela_set_num_threads (0);
  processors = candela_get_num_threads ();
  for (guint i = 0; i < G_N_ELEMENTS (none) + 2; i++)
    {
      const char *text = i < G_N_ELEMENTS (none) ? none[i] : i == G_N_ELEMENTS (none) ? "5" : "99999";
      g_autofree char *number = g_strdup_printf ("%u", i < G_N_ELEMENTS (none) ? processors : text[0] == '5' ? 5 : 256);

      g_setenv ("CANDELA_NUM_THREADS", text, TRUE);
      g_setenv ("EXPECTED_THREADS", number, TRUE);
      g_test_trap_subprocess ("/exec/threads/environment/subprocess", 0, 0);
      g_test_trap_assert_passed ();
    }
  g_unsetenv ("CANDELA_NUM_THREADS");
}

static void
test_environment_subprocess (void)
{
  guint64 expected = g_ascii_strtoull (g_getenv ("EXPECTED_THREADS"), NULL, 10);

  g_assert_cmpuint (candela_get_num_threads (), ==, expected);
}

/* Something that is shared out: the square of N threes. */
static void
run_shared (void)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaTensor) three = make_tensor ("float32", "1", "3");
  g_autoptr (CandelaNode) node = NULL;
  g_autoptr (CandelaTensor) got = NULL;
  g_autofree char *text = g_strdup_printf ("square(broadcast_to(x, [%" G_GINT64_FORMAT "]))", N);
  const float *values;

  put_name (names, "x", candela_node_new_tensor (three));
  node = build (text, names);
  got = compute (node);
  values = candela_tensor_get_data (got);
  for (gint64 i = 0; i < N; i++)
    g_assert_cmpfloat (values[i], ==, 9);
}

#ifdef __linux__

static void
test_one_processor (void)
{
  cpu_set_t one;
  int cpu = sched_getcpu ();

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, 0);
      g_test_trap_assert_passed ();
      return;
    }
  CPU_ZERO (&one);
  CPU_SET (cpu, &one);
  g_assert_cmpint (sched_setaffinity (0, sizeof one, &one), ==, 0);
  g_unsetenv ("CANDELA_NUM_THREADS");
  g_assert_cmpuint (candela_get_num_threads (), ==, 1);
  candela_set_num_threads (2);
  run_shared ();
}

typedef void (*ThreadFunc) (pid_t thread, gpointer data);

/* Candela's own. */
static guint
each_worker (ThreadFunc func, gpointer data)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/task", 0, NULL);
  const char *name;
  guint n = 0;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename ("/proc/self/task", name, "comm", NULL);
      g_autofree char *comm = NULL;

      if (!g_file_get_contents (path, &comm, NULL, NULL) || strcmp (comm, "candela\n") != 0)
        continue;
      func ((pid_t) g_ascii_strtoll (name, NULL, 10), data);
      n++;
    }
  return n;
}

static void
check_within (pid_t thread, gpointer data)
{
  cpu_set_t now, both;

  g_assert_cmpint (sched_getaffinity (thread, sizeof now, &now), ==, 0);
  CPU_AND (&both, &now, (cpu_set_t *) data);
  g_assert_cmpint (CPU_COUNT (&now), >, 0);
  g_assert_true (CPU_EQUAL (&both, &now));
}

/* To a processor that it was not let on to as it slept, or to any. */
static void
confine (pid_t thread, gpointer data)
{
  const cpu_set_t *all = data;
  cpu_set_t now, one;
  int chosen = -1;

  g_assert_cmpint (sched_getaffinity (thread, sizeof now, &now), ==, 0);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET (cpu, all) && (chosen < 0 || !CPU_ISSET (cpu, &now)))
      chosen = cpu;
  CPU_ZERO (&one);
  CPU_SET (chosen, &one);
  g_assert_cmpint (sched_setaffinity (thread, sizeof one, &one), ==, 0);
}

static void
check_confined (pid_t thread, gpointer data)
{
  cpu_set_t now;

  g_assert_cmpint (sched_getaffinity (thread, sizeof now, &now), ==, 0);
  g_assert_cmpint (CPU_COUNT (&now), ==, 1);
}

/* Threads go nowhere that the process may not, and stay where they are told to. */
static void
test_places (void)
{
  cpu_set_t all;

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, 0);
      g_test_trap_assert_passed ();
      return;
    }
  g_assert_cmpint (sched_getaffinity (0, sizeof all, &all), ==, 0);
  candela_set_num_threads (3);
  for (guint i = 0; i < 5; i++)
    {
      run_shared ();
      g_usleep (ASLEEP_US);
      g_assert_cmpuint (each_worker (check_within, &all), ==, 2);
    }
  each_worker (confine, &all);
  for (guint i = 0; i < 5; i++)
    {
      run_shared ();
      g_usleep (ASLEEP_US);
      g_assert_cmpuint (each_worker (check_confined, NULL), ==, 2);
    }
}

#endif

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/exec/threads/number", test_number);
  g_test_add_func ("/exec/threads/environment", test_environment);
  g_test_add_func ("/exec/threads/environment/subprocess", test_environment_subprocess);
#ifdef __linux__
  g_test_add_func ("/exec/threads/one-processor", test_one_processor);
  g_test_add_func ("/exec/threads/places", test_places);
#endif
  return g_test_run ();
}
