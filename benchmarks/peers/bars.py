# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What Candela is held to, as ratios within one run (above 1 Candela is ahead), and
# why it misses what it is known to miss. A bar is not bent to what is measured.

KI, MI = 1024, 1024 * 1024

ARITHMETIC = ("add", "muladd", "muladd float64", "muladd int32", "chain of 20", "graph of 30", "where", "strided slice")
FUNCTIONS = ("exp", "tanh", "sigmoid", "sigmoid composed", "gelu")
REDUCTIONS = ("sum all", "sum axis 0", "sum axis 1", "sum middle axis", "mean all", "var axis 1", "max axis 1",
              "argmax axis 1")
ROWS = ("softmax axis 1", "softmax axis 0", "layer norm", "log-sum-exp")
PRODUCTS = ("matmul", "matmul transposed", "matmul 8x4096x4096", "matmul 4096x64x4096", "matmul 64 of 128")


class Bar:
    def __init__(self, workloads, against, least, sizes=None, threads=(1, 2), kind="candela"):
        self.workloads = workloads
        self.against = against  # a column, or "best peer"
        self.least = least
        self.sizes = sizes
        self.threads = threads
        self.kind = kind  # the column of Candela's that is held to it

    def ratio(self, cell):
        """None: it says nothing of this row."""
        if self.workloads is not None and cell["workload"] not in self.workloads:
            return None
        if (self.sizes and cell["n"] not in self.sizes) or cell["threads"] not in self.threads:
            return None
        other = cell["best_peer"] if self.against == "best peer" else self.against
        medians = cell["medians"]
        if other not in medians or self.kind not in medians or other in cell["differ"]:
            return None
        return medians[other] / medians[self.kind]


LARGE = (MI, 16 * MI)
FROM_64K = (64 * KI, MI, 16 * MI)
BARS = [
    Bar(ARITHMETIC, "limit", 0.9, LARGE),
    Bar(("add",), "limit", 1.2, (16 * MI,)),
    Bar(ARITHMETIC, "best peer", 1.0, LARGE),
    Bar(tuple(name for name in FUNCTIONS if name != "sigmoid composed"), "limit", 0.75, FROM_64K),
    Bar(("sigmoid composed",), "limit", 0.55, FROM_64K),
    Bar(FUNCTIONS, "numpy", 1.4, FROM_64K, (1,)),
    Bar(FUNCTIONS, "numexpr", 2.0, FROM_64K, (1,)),
    Bar(FUNCTIONS, "best peer", 1.0, FROM_64K),
    Bar(REDUCTIONS, "limit", 0.85, FROM_64K),
    Bar(REDUCTIONS, "best peer", 1.0, FROM_64K),
    Bar(ROWS, "limit", 0.7, FROM_64K),
    Bar(ROWS, "best peer", 1.5, FROM_64K),
    Bar(("matmul",), "best peer", 0.85, (64 * 64,)),
    Bar(("matmul",), "best peer", 0.95, tuple(side * side for side in (128, 256, 512, 1024, 2048))),
    Bar(PRODUCTS[1:], "best peer", 0.95),
    Bar(("matmul float64",), "best peer", 0.85),
    Bar(None, "best peer", 2.0, (64,), (1,), "built"),
]
THREADS_BAR = 1.8  # two threads against one, at 16 Mi



class Reason:
    """Why bars are missed that are about these workloads (None: any), columns and sizes."""

    def __init__(self, text, workloads=None, against=None, sizes=None, kind=None, threads=None):
        self.text = text
        self.workloads, self.against, self.sizes, self.kind, self.threads = workloads, against, sizes, kind, threads

    def tells(self, cell, bar):
        return ((self.workloads is None or cell["workload"] in self.workloads)
                and (self.against is None or bar.against == self.against)
                and (self.sizes is None or cell["n"] in self.sizes)
                and (self.kind is None or bar.kind == self.kind)
                and (self.threads is None or cell["threads"] == self.threads))


