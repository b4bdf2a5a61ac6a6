#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the operator's kernels are put through on a machine with a device.
#
#   device_session.sh collect BUILD FOLDER    copies what is needed from a build, so that it can be taken to that machine
#   device_session.sh check FOLDER            accuracy of the short cases, few repeats: seconds
#   device_session.sh bench FOLDER [SAMPLES]  times of the published shapes, a JSON line each
#   device_session.sh all FOLDER              accuracy of all cases, 1,000 repeats: minutes
#   device_session.sh sanitize FOLDER         compute-sanitizer, once it has found a planted fault
set -eu
verb=$1
if [ "$verb" = collect ]; then
    mkdir -p "$3"
    cp "$2/lib/libassay_gdn.so" "$2/tests/gdn_device_check" "$2/tests/bench_gdn" "$0" "$3"
    # The formatting library is seldom installed where kernels run.
    ldd "$2/tests/gdn_device_check" | awk '/libfmt/ { print $3 }' | xargs -I{} cp -L {} "$3"
    exit 0
fi
folder=$(cd "$2" && pwd)
export LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
check="$folder/gdn_device_check cuda $folder/libassay_gdn.so"
case $verb in
check) $check short 20 ;;
bench) "$folder/bench_gdn" "$folder/libassay_gdn.so" "${3:-20}" ;;
all) $check all 1000 ;;
sanitize)
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    cat > "$work/fault.cu" << 'EOF'
__global__ void fault(int* p) { p[1 << 20] = 1; }
int main()
{
    int* p = nullptr;
    cudaMalloc(&p, 4);
    fault<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    return 0;
}
EOF
    nvcc -o "$work/fault" "$work/fault.cu"
    if compute-sanitizer --tool memcheck --error-exitcode 9 "$work/fault" > "$work/log" 2>&1; then
        echo "compute-sanitizer finds no planted fault here, so what it says of the kernels means nothing"
        exit 77
    fi
    grep -q "Invalid __global__ write" "$work/log" || { cat "$work/log"; exit 77; }
    for tool in memcheck racecheck initcheck synccheck; do
        echo "== $tool"
        compute-sanitizer --tool $tool --error-exitcode 9 $check short 2
    done
    ;;
*)
    echo "unknown: $verb" >&2
    exit 2
    ;;
esac
