// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/launch/plan_figure.h"

#include "core/text/error.h"
#include "kernels/gdn/plan/tensor_memory.h"
#include "kernels/gdn/plan/tiles.h"
#include "views/launch/plan_painter.h"

#include <QCoreApplication>
#include <QStringList>

#include <fmt/format.h>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

namespace plan = gdn::plan;

QString say(const char* text)
{
    return QCoreApplication::translate("PlanFigure", text);
}

QString fromView(std::string_view text)
{
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

/// "sm_80, sm_90a and sm_100a: assembled, not executed."
QString statusSentence()
{
    const auto targets = launch::plannedTargets();
    QStringList sentences;
    for (std::size_t first = 0; first < targets.size();) {
        std::size_t end = first;
        QStringList names;
        for (; end < targets.size() && targets[end].status == targets[first].status; ++end)
            names << fromView(targets[end].name);
        const QString last = names.takeLast();
        sentences << say("%1: %2.").arg(names.isEmpty() ? last : say("%1 and %2").arg(names.join(u", "_s), last),
                                        fromView(targets[first].status));
        first = end;
    }
    return sentences.join(u' ');
}

} // namespace

std::size_t usualTarget()
{
    const auto targets = launch::plannedTargets();
    const auto hopper = std::ranges::find(targets, "sm_90a", &launch::PlannedTarget::name);
    return hopper == targets.end() ? 0 : std::size_t(hopper - targets.begin());
}

PlanFigure loadPlanFigure(int keys, int values, bool hasTokenDecay, std::size_t target)
{
    PlanFigure figure{keys, values, hasTokenDecay, target, launch::plannedKernels(keys, values), {}, {}};
    const std::filesystem::path library = launch::imageLibrary();
    if (library.empty()) {
        figure.imageLack = say("libassay_gdn.so is not beside this program, so registers and occupancy are not known");
        return figure;
    }
    try {
        figure.images = launch::kernelImages(library, target, keys, values, hasTokenDecay);
    } catch (const Error& error) {
        figure.imageLack = QString::fromUtf8(error.what());
    }
    return figure;
}

Work workOf(std::string_view duty)
{
    if (duty.empty())
        return Work::Rests;
    // A product is written as an assignment, as a sum that grows, or as the transposed product itself.
    const bool isProduct = duty.find('=') != duty.npos || duty.find("+ ") != duty.npos || duty.find(")^T") != duty.npos;
    return isProduct ? Work::Product : Work::Transfer;
}

int columnsAtWork(int phase)
{
    int columns = 0;
    for (const plan::ColumnSlot& slot : plan::kBackwardColumns)
        columns += slot.duties[std::size_t(phase)].empty() ? 0 : slot.columns;
    return columns;
}

QString captionOf(const PlanFigure& figure)
{
    const QString target = fromView(launch::plannedTargets()[figure.target].name);
    QStringList sentences;
    sentences
        << say("Modelled, not measured. a: the plan of a fused backward for K = V = 128 in chunks of %1 tokens, which no kernel "
               "runs on yet; one allocation, fixed columns.")
               .arg(plan::kChunk);
    sentences << say("b: the kernels for K = %1, V = %2; a block's shared memory as the plan has it.")
                     .arg(figure.keys)
                     .arg(figure.values);
    if (figure.imageLack.isEmpty())
        sentences
            << say("Registers as the assembler left them in the images of %1 for bf16; blocks and occupancy follow from both.")
                   .arg(target);
    else
        sentences << say("%1.").arg(figure.imageLack);
    sentences << statusSentence();
    return sentences.join(u' ');
}

std::string toCsv(const PlanFigure& figure)
{
    const std::string_view target = launch::plannedTargets()[figure.target].name;
    std::string text = "kind,name,phase,threads,shared_bytes,target,registers,stack_bytes,blocks_per_processor,occupancy\n";
    for (std::size_t i = 0; i < figure.kernels.size(); ++i) {
        const launch::PlannedKernel& kernel = figure.kernels[i];
        text += fmt::format("kernel,\"{}\",{},{},{},{},", kernel.name, kernel.phase, kernel.threads, kernel.sharedBytes, target);
        if (i < figure.images.size() && figure.images[i])
            text += fmt::format("{},{},{},{}\n", figure.images[i]->registers, figure.images[i]->stackBytes,
                                figure.images[i]->blocks, figure.images[i]->occupancy);
        else
            text += ",,,\n";
    }
    text += "kind,name,first_column,columns,phase_1,phase_2,phase_3,phase_4\n";
    for (const plan::ColumnSlot& slot : plan::kBackwardColumns) {
        text += fmt::format("accumulator,{},{},{}", slot.name, slot.first, slot.columns);
        for (const std::string_view duty : slot.duties)
            text += fmt::format(",\"{}\"", duty);
        text += '\n';
    }
    return text;
}

FigureDrawing drawingOf(const PlanFigure& figure)
{
    return {say("What the operator's device kernels are planned to take"), captionOf(figure),
            [&figure](QPainter& painter, const FigureLook& look, const QRectF& area) {
                PlanPainter(figure, look, area).paint(painter);
            }};
}

void exportPlan(const PlanFigure& figure, const FigureSize& size, const QString& path)
{
    writeFigure(drawingOf(figure), size, path);
    writeFigureText(figureCsv(path), toCsv(figure));
}

} // namespace assay::views
