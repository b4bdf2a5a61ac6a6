// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/source_hints.h"

#include "views/evidence/line_diff.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace assay::views {

namespace {

using std::string_view;

bool isWord(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

string_view trimmed(string_view text)
{
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0)
        text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
        text.remove_suffix(1);
    return text;
}

std::size_t indent(string_view line)
{
    return std::size_t(std::find_if(line.begin(), line.end(), [](char c) { return c != ' ' && c != '\t'; }) - line.begin());
}

/// Position of @p name where it stands as a whole name (a dot in front belongs to another name), or npos.
std::size_t findName(string_view text, string_view name, std::size_t from = 0)
{
    for (std::size_t at = text.find(name, from); at != string_view::npos; at = text.find(name, at + 1)) {
        const bool begins = at == 0 || !isWord(name.front()) || (!isWord(text[at - 1]) && text[at - 1] != '.');
        const std::size_t end = at + name.size();
        const bool ends = end >= text.size() || !isWord(name.back()) || !isWord(text[end]);
        if (begins && ends)
            return at;
    }
    return string_view::npos;
}

/// Blanks comments and doc strings line by line, so that offsets and lines stay. Strings that are assigned or passed on are
/// kept: inline CUDA lives in them.
class CommentBlanker {
public:
    void line(char* begin, char* end)
    {
        const string_view content = trimmed(string_view(begin, std::size_t(end - begin)));
        if (m_string == String::Doc) {
            if (content.find(m_quote) != string_view::npos)
                m_string = String::None;
            std::fill(begin, end, ' ');
            return;
        }
        if (m_string == String::Code && content.find(m_quote) != string_view::npos) {
            m_string = String::None;
        } else if (m_string == String::None) {
            open(content);
            if (m_string == String::Doc || content.starts_with(kDouble) || content.starts_with(kSingle)) {
                std::fill(begin, end, ' ');
                return;
            }
        }
        comments(begin, end);
    }

private:
    enum class String { None, Doc, Code };
    static constexpr string_view kDouble = "\"\"\"";
    static constexpr string_view kSingle = "'''";

    void open(string_view content)
    {
        for (const string_view quote : {kDouble, kSingle}) {
            const std::size_t first = content.find(quote);
            if (first == string_view::npos || content.find(quote, first + 3) != string_view::npos)
                continue;
            m_quote = quote;
            m_string = first == 0 ? String::Doc : String::Code;
            return;
        }
    }

    void comments(char* begin, char* end)
    {
        for (char* at = begin; at < end; ++at) {
            const string_view rest(at, std::size_t(end - at));
            const string_view before = trimmed(string_view(begin, std::size_t(at - begin)));
            if (m_block) {
                m_block = !rest.starts_with("*/");
                *at = ' ';
                if (!m_block && at + 1 < end)
                    *++at = ' ';
            } else if (rest.starts_with("/*")) {
                m_block = true;
                *at = ' ';
            } else if (rest.front() == '#' && !rest.starts_with("#include") && !rest.starts_with("#define")
                       && !rest.starts_with("#pragma")) {
                std::fill(at, end, ' ');
            } else if (rest.starts_with("//")
                       && (before.empty() || string_view(";{}").find(before.back()) != string_view::npos)) {
                // "//" between operands is Python's division.
                std::fill(at, end, ' ');
            }
        }
    }

    String m_string = String::None;
    string_view m_quote;
    bool m_block = false;
};

std::string withoutComments(string_view source)
{
    std::string text(source);
    CommentBlanker blanker;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        blanker.line(text.data() + start, text.data() + end);
        start = end + 1;
    }
    return text;
}

