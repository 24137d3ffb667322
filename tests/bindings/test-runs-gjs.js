// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Plans and their runs, at once and in the background, ops and plugins, files,
// wrong arguments and memory, as gjs sees them through the typelib.
// test-runs-python.py has the same tests.

import Candela from 'gi://Candela?version=1.0';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';

import {
    bytesOf, check, edge, equal, fails, near, op,
    read, residentBytes, run, tensor, test, throws, variant,
} from './testing.js';

const {DType, Expression, Layout, Node, Plan, Registry, Tensor} = Candela;

function isCancelled(body) {
    const error = throws(GLib.Error, body);
    check(error.matches(Gio.IOErrorEnum, Gio.IOErrorEnum.CANCELLED), `${error}`);
}

// Runs a main loop until as many callbacks were called as runs started.
function wait(started) {
    const results = [];
    const loop = new GLib.MainLoop(null, false);
    let missing = started.length;
    started.forEach(([node, cancellable], index) => {
        node.materialize_async(cancellable, (source, result) => {
            results[index] = result;
            if (--missing === 0)
                loop.quit();
        });
    });
    loop.run();
    return results;
}

function names(list) {
    const found = [];
    for (let i = 0; i < list.get_n_items(); i++)
        found.push(list.get_item(i).get_name());
    return found;
}

function inFolder(body) {
    const folder = GLib.Dir.make_tmp('candela-XXXXXX');
    try {
        return body(folder);
    } finally {
        for (const name of files(folder))
            GLib.unlink(`${folder}/${name}`);
        GLib.rmdir(folder);
    }
}

function files(folder) {
    const children = Gio.File.new_for_path(folder).enumerate_children('standard::name', 0, null);
    const found = [];
    for (let info = children.next_file(null); info !== null; info = children.next_file(null))
        found.push(info.get_name());
    children.close(null);
    return found;
}

// ---- Materializing and plans ----

test('materialize: one', () => {
    const x = edge(DType.FLOAT64, [2, 3], [0, 1, 2, 3, 4, 5]);
    const turned = op('transpose', [op('add', [x, Node.new_float(0)])]);
    const result = op('relu', [op('subtract', [turned, Node.new_float(2)])]).materialize();
    equal([result.get_shape(), read(result)], [[3, 2], [0, 1, 0, 2, 0, 3]]);
    near(op('exp', [Node.new_float(1)]).materialize().get_double([]), Math.E, 4e-15);
});

test('materialize: several at once', () => {
    const t = op('add', [edge(DType.INT64, [3], [1, 2, 3]), Node.new_int(1)]);
    const results = Candela.materialize([op('multiply', [t, t]), t, op('sum', [t]), t]);
    equal(results.map(read), [[4, 9, 16], [2, 3, 4], [9], [2, 3, 4]]);
    fails(Candela.Error.ARITY, () => Candela.materialize([]));
});

test('plan: steps and memory', () => {
    const [a, b] = ['a', 'b'].map(name => Node.new_slot(name, DType.FLOAT32, [1000]));
    let plan = op('multiply', [op('add', [a, b]), Node.new_float(2)]).plan(0);
    equal([plan.get_n_steps(), plan.get_n_roots(), plan.get_n_allocations()], [1, 1, 1]);
    equal([plan.get_peak_bytes(), plan.get_lower_bound_bytes()], [4000, 4000]);
    equal(plan.get_intermediate_bytes(), 8000);
    equal(plan.get_step_output_kind(0, 0), Candela.OutputKind.ALLOCATE);
    check(plan.get_step_op(0).includes('add'), plan.get_step_op(0));
    equal(plan.get_step_op(1), null);
    plan = Plan.new([op('transpose', [Node.new_slot('x', DType.INT8, [2, 3])])], Candela.PlanFlags.DEFAULT);
    equal(plan.get_step_output_kind(0, 0), Candela.OutputKind.REFERENCE_ETERNAL);
    equal(plan.get_peak_bytes(), 0);
});

