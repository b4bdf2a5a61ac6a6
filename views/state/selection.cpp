// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/selection.h"

#include <QAction>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
/// Steps that back can undo. Far beyond what a person retraces, and small in memory.
constexpr std::size_t kHistoryLimit = 512;
} // namespace

Selection::Selection(QObject* parent)
    : QObject(parent)
    , m_back(new QAction(tr("Back"), this))
    , m_forward(new QAction(tr("Forward"), this))
{
    m_back->setObjectName(u"go.back"_s);
    m_back->setShortcut(QKeySequence(u"Alt+Left"_s));
    m_forward->setObjectName(u"go.forward"_s);
    m_forward->setShortcut(QKeySequence(u"Alt+Right"_s));
    connect(m_back, &QAction::triggered, this, &Selection::back);
    connect(m_forward, &QAction::triggered, this, &Selection::forward);
    updateActions();
}

const Selection::Spot& Selection::spot() const
{
    return m_history[m_position];
}

std::int64_t Selection::kernelId() const
{
    return spot().kernelId;
}

std::optional<contract::Gate> Selection::gate() const
{
    return spot().gate;
}

void Selection::setPlace(const QString& place)
{
    Spot next = spot();
    next.place = place;
    apply(next, true);
}

void Selection::setKernel(std::int64_t kernelId)
{
    Spot next = spot();
    next.kernelId = kernelId;
    apply(next, true);
}

void Selection::setGate(std::optional<contract::Gate> gate)
{
    Spot next = spot();
    next.gate = gate;
    apply(next, true);
}

void Selection::go(const Spot& spot)
{
    Spot next = spot;
    if (next.filter.isEmpty())
        next.filter = this->spot().filter;
    apply(next, true);
}

void Selection::noteFilter(const QString& line)
{
    // A filter change is undone by the filter's own undo; here it only follows the spot.
    m_history[m_position].filter = line;
}

bool Selection::canGoBack() const
{
    return m_position > 0;
}

bool Selection::canGoForward() const
{
    return m_position + 1 < m_history.size();
}

void Selection::back()
{
    if (canGoBack())
        step(m_position - 1);
}

void Selection::forward()
{
    if (canGoForward())
        step(m_position + 1);
}

QAction* Selection::backAction() const
{
    return m_back;
}

QAction* Selection::forwardAction() const
{
    return m_forward;
}

void Selection::step(std::size_t position)
{
    const Spot before = spot();
    m_position = position;
    announce(before);
}

void Selection::apply(const Spot& spot, bool record)
{
    const Spot before = this->spot();
    if (spot == before)
        return;
    if (record) {
        m_history.erase(m_history.begin() + static_cast<std::ptrdiff_t>(m_position) + 1, m_history.end());
        m_history.push_back(spot);
        if (m_history.size() > kHistoryLimit)
            m_history.erase(m_history.begin());
        m_position = m_history.size() - 1;
    } else {
        m_history[m_position] = spot;
    }
    announce(before);
}

void Selection::announce(const Spot& before)
{
    updateActions();
    // A slot may navigate further; the copy keeps this step's signals consistent.
    const Spot now = spot();
    if (now.filter != before.filter)
        Q_EMIT filterWanted(now.filter);
    if (now.place != before.place)
        Q_EMIT placeChanged(now.place);
    if (now.kernelId != before.kernelId)
        Q_EMIT kernelChanged(now.kernelId);
    if (now.gate != before.gate)
        Q_EMIT gateChanged();
    Q_EMIT spotChanged();
}

void Selection::updateActions()
{
    m_back->setEnabled(canGoBack());
    m_forward->setEnabled(canGoForward());
}

} // namespace assay::views
