# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Arrays made from shapes and values, as the standard names their arguments.

import operator

from gi.overrides import Candela as core
from gi.repository import Candela

from candela import _dlpack
from candela._dtypes import check_device

DType = Candela.DType


def _shape(shape):
    return tuple(shape) if isinstance(shape, (tuple, list)) else (operator.index(shape),)


def _number(value):
    """A scalar parameter: a Python number, of an array without axes or of a scalar of NumPy too."""
    return value.item() if hasattr(value, "item") else value


def full(shape, fill_value, *, dtype=None, device=None):
    """An array of one value."""
    check_device(device)
    fill_value = _number(fill_value)
    if isinstance(fill_value, complex) or isinstance(fill_value, int) and not -(1 << 63) <= fill_value < 1 << 63:
        # What a parameter cannot be.
        return core.apply("broadcast_to", (core.asarray(fill_value, dtype=dtype),), "shape", _shape(shape))
    return core.apply("full", (), "shape", _shape(shape), "fill_value", fill_value, "dtype",
                      core.as_dtype(dtype))


def zeros(shape, *, dtype=None, device=None):
    """An array of zeros; of float64 if no dtype is given."""
    check_device(device)
    return core.apply("zeros", (), "shape", _shape(shape), "dtype", core.as_dtype(dtype))


def ones(shape, *, dtype=None, device=None):
    """An array of ones; of float64 if no dtype is given."""
    check_device(device)
    return core.apply("ones", (), "shape", _shape(shape), "dtype", core.as_dtype(dtype))


def empty(shape, *, dtype=None, device=None):
    """An array of a shape; its values say nothing (here they are zeros, made when needed)."""
    return zeros(shape, dtype=dtype, device=device)


def full_like(x, /, fill_value, *, dtype=None, device=None):
    """An array of one value in the shape, and by default of the dtype, of x."""
    return full(x.shape, fill_value, dtype=dtype or x.dtype, device=device)


def zeros_like(x, /, *, dtype=None, device=None):
    """Zeros in the shape, and by default of the dtype, of x."""
    return zeros(x.shape, dtype=dtype or x.dtype, device=device)


def ones_like(x, /, *, dtype=None, device=None):
    """Ones in the shape, and by default of the dtype, of x."""
    return ones(x.shape, dtype=dtype or x.dtype, device=device)


def empty_like(x, /, *, dtype=None, device=None):
    """An array in the shape, and by default of the dtype, of x; its values say nothing."""
    return zeros_like(x, dtype=dtype, device=device)


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    """A matrix of zeros with ones on its k-th diagonal."""
    check_device(device)
    # Where there is no such diagonal, it does not matter how far away it is.
    k = max(-(1 << 62), min(operator.index(k), 1 << 62))
    return core.apply("eye", (), "n_rows", operator.index(n_rows), "n_cols",
                      None if n_cols is None else operator.index(n_cols), "k", k, "dtype", core.as_dtype(dtype))


_STEP = 1


def arange(start, /, stop=None, step=_STEP, *, dtype=None, device=None):
    """Evenly spaced values, from start (0 if only one number is given) up to but without stop."""
    check_device(device)
    # The op, too, takes one number for where it ends.
    return core.apply("arange", (), "start", _number(start), "stop", _number(stop), "step",
                      None if step is _STEP else _number(step), "dtype", core.as_dtype(dtype))


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    """num evenly spaced values, from start to stop, which is one of them if endpoint is true."""
    check_device(device)
    start, stop, dtype, num = _number(start), _number(stop), core.as_dtype(dtype), operator.index(num)
    if isinstance(start, complex) or isinstance(stop, complex) or dtype in (DType.COMPLEX64, DType.COMPLEX128):
        if dtype not in (None, DType.COMPLEX64, DType.COMPLEX128):
            raise TypeError("linspace: complex numbers cannot be of dtype %s" % dtype.name)
        start, stop = complex(start), complex(stop)
        real, imag = (linspace(a, b, num, endpoint=endpoint) for a, b in ((start.real, stop.real), (start.imag, stop.imag)))
        return core.apply("astype", (real + imag * 1j,), "dtype", dtype or DType.COMPLEX128)
    return core.apply("linspace", (), "start", start, "stop", stop, "num", num, "endpoint", bool(endpoint), "dtype", dtype)


def from_dlpack(x, /, *, device=None, copy=None):
    """An array over the memory of what has __dlpack__(); over a copy of it if copy is true."""
    check_device(device)
    return core._from_tensor(_dlpack.take(x, copy))


def meshgrid(*arrays, indexing="xy"):
    """For each vector an array over all their combinations: of shape (len(arrays[0]), len(arrays[1]), ...)
    if indexing is "ij", with the first two axes swapped if it is "xy"."""
    if indexing not in ("xy", "ij"):
        raise ValueError("indexing is %r; it must be 'xy' or 'ij'" % (indexing,))
    n = len(arrays)
    axes = list(range(n))
    if indexing == "xy" and n > 1:
        axes[:2] = [1, 0]
    shape = [0] * n
    for axis, array in zip(axes, arrays):
        if array.ndim != 1:
            raise ValueError("meshgrid: of vectors; there is an array of shape %s" % (array.shape,))
        shape[axis] = array.shape[0]
    grids = []
    for axis, array in zip(axes, arrays):
        spread = core.apply("reshape", (array,), "shape", tuple(-1 if a == axis else 1 for a in range(n)))
        grids.append(core.apply("broadcast_to", (spread,), "shape", tuple(shape)))
    return grids
