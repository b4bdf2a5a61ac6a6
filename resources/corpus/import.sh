#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Imports the bundled sample corpus: import.sh ASSAY DATABASE
# Its verdicts were measured, and the database says on what; the results of the run folder are illustrative (written down).
set -euo pipefail
assay=$1
database=$2
here=$(dirname "$(readlink -f "$0")")
for part in kernels.jsonl verdicts.jsonl.gz; do
    "$assay" import "$here/sample/$part" --db "$database" --corpus sample --audit "sample on an H200"
done
"$assay" import "$here/sample/kernelbench-run" --db "$database" --corpus "sample run" --option "problems=$here/sample/kernelbench-run/problems" --illustrative
for calibration in "$here"/../calibration/*.jsonl.gz; do
    [ -e "$calibration" ] || continue # none has come with this version
    "$assay" calibrate --load "$calibration" --db "$database"
done
