# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What the library exports, and how the structs of its headers are laid out, against what
# the first release had (abi/): programs and plugins that were built with that still run.
# New functions are no change; any other is told by libabigail. docs/abi.md has the rules.

import glob
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

from tap import check, done, skip

source = os.environ["CANDELA_SOURCE_DIR"]
build = os.environ["CANDELA_BUILD_DIR"]
library = os.path.join(build, "candela", ".libs", "libcandela-1.0.so.0")
baseline = os.path.join(source, "tests", "packaging", "abi", "libcandela-1.0-x86_64.abi")


def public_headers(folder):
    """Copies, since private ones lie among them."""
    for path in glob.glob(os.path.join(source, "candela", "**", "*.h"), recursive=True):
        if not path.endswith("-private.h") and not path.endswith("-template.h"):
            shutil.copy(path, folder)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def compare(old):
    return run("abidiff", "--no-added-syms", old, library)


def write(path):
    """Structs that are not in the installed headers are nobody's business, and left out."""
    with tempfile.TemporaryDirectory() as headers:
        public_headers(headers)
        result = run("abidw", "--drop-private-types", "--headers-dir", headers, "--exported-interfaces-only", "--no-show-locs",
                     "--no-elf-needed", "--no-corpus-path", "--no-comp-dir-path", "--out-file", path, library)
    sys.exit(result.stderr if result.returncode != 0 else 0)


def test():
    result = compare(baseline)
    check("the ABI is that of the baseline", [] if result.returncode == 0 else (result.stdout + result.stderr).split("\n"))

    # And a change would be seen.
    with open(baseline, encoding="utf-8") as file:
        text = file.read()
    for name, pattern, replacement in (
        ("a symbol that is gone", r"name='candela_node_materialize'", "name='candela_node_materialise'"),
        ("a struct of another size", r"(name='_?CandelaOpInfo' size-in-bits=)'\d+'", r"\1'64'"),
    ):
        changed, n = re.subn(pattern, replacement, text)
        with tempfile.NamedTemporaryFile("w", suffix=".abi", encoding="utf-8") as file:
            file.write(changed)
            file.flush()
            check("it would tell " + name, n > 0 and compare(file.name).returncode != 0)


if sys.argv[1:2] == ["--update"]:
    write(baseline)
if platform.machine() != "x86_64":
    skip("the ABI", "the baseline is that of x86-64")
elif shutil.which("abidiff") is None:
    skip("the ABI", "there is no abidiff; in Debian it is in abigail-tools")
elif ".debug_info" not in run("readelf", "-S", library).stdout:
    skip("the ABI", "the library has no debugging information")
else:
    test()
done()
