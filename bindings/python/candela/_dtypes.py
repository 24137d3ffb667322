# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Dtypes: what the standard's functions tell of them.

from dataclasses import dataclass

from gi.overrides import Candela as core
from gi.repository import Candela

DType, Kind = Candela.DType, Candela.DTypeKind

_KINDS = {
    "bool": Kind.BOOL, "signed integer": Kind.SIGNED, "unsigned integer": Kind.UNSIGNED,
    "integral": Kind.SIGNED | Kind.UNSIGNED, "real floating": Kind.FLOAT, "complex floating": Kind.COMPLEX,
    "numeric": Kind.SIGNED | Kind.UNSIGNED | Kind.FLOAT | Kind.COMPLEX,
}
# Those of the standard: float16 and bfloat16 are beyond it.
STANDARD = [DType(number) for number in range(1, Candela.N_DTYPES) if number not in core.HALVES]


def check_device(device):
    if device not in (None, "cpu"):
        raise ValueError("there is one device, 'cpu', and not %r" % (device,))


def _of(value):
    return value.dtype if isinstance(value, core.Array) else core.as_dtype(value)


def isdtype(dtype, kind):
    """Whether a dtype is another, or of a kind, or of one of several."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    if isinstance(kind, str) and kind not in _KINDS:
        raise ValueError("kind is %r; it must be a dtype, %s, or a tuple of these" % (
            kind, ", ".join(repr(name) for name in _KINDS)))
    if isinstance(kind, str):
        return bool(Candela.dtype_get_kind(_of(dtype)) & _KINDS[kind])
    return _of(dtype) == core.as_dtype(kind)


def can_cast(from_, to, /):
    """Whether values may become ones of another dtype under the promotion rules."""
    return Candela.dtype_can_cast(_of(from_), core.as_dtype(to))


def result_type(*arrays_and_dtypes):
    """The dtype that a result of values of these would have; numbers of Python give way to arrays."""
    if not arrays_and_dtypes:
        raise ValueError("result_type: of nothing")
    dtypes, scalars = [], []
    for value in arrays_and_dtypes:
        if isinstance(value, (bool, int, float, complex)) and not isinstance(value, DType):
            scalars.append(core.BY_PYTHON[next(kind for kind in core.BY_PYTHON if isinstance(value, kind))])
        else:
            dtypes.append(_of(value))
    if not dtypes:
        dtypes, scalars = scalars, []
    result = dtypes[0]
    for dtype in dtypes[1:]:
        result = Candela.dtype_promote(result, dtype)
    for dtype in scalars:
        result = Candela.dtype_promote_weak(result, dtype)
    return result


def astype(x, dtype, /, *, copy=True, device=None):
    """x converted to another dtype."""
    check_device(device)
    dtype = core.as_dtype(dtype)
    if not copy and dtype == x.dtype:
        return x
    return core.apply("astype", (x,), "dtype", dtype)


@dataclass(frozen=True)
class finfo_object:
    """The limits of a floating-point dtype."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True)
class iinfo_object:
    """The limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: DType


_FLOATS = {
    DType.FLOAT16: (16, 2.0**-10, 65504.0, 2.0**-14),
    DType.BFLOAT16: (16, 2.0**-7, (2 - 2.0**-7) * 2.0**127, 2.0**-126),
    DType.FLOAT32: (32, 2.0**-23, (2 - 2.0**-23) * 2.0**127, 2.0**-126),
    DType.FLOAT64: (64, 2.0**-52, (2 - 2.0**-52) * 2.0**1023, 2.0**-1022),
}
_REAL = {DType.COMPLEX64: DType.FLOAT32, DType.COMPLEX128: DType.FLOAT64}


def finfo(type, /):
    """The limits of a floating-point dtype, or of the parts of a complex one."""
    dtype = _of(type)
    dtype = _REAL.get(dtype, dtype)
    if dtype not in _FLOATS:
        raise TypeError("finfo: of floating-point dtypes, and not of %s" % dtype.name)
    bits, eps, largest, smallest = _FLOATS[dtype]
    return finfo_object(bits, eps, largest, -largest, smallest, dtype)


def iinfo(type, /):
    """The limits of an integer dtype."""
    dtype = _of(type)
    kind = Candela.dtype_get_kind(dtype)
    bits = 8 * dtype.itemsize
    if kind == Kind.SIGNED:
        return iinfo_object(bits, 2 ** (bits - 1) - 1, -(2 ** (bits - 1)), dtype)
    if kind == Kind.UNSIGNED:
        return iinfo_object(bits, 2**bits - 1, 0, dtype)
    raise TypeError("iinfo: of integer dtypes, and not of %s" % dtype.name)


class __array_namespace_info__:
    """What this implementation of the standard has."""

    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": Candela.MAX_RANK}

    def default_device(self):
        return "cpu"

    def devices(self):
        return ["cpu"]

    def default_dtypes(self, *, device=None):
        check_device(device)
        return {"real floating": DType.FLOAT64, "complex floating": DType.COMPLEX128, "integral": DType.INT64,
                "indexing": DType.INT64}

    def dtypes(self, *, device=None, kind=None):
        check_device(device)
        return {dtype.name: dtype for dtype in STANDARD if kind is None or isdtype(dtype, kind)}
