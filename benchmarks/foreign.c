/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a foreign op costs for each element beside a loop that calls the function by a
 * pointer: by a thunk, for functions that do next to nothing and for one that computes,
 * and by libffi. Both are run in turn over an array that stays in the cache, many times,
 * on one thread; the numbers are the medians. A thunk is held to 1.3 times the loop. */
#include <candela/candela.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N 65536
#define RUNS 301

typedef union
{
  double (*d) (double);
  double (*dd) (double, double);
  float (*f) (float);
  guint16 (*S) (guint16);
  gpointer address;
} Function;

typedef struct
{
  const char *library, *symbol, *signature, *dtype, *way;
} Case;

static const Case cases[] = {
  { "libm.so.6", "fabs", "double (double)", "float64", "thunk" },
  { "libm.so.6", "fabsf", "float (float)", "float32", "thunk" },
  { "libm.so.6", "copysign", "double (double, double)", "float64", "thunk" },
  { "libm.so.6", "erf", "double (double)", "float64", "thunk" },
  { "libm.so.6", "fmod", "double (double, double)", "float64", "thunk" },
  { "libc.so.6", "htons", "uint16_t (uint16_t)", "uint16", "libffi" },
};

/* As somebody would write it who knows the function when compiling. */
static void
run_loop (const Case *c, Function function, gconstpointer in, gpointer out)
{
  if (g_str_equal (c->signature, "double (double)"))
    for (gsize i = 0; i < N; i++)
      ((double *) out)[i] = function.d (((const double *) in)[i]);
  else if (g_str_equal (c->signature, "double (double, double)"))
    for (gsize i = 0; i < N; i++)
      ((double *) out)[i] = function.dd (((const double *) in)[i], ((const double *) in)[i]);
  else if (g_str_equal (c->signature, "float (float)"))
    for (gsize i = 0; i < N; i++)
      ((float *) out)[i] = function.f (((const float *) in)[i]);
  else
    for (gsize i = 0; i < N; i++)
      ((guint16 *) out)[i] = function.S (((const guint16 *) in)[i]);
}

static int
compare (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
median (double *times)
{
  qsort (times, RUNS, sizeof (double), compare);
  return times[RUNS / 2] * 1e9 / N;
}

static gint64
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec * G_GINT64_CONSTANT (1000000000) + time.tv_nsec;
}

static void
measure (const Case *c)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_strconcat ("c_", c->symbol, NULL);
  g_autoptr (CandelaOp) op = candela_op_new_foreign (name, c->library, c->symbol, c->signature, NULL, &error);
  Function function = { .address = dlsym (dlopen (c->library, RTLD_NOW), c->symbol) };
  const gint64 shape[] = { N };
  CandelaDType dtype = candela_dtype_from_name (c->dtype, NULL);
  g_autoptr (CandelaTensor) x = candela_tensor_new (dtype, shape, 1, NULL);
  g_autoptr (CandelaNode) edge = NULL, node = NULL;
  g_autoptr (CandelaPlan) plan = NULL;
  g_autofree gpointer out = g_malloc (N * candela_dtype_get_size (dtype));
  guint n_inputs = strchr (c->signature, ',') != NULL ? 2 : 1;
  double direct[RUNS], by_op[RUNS], a, b;

  if (op == NULL || function.address == NULL)
    {
      g_print ("%s: %s\n", c->symbol, error != NULL ? error->message : "it is not there");
      return;
    }
  for (gsize i = 0; i < N; i++)
    if (dtype == CANDELA_DTYPE_FLOAT64)
      ((double *) candela_tensor_get_writable_data (x))[i] = (double) (i % 1000) / 300 + 0.1;
    else if (dtype == CANDELA_DTYPE_FLOAT32)
      ((float *) candela_tensor_get_writable_data (x))[i] = (float) (i % 1000) / 300;
    else
      ((guint16 *) candela_tensor_get_writable_data (x))[i] = (guint16) i;
  edge = candela_node_new_tensor (x);
  node = candela_node_new_for_op (op, (CandelaNode *[]){ edge, edge }, n_inputs, NULL, &error);
  plan = node != NULL ? candela_plan_new (&node, 1, 0, &error) : NULL;
  if (plan == NULL)
    g_error ("%s", error->message);
  for (guint run = 0; run < RUNS; run++)
    {
      gint64 start = now (), middle;
      CandelaTensor **results;
      gsize n;

      run_loop (c, function, candela_tensor_get_data (x), out);
      middle = now ();
      results = candela_plan_run (plan, NULL, 0, NULL, NULL, NULL, NULL, &n, &error);
      by_op[run] = (double) (now () - middle) / 1e9;
      direct[run] = (double) (middle - start) / 1e9;
      if (results == NULL)
        g_error ("%s", error->message);
      g_object_unref (results[0]);
      g_free (results);
    }
  a = median (direct);
  b = median (by_op);
  g_print ("%-9s %-24s %-7s %8.2f %8.2f %6.2f\n", c->symbol, c->signature, c->way, a, b, b / a);
}

int
main (void)
{
  candela_set_num_threads (1);
  g_print ("function  signature                called  pointer       op  ratio   (ns for each element)\n");
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
    measure (&cases[k]);
  return 0;
}
