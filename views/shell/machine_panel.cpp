// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/machine_panel.h"

#include "views/state/jobs.h"
#include "views/theme/theme.h"

#include <QClipboard>
#include <QGridLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr QSize kSize(780, 560);
constexpr int kIcon = 16; // px

QString fromUtf8(const std::string& text)
{
    return QString::fromStdString(text);
}

/// What the finding's name stands for, for a person who has not read the manual.
QString titleOf(const std::string& name)
{
    if (name == "python")
        return MachinePanel::tr("Python");
    if (name == "gpu")
        return MachinePanel::tr("GPU");
    if (name == "sandbox")
        return MachinePanel::tr("Sandbox");
    if (name == "judging")
        return MachinePanel::tr("Judging");
    if (name == "isolation")
        return MachinePanel::tr("Isolation");
    if (name == "sqlite")
        return MachinePanel::tr("SQLite");
    return fromUtf8(name);
}

QLabel* label(const QString& text, QWidget* parent)
{
    auto* made = new QLabel(text, parent);
    made->setTextFormat(Qt::PlainText);
    made->setWordWrap(true);
    made->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return made;
}

} // namespace

MachinePanel::MachinePanel(Jobs& jobs, const Theme& theme, QWidget* window)
    : Overlay(window)
    , m_jobs(jobs)
    , m_theme(theme)
    , m_title(new QLabel(tr("What this machine can judge"), this))
    , m_about(label({}, this))
    , m_summary(label({}, this))
    , m_scroll(new QScrollArea(this))
    , m_again(new QPushButton(tr("Look again"), this))
{
    setObjectName(u"machinePanel"_s);
    setAccessibleName(m_title->text());
    m_about->setProperty("look", u"muted"_s);
    m_summary->setObjectName(u"machineSummary"_s);
    m_scroll->setObjectName(u"machineFindings"_s);
    m_scroll->setAccessibleName(tr("What was found"));
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    auto* settings = new QPushButton(tr("Settings"), this);
    settings->setAccessibleName(tr("Settings of the judge"));
    auto* copy = new QPushButton(tr("Copy"), this);
    copy->setAccessibleName(tr("Copy what was found"));
    m_again->setProperty("look", u"primary"_s);
    auto* hint = new QLabel(tr("Esc closes"), this);
    hint->setProperty("look", u"muted"_s);
    auto* foot = new QHBoxLayout;
    foot->addWidget(hint, 1);
    foot->addWidget(copy);
    foot->addWidget(settings);
    foot->addWidget(m_again);
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(24, 20, 24, 16);
    lines->setSpacing(8);
    lines->addWidget(m_title);
    lines->addWidget(m_about);
    lines->addWidget(m_summary);
    lines->addSpacing(4);
    lines->addWidget(m_scroll, 1);
    lines->addLayout(foot);
    clearRows();

    connect(settings, &QPushButton::clicked, this, &MachinePanel::settingsWanted);
    connect(copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(text()); });
    connect(m_again, &QPushButton::clicked, this, [this] { open(m_settings); });
    connect(&jobs, &Jobs::progressed, this, [this](int id) {
        if (id == m_job)
            takeFresh();
    });
    connect(&jobs, &Jobs::finished, this, [this](int id) {
        if (id == m_job)
            conclude({});
    });
    connect(&jobs, &Jobs::failed, this, [this](int id, const QString& message) {
        if (id == m_job)
            conclude(message);
    });
    connect(&jobs, &Jobs::cancelled, this, [this](int id) {
        if (id == m_job)
            conclude(tr("Looking was cancelled."));
    });
}

