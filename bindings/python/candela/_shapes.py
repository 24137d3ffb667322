# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Functions of the standard that are made of others.

from gi.overrides import Candela as core


def reshape(x, /, shape, *, copy=None):
    """The elements of x, in row-major order, in another shape; one length may be -1. A view where that
    can be; copy=True gives an array of its own, copy=False refuses where there would be none."""
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if copy is False and not x.node.get_layout().is_contiguous():
        raise ValueError("reshape: this array cannot be one of shape %s without a copy" % (shape,))
    return core.apply("reshape", (x,), "shape", shape)


def broadcast_arrays(*arrays):
    """Views of the arrays in the one shape that they broadcast to."""
    shape = ()
    for array in arrays:
        shape = _broadcast(shape, array.shape)
    return [core.apply("broadcast_to", (array,), "shape", shape) for array in arrays]


def _broadcast(a, b):
    a, b = (1,) * (len(b) - len(a)) + a, (1,) * (len(a) - len(b)) + b
    for m, n in zip(a, b):
        if m != n and 1 not in (m, n):
            raise ValueError("shapes %s and %s cannot be broadcast together" % (a, b))
    return tuple(n if m == 1 else m for m, n in zip(a, b))


def unstack(x, /, *, axis=0):
    """The parts of x along an axis, as a tuple of arrays without it."""
    if not -x.ndim <= axis < x.ndim:
        raise IndexError("unstack: axis %d of an array of %d axes" % (axis, x.ndim))
    before = (slice(None),) * (axis % x.ndim)
    return tuple(x[(*before, i)] for i in range(x.shape[axis]))
