# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Arrays from what others have, and for others: sequences of numbers, the array
# interface of NumPy, buffers, and calls of NumPy's functions.

import ctypes
import functools
import math
import operator
import struct
import sys
import weakref

from gi.overrides import Candela as core
from gi.repository import Candela, GObject

DType = Candela.DType
_CODES = {
    DType.BOOL: "?", DType.INT8: "b", DType.INT16: "h", DType.INT32: "i", DType.INT64: "q", DType.UINT8: "B",
    DType.UINT16: "H", DType.UINT32: "I", DType.UINT64: "Q", DType.FLOAT32: "f", DType.FLOAT64: "d",
    DType.FLOAT16: "e",
}
_PARTS = {DType.COMPLEX64: "f", DType.COMPLEX128: "d"}


# ---- From memory ----

_Layout_new, _Layout_new_strided = Candela.Layout.new, Candela.Layout.new_strided
_new_for_object, _READ_ONLY = Candela.Tensor.new_for_object, Candela.MemoryFlags.READ_ONLY


class _Owner(GObject.Object):
    """Holds what memory belongs to, as something that a tensor can hold. The last reference to it may go
    while Python handles an error, when no function of Python could be called."""


def _kept(array):
    """What keeps an array, and its memory where it is: NumPy resizes no array to which there are weak
    references, and looks for no others if it is told not to."""
    held = [array]
    try:
        while array is not None:
            held.append(weakref.ref(array))
            array = getattr(array, "base", None)
    except TypeError:
        pass
    return held


def is_of_numpy(value):
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def wrap_memory(dtype, shape, strides, address, held):
    """A read-only tensor over memory of others, without a copy; strides in elements, None where packed. What
    is before the address belongs to it where strides are negative. held is dropped with the memory."""
    if 0 in shape:
        return Candela.Tensor.new(dtype, shape)
    if strides is None:
        layout, low, high = _Layout_new(shape), 0, math.prod(shape)
    else:
        reach = [(n - 1) * stride for n, stride in zip(shape, strides)]
        low, high = sum(r for r in reach if r < 0), 1 + sum(r for r in reach if r > 0)
        layout = _Layout_new_strided(shape, strides, -low)
    size = dtype.itemsize
    owner = _Owner()
    owner.held = held
    return _new_for_object(dtype, layout, address + low * size, (high - low) * size, _READ_ONLY, owner)


