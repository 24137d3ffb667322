// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Handwritten digits, told by the nearest of ten mean images: the expression in
// digits.expr, built over arrays of .npy files, planned and computed.
//
//   gjs -m digits.js

import Candela from 'gi://Candela?version=1.0';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

const here = Gio.File.new_for_uri(import.meta.url).get_parent();
const examples = here.get_parent();

function load(name) {
    return Candela.Node.new_tensor(Candela.npy_load(examples.get_child(`data/digits-${name}.npy`)));
}

// The value of a node, while the main loop goes on.
function materialize(node) {
    return new Promise((resolve, reject) => node.materialize_async(null, (source, result) => {
        try {
            resolve(node.materialize_finish(result));
        } catch (error) {
            reject(error);
        }
    }));
}

const text = new TextDecoder().decode(examples.get_child('digits.expr').load_contents(null)[1]);
const expression = Candela.Expression.parse(text, -1, {images: load('images'), labels: load('labels')});

// Nothing has been computed yet: these are nodes of a graph, and more can be added.
const accuracy = expression.get_value();
const distances = expression.lookup('distances');
const nearest = Candela.Node.new_op('min', [distances], new GLib.Variant('a{sv}', {axis: new GLib.Variant('x', 1)}));
print('distances:', Candela.shape_to_string(distances.get_shape()), Candela.dtype_get_name(distances.get_dtype()));

const plan = Candela.Plan.new([accuracy, nearest], Candela.PlanFlags.DEFAULT);
print(`plan: ${plan.get_n_steps()} steps, ${plan.get_peak_bytes()} bytes at most`);

print(`accuracy: ${(await materialize(accuracy)).get_double([]).toFixed(4)}`);
print(`the first distance: ${(await materialize(nearest)).get_double([0]).toFixed(1)}`);

try {
    Candela.Node.new_op('matmul', [distances, distances], null);
} catch (error) {
    print(`an error: ${error.message} (code ${error.code})`);
}
