# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Arrays against NumPy, and functions against array-api-strict, on what Hypothesis
# thinks of: the same examples in each run. CANDELA_TEST_EXAMPLES is how many there
# are for each test.

from drawing import FLOATS, INTEGERS, arrays, elements, same, tolerance, viewed

import operator
import pickle

import array_api_strict as strict
import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from testing import check, equal, run, test

import candela as xp

PAIR = hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=5)
EXACT = ["add", "sub", "mul", "truediv", "lt", "le", "gt", "ge", "eq", "ne"]
OF_INTEGERS = ["add", "sub", "mul", "floordiv", "mod", "and_", "or_", "xor", "lt", "le", "gt", "ge", "eq", "ne"]


@test("operators, as NumPy computes them")
@given(st.data())
def operators(data):
    shapes = data.draw(PAIR).input_shapes
    kind = data.draw(st.sampled_from(["float", "integer", "bool"]))
    dtypes = {"float": FLOATS, "integer": INTEGERS, "bool": ["bool"]}[kind]
    dtype = data.draw(st.sampled_from(dtypes))
    a, b = (viewed(data.draw, data.draw(arrays([dtype], shape))) for shape in shapes)
    name = data.draw(st.sampled_from({"float": EXACT, "integer": OF_INTEGERS, "bool": ["and_", "or_", "xor", "eq"]}[kind]))
    function = getattr(operator, name)
    if name in ("floordiv", "mod"):
        assume((b != 0).all() and (np.dtype(dtype).kind == "u" or (b != -1).all()))
    same(function(xp.asarray(a), xp.asarray(b)), function(a, b))
    # One side NumPy's.
    same(function(xp.asarray(a), b), function(a, b))


@test("operators with numbers")
@given(st.data())
def with_numbers(data):
    a = data.draw(arrays(FLOATS))
    number = data.draw(st.floats(-1e4, 1e4, width=32) | st.integers(-1000, 1000))
    name = data.draw(st.sampled_from(EXACT))
    function = getattr(operator, name)
    # NumPy before 2 would have looked at the number's value.
    beside = np.asarray(number, a.dtype)
    same(function(xp.asarray(a), number), np.asarray(function(a, beside)))
    same(function(number, xp.asarray(a)), np.asarray(function(beside, a)))


ONE = ["abs", "negative", "positive", "square", "sign", "floor", "ceil", "trunc", "round", "isnan", "isinf", "isfinite",
       "signbit", "sqrt", "exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan",
       "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "reciprocal"]
TWO = ["add", "subtract", "multiply", "divide", "maximum", "minimum", "atan2", "hypot", "logaddexp", "copysign",
       "nextafter", "less", "less_equal", "greater", "greater_equal", "equal", "not_equal"]


def exactly(name):
    return name in ONE[:14] + ["add", "subtract", "multiply", "divide", "maximum", "minimum", "copysign", "nextafter"]


@test("functions of one array, as array-api-strict has them")
@given(st.sampled_from(ONE), arrays(FLOATS))
def of_one(name, a):
    # Where a function is steep, what comes of an input's rounding is not looked at.
    if name in ("sin", "cos", "tan"):
        a = np.where(np.abs(a) < 1e4, a, 1)
    wanted = getattr(strict, name)(strict.asarray(a))
    same(getattr(xp, name)(xp.asarray(a)), np.asarray(wanted), 0.0 if exactly(name) else tolerance(a.dtype))


@test("functions of two arrays of any dtypes, as array-api-strict has them")
@given(st.data())
def of_two(data):
    name = data.draw(st.sampled_from(TWO))
    shapes = data.draw(PAIR).input_shapes
    a, b = (viewed(data.draw, data.draw(arrays(FLOATS + INTEGERS + ["bool"], shape))) for shape in shapes)
    try:
        wanted = np.asarray(getattr(strict, name)(strict.asarray(a), strict.asarray(b)))
    except TypeError:
        assume(False)
    near = 0.0 if exactly(name) or wanted.dtype.kind == "b" else tolerance(wanted.dtype)
    same(getattr(xp, name)(xp.asarray(a), xp.asarray(b)), wanted, near)


@st.composite
def reductions(draw, dtypes, names, min_side=0):
    shape = hnp.array_shapes(min_dims=0, max_dims=4, min_side=min_side, max_side=5)
    a = viewed(draw, draw(arrays(dtypes, shape, special=False)))
    name = draw(st.sampled_from(names))
    axes = list(range(a.ndim))
    axis = draw(st.none() | st.sampled_from([*axes, *(n - a.ndim for n in axes)] or [None]))
    if axis is not None and name not in ("argmax", "argmin") and draw(st.booleans()):
        axis = tuple(draw(st.permutations(axes))[:draw(st.integers(1, len(axes)))])
    return a, name, axis, draw(st.booleans())


@test("reductions: sums, means and their like")
@given(reductions(FLOATS + INTEGERS, ["sum", "prod", "mean", "var", "std"], min_side=1))
def sums(drawn):
    a, name, axis, keepdims = drawn
    if a.dtype.kind != "f" and name not in ("sum", "prod"):
        a = a.astype("float64")
    if name == "prod" and a.dtype.kind == "f":
        a = np.sign(a)
    wanted = getattr(strict, name)(strict.asarray(a), axis=axis, keepdims=keepdims)
    # What differs by rounding is small beside the largest that was added.
    scale = 1.0 if a.dtype.kind != "f" else max(1.0, float(np.abs(a).max()) ** (2 if name == "var" else 1)) * a.size
    found = getattr(xp, name)(xp.asarray(a), axis=axis, keepdims=keepdims)
    equal((found.shape, found.dtype.name), (wanted.shape, str(wanted.dtype).split(".")[-1]))
    if a.dtype.kind != "f":
        np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted))
    else:
        near = (1e-6 if a.dtype == "float32" else 1e-14) * scale
        near = near**0.5 if name == "std" else near
        np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), atol=near)


