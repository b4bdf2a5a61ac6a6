// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/overview/data_panel.h"
#include "views/overview/run_layout.h"

namespace assay::views {

/// The sentence with the number that matters, its interval drawn on a scale, what is left of it where kernels were labelled by
/// hand, and what the chosen rules change.
class HeadlinePanel final : public DataPanel {
    Q_OBJECT
public:
    explicit HeadlinePanel(const Theme& theme, QWidget* parent = nullptr);

    /// What labels say of the rate, once it is known.
    void setExtras(OverviewExtrasPtr extras);

    QVector<QStringList> table() const override;
    /// The panel's sentences as plain text.
    QString sentences() const;

protected:
    qreal arrange(qreal width) override;
    void draw(QPainter& painter) override;

private:
    QVector<TextRun> headline();
    QVector<TextRun> second();
    QVector<TextRun> adjusted();
    QVector<TextRun> change();
    void placeLinks(const RunLayout& layout, const QVector<TextRun>& runs);
    void paintRuns(QPainter& painter, const RunLayout& layout, const QVector<TextRun>& runs) const;
    void paintScale(QPainter& painter) const;
    void paintMark(QPainter& painter, qreal low, qreal middle, qreal high) const;

    const report::PlanRate* labels() const;

    static constexpr int kSentences = 4;
    OverviewExtrasPtr m_extras;
    QVector<TextRun> m_runs[kSentences];
    RunLayout m_layouts[kSentences];
    QRectF m_scale;
};

} // namespace assay::views
