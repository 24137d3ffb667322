/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Floor division and its remainder, and powers of integers, which loops take many at once:
 * against division in 128 bits, against Python's float division (Objects/floatobject.c) over
 * the C library's fmod, and against products one after the other. */
#include <candela/candela.h>
#include <math.h>
#include <string.h>

static CandelaNode *
new_operand (CandelaDType dtype, gint64 n, gpointer *data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor = candela_tensor_new (dtype, &n, 1, &error);

  g_assert_no_error (error);
  *data = candela_tensor_get_writable_data (tensor);
  return candela_node_new_tensor (tensor);
}

/* An output of an op over two operands, which hold what they are to by now. */
static CandelaTensor *
compute (const char *op, guint output, CandelaNode *x1, CandelaNode *x2)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) node = candela_node_new_op (op, &error, x1, x2, NULL, NULL);
  g_autoptr (CandelaNode) part = candela_node_get_output (node, output, &error);
  CandelaTensor *result = candela_node_materialize (part, &error);

  g_assert_no_error (error);
  return result;
}

static guint64
random_bits (void)
{
  return (guint64) g_random_int () << 32 | g_random_int ();
}

/* ---- Integers ---- */

#define N 3001

/* X (DTYPE, type) */
#define INTEGERS(X)                                                                                                    \
  X (INT8, gint8)                                                                                                      \
  X (INT16, gint16)                                                                                                    \
  X (INT32, gint32)                                                                                                    \
  X (INT64, gint64)                                                                                                    \
  X (UINT8, guint8)                                                                                                    \
  X (UINT16, guint16)                                                                                                  \
  X (UINT32, guint32)                                                                                                  \
  X (UINT64, guint64)

