# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What Python does to memory and objects that Candela holds, and to the interpreter
# while it works. Each in a program of its own, which must end by itself: the status of
# one that a signal ends is negative.

import subprocess
import sys

from testing import check, equal, run, test

START = """
import array, asyncio, atexit, ctypes, gc, mmap, os, sys, tempfile, threading, time, weakref
import candela as xp
from gi.repository import Candela, Gio, GLib
try:
    import numpy
except ImportError:
    sys.exit(77)
def fails(kind, function):
    try:
        function()
    except kind as error:
        return str(error)
    raise SystemExit("no %s" % (kind,))
def shuffle():
    gc.collect()
    return [bytes([255]) * (1 << 14) for _ in range(200)]
long = lambda n=4000000: xp.expr("sum(sin(exp(random_uniform([%d], seed=1))))" % n)
"""


def program(text, status=0, output="ok\n", times=1):
    for _ in range(times):
        done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", START + text], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=300)
        if done.returncode == 77:
            return
        check(done.returncode == status, "status %d: %s" % (done.returncode, done.stdout))
        if output is not None:
            equal(done.stdout, output)


# ---- Memory ----

@test("a NumPy array that is resized")
def resized():
    # There is no way to keep NumPy from it but a weak reference, and none to be told of it.
    program("""
for make in (xp.asarray, xp.from_dlpack):
    n = numpy.arange(200000.0)
    x = make(n)
    for size in (10, 400000):
        fails(ValueError, lambda: n.resize(size, refcheck=False))
    shuffle()
    assert float(xp.sum(x)) == 19999900000.0
    del x
    gc.collect()
    n.resize(10, refcheck=False)
print("ok")
""")


@test("a NumPy array of which the base is resized")
def base_resized():
    program("""
n = numpy.arange(200000.0)
x = xp.asarray(n[::-1])
fails(ValueError, lambda: n.resize(10, refcheck=False))
del n
shuffle()
assert float(x[0]) == 199999.0
print("ok")
""")


@test("a bytearray and an array.array that are resized")
def buffers_resized():
    program("""
for held, grow in ((bytearray(range(100)), lambda b: b.extend(bytes(1 << 20))),
                   (array.array("B", range(100)), lambda a: a.extend(bytes(1 << 20)))):
    x, y = xp.asarray(held), xp.asarray(memoryview(held))
    lazy = x + y
    grow(held)
    del held[:]
    shuffle()
    assert int(xp.sum(x)) == 4950 and int(xp.sum(y)) == 4950 and lazy.tolist()[99] == 198
# What NumPy has of a bytearray's keeps that as it is.
held = bytearray(800)
x = xp.asarray(numpy.frombuffer(held))
fails(BufferError, lambda: held.extend(bytes(1 << 20)))
assert float(xp.sum(x)) == 0
del x
gc.collect()
held.extend(b"x")
print("ok")
""")


@test("a mapping that is closed")
def mapping_closed():
    program("""
with tempfile.NamedTemporaryFile() as file:
    file.write(numpy.arange(1000.0).tobytes())
    file.flush()
    mapping = mmap.mmap(file.fileno(), 0)
    x, y = xp.asarray(numpy.frombuffer(mapping)), xp.asarray(numpy.memmap(file.name, mode="r"))
    z = xp.asarray(mapping)
    fails(BufferError, mapping.close)
    shuffle()
    assert float(xp.sum(x)) == 499500.0 and y.shape == z.shape == (8000,)
    del x
    gc.collect()
    mapping.close()
    assert int(xp.sum(z.astype("int64"))) == int(xp.sum(y.astype("int64")))
print("ok")
""")


@test("memory that others free when they like")
def freed():
    program("""
class Own:
    # As a library whose memory goes with the object that says where it is.
    def __init__(self):
        self.memory = ctypes.create_string_buffer(numpy.arange(1000.0).tobytes(), 8000)
        self.__array_interface__ = {"version": 3, "typestr": "<f8", "shape": (1000,),
                                    "data": (ctypes.addressof(self.memory), False)}
own = Own()
told = weakref.ref(own)
x = xp.asarray(own)
del own
shuffle()
assert told() is not None and float(xp.sum(x)) == 499500.0
del x
gc.collect()
assert told() is None
print("ok")
""")


@test("array interfaces that are wrong")
def wrong_interfaces():
    program("""
class Wrong:
    def __init__(self, **interface):
        self.__array_interface__ = {"version": 3, "typestr": "<f8", "shape": (2,), "data": (8, False), **interface}
for interface in ({"typestr": 5}, {"typestr": ">f8"}, {"typestr": "<f7"}, {"shape": None}, {"shape": (-1,)}, {"shape": 5},
                  {"shape": ("a",)}, {"data": None}, {"data": ("a", False)}, {"data": (0, False)}, 
                  {"shape": (1,) * 70}, {"strides": (8, 8)}, {"strides": ("a",)}, {"strides": 5},
                  {"shape": (1 << 62, 4)}, {"shape": (1 << 70,)}, {"data": (1 << 70, False)}):
    fails((TypeError, ValueError, OverflowError), lambda: print(interface, xp.asarray(Wrong(**interface)).shape))
class Less:
    __array_interface__ = {}
fails((TypeError, ValueError), lambda: xp.asarray(Less()))
class Raises:
    @property
    def __array_interface__(self):
        raise KeyError("no")
fails(KeyError, lambda: xp.asarray(Raises()))
class Array:
    def __init__(self, value):
        self.value = value
    def __array__(self, dtype=None, copy=None):
        return self.value
assert xp.asarray(Array(numpy.arange(3))).tolist() == [0, 1, 2]
for value in (None, "x", object()):
    fails((TypeError, ValueError), lambda: xp.asarray(Array(value)).shape[0])
print("ok")
""")


