/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Random graphs of what the engine runs together: element-wise regions with several
 * results, reductions that are read again per row, products with what follows them,
 * and views between all of these. A graph is also text: statements of the expression
 * language, by which a failure can be told and tried again. Each op is computed by
 * itself too, over values that were computed before, and held against reference.h. */
#pragma once

#include "reference.h"
#include <sys/mman.h>
#include <unistd.h>

#define MAX_VALUES 120
#define NOTHING G_MAXUINT

typedef struct
{
  char *name;
  CandelaNode *node;
  CandelaTensor *value; /* computed op by op, packed */
  char *statement;      /* that makes it; NULL: the one of the value before does */
  guint sources[REFERENCE_MAX_INPUTS];
  guint n_sources;
} Value;

/* An input of which the layout is not the packed one, or which is bound when a plan runs. */
typedef struct
{
  char *name;
  CandelaTensor *tensor; /* over memory that cannot be written to, and ends where no memory is */
  CandelaTensor *copy;
} Input;

typedef struct
{
  GRand *rand;
  const char *kind; /* which test it is of, with the seed all that is needed to make it again */
  guint32 seed;
  gint64 full[4]; /* the shape that leaves have, or are broadcast to */
  gsize rank;
  gint64 limit;   /* of the elements of a value */
  gboolean plain; /* no curves: the same bits from every instruction set */
  gboolean wild;  /* NaN and infinities */
  gboolean slots; /* inputs are bound when a plan runs */
  gboolean caches;
  Value values[MAX_VALUES];
  guint n;
  Input inputs[MAX_VALUES];
  guint n_inputs;
  gboolean products;         /* of which the bits depend on the layouts of the operands */
  GHashTable *names, *alone; /* the same names as nodes of the graph, and as values */
  GString *text;
} Graph;

/* The graph at hand, for when the engine ends the process. */
static const Graph *current;

static gint32
below (Graph *graph, gint32 n)
{
  return g_rand_int_range (graph->rand, 0, n);
}

static gboolean
chance (Graph *graph, guint percent)
{
  return below (graph, 100) < (gint32) percent;
}

#define PICK(graph, table) ((table)[below ((graph), G_N_ELEMENTS (table))])

G_GNUC_PRINTF (2, 3)
static void
fail (const Graph *graph, const char *format, ...)
{
  va_list arguments;
  g_autofree char *text = NULL;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  current = NULL;
  g_error ("%s, seed %u: %s; the graph is\n%s", graph->kind, graph->seed, text, graph->text->str);
}

/* ---- Values ---- */

static const gint64 *
shape_of (const Graph *graph, guint v, gsize *rank)
{
  return candela_tensor_get_shape (graph->values[v].value, rank);
}

static CandelaDType
dtype_of (const Graph *graph, guint v)
{
  return candela_tensor_get_dtype (graph->values[v].value);
}

static Kinds
kind_of (const Graph *graph, guint v)
{
  CandelaDType dtype = dtype_of (graph, v);

  return dtype == CANDELA_DTYPE_BOOL ? OF_BOOL : is_float (dtype) ? OF_FLOAT : OF_INT;
}

static CandelaTensor *
copy_packed (CandelaTensor *tensor)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = candela_tensor_get_bytes (tensor, &error);
  gsize rank, size;
  const gint64 *shape = candela_tensor_get_shape (tensor, &rank);
  gconstpointer data = g_bytes_get_data (bytes, &size);
  CandelaTensor *copy =
    candela_tensor_new_from_data (candela_tensor_get_dtype (tensor), shape, rank, data, size, &error);

  g_assert_no_error (error);
  return copy;
}

/* All that is given is taken over, but for the sources. */
static guint
add_value (Graph *graph, char *name, CandelaNode *node, CandelaTensor *value, char *statement, const guint *sources,
           guint n_sources)
{
  Value *entry = &graph->values[graph->n];

  g_assert_cmpuint (graph->n, <, MAX_VALUES);
  *entry = (Value){ .name = name, .node = node, .value = value, .statement = statement, .n_sources = n_sources };
  for (guint i = 0; i < n_sources; i++)
    entry->sources[i] = sources[i];
  if (statement != NULL)
    g_string_append (graph->text, statement);
  g_hash_table_insert (graph->names, name, candela_node_ref (node));
  g_hash_table_insert (graph->alone, name, candela_node_new_tensor (value));
  return graph->n++;
}

