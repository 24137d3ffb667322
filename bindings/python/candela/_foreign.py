# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Ops of functions of shared libraries.

from gi.overrides import Candela as core
from gi.repository import Candela, GLib

from candela import _functions, _methods


def _text(value):
    """As a .ops file says it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ";".join(map(_text, value))
    return str(value)


def _options(keywords):
    options = {}
    for keyword, value in keywords.items():
        key = "".join(word.capitalize() for word in keyword.split("_"))
        if isinstance(value, dict):
            options.update(("%s.%s" % (key, name), _text(item)) for name, item in value.items())
        else:
            options[key] = _text(value)
    return GLib.Variant("a{sv}", {key: GLib.Variant("s", text) for key, text in options.items()})


def foreign(name, library, signature, symbol=None, **options):
    """The function of a new op, that of a function in a shared library.

    name       the op's
    library    the library's, as the dynamic linker knows it, or its path
    signature  what the function takes and returns, as C declares it: "double (double x, int n)"
    symbol     the function's name, if it is not the op's
    options    the keys of a .ops file: parameters=["n"], default={"n": 2}, threads=False, in_place=[0] and
               others, of which the page on foreign ops tells
    """
    try:
        op = Candela.Op.new_foreign(name, library, symbol, signature, _options(options))
        Candela.Registry.get_default().add_op(op)
    except GLib.Error as error:
        raise core.to_python(error) from None
    _methods.forget(name)
    return _functions.make(name)
