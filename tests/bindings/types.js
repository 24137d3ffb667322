// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the types allow, and what they do not: a line below @ts-expect-error is wrong.

import Candela from 'gi://Candela?version=1.0';
import Gio from 'gi://Gio';

const {asarray, expr, ops} = Candela;
const a = asarray([[1, 2], [3, 4]], {dtype: 'float32', shape: [4, 1]});
const b = a.add(new Float32Array(4)).relu().sum({axis: 0, keepdims: true});
const [quotient, remainder] = ops.divmod(a, 2);

/** @type {number[]} */
const shape = quotient.add(remainder).shape;

print(b.T.at(0, '1:').item(), shape, ops.concat([a, b], {axis: -1}), a.clip({max: 2n}), a.sum([0, 1], 'float64'));
print(expr`softmax((${a} @ ${b}.T) * ${0.125}, axis=-1)`, expr('x + 1', {x: true}));
print(ops.full([2], 1.5, {dtype: Candela.DType.INT64}), ...Candela.materialize(a, b));
print((await a.exp().materialize(new Gio.Cancellable())).tensor.get_double([0, 0]), [...a].length);
print(a.at([0, 1], [1, 0]), a.at(a.greater(1)), a.at([true, false]), a.with('1:', 0, 9), a.with(a.less(0), 0));
print(ops.concat([a, b], 0), ops.einsum('ij,jk->ik', a, b));

// @ts-expect-error
a.add('1');
// @ts-expect-error
a.sum({axes: 0});
// @ts-expect-error
a.sum({keepdims: 'yes'});
// @ts-expect-error
ops.add(a);
// @ts-expect-error
ops.nothing(a);
// @ts-expect-error
asarray([1], {dtype: 'float7'});
// @ts-expect-error
a.shape = [4];
// @ts-expect-error
a.at({});
// @ts-expect-error
a.materialize(5);
