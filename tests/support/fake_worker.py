#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A worker that judges by the candidate's first word, for tests of those who ask one: no torch, no sandbox.

pass | fail | fail-by FILE (its second element is what FILE says; 2 is right) | die | die-once FILE (dies unless FILE exists, which it
makes) | wait FILE (its first gate passes at once; the rest once FILE exists)
The contract is answered as it was asked, so ask with a whole contract.
"""
import base64
import hashlib
import json
import os
import struct
import sys
import time

VERSIONS = {"python": "3", "torch": "fake", "triton": None, "cuda": None}


def say(**members):
    print(json.dumps(members, separators=(",", ":")), flush=True)


def failing_gate(second):
    def tensor(role, value):
        return {"role": role, "name": "0" if role == "input" else "", "dtype": "float32", "shape": [2],
                "data": base64.b64encode(struct.pack("<2f", 1.0, value)).decode()}

    call = {"init": {"list": []}, "arguments": {"list": [{"tensor": 0}]}, "cast": "", "seed": 0, "left_out": []}
    return {"id": "CMP-01", "verdict": "fail", "severity": "hard", "exercised": 2, "total": 2, "finding": "The second is wrong.",
            "reason": "bound", "power": "", "seconds": 0.1, "checks": [
                {"code": "CMP-01.normal", "verdict": "pass", "severity": None, "metric": "error over bound", "value": 0.5,
                 "threshold": 1, "reason": "", "sentence": "", "stimulus": {"label": "N(0,1)", "recipe": "{}", "sha256": "aa"}},
                {"code": "CMP-01.wide", "verdict": "fail", "severity": "hard", "metric": "error over bound", "value": "Infinity",
                 "threshold": 1, "reason": "bound", "sentence": "The second is wrong.",
                 "stimulus": {"label": "1e3 N(0,1)", "recipe": "{\"regime\":\"wide\"}", "sha256": "bb"}, "output": "",
                 "worst_index": [1],
                 "evidence": [tensor("input", 2.0), tensor("reference", 2.0), tensor("candidate", second),
                              {"role": "call", "name": "call", "data": call}]}]}


def verdict(request, word, second=3.0):
    contract = request["contract"]
    text = json.dumps(contract, separators=(",", ":"))
    failed = word in ("fail", "fail-by") and second != 2.0
    passing = {"id": "CMP-01", "verdict": "pass", "severity": None, "exercised": 2, "total": 2, "finding": "Clean.",
               "reason": "", "power": "", "seconds": 0.1, "checks": []}
    say(id=request["id"], event="verdict", schema="assay.verify/1", verdict="fail" if failed else "pass",
        verdict_hard="fail" if failed else "pass", profile=contract["profile"], contract_hash=hashlib.sha256(text.encode()).hexdigest(),
        contract=contract, hard_failures=["CMP-01"] if failed else [], soft_failures=[],
        flags=[{"code": "signed_zero", "gate": "CMP-01", "sentence": "A zero has another sign."}], alignment="seed",
        reason="The second is wrong." if failed else "", baseline=baseline(request), gates=[failing_gate(second) if failed else passing],
        isolation=["nothing is enforced"], device=request["device"], device_facts=None, versions=VERSIONS, seed=request["seed"],
        seconds=0.25, remedy="")


def baseline(request):
    mode = request.get("baseline")
    return mode and {"mode": mode, "verdict": "pass", "trials": {"passed": 5, "total": 5}, "detail": ""}


def verify(request):
    word, _, place = request["candidate"]["source"].strip().partition(" ")
    if word == "die" or (word == "die-once" and not os.path.exists(place)):
        if place:
            open(place, "w").close()
        print("killed by the kernel", file=sys.stderr, flush=True)
        os._exit(9)
    if word == "wait":
        say(id=request["id"], event="gate", gate={"id": "CMP-01", "verdict": "pass", "severity": None})
    while word == "wait" and not os.path.exists(place):
        say(event="alive")
        time.sleep(0.02)
    if word == "fail-by":
        with open(place, encoding="ascii") as answer:
            verdict(request, word, float(answer.read()))
    else:
        verdict(request, word)


for line in sys.stdin:
    asked = json.loads(line)
    if asked["op"] == "verify":
        verify(asked)
    elif asked["op"] == "doctor":
        say(id=asked["id"], event="doctor", findings=[], versions=VERSIONS, device_facts={"name": "Fake device"})
    elif asked["op"] == "warm":
        say(id=asked["id"], event="warm")
    elif asked["op"] == "hello":
        say(id=asked["id"], event="hello", version="fake")
