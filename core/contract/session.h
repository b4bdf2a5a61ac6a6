// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/alignment.h"
#include "core/contract/contract.h"
#include "core/contract/excess_probe.h"
#include "core/contract/input_spec.h"
#include "core/contract/party.h"
#include "core/contract/refusal_log.h"
#include "core/contract/result.h"
#include "core/contract/size_planner.h"
#include "core/contract/stimulus_maker.h"
#include "core/contract/thresholds.h"
#include "core/contract/value_judge.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace assay::contract {

struct JudgeOptions {
    std::uint64_t seed = 0;
    std::string device = "cpu"; ///< "cpu", "cuda:0"
    std::string kernelIdentity; ///< stable name of the pair: the hash of both sources
    std::stop_token stop;
    std::function<double()> clock = {};      ///< seconds, for the time budget; empty: the machine's steady clock
    Thresholds thresholds = {};              ///< for the op family of the task; a check without a cell is judged by the limit 1
    ExcessProbe* probe = nullptr;            ///< measures what thresholds are calibrated from, where that is wanted
    std::function<void(Gate)> entering = {}; ///< is told each gate before it asks anything
};

/// Thrown where a judgement was cancelled; caught once, by judge().
struct Cancelled { };

/// One choice of sizes with both modules constructed and aligned.
struct Shape {
    SizeChoice sizes;
    Instance reference;
    std::optional<PartyFailure> referenceFailure; ///< the reference cannot be built at these sizes
    std::optional<PartyFailure> candidateFailure; ///< the candidate cannot be built though the reference can
    Alignment alignment;
    std::vector<InputSpec> inputs;
    tensor::DType castTo = tensor::DType::Float64; ///< Float16 or BFloat16: both sides run in that dtype; Float64: as they are

    bool isReady() const { return !referenceFailure && !candidateFailure; }
    int id() const { return reference.id; }
    bool isCast() const { return castTo != tensor::DType::Float64; }
    std::int64_t inputElements() const;
    /// What it is asked in: the dtype that both sides run in, or the widest floating one of the inputs.
    tensor::DType dtype() const;
    /// Of inputs and state.
    std::int64_t elements() const;
};
using ShapePtr = std::shared_ptr<const Shape>;

/// What is right for one stimulus, by output leaf.
struct Truth {
    std::vector<OutputLeaf> reference;           ///< the reference as shipped, TF32 off: dtypes, structure and integer truth
    std::vector<LeafTruth> leaves;               ///< floating leaves; empty r64 for others
    std::vector<std::optional<HostTensor>> firm; ///< integer and boolean leaves: where no admissible rounding changes the value
    std::vector<bool> conformingAgree;           ///< integer leaves: all conforming evaluations give the same bits
    std::string structure;
    bool oracleIsFp32 = false; ///< the reference computes in fp32 whatever it is given, or its fp64 run strays from it
};
using TruthPtr = std::shared_ptr<const Truth>;

/// What one answer of the candidate looks like beside the truth.
struct OutputFinding {
    std::string path;
    std::string mismatch;     ///< a sentence where count, shape or kind differ; values are then not compared
    std::string dtypeDiffers; ///< "float32 where the reference returns bfloat16"
    std::optional<ValueFinding> value;
    std::optional<ExactFinding> exact;
    std::size_t leaf = 0;
};

/// Everything that gates need to question both sides: shapes, stimuli, truths, the candidate's answers, budget.
class Session {
public:
    Session(ReferenceParty& reference, CandidateParty& candidate, const Contract& contract, const JudgeOptions& options);

    /// Loads and constructs both sides and asks each once with the task's own draw.
    /// @return nothing, or why no gate can run: the verdict and the reason
    struct Stop {
        Verdict verdict = Verdict::Error;
        std::string reason;
        Gate gate = Gate::Cmp01; ///< the gate that knows why
        Severity severity = Severity::Hard;
        bool leftDevice = false; ///< the candidate's answer lies on a device whose values nobody can read
    };
    std::optional<Stop> open();

    const Contract& contract() const { return m_contract; }
    std::uint64_t seed() const { return m_options.seed; }
    bool onGpu() const { return m_options.device != "cpu"; }
    StimulusMaker& stimuli() { return m_stimuli; }
    ReferenceParty& referenceParty() { return m_reference; }
    CandidateParty& candidateParty() { return m_candidate; }
    const std::vector<SizeSlot>& slots() const { return m_slots; }

