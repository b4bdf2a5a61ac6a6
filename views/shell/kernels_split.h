// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSplitter>

class QAction;

namespace assay::views {

/// The kernel list beside the evidence. Until a person moves the handle, the widths follow the window: the list gets what its
/// leading columns need, the evidence the rest.
class KernelsSplit final : public QSplitter {
    Q_OBJECT
public:
    explicit KernelsSplit(QWidget* parent = nullptr);

    /// Checkable: gives the evidence the room it needs to show two sources beside each other.
    QAction* wideAction() const { return m_wide; }

    /// Empty while the widths follow the window.
    QByteArray saveSizes() const;
    void restoreSizes(const QByteArray& state);
    /// Back to widths that follow the window.
    void resetSizes();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();
    QAction* m_wide;
    bool m_isMoved = false;
};

} // namespace assay::views
