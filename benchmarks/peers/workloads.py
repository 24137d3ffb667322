# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What is timed. A workload says once for all what it computes: as text for
# Candela, as a function over a namespace of arrays (peers_python.py has one for
# each peer) and as text for numexpr. The C program that is the limit, and the
# Rust crate, know workloads by name. The size n is the number of elements that
# a workload is about: of its arrays, or of the result of a product.

import math

KI, MI = 1024, 1024 * 1024
SIZES = (64, 4 * KI, 64 * KI, MI, 16 * MI)


class Workload:
    def __init__(self, name, candela, function, inputs, sizes=SIZES, numexpr=None, tolerance=None, flags="", lib=False):
        self.name = name
        self.candela = candela
        self.function = function
        self.inputs = inputs  # of n: name to (shape, dtype, how it is filled)
        self.sizes = sizes
        self.numexpr = numexpr
        self.tolerance = tolerance  # of float32, if not the usual one
        self.flags = flags
        self.lib = lib  # a library's work: no plain loop is its limit


def vectors(names, dtype="float32", fill="normal"):
    return lambda n: {name: ((n,), dtype, fill) for name in names}


def square(n):
    side = math.isqrt(n)
    return (side, side)


def matrix(n, fill="normal"):
    return {"x": (square(n), "float32", fill)}


def positive(n):
    return matrix(n, "uniform")


def cube(n):
    side = {64: (4, 4, 4), 4 * KI: (16, 16, 16), 64 * KI: (32, 64, 32), MI: (64, 128, 128), 16 * MI: (256, 256, 256)}
    return {"x": (side[n], "float32", "uniform")}


