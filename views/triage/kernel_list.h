// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/triage/kernel_table_model.h"
#include "views/triage/kernel_table_view.h"
#include "views/triage/row_copier.h"

#include <QWidget>

#include <vector>

class QLabel;
class QMenu;

namespace assay::views {

struct Context;
class ListEmptyState;
class FailingRows;
class GateTips;
class GateStripDelegate;

/// The table of kernels with what belongs to it: empty states, the notice about a kernel that the filter hides, and the walk
/// through the list. Table and Selection follow each other.
class KernelList final : public QWidget {
    Q_OBJECT
public:
    explicit KernelList(Context& context, QWidget* parent = nullptr);
    ~KernelList() override;

    KernelTableModel& model() const { return *m_model; }
    KernelTableView& table() const { return *m_table; }
    RowCopier& copier() const { return *m_copier; }

    /// To the next kernel, or the previous one.
    void step(bool forward);
    /// To the next kernel that fails, however far it is.
    void stepFailing(bool forward);
    /// Selects the first row once the answer that is under way is there.
    void selectFirstWhenLoaded();

    void toggleBookmark();

    /// Copies the selected rows; every row where none is selected.
    void copySelection(RowFormat format, bool withHeader);
    /// Every row of the list as it stands.
    RowRequest everything(RowFormat format) const;

Q_SIGNALS:
    void drillRequested();
    void outRequested();
    /// Rows arrived, left, or are being asked for.
    void stateChanged();
    void rowMenuRequested(const QModelIndex& index, const QPoint& globalPosition);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// What a refresh must give back: by kernel, not by row.
    struct Snapshot {
        std::vector<std::int64_t> selected;
        bool all = false;
        std::int64_t top = 0;
        int topRow = 0;
    };
    void buildTable();
    void connectModel();
    void connectSelection();
    void takeSnapshot();
    void restoreSnapshot();
    void onRestarted();
    void onCompleted();
    void onCurrentRow(const QModelIndex& current);
    void follow(bool scroll);
    void showNotice(bool shown);
    void updateEmptyState();
    void scrollTo(int row);
    void setCurrentRow(int row);
    void onGateClicked(std::int64_t kernelId, contract::Gate gate);

    Context& m_context;
    KernelTableModel* m_model;
    KernelTableView* m_table;
    ListEmptyState* m_empty;
    QWidget* m_notice;
    QLabel* m_noticeText;
    FailingRows* m_failing;
    GateTips* m_tips;
    RowCopier* m_copier;
    Snapshot m_snapshot;
    bool m_wasReset = false;
    bool m_following = false; ///< the table moves because Selection did
    bool m_scrollToKernel = true;
    bool m_selectFirst = false;
    QString m_failure;
};

} // namespace assay::views
