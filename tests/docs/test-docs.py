# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Every block of code in README.md and docs/ is compiled or run, and what it is
# said to print is compared with what it prints. The word after a fence says how:
#
#   c        a program, compiled and run; without main, compiled as the body of a
#            function; with a file's name after the word, written for later blocks
#   python, js, expr   run
#   vala     a program, compiled and run
#   console  lines that begin with "$ " are commands (continued by a backslash), the
#            others what they print; what is exported lasts for the document
#   make, ini  with a file's name: written for later blocks
#   text     what the block before prints
#
# In what is printed, a line of three dots stands for any lines, and [...] within one
# for any text. A document has one folder for all its blocks, in which examples/ is
# the source's. With --update as an
# argument the documents are rewritten to say what is printed now.

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "packaging"))
from tap import check, done, skip

source = os.environ["CANDELA_SOURCE_DIR"]
build = os.environ["CANDELA_BUILD_DIR"]
vapi = os.path.join(build, "bindings", "vala")
update = "--update" in sys.argv

LANGUAGES = {"c", "python", "js", "vala", "expr", "console", "make", "ini", "text"}

FRAGMENT = """#include <candela/candela-ops.h>
#include <candela/candela-plugin.h>
void fragment (CandelaNode *a, CandelaNode *b, CandelaNode *x, CandelaPlan *plan, CandelaTensor *tensor,
               GCancellable *cancellable, GError **error);
void
fragment (CandelaNode *a, CandelaNode *b, CandelaNode *x, CandelaPlan *plan, CandelaTensor *tensor,
          GCancellable *cancellable, GError **error)
{
%s
}
"""
WARNINGS = ["-Wall", "-Wextra", "-Wno-unused", "-Wno-unused-parameter", "-Wno-missing-field-initializers", "-Werror"]


class Block:
    def __init__(self, words, first, lines):
        self.language, self.name = words[0], words[1] if len(words) > 1 else None
        self.first = first  # the index of the first line within
        self.lines = lines


def read_blocks(lines):
    """The fenced blocks, and what is wrong with the fences."""
    blocks, problems, start = [], [], None
    for i, line in enumerate(lines):
        if not line.lstrip().startswith("```"):
            continue
        if not line.startswith("```"):
            problems.append("line %d: an indented fence" % (i + 1))
        elif start is None:
            start = i
        else:
            words = lines[start][3:].split()
            if not words or words[0] not in LANGUAGES:
                problems.append("line %d: a block that is not tested: '%s'" % (start + 1, lines[start]))
            else:
                blocks.append(Block(words, start + 1, lines[start + 1 : i]))
            start = None
    if start is not None:
        problems.append("line %d: a fence that is not closed" % (start + 1))
    return blocks, problems


def matches(expected, found):
    """Whether lines are as expected, where a line of three dots is any lines."""
    if not expected:
        return not found
    if expected[0] == "...":
        return any(matches(expected[1:], found[k:]) for k in range(len(found) + 1))
    if not found:
        return False
    pattern = ".*".join(re.escape(part) for part in expected[0].rstrip().split("[...]"))
    return re.fullmatch(pattern, found[0].rstrip()) is not None and matches(expected[1:], found[1:])


def run(command, folder, text=None):
    """Status and lines of what a command prints, errors too."""
    result = subprocess.run(command, cwd=folder, input=text or "", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            encoding="utf-8", errors="replace", timeout=300, env=environment)
    return result.returncode, result.stdout.splitlines()


def compile_c(text, folder, link):
    with open(os.path.join(folder, "block.c"), "w", encoding="utf-8") as file:
        file.write(text)
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "candela"], capture_output=True, text=True,
                           env=environment).stdout.split()
    target = ["-o", "block"] if link else ["-c", "-o", "block.o"]
    return run(shlex.split(os.environ.get("CC", "cc")) + ["-std=gnu11", "-g", *WARNINGS, "block.c", *target, *flags],
               folder)


def run_console(block, folder):
    """Runs all commands in one shell; yields lines as the block should have them, and the problems."""
    entries = []  # of command lines and what they are said to print
    for line in block.lines:
        if line.startswith("$ "):
            entries.append(([line], []))
        elif entries and entries[-1][0][-1].endswith("\\") and not entries[-1][1]:
            entries[-1][0].append(line)
        elif entries:
            entries[-1][1].append(line)
    mark = "=== the next command"
    state = os.path.join(folder, ".state")
    script = "[ ! -f %s ] || . %s\nstatus=0\n" % (state, state)
    for commands, _ in entries:
        text = "\n".join([commands[0][2:], *commands[1:]])
        script += "(exit $status)\n%s\nstatus=$?\nprintf '\\n%s %%s\\n' $status\n" % (text, mark)
    _, found = run(["sh", "-c", script + "export -p > %s" % state], folder)

    rewritten, problems, printed = [], [], []
    for line in found:
        if not line.startswith(mark):
            printed.append(line)
            continue
        if not entries:
            break
        commands, expected = entries.pop(0)
        # The mark begins a line of its own, whether what comes before ends one or not.
        if printed and printed[-1] == "":
            printed.pop()
        status = int(line[len(mark) :])
        if not matches(expected, printed):
            problems.append("\n".join([*commands, "prints:", *printed]))
        elif status != 0 and not expected:
            problems.append("%s: status %d" % (commands[0], status))
        rewritten += commands + (expected if matches(expected, printed) else printed)
        printed = []
    if entries:
        problems.append("not run: " + entries[0][0][0])
    return rewritten, problems


