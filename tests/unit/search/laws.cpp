// SPDX-License-Identifier: MIT
// What every strategy without a model must keep, whatever the space and whatever the measurements.
#include <doctest/doctest.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/concepts.hpp"
#include "tunekit/search/genetic.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/search/random.hpp"

namespace tk = tunekit;
using support::grid_space;
using tk::measure::measurement;
using tk::random::philox;

namespace {

template <class S>
concept lawful =
    tk::search::strategy<S, grid_space, philox> && std::is_aggregate_v<S> && std::regular<typename S::state>;

static_assert(tk::space::search_space<grid_space, philox>);
static_assert(lawful<tk::search::random> && lawful<tk::search::grid> && lawful<tk::search::genetic> &&
              lawful<tk::search::annealing> && lawful<tk::search::hill_climb>);

enum class answers { bowl, equal, failures, abandoned, mixed };

measurement answer(answers kind, tk::index i)
{
    measurement m;
    m.cost = 1e-3 * (1 + static_cast<double>((i * 37) % 101));
    if (kind == answers::equal) m.cost = 1e-3;
    if (kind == answers::failures || (kind == answers::mixed && i % 3 == 0))
        m.failed = tk::measure::failure{tk::measure::failure_kind::crash, 11, ""};
    if (kind == answers::abandoned || (kind == answers::mixed && i % 5 == 1)) m.at_least = true;
    return m;
}

/// Proposes and observes until the space is exhausted or `most` were proposed; returns the proposals in order.
template <class S>
std::vector<tk::index> walk(const S& strategy, const grid_space& space, std::size_t n, answers kind, std::uint64_t seed,
                            std::size_t most = ~std::size_t{0})
{
    philox gen(seed);
    auto state = strategy.start(space);
    std::vector<tk::index> all;
    while (all.size() < most) {
        const auto batch = strategy.propose(state, space, n, gen);
        CHECK(batch.size() <= n);
        if (batch.empty()) break;
        std::vector<measurement> measured;
        for (const tk::index i : batch) measured.push_back(answer(kind, i));
        strategy.observe(state, space, batch, measured, gen);
        all.insert(all.end(), batch.begin(), batch.end());
    }
    return all;
}

grid_space constrained()
{
    return grid_space({7, 5, 6, 2}, [](std::span<const std::uint16_t> x) { return (x[0] + x[1] * x[2]) % 3 != 0; });
}

/// One isolated pair of configurations among 4096: neighbours are rare.
grid_space sparse()
{
    return grid_space({16, 16, 16}, [](std::span<const std::uint16_t> x) { return x[0] == x[1] && x[1] == x[2]; });
}

template <class S>
void keeps_the_laws(const S& strategy)
{
    std::vector<grid_space> spaces;
    spaces.push_back(grid_space({5, 4, 3}));
    spaces.push_back(constrained());
    spaces.push_back(sparse());
    spaces.push_back(grid_space({1}));
    spaces.push_back(grid_space({1, 1, 1}));
    spaces.push_back(grid_space({0}));
    spaces.push_back(grid_space(std::vector<std::uint16_t>{}));
    for (const grid_space& space : spaces)
        for (const answers kind :
             {answers::bowl, answers::equal, answers::failures, answers::abandoned, answers::mixed})
            for (const std::size_t n : {std::size_t{1}, std::size_t{8}, std::size_t{1000}}) {
                CAPTURE(space.size());
                CAPTURE(static_cast<int>(kind));
                CAPTURE(n);
                const auto all = walk(strategy, space, n, kind, 42);
                CHECK(all.size() == space.size());                                          // exhausts it ...
                CHECK(std::set<tk::index>(all.begin(), all.end()).size() == space.size());  // ... and never repeats
                CHECK(std::all_of(all.begin(), all.end(), [&](tk::index i) { return i < space.size(); }));
                CHECK(walk(strategy, space, n, kind, 42) == all);  // the seed decides
            }
}

template <class S>
void replays_from_a_copy(const S& strategy)
{
    const grid_space space = constrained();
    philox gen(3);
    auto state = strategy.start(space);
    const auto step = [&](auto& s, philox& g) {
        const auto batch = strategy.propose(s, space, 5, g);
        std::vector<measurement> measured;
        for (const tk::index i : batch) measured.push_back(answer(answers::mixed, i));
        strategy.observe(s, space, batch, measured, g);
        return batch;
    };
    for (int k = 0; k < 8; ++k) step(state, gen);
    auto copy = state;
    philox copied_gen = gen;
    CHECK(copy == state);
    for (int k = 0; k < 12; ++k) {
        CHECK(step(copy, copied_gen) == step(state, gen));
        CHECK(copy == state);
    }
}

}  // namespace

TEST_CASE("every strategy exhausts every space exactly and never proposes twice")
{
    SUBCASE("random") { keeps_the_laws(tk::search::random{}); }
    SUBCASE("grid") { keeps_the_laws(tk::search::grid{}); }
    SUBCASE("genetic") { keeps_the_laws(tk::search::genetic{}); }
    SUBCASE("genetic, tiny population") { keeps_the_laws(tk::search::genetic{.population = 1, .attempts = 2}); }
    SUBCASE("annealing") { keeps_the_laws(tk::search::annealing{}); }
    SUBCASE("hill_climb") { keeps_the_laws(tk::search::hill_climb{}); }
}

TEST_CASE("a copied state goes on as the original does")
{
    SUBCASE("random") { replays_from_a_copy(tk::search::random{}); }
    SUBCASE("grid") { replays_from_a_copy(tk::search::grid{}); }
    SUBCASE("genetic") { replays_from_a_copy(tk::search::genetic{.population = 10}); }
    SUBCASE("annealing") { replays_from_a_copy(tk::search::annealing{}); }
    SUBCASE("hill_climb") { replays_from_a_copy(tk::search::hill_climb{}); }
}

TEST_CASE("different seeds search differently")
{
    const grid_space space = constrained();
    const auto differ = [&](const auto& s) {
        return walk(s, space, 8, answers::bowl, 1, 40) != walk(s, space, 8, answers::bowl, 2, 40);
    };
    CHECK(differ(tk::search::random{}));
    CHECK(differ(tk::search::genetic{}));
    CHECK(differ(tk::search::annealing{}));
    CHECK(differ(tk::search::hill_climb{}));
}

TEST_CASE("asking for nothing gives nothing and does not end the search")
{
    const grid_space space = constrained();
    philox gen(1);
    auto state = tk::search::random{}.start(space);
    CHECK(tk::search::random{}.propose(state, space, 0, gen).empty());
    CHECK(tk::search::random{}.propose(state, space, 3, gen).size() == 3);
}
