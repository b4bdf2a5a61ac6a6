// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/job_bar.h"

#include "views/state/jobs.h"
#include "views/state/messages.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

#include <algorithm>
#include <chrono>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr int kProgressWidth = 160; // px
constexpr int kSteps = 1000;
constexpr std::chrono::milliseconds kClock{500}; // of the elapsed time

QString elapsedText(qint64 milliseconds)
{
    const qint64 seconds = milliseconds / 1000;
    return u"%1:%2"_s.arg(seconds / 60).arg(seconds % 60, 2, 10, QLatin1Char('0'));
}
} // namespace

JobBar::JobBar(Jobs& jobs, Messages& messages, const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_text(new QLabel(this))
    , m_progress(new QProgressBar(this))
    , m_button(new QToolButton(this))
    , m_cancel(new QAction(tr("Cancel the running job"), this))
{
    setObjectName(u"jobBar"_s);
    setAccessibleName(tr("Running job"));
    m_progress->setFixedWidth(kProgressWidth);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress of the running job"));
    m_cancel->setObjectName(u"job.cancel"_s);
    m_cancel->setShortcut(QKeySequence(u"Ctrl+."_s));
    m_button->setObjectName(u"cancelJob"_s);
    m_button->setText(tr("Cancel"));
    m_button->setAccessibleName(m_cancel->text());
    m_button->setToolTip(tr("%1 (%2)").arg(m_cancel->text(), m_cancel->shortcut().toString(QKeySequence::NativeText)));
    connect(m_button, &QToolButton::clicked, m_cancel, &QAction::trigger);

    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 0, 8, 0);
    row->setSpacing(8);
    row->addWidget(m_text);
    row->addWidget(m_progress);
    row->addWidget(m_button);

    connect(&jobs, &Jobs::started, this, [this](int id, const QString& name) {
        m_jobs.push_back({id, name, {}, -1, {}});
        m_jobs.back().since.start();
        refresh();
    });
    connect(&jobs, &Jobs::progressed, this, [this](int id, double fraction, const QString& detail) {
        const auto job = std::ranges::find(m_jobs, id, &Job::id);
        if (job == m_jobs.end())
            return;
        job->fraction = fraction;
        job->detail = detail;
        refresh();
    });
    connect(&jobs, &Jobs::finished, this, [this, &messages](int id, const QString& sentence) {
        remove(id);
        if (!sentence.isEmpty())
            messages.post(Messages::Level::Info, sentence);
    });
    connect(&jobs, &Jobs::failed, this, [this, &messages](int id, const QString& message) {
        messages.post(Messages::Level::Error, tr("%1 failed: %2").arg(nameOf(id), message));
        remove(id);
    });
    connect(&jobs, &Jobs::cancelled, this, [this, &messages](int id) {
        messages.post(Messages::Level::Info, tr("%1 was cancelled; nothing of it was kept.").arg(nameOf(id)));
        remove(id);
    });
    connect(m_cancel, &QAction::triggered, this, [this, &jobs] {
        if (!m_jobs.empty())
            jobs.cancel(m_jobs.back().id);
    });
    connect(&m_clock, &QTimer::timeout, this, &JobBar::refresh);
    connect(&theme, &Theme::changed, this, [this, &theme] { m_text->setFont(theme.smallFont()); });
    m_text->setFont(theme.smallFont());
    refresh();
}

QAction* JobBar::cancelAction() const
{
    return m_cancel;
}

QString JobBar::nameOf(int id) const
{
    const auto job = std::ranges::find(m_jobs, id, &Job::id);
    return job == m_jobs.end() ? QString() : job->name;
}

void JobBar::remove(int id)
{
    std::erase_if(m_jobs, [id](const Job& job) { return job.id == id; });
    refresh();
}

void JobBar::refresh()
{
    m_cancel->setEnabled(!m_jobs.empty());
    setVisible(!m_jobs.empty());
    if (m_jobs.empty()) {
        m_clock.stop();
        return;
    }
    if (!m_clock.isActive())
        m_clock.start(kClock);
    const Job& job = m_jobs.back();
    QStringList parts{job.name};
    if (!job.detail.isEmpty())
        parts << job.detail;
    parts << elapsedText(job.since.elapsed());
    if (m_jobs.size() > 1)
        parts << tr("+%1 more").arg(m_jobs.size() - 1);
    m_text->setText(parts.join(u"  \u00b7  "_s));
    // A range of nothing makes the bar run to and fro: the total is not known.
    m_progress->setRange(0, job.fraction < 0 ? 0 : kSteps);
    m_progress->setValue(static_cast<int>(job.fraction * kSteps));
}

} // namespace assay::views
