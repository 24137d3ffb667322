# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Functions of Python's namespace that make arrays, tell of dtypes, or are made of
# others. Values are by hand.

from testing import check, equal, raises, run, test, values

import candela as xp


A = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
I = xp.asarray([7, -7, 3])


@test("functions: their description")
def description():
    check("axis" in xp.sum.__doc__, xp.sum.__doc__)
    equal(xp.sum.__name__, "sum")
    check({"sum", "asarray", "float32", "pi"} <= set(dir(xp)))


@test("creation")
def creation():
    values(xp.zeros(3), [0.0] * 3, xp.float64)
    values(xp.ones((1, 2), dtype=xp.int8), [[1, 1]], xp.int8)
    values(xp.full((2,), True), [True, True], xp.bool)
    values(xp.full_like(I, 2), [2, 2, 2], xp.int64)
    values(xp.arange(2, 8, 3), [2, 5])
    values(xp.arange(3), [0, 1, 2], xp.int64)
    values(xp.linspace(0, 1, 3), [0.0, 0.5, 1.0])
    values(xp.eye(2, k=1), [[0.0, 1.0], [0.0, 0.0]])
    values(xp.eye(2, k=1 << 63), [[0.0, 0.0], [0.0, 0.0]])
    raises(OverflowError, lambda: xp.roll(A, 1 << 63))
    check(xp.asarray(A, copy=False) is A)
    check(xp.asarray(A, copy=True) is not A)
    # A default that is text.
    values(xp.searchsorted(xp.asarray([1, 2, 2, 3]), xp.asarray([2])), [1])
    equal(xp.empty((2, 0)).shape, (2, 0))
    x, y = xp.meshgrid(xp.arange(2), xp.arange(3))
    values(x, [[0, 1], [0, 1], [0, 1]])
    values(y, [[0, 0], [1, 1], [2, 2]])
    raises(ValueError, lambda: xp.zeros(3, device="gpu"))
    raises(ValueError, lambda: xp.zeros(-1))
    raises(TypeError, lambda: xp.zeros(1.5))


@test("dtype functions")
def dtype_functions():
    equal(xp.result_type(xp.int8, xp.uint8), xp.int16)
    equal(xp.result_type(xp.float32, 1.5), xp.float32)
    equal(xp.result_type(I, 1.5), xp.float64)
    check(xp.can_cast(xp.int8, xp.int16))
    check(not xp.can_cast(xp.float64, xp.float32))
    check(xp.isdtype(xp.int8, ("bool", "integral")))
    check(not xp.isdtype(xp.float32, xp.float64))
    equal(xp.finfo(xp.float32).eps, 2.0**-23)
    equal((xp.iinfo(xp.uint8).max, xp.iinfo(xp.int16).min), (255, -32768))
    equal(xp.astype(I, xp.float32).dtype, xp.float32)
    raises(ValueError, lambda: xp.isdtype(xp.int8, "numbers"))
    raises(TypeError, lambda: xp.finfo(xp.int8))
    check("float32" in xp.__array_namespace_info__().dtypes(kind="real floating"))


@test("shapes")
def shapes():
    values(xp.reshape(I, (3, 1)), [[7], [-7], [3]])
    values(xp.reshape(A, (-1,)), [1.0, 2.0, 3.0, 4.0])
    raises(ValueError, lambda: xp.reshape(A, (3,)))
    a, b = xp.broadcast_arrays(I, xp.asarray([[1], [2]]))
    equal((a.shape, b.shape), ((2, 3), (2, 3)))
    raises(ValueError, lambda: xp.broadcast_arrays(I, xp.asarray([1, 2])))
    equal([x.tolist() for x in xp.unstack(A, axis=1)], [[1.0, 3.0], [2.0, 4.0]])


@test("functions: arrays put together, repeated and subtracted")
def put_together():
    a = xp.asarray([[1, 2], [3, 4]])
    equal(xp.concat([a, a], axis=None).tolist(), [1, 2, 3, 4, 1, 2, 3, 4])
    equal(xp.concat((a, a), axis=1).tolist(), [[1, 2, 1, 2], [3, 4, 3, 4]])
    equal(xp.concat(a, a).tolist(), [[1, 2], [3, 4], [1, 2], [3, 4]])
    equal(xp.repeat(a, 2).tolist(), [1, 1, 2, 2, 3, 3, 4, 4])
    equal(xp.repeat(a, [0, 2], axis=1).tolist(), [[2, 2], [4, 4]])
    equal(xp.repeat(a, xp.asarray([1, 2]), axis=0).tolist(), [[1, 2], [3, 4], [3, 4]])
    equal(xp.diff(a, append=a).tolist(), [[1, -1, 1], [1, -1, 1]])
    equal(xp.diff(a, axis=0, append=a).tolist(), [[2, 2], [-2, -2], [2, 2]])
    equal(xp.diff(a, prepend=a, append=a, n=2).tolist(), [[-2, 2, -2, 2], [-2, 2, -2, 2]])
    equal(xp.take(a, xp.asarray([1]), axis=0).tolist(), [[3, 4]])
    raises(IndexError, lambda: xp.diff(a, axis=2, append=a))
    raises(IndexError, lambda: xp.concat([a], axis=5))
    raises(TypeError, lambda: xp.concat([]))


run()
