// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/party.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Parties that live in the test's own process: C++ callables as reference and candidate.
namespace assay::test {

using contract::HostTensor;

/// A tensor in the arithmetic of one evaluation.
template <typename T> struct Array {
    std::vector<std::int64_t> shape;
    std::vector<T> values;
    std::optional<tensor::DType> dtype; ///< of an output that is not of the arithmetic's own type: indices, masks

    std::size_t row() const { return shape.empty() ? 1 : static_cast<std::size_t>(shape.back()); }
};

/// What one call is given. A candidate may write into it.
template <typename T> struct Arguments {
    std::vector<Array<T>> inputs;
    std::map<std::string, Array<T>> state;
};

template <typename T> using Outputs = std::vector<Array<T>>;

/// A function in fp32 and in fp64.
struct Operation {
    std::function<Outputs<float>(Arguments<float>&)> single;
    std::function<Outputs<double>(Arguments<double>&)> exact;
};

/// Both from one generic lambda over Arguments<T>&.
template <typename F> Operation operation(F f)
{
    return {f, f};
}

/// f(x) of every element of the first input.
template <typename F> Operation elementwise(F f)
{
    return operation([f](auto& given) {
        auto out = given.inputs[0];
        for (auto& value : out.values)
            value = f(value);
        return std::vector{out};
    });
}

/// f(span of a row) for every row of the first input: one number a row, or as many as the row has.
template <typename F> Operation reduceRows(F f)
{
    return operation([f](auto& given) {
        const auto& in = given.inputs[0];
        auto out = in;
        out.shape.pop_back();
        out.values.clear();
        std::size_t rows = 1; // also of no elements
        for (const std::int64_t size : out.shape)
            rows *= static_cast<std::size_t>(size);
        for (std::size_t row = 0; row < rows; ++row)
            out.values.push_back(f(std::span(in.values).subspan(row * in.row(), in.row())));
        return std::vector{out};
    });
}

template <typename F> Operation mapRows(F f)
{
    return operation([f](auto& given) {
        auto out = given.inputs[0];
        for (std::size_t at = 0; at < out.values.size(); at += out.row())
            f(std::span(out.values).subspan(at, out.row()));
        return std::vector{out};
    });
}

/// Thrown by an operation: the code raises, or takes its process with it.
struct Raises {
    std::string type = "ValueError";
    std::string message = "refused";
};
struct Dies { };

/// What both sides are asked about.
struct Task {
    std::vector<HostTensor> inputs;
    contract::ModuleState state;
    std::vector<contract::SizeSlot> slots;
    std::function<std::vector<HostTensor>(const contract::SizeChoice&)> inputsAt; ///< inputs at other sizes
    std::optional<std::int64_t> extent;                                           ///< N, where counting it would take long
    std::function<contract::Footprint(const contract::SizeChoice&)> footprint;    ///< empty: it cannot be told
};

/// A task whose one size is @p native, with the inputs that it has at a size.
Task taskOfSize(std::int64_t native, const std::function<std::vector<HostTensor>(std::int64_t)>& inputsAt);

/// N(0,1), replayable.
HostTensor normal(std::vector<std::int64_t> shape, std::uint64_t seed = 1);
HostTensor tensorOf(std::vector<std::int64_t> shape, std::vector<double> values, tensor::DType dtype = tensor::DType::Float32);
contract::StateEntry parameter(std::string name, HostTensor value);

/// Runs scripts in one arithmetic at a time; what both fakes share.
class FakeProcess {
public:
    contract::Asked<std::vector<contract::StepResult>> run(const contract::Script& script, const Operation& operation,
                                                           bool exact);
    void setState(const contract::ModuleState& values);
    void restart();

    contract::ModuleState state;
    int calls = 0;
    int restarts = 0;
    bool dead = false;
    std::string device = "cpu";                             ///< of every output
    std::int64_t hostCopies = 0;                            ///< of every call, where somebody counts
    std::vector<std::string> tf32Ops;                       ///< of every call, where somebody counts
    bool bearsCounting = true;                              ///< false: runs uncounted although it is asked to be counted
    std::function<void(contract::Step::Memory)> beforeCall; ///< told what memory the inputs lie in

private:
    contract::StepResult call(const contract::Step& step, const contract::Stimulus& stimulus, const Operation& operation,
                              bool exact);
    contract::ModuleState m_present;
    contract::Step::Memory m_memory = contract::Step::Memory::Fresh;
};

class FakeReference final : public contract::ReferenceParty {
public:
    FakeReference(Task task, Operation operation, std::map<std::string, Operation> conforming = {});

    contract::Asked<std::vector<contract::SizeSlot>> load() override;
    contract::Asked<contract::Footprint> footprint(const contract::SizeChoice& sizes, std::uint64_t seed) override;
    contract::Asked<contract::Instance> build(int instance, const contract::SizeChoice& sizes, std::uint64_t seed) override;
    std::optional<contract::PartyFailure> setState(int instance, const contract::ModuleState& values) override;
    contract::Asked<std::vector<contract::StepResult>> run(const contract::Script& script) override;
    std::optional<contract::PartyFailure> restart() override;
    contract::Asked<std::vector<HostTensor>> condition(int instance, const contract::StimulusPtr& stimulus, int draws,
                                                       double unit, std::uint64_t seed) override;
    contract::Asked<std::vector<std::int64_t>> extent(int instance, const contract::StimulusPtr& stimulus) override;

    FakeProcess& process() { return m_process; }

    std::optional<contract::PartyFailure> loadFailure;
    std::optional<contract::PartyFailure> buildFailure;

private:
    std::vector<std::int64_t> countExtents(const contract::StimulusPtr& stimulus) const;
    /// R64 on given leaves and state values.
    Outputs<double> exact(const std::vector<HostTensor>& leaves, const contract::ModuleState& state) const;

    Task m_task;
    Operation m_operation;
    std::map<std::string, Operation> m_conforming;
    FakeProcess m_process;
};

class FakeCandidate final : public contract::CandidateParty {
public:
    /// @param state  the candidate's own names and native values
    explicit FakeCandidate(Operation operation, contract::ModuleState state = {});

    std::optional<contract::PartyFailure> load() override;
    contract::Asked<contract::ModuleState> build(int instance, const contract::Instance& like, std::uint64_t seed) override;
    std::optional<contract::PartyFailure> setState(int instance, const contract::ModuleState& values) override;
    contract::Asked<std::vector<contract::StepResult>> run(const contract::Script& script) override;
    std::optional<contract::PartyFailure> restart() override;
    contract::Asked<contract::KernelEvidence> resources(int instance, bool blackwell) override;

    FakeProcess& process() { return m_process; }
    int calls() const { return m_process.calls; }
    int restarts() const { return m_process.restarts; }

    std::optional<contract::PartyFailure> loadFailure;
    std::optional<contract::PartyFailure> buildFailure;
    std::optional<contract::PartyFailure> resourcesFailure;
    contract::KernelEvidence evidence;
    std::int64_t launches = 0; ///< of kernels of its own, that every call reports

private:
    Operation m_operation;
    contract::ModuleState m_native;
    FakeProcess m_process;
};

} // namespace assay::test
