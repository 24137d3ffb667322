/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Foreign ops: any function of any shared library by its name and signature. Such an op
 * is declared as one of a plugin is, in memory that goes with it; that the function is
 * there and that its signature can be served is known before. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr1 () */
#endif
#include <candela/op/foreign-private.h>

#include <candela/value/debug-private.h>
#include <gmodule.h>
#include <string.h>
#ifdef __GLIBC__
#include <dlfcn.h>
#include <link.h>
#endif

gboolean
candela_foreign_fail (GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *reason = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, reason);
  return FALSE;
}

char *
candela_foreign_type_to_string (const CandelaForeignType *type)
{
  const char *name = type->text                             ? "char"
                     : type->dtype == CANDELA_DTYPE_INVALID ? "void"
                                                            : candela_dtype_get_name (type->dtype);

  return g_strdup_printf ("%s%s%s", type->constant && type->pointer ? "const " : "", name, type->pointer ? " *" : "");
}

/* ---- Inference of functions over elements ---- */

gboolean
candela_foreign_check_inputs (CandelaInference *inference, GError **error)
{
  const CandelaForeign *foreign = candela_foreign_from_params (inference->params);

  for (guint i = 0; i < inference->n_inputs; i++)
    {
      CandelaDType dtype = foreign->signature.arguments[foreign->inputs[i]].type.dtype;

      if (!candela_dtype_can_cast (inference->dtypes[i], dtype))
        return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE, "%s has dtype %s; %s takes %s",
                                       foreign->input_infos[i].name, candela_dtype_get_name (inference->dtypes[i]),
                                       foreign->symbol, candela_dtype_get_name (dtype));
    }
  return TRUE;
}

static gboolean
infer_elementwise (CandelaInference *inference, GError **error)
{
  return candela_foreign_check_inputs (inference, error) && candela_inference_broadcast (inference, error);
}

static guint32
last_axis (const CandelaParams *params, guint rank)
{
  return rank > 0 ? 1u << (rank - 1) : 0;
}

/* ---- Finding the function ---- */

/* A path counts from the folder; a name is what the dynamic linker looks for. */
static GModule *
open_library (const char *library, const char *folder, GError **error)
{
  g_autofree char *path = NULL;
  g_autoptr (GError) local = NULL;
  GModule *module;

  if (library != NULL && folder != NULL && strchr (library, '/') != NULL)
    path = g_canonicalize_filename (library, folder);
  module = g_module_open_full (path != NULL ? path : library, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL, &local);
  if (module == NULL)
    {
      g_autofree char *quoted = candela_quote_for_message (library);

      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "its library %s cannot be opened: %s", quoted,
                   local->message);
    }
  return module;
}

/* What is called must be code. Where the system does not say what it is, it is taken for that. */
static gboolean
is_data (gconstpointer address)
{
#ifdef __GLIBC__
  Dl_info info;
  const ElfW (Sym) *symbol = NULL;

  if (dladdr1 (address, &info, (void **) &symbol, RTLD_DL_SYMENT) != 0 && symbol != NULL)
    return ELF64_ST_TYPE (symbol->st_info) == STT_OBJECT && info.dli_saddr == address;
#endif
  return FALSE;
}

static gboolean
find_function (CandelaForeign *foreign, const char *library, const char *folder, GError **error)
{
  GModule *module = open_library (library, folder, error);
  gpointer address = NULL;

  if (module == NULL)
    return FALSE;
  if (!g_module_symbol (module, foreign->symbol, &address) || address == NULL)
    {
      g_autofree char *quoted = candela_quote_for_message (foreign->symbol);
      g_autofree char *where = library != NULL ? g_strdup_printf ("its library \"%s\"", library)
                                               : g_strdup ("the program, and no library is named,");

      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "%s has no function %s", where, quoted);
      g_module_close (module);
      return FALSE;
    }
  if (is_data (address))
    {
      g_autofree char *quoted = candela_quote_for_message (foreign->symbol);

      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "its symbol %s is no function, but data", quoted);
      g_module_close (module);
      return FALSE;
    }
  g_module_make_resident (module);
  foreign->function = (GCallback) address;
  return TRUE;
}

/* ---- The declaration ---- */

void
candela_foreign_free (CandelaForeign *foreign)
{
  candela_foreign_signature_clear (&foreign->signature);
  g_ptr_array_unref (foreign->texts);
  g_free (foreign->symbol);
  g_free (foreign->name);
  g_free (foreign);
}

static gboolean
foreign_init (CandelaForeign *foreign, const char *library, const char *signature, GHashTable *options,
              const char *folder, GError **error)
{
  g_autoptr (GHashTable) none = g_hash_table_new (g_str_hash, g_str_equal);
  CandelaOpInfo *info = &foreign->info;

  info->struct_size = sizeof (CandelaOpInfo);
  info->name = foreign->name;
  info->inputs = foreign->input_infos;
  info->params = foreign->params;
  info->kernels = foreign->kernels;
  if (!candela_foreign_signature_parse (&foreign->signature, signature, error)
      || !candela_foreign_apply_options (foreign, options != NULL ? options : none, error)
      || !find_function (foreign, library, folder, error))
    return FALSE;
  info->outputs = foreign->output_names;
  if (info->axes == CANDELA_AXES_ELEMENTWISE)
    {
      info->infer = infer_elementwise;
      return candela_foreign_prepare_loop (foreign, error);
    }
  info->infer = candela_foreign_array_infer;
  info->reduced_axes = info->axes == CANDELA_AXES_REDUCTION ? last_axis : NULL;
  foreign->kernels[0].compute = candela_foreign_array_compute;
  return candela_foreign_prepare_invoke (foreign, error);
}

