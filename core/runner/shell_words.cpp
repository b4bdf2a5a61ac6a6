// SPDX-License-Identifier: Apache-2.0
#include "core/runner/shell_words.h"

#include "core/text/error.h"

#include <fmt/format.h>

#include <optional>

namespace assay::runner {

std::vector<std::string> shellWords(std::string_view text)
{
    std::vector<std::string> words;
    std::optional<std::string> word;
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool blank = c == ' ' || c == '\t' || c == '\n';
        if (quote == 0 && blank) {
            if (word)
                words.push_back(std::move(*word));
            word.reset();
            continue;
        }
        if (!word)
            word.emplace();
        if (quote != 0 && c == quote)
            quote = 0;
        else if (quote == 0 && (c == '\'' || c == '"'))
            quote = c;
        else if (c == '\\' && quote != '\'' && i + 1 < text.size())
            *word += text[++i];
        else
            *word += c;
    }
    if (quote != 0)
        throw Error(fmt::format("a {} is not closed", quote), std::string(text), "Close the quote");
    if (word)
        words.push_back(std::move(*word));
    return words;
}

} // namespace assay::runner
