// SPDX-License-Identifier: MIT
// Strategies with answers missing: asked and told in every order, in every portion, they keep the concept's promises.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/answers.hpp"
#include "tests/support/grid_space.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/recipes/adatune.hpp"
#include "tunekit/recipes/autotvm.hpp"
#include "tunekit/recipes/chameleon.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/genetic.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/search/random.hpp"

namespace tk = tunekit;
using support::answers;
using support::grid_space;
using tk::measure::measurement;
using tk::random::philox;
using tk::random::uniform_index;

namespace {

/// A part of a recipe's value that costs time and changes no promise, made small.
template <class S>
S quick(S s)
{
    if constexpr (requires { s.model.trees; }) s.model.trees = 4;
    if constexpr (requires { s.model.rounds; }) s.model.rounds = 6;
    if constexpr (requires { s.options.round; }) s.options.round = 12;
    if constexpr (requires { s.explore.chains; }) s.explore.chains = 8;
    if constexpr (requires { s.explore.inner.chains; }) s.explore.inner = {.chains = 8, .steps = 20};
    if constexpr (requires { s.explore.episodes; }) s.explore.episodes = 8;
    if constexpr (requires { s.explore.steps; }) s.explore.steps = 10;
    return s;
}

/// A recipe's strategy, or the strategy itself.
template <class R>
auto strategy_in(R recipe)
{
    if constexpr (requires { recipe.strategy; }) return recipe.strategy;
    else return recipe;
}

/// Calls `f(name, strategy)` for every strategy and every recipe's.
template <class F>
void every_strategy(F&& f)
{
    f("random", tk::search::random{});
    f("grid", tk::search::grid{});
    f("hill_climb", tk::search::hill_climb{.starts = 3});
    f("annealing", tk::search::annealing{.starts = 3, .patience = 5});
    f("genetic", tk::search::genetic{.population = 10, .attempts = 4});
    f("autotvm", quick(strategy_in(tk::recipes::autotvm_reg())));
    f("autotvm_rank_paper", quick(strategy_in(tk::recipes::autotvm_rank_paper())));
    f("adatune", quick(strategy_in(tk::recipes::adatune())));
    f("adatune_rfei", quick(strategy_in(tk::recipes::adatune_rfei())));
    f("chameleon", quick(strategy_in(tk::recipes::chameleon())));
    f("chameleon_sa_as", quick(strategy_in(tk::recipes::chameleon_sa_as())));
    f("combined", quick(strategy_in(tk::recipes::combined())));
}

template <class S>
constexpr bool waits = false;
template <>
constexpr bool waits<tk::search::genetic> = true;

/// Random asks, answers in random order and portions, and configurations that somebody else measured, until nothing is
/// left; `most_out` bounds what is out. Checks the promises of search::strategy on the way; returns the events.
template <class S>
std::vector<tk::index> interleaved(const S& strategy, const grid_space& space, std::size_t most_out, answers kind,
                                   std::uint64_t seed)
{
    philox gen(seed), order(seed + 1000);
    auto state = strategy.start(space);
    std::vector<tk::index> out, events;
    std::set<tk::index> known;
    const auto tell = [&](std::vector<tk::index> some) {
        std::vector<measurement> measured;
        for (const tk::index i : some) measured.push_back(answer(kind, i));
        strategy.observe(state, space, some, measured, gen);
        events.insert(events.end(), some.begin(), some.end());
    };
    for (std::size_t quiet = 0; quiet < 2;) {
        const auto what = uniform_index(8, order);
        if (what < 4 && out.size() < most_out) {
            const std::size_t n = 1 + static_cast<std::size_t>(uniform_index(most_out - out.size(), order));
            const philox before = gen;
            const auto batch = strategy.propose(state, space, n, gen);
            REQUIRE(batch.size() <= n);
            if (batch.empty()) {
                CHECK(gen == before);
                REQUIRE((waits<S> || known.size() == space.size()));  // nothing else has a reason to wait
                if (out.empty()) {
                    REQUIRE(known.size() == space.size());
                    ++quiet;
                }
            }
            for (const tk::index i : batch) {
                REQUIRE(i < space.size());
                REQUIRE(known.insert(i).second);
                out.push_back(i);
            }
        } else if (what == 4 && known.size() < space.size()) {  // somebody else's
            const tk::index i = uniform_index(space.size(), order);
            if (known.insert(i).second) tell({i});
        } else if (!out.empty()) {
            std::vector<tk::index> some;
            const std::size_t n = 1 + static_cast<std::size_t>(uniform_index(out.size(), order));
            for (std::size_t k = 0; k < n; ++k) {
                const auto at = static_cast<std::size_t>(uniform_index(out.size(), order));
                some.push_back(out[at]);
                out.erase(out.begin() + static_cast<std::ptrdiff_t>(at));
            }
            tell(some);
        }
    }
    CHECK(out.empty());
    CHECK(strategy.propose(state, space, 3, gen).empty());
    return events;
}

/// What is proposed where each batch of at most `n` is answered before the next: singly, last first, or in one go.
template <class S>
std::vector<tk::index> in_turn(const S& strategy, const grid_space& space, std::size_t n, bool singly)
{
    philox gen(8);
    auto state = strategy.start(space);
    std::vector<tk::index> all;
    for (;;) {
        const auto batch = strategy.propose(state, space, n, gen);
        if (batch.empty()) return all;
        all.insert(all.end(), batch.begin(), batch.end());
        std::vector<measurement> measured;
        for (const tk::index i : batch) measured.push_back(answer(answers::mixed, i));
        const std::size_t portion = singly ? 1 : batch.size();
        for (std::size_t k = 0; k < batch.size(); k += portion)
            strategy.observe(state, space, std::span(batch).subspan(k, portion),
                             std::span(measured).subspan(k, portion), gen);
    }
}

}  // namespace

