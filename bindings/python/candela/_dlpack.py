# SPDX-License-Identifier: LGPL-2.1-or-later
#
# DLPack, both ways, without a copy: the library makes and takes the structs of it, of
# version 1.0 and of what was before; here are the capsules in which Python has them.

import ctypes

from gi.overrides import Candela as core
from gi.repository import Candela, GLib

from candela import _exchange

CPU = 1
NAME, USED = b"dltensor", b"used_dltensor"
NAME_VERSIONED, USED_VERSIONED = b"dltensor_versioned", b"used_dltensor_versioned"


def _function(name, result, *arguments):
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_new = _function("PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_is_valid = _function("PyCapsule_IsValid", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
_get_pointer = _function("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
_set_name = _function("PyCapsule_SetName", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
_destructor = Candela.dlpack_get_capsule_destructor(*(ctypes.cast(function, ctypes.c_void_p).value
                                                      for function in (_is_valid, _get_pointer)))
_to_dlpack, _new_for_dlpack = Candela.Tensor.to_dlpack, Candela.Tensor.new_for_dlpack


def export(tensor, max_version, device, copy):
    """The capsule of a tensor, or of a copy of it."""
    if device is not None and tuple(device) != (CPU, 0):
        raise BufferError("an array of Candela's is on the CPU, (1, 0), and not on %r" % (device,))
    versioned = max_version is not None and max_version[0] >= 1
    return _new(_to_dlpack(tensor, versioned, bool(copy)), NAME_VERSIONED if versioned else NAME, _destructor)


def _ask(value, copy):
    """The capsule that value.__dlpack__() gives, and whether a copy is still to be made: those that know of
    no versions know of no copies either."""
    try:
        if copy is None:
            return value.__dlpack__(max_version=(1, 0)), False
        return value.__dlpack__(max_version=(1, 0), copy=copy), False
    except TypeError:
        return value.__dlpack__(), bool(copy)


def take(value, copy=None):
    """A tensor over what value.__dlpack__() gives."""
    if type(value) is core.Array and not copy:
        # What would come out of a capsule, without one.
        return value.tensor
    if _exchange.is_of_numpy(value):
        # It may be resized while a capsule holds it, and not so while this does.
        return core.asarray(value, copy=copy).tensor
    if value.__dlpack_device__()[0] != CPU:
        raise BufferError("what is not on the CPU cannot be shared; copy it there first")
    capsule, to_copy = _ask(value, copy)
    versioned = bool(_is_valid(capsule, NAME_VERSIONED))
    if not versioned and not _is_valid(capsule, NAME):
        raise BufferError("no DLPack capsule, or one that was taken already")
    address = _get_pointer(capsule, NAME_VERSIONED if versioned else NAME)
    _set_name(capsule, USED_VERSIONED if versioned else USED)
    try:
        tensor = _new_for_dlpack(address, versioned)
    except GLib.Error as error:
        if error.matches(Candela.Error.quark(), Candela.Error.PARAMETER):
            raise BufferError(error.message) from None
        raise core.to_python(error) from None
    return core.asarray(tensor, copy=True).tensor if to_copy else tensor
