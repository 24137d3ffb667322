# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What was measured, as a table, as JSON and as a picture.

import json
import math

import bars

SIZE_NAMES = {1024: "Ki", 1024 * 1024: "Mi"}


def size_text(n):
    for unit, name in sorted(SIZE_NAMES.items(), reverse=True):
        if n >= unit and n % unit == 0:
            return "%d %s" % (n // unit, name)
    return str(n)


def time_text(ns):
    if ns is None:
        return "-"
    for unit, name in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if ns >= unit:
            return "%.3g %s" % (ns / unit, name) if ns < 100 * unit else "%.0f %s" % (ns / unit, name)
    return "%.0f ns" % ns


def ratio_text(ratio):
    return "-" if ratio is None else "%.2f" % ratio


def threads_text(n):
    return "%d thread%s" % (n, "" if n == 1 else "s")


class Table:
    """Printed row by row, as they are measured."""

    def __init__(self, peers):
        self.peers = peers
        self.columns = ["candela", "built", "whole", "limit"] + peers
        self.widths = [max(9, len(name) + 1) for name in self.columns]

    def header(self):
        names = "".join("%*s" % (width, name) for name, width in zip(self.columns, self.widths))
        print("%-22s %7s %3s%s %9s %9s %9s" % (
            "workload", "n", "thr", names, "vs peers", "built", "vs limit"), flush=True)

    def row(self, cell):
        words = []
        for column, width in zip(self.columns, self.widths):
            text = time_text(cell["medians"].get(column))
            words.append("%*s" % (width, text + ("!" if column in cell["differ"] else "")))
        print("%-22s %7s %3d%s %9s %9s %9s" % (
            cell["workload"], size_text(cell["n"]), cell["threads"], "".join(words),
            ratio_text(cell["vs_best_peer"]), ratio_text(cell["built_vs_best_peer"]), ratio_text(cell["vs_limit"])),
            flush=True)


# Below, what a loop costs is not what a run of a plan is about.
LIMIT_FROM = 4096


def print_gaps(cells, count=10):
    """Where Candela is farthest behind: the worst first."""
    kinds = (("vs_best_peer", "best peer", 0), ("vs_limit", "limit", LIMIT_FROM))
    for key, of, smallest in kinds:
        compared = [cell for cell in cells if cell[key] is not None and cell["n"] >= smallest]
        behind = sorted((cell for cell in compared if cell[key] < 1), key=lambda cell: cell[key])
        print("\nFarthest behind the %s (%d of %d rows are behind):" % (of, len(behind), len(compared)))
        for cell in behind[:count]:
            print("  %5.2f  %s, n = %s, %s%s" % (
                cell[key], cell["workload"], size_text(cell["n"]), threads_text(cell["threads"]),
                ": " + cell["best_peer"] if key == "vs_best_peer" else ""))


def print_bars(cells):
    """What is held to a bar and misses it, and why."""
    looked, missed = bars.judge(cells)
    print("\nBars missed (%d of %d):" % (len(missed), looked))
    for cell, ratio, bar in missed:
        against = bar.against if bar.against != "best peer" else "best peer, " + cell["best_peer"]
        print("  %5.2f of %.2f  %s%s, n = %s, %s (%s)" % (
            ratio, bar.least, cell["workload"], "" if bar.kind == "candela" else ", " + bar.kind,
            size_text(cell["n"]), threads_text(cell["threads"]), against))
    for text in dict.fromkeys(bars.reason(cell, bar) for cell, _, bar in missed):
        if text:
            print("  Why: " + text)
    threads = list(bars.judge_threads(cells))
    if threads:
        print("\nTwo threads against one, 16 Mi (bar: %.1f where memory allows it; in parentheses the limit):"
              % bars.THREADS_BAR)
    for cell, ours, limit in threads:
        print("  %5.2f (%s)  %s" % (ours, ratio_text(limit), cell["workload"]))


def write_json(path, header, cells):
    with open(path, "w") as file:
        json.dump(dict(header, cells=cells), file, indent=1)
        file.write("\n")


def write_picture(path, cells, peers):
    """Time against size, a square for each workload that has several sizes, a line for each peer."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    charts = {}
    for cell in cells:
        charts.setdefault((cell["workload"], cell["threads"]), []).append(cell)
    charts = {key: rows for key, rows in charts.items() if len(rows) > 1}
    if not charts:
        return False
    columns = min(4, len(charts))
    rows = math.ceil(len(charts) / columns)
    figure, axes = pyplot.subplots(
        rows, columns, figsize=(4.2 * columns, 3.2 * rows + 0.6), squeeze=False, layout="constrained")
    names = ["candela", "limit"] + peers
    colours = dict(zip(peers, pyplot.get_cmap("tab10").colors[1:]))
    styles = {"candela": dict(color="black", linewidth=2.4, marker="o", markersize=4, zorder=5),
              "limit": dict(color="gray", linewidth=1.4, linestyle=":")}
    handles = {}
    for square, ((workload, threads), measured) in zip(axes.flat, charts.items()):
        for name in names:
            points = [(c["n"], c["medians"][name] / 1000) for c in measured if c["medians"].get(name)]
            if points:
                style = styles.get(name) or dict(color=colours[name], linewidth=1.2, marker=".")
                handles[name] = square.plot(*zip(*sorted(points)), **style)[0]
        sizes = sorted({c["n"] for c in measured})
        square.set_xscale("log", base=2)
        square.set_yscale("log")
        square.set_xticks(sizes, [size_text(n) for n in sizes])
        square.set_title("%s, %d thread%s" % (workload, threads, "" if threads == 1 else "s"), fontsize=10)
        square.grid(True, alpha=0.3)
    for square in axes.flat[len(charts):]:
        square.axis("off")
    figure.supxlabel("elements")
    figure.supylabel("microseconds (median)")
    figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=len(handles), frameon=False)
    figure.savefig(path)
    pyplot.close(figure)
    return True
