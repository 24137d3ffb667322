# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The benchmark itself. Every peer is a process; a cell (a workload at a size on
# so many threads) is readied in all of them, its results are compared with
# Candela's, and then they take turns, so that what slows the machine for a while
# slows all of them.

import json
import os
import platform
import statistics
import sys
import time
import zlib

import numpy

import report
import workloads
from environment import Environment, TUNING
from server import Server, wait_until_idle

ROUNDS = 3
TOLERANCES = {"f4": 1e-5, "f8": 1e-12}
QUICK_SECONDS = 42  # the rest of a minute is for what comes before, the last row and the picture
START = time.monotonic()


def fill(shape, dtype, how, seed):
    random = numpy.random.default_rng(seed)
    if how == "integers":
        return random.integers(-1000, 1000, shape, dtype)
    if how == "uniform":
        return random.random(shape, dtype)
    return random.standard_normal(shape, dtype)


class Benchmark:
    def __init__(self, options, peers):
        self.options, self.peers = options, peers
        self.environment = Environment(options["source"], options["build"])
        self.environment.reasons = options["reasons"]
        self.data = os.path.join(self.environment.folder, "data")
        os.makedirs(self.data, exist_ok=True)
        self.cells = []
        self.differences = []

    # What is there.

    def start_servers(self, threads):
        names = ["candela", "limit"] + [peer for peer in self.peers if not (peer == "rust" and threads > 1)]
        names = [name for name in names if name not in self.environment.reasons]
        servers = {name: Server(self.environment, name, threads) for name in names}
        for name, server in servers.items():
            server.wait_ready(120)
            if server.version is None:
                self.environment.reasons[name] = server.reason
        return {name: server for name, server in servers.items() if server.version is not None}

    def describe(self, servers):
        processor = platform.processor() or platform.machine()
        try:
            with open("/proc/cpuinfo") as file:
                processor = next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
        except (OSError, StopIteration):
            pass
        header = {
            "processor": processor,
            "processors": len(os.sched_getaffinity(0)),
            "load": os.getloadavg()[0],
            "versions": {name: server.version for name, server in servers.items()},
            "missing": self.environment.reasons,
            "unset_for_peers": {name: os.environ[name] for name in TUNING if name in os.environ},
        }
        print("%s, %d processors, load %.2f" % (processor, header["processors"], header["load"]))
        print("here: " + ", ".join(("%s %s" % item).strip() for item in header["versions"].items()))
        for name, reason in header["missing"].items():
            print("not here: %s: %s" % (name, reason))
        for name, value in header["unset_for_peers"].items():
            print("unset for peers: %s=%s" % (name, value))
        return header

    # One cell.

    def make_inputs(self, workload, n):
        paths = {}
        for name, how in workload.inputs(n).items():
            if isinstance(how, str):
                paths[name] = os.path.join(self.options["source"], "examples", "data", how)
                continue
            paths[name] = os.path.join(self.data, name + ".npy")
            seed = zlib.crc32(("%s %d %s" % (workload.name, n, name)).encode())
            numpy.save(paths[name], fill(*how, seed))
        return paths

    def ready(self, servers, workload, paths):
        """Those that can, and why the others cannot."""
        able, unable = {}, {}
        words = ["setup", workload.name, workload.flags, workload.candela]
        words += ["%s=%s" % item for item in paths.items()]
        for name, server in servers.items():
            if server.tell(*words) is None:
                unable[name] = server.reason
            else:
                able[name] = server
        return able, unable

    def check(self, able, workload):
        """Those whose result is not Candela's within what the dtype and the workload allow."""
        differ = []
        ours = None
        for name, server in able.items():
            path = os.path.join(self.data, "result.npy")
            if server.tell("save", path) is None:
                differ.append(name)
                continue
            result = numpy.load(path)
            os.unlink(path)
            if name == "candela":
                ours = result
            elif ours is not None and not self.same(ours, result, workload):
                differ.append(name)
        return differ

    @staticmethod
    def same(ours, theirs, workload):
        if ours.size != theirs.size:
            return False
        theirs = theirs.reshape(ours.shape)
        if ours.dtype.kind != "f":
            return bool(numpy.array_equal(ours, theirs))
        tolerance = TOLERANCES.get(ours.dtype.str[1:], 1e-5)
        if workload.tolerance is not None and ours.dtype.itemsize == 4:
            tolerance = workload.tolerance
        scale = float(numpy.max(numpy.abs(ours)))
        return float(numpy.max(numpy.abs(ours - theirs))) <= tolerance * scale

    def measure(self, able):
        samples, laps = {}, {}
        runs = [(name, "warm", server) for name, server in able.items()]
        if "candela" in able:
            runs[1:1] = [(kind, kind, able["candela"]) for kind in ("built", "whole")]
        seconds = self.options["seconds"] / ROUNDS
        for _ in range(ROUNDS):
            for name, kind, server in runs:
                wait_until_idle(able.values())
                answer = server.tell("run", kind, seconds, 3)
                for word in answer or ():
                    if "=" in word:
                        lap, ns = word.split("=")
                        laps.setdefault(lap, []).append(float(ns))
                    else:
                        samples.setdefault(name, []).append(float(word))
        medians = {name: statistics.median(values) for name, values in samples.items()}
        return medians, {lap: statistics.median(values) for lap, values in laps.items()}

    def cell(self, servers, workload, n, threads):
        paths = self.make_inputs(workload, n)
        able, unable = self.ready(servers, workload, paths)
        differ = self.check(able, workload)
        medians, laps = self.measure(able)
        ours = medians.get("candela")
        best = min((name for name in self.peers if name in medians and name not in differ), key=medians.get,
                   default=None)
        cell = {
            "workload": workload.name, "n": n, "threads": threads, "medians": medians, "laps": laps,
            "differ": differ, "unable": unable, "best_peer": best,
            "vs_best_peer": medians[best] / ours if best and ours else None,
            "built_vs_best_peer": medians[best] / medians["built"] if best and "built" in medians else None,
            "vs_limit": medians["limit"] / ours if "limit" in medians and ours else None,
        }
        if "candela" in unable:
            print("candela: %s: %s" % (workload.name, unable["candela"]), file=sys.stderr)
        self.differences += ["%s: %s, n = %s" % (name, workload.name, report.size_text(n)) for name in differ]
        return cell

    # All of them.

    def rows(self):
        """What is to be measured on each number of threads."""
        sizes = self.options["sizes"]
        for workload in self.options["workloads"]:
            for n in workload.sizes:
                if not sizes or n in sizes or len(workload.sizes) == 1:
                    yield workload, n

    def run(self):
        header = table = None
        skipped = 0
        for threads in self.options["threads"]:
            servers = self.start_servers(threads)
            if "candela" not in servers:
                raise SystemExit("benchmarks/run: candela: %s" % self.environment.reasons.get("candela"))
            if header is None:
                header = self.describe(servers)
                self.peers = [peer for peer in self.peers if peer in servers]
                table = report.Table(self.peers)
                table.header()
            try:
                for workload, n in self.rows():
                    if self.options["quick"] and time.monotonic() > START + QUICK_SECONDS:
                        skipped += 1
                        continue
                    self.cells.append(self.cell(servers, workload, n, threads))
                    table.row(self.cells[-1])
                    self.revive(servers, threads)
            except KeyboardInterrupt:
                # The peers were told to stop by the same key; what was measured is kept.
                break
            finally:
                for server in servers.values():
                    server.stop()
        self.finish(header, skipped)

    def revive(self, servers, threads):
        for name, server in list(servers.items()):
            if server.process.poll() is not None:
                print("%s %s; started again" % (name, server.reason), file=sys.stderr)
                servers[name] = Server(self.environment, name, threads)
                servers[name].wait_ready(120)

    def finish(self, header, skipped):
        print("\nMedians. candela: a run of a plan that is there, the result's buffer included; built: built node by node,\n"
              "planned, run and freed; whole: that with reading its text. vs peers: the best peer's time by candela's, then\n"
              "by built's; vs limit: the limit's by candela's; above 1 Candela is ahead. -: cannot do it. !: its result\n"
              "differs from Candela's.")
        for text in self.differences:
            print("differs: " + text)
        if skipped:
            print("not measured, the time was over: %d rows" % skipped)
        report.print_gaps(self.cells)
        report.print_bars(self.cells)
        output = self.options["output"]
        report.write_json(output + ".json", header, self.cells)
        print("\n%s.json" % output)
        for ending in ("svg", "png"):
            if report.write_picture("%s.%s" % (output, ending), self.cells, self.peers):
                print("%s.%s" % (output, ending))
        for name in os.listdir(self.data):
            os.unlink(os.path.join(self.data, name))


def main():
    options = json.loads(sys.argv[1])
    wanted = options["workloads"]
    every = {workload.name: workload for workload in workloads.WORKLOADS}
    if wanted:
        # A word stands for every workload whose name begins with it.
        options["workloads"] = [w for name, w in every.items() if any(name.startswith(word) for word in wanted)]
        if not options["workloads"]:
            raise SystemExit("benchmarks/run: no such workload; there are: " + "; ".join(every))
    elif options["quick"]:
        options["workloads"] = [every[name] for name in workloads.QUICK]
    else:
        options["workloads"] = list(every.values())
    if options["quick"] and not options["sizes"]:
        options["sizes"] = workloads.QUICK_SIZES
    Benchmark(options, options["peers"]).run()


main()
