# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Dtypes, layouts, tensors, nodes and expressions as Python sees them through the
# typelib, without anything of Candela's own in between. test-values-gjs.js has the
# same tests.

import gc
import json
import math
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from testing import CODES, DType, Node, check, edge, equal, fails, op, pack, read, run, tensor, test

from gi.repository import Candela, GLib


# ---- Version and dtypes ----


@test("version")
def version():
    equal(Candela.version_string(), Candela.VERSION_S)
    check(Candela.version_at_least(1, 0, 0))
    check(not Candela.version_at_least(Candela.MAJOR_VERSION + 1, 0, 0))


@test("dtype: names, sizes and kinds")
def dtype_facts():
    names = ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128 "
             "float16 bfloat16").split()
    sizes = [1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 16, 2, 2]
    dtypes = [Candela.dtype_from_name(name) for name in names]
    equal(dtypes, [DType(number) for number in range(1, Candela.N_DTYPES)])
    equal([Candela.dtype_get_name(dtype) for dtype in dtypes], names)
    equal([Candela.dtype_get_size(dtype) for dtype in dtypes], sizes)
    equal(Candela.dtype_get_kind(DType.UINT16), Candela.DTypeKind.UNSIGNED)
    equal(Candela.dtype_get_kind(DType.COMPLEX64), Candela.DTypeKind.COMPLEX)
    check(Candela.dtype_can_cast(DType.INT32, DType.FLOAT64))


@test("dtype: promotion")
def dtype_promotion():
    promote = Candela.dtype_promote
    equal(promote(DType.INT8, DType.UINT8), DType.INT16)
    equal(promote(DType.UINT32, DType.INT8), DType.INT64)
    equal(promote(DType.FLOAT32, DType.FLOAT64), DType.FLOAT64)
    equal(promote(DType.FLOAT64, DType.COMPLEX64), DType.COMPLEX128)


@test("dtype: promotion with a weak scalar")
def dtype_promotion_weak():
    promote = Candela.dtype_promote_weak
    equal(promote(DType.FLOAT32, DType.FLOAT64), DType.FLOAT32)
    equal(promote(DType.UINT8, DType.INT64), DType.UINT8)
    equal(promote(DType.INT32, DType.FLOAT64), DType.FLOAT64)
    equal(promote(DType.BOOL, DType.INT64), DType.INT64)


@test("dtype: an unknown name")
def dtype_unknown():
    check("float7" in fails(Candela.Error.DTYPE, lambda: Candela.dtype_from_name("float7")))


# ---- Layouts ----


@test("layout: shape, strides and offset")
def layout_facts():
    layout = Candela.Layout.new([2, 3, 4])
    equal(layout.get_rank(), 3)
    equal(layout.get_shape(), [2, 3, 4])
    equal(layout.get_strides(), [12, 4, 1])
    equal(layout.get_offset(), 0)
    equal(layout.get_n_elements(), 24)
    check(layout.is_contiguous() and layout.is_injective())
    strided = Candela.Layout.new_strided([2, 2], [0, -3], 7)
    equal((strided.get_strides(), strided.get_offset()), ([0, -3], 7))
    check(not strided.is_contiguous() and not strided.is_injective())
    equal(Candela.Layout.new([]).get_shape(), [])
    equal(Candela.Layout.new([1 << 40, 0]).get_shape(), [1 << 40, 0])
    equal(Candela.shape_to_string([2, 3]), "[2, 3]")


@test("layout: slices")
def layout_slices():
    none = Candela.SLICE_NONE
    layout = Candela.Layout.new([10])
    part = layout.slice(0, 1, 8, 3)
    equal((part.get_shape(), part.get_strides(), part.get_offset()), ([3], [3], 1))
    back = layout.slice(-1, none, none, -2)
    equal((back.get_shape(), back.get_strides(), back.get_offset()), ([5], [-2], 9))
    equal(layout.slice(0, 8, 2, 1).get_shape(), [0])


