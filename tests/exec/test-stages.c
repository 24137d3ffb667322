/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ops that hand their values on in vector registers. Random graphs of them, with ops
 * between that have loops only, over arrays that start anywhere, strided ones, and
 * scalars: every result has the bits of the same expressions written here for one
 * element, at every length around a block and a tile, whatever the flags, the threads
 * and the instruction set are. */
#include "../testing.h"

#include <pthread.h>

#define MAX_ENTRIES 64
#define N_LEAVES 7

typedef enum {
  ADD,
  SUBTRACT,
  MULTIPLY,
  MAXIMUM,
  MINIMUM,
  N_BINARY_INTEGER,
  DIVIDE = N_BINARY_INTEGER,
  N_BINARY,
  SQUARE = N_BINARY,
  ABS,
  NEGATIVE,
  RELU,
  SIGN, /* has loops only */
  N_UNARY_INTEGER,
  SQRT = N_UNARY_INTEGER,
  RECIPROCAL,
  N_UNARY
} Op;

static const char *const op_names[] = { "add", "subtract", "multiply", "maximum", "minimum", "divide",    "square",
                                        "abs", "negative", "relu",     "sign",    "sqrt",    "reciprocal" };

/* Integers in the unsigned type of 64 bits: what overflows wraps, and the low bits
 * are those of the narrow result. */
#define EVALUATE_BINARY(T, W, a, b)                                                                                    \
  (op == ADD        ? (T) ((W) a + (W) b)                                                                              \
   : op == SUBTRACT ? (T) ((W) a - (W) b)                                                                              \
   : op == MULTIPLY ? (T) ((W) a * (W) b)                                                                              \
   : op == MAXIMUM  ? (a != a || a >= b ? a : b)                                                                       \
                    : (a != a || a <= b ? a : b))
#define EVALUATE_UNARY(T, W, a)                                                                                        \
  (op == SQUARE     ? (T) ((W) a * (W) a)                                                                              \
   : op == NEGATIVE ? (T) (-(W) a)                                                                                     \
   : op == RELU     ? (a > 0 || a == 0 ? a : (T) 0)                                                                    \
   : op == ABS      ? (a > 0 || a == 0 ? a : (T) (-(W) a))                                                             \
                    : (T) (a > 0    ? 1                                                                                \
                           : a == 0 ? 0                                                                                \
                                    : -1))

#define EVALUATE_INTEGER(T)                                                                                            \
  static void evaluate_##T (Op op, const T *a, const T *b, T *out, gint64 n)                                           \
  {                                                                                                                    \
    for (gint64 i = 0; i < n; i++)                                                                                     \
      out[i] = op < N_BINARY ? EVALUATE_BINARY (T, guint64, a[i], b[i]) : EVALUATE_UNARY (T, guint64, a[i]);           \
  }

#define EVALUATE_FLOAT(T, SQRT_OF, ABS_OF)                                                                             \
  static T evaluate_one_##T (Op op, T a, T b)                                                                          \
  {                                                                                                                    \
    if (op == DIVIDE)                                                                                                  \
      return a / b;                                                                                                    \
    if (op < N_BINARY)                                                                                                 \
      return EVALUATE_BINARY (T, T, a, b);                                                                             \
    if (op == SQRT)                                                                                                    \
      return SQRT_OF (a);                                                                                              \
    if (op == RECIPROCAL)                                                                                              \
      return 1 / a;                                                                                                    \
    if (op == ABS)                                                                                                     \
      return ABS_OF (a);                                                                                               \
    return a != a ? a : EVALUATE_UNARY (T, T, a);                                                                      \
  }                                                                                                                    \
                                                                                                                       \
  static void evaluate_##T (Op op, const T *a, const T *b, T *out, gint64 n)                                           \
  {                                                                                                                    \
    for (gint64 i = 0; i < n; i++)                                                                                     \
      out[i] = evaluate_one_##T (op, a[i], b[i]);                                                                      \
  }

