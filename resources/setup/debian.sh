#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what building, running and testing Assay needs on Debian 12, and nothing that is there already.
#   resources/setup/debian.sh [build|test]...     default: build
set -euo pipefail

build_packages=(
    g++ cmake ninja-build pkg-config ccache mold
    qt6-base-dev qt6-svg-dev libgl1-mesa-dev
    libqcustomplot-dev libqcustomplot2.1-qt6 libqscintilla2-qt6-dev
    libsqlitecpp-dev libsqlite3-dev rapidjson-dev libcli11-dev libfmt-dev libdlpack-dev libboost-dev libssl-dev zlib1g-dev libzstd-dev
    fonts-inter fonts-jetbrains-mono fonts-dejavu-core
    bubblewrap libseccomp-dev python3 python3-dev
)
test_packages=(
    sqlite3 util-linux procps
    clang-format desktop-file-utils appstream dpkg-dev file
    python3-torch python3-scipy
)

wanted=()
for what in "${@:-build}"; do
    case "$what" in
        build) wanted+=("${build_packages[@]}") ;;
        test) wanted+=("${test_packages[@]}") ;;
        *) echo "debian.sh: unknown set '$what' (build, test)" >&2; exit 2 ;;
    esac
done

missing=()
for package in "${wanted[@]}"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "debian.sh: these packages are missing and neither root nor sudo is at hand: ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
echo "Installing: ${missing[*]}"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