static __int128
floor_divide (__int128 a, __int128 b)
{
  const __int128 quotient = a / b;

  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

/* Any number, of any size; or about a multiple of the divisor. */
#define TEST_INTEGERS(DTYPE, type)                                                                                     \
  static void test_##DTYPE (void)                                                                                      \
  {                                                                                                                    \
    const gboolean all = sizeof (type) == 1;                                                                           \
    const gint64 n = all ? 65536 : N;                                                                                  \
    gpointer data[2];                                                                                                  \
    g_autoptr (CandelaNode) x1 = new_operand (CANDELA_DTYPE_##DTYPE, n, &data[0]);                                     \
    g_autoptr (CandelaNode) x2 = new_operand (CANDELA_DTYPE_##DTYPE, n, &data[1]);                                     \
    g_autoptr (CandelaTensor) quotients = NULL, remainders = NULL, first = NULL, second = NULL;                        \
    type *a = data[0], *b = data[1];                                                                                   \
    const guint64 least = (type) -1 > 1 ? 0 : (guint64) 1 << (8 * sizeof (type) - 1);                                  \
                                                                                                                       \
    for (gint64 i = 0; i < n; i++)                                                                                     \
      {                                                                                                                \
        b[i] = (type) (all ? i >> 8 : (gint64) (random_bits () >> g_random_int_range (0, 63)));                        \
        a[i] = (type) (all ? i : (gint64) (random_bits () >> g_random_int_range (0, 63)));                             \
        if (!all && i % 3 == 0)                                                                                        \
          a[i] = (type) ((guint64) b[i] * g_random_int_range (0, 1000) + (guint64) g_random_int_range (-1, 2));        \
        if (!all && i % 17 == 0)                                                                                       \
          a[i] = (type) (i % 2 == 0 ? least : least - 1);                                                              \
        if (!all && i % 19 == 0)                                                                                       \
          b[i] = (type) g_random_int_range (-2, 3);                                                                    \
      }                                                                                                                \
    quotients = compute ("floor_divide", 0, x1, x2);                                                                   \
    remainders = compute ("remainder", 0, x1, x2);                                                                     \
    first = compute ("divmod", 0, x1, x2);                                                                             \
    second = compute ("divmod", 1, x1, x2);                                                                            \
    for (gint64 i = 0; i < n; i++)                                                                                     \
      {                                                                                                                \
        const __int128 quotient = b[i] != 0 ? floor_divide (a[i], b[i]) : 0;                                           \
        const type wanted = (type) quotient, rest = b[i] != 0 ? (type) (a[i] - quotient * b[i]) : 0;                   \
                                                                                                                       \
        if (((const type *) candela_tensor_get_data (quotients))[i] != wanted                                          \
            || ((const type *) candela_tensor_get_data (remainders))[i] != rest                                        \
            || ((const type *) candela_tensor_get_data (first))[i] != wanted                                           \
            || ((const type *) candela_tensor_get_data (second))[i] != rest)                                           \
          g_error ("%s: %" G_GINT64_FORMAT " by %" G_GINT64_FORMAT " is not %" G_GINT64_FORMAT                         \
                   ", of which %" G_GINT64_FORMAT " is left",                                                          \
                   #type, (gint64) a[i], (gint64) b[i], (gint64) wanted, (gint64) rest);                               \
      }                                                                                                                \
  }

INTEGERS (TEST_INTEGERS)

/* The same exponent for all, for all but the last, and any. */
#define TEST_POWERS(DTYPE, type)                                                                                       \
  static void powers_##DTYPE (void)                                                                                    \
  {                                                                                                                    \
    for (guint round = 0; round < 18; round++)                                                                         \
      {                                                                                                                \
        const gint64 n = round % 3 == 0 ? 1 : 1100 + round;                                                            \
        gpointer data[2];                                                                                              \
        g_autoptr (CandelaNode) x1 = new_operand (CANDELA_DTYPE_##DTYPE, n, &data[0]);                                 \
        g_autoptr (CandelaNode) x2 = new_operand (CANDELA_DTYPE_##DTYPE, n, &data[1]);                                 \
        g_autoptr (CandelaTensor) powers = NULL;                                                                       \
        type *a = data[0], *b = data[1];                                                                               \
                                                                                                                       \
        for (gint64 i = 0; i < n; i++)                                                                                 \
          {                                                                                                            \
            a[i] = (type) random_bits ();                                                                              \
            b[i] = (type) (round == 17 || (round % 2 == 1 && i == n - 1) ? i % 7 : round / 3);                         \
          }                                                                                                            \
        powers = compute ("pow", 0, x1, x2);                                                                           \
        for (gint64 i = 0; i < n; i++)                                                                                 \
          {                                                                                                            \
            guint64 wanted = 1;                                                                                        \
                                                                                                                       \
            for (type k = 0; k < b[i]; k++)                                                                            \
              wanted *= (guint64) a[i];                                                                                \
            if (((const type *) candela_tensor_get_data (powers))[i] != (type) wanted)                                 \
              g_error ("%s: %" G_GINT64_FORMAT " to the power %" G_GINT64_FORMAT " is not %" G_GINT64_FORMAT, #type,   \
                       (gint64) a[i], (gint64) b[i], (gint64) (type) wanted);                                          \
          }                                                                                                            \
      }                                                                                                                \
  }

INTEGERS (TEST_POWERS)

/* ---- Floats ---- */

/* Python's float division; infinite operands as in the array API standard. */
#define PYTHON_DIVMOD(T, FMOD, FLOOR, COPYSIGN)                                                                        \
  static T python_##T (T a, T b, T *remainder)                                                                         \
  {                                                                                                                    \
    T mod = FMOD (a, b), quotient, whole;                                                                              \
                                                                                                                       \
    *remainder = mod;                                                                                                  \
    if (b == 0)                                                                                                        \
      return a / b;                                                                                                    \
    quotient = (a - mod) / b;                                                                                          \
    if (mod == 0)                                                                                                      \
      mod = COPYSIGN (0, b);                                                                                           \
    else if ((b < 0) != (mod < 0))                                                                                     \
      {                                                                                                                \
        mod += b;                                                                                                      \
        quotient -= 1;                                                                                                 \
      }                                                                                                                \
    *remainder = mod;                                                                                                  \
    if (isinf (a) || isinf (b))                                                                                        \
      return a / b;                                                                                                    \
    if (quotient == 0)                                                                                                 \
      return COPYSIGN (0, a / b);                                                                                      \
    whole = FLOOR (quotient);                                                                                          \
    return quotient - whole > (T) 0.5 ? whole + 1 : whole;                                                             \
  }

PYTHON_DIVMOD (float, fmodf, floorf, copysignf)
PYTHON_DIVMOD (double, fmod, floor, copysign)

static const double specials[] = {
  0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 0x1p-149, 5e-324, 0x1.fffffep127, 1.7e308
};

/* Any bits; numbers of about the same size, some far apart; multiples of the divisor, or next
 * to one; few or no blocks in which all are near each other, or all. */
#define TEST_FLOATS(DTYPE, T, Bits, NEXT, LDEXP, most)                                                                 \
  static gboolean differ_##T (T a, T b)                                                                                \
  {                                                                                                                    \
    return memcmp (&a, &b, sizeof a) != 0 && !(isnan (a) && isnan (b));                                                \
  }                                                                                                                    \
                                                                                                                       \
  static void test_##DTYPE (void)                                                                                      \
  {                                                                                                                    \
    for (guint round = 0; round < 40; round++)                                                                         \
      {                                                                                                                \
        const gint64 n = N - (gint64) round;                                                                           \
        const guint rare = 1u << (round / 4);                                                                          \
        gpointer data[2];                                                                                              \
        g_autoptr (CandelaNode) x1 = new_operand (CANDELA_DTYPE_##DTYPE, n, &data[0]);                                 \
        g_autoptr (CandelaNode) x2 = new_operand (CANDELA_DTYPE_##DTYPE, n, &data[1]);                                 \
        g_autoptr (CandelaTensor) quotients = NULL, remainders = NULL;                                                 \
        T *a = data[0], *b = data[1];                                                                                  \
                                                                                                                       \
        for (gint64 i = 0; i < n; i++)                                                                                 \
          {                                                                                                            \
            const int exponent = round % 4 == 3 ? -most : g_random_int_range (-20, 21);                                \
            const Bits bits = (Bits) random_bits ();                                                                   \
                                                                                                                       \
            b[i] = (T) LDEXP ((T) g_random_double_range (-2, 2), exponent);                                            \
            a[i] = (T) LDEXP ((T) g_random_double_range (-2, 2), exponent + g_random_int_range (-3, most / 6));        \
            if (i % 3 == 0)                                                                                            \
              a[i] = b[i] * (T) g_random_int_range (-4000000, 4000000);                                                \
            if (i % 6 == 0)                                                                                            \
              a[i] = NEXT (a[i], (T) (i % 4 == 0 ? INFINITY : -INFINITY));                                             \
            if (i % 31 == 0)                                                                                           \
              b[i] = NEXT (a[i], 0);                                                                                   \
            if (g_random_int () % rare == 0 && round < 36)                                                             \
              memcpy (&a[i], &bits, sizeof bits);                                                                      \
            if (g_random_int () % rare == 0 && round < 36)                                                             \
              (i % 2 == 0 ? a : b)[i] = (T) specials[g_random_int () % G_N_ELEMENTS (specials)];                       \
          }                                                                                                            \
        quotients = round % 2 == 0 ? compute ("floor_divide", 0, x1, x2) : compute ("divmod", 0, x1, x2);              \
        remainders = round % 2 == 0 ? compute ("remainder", 0, x1, x2) : compute ("divmod", 1, x1, x2);                \
        for (gint64 i = 0; i < n; i++)                                                                                 \
          {                                                                                                            \
            T rest, wanted = python_##T (a[i], b[i], &rest);                                                           \
            T quotient = ((const T *) candela_tensor_get_data (quotients))[i];                                         \
            T remainder = ((const T *) candela_tensor_get_data (remainders))[i];                                       \
                                                                                                                       \
            if (differ_##T (quotient, wanted) || differ_##T (remainder, rest))                                         \
              g_error ("%s: %a by %a is not %a, of which %a is left, but %a and %a", #T, (double) a[i], (double) b[i], \
                       (double) wanted, (double) rest, (double) quotient, (double) remainder);                         \
          }                                                                                                            \
      }                                                                                                                \
  }

TEST_FLOATS (FLOAT32, float, guint32, nextafterf, ldexpf, 126)
TEST_FLOATS (FLOAT64, double, guint64, nextafter, ldexp, 1022)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(DTYPE, type)                                                                                               \
  g_test_add_func ("/plugins/division/" #type, test_##DTYPE);                                                          \
  g_test_add_func ("/plugins/division/power-" #type, powers_##DTYPE);
  INTEGERS (ADD)
  g_test_add_func ("/plugins/division/float", test_FLOAT32);
  g_test_add_func ("/plugins/division/double", test_FLOAT64);

  return g_test_run ();
}
