# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Writes type stubs of the package candela into a folder: its modules and their
# functions, with signatures and docstrings as Python sees them, so that editors know
# those of every op too. What a parameter may be is told by its name, or by the
# op's declaration; what a function gives by the table below, or it is an array.

import inspect
import os
import sys
import types

import candela
from candela import _functions, _methods
from gi.overrides import Candela as core
from gi.repository import Candela

HEAD = '''# SPDX-License-Identifier: LGPL-2.1-or-later
# Made by make-stubs.py from what the module has.
import builtins as _builtins
from collections.abc import Iterator as _Iterator, Mapping as _Mapping, Sequence as _Sequence
from os import PathLike as _PathLike
from typing import Any as _Any, Protocol as _Protocol, Union as _Union

'''

TYPES = '''
class _HasArrayInterface(_Protocol):
    @property
    def __array_interface__(self) -> _Any: ...

class _HasDLPack(_Protocol):
    def __dlpack__(self) -> _Any: ...
    def __dlpack_device__(self) -> _Any: ...

class _HasTypeString(_Protocol):
    @property
    def str(self) -> _builtins.str: ...

class _DType(_builtins.int):
    @property
    def name(self) -> _builtins.str: ...
    @property
    def itemsize(self) -> _builtins.int: ...

_Number = _Union[_builtins.bool, int, float, complex]
_Shape = _Union[int, _Sequence[int]]
_Axis = _Union[int, _Sequence[int]]
_DTypeLike = _Union[_DType, str, _builtins.type, _HasTypeString]
_Path = _Union[str, bytes, _PathLike[str], _PathLike[bytes]]
_Operand = _Union["Array", _Number, _HasArrayInterface, _HasDLPack]
_Key = _Union[None, int, _builtins.slice, "_builtins.ellipsis", "Array", _Sequence[_Any], _HasArrayInterface, tuple[_Any, ...]]

'''

# By the names of the standard's parameters and of those of methods.
PARAMETERS = {
    "x": "_Operand", "x1": "_Operand", "x2": "_Operand", "condition": "_Operand", "other": "_Operand",
    "arrays": "_Operand", "indices": "_Operand", "values": "_Operand", "sorter": "_Operand",
    "prepend": "_Operand", "append": "_Operand", "fill_value": "_Number | Array", "start": "_Number | Array",
    "stop": "_Number | Array", "step": "_Number | Array", "shape": "_Shape", "axis": "_Axis", "axes": "_Axis",
    "s": "_Sequence[int]", "dtype": "_DTypeLike", "type": "_DTypeLike | Array", "from_": "_DTypeLike | Array",
    "to": "_DTypeLike", "device": "str", "copy": "_bool", "keepdims": "_bool", "endpoint": "_bool", "n": "int",
    "k": "int", "num": "int", "n_rows": "int", "n_cols": "int", "d": "float", "indexing": "str", "norm": "str",
    "path": "_Path", "text": "str", "form": "str", "key": "_Key", "api_version": "str", "max_version": "tuple[int, int]",
    "dl_device": "tuple[int, int]", "named": "_Operand", "repeats": "_Operand | _Sequence[int]",
}
# Where the same word means something else.
OF_FUNCTION = {
    ("isdtype", "dtype"): "_DTypeLike", ("isdtype", "kind"): "_DTypeLike | tuple[_DTypeLike, ...]",
    ("result_type", "arrays_and_dtypes"): "_Operand | _DTypeLike", ("save", "x"): "_Operand | _Mapping[str, _Operand]",
    ("expr", "arrays"): "_Operand", ("concat", "arrays"): "_Operand | _Sequence[_Operand]",
    ("stack", "arrays"): "_Operand | _Sequence[_Operand]", ("__pow__", "modulo"): "None",
    ("materialize", "arrays"): "Array", ("asarray", "value"): "_Any", ("__contains__", "value"): "_Operand",
    ("__setitem__", "value"): "_Operand | _Sequence[_Any]", ("tensordot", "axes"): "int | tuple[_Sequence[int], _Sequence[int]]",
    ("foreign", "name"): "str", ("foreign", "library"): "_Path | None", ("foreign", "signature"): "str",
    ("foreign", "symbol"): "str", ("foreign", "options"): "_Any",
    ("check", "cases"): "int", ("check", "seed"): "int", ("check", "seconds"): "int",
    **{("op", name): "_Any" for name in ("function", "infer", "inplace")},
    **{("op", name): "str | None" for name in ("name", "operators", "summary")},
    **{("op", name): "str" for name in ("aliasing", "effect", "determinism")},
    **{("op", name): "str | _Sequence[str] | None" for name in ("outputs", "kinds")},
    ("__new__", "value"): "_Any", ("from_dlpack", "x"): "_HasDLPack", ("astype", "x"): "Array",
    ("matrix_norm", "ord"): "str | float", ("concat", "axis"): "int | None", ("reshape", "shape"): "_Shape",
}
PARAMETER_TYPES = {"bool": "_bool", "int": "int", "float": "float", "string": "str", "dtype": "_DTypeLike",
                   "list of int": "_Axis", "scalar": "_Number | Array"}
