// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/support/any_recipe.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/autotvm.hpp"
#include "tunekit/schedule/round_robin.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/tune/tasks_tuner.hpp"

namespace tk = tunekit;

namespace {

tk::space::value_product tiles(std::int64_t first, const std::string& second = "unroll")
{
    std::vector<std::int64_t> sizes, counts;
    for (std::int64_t k = 0; k < 40; ++k) sizes.push_back(first + 8 * k);
    for (std::int64_t k = 1; k <= 10; ++k) counts.push_back(k);
    return tk::space::value_product({{"tile", sizes}, {second, counts}}, {});
}

/// Two tasks whose best is a tile of 128, unrolled 4 times, one that shares one parameter, and a stranger.
std::vector<tk::task> layers()
{
    return tk::tasks(tk::task("a", tiles(8), 1e6), tk::task("b", tiles(12), 1e6), tk::task("c", tiles(8, "lanes"), 1e6),
                     tk::task("d", tk::space::value_product({{"x", {1, 2, 3, 4, 5, 6, 7, 8, 9}}}, {}), 1e6));
}

double cost_of(const tk::space::any_space& space, tk::index i)
{
    const auto texts = space.texts(i);
    double out = 1;
    for (std::size_t j = 0; j < texts.size(); ++j)
        out += std::abs(std::log2(std::stod(texts[j]) / (space.names()[j] == "tile" ? 128 : 4)));
    return out;
}

auto recipe(tk::carrying how, std::size_t ahead = 1)
{
    return tk::recipe{tk::search::random{},
                      tk::measure::fixed{},
                      tk::candidate_limits{},
                      ahead,
                      20.0,
                      tk::schedule::round_robin{},
                      how};
}

/// Asks worker 0 for `n` and answers it all, a second each. The jobs.
std::vector<tk::job> step(tk::tasks_tuner& t, std::size_t n = 1)
{
    std::vector<tk::job> jobs = t.ask(n);
    for (const tk::job& j : jobs) t.tell(j, {.cost = cost_of(t.space(j.task), j.candidate), .runs = 1}, t.stamp() + 1);
    return jobs;
}

}  // namespace

TEST_CASE(
    "a task offers its best from the eighth answer on, and others take the nearest values in one of four proposals")
{
    const auto tasks = layers();
    tk::random::philox gen(3);
    tk::tasks_tuner t(tasks, recipe({.one_in = 4}), {.trials_per_task = 60, .slot_seconds = 4}, 1, gen);
    std::size_t carried = 0, since[4] = {3, 3, 3, 3};
    for (;;) {
        const tk::plan before = t.record();
        const auto jobs = step(t);
        if (jobs.empty()) break;
        const tk::job& j = jobs.front();
        if (!j.carried) {
            ++since[j.task];
            continue;
        }
        ++carried;
        CHECK(since[j.task] >= 3);
        since[j.task] = 0;
        CHECK(j.task != 3);  // no name in common
        // It is what one of the others thinks best.
        const auto texts = t.space(j.task).texts(j.candidate);
        bool known = false;
        for (std::size_t k = 0; k < 3; ++k) {
            const tk::tuning& r = before.tasks[k].record;
            if (k == j.task || r.trials().size() < 8) continue;
            const double tile = std::stod(t.space(k).texts(r.incumbent().candidate)[0]);
            known = known || std::abs(std::stod(texts[0]) - tile) <= 4;
        }
        CHECK_MESSAGE(known, t.space(j.task).text(j.candidate));
    }
    CHECK(carried > 6);
    std::size_t marked = 0;
    for (const tk::plan::task_result& p : t.record().tasks)
        marked += static_cast<std::size_t>(std::count_if(p.record.trials().begin(), p.record.trials().end(),
                                                         [](const auto& one) { return one.carried; }));
    CHECK(marked == carried);
    CHECK(t.record().tasks[3].record.trials().size() == 9);
}

TEST_CASE("nothing is carried where a recipe says so, and then a task's proposals are those without carrying")
{
    const auto tasks = layers();
    const auto candidates = [&](const auto& how) {
        tk::random::philox gen(3);
        tk::tasks_tuner t(tasks, how, {.trials_per_task = 30, .slot_seconds = 4}, 1, gen);
        std::vector<tk::index> out;
        for (auto jobs = step(t); !jobs.empty(); jobs = step(t))
            for (const tk::job& j : jobs) {
                CHECK(!j.carried);
                out.push_back(j.candidate);
            }
        return out;
    };
    auto off = recipe({.one_in = 4});
    off.carry = {};
    const tk::recipe without{
        tk::search::random{},       tk::measure::fixed{}, tk::candidate_limits{}, std::size_t{1}, 20.0,
        tk::schedule::round_robin{}};
    CHECK(candidates(off) == candidates(without));
    CHECK(candidates(tk::recipes::erased(off)) == candidates(without));
    CHECK(tk::recipes::autotvm_reg().carry.one_in == 0);
}

TEST_CASE("of eight jobs at a time two are carried and six proposed, and a copy of a run carries the same")
{
    const auto tasks = layers();
    tk::random::philox gen(3);
    tk::tasks_tuner t(tasks, recipe({.one_in = 4}, 8), {.trials_per_task = 64, .slot_seconds = 8}, 1, gen);
    tk::tasks_tuner copy = t;
    std::size_t both = 0;
    for (;;) {
        const auto jobs = step(t, 8);
        CHECK(step(copy, 8) == jobs);
        if (jobs.empty()) break;
        const auto n =
            static_cast<std::size_t>(std::count_if(jobs.begin(), jobs.end(), [](const auto& j) { return j.carried; }));
        CHECK(n <= 2);
        CHECK(std::is_partitioned(jobs.begin(), jobs.end(), [](const auto& j) { return j.carried; }));
        both += n == 2 && jobs.size() == 8;
    }
    CHECK(both > 0);
}

TEST_CASE("a carried job that was dropped goes out again, and within the budget of trials")
{
    const auto tasks = layers();
    tk::random::philox gen(3);
    tk::tasks_tuner t(tasks, recipe({.one_in = 4}), {.trials_per_task = 20, .slot_seconds = 4}, 1, gen);
    bool dropped = false;
    for (auto jobs = t.ask(1); !jobs.empty(); jobs = t.ask(1)) {
        const tk::job j = jobs.front();
        if (j.carried && !dropped) {
            dropped = true;
            t.drop(j);
            jobs = t.ask(1);
            REQUIRE(jobs.size() == 1);
            CHECK((jobs[0].task == j.task && jobs[0].candidate == j.candidate));
        }
        t.tell(jobs[0], {.cost = cost_of(t.space(j.task), j.candidate), .runs = 1}, t.stamp() + 1);
    }
    CHECK(dropped);
    for (std::size_t k = 0; k < 3; ++k) CHECK(t.record().tasks[k].record.trials().size() == 20);
}
