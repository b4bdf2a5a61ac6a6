// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/launch/timing_rows.h"

#include "views/theme/number_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <array>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

QString say(const char* text)
{
    return QCoreApplication::translate("Timing", text);
}

/// A published or measured backward of another implementation. Only exactly this shape is ever set beside a run.
struct Peer {
    const char* name;
    gdn::Family family;
    gdn::Shape shape;
    double backwardMilliseconds;
    const char* source;
};

constexpr const char* kMeasured
    = "measured on an H200, not in this run: fla 0.5.2, Triton 3.6, torch 2.11, bf16, CUDA events, median";

constexpr const char* kPublished
    = "published by its authors for an H200 with 8 heads of keys and 16 of values: FlashQLA, bf16, CUDA graphs";

const std::array<Peer, 8>& peers()
{
    using gdn::Family;
    static const std::array<Peer, 8> list = {
        Peer{"fla gdn2", Family::Gdn2, {8, 2048, 16, 128, 128}, 4.801, kMeasured},
        Peer{"fla gdn2", Family::Gdn2, {1, 8192, 16, 128, 128}, 2.876, kMeasured},
        Peer{"fla gdn2", Family::Gdn2, {4, 4096, 32, 64, 64}, 4.439, kMeasured},
        Peer{"fla gdn2", Family::Gdn2, {1, 32768, 16, 128, 128}, 11.323, kMeasured},
        Peer{"fla kda", Family::Kda, {1, 32768, 16, 128, 128}, 9.581, kMeasured},
        Peer{"fla gated delta rule", Family::Gdn, {1, 32768, 16, 128, 128}, 3.864, kMeasured},
        Peer{"fla gated delta rule", Family::Gdn, {8, 2048, 16, 128, 128}, 1.982, kMeasured},
        Peer{"FlashQLA", Family::Gdn, {1, 32768, 16, 128, 128}, 1.377, kPublished},
    };
    return list;
}

bool isNarrow(tensor::DType dtype)
{
    return dtype == tensor::DType::BFloat16 || dtype == tensor::DType::Float16;
}

QString shapeText(const gdn::Shape& shape)
{
    return u"%1\u00d7%2\u00d7%3, D = %4"_s.arg(shape.batch).arg(shape.tokens).arg(shape.heads).arg(shape.keys);
}

/// Where peers of this family were measured, as B x T x H.
QString peerShapes(gdn::Family family)
{
    QStringList shapes;
    for (const Peer& peer : peers()) {
        if (peer.family == family && !shapes.contains(shapeText(peer.shape)))
            shapes << shapeText(peer.shape);
    }
    return shapes.join(u"; "_s);
}

} // namespace

QString millisecondsText(double milliseconds)
{
    if (milliseconds < 0.1)
        return QString::number(milliseconds * 1000, 'f', 1) + u"\u00a0\u00b5s"_s;
    const int digits = milliseconds < 10 ? 2 : milliseconds < 100 ? 1 : 0;
    return QString::number(milliseconds, 'f', digits) + u"\u00a0ms"_s;
}

std::vector<TimingRow> timingRows(const launch::LaunchRequest& request, const std::optional<launch::LaunchTiming>& timing)
{
    std::vector<TimingRow> rows;
    if (timing && timing->floorMilliseconds)
        rows.push_back({TimingRow::Kind::Floor, say("floor: inputs and outputs once"), *timing->floorMilliseconds,
                        QString::fromStdString(timing->floorSource)});
    if (timing && timing->floorWithStatesMilliseconds)
        rows.push_back({TimingRow::Kind::Floor, say("floor: with states written and read"), *timing->floorWithStatesMilliseconds,
                        QString::fromStdString(timing->floorSource)});
    if (timing && timing->backwardMilliseconds)
        rows.push_back({TimingRow::Kind::Ours, say("this run"), *timing->backwardMilliseconds,
                        say("%1, %2, median of %3")
                            .arg(QString::fromStdString(timing->device), QString::fromStdString(timing->kernel))
                            .arg(timing->samples)});
    if (!isNarrow(request.dtype))
        return rows;
    for (const Peer& peer : peers()) {
        if (peer.family == request.family && peer.shape == request.shape)
            rows.push_back({TimingRow::Kind::Peer, QString::fromLatin1(peer.name), peer.backwardMilliseconds, say(peer.source)});
    }
    return rows;
}

QString timingRemark(const launch::LaunchRequest& request, const std::optional<launch::LaunchTiming>& timing)
{
    QStringList sentences;
    if (timing && timing->forwardMilliseconds)
        sentences << say("Forward %1.").arg(millisecondsText(*timing->forwardMilliseconds));
    if (timing && timing->fractionOfFloor())
        sentences << say("The floor is %1 of the backward's time.").arg(number_text::percent(*timing->fractionOfFloor()));
    else if (timing && !timing->floorMilliseconds && !timing->floorSource.empty())
        sentences << say("No floor: %1.").arg(QString::fromStdString(timing->floorSource));
    const bool hasPeer
        = std::ranges::any_of(timingRows(request, {}), [](const TimingRow& row) { return row.kind == TimingRow::Kind::Peer; });
    const QString shapes = peerShapes(request.family);
    if (!hasPeer)
        sentences << (shapes.isEmpty() ? say("No peer of this family was measured.")
                                       : say("Peers of this family were measured in bf16 on an H200 at %1 alone.").arg(shapes));
    return sentences.join(u' ');
}

} // namespace assay::views
