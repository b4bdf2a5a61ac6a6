// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/diff/diff_engine.h"

#include "core/diff/diff_report.h"
#include "core/diff/failure_mask.h"
#include "core/text/error.h"

#include <bit>
#include <utility>

namespace assay::views {

namespace {

using namespace diff;
using PyramidPtr = std::shared_ptr<const ErrorPyramid>;
using HistogramsPtr = std::shared_ptr<const PlaneHistograms>;
using FactsPtr = std::shared_ptr<const DiffFacts>;

constexpr int kWorst = 50;
constexpr std::size_t kMostMismatches = 20;
constexpr std::int64_t kLargestMask = std::int64_t{1} << 30; // bytes

/// The first elements of another class than the reference's, in storage order.
std::vector<std::vector<std::int64_t>> mismatches(const FailureMask& mask)
{
    std::vector<std::vector<std::int64_t>> places;
    for (std::int64_t row = 0; row < mask.rows() && places.size() < kMostMismatches; ++row) {
        const auto words = mask.row(row);
        for (std::size_t i = 0; i < words.size(); ++i) {
            for (std::uint64_t word = words[i]; word != 0 && places.size() < kMostMismatches; word &= word - 1) {
                const std::int64_t column = static_cast<std::int64_t>(i) * 64 + std::countr_zero(word);
                places.push_back(tensor::unravel(row * mask.rowLength() + column, mask.shape()));
            }
        }
    }
    return places;
}

void stopWhereAsked(const std::stop_token& stop)
{
    if (stop.stop_requested())
        throw Cancelled();
}

FactsPtr factsOf(const DiffSource& source, const std::optional<Bound>& bound, const std::stop_token& stop)
{
    const tensor::TensorView& reference = source.reference.view;
    const tensor::TensorView& candidate = source.candidate.view;
    auto facts = std::make_shared<DiffFacts>();
    tensor::CompareOptions options;
    options.worst = kWorst;
    facts->comparison = tensor::compare(reference, candidate, options);
    if (source.countsUlpOfCandidate()) {
        tensor::CompareOptions ulpAlone;
        ulpAlone.worst = 0;
        ulpAlone.quantiles.clear();
        facts->comparison.maxUlp = tensor::compare(candidate, reference, ulpAlone).maxUlp;
    }
    stopWhereAsked(stop);
    const bool fits = FailureMask::bytesFor(reference.shape) <= kLargestMask;
    if (facts->comparison.classMismatch > 0 && fits) {
        for (const auto& index : mismatches(markFailures(reference, candidate, {FailureRule::Kind::ClassMismatch, {}})))
            facts->worst.push_back(exactPair(reference, candidate, index, source.countsUlpOfCandidate()));
    }
    for (const tensor::WorstElement& element : facts->comparison.worst)
        facts->worst.push_back(
            exactPair(reference, candidate, tensor::unravel(element.position, reference.shape), source.countsUlpOfCandidate()));
    stopWhereAsked(stop);
    if (fits && facts->comparison.count > 0) {
        const bool mostDiffer = 2 * facts->comparison.bitDifferent > facts->comparison.count;
        facts->failing = bound ? DiffFacts::Failing::BeyondBound
            : mostDiffer       ? DiffFacts::Failing::LargeErrors
                               : DiffFacts::Failing::Different;
        FailureRule rule;
        if (bound || mostDiffer)
            rule = {FailureRule::Kind::OutOfBound, bound.value_or(Bound{facts->comparison.maxAbsolute / 2, 0})};
        facts->failures = profileOf(markFailures(reference, candidate, rule));
    }
    stopWhereAsked(stop);
    for (const std::string& sentence : describeDifferences(reference, candidate, facts->comparison, bound))
        facts->sentences << QString::fromStdString(sentence);
    return facts;
}

} // namespace

DiffEngine::DiffEngine(QObject* parent)
    : QObject(parent)
{
    for (BackgroundTask* task : {&m_pyramidTask, &m_histogramTask, &m_factsTask})
        connect(task, &BackgroundTask::failed, this, &DiffEngine::failed);
}

void DiffEngine::setSource(DiffSourcePtr source, const DiffView& view)
{
    m_source = std::move(source);
    m_view = view;
    m_pyramid.reset();
    m_histograms.reset();
    m_facts.reset();
    m_areFactsStale = true;
    m_isRestLeft = false;
    for (BackgroundTask* task : {&m_pyramidTask, &m_histogramTask, &m_factsTask})
        task->cancel();
    if (m_source)
        measurePyramid();
}

void DiffEngine::setView(const DiffView& view)
{
    if (view == m_view || !m_source)
        return;
    if (view.bound != m_view.bound) {
        m_areFactsStale = true;
        m_factsTask.cancel(); // what it would say is of another bound
    }
    m_view = view;
    m_isRestLeft = false;
    m_histogramTask.cancel();
    measurePyramid();
}

void DiffEngine::measurePyramid()
{
    m_pyramidTask.start<PyramidPtr>(
        [source = m_source, view = m_view](const std::stop_token& stop) -> PyramidPtr {
            return std::make_shared<ErrorPyramid>(Plane(source->reference.view, view.arrangement),
                                                  Plane(source->candidate.view, view.arrangement), view.metric,
                                                  view.bound.value_or(Bound{}), stop);
        },
        [this](PyramidPtr pyramid) {
            m_pyramid = std::move(pyramid);
            m_isRestLeft = true;
            Q_EMIT pyramidChanged();
        });
}

void DiffEngine::measureRest()
{
    if (!std::exchange(m_isRestLeft, false))
        return;
    if (m_areFactsStale) {
        m_areFactsStale = false;
        m_factsTask.start<FactsPtr>(
            [source = m_source, bound = m_view.bound](const std::stop_token& stop) { return factsOf(*source, bound, stop); },
            [this](FactsPtr facts) {
                m_facts = std::move(facts);
                Q_EMIT factsChanged();
            });
    }
    m_histogramTask.start<HistogramsPtr>(
        [source = m_source, pyramid = m_pyramid](const std::stop_token& stop) -> HistogramsPtr {
            return std::make_shared<PlaneHistograms>(
                histogramsOf(pyramid->reference(), pyramid->candidate(), pyramid->metric(), pyramid->bound(), stop));
        },
        [this](HistogramsPtr histograms) {
            m_histograms = std::move(histograms);
            Q_EMIT histogramsChanged();
        });
}

bool DiffEngine::isBusy() const
{
    return m_isRestLeft || m_pyramidTask.isRunning() || m_histogramTask.isRunning() || m_factsTask.isRunning();
}

} // namespace assay::views
