# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Ops written in Python: a function over NumPy arrays, which are views of the run's memory,
# and what the planner may know of it.

import collections
import functools
import inspect
import operator

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


def _told(error):
    """What an exception says, as far as it can be told."""
    try:
        text = str(error)
    except Exception:
        text = "(its text cannot be had)"
    return text.replace("\0", "\\0").encode("utf-8", "backslashreplace").decode()


def _guarded(name, function):
    """What goes wrong in a script is an error of Candela that says it."""

    @functools.wraps(function)
    def call(*arguments):
        try:
            return function(*arguments)
        except GLib.Error:
            raise
        except BaseException as error:
            message = "%s: %s: %s" % (name, type(error).__name__, _told(error))
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
        return GLib.Variant("a(sax)", [(Candela.dtype_get_name(core.as_dtype(dtype)), list(map(operator.index, shape)))
                                       for dtype, shape in specs])

    return call


def _dummy(dtype, shape, strides, offset):
    """An array of that layout over zeros, for which no memory is taken before they are looked at; and where the
    memory begins of which it is a part."""
    import numpy

    reach = [(length - 1) * stride if all(shape) else 0 for length, stride in zip(shape, strides)]
    first = offset + sum(step for step in reach if step < 0)
    end = offset + sum(step for step in reach if step > 0) + 1
    memory = numpy.zeros(end - first, core.TYPESTRS.get(Candela.dtype_from_name(dtype), "<u2"))
    size = memory.itemsize
    array = numpy.lib.stride_tricks.as_strided(memory[offset - first:], shape, [stride * size for stride in strides],
                                               writeable=False)
    return array, memory.__array_interface__["data"][0] - first * size


