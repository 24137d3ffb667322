# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Arrays as the chunks of a Dask array.

import environment

environment.enter()

import concurrent.futures
import multiprocessing

import dask
import dask.array as da
import numpy as np
from testing import check, equal, raises, run, test

import candela as xp

# Not every operator asks the other side first.
da.register_chunk_type(xp.Array)
dask.config.set(scheduler="threads", num_workers=4)
N = np.arange(24.0).reshape(4, 6)
D = da.from_array(xp.asarray(N), chunks=(2, 3), asarray=False)


def same(found, wanted):
    check(isinstance(found, xp.Array), type(found))
    np.testing.assert_allclose(np.asarray(found), wanted)


@test("chunks are arrays of Candela")
def chunks():
    equal((D.shape, D.dtype, D.numblocks), ((4, 6), N.dtype, (2, 2)))
    check(isinstance(D._meta, xp.Array), type(D._meta))
    check(isinstance(D.blocks[1, 0].compute(), xp.Array))


@test("element by element")
def elementwise():
    same((D + D * 2 - 1).compute(), N + N * 2 - 1)
    same((D > 5).compute(), N > 5)
    same(da.exp(-D).compute(), np.exp(-N))
    same((D + xp.asarray(N[0])).compute(), N + N[0])
    same(D.map_blocks(lambda x: xp.tanh(x) + 1).compute(), np.tanh(N) + 1)


@test("reductions")
def reductions():
    same(D.sum(axis=0).compute(), N.sum(axis=0))
    equal(float(D.sum().compute()), N.sum())
    same(D.max(axis=1).compute(), N.max(axis=1))
    same(D.mean(axis=0).compute(), N.mean(axis=0))
    same(D.sum(axis=1, keepdims=True).compute(), N.sum(axis=1, keepdims=True))


@test("parts, joins and rechunking")
def parts():
    same(D[1:3, ::2].compute(), N[1:3, ::2])
    same(D[2].compute(), N[2])
    same(D.T.compute(), N.T)
    same(D.rechunk((4, 2)).compute(), N)
    same(da.concatenate([D, D], axis=0).compute(), np.concatenate([N, N]))
    same(da.stack([D, D]).compute(), np.stack([N, N]))
    same(D.reshape(24).compute(), N.reshape(24))


@test("products")
def products():
    same((D @ D.T).compute(), N @ N.T)


@test("several at once, on threads")
def several():
    parts = [(D * k).sum(axis=0) for k in range(8)]
    for k, found in enumerate(dask.compute(*parts)):
        same(found, (N * k).sum(axis=0))


@test("in other processes")
def processes():
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("forkserver")) as pool:
        same((D + 1).compute(scheduler="processes", pool=pool), N + 1)


@test("what is wrong is Python's error")
def wrong():
    raises(ValueError, lambda: (D.map_blocks(lambda x: x + xp.zeros(5), dtype=float)).compute())


# Other processes import this file.
if __name__ == "__main__":
    run()
