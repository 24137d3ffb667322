# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Arrays of Python to and from NumPy and through DLPack: without copies, with the
# layouts that these have, and held as long as anybody reads them.

import gc

from testing import check, equal, raises, run, skip_all, test, values

import candela as xp

try:
    import numpy
except ImportError:
    skip_all("there is no NumPy")


A = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
I = xp.asarray([7, -7, 3])


@test("NumPy: without a copy")
def numpy_without_copy():
    n = numpy.arange(1000000, dtype="float32")
    x = xp.asarray(n)
    back = numpy.asarray(x)
    check(numpy.shares_memory(n, back))
    check(not back.flags.writeable)
    computed = x * 2
    check(numpy.shares_memory(numpy.asarray(computed), numpy.asarray(computed)))
    numpy.testing.assert_array_equal(numpy.asarray(computed), n * 2)
    equal(numpy.asarray(x, dtype="float64").dtype, numpy.float64)
    check(not numpy.shares_memory(numpy.asarray(xp.asarray(n, copy=True)), n))
    equal(float(xp.asarray(numpy.float32(2.5)) * 2), 5.0)


@test("NumPy: layouts")
def numpy_layouts():
    n = numpy.arange(24).reshape(2, 3, 4)
    for view in (n, n.T, n[::-1], n[:, ::-2, 1:], n[0, 0, ::3], numpy.broadcast_to(n[0], (5, 3, 4)), n[:, :0],
                 numpy.array(7), n.astype(">i4"), n.astype("i2")[:, 1]):
        if view.dtype.byteorder == ">":
            raises(TypeError, lambda: xp.asarray(view))
            continue
        numpy.testing.assert_array_equal(numpy.asarray(xp.asarray(view)), view)
        numpy.testing.assert_array_equal(numpy.asarray(xp.asarray(view) + 0), view)
    record = numpy.zeros(3, dtype=[("a", "u1"), ("b", "<f4")])
    record["b"] = [1, 2, 3]
    numpy.testing.assert_array_equal(numpy.asarray(xp.asarray(record["b"])), record["b"])
    raises(TypeError, lambda: xp.asarray(record))
    raises(TypeError, lambda: xp.asarray(numpy.array(["a"])))
    raises(TypeError, lambda: xp.asarray(numpy.array([None])))


@test("NumPy: scalars, each with memory of its own, which nobody else holds")
def numpy_scalars():
    x = xp.asarray([1, 2], dtype=xp.float32)
    for dtype in ("float32", "float64", "float16", "int8", "int64", "bool", "complex64"):
        scalars = [numpy.dtype(dtype).type(i) for i in range(20)]
        held = [xp.asarray(numpy.dtype(dtype).type(i)) for i in range(20)]
        numpy.zeros(20).tolist()
        equal([value.item() for value in map(numpy.asarray, xp.materialize(*held))], [value.item() for value in scalars])
    several = xp.materialize(*[x * numpy.float32(i) for i in range(20)])
    equal([numpy.asarray(value).tolist() for value in several], [[i, 2 * i] for i in range(20)])


@test("NumPy: mixed expressions")
def numpy_mixed():
    n = numpy.asarray([1.0, 2.0])
    x = xp.asarray([3.0, 4.0])
    for mixed in (n + x, x + n, numpy.add(n, x), numpy.float64(1) * n + x):
        check(isinstance(mixed, xp.Array), type(mixed))
        values(mixed, [4.0, 6.0])
    values(numpy.sin(x) * 0, [0.0, 0.0])
    values(numpy.power(x, 2), [9.0, 16.0])
    values(n < x, [True, True])
    check(isinstance(numpy.cbrt(x), numpy.ndarray))
    equal(float(numpy.add.reduce(x)), 7.0)


@test("NumPy: freed and written underneath")
def numpy_underneath():
    x = xp.asarray(numpy.arange(100000.0))
    gc.collect()
    equal(float(xp.sum(x)), 4999950000.0)
    seen = numpy.asarray(xp.asarray(numpy.arange(100000.0)) * 1)
    gc.collect()
    equal(float(seen[-1]), 99999.0)
    y = xp.arange(5)
    seen = numpy.asarray(y)
    y[0] = 9
    del y
    gc.collect()
    equal(seen.tolist(), [0, 1, 2, 3, 4])


