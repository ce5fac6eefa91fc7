// SPDX-License-Identifier: MIT
// What tasks carry to each other is in their log, and a run that is taken up carries the same.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/simulated_workers.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/schedule/round_robin.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/tune/tune_tasks.hpp"

namespace tk = tunekit;

namespace {

/// Three tasks whose best is their first: tiles of 10, 20, ...; of 20, 40, ...; of 30, 60, ...
std::vector<tk::task> tiles()
{
    std::vector<tk::task> out;
    for (std::int64_t k = 1; k <= 3; ++k) {
        std::vector<std::int64_t> values;
        for (std::int64_t i = 1; i <= 200; ++i) values.push_back(10 * k * i);
        out.emplace_back("task" + std::to_string(k), tk::space::value_product({{"tile", values}}, {}), 1.0);
    }
    return out;
}

const tk::recipe how{
    tk::search::random{},        tk::measure::fixed{},     tk::candidate_limits{}, std::size_t{1}, 20.0,
    tk::schedule::round_robin{}, tk::carrying{.one_in = 3}};

std::size_t carried_in(const tk::plan& p)
{
    std::size_t out = 0;
    for (const tk::plan::task_result& t : p.tasks)
        out += static_cast<std::size_t>(std::count_if(t.record.trials().begin(), t.record.trials().end(),
                                                      [](const auto& one) { return one.carried; }));
    return out;
}

}  // namespace

TEST_CASE("carried jobs are marked in the log, and a run that is taken up goes on as one that was never interrupted")
{
    const support::temporary_folder folder;
    const auto tasks = tiles();
    const auto run_in = [&](const std::string& path, bool resume) {
        tk::random::philox gen(4);
        return tk::io::logged(path, tk::tasks_tuner(tasks, how, {.trials_per_task = 60, .slot_seconds = 3}, 1, gen),
                              {.strategy = "random, carried", .seed = 4, .resume = resume});
    };
    const auto go = [&](auto& run, std::size_t most) {
        while (most-- > 0) {
            const auto j = run.ask();
            if (!j) break;
            run.tell(*j, {.cost = 1.0 + static_cast<double>(j->candidate), .runs = 1}, run.stamp() + 1);
        }
    };
    auto whole = run_in(folder / "whole", false);
    go(whole, 1000);
    {
        auto half = run_in(folder / "half", false);
        go(half, 100);
    }
    auto rest = run_in(folder / "half", true);
    CHECK(rest.replayed() == 100);
    go(rest, 1000);
    for (std::size_t k = 0; k < tasks.size(); ++k)
        CHECK(whole.record().tasks[k].record.trials() == rest.record().tasks[k].record.trials());
    const std::size_t carried = carried_in(whole.record());
    CHECK(carried > 2);
    const std::string text = tk::io::read_text(folder / "half");
    std::size_t marked = 0;
    for (std::size_t at = 0; (at = text.find("\"carried\":1", at)) != std::string::npos; ++at) ++marked;
    CHECK(marked == carried);
}

TEST_CASE("a carried run over workers and builders: its log's events give its proposals, and half of a log goes on")
{
    const auto tasks = tiles();
    std::vector<tk::measure::recorded_row> rows(200);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].result = {
            .cost = 1.0 + static_cast<double>(i), .runs = 1, .build_seconds = 1.0 + 0.1 * static_cast<double>(i % 7)};
        rows[i].seconds = rows[i].result.build_seconds + 0.5 + 0.1 * static_cast<double>(i % 5);
    }
    for (const support::simulated_options& lanes : std::vector<support::simulated_options>{
             {.workers = 4}, {.workers = 2, .builders = 3}, {.workers = 1, .builders = 8, .queued = 2}}) {
        CAPTURE(lanes.workers);
        const support::temporary_folder folder;
        const std::vector tables(3, tk::measure::recorded_rows(rows));
        const std::size_t out = support::simulated_workers(tables, lanes).room();
        const auto run_in = [&](const std::string& path, bool resume) {
            tk::random::philox gen(4);
            return tk::io::logged(path,
                                  tk::tasks_tuner(tasks, how, {.trials_per_task = 60, .slot_seconds = 9}, out, gen),
                                  {.strategy = "random, carried", .seed = 4, .resume = resume});
        };
        const auto go = [&](auto& run) {
            support::simulated_workers pool(tables, lanes);
            tk::tune_tasks(run, pool);
        };
        tk::plan first;
        {
            auto run = run_in(folder / "whole", false);
            go(run);
            first = run.record();
        }
        CHECK(carried_in(first) > 4);
        const std::string text = tk::io::read_text(folder / "whole");
        {
            const auto again = run_in(folder / "whole", true);  // asks what was asked, or it is refused
            CHECK(again.replayed() == 180);
            for (std::size_t k = 0; k < tasks.size(); ++k)
                CHECK(again.record().tasks[k].record.trials() == first.tasks[k].record.trials());
        }
        tk::io::write_text(folder / "half", text.substr(0, text.find('\n', text.size() / 2) + 1));
        auto rest = run_in(folder / "half", true);
        const std::size_t before = rest.replayed();
        CHECK((before > 60 && before < 120));
        const std::size_t carried = carried_in(rest.record());
        CHECK(carried > 0);
        go(rest);
        for (const tk::plan::task_result& t : rest.record().tasks) CHECK(t.record.trials().size() == 60);
        CHECK(carried_in(rest.record()) > carried);
        for (std::size_t k = 0; k < tasks.size(); ++k) {  // what was in the log is what it was
            const auto& a = rest.record().tasks[k].record.trials();
            const auto& b = first.tasks[k].record.trials();
            for (std::size_t i = 0; i < before / 4; ++i) CHECK(a[i] == b[i]);
        }
    }
}
