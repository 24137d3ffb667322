# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Plans and their runs, at once and in the background, ops and plugins, files,
# wrong arguments and memory, as Python sees them through the typelib.
# test-runs-gjs.js has the same tests.

import gc
import json
import math
import os
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from testing import (
    DType,
    Node,
    check,
    edge,
    equal,
    fails,
    near,
    op,
    raises,
    read,
    resident_bytes,
    run,
    tensor,
    test,
)

from gi.repository import Candela, Gio, GLib


def wait(started):
    """Runs a main loop until as many callbacks were called as runs started."""
    results = []
    loop = GLib.MainLoop()

    def done(source, result, index):
        results.append((index, result))
        if len(results) == len(started):
            loop.quit()

    for index, (node, cancellable) in enumerate(started):
        node.materialize_async(cancellable, done, index)
    loop.run()
    return [result for index, result in sorted(results, key=lambda pair: pair[0])]


# ---- Materializing and plans ----


@test("materialize: one")
def materialize_one():
    x = edge(DType.FLOAT64, [2, 3], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
    relu = op("relu", op("subtract", op("transpose", op("add", x, Node.new_float(0.0))), Node.new_float(2.0)))
    result = relu.materialize()
    equal((result.get_shape(), read(result)), ([3, 2], [0.0, 1.0, 0.0, 2.0, 0.0, 3.0]))
    near(op("exp", Node.new_float(1.0)).materialize().get_double([]), math.e, 4e-15)


@test("materialize: several at once")
def materialize_several():
    t = op("add", edge(DType.INT64, [3], [1, 2, 3]), Node.new_int(1))
    results = Candela.materialize([op("multiply", t, t), t, op("sum", t), t])
    equal([read(result) for result in results], [[4, 9, 16], [2, 3, 4], [9], [2, 3, 4]])
    fails(Candela.Error.ARITY, lambda: Candela.materialize([]))


@test("plan: steps and memory")
def plan_facts():
    a, b = (Node.new_slot(name, DType.FLOAT32, [1000]) for name in "ab")
    plan = op("multiply", op("add", a, b), Node.new_float(2.0)).plan(0)
    equal((plan.get_n_steps(), plan.get_n_roots(), plan.get_n_allocations()), (1, 1, 1))
    equal((plan.get_peak_bytes(), plan.get_lower_bound_bytes()), (4000, 4000))
    equal(plan.get_intermediate_bytes(), 8000)
    equal(plan.get_step_output_kind(0, 0), Candela.OutputKind.ALLOCATE)
    check("add" in plan.get_step_op(0), plan.get_step_op(0))
    equal(plan.get_step_op(1), None)
    plan = Candela.Plan.new([op("transpose", Node.new_slot("x", DType.INT8, [2, 3]))], Candela.PlanFlags.DEFAULT)
    equal(plan.get_step_output_kind(0, 0), Candela.OutputKind.REFERENCE_ETERNAL)
    equal(plan.get_peak_bytes(), 0)


@test("plan: as text, JSON and DOT")
def plan_text():
    plan = op("sum", op("exp", Node.new_slot("x", DType.FLOAT64, [5]))).plan(0)
    described = json.loads(plan.to_json())
    equal([step["op"] for step in described["steps"]], ["exp", "sum"])
    equal([step["output"]["kind"] for step in described["steps"]], ["allocate", "allocate"])
    equal(described["peak_bytes"], plan.get_peak_bytes())
    check("exp" in plan.to_string() and plan.to_dot().startswith("digraph"))


@test("plan: as SVG")
def plan_svg():
    plan = op("exp", Node.new_slot("x", DType.FLOAT64, [5])).plan(0)
    try:
        picture = plan.to_svg()
    except GLib.Error as error:
        equal((error.domain, error.code), ("g-io-error-quark", int(Gio.IOErrorEnum.NOT_SUPPORTED)))
    else:
        check("<svg" in picture and picture.rstrip().endswith("</svg>"))


@test("plan: equality")
def plan_equality():
    x = Node.new_slot("x", DType.FLOAT64, [5])
    plan = op("exp", x).plan(0)
    check(plan.equal(op("exp", x).plan(0)))
    check(not plan.equal(op("log", x).plan(0)))


@test("plan: flags change no result")
def plan_flags():
    x = edge(DType.FLOAT32, [4], [0.1, 0.2, 0.3, 0.4])
    node = Candela.Expression.build("t = exp(x) + 1; u = t * t[::-1]; u / (u + t)", {"x": x})
    flags = Candela.PlanFlags
    wanted = node.materialize().get_bytes().get_data()
    for chosen in (
        flags.NO_FUSION,
        flags.NO_REUSE,
        flags.NO_IN_PLACE,
        flags.NO_FUSION | flags.NO_REUSE | flags.NO_IN_PLACE,
    ):
        results, stats = node.plan(chosen).run([], None, None)
        equal(results[0].get_bytes().get_data(), wanted)
    equal(node.plan(flags.NO_FUSION).get_n_steps(), 6)


@test("plan: run over slots")
def plan_run():
    a, b = (Node.new_slot(name, DType.FLOAT64, [2]) for name in "ab")
    plan = Candela.Plan.new([op("subtract", a, b), op("multiply", a, b)], 0)
    for values in ([3.0, 4.0], [5.0, 6.0]):
        x = tensor(DType.FLOAT64, [2], values)
        y = tensor(DType.FLOAT64, [2], [1.0, 2.0])
        results, stats = plan.run([x, y], None, None)
        equal(read(results[0]), [values[0] - 1.0, values[1] - 2.0])
        equal(read(results[1]), [values[0], values[1] * 2.0])
        equal((stats.allocations, stats.allocated_bytes, stats.peak_bytes), (2, 32, 32))
        check(stats.steps >= 1 and stats.nanoseconds >= 0)


@test("plan: slots that do not fit")
def plan_run_wrong():
    plan = op("exp", Node.new_slot("a", DType.FLOAT64, [2])).plan(0)
    fails(Candela.Error.ARITY, lambda: plan.run([], None, None))
    fails(Candela.Error.ARITY, lambda: plan.run(None, None, None))
    fails(Candela.Error.SHAPE, lambda: plan.run([tensor(DType.FLOAT64, [1], [1.0])], None, None))
    fails(Candela.Error.DTYPE, lambda: plan.run([tensor(DType.FLOAT32, [2], [1.0, 2.0])], None, None))


@test("plan: profiled")
def plan_profiled():
    x = Node.new_slot("x", DType.FLOAT32, [3])
    plan = op("sum", op("exp", op("multiply", x, Node.new_float(2.0)))).plan(0)
    results, profile = plan.run_profiled([tensor(DType.FLOAT32, [3], [0.0, 0.0, 0.0])], None, None)
    equal(read(results[0]), [3.0])
    equal([profile.get_step_parts(step) for step in range(2)], [["multiply", "exp"], ["sum"]])
    equal([profile.get_step_bytes_read(step) for step in range(2)], [16, 12])
    equal([profile.get_step_bytes_written(step) for step in range(2)], [12, 4])
    equal([profile.get_step_elements(step) for step in range(2)], [3, 1])
    equal([profile.get_step_n_threads(step) for step in range(2)], [1, 1])
    durations = [profile.get_step_duration(step) for step in range(2)]
    check(all(durations) and sum(durations) <= profile.get_stats().nanoseconds, durations)
    check(profile.get_step_start(1) >= profile.get_step_start(0) + durations[0])
    check(profile.get_plan().equal(plan) and profile.get_n_steps() == 2 and profile.get_n_threads() >= 1)
    events = json.loads(profile.to_chrome_trace())["traceEvents"]
    equal([event["args"]["op"] for event in events], ["multiply+exp", "sum"])
    check("multiply+exp" in profile.to_string() and profile.get_step_share(0) >= 0)
    fails(Candela.Error.ARITY, lambda: plan.run_profiled(None, None, None))


@test("plan: progress")
def plan_progress():
    x = edge(DType.FLOAT32, [300000], [1.0] * 300000)
    seen = []
    plan = op("sum", op("exp", x)).plan(0)
    plan.run([], None, lambda done, total, *data: seen.append((done, total)))
    check(len(seen) > 0)
    check(all(seen[i][0] <= seen[i + 1][0] for i in range(len(seen) - 1)), seen)
    equal(seen[-1], (300001, 300001))


@test("plan: cancelled")
def plan_cancelled():
    x = edge(DType.FLOAT32, [1000], [1.0] * 1000)
    plan = op("sum", op("exp", x)).plan(0)
    cancellable = Gio.Cancellable()
    cancellable.cancel()
    error = raises(GLib.Error, lambda: plan.run([], cancellable, None))
    check(error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED))
    cancellable = Gio.Cancellable()
    error = raises(GLib.Error, lambda: plan.run([], cancellable, lambda *numbers: cancellable.cancel()))
    check(error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED))
    equal(len(plan.run([], None, None)[0]), 1)


