# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The rules of the tree: no layer includes one above it, the library names no op,
# plugins see no private header, and every file says its licence.

import configparser
import glob
import os
import re

from tap import check, done

source = os.environ["CANDELA_SOURCE_DIR"]
build = os.environ["CANDELA_BUILD_DIR"]

LAYERS = ["value", "op", "graph", "plan", "exec", "check"]
# What a layer may use beside itself.
ALLOWED = {layer: LAYERS[: i + 1] for i, layer in enumerate(LAYERS)}
ALLOWED["io"] = ["value", "io"]

# Words that are an op's name and stand for something else: the key of a plan's
# step in JSON; of any dtype, or on any thread; the range of a parameter.
OTHER_MEANINGS = {
    ("plan/print-json.c", "index"),
    ("op/describe.c", "any"),
    ("op/describe.c", "minimum"),
    ("op/script-facts.c", "minimum"),
    ("op/script-facts.c", "maximum"),
    ("op/describe.c", "maximum"),
}

INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]candela/([^>"]+)[>"]', re.M)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def files(pattern):
    return sorted(glob.glob(os.path.join(source, pattern), recursive=True))


upward = []
for layer, allowed in ALLOWED.items():
    for path in files("candela/%s/*.[ch]" % layer):
        for header in INCLUDE.findall(read(path)):
            target = header.split("/")[0]
            if header == "version.h":
                continue
            if "/" not in header or target not in allowed:
                upward.append("%s includes candela/%s" % (os.path.relpath(path, source), header))
check("no layer includes one above it", upward)

names = set()
keys = sorted(glob.glob(build + "/plugins/*.plugin"))
for path in keys:
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    parser.optionxform = str
    parser.read(path, encoding="utf-8")
    names |= set(parser["Ops"])
check("the key files list the ops", len(keys) >= 4 and len(names) > 60)

named = []
for path in files("candela/**/*.[ch]"):
    text = COMMENT.sub("", read(path))
    short = os.path.relpath(path, os.path.join(source, "candela"))
    for literal in STRING.findall(text):
        if literal in names and (short, literal) not in OTHER_MEANINGS:
            named.append('%s: "%s"' % (short, literal))
check("the library names no op", named)

# What candela check runs ends its own process, and only that.
ENDS = re.compile(r"\b(?:g_error|abort|_?exit|assert|g_assert\w*)\s*\(")
check(
    "nothing in the library and its plugins ends the process",
    [
        "%s: %s" % (os.path.relpath(path, source), found.group(0))
        for path in files("candela/**/*.[ch]") + files("plugins/**/*.[ch]")
        if "/check/" not in path
        for found in ENDS.finditer(COMMENT.sub("", read(path)))
    ],
)

private = []
for path in files("plugins/**/*.[ch]") + files("tools/*.[ch]") + files("examples/**/*.[ch]"):
    for header in INCLUDE.findall(read(path)):
        if header not in ("candela.h", "candela-plugin.h", "candela-ops.h"):
            private.append("%s includes candela/%s" % (os.path.relpath(path, source), header))
check("plugins, tools and examples include the public headers alone", private)

unlicensed = [
    os.path.relpath(path, source)
    for folder in ("candela", "plugins", "tools", "tests", "examples", "benchmarks", "bindings")
    for ending in ("c", "h", "h.in", "py", "js", "vala", "sh", "inc")
    for path in files("%s/**/*.%s" % (folder, ending))
    # What candela new-plugin writes has the licence that its user chooses.
    if "SPDX-License-Identifier: LGPL-2.1-or-later" not in read(path)[:300] and "/tools/templates/" not in path
]
check("every file says its licence", unlicensed)

check(
    "nothing that a tool has left behind",
    [
        os.path.relpath(path, source)
        for folder in ("candela", "plugins", "tools", "tests", "examples", "benchmarks", "bindings", "docs")
        for ending in ("orig", "rej", "*~", "swp")
        for path in files("%s/**/*.%s" % (folder, ending))
    ],
)

check(
    "no source file of the library is over 600 lines",
    [
        "%s: %d lines" % (os.path.relpath(path, source), read(path).count("\n"))
        for path in files("candela/**/*.[ch]") + files("plugins/**/*.[ch]") + files("tools/*.[ch]")
        if read(path).count("\n") > 600
    ],
)
done()
