// SPDX-License-Identifier: MIT
#include "tunekit/tune/tune_tasks.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tests/support/in_batches.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/schedule/any_schedule.hpp"
#include "tunekit/schedule/round_robin.hpp"
#include "tunekit/schedule/sequential.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/any_strategy.hpp"
#include "tunekit/search/genetic.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/search/random.hpp"

namespace tk = tunekit;
using support::grid_space;
using support::in_batches;
using tk::measure::virtual_clock;
using philox = tk::random::philox;

static_assert(tk::search::strategy<tk::search::any_strategy, tk::space::any_space, philox>);
static_assert(tk::schedule::schedule<tk::schedule::any_schedule, philox>);
static_assert(tk::schedule::schedule<tk::schedule::round_robin, philox> &&
              tk::schedule::schedule<tk::schedule::sequential, philox>);
static_assert(!std::is_copy_constructible_v<tk::task> && std::is_move_constructible_v<tk::task>);

namespace {

/// Every trial takes `pace` seconds; the first `broken` candidates fail; costs fall with the index.
struct steady {
    virtual_clock time;
    double pace = 0.25;
    tk::index broken = 0;

    std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
    {
        std::vector<tk::measure::measurement> out;
        for (const auto i : batch) {
            time.advance(pace);
            out.push_back({.cost = 1.0 / static_cast<double>(i + 1)});
            if (i < broken) out.back().failed = tk::measure::failure{};
        }
        return out;
    }
};

struct scene {
    double seconds = 0;
    virtual_clock time{seconds};
    std::vector<tk::task> tasks;

    void add(const char* name, std::uint16_t size, double pace = 0.25, tk::index broken = 0, double weight = 1)
    {
        tasks.emplace_back(name, grid_space({size}), steady{time, pace, broken}, 1e6, weight);
    }
};

std::vector<std::size_t> order(const tk::plan& p)
{
    std::vector<std::size_t> out;
    for (const auto& s : p.slots) out.push_back(s.task);
    return out;
}

}  // namespace

TEST_CASE("tune_tasks warms every task up first, then shares slots in turn")
{
    scene s;
    s.add("a", 100);
    s.add("b", 100, 0.25, 6);  // its first six candidates fail: two slots of warm-up
    s.add("c", 100, 0.25, 0, 3);
    philox gen(1);
    const auto p = tk::tune_tasks(s.tasks, in_batches(2, tk::search::grid{}), tk::schedule::round_robin{},
                                  {.seconds = 9, .slot_seconds = 1}, gen, {.clock = s.time});
    CHECK(p.stopped == tk::stop_reason::seconds);
    CHECK(p.seconds == 9);
    // Warm-up: a for 0.5 s (one batch), b for 1 s and another batch up to a success at its 7th candidate, c for 0.5 s.
    CHECK(order(p) == std::vector<std::size_t>{0, 1, 1, 2, 0, 1, 2, 0, 1, 2});
    CHECK(p.slots[0].ended == 0.5);
    CHECK(std::isinf(p.slots[2].model_latency));
    CHECK(p.slots[3].ended == doctest::Approx(3.0));
    CHECK(p.slots[3].model_latency == doctest::Approx(1.0 / 2 + 1.0 / 8 + 3.0 / 2));
    CHECK(p.tasks[1].record.failed() == 6);
    CHECK(p.tasks[1].slots == 4);
    CHECK(p.slots.back().model_latency == doctest::Approx(tk::model_latency(s.tasks, p)));
}

TEST_CASE("sequential serves task after task for its share of time")
{
    scene s;
    s.add("a", 1000);
    s.add("b", 1000);
    s.add("c", 3);
    philox gen(1);
    const auto p =
        tk::tune_tasks(s.tasks, in_batches(1, tk::search::grid{}), tk::schedule::sequential{.seconds_per_task = 3},
                       {.seconds = 8, .slot_seconds = 1}, gen, {.clock = s.time});
    CHECK(p.tasks[0].record.seconds() == 4);  // 0.25 + 3 slots, then what b and c leave
    CHECK(p.tasks[1].record.seconds() == 3.25);
    CHECK(p.tasks[2].record.stopped() == tk::stop_reason::exhausted);
}

