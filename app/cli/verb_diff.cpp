// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verb.h"
#include "app/cli/window_picture.h"
#include "core/diff/diff_text.h"
#include "core/diff/parallel.h"
#include "core/tensorfile/tensor_file.h"

#include <CLI/CLI.hpp>

#include <cmath>

namespace assay::cli {

namespace {

class DiffVerb final : public Verb {
public:
    std::string_view name() const override { return "diff"; }
    std::string_view summary() const override { return "How two tensors differ, and where"; }

    std::string_view help() const override
    {
        return "REF and CAND are .npy or .safetensors; several tensors are matched by name. Differences are taken in fp64 over\n"
               "pairs where both sides are finite; NaN and infinities are counted apart. Nothing in the files is executed.\n\n"
               "Exit 0: every bit is equal, or all is within the bound that was asked for; 4: different; 1: could not be read;\n"
               "2: usage.\n\n"
               "Example:\n  assay diff ref.npy cand.npy --rtol 1e-3 --atol 1e-5 --png diff.png";
    }

    void declare(CLI::App& app) override
    {
        app.add_option("REF", m_reference, "The reference's tensors")->required();
        app.add_option("CAND", m_candidate, "The candidate's tensors")->required();
        app.add_option("--tensor", m_tensor, "This tensor alone, where the files have several");
        app.add_option("--dtype", m_dtype, "Type of elements where a .npy file records none (float8_e4m3fn, float8_e5m2)");
        app.add_option("--atol", m_absolute, "Allow |cand - ref| up to this, plus --rtol times |ref|");
        app.add_option("--rtol", m_relative, "Allow |cand - ref| up to this times |ref|, plus --atol");
        app.add_option("--ulp", m_ulp, "Allow this many units in the last place of the reference's type");
        app.add_option("--worst", m_worst, "How many of the largest errors to list")->check(CLI::Range(0, 1000));
        app.add_option("--threads", m_threads, "Threads that measure; 0: one a core")->check(CLI::Range(0, 1024));
        app.add_option("--png", m_picture, "Also draw the window's picture of it into this file");
    }

    int run(Invocation& invocation) override
    {
        const diff::DiffOptions options = optionsAsked();
        // Whether a picture can be drawn is known before minutes of work.
        const std::string window = m_picture.empty() ? std::string() : windowProgram("leave --png out");
        const auto reference = tensorfile::TensorFile::open(m_reference, dtypeAsked());
        const auto candidate = tensorfile::TensorFile::open(m_candidate, dtypeAsked());
        const tensorfile::Pairing pairing = tensorfile::pairTensors(reference, candidate, m_tensor);
        diff::FileDiff found;
        found.referencePath = reference.path();
        found.candidatePath = candidate.path();
        found.onlyReference = pairing.onlyReference;
        found.onlyCandidate = pairing.onlyCandidate;
        found.threads = diff::threadsOf(m_threads);
        found.isPairAlone = pairing.pairs.size() == 1 && pairing.onlyReference.empty() && pairing.onlyCandidate.empty();
        for (const auto& [left, right] : pairing.pairs) {
            if (invocation.stop.stop_requested())
                throw Cancelled();
            found.tensors.push_back(diff::diffTensors(reference.tensor(left), candidate.tensor(right), options));
        }
        if (!m_picture.empty())
            drawPicture(window, pictureArguments(pairing));
        print(invocation.json ? diff::toJson(found) + "\n" : diff::toText(found));
        return found.isAccepted() ? kFine : kAnswerIsNo;
    }

private:
    diff::DiffOptions optionsAsked() const
    {
        diff::DiffOptions options;
        for (const auto& [option, value] : {std::pair{"--atol", m_absolute}, std::pair{"--rtol", m_relative}}) {
            if (value && !(*value >= 0 && std::isfinite(*value)))
                throw UsageError("a bound is a finite number that is not negative", option, "Write it as 1e-3");
        }
        if (m_absolute || m_relative)
            options.asked.bound = diff::Bound{m_absolute.value_or(0), m_relative.value_or(0)};
        options.asked.ulp = m_ulp;
        options.worst = m_worst;
        options.threads = m_threads;
        return options;
    }

    std::optional<tensor::DType> dtypeAsked() const
    {
        if (m_dtype.empty())
            return std::nullopt;
        const auto dtype = tensor::dtypeFromName(m_dtype);
        if (!dtype)
            throw UsageError("no type of elements is called \"" + m_dtype + "\"", "--dtype", "Such as float8_e4m3fn");
        return dtype;
    }

    std::vector<std::string> pictureArguments(const tensorfile::Pairing& pairing) const
    {
        std::vector<std::string> arguments{"--diff", m_reference, m_candidate, "--grab", m_picture};
        const std::string& first = m_tensor.empty() ? pairing.pairs.front().first : m_tensor;
        if (!first.empty())
            arguments.insert(arguments.end(), {"--tensor", first});
        if (!m_dtype.empty())
            arguments.insert(arguments.end(), {"--dtype", m_dtype});
        return arguments;
    }

    std::string m_reference;
    std::string m_candidate;
    std::string m_tensor;
    std::string m_dtype;
    std::optional<double> m_absolute;
    std::optional<double> m_relative;
    std::optional<std::uint64_t> m_ulp;
    std::string m_picture;
    int m_worst = 20;
    int m_threads = 0;
};

} // namespace

std::unique_ptr<Verb> makeDiffVerb()
{
    return std::make_unique<DiffVerb>();
}

} // namespace assay::cli
