// SPDX-License-Identifier: Apache-2.0
#include "core/runner/answer.h"

#include "core/runner/tree.h"
#include "core/text/raw_json.h"

#include <fmt/format.h>

#include <limits>

namespace assay::runner {

namespace {

using contract::PartyFailure;

constexpr std::size_t kMaxMessage = 8000; // 2000 characters of at most four bytes
constexpr std::size_t kMaxTrace = 16000;
constexpr std::size_t kMaxName = 1000;

/// The first @p limit bytes of @p text, no character cut in two.
std::string cut(std::string text, std::size_t limit)
{
    if (text.size() <= limit)
        return text;
    while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0U) == 0x80U)
        --limit;
    text.resize(limit);
    return text;
}

int smallIntegerOf(const json::Value& object, const char* key)
{
    const std::int64_t value = integerOf(object, key);
    if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max())
        throw Nonsense(fmt::format("\"{}\" is out of range", key));
    return static_cast<int>(value);
}

bool flagOr(const json::Value& object, const char* key, bool otherwise)
{
    const json::Value* const value = json::find(object, key);
    return value == nullptr ? otherwise : flagOf(object, key);
}

std::vector<std::string> readTexts(const json::Value& list, std::size_t limit)
{
    std::vector<std::string> texts;
    for (const json::Value& element : list.GetArray()) {
        if (!element.IsString())
            throw Nonsense("a list of texts that holds something else");
        if (texts.size() < limit)
            texts.push_back(cut(element.GetString(), kMaxName));
    }
    return texts;
}

tensor::HostTensor readTensor(const json::Value& fields, ArenaReader& arena)
{
    const std::string spelled = textOf(fields, "dtype");
    const std::optional<tensor::DType> dtype = tensor::dtypeFromName(spelled);
    if (!dtype)
        throw Nonsense(fmt::format("a tensor of dtype \"{}\"", cut(spelled, 40)));
    const std::vector<std::int64_t> shape = readIntegers(arrayOf(fields, "shape"));
    if (flagOr(fields, "complex", false) && (shape.empty() || shape.back() != 2))
        throw Nonsense("a complex tensor without pairs");
    return arena.read(*dtype, shape, integerOf(fields, "offset"));
}

contract::OutputLeaf readOutput(const json::Value& fields, ArenaReader& arena)
{
    contract::OutputLeaf leaf;
    leaf.value = readTensor(fields, arena);
    leaf.isComplex = flagOr(fields, "complex", false);
    leaf.layout = readIntegers(arrayOf(fields, "layout"));
    if (leaf.layout.size() + (leaf.isComplex ? 1 : 0) != leaf.value.shape().size())
        throw Nonsense("a layout of another number of dimensions than its tensor");
    leaf.device = cut(textOf(fields, "device"), kMaxName);
    leaf.storage = smallIntegerOf(fields, "storage");
    leaf.isPython = flagOr(fields, "python", false);
    return leaf;
}

/// Tree and leaves of an output, None included, in order of the walk.
std::vector<contract::OutputLeaf> readOutputs(const Tree& tree, const json::Value& list, ArenaReader& arena)
{
    if (static_cast<rapidjson::SizeType>(tree.tensors) != list.Size())
        throw Nonsense("an output tree with another number of tensors than its list");
    std::vector<contract::OutputLeaf> outputs;
    rapidjson::SizeType next = 0;
    for (const Tree::Leaf& place : tree.leaves) {
        contract::OutputLeaf leaf;
        if (place.isNone)
            leaf.isNone = true;
        else
            leaf = readOutput(list[next++], arena);
        leaf.path = cut(place.path, kMaxName);
        outputs.push_back(std::move(leaf));
    }
    return outputs;
}

contract::Residency readResidency(const json::Value& fields)
{
    contract::Residency residency;
    residency.counted = flagOf(fields, "counted");
    residency.launches = integerOf(fields, "launches");
    residency.atenOps = integerOf(fields, "aten_ops");
    residency.hostCopies = integerOf(fields, "host_copies");
    residency.ops = readTexts(arrayOf(fields, "ops"), 32);
    residency.tf32Ops = readTexts(arrayOf(fields, "tf32_ops"), 32);
    return residency;
}

