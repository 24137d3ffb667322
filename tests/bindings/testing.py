# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests by name, as TAP. Which tests there are, and in what order, is said by the
# file test-list, for both languages: a test that is missing here, or that is not
# in the list, fails.

import os
import sys
import traceback

_tests = {}


def test(name):
    def register(function):
        _tests[name] = function
        return function

    return register


def equal(found, wanted):
    if found != wanted:
        raise AssertionError("%r instead of %r" % (found, wanted))


def check(condition, text="it does not hold"):
    if not condition:
        raise AssertionError(text)


def near(found, wanted, tolerance):
    if not abs(found - wanted) <= tolerance:
        raise AssertionError("%r is not near %r" % (found, wanted))


def raises(kind, function):
    """The error of that class that function() raises."""
    try:
        found = function()
    except kind as error:
        return error
    raise AssertionError("%r instead of an error" % (found,))


def resident_bytes():
    """What the process has in memory now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def skip_all(reason):
    print("1..0 # SKIP", reason)
    sys.exit(0)


def run():
    with open(os.path.join(os.path.dirname(__file__), "test-list")) as file:
        names = file.read().splitlines()
    names += [name for name in _tests if name not in names]
    for number, name in enumerate(names, 1):
        problem = None
        try:
            if name not in _tests:
                raise AssertionError("the test is missing in this language")
            _tests[name]()
        except Exception:
            problem = traceback.format_exc()
        print("ok" if problem is None else "not ok", number, "-", name)
        for line in (problem or "").splitlines():
            print("#", line)
        sys.stdout.flush()
    print("1..%d" % len(names))