test('plan: as text, JSON and DOT', () => {
    const plan = op('sum', [op('exp', [Node.new_slot('x', DType.FLOAT64, [5])])]).plan(0);
    const described = JSON.parse(plan.to_json());
    equal(described.steps.map(step => step.op), ['exp', 'sum']);
    equal(described.steps.map(step => step.output.kind), ['allocate', 'allocate']);
    equal(described.peak_bytes, plan.get_peak_bytes());
    check(plan.to_string().includes('exp') && plan.to_dot().startsWith('digraph'));
});

test('plan: as SVG', () => {
    const plan = op('exp', [Node.new_slot('x', DType.FLOAT64, [5])]).plan(0);
    let picture = null;
    try {
        picture = plan.to_svg();
    } catch (error) {
        check(error.matches(Gio.IOErrorEnum, Gio.IOErrorEnum.NOT_SUPPORTED), `${error}`);
        return;
    }
    check(picture.includes('<svg') && picture.trimEnd().endsWith('</svg>'));
});

test('plan: equality', () => {
    const x = Node.new_slot('x', DType.FLOAT64, [5]);
    const plan = op('exp', [x]).plan(0);
    check(plan.equal(op('exp', [x]).plan(0)));
    check(!plan.equal(op('log', [x]).plan(0)));
});

test('plan: flags change no result', () => {
    const x = edge(DType.FLOAT32, [4], [0.1, 0.2, 0.3, 0.4]);
    const node = Expression.build('t = exp(x) + 1; u = t * t[::-1]; u / (u + t)', {x});
    const {NO_FUSION, NO_REUSE, NO_IN_PLACE} = Candela.PlanFlags;
    const wanted = [...bytesOf(node.materialize().get_bytes())];
    for (const flags of [NO_FUSION, NO_REUSE, NO_IN_PLACE, NO_FUSION | NO_REUSE | NO_IN_PLACE]) {
        const [results] = node.plan(flags).run([], null, null);
        equal([...bytesOf(results[0].get_bytes())], wanted);
    }
    equal(node.plan(NO_FUSION).get_n_steps(), 6);
});

test('plan: run over slots', () => {
    const [a, b] = ['a', 'b'].map(name => Node.new_slot(name, DType.FLOAT64, [2]));
    const plan = Plan.new([op('subtract', [a, b]), op('multiply', [a, b])], 0);
    for (const values of [[3, 4], [5, 6]]) {
        const x = tensor(DType.FLOAT64, [2], values);
        const y = tensor(DType.FLOAT64, [2], [1, 2]);
        const [results, stats] = plan.run([x, y], null, null);
        equal(read(results[0]), [values[0] - 1, values[1] - 2]);
        equal(read(results[1]), [values[0], values[1] * 2]);
        equal([stats.allocations, stats.allocated_bytes, stats.peak_bytes], [2, 32, 32]);
        check(stats.steps >= 1 && stats.nanoseconds >= 0);
    }
});

test('plan: slots that do not fit', () => {
    const plan = op('exp', [Node.new_slot('a', DType.FLOAT64, [2])]).plan(0);
    fails(Candela.Error.ARITY, () => plan.run([], null, null));
    fails(Candela.Error.ARITY, () => plan.run(null, null, null));
    fails(Candela.Error.SHAPE, () => plan.run([tensor(DType.FLOAT64, [1], [1])], null, null));
    fails(Candela.Error.DTYPE, () => plan.run([tensor(DType.FLOAT32, [2], [1, 2])], null, null));
});

test('plan: profiled', () => {
    const x = Node.new_slot('x', DType.FLOAT32, [3]);
    const plan = op('sum', [op('exp', [op('multiply', [x, Node.new_float(2)])])]).plan(0);
    const [results, profile] = plan.run_profiled([tensor(DType.FLOAT32, [3], [0, 0, 0])], null, null);
    equal(read(results[0]), [3]);
    equal([0, 1].map(step => profile.get_step_parts(step)), [['multiply', 'exp'], ['sum']]);
    equal([0, 1].map(step => profile.get_step_bytes_read(step)), [16, 12]);
    equal([0, 1].map(step => profile.get_step_bytes_written(step)), [12, 4]);
    equal([0, 1].map(step => profile.get_step_elements(step)), [3, 1]);
    equal([0, 1].map(step => profile.get_step_n_threads(step)), [1, 1]);
    const durations = [0, 1].map(step => profile.get_step_duration(step));
    check(durations.every(duration => duration > 0));
    check(durations[0] + durations[1] <= profile.get_stats().nanoseconds);
    check(profile.get_step_start(1) >= profile.get_step_start(0) + durations[0]);
    check(profile.get_plan().equal(plan) && profile.get_n_steps() === 2 && profile.get_n_threads() >= 1);
    const events = JSON.parse(profile.to_chrome_trace()).traceEvents;
    equal(events.map(event => event.args.op), ['multiply+exp', 'sum']);
    check(profile.to_string().includes('multiply+exp') && profile.get_step_share(0) >= 0);
    fails(Candela.Error.ARITY, () => plan.run_profiled(null, null, null));
});

