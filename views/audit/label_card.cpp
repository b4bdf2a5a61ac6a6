// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/audit/label_card.h"

#include "views/audit/audit_queue.h"
#include "views/theme/theme.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpressionValidator>
#include <QVBoxLayout>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr int kAnswerHeight = 34; // px
constexpr int kSuggestions = 3;

QString titleOf(store::AuditLabel label)
{
    switch (label) {
    case store::AuditLabel::Confirmed:
        return LabelCard::tr("Confirmed defect");
    case store::AuditLabel::FalsePositive:
        return LabelCard::tr("Harness false positive");
    case store::AuditLabel::Ambiguous:
        return LabelCard::tr("Contract-ambiguous");
    case store::AuditLabel::Inconclusive:
        return LabelCard::tr("Inconclusive");
    }
    return {};
}

constexpr char16_t kSeverityKeys[] = u"QWE";

QString titleOf(store::DefectSeverity severity)
{
    switch (severity) {
    case store::DefectSeverity::Critical:
        return LabelCard::tr("critical");
    case store::DefectSeverity::Major:
        return LabelCard::tr("major");
    case store::DefectSeverity::Minor:
        return LabelCard::tr("minor");
    }
    return {};
}

QString meaningOf(store::DefectSeverity severity)
{
    switch (severity) {
    case store::DefectSeverity::Critical:
        return LabelCard::tr("Ordinary inputs give wrong results (Q)");
    case store::DefectSeverity::Major:
        return LabelCard::tr("Inputs that the contract allows give wrong results (W)");
    case store::DefectSeverity::Minor:
        return LabelCard::tr("Wrong, and hardly anybody will meet it (E)");
    }
    return {};
}

QString userName()
{
    const QString user = qEnvironmentVariable("USER");
    return user.isEmpty() ? u"reviewer"_s : user;
}

QLabel* muted(QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setProperty("look", u"muted"_s);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    return label;
}

} // namespace

LabelCard::LabelCard(const Theme& theme, QWidget* parent)
    : QFrame(parent)
    , m_theme(theme)
{
    setObjectName(u"audit.card"_s);
    setAccessibleName(tr("Label"));
    build();
}

