/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Limits of control groups, in trees of files as Linux shows them. */
#include "../folders.h"
#include <candela/value/control-group-private.h>

typedef struct
{
  const char *path, *text;
} File;

typedef struct
{
  const char *name;
  File files[6];
  guint processors;
  guint64 memory;
} Tree;

#define NONE G_MAXUINT64
#define GROUPS "/sys/fs/cgroup"

static const Tree trees[] = {
  { .name = "nothing", .processors = G_MAXUINT, .memory = NONE },
  { .name = "v2/container", /* whose own group is the root */
    .files = { { "/proc/self/cgroup", "0::/\n" },
               { GROUPS "/cpu.max", "200000 100000\n" },
               { GROUPS "/memory.max", "1073741824\n" } },
    .processors = 2,
    .memory = 1073741824 },
  { .name = "v2/container-seen-from-outside",
    .files = { { "/proc/self/cgroup", "0::/../../pod/box\n" }, { GROUPS "/cpu.max", "100000 100000\n" } },
    .processors = 1,
    .memory = NONE },
  { .name = "v2/service", /* whose root group has no such files */
    .files = { { "/proc/self/cgroup", "0::/system.slice/a.service\n" },
               { GROUPS "/system.slice/a.service/cpu.max", "150000 100000\n" },
               { GROUPS "/system.slice/cpu.max", "max 100000\n" },
               { GROUPS "/system.slice/a.service/memory.max", "max\n" },
               { GROUPS "/system.slice/memory.max", "4096\n" } },
    .processors = 2,
    .memory = 4096 },
  { .name = "v2/above",
    .files = { { "/proc/self/cgroup", "0::/a/b/c" },
               { GROUPS "/a/b/c/cpu.max", "800000 100000\n" },
               { GROUPS "/a/cpu.max", "300000 100000\n" } },
    .processors = 3,
    .memory = NONE },
  { .name = "v2/less-than-one",
    .files = { { "/proc/self/cgroup", "0::/\n" }, { GROUPS "/cpu.max", "1000 100000\n" } },
    .processors = 1,
    .memory = NONE },
  { .name = "v2/no-limit",
    .files = { { "/proc/self/cgroup", "0::/\n" },
               { GROUPS "/cpu.max", "max 100000\n" },
               { GROUPS "/memory.max", "max\n" } },
    .processors = G_MAXUINT,
    .memory = NONE },
  { .name = "v1",
    .files = { { "/proc/self/cgroup",
                 "12:memory:/box\n7:cpuset:/other\n4:cpu,cpuacct:/box/in\n1:name=systemd:/x\n0::/\n" },
               { GROUPS "/cpu/box/in/cpu.cfs_quota_us", "250000\n" },
               { GROUPS "/cpu/box/in/cpu.cfs_period_us", "100000\n" },
               { GROUPS "/cpu/cpu.cfs_quota_us", "-1\n" },
               { GROUPS "/cpu/cpu.cfs_period_us", "100000\n" },
               { GROUPS "/memory/box/memory.limit_in_bytes", "65536\n" } },
    .processors = 3,
    .memory = 65536 },
  { .name = "v1/no-limit",
    .files = { { "/proc/self/cgroup", "4:cpu:/\n" },
               { GROUPS "/cpu/cpu.cfs_quota_us", "-1\n" },
               { GROUPS "/cpu/cpu.cfs_period_us", "100000\n" } },
    .processors = G_MAXUINT,
    .memory = NONE },
  { .name = "v1/without-proc",
    .files = { { GROUPS "/cpu/cpu.cfs_quota_us", "100000\n" },
               { GROUPS "/cpu/cpu.cfs_period_us", "50000\n" },
               { GROUPS "/memory/memory.limit_in_bytes", "8192\n" } },
    .processors = 2,
    .memory = 8192 },
  { .name = "nonsense",
    .files = { { "/proc/self/cgroup", "\n:\n0:\n::::\n0::no-slash\n4:cpu:\n" },
               { GROUPS "/cpu.max", "100000 0\n" },
               { GROUPS "/memory.max", "-5\n" },
               { GROUPS "/cpu/cpu.cfs_quota_us", "\n" },
               { GROUPS "/cpu/cpu.cfs_period_us", "0\n" } },
    .processors = G_MAXUINT,
    .memory = NONE },
};

static void
write_file (const char *root, const File *file)
{
  g_autofree char *path = g_strconcat (root, file->path, NULL);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_file_set_contents (path, file->text, -1, &error);
  g_assert_no_error (error);
}

static void
test_tree (gconstpointer data)
{
  const Tree *tree = data;
  g_autofree char *root = g_dir_make_tmp ("candela-XXXXXX", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (tree->files) && tree->files[i].path != NULL; i++)
    write_file (root, &tree->files[i]);
  g_assert_cmpuint (candela_control_group_get_processors (root), ==, tree->processors);
  g_assert_cmpuint (candela_control_group_get_memory (root), ==, tree->memory);
  remove_all (root);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (trees); i++)
    {
      g_autofree char *path = g_strconcat ("/value/control-group/", trees[i].name, NULL);

      g_test_add_data_func (path, &trees[i], test_tree);
    }
  return g_test_run ();
}
