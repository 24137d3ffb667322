# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The type stubs: that their names and signatures are those of the package, and that
# mypy, where it is there, takes the programs of the manual for right ones and finds
# what is wrong in others.

import ast
import inspect
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "packaging"))
import environment
from tap import check, done, skip

try:
    import gi

    gi.require_version("Candela", "1.0")
    from gi.repository import Candela  # noqa: F401
except (ImportError, ValueError) as error:
    print("1..0 # SKIP Candela-1.0 cannot be imported: %s" % error)
    sys.exit(0)

import candela
from candela import _methods

stubs = os.path.join(os.environ["CANDELA_BUILD_DIR"], "bindings", "python")
if not os.path.exists(os.path.join(stubs, "candela", "__init__.pyi")):
    print("1..0 # SKIP built without stubs")
    sys.exit(0)


def read_stub(name):
    with open(os.path.join(stubs, "candela", name), encoding="utf-8") as file:
        return ast.parse(file.read())


def names_in(body):
    """What the statements define, by name."""
    found = {}
    for item in body:
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found[item.name] = item
        elif isinstance(item, ast.AnnAssign):
            found[item.target.id] = item
        elif isinstance(item, ast.ImportFrom):
            found.update({alias.asname: item for alias in item.names if alias.asname})
    return {name: item for name, item in found.items() if not name.startswith("_") or name.startswith("__")}


def in_stub(item):
    """The parameters of a function in a stub: name, kind, and whether there is a default."""
    a = item.args
    plain = [(arg.arg, "positional") for arg in a.posonlyargs] + [(arg.arg, "any") for arg in a.args]
    first_default = len(plain) - len(a.defaults)
    found = [(name, kind, n >= first_default) for n, (name, kind) in enumerate(plain)]
    if a.vararg:
        found.append((a.vararg.arg, "all", False))
    found += [(arg.arg, "keyword", default is not None) for arg, default in zip(a.kwonlyargs, a.kw_defaults)]
    if a.kwarg:
        found.append((a.kwarg.arg, "all keywords", False))
    return found


KINDS = {inspect.Parameter.POSITIONAL_ONLY: "positional", inspect.Parameter.POSITIONAL_OR_KEYWORD: "any",
         inspect.Parameter.VAR_POSITIONAL: "all", inspect.Parameter.KEYWORD_ONLY: "keyword",
         inspect.Parameter.VAR_KEYWORD: "all keywords"}


def live(function):
    return [(p.name, KINDS[p.kind], p.default is not p.empty) for p in inspect.signature(function).parameters.values()]


def of_module(module):
    special = {"__array_namespace_info__", "__array_api_version__", "__version__"}
    found = {}
    for name in dir(module):
        value = getattr(module, name, None) if name != "newaxis" else 0
        if value is None or name.startswith("_") and name not in special:
            continue
        if not inspect.ismodule(value) or value.__name__.startswith("candela."):
            found[name] = value
    return found


def differences(items, values):
    problems = ["%s is in the stub alone" % name for name in sorted(set(items) - set(values))]
    problems += ["%s is not in the stub" % name for name in sorted(set(values) - set(items))]
    for name in sorted(set(items) & set(values)):
        if isinstance(items[name], (ast.FunctionDef, ast.AsyncFunctionDef)) and not isinstance(values[name], property):
            wanted, found = live(values[name]), in_stub(items[name])
            # What is self has no name that matters.
            if wanted != found and (not wanted or wanted[1:] != found[1:] or found[0][0] != "self"):
                problems.append("%s: %r instead of %r" % (name, found, wanted))
    return problems


stub = names_in(read_stub("__init__.pyi").body)
check("the stub has the names and signatures of the package", differences(stub, of_module(candela)))
for extension in sorted(candela._EXTENSIONS):
    module = getattr(candela, extension)
    check("and that of %s too" % extension, differences(names_in(read_stub(extension + ".pyi").body), of_module(module)))

array = names_in(stub["Array"].body)
methods = {name: value for name, value in vars(candela.Array).items()
           if (inspect.isfunction(value) or isinstance(value, property)) and name != "__getattr__"
           and (not name.startswith("_") or name.endswith("__"))}
methods.update({name: _methods.find(name) for name in _methods.names() if name not in vars(candela.Array)})
for name in ("__new__", "__hash__"):
    array.pop(name, None)
    methods.pop(name, None)
check("the class of arrays has those of arrays", differences(array, methods))

GOOD = """
import candela as xp
from candela import Array

def softmax(x: Array, axis: int = -1) -> Array:
    e = xp.exp(x - xp.max(x, axis=axis, keepdims=True))
    return e / xp.sum(e, axis=axis, keepdims=True)

y: Array = softmax(xp.asarray([[1.0, 2.0]], dtype=xp.float32))[0, ::-1]
z: Array = 2 * y.sum(axis=(0,)) + xp.zeros(3, dtype="float32")
q, r = xp.divmod(y, 2)
n: int = y.ndim + len(y)
ok: bool = xp.isdtype(y.dtype, "real floating")
for part in xp.unstack(y):
    print(float(part), xp.fft.fft(y, norm="ortho").shape[0])
with xp.load("x.npz") as file:
    xp.savez("y.npz", *file.values(), w=y)
y[0] = 5
"""
BAD = {
    'xp.sum(xp.zeros(3), axes=0)': "Unexpected keyword argument",
    'xp.no_such_op(5)': "no attribute",
    'xp.zeros((2,), dtype=5.5)': "incompatible type",
    'xp.zeros("text")': "incompatible type",
    'xp.asarray(1).shpe': "no attribute",
    'xp.exp("text")': "incompatible type",
    'len(xp.isdtype(xp.int8, "bool"))': "incompatible type",
}


def mypy(folder, *files):
    options = ["--no-incremental", "--cache-dir=/dev/null", "--no-color-output", "--python-executable",
               environment.python, "--check-untyped-defs", "--disable-error-code=union-attr"]
    return subprocess.run([environment.python, "-m", "mypy", *options, *files], cwd=folder, capture_output=True,
                          text=True, env=dict(os.environ, MYPYPATH=stubs))


def with_mypy(folder):
    with open(os.path.join(os.environ["CANDELA_SOURCE_DIR"], "docs", "numpy.md"), encoding="utf-8") as file:
        blocks = re.findall(r"^```python\n(.*?)^```", file.read(), re.M | re.S)
    programs = {"manual%d.py" % n: block for n, block in enumerate(blocks)}
    programs["good.py"] = GOOD
    # A name means one thing in a program, and what is wrong on purpose is marked as such.
    programs["bad.py"] = "import candela as xp\n" + "\n".join(BAD) + "\n"
    for name, text in programs.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    found = {}
    for line in mypy(folder, *programs).stdout.splitlines():
        found.setdefault(line.partition(":")[0], []).append(line)
    wrong = found.pop("bad.py", [])
    check("programs that are right are so for mypy", [line for lines in found.values() for line in lines
                                                      if ": error:" in line])
    problems = ["%s: nothing like '%s'" % (line, text) for n, (line, text) in enumerate(BAD.items(), 2)
                if not any(one.startswith("bad.py:%d: error:" % n) and text in one for one in wrong)]
    check("what is wrong is found", problems and problems + wrong)
    problems = mypy(folder, "--strict", os.path.join(stubs, "candela", "__init__.pyi"))
    check("the stubs are right themselves", [] if problems.returncode == 0 else problems.stdout.splitlines())


if environment.is_there():
    with tempfile.TemporaryDirectory() as work:
        with_mypy(work)
else:
    skip("mypy", "not there; ./run python3 tests/bindings/environment.py installs it")
done()
