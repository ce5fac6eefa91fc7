// SPDX-License-Identifier: MIT
#include "tunekit/search/model_guided.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <vector>

#include "tests/support/answers.hpp"
#include "tests/support/grid_space.hpp"
#include "tunekit/acquisition/criteria.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/screen/adaptive_sampling.hpp"
#include "tunekit/screen/epsilon_greedy.hpp"
#include "tunekit/screen/keep_best.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/surrogate/boosted_trees.hpp"
#include "tunekit/surrogate/random_forest.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
using support::answers;
using support::grid_space;
using support::round_of;
using philox = tk::random::philox;
using tk::measure::measurement;

namespace {

auto with_forest(tk::search::model_guided_options options)
{
    return tk::search::model_guided{
        tk::surrogate::random_forest{.trees = 8}, tk::acquisition::expected_improvement{},
        tk::explore::annealing{.chains = 16, .steps = 40, .unit = tk::explore::heat::spread},
        tk::screen::epsilon_greedy{tk::screen::keep_best{}}, options};
}

auto with_boosting(tk::search::model_guided_options options)
{
    return tk::search::model_guided{tk::surrogate::boosted_trees{.rounds = 20}, tk::acquisition::mean{},
                                    tk::explore::annealing{.chains = 16, .steps = 40},
                                    tk::screen::epsilon_greedy{tk::screen::keep_best{}}, options};
}

static_assert(tk::search::strategy<decltype(with_forest({})), grid_space, philox>);

template <class S>
std::vector<tk::index> walk(const S& strategy, const grid_space& space, std::size_t n, answers kind)
{
    philox gen(11);
    auto state = strategy.start(space);
    std::vector<tk::index> all;
    for (;;) {
        const auto batch = round_of(strategy, state, space, n, kind, gen);
        if (batch.empty()) return all;
        all.insert(all.end(), batch.begin(), batch.end());
    }
}

template <class S>
void keeps_the_laws(const S& strategy, const grid_space& space)
{
    for (const answers kind : {answers::bowl, answers::equal, answers::failures, answers::abandoned, answers::mixed})
        for (const std::size_t n : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
            CAPTURE(space.size());
            CAPTURE(static_cast<int>(kind));
            CAPTURE(n);
            const auto all = walk(strategy, space, n, kind);
            CHECK(all.size() == space.size());
            CHECK(std::set<tk::index>(all.begin(), all.end()).size() == space.size());
            CHECK(walk(strategy, space, n, kind) == all);
        }
}

template <class S, class State>
void tell(const S& strategy, State& state, const grid_space& space, const std::vector<measurement>& measured)
{
    philox gen(1);
    std::vector<tk::index> which(measured.size());
    for (std::size_t i = 0; i < which.size(); ++i) which[i] = i;
    strategy.observe(state, space, which, measured, gen);
}

/// Answers with a cost by rule.
template <class Cost>
struct measured_by {
    Cost cost;

    std::vector<measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
    {
        std::vector<measurement> out;
        for (const tk::index i : batch) out.push_back({.cost = cost(i), .runs = 1});
        return out;
    }
};
template <class Cost>
measured_by(Cost) -> measured_by<Cost>;

/// Looks at what a screen is given and chooses by Chameleon's.
struct watching {
    const std::set<tk::index>* failed = nullptr;
    int* calls = nullptr;

    template <class Space, class G>
    std::vector<tk::index> select(const Space& space, std::span<const tk::explore::scored_candidate> candidates,
                                  const tk::space::index_set& visited, std::size_t n, G& gen) const
    {
        ++*calls;
        for (const tk::index i : *failed) CHECK(visited.contains(i));
        for (const auto& c : candidates) CHECK_FALSE(visited.contains(c.candidate));
        const auto out = tk::screen::adaptive_sampling{}.select(space, candidates, visited, n, gen);
        for (const tk::index i : out) CHECK_FALSE(failed->contains(i));
        return out;
    }
};

}  // namespace

