// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Candela as gjs sees it through the typelib, without anything of its own in
// between. test-python.py has the same tests.

import Candela from 'gi://Candela?version=1.0';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';

import {check, equal, near, residentBytes, run, test, throws} from './testing.js';

const {DType, Expression, Layout, Node, Plan, Registry, Tensor} = Candela;
const ARRAYS = new Map([
    [DType.BOOL, Uint8Array],
    [DType.INT8, Int8Array],
    [DType.INT16, Int16Array],
    [DType.INT32, Int32Array],
    [DType.INT64, BigInt64Array],
    [DType.UINT8, Uint8Array],
    [DType.UINT16, Uint16Array],
    [DType.UINT32, Uint32Array],
    [DType.UINT64, BigUint64Array],
    [DType.FLOAT32, Float32Array],
    [DType.FLOAT64, Float64Array],
]);
const BIG = [DType.INT64, DType.UINT64];

function pack(dtype, values) {
    return new Uint8Array(ARRAYS.get(dtype).from(BIG.includes(dtype) ? values.map(BigInt) : values).buffer);
}

function tensor(dtype, shape, values) {
    return Tensor.new_from_data(dtype, shape, pack(dtype, values));
}

function edge(dtype, shape, values) {
    return Node.new_tensor(tensor(dtype, shape, values));
}

function bytesOf(data) {
    return Uint8Array.from(data.get_data() ?? []);
}

// The elements, in row-major order; integers of 64 bits as numbers.
function read(result) {
    const elements = new (ARRAYS.get(result.get_dtype()))(bytesOf(result.get_bytes()).buffer);
    return Array.from(elements, Number);
}

function op(name, inputs, params = null) {
    return Node.new_op(name, inputs, params ? new GLib.Variant('a{sv}', params) : null);
}

const variant = (type, value) => new GLib.Variant(type, value);

// The message of the Candela error of that code that body() throws.
function fails(code, body) {
    const error = throws(GLib.Error, body);
    equal([GLib.quark_to_string(error.domain), error.code], ['candela-error-quark', code]);
    return error.message;
}

function isCancelled(body) {
    const error = throws(GLib.Error, body);
    check(error.matches(Gio.IOErrorEnum, Gio.IOErrorEnum.CANCELLED), `${error}`);
}

// Runs a main loop until as many callbacks were called as runs started.
function wait(started) {
    const results = [];
    const loop = new GLib.MainLoop(null, false);
    let missing = started.length;
    started.forEach(([node, cancellable], index) => {
        node.materialize_async(cancellable, (source, result) => {
            results[index] = result;
            if (--missing === 0)
                loop.quit();
        });
    });
    loop.run();
    return results;
}

function names(list) {
    const found = [];
    for (let i = 0; i < list.get_n_items(); i++)
        found.push(list.get_item(i).get_name());
    return found;
}

function inFolder(body) {
    const folder = GLib.Dir.make_tmp('candela-XXXXXX');
    try {
        return body(folder);
    } finally {
        for (const name of files(folder))
            GLib.unlink(`${folder}/${name}`);
        GLib.rmdir(folder);
    }
}

function files(folder) {
    const children = Gio.File.new_for_path(folder).enumerate_children('standard::name', 0, null);
    const found = [];
    for (let info = children.next_file(null); info !== null; info = children.next_file(null))
        found.push(info.get_name());
    children.close(null);
    return found;
}

// ---- Version and dtypes ----

test('version', () => {
    equal(Candela.version_string(), Candela.VERSION_S);
    check(Candela.version_at_least(1, 0, 0));
    check(!Candela.version_at_least(Candela.MAJOR_VERSION + 1, 0, 0));
});

test('dtype: names, sizes and kinds', () => {
    const wanted = ['bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64',
        'float32', 'float64', 'complex64', 'complex128'];
    const dtypes = wanted.map(name => Candela.dtype_from_name(name));
    equal(dtypes, wanted.map((name, index) => index + 1));
    equal(dtypes.length, Candela.N_DTYPES - 1);
    equal(dtypes.map(dtype => Candela.dtype_get_name(dtype)), wanted);
    equal(dtypes.map(dtype => Candela.dtype_get_size(dtype)), [1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 16]);
    equal(Candela.dtype_get_kind(DType.UINT16), Candela.DTypeKind.UNSIGNED);
    equal(Candela.dtype_get_kind(DType.COMPLEX64), Candela.DTypeKind.COMPLEX);
    check(Candela.dtype_can_cast(DType.INT32, DType.FLOAT64));
});

test('dtype: promotion', () => {
    const promote = Candela.dtype_promote;
    equal(promote(DType.INT8, DType.UINT8), DType.INT16);
    equal(promote(DType.UINT32, DType.INT8), DType.INT64);
    equal(promote(DType.FLOAT32, DType.FLOAT64), DType.FLOAT64);
    equal(promote(DType.FLOAT64, DType.COMPLEX64), DType.COMPLEX128);
});

test('dtype: promotion with a weak scalar', () => {
    const promote = Candela.dtype_promote_weak;
    equal(promote(DType.FLOAT32, DType.FLOAT64), DType.FLOAT32);
    equal(promote(DType.UINT8, DType.INT64), DType.UINT8);
    equal(promote(DType.INT32, DType.FLOAT64), DType.FLOAT64);
    equal(promote(DType.BOOL, DType.INT64), DType.INT64);
});

