// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/options.h"

#include "core/contract/gate.h"
#include "views/figure/figure_look.h"
#include "views/shell/places.h"
#include "views/shell/prompt.h"

#include <QCommandLineParser>
#include <QRegularExpression>

#include <algorithm>

namespace assay::workbench {

using namespace Qt::StringLiterals;

namespace {

constexpr int kLargestSide = 16384; // px: what a raster image of Qt can hold without surprises
constexpr double kLargestScale = 8;

void describe(QCommandLineParser& parser)
{
    parser.setApplicationDescription(u"Desktop workbench that tells whether a machine-written GPU kernel is really right."_s);
    parser.addPositionalArgument(u"DB"_s, u"Database, or a workbench:/// link. Without it: the last session."_s, u"[DB]"_s);
    parser.addOptions({
        {u"place"_s, u"Open at this place."_s, u"triage|audit|calibrate|launch"_s},
        {u"page"_s, u"Page of Triage."_s, u"overview|kernels"_s},
        {u"kernel"_s, u"Show this kernel (its id in the corpus, or # and a row number)."_s, u"ID"_s},
        {u"gate"_s, u"Show this gate of it, such as EXC-01."_s, u"G"_s},
        {u"section"_s, u"Turn the evidence to this section; outputs, sources and diff open it wide."_s,
         u"checks|outputs|sources|diff|claim|log|notes"_s},
        {u"filter"_s, u"Filter line of the kernel list."_s, u"LINE"_s},
        {u"theme"_s, u"Look of the window."_s, u"light|dark|system"_s},
        {u"read-only"_s, u"Open without writing a byte."_s},
        {u"import"_s, u"Import this file or folder into DB first (made where it does not exist)."_s, u"PATH"_s},
        {u"diff"_s, u"Compare the tensors of this file with those of the file named next: --diff REF CAND."_s, u"REF"_s},
        {u"tensor"_s, u"Of the files of --diff, this tensor alone."_s, u"NAME"_s},
        {u"dtype"_s, u"Type of elements where a .npy file of --diff records none."_s, u"TYPE"_s},
        {u"grab"_s, u"Render to a PNG and exit; needs no display."_s, u"OUT.png"_s},
        {u"size"_s, u"Size of the picture in logical pixels."_s, u"WxH"_s, u"1600x1000"_s},
        {u"scale"_s, u"Device pixels per logical pixel."_s, u"FACTOR"_s},
        {u"figure"_s,
         u"Write the figure of a calibration of DB instead of opening a window, its numbers as CSV beside it; with "
         u"--gate, --family, --dtype, --calibration and --size 85mm, 180mm or 16:9. Needs no display."_s,
         u"OUT.svg|pdf|png"_s},
        {u"family"_s, u"Of --figure, this op family; all families where left out."_s, u"F"_s},
        {u"calibration"_s, u"Of --figure, the version that begins so; the newest where left out."_s, u"HASH"_s},
        {u"plan"_s,
         u"Of --figure: the plan of the operator's device kernels instead, for so many keys and values; needs no DB."_s,
         u"KxV"_s},
        {u"html"_s, u"Lay this page out for print instead of opening a window; needs --pdf and no display."_s, u"IN.html"_s},
        {u"pdf"_s, u"Where the page goes, on A4."_s, u"OUT.pdf"_s},
        {u"reset-layout"_s, u"Start with the layout of a first start."_s},
        {{u"h"_s, u"help"_s}, u"Show this help."_s},
        {{u"v"_s, u"version"_s}, u"Show the version."_s},
    });
}

QString oneOf(const QCommandLineParser& parser, const QString& option, const QStringList& allowed)
{
    const QString value = parser.value(option);
    return value.isEmpty() || allowed.contains(value) ? QString()
                                                      : u"--%1 %2: use %3"_s.arg(option, value, allowed.join(u", "_s));
}

/// The pair of --diff REF CAND: the second is the first word that belongs to no option.
QString readTensors(const QCommandLineParser& parser, views::StartRequest& start)
{
    start.tensor = parser.value(u"tensor"_s);
    start.dtype = parser.value(u"dtype"_s);
    if (parser.isSet(u"figure"_s))
        return start.tensor.isEmpty() && !parser.isSet(u"diff"_s) ? QString() : u"--figure has no tensors"_s;
    if (!parser.isSet(u"diff"_s))
        return start.tensor.isEmpty() && start.dtype.isEmpty() ? QString() : u"--tensor and --dtype belong to --diff REF CAND"_s;
    const QStringList positional = parser.positionalArguments();
    if (positional.isEmpty())
        return u"--diff needs two files: --diff REF CAND"_s;
    start.tensors = {views::expandPath(parser.value(u"diff"_s)), views::expandPath(positional.first())};
    return {};
}

QString readSpot(const QCommandLineParser& parser, views::DeepLink& spot)
{
    QStringList positional = parser.positionalArguments();
    if (parser.isSet(u"diff"_s) && !positional.isEmpty())
        positional.removeFirst(); // the candidate
    if (positional.size() > 1)
        return u"one database at a time: %1"_s.arg(positional.join(u' '));
    if (const QString first = positional.value(0); first.startsWith(u"workbench:"_s)) {
        const auto link = views::parseDeepLink(first);
        if (!link)
            return u"not a link of Assay: %1"_s.arg(first);
        spot = *link;
    } else if (!first.isEmpty()) {
        spot.database = views::expandPath(first);
    }
    if (parser.isSet(u"kernel"_s))
        spot.kernel = parser.value(u"kernel"_s);
    if (parser.isSet(u"filter"_s))
        spot.filter = parser.value(u"filter"_s);
    if (const QString gate = parser.value(u"gate"_s); !gate.isEmpty()) {
        spot.gate = contract::gateFromId(gate.toStdString());
        if (!spot.gate)
            return u"--gate %1: no such gate; they are CMP-01 to 03, EXC-01 and 02, ORD-01 to 03, PRC-01 and 02, RES-01 and 02"_s
                .arg(gate);
    }
    if (const QString place = parser.value(u"place"_s); !place.isEmpty() && place != u"triage"_s)
        spot.place = place;
    if (const QString page = parser.value(u"page"_s); !page.isEmpty())
        spot.place = page;
    if (spot.place.isEmpty() && (!spot.kernel.isEmpty() || !spot.filter.isEmpty()))
        spot.place = u"kernels"_s;
    if (spot.place.isEmpty() && parser.isSet(u"place"_s))
        spot.place = u"overview"_s;
    return {};
}

/// --plan 128x64
QString readPlan(const QCommandLineParser& parser, FigureOrder& figure)
{
    figure.plan = parser.value(u"plan"_s);
    if (figure.plan.isEmpty())
        return {};
    if (!parser.isSet(u"figure"_s))
        return u"--plan belongs to --figure OUT"_s;
    static const QRegularExpression form(u"^(64|128)x(64|128)$"_s);
    const auto sizes = form.match(figure.plan);
    if (!sizes.hasMatch())
        return u"--plan %1: kernels are built for 64 and 128, as 128x64"_s.arg(figure.plan);
    figure.keys = sizes.captured(1).toInt();
    figure.values = sizes.captured(2).toInt();
    return {};
}

QString readFigure(const QCommandLineParser& parser, Options& options)
{
    if (const QString problem = readPlan(parser, options.figure); !problem.isEmpty())
        return problem;
    options.figure.path = parser.value(u"figure"_s);
    options.figure.family = parser.value(u"family"_s);
    options.figure.version = parser.value(u"calibration"_s);
    if (const auto gate = options.start.spot.gate)
        options.figure.gate = QString::fromUtf8(contract::id(*gate).data());
    options.figure.dtype = parser.value(u"dtype"_s);
    if (options.figure.path.isEmpty()) {
        const bool isAlone = options.figure.family.isEmpty() && options.figure.version.isEmpty();
        return isAlone ? QString() : u"--family and --calibration belong to --figure OUT"_s;
    }
    if (parser.isSet(u"size"_s))
        options.figure.size = parser.value(u"size"_s);
    if (!views::figureSize(options.figure.size))
        return u"--size %1: a figure has 85mm, 180mm or 16:9"_s.arg(options.figure.size);
    const bool needsDatabase = options.figure.plan.isEmpty();
    return needsDatabase && options.start.spot.database.isEmpty() ? u"--figure needs a database"_s : QString();
}

QString readPicture(const QCommandLineParser& parser, Options& options)
{
    if (parser.isSet(u"figure"_s))
        return {};
    options.grab = parser.value(u"grab"_s);
    static const QRegularExpression form(u"^([0-9]{2,5})x([0-9]{2,5})$"_s);
    const auto size = form.match(parser.value(u"size"_s));
    options.size = QSize(size.captured(1).toInt(), size.captured(2).toInt());
    if (!size.hasMatch() || std::max(options.size.width(), options.size.height()) > kLargestSide)
        return u"--size %1: write it as 1600x1000, at most %2 a side"_s.arg(parser.value(u"size"_s)).arg(kLargestSide);
    if (parser.isSet(u"scale"_s)) {
        bool isNumber = false;
        options.scale = parser.value(u"scale"_s).toDouble(&isNumber);
        if (!isNumber || !(*options.scale >= 0.5 && *options.scale <= kLargestScale))
            return u"--scale %1: a number from 0.5 to 8"_s.arg(parser.value(u"scale"_s));
    }
    return {};
}

} // namespace

ParsedOptions parseOptions(const QStringList& arguments)
{
    QCommandLineParser parser;
    describe(parser);
    if (!parser.parse(arguments))
        return {{}, parser.errorText()};
    Options options;
    options.help = parser.isSet(u"help"_s);
    options.version = parser.isSet(u"version"_s);
    QStringList places;
    for (const views::Place& place : views::places())
        places << place.id;
    for (const QString& problem :
         {oneOf(parser, u"place"_s, places), oneOf(parser, u"page"_s, {u"overview"_s, u"kernels"_s}),
          oneOf(parser, u"theme"_s, {u"light"_s, u"dark"_s, u"system"_s}),
          oneOf(parser, u"section"_s, {u"checks"_s, u"outputs"_s, u"sources"_s, u"diff"_s, u"claim"_s, u"log"_s, u"notes"_s}),
          readTensors(parser, options.start), readSpot(parser, options.start.spot), readFigure(parser, options),
          readPicture(parser, options)}) {
        if (!problem.isEmpty())
            return {options, problem};
    }
    options.html = parser.value(u"html"_s);
    options.pdf = parser.value(u"pdf"_s);
    if (options.html.isEmpty() != options.pdf.isEmpty())
        return {options, u"--html IN.html and --pdf OUT.pdf go together"_s};
    options.start.readOnly = parser.isSet(u"read-only"_s);
    options.start.importPath = parser.value(u"import"_s);
    options.start.resetLayout = parser.isSet(u"reset-layout"_s);
    options.start.theme = parser.value(u"theme"_s);
    options.start.section = parser.value(u"section"_s);
    if (options.start.readOnly && !options.start.importPath.isEmpty())
        return {options, u"--import writes and --read-only does not: choose one"_s};
    return {options, {}};
}

QString helpText(const QString&)
{
    QCommandLineParser parser;
    describe(parser);
    return parser.helpText();
}

} // namespace assay::workbench