# The first that fits is told.
REASONS = [
    Reason("A result is a GObject: one without a property of its own takes 0.28 µs to make and drop, 0.25 of it in"
           " g_object_unref(), which looks for handlers, closures and weak references twice, under locks; a tensor"
           " takes 0.3. A plan takes 0.2 µs and 0.07 more for each op, a node 0.05, an op's part of the run 0.03; a function"
           " of NumPy costs 0.5 µs as a whole, and what is planned or compiled before is not planned again by the"
           " crate, JAX and ONNX Runtime.", kind="built"),
    Reason("1 Mi elements and their results are 8 MiB, beyond the second-level cache: to copy them alone takes 290 µs, tanh"
           " as a whole little more.", ("tanh",), "numpy", (MI,)),
    Reason("Sums of float32 are added by fours and then in binary64, so that nothing overflows on the way and a sum is"
           " nearer than pairwise float32: 64 Ki elements take 1.9 µs where a loop of float32 alone takes 1.6, as to widen"
           " costs no less than to add. Around them a run costs 0.57 µs, so that even the loop's pace would come to 0.74.",
           ("sum all", "sum axis 0", "sum axis 1", "sum middle axis", "mean all"), sizes=(64 * KI,)),
    Reason("Of the 70 to 80 ns that a row of 256 elements takes, a fifth goes into quotients that have the bits of divisions"
           " and a quarter into sums by fours and then in binary64; the rest goes from stage to stage and into memory between four"
           " passes over rows in the first-level cache (the same passes in one C function each take 60 ns). Before"
           " rows there are 1.3 µs. At 1 Mi elements a pass that reads and writes takes 0.31 ms for"
           " memory's sake, three quarters of the time of PyTorch's function; to fetch the next rows, or the result's, ahead"
           " brings nothing.", ("layer norm",)),
    Reason("x and the exponentials are 4 MiB each, twice the second-level cache: maximum, exponentials, sum and quotients"
           " are passes over them at the pace of the third, 0.13 to 0.2 ms each. 128 to 512 columns at a time, pieces 4 KiB"
           " apart, which share sets of the cache, take 1.2 times as long, packed first 1.6 times.", ("softmax axis 0",),
           sizes=(MI,)),
    Reason("Maximum, exponentials, sum and quotients are passes over rows in the first-level cache, and the quotients have"
           " the bits of divisions; ONNX Runtime's kernel, which sums what it stores and multiplies by a reciprocal, is"
           " faster than the plain loop too. At 1 Mi elements it takes 0.39 ms, where a pass that reads and writes takes 0.31.",
           ("softmax axis 1", "log-sum-exp")),
    Reason("PyTorch's and ONNX Runtime's products are other libraries' (MKL and one of its own), which Debian has not; of"
           " OpenBLAS, BLIS and oneDNN the best is met within these bars.", ("matmul float64", "matmul"), "best peer"),
    Reason("Half of 4 MiB is about what a second-level cache holds, so that much of it is as in cache: there a sum that"
           " is widened goes at 0.8 of the loop's pace. Around it a run costs 0.57 µs, and to share it out 0.5.",
           ("sum all", "sum axis 1", "sum middle axis", "mean all", "max axis 1", "var axis 1"), sizes=(MI,), threads=2),
    Reason("A column has sixteen accumulators in binary64, which are read and written beside rows that come from memory,"
           " where the loop has one float32. In registers they are faster in cache (0.96 of the loop, all told), and where the"
           " rows of a block are no more than 64 KiB in all, by a quarter; of more from memory, rows would then not be read one"
           " after the other, which costs a tenth to a third.",
           ("sum middle axis", "sum axis 0"), sizes=(MI, 16 * MI)),
    Reason("A piece for each of two threads takes 2 to 10 µs: the 0.57 µs that a run costs around it and the 0.5 to share it"
           " out show.",
           sizes=(64 * KI,), threads=2),
]


def reason(cell, bar):
    return next((known.text for known in REASONS if known.tells(cell, bar)), None)


def judge(cells):
    """How many bars were looked at, and those that were missed: (cell, ratio, bar)."""
    looked, missed = 0, []
    for cell in cells:
        for bar in BARS:
            ratio = bar.ratio(cell)
            if ratio is None:
                continue
            looked += 1
            if ratio < bar.least:
                missed.append((cell, ratio, bar))
    return looked, missed


def judge_threads(cells):
    """Rows at 16 Mi: how much faster two threads are than one."""
    alone = {cell["workload"]: cell for cell in cells if cell["threads"] == 1 and cell["n"] == 16 * MI}
    for cell in cells:
        one = alone.get(cell["workload"])
        if cell["threads"] != 2 or cell["n"] != 16 * MI or one is None:
            continue
        ours = one["medians"]["candela"] / cell["medians"]["candela"]
        limit = one["medians"].get("limit")
        yield cell, ours, limit / cell["medians"]["limit"] if limit else None
