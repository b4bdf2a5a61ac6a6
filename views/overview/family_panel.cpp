// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/family_panel.h"

#include "core/sampling/wilson.h"
#include "views/overview/link_filters.h"
#include "views/theme/number_text.h"
#include "views/theme/theme.h"

#include <QFontMetricsF>
#include <QPainter>

namespace assay::views {

using namespace Qt::StringLiterals;
using contract::StripCell;

namespace {

constexpr qreal kRow = 30;
constexpr qreal kHead = 24;

report::Rate rateOf(std::int64_t count, std::int64_t of)
{
    return {count, of, sampling::wilson(count, of)};
}

QString allOr(const QString& family)
{
    return family.isEmpty() ? FamilyPanel::tr("all families") : family;
}

QString gateId(contract::Gate gate)
{
    const std::string_view id = contract::id(gate);
    return QString::fromLatin1(id.data(), qsizetype(id.size()));
}

} // namespace

FamilyPanel::FamilyPanel(const Theme& theme, QWidget* parent)
    : DataPanel(theme, tr("Families"), parent)
{
}

void FamilyPanel::setExtras(OverviewExtrasPtr extras)
{
    m_extras = std::move(extras);
    refresh();
}

QVector<FamilyPanel::Row> FamilyPanel::rows() const
{
    QVector<Row> result;
    if (!m_data)
        return result;
    result << Row{{}, m_data->report.toleranceFree, m_data->report.anyViolation};
    for (const report::FamilyCounts& family : m_data->report.perFamily) {
        Row row{QString::fromStdString(family.family), rateOf(family.toleranceFree, family.audited),
                rateOf(family.any, family.audited)};
        for (std::size_t i = 0; m_extras && i < m_extras->largestErrors.size(); ++i) {
            if (m_extras->largestErrors[i].family == family.family)
                row.largest = &m_extras->largestErrors[i];
        }
        result << row;
    }
    return result;
}

QString FamilyPanel::proportion(const report::LargestError& error) const
{
    if (error.relative.isFinite())
        return number_text::measured(error.relative) + tr(" of the output's scale");
    if (error.threshold.isFinite() && error.threshold.value > 0)
        return QString::number(error.value / error.threshold.value, 'g', 2) + tr("\u00d7 the allowed");
    return tr("scale not recorded");
}

void FamilyPanel::placeLinks(Row& row)
{
    const LinkFilters filters(QString::fromStdString(m_data->report.ruleSet));
    const QFontMetricsF number(numberFont());
    const QString name = allOr(row.family);
    const auto rightAligned = [&](qreal right, const QString& text) {
        const qreal width = number.horizontalAdvance(text);
        return QRectF(right - width, row.y + 4, width, kRow - 8);
    };
    const QString audited = number_text::count(row.any.of);
    row.auditedLink = addLink({rightAligned(m_auditedRight, audited), filters.audited(row.family),
                               name + u": "_s + audited + tr(" audited"), row.family, row.any.of});
    const QString floor = number_text::count(row.toleranceFree.count);
    if (row.toleranceFree.count > 0)
        row.toleranceFreeLink
            = addLink({rightAligned(m_floorRight, floor), filters.toleranceFree(row.family),
                       name + u": "_s + number_text::countOf(row.toleranceFree) + tr(" fail without any tolerance"), row.family,
                       row.toleranceFree.count});
    const QString any = number_text::count(row.any.count);
    if (row.any.count > 0)
        row.anyLink = addLink({rightAligned(m_anyRight, any), filters.violation(row.family),
                               name + u": "_s + number_text::countOf(row.any) + tr(" violate at least one gate"), row.family,
                               row.any.count});
    if (!row.largest || !m_showLargest)
        return;
    const QString value = number_text::measured(tensor::measured(row.largest->value));
    PanelLink link{QRectF(m_largestLeft, row.y + 4, number.horizontalAdvance(value), kRow - 8),
                   filters.gate(row.largest->gate, u"fail"_s, row.family),
                   name + tr(": largest error ") + value + u", "_s + proportion(*row.largest) + tr(", kernel ")
                       + QString::fromStdString(row.largest->externalId) + u", "_s + gateId(row.largest->gate),
                   row.family,
                   -1,
                   row.largest->kernelId,
                   row.largest->gate};
    row.largestLink = addLink(link);
}

qreal FamilyPanel::arrange(qreal width)
{
    m_rows = rows();
    const QFontMetricsF text(textFont());
    const QFontMetricsF number(numberFont());
    m_nameWidth = text.horizontalAdvance(tr("all families"));
    for (const Row& row : m_rows)
        m_nameWidth = std::max(m_nameWidth, text.horizontalAdvance(row.family));
    m_nameWidth = std::min(m_nameWidth + 12, width * 0.25);
    const qreal counts = std::max(number.horizontalAdvance(u"888,888"_s), 52.0);
    m_auditedRight = m_nameWidth + counts;
    const qreal fixed = m_auditedRight + 2 * (counts + 62);
    // Where there is no room for the proportion, the number alone stays: it is the way to the kernel.
    const qreal largest = width > fixed + 520 ? 300 : 96;
    m_showLargest = width > fixed + largest + 150;
    const qreal right = m_showLargest ? width - largest - 20 : width - 8;
    m_largestLeft = right + 28;
    m_anyRight = right - 58;
    m_floorRight = m_anyRight - counts - 62;
    m_axisLeft = m_auditedRight + 24;
    m_axisRight = std::max(m_axisLeft + 40, m_floorRight - counts - 12);
    for (int i = 0; i < m_rows.size(); ++i) {
        m_rows[i].y = kTitleHeight + kHead + i * kRow + (i > 0 ? 4 : 0);
        placeLinks(m_rows[i]);
    }
    return kTitleHeight + kHead + kRow * m_rows.size() + 8;
}

qreal FamilyPanel::at(double share) const
{
    return m_axisLeft + share * (m_axisRight - m_axisLeft);
}

void FamilyPanel::drawAxis(QPainter& painter) const
{
    painter.setFont(smallFont());
    const qreal top = kTitleHeight + kHead;
    const qreal bottom = m_rows.last().y + kRow;
    for (int tick = 0; tick <= 100; tick += 25) {
        const qreal x = at(tick / 100.0);
        painter.setPen(QPen(theme().line(), 1));
        painter.drawLine(QPointF(x, top), QPointF(x, bottom));
        painter.setPen(theme().mutedInk());
        const QString label = tick == 100 ? u"100\u00a0%"_s : QString::number(tick);
        painter.drawText(QRectF(x - 30, kTitleHeight, 60, kHead - 4), Qt::AlignHCenter | Qt::AlignVCenter, label);
    }
}

void FamilyPanel::drawRate(QPainter& painter, const report::Rate& rate, qreal y, StripCell cell) const
{
    if (rate.of == 0)
        return;
    const QColor color = theme().cell(cell);
    painter.setPen(QPen(color, 1.6));
    painter.drawLine(QPointF(at(rate.wilson95.low), y), QPointF(at(rate.wilson95.high), y));
    for (const double end : {rate.wilson95.low, rate.wilson95.high})
        painter.drawLine(QPointF(at(end), y - 3), QPointF(at(end), y + 3));
    painter.setBrush(color);
    painter.setPen(QPen(theme().surface(), 1.2));
    const QPointF centre(at(rate.value()), y);
    if (cell == StripCell::FailHard) {
        painter.drawRect(QRectF(centre.x() - 4.2, centre.y() - 4.2, 8.4, 8.4));
    } else {
        const QPointF triangle[3]
            = {{centre.x(), centre.y() - 5.2}, {centre.x() + 5.2, centre.y() + 4}, {centre.x() - 5.2, centre.y() + 4}};
        painter.drawPolygon(triangle, 3);
    }
}

void FamilyPanel::drawHead(QPainter& painter) const
{
    painter.setFont(smallFont());
    painter.setPen(theme().mutedInk());
    const auto head = [&](qreal right, const QString& text) {
        painter.drawText(QRectF(right - 140, kTitleHeight, 140, kHead - 4), Qt::AlignRight | Qt::AlignVCenter, text);
    };
    head(m_auditedRight, tr("audited"));
    head(m_floorRight + 54, tr("no tolerance"));
    head(m_anyRight + 54, tr("any violation"));
    if (m_showLargest)
        painter.drawText(QRectF(m_largestLeft, kTitleHeight, 300, kHead - 4), Qt::AlignLeft | Qt::AlignVCenter,
                         width() - m_largestLeft > 200 ? tr("largest finite error that failed") : tr("largest error"));
    // The key of the two shapes sits beside the title.
    const qreal titleWidth = QFontMetricsF(titleFont()).horizontalAdvance(title());
    qreal x = titleWidth + 24;
    const auto key = [&](StripCell cell, const QString& text) {
        theme().paintCell(painter, QRectF(x, 5, 12, 12), cell);
        painter.setPen(theme().mutedInk());
        painter.setFont(smallFont());
        painter.drawText(QPointF(x + 18, 15), text);
        x += 18 + QFontMetricsF(smallFont()).horizontalAdvance(text) + 16;
    };
    key(StripCell::FailHard, tr("fails without any tolerance"));
    key(StripCell::FailSoft, tr("violates any gate"));
}

void FamilyPanel::draw(QPainter& painter)
{
    drawTitle(painter);
    if (m_rows.isEmpty())
        return;
    drawHead(painter);
    drawAxis(painter);
    for (const Row& row : m_rows) {
        painter.setFont(textFont());
        painter.setPen(theme().ink());
        painter.drawText(QRectF(0, row.y, m_nameWidth, kRow), Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetricsF(textFont()).elidedText(allOr(row.family), Qt::ElideRight, m_nameWidth));
        drawRate(painter, row.any, row.y + kRow / 2 + 4.5, StripCell::FailSoft);
        drawRate(painter, row.toleranceFree, row.y + kRow / 2 - 4.5, StripCell::FailHard);
        drawLink(painter, row.auditedLink, number_text::count(row.any.of), Qt::AlignRight, numberFont());
        const auto rate = [&](int link, const report::Rate& of, qreal right) {
            painter.setPen(theme().mutedInk());
            painter.setFont(numberFont());
            if (link >= 0)
                drawLink(painter, link, number_text::count(of.count), Qt::AlignRight, numberFont());
            else
                painter.drawText(QRectF(right - 60, row.y, 60, kRow), Qt::AlignRight | Qt::AlignVCenter, u"0"_s);
            painter.setFont(smallFont());
            painter.setPen(theme().mutedInk());
            painter.drawText(QRectF(right + 4, row.y, 54, kRow), Qt::AlignRight | Qt::AlignVCenter,
                             number_text::percent(of.value()));
        };
        rate(row.toleranceFreeLink, row.toleranceFree, m_floorRight);
        rate(row.anyLink, row.any, m_anyRight);
        if (row.largestLink >= 0) {
            drawLink(painter, row.largestLink, number_text::measured(tensor::measured(row.largest->value)), Qt::AlignLeft,
                     numberFont());
            painter.setFont(smallFont());
            painter.setPen(theme().mutedInk());
            const qreal x = links()[row.largestLink].rect.right() + 10;
            if (width() - x < 120)
                continue;
            const QString text = gateId(row.largest->gate) + u", "_s + proportion(*row.largest);
            painter.drawText(QRectF(x, row.y, width() - x, kRow), Qt::AlignLeft | Qt::AlignVCenter,
                             QFontMetricsF(smallFont()).elidedText(text, Qt::ElideRight, width() - x));
        }
    }
    painter.setPen(QPen(theme().line(), 1));
    const qreal y = m_rows.first().y + kRow + 2;
    painter.drawLine(QPointF(0, y), QPointF(width(), y));
}

QVector<QStringList> FamilyPanel::table() const
{
    QVector<QStringList> result{{tr("family"), tr("audited"), tr("no tolerance"), tr("share"), tr("Wilson 95 %"),
                                 tr("any violation"), tr("share"), tr("Wilson 95 %"), tr("largest finite error"),
                                 tr("in proportion")}};
    for (const Row& row : rows()) {
        result << QStringList{allOr(row.family),
                              number_text::count(row.any.of),
                              number_text::count(row.toleranceFree.count),
                              number_text::percent(row.toleranceFree.value()),
                              number_text::interval(row.toleranceFree.wilson95),
                              number_text::count(row.any.count),
                              number_text::percent(row.any.value()),
                              number_text::interval(row.any.wilson95),
                              row.largest ? number_text::measured(tensor::measured(row.largest->value)) : QString(),
                              row.largest ? gateId(row.largest->gate) + u", "_s + proportion(*row.largest) : QString()};
    }
    return result;
}

} // namespace assay::views
