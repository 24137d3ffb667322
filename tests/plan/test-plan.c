/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The planner's decisions about what a node's value is: order, aliases and
 * takeovers, the inputs that are frozen where a node stands, references, and which
 * element-wise steps become one. Each plan is written out as its outline. */
#include "outline.h"

#define UNFUSED CANDELA_PLAN_NO_FUSION
#define WHOLE CANDELA_PLAN_DEFAULT

typedef struct
{
  const char *path;
  const char *text;
  CandelaPlanFlags flags;
  const char *outline;
} Case;

static const Case cases[] = {
  /* Order: inputs first; what two read stands there once. */
  { "order/example", "(a + b) * 2.0", UNFUSED, "add(a,b):allocate@0; multiply(add,2.0):in-place@0" },
  { "order/example-fused", "(a + b) * 2.0", WHOLE, "add+multiply(a,b,2.0):allocate@0" },
  { "order/shared", "x = a + 1; y = x * 2; z = x * 3; y + z", UNFUSED,
    "add(a,1.0):allocate@0; multiply(add,2.0):allocate@1; multiply(add,3.0):in-place@0; "
    "add(multiply,multiply):in-place@1-0" },
  { "order/first-input-first", "exp(a) - (b * c)", UNFUSED,
    "exp(a):allocate@0; multiply(b,c):allocate@1; subtract(exp,multiply):in-place@0-1" },

  /* Aliases: no step of their own. */
  { "alias/identity", "identity(a + 1) * 2", UNFUSED, "add(a,1.0):allocate@0; multiply(add,2.0):in-place@0" },
  { "alias/identity-of-input", "identity(a) + 1", UNFUSED, "add(a,1.0):allocate@0" },
  { "alias/identity-of-identity", "identity(identity(exp(a))) * 2", UNFUSED,
    "exp(a):allocate@0; multiply(exp,2.0):in-place@0" },
  { "alias/contiguous-already", "contiguous(a + 1) * 2", UNFUSED,
    "add(a,1.0):allocate@0; multiply(add,2.0):in-place@0" },
  { "alias/contiguous-input-already", "contiguous(a) * 2", UNFUSED, "multiply(a,2.0):allocate@0" },
  { "alias/fuses-through", "identity(a + 1) * 2", WHOLE, "add+multiply(a,1.0,2.0):allocate@0" },
  { "alias/root-of-input", "identity(a)", UNFUSED, "" },
  { "alias/root-of-computed", "identity(a + 1)", UNFUSED, "add(a,1.0):allocate@0" },

  /* The first packed copy claims its input; a second one is the first. */
  { "takeover/twice", "t = a.T; c = contiguous(t); d = contiguous(t); c - d * 2", UNFUSED,
    "transpose(a):reference-eternal; contiguous(transpose):allocate@0; multiply(contiguous,2.0):allocate@1; "
    "subtract(contiguous,multiply):in-place@0-1" },
  { "takeover/twice-for-a-product", "t = a.T; c = contiguous(t); d = contiguous(t); c @ d.T", UNFUSED,
    "transpose(a):reference-eternal; contiguous(transpose):allocate@0; transpose(contiguous):reference-slot@0; "
    "matmul(contiguous,transpose):allocate@1-0" },
  /* A product's bits may depend on its operands' layouts: it reads what the graph names. */
  { "takeover/not-for-a-product", "t = s.T; c = contiguous(t); t @ s + sum(c)", UNFUSED,
    "transpose(s):reference-eternal; matmul(transpose,s):allocate@0; contiguous(transpose):allocate@1; "
    "sum(contiguous):allocate@2-1; add(matmul,sum):in-place@0-2" },
  { "takeover/not-for-a-product-after", "t = s.T; c = contiguous(t); sum(c) + t[:, ::-1] @ s", UNFUSED,
    "transpose(s):reference-eternal; contiguous(transpose):allocate@0; sum(contiguous):allocate@1; "
    "index(transpose):reference-eternal; matmul(index,s):reuse@0; add(sum,matmul):in-place@0-1" },
  { "takeover/of-itself", "t = a.T; c = contiguous(t); contiguous(c) + 1", UNFUSED,
    "transpose(a):reference-eternal; contiguous(transpose):allocate@0; add(contiguous,1.0):in-place@0" },
  { "takeover/over-plain-alias", "t = a.T; i = identity(t); c = contiguous(i); c - i", UNFUSED,
    "transpose(a):reference-eternal; contiguous(transpose):allocate@0; subtract(contiguous):in-place@0" },
  { "takeover/alias-after", "t = a.T; c = contiguous(t); d = contiguous(identity(t)); c - d", UNFUSED,
    "transpose(a):reference-eternal; contiguous(transpose):allocate@0; subtract(contiguous):in-place@0" },
  { "takeover/separate-nodes", "c = contiguous(a.T); d = contiguous(a.T); c - d", UNFUSED,
    "transpose(a):reference-eternal; contiguous(transpose):allocate@0; transpose(a):reference-eternal; "
    "contiguous(transpose):allocate@1; subtract(contiguous,contiguous):in-place@0-1" },

  /* Inputs are frozen: who stands before the takeover reads the original, who stands
   * after it the copy, and the takeover itself what it packs. */
  { "snapshot/before-and-after", "t = a.T; s = t + 1; c = contiguous(t); s + c * t", UNFUSED,
    "transpose(a):reference-eternal; add(transpose,1.0):allocate@0; contiguous(transpose):allocate@1; "
    "multiply(contiguous):in-place@1; add(add,multiply):in-place@0-1" },
  { "snapshot/after-only", "t = a.T; s = t + 1; c = contiguous(t); c + s", UNFUSED,
    "transpose(a):reference-eternal; contiguous(transpose):allocate@0; add(contiguous,1.0):allocate@1; "
    "add(contiguous,add):in-place@0-1" },
  { "snapshot/region-around", "t = a.T; s = t + 1; c = contiguous(t); s + c * t", WHOLE,
    "transpose(a):reference-eternal; contiguous(transpose):allocate@0; "
    "add+multiply+add(transpose,1.0,contiguous):in-place@0" },

  /* A reshape that copies in the graph is a reference where the plan has the copy. */
  { "snapshot/answer-for-the-real-layout",
    "t = a.T; c = contiguous(t); c * reshape(t, [3, 2])[0, 0] + sum(reshape(t, [6]))", UNFUSED,
    "transpose(a):reference-eternal; contiguous(transpose):allocate@0; index(contiguous):reference-slot@0; "
    "multiply(contiguous,index):allocate@1; reshape(contiguous):reference-slot@0; sum(reshape):allocate@2-0; "
    "add(multiply,sum):in-place@1-2" },

  /* References: over a slot, which then lives as long as they do; over what comes
   * from outside, and chains of those. */
  { "reference/slot", "(a + 1).T * 2", UNFUSED,
    "add(a,1.0):allocate@0; transpose(add):reference-slot@0; multiply(transpose,2.0):allocate@1-0" },
  { "reference/extends-lifetime", "t = a + 1; v = t.T; w = exp(b.T); v + w", UNFUSED,
    "add(a,1.0):allocate@0; transpose(add):reference-slot@0; transpose(b):reference-eternal; "
    "exp(transpose):allocate@1; add(transpose,exp):in-place@1-0" },
  { "reference/chain-extends-lifetime", "t = u + 1; v = t[::-1][0:3]; w = exp(r); v + w", UNFUSED,
    "add(u,1.0):allocate@0; index(add):reference-slot@0; index(index):reference-slot@0; exp(r):allocate@1; "
    "add(index,exp):in-place@1-0" },
  { "reference/eternal-chain", "a.T[0:2].T + 1", UNFUSED,
    "transpose(a):reference-eternal; index(transpose):reference-eternal; transpose(index):reference-eternal; "
    "add(transpose,1.0):allocate@0" },
  { "reference/broadcast-of-a-view", "broadcast_to(reshape(r, [1, 3]), [2, 3]) @ s", UNFUSED,
    "reshape(r):reference-eternal; broadcast_to(reshape):reference-eternal; matmul(broadcast_to,s):allocate@0" },
  { "reference/same-indices", "reshape(a + 1, [6]) * 2", UNFUSED,
    "add(a,1.0):allocate@0; reshape(add):reference-slot@0; multiply(reshape,2.0):in-place@0" },

  /* Regions: one pass for what only members read; nothing may leave and come back. */
  { "region/diamond", "t = a + 1; u = relu(t); v = t * 2; u + v", WHOLE,
    "add+relu+multiply+add(a,1.0,2.0):allocate@0" },
  { "region/two-outputs-within", "q, r = divmod(a + 0, b + 0); q * 10 + r", WHOLE,
    "add+add+divmod+multiply+add(a,0.0,b,0.0,10.0):allocate@0" },
  { "region/two-outputs-last", "divmod(a + 0.5, b)", WHOLE, "add+divmod(a,0.5,b):allocate@0,allocate@1" },
  { "region/not-through-a-view", "t = u + 0.5; t * 2.0 + t[::-1]", WHOLE,
    "add(u,0.5):allocate@0; index(add):reference-slot@0; multiply+add(add,2.0,index):allocate@1-0" },
  { "region/convex", "x = s + 1; x + x @ x", WHOLE,
    "add(s,1.0):allocate@0; matmul(add,add):allocate@1; add(add,matmul):in-place@0-1" },
  { "region/result-on-the-way", "t = a + 1; t, exp(t) * 2", WHOLE,
    "add+exp+multiply(a,1.0,2.0):allocate@0,allocate@1" },
  /* Members that read the same, though none reads the other; not what others read in between,
   * what would hold an input for longer, or what has but a number in common. */
  { "region/side-by-side", "sqrt(a), exp(a)", WHOLE, "sqrt+exp(a):allocate@0,allocate@1" },
  { "region/side-by-side-with-what-they-read", "t = exp(a * 2); t + 1, t * b", WHOLE,
    "multiply+exp+add+multiply(a,2.0,1.0,b):allocate@0,allocate@1" },
  { "region/side-by-side-in-place", "x = s @ s; x + 1, x * 2", WHOLE,
    "matmul(s,s):allocate@0; add+multiply(matmul,1.0,2.0):in-place@0,allocate@1" },
  { "region/not-side-by-side-around-a-reader", "t = a + 1; t, b * a - sum(t)", WHOLE,
    "add(a,1.0):allocate@0; sum(add):allocate@1; multiply+subtract(b,a,sum):allocate@2-1" },
  { "region/not-side-by-side-with-an-input-more", "x = s @ s; y = s @ x; x + y, y * 2", WHOLE,
    "matmul(s,s):allocate@0; matmul(s,matmul):allocate@1; add(matmul,matmul):in-place@0; "
    "multiply(matmul,2.0):in-place@1" },
  { "region/not-side-by-side-by-a-number", "a + 1, b + 1", WHOLE, "add(a,1.0):allocate@0; add(b,1.0):allocate@1" },
  { "region/read-later-too", "t = exp(a); u = t * 2; u + sum(u) + t", WHOLE,
    "exp+multiply(a,2.0):allocate@0,allocate@1; sum(multiply):allocate@2; "
    "add+add(multiply,sum,exp):in-place@0-1,2" },
  /* Two results over an input that could be freed: alone they would never be three. */
  { "region/not-with-a-result-more", "x = s @ s; t = x + 1; t, t * 2", WHOLE,
    "matmul(s,s):allocate@0; add(matmul,1.0):in-place@0; multiply(add,2.0):allocate@1" },
  /* What stands between members and is none runs first, if that holds no more meanwhile. */
  { "region/around-a-product", "t = s + 1; u = t * 2; p = r @ r; u + p", WHOLE,
    "matmul(r,r):allocate@0; add+multiply+add(s,1.0,2.0,matmul):allocate@1-0" },
  { "region/not-around-a-product", "x = s @ s; y = s.T @ s; t = x + y; p = s @ s.T; t * p", WHOLE,
    "matmul(s,s):allocate@0; transpose(s):reference-eternal; matmul(transpose,s):allocate@1; "
    "add(matmul,matmul):in-place@0; transpose(s):reference-eternal; matmul(s,transpose):reuse@1; "
    "multiply(add,matmul):in-place@0-1" },
  { "region/ends-before-a-reduction", "sum((a + 1) * 2)", WHOLE,
    "add+multiply(a,1.0,2.0):allocate@0; sum(multiply):allocate@1-0" },
  { "region/of-one-shape", "((k + 1) + a) * 2", WHOLE, "add(k,1.0):allocate@0; add+multiply(add,a,2.0):allocate@1-0" },
  { "region/broadcast-input", "(a + 1) * r", WHOLE, "add+multiply(a,1.0,r):allocate@0" },
  { "region/around-another-reader", "t = exp(a); v = t * 2; v + sum(t)", WHOLE,
    "exp(a):allocate@0; sum(exp):allocate@1; multiply+add(exp,2.0,sum):in-place@0-1" },
  { "region/after-another-reader", "t = exp(a); sum(t) + t * 2", WHOLE,
    "exp(a):allocate@0; sum(exp):allocate@1; multiply+add(exp,2.0,sum):in-place@0-1" },
  { "region/wider-result", "astype((f + f) * 2 + 1, \"float64\")", WHOLE,
    "add+multiply+add+astype(f,2.0,1.0):allocate@0" },
  /* As one, it would hold two inputs and a result of twice the bytes at once. */
  { "region/not-with-a-wider-result", "x = f @ f.T; y = x @ x; astype(x + y, \"float64\")", WHOLE,
    "transpose(f):reference-eternal; matmul(f,transpose):allocate@0; matmul(matmul,matmul):allocate@1; "
    "add(matmul,matmul):in-place@0-1; astype(add):allocate@2-0" },
  /* Rows: what lies between is there for a block at a time. */
  { "rows/softmax", "e = exp(a - max(a, axis=1, keepdims=true)); e / sum(e, axis=1, keepdims=true)", WHOLE,
    "max+subtract+exp+sum+divide(a):allocate@0" },
  { "rows/of-two-reductions", "(a - mean(a, axis=1, keepdims=true)) / std(a, axis=1, keepdims=true)", WHOLE,
    "mean+std+subtract+divide(a):allocate@0" },
  { "rows/ends-in-a-reduction", "sum((a + 1) * 2, axis=1)", WHOLE, "add+multiply+sum(a,1.0,2.0):allocate@0" },
  { "rows/read-through-a-view", "s = sum(a, axis=1); a - s[:, None]", WHOLE, "sum+subtract(a):allocate@0" },
  { "rows/result-on-the-way", "s = sum(a, axis=1, keepdims=true); s, a / s", WHOLE,
    "sum+divide(a):allocate@0,allocate@1" },
  { "rows/in-place", "x = s @ s; x / sum(x, axis=1, keepdims=true)", WHOLE,
    "matmul(s,s):allocate@0; sum+divide(matmul):in-place@0" },
  { "rows/distances", "d = a[:, None, :] - s[None]; sum(d * d, axis=-1)", WHOLE,
    "index(a):reference-eternal; index(s):reference-eternal; subtract+multiply+sum(index,index):allocate@0" },
  /* Columns: over the first axes, or in rows that are long. */
  { "columns/softmax", "y = reshape(m, [100, 1000]); e = exp(y - max(y, axis=0)); e / sum(e, axis=0)", WHOLE,
    "reshape(m):reference-eternal; max+subtract+exp+sum+divide(reshape):allocate@0" },
  { "columns/of-the-middle", "y = reshape(m, [2, 50, 1000]); t = y * 2; t - max(t, axis=1, keepdims=true)", WHOLE,
    "reshape(m):reference-eternal; multiply+max+subtract(reshape,2.0):allocate@0" },
  { "columns/of-two-axes", "y = reshape(m, [2, 50, 1000]); t = y * 2; t - max(t, axis=(0, 1))", WHOLE,
    "reshape(m):reference-eternal; multiply+max+subtract(reshape,2.0):allocate@0" },
  { "columns/several-results", "y = reshape(m, [100, 1000]); s = sum(y, axis=0); s, y / s", WHOLE,
    "reshape(m):reference-eternal; sum+divide(reshape):allocate@0,allocate@1" },
  { "columns/not-across", "t = reshape(m, [100, 1000]) + 1; t[:, ::-1] - sum(t, axis=0)", WHOLE,
    "reshape(m):reference-eternal; add+sum(reshape,1.0):allocate@0,allocate@1; index(add):reference-slot@0; "
    "subtract(index,sum):allocate@2-0,1" },
  { "columns/not-few", "y = reshape(m, [500, 200]); y - max(y, axis=0)", WHOLE,
    "reshape(m):reference-eternal; max(reshape):allocate@0; subtract(reshape,max):allocate@1-0" },
  /* Fed: over all axes, or over very long rows; not what is small, or read again. */
  { "fed/over-all", "sum((m + 1) * 2)", WHOLE, "add+multiply+sum(m,1.0,2.0):allocate@0" },
  { "fed/over-long-rows", "sum(reshape(m, [2, 50000]) * 2, axis=1)", WHOLE,
    "reshape(m):reference-eternal; multiply+sum(reshape,2.0):allocate@0" },
  { "fed/not-twice", "t = m + 1; sum(t) + max(t)", WHOLE,
    "add(m,1.0):allocate@0; sum(add):allocate@1; max(add):allocate@2-0; add(sum,max):in-place@1-2" },
  { "fed/not-a-view", "t = m + 1; sum(t[::-1])", WHOLE,
    "add(m,1.0):allocate@0; index(add):reference-slot@0; sum(index):allocate@1-0" },
  { "fed/not-over-the-first", "sum(reshape(m, [50000, 2]) * 2, axis=0)", WHOLE,
    "reshape(m):reference-eternal; multiply(reshape,2.0):allocate@0; sum(multiply):allocate@1-0" },

  /* Not by rows: over all axes, or the first one; where a row would read another. */
  { "rows/not-over-all", "a - sum(a)", WHOLE, "sum(a):allocate@0; subtract(a,sum):allocate@1-0" },
  { "rows/not-over-the-first", "a - sum(a, axis=0)", WHOLE, "sum(a):allocate@0; subtract(a,sum):allocate@1-0" },
  { "rows/not-across", "x = exp(s); x - sum(x, axis=1)", WHOLE,
    "exp+sum(s):allocate@0,allocate@1; subtract(exp,sum):in-place@0-1" },
  { "rows/not-the-other-way-round", "x = exp(s); x.T - sum(x, axis=1, keepdims=true)", WHOLE,
    "exp+sum(s):allocate@0,allocate@1; transpose(exp):reference-slot@0; subtract(transpose,sum):allocate@2-0,1" },
  /* Written over x, row 0 would be lost for the others. */
  { "rows/not-over-what-all-rows-read", "x = s @ s; y = x[:, None] - x; sum(y * y, axis=-1) * x", WHOLE,
    "matmul(s,s):allocate@0; index(matmul):reference-slot@0; "
    "subtract+multiply+sum+multiply(index,matmul):allocate@1-0" },
  { "region/narrower-result", "exp(astype(a, \"float32\"))", WHOLE, "astype+exp(a):allocate@0" },
};

