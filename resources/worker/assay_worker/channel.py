# SPDX-License-Identifier: Apache-2.0
"""Frames and arenas between the judge and a party; see ../PROTOCOL.md, "Frames"."""

import ctypes
import json
import mmap
import os
import socket
import struct

FRAME_LIMIT = 64 << 20
_ALIGNMENT = 64

_dumps = json.dumps
_loads = json.loads
_c_char = ctypes.c_char


class ChannelClosed(Exception):
    """The other side has gone."""


class ArenaView:
    """A memory file of the judge, mapped privately: reading it is reading what the judge wrote, writing changes nothing there."""

    def __init__(self, fd, size):
        self.size = size
        self._map = mmap.mmap(fd, size, access=mmap.ACCESS_COPY) if size else None

    def buffer(self):
        """The bytes, as an object with the buffer protocol (None where the arena is empty)."""
        return self._map


class ArenaWriter:
    """A memory file that grows with the tensors of one answer."""

    def __init__(self):
        self._fd = -1
        self.size = 0

    def write(self, address, length):
        """Copies `length` bytes at `address` in and returns their offset."""
        return self.append(memoryview((_c_char * length).from_address(address)) if length else b"")

    def append(self, data):
        """Copies bytes in and returns their offset."""
        if self._fd < 0:
            self._fd = os.memfd_create("assay-arena", os.MFD_CLOEXEC)
        offset = -(-self.size // _ALIGNMENT) * _ALIGNMENT
        length = len(data)
        done = 0
        while done < length:
            done += os.pwrite(self._fd, data[done:], offset + done)
        if not length:
            os.ftruncate(self._fd, offset)  # an empty tensor may come last: the file is as long as it is said to be
        self.size = offset + length
        return offset

    def take(self):
        """Hands the file over: (descriptor or -1, bytes)."""
        fd, self._fd = self._fd, -1
        return fd, self.size

    def close(self):
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


class Channel:
    """One end of the socket. Both ends speak the same frames, so tests use this class for the judge's end too."""

    def __init__(self, sock):
        self._sock = sock

    def receive(self):
        """The next frame: (object, arena view or None). Raises ChannelClosed, ValueError on what is no frame."""
        head, fds, _, _ = socket.recv_fds(self._sock, 4, 4, socket.MSG_CMSG_CLOEXEC)
        try:
            if not head:
                raise ChannelClosed
            head += self._exactly(4 - len(head))
            length = struct.unpack("<I", head)[0]
            if length > FRAME_LIMIT:
                raise ValueError("a frame of %d bytes is above the limit of %d" % (length, FRAME_LIMIT))
            message = _loads(self._exactly(length))
            arena = None
            if fds and "arena_bytes" in message:
                size = message["arena_bytes"]
                if os.fstat(fds[0]).st_size < size:
                    raise ValueError("the arena is shorter than arena_bytes says")
                arena = ArenaView(fds[0], size)
            return message, arena
        finally:
            for fd in fds:
                os.close(fd)

    def send(self, message, arena=None):
        """Sends one object, with the memory file of `arena` (an ArenaWriter) where it holds anything."""
        fd, size = arena.take() if arena is not None else (-1, 0)
        try:
            ancillary = []
            if fd >= 0:
                message = dict(message, arena_bytes=size)
                ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", fd))]
            body = _dumps(message, allow_nan=False, separators=(",", ":")).encode()
            if len(body) > FRAME_LIMIT:
                raise ValueError("the answer is above %d bytes" % FRAME_LIMIT)
            data = struct.pack("<I", len(body)) + body
            sent = self._sock.sendmsg([data], ancillary)
            if sent < len(data):
                self._sock.sendall(data[sent:])
        finally:
            if fd >= 0:
                os.close(fd)

    def _exactly(self, count):
        parts = []
        while count:
            part = self._sock.recv(min(count, 1 << 20))
            if not part:
                raise ChannelClosed
            parts.append(part)
            count -= len(part)
        return b"".join(parts)
