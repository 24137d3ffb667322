# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Random programs, run by the candela command and by NumPy. Arithmetic,
# comparisons and layout ops are equal bit for bit (NaN payloads apart), and so is
# each program under every combination of flags. Programs share values, look at
# them through views, and have several results, so that plans have something to
# get wrong.
#
# CANDELA_TEST_SEED and CANDELA_TEST_PROGRAMS choose other programs, and more.

import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "packaging"))
from tap import check, done, skip

try:
    import numpy as np
except ImportError:
    skip("random programs", "no NumPy")
    done()

TOOL = os.environ.get("CANDELA", "candela")
SEED = int(os.environ.get("CANDELA_TEST_SEED", "1"))
PROGRAMS = int(os.environ.get("CANDELA_TEST_PROGRAMS", "80"))
FLAGS = ("--no-fusion", "--no-reuse", "--no-inplace")
COMBINATIONS = [
    [flag for flag, on in zip(FLAGS, choice) if on] + ["--threads", str(threads)]
    for choice in itertools.product((False, True), repeat=len(FLAGS))
    for threads in (1, 2)
]
LIMIT = 400000  # elements of a value

FLOATS = ["float32", "float64"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]


def same(a, b):
    """Bit for bit, but for the payloads of NaNs."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    nan = np.isnan(a)
    return bool(np.array_equal(nan, np.isnan(b)) and np.array_equal(a[~nan], b[~nan])
                and np.array_equal(np.signbit(a[~nan]), np.signbit(b[~nan])))


def fill(rng, dtype, shape, fortran):
    """Values that show what rounding, wrapping, zeros of two signs and NaNs do."""
    kind = np.dtype(dtype).kind
    n = int(np.prod(shape))
    if kind == "b":
        data = rng.integers(0, 2, n).astype(bool)
    elif kind == "f":
        data = rng.standard_normal(n).astype(dtype)
        odd = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal,
                        1.0, 3.0], dtype)
        where = rng.random(n) < 0.15
        data[where] = rng.choice(odd, int(where.sum()))
    else:
        info = np.iinfo(dtype)
        data = rng.integers(max(info.min, -9), 10, n).astype(dtype)
        where = rng.random(n) < 0.1
        data[where] = rng.choice(np.array([info.min, info.max], dtype), int(where.sum()))
    data = data.reshape(shape)
    return np.asfortranarray(data) if fortran else data


class Program:
    """Statements as text, and NumPy's value of each name."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.rng = np.random.default_rng(seed)
        self.values = {}
        self.inputs = {}
        self.text = []
        family = self.random.choice([FLOATS, FLOATS, FLOATS, SIGNED, UNSIGNED])
        extents = self.random.choice([[1, 2, 3, 5], [2, 3, 4], [0, 3, 4], [7, 16, 33], [40, 130, 257], [100, 3000, 2]])
        full = [self.random.choice(extents) for _ in range(self.random.choice([0, 1, 1, 2, 2, 2, 2, 3, 3, 4]))]
        while np.prod(full) > LIMIT:
            full.remove(max(full))
        for i in range(self.random.randrange(2, 5)):
            shape = [1 if self.random.random() < 0.15 else e for e in full[self.random.choice([0, 0, 0, 0, 1]):]]
            dtype = self.random.choice(family if i < 3 else family + ["bool"])
            self.inputs["x%d" % i] = fill(self.rng, dtype, shape, self.random.random() < 0.3)
        self.values.update(self.inputs)
        with np.errstate(all="ignore"):
            for i in range(self.random.randrange(4, 17)):
                self.statement("t%d" % i)
        self.results()

    def statement(self, name):
        for _ in range(20):
            made = self.expression(self.random.choice([1, 1, 2, 3]))
            if made is not None and made[1].size <= LIMIT:
                self.text.append("%s = %s" % (name, made[0]))
                self.values[name] = made[1]
                return

    def results(self):
        names = [name for name in self.values if name not in self.inputs] or list(self.values)
        chosen = self.random.sample(names, min(len(names), self.random.choice([1, 1, 2, 4])))
        if names[-1] not in chosen:
            chosen.append(names[-1])
        self.chosen = chosen
        self.text.append(", ".join(chosen))

    def leaf(self):
        # Late names more often, so that chains get long; the same name again, so that values are shared.
        names = list(self.values)
        name = names[-1 - min(int(self.random.expovariate(0.4)), len(names) - 1)]
        return name, self.values[name]

    def expression(self, depth):
        if depth == 0:
            return self.leaf()
        choice = self.random.random()
        if choice < 0.45:
            return self.infix(depth)
        if choice < 0.55:
            return self.literal(depth)
        if choice < 0.63:
            return self.prefix(depth)
        if choice < 0.9:
            return self.layout(depth)
        return self.call(depth)

    def infix(self, depth):
        left = self.expression(self.random.randrange(depth))
        right = self.expression(self.random.randrange(depth))
        if left is None or right is None:
            return None
        op = self.random.choice(["+", "-", "*", "/", "+", "-", "*", "<", "<=", ">", ">=", "==", "!=", "&", "|", "^",
                                 "//", "%"])
        (a, x), (b, y) = left, right
        try:
            shape = np.broadcast_shapes(x.shape, y.shape)
        except ValueError:
            return None
        value = self.apply(op, x, y)
        if value is None or np.prod(shape) > LIMIT:
            return None
        return "(%s %s %s)" % (a, op, b), value

    def apply(self, op, x, y):
        """NumPy's value after promotion by the array API's rules (never by value), or None."""
        kinds = {x.dtype.kind, y.dtype.kind}
        if len(kinds) > 1:
            return None
        dtype = np.promote_types(x.dtype, y.dtype)
        kind = dtype.kind
        if kind == "b" and op in "+-*/%//":
            return None
        if kind == "f" and op in ("&", "|", "^", "//", "%"):
            return None
        if kind in "iu" and op == "/":
            dtype = np.dtype("float64")
        x, y = x.astype(dtype), y.astype(dtype)
        return {
            "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "<": np.less, "<=": np.less_equal,
            ">": np.greater, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal, "&": np.bitwise_and,
            "|": np.bitwise_or, "^": np.bitwise_xor, "//": np.floor_divide, "%": np.remainder,
        }[op](x, y, dtype=None)

    def literal(self, depth):
        made = self.expression(depth - 1)
        if made is None or made[1].dtype.kind == "b":
            return None
        text, value = made
        number = self.random.choice([0, 1, 2, 3, 7] if value.dtype.kind in "iu" else [0, 1, 2, 0.5, 2.0, 0.1, 1e30])
        op = self.random.choice(["+", "-", "*", "*", "/", "<", "=="])
        other = np.array(number, value.dtype)
        if self.random.random() < 0.3:
            return "(%s %s %s)" % (number, op, text), self.apply(op, other, value)
        return "(%s %s %s)" % (text, op, number), self.apply(op, value, other)

    def prefix(self, depth):
        made = self.expression(depth - 1)
        if made is None:
            return None
        text, value = made
        if value.dtype.kind == "b":
            return "~%s" % text, ~value
        if value.dtype.kind in "iu" and self.random.random() < 0.4:
            return "~%s" % text, ~value
        return "-%s" % text, np.asarray(-value)

    def call(self, depth):
        made = self.expression(depth - 1)
        if made is None:
            return None
        text, value = made
        kind = value.dtype.kind
        name = self.random.choice(["where", "abs", "sum", "astype", "square", "matmul"])
        if name == "where" and kind != "b":
            other = self.expression(depth - 1)
            if other is None or other[1].dtype.kind != kind or other[1].shape != value.shape:
                return None
            dtype = np.promote_types(value.dtype, other[1].dtype)
            return ("where(%s > 0, %s, %s)" % (text, text, other[0]),
                    np.where(value > 0, value.astype(dtype), other[1].astype(dtype)))
        if name == "abs" and kind in "if":
            return "abs(%s)" % text, np.asarray(np.abs(value))
        if name == "square" and kind != "b":
            return "square(%s)" % text, np.asarray(value * value)
        if name == "astype" and kind == "f":
            return "astype(%s, float64)" % text, value.astype("float64")
        if name == "astype" and kind in "iub":
            return "astype(%s, int64)" % text, value.astype("int64")
        if name == "sum" and kind in "iu" and value.ndim > 0:
            axis = self.random.randrange(-value.ndim, value.ndim)
            keep = self.random.random() < 0.5
            return ("sum(%s, axis=%d, keepdims=%s)" % (text, axis, str(keep).lower()),
                    np.asarray(value.sum(axis=axis, keepdims=keep)))
        if name == "matmul" and kind in "iu" and value.ndim == 2 and value.size < 2000:
            return "(%s @ %s.T)" % (text, text), value @ value.T
        return None

    def layout(self, depth):
        made = self.expression(depth - 1)
        if made is None:
            return None
        text, value = made
        name = self.random.choice(["T", "index", "index", "index", "reshape", "flip", "permute", "broadcast", "expand",
                                   "contiguous"])
        if name == "T":
            return "%s.T" % text, value.T
        if name == "index":
            key = self.key(value)
            return ("%s[%s]" % (text, key), np.asarray(eval("value[%s]" % key))) if key else None
        if name == "reshape":
            shape = self.random.choice([[-1], [value.size], list(value.shape) + [1], list(value.shape[::-1])])
            if -1 in shape and value.size == 0:
                return None
            return "reshape(%s, %s)" % (text, shape), value.reshape(shape)
        if name == "flip" and value.ndim > 0:
            axis = self.random.randrange(value.ndim)
            return "flip(%s, axis=%d)" % (text, axis), np.flip(value, axis)
        if name == "permute":
            axes = list(range(value.ndim))
            self.random.shuffle(axes)
            return "permute_dims(%s, %s)" % (text, axes), value.transpose(axes)
        if name == "broadcast" and value.size < 1000:
            shape = [2] + list(value.shape)
            return "broadcast_to(%s, %s)" % (text, shape), np.broadcast_to(value, shape)
        if name == "expand":
            axis = self.random.randrange(value.ndim + 1)
            return "expand_dims(%s, axis=%d)" % (text, axis), np.expand_dims(value, axis)
        if name == "contiguous":
            return "contiguous(%s)" % text, value
        return None

    def key(self, value):
        """What stands in the brackets, valid for the shape."""
        items = []
        for extent in value.shape:
            choice = self.random.random()
            if choice < 0.1 and extent > 0 and value.ndim > 1:
                items.append(str(self.random.randrange(-extent, extent)))
            elif choice < 0.4:
                items.append("::-1")
            elif choice < 0.6:
                step = self.random.choice(["", ":2", ":-2", ":3"])
                first, last = (self.random.choice(["", str(self.random.randrange(-extent - 1, extent + 2))])
                               for _ in range(2))
                items.append("%s:%s%s" % (first, last, step))
            else:
                items.append(":")
        while items and self.random.random() < 0.3:
            items.pop()
        if len(items) < value.ndim and self.random.random() < 0.5:
            items.append("...")
        if value.ndim < 4 and self.random.random() < 0.2:
            items.insert(self.random.randrange(len(items) + 1), "None")
        return ", ".join(items)


