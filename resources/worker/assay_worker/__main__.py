# SPDX-License-Identifier: Apache-2.0
"""python -m assay_worker VERB: the Python side of Assay's judgements."""

import json
import os
import signal
import socket
import sys

USAGE = """usage: python -m assay_worker VERB
  serve            answers requests, one JSON object a line, on standard input and output (assay starts this)
  batch            the same, and finishes what was asked when the input ends
                   [--neighbours N]: of N such processes on this machine, each takes its share of the processors
  gdn              the project's own operator on a device, timed and held against fp64 (assay starts this)
  doctor           says whether candidates can be judged here, and what to do where not
  forkserver FD    the process that parties are forked from (serve starts this)
  party FD         one party without a sandbox, for debugging"""


_FEWEST_THREADS = 2  # with one alone, code that is only wrong between threads would look right


def main(arguments):
    verb = arguments[0] if arguments else ""
    if verb in ("serve", "batch") and (len(arguments) == 1 or _share_processors(arguments[1:])):
        # Python's own handler would only take a note of Ctrl+C while the judge works.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        return serve(0, _private_output(), verb == "batch")
    if verb == "gdn" and len(arguments) == 1:
        from . import gdn_service
        return gdn_service.main()
    if verb == "doctor" and len(arguments) == 1:
        return doctor()
    if verb == "forkserver" and len(arguments) == 2:
        from . import forkserver
        return forkserver.main(arguments[1:])
    if verb == "party" and len(arguments) == 2:
        from . import party
        return party.main(socket.socket(fileno=int(arguments[1])), ["no sandbox: a party that was started by hand"])
    print(USAGE, file=sys.stderr)
    return 2


def _share_processors(arguments):
    """Reads "--neighbours N" and leaves the others their processors, unless the user has said how many threads to use."""
    if len(arguments) != 2 or arguments[0] != "--neighbours" or not arguments[1].isdecimal() or int(arguments[1]) < 1:
        return False
    share = len(os.sched_getaffinity(0)) // int(arguments[1])
    os.environ.setdefault("OMP_NUM_THREADS", str(max(_FEWEST_THREADS, share)))
    return True


def serve(source, sink, finish):
    """Answers requests from the descriptor `source` on `sink`."""
    from . import _judge
    # The package's folder first: -m puts the current folder there, whose files must not stand in for torch.
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    paths = [package] + [path for path in sys.path[1:] if path and os.path.isabs(path)]
    prefixes = [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix]
    return _judge.serve(json.dumps({"python": sys.executable, "import_paths": list(dict.fromkeys(paths)),
                                    "prefixes": list(dict.fromkeys(prefixes)), "input": source, "output": sink,
                                    "finish": finish}))


def _private_output():
    """The real standard output for answers alone: whatever prints in this process goes to standard error."""
    answers = os.dup(1)
    os.dup2(2, 1)
    return answers


def doctor():
    """Asks the judge to make a party and prints what it found. Exit 5 where candidates cannot be judged."""
    asked, ask = os.pipe()
    answer, answers = os.pipe()
    os.write(ask, json.dumps({"id": 1, "op": "doctor"}).encode() + b"\n")
    os.close(ask)
    serve(asked, answers, True)
    os.close(answers)
    with os.fdopen(answer) as lines:
        said = [json.loads(line) for line in lines]
    findings = next(line["findings"] for line in said if line.get("event") == "doctor")
    for finding in findings:
        print("%-10s %-8s %s" % (finding["name"], "present" if finding["present"] else "missing", finding["detail"]))
        if finding["remedy"]:
            print("%-19s %s" % ("", finding["remedy"]))
    return 0 if all(finding["present"] for finding in findings if finding["name"] == "parties") else 5


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
