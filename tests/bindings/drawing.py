# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What tests with Hypothesis share: settings, arrays as NumPy has them, and comparing.
# To be imported first: it goes on in the environment that has the packages.

import environment

environment.enter()

import os
import warnings

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from testing import equal

warnings.simplefilter("ignore")
settings.register_profile(
    "suite", derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck),
    max_examples=int(os.environ.get("CANDELA_TEST_EXAMPLES", "60")))
settings.load_profile("suite")

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float64"]
SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)


def elements(dtype, special=True):
    """Floats that are no larger than sums of some hundreds can bear, and what is special."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return st.booleans()
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return st.integers(int(limits.min), int(limits.max)) | st.integers(max(int(limits.min), -9), 9)
    width = 8 * dtype.itemsize
    plain = st.floats(-1e4, 1e4, width=32, allow_subnormal=False)
    return plain if not special else plain | st.floats(width=width)


def arrays(dtypes, shape=SHAPES, special=True):
    return st.sampled_from(dtypes).flatmap(lambda dtype: hnp.arrays(dtype, shape, elements=elements(dtype, special)))


def viewed(draw, x):
    """x by other strides: some of its axes reversed, or all of them transposed, or as every second element."""
    if x.ndim == 0:
        return x
    kind = draw(st.sampled_from(["plain", "reversed", "transposed", "spaced"]))
    if kind == "reversed":
        return np.ascontiguousarray(np.flip(x, -1))[..., ::-1]
    if kind == "transposed":
        return np.asfortranarray(x)
    if kind == "spaced":
        wide = np.empty(x.shape[:-1] + (2 * x.shape[-1],), x.dtype)
        wide[..., ::2] = x
        return wide[..., ::2]
    return x


def same(found, wanted, near=0.0):
    """Shape, dtype and elements; signs of zeros where nothing is rounded."""
    wanted = np.asarray(wanted)
    equal((found.shape, found.dtype.name), (wanted.shape, wanted.dtype.name))
    values = np.asarray(found)
    if near == 0.0:
        np.testing.assert_array_equal(values, wanted)
        if wanted.dtype.kind == "f":
            numbers = ~np.isnan(wanted)
            np.testing.assert_array_equal(np.signbit(values)[numbers], np.signbit(wanted)[numbers])
    else:
        np.testing.assert_allclose(values, wanted, rtol=near, atol=near)


def tolerance(dtype):
    return {"float32": 1e-5, "float64": 1e-12, "complex64": 1e-5, "complex128": 1e-12}.get(np.dtype(dtype).name, 0.0)
