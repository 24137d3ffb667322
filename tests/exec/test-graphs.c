/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The fast engine is held to the slow one: random graphs run under every plan, on one
 * thread and on several, again and again, and each result has the bits of the plan
 * that decides nothing. That one's values are held to plain arithmetic, op by op.
 *
 * CANDELA_TEST_SEED and CANDELA_TEST_GRAPHS choose other graphs, and more. */
#include "graph-recipes.h"
#include <signal.h>

#define MAX_ROOTS 5
#define N_SMALL 120
#define N_LARGE 6

static const gint64 extents[] = { 1, 2, 3, 5, 7, 16, 17, 64, 127, 128, 129, 1000 };

static struct sigaction earlier[NSIG];

static void
on_signal (int number)
{
  if (current != NULL)
    {
      g_autofree char *head =
        g_strdup_printf ("\n%s, seed %u: signal %d; the graph is\n", current->kind, current->seed, number);
      gssize n = write (STDERR_FILENO, head, strlen (head));

      n += write (STDERR_FILENO, current->text->str, current->text->len);
      (void) n;
    }
  sigaction (number, &earlier[number], NULL);
}

/* ---- One graph under one plan ---- */

/* The tensors for the plan's slots, in the order in which it names them. */
static guint
bind_inputs (const Graph *graph, CandelaPlan *plan, gboolean others, CandelaTensor *const *reversed,
             CandelaTensor **bound)
{
  g_autofree char *text = candela_plan_to_string (plan);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint n = 0;

  for (guint i = 0; lines[i] != NULL; i++)
    for (guint k = 0; k < graph->n_inputs && g_str_has_prefix (lines[i], "slot "); k++)
      {
        g_autofree char *name = g_strdup_printf (" = %s ", graph->inputs[k].name);

        if (strstr (lines[i], name) != NULL)
          bound[n++] = others ? reversed[k] : graph->inputs[k].tensor;
      }
  return n;
}

static CandelaTensor **
run_bound (const Graph *graph, CandelaPlan *plan, CandelaTensor *const *bound, guint n_bound, CandelaRunStats *stats)
{
  g_autoptr (GError) error = NULL;
  gsize n = 0;
  CandelaTensor **results = candela_plan_run (plan, bound, n_bound, NULL, NULL, NULL, stats, &n, &error);

  if (results == NULL)
    fail (graph, "%s", error->message);
  return results;
}

typedef struct
{
  Graph *graph;
  CandelaNode *roots[MAX_ROOTS];
  guint chosen[MAX_ROOTS];
  guint n;
  CandelaTensor **wanted, **wanted_of_others;
  CandelaTensor *reversed[MAX_VALUES]; /* of each input: other numbers */
} Case;

static void
check_results (const Case *c, CandelaTensor **got, CandelaTensor **wanted, guint flags, guint threads, const char *how)
{
  for (guint r = 0; r < c->n; r++)
    {
      g_autofree char *got_text = NULL, *wanted_text = NULL;

      if (tensors_same (got[r], wanted[r]))
        continue;
      got_text = candela_tensor_to_string (got[r]);
      wanted_text = candela_tensor_to_string (wanted[r]);
      fail (c->graph, "%s: flags %u, %u threads%s:\n%s\nand not\n%s\n", c->graph->values[c->chosen[r]].name, flags,
            threads, how, got_text, wanted_text);
    }
}

static void
check_plan (const Case *c, CandelaPlan *plan, guint flags, guint threads, guint times)
{
  CandelaTensor *bound[MAX_VALUES];
  guint n_bound = bind_inputs (c->graph, plan, FALSE, c->reversed, bound);

  candela_set_num_threads (threads);
  for (guint i = 0; i < times; i++)
    {
      CandelaRunStats stats;
      CandelaTensor **got = run_bound (c->graph, plan, bound, n_bound, &stats);

      check_results (c, got, c->wanted, flags, threads, i > 0 ? ", again" : "");
      if (n_bound == 0 && stats.peak_bytes > candela_plan_get_peak_bytes (plan))
        fail (c->graph, "flags %u: held %" G_GUINT64_FORMAT " bytes, where the plan says %" G_GUINT64_FORMAT, flags,
              stats.peak_bytes, candela_plan_get_peak_bytes (plan));
      free_tensors (got, c->n);
    }
  if (n_bound > 0)
    {
      CandelaTensor **got;

      bind_inputs (c->graph, plan, TRUE, c->reversed, bound);
      got = run_bound (c->graph, plan, bound, n_bound, NULL);
      check_results (c, got, c->wanted_of_others, flags, threads, ", other inputs");
      free_tensors (got, c->n);
    }
}

