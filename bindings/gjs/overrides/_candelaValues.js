// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What values of JavaScript are to Candela: dtypes, shapes, parameters, and the tensors
// that typed arrays, nested ones and numbers become.

/* exported told, isNumber, isTyped, variantOf, isPlain, hold, valuesOf */
/* global imports */

const {GLib} = imports.gi;
const {gc} = imports.system;

// ---- Memory ----

// The collector sees its own objects, not the memory behind them, which is nearly all that
// arrays take. So that is counted here, and when it has come to half of what the process
// had after the last time, and to 64 MiB, the collector is called.
const ARRAY_BYTES = 1024; // of a node, its layout and what is wrapped around them
const LEAST_BYTES = 64 << 20;
let counted = 0;
let enough = LEAST_BYTES;

function residentBytes() {
    try {
        const status = new TextDecoder().decode(GLib.file_get_contents('/proc/self/status')[1]);

        return Number(/VmRSS:\s*(\d+) kB/.exec(status)[1]) * 1024;
    } catch {
        return 0;
    }
}

function hold(bytes = ARRAY_BYTES) {
    counted += bytes;
    if (counted < enough)
        return;
    gc();
    counted = 0;
    enough = Math.max(LEAST_BYTES, residentBytes() / 2);
}

// ---- Values ----

// What an error says of a value.
function told(value) {
    switch (typeof value) {
    case 'string':
        return JSON.stringify(value);
    case 'object':
        return value === null ? 'null' : `an object of ${value.constructor?.name ?? 'no class'}`;
    case 'function':
        return 'a function';
    default:
        return String(value);
    }
}

function isNumber(value) {
    return ['number', 'bigint', 'boolean'].includes(typeof value);
}

