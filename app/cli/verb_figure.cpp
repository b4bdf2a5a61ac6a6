// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verb.h"
#include "app/cli/window_picture.h"
#include "core/contract/gate.h"
#include "core/report/calibration_data.h"
#include "core/text/object_text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace assay::cli {

namespace {

class FigureVerb final : public Verb {
public:
    std::string_view name() const override { return "figure"; }
    std::string_view summary() const override
    {
        return "Write a figure of a calibration, or of the device kernels' plan, for papers and slides";
    }

    std::string_view help() const override
    {
        return "Draws what the Calibrate place shows of one gate, op family and dtype, on white paper: densities and "
               "distribution\n"
               "functions of right kernels, disturbances and defects, the limit that decides, margins, detection and ROC. The\n"
               "numbers go into a CSV beside it. plan draws what the Launch place shows of the operator's device kernels: "
               "tensor\n"
               "memory over the phases of a chunk, shared memory, registers and occupancy; modelled, not executed.\n\n"
               "Exit 0: written; 1: it cannot be; 2: usage.\n\n"
               "Example:\n  assay figure calibration --db audit.db --gate CMP-01 --out fig.svg --size 85mm\n"
               "  assay figure plan --keys 128 --values 64 --out plan.pdf";
    }

    void declare(CLI::App& app) override
    {
        app.add_option("FIGURE", m_figure, "calibration or plan")->required()->check(CLI::IsMember({"calibration", "plan"}));
        app.add_option("--db", m_database, "Database with the calibration");
        app.add_option("--gate", m_gate, "Gate, such as CMP-01");
        app.add_option("--family", m_family, "Op family (default: all of them)");
        app.add_option("--dtype", m_dtype, "Type of the inputs (default: float32 where there is one)");
        app.add_option("--calibration", m_version, "The version whose hash begins so (default: the newest)");
        app.add_option("--keys", m_keys, "Of plan: key channels (default: 128)")->check(CLI::IsMember({64, 128}));
        app.add_option("--values", m_values, "Of plan: value channels (default: 128)")->check(CLI::IsMember({64, 128}));
        app.add_option("--out", m_out, "The file; its ending says the form: .svg, .pdf or .png")->required();
        app.add_option("--size", m_size, "85mm, 180mm or 16:9 (default: 180mm)")->check(CLI::IsMember({"85mm", "180mm", "16:9"}));
    }

    int run(Invocation& invocation) override
    {
        const std::string form = std::filesystem::path(m_out).extension().string();
        if (std::ranges::find(kForms, form) == kForms.end())
            throw UsageError("a figure is a .svg, .pdf or .png", m_out, "End the name so");
        return m_figure == "plan" ? drawPlan(invocation) : drawCalibration(invocation);
    }

private:
    int drawPlan(Invocation& invocation) const
    {
        if (!m_database.empty() || !m_gate.empty())
            throw UsageError("the plan has no database and no gate", m_database.empty() ? "--gate" : "--db", "Leave it out");
        const std::string sizes = fmt::format("{}x{}", m_keys, m_values);
        drawPicture(windowProgram("read the numbers: assay gdn plan --json"),
                    {"--figure", m_out, "--plan", sizes, "--size", m_size});
        if (invocation.json) {
            json::ObjectText out("assay.figure/1");
            out.text("path", m_out);
            out.integer("keys", m_keys);
            out.integer("values", m_values);
            printLine(out.finish());
        } else {
            printLine(m_out + ": plan of the device kernels, " + sizes);
        }
        return kFine;
    }

    int drawCalibration(Invocation& invocation) const
    {
        if (m_database.empty() || m_gate.empty())
            throw UsageError("a calibration's figure needs a database and a gate", m_database.empty() ? "--db" : "--gate",
                             "Name both");
        const std::string window = windowProgram("export the data: assay calibrate --json");
        // What is missing is said here, in this program's words.
        const auto database = store::Database::open(m_database, store::OpenMode::ReadOnly);
        const report::CalibrationVersion version = report::calibrationVersion(*database, m_version);
        const auto known = contract::gateFromId(m_gate); // in any case of letters
        const std::string gate = known ? std::string(contract::id(*known)) : m_gate;
        const calibration::CellName cell = report::chooseCell(version, gate, m_family, m_dtype);
        drawPicture(window,
                    {m_database, "--figure", m_out, "--gate", cell.gate, "--family", cell.family, "--dtype", cell.dtype,
                     "--calibration", version.summary.version, "--size", m_size});
        if (invocation.json) {
            json::ObjectText out("assay.figure/1");
            out.text("path", m_out);
            out.text("gate", cell.gate);
            out.text("family", cell.family);
            out.text("dtype", cell.dtype);
            out.text("version", version.summary.version);
            printLine(out.finish());
        } else {
            printLine(m_out + ": " + calibration::title(cell));
        }
        return kFine;
    }

    static constexpr std::array kForms = {".svg", ".pdf", ".png"};

    std::string m_figure;
    std::string m_database;
    std::string m_gate;
    std::string m_family;
    std::string m_dtype;
    std::string m_version;
    std::string m_out;
    std::string m_size = "180mm";
    int m_keys = 128;
    int m_values = 128;
};

} // namespace

std::unique_ptr<Verb> makeFigureVerb()
{
    return std::make_unique<FigureVerb>();
}

} // namespace assay::cli
