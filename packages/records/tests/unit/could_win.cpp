// SPDX-License-Identifier: MIT
// What a configuration may take is decided when its run begins, and what is fast and wrong never wins, whatever carries the run.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/in_batches.hpp"
#include "tests/support/one_worker.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/in_process.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/processes/isolated.hpp"
#include "tunekit/processes/isolated_workers.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/records/read_log.hpp"
#include "tunekit/schedule/sequential.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune.hpp"
#include "tunekit/tune/tune_tasks.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using support::in_batches;

namespace {

const auto eight = tk::space::product{tk::space::integers<"x">(0, 7)};

/// Seconds of each configuration, in the order in which `grid` tries them. The two fastest are wrong.
constexpr double seconds[] = {8e-3, 1e-3, 9e-3, 4e-3, 7e-3, 2e-3, 3e-3, 20e-3};
constexpr bool wrong[] = {false, true, false, false, false, true, false, false};

/// A kernel that reports its seconds, with a check that counts.
auto kernel(int& checks)
{
    const auto at = [](const auto& c) { return static_cast<std::size_t>(tk::get<"x">(c)); };
    return measure::timed{[at](const auto& c) { return seconds[at(c)]; }, measure::fixed{.runs = 20, .batch = 1},
                          [at, &checks](const auto& c) { return ++checks, !wrong[at(c)]; }};
}

/// The best of those that are right won; who was slower than the best before it was cut short, and was not checked.
void judge(const tk::tuning& found, bool one_at_a_time = true)
{
    REQUIRE(found.trials().size() == 8);
    CHECK(found.incumbent().candidate == 6);
    double best = tk::forever;
    for (const measure::trial& t : found.trials()) {
        const auto i = static_cast<std::size_t>(t.candidate);
        CAPTURE(i);
        const measure::measurement& m = t.measured;
        CHECK(m.ok() == (m.checked == measure::check_state::ok));
        if (wrong[i]) {
            REQUIRE(m.failed);
            CHECK(m.failed->kind == measure::failure_kind::wrong_result);
        } else if (one_at_a_time) {
            CHECK(m.at_least == (seconds[i] > 1.05 * best));
            CHECK(m.runs == (m.at_least || best == tk::forever ? 3 : 20));
            best = (std::min)(best, seconds[i]);
        }
    }
    for (const tk::index i : found.finalists(8)) CHECK_FALSE(wrong[i]);
}

const tk::budget all{.trials = 8};
const auto how = in_batches(8, tk::search::grid{}, {.abandon_factor = 1.05});

}  // namespace

TEST_CASE("what is fast and wrong never wins, and what is slow is not checked, whatever carries the run")
{
    tk::random::philox gen(1);
    int checks = 0;
    SUBCASE("in this process, asked for at once")
    {
        judge(tk::tune(eight, measure::in_process(eight, kernel(checks)), how, all, gen));
        CHECK(checks == 5);  // of the right ones those that improved, and both that are wrong
    }
    SUBCASE("in a child") { judge(tk::tune(eight, measure::isolated(eight, kernel(checks)), how, all, gen)); }
    SUBCASE("one worker, with all of them out")
    {
        auto here = measure::in_process(eight, kernel(checks));
        support::one_worker pool(here, {.ahead = 8});
        judge(tk::tune(eight, pool, how, all, gen));
        CHECK(checks == 5);
    }
    SUBCASE("workers")
    {
        measure::isolated_workers pool(2, [&](std::size_t) { return measure::worker_task{eight, kernel(checks)}; },
                                       {.pinned = false});
        judge(tk::tune(eight, pool, how, all, gen), false);
    }
    SUBCASE("several tasks")
    {
        std::vector<tk::task> tasks;
        tasks.emplace_back("one", eight, measure::in_process(eight, kernel(checks)), 1.0);
        tasks.emplace_back("two", eight, measure::in_process(eight, kernel(checks)), 1.0);
        const auto plan = tk::tune_tasks(tasks, how, tk::schedule::sequential{}, {.trials_per_task = 8}, gen);
        for (const auto& t : plan.tasks) judge(t.record);
    }
}

TEST_CASE("a log states the limits that were in force, and a run with them is resumed")
{
    support::temporary_folder at;
    const std::string path = at / "run.jsonl";
    int checks = 0;
    const auto run = [&](std::uint64_t trials) {
        return tk::io::logged_run(path, eight, measure::in_process(eight, kernel(checks)), how, {.trials = trials},
                                  {.resume = true});
    };
    judge(run(8));
    const auto log = tk::io::read_log(path);
    REQUIRE(log.trials.size() == 8);
    double best = tk::forever;
    for (const auto& t : log.trials) {
        CHECK(t.limits.abandon_above == 1.05 * best);
        CHECK(t.limits.abandon_factor == 1.05);
        if (t.measured.at_least) CHECK(t.measured.cost > t.limits.abandon_above);
        if (t.measured.ok()) best = (std::min)(best, t.measured.cost);
    }
    judge(run(8));  // told again, not measured
    CHECK(checks == 5);
}
