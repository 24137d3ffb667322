# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What goes wrong in Python, or stays when it should go: exceptions of the language's
# own kinds with the library's words, and never a crash.

import array
import gc
import os
import subprocess
import sys

from testing import Candela, check, equal, raises, resident_bytes, run, test

import candela as xp

A = xp.asarray([[1.0, 2.0], [3.0, 4.0]])


@test("numbers that a dtype does not hold")
def out_of_range():
    for items, dtype in (([300], "int8"), ([-1], "uint8"), ([1 << 32], "uint32"), ([-1], "uint64"), ([1 << 63], "int64")):
        raises(OverflowError, lambda: xp.asarray(items, dtype=dtype))
    raises(OverflowError, lambda: xp.asarray([1 << 64]))
    raises(OverflowError, lambda: A + (1 << 64))
    raises(OverflowError, lambda: xp.asarray([float("inf")], dtype="int64"))
    raises(ValueError, lambda: xp.asarray([float("nan")], dtype="int32"))
    equal(xp.asarray([1 << 63]).dtype, xp.uint64)
    equal(xp.asarray([127, -128, True], dtype="int8").tolist(), [127, -128, 1])


@test("parameters of other types")
def parameters():
    check("sum: axis is a float (1.5)" in str(raises((TypeError, ValueError), lambda: xp.sum(A, axis=1.5))))
    raises((TypeError, ValueError), lambda: xp.sum(A, axis="x"))
    raises(TypeError, lambda: xp.sum(A, axis=[0, 0.5]))
    raises(IndexError, lambda: xp.sum(A, axis=2))
    raises(OverflowError, lambda: xp.sum(A, axis=1 << 64))
    raises(TypeError, lambda: xp.sum(A, axis={}))
    raises(TypeError, lambda: xp.sum(A, dtype={}))
    raises(TypeError, lambda: xp.asarray([1], dtype="float7"))
    raises(TypeError, lambda: xp.reshape(A, (1.5,)))
    raises(ValueError, lambda: xp.reshape(A, (3,)))
    equal(float(xp.sum(A, axis=None, dtype=None)), 10.0)
    equal(float(xp.sum(A, axis=(0, 1))), 10.0)


@test("no arrays")
def no_arrays():
    for value in (None, "1", {}, [1, None], object(), lambda: 1, Candela):
        raises(TypeError, lambda: xp.asarray(value))
        raises(TypeError, lambda: xp.add(A, value))
        raises(TypeError, lambda: A + value)
        raises(TypeError, lambda: xp.expr("x + 1", x=value))
    raises(TypeError, lambda: xp.add(A))
    raises(TypeError, lambda: xp.add(A, 1, 2))
    raises(AttributeError, lambda: xp.nothing)
    check(hasattr(xp, "sum") and not hasattr(xp, "nothing") and not hasattr(A, "nothing"))


@test("complex numbers")
def complex_numbers():
    z = xp.asarray([1 + 2j, 3 - 4j], dtype="complex64")
    equal((z.dtype, z.shape), (xp.complex64, (2,)))
    equal((z * z).tolist(), [-3 + 4j, -7 - 24j])
    equal(xp.conj(z).tolist(), [1 - 2j, 3 + 4j])
    equal(complex(xp.asarray(1 - 2j)), 1 - 2j)
    equal(str(xp.asarray(1 - 2j)), "(1-2j)")
    raises(TypeError, lambda: float(xp.asarray(1j)))
    raises(TypeError, lambda: xp.astype(z, xp.float32))


@test("written underneath")
def written_underneath():
    numbers, nested = array.array("f", [1, 2]), [1.0, 2.0]
    x, y = xp.asarray(numbers) + 0, xp.asarray(nested) + 0
    numbers[0] = 9
    nested.append(3.0)
    del numbers[1]
    equal((x.tolist(), y.tolist()), ([1.0, 2.0], [1.0, 2.0]))
    raises(TypeError, lambda: memoryview(x.tensor.get_bytes().get_data()).__setitem__(0, 7))
    x.tolist().append(7.0)
    equal(x.tolist(), [1.0, 2.0])


