// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Arrays in JavaScript: ops as methods and functions, indexing, printing, typed and
// nested arrays, promises, and errors. Values by hand.

import Candela from 'gi://Candela?version=1.0';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';

import {check, equal, residentBytes, run, test, throws} from './testing.js';

const {DType, asarray, ops} = Candela;

function values(x, wanted, dtype) {
    const text = value => JSON.stringify(value, (_, item) => typeof item === 'bigint' ? `${item}n` : item);

    equal(text(x.toArray()), text(wanted));
    if (dtype !== undefined)
        equal(x.dtype, dtype);
}

// What a promise comes to, with the main loop running meanwhile.
function settle(promise) {
    const loop = new GLib.MainLoop(null, false);
    let value, error = null;

    promise.then(found => (value = found), problem => (error = problem)).then(() => loop.quit());
    loop.run();
    if (error !== null)
        throw error;
    return value;
}

const A = asarray([[1, 2], [3, 4]]);
const I = asarray([7n, -7n, 3n]);

test('operators', () => {
    values(A.add(A), [[2, 4], [6, 8]], DType.FLOAT64);
    values(A.subtract(A.T), [[0, -1], [1, 0]]);
    values(A.multiply(2).add(1), [[3, 5], [7, 9]]);
    values(I.floor_divide(2), [3n, -4n, 1n], DType.INT64);
    values(I.negative(), [-7n, 7n, -3n]);
    values(asarray([1, 2], {dtype: 'float32'}).multiply(1.5), [1.5, 3], DType.FLOAT32);
    values(I.add(true), [8n, -6n, 4n]);
    values(asarray([1, 2], {dtype: 'float32'}).multiply(2n), [2, 4], DType.FLOAT32);
    values(asarray([1, 2], {dtype: 'uint64'}).add(2n ** 64n - 3n), [2n ** 64n - 2n, 2n ** 64n - 1n], DType.UINT64);
    values(ops.full([1], 2n ** 64n - 1n), [2n ** 64n - 1n], DType.UINT64);
    equal(asarray([1, 2], {dtype: 'float32'}).multiply(Candela.Node.new_complex(0, 1)).dtype, DType.COMPLEX64);
    throws(RangeError, () => I.add(2n ** 64n));
    values(I.add(2n ** 62n), [2n ** 62n + 7n, 2n ** 62n - 7n, 2n ** 62n + 3n]);
});

test('comparisons', () => {
    values(I.greater(0), [true, false, true], DType.BOOL);
    values(I.equal(7), [true, false, false]);
});

test('a matrix product', () => {
    values(A.matmul(A), [[7, 10], [15, 22]]);
    check(throws(GLib.Error, () => A.matmul([1, 2, 3])).message.startsWith('matmul: '));
});

test('sums of products', () => {
    values(ops.einsum('ij,jk->ik', A, A), [[7, 10], [15, 22]]);
    values(ops.einsum('ii', [A]), 5);
    values(A.tensordot(A, 1), [[7, 10], [15, 22]]);
    values(A.tensordot(A), 30);
    values(ops.tensordot(A, A, {x1_axes: [0], x2_axes: [1]}), [[7, 15], [10, 22]]);
    values(Candela.expr`einsum(${A}, ${A}, subscripts="ij,kj->ik")`, [[5, 11], [11, 25]]);
    check(throws(GLib.Error, () => ops.einsum('ij,jk->iq', A, A)).message.includes('character 9'));
});

test('facts without computing', () => {
    const x = asarray([[1, 2, 3]], {dtype: DType.INT16}).add(0);

    equal([x.shape, x.ndim, x.size, x.dtype], [[1, 3], 2, 3, DType.INT16]);
    equal(x.T.shape, [3, 1]);
});