@test("DLPack: both ways")
def dlpack():
    for x in (A, A.T, I[::-1], xp.asarray(5), xp.zeros((0, 2)), xp.asarray([True]), xp.asarray([1 + 1j])):
        for y in (xp.from_dlpack(x), xp.from_dlpack(x, copy=True)):
            equal((y.tolist(), y.dtype), (x.tolist(), x.dtype))
    equal(A.__dlpack_device__(), (1, 0))
    if numpy is not None:
        n = numpy.arange(6.0).reshape(2, 3)[:, ::-1]
        check(numpy.shares_memory(numpy.asarray(xp.from_dlpack(n)), n))
        numpy.testing.assert_array_equal(numpy.from_dlpack(xp.asarray(n)), n)


class Given:
    """Gives what an array gives, and says nothing of where it comes from; before DLPack 1.0 if old."""

    def __init__(self, array, old=False):
        self.array, self.old = array, old

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        if self.old and options:
            raise TypeError("no such options")
        return self.array.__dlpack__(**options)


@test("DLPack: through capsules, of 1.0 and of before")
def dlpack_capsules():
    for old in (False, True):
        for dtype in ("bool", "int8", "uint64", "float16", "bfloat16", "float32", "complex128"):
            x = xp.asarray([1, 0, 1], dtype=dtype)[::-1]
            for copy in (None, False, True):
                y = xp.from_dlpack(Given(x, old), copy=copy)
                equal((y.tolist(), y.dtype), (x.tolist(), x.dtype))
                equal(y.tensor.get_data() == x.tensor.get_data(), not copy)
        equal(xp.from_dlpack(Given(A.T, old)).tolist(), A.T.tolist())
        equal(xp.from_dlpack(Given(xp.zeros((0, 2)), old)).shape, (0, 2))
    equal(xp.from_dlpack(A).tensor.get_data(), A.tensor.get_data())


def gone(objects):
    """Which of them are gone, asked again and again."""
    left = set(range(len(objects)))
    for i, each in enumerate(objects):
        each.weak_ref(left.discard, i)
    n = len(objects)
    return lambda: [i not in left for i in range(n)]


@test("DLPack: who holds the memory")
def dlpack_memory():
    x, y, z = xp.arange(1000) * 2, xp.arange(1000) * 3, xp.arange(1000) * 4
    told = gone([x.tensor, y.tensor, z.tensor])
    capsule, taken, seen = x.__dlpack__(), xp.from_dlpack(Given(y)), numpy.from_dlpack(z)
    del x, y, z
    gc.collect()
    equal(told(), [False] * 3)
    equal((int(xp.sum(taken)), int(seen.sum())), (1498500, 1998000))
    del capsule, taken, seen
    gc.collect()
    equal(told(), [True] * 3)


@test("DLPack: a capsule goes while an exception is on its way")
def dlpack_exception():
    x = xp.arange(10) * 2
    told = gone([x.tensor])
    for version in (None, (1, 0)):
        check("unsupported operand" in str(raises(TypeError, lambda: object() + x.__dlpack__(max_version=version))))
        raises(TypeError, lambda: len(x.__dlpack__(max_version=version)))
        raises(ZeroDivisionError, lambda: [x.__dlpack__(max_version=version), 1 / 0])

    def hold():
        taken = xp.from_dlpack(Given(numpy.arange(5.0)))
        return taken.tensor + None

    raises(TypeError, hold)
    raises(TypeError, lambda: object() + numpy.from_dlpack(x).data)
    del x
    gc.collect()
    equal(told(), [True])


@test("DLPack: what is wrong")
def dlpack_wrong():
    class Once:
        def __init__(self, capsule):
            self.capsule = capsule

        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **options):
            return self.capsule

    capsule = A.__dlpack__()
    once = Once(capsule)
    values(xp.from_dlpack(once), A.tolist())
    raises(BufferError, lambda: xp.from_dlpack(once))
    raises(BufferError, lambda: A.__dlpack__(dl_device=(2, 0)))
    raises(BufferError, lambda: A.__dlpack__(dl_device=(1, 1)))
    raises(ValueError, lambda: A.__dlpack__(stream=1))
    # As the standard has it.
    raises(AttributeError, lambda: xp.from_dlpack(5))
    raises(BufferError, lambda: xp.from_dlpack(Once(5)))
    raises(ValueError, lambda: xp.from_dlpack(A, device="gpu"))
    once.__dlpack_device__ = lambda: (2, 0)
    raises(BufferError, lambda: xp.from_dlpack(once))


run()