@test("objects outlive their owners")
def outlive():
    def make():
        x = xp.asarray([2.0] * 1000)
        quotient, remainder = xp.divmod(x, 2)
        return ((x * 3).tensor, quotient, remainder.node, x.tensor.get_bytes(),
                x.node.get_layout(), quotient.node.plan(0), x.__add__)

    tensor, quotient, remainder, data, layout, plan, add = make()
    for i in range(5):
        gc.collect()
        xp.full((1000,), float(i)).materialize()
    equal(float(xp.sum(xp.asarray(tensor))), 6000.0)
    equal(float(xp.sum(quotient)), 1000.0)
    equal(remainder.materialize().get_double([999]), 0.0)
    equal(memoryview(data.get_data()).cast("d")[999], 2.0)
    equal(layout.get_shape(), [1000])
    equal(plan.run([], None, None)[0][0].get_double([999]), 1.0)
    equal(float(add(1)[5]), 3.0)


def run_program(text):
    """The status of a program that is run by itself, and what it prints; a signal's is negative."""
    start = """
import asyncio, os, sys, threading
import candela as xp
from gi.repository import Candela, Gio, GLib
long = lambda: xp.expr("sum(sin(exp(random_uniform([4000000], seed=1))))")
"""
    result = subprocess.run([sys.executable, "-c", start + text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, timeout=300)
    return result.returncode, result.stdout


@test("callbacks that raise")
def callbacks():
    status, output = run_program("""
plan = xp.expr("sum(exp(zeros([300000])))").node.plan(0)
def fails(*told):
    raise TypeError("in progress")
print(plan.run([], None, fails)[0][0].get_double([]))
loop = GLib.MainLoop()
GLib.timeout_add(60000, loop.quit)
def fails_too(*told):
    loop.quit()
    raise TypeError("when done")
xp.zeros(3).node.materialize_async(None, fails_too)
loop.run()
""")
    equal(status, 0)
    for text in ("in progress", "when done", "300000.0"):
        check(text in output, output)
    # One that calls the engine again while it runs.
    inner = []
    plan = xp.expr("sum(exp(zeros([300000])))").node.plan(0)
    plan.run([], None, lambda *told: inner or inner.append(float(xp.sum(A))))
    equal(inner, [10.0])


@test("several at once")
def several():
    shared = xp.exp(A)
    x, y = xp.materialize(xp.sum(shared), shared - shared)
    equal(y.tolist(), [[0.0, 0.0], [0.0, 0.0]])
    check(abs(float(x) - sum(2.718281828459045**n for n in (1, 2, 3, 4))) < 1e-9)
    raises(TypeError, lambda: xp.materialize(A, None))


@test("ops of plugins that come later")
def later():
    check(not hasattr(xp, "only_first") and "only_first" not in dir(xp))
    module = os.path.join(os.environ["CANDELA_BUILD_DIR"], "tests", "op", "plugins", ".libs", "first.so")
    Candela.Registry.get_default().load_file(module)
    equal(float(xp.only_first()), 1.0)
    check("only_first" in dir(xp))
    raises(TypeError, lambda: xp.only_first(A))
    equal(float(xp.expr("only_first() + 1")), 2.0)


@test("the end of the process while work runs")
def end():
    equal(run_program("long().node.materialize_async(None, None); sys.exit(3)"), (3, ""))
    equal(run_program("threading.Thread(target=lambda: long().materialize(), daemon=True).start()")[0], 0)
    equal(run_program("threading.Thread(target=lambda: print(float(long()) < 1e9)).start()"), (0, "True\n"))
    equal(run_program("""
threading.Thread(target=lambda: long().materialize(), daemon=True).start()
raise TypeError("at the end")""")[0], 1)
    equal(run_program("""
async def main():
    task = asyncio.create_task(long().materialize_async())
    await asyncio.sleep(0.005)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        print("bye")
asyncio.run(main())"""), (0, "bye\n"))


@test("made, used and dropped")
def dropped():
    numbers = array.array("f", [1.0] * 100)

    def work(i):
        equal(float(xp.sum(xp.asarray(numbers) * (i % 1000))), i % 1000 * 100.0)
        if i % 10 == 0:
            raises(ValueError, lambda: A + xp.asarray([1.0, 2.0, 3.0]))

    for i in range(5000):
        work(i)
    before = most = resident_bytes()
    n = int(os.environ.get("CANDELA_TEST_ARRAYS", "30000"))
    for i in range(n):
        work(i)
        if i % 1000 == 0:
            most = max(most, resident_bytes())
    # A leak of 48 bytes an array would show.
    check(resident_bytes() - before < (1 << 20) + 8 * min(n, 30000), resident_bytes() - before)
    check(most - before < 16 << 20, most - before)


run("safety.list")
