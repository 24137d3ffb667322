# SPDX-License-Identifier: LGPL-2.1-or-later
#
# candela check: what holds, and what does not. The module liars has an op for each lie
# that an op can tell; each is caught, by the fact that is at fault and in words that say
# what was seen. All ops that ship keep what they declare.

import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "packaging"))
from tap import check, done

TOOL = os.environ.get("CANDELA", "candela")
LIARS = os.path.join(os.environ["G_TEST_BUILDDIR"], "op", ".libs", "liars.so")
ENVIRONMENT = dict(os.environ, CANDELA_PLUGIN_PATH=os.path.dirname(LIARS) + ":" + os.environ["CANDELA_PLUGIN_PATH"])

# Each liar: the facts by which it may be caught, and a part of what is said.
LIES = {
    "loop_reads_behind": ("bounds", "reached behind the end of input x"),
    "loop_writes_behind": ("bounds", "wrote behind the end of output out"),
    "loop_writes_before": ("bounds", "before the beginning of output out, 8 bytes off"),
    "loop_writes_input": ("inputs", "it wrote to an input: x, element 0"),
    "loop_leaves_some": ("complete", "unwritten"),
    "loop_widens": ("bounds", "wrote behind the end of output out, which has 4 bytes"),
    "loop_two_and_a_half": ("complete", "is a bool and has the byte 2"),
    "loop_counts_calls": ("determinism", "expected 1.0, got 2.0"),
    "loop_asks_the_time": ("determinism", "expected"),
    "loop_by_address": ("memory", "got 1.0000000000000002"),
    "loop_by_index": ("position", "out[3]: expected 1.0000000000000002, got 1.0"),
    "loop_by_length": ("position", "expected 1.0000000000000002, got 1.0"),
    "loop_looks_back": ("position", "expected"),
    "loop_by_threads": ("threads", "expected 1.0, got 3.0"),
    "loop_shares_memory": ("threads", "expected"),
    "loop_writes_first": ("in-place", "got 2.0"),
    "loop_reads_twice": ("in-place", "expected"),
    "loop_folds": ("fold", "expected"),
    "loop_or_stages": ("stages", "expected"),
    "family_without_mask": ("stages bounds", ""),
    "family_ahead_of_itself": ("stages", "expected"),
    "family_reads_pairs": ("bounds", "reached behind the end of input x"),
    "family_of_unmoved_rows": ("stages", "expected"),
    "family_of_first_rows": ("complete", "unwritten"),
    "family_of_one_number": ("stages", "expected"),
    "loop_crashes": ("survival", "it crashed: signal 11"),
    "loop_hangs": ("survival", "it does not come back: nothing for"),
    "loop_exits": ("survival", "it ended the process, with exit status 0"),
    "loop_aborts": ("survival", "it crashed: signal 6"),
    "loop_complains": ("survival", "this should not happen"),
    "loop_divides": ("survival", "it crashed: signal 8"),
    "kernel_ignores_strides": ("layout bounds", ""),
    "kernel_needs_an_element": ("bounds", "behind the end of output out, which has 0 bytes"),
    "kernel_reads_another_row": ("in-place", "expected"),
    "kernel_turns_round": ("in-place", "expected"),
    "rows_are_mixed": ("rows", "expected"),
    "reduces_another_axis": ("rows", ""),
    "reduction_is_not_fed": ("survival", "it crashed: signal 11"),
    "reduction_or_rows": ("rows", "expected"),
    "reduction_or_end": ("rows", "expected"),
    "kernel_by_order": ("threads", "expected"),
    "kernel_by_threads": ("threads", "expected 1.0, got 3.0"),
    "kernel_is_done_early": ("output-done", "it says that element 0 is done, and changes it afterwards"),
    "kernel_gives_no_reason": ("refusal", "the kernel failed and gave no reason"),
    "kernel_is_nameless": ("refusal", "its error does not begin with its name: something went wrong"),
    "kernel_mistakes_halves": ("bounds", "behind the end of output out"),
    "kernel_needs_what_is_optional": ("survival", "input < kernel->n_inputs"),
    "flops_change": ("infer", "flops answers something else when it is asked again"),
    "infer_says_fewer": ("bounds", "behind the end of output out, which has 0 bytes"),
    "infer_says_more": ("complete", "it leaves out unwritten, from element 1 of 2 on"),
    "infer_says_wider": ("complete", "it leaves out unwritten"),
    "infer_changes_its_mind": ("infer", "asked again"),
    "infer_looks_at_strides": ("infer", "for these layouts"),
    "alias_computes": ("aliasing", "expected"),
    "takeover_computes": ("aliasing", "expected"),
    "alias_by_layout": ("layout", "expected"),
    "reference_outside": ("infer", "refers to elements outside its input"),
    "reference_forgets_strides": ("layout", "expected"),
    "shape_is_too_large": ("shape", "leaves element 1 unwritten"),
    "shape_is_too_small": ("bounds", "outside output out"),
    "shape_changes": ("determinism", "expected shape [0], got [1]"),
    "gradient_of_another_factor": ("gradient", "finite differences give"),
    "gradient_of_another_sign": ("gradient", "finite differences give"),
    "gradient_without_cotangent": ("gradient", "along a random direction, finite differences give"),
    "gradient_right_above_zero": ("gradient", "it gives 0"),
    "gradient_is_rounded": ("gradient", "finite differences give"),
    "gradient_is_no_number": ("gradient", "nan"),
    "gradient_of_another_dtype": ("gradient", "it has dtype float32; all operands have float64"),
    "gradient_of_another_shape": ("gradient", "gradient_of_another_shape: the gradient for x: it has shape [1, "),
    "gradient_of_unknown_name": ("gradient", "gradient_of_unknown_name: the gradient for x: line 1, column 13: unknown name 'y'"),
    "gradient_of_unknown_op": ("gradient", 'no plugin has an op "twice"'),
    "gradient_is_no_expression": ("gradient", "found the end of the expression"),
    "gradients_in_turn": ("gradient", "finite differences give"),
    "gradient_of_one_is_wrong": ("gradient", "finite differences give"),
    "gradient_without_parameter": ("gradient", "finite differences give"),
    "gradient_of_the_other_output": ("gradient", "finite differences give"),
    "gradient_in_another_order": ("gradient", "finite differences give"),
    "gradient_is_not_broadcast": ("gradient", "it has shape [], x has shape ["),
    "gradient_is_shared": ("gradient", "finite differences give"),
    "gradient_of_one_copy": ("gradient", "finite differences give"),
    "shape_is_not_said": ("shape", "it does not say the shape of out"),
}

