# SPDX-License-Identifier: LGPL-2.1-or-later
#
# candela bench, and candela run --profile: what they print and write. No time is
# compared with another; only what follows from shapes has a value.

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "packaging"))
from tap import check, done

TOOL = os.environ.get("CANDELA", "candela")
KEYS = ["expr", "threads", "runs", "build_ns", "plan_ns", "run_ns", "bytes"]


def call(*arguments, text=""):
    return subprocess.run([TOOL, *arguments], input=text, capture_output=True, encoding="utf-8", timeout=120)


def told(result):
    return "status %d\n%s%s" % (result.returncode, result.stdout[:1000], result.stderr[:1000])


def bench(*arguments, **options):
    result = call("bench", "--json", *arguments, **options)
    return json.loads(result.stdout) if result.returncode == 0 and not result.stderr else {"failed": told(result)}


def measures(name, arguments, **expected):
    found = bench(*arguments)
    good = set(KEYS) <= set(found) and all(found[key] == value for key, value in expected.items())
    good = good and all(isinstance(found[key], int) and found[key] > 0 for key in KEYS[1:-1])
    good = good and found["run_min_ns"] <= found["run_ns"] <= found["run_max_ns"]
    check(name, good or [str(found)])


def fails(name, arguments, status, *words):
    result = call(*arguments)
    good = result.returncode == status and not result.stdout and all(word in result.stderr for word in words)
    check(name, good or [told(result)])


def test_bench():
    measures("all that is said",
             ["(a + b) * 2", "a=float32[1000,64]", "b=float32[64]", "--runs", "7", "--threads", "1"], expr="(a + b) * 2", threads=1, runs=7, bytes=4 * (64000 + 64 + 64000))
    measures("an input that is not read", ["b + 1; a + a", "a=int16[10]", "b=float32[64]", "--runs=1"], runs=1, bytes=40)
    measures("several values", ["m, v = moments(x, axis=0); m, v", "x=float64[5,3]", "--runs=2"],
             bytes=8 * (15 + 3 + 3))
    measures("no input", ["arange(10)", "--runs=2"], bytes=80)
    measures("an input of no axes", ["x + 1", "x=float64", "--runs=2"], bytes=16)
    measures("nothing to do", ["x * 2", "x=float32[0,3]", "--runs=2"], bytes=0)
    measures("options for the plan", ["exp(x + 1)", "x=float32[9]", "--no-fusion", "--no-reuse", "--no-inplace"],
             bytes=72)
    found = bench("-f", "-", "x=bool[4]", "--runs=3", text="y = ~x\ny & x\n")
    check("from standard input", found.get("bytes") == 8 and found["expr"] == "y = ~x\ny & x\n" or [str(found)])
    for dtype in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32",
                  "float64"):
        found = bench("max(x), min(x)", "x=%s[1000]" % dtype, "--runs=1") if dtype != "bool" \
            else bench("any(x), all(x)", "x=bool[1000]", "--runs=1")
        check("random arrays of %s" % dtype, "run_ns" in found or [str(found)])
    result = call("bench", "x + 1", "x=float32[100]", "--runs", "3")
    lines = dict(line.split(":", 1) for line in result.stdout.splitlines())
    check("as text", list(lines) == ["build", "plan", "run", "bytes", "bandwidth", "runs", "threads"]
          and lines["bytes"].strip() == "800" and lines["runs"].strip() == "3" or [told(result)])

    result = call("bench", "x + xy", "x=int8[2]", "xy=int8[2]", "y=int8[3]", "--runs=1")
    check("an input that the expression does not name is told",
          result.returncode == 0 and result.stderr == "candela: the expression does not name the input 'y'\n" or [told(result)])

    fails("no runs", ["bench", "1", "--runs", "0"], 2, "--runs")
    fails("no threads", ["bench", "1", "--threads", "0"], 2, "--threads")
    fails("less than no threads", ["bench", "1", "--threads", "-1"], 2, "--threads")
    fails("less than no runs", ["bench", "1", "--runs", "-1"], 2, "--runs")
    fails("no expression", ["bench", "x=float32[2]"], 2, "no expression")
    fails("shapes that do not fit", ["bench", "a + b", "a=int8[2]", "b=int8[3]"], 1, "[2]", "[3]")
    fails("an unknown dtype", ["bench", "a", "a=float33[2]"], 1, "float33")
    fails("more memory than there is", ["bench", "a + 1", "a=int8[1000000000000000]"], 1, "memory")


def test_profile():
    result = call("run", "t = exp([0.0, 0.0] * 2); sum(t)", "--profile")
    lines = result.stderr.splitlines()
    check("a table after the value", [] if result.returncode == 0 and result.stdout == "2.0\n" and len(lines) == 7
          and lines[0].startswith("2 steps in ") and lines[1].split()[:2] == ["step", "op"]
          and lines[2].split()[1] == "multiply+exp" and lines[3].split()[:2] == ["·", "multiply"]
          and lines[5].split()[1] == "sum" and "outside steps" in lines[6] else [told(result)])
    result = call("run", "t = exp([0.0, 0.0] * 2); sum(t)", "--stats", "--profile=trace.json", "-o", "sum.npy")
    check("a table, statistics and files", result.returncode == 0 and not result.stdout
          and "allocations:" in result.stderr and "multiply+exp" in result.stderr and os.path.exists("sum.npy")
          or [told(result)])
    with open("trace.json") as file:
        events = json.load(file)["traceEvents"]
    steps = [event["args"] for event in events if event["ph"] == "X"]
    check("a trace", [step["op"] for step in steps] == ["multiply+exp", "sum"]
          and steps[0]["parts"] == ["multiply", "exp"] and steps[0]["dtype"] == "float64"
          and steps[0]["shape"] == [2] and [step["bytes"] for step in steps] == [2 * 8 + 8 + 2 * 8, 2 * 8 + 8]
          and all(event["dur"] > 0 and event["ts"] >= 0 for event in events) or [str(events)])
    fails("a trace of no name", ["run", "1", "--profile="], 2, "--profile")
    result = call("run", "1", "--profile=nowhere/trace.json")
    check("a trace into nowhere", result.returncode == 1 and "nowhere" in result.stderr or [told(result)])


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    test_bench()
    test_profile()
    os.chdir("/")
done()
