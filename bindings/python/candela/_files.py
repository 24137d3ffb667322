# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Arrays in files, by the names that NumPy's users know: .npy, .npz and .safetensors.

import errno
import os
import stat
from collections.abc import Mapping

from gi.overrides import Candela as core
from gi.repository import Candela, Gio, GLib

_ERRNO = {
    Gio.IOErrorEnum.NOT_FOUND: errno.ENOENT, Gio.IOErrorEnum.EXISTS: errno.EEXIST,
    Gio.IOErrorEnum.IS_DIRECTORY: errno.EISDIR, Gio.IOErrorEnum.NOT_DIRECTORY: errno.ENOTDIR,
    Gio.IOErrorEnum.PERMISSION_DENIED: errno.EACCES, Gio.IOErrorEnum.NO_SPACE: errno.ENOSPC,
    Gio.IOErrorEnum.READ_ONLY: errno.EROFS, Gio.IOErrorEnum.FILENAME_TOO_LONG: errno.ENAMETOOLONG,
}
_ZIP, _NPY = b"PK", b"\x93NUMPY"


def _call(function, path, *arguments):
    """function(file, ...), with errors of files as Python has them."""
    try:
        return function(Gio.File.new_for_path(path), *arguments)
    except GLib.Error as error:
        if error.domain != "g-io-error-quark":
            raise core.to_python(error) from None
        raise OSError(_ERRNO.get(error.code, errno.EIO), error.message, path) from None


class ArrayFile(Mapping):
    """The arrays of an .npz or .safetensors file by their names. Each is read, or mapped, when it is asked
    for. There is nothing to close; a with statement may have it."""

    def __init__(self, path, names, load):
        self._path, self._load = path, load
        self.files = names

    def __getitem__(self, name):
        if name not in self.files:
            raise KeyError("%s has no array %r; it has %s" % (self._path, name, ", ".join(map(repr, self.files))))
        return core._from_tensor(_call(self._load, self._path, name))

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def __repr__(self):
        return "ArrayFile(%r: %s)" % (self._path, ", ".join(self.files))

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        pass


def load(path, /):
    """The array of an .npy file; of an .npz or .safetensors file all arrays, as a mapping from their names.

    Elements are mapped where the file has them as memory does: they are read when they are used, and the
    file must not be made shorter meanwhile."""
    path = os.fsdecode(path)
    start = _NPY
    # What cannot be read twice, as a pipe, is one array.
    if stat.S_ISREG(os.stat(path).st_mode):
        with open(path, "rb") as file:
            start = file.read(len(_NPY))
    if start.startswith(_ZIP):
        return ArrayFile(path, _call(Candela.npz_list, path), Candela.npz_load)
    if start == _NPY or _ending(path) == ".npy":
        return core._from_tensor(_call(Candela.npy_load, path))
    return ArrayFile(path, _call(Candela.safetensors_list, path), Candela.safetensors_load)


def _ending(path):
    return os.path.splitext(path)[1]


def _with_ending(path, *endings):
    """As NumPy does it: the first ending is added where there is none of them."""
    return path if _ending(path) in endings else path + endings[0]


def save(path, x, /):
    """Writes an array as .npy, or a mapping from names to arrays as .npz or .safetensors, by the path's
    ending; .npy, or .npz for a mapping, is added where there is none of these. The file takes its place once
    it is whole, so it may be one that x was loaded from."""
    path = os.fsdecode(path)
    if isinstance(x, Mapping):
        savez(path, **x)
        return
    if _ending(path) in (".npz", ".safetensors"):
        raise TypeError("a file %s has arrays by their names: give a mapping, or use savez()" % _ending(path))
    array = core.asarray(x)
    _call(lambda file: Candela.npy_save(array.tensor, file), _with_ending(path, ".npy"))


def savez(path, /, *arrays, **named):
    """Writes several arrays, all computed at once, into an .npz file, not compressed, or by the ending
    .safetensors into one of that format. Those without a name are arr_0, arr_1 and so on."""
    for n, array in enumerate(arrays):
        if "arr_%d" % n in named:
            raise ValueError("there are two arrays arr_%d" % n)
        named["arr_%d" % n] = array
    path = _with_ending(os.fsdecode(path), ".npz", ".safetensors")
    values = [core.asarray(array) for array in named.values()]
    if values:
        core.materialize(*values)
    write = Candela.safetensors_save if _ending(path) == ".safetensors" else Candela.npz_save
    _call(write, path, list(named), [value.tensor for value in values])
