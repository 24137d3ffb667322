/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Every special case that the array API standard 2024.12 has for element-wise functions,
 * in every dtype of floats and of complex numbers, at every place of a vector and in what
 * is left over behind it; and a NaN anywhere in what is reduced or clipped. */
#include "special-values.h"
#include "op-testing.h"

#include <float.h>

typedef struct
{
  const char *dtype, *wide;
  double max, tiny, step; /* the largest number, the least, and what is between 1 and the next */
} Format;

static const Format reals[] = {
  { "float64", "float64", DBL_MAX, 0x1p-1074, DBL_EPSILON },
  { "float32", "float64", FLT_MAX, 0x1p-149, FLT_EPSILON },
  { "float16", "float64", 65504, 0x1p-24, 0x1p-10 },
  { "bfloat16", "float64", 0x1.fep127, 0x1p-133, 0x1p-7 },
};

static const Format complexes[] = {
  { "complex128", "complex128", DBL_MAX, 0x1p-1074, DBL_EPSILON },
  { "complex64", "complex128", FLT_MAX, 0x1p-149, FLT_EPSILON },
};

/* Operands of a rule, and what is asked of the op, which may be those in another quadrant:
 * what becomes of the result to be that of the rule is said by the signs. */
typedef struct
{
  char *rule, **results;
  double x, y;
  double operands[2];
  gboolean opposite, conjugate, turned;
} Case;

static void
case_clear (gpointer data)
{
  Case *c = data;

  g_free (c->rule);
  g_strfreev (c->results);
}

static gboolean
same_number (double x, double y)
{
  return x == y && !signbit (x) == !signbit (y);
}

static double
read_number (const char *text, const Format *format)
{
  double sign = text[0] == '-' ? -1 : 1;
  const char *rest = text + (text[0] == '-');
  char *end;
  double times;

  if (strcmp (rest, "max") == 0 || strcmp (rest, "tiny") == 0)
    return sign * (rest[0] == 'm' ? format->max : format->tiny);
  if (strcmp (rest, "next") == 0)
    return 1 + format->step;
  times = rest[0] == 'p' ? 1 : g_ascii_strtod (rest, &end);
  if (rest[0] == 'p')
    end = (char *) rest;
  if (g_str_has_prefix (end, "pi"))
    {
      times *= G_PI / (end[2] == '/' ? g_ascii_strtod (end + 3, NULL) : 1);
      end = "";
    }
  g_assert_cmpstr (end, ==, "");
  return sign * times;
}

static gboolean
is_operand (const char *text, double value, double other, const Format *format)
{
  g_auto (GStrv) all = g_strsplit (text, "&", -1);

  if (all[1] != NULL)
    {
      for (guint i = 0; all[i] != NULL; i++)
        if (!is_operand (all[i], value, other, format))
          return FALSE;
      return TRUE;
    }
  switch (text[0])
    {
    case '!':
      return !is_operand (text + 1, value, other, format);
    case '|':
      return is_operand (text + 1, fabs (value), other, format);
    case '>':
      return value > read_number (text + 1, format);
    case '<':
      return value < read_number (text + 1, format);
    case '~':
      return text[1] == '0' ? value == 0 : isinf (value);
    }
  if (strcmp (text, "any") == 0)
    return TRUE;
  if (strcmp (text, "fin") == 0)
    return isfinite (value);
  if (strcmp (text, "int") == 0)
    return isfinite (value) && value == rint (value);
  if (strcmp (text, "odd") == 0)
    return isfinite (value) && fabs (fmod (value, 2)) == 1;
  if (strcmp (text, "-x") == 0)
    return same_number (value, -other);
  if (g_str_has_suffix (text, "nan"))
    return isnan (value) && (text[0] == 'n' || !signbit (value) == (text[0] == '+'));
  return same_number (value, read_number (text, format));
}

