# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Ops written in Python: a function over NumPy arrays, which are views of the run's memory,
# and what the planner may know of it.

import collections
import functools
import inspect

from gi.overrides import Candela as core
from gi.repository import Candela, GLib

from candela import _exchange, _functions, _methods

Spec = collections.namedtuple("Spec", ["dtype", "shape"])
Spec.__doc__ = "What an infer function is given of each input, and may give of each output."

_TYPES = {bool: "bool", int: "int", float: "float", str: "string"}


class _Writable:
    """What NumPy makes an output's array of; it keeps the memory."""

    __slots__ = ("__array_interface__", "tensor")


def _output(call, index):
    import numpy

    tensor = call.get_output(index)
    memory = _Writable()
    memory.tensor = tensor
    memory.__array_interface__ = {
        "version": 3,
        "typestr": core.TYPESTRS.get(tensor.get_dtype(), "<u2"),
        "shape": tuple(tensor.get_shape()),
        "data": (call.get_output_address(index), False),
    }
    array = numpy.asarray(memory)
    if tensor.get_dtype() == Candela.DType.BFLOAT16:
        from ml_dtypes import bfloat16

        return array.view(bfloat16)
    return array


def _text(value):
    """A default as an expression writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"%s"' % value
    if isinstance(value, (list, tuple)):
        return "[%s]" % ", ".join(str(int(item)) for item in value)
    return repr(value)


def _parameter(argument):
    """A keyword of the function as a parameter of the op; its type is that of its default, or its annotation."""
    default, kind = argument.default, argument.annotation
    required = default is argument.empty
    if kind is argument.empty:
        kind = type(default)
    if kind in (list, tuple):
        name = "list of int"
    elif kind in _TYPES:
        name = _TYPES[kind]
    else:
        raise TypeError("%s: a parameter has a default or an annotation that is a bool, an int, a float, a str or a "
                        "list of ints" % argument.name)
    facts = {"name": GLib.Variant("s", argument.name), "type": GLib.Variant("s", name),
             "required": GLib.Variant("b", required)}
    if not required and default is not None:
        facts["default"] = GLib.Variant("s", _text(default))
    return facts


def _read_signature(function):
    """The names of its inputs, whether the last is *arrays, its parameters, and whether it is given the outputs."""
    inputs, params, variadic, out = [], [], False, False
    for argument in inspect.signature(function).parameters.values():
        if argument.name == "out":
            out = True
        elif argument.kind == argument.KEYWORD_ONLY:
            params.append(_parameter(argument))
        elif argument.kind == argument.VAR_POSITIONAL:
            inputs.append(argument.name)
            variadic = True
        elif argument.kind == argument.VAR_KEYWORD or argument.default is not argument.empty:
            raise TypeError("%s: arrays come first, without defaults, then `out` if it is wanted, and parameters "
                            "behind a *" % argument.name)
        else:
            inputs.append(argument.name)
    return inputs, variadic, params, out


def _guarded(name, function):
    """What goes wrong in a script is an error of Candela that says it."""

    @functools.wraps(function)
    def call(*arguments):
        try:
            return function(*arguments)
        except GLib.Error:
            raise
        except BaseException as error:
            message = "%s: %s: %s" % (name, type(error).__name__, error)
            if not isinstance(error, Exception):
                core.stopped[message] = error
            raise GLib.Error(message, "candela-error-quark", int(Candela.Error.SCRIPT)) from None

    return call


def _make_infer(infer, n_outputs):
    def call(inputs, params, *data):
        given = [Spec(Candela.dtype_from_name(dtype), tuple(shape)) for dtype, shape in inputs.unpack()]
        specs = infer(*given, **params.unpack())
        if n_outputs == 1 and not isinstance(specs, list):
            specs = [specs]
        return GLib.Variant("a(sax)", [(Candela.dtype_get_name(core.as_dtype(dtype)), list(map(int, shape)))
                                       for dtype, shape in specs])

    return call


def _make_compute(function, names, out):
    def call(run, *data):
        import numpy

        arrays = [_exchange.to_numpy(run.get_input(i)) for i in range(run.get_n_inputs())]
        outputs = [_output(run, i) for i in range(run.get_n_outputs())]
        params = dict.fromkeys(names)
        params.update(run.get_params().unpack())
        if out:
            params["out"] = outputs[0] if len(outputs) == 1 else outputs
        results = function(*arrays, **params)
        if results is None and out:
            return True
        if len(outputs) == 1 and not (isinstance(results, list) and len(results) == 1):
            results = [results]
        if results is None or len(results) != len(outputs):
            raise ValueError("it gave no result for each of its %d outputs" % len(outputs))
        for output, result in zip(outputs, results):
            if result is output:
                continue
            if numpy.shape(result) != output.shape:
                raise ValueError("it gave an array of shape %s; its infer function said %s"
                                 % (numpy.shape(result), output.shape))
            numpy.copyto(output, result, casting="same_kind")
        return True

    return call


def op(function=None, /, *, name=None, infer=None, outputs=None, kinds=None, operators=None, aliasing="none",
       inplace=(), effect="pure", determinism="bitwise", summary=None, formula=None, example=None):
    """Makes an op of a function over NumPy arrays, which is found by its name from then on, in expressions too;
    a decorator. Gives the function over lazy arrays.

    The function's arguments are the inputs; then `out`, if it is to write its results itself; then, behind a *,
    the parameters, whose types are those of their defaults. Else it returns its results. The inputs are views
    that cannot be written, of whatever strides; they, and out, are the run's memory and good until it returns.

    name         of the op; that of the function if None
    infer        a function of a Spec (dtype, shape) for each input, and the parameters, that gives the dtype and
                 shape of the result, or a list of them; None: inputs broadcast, and dtypes are promoted
    outputs      the names of the results, if there are several
    kinds        of the inputs: some of "bool", "int", "uint", "float", "complex"; None: any
    operators    "infix:<=>", say, for expressions
    aliasing     "none", or "alias": the result is the first input
    inplace      the inputs, from 0 on, over which the result may be written: each element must be read before it
                 is written
    effect       "pure", or "ordered": it has state, and runs in the order of the plan
    determinism  "bitwise", "per-layout" or "none"
    summary      a line; the first of the function's documentation if None
    formula      what is computed, in plain text
    example      a program of Candela's language that calls it"""
    if function is None:
        return lambda function: op(function, name=name, infer=infer, outputs=outputs, kinds=kinds, operators=operators,
                                   aliasing=aliasing, inplace=inplace, effect=effect, determinism=determinism,
                                   summary=summary, formula=formula, example=example)
    name = name if name is not None else function.__name__
    inputs, variadic, params, out = _read_signature(function)
    if summary is None:
        summary = (inspect.getdoc(function) or "Made by a script").split("\n")[0].rstrip(".")
    facts = {
        "summary": GLib.Variant("s", summary),
        "inputs": GLib.Variant("as", inputs),
        "variadic": GLib.Variant("b", variadic),
        "params": GLib.Variant("aa{sv}", params),
        "aliasing": GLib.Variant("s", aliasing),
        "in-place": GLib.Variant("ai", list(inplace)),
        "effect": GLib.Variant("s", effect),
        "determinism": GLib.Variant("s", determinism),
    }
    if outputs is not None:
        facts["outputs"] = GLib.Variant("as", list(outputs))
    if kinds is not None:
        facts["kinds"] = GLib.Variant("as", [kinds] if isinstance(kinds, str) else list(kinds))
    for key, text in (("operators", operators), ("formula", formula), ("example", example)):
        if text is not None:
            facts[key] = GLib.Variant("s", text)
    if infer is not None:
        infer = _guarded(name, _make_infer(infer, len(outputs) if outputs is not None else 1))
    names = [param["name"].get_string() for param in params]
    compute = _guarded(name, _make_compute(function, names, out))
    try:
        made = Candela.Op.new_script(name, GLib.Variant("a{sv}", facts), infer, (), compute, ())
        Candela.Registry.get_default().add_op(made)
    except GLib.Error as error:
        raise core.to_python(error) from None
    _methods.forget(name)
    result = _functions.make(name)
    result.__wrapped__ = function
    return result