/// The text between the parenthesis at @p open and its partner, at most 4,000 characters.
string_view arguments(string_view text, std::size_t open)
{
    constexpr std::size_t kLongest = 4000;
    int depth = 0;
    const std::size_t last = std::min(text.size(), open + kLongest);
    for (std::size_t i = open; i < last; ++i) {
        if (text[i] == '(')
            ++depth;
        else if (text[i] == ')' && --depth == 0)
            return text.substr(open + 1, i - open - 1);
    }
    return text.substr(std::min(open + 1, text.size()), last - std::min(open + 1, last));
}

/// Arguments at the top level, trimmed.
std::vector<string_view> splitArguments(string_view text)
{
    std::vector<string_view> parts;
    int depth = 0;
    std::size_t from = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const char c = i < text.size() ? text[i] : ',';
        depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
        if (c == ',' && depth == 0) {
            parts.push_back(trimmed(text.substr(from, i - from)));
            from = i + 1;
        }
    }
    return parts;
}

/// One scan over a source.
class HintScan {
public:
    explicit HintScan(string_view source)
        : m_text(withoutComments(source))
        , m_lines(splitLines(m_text))
    {
        for (std::size_t i = 0; i < m_text.size(); ++i) {
            if (m_text[i] == '\n')
                m_breaks.push_back(i);
        }
    }

    std::vector<SourceHint> run()
    {
        collectMaxima();
        loadsWithZero();
        calls({"tl.maximum", "tl.minimum"}, {"propagate_nan"}, "nan-dropped",
              "without propagate_nan: the other operand wins over NaN, where the reference keeps NaN (EXC-01)");
        calls({"tl.dot"}, {"allow_tf32", "input_precision"}, "tf32",
              "without input_precision or allow_tf32: float32 operands are rounded to TF32 (ORD-01, PRC)");
        names({"tl.atomic_add", "atomicAdd", "tl.atomic_max", "tl.atomic_min", "red.global.add"}, "atomic",
              "the order of atomic updates changes from run to run (ORD-02)");
        names({"__expf", "__logf", "__log2f", "__sinf", "__cosf", "__powf", "__fdividef", "__frcp_rn", "use_fast_math",
               "tanh.approx", "ex2.approx", "rsqrt.approx", "tl.math.fast_expf", "tl.math.fast_dividef"},
              "fast-math", "a fast-math intrinsic trades accuracy and special values for speed (CMP-01, EXC-01)");
        comparisons();
        halfAccumulation();
        shapeLiterals();
        fallbacks();
        library();
        std::stable_sort(m_hints.begin(), m_hints.end(),
                         [](const SourceHint& a, const SourceHint& b) { return a.line < b.line; });
        return std::move(m_hints);
    }

private:
    struct Call {
        std::size_t offset = 0;
        string_view given;
    };

    int lineOf(std::size_t offset) const
    {
        return int(std::lower_bound(m_breaks.begin(), m_breaks.end(), offset) - m_breaks.begin());
    }

    void hint(int line, string_view rule, string_view reason)
    {
        if (m_seen.insert({line, std::string(rule)}).second)
            m_hints.push_back({line, std::string(rule), std::string(reason)});
    }

    void calls(std::initializer_list<string_view> callees, std::initializer_list<string_view> wanted, string_view rule,
               string_view why)
    {
        for (const string_view callee : callees) {
            for (std::size_t at = findName(m_text, callee); at != string_view::npos; at = findName(m_text, callee, at + 1)) {
                const std::size_t open = at + callee.size();
                if (open >= m_text.size() || m_text[open] != '(')
                    continue;
                const string_view given = arguments(m_text, open);
                const bool said = std::any_of(wanted.begin(), wanted.end(),
                                              [&](string_view w) { return given.find(w) != string_view::npos; });
                if (!said)
                    hint(lineOf(at), rule, std::string(callee) + ' ' + std::string(why));
            }
        }
    }

    void names(std::initializer_list<string_view> wanted, string_view rule, string_view why)
    {
        for (const string_view name : wanted) {
            for (std::size_t at = findName(m_text, name); at != string_view::npos; at = findName(m_text, name, at + 1))
                hint(lineOf(at), rule, std::string(name) + ": " + std::string(why));
        }
    }

