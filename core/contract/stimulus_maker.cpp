// SPDX-License-Identifier: Apache-2.0
#include "core/contract/stimulus_maker.h"

#include "kernels/random/philox.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace assay::contract {

namespace {

using tensor::DType;

std::int64_t rowLength(const std::vector<std::int64_t>& shape)
{
    return shape.empty() ? 1 : std::max<std::int64_t>(shape.back(), 1);
}

/// 2^x by repeated multiplication, so that powers of ten replay without libm.
double powerOfTen(double exponent)
{
    // 10^e through the portable logarithm's inverse would need libm's exp; a table of decades and a linear step between them is
    // enough for a stimulus and exact to replay.
    const double floor = std::floor(exponent);
    double decade = 1;
    for (int i = 0; i < static_cast<int>(std::abs(floor)); ++i)
        decade *= 10;
    if (floor < 0)
        decade = 1 / decade;
    return decade * (1 + 9 * (exponent - floor));
}

class Filler {
public:
    Filler(const Recipe& recipe, const random::Stream& stream, const InputSpec& spec)
        : m_recipe(recipe)
        , m_stream(stream)
        , m_row(rowLength(spec.shape))
        , m_values(static_cast<std::size_t>(spec.count()))
    {
    }

    std::vector<double> fill(Regime regime)
    {
        switch (regime) {
        case Regime::Native:
        case Regime::Normal:
            normal();
            break;
        case Regime::Negative:
            normal();
            each([](double& v, std::int64_t) { v = -std::abs(v) - 0.125; });
            break;
        case Regime::Uniform:
            uniform();
            break;
        case Regime::Small:
            uniform();
            each([](double& v, std::int64_t) { v = (2 * v - 1) * 1e-3; });
            break;
        case Regime::Wide:
            normal();
            each([](double& v, std::int64_t) { v *= 1e3; });
            break;
        case Regime::Lognormal:
            normal();
            // Three decades either way around 1, with a sign: the shape of a lognormal without libm.
            each([](double& v, std::int64_t i) { v = (i % 2 == 0 ? 1 : -1) * powerOfTen(std::clamp(1.3 * v, -4.0, 4.0)); });
            break;
        case Regime::Zeros:
            break;
        case Regime::Ones:
            each([](double& v, std::int64_t) { v = 1; });
            break;
        case Regime::OneHot:
            uniform();
            pickOnePerRow();
            break;
        case Regime::Alternating:
            each([](double& v, std::int64_t i) { v = i % 2 == 0 ? 1 : -1; });
            break;
        case Regime::Ramp:
            each([this](double& v, std::int64_t i) { v = -2 + 4 * static_cast<double>(i % m_row) / static_cast<double>(m_row); });
            break;
        case Regime::Outliers:
            outliers();
            break;
        case Regime::LastSpike:
            normal();
            each([this](double& v, std::int64_t i) { v = i % m_row == m_row - 1 ? 100 : v; });
            break;
        case Regime::Shifted:
            normal();
            each([](double& v, std::int64_t) { v = 1e4 + 0.1 * v; });
            break;
        case Regime::ConstantRows:
            normal();
            each([this](double& v, std::int64_t i) { v = m_values[static_cast<std::size_t>(i - i % m_row)]; });
            break;
        case Regime::ZeroRows:
            zeroRows();
            break;
        case Regime::Ties:
            uniform();
            each([](double& v, std::int64_t) { v = std::floor(4 * v); });
            break;
        case Regime::Magnitudes:
            uniform();
            each([](double& v, std::int64_t i) { v = (i % 2 == 0 ? 1 : -1) * powerOfTen(8 * v - 4); });
            break;
        case Regime::Impulse:
            each([this](double& v, std::int64_t i) { v = 1.0 / static_cast<double>(1 + i % m_row); });
            break;
        }
        return std::move(m_values);
    }

private:
    template <typename F> void each(F change)
    {
        for (std::size_t i = 0; i < m_values.size(); ++i)
            change(m_values[i], static_cast<std::int64_t>(i));
    }