@test("layout: permute, flip and select")
def layout_permute():
    layout = Candela.Layout.new([2, 3, 4])
    moved = layout.permute([2, 0, 1])
    equal((moved.get_shape(), moved.get_strides()), ([4, 2, 3], [1, 12, 4]))
    flipped = layout.flip([1])
    equal((flipped.get_strides(), flipped.get_offset()), ([12, -4, 1], 8))
    chosen = layout.select(1, -1)
    equal((chosen.get_shape(), chosen.get_offset()), ([2, 4], 8))


@test("layout: view, expand, squeeze and broadcast")
def layout_view():
    layout = Candela.Layout.new([2, 6])
    equal(layout.view([3, 4]).get_strides(), [4, 1])
    equal(layout.expand(1).get_shape(), [2, 1, 6])
    equal(layout.expand(0).squeeze([0]).get_shape(), [2, 6])
    wide = Candela.Layout.new([3, 1]).broadcast([2, 3, 5])
    equal((wide.get_shape(), wide.get_strides()), ([2, 3, 5], [0, 1, 0]))


@test("layout: extent and adjacent strides")
def layout_extent():
    layout = Candela.Layout.new_strided([2, 3], [-5, 2], 10)
    equal(tuple(layout.get_extent()), (5, 15))
    equal(Candela.Layout.new([2, 3]).get_adj_strides(), [1, 1])
    equal(tuple(Candela.axis_normalize(-1, 3)), (True, 2))


@test("layout: equality")
def layout_equality():
    a = Candela.Layout.new([2, 3])
    b = Candela.Layout.new([3, 2]).permute([1, 0])
    check(a.equal(Candela.Layout.new([2, 3])))
    check(a.same_shape(b) and not a.equal(b))


@test("layout: what is wrong")
def layout_wrong():
    layout = Candela.Layout.new([2, 3])
    fails(Candela.Error.SHAPE, lambda: Candela.Layout.new([-1]))
    fails(Candela.Error.SHAPE, lambda: Candela.Layout.new([1 << 40, 1 << 40]))
    fails(Candela.Error.SHAPE, lambda: Candela.Layout.new([1] * (Candela.MAX_RANK + 1)))
    fails(Candela.Error.SHAPE, lambda: Candela.Layout.new_strided([2, 2], [1], 0))
    fails(Candela.Error.SHAPE, lambda: layout.view([7]))
    fails(Candela.Error.AXIS, lambda: layout.permute([0, 0]))
    fails(Candela.Error.AXIS, lambda: layout.flip([2]))
    fails(Candela.Error.PARAMETER, lambda: layout.slice(0, 0, 1, 0))
    fails(Candela.Error.AXIS, lambda: Candela.axis_normalize(3, 3))


# ---- Tensors ----


@test("tensor: from bytes and back")
def tensor_bytes():
    values = [0.0, -1.5, 2.0, math.inf, 1e-45, 7.0]
    made = tensor(DType.FLOAT32, [2, 3], values)
    equal(made.get_dtype(), DType.FLOAT32)
    equal(made.get_shape(), [2, 3])
    equal(made.get_n_elements(), 6)
    equal(made.get_bytes().get_data(), pack(DType.FLOAT32, values))
    equal(made.get_layout().get_strides(), [3, 1])


@test("tensor: every dtype")
def tensor_dtypes():
    for dtype in CODES:
        made = tensor(dtype, [3], [0, 1, 1])
        equal((made.get_dtype(), read(made)), (dtype, [0, 1, 1]))
        equal(read(op("astype", Node.new_tensor(made), dtype=GLib.Variant("s", "int16")).materialize()), [0, 1, 1])


@test("tensor: elements by index")
def tensor_elements():
    made = tensor(DType.INT32, [2, 2], [1, 2, 3, -4])
    equal(made.get_int64([1, 1]), -4)
    equal(made.get_double([0, 1]), 2.0)
    equal(made.get_double([-1, 0]), 3.0)
    fails(Candela.Error.AXIS, lambda: made.get_double([2, 0]))
    fails(Candela.Error.AXIS, lambda: made.get_int64([0]))


