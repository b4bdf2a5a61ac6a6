# SPDX-License-Identifier: Apache-2.0
"""Runs a function that loads foreign code in a process that is thrown away, under a time limit.

The child shares nothing with its parent but one pipe for the answer: its standard input is empty and its standard output goes to
standard error, so that what foreign code prints never mixes with what the parent says. The child can still write anything it
likes into the pipe; the answer is a claim.
"""

import contextlib
import json
import os
import select
import signal
import sys
import time
import traceback

ANSWER_BYTES = 1 << 20
OPEN_POLL_SECONDS = 0.1
CLOSED_POLL_SECONDS = 0.005
REAP_SECONDS = 5


class Ending:
    """How the child ended: with an `answer` (any JSON value), or without one and with a `reason` that says why."""

    def __init__(self, answer=None, reason=None):
        self.answer = answer
        self.reason = reason


def run(function, argument, timeout):
    """Calls function(argument) in a forked process.

    @param function  returns something that JSON can hold; what it raises counts as no answer
    @param timeout   wall-clock seconds from the fork on, after which the child and its process group are killed
    @return an Ending
    """
    sys.stdout.flush()  # the child must not inherit text that it could write a second time
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _answer(function, argument, writer)  # does not return
    os.close(writer)
    try:
        return _Child(child, reader).ending(timeout)
    finally:
        os.close(reader)


def _answer(function, argument, writer):
    status = 1
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        answer = json.dumps(function(argument)).encode()
        while answer:
            answer = answer[os.write(writer, answer):]
        status = 0
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:  # the process ends here whatever it was
        traceback.print_exc()
    finally:
        os._exit(status & 0xFF)


class _Child:
    """The parent's view of the forked process: its pipe, what came through it, and whether it has ended."""

    def __init__(self, pid, reader):
        self.pid = pid
        self.reader = reader
        self.open = True
        self.received = bytearray()
        self.status = None
        os.set_blocking(reader, False)

    def ending(self, timeout):
        deadline = time.monotonic() + timeout
        # A process that the child left behind may hold the pipe open, so the end of the child counts as the end of the answer.
        while not self.ended():
            if time.monotonic() >= deadline:
                self.kill()
                return Ending(reason=f"it ran past its limit of {timeout:g} seconds")
            select.select([self.reader] if self.open else [], [], [], OPEN_POLL_SECONDS if self.open else CLOSED_POLL_SECONDS)
            self.read()
            if len(self.received) > ANSWER_BYTES:
                self.kill()
                return Ending(reason=f"it sent more than {ANSWER_BYTES} bytes")
        self.read()
        self.kill_group()
        if os.WIFSIGNALED(self.status):
            return Ending(reason=f"signal {signal.Signals(os.WTERMSIG(self.status)).name} ended its process")
        try:
            return Ending(answer=json.loads(self.received.decode()))
        except ValueError:
            return Ending(reason=f"its process ended with status {os.WEXITSTATUS(self.status)} and without an answer")

    def read(self):
        """Takes what is in the pipe now, and a little more than an answer may hold at most."""
        while self.open and len(self.received) <= ANSWER_BYTES:
            try:
                chunk = os.read(self.reader, 1 << 16)
            except BlockingIOError:
                return
            self.received += chunk
            self.open = bool(chunk)

    def ended(self):
        if self.status is None:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            self.status = status if done else None
        return self.status is not None

    def kill(self):
        self.kill_group()
        os.kill(self.pid, signal.SIGKILL)  # not in a group of its own yet, where it was slow to start
        give_up = time.monotonic() + REAP_SECONDS  # a process that hangs inside a driver cannot be waited for
        while not self.ended() and time.monotonic() < give_up:
            select.select([], [], [], CLOSED_POLL_SECONDS)

    def kill_group(self):
        with contextlib.suppress(ProcessLookupError, PermissionError):  # nothing of the group is left
            os.killpg(self.pid, signal.SIGKILL)