    void normal() { m_stream.normal(offset(), m_values); }
    void uniform() { m_stream.uniform(offset(), m_values); }
    std::uint64_t offset() const { return static_cast<std::uint64_t>(m_recipe.draw) << 40; }

    void pickOnePerRow()
    {
        for (std::size_t row = 0; row < m_values.size(); row += static_cast<std::size_t>(m_row)) {
            const auto hot = static_cast<std::int64_t>(m_values[row] * static_cast<double>(m_row));
            for (std::int64_t i = 0; i < m_row; ++i)
                m_values[row + static_cast<std::size_t>(i)] = i == hot ? 1 : 0;
        }
    }

    void outliers()
    {
        std::vector<double> chosen(m_values.size());
        m_stream.uniform(offset() + (std::uint64_t{1} << 38), chosen);
        normal();
        each([&chosen](double& v, std::int64_t i) { v *= chosen[static_cast<std::size_t>(i)] < 0.01 ? 1e4 : 1; });
    }

    void zeroRows()
    {
        normal();
        const std::int64_t rows = static_cast<std::int64_t>(m_values.size()) / m_row;
        each([this, rows](double& v, std::int64_t i) {
            const std::int64_t row = i / m_row;
            if (row == 0 || row == rows / 2 || row == rows - 1)
                v = 0;
        });
    }

    const Recipe& m_recipe;
    const random::Stream& m_stream;
    std::int64_t m_row;
    std::vector<double> m_values;
};

HostTensor maskLeaf(const Recipe& recipe, const random::Stream& stream, const InputSpec& spec, const HostTensor& native)
{
    if (recipe.regime == Regime::ZeroRows) {
        std::vector<double> values = native.toDoubles();
        const auto row = static_cast<std::size_t>(rowLength(spec.shape));
        const std::size_t rows = values.size() / row;
        for (const std::size_t at : {std::size_t{0}, rows / 2})
            std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(at * row), row, 0.0);
        return HostTensor::fromDoubles(spec.dtype, spec.shape, values);
    }
    if (recipe.draw % 2 == 0)
        return native;
    std::vector<double> values(static_cast<std::size_t>(spec.count()));
    stream.uniform(static_cast<std::uint64_t>(recipe.draw) << 40, values);
    for (double& value : values)
        value = value < spec.meanOfMask ? 1 : 0;
    // A row without a single one is its own regime; here every row keeps its first.
    for (std::size_t i = 0; i < values.size(); i += static_cast<std::size_t>(rowLength(spec.shape)))
        values[i] = 1;
    return HostTensor::fromDoubles(spec.dtype, spec.shape, values);
}

} // namespace

bool isUneven(Regime regime)
{
    switch (regime) {
    case Regime::OneHot:
    case Regime::Outliers:
    case Regime::LastSpike:
    case Regime::Lognormal:
    case Regime::Magnitudes:
    case Regime::Impulse:
        return true;
    default:
        return false;
    }
}

std::string_view name(Regime regime)
{
    switch (regime) {
    case Regime::Native:
        return "native draw";
    case Regime::Normal:
        return "N(0,1)";
    case Regime::Negative:
        return "negative";
    case Regime::Uniform:
        return "U(0,1)";
    case Regime::Small:
        return "U(-1e-3,1e-3)";
    case Regime::Wide:
        return "1e3 N(0,1)";
    case Regime::Lognormal:
        return "signed lognormal";
    case Regime::Zeros:
        return "zeros";
    case Regime::Ones:
        return "ones";
    case Regime::OneHot:
        return "one-hot rows";
    case Regime::Alternating:
        return "+1 -1 alternating";
    case Regime::Ramp:
        return "ramp";
    case Regime::Outliers:
        return "1 % times 1e4";
    case Regime::LastSpike:
        return "last element 100";
    case Regime::Shifted:
        return "1e4 + 0.1 N(0,1)";
    case Regime::ConstantRows:
        return "constant rows";
    case Regime::ZeroRows:
        return "zero rows";
    case Regime::Ties:
        return "integers 0..3";
    case Regime::Magnitudes:
        return "magnitudes 1e-4..1e4";
    case Regime::Impulse:
        return "impulse with slow decay";
    }
    return "";
}

