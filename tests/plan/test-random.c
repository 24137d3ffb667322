/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Random graphs. Each op is also computed by itself, over packed copies of what
 * its inputs came to, into fresh buffers: whatever a plan of the whole graph does,
 * every result must have the same bits. Each plan is run on paper first, and its
 * peak is never above that of freeing every buffer at once and sharing none. */
#include "../testing.h"
#include "verify.h"

#define MAX_ENTRIES 160
#define MAX_ROOTS 5
#define N_SMALL 1500
#define N_LARGE 6

typedef struct
{
  CandelaNode *node;
  CandelaTensor *value; /* computed op by op, packed */
} Entry;

typedef struct
{
  GRand *rand;
  Entry entries[MAX_ENTRIES];
  guint n;
  gint64 scale; /* of the two long axes */
  gboolean caches;
} Graph;

static gint32
below (Graph *graph, gint32 n)
{
  return g_rand_int_range (graph->rand, 0, n);
}

#define PICK(graph, table) ((table)[below ((graph), G_N_ELEMENTS (table))])

/* Rather a late one, so that graphs grow deep. */
static guint
pick_entry (Graph *graph)
{
  double x = g_rand_double (graph->rand);

  return graph->n - 1 - (guint) (x * x * x * graph->n);
}

static void
add_entry (Graph *graph, CandelaNode *node, CandelaTensor *value)
{
  g_assert_cmpuint (graph->n, <, MAX_ENTRIES);
  graph->entries[graph->n++] = (Entry){ node, value };
}

/* ---- Leaves ---- */

static void
fill (Graph *graph, CandelaTensor *tensor)
{
  gpointer data = candela_tensor_get_writable_data (tensor);
  CandelaDType dtype = candela_tensor_get_dtype (tensor);
  gsize size = candela_dtype_get_size (dtype);

  for (gint64 i = 0; i < candela_tensor_get_n_elements (tensor); i++)
    {
      gint64 integer = below (graph, 21) - 10;

      if (dtype == CANDELA_DTYPE_FLOAT32)
        ((float *) data)[i] = below (graph, 8) == 0 ? -0.0f : (float) g_rand_double_range (graph->rand, -3, 3);
      else if (dtype == CANDELA_DTYPE_FLOAT64)
        ((double *) data)[i] = below (graph, 8) == 0 ? -0.0 : g_rand_double_range (graph->rand, -3, 3);
      else if (dtype == CANDELA_DTYPE_BOOL)
        ((guint8 *) data)[i] = integer > 0;
      else
        memcpy ((guint8 *) data + i * (gint64) size, &integer, size); /* little-endian or not: any bits will do */
    }
}

static void
add_leaf (Graph *graph)
{
  static const CandelaDType dtypes[] = { CANDELA_DTYPE_BOOL,    CANDELA_DTYPE_INT8,    CANDELA_DTYPE_UINT16,
                                         CANDELA_DTYPE_INT32,   CANDELA_DTYPE_INT64,   CANDELA_DTYPE_UINT8,
                                         CANDELA_DTYPE_FLOAT32, CANDELA_DTYPE_FLOAT64, CANDELA_DTYPE_FLOAT32,
                                         CANDELA_DTYPE_FLOAT64 };
  const gint64 r = 3 * graph->scale, c = 4 * graph->scale;
  const struct
  {
    gint64 dims[3];
    gsize rank;
  } shapes[] = { { { r, c }, 2 }, { { r, c }, 2 }, { { c, r }, 2 }, { { c }, 1 },       { { r, 1 }, 2 },
                 { { 1 }, 1 },    { { 0 }, 0 },    { { r }, 1 },    { { 2, r, c }, 3 }, { { r, r }, 2 } };
  guint shape = below (graph, G_N_ELEMENTS (shapes));
  CandelaTensor *tensor = candela_tensor_new (PICK (graph, dtypes), shapes[shape].dims, shapes[shape].rank, NULL);

  fill (graph, tensor);
  add_entry (graph, candela_node_new_tensor (tensor), tensor);
}

/* ---- Ops ---- */

