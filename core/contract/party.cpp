// SPDX-License-Identifier: Apache-2.0
#include "core/contract/party.h"

namespace assay::contract {

std::string PartyFailure::oneLine() const
{
    const std::string head = message.substr(0, message.find('\n'));
    if (type.empty())
        return head;
    return head.empty() ? type : type + ": " + head;
}

} // namespace assay::contract
