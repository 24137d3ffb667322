# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The candela command: what it takes, prints and writes, and what it says of bad
# input. Values are those of NumPy or of arithmetic by hand. What a plan may
# change about an expression (fusion, reuse, in place, threads) is tried in every
# combination: all must give the same bits.

import itertools
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "packaging"))
from tap import check, done, skip

try:
    import numpy as np
except ImportError:
    np = None

TOOL = os.environ.get("CANDELA", "candela")
FLAGS = ("--no-fusion", "--no-reuse", "--no-inplace")
COMBINATIONS = [
    [flag for flag, on in zip(FLAGS, choice) if on] + ["--threads", str(threads)]
    for choice in itertools.product((False, True), repeat=len(FLAGS))
    for threads in (1, 2)
]


def call(*arguments, text=None, env=None, timeout=120):
    data = text if isinstance(text, bytes) else (text or "").encode()
    return subprocess.run(
        [TOOL, *arguments], input=data, capture_output=True, timeout=timeout, env={**os.environ, **(env or {})}
    )


def told(result):
    return "status %d\n%s%s" % (result.returncode, result.stdout.decode("utf-8", "replace")[:500],
                                result.stderr.decode("utf-8", "replace")[:500])


def prints(name, arguments, expected, **options):
    result = call(*arguments, **options)
    good = result.returncode == 0 and result.stdout.decode() == expected and not result.stderr
    return check(name, [] if good else [told(result), "expected:\n" + expected])


def fails(name, arguments, status, *words, lines=1, **options):
    """Ends with the status, lines on standard error, nothing on standard output and no new file."""
    before = sorted(os.listdir("."))
    result = call(*arguments, **options)
    error = result.stderr.decode("utf-8", "replace")
    problems = []
    if result.returncode != status:
        problems.append("not status %d" % status)
    if result.stdout:
        problems.append("something on standard output")
    if len(error.splitlines()) != lines or not error.startswith("candela"):
        problems.append("not %d lines" % lines)
    problems += ["no %r in it" % word for word in words if word not in error]
    if sorted(os.listdir(".")) != before:
        problems.append("something was written")
    return check(name, problems and problems + [told(result)])


