# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The demo: does it say what NumPy says of the same digits, and are its plan, its
# picture and its memory what they should be?

import os
import re
import subprocess
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "packaging"))
from tap import check, done, skip

source = os.environ["CANDELA_SOURCE_DIR"]
build = os.environ["CANDELA_BUILD_DIR"]
data = os.path.join(source, "examples", "data")


def accuracy_by_numpy():
    """The mean image of each digit in the first 1,000, and the nearest of them to each of the others."""
    import numpy

    images = numpy.load(os.path.join(data, "digits-images.npy")).astype("float64")
    labels = numpy.load(os.path.join(data, "digits-labels.npy"))
    centroids = numpy.stack([images[:1000][labels[:1000] == digit].mean(axis=0) for digit in range(10)])
    distances = numpy.stack([((images[1000:] - centroid) ** 2).sum(axis=1) for centroid in centroids], axis=1)
    return float((distances.argmin(axis=1) == labels[1000:]).mean())


result = subprocess.run(["sh", os.path.join(source, "examples", "demo.sh")], capture_output=True, text=True, timeout=300)
text = result.stdout
check("the demo runs", [text, result.stderr] if result.returncode != 0 else [])

found = re.search(r"^Accuracy: (\S+)", text, re.M)
accuracy = float(found.group(1)) if found else None
check("710 of 797 digits are told right", [text] if accuracy != 710 / 797 else [])
try:
    by_numpy = accuracy_by_numpy()
    check("… as with NumPy", ["%r, not %r" % (accuracy, by_numpy)] if accuracy != by_numpy else [])
except ImportError:
    skip("… as with NumPy", "no NumPy")

check("the plan is shown", [text] if not re.search(r"^step 0 .*^result ", text, re.M | re.S) else [])
found = re.search(r"^Memory: +(\d+) bytes at most at once, in \d+ allocations\n +(\d+) bytes", text, re.M)
check("less memory than all values need", [text] if not found or int(found.group(1)) >= int(found.group(2)) else [])

picture = os.path.join(build, "digits-plan.svg")
if "plans cannot be drawn" in text or not os.path.exists(picture):
    with open(os.path.join(build, "config.log"), encoding="utf-8", errors="replace") as file:
        drawn = "HAVE_GRAPHVIZ_TRUE=''" in file.read()
    check("the picture is written", [text]) if drawn else skip("the picture is written", "no Graphviz")
else:
    check("the picture's file is told", "The plan as a picture: " + picture in text)
    root = xml.etree.ElementTree.parse(picture).getroot()
    words = " ".join(root.itertext())
    missing = [word for word in ("images", "labels", "matmul", "argmin", "slot 0") if word not in words]
    check("the picture is an SVG of the plan", root.tag.endswith("svg") and not missing)
done()