/* A copy in memory of its own, packed. */
static CandelaTensor *
copy_packed (CandelaTensor *tensor)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = candela_tensor_get_bytes (tensor, &error);
  gsize rank, size;
  const gint64 *shape = candela_tensor_get_shape (tensor, &rank);
  gconstpointer data = g_bytes_get_data (bytes, &size);
  CandelaTensor *copy;

  copy = candela_tensor_new_from_data (candela_tensor_get_dtype (tensor), shape, rank, data, size, &error);
  g_assert_no_error (error);
  return copy;
}

/* The op over entries, and a scalar if there is one; what does not go together is
 * refused when it is built, and left out. The text of the parameters is consumed. */
static void
add_op (Graph *graph, const char *op, char *params_text, const guint *inputs, gsize n, CandelaNode *scalar)
{
  g_autofree char *text = params_text;
  g_autoptr (GVariant) params = read_params (text);
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) node = NULL;
  CandelaNode *nodes[4], *alone[4];
  guint n_outputs = 0;

  for (gsize i = 0; i < n; i++)
    {
      nodes[i] = graph->entries[inputs[i]].node;
      alone[i] = candela_node_new_tensor (graph->entries[inputs[i]].value);
    }
  if (scalar != NULL)
    nodes[n] = alone[n] = scalar;
  node = candela_node_new_opv (op, nodes, n + (scalar != NULL), params, &error);
  g_assert_true (node != NULL || error->domain == CANDELA_ERROR);
  if (node != NULL)
    n_outputs = candela_node_get_n_outputs (node);
  if (n_outputs > 0 && graph->n + n_outputs <= MAX_ENTRIES)
    {
      g_autoptr (CandelaNode) op_alone = candela_node_new_opv (op, alone, n + (scalar != NULL), params, &error);

      g_assert_no_error (error);
      for (guint o = 0; o < n_outputs; o++)
        {
          g_autoptr (CandelaNode) output = candela_node_get_output (op_alone, o, NULL);
          g_autoptr (CandelaPlan) plan = plan_node (output, NO_OPTIMIZATION);
          CandelaTensor **value = run_plan (plan, NULL);

          add_entry (graph, candela_node_get_output (node, o, NULL), copy_packed (value[0]));
          free_tensors (value, 1);
        }
    }
  for (gsize i = 0; i < n; i++)
    candela_node_unref (alone[i]);
}

static void
add_elementwise (Graph *graph)
{
  static const char *const unary[] = { "negative", "abs",  "square",      "relu",    "exp",  "tanh",
                                       "floor",    "sqrt", "logical_not", "sigmoid", "sign", "isnan" };
  static const char *const binary[] = { "add",      "subtract",    "multiply", "divide",       "maximum",
                                        "less",     "equal",       "add",      "floor_divide", "remainder",
                                        "subtract", "logical_and", "divmod",   "atan2" };
  static const char *const dtypes[] = { "int8", "int32", "int64", "uint8", "float32", "float64", "bool" };
  guint inputs[] = { pick_entry (graph), pick_entry (graph), pick_entry (graph) };

  switch (below (graph, 8))
    {
    case 0:
    case 1:
      add_op (graph, PICK (graph, unary), NULL, inputs, 1, NULL);
      break;
    case 2:
      add_op (graph, "astype", g_strdup_printf ("{'dtype': <'%s'>}", PICK (graph, dtypes)), inputs, 1, NULL);
      break;
    case 3:
      {
        g_autoptr (CandelaNode) scalar =
          below (graph, 2) == 0 ? candela_node_new_int (below (graph, 5)) : candela_node_new_float (0.5);

        add_op (graph, PICK (graph, binary), NULL, inputs, 1, scalar);
      }
      break;
    case 4:
      add_op (graph, "where", NULL, inputs, 3, NULL);
      break;
    default:
      add_op (graph, PICK (graph, binary), NULL, inputs, 2, NULL);
      break;
    }
}

