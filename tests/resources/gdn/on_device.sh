#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the operator for torch is put through on a machine with a CUDA device: accuracy of every family, streams, strides, repeats that
# must give the same bits, and a training whose loss curves are written.
#   on_device.sh WHEEL OUT [REPEATS]        WHEEL: what `ninja assay_wheel` made; OUT: a folder for what was said and curves.csv
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python=${ASSAY_PYTHON:-python3}
worker=$(mktemp -d)
trap 'rm -rf "$worker"' EXIT
mkdir -p "$2"
"$python" -m zipfile -e "$1" "$worker"
status=0
"$python" "$here/test_cuda.py" "$worker" "${3:-1000}" 2>&1 | tee "$2/test_cuda.txt" || status=$?
"$python" "$here/train_two_layers.py" "$worker" --out "$2/curves.csv" 2>&1 | tee "$2/training.txt" || status=$?
exit "$status"
