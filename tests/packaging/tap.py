# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Checks as lines of TAP: each checked thing is a line, and what was found
# instead follows as comments.

_count = 0


def check(name, problems):
    """Passes if problems, a list of text or a bool of success, says there are none."""
    global _count
    _count += 1
    passed = problems if isinstance(problems, bool) else not problems
    print(("ok" if passed else "not ok"), _count, "-", name, flush=True)
    if not passed:
        for problem in problems or ():
            for line in str(problem).splitlines():
                print("#", line, flush=True)
    return passed


def skip(name, reason):
    global _count
    _count += 1
    print("ok", _count, "-", name, "# SKIP", reason, flush=True)


def done():
    """Ends the test; the status is not to count what failed a second time."""
    print("1..%d" % _count, flush=True)
    raise SystemExit(0)