/// "input 0", "output": which of the guarded storages was written around.
std::vector<std::string> readBrokenGuards(const json::Value& list)
{
    std::vector<std::string> names;
    for (const json::Value& element : list.GetArray()) {
        if (element.IsInt())
            names.push_back(fmt::format("input {}", element.GetInt()));
        else if (element.IsString())
            names.push_back(cut(element.GetString(), kMaxName));
        else
            throw Nonsense("a broken guard that is neither a number nor a name");
    }
    return names;
}

contract::CallRecord readCall(const json::Value& call, ArenaReader& arena)
{
    contract::CallRecord record;
    const Tree tree = readTree(memberOf(call, "outputs"), NoneIs::Leaf);
    record.structure = tree.canonical;
    record.outputs = readOutputs(tree, arrayOf(call, "leaves"), arena);
    if (json::find(call, "input_storages") != nullptr) {
        for (const std::int64_t number : readIntegers(arrayOf(call, "input_storages")))
            record.inputStorages.push_back(static_cast<int>(number));
    }
    if (json::find(call, "inputs_after") != nullptr)
        record.inputsAfter = readTensors(arrayOf(call, "inputs_after"), arena);
    if (json::find(call, "state_after") != nullptr)
        record.stateAfter = readState(arrayOf(call, "state_after"), arena).entries;
    if (json::find(call, "guard_broken") != nullptr)
        record.brokenGuards = readBrokenGuards(arrayOf(call, "guard_broken"));
    if (json::find(call, "residency") != nullptr)
        record.residency = readResidency(memberOf(call, "residency"));
    return record;
}

contract::Gradients readGradients(const json::Value& result, ArenaReader& arena)
{
    contract::Gradients gradients;
    for (const json::Value& gradient : arrayOf(result, "input_grads").GetArray()) {
        if (gradient.IsNull())
            gradients.inputs.emplace_back();
        else
            gradients.inputs.emplace_back(readTensor(gradient, arena));
    }
    for (const json::Value& gradient : arrayOf(result, "state_grads").GetArray()) {
        std::optional<tensor::HostTensor> value;
        if (!flagOr(gradient, "missing", false))
            value = readTensor(gradient, arena);
        gradients.state.emplace_back(textOf(gradient, "name"), std::move(value));
    }
    for (const json::Value& flag : arrayOf(result, "requires_grad").GetArray()) {
        if (!flag.IsBool())
            throw Nonsense("\"requires_grad\" holds something else than true and false");
        gradients.outputsRequireGrad.push_back(flag.GetBool());
    }
    return gradients;
}

contract::StepResult readStep(const json::Value& result, ArenaReader& arena)
{
    if (!result.IsObject())
        throw Nonsense("a step's result that is no object");
    contract::StepResult step;
    if (const json::Value* const failure = json::find(result, "failure")) {
        step.failure = readFailure(*failure);
        return step;
    }
    if (json::find(result, "calls") != nullptr) {
        for (const json::Value& call : arrayOf(result, "calls").GetArray())
            step.calls.push_back(readCall(call, arena));
    }
    if (json::find(result, "input_grads") != nullptr)
        step.gradients = readGradients(result, arena);
    return step;
}

/// Input leaves keep the layout that get_inputs gave them: candidates may treat layouts differently.
std::vector<tensor::HostTensor> readLaidOut(const json::Value& list, ArenaReader& arena)
{
    std::vector<tensor::HostTensor> tensors;
    for (const json::Value& fields : list.GetArray()) {
        tensor::HostTensor tensor = readTensor(fields, arena);
        const bool isPlain = json::find(fields, "layout") == nullptr || flagOr(fields, "complex", false);
        tensors.push_back(isPlain ? tensor : arena.layOut(tensor, readIntegers(arrayOf(fields, "layout"))));
    }
    return tensors;
}

