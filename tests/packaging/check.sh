#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Files that describe the program to a desktop are valid, name each other, and every source file names its licence.
#   check.sh SOURCE_DIR
set -euo pipefail
cd "$1"
failures=0
complain() { echo "packaging: $*" >&2; failures=$((failures + 1)); }

if command -v desktop-file-validate >/dev/null; then
    desktop-file-validate resources/packaging/org.assay.Workbench.desktop || complain "the .desktop file is not valid"
fi
if command -v appstreamcli >/dev/null; then
    appstreamcli validate --no-net resources/packaging/org.assay.Workbench.metainfo.xml >/dev/null || complain "the AppStream file is not valid"
fi
grep -q '>org.assay.Workbench.desktop<' resources/packaging/org.assay.Workbench.metainfo.xml || complain "AppStream does not launch our .desktop file"

while IFS= read -r file; do
    head -n 5 "$file" | grep -q 'SPDX-License-Identifier:' || complain "$file has no SPDX line"
done < <(find app core kernels views tests resources CMakeLists.txt -type f \
    \( -name '*.cpp' -o -name '*.h' -o -name '*.py' -o -name '*.sh' -o -name 'CMakeLists.txt' -o -name '*.in' -o -path '*/run' \) \
    -not -path '*/sample/*' -not -path '*/data/*')

# The two licences follow the dependency rule: GPL libraries are linked from views and app/workbench only.
while IFS= read -r file; do
    complain "$file is GPL but belongs to an Apache-2.0 part"
done < <(grep -rlE 'SPDX-License-Identifier: GPL' core kernels app/cli resources/worker --include='*.cpp' --include='*.h' --include='*.py' || true)
while IFS= read -r file; do
    complain "$file includes Qt, and core and kernels are Qt-free"
done < <(grep -rlE '#include <Q' core kernels app/cli --include='*.cpp' --include='*.h' || true)
[ "$failures" -eq 0 ]