static double
read_result (const char *text, double x, double y, const Format *format)
{
  const struct
  {
    const char *text;
    double value;
  } of_operands[] = {
    { "x", x },
    { "-x", -x },
    { "|x|", fabs (x) },
    { "-|x|", -fabs (x) },
    { "y", y },
    { "|y|", fabs (y) },
    { "inf*cos", copysign (INFINITY, cos (y)) },
    { "inf*sin", copysign (INFINITY, sin (y)) },
    { "0*cos", copysign (0, cos (y)) },
    { "0*sin", copysign (0, sin (y)) },
  };

  for (guint i = 0; i < G_N_ELEMENTS (of_operands); i++)
    if (strcmp (text, of_operands[i].text) == 0)
      return of_operands[i].value;
  return read_number (text, format);
}

/* Multiples of pi are met nearly, all else exactly. */
static gboolean
is_result (const char *text, double x, double y, double got, const Format *format)
{
  const gboolean either = text[0] == '~';
  double wanted;

  if (g_str_has_suffix (text, "nan"))
    return isnan (got) && (text[0] == 'n' || !signbit (got) == (text[0] == '+'));
  if (strcmp (text, "+") == 0 || strcmp (text, "-") == 0)
    return !isnan (got) && !signbit (got) == (text[0] == '+');
  wanted = read_result (text + either, x, y, format);
  if (either)
    got = fabs (got);
  return strstr (text, "pi") != NULL ? fabs (got - wanted) <= 4 * format->step * fabs (wanted)
                                     : same_number (got, wanted);
}

/* ---- Cases ---- */

static guint
list_samples (const Format *format, double *samples)
{
  const double positive[] = { NAN, 0, INFINITY, 0.5, 1, 1.5, 2, 2.5, 3, 4, format->tiny, format->max };
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (positive); i++)
    {
      samples[n++] = copysign (positive[i], 1);
      samples[n++] = copysign (positive[i], -1);
    }
  return n;
}

#define N_SAMPLES 24

static void
add_case (GArray *cases, const char *op, const char *rule, const char *results, double x, double y)
{
  Case c = { .rule = g_strdup_printf ("%s: %s", op, rule),
             .results = g_strsplit (results, ",", -1),
             .x = x,
             .y = y,
             .operands = { x, y } };

  g_array_append_val (cases, c);
}

/* All operands that each rule is of, in all combinations. */
static GArray *
list_cases (const char *op, const char *rules, const Format *format)
{
  GArray *cases = g_array_new (FALSE, FALSE, sizeof (Case));
  g_auto (GStrv) all = g_strsplit (rules, " ", -1);
  double samples[N_SAMPLES];
  const guint n = list_samples (format, samples);

  g_array_set_clear_func (cases, case_clear);
  for (guint i = 0; all[i] != NULL; i++)
    {
      g_auto (GStrv) sides = g_strsplit (all[i], ":", -1);
      g_auto (GStrv) operands = g_strsplit (sides[0], ",", -1);
      const guint before = cases->len;

      for (guint k = 0; k < n * (operands[1] != NULL ? n : 1); k++)
        {
          const double x = samples[k % n], y = samples[k / n];

          if (is_operand (operands[0], x, y, format) && (operands[1] == NULL || is_operand (operands[1], y, x, format)))
            add_case (cases, op, all[i], sides[1], x, y);
        }
      if (cases->len == before)
        g_error ("%s: nothing is %s", op, all[i]);
    }
  return cases;
}

/* ---- Results ---- */

static CandelaTensor *
cast (CandelaTensor *tensor, const char *dtype)
{
  g_autofree char *params = g_strdup_printf ("{'dtype': <'%s'>}", dtype);
  g_autoptr (CandelaNode) x = candela_node_new_tensor (tensor);

  return compute_op ("astype", params, x, NULL);
}

/* Of n cases from the one at start on, around the end; only the first operand, only the second, or
 * both as the parts of a complex number. */
static CandelaNode *
make_operand (GArray *cases, guint start, gint64 n, gboolean same, guint first, guint n_parts, const Format *format)
{
  g_autoptr (CandelaTensor) wide = candela_tensor_new (read_dtype (format->wide), &n, 1, NULL);
  g_autoptr (CandelaTensor) narrow = NULL;
  double *data = candela_tensor_get_writable_data (wide);

  for (guint i = 0; i < n; i++)
    {
      const Case *c = &g_array_index (cases, Case, (start + (same ? 0 : i)) % cases->len);

      memcpy (data + i * n_parts, c->operands + first, n_parts * sizeof *data);
    }
  narrow = cast (wide, format->dtype);
  return candela_node_new_tensor (narrow);
}