test('indexing', () => {
    const m = ops.arange(0, 6).reshape([2, 3]);

    values(m.at(1), [3n, 4n, 5n]);
    values(m.at(-1, 0), 3n);
    values(m.at(':, ::-2'), [[2n, 0n], [5n, 3n]]);
    values(m.at('...', 'None', 1), [[1n], [4n]]);
    values(m.at('1:1'), []);
    values(m.update(9, {key: '0, 1'}), [[0n, 9n, 2n], [3n, 4n, 5n]]);
    values(m.at([1, 0], [2, -2]), [5n, 1n]);
    values(m.at(asarray([1n])), [[3n, 4n, 5n]]);
    values(m.at(new Int8Array([1])), [[3n, 4n, 5n]]);
    values(m.at(1, [0, 2]), [3n, 5n]);
    values(m.at(':', [2, 0]), [[2n, 0n], [5n, 3n]]);
    values(m.at([1], '::-2'), [[5n, 3n]]);
    values(m.with(':', [2, 0], [[7n, 8n]]), [[8n, 1n, 7n], [8n, 4n, 7n]]);
    values(m.with([1], '1:', 9), [[0n, 1n, 2n], [3n, 9n, 9n]]);
    values(m.take([0, 2], {axis: 1}), [[0n, 2n], [3n, 5n]]);
    values(m.take_along_axis([[1, 0, 1]], {axis: 0}), [[3n, 1n, 5n]]);
    values(m.with('0, 1', 9), [[0n, 9n, 2n], [3n, 4n, 5n]]);
    values(m.with(0, ':2', [7, 8].map(BigInt)), [[7n, 8n, 2n], [3n, 4n, 5n]]);
    values(m.with([1, 0], [2, -2], 9), [[0n, 9n, 2n], [3n, 4n, 9n]]);
    values(m.with(m.greater(3), [7n, 8n]), [[0n, 1n, 2n], [3n, 7n, 8n]]);
    values(m.with(m.greater(3), 0), [[0n, 1n, 2n], [3n, 0n, 0n]]);
    values(m, [[0n, 1n, 2n], [3n, 4n, 5n]]);
});

test('indexing: what is wrong', () => {
    const m = ops.arange(0, 6).reshape([2, 3]);

    for (const key of ['2', '-3', '0, 0, 0', '..., ...', 'x', '1.0', '::0', ''])
        throws(GLib.Error, () => m.at(key));
    check(throws(GLib.Error, () => m.at(2)).message.includes('out of range'));
    for (const key of [[null], [0, null], [undefined], [{}], [true], ['...', [0]], [[0], 'None'], [':, :', [0]]])
        throws(TypeError, () => m.at(...key));
    throws(TypeError, () => m.with('...', [0], 9));
    throws(GLib.Error, () => m.at(':', ':', [0]));
    throws(RangeError, () => m.at([0.5]));
    throws(RangeError, () => m.take([NaN], {axis: 0}));
    throws(GLib.Error, () => m.at([5, 0]).tensor);
    throws(GLib.Error, () => m.at(new Float64Array([0])));
});

test('indexing by masks', () => {
    const m = ops.arange(0, 6).reshape([2, 3]);

    values(m.at(m.remainder(2).equal(0)), [0n, 2n, 4n], DType.INT64);
    values(m.at(asarray([false, true])), [[3n, 4n, 5n]]);
    values(m.at([false, true]), [[3n, 4n, 5n]]);
    values(m.with([false, true], 9), [[0n, 1n, 2n], [9n, 9n, 9n]]);
    values(m.at(m.greater(9)), []);
    values(m.at(asarray(true)), [[[0n, 1n, 2n], [3n, 4n, 5n]]]);
    check(throws(GLib.Error, () => m.at(asarray([true]))).matches(Candela.Error, Candela.Error.SHAPE));
});

test('shapes that depend on data', () => {
    const x = asarray([[0, 1.5], [NaN, -0]]).multiply(1);
    const [rows, columns] = x.nonzero();

    values(rows, [0n, 1n], DType.INT64);
    values(columns, [1n, 0n], DType.INT64);
    equal(x.node.get_kind(), Candela.NodeKind.EDGE);
    equal(ops.nonzero(ops.zeros([2, 0, 3])).shape, [3, 0]);
    values(ops.boolean_mask(x, x.greater(1)), [1.5]);
    check(throws(GLib.Error, () => ops.nonzero(asarray(1))).matches(Candela.Error, Candela.Error.SHAPE));
});