void MachinePanel::open(const JudgeSettings& settings)
{
    m_title->setFont(m_theme.titleFont());
    m_settings = settings;
    const QString python = interpreterOf(settings);
    m_about->setText(settings.prefix.isEmpty()
                         ? tr("With %1, on %2. Everything is tried, nothing is guessed.").arg(python, settings.device)
                         : tr("Judging goes through \"%1\" with %2, on %3; the other lines are about this machine. Everything is "
                              "tried, nothing is guessed.")
                               .arg(settings.prefix, python, settings.device));
    if (!isLooking()) {
        clearRows();
        m_summary->setText(tr("Looking ..."));
        m_again->setEnabled(false);
        m_found = std::make_shared<Found>();
        m_job = m_jobs.start(tr("Looking at this machine"),
                             [worker = workerOf(settings), device = settings.device.toStdString(),
                              found = m_found](std::stop_token stop, const Jobs::Progress& progress) {
                                 runner::DoctorSink sink;
                                 sink.looking = [&](std::string_view what) {
                                     progress(0, 0, QString::fromUtf8(what.data(), static_cast<qsizetype>(what.size())));
                                 };
                                 sink.found = [&](const runner::MachineFinding& finding) {
                                     const std::lock_guard lock(found->mutex);
                                     found->fresh.push_back(finding);
                                 };
                                 runner::examineMachine(worker, device, sink, stop);
                                 return QString();
                             });
    }
    present(m_scroll);
}

QString MachinePanel::text() const
{
    QStringList lines;
    for (const runner::MachineFinding& finding : m_findings) {
        lines << tr("%1: %2: %3")
                     .arg(fromUtf8(finding.name), finding.present ? tr("present") : tr("missing"), fromUtf8(finding.detail));
        if (!finding.present)
            lines << u"    "_s + fromUtf8(finding.remedy);
    }
    return lines.join(u'\n');
}

QSize MachinePanel::wantedSize() const
{
    return kSize;
}

void MachinePanel::takeFresh()
{
    std::vector<runner::MachineFinding> fresh;
    {
        const std::lock_guard lock(m_found->mutex);
        fresh.swap(m_found->fresh);
    }
    for (const runner::MachineFinding& finding : fresh)
        addRow(finding);
}

void MachinePanel::addRow(const runner::MachineFinding& finding)
{
    m_findings.push_back(finding);
    const int row = m_rows->rowCount();
    auto* mark = new QLabel(m_sheet);
    mark->setPixmap(m_theme.icon(finding.present ? u"check"_s : u"warning"_s).pixmap(QSize(kIcon, kIcon), devicePixelRatioF()));
    auto* name = label(titleOf(finding.name), m_sheet);
    QFont bold = m_theme.uiFont();
    bold.setWeight(QFont::DemiBold);
    name->setFont(bold);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(0);
    texts->addWidget(label(fromUtf8(finding.detail), m_sheet));
    if (!finding.present) {
        QLabel* remedy = label(fromUtf8(finding.remedy), m_sheet);
        remedy->setProperty("look", u"muted"_s);
        texts->addWidget(remedy);
    }
    m_rows->addWidget(mark, row, 0, Qt::AlignTop);
    m_rows->addWidget(name, row, 1, Qt::AlignTop);
    m_rows->addLayout(texts, row, 2);
    m_rows->setRowStretch(row, 0);
}

/// The one line that a person came for: whether judging works, and what stands in the way.
void MachinePanel::conclude(const QString& failure)
{
    takeFresh();
    m_job = 0;
    m_again->setEnabled(true);
    m_rows->setRowStretch(m_rows->rowCount(), 1);
    const auto judging = std::ranges::find(m_findings, std::string("judging"), &runner::MachineFinding::name);
    if (!failure.isEmpty())
        m_summary->setText(failure);
    else if (judging != m_findings.end() && judging->present)
        m_summary->setText(tr("Kernels can be judged on %1.").arg(m_settings.device));
    else if (judging != m_findings.end())
        m_summary->setText(tr("Nothing can be judged on %1: %2. %3")
                               .arg(m_settings.device, fromUtf8(judging->detail), fromUtf8(judging->remedy)));
    setAccessibleDescription(m_summary->text());
}

void MachinePanel::clearRows()
{
    m_findings.clear();
    m_sheet = new QWidget;
    m_rows = new QGridLayout(m_sheet);
    m_rows->setContentsMargins(0, 0, 12, 0);
    m_rows->setHorizontalSpacing(12);
    m_rows->setVerticalSpacing(10);
    m_rows->setColumnStretch(2, 1);
    m_scroll->setWidget(m_sheet);
}

} // namespace assay::views
