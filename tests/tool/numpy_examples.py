# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What NumPy makes of the examples that ops have. Candela's language is Python's, but for
# lists, which are arrays; the ops are those of NumPy by their names, or are written here.

import ast
import math

import numpy as np


class ListsAreArrays(ast.NodeTransformer):
    def visit_List(self, node):
        call = ast.Call(ast.Name("array", ast.Load()), [node], [])
        return ast.copy_location(call, node)


def along(x, axis, index):
    """The key of x that has the index at that axis."""
    return (slice(None),) * (axis % x.ndim) + (index,)


def changed(x, key, values):
    result = x.copy()
    result[key] = values
    return result


def at_axes(x, indices, axes):
    key = [slice(None)] * x.ndim
    for axis, index in zip(range(len(indices)) if axes is None else axes, indices):
        key[axis] = index
    return tuple(key)


def tensordot(x1, x2, axes=2, x1_axes=None, x2_axes=None):
    return np.tensordot(x1, x2, int(axes) if x1_axes is None else (x1_axes, x2_axes))


def sum_to(x, shape):
    x = x.sum(axis=tuple(range(x.ndim - len(shape))))
    return x.sum(axis=tuple(axis for axis, n in enumerate(shape) if n == 1), keepdims=True)


def moments(x, axis=None):
    return x.mean(axis=axis), x.var(axis=axis)


def centred(x, axis, eps):
    return x / np.sqrt((x * x).mean(axis=axis, keepdims=True) + eps)


def logsumexp(x, axis=None, keepdims=False):
    return np.logaddexp.reduce(x, axis=axis, keepdims=keepdims)


def gelu(x, approximate="none"):
    inner = {"none": lambda v: math.erf(v / math.sqrt(2)),
             "tanh": lambda v: math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3))}[approximate]
    return x * (1 + np.vectorize(inner)(x)) / 2


def cumulative(function):
    return lambda x, include_initial=False: np.concatenate(
        [function(x[:0], keepdims=True)[:include_initial], getattr(np, "cum" + function.__name__)(x)])


def sort(x, axis=-1, descending=False):
    return np.flip(np.sort(x, axis), axis) if descending else np.sort(x, axis)


def argsort(x, axis=-1, descending=False):
    return np.argsort(-x if descending else x, axis, kind="stable")


def unique(*parts):
    options = {"return_" + part: True for part in parts}
    return lambda x: np.unique(x, **options)


OPS = {
    "abs": np.abs, "clip": lambda x, min=None, max=None: np.clip(x, min, max), "bitwise_invert": np.invert,
    "round": np.round, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "atan2": np.arctan2, "relu": lambda x: np.maximum(x, 0),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "softplus": lambda x: np.logaddexp(0, x), "gelu": gelu,
    "astype": lambda x, dtype: x.astype(dtype),
    "max": np.max, "min": np.min, "sum": np.sum, "any": np.any, "all": np.all, "moments": moments, "sum_to": sum_to,
    "var": lambda x, correction=0: np.var(x, ddof=correction), "std": lambda x, correction=0: np.std(x, ddof=correction),
    "vecdot": lambda x1, x2: (x1.conj() * x2).sum(-1), "tensordot": tensordot,
    "einsum": lambda *words: np.einsum(words[-1], *words[:-1]),
    "identity": np.copy, "contiguous": np.ascontiguousarray, "permute_dims": np.transpose,
    "matrix_transpose": lambda x: np.swapaxes(x, -1, -2), "squeeze": lambda x, axis: np.squeeze(x, tuple(axis)),
    "flip": lambda x, axis=None: np.flip(x, None if axis is None else tuple(axis)),
    "slice": lambda x, axis, start, stop, step: x[along(x, axis, slice(start, stop, step))],
    "update": lambda x, value, key: changed(x, eval("np.s_[%s]" % key), value),
    "concat": lambda *arrays, axis=0: np.concatenate(arrays, axis), "stack": lambda *arrays, axis=0: np.stack(arrays, axis),
    "diff": lambda x, n=1, prepend=np._NoValue: np.diff(x, n, prepend=prepend),
    "softmax": lambda x: np.exp(x - logsumexp(x, -1, True)), "log_softmax": lambda x: x - logsumexp(x, -1, True),
    "logsumexp": logsumexp, "layer_norm": lambda x: centred(x - x.mean(axis=-1, keepdims=True), -1, 1e-5),
    "rms_norm": lambda x, eps: centred(x, -1, eps), "silu": lambda x: x / (1 + np.exp(-x)),
    "cumulative_sum": cumulative(np.sum), "cumulative_prod": cumulative(np.prod),
    "sort": sort, "argsort": argsort, "topk": lambda x, k: (sort(x, -1, True)[:k], argsort(x, -1, True)[:k]),
    "unique_values": unique(), "unique_counts": unique("counts"), "unique_inverse": unique("inverse"),
    "unique_all": unique("index", "inverse", "counts"),
    "take_along_axis": lambda x, indices, axis=-1: np.take_along_axis(x, indices, axis),
    "gather": lambda x, *indices, axes=None: x[at_axes(x, indices, axes)],
    "scatter": lambda x, values, *indices, axes=None: changed(x, at_axes(x, indices, axes), values),
    "put": lambda x, indices, values, axis=0: changed(x, along(x, axis, indices), values),
    "place": lambda x, mask, values: changed(x, mask, values), "boolean_mask": lambda x, mask: x[mask],
    "nonzero": lambda x: np.stack(np.nonzero(x)),
    "cholesky": lambda x, upper=False: np.linalg.cholesky(x).T.conj() if upper else np.linalg.cholesky(x),
    "svdvals": lambda x: np.linalg.svd(x, compute_uv=False), "vector_norm": lambda x, ord=2: np.linalg.norm(x, ord),
    "matrix_norm": lambda x, ord="fro": np.linalg.norm(x, {"1": 1, "inf": np.inf}.get(ord, ord)),
}
for name in ("qr", "eigh", "eigvalsh", "svd", "inv", "det", "slogdet", "solve", "matrix_power", "matrix_rank", "pinv"):
    OPS[name] = getattr(np.linalg, name)
for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftfreq", "rfftfreq"):
    OPS[name] = getattr(np.fft, name)

# Those of which a column, or a row, may have the other sign.
SIGNS_ARE_FREE = {"qr", "eigh", "svd"}
# Random numbers are those of Philox.
NOT_OF_NUMPY = {"random_uniform", "random_normal"}


def values(text):
    """Those of the last statement, as arrays."""
    tree = ast.fix_missing_locations(ListsAreArrays().visit(ast.parse(text)))
    tree.body[-1] = ast.copy_location(ast.Assign([ast.Name("_", ast.Store())], tree.body[-1].value), tree.body[-1])
    scope = {**vars(np), **OPS, "true": True, "false": False, "none": None}
    with np.errstate(all="ignore"):
        exec(compile(ast.fix_missing_locations(tree), text, "exec"), scope)
    found = scope["_"]
    flat = []
    for value in found if isinstance(found, tuple) else (found,):
        flat += value if isinstance(value, tuple) else [value]
    return [np.asarray(value) for value in flat]
