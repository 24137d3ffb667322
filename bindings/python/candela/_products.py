# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Products whose axes are given in the standard's way.

from gi.overrides import Candela as core


def tensordot(x1, x2, /, *, axes=2):
    """Sums of products over axes of x1 and as many of x2; the others stay, first those of x1. axes is how
    many of the last ones of x1 and of the first ones of x2, or two sequences: which of x1, which of x2."""
    if hasattr(axes, "__index__"):
        return core.apply("tensordot", (x1, x2), "axes", axes.__index__())
    try:
        x1_axes, x2_axes = (tuple(one) if hasattr(one, "__iter__") else (one,) for one in axes)
    except (TypeError, ValueError):
        raise TypeError("tensordot: axes is %r; it must be a number or two sequences of axes" % (axes,)) from None
    return core.apply("tensordot", (x1, x2), "x1_axes", x1_axes, "x2_axes", x2_axes)
