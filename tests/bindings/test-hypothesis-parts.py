# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Masks and arrays of integers as keys, got and set, and float16 and bfloat16, against
# NumPy on what Hypothesis thinks of.

from drawing import FLOATS, INTEGERS, arrays, elements, same, viewed

import operator

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from testing import equal, run, test

import candela as xp

SOME = hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=5)


@st.composite
def masked(draw):
    """An array and a mask of its first axes."""
    a = viewed(draw, draw(arrays(FLOATS + ["int16", "uint8", "bool"], hnp.array_shapes(min_dims=1, max_dims=4, min_side=0,
                                                                                     max_side=5))))
    n = draw(st.integers(1, a.ndim))
    return a, viewed(draw, draw(hnp.arrays("bool", a.shape[:n])))


@st.composite
def keyed(draw):
    """An array and a key of arrays of integers, integers, slices and new axes."""
    a = viewed(draw, draw(arrays(["int32", "float64"], SOME)))
    n = draw(st.integers(1, a.ndim))
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=n, max_dims=2, max_side=3)).input_shapes
    key = []
    for axis, shape in enumerate(shapes):
        length = a.shape[axis]
        index = st.integers(-length, length - 1)
        kind = draw(st.sampled_from(["array", "array", "slice", "integer"]))
        if draw(st.integers(0, 5)) == 0:
            key.append(None)
        if kind == "array":
            key.append(draw(hnp.arrays(draw(st.sampled_from(["int64", "int8", "uint16"])), shape, elements=st.integers(
                0, length - 1))))
        else:
            key.append(draw(index) if kind == "integer" else draw(st.slices(length)))
    if draw(st.booleans()):
        key.append(...)
    return a, tuple(key)


def as_ours(key):
    return tuple(xp.asarray(part) if isinstance(part, np.ndarray) else part for part in key)


@test("parts by a mask")
@given(masked())
def by_mask(drawn):
    a, mask = drawn
    same(xp.asarray(a)[xp.asarray(mask)], a[mask])
    same(xp.asarray(a)[mask], a[mask])
    same(xp.asarray(a)[~xp.asarray(mask), ...], a[~mask, ...])
    for found, wanted in zip(xp.nonzero(xp.asarray(mask)), mask.nonzero()):
        same(found, wanted)


@test("setting parts by a mask")
@given(masked(), st.data())
def set_by_mask(drawn, data):
    a, mask = drawn
    wanted, x = a.copy(), xp.asarray(a)
    if data.draw(st.booleans()):
        value = data.draw(elements(a.dtype))
        value = np.asarray(value, a.dtype)[()]
    else:
        value = data.draw(hnp.arrays(a.dtype, a[mask].shape, elements=elements(a.dtype)))
    wanted[mask] = value
    x[xp.asarray(mask)] = xp.asarray(value)
    same(x, wanted)


@test("parts by a key with arrays of integers")
@given(keyed())
def by_arrays(drawn):
    a, key = drawn
    same(xp.asarray(a)[as_ours(key)], a[key])
    same((xp.asarray(a) * 1)[key], a[key])


@test("setting parts by a key with arrays of integers")
@given(keyed(), st.data())
def set_by_arrays(drawn, data):
    a, key = drawn
    wanted, x = a.copy(), xp.asarray(a)
    # Each place once: of several values for one NumPy leaves open which stays.
    places = np.arange(a.size).reshape(a.shape)[key]
    assume(np.unique(places).size == places.size)
    shape = places.shape[data.draw(st.integers(0, places.ndim)):]
    value = data.draw(hnp.arrays(a.dtype, tuple(n if data.draw(st.booleans()) else 1 for n in shape),
                                 elements=elements(a.dtype)))
    wanted[key] = value
    x[as_ours(key)] = xp.asarray(value)
    same(x, wanted)


# ---- Halves ----

HALF = st.floats(width=16)


@test("float16: each operator rounds once, as NumPy's")
@given(st.data())
def float16(data):
    shapes = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=9)).input_shapes
    a, b = (viewed(data.draw, data.draw(hnp.arrays("float16", shape, elements=HALF))) for shape in shapes)
    name = data.draw(st.sampled_from(["add", "sub", "mul", "truediv", "lt", "ge", "eq"]))
    same(getattr(operator, name)(xp.asarray(a), xp.asarray(b)), getattr(operator, name)(a, b))
    same(xp.sqrt(xp.asarray(a)), np.sqrt(a))
    same(xp.maximum(xp.asarray(a), xp.asarray(b)), np.maximum(a, b))


@test("float16: from other dtypes, and back")
@given(arrays(FLOATS + INTEGERS + ["bool"]))
def to_float16(a):
    wanted = a.astype("float16")
    same(xp.astype(xp.asarray(a), xp.float16), wanted)
    same(xp.astype(xp.asarray(wanted), xp.float64), wanted.astype("float64"))


def to_bfloat16(a):
    """The upper 16 bits of float32, to nearest, ties to even; no NaN."""
    bits = a.view("uint32").astype("uint64")
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("uint16")


def from_bfloat16(bits):
    return (bits.astype("uint32") << 16).view("float32")


@test("bfloat16: each operator rounds once")
@given(st.data())
def bfloat16(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, max_side=9))
    values = st.floats(width=32, allow_nan=False)
    a, b = (np.asarray(data.draw(hnp.arrays("float32", shape, elements=values))) for _ in range(2))
    x, y = (xp.astype(xp.asarray(n), xp.bfloat16) for n in (a, b))
    for found, n in ((x, a), (y, b)):
        equal(found.tensor.get_bytes().get_data(), to_bfloat16(n).tobytes())
    a, b = from_bfloat16(to_bfloat16(a)), from_bfloat16(to_bfloat16(b))
    name = data.draw(st.sampled_from(["add", "sub", "mul", "truediv"]))
    wanted = getattr(operator, name)(a, b)
    assume(not np.isnan(wanted).any())
    found = getattr(operator, name)(x, y)
    equal((found.dtype, found.shape), (xp.bfloat16, shape))
    equal(found.tensor.get_bytes().get_data(), to_bfloat16(wanted).tobytes())
    same(xp.astype(found, xp.float32), from_bfloat16(to_bfloat16(wanted)))


@test("halves: parts, got and set")
@given(keyed())
def parts_of_halves(drawn):
    a, key = drawn
    a = np.clip(np.nan_to_num(a), -2000, 2000).astype("float16")
    for dtype in (xp.float16, xp.bfloat16):
        x = xp.astype(xp.asarray(a), dtype)
        wanted = np.array(xp.astype(x, xp.float32))
        same(xp.astype(x[key], xp.float32), wanted[key])
        x[key] = 3
        wanted[key] = 3
        same(xp.astype(x, xp.float32), wanted)


run()
