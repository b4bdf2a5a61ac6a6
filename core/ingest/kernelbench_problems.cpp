// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/kernelbench_problems.h"

#include <algorithm>

namespace assay::ingest {

namespace {

std::string_view baseName(std::string_view path)
{
    return path.substr(path.find_last_of('/') + 1);
}

/// "19_ReLU.py" -> "ReLU"
std::string_view withoutNumber(std::string_view name)
{
    if (name.ends_with(".py"))
        name.remove_suffix(3);
    const std::size_t letter = name.find_first_not_of("0123456789");
    if (letter != std::string_view::npos && letter > 0 && name[letter] == '_')
        name.remove_prefix(letter + 1);
    return name;
}

} // namespace

ProblemSet ProblemSet::under(const ImportRoot& root, std::string_view folder)
{
    ProblemSet set;
    std::vector<std::string> problems;
    for (const auto& file : root.files(folder, problems)) {
        const std::string path = file.generic_string();
        const std::string_view name = baseName(path);
        const std::string parent = file.parent_path().filename().string();
        if (!name.ends_with(".py") || !parent.starts_with("level") || name.find_first_not_of("0123456789") == 0)
            continue;
        const ProblemKey key = problemKeyOf(parent + '/' + std::string(name));
        RootedText text = root.readText(file);
        if (key.level == 0 || key.problem == 0 || !text.bytes || set.m_byKey.contains(key))
            continue;
        const std::string_view plain = withoutNumber(name);
        if (const auto known = set.m_byName.find(plain); known != set.m_byName.end())
            known->second.problem = 0;
        else
            set.m_byName.emplace(plain, key);
        set.m_byKey.emplace(key, Problem{std::string(name.substr(0, name.size() - 3)), std::move(*text.bytes)});
    }
    return set;
}

const Problem* ProblemSet::find(ProblemKey key) const
{
    const auto known = m_byKey.find(key);
    return known == m_byKey.end() ? nullptr : &known->second;
}

const Problem* ProblemSet::findByName(std::string_view name) const
{
    const auto known = m_byName.find(withoutNumber(baseName(name)));
    return known == m_byName.end() || known->second.problem == 0 ? nullptr : find(known->second);
}

const Problem* ProblemSet::findByPath(std::string_view path) const
{
    const Problem* problem = find(problemKeyOf(path));
    // A level folder of another suite may hold other problems under the same numbers: the name must agree too.
    if (problem != nullptr && withoutNumber(problem->name) == withoutNumber(baseName(path)))
        return problem;
    return findByName(path);
}

} // namespace assay::ingest
