#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What Candela from Python is held to, each with its bar: exchange without a copy, the
price of building an op, an expression beside NumPy, memory that stays as it is over a
million arrays, and threads.

    ./run python3 benchmarks/python-bars.py [--arrays N] [--only WORD]

It ends with status 1 if something misses its bar."""

import argparse
import gc
import os
import statistics
import sys
import threading
import time
import timeit

import numpy

import candela as xp

OP_BAR = 3.0
SHARE_BAR = 20.0
MIB = 1 << 20

rows = []


def say(name, value, unit, bar, ok):
    rows.append(ok)
    print("%-44s %10s %-3s %9s   %s" % (name, value, unit, bar, "ok" if ok else "MISSED"), flush=True)


def microseconds(function, seconds=0.1, repeats=9):
    """Of several readings, each of many calls, the lowest, of this thread's own time: what else runs can only
    add to it."""
    function()
    once = max(timeit.timeit(function, number=10, timer=time.thread_time) / 10, 1e-8)
    number = max(1, int(seconds / repeats / once))
    return min(timeit.repeat(function, number=number, repeat=repeats, timer=time.thread_time)) / number * 1e6


def seconds(function):
    """One reading, of the clock."""
    return timeit.timeit(function, number=20)


# ---- Exchange ----

def exchange():
    n = numpy.ones(64 * MIB // 4, dtype="float32")
    x = xp.asarray(n)
    made = (x * 2).materialize()
    for name, function, shared in (
        ("np.asarray(x)", lambda: numpy.asarray(made), None),
        ("np.from_dlpack(x)", lambda: numpy.from_dlpack(made), None),
        ("xp.from_dlpack(x)", lambda: numpy.asarray(xp.from_dlpack(made)), lambda: xp.from_dlpack(made)),
        ("xp.from_dlpack(np_array)", lambda: numpy.asarray(xp.from_dlpack(n)), lambda: xp.from_dlpack(n)),
        ("xp.asarray(np_array)", lambda: numpy.asarray(xp.asarray(n)), lambda: xp.asarray(n)),
    ):
        copied = not numpy.shares_memory(function(), n if "np_array" in name else numpy.asarray(made))
        found = microseconds(shared or function)
        say(name + ", 64 MiB" + (" (a copy!)" if copied else ""), "%.1f" % found, "µs", "%.0f" % SHARE_BAR,
            found < SHARE_BAR and not copied)


# ---- Building ----

def one_op():
    a = xp.asarray(numpy.ones((64, 64), dtype="float32"))
    b = (a + 1).materialize()
    mask = (a > 0).materialize()
    indices = xp.asarray([1, 2, 3])
    stack = xp.asarray(numpy.ones((2, 3, 3)))
    for name, function in {
        "a + b": lambda: a + b,
        "a * 2.0": lambda: a * 2.0,
        "1 - a": lambda: 1 - a,
        "-a": lambda: -a,
        "a < b": lambda: a < b,
        "a @ b": lambda: a @ b,
        "a ** 2": lambda: a ** 2,
        "xp.exp(a)": lambda: xp.exp(a),
        "a.exp()": lambda: a.exp(),
        "xp.add(a, b)": lambda: xp.add(a, b),
        "xp.where(mask, a, b)": lambda: xp.where(mask, a, b),
        "xp.clip(a, 0.0, 1.0)": lambda: xp.clip(a, 0.0, 1.0),
        "xp.sum(a)": lambda: xp.sum(a),
        "xp.sum(a, axis=0)": lambda: xp.sum(a, axis=0),
        "a.sum(axis=0)": lambda: a.sum(axis=0),
        "a.mean(axis=(0, 1), keepdims=True)": lambda: a.mean(axis=(0, 1), keepdims=True),
        "xp.cumulative_sum(a, axis=0)": lambda: xp.cumulative_sum(a, axis=0),
        "xp.sort(a, axis=0)": lambda: xp.sort(a, axis=0),
        "xp.argmax(a, axis=1)": lambda: xp.argmax(a, axis=1),
        "a.astype(xp.float64)": lambda: a.astype(xp.float64),
        "xp.astype(a, xp.float64)": lambda: xp.astype(a, xp.float64),
        "a[3]": lambda: a[3],
        "a[1:5]": lambda: a[1:5],
        "a[:, None]": lambda: a[:, None],
        "a[..., ::-1]": lambda: a[..., ::-1],
        "a[indices]": lambda: a[indices],
        "xp.take(a, indices, axis=0)": lambda: xp.take(a, indices, axis=0),
        "a.T": lambda: a.T,
        "xp.reshape(a, (4096,))": lambda: xp.reshape(a, (4096,)),
        "a.reshape(-1)": lambda: a.reshape(-1),
        "xp.permute_dims(a, (1, 0))": lambda: xp.permute_dims(a, (1, 0)),
        "xp.broadcast_to(a, (2, 64, 64))": lambda: xp.broadcast_to(a, (2, 64, 64)),
        "xp.concat([a, b])": lambda: xp.concat([a, b]),
        "xp.stack([a, b], axis=1)": lambda: xp.stack([a, b], axis=1),
        "xp.zeros((3,))": lambda: xp.zeros((3,)),
        "xp.arange(10)": lambda: xp.arange(10),
        "xp.linalg.det(stack)": lambda: xp.linalg.det(stack),
    }.items():
        found = microseconds(function)
        say(name, "%.2f" % found, "µs", "%.0f" % OP_BAR, found <= OP_BAR)
    # An op that is an expression over others: max, subtract, exp, sum and divide.
    found = microseconds(lambda: xp.softmax(a, axis=-1)) / 5
    say("xp.softmax(a, axis=-1), each of its 5 ops", "%.2f" % found, "µs", "%.0f" % OP_BAR, found <= OP_BAR)


def expression():
    """20 ops over 64 Ki float32, built and computed each time."""
    n, m = (numpy.random.default_rng(seed).standard_normal(1 << 16).astype("float32") for seed in (1, 2))
    x, y = xp.asarray(n), xp.asarray(m)

    def work(a, b):
        for _ in range(5):
            a = (a * b + 0.5) * 0.25 - b
        return a

    ours = lambda: numpy.asarray(work(x, y))  # noqa: E731
    same = numpy.array_equal(ours(), work(n, m))
    found = statistics.median(seconds(lambda: work(n, m)) / seconds(ours) for _ in range(15))
    say("20 ops of 64 Ki float32: NumPy's time / ours" + ("" if same else " (other values!)"), "%.2f" % found, "×", "1",
        found > 1 and same)


# ---- Memory and threads ----

def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def many_arrays(n):
    numbers = numpy.ones(100, dtype="float32")

    def work(i):
        if float(xp.sum(xp.asarray(numbers) * i)) != i * 100.0:
            raise SystemExit("a wrong value for %d" % i)

    for i in range(10000):
        work(i)
    gc.collect()
    before = most = resident_bytes()
    for i in range(n):
        work(i % 10000)
        if i % 10000 == 0:
            most = max(most, resident_bytes())
    gc.collect()
    for name, found in (("at the end", resident_bytes()), ("at most", most)):
        say("%d arrays made, used, dropped: %s" % (n, name), "%+.1f" % ((found - before) / MIB), "MiB", "8",
            found - before < 8 * MIB)


def threads():
    wrong = []

    def work(seed):
        for i in range(300):
            x = xp.arange(5000) * seed + i
            found = int(xp.sum(x * 2))
            if found != 2 * (seed * 12497500 + 5000 * i):
                wrong.append((seed, i, found))

    workers = [threading.Thread(target=work, args=(seed,), daemon=True) for seed in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    stuck = sum(worker.is_alive() for worker in workers)
    say("8 threads, 300 results each: wrong or stuck", "%d" % (len(wrong) + stuck), "", "0", not wrong and not stuck)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arrays", type=int, default=1000000, help="how many are made, used and dropped")
    parser.add_argument("--only", default="", help="exchange, op, expression, memory or threads")
    options = parser.parse_args()
    parts = {"exchange": exchange, "op": one_op, "expression": expression,
             "memory": lambda: many_arrays(options.arrays), "threads": threads}
    if options.only and options.only not in parts:
        parser.error("no part %r; there are %s" % (options.only, ", ".join(parts)))
    print("%-44s %10s %-3s %9s" % ("Python %d.%d, NumPy %s" % (*sys.version_info[:2], numpy.__version__), "found", "", "bar"))
    for name, part in parts.items():
        if options.only in ("", name):
            part()
    print("%d of %d meet their bar" % (sum(rows), len(rows)))
    return 0 if all(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