std::string_view name(Layout layout)
{
    switch (layout) {
    case Layout::Contiguous:
        return "contiguous";
    case Layout::Transposed:
        return "transposed view";
    case Layout::Sliced:
        return "column slice of a wider tensor";
    case Layout::Offset:
        return "view with storage offset";
    case Layout::Expanded:
        return "expanded view (stride 0)";
    }
    return "";
}

StimulusMaker::StimulusMaker(std::uint64_t runSeed, std::string kernel, std::vector<InputDomain> domains)
    : m_runSeed(runSeed)
    , m_kernel(std::move(kernel))
    , m_domains(std::move(domains))
{
}

StimulusPtr StimulusMaker::make(const Recipe& recipe, const std::vector<InputSpec>& specs, const std::vector<HostTensor>& native)
{
    std::vector<HostTensor> leaves;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        const InputSpec& spec = specs[i];
        const random::Stream stream({m_runSeed, m_kernel, recipe.gate, recipe.check, static_cast<std::uint32_t>(i)});
        const bool chosen = recipe.onlyInput < 0 || recipe.onlyInput == static_cast<int>(i);
        const Regime regime = chosen ? recipe.regime : Regime::Normal;
        if (recipe.regime == Regime::Native || (!spec.isFree() && !spec.isMask))
            leaves.push_back(native[i]);
        else if (spec.isMask)
            leaves.push_back(maskLeaf(recipe, stream, spec, native[i]));
        else
            leaves.push_back(HostTensor::fromDoubles(spec.dtype, spec.shape, Filler(recipe, stream, spec).fill(regime)));
        if (recipe.layout != Layout::Contiguous && chosen && spec.isFloating)
            leaves.back() = withLayout(leaves.back(), recipe.layout);
    }
    std::string label(name(recipe.regime));
    if (recipe.onlyInput >= 0)
        label += fmt::format(" in input {}", recipe.onlyInput);
    if (recipe.draw > 0)
        label += fmt::format(", draw {}", recipe.draw + 1);
    if (recipe.layout != Layout::Contiguous)
        label += fmt::format(", {}", name(recipe.layout));
    return wrap(std::move(leaves), std::move(label), isUneven(recipe.regime));
}

StimulusPtr StimulusMaker::wrap(std::vector<HostTensor> leaves, std::string label, bool uneven)
{
    for (const InputDomain& domain : m_domains) {
        if (domain.input >= 0 && static_cast<std::size_t>(domain.input) < leaves.size()) {
            HostTensor& leaf = leaves[static_cast<std::size_t>(domain.input)];
            leaf = within(leaf, domain);
        }
    }
    return numbered(std::move(leaves), std::move(label), uneven);
}

StimulusPtr StimulusMaker::cotangents(std::vector<HostTensor> leaves, std::string label)
{
    return numbered(std::move(leaves), std::move(label), false);
}

StimulusPtr StimulusMaker::numbered(std::vector<HostTensor> leaves, std::string label, bool uneven)
{
    auto stimulus = std::make_shared<Stimulus>();
    stimulus->id = m_nextId++;
    stimulus->leaves = std::move(leaves);
    stimulus->label = std::move(label);
    stimulus->isUneven = uneven;
    return stimulus;
}

StimulusPtr StimulusMaker::replaced(const StimulusPtr& base, int leaf, HostTensor value, std::string label)
{
    std::vector<HostTensor> leaves = base->leaves;
    leaves[static_cast<std::size_t>(leaf)] = std::move(value);
    return wrap(std::move(leaves), std::move(label), base->isUneven);
}

