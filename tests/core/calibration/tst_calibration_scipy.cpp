// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/density.h"
#include "core/calibration/detection.h"
#include "core/calibration/kolmogorov_smirnov.h"
#include "core/calibration/roc.h"
#include "core/calibration/separation_bootstrap.h"
#include "core/sampling/clopper_pearson.h"
#include "core/text/json.h"
#include "samples.h"

#include <QFile>
#include <QtTest>

#include <limits>

using namespace assay;
using namespace assay::calibration;

/// Everything against scipy_table.json, which scipy_table.py computes with scipy and numpy alone.
class CalibrationScipyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void kolmogorovSmirnovStatisticsAndTailsAgree();
    void areasAndTheirErrorsAgree();
    void falseAlarmBoundsAgree();
    void penalizedFitsAgree();
    void densitiesAgree();
    void drawsAgreeWithNumpysPhilox();
    void bootstrapIntervalsAgree();

private:
    const json::Value& at(const char* name) const { return m_table[name]; }
    json::Document m_table;
};

namespace {

double number(const json::Value& object, const char* key)
{
    return object[key].GetDouble();
}

std::vector<double> numbers(const json::Value& array)
{
    std::vector<double> result;
    for (const json::Value& value : array.GetArray())
        result.push_back(value.GetDouble());
    return result;
}

/// 1e-9 of the value, as promised; a probability of 1e-71 counts to its ninth digit, too.
bool agrees(double ours, double theirs)
{
    return std::abs(ours - theirs) <= 1e-9 * std::abs(theirs);
}

#define AGREE(ours, theirs)                                                                                                      \
    do {                                                                                                                         \
        const double ours_ = (ours);                                                                                             \
        const double theirs_ = (theirs);                                                                                         \
        QVERIFY2(agrees(ours_, theirs_),                                                                                         \
                 qPrintable(QStringLiteral("%1 is not %2").arg(ours_, 0, 'g', 17).arg(theirs_, 0, 'g', 17)));                    \
    } while (false)

Series clustered(const json::Value& pairs)
{
    Series series;
    for (const json::Value& pair : pairs.GetArray())
        series.add(tensor::measured(pair[0].GetDouble()), pair[1].GetUint());
    series.finish();
    return series;
}

std::vector<Sample> samplesOf(const json::Value& rows)
{
    std::vector<Sample> samples;
    for (const json::Value& row : rows.GetArray()) {
        const std::string kind = row[0].GetString();
        const SampleKind which = kind == "conforming" ? SampleKind::Conforming
            : kind == "defect"                        ? SampleKind::Defect
                                                      : SampleKind::Perturbed;
        samples.push_back(
            {which, row[1].GetString(), row[2].GetString(), row[3].GetDouble(), tensor::measured(row[4].GetDouble())});
    }
    return samples;
}

} // namespace

