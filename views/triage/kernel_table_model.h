// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate.h"
#include "core/store/triage.h"
#include "views/state/judging.h"
#include "views/state/query_channel.h"
#include "views/triage/row_cache.h"

#include <QAbstractTableModel>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

class QTimer;

namespace assay::views {

class FilterStack;
class Theme;
class Workspace;

/// The ids of a list, in order. Shared with the threads that copy or search it, hence never changed once made.
using KernelIds = std::shared_ptr<const std::vector<std::int64_t>>;

/// The kernels of the scope under the filter and the order of FilterStack. A million rows cost eight bytes each: SQL gives the
/// ids, rows come in pages when they are looked at. Queries run off the GUI thread; what is shown stays until something newer is
/// there. While a campaign fills the shown audit, the kernels that wait for it stand below those that have their verdict, and the
/// strip of those under way fills gate by gate.
class KernelTableModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Role {
        SortRole = Qt::UserRole, ///< the raw value
        IdRole,                  ///< kernel id; known for every row, loaded or not
        LoadedRole,              ///< false for a placeholder
        StripRole,               ///< GateStrip::packed() of the row
        SeverityRole,            ///< the StripCell (int) of the row's outcome
        FlagsRole,               ///< KernelFlags
        MarkedGateRole,          ///< index of the gate selected in this row, or -1
    };
    enum Flag { Bookmarked = 1, Noted = 2, Waived = 4, Sourced = 8 };

    KernelTableModel(Workspace& workspace, FilterStack& filters, const Theme& theme, QObject* parent = nullptr);
    ~KernelTableModel() override;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    /// Orders by SQL: hands the wish to FilterStack.
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

    /// Asks anew because the question changed (filter, order, scope): the first page arrives first, all ids follow.
    void reload();
    /// Asks the same question again because the content changed; keeps what is shown until the answer is complete.
    void refresh();

    std::int64_t kernelAt(int row) const;         ///< 0 outside the list
    int rowOf(std::int64_t kernelId) const;       ///< -1 where the list does not hold it
    const store::TriageRow* rowAt(int row) const; ///< nullptr while its page is not loaded
    KernelIds ids() const;

    bool isLoading() const;  ///< a query for the list is running
    bool isComplete() const; ///< ids() is the whole answer
    /// Rows that the audit does not have yet, because the judge has not come to them.
    std::int64_t waitingRows() const { return m_waitingRows; }

    /// Which gate of which kernel the strip outlines; 0: none.
    void setMarkedGate(std::int64_t kernelId, std::optional<contract::Gate> gate);

Q_SIGNALS:
    void loadingChanged();
    /// The first page of a new answer is in place: the view goes to its top.
    void restarted();
    /// ids() is now the whole answer.
    void completed();
    /// One line: what, where, what to do. The list keeps what it showed.
    void failed(const QString& message);

private:
    struct Page {
        std::size_t number = 0;
        std::vector<std::optional<store::TriageRow>> rows;
    };
    struct Answer {
        KernelIds ids;
        std::vector<Page> pages;
        bool whole = false;
        std::int64_t waiting = 0; ///< of these wait to be judged
    };
    void takeStrip(std::int64_t kernelId);
    void syncStrips();
    /// What a row shows instead of its last verdict while the judge is at it; nothing where that makes no difference.
    static QVariant underWay(contract::GateStrip strip, int role, store::TriageColumn column);
    /// Kernels that the answer gets on top of the rows of the audit; nullptr: none.
    WaitingKernels waitingHere() const;
    static std::vector<Page> readPages(store::Database& database, std::int64_t scopeId, const std::vector<std::int64_t>& ids,
                                       const std::vector<std::size_t>& numbers, bool withWaiting);
    void showFirstPage(Answer answer);
    void fetchAll(bool afterFirstPage);
    void showAll(Answer answer);
    void adopt(std::vector<Page> pages);
    void want(std::size_t page) const;
    void fetchWanted();
    QVariant display(const store::TriageRow& row, store::TriageColumn column) const;
    static QVariant sortValue(const store::TriageRow& row, store::TriageColumn column);
    void emitRowChanged(int row, const QList<int>& roles);

    Workspace& m_workspace;
    FilterStack& m_filters;
    const Theme& m_theme;
    QueryChannel* m_listChannel;
    QueryChannel* m_pageChannel;
    QTimer* m_fetchTimer;
    KernelIds m_ids;
    bool m_complete = true;
    bool m_refreshing = false;
    std::int64_t m_waitingRows = 0;
    std::unordered_map<std::int64_t, contract::GateStrip> m_strips; ///< of kernels that the judge is at
    bool m_hasWaiting = false;                                      ///< the answer holds kernels that wait to be judged
    RowCache<store::TriageRow> m_cache;
    mutable std::vector<std::size_t> m_wanted; ///< pages that painting missed since the last fetch, newest last
    std::set<std::size_t> m_fetching;
    std::int64_t m_markedKernel = 0;
    std::optional<contract::Gate> m_markedGate;
};

} // namespace assay::views
