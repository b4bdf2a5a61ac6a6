// SPDX-License-Identifier: Apache-2.0
#include "app/cli/pdf_page.h"
#include "app/cli/scope_options.h"
#include "app/cli/verb.h"
#include "core/report/output_file.h"
#include "core/report/sample_report.h"
#include "core/store/sample_label.h"
#include "core/store/sample_plan.h"
#include "core/text/object_text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace assay::cli {

namespace {

std::string userName()
{
    const char* const name = std::getenv("USER");
    return name == nullptr ? std::string() : std::string(name);
}

std::string plansJson(const std::vector<store::SamplePlan>& plans)
{
    std::string text = "{\"schema\":\"assay.sample-plans/1\",\"plans\":[";
    for (const store::SamplePlan& plan : plans)
        text += (text.back() == '[' ? "" : ",") + report::toJson(plan);
    return text + "]}";
}

std::string labelJson(const store::SamplePlan& plan, const store::SampleItem& item, const store::NewLabel& label,
                      std::int64_t row)
{
    json::ObjectText object("assay.sample-label/1");
    object.text("plan", plan.name);
    object.integer("position", item.position);
    object.text("kernel", item.externalId);
    object.text("label", store::name(label.label));
    object.text("kind", label.kind == store::LabelKind::Label ? "label" : "adjudication");
    object.optional("severity", label.severity ? std::optional(std::string(store::name(*label.severity))) : std::nullopt);
    object.text("reason", label.reason);
    object.text("note", label.note);
    object.texts("evidence", label.evidence);
    object.text("reviewer", label.reviewer);
    object.integer("row", row);
    return object.finish();
}

class SampleVerb final : public Verb {
public:
    std::string_view name() const override { return "sample"; }
    std::string_view summary() const override
    {
        return "A stratified sample judged by hand: plan, draw, label, estimate, export";
    }

    std::string_view help() const override
    {
        return "plan says how many kernels of each stratum of a frame are judged; draw draws them, always the same ones for a "
               "seed and a\n"
               "frame, and more with --more; label says what a reviewer found, and only ever adds; estimate weighs the labels; "
               "export writes\n"
               "them with their evidence. Without --plan the newest plan is meant.\n\n"
               "Exit 0: done; 1: nothing changed; 2: usage; 5: nothing is labelled yet.\n\n"
               "Examples:\n  assay sample plan --db audit.db --where is:violation --by channel --size 31 --seed 7 --name pilot\n"
               "  assay sample draw --db audit.db\n"
               "  assay sample label --db audit.db --kernel 179 --label confirmed --reason nan_swallowed --reviewer ada\n"
               "  assay sample estimate --db audit.db --json\n  assay sample export --db audit.db --format pdf --out audit.pdf";
    }

    void declare(CLI::App& app) override
    {
        app.require_subcommand(1);
        m_scope.declare(app);
        app.add_option("--plan", m_plan, "Plan (default: the newest)");
        declarePlan(*(m_planVerb = action(app, "plan", "Make a plan, or look at what it would be")));
        m_draw = action(app, "draw", "Draw what the plan allocates");
        m_draw->add_option("--more", m_more, "So many kernels beyond what is drawn")->check(CLI::PositiveNumber);
        declareLabel(*(m_label = action(app, "label", "Label one kernel, take a label back, or name the next kernel")));
        m_estimate = action(app, "estimate", "What the labels say of the frame");
        m_export = action(app, "export", "Labels as CSV, the report as Markdown, HTML or PDF");
        m_export->add_option("--format", m_format, "csv, md, html or pdf")
            ->required()
            ->check(CLI::IsMember({"csv", "md", "html", "pdf"}));
        m_export->add_option("--out", m_out, "File to write (default: standard output)");
    }

    int run(Invocation& invocation) override
    {
        const bool reads = m_estimate->parsed() || m_export->parsed() || (m_planVerb->parsed() && (m_list || m_preview))
            || (m_label->parsed() && m_next);
        const auto database
            = store::Database::open(m_scope.database, reads ? store::OpenMode::ReadOnly : store::OpenMode::ReadWrite);
        const store::InterruptOnStop interrupt(*database, invocation.stop);
        if (m_planVerb->parsed())
            return plan(invocation, *database);
        if (m_draw->parsed())
            return draw(invocation, *database);
        if (m_label->parsed())
            return m_undo ? undo(invocation, *database) : m_next ? next(invocation, *database) : label(invocation, *database);
        return m_estimate->parsed() ? estimate(invocation, *database) : exportReport(invocation, *database);
    }

private:
    static CLI::App* action(CLI::App& app, const std::string& name, const std::string& summary)
    {
        CLI::App* sub = app.add_subcommand(name, summary);
        sub->fallthrough(); // --db, --plan and --json may stand behind it
        return sub;
    }