EVALUATE_INTEGER (gint8)
EVALUATE_INTEGER (guint8)
EVALUATE_INTEGER (gint16)
EVALUATE_INTEGER (guint16)
EVALUATE_INTEGER (gint32)
EVALUATE_INTEGER (guint32)
EVALUATE_INTEGER (gint64)
EVALUATE_INTEGER (guint64)
EVALUATE_FLOAT (float, sqrtf, fabsf)
EVALUATE_FLOAT (double, sqrt, fabs)

typedef void (*Evaluate) (Op op, gconstpointer a, gconstpointer b, gpointer out, gint64 n);

static const struct
{
  CandelaDType dtype;
  Evaluate evaluate;
} dtypes[] = {
  { CANDELA_DTYPE_FLOAT32, (Evaluate) evaluate_float },  { CANDELA_DTYPE_FLOAT64, (Evaluate) evaluate_double },
  { CANDELA_DTYPE_INT32, (Evaluate) evaluate_gint32 },   { CANDELA_DTYPE_INT64, (Evaluate) evaluate_gint64 },
  { CANDELA_DTYPE_UINT32, (Evaluate) evaluate_guint32 }, { CANDELA_DTYPE_UINT64, (Evaluate) evaluate_guint64 },
  { CANDELA_DTYPE_INT8, (Evaluate) evaluate_gint8 },     { CANDELA_DTYPE_UINT8, (Evaluate) evaluate_guint8 },
  { CANDELA_DTYPE_INT16, (Evaluate) evaluate_gint16 },   { CANDELA_DTYPE_UINT16, (Evaluate) evaluate_guint16 },
};

/* ---- Graphs ---- */

typedef struct
{
  GRand *rand;
  guint dtype; /* in dtypes */
  gint64 n;
  CandelaNode *nodes[MAX_ENTRIES];
  CandelaTensor *values[MAX_ENTRIES]; /* packed, of n elements */
  guint n_entries;
} Graph;

static guint
below (Graph *graph, guint n)
{
  return (guint) g_rand_int_range (graph->rand, 0, (gint32) n);
}

/* Any bits as an integer; floats of every kind. */
static void
fill (Graph *graph, CandelaTensor *tensor)
{
  static const double specials[] = {
    0, -0.0, NAN, INFINITY, -INFINITY, 1e-40, -3e-45, 5e-324, -1e-310, 3.4e38, 1.7e308
  };
  gpointer data = candela_tensor_get_writable_data (tensor);
  CandelaDType dtype = candela_tensor_get_dtype (tensor);
  gsize size = candela_dtype_get_size (dtype);

  for (gint64 i = 0; i < candela_tensor_get_n_elements (tensor); i++)
    {
      gboolean special = below (graph, 12) == 0;
      double number =
        special ? specials[below (graph, G_N_ELEMENTS (specials))] : g_rand_double_range (graph->rand, -4, 4);
      guint64 bits = (guint64) g_rand_int (graph->rand) << 32 | g_rand_int (graph->rand);

      if (dtype == CANDELA_DTYPE_FLOAT32)
        ((float *) data)[i] = (float) number;
      else if (dtype == CANDELA_DTYPE_FLOAT64)
        ((double *) data)[i] = number;
      else
        memcpy ((guint8 *) data + i * (gint64) size, &bits, size);
    }
}

static CandelaTensor *
new_tensor (Graph *graph, gint64 n)
{
  g_autoptr (GError) error = NULL;
  CandelaTensor *tensor = candela_tensor_new (dtypes[graph->dtype].dtype, &n, 1, &error);

  g_assert_no_error (error);
  return tensor;
}

static void
add_entry (Graph *graph, CandelaNode *node, CandelaTensor *value)
{
  graph->nodes[graph->n_entries] = node;
  graph->values[graph->n_entries++] = value;
}

/* An array, or what text makes of an array of so many elements and more. */
static void
add_leaf (Graph *graph, const char *text, gint64 n)
{
  g_autoptr (CandelaTensor) tensor = new_tensor (graph, n);
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaNode) node = NULL;
  g_autoptr (CandelaTensor) part = NULL;
  g_autoptr (GError) error = NULL;
  CandelaTensor *value = new_tensor (graph, graph->n);
  gsize size = candela_dtype_get_size (dtypes[graph->dtype].dtype);

  fill (graph, tensor);
  put_name (names, "x", candela_node_new_tensor (tensor));
  node = build (text, names);
  part = candela_node_materialize (node, &error);
  g_assert_no_error (error);
  /* One element stands for all. */
  for (gint64 i = 0; i < graph->n; i++)
    memcpy ((guint8 *) candela_tensor_get_writable_data (value) + i * (gint64) size,
            element_at (part, candela_tensor_get_n_elements (part) == 1 ? 0 : i), size);
  add_entry (graph, g_steal_pointer (&node), value);
}