@test("tensor: rank 0, and no elements")
def tensor_degenerate():
    scalar = tensor(DType.FLOAT64, [], [2.5])
    equal((scalar.get_shape(), scalar.get_n_elements(), scalar.get_double([])), ([], 1, 2.5))
    empty = tensor(DType.FLOAT64, [3, 0], [])
    equal((empty.get_shape(), empty.get_n_elements(), read(empty)), ([3, 0], 0, []))
    equal(read(op("sum", Node.new_tensor(empty)).materialize()), [0.0])


@test("tensor: integers of 64 bits")
def tensor_64_bits():
    made = tensor(DType.INT64, [2], [-(1 << 63), (1 << 63) - 1])
    equal(read(made), [-(1 << 63), (1 << 63) - 1])
    equal(tensor(DType.INT64, [1], [1 << 52]).get_int64([0]), 1 << 52)
    equal(read(tensor(DType.UINT64, [1], [(1 << 64) - 1])), [(1 << 64) - 1])


@test("tensor: as text")
def tensor_text():
    equal(tensor(DType.FLOAT32, [2, 2], [1, 2.5, -3, 0]).to_string(), "[[ 1.   2.5]\n [-3.   0. ]]")
    equal(tensor(DType.BOOL, [2], [1, 0]).to_string(), "[ True False]")


@test("tensor: a strided one is read packed")
def tensor_strided():
    data = GLib.Bytes.new(pack(DType.INT16, [0, 1, 2, 3, 4, 5]))
    made = Candela.Tensor.new_for_bytes(DType.INT16, Candela.Layout.new([2, 3]).permute([1, 0]), data)
    equal((made.get_shape(), read(made)), ([3, 2], [0, 3, 1, 4, 2, 5]))
    turned = op("transpose", Node.new_tensor(made)).materialize()
    equal(read(turned), [0, 1, 2, 3, 4, 5])


@test("tensor: over bytes that nobody else holds")
def tensor_owner():
    def make():
        data = GLib.Bytes.new(pack(DType.FLOAT64, [float(i) for i in range(1000)]))
        return Candela.Tensor.new_for_bytes(DType.FLOAT64, Candela.Layout.new([1000]), data)

    made = make()
    data = made.get_bytes()
    gc.collect()
    equal(read(made)[999], 999.0)
    del made
    gc.collect()
    equal(struct.unpack_from("=d", data.get_data(), 8 * 999), (999.0,))


@test("tensor: properties")
def tensor_properties():
    made = tensor(DType.UINT8, [4], [1, 2, 3, 4])
    equal(made.props.dtype, DType.UINT8)
    equal(made.props.layout.get_shape(), [4])


@test("tensor: what is wrong")
def tensor_wrong():
    fails(Candela.Error.SHAPE, lambda: Candela.Tensor.new_from_data(DType.FLOAT32, [3], bytes(8)))
    fails(Candela.Error.SHAPE, lambda: Candela.Tensor.new_from_data(DType.FLOAT32, [-1], bytes(8)))
    fails(Candela.Error.DTYPE, lambda: Candela.Tensor.new_from_data(DType.INVALID, [1], bytes(8)))
    fails(Candela.Error.SHAPE, lambda: Candela.Layout.new_strided([2], [1], -1))
    layout = Candela.Layout.new_strided([2], [1], 7)
    fails(Candela.Error.SHAPE, lambda: Candela.Tensor.new_for_bytes(DType.INT8, layout, GLib.Bytes.new(bytes(8))))
    fails(Candela.Error.NO_MEMORY, lambda: Candela.Tensor.new(DType.INT8, [1 << 60]))


# ---- Nodes ----


@test("node: an op by its name")
def node_op():
    a = edge(DType.FLOAT64, [3], [1.0, 2.0, 3.0])
    b = edge(DType.FLOAT64, [2, 1], [10.0, 20.0])
    total = op("add", a, b)
    equal((total.get_shape(), total.get_dtype()), ([2, 3], DType.FLOAT64))
    equal(read(total.materialize()), [11.0, 12.0, 13.0, 21.0, 22.0, 23.0])
    again = Node.new_for_op(Candela.Registry.get_default().lookup_op("add"), [a, b], None)
    equal(read(again.materialize()), read(total.materialize()))


