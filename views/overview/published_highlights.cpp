// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/published_highlights.h"

#include "views/overview/published_model.h"
#include "views/theme/number_text.h"

#include <map>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

/// The figures of one file by pointer.
class PublishedFile {
public:
    void add(const report::PublishedNumber& number)
    {
        if (m_name.isEmpty()) {
            m_name = QString::fromStdString(number.sourceFile);
            m_kind = QString::fromStdString(number.kind);
        }
        m_figures.emplace(number.pointer, &number);
    }

    const QString& name() const { return m_name; }
    const QString& kind() const { return m_kind; }
    bool has(const std::string& pointer) const { return m_figures.contains(pointer); }

    QString text(const std::string& pointer) const
    {
        const auto found = m_figures.find(pointer);
        if (found == m_figures.end())
            return {};
        const report::PublishedNumber& figure = *found->second;
        return figure.value.isPresent() ? number_text::figure(figure.value) : QString::fromStdString(figure.text);
    }

    double number(const std::string& pointer) const
    {
        const auto found = m_figures.find(pointer);
        return found == m_figures.end() ? 0.0 : tensor::toDouble(found->second->value);
    }

    bool isTrue(const std::string& pointer) const
    {
        return text(pointer).compare(u"true"_s, Qt::CaseInsensitive) == 0 || text(pointer) == u"1"_s;
    }

private:
    QString m_name;
    QString m_kind;
    std::map<std::string, const report::PublishedNumber*> m_figures;
};

QString tr(const char* text)
{
    return PublishedModel::tr(text);
}

QString environment(const PublishedFile& file)
{
    if (!file.has("/device_0") || !file.has("/torch"))
        return {};
    QStringList parts{(file.has("/device_count") ? file.text("/device_count") + u" \u00d7 "_s : QString())
                      + file.text("/device_0")};
    const std::pair<const char*, QString> versions[]
        = {{"/gpus/0/driver", u"driver "_s}, {"/torch", u"torch "_s}, {"/triton", u"triton "_s}, {"/python", u"Python "_s}};
    for (const auto& [pointer, label] : versions) {
        if (file.has(pointer))
            parts << label + file.text(pointer);
    }
    return parts.join(u", "_s) + u'.';
}

QString agreement(const PublishedFile& file)
{
    if (!file.has("/agreement_rate") || !file.has("/joined_rows"))
        return {};
    return tr("The audit's replica agrees with the original harness on %1 of %2 rows; they disagree on %3.")
        .arg(number_text::percent(file.number("/agreement_rate")), file.text("/joined_rows"), file.text("/n_disagreements"));
}

QString calibration(const PublishedFile& file)
{
    QStringList margins;
    for (int i = 0; i < 64; ++i) {
        const std::string gate = "/gates/" + std::to_string(i);
        if (!file.has(gate + "/gate_id") && !file.has(gate + "/margin_trip_over_floor"))
            continue;
        const double margin = file.has(gate + "/margin_trip_over_floor") ? file.number(gate + "/margin_trip_over_floor") : 0;
        if (margin > 0)
            margins << file.text(gate + "/gate_id") + u' ' + number_text::count(std::int64_t(margin + 0.5)) + u"\u00d7"_s;
    }
    return margins.isEmpty() ? QString() : tr("Trip point over the honest floor: %1.").arg(margins.join(u", "_s));
}

QString positiveControl(const PublishedFile& file)
{
    if (!file.has("/summary/n_kernels"))
        return {};
    return (file.isTrue("/summary/all_pass") ? tr("All %1 conforming kernels pass every gate that could be asked.")
                                             : tr("Not all of the %1 conforming kernels pass."))
        .arg(file.text("/summary/n_kernels"));
}

QString sample(const PublishedFile& file)
{
    if (!file.has("/n_selected") || !file.has("/money_cell_size"))
        return {};
    return tr("%1 kernels drawn by stratum from a frame of %2 for manual audit.")
        .arg(file.text("/n_selected"), file.text("/money_cell_size"));
}

QString crossTable(const PublishedFile& file)
{
    if (!file.has("/money_cell_external_PASS_our_FAIL"))
        return {};
    QString sentence
        = tr("%1 kernels pass the other harness and fail a gate").arg(file.text("/money_cell_external_PASS_our_FAIL"));
    if (file.has("/money_cell_rate"))
        sentence += u" ("_s + number_text::percent(file.number("/money_cell_rate")) + u')';
    if (file.has("/money_cell_tolerance_free"))
        sentence += tr("; %1 of them without any tolerance").arg(file.text("/money_cell_tolerance_free"));
    return sentence + u'.';
}

} // namespace

QVector<PublishedHighlight> publishedHighlights(const std::vector<report::PublishedNumber>& numbers)
{
    std::map<std::string, PublishedFile> files;
    for (const report::PublishedNumber& number : numbers)
        files[number.sourceFile].add(number);
    QVector<PublishedHighlight> result;
    using Reader = QString (*)(const PublishedFile&);
    for (const Reader read : {Reader(environment), Reader(crossTable), Reader(agreement), Reader(calibration),
                              Reader(positiveControl), Reader(sample)}) {
        for (const auto& [name, file] : files) {
            const QString sentence = read(file);
            if (!sentence.isEmpty())
                result << PublishedHighlight{PublishedModel::kindTitle(file.kind()), sentence, file.name()};
        }
    }
    return result;
}

} // namespace assay::views
