// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/syntax_style.h"

#include "views/theme/theme.h"

#include <Qsci/qscilexer.h>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

/// Lexers describe their styles in words; the words are the same over all languages.
QColor colorOf(const QString& description, const SyntaxColors& colors)
{
    const auto says = [&description](QLatin1String word) { return description.contains(word, Qt::CaseInsensitive); };
    if (says("comment"_L1))
        return colors.comment;
    if (says("string"_L1) || says("character"_L1))
        return colors.string;
    if (says("number"_L1))
        return colors.number;
    if (says("keyword"_L1))
        return colors.keyword;
    if (says("decorator"_L1) || says("pre-processor"_L1))
        return colors.marked;
    if (says("class name"_L1) || says("function"_L1))
        return colors.name;
    return colors.text;
}

constexpr int kStyles = 128;

} // namespace

SyntaxColors syntaxColors(const Theme& theme)
{
    if (theme.isDark())
        return {theme.ink(),
                QColor(0x8B, 0x94, 0x9E),
                QColor(0x7D, 0xB7, 0xF0),
                QColor(0x9C, 0xCF, 0x9C),
                QColor(0xD7, 0xBA, 0x7D),
                QColor(0xC9, 0xA7, 0xEB),
                QColor(0xB0, 0xA0, 0xD8)};
    return {theme.ink(),
            QColor(0x6A, 0x73, 0x7D),
            QColor(0x00, 0x51, 0x9E),
            QColor(0x1F, 0x6B, 0x3A),
            QColor(0x8A, 0x5A, 0x00),
            QColor(0x6F, 0x42, 0xA0),
            QColor(0x5B, 0x4B, 0x8A)};
}

void styleLexer(QsciLexer& lexer, const Theme& theme, const QFont& font)
{
    const SyntaxColors colors = syntaxColors(theme);
    lexer.setDefaultFont(font);
    lexer.setDefaultColor(colors.text);
    lexer.setDefaultPaper(theme.surface());
    lexer.setFont(font, -1);
    lexer.setPaper(theme.surface(), -1);
    lexer.setEolFill(false, -1);
    for (int style = 0; style < kStyles; ++style) {
        const QString description = lexer.description(style);
        lexer.setColor(description.isEmpty() ? colors.text : colorOf(description, colors), style);
    }
}

} // namespace assay::views
