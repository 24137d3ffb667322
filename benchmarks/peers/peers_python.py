# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The peers that are called from Python. Each gives a function of no arguments
# that computes the workload anew, in the way that its users would, and turns
# what it gives into a NumPy array. Loading one raises ImportError where it is
# not installed; a workload that it cannot do raises Unable.

import numpy


class Unable(Exception):
    pass


class NumPySpace:
    """What workloads call beside operators, in NumPy."""

    exp, tanh, where = numpy.exp, numpy.tanh, numpy.where
    sum, mean, var, max, argmax, argmin = (
        numpy.sum, numpy.mean, numpy.var, numpy.max, numpy.argmax, numpy.argmin)
    contiguous = staticmethod(numpy.ascontiguousarray)

    @staticmethod
    def sigmoid(x):
        return 1 / (1 + numpy.exp(-x))

    @staticmethod
    def gelu(x):
        from scipy.special import erf

        return x * 0.5 * (1 + erf(x * numpy.float32(0.7071067811865476)))

    @staticmethod
    def softmax(x, axis):
        e = numpy.exp(x - numpy.max(x, axis, keepdims=True))
        return e / numpy.sum(e, axis, keepdims=True)

    @staticmethod
    def layer_norm(x, g, b):
        d = x - numpy.mean(x, -1, keepdims=True)
        return d / numpy.sqrt(numpy.mean(d * d, -1, keepdims=True) + 1e-5) * g + b

    @staticmethod
    def logsumexp(x):
        m = numpy.max(x, -1, keepdims=True)
        return numpy.log(numpy.sum(numpy.exp(x - m), -1)) + m[:, 0]

    @staticmethod
    def matrix_transpose(x):
        return numpy.swapaxes(x, -1, -2)

    @staticmethod
    def astype(x, dtype):
        return x.astype(dtype)

    @staticmethod
    def arange(n, like):
        return numpy.arange(n)


class NumPy:
    def __init__(self, threads):
        self.version = numpy.__version__

    def prepare(self, workload, arrays):
        values = list(arrays.values())
        return lambda: workload.function(NumPySpace, *values)

    def to_numpy(self, value):
        return numpy.asarray(value)


class NumExpr(NumPy):
    def __init__(self, threads):
        import numexpr

        self.numexpr = numexpr
        self.version = numexpr.__version__
        numexpr.set_num_threads(threads)

    def prepare(self, workload, arrays):
        if workload.numexpr is None:
            raise Unable("numexpr has no such operation")
        if workload.name == "strided slice":
            arrays = {"x": arrays["x"][:, ::2]}
        text, evaluate = workload.numexpr, self.numexpr.evaluate
        return lambda: evaluate(text, local_dict=arrays, truediv=True)


class TorchSpace:
    def __init__(self, torch):
        functional = torch.nn.functional
        self.torch, self.functional = torch, functional
        self.exp, self.tanh, self.where, self.sigmoid = torch.exp, torch.tanh, torch.where, torch.sigmoid
        self.gelu, self.softmax = functional.gelu, torch.softmax

    @staticmethod
    def contiguous(x):
        return x.contiguous()

    def sum(self, x, axis):
        return self.torch.sum(x) if axis is None else self.torch.sum(x, axis)

    def mean(self, x, axis):
        return self.torch.mean(x) if axis is None else self.torch.mean(x, axis)

    def var(self, x, axis):
        return self.torch.var(x, axis, correction=0)

    def max(self, x, axis):
        return self.torch.amax(x, axis)

    def argmax(self, x, axis):
        return self.torch.argmax(x, axis)

    def argmin(self, x, axis):
        return self.torch.argmin(x, axis)

    def layer_norm(self, x, g, b):
        return self.functional.layer_norm(x, x.shape[-1:], g, b, 1e-5)

    def logsumexp(self, x):
        return self.torch.logsumexp(x, -1)

    @staticmethod
    def matrix_transpose(x):
        return x.mT

    def astype(self, x, dtype):
        return x.to(getattr(self.torch, dtype))

    def arange(self, n, like):
        return self.torch.arange(n)


class Torch:
    compiled = False

    def __init__(self, threads):
        import torch

        self.torch = torch
        self.version = torch.__version__
        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)
        self.space = TorchSpace(torch)

    def prepare(self, workload, arrays):
        values = [self.torch.from_numpy(array) for array in arrays.values()]
        space = self.space

        def function(*values):
            return workload.function(space, *values)

        if self.compiled:
            # A graph made for another workload or size is of no use.
            self.torch._dynamo.reset()
            function = self.torch.compile(function, dynamic=False)
        return lambda: function(*values)

    def to_numpy(self, value):
        return value.numpy()


class TorchCompiled(Torch):
    compiled = True

    def __init__(self, threads):
        super().__init__(threads)
        import torch._dynamo
        import torch._inductor.config

        self.torch._inductor.config.compile_threads = 1

    def prepare(self, workload, arrays):
        if workload.name in ("graph of 30", "chain of 1000", "chain of 1000 unfused"):
            raise Unable("takes too long to compile, or cannot be traced")
        return super().prepare(workload, arrays)


class JaxSpace:
    def __init__(self, jax):
        numpy_like = jax.numpy
        self.jax, self.numpy_like = jax, numpy_like
        self.exp, self.tanh, self.where = numpy_like.exp, numpy_like.tanh, numpy_like.where
        self.sum, self.mean, self.var, self.max = numpy_like.sum, numpy_like.mean, numpy_like.var, numpy_like.max
        self.argmax, self.argmin = numpy_like.argmax, numpy_like.argmin
        self.sigmoid, self.softmax = jax.nn.sigmoid, jax.nn.softmax
        self.matrix_transpose = numpy_like.matrix_transpose

    def contiguous(self, x):
        return self.numpy_like.array(x, copy=True)

    def gelu(self, x):
        return self.jax.nn.gelu(x, approximate=False)

    def layer_norm(self, x, g, b):
        d = x - self.numpy_like.mean(x, -1, keepdims=True)
        return d / self.numpy_like.sqrt(self.numpy_like.mean(d * d, -1, keepdims=True) + 1e-5) * g + b

    def logsumexp(self, x):
        return self.jax.nn.logsumexp(x, -1)

    def astype(self, x, dtype):
        return x.astype(dtype)

    def arange(self, n, like):
        return self.numpy_like.arange(n)


class Jax:
    def __init__(self, threads):
        import jax

        jax.config.update("jax_enable_x64", True)
        self.jax = jax
        self.version = jax.__version__
        self.space = JaxSpace(jax)

    def prepare(self, workload, arrays):
        if workload.name.startswith("chain of 1000"):
            raise Unable("takes too long to compile")
        values = [self.jax.numpy.asarray(array) for array in arrays.values()]
        space = self.space
        function = self.jax.jit(lambda *values: workload.function(space, *values))
        return lambda: function(*values).block_until_ready()

    def to_numpy(self, value):
        return numpy.asarray(value)


def load(name, threads):
    if name == "onnxruntime":
        from peers_onnx import OnnxRuntime

        return OnnxRuntime(threads)
    classes = {"numpy": NumPy, "numexpr": NumExpr, "torch": Torch, "torch-compiled": TorchCompiled, "jax": Jax}
    return classes[name](threads)