static void
test_case (gconstpointer data)
{
  const Case *of = data;
  g_autoptr (CandelaPlan) plan = plan_text (of->text, of->flags);

  assert_outline (plan, of->outline);
}

/* x: an edge [2, 2]; the cache is over the named expression. */
static CandelaPlan *
plan_over_cache (const char *inner, const char *text)
{
  g_autoptr (GHashTable) names = slot_names ();
  g_autoptr (CandelaNode) root = NULL;

  put_name (names, "x", make_value ("float64", "2 2", "1 2 3 4"));
  put_name (names, "t", build (inner, names));
  put_name (names, "kept", candela_node_new_cache (g_hash_table_lookup (names, "t")));
  root = build (text, names);
  return plan_node (root, CANDELA_PLAN_NO_FUSION);
}

/* A cache over what is not packed packs it, and stands for it from then on. A
 * packed copy of a cache is the cache, wherever in the order it is. */
static void
test_cache_claims (void)
{
  g_autoptr (CandelaPlan) plan = plan_over_cache ("x.T", "s = t + 1; s + contiguous(kept) * t");

  assert_outline (plan, "transpose(edge):reference-eternal; add(transpose,1.0):allocate@0; pack(transpose):allocate@1; "
                        "multiply(cache):allocate@2; add(add,multiply):in-place@0-2");
  assert_reason (plan, "multiply", 0, CANDELA_REASON_IS_CACHED, "not in place: input 0 is kept by a cache");
}

