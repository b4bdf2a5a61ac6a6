// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/calibrate/figure_painter.h"

#include <QCoreApplication>
#include <QPainter>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr double kEdge = 50;
constexpr double kTitleLine = 125;
constexpr double kLegendLine = 105;
constexpr double kCaptionLine = 92;
constexpr double kLeft = 330;       ///< numbers and label beside a plot
constexpr double kBelow = 215;      ///< numbers and label below a plot
constexpr double kRuleNames = 190;  ///< two lines
constexpr double kLegendLeft = 240; ///< left of its plot, beside the panel's letter
constexpr double kLegendLetter = 72;
constexpr double kLegendGap = 45; ///< to its plot
constexpr double kBetween = 130;  ///< between columns
constexpr double kMarginRows = 230;
constexpr double kWideFrom = 0.9; ///< of the height: from here on two columns leave the densities more room than one
constexpr double kPanelGap = 110; ///< below the densities: their lowest number and the highest one below need a line each

QString tr(const char* text)
{
    return QCoreApplication::translate("Figure", text);
}

struct LegendEntry {
    QString text;
    QColor colour;
};

std::vector<LegendEntry> legendOf(const calibration::FigureData& figure, const FigureLook& look)
{
    const auto entry = [](const QString& name, const calibration::FigureCurve& curve, const QColor& colour) {
        return LegendEntry{tr("%1 (n = %2)").arg(name).arg(curve.counts.ranked()), colour};
    };
    return {entry(tr("conforming"), figure.conforming, look.conforming), entry(tr("disturbed"), figure.disturbed, look.disturbed),
            entry(tr("defects"), figure.defects, look.defects)};
}

} // namespace

FigurePainter::FigurePainter(const calibration::FigureData& figure, const FigureLook& look, const QRectF& area)
    : m_figure(figure)
    , m_look(look)
    , m_area(area)
{
    arrange();
}

void FigurePainter::arrange()
{
    std::vector<QString> sentences;
    for (const std::string& line : calibration::captionOf(m_figure))
        sentences.push_back(QString::fromStdString(line));
    const QString joined = QStringList(sentences.begin(), sentences.end()).join(u' ');
    m_caption = FigureCanvas::wrapped(std::span(&joined, 1), FigureCanvas::kSmall, m_area.width() - 2 * kEdge);
    const double head = kEdge + kTitleLine + kLegendLine;
    const double foot = kEdge + kCaptionLine * static_cast<double>(m_caption.size());
    const QRectF body = m_area.adjusted(kEdge, head, -kEdge, -foot);
    if (m_area.width() > kWideFrom * m_area.height())
        arrangeWide(body);
    else
        arrangeTall(body);
    m_error = figure_panels::errorAxis(m_figure, m_densities);
}

void FigurePainter::arrangeWide(const QRectF& body)
{
    const double left = body.left() + kLeft;
    const double column = (body.width() - kBetween) * 0.58;
    const double width = column - kLeft;
    const double high = body.height() - kRuleNames - kPanelGap - kBelow - kMarginRows - 130;
    m_densities = QRectF(left, body.top() + kRuleNames, width, high * 0.6);
    m_distributions = QRectF(left, m_densities.bottom() + kPanelGap, width, high * 0.4);
    m_margins = QRectF(left, m_distributions.bottom() + kBelow, width, kMarginRows);
    const double second = body.left() + column + kBetween + kLeft;
    const double narrow = body.right() - second - 20;
    m_legend = QRectF(second - kLegendLeft, body.top(), narrow + kLegendLeft, 0);
    m_legend.setHeight(figure_panels::detectionLegendHeight(m_figure, m_look, m_legend.width()));
    const double top = std::max(60.0, m_legend.height() + kLegendGap);
    const double each = (body.height() - 2 * kBelow - top - 70) / 2;
    m_detection = QRectF(second, body.top() + top, narrow, each);
    m_roc = QRectF(second, m_detection.bottom() + kBelow + 70, narrow, each);
}

