// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/diff/background_task.h"
#include "views/diff/diff_engine.h"
#include "views/diff/diff_page.h"
#include "views/diff/tensor_pane.h"
#include "views/diff/viewport.h"

#include <memory>
#include <optional>
#include <vector>

class QBoxLayout;
class QLabel;
class QLineEdit;
class QSplitter;
class QStackedLayout;
class QTableView;

namespace assay::views {

class ClassBar;
class DiffToolbar;
class LayoutBar;
class RangePanel;
class WorstModel;

/// What the page is made of: its parts are made and arranged in diff_page_layout.cpp, and brought to life in diff_page.cpp.
struct DiffPage::Private {
    Private(DiffPage& owner, const Theme& sharedTheme)
        : page(owner)
        , theme(sharedTheme)
    {
    }

    void build();
    void arrange();
    QWidget* makePanes();
    QWidget* makeBelow();
    void makeActions();
    void connectParts();

    void choosePair(int index);
    DiffView view() const;
    void look();
    void showMode();
    void showPyramid();
    void showFacts();
    void showWorstSlice();
    void showPicked();
    void showCaptions();
    void fitToView();
    void requestPicture();
    void pickAt(QPointF position);
    void setBlinking(bool on);
    void readIndex();
    void readBound();
    void checkSettled();

    DiffPage& page;
    const Theme& theme;
    DiffSources sources;
    Viewport viewport;
    bool isFirstPicture = true;
    bool hasTurned = false; ///< another slice was asked for, or the first one has been found
    bool wasSettled = true;
    diff::Arrangement shown;                         ///< that the viewport is set to
    std::optional<std::vector<std::int64_t>> wanted; ///< index to pick once its slice is there
    DiffPicturePtr picture;

    bool isSplitByHand = false;

    QStackedLayout* stack = nullptr;
    QSplitter* split = nullptr;
    QLabel* message = nullptr;
    QWidget* body = nullptr;
    QWidget* shownPair = nullptr; ///< the body in what scrolls it, and below it what is picked
    DiffToolbar* toolbar = nullptr;
    LayoutBar* layoutBar = nullptr; ///< of the toolbar
    QLabel* sentences = nullptr;
    QBoxLayout* paneLayout = nullptr;
    TensorPane* panes[3] = {};
    QBoxLayout* below = nullptr;
    RangePanel* ranges = nullptr;
    ClassBar* classes = nullptr;
    WorstModel* worst = nullptr;
    QTableView* worstTable = nullptr;
    QLabel* picked = nullptr;
    QLineEdit* indexEdit = nullptr;

    DiffEngine engine;
    BackgroundTask pictures{BackgroundTask::WhenBusy::Finish};
};

} // namespace assay::views