def call(*arguments, env=None):
    return subprocess.run([TOOL, *arguments], capture_output=True, timeout=120, env={**os.environ, **(env or {})})


def check_plan(program, words):
    """The promises about memory, as the plan's JSON tells them."""
    plans = {}
    for flags in ((), ("--no-reuse", "--no-inplace")):
        result = call("plan", "-f", "program.txt", *words, "--format=json", *flags)
        if result.returncode != 0:
            return ["plan: " + result.stderr.decode()]
        plans[flags] = json.loads(result.stdout)
    problems = []
    best, eager = plans[()], plans[("--no-reuse", "--no-inplace")]
    for plan in plans.values():
        if plan["peak_bytes"] < plan["lower_bound_bytes"]:
            problems.append("peak %d below its bound %d" % (plan["peak_bytes"], plan["lower_bound_bytes"]))
    if best["peak_bytes"] > eager["peak_bytes"]:
        problems.append("peak %d, freeing eagerly %d" % (best["peak_bytes"], eager["peak_bytes"]))
    return problems


def check_program(seed):
    program = Program(seed)
    text = "\n".join(program.text) + "\n"
    with open("program.txt", "w") as file:
        file.write(text)
    words = []
    for name, value in program.inputs.items():
        np.save(name + ".npy", value)
        if name in re.findall(r"\w+", text):
            words.append("%s=%s.npy" % (name, name))

    problems = []
    first = None
    for i, flags in enumerate(COMBINATIONS):
        env = {"CANDELA_DEBUG": "poison"} if (i + seed) % 4 == 0 else None
        result = call("run", "-f", "program.txt", *words, *flags, "-o", "out.npz", env=env)
        if result.returncode != 0 or result.stderr:
            problems.append("%s: status %d\n%s" % (" ".join(flags), result.returncode, result.stderr.decode()))
            break
        with np.load("out.npz") as archive:
            values = list(archive.values())
        for name, value in zip(program.chosen, values):
            if not same(value, program.values[name]):
                problems.append("%s: %s is not NumPy's\n%s %s\n%s\n%s %s\n%s" % (
                    " ".join(flags), name, value.dtype, value.shape, value, program.values[name].dtype,
                    program.values[name].shape, program.values[name]))
        if first is None:
            first = values
        elif not all(same(a, b) for a, b in zip(first, values)):
            problems.append("%s: other bits than without it" % " ".join(flags))
        if problems:
            break
    for name, value in program.inputs.items():
        if not same(np.load(name + ".npy"), value):
            problems.append("the input %s has changed" % name)
    problems += check_plan(program, words)
    if problems:
        problems.append("CANDELA_TEST_SEED=%d; inputs: %s\n%s" % (
            seed, ", ".join("%s %s%s" % (n, v.dtype, list(v.shape)) for n, v in program.inputs.items()),
            "\n".join(program.text)))
    return problems


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for start in range(SEED, SEED + PROGRAMS, 10):
            seeds = range(start, min(start + 10, SEED + PROGRAMS))
            problems = [problem for seed in seeds for problem in check_program(seed)]
            check("random programs %d to %d" % (seeds[0], seeds[-1]), problems)
        os.chdir("/")
    done()


main()
