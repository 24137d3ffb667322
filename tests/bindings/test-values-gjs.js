// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Dtypes, layouts, tensors, nodes and expressions as gjs sees them through the
// typelib, without anything of Candela's own in between. test-values-python.py has
// the same tests.

import Candela from 'gi://Candela?version=1.0';
import GLib from 'gi://GLib';
import System from 'system';

import {
    ARRAYS, bytesOf, check, edge, equal, fails,
    op, pack, read, run, tensor, test, variant,
} from './testing.js';

const {DType, Expression, Layout, Node, Registry, Tensor} = Candela;

// ---- Version and dtypes ----

test('version', () => {
    equal(Candela.version_string(), Candela.VERSION_S);
    check(Candela.version_at_least(1, 0, 0));
    check(!Candela.version_at_least(Candela.MAJOR_VERSION + 1, 0, 0));
});

test('dtype: names, sizes and kinds', () => {
    const wanted = ['bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64',
        'float32', 'float64', 'complex64', 'complex128', 'float16', 'bfloat16'];
    const dtypes = wanted.map(name => Candela.dtype_from_name(name));
    equal(dtypes, wanted.map((name, index) => index + 1));
    equal(dtypes.length, Candela.N_DTYPES - 1);
    equal(dtypes.map(dtype => Candela.dtype_get_name(dtype)), wanted);
    equal(dtypes.map(dtype => Candela.dtype_get_size(dtype)), [1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 16, 2, 2]);
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

test('node: gradients', () => {
    const [x, y] = [edge(DType.FLOAT64, [2, 2], [1, 2, 3, 4]), edge(DType.FLOAT64, [2], [0.5, -1])];
    const product = op('multiply', [x, y]);
    const loss = op('sum', [product]);
    const one = Node.new_float(1);
    const ofProduct = loss.new_gradient(0, [one]);
    equal(read(product.new_gradient(0, [ofProduct]).materialize()), [0.5, -1, 0.5, -1]);
    equal(read(product.new_gradient(1, [ofProduct]).materialize()), [4, 6]);
    equal(product.get_op().get_gradient(1), 'grad * x1');
    equal(product.get_op().get_gradient(2), null);
    fails(Candela.Error.PARAMETER, () => x.new_gradient(0, [one]));
    fails(Candela.Error.SHAPE, () => product.new_gradient(0, [one]));
    fails(Candela.Error.ARITY, () => product.new_gradient(0, []));
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

run('values.list');
