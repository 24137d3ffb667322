# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Functions made from the registry: for each op one of its name, with its inputs and
# then its parameters as arguments, and its description as docstring.

import collections

from gi.overrides import Candela as core
from gi.repository import Candela, GLib

_DEFAULTS = {"true": "True", "false": "False", "nan": "float('nan')", "inf": "float('inf')", "-inf": "-float('inf')"}


def names():
    return [op.get_name() for op in Candela.Registry.get_default().list_ops()]


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
    if "formula" in facts:
        lines += [""] + ["    " + line for line in facts["formula"].split("\n")]
    rows = [(entry["name"], entry.get("summary") or "") for entry in facts["inputs"] + facts["params"]]
    if rows:
        width = max(len(name) for name, _ in rows)
        lines += [""] + ["%-*s  %s" % (width, name, summary) for name, summary in rows]
    if len(facts["outputs"]) > 1:
        lines += ["", "Gives " + ", ".join(facts["outputs"]) + "."]
    if "example" in facts:
        lines += ["", "An example, in Candela's language:", ""] + ["    " + line for line in facts["example"].split("\n")]
    if "plugin" in facts:
        lines += ["", "An op of the plugin %s." % facts["plugin"]]
    return "\n".join(lines)


def _value(param):
    """What is handed over of a parameter: a dtype, no list, which cannot be looked up, and nothing that is
    the default, since reading it costs."""
    name, default = param["name"], _DEFAULTS.get(param.get("default"))
    if param["type"] == "dtype":
        return "{0} if {0} is None else _dtype({0})".format(name)
    if param["type"] == "list of int":
        return "tuple({0}) if type({0}) is list else {0}".format(name)
    if param["type"] == "bool" and default is not None:
        return "None if {0} is {1} else {0}".format(name, default)
    return name


def _for_numpy(params, variadic):
    """What NumPy's functions, and its users, say to methods: out=None, dtype=None, and ddof for what the
    standard calls correction. As arguments, and lines."""
    arguments, lines = [] if variadic else ["*"], []
    for name in ("out", "dtype"):
        if name not in params:
            arguments.append(name + "=None")
            lines.append("    if %s is not None:\n        raise TypeError('there is no %s here')\n" % (name, name))
    if "correction" in params:
        arguments.append("ddof=None")
        lines.append("    if ddof is not None:\n        correction = ddof\n")
    return arguments, "".join(lines)


def _source(facts, method):
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
        params += [repr(param["name"]), _value(param)]
    more, lines = _for_numpy({param["name"] for param in facts["params"]}, variadic) if method else ([], "")
    apply = "_apply_now" if facts["output-shape"] == "data" else "_apply"
    call = "%s(%r, (%s)%s)" % (apply, facts["name"], "".join(operand + ", " for operand in operands),
                                   "".join(", " + word for word in params))
    if len(facts["outputs"]) > 1:
        call = "_tuple(*_outputs(%s))" % call
    return "def %s(%s):\n%s    return %s\n" % (facts["name"], ", ".join(arguments + more), lines, call)


def _spread(arrays):
    """Several arrays, or one sequence of them."""
    if len(arrays) == 1 and isinstance(arrays[0], (list, tuple)):
        return arrays[0]
    return arrays


def make(name, method=False):
    """The function of the op of that name, or the method of arrays; None if there is none."""
    if name.startswith("_"):
        return None
    try:
        op = Candela.Registry.get_default().lookup_op(name)
    except GLib.Error:
        return None
    facts = op.describe().unpack()
    scope = {"_apply": core.apply, "_apply_now": core.apply_now, "_outputs": core.outputs,
             "_dtype": core.as_dtype, "_spread": _spread, "__name__": "candela"}
    if len(facts["outputs"]) > 1:
        scope["_tuple"] = collections.namedtuple(name, facts["outputs"])
    exec(_source(facts, method), scope)
    function = scope[name]
    function.__doc__ = _document(facts)
    return function
