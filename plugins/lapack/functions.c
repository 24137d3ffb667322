/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The functions of LAPACK, and of the BLAS that it has, by the names of Fortran. */
#include "lapack.h"

#include <dlfcn.h>

/* Their letters. */
static const struct
{
  CandelaDType dtype;
  char letter;
} kinds[] = {
  { CANDELA_DTYPE_FLOAT32, 's' },
  { CANDELA_DTYPE_FLOAT64, 'd' },
  { CANDELA_DTYPE_COMPLEX64, 'c' },
  { CANDELA_DTYPE_COMPLEX128, 'z' },
};

static struct
{
  Blas *blas;
  Lapack functions[G_N_ELEMENTS (kinds)];
  GError *error;
} library;

static gpointer
find (char letter, const char *name)
{
  g_autofree char *symbol = g_strdup_printf ("%c%s_", letter, name);
  gpointer function = dlsym (linalg_blas_get_handle (library.blas), symbol);

  if (function == NULL && library.error == NULL)
    g_set_error (&library.error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "lapack: %s has no %s", LAPACK_LIBRARY, symbol);
  return function;
}

static void
find_all (Lapack *lapack, char letter)
{
  gboolean complex = letter == 'c' || letter == 'z';

  lapack->getrf = find (letter, "getrf");
  lapack->getrs = find (letter, "getrs");
  lapack->gesv = find (letter, "gesv");
  lapack->getri = find (letter, "getri");
  lapack->potrf = find (letter, "potrf");
  lapack->geqrf = find (letter, "geqrf");
  lapack->orgqr = find (letter, complex ? "ungqr" : "orgqr");
  lapack->trsm = find (letter, "trsm");
  lapack->gemm = find (letter, "gemm");
  if (complex)
    {
      lapack->heevd.complex = find (letter, "heevd");
      lapack->gesdd.complex = find (letter, "gesdd");
    }
  else
    {
      lapack->heevd.real = find (letter, "syevd");
      lapack->gesdd.real = find (letter, "gesdd");
    }
}

static gboolean
open_library (GError **error)
{
  static gsize once;

  if (g_once_init_enter (&once))
    {
      library.blas = linalg_blas_get (LAPACK_LIBRARY, &library.error);
      for (guint i = 0; library.blas != NULL && i < G_N_ELEMENTS (kinds); i++)
        find_all (&library.functions[i], kinds[i].letter);
      g_once_init_leave (&once, 1);
    }
  if (library.error != NULL)
    g_propagate_error (error, g_error_copy (library.error));
  return library.error == NULL;
}

const Lapack *
lapack_get (CandelaDType dtype, Blas **blas, GError **error)
{
  if (!open_library (error))
    return NULL;
  *blas = library.blas;
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].dtype == dtype)
      return &library.functions[i];
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE, "lapack: there is nothing for dtype %s",
               candela_dtype_get_name (dtype));
  return NULL;
}

/* "libopenblas.so.0 (OpenBLAS SkylakeX)" */
static char *
describe (void)
{
  g_autoptr (GError) error = NULL;
  char *(*get_corename) (void);

  if (!open_library (&error))
    return g_strdup (error->message);
  get_corename = dlsym (linalg_blas_get_handle (library.blas), "openblas_get_corename");
  if (get_corename == NULL)
    return g_strdup (LAPACK_LIBRARY);
  return g_strdup_printf ("%s (OpenBLAS %s)", LAPACK_LIBRARY, get_corename ());
}

GVariant *
lapack_describe (void)
{
  GVariantBuilder facts;
  g_autofree char *text = describe ();

  g_variant_builder_init (&facts, G_VARIANT_TYPE ("a{ss}"));
  g_variant_builder_add (&facts, "{ss}", "library", text);
  return g_variant_builder_end (&facts);
}
