// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tunekit/bandit/ucb.hpp"
#include "tunekit/curve/improvements.hpp"
#include "tunekit/random/choice.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/schedule/ansor.hpp"
#include "tunekit/schedule/by_belief.hpp"
#include "tunekit/schedule/early_stop.hpp"
#include "tunekit/schedule/linear.hpp"
#include "tunekit/schedule/random.hpp"
#include "tunekit/schedule/round_robin.hpp"
#include "tunekit/schedule/sequential.hpp"

namespace tk = tunekit;
namespace schedule = tk::schedule;
using philox = tk::random::philox;
using schedule::task_view;
using tunekit::curve::curve_point;

static_assert(schedule::schedule<schedule::random, philox> && schedule::schedule<schedule::linear, philox>);
static_assert(schedule::schedule<schedule::ansor, philox>);
static_assert(schedule::schedule<schedule::early_stop<schedule::random>, philox>);

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

std::vector<curve_point> curve_of(const std::vector<double>& best)
{
    std::vector<curve_point> out;
    for (const double b : best) out.push_back({.trial = out.size() + 1, .seconds = 0, .best_cost = b});
    return out;
}

}  // namespace

TEST_CASE("every schedule chooses active tasks only: 200 random choices each")
{
    std::vector<task_view> tasks(5);
    for (std::size_t k = 0; k < 5; ++k) tasks[k] = {.flops = 1e6 * static_cast<double>(k + 1), .slots = k};
    const auto hold = [&](const auto& s) {
        philox gen(3);
        auto state = s.start(tasks, {});
        for (int i = 0; i < 200; ++i) {
            for (auto& t : tasks) t.active = tk::random::bits(gen) % 2 == 0;
            tasks[tk::random::bits(gen) % 5].active = true;
            const std::size_t k = s.select(state, tasks, gen);
            REQUIRE(k < 5);
            REQUIRE(tasks[k].active);
            s.update(state, k, {.seconds = 1, .trials = 1, .best_cost_before = 1, .best_cost_after = 1});
        }
    };
    hold(schedule::sequential{.seconds_per_task = 3});
    hold(schedule::round_robin{});
    hold(schedule::random{});
    hold(schedule::linear{.slots = 30});
    hold(schedule::linear{.seconds = 30});
    hold(schedule::ansor{.epsilon = 0.1, .tags = {"a", "a", "b", "", "b"}});
    hold(schedule::early_stop{schedule::random{}});
}

TEST_CASE("random gives every active task the same chance: chi-squared over 30 000 choices, p(false alarm) < 1e-6")
{
    std::vector<task_view> tasks(4);
    tasks[1].active = false;
    const schedule::random s;
    auto state = s.start(tasks, {});
    philox gen(11);
    std::array<int, 4> counts{};
    for (int i = 0; i < 30000; ++i) ++counts[s.select(state, tasks, gen)];
    CHECK(counts[1] == 0);
    double chi = 0;
    for (const std::size_t k : {0U, 2U, 3U}) chi += (counts[k] - 10000.0) * (counts[k] - 10000.0) / 10000.0;
    CHECK(chi < 27.7);  // chi-squared with 2 degrees of freedom: exp(-27.7 / 2) < 1e-6
}

