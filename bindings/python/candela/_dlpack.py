# SPDX-License-Identifier: LGPL-2.1-or-later
#
# DLPack, both ways, without a copy: the structs of its header, version 1.0 and what
# was before it, as ctypes has them. Memory that is exported is held by a table
# until whoever took it calls the deleter.

import ctypes
import threading

from gi.repository import Candela

from candela import _exchange

DType = Candela.DType
CPU = 1
_KINDS = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "complex": 5, "bool": 6}
READ_ONLY = 1


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32), ("dtype", DataType),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]


class Version(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32)]


class ManagedVersioned(ctypes.Structure):
    _fields_ = [("version", Version), ("context", ctypes.c_void_p), ("deleter", _Deleter), ("flags", ctypes.c_uint64),
                ("tensor", DLTensor)]


_python = ctypes.pythonapi
_python.PyCapsule_New.restype = ctypes.py_object
_python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_python.PyCapsule_GetPointer.restype = ctypes.c_void_p
_python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_python.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
_python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
# The destructor gets a capsule that is going: it must not be counted, so it comes as an address.
_is_valid_at = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", _python))
_pointer_at = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _python))

NAME, USED = b"dltensor", b"used_dltensor"
NAME_VERSIONED, USED_VERSIONED = b"dltensor_versioned", b"used_dltensor_versioned"

_exported = {}
_lock = threading.Lock()


@_Deleter
def _delete(address):
    with _lock:
        _exported.pop(address, None)


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _capsule_gone(capsule):
    """Nobody took it."""
    for name in (NAME, NAME_VERSIONED):
        if _is_valid_at(capsule, name):
            _delete(_pointer_at(capsule, name))


def _data_type(dtype):
    return DataType(_KINDS[dtype.name.rstrip("0123456789")], 8 * dtype.itemsize, 1)


_DTYPES = {(_KINDS[dtype.name.rstrip("0123456789")], 8 * dtype.itemsize): dtype
           for dtype in (DType(number) for number in range(1, Candela.N_DTYPES))}


def export(tensor, max_version, device, copy):
    if device is not None and tuple(device) != (CPU, 0):
        raise BufferError("an array of Candela's is on the CPU, (1, 0), and not on %r" % (device,))
    if copy:
        tensor = Candela.Tensor.new_from_data(tensor.get_dtype(), tensor.get_shape(),
                                              tensor.get_bytes().get_data() or b"")
    versioned = max_version is not None and max_version[0] >= 1
    shape = tensor.get_shape()
    layout = tensor.get_layout()
    dims = (ctypes.c_int64 * max(len(shape), 1))(*shape)
    strides = (ctypes.c_int64 * max(len(shape), 1))(*layout.get_strides())
    inner = DLTensor(data=tensor.get_data() if 0 not in shape else None,
                     device=Device(CPU, 0), ndim=len(shape), dtype=_data_type(tensor.get_dtype()), shape=dims,
                     strides=strides, byte_offset=0)
    if versioned:
        managed = ManagedVersioned(Version(1, 0), None, _delete, 0 if copy else READ_ONLY, inner)
    else:
        managed = Managed(inner, None, _delete)
    address = ctypes.addressof(managed)
    with _lock:
        _exported[address] = (managed, dims, strides, tensor)
    return _python.PyCapsule_New(address, NAME_VERSIONED if versioned else NAME,
                                 ctypes.cast(_capsule_gone, ctypes.c_void_p))


def _open(capsule):
    """The struct in a capsule, which is ours from then on."""
    for name, used, kind in ((NAME_VERSIONED, USED_VERSIONED, ManagedVersioned), (NAME, USED, Managed)):
        if _python.PyCapsule_IsValid(capsule, name):
            address = _python.PyCapsule_GetPointer(capsule, name)
            _python.PyCapsule_SetName(capsule, used)
            return kind.from_address(address), address
    raise BufferError("no DLPack capsule, or one that was taken already")


class _Taken:
    """What was taken from a capsule: its deleter is called once, with it."""

    def __init__(self, managed, address):
        self.managed, self.address = managed, address

    def __del__(self):
        if self.managed.deleter:
            self.managed.deleter(self.address)


def take(value, device=None, copy=None):
    """A tensor over what value.__dlpack__() gives."""
    if value.__dlpack_device__()[0] != CPU:
        raise BufferError("what is not on the CPU cannot be shared; copy it there first")
    options = {} if copy is None else {"copy": copy}
    try:
        capsule = value.__dlpack__(max_version=(1, 0), **options)
    except TypeError:
        if copy:
            raise
        capsule = value.__dlpack__()
    managed, address = _open(capsule)
    taken = _Taken(managed, address)
    tensor = managed.tensor
    dtype = _DTYPES.get((tensor.dtype.code, tensor.dtype.bits))
    if isinstance(managed, ManagedVersioned) and managed.version.major > 1:
        raise BufferError("DLPack of version %d is not known" % managed.version.major)
    if dtype is None or tensor.dtype.lanes != 1:
        raise TypeError("elements of DLPack's kind %d with %d bits are none of Candela's dtypes"
                        % (tensor.dtype.code, tensor.dtype.bits))
    shape = tensor.shape[:tensor.ndim]
    strides = tensor.strides[:tensor.ndim] if tensor.strides else None
    address_of_data = (tensor.data or 0) + tensor.byte_offset
    return _exchange.wrap_memory(dtype, shape, strides, address_of_data, True, taken)
