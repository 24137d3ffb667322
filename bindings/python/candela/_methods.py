# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Functions as methods of arrays: those over arrays, by the functions' names, and a few
# that NumPy has as methods only.

import functools

from gi.overrides import Candela as core
from gi.repository import Candela

from candela import _functions


def _astype(x, dtype, *, copy=True):
    """x converted to another dtype."""
    from candela import astype

    return astype(x, core.as_dtype(dtype), copy=copy)


def _reshape(x, *shape, copy=None):
    """The elements of x in another shape, which is given as one sequence or by its lengths."""
    from candela import reshape

    return reshape(x, shape[0] if len(shape) == 1 else shape, copy=copy)


def _squeeze(x, axis=None):
    """x without some of its axes of length 1, without all of them if none is named."""
    if axis is None:
        axis = tuple(i for i, n in enumerate(x.shape) if n == 1)
    return core.apply("squeeze", (x,), "axis", tuple(axis) if isinstance(axis, list) else axis)


def _flatten(x):
    """The elements of x in row-major order, along one axis."""
    return core.apply("reshape", (x,), "shape", (x.size,))


def _copy(x):
    """The same value; setting parts of one does not change the other."""
    return core._wrap(x._node)


_OWN = {"astype": _astype, "reshape": _reshape, "squeeze": _squeeze, "flatten": _flatten, "ravel": _flatten,
        "copy": _copy}


_OF_NUMPY = {"out", "dtype", "ddof"}


def _method(function):
    """The function as a method that NumPy's functions may call too: these give out=None and dtype=None,
    and say ddof for what the standard calls correction."""
    @functools.wraps(function)
    def method(self, *args, **options):
        if not _OF_NUMPY.isdisjoint(options):
            for name in ("out", "dtype"):
                if name in options and options[name] is None:
                    del options[name]
            if "ddof" in options:
                options["correction"] = options.pop("ddof")
        return function(self, *args, **options)
    return method


@functools.lru_cache(maxsize=None)
def _is_over_arrays(name):
    try:
        facts = Candela.Registry.get_default().lookup_op(name).describe().unpack()
    except core.GLib.Error:
        return False
    return bool(facts["inputs"]) and facts["inputs"][0]["need"] != "variadic"


@functools.lru_cache(maxsize=None)
def _of_op(name):
    import candela

    if name.startswith("_") or not _is_over_arrays(name):
        return None
    function = getattr(candela, name)
    # An extension may have the name of one of its functions: fft.
    return _method(function if callable(function) else getattr(function, name))


def find(name):
    """The function that is the method of that name; None if there is none."""
    return _OWN.get(name) or _of_op(name)


def names():
    return sorted(set(_OWN) | {name for name in _functions.names() if _is_over_arrays(name)})