TEST_CASE("asked and told at random, no strategy repeats, gets stuck or waits without a reason, and each ends clean")
{
    std::vector<grid_space> spaces;
    spaces.push_back(grid_space({5, 4, 3}));
    spaces.push_back(grid_space({7, 5, 2}, [](std::span<const std::uint16_t> x) { return (x[0] + x[1]) % 3 != 0; }));
    spaces.push_back(grid_space({6, 6}, [](std::span<const std::uint16_t> x) { return x[0] == x[1]; }));
    spaces.push_back(grid_space({1}));
    every_strategy([&](const std::string& name, const auto& strategy) {
        CAPTURE(name);
        for (const grid_space& space : spaces)
            for (const answers kind : {answers::bowl, answers::equal, answers::failures, answers::mixed})
                for (const std::size_t most_out : {std::size_t{1}, std::size_t{3}, std::size_t{32}}) {
                    CAPTURE(space.size());
                    CAPTURE(static_cast<int>(kind));
                    CAPTURE(most_out);
                    const auto events = interleaved(strategy, space, most_out, kind, 7 + most_out);
                    CHECK(events.size() == space.size());
                    CHECK(std::set<tk::index>(events.begin(), events.end()).size() == space.size());
                }
        const auto again = [&] { return interleaved(strategy, spaces[0], 8, answers::mixed, 5); };
        CHECK(again() == again());  // seed and events decide
    });
}

TEST_CASE("a batch told one by one teaches what the batch told whole does")
{
    const grid_space space({6, 5, 4});
    every_strategy([&](const std::string& name, const auto& strategy) {
        CAPTURE(name);
        for (const std::size_t n : {std::size_t{1}, std::size_t{8}})
            CHECK(in_turn(strategy, space, n, true) == in_turn(strategy, space, n, false));
    });
}

TEST_CASE(
    "nothing is asked of a space that is exhausted, and nothing where nothing is wanted: state and generator stay")
{
    const grid_space space({4, 3});
    every_strategy([&](const std::string& name, const auto& strategy) {
        CAPTURE(name);
        philox gen(3);
        auto state = strategy.start(space);
        const philox before = gen;
        CHECK(strategy.propose(state, space, 0, gen).empty());
        CHECK(gen == before);
        const auto twin = [&](std::size_t asked_for_none) {
            philox g(3);
            auto s = strategy.start(space);
            std::vector<tk::index> all;
            for (std::size_t k = 0; k < 12; ++k) {
                for (std::size_t j = 0; j < asked_for_none; ++j) CHECK(strategy.propose(s, space, 0, g).empty());
                const auto batch = support::round_of(strategy, s, space, 1, answers::bowl, g);
                all.insert(all.end(), batch.begin(), batch.end());
            }
            return all;
        };
        CHECK(twin(0) == twin(2));
    });
}

