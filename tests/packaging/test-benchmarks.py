# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Of the benchmark beside peers, what needs no peer and no clock: every workload's
# expression has a plan at each of its sizes, what other programs know by name
# are workloads, and the script says how it is used.

import ast
import glob
import os
import re
import subprocess
import sys

from tap import check, done

source = os.environ["CANDELA_SOURCE_DIR"]
build = os.environ["CANDELA_BUILD_DIR"]
folder = source + "/benchmarks/peers"
sys.dont_write_bytecode = True
sys.path.insert(0, folder)

import workloads  # noqa: E402

DIGITS = {"images": "uint8[1797,64]", "labels": "uint8[1797]"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def plan(workload, n):
    inputs = []
    for name, how in workload.inputs(n).items():
        spec = DIGITS[name] if isinstance(how, str) else "%s[%s]" % (how[1], ",".join(map(str, how[0])))
        inputs.append("%s=%s" % (name, spec))
    command = [source + "/run", "candela", "plan", "-f", "-", *inputs]
    result = subprocess.run(command, input=workload.candela, capture_output=True, text=True)
    return "" if result.returncode == 0 else "%s, n = %d: %s" % (workload.name, n, result.stderr)


unplanned = [plan(w, n) for w in workloads.WORKLOADS for n in {w.sizes[0], w.sizes[-1]}]
check("every workload has a plan", [text for text in unplanned if text])

names = [workload.name for workload in workloads.WORKLOADS]
check("workloads have names of their own", len(set(names)) == len(names))
check("the quick ones are workloads", [name for name in workloads.QUICK if name not in names])

loops = re.findall(r'^  \{ "([^"]+)", \w+, \'', read(source + "/benchmarks/limit.c"), re.M)
expected = {workload.name for workload in workloads.WORKLOADS if not workload.lib and "1000" not in workload.name}
check("every workload that is no library's has a plain loop", sorted(expected.symmetric_difference(loops)))

arms = re.search(r"match workload \{(.*?)\n        _ =>", read(folder + "/rust/src/main.rs"), re.S).group(1)
arms = re.findall(r'"([^"]+)"(?= \||\s*=>)', arms)
check("the crate is told of workloads", [name for name in arms if name not in names] if arms else ["none found"])

broken = []
for path in sorted(glob.glob(folder + "/*.py")) + [source + "/benchmarks/run"]:
    try:
        ast.parse(read(path), path)
    except SyntaxError as error:
        broken.append(str(error))
check("the programs can be read", broken)

help_text = subprocess.run([sys.executable, source + "/benchmarks/run", "--help"], capture_output=True, text=True)
check("benchmarks/run --help", help_text.returncode == 0 and "--quick" in help_text.stdout)
for option, value in (("--peers", "nobody"), ("--workloads", "nothing"), ("--sizes", "3x"), ("--threads", "0"),
                      ("--threads", "two"), ("--seconds", "-1"), ("--seconds", "nan")):
    wrong = subprocess.run([sys.executable, source + "/benchmarks/run", option + "=" + value], capture_output=True,
                           text=True, timeout=60)
    check("%s %s is an error of usage" % (option, value), wrong.returncode == 2 and value in wrong.stderr)
done()
