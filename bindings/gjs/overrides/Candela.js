// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Candela as JavaScript expects it: arrays over nodes, every op as a function and as a
// method, typed arrays and nested ones in and out, expressions as tagged templates, and
// promises. gjs reads this file when the namespace is first imported; it is in the old
// form of modules, as overrides are.

/* exported _init */
/* global imports */

const {GLib} = imports.gi;

const PARAM_TYPES = {
    'bool': value => new GLib.Variant('b', value),
    'int': value => new GLib.Variant('x', value),
    'float': value => new GLib.Variant('d', value),
    'string': value => new GLib.Variant('s', value),
    'list of int': value => new GLib.Variant('ax', Array.isArray(value) ? value : [value]),
};

function isIntegral(value) {
    return typeof value === 'bigint' || typeof value === 'number' && Number.isInteger(value);
}

function _init() {
    const Candela = this;
    const {DType, Node, Tensor, Registry} = Candela;

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

    function isComplex(dtype) {
        return dtype === DType.COMPLEX64 || dtype === DType.COMPLEX128;
    }

    // A dtype is a number of the enumeration or a name.
    function asDType(dtype) {
        return typeof dtype === 'string' ? Candela.dtype_from_name(dtype) : dtype;
    }

    // ---- Arrays from values ----

    function isTyped(value) {
        return ArrayBuffer.isView(value) && !(value instanceof DataView);
    }

    function tensorFromTyped(value, shape, dtype) {
        const found = DTYPES.get(value.constructor);
        const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
        const tensor = Tensor.new_from_data(found, shape ?? [value.length], bytes);

        return dtype === undefined || dtype === found ? new CandelaArray(Node.new_tensor(tensor))
            : apply('astype', [tensor], {dtype});
    }

    function flatten(value, shape, items, depth) {
        if (Array.isArray(value)) {
            if (depth === shape.length) {
                if (items.length > 0)
                    throw new TypeError('the arrays are not all as deep');
                if (depth === Candela.MAX_RANK)
                    throw new TypeError(`arrays are nested deeper than the ${Candela.MAX_RANK} axes that there can be`);
                shape.push(value.length);
            } else if (value.length !== shape[depth]) {
                throw new TypeError(`an array of ${value.length} among arrays of ${shape[depth]}, on axis ${depth}`);
            }
            value.forEach(item => flatten(item, shape, items, depth + 1));
            return;
        }
        if (depth !== shape.length)
            throw new TypeError('the arrays are not all as deep');
        if (!['number', 'bigint', 'boolean'].includes(typeof value))
            throw new TypeError(`no number: ${value}`);
        items.push(value);
    }

    // Numbers are float64, bigints int64, booleans bool, unless told otherwise.
    function tensorFromNested(value, dtype) {
        const shape = [], items = [];

        flatten(value, shape, items, 0);
        dtype ??= items.length > 0 && items.every(item => typeof item === 'boolean') ? DType.BOOL
            : items.length > 0 && items.every(item => typeof item === 'bigint') ? DType.INT64 : DType.FLOAT64;
        if (isComplex(dtype))
            throw new TypeError('complex numbers come as typed arrays of their parts: Candela.Tensor.new_from_data()');
        const Typed = TYPED.get(dtype);
        const typed = Typed === BigInt64Array || Typed === BigUint64Array ? Typed.from(items, BigInt)
            : Typed.from(items, dtype === DType.BOOL ? item => item ? 1 : 0 : Number);

        return Tensor.new_from_data(dtype, shape, new Uint8Array(typed.buffer));
    }

    function asarray(value, options = {}) {
        const dtype = options.dtype === undefined ? undefined : asDType(options.dtype);

        if (isTyped(value))
            return tensorFromTyped(value, options.shape, dtype);
        if (Array.isArray(value) || ['number', 'bigint', 'boolean'].includes(typeof value)) {
            const array = new CandelaArray(Node.new_tensor(tensorFromNested(value, dtype)));

            return options.shape === undefined ? array : array.reshape(options.shape);
        }
        const node = asNode(value);
        const array = value instanceof CandelaArray ? value : new CandelaArray(node);
        return dtype === undefined || dtype === array.dtype ? array : apply('astype', [array], {dtype});
    }

    function asNode(value) {
        if (value instanceof CandelaArray)
            return value.node;
        if (value instanceof Node)
            return value;
        if (value instanceof Tensor)
            return Node.new_tensor(value);
        switch (typeof value) {
        case 'number':
            return Number.isSafeInteger(value) ? Node.new_int(value) : Node.new_float(value);
        case 'boolean':
            return Node.new_bool(value);
        case 'bigint':
            return Node.new_tensor(tensorFromNested(value, DType.INT64));
        }
        if (isTyped(value) || Array.isArray(value))
            return asarray(value).node;
        throw new TypeError(`no array and no number: ${value}`);
    }

    // ---- Ops ----

    const facts = new Map();

    // What an op takes: asked once.
    function factsOf(name) {
        let found = facts.get(name);

        if (found === undefined) {
            const told = Registry.get_default().lookup_op(name).describe().recursiveUnpack();

            found = {
                inputs: told.inputs.map(input => input.name),
                variadic: told.inputs.some(input => input.need === 'variadic'),
                outputs: told.outputs.length,
                now: told['output-shape'] === 'data',
                params: told.params,
                types: new Map(told.params.map(param => [param.name, param.type])),
            };
            facts.set(name, found);
        }
        return found;
    }

    function paramVariant(op, name, type, value) {
        switch (type) {
        case undefined:
            throw new TypeError(`${op}: there is no parameter ${name}; there are ${
                [...factsOf(op).types.keys()].join(', ') || 'none'}`);
        case 'dtype':
            return new GLib.Variant('s', typeof value === 'string' ? value : Candela.dtype_get_name(value));
        case 'scalar':
            return typeof value === 'boolean' ? new GLib.Variant('b', value)
                : isIntegral(value) ? new GLib.Variant('x', Number(value)) : new GLib.Variant('d', value);
        default:
            return PARAM_TYPES[type](value);
        }
    }

    function apply(name, inputs, params = {}) {
        const {types, outputs, now} = factsOf(name);
        const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null);
        const variants = Object.fromEntries(given.map(([key, value]) =>
            [key, paramVariant(name, key, types.get(key), value)]));
        const variant = given.length > 0 ? new GLib.Variant('a{sv}', variants) : null;
        // What data say the shape of is computed now, and so are the inputs, which keep their values.
        if (now)
            inputs.filter(input => input instanceof CandelaArray).forEach(input => input.tensor);
        const node = Node.new_op(name, inputs.map(asNode), variant);

        return outputs === 1 ? new CandelaArray(node)
            : Array.from({length: outputs}, (_, i) => new CandelaArray(node.get_output(i)));
    }

    function isPlain(value) {
        return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
    }

    // Inputs first, then parameters in their order or, as a plain object, by name.
    function call(name, args) {
        const {inputs, variadic, params} = factsOf(name);
        const rest = [...args];
        const named = rest.length > 0 && isPlain(rest.at(-1)) ? {...rest.pop()} : {};
        const taken = variadic ? rest.splice(0) : rest.splice(0, inputs.length);

        if (rest.length > params.length)
            throw new TypeError(`${name}: too many arguments`);
        rest.forEach((value, i) => (named[params[i].name] = value));
        return apply(name, variadic && taken.length === 1 && Array.isArray(taken[0]) ? taken[0] : taken, named);
    }

    // ---- Arrays ----

    // A value that need not have been computed yet; it is when it is looked at.
    class CandelaArray {
        constructor(node) {
            this._node = node;
            this._tensor = null;
        }

        get node() {
            return this._node;
        }

        get dtype() {
            return this._node.get_dtype();
        }

        get shape() {
            return this._node.get_shape();
        }

        get ndim() {
            return this._node.get_layout().get_rank();
        }

        get size() {
            return this._node.get_layout().get_n_elements();
        }

        get T() {
            return apply('transpose', [this]);
        }

        // The value, computed now unless it is there.
        get tensor() {
            if (this._tensor === null)
                this._keep(this._node.materialize());
            return this._tensor;
        }

        _keep(tensor) {
            this._tensor = tensor;
            this._node = Node.new_tensor(tensor);
        }

        // A promise of this array with its value computed, while the main loop goes on.
        materialize(cancellable = null) {
            if (this._tensor !== null)
                return Promise.resolve(this);
            const node = this._node;

            return new Promise((resolve, reject) => {
                node.materialize_async(cancellable, (_source, result) => {
                    try {
                        this._keep(node.materialize_finish(result));
                        resolve(this);
                    } catch (error) {
                        reject(error);
                    }
                });
            });
        }

        plan(flags = Candela.PlanFlags.DEFAULT) {
            return Candela.Plan.new([this._node], flags);
        }

        // x.at('1:4, ::-1'), x.at(0, -1), x.at(x.greater(0))
        at(...key) {
            if (key.length === 1 && key[0] instanceof CandelaArray && key[0].dtype === DType.BOOL)
                return apply('boolean_mask', [this, key[0]]);
            return apply('index', [this], {key: key.join(', ')});
        }

        // The elements in row-major order; those of complex arrays as pairs.
        toTypedArray() {
            const data = this.tensor.get_bytes().get_data();
            const bytes = data === null ? new Uint8Array(0) : Uint8Array.from(data);

            return new (TYPED.get(this.dtype))(bytes.buffer);
        }

        // Nested arrays of numbers; bigints of 64-bit integers, booleans of bools.
        toArray() {
            if (isComplex(this.dtype))
                throw new TypeError('there are no complex numbers; toTypedArray() has their parts');
            let items = [...this.toTypedArray()];

            if (this.dtype === DType.BOOL)
                items = items.map(item => item !== 0);
            const shape = this.shape;
            const build = (axis, start, n) => {
                if (axis === shape.length)
                    return items[start];
                const each = shape[axis] > 0 ? n / shape[axis] : 0;
                return Array.from({length: shape[axis]}, (_, i) => build(axis + 1, start + i * each, each));
            };
            return build(0, 0, items.length);
        }

        // The one element of an array without axes.
        item() {
            if (this.shape.length > 0)
                throw new TypeError(`an array of shape [${this.shape}] is no number`);
            return this.toArray();
        }

        toString() {
            return this.tensor.to_string();
        }

        [Symbol.toPrimitive](hint) {
            return hint === 'string' || this.shape.length > 0 ? this.toString() : this.item();
        }

        * [Symbol.iterator]() {
            if (this.shape.length === 0)
                throw new TypeError('an array without axes cannot be gone through');
            for (let i = 0; i < this.shape[0]; i++)
                yield this.at(i);
        }
    }

    const ops = {};

    for (const op of Registry.get_default().list_ops()) {
        const name = op.get_name();

        ops[name] = (...args) => call(name, args);
        if (!(name in CandelaArray.prototype)) {
            CandelaArray.prototype[name] = function (...args) {
                return call(name, [this, ...args]);
            };
        }
    }

    // An expression in Candela's language; what stands in ${} is an array or a number.
    function expr(texts, ...values) {
        const names = {};
        let text = texts[0];

        values.forEach((value, i) => {
            names[`arg${i}_`] = asNode(value);
            text += `arg${i}_${texts[i + 1]}`;
        });
        return new CandelaArray(Candela.Expression.build(text, names));
    }

    Candela.Array = CandelaArray;
    Candela.asarray = asarray;
    Candela.ops = ops;
    Candela.expr = expr;
}
