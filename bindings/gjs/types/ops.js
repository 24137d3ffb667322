// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Prints the types of the ops that the registry has now, as functions and as methods.

import Candela from 'gi://Candela?version=1.0';

const TYPES = {
    'bool': 'boolean',
    'int': 'Integer',
    'float': 'Integer',
    'string': 'string',
    'dtype': 'DType | DTypeName',
    'list of int': 'Integers',
    'scalar': 'Integer | boolean',
};

// Words that no function's argument may be.
const quoted = name => /^(default|in|with|new|function|var|let|const|null|this)$/.test(name) ? `${name}_` : name;

function typeOf(param) {
    return param.choices ? param.choices.map(choice => JSON.stringify(choice)).join(' | ') : TYPES[param.type];
}

// The arguments of both ways to give parameters: by name, and in their order.
function signatures({inputs, params}) {
    let isOptional = false;
    const operands = inputs.filter(input => input.need !== 'variadic').map(input => {
        isOptional ||= input.need === 'optional';
        return isOptional ? `${quoted(input.name)}?: Operand | null` : `${quoted(input.name)}: Operand`;
    });
    const variadic = inputs.find(input => input.need === 'variadic');
    const member = param => param.required ? `${param.name}: ${typeOf(param)}` : `${param.name}?: ${typeOf(param)} | null`;
    const names = [
        ...inputs.filter(input => input.need === 'optional').map(input => `${input.name}?: Operand | null`),
        ...params.map(member),
    ];
    const object = names.length > 0 ? `{${names.join('; ')}}` : null;
    const named = params.some(param => param.required) ? `params: ${object}` : `params?: ${object}`;

    // After some in their order the others may come by name.
    const inOrder = params.map((param, i) => {
        const others = i > 0 ? ` | {${params.slice(i).map(member).join('; ')}}` : '';

        isOptional ||= !param.required;
        return `${quoted(param.name)}${isOptional ? '?' : ''}: ${typeOf(param)}${isOptional ? ' | null' : ''}${others}`;
    });

    if (variadic !== undefined) {
        const last = object === null ? 'Operand' : `Operand | ${object}`;
        const list = `${variadic.name}: readonly Operand[]`;
        const text = params[0]?.type === 'string' && params[0].required ? [`${params[0].name}: string, `] : [];

        return [[list, ...object === null ? [] : [named]], ...params.length > 0 ? [[list, ...inOrder]] : [],
            ...[...text, ''].map(first => [`${first}...${variadic.name}: (${last})[]`])];
    }
    const required = operands.filter((_, i) => inputs[i].need === 'required');
    return object === null ? [operands] : [[...required, named], [...operands, ...inOrder]];
}

function comment({summary, formula, example, inputs, params}) {
    const shown = [formula, example].filter(text => text !== undefined)
        .flatMap(text => [' *', ...text.split('\n').map(line => ` *     ${line}`)]);
    const rows = [...inputs, ...params].filter(row => row.summary)
        .map(row => ` * @param ${quoted(row.name)} ${row.summary}`);

    return ['/**', ` * ${summary}.`, ...shown, ...rows, ' */'];
}

const described = [...Candela.Registry.get_default().list_ops()].map(op => op.describe().recursiveUnpack());
const results = facts => facts.outputs.length > 1 ? 'Array[]' : 'Array';

function printInterface(name, summary, all, isMethod) {
    print(`        /** ${summary} */`);
    print(`        interface ${name} {`);
    for (const facts of all) {
        comment(facts).forEach(row => print(`            ${row}`));
        const isVariadic = facts.inputs.some(input => input.need === 'variadic');
        for (const args of signatures(facts).slice(isMethod && isVariadic ? -1 : 0)) {
            const rest = isMethod && !isVariadic ? args.slice(1) : args;

            print(`            ${facts.name}(${rest.join(', ')}): ${results(facts)};`);
        }
    }
    print('        }');
}

print('// Made of the registry by ops.js.');
print("declare module 'gi://Candela?version=1.0' {");
print('    export namespace Candela {');
printInterface('Ops', 'The ops, as functions.', described, false);
printInterface('Methods', 'The ops, as methods of their first input.',
    described.filter(facts => facts.inputs.length > 0), true);
print('    }');
print('}');
