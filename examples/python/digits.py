# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Handwritten digits, told by the nearest of ten mean images: the expression in
# digits.expr, built over arrays of .npy files, planned and computed.
#
#   python3 digits.py

import os

import gi

gi.require_version("Candela", "1.0")
from gi.repository import Candela, Gio, GLib

examples = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def load(name):
    file = Gio.File.new_for_path(os.path.join(examples, "data", "digits-%s.npy" % name))
    return Candela.Node.new_tensor(Candela.npy_load(file))


names = {name: load(name) for name in ("images", "labels")}
with open(os.path.join(examples, "digits.expr")) as file:
    expression = Candela.Expression.parse(file.read(), -1, names)

# Nothing has been computed yet: these are nodes of a graph, and more can be added.
accuracy = expression.get_value()
distances = expression.lookup("distances")
nearest = Candela.Node.new_op("min", [distances], GLib.Variant("a{sv}", {"axis": GLib.Variant("x", 1)}))
print("distances:", Candela.shape_to_string(distances.get_shape()), Candela.dtype_get_name(distances.get_dtype()))

plan = Candela.Plan.new([accuracy, nearest], Candela.PlanFlags.DEFAULT)
print("plan: %d steps, %d bytes at most" % (plan.get_n_steps(), plan.get_peak_bytes()))

(accuracy, nearest), stats = plan.run([], None, None)
print("accuracy: %.4f" % accuracy.get_double([]))
print("the first distance: %.1f" % nearest.get_double([0]))

try:
    Candela.Node.new_op("matmul", [distances, distances], None)
except GLib.Error as error:
    print("an error: %s (code %d)" % (error.message, error.code))