test('plan: progress', () => {
    const x = edge(DType.FLOAT32, [300000], new Array(300000).fill(1));
    const seen = [];
    op('sum', [op('exp', [x])]).plan(0).run([], null, (done, total) => seen.push([done, total]));
    check(seen.length > 0);
    check(seen.every(([done], i) => i === 0 || seen[i - 1][0] <= done));
    equal(seen[seen.length - 1], [300001, 300001]);
});

test('plan: cancelled', () => {
    const x = edge(DType.FLOAT32, [1000], new Array(1000).fill(1));
    const plan = op('sum', [op('exp', [x])]).plan(0);
    const cancelled = new Gio.Cancellable();
    cancelled.cancel();
    isCancelled(() => plan.run([], cancelled, null));
    const cancellable = new Gio.Cancellable();
    isCancelled(() => plan.run([], cancellable, () => cancellable.cancel()));
    equal(plan.run([], null, null)[0].length, 1);
});

test('plan: baked into a node', () => {
    const slot = Node.new_slot('x', DType.FLOAT64, [2]);
    const plan = op('square', [op('add', [slot, Node.new_int(1)])]).plan(0);
    const baked = Node.new_baked(plan, [edge(DType.FLOAT64, [2], [1, 2])]);
    equal(baked.get_kind(), Candela.NodeKind.BAKED);
    equal(read(op('negative', [baked]).materialize()), [-4, -9]);
    fails(Candela.Error.ARITY, () => Node.new_baked(plan, []));
});

// ---- In the background ----

const LONG = 'sum(exp(random_uniform([2000000], seed=1)))';

test('async: a result', () => {
    const node = op('add', [edge(DType.FLOAT64, [2], [1, 2]), Node.new_int(1)]);
    const [result] = wait([[node, null]]);
    equal(read(node.materialize_finish(result)), [2, 3]);
});

test('async: a main loop goes on', () => {
    const node = Expression.build(LONG, null);
    let ticks = 0;
    const source = GLib.timeout_add(GLib.PRIORITY_DEFAULT, 1, () => {
        ticks++;
        return GLib.SOURCE_CONTINUE;
    });
    const [result] = wait([[node, null]]);
    GLib.source_remove(source);
    equal(node.materialize_finish(result).get_shape(), []);
    check(ticks > 0);
});

test('async: an error', () => {
    const node = op('exp', [Node.new_slot('x', DType.FLOAT64, [2])]);
    const [result] = wait([[node, null]]);
    fails(Candela.Error.ARITY, () => node.materialize_finish(result));
});

test('async: cancelled', () => {
    const node = Expression.build(LONG, null);
    const cancellable = new Gio.Cancellable();
    GLib.idle_add(GLib.PRIORITY_DEFAULT, () => {
        cancellable.cancel();
        return GLib.SOURCE_REMOVE;
    });
    const [result] = wait([[node, cancellable]]);
    isCancelled(() => node.materialize_finish(result));
});

test('async: four at once', () => {
    const half = edge(DType.FLOAT64, [50000], new Array(50000).fill(0.5));
    const shared = op('exp', [half]).new_cache();
    const nodes = [0, 1, 2, 3].map(i => op('sum', [op('multiply', [shared, Node.new_int(i)])]));
    let first = null;
    for (let repeat = 0; repeat < 50; repeat++) {
        const results = wait(nodes.map(node => [node, null]));
        const values = nodes.map((node, i) => node.materialize_finish(results[i]).get_double([]));
        values.forEach((value, i) => near(value, i * 50000 * Math.exp(0.5), 1e-9 * 50000));
        first ??= values;
        equal(values, first);
    }
});

