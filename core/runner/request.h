// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/party.h"
#include "core/runner/arena.h"
#include "core/text/json.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace assay::runner {

/// One request to a party while it is written: members through writer(), tensors into its arena
/// (resources/worker/PROTOCOL.md, "Requests").
class Request {
public:
    struct Sealed {
        std::string text;
        Descriptor arena; ///< none where the request has no tensors
    };

    explicit Request(std::string_view op);
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;

    const std::string& op() const { return m_op; }
    json::Writer& writer() { return m_writer; }

    void text(const char* key, std::string_view value);
    void integer(const char* key, std::int64_t value);
    void unsignedInteger(const char* key, std::uint64_t value);
    void boolean(const char* key, bool value);

    /// The object `{"dtype", "shape", "strides", "offset"}` of one tensor.
    void tensor(const tensor::HostTensor& value);
    void tensors(const char* key, const std::vector<tensor::HostTensor>& values);
    /// `[{"name", tensor fields}]`. Entries named in @p complexNames are pairs of real and imaginary parts.
    void state(const char* key, const contract::ModuleState& values, const std::set<std::string>& complexNames);
    /// One step of a script.
    void step(const contract::Step& step, const std::set<std::string>& complexNames);

    /// The finished frame; nothing can be added afterwards.
    Sealed finish(std::uint64_t sequence);

private:
    std::string m_op;
    void tensorFields(const tensor::HostTensor& value);
    void callFields(const contract::Step& step);

    rapidjson::StringBuffer m_buffer;
    json::Writer m_writer{m_buffer};
    ArenaWriter m_arena;
};

} // namespace assay::runner
