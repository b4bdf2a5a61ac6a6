// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate.h"

#include <QString>

#include <optional>

namespace assay::views {

/// A place in a database that a person can send to another: `workbench:///path?place=kernels&kernel=179&gate=EXC-01&filter=..`.
struct DeepLink {
    QString database; ///< absolute path
    QString place;    ///< as in Selection::Spot; "" : not said
    QString audit;    ///< corpus/audit; "" : the newest
    QString kernel;   ///< external id; "" : none
    std::optional<contract::Gate> gate;
    QString filter;
    bool operator==(const DeepLink&) const = default;
};

QString toText(const DeepLink& link);

/// @return nothing when @p text is no such link or names a gate that does not exist
std::optional<DeepLink> parseDeepLink(const QString& text);

} // namespace assay::views