@test("reductions: extremes, and any and all")
@given(reductions(FLOATS + INTEGERS + ["bool"], ["max", "min", "argmax", "argmin", "any", "all"], min_side=1))
def extremes(drawn):
    a, name, axis, keepdims = drawn
    if a.dtype == "bool" and name not in ("any", "all"):
        a = a.astype("int8")
    found = getattr(xp, name)(xp.asarray(a), axis=axis, keepdims=keepdims)
    np.testing.assert_array_equal(np.asarray(found), getattr(np, name)(a, axis=axis, keepdims=keepdims))


@test("parts by a key")
@given(st.data())
def parts(data):
    a = viewed(data.draw, data.draw(arrays(["int32"])))
    key = data.draw(hnp.basic_indices(a.shape, allow_newaxis=True, allow_ellipsis=True, max_dims=6))
    same(xp.asarray(a)[key], a[key])
    same((xp.asarray(a) + 1)[key] * 2, (a[key] + np.int32(1)) * np.int32(2))


@test("setting parts by a key")
@given(st.data())
def setting(data):
    a = viewed(data.draw, data.draw(arrays(["int32", "float64"])))
    key = data.draw(hnp.basic_indices(a.shape, allow_newaxis=False, allow_ellipsis=True))
    wanted = a.copy()
    shape = wanted[key].shape
    drop = data.draw(st.integers(0, len(shape)))
    value = data.draw(hnp.arrays(a.dtype, tuple(n if data.draw(st.booleans()) else 1 for n in shape[drop:]),
                                 elements=elements(a.dtype)))
    x = xp.asarray(a)
    view = x[...] + 0
    before = np.asarray(view).copy()
    x[key] = xp.asarray(value)
    wanted[key] = value
    same(x, wanted)
    np.testing.assert_array_equal(np.asarray(view), before)


@test("parts by arrays of integers")
@given(st.data())
def chosen(data):
    a = data.draw(arrays(["int32"], hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=5)))
    axis = data.draw(st.integers(0, a.ndim - 1))
    n = a.shape[axis]
    index = data.draw(hnp.arrays("int64", hnp.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=4),
                                 elements=st.integers(-n, n - 1)))
    key = (slice(None),) * axis + (index,)
    same(xp.asarray(a)[(slice(None),) * axis + (xp.asarray(index),)], a[key])


@test("views of views, as array-api-strict has them")
@given(st.data())
def views(data):
    a = data.draw(arrays(["int64"], hnp.array_shapes(min_dims=1, max_dims=3, max_side=4)))
    x, y = xp.asarray(a), strict.asarray(a)
    for _ in range(data.draw(st.integers(1, 5))):
        kind = data.draw(st.sampled_from(["flip", "permute", "expand", "reshape", "roll", "slice", "add", "broadcast",
                                          "concat", "stack", "tile", "repeat"]))
        if y.size > 500 or y.ndim > 5:
            kind = "slice"
        axis = data.draw(st.integers(0, max(y.ndim - 1, 0)))
        if kind == "flip":
            x, y = xp.flip(x, axis=axis), strict.flip(y, axis=axis)
        elif kind == "permute":
            axes = tuple(data.draw(st.permutations(range(y.ndim))))
            x, y = xp.permute_dims(x, axes), strict.permute_dims(y, axes)
        elif kind == "expand":
            x, y = xp.expand_dims(x, axis=axis), strict.expand_dims(y, axis=axis)
        elif kind == "reshape":
            x, y = xp.reshape(x, (-1,)), strict.reshape(y, (-1,))
        elif kind == "roll":
            shift = data.draw(st.integers(-7, 7))
            x, y = xp.roll(x, shift, axis=axis), strict.roll(y, shift, axis=axis)
        elif kind == "slice":
            step = data.draw(st.sampled_from([1, 2, -1, -2]))
            key = (slice(None),) * axis + (slice(None, None, step), ...)
            x, y = x[key], y[key]
        elif kind == "add":
            x, y = x + x, y + y
        elif kind == "broadcast":
            x, y = xp.broadcast_to(x, (2, *x.shape)), strict.broadcast_to(y, (2, *y.shape))
        elif kind == "concat":
            x, y = xp.concat([x, x * 2], axis=axis), strict.concat([y, y * 2], axis=axis)
        elif kind == "stack":
            x, y = xp.stack([x, x * 2], axis=axis), strict.stack([y, y * 2], axis=axis)
        elif kind == "tile":
            x, y = xp.tile(x, (2,)), strict.tile(y, (2,))
        else:
            x, y = xp.repeat(x, 2, axis=axis), strict.repeat(y, 2, axis=axis)
    same(x, np.asarray(y))


