// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/kernels_split.h"

#include <QAction>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr double kEvidenceShare = 0.33; // leaves a 1600 px window the list from the id to the relative error
constexpr double kWideShare = 0.66;
constexpr int kWideEnough = 900; // px; two sources fit beside each other, and the list may keep its gate strip
constexpr int kListWithStrip = 540;
constexpr int kEvidenceLeast = 400; // px
constexpr int kEvidenceMost = 760;
constexpr int kListLeast = 340;
} // namespace

KernelsSplit::KernelsSplit(QWidget* parent)
    : QSplitter(Qt::Horizontal, parent)
    , m_wide(new QAction(tr("Wide evidence"), this))
{
    setObjectName(u"kernels"_s);
    setHandleWidth(1);
    setChildrenCollapsible(false);
    m_wide->setObjectName(u"evidence.wide"_s);
    m_wide->setCheckable(true);
    m_wide->setShortcut(Qt::Key_V);
    m_wide->setToolTip(tr("Give the evidence two thirds of the window, so that sources stand side by side (V)"));
    connect(m_wide, &QAction::toggled, this, &KernelsSplit::resetSizes);
    connect(this, &QSplitter::splitterMoved, this, [this] { m_isMoved = true; });
}

QByteArray KernelsSplit::saveSizes() const
{
    return m_isMoved ? saveState() : QByteArray();
}

void KernelsSplit::restoreSizes(const QByteArray& state)
{
    m_isMoved = !state.isEmpty() && restoreState(state);
    arrange();
}

void KernelsSplit::resetSizes()
{
    m_isMoved = false;
    arrange();
}

void KernelsSplit::resizeEvent(QResizeEvent* event)
{
    QSplitter::resizeEvent(event);
    arrange();
}

void KernelsSplit::arrange()
{
    if (m_isMoved || count() < 2)
        return;
    const int room = width() - handleWidth();
    const int most = std::max(kEvidenceLeast, room - kListLeast);
    const int wanted = m_wide->isChecked()
        ? std::max(room - kListWithStrip, std::min(static_cast<int>(room * kWideShare), kWideEnough))
        : std::clamp(static_cast<int>(room * kEvidenceShare), kEvidenceLeast, kEvidenceMost);
    const int evidence = std::min(wanted, most);
    setSizes({room - evidence, evidence});
}

} // namespace assay::views
