# SPDX-License-Identifier: LGPL-2.1-or-later
"""The extension linalg of the array API standard: products, decompositions and norms of
matrices, and of stacks of them."""

from collections import namedtuple

from gi.overrides import Candela as core

import candela

LinAlgError = core.LinAlgError

EighResult = namedtuple("EighResult", ("eigenvalues", "eigenvectors"))
QRResult = namedtuple("QRResult", ("Q", "R"))
SlogdetResult = namedtuple("SlogdetResult", ("sign", "logabsdet"))
SVDResult = namedtuple("SVDResult", ("U", "S", "Vh"))

# Ops by the standard's name and with its arguments.
_OPS = ("cholesky", "cross", "det", "diagonal", "eigvalsh", "inv", "matmul", "matrix_power", "matrix_transpose", "outer",
        "solve", "svdvals", "tensordot", "vecdot", "vector_norm")


def __getattr__(name):
    if name not in _OPS:
        raise AttributeError("module 'candela.linalg' has no attribute %r" % name)
    function = globals()[name] = getattr(candela, name)
    return function


def __dir__():
    return sorted(_OPS + ("EighResult", "LinAlgError", "QRResult", "SVDResult", "SlogdetResult", "eigh", "matrix_norm",
                          "matrix_rank", "pinv", "qr", "slogdet", "svd", "trace"))


__all__ = __dir__()


def eigh(x, /):
    """The eigenvalues of Hermitian matrices, from the smallest to the largest, and eigenvectors, as columns."""
    return EighResult(*core.outputs(core.apply("eigh", (x,))))


def qr(x, /, *, mode="reduced"):
    """x = Q R, with orthonormal columns in Q and R upper triangular; Q is square if mode is complete."""
    return QRResult(*core.outputs(core.apply("qr", (x,), "mode", mode)))


def slogdet(x, /):
    """The sign of the determinant, and the logarithm of its absolute value."""
    return SlogdetResult(*core.outputs(core.apply("slogdet", (x,))))


def svd(x, /, *, full_matrices=True):
    """x = U diag(S) Vh, with unitary U and Vh, and S from the largest to the smallest."""
    return SVDResult(*core.outputs(core.apply("svd", (x,), "full_matrices", full_matrices)))


def _with_rtol(name, x, rtol):
    return core.apply(name, (x,) if rtol is None else (x, rtol))


def matrix_rank(x, /, *, rtol=None):
    """How many singular values are more than rtol, one for all or for each matrix, times the largest."""
    return _with_rtol("matrix_rank", x, rtol)


def pinv(x, /, *, rtol=None):
    """The pseudo-inverse, without singular values of at most rtol times the largest."""
    return _with_rtol("pinv", x, rtol)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """A norm of each matrix: ord is 'fro', 'nuc', 1, -1, 2, -2, inf or -inf."""
    if not isinstance(ord, str):
        ord = "%g" % ord
    return core.apply("matrix_norm", (x,), "ord", ord, "keepdims", keepdims)


def trace(x, /, *, offset=0, dtype=None):
    """The sum of a diagonal of each matrix."""
    return candela.sum(core.apply("diagonal", (x,), "offset", offset), axis=-1, dtype=dtype)
