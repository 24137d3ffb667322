// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Ops written in JavaScript. test-scripts-python.py has the same tests.

import Candela from 'gi://Candela?version=1.0';
import GLib from 'gi://GLib';
import System from 'system';

import {check, equal, run, test, throws} from './testing.js';

const {DType} = Candela;

const softsign = Candela.defineOp('script_softsign', {inplace: [0], summary: 'x / (1 + |x|)'}, (x, {out}) => {
    for (let i = 0; i < x.length; i++)
        out[i] = x[i] / (1 + Math.abs(x[i]));
});

function message(body) {
    return throws(GLib.Error, body).message;
}

test('a function of elements', () => {
    equal(softsign([-1, 0, 3]).toArray(), [-0.5, 0, 0.75]);
    equal(Candela.ops.script_softsign([1]).toArray(), [0.5]);
    equal(Candela.asarray([1, -3]).script_softsign().toArray(), [0.5, -0.75]);
});

test('several inputs broadcast', () => {
    const hypot = Candela.defineOp('script_hypot', {inputs: ['x', 'y']}, (x, y, {out, shapes}) => {
        const [rows, columns] = [shapes[0][0], shapes[1].at(-1)];

        for (let i = 0; i < rows * columns; i++)
            out[i] = Math.hypot(x[Math.floor(i / columns)], y[i % columns]);
    });

    equal(hypot([[3], [0]], [4, 0]).toArray(), [[5, 3], [4, 0]]);
    throws(GLib.Error, () => hypot([1, 2], [1, 2, 3]));
});

test('parameters', () => {
    const affine = Candela.defineOp('script_affine', {
        params: {
            scale: 2.5, shift: 1n, name: 'a', flag: false, axes: [0, 1], absent: {type: 'float'},
            few: {type: 'int', default: 3, maximum: 5, minimum: 1},
        },
    }, (x, {scale, shift, name, flag, axes, absent, few}) => {
        equal([axes.map(Number), absent, Number(few)], [[0, 1], null, 3]);
        return x.map(item => item * scale + Number(shift) + name.length + (flag ? 1 : 0));
    });

    equal(affine([1, 2]).toArray(), [4.5, 7]);
    equal(affine([1, 2], {scale: 3, shift: 0, name: '', flag: true}).toArray(), [4, 7]);
    equal(Candela.expr`script_affine(${[1]}, shift=5)`.toArray(), [8.5]);
    throws(GLib.Error, () => affine([1], {few: 6}));
});

test('another shape', () => {
    const lastSum = Candela.defineOp('script_last_sum', {
        params: {keep: false},
        infer: (x, {keep}) => ({dtype: x.dtype, shape: [...x.shape.slice(0, -1), ...keep ? [1] : []]}),
    }, (x, {out, shapes}) => {
        const n = shapes[0].at(-1);

        for (let r = 0; r < out.length; r++)
            out[r] = x.subarray(r * n, (r + 1) * n).reduce((sum, item) => sum + item, 0);
    });

    equal(lastSum([[0, 1, 2], [3, 4, 5]]).toArray(), [3, 12]);
    equal(lastSum([[0, 1, 2], [3, 4, 5]], {keep: true}).shape, [2, 1]);
});

test('several outputs', () => {
    const divmod = Candela.defineOp('script_divmod', {
        inputs: ['a', 'b'], outputs: ['quotient', 'remainder'], infer: a => [a, a],
    }, (a, b) => [a.map((item, i) => Math.floor(item / b[i])), a.map((item, i) => item % b[i])]);
    const results = divmod([7, 8, 9], [2, 3, 4]);

    equal([...results].map(array => array.toArray()), [[3, 2, 2], [1, 2, 1]]);
});

test('strided inputs', () => {
    const same = Candela.defineOp('script_seen', {}, x => x);

    equal(same(Candela.asarray([[1, 2], [3, 4]]).permute_dims({axes: [1, 0]})).toArray(), [[1, 3], [2, 4]]);
    equal(Candela.expr`script_seen(${[1, 2, 3, 4]}[::-2])`.toArray(), [4, 2]);
    equal(Candela.expr`script_seen(${[1, 2, 3, 4]}[:0])`.toArray(), []);
});

test('in expressions, by name and operator', () => {
    Candela.defineOp('script_twice', {operators: 'attribute:.twice'}, x => x.map(item => 2 * item));
    equal(Candela.expr`${[1, 2]}.twice + script_twice(1.0)`.toArray(), [4, 6]);
});

