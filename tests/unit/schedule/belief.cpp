// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "tunekit/bandit/epsilon_greedy.hpp"
#include "tunekit/bandit/ucb.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/schedule/by_belief.hpp"

namespace tk = tunekit;
namespace schedule = tk::schedule;
using philox = tk::random::philox;
using schedule::task_view;
using tunekit::curve::curve_point;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

/// Expects what it is told: `gain` times the last value more; remembers what it was asked.
struct told {
    double gain = 0;
    std::vector<double>* horizons = nullptr;
    std::vector<double>* peaks = nullptr;

    template <tk::generator G>
    tk::curve::forecast predict(std::span<const double> best, double horizon, double peak, G&) const
    {
        if (horizons != nullptr) horizons->push_back(horizon);
        if (peaks != nullptr) peaks->push_back(peak);
        if (best.empty() || best.back() == 0) return {};
        return {.last = best.back(),
                .mean = best.back(),
                .sd = 0,
                .expected_improvement = gain * best.back(),
                .expected_saving = 0,
                .basis = tk::curve::basis::posterior};
    }
};
static_assert(tk::curve::belief_model<told, philox>);

std::vector<curve_point> flat(std::size_t n, double cost)
{
    std::vector<curve_point> out;
    for (std::size_t i = 0; i < n; ++i) out.push_back({.trial = i + 1, .seconds = 0, .best_cost = cost});
    return out;
}

}  // namespace

TEST_CASE(
    "the reward of a slot is the model's time that its forecast saves: weights multiply it, horizons follow the task's "
    "pace")
{
    std::vector<double> horizons, peaks;
    const schedule::by_belief s{told{0.25, &horizons, &peaks}, tk::bandit::ucb{}, {.peak = 7e12}};
    philox gen(1);
    const auto curve = flat(20, 2e-3);
    // 1/last - 1/(1.25 last) = 0.2 / last: a fifth of 2 ms.
    CHECK(s.reward({.flops = 1e9, .weight = 1, .curve = curve, .seconds = 40}, 10, 1e12, gen) ==
          doctest::Approx(0.4e-3));
    CHECK(s.reward({.flops = 1e9, .weight = 3, .curve = curve, .seconds = 40}, 10, 1e12, gen) ==
          doctest::Approx(1.2e-3));
    CHECK(s.reward({.flops = 1e9, .curve = curve, .seconds = 4000}, 10, 1e12, gen) == doctest::Approx(0.4e-3));
    CHECK(horizons == std::vector<double>{25, 25, 21});  // 2 s a trial: 5 in a slot; 200 s a trial: at least one
    CHECK(s.reward({.flops = 1e9}, 10, 1e12, gen) == 0);
    const auto never = flat(5, inf);
    CHECK(s.reward({.flops = 1e9, .curve = never, .seconds = 5}, 10, 1e12, gen) == 0);
    CHECK(peaks[0] == 1e12);
}

TEST_CASE("only a task whose curve grew is forecast again; ended tasks are not forecast at all")
{
    std::vector<double> horizons;
    const schedule::by_belief s{told{0.1, &horizons}, tk::bandit::epsilon_greedy{.epsilon = 0}};
    const auto fast = flat(10, 1e-3), slow = flat(10, 5e-3);
    std::vector<task_view> tasks{{.flops = 1e9, .curve = fast, .slots = 1, .seconds = 10},
                                 {.flops = 1e9, .curve = slow, .slots = 1, .seconds = 10},
                                 {.flops = 1e9, .curve = slow, .slots = 1, .seconds = 10, .active = false}};
    philox gen(1);
    auto state = s.start(tasks, {.slot_seconds = 100});
    CHECK(s.select(state, tasks, gen) == 1);
    CHECK(horizons.size() == 2);
    s.update(state, 1, {});
    const auto longer = flat(11, 5e-3);
    tasks[1].curve = longer;
    CHECK(s.select(state, tasks, gen) == 1);
    CHECK(horizons.size() == 3);
    CHECK(state.tasks[0].reward == doctest::Approx(1e-3 * (1 - 1 / 1.1)));
    tasks[1].active = false;
    s.update(state, 1, {});
    CHECK(s.select(state, tasks, gen) == 0);
    CHECK(horizons.size() == 3);
}

