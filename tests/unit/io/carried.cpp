// SPDX-License-Identifier: MIT
// What tasks carry to each other is in their log, and a run that is taken up carries the same.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tunekit/io/logged.hpp"
#include "tunekit/io/text.hpp"
#include "tunekit/schedule/round_robin.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/dynamic_product.hpp"

namespace tk = tunekit;

TEST_CASE("carried jobs are marked in the log, and a run that is taken up goes on as one that was never interrupted")
{
    const support::temporary_folder folder;
    std::vector<tk::task> tasks;
    for (std::int64_t k = 1; k <= 3; ++k) {  // tiles of 10, 20, ...; of 20, 40, ...; of 30, 60, ...
        std::vector<std::int64_t> tiles;
        for (std::int64_t i = 1; i <= 200; ++i) tiles.push_back(10 * k * i);
        tasks.emplace_back("task" + std::to_string(k), tk::space::dynamic_product({{"tile", tiles}}, {}), 1.0);
    }
    const tk::recipe how{
        tk::search::random{},        tk::measure::fixed{},     tk::candidate_limits{}, std::size_t{1}, 20.0,
        tk::schedule::round_robin{}, tk::carrying{.one_in = 3}};
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
    std::size_t carried = 0;
    for (std::size_t k = 0; k < tasks.size(); ++k) {
        const auto& a = whole.record().tasks[k].record.trials();
        CHECK(a == rest.record().tasks[k].record.trials());
        carried += static_cast<std::size_t>(std::count_if(a.begin(), a.end(), [](const auto& t) { return t.carried; }));
    }
    CHECK(carried > 2);
    const std::string text = tk::io::read_text(folder / "half");
    std::size_t marked = 0;
    for (std::size_t at = 0; (at = text.find("\"carried\":1", at)) != std::string::npos; ++at) ++marked;
    CHECK(marked == carried);
}
