#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a Python program under the first interpreter that has Triton; exit status 77 where there is none.
#   with_triton.sh PROGRAM [ARGUMENTS...]        ASSAY_TRITON_PYTHON names an interpreter to use instead
set -euo pipefail
for python in ${ASSAY_TRITON_PYTHON:+"$ASSAY_TRITON_PYTHON"} python3 /usr/bin/python3; do
    if "$python" -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("triton") is None)' 2>/dev/null; then
        exec "$python" "$@"
    fi
done
echo "no Python with Triton (set ASSAY_TRITON_PYTHON)" >&2
exit 77
