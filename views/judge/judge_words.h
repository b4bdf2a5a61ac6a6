// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runner/campaign.h"

#include <QString>

/// How a campaign is told: in the job bar while it runs, in one message at its end.
namespace assay::views::judge_words {

/// "12 of 70 · 9 fail · 310 per hour · 11 min left"
QString progress(const runner::CampaignProgress& progress);

/// "Judged 70 kernels: 61 pass, 9 fail, in 12 min; 2 have no sources."
QString ending(const runner::CampaignResult& result);

} // namespace assay::views::judge_words