// ---- Ops and plugins ----

test('registry: ops', () => {
    const ops = Registry.get_default().list_ops();
    const found = names(ops);
    check(found.length >= 100);
    equal(new Set(found).size, found.length);
    for (const name of ['add', 'divmod', 'matmul', 'moments', 'transpose', 'random_uniform'])
        check(found.includes(name), name);
});

test('registry: an op', () => {
    const found = Registry.get_default().lookup_op('where');
    equal(found.get_name(), 'where');
    equal(found.get_plugin_name(), 'elementwise');
    equal(found.list_inputs(), ['condition', 'x1', 'x2']);
    equal([found.get_n_required_inputs(), found.is_variadic()], [3, false]);
    equal(found.list_outputs(), ['out']);
    check(found.get_summary().length > 0 && found.get_since() === '1.0');
    const described = found.describe().recursiveUnpack();
    equal([described.name, described.axes], ['where', 'element-wise']);
});

test('registry: parameters of an op', () => {
    const registry = Registry.get_default();
    const specs = registry.lookup_op('sum').list_params();
    equal(specs.map(spec => spec.get_name()), ['axis', 'dtype', 'keepdims']);
    equal(specs[2].get_default_value(), false);
    check(specs.every(spec => spec.get_blurb()));
    equal(registry.lookup_op('add').list_params(), []);
});

test('registry: operators', () => {
    const registry = Registry.get_default();
    for (const [symbol, name] of [['infix:+', 'add'], ['prefix:-', 'negative'], ['attribute:.T', 'transpose']]) {
        equal(registry.lookup_operator(symbol).get_name(), name);
        check(registry.lookup_op(name).list_operators().includes(symbol));
    }
    fails(Candela.Error.UNKNOWN_OP, () => registry.lookup_operator('infix:<=>'));
});

test('registry: plugins', () => {
    const registry = Registry.get_default();
    const found = names(registry.list_plugins());
    for (const name of ['create', 'elementwise', 'layout', 'linalg', 'reduce'])
        check(found.includes(name), name);
    const plugin = registry.lookup_plugin('reduce');
    equal(plugin.get_license(), 'LGPL-2.1-or-later');
    check(names(plugin.list_ops()).includes('sum'));
    check(plugin.to_key_file().includes('sum'));
    check(plugin.get_filename().endsWith('/reduce.so'), plugin.get_filename());
    fails(Candela.Error.PLUGIN, () => registry.lookup_plugin('nothing'));
    fails(Candela.Error.PLUGIN, () => registry.load_file(GLib.filename_from_uri(import.meta.url)[0]));
    check(Array.isArray(registry.list_refused()));
});

test('registry: an unknown op', () => {
    const message = fails(Candela.Error.UNKNOWN_OP, () => op('ad', [Node.new_int(1)]));
    check(message.includes('"ad"') && message.includes('"add"'), message);
    const empty = Registry.new('/nonexistent');
    fails(Candela.Error.UNKNOWN_OP, () => empty.lookup_op('add'));
});

// ---- What is wrong ----

test('error: domain and codes', () => {
    const a = edge(DType.FLOAT32, [2, 3], new Array(6).fill(0));
    const b = edge(DType.FLOAT32, [4], new Array(4).fill(0));
    const message = fails(Candela.Error.SHAPE, () => op('add', [a, b]));
    check(message.startsWith('add: ') && message.includes('[2, 3]') && message.includes('[4]'), message);
    fails(Candela.Error.DTYPE, () => op('bitwise_and', [a, a]));
    fails(Candela.Error.AXIS, () => op('sum', [a], {axis: variant('i', 5)}));
    fails(Candela.Error.PARAMETER, () => op('sum', [a], {nothing: variant('i', 5)}));
    fails(Candela.Error.ARITY, () => op('add', [a]));
    fails(Candela.Error.UNKNOWN_OP, () => op('nothing', [a]));
    fails(Candela.Error.SYNTAX, () => Expression.build('1 +', null));
    const error = throws(Candela.Error, () => op('add', [a, b]));
    check(error.matches(Candela.Error, Candela.Error.SHAPE));
    equal(Candela.error_quark(), error.domain);
});