MANY = "tuple[Array, ...]"
RESULTS = {
    "isdtype": "_bool", "can_cast": "_bool", "result_type": "_DType", "finfo": "_Any", "iinfo": "_Any", "load": "_Any",
    "save": "None", "savez": "None", "foreign": "_Any", "op": "_Any", "check": "dict[str, _Any]", "materialize": "_Any",
    "unstack": MANY, "meshgrid": "list[Array]", "broadcast_arrays": "list[Array]", "nonzero": MANY, "broadcast_shapes": "tuple[int, ...]",
    # Tuples with names.
    "unique_all": "_Any", "unique_counts": "_Any", "unique_inverse": "_Any", "eigh": "_Any", "qr": "_Any",
    "slogdet": "_Any", "svd": "_Any", "eig": "_Any",
    # Of arrays.
    "node": "_Any", "tensor": "_Any", "plan": "_Any", "dtype": "_DType", "shape": "tuple[int, ...]", "ndim": "int",
    "size": "int", "nbytes": "int", "itemsize": "int", "device": "str", "item": "_Any", "tolist": "_Any",
    "materialize_async": "Array", "Array.materialize": "Array",
    "__divmod__": MANY, "__rdivmod__": MANY, "__format__": "str",
    "__str__": "str", "__repr__": "str", "__bool__": "_bool", "__int__": "int", "__float__": "float",
    "__complex__": "complex", "__index__": "int", "__len__": "int", "__iter__": "_Iterator[Array]",
    "__contains__": "_bool", "__setitem__": "None", "__array__": "_Any", "__array_namespace__": "_Any",
    "__array_interface__": "_Any", "__array_ufunc__": "_Any", "__dlpack__": "_Any", "__dlpack_device__": "tuple[int, int]",
    "__buffer__": "memoryview", "__reduce__": "_Any", "__dir__": "list[str]", "__array_function__": "_Any",
    "_repr_svg_": "str | None",
}
# Those of object itself say otherwise.
OVERRIDES = {"__eq__", "__ne__", "__hash__"}


def type_of_default(text, default):
    return text + " | None" if default is None and text not in ("_Any", "None") and "None" not in text.split(" | ") else text


def parameter_text(owner, parameter, facts):
    name = parameter.name
    text = OF_FUNCTION.get((owner, name)) or facts.get(name) or PARAMETERS.get(name, "_Any")
    prefix = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    if parameter.default is parameter.empty:
        return "%s%s: %s" % (prefix, name, text)
    default = repr(parameter.default)
    if default in ("inf", "-inf", "nan") or "<" in default:
        default = "..."
    return "%s: %s = %s" % (name, type_of_default(text, parameter.default), default)


def signature_text(owner, function, facts, bound=False):
    """The parameters, with their markers; bound says that the first one is self."""
    words, seen_star, positional = [], False, False
    for number, parameter in enumerate(inspect.signature(function).parameters.values()):
        if positional and parameter.kind != parameter.POSITIONAL_ONLY:
            words.append("/")
        positional = parameter.kind == parameter.POSITIONAL_ONLY
        if parameter.kind == parameter.VAR_POSITIONAL:
            seen_star = True
        elif parameter.kind == parameter.KEYWORD_ONLY and not seen_star:
            words.append("*")
            seen_star = True
        words.append("self" if bound and number == 0 else parameter_text(owner, parameter, facts))
    return ", ".join(words + ["/"] if positional else words)


