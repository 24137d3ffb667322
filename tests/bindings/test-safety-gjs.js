// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What goes wrong in JavaScript, or stays when it should go: errors of the language's
// own kinds or the library's, and never a crash.

import Candela from 'gi://Candela?version=1.0';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';

import {check, equal, residentBytes, run, test, throws} from './testing.js';

const {DType, asarray, expr, ops} = Candela;
const A = asarray([[1, 2], [3, 4]]);

// A GLib.Error of Candela's of that code; its message.
function fails(code, body) {
    const error = throws(GLib.Error, body);

    check(error.matches(Candela.Error, code), error);
    return error.message;
}

test('numbers that a dtype does not hold', () => {
    for (const [items, dtype] of [[[300], 'int8'], [[-1], 'uint8'], [[2 ** 32], 'uint32'], [[1.5], 'int16'],
        [[NaN], 'int32'], [[1.5], 'int64'], [[-1], 'uint64'], [[2n ** 63n], 'int64'], [[Infinity], 'int64']])
        throws(RangeError, () => asarray(items, {dtype}));
    throws(RangeError, () => asarray([2n ** 64n]));
    throws(RangeError, () => A.add(2n ** 64n));
    equal(asarray([2n ** 63n]).dtype, DType.UINT64);
    equal(asarray([127, -128, true, 5n], {dtype: 'int8'}).toArray(), [127, -128, 1, 5]);
    fails(Candela.Error.DTYPE, () => asarray(new Int8Array([1])).add(300));
});

test('parameters of other types', () => {
    check(fails(Candela.Error.PARAMETER, () => A.sum({axis: 1.5})).includes('sum: axis is a float (1.5)'));
    fails(Candela.Error.PARAMETER, () => A.sum({axis: 'x'}));
    fails(Candela.Error.PARAMETER, () => A.sum({axis: [0, 0.5]}));
    fails(Candela.Error.PARAMETER, () => A.sum({keepdims: 1}));
    fails(Candela.Error.AXIS, () => A.sum({axis: 2}));
    fails(Candela.Error.AXIS, () => A.sum({axis: 2n ** 62n}));
    throws(RangeError, () => A.sum({axis: 2n ** 64n}));
    throws(TypeError, () => A.sum({axis: A}));
    throws(TypeError, () => A.sum({axis: {}}));
    throws(TypeError, () => A.sum({axis: [null]}));
    throws(TypeError, () => A.sum({dtype: 99}));
    throws(TypeError, () => A.sum({dtype: {}}));
    fails(Candela.Error.DTYPE, () => asarray([1], {dtype: 'float7'}));
    throws(TypeError, () => asarray([1, 2], {shape: [1.5]}));
    throws(TypeError, () => asarray([1, 2], {shape: 'x'}));
    fails(Candela.Error.SHAPE, () => asarray([1, 2], {shape: [3]}));
    fails(Candela.Error.SHAPE, () => asarray(A, {shape: [3]}));
    // No number, but nothing given.
    equal(A.sum({axis: null, dtype: undefined}).item(), 10);
    equal(A.sum({axis: [0n, 1]}).item(), 10);
    equal(A.sum({axis: new Int32Array([0, 1])}).item(), 10);
});

test('no arrays', () => {
    throws(TypeError, () => asarray({}));
    for (const value of [null, undefined, '1', [1, null], [1, , 2], Symbol('x'), () => 1, new Date(), new Map(),
        new DataView(new ArrayBuffer(8)), new ArrayBuffer(8), DType, Candela]) {
        throws(TypeError, () => asarray(value));
        throws(TypeError, () => ops.add(A, value));
        throws(TypeError, () => expr`${value} + 1`);
        throws(TypeError, () => new Candela.Array(value));
    }
    const {add} = Candela.Array.prototype;
    const shape = Object.getOwnPropertyDescriptor(Candela.Array.prototype, 'shape').get;
    throws(TypeError, () => add.call({}, 1));
    throws(TypeError, () => shape.call({}));
    throws(TypeError, () => {
        A.shape = [4];
    });
    fails(Candela.Error.ARITY, () => A.add());
    throws(TypeError, () => A.add(1, 2));
    throws(TypeError, () => ops.nothing());
    equal(['sum' in ops, 'nothing' in ops, 'sum' in A, 'nothing' in A, 'toString' in A],
        [true, false, true, false, true]);
});