test('dtype: an unknown name', () => {
    check(fails(Candela.Error.DTYPE, () => Candela.dtype_from_name('float7')).includes('float7'));
});

// ---- Layouts ----

test('layout: shape, strides and offset', () => {
    const layout = Layout.new([2, 3, 4]);
    equal(layout.get_rank(), 3);
    equal(layout.get_shape(), [2, 3, 4]);
    equal(layout.get_strides(), [12, 4, 1]);
    equal(layout.get_offset(), 0);
    equal(layout.get_n_elements(), 24);
    check(layout.is_contiguous() && layout.is_injective());
    const strided = Layout.new_strided([2, 2], [0, -3], 7);
    equal([strided.get_strides(), strided.get_offset()], [[0, -3], 7]);
    check(!strided.is_contiguous() && !strided.is_injective());
    equal(Layout.new([]).get_shape(), []);
    equal(Layout.new([2 ** 40, 0]).get_shape(), [2 ** 40, 0]);
    equal(Candela.shape_to_string([2, 3]), '[2, 3]');
});

test('layout: slices', () => {
    const none = Candela.SLICE_NONE;
    const layout = Layout.new([10]);
    const part = layout.slice(0, 1, 8, 3);
    equal([part.get_shape(), part.get_strides(), part.get_offset()], [[3], [3], 1]);
    const back = layout.slice(-1, none, none, -2);
    equal([back.get_shape(), back.get_strides(), back.get_offset()], [[5], [-2], 9]);
    equal(layout.slice(0, 8, 2, 1).get_shape(), [0]);
});

test('layout: permute, flip and select', () => {
    const layout = Layout.new([2, 3, 4]);
    const moved = layout.permute([2, 0, 1]);
    equal([moved.get_shape(), moved.get_strides()], [[4, 2, 3], [1, 12, 4]]);
    const flipped = layout.flip([1]);
    equal([flipped.get_strides(), flipped.get_offset()], [[12, -4, 1], 8]);
    const chosen = layout.select(1, -1);
    equal([chosen.get_shape(), chosen.get_offset()], [[2, 4], 8]);
});

test('layout: view, expand, squeeze and broadcast', () => {
    const layout = Layout.new([2, 6]);
    equal(layout.view([3, 4]).get_strides(), [4, 1]);
    equal(layout.expand(1).get_shape(), [2, 1, 6]);
    equal(layout.expand(0).squeeze([0]).get_shape(), [2, 6]);
    const wide = Layout.new([3, 1]).broadcast([2, 3, 5]);
    equal([wide.get_shape(), wide.get_strides()], [[2, 3, 5], [0, 1, 0]]);
});

test('layout: extent and adjacent strides', () => {
    const layout = Layout.new_strided([2, 3], [-5, 2], 10);
    equal(layout.get_extent(), [5, 15]);
    equal(Layout.new([2, 3]).get_adj_strides(), [1, 1]);
    equal(Candela.axis_normalize(-1, 3), [true, 2]);
});

test('layout: equality', () => {
    const a = Layout.new([2, 3]);
    const b = Layout.new([3, 2]).permute([1, 0]);
    check(a.equal(Layout.new([2, 3])));
    check(a.same_shape(b) && !a.equal(b));
});

test('layout: what is wrong', () => {
    const layout = Layout.new([2, 3]);
    fails(Candela.Error.SHAPE, () => Layout.new([-1]));
    fails(Candela.Error.SHAPE, () => Layout.new([2 ** 40, 2 ** 40]));
    fails(Candela.Error.SHAPE, () => Layout.new(new Array(Candela.MAX_RANK + 1).fill(1)));
    fails(Candela.Error.SHAPE, () => Layout.new_strided([2, 2], [1], 0));
    fails(Candela.Error.SHAPE, () => layout.view([7]));
    fails(Candela.Error.AXIS, () => layout.permute([0, 0]));
    fails(Candela.Error.AXIS, () => layout.flip([2]));
    fails(Candela.Error.PARAMETER, () => layout.slice(0, 0, 1, 0));
    fails(Candela.Error.AXIS, () => Candela.axis_normalize(3, 3));
});

// ---- Tensors ----

test('tensor: from bytes and back', () => {
    const values = [0, -1.5, 2, Infinity, 1e-45, 7];
    const made = tensor(DType.FLOAT32, [2, 3], values);
    equal(made.get_dtype(), DType.FLOAT32);
    equal(made.get_shape(), [2, 3]);
    equal(made.get_n_elements(), 6);
    equal([...bytesOf(made.get_bytes())], [...pack(DType.FLOAT32, values)]);
    equal(made.get_layout().get_strides(), [3, 1]);
});

test('tensor: every dtype', () => {
    for (const dtype of ARRAYS.keys()) {
        const made = tensor(dtype, [3], [0, 1, 1]);
        equal([made.get_dtype(), read(made)], [dtype, [0, 1, 1]]);
        const cast = op('astype', [Node.new_tensor(made)], {dtype: variant('s', 'int16')});
        equal(read(cast.materialize()), [0, 1, 1]);
    }
});

test('tensor: elements by index', () => {
    const made = tensor(DType.INT32, [2, 2], [1, 2, 3, -4]);
    equal(made.get_int64([1, 1]), -4);
    equal(made.get_double([0, 1]), 2);
    equal(made.get_double([-1, 0]), 3);
    fails(Candela.Error.AXIS, () => made.get_double([2, 0]));
    fails(Candela.Error.AXIS, () => made.get_int64([0]));
});