static gboolean
check_case (const Case *c, const double *got, double scale, const Format *format)
{
  double parts[2] = { got[0] * scale, c->results[1] != NULL ? got[1] * scale : 0 };

  if (c->turned)
    {
      parts[0] = -got[1];
      parts[1] = got[0];
    }
  for (guint i = 0; c->results[i] != NULL; i++)
    {
      const gboolean negative = c->opposite != (i == 1 && c->conjugate);

      if (!is_result (c->results[i], c->x, c->y, negative ? -parts[i] : parts[i], format))
        return FALSE;
    }
  return TRUE;
}

typedef struct
{
  const char *op;
  GArray *cases;
  const Format *format;
  guint n_operands;
  double scale;
} Check;

/* The cases one after another from the one at start on, or one of them again and again. */
static void
check_run (const Check *check, guint start, guint n, gboolean same)
{
  const gboolean parts = strcmp (check->format->wide, "complex128") == 0;
  g_autoptr (CandelaNode) a = make_operand (check->cases, start, n, same, 0, 1 + parts, check->format);
  g_autoptr (CandelaNode) b =
    check->n_operands == 2 ? make_operand (check->cases, start, same ? 1 : n, same, 1, 1, check->format) : NULL;
  g_autoptr (CandelaTensor) narrow = compute_op (check->op, NULL, a, b);
  g_autoptr (CandelaTensor) wide = cast (narrow, check->format->wide);
  const double *got = candela_tensor_get_data (wide);

  for (guint i = 0; i < n; i++)
    {
      const Case *c = &g_array_index (check->cases, Case, (start + (same ? 0 : i)) % check->cases->len);

      if (check_case (c, got + i * (1 + parts), check->scale, check->format))
        continue;
      g_test_message ("%s: %s of %g, %g at %u of %u is %g, %g; the rule: %s", check->format->dtype, check->op,
                      c->operands[0], c->operands[1], i, n, got[i * (1 + parts)], parts ? got[2 * i + 1] : 0, c->rule);
      g_test_fail ();
    }
}

/* Each case is in every lane of a vector, and behind the last vector; then alone with itself,
 * the second operand being one number. */
static void
check_cases (const Check *check)
{
  enum {
    LANES = 32,
    ALONE = 19
  };

  for (guint start = 0; start < LANES; start++)
    check_run (check, start, check->cases->len + start, FALSE);
  for (guint i = 0; i < check->cases->len; i++)
    check_run (check, i, ALONE, TRUE);
}

static void
test_real (void)
{
  for (guint f = 0; f < G_N_ELEMENTS (reals); f++)
    for (guint i = 0; i < G_N_ELEMENTS (real_rules) + G_N_ELEMENTS (binary_rules); i++)
      {
        const gboolean binary = i >= G_N_ELEMENTS (real_rules);
        const Rules *rules = binary ? &binary_rules[i - G_N_ELEMENTS (real_rules)] : &real_rules[i];
        g_autoptr (GArray) cases = list_cases (rules->op, rules->rules, &reals[f]);
        const Check check = { rules->op, cases, &reals[f], binary ? 2 : 1, 1 };

        check_cases (&check);
      }
}

/* ---- Complex numbers ---- */

/* The same rule in another quadrant, or of the other function. */
static void
add_other (GArray *cases, const Case *of, gboolean conjugate, gboolean opposite, Symmetry symmetry, gboolean turned)
{
  Case c = { .rule = g_strdup (of->rule),
             .results = g_strdupv (of->results),
             .x = of->x,
             .y = of->y,
             .operands = { opposite ? -of->x : of->x, conjugate != opposite ? -of->y : of->y },
             .opposite = opposite && symmetry == ODD,
             .conjugate = conjugate,
             .turned = turned && symmetry == ODD };

  if (turned)
    {
      const double x = c.operands[0];

      c.operands[0] = c.operands[1];
      c.operands[1] = -x;
    }
  g_array_append_val (cases, c);
}

