# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Installs into a folder of its own, builds a program there with nothing but
# pkg-config, runs it and what else was installed, has the tool write plugins and builds
# these, and uninstalls: no file stays.

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

from new_plugin import check_new_plugins
from tap import check, done, skip

build = os.environ["CANDELA_BUILD_DIR"]

PROGRAM = """
#include <candela/candela-ops.h>

int
main (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) x = candela_expression_build ("arange(4)", &error, NULL);
  g_autoptr (CandelaNode) two = candela_node_new_int (2);
  g_autoptr (CandelaNode) y = candela_multiply (x, two, &error);
  g_autoptr (CandelaTensor) value = candela_node_materialize (y, &error);
  g_autofree char *text = value != NULL ? candela_tensor_to_string (value) : g_strdup (error->message);

  g_print ("%s\\n", text);
  return 0;
}
"""


def run(*command, **keywords):
    return subprocess.run(command, capture_output=True, text=True, **keywords)


def files_below(folder):
    return sorted(os.path.join(root, name) for root, _, names in os.walk(folder) for name in names)


def make(*arguments):
    # A make of its own, not a part of the one that runs the tests.
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "DESTDIR")}
    return run("make", "-C", build, "--no-print-directory", *arguments, env=environment)


def check_python(root, environment):
    code = "import candela as xp; print (xp.asarray ([1, 2]) + 1)"
    result = run(sys.executable, "-c", code, env=environment)
    check("the installed package is found", [] if result.stdout == "[2 3]\n" else [result.stdout, result.stderr])
    stub = os.path.join(environment["PYTHONPATH"], "candela", "__init__.pyi")
    check("and its type stubs", os.path.exists(stub) and os.path.exists(os.path.join(os.path.dirname(stub), "py.typed")))
    venv = os.path.join(root, "venv")
    result = run(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", venv)
    if not check("a virtual environment is made", [] if result.returncode == 0 else [result.stderr]):
        return
    result = run(os.path.join(venv, "bin", "python"), "-c", code, env=environment)
    check("and finds it too", [] if result.stdout == "[2 3]\n" else [result.stdout, result.stderr])


def main(root):
    result = make("install", "DESTDIR=" + root)
    if not check("make install", [] if result.returncode == 0 else [result.stdout, result.stderr]):
        return

    installed = files_below(root)
    pc = [path for path in installed if path.endswith("/pkgconfig/candela.pc")]
    check("candela.pc is installed", len(pc) == 1)
    check("no private header is", [path for path in installed if path.endswith("-private.h")])

    # Where it is staged stands in for the prefix that it was configured for.
    with open(pc[0], encoding="utf-8") as file:
        text = file.read()
    for variable in ("prefix", "exec_prefix", "libdir", "datarootdir", "datadir", "includedir"):
        text = re.sub(r"^%s=/" % variable, "%s=%s/" % (variable, root), text, flags=re.M)
    staged = os.path.join(root, "pc")
    os.mkdir(staged)
    with open(os.path.join(staged, "candela.pc"), "w", encoding="utf-8") as file:
        file.write(text)

    environment = {
        k: v
        for k, v in os.environ.items()
        if k not in ("LD_LIBRARY_PATH", "CANDELA_PLUGIN_PATH", "GI_TYPELIB_PATH", "GJS_PATH", "PYTHONPATH")
    }
    # Nor may pkg-config take what the build folder offers.
    environment["PKG_CONFIG_PATH"] = staged + ":" + os.environ.get("PKG_CONFIG_PATH", "")
    environment["PKG_CONFIG_DISABLE_UNINSTALLED"] = "1"

    def pkg_config(*arguments):
        return run("pkg-config", *arguments, "candela", env=environment).stdout.strip()

    library_folder = pkg_config("--variable=libdir")
    plugin_folder = pkg_config("--variable=plugindir")
    check("plugindir has the modules", os.path.exists(plugin_folder + "/elementwise.so"))
    check("and their key files", os.path.exists(plugin_folder + "/elementwise.plugin"))
    licences = {}
    for variable in ("plugindir", "gplplugindir"):
        for path in glob.glob(pkg_config("--variable=" + variable) + "/*.plugin"):
            with open(path, encoding="utf-8") as file:
                licences.setdefault(variable, set()).update(re.findall("^License=(.*)", file.read(), re.M))
    check("a plugin that is GPL is found only where one asks for it",
          licences["plugindir"] == {"LGPL-2.1-or-later"}
          and licences.get("gplplugindir", {"GPL-2.0-or-later"}) == {"GPL-2.0-or-later"})
    environment["LD_LIBRARY_PATH"] = library_folder
    environment["CANDELA_PLUGIN_PATH"] = plugin_folder

    program = os.path.join(root, "program")
    with open(program + ".c", "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    compiler = os.environ.get("CC", "gcc").split()
    flags = pkg_config("--cflags", "--libs").split()
    result = run(*compiler, "-Wall", "-Werror", program + ".c", "-o", program, *flags, env=environment)
    if check("a program compiles with pkg-config alone", [] if result.returncode == 0 else [result.stderr]):
        result = run(program, env=environment)
        check("and runs", [] if result.stdout == "[0 2 4 6]\n" else [result.stdout, result.stderr])

    tool = [path for path in installed if path.endswith("/bin/candela")]
    result = run(tool[0], "run", "1 + 2", env=environment)
    check("the installed tool runs", [] if result.stdout == "3\n" else [result.stdout, result.stderr])

    check_new_plugins(tool[0], root, environment)

    typelibs = pkg_config("--variable=typelibdir")
    if os.path.exists(typelibs + "/Candela-1.0.typelib"):
        check("girdir has the GIR", os.path.exists(pkg_config("--variable=girdir") + "/Candela-1.0.gir"))
        code = "import gi; gi.require_version ('Candela', '1.0'); from gi.repository import Candela; " \
               "print (Candela.version_string ())"
        result = run(sys.executable, "-c", code, env=dict(environment, GI_TYPELIB_PATH=typelibs))
        check("the installed typelib is found", [] if result.returncode == 0 else [result.stderr])
        check_python(root, dict(environment, GI_TYPELIB_PATH=typelibs, PYTHONPATH=pkg_config("--variable=pythondir")))
    else:
        skip("the installed typelib is found", "built without introspection")

    ours = [path for path in files_below(root) if path not in installed]
    result = make("uninstall", "DESTDIR=" + root)
    check("make uninstall", [] if result.returncode == 0 else [result.stdout, result.stderr])
    check("leaves no file", [path for path in files_below(root) if path not in ours])


folder = tempfile.mkdtemp(prefix="install-", dir=os.path.join(build, "tests"))
try:
    main(folder)
finally:
    shutil.rmtree(folder, ignore_errors=True)
done()