def _make_view_infer(function, names):
    """What view the function gives of its first input."""

    def call(inputs, params, *data):
        import numpy

        specs = inputs.unpack()
        dummies = [_dummy(*spec) for spec in specs]
        dtype, _, _, offset = specs[0]
        array, start = dummies[0]
        results = function(*(dummy for dummy, _ in dummies), **{**dict.fromkeys(names), **params.unpack()})
        answer = []
        for result in results if isinstance(results, list) else [results]:
            if not isinstance(result, numpy.ndarray) or result.dtype != array.dtype or (
                    result.size and not numpy.may_share_memory(result, array)):
                raise ValueError("it gave no view of its first input, but %s" % type(result).__name__)
            if result.size:
                offset = (result.__array_interface__["data"][0] - start) // array.itemsize
            answer.append((dtype, result.shape, [stride // array.itemsize for stride in result.strides], offset))
        return GLib.Variant("a(saxaxx)", answer)

    return call


def _make_compute(function, names, out, sized):
    def call(run, *data):
        import numpy

        arrays = [_exchange.to_numpy(run.get_input(i)) for i in range(run.get_n_inputs())]
        n = run.get_n_outputs()
        outputs = [] if sized else [_output(run, i) for i in range(n)]
        params = dict.fromkeys(names)
        params.update(run.get_params().unpack())
        if out:
            params["out"] = outputs[0] if n == 1 else outputs
        results = function(*arrays, **params)
        if results is None:
            if out:
                return True
            raise ValueError("it gave None, and has no `out` to write to")
        if n == 1 and not (isinstance(results, list) and len(results) == 1):
            results = [results]
        if len(results) != n:
            raise ValueError("it gave no result for each of its %d outputs" % n)
        for i, result in enumerate(results):
            if sized:
                run.set_output_shape(i, numpy.shape(result))
                outputs.append(_output(run, i))
            output = outputs[i]
            if result is output:
                continue
            if numpy.shape(result) != output.shape:
                raise ValueError("it gave an array of shape %s; its infer function said %s"
                                 % (numpy.shape(result), output.shape))
            numpy.copyto(output, result, casting="same_kind")
        return True

    return call


def _in_place(inplace):
    """Rows of output, input and mode."""
    if not isinstance(inplace, dict):
        inplace = dict.fromkeys(inplace, "same-index")
    return [(*(pair if isinstance(pair, tuple) else (0, pair)), mode) for pair, mode in inplace.items()]


def op(function=None, /, *, name=None, infer=None, outputs=None, kinds=None, operators=None, aliasing="none",
       inplace=(), effect="pure", determinism="bitwise", output_shape="static", summary=None, formula=None, example=None):
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
    aliasing     "none"; "alias": the result is the first input; "reference": the function gives a view of its first
                 input, and is called, over zeros of that layout, when an array is made, never for a value;
                 "takeover": the result is a copy of the first input, which from then on stands for it
    inplace      the inputs, from 0 on, over which the result may be written: each element must be read before it
                 is written, and not after. Or a dict of input, or (output, input), to a mode: "same-index" is
                 this one, "within-row" reads a row before it writes it, "read-first" all before it writes any
    effect       "pure", or "ordered": it has state, and runs in the order of the plan
    determinism  "bitwise", "per-layout" or "none"
    output_shape "static", or "data": it depends on elements; infer gives the number of axes, the function
                 returns the results, and what it is called with is computed when it is called
    summary      a line; the first of the function's documentation if None
    formula      what is computed, in plain text
    example      a program of Candela's language that calls it"""
    if function is None:
        return lambda function: op(function, name=name, infer=infer, outputs=outputs, kinds=kinds, operators=operators,
                                   aliasing=aliasing, inplace=inplace, effect=effect, determinism=determinism,
                                   output_shape=output_shape, summary=summary, formula=formula, example=example)
    name = name if name is not None else function.__name__
    if "\0" in name:
        raise ValueError("an op's name has no NUL: %r" % name)
    inputs, variadic, params, out = _read_signature(function)
    if summary is None:
        summary = (inspect.getdoc(function) or "Made by a script").split("\n")[0].rstrip(".")
    facts = {
        "summary": GLib.Variant("s", summary),
        "inputs": GLib.Variant("as", inputs),
        "variadic": GLib.Variant("b", variadic),
        "params": GLib.Variant("aa{sv}", params),
        "aliasing": GLib.Variant("s", aliasing),
        "in-place-modes": GLib.Variant("a(uus)", _in_place(inplace)),
        "effect": GLib.Variant("s", effect),
        "determinism": GLib.Variant("s", determinism),
        "output-shape": GLib.Variant("s", output_shape),
    }
    if outputs is not None:
        facts["outputs"] = GLib.Variant("as", list(outputs))
    if kinds is not None:
        facts["kinds"] = GLib.Variant("as", [kinds] if isinstance(kinds, str) else list(kinds))
    for key, text in (("operators", operators), ("formula", formula), ("example", example)):
        if text is not None:
            facts[key] = GLib.Variant("s", text)
    names = [param["name"].get_string() for param in params]
    sized = output_shape == "data"
    if out and (sized or aliasing == "reference"):
        raise TypeError("%s: there is no `out` before the function has returned" % name)
    if aliasing == "reference":
        if infer is not None:
            raise TypeError("%s: what its function gives says dtype and shape, and infer is not asked" % name)
        infer = _guarded(name, _make_view_infer(function, names))
    elif infer is not None:
        infer = _guarded(name, _make_infer(infer, len(outputs) if outputs is not None else 1))
    compute = _guarded(name, _make_compute(function, names, out, sized))
    try:
        made = Candela.Op.new_script(name, GLib.Variant("a{sv}", facts), infer, (), compute, ())
        Candela.Registry.get_default().add_op(made)
    except GLib.Error as error:
        raise core.to_python(error) from None
    _methods.forget(name)
    result = _functions.make(name)
    result.__wrapped__ = function
    return result


def check(op, *, cases=40, seed=1, seconds=5):
    """Proves what an op declares: runs it over generated inputs in every way that the declaration allows. Gives a
    dict with "proven", "cases" and "runs", and, if a fact does not hold, with "fact", "when", "message" and
    "case". It is run in a child process, which begins as a copy of this one: no other thread should be at work.

    op       its name, or its function
    cases    how many, of those that it takes
    seed     other cases
    seconds  after how many without a sign of life a run is given up"""
    name = op if isinstance(op, str) else op.__name__
    try:
        found = Candela.Registry.get_default().lookup_op(name)
    except GLib.Error as error:
        raise core.to_python(error) from None
    return found.check(seed, cases, seconds, None).unpack()
