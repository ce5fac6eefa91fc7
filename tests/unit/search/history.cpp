// SPDX-License-Identifier: MIT
#include "tunekit/search/history.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tunekit/acquisition/criteria.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/screen/keep_best.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/surrogate/boosted_trees.hpp"
#include "tunekit/surrogate/random_forest.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
using support::grid_space;
using philox = tk::random::philox;

namespace {

tk::measure::trial of(tk::index i, double cost) { return {.candidate = i, .measured = {.cost = cost, .runs = 1}}; }

/// Milliseconds on a grid whose cheapest point is (a, 6, 3).
struct bowl {
    const grid_space* space;
    double a;

    [[nodiscard]] double cost(tk::index i) const
    {
        std::vector<std::uint16_t> x(3);
        space->ordinals(std::span(&i, 1), x);
        const auto square = [](double v) { return v * v; };
        return std::exp(0.1 * (square(x[0] - a) + square(x[1] - 6.0) + square(x[2] - 3.0)));
    }

    [[nodiscard]] std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch,
                                                                const tk::measure::limits&) const
    {
        std::vector<tk::measure::measurement> out;
        for (const tk::index i : batch) out.push_back({.cost = cost(i), .runs = 1});
        return out;
    }
};

template <class Model, class Acquire>
auto with(Model model, Acquire acquire)
{
    return tk::search::model_guided{
        model, acquire, tk::explore::annealing{.chains = 16, .steps = 40, .unit = tk::explore::heat::spread},
        tk::screen::keep_best{}, tk::search::model_guided_options::growing()};
}

}  // namespace

TEST_CASE(
    "each task is scored against its own best; its failures are scored too, and a task without success teaches nothing")
{
    const grid_space space({4, 3});
    tk::search::history past(tk::search::model_guided_options{});
    tk::measure::trial failed = of(7, 1);
    failed.measured.failed = tk::measure::failure{};
    past.add(space, std::vector{failed});
    CHECK(past.size() == 0);
    past.add(space, std::vector{of(0, 4), of(5, 2), failed});
    past.add(space, std::vector{of(1, 1000), of(2, 4000)});
    CHECK(std::vector<double>(past.scores().begin(), past.scores().end()) == std::vector<double>{0.5, 1, 0, 1, 0.25});
    REQUIRE(past.dimensions() == 2);
    std::vector<float> rows(10);
    space.features(std::vector<tk::index>{0, 5, 7, 1, 2}, rows, tk::space::encoding::values);
    CHECK(std::equal(rows.begin(), rows.end(), past.rows().begin(), past.rows().end()));
}

TEST_CASE("the scores of the past are those of the strategy's options")
{
    const grid_space space({4, 3});
    tk::search::history past(
        tk::search::model_guided_options{.scale = tk::search::score_scale::log, .cost_cap_quantile = 0.5});
    past.add(space, std::vector{of(0, 4), of(1, 1), of(2, 2)});
    CHECK(std::vector<double>(past.scores().begin(), past.scores().end()) ==
          std::vector<double>{std::log(0.5), 0, std::log(0.5)});
}

TEST_CASE("other parameters, trials outside the space and a past of nothing are refused")
{
    const grid_space space({4, 3});
    tk::search::history past(tk::search::model_guided_options{});
    past.add(space, std::vector{of(0, 4)});
    CHECK_THROWS_AS(past.add(grid_space({4, 3, 2}), std::vector{of(0, 4)}), std::invalid_argument);
    CHECK_THROWS_AS(past.add(space, std::vector{of(12, 4)}), std::invalid_argument);
    philox gen(1);
    const tk::search::history nothing(tk::search::model_guided_options{});
    CHECK_THROWS_AS((void)tk::search::with_history(
                        with(tk::surrogate::random_forest{.trees = 4}, tk::acquisition::mean{}), nothing, gen),
                    std::invalid_argument);
}

// Fixed seeds, so there are no false alarms. Were history worth nothing, a win of each pair had probability at most 1/2, and 12 of
// 15 probability 0.02 per strategy.
TEST_CASE(
    "with the history of a neighbouring task a run comes closer in its first 12 trials, in at least 12 of 15 seeds")
{
    const grid_space other({12, 9, 8}), space({10, 9, 8});
    const bowl before{&other, 4}, now{&space, 5};
    const auto wins_of = [&](const auto& strategy) {
        int wins = 0;
        for (std::uint64_t seed = 0; seed < 15; ++seed) {
            philox gen(seed);
            tk::search::history past(strategy.options);
            past.add(other, tk::tune(other, before, tk::search::random{}, {.trials = 100}, gen).trials());
            const auto informed = tk::search::with_history(strategy, past, gen);
            philox a(100 + seed), b(100 + seed);
            wins += tk::tune(space, now, informed, {.trials = 12}, a).best_cost() <
                    tk::tune(space, now, strategy, {.trials = 12}, b).best_cost();
        }
        return wins;
    };
    CHECK(wins_of(with(tk::surrogate::boosted_trees{.rounds = 40}, tk::acquisition::mean{})) >= 12);
    CHECK(wins_of(with(tk::surrogate::random_forest{.trees = 20}, tk::acquisition::expected_improvement{})) >= 12);
}

TEST_CASE(
    "a strategy with a past never repeats, exhausts the space, and goes on where everything of its first plan fails")
{
    const grid_space space({5, 4, 3});
    philox gen(4);
    const auto strategy = with(tk::surrogate::random_forest{.trees = 8}, tk::acquisition::expected_improvement{});
    tk::search::history past(strategy.options);
    past.add(space, std::vector{of(0, 4), of(17, 1), of(30, 2)});
    const auto informed = tk::search::with_history(strategy, past, gen);
    auto state = informed.start(space);
    std::vector<tk::index> all;
    for (;;) {
        const auto batch = informed.propose(state, space, 7, gen);
        if (batch.empty()) break;
        std::vector<tk::measure::measurement> measured;
        for (const tk::index i : batch) {
            measured.push_back({.cost = 1.0 + static_cast<double>(i), .runs = 1});
            if (all.size() < 20) measured.back().failed = tk::measure::failure{};
        }
        informed.observe(state, space, batch, measured, gen);
        all.insert(all.end(), batch.begin(), batch.end());
    }
    std::sort(all.begin(), all.end());
    CHECK(all.size() == 60);
    CHECK(std::unique(all.begin(), all.end()) == all.end());
}
