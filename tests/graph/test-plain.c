/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The short way to a node against the long one: for every op that may take it, over inputs of
 * every pair of dtypes, the node is as that over arrays that are not packed, for which the long way is
 * taken. */
#include "../testing.h"

#include <candela/graph/node-private.h>

static CandelaNode *
new_slot (CandelaDType dtype, const char *shape)
{
  static const gint64 dims[] = { 2, 3 };
  gboolean scalar = shape[0] == 's';
  CandelaNode *node = candela_node_new_slot (NULL, dtype, dims, scalar ? 0 : 2, NULL);

  /* Of one shape, but not packed. */
  if (shape[0] == 't')
    {
      static const gint64 strides[] = { 1, 2 };

      candela_layout_unref (node->layout);
      node->layout = candela_layout_new_strided (dims, 2, strides, 2, 0, NULL);
    }
  return node;
}

static void
assert_alike (const CandelaNode *node, const CandelaNode *other)
{
  g_assert_cmpint (node->kind, ==, CANDELA_NODE_OP);
  g_assert_cmpint (node->dtype, ==, other->dtype);
  g_assert_true (node->u.op.kernel == other->u.op.kernel);
  g_assert_true (node->u.op.facts == other->u.op.facts);
  g_assert_true (node->u.op.outputs == NULL && other->u.op.outputs == NULL);
  g_assert_true (candela_layout_same_shape (node->layout, other->layout));
  g_assert_cmpint (node->aliasing, ==, other->aliasing);
  g_assert_cmpint (node->weak, ==, other->weak);
  g_assert_cmpint (node->direct, ==, other->direct);
  g_assert_cmpint (node->unbound, ==, other->unbound);
  g_assert_cmpuint (node->n_outputs, ==, other->n_outputs);
  g_assert_cmpuint (node->n_inputs, ==, other->n_inputs);
  for (guint i = 0; i < node->n_inputs; i++)
    {
      g_assert_cmpint (node->inputs[i]->dtype, ==, other->inputs[i]->dtype);
      g_assert_cmpint (node->inputs[i]->literal, ==, other->inputs[i]->literal);
      g_assert_cmpint (node->inputs[i]->weak, ==, other->inputs[i]->weak);
    }
}

/* The op over arrays of a dtype and shape, and a last input. */
static CandelaNode *
make (CandelaOp *op, CandelaDType dtype, CandelaNode *last, const char *shape)
{
  CandelaNode *inputs[CANDELA_MAX_LOOP_INPUTS], *node;
  guint n = candela_op_get_n_required_inputs (op);

  for (guint i = 0; i < n; i++)
    inputs[i] = i + 1 < n || n == 1 ? new_slot (dtype, shape) : candela_node_ref (last);
  node = candela_node_new_for_op (op, inputs, n, NULL, NULL);
  for (guint i = 0; i < n; i++)
    candela_node_unref (inputs[i]);
  return node;
}

/* Whether the short way was taken. What is not packed goes the long one. */
static guint
try_op (CandelaOp *op, CandelaDType dtype, CandelaNode *last)
{
  g_autoptr (CandelaNode) node = make (op, dtype, last, "packed");
  g_autoptr (CandelaNode) turned = make (op, dtype, last, "turned");

  g_assert_cmpint (node == NULL, ==, turned == NULL);
  if (node == NULL || !node->lent)
    return 0;
  g_assert_false (turned->lent);
  g_assert_true (node->layout->contiguous);
  assert_alike (node, turned);
  return 1;
}

static guint
try_dtypes (CandelaOp *op)
{
  guint n_made = 0;

  for (CandelaDType dtype = CANDELA_DTYPE_BOOL; dtype < CANDELA_N_DTYPES; dtype++)
    {
      CandelaNode *others[] = { candela_node_new_bool (TRUE), candela_node_new_int (100), candela_node_new_int (-1),
                                candela_node_new_float (0.5), candela_node_new_complex (1, 2) };

      for (guint k = 0; k < G_N_ELEMENTS (others); k++)
        {
          n_made += try_op (op, dtype, others[k]);
          candela_node_unref (others[k]);
        }
      for (CandelaDType other = CANDELA_DTYPE_BOOL; other < CANDELA_N_DTYPES; other++)
        {
          g_autoptr (CandelaNode) packed = new_slot (other, "packed");
          g_autoptr (CandelaNode) scalar = new_slot (other, "scalar");
          guint n_packed = try_op (op, dtype, packed) + try_op (op, dtype, scalar);

          if (dtype != other && candela_op_get_n_required_inputs (op) > 1)
            g_assert_cmpuint (n_packed, ==, 0);
          n_made += n_packed;
        }
    }
  return n_made;
}

static void
test_all_ops (void)
{
  g_autoptr (GListModel) ops = candela_registry_list_ops (candela_registry_get_default ());
  guint n_made = 0;

  for (guint i = 0; i < g_list_model_get_n_items (ops); i++)
    {
      g_autoptr (CandelaOp) op = g_list_model_get_item (ops, i);

      if (candela_op_get_n_required_inputs (op) > 0 && candela_op_get_n_required_inputs (op) <= CANDELA_MAX_LOOP_INPUTS)
        n_made += try_dtypes (op);
    }
  g_assert_cmpuint (n_made, >, 1000);
}

/* A number that the arrays' dtype does not hold is refused as ever, and one of a higher kind changes
 * the dtype. */
static void
test_numbers (void)
{
  g_autoptr (CandelaNode) bytes = new_slot (CANDELA_DTYPE_INT8, "packed");
  g_autoptr (CandelaNode) large = candela_node_new_int (128);
  g_autoptr (CandelaNode) half = candela_node_new_float (0.5);
  g_autoptr (CandelaNode) sum = candela_node_new_op ("add", NULL, bytes, half, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (candela_node_new_op ("add", &error, bytes, large, NULL, NULL));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE);
  g_assert_cmpint (candela_node_get_dtype (sum), ==, CANDELA_DTYPE_FLOAT64);
}

/* Threads make nodes, and drop each other's. */
static gpointer
make_and_drop (gpointer data)
{
  GAsyncQueue *queue = data;

  for (guint i = 0; i < 2000; i++)
    {
      g_autoptr (CandelaNode) x = new_slot (CANDELA_DTYPE_FLOAT32, "packed");
      CandelaNode *node = candela_node_new_op ("add", NULL, x, x, NULL, NULL);

      g_async_queue_push (queue, candela_node_new_op ("negative", NULL, node, NULL, NULL));
      candela_node_unref (node);
      node = i % 3 == 0 ? g_async_queue_try_pop (queue) : NULL;
      g_clear_pointer (&node, candela_node_unref);
    }
  return NULL;
}

static void
test_threads (void)
{
  g_autoptr (GAsyncQueue) queue = g_async_queue_new ();
  GThread *threads[4];
  CandelaNode *node;
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new (NULL, make_and_drop, queue);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  for (; (node = g_async_queue_try_pop (queue)) != NULL; n++)
    {
      g_assert_cmpint (candela_node_get_dtype (node), ==, CANDELA_DTYPE_FLOAT32);
      g_assert_cmpint (candela_node_get_layout (node)->n_elements, ==, 6);
      candela_node_unref (node);
    }
  g_assert_cmpuint (n, >, 4000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/plain/all-ops", test_all_ops);
  g_test_add_func ("/plain/numbers", test_numbers);
  g_test_add_func ("/plain/threads", test_threads);

  return g_test_run ();
}
