# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What someone who knows NumPy tries within the first hour, beside NumPy's answer or the
# standard's: Python's own functions over arrays, printing, indexing, pickles, NumPy's
# functions over them, and what is wrong.

import asyncio
import copy
import math
import operator
import pickle
import pydoc

from testing import check, equal, raises, run, skip_all, test

import candela as xp

try:
    import numpy as np
except ImportError:
    skip_all("there is no NumPy")

DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
          "float64", "complex64", "complex128")
A = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
I = xp.asarray([7, -7, 3])
Z = xp.asarray(5)


def same(found, wanted):
    """Values, shape, dtype, and no computing before they are looked at is asked for."""
    wanted = np.asarray(wanted)
    equal((found.shape, found.dtype.name), (wanted.shape, wanted.dtype.name))
    np.testing.assert_array_equal(np.asarray(found), wanted)


# ---- Python's functions ----

@test("an array without axes")
def without_axes():
    for call in (lambda: iter(Z), lambda: list(Z), lambda: len(Z), lambda: 5 in Z and Z[0], lambda: Z[0], lambda: tuple(Z)):
        raises((TypeError, IndexError), call)
    equal((math.sqrt(xp.asarray(9)), range(Z), "%d" % Z, [0] * xp.asarray(2)), (3.0, range(5), "5", [0, 0]))
    equal((format(Z, "03d"), f"{xp.asarray(2.345):.2f}", f"{Z}", f"{A}"), ("005", "2.35" if f"{2.345:.2f}" == "2.35" else
                                                                       f"{2.345:.2f}", "5", str(A)))
    raises(TypeError, lambda: f"{A:.2f}")
    raises(ValueError, lambda: format(Z, "nonsense"))


@test("numbers of what is none")
def no_numbers():
    for value in (A, I, xp.zeros((1,)), xp.zeros((1, 1)), xp.zeros((0,))):
        for kind in (float, int, complex, bool, operator.index):
            raises(TypeError, lambda: kind(value))
    raises(ValueError, lambda: int(xp.asarray(float("nan"))))
    for sign in (1, -1):
        raises(OverflowError, lambda: int(xp.asarray(sign * float("inf"))))
    for kind in (float, int):
        raises(TypeError, lambda: kind(xp.asarray(1j)))
    for dtype in ("bool", "float16", "float64", "complex64"):
        raises(TypeError, lambda: operator.index(xp.asarray(1, dtype=dtype)))
    equal((bool(xp.asarray(float("nan"))), bool(xp.asarray(0j)), bool(xp.asarray(-0.0))), (True, False, False))
    equal((int(xp.asarray(2**64 - 1, dtype="uint64")), int(xp.asarray(-(2**63)))), (2**64 - 1, -(2**63)))
    check(math.copysign(1, float(xp.asarray(-0.0))) == -1)


@test("comparisons with what is no array")
def no_comparisons():
    equal((A == None, A != None, A == "x", None in A, A == object()), (False, True, False, False, False))  # noqa: E711
    for call in (lambda: A < None, lambda: A >= "x", lambda: 1 < I < 5, lambda: 0 <= A <= 9, lambda: I and I, lambda: not I,
                 lambda: hash(A), lambda: {A}, lambda: {A: 1}, lambda: sorted(A)):
        raises(TypeError, call)
    equal([int(item) for item in sorted(I)], [-7, 3, 7])
    equal((int(max(I)), int(min(I)), int(sum(I)), any(I > 5), all(I > 5)), (7, -7, 3, True, False))


@test("quotient and remainder")
def quotients():
    for a, b in ((I, 2), (7, xp.asarray([2, -3])), (A, A - 0.5), (xp.asarray([7.5, -7.5], dtype="float32"), 2)):
        q, r = divmod(a, b)
        wanted = divmod(np.asarray(a), np.asarray(b) if isinstance(b, xp.Array) else b)
        np.testing.assert_array_equal(np.asarray(q), wanted[0])
        np.testing.assert_array_equal(np.asarray(r), wanted[1])
    for call in (lambda: divmod(I, None), lambda: divmod("x", I), lambda: pow(I, 2, 5)):
        raises(TypeError, call)