static void
add_reduction (Graph *graph)
{
  static const char *const ops[] = { "sum", "max", "mean", "prod", "argmax", "any", "moments", "moments", "min" };
  static const char *const params[] = { NULL, "{'axis': <int64 0>}", "{'axis': <int64 -1>, 'keepdims': <true>}",
                                        "{'axis': <int64 1>}", "{'keepdims': <true>}" };
  guint input = pick_entry (graph);

  add_op (graph, PICK (graph, ops), g_strdup (PICK (graph, params)), &input, 1, NULL);
}

static void
add_view (Graph *graph)
{
  static const char *const keys[] = { "::-1", "..., 0:2", "1:", "0", "..., ::2", "None, ...", "::2, ..., ::-1", "0:1" };
  const gint64 r = 3 * graph->scale, c = 4 * graph->scale;
  guint input = pick_entry (graph);

  switch (below (graph, 10))
    {
    case 0:
    case 1:
      add_op (graph, "transpose", NULL, &input, 1, NULL);
      break;
    case 2:
      add_op (graph, "flip", g_strdup (below (graph, 2) == 0 ? NULL : "{'axis': <[int64 -1]>}"), &input, 1, NULL);
      break;
    case 3:
    case 4:
      add_op (graph, "index", g_strdup_printf ("{'key': <'%s'>}", PICK (graph, keys)), &input, 1, NULL);
      break;
    case 5:
      add_op (graph, "reshape",
              below (graph, 2) == 0 ? g_strdup ("{'shape': <[int64 -1]>}")
                                    : g_strdup_printf ("{'shape': <[int64 %d, %d]>}", (int) c, (int) r),
              &input, 1, NULL);
      break;
    case 6:
      add_op (graph, "broadcast_to", g_strdup_printf ("{'shape': <[int64 %d, %d]>}", (int) r, (int) c), &input, 1,
              NULL);
      break;
    case 7:
      add_op (graph, "identity", NULL, &input, 1, NULL);
      break;
    default:
      add_op (graph, "contiguous", NULL, &input, 1, NULL);
      break;
    }
}

/* Products are exact where numbers are small and whole, so that no library's way of
 * adding up can be seen. */
static void
add_matmul (Graph *graph)
{
  guint inputs[2] = { pick_entry (graph), pick_entry (graph) };

  if (graph->scale > 1)
    return;
  for (guint i = 0; i < 2; i++)
    if (candela_dtype_get_kind (candela_tensor_get_dtype (graph->entries[inputs[i]].value)) == CANDELA_DTYPE_KIND_FLOAT)
      {
        guint before = graph->n;

        add_op (graph, "sign", NULL, &inputs[i], 1, NULL);
        if (graph->n == before)
          return;
        inputs[i] = before;
      }
  add_op (graph, "matmul", NULL, inputs, 2, NULL);
}

/* t * 2 + t.T's maker, as a plan within the plan. */
static void
add_baked (Graph *graph)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) names = names_new ();
  guint input = pick_entry (graph);
  CandelaTensor *value = graph->entries[input].value;
  gsize rank;
  const gint64 *shape = candela_tensor_get_shape (value, &rank);
  g_autoptr (CandelaNode) inner = NULL;
  g_autoptr (CandelaNode) same = NULL;
  g_autoptr (CandelaPlan) plan = NULL;
  const char *text = "u = t + 1; contiguous(u.T).T * 3 + t";
  CandelaTensor **values;

  if (graph->n == MAX_ENTRIES)
    return;
  put_name (names, "t", candela_node_new_slot ("t", candela_tensor_get_dtype (value), shape, rank, NULL));
  inner = build (text, names);
  plan = plan_node (inner, below (graph, N_FLAGS));
  put_name (names, "t", candela_node_new_tensor (value));
  same = build (text, names);
  {
    g_autoptr (CandelaPlan) alone = plan_node (same, NO_OPTIMIZATION);

    values = run_plan (alone, NULL);
  }
  add_entry (graph, candela_node_new_baked (plan, &graph->entries[input].node, 1, &error), copy_packed (values[0]));
  g_assert_no_error (error);
  free_tensors (values, 1);
}