# Of these nothing can be proven.
NOWHERE = {"gradient_of_nothing": ["x"]}

# Those that survive being run from the command line.
HARMLESS = ["gradient_of_another_sign", "loop_by_index", "loop_folds", "rows_are_mixed", "alias_computes", "takeover_computes"]


def call(*arguments):
    return subprocess.run([TOOL, *arguments], capture_output=True, encoding="utf-8", timeout=300, env=ENVIRONMENT)


def told(result):
    return "status %d\n%s%s" % (result.returncode, result.stdout[-3000:], result.stderr[-1000:])


def test_liars():
    result = call("check", LIARS, "--json", "--time", "3", "--seed", "3")
    reports = {report["op"]: report for report in json.loads(result.stdout)} if result.stdout else {}
    check("a lie is exit status 1", result.returncode == 1 or [told(result)])
    check("every liar is looked at", sorted((set(LIES) | set(NOWHERE)) ^ set(reports)))
    for op, (facts, words) in LIES.items():
        report = reports.get(op, {})
        caught = report.get("fact") in facts.split() and words in report.get("message", "")
        check("%s is caught" % op, caught or ["%s" % {key: report.get(key) for key in ("fact", "when", "message")}])
        if op in HARMLESS:
            run = call("run", report.get("expression", ""))
            check("%s: what shows it can be run" % op, run.returncode == 0 or [report.get("expression"), told(run)])
    for op, inputs in NOWHERE.items():
        report = reports.get(op, {})
        check("%s is not proven" % op, (report.get("unproven-gradients"), report.get("proven")) == (inputs, False)
              or ["%s" % report])
    wrong = reports.get("gradient_of_one_is_wrong", {})
    check("which gradient is wrong", wrong.get("when") == "the gradient for x2, grad * x1 * x2" or ["%s" % wrong])
    small = reports.get("loop_by_index", {}).get("expression")
    check("the smallest expression", small == "x = astype([1.0, 6.0, 4.0, 2.0], float32); loop_by_index(x)" or [str(small)])
    ranged = reports.get("loop_divides", {}).get("expression", "")
    check("with the parameter that shows it", "by=0" in ranged or [ranged])


def test_text():
    result = call("check", "loop_by_index", "loop_by_length", "sqrt", "--cases", "10")
    lines = result.stdout.splitlines()
    check("a failure as text",
          [line for line in lines if re.match(r"loop_by_index +FAILED: position, in parts, of which", line)] != []
          and "  candela plan 'loop_by_index(x)' 'x=float32[4]'" in lines or [told(result)])
    check("one that holds", any(re.match(r"sqrt +holds: 10 cases, \d+ runs", line) for line in lines) or [told(result)])
    check("the sum", lines[-1:] == ["3 ops: 1 holds, 2 fail (seed 1, 10 cases each)"] or [told(result)])
    quiet = call("check", "sqrt", "--quiet", "--cases", "3")
    check("quiet", quiet.stdout == "1 op: 1 holds, 0 fail (seed 1, 3 cases each)\n" or [told(quiet)])
    verbose = call("check", "sqrt", "-v", "--cases", "3")
    check("verbose", re.search(r"\n  in-place +\d+\n", verbose.stdout) is not None or [told(verbose)])
    nowhere = call("check", "gradient_of_nothing", "--cases", "3")
    check("a gradient that cannot be looked at", "not proven: no point was found at which to look at the gradient for x"
          in nowhere.stdout and nowhere.returncode == 0 or [told(nowhere)])
    listed = call("check", "--list")
    check("the list of facts", "in-place       written over each input" in listed.stdout or [told(listed)])
    facts = json.loads(call("check", "--list", "--json").stdout)
    check("the list as JSON", "bounds" in [fact["name"] for fact in facts])
    first, second = (call("check", "sum", "--json", "--cases", "5", "--seed", "9").stdout for _ in range(2))
    check("the same seed, the same cases", first == second and '"proven" : true' in first or [first, second])


