# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Functions made from the registry: for each op one of its name, with its inputs and
# then its parameters as arguments, and its description as docstring.

import collections

from gi.overrides import Candela as core
from gi.repository import Candela, GLib

_DEFAULTS = {"true": "True", "false": "False"}


def names():
    return [op.get_name() for op in Candela.Registry.get_default().list_ops()]


def _hashable(value):
    return tuple(value) if isinstance(value, list) else value


def _default(param):
    if param["required"]:
        return ""
    text = param.get("default")
    if text is None:
        return "=None"
    if param["type"] in ("string", "dtype"):
        quoted = len(text) > 1 and text[0] in "'\"" and text[0] == text[-1]
        return "=%r" % (text[1:-1] if quoted else text)
    if param["type"] == "list of int":
        return "=(%s)" % "".join("%s, " % item for item in text.strip("[] ").split(",") if item.strip())
    return "=" + _DEFAULTS.get(text, text)


def _document(facts):
    lines = [facts["summary"] + "."]
    rows = [(entry["name"], entry["summary"]) for entry in facts["inputs"] + facts["params"]]
    if rows:
        width = max(len(name) for name, _ in rows)
        lines += [""] + ["%-*s  %s" % (width, name, summary) for name, summary in rows]
    if len(facts["outputs"]) > 1:
        lines += ["", "Gives " + ", ".join(facts["outputs"]) + "."]
    lines += ["", "An op of the plugin %s." % facts["plugin"]]
    return "\n".join(lines)


def _source(facts):
    """The text of the function. Parameters may be given by position or by name; those that must be
    stand before any number of inputs."""
    arguments, operands, params, optional = [], [], [], False
    leading = facts["params"] if any(entry["need"] == "variadic" for entry in facts["inputs"]) else []
    arguments += [param["name"] for param in leading if param["required"]]
    for entry in facts["inputs"]:
        if entry["need"] == "variadic":
            arguments.append("*" + entry["name"])
            operands.append("*_spread(%s)" % entry["name"])
            continue
        optional = optional or entry["need"] == "optional"
        arguments.append(entry["name"] + ("=None" if optional else ""))
        operands.append(entry["name"])
    variadic = bool(arguments) and arguments[-1].startswith("*")
    if arguments and not variadic and not optional:
        arguments.append("/")
    for param in facts["params"]:
        default = _default(param)
        # What has no default cannot stand behind what has one.
        if not default and any("=" in argument for argument in arguments):
            default = "=None"
        if not (leading and param["required"]):
            arguments.append(param["name"] + default)
        value = "_dtype(%s)" if param["type"] == "dtype" else "_hashable(%s)" if "list" in param["type"] else "%s"
        params += [repr(param["name"]), value % param["name"]]
    apply = "_apply_now" if facts["output-shape"] == "data" else "_apply"
    call = "%s(%r, (%s)%s)" % (apply, facts["name"], "".join(operand + ", " for operand in operands),
                                   "".join(", " + word for word in params))
    if len(facts["outputs"]) > 1:
        call = "_tuple(*_outputs(%s))" % call
    return "def %s(%s):\n    return %s\n" % (facts["name"], ", ".join(arguments), call)


def _spread(arrays):
    """Several arrays, or one sequence of them."""
    if len(arrays) == 1 and isinstance(arrays[0], (list, tuple)):
        return arrays[0]
    return arrays


def make(name):
    """The function of the op of that name; None if there is none."""
    if name.startswith("_"):
        return None
    try:
        op = Candela.Registry.get_default().lookup_op(name)
    except GLib.Error:
        return None
    facts = op.describe().unpack()
    scope = {"_apply": core.apply, "_apply_now": core.apply_now, "_outputs": core.outputs,
             "_dtype": core.as_dtype, "_hashable": _hashable, "_spread": _spread, "__name__": "candela"}
    if len(facts["outputs"]) > 1:
        scope["_tuple"] = collections.namedtuple(name, facts["outputs"])
    exec(_source(facts), scope)
    function = scope[name]
    function.__doc__ = _document(facts)
    return function
