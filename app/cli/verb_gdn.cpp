// SPDX-License-Identifier: Apache-2.0
#include "app/cli/gdn_launch.h"
#include "app/cli/verb.h"
#include "core/launch/check.h"
#include "core/launch/file_run.h"
#include "core/launch/plan_report.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <limits>
#include <numeric>

namespace assay::cli {

namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 40; // far beyond any memory, and no product of sizes leaves int64

class GdnVerb final : public Verb {
public:
    std::string_view name() const override { return "gdn"; }
    std::string_view summary() const override
    {
        return "The gated linear recurrence, forward and backward: run, check, gates, bench, plan";
    }

    std::string_view help() const override
    {
        return "S_t = (I - k_t (b_t * k_t)^T) Diag(e^{g_t}) S_{t-1} + k_t (w_t * v_t)^T, o_t = scale S_t^T q_t\n\n"
               "run reads q k b g [B,T,H,K] and v w do [B,T,H,V], and S0 dST [N,H,K,V] and cu_seqlens where they are there, and\n"
               "writes o, dq dk dv db dw dg, dS0 and ST, each in its input's type. On the CPU it computes in fp64.\n"
               "check draws inputs and says how far the chunked form is from the recurrence in fp64; --dtype bf16 and fp16 "
               "round\n"
               "the factors of every product as tensor cores do. gates judges the operator like any kernel, with the twelve "
               "gates:\n"
               "a JSON event a line as gates begin and end, the verdict last; bench times it. plan says what the device kernels "
               "take of shared memory and of\n"
               "Blackwell's tensor memory.\n\n"
               "Families have inputs of their own: kda and gdn beta [B,T,H] for b and w, gdn g [B,T,H]; delta beta alone; gla g\n"
               "alone; mamba2 dt [B,T,H] and A [H]; mamba3 dt, A and lambda [B,T,H]. Their gradients are written by these "
               "names.\n\n"
               "Exit 0: done, every output is within its tolerance; 1: nothing was written; 2: usage; 4: an output is beyond "
               "its\n"
               "tolerance, the bits change with the number of threads, or a gate fails; 5: the device is not there, or nothing\n"
               "could be judged.\n\n"
               "Examples:\n  assay gdn run in.safetensors --out out.safetensors\n"
               "  assay gdn check --family kda --shape 2,1000,4,128,64 --dtype bf16 --json\n"
               "  assay gdn gates --family gdn2 --shape 1,64,2,64,64 --device cuda:0 --db launches.db";
    }

    void declare(CLI::App& app) override
    {
        app.require_subcommand(1);
        app.add_option("--family", m_family, "gdn2, kda, gdn, delta, gla, mamba2 or mamba3 (default: gdn2)");
        app.add_option("--device", m_device, "cpu or cuda:N (default: cpu)");
        app.add_option("--chunk", m_chunk, "Tokens that are taken at once")->check(CLI::IsMember({16, 32, 64}));
        app.add_option("--threads", m_threads, "Threads that compute; 0: one a core")->check(CLI::Range(0, 1024));
        declareRun(*(m_run = action(app, "run", "The operator on the tensors of a file")));
        declareCheck(*(m_check = action(app, "check", "Errors against fp64 on drawn tensors")));
        m_launch.declareGates(*(m_gates = action(app, "gates", "The operator through the twelve gates")));
        m_launch.declareBench(*(m_bench = action(app, "bench", "Times of the operator")));
        declarePlan(*(m_plan = action(app, "plan", "What the device kernels take")));
    }

    int run(Invocation& invocation) override
    {
        if (m_plan->parsed()) {
            print(invocation.json ? launch::planJson(m_keys, m_values) + "\n" : launch::planText(m_keys, m_values));
            return kFine;
        }
        const gdn::Family family = familyAsked();
        if (m_gates->parsed() || m_bench->parsed()) {
            requireDevice();
            const GdnChoice choice{family, m_device, m_threads};
            return m_gates->parsed() ? m_launch.gates(invocation, choice) : m_launch.bench(invocation, choice);
        }
        requireCpu();
        return m_run->parsed() ? runFile(invocation, family) : check(invocation, family);
    }

private:
    static CLI::App* action(CLI::App& app, const std::string& name, const std::string& summary)
    {
        CLI::App* sub = app.add_subcommand(name, summary);
        sub->fallthrough(); // --family, --device and --json may stand behind it
        return sub;
    }

    void declareRun(CLI::App& app)
    {
        app.add_option("IN", m_in, "A .safetensors file with the inputs by name")->required();
        app.add_option("--out", m_out, "The .safetensors file to write")->required();
        app.add_option("--scale", m_scale, "Scale of the output (default: K^-1/2)");
        app.add_flag("--serial", m_isSerial, "Token by token, as the definition reads");
        app.add_flag("--forward", m_isForward, "o and ST alone; do is not needed");
    }

