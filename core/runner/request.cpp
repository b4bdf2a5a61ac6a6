// SPDX-License-Identifier: Apache-2.0
#include "core/runner/request.h"

namespace assay::runner {

namespace {

using contract::Step;

const char* word(Step::Do action)
{
    switch (action) {
    case Step::Do::Input:
        return "input";
    case Step::Do::Refill:
        return "refill";
    case Step::Do::Seed:
        return "seed";
    case Step::Do::Train:
        return "train";
    case Step::Do::State:
        return "state";
    case Step::Do::Restore:
        return "restore";
    case Step::Do::Call:
        return "call";
    case Step::Do::Read:
        return "read";
    case Step::Do::Vjp:
        return "vjp";
    }
    return "";
}

const char* word(Step::Memory memory)
{
    switch (memory) {
    case Step::Memory::Fresh:
        return "fresh";
    case Step::Memory::Poisoned:
        return "poisoned";
    case Step::Memory::Guarded:
        return "guarded";
    case Step::Memory::Recycled:
        return "recycled";
    }
    return "";
}

} // namespace

Request::Request(std::string_view op)
    : m_op(op)
{
    m_writer.StartObject();
    text("op", op);
}

void Request::text(const char* key, std::string_view value)
{
    m_writer.Key(key);
    m_writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void Request::integer(const char* key, std::int64_t value)
{
    m_writer.Key(key);
    m_writer.Int64(value);
}

void Request::unsignedInteger(const char* key, std::uint64_t value)
{
    m_writer.Key(key);
    m_writer.Uint64(value);
}

void Request::boolean(const char* key, bool value)
{
    m_writer.Key(key);
    m_writer.Bool(value);
}

void Request::tensorFields(const tensor::HostTensor& value)
{
    const ArenaPlace place = m_arena.add(value);
    text("dtype", tensor::name(place.dtype));
    const auto list = [&](const char* key, const std::vector<std::int64_t>& numbers) {
        m_writer.Key(key);
        m_writer.StartArray();
        for (const std::int64_t number : numbers)
            m_writer.Int64(number);
        m_writer.EndArray();
    };
    list("shape", place.shape);
    list("strides", place.strides);
    integer("offset", place.offset);
    if (place.lead > 0)
        integer("lead", place.lead);
}

void Request::tensor(const tensor::HostTensor& value)
{
    m_writer.StartObject();
    tensorFields(value);
    m_writer.EndObject();
}

void Request::tensors(const char* key, const std::vector<tensor::HostTensor>& values)
{
    m_writer.Key(key);
    m_writer.StartArray();
    for (const tensor::HostTensor& value : values)
        tensor(value);
    m_writer.EndArray();
}

void Request::state(const char* key, const contract::ModuleState& values, const std::set<std::string>& complexNames)
{
    m_writer.Key(key);
    m_writer.StartArray();
    for (const contract::StateEntry& entry : values) {
        m_writer.StartObject();
        text("name", entry.name);
        tensorFields(entry.value);
        if (complexNames.contains(entry.name))
            boolean("complex", true);
        m_writer.EndObject();
    }
    m_writer.EndArray();
}

void Request::step(const Step& step, const std::set<std::string>& complexNames)
{
    m_writer.StartObject();
    text("do", word(step.action));
    switch (step.action) {
    case Step::Do::Input:
        text("as", step.input);
        unsignedInteger("stimulus", step.stimulus->id);
        text("memory", word(step.memory));
        boolean("requires_grad", step.requiresGrad);
        break;
    case Step::Do::Refill:
    case Step::Do::Vjp:
        text("input", step.input);
        unsignedInteger("stimulus", step.stimulus->id);
        break;
    case Step::Do::Seed:
        unsignedInteger("value", step.seed);
        break;
    case Step::Do::Train:
        boolean("on", step.training);
        break;
    case Step::Do::State:
        state("values", step.state, complexNames);
        text("how", step.loadStateDict ? "load_state_dict" : "in_place");
        break;
    case Step::Do::Restore:
        break;
    case Step::Do::Call:
        callFields(step);
        break;
    case Step::Do::Read:
        text("kept", step.keep);
        break;
    }
    m_writer.EndObject();
}

void Request::callFields(const Step& step)
{
    text("input", step.input);
    m_writer.Key("keep");
    if (step.keep.empty())
        m_writer.Null();
    else
        m_writer.String(step.keep);
    integer("times", step.times);
    text("return", "outputs");
    boolean("inputs_after", step.inputsAfter);
    boolean("state_after", step.stateAfter);
    boolean("fresh", step.freshInputs);
    boolean("grad", step.requiresGrad);
    if (step.residency)
        boolean("residency", true);
}

Request::Sealed Request::finish(std::uint64_t sequence)
{
    unsignedInteger("seq", sequence);
    if (!m_arena.isEmpty())
        integer("arena_bytes", m_arena.bytes());
    m_writer.EndObject();
    Sealed sealed;
    sealed.text.assign(m_buffer.GetString(), m_buffer.GetSize());
    if (!m_arena.isEmpty())
        sealed.arena = m_arena.seal();
    return sealed;
}

} // namespace assay::runner