@test("node: parameters")
def node_params():
    x = edge(DType.INT32, [2, 3], [1, 2, 3, 4, 5, 6])
    total = op("sum", x, axis=GLib.Variant("ax", [1]), keepdims=GLib.Variant("b", True))
    equal((total.get_shape(), total.get_dtype()), ([2, 1], DType.INT64))
    equal(read(total.materialize()), [6, 15])
    total = op("sum", x, axis=GLib.Variant("i", -2), dtype=GLib.Variant("s", "float32"))
    equal((total.get_dtype(), read(total.materialize())), (DType.FLOAT32, [5.0, 7.0, 9.0]))


@test("node: wrong parameters")
def node_params_wrong():
    x = edge(DType.INT32, [2, 3], [1, 2, 3, 4, 5, 6])
    fails(Candela.Error.PARAMETER, lambda: op("sum", x, axes=GLib.Variant("i", 0)))
    fails(Candela.Error.PARAMETER, lambda: op("sum", x, keepdims=GLib.Variant("s", "yes")))
    fails(Candela.Error.AXIS, lambda: op("sum", x, axis=GLib.Variant("i", 2)))
    fails(Candela.Error.PARAMETER, lambda: Node.new_op("sum", [x], GLib.Variant("s", "axis")))


@test("node: weak scalars")
def node_weak():
    x = edge(DType.FLOAT32, [2], [1.0, 2.0])
    half = Node.new_float(0.5)
    check(half.is_weak() and not x.is_weak())
    equal(half.get_scalar().unpack(), 0.5)
    equal(Node.new_int(-7).get_scalar().unpack(), -7)
    equal(Node.new_bool(True).get_scalar().unpack(), True)
    equal(x.get_scalar(), None)
    product = op("multiply", x, half)
    equal((product.get_dtype(), read(product.materialize())), (DType.FLOAT32, [0.5, 1.0]))
    equal(op("multiply", edge(DType.INT8, [1], [3]), Node.new_int(2)).get_dtype(), DType.INT8)
    equal(op("multiply", edge(DType.INT8, [1], [3]), half).get_dtype(), DType.FLOAT64)
    equal(read(op("add", Node.new_int(2), Node.new_int(3)).materialize()), [5])


@test("node: weak scalars out of range")
def node_weak_range():
    x = edge(DType.INT8, [1], [3])
    check("300" in fails(Candela.Error.DTYPE, lambda: op("add", x, Node.new_int(300))))


@test("node: kinds and inputs")
def node_kinds():
    x = edge(DType.FLOAT64, [2, 2], [1.0, 2.0, 3.0, 4.0])
    y = op("exp", x)
    equal((x.get_kind(), y.get_kind()), (Candela.NodeKind.EDGE, Candela.NodeKind.OP))
    equal((y.get_n_inputs(), y.get_n_outputs(), x.get_n_inputs()), (1, 1, 0))
    equal(y.get_op().get_name(), "exp")
    equal(x.get_op(), None)
    equal(y.get_input(0).get_kind(), Candela.NodeKind.EDGE)
    equal(y.get_input(1), None)
    equal(read(y.get_input(0).get_tensor()), [1.0, 2.0, 3.0, 4.0])
    equal(y.get_tensor(), None)
    equal(y.to_string(), "exp: float64 [2, 2]")
    equal(op("transpose", x).get_layout().get_strides(), [1, 2])


@test("node: several outputs")
def node_outputs():
    x = edge(DType.FLOAT64, [4], [1.0, 2.0, 3.0, 6.0])
    moments = op("moments", x)
    equal(moments.get_n_outputs(), 2)
    mean, variance = (moments.get_output(i) for i in range(2))
    equal(variance.get_kind(), Candela.NodeKind.OUTPUT)
    equal([read(value) for value in Candela.materialize([mean, variance])], [[3.0], [3.5]])
    quotient = op("divmod", edge(DType.INT32, [2], [7, -7]), edge(DType.INT32, [2], [2, 2]))
    equal(read(quotient.materialize()), [3, -4])
    equal(read(quotient.get_output(1).materialize()), [1, 1])
    fails(Candela.Error.ARITY, lambda: moments.get_output(2))