test('tensor: rank 0, and no elements', () => {
    const scalar = tensor(DType.FLOAT64, [], [2.5]);
    equal([scalar.get_shape(), scalar.get_n_elements(), scalar.get_double([])], [[], 1, 2.5]);
    const empty = tensor(DType.FLOAT64, [3, 0], []);
    equal([empty.get_shape(), empty.get_n_elements(), read(empty)], [[3, 0], 0, []]);
    equal(read(op('sum', [Node.new_tensor(empty)]).materialize()), [0]);
});

test('tensor: integers of 64 bits', () => {
    const made = tensor(DType.INT64, [2], [-(2n ** 63n), 2n ** 63n - 1n]);
    const back = new BigInt64Array(bytesOf(made.get_bytes()).buffer);
    check(back[0] === -(2n ** 63n) && back[1] === 2n ** 63n - 1n);
    equal(tensor(DType.INT64, [1], [2 ** 52]).get_int64([0]), 2 ** 52);
    const large = tensor(DType.UINT64, [1], [2n ** 64n - 1n]);
    check(new BigUint64Array(bytesOf(large.get_bytes()).buffer)[0] === 2n ** 64n - 1n);
});

test('tensor: as text', () => {
    equal(tensor(DType.FLOAT32, [2, 2], [1, 2.5, -3, 0]).to_string(), '[[ 1.   2.5]\n [-3.   0. ]]');
    equal(tensor(DType.BOOL, [2], [1, 0]).to_string(), '[ True False]');
});

test('tensor: a strided one is read packed', () => {
    const data = new GLib.Bytes(pack(DType.INT16, [0, 1, 2, 3, 4, 5]));
    const made = Tensor.new_for_bytes(DType.INT16, Layout.new([2, 3]).permute([1, 0]), data);
    equal([made.get_shape(), read(made)], [[3, 2], [0, 3, 1, 4, 2, 5]]);
    equal(read(op('transpose', [Node.new_tensor(made)]).materialize()), [0, 1, 2, 3, 4, 5]);
});

test('tensor: over bytes that nobody else holds', () => {
    const make = () => {
        const data = new GLib.Bytes(pack(DType.FLOAT64, Array.from({length: 1000}, (_, i) => i)));
        return Tensor.new_for_bytes(DType.FLOAT64, Layout.new([1000]), data);
    };
    let made = make();
    const data = made.get_bytes();
    System.gc();
    equal(read(made)[999], 999);
    made = null;
    System.gc();
    equal(new Float64Array(bytesOf(data).buffer)[999], 999);
});

test('tensor: properties', () => {
    const made = tensor(DType.UINT8, [4], [1, 2, 3, 4]);
    equal(made.dtype, DType.UINT8);
    equal(made.layout.get_shape(), [4]);
});

test('tensor: what is wrong', () => {
    const zeros = new Uint8Array(8);
    fails(Candela.Error.SHAPE, () => Tensor.new_from_data(DType.FLOAT32, [3], zeros));
    fails(Candela.Error.SHAPE, () => Tensor.new_from_data(DType.FLOAT32, [-1], zeros));
    fails(Candela.Error.DTYPE, () => Tensor.new_from_data(DType.INVALID, [1], zeros));
    fails(Candela.Error.SHAPE, () => Layout.new_strided([2], [1], -1));
    const layout = Layout.new_strided([2], [1], 7);
    fails(Candela.Error.SHAPE, () => Tensor.new_for_bytes(DType.INT8, layout, new GLib.Bytes(zeros)));
    fails(Candela.Error.NO_MEMORY, () => Tensor.new(DType.INT8, [2 ** 60]));
});

// ---- Nodes ----

test('node: an op by its name', () => {
    const a = edge(DType.FLOAT64, [3], [1, 2, 3]);
    const b = edge(DType.FLOAT64, [2, 1], [10, 20]);
    const total = op('add', [a, b]);
    equal([total.get_shape(), total.get_dtype()], [[2, 3], DType.FLOAT64]);
    equal(read(total.materialize()), [11, 12, 13, 21, 22, 23]);
    const again = Node.new_for_op(Registry.get_default().lookup_op('add'), [a, b], null);
    equal(read(again.materialize()), read(total.materialize()));
});

test('node: parameters', () => {
    const x = edge(DType.INT32, [2, 3], [1, 2, 3, 4, 5, 6]);
    let total = op('sum', [x], {axis: variant('ax', [1]), keepdims: variant('b', true)});
    equal([total.get_shape(), total.get_dtype()], [[2, 1], DType.INT64]);
    equal(read(total.materialize()), [6, 15]);
    total = op('sum', [x], {axis: variant('i', -2), dtype: variant('s', 'float32')});
    equal([total.get_dtype(), read(total.materialize())], [DType.FLOAT32, [5, 7, 9]]);
});

test('node: wrong parameters', () => {
    const x = edge(DType.INT32, [2, 3], [1, 2, 3, 4, 5, 6]);
    fails(Candela.Error.PARAMETER, () => op('sum', [x], {axes: variant('i', 0)}));
    fails(Candela.Error.PARAMETER, () => op('sum', [x], {keepdims: variant('s', 'yes')}));
    fails(Candela.Error.AXIS, () => op('sum', [x], {axis: variant('i', 2)}));
    fails(Candela.Error.PARAMETER, () => Node.new_op('sum', [x], variant('s', 'axis')));
});