static void
test_cache_of_packed (void)
{
  g_autoptr (CandelaPlan) plan = plan_over_cache ("x + 1", "contiguous(kept) * 2");

  assert_outline (plan, "add(edge,1.0):allocate@0; multiply(add,2.0):allocate@1");
  assert_reason (plan, "multiply", 0, CANDELA_REASON_IS_CACHED, "not in place: input 0 is kept by a cache");
}

/* What is bound to a placeholder is another thing each time: nothing is kept. */
static void
test_cache_over_slots (void)
{
  g_autoptr (CandelaPlan) plan = plan_over_cache ("a + 1", "kept * 2");

  assert_outline (plan, "add(a,1.0):allocate@0; multiply(add,2.0):in-place@0");
}

/* A root that is nothing but another's name: no step, and the tensor itself. */
static void
test_root_is_alias (void)
{
  static const char *const texts[] = { "x", "identity(x)", "contiguous(x)", "contiguous(identity(contiguous(x)))" };
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaTensor) x = make_tensor ("float64", "2 2", "1 2 3 4");

  put_name (names, "x", candela_node_new_tensor (x));
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (CandelaNode) node = build (texts[i], names);
      g_autoptr (CandelaPlan) plan = plan_node (node, CANDELA_PLAN_DEFAULT);
      CandelaTensor **got = run_plan (plan, NULL);

      assert_outline (plan, "");
      g_assert_cmpuint (candela_plan_get_n_allocations (plan), ==, 0);
      g_assert_true (got[0] == x);
      free_tensors (got, 1);
    }
}