    /// x = tl.load(..., other=0) where x then meets a maximum: lanes past the end take part with a zero.
    void loadsWithZero()
    {
        constexpr string_view kLoad = "tl.load";
        for (std::size_t at = findName(m_text, kLoad); at != string_view::npos; at = findName(m_text, kLoad, at + 1)) {
            const std::size_t open = at + kLoad.size();
            if (open >= m_text.size() || m_text[open] != '(')
                continue;
            std::string given(arguments(m_text, open));
            std::erase_if(given, [](char c) { return c == ' ' || c == '\n'; });
            const std::size_t other = given.find("other=0");
            if (other == std::string::npos || given.compare(other, 8, "other=0x") == 0)
                continue;
            const string_view line = m_lines[std::size_t(lineOf(at))];
            const std::size_t equals = line.find('=');
            const string_view target = equals == string_view::npos ? string_view() : trimmed(line.substr(0, equals));
            if (target.empty() || !std::all_of(target.begin(), target.end(), isWord) || !meetsMaximum(target, at))
                continue;
            hint(lineOf(at), "load-other-zero",
                 "other=0 feeds a maximum: lanes past the end take part with 0, wrong where all values are negative (CMP-01, "
                 "CMP-03)");
        }
    }

    /// Calls that take a maximum, in order of place, with what they are given.
    void collectMaxima()
    {
        for (const string_view reducer : {"tl.max", "tl.maximum", "tl.argmax"}) {
            for (std::size_t at = findName(m_text, reducer); at != string_view::npos; at = findName(m_text, reducer, at + 1)) {
                const std::size_t open = at + reducer.size();
                if (open < m_text.size() && m_text[open] == '(')
                    m_maxima.push_back({at, arguments(m_text, open)});
            }
        }
        std::sort(m_maxima.begin(), m_maxima.end(), [](const Call& a, const Call& b) { return a.offset < b.offset; });
    }

    bool meetsMaximum(string_view name, std::size_t from) const
    {
        // A value is used near where it is loaded; looking at every later call would make long sources slow.
        constexpr std::ptrdiff_t kNear = 64;
        const auto first = std::upper_bound(m_maxima.begin(), m_maxima.end(), from,
                                            [](std::size_t offset, const Call& call) { return offset < call.offset; });
        const auto last = first + std::min(kNear, m_maxima.end() - first);
        return std::any_of(first, last, [name](const Call& call) { return findName(call.given, name) != string_view::npos; });
    }

    /// tl.where(x > 0, x, 0): the compared value is also the result, and NaN compares false.
    void comparisons()
    {
        constexpr string_view kWhere = "tl.where";
        for (std::size_t at = findName(m_text, kWhere); at != string_view::npos; at = findName(m_text, kWhere, at + 1)) {
            const std::size_t open = at + kWhere.size();
            if (open >= m_text.size() || m_text[open] != '(')
                continue;
            const std::vector<string_view> given = splitArguments(arguments(m_text, open));
            const std::size_t sign = given.size() == 3 ? given[0].find_first_of("<>") : string_view::npos;
            if (sign == string_view::npos)
                continue;
            const string_view left = trimmed(given[0].substr(0, sign));
            if (left == given[1] || left == given[2])
                hint(lineOf(at), "nan-compared", "a comparison with NaN is false: NaN takes the other branch here (EXC-01)");
        }
    }