test('complex numbers', () => {
    const z = asarray(new Float32Array([1, 2, 3, -4]), {dtype: 'complex64'});

    equal([z.dtype, z.shape], [DType.COMPLEX64, [2]]);
    equal(z.multiply(z).toArray(), [[-3, 4], [-7, -24]]);
    equal([...z.conj().toTypedArray()], [1, -2, 3, 4]);
    equal(asarray([[1, 2], [3, 4]], {dtype: 'complex128'}).toArray(), [[1, 2], [3, 4]]);
    equal(asarray([1, 2], {dtype: DType.COMPLEX128}).item(), [1, 2]);
    equal(asarray([1, 2], {dtype: 'complex128'}).shape, []);
    equal(`${asarray([1, -2], {dtype: 'complex128'})}`, '(1-2j)');
    throws(TypeError, () => asarray([1, 2, 3], {dtype: 'complex64'}));
    throws(TypeError, () => asarray(new Float64Array(2), {dtype: 'complex64'}));
    fails(Candela.Error.SHAPE, () => asarray(new Float32Array(3), {dtype: 'complex64'}));
});

test('written underneath', () => {
    const numbers = new Float32Array([1, 2]);
    const nested = [1, 2];
    const x = asarray(numbers).add(0);
    const y = asarray(nested).add(0);

    numbers.fill(9);
    nested.push(3);
    equal([x.toArray(), y.toArray()], [[1, 2], [1, 2]]);
    x.toTypedArray().fill(7);
    x.tensor.get_bytes().get_data().fill(7);
    equal(x.toArray(), [1, 2]);
    x.shape.push(5);
    equal(x.shape, [2]);
});

test('objects outlive their owners', () => {
    const make = () => {
        let x = asarray(new Float64Array(1000).fill(2));
        const both = x.divmod(2);
        const plan = both[0].plan();
        const kept = {tensor: x.multiply(3).tensor, quotient: both[0], node: both[1].node, typed: x.toTypedArray(),
            bytes: x.tensor.get_bytes(), layout: x.node.get_layout(), plan, multiply: x.multiply};
        x = null;
        return kept;
    };
    const kept = make();

    for (let i = 0; i < 5; i++) {
        System.gc();
        ops.full([1000], i).tensor;
    }
    equal(asarray(kept.tensor).sum().item(), 6000);
    equal(kept.quotient.sum().item(), 1000);
    equal(asarray(kept.node).sum().item(), 0);
    equal(kept.typed[999], 2);
    equal(new Float64Array(kept.bytes.toArray().slice().buffer)[999], 2);
    equal(kept.layout.get_shape(), [1000]);
    equal(asarray(kept.plan.run([], null, null)[0][0]).sum().item(), 1000);
    equal(kept.multiply.call(A, 2).toArray(), [[2, 4], [6, 8]]);
});

// What a program prints that is run by itself, and its status; that of one that a
// signal ended is above 128.
function runProgram(text) {
    const [file, stream] = Gio.File.new_tmp('candela-XXXXXX.js');

    stream.close(null);
    file.replace_contents(`import Candela from 'gi://Candela?version=1.0';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';
const {asarray, expr, ops} = Candela;
const long = () => expr('sum(sin(exp(random_uniform([4000000], seed=1))))');
${text}`, null, false, Gio.FileCreateFlags.NONE, null);
    const program = Gio.Subprocess.new(['gjs', '-m', file.get_path()],
        Gio.SubprocessFlags.STDOUT_PIPE | Gio.SubprocessFlags.STDERR_MERGE);
    const [, output] = program.communicate_utf8(null, null);
    file.delete(null);
    return [program.get_if_exited() ? program.get_exit_status() : 128 + program.get_term_sig(), output];
}

