/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a foreign function is called. One over elements is called by a loop: for the
 * common signatures one that the compiler made, which costs what a call by a pointer
 * costs; for all others one that calls by libffi, whose description of the call and
 * list of addresses are made once, not for each element. An argument is an array or a
 * parameter: the latter is an array that does not advance. A function over arrays is
 * called once for a row, so that only the choice matters, not its speed. */
#include <candela/op/foreign-private.h>

#include <string.h>

typedef CandelaForeignSignature Signature;

/* ---- Signatures as words ---- */

/* "d di": a letter for what is returned and for each argument. long and long long
 * are one letter where they are of one size: such functions are called alike. */
static char
letter (const CandelaForeignType *type)
{
  if (type->pointer)
    return 'p';
  switch (type->dtype)
    {
    case CANDELA_DTYPE_BOOL:
      return 'b';
    case CANDELA_DTYPE_INT8:
      return 'c';
    case CANDELA_DTYPE_UINT8:
      return 'C';
    case CANDELA_DTYPE_INT16:
      return 's';
    case CANDELA_DTYPE_UINT16:
      return 'S';
    case CANDELA_DTYPE_INT32:
      return 'i';
    case CANDELA_DTYPE_UINT32:
      return 'u';
    case CANDELA_DTYPE_INT64:
      return 'l';
    case CANDELA_DTYPE_UINT64:
      return 'L';
    case CANDELA_DTYPE_FLOAT32:
      return 'f';
    case CANDELA_DTYPE_FLOAT64:
      return 'd';
    default:
      return 'v';
    }
}

static void
to_word (const Signature *signature, char *word)
{
  *word++ = letter (&signature->result);
  for (guint k = 0; k < signature->n_arguments; k++)
    *word++ = letter (&signature->arguments[k].type);
  *word = '\0';
}

typedef double type_d;
typedef float type_f;
typedef gint32 type_i;
typedef guint32 type_u;
typedef gint64 type_l;
typedef guint64 type_L;
typedef gpointer type_p;
typedef void type_v;

/* ---- Parameters ---- */

void
candela_foreign_read_param (const CandelaForeignArgument *argument, const CandelaParams *params, gpointer out)
{
  guint index = argument->parameter;

  if (argument->type.text)
    {
      *(const char **) out = candela_params_get_string (params, index);
      return;
    }
  switch (argument->type.dtype)
    {
    case CANDELA_DTYPE_BOOL:
      *(gboolean *) out = candela_params_get_bool (params, index);
      *(guint8 *) out = *(gboolean *) out != 0;
      break;
    case CANDELA_DTYPE_FLOAT32:
      *(float *) out = (float) candela_params_get_float (params, index);
      break;
    case CANDELA_DTYPE_FLOAT64:
      *(double *) out = candela_params_get_float (params, index);
      break;
    case CANDELA_DTYPE_INT8:
    case CANDELA_DTYPE_UINT8:
      *(gint8 *) out = (gint8) candela_params_get_int (params, index);
      break;
    case CANDELA_DTYPE_INT16:
    case CANDELA_DTYPE_UINT16:
      *(gint16 *) out = (gint16) candela_params_get_int (params, index);
      break;
    case CANDELA_DTYPE_INT32:
    case CANDELA_DTYPE_UINT32:
      *(gint32 *) out = (gint32) candela_params_get_int (params, index);
      break;
    default:
      *(gint64 *) out = candela_params_get_int (params, index);
      break;
    }
}

/* The arguments of a loop: where each begins, and by how many elements it advances. */
typedef struct
{
  gconstpointer data[CANDELA_FOREIGN_MAX_SCALARS];
  gsize step[CANDELA_FOREIGN_MAX_SCALARS]; /* 0 or 1 */
  guint64 values[CANDELA_FOREIGN_MAX_SCALARS];
} Arguments;

static void
arguments_init (Arguments *arguments, const CandelaForeign *foreign, gconstpointer const *in,
                const CandelaParams *params)
{
  for (guint k = 0; k < foreign->signature.n_arguments; k++)
    {
      const CandelaForeignArgument *argument = &foreign->signature.arguments[k];

      arguments->step[k] = argument->role == CANDELA_FOREIGN_INPUT;
      arguments->data[k] = &arguments->values[k];
      if (argument->role == CANDELA_FOREIGN_INPUT)
        arguments->data[k] = in[argument->input];
      else
        candela_foreign_read_param (argument, params, &arguments->values[k]);
    }
}

