# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Elements chosen by arrays of indices, and by masks.

from gi.overrides import Candela as core
from gi.repository import Candela

Kind = Candela.DTypeKind


class _Mask:
    """A part of a key that says of each element of some axes whether it is chosen."""

    def __init__(self, array):
        self.array = array

    def check(self, shape):
        if self.array.shape != shape[:self.array.ndim]:
            raise IndexError("a mask of shape %s for axes of shape %s" % (self.array.shape, shape))


def _array_part(part):
    """What chooses, as an array of integers or a mask; all else as it is."""
    if part is None or part is Ellipsis or isinstance(part, slice):
        return part
    array = core.asarray(part)
    if array.size == 0 and isinstance(part, list):
        return core.asarray(part, dtype="int64")
    kind = Candela.dtype_get_kind(array.dtype)
    if kind == Kind.BOOL:
        return _Mask(array)
    if not kind & (Kind.SIGNED | Kind.UNSIGNED):
        raise IndexError("an array of dtype %s is no index" % array.dtype.name)
    return array


def _n_axes(part):
    return 0 if part is None or part is Ellipsis else part.array.ndim if isinstance(part, _Mask) else 1


def _whole_key(x, parts):
    """Parts for all axes of x, without an ellipsis."""
    if sum(part is Ellipsis for part in parts) > 1:
        raise IndexError("there is a second ellipsis")
    rest = x.ndim - sum(map(_n_axes, parts))
    if rest < 0:
        raise IndexError("x has shape %s: the key has more than %d indices" % (x.shape, x.ndim))
    at = next((i for i, part in enumerate(parts) if part is Ellipsis), len(parts))
    return parts[:at] + [slice(None)] * rest + parts[at + 1:]


def _split(x, parts):
    """The key of slices and new axes, and what chooses from which of the axes that these leave. A mask is
    the indices of what is true in it; one without axes chooses from a new axis of one element."""
    plain, chosen, axis = [], [], 0
    for part in parts:
        if part is None or isinstance(part, slice):
            plain.append(part)
        elif isinstance(part, _Mask) and part.array.ndim == 0:
            chosen.append((len(plain), core.asarray([0] if part.array else [], dtype="int64")))
            plain.append(None)
        elif isinstance(part, _Mask):
            part.check(x.shape[axis:])
            for index in core.apply_now("nonzero", (part.array,)):
                chosen.append((len(plain), index))
                plain.append(slice(None))
        else:
            chosen.append((len(plain), part))
            plain.append(slice(None))
        axis += _n_axes(part)
    return tuple(plain), chosen


def _in_range(index, n, axis):
    """The indices as ones from 0 up. They are looked at: where they are together one number, what is out
    of range would be another element."""
    if index.size and (int(core.apply("max", (index,))) >= n or int(core.apply("min", (index,))) < -n):
        raise IndexError("an index is out of range for axis %d of length %d" % (axis, n))
    index = core.apply("astype", (index,), "dtype", "int64")
    return core.apply("where", (index < 0, index + n, index))


def take(x, key):
    """x[key], where key has masks or arrays of integers in it."""
    parts = [_array_part(part) for part in (key if isinstance(key, tuple) else (key,))]
    if len(parts) == 1 and isinstance(parts[0], _Mask):
        parts[0].check(x.shape)
        return core.apply_now("boolean_mask", (x, parts[0].array))

    # Slices and new axes first; what chooses takes whole axes then.
    plain, chosen = _split(x, _whole_key(x, parts))
    x = x[plain]
    axes = [axis for axis, _ in chosen]
    if len(chosen) == 1:
        axis, index = chosen[0]
        shape = x.shape[:axis] + index.shape + x.shape[axis + 1:]
        flat = core.apply("reshape", (index,), "shape", (-1,) if index.size else (0,))
        return core.apply("reshape", (core.apply("take", (x, flat), "axis", axis),), "shape", shape)

    flat, shape = None, ()
    for axis, index in chosen:
        index = _in_range(index, x.shape[axis], axis)
        try:
            flat = index if flat is None else flat * x.shape[axis] + index
        except core.ShapeError:
            raise IndexError("indices of shape %s and others before them, of shape %s, cannot be broadcast together"
                             % (index.shape, flat.shape)) from None
    shape = flat.shape
    rest = [axis for axis in range(x.ndim) if axis not in axes]
    rest_shape = tuple(x.shape[axis] for axis in rest)
    length = 1
    for axis in axes:
        length *= x.shape[axis]
    turned = core.apply("permute_dims", (x,), "axes", tuple(axes + rest))
    lines = core.apply("reshape", (turned,), "shape", (length,) + rest_shape)
    index = core.apply("reshape", (flat,), "shape", (flat.size,))
    result = core.apply("reshape", (core.apply("take", (lines, index), "axis", 0),), "shape", shape + rest_shape)
    if axes != list(range(axes[0], axes[0] + len(axes))):
        return result
    # Side by side they stand where they were.
    order = list(range(len(shape), len(shape) + axes[0])) + list(range(len(shape)))
    order += list(range(len(shape) + axes[0], result.ndim))
    return core.apply("permute_dims", (result,), "axes", tuple(order))
