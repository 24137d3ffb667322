# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Elements chosen by arrays of indices, and by masks: got, and set.

from gi.overrides import Candela as core
from gi.repository import Candela

Kind = Candela.DTypeKind


class _Mask:
    """A part of a key that says of each element of some axes whether it is chosen."""

    def __init__(self, array):
        self.array = array

    def check(self, shape):
        """Whether it is for axes of that shape. As the standard has it, an axis of no length is for any, of
        which nothing is chosen then."""
        own, shape = self.array.shape, shape[:self.array.ndim]
        if len(own) != len(shape) or any(n not in (0, length) for n, length in zip(own, shape)):
            raise IndexError("a mask of shape %s for axes of shape %s" % (own, shape))
        if own != shape:
            self.array = core.apply("full", (), "shape", shape, "fill_value", False)


def _array_part(part):
    """What chooses, as an array of integers or a mask; all else as it is."""
    if part is None or part is Ellipsis or isinstance(part, slice) or type(part) is int:
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
        elif isinstance(part, int):
            if not -x.shape[axis] <= part < x.shape[axis]:
                raise IndexError("index %d is out of range for axis %d of length %d" % (part, axis, x.shape[axis]))
            chosen.append((len(plain), part))
            plain.append(slice(None))
        else:
            chosen.append((len(plain), part))
            plain.append(slice(None))
        axis += _n_axes(part)
    return tuple(plain), chosen


def _turned(parts, axes, indices, ndim):
    """Where NumPy has what arrays of indices choose before all other axes though they are for axes side by
    side, since other parts of the key are between them: the order in which an op's axes are NumPy's, and the
    other way round. Otherwise None."""
    places = [i for i, part in enumerate(parts) if part is not None and part is not Ellipsis
              and not isinstance(part, slice)]
    first = min(axes)
    if first == 0 or max(axes) - first + 1 != len(axes) or places[-1] - places[0] + 1 == len(places):
        return None
    n = max(getattr(index, "ndim", 0) for index in indices)
    total = ndim - len(axes) + n
    there = (*range(n, n + first), *range(n), *range(n + first, total))
    back = (*range(first, first + n), *range(first), *range(first + n, total))
    return there, back


def take(x, key):
    """x[key], where key has masks or arrays of integers in it."""
    parts = [_array_part(part) for part in (key if isinstance(key, tuple) else (key,))]
    if len(parts) == 1 and isinstance(parts[0], _Mask):
        parts[0].check(x.shape)
        return core.apply_now("boolean_mask", (x, parts[0].array))

    # Slices and new axes first; what chooses takes whole axes then.
    plain, chosen = _split(x, _whole_key(x, parts))
    x = x[plain]
    axes, indices = zip(*chosen)
    if len(chosen) == 1:
        return core.apply("take", (x, indices[0]), "axis", axes[0])
    result = core.apply("gather", (x, *indices), "axes", axes)
    turned = _turned(parts, axes, indices, x.ndim)
    return result if turned is None else core.apply("permute_dims", (result,), "axes", turned[1])


# ---- Setting ----

_ORDER = [Kind.BOOL, Kind.SIGNED, Kind.FLOAT, Kind.COMPLEX]


def _rank(dtype):
    """Of the kinds in the order in which they hold each other; all integers are one."""
    kind = Candela.dtype_get_kind(dtype)
    return _ORDER.index(Kind.SIGNED if kind == Kind.UNSIGNED else kind)


def _error(kind, code, message):
    return kind(message, "candela-error-quark", int(code))


def _put_masked(x, mask, value):
    mask.check(x.shape)
    mask, rest = mask.array, x.shape[mask.array.ndim:]
    if value.ndim > len(rest):
        return core.apply("place", (x, mask, value))
    # The same for all that is true: as any element-wise op.
    if any(n not in (1, length) for n, length in zip(value.shape[::-1], rest[::-1])):
        raise _error(core.ShapeError, Candela.Error.SHAPE,
                     "a value of shape %s cannot be broadcast to elements of shape %s" % (value.shape, rest))
    if _rank(value.dtype) > _rank(x.dtype):
        raise _error(core.DTypeError, Candela.Error.DTYPE, "a value of dtype %s cannot be put into an array of dtype %s"
                     % (value.dtype.name, x.dtype.name))
    if not value.node.is_weak() and value.dtype != x.dtype:
        value = core.apply("astype", (value,), "dtype", x.dtype)
    if rest:
        mask = core.apply("reshape", (mask,), "shape", mask.shape + (1,) * len(rest))
    return core.apply("where", (mask, value, x))


def put(x, key, value):
    """x with x[key], where key has masks or arrays of integers in it, replaced by a value without leading
    axes of length 1."""
    parts = [_array_part(part) for part in (key if isinstance(key, tuple) else (key,))]
    if len(parts) == 1 and isinstance(parts[0], _Mask):
        return _put_masked(x, parts[0], value)

    plain, chosen = _split(x, _whole_key(x, parts))
    axes, indices = zip(*chosen)
    whole = all(part == slice(None) for part in plain)
    part = x if whole else x[plain]
    turned = _turned(parts, axes, indices, part.ndim)
    if turned is not None and value.ndim > 0:
        value = core.apply("reshape", (value,), "shape", (1,) * (len(turned[0]) - value.ndim) + value.shape)
        value = core.apply("permute_dims", (value,), "axes", turned[0])
    part = core.apply("scatter", (part, value, *indices), "axes", axes)
    return part if whole else core.apply("update", (x, part), "key", core._key_text(plain))