/* ---- One graph ---- */

/* What was computed last, and some of what was on the way. */
static void
choose_roots (Case *c)
{
  Graph *graph = c->graph;
  guint n = 1 + below (graph, MAX_ROOTS);

  for (c->n = 0; c->n < n; c->n++)
    {
      c->chosen[c->n] = c->n == 0 ? graph->n - 1 : pick_value (graph, OF_ANY);
      c->roots[c->n] = graph->values[c->chosen[c->n]].node;
    }
  retell (graph, c->chosen, c->n);
}

static CandelaTensor *
turn_round (CandelaTensor *tensor)
{
  g_autoptr (CandelaNode) node = candela_node_new_tensor (tensor);
  g_autoptr (CandelaNode) flipped = make_op ("flip", NULL, node, NULL, NULL);

  return compute (flipped);
}

static void
prepare (Case *c, CandelaPlan *plan)
{
  CandelaTensor *bound[MAX_VALUES];
  guint n_bound;

  candela_set_num_threads (1);
  if (c->graph->slots)
    for (guint i = 0; i < c->graph->n_inputs; i++)
      c->reversed[i] = turn_round (c->graph->inputs[i].tensor);
  n_bound = bind_inputs (c->graph, plan, FALSE, c->reversed, bound);
  c->wanted = run_bound (c->graph, plan, bound, n_bound, NULL);
  if (n_bound > 0)
    {
      bind_inputs (c->graph, plan, TRUE, c->reversed, bound);
      c->wanted_of_others = run_bound (c->graph, plan, bound, n_bound, NULL);
    }
  /* A product by an outside library may tell a view from a packed copy. */
  for (guint r = 0; r < c->n && !c->graph->products; r++)
    if (!tensors_same (c->wanted[r], c->graph->values[c->chosen[r]].value))
      fail (c->graph, "%s: the plain plan differs from the ops one by one", c->graph->values[c->chosen[r]].name);
}

static void
case_clear (Case *c)
{
  free_tensors (c->wanted, c->n);
  if (c->wanted_of_others != NULL)
    free_tensors (c->wanted_of_others, c->n);
  for (guint i = 0; i < c->graph->n_inputs; i++)
    g_clear_object (&c->reversed[i]);
  candela_set_num_threads (0);
}

static void
add_digest (const Case *c, GChecksum *sum)
{
  for (guint r = 0; r < c->n; r++)
    {
      g_autoptr (CandelaTensor) copy = copy_packed (c->wanted[r]);
      Packed p = packed (copy);
      const gsize size = candela_dtype_get_size (p.dtype);

      for (gint64 i = 0; i < p.n; i++)
        if (!isnan (wide_at (&p, i)))
          g_checksum_update (sum, p.data + i * (gint64) size, (gssize) size);
    }
}

/* All plans are made before one runs, and fills caches. The peak of none is above
 * that of freeing every value at once and sharing no buffer. */
static void
check_graph (Graph *graph, GChecksum *sum)
{
  static const guint threads[] = { 1, 2, 4 };
  Case c = { .graph = graph };
  CandelaPlan *plans[N_FLAGS];
  guint64 most;

  choose_roots (&c);
  for (guint flags = 0; flags < N_FLAGS; flags++)
    plans[flags] = plan_roots (c.roots, c.n, flags);
  most = candela_plan_get_peak_bytes (plans[NO_OPTIMIZATION]);
  for (guint flags = 0; flags < N_FLAGS; flags++)
    if (candela_plan_get_peak_bytes (plans[flags]) > most)
      fail (graph, "flags %u: a peak of %" G_GUINT64_FORMAT " bytes, above %" G_GUINT64_FORMAT, flags,
            candela_plan_get_peak_bytes (plans[flags]), most);
  prepare (&c, plans[NO_OPTIMIZATION]);
  for (guint t = 0; t < G_N_ELEMENTS (threads); t++)
    check_plan (&c, plans[CANDELA_PLAN_DEFAULT], CANDELA_PLAN_DEFAULT, threads[t], 2);
  for (guint flags = 1; flags < N_FLAGS; flags++)
    check_plan (&c, plans[flags], flags, PICK (graph, threads), 1);
  for (guint flags = 0; flags < N_FLAGS && graph->caches; flags++)
    {
      g_autoptr (CandelaPlan) plan = plan_roots (c.roots, c.n, flags);

      check_plan (&c, plan, flags, PICK (graph, threads), 1);
    }
  for (guint i = 0; i < graph->n_inputs; i++)
    if (!tensors_same (graph->inputs[i].tensor, graph->inputs[i].copy))
      fail (graph, "%s has changed", graph->inputs[i].name);
  add_digest (&c, sum);
  for (guint flags = 0; flags < N_FLAGS; flags++)
    candela_plan_unref (plans[flags]);
  case_clear (&c);
}

