// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/nvrtc.h"

#include "kernels/device/symbol_finder.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace assay::device {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 3> kNames{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
constexpr int kSuccess = 0;       // NVRTC_SUCCESS
constexpr int kCompilation = 6;   // NVRTC_ERROR_COMPILATION
constexpr int kInvalidOption = 5; // NVRTC_ERROR_INVALID_OPTION

/// Folders in which @p root may have the library: itself, a toolkit's, and those of NVIDIA's wheels.
std::vector<fs::path> libraryFolders(const fs::path& root)
{
    return {root, root / "lib64", root / "lib", root / "nvidia/cu13/lib", root / "nvidia/cuda_nvrtc/lib"};
}

std::vector<std::string> candidates(const std::vector<fs::path>& folders)
{
    std::vector<std::string> paths;
    const auto addExisting = [&paths](const fs::path& root) {
        for (const fs::path& folder : libraryFolders(root))
            for (const char* name : kNames) {
                std::error_code ignored; // a folder that cannot be read holds nothing for us
                if (fs::exists(folder / name, ignored))
                    paths.push_back((folder / name).string());
            }
    };
    std::ranges::for_each(folders, addExisting);
    paths.insert(paths.end(), kNames.begin(), kNames.end());
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* root = std::getenv(variable); root != nullptr && *root != '\0')
            addExisting(root);
    addExisting("/usr/local/cuda");
    return paths;
}

} // namespace

/// The entry points that are used; their types are those of nvrtc.h, where a program is an opaque pointer and a result an int.
struct Nvrtc::Functions {
    int (*version)(int*, int*) = nullptr;
    const char* (*errorString)(int) = nullptr;
    int (*countArchitectures)(int*) = nullptr;
    int (*architectures)(int*) = nullptr;
    int (*create)(void**, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
    int (*destroy)(void**) = nullptr;
    int (*compile)(void*, int, const char* const*) = nullptr;
    int (*logSize)(void*, std::size_t*) = nullptr;
    int (*log)(void*, char*) = nullptr;
    int (*cubinSize)(void*, std::size_t*) = nullptr;
    int (*cubin)(void*, char*) = nullptr;

    /// The name of the first entry point that @p handle lacks, or null.
    const char* load(void* handle)
    {
        SymbolFinder find(handle);
        find(version, "nvrtcVersion");
        find(errorString, "nvrtcGetErrorString");
        find(countArchitectures, "nvrtcGetNumSupportedArchs");
        find(architectures, "nvrtcGetSupportedArchs");
        find(create, "nvrtcCreateProgram");
        find(destroy, "nvrtcDestroyProgram");
        find(compile, "nvrtcCompileProgram");
        find(logSize, "nvrtcGetProgramLogSize");
        find(log, "nvrtcGetProgramLog");
        find(cubinSize, "nvrtcGetCUBINSize");
        find(cubin, "nvrtcGetCUBIN");
        return find.missing();
    }
};

Nvrtc::Nvrtc()
    : m_functions(std::make_unique<Functions>())
{
}

Nvrtc::~Nvrtc() = default;

Nvrtc::Search Nvrtc::find(const std::vector<std::filesystem::path>& folders)
{
    std::string firstProblem;
    for (const std::string& path : candidates(folders)) {
        const std::shared_ptr<Nvrtc> library(new Nvrtc);
        library->m_path = path;
        // never unloaded: the compiler keeps memory of its own until the process ends
        void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        std::string problem;
        if (handle == nullptr) {
            const char* reason = dlerror();
            problem = reason != nullptr ? reason : path;
        } else if (const char* missing = library->m_functions->load(handle)) {
            problem = fmt::format("{} has no {}", path, missing);
        } else if (library->m_functions->version(&library->m_major, &library->m_minor) != kSuccess) {
            problem = fmt::format("{} does not tell its version", path);
        } else {
            return {library, {}};
        }
        if (firstProblem.empty())
            firstProblem = problem;
    }
    return {nullptr,
            fmt::format("NVRTC is absent: {}. A CUDA toolkit or the Python package nvidia-cuda-nvrtc brings it", firstProblem)};
}

bool Nvrtc::supports(int architecture) const
{
    int count = 0;
    if (m_functions->countArchitectures(&count) != kSuccess || count <= 0)
        return false;
    std::vector<int> known(static_cast<std::size_t>(count));
    return m_functions->architectures(known.data()) == kSuccess && std::ranges::find(known, architecture) != known.end();
}

std::string Nvrtc::failure(const char* call, int code) const
{
    const char* text = m_functions->errorString(code);
    return fmt::format("{}: {} ({})", call, text != nullptr ? text : "error", code);
}

std::string Nvrtc::programLog(void* program) const
{
    std::size_t size = 0;
    if (m_functions->logSize(program, &size) != kSuccess || size <= 1)
        return {};
    std::string log(size, '\0');
    if (m_functions->log(program, log.data()) != kSuccess)
        return {};
    log.resize(std::min(log.find('\0'), log.size()));
    return log;
}

NvrtcResult Nvrtc::compile(const std::string& source, const std::string& target, const std::vector<std::string>& options) const
{
    NvrtcResult result;
    void* program = nullptr;
    if (const int code = m_functions->create(&program, source.c_str(), "candidate.cu", 0, nullptr, nullptr); code != kSuccess) {
        result.log = failure("nvrtcCreateProgram", code);
        return result;
    }
    const auto destroy = [this](void* opened) { m_functions->destroy(&opened); };
    const std::unique_ptr<void, decltype(destroy)> owner(program, destroy);

    const std::string architecture = "--gpu-architecture=" + target;
    std::vector<const char*> arguments{architecture.c_str(), "--ptxas-options=-v"};
    for (const std::string& option : options)
        arguments.push_back(option.c_str());
    const int code = m_functions->compile(program, static_cast<int>(arguments.size()), arguments.data());
    result.log = programLog(program);
    if (code != kSuccess) {
        result.outcome
            = code == kCompilation || code == kInvalidOption ? NvrtcResult::Outcome::Rejected : NvrtcResult::Outcome::Failed;
        if (result.log.empty())
            result.log = failure("nvrtcCompileProgram", code);
        return result;
    }
    std::size_t size = 0;
    if (const int sizeCode = m_functions->cubinSize(program, &size); sizeCode != kSuccess) {
        result.log += failure("nvrtcGetCUBINSize", sizeCode);
        return result;
    }
    result.cubin.resize(size);
    if (const int bytesCode = m_functions->cubin(program, reinterpret_cast<char*>(result.cubin.data())); bytesCode != kSuccess) {
        result.cubin.clear();
        result.log += failure("nvrtcGetCUBIN", bytesCode);
        return result;
    }
    result.outcome = NvrtcResult::Outcome::Compiled;
    return result;
}

} // namespace assay::device