def test_foreign():
    library = os.path.join(os.environ["G_TEST_BUILDDIR"], "op", "foreign", ".libs", "functions.so")
    lies = {
        "in_static": ("double (double)", "", "threads", "on two threads at the same time"),
        "counts": ("double (double)", "", "determinism", "the same again"),
        "through_static": ("void (const double *x, double *out, size_t n)", "", "threads",
                           "with another call that runs while this one is half through out"),
        "turned": ("void (const double *x, double *out, size_t n)", "; InPlace=x", "in-place", "out written over x"),
        "one_behind": ("void (const double *x, double *out, size_t n)", "", "bounds", ""),
        "writes_input": ("void (const double *x, double *out, size_t n)", "", "inputs", ""),
    }
    truths = {
        "in_static": ("double (double)", "; Threads=no"),
        "turned": ("void (const double *x, double *out, size_t n)", ""),
        "add_one": ("double (double)", ""),
        "counts": ("double (double)", "; Pure=no"),
        "running_sum": ("void (const double *x, double *out, size_t n)", "; InPlace=x"),
        "total": ("double (const double x[], size_t stride, size_t n)", "; Strides=stride; Length=n"),
    }

    def options(ops):
        return [word for name, (signature, more, *_) in ops.items()
                for word in ("--foreign", "%s=%s %s%s" % (name, signature, library, more))]

    result = call("check", "--json", "--time", "3", *options(lies))
    reports = {report["op"]: report for report in json.loads(result.stdout)} if result.stdout else {}
    check("only the foreign ops are looked at", sorted(set(lies) ^ set(reports)))
    for name, (_, _, fact, when) in lies.items():
        report = reports.get(name, {})
        check("foreign: %s is caught" % name, report.get("fact") == fact and when in report.get("when", "")
              or ["%s" % {key: report.get(key) for key in ("fact", "when", "message")}])
    result = call("check", *options(truths))
    check("foreign: what is true holds", result.returncode == 0 or [told(result)])
    result = call("check", "--foreign", "c_j0=double (double) libm.so.6:j0", "sqrt", "--cases", "3")
    check("foreign: the named ops alone", result.stdout.endswith("1 op: 1 holds, 0 fail (seed 1, 3 cases each)\n")
          or [told(result)])
    # The functions of the manual's page.
    with open(os.path.join(os.environ["CANDELA_SOURCE_DIR"], "docs", "foreign.md"), encoding="utf-8") as page:
        files = re.findall(r"```ini (\S+)\n(.*?)```", page.read(), re.DOTALL)
    check("foreign: files in the manual", len(files) == 2)
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files:
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            result = call("check", path, "--cases", "20")
            missing = "cannot be opened" in result.stderr
            check("foreign: %s holds%s" % (name, ", if its library is there" if missing else ""),
                  missing or result.returncode == 0 or [told(result)])


def test_mistakes():
    for arguments, status, words in (
        (["nonsense"], 1, "nonsense"),
        (["./nowhere.so"], 1, "nowhere.so"),
        (["sqrt", "--cases", "0"], 2, "--cases is 0"),
        (["sqrt", "--time", "0"], 2, "--time is 0"),
        (["--flood"], 2, "--flood"),
    ):
        result = call("check", *arguments)
        check("mistake: %s" % " ".join(arguments),
              result.returncode == status and words in result.stderr and not result.stdout or [told(result)])


def test_complex_products():
    # Contracted in the body of a loop and not in its tail, by a compiler that was told not to.
    result = call("check", "multiply", "--cases", "60", "--seed", "2", "--quiet")
    check("products of complex numbers are rounded before they are added", result.returncode == 0 or [told(result)])


def test_shipped():
    result = call("check", "--cases", "16", "--quiet", *sorted(
        name[:-3] for name in os.listdir(os.path.join(os.environ["CANDELA_BUILD_DIR"], "plugins", ".libs"))
        if name.endswith(".so")))
    check("all that ships keeps what it declares",
          result.returncode == 0 and "not proven" not in result.stdout or told(result).splitlines())


test_liars()
test_text()
test_foreign()
test_mistakes()
test_complex_products()
test_shipped()
done()