TEST_CASE("linear shares slots by work, rounds by largest remainders and gives everybody one")
{
    const std::vector<task_view> tasks{{.flops = 70}, {.flops = 20, .weight = 9}, {.flops = 9.5}, {.flops = 0.5}};
    CHECK(schedule::linear{.slots = 10}.start(tasks, {}).shares == std::vector<std::uint64_t>{7, 2, 1, 1});
    CHECK(schedule::linear{.slots = 15}.start(tasks, {}).shares ==
          std::vector<std::uint64_t>{11, 3, 1, 1});  // 10.5, 3, 1.425, 0.075
    CHECK(schedule::linear{.slots = 26, .weighted = true}.start(tasks, {}).shares ==
          std::vector<std::uint64_t>{7, 18, 1, 1});

    const schedule::linear s{.slots = 10};
    auto views = tasks;
    auto state = s.start(views, {});
    philox gen(1);
    std::vector<std::size_t> order;
    for (int i = 0; i < 12; ++i) {
        const auto k = s.select(state, views, gen);
        ++views[k].slots;
        order.push_back(k);
    }
    CHECK(order == std::vector<std::size_t>{0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 0});
    const schedule::linear both{.slots = 10, .seconds = 10};
    CHECK_THROWS_WITH_AS((void)both.start(views, {}), "tunekit: schedule::linear: want slots or seconds, not both",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(
        (void)schedule::linear{}.start(views, {}),
        "tunekit: schedule::linear: the run has no end, want slots or seconds, or a run of finite seconds",
        std::invalid_argument);
}

TEST_CASE("linear in seconds: long slots do not make the last task go short")
{
    std::vector<task_view> tasks{{.flops = 60}, {.flops = 30}, {.flops = 10}};
    const schedule::linear s{.seconds = 100};
    auto state = s.start(tasks, {});
    philox gen(1);
    std::vector<std::size_t> order;
    for (int i = 0; i < 8; ++i) {  // slots of 15 s
        const auto k = s.select(state, tasks, gen);
        tasks[k].seconds += 15;
        order.push_back(k);
    }
    CHECK(order == std::vector<std::size_t>{0, 0, 0, 0, 1, 1, 2, 0});
}

TEST_CASE("stale trials are those since the last improvement")
{
    CHECK(schedule::detail::stale_trials({}) == 0);
    CHECK(schedule::detail::stale_trials(curve_of({inf, inf})) == 0);
    CHECK(schedule::detail::stale_trials(curve_of({inf, 3, 3, 2})) == 0);
    CHECK(schedule::detail::stale_trials(curve_of({5, 3, 3, 3})) == 2);
    CHECK(schedule::detail::stale_trials(curve_of({5})) == 0);
}

TEST_CASE("early_stop passes over tasks without improvement, until nobody else is left")
{
    const auto stale = curve_of({5, 3, 3, 3}), fresh = curve_of({5, 3, 3, 2}), never = curve_of({inf, inf, inf, inf});
    std::vector<task_view> tasks{{.curve = stale}, {.curve = fresh}, {.curve = stale}, {.curve = never}};
    const schedule::early_stop s{schedule::round_robin{}, {.patience = 2}};
    auto state = s.start(tasks, {});
    philox gen(1);
    const auto next = [&] { return s.select(state, tasks, gen); };
    CHECK(next() == 1);
    CHECK(next() == 3);
    CHECK(next() == 1);
    tasks[1].active = tasks[3].active = false;
    CHECK(next() == 2);  // everybody active is stale: the turn goes on
    CHECK(next() == 0);
    const schedule::early_stop impatient{schedule::round_robin{}, {.patience = 0}};
    CHECK_THROWS_AS((void)impatient.start(tasks, {}), std::invalid_argument);
}

TEST_CASE("ansor's gradients: weights 1, g = 1 and 2 ms after 3 and 2 slots, no window of history, no groups")
{
    const auto a = curve_of({1e-3}), b = curve_of({2e-3});
    const std::vector<task_view> tasks{{.flops = 1e6, .curve = a, .slots = 3}, {.flops = 1e6, .curve = b, .slots = 2}};
    const schedule::ansor s;
    auto state = s.start(tasks, {});
    CHECK(s.gradient(state, tasks, 0) == doctest::Approx(-2.667e-4).epsilon(1e-3));
    CHECK(s.gradient(state, tasks, 1) == doctest::Approx(-8e-4));
    philox gen(1);
    CHECK(s.select(state, tasks, gen) == 1);
    const std::vector<task_view> weighted{{.flops = 1e6, .weight = 4, .curve = a, .slots = 3},
                                          {.flops = 1e6, .curve = b, .slots = 2}};
    CHECK(s.gradient(state, weighted, 0) == doctest::Approx(4 * -2.667e-4).epsilon(1e-3));
}

TEST_CASE("ansor's past gradient needs a window of slots, its future one sees similar tasks")
{
    const auto slow = curve_of({4e-3}), fast = curve_of({1e-3});
    std::vector<task_view> tasks{{.flops = 1e6, .curve = slow, .slots = 1}, {.flops = 1e6, .curve = fast, .slots = 1}};
    const schedule::ansor s{.alpha = 0.2, .beta = 2, .window = 3};
    const auto begun = curve_of({8e-3});
    auto state = s.start(std::vector<task_view>{{.flops = 1e6, .curve = begun, .slots = 1}, tasks[1]}, {});
    for (const double g : {7e-3, 6e-3, 4e-3}) s.update(state, 0, {.best_cost_after = g});
    // H = 8, 7, 6, 4: backward = (4 - 8) / 3; forward = -4 / 4.
    CHECK(s.gradient(state, tasks, 0) == doctest::Approx(0.2 * -4e-3 / 3 + 0.8 * -1e-3));
    s.update(state, 0, {.best_cost_after = 4e-3});
    CHECK(s.gradient(state, tasks, 0) == doctest::Approx(0.2 * (4e-3 - 7e-3) / 3 + 0.8 * -4e-3 / 5));
    // Two slots under way: H = 8, 7, 6, 4, 4, 4*, 4*.
    tasks[0].running = 2;
    CHECK(s.gradient(state, tasks, 0) == doctest::Approx(0.8 * -4e-3 / 7));
    tasks[0].running = 0;

    const schedule::ansor grouped{.tags = {"conv2d_28", "conv2d_28"}};
    auto both = grouped.start(tasks, {});
    // t = 1: next1 = 0 already; the rate of the group's best halved allows 2 ms, which is less of a promise than 0.
    CHECK(grouped.gradient(both, tasks, 0) == doctest::Approx(0.8 * -4e-3));
    for (int i = 0; i < 3; ++i) grouped.update(both, 0, {.best_cost_after = 4e-3});
    // t = 4: next1 = 3 ms, next2 = 2 ms.
    CHECK(grouped.gradient(both, tasks, 0) == doctest::Approx(0.8 * -2e-3));
}

TEST_CASE("ansor's laggard leaves its group only after 5 slots more than any other")
{
    const auto slow = curve_of({4e-3}), fast = curve_of({1e-3});
    std::vector<task_view> tasks{{.flops = 1e6, .curve = slow, .slots = 1}, {.flops = 1e6, .curve = fast, .slots = 1}};
    const schedule::ansor s{.tags = {"x", "x"}};
    auto state = s.start(tasks, {});
    philox gen(1);
    for (int slots = 2; slots <= 6; ++slots) {
        s.update(state, 0, {.best_cost_after = 4e-3});
        (void)s.select(state, tasks, gen);
        CHECK(state.tags[0] == "x");
    }
    s.update(state, 0, {.best_cost_after = 4e-3});
    (void)s.select(state, tasks, gen);
    CHECK(state.tags[0].empty());
}

TEST_CASE("ansor never draws an ended task where all gradients are equal")
{
    const auto done = curve_of({1e-3});
    std::vector<task_view> tasks(3, task_view{.flops = 1e6, .curve = done, .slots = 1});
    tasks[1].active = false;
    const schedule::ansor s;
    auto state = s.start(tasks, {});
    philox gen(1);
    std::array<int, 3> counts{};
    for (int i = 0; i < 200; ++i) ++counts[s.select(state, tasks, gen)];
    CHECK(counts[1] == 0);
    CHECK(counts[0] > 50);
    CHECK(counts[2] > 50);
}

TEST_CASE("similarity tags group by kind and magnitude of work")
{
    CHECK(schedule::similarity_tag("conv2d_", 231211008) == "conv2d_40");
    CHECK(schedule::similarity_tag("conv2d_", 115605504) == "conv2d_38");
    CHECK(schedule::similarity_tag("conv2d_", 12845056) == "conv2d_34");
    CHECK(schedule::similarity_tag("dense_", 25690112) == "dense_35");
}

TEST_CASE("ansor: a slot that ends behind a better one of the same task does not raise what was reached")
{
    const auto c = curve_of({5e-3});
    const std::vector<task_view> tasks{{.flops = 1e6, .curve = c, .slots = 1}};
    const schedule::ansor s;
    auto state = s.start(tasks, {});
    s.update(state, 0, {.best_cost_after = 3e-3});
    s.update(state, 0, {.best_cost_after = 4e-3});
    CHECK(state.history[0] == std::vector<double>{5e-3, 3e-3, 3e-3});
}

namespace {

/// Who is chosen by `workers` that become free one after another while no slot ends.
template <class Schedule>
std::vector<std::size_t> crowd(const Schedule& s, std::vector<task_view> tasks, std::size_t workers,
                               const schedule::run_shape& run)
{
    auto state = s.start(tasks, run);
    philox gen(1);
    std::vector<std::size_t> out;
    for (std::size_t w = 0; w < workers; ++w) {
        out.push_back(s.select(state, tasks, gen));
        ++tasks[out.back()].running;
        ++tasks[out.back()].slots;
    }
    return out;
}

}  // namespace

TEST_CASE("workers that are free at the same time spread: slots under way bring nothing and take their length")
{
    const auto a = curve_of({4e-3}), b = curve_of({3.9e-3}), c = curve_of({3.8e-3}), d = curve_of({1e-3});
    const std::vector<task_view> tasks{{.flops = 1e6, .curve = a, .slots = 1},
                                       {.flops = 1e6, .curve = b, .slots = 1},
                                       {.flops = 1e6, .curve = c, .slots = 1},
                                       {.flops = 1e6, .curve = d, .slots = 1}};
    // ansor, forward -g / t: 4, 3.9, 3.8 and 1 ms, each halved by a slot under way
    CHECK(crowd(schedule::ansor{}, tasks, 7, {}) == std::vector<std::size_t>{0, 1, 2, 0, 1, 2, 0});
    const std::vector<task_view> four(4, task_view{.flops = 1e6});
    const schedule::run_shape run{.seconds = 40, .slot_seconds = 10, .tasks = 4, .workers = 2};
    // 80 s of workers are 20 s each: two slots of 10 s
    CHECK(crowd(schedule::sequential{}, four, 9, run) == std::vector<std::size_t>{0, 0, 1, 1, 2, 2, 3, 3, 0});
    CHECK(crowd(schedule::linear{}, four, 9, run) == std::vector<std::size_t>{0, 0, 1, 1, 2, 2, 3, 3, 0});
    CHECK(crowd(schedule::linear{.slots = 4}, four, 5, run) == std::vector<std::size_t>{0, 1, 2, 3, 0});
    CHECK(crowd(schedule::round_robin{}, four, 5, run) == std::vector<std::size_t>{0, 1, 2, 3, 0});
}

TEST_CASE(
    "slots that end in any order: every choice is active, and the order of ends on different tasks changes nothing")
{
    const auto hold = [](const auto& s, std::uint64_t seed) {
        constexpr std::size_t tasks = 5, workers = 4;
        philox events(seed), gen(seed), other_gen(seed);
        std::array<std::vector<curve_point>, tasks> curves;
        std::vector<task_view> views(tasks);
        for (std::size_t k = 0; k < tasks; ++k) {
            curves[k] = curve_of({1e-3 * static_cast<double>(k + 1)});
            views[k] = {.flops = 1e6, .curve = curves[k], .slots = 1, .seconds = 1};
        }
        auto state = s.start(views, {.seconds = 100, .slot_seconds = 2, .tasks = tasks, .workers = workers});
        auto other = state;
        std::vector<std::size_t> out;
        for (int round = 0; round < 60; ++round) {
            while (out.size() < workers) {
                const std::size_t k = s.select(state, views, gen);
                REQUIRE(k < tasks);
                REQUIRE(views[k].active);
                REQUIRE(s.select(other, views, other_gen) == k);
                ++views[k].running;
                ++views[k].slots;
                out.push_back(k);
            }
            // One or two slots end, on different tasks; `other` hears of them the other way round.
            tk::random::shuffle(out, events);
            std::vector<std::pair<std::size_t, schedule::slot>> ended;
            for (int i = 0; i < 2 && !out.empty() && (ended.empty() || ended[0].first != out.back()); ++i) {
                const std::size_t k = out.back();
                out.pop_back();
                const double before = curves[k].back().best_cost;
                const double after = before * (1 - 0.2 * tk::random::uniform_01(events));
                curves[k].push_back({.trial = curves[k].size() + 1, .seconds = 0, .best_cost = after});
                views[k].curve = curves[k];
                views[k].seconds += 2;
                --views[k].running;
                ended.emplace_back(k, schedule::slot{2, 1, before, after});
            }
            for (const auto& [k, slot] : ended) s.update(state, k, slot);
            std::reverse(ended.begin(), ended.end());
            for (const auto& [k, slot] : ended) s.update(other, k, slot);
            views[tk::random::uniform_index(tasks - 1, events)].active = round % 3 != 0;
        }
    };
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        hold(schedule::sequential{}, seed);
        hold(schedule::round_robin{}, seed);
        hold(schedule::random{}, seed);
        hold(schedule::linear{}, seed);
        hold(schedule::linear{.slots = 50}, seed);
        hold(schedule::ansor{.epsilon = 0.1, .tags = {"a", "a", "b", "", "b"}}, seed);
        hold(schedule::early_stop{schedule::ansor{}, {.patience = 3}}, seed);
        hold(schedule::by_belief{tk::curve::improvement_process{}, tk::bandit::ucb::scale_free()}, seed);
    }
}
