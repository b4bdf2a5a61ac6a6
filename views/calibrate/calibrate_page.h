// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/figure/figure_look.h"

#include <QWidget>

#include <memory>
#include <optional>

namespace assay::views {

struct Context;

/// The calibrate place: the cells of a calibration on the left, the figure of the chosen one in the centre. A threshold that is
/// dragged only tries; a proposal writes a version of its own.
class CalibratePage final : public QWidget {
    Q_OBJECT
public:
    explicit CalibratePage(Context& context, QWidget* parent = nullptr);
    ~CalibratePage() override;

    /// What is shown while nothing is calibrated or published; the page takes it over.
    void setEmptyState(QWidget* state);
    /// A query is running, or a version is being written.
    bool isLoading() const;
    /// Only the figure with its caption; left and right arrows walk through the cells.
    void setPresenting(bool on);
    bool isPresenting() const;

    /// Writes the figure that is shown, on white paper. @throws Error
    void exportShown(const FigureSize& size, const QString& path) const;

Q_SIGNALS:
    /// A person wants the figure in a file; @p name suggests one.
    void exportAsked(const QString& name);
    /// Escape in a presentation.
    void presentationLeft();

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace assay::views
