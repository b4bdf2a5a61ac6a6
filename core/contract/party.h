// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/kernel_evidence.h"
#include "core/contract/module_state.h"
#include "kernels/tensor/host_tensor.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The seam between the judge and the code that it judges. resources/worker/PROTOCOL.md is the same seam on the wire.
namespace assay::contract {

/// Why a party gave no answer. Raised, Refused and so on are what the code did; Died, TimedOut and Nonsense are found by the
/// judge. Oracle: what raised is an evaluation of the reference in fp64, which is our lack and none of the task's.
struct PartyFailure {
    enum class Kind { Raised, UnsupportedValue, OutOfMemory, NoEntry, Missing, Oracle, Died, TimedOut, Nonsense };
    Kind kind = Kind::Raised;
    std::string type;    ///< the exception's type, or the signal
    std::string message; ///< first line first
    std::string traceback;
    std::string where;     ///< "load", "build", "call", "vjp"
    bool launched = false; ///< a kernel or torch compute had begun in this call

    bool isGone() const { return kind == Kind::Died || kind == Kind::TimedOut || kind == Kind::Nonsense; }
    /// "ValueError: expected 4 dimensions" on one line.
    std::string oneLine() const;
};

/// An answer or the reason why there is none.
template <typename T> class Asked {
public:
    Asked(T value)
        : m_content(std::move(value))
    {
    }
    Asked(PartyFailure failure)
        : m_content(std::move(failure))
    {
    }
    explicit operator bool() const { return std::holds_alternative<T>(m_content); }
    T& operator*() { return std::get<T>(m_content); }
    const T& operator*() const { return std::get<T>(m_content); }
    T* operator->() { return &std::get<T>(m_content); }
    const T* operator->() const { return &std::get<T>(m_content); }
    const PartyFailure& failure() const { return std::get<PartyFailure>(m_content); }

private:
    std::variant<T, PartyFailure> m_content;
};

/// Input leaves of one call. Shared by both parties, told apart by `id`; never changed once made.
struct Stimulus {
    std::uint64_t id = 0;
    std::vector<HostTensor> leaves;
    bool isUneven = false; ///< a few values outweigh the others: errors of transforms are then judged norm-wise
    std::string label;     ///< "N(0,1) draw 3", "NaN at [0, 511] of input 0"; what reports print
};
using StimulusPtr = std::shared_ptr<const Stimulus>;

/// One leaf of what a call returned.
struct OutputLeaf {
    std::string path;                 ///< "" for a single tensor, "0", "1.x", a dictionary's key
    HostTensor value;                 ///< logical elements, row-major
    std::vector<std::int64_t> layout; ///< strides that the code returned
    std::string device;
    int storage = -1;      ///< equal numbers share storage
    bool isPython = false; ///< a Python scalar, not a tensor
    bool isNone = false;
    bool isComplex = false; ///< last dimension holds real and imaginary parts
};

/// Where a call computed: counted by the party while it ran.
struct Residency {
    bool counted = false;             ///< torch compute and host copies were; launches always are
    std::int64_t launches = 0;        ///< own kernels launched (Triton, load_inline)
    std::int64_t atenOps = 0;         ///< torch compute calls
    std::int64_t hostCopies = 0;      ///< device to host copies
    std::vector<std::string> ops;     ///< names of the torch compute calls, at most 32
    std::vector<std::string> tf32Ops; ///< those on fp32 whose operands torch's settings let round to TF32
};

/// One forward call.
struct CallRecord {
    std::vector<OutputLeaf> outputs;
    std::string structure;                 ///< the output tree with leaf numbers, canonical JSON
    std::vector<int> inputStorages;        ///< storage number of every input leaf
    std::vector<HostTensor> inputsAfter;   ///< where asked for
    ModuleState stateAfter;                ///< where asked for
    std::vector<std::string> brokenGuards; ///< guard bands written to: "input 0 after", "output before"
    Residency residency;
};

struct Gradients {
    std::vector<std::optional<HostTensor>> inputs; ///< absent: no gradient reached this leaf
    std::vector<std::pair<std::string, std::optional<HostTensor>>> state;
    std::vector<bool> outputsRequireGrad;
};

/// One step of a script; see PROTOCOL.md, "run".
struct Step {
    enum class Do { Input, Refill, Seed, Train, State, Restore, Call, Read, Vjp };
    enum class Memory { Fresh, Poisoned, Guarded, Recycled };
    Do action = Do::Call;
    std::string input = "a"; ///< name of the input set
    StimulusPtr stimulus;    ///< Input, Refill; Vjp: cotangents
    Memory memory = Memory::Fresh;
    bool requiresGrad = false;
    std::uint64_t seed = 0;
    bool training = false;
    ModuleState state;
    bool loadStateDict = false; ///< State: through load_state_dict instead of in place
    std::string keep;           ///< Call: name under which the outputs stay alive; Read: which
    int times = 1;
    bool freshInputs = true;
    bool inputsAfter = false;
    bool stateAfter = false;
    bool residency = false; ///< Call: count torch compute and host copies although nothing is guarded, which slows the call
};

/// A script runs in one process, in order, nothing restored in between.
struct Script {
    int instance = 0;
    std::string precision = "native"; ///< "r64", "r32", "r32n", "conforming:NAME", "float32", "float16", "bfloat16"
    std::vector<Step> steps;
};

struct StepResult {
    std::optional<PartyFailure> failure;
    std::vector<CallRecord> calls;
    Gradients gradients;
};

/// A constructed module: what the party said about it.
struct Instance {
    int id = 0;
    std::string init;   ///< tree of constructor arguments, canonical JSON
    std::string inputs; ///< tree of arguments
    std::vector<HostTensor> initLeaves;
    std::vector<HostTensor> inputLeaves;
    ModuleState state;
    std::vector<std::string> conforming; ///< names of conforming evaluations
    bool outputsRequireGrad = false;
    bool sorts = false;  ///< the source calls topk, sort, argsort, kthvalue, median or mode
    bool widens = false; ///< the source widens explicitly (.float(), .double())
    bool random = false; ///< the source draws random numbers in forward
};

/// A size that get_inputs or get_init_inputs used.
struct SizeSlot {
    int id = 0;
    std::int64_t native = 0;
    int uses = 1;
    bool inInputs = true;
    bool inParameters = false; ///< changing it changes a parameter's shape
    std::string describes;     ///< "dim 1 of randn in get_inputs"
};

struct SizeChoice {
    std::map<int, std::int64_t> slots;                      ///< every use of a slot
    std::map<std::pair<int, int>, std::int64_t> singleUses; ///< (slot, use): shapes that disagree
};

/// Elements that one forward call would hold, known before anything is built.
struct Footprint {
    std::int64_t inputs = 0;
    std::int64_t state = 0;   ///< parameters and buffers
    std::int64_t outputs = 0; ///< 0 where the call could not be tried
    std::int64_t largest = 0; ///< of the largest tensor on the way; 0 likewise
    bool ran = false;         ///< the call went through on tensors without memory