@test("node: gradients")
def node_gradient():
    x, y = edge(DType.FLOAT64, [2, 2], [1.0, 2.0, 3.0, 4.0]), edge(DType.FLOAT64, [2], [0.5, -1.0])
    product = op("multiply", x, y)
    loss = op("sum", product)
    one = Node.new_float(1.0)
    of_product = loss.new_gradient(0, [one])
    equal(read(product.new_gradient(0, [of_product]).materialize()), [0.5, -1.0, 0.5, -1.0])
    equal(read(product.new_gradient(1, [of_product]).materialize()), [4.0, 6.0])
    equal(product.get_op().get_gradient(1), "grad * x1")
    equal(product.get_op().get_gradient(2), None)
    fails(Candela.Error.PARAMETER, lambda: x.new_gradient(0, [one]))
    fails(Candela.Error.SHAPE, lambda: product.new_gradient(0, [one]))
    fails(Candela.Error.ARITY, lambda: product.new_gradient(0, []))


@test("node: a cache")
def node_cache():
    cache = op("add", edge(DType.FLOAT32, [2], [1.0, 2.0]), Node.new_int(1)).new_cache()
    equal((cache.get_kind(), cache.get_tensor()), (Candela.NodeKind.CACHE, None))
    double = op("multiply", cache, Node.new_int(2))
    equal(read(double.materialize()), [4.0, 6.0])
    equal(read(cache.get_tensor()), [2.0, 3.0])
    equal(json.loads(double.plan(0).to_json())["steps"][0]["op"], "multiply")
    equal(double.plan(0).get_n_steps(), 1)
    equal(read(double.materialize()), [4.0, 6.0])


@test("node: slots")
def node_slots():
    slot = Node.new_slot("x", DType.FLOAT32, [2, 3])
    equal((slot.get_kind(), slot.get_shape()), (Candela.NodeKind.SLOT, [2, 3]))
    equal(slot.to_string(), "x: float32 [2, 3]")
    fails(Candela.Error.ARITY, op("exp", slot).materialize)
    fails(Candela.Error.DTYPE, lambda: Node.new_slot(None, DType.INVALID, []))


# ---- Expressions ----


@test("expression: names")
def expression_names():
    names = {"x": edge(DType.FLOAT64, [2], [1.0, 2.0]), "y": edge(DType.FLOAT64, [2], [10.0, 20.0])}
    equal(read(Candela.Expression.build("x * 2 + y[::-1]", names).materialize()), [22.0, 14.0])
    equal(read(Candela.Expression.build("1 + 2", None).materialize()), [3])
    equal(read(Candela.Expression.build("1 + 2", {}).materialize()), [3])
    del names
    gc.collect()


@test("expression: statements")
def expression_statements():
    x = edge(DType.FLOAT64, [4], [1.0, 2.0, 3.0, 6.0])
    expression = Candela.Expression.parse("m, v = moments(x); s = m + v; s, m", -1, {"x": x})
    equal(expression.get_n_values(), 2)
    equal(read(expression.get_value().materialize()), [6.5])
    equal(read(expression.get_nth_value(1).materialize()), [3.0])
    equal(expression.get_nth_value(2), None)
    equal(expression.list_names(), ["m", "v", "s"])
    equal(read(expression.lookup("v").materialize()), [3.5])
    equal(expression.lookup("w"), None)
    fails(Candela.Error.ARITY, lambda: Candela.Expression.build("1, 2", None))


@test("expression: errors say where")
def expression_errors():
    build = Candela.Expression.build
    message = fails(Candela.Error.SYNTAX, lambda: build("1 + * 2", None))
    check(message.startswith("line 1, column 5: "), message)
    check(message.endswith("\n1 + * 2\n    ^"), message)
    fails(Candela.Error.UNKNOWN_OP, lambda: build("nothing(1)", None))
    fails(Candela.Error.SHAPE, lambda: build("[1, 2] + [1, 2, 3]", None))
    fails(Candela.Error.SYNTAX, lambda: build("(" * 100000, None))


run("values.list")