TEST_CASE("tune_tasks ends when every task has")
{
    scene s;
    s.add("a", 5);
    s.add("b", 50);
    philox gen(1);
    const auto p = tk::tune_tasks(s.tasks, tk::search::random{}, tk::schedule::round_robin{},
                                  {.trials_per_task = 20, .slot_seconds = 1}, gen, {.clock = s.time});
    CHECK(p.stopped == tk::stop_reason::trials);  // b has configurations left
    CHECK(p.tasks[0].record.stopped() == tk::stop_reason::exhausted);
    CHECK(p.tasks[0].record.trials().size() == 5);
    CHECK(p.tasks[1].record.stopped() == tk::stop_reason::trials);
    CHECK(p.tasks[1].record.trials().size() == 20);
}

TEST_CASE("a task tries first what it was told to begin with, and no strategy tries that again")
{
    const auto hold = [](const auto& strategy) {
        scene s;
        s.add("a", 40);
        s.tasks[0].begin_with({31, 7});
        philox gen(3);
        const auto p =
            tk::tune_tasks(s.tasks, strategy, tk::schedule::round_robin{}, {.slot_seconds = 1}, gen, {.clock = s.time});
        const auto& trials = p.tasks[0].record.trials();
        REQUIRE(trials.size() == 40);
        CHECK(trials[0].candidate == 31);
        CHECK(trials[1].candidate == 7);
        tk::space::index_set seen;
        for (const auto& t : trials) CHECK(seen.insert(t.candidate));
    };
    hold(tk::search::random{});
    hold(tk::search::grid{});
    hold(tk::search::hill_climb{});
    hold(tk::search::annealing{});
    hold(tk::search::genetic{.population = 8});
    scene s;
    s.add("a", 4);
    CHECK_THROWS_WITH_AS(s.tasks[0].begin_with({4}),
                         "tunekit: task a: begin_with lies outside the space, want an index below its size",
                         std::invalid_argument);
}

TEST_CASE("the schedule chooses only once all tasks began with what they were told to, however few jobs a worker takes")
{
    for (const std::size_t workers : {1U, 3U})
        for (const std::size_t at_once : {1U, 2U, 8U}) {
            CAPTURE(workers);
            CAPTURE(at_once);
            scene s;
            for (const char* name : {"a", "b"}) s.add(name, 40);
            for (auto& t : s.tasks) t.begin_with({3, 9, 27, 31, 35});
            philox gen(1);
            tk::tasks_tuner t(s.tasks, tk::search::random{}, tk::schedule::round_robin{}, {.slot_seconds = 1}, workers,
                              gen);
            std::vector<std::vector<tk::index>> out(2);
            double now = 0;
            for (std::size_t w = 0; out[0].size() <= 5 && out[1].size() <= 5; w = (w + 1) % workers)
                for (const auto& j : t.ask(w, at_once)) {
                    out[j.task].push_back(j.candidate);
                    t.tell(j, {.cost = 1}, now += 0.01, w);
                }
            for (const auto& of : out) {
                REQUIRE(of.size() >= 5);  // one of them has a sixth, by the schedule
                CHECK(std::vector(of.begin(), of.begin() + 5) == std::vector<tk::index>{3, 9, 27, 31, 35});
            }
        }
}