void LabelCard::build()
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 12, 16, 12);
    column->setSpacing(6);
    m_progress = new QLabel(this);
    m_progress->setObjectName(u"audit.progress"_s);
    m_progress->setFont(m_theme.titleFont());
    m_kernel = muted(this);
    m_others = muted(this);
    m_others->setObjectName(u"audit.others"_s);
    m_bar = new QProgressBar(this);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Labelled kernels"));
    column->addWidget(m_progress);
    column->addWidget(m_bar);
    column->addWidget(m_kernel);
    column->addWidget(m_others);
    column->addSpacing(4);
    m_answers = new QButtonGroup(this);
    for (const store::AuditLabel label : store::kAuditLabels) {
        const int number = int(label) + 1;
        auto* button = new QPushButton(u"%1   %2"_s.arg(number).arg(titleOf(label)), this);
        button->setObjectName(u"audit.answer%1"_s.arg(number));
        button->setCheckable(true);
        button->setMinimumHeight(kAnswerHeight);
        button->setStyleSheet(u"text-align: left; padding-left: 12px;"_s);
        button->setToolTip(tr("%1 (%2)").arg(titleOf(label)).arg(number));
        m_answers->addButton(button, int(label));
        column->addWidget(button);
    }
    addSeverities();
    column->addSpacing(4);
    m_reason = addLine(u"audit.reason"_s, tr("Reason (R)"), tr("code, such as nan_swallowed"));
    m_reason->setValidator(new QRegularExpressionValidator(QRegularExpression(u"[a-z0-9_-]*"_s), m_reason));
    m_suggested = muted(this);
    m_suggested->setFont(m_theme.smallFont());
    m_suggested->setWordWrap(false);
    m_suggested->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_suggested->setObjectName(u"audit.suggested"_s);
    column->addWidget(m_suggested);
    m_note = addLine(u"audit.note"_s, tr("Note (N)"), tr("what a reader should know"));
    m_evidence = addLine(u"audit.evidence"_s, tr("Evidence (U)"), tr("links or paths, separated by blanks"));
    m_reviewer = addLine(u"audit.reviewer"_s, tr("Reviewer"), {});
    m_reviewer->setText(userName());
    column->addSpacing(4);
    m_save = new QPushButton(tr("Save, next (Enter)"), this);
    m_save->setObjectName(u"audit.save"_s);
    m_save->setProperty("look", u"primary"_s);
    m_undo = new QPushButton(tr("Take back (\u232b)"), this);
    m_undo->setObjectName(u"audit.undo"_s);
    m_undo->setToolTip(tr("Takes your last label back by a record of its own (Backspace, Ctrl+Z)"));
    m_reveal = new QPushButton(tr("Show verdict (V)"), this);
    m_reveal->setObjectName(u"audit.reveal"_s);
    m_reveal->setToolTip(tr("Your label will say that you saw it"));
    auto* row = new QHBoxLayout;
    row->addWidget(m_undo);
    row->addWidget(m_reveal);
    column->addWidget(m_save);
    column->addLayout(row);
    m_adjudicate = new QCheckBox(tr("Adjudicate (A)"), this);
    m_adjudicate->setObjectName(u"audit.adjudicate"_s);
    m_adjudicate->setToolTip(tr("Decide where reviewers differ; your label counts then"));
    m_adjudicate->setProperty("look", u"option"_s);
    column->addWidget(m_adjudicate);
    m_said = muted(this);
    m_said->setObjectName(u"audit.said"_s);
    m_said->setMinimumHeight(2 * m_said->fontMetrics().lineSpacing());
    m_said->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    column->addWidget(m_said);
    column->addStretch();
    admitSeverities();
    connect(m_reason, &QLineEdit::textChanged, this, &LabelCard::suggest);
    connect(m_save, &QPushButton::clicked, this, &LabelCard::saveAsked);
    connect(m_undo, &QPushButton::clicked, this, &LabelCard::undoAsked);
    connect(m_reveal, &QPushButton::clicked, this, &LabelCard::revealAsked);
    connect(m_adjudicate, &QCheckBox::toggled, this, &LabelCard::adjudicationToggled);
    connect(m_reviewer, &QLineEdit::editingFinished, this, [this] { Q_EMIT reviewerChanged(reviewer()); });
}

/// One row below the answers, for the first of them alone.
void LabelCard::addSeverities()
{
    auto* row = new QHBoxLayout;
    row->setSpacing(4);
    m_severities = new QButtonGroup(this);
    m_severities->setExclusive(false); // none may be chosen
    for (const store::DefectSeverity severity : store::kDefectSeverities) {
        const QChar key(kSeverityKeys[int(severity)]);
        auto* button = new QPushButton(u"%1  %2"_s.arg(key).arg(titleOf(severity)), this);
        button->setObjectName(u"audit.severity%1"_s.arg(key));
        button->setCheckable(true);
        button->setToolTip(meaningOf(severity));
        m_severities->addButton(button, int(severity));
        row->addWidget(button, 1);
        connect(button, &QPushButton::clicked, this,
                [this, severity](bool on) { showSeverities(on ? std::optional(severity) : std::nullopt); });
    }
    static_cast<QVBoxLayout*>(layout())->addLayout(row);
    connect(m_answers, &QButtonGroup::idToggled, this, &LabelCard::admitSeverities);
}

/// Only a confirmed defect is weighed.
void LabelCard::admitSeverities()
{
    const bool isDefect = chosen() == store::AuditLabel::Confirmed;
    for (QAbstractButton* button : m_severities->buttons())
        button->setEnabled(isDefect && m_save->isEnabled());
    if (!isDefect)
        showSeverities(std::nullopt);
}

void LabelCard::showSeverities(std::optional<store::DefectSeverity> chosen)
{
    for (QAbstractButton* button : m_severities->buttons())
        button->setChecked(chosen && m_severities->id(button) == int(*chosen));
}