TEST_CASE("scores on the scale of throughput are best / cost, and 0 for a failure")
{
    const grid_space space({6});
    const auto strategy = with_forest({.scale = tk::search::score_scale::throughput});
    auto state = strategy.start(space);
    tell(strategy, state, space,
         {{.cost = 8}, {.cost = 2}, {.cost = 1, .failed = tk::measure::failure{}}, {.cost = 4}});
    CHECK(strategy.scores(state) == std::vector<double>{0.25, 1, 0, 0.5});
}

TEST_CASE("scores on the log scale are ln(best / cost), and 1 below the worst for a failure")
{
    const grid_space space({6});
    const auto strategy = with_forest({.scale = tk::search::score_scale::log});
    auto state = strategy.start(space);
    tell(strategy, state, space,
         {{.cost = 8}, {.cost = 2}, {.cost = 1, .failed = tk::measure::failure{}}, {.cost = 4}});
    CHECK(strategy.scores(state) == std::vector<double>{std::log(0.25), 0, std::log(0.25) - 1, std::log(0.5)});
}

TEST_CASE("below cost_cap_quantile = 1 the most expensive valid costs and failures count as the cost at that quantile")
{
    const grid_space space({6});
    const std::vector<measurement> told{
        {.cost = 8}, {.cost = 2}, {.cost = 1, .failed = tk::measure::failure{}}, {.cost = 4}};
    for (const auto scale : {tk::search::score_scale::throughput, tk::search::score_scale::log}) {
        const auto strategy = with_forest({.scale = scale, .cost_cap_quantile = 0.5});
        auto state = strategy.start(space);
        tell(strategy, state, space, told);  // valid: 2, 4, 8
        if (scale == tk::search::score_scale::throughput)
            CHECK(strategy.scores(state) == std::vector<double>{0.5, 1, 0.5, 0.5});
        else CHECK(strategy.scores(state) == std::vector<double>{std::log(0.5), 0, std::log(0.5), std::log(0.5)});
    }
}

TEST_CASE("beside one valid cost a failure scores as that cost where costs are capped at the median")
{
    const grid_space space({6});
    const auto strategy = with_forest({.cost_cap_quantile = 0.5});
    auto state = strategy.start(space);
    tell(strategy, state, space, {{.cost = 1, .failed = tk::measure::failure{}}});
    tell(strategy, state, space, {{.cost = 4}});
    CHECK(strategy.scores(state) == std::vector<double>{1, 1});
}

TEST_CASE("growing plans: 8 at random, then a share of what is known, at least one, at most `plan`")
{
    const grid_space space({9, 8, 7});
    const auto sizes_of = [&](tk::search::model_guided_options options, std::size_t plans) {
        const auto strategy = with_boosting(options);
        philox gen(5);
        auto state = strategy.start(space);
        std::vector<std::size_t> out;
        while (out.size() < plans) {
            out.push_back(round_of(strategy, state, space, 1000, answers::bowl, gen).size());
            if (out.size() == 1) CHECK_FALSE(state.model.fitted());
        }
        return out;
    };
    // 8, 9, 10, 12, 14, 16, 19, 22, 26 known before each
    CHECK(sizes_of({.round = 64, .first = 8, .growth = 0.2}, 9) == std::vector<std::size_t>{8, 1, 1, 2, 2, 2, 3, 3, 4});
    CHECK(sizes_of({.round = 3, .first = 10, .growth = 0.5}, 4) == std::vector<std::size_t>{10, 3, 3, 3});
    CHECK(sizes_of({.round = 5, .first = 2}, 3) == std::vector<std::size_t>{2, 5, 5});
    CHECK(sizes_of({.round = 5}, 3) == std::vector<std::size_t>{5, 5, 5});
}