double largestInput(const Stimulus& stimulus)
{
    double largest = 0;
    for (const HostTensor& leaf : stimulus.leaves) {
        if (!tensor::isFloating(leaf.dtype()))
            continue;
        for (const double value : leaf.toDoubles()) {
            if (std::isfinite(value))
                largest = std::max(largest, std::abs(value));
        }
    }
    return largest;
}

std::string recipeText(const Recipe& recipe, const std::vector<InputSpec>& specs)
{
    std::string shapes;
    for (const InputSpec& spec : specs)
        shapes += fmt::format("{}[\"{}\",[{}]]", shapes.empty() ? "" : ",", tensor::name(spec.dtype), fmt::join(spec.shape, ","));
    return fmt::format(R"({{"check":"{}","draw":{},"gate":"{}","inputs":[{}],"layout":"{}","only_input":{},"regime":"{}"}})",
                       recipe.check, recipe.draw, recipe.gate, shapes, name(recipe.layout), recipe.onlyInput,
                       name(recipe.regime));
}

HostTensor withLayout(const HostTensor& value, Layout layout)
{
    const HostTensor rows = value.contiguous();
    const std::vector<std::int64_t>& shape = rows.shape();
    const int bytes = tensor::sizeOf(rows.dtype());
    const auto source = rows.bytes();
    if (shape.empty() || rows.count() == 0)
        return rows;
    const std::size_t last = shape.size() - 1;
    if (layout == Layout::Offset) {
        constexpr std::int64_t kElements = 3;
        auto storage = std::make_shared<std::vector<std::byte>>(source.size() + static_cast<std::size_t>(kElements * bytes));
        std::ranges::copy(source, storage->begin() + kElements * bytes);
        return {storage, rows.dtype(), shape, rows.strides(), kElements * bytes};
    }
    std::vector<std::int64_t> strides = rows.strides();
    const std::size_t firstWide
        = static_cast<std::size_t>(std::ranges::find_if(shape, [](std::int64_t size) { return size > 1; }) - shape.begin());
    if (firstWide == shape.size())
        return rows;
    if (layout == Layout::Expanded) {
        // The first row repeated: values change, so whoever asks for this layout makes its truth from the result.
        strides[firstWide] = 0;
        return {std::make_shared<std::vector<std::byte>>(source.begin(), source.end()), rows.dtype(), shape, strides, 0};
    }
    std::int64_t total = rows.count();
    if (std::ranges::count_if(shape, [](std::int64_t size) { return size > 1; }) == 1) {
        // One dimension has no rows to move apart and nothing to swap with: it is a column of three.
        constexpr std::int64_t kColumns = 3;
        for (std::int64_t& stride : strides)
            stride *= kColumns;
        total *= kColumns;
    } else if (layout == Layout::Sliced) {
        // Rows some elements apart from their neighbours.
        const std::int64_t width = shape[last] + 5;
        strides[last] = 1;
        std::int64_t stride = width;
        for (std::size_t i = last; i-- > 0;) {
            strides[i] = stride;
            stride *= shape[i];
        }
        total = stride;
    } else {
        // The last two wide dimensions swap in memory.
        const auto wideBefore = [&shape](std::size_t end) {
            while (shape[--end] <= 1) { }
            return end;
        };
        const std::size_t inner = wideBefore(shape.size());
        const std::size_t outer = wideBefore(inner);
        strides[outer] = 1;
        strides[inner] = shape[outer];
    }
    auto storage = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(total * bytes));
    for (std::int64_t position = 0; position < rows.count(); ++position) {
        const std::vector<std::int64_t> index = tensor::unravel(position, shape);
        std::int64_t at = 0;
        for (std::size_t i = 0; i < index.size(); ++i)
            at += index[i] * strides[i];
        std::memcpy(storage->data() + at * bytes, source.data() + position * bytes, static_cast<std::size_t>(bytes));
    }
    return {storage, rows.dtype(), shape, strides, 0};
}

} // namespace assay::contract