test('sets', () => {
    const x = asarray([[3n, 1n, 3n], [2n, 1n, 1n]]);
    const [found, indices, inverse, counts] = x.unique_all();

    values(found, [1n, 2n, 3n], DType.INT64);
    values(indices, [1n, 3n, 0n], DType.INT64);
    values(inverse, [[2n, 0n, 2n], [1n, 0n, 0n]], DType.INT64);
    values(counts, [3n, 1n, 2n], DType.INT64);
    values(ops.unique_values([1.5, -0, 0, 1.5]), [0, 1.5], DType.FLOAT64);
    equal(ops.unique_values([NaN, NaN, NaN]).shape, [3]);
    values(x.isin([1, 9]), [[false, true, false], [false, true, true]], DType.BOOL);
    values(x.subtract(1).count_nonzero([0]), [2n, 0n, 1n], DType.INT64);
});

test('iteration and length', () => {
    equal([...A].map(row => row.toArray()), [[1, 2], [3, 4]]);
    equal(A.shape[0], 2);
    throws(TypeError, () => [...asarray(1)]);
});

test('printing', () => {
    equal(`${A}`, '[[1. 2.]\n [3. 4.]]');
    equal(asarray(2.5).toString(), '2.5');
    equal(String(ops.zeros([0, 3])), '[]');
});

test('numbers of an element', () => {
    equal(A.at(1, 0).item(), 3);
    check(I.at(1).item() === -7n);
    equal(asarray(true).item(), true);
    equal(A.sum() * 2, 20);
    equal(+asarray(1.5), 1.5);
});

test('numbers of an element: what is wrong', () => {
    throws(TypeError, () => A.item());
    throws(TypeError, () => ops.zeros([1]).item());
});

test('from nested sequences', () => {
    values(asarray([true, false]), [true, false], DType.BOOL);
    values(asarray([1, 2.5]), [1, 2.5], DType.FLOAT64);
    values(asarray([[[1]], [[2]]]), [[[1]], [[2]]]);
    values(asarray([]), [], DType.FLOAT64);
    values(asarray([[], []]), [[], []]);
    values(asarray([1, 2], {dtype: 'uint8'}), [1, 2], DType.UINT8);
    values(asarray([1, 2, 3, 4], {shape: [2, 2]}), [[1, 2], [3, 4]]);
    values(asarray(5), 5);
    values(asarray(A, {dtype: 'int64'}), [[1n, 2n], [3n, 4n]]);
});

test('from nested sequences: what is wrong', () => {
    throws(TypeError, () => asarray([[1, 2], [3]]));
    throws(TypeError, () => asarray([[1], 2]));
    throws(TypeError, () => asarray([1, [2]]));
    throws(TypeError, () => asarray(['a']));
    throws(TypeError, () => asarray(null));
    throws(TypeError, () => asarray(undefined));
    throws(TypeError, () => asarray([1, , 2])); // eslint-disable-line no-sparse-arrays
    throws(TypeError, () => asarray([1], {dtyp: 'int8'}));
    throws(TypeError, () => asarray([1], null));
    throws(GLib.Error, () => asarray([1], {dtype: 'text'}));
    throws(GLib.Error, () => asarray([1, 2, 3], {shape: [2, 2]}));
    let nested = 0;
    for (let i = 0; i < 100; i++)
        nested = [nested];
    throws(TypeError, () => asarray(nested));
});

