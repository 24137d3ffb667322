// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Candela as JavaScript expects it: arrays over nodes, every op as a function and as a
// method, typed arrays and nested ones in and out, expressions as tagged templates, and
// promises. gjs reads this file when the namespace is first imported; it is in the old
// form of modules, as overrides are.

/* exported _init */
/* global imports */

const {GLib} = imports.gi;
const {told, isNumber, isTyped, variantOf, isPlain, hold, valuesOf} = imports.overrides._candelaValues;

function _init() {
    const Candela = this;
    const {DType, Expression, Node, Tensor, Registry} = Candela;
    const registry = Registry.get_default();
    const {TYPED, isHalf, isComplex, asDType, asShape, tensorFromTyped, tensorFromNested} = valuesOf(Candela);

    // ---- Arrays from values ----

    function asarray(value, {shape: wantedShape, dtype: wantedDType, ...others} = {}) {
        for (const name in others)
            throw new TypeError(`asarray: there is no option ${name}; there are shape, dtype`);
        const shape = wantedShape === undefined ? undefined : asShape(wantedShape);
        const dtype = wantedDType === undefined ? undefined : asDType(wantedDType);

        if (isTyped(value)) {
            const array = new CandelaArray(Node.new_tensor(tensorFromTyped(value, shape, dtype)));

            return dtype === undefined || dtype === array.dtype ? array : apply('astype', [array], {dtype});
        }
        let array = Array.isArray(value) || isNumber(value)
            ? new CandelaArray(Node.new_tensor(tensorFromNested(value, isHalf(dtype) ? DType.FLOAT64 : dtype)))
            : value instanceof CandelaArray ? value : new CandelaArray(asNode(value));
        if (dtype !== undefined && dtype !== array.dtype)
            array = apply('astype', [array], {dtype});
        return shape === undefined ? array : apply('reshape', [array], {shape});
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
            // gjs may not pass all 64 bits of one.
            if (BigInt.asIntN(64, value) !== value && BigInt.asUintN(64, value) !== value)
                throw new RangeError(`64 bits do not hold ${value}`);
            return Expression.build(String(value), {});
        }
        if (isTyped(value) || Array.isArray(value))
            return asarray(value).node;
        throw new TypeError(`no array and no number: ${told(value)}`);
    }

    // Numbers in arrays are float64, but for where integers are asked for.
    function asIndices(value) {
        const array = asarray(value);

        return array.dtype === DType.FLOAT64 ? asarray(value, {dtype: DType.INT64}) : array;
    }

    // The parts of a key; arrays in it choose elements one by one, of bools as a mask.
    function asKey(parts) {
        return parts.map(part => Array.isArray(part) ? asIndices(part) : isTyped(part) ? asarray(part) : part);
    }

    function isChoice(part) {
        return part instanceof CandelaArray;
    }

    function isInteger(part) {
        return typeof part === 'number' || typeof part === 'bigint';
    }

    function isMask(key) {
        return key.length === 1 && isChoice(key[0]) && key[0].dtype === DType.BOOL;
    }

    // What the op index takes: a text of parts.
    function textOfKey(key) {
        for (const part of key) {
            if (!isInteger(part) && typeof part !== 'string')
                throw new TypeError(`a key is of integers, texts and arrays, not of ${told(part)}`);
        }
        return key.join(', ');
    }

    // A key with arrays in it: slices come first; what chooses, integers too, then goes along
    // whole axes.
    function splitKey(array, key) {
        const axes = [];
        const slices = key.map((part, axis) => {
            if (typeof part === 'string' && /^[^,]*:[^,]*$/.test(part))
                return part;
            if (!isInteger(part) && !isChoice(part))
                throw new TypeError(`beside arrays a key has integers and slices, not ${told(part)}`);
            axes.push(axis);
            return ':';
        }).join(', ');

        return {part: apply('index', [array], {key: slices}), slices, choices: axes.map(axis => key[axis]), axes};
    }

    // ---- Ops ----

    const facts = new Map();

    // What an op takes: asked once. A plugin that is loaded by hand, or a script, may bring
    // another op of the same name, so the name is looked up each time.
    function factsOf(name) {
        const op = registry.lookup_op(name);
        let found = facts.get(name);

        if (found?.op !== op) {
            const {inputs, outputs, params, 'output-shape': shape} = op.describe().recursiveUnpack();

            found = {
                op,
                inputs: inputs.map(input => input.name),
                areIndices: inputs.map(input => input.dtype === 'int64'),
                variadic: inputs.some(input => input.need === 'variadic'),
                outputs: outputs.length,
                now: shape === 'data',
                params: new Map(params.map(param => [param.name, param.type])),
            };
            facts.set(name, found);
        }
        return found;
    }

    function paramVariants(name, params, given) {
        const variants = {};

        for (const [key, value] of Object.entries(given)) {
            if (!params.has(key)) {
                throw new TypeError(`${name}: there is no parameter ${key}; there are ${
                    [...params.keys()].join(', ') || 'none'}`);
            }
            if (value === undefined || value === null)
                continue;
            const type = params.get(key);
            if (type === 'dtype' && typeof value !== 'string')
                variants[key] = new GLib.Variant('s', Candela.dtype_get_name(asDType(value)));
            else if (Object.is(value, -0) && (type === 'float' || type === 'scalar'))
                variants[key] = new GLib.Variant('d', value);
            else
                variants[key] = variantOf(`${name}: ${key}`, value);
        }
        return Object.keys(variants).length > 0 ? new GLib.Variant('a{sv}', variants) : null;
    }

    function apply(name, inputs, given = {}) {
        const found = factsOf(name);
        // What data say the shape of is computed now, and so are the inputs, which keep their values.
        if (found.now)
            inputs.filter(input => input instanceof CandelaArray).forEach(input => input.tensor);
        const node = newNode(found, inputs, paramVariants(name, found.params, given));

        return found.outputs === 1 ? new CandelaArray(node)
            : Array.from({length: found.outputs}, (_, i) => new CandelaArray(node.get_output(i)));
    }

    // gjs passes no array with a null in it; an optional input that is missing before one
    // that is given can be told in an expression.
    function newNode({op, variadic, areIndices}, inputs, variant) {
        const isMissing = inputs.map((input, i) =>
            !variadic && i >= op.get_n_required_inputs() && (input ?? null) === null);
        const isFloat = inputs.some(input => input instanceof CandelaArray && input.dtype >= DType.FLOAT32);
        const asOperand = (input, i) => {
            if (Array.isArray(input) && areIndices[Math.min(i, areIndices.length - 1)])
                return asIndices(input).node;
            // Beside floats a zero has a sign, which an integer has not.
            return isFloat && Object.is(input, -0) ? Node.new_float(input) : asNode(input);
        };

        while (isMissing.at(-1))
            isMissing.pop();
        const given = inputs.slice(0, isMissing.length);
        if (!isMissing.includes(true) || variant !== null)
            return Node.new_for_op(op, given.map(asOperand), variant);
        const nodes = given.map((input, i) => isMissing[i] ? null : asOperand(input, i));
        const names = op.list_inputs().filter((_, i) => nodes[i]);
        return Expression.build(`${op.get_name()}(${names.map(name => `${name}=${name}`).join(', ')})`,
            Object.fromEntries(names.map((name, i) => [name, nodes.filter(node => node)[i]])));
    }

    // Inputs first, then parameters in their order; in a plain object at the end either by name.
    // Any number of inputs may be in an array, before which may stand a text, the first parameter.
    function call(name, args) {
        const {inputs, variadic, params} = factsOf(name);
        const rest = [...args];
        const named = rest.length > 0 && isPlain(rest.at(-1)) ? {...rest.pop()} : {};

        if (variadic && typeof rest[0] === 'string')
            named[params.keys().next().value] = rest.shift();
        const isList = variadic && Array.isArray(rest[0])
            && (rest.length === 1 || rest[0].some(item => item instanceof CandelaArray));
        const operands = isList ? rest.shift() : rest.splice(0, variadic ? rest.length : inputs.length);

        if (rest.length > params.size)
            throw new TypeError(`${name}: at most ${inputs.length} inputs and ${params.size} parameters are taken`);
        const refuse = key => {
            throw new TypeError(`${name}: ${key} is given twice`);
        };

        [...params.keys()].slice(0, rest.length).forEach((key, i) => {
            if (rest[i] !== undefined && Object.hasOwn(named, key))
                refuse(key);
            named[key] ??= rest[i];
        });
        inputs.forEach((key, i) => {
            if (variadic || params.has(key) || !Object.hasOwn(named, key))
                return;
            if (operands[i] !== undefined)
                refuse(key);
            operands[i] = named[key];
            delete named[key];
        });
        return apply(name, Array.from(operands), named);
    }

    function hasOp(name) {
        if (typeof name !== 'string' || !/^[a-z][a-z0-9_]*$/.test(name) || name === 'then')
            return false;
        try {
            return registry.lookup_op(name) !== null;
        } catch {
            return false;
        }
    }

    // ---- Arrays ----

    // A value that need not have been computed yet; it is when it is looked at.
    class CandelaArray {
        constructor(node) {
            if (!(node instanceof Node))
                throw new TypeError(`an array is made of a node, not of ${told(node)}; see Candela.asarray()`);
            this._node = node;
            this._tensor = null;
            hold();
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
            if (this._tensor !== null)
                return;
            this._tensor = tensor;
            this._node = Node.new_tensor(tensor);
            hold(tensor.get_n_elements() * Candela.dtype_get_size(tensor.get_dtype()));
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

        // x.at('1:4, ::-1'), x.at(0, -1), x.at(x.greater(0)), x.at([0, 2], [1, 1])
        at(...parts) {
            const key = asKey(parts);

            if (isMask(key))
                return apply('boolean_mask', [this, key[0]]);
            if (key.some(isChoice)) {
                const {part, choices, axes} = splitKey(this, key);

                return apply('gather', [part, ...choices], {axes});
            }
            return apply('index', [this], {key: textOfKey(key)});
        }

        // Another array, with a value where the key, as at() takes it, says: x.with('1:4', 0).
        with(...args) {
            const value = args.at(-1), key = asKey(args.slice(0, -1));

            if (isMask(key))
                return apply('place', [this, key[0], value]);
            if (key.some(isChoice)) {
                const {part, slices, choices, axes} = splitKey(this, key);
                const result = apply('scatter', [part, value, ...choices], {axes});

                return axes.length === key.length ? result : apply('update', [this, result], {key: slices});
            }
            return apply('update', [this, value], {key: textOfKey(key)});
        }

        // The elements in row-major order, a copy; those of complex arrays as pairs, of float16
        // and bfloat16 as float32.
        toTypedArray() {
            if (isHalf(this.dtype))
                return apply('astype', [this], {dtype: DType.FLOAT32}).toTypedArray();
            // Of the ways to the bytes, get_data() never lets go of them, and toArray() is no copy.
            const data = this.tensor.get_bytes().toArray().slice();

            return new (TYPED.get(this.dtype))(data.buffer);
        }

        // Nested arrays of numbers; bigints of 64-bit integers, booleans of bools, pairs of
        // complex numbers.
        toArray() {
            const isBool = this.dtype === DType.BOOL;
            const items = Array.from(this.toTypedArray(), isBool ? item => item !== 0 : undefined);
            const shape = isComplex(this.dtype) ? [...this.shape, 2] : this.shape;
            const build = (axis, start, n) => {
                if (axis === shape.length)
                    return items[start];
                const each = shape[axis] > 0 ? n / shape[axis] : 0;
                return Array.from({length: shape[axis]}, (_, i) => build(axis + 1, start + i * each, each));
            };
            return build(0, 0, items.length);
        }

        toJSON() {
            return this.toArray();
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
            return hint === 'string' || this.shape.length > 0 || isComplex(this.dtype) ? this.toString() : this.item();
        }

        * [Symbol.iterator]() {
            if (this.shape.length === 0)
                throw new TypeError('an array without axes cannot be gone through');
            for (let i = 0; i < this.shape[0]; i++)
                yield this.at(i);
        }
    }

    // Whatever ops there are when one is asked for, also of plugins that came later.
    const ops = new Proxy({}, {
        get(made, name) {
            if (!Object.hasOwn(made, name) && hasOp(name))
                made[name] = (...args) => call(name, args);
            return made[name];
        },
        has(_made, name) {
            return hasOp(name);
        },
        ownKeys() {
            return [...registry.list_ops()].map(op => op.get_name());
        },
        getOwnPropertyDescriptor(_made, name) {
            return hasOp(name) ? {value: ops[name], enumerable: true, configurable: true} : undefined;
        },
    });
    const methods = {};

    Object.setPrototypeOf(CandelaArray.prototype, new Proxy(Object.prototype, {
        get(parent, name, receiver) {
            if (name in parent || !hasOp(name))
                return Reflect.get(parent, name, receiver);
            methods[name] ??= function (...args) {
                return call(name, [this, ...args]);
            };
            return methods[name];
        },
        has(parent, name) {
            return name in parent || hasOp(name);
        },
    }));

    // An expression in Candela's language: a tagged template, in which ${} is an array or a
    // number, or a text and an object of names.
    function expr(texts, ...values) {
        const names = {};
        let text = texts;

        if (typeof texts !== 'string' && !Array.isArray(texts))
            throw new TypeError(`no expression: ${told(texts)}`);
        if (typeof texts === 'string') {
            Object.entries(values[0] ?? {}).forEach(([name, value]) => (names[name] = asNode(value)));
        } else {
            text = texts[0];
            values.forEach((value, i) => {
                names[`arg${i}_`] = asNode(value);
                text += `arg${i}_${texts[i + 1]}`;
            });
        }
        const read = Expression.parse(text, -1, names);
        const results = Array.from({length: read.get_n_values()}, (_, i) => new CandelaArray(read.get_nth_value(i)));

        return results.length === 1 ? results[0] : results;
    }

    // Several arrays, computed at once; nodes are left to the library.
    const materializeNodes = Candela.materialize;

    Candela.materialize = function (...args) {
        const arrays = args.length === 1 && Array.isArray(args[0]) ? args[0] : args;

        if (arrays.length === 0 || !arrays.every(array => array instanceof CandelaArray))
            return materializeNodes.call(this, args.length === 1 ? args[0] : args);
        materializeNodes(arrays.map(array => array.node)).forEach((tensor, i) => arrays[i]._keep(tensor));
        return arrays;
    };

    Object.assign(Candela, imports.overrides._candelaScripts.makersOf(
        {Candela, TYPED, ops, registry, asDType, asShape, told}));
    Candela.Array = CandelaArray;
    Candela.asarray = asarray;
    Candela.ops = ops;
    Candela.expr = expr;
}
