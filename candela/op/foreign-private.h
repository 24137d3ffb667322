/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ops made of functions of shared libraries. Their declarations are built like
 * those of any plugin, but in memory; their kernels find what they call by the
 * table of parameters, which is in the same struct. */
#pragma once

#include <candela/op/foreign.h>
#include <candela/op/op-private.h>
#include <candela/op/plugin-module.h>
#ifdef HAVE_LIBFFI
#include <ffi.h>
#endif

G_BEGIN_DECLS

/* Arguments of a function over elements, and of any. */
#define CANDELA_FOREIGN_MAX_SCALARS 6
#define CANDELA_FOREIGN_MAX_ARGUMENTS 16

/* A C type: what it is to Candela, and its level of pointers. */
typedef struct
{
  CandelaDType dtype; /* INVALID: void */
  gboolean pointer;
  gboolean constant; /* what is pointed at */
  gboolean text;     /* const char * */
} CandelaForeignType;

typedef enum {
  CANDELA_FOREIGN_INPUT,
  CANDELA_FOREIGN_OUTPUT,
  CANDELA_FOREIGN_PARAMETER,
  CANDELA_FOREIGN_LENGTH,
  CANDELA_FOREIGN_STRIDE,
} CandelaForeignRole;

typedef struct
{
  char *name;
  CandelaForeignType type;
  CandelaForeignRole role;
  guint input, output, parameter; /* its index among these; G_MAXUINT: it is none */
  guint array;                    /* of a length or stride: the argument that it is of */
  guint length;                   /* of an array: the argument that is its length; G_MAXUINT: there is none */
  guint stride;                   /* of an array: the argument that is its stride; G_MAXUINT: 1 */
} CandelaForeignArgument;

/* foreign-signature.c: "double (double x, int n)". */
typedef struct
{
  CandelaForeignType result;
  guint n_arguments;
  CandelaForeignArgument arguments[CANDELA_FOREIGN_MAX_ARGUMENTS];
} CandelaForeignSignature;

/* Every error begins with "signature "…": " and says at which column. */
gboolean candela_foreign_signature_parse (CandelaForeignSignature *signature, const char *text, GError **error);
void candela_foreign_signature_clear (CandelaForeignSignature *signature);

/* "const double *" */
char *candela_foreign_type_to_string (const CandelaForeignType *type);

/* What is done with the value that a function over arrays returns. */
typedef enum {
  CANDELA_FOREIGN_RETURNS_IGNORED,
  CANDELA_FOREIGN_RETURNS_VALUE, /* output 0, one for each call */
  CANDELA_FOREIGN_RETURNS_STATUS /* an error, unless it is 0 */
} CandelaForeignReturns;

typedef struct _CandelaForeign CandelaForeign;

/* Calls a function once; values are the addresses of its arguments, and result has
 * room for 8 bytes. */
typedef void (*CandelaForeignInvoke) (const CandelaForeign *foreign, gpointer result, gpointer *values);

/* All that an op of a foreign function is. It goes with the op; that of a .ops file
 * never does. */
struct _CandelaForeign
{
  CandelaOpInfo info;
  CandelaForeignSignature signature;
  char *name, *symbol;
  GPtrArray *texts; /* that the tables below refer to */
  GCallback function;
  CandelaForeignInvoke invoke; /* over arrays */
  CandelaForeignReturns returns;
  gboolean whole; /* over arrays: all elements at once, instead of row by row */
#ifdef HAVE_LIBFFI
  ffi_cif cif;
  ffi_type *ffi_types[CANDELA_FOREIGN_MAX_ARGUMENTS];
#endif

  guint n_inputs, n_outputs, n_params;
  guint inputs[CANDELA_FOREIGN_MAX_ARGUMENTS]; /* which arguments they are */
  guint outputs[CANDELA_MAX_OUTPUTS];          /* G_MAXUINT: the value that is returned */
  CandelaInputInfo input_infos[CANDELA_FOREIGN_MAX_ARGUMENTS + 1];
  const char *output_names[CANDELA_MAX_OUTPUTS + 1];
  CandelaInPlace in_place[CANDELA_FOREIGN_MAX_ARGUMENTS * CANDELA_MAX_OUTPUTS + 1];
  CandelaKernelInfo kernels[2];
  CandelaParamInfo params[CANDELA_FOREIGN_MAX_ARGUMENTS + 1]; /* by its address the struct is found */
};