CandelaForeign *
candela_foreign_new (const char *name, const char *library, const char *symbol, const char *signature,
                     GHashTable *options, const char *folder, GError **error)
{
  CandelaForeign *foreign = g_new0 (CandelaForeign, 1);

  foreign->name = g_strdup (name);
  foreign->symbol = g_strdup (symbol);
  foreign->texts = g_ptr_array_new_with_free_func (g_free);
  if (foreign_init (foreign, library, signature, options, folder, error))
    return foreign;
  g_prefix_error (error, "foreign op \"%s\": ", name);
  candela_foreign_free (foreign);
  return NULL;
}

/* ---- For programs ---- */

static char *
option_to_text (GVariant *value)
{
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    return g_variant_dup_string (value, NULL);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING_ARRAY))
    {
      g_autofree const char **words = g_variant_get_strv (value, NULL);

      return g_strjoinv (";", (char **) words);
    }
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    return g_strdup (g_variant_get_boolean (value) ? "true" : "false");
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE))
    return candela_param_float_to_string (g_variant_get_double (value));
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_INT32))
    return g_strdup_printf ("%d", g_variant_get_int32 (value));
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_INT64))
    return g_strdup_printf ("%" G_GINT64_FORMAT, g_variant_get_int64 (value));
  return NULL;
}

static GHashTable *
read_options (const char *name, GVariant *options, GError **error)
{
  g_autoptr (GHashTable) table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  GVariantIter iter;
  const char *key;
  GVariant *value;

  if (options == NULL)
    return g_steal_pointer (&table);
  if (!g_variant_is_of_type (options, G_VARIANT_TYPE_VARDICT))
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER,
                   "foreign op \"%s\": options are of type %s; they must be of type a{sv}", name,
                   g_variant_get_type_string (options));
      return NULL;
    }
  g_variant_iter_init (&iter, options);
  while (g_variant_iter_next (&iter, "{&sv}", &key, &value))
    {
      g_autoptr (GVariant) owned = value;
      char *text = option_to_text (value);

      if (text == NULL)
        {
          g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER,
                       "foreign op \"%s\": %s is of type %s; it must be text, a list of texts, a number or a bool",
                       name, key, g_variant_get_type_string (value));
          return NULL;
        }
      g_hash_table_insert (table, g_strdup (key), text);
    }
  return g_steal_pointer (&table);
}

/**
 * candela_op_new_foreign:
 * @name: the op's name: lower-case letters, digits and underscores
 * @library: (nullable) (type filename): a shared library, by the name for which the
 *   dynamic linker looks (`libm.so.6`) or by its path; %NULL for the program and what
 *   it is linked with
 * @symbol: (nullable): the function's name in the library; %NULL for @name
 * @signature: what the function takes and returns, as C declares it, without its name:
 *   `double (double x, int n)`
 * @options: (nullable): options of type `a{sv}`, by the keys of a `.ops` file
 *   (`Parameters`, `Threads`, `Default.n` …), or %NULL
 * @error: return location for an error
 *
 * Makes an op of a function of a shared library. Without pointers among its arguments
 * it is a function over elements, of one to six arguments; the op broadcasts, and is
 * fused and shared among threads as any other element-wise op. With pointers it is a
 * function over arrays, called row by row or once for all elements. The manual's page on
 * foreign ops tells which option says what.
 *
 * The library is opened, and never closed; the function is called only when a node of
 * the op is computed. That it does what its signature says nobody can check.
 *
 * candela_registry_add_op() lets expressions find the op by its name.
 *
 * Errors: %CANDELA_ERROR_SYNTAX for a signature that cannot be read, with the column;
 * %CANDELA_ERROR_PLUGIN for one that cannot be served, for an option that is unknown or
 * does not fit, for a library that cannot be opened and a symbol that it does not have;
 * %CANDELA_ERROR_PARAMETER for options of another type and for defaults that are not in
 * their range.
 *
 * Returns: (transfer full): the op
 *
 * Since: 1.0
 */
CandelaOp *
candela_op_new_foreign (const char *name, const char *library, const char *symbol, const char *signature,
                        GVariant *options, GError **error)
{
  g_return_val_if_fail (name != NULL, NULL);
  g_return_val_if_fail (signature != NULL, NULL);

  g_autoptr (GVariant) sunk = options != NULL ? g_variant_ref_sink (options) : NULL;
  g_autoptr (GHashTable) table = read_options (name, sunk, error);
  CandelaForeign *foreign;
  CandelaOp *op;

  if (table == NULL)
    return NULL;
  foreign = candela_foreign_new (name, library, symbol != NULL ? symbol : name, signature, table, NULL, error);
  if (foreign == NULL)
    return NULL;
  op = candela_op_new (CANDELA_TYPE_OP, &foreign->info, NULL, error);
  if (op != NULL && !candela_param_info_check (name, foreign->params, error))
    g_clear_object (&op);
  if (op == NULL)
    candela_foreign_free (foreign);
  else
    g_object_set_data_full (G_OBJECT (op), "candela-foreign", foreign, (GDestroyNotify) candela_foreign_free);
  return op;
}
