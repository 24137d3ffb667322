# SPDX-License-Identifier: LGPL-2.1-or-later
#
# x[key] and x[key] = value for keys of every kind, drawn at random, against NumPy; and
# what becomes of the old value. By hand where there is no NumPy.

import random

from testing import check, equal, raises, run, test

import candela as xp

try:
    import numpy
except ImportError:
    numpy = None

DTYPES = ("bool", "int8", "uint16", "int32", "uint64", "int64", "float32", "float64", "complex64", "complex128")


def draw_shape(rng):
    return tuple(rng.choice((0, 1, 2, 3, 4, 5)) if rng.random() < 0.1 else rng.randint(1, 4)
                 for _ in range(rng.randint(0, 4)))


def draw_slice(rng):
    ends = [None if rng.random() < 0.4 else rng.randint(-5, 5) for _ in range(2)]
    return slice(*ends, rng.choice((None, 1, 2, -1, -2)))


def draw_indices(rng, length, shape):
    return numpy.asarray([rng.randint(-length, length - 1) for _ in range(numpy.prod(shape, dtype=int))],
                         dtype=rng.choice(("int8", "int64", "int32"))).reshape(shape)


def draw_part(rng, shape, among):
    """A part of a key for the first of these axes, and how many it takes."""
    kind = rng.choice(among)
    if kind == "slice" or not shape:
        return draw_slice(rng), 1
    if kind == "mask":
        n = rng.randint(1, len(shape))
        return numpy.asarray([rng.random() < 0.5 for _ in range(numpy.prod(shape[:n], dtype=int))],
                             dtype=bool).reshape(shape[:n]), n
    if shape[0] == 0:
        return slice(None), 1
    if kind == "int":
        return rng.randint(-shape[0], shape[0] - 1), 1
    # They are broadcast together: of one shape, but for axes of length 1.
    wanted = rng.choice(((2,), (2,), (1,), (3, 2), (3, 1), (), (1, 2)))
    return draw_indices(rng, shape[0], wanted), 1


def draw_key(rng, shape):
    if rng.random() < 0.1:
        return rng.choice((True, False, numpy.asarray(True), ...))
    among = rng.choice((("slice", "int"), ("array", "slice"), ("array", "int", "slice"), ("array",), ("mask",),
                        ("mask", "slice", "int"), ("array", "mask", "slice")))
    key, axis, ellipsis = [], 0, rng.random() < 0.3
    while axis < len(shape):
        if rng.random() < 0.15:
            key.append(None)
        if ellipsis and rng.random() < 0.4:
            key.append(...)
            axis += rng.randint(0, len(shape) - axis)
            ellipsis = False
            if sum(1 if not hasattr(part, "ndim") or part.dtype != bool else part.ndim
                   for part in key if part is not None and part is not ...) + len(shape) - axis > len(shape):
                break
            continue
        if not ellipsis and rng.random() < 0.1:
            break
        # After an ellipsis parts are for the last axes, which these need not be: NumPy says.
        part, n = draw_part(rng, shape[axis:], among)
        key.append(part)
        axis += n
    return tuple(key) if len(key) != 1 or rng.random() < 0.5 else key[0]


def draw_array(rng, shape, dtype):
    n = int(numpy.prod(shape, dtype=int))
    numbers = numpy.asarray([rng.randint(0, 100) for _ in range(n)], dtype="int64").reshape(shape)
    return numpy.asarray(numbers % 2 if dtype == "bool" else numbers).astype(dtype)


def as_key(rng, key):
    """The key with arrays of either kind."""
    def one(part):
        if isinstance(part, numpy.ndarray):
            # Of what is empty a list would lose the shape.
            listed = (part.tolist(),) if part.ndim > 0 and part.size > 0 else ()
            return rng.choice((part, xp.asarray(part)) + listed)
        return part
    return tuple(one(part) for part in key) if isinstance(key, tuple) else one(key)


def same(x, array, what):
    found = numpy.asarray(x)
    check(found.dtype == array.dtype and found.shape == array.shape and numpy.array_equal(found, array),
          "%s: %r instead of %r" % (what, found, array))


def draw_value(rng, part, dtype):
    """What can be broadcast to the part."""
    if rng.random() < 0.25:
        return rng.choice((1, 0, True))if dtype != "bool" else rng.choice((True, False))
    shape = list(part.shape[rng.randint(0, part.ndim):])
    for axis, _ in enumerate(shape):
        if rng.random() < 0.2:
            shape[axis] = 1
    if rng.random() < 0.1:
        shape.insert(0, 1)
    return draw_array(rng, tuple(shape), dtype)


def valid_keys(seed, n):
    """Arrays with keys that NumPy takes of them."""
    rng = random.Random(seed)
    while n > 0:
        shape, dtype = draw_shape(rng), rng.choice(DTYPES)
        array, key = draw_array(rng, shape, dtype), draw_key(rng, shape)
        try:
            part = array[key]
        except IndexError:
            continue
        n -= 1
        yield rng, array, key, part


@test("random keys: getting")
def getting():
    if numpy is None:
        return
    for rng, array, key, part in valid_keys(1, 600):
        x = xp.asarray(array)
        own = as_key(rng, key)
        same(x[own], numpy.asarray(part), "%r[%r]" % (array, own))


@test("random keys: setting")
def setting():
    if numpy is None:
        return
    for rng, array, key, part in valid_keys(2, 600):
        dtype = array.dtype.name
        value = draw_value(rng, numpy.asarray(part), dtype)
        x, wanted, own = xp.asarray(array.copy()), array.copy(), as_key(rng, key)
        old, double = x[...], x + x if dtype != "bool" else x | x
        try:
            wanted[key] = value
        except TypeError:
            # To a mask NumPy gives values of one axis only.
            wanted[key] = value.reshape(value.shape[1:])
        x[own] = xp.asarray(value) if rng.random() < 0.5 and not numpy.isscalar(value) else value
        what = "%r[%r] = %r" % (array, own, value)
        same(x, wanted, what)
        same(old, array, what + ", of the old one")
        same(double, array + array if dtype != "bool" else array, what + ", of what was made of it")


