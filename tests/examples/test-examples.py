# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The programs of examples/, each built as a user would, with nothing but
# pkg-config; and the plugin there, by its own makefile. What they print was
# computed by hand or with NumPy.

import os
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "packaging"))
from tap import check, done

source = os.environ["CANDELA_SOURCE_DIR"]
examples = os.path.join(source, "examples")
compiler = shlex.split(os.environ.get("CC", "cc"))

PRINTED = {
    # x - x.mean(axis=0)
    ("hello",): "[[-1.5 -1.5 -1.5]\n [ 1.5  1.5  1.5]]\n",
    # 3-4-5, 5-12-13, 8-15-17
    ("typed",): "[ 5. 13. 17.]\n",
    # x @ [[1, 1], [0, 1]] is [a, a + b] of each row [a, b]; the list is of int64, so the product is of float64: four
    # times 8 bytes. What follows is written over it.
    ("slots",): "a run needs 32 bytes\n[[10.  0.]\n [30.  0.]]\n[[ 0. 10.]\n [ 0. 10.]]\n",
    # 999999 * 1000000 / 2
    ("async",): "499999500000.0\n",
    # moments, and (x - m) / sqrt (v): -1.2247 is -sqrt (1.5)
    ("roots",): "[3. 6.]\n[ 2.66666667 10.66666667]\n"
    "[[-1.22474487 -1.22474487]\n [ 0.          0.        ]\n [ 1.22474487  1.22474487]]\n4 steps\n",
}


def run(*command, folder=None, environment=None):
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    return result.returncode, result.stdout + result.stderr


def test_programs(folder):
    _, flags = run("pkg-config", "--cflags", "--libs", "candela")
    names = sorted(n[:-2] for n in os.listdir(examples) if n.endswith(".c"))
    check("each program is tested", sorted({command[0] for command in PRINTED} ^ set(names)))
    for name in names:
        status, text = run(*compiler, "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror",
                           os.path.join(examples, name + ".c"), "-o", os.path.join(folder, name), *flags.split())
        check("%s is built" % name, [text] if status != 0 or text else [])
    for command, expected in PRINTED.items():
        status, text = run(os.path.join(folder, command[0]), *command[1:])
        check("%s prints what it should" % " ".join(command), [text] if status != 0 or text != expected else [])


def test_plugin(folder):
    plugin = os.path.join(folder, "plugin")
    shutil.copytree(os.path.join(examples, "plugin"), plugin)
    for root, folders, files in os.walk(plugin):
        for name in folders + files:
            os.chmod(os.path.join(root, name), 0o755)
    os.chmod(plugin, 0o755)
    make = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "DESTDIR")}
    status, text = run("make", folder=plugin, environment=make)
    check("the plugin is built", [text] if status != 0 or not os.path.exists(plugin + "/softsign.plugin") else [])

    # Before the build's own, which ./run has put there.
    path = dict(os.environ, CANDELA_PLUGIN_PATH=plugin + ":" + os.environ.get("CANDELA_PLUGIN_PATH", ""))

    def candela(*arguments):
        return run("candela", *arguments, environment=path)[1]

    # -1/2, 0, 3/4
    printed = candela("run", "softsign([-1.0, 0.0, 3.0])")
    check("its op computes", [printed] if printed != "[-0.5   0.    0.75]\n" else [])
    printed = candela("run", "x = linspace(-9, 9, 100003); all(softsign(x)[::-1] == (x / (1 + abs(x)))[::-1])")
    check("… as ops of Candela's own do", [printed] if printed != "True\n" else [])
    printed = candela("run", "softsign([1, 2])")
    check("… floats alone", [printed] if "softsign: x has dtype int64" not in printed else [])
    with open(os.path.join(plugin, "softsign.plugin"), encoding="utf-8") as file:
        key_file = file.read()
    check("its key file lists the op", key_file.endswith("\n[Ops]\nsoftsign=\n"))
    printed = candela("inspect", "--key-file", "softsign")
    check("… and is what the tool prints", [printed] if printed != key_file else [])

    installed = os.path.join(folder, "installed")
    status, text = run("make", "install", "DESTDIR=" + installed, folder=plugin, environment=make)
    found = {n for _, _, names in os.walk(installed) for n in names}
    check("it is installed where pkg-config says", [text] if found != {"softsign.so", "softsign.plugin"} else [])


with tempfile.TemporaryDirectory() as work:
    test_programs(work)
    test_plugin(work)
done()
