// SPDX-License-Identifier: Apache-2.0
#include "kernels/random/philox.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace assay::random {

namespace {

constexpr int kRounds = 10;

/// FNV-1a over bytes, with a separator so that ("ab", "c") and ("a", "bc") differ.
class NameHash {
public:
    void add(std::string_view text)
    {
        for (const char c : text)
            addByte(static_cast<unsigned char>(c));
        addByte(0xFF); // no byte of UTF-8
    }

    void add(std::uint64_t number)
    {
        for (int shift = 0; shift < 64; shift += 8)
            addByte(static_cast<unsigned char>(number >> shift));
    }

    /// Mixed so that every bit of the key depends on every byte of the name (SplitMix64's finaliser).
    std::uint64_t finish() const
    {
        std::uint64_t x = m_state;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
        return x ^ (x >> 31);
    }

private:
    void addByte(unsigned char byte) { m_state = (m_state ^ byte) * 0x100000001B3; }
    std::uint64_t m_state = 0xCBF29CE484222325;
};

/// Horner's scheme, highest coefficient first.
template <std::size_t N> double polynomial(const std::array<double, N>& coefficients, double x)
{
    double value = coefficients[0];
    for (std::size_t i = 1; i < N; ++i)
        value = value * x + coefficients[i];
    return value;
}

struct Rational {
    std::array<double, 8> numerator;
    std::array<double, 8> denominator;
    double operator()(double x) const { return polynomial(numerator, x) / polynomial(denominator, x); }
};

constexpr Rational kCentre{
    {2.50908092873012267270e+3, 3.34305755835881281050e+4, 6.72657709270087008530e+4, 4.59219539315498714570e+4,
     1.37316937655094611250e+4, 1.97159095030655144270e+3, 1.33141667891784377450e+2, 3.38713287279636660800e+0},
    {5.22649527885285456100e+3, 2.87290857357219426740e+4, 3.93078958000927106100e+4, 2.12137943015865958670e+4,
     5.39419602142475110770e+3, 6.87187007492057908300e+2, 4.23133307016009112520e+1, 1.0}};
constexpr Rational kNearTail{
    {7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258e+0,
     3.64784832476320460504e+0, 5.76949722146069140550e+0, 4.63033784615654529590e+0, 1.42343711074968357734e+0},
    {1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
     6.89767334985100004550e-1, 1.67638483018380384940e+0, 2.05319162663775882187e+0, 1.0}};
constexpr Rational kFarTail{
    {2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
     2.96560571828504891230e-1, 1.78482653991729133580e+0, 5.46378491116411436990e+0, 6.65790464350110377720e+0},
    {2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
     1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1.0}};
} // namespace

Block philox(Block counter, Key key)
{
    for (int round = 0; round < kRounds; ++round) {
        const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
        const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
        counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
                   static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
        key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
    }
    return counter;
}

Stream::Stream(const StreamName& name)
    : m_input(name.input)
{
    NameHash hash;
    hash.add(name.runSeed);
    hash.add(name.kernel);
    hash.add(name.gate);
    hash.add(name.check);
    const std::uint64_t key = hash.finish();
    m_key = {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)};
}

void Stream::bits(std::uint64_t first, std::span<std::uint64_t> out) const
{
    // A block holds two elements: the even one in its first half.
    for (std::size_t i = 0; i < out.size();) {
        const std::uint64_t element = first + i;
        const std::uint64_t index = element / 2;
        const Block block
            = philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), m_input, 0}, m_key);
        if (element % 2 == 0)
            out[i++] = block[0] | (static_cast<std::uint64_t>(block[1]) << 32);
        if (i < out.size() && first + i == 2 * index + 1)
            out[i++] = block[2] | (static_cast<std::uint64_t>(block[3]) << 32);
    }
}

template <typename Convert> void Stream::forEachPiece(std::uint64_t first, std::span<double> out, Convert convert) const
{
    constexpr std::size_t kPiece = 256;
    std::array<std::uint64_t, kPiece> raw;
    for (std::size_t start = 0; start < out.size(); start += kPiece) {
        const std::size_t count = std::min(kPiece, out.size() - start);
        bits(first + start, std::span(raw).first(count));
        for (std::size_t i = 0; i < count; ++i)
            out[start + i] = convert(raw[i]);
    }
}

void Stream::uniform(std::uint64_t first, std::span<double> out) const
{
    forEachPiece(first, out, [](std::uint64_t raw) { return static_cast<double>(raw >> 11) * 0x1p-53; });
}

void Stream::normal(std::uint64_t first, std::span<double> out) const
{
    // The middle of each of 2^52 cells: exact in a double, never 0 and never 1, whose quantiles are infinite.
    forEachPiece(first, out,
                 [](std::uint64_t raw) { return normalQuantile(static_cast<double>(raw >> 12) * 0x1p-52 + 0x1p-53); });
}

double portableLog(double x)
{
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    int exponent = static_cast<int>(bits >> 52) - 1023;
    double mantissa = std::bit_cast<double>((bits & 0xFFFFFFFFFFFFF) | (std::uint64_t{1023} << 52));
    if (mantissa > 1.4142135623730951) {
        mantissa /= 2;
        ++exponent;
    }
    // ln m = 2 artanh z with z = (m - 1) / (m + 1), |z| < 0.1716: the series' terms fall by z^2 < 0.03.
    const double z = (mantissa - 1) / (mantissa + 1);
    const double square = z * z;
    double series = 0;
    for (int power = 23; power >= 3; power -= 2)
        series = (series + 1.0 / power) * square;
    // ln 2 in two parts, so that the large one times an exponent is exact.
    constexpr double kHigh = 0x1.62e42fee00000p-1;
    constexpr double kLow = 0x1.a39ef35793c76p-33;
    return exponent * kHigh + (2 * z + (2 * z * series + exponent * kLow));
}

double normalQuantile(double p)
{
    const double q = p - 0.5;
    if (std::fabs(q) <= 0.425)
        return q * kCentre(0.180625 - q * q);
    const double r = std::sqrt(-portableLog(q < 0 ? p : 1 - p)); // correctly rounded by IEEE 754 on every machine
    const double magnitude = r <= 5 ? kNearTail(r - 1.6) : kFarTail(r - 5);
    return q < 0 ? -magnitude : magnitude;
}

} // namespace assay::random
