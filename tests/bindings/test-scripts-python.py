# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Ops written in Python. test-scripts-gjs.js has the same tests.

import asyncio
import gc
import weakref

from testing import Candela, GLib, check, equal, raises, run, skip_all, test

try:
    import numpy as np
except ImportError:
    skip_all("there is no NumPy")

import candela as xp


@xp.op(inplace=[0])
def script_softsign(x):
    """x / (1 + |x|).

    More of it."""
    return x / (1 + np.abs(x))


@test("a function of elements")
def _():
    x = np.linspace(-3, 3, 1001)
    equal(np.asarray(script_softsign(xp.asarray(x))).tolist(), (x / (1 + np.abs(x))).tolist())
    equal(str(xp.script_softsign(xp.asarray(3.0))), "0.75")
    equal(np.asarray(xp.asarray([1.0, -3.0]).script_softsign()).tolist(), [0.5, -0.75])
    check(script_softsign.__doc__.startswith("x / (1 + |x|)."))
    check("script_softsign" in dir(xp))


@test("several inputs broadcast")
def _():
    @xp.op
    def script_hypot(x, y):
        return np.hypot(x, y)

    a, b = np.arange(3.0)[:, None], np.arange(4.0)
    equal(np.asarray(script_hypot(xp.asarray(a), xp.asarray(b))).tolist(), np.hypot(a, b).tolist())
    equal(np.asarray(script_hypot(xp.asarray([3.0]), 4)).tolist(), [5.0])
    raises(ValueError, lambda: script_hypot(xp.asarray([1.0, 2.0]), xp.asarray([1.0, 2.0, 3.0])))

    @xp.op(infer=lambda *arrays: arrays[0])
    def script_sum_of(*arrays):
        return sum(arrays)

    equal(np.asarray(script_sum_of(*(xp.asarray([1, 2]) for _ in range(5)))).tolist(), [5, 10])


@test("parameters")
def _():
    @xp.op
    def script_affine(x, *, scale=2.0, shift: int = 1, name="a", flag=False, axes=(0, 1), absent: float = None):
        check(type(scale) is float and type(shift) is int and type(flag) is bool and list(axes) == [0, 1])
        check(absent is None)
        return x * scale + shift + len(name) + flag

    x = xp.asarray([1.0, 2.0])
    equal(np.asarray(script_affine(x)).tolist(), [4.0, 6.0])
    equal(np.asarray(script_affine(x, scale=3, shift=0, name="", flag=True)).tolist(), [4.0, 7.0])
    equal(np.asarray(xp.expr("script_affine(x, shift=5)", x=x)).tolist(), [8.0, 10.0])
    raises(ValueError, lambda: script_affine(x, scale="two"))
    raises(TypeError, lambda: script_affine(x, colour=1))


@test("another shape")
def _():
    @xp.op(infer=lambda x, *, keep: (x.dtype, x.shape[:-1] + ((1,) if keep else ())))
    def script_last_sum(x, out, *, keep=False):
        np.sum(x, axis=-1, keepdims=keep, out=out)

    x = np.arange(6.0).reshape(2, 3)
    equal(np.asarray(script_last_sum(xp.asarray(x))).tolist(), [3.0, 12.0])
    equal(script_last_sum(xp.asarray(x), keep=True).shape, (2, 1))
    equal(script_last_sum(xp.asarray(x)).shape, (2,))