test('from a buffer', () => {
    for (const Typed of [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
        Float32Array, Float64Array]) {
        const x = asarray(new Typed([1, 2]));

        values(x, [1, 2]);
        equal([...x.add(x).toTypedArray()], [2, 4]);
        if (Typed !== Uint8ClampedArray)
            check(x.toTypedArray() instanceof Typed);
    }
    values(asarray(new BigInt64Array([1n, -(2n ** 63n)])), [1n, -(2n ** 63n)], DType.INT64);
    values(asarray(new BigUint64Array([2n ** 64n - 1n])), [2n ** 64n - 1n], DType.UINT64);
    values(asarray(new Float32Array([0, 1, 2, 3]).subarray(1, 3)), [1, 2]);
    values(asarray(new Uint8Array([1, 2]), {dtype: 'float32', shape: [2, 1]}), [[1], [2]], DType.FLOAT32);
    values(asarray(new BigInt64Array([1n, 2n, 3n]).subarray(1)), [2n, 3n], DType.INT64);
    values(asarray(new Uint16Array(new Uint16Array([7, 8, 9, 10]).buffer, 2, 2)), [8, 9], DType.UINT16);
    values(asarray(new Uint8ClampedArray([300, -1])), [255, 0], DType.UINT8);
    values(asarray(new Float64Array(0)), [], DType.FLOAT64);
    equal([...ops.zeros([0]).toTypedArray()], []);
    throws(GLib.Error, () => asarray(new Float32Array(3), {shape: [2]}));
});

test('dtypes', () => {
    equal(asarray([1], {dtype: 'int8'}).dtype, DType.INT8);
    equal(ops.astype(A, 'float32').dtype, DType.FLOAT32);
    equal(A.astype(DType.FLOAT32).dtype, DType.FLOAT32);
    for (const name of ['float16', 'bfloat16']) {
        const half = asarray([1.5, 1 / 3], {dtype: name});

        equal([half.dtype, half.toTypedArray().constructor], [Candela.dtype_from_name(name), Float32Array]);
        equal(half.add(half).toArray()[0], 3);
        equal(asarray(new Float32Array([2]), {dtype: half.dtype}).toArray(), [2]);
    }
    // 0.25 and 341 or 43 of its last places.
    equal(asarray([1 / 3], {dtype: 'float16'}).toArray(), [0.25 + 341 / 4096]);
    equal(asarray([1 / 3], {dtype: 'bfloat16'}).toArray(), [0.25 + 43 / 512]);
    for (const dtype of ['float16', 'bfloat16']) {
        const x = asarray([1.5, -2], {dtype});

        equal(Candela.dtype_get_name(x.dtype), dtype);
        equal(x.add(x).toArray(), [3, -4]);
        check(x.toTypedArray() instanceof Float32Array);
        equal(String(x), '[ 1.5 -2. ]');
    }
});

test('functions of ops', () => {
    values(ops.sum(A), 10);
    values(ops.where(I.greater(0), I, 0), [7n, 0n, 3n]);
    values(I.relu().add(1), [8n, 1n, 4n]);
    values(Candela.expr`${I} * 2 + ${1}`, [15n, -13n, 7n]);
    values(Candela.expr`softmax = exp(${A}); softmax * 0`, [[0, 0], [0, 0]]);
    values(Candela.expr`1 + 2`, 3n);
});

test('functions: parameters', () => {
    values(ops.sum(A, {axis: 0}), [4, 6]);
    values(A.sum({axis: [0, 1], keepdims: true}), [[10]]);
    values(A.sum(-1), [3, 7]);
    values(A.sum({axis: -1, dtype: 'float32'}), [3, 7], DType.FLOAT32);
    values(A.var({correction: 1, axis: 1}), [0.5, 0.5]);
    values(A.permute_dims([1, 0]), [[1, 3], [2, 4]]);
    values(ops.full([2], 1.5), [1.5, 1.5]);
    values(ops.full([2], true), [true, true]);
    check(Object.is(ops.full([1], -0).at(0).item(), -0) && Object.is(A.multiply(-0).at(1, 1).item(), -0));
    equal(I.multiply(-0).dtype, DType.INT64);
    values(ops.concat([A, A.add(4)], 1), [[1, 2, 5, 6], [3, 4, 7, 8]]);
    values(ops.stack([A, A], {axis: -1}), [[[1, 1], [2, 2]], [[3, 3], [4, 4]]]);
    values(ops.concat([1, 2], [3]), [1, 2, 3]);
    values(ops.clip(A, {max: 2}), [[1, 2], [2, 2]]);
    values(ops.clip(A, null, 2), [[1, 2], [2, 2]]);
    values(A.add({x2: A}), [[2, 4], [6, 8]]);
});