    void halfAccumulation()
    {
        constexpr string_view kReason = ": sums in half precision lose what float32 would keep (PRC-02)";
        for (const string_view name : {".half()", ".bfloat16()"}) {
            for (std::size_t at = m_text.find(name); at != std::string::npos; at = m_text.find(name, at + 1))
                hint(lineOf(at), "half-precision", std::string(name) + ": the value is rounded to half precision here (PRC-01)");
        }
        for (const string_view maker : {"tl.zeros", "tl.full", "torch.zeros", "torch.empty"}) {
            for (std::size_t at = findName(m_text, maker); at != string_view::npos; at = findName(m_text, maker, at + 1)) {
                const std::size_t open = at + maker.size();
                if (open >= m_text.size() || m_text[open] != '(')
                    continue;
                const string_view given = arguments(m_text, open);
                if (maker.starts_with("tl.") && (given.find("float16") != string_view::npos))
                    hint(lineOf(at), "half-accumulator", std::string(maker) + " in float16" + std::string(kReason));
            }
        }
    }

    /// x.shape[1] == 128: a size that other inputs do not have.
    void shapeLiterals()
    {
        for (std::size_t i = 0; i < m_lines.size(); ++i) {
            const string_view line = m_lines[i];
            if (line.find(".shape") == string_view::npos && line.find(".size(") == string_view::npos
                && line.find(".numel()") == string_view::npos)
                continue;
            for (const string_view comparison : {"==", "!=", "<=", ">="}) {
                std::size_t at = line.find(comparison);
                if (at == string_view::npos)
                    continue;
                string_view right = trimmed(line.substr(at + 2));
                while (!right.empty() && (right.front() == '(' || right.front() == '['))
                    right = trimmed(right.substr(1));
                const auto digits = std::size_t(
                    std::find_if(right.begin(), right.end(), [](char c) { return c < '0' || c > '9'; }) - right.begin());
                if (digits >= 2)
                    hint(int(i), "hard-coded-size",
                         "a size is written into the code: other shapes may be refused or computed wrongly (CMP-03)");
            }
        }
    }

    void fallbacks()
    {
        for (std::size_t i = 0; i < m_lines.size(); ++i) {
            const string_view line = trimmed(m_lines[i]);
            if (line.starts_with("except") && (line.size() == 6 || !isWord(line[6])))
                hint(int(i), "fallback", "an exception is caught here: what produced the output may not be the kernel");
        }
    }

    /// Library calls inside forward(): the kernel may do little of the work.
    void library()
    {
        constexpr std::array kOps
            = {"torch.matmul",  "torch.mm",     "torch.bmm",     "torch.einsum", "torch.addmm",
               "torch.softmax", "torch.cumsum", "torch.cumprod", "torch.sum",    "torch.mean",
               "torch.max",     "torch.norm",   "torch.conv2d",  "torch.var",    "F.softmax",
               "F.linear",      "F.conv1d",     "F.conv2d",      "F.conv3d",     "F.layer_norm",
               "F.batch_norm",  "F.group_norm", "F.max_pool2d",  "F.avg_pool2d", "F.scaled_dot_product_attention",
               "F.gelu",        "F.relu"};
        std::size_t inside = string_view::npos;
        for (std::size_t i = 0; i < m_lines.size(); ++i) {
            const string_view line = m_lines[i];
            const string_view content = trimmed(line);
            if (content.empty())
                continue;
            if (inside != string_view::npos && indent(line) <= inside)
                inside = string_view::npos;
            if (content.starts_with("def forward("))
                inside = indent(line);
            else if (inside != string_view::npos) {
                for (const string_view op : kOps) {
                    const std::size_t at = findName(line, op);
                    if (at != string_view::npos && at + op.size() < line.size() && line[at + op.size()] == '(')
                        hint(int(i), "library-call",
                             std::string(op) + " does part of the work in the library, not in the kernel");
                }
            }
        }
    }

    std::string m_text;
    std::vector<string_view> m_lines;
    std::vector<std::size_t> m_breaks;
    std::vector<Call> m_maxima;
    std::set<std::pair<int, std::string>> m_seen;
    std::vector<SourceHint> m_hints;
};

} // namespace

std::vector<SourceHint> sourceHints(std::string_view source)
{
    return HintScan(source).run();
}

} // namespace assay::views