test('in place, as the plan says', () => {
    const text = softsign(Candela.asarray([1, 2]).multiply(2)).node.plan(0).to_string();

    check(text.includes('in place over %2'), text);
});

test('views of the first input', () => {
    const every = Candela.defineOp('script_every', {
        aliasing: 'reference',
        params: {step: 2n},
        infer: ({shape, strides, offset}, {step}) => ({
            shape: [...shape.slice(0, -1), Math.ceil(shape.at(-1) / step)],
            strides: [...strides.slice(0, -1), strides.at(-1) * step],
            offset,
        }),
    }, () => {
        throw new Error('it is a view');
    });
    const x = Candela.asarray([[0, 1, 2, 3], [4, 5, 6, 7]]);

    equal(every(x).toArray(), [[0, 2], [4, 6]]);
    equal(every(x.transpose().multiply(2)).toArray(), [[0], [2], [4], [6]]);
    equal(every(Candela.expr('x[::-1, 1:] * 1', {x}), {step: 3}).toArray(), [[5], [1]]);
    Candela.defineOp('script_beyond', {
        aliasing: 'reference', infer: ({shape, strides, offset}) => ({shape, strides, offset: offset + 1}),
    }, () => {});
    check(message(() => Candela.ops.script_beyond(x)).includes('outside its input'));
});

test('a copy that stands for its input', () => {
    let calls = 0;
    const pack = Candela.defineOp('script_pack', {aliasing: 'takeover'}, x => {
        calls++;
        return x;
    });
    const x = Candela.asarray([[0, 1, 2], [3, 4, 5]]);
    const turned = x.transpose();

    equal(pack(turned).add(turned).toArray(), [[0, 6], [2, 8], [4, 10]]);
    equal(pack(x).toArray(), x.toArray());
    equal(calls, 1);
});

test('shapes that elements say', () => {
    const above = Candela.defineOp('script_above', {
        outputShape: 'data', params: {bound: 0}, infer: ({dtype}) => ({dtype, shape: [0]}),
    }, (x, {bound}) => x.filter(item => item > bound));

    equal(above([[3, -1], [2, 5]]).toArray(), [3, 2, 5]);
    equal(above([3, -1, 2, 5], {bound: 2}).shape, [2]);
    Candela.defineOp('script_axes', {outputShape: 'data', infer: ({dtype}) => ({dtype, shape: [0, 0]})},
        x => ({shape: [1, x.length], values: x}));
    equal(Candela.ops.script_axes([3, -1]).toArray(), [[3, -1]]);
    check(message(() => Candela.defineOp('script_wrong', {outputShape: 'data'}, x => x.length) &&
        Candela.ops.script_wrong([1])).includes('script_wrong'));
});

test('results that are written or returned', () => {
    const both = Candela.defineOp('script_both', {}, (x, {out}) => {
        out.set(x);
        return out;
    });

    equal(both([1, 2]).toArray(), [1, 2]);
});

test('what a script says is wrong', () => {
    Candela.defineOp('script_bad', {}, () => {
        throw new TypeError('no luck');
    });
    Candela.defineOp('script_bad_infer', {infer: () => null.x}, x => x);

    const error = throws(GLib.Error, () => Candela.ops.script_bad([1]).toArray());
    check(error.matches(Candela.Error, Candela.Error.SCRIPT), `${error}`);
    equal(error.message, 'script_bad: TypeError: no luck');
    check(message(() => Candela.ops.script_bad_infer([1])).startsWith('script_bad_infer: TypeError: '));
});

test('results that do not fit', () => {
    Candela.defineOp('script_longer', {}, x => new Float64Array(x.length + 1));
    Candela.defineOp('script_number', {}, () => 1);
    Candela.defineOp('script_no_dtype', {infer: x => ({dtype: 'number', shape: x.shape})}, x => x);
    Candela.defineOp('script_negative', {infer: x => ({dtype: x.dtype, shape: [-1]})}, x => x);
    check(message(() => Candela.ops.script_longer([1]).toArray()).includes('it gave 2 elements; its result has 1'));
    throws(GLib.Error, () => Candela.ops.script_number([1]).toArray());
    throws(GLib.Error, () => Candela.ops.script_no_dtype([1]));
    throws(GLib.Error, () => Candela.ops.script_negative([1]));
});

