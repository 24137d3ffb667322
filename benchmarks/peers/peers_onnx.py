# SPDX-License-Identifier: LGPL-2.1-or-later
#
# ONNX Runtime. Its models are made here: a workload's function is called with
# values that write down what is done to them as nodes of a model.

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from peers_python import Unable

TYPES = {
    "float32": TensorProto.FLOAT,
    "float64": TensorProto.DOUBLE,
    "int32": TensorProto.INT32,
    "int64": TensorProto.INT64,
    "uint8": TensorProto.UINT8,
    "bool": TensorProto.BOOL,
}


class Model:
    def __init__(self):
        self.nodes, self.constants, self.inputs, self.count = [], [], [], 0

    def name(self):
        self.count += 1
        return "v%d" % self.count

    def constant(self, array):
        name = self.name()
        self.constants.append(numpy_helper.from_array(numpy.asarray(array), name))
        return name

    def node(self, op, inputs, dtype, **attributes):
        name = self.name()
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return Value(self, name, dtype)


class Value:
    """Of a tensor: its name and dtype."""

    def __init__(self, model, name, dtype):
        self.model, self.name, self.dtype = model, name, dtype

    def of(self, other):
        if isinstance(other, Value):
            if other.dtype != self.dtype:
                raise Unable("dtypes are mixed")
            return other.name
        return self.model.constant(numpy.array(other, self.dtype))

    def binary(self, op, other, swapped=False, dtype=None):
        names = [self.name, self.of(other)]
        return self.model.node(op, names[::-1] if swapped else names, dtype or self.dtype)

    def __add__(self, other):
        return self.binary("Add", other)

    def __radd__(self, other):
        return self.binary("Add", other, True)

    def __sub__(self, other):
        return self.binary("Sub", other)

    def __mul__(self, other):
        return self.binary("Mul", other)

    def __truediv__(self, other):
        return self.binary("Div", other)

    def __rtruediv__(self, other):
        return self.binary("Div", other, True)

    def __matmul__(self, other):
        return self.binary("MatMul", other)

    def __gt__(self, other):
        return self.binary("Greater", other, dtype="bool")

    def __neg__(self):
        return self.model.node("Neg", [self.name], self.dtype)

    @property
    def T(self):
        return self.model.node("Transpose", [self.name], self.dtype)

    def __getitem__(self, key):
        """Full slices, slices by a step and None: what the workloads need."""
        value, axis, new = self, 0, []
        for position, item in enumerate(key):
            if item is None:
                new.append(position)
                continue
            if (item.start, item.stop) != (None, None):
                raise Unable("no such index")
            if item.step is not None:
                bounds = [self.model.constant(numpy.array([i])) for i in (0, 2**62, axis, item.step)]
                value = self.model.node("Slice", [value.name] + bounds, value.dtype)
            axis += 1
        if new:
            value = self.model.node("Unsqueeze", [value.name, self.model.constant(numpy.array(new))], value.dtype)
        return value


class Space:
    @staticmethod
    def _unary(op, x, **attributes):
        return x.model.node(op, [x.name], x.dtype, **attributes)

    def exp(self, x):
        return self._unary("Exp", x)

    def tanh(self, x):
        return self._unary("Tanh", x)

    def sigmoid(self, x):
        return self._unary("Sigmoid", x)

    def gelu(self, x):
        return self._unary("Gelu", x)

    def softmax(self, x, axis):
        return self._unary("Softmax", x, axis=axis)

    def contiguous(self, x):
        return x

    def where(self, condition, a, b):
        return a.model.node("Where", [condition.name, a.name, b.name], a.dtype)

    @staticmethod
    def _reduce(op, x, axis, keep=0):
        axes = [] if axis is None else [x.model.constant(numpy.array([axis]))]
        return x.model.node(op, [x.name] + axes, x.dtype, keepdims=keep)

    def sum(self, x, axis):
        return self._reduce("ReduceSum", x, axis)

    def mean(self, x, axis):
        return self._reduce("ReduceMean", x, axis)

    def max(self, x, axis):
        return self._reduce("ReduceMax", x, axis)

    def logsumexp(self, x):
        return self._reduce("ReduceLogSumExp", x, -1)

    def var(self, x, axis):
        d = x - self._reduce("ReduceMean", x, axis, 1)
        return self._reduce("ReduceMean", d * d, axis)

    def argmax(self, x, axis):
        return x.model.node("ArgMax", [x.name], "int64", axis=axis, keepdims=0)

    def layer_norm(self, x, g, b):
        return x.model.node("LayerNormalization", [x.name, g.name, b.name], x.dtype, axis=-1, epsilon=1e-5)

    def matrix_transpose(self, x):
        return self._unary("Transpose", x, perm=[0, 2, 1])


class OnnxRuntime:
    def __init__(self, threads):
        self.version = onnxruntime.__version__
        self.options = onnxruntime.SessionOptions()
        self.options.intra_op_num_threads = threads
        self.options.inter_op_num_threads = 1
        self.options.log_severity_level = 4

    def prepare(self, workload, arrays):
        if workload.name == "digits":
            raise Unable("not written down for ONNX")
        model = Model()
        values = []
        for name, array in arrays.items():
            kind = TYPES[str(array.dtype)]
            model.inputs.append(helper.make_tensor_value_info(name, kind, array.shape))
            values.append(Value(model, name, str(array.dtype)))
        result = workload.function(Space(), *values)
        output = helper.make_tensor_value_info(result.name, TYPES[result.dtype], None)
        graph = helper.make_graph(model.nodes, "workload", model.inputs, [output], model.constants)
        proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
        session = onnxruntime.InferenceSession(
            proto.SerializeToString(), self.options, providers=["CPUExecutionProvider"])
        return lambda: session.run(None, arrays)

    def to_numpy(self, value):
        return value[0]
