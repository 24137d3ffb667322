/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How nodes come and go: counted structs with their inputs in line. Dropping the last
 * reference to the end of a chain of millions frees it in a loop, not in a recursion:
 * what dies while another node is being freed is queued on the thread, linked
 * through the dead nodes themselves. That holds for whatever a node owns, too:
 * the destroy notify of a tensor, or a plan with nodes of its own.
 *
 * Graphs are made and dropped over and over. Each thread keeps the memory of some of the
 * nodes that it frees for those that it makes next: that takes a few instructions, where the
 * heap has a lock, and its own lists are short. */
#include <candela/graph/node-private.h>

/* Nodes of up to so many inputs have memory of one size. */
#define SPARE_INPUTS 2
#define SPARE_BYTES (sizeof (CandelaNode) + SPARE_INPUTS * sizeof (CandelaNode *))
/* How many a thread keeps; under AddressSanitizer none, so that it sees who uses one that is gone. */
#ifdef __SANITIZE_ADDRESS__
#define MAX_SPARE 0
#else
#define MAX_SPARE 256
#endif

typedef struct
{
  CandelaNode *dead;
  gboolean freeing;
  gboolean ends; /* free_spare() is called when the thread does */
  guint n_spare;
  CandelaNode *spare; /* linked through their layouts */
} Thread;

/* Asked for once in each function: where the library was loaded late, it takes a call, which
 * compilers would rather repeat than keep what it returned. */
static G_GNUC_NO_INLINE Thread *
this_thread (void)
{
  static __thread Thread thread;

  return &thread;
}

static void
free_spare (gpointer data)
{
  Thread *here = data;

  while (here->spare != NULL)
    {
      CandelaNode *node = here->spare;

      here->spare = (CandelaNode *) node->layout;
      g_free (node);
    }
  here->n_spare = 0;
  here->ends = FALSE;
}

static CandelaNode *
take_memory (gsize n_inputs)
{
  Thread *here = this_thread ();
  CandelaNode *node = here->spare;

  if (n_inputs > SPARE_INPUTS)
    return g_malloc (sizeof (CandelaNode) + n_inputs * sizeof (CandelaNode *));
  if (node == NULL)
    return g_malloc (SPARE_BYTES);
  here->spare = (CandelaNode *) node->layout;
  here->n_spare--;
  return node;
}

static void
give_memory (Thread *here, CandelaNode *node)
{
  static GPrivate end = G_PRIVATE_INIT (free_spare);

  if (node->n_inputs > SPARE_INPUTS || here->n_spare == MAX_SPARE)
    {
      g_free (node);
      return;
    }
  if (!here->ends)
    g_private_set (&end, here);
  here->ends = TRUE;
  node->layout = (CandelaLayout *) here->spare;
  here->spare = node;
  here->n_spare++;
}

CandelaNode *
candela_node_alloc (CandelaNodeKind kind, CandelaDType dtype, CandelaLayout *layout, CandelaNode *const *inputs,
                    gsize n_inputs)
{
  CandelaNode *node = take_memory (n_inputs);

  *node = (CandelaNode){ .ref_count = 1,
                         .kind = kind,
                         .dtype = dtype,
                         .unbound = kind == CANDELA_NODE_SLOT,
                         .n_outputs = 1,
                         .n_inputs = n_inputs,
                         .layout = layout };
  for (gsize i = 0; i < n_inputs; i++)
    {
      node->inputs[i] = inputs[i];
      node->unbound |= inputs[i]->unbound;
    }
  return node;
}

static void
free_payload (CandelaNode *node)
{
  switch ((CandelaNodeKind) node->kind)
    {
    case CANDELA_NODE_EDGE:
      if (node->literal)
        break;
      g_object_unref (node->u.edge.tensor);
      for (guint o = 0; node->u.edge.others != NULL && node->u.edge.others[o] != NULL; o++)
        g_object_unref (node->u.edge.others[o]);
      g_free (node->u.edge.others);
      break;
    case CANDELA_NODE_CACHE:
      g_clear_object (&node->u.tensor);
      break;
    case CANDELA_NODE_OP:
      for (guint o = 0; node->u.op.outputs != NULL && o < node->n_outputs; o++)
        candela_layout_unref (node->u.op.outputs[o].layout);
      g_free (node->u.op.outputs);
      candela_params_unref (node->u.op.params);
      candela_op_release (node->u.op.op);
      break;
    case CANDELA_NODE_SLOT:
      g_free (node->u.slot_name);
      break;
    case CANDELA_NODE_BAKED:
      node->u.baked.plan_unref (node->u.baked.plan);
      break;
    case CANDELA_NODE_OUTPUT:
      break;
    }
}

/* Whether that was the last reference. The only one needs no counting: nobody else can
 * be counting. */
static inline gboolean
drop (CandelaNode *node)
{
  return g_atomic_int_get (&node->ref_count) == 1 || g_atomic_int_dec_and_test (&node->ref_count);
}

/* A layout owns nothing that could lead back here, and its place then links the dead. */
static inline CandelaNode *
link_dead (CandelaNode *node, CandelaNode *dead)
{
  if (!node->lent)
    candela_layout_unref (node->layout);
  node->layout = (CandelaLayout *) dead;
  return node;
}

static G_GNUC_NO_INLINE void
die (CandelaNode *node)
{
  Thread *here = this_thread ();

  here->dead = link_dead (node, here->dead);
  if (here->freeing)
    return;

  here->freeing = TRUE;
  while (here->dead != NULL)
    {
      CandelaNode *next = here->dead;

      here->dead = (CandelaNode *) next->layout;
      free_payload (next);
      for (guint i = 0; i < next->n_inputs; i++)
        if (drop (next->inputs[i]))
          here->dead = link_dead (next->inputs[i], here->dead);
      give_memory (here, next);
    }
  here->freeing = FALSE;
}

/**
 * candela_node_ref:
 * @node: a node
 *
 * Adds a reference.
 *
 * Returns: (transfer full): the node
 *
 * Since: 1.0
 */
CandelaNode *
candela_node_ref (CandelaNode *node)
{
  g_return_val_if_fail (node != NULL, NULL);

  g_atomic_int_inc (&node->ref_count);
  return node;
}

/**
 * candela_node_unref:
 * @node: (transfer full): a node
 *
 * Drops a reference; with the last one, the node and its references to its
 * inputs go, in constant stack space.
 *
 * Since: 1.0
 */
void
candela_node_unref (CandelaNode *node)
{
  g_return_if_fail (node != NULL);

  if (drop (node))
    die (node);
}