static inline const CandelaForeign *
candela_foreign_from_params (const CandelaParams *params)
{
  return (const CandelaForeign *) ((const guint8 *) params->info - G_STRUCT_OFFSET (CandelaForeign, params));
}

/* From name, library, symbol, signature and options (key to value, both text; NULL for
 * none) to a declaration. folder is what a path in library counts from, or NULL.
 * Errors begin with "foreign op "…": ". */
CandelaForeign *candela_foreign_new (const char *name, const char *library, const char *symbol, const char *signature,
                                     GHashTable *options, const char *folder, GError **error);
void candela_foreign_free (CandelaForeign *foreign);

/* Sets CANDELA_ERROR_PLUGIN; returns FALSE. */
gboolean candela_foreign_fail (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static inline gboolean
candela_foreign_is_array (const CandelaForeignArgument *argument)
{
  return argument->type.pointer && !argument->type.text;
}

static inline gboolean
candela_foreign_is_integer (const CandelaForeignArgument *argument)
{
  CandelaDTypeKind kind = candela_dtype_get_kind (argument->type.dtype);

  return !argument->type.pointer && (kind & (CANDELA_DTYPE_KIND_SIGNED | CANDELA_DTYPE_KIND_UNSIGNED)) != 0;
}

/* foreign-options.c: what each argument is, and the facts of the declaration. */
gboolean candela_foreign_apply_options (CandelaForeign *foreign, GHashTable *options, GError **error);

/* An argument by its name or index; a list of words, or NULL if there is no such key;
 * which of the words a key has, the first if there is none. */
gboolean candela_foreign_find_argument (const CandelaForeign *foreign, const char *key, const char *word, guint *index,
                                        GError **error);
GStrv candela_foreign_get_list (GHashTable *options, const char *key);
gboolean candela_foreign_get_choice (GHashTable *options, const char *key, const char *const *words, guint *choice,
                                     GError **error);

/* foreign-roles.c */
gboolean candela_foreign_set_parameters (CandelaForeign *foreign, GHashTable *options, GError **error);
gboolean candela_foreign_set_elementwise_roles (CandelaForeign *foreign, GHashTable *options, GError **error);
gboolean candela_foreign_set_array_roles (CandelaForeign *foreign, GHashTable *options, GError **error);

/* foreign-call.c: the ways to call: thunks that were made ready for the common
 * signatures, and libffi for all others. FALSE, with an error, if neither serves. */
gboolean candela_foreign_prepare_loop (CandelaForeign *foreign, GError **error);
gboolean candela_foreign_prepare_invoke (CandelaForeign *foreign, GError **error);

/* A parameter's value as the argument that it is, into 8 bytes. */
void candela_foreign_read_param (const CandelaForeignArgument *argument, const CandelaParams *params, gpointer out);

/* foreign.c: that each input can be cast to what the function takes. */
gboolean candela_foreign_check_inputs (CandelaInference *inference, GError **error);

/* foreign-array.c */
gboolean candela_foreign_array_infer (CandelaInference *inference, GError **error);
gboolean candela_foreign_array_compute (CandelaKernel *kernel, GError **error);

/* foreign-file.c: a .ops file is a plugin. */
#define CANDELA_FOREIGN_SUFFIX "ops"

static inline gboolean
candela_foreign_is_file (const char *filename)
{
  return g_str_has_suffix (filename, "." CANDELA_FOREIGN_SUFFIX);
}

/* A descriptor for the file, whose register_ops makes its ops. It lives for ever. Errors
 * do not name the file. */
const CandelaPluginDescriptor *candela_foreign_file_read (const char *filename, GError **error);

/* The names of the ops that the file has and their operators (GStrv); NULL if it cannot
 * be read. */
GHashTable *candela_foreign_file_list (const char *filename);

G_END_DECLS
