# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Candela as Python expects it: an array type over nodes, with operators, indexing,
# printing and the protocols by which libraries exchange arrays; and errors that are
# Python's own. All of it calls what introspection offers; nothing is compiled.

import functools
import operator

from gi.repository import Gio, GLib

from ..module import get_introspection_module
from ..overrides import override
from ._candela import (  # noqa: F401
    BY_PYTHON, BY_TYPESTR, HALVES, TYPESTRS, AxisError, CandelaError, DTypeError, LinAlgError, ParameterError,
    ShapeError, _make_params, as_dtype, make_params, run, stopped, to_index_error, to_python)

Candela = get_introspection_module("Candela")

__all__ = []

DType, Node = Candela.DType, Candela.Node
_new_op, _new_tensor = Node.new_op, Node.new_tensor


# ---- Arrays ----

# Nodes never change, so that those of numbers that come again are the same.

@functools.lru_cache(maxsize=1024)
def _int_node(value):
    """Of an int of 64 bits, with or without a sign."""
    try:
        return Node.new_int(value) if value < 1 << 63 else Node.new_uint(value)
    except OverflowError:
        raise OverflowError("%d does not fit into 64 bits" % value) from None


_float_node = functools.lru_cache(maxsize=1024)(Node.new_float)
_OPERANDS = {bool: Node.new_bool, int: _int_node,
             # The zeros of both signs are equal.
             float: lambda value: _float_node(value) if value else Node.new_float(value),
             complex: lambda value: Node.new_complex(value.real, value.imag)}


def _operand(value):
    """What stands beside an array in an expression, as a node; NotImplemented if it cannot."""
    make = _OPERANDS.get(type(value))
    if make is not None:
        return make(value)
    if isinstance(value, Array):
        return value._node
    if isinstance(value, Node):
        return value
    # NumPy's scalars, some of which are floats too, have a dtype that counts, as for NumPy.
    if isinstance(value, Candela.Tensor) or hasattr(value, "__array_interface__") or hasattr(value, "__dlpack__"):
        return asarray(value)._node
    for kind, make in _OPERANDS.items():
        if isinstance(value, kind):
            return make(kind(value))
    return NotImplemented


def _wrap(node):
    array = _new(Array)
    array._node = node
    array._tensor = None
    return array


def _argument(name, operand):
    """An operand of a function as a node; None if it is not given."""
    node = None if operand is None else _operand(operand)
    if node is NotImplemented:
        raise TypeError("%s: no array and no number: %r" % (name, operand))
    return node


def apply(name, operands, *params):
    """An op by its name over operands; params are names and values in turn, as in make_params()."""
    nodes = [operand._node if type(operand) is Array else _argument(name, operand) for operand in operands]
    given = make_params(*params) if params else None
    try:
        return _wrap(_new_op(name, nodes, given))
    except GLib.Error as error:
        raise to_python(error) from None


def apply_now(name, operands, *params):
    """As apply(), for an op of which data say the result's shape: it is computed as it is applied. So are the
    arrays, each of which keeps its value."""
    materialize(*(operand for operand in operands if isinstance(operand, Array)))
    return apply(name, operands, *params)


def outputs(array):
    """All outputs of the op that an array is the first output of."""
    node = array._node
    return tuple(_wrap(node.get_output(n)) for n in range(node.get_n_outputs()))


def _binary(name):
    def method(self, other):
        node = other._node if type(other) is Array else _operand(other)
        if node is NotImplemented:
            return node
        try:
            return _wrap(_new_op(name, [self._node, node], None))
        except GLib.Error as error:
            raise to_python(error) from None
    return method


def _reflected(name):
    def method(self, other):
        node = _operand(other)
        if node is NotImplemented:
            return node
        try:
            return _wrap(_new_op(name, [node, self._node], None))
        except GLib.Error as error:
            raise to_python(error) from None
    return method


def _unary(name):
    def method(self):
        try:
            return _wrap(_new_op(name, [self._node], None))
        except GLib.Error as error:
            raise to_python(error) from None
    return method


def _end(end):
    return "" if end is None else str(operator.index(end))


def _slice_text(part):
    start, stop, step = part.start, part.stop, part.step
    if step is None:
        return ":" if start is None and stop is None else _end(start) + ":" + _end(stop)
    return _end(start) + ":" + _end(stop) + ":" + _end(step)


# What names a part, and not elements by arrays or lists.
_PARTS = {int: str, slice: _slice_text, type(None): str, type(Ellipsis): lambda part: "..."}


def _part_text(part):
    return _PARTS.get(type(part), lambda part: str(operator.index(part)))(part)


