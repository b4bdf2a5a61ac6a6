// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/matrix_panel.h"

#include "views/overview/gate_panel.h"
#include "views/overview/link_filters.h"
#include "views/theme/number_text.h"
#include "views/theme/theme.h"

#include <QFontMetricsF>
#include <QLinearGradient>
#include <QPainter>

#include <cmath>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr qreal kWidestCell = 92;

QString text(std::string_view view)
{
    return QString::fromUtf8(view.data(), qsizetype(view.size()));
}

QColor mix(const QColor& a, const QColor& b, double t)
{
    const auto blend = [t](float from, float to) { return static_cast<float>(from + (to - from) * t); };
    return QColor::fromRgbF(blend(a.redF(), b.redF()), blend(a.greenF(), b.greenF()), blend(a.blueF(), b.blueF()));
}

/// Relative luminance of an sRGB colour (WCAG 2.1).
double luminance(const QColor& c)
{
    const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}

/// The ink that reads better on @p ground.
QColor inkOn(const QColor& ground)
{
    const QColor dark(0x1F, 0x23, 0x28);
    const QColor light(Qt::white);
    const double there = luminance(ground) + 0.05;
    return there / (luminance(dark) + 0.05) > (luminance(light) + 0.05) / there ? dark : light;
}

} // namespace

MatrixPanel::MatrixPanel(const Theme& theme, QWidget* parent)
    : DataPanel(theme, tr("Failures by gate and family"), parent)
{
}

double MatrixPanel::share(const report::FamilyCounts& family, contract::Gate gate) const
{
    return family.audited > 0
        ? static_cast<double>(family.failures[std::size_t(contract::indexOf(gate))]) / static_cast<double>(family.audited)
        : 0.0;
}

QColor MatrixPanel::shade(double share) const
{
    const double t = m_largestShare > 0 ? share / m_largestShare : 0;
    // Starts a step above the page so that a small share is told from none.
    return mix(theme().surface(), theme().accent(), 0.08 + 0.82 * t);
}

qreal MatrixPanel::arrange(qreal width)
{
    m_cells.clear();
    m_largestShare = 0;
    if (!m_data)
        return kTitleHeight;
    const auto& families = m_data->report.perFamily;
    const LinkFilters filters(QString::fromStdString(m_data->report.ruleSet));
    m_idWidth = QFontMetricsF(numberFont()).horizontalAdvance(u"CMP-01"_s) + 12;
    m_cellWidth = std::clamp((width - m_idWidth) / std::max<qreal>(1, static_cast<qreal>(families.size())), 34.0, kWidestCell);
    const qreal top = kTitleHeight + GatePanel::kHead;
    for (const contract::Gate gate : contract::kAllGates) {
        const int row = contract::indexOf(gate);
        const bool forgiving = m_data->report.perGate[std::size_t(row)].fail != m_data->published.perGate[std::size_t(row)].fail;
        for (std::size_t column = 0; column < families.size(); ++column) {
            const report::FamilyCounts& family = families[column];
            Cell cell;
            cell.rect = QRectF(m_idWidth + static_cast<qreal>(column) * m_cellWidth, top + row * GatePanel::kRow, m_cellWidth,
                               GatePanel::kRow);
            cell.count = family.failures[std::size_t(row)];
            cell.share = share(family, gate);
            m_largestShare = std::max(m_largestShare, cell.share);
            const QString name = QString::fromStdString(family.family);
            if (cell.count > 0)
                cell.link
                    = addLink({cell.rect.adjusted(3, 2, -3, -2), filters.gate(gate, u"fail"_s, name, forgiving),
                               name + u", "_s + text(contract::id(gate)) + u": "_s + number_text::count(cell.count) + tr(" of ")
                                   + number_text::count(family.audited) + tr(" fail (") + number_text::percent(cell.share) + u')',
                               text(contract::id(gate)), cell.count, 0, gate});
            m_cells << cell;
        }
    }
    return top + GatePanel::kRow * contract::kGateCount + 4;
}