TEST_CASE("a climb ends when nothing of it is out: a late better neighbour is climbed on, and starts of the next wait")
{
    const grid_space space({40});
    const tk::search::hill_climb strategy{.starts = 1, .steps = tk::space::neighbourhood::adjacent};
    philox gen(1);
    auto state = strategy.start(space);
    const auto first = strategy.propose(state, space, 1, gen);
    const auto cost = [](tk::index i, double seconds) {
        return std::pair{std::vector<tk::index>{i}, std::vector<measurement>{{.cost = seconds}}};
    };
    const auto tell = [&](tk::index i, double seconds) {
        const auto [which, measured] = cost(i, seconds);
        strategy.observe(state, space, which, measured, gen);
    };
    tell(first[0], 10);
    const auto around = strategy.propose(state, space, 8, gen);
    REQUIRE(around.size() == 2);  // the start is not at an end of the list
    const auto next_start = strategy.propose(state, space, 8, gen);
    REQUIRE(next_start.size() == 1);
    tell(next_start[0], 1);  // better by far, but of the next climb
    tell(around[0], 11);
    const tk::index side = around[1];
    tell(side, 9);  // the late one improves: this climb goes on
    const auto on = strategy.propose(state, space, 8, gen);
    REQUIRE(on.size() == 1);
    CHECK((on[0] > side ? on[0] - side : side - on[0]) == 1);
    tell(on[0], 12);  // and ends: the next begins where its start was measured
    const auto of_next = strategy.propose(state, space, 1, gen);
    REQUIRE(of_next.size() == 1);
    const tk::index centre = next_start[0];
    CHECK((of_next[0] > centre ? of_next[0] - centre : centre - of_next[0]) == 1);
}

TEST_CASE(
    "annealing proposes no more starts than it has, however many are out, and what a given-up walk brings late is no "
    "step")
{
    const grid_space space({50, 50});
    const tk::search::annealing strategy{.starts = 4, .temperature = 0, .patience = 2};
    philox gen(1);
    auto state = strategy.start(space);
    const auto starts = strategy.propose(state, space, 100, gen);
    CHECK(starts.size() == 4);
    const auto tell = [&](tk::index i, double seconds) {
        const std::vector<measurement> measured{{.cost = seconds}};
        strategy.observe(state, space, std::span(&i, 1), measured, gen);
    };
    tell(starts[0], 5);
    CHECK(state.current == starts[0]);
    const auto steps = strategy.propose(state, space, 3, gen);  // from the best start so far
    REQUIRE(steps.size() == 3);
    for (std::size_t k = 1; k < 4; ++k) tell(starts[k], 4.0 + static_cast<double>(k));
    CHECK(state.steps == 0);
    tell(steps[0], 9);
    tell(steps[1], 9);
    CHECK(state.stale == 2);
    const auto second = strategy.propose(state, space, 1, gen);  // the walk is given up, one step of it still out
    REQUIRE(second.size() == 1);
    CHECK_FALSE(state.current);
    tell(steps[2], 1e-3);
    CHECK_FALSE(state.current);
    CHECK(state.steps == 0);
    CHECK(state.starts_left == 3);
    CHECK(state.log_costs.count() == 7);  // but it taught the spread
}

TEST_CASE("a generation waits for its last child, and a child that somebody else measured is not proposed")
{
    const grid_space space({30, 30});
    const tk::search::genetic strategy{.population = 4};
    philox gen(1);
    auto state = strategy.start(space);
    auto batch = strategy.propose(state, space, 3, gen);
    REQUIRE(batch.size() == 3);
    const tk::index last = state.children[3];
    const auto tell = [&](tk::index i) {
        const std::vector<measurement> measured{answer(answers::bowl, i)};
        strategy.observe(state, space, std::span(&i, 1), measured, gen);
    };
    tell(last);
    tell(batch[2]);
    tell(batch[0]);
    const auto before = state;
    const philox drawn = gen;
    CHECK(strategy.propose(state, space, 5, gen).empty());
    CHECK(state == before);
    CHECK(gen == drawn);
    tell(batch[1]);
    const auto children = strategy.propose(state, space, 5, gen);
    CHECK(children.size() == 4);
    CHECK(std::find(children.begin(), children.end(), last) == children.end());
}

TEST_CASE("what is out counts towards the first ones of a model: no more of them are drawn than with one at a time")
{
    const grid_space space({12, 9, 7});
    auto strategy = quick(strategy_in(tk::recipes::adatune()));
    philox gen(1);
    auto state = strategy.start(space);
    std::vector<tk::index> out;
    for (std::size_t k = 0; k < 8; ++k) {
        const auto batch = strategy.propose(state, space, 1, gen);
        REQUIRE(batch.size() == 1);
        out.push_back(batch[0]);
    }
    const auto before = state.model;
    const std::vector<measurement> one{answer(answers::bowl, out[3])};
    strategy.observe(state, space, std::span(out).subspan(3, 1), one, gen);
    CHECK_FALSE(state.model.fitted());
    const auto next = strategy.propose(state, space, 1, gen);
    CHECK(next.size() == 1);
    CHECK(state.model.fitted());
    CHECK(!before.fitted());
}
