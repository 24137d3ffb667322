/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * einsum: the subscripts, which are a letter for each axis of each operand, an ellipsis
 * for axes that are broadcast, and after an arrow the axes of the result; read as NumPy
 * does. What is wrong with them is told with the place. */
#include "linalg.h"

enum {
  PARAM_SUBSCRIPTS
};

/* What a letter is not. */
enum {
  TOKEN_END,
  TOKEN_COMMA,
  TOKEN_ARROW,
  TOKEN_DOTS,
  TOKEN_WRONG
};

#define NO_LABEL G_MAXUINT8

typedef struct
{
  const CandelaInference *inference; /* NULL in a kernel: nothing is wrong there */
  const CandelaLayout *const *layouts;
  const char *text;
  gsize at;   /* behind the token */
  gsize from; /* where it begins */
  Contraction *contraction;
  guint8 letters[128];           /* their labels */
  guint8 dots[CANDELA_MAX_RANK]; /* those of axes under ellipses, from the last one on */
  guint n_dots;
  guint uses[LINALG_MAX_LABELS];
} Reader;

static gboolean G_GNUC_PRINTF (4, 5)
  fail (const Reader *reader, CandelaError code, GError **error, const char *format, ...)
{
  g_autofree char *reason = NULL;
  va_list arguments;

  va_start (arguments, format);
  reason = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  return candela_inference_fail (reader->inference, error, code, "subscripts '%s', character %" G_GSIZE_FORMAT ": %s",
                                 reader->text, reader->from + 1, reason);
}

static char *
shape_of (const Reader *reader, guint operand)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (reader->layouts[operand], &rank);

  return candela_shape_to_string (shape, rank);
}

/* The next letter or TOKEN. */
static int
next (Reader *reader)
{
  const char *text;

  while (reader->text[reader->at] == ' ')
    reader->at++;
  reader->from = reader->at;
  text = reader->text + reader->at;
  if (*text == '\0')
    return TOKEN_END;
  reader->at++;
  if (g_ascii_isalpha (*text))
    return *text;
  if (*text == ',')
    return TOKEN_COMMA;
  if (strncmp (text, "->", 2) == 0)
    {
      reader->at++;
      return TOKEN_ARROW;
    }
  if (strncmp (text, "...", 3) == 0)
    {
      reader->at += 2;
      return TOKEN_DOTS;
    }
  return TOKEN_WRONG;
}

static gboolean
fail_token (const Reader *reader, GError **error)
{
  return fail (reader, CANDELA_ERROR_PARAMETER, error, "a letter, '...', ',' or one '->' is needed here");
}

/* ---- Operands ---- */

/* Gives an axis the label at *slot, a new one if it is none yet; a length of 1 goes with
 * every other. */
static gboolean
set_label (Reader *reader, guint operand, guint axis, guint8 *slot, GError **error)
{
  Contraction *contraction = reader->contraction;
  const gint64 *shape = candela_layout_get_shape (reader->layouts[operand], NULL);
  const gint64 length = shape[axis];

  if (*slot == NO_LABEL)
    {
      if (contraction->n_labels == CONTRACTION_MAX_LABELS)
        return fail (reader, CANDELA_ERROR_PARAMETER, error, "there are more than %d different axes",
                     CONTRACTION_MAX_LABELS);
      *slot = (guint8) contraction->n_labels++;
      contraction->extents[*slot] = length;
    }
  contraction->labels[operand][axis] = *slot;
  reader->uses[*slot]++;
  for (guint before = 0; before < axis; before++)
    if (contraction->labels[operand][before] == *slot && shape[before] != length)
      return fail (reader, CANDELA_ERROR_SHAPE, error,
                   "the axes of a diagonal of operand %u are %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT " long",
                   operand + 1, shape[before], length);
  if (contraction->extents[*slot] == 1)
    contraction->extents[*slot] = length;
  if (length == 1 || contraction->extents[*slot] == length)
    return TRUE;
  return fail (reader, CANDELA_ERROR_SHAPE, error,
               "axis %u of operand %u is %" G_GINT64_FORMAT " long, and that of an operand before it %" G_GINT64_FORMAT,
               axis, operand + 1, length, contraction->extents[*slot]);
}

/* An ellipsis at an axis, of an operand that has so many letters. */
static gboolean
read_dots (Reader *reader, guint operand, guint *axis, gsize n_letters, GError **error)
{
  gsize rank = candela_layout_get_rank (reader->layouts[operand]);
  guint n = (guint) (rank - n_letters);

  reader->n_dots = MAX (reader->n_dots, n);
  for (guint k = n; k-- > 0;)
    if (!set_label (reader, operand, (*axis)++, &reader->dots[k], error))
      return FALSE;
  return TRUE;
}

