# SPDX-License-Identifier: Apache-2.0
"""A party without torch: answers hello, and does what the source that is "loaded" says. It stands for foreign code that has
taken over its process."""

import json
import os
import struct


class Wire:
    def __init__(self, sock):
        self.sock = sock

    def exactly(self, count):
        data = b""
        while len(data) < count:
            part = self.sock.recv(count - len(data))
            if not part:
                raise SystemExit(0)
            data += part
        return data

    def receive(self):
        return json.loads(self.exactly(struct.unpack("<I", self.exactly(4))[0]))

    def send_bytes(self, body, fds=()):
        import socket
        data = struct.pack("<I", len(body)) + body
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("%di" % len(fds), *fds))] if fds else []
        sent = self.sock.sendmsg([data], ancillary)
        self.sock.sendall(data[sent:])

    def answer(self, request, content, fds=()):
        self.send_bytes(json.dumps(dict(content, seq=request["seq"], ok=content.get("ok", True))).encode(), fds)


def arena(content):
    fd = os.memfd_create("arena")
    os.write(fd, content)
    return fd


def main(sock, isolation=()):
    wire = Wire(sock)
    scope = {"wire": wire, "arena": arena}
    while True:
        request = wire.receive()
        if request["op"] == "hello":
            wire.answer(request, {"versions": {"python": "fake"}, "device": {"name": "fake", "capability": None}})
        elif request["op"] == "load":
            scope["request"] = request
            exec(request["source"], scope)
            if "on" not in scope:
                wire.answer(request, {})
        elif "on" in scope:
            scope["on"](request)
        else:
            wire.answer(request, {})
