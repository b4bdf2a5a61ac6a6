// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/launch/launch_settings.h"

#include "core/runner/shell_words.h"
#include "core/text/error.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <limits>

#include <unistd.h>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 kLargestSize = qint64{1} << 24;
constexpr qint64 kMostChannels = 256; ///< of a head: what the forms on the CPU are tried with
constexpr double kBytesInGib = 1024.0 * 1024.0 * 1024.0;
// Inputs and do, all nine outputs, and the states of the chunks with their gradients, which are as much as four tensors more.
constexpr std::uint64_t kTensorsAlive = 7 + 9 + 4;
constexpr std::uint64_t kBytesOfElement = 8;

QString say(const char* text)
{
    return QCoreApplication::translate("LaunchForm", text);
}

bool isSize(const QString& text)
{
    bool isNumber = false;
    const qint64 size = text.trimmed().toLongLong(&isNumber);
    return isNumber && size >= 1 && size <= kLargestSize;
}

bool isCuda(const LaunchSettings& settings)
{
    return settings.device.startsWith(u"cuda"_s);
}

gdn::Shape shapeOf(const LaunchSettings& settings)
{
    const auto size = [](const QString& text) { return text.trimmed().toLongLong(); };
    return {size(settings.batch), size(settings.tokens), size(settings.heads), size(settings.keys), size(settings.values)};
}

QString problemInSize(const QString& text)
{
    return isSize(text) ? QString() : say("a whole number from 1 to 16,777,216, such as 64");
}

QString problemInChannels(const QString& text, bool onCuda)
{
    if (QString problem = problemInSize(text); !problem.isEmpty())
        return problem;
    const qint64 channels = text.trimmed().toLongLong();
    if (onCuda && channels != 64 && channels != 128)
        return say("the device kernels are built for 64 and 128 channels; pad to one of these");
    return channels > kMostChannels ? say("at most 256 channels a head") : QString();
}

QString problemInDtype(const LaunchSettings& settings)
{
    const bool isNarrow = settings.dtype == u"bfloat16"_s || settings.dtype == u"float16"_s;
    return isCuda(settings) && !isNarrow ? say("the device kernels take bfloat16 and float16") : QString();
}

QString problemInDevice(const LaunchSettings& settings)
{
    static const QRegularExpression form(u"^(cpu|cuda:[0-9]{1,3})$"_s);
    if (!form.match(settings.device.trimmed()).hasMatch())
        return say("write cuda:0");
    return settings.isElsewhere && settings.device.trimmed() == u"cpu"_s ? say("a GPU such as cuda:0: the CPU form runs here")
                                                                         : QString();
}

QString problemInPrefix(const LaunchSettings& settings)
{
    if (!settings.isElsewhere)
        return {};
    if (settings.prefix.trimmed().isEmpty())
        return say("the command that leads there, such as ssh gpu01");
    try {
        runner::shellWords(settings.prefix.toStdString());
    } catch (const Error& error) {
        return QString::fromStdString(error.problem());
    }
    return {};
}

QString problemInSeed(const QString& seed)
{
    bool isNumber = false;
    seed.trimmed().toULongLong(&isNumber);
    return isNumber ? QString() : say("a whole number, such as 1");
}

/// What all sizes together ask for.
QString problemInMemory(const LaunchSettings& settings, std::uint64_t memoryBytes)
{
    if (isCuda(settings) || settings.isElsewhere)
        return {};
    const std::uint64_t bytes = bytesOnCpu(shapeOf(settings));
    if (bytes <= memoryBytes)
        return {};
    const auto inGib = [](std::uint64_t amount) { return QString::number(double(amount) / kBytesInGib, 'f', 1); };
    return say("about %1 GiB on the CPU, and this machine has %2: take fewer tokens or heads")
        .arg(inGib(bytes), inGib(memoryBytes));
}

} // namespace