bool anyComplex(const json::Value& list)
{
    for (const json::Value& fields : list.GetArray()) {
        if (json::boolAt(fields, "complex").value_or(false))
            return true;
    }
    return false;
}

} // namespace

const json::Value& memberOf(const json::Value& object, const char* key)
{
    const json::Value* const value = object.IsObject() ? json::find(object, key) : nullptr;
    if (value == nullptr)
        throw Nonsense(fmt::format("\"{}\" is missing", key));
    return *value;
}

const json::Value& arrayOf(const json::Value& object, const char* key)
{
    const json::Value& value = memberOf(object, key);
    if (!value.IsArray())
        throw Nonsense(fmt::format("\"{}\" is no list", key));
    return value;
}

std::string textOf(const json::Value& object, const char* key)
{
    const json::Value& value = memberOf(object, key);
    if (!value.IsString())
        throw Nonsense(fmt::format("\"{}\" is no text", key));
    return {value.GetString(), value.GetStringLength()};
}

std::int64_t integerOf(const json::Value& object, const char* key)
{
    const json::Value& value = memberOf(object, key);
    if (!value.IsInt64())
        throw Nonsense(fmt::format("\"{}\" is no integer", key));
    return value.GetInt64();
}

bool flagOf(const json::Value& object, const char* key)
{
    const json::Value& value = memberOf(object, key);
    if (!value.IsBool())
        throw Nonsense(fmt::format("\"{}\" is neither true nor false", key));
    return value.GetBool();
}

json::Document readFrame(std::string_view frame)
{
    json::Document document;
    if (const auto failure = json::parseStrictly(frame, document))
        throw Nonsense(fmt::format("a frame that is no JSON at byte {}: {}", failure->byte, failure->reason));
    if (!document.IsObject())
        throw Nonsense("a frame that is no object");
    return document;
}

contract::PartyFailure readFailure(const json::Value& failure)
{
    using Kind = PartyFailure::Kind;
    static constexpr std::pair<std::string_view, Kind> kKinds[] = {{"raised", Kind::Raised},
                                                                   {"unsupported_value", Kind::UnsupportedValue},
                                                                   {"out_of_memory", Kind::OutOfMemory},
                                                                   {"no_entry", Kind::NoEntry},
                                                                   {"missing", Kind::Missing}};
    const std::string kind = textOf(failure, "kind");
    for (const auto& [word, value] : kKinds) {
        if (word != kind)
            continue;
        PartyFailure read;
        read.kind = value;
        read.type = cut(textOf(failure, "type"), kMaxName);
        read.message = cut(textOf(failure, "message"), kMaxMessage);
        read.traceback = cut(textOf(failure, "traceback"), kMaxTrace);
        read.where = cut(textOf(failure, "where"), kMaxName);
        read.launched = flagOr(failure, "launched", false);
        return read;
    }
    throw Nonsense(fmt::format("a failure of kind \"{}\"", cut(kind, 40)));
}

std::vector<contract::SizeSlot> readSlots(const json::Value& answer)
{
    std::vector<contract::SizeSlot> slots;
    for (const json::Value& fields : arrayOf(answer, "slots").GetArray()) {
        contract::SizeSlot slot;
        slot.id = smallIntegerOf(fields, "id");
        slot.native = integerOf(fields, "native");
        const json::Value& uses = arrayOf(fields, "uses");
        slot.uses = static_cast<int>(uses.Size());
        slot.inInputs = textOf(fields, "where") != "init";
        slot.inParameters = flagOf(fields, "in_parameters");
        if (!uses.Empty()) {
            const char* const maker = textOf(uses[0], "call") == "init" ? "get_init_inputs" : "get_inputs";
            slot.describes = fmt::format("{} in {}", cut(textOf(uses[0], "argument"), kMaxName), maker);
        }
        slots.push_back(std::move(slot));
    }
    return slots;
}

contract::Footprint readFootprint(const json::Value& fields)
{
    const auto elements = [&fields](const char* key) {
        const std::int64_t value = integerOf(fields, key);
        if (value < 0)
            throw Nonsense(fmt::format("a negative number of elements, {} of {}", value, key));
        return std::min(value, std::int64_t{1} << 60); // so that sums of them stay numbers
    };
    return {elements("inputs"), elements("state"), elements("outputs"), elements("largest"), flagOf(fields, "ran")};
}

