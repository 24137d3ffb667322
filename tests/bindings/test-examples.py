# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The programs of examples/ that are not in C, run as a user would. What they must
# print is computed here with Python's own numbers.

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "packaging"))
from tap import check, done, skip

source = os.environ["CANDELA_SOURCE_DIR"]
build = os.environ["CANDELA_BUILD_DIR"]
examples = os.path.join(source, "examples")
N_LEARNT = 1000


def load(name):
    """The bytes of a .npy file of uint8, without its header."""
    with open(os.path.join(examples, "data", name + ".npy"), "rb") as file:
        data = file.read()
    return data[10 + int.from_bytes(data[8:10], "little"):]


def classify():
    """How many are told right, and the first one's distance."""
    labels = load("digits-labels")
    pixels = load("digits-images")
    images = [pixels[64 * i : 64 * (i + 1)] for i in range(len(labels))]
    learnt = [[image for image, label in zip(images[:N_LEARNT], labels) if label == digit] for digit in range(10)]
    centroids = [[sum(column) / len(group) for column in zip(*group)] for group in learnt]
    distances = [
        [sum((a - b) ** 2 for a, b in zip(image, centroid)) for centroid in centroids] for image in images[N_LEARNT:]
    ]
    right = sum(row.index(min(row)) == label for row, label in zip(distances, labels[N_LEARNT:]))
    return right / len(distances), min(distances[0])


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return result.returncode, result.stdout + result.stderr


accuracy, distance = classify()
wanted = [
    "distances: [797, 10] float64",
    "plan: ",
    "accuracy: %.4f" % accuracy,
    "the first distance: %.1f" % distance,
    "an error: matmul: ",
]


def check_run(language, *command):
    status, text = run(*command)
    lines = text.splitlines()
    right = status == 0 and len(lines) == len(wanted)
    right = right and all(line.startswith(start) for line, start in zip(lines, wanted))
    check("the program in %s" % language, [text] if not right else [])


def why_no_window():
    if not shutil.which("xvfb-run"):
        return "xvfb-run is missing"
    if run("gjs", "-c", "imports.gi.versions.Gtk = '4.0'; imports.gi.Gtk;")[0] != 0:
        return "GTK 4 is missing"
    return None


def check_window():
    """A digit drawn by itself is told, and the window is saved."""
    reason = why_no_window()
    for digit in (3, 7):
        name = "a drawn %d is told" % digit
        if reason is not None:
            skip(name, reason)
            continue
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "window.png")
            status, text = run("xvfb-run", "-a", "-s", "-screen 0 1024x768x24", "env", "GDK_BACKEND=x11",
                               "GSK_RENDERER=cairo", "GSETTINGS_BACKEND=memory", "gjs", "-m",
                               os.path.join(examples, "gjs", "draw.js"), "--script", str(digit), picture)
            told = re.search(r"^%d: (\d+\.\d) %%, alive$" % digit, text, re.M)
            check(name, [] if status == 0 and told and float(told[1]) > 90 else [text])
            with open(picture, "rb") as file:
                start = file.read(24)
            width, height = (int.from_bytes(start[i : i + 4], "big") for i in (16, 20))
            check("its picture is a window's", start.startswith(b"\x89PNG") and width > 500 and height > 300)


def check_vala():
    vapi = os.path.join(build, "bindings", "vala")
    if not shutil.which("valac"):
        return skip("the program in Vala", "valac is missing")
    if not os.path.exists(os.path.join(vapi, "candela.vapi")):
        return skip("the program in Vala", "built without candela.vapi")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "digits")
        status, text = run("valac", "--pkg", "candela", "--vapidir", vapi, "-X", "-w", "-o", program, "-d", folder,
                           os.path.join(examples, "vala", "digits.vala"))
        if check("the program in Vala is built", [text] if status != 0 else []):
            check_run("Vala", program, examples)


if not os.path.exists(os.path.join(build, "candela", "Candela-1.0.typelib")):
    skip("the programs", "built without introspection")
    done()
if run(sys.executable, "-c", "import gi")[0] == 0:
    check_run("Python", sys.executable, os.path.join(examples, "python", "digits.py"))
else:
    skip("the program in Python", "Python has no gi")
if shutil.which("gjs"):
    check_run("JavaScript", "gjs", "-m", os.path.join(examples, "gjs", "digits.js"))
    check_window()
else:
    skip("the program in JavaScript", "gjs is missing")
check_vala()
done()
