/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which library multiplies: by dtype, extents and which operands are transposed alone.
 * float32 is oneDNN's where it was found, except for small products, for which OpenBLAS
 * has kernels that copy nothing, and those with a vector; float64 is the BLAS's.
 * CANDELA_LINALG asks for one of them. */
#include "linalg.h"

/* Rows of the left factor from which it pays to turn the right one first. */
#define MIN_REUSED 64

#ifdef LINALG_ONEDNN
/* Multiplications up to which a product is one of the smallest, small, and little larger. */
#define SMALLEST_WORK (24 * 24 * 24)
#define SMALL_WORK (64 * 64 * 64)
#define LITTLE_WORK (128 * 128 * 64)
#define LITTLE_COLS 128

static gboolean
is_asked_for (const char *name)
{
  return g_strcmp0 (g_getenv ("CANDELA_LINALG"), name) == 0;
}

static gboolean
has_onednn (void)
{
  static gsize state; /* 1: no, 2: yes */

  if (g_once_init_enter (&state))
    {
      g_autoptr (GError) error = NULL;
      gboolean has = !is_asked_for ("cblas") && linalg_onednn.open (&error);

      if (error != NULL)
        g_message ("%s", error->message);
      g_once_init_leave (&state, has ? 2 : 1);
    }
  return state == 2;
}

/* Both are here, and the BLAS is better at small products. */
static gboolean
has_small_kernels (void)
{
  static gsize state; /* 1: no, 2: yes */

  if (g_once_init_enter (&state))
    g_once_init_leave (&state, !is_asked_for ("onednn") && linalg_cblas.open (NULL) && linalg_cblas_suits () ? 2 : 1);
  return state == 2;
}

/* Of the small ones, those with a transposed right factor, but for the smallest; of those
 * a little larger, what the BLAS has no small kernels for. */
static gboolean
is_better_in_onednn (const Matrix *a, const Matrix *b, double work)
{
  Storage left = { FALSE, 1 }, right = { FALSE, 1 };

  if (a->rows <= 1 || b->cols <= 1 || work <= SMALLEST_WORK)
    return FALSE;
  linalg_get_storage (a, &left);
  linalg_get_storage (b, &right);
  if (work <= SMALL_WORK)
    return right.transposed && !left.transposed;
  return work > LITTLE_WORK || b->cols > LITTLE_COLS || right.transposed || !has_small_kernels ()
         || (work > (double) linalg_cblas.get_small_work (CANDELA_DTYPE_FLOAT32)
             && !linalg_takes_blocks (&linalg_cblas, CANDELA_DTYPE_FLOAT32, a, b));
}
#endif

const LinalgLibrary *
linalg_choose_library (CandelaDType dtype, const Matrix *a, const Matrix *b, GError **error)
{
#ifdef LINALG_ONEDNN
  double work = (double) a->rows * (double) a->cols * (double) b->cols;

  if (dtype == CANDELA_DTYPE_FLOAT32 && has_onednn () && (is_better_in_onednn (a, b, work) || !has_small_kernels ()))
    return &linalg_onednn;
#endif
  return linalg_cblas.open (error) ? &linalg_cblas : NULL;
}

/* Not where oneDNN multiplies: it turns it as fast. */
gboolean
linalg_wants_right_packed (CandelaDType dtype, const Matrix *a, const Matrix *b)
{
  double work = (double) a->rows * (double) a->cols * (double) b->cols;
  Matrix packed = { NULL, b->rows, b->cols, b->cols, 1, 0 };
  Storage storage;
  gint64 small;

  if ((dtype != CANDELA_DTYPE_FLOAT32 && dtype != CANDELA_DTYPE_FLOAT64) || a->rows < MIN_REUSED || b->cols == 1
      || !linalg_get_storage (b, &storage) || !storage.transposed
      || linalg_choose_library (dtype, a, &packed, NULL) != &linalg_cblas)
    return FALSE;
  small = linalg_cblas.get_small_work (dtype);
  return small > 0 && (work <= (double) small || linalg_takes_blocks (&linalg_cblas, dtype, a, &packed));
}

GVariant *
linalg_describe (void)
{
  static const struct
  {
    const char *name;
    CandelaDType dtype;
    gint64 extent, cols;
  } products[] = {
    { "float32", CANDELA_DTYPE_FLOAT32, 1024, 1024 },
    { "float32, small", CANDELA_DTYPE_FLOAT32, 8, 8 },
    { "float32, by a vector", CANDELA_DTYPE_FLOAT32, 1024, 1 },
    { "float64", CANDELA_DTYPE_FLOAT64, 1024, 1024 },
  };
  GVariantBuilder facts;

  g_variant_builder_init (&facts, G_VARIANT_TYPE ("a{ss}"));
  for (gsize i = 0; i < G_N_ELEMENTS (products); i++)
    {
      gint64 n = products[i].extent, cols = products[i].cols;
      Matrix a = { NULL, n, n, n, 1, 0 }, b = { NULL, n, cols, cols, 1, 0 };
      g_autoptr (GError) error = NULL;
      const LinalgLibrary *library = linalg_choose_library (products[i].dtype, &a, &b, &error);
      g_autofree char *text = library != NULL ? library->describe () : g_strdup (error->message);

      g_variant_builder_add (&facts, "{ss}", products[i].name, text);
    }
  return g_variant_builder_end (&facts);
}