/* How many letters and ellipses an operand has, from here on; whether that is right. */
static gboolean
count_letters (Reader *reader, guint operand, gsize *n_letters, GError **error)
{
  gsize at = reader->at, rank = candela_layout_get_rank (reader->layouts[operand]);
  guint n_dots = 0;
  int token;

  *n_letters = 0;
  while ((token = next (reader)) == TOKEN_DOTS || token > TOKEN_WRONG)
    {
      if (token == TOKEN_DOTS && n_dots++ > 0)
        return fail (reader, CANDELA_ERROR_PARAMETER, error, "there is a second '...'");
      if (token != TOKEN_DOTS && ++*n_letters > rank)
        {
          g_autofree char *shape = shape_of (reader, operand);

          return fail (reader, CANDELA_ERROR_SHAPE, error, "operand %u has shape %s, and no axis for this", operand + 1,
                       shape);
        }
    }
  if (token == TOKEN_WRONG)
    return fail_token (reader, error);
  if (n_dots == 0 && *n_letters < rank)
    {
      g_autofree char *shape = shape_of (reader, operand);

      return fail (reader, CANDELA_ERROR_SHAPE, error, "operand %u has shape %s: there are letters missing, or '...'",
                   operand + 1, shape);
    }
  reader->at = at;
  return TRUE;
}

/* Up to the token behind the operand. */
static gboolean
read_operand (Reader *reader, guint operand, int *token, GError **error)
{
  gsize n_letters;
  guint axis = 0;

  if (!count_letters (reader, operand, &n_letters, error))
    return FALSE;
  while ((*token = next (reader)) == TOKEN_DOTS || *token > TOKEN_WRONG)
    if (*token == TOKEN_DOTS ? !read_dots (reader, operand, &axis, n_letters, error)
                             : !set_label (reader, operand, axis++, &reader->letters[*token], error))
      return FALSE;
  return TRUE;
}

/* ---- The result ---- */

static gboolean
add_result (Reader *reader, guint8 label, GError **error)
{
  Contraction *contraction = reader->contraction;

  if (contraction->out_rank == CANDELA_MAX_RANK)
    return fail (reader, CANDELA_ERROR_SHAPE, error, "the result would have more than %d axes", CANDELA_MAX_RANK);
  contraction->out[contraction->out_rank++] = label;
  return TRUE;
}

static gboolean
add_dots (Reader *reader, GError **error)
{
  for (guint k = reader->n_dots; k-- > 0;)
    if (!add_result (reader, reader->dots[k], error))
      return FALSE;
  return TRUE;
}

/* Without an arrow: the letters that there is one of, by the alphabet. */
static gboolean
make_result (Reader *reader, GError **error)
{
  if (!add_dots (reader, error))
    return FALSE;
  for (guint letter = 'A'; letter <= 'z'; letter++)
    if (reader->letters[letter] != NO_LABEL && reader->uses[reader->letters[letter]] == 1
        && !add_result (reader, reader->letters[letter], error))
      return FALSE;
  return TRUE;
}

static gboolean
read_result (Reader *reader, GError **error)
{
  gboolean seen[128] = { FALSE }, has_dots = FALSE;
  int token;

  while ((token = next (reader)) != TOKEN_END)
    {
      if (token == TOKEN_DOTS ? has_dots : token > TOKEN_WRONG && seen[token])
        return fail (reader, CANDELA_ERROR_PARAMETER, error, "the result has this axis already");
      if (token == TOKEN_DOTS)
        {
          has_dots = TRUE;
          if (!add_dots (reader, error))
            return FALSE;
          continue;
        }
      if (token <= TOKEN_WRONG)
        return fail (reader, CANDELA_ERROR_PARAMETER, error, "a letter or '...' is needed here");
      if (reader->letters[token] == NO_LABEL)
        return fail (reader, CANDELA_ERROR_PARAMETER, error, "no operand has an axis %c", token);
      seen[token] = TRUE;
      if (!add_result (reader, reader->letters[token], error))
        return FALSE;
    }
  if (reader->n_dots > 0 && !has_dots)
    return fail (reader, CANDELA_ERROR_PARAMETER, error, "the result needs '...' for those of the operands");
  return TRUE;
}

/* ---- All ---- */

