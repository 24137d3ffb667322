// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Tests by name, as TAP, and what tests of Candela share. Which tests there are, and
// in what order, is said by a file of names, for both languages: a test that is
// missing here, or that is not in the list, fails.

import Candela from 'gi://Candela?version=1.0';
import GLib from 'gi://GLib';

const tests = new Map();

export function test(name, body) {
    tests.set(name, body);
}

export function equal(found, wanted) {
    if (found !== wanted && JSON.stringify(found) !== JSON.stringify(wanted))
        throw new Error(`${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}

export function check(condition, text = 'it does not hold') {
    if (!condition)
        throw new Error(text);
}

export function near(found, wanted, tolerance) {
    if (!(Math.abs(found - wanted) <= tolerance))
        throw new Error(`${found} is not near ${wanted}`);
}

// The error of that class that body() throws.
export function throws(kind, body) {
    let found;
    try {
        found = body();
    } catch (error) {
        if (error instanceof kind)
            return error;
        throw error;
    }
    throw new Error(`${found} instead of an error`);
}

function readText(path) {
    return new TextDecoder().decode(GLib.file_get_contents(path)[1]);
}

// What the process has in memory now.
export function residentBytes() {
    return Number(/VmRSS:\s*(\d+) kB/.exec(readText('/proc/self/status'))[1]) * 1024;
}

export function run(listName) {
    const here = GLib.path_get_dirname(GLib.filename_from_uri(import.meta.url)[0]);
    const names = readText(`${here}/${listName}`).trim().split('\n');
    names.push(...[...tests.keys()].filter(name => !names.includes(name)));
    names.forEach((name, index) => {
        let problem = '';
        try {
            if (!tests.has(name))
                throw new Error('the test is missing in this language');
            tests.get(name)();
        } catch (error) {
            problem = `${error}\n${error.stack ?? ''}`.trim();
        }
        print(`${problem ? 'not ok' : 'ok'} ${index + 1} - ${name}`);
        for (const line of problem.split('\n').filter(text => text))
            print(`# ${line}`);
    });
    print(`1..${names.length}`);
}

// ---- Of Candela ----

export const ARRAYS = new Map([
    [Candela.DType.BOOL, Uint8Array],
    [Candela.DType.INT8, Int8Array],
    [Candela.DType.INT16, Int16Array],
    [Candela.DType.INT32, Int32Array],
    [Candela.DType.INT64, BigInt64Array],
    [Candela.DType.UINT8, Uint8Array],
    [Candela.DType.UINT16, Uint16Array],
    [Candela.DType.UINT32, Uint32Array],
    [Candela.DType.UINT64, BigUint64Array],
    [Candela.DType.FLOAT32, Float32Array],
    [Candela.DType.FLOAT64, Float64Array],
]);
const BIG = [Candela.DType.INT64, Candela.DType.UINT64];

export function pack(dtype, values) {
    return new Uint8Array(ARRAYS.get(dtype).from(BIG.includes(dtype) ? values.map(BigInt) : values).buffer);
}

export function tensor(dtype, shape, values) {
    return Candela.Tensor.new_from_data(dtype, shape, pack(dtype, values));
}

export function edge(dtype, shape, values) {
    return Candela.Node.new_tensor(tensor(dtype, shape, values));
}

export function bytesOf(data) {
    return Uint8Array.from(data.get_data() ?? []);
}

// The elements, in row-major order; integers of 64 bits as numbers.
export function read(result) {
    const elements = new (ARRAYS.get(result.get_dtype()))(bytesOf(result.get_bytes()).buffer);
    return Array.from(elements, Number);
}

export function op(name, inputs, params = null) {
    return Candela.Node.new_op(name, inputs, params ? new GLib.Variant('a{sv}', params) : null);
}

export const variant = (type, value) => new GLib.Variant(type, value);

// The message of the Candela error of that code that body() throws.
export function fails(code, body) {
    const error = throws(GLib.Error, body);
    equal([GLib.quark_to_string(error.domain), error.code], ['candela-error-quark', code]);
    return error.message;
}
