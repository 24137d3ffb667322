# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lazy arrays: the namespace of the Python array API standard 2024.12, over Candela.

Arrays compute when they are looked at, or by materialize(); until then they are graphs,
which Candela plans and runs as a whole. Every op of every plugin is a function here, by
its name: help(candela.NAME) tells of it."""

import math as _math

import gi as _gi

_gi.require_version("Candela", "1.0")

from gi.repository import Candela as _Candela  # noqa: E402
from gi.overrides import Candela as _core  # noqa: E402

from candela import _functions  # noqa: E402
from candela._creation import (  # noqa: E402,F401
    empty, empty_like, eye, from_dlpack, full, full_like, linspace, meshgrid, ones, ones_like, zeros, zeros_like,
    arange)
from candela._dtypes import (  # noqa: E402,F401
    astype, can_cast, finfo, iinfo, isdtype, result_type, __array_namespace_info__)
from candela._files import load, save, savez  # noqa: E402,F401
from candela._foreign import foreign  # noqa: E402,F401
from candela._products import tensordot  # noqa: E402,F401
from candela._script import check, op  # noqa: E402,F401
from candela._shapes import (  # noqa: E402,F401
    broadcast_arrays, concat, diff, nonzero, repeat, reshape, unstack)

Array = _core.Array
CandelaError = _core.CandelaError
asarray = _core.asarray
materialize = _core.materialize

__array_api_version__ = "2024.12"
__version__ = "%d.%d.%d" % (_Candela.MAJOR_VERSION, _Candela.MINOR_VERSION, _Candela.MICRO_VERSION)

e, pi, inf, nan, newaxis = _math.e, _math.pi, _math.inf, _math.nan, None

bool = _Candela.DType.BOOL
int8, int16, int32, int64 = (getattr(_Candela.DType, name)
                             for name in ("INT8", "INT16", "INT32", "INT64"))
uint8, uint16, uint32, uint64 = (getattr(_Candela.DType, name) for name in ("UINT8", "UINT16", "UINT32", "UINT64"))
float16, bfloat16 = _Candela.DType.FLOAT16, _Candela.DType.BFLOAT16
float32, float64 = _Candela.DType.FLOAT32, _Candela.DType.FLOAT64
complex64, complex128 = _Candela.DType.COMPLEX64, _Candela.DType.COMPLEX128


def expr(text, **arrays):
    """The value of an expression in Candela's language over arrays by their names."""
    names = {}
    for name, value in arrays.items():
        node = _core._operand(value)
        if node is NotImplemented:
            raise TypeError("%s: no array and no number: %r" % (name, value))
        names[name] = node
    try:
        return _core._wrap(_Candela.Expression.build(text, names))
    except _core.GLib.Error as error:
        raise _core.to_python(error) from None


_EXTENSIONS = {"fft", "linalg"}

# Functions of ops that have been asked for, and are kept.
_ops = set()


def __getattr__(name):
    if name == "__all__":
        # For import * and help(), which look at no __dir__().
        return [word for word in __dir__() if not word.startswith("_")]
    if name in _EXTENSIONS:
        import importlib

        return importlib.import_module("candela." + name)
    function = _functions.make(name)
    if function is None:
        raise AttributeError("module 'candela' has no attribute %r, and no plugin has an op of that name" % name)
    globals()[name] = function
    _ops.add(name)
    return function


def _forget(name):
    """There is a new op of that name."""
    if name in _ops:
        _ops.remove(name)
        del globals()[name]


def __dir__():
    return sorted(set(name for name in globals() if not name.startswith("_")) | set(_functions.names()) | _EXTENSIONS
                  | {"__array_namespace_info__", "__array_api_version__", "__version__"})
