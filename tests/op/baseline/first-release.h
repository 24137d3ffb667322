/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a plugin saw of the headers of the first release, written down: the structs of a
 * declaration, the values of the enumerations that it uses, and functions that it calls.
 * It stays as it is, whatever candela-plugin.h becomes. */
#pragma once

#include <glib.h>

enum {
  BASE_DTYPE_FLOAT32 = 10,
  BASE_DTYPE_FLOAT64 = 11,
  BASE_KIND_FLOAT = 1 << 3,
  BASE_PARAM_FLOAT = 2,
  BASE_AXES_ELEMENTWISE = 1,
  BASE_AXES_REDUCTION = 3,
  BASE_ERROR_SHAPE = 0
};

typedef struct
{
  const char *name;
  guint kinds;
  guint flags;
  guint fixed;
  const char *summary;
  guint stand_in;
  gpointer padding[2];
} BaseInput;

typedef struct
{
  const char *name;
  guint type;
  guint flags;
  const char *default_value;
  double minimum, maximum;
  const char *const *choices;
  const char *summary;
  gpointer padding[2];
} BaseParam;

typedef void (*BaseLoop) (gpointer const *out, gconstpointer const *in, gsize n, gconstpointer params);
typedef gboolean (*BaseCompute) (gpointer kernel, GError **error);
typedef gboolean (*BaseInfer) (gpointer inference, GError **error);

typedef struct
{
  guint in[8];
  guint out[8];
  BaseLoop loop;
  BaseCompute compute;
  guint place;
  guint n_inputs;
  gconstpointer stages;
  gpointer padding[1];
} BaseKernel;

typedef struct
{
  guint output, input, mode;
} BaseInPlace;

typedef struct
{
  gsize struct_size;
  const char *name;
  const char *summary;
  const char *since;
  const BaseInput *inputs;
  const char *const *outputs;
  const BaseParam *params;
  const char *operators;
  guint axes;
  guint aliasing;
  const BaseInPlace *in_place;
  guint effect;
  guint determinism;
  guint threads;
  guint output_shape;
  BaseInfer infer;
  const BaseKernel *kernels;
  gpointer fold;
  guint32 (*reduced_axes) (gconstpointer params, guint rank);
  gboolean takes_fed;
  gpointer flops;
  gboolean takes_halves;
  const char *expression;
} BaseOp;

typedef struct
{
  guint32 abi_major;
  guint32 abi_minor;
  gsize struct_size;
  const char *name;
  const char *version;
  const char *license;
  const char *description;
  gboolean (*register_ops) (gpointer plugin, GError **error);
  GVariant *(*describe) (void);
  gpointer padding[4];
} BaseDescriptor;

gboolean candela_plugin_add_op (gpointer plugin, const BaseOp *info, GError **error);
double candela_params_get_float (gconstpointer params, guint index);
gconstpointer candela_inference_get_input_layout (gconstpointer inference, guint input);
const gint64 *candela_layout_get_shape (gconstpointer layout, gsize *n_dims);
gint64 candela_layout_get_n_elements (gconstpointer layout);
void candela_inference_set_compute_dtype (gpointer inference, guint dtype);
gboolean candela_inference_set_output (gpointer inference, guint output, guint dtype, const gint64 *shape, gsize n_dims,
                                       GError **error);
gboolean candela_inference_fail (gconstpointer inference, GError **error, guint code, const char *format, ...);
gconstpointer candela_kernel_get_input_layout (gconstpointer kernel, guint input);
gconstpointer candela_kernel_get_output_layout (gconstpointer kernel, guint output);
gpointer candela_kernel_get_output (gpointer kernel, guint output);
void candela_kernel_pack_input (gpointer kernel, guint input, guint dtype, gint64 start, gint64 n, gpointer out);
