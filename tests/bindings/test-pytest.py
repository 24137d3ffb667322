# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests of one's own, with packages of one's own: pytest in a virtual environment, by
# the environment's Python and by ./run python3 where the environment is active.

import environment

if not environment.is_there():
    import sys

    print("1..0 # SKIP no packages of PyPI; ./run python3 tests/bindings/environment.py installs them")
    sys.exit(0)

import os
import subprocess
import tempfile

from testing import check, equal, run, test

TESTS = '''
import os
import sys

import hypothesis
import pytest

import candela as xp


def test_sum():
    assert float(xp.sum(xp.ones(3))) == 3.0
    assert os.path.realpath(sys.prefix) == %r


@pytest.mark.parametrize("n", [1, 2])
def test_shape(n):
    with pytest.raises(ValueError, match="cannot be broadcast"):
        xp.ones(n) + xp.ones(n + 2) + xp.ones(9)


def test_wrong():
    assert float(xp.sum(xp.ones(3))) == 4.0
'''


def pytest(command, active, *arguments):
    """The status of pytest over these tests, and what it prints."""
    # As in a terminal where nothing of Candela is known, but where ./run is.
    settings = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "GI_", "LD_"))}
    settings.pop("VIRTUAL_ENV", None)
    if active:
        settings["VIRTUAL_ENV"] = environment.folder
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/test_own.py", "w", encoding="utf-8") as file:
            file.write(TESTS % os.path.realpath(environment.folder))
        done = subprocess.run([os.environ["CANDELA_SOURCE_DIR"] + "/run", command, "-m", "pytest", "-q", "-p",
                               "no:cacheprovider", *arguments, folder], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, env=settings)
    return done.returncode, done.stdout


@test("by the environment's Python")
def by_path():
    status, output = pytest(environment.python, False, "-k", "not wrong")
    check("3 passed" in output, output)
    equal(status, 0)


@test("by ./run python3 in an active environment")
def active():
    status, output = pytest("python3", True, "-k", "not wrong")
    check("3 passed" in output, output)
    equal(status, 0)
    status, output = pytest("python3", True)
    check("1 failed, 3 passed" in output, output)
    equal(status, 1)


run()