/* ---- Loops that the compiler made ---- */

#define ARGUMENT(k, T)                                                                                                 \
  const type_##T *a##k = arguments.data[k];                                                                            \
  const gsize s##k = arguments.step[k]

#define LOOP(name, R, TYPES, DECLARATIONS, CALL)                                                                       \
  static void name (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)                \
  {                                                                                                                    \
    const CandelaForeign *foreign = candela_foreign_from_params (params);                                              \
    type_##R (*function) TYPES = (type_##R (*) TYPES) foreign->function;                                               \
    type_##R *result = out[0];                                                                                         \
    Arguments arguments;                                                                                               \
                                                                                                                       \
    arguments_init (&arguments, foreign, in, params);                                                                  \
    DECLARATIONS;                                                                                                      \
    for (gsize i = 0; i < n; i++)                                                                                      \
      result[i] = function CALL;                                                                                       \
  }

/* The only argument is an input. */
#define LOOP_1(R, A) LOOP (loop_##R##A, R, (type_##A), const type_##A *a0 = arguments.data[0], (a0[i]))
#define LOOP_2(R, A, B)                                                                                                \
  LOOP (loop_##R##A##B, R, (type_##A, type_##B), ARGUMENT (0, A); ARGUMENT (1, B), (a0[i * s0], a1[i * s1]))
#define LOOP_3(R, A, B, C)                                                                                             \
  LOOP (loop_##R##A##B##C, R, (type_##A, type_##B, type_##C), ARGUMENT (0, A); ARGUMENT (1, B);                        \
        ARGUMENT (2, C), (a0[i * s0], a1[i * s1], a2[i * s2]))
#define LOOP_4(R, A, B, C, D)                                                                                          \
  LOOP (loop_##R##A##B##C##D, R, (type_##A, type_##B, type_##C, type_##D), ARGUMENT (0, A); ARGUMENT (1, B);           \
        ARGUMENT (2, C); ARGUMENT (3, D), (a0[i * s0], a1[i * s1], a2[i * s2], a3[i * s3]))

/* The common signatures: those of the C library's and of special functions. */
/* clang-format off */
#define SIGNATURES(X1, X2, X3, X4)                                                                                     \
  X1 (d, d) X1 (f, f) X1 (i, d) X1 (i, f) X1 (l, d) X1 (l, f) X1 (d, i) X1 (d, u) X1 (f, i) X1 (d, l) X1 (i, i)        \
  X1 (u, u) X1 (l, l) X1 (L, L) X1 (i, l) X1 (i, L)                                                                    \
  X2 (d, d, d) X2 (f, f, f) X2 (d, i, d) X2 (d, d, i) X2 (d, u, d) X2 (d, d, u) X2 (d, l, d) X2 (d, d, l)              \
  X2 (f, i, f) X2 (f, f, i) X2 (f, u, f) X2 (f, f, l) X2 (i, d, d) X2 (i, f, f) X2 (i, i, i) X2 (u, u, u)              \
  X2 (l, l, l) X2 (L, L, L)                                                                                            \
  X3 (d, d, d, d) X3 (f, f, f, f) X3 (d, i, i, d) X3 (d, u, u, d) X3 (d, i, d, d) X3 (d, d, d, i) X3 (d, u, d, d)      \
  X3 (f, u, u, f) X3 (f, i, i, f) X3 (i, i, i, i) X3 (l, l, l, l)                                                      \
  X4 (d, d, d, d, d) X4 (f, f, f, f, f)
/* clang-format on */

SIGNATURES (LOOP_1, LOOP_2, LOOP_3, LOOP_4)

static const struct
{
  const char *word;
  CandelaLoopFunc loop;
} loops[] = {
#define ROW_1(R, A) { #R #A, loop_##R##A },
#define ROW_2(R, A, B) { #R #A #B, loop_##R##A##B },
#define ROW_3(R, A, B, C) { #R #A #B #C, loop_##R##A##B##C },
#define ROW_4(R, A, B, C, D) { #R #A #B #C #D, loop_##R##A##B##C##D },
  SIGNATURES (ROW_1, ROW_2, ROW_3, ROW_4)
};

/* ---- One call over arrays, as the compiler makes it ---- */

#define VALUE(k, T) *(type_##T *) values[k]
#define CALL(R, TYPES) ((type_##R (*) TYPES) foreign->function)
#define INVOKE(name, STATEMENT)                                                                                        \
  static void name (const CandelaForeign *foreign, gpointer result, gpointer *values)                                  \
  {                                                                                                                    \
    STATEMENT;                                                                                                         \
  }

#define STORE_v
#define STORE_d *(double *) result =
#define STORE_f *(float *) result =
#define STORE_i *(gint32 *) result =

#define INVOKE_2(R, A, B)                                                                                              \
  INVOKE (invoke_##R##A##B, STORE_##R CALL (R, (type_##A, type_##B)) (VALUE (0, A), VALUE (1, B)))
#define INVOKE_3(R, A, B, C)                                                                                           \
  INVOKE (invoke_##R##A##B##C,                                                                                         \
          STORE_##R CALL (R, (type_##A, type_##B, type_##C)) (VALUE (0, A), VALUE (1, B), VALUE (2, C)))
#define INVOKE_4(R, A, B, C, D)                                                                                        \
  INVOKE (invoke_##R##A##B##C##D, STORE_##R CALL (R, (type_##A, type_##B, type_##C, type_##D)) (                       \
                                    VALUE (0, A), VALUE (1, B), VALUE (2, C), VALUE (3, D)))

/* clang-format off */
#define ARRAY_SIGNATURES(X2, X3, X4)                                                                                   \
  X2 (v, p, L) X2 (d, p, L) X2 (f, p, L) X2 (i, p, L) X2 (v, p, i) X2 (d, p, i)                                        \
  X3 (v, p, p, L) X3 (v, p, p, i) X3 (d, p, L, L) X3 (d, p, p, L) X3 (f, p, p, L)                                      \
  X4 (v, p, p, p, L) X4 (v, p, p, p, i) X4 (v, p, p, L, d)
/* clang-format on */

ARRAY_SIGNATURES (INVOKE_2, INVOKE_3, INVOKE_4)

static const struct
{
  const char *word;
  CandelaForeignInvoke invoke;
} invokes[] = {
#define INVOKE_ROW_2(R, A, B) { #R #A #B, invoke_##R##A##B },
#define INVOKE_ROW_3(R, A, B, C) { #R #A #B #C, invoke_##R##A##B##C },
#define INVOKE_ROW_4(R, A, B, C, D) { #R #A #B #C #D, invoke_##R##A##B##C##D },
  ARRAY_SIGNATURES (INVOKE_ROW_2, INVOKE_ROW_3, INVOKE_ROW_4)
};

/* ---- libffi ---- */

#ifdef HAVE_LIBFFI

static ffi_type *
to_ffi_type (const CandelaForeignType *type)
{
  if (type->pointer)
    return &ffi_type_pointer;
  switch (type->dtype)
    {
    case CANDELA_DTYPE_BOOL:
    case CANDELA_DTYPE_UINT8:
      return &ffi_type_uint8;
    case CANDELA_DTYPE_INT8:
      return &ffi_type_sint8;
    case CANDELA_DTYPE_INT16:
      return &ffi_type_sint16;
    case CANDELA_DTYPE_UINT16:
      return &ffi_type_uint16;
    case CANDELA_DTYPE_INT32:
      return &ffi_type_sint32;
    case CANDELA_DTYPE_UINT32:
      return &ffi_type_uint32;
    case CANDELA_DTYPE_INT64:
      return &ffi_type_sint64;
    case CANDELA_DTYPE_UINT64:
      return &ffi_type_uint64;
    case CANDELA_DTYPE_FLOAT32:
      return &ffi_type_float;
    case CANDELA_DTYPE_FLOAT64:
      return &ffi_type_double;
    default:
      return &ffi_type_void;
    }
}

/* What libffi returns: an integer is widened to an ffi_arg. */
typedef union
{
  ffi_arg integer;
  gint64 wide;
  double d;
  float f;
} Returned;

static void
store_returned (const Returned *returned, CandelaDType dtype, gpointer out, gsize i)
{
  switch (dtype)
    {
    case CANDELA_DTYPE_FLOAT32:
      ((float *) out)[i] = returned->f;
      break;
    case CANDELA_DTYPE_FLOAT64:
      ((double *) out)[i] = returned->d;
      break;
    case CANDELA_DTYPE_BOOL:
      ((guint8 *) out)[i] = (guint8) returned->integer != 0;
      break;
    case CANDELA_DTYPE_INT8:
    case CANDELA_DTYPE_UINT8:
      ((guint8 *) out)[i] = (guint8) returned->integer;
      break;
    case CANDELA_DTYPE_INT16:
    case CANDELA_DTYPE_UINT16:
      ((guint16 *) out)[i] = (guint16) returned->integer;
      break;
    case CANDELA_DTYPE_INT32:
    case CANDELA_DTYPE_UINT32:
      ((guint32 *) out)[i] = (guint32) returned->integer;
      break;
    default:
      ((gint64 *) out)[i] = returned->wide;
      break;
    }
}

static void
loop_by_libffi (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)
{
  const CandelaForeign *foreign = candela_foreign_from_params (params);
  const Signature *signature = &foreign->signature;
  gpointer values[CANDELA_FOREIGN_MAX_SCALARS];
  gsize sizes[CANDELA_FOREIGN_MAX_SCALARS];
  Arguments arguments;
  Returned returned;

  arguments_init (&arguments, foreign, in, params);
  for (guint k = 0; k < signature->n_arguments; k++)
    {
      values[k] = (gpointer) arguments.data[k];
      sizes[k] = arguments.step[k] * candela_dtype_get_size (signature->arguments[k].type.dtype);
    }
  for (gsize i = 0; i < n; i++)
    {
      ffi_call ((ffi_cif *) &foreign->cif, foreign->function, &returned, values);
      store_returned (&returned, signature->result.dtype, out[0], i);
      for (guint k = 0; k < signature->n_arguments; k++)
        values[k] = (guint8 *) values[k] + sizes[k];
    }
}

static void
invoke_by_libffi (const CandelaForeign *foreign, gpointer result, gpointer *values)
{
  Returned returned = { 0 };

  ffi_call ((ffi_cif *) &foreign->cif, foreign->function, &returned, values);
  if (foreign->signature.result.dtype != CANDELA_DTYPE_INVALID)
    store_returned (&returned, foreign->signature.result.dtype, result, 0);
}

#endif

static gboolean
prepare_libffi (CandelaForeign *foreign, const char *word, GError **error)
{
#ifdef HAVE_LIBFFI
  Signature *signature = &foreign->signature;

  for (guint k = 0; k < signature->n_arguments; k++)
    foreign->ffi_types[k] = to_ffi_type (&signature->arguments[k].type);
  if (ffi_prep_cif (&foreign->cif, FFI_DEFAULT_ABI, signature->n_arguments, to_ffi_type (&signature->result),
                    foreign->ffi_types)
      == FFI_OK)
    return TRUE;
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "libffi does not serve its signature on this machine");
#else
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN,
               "its signature is not one of the common ones (such as double (double)), and this build of Candela has "
               "no libffi, which serves all others");
#endif
  return FALSE;
}

gboolean
candela_foreign_prepare_loop (CandelaForeign *foreign, GError **error)
{
  char word[CANDELA_FOREIGN_MAX_ARGUMENTS + 2];

  to_word (&foreign->signature, word);
  for (guint k = 0; k < G_N_ELEMENTS (loops); k++)
    if (strcmp (loops[k].word, word) == 0)
      {
        foreign->kernels[0].loop = loops[k].loop;
        return TRUE;
      }
#ifdef HAVE_LIBFFI
  foreign->kernels[0].loop = loop_by_libffi;
#endif
  return prepare_libffi (foreign, word, error);
}

gboolean
candela_foreign_prepare_invoke (CandelaForeign *foreign, GError **error)
{
  char word[CANDELA_FOREIGN_MAX_ARGUMENTS + 2];

  to_word (&foreign->signature, word);
  for (guint k = 0; k < G_N_ELEMENTS (invokes); k++)
    if (strcmp (invokes[k].word, word) == 0)
      {
        foreign->invoke = invokes[k].invoke;
        return TRUE;
      }
#ifdef HAVE_LIBFFI
  foreign->invoke = invoke_by_libffi;
#endif
  return prepare_libffi (foreign, word, error);
}
