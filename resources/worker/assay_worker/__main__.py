# SPDX-License-Identifier: Apache-2.0
"""python -m assay_worker VERB: the Python side of Assay's judgements."""

import sys


def main():
    verb = sys.argv[1] if len(sys.argv) > 1 else ""
    if verb == "forkserver":
        from . import forkserver
        return forkserver.main(sys.argv[2:])
    print("usage: python -m assay_worker forkserver", file=sys.stderr)
    return 2


sys.exit(main())
