// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/source_bundle.h"

#include "views/evidence/measure_text.h"

#include <QCoreApplication>
#include <QStringDecoder>
#include <QStringList>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("SourceText", text);
}

bool looksLikePython(const std::string& bytes)
{
    return bytes.find("\nimport ") != std::string::npos || bytes.starts_with("import ")
        || bytes.find("\nfrom ") != std::string::npos || bytes.starts_with("from ") || bytes.find("\ndef ") != std::string::npos
        || bytes.find("\nclass ") != std::string::npos;
}

QString editorLanguage(const std::string& bytes, const std::string& language)
{
    if (language == "triton" || language == "python" || language == "torch")
        return u"python"_s;
    // CUDA candidates of PyTorch corpora are Python files with the kernel in a string.
    return looksLikePython(bytes) && bytes.find("#include") != 0 ? u"python"_s : u"cpp"_s;
}

/// Cuts lines that no one reads and that an editor takes seconds to lay out. @return how many were cut
int cutLongLines(QString& text)
{
    int cut = 0;
    QStringList lines = text.split(u'\n');
    for (QString& line : lines) {
        if (line.size() > kLongestLine) {
            line = line.left(kLongestLine) + u'\u2026';
            ++cut;
        }
    }
    if (cut > 0)
        text = lines.join(u'\n');
    return cut;
}

} // namespace

SourceText sourceText(const std::string& bytes, const std::string& language, const std::string& sha256)
{
    SourceText source;
    source.present = true;
    source.sha256 = sha256;
    source.bytes = std::int64_t(bytes.size());
    source.lines = int(splitLines(bytes).size());
    QStringList remarks;
    QStringDecoder decoder(QStringDecoder::Utf8);
    source.text = decoder(QByteArrayView(bytes.data(), qsizetype(bytes.size())));
    if (decoder.hasError())
        remarks << tr("not valid UTF-8: bytes that are not text show as \ufffd");
    if (source.text.contains(QChar(0))) {
        source.text.replace(QChar(0), QChar(0x2400));
        remarks << tr("holds NUL bytes, shown as \u2400");
    }
    if (const int cut = cutLongLines(source.text); cut > 0)
        remarks << measure_text::counted(cut, tr("line cut after 20,000 characters"), tr("lines cut after 20,000 characters"));
    if (source.bytes > kLargestColoured)
        remarks << tr("larger than 512 KiB: shown without colours");
    else
        source.language = editorLanguage(bytes, language);
    source.remark = remarks.join(u"; "_s);
    return source;
}

SourceBundlePtr loadSources(store::Database& database, const store::KernelDetails& details, std::stop_token stop)
{
    const store::InterruptOnStop interrupt(database, stop);
    auto bundle = std::make_shared<SourceBundle>();
    bundle->kernelId = details.kernelId;
    std::string candidate;
    std::string reference;
    if (details.candidateSourceId != 0) {
        candidate = store::readSource(database, details.candidateSourceId);
        bundle->candidate = sourceText(candidate, details.kernel.language, details.candidateSha256);
        bundle->hints = sourceHints(candidate);
    }
    if (details.referenceSourceId != 0) {
        reference = store::readSource(database, details.referenceSourceId);
        bundle->reference = sourceText(reference, "python", details.referenceSha256);
    }
    if (stop.stop_requested())
        throw Cancelled();
    if (bundle->candidate.present && bundle->reference.present) {
        bundle->diff = diffLines(reference, candidate, stop);
        const std::string merged = mergedText(bundle->diff, reference, candidate);
        SourceText shown = sourceText(merged, details.kernel.language, {});
        bundle->merged = shown.text;
        bundle->mergedLanguage = shown.language;
    }
    return bundle;
}

} // namespace assay::views
