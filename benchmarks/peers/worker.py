# SPDX-License-Identifier: LGPL-2.1-or-later
#
# One peer that is called from Python, as a process of its own that does what it
# is told line by line; candela-runner.c and the others speak the same way:
#
#   setup WORKLOAD FLAGS EXPRESSION NAME=FILE…    ok | no REASON
#   run KIND SECONDS COUNT                        ok NS NS …
#   save FILE                                     ok
#
# with tabs between words. A run is called at least COUNT times, then until
# SECONDS are over. What takes less than the clock tells well is called many
# times in a row.

import os
import sys
import time

CELL = 20000  # ns that one reading should take


def measure(function, seconds, count):
    clock = time.perf_counter_ns
    start = clock()
    function()
    once = max(1, clock() - start)
    inner = max(1, min(10000, CELL // once))
    end = clock() + int(seconds * 1e9)
    samples = []
    while len(samples) < count or (clock() < end and len(samples) < 5000):
        start = clock()
        for _ in range(inner):
            function()
        samples.append((clock() - start) / inner)
    return samples


def main():
    name, threads = sys.argv[1], int(sys.argv[2])
    # What a peer prints by itself must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)

    import numpy

    import peers_python
    import workloads

    try:
        peer = peers_python.load(name, threads)
    except Exception as error:
        answers.write("no\t%s\n" % str(error).strip().split("\n")[0])
        return
    answers.write("ok\t%s\n" % peer.version)
    by_name = {workload.name: workload for workload in workloads.WORKLOADS}
    function = None
    for line in sys.stdin:
        words = line.rstrip("\n").split("\t")
        try:
            if words[0] == "setup":
                function = value = None
                arrays = {}
                for word in words[4:]:
                    key, path = word.split("=", 1)
                    arrays[key] = numpy.load(path)
                function = peer.prepare(by_name[words[1]], arrays)
                value = function()
                answers.write("ok\n")
            elif words[0] == "run":
                samples = measure(function, float(words[2]), int(words[3]))
                answers.write("ok\t%s\n" % "\t".join("%.0f" % sample for sample in samples))
            elif words[0] == "save":
                numpy.save(words[1], numpy.asarray(peer.to_numpy(value)))
                value = None
                answers.write("ok\n")
        except Exception as error:
            text = str(error).strip().split("\n")[0].replace("\t", " ")
            answers.write("no\t%s\n" % (text or type(error).__name__))


main()
