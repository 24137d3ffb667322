# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The programs of examples/ that are not in C, run as a user would. What they must
# print is computed here with Python's own numbers.

import os
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
else:
    skip("the program in JavaScript", "gjs is missing")
check_vala()
done()
