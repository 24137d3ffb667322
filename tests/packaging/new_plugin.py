# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Projects that candela new-plugin writes, built, tested and installed against what was
# installed, with nothing of the build folder. For test-install.py.

import os
import shutil
import subprocess

from tap import check, skip

BUILDS = {
    "autotools": (["autoreconf", "-fi"], ["./configure", "-q"], ["make", "-s"], ["make", "-s", "check"],
                  ["make", "-s", "install"]),
    "meson": (["meson", "setup", "_build"], ["meson", "compile", "-C", "_build"], ["meson", "test", "-C", "_build"],
              ["meson", "install", "-C", "_build"]),
}


def run(*command, **keywords):
    return subprocess.run(command, capture_output=True, text=True, **keywords)


def build_project(build, folder, environment):
    """Every warning is an error; the first step that fails is told."""
    environment = dict(environment, CFLAGS="-O2 -Wall -Werror")
    for step in BUILDS[build]:
        result = run(*step, cwd=folder, env=environment)
        if result.returncode != 0:
            return ["%s: %s" % (" ".join(step), (result.stdout + result.stderr)[-3000:])]
    return []


def check_new_plugin(build, tool, folder, environment):
    name = "try-" + build
    project = os.path.join(folder, name)
    result = run(tool, "new-plugin", name, "--build", build, "--op", "softsign", "--op", "leaky", cwd=folder, env=environment)
    if not check("candela new-plugin for " + build, [] if result.returncode == 0 else [result.stderr]):
        return
    again = run(tool, "new-plugin", name, "--build", build, cwd=folder, env=environment)
    check("which writes nothing over", again.returncode == 1 and "already" in again.stderr)
    missing = [step[0] for step in BUILDS[build] if shutil.which(step[0]) is None and not step[0].startswith("./")]
    if missing:
        skip("its project is built, tested and installed", "there is no " + missing[0])
        return
    if not check("its project is built, tested and installed", build_project(build, project, environment)):
        return
    # Found where it was installed, by its key file.
    result = run(tool, "run", "softsign([-1.0, 0.0, 3.0])", env=environment)
    check("and its ops are there", [] if result.stdout == "[-0.5   0.    0.75]\n" else [result.stdout, result.stderr])
    result = run(tool, "run", "try_%s_norm([[3.0, -4.0], [1.0, 1.0]])" % build, env=environment)
    check("all of them", [] if result.stdout == "[7. 2.]\n" else [result.stdout, result.stderr])
    result = run(tool, "reference", name, env=environment)
    check("with a page and an example each", result.returncode == 0 and result.stdout.count("\nprints\n") == 3
          or [result.stdout, result.stderr])


def check_new_plugins(tool, root, environment):
    folder = os.path.join(root, "projects")
    os.mkdir(folder)
    aclocal = os.path.join(os.path.dirname(os.path.dirname(tool)), "share", "aclocal")
    environment = dict(
        {k: v for k, v in environment.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "CFLAGS", "CPPFLAGS")},
        PATH=os.path.dirname(tool) + ":" + environment["PATH"],
        ACLOCAL_PATH=aclocal + ":" + environment.get("ACLOCAL_PATH", ""),
        CANDELA_REGISTRY=os.path.join(root, "registry.cache"),
        PKG_CONFIG_ALLOW_SYSTEM_LIBS="1",
    )
    environment.pop("DESTDIR", None)
    for build in BUILDS:
        check_new_plugin(build, tool, folder, environment)