TEST_CASE("what a strategy is told before its first proposal counts towards the first ones at random")
{
    const grid_space space({9, 8, 7});
    const auto strategy = with_boosting({.round = 16, .first = 5});
    philox gen(5);
    auto state = strategy.start(space);
    tell(strategy, state, space, {{.cost = 3}, {.cost = 2}});
    CHECK(round_of(strategy, state, space, 1000, answers::bowl, gen).size() == 3);
    CHECK_FALSE(state.model.fitted());
    CHECK(round_of(strategy, state, space, 1000, answers::bowl, gen).size() == 16);
    CHECK(state.model.fitted());
}

TEST_CASE(
    "a measurement cut short is never the best; its score is that of its bound, 1 at most on the scale of throughput")
{
    const grid_space space({6});
    const auto strategy = with_forest({});
    auto state = strategy.start(space);
    tell(strategy, state, space, {{.cost = 2}, {.cost = 1, .at_least = true}, {.cost = 4, .at_least = true}});
    CHECK(state.best == 2);
    CHECK(strategy.scores(state) == std::vector<double>{1, 1, 0.5});
}

TEST_CASE("model_guided never repeats, exhausts the space in the middle of a batch too, and is decided by the seed")
{
    for (const auto scale : {tk::search::score_scale::throughput, tk::search::score_scale::log}) {
        keeps_the_laws(with_forest({.round = 16, .scale = scale}), grid_space({5, 4, 3}));
        keeps_the_laws(with_boosting({.round = 16, .scale = scale}), grid_space({5, 4, 3}));
    }
    keeps_the_laws(with_forest(tk::search::model_guided_options::growing()), grid_space({5, 4, 3}));
    keeps_the_laws(with_boosting(tk::search::model_guided_options::growing()), grid_space({5, 4, 3}));
}

TEST_CASE("model_guided on one configuration, on fewer than a batch and on none")
{
    for (const auto& space : {grid_space({1}), grid_space({1, 1}), grid_space({3}), grid_space({0})}) {
        keeps_the_laws(with_forest({.round = 16}), space);
        keeps_the_laws(with_boosting({.round = 16}), space);
    }
}

TEST_CASE("a constant feature changes nothing about the laws")
{
    keeps_the_laws(with_forest({.round = 8}), grid_space({1, 6, 1, 5}));
    keeps_the_laws(with_boosting({.round = 8}), grid_space({1, 6, 1, 5}));
}

TEST_CASE("while nothing valid was measured the model is not asked; after the first success it is")
{
    const grid_space space({8, 8});
    const auto strategy = with_forest({.round = 4});
    philox gen(1);
    auto state = strategy.start(space);
    for (int k = 0; k < 3; ++k) round_of(strategy, state, space, 4, answers::failures, gen);
    const auto fourth = strategy.propose(state, space, 4, gen);
    CHECK_FALSE(state.model.fitted());
    const std::vector<measurement> good(4, measurement{.cost = 1});
    strategy.observe(state, space, fourth, good, gen);
    CHECK(strategy.propose(state, space, 4, gen).size() == 4);
    CHECK(state.model.fitted());
}

TEST_CASE("a screen knows of every failure: it is visited, no candidate is, and synthesis makes none of them again")
{
    const grid_space space({8, 8, 4});
    std::set<tk::index> failed, proposed;
    int calls = 0;
    const tk::search::model_guided strategy{tk::surrogate::boosted_trees{.rounds = 5},
                                            tk::acquisition::mean{},
                                            tk::explore::annealing{.chains = 16, .steps = 40},
                                            watching{&failed, &calls},
                                            {.round = 16}};
    philox gen(3);
    auto state = strategy.start(space);
    for (;;) {
        const auto batch = strategy.propose(state, space, 16, gen);
        if (batch.empty()) break;
        std::vector<measurement> measured;
        for (const tk::index i : batch) {
            CHECK(proposed.insert(i).second);
            measured.push_back({.cost = 1 + static_cast<double>(i % 7), .runs = 1});
            if (i % 3 != 0) continue;
            measured.back().failed = tk::measure::failure{};
            failed.insert(i);
        }
        strategy.observe(state, space, batch, measured, gen);
    }
    CHECK(proposed.size() == 256);
    CHECK(failed.size() == 86);
    CHECK(calls > 10);
}