/* Planning asks for no data: over slots it is the plan of the same graph over
 * tensors, but for where values come from. */
static void
test_planning_is_pure (void)
{
  g_autoptr (CandelaPlan) one = plan_text ("t = (a + b) * 2; t.T @ exp(t)", CANDELA_PLAN_DEFAULT);
  g_autoptr (CandelaPlan) other = plan_text ("t = (a + b) * 2; t.T @ exp(t)", CANDELA_PLAN_DEFAULT);
  g_autofree char *text = candela_plan_to_string (one);
  g_autofree char *again = candela_plan_to_string (other);

  g_assert_true (candela_plan_equal (one, other));
  g_assert_cmpstr (text, ==, again);
}

/* What kind of output it is, and the words that go with it. */
static void
test_five_ways (void)
{
  g_autoptr (CandelaPlan) fresh = plan_text ("a + b", CANDELA_PLAN_NO_FUSION);
  g_autoptr (CandelaPlan) in_place = plan_text ("(a + b) * 2.0", CANDELA_PLAN_NO_FUSION);
  g_autoptr (CandelaPlan) slot = plan_text ("(a + b).T", CANDELA_PLAN_NO_FUSION);
  g_autoptr (CandelaPlan) eternal = plan_text ("a.T", CANDELA_PLAN_NO_FUSION);
  g_autoptr (CandelaPlan) reuse = plan_text ("b * sum(a + 1)", CANDELA_PLAN_NO_FUSION);

  assert_outline (fresh, "add(a,b):allocate@0");
  assert_reason (fresh, "add", 0, CANDELA_REASON_ETERNAL, "not in place: input 0 comes from outside");
  assert_outline (in_place, "add(a,b):allocate@0; multiply(add,2.0):in-place@0");
  assert_reason (in_place, "multiply", 0, CANDELA_REASON_IN_PLACE, "in place: input 0 is not read after this step");
  assert_outline (slot, "add(a,b):allocate@0; transpose(add):reference-slot@0");
  assert_reason (slot, "transpose", 0, CANDELA_REASON_REFERENCE, "another layout over the buffer of input 0");
  assert_outline (eternal, "transpose(a):reference-eternal");
  assert_reason (eternal, "transpose", 0, CANDELA_REASON_REFERENCE, "another layout over the buffer of input 0");
  assert_outline (reuse, "add(a,1.0):allocate@0; sum(add):allocate@1; multiply(b,sum):reuse@0-1");
  assert_reason (reuse, "multiply", 0, CANDELA_REASON_BYTES, "not in place: the buffer of input 1 has another size");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/plan/", cases[i].path, NULL);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/plan/cache/claims", test_cache_claims);
  g_test_add_func ("/plan/cache/of-packed", test_cache_of_packed);
  g_test_add_func ("/plan/cache/over-slots", test_cache_over_slots);
  g_test_add_func ("/plan/root-is-alias", test_root_is_alias);
  g_test_add_func ("/plan/pure", test_planning_is_pure);
  g_test_add_func ("/plan/five-ways", test_five_ways);
  return g_test_run ();
}