static void
add_leaves (Graph *graph)
{
  g_autofree char *reversed = g_strdup_printf ("x[%" G_GINT64_FORMAT "::-1]", graph->n - 1);
  g_autofree char *strided = g_strdup_printf ("x[:%" G_GINT64_FORMAT ":2]", 2 * graph->n);
  gboolean late = below (graph, 2) == 0;

  add_leaf (graph, "x", graph->n);
  add_leaf (graph, "x", graph->n);
  add_leaf (graph, "x[1:]", graph->n + 1); /* not aligned */
  add_leaf (graph, "x[3:]", graph->n + 3);
  add_leaf (graph, "x", 1);
  /* With either of these there are tiles. */
  add_leaf (graph, late ? strided : "x[2:]", late ? 2 * graph->n : graph->n + 2);
  add_leaf (graph, late ? reversed : "x", graph->n);
  g_assert_cmpuint (graph->n_entries, ==, N_LEAVES);
}

static void
add_op (Graph *graph, Op op, guint x, guint y)
{
  CandelaNode *inputs[] = { graph->nodes[x], graph->nodes[y] };
  g_autoptr (GError) error = NULL;
  CandelaNode *node = candela_node_new_opv (op_names[op], inputs, op < N_BINARY ? 2 : 1, NULL, &error);
  CandelaTensor *value;

  g_assert_no_error (error);
  value = new_tensor (graph, graph->n);
  dtypes[graph->dtype].evaluate (op, candela_tensor_get_data (graph->values[x]),
                                 candela_tensor_get_data (graph->values[y]), candela_tensor_get_writable_data (value),
                                 graph->n);
  add_entry (graph, node, value);
}

static gboolean
is_floating (const Graph *graph)
{
  return candela_dtype_get_kind (dtypes[graph->dtype].dtype) == CANDELA_DTYPE_KIND_FLOAT;
}

static void
add_scalar (Graph *graph)
{
  gint64 integer = below (graph, 100);
  double number = ((double) below (graph, 100) - 50) / 16;
  CandelaTensor *value = new_tensor (graph, graph->n);
  gsize size = candela_dtype_get_size (dtypes[graph->dtype].dtype);
  guint8 *data = candela_tensor_get_writable_data (value);

  for (gint64 i = 0; i < graph->n; i++)
    if (!is_floating (graph))
      memcpy (data + i * (gint64) size, &integer, size);
    else if (size == sizeof (float))
      ((float *) data)[i] = (float) number;
    else
      ((double *) data)[i] = number;
  add_entry (graph, is_floating (graph) ? candela_node_new_float (number) : candela_node_new_int (integer), value);
}

/* Chains that look back now and then, and begin anew. */
static void
add_ops (Graph *graph, guint n_ops)
{
  guint n_binary = is_floating (graph) ? N_BINARY : N_BINARY_INTEGER;
  guint n_unary = (is_floating (graph) ? N_UNARY : N_UNARY_INTEGER) - N_BINARY;
  guint acc = 0;

  for (guint k = 0; k < n_ops; k++)
    {
      guint other = below (graph, 8) == 0 ? acc : below (graph, graph->n_entries);

      if (below (graph, 3) == 0)
        {
          add_scalar (graph);
          other = graph->n_entries - 1;
        }
      if (below (graph, 4) == 0)
        add_op (graph, N_BINARY + below (graph, n_unary), acc, acc);
      else if (below (graph, 2) == 0)
        add_op (graph, below (graph, n_binary), acc, other);
      else
        add_op (graph, below (graph, n_binary), other, acc);
      acc = below (graph, 6) == 0 ? below (graph, 4) : graph->n_entries - 1;
    }
}

