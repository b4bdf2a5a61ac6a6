// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/accuracy.h"

#include "kernels/gdn/head.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::gdn {

namespace {

using Numbers = std::vector<double>;

constexpr double kNarrow = 8e-3;        // twice the errors of emulations at lengths up to 2048
constexpr double kNarrowErase = 1.5e-2; // the same of db, which subtracts
constexpr double kEmulationFactor = 2;

double quotient(double error, double allowed)
{
    if (allowed > 0 || std::isnan(error) || std::isnan(allowed))
        return error / allowed;
    return error > 0 ? std::numeric_limits<double>::infinity() : 0;
}

/// Sums of squares of one channel of a head.
struct Squares {
    double error = 0, reference = 0, terms = 0;
};

/// Of every channel of every head, heads first.
std::vector<Squares> channelSquares(const Problem& problem, const Outputs& truth, const tensor::HostTensor& dg)
{
    const Shape shape = shapeOf(problem);
    const auto keys = static_cast<std::size_t>(shape.keys);
    const Numbers dq = truth.backward.dq.toDoubles(), dk = truth.backward.dk.toDoubles(), db = truth.backward.db.toDoubles();
    const Numbers wanted = truth.backward.dg.toDoubles(), got = dg.toDoubles();
    std::vector<Squares> channels(static_cast<std::size_t>(shape.heads) * keys);
    Numbers q(keys), k(keys), b(keys);
    for (std::int64_t part = 0; part < shape.batch * shape.heads; ++part) {
        const std::int64_t row = part / shape.heads, head = part % shape.heads;
        const HeadInputs inputs = headOf(problem, {row, 0, shape.tokens}, row, head);
        Squares* const channel = channels.data() + static_cast<std::size_t>(head) * keys;
        for (std::int64_t token = 0; token < shape.tokens; ++token) {
            inputs.q.read(token, 1, q.data());
            inputs.k.read(token, 1, k.data());
            inputs.b.read(token, 1, b.data());
            const auto at = static_cast<std::size_t>((row * shape.tokens + token) * shape.heads + head) * keys;
            for (std::size_t i = 0; i < keys; ++i) {
                const double error = got[at + i] - wanted[at + i];
                const double terms
                    = std::fabs(q[i] * dq[at + i]) + 2 * std::fabs(b[i] * db[at + i]) + std::fabs(k[i] * dk[at + i]);
                channel[i].error += error * error;
                channel[i].reference += wanted[at + i] * wanted[at + i];
                channel[i].terms += terms * terms;
            }
        }
    }
    return channels;
}

} // namespace

std::array<NamedOutput, 9> outputsOf(const Outputs& outputs)
{
    const BackwardResult& back = outputs.backward;
    return {{{"o", &outputs.forward.o},
             {"dq", &back.dq},
             {"dk", &back.dk},
             {"dv", &back.dv},
             {"db", &back.db},
             {"dw", &back.dw},
             {"dg", &back.dg},
             {"dS0", &back.initialStateGrad},
             {"ST", &outputs.forward.finalState}}};
}

double rmsRatio(const tensor::HostTensor& reference, const tensor::HostTensor& found)
{
    const Numbers wanted = reference.toDoubles(), got = found.toDoubles();
    double errors = 0, squares = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        errors += (got[i] - wanted[i]) * (got[i] - wanted[i]);
        squares += wanted[i] * wanted[i];
    }
    return quotient(std::sqrt(errors), std::sqrt(squares));
}

DecayError decayError(const Problem& problem, const Outputs& truth, const tensor::HostTensor& dg, const DecayBound& bound)
{
    Squares all;
    DecayError result;
    for (const Squares& channel : channelSquares(problem, truth, dg)) {
        all.error += channel.error;
        all.reference += channel.reference;
        all.terms += channel.terms;
        const double allowed = bound.relative * std::sqrt(channel.reference) + 4 * bound.roundoff * std::sqrt(channel.terms);
        const double share = quotient(std::sqrt(channel.error), allowed);
        if (!std::isnan(result.worstChannel) && !(share <= result.worstChannel)) // a NaN is the worst and stays
            result.worstChannel = share;
    }
    result.error = quotient(std::sqrt(all.error), std::sqrt(all.reference));
    result.cancellation = quotient(4 * bound.roundoff * std::sqrt(all.terms), std::sqrt(all.reference));
    return result;
}

double narrowTolerance(std::string_view name, double emulationError)
{
    return std::max(name == "db" ? kNarrowErase : kNarrow, kEmulationFactor * emulationError);
}

} // namespace assay::gdn