# ---- Objects ----

@test("parts of what has gone")
def parts_of_gone():
    program("""
def make():
    x = xp.asarray(numpy.arange(10000.0))
    y = xp.exp(x * 0) + x
    rows = iter(xp.reshape(y, (100, 100)))
    return (numpy.asarray(y)[::-1], y.__array_interface__, y.plan(), rows, y.tensor.get_layout(), y.__dlpack__(),
            y.materialize, y.__class__.__getitem__.__get__(y), (x + 1).node.get_input(0))
seen, interface, plan, rows, layout, capsule, method, item, node = make()
kept = shuffle()
assert seen[0] == 10000.0 and seen.sum() == 50005000.0
assert "step" in str(plan) and float(next(rows)[3]) == 4.0 and layout.get_shape() == [10000]
assert float(method()[1]) == 2.0 and float(item(2)) == 3.0
assert node.get_shape() == [10000]
del capsule, seen
kept += shuffle()
assert memoryview(interface["data"]).nbytes == 80000
print("ok")
""")


@test("callbacks that raise, that hold what they get, and that come back")
def callbacks():
    program("""
held = []
def stop(done, total):
    held.append((done, total))
    raise KeyError("enough")
for _ in range(3):
    fails(KeyError, lambda: (xp.exp(xp.zeros((1000, 1000))) + 1).materialize(progress=stop))
def leave(done, total):
    raise SystemExit("left")
fails(SystemExit, lambda: (xp.exp(xp.zeros((1000, 1000))) + 1).materialize(progress=leave))
def again(done, total):
    held.append(float(xp.sum(xp.ones(1000) + done)))
(xp.exp(xp.zeros((1000, 1000))) + 1).materialize(progress=again)
assert held
for wrong in (5, "x", lambda: None, lambda a: a):
    fails(TypeError, lambda: (xp.exp(xp.zeros((1000, 1000))) + 1).materialize(progress=wrong))
class Told:
    def __del__(self):
        raise ValueError("at the end")
    def __call__(self, done, total):
        pass
sys.unraisablehook = lambda told: None
(xp.exp(xp.zeros((1000, 1000))) + 1).materialize(progress=Told())
class Odd:
    def __index__(self):
        raise KeyError("index")
    def __float__(self):
        raise KeyError("float")
    def __array__(self, *args, **options):
        raise KeyError("array")
for call in (lambda: xp.ones(3)[Odd()], lambda: xp.asarray([Odd()]), lambda: xp.asarray(Odd()), lambda: xp.zeros(Odd()),
             lambda: xp.sum(xp.ones(3), axis=Odd()), lambda: xp.reshape(xp.ones(3), (Odd(),))):
    fails((KeyError, TypeError, ValueError, IndexError), call)
print("ok")
""")


# ---- The end ----

@test("the end while threads work")
def end_of_threads():
    program("""
def build():
    while True:
        float(xp.sum(xp.ones(1000) * 2 + 1))
for _ in range(3):
    threading.Thread(target=build, daemon=True).start()
for _ in range(2):
    threading.Thread(target=lambda: long().materialize(), daemon=True).start()
time.sleep(0.05)
print("ok")
""", times=5)
    program("""
threading.Thread(target=lambda: long().materialize(progress=lambda done, total: None), daemon=True).start()
time.sleep(0.02)
print("ok")
sys.exit(3)
""", status=3, times=3)


@test("the end while a loop waits for work")
def end_of_async():
    program("""
long().node.materialize_async(None, lambda *args: None)
print("ok")
""", times=3)
    program("""
async def main():
    task = asyncio.create_task(long(400000).materialize_async())
    await asyncio.sleep(0.002)
    print("ok")
asyncio.run(main())
""", times=3)
    program("""
async def main():
    tasks = [asyncio.create_task(long(400000).materialize_async()) for _ in range(4)]
    await asyncio.sleep(0.002)
    print("ok", flush=True)
    os._exit(4)
asyncio.run(main())
""", status=4)


@test("the end while others hold memory")
def end_of_holders():
    program("""
x = xp.arange(1000) * 2
n = numpy.arange(1000.0)
held = [numpy.asarray(x), numpy.from_dlpack(x), x.__dlpack__(), x.__dlpack__(max_version=(1, 0)), xp.asarray(n),
        xp.from_dlpack(n), iter(x), x.plan()]
held.append(held)
xp.held = sys.held = held
atexit.register(lambda: print(float(xp.sum(x)) == 999000 and "ok"))
""", times=2)
    program("""
class Last:
    def __del__(self):
        float(xp.sum(xp.ones(3) + 1))
xp.last = sys.last = last = Last()
last.self = last
print("ok")
""", output=None)
    # Whoever took a struct of DLPack's may be the last that holds the memory.
    program("""
x = xp.arange(1000) * 2
address = x.tensor.to_dlpack(True, False)
class Managed(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint64), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]
del x
gc.collect()
ctypes.CFUNCTYPE(None, ctypes.c_void_p)(Managed.from_address(address).deleter)(address)
print("ok")
""")


run()