test('node: weak scalars', () => {
    const x = edge(DType.FLOAT32, [2], [1, 2]);
    const half = Node.new_float(0.5);
    check(half.is_weak() && !x.is_weak());
    equal(half.get_scalar().unpack(), 0.5);
    equal(Node.new_int(-7).get_scalar().unpack(), -7);
    equal(Node.new_bool(true).get_scalar().unpack(), true);
    equal(x.get_scalar(), null);
    const product = op('multiply', [x, half]);
    equal([product.get_dtype(), read(product.materialize())], [DType.FLOAT32, [0.5, 1]]);
    equal(op('multiply', [edge(DType.INT8, [1], [3]), Node.new_int(2)]).get_dtype(), DType.INT8);
    equal(op('multiply', [edge(DType.INT8, [1], [3]), half]).get_dtype(), DType.FLOAT64);
    equal(read(op('add', [Node.new_int(2), Node.new_int(3)]).materialize()), [5]);
});

test('node: weak scalars out of range', () => {
    const x = edge(DType.INT8, [1], [3]);
    check(fails(Candela.Error.DTYPE, () => op('add', [x, Node.new_int(300)])).includes('300'));
});

test('node: kinds and inputs', () => {
    const x = edge(DType.FLOAT64, [2, 2], [1, 2, 3, 4]);
    const y = op('exp', [x]);
    equal([x.get_kind(), y.get_kind()], [Candela.NodeKind.EDGE, Candela.NodeKind.OP]);
    equal([y.get_n_inputs(), y.get_n_outputs(), x.get_n_inputs()], [1, 1, 0]);
    equal(y.get_op().get_name(), 'exp');
    equal(x.get_op(), null);
    equal(y.get_input(0).get_kind(), Candela.NodeKind.EDGE);
    equal(y.get_input(1), null);
    equal(read(y.get_input(0).get_tensor()), [1, 2, 3, 4]);
    equal(y.get_tensor(), null);
    equal(y.to_string(), 'exp: float64 [2, 2]');
    equal(op('transpose', [x]).get_layout().get_strides(), [1, 2]);
});

test('node: several outputs', () => {
    const x = edge(DType.FLOAT64, [4], [1, 2, 3, 6]);
    const moments = op('moments', [x]);
    equal(moments.get_n_outputs(), 2);
    const [mean, variance] = [0, 1].map(i => moments.get_output(i));
    equal(variance.get_kind(), Candela.NodeKind.OUTPUT);
    equal(Candela.materialize([mean, variance]).map(read), [[3], [3.5]]);
    const quotient = op('divmod', [edge(DType.INT32, [2], [7, -7]), edge(DType.INT32, [2], [2, 2])]);
    equal(read(quotient.materialize()), [3, -4]);
    equal(read(quotient.get_output(1).materialize()), [1, 1]);
    fails(Candela.Error.ARITY, () => moments.get_output(2));
});

test('node: a cache', () => {
    const cache = op('add', [edge(DType.FLOAT32, [2], [1, 2]), Node.new_int(1)]).new_cache();
    equal([cache.get_kind(), cache.get_tensor()], [Candela.NodeKind.CACHE, null]);
    const double = op('multiply', [cache, Node.new_int(2)]);
    equal(read(double.materialize()), [4, 6]);
    equal(read(cache.get_tensor()), [2, 3]);
    equal(JSON.parse(double.plan(0).to_json()).steps[0].op, 'multiply');
    equal(double.plan(0).get_n_steps(), 1);
    equal(read(double.materialize()), [4, 6]);
});

test('node: slots', () => {
    const slot = Node.new_slot('x', DType.FLOAT32, [2, 3]);
    equal([slot.get_kind(), slot.get_shape()], [Candela.NodeKind.SLOT, [2, 3]]);
    equal(slot.to_string(), 'x: float32 [2, 3]');
    fails(Candela.Error.ARITY, () => op('exp', [slot]).materialize());
    fails(Candela.Error.DTYPE, () => Node.new_slot(null, DType.INVALID, []));
});

// ---- Expressions ----

test('expression: names', () => {
    let bound = {x: edge(DType.FLOAT64, [2], [1, 2]), y: edge(DType.FLOAT64, [2], [10, 20])};
    equal(read(Expression.build('x * 2 + y[::-1]', bound).materialize()), [22, 14]);
    equal(read(Expression.build('1 + 2', null).materialize()), [3]);
    equal(read(Expression.build('1 + 2', {}).materialize()), [3]);
    bound = null;
    System.gc();
});

test('expression: statements', () => {
    const x = edge(DType.FLOAT64, [4], [1, 2, 3, 6]);
    const expression = Expression.parse('m, v = moments(x); s = m + v; s, m', -1, {x});
    equal(expression.get_n_values(), 2);
    equal(read(expression.get_value().materialize()), [6.5]);
    equal(read(expression.get_nth_value(1).materialize()), [3]);
    equal(expression.get_nth_value(2), null);
    equal(expression.list_names(), ['m', 'v', 's']);
    equal(read(expression.lookup('v').materialize()), [3.5]);
    equal(expression.lookup('w'), null);
    fails(Candela.Error.ARITY, () => Expression.build('1, 2', null));
});