    void declarePlan(CLI::App& app)
    {
        app.add_option("--name", m_name, "Name of the plan");
        app.add_option("--where", m_where, "Frame: the kernels that this filter line matches (default: is:violation)");
        app.add_option("--by", m_by, "Strata: channel, family, language, outcome, status, baseline, fails; several cross")
            ->delimiter(',');
        app.add_option("--allocation", m_rule, "proportional, equal or neyman")
            ->check(CLI::IsMember({"proportional", "equal", "neyman"}))
            ->capture_default_str();
        app.add_option("--size", m_size, "Kernels to judge")->check(CLI::PositiveNumber)->capture_default_str();
        app.add_option("--seed", m_seed, "Seed of the draw")->capture_default_str();
        app.add_option("--prior", m_prior, "neyman: plan whose labels say how much the strata spread");
        app.add_flag("--preview", m_preview, "Only say what the plan would be");
        app.add_flag("--published", m_published, "The sample that the imported audit published, as a plan");
        app.add_flag("--list", m_list, "The plans there are");
    }

    void declareLabel(CLI::App& app)
    {
        app.add_option("--kernel", m_kernel, "Kernel by its id in the corpus");
        app.add_option("--position", m_position, "Kernel by its place in the sample, from 1")->check(CLI::PositiveNumber);
        app.add_option("--label", m_word, "confirmed, false_positive, ambiguous or inconclusive")
            ->check(CLI::IsMember({"confirmed", "false_positive", "ambiguous", "inconclusive"}));
        app.add_option("--severity", m_severity, "Of a confirmed defect: critical, major or minor")
            ->check(CLI::IsMember({"critical", "major", "minor"}));
        app.add_option("--reason", m_reason, "Reason code, such as nan_swallowed");
        app.add_option("--note", m_note, "What a reader of the report should know");
        app.add_option("--evidence", m_evidence, "Link or path; may be given several times");
        app.add_option("--reviewer", m_reviewer, "Who labels (default: $USER)");
        app.add_flag("--adjudicate", m_adjudicate, "Decide where reviewers differ");
        app.add_flag("--undo", m_undo, "Take back the reviewer's last label");
        app.add_flag("--next", m_next, "Name the first kernel that the reviewer has not labelled");
    }

    int plan(const Invocation& invocation, store::Database& database) const
    {
        if (m_list) {
            const auto plans = store::samplePlans(database);
            std::string text;
            for (const store::SamplePlan& one : plans)
                text += report::toText(one) + "\n";
            print(invocation.json ? plansJson(plans) + "\n" : text);
            return kFine;
        }
        if (m_published)
            return say(invocation, store::adoptPublishedSample(database, m_scope.corpus));
        store::PlanRequest request;
        request.name = m_name;
        request.scopeId = m_scope.scope(database);
        request.filter = m_where;
        request.by = stratifications();
        request.rule = *sampling::allocationRuleFromName(m_rule);
        request.size = m_size;
        request.seed = m_seed;
        request.prior = m_prior;
        return say(invocation, m_preview ? store::previewPlan(database, request) : store::createPlan(database, request));
    }

    int draw(const Invocation& invocation, store::Database& database) const
    {
        return say(invocation, store::drawSample(database, store::findPlan(database, m_plan).id, m_more));
    }

    int label(const Invocation& invocation, store::Database& database) const
    {
        const store::SamplePlan plan = store::findPlan(database, m_plan);
        const store::SampleItem item = chosenItem(database, plan);
        const auto word = store::auditLabelFromName(m_word);
        if (!word)
            throw UsageError("there is no label", "assay sample label",
                             "Add --label confirmed, false_positive, ambiguous or inconclusive");
        store::NewLabel label;
        label.itemId = item.id;
        label.label = *word;
        label.kind = m_adjudicate ? store::LabelKind::Adjudication : store::LabelKind::Label;
        label.severity = store::defectSeverityFromName(m_severity);
        label.reason = m_reason;
        label.note = m_note;
        label.evidence = m_evidence;
        label.reviewer = m_reviewer;
        const std::int64_t row = store::addLabel(database, label);
        if (invocation.json)
            printLine(labelJson(plan, item, label, row));
        else
            printLine(fmt::format("{} ({} of {}): {}, by {}", item.externalId, item.position, plan.drawn(), store::title(*word),
                                  m_reviewer));
        return kFine;
    }

    int undo(const Invocation& invocation, store::Database& database) const
    {
        const store::SamplePlan plan = store::findPlan(database, m_plan);
        const auto undone = store::undoLabel(database, plan.id, m_reviewer);
        if (!undone)
            throw Error(m_reviewer + " has no label to take back", "plan \"" + plan.name + "\"", "Check --plan and --reviewer");
        json::ObjectText object("assay.sample-undo/1");
        object.text("plan", plan.name);
        object.integer("row", undone->id);
        object.text("label", store::name(*undone->label));
        object.text("reviewer", undone->reviewer);
        printLine(invocation.json ? object.finish()
                                  : fmt::format("taken back: {}, by {}", store::title(*undone->label), undone->reviewer));
        return kFine;
    }