@test("in place operators make another value")
def in_place():
    x = y = xp.asarray([1.0, 2.0])
    held = id(x)
    for function in (operator.iadd, operator.imul, operator.isub, operator.itruediv, operator.ipow):
        x = function(x, 2)
    equal((x.tolist(), y.tolist(), id(y) == held), ([((1 + 2) * 2 - 2) ** 2 / 4, ((2 + 2) * 2 - 2) ** 2 / 4], [1.0, 2.0], True))

    def wrong(value, other):
        value += other
    for value, other, kind in ((I, 0.5, TypeError), (I, A[0, 0], TypeError), (I, A, ValueError), (Z, I, ValueError), (I, None, TypeError)):
        raises(kind, lambda: wrong(value, other))
    equal(I.tolist(), [7, -7, 3])


# ---- Printing ----

@test("printing of all dtypes, as NumPy prints")
def printing():
    special = [0.0, -0.0, 1.0, -1.5, np.nan, np.inf, -np.inf, 1 / 3, 1e16, 1e-5, 123456789.0, 1e-300, 5e-324]
    for dtype in DTYPES:
        with np.errstate(all="ignore"):
            numbers = np.asarray(special if dtype[0] in "fc" else range(13)).astype(dtype)
        if dtype[0] == "c":
            with np.errstate(all="ignore"):
                numbers = numbers + numbers[::-1] * numbers.dtype.type(1j)
        for made in (numbers, numbers[:1], numbers[3], numbers[:12].reshape(3, 4), numbers[:12].reshape(2, 3, 2),
                     np.resize(numbers[1:5], 2000), np.resize(numbers[:3], (3, 1200)), np.resize(numbers[:3], (40, 40)),
                     numbers[::-2], numbers[:6], numbers[:7], numbers[:8], numbers[:9]):
            made = np.asarray(made)
            for x in (xp.asarray(made), xp.asarray(made)[...] if dtype == "bool" else xp.asarray(made) * 1):
                if dtype[0] == "c" and not np.isfinite(made).all():
                    # Times 1 is another number.
                    x = xp.asarray(made)
                equal(str(x), str(made))
                # NumPy since 2.2 says the shape of what it does not show in whole.
                if "shape=" not in repr(made):
                    equal(repr(x), repr(made).replace("array(", "Array("))


# ---- Parts ----

@test("keys that are wrong")
def wrong_keys():
    mask = xp.asarray([True, False, True])
    for key in (2, -3, (0, 5), (0, 0, 0), 1.0, "x", (0, "x"), 1j, {}, {1}, A, [0.5], [5], [[0], [7]], mask, [True, False, True],
                (Ellipsis, Ellipsis), slice(None, None, 0), slice(1, "x"), slice(1.5), 1 << 70, -(1 << 70), xp.asarray([1.5]),
                xp.asarray(1.5), np.float64(1), np.asarray(1.0), xp.ones((2, 2, 1), dtype="bool"), (mask, 0), object(), b"0"):
        raises(IndexError, lambda: A[key].materialize())
        if not isinstance(key, dict):
            raises((IndexError, TypeError, ValueError), lambda: np.asarray(A)[np.asarray(key) if isinstance(key, xp.Array) else key]
                   if not (isinstance(key, tuple) and key[0] is mask) else [][0])
    for key, text in ((2, "index 2 is out of range for axis 0 of length 2"), ((0, -3), "index -3 is out of range for axis 1"),
                      ((0, 0, 0), "more than 2 indices"), ([5], "index 5"), (mask, "a mask of shape (3,)"), ("x", "no index: 'x'")):
        check(text in str(raises(IndexError, lambda: A[key].materialize())), (key, text))
    for key in (2, (0, 5), "x", 1.5, [5], mask):
        y = xp.asarray(np.asarray(A))

        def put():
            y[key] = 0.0
            y.materialize()
        raises(IndexError, put)