test('expression: errors say where', () => {
    const message = fails(Candela.Error.SYNTAX, () => Expression.build('1 + * 2', null));
    check(message.startsWith('line 1, column 5: '), message);
    check(message.endsWith('\n1 + * 2\n    ^'), message);
    fails(Candela.Error.UNKNOWN_OP, () => Expression.build('nothing(1)', null));
    fails(Candela.Error.SHAPE, () => Expression.build('[1, 2] + [1, 2, 3]', null));
    fails(Candela.Error.SYNTAX, () => Expression.build('('.repeat(100000), null));
});

// ---- Materializing and plans ----

test('materialize: one', () => {
    const x = edge(DType.FLOAT64, [2, 3], [0, 1, 2, 3, 4, 5]);
    const turned = op('transpose', [op('add', [x, Node.new_float(0)])]);
    const result = op('relu', [op('subtract', [turned, Node.new_float(2)])]).materialize();
    equal([result.get_shape(), read(result)], [[3, 2], [0, 1, 0, 2, 0, 3]]);
    near(op('exp', [Node.new_float(1)]).materialize().get_double([]), Math.E, 4e-15);
});

test('materialize: several at once', () => {
    const t = op('add', [edge(DType.INT64, [3], [1, 2, 3]), Node.new_int(1)]);
    const results = Candela.materialize([op('multiply', [t, t]), t, op('sum', [t]), t]);
    equal(results.map(read), [[4, 9, 16], [2, 3, 4], [9], [2, 3, 4]]);
    fails(Candela.Error.ARITY, () => Candela.materialize([]));
});

test('plan: steps and memory', () => {
    const [a, b] = ['a', 'b'].map(name => Node.new_slot(name, DType.FLOAT32, [1000]));
    let plan = op('multiply', [op('add', [a, b]), Node.new_float(2)]).plan(0);
    equal([plan.get_n_steps(), plan.get_n_roots(), plan.get_n_allocations()], [1, 1, 1]);
    equal([plan.get_peak_bytes(), plan.get_lower_bound_bytes()], [4000, 4000]);
    equal(plan.get_intermediate_bytes(), 8000);
    equal(plan.get_step_output_kind(0, 0), Candela.OutputKind.ALLOCATE);
    check(plan.get_step_op(0).includes('add'), plan.get_step_op(0));
    equal(plan.get_step_op(1), null);
    plan = Plan.new([op('transpose', [Node.new_slot('x', DType.INT8, [2, 3])])], Candela.PlanFlags.DEFAULT);
    equal(plan.get_step_output_kind(0, 0), Candela.OutputKind.REFERENCE_ETERNAL);
    equal(plan.get_peak_bytes(), 0);
});

test('plan: as text, JSON and DOT', () => {
    const plan = op('sum', [op('exp', [Node.new_slot('x', DType.FLOAT64, [5])])]).plan(0);
    const described = JSON.parse(plan.to_json());
    equal(described.steps.map(step => step.op), ['exp', 'sum']);
    equal(described.steps.map(step => step.output.kind), ['allocate', 'allocate']);
    equal(described.peak_bytes, plan.get_peak_bytes());
    check(plan.to_string().includes('exp') && plan.to_dot().startsWith('digraph'));
});

test('plan: as SVG', () => {
    const plan = op('exp', [Node.new_slot('x', DType.FLOAT64, [5])]).plan(0);
    let picture = null;
    try {
        picture = plan.to_svg();
    } catch (error) {
        check(error.matches(Gio.IOErrorEnum, Gio.IOErrorEnum.NOT_SUPPORTED), `${error}`);
        return;
    }
    check(picture.includes('<svg') && picture.trimEnd().endsWith('</svg>'));
});

test('plan: equality', () => {
    const x = Node.new_slot('x', DType.FLOAT64, [5]);
    const plan = op('exp', [x]).plan(0);
    check(plan.equal(op('exp', [x]).plan(0)));
    check(!plan.equal(op('log', [x]).plan(0)));
});

test('plan: flags change no result', () => {
    const x = edge(DType.FLOAT32, [4], [0.1, 0.2, 0.3, 0.4]);
    const node = Expression.build('t = exp(x) + 1; u = t * t[::-1]; u / (u + t)', {x});
    const {NO_FUSION, NO_REUSE, NO_IN_PLACE} = Candela.PlanFlags;
    const wanted = [...bytesOf(node.materialize().get_bytes())];
    for (const flags of [NO_FUSION, NO_REUSE, NO_IN_PLACE, NO_FUSION | NO_REUSE | NO_IN_PLACE]) {
        const [results] = node.plan(flags).run([], null, null);
        equal([...bytesOf(results[0].get_bytes())], wanted);
    }
    equal(node.plan(NO_FUSION).get_n_steps(), 6);
});

test('plan: run over slots', () => {
    const [a, b] = ['a', 'b'].map(name => Node.new_slot(name, DType.FLOAT64, [2]));
    const plan = Plan.new([op('subtract', [a, b]), op('multiply', [a, b])], 0);
    for (const values of [[3, 4], [5, 6]]) {
        const x = tensor(DType.FLOAT64, [2], values);
        const y = tensor(DType.FLOAT64, [2], [1, 2]);
        const [results, stats] = plan.run([x, y], null, null);
        equal(read(results[0]), [values[0] - 1, values[1] - 2]);
        equal(read(results[1]), [values[0], values[1] * 2]);
        equal([stats.allocations, stats.allocated_bytes, stats.peak_bytes], [2, 32, 32]);
        check(stats.steps >= 1 && stats.nanoseconds >= 0);
    }
});

