// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>
#include <QWidget>

#include <cstdint>
#include <memory>
#include <vector>

class QAction;

namespace assay::views {

struct Context;

/// The kernel list: facets on the left, the filter line above the table with the gate strip.
///
/// Everything it shows comes from FilterStack (filter, order) and Selection (kernel, gate); everything a person does here goes
/// back to them. Its actions are QWidget::actions() of the page, so a command palette finds them; they work in the whole window
/// while the page is visible and no text field has the focus: J and K next and previous kernel (with Shift: failing ones),
/// E largest errors first, M bookmark, / the filter line. Enter hands the keyboard to the evidence, Esc goes a step out.
class TriagePage final : public QWidget {
    Q_OBJECT
public:
    explicit TriagePage(Context& context, QWidget* parent = nullptr);
    ~TriagePage() override;

    /// Columns, widths, collapsed facets and the splitter as JSON, for the session.
    QByteArray saveState() const;
    /// @return false when @p state is not one of ours; then nothing changes
    bool restoreState(const QByteArray& state);

    /// Columns and facets as on a first start.
    void resetLayout();

    /// What also belongs to a kernel that another pane shows (next, previous, bookmark ...): that pane may add them to its menu.
    QList<QAction*> kernelActions() const;

    /// The kernels whose rows are selected; without any, the one that the evidence shows.
    std::vector<std::int64_t> selectedKernels() const;

    /// Puts the keyboard into the table ("Esc" of the evidence pane).
    void focusList();
    /// Puts the keyboard into the filter line ("/").
    void focusFilter();

    /// Writes the current view (filter, order, visible columns) to @p path as a job; the suffix picks the format:
    /// .csv, .tsv, .md, .jsonl.
    void exportTo(const QString& path);

Q_SIGNALS:
    /// Enter: the evidence of the selected kernel should take the keyboard.
    void drillRequested();
    /// "Write a note" of a row's menu: the note field of the evidence should take the keyboard.
    void noteRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace assay::views