test('functions: several results', () => {
    const [q, r] = I.divmod(2);

    values(q, [3n, -4n, 1n]);
    values(r, [1n, 1n, 1n]);
});

test('functions: what is wrong', () => {
    throws(TypeError, () => A.no_such_op());
    throws(GLib.Error, () => ops.sum());
    check(throws(TypeError, () => A.sum({axes: 0})).message.includes('there are axis, dtype, keepdims'));
    throws(TypeError, () => A.sum(0, null, true, 1));
    check(throws(TypeError, () => A.sum(0, {axis: 1})).message === 'sum: axis is given twice');
    check(throws(TypeError, () => A.add({x1: A, x2: A})).message === 'add: x1 is given twice');
    throws(TypeError, () => ops.concat([A, null]));
    throws(TypeError, () => ops.concat([A, A], 0, 1));
    for (const text of [5, null, undefined, {}])
        throws(TypeError, () => Candela.expr(text));
    check(throws(GLib.Error, () => Candela.expr`${A} * (1 +`).message.startsWith('line 1, column '));
    throws(TypeError, () => A.add('1'));
    throws(TypeError, () => A.add(null));
    const error = throws(GLib.Error, () => A.add([1, 2, 3]));
    check(error.matches(Candela.Error, Candela.Error.SHAPE), error);
    check(error.message.startsWith('add: x1 has shape [2, 2] and x2 has shape [3]'), error);
    throws(GLib.Error, () => Candela.expr`${A} + nothing`);
});

const longWork = () => Candela.expr`sum(tanh(sin(broadcast_to(${ops.arange(0, 1000)} * 1.0, [200000, 1000]))), axis=1)`;

test('decompositions of matrices', () => {
    const a = asarray([[[2, 0], [0, 3]], [[5, 0], [0, 4]]]);
    const [lambda] = a.eigh();
    const [, s] = a.svd({full_matrices: false});

    values(lambda.round(), [[2, 3], [4, 5]]);
    values(s.round(), [[3, 2], [5, 4]]);
    values(a.det().round(), [6, 20]);
    values(a.solve(asarray([10, 12])).round(), [[5, 4], [2, 3]]);
    values(a.matrix_norm({ord: 'inf'}), [3, 5]);
    values(a.diagonal(), [[2, 3], [5, 4]]);
    values(a.trace(), [5, 9]);
});

test('matrices that have none', () => {
    const a = asarray([[1, 2], [2, 4]]);
    const error = throws(GLib.Error, () => a.inv().tensor);

    check(error.matches(Candela.Error, Candela.Error.VALUE));
    check(error.message.includes('inv: x is singular'));
});

test('computing beside an event loop', () => {
    let ticks = 0;
    const source = GLib.timeout_add(GLib.PRIORITY_DEFAULT, 1, () => {
        ticks++;
        return GLib.SOURCE_CONTINUE;
    });
    const x = settle(ops.zeros([2000, 1000]).exp().materialize());

    equal(x.at(0, 0).item(), 1);
    const cancellable = new Gio.Cancellable();

    GLib.timeout_add(GLib.PRIORITY_DEFAULT, 20, () => {
        cancellable.cancel();
        return GLib.SOURCE_REMOVE;
    });
    const error = throws(GLib.Error, () => settle(longWork().materialize(cancellable)));
    check(error.matches(Gio.IOErrorEnum, Gio.IOErrorEnum.CANCELLED), error);
    GLib.source_remove(source);
    check(ticks >= 1);
});

test('plans', () => {
    check(A.multiply(2).plan().to_string().includes('multiply'));
});

test('nothing is left', () => {
    const make = n => {
        for (let i = 0; i < n; i++) {
            const x = i % 10 === 0 ? asarray([1, 2, 3]) : A;
            const y = x.multiply(2).add(i).sum();

            if (i % 10 === 0)
                y.item();
            if (i % 1000 === 0)
                System.gc();
        }
        System.gc();
    };

    make(5000);
    const before = residentBytes();

    make(30000);
    const grown = residentBytes() - before;

    check(grown < 8 << 20, `${grown} bytes more`);
});

run('arrays.list');