/* One of those of the last few more often, so that graphs grow deep. */
static guint
pick_value (Graph *graph, Kinds kinds)
{
  for (guint i = 0; i < 20; i++)
    {
      double x = g_rand_double (graph->rand);
      guint v = graph->n - 1 - (guint) (x * x * x * graph->n);

      if ((kind_of (graph, v) & kinds) != 0)
        return v;
    }
  return NOTHING;
}

/* ---- Leaves ---- */

static double
ordinary_number (Graph *graph, CandelaDType dtype, double scale, double shift)
{
  switch (below (graph, 24))
    {
    case 0:
      return -0.0;
    case 1:
      return 0;
    case 2:
      return below (graph, 7) - 3;
    case 3:
      return (below (graph, 2) * 2 - 1) * (dtype == CANDELA_DTYPE_FLOAT32 ? 1e-40 : 1e-310); /* denormal */
    default:
      return shift + g_rand_double_range (graph->rand, -scale, scale);
    }
}

static void
fill (Graph *graph, CandelaDType dtype, gpointer data, gint64 n)
{
  static const double scales[] = { 1, 3, 3, 10, 100 };
  static const double wild[] = { NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, FLT_MIN, 1e-45, 88.8, -104 };
  const double scale = PICK (graph, scales), shift = chance (graph, 10) ? 1000 : 0;
  const gsize size = candela_dtype_get_size (dtype);

  for (gint64 i = 0; i < n; i++)
    {
      gint64 integer = below (graph, 21) - 10;
      double number = is_float (dtype) ? ordinary_number (graph, dtype, scale, shift) : 0;

      if (dtype == CANDELA_DTYPE_FLOAT32)
        ((float *) data)[i] = (float) number;
      else if (dtype == CANDELA_DTYPE_FLOAT64)
        ((double *) data)[i] = number;
      else if (dtype == CANDELA_DTYPE_BOOL)
        ((guint8 *) data)[i] = integer > 0;
      else
        memcpy ((guint8 *) data + i * (gint64) size, &integer, size); /* little-endian or not: any bits will do */
    }
  for (guint i = 0; graph->wild && is_float (dtype) && i < 2 && n > 0; i++)
    {
      gint64 place = (gint64) (g_rand_double (graph->rand) * n);

      if (dtype == CANDELA_DTYPE_FLOAT32)
        ((float *) data)[place] = (float) PICK (graph, wild);
      else
        ((double *) data)[place] = PICK (graph, wild);
    }
}

typedef struct
{
  gpointer memory;
  gsize size;
} Mapping;

static void
unmap (gpointer data)
{
  Mapping *mapping = data;

  munmap (mapping->memory, mapping->size);
  g_free (mapping);
}

/* Numbers in memory that cannot be written to, and that begins (odd: ends) where
 * there is none that could be read. */
