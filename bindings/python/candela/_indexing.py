# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Elements chosen by arrays of indices.

from gi.overrides import Candela as core
from gi.repository import Candela

Kind = Candela.DTypeKind


def _indices(part):
    array = core.asarray(part)
    kind = Candela.dtype_get_kind(array.dtype)
    if kind == Kind.BOOL:
        raise IndexError("indexing by an array of bools is not there yet; where() and a sum may serve")
    if array.size == 0 and isinstance(part, list):
        return core.asarray(part, dtype="int64")
    if not kind & (Kind.SIGNED | Kind.UNSIGNED):
        raise IndexError("an array of dtype %s is no index" % array.dtype.name)
    return array


def _in_range(index, n, axis):
    """The indices as ones from 0 up. They are looked at: where they are together one number, what is out
    of range would be another element."""
    if index.size and (int(core.apply("max", (index,))) >= n or int(core.apply("min", (index,))) < -n):
        raise IndexError("an index is out of range for axis %d of length %d" % (axis, n))
    index = core.apply("astype", (index,), "dtype", "int64")
    return core.apply("where", (index < 0, index + n, index))


def take(x, key):
    """x[key], where key has arrays of integers in it."""
    parts = list(key) if isinstance(key, tuple) else [key]
    if sum(part is Ellipsis for part in parts) > 1:
        raise IndexError("there is a second ellipsis")
    n_axes = sum(part is not None and part is not Ellipsis for part in parts)
    if n_axes > x.ndim:
        raise IndexError("x has shape %s: the key has more than %d indices" % (x.shape, x.ndim))
    if Ellipsis in [part for part in parts if part is Ellipsis]:
        at = next(i for i, part in enumerate(parts) if part is Ellipsis)
        parts[at:at + 1] = [slice(None)] * (x.ndim - n_axes)
    else:
        parts += [slice(None)] * (x.ndim - n_axes)

    # Slices and new axes first; what chooses takes whole axes then.
    chosen, plain = [], []
    for part in parts:
        if part is None or isinstance(part, slice):
            plain.append(part)
        else:
            chosen.append((len(plain), _indices(part)))
            plain.append(slice(None))
    x = x[tuple(plain)]
    axes = [axis for axis, _ in chosen]
    if len(chosen) == 1:
        axis, index = chosen[0]
        shape = x.shape[:axis] + index.shape + x.shape[axis + 1:]
        flat = core.apply("reshape", (index,), "shape", (-1,) if index.size else (0,))
        return core.apply("reshape", (core.apply("take", (x, flat), "axis", axis),), "shape", shape)

    flat, shape = None, ()
    for axis, index in chosen:
        index = _in_range(index, x.shape[axis], axis)
        flat = index if flat is None else flat * x.shape[axis] + index
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