test('callbacks that raise', () => {
    const plan = expr('sum(exp(zeros([300000])))').plan();

    // gjs tells of what a callback throws, and goes on.
    const [status, output] = runProgram(`
const plan = expr('sum(exp(zeros([300000])))').plan();
const [result] = plan.run([], null, () => { throw new TypeError('in progress'); })[0];
print(result.get_double([]));
const loop = new GLib.MainLoop(null, false);
let waiting = 2;
const over = () => --waiting || loop.quit();
GLib.timeout_add(GLib.PRIORITY_DEFAULT, 60000, () => loop.quit());
ops.zeros([3]).node.materialize_async(null, () => { over(); throw new TypeError('when done'); });
asarray([1]).add(1).node.materialize_async(null, () => { over(); null.nothing; });
loop.run();
ops.zeros([3]).materialize(5).catch(error => print('caught', error instanceof Error));
`);
    equal(status, 0);
    for (const text of ['in progress', 'when done', 'caught true'])
        check(output.includes(text), output);
    equal(plan.run([], null, null)[0][0].get_double([]), 300000);
    // One that calls the engine again while it runs.
    let inner = 0;
    plan.run([], null, () => (inner ||= A.sum().item()));
    equal(inner, 10);
});

test('several at once', () => {
    const shared = A.exp();
    const [x, y] = Candela.materialize(shared.sum(), shared.subtract(shared));

    equal(y.toArray(), [[0, 0], [0, 0]]);
    check(Math.abs(x.item() - [1, 2, 3, 4].reduce((sum, item) => sum + Math.exp(item), 0)) < 1e-9);
    equal(Candela.materialize([A])[0], A);
    equal(Candela.materialize([A.node])[0].get_double([1, 1]), 4);
    throws(Error, () => Candela.materialize(A, 3));
    throws(Error, () => Candela.materialize([A, null]));
    fails(Candela.Error.ARITY, () => Candela.materialize([]));
    const [q, r] = expr('divmod(x, 3)', {x: 7});
    check(q.item() === 2n && r.item() === 1n);
});

test('ops of plugins that come later', () => {
    check(!('only_first' in ops) && !('only_first' in A) && !Object.keys(ops).includes('only_first'));
    throws(TypeError, () => ops.only_first());
    const build = GLib.getenv('CANDELA_BUILD_DIR');
    Candela.Registry.get_default().load_file(`${build}/tests/op/plugins/.libs/first.so`);
    equal(ops.only_first().item(), 1);
    check('only_first' in ops && 'only_first' in A && Object.keys(ops).includes('only_first'));
    throws(TypeError, () => A.only_first());
    equal(expr`only_first() + ${1}`.item(), 2);
});

test('the end of the process while work runs', () => {
    equal(runProgram('long().materialize(); System.exit(3);'), [3, '']);
    // Nobody waits for it.
    equal(runProgram('long().materialize();')[0], 0);
    const [status, output] = runProgram(`
const cancellable = new Gio.Cancellable();
for (let i = 0; i < 4; i++)
    long().materialize(cancellable).catch(() => null);
GLib.timeout_add(GLib.PRIORITY_DEFAULT, 5, () => { cancellable.cancel(); print('bye'); System.exit(0); });
new GLib.MainLoop(null, false).run();`);
    equal([status, output], [0, 'bye\n']);
    equal(runProgram('const x = long().materialize(); throw new TypeError("at the end");')[0], 1);
});

test('made, used and dropped', () => {
    const numbers = new Float32Array(100).fill(1);
    const n = Number(GLib.getenv('CANDELA_TEST_ARRAYS') ?? 20000);
    const work = i => {
        const factor = i % 1000;
        const x = asarray(numbers).multiply(factor).sum();

        if (x.toTypedArray()[0] !== factor * 100)
            throw new Error(`${x} instead of ${factor * 100}`);
        if (i % 10 === 0)
            throws(GLib.Error, () => A.add([1, 2, 3]));
    };
    // With nobody calling the collector but Candela itself.
    for (let i = 0; i < 20000; i++)
        work(i);
    System.gc();
    const before = residentBytes();
    let most = before;

    for (let i = 0; i < n; i++) {
        work(i);
        if (i % 1000 === 0)
            most = Math.max(most, residentBytes());
    }
    System.gc();
    const grown = residentBytes() - before;
    check(grown < 24 << 20, `${grown} bytes more after ${n}`);
    check(most - before < 160 << 20, `${most - before} bytes more at once`);
});

run('safety.list');
