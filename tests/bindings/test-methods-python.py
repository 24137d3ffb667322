# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Functions as methods of arrays, called by their users and by NumPy's functions.
# Values are by hand, or NumPy's.

from testing import check, equal, raises, run, skip_all, test

import candela as xp

try:
    import numpy
except ImportError:
    skip_all("there is no NumPy")

X = xp.asarray([[1.0, 2.0], [3.0, 4.0]])


@test("ops as methods")
def ops():
    equal(X.sum().tolist(), 10.0)
    equal(X.sum(axis=0).tolist(), [4.0, 6.0])
    equal(X.max(axis=1, keepdims=True).tolist(), [[2.0], [4.0]])
    equal(X.add(X).negative().tolist(), [[-2.0, -4.0], [-6.0, -8.0]])
    equal(X.std(axis=0, correction=1).tolist(), [2**0.5, 2**0.5])
    equal(X.sum.__doc__, xp.sum.__doc__)
    check({"sum", "exp", "astype", "reshape"} <= set(dir(X)))


@test("methods that NumPy's arrays have")
def own():
    equal(X.reshape(4).tolist(), [1.0, 2.0, 3.0, 4.0])
    equal(X.reshape(2, 1, 2).shape, (2, 1, 2))
    equal(X.reshape((4, -1)).shape, (4, 1))
    equal(X.T.flatten().tolist(), [1.0, 3.0, 2.0, 4.0])
    equal(X.ravel().shape, (4,))
    equal(X.astype("int32").dtype, xp.int32)
    equal(X.reshape(1, 4, 1).squeeze().shape, (4,))
    equal(X.reshape(1, 4, 1).squeeze(axis=0).shape, (4, 1))
    y = X.copy()
    y[0, 0] = 9
    equal(float(X[0, 0]), 1.0)
    z = xp.asarray([1 + 2j, 3])
    equal((z.real.tolist(), z.imag.tolist()), ([1.0, 3.0], [2.0, 0.0]))
    equal((X.real is X, X.imag.tolist()), (True, [[0.0, 0.0], [0.0, 0.0]]))


@test("what is no method")
def missing():
    for name in ("concat", "zeros", "float32", "pi", "nothing", "__cuda_array_interface__"):
        check(not hasattr(X, name), name)
    raises(AttributeError, lambda: X.nothing)
    raises(TypeError, lambda: X.sum(out=X))


@test("NumPy's functions call them")
def numpy_functions():
    n = numpy.asarray([[1.0, 2.0], [3.0, 4.0]])
    for name in ("mean", "sum", "std", "var", "max", "min", "prod", "all", "any", "argmax", "squeeze", "real"):
        result = getattr(numpy, name)(X)
        check(isinstance(result, xp.Array), name)
        equal(result.tolist(), numpy.asarray(getattr(numpy, name)(n)).tolist())
    for name in ("transpose", "ravel", "sort", "argsort", "cumsum", "diff", "median", "trace", "unique", "tril"):
        equal(numpy.asarray(getattr(numpy, name)(X)).tolist(), numpy.asarray(getattr(numpy, name)(n)).tolist())
    equal(numpy.std(X, axis=0, ddof=1).tolist(), numpy.std(n, axis=0, ddof=1).tolist())
    equal(numpy.sum(X, axis=1, keepdims=True, dtype="float32").dtype, xp.float32)
    equal(numpy.clip(X, 2, 3).tolist(), [[2.0, 2.0], [3.0, 3.0]])


run()
