// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The types of what bindings/gjs/overrides/Candela.js adds to the namespace. Those of the
// library are made of its GIR, and those of the ops (Ops, Methods) of the registry, by
// ./generate.

declare module 'gi://Candela?version=1.0' {
    import type Gio from '@girs/gio-2.0';

    export namespace Candela {
        type TypedArray = Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array | Int32Array
            | Uint32Array | Float32Array | Float64Array | BigInt64Array | BigUint64Array;

        /** Numbers, or arrays of them as deep as there are axes; pairs of complex numbers. */
        type Nested = number | bigint | boolean | readonly Nested[];

        /** What an op takes as an input. */
        type Operand = Array | Node | Tensor | TypedArray | Nested;

        type DTypeName = 'bool' | 'int8' | 'int16' | 'int32' | 'int64' | 'uint8' | 'uint16' | 'uint32' | 'uint64'
            | 'float16' | 'bfloat16' | 'float32' | 'float64' | 'complex64' | 'complex128';

        type Integer = number | bigint;

        /** An index, slices and the like in a text, or an array of integers or bools. */
        type KeyPart = Integer | string | Array | TypedArray | Nested;

        type Integers = Integer | readonly Integer[] | TypedArray;

        /** A value that need not have been computed yet; it is when it is looked at. Every op is a method. */
        class Array {
            constructor(node: Node);

            readonly node: Node;
            readonly dtype: DType;
            readonly shape: number[];
            readonly ndim: number;
            readonly size: number;
            /** The transpose of a matrix. */
            readonly T: Array;
            /** The value, computed now unless it is there. */
            readonly tensor: Tensor;

            /** Computes the value while the main loop goes on. */
            materialize(cancellable?: Gio.Cancellable | null): Promise<this>;
            /** How the value would be computed. */
            plan(flags?: PlanFlags): Plan;
            /** What a key chooses: x.at(0, -1), x.at('1:4, ::-1'), x.at([0, 2], [1, 1]), x.at(mask). */
            at(...key: KeyPart[]): Array;
            /** Another array, with a value where the key says: x.with('1:4', 0). */
            with(...keyAndValue: [...KeyPart[], Operand]): Array;
            /** The elements in row-major order, a copy; those of complex arrays as pairs. */
            toTypedArray(): TypedArray;
            /** Nested arrays of numbers, bigints (of 64-bit integers), booleans, or pairs (of complex numbers). */
            toArray(): any;
            toJSON(): any;
            /** The one element of an array without axes. */
            item(): any;
            toString(): string;
            [Symbol.toPrimitive](hint: string): any;
            [Symbol.iterator](): IterableIterator<Array>;
        }

        interface Array extends Methods {}

        /** An array of values. Typed arrays are copied; those for a complex dtype are of pairs. */
        function asarray(value: Operand,
            options?: {dtype?: DType | DTypeName; shape?: Integer | Iterable<Integer>}): Array;

        /** Every op of every plugin, by its name. */
        const ops: Ops;

        /** What a result of an op is like. */
        interface Spec {
            dtype: DType | DTypeName;
            shape: Integer[];
        }

        /** What an op that is written here declares. */
        interface OpFacts {
            inputs?: string[];
            outputs?: string[];
            /** Their defaults, or what describes them. */
            params?: Record<string, any>;
            infer?: (...specsAndParams: any[]) => Spec | Spec[];
            /** Inputs, or modes by input or by 'output,input': same-index, within-row, read-first. */
            inplace?: number[] | Record<string, 'same-index' | 'within-row' | 'read-first'>;
            kinds?: ('bool' | 'int' | 'uint' | 'float' | 'complex')[];
            variadic?: boolean;
            aliasing?: 'none' | 'alias' | 'reference' | 'takeover';
            effect?: 'pure' | 'ordered';
            determinism?: 'bitwise' | 'per-layout' | 'none';
            outputShape?: 'static' | 'data';
            operators?: string;
            summary?: string;
            formula?: string;
            example?: string;
            since?: string;
        }

        /** Makes an op of a function over typed arrays, found by its name from then on. */
        function defineOp(name: string, facts: OpFacts, compute: (...arraysAndRun: any[]) => any):
            (...args: any[]) => any;

        /** Proves what an op declares, by running it in every way that this allows. */
        function check(name: string, options?: {cases?: number, seed?: number, seconds?: number}): any;

        /** An expression in Candela's language, in which ${} is an array or a number. Several values are an array. */
        function expr(texts: TemplateStringsArray, ...values: Operand[]): any;
        /** An expression in Candela's language over arrays by their names. */
        function expr(text: string, names?: Record<string, Operand>): any;

        /** Computes several arrays at once; what they share is computed once. */
        function materialize(...arrays: Array[]): Array[];
        function materialize(arrays: Array[]): Array[];
    }
}
