# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Packages of PyPI that tests use, of the versions in requirements.txt, in a virtual
# environment under the build's folder that sees the system's packages too. Run as a
# program this makes it; tests that need it run in it, or are skipped where it is not.

import os
import subprocess
import sys

folder = os.path.join(os.environ["CANDELA_BUILD_DIR"], "tests-env")
python = os.path.join(folder, "bin", "python")
requirements = os.path.join(os.path.dirname(os.path.abspath(__file__)), "requirements.txt")
# What was installed, once all of it is there.
installed = os.path.join(folder, "installed.txt")


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def is_there():
    return read(installed) == read(requirements)


def make():
    if not os.path.exists(os.path.join(folder, "bin", "pip")):
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", folder], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements],
                   check=True)
    with open(installed, "w", encoding="utf-8") as file:
        file.write(read(requirements))


def enter():
    """Goes on in the environment, or says that it is not there and ends."""
    if os.path.realpath(sys.prefix) == os.path.realpath(folder):
        return
    if not is_there():
        print("1..0 # SKIP no packages of PyPI; ./run python3 tests/bindings/environment.py installs them")
        sys.exit(0)
    os.execv(python, [python, *sys.argv])


if __name__ == "__main__" and not is_there():
    make()