@test("keys of other kinds of numbers")
def kinds_of_keys():
    n = np.asarray(A)
    for key in (np.int8(1), np.uint64(1), np.asarray(1), xp.asarray(1), xp.asarray(-1, dtype="int8"), True, np.True_, False,
                xp.asarray(True), (xp.asarray(0), slice(None)), (np.int64(1), None), (slice(np.int64(1)),), (), Ellipsis,
                slice(xp.asarray(0), xp.asarray(1)), xp.asarray([1, 0], dtype="uint8"), [np.int64(1)], [xp.asarray(1)]):
        def numpys(part):
            if isinstance(part, tuple):
                return tuple(map(numpys, part))
            return np.asarray(part) if isinstance(part, xp.Array) else [numpys(p) for p in part] if isinstance(part, list) else part
        same(A[key], n[numpys(key)])


# ---- Copies and exchange ----

@test("pickles and copies of every kind")
def pickles():
    for dtype in (*DTYPES, "bfloat16"):
        x = xp.astype(xp.asarray([[0, 1, 0], [1, 1, 0]]), dtype)
        for y in (x, x.T, x[:, ::-1], x[0, 1], x[:0], xp.broadcast_to(x[0], (4, 3)), x[...]):
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
                z = pickle.loads(pickle.dumps(y, protocol))
                equal((z.tolist(), z.shape, z.dtype), (y.tolist(), y.shape, y.dtype))
            for z in (copy.copy(y), copy.deepcopy([y])[0]):
                equal((z.tolist(), z.dtype), (y.tolist(), y.dtype))
    error = pickle.loads(pickle.dumps(raises(ValueError, lambda: A + I)))
    check(isinstance(error, ValueError) and isinstance(error, xp.CandelaError))
    equal(str(error), "add: x1 has shape [2, 2] and x2 has shape [3]: they cannot be broadcast together")


@test("NumPy's view of memory")
def memory():
    computed = A * 2
    view = memoryview(np.asarray(computed))
    check(view.readonly and view.tolist() == [[2.0, 4.0], [6.0, 8.0]])
    raises((TypeError, ValueError), lambda: view.__setitem__((0, 0), 1.0))
    check(not np.asarray(A).flags.writeable and np.array(A).flags.writeable)
    raises(ValueError, lambda: np.asarray(A).__setitem__((0, 0), 1.0))
    raises(ValueError, lambda: np.asarray(A).setflags(write=True))
    equal(A.__array_interface__["data"].readonly, True)
    raises(ValueError, lambda: A.__array__("float32", copy=False))
    check(not np.shares_memory(A.__array__(copy=True), np.asarray(A)))
    check(np.shares_memory(A.__array__(copy=False), np.asarray(A)))
    n = np.arange(6.0)
    n.flags.writeable = False
    same(xp.asarray(n) + 1, n + 1)
    same(xp.from_dlpack(n), n)


@test("DLPack's options")
def dlpack_options():
    for options, name in (({}, "dltensor"), ({"max_version": (0, 8)}, "dltensor"), ({"max_version": (1, 0)}, "dltensor_versioned"),
                          ({"max_version": (2, 3), "copy": True}, "dltensor_versioned"), ({"dl_device": (1, 0)}, "dltensor"),
                          ({"copy": False, "stream": None}, "dltensor")):
        check('"%s"' % name in repr(A.__dlpack__(**options)), options)
    for options, kind in (({"dl_device": (2, 0)}, BufferError), ({"stream": 1}, ValueError), ({"max_version": 1}, TypeError),
                          ({"dl_device": 5}, TypeError), ({"nothing": 1}, TypeError)):
        raises(kind, lambda: A.__dlpack__(**options))
    np.testing.assert_array_equal(np.from_dlpack(A.T[::-1]), np.asarray(A).T[::-1])