static void
clear_graph (Graph *graph)
{
  for (guint i = 0; i < graph->n_entries; i++)
    {
      candela_node_unref (graph->nodes[i]);
      g_object_unref (graph->values[i]);
    }
  g_rand_free (graph->rand);
}

/* Several results: the last value, and some before it. */
static void
check_graph (guint dtype, gint64 n, guint32 seed)
{
  Graph graph = { .rand = g_rand_new_with_seed (seed), .dtype = dtype, .n = n };
  g_autofree char *what =
    g_strdup_printf ("%s, n = %" G_GINT64_FORMAT ", seed %u", candela_dtype_get_name (dtypes[dtype].dtype), n, seed);
  CandelaNode *roots[3];
  CandelaTensor *wanted[3];
  guint n_roots = 0;

  add_leaves (&graph);
  add_ops (&graph, 1 + below (&graph, 20));
  for (guint i = graph.n_entries; i-- > N_LEAVES && n_roots < 1 + seed % 3;)
    if (candela_node_get_kind (graph.nodes[i]) == CANDELA_NODE_OP)
      {
        roots[n_roots] = graph.nodes[i];
        wanted[n_roots++] = graph.values[i];
        i -= below (&graph, 3);
      }
  check_roots (roots, wanted, n_roots, what);
  clear_graph (&graph);
}

static void
test_random (void)
{
  /* Around blocks of 16 to 512 elements and tiles of 1024; up to 4096, only what has
   * conversions or strides is run in stages. */
  static const gint64 lengths[] = { 1,    15,   63,   65,   127,  129,  255,  256,  257,  511,  513,  769,
                                    1023, 1024, 1025, 2049, 4096, 4097, 4111, 4223, 4353, 4607, 5121, 6143 };
  guint32 seed = 1;

  for (guint dtype = 0; dtype < G_N_ELEMENTS (dtypes); dtype++)
    for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
      check_graph (dtype, lengths[l], seed++);
}

/* Values that are read again after others, on either side, more than there are registers
 * for. */
static void
check_read_again (guint dtype, Op op, gint64 n)
{
  Graph graph = { .rand = g_rand_new_with_seed (op), .dtype = dtype, .n = n };
  g_autofree char *what =
    g_strdup_printf ("%s, %s, n = %" G_GINT64_FORMAT, candela_dtype_get_name (dtypes[dtype].dtype), op_names[op], n);
  guint t, last;

  add_leaves (&graph);
  t = graph.n_entries;
  add_op (&graph, ADD, 0, 1);
  add_op (&graph, SUBTRACT, 0, t);
  add_op (&graph, MULTIPLY, 1, t + 1);
  add_op (&graph, MAXIMUM, t, t + 2);
  add_op (&graph, op, t + 3, t + 1);
  add_op (&graph, op, t + 2, t + 4);
  add_op (&graph, op, t + 5, t + 5);
  add_op (&graph, op, t + 6, t);
  add_op (&graph, op, t + 1, t + 7);
  add_op (&graph, ABS, t + 4, t + 4);
  add_op (&graph, op, t + 9, t + 8);
  last = graph.n_entries - 1;
  check_roots (&graph.nodes[last], &graph.values[last], 1, what);
  clear_graph (&graph);
}

static void
test_read_again (void)
{
  for (guint dtype = 0; dtype < G_N_ELEMENTS (dtypes); dtype++)
    for (Op op = 0; op < N_BINARY; op++)
      if (op < N_BINARY_INTEGER || candela_dtype_get_kind (dtypes[dtype].dtype) == CANDELA_DTYPE_KIND_FLOAT)
        check_read_again (dtype, op, 2053);
}

/* Every other element, as the operand that comes first, second, alone, with itself, beside
 * what was just computed; of an array that ends with the last one that is read. */