def _chooses(key):
    """Whether it names elements by arrays or lists, rather than a part."""
    if type(key) in _PARTS:
        return False
    if isinstance(key, tuple):
        return not _PARTS.keys() >= set(map(type, key)) and any(map(_chooses, key))
    if isinstance(key, Array):
        return key.ndim > 0 or key.dtype == DType.BOOL
    return isinstance(key, (bool, list)) \
        or hasattr(key, "__array_interface__") and (getattr(key, "ndim", 0) > 0 or str(getattr(key, "dtype", "")) == "bool")


def _key_text(key):
    try:
        return (", ".join(map(_part_text, key)) or "...") if isinstance(key, tuple) else _part_text(key)
    except TypeError:
        raise IndexError("no index: %r; there are integers, slices, None and ..." % (key,)) from None


_OF_FIRST_AXIS = make_params("axis", 0)


class Array:
    """A value that need not have been computed yet: what operators and functions over
    arrays give. It is computed when it is looked at, and kept from then on."""

    __slots__ = ("_node", "_tensor", "__weakref__")
    __array_priority__ = 1000

    def __new__(cls, value=None, dtype=None):
        return asarray(value, dtype=dtype)

    # Facts: known without computing.

    @property
    def node(self):
        """The Candela.Node that this array is."""
        return self._node

    @property
    def dtype(self):
        return self._node.get_dtype()

    @property
    def shape(self):
        return tuple(self._node.get_shape())

    @property
    def ndim(self):
        return len(self._node.get_shape())

    @property
    def size(self):
        return self._node.get_layout().get_n_elements()

    @property
    def nbytes(self):
        return self.size * self.dtype.itemsize

    @property
    def device(self):
        return "cpu"

    def to_device(self, device, /, *, stream=None):
        if device != "cpu":
            raise ValueError("there is one device, 'cpu', and not %r" % (device,))
        return self

    @property
    def T(self):
        if self.ndim != 2:
            raise ShapeError("T: of 2 axes, not of %d; permute_dims orders any" % self.ndim, "candela-error-quark",
                             int(Candela.Error.SHAPE))
        return apply("transpose", (self,))

    @property
    def mT(self):
        return apply("matrix_transpose", (self,))

    @property
    def real(self):
        return apply("real", (self,)) if self._is_complex() else self

    @property
    def imag(self):
        return apply("imag", (self,)) if self._is_complex() else apply("subtract", (self, self))

    def _is_complex(self):
        return bool(Candela.dtype_get_kind(self.dtype) & Candela.DTypeKind.COMPLEX)

    def __getattr__(self, name):
        """Functions as methods: x.sum(axis=0)."""
        if name.startswith("__"):
            raise AttributeError("an array has no attribute %r" % name)
        from candela import _methods

        function = _methods.find(name)
        if function is None:
            raise AttributeError("an array has no attribute %r, and no plugin has an op of that name over arrays" % name)
        # From now on found without coming here.
        setattr(Array, name, function)
        return function.__get__(self)

    def __dir__(self):
        from candela import _methods

        return sorted({*super().__dir__(), *_methods.names()})

    # Computing.

    def materialize(self, cancellable=None, progress=None):
        """Computes the value, unless it is there, and keeps it. progress is called with
        what is done and what there is to do."""
        if self._tensor is None:
            materialize(self, cancellable=cancellable, progress=progress)
        return self

    async def materialize_async(self, cancellable=None):
        """As materialize(), on another thread while the event loop goes on."""
        import asyncio

        cancellable = cancellable or Gio.Cancellable()
        work = asyncio.get_running_loop().run_in_executor(None, lambda: self.materialize(cancellable))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            # What became of it nobody asks any more.
            work.add_done_callback(lambda work: work.cancelled() or work.exception())
            cancellable.cancel()
            raise

    @property
    def tensor(self):
        """The Candela.Tensor of the value."""
        return self.materialize()._tensor

    def plan(self, flags=None):
        """How it would be computed: text in a terminal, a picture in a notebook."""
        try:
            return Candela.Plan.new([self._node], flags or Candela.PlanFlags.DEFAULT)
        except GLib.Error as error:
            raise to_python(error) from None

    # Looking at the value.

    def __str__(self):
        return self.tensor.to_string()

    def __repr__(self):
        text = self.tensor.to_literal(6)
        named = self.size == 0 or self.dtype not in (DType.BOOL, DType.INT64, DType.FLOAT64, DType.COMPLEX128)
        shape = "" if self.size > 0 or self.shape == (0,) else ", shape=%s" % (self.shape,)
        start = "Array(%s%s" % (text, shape)
        if not named:
            return start + ")"
        # On a line of its own, as NumPy has it, where it would go beyond the line.
        end = "dtype=%s)" % self.dtype.name
        return start + (",\n      " if len(start) - start.rfind("\n") + len(end) > 74 else ", ") + end

    def _scalar(self, what):
        if self.size != 1 or self.ndim != 0:
            raise TypeError("%s() of an array of shape %s; it must be of shape ()" % (what, self.shape))
        return self.tensor

    def _read(self, what):
        """The one element, as what Python has for its kind."""
        tensor = self._scalar(what)
        dtype = self.dtype
        if dtype in (DType.FLOAT32, DType.FLOAT64, *HALVES):
            return tensor.get_double([])
        if dtype == DType.UINT64:
            return int.from_bytes(tensor.get_bytes().get_data(), "little")
        if dtype in (DType.COMPLEX64, DType.COMPLEX128):
            import struct

            return complex(*struct.unpack("<2f" if dtype == DType.COMPLEX64 else "<2d", tensor.get_bytes().get_data()))
        value = tensor.get_int64([])
        return bool(value) if dtype == DType.BOOL else value

    def item(self):
        return self._read("item")

    def __bool__(self):
        return bool(self._read("bool"))

    def __int__(self):
        return int(self._read("int"))

    def __float__(self):
        return float(self._read("float"))

    def __complex__(self):
        return complex(self._read("complex"))

    def __format__(self, form):
        return object.__format__(self, form) if self.shape or not form else format(self.item(), form)

    def __divmod__(self, other):
        first = self.__floordiv__(other)
        return first if first is NotImplemented else outputs(apply("divmod", (self, other)))

    def __rdivmod__(self, other):
        first = self.__rfloordiv__(other)
        return first if first is NotImplemented else outputs(apply("divmod", (other, self)))

    def __index__(self):
        if not Candela.dtype_get_kind(self.dtype) & (Candela.DTypeKind.SIGNED | Candela.DTypeKind.UNSIGNED):
            raise TypeError("an array of dtype %s is no index" % self.dtype.name)
        return self._read("index")

    def tolist(self):
        """Nested lists of Python's numbers."""
        from candela import _exchange

        return _exchange.to_list(self)

    __hash__ = None

    # Parts.

    def __getitem__(self, key):
        # What most keys are; all else, and what is wrong, is seen to below.
        kind = type(key)
        try:
            if kind is Array:
                return _wrap(_new_op("take", [self._node, key._node], _OF_FIRST_AXIS))
            text = ", ".join([_PARTS[type(part)](part) for part in key]) if kind is tuple else _PARTS[kind](key)
            return _wrap(_new_op("index", [self._node], _make_params("key", text)))
        except (GLib.Error, KeyError, TypeError, ValueError):
            pass
        try:
            if _chooses(key):
                from candela import _indexing

                return _indexing.take(self, key)
            return _wrap(_new_op("index", [self._node], make_params("key", _key_text(key))))
        except GLib.Error as error:
            raise to_index_error(error) from None

    def __setitem__(self, key, value):
        """The array is another value from then on; what has been made of the old one keeps that."""
        node = _operand(value) if not isinstance(value, (list, tuple)) else asarray(value)._node
        if node is NotImplemented:
            raise TypeError("no array and no number: %r" % (value,))
        shape = node.get_shape()
        try:
            if shape and shape[0] == 1:
                # Leading axes of length 1 say nothing.
                while shape and shape[0] == 1:
                    del shape[0]
                node = _new_op("reshape", [node], make_params("shape", tuple(shape)))
            if _chooses(key):
                from candela import _indexing

                self._node = _indexing.put(self, key, _wrap(node))._node
            else:
                self._node = _new_op("update", [self._node, node], make_params("key", _key_text(key)))
        except GLib.Error as error:
            raise to_index_error(error) from None
        self._tensor = None

    def __len__(self):
        shape = self._node.get_shape()
        if not shape:
            raise TypeError("an array without axes has no length")
        return shape[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __contains__(self, value):
        return bool(apply("any", (self == value,)))

    # Exchange with others.

    def __array_namespace__(self, /, *, api_version=None):
        import candela

        if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
            raise ValueError("no version of the array API standard that is known: %r" % (api_version,))
        return candela

    @property
    def __array_interface__(self):
        from candela import _exchange

        return _exchange.array_interface(self.tensor)

    def __array__(self, dtype=None, copy=None):
        from candela import _exchange

        array = _exchange.to_numpy(self.tensor)
        if dtype is not None and array.dtype != dtype:
            if copy is False:
                raise ValueError("another dtype needs a copy")
            return array.astype(dtype)
        return array.copy() if copy else array

    def __dlpack__(self, /, *, stream=None, max_version=None, dl_device=None, copy=None):
        from candela import _dlpack

        if stream is not None:
            raise ValueError("on a CPU there are no streams")
        return _dlpack.export(self.tensor, max_version, dl_device, copy)

    def __dlpack_device__(self):
        return (1, 0)

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        from candela import _exchange

        return _exchange.array_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function, types, args, options):
        from candela import _numpy

        return _numpy.array_function(function, types, args, options)

    def __buffer__(self, flags):
        from candela import _exchange

        return _exchange.buffer(self.tensor)

    def __reduce__(self):
        tensor = self.tensor
        return (_unpickle, (int(self.dtype), self.shape, bytes(tensor.get_bytes().get_data() or b"")))

    def __copy__(self):
        return _wrap(self._node)

    def __deepcopy__(self, memo):
        return _wrap(self._node)

    def _repr_svg_(self):
        return self.plan()._repr_svg_()