void FigurePainter::arrangeTall(const QRectF& body)
{
    const double left = body.left() + kLeft;
    const double width = body.width() - kLeft - 20;
    m_legend = QRectF(left - kLegendLeft, 0, width + kLegendLeft, 0);
    m_legend.setHeight(figure_panels::detectionLegendHeight(m_figure, m_look, m_legend.width()));
    const double legend = m_legend.height() + (m_legend.height() > 0 ? kLegendGap : 0);
    const double free = body.height() - kRuleNames - kPanelGap - kBelow - kMarginRows - 190 - legend - 2 * kBelow - 50;
    m_densities = QRectF(left, body.top() + kRuleNames, width, free * 0.31);
    m_distributions = QRectF(left, m_densities.bottom() + kPanelGap, width, free * 0.19);
    m_margins = QRectF(left, m_distributions.bottom() + kBelow, width, kMarginRows);
    m_legend.moveTop(m_margins.bottom() + 190);
    m_detection = QRectF(left, m_margins.bottom() + 190 + legend, width, free * 0.25);
    m_roc = QRectF(left, m_detection.bottom() + kBelow + 50, width, free * 0.25);
}

void FigurePainter::paintHead(FigureCanvas& canvas) const
{
    const double baseline = m_area.top() + kEdge + 80;
    canvas.text({m_area.left() + kEdge, baseline}, Qt::AlignLeft | Qt::AlignBaseline,
                QString::fromStdString(calibration::title(m_figure.cell)), FigureCanvas::kTitle, m_look.ink, true);
    canvas.text({m_area.right() - kEdge, baseline}, Qt::AlignRight | Qt::AlignBaseline,
                QString::fromUtf8(calibration::sentence(m_figure.state).data()), FigureCanvas::kTitle, m_look.ink);
    const std::vector<LegendEntry> legend = legendOf(m_figure, m_look);
    double room = m_area.width() - 2 * kEdge;
    for (const LegendEntry& entry : legend)
        room -= 120 + FigureCanvas::widthOf(entry.text, FigureCanvas::kSmall);
    const double apart = std::min(90.0, room / static_cast<double>(legend.size() - 1));
    double x = m_area.left() + kEdge;
    for (const auto& [text, colour] : legend) {
        canvas.line({x, baseline + 85}, {x + 90, baseline + 85}, colour, 22);
        canvas.text({x + 120, baseline + 85}, Qt::AlignLeft | Qt::AlignVCenter, text, FigureCanvas::kSmall, m_look.ink);
        x += 120 + FigureCanvas::widthOf(text, FigureCanvas::kSmall) + apart;
    }
}

void FigurePainter::paint(QPainter& painter, std::optional<double> ghost) const
{
    painter.save();
    FigureCanvas canvas(painter, m_look);
    canvas.box(m_area, m_look.paper);
    paintHead(canvas);
    figure_panels::densities(canvas, m_figure, m_densities, m_error, ghost);
    figure_panels::distributions(canvas, m_figure, m_distributions, m_error, ghost);
    figure_panels::margins(canvas, m_figure, m_margins);
    figure_panels::detection(canvas, m_figure, m_detection, m_legend);
    figure_panels::roc(canvas, m_figure, m_roc, ghost);
    char letter = 'a';
    for (const QRectF& plot : {m_densities, m_distributions, m_margins, m_detection, m_roc}) {
        const double top = plot == m_detection && m_legend.height() > 0 ? m_legend.top() + kLegendLetter : plot.top() - 20;
        canvas.text({plot.left() - kLeft, top}, Qt::AlignLeft | Qt::AlignBaseline, QString(QLatin1Char(letter++)),
                    FigureCanvas::kTitle, m_look.ink, true);
    }
    double y = m_area.bottom() - kEdge - kCaptionLine * static_cast<double>(m_caption.size());
    for (const QString& line : m_caption) {
        canvas.text({m_area.left() + kEdge, y}, Qt::AlignLeft | Qt::AlignTop, line, FigureCanvas::kSmall, m_look.muted);
        y += kCaptionLine;
    }
    painter.restore();
}

} // namespace assay::views