@test("random keys: what is wrong")
def wrong_keys():
    if numpy is None:
        return
    rng = random.Random(3)
    n = 0
    while n < 150:
        array = draw_array(rng, draw_shape(rng), "int64")
        key = draw_key(rng, draw_shape(rng))
        try:
            array[key]
        except IndexError:
            # To the standard, though not to NumPy, an empty mask goes with any axis.
            if any(getattr(part, "size", 1) == 0 for part in (key if isinstance(key, tuple) else (key,))):
                continue
            n += 1
            raises(IndexError, lambda: xp.asarray(array)[key].materialize())

            def put():
                x = xp.asarray(array)
                x[key] = 0
                x.materialize()
            raises(IndexError, put)


@test("an empty mask")
def empty_mask():
    x, mask = xp.ones((3, 2)), xp.zeros((0,), dtype="bool")
    equal(x[mask].shape, (0, 2))
    x[mask] = 5
    equal(x.tolist(), [[1.0, 1.0]] * 3)
    raises(IndexError, lambda: x[xp.zeros((2,), dtype="bool")])


@test("the last of several values for one place")
def duplicates():
    x = xp.zeros(4, dtype="int64")
    x[[1, 1, 2, 1]] = [5, 6, 7, 8]
    equal(x.tolist(), [0, 8, 7, 0])
    i = xp.asarray([2, 0, 2])
    x[i] = xp.asarray([1, 2, 3])
    equal(x.tolist(), [2, 8, 3, 0])


@test("masks stay lazy")
def lazy():
    x = xp.asarray([1.0, -2.0, 3.0], dtype="float32")
    y = x * 2
    y[y < 0] = 0
    equal(y.dtype, xp.float32)
    check("where" in str(y.plan()))
    equal(y.tolist(), [2.0, 0.0, 6.0])
    equal(x.tolist(), [1.0, -2.0, 3.0])
    y[x > 0] = [7, 8]
    equal(y.tolist(), [7.0, 0.0, 8.0])


@test("values of other dtypes")
def other_dtypes():
    x = xp.asarray([1, 2, 3], dtype="int8")
    x[[0]] = xp.asarray([4])
    x[x == 2] = xp.asarray(5, dtype="uint64")
    x[xp.asarray([False, False, True])] = xp.asarray([True])
    equal((x.dtype, x.tolist()), (xp.int8, [4, 5, 1]))
    for value in (1.5, 1j, xp.asarray([1.5]), 1000):
        for key in ([0], xp.asarray([True, False, True]), 0, slice(None)):
            raises(TypeError, lambda: x.__setitem__(key, value))
    z = xp.asarray([1j, 2])
    z[[1]] = 3
    z[0] = 4 - 1j
    equal(z.tolist(), [4 - 1j, 3 + 0j])


@test("values that do not fit")
def no_fit():
    x = xp.zeros((2, 3))
    m = xp.asarray([[True, False, True], [False, False, True]])
    raises(ValueError, lambda: x.__setitem__([0, 1], [1, 2]))
    raises(ValueError, lambda: x.__setitem__(m[:, 0], [[[1]], [[2]]]))
    raises(ValueError, lambda: x.__setitem__(m[:, 0], [1, 2]))
    raises(IndexError, lambda: x.__setitem__(m[0], 1))

    # How many are true is known when it is computed.
    def later():
        y = xp.zeros((2, 3))
        y[m] = [1, 2]
        y.materialize()
    raises(ValueError, later)


@test("operators with assignment")
def assignment():
    x = y = xp.asarray([1, 2])
    x += 1
    x *= xp.asarray([3, 4])
    equal((x.tolist(), y.tolist()), ([6, 12], [1, 2]))

    def divide():
        z = xp.asarray([1, 2])
        z /= 2
    raises(TypeError, divide)

    def grow():
        z = xp.asarray([1, 2])
        z += xp.ones((2, 2), dtype="int64")
    raises(ValueError, grow)
    x = xp.asarray([[1, 2], [3, 4]])
    x @= x
    equal(x.tolist(), [[7, 10], [15, 22]])
    x[0] += 1
    x[:, [0, 0]] -= 1
    equal(x.tolist(), [[7, 11], [14, 22]])


@test("setting")
def setting_by_hand():
    x = xp.arange(5)
    view, double = x[1:3], x * 2
    x[1] = 9
    equal(x.tolist(), [0, 9, 2, 3, 4])
    equal(view.tolist(), [1, 2])
    equal(double.tolist(), [0, 2, 4, 6, 8])
    x[::2] = [5, 6, 7]
    equal(x.tolist(), [5, 9, 6, 3, 7])
    x[1:] = x[:-1]
    equal(x.tolist(), [5, 5, 9, 6, 3])
    m = xp.zeros((2, 2), dtype=xp.float32)
    m[:, 0] = 1.5
    equal((m.tolist(), m.dtype), ([[1.5, 0.0], [1.5, 0.0]], xp.float32))

    def set_to(array, key, value):
        array[key] = value

    raises(TypeError, lambda: set_to(x, 0, 1.5))
    raises(IndexError, lambda: set_to(x, 5, 1))
    raises(ValueError, lambda: set_to(x, slice(None), [1, 2]))
    raises(TypeError, lambda: set_to(x, 0, "1"))
    equal(x.tolist(), [5, 5, 9, 6, 3])


run()
