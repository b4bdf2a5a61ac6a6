// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/launch/device_facts.h"

#include "core/launch/kernel_images.h"
#include "core/runner/probe_process.h"

#include <QCoreApplication>

#include <chrono>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::seconds kPatience{10};

QString say(const char* text)
{
    return QCoreApplication::translate("DeviceCard", text);
}

QString fromView(std::string_view text)
{
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

/// "sm_90a image: assembled, not executed"
QStringList imageLines(const DeviceFacts& facts)
{
    if (facts.library.isEmpty())
        return {say("The device kernels are not built here: there is no libassay_gdn.so beside this program.")};
    QStringList lines;
    for (const launch::PlannedTarget& target : launch::plannedTargets())
        lines << say("%1 image: %2.").arg(fromView(target.name), fromView(target.status));
    return lines;
}

/// The image that a device of this capability runs; "" for none.
QString imageFor(const QString& capability)
{
    const int major = capability.section(u'.', 0, 0).toInt();
    const int minor = capability.section(u'.', 1, 1).toInt();
    if (major == 8)
        return u"sm_80"_s;
    // The "a" images run on exactly the processor that they are named after.
    if (major == 9 && minor == 0)
        return u"sm_90a"_s;
    return major == 10 && minor == 0 ? u"sm_100a"_s : QString();
}

QStringList cpuLines(const LaunchSettings& settings)
{
    const bool isNarrow = settings.dtype == u"bfloat16"_s || settings.dtype == u"float16"_s;
    return {isNarrow
                ? say("The CPU form runs: chunks of 64 tokens, products of %1 operands added up in fp32.").arg(settings.dtype)
                : say("The CPU form runs: chunks of 64 tokens in %1.").arg(settings.dtype)};
}

DeviceCardText gpuCard(const LaunchSettings& settings, const DeviceFacts& facts)
{
    const int ordinal = settings.device.section(u':', 1, 1).toInt();
    if (ordinal >= int(facts.gpus.size()))
        return {say("%1: not on this machine").arg(settings.device),
                QStringList{facts.gpus.empty()
                                ? say("No GPU was found: %1.").arg(facts.gpuLack)
                                : say("The driver tells of %1 to cuda:%2.").arg(u"cuda:0"_s).arg(facts.gpus.size() - 1),
                            say("A run would end as \u201ccould not run\u201d.")}
                    + imageLines(facts)};
    const LocalGpu& gpu = facts.gpus[std::size_t(ordinal)];
    const QString image = imageFor(gpu.capability);
    QStringList lines{say("Compute capability %1.").arg(gpu.capability)};
    lines << (image.isEmpty() ? say("No image of the operator runs on it.") : say("Its image is %1.").arg(image));
    if (image == u"sm_100a"_s)
        lines << say("On it the portable tensor-core kernels serve; none uses tensor memory yet.");
    return {gpu.name, lines + imageLines(facts)};
}

} // namespace

DeviceFacts findDevices()
{
    DeviceFacts facts;
    facts.isKnown = true;
    facts.library = QString::fromStdString(launch::imageLibrary().string());
    const runner::ProbeResult asked
        = runner::probeProcess({"nvidia-smi", "--query-gpu=name,compute_cap", "--format=csv,noheader"}, kPatience);
    if (!asked.started)
        facts.gpuLack = say("nvidia-smi is not there");
    else if (asked.timedOut)
        facts.gpuLack = say("nvidia-smi did not answer in 10 s");
    else if (asked.exitCode != 0)
        facts.gpuLack = QString::fromStdString(asked.output + asked.errors).section(u'\n', 0, 0).trimmed();
    for (const QString& line : QString::fromStdString(asked.exitCode == 0 ? asked.output : "").split(u'\n', Qt::SkipEmptyParts))
        facts.gpus.push_back({line.section(u',', 0, -2).trimmed(), line.section(u',', -1).trimmed()});
    if (facts.gpus.empty() && facts.gpuLack.isEmpty())
        facts.gpuLack = say("the driver tells of no device");
    return facts;
}

DeviceCardText deviceCard(const LaunchSettings& settings, const DeviceFacts& facts)
{
    if (settings.isElsewhere)
        return {
            settings.prefix.trimmed().isEmpty() ? say("Another machine") : settings.prefix.trimmed(),
            {say("The worker is started there and runs on %1. What that machine has shows when it answers.").arg(settings.device),
             say("Where it has no such device the run ends as \u201ccould not run\u201d.")}};
    if (!facts.isKnown)
        return {settings.device == u"cpu"_s ? say("CPU") : settings.device, {say("Looking at this machine \u2026")}};
    if (settings.device.startsWith(u"cuda"_s))
        return gpuCard(settings, facts);
    QStringList lines = cpuLines(settings);
    lines << (facts.gpus.empty() ? say("This machine has no GPU: %1.").arg(facts.gpuLack)
                                 : say("Its GPU is not used: %1.").arg(facts.gpus.front().name));
    return {say("CPU of this machine"), lines + imageLines(facts)};
}

} // namespace assay::views
