# SPDX-License-Identifier: LGPL-2.1-or-later
"""The extension fft of the array API standard: discrete Fourier transforms."""

from gi.overrides import Candela as core

from candela import _functions


def __getattr__(name):
    if name not in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
        raise AttributeError("module 'candela.fft' has no attribute %r" % name)
    function = _functions.make(name)
    if function is None:
        raise AttributeError("the plugin fft, which has %s, is not here" % name)
    globals()[name] = function
    return function


def __dir__():
    return ["fft", "ifft", "fftn", "ifftn", "rfft", "irfft", "rfftn", "irfftn", "hfft", "ihfft", "fftfreq", "rfftfreq",
            "fftshift", "ifftshift"]


__all__ = __dir__()


def _axes(x, s, axes):
    """The axes, and how long each is to be."""
    if axes is None:
        axes = tuple(range(x.ndim)) if s is None else tuple(range(x.ndim - len(s), x.ndim))
    axes = tuple(axes)
    if s is None:
        lengths = (None,) * len(axes)
    else:
        lengths = tuple(s)
    if len(lengths) != len(axes):
        raise ValueError("s has %d lengths for %d axes" % (len(lengths), len(axes)))
    if not axes:
        raise ValueError("a transform along no axis")
    return axes, [None if n == -1 else n for n in lengths]


def _along(name, x, n, axis, norm):
    return core.apply(name, (x,), "n", n, "axis", axis, "norm", norm)


def fftn(x, /, *, s=None, axes=None, norm="backward"):
    """The discrete Fourier transform along several axes, cut or filled with zeros to the lengths s."""
    axes, lengths = _axes(x, s, axes)
    for axis, n in zip(axes, lengths):
        x = _along("fft", x, n, axis, norm)
    return x


def ifftn(x, /, *, s=None, axes=None, norm="backward"):
    """The inverse of fftn."""
    axes, lengths = _axes(x, s, axes)
    for axis, n in zip(axes, lengths):
        x = _along("ifft", x, n, axis, norm)
    return x


def rfftn(x, /, *, s=None, axes=None, norm="backward"):
    """The transform of real numbers along several axes; along the last one its first half."""
    axes, lengths = _axes(x, s, axes)
    x = _along("rfft", x, lengths[-1], axes[-1], norm)
    for axis, n in zip(axes[:-1], lengths[:-1]):
        x = _along("fft", x, n, axis, norm)
    return x


def irfftn(x, /, *, s=None, axes=None, norm="backward"):
    """The inverse of rfftn."""
    axes, lengths = _axes(x, s, axes)
    for axis, n in zip(axes[:-1], lengths[:-1]):
        x = _along("ifft", x, n, axis, norm)
    return _along("irfft", x, lengths[-1], axes[-1], norm)


def _frequencies(name, n, d, dtype, device):
    if device not in (None, "cpu"):
        raise ValueError("there is one device, 'cpu', and not %r" % (device,))
    return core.apply(name, (), "n", n, "d", float(d), "dtype", core.as_dtype(dtype))


def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """The frequencies of the numbers that fft gives, where numbers are a time d apart."""
    return _frequencies("fftfreq", n, d, dtype, device)


def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """The frequencies of the numbers that rfft gives, where numbers are a time d apart."""
    return _frequencies("rfftfreq", n, d, dtype, device)


def _shift(x, axes, turn):
    axes = tuple(range(x.ndim)) if axes is None else (axes,) if isinstance(axes, int) else tuple(axes)
    return core.apply("roll", (x,), "shift", tuple(turn(x.shape[axis]) for axis in axes), "axis", axes)


def fftshift(x, /, *, axes=None):
    """The frequency zero to the middle."""
    return _shift(x, axes, lambda n: n // 2)


def ifftshift(x, /, *, axes=None):
    """The inverse of fftshift."""
    return _shift(x, axes, lambda n: -(n // 2))