std::optional<store::DefectSeverity> LabelCard::weighed() const
{
    for (const store::DefectSeverity severity : store::kDefectSeverities) {
        if (m_severities->button(int(severity))->isChecked())
            return severity;
    }
    return std::nullopt;
}

void LabelCard::weigh(store::DefectSeverity severity)
{
    if (!m_save->isEnabled())
        return;
    if (chosen() != store::AuditLabel::Confirmed)
        say(tr("Only a confirmed defect is weighed: 1 first."));
    else
        showSeverities(weighed() == severity ? std::nullopt : std::optional(severity));
}

QLineEdit* LabelCard::addLine(const QString& name, const QString& label, const QString& placeholder)
{
    auto* line = new QLineEdit(this);
    line->setObjectName(name);
    line->setAccessibleName(label);
    line->setPlaceholderText(placeholder);
    line->installEventFilter(this);
    auto* caption = new QLabel(label, this);
    caption->setProperty("look", u"muted"_s);
    caption->setFont(m_theme.smallFont());
    caption->setBuddy(line);
    auto* column = static_cast<QVBoxLayout*>(layout());
    column->addWidget(caption);
    column->addWidget(line);
    return line;
}

void LabelCard::setReasons(const QStringList& codes)
{
    m_codes = codes;
    suggest();
}

/// The codes that hold what is typed, those that begin with it first.
QStringList LabelCard::suggestions() const
{
    const QString typed = m_reason->text();
    QStringList found = m_codes.filter(typed);
    std::stable_partition(found.begin(), found.end(), [&](const QString& code) { return code.startsWith(typed); });
    return found;
}

void LabelCard::suggest()
{
    const QStringList found = suggestions();
    const bool isWanted = m_reason->hasFocus() && !found.isEmpty() && found.first() != m_reason->text();
    m_suggested->setText(isWanted ? tr("Tab: %1").arg(found.mid(0, kSuggestions).join(u", "_s)) : QString());
}

void LabelCard::setWritable(bool writable)
{
    for (QWidget* widget : std::initializer_list<QWidget*>{m_save, m_undo, m_reveal, m_reason, m_note, m_evidence})
        widget->setEnabled(writable);
    for (QAbstractButton* button : m_answers->buttons())
        button->setEnabled(writable);
    admitSeverities();
}

void LabelCard::show(const AuditQueue& queue)
{
    const store::SampleItem* item = queue.current();
    m_progress->setText(queue.total() == 0 ? (queue.isAdjudicating() ? tr("No dispute") : tr("Nothing drawn"))
                                           : tr("%1 of %2 labelled").arg(queue.done()).arg(queue.total()));
    m_bar->setRange(0, std::max(1, int(queue.total())));
    m_bar->setValue(int(queue.done()));
    m_kernel->setText(item == nullptr ? QString()
                                      : tr("Kernel %1 of %2%3")
                                            .arg(queue.place())
                                            .arg(queue.total())
                                            .arg(queue.isDone(item->id) ? tr(" \u00b7 labelled") : QString()));
    m_others->setText(othersText(queue));
    m_others->setVisible(!m_others->text().isEmpty());
    m_adjudicate->setText(queue.disputed() > 0 ? tr("Adjudicate (A): reviewers differ on %1").arg(queue.disputed())
                                               : tr("Adjudicate (A)"));
    {
        const QSignalBlocker quiet(m_adjudicate);
        m_adjudicate->setChecked(queue.isAdjudicating());
    }
    m_reveal->setText(item != nullptr && queue.isRevealed(item->id) ? tr("Verdict shown") : tr("Show verdict (V)"));
    const std::int64_t itemId = item == nullptr ? 0 : item->id;
    const bool isDone = item != nullptr && queue.isDone(itemId);
    if (itemId != m_itemId || queue.isAdjudicating() != m_isAdjudicating || isDone != m_wasDone)
        fill(queue);
    m_itemId = itemId;
    m_isAdjudicating = queue.isAdjudicating();
    m_wasDone = isDone;
}

