# SPDX-License-Identifier: Apache-2.0
"""A party whose "source" is an attack: it runs the text and answers load with a failure whose message says what came of it."""

import fake_party


def main(sock, isolation=()):
    wire = fake_party.Wire(sock)
    while True:
        request = wire.receive()
        if request["op"] == "hello":
            wire.answer(request, {"versions": {}, "device": {}})
            continue
        scope = {"result": "nothing", "wire": wire}
        try:
            exec(request["source"], scope)
            result = str(scope["result"])
        except BaseException as error:
            result = "%s: %s" % (type(error).__name__, error)
        wire.answer(request, {"ok": False, "failure": {"kind": "raised", "type": "", "message": result, "traceback": "", "where": "load"}})