def same(a, b):
    """Bit for bit, but for the payloads of NaNs."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    nan = np.isnan(a)
    return bool(np.array_equal(nan, np.isnan(b)) and np.array_equal(a[~nan], b[~nan])
                and np.array_equal(np.signbit(a[~nan]), np.signbit(b[~nan])))


def test_basics():
    result = call("--version")
    check("version", result.returncode == 0 and result.stdout.startswith(b"candela "))
    for arguments in (["--help"], ["run", "--help"], ["plan", "--help"], ["inspect", "--help"]):
        result = call(*arguments)
        check(" ".join(arguments), result.returncode == 0 and b"Examples:" in result.stdout and not result.stderr)

    prints("a scalar", ["run", "1 + 2"], "3\n")
    prints("a float", ["run", "1 / 4"], "0.25\n")
    prints("a minus sign first", ["run", "-2 + 1"], "-1\n")
    prints("a minus sign after --", ["run", "--", "-2 + 1"], "-1\n")
    prints("two minus signs", ["run", "--2"], "2\n")
    prints("statements", ["run", "t = 3; t * t"], "9\n")
    prints("a statement that looks like an input", ["run", "t=3"], "3\n")
    prints("several values", ["run", "1, [2, 3]"], "1\n[2 3]\n")
    prints("from standard input", ["run", "-f", "-"], "[1 2]\n", text="x = [1,\n 2]\nx\n")
    with open("program.txt", "w") as file:
        file.write("a = [1.5, 2]\na * 2\n")
    prints("from a file", ["run", "--file=program.txt"], "[3. 4.]\n")
    prints("a million nodes", ["run", "-f", "-"], "[1000001]\n", text="[1]" + " + 1" * 1000000)


def test_usage():
    result = call()
    check("no command", result.returncode == 2 and result.stderr.startswith(b"Usage:"))
    fails("an unknown command", ["walk"], 2, "walk")
    fails("an unknown option", ["run", "--bogus", "1"], 2, "--bogus")
    fails("no expression", ["run"], 2, "no expression")
    fails("two expressions", ["run", "1", "2"], 2, "two expressions")
    fails("an expression and a file", ["run", "-f", "program.txt", "2"], 2)
    fails("no number of threads", ["run", "--threads", "0", "1"], 2, "threads")
    fails("less than no threads", ["run", "--threads", "-1", "1"], 2, "threads")
    fails("threads that are no number", ["run", "--threads", "many", "1"], 2, "many")
    fails("an option without its value", ["run", "1", "-o"], 2)
    fails("an output of no known kind", ["run", "1", "-o", "a.txt"], 2, ".npy")
    fails("two values for one .npy", ["run", "1, 2", "-o", "a.npy"], 2, ".npz")
    fails("one output twice", ["run", "a = 1", "-o", "a.npy", "-o", "a=a.npy"], 2, "twice")
    fails("an unknown format", ["plan", "1", "--format", "png"], 2, "png")
    fails("two things to inspect", ["inspect", "sum", "add"], 2)


def test_bad_input():
    with open("text.npy", "w") as file:
        file.write("not an array\n")
    with open("text.npz", "w") as file:
        file.write("not an archive\n")
    with open("latin.txt", "wb") as file:
        file.write(b"'\xe4'")
    open("empty.npy", "w").close()

    fails("a syntax error", ["run", "1 + + "], 1, "line 1, column 7: ", "\n      ^\n", lines=3)
    fails("an unknown op", ["run", "summ(1)"], 1, "line 1, column 1: ", "summ", "sum", lines=3)
    fails("an unknown name", ["run", "a"], 1, "unknown name 'a'", lines=3)
    fails("a wrong shape", ["run", "[1, 2] + [1, 2, 3]"], 1, "add", "[2]", "[3]", lines=3)
    fails("a wrong axis", ["run", "sum([1, 2], axis=1)"], 1, "sum", "axis 1", lines=3)
    fails("a wrong parameter", ["run", "sum([1, 2], axis='a')"], 1, "sum", "axis", lines=3)
    fails("sizes that overflow", ["run", "zeros([4611686018427387904, 4611686018427387904])"], 1, "zeros", lines=3)
    fails("more memory than there is", ["run", "zeros([1000000000000000]) + 1"], 1)
    fails("deep nesting", ["run", "-f", "-"], 1, "nested", text="(" * 100000 + "1" + ")" * 100000, lines=3)
    fails("deep lists", ["run", "-f", "-"], 1, "nested", text="[" * 100000, lines=3)
    fails("not UTF-8", ["run", "-f", "latin.txt"], 1, "UTF-8")
    fails("NUL", ["run", "-f", "-"], 1, "UTF-8", text=b"1 + \0 1")
    fails("nothing", ["run", ""], 1, "nothing", lines=3)
    fails("a missing input", ["run", "x", "x=missing.npy"], 1, "missing.npy")
    fails("a missing input, no suffix", ["run", "x + 1", "x=missing"], 1, "missing")
    fails("a folder", ["run", "x", "x=/"], 1)
    fails("text for an array", ["run", "x", "x=text.npy"], 1, "text.npy")
    fails("an empty file", ["run", "x", "x=empty.npy"], 1, "empty.npy")
    fails("text for an archive", ["run", "x", "x=text.npz"], 1, "text.npz")
    fails("an input given twice", ["run", "x", "x=text.npy", "x=text.npy"], 1)
    fails("a shape to run", ["run", "x", "x=float32[2]"], 1, "plan")
    fails("a missing program", ["run", "-f", "missing.txt"], 1, "missing.txt")
    fails("an output of an unknown name", ["run", "1", "-o", "b=b.npy"], 1, "'b'")
    fails("an output into nowhere", ["run", "1", "-o", "nowhere/a.npy"], 1, "nowhere")
    fails("one of two outputs into nowhere", ["run", "a = 1", "-o", "a.npy", "-o", "a=nowhere/a.npy"], 1, "nowhere")
    fails("a negative extent", ["plan", "x", "x=float32[2,-1]"], 1, "-1")
    fails("an extent that is no number", ["plan", "x", "x=float32[2,y]"], 1, "y")
    fails("33 axes", ["plan", "x", "x=float32[%s]" % ",".join(["1"] * 33)], 1, "32")
    fails("an unknown dtype", ["plan", "x", "x=float33[2]"], 1, "float33")
    fails("neither op nor plugin", ["inspect", "nosuch"], 1, "nosuch")
    fails("a module that is text", ["inspect", "./text.npy"], 1, "text.npy")
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w") as full:
            result = subprocess.run([TOOL, "run", "1"], stdout=full, stderr=subprocess.PIPE)
        check("a full disk", result.returncode == 1 and result.stderr.count(b"\n") == 1)
        os.symlink("/dev/full", "full")
        fails("a plan onto a full disk", ["plan", "1 + 2", "-o", "full"], 1, "full")
        check("a trace onto a full disk", call("run", "1 + 2", "--profile=full").returncode == 1)
        check("a device stays one", not os.path.isfile("/dev/full") and os.path.islink("full"))


def test_files():
    x = np.arange(24, dtype="float32").reshape(4, 6)
    np.save("x.npy", x)
    np.save("f.npy", np.asfortranarray(x))
    np.savez("two.npz", a=x, b=x + 1)
    np.savez("one.npz", a=x)

    prints("printed as NumPy prints", ["run", "x[:2] / 3", "x=x.npy"], "%s\n" % (x[:2] / np.float32(3)))
    prints("options first or last", ["run", "--threads", "2", "x=x.npy", "x[0, 0]", "--no-fusion"], "0.0\n")
    prints("negation of an input", ["run", "-x[0]", "x=x.npy"], "%s\n" % -x[0])
    prints("an archive of one", ["run", "sum(a)", "a=one.npz"], "276.0\n")
    prints("a member of an archive", ["run", "b[0, 0]", "b=two.npz:b"], "1.0\n")
    fails("an archive of two", ["run", "a", "a=two.npz"], 1, "a, b", "two.npz:")
    fails("no such member", ["run", "a", "a=two.npz:c"], 1, "'c'")

    result = call("run", "m, v = moments(x, axis=0); (x - m) / 2", "x=f.npy", "-o", "y.npy", "-o", "m=m.npz", "-o",
                  "v=v.npy")
    check("several outputs", [] if result.returncode == 0 and not result.stdout and not result.stderr
          and same(np.load("y.npy"), (x - x.mean(0)) / np.float32(2)) and same(np.load("m.npz")["m"], x.mean(0))
          and np.allclose(np.load("v.npy"), x.var(0)) else [told(result)])
    result = call("run", "a = x + 1; b = x[0]; a, b, a", "x=x.npy", "-o", "values.npz")
    values = np.load("values.npz") if result.returncode == 0 else {}
    check("several values in one file", [] if set(values) == {"a", "b", "arr_2"} and same(values["a"], x + 1)
          and same(values["b"], x[0]) and same(values["arr_2"], x + 1) else [told(result)])

    np.save("z.npy", x)
    result = call("run", "z = z * 2; z", "z=z.npy", "-o", "z.npy")
    check("over an input", [] if result.returncode == 0 and same(np.load("z.npy"), x * 2) else [told(result)])
    before = sorted(os.listdir("."))
    result = call("run", "z + [1]", "z=z.npy", "-o", "z.npy", "-o", "z=nowhere/z.npy")
    check("an output stays if another fails", result.returncode == 1 and same(np.load("z.npy"), x * 2)
          and sorted(os.listdir(".")) == before)


def test_stats():
    result = call("run", "--stats", "(x + 1) * 2", "x=x.npy", "-o", "y.npy")
    lines = dict(line.split(":", 1) for line in result.stderr.decode().splitlines())
    check("statistics", [] if lines.get("steps", "").strip() == "1" and lines.get("allocations", "").strip() == "1"
          and lines.get("peak", "").strip() == "96 bytes" else [told(result)])
    pooled = []
    for limit in "0", "1G":
        result = call("run", "--stats", "sum(arange(100000.0) * 2)", env={"CANDELA_POOL_LIMIT": limit})
        lines = dict(line.split(":", 1) for line in result.stderr.decode().splitlines())
        pooled.append(int(lines.get("pooled", "-1 bytes").split()[0]))
    check("memory that is kept", [] if pooled[0] == 0 and 800000 <= pooled[1] <= 2000000 else pooled)


def test_interrupt():
    """Two signals: the first ends the run, and takes what it has not written with it."""
    process = subprocess.Popen([TOOL, "run", "-f", "-", "-o", "never.npy"], stdin=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    process.stdin.write(b"x = arange(4000000.0)\n" + b"x = sin(x)\n" * 2000 + b"x\n")
    process.stdin.close()
    time.sleep(0.7)
    process.send_signal(signal.SIGINT)
    try:
        status = process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        status = process.wait()
    error = process.stderr.read().decode()
    check("interrupted", [] if status == 130 and error.startswith("candela: ") and error.count("\n") == 1
          and not os.path.exists("never.npy") else ["status %d" % status, error])


def run_on_terminal(program):
    """What a run shows on a terminal, its status, and how long it took."""
    master, slave = pty.openpty()
    start = time.monotonic()
    process = subprocess.Popen([TOOL, "run", "--threads", "1", "-f", "-", "-o", "bar.npy"], stdin=subprocess.PIPE,
                               stderr=slave)
    process.stdin.write(program.encode())
    process.stdin.close()
    os.close(slave)
    shown = b""
    try:
        while True:
            block = os.read(master, 65536)
            if not block:
                break
            shown += block
    except OSError:
        pass
    os.close(master)
    return shown, process.wait(), time.monotonic() - start


def test_progress():
    """A bar on a terminal for what takes longer than a second."""
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError as error:
        skip("a progress bar", "this system has no terminals to give: %s" % error)
        return
    for n in (50, 200, 800, 3200):
        shown, status, seconds = run_on_terminal("x = arange(4000000.0)\n" + "x = sin(x)\n" * n + "x\n")
        if seconds > 2:
            break
    check("a progress bar", [] if status == 0 and b"%" in shown and shown.endswith(b"\r\x1b[K")
          else ["%.1f s, %r" % (seconds, shown[-200:])])
    shown, status, seconds = run_on_terminal("1 + 1")
    check("no progress bar for what is short", status == 0 and shown == b"")


def test_plan():
    result = call("plan", "(a + b) * 2.0", "a=float32[1000,64]", "b=float32[64]", "--format=json")
    plan = json.loads(result.stdout)
    check("a plan in JSON", [] if plan["allocations"] == 1 and plan["peak_bytes"] == 256000
          and plan["lower_bound_bytes"] == 256000 and len(plan["steps"]) == 1 else [told(result)])
    result = call("plan", "(a + b) * 2.0", "a=float32[1000,64]", "b=float32[64]", "--format=json", "--no-fusion")
    plan = json.loads(result.stdout)
    kinds = [step["output"]["kind"] if isinstance(step["output"], dict) else step["outputs"][0]["kind"]
             for step in plan["steps"]]
    check("a plan without fusion", kinds == ["allocate", "in-place"] or [str(kinds)])
    for form, start in (("text", ""), ("dot", "digraph"), ("svg", "<")):
        result = call("plan", "a.T + 1", "a=float32[3,2]", "--format", form)
        if b"built without Graphviz" in result.stderr:
            skip("a plan as %s" % form, "no Graphviz")
            continue
        check("a plan as %s" % form, [] if result.returncode == 0 and result.stdout.decode().lstrip().startswith(start)
              else [told(result)])
    result = call("plan", "x + 1", "x=x.npy", "-o", "plan.txt")
    check("a plan into a file", result.returncode == 0 and not result.stdout and os.path.getsize("plan.txt") > 0)
    check("a scalar's shape", call("plan", "x + 1", "x=float32[]").returncode == 0
          and call("plan", "x + 1", "x=float32").returncode == 0)


def test_foreign():
    by_name = ("--foreign", "c_jn = double (int n, double x) libm.so.6:jn; Parameters=n; Default.n=0; Range.n=0,")
    prints("a foreign op", ["run", "--foreign", "c_erf=double (double) libm.so.6:erf", "c_erf([0.0, 0.5])"],
           "[0.         0.52049988]\n")
    prints("with a parameter", ["run", *by_name, "c_jn([1.0, 2.0], n=1)"], "[0.44005059 0.57672481]\n")
    with open("some.ops", "w", encoding="utf-8") as file:
        file.write("[Op c_cos]\nLibrary=libm.so.6\nSymbol=cos\nSignature=double (double)\n")
    prints("a file of them", ["run", "--foreign", "some.ops", "c_cos(0.0)"], "1.0\n")
    fails("no library", ["run", "--foreign", "c_erf=double (double)", "1"], 1, "has no library after the signature")
    fails("no name", ["plan", "--foreign", "erf", "1"], 1, "it has no name", "NAME=SIGNATURE LIBRARY")
    fails("no such function", ["bench", "--foreign", "c_erf=double (double) libm.so.6:erg", "1"], 1,
          'its library "libm.so.6" has no function "erg"')
    fails("a taken name", ["run", "--foreign", "exp=double (double) libm.so.6", "1"], 1,
          'plugin elementwise has an op "exp"')


def test_new_plugin():
    """What it writes is built by tests/packaging/test-install.py."""
    result = call("new-plugin", "mine-2", "--op", "first", "--op", "second", "--op", "third", "--op", "fourth")
    check("a project", [] if result.returncode == 0 else [told(result)])
    check("its files", sorted(os.listdir("mine-2")) == ["README.md", "meson.build", "mine-2.c", "test-mine-2.c"])
    text = ""
    for name in os.listdir("mine-2"):
        with open(os.path.join("mine-2", name)) as file:
            text += file.read()
    check("all ops, and nothing left to fill in",
          all(word in text for word in ("first", "second", "third", "fourth")) and not re.search("@(plugin|id|license|ops?|OP|infos|adds)@", text))
    before = os.stat("mine-2/mine-2.c").st_mtime_ns
    fails("a folder with something in it", ["new-plugin", "mine-2"], 1, "already")
    check("nothing is written over", os.stat("mine-2/mine-2.c").st_mtime_ns == before)
    for name, arguments in (
        ("no name", []),
        ("two names", ["a", "b"]),
        ("a name with a space", ["a b"]),
        ("a name with a slash", ["../a"]),
        ("no letter at the beginning", ["1a"]),
        ("a capital", ["Mine"]),
        ("a bad op", ["mine3", "--op", "a-b"]),
        ("an op twice", ["mine3", "--op", "a", "--op", "a"]),
        ("an op as the plugin", ["mine3", "--op", "mine3_norm", "--op", "x"]),
        ("a bad build system", ["mine3", "--build", "make"]),
        ("a licence with quotes", ["mine3", "--license", 'a"b']),
    ):
        fails("new-plugin: " + name, ["new-plugin", *arguments], 2)
    result = call("new-plugin", "mine4", "--op", "add", "--build", "autotools", "-o", "deep/er")
    check("a name that is taken is told", result.returncode == 0 and b"elementwise" in result.stderr)
    check("autotools", sorted(os.listdir("deep/er")) == ["Makefile.am", "README.md", "configure.ac", "mine4.c", "test-mine4.c"])
    with open("file", "w") as file:
        file.write("x")
    fails("a file where the folder is to be", ["new-plugin", "mine5", "-o", "file/mine5"], 1, "file/mine5")
    shutil.rmtree("mine-2")
    shutil.rmtree("deep")
    os.remove("file")


def test_inspect():
    everything = json.loads(call("inspect", "--json").stdout)
    names = {plugin["name"]: [op["name"] for op in plugin["ops"]] for plugin in everything["plugins"]}
    check("all plugins", {"layout", "elementwise", "reduce", "create"} <= set(names))
    listing = call("inspect").stdout.decode()
    missing = [op for ops in names.values() for op in ops if "\n  %s " % op not in listing]
    check("all ops", missing)
    problems = []
    for ops in names.values():
        for op in ops:
            facts = json.loads(call("inspect", op, "--json").stdout)
            if facts["name"] != op or not facts["summary"]:
                problems.append(op)
    check("every op", problems)
    text = call("inspect", "sum").stdout.decode()
    check("an op as text", [] if text.startswith("sum (x, ") and "keepdims" in text and "aliasing" in text else [text])
    check("an operator", call("inspect", "@").stdout == call("inspect", "matmul").stdout)
    plugin_text = call("inspect", "reduce", env={"CANDELA_CPU": "baseline"}).stdout.decode()
    check("what serves a plugin", [] if "\nloops:   baseline\n" in plugin_text else [plugin_text])
    plugin = json.loads(call("inspect", "reduce", "--json").stdout)
    by_path = json.loads(call("inspect", plugin["filename"], "--json").stdout)
    check("a plugin by name and by path", plugin["name"] == "reduce" and by_path["ops"] == plugin["ops"])
    for name, arguments, status in (
        ("a plugin", ["--exists", "reduce"], 0),
        ("an op", ["--exists", "sum"], 0),
        ("an operator", ["--exists", "@"], 0),
        ("a file", ["--exists", plugin["filename"]], 0),
        ("nothing", ["--exists", "nosuch"], 1),
        ("no file", ["--exists", "./nosuch.so"], 1),
        ("its version", ["--exists", "reduce", "--atleast-version", plugin["version"]], 0),
        ("an older one", ["--atleast-version", "0.9.99", "reduce"], 0),
        ("that of an op's plugin", ["--atleast-version=0.1", "sum"], 0),
        ("a later one", ["--atleast-version", plugin["version"] + ".1", "reduce"], 1),
        ("a much later one", ["--atleast-version", "10", "sum"], 1),
    ):
        result = call("inspect", *arguments)
        check("whether there is " + name, [] if (result.returncode, result.stdout) == (status, b"") else [result])
    fails("whether there is what", ["inspect", "--exists"], 2)
    fails("a version of what", ["inspect", "--atleast-version", "1"], 2)
    fails("all that is refused of one", ["inspect", "--blacklist", "sum"], 2)
    blocked = call("inspect", "--blacklist", env={"CANDELA_PLUGIN_BLOCK": "reduce"}).stdout.decode().splitlines()
    check("a blocked plugin", [] if blocked == [plugin["filename"] + ": it is blocked by CANDELA_PLUGIN_BLOCK"] else blocked)
    fails("an op of a blocked plugin", ["inspect", "sum"], 1, "blocked", env={"CANDELA_PLUGIN_BLOCK": "reduce"})
    shutil.copy(plugin["filename"], "reduce.so")
    moved = dict(env={"CANDELA_PLUGIN_PATH": os.getcwd() + ":" + os.environ.get("CANDELA_PLUGIN_PATH", "")})
    check("the first in the path", json.loads(call("inspect", "reduce", "--json", **moved).stdout)["filename"]
          == os.path.join(os.getcwd(), "reduce.so"))
    os.remove("reduce.so")
    with open("broken.so", "w") as file:
        file.write("text\n")
    result = call("inspect", env={"CANDELA_PLUGIN_PATH": "." + ":" + os.environ.get("CANDELA_PLUGIN_PATH", "")})
    check("a refused module, with the reason", [] if result.returncode == 0 and b"refused:" in result.stdout
          and b"broken.so" in result.stdout and b"sum" in result.stdout else [told(result)])
    os.remove("broken.so")


# Expressions that went wrong in engines like this one. Inputs are float64 unless
# a dtype is given; values are by hand.
STORIES = [
    ("the last writer is the last reader", "t=a+1; u=relu(t); v=t*2; u+v", {"a": [-3, 1]}, [-4, 6]),
    ("a view of a view", "t=x+1; v=t.T; b=x*x; c=b*2; v+c.T", {"x": [[0, 1, 2], [3, 4, 5]]},
     [[1, 22], [4, 37], [11, 56]]),
    ("one buffer through two layouts", "t=arange(8)+0; t+t[::-1]", {}, [7] * 8),
    ("a small buffer broadcast", "t=x*1; t+[[1,2],[3,4]]", {"x": [1, 2]}, [[2, 4], [4, 6]]),
    ("the output's shape", "t=x+1; t+ones([1,1,4])", {"x": [0, 1, 2, 3]}, [[[2, 3, 4, 5]]]),
    ("a dirty buffer and no products", "t=x*0+7; u=t+1; a=ones([2,0]); b=ones([0,3]); (a@b)+0*u[0]", {"x": [1.0]},
     [[0, 0, 0], [0, 0, 0]]),
    ("a sum over nothing", "sum(ones([0,3]), axis=0)", {}, [0, 0, 0]),
    ("no rows", "sum(zeros([0,4])@ones([4,3]), axis=1)", {}, np.zeros(0) if np else []),
    ("other addresses", "relu((x+0.0).T-2.0)", {"x": [[0, 1, 2], [3, 4, 5]]}, [[0, 1], [0, 2], [0, 3]]),
    ("two layouts in a region", "t=x+0.0; t*2.0+t[::-1]", {"x": [0, 1, 2, 3]}, [3, 4, 5, 6]),
    ("a region that is not convex", "a=x+1.0; a+a@a", {"x": [[0, 1], [2, 3]]}, [[8, 12], [18, 26]]),
    ("a takeover and a sum", "t=x.T; s=sum(t); s-sum(contiguous(t))", {"x": ("float32", [[1e8, 1], [-1e8, 1]])}, 0),
    ("two outputs in place", "q,r=divmod(a+0.0,b+0.0); q*10.0+r", {"a": [7, -7], "b": [2, 2]}, [31, -39]),
    ("integer division", "x//y", {"x": ("int32", [-2147483648, 7, -7]), "y": ("int32", [-1, 0, 2])},
     [-2147483648, 0, -4]),
    ("integer remainder", "x%y", {"x": ("int32", [-2147483648, 7, -7]), "y": ("int32", [-1, 0, 2])}, [0, 0, 1]),
    ("no contraction", "a*a+c", {"a": ("float32", [1 + 2.0**-12]), "c": ("float32", [-(1 + 2.0**-11)])}, [0]),
]


def save_inputs(inputs):
    words = []
    for name, value in inputs.items():
        dtype, data = value if isinstance(value, tuple) else ("float64", value)
        np.save("in_%s.npy" % name, np.array(data, dtype))
        words.append("%s=in_%s.npy" % (name, name))
    return words


def test_stories():
    for name, text, inputs, expected in STORIES:
        words = save_inputs(inputs)
        problems = []
        for flags in COMBINATIONS:
            result = call("run", text, *words, *flags, "-o", "story.npy", env={"CANDELA_DEBUG": "poison"})
            value = np.load("story.npy") if result.returncode == 0 else None
            if value is None or not np.array_equal(value, np.array(expected)) or value.shape != np.shape(expected):
                problems.append("%s: %s" % (" ".join(flags), told(result) if value is None else value))
        check("story: " + name, problems)

    np.save("in_x.npy", np.array([30.0004959, 1000], "float32"))
    problems = []
    for flags in COMBINATIONS:
        call("run", "a = sin(x)[0:1]; b = sin(x[0:1]); a, b", "x=in_x.npy", *flags, "-o", "lanes.npz")
        lanes = np.load("lanes.npz")
        if not same(lanes["a"], lanes["b"]):
            problems.append(" ".join(flags))
    check("story: a neighbour's lane", problems)

    np.save("in_x.npy", np.arange(6.0).reshape(2, 3))
    problems = []
    for flags in COMBINATIONS:
        call("run", "t=x*2; v=reshape(t,[6]); e=(t+1)*3; v, e", "x=in_x.npy", *flags, "-o", "roots.npz")
        roots = np.load("roots.npz")
        if roots["v"].tolist() != [0, 2, 4, 6, 8, 10] or roots["e"].tolist() != [[3, 9, 15], [21, 27, 33]]:
            problems.append(" ".join(flags))
    check("story: a view that is a result", problems)
    check("story: inputs stay as they are", np.load("in_x.npy").tolist() == [[0, 1, 2], [3, 4, 5]])


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        test_basics()
        test_usage()
        test_bad_input()
        if np is None:
            skip("values against NumPy", "no NumPy")
        else:
            test_files()
            test_stats()
            test_plan()
            test_stories()
        test_inspect()
        test_foreign()
        test_new_plugin()
        test_interrupt()
        test_progress()
        os.chdir("/")
    done()


main()
