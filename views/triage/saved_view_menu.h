// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/kernel_details.h"

#include <QMenu>

#include <functional>
#include <vector>

namespace assay::views {

struct Context;
class QueryChannel;

/// The views that ship and the views a person saved: a filter, an order, and the columns that went with them.
class SavedViewMenu final : public QMenu {
    Q_OBJECT
public:
    explicit SavedViewMenu(Context& context, QWidget* parent = nullptr);

    const std::vector<store::SavedView>& views() const;
    /// Reads the list again; the old one stays until then.
    void reload();

    /// Sets filter and order of @p view, and its columns where it has any.
    void apply(const store::SavedView& view);
    void save(const QString& name, const QString& columns);

Q_SIGNALS:
    void saveRequested();
    /// @p columns is what save() was given.
    void columnsWanted(const QString& columns);
    void reloaded();

private:
    void rebuild();
    void remove(const store::SavedView& view);
    void write(std::function<void(store::Database&)> work);

    Context& m_context;
    QueryChannel* m_channel;
    std::vector<store::SavedView> m_views;
};

} // namespace assay::views