    std::int64_t held() const { return std::max(inputs + state + outputs, largest); }
};

/// One side of a judgement.
class Party {
public:
    virtual ~Party() = default;

    /// Sets the values that every later run of @p instance starts from. Entries are found by name.
    virtual std::optional<PartyFailure> setState(int instance, const ModuleState& values) = 0;

    /// One result a step. A party that died answers every later call with the same failure until restart().
    virtual Asked<std::vector<StepResult>> run(const Script& script) = 0;

    /// A fresh process with the same source, instances and states, after a death or a timeout.
    virtual std::optional<PartyFailure> restart() = 0;
};

class ReferenceParty : public Party {
public:
    virtual Asked<std::vector<SizeSlot>> load() = 0;

    /// What a call with @p sizes would hold. Fails where inputs or module cannot be made without memory.
    virtual Asked<Footprint> footprint(const SizeChoice& sizes, std::uint64_t seed) = 0;
    virtual Asked<Instance> build(int instance, const SizeChoice& sizes, std::uint64_t seed) = 0;

    /// Condition scale of every output leaf, float64: largest |R64(x(1 + unit xi)) - R64(x)| / unit over @p draws sign vectors
    /// xi.
    virtual Asked<std::vector<HostTensor>> condition(int instance, const StimulusPtr& stimulus, int draws, double unit,
                                                     std::uint64_t seed)
        = 0;

    /// Reduction extent of every output leaf.
    virtual Asked<std::vector<std::int64_t>> extent(int instance, const StimulusPtr& stimulus) = 0;
};

class CandidateParty : public Party {
public:
    virtual std::optional<PartyFailure> load() = 0;

    /// Constructs the candidate with the reference's constructor arguments.
    virtual Asked<ModuleState> build(int instance, const Instance& like, std::uint64_t seed) = 0;

    /// What is known of the kernels that were launched so far.
    /// @param blackwell  also compile them for compute capability 10.0
    virtual Asked<KernelEvidence> resources(int instance, bool blackwell) = 0;
};

} // namespace assay::contract
