# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Arrays in Python: operators, indexing, printing, computing, and errors that are
# Python's. Values are NumPy's, or by hand.

import array
import asyncio
import copy
import gc
import os
import pickle
import signal
import sys
import threading
import time

from testing import Candela, check, equal, raises, resident_bytes, run, test, values

import candela as xp

try:
    import numpy
except ImportError:
    numpy = None


A = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
I = xp.asarray([7, -7, 3])


@test("operators")
def operators():
    values(A + A, [[2.0, 4.0], [6.0, 8.0]], xp.float64)
    values(A - A.T, [[0.0, -1.0], [1.0, 0.0]])
    values(A * A / A, [[1.0, 2.0], [3.0, 4.0]])
    values(I // xp.asarray(2), [3, -4, 1], xp.int64)
    values(I % xp.asarray([2, 2, 2]), [1, 1, 1])
    values(-I, [-7, 7, -3])
    values(+I, [7, -7, 3])
    values(abs(I), [7, 7, 3])
    values(~I, [-8, 6, -4])
    values(I & 3, [3, 1, 3])
    values(I | 8, [15, -7, 11])
    values(I ^ I, [0, 0, 0])
    values(I << 1, [14, -14, 6])
    values(I >> 1, [3, -4, 1])
    x = y = xp.asarray([1, 2])
    x += 1
    values(x, [2, 3])
    values(y, [1, 2])


@test("operators with numbers")
def operators_with_numbers():
    f = xp.asarray([1, 2], dtype="float32")
    values(f + 1, [2.0, 3.0], xp.float32)
    values(1.5 - f, [0.5, -0.5], xp.float32)
    values(2**f, [2.0, 4.0], xp.float32)
    values(I * True, [7, -7, 3], xp.int64)
    values(I / 2, [3.5, -3.5, 1.5], xp.float64)
    raises(TypeError, lambda: I + "1")
    raises(TypeError, lambda: I + None)
    raises(OverflowError, lambda: I + (1 << 70))


@test("comparisons")
def comparisons():
    values(I > 0, [True, False, True], xp.bool)
    values(I == 7, [True, False, False])
    values(0 <= I, [True, False, True])
    values(I != I, [False, False, False])
    raises(TypeError, lambda: hash(I))
    check(7 in I)
    check(8 not in I)


@test("a matrix product")
def matrix_product():
    values(A @ A, [[7.0, 10.0], [15.0, 22.0]])
    error = raises(ValueError, lambda: A @ xp.asarray([1.0, 2.0, 3.0]))
    check("matmul" in str(error), error)


@test("sums of products")
def sums_of_products():
    values(xp.einsum("ij,jk->ik", A, A), [[7.0, 10.0], [15.0, 22.0]])
    values(xp.einsum("ii", A), 5.0)
    values(xp.einsum("ij->ji", [A]), [[1.0, 3.0], [2.0, 4.0]])
    values(xp.tensordot(A, A, axes=1), [[7.0, 10.0], [15.0, 22.0]])
    values(xp.tensordot(A, A), 30.0)
    values(xp.tensordot(A, A, axes=([0], [1])), [[7.0, 15.0], [10.0, 22.0]])
    values(xp.expr("einsum(a, a, subscripts='ij,kj->ik')", a=A), [[5.0, 11.0], [11.0, 25.0]])
    check("character 4" in str(raises(ValueError, lambda: xp.einsum("ij,jk->ik", A, xp.zeros((3, 2))))))
    raises(TypeError, lambda: xp.tensordot(A, A, axes=None))
    raises(IndexError, lambda: xp.tensordot(A, A, axes=3))
    z = xp.asarray([1 + 2j, 3 - 1j])
    values(z.sum(), 4 + 1j, xp.complex128)
    values(xp.mean(z), 2 + 0.5j)
    values(xp.prod(z), 5 + 5j)
    values(xp.vecdot(z, z), 15 + 0j)
    values(z @ z, 5 - 2j)
    raises(TypeError, lambda: xp.var(z))


@test("facts without computing")
def facts():
    x = xp.asarray([[1, 2, 3]], dtype=xp.int16) + 0
    equal((x.shape, x.ndim, x.size, x.dtype, x.nbytes), ((1, 3), 2, 3, xp.int16, 6))
    equal((x.T.shape, x.mT.shape), ((3, 1), (3, 1)))
    equal((x.device, x.to_device("cpu").shape), ("cpu", (1, 3)))
    raises(ValueError, lambda: x.to_device("gpu"))
    raises(ValueError, lambda: x[0].T)
    check(x.__array_namespace__() is xp)
    check(x.__array_namespace__(api_version="2024.12") is xp)
    raises(ValueError, lambda: x.__array_namespace__(api_version="1999"))


@test("indexing")
def indexing():
    m = xp.reshape(xp.arange(6), (2, 3))
    values(m[1], [3, 4, 5])
    values(m[-1, 0], 3)
    values(m[:, ::-2], [[2, 0], [5, 3]])
    values(m[..., None, 1], [[1], [4]])
    values(m[()], [[0, 1, 2], [3, 4, 5]])
    values(m[1:1], [])
    values(m[xp.asarray(1)], [3, 4, 5])


@test("indexing: what is wrong")
def indexing_wrong():
    m = xp.reshape(xp.arange(6), (2, 3))
    for key in (2, -3, (0, 0, 0), (Ellipsis, Ellipsis), "0", 1.0, slice(None, None, 0)):
        raises((IndexError, ValueError), lambda: m[key])
    raises(IndexError, lambda: m[2])
    raises(IndexError, lambda: m["0"])
    check("out of range" in str(raises(IndexError, lambda: m[2])))


@test("indexing by arrays")
def indexing_by_arrays():
    m = xp.reshape(xp.arange(6), (2, 3))
    values(m[[1, 0, -1]], [[3, 4, 5], [0, 1, 2], [3, 4, 5]])
    values(m[:, xp.asarray([2, 0])], [[2, 0], [5, 3]])
    values(m[[0, 1], [1, -1]], [1, 5])
    values(m[xp.asarray([[0], [1]]), [0, 2]], [[0, 2], [3, 5]])
    values(m[::-1, [1]], [[4], [1]])
    values(m[[]], [])
    raises(IndexError, lambda: m[[1.5]])
    raises(IndexError, lambda: m[[0, 2]].materialize())
    raises(IndexError, lambda: m[[0, 1], [0, 3]].materialize())
    raises(IndexError, lambda: m[[0, 1], 3])
    raises(IndexError, lambda: m[[0, 1], [0, 1, 2]])
    raises(IndexError, lambda: m[[0], [0], [0]])
    if numpy is not None:
        n = numpy.arange(60).reshape(3, 4, 5)
        x = xp.asarray(n)
        for key in (([0, 2],), (slice(None), [1, 3]), ([0, 1], slice(None), [4, 0]), (Ellipsis, [[0], [1]]),
                    (slice(None), [[0, 1]], [[2], [3]]), (None, [2], slice(1, None)), (numpy.array([1, -1]), 2)):
            numpy.testing.assert_array_equal(numpy.asarray(x[key]), n[key])


@test("indexing by masks")
def indexing_by_masks():
    # An axis of no length is for axes of any.
    equal(xp.asarray([1, 2])[xp.asarray([], dtype="bool")].shape, (0,))
    equal(A[xp.zeros((2, 0), dtype="bool")].shape, (0,))
    raises(IndexError, lambda: A[xp.zeros((3, 0), dtype="bool")])
    m = xp.reshape(xp.arange(6), (2, 3))
    values(m[m % 2 == 0], [0, 2, 4], xp.int64)
    values(m[xp.asarray([False, True])], [[3, 4, 5]])
    values(m.T[m.T > 2], [3, 4, 5])
    values(m[m > 9], [])
    values(m[True], [[[0, 1, 2], [3, 4, 5]]])
    equal(m[False].shape, (0, 2, 3))
    equal(m[xp.asarray(True)].shape, (1, 2, 3))
    values(m[1, [True, False, True]], [3, 5])
    values(m[[True, False], :2], [[0, 1]])
    values(xp.asarray(7)[True], [7])
    raises(IndexError, lambda: m[xp.asarray([True])])
    raises(IndexError, lambda: m[[True, False, True]])
    raises(IndexError, lambda: m[xp.ones((2, 3, 1), dtype=xp.bool)])
    raises(IndexError, lambda: m[m > 0, 0])
    raises(ValueError, lambda: m[(m > 0) & (xp.ones((3, 3)) > 0)])
    if numpy is not None:
        n = numpy.arange(120).reshape(4, 5, 6)
        x = xp.asarray(n)
        for key in (n % 3 == 0, n[:, :, 0] % 4 == 0, numpy.array([True, False, True, True]), numpy.True_,
                    (slice(None), n[0, :, 0] % 2 == 0), (Ellipsis, n[0, 0] % 2 == 0), (1, n[0] % 7 == 1),
                    (None, n[:, :, 0] % 4 == 0, slice(None, None, -1)), (slice(1, 3), True, n[0] % 2 == 0),
                    (n[:, 0, 0] > 0, [1, 2, 0]), (numpy.array([True, False, False, True]), slice(None), [0, 5]),
                    (Ellipsis, False), (Ellipsis, True)):
            numpy.testing.assert_array_equal(numpy.asarray(x[key]), n[key])
        raises(IndexError, lambda: x[n[:, :, 0] > 60, Ellipsis, False])


@test("shapes that depend on data")
def data_shapes():
    x = xp.asarray([[0.0, 1.5], [float("nan"), -0.0]]) * 1
    rows, columns = found = xp.nonzero(x)
    check(type(found) is tuple)
    values(rows, [0, 1], xp.int64)
    values(columns, [1, 0], xp.int64)
    check(x._tensor is not None, "x has been computed and has not kept its value")
    values(xp.nonzero(xp.asarray([0, 3, 0, 5]) > 1)[0] + 1, [2, 4])
    equal([index.shape for index in xp.nonzero(xp.zeros((2, 0, 3)))], [(0,)] * 3)
    values(xp.boolean_mask(x, x > 1), [1.5])
    raises(ValueError, lambda: xp.nonzero(xp.asarray(1)))
    raises(IndexError, lambda: xp.nonzero(xp.take(x, xp.asarray([2]), axis=0)))
    capabilities = xp.__array_namespace_info__().capabilities()
    check(capabilities["boolean indexing"] and capabilities["data-dependent shapes"])


@test("sets")
def sets():
    x = xp.asarray([[3, 1, 3], [2, 1, 1]])
    found = xp.unique_all(x)
    equal(found._fields, ("values", "indices", "inverse_indices", "counts"))
    values(found.values, [1, 2, 3], xp.int64)
    values(found.indices, [1, 3, 0], xp.int64)
    values(found.inverse_indices, [[2, 0, 2], [1, 0, 0]], xp.int64)
    values(found.counts, [3, 1, 2], xp.int64)
    values(xp.unique_counts(x).counts, [3, 1, 2])
    values(found.values[xp.unique_inverse(x).inverse_indices], x.tolist())
    values(xp.unique_values(xp.asarray([1.5, -0.0, 0.0, 1.5], dtype=xp.float32)), [0.0, 1.5], xp.float32)
    equal(xp.unique_values(xp.asarray([float("nan")] * 3)).shape, (3,))
    values(xp.isin(x, xp.asarray([1, 9])), [[False, True, False], [False, True, True]], xp.bool)
    values(xp.isin(x, 3, invert=True), [[False, True, False], [True, True, True]])
    values(xp.count_nonzero(x - 1, axis=0), [2, 0, 1], xp.int64)
    values(xp.count_nonzero(x), 6)


@test("iteration and length")
def iteration():
    equal(len(A), 2)
    equal([row.tolist() for row in A], [[1.0, 2.0], [3.0, 4.0]])
    equal(list(map(int, I)), [7, -7, 3])
    raises(TypeError, lambda: len(xp.asarray(1)))
    raises(TypeError, lambda: list(xp.asarray(1)))


@test("printing")
def printing():
    equal(str(A), "[[1. 2.]\n [3. 4.]]")
    equal(repr(A), "Array([[1., 2.],\n       [3., 4.]])")
    equal(repr(xp.asarray([1], dtype=xp.int8)), "Array([1], dtype=int8)")
    equal(repr(xp.asarray(2.5)), "Array(2.5)")
    equal(repr(xp.zeros((0, 3))), "Array([], shape=(0, 3), dtype=float64)")
    equal(str(xp.float32), "float32")
    equal(repr(xp.float32), "candela.float32")
    if numpy is not None:
        for made in (numpy.arange(50), numpy.arange(3000).reshape(3, 1000), numpy.linspace(0, 1, 40),
                     numpy.arange(24.0).reshape(2, 3, 4), numpy.array([1e-9, 1e9, numpy.nan, -numpy.inf]),
                     numpy.array(True), numpy.linspace(0, 1, 6, dtype="f4"), numpy.linspace(0, 1, 7, dtype="f4"),
                     numpy.full((2, 3), 1e30 - 1j, dtype="c8"), numpy.arange(2000, dtype="i2").reshape(2, -1)):
            equal(str(xp.asarray(made)), str(made))
            equal(repr(xp.asarray(made)), repr(made).replace("array(", "Array(").replace("\n ", "\n "))


@test("numbers of an element")
def numbers():
    equal((float(A[1, 0]), int(I[1]), bool(I[0] > 0)), (3.0, -7, True))
    equal(complex(A[0, 0]), 1 + 0j)
    equal([10, 20, 30][xp.asarray(1)], 20)
    equal(int(xp.asarray(2**63 + 5, dtype=xp.uint64)), 2**63 + 5)
    equal(xp.asarray(-1).item(), -1)
    equal(int(xp.asarray(-2.9)), -2)


@test("numbers of an element: what is wrong")
def numbers_wrong():
    raises(TypeError, lambda: float(A))
    raises(TypeError, lambda: bool(I))
    raises(TypeError, lambda: [0][xp.asarray(0.0)])
    raises(TypeError, lambda: int(xp.zeros((1,))))


@test("from nested sequences")
def from_sequences():
    values(xp.asarray([True, False]), [True, False], xp.bool)
    values(xp.asarray([1, True]), [1, 1], xp.int64)
    values(xp.asarray([1, 2.5]), [1.0, 2.5], xp.float64)
    values(xp.asarray([[[1]], [[2]]]), [[[1]], [[2]]])
    values(xp.asarray([]), [], xp.float64)
    values(xp.asarray([[], []]), [[], []])
    values(xp.asarray((1, 2), dtype="uint8"), [1, 2], xp.uint8)
    values(xp.asarray([1 + 2j]), [1 + 2j], xp.complex128)
    values(xp.asarray([2**63]), [2**63], xp.uint64)
    values(xp.asarray(5), 5)


@test("from nested sequences: what is wrong")
def from_sequences_wrong():
    raises(ValueError, lambda: xp.asarray([[1, 2], [3]]))
    raises(ValueError, lambda: xp.asarray([[1], 2]))
    raises(ValueError, lambda: xp.asarray([1, [2]]))
    raises(TypeError, lambda: xp.asarray(["a"]))
    raises(TypeError, lambda: xp.asarray(None))
    raises(TypeError, lambda: xp.asarray([1], dtype="text"))
    raises(OverflowError, lambda: xp.asarray([300], dtype=xp.uint8))
    raises(ValueError, lambda: xp.asarray([1], copy=False))
    nested = []
    for _ in range(100):
        nested = [nested]
    raises(ValueError, lambda: xp.asarray(nested))


@test("from a buffer")
def from_buffer():
    values(xp.asarray(array.array("f", [1, 2])), [1.0, 2.0], xp.float32)
    values(xp.asarray(array.array("q", [1, 2])), [1, 2], xp.int64)
    values(xp.asarray(b"\x01\x02"), [1, 2], xp.uint8)
    values(xp.asarray(memoryview(b"abcd").cast("B", (2, 2))), [[97, 98], [99, 100]], xp.uint8)


@test("dtypes")
def dtypes():
    equal(xp.float32.name, "float32")
    equal(xp.float32.itemsize, 4)
    equal(xp.asarray([1], dtype=float).dtype, xp.float64)
    equal(pickle.loads(pickle.dumps(xp.int8)), xp.int8)
    equal({xp.int8: 1}[xp.asarray([1], dtype="int8").dtype], 1)
    for half in (xp.float16, xp.bfloat16):
        x = xp.asarray([1.5, -2], dtype=half)
        equal((x.dtype, (x + x).tolist(), float(x[0]), x.nbytes), (half, [3.0, -4.0], 1.5, 4))
        equal(repr(x), "Array([ 1.5, -2. ], dtype=%s)" % half.name)
        equal(xp.from_dlpack(x).tolist(), [1.5, -2.0])
        equal(pickle.loads(pickle.dumps(x)).tolist(), [1.5, -2.0])
        equal((x + 0.5).dtype, half)
        equal(xp.finfo(half).bits, 16)
        check(half not in xp.__array_namespace_info__().dtypes().values())
    equal((xp.finfo(xp.float16).max, xp.finfo(xp.bfloat16).smallest_normal), (65504.0, 2.0**-126))
    if numpy is not None:
        equal(xp.asarray([1], dtype=numpy.float32).dtype, xp.float32)
        equal(xp.asarray([1], dtype=numpy.dtype("u2")).dtype, xp.uint16)
        n = numpy.asarray([0.1, 30000, 1e-7], dtype=numpy.float16)
        equal(numpy.asarray(xp.asarray(n)).tobytes(), n.tobytes())
        equal(numpy.asarray(xp.asarray(n) * 2).tobytes(), (n * numpy.float16(2)).tobytes())
        try:
            import ml_dtypes
        except ImportError:
            raises(TypeError, lambda: numpy.asarray(xp.asarray([1], dtype=xp.bfloat16)))
        else:
            n = numpy.asarray([0.1, 1e38], dtype=ml_dtypes.bfloat16)
            equal(xp.asarray(n).dtype, xp.bfloat16)
            equal(numpy.asarray(xp.asarray(n)).tobytes(), n.tobytes())


@test("functions of ops")
def functions():
    values(xp.sum(A), 10.0)
    values(xp.where(I > 0, I, 0), [7, 0, 3])
    values(xp.clip(I, -1, 5), [5, -1, 3])
    values(xp.clip(I, max=5), [5, -7, 3])
    values(xp.relu(I), [7, 0, 3])
    values(xp.expr("x * 2 + y", x=I, y=1), [15, -13, 7])


@test("functions: parameters")
def parameters():
    values(xp.sum(A, axis=0), [4.0, 6.0])
    values(xp.sum(A, axis=(0, 1), keepdims=True), [[10.0]])
    values(xp.sum(A, axis=[0, 1]), 10.0)
    values(xp.sum(A, axis=-1, dtype=xp.float32), [3.0, 7.0], xp.float32)
    values(xp.var(A, correction=1.0, axis=1), [0.5, 0.5])
    values(xp.permute_dims(A, (1, 0)), [[1.0, 3.0], [2.0, 4.0]])
    values(xp.full((2,), float("inf")), [float("inf")] * 2)
    for number in (0.0, -0.0, 5e-324, -1e-310):
        equal(str(xp.full((1,), number).tolist()), str([number]))
    values(xp.linspace(0, 5e-324, 2), [0.0, 5e-324])


@test("functions: several results")
def several_results():
    q, r = xp.divmod(I, 2)
    values(q, [3, -4, 1])
    values(r, [1, 1, 1])


@test("functions: what is wrong")
def functions_wrong():
    raises(AttributeError, lambda: xp.no_such_op)
    raises(TypeError, lambda: xp.sum())
    raises(TypeError, lambda: xp.sum(A, axes=0))
    raises(TypeError, lambda: xp.sum("A"))
    raises(ValueError, lambda: xp.sum(A, axis="0"))
    raises(IndexError, lambda: xp.sum(A, axis=2))
    raises(TypeError, lambda: xp.bitwise_and(A, A))
    error = raises(ValueError, lambda: A + xp.asarray([1, 2, 3]))
    check("add: x1 has shape [2, 2] and x2 has shape [3]" in str(error), error)
    check(isinstance(error, xp.CandelaError))


@test("several at once")
def several_at_once():
    shared = A * 2
    x, y = shared + 1, shared - 1
    xp.materialize(x, y)
    values(x, [[3.0, 5.0], [7.0, 9.0]])
    values(y, [[1.0, 3.0], [5.0, 7.0]])
    equal((A + 1).materialize().tolist(), [[2.0, 3.0], [4.0, 5.0]])


def long_work():
    x = xp.expr("sum(tanh(sin(broadcast_to(x, [200000, 1000]))), axis=1)", x=xp.arange(1000) * 1.0)
    return x


@test("progress and cancelling")
def progress():
    told = []
    x = xp.exp(xp.zeros((1000, 1000))) + 1
    x.materialize(progress=lambda done, total: told.append((done, total)))
    check(told and told[-1][0] == told[-1][1], told[-3:])

    def stop(done, total):
        raise KeyError("enough")

    x = long_work()
    raises(KeyError, lambda: x.materialize(progress=stop))
    from gi.repository import Gio

    cancellable = Gio.Cancellable()
    cancellable.cancel()
    raises(Exception, lambda: long_work().materialize(cancellable))


@test("decompositions of matrices")
def decompositions():
    a = xp.asarray([[[2.0, 0.0], [0.0, 3.0]], [[5.0, 0.0], [0.0, 4.0]]])
    linalg = xp.linalg
    q, r = linalg.qr(a)
    values(xp.round(linalg.qr(a).Q @ linalg.qr(a).R), [[[2.0, 0.0], [0.0, 3.0]], [[5.0, 0.0], [0.0, 4.0]]])
    equal((q.shape, r.shape), ((2, 2, 2), (2, 2, 2)))
    values(xp.round(linalg.eigh(a).eigenvalues), [[2.0, 3.0], [4.0, 5.0]])
    equal(linalg.eigh(a)._fields, ("eigenvalues", "eigenvectors"))
    values(xp.round(linalg.svd(a, full_matrices=False).S), [[3.0, 2.0], [5.0, 4.0]])
    equal([part.shape for part in linalg.svd(xp.zeros((3, 2)))], [(3, 3), (2,), (2, 2)])
    sign, logabsdet = linalg.slogdet(-a[:, :1, :1])
    values(sign, [-1.0, -1.0])
    values(xp.round(xp.exp(logabsdet)), [2.0, 5.0])
    values(xp.round(linalg.solve(a, xp.asarray([10.0, 12.0]))), [[5.0, 4.0], [2.0, 3.0]])
    values(linalg.matrix_rank(a), [2, 2])
    values(linalg.matrix_rank(a, rtol=0.7), [1, 2])
    values(xp.round(linalg.pinv(a, rtol=xp.asarray([0.7, 0.0]))[:, 0, 0] * 10), [0.0, 2.0])
    values(linalg.matrix_norm(a, ord=float("inf")), [3.0, 5.0])
    values(linalg.matrix_norm(a, ord=-1, keepdims=True), [[[2.0]], [[4.0]]])
    values(linalg.vector_norm(xp.asarray([3.0, 4.0])), 5.0)
    values(linalg.trace(a, offset=1), [0.0, 0.0])
    values(linalg.cross(xp.asarray([1, 0, 0]), xp.asarray([0, 1, 0])), [0, 0, 1])
    check(linalg.matmul is xp.matmul and "inv" in dir(linalg))
    raises(AttributeError, lambda: linalg.no_such_function)


@test("matrices that have none")
def no_decompositions():
    a = xp.asarray([[[1.0, 2.0], [2.0, 4.0]]])
    error = raises(xp.linalg.LinAlgError, lambda: xp.linalg.inv(a).materialize())
    equal(error.message, "inv: matrix [0] of x is singular")
    check(isinstance(error, ValueError) and isinstance(error, xp.CandelaError))
    raises(xp.linalg.LinAlgError, lambda: xp.linalg.cholesky(-a).materialize())
    raises(ValueError, lambda: xp.linalg.inv(a[0, 0]))
    raises(ValueError, lambda: xp.linalg.matrix_norm(a, ord=3))
    raises(TypeError, lambda: xp.linalg.det(xp.asarray([[1]])))


@test("computing beside an event loop")
def event_loop():
    async def main():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0.001)

        ticker = asyncio.create_task(tick())
        x = await xp.exp(xp.zeros((2000, 1000))).materialize_async()
        ticker.cancel()
        equal(float(x[0, 0]), 1.0)
        task = asyncio.create_task(long_work().materialize_async())
        await asyncio.sleep(0.01)
        task.cancel()
        try:
            await task
            raise AssertionError("it was not cancelled")
        except asyncio.CancelledError:
            pass
        return ticks

    check(asyncio.run(main()) >= 1)


