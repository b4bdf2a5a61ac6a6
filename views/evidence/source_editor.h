// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/evidence/line_diff.h"
#include "views/evidence/source_bundle.h"
#include "views/evidence/source_hints.h"

#include <Qsci/qsciscintilla.h>

#include <QHash>

namespace assay::views {

class Theme;

/// A read-only source: line numbers, colours by language in both looks, marks for hints and for added and removed lines.
class SourceEditor final : public QsciScintilla {
    Q_OBJECT
public:
    SourceEditor(const Theme& theme, const QString& name, QWidget* parent = nullptr);
    ~SourceEditor() override;

    void setSource(const QString& text, const QString& language);
    /// Margin marks with the reason on hover, labelled as hints.
    void setHints(const std::vector<SourceHint>& hints);
    /// Marks lines of a merged text as added or removed and numbers them as in their own text.
    void setDiff(const LineDiff& diff);
    void setWrapped(bool on);

    bool isAdded(int line) const;
    bool isRemoved(int line) const;
    bool hasHintMark(int line) const;
    /// What hovering over @p line says, "" where nothing is marked.
    QString remarkAt(int line) const;
    void showLine(int line);

    enum Marker { HintMark = 1, AddedMark = 2, RemovedMark = 3, AddedLine = 4, RemovedLine = 5 };

protected:
    bool viewportEvent(QEvent* event) override;

private:
    void restyle();
    void chooseLexer(const QString& language);
    void showLineNumbers();
    static QsciLexer* makeLexer(const QString& language, QObject* parent);

    const Theme& m_theme;
    QString m_language;
    QsciLexer* m_lexer = nullptr;
    QHash<int, QString> m_remarks;
};

} // namespace assay::views
