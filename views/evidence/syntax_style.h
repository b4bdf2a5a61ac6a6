// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>

class QsciLexer;

namespace assay::views {

class Theme;

/// Colours of source text for one look. QScintilla knows no palette: every style, paper and margin is set by hand.
struct SyntaxColors {
    QColor text;
    QColor comment;
    QColor keyword;
    QColor string;
    QColor number;
    QColor name;   ///< functions and classes where they are defined
    QColor marked; ///< decorators, preprocessor
};

SyntaxColors syntaxColors(const Theme& theme);

/// Font, paper and colour of every style of @p lexer.
void styleLexer(QsciLexer& lexer, const Theme& theme, const QFont& font);

} // namespace assay::views
