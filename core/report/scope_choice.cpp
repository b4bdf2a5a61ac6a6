// SPDX-License-Identifier: Apache-2.0
#include "core/report/report.h"
#include "core/store/triage.h"

#include <algorithm>

namespace assay::report {

namespace {

std::string displayName(const store::Scope& scope)
{
    return scope.auditName.empty() ? scope.corpusName + " (no audit)" : scope.corpusName + "/" + scope.auditName;
}

std::string listed(const std::vector<store::Scope>& scopes)
{
    constexpr std::size_t kListed = 12;
    std::string text;
    for (std::size_t i = 0; i < std::min(scopes.size(), kListed); ++i)
        text += (text.empty() ? "" : ", ") + displayName(scopes[i]);
    if (scopes.size() > kListed)
        text += " and " + std::to_string(scopes.size() - kListed) + " more";
    return text;
}

/// Newest first: audits in the order they were made, then corpora that no audit judged.
bool isNewer(const store::Scope& a, const store::Scope& b)
{
    if (a.auditId.has_value() != b.auditId.has_value())
        return a.auditId.has_value();
    return a.auditId ? *a.auditId > *b.auditId : a.corpusId > b.corpusId;
}

} // namespace

std::int64_t resolveScope(store::Database& database, const std::string& corpusName, const std::string& auditName)
{
    const std::vector<store::Scope> all = store::scopes(database);
    const std::string path = database.path().string();
    if (all.empty())
        throw Error("nothing is imported", path, "Import something first: assay import FILE --db " + path);

    std::vector<store::Scope> matching;
    for (const store::Scope& scope : all) {
        const bool corpusFits = corpusName.empty() || scope.corpusName == corpusName;
        const bool auditFits = auditName.empty() || scope.auditName == auditName || displayName(scope) == auditName;
        if (corpusFits && auditFits)
            matching.push_back(scope);
    }
    if (matching.empty()) {
        const std::string what = auditName.empty() ? "no corpus is called \"" + corpusName + "\""
            : corpusName.empty()                   ? "no audit is called \"" + auditName + "\""
                                                   : "corpus \"" + corpusName + "\" has no audit \"" + auditName + "\"";
        throw Error(what, path, "There are " + listed(all));
    }
    return std::min_element(matching.begin(), matching.end(), isNewer)->id;
}

} // namespace assay::report