static void
pick_full_shape (Graph *graph)
{
  gint64 n = 1;

  graph->rank = 1 + (gsize) below (graph, 4);
  for (gsize k = 0; k < graph->rank; k++)
    {
      do
        graph->full[k] = PICK (graph, extents);
      while (n * graph->full[k] > graph->limit);
      n *= graph->full[k];
    }
}

/* With a shape of rank 0, one is picked. The digest of the results, if they are to be
 * the same with each instruction set; else an empty text. */
static char *
make_and_check (const char *kind, guint32 seed, gint64 limit, guint size, const gint64 *shape, gsize rank)
{
  Graph graph;
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  char *digest;

  graph_init (&graph, kind, seed, limit);
  current = &graph;
  graph.rank = rank;
  if (rank > 0)
    memcpy (graph.full, shape, rank * sizeof (gint64));
  else
    pick_full_shape (&graph);
  add_leaf (&graph, pick_dtype (&graph, OF_FLOAT), graph.full, graph.rank);
  for (guint i = 0; i < 2; i++)
    add_any_leaf (&graph);
  for (guint i = 0; i < 20 * size && graph.n < size; i++)
    grow (&graph);
  check_graph (&graph, sum);
  digest = g_strdup (graph.plain ? g_checksum_get_string (sum) : "");
  current = NULL;
  graph_clear (&graph);
  return digest;
}

static guint
from_environment (const char *name, guint otherwise)
{
  const char *text = g_getenv (name);

  return text != NULL ? (guint) g_ascii_strtoull (text, NULL, 10) : otherwise;
}

/* ---- The tests ---- */

static void
test_small (void)
{
  const guint first = from_environment ("CANDELA_TEST_SEED", 1), n = from_environment ("CANDELA_TEST_GRAPHS", N_SMALL);

  for (guint seed = first; seed < first + n; seed++)
    {
      g_autofree char *digest = make_and_check ("small", seed, seed % 8 == 0 ? 20000 : 3000, 6 + seed % 50, NULL, 0);

      g_test_message ("seed %u %s", seed, digest);
    }
}

/* Large enough for several tiles, chunks and threads. */
static void
test_large (void)
{
  const guint first = from_environment ("CANDELA_TEST_SEED", 1);
  const guint n = MAX (from_environment ("CANDELA_TEST_GRAPHS", 0) / 20, N_LARGE);

  for (guint seed = first; seed < first + n; seed++)
    g_free (make_and_check ("large", seed, 400000, 10 + seed % 25, NULL, 0));
}

/* Around the lengths of vectors, tiles and chunks: alone, as rows, as columns. */
static void
test_lengths (void)
{
  static const gint64 lengths[] = { 1,    2,    3,    4,    5,    7,    8,    9,    15,   16,    17,    31,    32,
                                    33,   63,   64,   65,   127,  128,  129,  255,  256,  257,   511,   512,   513,
                                    1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 65535, 65536, 65537, 131073 };
  const guint first = from_environment ("CANDELA_TEST_SEED", 1);

  for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
    {
      const gint64 n = lengths[l];
      const gint64 shapes[][2] = { { n }, { 3, n }, { n, 3 } };
      const guint n_shapes = n > 5000 ? 1 : 3;

      for (guint s = 0; s < n_shapes; s++)
        g_free (make_and_check ("lengths", first + 3 * l + s, MAX (4 * n, 3000), 15, shapes[s], s == 0 ? 1 : 2));
    }
}