    int next(const Invocation& invocation, store::Database& database) const
    {
        const store::SamplePlan plan = store::findPlan(database, m_plan);
        const auto holding = store::holdingLabels(store::labelHistory(database, plan.id));
        const auto items = store::sampleItems(database, plan.id);
        const auto open = std::ranges::find_if(items, [&](const store::SampleItem& item) {
            return std::ranges::none_of(holding, [&](const store::LabelRow& row) {
                return row.itemId == item.id && row.reviewer == m_reviewer && row.kind == "label";
            });
        });
        json::ObjectText object("assay.sample-next/1");
        object.text("plan", plan.name);
        object.integer("drawn", plan.drawn());
        object.optional("position", open == items.end() ? std::nullopt : std::optional(open->position));
        object.optional("kernel", open == items.end() ? std::nullopt : std::optional(open->externalId));
        printLine(invocation.json ? object.finish()
                      : open == items.end()
                      ? m_reviewer + " has labelled every kernel of " + plan.name
                      : fmt::format("{} ({} of {}) {}", open->externalId, open->position, plan.drawn(), open->title));
        return kFine;
    }

    int estimate(const Invocation& invocation, store::Database& database) const
    {
        const report::SampleEstimate estimate = report::estimateSample(database, m_plan);
        print(invocation.json ? report::toJson(estimate) + "\n" : report::toText(estimate));
        return estimate.labels.labelled() == 0 ? kNotJudged : kFine;
    }

    int exportReport(const Invocation& invocation, store::Database& database) const
    {
        if (m_out.empty() && (invocation.json || m_format == "pdf"))
            throw UsageError(m_format == "pdf" ? "a PDF needs a file"
                                               : "--json needs --out: the report would be mixed with the object",
                             "assay sample export", "Add --out FILE");
        const report::SampleReport sample = report::buildSampleReport(database, m_plan);
        const std::string text = m_format == "csv" ? report::toCsv(sample)
            : m_format == "md"                     ? report::toMarkdown(sample)
                                                   : report::toHtml(sample);
        if (m_format == "pdf")
            writePdf(text, m_out);
        else if (m_out.empty())
            print(text);
        else
            writeFile(text);
        if (invocation.json) {
            json::ObjectText object("assay.sample-export/1");
            object.text("plan", sample.estimate.plan.name);
            object.text("format", m_format);
            object.integer("kernels", static_cast<std::int64_t>(sample.items.size()));
            object.text("out", m_out);
            printLine(object.finish());
        }
        return kFine;
    }

    void writeFile(const std::string& text) const
    {
        report::OutputFile file(m_out);
        file.write(text);
        file.commit();
    }

    static int say(const Invocation& invocation, const store::SamplePlan& plan)
    {
        print(invocation.json ? report::toJson(plan) + "\n" : report::toText(plan));
        return kFine;
    }

    std::vector<store::StratifyBy> stratifications() const
    {
        std::vector<store::StratifyBy> by;
        for (const std::string& word : m_by) {
            const auto known = store::stratifyByFromName(word);
            if (!known)
                throw UsageError("strata cannot be made by \"" + word + "\"", "--by",
                                 "Use channel, family, language, outcome, status, baseline or fails");
            by.push_back(*known);
        }
        return by;
    }

    store::SampleItem chosenItem(store::Database& database, const store::SamplePlan& plan) const
    {
        if (m_kernel.empty() == (m_position == 0))
            throw UsageError("one kernel at a time", "assay sample label", "Name it with --kernel or with --position");
        for (store::SampleItem& item : store::sampleItems(database, plan.id)) {
            if (m_kernel.empty() ? item.position == m_position : item.externalId == m_kernel)
                return std::move(item);
        }
        throw Error("that kernel is not in the sample", "plan \"" + plan.name + "\"",
                    plan.drawn() == 0 ? "Draw it first: assay sample draw"
                                      : "See assay sample export --format csv for those that are");
    }

    ScopeOptions m_scope;
    std::string m_plan;
    CLI::App* m_planVerb = nullptr;
    CLI::App* m_draw = nullptr;
    CLI::App* m_label = nullptr;
    CLI::App* m_estimate = nullptr;
    CLI::App* m_export = nullptr;
    std::string m_name;
    std::string m_where = "is:violation";
    std::vector<std::string> m_by = {"channel"};
    std::string m_rule = "proportional";
    std::int64_t m_size = 31;
    std::uint64_t m_seed = 1;
    std::string m_prior;
    bool m_preview = false;
    bool m_published = false;
    bool m_list = false;
    std::int64_t m_more = 0;
    std::string m_kernel;
    std::int64_t m_position = 0;
    std::string m_word;
    std::string m_severity;
    std::string m_reason;
    std::string m_note;
    std::vector<std::string> m_evidence;
    std::string m_reviewer = userName();
    bool m_adjudicate = false;
    bool m_undo = false;
    bool m_next = false;
    std::string m_format;
    std::string m_out;
};

} // namespace

std::unique_ptr<Verb> makeSampleVerb()
{
    return std::make_unique<SampleVerb>();
}

} // namespace assay::cli
