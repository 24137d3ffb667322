# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A peer's process, seen from the program that tells it what to do.

import os
import selectors
import subprocess
import time


def wait_until_idle(servers, most=1.0):
    """Threads of pools go on looking for work for up to 0.2 s, and would take the next one's processors."""
    end, before = time.monotonic() + most, None
    while time.monotonic() < end:
        used = [server.used() for server in servers]
        if used == before:
            return
        before = used
        time.sleep(0.03)  # some ticks


class Server:
    def __init__(self, environment, peer, threads):
        self.peer, self.threads = peer, threads
        self.reason = None
        self.log = os.path.join(environment.folder, "%s-%d.log" % (peer, threads))
        processors = sorted(os.sched_getaffinity(0))[:threads]
        env = environment.variables(peer, threads)
        env["CANDELA_BUILD_DIR"] = environment.build
        with open(self.log, "w") as log:
            # Held to as many processors as it may have threads, so that no pool is larger.
            self.process = subprocess.Popen(
                environment.command(peer, threads), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                text=True, bufsize=1, env=env, preexec_fn=lambda: os.sched_setaffinity(0, processors))
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.process.stdout, selectors.EVENT_READ)
        self.version = None

    def wait_ready(self, timeout):
        words = self.read(timeout)
        if words is not None:
            self.version = words[0] if words else ""

    def read(self, timeout):
        """The words of an answer, or None: then reason says why."""
        if not self.selector.select(timeout):
            self.reason = "no answer within %d s" % timeout
            self.stop()
            return None
        line = self.process.stdout.readline()
        if not line:
            self.reason = "ended: status %s; see %s" % (self.process.wait(), self.log)
            return None
        words = line.rstrip("\n").split("\t")
        if words[0] != "ok":
            self.reason = words[1] if len(words) > 1 else "failed"
            return None
        return words[1:]

    def tell(self, *words, timeout=120):
        if self.process.poll() is not None:
            self.reason = self.reason or "ended"
            return None
        try:
            self.process.stdin.write("\t".join(str(word) for word in words) + "\n")
        except OSError as error:
            self.reason = str(error)
            return None
        return self.read(timeout)

    def used(self):
        """The processor time of all its threads, in ticks."""
        try:
            with open("/proc/%d/stat" % self.process.pid) as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            return 0
        return int(fields[11]) + int(fields[12])

    def stop(self):
        if self.process.poll() is None:
            try:
                self.process.stdin.close()
            except OSError:
                pass  # it is about to end anyway
            end = time.monotonic() + 2
            while self.process.poll() is None and time.monotonic() < end:
                time.sleep(0.02)
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
