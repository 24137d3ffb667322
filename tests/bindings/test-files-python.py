# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Arrays in files, from Python. Values are those that NumPy reads and writes.

import os
import pathlib
import tempfile
import threading

from testing import Candela, check, equal, raises, run, test

import candela as xp

try:
    import numpy
except ImportError:
    numpy = None

folder = tempfile.TemporaryDirectory()
A = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
I = xp.asarray([7, -7, 3], dtype="int16")


def at(name):
    return os.path.join(folder.name, name)


def same(x, wanted):
    equal((x.tolist(), x.dtype, x.shape), (wanted.tolist(), wanted.dtype, wanted.shape))


@test("one array")
def one_array():
    for x in (A, A.T, I[::-2], xp.asarray(True), xp.zeros((0, 2)), xp.asarray([1 + 2j])):
        xp.save(at("one.npy"), x)
        same(xp.load(at("one.npy")), x)
    xp.save(at("list.npy"), [1, 2])
    same(xp.load(at("list.npy")), xp.asarray([1, 2]))


@test("the ending .npy is added")
def ending():
    xp.save(at("plain"), A)
    same(xp.load(at("plain.npy")), A)
    check(not os.path.exists(at("plain")))
    xp.save(at("name.of.more"), A)
    check(os.path.exists(at("name.of.more.npy")))


@test("paths of any kind")
def paths():
    xp.save(pathlib.Path(at("path.npy")), A)
    same(xp.load(pathlib.Path(at("path.npy"))), A)
    same(xp.load(at("path.npy").encode()), A)
    xp.save(at("Grüße \udcff.npy"), A)
    same(xp.load(at("Grüße \udcff.npy")), A)
    raises(TypeError, lambda: xp.load(5.0))
    raises(TypeError, lambda: xp.load(None))


@test("several arrays: .npz")
def several():
    xp.savez(at("several"), A, I * 2, mask=I > 0, self=I)
    with xp.load(at("several.npz")) as file:
        equal(sorted(file), ["arr_0", "arr_1", "mask", "self"])
        equal((len(file), file.files), (4, list(file)))
        same(file["arr_0"], A)
        same(file["arr_1"], I * 2)
        same(file["mask"], I > 0)
        check("mask" in file and "other" not in file)
        error = raises(KeyError, lambda: file["other"])
        check("arr_0" in str(error), error)
    raises(ValueError, lambda: xp.savez(at("several"), A, arr_0=A))
    xp.savez(at("none"))
    equal(dict(xp.load(at("none.npz"))), {})


@test("several arrays: .safetensors")
def safetensors():
    xp.savez(at("model.safetensors"), A, weight=I)
    file = xp.load(at("model.safetensors"))
    equal(sorted(file), ["arr_0", "weight"])
    same(file["weight"], I)
    xp.save(at("model.safetensors"), {"layer.0/w": A.T, "b": I})
    file = xp.load(at("model.safetensors"))
    same(file["layer.0/w"], A.T)
    raises(KeyError, lambda: file["weight"])


@test("a mapping")
def mapping():
    xp.save(at("mapping"), {"a": A, "b": 5})
    same(xp.load(at("mapping.npz"))["b"], xp.asarray(5))
    xp.save(at("copy.safetensors"), xp.load(at("mapping.npz")))
    same(xp.load(at("copy.safetensors"))["a"], A)
    raises(TypeError, lambda: xp.save(at("model.safetensors"), A))
    raises(TypeError, lambda: xp.save(at("x.npz"), {1: A}))


@test("a file over itself")
def over_itself():
    xp.save(at("itself.npy"), xp.arange(100000))
    x = xp.load(at("itself.npy"))
    xp.save(at("itself.npy"), x + 1)
    equal(int(x[-1]), 99999)
    equal(int(xp.load(at("itself.npy"))[-1]), 100000)


@test("files: what is wrong")
def wrong():
    error = raises(FileNotFoundError, lambda: xp.load(at("nothing.npy")))
    equal(error.filename, at("nothing.npy"))
    raises(FileNotFoundError, lambda: xp.save(at("no/folder.npy"), A))
    raises(IsADirectoryError, lambda: xp.load(folder.name))
    for name, data in (("short.npy", b"\x93NUMPY\1\0"), ("text.npy", b"text"), ("zip.npz", b"PK\3\4nothing"),
                       ("bad.safetensors", b"\xff" * 100), ("empty", b"")):
        with open(at(name), "wb") as file:
            file.write(data)
        error = raises(ValueError, lambda: xp.load(at(name)))
        check(isinstance(error, xp.CandelaError) and name in str(error), error)
    raises(TypeError, lambda: xp.save(at("x.npy"), "text"))
    raises(ValueError, lambda: xp.savez(at("x.npz"), **{"a/b": A}))
    check(not os.path.exists(at("x.npz")))


@test("an array from a pipe")
def pipe():
    os.mkfifo(at("pipe"))
    writer = threading.Thread(target=lambda: xp.save(at("written.npy"), A))
    writer.start()
    writer.join()

    def copy():
        with open(at("written.npy"), "rb") as file, open(at("pipe"), "wb") as pipe:
            pipe.write(file.read())

    writer = threading.Thread(target=copy)
    writer.start()
    same(xp.load(at("pipe")), A)
    writer.join()


def needs_numpy(function):
    def without():
        print("# NumPy is not here")

    return function if numpy is not None else without


@test("NumPy reads and writes them")
@needs_numpy
def with_numpy():
    n = numpy.arange(6, dtype="float32").reshape(2, 3)
    numpy.save(at("numpy.npy"), n)
    x = xp.load(at("numpy.npy"))
    numpy.testing.assert_array_equal(numpy.asarray(x), n)
    xp.save(at("candela.npy"), x)
    with open(at("numpy.npy"), "rb") as one, open(at("candela.npy"), "rb") as other:
        equal(one.read(), other.read())
    numpy.savez(at("numpy.npz"), n, t=n.T)
    numpy.savez_compressed(at("compressed.npz"), n, t=n.T)
    for name in ("numpy.npz", "compressed.npz"):
        numpy.testing.assert_array_equal(numpy.asarray(xp.load(at(name))["t"]), n.T)
    xp.savez(at("candela.npz"), n, t=n.T)
    with numpy.load(at("candela.npz")) as file:
        equal(sorted(file), ["arr_0", "t"])
        numpy.testing.assert_array_equal(file["t"], n.T)
    numpy.save(at("big.npy"), n.astype(">f4"))
    numpy.testing.assert_array_equal(numpy.asarray(xp.load(at("big.npy"))), n)
    numpy.save(at("objects.npy"), numpy.array([None]), allow_pickle=True)
    raises(ValueError, lambda: xp.load(at("objects.npy")))


@test("a large file is mapped, not read")
def mapped():
    xp.save(at("large.npy"), xp.zeros(1 << 23))
    x = xp.load(at("large.npy"))
    with open("/proc/self/maps") as file:
        check(at("large.npy") in file.read())
    equal(float(x[-1]), 0.0)


run()