static void
test_alternate (void)
{
  static const gint64 lengths[] = { 255, 512, 2048, 2053 };

  for (guint dtype = 0; dtype < G_N_ELEMENTS (dtypes); dtype++)
    for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
      for (guint pattern = 0; pattern < 7; pattern++)
        {
          Graph graph = { .rand = g_rand_new_with_seed (pattern), .dtype = dtype, .n = lengths[l] };
          g_autofree char *what = g_strdup_printf ("%s, n = %" G_GINT64_FORMAT ", pattern %u",
                                                   candela_dtype_get_name (dtypes[dtype].dtype), lengths[l], pattern);
          guint last;

          add_leaf (&graph, "x[::2]", 2 * graph.n - 1);
          add_leaf (&graph, "x[1::2]", 2 * graph.n);
          add_leaf (&graph, "x", graph.n);
          add_scalar (&graph);
          add_op (&graph, pattern == 0 ? SQUARE : SUBTRACT, pattern == 1 ? 2 : 0,
                  pattern == 5   ? 1
                  : pattern == 6 ? 0
                                 : 2);
          add_op (&graph, SUBTRACT, pattern == 2 ? 3 : 4, pattern == 2 ? 4 : 3);
          add_op (&graph, SUBTRACT, pattern == 3 ? 0 : 5, pattern == 3 ? 5 : pattern == 4 ? 0 : 2);
          last = graph.n_entries - 1;
          check_roots (&graph.nodes[last], &graph.values[last], 1, what);
          clear_graph (&graph);
        }
}

/* A function of a library between may use any register. */
static void
test_calls_between (void)
{
  static const Given given[] = { { "s", "float32", "", "1.25" } };
  g_autoptr (GHashTable) names = bind_names (given, 1);
  Graph graph = { .rand = g_rand_new_with_seed (3), .dtype = 0, .n = 5000 };
  g_autoptr (CandelaExpression) expression = NULL;
  g_autoptr (CandelaPlan) plan = NULL;
  CandelaTensor **wanted;
  CandelaNode *root;

  add_leaf (&graph, "x", graph.n);
  put_name (names, "x", candela_node_ref (graph.nodes[0]));
  expression = parse ("t = x * 2.0 + s; u = x - s; v = abs(t) ** s; w = exp(u) + v; y = (w - u) * t; y", names);
  root = get_named (expression, "y");
  plan = plan_roots (&root, 1, NO_OPTIMIZATION);
  wanted = run_plan (plan, NULL);
  check_roots (&root, wanted, 1, "calls between");
  free_tensors (wanted, 1);
  clear_graph (&graph);
}

static void
test_chunks (void)
{
  static const gint64 lengths[] = { 65535, 65536, 65537, 131101 };

  for (guint dtype = 0; dtype < 3; dtype++)
    for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
      check_graph (dtype, lengths[l], 1000 + dtype * 10 + l);
}

/* Results that are stored past the caches, one of which is read again. */
static void
test_streamed (void)
{
  static const Given given[] = { { "s", "float32", "", "0.75" } };
  g_autoptr (GHashTable) names = bind_names (given, 1);
  Graph graph = { .rand = g_rand_new_with_seed (7), .dtype = 0, .n = 4 * 1024 * 1024 + 5 };
  g_autoptr (CandelaExpression) expression = NULL;
  CandelaNode *roots[2];
  CandelaTensor **wanted = NULL, **got = NULL;

  add_leaf (&graph, "x[1:]", graph.n + 1);
  put_name (names, "x", candela_node_ref (graph.nodes[0]));
  expression = parse ("t = x * 2.0 + s; u = (t * t - x) / t; u", names);
  roots[0] = get_named (expression, "t");
  roots[1] = get_named (expression, "u");
  for (guint flags = 0; flags <= CANDELA_PLAN_NO_FUSION; flags += CANDELA_PLAN_NO_FUSION)
    {
      g_autoptr (CandelaPlan) plan = plan_roots (roots, 2, flags);

      got = run_plan (plan, NULL);
      if (flags == 0)
        wanted = got;
    }
  for (guint r = 0; r < 2; r++)
    assert_tensors_same (got[r], wanted[r], "stored past the caches");
  free_tensors (got, 2);
  free_tensors (wanted, 2);
  clear_graph (&graph);
}

/* Reductions between, rows of which are run block by block: what is one number may not
 * be there when the stages are made, and a large result may be read again at once. */