@test("plan: baked into a node")
def plan_baked():
    slot = Node.new_slot("x", DType.FLOAT64, [2])
    plan = op("square", op("add", slot, Node.new_int(1))).plan(0)
    baked = Node.new_baked(plan, [edge(DType.FLOAT64, [2], [1.0, 2.0])])
    equal(baked.get_kind(), Candela.NodeKind.BAKED)
    equal(read(op("negative", baked).materialize()), [-4.0, -9.0])
    fails(Candela.Error.ARITY, lambda: Node.new_baked(plan, []))


# ---- In the background ----


@test("async: a result")
def async_result():
    node = op("add", edge(DType.FLOAT64, [2], [1.0, 2.0]), Node.new_int(1))
    (result,) = wait([(node, None)])
    equal(read(node.materialize_finish(result)), [2.0, 3.0])


@test("async: a main loop goes on")
def async_loop():
    node = Candela.Expression.build("sum(exp(random_uniform([2000000], seed=1)))", None)
    ticks = []
    source = GLib.timeout_add(1, lambda: ticks.append(1) or True)
    (result,) = wait([(node, None)])
    GLib.source_remove(source)
    equal(node.materialize_finish(result).get_shape(), [])
    check(len(ticks) > 0)


@test("async: an error")
def async_error():
    node = op("exp", Node.new_slot("x", DType.FLOAT64, [2]))
    (result,) = wait([(node, None)])
    fails(Candela.Error.ARITY, lambda: node.materialize_finish(result))


