/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A product that is rounded before anything is done with it. GCC 12 makes one rounding of
 * products and their difference and sum side by side, as complex numbers have them, though
 * told not to contract, and only in the body of a loop. */
#pragma once

#if defined(__has_builtin)
#if __has_builtin(__builtin_assoc_barrier)
#define ROUNDED_PRODUCT(a, b) __builtin_assoc_barrier ((a) * (b))
#endif
#endif
#ifndef ROUNDED_PRODUCT
#define ROUNDED_PRODUCT(a, b) ((a) * (b))
#endif