static void
test_rows (void)
{
  static const gint64 shapes[][2] = { { 1, 5000 }, { 7, 1000 }, { 300, 129 }, { 3, 400 * 1024 + 3 } };

  for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
    {
      Graph graph = { .rand = g_rand_new_with_seed (s), .dtype = 1, .n = shapes[s][0] * shapes[s][1] };
      g_autofree char *reshaped = g_strdup_printf ("reshape(x, [%" G_GINT64_FORMAT ", -1])", shapes[s][0]);
      g_autoptr (GHashTable) names = names_new ();
      g_autoptr (CandelaExpression) expression = NULL;
      g_autoptr (CandelaPlan) plan = NULL;
      CandelaTensor **wanted;
      CandelaNode *roots[3];

      add_leaf (&graph, reshaped, graph.n);
      put_name (names, "x", candela_node_ref (graph.nodes[0]));
      expression = parse ("m = max(abs(x), axis=-1, keepdims=true); y = x * 2.0 - m; z = y * y + x;"
                          "w = z / sum(z, axis=-1, keepdims=true); w",
                          names);
      roots[0] = get_named (expression, "y");
      roots[1] = get_named (expression, "z");
      roots[2] = get_named (expression, "w");
      plan = plan_roots (roots, 3, NO_OPTIMIZATION);
      wanted = run_plan (plan, NULL);
      check_roots (roots + 2, wanted + 2, 1, reshaped);
      check_roots (roots, wanted, 3, reshaped);
      free_tensors (wanted, 3);
      clear_graph (&graph);
    }
}

/* A stage calls the next one as a jump: however many there are, the stack stays. */
static gpointer
run_long_chains (gpointer data)
{
  for (guint dtype = 0; dtype < G_N_ELEMENTS (dtypes); dtype++)
    {
      Graph graph = { .rand = g_rand_new_with_seed (dtype), .dtype = dtype, .n = 4096 };
      guint n_ops = is_floating (&graph) ? N_UNARY : N_UNARY_INTEGER;

      for (Op op = 0; op < n_ops; op++)
        if (op < N_BINARY_INTEGER || op >= N_BINARY || is_floating (&graph))
          {
            g_autoptr (CandelaTensor) tensor = new_tensor (&graph, graph.n);
            g_autoptr (CandelaNode) x = candela_node_new_tensor (tensor);
            g_autoptr (CandelaNode) node = candela_node_ref (x);
            g_autoptr (CandelaTensor) value = NULL;
            g_autoptr (GError) error = NULL;

            fill (&graph, tensor);
            for (guint k = 0; k < 250; k++)
              {
                CandelaNode *inputs[] = { k % 2 == 0 ? node : x, k % 2 == 0 ? x : node };
                CandelaNode *next;

                next = candela_node_new_opv (op_names[op], op < N_BINARY ? inputs : &node, op < N_BINARY ? 2 : 1, NULL,
                                             &error);
                g_assert_no_error (error);
                candela_node_unref (node);
                node = next;
              }
            value = candela_node_materialize (node, &error);
            g_assert_no_error (error);
          }
      g_rand_free (graph.rand);
    }
  return NULL;
}

static void
test_small_stack (void)
{
  pthread_attr_t attributes;
  pthread_t thread;

  g_assert_cmpint (pthread_attr_init (&attributes), ==, 0);
  g_assert_cmpint (pthread_attr_setstacksize (&attributes, 96 * 1024), ==, 0);
  candela_set_num_threads (1);
  g_assert_cmpint (pthread_create (&thread, &attributes, run_long_chains, NULL), ==, 0);
  g_assert_cmpint (pthread_join (thread, NULL), ==, 0);
  candela_set_num_threads (0);
  pthread_attr_destroy (&attributes);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stages/random", test_random);
  g_test_add_func ("/stages/read-again", test_read_again);
  g_test_add_func ("/stages/alternate", test_alternate);
  g_test_add_func ("/stages/calls-between", test_calls_between);
  g_test_add_func ("/stages/chunks", test_chunks);
  g_test_add_func ("/stages/streamed", test_streamed);
  g_test_add_func ("/stages/rows", test_rows);
  g_test_add_func ("/stages/small-stack", test_small_stack);
  g_test_add_func ("/stages/instruction-sets", run_with_instruction_sets);
  return g_test_run ();
}
