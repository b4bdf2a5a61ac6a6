// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate_strip.h"
#include "core/store/triage.h"
#include "kernels/tensor/measured.h"

#include <QString>

#include <optional>
#include <string_view>

/// How the kernel list says things: numbers, outcomes, gates.
namespace assay::views::words {

QString fromUtf8(std::string_view text);

/// An error as every row of the list writes it, so that a column of them aligns: "1.12e+22", "8.01e-05", "0";
/// classes as words ("NaN", "Inf", "-Inf"); "" where nothing was measured.
QString errorText(const tensor::Measured& value);

/// "0.84x"; "" where nothing is claimed.
QString speedupText(const std::optional<double>& value);
/// Seconds with one decimal; "" where not recorded.
QString secondsText(const std::optional<double>& value);
/// "1,043": grouped by thousands whatever the locale, as in the figures of the reports.
QString countText(std::int64_t count);

/// The cell that stands for a row's outcome ("not_judged" and unknown names: Absent).
contract::StripCell cellFromName(std::string_view name);

/// An outcome for a narrow column ("fail, hard").
QString outcomeWord(std::string_view outcome);

/// "nan_mask" as a person writes it: "NaN mask".
QString reasonWords(std::string_view reasonCode);

QString gateId(contract::Gate gate);

/// The row in one sentence, for tool tips and screen readers.
QString rowSentence(const store::TriageRow& row);

/// "EXC-01, CMP-01": the gates that fail, in strip order; "" for none.
QString failingGates(contract::GateStrip strip);

} // namespace assay::views::words