static gboolean
read_subscripts (Contraction *contraction, const CandelaInference *inference, const char *text,
                 const CandelaLayout *const *layouts, guint n, GError **error)
{
  Reader reader = { .inference = inference, .layouts = layouts, .text = text, .contraction = contraction };
  int token = TOKEN_COMMA;

  memset (reader.letters, NO_LABEL, sizeof reader.letters);
  memset (reader.dots, NO_LABEL, sizeof reader.dots);
  contraction->n_operands = n;
  contraction->labels = g_malloc (n * sizeof *contraction->labels);
  for (guint operand = 0; operand < n; operand++)
    {
      if (token != TOKEN_COMMA)
        return fail (&reader, CANDELA_ERROR_PARAMETER, error, "there are subscripts for %u of %u operands", operand, n);
      if (!read_operand (&reader, operand, &token, error))
        return FALSE;
    }
  if (token == TOKEN_COMMA)
    return fail (&reader, CANDELA_ERROR_PARAMETER, error, "there is no operand %u", n + 1);
  return token == TOKEN_ARROW ? read_result (&reader, error) : make_result (&reader, error);
}

static gboolean
read_inference (Contraction *contraction, const CandelaInference *inference, GError **error)
{
  guint n = candela_inference_get_n_inputs (inference);
  const CandelaLayout *layouts[CONTRACTION_MAX_OPERANDS];

  for (guint k = 0; k < n; k++)
    layouts[k] = candela_inference_get_input_layout (inference, k);
  return read_subscripts (contraction, inference,
                          candela_params_get_string (candela_inference_get_params (inference), PARAM_SUBSCRIPTS),
                          layouts, n, error);
}

static gboolean
infer (CandelaInference *inference, GError **error)
{
  guint n = candela_inference_get_n_inputs (inference);
  CandelaDType dtype = candela_inference_get_promoted_dtype (inference);
  g_auto (Contraction) contraction = { 0 };
  gint64 shape[CANDELA_MAX_RANK];

  if (n == 0 || n > CONTRACTION_MAX_OPERANDS)
    return candela_inference_fail (inference, error, CANDELA_ERROR_ARITY, "takes 1 to %d operands; %u given",
                                   CONTRACTION_MAX_OPERANDS, n);
  if (dtype == CANDELA_DTYPE_INVALID)
    return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE, "the operands have no common dtype");
  if (!read_inference (&contraction, inference, error))
    return FALSE;
  for (guint k = 0; k < contraction.out_rank; k++)
    shape[k] = contraction.extents[contraction.out[k]];
  return candela_inference_set_output (inference, 0, dtype, shape, contraction.out_rank, error);
}

static guint64
count_flops (const CandelaInference *inference)
{
  g_auto (Contraction) contraction = { 0 };
  guint ranks[CONTRACTION_MAX_OPERANDS];

  for (guint k = 0; k < candela_inference_get_n_inputs (inference); k++)
    ranks[k] = candela_layout_get_rank (candela_inference_get_input_layout (inference, k));
  if (!read_inference (&contraction, inference, NULL))
    return 0;
  return contraction_count_flops (&contraction, ranks, candela_inference_get_promoted_dtype (inference));
}

static gboolean
compute (CandelaKernel *kernel, GError **error)
{
  guint n = candela_kernel_get_n_inputs (kernel);
  const CandelaLayout *layouts[CONTRACTION_MAX_OPERANDS];
  g_auto (Contraction) contraction = { 0 };

  for (guint k = 0; k < n; k++)
    layouts[k] = candela_kernel_get_input_layout (kernel, k);
  return read_subscripts (&contraction, NULL,
                          candela_params_get_string (candela_kernel_get_params (kernel), PARAM_SUBSCRIPTS), layouts, n,
                          error)
         && contraction_run (&contraction, kernel, error);
}

static const CandelaInputInfo inputs[] = {
  { .name = "operands",
    .kinds = LINALG_NUMBERS,
    .flags = CANDELA_INPUT_VARIADIC,
    .summary = "what is multiplied: one array or more" },
  { NULL },
};

static const CandelaParamInfo params[] = {
  { .name = "subscripts",
    .type = CANDELA_PARAM_STRING,
    .flags = CANDELA_PARAM_REQUIRED,
    .summary = "a letter for each axis of each operand, '...' for some, then '->' and the axes of the result" },
  { NULL },
};

static const CandelaKernelInfo kernels[] = { { .compute = compute }, { .compute = NULL } };

const CandelaOpInfo linalg_einsum_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "einsum",
  .summary = "Sums of products of operands by subscripts, as in 'ij,jk->ik'",
  .formula = "out[i, k] = Σⱼ a[i, j] · b[j, k] of einsum(a, b, \"ij,jk->ik\")\n"
             "a letter is an index; what stands for those that out lacks is summed over",
  .example = "a = reshape(arange(4), [2, 2]); einsum(a, a, \"ij,jk->ik\"), einsum(a, \"ii\"), einsum(a, \"ij->j\")",
  .since = "1.0",
  .inputs = inputs,
  .params = params,
  .axes = CANDELA_AXES_OPAQUE,
  .determinism = CANDELA_DETERMINISM_PER_LAYOUT,
  .infer = infer,
  .kernels = kernels,
  .flops = count_flops,
};