BuiltState readState(const json::Value& list, ArenaReader& arena)
{
    if (!list.IsArray())
        throw Nonsense("a state that is no list");
    BuiltState state;
    for (const json::Value& fields : list.GetArray()) {
        contract::StateEntry entry;
        entry.name = textOf(fields, "name");
        const json::Value* const kind = json::find(fields, "kind");
        entry.isParameter = kind == nullptr || textOf(fields, "kind") == "parameter";
        entry.requiresGrad = flagOr(fields, "requires_grad", false);
        entry.value = readTensor(fields, arena);
        if (flagOr(fields, "complex", false))
            state.complexNames.insert(entry.name);
        state.entries.push_back(std::move(entry));
    }
    return state;
}

BuiltInstance readInstance(Answer& answer, int id)
{
    const json::Value& content = answer.document;
    BuiltInstance built;
    contract::Instance& instance = built.instance;
    instance.id = id;
    const Tree init = readTree(memberOf(content, "init"), NoneIs::Value);
    const Tree inputs = readTree(memberOf(content, "inputs"), NoneIs::Value);
    instance.init = init.canonical;
    instance.inputs = inputs.canonical;
    const json::Value& initLeaves = arrayOf(content, "init_leaves");
    const json::Value& inputLeaves = arrayOf(content, "input_leaves");
    if (static_cast<rapidjson::SizeType>(init.tensors) != initLeaves.Size()
        || static_cast<rapidjson::SizeType>(inputs.tensors) != inputLeaves.Size())
        throw Nonsense("a tree with another number of tensors than its list");
    built.hasComplexLeaves = anyComplex(initLeaves) || anyComplex(inputLeaves);
    instance.initLeaves = readTensors(initLeaves, answer.arena);
    instance.inputLeaves = readLaidOut(inputLeaves, answer.arena);
    BuiltState state = readState(arrayOf(content, "state"), answer.arena);
    instance.state = std::move(state.entries);
    built.complexNames = std::move(state.complexNames);
    instance.conforming = readTexts(arrayOf(content, "conforming"), 64);
    instance.outputsRequireGrad = flagOf(content, "outputs_require_grad");
    const json::Value& traits = memberOf(content, "source_traits");
    instance.sorts = flagOf(traits, "sorts");
    instance.widens = flagOf(traits, "widens");
    instance.random = flagOf(traits, "random");
    return built;
}

std::vector<contract::StepResult> readSteps(Answer& answer, std::size_t expected)
{
    const json::Value& list = arrayOf(answer.document, "steps");
    if (list.Size() != expected)
        throw Nonsense(fmt::format("{} results for {} steps", list.Size(), expected));
    std::vector<contract::StepResult> results;
    for (const json::Value& result : list.GetArray())
        results.push_back(readStep(result, answer.arena));
    return results;
}

std::vector<tensor::HostTensor> readTensors(const json::Value& list, ArenaReader& arena)
{
    if (!list.IsArray())
        throw Nonsense("a list of tensors that is no list");
    std::vector<tensor::HostTensor> tensors;
    for (const json::Value& fields : list.GetArray())
        tensors.push_back(readTensor(fields, arena));
    return tensors;
}

std::vector<std::int64_t> readIntegers(const json::Value& list)
{
    if (!list.IsArray())
        throw Nonsense("a list of numbers that is no list");
    std::vector<std::int64_t> numbers;
    for (const json::Value& element : list.GetArray()) {
        if (!element.IsInt64())
            throw Nonsense("a list of integers that holds something else");
        numbers.push_back(element.GetInt64());
    }
    return numbers;
}

std::vector<std::string> textsOf(const json::Value& object, const char* key)
{
    std::vector<std::string> texts;
    for (const json::Value& element : arrayOf(object, key).GetArray())
        if (element.IsString())
            texts.emplace_back(element.GetString());
    return texts;
}

} // namespace assay::runner
