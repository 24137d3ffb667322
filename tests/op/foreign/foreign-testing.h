/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Making foreign ops of the functions in functions.c, and having them refused. */
#pragma once

#include "../../testing.h"

/* The library of functions.c, where add_foreign() and assert_foreign_refused() find it. */
#define FUNCTIONS "functions.so"

typedef struct
{
  const char *name, *signature, *symbol, *options; /* options: the text of an a{sv} */
} ForeignCase;

/* An expression, and its value. */
typedef struct
{
  const char *text;
  const char *dtype, *shape, *elements;
} ValueCase;

static inline char *
library_filename (const char *library)
{
  if (g_strcmp0 (library, FUNCTIONS) != 0)
    return g_strdup (library);
  return g_test_build_filename (G_TEST_BUILT, "op", "foreign", ".libs", FUNCTIONS, NULL);
}

static inline void
add_foreign (const char *name, const char *library, const char *symbol, const char *signature, const char *options)
{
  g_autofree char *filename = library_filename (library);
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaOp) op = candela_op_new_foreign (name, filename, symbol, signature, read_params (options), &error);

  g_assert_no_error (error);
  candela_registry_add_op (candela_registry_get_default (), op, &error);
  g_assert_no_error (error);
}

static inline void
add_foreign_ops (const ForeignCase *cases, gsize n)
{
  for (gsize k = 0; k < n; k++)
    add_foreign (cases[k].name, FUNCTIONS, cases[k].symbol, cases[k].signature, cases[k].options);
}

/* Makes the ops, and looks at the values. */
static inline void
check_values (const ForeignCase *ops, gsize n_ops, const ValueCase *cases, gsize n, const Given *given, gsize n_given)
{
  add_foreign_ops (ops, n_ops);
  for (gsize k = 0; k < n; k++)
    check_value (cases[k].text, given, n_given, cases[k].dtype, cases[k].shape, cases[k].elements);
}

static inline void
assert_foreign_refused (const char *name, const char *library, const char *symbol, const char *signature,
                        const char *options, const char *message)
{
  g_autofree char *filename = library_filename (library);
  g_autoptr (GError) error = NULL;
  CandelaOp *op = candela_op_new_foreign (name, filename, symbol, signature, read_params (options), &error);

  g_assert_null (op);
  g_assert_nonnull (error);
  g_assert_cmpstr (error->message, ==, message);
}
