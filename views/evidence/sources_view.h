// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/evidence/source_bundle.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTableView;

namespace assay::views {

class FindBar;
class HintModel;
class SourceEditor;
class Theme;

/// Reference and candidate side by side (one over the other where it is narrow), or merged with what differs marked; hints below.
class SourcesView final : public QWidget {
    Q_OBJECT
public:
    explicit SourcesView(const Theme& theme, QWidget* parent = nullptr);

    void setBundle(SourceBundlePtr bundle);
    void clear();
    void setLoading(bool loading);

    bool showsDiff() const;
    void setShowsDiff(bool on);
    void openFind();

Q_SIGNALS:
    void diffToggled(bool on);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Side {
        QWidget* box = nullptr;
        QLabel* caption = nullptr;
        SourceEditor* editor = nullptr;
        QLabel* absent = nullptr;
    };
    Side makeSide(const QString& name);
    QWidget* makeToolbar();
    QWidget* makeHints();
    void showSide(Side& side, const QString& name, const SourceText& source);
    void showMerged();
    void showPage();
    void showHint(int row);
    QString diffSentence() const;
    SourceEditor* activeEditor() const;

    const Theme& m_theme;
    SourceBundlePtr m_bundle;
    QStackedWidget* m_pages = nullptr;
    QLabel* m_empty = nullptr;
    QSplitter* m_split = nullptr;
    Side m_reference;
    Side m_candidate;
    QWidget* m_mergedBox = nullptr;
    QLabel* m_mergedCaption = nullptr;
    SourceEditor* m_merged = nullptr;
    QPushButton* m_diff = nullptr;
    QPushButton* m_wrap = nullptr;
    FindBar* m_find = nullptr;
    QWidget* m_hintBox = nullptr;
    HintModel* m_hints = nullptr;
    QTableView* m_hintTable = nullptr;
};

} // namespace assay::views
