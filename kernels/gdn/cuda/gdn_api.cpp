// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/cuda/gdn_api.h"

#include "kernels/gdn/cuda/device_checks.h"
#include "kernels/gdn/cuda/runtime.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace {

using namespace assay::gdn::cuda;

void say(const std::string& line, char* error, std::size_t bytes)
{
    if (!error || bytes == 0)
        return;
    const std::size_t count = std::min(line.size(), bytes - 1);
    std::memcpy(error, line.data(), count);
    error[count] = '\0';
}

/// Turns exceptions into a line: none may leave the library.
template <typename Body> int guarded(char* error, std::size_t bytes, Body body)
{
    try {
        body();
        return 0;
    } catch (const std::exception& exception) {
        say(exception.what(), error, bytes);
    } catch (...) {
        say("an error that is no std::exception", error, bytes);
    }
    return 1;
}

void refuse(const std::string& line)
{
    if (!line.empty())
        throw std::runtime_error(line);
}

void requireUsable(const assay_gdn_call* call, bool isBackward)
{
    if (!call)
        refuse("the call is missing");
    refuse(mistakeIn(*call, isBackward));
    refuse(refusalOf(call->device));
}

/// Events of one measurement.
class Marks {
public:
    explicit Marks(std::size_t count)
    {
        while (m_events.size() < count) {
            cudaEvent_t event = nullptr;
            require(cudaEventCreate(&event), "cudaEventCreate");
            m_events.push_back(event);
        }
    }
    Marks(const Marks&) = delete;
    ~Marks()
    {
        for (cudaEvent_t event : m_events)
            cudaEventDestroy(event);
    }
    const std::vector<cudaEvent_t>& events() const { return m_events; }

private:
    std::vector<cudaEvent_t> m_events;
};

int run(const assay_gdn_call* call, bool isBackward, char* error, std::size_t bytes)
{
    return guarded(error, bytes, [&] {
        requireUsable(call, isBackward);
        const DeviceScope scope(call->device);
        start(*call, isBackward);
    });
}

} // namespace

extern "C" {

const char* assay_gdn_images(void)
{
    return imagesText();
}

int assay_gdn_check(int32_t device, char* error, size_t error_bytes)
{
    return guarded(error, error_bytes, [&] { refuse(refusalOf(device)); });
}

int assay_gdn_workspace(const assay_gdn_call* call, int is_backward, int64_t* bytes, char* error, size_t error_bytes)
{
    return guarded(error, error_bytes, [&] {
        if (!call || !bytes)
            refuse("the call or the place for the answer is missing");
        refuse(mistakeInSizes(*call));
        *bytes = workspaceBytes(*call, is_backward != 0);
    });
}

int assay_gdn_forward(const assay_gdn_call* call, char* error, size_t error_bytes)
{
    return run(call, false, error, error_bytes);
}

int assay_gdn_backward(const assay_gdn_call* call, char* error, size_t error_bytes)
{
    return run(call, true, error, error_bytes);
}

int assay_gdn_profile(const assay_gdn_call* call, int is_backward, const char** names, float* milliseconds, int* count,
                      char* error, size_t error_bytes)
{
    return guarded(error, error_bytes, [&] {
        requireUsable(call, is_backward != 0);
        const DeviceScope scope(call->device);
        const std::vector<Launch> launches = launchesOf(*call, is_backward != 0);
        const Marks marks(launches.size() + 1);
        start(*call, is_backward != 0, &marks.events());
        require(cudaEventSynchronize(marks.events().back()), "the kernels of a profiled call");
        *count = static_cast<int>(launches.size());
        for (std::size_t i = 0; i < launches.size(); ++i) {
            names[i] = name(launches[i].step).data();
            require(cudaEventElapsedTime(&milliseconds[i], marks.events()[i], marks.events()[i + 1]), "cudaEventElapsedTime");
        }
    });
}

} // extern "C"