TEST_CASE("a task that is known before needs a trial of its own before the schedule chooses, and none of what is known")
{
    scene s;
    s.add("a", 40);
    s.add("b", 40);
    philox gen(3);
    tk::tasks_tuner t(s.tasks, tk::search::grid{}, tk::schedule::round_robin{}, {.slot_seconds = 1}, 1, gen);
    t.know(0, 0, {.cost = 1e-3});
    t.know(0, 39, {.cost = 100});
    CHECK(t.record().tasks[0].record.best_cost() == 1e-3);
    CHECK_THROWS_WITH_AS(t.know(2, 0, {.cost = 1}), "tunekit: tasks_tuner: know has task 2 of 2",
                         std::invalid_argument);
    tk::tune_tasks(t, s.tasks, {.clock = s.time});
    const tk::plan p = t.record();
    CHECK(p.stopped == tk::stop_reason::exhausted);
    CHECK(p.tasks[0].record.trials().size() == 38);
    CHECK(p.tasks[0].record.trials()[0].candidate == 1);
    CHECK(p.tasks[0].record.incumbent().candidate == 0);
    CHECK(p.tasks[1].record.trials().size() == 40);
    CHECK(order(p)[0] == 0);
    CHECK(order(p)[1] == 1);
    CHECK_THROWS_WITH_AS(t.know(1, 0, {.cost = 1}),
                         "tunekit: tasks_tuner: know comes too late, want it before the first ask", tk::error);
}

TEST_CASE("a task without a valid configuration ends exhausted and leaves the model without a latency")
{
    scene s;
    s.add("a", 6, 0.25, 6);
    s.add("b", 6);
    philox gen(1);
    const auto p = tk::tune_tasks(s.tasks, tk::search::grid{}, tk::schedule::sequential{},
                                  {.patience = 2, .slot_seconds = 1}, gen, {.clock = s.time});
    CHECK(p.tasks[0].record.trials().size() == 6);  // patience waits for a first success
    CHECK(std::isinf(tk::model_latency(s.tasks, p)));
    CHECK(p.tasks[0].record.stopped() == tk::stop_reason::exhausted);
}

TEST_CASE("a budget that ends in the warm-up leaves the rest untouched")
{
    scene s;
    s.add("a", 60, 1, 60);
    s.add("b", 6);
    philox gen(1);
    const auto p = tk::tune_tasks(s.tasks, tk::search::grid{}, tk::schedule::round_robin{}, {.seconds = 10}, gen,
                                  {.clock = s.time});
    CHECK(p.stopped == tk::stop_reason::seconds);
    CHECK(p.tasks[1].record.trials().empty());
    CHECK(std::isinf(p.slots.back().model_latency));
}

TEST_CASE("what a task proposes does not depend on the schedule, nor on erasure")
{
    const auto proposals = [](const auto& strategy, const auto& schedule) {
        scene s;
        s.add("a", 500);
        s.add("b", 700, 0.5);
        philox gen(9);
        const auto p = tk::tune_tasks(s.tasks, in_batches(3, strategy), schedule, {.seconds = 60, .slot_seconds = 2},
                                      gen, {.clock = s.time});
        std::vector<std::vector<tk::index>> out;
        for (const auto& t : p.tasks) {
            out.emplace_back();
            for (const auto& x : t.record.trials()) out.back().push_back(x.candidate);
        }
        return out;
    };
    const auto a = proposals(tk::search::random{}, tk::schedule::round_robin{});
    const auto b = proposals(tk::search::random{}, tk::schedule::sequential{});
    const auto c = proposals(tk::search::any_strategy(tk::search::random{}),
                             tk::schedule::any_schedule(tk::schedule::round_robin{}));
    CHECK(a == c);
    for (std::size_t k = 0; k < 2; ++k)
        for (std::size_t i = 0; i < (std::min)(a[k].size(), b[k].size()); ++i) CHECK(a[k][i] == b[k][i]);
    CHECK(a[0].size() != b[0].size());
}