static CandelaTensor *
new_guarded (Graph *graph, CandelaDType dtype, CandelaLayout *layout, gboolean odd)
{
  g_autoptr (GError) error = NULL;
  const gsize page = (gsize) sysconf (_SC_PAGESIZE);
  Mapping *mapping = g_new (Mapping, 1);
  gsize bytes, room;
  guint8 *data;
  gint64 first, end;
  CandelaTensor *tensor;

  candela_layout_get_extent (layout, &first, &end);
  bytes = (gsize) end * candela_dtype_get_size (dtype);
  room = MAX ((bytes + page - 1) / page, 1) * page;
  mapping->size = room + 2 * page;
  mapping->memory = mmap (NULL, mapping->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  g_assert_true (mapping->memory != MAP_FAILED);
  data = (guint8 *) mapping->memory + page;
  g_assert_cmpint (mprotect (data, room, PROT_READ | PROT_WRITE), ==, 0);
  fill (graph, dtype, data + (odd ? room - bytes : 0), end);
  g_assert_cmpint (mprotect (data, room, PROT_READ), ==, 0);
  tensor = candela_tensor_new_foreign (dtype, layout, data + (odd ? room - bytes : 0), bytes, CANDELA_MEMORY_READ_ONLY,
                                       unmap, mapping, &error);
  g_assert_no_error (error);
  return tensor;
}

/* The shape, packed or under strides of other kinds. */
static CandelaLayout *
new_layout (Graph *graph, const gint64 *shape, gsize rank, const char **how)
{
  g_autoptr (GError) error = NULL;
  gint64 strides[4], stride = 1, offset = 0;
  gint32 kind = below (graph, 100);
  CandelaLayout *layout;

  *how = kind < 60 ? "packed" : kind < 72 ? "transposed" : kind < 84 ? "padded" : "reversed";
  for (gsize k = 0; k < rank; k++)
    {
      gsize axis = kind >= 60 && kind < 72 ? k : rank - 1 - k;

      strides[axis] = stride;
      stride *= shape[axis] + (kind >= 72 && kind < 84 ? 1 : 0);
    }
  if (kind >= 72 && kind < 84)
    offset = 1;
  if (kind >= 84 && rank > 0)
    {
      offset = (shape[rank - 1] - 1) * strides[rank - 1];
      strides[rank - 1] *= -1;
    }
  layout = candela_layout_new_strided (shape, rank, strides, rank, offset, &error);
  g_assert_no_error (error);
  return layout;
}

static guint
add_leaf (Graph *graph, CandelaDType dtype, const gint64 *shape, gsize rank)
{
  const char *how;
  g_autoptr (CandelaLayout) layout = new_layout (graph, shape, rank, &how);
  g_autofree char *shape_text = candela_shape_to_string (shape, rank);
  gboolean odd = chance (graph, 50), slot = graph->slots && chance (graph, 60);
  Input *input = &graph->inputs[graph->n_inputs];
  CandelaNode *node;
  char *statement;

  input->tensor = new_guarded (graph, dtype, layout, odd);
  input->copy = copy_packed (input->tensor);
  input->name = g_strdup_printf ("x%u", graph->n_inputs++);
  node = slot ? candela_node_new_slot (input->name, dtype, shape, rank, NULL) : candela_node_new_tensor (input->tensor);
  statement = g_strdup_printf ("# %s: %s %s, %s%s%s\n", input->name, candela_dtype_get_name (dtype), shape_text, how,
                               odd ? ", at the end of its memory" : "", slot ? ", a slot" : "");
  return add_value (graph, g_strdup (input->name), node, g_object_ref (input->copy), statement, NULL, 0);
}

static CandelaDType
pick_dtype (Graph *graph, Kinds kinds)
{
  static const CandelaDType whole[] = { CANDELA_DTYPE_INT8, CANDELA_DTYPE_UINT8, CANDELA_DTYPE_UINT16,
                                        CANDELA_DTYPE_INT32, CANDELA_DTYPE_INT64 };

  if (kinds == OF_BOOL)
    return CANDELA_DTYPE_BOOL;
  if (kinds == OF_INT)
    return PICK (graph, whole);
  return chance (graph, 65) ? CANDELA_DTYPE_FLOAT32 : CANDELA_DTYPE_FLOAT64;
}

/* Of the full shape, or of one that is broadcast to it: a row, a column, [N, 1, D] ... */
static guint
add_any_leaf (Graph *graph)
{
  gint64 shape[4];
  gint32 kind = below (graph, 100);
  gsize skip = kind < 60 || graph->rank == 0 ? 0 : (gsize) below (graph, (gint32) graph->rank + 1);

  for (gsize k = skip; k < graph->rank; k++)
    shape[k - skip] = kind >= 45 && chance (graph, 35) ? 1 : graph->full[k];
  return add_leaf (graph,
                   pick_dtype (graph, chance (graph, 75)   ? OF_FLOAT
                                      : chance (graph, 70) ? OF_INT
                                                           : OF_BOOL),
                   shape, graph->rank - skip);
}

/* ---- Ops ---- */

static void
append_axes (GString *text, const char *name, guint32 axes, gsize rank)
{
  const char *comma = "";

  g_string_append_printf (text, ", %s=[", name);
  for (gsize k = 0; k < rank; k++)
    if ((axes >> k & 1) != 0)
      {
        g_string_append_printf (text, "%s%d", comma, (int) k);
        comma = ", ";
      }
  g_string_append (text, "]");
}

/* The op as a call. */
static char *
op_text (const Graph *graph, const Op *op)
{
  GString *text = g_string_new (op->name);
  const gboolean single = g_str_has_prefix (op->name, "arg");

  g_string_append (text, " (");
  for (guint i = 0; i < op->n_inputs; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", graph->values[op->inputs[i]].name);
  if (op->literal != NULL)
    g_string_append_printf (text, ", %s", op->literal);
  if (op->reduces)
    {
      gsize rank;
      guint32 all;

      shape_of (graph, op->inputs[0], &rank);
      all = (1u << rank) - 1;
      if (op->axes != all && single)
        g_string_append_printf (text, ", axis=%d", g_bit_nth_lsf (op->axes, -1));
      else if (op->axes != all)
        append_axes (text, "axis", op->axes, rank);
      if (op->keepdims)
        g_string_append (text, ", keepdims=true");
    }
  if (op->params != NULL)
    g_string_append_printf (text, ", %s", op->params);
  g_string_append (text, ")");
  return g_string_free (text, FALSE);
}

/* A literal is an input of the dtype of the first. */
static CandelaTensor *
literal_tensor (const Graph *graph, const Op *op)
{
  const char *dtype = candela_dtype_get_name (dtype_of (graph, op->inputs[0]));

  return make_tensor (dtype, "", op->literal);
}

static void
check_alone (Graph *graph, const Op *op, guint first)
{
  CandelaTensor *inputs[REFERENCE_MAX_INPUTS];
  g_autoptr (CandelaTensor) literal = NULL;
  guint n = op->n_inputs;

  for (guint i = 0; i < n; i++)
    inputs[i] = graph->values[op->inputs[i]].value;
  if (op->literal != NULL)
    inputs[n++] = literal = literal_tensor (graph, op);
  for (guint v = first; v < graph->n; v++)
    {
      g_autofree char *problem = reference_check (op, inputs, n, graph->values[v].value, v - first, 3000);

      if (problem != NULL)
        fail (graph, "%s: %s", graph->values[v].name, problem);
    }
}

/* One statement more; NOTHING if the op refuses these inputs, or the result is too
 * large. What the text of the parameters is, is consumed. */
static guint
add_op (Graph *graph, Op op)
{
  g_autofree char *params = op.params;
  g_autofree char *call = NULL, *names = NULL, *text = NULL;
  const guint n_outputs = g_str_equal (op.name, "moments") ? 2 : 1;
  const guint first = graph->n;
  g_autoptr (CandelaExpression) expression = NULL, alone = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < op.n_inputs; i++)
    if (op.inputs[i] == NOTHING)
      return NOTHING;
  if (graph->n + n_outputs > MAX_VALUES)
    return NOTHING;
  call = op_text (graph, &op);
  names = n_outputs == 2 ? g_strdup_printf ("t%u, t%u", first, first + 1) : g_strdup_printf ("t%u", first);
  text = g_strdup_printf ("%s = %s", names, call);
  expression = candela_expression_parse (text, -1, graph->names, &error);
  if (expression == NULL && error->domain == CANDELA_ERROR && error->code != CANDELA_ERROR_SYNTAX
      && error->code != CANDELA_ERROR_UNKNOWN_OP)
    return NOTHING;
  g_assert_no_error (error);
  if (candela_layout_get_n_elements (candela_node_get_layout (candela_expression_get_nth_value (expression, 0)))
      > graph->limit)
    return NOTHING;
  alone = candela_expression_parse (text, -1, graph->alone, &error);
  g_assert_no_error (error);
  for (guint o = 0; o < n_outputs; o++)
    {
      g_autoptr (CandelaPlan) plan = plan_node (candela_expression_get_nth_value (alone, o), NO_OPTIMIZATION);
      CandelaTensor **value = run_plan (plan, NULL);

      add_value (graph, g_strdup_printf ("t%u", first + o),
                 candela_node_ref (candela_expression_get_nth_value (expression, o)), copy_packed (value[0]),
                 o == 0 ? g_strdup_printf ("%s\n", text) : NULL, o == 0 ? op.inputs : &first, o == 0 ? op.n_inputs : 1);
      free_tensors (value, 1);
    }
  check_alone (graph, &op, first);
  if (g_str_equal (op.name, "matmul") && is_float (dtype_of (graph, first)))
    graph->products = TRUE;
  return first;
}

static guint
add_unary (Graph *graph, const char *name, guint x)
{
  return add_op (graph, (Op){ .name = name, .inputs = { x }, .n_inputs = 1 });
}

static guint
add_binary (Graph *graph, const char *name, guint a, guint b)
{
  return add_op (graph, (Op){ .name = name, .inputs = { a, b }, .n_inputs = 2 });
}

static guint
add_scalar (Graph *graph, const char *name, guint x, const char *literal)
{
  return add_op (graph, (Op){ .name = name, .inputs = { x }, .n_inputs = 1, .literal = literal });
}

static guint
add_reduction (Graph *graph, const char *name, guint x, guint32 axes, gboolean keepdims)
{
  return add_op (
    graph, (Op){ .name = name, .inputs = { x }, .n_inputs = 1, .reduces = TRUE, .axes = axes, .keepdims = keepdims });
}

static guint
add_cache (Graph *graph, guint x)
{
  if (x == NOTHING || graph->n == MAX_VALUES)
    return NOTHING;
  return add_value (graph, g_strdup_printf ("t%u", graph->n), candela_node_new_cache (graph->values[x].node),
                    g_object_ref (graph->values[x].value),
                    g_strdup_printf ("t%u = %s # a cache of it\n", graph->n, graph->values[x].name), &x, 1);
}

/* A float is made whole only where every number is well within the range. */
static gboolean
can_cast (const Graph *graph, guint v, CandelaDType dtype)
{
  Packed p = packed (graph->values[v].value);
  const double least = candela_dtype_get_kind (dtype) == CANDELA_DTYPE_KIND_UNSIGNED ? -0.5 : -100;

  if (!is_float (p.dtype) || is_float (dtype) || dtype == CANDELA_DTYPE_BOOL)
    return TRUE;
  /* What is bound later is another value. */
  if (graph->slots)
    return FALSE;
  for (gint64 i = 0; i < p.n; i++)
    if (!(wide_at (&p, i) > least && wide_at (&p, i) < 100))
      return FALSE;
  return TRUE;
}

static guint
add_cast (Graph *graph, guint x, CandelaDType dtype)
{
  if (x == NOTHING || !can_cast (graph, x, dtype))
    return NOTHING;
  return add_op (
    graph,
    (Op){ .name = "astype", .inputs = { x }, .n_inputs = 1, .params = g_strdup (candela_dtype_get_name (dtype)) });
}

/* From here on the text is that of what the roots need. */
static void
retell (Graph *graph, const guint *roots, guint n_roots)
{
  gboolean needed[MAX_VALUES] = { FALSE };

  for (guint r = 0; r < n_roots; r++)
    needed[roots[r]] = TRUE;
  for (guint v = graph->n; v-- > 0;)
    for (guint i = 0; needed[v] && i < graph->values[v].n_sources; i++)
      needed[graph->values[v].sources[i]] = TRUE;
  g_string_truncate (graph->text, 0);
  for (guint v = 0; v < graph->n; v++)
    if (needed[v] && graph->values[v].statement != NULL)
      g_string_append (graph->text, graph->values[v].statement);
  for (guint r = 0; r < n_roots; r++)
    g_string_append_printf (graph->text, "%s%s", graph->values[roots[r]].name, r + 1 < n_roots ? ", " : "\n");
}

static void
graph_init (Graph *graph, const char *kind, guint32 seed, gint64 limit)
{
  *graph = (Graph){ .rand = g_rand_new_with_seed (seed), .kind = kind, .seed = seed, .limit = limit };
  graph->plain = chance (graph, 40);
  graph->wild = chance (graph, 30);
  graph->slots = chance (graph, 20);
  graph->caches = !graph->slots && chance (graph, 25);
  graph->names = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) candela_node_unref);
  graph->alone = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) candela_node_unref);
  graph->text = g_string_new (NULL);
}

static void
graph_clear (Graph *graph)
{
  g_hash_table_unref (graph->names);
  g_hash_table_unref (graph->alone);
  for (guint v = 0; v < graph->n; v++)
    {
      g_free (graph->values[v].name);
      g_free (graph->values[v].statement);
      candela_node_unref (graph->values[v].node);
      g_object_unref (graph->values[v].value);
    }
  for (guint i = 0; i < graph->n_inputs; i++)
    {
      g_free (graph->inputs[i].name);
      g_object_unref (graph->inputs[i].tensor);
      g_object_unref (graph->inputs[i].copy);
    }
  g_string_free (graph->text, TRUE);
  g_rand_free (graph->rand);
}