QList<FieldProblem> problemsIn(const LaunchSettings& settings, std::uint64_t memoryBytes)
{
    const bool onCuda = isCuda(settings);
    QList<FieldProblem> problems;
    const auto add = [&problems](LaunchField field, const QString& text) {
        if (!text.isEmpty())
            problems.append({field, text});
    };
    add(LaunchField::Batch, problemInSize(settings.batch));
    add(LaunchField::Tokens, problemInSize(settings.tokens));
    add(LaunchField::Heads, problemInSize(settings.heads));
    add(LaunchField::Keys, problemInChannels(settings.keys, onCuda));
    add(LaunchField::Values, problemInChannels(settings.values, onCuda));
    if (problems.isEmpty())
        add(LaunchField::Tokens, problemInMemory(settings, memoryBytes));
    add(LaunchField::Dtype, problemInDtype(settings));
    add(LaunchField::Device, problemInDevice(settings));
    add(LaunchField::Prefix, problemInPrefix(settings));
    add(LaunchField::Seed, problemInSeed(settings.seed));
    return problems;
}

std::uint64_t bytesOnCpu(const gdn::Shape& shape)
{
    // Five sizes of at most 2^24 leave 64 bits; whoever asks for that much has no machine to run it on.
    constexpr long double most = static_cast<long double>(std::numeric_limits<std::uint64_t>::max());
    const long double tokens = static_cast<long double>(shape.batch) * shape.tokens * shape.heads;
    const long double bytes = tokens * std::max(shape.keys, shape.values) * kTensorsAlive * kBytesOfElement;
    return bytes >= most ? std::numeric_limits<std::uint64_t>::max() : static_cast<std::uint64_t>(bytes);
}

std::uint64_t machineMemory()
{
    return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

launch::LaunchRequest requestOf(const LaunchSettings& settings)
{
    launch::LaunchRequest request;
    request.family = gdn::familyNamed(settings.family.toStdString()).value_or(gdn::Family::Gdn2);
    request.shape = shapeOf(settings);
    request.dtype = tensor::dtypeFromName(settings.dtype.toStdString()).value_or(tensor::DType::Float32);
    request.device = settings.device.trimmed().toStdString();
    request.prefix = settings.isElsewhere ? settings.prefix.trimmed().toStdString() : std::string();
    request.seed = settings.seed.trimmed().toULongLong();
    return request;
}

const std::array<LaunchPreset, 5>& launchPresets()
{
    static const std::array<LaunchPreset, 5> presets = {
        LaunchPreset{QT_TRANSLATE_NOOP("LaunchForm", "small, for the CPU"), {1, 128, 2, 64, 64}},
        LaunchPreset{QT_TRANSLATE_NOOP("LaunchForm", "ragged, K and V apart"), {2, 193, 3, 64, 128}},
        LaunchPreset{QT_TRANSLATE_NOOP("LaunchForm", "one long sequence"), {1, 32768, 16, 128, 128}},
        LaunchPreset{QT_TRANSLATE_NOOP("LaunchForm", "eight sequences"), {8, 2048, 16, 128, 128}},
        LaunchPreset{QT_TRANSLATE_NOOP("LaunchForm", "one sequence"), {1, 8192, 16, 128, 128}},
    };
    return presets;
}

QJsonObject toJson(const LaunchSettings& settings)
{
    return {{u"family"_s, settings.family}, {u"batch"_s, settings.batch},   {u"tokens"_s, settings.tokens},
            {u"heads"_s, settings.heads},   {u"keys"_s, settings.keys},     {u"values"_s, settings.values},
            {u"dtype"_s, settings.dtype},   {u"device"_s, settings.device}, {u"elsewhere"_s, settings.isElsewhere},
            {u"prefix"_s, settings.prefix}, {u"seed"_s, settings.seed}};
}

LaunchSettings launchSettingsFrom(const QJsonObject& object)
{
    LaunchSettings settings;
    const auto read = [&object](const QString& key, QString& value) { value = object[key].toString(value); };
    read(u"family"_s, settings.family);
    read(u"batch"_s, settings.batch);
    read(u"tokens"_s, settings.tokens);
    read(u"heads"_s, settings.heads);
    read(u"keys"_s, settings.keys);
    read(u"values"_s, settings.values);
    read(u"dtype"_s, settings.dtype);
    read(u"device"_s, settings.device);
    read(u"prefix"_s, settings.prefix);
    read(u"seed"_s, settings.seed);
    settings.isElsewhere = object[u"elsewhere"_s].toBool();
    if (!gdn::familyNamed(settings.family.toStdString()))
        settings.family = LaunchSettings().family;
    return settings;
}

} // namespace assay::views
