#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Draws the pictures of the README with the built programs; needs no display.
# Usage: resources/screenshots/make.sh [AUDIT.db [LAUNCHED.db]]
#   AUDIT.db       the published audit; without it the sample corpus stands in
#   LAUNCHED.db    what assay gdn gates --db or the Launch place wrote into; without it that picture stays as it is
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
out=$root/resources/screenshots
bin=${ASSAY_BIN:-$root/build/bin}
scratch=${TMPDIR:-/tmp}/assay-pictures # the status bar shows it, so no random name
mkdir -m 700 "$scratch"
trap 'rm -rf "$scratch"' EXIT
export QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR=$scratch QT_FONT_DPI=96
limit=500000 # bytes a picture

[ -x "$bin/assay-workbench" ] || { echo "make.sh: no $bin/assay-workbench: build it first, or set ASSAY_BIN" >&2; exit 1; }

"$root/resources/corpus/import.sh" "$bin/assay" "$scratch/sample.db" >/dev/null
audit=${1:-$scratch/sample.db}
[ -f "$audit" ] || { echo "make.sh: no database $audit" >&2; exit 1; }
cp "$audit" "$scratch/audit.db"

# The kernel with the largest error of the published audit; the sample has one of the same kind.
kernel=179
"$bin/assay" show 179 --db "$scratch/audit.db" >/dev/null 2>&1 || kernel=145

draw() { # NAME DATABASE OPTION...
    local name=$1 database=$2
    shift 2
    (cd "$scratch" && "$bin/assay-workbench" --grab "$out/$name.png" --size 1600x1000 "$@" "$database")
    local bytes
    bytes=$(stat -c %s "$out/$name.png")
    [ "$bytes" -lt "$limit" ] || { echo "make.sh: $name.png has $bytes bytes, more than $limit" >&2; exit 1; }
    echo "$name.png: $bytes bytes"
}

for theme in light dark; do
    draw "overview-$theme" audit.db --theme "$theme" --page overview
    draw "kernels-$theme" audit.db --theme "$theme" --page kernels --kernel "$kernel" --filter family:scan
done
draw sources-light sample.db --theme light --page kernels --kernel 124 --section sources

python3 "$root/resources/screenshots/two_tensors.py" "$scratch"
draw diff-light candidate.npy --theme light --diff reference.npy
# The sample corpus comes with the calibrations of resources/calibration.
draw calibrate-light sample.db --theme light --place calibrate --gate CMP-01

figure() { # GATE FAMILY DTYPE
    local name=calibration-${1,,}-$2-$3.svg
    (cd "$scratch" && "$bin/assay" figure calibration --db sample.db --gate "$1" --family "$2" --dtype "$3" --out "$out/$name" >/dev/null)
    rm "$out/${name%.svg}.csv" # samples are in resources/calibration
    echo "$name: $(stat -c %s "$out/$name") bytes"
}
figure CMP-01 scan float32
figure ORD-01 softmax float32
figure PRC-01 pooling bfloat16
figure PRC-02 attention float32

if [ -n "${2:-}" ]; then
    cp "$2" "$scratch/launched.db"
    draw launch-light launched.db --theme light --place launch
fi