test('plan: slots that do not fit', () => {
    const plan = op('exp', [Node.new_slot('a', DType.FLOAT64, [2])]).plan(0);
    fails(Candela.Error.ARITY, () => plan.run([], null, null));
    fails(Candela.Error.ARITY, () => plan.run(null, null, null));
    fails(Candela.Error.SHAPE, () => plan.run([tensor(DType.FLOAT64, [1], [1])], null, null));
    fails(Candela.Error.DTYPE, () => plan.run([tensor(DType.FLOAT32, [2], [1, 2])], null, null));
});

test('plan: progress', () => {
    const x = edge(DType.FLOAT32, [300000], new Array(300000).fill(1));
    const seen = [];
    op('sum', [op('exp', [x])]).plan(0).run([], null, (done, total) => seen.push([done, total]));
    check(seen.length > 0);
    check(seen.every(([done], i) => i === 0 || seen[i - 1][0] <= done));
    equal(seen[seen.length - 1], [300001, 300001]);
});

test('plan: cancelled', () => {
    const x = edge(DType.FLOAT32, [1000], new Array(1000).fill(1));
    const plan = op('sum', [op('exp', [x])]).plan(0);
    const cancelled = new Gio.Cancellable();
    cancelled.cancel();
    isCancelled(() => plan.run([], cancelled, null));
    const cancellable = new Gio.Cancellable();
    isCancelled(() => plan.run([], cancellable, () => cancellable.cancel()));
    equal(plan.run([], null, null)[0].length, 1);
});

test('plan: baked into a node', () => {
    const slot = Node.new_slot('x', DType.FLOAT64, [2]);
    const plan = op('square', [op('add', [slot, Node.new_int(1)])]).plan(0);
    const baked = Node.new_baked(plan, [edge(DType.FLOAT64, [2], [1, 2])]);
    equal(baked.get_kind(), Candela.NodeKind.BAKED);
    equal(read(op('negative', [baked]).materialize()), [-4, -9]);
    fails(Candela.Error.ARITY, () => Node.new_baked(plan, []));
});

// ---- In the background ----

const LONG = 'sum(exp(random_uniform([2000000], seed=1)))';

test('async: a result', () => {
    const node = op('add', [edge(DType.FLOAT64, [2], [1, 2]), Node.new_int(1)]);
    const [result] = wait([[node, null]]);
    equal(read(node.materialize_finish(result)), [2, 3]);
});

test('async: a main loop goes on', () => {
    const node = Expression.build(LONG, null);
    let ticks = 0;
    const source = GLib.timeout_add(GLib.PRIORITY_DEFAULT, 1, () => {
        ticks++;
        return GLib.SOURCE_CONTINUE;
    });
    const [result] = wait([[node, null]]);
    GLib.source_remove(source);
    equal(node.materialize_finish(result).get_shape(), []);
    check(ticks > 0);
});

test('async: an error', () => {
    const node = op('exp', [Node.new_slot('x', DType.FLOAT64, [2])]);
    const [result] = wait([[node, null]]);
    fails(Candela.Error.ARITY, () => node.materialize_finish(result));
});

test('async: cancelled', () => {
    const node = Expression.build(LONG, null);
    const cancellable = new Gio.Cancellable();
    GLib.idle_add(GLib.PRIORITY_DEFAULT, () => {
        cancellable.cancel();
        return GLib.SOURCE_REMOVE;
    });
    const [result] = wait([[node, cancellable]]);
    isCancelled(() => node.materialize_finish(result));
});

test('async: four at once', () => {
    const half = edge(DType.FLOAT64, [50000], new Array(50000).fill(0.5));
    const shared = op('exp', [half]).new_cache();
    const nodes = [0, 1, 2, 3].map(i => op('sum', [op('multiply', [shared, Node.new_int(i)])]));
    let first = null;
    for (let repeat = 0; repeat < 50; repeat++) {
        const results = wait(nodes.map(node => [node, null]));
        const values = nodes.map((node, i) => node.materialize_finish(results[i]).get_double([]));
        values.forEach((value, i) => near(value, i * 50000 * Math.exp(0.5), 1e-9 * 50000));
        first ??= values;
        equal(values, first);
    }
});

// ---- Ops and plugins ----

test('registry: ops', () => {
    const ops = Registry.get_default().list_ops();
    const found = names(ops);
    check(found.length >= 100);
    equal(new Set(found).size, found.length);
    for (const name of ['add', 'divmod', 'matmul', 'moments', 'transpose', 'random_uniform'])
        check(found.includes(name), name);
});

test('registry: an op', () => {
    const found = Registry.get_default().lookup_op('where');
    equal(found.get_name(), 'where');
    equal(found.get_plugin_name(), 'elementwise');
    equal(found.list_inputs(), ['condition', 'x1', 'x2']);
    equal([found.get_n_required_inputs(), found.is_variadic()], [3, false]);
    equal(found.list_outputs(), ['out']);
    check(found.get_summary().length > 0 && found.get_since() === '1.0');
    const described = found.describe().recursiveUnpack();
    equal([described.name, described.axes], ['where', 'element-wise']);
});

test('registry: parameters of an op', () => {
    const registry = Registry.get_default();
    const specs = registry.lookup_op('sum').list_params();
    equal(specs.map(spec => spec.get_name()), ['axis', 'dtype', 'keepdims']);
    equal(specs[2].get_default_value(), false);
    check(specs.every(spec => spec.get_blurb()));
    equal(registry.lookup_op('add').list_params(), []);
});