@test("an interrupt")
def interrupt():
    # What runs in the background of a shell may have been started to ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    large = xp.expr("tanh(sin(broadcast_to(x, [10000, 20000])))", x=xp.arange(20000) * 1.0)
    for work in (long_work(), large, large):
        timer = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        raises(KeyboardInterrupt, work.materialize)
        timer.join()
    equal(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    # A handler that raises nothing does not stop it.
    told = []
    signal.signal(signal.SIGINT, lambda *args: told.append(args))
    try:
        timer = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        equal(long_work().materialize().shape, (200000,))
        timer.join()
        equal(len(told), 1)
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@test("plans")
def plans():
    plan = (A * 2 + 1).plan()
    check("multiply" in str(plan), str(plan))
    picture = (A * 2)._repr_svg_()
    check(picture is None or "<svg" in picture)


@test("pickling and copying")
def pickling():
    for x in (A, I, A.T, xp.asarray(True), xp.zeros((0, 2)), xp.asarray([1 + 2j])):
        y = pickle.loads(pickle.dumps(x))
        equal((y.tolist(), y.dtype, y.shape), (x.tolist(), x.dtype, x.shape))
    y = copy.deepcopy(A)
    y[0, 0] = 9
    values(A, [[1.0, 2.0], [3.0, 4.0]])


@test("threads")
def threads():
    problems = []

    def work(seed):
        try:
            for i in range(30):
                x = xp.arange(1000) * seed + i
                equal(int(xp.sum(x * 2)), 2 * (seed * 499500 + 1000 * i))
        except BaseException as error:
            problems.append(error)

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        check(not worker.is_alive(), "a thread does not end")
    equal(problems, [])


@test("nothing is left")
def nothing_is_left():
    def make(n):
        for i in range(n):
            x = xp.asarray([1.0, 2.0, 3.0]) if i % 10 == 0 else A
            y = xp.sum(x * 2.0 + i)
            if i % 10 == 0:
                float(y)
            if i % 50 == 0 and numpy is not None:
                numpy.asarray(xp.asarray(numpy.ones(100)) + 1)

    make(3000)
    gc.collect()
    before = resident_bytes()
    make(30000)
    gc.collect()
    grown = resident_bytes() - before
    check(grown < 4 << 20, "%d bytes more" % grown)


run("arrays.list")
