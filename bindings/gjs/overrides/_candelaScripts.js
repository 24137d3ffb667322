// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Ops written in JavaScript: functions over typed arrays, which are the run's memory. What
// Candela.js has of dtypes, shapes and ops is given to it.

/* exported makersOf */
/* global imports */

const {GLib} = imports.gi;

function makersOf({Candela, TYPED, ops, registry, asDType, asShape, told}) {
    const FACTS = {
        summary: 's', since: 's', formula: 's', example: 's', operators: 's', inputs: 'as', variadic: 'b', kinds: 'as', outputs: 'as',
        aliasing: 's', effect: 's', determinism: 's', outputShape: 's',
    };

    // A parameter as the registry has it, from its name and default, or from what describes it.
    function paramFacts(name, value) {
        const TYPES = {boolean: 'bool', number: 'float', bigint: 'int', string: 'string'};
        const given = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {default: value};
        const byDefault = given.default;
        const type = given.type ?? (Array.isArray(byDefault) ? 'list of int' : TYPES[typeof byDefault]);

        if (type === undefined)
            throw new TypeError(`the parameter ${name} needs a default, or a type`);
        const facts = {name: GLib.Variant.new_string(name), type: GLib.Variant.new_string(type)};
        if (byDefault !== undefined && byDefault !== null)
            facts.default = GLib.Variant.new_string(type === 'int' ? `${byDefault}` : JSON.stringify(byDefault));
        for (const bound of ['minimum', 'maximum'].filter(key => given[key] !== undefined))
            facts[bound] = GLib.Variant.new_double(Number(given[bound]));
        if (given.summary !== undefined)
            facts.summary = GLib.Variant.new_string(given.summary);
        facts.required = GLib.Variant.new_boolean(given.required ?? false);
        return facts;
    }

    // What goes wrong in a script is an error of Candela that says it.
    function guarded(name, func) {
        return (...args) => {
            try {
                return func(...args);
            } catch (error) {
                if (error instanceof GLib.Error)
                    throw error;
                throw new GLib.Error(Candela.Error, Candela.Error.SCRIPT,
                    `${name}: ${error?.name ?? 'Error'}: ${error?.message ?? error}`);
            }
        };
    }

    function inferOf(infer, nOutputs, isView) {
        return (inputs, params) => {
            const specs = inputs.recursiveUnpack().map(([dtype, shape, strides, offset]) => ({
                dtype: Candela.dtype_from_name(dtype),
                shape: shape.map(Number),
                ...isView ? {strides: strides.map(Number), offset: Number(offset)} : {},
            }));
            const answer = infer(...specs, params.recursiveUnpack());
            const results = nOutputs === 1 && !Array.isArray(answer) ? [answer] : answer;

            if (isView) {
                return new GLib.Variant('a(saxaxx)', results.map(({shape, strides, offset}) =>
                    [Candela.dtype_get_name(specs[0].dtype), asShape(shape), asShape(strides), Number(offset)]));
            }
            return new GLib.Variant('a(sax)', results.map(({dtype, shape}) =>
                [Candela.dtype_get_name(asDType(dtype)), asShape(shape)]));
        };
    }

    // The memory of an operand as a typed array, no copy; of float16 and bfloat16 their bits.
    function typedOver(dtype, bytes) {
        const data = bytes.toArray();
        const Typed = TYPED.get(dtype) ?? Uint16Array;

        return new Typed(data.buffer, data.byteOffset, data.byteLength / Typed.BYTES_PER_ELEMENT);
    }

    // What it gives says how long results are, if the op does not; of several axes as {shape, values}.
    function sizedOutput(call, i, result) {
        const shape = result?.shape ?? [result?.length];

        call.set_output_shape(i, asShape(shape));
        return typedOver(call.get_output(i).get_dtype(), call.get_output_bytes(i));
    }

    function computeOf(compute, paramNames, isSized) {
        return call => {
            const inputs = Array.from({length: call.get_n_inputs()}, (_, i) => call.get_input(i));
            const n = call.get_n_outputs();
            const outputs = Array.from({length: isSized ? 0 : n}, (_, i) =>
                typedOver(call.get_output(i).get_dtype(), call.get_output_bytes(i)));
            const arrays = inputs.map((tensor, i) => typedOver(tensor.get_dtype(), call.get_input_bytes(i)));
            const params = call.get_params().recursiveUnpack();
            const about = {
                ...Object.fromEntries(paramNames.map(name => [name, params[name] ?? null])),
                ...isSized ? {} : {out: n === 1 ? outputs[0] : outputs},
                shapes: inputs.map(tensor => tensor.get_shape().map(Number)),
            };
            const answer = compute(...arrays, about) ?? about.out;
            const results = n === 1 ? [answer] : answer;

            if (results?.length !== n)
                throw new RangeError(`it gave ${results?.length} results; it has ${n}`);
            results.forEach((given, i) => {
                const result = isSized && given?.shape !== undefined ? given.values : given;

                if (isSized)
                    outputs.push(sizedOutput(call, i, given));
                if (result?.length !== outputs[i].length)
                    throw new RangeError(`it gave ${result?.length} elements; its result has ${outputs[i].length}`);
                if (result !== outputs[i])
                    outputs[i].set(result);
            });
            return true;
        };
    }

    // Inputs, or modes by input, or by 'output, input'.
    function inPlaceRows(inplace) {
        if (Array.isArray(inplace))
            return inplace.map(input => [0, input, 'same-index']);
        return Object.entries(inplace).map(([key, mode]) => {
            const pair = key.split(',').map(Number);

            return [pair.length > 1 ? pair[0] : 0, pair.at(-1), mode];
        });
    }

    // Makes an op of functions over typed arrays, which is found by its name from then on, in
    // expressions too. Gives the function over arrays.
    function defineOp(name, facts, compute) {
        if (typeof compute !== 'function')
            throw new TypeError(`${name}: no function that computes: ${told(compute)}`);
        const {params = {}, infer, inplace = [], ...rest} = facts ?? {};
        const made = {'owner-thread': GLib.Variant.new_boolean(true), 'inputs': new GLib.Variant('as', ['x'])};

        for (const [key, value] of Object.entries(rest)) {
            if (FACTS[key] === undefined)
                throw new TypeError(`${name}: there is no fact ${JSON.stringify(key)}`);
            made[key === 'outputShape' ? 'output-shape' : key] = new GLib.Variant(FACTS[key], value);
        }
        made.params = new GLib.Variant('aa{sv}', Object.entries(params).map(([key, value]) => paramFacts(key, value)));
        made['in-place-modes'] = new GLib.Variant('a(uus)', inPlaceRows(inplace));
        const op = Candela.Op.new_script(name, new GLib.Variant('a{sv}', made),
            infer ? guarded(name, inferOf(infer, rest.outputs?.length ?? 1, rest.aliasing === 'reference')) : null,
            guarded(name, computeOf(compute, Object.keys(params), rest.outputShape === 'data')));

        registry.add_op(op);
        return ops[name];
    }

    // What proves the facts that an op declares: runs it in every way that they allow.
    function check(name, {cases = 40, seed = 1, seconds = 5} = {}) {
        return registry.lookup_op(name).check(seed, cases, seconds, null).recursiveUnpack();
    }

    return {defineOp, check};
}
