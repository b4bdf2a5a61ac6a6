// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/log_view.h"

#include "views/evidence/claim_text.h"
#include "views/evidence/measure_text.h"
#include "views/theme/theme.h"

#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace assay::views {

using namespace Qt::StringLiterals;

LogView::LogView(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_text(new QPlainTextEdit(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 8, 0, 8);
    layout->addWidget(m_text);
    m_text->setReadOnly(true);
    m_text->setObjectName(u"log"_s);
    m_text->setAccessibleName(tr("Log"));
    m_text->setFont(theme.numberFont());
    connect(&theme, &Theme::changed, this, [this] { m_text->setFont(m_theme.numberFont()); });
}

QString LogView::textOf(const store::KernelDetails& details)
{
    QStringList parts;
    const auto section = [&parts](const QString& title, const QString& body) {
        if (!body.isEmpty())
            parts << title + u'\n' + body;
    };
    if (details.verdict) {
        section(tr("Error, verbatim"), measure_text::fromUtf8(details.verdict->error.value_or(std::string())));
        QStringList reasons;
        for (const store::GateRecord& gate : details.verdict->gates) {
            if (!gate.reason.empty())
                reasons << measure_text::gateId(gate.gate) + u"  "_s + measure_text::fromUtf8(gate.reason);
        }
        section(tr("Reasons, verbatim"), reasons.join(u'\n'));
        section(tr("Other members of the row"), prettyJson(details.verdict->extra));
    }
    QStringList run;
    if (!details.audit.importedFrom.empty())
        run << tr("imported from %1, judged on %2 at %3")
                   .arg(measure_text::fromUtf8(details.audit.importedFrom),
                        measure_text::fromUtf8(store::deviceName(details.audit)),
                        measure_text::fromUtf8(details.audit.startedAt));
    if (!details.audit.device.empty())
        run << tr("device ") + measure_text::fromUtf8(details.audit.device);
    if (!details.audit.seed.empty())
        run << tr("seed ") + measure_text::fromUtf8(details.audit.seed);
    if (!details.audit.versions.empty())
        run << prettyJson(details.audit.versions);
    section(tr("The audit ran with"), run.join(u'\n'));
    return parts.isEmpty() ? tr("Nothing was logged for this kernel.") : parts.join(u"\n\n"_s);
}

void LogView::setDetails(const store::KernelDetails& details)
{
    // A text that is read again keeps its scroll position.
    if (const QString text = textOf(details); text != m_text->toPlainText())
        m_text->setPlainText(text);
}

} // namespace assay::views