    /// The task's own sizes, or the nearest ones that fit where those hold gigabytes (rebound()).
    ShapePtr native() const { return m_native; }
    /// Why native() has not the task's own sizes; "" where it has.
    const std::string& rebound() const { return m_rebound; }
    /// Sizes small enough to judge values at: N within 2^14, few elements. The native ones where they are small already.
    ShapePtr working() const { return m_working; }
    /// Both modules at @p sizes (constructed once). @p castTo Float16 or BFloat16: parameters and inputs rounded to it first.
    ShapePtr shape(const SizeChoice& sizes, tensor::DType castTo = tensor::DType::Float64);

    /// The state that both sides start from at @p shape; redrawn, so that gains of one and biases of zero hide nothing.
    const ModuleState& state(const ShapePtr& shape) const;
    /// Sets the state of both sides; false (and nothing changed) where the candidate has no counterpart.
    bool setState(const ShapePtr& shape, const ModuleState& values);
    /// The candidate ignored a redrawn state: its native state stays, ORD-02 reports it.
    bool candidateIgnoresState() const { return m_ignoresState; }

    StimulusPtr make(const ShapePtr& shape, Recipe recipe);
    StimulusRecord record(const ShapePtr& shape, const Recipe& recipe, const Stimulus& stimulus) const;

    /// Cached. Fails where the reference refuses the stimulus: the check is then inapplicable.
    /// @param shipped  what askReference() said of @p stimulus, where that is at hand
    Asked<TruthPtr> truth(const ShapePtr& shape, const StimulusPtr& stimulus, const CallRecord* shipped = nullptr);

    /// One forward call of one side in eval mode.
    Asked<CallRecord> askReference(const ShapePtr& shape, const StimulusPtr& stimulus, const std::string& precision = "r32");
    /// Why the reference refuses @p stimulus on the host, asked before a GPU is where inputs hold integers: an index out of range
    /// is an assertion there, which ends the process's use of the device. Nothing on the CPU, and where the host cannot answer.
    std::optional<PartyFailure> refusedOnHost(const ShapePtr& shape, const StimulusPtr& stimulus);
    /// The host refuses the integers in @p stimulus rather than its sizes: with zeros in their place it answers, or nothing is
    /// left that an index could name.
    bool refusesIndices(const ShapePtr& shape, const StimulusPtr& stimulus);
    Asked<CallRecord> askCandidate(const ShapePtr& shape, const StimulusPtr& stimulus, Step::Memory memory = Step::Memory::Fresh);
    /// A script of the candidate's, restarted after a death.
    Asked<std::vector<StepResult>> runCandidate(Script script);
    Asked<std::vector<StepResult>> runReference(Script script);
    /// One leaf per output in the reference's order, put into the order in which the candidate returns them.
    StimulusPtr inCandidateOrder(const StimulusPtr& perOutput);

    /// Compares an answer with the truth, leaf by leaf.
    /// @param limit  excess beyond which an element counts as beyond its bound
    std::vector<OutputFinding> compare(const ShapePtr& shape, const Stimulus& stimulus, const Truth& truth,
                                       const CallRecord& answer, bool probabilistic = false, double limit = 1) const;
    /// The calibrated threshold of @p gate at @p shape, in whose dtype values are judged; nothing where there is none.
    /// The calibrated limit of @p gate at @p shape, or nothing. Where products may round their operands the unit of errors is
    /// that of the operands, which nothing was calibrated in.
    const ThresholdCell* threshold(Gate gate, const Shape& shape) const
    {
        const bool roundsOperands
            = (m_allowsTf32 && shape.dtype() == tensor::DType::Float32) || m_contract.operands == Contract::Operands::AsInputs;
        return roundsOperands ? nullptr : m_options.thresholds.find(gate, shape.dtype());
    }
    const std::string& thresholdVersion() const { return m_options.thresholds.version; }
    /// Largest reduction extent over the outputs at @p shape, by the reference's own dependence; 1 where it cannot be told.
    std::int64_t largestExtent(const ShapePtr& shape);
    /// Why the extents at @p shape cannot be told, where largestExtent() has asked in vain.
    std::optional<PartyFailure> extentFailure(const ShapePtr& shape) const;
    ValueRules rules(const ShapePtr& shape, const Stimulus& stimulus, const OutputLeaf& referenceLeaf) const;
    /// What the contract lets products round their operands to at @p shape; 0 where they keep what adds them up.
    double roundoffOfOperands(const ShapePtr& shape) const;