_new = object.__new__

_BINARY = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
    "mod": "remainder", "pow": "pow", "matmul": "matmul", "and": "bitwise_and", "or": "bitwise_or",
    "xor": "bitwise_xor", "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift",
}
_COMPARE = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal",
            "ne": "not_equal"}
_UNARY = {"neg": "negative", "pos": "positive", "abs": "abs", "invert": "bitwise_invert"}


def _define(cls, name, method):
    method.__name__ = method.__qualname__ = name
    setattr(cls, name, method)


def _in_place(name):
    """x += y is x = x + y, but that the dtype and the shape stay."""
    combine = _binary(name)

    def method(self, other):
        result = combine(self, other)
        if result is NotImplemented:
            return result
        if result.dtype != self.dtype:
            raise DTypeError("%s: of dtypes that give %s, and not that of the array on the left, %s"
                             % (name, result.dtype.name, self.dtype.name), "candela-error-quark",
                             int(Candela.Error.DTYPE))
        if result.shape != self.shape:
            raise ShapeError("%s: of shapes that give %s, and not that of the array on the left, %s"
                             % (name, result.shape, self.shape), "candela-error-quark", int(Candela.Error.SHAPE))
        return result
    return method


for _word, _op in _BINARY.items():
    _define(Array, "__%s__" % _word, _binary(_op))
    _define(Array, "__r%s__" % _word, _reflected(_op))
    _define(Array, "__i%s__" % _word, _in_place(_op))
