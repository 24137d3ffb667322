# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests by name, as TAP, and what tests of Candela share. Which tests there are, and
# in what order, is said by a file of names, for both languages: a test that is
# missing here, or that is not in the list, fails.

import os
import struct
import sys
import traceback


def skip_all(reason):
    print("1..0 # SKIP", reason)
    sys.exit(0)


try:
    import gi

    gi.require_version("Candela", "1.0")
    from gi.repository import Candela, GLib
except (ImportError, ValueError) as error:
    if os.path.exists(os.path.join(os.environ.get("CANDELA_BUILD_DIR", ""), "candela", "Candela-1.0.typelib")):
        raise
    skip_all("Candela-1.0 cannot be imported: %s" % error)

_tests = {}


def test(name):
    def register(function):
        _tests[name] = function
        return function

    return register


def equal(found, wanted):
    if found != wanted:
        raise AssertionError("%r instead of %r" % (found, wanted))


def check(condition, text="it does not hold"):
    if not condition:
        raise AssertionError(text)


def near(found, wanted, tolerance):
    if not abs(found - wanted) <= tolerance:
        raise AssertionError("%r is not near %r" % (found, wanted))


def values(x, wanted, dtype=None):
    """Of an array."""
    equal(x.tolist(), wanted)
    if dtype is not None:
        equal(x.dtype, dtype)


def raises(kind, function):
    """The error of that class that function() raises."""
    try:
        found = function()
    except kind as error:
        return error
    raise AssertionError("%r instead of an error" % (found,))


def resident_bytes():
    """What the process has in memory now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def run(list_name=None):
    """All tests; without a list, those that there are in this language alone."""
    names = []
    if list_name is not None:
        with open(os.path.join(os.path.dirname(__file__), list_name)) as file:
            names = file.read().splitlines()
    names += [name for name in _tests if name not in names]
    for number, name in enumerate(names, 1):
        problem = None
        try:
            if name not in _tests:
                raise AssertionError("the test is missing in this language")
            _tests[name]()
        except Exception:
            problem = traceback.format_exc()
        print("ok" if problem is None else "not ok", number, "-", name)
        for line in (problem or "").splitlines():
            print("#", line)
        sys.stdout.flush()
    print("1..%d" % len(names))


# ---- Of Candela ----

DType = Candela.DType
Node = Candela.Node
CODES = {
    DType.BOOL: "B",
    DType.INT8: "b",
    DType.INT16: "h",
    DType.INT32: "i",
    DType.INT64: "q",
    DType.UINT8: "B",
    DType.UINT16: "H",
    DType.UINT32: "I",
    DType.UINT64: "Q",
    DType.FLOAT32: "f",
    DType.FLOAT64: "d",
}


def pack(dtype, values):
    return struct.pack("=%d%s" % (len(values), CODES[dtype]), *values)


def tensor(dtype, shape, values):
    return Candela.Tensor.new_from_data(dtype, shape, pack(dtype, values))


def edge(dtype, shape, values):
    return Node.new_tensor(tensor(dtype, shape, values))


def read(result):
    """The elements, in row-major order."""
    data = result.get_bytes().get_data() or b""
    code = CODES[result.get_dtype()]
    return list(struct.unpack("=%d%s" % (len(data) // struct.calcsize("=" + code), code), data))


def op(name, *inputs, **params):
    return Node.new_op(name, inputs, GLib.Variant("a{sv}", params) if params else None)


def fails(code, function):
    """The message of the Candela error of that code that function() raises."""
    error = raises(GLib.Error, function)
    equal((error.domain, error.code), ("candela-error-quark", int(code)))
    return error.message