def _from_interface(value, interface):
    if not isinstance(interface, dict) or not {"typestr", "shape"} <= interface.keys():
        raise TypeError("an array interface without a type or a shape")
    text = interface["typestr"]
    dtype = core.BY_TYPESTR.get(text[1:]) if text[:1] in "<|=" else None
    if text == "<V2":
        dtype = DType.BFLOAT16
    if dtype is None:
        raise TypeError("an array of %s cannot be one of Candela's" % text)
    data = interface.get("data")
    if not isinstance(data, tuple):
        raise TypeError("an array interface without an address")
    strides = interface.get("strides")
    if strides is not None:
        if any(stride % dtype.itemsize for stride in strides):
            return None
        strides = [stride // dtype.itemsize for stride in strides]
    held = _kept(value)
    if not is_of_numpy(value):
        # The memory of a scalar of NumPy is that of an array which only the interface knows.
        held.append(interface)
    return wrap_memory(dtype, interface["shape"], strides, data[0], held)


def _from_buffer(value):
    """What exports a packed buffer of a number type, such as array.array and memoryview."""
    try:
        view = memoryview(value)
    except TypeError:
        raise TypeError("no array, and no numbers: %r" % (value,)) from None
    dtype = {code: dtype for dtype, code in _CODES.items()}.get(view.format.lstrip("@=<"))
    if view.format in ("l", "L"):
        dtype = {("l", 8): DType.INT64, ("L", 8): DType.UINT64}.get((view.format, view.itemsize), dtype)
    if dtype is None:
        raise TypeError("a buffer of format %r cannot be an array" % view.format)
    return Candela.Tensor.new_from_data(dtype, list(view.shape), view.tobytes())


# ---- From sequences ----

def _flatten(value, shape, items, dtypes, depth=0):
    """The items of nested sequences, and of arrays among them, of which the dtypes are noted."""
    if type(value) not in _PLAIN and (isinstance(value, core.Array) or hasattr(value, "__array_interface__")):
        array = core.asarray(value)
        dtypes.append(array.dtype)
        value = array.tolist()
    if isinstance(value, _SEQUENCES):
        if depth == len(shape):
            if items:
                raise ValueError("the sequences are not all as deep")
            shape.append(len(value))
            if len(shape) > Candela.MAX_RANK:
                raise ValueError("sequences are nested deeper than the %d axes that there can be" % Candela.MAX_RANK)
        elif len(value) != shape[depth]:
            raise ValueError("a sequence of %d among sequences of %d, on axis %d" % (len(value), shape[depth], depth))
        for item in value:
            _flatten(item, shape, items, dtypes, depth + 1)
        return
    if depth != len(shape):
        raise ValueError("the sequences are not all as deep")
    items.append(value)


_SEQUENCES = (list, tuple, range)
_PLAIN = {bool, int, float, complex, *_SEQUENCES}


def _dtype_of(items, dtypes):
    """As ops have it: the numbers of Python give way to the arrays."""
    if not items and not dtypes:
        return DType.FLOAT64
    found = None
    kinds = {type(item) for item in items}
    if kinds <= {bool}:
        found = DType.BOOL
    elif all(isinstance(item, int) or hasattr(item, "__index__") for item in items):
        found = DType.UINT64 if any(operator.index(item) >= 1 << 63 for item in items) else DType.INT64
    elif all(isinstance(item, (int, float)) or hasattr(item, "__float__") for item in items):
        found = DType.FLOAT64
    elif all(isinstance(item, (int, float, complex)) for item in items):
        found = DType.COMPLEX128
    else:
        wrong = next(item for item in items if not isinstance(item, (int, float, complex)))
        raise TypeError("no number: %r" % (wrong,))
    if dtypes:
        found = functools.reduce(Candela.dtype_promote_weak, [found], functools.reduce(Candela.dtype_promote, dtypes))
    return found


def _from_sequence(value, dtype):
    shape, items, dtypes = [], [], []
    _flatten(value, shape, items, dtypes)
    found = _dtype_of(items, dtypes)
    dtype = dtype or found
    if dtype in core.HALVES:
        wide = core._from_tensor(_from_sequence(value, DType.FLOAT64))
        return core.apply("astype", (wide,), "dtype", dtype).tensor
    kind = Candela.dtype_get_kind(dtype)
    try:
        if dtype in _PARTS:
            numbers = [part for item in items for part in (complex(item).real, complex(item).imag)]
            data = struct.pack("<%d%s" % (len(numbers), _PARTS[dtype]), *numbers)
        else:
            if kind == Candela.DTypeKind.FLOAT:
                items = [float(item) for item in items]
            elif kind == Candela.DTypeKind.BOOL:
                items = [bool(item) for item in items]
            else:
                items = [int(item) for item in items]
            data = struct.pack("<%d%s" % (len(items), _CODES[dtype]), *items)
    except struct.error:
        raise OverflowError("a number that %s cannot hold" % dtype.name) from None
    return Candela.Tensor.new_from_data(dtype, shape, data)


def asarray(value, dtype, copy):
    array, shared = None, False
    if isinstance(value, core.Array):
        array, shared = value, True
    elif isinstance(value, Candela.Node):
        array, shared = core._wrap(value), True
    elif isinstance(value, Candela.Tensor):
        array, shared = core._from_tensor(value), True
    elif isinstance(value, (bool, int, float, complex, *_SEQUENCES)) and not hasattr(value, "__array_interface__"):
        if copy is False:
            raise ValueError("numbers of Python cannot become an array without a copy")
        return core._from_tensor(_from_sequence(value, dtype))
    elif (interface := getattr(value, "__array_interface__", None)) is not None:
        tensor = _from_interface(value, interface)
        if tensor is None:
            if copy is False:
                raise ValueError("strides that are no whole elements need a copy")
            return asarray(value.copy(), dtype, None)
        array, shared = core._from_tensor(tensor), True
    elif hasattr(value, "__dlpack__"):
        from candela import _dlpack

        array, shared = core._from_tensor(_dlpack.take(value)), True
    elif hasattr(value, "__array__"):
        return asarray(value.__array__(), dtype, copy)
    elif value is not None:
        array = core._from_tensor(_from_buffer(value))
    else:
        raise TypeError("an array of nothing: give numbers or an array")
    if dtype is not None and dtype != array.dtype:
        if copy is False:
            raise ValueError("from %s to %s there is a copy" % (array.dtype.name, dtype.name))
        return core.apply("astype", (array,), "dtype", dtype)
    if copy and shared:
        tensor = array.tensor
        return core._from_tensor(Candela.Tensor.new_from_data(tensor.get_dtype(), list(array.shape),
                                                              tensor.get_bytes().get_data() or b""))
    return array


# ---- For others ----

def array_interface(tensor):
    dtype = tensor.get_dtype()
    if dtype == DType.BFLOAT16:
        raise AttributeError("NumPy has no bfloat16")
    return _interface(tensor, dtype, core.TYPESTRS[dtype])


class _Memory:
    """What NumPy makes an array of."""

    __slots__ = ("__array_interface__",)


def to_numpy(tensor):
    """A NumPy array over the same memory; of bfloat16 with the dtype of the package ml_dtypes."""
    import numpy

    dtype = tensor.get_dtype()
    if dtype == DType.BFLOAT16:
        try:
            from ml_dtypes import bfloat16
        except ImportError:
            raise TypeError("NumPy has no bfloat16 without the package ml_dtypes; astype(x, float32) has its values"
                            ) from None
    memory = _Memory()
    memory.__array_interface__ = _interface(tensor, dtype, core.TYPESTRS.get(dtype, "<u2"))
    array = numpy.asarray(memory)
    return array.view(bfloat16) if dtype == DType.BFLOAT16 else array


def _interface(tensor, dtype, typestr):
    """The tensor's memory is an object with a buffer, which holds the tensor; of what is strided it begins at
    the lowest address."""
    shape = tuple(tensor.get_shape())
    interface = {"version": 3, "typestr": typestr, "shape": shape}
    if 0 in shape:
        interface["data"] = memoryview(b"")
        return interface
    layout, size, low, high = tensor.get_layout(), dtype.itemsize, 0, math.prod(shape)
    if not layout.is_contiguous():
        strides = layout.get_strides()
        reach = [(n - 1) * stride for n, stride in zip(shape, strides)]
        low, high = sum(r for r in reach if r < 0), 1 + sum(r for r in reach if r > 0)
        interface["strides"] = tuple(stride * size for stride in strides)
        interface["offset"] = -low * size
    block = (ctypes.c_ubyte * ((high - low) * size)).from_address(tensor.get_data() + low * size)
    block.owner = tensor
    interface["data"] = memoryview(block).toreadonly()
    return interface


def buffer(tensor):
    if tensor.get_dtype() in core.HALVES:
        raise BufferError("a memoryview cannot be of %s; astype(x, float32) has its values" % tensor.get_dtype().name)
    data = memoryview(tensor.get_bytes().get_data() or b"")
    code = _CODES.get(tensor.get_dtype())
    shape = tensor.get_shape()
    if code is None or 0 in shape:
        return data
    return data.cast(code, shape)


def _to_numbers(array):
    if array.dtype in core.HALVES:
        array = core.apply("astype", (array,), "dtype", DType.FLOAT32)
    data = array.tensor.get_bytes().get_data() or b""
    if array.dtype in _PARTS:
        parts = struct.unpack("<%d%s" % (2 * array.size, _PARTS[array.dtype]), data)
        return [complex(*pair) for pair in zip(parts[::2], parts[1::2])]
    return list(struct.unpack("<%d%s" % (array.size, _CODES[array.dtype]), data))


def to_list(array):
    items = _to_numbers(array)
    shape = array.shape
    for axis in range(len(shape) - 1, 0, -1):
        n = shape[axis]
        items = [items[i * n:(i + 1) * n] for i in range(math.prod(shape[:axis]))]
    return items if shape else items[0]


# NumPy's names where they are not the standard's.
_UFUNCS = {
    "true_divide": "divide", "divide": "divide", "absolute": "abs", "fabs": "abs", "power": "pow",
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh",
    "arctanh": "atanh", "arctan2": "atan2", "left_shift": "bitwise_left_shift",
    "right_shift": "bitwise_right_shift", "invert": "bitwise_invert", "conjugate": "conj", "rint": "round",
    "mod": "remainder",
}
_SAME = {
    "add", "subtract", "multiply", "floor_divide", "remainder", "negative", "positive", "square", "sqrt", "exp",
    "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "sinh", "cosh", "tanh", "hypot", "logaddexp",
    "maximum", "minimum", "less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "logical_and",
    "logical_or", "logical_xor", "logical_not", "bitwise_and", "bitwise_or", "bitwise_xor", "ceil", "floor", "trunc",
    "sign", "isfinite", "isinf", "isnan", "signbit", "copysign", "nextafter", "reciprocal", "matmul",
}


def array_ufunc(ufunc, method, inputs, options):
    """Element-wise functions stay lazy; what Candela has not is NumPy's, on the values."""
    name = _UFUNCS.get(ufunc.__name__) or (ufunc.__name__ if ufunc.__name__ in _SAME else None)
    if method == "__call__" and name is not None and options.keys() <= {"dtype"}:
        result, dtype = core.apply(name, inputs), options.get("dtype")
        if dtype is None or core.as_dtype(dtype) == result.dtype:
            return result
    inputs = [value.__array__() if isinstance(value, core.Array) else value for value in inputs]
    if any(isinstance(out, core.Array) for out in options.get("out", ())):
        raise TypeError("%s: NumPy cannot write into an array of Candela's" % ufunc.__name__)
    return getattr(ufunc, method)(*inputs, **options)