test('facts that are wrong', () => {
    throws(TypeError, () => Candela.defineOp('script_a', {colour: 1}, x => x));
    throws(TypeError, () => Candela.defineOp('script_a', {}));
    throws(TypeError, () => Candela.defineOp('script_a', {params: {p: null}}, x => x));
    throws(GLib.Error, () => Candela.defineOp('Script', {}, x => x));
    throws(GLib.Error, () => Candela.defineOp('script_a', {inplace: [1]}, x => x));
    throws(GLib.Error, () => Candela.defineOp('script_a', {aliasing: 'some'}, x => x));
    check(message(() => Candela.defineOp('script_a', {aliasing: 'reference'}, x => x)).includes('no infer function'));
    throws(GLib.Error, () => Candela.defineOp('script_a', {kinds: ['number']}, x => x));
});

test('a name that is taken', () => {
    check(message(() => Candela.defineOp('add', {}, x => x)).includes('elementwise'));
});

test('an op that is made again', () => {
    const make = number => Candela.defineOp('script_again', {operators: 'attribute:.shifted'}, (x, {out}) => {
        for (let i = 0; i < x.length; i++)
            out[i] = x[i] + number;
    });
    const first = make(1), x = Candela.asarray([1]);
    const old = Candela.expr`${x}.shifted`.multiply(first(x));

    make(2);
    equal(Candela.expr`${x}.shifted + script_again(${x})`.toArray(), [6]);
    equal(old.toArray(), [4]);
    for (let number = 0; number < 100; number++) {
        make(number);
        Candela.ops.script_again(x).toArray();
        if (number % 10 === 0)
            System.gc();
    }
    equal(first([1]).toArray(), [100]);

    // Another signature.
    Candela.defineOp('script_again', {inputs: ['x', 'y'], params: {times: 1n}}, (x, y, {out, times}) => {
        out[0] = (x[0] + y[0]) * times;
    });
    equal(Candela.ops.script_again([1], [2], {times: 3}).toArray(), [9]);
    throws(GLib.Error, () => Candela.expr`${x}.shifted`);
});

test('facts are proven', () => {
    const report = Candela.check('script_softsign', {cases: 10});

    equal([report.op, report.proven], ['script_softsign', true]);
    Candela.defineOp('script_lies', {inplace: [0], kinds: ['float']}, (x, {out}) => {
        out.fill(0);
        x.forEach((item, i) => (out[i] += item));
    });
    equal(Candela.check('script_lies').fact, 'in-place');
    Candela.defineOp('script_lies', {aliasing: 'alias', kinds: ['float']}, x => x.map(item => 2 * item + 1));
    equal(Candela.check('script_lies').fact, 'aliasing');
    throws(GLib.Error, () => Candela.check('script_nowhere'));
});

test('views that are kept', () => {
    const kept = [];
    const keeper = Candela.defineOp('script_keeper', {}, (x, {out}) => {
        kept.push(x, out);
        out.set(x);
    });

    equal(Candela.ops.sum(keeper(Candela.ops.ones([100000]).multiply(3))).toArray(), 300000);
    System.gc();
    Candela.ops.sum(Candela.ops.ones([100000]).multiply(5)).toArray();
    check(kept.every(view => view.length === 100000 && !Number.isNaN(view[99999])));
});

test('in the background', () => {
    const loop = new GLib.MainLoop(null, false);
    let results;

    Promise.all([1, 2, 3].map(i => softsign([i]).materialize())).then(arrays => {
        results = arrays.map(array => array.toArray()[0]);
    }, error => {
        results = `${error}`;
    }).finally(() => loop.quit());
    loop.run();
    equal(results, [1 / 2, 2 / 3, 3 / 4]);
});

test('dtypes', () => {
    const same = Candela.defineOp('script_same', {}, x => x);

    for (const dtype of ['bool', 'int8', 'uint64', 'float16', 'float32', 'complex64', 'complex128']) {
        const x = Candela.ops.astype([1, 0, 1], {dtype});

        equal([same(x).dtype, `${same(x)}`], [x.dtype, `${x}`]);
    }
    Candela.defineOp('script_floats', {kinds: ['float']}, x => x);
    throws(GLib.Error, () => Candela.ops.script_floats(new Int32Array([1])));
    equal(Candela.ops.script_floats([1]).dtype, DType.FLOAT64);
});

run('scripts.list');
