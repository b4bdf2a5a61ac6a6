// SPDX-License-Identifier: Apache-2.0
#include "core/runner/party_process.h"

#include "core/runner/kernel_answer.h"

#include <fmt/format.h>

namespace assay::runner {

namespace {

using contract::Asked;
using contract::PartyFailure;

/// The request that loads @p setup's source.
void fillLoad(Request& request, const PartySetup& setup, std::string_view entry)
{
    request.text("source", setup.source);
    request.text("entry", entry);
    request.unsignedInteger("seed", setup.seed);
    request.text("device", setup.device);
}

void writeSizes(Request& request, const contract::SizeChoice& sizes)
{
    request.writer().Key("sizes");
    request.writer().StartObject();
    for (const auto& [slot, value] : sizes.slots)
        request.integer(fmt::format("{}", slot).c_str(), value);
    request.writer().EndObject();
    request.writer().Key("uses");
    request.writer().StartObject();
    for (const auto& [use, value] : sizes.singleUses)
        request.integer(fmt::format("{}.{}", use.first, use.second).c_str(), value);
    request.writer().EndObject();
}

PartyFailure complexUnsupported()
{
    PartyFailure failure;
    failure.kind = PartyFailure::Kind::UnsupportedValue;
    failure.message = "complex inputs and constructor arguments cannot be judged";
    failure.where = "build";
    return failure;
}

} // namespace

ProcessReference::ProcessReference(ForkServer& server, PartySetup setup)
    : m_session(server, std::move(setup), [this] { return replay(); })
{
}

std::optional<PartyFailure> ProcessReference::setState(int instance, const contract::ModuleState& values)
{
    return m_session.setState(instance, values);
}

Asked<std::vector<contract::StepResult>> ProcessReference::run(const contract::Script& script)
{
    return m_session.run(script);
}

std::optional<PartyFailure> ProcessReference::restart()
{
    return m_session.restart();
}

std::optional<PartyFailure> ProcessReference::replay()
{
    if (m_loaded) {
        if (const auto loaded = load(); !loaded)
            return loaded.failure();
    }
    for (const auto& [instance, built] : m_built) {
        if (const auto again = sendBuild(instance, built); !again)
            return again.failure();
    }
    return std::nullopt;
}

bool ProcessReference::renew(PartySetup setup)
{
    const PartySetup& own = m_session.setup();
    if (!m_session.isSound() || setup.source != own.source || setup.device != own.device)
        return false;
    m_loaded = false;
    m_isRenewed = true;
    m_built.clear();
    return !m_session.renew(std::move(setup));
}

Asked<std::vector<contract::SizeSlot>> ProcessReference::load()
{
    auto slots = sendLoad();
    if (!slots && m_isRenewed) {
        if (auto failure = m_session.restart())
            return *failure;
        slots = sendLoad();
    }
    m_isRenewed = false;
    return slots;
}

Asked<std::vector<contract::SizeSlot>> ProcessReference::sendLoad()
{
    Request request("load");
    fillLoad(request, m_session.setup(), "Model");
    auto slots = m_session.ask<std::vector<contract::SizeSlot>>(request, m_session.setup().limits.load,
                                                                [](Answer& answer) { return readSlots(answer.document); });
    m_loaded = m_loaded || slots;
    return slots;
}

Asked<contract::Footprint> ProcessReference::footprint(const contract::SizeChoice& sizes, std::uint64_t seed)
{
    Request request("footprint");
    request.unsignedInteger("seed", seed);
    writeSizes(request, sizes);
    return m_session.ask<contract::Footprint>(request, m_session.setup().limits.build, [](Answer& answer) {
        return readFootprint(memberOf(answer.document, "footprint"));
    });
}

Asked<contract::Instance> ProcessReference::build(int instance, const contract::SizeChoice& sizes, std::uint64_t seed)
{
    const Built built{sizes, seed};
    auto made = sendBuild(instance, built);
    if (made)
        m_built[instance] = built;
    return made;
}

Asked<contract::Instance> ProcessReference::sendBuild(int instance, const Built& built)
{
    Request request("build");
    request.integer("instance", instance);
    request.unsignedInteger("seed", built.seed);
    writeSizes(request, built.sizes);
    auto made = m_session.ask<BuiltInstance>(request, m_session.setup().limits.build,
                                             [&](Answer& answer) { return readInstance(answer, instance); });
    if (!made)
        return made.failure();
    if (made->hasComplexLeaves)
        return complexUnsupported();
    m_session.setComplexNames(instance, made->complexNames);
    return made->instance;
}

Asked<std::vector<tensor::HostTensor>> ProcessReference::condition(int instance, const contract::StimulusPtr& stimulus, int draws,
                                                                   double unit, std::uint64_t seed)
{
    if (auto failure = m_session.put({stimulus}))
        return *failure;
    Request request("condition");
    request.integer("instance", instance);
    request.unsignedInteger("stimulus", stimulus->id);
    request.integer("draws", draws);
    request.writer().Key("unit");
    json::writeNumber(request.writer(), unit);
    request.unsignedInteger("seed", seed);
    return m_session.ask<std::vector<tensor::HostTensor>>(request, m_session.setup().limits.measure, [](Answer& answer) {
        return readTensors(arrayOf(answer.document, "leaves"), answer.arena);
    });
}

Asked<std::vector<std::int64_t>> ProcessReference::extent(int instance, const contract::StimulusPtr& stimulus)
{
    if (auto failure = m_session.put({stimulus}))
        return *failure;
    Request request("extent");
    request.integer("instance", instance);
    request.unsignedInteger("stimulus", stimulus->id);
    request.integer("samples", 3);
    return m_session.ask<std::vector<std::int64_t>>(request, m_session.setup().limits.measure, [](Answer& answer) {
        return readIntegers(arrayOf(answer.document, "extent"));
    });
}

ProcessCandidate::ProcessCandidate(ForkServer& server, PartySetup setup)
    : m_session(server, std::move(setup), [this] { return replay(); })
{
}

std::optional<PartyFailure> ProcessCandidate::setState(int instance, const contract::ModuleState& values)
{
    return m_session.setState(instance, values);
}

Asked<std::vector<contract::StepResult>> ProcessCandidate::run(const contract::Script& script)
{
    return m_session.run(script);
}

std::optional<PartyFailure> ProcessCandidate::restart()
{
    return m_session.restart();
}

std::optional<PartyFailure> ProcessCandidate::replay()
{
    if (m_loaded) {
        if (auto failure = load())
            return failure;
    }
    for (const auto& [instance, built] : m_built) {
        if (const auto again = sendBuild(instance, built); !again)
            return again.failure();
    }
    return std::nullopt;
}

std::optional<PartyFailure> ProcessCandidate::load()
{
    Request request("load");
    fillLoad(request, m_session.setup(), "ModelNew");
    auto failure = m_session.ask(request, m_session.setup().limits.load);
    m_loaded = m_loaded || !failure;
    return failure;
}

Asked<contract::ModuleState> ProcessCandidate::build(int instance, const contract::Instance& like, std::uint64_t seed)
{
    const Built built{like.init, like.inputs, like.initLeaves, seed};
    auto made = sendBuild(instance, built);
    if (made)
        m_built[instance] = built;
    return made;
}

Asked<contract::ModuleState> ProcessCandidate::sendBuild(int instance, const Built& built)
{
    Request request("build");
    request.integer("instance", instance);
    request.unsignedInteger("seed", built.seed);
    request.writer().Key("init");
    request.writer().RawValue(built.init.data(), built.init.size(), rapidjson::kObjectType);
    if (!built.inputs.empty()) {
        request.writer().Key("inputs");
        request.writer().RawValue(built.inputs.data(), built.inputs.size(), rapidjson::kObjectType);
    }
    request.tensors("init_leaves", built.leaves);
    auto made = m_session.ask<BuiltState>(request, m_session.setup().limits.build, [](Answer& answer) {
        return readState(arrayOf(answer.document, "state"), answer.arena);
    });
    if (!made)
        return made.failure();
    m_session.setComplexNames(instance, std::move(made->complexNames));
    return std::move(made->entries);
}

Asked<contract::KernelEvidence> ProcessCandidate::resources(int instance, bool blackwell)
{
    Request request("resources");
    request.integer("instance", instance);
    request.boolean("blackwell", blackwell);
    auto evidence = m_session.ask<contract::KernelEvidence>(request, m_session.setup().limits.measure, readKernelEvidence);
    // What the source says cannot be taken back by the process that runs it.
    if (evidence && definesKernels(m_session.setup().source))
        evidence->definesKernels = true;
    return evidence;
}

} // namespace assay::runner
