# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What the benchmark needs and where it comes from: peers in Python into a virtual
# environment, the crate through cargo, the programs in C through the build and
# the compiler. All of it lies under the build's folder. What cannot be had is
# a reason, not an error. Standard library only: the environment is not there yet.

import os
import platform
import shutil
import subprocess
import sys
import venv

PACKAGES = {
    "numpy": ["numpy", "scipy"],
    "numexpr": ["numexpr"],
    "jax": ["jax"],
    "onnxruntime": ["onnxruntime", "onnx"],
    # Comes with much that only other devices need; so it has its own limit of time.
    "torch": ["torch"],
}
PATIENCE = {"torch": 360}
LIMIT_FLAGS = ["-std=gnu11", "-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fopenmp"]
# GCC and Clang take half of the width by default where there is AVX-512.
WIDE_FLAGS = ["-mprefer-vector-width=512"] if platform.machine() in ("x86_64", "i686") else []
PEERS = ("numpy", "numexpr", "torch", "torch-compiled", "jax", "onnxruntime", "rust")
# Cores that a BLAS is told to take the processor for: meant for Candela's, not for those that peers bring.
TUNING = ("OPENBLAS_CORETYPE", "BLIS_ARCH_TYPE")


def package_of(peer):
    return "torch" if peer == "torch-compiled" else peer


class Environment:
    def __init__(self, source, build):
        self.source, self.build = source, build
        self.folder = os.path.join(build, "benchmarks-env")
        self.python = os.path.join(self.folder, "python", "bin", "python")
        self.programs = os.path.join(self.folder, "programs")
        self.reasons = {}  # of what is not there

    def say(self, text):
        print("# " + text, file=sys.stderr, flush=True)

    def run(self, command, log, timeout=900, env=None, cwd=None):
        """The reason why the command failed, or None."""
        path = os.path.join(self.folder, log)
        try:
            with open(path, "w") as file:
                status = subprocess.run(
                    command, stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=timeout,
                    env=env, cwd=cwd).returncode
        except subprocess.TimeoutExpired:
            return "took more than %d s; see %s" % (timeout, path)
        except OSError as error:
            return str(error)
        return "failed; see %s" % path if status else None

    def make_python(self):
        if not os.path.exists(self.python):
            self.say("making a virtual environment in %s" % self.folder)
            os.makedirs(self.folder, exist_ok=True)
            venv.create(os.path.join(self.folder, "python"), with_pip=True)
        if self.imports("numpy", "matplotlib"):
            return
        self.say("installing numpy and matplotlib")
        reason = self.run([self.python, "-m", "pip", "install", "numpy", "matplotlib"], "pip.log")
        if reason:
            raise SystemExit("benchmarks/run: installing numpy and matplotlib " + reason)

    def imports(self, *modules):
        """Whether they are there; finding them is quicker than importing them."""
        code = "import importlib.util, sys; sys.exit(any(importlib.util.find_spec(m) is None for m in sys.argv[1:]))"
        return subprocess.run([self.python, "-c", code, *modules], stderr=subprocess.DEVNULL).returncode == 0

    def install(self, peer):
        package = package_of(peer)
        marker = os.path.join(self.folder, package + ".failed")
        if self.imports(*PACKAGES[package]):
            return
        if os.path.exists(marker):
            with open(marker) as file:
                self.reasons[peer] = file.read() + " (remove %s to try again)" % marker
            return
        self.say("installing %s" % " and ".join(PACKAGES[package]))
        reason = self.run([self.python, "-m", "pip", "install", *PACKAGES[package]], package + ".log",
                          PATIENCE.get(package, 900))
        if reason:
            self.reasons[peer] = "installing it " + reason
            with open(marker, "w") as file:
                file.write(self.reasons[peer])

    def build_rust(self):
        if shutil.which("cargo") is None:
            self.reasons["rust"] = "there is no cargo"
            return
        folder = os.path.join(self.folder, "rust")
        shutil.copytree(os.path.join(self.source, "benchmarks", "peers", "rust"), folder, dirs_exist_ok=True)
        reason = self.run(["cargo", "build", "--release"], "rust.log", cwd=folder,
                          env=dict(os.environ, CARGO_TARGET_DIR=os.path.join(self.folder, "cargo")))
        if reason:
            self.reasons["rust"] = "building it " + reason

    def compiler(self):
        with open(os.path.join(self.build, "Makefile")) as file:
            for line in file:
                if line.startswith("CC = "):
                    return line[5:].split()
        return ["cc"]

    def build_c(self):
        """Candela and its runner by the makefile; the limit with flags of its own, which the build's may not weaken."""
        jobs = "-j%d" % len(os.sched_getaffinity(0))
        reason = self.run(["make", jobs, "-C", self.build, "all", "benchmarks/candela-runner"], "make.log")
        if reason:
            raise SystemExit("benchmarks/run: building Candela " + reason)
        os.makedirs(self.programs, exist_ok=True)
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "gio-2.0"], capture_output=True, text=True)
        sources = [os.path.join(self.source, "benchmarks", name) for name in ("limit.c", "serve.c")]
        library = os.path.join(self.build, "candela", ".libs")
        reason = self.run(
            [*self.compiler(), *LIMIT_FLAGS, *WIDE_FLAGS, "-I" + self.build, "-I" + self.source, "-o",
             os.path.join(self.programs, "limit"), *sources, "-L" + library, "-Wl,-rpath," + library, "-lcandela-1.0",
             *flags.stdout.split(), "-lm"], "limit.log")
        if reason:
            self.reasons["limit"] = "compiling it " + reason

    def prepare(self, peers):
        if not os.path.exists(os.path.join(self.build, "Makefile")):
            raise SystemExit("benchmarks/run: there is no build in %s; run ./build.sh first" % self.build)
        os.makedirs(self.folder, exist_ok=True)
        self.make_python()
        self.build_c()
        for peer in peers:
            if peer == "rust":
                self.build_rust()
            else:
                self.install(peer)

    def variables(self, peer, threads):
        """A peer's environment: as many threads as it may have, and no word to a BLAS that is not ours."""
        env = dict(os.environ)
        if peer != "candela":
            for name in TUNING:
                env.pop(name, None)
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS",
                     "NUMEXPR_MAX_THREADS"):
            env[name] = str(threads)
        if peer == "jax" and threads == 1:
            env["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
        env.update(JAX_PLATFORMS="cpu", CUDA_VISIBLE_DEVICES="", TORCHINDUCTOR_CACHE_DIR=self.folder + "/inductor",
                   PYTHONDONTWRITEBYTECODE="1", CANDELA_NUM_THREADS=str(threads))
        return env

    def command(self, peer, threads):
        if peer == "candela":
            return [os.path.join(self.source, "run"), os.path.join(self.build, "benchmarks", "candela-runner"),
                    str(threads)]
        if peer == "limit":
            return [os.path.join(self.programs, "limit"), str(threads)]
        if peer == "rust":
            return [os.path.join(self.folder, "cargo", "release", "candela-rust")]
        worker = os.path.join(self.source, "benchmarks", "peers", "worker.py")
        return [self.python, worker, peer, str(threads)]
