# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The reference: that each op has a formula and an example, that the example calls the op,
# and that its values are NumPy's; and that the page of an op says all that it declares.

import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "packaging"))
from tap import check, done, skip

try:
    import numpy as np
    import gi

    gi.require_version("Candela", "1.0")
    from gi.repository import Candela, GLib
    from gi.overrides import Candela as core

    import candela
    import numpy_examples
except (ImportError, ValueError) as error:
    skip("the reference", str(error))
    done()


def calls(text, facts):
    """Whether it calls the op, by its name or as an operator."""
    symbols = [operator.split(":", 1)[1] for operator in facts["operators"]]
    return bool(re.search(r"\b%s\(" % facts["name"], text)) or any(
        re.search(r"\w\[" if symbol == "[]" else re.escape(symbol), text) for symbol in symbols)


def compute(text):
    expression = Candela.Expression.parse(text, -1, None)
    return [np.asarray(core._wrap(expression.get_nth_value(k))) for k in range(expression.get_n_values())]


def differences(name, text, found):
    wanted = numpy_examples.values(text)
    if len(found) != len(wanted):
        return ["%d values; NumPy has %d" % (len(found), len(wanted))]
    problems = []
    for x, y in zip(found, wanted):
        if name in numpy_examples.SIGNS_ARE_FREE:
            x, y = abs(x), abs(y)
        if x.dtype != y.dtype or x.shape != y.shape or not np.allclose(x, y, rtol=1e-12, atol=1e-15, equal_nan=True):
            problems.append("%s\nis not\n%s\n%s %s" % (x, y, x.dtype, y.dtype))
    return problems


def examine(facts):
    text = facts.get("example", "")
    if not facts.get("formula") or not text:
        return ["it has no formula, or no example"]
    if not calls(text, facts):
        return ["the example does not call it: " + text]
    try:
        found = compute(text)
    except GLib.Error as error:
        return ["%s: %s" % (text, error.message)]
    if sum(x.size for x in found) > 32:
        return ["the example has %d numbers" % sum(x.size for x in found)]
    return [] if facts["name"] in numpy_examples.NOT_OF_NUMPY else differences(facts["name"], text, found)


def call(*arguments):
    return subprocess.run(["candela", *arguments], capture_output=True, encoding="utf-8", timeout=120)


def cell(text):
    """As it stands in a table."""
    return re.sub(r"([\\\\`*_\[\]])", r"\\\1", text).replace("<", "&lt;").replace("|", "&#124;")


def printed(text):
    """What the tool prints for an expression."""
    expression = Candela.Expression.parse(text, -1, None)
    return "".join(expression.get_nth_value(k).materialize().to_string() + "\n"
                   for k in range(expression.get_n_values()))


def wanted_on_page(facts):
    yield "# %s\n\n%s.\n" % (facts["name"], cell(facts["summary"]))
    yield "\n```text\n%s (" % facts["name"]
    yield "\n```text\n%s\n```\n" % facts["formula"]
    yield "\n```expr\n%s\n```\n\nprints\n\n```text\n%s```\n" % (facts["example"], printed(facts["example"]))
    for row in facts["inputs"]:
        yield "\n| `%s` | %s" % (row["name"], row["need"])
        yield ": " + ", ".join(row["kinds"]) if "kinds" in row and "dtype" not in row else ""
        yield "read as " + row["dtype"] if "dtype" in row else ""
    for row in facts["params"]:
        yield "\n| `%s` | %s, " % (row["name"], row["type"])
        yield "by default `%s`" % row["default"] if "default" in row else ""
        yield "from %.15g to %.15g" % (row["minimum"], row["maximum"]) if "minimum" in row else ""
        yield "one of " + ", ".join("`%s`" % word for word in row["choices"]) if "choices" in row else ""
    for row in facts["inputs"] + facts["params"]:
        yield "| %s |\n" % cell(row.get("summary", ""))
    yield "\n## Dtypes\n" if facts["inputs"] else ""
    yield "\n| plugin | [%s](ops.md#%s) " % (facts["plugin"], facts["plugin"])
    yield ", since %s |" % facts["since"]
    if "expression" in facts:
        yield "\n```expr\n%s\n```\n" % facts["expression"]
        return
    for key in ("axes", "aliasing", "effect", "determinism", "threads", "output-shape"):
        yield "\n| %s | %s: " % (key, facts[key])
    for operator in facts["operators"]:
        yield "`%s`" % operator if "|" not in operator else "<code>%s</code>" % cell(operator)
    for pair in facts["in-place"]:
        yield cell(pair.split(":")[0]) + ", "


def examine_page(facts, folder):
    try:
        with open(os.path.join(folder, "op-%s.md" % facts["name"]), encoding="utf-8") as file:
            page = file.read()
    except OSError as error:
        return [str(error)]
    return ["it does not say: " + text for text in wanted_on_page(facts) if text not in page]


def examine_index(names, folder):
    with open(os.path.join(folder, "ops.md"), encoding="utf-8") as file:
        listed = re.findall(r"\(op-(\w+)\.md\)", file.read())
    files = sorted(os.listdir(folder))
    return [] if sorted(listed) == names and files == sorted(["ops.md"] + ["op-%s.md" % name for name in names]) else [
        "listed: %s\nfiles: %s" % (listed, files)]


def check_foreign(folder):
    """An op of which little is said, and one whose example is wrong."""
    path = os.path.join(folder, "mine.ops")
    text = "[Op error_function]\nLibrary=libm.so.6\nSymbol=erf\nSignature=double (double)\n"
    for extra, status, wanted in (
            ("", 0, "# error\\_function\n"), ("Formula=a\\nb\n", 0, "\n```text\na\nb\n```\n"),
            ("Example=error_function([0.0])\n", 0, "\nprints\n\n```text\n[0.]\n```\n"),
            ("Example=error_function(\n", 1, "candela: error_function: its example: line 1, column 16: ")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + extra)
        result = call("reference", path)
        told = result.stdout + result.stderr
        check("a .ops file with %r" % extra, result.returncode == status and wanted.replace("\\_", "_") in told or [told])


def main():
    every = [op.describe().unpack() for op in Candela.Registry.get_default().list_ops()]
    with tempfile.TemporaryDirectory() as folder:
        pages = os.path.join(folder, "deeper", "pages")
        result = call("reference", "--output", pages)
        check("pages are written", result.returncode == 0 and not result.stdout or [result.stderr])
        for facts in every:
            check("%s: formula and example" % facts["name"], examine(facts))
            check("%s: its page" % facts["name"], examine_page(facts, pages))
        check("help() in Python tells both", "\n    out[j] = maxᵢ x[i, j]\n" in candela.max.__doc__
              and "\n    x = [[1, 5, 3], [4, 2, 6]]; max(x), max(x, axis=0)\n" in candela.max.__doc__)
        check("ops.md lists all pages", examine_index(sorted(facts["name"] for facts in every), pages))
        check("an op and a plugin, one after the other", [] if [
            line for line in call("reference", "@", "scan").stdout.split("\n") if line.startswith("# ")
        ] == ["# matmul", "# cumulative_sum", "# cumulative_prod"] else ["not so"])
        check("no such op", call("reference", "no_such_op").returncode == 1)
        text = call("inspect", "sigmoid").stdout
        check("inspect tells both", text.startswith(
            "sigmoid (x)\n  1 / (1 + exp(-x))\n\n  out = 1 / (1 + e⁻ˣ)\n\n")
              and "\nexample:         sigmoid([-2.0, 0.0, 2.0])\n" in text or [text])
        check_foreign(folder)
    done()


main()