void CalibrationScipyTest::initTestCase()
{
    QFile file(QStringLiteral(ASSAY_TEST_DATA "/scipy_table.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(!json::parse(file.readAll().toStdString(), m_table));
}

void CalibrationScipyTest::kolmogorovSmirnovStatisticsAndTailsAgree()
{
    for (const json::Value& sample : at("kolmogorov_smirnov")["samples"].GetArray()) {
        const Series first = tests::seriesOf(numbers(sample["first"]));
        const Series second = tests::seriesOf(numbers(sample["second"]));
        const auto exact = kolmogorovSmirnov(first, second);
        QVERIFY(exact->isExact);
        AGREE(exact->statistic, number(sample, "statistic"));
        AGREE(exact->p, number(sample, "exact"));
        const auto limit = kolmogorovSmirnov(first, second, 0);
        QVERIFY(!limit->isExact);
        AGREE(limit->p, number(sample, "limit"));
    }
    for (const json::Value& pair : at("kolmogorov_smirnov")["tail"].GetArray())
        AGREE(kolmogorovTail(pair[0].GetDouble()), pair[1].GetDouble());
}

void CalibrationScipyTest::areasAndTheirErrorsAgree()
{
    for (const json::Value& sample : at("auc").GetArray()) {
        const auto result = auc(clustered(sample["conforming"]), clustered(sample["defective"]));
        AGREE(result->area, number(sample, "area"));
        AGREE(result->plainError, number(sample, "plain_error"));
        AGREE(result->clusteredError, number(sample, "clustered_error"));
        AGREE(result->plain().low, number(sample, "low"));
        AGREE(result->plain().high, number(sample, "high"));
    }
}

void CalibrationScipyTest::falseAlarmBoundsAgree()
{
    for (const json::Value& row : at("false_alarms").GetArray())
        AGREE(sampling::upperBound(row[0].GetInt64(), row[1].GetInt64()), row[2].GetDouble());
}

void CalibrationScipyTest::penalizedFitsAgree()
{
    for (const json::Value& sample : at("detection").GetArray()) {
        std::vector<ScaleOutcome> outcomes;
        for (rapidjson::SizeType i = 0; i < sample["scales"].Size(); ++i)
            outcomes.push_back({sample["scales"][i].GetDouble(), sample["seen"][i].GetInt64(), sample["samples"].GetInt64()});
        const Link link = std::string(sample["link"].GetString()) == "probit" ? Link::Probit : Link::Logistic;
        const DetectionFit fit = fitDetection(outcomes, link);
        QVERIFY2(fit.isFitted(), sentence(fit.state).data());
        const std::string_view what = sample["what"].GetString();
        QCOMPARE(fit.separated, what == "separated" || what == "almost"); // almost: one scale is seen sometimes
        AGREE(fit.log10Half, number(sample, "log10_half"));
        AGREE(fit.slope, number(sample, "slope"));
        AGREE(fit.slopeError, number(sample, "slope_error"));
        AGREE(fit.log10HalfError, number(sample, "log10_half_error"));
        const std::vector<double> scales = {-3.0};
        const BandPoint point = deltaBand(fit, scales).front();
        AGREE(point.probability, sample["band"][0].GetDouble());
        AGREE(point.interval.low, sample["band"][1].GetDouble());
        AGREE(point.interval.high, sample["band"][2].GetDouble());
    }
}

void CalibrationScipyTest::densitiesAgree()
{
    const json::Value& sample = at("density");
    const auto density = densityOf(tests::seriesOf(numbers(sample["values"])), sample["at"].Size());
    AGREE(density->bandwidth, number(sample, "bandwidth"));
    const std::vector<double> theirs = numbers(sample["density"]);
    const double peak = *std::max_element(theirs.begin(), theirs.end());
    for (std::size_t i = 0; i < theirs.size(); ++i) {
        AGREE(density->at[i], numbers(sample["at"])[i]);
        // Far from all values the density is the tail of a rounding error: 1e-9 of the peak is far below a pixel.
        QVERIFY(std::abs(density->density[i] - theirs[i]) <= 1e-9 * peak);
    }
}

void CalibrationScipyTest::drawsAgreeWithNumpysPhilox()
{
    const SampleSet set(samplesOf(at("bootstrap")["samples"]));
    const std::uint64_t seed = std::stoull(at("bootstrap")["seed"].GetString());
    const std::vector<std::uint32_t> weights = drawWeights(set.strata(), set.kernels().size(), 0, seed);
    QCOMPARE(std::vector<double>(weights.begin(), weights.end()), numbers(at("bootstrap")["weights"]));
}

void CalibrationScipyTest::bootstrapIntervalsAgree()
{
    const SampleSet set(samplesOf(at("bootstrap")["samples"]));
    BootstrapOptions options;
    options.seed = std::stoull(at("bootstrap")["seed"].GetString());
    const SeparationEstimates ours = bootstrapSeparation(set, {}, std::nullopt, options);
    const std::pair<const char*, const Estimate*> estimates[] = {{"floor", &ours.floor},
                                                                 {"onset", &ours.onset},
                                                                 {"threshold", &ours.threshold},
                                                                 {"below", &ours.below},
                                                                 {"above", &ours.above}};
    for (const auto& [name, estimate] : estimates) {
        const json::Value& theirs = at("bootstrap")["estimates"][name];
        AGREE(estimate->value, number(theirs, "value"));
        QCOMPARE(estimate->undefined, 0U);
        AGREE(estimate->percentile->low, theirs["percentile"][0].GetDouble());
        AGREE(estimate->percentile->high, theirs["percentile"][1].GetDouble());
        QVERIFY(estimate->bca.has_value());
        AGREE(estimate->bca->low, theirs["bca"][0].GetDouble());
        AGREE(estimate->bca->high, theirs["bca"][1].GetDouble());
    }
}

QTEST_APPLESS_MAIN(CalibrationScipyTest)
#include "tst_calibration_scipy.moc"
