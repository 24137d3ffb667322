# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Functions as methods of arrays: those over arrays, by the functions' names, and a few
# that NumPy has as methods only.

import functools

from gi.overrides import Candela as core
from gi.repository import Candela

from candela import _dtypes, _functions, _shapes


def _astype(x, dtype, *, copy=True):
    """x converted to another dtype."""
    return _dtypes.astype(x, dtype, copy=copy)


def _reshape(x, *shape, copy=None):
    """The elements of x in another shape, which is given as one sequence or by its lengths."""
    return _shapes.reshape(x, shape[0] if len(shape) == 1 else shape, copy=copy)


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
    if not callable(function):
        # An extension may have the name of one of its functions: fft.
        function = getattr(function, name)
    if function.__module__ != "candela":
        return function
    return functools.update_wrapper(_functions.make(name, method=True), function)


def forget(name):
    """There is a new op of that name."""
    import candela

    candela._forget(name)
    # Array keeps those that it has found.
    if getattr(vars(core.Array).get(name), "__module__", None) == "candela":
        delattr(core.Array, name)
    _is_over_arrays.cache_clear()
    _of_op.cache_clear()


def find(name):
    """The function that is the method of that name; None if there is none."""
    return _OWN.get(name) or _of_op(name)


def names():
    return sorted(set(_OWN) | {name for name in _functions.names() if _is_over_arrays(name)})
