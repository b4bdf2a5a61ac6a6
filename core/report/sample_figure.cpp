// SPDX-License-Identifier: Apache-2.0
#include "core/report/sample_figure.h"

#include "core/report/numbers_text.h"

#include <fmt/format.h>

#include <vector>

namespace assay::report {

namespace {

constexpr int kLeft = 140; // px: room for the names; the whole fits the text of an A4 page
constexpr int kPlot = 330;
constexpr int kRight = 175; // room for the numbers
constexpr int kTop = 8;
constexpr int kRow = 20;
constexpr int kAxis = 34;

struct Line {
    std::string name;
    std::string numbers;
    double share;
    sampling::Interval interval;
    bool isWhole;
};

double at(double share)
{
    return kLeft + share * kPlot;
}

/// A stratum that is labelled and decided as a whole is known; no interval is drawn around it.
sampling::Interval intervalOf(const StratumEstimate& one)
{
    if (one.labels.decided() < one.stratum.population)
        return one.clopperPearson;
    const double share = static_cast<double>(one.labels.confirmed) / static_cast<double>(one.stratum.population);
    return {share, share};
}

std::vector<Line> linesOf(const SampleEstimate& estimate)
{
    std::vector<Line> lines;
    for (const StratumEstimate& one : estimate.strata) {
        if (one.labels.decided() == 0)
            continue;
        const double share = static_cast<double>(one.labels.confirmed) / static_cast<double>(one.labels.decided());
        lines.push_back(
            {one.stratum.name,
             fmt::format("{} / {} of {}", one.labels.confirmed, one.labels.decided(), grouped(one.stratum.population)), share,
             intervalOf(one), false});
    }
    if (estimate.precision)
        lines.push_back({"frame, weighted",
                         fmt::format("{:.3f}  [{:.3f}, {:.3f}]", estimate.precision->share, estimate.precision->wilson.low,
                                     estimate.precision->wilson.high),
                         estimate.precision->share, estimate.precision->wilson, true});
    return lines;
}

std::string drawLine(const Line& line, int middle)
{
    const char* const weight = line.isWhole ? " font-weight=\"bold\"" : "";
    std::string text = fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\"{}>{}</text>\n", kLeft - 12, middle + 4, weight,
                                   htmlEscaped(line.name));
    text += fmt::format("<line x1=\"{:.2f}\" y1=\"{}\" x2=\"{:.2f}\" y2=\"{}\" stroke=\"#0072b2\" stroke-width=\"{}\"/>\n",
                        at(line.interval.low), middle, at(line.interval.high), middle, line.isWhole ? 2.4 : 1.2);
    text += line.isWhole
        ? fmt::format("<path d=\"M{0:.2f} {1} l6 6 l-6 6 l-6 -6 z\" fill=\"#0072b2\"/>\n", at(line.share), middle - 6)
        : fmt::format("<circle cx=\"{:.2f}\" cy=\"{}\" r=\"3.5\" fill=\"#0072b2\"/>\n", at(line.share), middle);
    return text
        + fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", kLeft + kPlot + 14, middle + 4, weight, htmlEscaped(line.numbers));
}

std::string drawAxis(int bottom)
{
    std::string text;
    for (int tick = 0; tick <= 4; ++tick) {
        const double x = at(tick / 4.0);
        text += fmt::format(
            "<line x1=\"{0:.2f}\" y1=\"{1}\" x2=\"{0:.2f}\" y2=\"{2}\" stroke=\"#d0d7de\" stroke-width=\"0.8\"/>\n", x, kTop,
            bottom);
        text += fmt::format("<text x=\"{:.2f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x, bottom + 15,
                            fixed(tick / 4.0, 2));
    }
    return text
        + fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">precision: confirmed / decided, 95 % interval</text>\n",
                      kLeft + kPlot / 2, bottom + 30);
}

} // namespace

std::string precisionFigure(const SampleEstimate& estimate)
{
    const std::vector<Line> lines = linesOf(estimate);
    if (lines.empty())
        return {};
    const int bottom = kTop + kRow * static_cast<int>(lines.size());
    const int width = kLeft + kPlot + kRight;
    std::string text
        = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
                      "font-family=\"Inter, Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#1f2328\">\n"
                      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
                      width, bottom + kAxis);
    text += drawAxis(bottom);
    for (std::size_t i = 0; i < lines.size(); ++i)
        text += drawLine(lines[i], kTop + kRow * static_cast<int>(i) + kRow / 2);
    return text + "</svg>\n";
}

} // namespace assay::report