for _word, _op in _COMPARE.items():
    _define(Array, "__%s__" % _word, _binary(_op))
for _word, _op in _UNARY.items():
    _define(Array, "__%s__" % _word, _unary(_op))


def _unpickle(dtype, shape, data):
    return _from_tensor(Candela.Tensor.new_from_data(DType(dtype), list(shape), data))


def _from_tensor(tensor):
    array = _wrap(_new_tensor(tensor))
    array._tensor = tensor
    return array


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """An array of what is an array elsewhere (without a copy where that can be), of numbers, or of
    nested sequences of numbers."""
    from candela import _exchange

    if device not in (None, "cpu"):
        raise ValueError("there is one device, 'cpu', and not %r" % (device,))
    try:
        return _exchange.asarray(obj, as_dtype(dtype), copy)
    except GLib.Error as error:
        raise to_python(error) from None


# ---- Computing ----

def materialize(*arrays, cancellable=None, progress=None):
    """Computes several arrays at once, so that what they share is computed once."""
    wrong = [array for array in arrays if not isinstance(array, Array)]
    if wrong:
        raise TypeError("no array: %r" % (wrong[0],))
    missing = [array for array in arrays if array._tensor is None]
    if missing:
        try:
            tensors = run([array._node for array in missing], cancellable, progress)
        except GLib.Error as error:
            raise to_python(error) from None
        for array, tensor in zip(missing, tensors):
            array._tensor = tensor
            array._node = _new_tensor(tensor)
    return arrays[0] if len(arrays) == 1 else arrays


# ---- What introspection has, made at home ----

class Plan(Candela.Plan):
    def __str__(self):
        return self.to_string()

    __repr__ = __str__

    def _repr_svg_(self):
        try:
            return self.to_svg()
        except GLib.Error:
            return None


Plan = override(Plan)
__all__.append("Plan")


def _node_method(name):
    def method(self, *others):
        return getattr(Array, name)(_wrap(self), *others)
    return method


class Node(Candela.Node):
    def __repr__(self):
        return "<Candela.Node %s>" % self.to_string()

    __str__ = Candela.Node.to_string
    __hash__ = Candela.Node.__hash__


for _name in ["__%s__" % word for word in (*_BINARY, *("r" + word for word in _BINARY), *_UNARY, "lt", "le", "gt", "ge",
                                           "getitem", "len", "iter", "float", "int", "bool")]:
    _define(Node, _name, _node_method(_name))
Node = override(Node)
__all__.append("Node")


class Tensor(Candela.Tensor):
    def __str__(self):
        return self.to_string()

    def __repr__(self):
        return repr(_from_tensor(self))

    def __array__(self, dtype=None, copy=None):
        return _from_tensor(self).__array__(dtype, copy)


Tensor = override(Tensor)
__all__.append("Tensor")

__all__.append("Array")
