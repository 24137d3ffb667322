/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Libraries of linear algebra, opened when they are needed, and kept to one thread
 * while they are at work. The plugins that use one share it: its handle, and the count
 * of those who are at it. */
#pragma once

#include <candela/candela-plugin.h>

/* open.c: a library of the dynamic linker; PLUGIN if it cannot be opened. */
gpointer linalg_open (const char *name, GError **error);

/* A BLAS, or a library that has one; *told says which kernels an OpenBLAS would have
 * taken if it had not been told better, or is NULL. */
gpointer linalg_open_blas (const char *name, const char **told, GError **error);

/* Kernels of OpenBLAS for processors without AVX2. */
gboolean linalg_is_old_core (const char *core);

/* Keeps OpenMP, as the library of that handle sees it, to the calling thread. Gives what
 * linalg_leave_openmp() puts back. */
typedef struct
{
  int (*get_max_threads) (void);
  void (*set_num_threads) (int n);
} OpenMP;

gboolean linalg_find_openmp (gpointer handle, OpenMP *openmp);
int linalg_enter_openmp (const OpenMP *openmp);
void linalg_leave_openmp (const OpenMP *openmp, int n_threads);

/* threads.c: the library of that name, open; for all who ask in this process the same
 * one, for good. PLUGIN, each time, if it cannot be opened. */
typedef struct _Blas Blas;

Blas *linalg_blas_get (const char *name, GError **error);
gpointer linalg_blas_get_handle (const Blas *blas);
const char *linalg_blas_get_told (const Blas *blas); /* as above */

/* Around all that one kernel does with it. */
void linalg_blas_begin (Blas *blas);
void linalg_blas_end (Blas *blas);

/* Within these, around the calls of each thread. */
int linalg_blas_enter (const Blas *blas);
void linalg_blas_leave (const Blas *blas, int n_threads);
