#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the cubins, the fat binary and the assembler's figures beside this file from its sources. The results are checked in, because
# a test machine need not have these tools: nvcc, ptxas and nvlink of CUDA 13.0, and, where PTXAS_12 names one, the ptxas of CUDA 12.8.
set -euo pipefail
cd "$(dirname "$0")"

# keeps what a reader compares with: the assembler's own figures, without its timings
figures() { grep -v 'Compile time' || true; }

for sm in 80 90a 100a; do
    nvcc -arch="sm_$sm" -cubin -Xptxas -v -o "plain.sm_$sm.cubin" plain.cu 2>&1 | figures > "plain.sm_$sm.log"
done
for sm in 90a 100a; do
    nvcc -arch="sm_$sm" -cubin -Xptxas -v -o "hopper.sm_$sm.cubin" hopper.cu 2>&1 | figures > "hopper.sm_$sm.log"
done
nvcc -arch=sm_100a -cubin -Xptxas -v -o blackwell.sm_100a.cubin blackwell.cu 2>&1 | figures > blackwell.sm_100a.log
nvcc -arch=sm_100a -ptx -o blackwell.sm_100a.ptx blackwell.cu
ptxas -v -arch=sm_100a required.ptx -o required.sm_100a.cubin 2>&1 | figures > required.sm_100a.log
unlinked=$(mktemp --suffix=.cubin)
nvcc -arch=sm_90 -rdc=true -cubin -o "$unlinked" called.cu
nvlink -arch=sm_90 -o called.sm_90.cubin "$unlinked"
rm "$unlinked"
nvcc -gencode arch=compute_90a,code=[sm_90a,compute_90a] -gencode arch=compute_100a,code=sm_100a -fatbin -o hopper.fatbin hopper.cu

if [ -n "${PTXAS_12:-}" ]; then
    nvcc -arch=sm_80 -ptx -o - plain.cu | sed 's/^\.version.*/.version 8.0/' > plain.12.ptx
    "$PTXAS_12" -v -arch=sm_90 plain.12.ptx -o plain.12.sm_90.cubin 2>&1 | figures > plain.12.sm_90.log
    rm plain.12.ptx
fi
