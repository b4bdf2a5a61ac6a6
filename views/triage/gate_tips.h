// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate.h"
#include "core/contract/gate_strip.h"

#include <QCache>
#include <QObject>
#include <QPoint>
#include <QPointer>
#include <QRect>
#include <QString>
#include <QWidget>

#include <array>

namespace assay::views {

class QueryChannel;
class Workspace;

/// Tool tips of the gate strip: the verdict in words at once, measured against threshold as soon as it is read.
class GateTips final : public QObject {
    Q_OBJECT
public:
    explicit GateTips(Workspace& workspace, QObject* parent = nullptr);

    /// Shows the tip of @p gate at @p spot (global); it stays while the pointer is in @p area of @p widget.
    void show(QWidget* widget, const QRect& area, const QPoint& spot, std::int64_t kernelId, contract::Gate gate,
              contract::StripCell cell);

    /// Forgets what was read: the content changed.
    void clear();

    /// The tip as it stands now, plain text.
    QString text(std::int64_t kernelId, contract::Gate gate, contract::StripCell cell) const;

Q_SIGNALS:
    /// The measured numbers of @p kernelId are known.
    void detailed(std::int64_t kernelId);

private:
    struct Tip {
        QPointer<QWidget> widget;
        QRect area;
        QPoint spot;
        std::int64_t kernelId = 0;
        contract::Gate gate = contract::Gate::Cmp01;
        contract::StripCell cell = contract::StripCell::Absent;
    };
    using Lines = std::array<QString, contract::kGateCount>; ///< what is known of each gate, one or two lines

    void present() const;

    Workspace& m_workspace;
    QueryChannel* m_channel;
    QCache<std::int64_t, Lines> m_lines;
    Tip m_tip;
};

} // namespace assay::views