// gjs itself refuses null within an array.
test('wrong: nothing among the inputs', () => {
    const x = edge(DType.FLOAT64, [1], [1]);
    const plan = op('exp', [Node.new_slot('x', DType.FLOAT64, [1])]).plan(0);
    for (let attempt = 0; attempt < 100; attempt++) {
        throws(Error, () => op('add', [x, null]));
        throws(Error, () => Candela.materialize([x, null]));
        throws(Error, () => Plan.new([null], 0));
        throws(Error, () => plan.run([null], null, null));
        throws(Error, () => Node.new_baked(plan, [null]));
        fails(Candela.Error.ARITY, () => Node.new_op('add', null, null));
    }
});

test('wrong: arguments of other types', () => {
    const x = edge(DType.FLOAT64, [1], [1]);
    const t = tensor(DType.FLOAT64, [1], [1]);
    const plan = x.plan(0);
    for (let attempt = 0; attempt < 100; attempt++) {
        for (const call of [
            () => Candela.materialize(3),
            () => Candela.materialize(null),
            () => Candela.materialize([x, 3]),
            () => Candela.materialize([x, t]),
            () => Candela.materialize(['x']),
            () => plan.run([x], null, null),
            () => plan.run([t, 3], null, null),
            () => Node.new_op(null, [x], null),
            () => Node.new_op('add', x, null),
            () => Node.new_op('add', [x, t], null),
            () => Node.new_op('add', [x, x], 'axis'),
            () => Node.new_tensor(x),
            () => Tensor.new_from_data(DType.INT8, 'x', 3),
            () => Expression.build('x', {x: 3}),
            () => Expression.build('x', {x: t}),
            () => Expression.build(null, null),
            () => x.materialize_finish(null),
            () => Candela.npz_save(null, ['a'], [t]),
            () => new Node(),
            () => new Plan(),
        ])
            throws(Error, call);
    }
});

test('wrong: objects that nobody made', () => {
    const x = edge(DType.FLOAT64, [1], [1]);
    const made = new Tensor();
    equal([made.get_shape(), made.get_n_elements(), made.to_string()], [[0], 0, '[]']);
    fails(Candela.Error.DTYPE, () => op('exp', [Node.new_tensor(made)]));
    fails(Candela.Error.ARITY, () => Node.new_for_op(new Candela.Op(), [x], null));
    throws(GLib.Error, () => Node.new_for_op(new Candela.Op(), [], null));
    equal([new Candela.Op().get_name(), new Candela.Op().list_params()], ['', []]);
    equal([new Candela.Plugin().get_name(), new Candela.Plugin().list_ops().get_n_items()], ['', 0]);
    equal(new Registry().lookup_op('add').get_name(), 'add');
    equal([new Expression().get_value(), new Expression().list_names()], [null, []]);
});

// ---- Files ----

test('npy: saved and loaded', () => {
    const loaded = inFolder(folder => {
        const file = Gio.File.new_for_path(`${folder}/x.npy`);
        const made = tensor(DType.INT16, [2, 2], [1, -2, 3, -4]);
        check(Candela.npy_save(made, file));
        const back = Candela.npy_load(file);
        equal([back.get_dtype(), back.get_shape(), read(back)], [DType.INT16, [2, 2], [1, -2, 3, -4]]);
        const size = file.query_info('standard::size', 0, null).get_size();
        equal(read(Tensor.new_mapped(DType.INT16, Layout.new([4]), file, size - 8)), [1, -2, 3, -4]);
        equal(files(folder), ['x.npy']);
        return back;
    });
    equal(read(loaded), [1, -2, 3, -4]);
});

