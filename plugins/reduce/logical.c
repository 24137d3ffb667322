/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * any and all, of every dtype: what is not 0 is true, NaN too. */
#include "fold.h"

typedef float _Complex Complex64;
typedef double _Complex Complex128;

#define AS_BOOL(x) ((x) != 0)
#define OR(a, b) ((a) | (b))
#define AND(a, b) ((a) & (b))

static const guint8 true_value = 1;

/* Elements between two looks at whether the result is settled. */
#define PART 1024

/* Counted in numbers as wide as the elements, so that vectors need no repacking. */
#define OF(NAME, type, count_type, IDENTITY, OP)                                                                       \
  static guint8 NAME##_of (const type *x, gsize n)                                                                     \
  {                                                                                                                    \
    for (gsize start = 0; start < n; start += PART)                                                                    \
      {                                                                                                                \
        count_type value = IDENTITY;                                                                                   \
                                                                                                                       \
        for (gsize i = start; i < MIN (start + PART, n); i++)                                                          \
          value = OP (value, (count_type) AS_BOOL (x[i]));                                                             \
        if (value != IDENTITY)                                                                                         \
          return !IDENTITY;                                                                                            \
      }                                                                                                                \
    return IDENTITY;                                                                                                   \
  }

#define FOLDS(name, type, count_type)                                                                                  \
  OF (any_##name, type, count_type, 0, OR)                                                                             \
  OF (all_##name, type, count_type, 1, AND)                                                                            \
  REDUCE_FOLD (any_##name, type, guint8, 0, NULL, AS_BOOL, OR)                                                         \
  REDUCE_FOLD (all_##name, type, guint8, 1, &true_value, AS_BOOL, AND)

#define INTEGER_FOLDS(DTYPE, name, type) FOLDS (name, type, type)

REDUCE_INTEGERS (INTEGER_FOLDS)
FOLDS (float32, float, guint32)
FOLDS (float64, double, guint64)
FOLDS (complex64, Complex64, guint32)
FOLDS (complex128, Complex128, guint64)

#define ANY_ROW(DTYPE, name, type) [CANDELA_DTYPE_##DTYPE] = &any_##name,
#define ALL_ROW(DTYPE, name, type) [CANDELA_DTYPE_##DTYPE] = &all_##name,

#define ALL_DTYPES(X)                                                                                                  \
  REDUCE_INTEGERS (X) REDUCE_FLOATS (X) X (COMPLEX64, complex64, Complex64) X (COMPLEX128, complex128, Complex128)

static const ReduceFold *const any_folds[CANDELA_N_DTYPES] = { ALL_DTYPES (ANY_ROW) };
static const ReduceFold *const all_folds[CANDELA_N_DTYPES] = { ALL_DTYPES (ALL_ROW) };

static gboolean
infer (CandelaInference *inference, GError **error)
{
  return reduce_infer_one (inference, FALSE, CANDELA_DTYPE_BOOL, error);
}

static void
finish (const ReduceCall *call, gconstpointer partials, gint64 output, gsize width)
{
  memcpy ((guint8 *) candela_kernel_get_output (call->kernel, 0) + output, partials, width);
}

static gboolean
compute (CandelaKernel *kernel, const ReduceFold *const *folds, GError **error)
{
  CandelaDType dtype = candela_kernel_get_input_dtype (kernel, 0);
  guint rank = candela_layout_get_rank (candela_kernel_get_input_layout (kernel, 0));
  ReduceCall call = {
    .kernel = kernel,
    .fold = folds[dtype],
    .dtype = dtype,
    .axes = reduce_get_axes (candela_kernel_get_params (kernel), rank),
    .finish = finish,
  };

  return reduce_run (&call, error);
}

static gboolean
compute_any (CandelaKernel *kernel, GError **error)
{
  return compute (kernel, any_folds, error);
}

static gboolean
compute_all (CandelaKernel *kernel, GError **error)
{
  return compute (kernel, all_folds, error);
}

static const CandelaKernelInfo any_kernels[] = { { .compute = compute_any }, { .compute = NULL } };
static const CandelaKernelInfo all_kernels[] = { { .compute = compute_all }, { .compute = NULL } };

const CandelaOpInfo REDUCE_NAME (any) = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "any",
  .summary = "Whether an element along axes is true; false of no elements",
  .formula = "out[j] = ∃ i: x[i, j] ≠ 0\n"
             "where i runs over the axes in axis, j over the others",
  .example = "x = [[0, 1], [0, 0]]; any(x), any(x, axis=0)",
  .since = "1.0",
  .inputs = reduce_inputs_of_all,
  .params = reduce_params,
  .axes = CANDELA_AXES_REDUCTION,
  .reduced_axes = reduce_get_axes,
  .takes_fed = TRUE,
  .infer = infer,
  .kernels = any_kernels,
};

const CandelaOpInfo REDUCE_NAME (all) = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "all",
  .summary = "Whether every element along axes is true; true of no elements",
  .formula = "out[j] = ∀ i: x[i, j] ≠ 0\n"
             "where i runs over the axes in axis, j over the others",
  .example = "x = [[2, 1], [2, 0]]; all(x), all(x, axis=0)",
  .since = "1.0",
  .inputs = reduce_inputs_of_all,
  .params = reduce_params,
  .axes = CANDELA_AXES_REDUCTION,
  .reduced_axes = reduce_get_axes,
  .takes_fed = TRUE,
  .infer = infer,
  .kernels = all_kernels,
};
