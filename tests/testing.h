/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For tests that run whole graphs: expressions over named values, and running one
 * graph in every way in which it can be planned and run. */
#pragma once

#include "plugins/op-testing.h"

/* All combinations of the CandelaPlanFlags, as numbers from 0 to N_FLAGS - 1. */
#define N_FLAGS 8
#define NO_OPTIMIZATION (CANDELA_PLAN_NO_FUSION | CANDELA_PLAN_NO_REUSE | CANDELA_PLAN_NO_IN_PLACE)

/* A value by its name, as make_tensor() takes it. */
typedef struct
{
  const char *name, *dtype, *shape, *elements;
} Given;

static inline GHashTable *
names_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) candela_node_unref);
}

/* Takes the node over; the name is to be a literal. */
static inline void
put_name (GHashTable *names, const char *name, CandelaNode *node)
{
  g_hash_table_insert (names, (char *) name, node);
}

static inline GHashTable *
bind_names (const Given *given, gsize n)
{
  GHashTable *names = names_new ();

  for (gsize i = 0; i < n; i++)
    put_name (names, given[i].name, make_value (given[i].dtype, given[i].shape, given[i].elements));
  return names;
}

static inline void
add_slot (GHashTable *names, const char *name, const char *dtype, const char *shape_text)
{
  gint64 shape[CANDELA_MAX_RANK];
  gsize rank = read_shape (shape_text, shape);

  put_name (names, name, candela_node_new_slot (name, read_dtype (dtype), shape, rank, NULL));
}

static inline CandelaExpression *
parse (const char *text, GHashTable *names)
{
  g_autoptr (GError) error = NULL;
  CandelaExpression *expression = candela_expression_parse (text, -1, names, &error);

  g_assert_no_error (error);
  return expression;
}

static inline CandelaNode *
build (const char *text, GHashTable *names)
{
  g_autoptr (CandelaExpression) expression = parse (text, names);

  return candela_node_ref (candela_expression_get_value (expression));
}

static inline CandelaNode *
build_given (const char *text, const Given *given, gsize n)
{
  g_autoptr (GHashTable) names = bind_names (given, n);

  return build (text, names);
}

/* A name that the expression bound. */
static inline CandelaNode *
get_named (CandelaExpression *expression, const char *name)
{
  CandelaNode *node = candela_expression_lookup (expression, name);

  g_assert_nonnull (node);
  return node;
}

static inline CandelaPlan *
plan_roots (CandelaNode *const *roots, gsize n, CandelaPlanFlags flags)
{
  g_autoptr (GError) error = NULL;
  CandelaPlan *plan = candela_plan_new (roots, n, flags, &error);

  g_assert_no_error (error);
  return plan;
}

static inline CandelaPlan *
plan_node (CandelaNode *node, CandelaPlanFlags flags)
{
  return plan_roots (&node, 1, flags);
}

static inline void
free_tensors (CandelaTensor **tensors, gsize n)
{
  for (gsize i = 0; i < n; i++)
    g_object_unref (tensors[i]);
  g_free (tensors);
}

