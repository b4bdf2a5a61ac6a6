// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/launch/plan_view.h"

#include "kernels/gdn/plan/tensor_memory.h"
#include "views/launch/plan_painter.h"
#include "views/theme/theme.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr double kLargestScale = 0.165; ///< letters of 11.5 px
constexpr double kSmallestScale = 0.11;
constexpr double kLeastWidth = 6000; ///< units that both panels need
constexpr double kLeastHeight = 2500;
constexpr QSize kSmallest(560, 300); // px
constexpr QSize kUsual(1120, 430);
} // namespace

PlanView::PlanView(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_look(screenLook(theme))
{
    setObjectName(u"launch.plan"_s);
    setAccessibleName(tr("Plan of the device kernels"));
    setMinimumSize(kSmallest);
    setFocusPolicy(Qt::ClickFocus);
    connect(&theme, &Theme::changed, this, [this] {
        m_look = screenLook(m_theme);
        update();
    });
}

void PlanView::setFigure(PlanFigure figure)
{
    m_figure = std::move(figure);
    setAccessibleDescription(captionOf(*m_figure));
    update();
}

QSize PlanView::sizeHint() const
{
    return kUsual;
}

double PlanView::scale() const
{
    return std::clamp(std::min(width() / kLeastWidth, height() / kLeastHeight), kSmallestScale, kLargestScale);
}

QRectF PlanView::area() const
{
    return {QPointF(0, 0), QSizeF(size()) / scale()};
}

QRectF PlanView::cell(std::size_t slot, int phase) const
{
    const QRectF units = PlanPainter(*m_figure, m_look, area()).cell(slot, phase);
    return {units.topLeft() * scale(), units.size() * scale()};
}

QString PlanView::tip(const QPointF& place) const
{
    namespace plan = gdn::plan;
    for (std::size_t slot = 0; m_figure && slot < plan::kBackwardColumns.size(); ++slot) {
        const plan::ColumnSlot& columns = plan::kBackwardColumns[slot];
        for (int phase = 0; phase < plan::kPhases; ++phase) {
            if (!cell(slot, phase).contains(place))
                continue;
            const std::string_view duty = columns.duties[std::size_t(phase)];
            return tr("%1, columns %2 to %3, phase %4: %5")
                .arg(QString::fromUtf8(columns.name.data(), qsizetype(columns.name.size())))
                .arg(columns.first)
                .arg(columns.end() - 1)
                .arg(phase + 1)
                .arg(duty.empty() ? tr("at rest") : QString::fromUtf8(duty.data(), qsizetype(duty.size())));
        }
    }
    return {};
}

bool PlanView::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString said = tip(help->pos());
    if (said.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), said, this);
    return true;
}

void PlanView::paintEvent(QPaintEvent*)
{
    QPainter device(this);
    device.fillRect(rect(), m_look.paper);
    if (!m_figure)
        return;
    device.scale(scale(), scale());
    PlanPainter(*m_figure, m_look, area()).paint(device);
}

} // namespace assay::views