void MatrixPanel::drawHead(QPainter& painter) const
{
    const auto& families = m_data->report.perFamily;
    for (std::size_t column = 0; column < families.size(); ++column) {
        const QRectF head(m_idWidth + static_cast<qreal>(column) * m_cellWidth, kTitleHeight, m_cellWidth, GatePanel::kHead - 6);
        const QFontMetricsF metrics(smallFont());
        painter.setFont(smallFont());
        painter.setPen(theme().ink());
        painter.drawText(head.adjusted(0, 0, 0, -metrics.height()), Qt::AlignHCenter | Qt::AlignBottom,
                         metrics.elidedText(QString::fromStdString(families[column].family), Qt::ElideRight, m_cellWidth - 4));
        painter.setPen(theme().mutedInk());
        painter.drawText(head, Qt::AlignHCenter | Qt::AlignBottom, number_text::count(families[column].audited));
    }
}

void MatrixPanel::drawKey(QPainter& painter) const
{
    const QFontMetricsF metrics(smallFont());
    const QString most = number_text::percent(m_largestShare);
    const QString label = tr("share of the family");
    const qreal left = QFontMetricsF(titleFont()).horizontalAdvance(title()) + 24;
    const qreal barLeft = left + metrics.horizontalAdvance(label) + 10;
    if (barLeft + 100 + metrics.horizontalAdvance(most) + 30 > width())
        return;
    painter.setFont(smallFont());
    painter.setPen(theme().mutedInk());
    painter.drawText(QPointF(left, 15), label);
    painter.drawText(QPointF(barLeft, 15), u"0"_s);
    const QRectF bar(barLeft + 12, 6, 80, 10);
    QLinearGradient gradient(bar.topLeft(), bar.topRight());
    gradient.setColorAt(0, shade(0));
    gradient.setColorAt(1, shade(m_largestShare));
    painter.fillRect(bar, gradient);
    painter.drawText(QPointF(bar.right() + 6, 15), most);
}

void MatrixPanel::draw(QPainter& painter)
{
    drawTitle(painter);
    if (!m_data)
        return;
    drawKey(painter);
    drawHead(painter);
    painter.setFont(numberFont());
    for (const contract::Gate gate : contract::kAllGates) {
        painter.setPen(theme().ink());
        painter.drawText(
            QRectF(0, kTitleHeight + GatePanel::kHead + contract::indexOf(gate) * GatePanel::kRow, m_idWidth, GatePanel::kRow),
            Qt::AlignLeft | Qt::AlignVCenter, text(contract::id(gate)));
    }
    for (const Cell& cell : m_cells) {
        const QRectF box = cell.rect.adjusted(1, 1, -1, -1);
        if (cell.link < 0) {
            painter.setPen(theme().mutedInk());
            painter.drawText(box, Qt::AlignCenter, u"\u00b7"_s);
            continue;
        }
        const QColor fill = shade(cell.share);
        painter.fillRect(box, fill);
        if (isHot(cell.link)) {
            painter.setPen(QPen(theme().ink(), 1.2));
            painter.drawRect(box);
        }
        painter.setPen(inkOn(fill));
        painter.drawText(box, Qt::AlignCenter, number_text::count(cell.count));
    }
}

QVector<QStringList> MatrixPanel::table() const
{
    QVector<QStringList> result;
    if (!m_data)
        return result;
    QStringList head{tr("gate")};
    for (const report::FamilyCounts& family : m_data->report.perFamily)
        head << QString::fromStdString(family.family) + u" ("_s + number_text::count(family.audited) + u')';
    result << head;
    for (const contract::Gate gate : contract::kAllGates) {
        QStringList row{text(contract::id(gate))};
        for (const report::FamilyCounts& family : m_data->report.perFamily)
            row << number_text::count(family.failures[std::size_t(contract::indexOf(gate))]);
        result << row;
    }
    return result;
}

} // namespace assay::views
