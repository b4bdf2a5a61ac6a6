// SPDX-License-Identifier: Apache-2.0
#include "core/tensorfile/npy_header.h"

#include <limits>
#include <optional>
#include <stdexcept>

namespace assay::tensorfile {

namespace {

constexpr std::size_t kMostDimensions = 64; // of numpy 2

/// Why a header is none; never leaves this file.
class Unreadable : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Walks over the few Python literals that a header is made of.
class Literal {
public:
    explicit Literal(std::string_view text)
        : m_text(text)
    {
    }

    void expect(char wanted)
    {
        if (!accept(wanted))
            throw Unreadable(std::string("expected \"") + wanted + "\"" + place());
    }

    bool accept(char wanted)
    {
        skipSpace();
        if (m_at >= m_text.size() || m_text[m_at] != wanted)
            return false;
        ++m_at;
        return true;
    }

    std::string string()
    {
        skipSpace();
        const char quote = m_at < m_text.size() ? m_text[m_at] : '\0';
        if (quote != '\'' && quote != '"')
            throw Unreadable("expected a text" + place());
        const std::size_t end = m_text.find(quote, m_at + 1);
        if (end == std::string_view::npos)
            throw Unreadable("a text has no end" + place());
        const std::string_view found = m_text.substr(m_at + 1, end - m_at - 1);
        if (found.find_first_of("\\\n") != std::string_view::npos)
            throw Unreadable("a text with escapes" + place());
        m_at = end + 1;
        return std::string(found);
    }

    bool boolean()
    {
        skipSpace();
        for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
            if (m_text.substr(m_at).starts_with(word)) {
                m_at += word.size();
                return value;
            }
        }
        throw Unreadable("expected True or False" + place());
    }

    std::int64_t integer()
    {
        skipSpace();
        if (m_at >= m_text.size() || !isDigit(m_text[m_at]))
            throw Unreadable("a size that is no whole number" + place());
        std::int64_t value = 0;
        for (; m_at < m_text.size() && isDigit(m_text[m_at]); ++m_at) {
            if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, m_text[m_at] - '0', &value))
                throw Unreadable("a size beyond 64 bits" + place());
        }
        // Python 2 wrote sizes as 3L.
        if (m_at < m_text.size() && m_text[m_at] == 'L')
            ++m_at;
        return value;
    }

    std::vector<std::int64_t> tuple()
    {
        std::vector<std::int64_t> sizes;
        expect('(');
        while (!accept(')')) {
            sizes.push_back(integer());
            if (sizes.size() > kMostDimensions)
                throw Unreadable("more than 64 dimensions");
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return sizes;
    }

    void expectEnd()
    {
        skipSpace();
        if (m_at != m_text.size())
            throw Unreadable("text behind the dictionary" + place());
    }

    bool isAt(char wanted)
    {
        skipSpace();
        return m_at < m_text.size() && m_text[m_at] == wanted;
    }

private:
    static bool isDigit(char c) { return c >= '0' && c <= '9'; }
    void skipSpace()
    {
        while (m_at < m_text.size()
               && (m_text[m_at] == ' ' || m_text[m_at] == '\n' || m_text[m_at] == '\t' || m_text[m_at] == '\r'))
            ++m_at;
    }
    std::string place() const { return " at byte " + std::to_string(m_at) + " of the header"; }

    std::string_view m_text;
    std::size_t m_at = 0;
};

NpyHeader parse(std::string_view text)
{
    std::optional<std::string> descriptor;
    std::optional<bool> isFortranOrder;
    std::optional<std::vector<std::int64_t>> shape;
    Literal literal(text);
    literal.expect('{');
    while (!literal.accept('}')) {
        const std::string key = literal.string();
        literal.expect(':');
        if (key == "descr" && !descriptor) {
            if (literal.isAt('[') || literal.isAt('('))
                throw Unreadable("its elements are records, not numbers");
            descriptor = literal.string();
        } else if (key == "fortran_order" && !isFortranOrder) {
            isFortranOrder = literal.boolean();
        } else if (key == "shape" && !shape) {
            shape = literal.tuple();
        } else {
            throw Unreadable("an entry that does not belong there or is there twice");
        }
        if (!literal.accept(',')) {
            literal.expect('}');
            break;
        }
    }
    literal.expectEnd();
    if (!descriptor || !isFortranOrder || !shape)
        throw Unreadable("descr, fortran_order or shape is missing");
    return {std::move(*descriptor), *isFortranOrder, std::move(*shape), {}};
}

} // namespace

NpyHeader parseNpyHeader(std::string_view text)
{
    try {
        return parse(text);
    } catch (const Unreadable& problem) {
        NpyHeader header;
        header.problem = problem.what();
        return header;
    }
}

} // namespace assay::tensorfile