    /// False once the time or memory budget is spent; gates then report `not_exercised: budget`.
    bool withinBudget() const;
    /// False once twice the time is spent: until then a gate that has asked nothing may still ask its first check, which tells
    /// more than the last one of an earlier gate.
    bool withinGrace() const;
    double secondsSpent() const;
    /// True where the candidate alone has had longer for its answers than the whole budget, compiling included.
    bool isCandidateSlow() const;
    /// The longest that the candidate has taken for one answer.
    double slowestAnswerSeconds() const { return m_slowestAnswer; }
    /// False where inputs, outputs and oracle of @p shape would not fit: `not_exercised: memory`.
    bool fitsMemory(const ShapePtr& shape) const;

    /// Smaller sizes of the same model at which the candidate was seen to be wrong while it is right at the task's own; often
    /// none.
    const ShapePtr& wrongAt() const { return m_wrongAt; }

    /// Where a calibration listens.
    ExcessProbe* probe() const { return m_options.probe; }

    /// Resources that ran out while other gates asked.
    RefusalLog& refusals() { return m_refusals; }

    void flag(Gate gate, std::string code, std::string sentence);
    const std::vector<Flag>& flags() const { return m_flags; }
    Alignment::Kind alignmentKind() const { return m_native->alignment.kind; }
    /// Products of fp32 may round their operands to TF32: the contract says so, or torch lets the shipped reference.
    bool allowsTf32() const { return m_allowsTf32; }
    /// The reference answered differently when asked twice: repeats and state say nothing about the candidate.
    bool referenceIsRandom() const { return m_referenceIsRandom; }

private:
    bool rebind(const Footprint& own, SizePlanner::First first, bool mayChangeModel);
    bool answersAt(const Footprint& own, const SizeChoice& chosen);
    void forgetRebinding();
    Stop refusesRebound(const Stop& stop) const;
    SizeChoice completed(SizeChoice sizes) const;
    void settleWorking(bool isNearAtOwn);
    bool isRightAt(const ShapePtr& shape);
    ShapePtr chooseWorking();
    ShapePtr plannedWorking();
    void redrawState(const ShapePtr& shape);
    void checkIgnoredState();
    bool shippedMayUseTf32(const StimulusPtr& own);
    void checkCancelled() const;
    double now() const;
    void addCandidateTime(double since);
    Asked<TruthPtr> makeTruth(const ShapePtr& shape, const StimulusPtr& stimulus, const CallRecord* given);

    ReferenceParty& m_reference;
    CandidateParty& m_candidate;
    Contract m_contract;
    JudgeOptions m_options;
    StimulusMaker m_stimuli;
    std::vector<SizeSlot> m_ownSlots; ///< with the task's own sizes
    std::vector<SizeSlot> m_slots;
    SizeChoice m_reboundSizes;   ///< every slot's, where the task's own sizes are too large
    std::string m_rebound;       ///< the sentence that says so
    bool m_reboundModel = false; ///< sizes of parameters had to change as well
    ShapePtr m_native;
    ShapePtr m_working;
    ShapePtr m_wrongAt;
    std::map<std::string, ShapePtr> m_shapes;
    std::map<int, ModuleState> m_states;
    std::map<int, std::vector<std::int64_t>> m_extents;
    std::map<int, PartyFailure> m_extentFailures;
    std::vector<std::string> m_outputPaths;       ///< of the reference's outputs, in its order
    std::vector<std::string> m_candidatePaths;    ///< of the candidate's, in its own order
    std::map<std::string, double> m_nativeScales; ///< rms of every floating output on the task's own draw, by path
    std::map<std::pair<int, std::uint64_t>, TruthPtr> m_truths;
    std::map<std::pair<int, std::uint64_t>, std::optional<PartyFailure>> m_hostRefusals; ///< of stimuli that the host was shown
    bool m_hostAnswers = true; ///< false: it refuses the task's own inputs
    int m_nextInstance = 0;
    bool m_ignoresState = false;
    bool m_referenceIsRandom = false;
    bool m_allowsTf32 = false;
    std::vector<Flag> m_flags;
    RefusalLog m_refusals;
    double m_candidateSeconds = 0; ///< spent waiting for its answers
    double m_slowestAnswer = 0;    ///< seconds
    double m_started;              ///< seconds of the clock
};

/// The sentence fragment for a failure of the candidate: "raises RuntimeError: ...", "dies with SIGSEGV", "gives no answer in 20
/// s".
std::string describeFailure(const PartyFailure& failure);

} // namespace assay::contract