static void
add_something (Graph *graph)
{
  gint32 kind = below (graph, 100);

  if (kind < 50)
    add_elementwise (graph);
  else if (kind < 75)
    add_view (graph);
  else if (kind < 87)
    add_reduction (graph);
  else if (kind < 92)
    add_matmul (graph);
  else if (kind < 95)
    add_leaf (graph);
  else if (kind < 97)
    add_baked (graph);
  else if (graph->caches && graph->n < MAX_ENTRIES)
    {
      guint input = pick_entry (graph);

      add_entry (graph, candela_node_new_cache (graph->entries[input].node),
                 g_object_ref (graph->entries[input].value));
    }
}

/* ---- One graph ---- */

static void
check_run (CandelaPlan *plan, const Graph *graph, const guint *chosen, guint n, const char *what)
{
  CandelaRunStats stats;
  CandelaTensor **got = run_plan (plan, &stats);

  for (guint r = 0; r < n; r++)
    assert_tensors_same (got[r], graph->entries[chosen[r]].value, what);
  g_assert_cmpuint (stats.steps, ==, candela_plan_get_n_steps (plan));
  free_tensors (got, n);
}

/* All plans are made before one runs, and fills caches. */
static void
check_graph (Graph *graph, guint number)
{
  CandelaNode *roots[MAX_ROOTS];
  CandelaPlan *plans[N_FLAGS];
  guint chosen[MAX_ROOTS];
  guint n = 1 + below (graph, MAX_ROOTS);
  guint64 most;

  for (guint r = 0; r < n; r++)
    {
      chosen[r] = r == 0 ? graph->n - 1 : pick_entry (graph);
      roots[r] = graph->entries[chosen[r]].node;
    }
  for (guint flags = 0; flags < N_FLAGS; flags++)
    {
      g_autoptr (CandelaPlan) again = plan_roots (roots, n, flags);

      plans[flags] = plan_roots (roots, n, flags);
      g_assert_true (candela_plan_equal (plans[flags], again));
      verify_plan (plans[flags]);
    }
  most = candela_plan_get_peak_bytes (plans[NO_OPTIMIZATION]);
  for (guint flags = 0; flags < N_FLAGS; flags++)
    {
      if (candela_plan_get_peak_bytes (plans[flags]) > most)
        g_error ("graph %u, flags %u: a peak of %" G_GUINT64_FORMAT " bytes, above %" G_GUINT64_FORMAT, number, flags,
                 candela_plan_get_peak_bytes (plans[flags]), most);
      for (guint threads = 1; threads <= 3; threads += 2)
        {
          g_autofree char *what = g_strdup_printf ("graph %u, flags %u, %u threads", number, flags, threads);

          candela_set_num_threads (threads);
          check_run (plans[flags], graph, chosen, n, what);
        }
    }
  for (guint flags = 0; flags < N_FLAGS; flags++)
    candela_plan_unref (plans[flags]);
}

static void
make_and_check (guint32 seed, gint64 scale, guint size)
{
  Graph graph = { .rand = g_rand_new_with_seed (seed), .scale = scale, .caches = seed % 3 == 0 };

  for (guint i = 0; i < 3; i++)
    add_leaf (&graph);
  for (guint i = 0; i < 20 * size && graph.n < size; i++)
    add_something (&graph);
  check_graph (&graph, seed);
  for (guint i = 0; i < graph.n; i++)
    {
      candela_node_unref (graph.entries[i].node);
      g_object_unref (graph.entries[i].value);
    }
  g_rand_free (graph.rand);
}

static void
test_small (void)
{
  guint n = g_test_slow () ? 20 * N_SMALL : N_SMALL;

  for (guint32 seed = 0; seed < n; seed++)
    make_and_check (seed, 1, 5 + seed % 150);
}

/* Large enough for tiles, chunks and threads. */
static void
test_large (void)
{
  for (guint32 seed = 0; seed < N_LARGE; seed++)
    make_and_check (1000000 + seed, 100, 60);
}

/* The same with every buffer full of rubbish before it is written and after it is
 * freed, and inputs that cannot be written to. */
static void
test_poison (void)
{
  run_again ("poison", "/random/small", NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/random/small", test_small);
  g_test_add_func ("/random/large", test_large);
  g_test_add_func ("/random/poison", test_poison);
  return g_test_run ();
}