TEST_CASE("costs that are no number reach a strategy as failures and end no run")
{
    const grid_space space({6, 5});
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double inf = std::numeric_limits<double>::infinity();
    for (const auto scale : {tk::search::score_scale::throughput, tk::search::score_scale::log}) {
        philox gen(3);
        const auto cost = [&](tk::index i) {
            return i % 4 == 0 ? nan : i % 4 == 1 ? inf : i % 4 == 2 ? -1.0 : 1.0 + static_cast<double>(i);
        };
        const auto found =
            tk::tune(space, measured_by{cost}, with_forest({.round = 5, .scale = scale}), {.trials = 100}, gen);
        CHECK(found.stopped() == tk::stop_reason::exhausted);
        CHECK(found.trials().size() == 30);
        CHECK(found.failed() == 23);  // 30 less the 7 of i % 4 == 3
        CHECK(found.incumbent().candidate == 3);
    }
}

TEST_CASE("a copy of the state replays the run")
{
    const grid_space space({9, 8, 7});
    const auto strategy = with_forest({.round = 10});
    philox gen(3);
    auto state = strategy.start(space);
    for (int k = 0; k < 7; ++k) round_of(strategy, state, space, 6, answers::mixed, gen);
    auto copy = state;
    philox copied = gen;
    for (int k = 0; k < 7; ++k)
        CHECK(round_of(strategy, copy, space, 6, answers::mixed, copied) ==
              round_of(strategy, state, space, 6, answers::mixed, gen));
}

TEST_CASE("model_guided refuses options out of range")
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto start = [](const tk::search::model_guided_options& options) {
        (void)with_forest(options).start(grid_space({3}));
    };
    CHECK_THROWS_AS(start({.round = 0}), std::invalid_argument);
    for (const double growth : {-0.1, nan}) CHECK_THROWS_AS(start({.growth = growth}), std::invalid_argument);
    for (const double share : {0.0, -1.0, 1.01, nan})
        CHECK_THROWS_AS(start({.cost_cap_quantile = share}), std::invalid_argument);
}

// Fixed seeds, so there are no false alarms. Under the hypothesis that a strategy is as good as random each pair is won with
// probability 1/2, and 11 of 15 wins have probability 0.06 per strategy.
TEST_CASE("forest and boosting beat random in the median best of 128 on 10^4 points, and in at least 11 of 15 seeds")
{
    const grid_space space({10, 10, 10, 10});
    const auto cost = [&](tk::index i) {
        std::vector<std::uint16_t> x(4);
        space.ordinals(std::span(&i, 1), x);
        const auto square = [](double v) { return v * v; };
        return std::exp(
            0.05 * (square(x[0] - 3.0) + square(x[1] - 7.0) + square(x[2] + x[3] - 9.0) + 0.3 * square(x[2] - 2.0)));
    };
    const auto best_of = [&](const auto& strategy, std::uint64_t seed) {
        philox gen(seed);
        return tk::tune(space, measured_by{cost}, strategy, {.trials = 128}, gen).best_cost();
    };
    const auto median = [](std::vector<double> x) {
        std::nth_element(x.begin(), x.begin() + 7, x.end());
        return x[7];
    };
    std::vector<double> by_random, forest, boosting;
    int forest_wins = 0, boosting_wins = 0;
    for (std::uint64_t seed = 0; seed < 15; ++seed) {
        by_random.push_back(best_of(tk::search::random{}, seed));
        forest.push_back(best_of(with_forest({.round = 16}), seed));
        boosting.push_back(best_of(with_boosting({.round = 16}), seed));
        forest_wins += forest.back() < by_random.back();
        boosting_wins += boosting.back() < by_random.back();
    }
    CHECK(median(forest) < median(by_random));
    CHECK(median(boosting) < median(by_random));
    CHECK(forest_wins >= 11);
    CHECK(boosting_wins >= 11);
}