test('npy: a file that is none', () => {
    inFolder(folder => {
        const file = Gio.File.new_for_path(`${folder}/x.npy`);
        const error = throws(GLib.Error, () => Candela.npy_load(file));
        check(error.matches(Gio.IOErrorEnum, Gio.IOErrorEnum.NOT_FOUND), `${error}`);
        const header = Uint8Array.from('\x93NUMPY\x01\x00\xff\xff{}', c => c.charCodeAt(0));
        for (const data of [new Uint8Array(0), new Uint8Array(1000).fill(120), header]) {
            GLib.file_set_contents(file.get_path(), data);
            fails(Candela.Error.FORMAT, () => Candela.npy_load(file));
        }
    });
});

test('npz: saved, listed and loaded', () => {
    inFolder(folder => {
        const file = Gio.File.new_for_path(`${folder}/xy.npz`);
        const x = tensor(DType.FLOAT32, [2], [1, 2]);
        const y = tensor(DType.BOOL, [1, 1], [1]);
        check(Candela.npz_save(file, ['x', 'y'], [x, y]));
        equal(Candela.npz_list(file), ['x', 'y']);
        equal(read(Candela.npz_load(file, 'x')), [1, 2]);
        equal(Candela.npz_load(file, 'y').get_shape(), [1, 1]);
        throws(GLib.Error, () => Candela.npz_load(file, 'z'));
        fails(Candela.Error.PARAMETER, () => Candela.npz_save(file, ['x'], [x, y, x, y]));
        fails(Candela.Error.PARAMETER, () => Candela.npz_save(file, ['x', 'x'], [x, y]));
        equal(Candela.npz_list(file), ['x', 'y']);
    });
});

// ---- Memory ----

// work() again and again does not make the process larger.
function grows(limit, rounds, work) {
    const repeat = n => {
        for (let i = 0; i < n; i++) {
            work(i);
            if (i % 1000 === 999)
                System.gc();
        }
        System.gc();
    };
    repeat(rounds);
    const before = residentBytes();
    repeat(rounds);
    const grown = residentBytes() - before;
    check(grown < limit, `${rounds} rounds took ${grown / 1024} KiB`);
}

test('memory: nodes come and go', () => {
    const x = edge(DType.FLOAT64, [1], [1]);
    const axis = new GLib.Variant('a{sv}', {axis: variant('ax', [0])});
    grows(4 * 2 ** 20, 20000, i => {
        const y = Node.new_op('add', [x, Node.new_int(i)], null);
        const z = Node.new_op('sum', [y], axis);
        z.get_input(0).get_layout();
        z.get_op().list_params();
        if (i % 10 === 0) {
            z.new_cache().get_output(0);
            Expression.build('a + b', {a: y, b: z});
        }
    });
});

test('memory: results come and go', () => {
    const plan = op('square', [Node.new_slot('s', DType.FLOAT64, [100])]).plan(0);
    const t = tensor(DType.FLOAT64, [100], new Array(100).fill(1));
    const x = Node.new_tensor(t);
    grows(4 * 2 ** 20, 4000, () => {
        const results = Candela.materialize([op('exp', [x]), op('sum', [x]), x]);
        results[1].get_bytes();
        results[2].get_layout().permute([0]).get_shape();
        plan.run([t], null, () => {});
        throws(Error, () => Candela.materialize([x, null]));
    });
});

test('memory: a long chain', () => {
    let node = edge(DType.FLOAT64, [1], [0]);
    const one = Node.new_int(1);
    for (let i = 0; i < 100000; i++)
        node = Node.new_op('add', [node, one], null);
    System.gc();
    equal(node.materialize().get_double([0]), 100000);
    node = null;
    System.gc();
});

test('memory: results outlive what they were made of', () => {
    const make = () => {
        const x = edge(DType.FLOAT64, [2, 3], [0, 1, 2, 3, 4, 5]);
        const expression = Expression.parse('t = x.T; t, t[1]', -1, {x});
        const node = expression.get_nth_value(1);
        return [node, node.get_layout(), node.get_input(0), expression.get_value().materialize(),
            Registry.new(null).lookup_op('sum')];
    };
    const [node, layout, parent, result, found] = make();
    System.gc();
    equal(read(node.materialize()), [1, 4]);
    equal(layout.get_shape(), [2]);
    equal(parent.get_shape(), [3, 2]);
    equal(read(result), [0, 3, 1, 4, 2, 5]);
    equal(found.get_name(), 'sum');
});

run('runs.list');