def chain(x, length):
    for i in range(length // 2):
        x = x * 1.01 + 0.01
    return x


def chain_text(length, name="x"):
    return "t = %s" % name + "; t = t * 1.01; t = t + 0.01" * (length // 2) + "; t"


def chain_numexpr(length):
    text = "a"
    for i in range(length // 2):
        text = "(%s * 1.01 + 0.01)" % text
    return text


# A graph of thirty nodes of which most are read twice or three times.
def dag_statements():
    statements = ["v0 = a + b", "v1 = a - b", "v2 = v0 * b", "v3 = v1 + a"]
    for i in range(4, 30):
        statements.append(
            (
                "v%d = v%d + v%d" % (i, i - 1, i - 3),
                "v%d = v%d * 0.5" % (i, i - 1),
                "v%d = v%d - v%d" % (i, i - 1, i - 4),
                "v%d = v%d * a" % (i, i - 1),
            )[i % 4]
        )
    return statements


DAG = "\n".join(dag_statements())


def dag(xp, a, b):
    names = {"a": a, "b": b}
    exec(DAG, {}, names)
    return names["v29"]


def layer_norm_inputs(n):
    rows, columns = square(n)
    return {
        "x": ((rows, columns), "float32", "normal"),
        "g": ((columns,), "float32", "uniform"),
        "b": ((columns,), "float32", "uniform"),
    }


def distances_inputs(n):
    side = math.isqrt(n)
    return {"x": ((side, 16), "float32", "normal"), "y": ((side, 16), "float32", "normal")}


def products(dtype="float32"):
    return lambda n: {name: (square(n), dtype, "normal") for name in "ab"}


def fixed(**shapes):
    return lambda n: {name: (shape, "float32", "normal") for name, shape in shapes.items()}


def digits_inputs(n):
    return {"images": "digits-images.npy", "labels": "digits-labels.npy"}


def digits(xp, images, labels):
    x = xp.astype(images, "float64")
    one_hot = xp.astype(labels[:1000, None] == xp.arange(10, labels), "float64")
    centroids = one_hot.T @ x[:1000] / xp.sum(one_hot, 0)[:, None]
    d = x[1000:, None, :] - centroids
    distances = xp.sum(d * d, 2)
    return xp.mean(xp.astype(xp.argmin(distances, 1) == labels[1000:], "float64"), None)


DIGITS = """x = astype(images, float64)
one_hot = astype(labels[:1000, None] == arange(10), float64)
centroids = one_hot.T @ x[:1000] / sum(one_hot, axis=0)[:, None]
distances = sum((x[1000:, None] - centroids) ** 2, axis=2)
mean(argmin(distances, axis=1) == labels[1000:])""".replace("\n", "; ")

SOFTMAX = "e = exp(x - max(x, axis=%(axis)s, keepdims=true)); e / sum(e, axis=%(axis)s, keepdims=true)"
LAYER_NORM = (
    "d = x - mean(x, axis=-1, keepdims=true);"
    " d / sqrt(mean(d * d, axis=-1, keepdims=true) + 0.00001) * g + b"
)
LOG_SUM_EXP = "m = max(x, axis=-1, keepdims=true); log(sum(exp(x - m), axis=-1)) + m[:, 0]"
ATTENTION = (
    "s = q @ matrix_transpose(k) * 0.125; e = exp(s - max(s, axis=-1, keepdims=true));"
    " (e / sum(e, axis=-1, keepdims=true)) @ v"
)
MULADD = "(a * b + c) * 2 - d"
DISTANCE_SIZES = SIZES[:-1]
PRODUCT_SIZES = tuple(side * side for side in (64, 128, 256, 512, 1024, 2048))


def muladd(xp, a, b, c, d):
    return (a * b + c) * 2 - d


def squared_distances(xp, x, y):
    d = x[:, None, :] - y[None, :, :]
    return xp.sum(d * d, -1)


def product(xp, a, b):
    return a @ b


def reduction(name, axis, inputs=positive, tolerance=1e-4):
    text = "%s(x)" % name if axis is None else "%s(x, axis=%d)" % (name, axis)
    label = "%s %s" % (name, "all" if axis is None else "axis %d" % axis)
    return Workload(label, text, lambda xp, x: getattr(xp, name)(x, axis), inputs, tolerance=tolerance,
                    numexpr="sum(x)" if (name, axis) == ("sum", None) else None)


def unary(name, numexpr=None):
    return Workload(name, "%s(a)" % name, lambda xp, a: getattr(xp, name)(a), vectors("a"), numexpr=numexpr)


WORKLOADS = [
    Workload("add", "a + b", lambda xp, a, b: a + b, vectors("ab"), numexpr="a + b"),
    Workload("muladd", MULADD, muladd, vectors("abcd"), numexpr=MULADD),
    Workload("muladd float64", MULADD, muladd, vectors("abcd", "float64"), numexpr=MULADD),
    Workload("muladd int32", MULADD, muladd, vectors("abcd", "int32", "integers"), numexpr=MULADD),
    unary("exp", "exp(a)"),
    unary("tanh", "tanh(a)"),
    unary("sigmoid", "1 / (1 + exp(-a))"),
    Workload("sigmoid composed", "1 / (1 + exp(-a))", lambda xp, a: 1 / (1 + xp.exp(-a)), vectors("a"),
             numexpr="1 / (1 + exp(-a))"),
    unary("gelu"),
    Workload("chain of 20", chain_text(20, "a"), lambda xp, a: chain(a, 20), vectors("a"), numexpr=chain_numexpr(20)),
    Workload("graph of 30", "; ".join(dag_statements()) + "; v29", dag, vectors("ab"), tolerance=1e-4),
    Workload("where", "where(a > 0, a, b * 0.5)", lambda xp, a, b: xp.where(a > 0, a, b * 0.5), vectors("ab"),
             numexpr="where(a > 0, a, b * 0.5)"),
    reduction("sum", None),
    reduction("sum", 0),
    reduction("sum", 1),
    Workload("sum middle axis", "sum(x, axis=1)", lambda xp, x: xp.sum(x, 1), cube, tolerance=1e-4),
    reduction("mean", None),
    reduction("var", 1),
    reduction("max", 1, matrix, 0),
    reduction("argmax", 1, matrix, 0),
    Workload("softmax axis 1", SOFTMAX % {"axis": 1}, lambda xp, x: xp.softmax(x, 1), matrix, tolerance=5e-5),
    Workload("softmax axis 0", SOFTMAX % {"axis": 0}, lambda xp, x: xp.softmax(x, 0), matrix, tolerance=5e-5),
    Workload("layer norm", LAYER_NORM, lambda xp, x, g, b: xp.layer_norm(x, g, b), layer_norm_inputs, tolerance=5e-5),
    Workload("log-sum-exp", LOG_SUM_EXP, lambda xp, x: xp.logsumexp(x), matrix, tolerance=5e-5),
    Workload("squared distances", "sum((x[:, None] - y) ** 2, axis=2)", squared_distances, distances_inputs,
             DISTANCE_SIZES, tolerance=5e-5),
    Workload("strided slice", "x[:, ::2] * 2 + 1", lambda xp, x: x[:, ::2] * 2 + 1, matrix, numexpr="x * 2 + 1"),
    Workload("transposed copy", "contiguous(x.T)", lambda xp, x: xp.contiguous(x.T), matrix),
    Workload("matmul", "a @ b", product, products(), PRODUCT_SIZES, tolerance=1e-4, lib=True),
    Workload("matmul float64", "a @ b", product, products("float64"), PRODUCT_SIZES[:-1], lib=True),
    Workload("matmul transposed", "a.T @ b", lambda xp, a, b: a.T @ b, products(), (MI,), tolerance=1e-4, lib=True),
    Workload("matmul 8x4096x4096", "a @ b", product, fixed(a=(8, 4096), b=(4096, 4096)), (32 * KI,), tolerance=1e-4,
             lib=True),
    Workload("matmul 4096x64x4096", "a @ b", product, fixed(a=(4096, 64), b=(64, 4096)), (16 * MI,), tolerance=1e-4,
             lib=True),
    Workload("matmul 64 of 128", "a @ b", product, fixed(a=(64, 128, 128), b=(64, 128, 128)), (MI,), tolerance=1e-4,
             lib=True),
    Workload("matmul bias gelu", "gelu(a @ b * 0.0625 + c)", lambda xp, a, b, c: xp.gelu(a @ b * 0.0625 + c),
             fixed(a=(512, 512), b=(512, 512), c=(512,)), (256 * KI,), tolerance=1e-4, lib=True),
    Workload("attention", ATTENTION, lambda xp, q, k, v: xp.softmax(q @ xp.matrix_transpose(k) * 0.125, -1) @ v,
             fixed(q=(12, 128, 64), k=(12, 128, 64), v=(12, 128, 64)), (96 * KI,), tolerance=1e-4, lib=True),
    Workload("digits", DIGITS, digits, digits_inputs, (115008,), lib=True),
    Workload("chain of 1000", chain_text(1000, "a"), lambda xp, a: chain(a, 1000), vectors("a"), (64,), tolerance=1e-3),
    Workload("chain of 1000 unfused", chain_text(1000, "a"), lambda xp, a: chain(a, 1000), vectors("a"), (64,),
             tolerance=1e-3, flags="no-fusion"),
]

QUICK = ("add", "muladd", "sigmoid", "sum all", "softmax axis 1", "layer norm", "matmul", "transposed copy",
         "chain of 1000")
QUICK_SIZES = (64, 64 * KI, MI)