test('registry: operators', () => {
    const registry = Registry.get_default();
    for (const [symbol, name] of [['infix:+', 'add'], ['prefix:-', 'negative'], ['attribute:.T', 'transpose']]) {
        equal(registry.lookup_operator(symbol).get_name(), name);
        check(registry.lookup_op(name).list_operators().includes(symbol));
    }
    fails(Candela.Error.UNKNOWN_OP, () => registry.lookup_operator('infix:<=>'));
});

test('registry: plugins', () => {
    const registry = Registry.get_default();
    const found = names(registry.list_plugins());
    for (const name of ['create', 'elementwise', 'layout', 'linalg', 'reduce'])
        check(found.includes(name), name);
    const plugin = registry.lookup_plugin('reduce');
    equal(plugin.get_license(), 'LGPL-2.1-or-later');
    check(names(plugin.list_ops()).includes('sum'));
    check(plugin.to_key_file().includes('sum'));
    check(plugin.get_filename().endsWith('/reduce.so'), plugin.get_filename());
    fails(Candela.Error.PLUGIN, () => registry.lookup_plugin('nothing'));
    fails(Candela.Error.PLUGIN, () => registry.load_file(GLib.filename_from_uri(import.meta.url)[0]));
    check(Array.isArray(registry.list_refused()));
});

test('registry: an unknown op', () => {
    const message = fails(Candela.Error.UNKNOWN_OP, () => op('ad', [Node.new_int(1)]));
    check(message.includes('"ad"') && message.includes('"add"'), message);
    const empty = Registry.new('/nonexistent');
    fails(Candela.Error.UNKNOWN_OP, () => empty.lookup_op('add'));
});

// ---- What is wrong ----

test('error: domain and codes', () => {
    const a = edge(DType.FLOAT32, [2, 3], new Array(6).fill(0));
    const b = edge(DType.FLOAT32, [4], new Array(4).fill(0));
    const message = fails(Candela.Error.SHAPE, () => op('add', [a, b]));
    check(message.startsWith('add: ') && message.includes('[2, 3]') && message.includes('[4]'), message);
    fails(Candela.Error.DTYPE, () => op('bitwise_and', [a, a]));
    fails(Candela.Error.AXIS, () => op('sum', [a], {axis: variant('i', 5)}));
    fails(Candela.Error.PARAMETER, () => op('sum', [a], {nothing: variant('i', 5)}));
    fails(Candela.Error.ARITY, () => op('add', [a]));
    fails(Candela.Error.UNKNOWN_OP, () => op('nothing', [a]));
    fails(Candela.Error.SYNTAX, () => Expression.build('1 +', null));
    const error = throws(Candela.Error, () => op('add', [a, b]));
    check(error.matches(Candela.Error, Candela.Error.SHAPE));
    equal(Candela.error_quark(), error.domain);
});

// gjs itself refuses null within an array.
test('wrong: nothing among the inputs', () => {
    const x = edge(DType.FLOAT64, [1], [1]);
    const plan = op('exp', [Node.new_slot('x', DType.FLOAT64, [1])]).plan(0);
    for (let attempt = 0; attempt < 100; attempt++) {
        throws(Error, () => op('add', [x, null]));
        throws(Error, () => Candela.materialize([x, null]));
        throws(Error, () => Plan.new([null], 0));
        throws(Error, () => plan.run([null], null, null));
        throws(Error, () => Node.new_baked(plan, [null]));
        fails(Candela.Error.ARITY, () => Node.new_op('add', null, null));
    }
});

test('wrong: arguments of other types', () => {
    const x = edge(DType.FLOAT64, [1], [1]);
    const t = tensor(DType.FLOAT64, [1], [1]);
    const plan = x.plan(0);
    for (let attempt = 0; attempt < 100; attempt++) {
        for (const call of [
            () => Candela.materialize(3),
            () => Candela.materialize(null),
            () => Candela.materialize([x, 3]),
            () => Candela.materialize([x, t]),
            () => Candela.materialize(['x']),
            () => plan.run([x], null, null),
            () => plan.run([t, 3], null, null),
            () => Node.new_op(null, [x], null),
            () => Node.new_op('add', x, null),
            () => Node.new_op('add', [x, t], null),
            () => Node.new_op('add', [x, x], 'axis'),
            () => Node.new_tensor(x),
            () => Tensor.new_from_data(DType.INT8, 'x', 3),
            () => Expression.build('x', {x: 3}),
            () => Expression.build('x', {x: t}),
            () => Expression.build(null, null),
            () => x.materialize_finish(null),
            () => Candela.npz_save(null, ['a'], [t]),
            () => new Node(),
            () => new Plan(),
        ])
            throws(Error, call);
    }
});

test('wrong: objects that nobody made', () => {
    const x = edge(DType.FLOAT64, [1], [1]);
    const made = new Tensor();
    equal([made.get_shape(), made.get_n_elements(), made.to_string()], [[0], 0, '[]']);
    fails(Candela.Error.DTYPE, () => op('exp', [Node.new_tensor(made)]));
    fails(Candela.Error.ARITY, () => Node.new_for_op(new Candela.Op(), [x], null));
    throws(GLib.Error, () => Node.new_for_op(new Candela.Op(), [], null));
    equal([new Candela.Op().get_name(), new Candela.Op().list_params()], ['', []]);
    equal([new Candela.Plugin().get_name(), new Candela.Plugin().list_ops().get_n_items()], ['', 0]);
    equal(new Registry().lookup_op('add').get_name(), 'add');
    equal([new Expression().get_value(), new Expression().list_names()], [null, []]);
});