static inline CandelaTensor **
run_plan (CandelaPlan *plan, CandelaRunStats *stats)
{
  g_autoptr (GError) error = NULL;
  gsize n = 0;
  CandelaTensor **tensors = candela_plan_run (plan, NULL, 0, NULL, NULL, NULL, stats, &n, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (n, ==, candela_plan_get_n_roots (plan));
  return tensors;
}

/* The element at a logical index, wherever the strides put it. */
static inline gconstpointer
element_at (CandelaTensor *tensor, gint64 index)
{
  gsize rank;
  const gint64 *shape = candela_tensor_get_shape (tensor, &rank);
  const gint64 *strides = candela_layout_get_strides (candela_tensor_get_layout (tensor), NULL);
  gint64 place = 0;

  for (gsize k = rank; k-- > 0; index /= shape[k])
    place += index % shape[k] * strides[k];
  return (const guint8 *) candela_tensor_get_data (tensor)
         + place * (gint64) candela_dtype_get_size (candela_tensor_get_dtype (tensor));
}

/* Of the payload of a NaN nothing is promised. */
static inline gboolean
same_bits (CandelaDType dtype, gconstpointer a, gconstpointer b)
{
  if (dtype == CANDELA_DTYPE_FLOAT32 && isnan (*(const float *) a) && isnan (*(const float *) b))
    return TRUE;
  if (dtype == CANDELA_DTYPE_FLOAT64 && isnan (*(const double *) a) && isnan (*(const double *) b))
    return TRUE;
  return memcmp (a, b, candela_dtype_get_size (dtype)) == 0;
}

/* The same dtype, shape and bits, whatever the layouts. */
static inline gboolean
tensors_same (CandelaTensor *a, CandelaTensor *b)
{
  if (candela_tensor_get_dtype (a) != candela_tensor_get_dtype (b)
      || !candela_layout_same_shape (candela_tensor_get_layout (a), candela_tensor_get_layout (b)))
    return FALSE;
  for (gint64 i = 0; i < candela_tensor_get_n_elements (a); i++)
    if (!same_bits (candela_tensor_get_dtype (a), element_at (a, i), element_at (b, i)))
      return FALSE;
  return TRUE;
}

static inline void
assert_tensors_same (CandelaTensor *got, CandelaTensor *wanted, const char *what)
{
  g_autofree char *got_text = NULL, *wanted_text = NULL, *got_shape = NULL, *wanted_shape = NULL;

  if (tensors_same (got, wanted))
    return;
  got_text = candela_tensor_to_string (got);
  wanted_text = candela_tensor_to_string (wanted);
  got_shape = shape_text (got);
  wanted_shape = shape_text (wanted);
  g_error ("%s: %s [%s] %s\nand not %s [%s] %s", what, candela_dtype_get_name (candela_tensor_get_dtype (got)),
           got_shape, got_text, candela_dtype_get_name (candela_tensor_get_dtype (wanted)), wanted_shape, wanted_text);
}

/* Each combination of flags, on one thread and on three, gives every root the
 * value that is wanted. Graphs with caches start from them from the second run on. */
static inline void
check_roots (CandelaNode *const *roots, CandelaTensor *const *wanted, gsize n, const char *what)
{
  for (guint flags = 0; flags < N_FLAGS; flags++)
    {
      g_autoptr (CandelaPlan) plan = plan_roots (roots, n, flags);

      for (guint threads = 1; threads <= 3; threads += 2)
        {
          CandelaTensor **got;

          candela_set_num_threads (threads);
          got = run_plan (plan, NULL);
          for (gsize r = 0; r < n; r++)
            {
              g_autofree char *how =
                g_strdup_printf ("%s, root %" G_GSIZE_FORMAT ", flags %u, %u threads", what, r, flags, threads);

              assert_tensors_same (got[r], wanted[r], how);
            }
          free_tensors (got, n);
        }
    }
  candela_set_num_threads (0);
}

static inline void
check_value (const char *text, const Given *given, gsize n, const char *dtype, const char *shape, const char *elements)
{
  g_autoptr (CandelaNode) node = build_given (text, given, n);
  g_autoptr (CandelaTensor) wanted = make_tensor (dtype, shape, elements);

  check_roots (&node, &wanted, 1, text);
}

/* This program once more, with that CANDELA_DEBUG, for those of its tests whose
 * path begins so (NULL: all); what it writes to standard error is the result.
 * FALSE in that second run itself. */
static inline gboolean
run_again (const char *debug, const char *path, char **stderr_text)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autoptr (GSubprocessLauncher) launcher =
    g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GSubprocess) process = NULL;
  g_autofree char *output = NULL, *errors = NULL;

  if (program == NULL || g_getenv ("CANDELA_DEBUG") != NULL)
    {
      g_test_skip ("CANDELA_DEBUG is set, or there is no /proc");
      return FALSE;
    }
  g_subprocess_launcher_setenv (launcher, "CANDELA_DEBUG", debug, TRUE);
  process = g_subprocess_launcher_spawn (launcher, &error, program, "--tap", path != NULL ? "-p" : NULL, path, NULL);
  g_assert_no_error (error);
  g_subprocess_communicate_utf8 (process, NULL, NULL, &output, &errors, &error);
  g_assert_no_error (error);
  if (!g_subprocess_get_successful (process))
    g_error ("with CANDELA_DEBUG=%s:\n%s\n%s", debug, output, errors);
  if (stderr_text != NULL)
    *stderr_text = g_steal_pointer (&errors);
  return TRUE;
}

/* All of this program again with each instruction set but the best, which is settled when a plugin is
 * loaded. */
static inline void
run_with_instruction_sets (void)
{
  static const char *const sets[] = { "baseline", "avx2" };

  if (g_getenv ("CANDELA_CPU") != NULL)
    {
      g_test_skip ("CANDELA_CPU is set");
      return;
    }
#ifdef __SANITIZE_THREAD__
  g_test_skip ("ThreadSanitizer has seen how threads share the work");
  return;
#endif
  for (guint i = 0; i < G_N_ELEMENTS (sets); i++)
    {
      g_setenv ("CANDELA_CPU", sets[i], TRUE);
      if (!run_again ("poison", NULL, NULL))
        i = G_N_ELEMENTS (sets);
      g_unsetenv ("CANDELA_CPU");
    }
}
