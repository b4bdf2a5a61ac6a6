// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/error_pyramid.h"
#include "core/diff/exact_value.h"
#include "core/diff/mask_profile.h"
#include "core/diff/value_histogram.h"
#include "kernels/tensor/compare.h"
#include "views/diff/background_task.h"
#include "views/diff/diff_sources.h"

#include <QObject>
#include <QStringList>

#include <memory>
#include <optional>

namespace assay::views {

/// What is known of a whole tensor pair.
struct DiffFacts {
    tensor::Comparison comparison; ///< its ulp are the candidate's where the source says so
    QStringList sentences;         ///< where the differences are
    /// Which elements count as failing: those beyond a bound that is asked for; else those that differ, unless most do, and then
    /// those with more than half of the largest error. Another class always fails.
    enum class Failing { BeyondBound, Different, LargeErrors } failing = Failing::Different;
    diff::MaskProfile failures;
    std::vector<diff::ExactPair> worst; ///< elements of another class first, then the largest errors
};

/// What of a pair is looked at, and by which measure.
struct DiffView {
    diff::Arrangement arrangement;
    diff::Metric metric = diff::Metric::Absolute;
    std::optional<diff::Bound> bound;
    bool operator==(const DiffView&) const = default;
};

/// Measures a pair off the GUI thread: first what a picture needs, and once measureRest() says that it is on screen, the
/// statistics and the histograms, which would only delay it.
///
/// Results of a view that is no longer asked for are dropped; until new ones are there the last ones stay.
class DiffEngine final : public QObject {
    Q_OBJECT
public:
    explicit DiffEngine(QObject* parent = nullptr);

    /// Another pair: everything known of the last one is forgotten.
    void setSource(DiffSourcePtr source, const DiffView& view);
    /// Another look at the same pair.
    void setView(const DiffView& view);

    /// Goes on after pyramidChanged(). Does nothing where nothing is left to measure.
    void measureRest();

    const DiffSourcePtr& source() const { return m_source; }
    const DiffView& view() const { return m_view; }
    const std::shared_ptr<const diff::ErrorPyramid>& pyramid() const { return m_pyramid; }
    const std::shared_ptr<const diff::PlaneHistograms>& histograms() const { return m_histograms; }
    const std::shared_ptr<const DiffFacts>& facts() const { return m_facts; }
    bool isBusy() const;

Q_SIGNALS:
    void pyramidChanged();
    void histogramsChanged();
    void factsChanged();
    void failed(const QString& message);

private:
    void measurePyramid();

    DiffSourcePtr m_source;
    DiffView m_view;
    bool m_areFactsStale = false;
    bool m_isRestLeft = false;
    std::shared_ptr<const diff::ErrorPyramid> m_pyramid;
    std::shared_ptr<const diff::PlaneHistograms> m_histograms;
    std::shared_ptr<const DiffFacts> m_facts;
    // Last, so that they end before what they deliver to.
    BackgroundTask m_pyramidTask{BackgroundTask::WhenBusy::Stop};
    BackgroundTask m_histogramTask{BackgroundTask::WhenBusy::Stop};
    BackgroundTask m_factsTask{BackgroundTask::WhenBusy::Stop};
};

} // namespace assay::views