// ---- Files ----

test('npy: saved and loaded', () => {
    const loaded = inFolder(folder => {
        const file = Gio.File.new_for_path(`${folder}/x.npy`);
        const made = tensor(DType.INT16, [2, 2], [1, -2, 3, -4]);
        check(Candela.npy_save(made, file));
        const back = Candela.npy_load(file);
        equal([back.get_dtype(), back.get_shape(), read(back)], [DType.INT16, [2, 2], [1, -2, 3, -4]]);
        const size = file.query_info('standard::size', 0, null).get_size();
        equal(read(Tensor.new_mapped(DType.INT16, Layout.new([4]), file, size - 8)), [1, -2, 3, -4]);
        equal(files(folder), ['x.npy']);
        return back;
    });
    equal(read(loaded), [1, -2, 3, -4]);
});

test('npy: a file that is none', () => {
    inFolder(folder => {
        const file = Gio.File.new_for_path(`${folder}/x.npy`);
        const error = throws(GLib.Error, () => Candela.npy_load(file));
        check(error.matches(Gio.IOErrorEnum, Gio.IOErrorEnum.NOT_FOUND), `${error}`);
        const header = Uint8Array.from('\x93NUMPY\x01\x00\xff\xff{}', c => c.charCodeAt(0));
        for (const data of [new Uint8Array(0), new Uint8Array(1000).fill(120), header]) {
            GLib.file_set_contents(file.get_path(), data);
            fails(Candela.Error.FORMAT, () => Candela.npy_load(file));
        }
    });
});

test('npz: saved, listed and loaded', () => {
    inFolder(folder => {
        const file = Gio.File.new_for_path(`${folder}/xy.npz`);
        const x = tensor(DType.FLOAT32, [2], [1, 2]);
        const y = tensor(DType.BOOL, [1, 1], [1]);
        check(Candela.npz_save(file, ['x', 'y'], [x, y]));
        equal(Candela.npz_list(file), ['x', 'y']);
        equal(read(Candela.npz_load(file, 'x')), [1, 2]);
        equal(Candela.npz_load(file, 'y').get_shape(), [1, 1]);
        throws(GLib.Error, () => Candela.npz_load(file, 'z'));
        fails(Candela.Error.PARAMETER, () => Candela.npz_save(file, ['x'], [x, y, x, y]));
        fails(Candela.Error.PARAMETER, () => Candela.npz_save(file, ['x', 'x'], [x, y]));
        equal(Candela.npz_list(file), ['x', 'y']);
    });
});

// ---- Memory ----

// work() again and again does not make the process larger.
function grows(limit, rounds, work) {
    const repeat = n => {
        for (let i = 0; i < n; i++) {
            work(i);
            if (i % 1000 === 999)
                System.gc();
        }
        System.gc();
    };
    repeat(rounds);
    const before = residentBytes();
    repeat(rounds);
    const grown = residentBytes() - before;
    check(grown < limit, `${rounds} rounds took ${grown / 1024} KiB`);
}

test('memory: nodes come and go', () => {
    const x = edge(DType.FLOAT64, [1], [1]);
    const axis = new GLib.Variant('a{sv}', {axis: variant('ax', [0])});
    grows(4 * 2 ** 20, 20000, i => {
        const y = Node.new_op('add', [x, Node.new_int(i)], null);
        const z = Node.new_op('sum', [y], axis);
        z.get_input(0).get_layout();
        z.get_op().list_params();
        if (i % 10 === 0) {
            z.new_cache().get_output(0);
            Expression.build('a + b', {a: y, b: z});
        }
    });
});

test('memory: results come and go', () => {
    const plan = op('square', [Node.new_slot('s', DType.FLOAT64, [100])]).plan(0);
    const t = tensor(DType.FLOAT64, [100], new Array(100).fill(1));
    const x = Node.new_tensor(t);
    grows(4 * 2 ** 20, 4000, () => {
        const results = Candela.materialize([op('exp', [x]), op('sum', [x]), x]);
        results[1].get_bytes();
        results[2].get_layout().permute([0]).get_shape();
        plan.run([t], null, () => {});
        throws(Error, () => Candela.materialize([x, null]));
    });
});

test('memory: a long chain', () => {
    let node = edge(DType.FLOAT64, [1], [0]);
    const one = Node.new_int(1);
    for (let i = 0; i < 100000; i++)
        node = Node.new_op('add', [node, one], null);
    System.gc();
    equal(node.materialize().get_double([0]), 100000);
    node = null;
    System.gc();
});

test('memory: results outlive what they were made of', () => {
    const make = () => {
        const x = edge(DType.FLOAT64, [2, 3], [0, 1, 2, 3, 4, 5]);
        const expression = Expression.parse('t = x.T; t, t[1]', -1, {x});
        const node = expression.get_nth_value(1);
        return [node, node.get_layout(), node.get_input(0), expression.get_value().materialize(),
            Registry.new(null).lookup_op('sum')];
    };
    const [node, layout, parent, result, found] = make();
    System.gc();
    equal(read(node.materialize()), [1, 4]);
    equal(layout.get_shape(), [2]);
    equal(parent.get_shape(), [3, 2]);
    equal(read(result), [0, 3, 1, 4, 2, 5]);
    equal(found.get_name(), 'sum');
});

run();
