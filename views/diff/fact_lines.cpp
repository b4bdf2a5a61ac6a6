// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/diff/fact_lines.h"

#include "views/diff/diff_words.h"
#include "views/theme/number_text.h"

#include <QCoreApplication>

namespace assay::views {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("FactLines", text);
}

/// Where nothing is said of places.
QString wholeLine(const tensor::Comparison& found, const DiffSource& source, bool hasBound)
{
    const QString count = number_text::count(found.count), different = number_text::count(found.bitDifferent);
    if (found.count == 0)
        return tr("The tensors have no elements.");
    if (found.bitDifferent == 0)
        return source.reference.view.dtype == source.candidate.view.dtype
            ? tr("All %1 elements are equal, bit for bit.").arg(count)
            : tr("All %1 elements have equal values; the types differ.").arg(count);
    if (hasBound)
        return tr("All elements are within the bound; %1 of %2 differ.").arg(different, count);
    return tr("%1 of %2 elements differ.").arg(different, count);
}

} // namespace

QStringList factLines(const DiffFacts& facts, const DiffSource& source, bool hasBound)
{
    const tensor::Comparison& found = facts.comparison;
    QStringList lines = facts.sentences;
    if (lines.isEmpty() || found.bitDifferent == 0)
        lines = {wholeLine(found, source, hasBound)};
    if (found.finitePairs > 0 && found.bitDifferent > 0)
        lines << tr("Largest error %1, relative %2, %3 ulp; mean %4.")
                     .arg(diff_words::number(found.maxAbsolute), diff_words::number(found.maxRelative),
                          diff_words::ulp(found.maxUlp), diff_words::number(found.meanAbsolute));
    return lines;
}

} // namespace assay::views