@test("async: cancelled")
def async_cancelled():
    node = Candela.Expression.build("sum(exp(random_uniform([2000000], seed=1)))", None)
    cancellable = Gio.Cancellable()
    GLib.idle_add(cancellable.cancel)
    (result,) = wait([(node, cancellable)])
    error = raises(GLib.Error, lambda: node.materialize_finish(result))
    check(error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED))


@test("async: four at once")
def async_four():
    shared = op("exp", edge(DType.FLOAT64, [50000], [0.5] * 50000)).new_cache()
    nodes = [op("sum", op("multiply", shared, Node.new_int(i))) for i in range(4)]
    results = wait([(node, None) for node in nodes])
    values = [node.materialize_finish(result).get_double([]) for node, result in zip(nodes, results)]
    for i in range(4):
        near(values[i], i * 50000 * math.exp(0.5), 1e-9 * 50000)

    # Threads of the script's own, over one graph.
    found = [[] for i in range(4)]

    def work(i):
        for repeat in range(50):
            found[i].append(nodes[i].materialize().get_double([]))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    equal(found, [[value] * 50 for value in values])


# ---- Ops and plugins ----


@test("registry: ops")
def registry_ops():
    ops = Candela.Registry.get_default().list_ops()
    names = [op.get_name() for op in ops]
    check(ops.get_n_items() == len(names) >= 100)
    equal(len(names), len(set(names)))
    for name in ("add", "divmod", "matmul", "moments", "transpose", "random_uniform"):
        check(name in names, name)