TEST_CASE("copies of an erased run are deep")
{
    const tk::space::any_space space = grid_space({30, 30});
    const tk::search::any_strategy strategy{tk::search::random{}};
    const tk::search::any_strategy copy = strategy;
    auto one = copy.start(space);
    philox gen(4);
    auto first = strategy.propose(one, space, 5, gen);
    std::vector<tk::measure::measurement> measured(5, {.cost = 1.0});
    strategy.observe(one, space, first, measured, gen);
    auto two = one;
    philox a(6), b(6);
    CHECK(strategy.propose(one, space, 50, a) == strategy.propose(two, space, 50, b));
}

TEST_CASE("the length of a slot follows the budget: a twentieth of each task's share, within [0.1, 100] s")
{
    CHECK(tk::tasks_budget{.seconds = 60}.slot(12) == 0.25);
    CHECK(tk::tasks_budget{.seconds = 1}.slot(12) == 0.1);
    CHECK(tk::tasks_budget{}.slot(12) == 100);
    CHECK(tk::tasks_budget{.seconds = 60, .slot_seconds = 7}.slot(12) == 7);
}

TEST_CASE("tune_tasks refuses no tasks, equal names and a schedule that chooses what has ended")
{
    struct stubborn : tk::schedule::sequential {
        std::size_t select(state&, std::span<const tk::schedule::task_view>, philox&) const { return 0; }
    };
    scene s;
    philox gen(1);
    CHECK_THROWS_WITH_AS((void)tk::tune_tasks(s.tasks, tk::search::grid{}, tk::schedule::sequential{}, {}, gen),
                         "tunekit: tune_tasks: there are no tasks, want at least one", std::invalid_argument);
    s.add("a", 2);
    s.add("b", 20);
    CHECK_THROWS_WITH_AS(
        (void)tk::tune_tasks(s.tasks, tk::search::grid{}, stubborn{}, {.slot_seconds = 1}, gen, {.clock = s.time}),
        "tunekit: tune_tasks: the schedule chose a task that is not active", tk::error);
    s.add("a", 2);
    CHECK_THROWS_WITH_AS((void)tk::tune_tasks(s.tasks, tk::search::grid{}, tk::schedule::sequential{}, {}, gen),
                         "tunekit: tune_tasks: two tasks are named a, want distinct names", std::invalid_argument);
    CHECK_THROWS_WITH_AS(tk::task("x", grid_space({3}, [](auto) { return false; }), steady{s.time}, 1.0),
                         "tunekit: task x: the space is empty, want at least one configuration", std::invalid_argument);
}

TEST_CASE("a clock that jumps by an hour, forwards or backwards, changes nothing about a run of several tasks")
{
    struct telling : steady {
        std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits& l)
        {
            auto out = steady::measure(batch, l);
            for (auto& m : out) m.run_seconds = pace;
            return out;
        }
    };
    const auto run = [](double hours, int when) {
        double seconds = 0;
        const virtual_clock time(seconds);
        std::vector<tk::task> tasks;
        for (const char* const name : {"a", "b"})
            tasks.emplace_back(name, grid_space({200}), telling{{time}}, 1e6, 1.0);
        int readings = 0;
        philox gen(7);
        return tk::tune_tasks(tasks, in_batches(4, tk::search::random{}), tk::schedule::round_robin{},
                              {.seconds = 30, .slot_seconds = 3}, gen,
                              {.clock = [&] { return time() + (readings++ >= when ? 3600 * hours : 0); }});
    };
    const tk::plan calm = run(0, 0);
    REQUIRE(calm.stopped == tk::stop_reason::seconds);
    for (const double hours : {1.0, -1.0})
        for (int when = 1; when < 30; ++when) {
            CAPTURE(when);
            const tk::plan p = run(hours, when);
            CHECK(p.stopped == tk::stop_reason::seconds);
            CHECK(p.seconds == doctest::Approx(calm.seconds));
            CHECK(order(p) == order(calm));
            for (std::size_t k = 0; k < 2; ++k) CHECK(p.tasks[k].record.trials() == calm.tasks[k].record.trials());
        }
}