@test("several outputs")
def _():
    @xp.op(outputs=["quotient", "remainder"], infer=lambda a, b: [a, a])
    def script_divmod(a, b):
        return [a // b, a % b]

    quotient, remainder = script_divmod(xp.asarray([7, 8, 9]), xp.asarray([2, 3, 4]))
    equal(np.asarray(quotient).tolist(), [3, 2, 2])
    equal(np.asarray(remainder).tolist(), [1, 2, 1])
    equal(np.asarray(script_divmod(xp.asarray([7]), xp.asarray([2])).remainder).tolist(), [1])


@test("strided inputs")
def _():
    seen = []

    @xp.op
    def script_seen(x):
        seen.append((x.shape, x.flags.writeable))
        return x

    x = np.arange(12.0).reshape(3, 4)
    for view in (lambda a: a.T, lambda a: a[::-1, ::2], lambda a: a[:0], lambda a: a[1, 2], lambda a: a[:, None]):
        equal(np.asarray(script_seen(view(xp.asarray(x)))).tolist(), view(x).tolist())
    check(not any(writeable for _, writeable in seen))


@test("in expressions, by name and operator")
def _():
    @xp.op(operators="attribute:.twice")
    def script_twice(x):
        return 2 * x

    equal(np.asarray(xp.expr("x.twice + script_twice(1.0)", x=xp.asarray([1, 2]))).tolist(), [4.0, 6.0])


@test("what it declares, formula and example too")
def _():
    @xp.op(formula="yᵢ = 3 xᵢ", example="script_thrice([1.0, 2.0])")
    def script_thrice(x):
        """Three times x."""
        return 3 * x

    facts = Candela.Registry.get_default().lookup_op("script_thrice").describe().unpack()
    equal((facts["summary"], facts["formula"]), ("Three times x", "yᵢ = 3 xᵢ"))
    equal(np.asarray(xp.expr(facts["example"])).tolist(), [3.0, 6.0])


@test("in place, as the plan says")
def _():
    plan = str(script_softsign(xp.asarray([1.0, 2.0]) * 2).plan())
    check("in place over %2" in plan, plan)

    @xp.op(inplace={1: "read-first"})
    def script_backwards(x, y):
        return x + y[::-1]

    x = xp.asarray([1.0, 2.0])
    plan = str(script_backwards(x, x * 2).plan())
    check("in place over %2" in plan, plan)
    equal(np.asarray(script_backwards(x, x * 2)).tolist(), [5.0, 4.0])
    facts = Candela.Registry.get_default().lookup_op("script_backwards").describe().unpack()
    equal(facts["in-place"], ["out over y: read-first"])

    @xp.op(outputs=["a", "b"], infer=lambda x, y: [x, x], inplace={(1, 0): "within-row"})
    def script_two(x, y):
        return [x, y]

    facts = Candela.Registry.get_default().lookup_op("script_two").describe().unpack()
    equal(facts["in-place"], ["b over x: within-row"])
    error = raises(xp.CandelaError, lambda: xp.op(lambda x: x, name="script_a", inplace={0: "at once"}))
    check("same-index, within-row, read-first" in error.message, error.message)
    error = raises(xp.CandelaError, lambda: xp.op(lambda x: x, name="script_a", inplace={(1, 0): "same-index"}))
    check("output 1" in error.message, error.message)


@test("views of the first input")
def _():
    calls = []

    @xp.op(aliasing="reference")
    def script_every(x, *, step=2):
        calls.append(x.shape)
        return x[..., ::step]

    x = np.arange(24.0).reshape(2, 3, 4)
    node = script_every(xp.asarray(x))
    equal(np.asarray(node).tolist(), x[..., ::2].tolist())
    for view in (lambda a: a[0].T, lambda a: a[::-1, ::2, 1:], lambda a: a[:0], lambda a: a[1, 2], lambda a: a[:, None]):
        for step in (2, -1, -3):
            a = xp.asarray(x)
            equal(np.asarray(script_every(view(a + 0.0), step=step) + 1).tolist(), (view(x)[..., ::step] + 1).tolist())
            equal(np.asarray(script_every(view(a), step=step)).tolist(), view(x)[..., ::step].tolist())
    # A broadcast input, and no copy anywhere.
    wide = xp.broadcast_to(xp.asarray(np.arange(4.0)), (1 << 20, 4))
    equal(float(script_every(wide)[1 << 19, 1]), 2.0)
    plan = str(script_every(xp.asarray(x) * 2).plan())
    check("script_every" in plan and "reference" in plan, plan)
    n = len(calls)
    script_every(xp.asarray(x)).materialize()
    equal(len(calls), n + 1)

    @xp.op(aliasing="reference", outputs=["first", "rest"])
    def script_split(x):
        return [x[0], x[1:]]

    first, rest = script_split(xp.asarray(x) * 1)
    equal((np.asarray(first).tolist(), np.asarray(rest).tolist()), (x[0].tolist(), x[1:].tolist()))

    @xp.op(aliasing="reference")
    def script_no_view(x):
        return x + 1

    @xp.op(aliasing="reference")
    def script_beyond(x):
        return np.lib.stride_tricks.as_strided(x, (x.shape[0] + 1,), x.strides)

    error = raises(RuntimeError, lambda: script_no_view(xp.asarray(x)))
    check("no view of its first input" in error.message, error.message)
    error = raises(RuntimeError, lambda: script_beyond(xp.asarray([1.0, 2.0])))
    check("outside its input" in error.message, error.message)
    raises(TypeError, lambda: xp.op(lambda x, out: x, name="script_a", aliasing="reference"))
    raises(TypeError, lambda: xp.op(lambda x: x, name="script_a", aliasing="reference", infer=lambda x: x))


@test("a copy that stands for its input")
def _():
    calls = []

    @xp.op(aliasing="takeover")
    def script_pack(x):
        calls.append(x.strides)
        return x

    x = xp.asarray(np.arange(6.0).reshape(2, 3))
    y = script_pack(x.T)
    equal(np.asarray(y + x.T + x.T).tolist(), (3 * np.arange(6.0).reshape(2, 3).T).tolist())
    equal(calls, [(8, 24)])
    plan = str((script_pack((x * 2).T) + x.T).plan())
    check("takeover" in plan or "stands for" in plan or "script_pack" in plan, plan)
    # What is packed already is not copied.
    calls.clear()
    equal(np.asarray(script_pack(x) + 1).tolist(), (np.arange(6.0).reshape(2, 3) + 1).tolist())
    equal(calls, [])

    @xp.op(aliasing="takeover", infer=lambda x: ("float32", x.shape))
    def script_other(x):
        return x

    error = raises(RuntimeError, lambda: script_other(x))
    check("of dtype float64 and shape [2, 3]" in error.message, error.message)
    error = raises(xp.CandelaError, lambda: xp.op(lambda x: [x, x], name="script_a", aliasing="takeover",
                                                  outputs=["a", "b"]))
    check("several outputs" in error.message, error.message)


@test("shapes that elements say")
def _():
    @xp.op(output_shape="data", infer=lambda x, *, above: (x.dtype, (0,)))
    def script_above(x, *, above=0.0):
        return x[x > above]

    x = xp.asarray([[3.0, -1.0], [2.0, 5.0]])
    equal(np.asarray(script_above(x)).tolist(), [3.0, 2.0, 5.0])
    equal(script_above(x * 2, above=5).shape, (2,))
    equal(np.asarray(script_above(x[:0])).tolist(), [])
    equal(np.asarray(xp.expr("sum(script_above(x.T, above=2))", x=x)).tolist(), 8.0)

    @xp.op(output_shape="data", outputs=["values", "counts"], infer=lambda x: [(x.dtype, (0,)), ("int64", (0,))])
    def script_counted(x):
        return list(np.unique(x, return_counts=True))

    counted = script_counted(xp.asarray([3, 1, 3]))
    equal((np.asarray(counted.values).tolist(), np.asarray(counted.counts).tolist()), ([1, 3], [1, 2]))

    @xp.op(output_shape="data", infer=lambda x: (x.dtype, (0,)))
    def script_axes(x):
        return x

    error = raises(RuntimeError, lambda: script_axes(x))
    check("another number of axes" in error.message, error.message)
    raises(TypeError, lambda: xp.op(lambda x, out: None, name="script_a", output_shape="data"))
    raises(xp.CandelaError, lambda: xp.op(lambda x: x, name="script_a", output_shape="data", inplace=[0]))


@test("results that are written or returned")
def _():
    @xp.op
    def script_both(x, out):
        out[...] = x
        return out

    @xp.op
    def script_scalar(x):
        return 0 * x + 5

    equal(np.asarray(script_both(xp.asarray([1, 2]))).tolist(), [1, 2])
    equal(str(script_scalar(xp.asarray(1))), "5")


@test("what a script says is wrong")
def _():
    @xp.op
    def script_bad(x):
        raise KeyError("no luck")

    @xp.op(infer=lambda x: 1 / 0)
    def script_bad_infer(x):
        return x

    error = raises(RuntimeError, lambda: script_bad(xp.asarray([1.0])).materialize())
    equal((error.domain, error.code), ("candela-error-quark", int(Candela.Error.SCRIPT)))
    equal(error.message, "script_bad: KeyError: 'no luck'")
    error = raises(RuntimeError, lambda: script_bad_infer(xp.asarray([1.0])))
    equal(error.message, "script_bad_infer: ZeroDivisionError: division by zero")
    @xp.op
    def script_stopped(x):
        raise KeyboardInterrupt

    raises(KeyboardInterrupt, lambda: script_stopped(xp.asarray([1.0])).materialize())
    error = raises(GLib.Error, lambda: Candela.Expression.build("script_bad(1.0)", {}).materialize())
    check("no luck" in error.message)


@test("results that do not fit")
def _():
    @xp.op
    def script_longer(x):
        return np.zeros(len(x) + 1)

    @xp.op
    def script_nothing(x):
        pass

    @xp.op(infer=lambda x: ("float64",))
    def script_half_spec(x):
        return x

    @xp.op(infer=lambda x: ("number", x.shape))
    def script_no_dtype(x):
        return x

    @xp.op(infer=lambda x: (x.dtype, (-1,)))
    def script_negative(x):
        return x

    @xp.op(infer=lambda x: (x.dtype, (1.5,)))
    def script_half_axis(x):
        return x

    class Mute(Exception):
        def __str__(self):
            raise ValueError("no text")

    @xp.op
    def script_mute(x):
        raise Mute

    @xp.op
    def script_unprintable(x):
        raise ValueError("a\0b\ud800")

    x = xp.asarray([1.0])
    raises(RuntimeError, lambda: script_half_axis(x))
    error = raises(RuntimeError, lambda: script_mute(x).materialize())
    equal(error.message, "script_mute: Mute: (its text cannot be had)")
    error = raises(RuntimeError, lambda: script_unprintable(x).materialize())
    equal(error.message, "script_unprintable: ValueError: a\\0b\\ud800")
    check("gave None" in raises(RuntimeError, lambda: script_nothing(x).materialize()).message)
    equal(np.asarray(xp.op(lambda x, *, by=float("-inf"): x * by, name="script_by")(x)).tolist(), [-np.inf])
    raises(ValueError, lambda: xp.op(lambda x: x, name="script_a\0b"))
    check("said (1,)" in raises(RuntimeError, lambda: script_longer(x).materialize()).message)
    raises(RuntimeError, lambda: script_nothing(x).materialize())
    raises(RuntimeError, lambda: script_half_spec(x))
    raises(RuntimeError, lambda: script_no_dtype(x))
    raises(ValueError, lambda: script_negative(x))


@test("facts that are wrong")
def _():
    raises(TypeError, lambda: xp.op(lambda x, y=1: x, name="script_a"))
    raises(TypeError, lambda: xp.op(lambda x, **more: x, name="script_a"))
    raises(TypeError, lambda: xp.op(lambda x, *, p: x, name="script_a"))
    raises(TypeError, lambda: xp.op(lambda x: x, name="script_a", colour=1))
    raises(xp.CandelaError, lambda: xp.op(lambda x: x, name="Script"))
    raises(xp.CandelaError, lambda: xp.op(lambda x: x, name="script_a", inplace=[1]))
    raises(xp.CandelaError, lambda: xp.op(lambda x: x, name="script_a", aliasing="some"))
    raises(xp.CandelaError, lambda: xp.op(lambda x: x, name="script_a", kinds=["number"]))


@test("a name that is taken")
def _():
    error = raises(xp.CandelaError, lambda: xp.op(lambda a, b: a, name="add"))
    check("elementwise" in error.message)


@test("an op that is made again")
def _():
    class Shift:
        """What an op's function holds."""

    held = []

    def make(number):
        shift = Shift()
        shift.number = number
        held.append(weakref.ref(shift))

        @xp.op(operators="attribute:.shifted")
        def script_again(x):
            return x + shift.number

        return script_again

    make(1)
    x = xp.asarray([1.0])
    old = xp.expr("x.shifted", x=x) * xp.script_again(x)
    method = x.script_again()
    plan = old.plan()
    make(2)
    equal(float((x.script_again() + xp.expr("x.shifted", x=x))[0]), 6.0)
    equal([float(old[0]), float(method[0])], [4.0, 2.0])
    check("script_again" in str(plan))
    del old, method, plan
    for number in range(100):
        make(number)
    gc.collect()
    equal(sum(shift() is not None for shift in held), 1)

    # Another signature.
    @xp.op
    def script_again(x, y, *, times=1):
        return (x + y) * times

    equal(float(xp.script_again(x, 2.0, times=3)[0]), 9.0)
    equal(float(x.script_again(2.0, times=3)[0]), 9.0)
    equal(float(script_again(x, 2.0)[0]), 3.0)
    raises(xp.CandelaError, lambda: xp.expr("x.shifted", x=x))
    made = xp.foreign("script_again", None, "double (double)", symbol="sqrt")
    equal(float(made(xp.asarray([9.0]))[0]), 3.0)


@test("facts are proven")
def _():
    # Infinity by infinity is no surprise here.
    np.seterr(all="ignore")
    report = xp.check("script_softsign", cases=10)
    equal((report["op"], report["proven"], report["cases"]), ("script_softsign", True, 10))
    check(report["runs"]["in-place"] > 0)
    check(xp.check(script_softsign, cases=2)["proven"])

    @xp.op(inplace=[0])
    def script_lies_in_place(x, out):
        out[...] = 0
        out += x

    count = []

    @xp.op
    def script_lies_counting(x):
        count.append(x.size)
        return x * len(count)

    @xp.op(aliasing="takeover")
    def script_lies_takeover(x):
        return 1 - x.astype(float) if x.dtype == bool else x + 1

    @xp.op(aliasing="alias", kinds=["float"])
    def script_lies_alias(x):
        return x + 1

    @xp.op(output_shape="data", infer=lambda x: (x.dtype, (0,)), kinds=["float"])
    def script_lies_shape(x):
        count.append(x.size)
        return x.ravel()[:len(count)]

    for name, fact in (("in_place", "in-place"), ("counting", "determinism"), ("takeover", "aliasing"),
                       ("alias", "aliasing"), ("shape", "determinism")):
        report = xp.check("script_lies_" + name)
        equal((report["proven"], report.get("fact")), (False, fact))

    @xp.op(aliasing="reference")
    def script_honest_view(x, *, step=2):
        return x[::step, ...] if x.ndim else x

    @xp.op(output_shape="data", infer=lambda x: (x.dtype, (0,)), kinds=["float"])
    def script_honest_shape(x):
        return x[x > 0]

    for name in ("view", "shape"):
        check(xp.check("script_honest_" + name)["proven"], name)
    raises(xp.CandelaError, lambda: xp.check("script_nowhere"))


@test("views that are kept")
def _():
    kept = []

    @xp.op
    def script_keeper(x, out):
        kept.extend((x, out))
        out[...] = x

    y = script_keeper(xp.asarray(np.ones(100000)) * 3)
    equal(float(xp.sum(y)), 300000.0)
    del y
    gc.collect()
    xp.sum(xp.asarray(np.ones(100000)) * 5).materialize()
    check(all(view.shape == (100000,) and view.sum() is not None for view in kept))


@test("in the background")
def _():
    async def several():
        return await asyncio.gather(*(script_softsign(xp.asarray([float(i)])).materialize_async() for i in range(4)))

    equal([float(x[0]) for x in asyncio.run(several())], [i / (1 + i) for i in range(4)])


@test("dtypes")
def _():
    @xp.op
    def script_same(x):
        return x

    for name in ("bool", "int8", "uint64", "float16", "float32", "complex64", "complex128"):
        x = np.ones(3, name)
        got = np.asarray(script_same(xp.asarray(x)))
        equal((got.dtype, got.tolist()), (x.dtype, x.tolist()))

    @xp.op(kinds=["float"])
    def script_floats(x):
        return x

    raises(TypeError, lambda: script_floats(xp.asarray([1])))


run("scripts.list")