    void declareCheck(CLI::App& app)
    {
        app.add_option("--shape", m_shape, "B,T,H,K,V (default: 1,512,4,64,64)")->delimiter(',')->expected(5);
        app.add_option("--dtype", m_dtype, "fp64, fp32, bf16 or fp16 (default: fp32)");
        app.add_option("--lengths", m_lengths, "Lengths of packed sequences, which add up to T; B is 1")->delimiter(',');
        app.add_option("--decay", m_decay, "Up to so much stronger log decays")->check(CLI::Range(0.0, 1e4));
        app.add_option("--erase", m_erase, "Erase gates up to this")->check(CLI::Range(0.0, 2.0));
        app.add_option("--seed", m_seed, "Other inputs");
        app.add_flag("--no-states", m_hasNoStates, "Without S0 and dST");
    }

    void declarePlan(CLI::App& app)
    {
        app.add_option("--keys", m_keys, "Key channels (default: 128)")->check(CLI::IsMember({64, 128}));
        app.add_option("--values", m_values, "Value channels (default: 128)")->check(CLI::IsMember({64, 128}));
    }

    gdn::Family familyAsked() const
    {
        const auto family = gdn::familyNamed(m_family);
        if (!family)
            throw UsageError(gdn::whyNoFamily(m_family), "--family", "Choose one of the families in assay gdn --help");
        return *family;
    }

    void requireDevice() const
    {
        if (m_device != "cpu" && !m_device.starts_with("cuda"))
            throw UsageError("no device is called \"" + m_device + "\"", "--device", "Write cpu or cuda:0");
    }

    void requireCpu() const
    {
        requireDevice();
        if (m_device != "cpu")
            throw NotJudged("this action computes on the CPU alone", "--device " + m_device,
                            "assay gdn gates and assay gdn bench launch the operator's GPU kernels");
    }

    int runFile(Invocation& invocation, gdn::Family family) const
    {
        const launch::FileRun done
            = launch::runFile({m_in, m_out, family, m_scale, m_chunk, m_isSerial, m_isForward, m_threads}, invocation.stop);
        print(invocation.json ? launch::toJson(done) + "\n" : launch::toText(done));
        return kFine;
    }

    int check(Invocation& invocation, gdn::Family family) const
    {
        launch::CheckAsk ask;
        ask.family = family;
        ask.shape = shapeAsked();
        ask.drawing.seed = m_seed;
        ask.drawing.erase = m_erase;
        ask.drawing.decay = m_decay;
        ask.drawing.hasStates = !m_hasNoStates;
        ask.drawing.starts = startsAsked(ask.shape);
        ask.drawing.dtype = gdnDType(m_dtype);
        ask.chunk = m_chunk;
        ask.threads = m_threads;
        const launch::CheckResult result = launch::check(ask, invocation.stop);
        print(invocation.json ? launch::toJson(result) + "\n" : launch::toText(result));
        return result.isPassed() ? kFine : kAnswerIsNo;
    }

    gdn::Shape shapeAsked() const
    {
        std::int64_t elements = 1;
        for (const std::int64_t size : m_shape) {
            if (size < 1 || size > kMostElements / elements)
                throw UsageError("sizes are whole numbers from 1 on, of tensors that fit a memory", "--shape",
                                 "Write B,T,H,K,V as 1,512,4,64,64");
            elements *= size;
        }
        return {m_shape[0], m_shape[1], m_shape[2], m_shape[3], m_shape[4]};
    }

    /// cu_seqlens of the lengths; that they fit the shape is found where it is checked for every caller.
    std::vector<std::int32_t> startsAsked(const gdn::Shape& shape) const
    {
        if (m_lengths.empty())
            return {};
        const auto sum = std::accumulate(m_lengths.begin(), m_lengths.end(), std::uint64_t{0});
        if (sum != static_cast<std::uint64_t>(shape.tokens) || sum > std::numeric_limits<std::int32_t>::max() || shape.batch != 1)
            throw UsageError(fmt::format("the lengths add up to {}, B is {} and T {}", sum, shape.batch, shape.tokens),
                             "--lengths", "Write lengths that add up to T, with B = 1");
        std::vector<std::int32_t> starts{0};
        for (const std::uint32_t length : m_lengths)
            starts.push_back(starts.back() + static_cast<std::int32_t>(length));
        return starts;
    }

    CLI::App* m_run = nullptr;
    CLI::App* m_check = nullptr;
    CLI::App* m_gates = nullptr;
    CLI::App* m_bench = nullptr;
    CLI::App* m_plan = nullptr;
    GdnLaunch m_launch;
    std::string m_family = "gdn2";
    std::string m_device = "cpu";
    int m_chunk = 64;
    int m_threads = 0;
    std::string m_in;
    std::string m_out;
    std::optional<double> m_scale;
    bool m_isSerial = false;
    bool m_isForward = false;
    std::vector<std::int64_t> m_shape{1, 512, 4, 64, 64};
    std::string m_dtype = "fp32";
    std::vector<std::uint32_t> m_lengths;
    double m_decay = 0;
    double m_erase = 1;
    std::uint64_t m_seed = 1;
    bool m_hasNoStates = false;
    int m_keys = 128;
    int m_values = 128;
};

} // namespace

std::unique_ptr<Verb> makeGdnVerb()
{
    return std::make_unique<GdnVerb>();
}

} // namespace assay::cli
