#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks a live subnet manager for the service levels of paths, which OpenSM does not dump.

Reads lines "SLID DLID" and writes the level of each path as one line, or "MLID" for the level of a
multicast group, through libibmad; to reach a simulated subnet, umad2sim must be preloaded."""
import ctypes
import struct
import sys

SUBNET_CLASS, DIRECTED_CLASS, SA_CLASS = 1, 0x81, 3
METHOD_GET = 1
PATH_RECORD, GROUP_RECORD = 0x35, 0x38
MASK_DLID, MASK_SLID, MASK_COUNT = 1 << 4, 1 << 5, 1 << 12
MASK_MLID = 1 << 3


class SaCall(ctypes.Structure):
    """ib_sa_call_t of infiniband/mad.h; the last member stands for the header of RMPP."""
    _fields_ = [('attribute', ctypes.c_uint), ('modifier', ctypes.c_uint),
                ('mask', ctypes.c_uint64), ('method', ctypes.c_uint),
                ('transaction', ctypes.c_uint64), ('record_size', ctypes.c_uint),
                ('rmpp', ctypes.c_uint8 * 64)]


class SubnetAdministrator:
    def __init__(self):
        self.mad = ctypes.CDLL('libibmad.so.5')
        self.mad.mad_rpc_open_port.restype = ctypes.c_void_p
        self.mad.sa_rpc_call.restype = ctypes.c_void_p
        classes = (ctypes.c_int * 3)(SUBNET_CLASS, DIRECTED_CLASS, SA_CLASS)
        self.port = ctypes.c_void_p(self.mad.mad_rpc_open_port(None, 0, classes, 3))
        if not self.port:
            sys.exit('path_levels.py: no port; is umad2sim preloaded, and SIM_HOST set?')
        self.manager = (ctypes.c_uint8 * 256)()  # ib_portid_t
        if self.mad.ib_resolve_smlid_via(self.manager, 0, self.port) < 0:
            sys.exit('path_levels.py: the port knows no subnet manager')

    def ask(self, attribute, mask, record):
        """The record that is like this one where the mask says so; nothing if there is none."""
        buffer = (ctypes.c_uint8 * 1024).from_buffer_copy(record.ljust(1024, b'\0'))
        call = SaCall(attribute=attribute, mask=mask, method=METHOD_GET)
        answer = self.mad.sa_rpc_call(self.port, buffer, self.manager, ctypes.byref(call), 0)
        return ctypes.string_at(answer, 64) if answer else None

    def level(self, slid, dlid):
        """The service level of one path, by the PathRecord of its two LIDs."""
        record = struct.pack('!40xHH5xB14x', dlid, slid, 1)  # one path is wanted
        data = self.ask(PATH_RECORD, MASK_DLID | MASK_SLID | MASK_COUNT, record)
        if not data or struct.unpack_from('!HH', data, 40) != (dlid, slid):
            return None
        return data[53] & 15

    def group_level(self, mlid):
        data = self.ask(GROUP_RECORD, MASK_MLID, struct.pack('!36xH', mlid))
        return data[44] >> 4 if data and struct.unpack_from('!H', data, 36) == (mlid,) else None


def main():
    administrator = SubnetAdministrator()
    for line in sys.stdin:
        lids = [int(word, 0) for word in line.split()]
        level = administrator.group_level(*lids) if len(lids) == 1 else administrator.level(*lids)
        print('none' if level is None else level)


if __name__ == '__main__':
    main()
