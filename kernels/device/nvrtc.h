// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace assay::device {

/// What came of one compilation.
struct NvrtcResult {
    enum class Outcome {
        Compiled, ///< `cubin` holds the code
        Rejected, ///< the source does not compile for this target; `log` says why
        Failed,   ///< the library itself gave up; `log` says where
    };
    Outcome outcome = Outcome::Failed;
    std::vector<std::byte> cubin;
    std::string log; ///< of the compiler and, with its figures for every kernel, of the assembler
};

/// NVIDIA's run-time compiler, loaded where a machine has it. It makes device code without a GPU and without a driver.
///
/// It reads the foreign text inside the calling process, include files of the machine among it: call it from a sandboxed process.
class Nvrtc {
public:
    /// Where the library was looked for and what was wrong, if it is absent.
    struct Search {
        std::shared_ptr<const Nvrtc> library; ///< null where absent
        std::string absence;                  ///< one line
    };

    /// Looks in @p folders (a folder of libraries, a CUDA toolkit, or a site-packages folder whose wheels bring it), then where
    /// the system's loader looks, then in $CUDA_HOME, $CUDA_PATH and /usr/local/cuda.
    static Search find(const std::vector<std::filesystem::path>& folders = {});

    ~Nvrtc();
    Nvrtc(const Nvrtc&) = delete;
    Nvrtc& operator=(const Nvrtc&) = delete;

    const std::string& path() const { return m_path; } ///< as it was loaded
    int majorVersion() const { return m_major; }
    int minorVersion() const { return m_minor; }

    /// True where the library can make code for @p architecture (90 for "sm_90a").
    bool supports(int architecture) const;

    /// Compiles CUDA C++ to machine code.
    /// @param target   "sm_80", "sm_90a", "sm_100a"
    /// @param options  further options of the compiler, such as "-I..." and "--std=c++17"; figures of the assembler are asked
    ///                 for already
    NvrtcResult compile(const std::string& source, const std::string& target, const std::vector<std::string>& options = {}) const;

private:
    struct Functions;
    Nvrtc();
    std::string failure(const char* call, int code) const;
    std::string programLog(void* program) const;

    std::unique_ptr<Functions> m_functions;
    std::string m_path;
    int m_major = 0;
    int m_minor = 0;
};

} // namespace assay::device