/* An element has the same bits wherever in an array it stands. */
static void
test_positions (void)
{
  static const char *const texts[] = {
    "exp(x) * y + tanh(x)",
    "where(x > y, sigmoid(x), gelu(y)) - 0.1",
    "softplus(x - y) / (abs(y) + 1)",
    "sin(x * y) + log1p(square(x))",
    "astype(x, float64) * y + astype(y < 0, float64)",
    "pow(abs(x), 0.3) % 1.7",
  };
  Graph graph;
  const gint64 n = 300;
  guint x, y;

  graph_init (&graph, "positions", 7, n);
  current = &graph;
  x = add_leaf (&graph, CANDELA_DTYPE_FLOAT32, &n, 1);
  y = add_leaf (&graph, CANDELA_DTYPE_FLOAT32, &n, 1);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    for (guint start = 0; start < 70; start++)
      {
        g_autofree char *parts = g_strdup_printf ("x = x[%u:%u]; y = y[%u:%u]; %s", start, start + 150 + start % 7,
                                                  start, start + 150 + start % 7, texts[i]);
        g_autofree char *whole = g_strdup_printf ("(%s)[%u:%u]", texts[i], start, start + 150 + start % 7);
        g_autoptr (GHashTable) names = names_new ();
        g_autoptr (CandelaNode) part = NULL, all = NULL;
        g_autoptr (CandelaTensor) got = NULL, wanted = NULL;

        put_name (names, "x", candela_node_ref (graph.values[x].node));
        put_name (names, "y", candela_node_ref (graph.values[y].node));
        part = build (parts, names);
        all = build (whole, names);
        got = compute (part);
        wanted = compute (all);
        assert_tensors_same (got, wanted, parts);
      }
  current = NULL;
  graph_clear (&graph);
}

/* The small ones with every buffer full of rubbish before it is written and after it
 * is freed. */
static void
test_poison (void)
{
  run_again ("poison", "/graphs/small", NULL);
}

static char *
run_with (const char *set)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autoptr (GSubprocessLauncher) launcher =
    g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process = NULL;
  g_autofree char *errors = NULL;
  char *output = NULL;

  g_subprocess_launcher_setenv (launcher, "CANDELA_CPU", set, TRUE);
  process = g_subprocess_launcher_spawn (launcher, &error, program, "--tap", "-p", "/graphs/small", NULL);
  g_assert_no_error (error);
  g_subprocess_communicate_utf8 (process, NULL, NULL, &output, &errors, &error);
  g_assert_no_error (error);
  if (!g_subprocess_get_successful (process))
    g_error ("with CANDELA_CPU=%s: %s", set, errors);
  return output;
}

/* The small ones with the loops of each instruction set; what has no curve in it has
 * the same bits with all of them. */
static void
test_sets (void)
{
  static const char *const sets[] = { "baseline", "avx2", "avx512" };
  g_auto (GStrv) wanted = NULL;

  if (!g_file_test ("/proc/self/exe", G_FILE_TEST_EXISTS))
    {
      g_test_skip ("there is no /proc");
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (sets); i++)
    {
      g_autofree char *output = run_with (sets[i]);
      g_auto (GStrv) lines = g_strsplit (output, "\n", -1);

      for (guint l = 0; wanted != NULL && lines[l] != NULL && wanted[l] != NULL; l++)
        if (g_str_has_prefix (lines[l], "# seed ") && strcmp (lines[l], wanted[l]) != 0)
          g_error ("with CANDELA_CPU=%s and =%s other bits: %s", sets[0], sets[i], lines[l]);
      if (wanted == NULL)
        wanted = g_steal_pointer (&lines);
    }
}

int
main (int argc, char **argv)
{
  static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGTRAP };
  struct sigaction action = { .sa_handler = on_signal };

  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    sigaction (signals[i], &action, &earlier[signals[i]]);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/graphs/small", test_small);
  g_test_add_func ("/graphs/large", test_large);
  g_test_add_func ("/graphs/lengths", test_lengths);
  g_test_add_func ("/graphs/positions", test_positions);
  g_test_add_func ("/graphs/poison", test_poison);
  g_test_add_func ("/graphs/instruction-sets", test_sets);
  return g_test_run ();
}
