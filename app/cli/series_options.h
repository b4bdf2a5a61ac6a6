// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/run_options.h"
#include "app/cli/verb.h"
#include "core/runner/judge_series.h"

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace assay::cli {

/// The options of verbs that judge the kernels which come with the program.
struct SeriesChoice : RunChoice {
    std::vector<std::string> only;
    int jobs = 1; ///< workers at a time

    /// @param names  what --only takes, for its help: "ids or numbers"
    void declare(CLI::App& app, const std::string& names);

    /// Judges whatever @p names names and returns a row for each, in that order. Rows are printed as they come, unless JSON is
    /// wanted.
    /// @throws NotJudged  where the machine cannot judge; Cancelled
    template <typename Row>
    std::vector<Row> judgeAll(const std::vector<std::string>& names, Invocation& invocation,
                              const std::function<Row(std::size_t index, runner::JudgeSeries& series)>& judge,
                              const std::function<std::string(const Row& row)>& text) const
    {
        std::vector<Row> rows(names.size());
        std::size_t done = 0;
        std::mutex mutex;
        try {
            runner::judgeEach(names.size(), jobs, worker.options(), invocation.stop,
                              [&](runner::JudgeSeries& series, std::size_t index) {
                                  {
                                      const std::lock_guard lock(mutex);
                                      showStep(invocation, done + 1, names.size(), names[index]);
                                  }
                                  Row row = judge(index, series);
                                  const std::lock_guard lock(mutex);
                                  ++done;
                                  if (!invocation.json)
                                      printRow(invocation, text(row));
                                  rows[index] = std::move(row);
                              });
        } catch (const Error& error) {
            throw NotJudged(error.problem(), error.where(), error.remedy());
        }
        return rows;
    }

private:
    static void showStep(Invocation& invocation, std::size_t number, std::size_t count, const std::string& name);
    static void printRow(Invocation& invocation, const std::string& text);
};

} // namespace assay::cli