@test("registry: an op")
def registry_op():
    found = Candela.Registry.get_default().lookup_op("where")
    equal(found.get_name(), "where")
    equal(found.get_plugin_name(), "elementwise")
    equal(found.list_inputs(), ["condition", "x1", "x2"])
    equal((found.get_n_required_inputs(), found.is_variadic()), (3, False))
    equal(found.list_outputs(), ["out"])
    check(len(found.get_summary()) > 0 and found.get_since() == "1.0")
    described = found.describe().unpack()
    equal((described["name"], described["axes"]), ("where", "element-wise"))


@test("registry: parameters of an op")
def registry_params():
    registry = Candela.Registry.get_default()
    specs = registry.lookup_op("sum").list_params()
    equal([spec.name for spec in specs], ["axis", "dtype", "keepdims"])
    equal(specs[2].default_value, False)
    check(all(spec.blurb for spec in specs))
    equal(registry.lookup_op("add").list_params(), [])


@test("registry: operators")
def registry_operators():
    registry = Candela.Registry.get_default()
    for symbol, name in (("infix:+", "add"), ("prefix:-", "negative"), ("attribute:.T", "transpose")):
        equal(registry.lookup_operator(symbol).get_name(), name)
        check(symbol in registry.lookup_op(name).list_operators())
    fails(Candela.Error.UNKNOWN_OP, lambda: registry.lookup_operator("infix:<=>"))


@test("registry: plugins")
def registry_plugins():
    registry = Candela.Registry.get_default()
    names = [plugin.get_name() for plugin in registry.list_plugins()]
    for name in ("create", "elementwise", "layout", "linalg", "reduce"):
        check(name in names, name)
    plugin = registry.lookup_plugin("reduce")
    equal(plugin.get_license(), "LGPL-2.1-or-later")
    check("sum" in [op.get_name() for op in plugin.list_ops()])
    check("sum" in plugin.to_key_file())
    check(plugin.get_filename().endswith("/reduce.so"), plugin.get_filename())
    fails(Candela.Error.PLUGIN, lambda: registry.lookup_plugin("nothing"))
    fails(Candela.Error.PLUGIN, lambda: registry.load_file(__file__))
    check(isinstance(registry.list_refused(), list))


@test("registry: an unknown op")
def registry_unknown():
    message = fails(Candela.Error.UNKNOWN_OP, lambda: op("ad", Node.new_int(1)))
    check('"ad"' in message and '"add"' in message, message)
    empty = Candela.Registry.new("/nonexistent")
    fails(Candela.Error.UNKNOWN_OP, lambda: empty.lookup_op("add"))


# ---- What is wrong ----


@test("error: domain and codes")
def error_codes():
    a = edge(DType.FLOAT32, [2, 3], [0.0] * 6)
    b = edge(DType.FLOAT32, [4], [0.0] * 4)
    message = fails(Candela.Error.SHAPE, lambda: op("add", a, b))
    check(message.startswith("add: ") and "[2, 3]" in message and "[4]" in message, message)
    fails(Candela.Error.DTYPE, lambda: op("bitwise_and", a, a))
    fails(Candela.Error.AXIS, lambda: op("sum", a, axis=GLib.Variant("i", 5)))
    fails(Candela.Error.PARAMETER, lambda: op("sum", a, nothing=GLib.Variant("i", 5)))
    fails(Candela.Error.ARITY, lambda: op("add", a))
    fails(Candela.Error.UNKNOWN_OP, lambda: op("nothing", a))
    fails(Candela.Error.SYNTAX, lambda: Candela.Expression.build("1 +", None))
    error = raises(GLib.Error, lambda: op("add", a, b))
    check(error.matches(Candela.Error.quark(), Candela.Error.SHAPE))
    equal(GLib.quark_to_string(Candela.error_quark()), error.domain)