static void
test_complex (void)
{
  for (guint f = 0; f < G_N_ELEMENTS (complexes); f++)
    for (guint i = 0; i < G_N_ELEMENTS (complex_rules); i++)
      {
        const ComplexRules *rules = &complex_rules[i];
        g_autoptr (GArray) cases = list_cases (rules->op, rules->rules, &complexes[f]);

        for (guint turned = 0; turned < (rules->turned != NULL ? 2 : 1); turned++)
          {
            g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Case));
            const Check check = { turned ? rules->turned : rules->op, all, &complexes[f], 1, rules->scale };

            g_array_set_clear_func (all, case_clear);
            for (guint k = 0; k < cases->len; k++)
              for (guint sign = 0; sign < (rules->symmetry == CONJUGATE ? 2 : 4); sign++)
                add_other (all, &g_array_index (cases, Case, k), (sign & 1) != 0, (sign & 2) != 0, rules->symmetry,
                           turned);
            check_cases (&check);
          }
      }
}

/* ---- One NaN among numbers ---- */

static CandelaNode *
make_with_nan (const Format *format, gint64 n, gint64 place)
{
  g_autoptr (CandelaTensor) wide = candela_tensor_new (CANDELA_DTYPE_FLOAT64, &n, 1, NULL);
  g_autoptr (CandelaTensor) narrow = NULL;
  double *data = candela_tensor_get_writable_data (wide);

  for (gint64 i = 0; i < n; i++)
    data[i] = i == place ? NAN : (double) (i % 5 + 1);
  narrow = cast (wide, format->dtype);
  return candela_node_new_tensor (narrow);
}

/* What is reduced is NaN, and where the least and the greatest are is where that is. */
static void
check_reduced (const Format *format, gint64 n, gint64 place)
{
  static const char *const ops[] = { "max", "min", "sum", "prod", "mean", "var", "std", "argmax", "argmin" };
  g_autoptr (CandelaNode) x = make_with_nan (format, n, place);

  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    {
      g_autoptr (CandelaTensor) narrow = compute_op (ops[i], NULL, x, NULL);
      g_autoptr (CandelaTensor) wide = cast (narrow, "float64");
      const double got = *(const double *) candela_tensor_get_data (wide);

      if (ops[i][0] == 'a' ? got == (double) place : isnan (got))
        continue;
      g_test_message ("%s: %s of %d numbers with a NaN at %d is %g", format->dtype, ops[i], (int) n, (int) place, got);
      g_test_fail ();
    }
}

/* NaN where the number or a bound is, and nowhere else. */
static void
check_clipped (const Format *format, gint64 n, gint64 place)
{
  for (guint which = 0; which < 3; which++)
    {
      g_autoptr (CandelaNode) x = make_with_nan (format, n, which == 0 ? place : -1);
      g_autoptr (CandelaNode) min = make_with_nan (format, n, which == 1 ? place : -1);
      g_autoptr (CandelaNode) max = make_with_nan (format, n, which == 2 ? place : -1);
      CandelaNode *inputs[] = { x, min, max };
      g_autoptr (CandelaNode) node = candela_node_new_opv ("clip", inputs, G_N_ELEMENTS (inputs), NULL, NULL);
      g_autoptr (CandelaTensor) narrow = compute (node), wide = cast (narrow, "float64");

      for (gint64 i = 0; i < n; i++)
        g_assert_true (!isnan (((const double *) candela_tensor_get_data (wide))[i]) == (i != place));
    }
}

static void
test_nan (void)
{
  static const gint64 lengths[] = { 1, 2, 7, 16, 33, 67 };

  for (guint f = 0; f < G_N_ELEMENTS (reals); f++)
    for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
      for (gint64 place = 0; place < lengths[l]; place++)
        {
          check_reduced (&reals[f], lengths[l], place);
          check_clipped (&reals[f], lengths[l], place);
        }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/special-values/real", test_real);
  g_test_add_func ("/special-values/complex", test_complex);
  g_test_add_func ("/special-values/nan", test_nan);
  return g_test_run ();
}
