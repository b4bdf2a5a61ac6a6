// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/evidence_header.h"

#include "views/evidence/gate_strip_bar.h"
#include "views/evidence/measure_text.h"
#include "views/theme/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

namespace assay::views {

using namespace Qt::StringLiterals;
using contract::StripCell;

namespace {
constexpr int kShapeSide = 20;

QString blindFactsOf(const store::KernelDetails& details)
{
    QStringList parts;
    parts << measure_text::fromUtf8(details.kernel.family);
    if (details.kernel.language != "unknown")
        parts << measure_text::fromUtf8(details.kernel.language);
    if (details.verdict)
        parts << measure_text::shape(details.verdict->nativeShape);
    parts << EvidenceHeader::tr("verdict hidden (V shows it)");
    parts.removeAll(QString());
    return parts.join(u"  \u00b7  "_s);
}
} // namespace

EvidenceHeader::EvidenceHeader(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_shape(new QLabel(this))
    , m_title(new QLabel(this))
    , m_outcomeText(new QLabel(this))
    , m_bookmark(new QToolButton(this))
    , m_facts(new QLabel(this))
    , m_strip(new GateStripBar(theme, this))
    , m_finding(new QLabel(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    auto* top = new QHBoxLayout;
    top->setSpacing(8);
    top->addWidget(m_shape);
    top->addWidget(m_title, 1);
    top->addWidget(m_outcomeText);
    top->addWidget(m_bookmark);
    layout->addLayout(top);
    layout->addWidget(m_facts);
    layout->addSpacing(4);
    layout->addWidget(m_strip);
    layout->addSpacing(4);
    layout->addWidget(m_finding);
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_title->installEventFilter(this);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_facts->setWordWrap(true);
    m_finding->setWordWrap(true);
    m_finding->setTextFormat(Qt::PlainText);
    m_finding->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_finding->setFocusPolicy(Qt::ClickFocus);
    m_finding->setAccessibleName(tr("Finding"));
    m_finding->setObjectName(u"finding"_s);
    m_title->setObjectName(u"title"_s);
    m_facts->setObjectName(u"facts"_s);
    m_bookmark->setObjectName(u"bookmark"_s);
    m_bookmark->setCheckable(true);
    m_bookmark->setAccessibleName(tr("Bookmark"));
    m_bookmark->setToolTip(tr("Bookmark this kernel (M)"));
    connect(m_bookmark, &QToolButton::clicked, this, &EvidenceHeader::bookmarkToggled);
    connect(&theme, &Theme::changed, this, &EvidenceHeader::restyle);
    restyle();
}

contract::GateStrip EvidenceHeader::stripOf(const std::optional<store::VerdictRecord>& verdict)
{
    contract::GateStrip strip;
    if (verdict) {
        for (const store::GateRecord& gate : verdict->gates)
            strip.set(gate.gate, contract::stripCell(gate.verdict, gate.severity));
    }
    return strip;
}

StripCell EvidenceHeader::outcomeOf(const std::optional<store::VerdictRecord>& verdict)
{
    return verdict ? contract::stripCell(verdict->outcome, verdict->severity) : StripCell::Absent;
}

QString EvidenceHeader::findingOf(const store::KernelDetails& details)
{
    if (!details.verdict)
        return tr("No audit judged this kernel.");
    if (!details.verdict->finding.empty())
        return measure_text::fromUtf8(details.verdict->finding);
    switch (details.verdict->outcome) {
    case contract::Verdict::Pass:
        return tr("Every gate that was run passes.");
    case contract::Verdict::Error:
    case contract::Verdict::Unknown:
        return details.verdict->error
            ? tr("Could not be judged: %1").arg(measure_text::fromUtf8(*details.verdict->error).section(u'\n', 0, 0))
            : tr("Could not be judged; the audit gives no reason.");
    default:
        return details.verdict->error ? measure_text::fromUtf8(*details.verdict->error).section(u'\n', 0, 0)
                                      : tr("The audit gives no reason in words; see the gates below.");
    }
}

QString EvidenceHeader::factsOf(const store::KernelDetails& details)
{
    QStringList parts;
    parts << (details.kernel.family.empty() ? tr("family unknown") : measure_text::fromUtf8(details.kernel.family));
    if (details.kernel.language != "unknown" && !details.kernel.language.empty())
        parts << measure_text::fromUtf8(details.kernel.language);
    if (details.verdict) {
        parts << measure_text::shape(details.verdict->nativeShape);
        if (details.verdict->speedup)
            parts << tr("speedup ") + measure_text::speedup(details.verdict->speedup);
        if (details.verdict->elapsedSeconds)
            parts << tr("judged in %1 s").arg(QString::number(*details.verdict->elapsedSeconds, 'f', 1));
        if (!details.verdict->status.empty())
            parts << tr("status ") + measure_text::fromUtf8(details.verdict->status);
    }
    if (!details.audit.name.empty())
        parts << measure_text::fromUtf8(details.audit.name);
    if (!details.audit.importedFrom.empty())
        parts << tr("judged on %1, imported").arg(measure_text::fromUtf8(store::deviceName(details.audit)));
    if (details.corpusOrigin == "illustrative")
        parts << tr("illustrative: not measured");
    return parts.join(u"  \u00b7  "_s);
}

void EvidenceHeader::setDetails(const store::KernelDetails& details)
{
    const QString id = measure_text::fromUtf8(details.kernel.externalId);
    const QString title = measure_text::fromUtf8(details.kernel.title);
    m_fullTitle = u'#' + id + (title.isEmpty() || title == id ? QString() : u"  "_s + title);
    m_title->setToolTip(m_fullTitle);
    m_title->setAccessibleName(m_fullTitle);
    showTitle();
    m_outcome = outcomeOf(details.verdict);
    m_outcomeText->setText(details.verdict ? measure_text::verdict(details.verdict->outcome, details.verdict->severity)
                                           : tr("not judged"));
    m_fullFacts = factsOf(details);
    m_blindFacts = blindFactsOf(details);
    m_facts->setText(m_isBlinded ? m_blindFacts : m_fullFacts);
    m_strip->setStrip(stripOf(details.verdict));
    m_finding->setText(findingOf(details));
    const QSignalBlocker quiet(m_bookmark);
    m_bookmark->setChecked(details.bookmarked);
    restyle();
}

void EvidenceHeader::setBlinded(bool blinded)
{
    m_isBlinded = blinded;
    for (QWidget* telling : std::initializer_list<QWidget*>{m_shape, m_outcomeText, m_strip, m_finding})
        telling->setVisible(!blinded);
    m_facts->setText(m_isBlinded ? m_blindFacts : m_fullFacts);
}

void EvidenceHeader::setUnderWay(contract::GateStrip strip, const QString& sentence)
{
    m_outcome = StripCell::Running;
    m_outcomeText->setText(tr("judging"));
    m_strip->setStrip(strip);
    m_finding->setText(sentence);
    restyle();
}

/// Ids may be paths: both ends tell them apart.
void EvidenceHeader::showTitle()
{
    const bool isLaidOut = isVisible() && m_title->width() > 0;
    m_title->setText(isLaidOut ? m_title->fontMetrics().elidedText(m_fullTitle, Qt::ElideMiddle, m_title->width()) : m_fullTitle);
}

bool EvidenceHeader::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_title && event->type() == QEvent::Resize)
        showTitle();
    return QWidget::eventFilter(watched, event);
}

void EvidenceHeader::restyle()
{
    QFont title = m_theme.uiFont();
    title.setPointSizeF(title.pointSizeF() * 1.35);
    title.setWeight(QFont::DemiBold);
    m_title->setFont(title);
    QFont finding = m_theme.uiFont();
    finding.setPointSizeF(finding.pointSizeF() * 1.12);
    m_finding->setFont(finding);
    QPalette muted = palette();
    muted.setColor(QPalette::WindowText, m_theme.mutedInk());
    m_facts->setPalette(muted);
    m_outcomeText->setPalette(muted);
    m_shape->setPixmap(m_theme.cellPixmap(m_outcome, kShapeSide, devicePixelRatioF()));
    m_bookmark->setText(m_bookmark->isChecked() ? u"\u2605"_s : u"\u2606"_s);
}

} // namespace assay::views
