# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What the library exports is what its installed headers declare, neither more nor
# less, and a plugin exports its descriptor alone.

import glob
import os
import platform
import re
import subprocess

from tap import check, done

source = os.environ["CANDELA_SOURCE_DIR"]
build = os.environ["CANDELA_BUILD_DIR"]

COMMENT = re.compile(r"/\*.*?\*/", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", re.M)
AVAILABLE = re.compile(r"CANDELA_AVAILABLE_IN_\d+_\d+\s+([^;{]*?)\b(candela_\w+) \(")
CONSTANT = re.compile(r"CANDELA_AVAILABLE_IN_\d+_\d+\s+const \w+ (candela_\w+);")
TYPE = re.compile(r"CANDELA_AVAILABLE_IN_\d+_\d+\s+G_DECLARE_(?:FINAL|DERIVABLE|INTERFACE)_TYPE \(\w+, (candela_\w+),")
PROTOTYPE = re.compile(r"^[\w \t*]*\b(candela_\w+) \([^;{]*\)[^;{]*;", re.M)


def public_headers():
    for path in sorted(glob.glob(source + "/candela/**/*.h", recursive=True)):
        if not path.endswith("-private.h"):
            yield path
    yield build + "/candela/version.h"


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {fields[2] for fields in map(str.split, lines.splitlines()) if len(fields) == 3 and fields[1] in "TDBRVWi"}


declared = set()
unmarked = []
for path in public_headers():
    with open(path, encoding="utf-8") as file:
        text = DIRECTIVE.sub("", COMMENT.sub("", file.read()))
    here = {match[2] for match in AVAILABLE.finditer(text)}
    here |= set(CONSTANT.findall(text)) if platform.machine() == "x86_64" else set()
    here |= {match[1] + "_get_type" for match in TYPE.finditer(text)}
    declared |= here
    for match in PROTOTYPE.finditer(text):
        if match[1] not in here and match[1] + "_get_type" not in here and "typedef" not in match[0]:
            unmarked.append("%s: %s" % (os.path.relpath(path, source), match[1]))

library = exported(build + "/candela/.libs/libcandela-1.0.so.0")

check("there are declarations", len(declared) > 100)
check("every public prototype is marked CANDELA_AVAILABLE_IN_…", unmarked)
check("every declared function is exported", sorted(declared - library))
check("every exported symbol is declared", sorted(library - declared))
for module in sorted(glob.glob(build + "/plugins/.libs/*.so")):
    check(
        "%s exports its descriptor alone" % os.path.basename(module),
        sorted(exported(module) ^ {"candela_plugin_descriptor"}),
    )
done()