def run_block(block, folder, names):
    """The lines that a block prints (None: there can be none), and the problems."""
    text = "\n".join(block.lines) + "\n"
    if block.name is not None:
        with open(os.path.join(folder, block.name), "w", encoding="utf-8") as file:
            file.write(text)
        same = [p for p in examples if os.path.basename(p) == block.name]
        with open(same[0] if same else os.path.join(folder, block.name), encoding="utf-8") as file:
            differs = text not in file.read()
        problems = ["it is not what %s has" % os.path.relpath(same[0], source)] if differs else []
        if not any(block.name in line for name in names for line in name.lines):
            problems.append("no later block uses %s" % block.name)
        return None, problems
    if block.language == "c":
        program = re.search(r"^main \(", text, re.M) is not None
        status, found = compile_c(text if program else FRAGMENT % text, folder, program)
        if status != 0 or not program:
            return None, found if status != 0 else []
        status, found = run(["./block"], folder)
    elif block.language == "python":
        status, found = run([sys.executable, "-c", text], folder)
    elif block.language == "js":
        with open(os.path.join(folder, "block.js"), "w", encoding="utf-8") as file:
            file.write(text)
        status, found = run(["gjs", "-m", "block.js"], folder)
    elif block.language == "vala":
        with open(os.path.join(folder, "block.vala"), "w", encoding="utf-8") as file:
            file.write(text)
        status, found = run(["valac", "--quiet", "--pkg", "candela", "--vapidir", vapi, "-X", "-w", "-o", "block",
                             "block.vala"], folder)
        if status == 0:
            status, found = run(["./block"], folder)
    else:
        status, found = run(["candela", "run", "-f", "-"], folder, text)
        return found, []
    return found, found if status != 0 else []


def why_skipped(block):
    typelib = os.path.exists(os.path.join(build, "candela", "Candela-1.0.typelib"))
    if block.language == "python":
        has_gi = subprocess.run([sys.executable, "-c", "import gi"], stderr=subprocess.DEVNULL).returncode == 0
        return None if typelib and has_gi else "no introspection for Python"
    if block.language == "js":
        return None if typelib and shutil.which("gjs") else "no introspection for JavaScript"
    if block.language == "vala":
        return None if os.path.exists(os.path.join(vapi, "candela.vapi")) and shutil.which("valac") else "no Vala"
    return None


def test_document(path, folder):
    name = os.path.relpath(path, source)
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    blocks, problems = read_blocks(lines)
    check("%s: fences" % name, problems)
    os.symlink(os.path.join(source, "examples"), os.path.join(folder, "examples"))

    changes = []
    for i, block in enumerate(blocks):
        title = "%s:%d: %s" % (name, block.first + 1, block.language)
        following = blocks[i + 1] if i + 1 < len(blocks) else None
        if block.language == "text":
            if i == 0 or blocks[i - 1].language not in ("c", "python", "js", "vala", "expr"):
                check(title, ["it is the output of no block"])
            continue
        reason = why_skipped(block)
        if reason is not None:
            skip(title, reason)
            continue
        if block.language == "console":
            rewritten, problems = run_console(block, folder)
            changes.append((block, rewritten))
            check(title, problems)
            continue
        found, problems = run_block(block, folder, blocks[i + 1 :])
        if following is not None and following.language == "text" and found is not None and not problems:
            if not matches(following.lines, found):
                problems = ["it prints:", *found]
                changes.append((following, found))
        elif found:
            problems = problems or ["it prints what is not shown:", *found]
        check(title, problems)

    if update:
        for block, new in reversed(changes):
            lines[block.first : block.first + len(block.lines)] = new
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


def keys_of(value):
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    if isinstance(value, dict):
        return set(value).union(*map(keys_of, value.values()))
    return set()


def check_json_keys():
    """What the tool's page says of a plan's JSON, against plans of several kinds."""
    found = set()
    for expression in ("(a + b) * 2", "m, v = moments(a); m / v", "sum(a.T)"):
        inputs = [text for text in ("a=float32[2,3]", "b=float32[3]") if text[0] in expression]
        _, lines = run(["candela", "plan", expression, *inputs, "--format=json"], source)
        found |= keys_of(json.loads("\n".join(lines)))
    with open(os.path.join(source, "docs", "tool.md"), encoding="utf-8") as file:
        told = set(re.findall(r"`(\w+)`", file.read().split("### The plan as JSON")[1].split("\n## ")[0]))
    check("every key of a plan's JSON is told of", sorted(found - told))


def anchors(path):
    """As GitHub names the headings of a page."""
    with open(path, encoding="utf-8") as file:
        headings = re.findall(r"^#+ +(.*)$", re.sub(r"^```.*?^```", "", file.read(), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def check_links(paths):
    broken = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"^```.*?^```", "", file.read(), flags=re.M | re.S)
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", link):
                continue
            target, _, anchor = link.partition("#")
            file_name = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
            if not os.path.exists(file_name):
                broken.append("%s: %s" % (os.path.relpath(path, source), link))
            elif anchor and anchor not in anchors(file_name):
                broken.append("%s: no heading for %s" % (os.path.relpath(path, source), link))
    check("links lead somewhere", broken)


documents = [os.path.join(source, "README.md")]
documents += sorted(os.path.join(source, "docs", n) for n in os.listdir(os.path.join(source, "docs")) if n.endswith(".md"))
examples = [os.path.join(r, n) for r, _, names in os.walk(os.path.join(source, "examples")) for n in names]
environment = dict(os.environ, LC_ALL="C.UTF-8", CANDELA_NUM_THREADS="2")
environment.pop("CANDELA_DEBUG", None)
environment.pop("MAKEFLAGS", None)

for document in documents:
    if len(sys.argv) > 1 and not any(a in document for a in sys.argv[1:] if a != "--update") and sys.argv[1:] != ["--update"]:
        continue
    with tempfile.TemporaryDirectory() as work:
        test_document(document, work)
check_json_keys()
check_links(documents)
done()