TEST_CASE("a slot under way is believed to make its trials without improvement: the forecast starts behind it")
{
    std::vector<double> horizons;
    const schedule::by_belief s{told{0.1, &horizons}, tk::bandit::ucb{}};
    const auto curve = flat(20, 2e-3);
    const std::vector<task_view> tasks{{.flops = 1e9, .curve = curve, .slots = 3, .seconds = 40, .running = 2},
                                       {.flops = 1e9, .curve = curve, .slots = 1, .seconds = 40}};
    philox gen(1);
    auto state = s.start(tasks, {.slot_seconds = 10});
    (void)s.select(state, tasks, gen);
    CHECK(horizons == std::vector<double>{35, 25});  // 5 trials a slot: 20 + 2 x 5 + 5, and 20 + 5
    auto later = tasks;
    later[0].running = 1;
    (void)s.select(state, later, gen);
    CHECK(horizons == std::vector<double>{35, 25, 30});
}

TEST_CASE("DynaTune with six workers free at once: four tasks of like promise get slots, not one")
{
    // Gains fade with the trials since the last one, as those of records do.
    struct fading {
        tk::curve::forecast predict(std::span<const double> best, double, double, philox&) const
        {
            double since = 0;
            while (since < static_cast<double>(best.size()) &&
                   best[best.size() - 1 - static_cast<std::size_t>(since)] == best.back())
                ++since;
            return {.last = best.back(),
                    .mean = best.back(),
                    .expected_improvement = best.back() / (10 + since),
                    .basis = tk::curve::basis::posterior};
        }
    };
    const schedule::by_belief s{fading{}, tk::bandit::ucb::scale_free()};
    std::vector<std::vector<curve_point>> curves;
    std::vector<task_view> tasks;
    for (const double cost : {1.2e-3, 1.1e-3, 1.05e-3, 1e-3}) curves.push_back(flat(10, cost));
    for (const auto& c : curves) tasks.push_back({.flops = 1e9, .curve = c, .slots = 2, .seconds = 10});
    const auto chosen = [&](bool told) {
        auto views = tasks;
        auto state = s.start(views, {.slot_seconds = 10, .workers = 6});
        philox gen(1);
        std::vector<std::size_t> out;
        for (int w = 0; w < 6; ++w) {
            out.push_back(s.select(state, views, gen));
            if (!told) continue;
            ++views[out.back()].running;
            ++views[out.back()].slots;
        }
        return out;
    };
    CHECK(chosen(false) == std::vector<std::size_t>{0, 0, 0, 0, 0, 0});
    CHECK(chosen(true) == std::vector<std::size_t>{0, 1, 2, 3, 0, 1});
}

TEST_CASE("an unknown peak is 1.25 times the best rate of any task")
{
    std::vector<double> peaks;
    const schedule::by_belief s{told{0.1, nullptr, &peaks}, tk::bandit::ucb{}};
    const auto a = flat(5, 1e-3), b = flat(5, 1e-4);
    const std::vector<task_view> tasks{{.flops = 1e9, .curve = a, .slots = 1, .seconds = 5},
                                       {.flops = 1e9, .curve = b, .slots = 1, .seconds = 5}};
    philox gen(1);
    auto state = s.start(tasks, {.slot_seconds = 100});
    (void)s.select(state, tasks, gen);
    CHECK(peaks == std::vector<double>{1.25e13, 1.25e13});
}

TEST_CASE(
    "scaling all latencies by 1000 changes no decision without units, and changes them in the paper's milliseconds")
{
    // Task 0 promises ten times as much as task 1, but had 40 slots to its 10: in units of the larger promise the bonus decides.
    const auto decide = [](const auto& bandit, double scale) {
        const schedule::by_belief s{told{0.25}, bandit};
        const auto big = flat(10, 50e-3 * scale), little = flat(10, 5e-3 * scale);
        const std::vector<task_view> tasks{{.flops = 1e9, .curve = big, .slots = 40, .seconds = 10},
                                           {.flops = 1e9, .curve = little, .slots = 10, .seconds = 10}};
        philox gen(1);
        auto state = s.start(tasks, {.slot_seconds = 100});
        return s.select(state, tasks, gen);
    };
    const auto paper = [](double latency) { return tk::bandit::ucb::paper(latency); };
    CHECK(decide(tk::bandit::ucb::scale_free(), 1) == decide(tk::bandit::ucb::scale_free(), 1e-3));
    CHECK(decide(tk::bandit::ucb::scale_free(), 1) == decide(tk::bandit::ucb::scale_free(), 1e3));
    CHECK(decide(paper, 1) == 0);     // 10 ms against 1 ms: the bonus of 0.44 to 0.88 does not matter
    CHECK(decide(paper, 1e-3) == 1);  // 0.01 ms against 0.001 ms: the bonus of 0.14 to 0.28 alone decides
}

TEST_CASE("by_belief refuses a slot without length")
{
    const schedule::by_belief s{told{}, tk::bandit::ucb{}};
    CHECK_THROWS_WITH_AS((void)s.start({}, {}),
                         "tunekit: schedule::by_belief: the run's slot_seconds is not positive, want > 0",
                         std::invalid_argument);
}
