// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/party.h"
#include "core/runner/arena.h"
#include "core/text/json.h"

#include <set>
#include <string>
#include <vector>

/// What a party answered, read with suspicion: every function here throws Nonsense where the content is not what
/// resources/worker/PROTOCOL.md says.
namespace assay::runner {

/// One frame of a party.
struct Answer {
    json::Document document;
    ArenaReader arena;
};

/// A constructed module of a party, and which tensors of its state are complex (they cross as pairs).
struct BuiltState {
    contract::ModuleState entries;
    std::set<std::string> complexNames;
};

struct BuiltInstance {
    contract::Instance instance;
    std::set<std::string> complexNames;
    bool hasComplexLeaves = false; ///< a complex constructor argument or input
};

/// @p frame as an object; the members "ok", "failure" and so on are not looked at yet.
json::Document readFrame(std::string_view frame);

contract::PartyFailure readFailure(const json::Value& failure);

std::vector<contract::SizeSlot> readSlots(const json::Value& answer);
contract::Footprint readFootprint(const json::Value& fields);
BuiltInstance readInstance(Answer& answer, int id);
BuiltState readState(const json::Value& list, ArenaReader& arena);

/// @param expected  how many steps the script had
std::vector<contract::StepResult> readSteps(Answer& answer, std::size_t expected);

std::vector<tensor::HostTensor> readTensors(const json::Value& list, ArenaReader& arena);
std::vector<std::int64_t> readIntegers(const json::Value& list);

/// Checked members. @throws Nonsense where @p key is absent or of another type
const json::Value& memberOf(const json::Value& object, const char* key);
const json::Value& arrayOf(const json::Value& object, const char* key);
std::string textOf(const json::Value& object, const char* key);
std::int64_t integerOf(const json::Value& object, const char* key);
bool flagOf(const json::Value& object, const char* key);
/// The texts of a list, anything else in it passed over.
std::vector<std::string> textsOf(const json::Value& object, const char* key);

} // namespace assay::runner