/// The label that holds, to look at or to change; empty fields for a kernel without one.
void LabelCard::fill(const AuditQueue& queue)
{
    const store::SampleItem* item = queue.current();
    const auto own = item == nullptr ? std::nullopt : queue.ownLabel(item->id);
    m_answers->setExclusive(false);
    for (QAbstractButton* button : m_answers->buttons())
        button->setChecked(own && m_answers->id(button) == int(*own->label));
    m_answers->setExclusive(true);
    showSeverities(own ? own->severity : std::nullopt);
    m_reason->setText(own ? QString::fromStdString(own->reason) : QString());
    m_note->setText(own ? QString::fromStdString(own->note) : QString());
    QStringList links;
    if (own) {
        for (const std::string& link : own->evidence)
            links << QString::fromStdString(link);
    }
    m_evidence->setText(links.join(u' '));
}

/// Adjudicators see what they decide between; everybody else judges alone.
QString LabelCard::othersText(const AuditQueue& queue) const
{
    if (!queue.isAdjudicating() || queue.current() == nullptr)
        return {};
    QStringList lines;
    for (const store::LabelRow& row : queue.labelsOf(queue.current()->id)) {
        QString line = tr("%1: %2").arg(QString::fromStdString(row.reviewer), titleOf(*row.label));
        if (row.severity)
            line += u", "_s + titleOf(*row.severity);
        if (!row.reason.empty())
            line += u" (%1)"_s.arg(QString::fromStdString(row.reason));
        if (!row.note.empty())
            line += u" \u2013 %1"_s.arg(QString::fromStdString(row.note));
        lines << line;
    }
    return lines.join(u'\n');
}

void LabelCard::choose(store::AuditLabel label)
{
    if (QAbstractButton* button = m_answers->button(int(label)); button->isEnabled()) {
        button->setChecked(true);
        m_said->clear();
    }
}

std::optional<store::AuditLabel> LabelCard::chosen() const
{
    const int id = m_answers->checkedId();
    return id < 0 ? std::nullopt : std::optional(static_cast<store::AuditLabel>(id));
}

std::optional<store::NewLabel> LabelCard::entered()
{
    const auto answer = chosen();
    if (m_itemId == 0)
        return std::nullopt;
    if (!answer) {
        say(tr("Choose an answer first: 1, 2, 3 or 4."));
        return std::nullopt;
    }
    store::NewLabel label;
    label.itemId = m_itemId;
    label.label = *answer;
    label.kind = m_isAdjudicating ? store::LabelKind::Adjudication : store::LabelKind::Label;
    label.severity = weighed();
    label.reason = m_reason->text().toStdString();
    label.note = m_note->text().trimmed().toStdString();
    for (const QString& link : m_evidence->text().split(u' ', Qt::SkipEmptyParts))
        label.evidence.push_back(link.toStdString());
    label.reviewer = reviewer().toStdString();
    return label;
}

QString LabelCard::reviewer() const
{
    const QString name = m_reviewer->text().trimmed();
    return name.isEmpty() ? userName() : name;
}

void LabelCard::say(const QString& text)
{
    m_said->setText(text);
}

void LabelCard::focusReason()
{
    m_reason->setFocus(Qt::ShortcutFocusReason);
}

void LabelCard::focusNote()
{
    m_note->setFocus(Qt::ShortcutFocusReason);
}

void LabelCard::focusEvidence()
{
    m_evidence->setFocus(Qt::ShortcutFocusReason);
}

bool LabelCard::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_reason && event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Tab) {
        const QString first = suggestions().value(0);
        if (!m_reason->text().isEmpty() && !first.isEmpty() && first != m_reason->text()) {
            m_reason->setText(first);
            return true;
        }
    }
    if (watched == m_reason && (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut))
        QMetaObject::invokeMethod(this, &LabelCard::suggest, Qt::QueuedConnection);
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        Q_EMIT left();
        return true;
    }
    return QFrame::eventFilter(watched, event);
}

} // namespace assay::views