@test("wrong: nothing among the inputs")
def wrong_nothing():
    x = edge(DType.FLOAT64, [1], [1.0])
    plan = op("exp", Node.new_slot("x", DType.FLOAT64, [1])).plan(0)
    for attempt in range(100):
        fails(Candela.Error.ARITY, lambda: op("add", x, None))
        fails(Candela.Error.ARITY, lambda: Candela.materialize([x, None]))
        fails(Candela.Error.ARITY, lambda: Candela.Plan.new([None], 0))
        fails(Candela.Error.SHAPE, lambda: plan.run([None], None, None))
        fails(Candela.Error.ARITY, lambda: Node.new_baked(plan, [None]))
        fails(Candela.Error.ARITY, lambda: Node.new_op("add", None, None))


@test("wrong: arguments of other types")
def wrong_types():
    x = edge(DType.FLOAT64, [1], [1.0])
    t = tensor(DType.FLOAT64, [1], [1.0])
    plan = x.plan(0)
    for attempt in range(100):
        for call in (
            lambda: Candela.materialize(3),
            lambda: Candela.materialize(None),
            lambda: Candela.materialize([x, 3]),
            lambda: Candela.materialize([x, t]),
            lambda: Candela.materialize(["x"]),
            lambda: plan.run([x], None, None),
            lambda: plan.run([t, 3], None, None),
            lambda: Node.new_op(None, [x], None),
            lambda: Node.new_op("add", x, None),
            lambda: Node.new_op("add", [x, t], None),
            lambda: Node.new_op("add", [x, x], "axis"),
            lambda: Node.new_tensor(x),
            lambda: Candela.Tensor.new_from_data(DType.INT8, {}, 3),
            lambda: Candela.Expression.build("x", {"x": 3}),
            lambda: Candela.Expression.build("x", {"x": t}),
            lambda: Candela.Expression.build(None, None),
            lambda: x.materialize_finish(None),
            lambda: Candela.npz_save(None, ["a"], [t]),
            Node,
            Candela.Plan,
        ):
            raises(TypeError, call)


@test("wrong: objects that nobody made")
def wrong_made():
    x = edge(DType.FLOAT64, [1], [1.0])
    made = Candela.Tensor()
    equal((made.get_shape(), made.get_n_elements(), made.to_string()), ([0], 0, "[]"))
    fails(Candela.Error.DTYPE, lambda: op("exp", Node.new_tensor(made)))
    fails(Candela.Error.ARITY, lambda: Node.new_for_op(Candela.Op(), [x], None))
    raises(GLib.Error, lambda: Node.new_for_op(Candela.Op(), [], None))
    equal((Candela.Op().get_name(), Candela.Op().list_params()), ("", []))
    equal((Candela.Plugin().get_name(), Candela.Plugin().list_ops().get_n_items()), ("", 0))
    equal(Candela.Registry().lookup_op("add").get_name(), "add")
    equal((Candela.Expression().get_value(), Candela.Expression().list_names()), (None, []))


# ---- Files ----


@test("npy: saved and loaded")
def npy_files():
    with tempfile.TemporaryDirectory() as folder:
        file = Gio.File.new_for_path(folder + "/x.npy")
        made = tensor(DType.INT16, [2, 2], [1, -2, 3, -4])
        check(Candela.npy_save(made, file))
        loaded = Candela.npy_load(file)
        equal((loaded.get_dtype(), loaded.get_shape(), read(loaded)), (DType.INT16, [2, 2], [1, -2, 3, -4]))
        size = os.path.getsize(folder + "/x.npy")
        mapped = Candela.Tensor.new_mapped(DType.INT16, Candela.Layout.new([4]), file, size - 8)
        equal(read(mapped), [1, -2, 3, -4])
        equal(os.listdir(folder), ["x.npy"])
    equal(read(loaded), [1, -2, 3, -4])


@test("npy: a file that is none")
def npy_wrong():
    with tempfile.TemporaryDirectory() as folder:
        file = Gio.File.new_for_path(folder + "/x.npy")
        error = raises(GLib.Error, lambda: Candela.npy_load(file))
        check(error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.NOT_FOUND))
        for data in (b"", b"x" * 1000, b"\x93NUMPY\x01\x00\xff\xff{}"):
            file.replace_contents(data, None, False, 0, None)
            fails(Candela.Error.FORMAT, lambda: Candela.npy_load(file))