def facts_of(name):
    """The types of an op's operands and parameters, and how many results it has."""
    try:
        facts = Candela.Registry.get_default().lookup_op(name).describe().unpack()
    except core.GLib.Error:
        return {}, 1
    words = {}
    for entry in facts["inputs"]:
        words[entry["name"]] = "_Operand | _Sequence[_Operand]" if entry["need"] == "variadic" else "_Operand"
    for entry in facts["params"]:
        words[entry["name"]] = PARAMETER_TYPES.get(entry["type"], "_Any")
    return words, len(facts["outputs"])


def function_text(name, function, bound=False, indent="", kind="def"):
    facts, n_outputs = ({}, 1) if name.startswith("__") else facts_of(name)
    result = bound and RESULTS.get("Array." + name) or RESULTS.get(name, MANY if n_outputs > 1 else "Array")
    ignore = "  # type: ignore" if name in OVERRIDES else ""
    lines = ["%s%s %s(%s) -> %s:%s" % (indent, kind, name, signature_text(name, function, facts, bound), result, ignore)]
    document = inspect.getdoc(function) if not name.startswith("__") else None
    if not document:
        lines[0] = lines[0].replace(") -> %s:" % result, ") -> %s: ..." % result)
        return lines[0]
    lines += ['%s    r"""%s"""' % (indent, ("\n" + indent + "    ").join(document.splitlines()))]
    return "\n".join(line.rstrip() for line in lines + ["%s    ..." % indent])


def class_text(cls):
    """The class of arrays, with functions as methods."""
    lines = ["class %s:" % cls.__name__, '    """%s"""' % cls.__doc__]
    for name, value in vars(cls).items():
        if isinstance(value, property):
            lines.append("    @property\n    def %s(self) -> %s: ..." % (name, RESULTS.get(name, "Array")))
        elif name == "__new__":
            lines.append("    def __new__(cls, value: _Any = None, dtype: _DTypeLike | None = None) -> Array: ...")
        elif inspect.isfunction(value) and (not name.startswith("_") or name.endswith("_")) and name != "__getattr__":
            kind = "async def" if inspect.iscoroutinefunction(value) else "def"
            lines.append(function_text(name, value, True, "    ", kind))
    lines.append("    __hash__: None  # type: ignore")
    own = set(vars(cls))
    for name in _methods.names():
        if name not in own and name.isidentifier():
            lines.append(function_text(name, _methods.find(name), True, "    "))
    return "\n".join(lines)


def value_text(name, value):
    if isinstance(value, Candela.DType):
        return "%s: _DType" % name
    if isinstance(value, types.ModuleType):
        return "from %s import %s as %s" % (value.__name__.rpartition(".")[0], name, name)
    if isinstance(value, type) and issubclass(value, Exception):
        return 'class %s(Exception):\n    """%s"""\n    message: str\n    domain: str\n    code: int' % (name, value.__doc__)
    if value is core.Array:
        return class_text(value)
    if isinstance(value, type):
        return "%s: _Any" % name
    if callable(value):
        return function_text(name, value)
    return "%s: %s" % (name, type(value).__name__ if value is not None else "None")


def public_names(module):
    special = {"__array_namespace_info__", "__array_api_version__", "__version__"}
    return [name for name in dir(module) if not name.startswith("_") or name in special]


def module_text(module):
    texts = []
    for name in public_names(module):
        try:
            value = getattr(module, name)
        except AttributeError:
            # Of a plugin that was not built.
            continue
        # Python's own modules, and what a submodule uses of the package.
        if isinstance(value, types.ModuleType) and not value.__name__.startswith("candela."):
            continue
        texts.append(value_text(name, value))
    return "\n".join(texts) + "\n"


def main(folder):
    written = {"__init__.pyi": HEAD + TYPES + "_bool = _builtins.bool\n" + module_text(candela)}
    names = "Array, _Axis, _DType, _DTypeLike, _Number, _Operand, _bool"
    for name in sorted(candela._EXTENSIONS):
        text = module_text(getattr(candela, name))
        written[name + ".pyi"] = HEAD + "from candela import %s\n\n" % names + text
    os.makedirs(folder, exist_ok=True)
    for name, text in written.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main(sys.argv[1])
