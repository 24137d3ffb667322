/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Limits of control groups: cgroups(7), and in Linux's documentation cgroup-v2 (cpu.max,
 * memory.max), and sched-bwc and memory of cgroup-v1. Version 2 has one tree of groups, version 1
 * one for each controller; /proc/self/cgroup has the process's place in each. In a container
 * that place may be told as it is outside, where nothing is found then, but the container's
 * own group is the root of the tree that it sees. */
#include <candela/value/control-group-private.h>
#include <string.h>

/* The limit in a group's folder; G_MAXUINT64 if there is none. */
typedef guint64 (*ReadFunc) (const char *folder);

/* As many numbers as a file begins with, at most two. */
static guint
read_numbers (const char *folder, const char *name, guint64 *numbers)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *text = NULL;
  char *at;
  guint n = 0;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return 0;
  for (at = text; n < 2 && g_ascii_isdigit (*at); n++)
    {
      numbers[n] = g_ascii_strtoull (at, &at, 10);
      at += *at == ' ';
    }
  return n;
}

static guint64
divide_up (guint64 quota, guint64 period)
{
  return MAX (quota / period + (quota % period > 0), 1);
}

/* "150000 100000", or "max 100000". */
static guint64
read_processors_2 (const char *folder)
{
  guint64 numbers[2];

  return read_numbers (folder, "cpu.max", numbers) == 2 && numbers[1] > 0 ? divide_up (numbers[0], numbers[1])
                                                                          : G_MAXUINT64;
}

/* A quota of -1 is none. */
static guint64
read_processors_1 (const char *folder)
{
  guint64 quota[2], period[2];

  return read_numbers (folder, "cpu.cfs_quota_us", quota) > 0 && read_numbers (folder, "cpu.cfs_period_us", period) > 0
             && period[0] > 0
           ? divide_up (quota[0], period[0])
           : G_MAXUINT64;
}

static guint64
read_memory_2 (const char *folder)
{
  guint64 numbers[2];

  return read_numbers (folder, "memory.max", numbers) > 0 ? numbers[0] : G_MAXUINT64;
}

static guint64
read_memory_1 (const char *folder)
{
  guint64 numbers[2];

  return read_numbers (folder, "memory.limit_in_bytes", numbers) > 0 ? numbers[0] : G_MAXUINT64;
}

/* Of a group, "/a/b" say, and those above it. */
static guint64
least_of (const char *tree, const char *group, ReadFunc read)
{
  g_autofree char *folder = g_strconcat (tree, group, NULL);
  gsize top = strlen (tree);
  guint64 least = G_MAXUINT64;

  for (;;)
    {
      char *slash;

      least = MIN (least, read (folder));
      slash = strrchr (folder + top, '/');
      if (slash == NULL)
        return least;
      *slash = '\0';
    }
}

/* A line is "0::/a/b" of version 2, else "7:cpu,cpuacct:/a/b". */
static guint64
get_least (const char *root, const char *controller, ReadFunc read_2, ReadFunc read_1)
{
  g_autofree char *path = g_strconcat (root, "/proc/self/cgroup", NULL);
  g_autofree char *tree_2 = g_strconcat (root, "/sys/fs/cgroup", NULL);
  g_autofree char *tree_1 = g_build_filename (tree_2, controller, NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  guint64 least = MIN (read_2 (tree_2), read_1 (tree_1));

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return least;
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i], ":", 3);
      g_auto (GStrv) controllers = NULL;

      if (g_strv_length (fields) < 3)
        continue;
      controllers = g_strsplit (fields[1], ",", -1);
      if (fields[1][0] == '\0')
        least = MIN (least, least_of (tree_2, fields[2], read_2));
      else if (g_strv_contains ((const char *const *) controllers, controller))
        least = MIN (least, least_of (tree_1, fields[2], read_1));
    }
  return least;
}

guint
candela_control_group_get_processors (const char *root)
{
  return (guint) MIN (get_least (root, "cpu", read_processors_2, read_processors_1), G_MAXUINT);
}

guint64
candela_control_group_get_memory (const char *root)
{
  return get_least (root, "memory", read_memory_2, read_memory_1);
}