function isTyped(value) {
    return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

// A parameter's value as it is; whether it fits is for the library to say.
function variantOf(what, value) {
    switch (typeof value) {
    case 'boolean':
        return new GLib.Variant('b', value);
    case 'number':
        return new GLib.Variant(Number.isSafeInteger(value) ? 'x' : 'd', value);
    case 'string':
        return new GLib.Variant('s', value);
    case 'bigint':
        if (BigInt.asIntN(64, value) === value)
            return new GLib.Variant('x', value);
        if (BigInt.asUintN(64, value) === value)
            return new GLib.Variant('t', value);
        throw new RangeError(`${what} is ${value}, which 64 bits do not hold`);
    }
    if (Array.isArray(value) || isTyped(value))
        return new GLib.Variant('av', Array.from(value, item => variantOf(what, item)));
    throw new TypeError(`${what} cannot be ${told(value)}`);
}

// The one object of named parameters that may stand last.
function isPlain(value) {
    return typeof value === 'object' && value !== null
        && [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

function valuesOf(Candela) {
    const {DType, Tensor} = Candela;

    // ---- Dtypes ----

    const TYPED = new Map([
        [DType.BOOL, Uint8Array], [DType.INT8, Int8Array], [DType.INT16, Int16Array], [DType.INT32, Int32Array],
        [DType.INT64, BigInt64Array], [DType.UINT8, Uint8Array], [DType.UINT16, Uint16Array],
        [DType.UINT32, Uint32Array], [DType.UINT64, BigUint64Array], [DType.FLOAT32, Float32Array],
        [DType.FLOAT64, Float64Array], [DType.COMPLEX64, Float32Array], [DType.COMPLEX128, Float64Array],
    ]);
    const DTYPES = new Map([...TYPED].filter(([dtype]) => dtype < DType.COMPLEX64).map(([dtype, type]) => [type, dtype]));
    DTYPES.set(Uint8Array, DType.UINT8);
    DTYPES.set(Uint8ClampedArray, DType.UINT8);

    // There are no typed arrays of these: numbers come as float64, and go as float32.
    function isHalf(dtype) {
        return dtype === DType.FLOAT16 || dtype === DType.BFLOAT16;
    }

    function isComplex(dtype) {
        return dtype === DType.COMPLEX64 || dtype === DType.COMPLEX128;
    }

    // A dtype is a number of the enumeration or a name.
    function asDType(dtype) {
        if (typeof dtype === 'string')
            return Candela.dtype_from_name(dtype);
        if (!TYPED.has(dtype) && !isHalf(dtype))
            throw new TypeError(`no dtype: ${told(dtype)}`);
        return dtype;
    }

    function asShape(shape) {
        const dims = typeof shape === 'object' && shape !== null && Symbol.iterator in shape ? [...shape] : [shape];

        for (const dim of dims) {
            if (typeof dim === 'bigint' ? BigInt.asIntN(64, dim) !== dim : !Number.isSafeInteger(dim))
                throw new TypeError(`a shape is of integers, not of ${told(dim)}`);
        }
        return dims;
    }

    // ---- Tensors from values ----

    function newTensor(dtype, shape, typed) {
        const bytes = new Uint8Array(typed.buffer, typed.byteOffset, typed.byteLength);

        hold(bytes.length);
        return Tensor.new_from_data(dtype, shape, bytes);
    }

    // Complex numbers are pairs of a real part and an imaginary one.
    function tensorFromTyped(typed, shape, dtype) {
        if (isComplex(dtype)) {
            if (!(typed instanceof TYPED.get(dtype)))
                throw new TypeError(`${Candela.dtype_get_name(dtype)} comes as a ${TYPED.get(dtype).name} of pairs`);
            return newTensor(dtype, shape ?? [Math.floor(typed.length / 2)], typed);
        }
        const found = DTYPES.get(typed.constructor);
        if (found === undefined)
            throw new TypeError(`no dtype for ${told(typed)}`);
        return newTensor(found, shape ?? [typed.length], typed);
    }

    function flatten(value, shape, items, depth) {
        if (Array.isArray(value)) {
            if (depth === shape.length) {
                if (items.length > 0)
                    throw new TypeError('the arrays are not all as deep');
                if (depth > Candela.MAX_RANK)
                    throw new TypeError(`arrays are nested deeper than the ${Candela.MAX_RANK} axes that there can be`);
                shape.push(value.length);
            } else if (value.length !== shape[depth]) {
                throw new TypeError(`an array of ${value.length} among arrays of ${shape[depth]}, on axis ${depth}`);
            }
            for (const item of value)
                flatten(item, shape, items, depth + 1);
            return;
        }
        if (depth !== shape.length)
            throw new TypeError('the arrays are not all as deep');
        if (!isNumber(value))
            throw new TypeError(`no number: ${told(value)}`);
        items.push(value);
    }

    // Typed arrays wrap and cut off; here what does not fit is an error.
    function typedFrom(items, dtype) {
        const Typed = TYPED.get(dtype);

        if (dtype === DType.BOOL)
            return Typed.from(items, item => item ? 1 : 0);
        if (dtype >= DType.FLOAT32)
            return Typed.from(items, Number);
        const isBig = Typed === BigInt64Array || Typed === BigUint64Array;
        const typed = Typed.from(items, isBig ? item => Number.isInteger(Number(item)) ? BigInt(item) : 0n : Number);
        // Loosely, for numbers and bigints that are the same are equal.
        const wrong = typed.findIndex((item, i) => item != items[i]); // eslint-disable-line eqeqeq
        if (wrong >= 0)
            throw new RangeError(`${items[wrong]} is no ${Candela.dtype_get_name(dtype)}`);
        return typed;
    }

    // Numbers are float64, bigints int64 (uint64 if they must), booleans bool.
    function dtypeOf(items) {
        const kinds = new Set(items.map(item => typeof item));

        if (kinds.size !== 1 || kinds.has('number'))
            return DType.FLOAT64;
        return kinds.has('boolean') ? DType.BOOL : items.some(item => item >= 2n ** 63n) ? DType.UINT64 : DType.INT64;
    }

    function tensorFromNested(value, dtype) {
        const shape = [], items = [];

        flatten(value, shape, items, 0);
        dtype ??= dtypeOf(items);
        if (isComplex(dtype) && shape.pop() !== 2)
            throw new TypeError('complex numbers come as pairs: [real, imaginary]');
        return newTensor(dtype, shape, typedFrom(items, dtype));
    }

    return {TYPED, isHalf, isComplex, asDType, asShape, tensorFromTyped, tensorFromNested};
}
