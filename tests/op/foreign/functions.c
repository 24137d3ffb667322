/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of all the kinds that foreign ops take, for their tests: a library that
 * knows nothing of Candela. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No header declares them: they are found by their names. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* ---- Over elements ---- */

double
add_one (double x)
{
  return x + 1;
}

float
scale (float x, int n)
{
  return x * n;
}

/* Each argument at its own place. */
double
six (double a, float b, int8_t c, uint16_t d, int64_t e, unsigned f)
{
  return a + 10.0 * b + 100.0 * c + 1000.0 * d + 1e5 * e + 1e6 * f;
}

int8_t
low_byte (int16_t x)
{
  return (int8_t) x;
}

bool
is_odd (uint64_t x)
{
  return x % 2 != 0;
}

uint16_t
shorten (unsigned x, bool up)
{
  return (uint16_t) (up ? x + 1 : x);
}

double
letters (double x, const char *text)
{
  while (*text != '\0')
    text++, x++;
  return x;
}

/* How many calls there are at once, which more than one thread would show. */
static int n_inside;

double
alone (double x)
{
  int others = __atomic_fetch_add (&n_inside, 1, __ATOMIC_SEQ_CST);

  for (volatile int k = 0; k < 200; k++)
    ;
  __atomic_fetch_sub (&n_inside, 1, __ATOMIC_SEQ_CST);
  return x + others;
}

/* ---- Over arrays ---- */

void
running_sum (const double *x, double *out, size_t n)
{
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    {
      sum += x[i];
      out[i] = sum;
    }
}

/* As many others do, with a stride for each array and the length as an int. */
void
weigh (int n, double alpha, const float *x, int step_x, const float *y, int step_y, float *out, int step_out)
{
  for (int i = 0; i < n; i++)
    out[i * step_out] = (float) (alpha * x[i * step_x] + y[i * step_y]);
}

double
total (const double x[], size_t stride, size_t n)
{
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += x[i * stride];
  return sum;
}

/* In place: the smallest first. */
void
sort_ints (int32_t *x, size_t n)
{
  for (size_t i = 1; i < n; i++)
    for (size_t k = i; k > 0 && x[k] < x[k - 1]; k--)
      {
        int32_t other = x[k];

        x[k] = x[k - 1];
        x[k - 1] = other;
      }
}

/* Of x, m elements as far apart as they can be; fails if there is a negative one. */
int
spread_out (const double *x, size_t n, double *out, size_t m, double *largest_of_each)
{
  for (size_t i = 0; i < m; i++)
    {
      out[i] = n > 0 ? x[m > 1 ? i * (n - 1) / (m - 1) : 0] : 0;
      if (out[i] < 0)
        return 7;
      largest_of_each[i] = out[i] * 10;
    }
  return 0;
}

/* 1, i, -1, -i: complex numbers by a pointer. */
void
turn (const double _Complex *x, double _Complex *out, size_t n)
{
  const double *in = (const double *) x;
  double *result = (double *) out;

  for (size_t i = 0; i < n; i++)
    {
      result[2 * i] = -in[2 * i + 1];
      result[2 * i + 1] = in[2 * i];
    }
}

float
dot (const float *x, const float *y, size_t n)
{
  float sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}

/* The number of elements that are apart from those beside them. */
long long
count_steps (const uint8_t *x, long n)
{
  long long count = 0;

  for (long i = 1; i < n; i++)
    count += x[i] != x[i - 1];
  return count;
}

/* ---- For candela check ---- */

/* What another call finds in the middle of this one. */
double
in_static (double x)
{
  static double parts[8];
  double sum = 0;

  for (int k = 0; k < 8; k++)
    ((volatile double *) parts)[k] = x;
  for (int k = 0; k < 8; k++)
    sum += ((volatile double *) parts)[k];
  return sum;
}

double
counts (double x)
{
  static double n;

  n += 1;
  return x + n;
}

void
through_static (const double *x, double *out, size_t n)
{
  static double copy[1 << 17];

  for (size_t i = 0; i < n; i++)
    ((volatile double *) copy)[i] = x[i];
  for (size_t i = 0; i < n; i++)
    out[i] = 2 * ((volatile double *) copy)[i];
}

void
turned (const double *x, double *out, size_t n)
{
  for (size_t i = 0; i < n; i++)
    out[i] = x[n - 1 - i];
}

void
one_behind (const double *x, double *out, size_t n)
{
  for (size_t i = 0; i <= n; i++)
    out[i] = i < n ? x[i] : 0;
}

void
writes_input (const double *x, double *out, size_t n)
{
  for (size_t i = 0; i < n; i++)
    {
      out[i] = x[i];
      ((double *) x)[i] = 0;
    }
}
