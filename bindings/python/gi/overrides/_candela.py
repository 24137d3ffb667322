# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What the overrides of Candela are made with: errors, dtypes, parameters and runs.

import functools
import json
import math
import operator
import re
import signal
import sys
import threading

from gi.repository import Gio, GLib

from ..module import get_introspection_module

Candela = get_introspection_module("Candela")
DType = Candela.DType
_PARAMS_TYPE = GLib.VariantType.new("a{sv}")


# ---- Errors ----

class CandelaError(GLib.Error):
    """An error of Candela; most are also TypeErrors, ValueErrors or IndexErrors."""

    def __str__(self):
        return self.message

    def __reduce__(self):
        return type(self), (self.message, self.domain, self.code)


class DTypeError(CandelaError, TypeError):
    """Arrays of dtypes that do not go together, or that an op does not take."""


class ShapeError(CandelaError, ValueError):
    """Shapes that do not go together."""


class AxisError(CandelaError, ValueError, IndexError):
    """An axis, or an index, that is not there."""


class ParameterError(CandelaError, ValueError):
    """A parameter that is not what it may be."""


class FormatError(CandelaError, ValueError):
    """A file that is not what it says."""


class ArityError(CandelaError, TypeError):
    """Too few or too many operands."""


class OutOfMemoryError(CandelaError, MemoryError):
    """There is no memory for a result."""


class ScriptError(CandelaError, RuntimeError):
    """A function of an op that a script made has failed."""


class LinAlgError(CandelaError, ValueError):
    """A matrix that has no inverse, or not the decomposition that was asked for."""


_ERRORS = {
    Candela.Error.DTYPE: DTypeError,
    Candela.Error.SHAPE: ShapeError,
    Candela.Error.AXIS: AxisError,
    Candela.Error.PARAMETER: ParameterError,
    Candela.Error.FORMAT: FormatError,
    Candela.Error.ARITY: ArityError,
    Candela.Error.NO_MEMORY: OutOfMemoryError,
    Candela.Error.VALUE: LinAlgError,
    Candela.Error.SCRIPT: ScriptError,
}


# What ended a script's function without being an error, such as Ctrl-C, by the message that stands for it.
stopped = {}


def to_python(error):
    """The same error, in the class that Python's users expect."""
    if error.message in stopped:
        return stopped.pop(error.message)
    if not isinstance(error, CandelaError) and error.domain == "candela-error-quark":
        kind = _ERRORS.get(error.code, CandelaError)
        return kind(error.message, error.domain, error.code)
    return error


_OF_KEYS = re.compile("index: |update: (key|x has shape|a second)|(gather|scatter): indices of shapes")


def to_index_error(error):
    """What is wrong with a key is an IndexError."""
    error = to_python(error)
    if _OF_KEYS.match(error.message) and not isinstance(error, (AxisError, DTypeError)):
        return AxisError(error.message, error.domain, error.code)
    return error


# ---- Dtypes ----

def _dtype_name(self):
    return Candela.dtype_get_name(self)


def _numpy_dtype(self):
    """NumPy's, which takes this for one of its own by it: numpy.dtype(candela.float32)."""
    import numpy

    return numpy.dtype(self.name)


def _array_function(self, function, types, args, options):
    """NumPy's functions over dtypes, as result_type(), would take what is an int for a number."""
    def of_numpy(value):
        return value.dtype if isinstance(value, DType) else value

    return function(*map(of_numpy, args), **{name: of_numpy(value) for name, value in options.items()})


DType.name = property(_dtype_name)
DType.__array_function__ = _array_function
DType.dtype = DType.__numpy_dtype__ = property(_numpy_dtype)
DType.itemsize = property(Candela.dtype_get_size)
DType.__str__ = _dtype_name
DType.__repr__ = lambda self: "candela.%s" % self.name
DType.__reduce__ = lambda self: (DType, (int(self),))

TYPESTRS = {
    DType.BOOL: "|b1", DType.INT8: "|i1", DType.INT16: "<i2", DType.INT32: "<i4", DType.INT64: "<i8",
    DType.UINT8: "|u1", DType.UINT16: "<u2", DType.UINT32: "<u4", DType.UINT64: "<u8",
    DType.FLOAT32: "<f4", DType.FLOAT64: "<f8", DType.COMPLEX64: "<c8", DType.COMPLEX128: "<c16",
    DType.FLOAT16: "<f2",
}
HALVES = (DType.FLOAT16, DType.BFLOAT16)
BY_TYPESTR = {text[1:]: dtype for dtype, text in TYPESTRS.items()}
BY_PYTHON = {bool: DType.BOOL, int: DType.INT64, float: DType.FLOAT64, complex: DType.COMPLEX128}


