# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The types of Candela for gjs: made of the GIR, of the registry and of what is written by
# hand, and the examples checked against them by tsc. What that needs is
# installed by bindings/gjs/types/generate --install, which asks npm; where it is not, the
# test is skipped.

import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "packaging"))
from tap import check, done, skip

source = os.environ["CANDELA_SOURCE_DIR"]
build = os.environ["CANDELA_BUILD_DIR"]
folder = os.path.join(build, "types")


def why_not():
    if not os.path.exists(os.path.join(build, "candela", "Candela-1.0.typelib")) or not shutil.which("gjs"):
        return "no introspection for JavaScript"
    if not shutil.which("node"):
        return "node is missing"
    if not os.path.exists(os.path.join(folder, "node_modules", ".bin", "tsc")):
        return "bindings/gjs/types/generate --install %s has not been run" % os.path.relpath(folder, source)
    return None


def run(*command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=1800)
    return [] if result.returncode == 0 else [result.stdout]


def main():
    made = run("sh", os.path.join(source, "bindings", "gjs", "types", "generate"), folder)
    if not check("the types are made", made):
        return
    programs = os.path.join(folder, "programs")
    shutil.rmtree(programs, ignore_errors=True)
    shutil.copytree(os.path.join(source, "examples", "gjs"), programs)
    shutil.copy(os.path.join(source, "tests", "bindings", "types.js"), programs)
    check("the examples are as the types say, and what is wrong is not",
          run(os.path.join(folder, "node_modules", ".bin", "tsc"), "-p", folder))


reason = why_not()
if reason is None:
    main()
else:
    skip("types for gjs", reason)
done()
