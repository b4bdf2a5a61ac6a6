#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts down is complete, and the programs find their data there whatever the prefix is.
#   installed.sh BUILD_DIR
set -euo pipefail
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix="$work/a prefix"
failures=0
complain() { echo "installed: $*" >&2; failures=$((failures + 1)); }

cmake --install "$build" --prefix "$prefix" >/dev/null
cd "$prefix"

for file in bin/assay bin/assay-workbench share/applications/org.assay.Workbench.desktop share/metainfo/org.assay.Workbench.metainfo.xml \
    share/mime/packages/org.assay.Workbench.xml share/icons/hicolor/scalable/apps/org.assay.Workbench.svg \
    share/assay/corpus/import.sh share/assay/corpus/sample/verdicts.jsonl.gz share/assay/corpus/sample/kernels.jsonl \
    share/assay/mutants/reference.py share/assay/controls/compiled_candidate.py \
    share/assay/corpus/sample/kernelbench-run/eval_results.json share/assay/worker/assay_worker/parquet_rows.py \
    share/doc/assay/README.md share/doc/assay/copyright share/doc/assay/LICENSES/Apache-2.0.txt \
    share/doc/assay/LICENSES/GPL-3.0-or-later.txt; do
    [ -s "$file" ] || complain "$file is missing"
done
while IFS= read -r file; do
    complain "$file should not be installed"
done < <(find . -type f -not -path './bin/assay' -not -path './bin/assay-workbench' -not -path './share/*' -o -name '*.pyc' -o -name 'tst_*' -o -type d -empty)

version=$(bin/assay --version)
[ "$(bin/assay-workbench --version)" = "${version/#assay/assay-workbench}" ] || complain "the two programs tell different versions"
program=$(sed -n 's/^Exec=\([^ ]*\).*/\1/p' share/applications/org.assay.Workbench.desktop)
[ -x "bin/$program" ] || complain "the .desktop file starts $program, which is not installed"
icon=$(sed -n 's/^Icon=//p' share/applications/org.assay.Workbench.desktop)
[ -f "share/icons/hicolor/scalable/apps/$icon.svg" ] || complain "the .desktop file shows the icon $icon, which is not installed"

share/assay/corpus/import.sh bin/assay "$work/sample.db" >/dev/null || complain "the sample corpus cannot be imported"
bin/assay-workbench "$work/sample.db" --grab "$work/sample.png" || complain "the window cannot show the sample corpus"
[ -s "$work/sample.png" ] || complain "no picture was written"

# A reader that only this prefix has: the programs must take it and not the one of the source tree.
printf 'import sys\nprint(\047{"id": "1", "title": "from the prefix", "code": "def f(): pass"}\047)\n' >share/assay/worker/assay_worker/parquet_rows.py
printf 'PAR1 stands for a table PAR1' >"$work/rows.parquet"
bin/assay import "$work/rows.parquet" --db "$work/rows.db" >/dev/null || complain "the Parquet reader of the prefix was not run"
bin/assay show --db "$work/rows.db" 1 | grep -q 'from the prefix' || complain "the data of another place were used"
[ "$failures" -eq 0 ]