def as_dtype(dtype):
    """The dtype that a DType, a name, a Python type or a NumPy dtype stands for; of None: None."""
    if dtype is None or isinstance(dtype, DType):
        return dtype
    if isinstance(dtype, str):
        try:
            return Candela.dtype_from_name(dtype)
        except GLib.Error as error:
            raise to_python(error) from None
    found = BY_PYTHON.get(dtype) if isinstance(dtype, type) else None
    if found is None:
        # NumPy's dtypes, and the classes of its scalars.
        text = getattr(dtype, "str", None)
        if text is None and isinstance(dtype, type) and hasattr(dtype, "dtype"):
            try:
                text = dtype().dtype.str
            except TypeError:
                # That of ml_dtypes has no default.
                text = dtype(0).dtype.str
        if isinstance(text, str) and text[:1] in "<|=":
            # bfloat16 as the package ml_dtypes names it: raw bytes, which NumPy's own are not in an order.
            found = DType.BFLOAT16 if text == "<V2" else BY_TYPESTR.get(text[1:])
    if found is None:
        raise TypeError("no dtype: %r" % (dtype,))
    return found


# ---- Parameters ----

def _int64(value):
    value = operator.index(value)
    if not -(1 << 63) <= value < 1 << 63:
        raise OverflowError("%d does not fit into 64 bits" % value)
    return value


def _variant_text(value):
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, DType):
        return json.dumps(value.name)
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, float):
        return float.__repr__(value)
    if isinstance(value, (tuple, list)):
        return "@ax [%s]" % ", ".join(str(_int64(item)) for item in value)
    return "int64 %d" % _int64(value)


# What is no text of a number to GLib: infinities, NaN, and numbers below the normal ones.
def _has_no_text(value):
    return isinstance(value, float) and (value - value != 0 or 0 < abs(value) < sys.float_info.min)


@functools.lru_cache(maxsize=8192, typed=True)
def _make_params(*items):
    pairs = [(name, value) for name, value in zip(items[::2], items[1::2]) if value is not None]
    if not pairs:
        return None
    if any(_has_no_text(value) for _, value in pairs):
        return GLib.Variant("a{sv}", {name: GLib.Variant.new_double(value) if isinstance(value, float)
                                      else GLib.Variant.parse(None, _variant_text(value), None, None)
                                      for name, value in pairs})
    text = ", ".join("'%s': <%s>" % (name, _variant_text(value)) for name, value in pairs)
    return GLib.Variant.parse(_PARAMS_TYPE, "{%s}" % text, None, None)


_NO_FLOATS = {str, int, bool, tuple, type(None), DType}


def make_params(*items):
    """a{sv} of names and values in turn; None is not given."""
    if not _NO_FLOATS.issuperset(map(type, items)):
        for item in items:
            # To the cache -0.0 is 0.0.
            if isinstance(item, float) and not item and math.copysign(1, item) < 0:
                return _make_params.__wrapped__(*items)
    try:
        return _make_params(*items)
    except TypeError:
        # What cannot be looked up, as an array that is an index, may yet be a parameter.
        return _make_params.__wrapped__(*items)


# ---- Runs ----

_new_plan, _PLAN_FLAGS = Candela.Plan.new, Candela.PlanFlags.DEFAULT
# Bytes of all values from which a run is watched for Ctrl-C.
_LONG = 8 << 20


class _Watch:
    """Called while a run goes on. What progress raises cancels it, and what the handler of Ctrl-C raises
    does too: that is called when Python next runs, which is here, and PyGObject would lose its exception."""

    def __init__(self, cancellable, progress):
        self.cancellable, self.progress = cancellable, progress
        self.problem = self.handler = None

    def __enter__(self):
        if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self.handler = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *problem):
        if self.handler is not None:
            signal.signal(signal.SIGINT, self.handler)

    def _call(self, function, *args):
        try:
            function(*args)
        except BaseException as problem:
            self.problem = problem
            self.cancellable.cancel()

    def _interrupt(self, number, frame):
        self._call(self.handler, number, frame)

    def __call__(self, done, total, *data):
        if self.progress is not None and self.problem is None:
            self._call(self.progress, done, total)


def run(nodes, cancellable, progress):
    """The tensors of nodes, computed together."""
    # Nothing is given as user data: PyGObject would lose it where there is no function that gets it.
    plan = _new_plan(nodes, _PLAN_FLAGS)
    if cancellable is None and progress is None and plan.get_intermediate_bytes() < _LONG:
        return plan.run([], None, None)[0]
    watched = threading.current_thread() is threading.main_thread() or progress is not None
    watch = _Watch(cancellable or Gio.Cancellable(), progress)
    try:
        with watch:
            tensors, _ = plan.run([], watch.cancellable, watch if watched else None)
    except GLib.Error:
        if watch.problem is not None:
            raise watch.problem from None
        raise
    if watch.problem is not None:
        raise watch.problem
    return tensors