@test("npz: saved, listed and loaded")
def npz_files():
    with tempfile.TemporaryDirectory() as folder:
        file = Gio.File.new_for_path(folder + "/xy.npz")
        x = tensor(DType.FLOAT32, [2], [1.0, 2.0])
        y = tensor(DType.BOOL, [1, 1], [1])
        check(Candela.npz_save(file, ["x", "y"], [x, y]))
        equal(Candela.npz_list(file), ["x", "y"])
        equal(read(Candela.npz_load(file, "x")), [1.0, 2.0])
        equal(Candela.npz_load(file, "y").get_shape(), [1, 1])
        raises(GLib.Error, lambda: Candela.npz_load(file, "z"))
        fails(Candela.Error.PARAMETER, lambda: Candela.npz_save(file, ["x"], [x, y, x, y]))
        fails(Candela.Error.PARAMETER, lambda: Candela.npz_save(file, ["x", "x"], [x, y]))
        equal(Candela.npz_list(file), ["x", "y"])


# ---- Memory ----


def grows(limit, rounds, work):
    """work() again and again does not make the process larger."""
    for i in range(rounds // 4):
        work(i)
    gc.collect()
    before = resident_bytes()
    for i in range(rounds):
        work(i)
    gc.collect()
    grown = resident_bytes() - before
    check(grown < limit, "%d rounds took %d KiB" % (rounds, grown // 1024))


@test("memory: nodes come and go")
def memory_nodes():
    x = edge(DType.FLOAT64, [1], [1.0])
    axis = GLib.Variant("a{sv}", {"axis": GLib.Variant("ax", [0])})

    def work(i):
        y = Node.new_op("add", [x, Node.new_int(i)], None)
        z = Node.new_op("sum", [y], axis)
        z.get_input(0).get_layout()
        z.get_op().list_params()
        if i % 10 == 0:
            z.new_cache().get_output(0)
            Candela.Expression.build("a + b", {"a": y, "b": z})

    grows(2 << 20, 20000, work)


@test("memory: results come and go")
def memory_results():
    slot = Node.new_slot("s", DType.FLOAT64, [100])
    plan = op("square", slot).plan(0)
    t = tensor(DType.FLOAT64, [100], [1.0] * 100)
    x = Node.new_tensor(t)

    def work(i):
        results = Candela.materialize([op("exp", x), op("sum", x), x])
        results[1].get_bytes()
        results[2].get_layout().permute([0]).get_shape()
        plan.run([t], None, lambda *numbers: None)
        try:
            Candela.materialize([x, None])
        except GLib.Error:
            pass

    grows(2 << 20, 4000, work)


@test("memory: a long chain")
def memory_chain():
    node = edge(DType.FLOAT64, [1], [0.0])
    one = Node.new_int(1)
    for i in range(100000):
        node = Node.new_op("add", [node, one], None)
    gc.collect()
    equal(node.materialize().get_double([0]), 100000.0)
    del node
    gc.collect()


@test("memory: results outlive what they were made of")
def memory_outlive():
    def make():
        x = edge(DType.FLOAT64, [2, 3], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
        expression = Candela.Expression.parse("t = x.T; t, t[1]", -1, {"x": x})
        op = Candela.Registry.new(None).lookup_op("sum")
        node = expression.get_nth_value(1)
        return (node, node.get_layout(), node.get_input(0), expression.get_value().materialize(), op)

    node, layout, parent, result, found = make()
    gc.collect()
    junk = [bytes(64) for i in range(10000)]
    equal(read(node.materialize()), [1.0, 4.0])
    equal(layout.get_shape(), [2])
    equal(parent.get_shape(), [3, 2])
    equal(read(result), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0])
    equal(found.get_name(), "sum")
    del junk


run("runs.list")