# ---- NumPy's functions ----

@test("NumPy's ufuncs, with options and as methods")
def ufuncs():
    n = np.array(A)
    for lazy in (np.add(n, A), np.matmul(n, A), n @ A, np.exp(A), np.isnan(A), n - A, np.add(A, 1.5), np.float32(2) * A):
        check(isinstance(lazy, xp.Array))
    out = np.zeros((2, 2))
    check(np.add(A, 1, out=out) is out)
    np.testing.assert_array_equal(out, n + 1)
    where = np.asarray([[True, False], [False, True]])
    np.add(A, 1, out=out, where=where)
    np.testing.assert_array_equal(np.add(A, 1, out=np.zeros((2, 2)), where=where), np.where(where, n + 1, 0))
    for name, arguments in (("reduce", ()), ("accumulate", ()), ("outer", (A,)), ("reduceat", ([0, 1],))):
        np.testing.assert_array_equal(getattr(np.add, name)(A, *arguments), getattr(np.add, name)(n, *map(np.asarray, arguments)))
    equal(np.add.reduce(A, axis=None), 10.0)
    np.testing.assert_array_equal(np.modf(A)[1], np.modf(n)[1])
    raises(TypeError, lambda: np.add(n, 1, out=A))
    raises((TypeError, ValueError), lambda: np.multiply.at(A, 0, 2))
    n += A
    check(type(n) is np.ndarray and n.tolist() == [[2.0, 4.0], [6.0, 8.0]])


@test("NumPy's scalars keep their dtype")
def scalars():
    f, i = xp.ones(1, dtype="float32"), xp.ones(1, dtype="int8")
    for made, dtype in ((f * 2.0, "float32"), (f * np.float32(2), "float32"), (f * np.float64(2), "float64"),
                        (np.float64(2) * f, "float64"), (f + np.complex128(1j), "complex128"), (f + 1j, "complex64"),
                        (i + 2, "int8"), (i + np.int8(2), "int8"), (i + np.int64(2), "int64"), (i + np.uint8(2), "int16"),
                        (i * True, "int8"), (i & np.int16(1), "int16"), (f + np.float16(1), "float32")):
        equal(made.dtype.name, dtype)


@test("arrays among numbers")
def nested():
    f = np.ones(2, dtype="float32")
    for value in ([f, f], [[f], [[1, 2]]], [np.int8(1), np.int8(2)], [np.float32(1), 2.5], [f, np.zeros(2)], (f, (1.0, 2.0)),
                  range(5), [range(2), [3, 4]], [np.asarray(3)], [np.int8(1), np.uint8(1)], [np.zeros((2, 0))]):
        wanted = np.asarray(value)
        equal(xp.asarray(value).tolist(), wanted.tolist())
        if not any(isinstance(part, (float, int)) for part in value):
            equal(xp.asarray(value).shape, wanted.shape)
    for value, dtype in (([f, f], "float32"), ([np.int8(1), 2], "int8"), ([A, f[0] * A], "float64"), ([np.float32(1), 2.5], "float32"),
                         ([xp.asarray(1, dtype="bfloat16")], "bfloat16"), ([f, 1j * f], "complex64"), ([[]], "float64")):
        equal(xp.asarray(value).dtype.name, dtype)
    for value in ("abc", {}, {1}, (x for x in (1, 2)), [None], ["1"], [[1], "2"], object(), [f, None], [f, [1, 2, 3]], np.asarray(["a"]),
                  np.asarray(["2000-01-01"], dtype="M8[D]"), np.asarray([None])):
        raises((TypeError, ValueError), lambda: xp.asarray(value))


# ---- The namespace ----

