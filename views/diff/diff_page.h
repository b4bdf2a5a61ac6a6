// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/diff/diff_sources.h"

#include <QWidget>

#include <memory>

namespace assay::views {

class Theme;

/// How the candidate's output differs from the reference's: three linked pictures, the range of their colours, the elements to
/// look at first, and in words where the differences are.
///
/// Its actions (QWidget::actions()) work while the keyboard is in it: X metric, R and Shift+R range, [ and ] slice, with Shift
/// the next one with differences; B held blinks, Ctrl+G goes to an index, arrows move the picked element, Enter in the list
/// jumps.
class DiffPage final : public QWidget {
    Q_OBJECT
public:
    explicit DiffPage(const Theme& theme, QWidget* parent = nullptr);
    ~DiffPage() override;

    /// @param title  what is compared; "" where the surroundings say it
    void setSources(DiffSources sources, const QString& title = {});
    /// Shows @p text in place of pictures.
    void showMessage(const QString& text);
    bool hasPair() const;

    /// Nothing is being measured or drawn.
    bool isSettled() const;
    /// Picks the element and brings it into view; another slice where it lies there.
    void goTo(const std::vector<std::int64_t>& index);

Q_SIGNALS:
    /// The first picture of a pair is on the panes.
    void firstPictureShown();
    /// A picture is on the panes.
    void pictureShown();
    void settled();
    /// Escape: the keyboard should go back.
    void left();

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace assay::views
