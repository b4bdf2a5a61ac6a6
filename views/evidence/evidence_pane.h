// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

#include <memory>

namespace assay::views {

struct Context;

/// Everything known about the selected kernel: finding, gates and their checks, outputs, claim, sources, log, notes and waivers.
///
/// Follows the selection. Its actions (QWidget::actions()) work in the whole window while the pane is visible and no text
/// field has the focus: C checks, D difference of the outputs, Shift+D of the sources, S sources, L log, O claim and origins, N
/// note, W waiver, G and a digit a gate.
class EvidencePane final : public QWidget {
    Q_OBJECT
public:
    explicit EvidencePane(Context& context, QWidget* parent = nullptr);
    ~EvidencePane() override;

    /// Turns to "checks", "outputs", "sources", "diff" (of the sources), "claim", "log" or "notes".
    void showSection(const QString& section);
    QString section() const;

    /// Hides what any judge said of the kernel, so that a person can judge it without: outcome, gates, finding, claim, log and
    /// notes. The sources stay.
    void setBlinded(bool blinded);
    bool isBlinded() const;

    /// True while the selected kernel is being read; the last one stays visible meanwhile.
    bool isLoading() const;

Q_SIGNALS:
    /// The pane shows the selected kernel.
    void loaded();
    /// The sources of the selected kernel are in their editors.
    void sourcesLoaded();
    /// Escape: the keyboard should go back to the list.
    void left();

protected:
    bool event(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace assay::views
