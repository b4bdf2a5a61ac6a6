# SPDX-License-Identifier: Apache-2.0
"""The process that parties are forked from: it has imported what is slow to import and runs no foreign code.

One party is a chain of three processes, each forked from the one before:
  maker   leaves the namespaces of the server and ends
  keeper  first process of the new process namespace: mounts private folders, holds the leash, reports how the party ended. Where
          it ends, for whatever reason, the kernel ends everything in the namespace
  party   gives up its rights for good, then runs assay_worker.party (or the module that the judge names)
"""

import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
import struct
import sys
import tempfile
import traceback

from . import _judge, triton_warm

_PARTY_SOCKET = 3
_SUBFOLDERS = {"HOME": "home", "TMPDIR": "tmp", "TRITON_CACHE_DIR": "triton", "TORCH_EXTENSIONS_DIR": "extensions",
               "TORCHINDUCTOR_CACHE_DIR": "inductor", "XDG_CACHE_HOME": "cache", "CUDA_CACHE_PATH": "cuda",
               "MPLCONFIGDIR": "matplotlib", "NUMBA_CACHE_DIR": "numba"}


def main(arguments):
    """Serves the judge on the socket with the number in `arguments` until it closes."""
    control = socket.socket(fileno=int(arguments[0]))
    start, _ = _receive(control, 0)
    isolation = _judge.drop_privileges() if start["sandbox"] else []
    problem = _warm(start["warm"] + [start["party"]])
    if problem is not None:
        _send(control, dict(problem, ok=False))
        return 1
    start["triton"] = triton_warm.prepare() if "?triton" in start["warm"] and "triton" in sys.modules else {}
    gc.collect()
    gc.freeze()
    _send(control, {"ok": True, "isolation": isolation})
    while True:
        received = _receive(control, 3)
        if received is None:
            return 0
        _fork(control, received[1], start)
        _send(control, {"ok": True})


def _warm(modules):
    """Imports `modules` ("?name" may be missing). Returns what to tell where one does not import."""
    for module in modules:
        name = module.lstrip("?")
        try:
            importlib.import_module(name)
        except Exception as error:
            if module.startswith("?"):
                continue
            text = ("%s: %s" % (type(error).__name__, error)).split("\n")[0]
            absent = isinstance(error, ModuleNotFoundError) and error.name == name
            return {"problem": "no %s in this Python" % name if absent else "%s does not import (%s)" % (name, text),
                    "remedy": _installing(name) if absent
                    else "Try %s -c 'import %s'" % (sys.executable, name)}
    return None


def _installing(name):
    debian = "apt install python3-torch for Debian's own Python, else " if name == "torch" else ""
    return "Install it: %s%s -m pip install %s" % (debian, sys.executable, name)


def _receive(sock, files):
    """One frame with its files, or None where the judge has gone."""
    head, fds, _, _ = socket.recv_fds(sock, 4, files, socket.MSG_CMSG_CLOEXEC)
    head += _exactly(sock, 4 - len(head)) if head else b""
    if not head:
        return None
    return json.loads(_exactly(sock, struct.unpack("<I", head)[0])), fds


def _exactly(sock, count):
    data = b""
    while len(data) < count:
        part = sock.recv(count - len(data))
        if not part:
            raise EOFError("the judge closed the control socket inside a frame")
        data += part
    return data


def _send(sock, message):
    body = json.dumps(message).encode()
    sock.sendall(struct.pack("<I", len(body)) + body)


def _fork(control, fds, start):
    talk, output, leash = fds
    maker = os.fork()
    if maker == 0:
        _last_step(_make, control, talk, output, leash, start)
    for fd in fds:
        os.close(fd)
    os.waitpid(maker, 0)


def _last_step(step, *arguments):
    """Runs `step` in a fresh child, which ends with it whatever happens."""
    code = 1
    try:
        code = step(*arguments)
    except SystemExit as wanted:
        code = wanted.code if isinstance(wanted.code, int) else 0 if wanted.code is None else 1
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code & 0xFF)


def _make(control, talk, output, leash, start):
    control.close()
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    missing = _judge.enter_namespaces()
    if os.fork() == 0:
        _last_step(_keep, talk, leash, missing, start)
    return 0


def _keep(talk, leash, missing, start):
    folder = start["private_folder"]
    if folder:
        missing += _judge.mount_private(json.dumps({"folders": _private_folders(folder), "bytes": start["folder_bytes"]}))
    else:
        folder = tempfile.mkdtemp(prefix="assay-")
    party = os.fork()
    if party == 0:
        _last_step(_be_party, talk, leash, folder, missing, start)
    os.close(talk)
    ended = os.pidfd_open(party)
    try:
        status = _watch(leash, ended, party)
        if status is not None:
            word = {"signal": os.WTERMSIG(status)} if os.WIFSIGNALED(status) else {"exit": os.WEXITSTATUS(status)}
            os.write(leash, json.dumps(word).encode())
    finally:
        _end_descendants()
        if not start["private_folder"]:
            shutil.rmtree(folder, ignore_errors=True)
    return 0


def _private_folders(folder):
    """Folders to mount over: ours, and those in which programs expect to write, unless the interpreter lives in one."""
    used = [os.path.realpath(path) for path in sys.path + [sys.prefix, sys.base_prefix] if path]
    usual = [path for path in ("/tmp", "/var/tmp", "/dev/shm")
             if os.path.isdir(path) and not any(path == u or u.startswith(path + "/") for u in used)]
    return [folder] + usual


def _watch(leash, ended, party):
    """Waits until the party ends or the judge lets go. Returns the party's wait status, or None."""
    poll = select.poll()
    poll.register(leash, select.POLLIN)
    poll.register(ended, select.POLLIN)
    while True:
        ready = [fd for fd, _ in poll.poll(1000)]
        if ended in ready:
            return os.waitpid(party, 0)[1]
        if leash in ready:
            return None
        _reap_orphans(party)


def _reap_orphans(party):
    """Takes the ends of processes that the party left to us, which would count against its limit."""
    while True:
        found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is None or found.si_pid == party:
            return
        os.waitpid(found.si_pid, 0)


def _end_descendants():
    """Ends what is left of the party and waits for it, so that our own end means that nothing runs any more."""
    while True:
        # In a process namespace of our own -1 is everything in it; elsewhere it would be everything of this user.
        victims = [-1] if os.getpid() == 1 else _children()
        for victim in victims:
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children():
    try:
        with open("/proc/self/task/%d/children" % os.getpid()) as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def _be_party(talk, leash, folder, missing, start):
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    for name, subfolder in _SUBFOLDERS.items():
        path = os.path.join(folder, subfolder)
        os.mkdir(path)
        os.environ[name] = path
    triton_warm.lay(start["triton"], os.environ["TRITON_CACHE_DIR"])
    tempfile.tempdir = None
    os.chdir(os.environ["HOME"])
    missing += _judge.lock_down(json.dumps(start["limits"]))
    os.write(leash, json.dumps({"isolation": missing}).encode() + b"\n")
    # Nothing of the judge's stays open but the socket and the pipe that takes what is printed.
    if talk != _PARTY_SOCKET:
        os.dup2(talk, _PARTY_SOCKET)
    os.closerange(_PARTY_SOCKET + 1, os.sysconf("SC_OPEN_MAX"))
    importlib.import_module(start["party"]).main(socket.socket(fileno=_PARTY_SOCKET), missing)
    return 0