@test("sorting and searching")
@given(st.data())
def sorting(data):
    a = viewed(data.draw, data.draw(arrays(FLOATS + INTEGERS, hnp.array_shapes(min_dims=1, max_dims=3, max_side=20))))
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    same(xp.sort(xp.asarray(a), axis=axis), np.sort(a, axis=axis), 1e-300)
    same(xp.argsort(xp.asarray(a), axis=axis), np.argsort(a, axis=axis, kind="stable"))
    keys = np.sort(a.ravel())
    assume(not np.isnan(keys).any() if a.dtype.kind == "f" else True)
    side = data.draw(st.sampled_from(["left", "right"]))
    same(xp.searchsorted(xp.asarray(keys), xp.asarray(a), side=side), np.searchsorted(keys, a, side=side))


@test("running sums and products")
@given(st.data())
def running(data):
    a = data.draw(arrays(INTEGERS, hnp.array_shapes(min_dims=1, max_dims=3, max_side=6)))
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    for name in ("cumulative_sum", "cumulative_prod"):
        same(getattr(xp, name)(xp.asarray(a), axis=axis), np.asarray(getattr(strict, name)(strict.asarray(a), axis=axis)))


@test("products of matrices of integers")
@given(st.data())
def products(data):
    shapes = data.draw(hnp.mutually_broadcastable_shapes(signature="(m,n),(n,p)->(m,p)", max_dims=2, max_side=4))
    a, b = (viewed(data.draw, data.draw(hnp.arrays("float64", shape, elements=st.integers(-50, 50)))) for shape in
            shapes.input_shapes)
    wanted = np.matmul(a, b)
    found = xp.asarray(a) @ xp.asarray(b)
    equal(found.shape, wanted.shape)
    np.testing.assert_array_equal(np.asarray(found), wanted)


@test("a graph as a whole, and op by op: the same bits")
@given(st.data())
def lazy(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, max_side=40))
    dtype = data.draw(st.sampled_from(FLOATS))
    seed = data.draw(st.integers(0, 1000))
    a = np.random.default_rng(seed).standard_normal(shape).astype(dtype)
    whole, single = [xp.asarray(a)], [xp.asarray(a)]
    for _ in range(data.draw(st.integers(2, 12))):
        name = data.draw(st.sampled_from(["add", "multiply", "subtract", "maximum", "tanh", "exp", "sum", "flip", "mean"]))
        i, j = (data.draw(st.integers(0, len(whole) - 1)) for _ in range(2))
        for values in (whole, single):
            if name in ("sum", "mean"):
                made = getattr(xp, name)(values[i], axis=-1, keepdims=True) * xp.ones(shape, dtype=dtype)
            elif name in ("tanh", "exp"):
                made = getattr(xp, name)(xp.tanh(values[i]))
            elif name == "flip":
                made = xp.flip(values[i], axis=0)
            else:
                made = getattr(xp, name)(values[i], values[j])
            values.append(made)
        single[-1].materialize()
    equal(np.asarray(whole[-1]).tobytes(), np.asarray(single[-1]).tobytes())


@test("there and back: NumPy, DLPack, pickle, files' lists")
@given(st.data())
def there_and_back(data):
    a = viewed(data.draw, data.draw(arrays(FLOATS + INTEGERS + ["bool"])))
    x = xp.asarray(a)
    same(x, a)
    same(xp.from_dlpack(x + 0 if a.dtype != "bool" else x), a + a.dtype.type(0))
    same(pickle.loads(pickle.dumps(x)), a)
    same(xp.asarray(x.tolist(), dtype=x.dtype) if a.size else x, a)
    check(a.size == 0 or np.shares_memory(np.asarray(x), a))


run()
