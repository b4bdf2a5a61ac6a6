// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace assay::contract {

/// What a compiler made of one kernel for one target. Every part may be empty; all of it is a claim of the candidate's process.
struct KernelCode {
    std::string metadata; ///< Triton's, a JSON object
    std::string ptx;
    std::vector<std::byte> cubin;
    std::string error; ///< "RuntimeError: ptxas fatal ...": why there is no code
};

/// One configuration of a Triton kernel that the candidate compiled.
struct TritonKernel {
    std::string name;
    bool isLoaded = false;    ///< the driver took it: it could be launched
    bool isAutotuned = false; ///< an autotuner chooses among configurations and does without those that do not fit
    KernelCode own;           ///< for the device that it runs on
    bool hasBlackwell = false;
    KernelCode blackwell; ///< compiled again for compute capability 10.0
};

/// One CUDA source compiled once more.
struct CudaCompilation {
    enum class Outcome { Compiled, Rejected, Failed, Absent };
    Outcome outcome = Outcome::Absent;
    std::vector<std::byte> cubin;
    std::string log;
};

/// What the candidate had torch compile from CUDA sources.
struct CudaBuild {
    std::string name;
    std::vector<std::byte> library;         ///< the shared object, device code inside; empty where it was compiled at run time
    std::vector<CudaCompilation> device;    ///< for the device that it runs on, where there is no library
    std::vector<CudaCompilation> blackwell; ///< for compute capability 10.0
};

/// What is known of the kernels that a candidate launched.
struct KernelEvidence {
    int deviceSm = 0;            ///< 90, 100, ... of the device that it runs on; 0: no CUDA device
    bool definesKernels = false; ///< its source has Triton or CUDA kernels, launched or not
    std::vector<TritonKernel> kernels;
    std::vector<CudaBuild> builds;
    std::vector<std::string> gaps; ///< evidence that could not be had, one line each
};

} // namespace assay::contract
