# SPDX-License-Identifier: LGPL-2.1-or-later
#
# NumPy's functions over arrays of Candela, as NumPy hands them over: those that Candela
# has stay lazy, with NumPy's signatures; others, and options that Candela has not, are
# NumPy's, on the values.

import inspect

import numpy

import candela
from gi.overrides import Candela as core


def _whole(x, axis, function):
    return function(core.asarray(x).reshape(-1), axis=0) if axis is None else function(x, axis=axis)


def _method(name):
    def function(a, axis=None, dtype=None, out=None, keepdims=False):
        if out is not None:
            raise TypeError("out")
        options = {} if dtype is None else {"dtype": core.as_dtype(dtype)}
        return getattr(core.asarray(a), name)(axis=axis, keepdims=bool(keepdims), **options)
    return function


def _moment(name):
    def function(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
        if out is not None or dtype is not None:
            raise TypeError("out, dtype")
        return getattr(core.asarray(a), name)(axis=axis, correction=ddof, keepdims=bool(keepdims))
    return function


def _made(name):
    def function(shape, dtype=None):
        return getattr(candela, name)(shape, dtype=core.as_dtype(dtype))
    return function


def _like(name):
    def function(a, dtype=None, order="K", subok=True, shape=None):
        return getattr(candela, name)(a.shape if shape is None else shape, dtype=core.as_dtype(dtype or a.dtype))
    return function


def _swapped(a, axis1, axis2):
    axes = list(range(a.ndim))
    axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
    return candela.permute_dims(a, tuple(axes))


def _types(*values):
    return numpy.result_type(*[value.dtype.dtype if isinstance(value, core.Array) else value for value in values])


_FUNCTIONS = {
    "concatenate": lambda arrays, axis=0: candela.concat(list(arrays), axis=axis),
    "stack": lambda arrays, axis=0: candela.stack(list(arrays), axis=axis),
    "where": lambda condition, x, y: candela.where(condition, x, y),
    "transpose": lambda a, axes=None: candela.permute_dims(a, tuple(axes or reversed(range(a.ndim)))),
    "swapaxes": _swapped,
    "moveaxis": lambda a, source, destination: candela.moveaxis(a, source, destination),
    "reshape": lambda a, shape: candela.reshape(a, shape),
    "ravel": lambda a: candela.reshape(a, (-1,)),
    "broadcast_to": lambda array, shape, subok=False: candela.broadcast_to(array, shape),
    "expand_dims": lambda a, axis: candela.expand_dims(a, axis=axis),
    "squeeze": lambda a, axis=None: a.squeeze(axis),
    "flip": lambda m, axis=None: candela.flip(m, axis=axis),
    "roll": lambda a, shift, axis=None: candela.roll(a, shift, axis=axis),
    "repeat": lambda a, repeats, axis=None: candela.repeat(a, repeats, axis=axis),
    "tile": lambda A, reps: candela.tile(A, reps if isinstance(reps, tuple) else (reps,)),
    "take": lambda a, indices, axis=None: _whole(a, axis, lambda x, axis: x[(slice(None),) * (axis % x.ndim) + (indices,)]),
    "tril": lambda m, k=0: candela.tril(m, k=k),
    "triu": lambda m, k=0: candela.triu(m, k=k),
    "clip": lambda a, a_min=None, a_max=None: candela.clip(a, a_min, a_max),
    "round": lambda a: candela.round(a),
    "real": lambda val: val.real,
    "imag": lambda val: val.imag,
    "sort": lambda a, axis=-1: _whole(a, axis, candela.sort),
    "argsort": lambda a, axis=-1: _whole(a, axis, candela.argsort),
    "shape": lambda a: a.shape,
    "ndim": lambda a: a.ndim,
    "size": lambda a: a.size,
    "result_type": _types,
    "copy": lambda a: a.copy(),
    "zeros_like": _like("zeros"), "ones_like": _like("ones"), "empty_like": _like("empty"),
    "full_like": lambda a, fill_value, dtype=None, shape=None:
        candela.full(a.shape if shape is None else shape, fill_value, dtype=core.as_dtype(dtype or a.dtype)),
    # What is asked for with like=.
    "asarray": lambda a, dtype=None, order=None: candela.asarray(a, dtype=dtype),
    "array": lambda a, dtype=None, order=None, ndmin=0: candela.asarray(a, dtype=dtype, copy=True),
    "arange": lambda start, stop=None, step=1, dtype=None: candela.arange(start, stop, step, dtype=core.as_dtype(dtype)),
    "zeros": _made("zeros"), "ones": _made("ones"), "empty": _made("empty"),
    "full": lambda shape, fill_value, dtype=None: candela.full(shape, fill_value, dtype=core.as_dtype(dtype)),
    "var": _moment("var"), "std": _moment("std"),
}
for _name in ("sum", "prod", "mean", "max", "min", "any", "all", "argmax", "argmin"):
    _FUNCTIONS[_name] = _method(_name)
for _name, _same in {"amax": "max", "amin": "min", "around": "round"}.items():
    _FUNCTIONS[_name] = _FUNCTIONS[_same]
_FUNCTIONS = {name: (function, inspect.signature(function)) for name, function in _FUNCTIONS.items()}


def _values(value):
    """The same, with NumPy's arrays instead of Candela's."""
    if isinstance(value, core.Array):
        return value.__array__()
    if type(value) in (list, tuple):
        return type(value)(_values(item) for item in value)
    return value


def array_function(function, types, args, options):
    if not all(issubclass(kind, (core.Array, numpy.ndarray)) for kind in types):
        return NotImplemented
    found = _FUNCTIONS.get(function.__name__) if getattr(numpy, function.__name__, None) is function else None
    if found is not None:
        try:
            found[1].bind(*args, **options)
            return found[0](*args, **options)
        except TypeError:
            # An option, or a dtype, that only NumPy has.
            pass
    if isinstance(options.get("out"), core.Array):
        raise TypeError("%s: NumPy cannot write into an array of Candela's" % function.__name__)
    return function(*_values(args), **{name: _values(value) for name, value in options.items()})