@test("the namespace")
def namespace():
    everything = {}
    exec("from candela import *", everything)
    check({"asarray", "float32", "pi", "softmax", "linalg"} <= everything.keys(), sorted(everything))
    info = xp.__array_namespace_info__()
    equal((info.default_device(), info.devices()), ("cpu", ["cpu"]))
    equal(set(info.dtypes(kind=("bool", "unsigned integer"))), {"bool", "uint8", "uint16", "uint32", "uint64"})
    for call in (lambda: info.dtypes(kind="x"), lambda: info.dtypes(device="gpu"), lambda: info.default_dtypes(device="gpu")):
        raises(ValueError, call)
    text = pydoc.plain(pydoc.render_doc(xp.softmax))
    for part in ("softmax(x, /, axis=", "axis", "An op of the plugin composed"):
        check(part in text, text)
    for module, name in ((xp, "cumulative_sum(x, "), (xp.linalg, "cholesky(x, "), (xp.fft, "irfft(x, ")):
        check(name in pydoc.plain(pydoc.render_doc(module)), "help(%s)" % module.__name__)
    for module in (xp, xp.linalg, xp.fft):
        for name in dir(module):
            getattr(module, name)
        raises(AttributeError, lambda: module.nothing)


@test("parameters of other kinds")
def parameters():
    equal(xp.sum(A, axis=xp.asarray(0)).tolist(), [4.0, 6.0])
    equal(xp.sum(A, axis=np.int64(-1)).tolist(), [3.0, 7.0])
    equal(xp.sum(A, axis=[0, 1]).tolist(), 10.0)
    for call in (lambda: xp.sum(A, axis={}), lambda: xp.sum(A, axis=[0, None]), lambda: xp.sum([1, 2]), lambda: xp.astype([1], "int8"),
                 lambda: xp.take(A, [0], axis=0), lambda: xp.reshape(A, (2.0, 2)), lambda: xp.zeros(2.0), lambda: xp.zeros(None)):
        raises(TypeError, call)
    for call in (lambda: xp.sum(A, axis=True), lambda: xp.sum(A, keepdims="x"), lambda: xp.zeros(-1), lambda: xp.arange(0, 1, 0),
                 lambda: xp.linspace(0, 1, -1), lambda: xp.full(2, 300, dtype="int8"), lambda: xp.max(xp.zeros((0, 2))),
                 lambda: xp.reshape(A, (3,)), lambda: A @ 2, lambda: xp.concat([A, I])):
        raises(ValueError, call)
    raises(MemoryError, lambda: xp.zeros((1 << 42,)).materialize())


@test("evenly spaced complex numbers")
def spaced():
    for arguments in ((0j, 1, 3), (1, 2j, 5), (1 + 1j, -1 - 1j, 4), (0, 1j, 1), (0j, 1j, 0)):
        for endpoint in (True, False):
            same(xp.linspace(*arguments, endpoint=endpoint), np.linspace(*arguments, endpoint=endpoint))
    equal(xp.linspace(0, 1, 3, dtype=xp.complex64).dtype, xp.complex64)
    raises(TypeError, lambda: xp.linspace(0, 1j, 3, dtype=xp.float32))


@test("awaited together, and given up")
def awaited():
    async def main():
        arrays = [xp.exp(xp.zeros((1000, 100)) + n) for n in range(6)]
        await asyncio.gather(*(x.materialize_async() for x in arrays))
        equal([float(x[0, 0]) for x in arrays], [float(xp.exp(xp.asarray(float(n)))) for n in range(6)])
        work = xp.expr("sum(tanh(sin(broadcast_to(x, [200000, 1000]))))", x=xp.arange(1000) * 1.0)
        try:
            await asyncio.wait_for(work.materialize_async(), 0.02)
            raise AssertionError("it was not given up")
        except asyncio.TimeoutError:
            pass
        try:
            await xp.take(A, xp.asarray([9]), axis=0).materialize_async()
            raise AssertionError("no error")
        except IndexError as error:
            check("index 9" in str(error))
        return float(xp.sum(A))

    equal(asyncio.run(main()), 10.0)


run()
