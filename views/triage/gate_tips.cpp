// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/triage/gate_tips.h"

#include "core/store/kernel_details.h"
#include "core/store/threshold_words.h"
#include "views/state/query_channel.h"
#include "views/state/workspace.h"
#include "views/theme/cell_shape.h"
#include "views/triage/triage_words.h"

#include <QToolTip>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr int kKernelsRemembered = 64;

/// "Measured 1.12e+22 against 6.05e+21, 8.01e-05 of the output's scale."
QString measuredLine(const store::GateRecord& gate)
{
    if (!gate.value.isPresent())
        return {};
    QString line = u"Measured "_s + words::errorText(gate.value);
    if (gate.threshold.isPresent())
        line += u" against "_s + words::errorText(gate.threshold);
    if (gate.relative.isFinite())
        line += u", "_s + words::errorText(gate.relative) + u" of the output's scale"_s;
    return line + u'.';
}

QString describe(const store::GateRecord& gate, const store::AuditRecord& audit)
{
    QStringList lines;
    const std::string& sentence = gate.finding.empty() ? gate.reason : gate.finding;
    if (!sentence.empty())
        lines << words::fromUtf8(sentence);
    if (const QString measured = measuredLine(gate); !measured.isEmpty())
        lines << measured;
    if (QString limit = words::fromUtf8(store::thresholdWords(gate, audit)); !limit.isEmpty()) {
        limit[0] = limit[0].toUpper();
        lines << limit + u'.';
    }
    if (gate.exercised && gate.total)
        lines << QString::number(*gate.exercised) + u" of "_s + QString::number(*gate.total) + u" checks ran."_s;
    else if (gate.skipped && *gate.skipped > 0)
        lines << QString::number(*gate.skipped) + u" checks were skipped."_s;
    return lines.join(u'\n');
}

} // namespace

GateTips::GateTips(Workspace& workspace, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_channel(new QueryChannel(workspace, this))
    , m_lines(kKernelsRemembered)
{
}

void GateTips::show(QWidget* widget, const QRect& area, const QPoint& spot, std::int64_t kernelId, contract::Gate gate,
                    contract::StripCell cell)
{
    m_tip = {widget, area, spot, kernelId, gate, cell};
    present();
    if (m_lines.contains(kernelId))
        return;
    m_channel->start<std::optional<store::KernelDetails>>(
        [scopeId = m_workspace.scopeId(), kernelId](store::Database& database, std::stop_token) {
            return store::kernelDetails(database, scopeId, kernelId);
        },
        [this, kernelId](std::optional<store::KernelDetails> details) {
            auto lines = std::make_unique<Lines>();
            if (details && details->verdict) {
                for (const store::GateRecord& record : details->verdict->gates)
                    (*lines)[static_cast<std::size_t>(contract::indexOf(record.gate))] = describe(record, details->audit);
            }
            m_lines.insert(kernelId, lines.release());
            if (m_tip.kernelId == kernelId && QToolTip::isVisible())
                present();
            Q_EMIT detailed(kernelId);
        });
}

void GateTips::clear()
{
    m_lines.clear();
}

QString GateTips::text(std::int64_t kernelId, contract::Gate gate, contract::StripCell cell) const
{
    QString text = words::gateId(gate) + u" "_s + words::fromUtf8(contract::title(gate)) + u": "_s + cellTitle(cell) + u'.';
    if (const Lines* lines = m_lines.object(kernelId)) {
        const QString& more = (*lines)[static_cast<std::size_t>(contract::indexOf(gate))];
        if (!more.isEmpty())
            text += u'\n' + more;
    }
    return text;
}

void GateTips::present() const
{
    if (m_tip.widget)
        QToolTip::showText(m_tip.spot, text(m_tip.kernelId, m_tip.gate, m_tip.cell), m_tip.widget, m_tip.area);
}

} // namespace assay::views
