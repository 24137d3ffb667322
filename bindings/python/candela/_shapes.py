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


def concat(*arrays, axis=0):
    """Arrays of one shape, but for one axis, joined along that axis; flattened first where that is None.
    They are given one by one or in one sequence."""
    if len(arrays) == 1 and isinstance(arrays[0], (list, tuple)):
        arrays = arrays[0]
    if axis is None:
        return core.apply("concat", tuple(reshape(array, (-1,)) for array in arrays))
    return core.apply("concat", tuple(arrays), "axis", axis)


def repeat(x, repeats, /, *, axis=None):
    """Each element of x several times over: one number for all, or one for each along the axis. An array
    of numbers is computed now: the shape of the result depends on it."""
    repeats = repeats.tolist() if hasattr(repeats, "tolist") else repeats
    return core.apply("repeat", (x,), "repeats", tuple(repeats) if isinstance(repeats, list) else repeats, "axis", axis)


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    """Differences of neighbours along an axis, n times, of x with what goes before and after it."""
    if prepend is None and append is not None:
        if not -x.ndim <= axis < x.ndim:
            raise IndexError("diff: axis %d of an array of %d axes" % (axis, x.ndim))
        prepend = x[(*(slice(None),) * (axis % x.ndim), slice(0))]
    return core.apply("diff", tuple(a for a in (x, prepend, append) if a is not None), "axis", axis, "n", n)


def nonzero(x, /):
    """The indices of the elements of x that are not 0, in row-major order: an array for each axis. Computed
    now: the shape depends on it."""
    return tuple(core.apply_now("nonzero", (x,)))
