// SPDX-License-Identifier: MIT
#include "tunekit/search/portfolio.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <vector>

#include "tests/support/answers.hpp"
#include "tests/support/grid_space.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/search/idle_parameters.hpp"
#include "tunekit/stats/expected_excess.hpp"
#include "tunekit/surrogate/validity.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
using support::answers;
using support::grid_space;
using support::round_of;
using philox = tk::random::philox;
using tk::measure::measurement;

namespace {

auto small()
{
    auto s = tk::recipes::combined().strategy;
    s.forest.trees = 4;
    s.process.evaluations = 5;
    return s;
}
using strategy_type = decltype(small());

/// The same where a failure is the worst cost, however many fail.
auto by_costs_alone()
{
    auto s = small();
    s.options.failing_share = std::numeric_limits<double>::infinity();
    return s;
}
static_assert(tk::search::strategy<strategy_type, grid_space, philox>);

std::vector<tk::index> walk(const strategy_type& strategy, const grid_space& space, std::size_t n, answers kind)
{
    philox gen(5);
    auto state = strategy.start(space);
    std::vector<tk::index> all;
    for (;;) {
        const auto batch = round_of(strategy, state, space, n, kind, gen);
        if (batch.empty()) return all;
        all.insert(all.end(), batch.begin(), batch.end());
    }
}

/// Measured: the costs of `costs` at 0, 1, ..., told as if somebody else had chosen them.
template <class State>
void tell(const strategy_type& strategy, State& state, const grid_space& space,
          const std::vector<measurement>& measured)
{
    philox gen(1);
    std::vector<tk::index> which(measured.size());
    for (std::size_t i = 0; i < which.size(); ++i) which[i] = i;
    strategy.observe(state, space, which, measured, gen);
}

/// A bowl over the ordinals with steps in it; one in nine fails.
measurement stepped(const grid_space& space, tk::index i)
{
    std::vector<std::uint16_t> x(space.dimensions());
    space.ordinals(std::span(&i, 1), x);
    double sum = 1;
    for (std::size_t j = 0; j < x.size(); ++j) sum += (static_cast<double>(j) + 1) * std::abs(x[j] - 3.0) + (x[j] % 3);
    measurement m{.cost = sum, .runs = 1};
    if (i % 9 == 4) m.failed = tk::measure::failure{};
    return m;
}

/// Asks for `n` and answers them.
template <class State>
std::vector<tk::index> step(const strategy_type& strategy, State& state, const grid_space& space, std::size_t n,
                            philox& gen)
{
    const auto batch = strategy.propose(state, space, n, gen);
    std::vector<measurement> measured;
    for (const tk::index i : batch) measured.push_back(stepped(space, i));
    strategy.observe(state, space, batch, measured, gen);
    return batch;
}

/// ln(EI / 2 + EI / 2) by the two models of a state, the plain way.
template <class State>
std::vector<double> mixtures(const strategy_type& strategy, const State& state, const grid_space& space,
                             const std::vector<tk::index>& of)
{
    const std::size_t d = space.dimensions();
    std::vector<float> rows(of.size() * d);
    space.features(of, rows, tk::space::encoding::ordinals);
    std::vector<tk::stats::prediction> forest(of.size()), process(of.size());
    strategy.forest.predict(state.forest, tk::surrogate::features(rows, d), std::span(forest));
    strategy.process.predict(state.process, tk::surrogate::features(rows, d), std::span(process));
    const double best = -state.best.log_costs.front();
    std::vector<double> out;
    for (std::size_t k = 0; k < of.size(); ++k)
        out.push_back(std::log(0.5 * tk::stats::expected_excess(process[k], best) +
                               0.5 * tk::stats::expected_excess(forest[k], best)));
    return out;
}

std::vector<tk::index> every(const grid_space& space)
{
    std::vector<tk::index> out(space.size());
    for (tk::index i = 0; i < space.size(); ++i) out[i] = i;
    return out;
}

}  // namespace

TEST_CASE("both models learn -ln cost: the forest capped at the quantile, a failure at it or as the worst")
{
    const grid_space space({10});
    auto strategy = small();
    strategy.options.first = 3;
    const measurement failed{.cost = 1, .failed = tk::measure::failure{}};
    const auto learned = [&](double quantile) {
        strategy.options.cost_cap_quantile = quantile;
        auto state = strategy.start(space);
        tell(strategy, state, space,
             {{.cost = 8},
              {.cost = 2},
              failed,
              {.cost = 1},
              {.cost = 4},
              {.cost = 1000},
              {.cost = 3, .at_least = true}});
        philox gen(1);
        (void)strategy.propose(state, space, 1, gen);
        return state;
    };
    const auto half = learned(0.5), all = learned(1);
    CHECK(half.best.ranking == tk::core::plain_vector<tk::index>{3, 1, 4, 0});  // four, and not what was cut short
    CHECK(half.process.mean == doctest::Approx(-std::log(8.0 * 2 * 1000 * 1 * 4 * 1000 * 3) / 7));
    const std::vector<float> rows{0, 1, 2, 3, 4, 5, 6};
    std::vector<tk::stats::prediction> at(7);
    const auto leaves = [&](const auto& state, const std::vector<double>& costs) {  // each row has a leaf of its own
        strategy.forest.predict(state.forest, tk::surrogate::features(rows, 1), std::span(at));
        for (std::size_t k = 0; k < 7; ++k) CHECK(at[k].mean == doctest::Approx(-std::log(costs[k])));
    };
    leaves(half, {3, 2, 3, 1, 3, 3, 3});  // the lower median of 1, 2, 3, 4, 8, 1000
    leaves(all, {8, 2, 1000, 1, 4, 1000, 3});
}

TEST_CASE("the portfolio proposes the highest expected improvement of the mixture of its models over a small space")
{
    const grid_space space({12, 9});
    const auto strategy = by_costs_alone();
    const auto all = every(space);
    philox gen(9);
    auto state = strategy.start(space);
    for (int k = 0; k < 60; ++k) {
        const auto before = state.proposed;
        const auto batch = strategy.propose(state, space, 1, gen);
        REQUIRE(batch.size() == 1);
        if (k >= 8) {
            const auto values = mixtures(strategy, state, space, all);
            double highest = -std::numeric_limits<double>::infinity();
            for (const tk::index i : all)
                if (!before.contains(i)) highest = (std::max)(highest, values[i]);
            CHECK(values[batch[0]] >= highest - 1e-9 * std::abs(highest));
        }
        const std::vector<measurement> measured{stepped(space, batch[0])};
        strategy.observe(state, space, batch, measured, gen);
    }
}

TEST_CASE("where much fails the chances to be valid and to be new count, and every second proposal is a neighbour")
{
    const grid_space space({12, 9});
    const auto strategy = small();
    const auto all = every(space);
    const auto answer_of = [&](tk::index i) {  // two of five fail; costs are in steps, so there are copies
        measurement m = stepped(space, i);
        m.cost = std::ceil(m.cost / 4);
        m.failed = i % 5 < 2 ? std::optional(tk::measure::failure{}) : std::nullopt;
        return m;
    };
    const tk::surrogate::validity valid{strategy.forest};
    philox gen(9);
    auto state = strategy.start(space);
    std::vector<tk::index> ran;
    std::vector<double> costs;
    std::size_t near = 0, believed = 0;
    for (std::size_t k = 0; k < 60; ++k) {
        const auto before = state.proposed;
        const auto ranking = state.best.ranking;
        const auto batch = strategy.propose(state, space, 1, gen);
        REQUIRE(batch.size() == 1);
        if (k >= 20) {  // by then more than 15 % failed
            REQUIRE(state.knows_valid);
            auto values = mixtures(strategy, state, space, all);
            std::vector<float> rows(all.size() * 2);
            space.features(all, rows, tk::space::encoding::values);
            const auto chances = valid.log_chances(state.valid, tk::surrogate::features(rows, 2));
            const auto fresh = tk::search::idle_parameters(space, ran, costs).log_new(space, all);
            std::set<tk::index> around;
            for (const tk::index centre : ranking)
                for (const tk::index i : space.neighbours_of(centre, tk::space::neighbourhood::any_value))
                    around.insert(i);
            const auto rival = [&](tk::index i) { return !before.contains(i) && (k % 2 == 1 || around.count(i) == 1); };
            const auto value = [&](tk::index i) { return values[i] + chances[i] + fresh[i]; };
            double highest = -std::numeric_limits<double>::infinity();
            for (const tk::index i : all)
                if (rival(i)) highest = (std::max)(highest, value(i));
            if (std::any_of(all.begin(), all.end(), rival)) {
                CHECK(rival(batch[0]));
                CHECK(value(batch[0]) >= highest - 1e-9 * std::abs(highest));
                near += k % 2 == 0;
            }
            believed += static_cast<std::size_t>(std::count(state.process.open.begin(), state.process.open.end(), 1));
        }
        const std::vector<measurement> measured{answer_of(batch[0])};
        strategy.observe(state, space, batch, measured, gen);
        if (measured[0].ok()) {
            ran.push_back(batch[0]);
            costs.push_back(std::log(measured[0].cost));
        }
        CHECK(state.failed == k + 1 - ran.size());
    }
    CHECK(near >= 10);
    CHECK(believed >= 40 * 4);  // the failures, as what is out
}

TEST_CASE(
    "while nothing is valid the portfolio goes on as it began, and what failures there are changes nothing below the "
    "share")
{
    const grid_space space({12, 9, 7});
    const auto walked = [&](const auto& strategy, std::size_t valid_from, std::size_t each) {
        philox gen(4);
        auto state = strategy.start(space);
        std::vector<tk::index> out;
        for (std::size_t k = 0; k < 40; ++k) {
            const auto batch = strategy.propose(state, space, 1, gen);
            measurement m = stepped(space, batch.at(0));
            m.failed = k < valid_from || k % each == each - 1 ? std::optional(tk::measure::failure{}) : std::nullopt;
            strategy.observe(state, space, batch, std::vector<measurement>{m}, gen);
            out.push_back(batch[0]);
        }
        return out;
    };
    CHECK(walked(small(), 0, 8) == walked(by_costs_alone(), 0, 8));  // one in eight
    const auto long_design = [&] {
        auto s = small();
        s.options.first = 20;
        return s;
    };
    const auto a = walked(small(), 20, 100), b = walked(long_design(), 20, 100);
    CHECK(std::equal(a.begin(), a.begin() + 20, b.begin()));
    CHECK_FALSE(walked(by_costs_alone(), 20, 100) == a);
}

TEST_CASE("of a large space the portfolio proposes no less than the neighbours of the four best and what it listed")
{
    const grid_space space({10, 10, 10, 10});
    auto strategy = by_costs_alone();
    strategy.options.sample = 60;
    strategy.options.shortlist = 10;
    philox gen(8);
    auto state = strategy.start(space);
    std::size_t lists = 0;
    std::vector<tk::index> listed;
    while (state.past.size() < 90) {
        const auto before = state;
        const auto batch = strategy.propose(state, space, 1, gen);
        REQUIRE(batch.size() == 1);
        if (before.past.size() >= 8) {
            auto rivals = state.listed;
            CHECK(rivals.size() <= 20);  // ten by each model
            CHECK(std::set<tk::index>(rivals.begin(), rivals.end()).size() == rivals.size());
            if (rivals != listed) {
                ++lists;
                listed = rivals;
            }
            if (before.best.ranking.size() >= 1) {  // of one centre there are 36: all are judged
                const auto around = space.neighbours_of(before.best.ranking[0], tk::space::neighbourhood::any_value);
                if (before.best.ranking.size() < 4 || around.size() <= 32)
                    rivals.insert(rivals.end(), around.begin(), around.end());
            }
            std::erase_if(rivals, [&](tk::index i) { return before.proposed.contains(i); });
            rivals.push_back(batch[0]);
            const auto values = mixtures(strategy, state, space, rivals);
            CHECK(values.back() >= *std::max_element(values.begin(), values.end()) - 1e-9 * std::abs(values.back()));
        }
        const std::vector<measurement> measured{stepped(space, batch[0])};
        strategy.observe(state, space, batch, measured, gen);
    }
    CHECK(lists >= 10);  // at 8, 9, ... 12, 14, 16, 19, 22, ...
    CHECK(lists <= 20);
}

TEST_CASE("what is out is believed by the process, not by the forest, and is not proposed again")
{
    const grid_space space({12, 9, 7});
    const auto strategy = small();
    philox gen(3);
    auto state = strategy.start(space);
    for (int k = 0; k < 4; ++k) (void)step(strategy, state, space, 8, gen);
    const auto batch = strategy.propose(state, space, 8, gen);
    CHECK(batch.size() == 8);
    CHECK(std::set<tk::index>(batch.begin(), batch.end()).size() == 8);
    const auto& p = state.process;
    CHECK(p.size() == 32 + 7);  // before the eighth was chosen
    CHECK(std::count(p.open.begin(), p.open.end(), 1) == 7);
    CHECK(std::all_of(p.open.begin(), p.open.begin() + 32, [](char open) { return open == 0; }));
    const auto forest = state.forest;
    const auto parameters = p.parameters;
    (void)strategy.propose(state, space, 8, gen);  // without an answer there is nothing to fit
    CHECK(state.process.parameters == parameters);
    CHECK(state.forest == forest);
    CHECK(std::count(p.open.begin(), p.open.end(), 1) == 15);
    const std::vector<measurement> one{stepped(space, batch[3])};
    strategy.observe(state, space, std::span(batch).subspan(3, 1), one, gen);
    (void)strategy.propose(state, space, 1, gen);
    CHECK(std::count(state.process.open.begin(), state.process.open.end(), 1) == 15);
    CHECK(state.process.open[32 + 3] == 0);
    CHECK_FALSE(state.forest == forest);
}

TEST_CASE("each model sees a window: the latest quarter, and the best of the others, what is out last")
{
    tk::search::detail::past past;
    tk::search::detail::window window;
    for (tk::index i = 0; i < 41; ++i) {
        const std::size_t at = past.propose(i);
        if (i != 2) CHECK(past.answer(i, static_cast<double>((i * 7) % 41)) == at);
        window.rows.push_back(at);
    }
    window.trim(past, 41);
    CHECK(window.rows.size() == 41);
    window.trim(past, 40);
    std::vector<std::size_t> expected;
    for (std::size_t k = 0; k < 31; ++k) {  // of 0 to 30, less 2: the 20 lowest of 7 k mod 41
        std::size_t lower = 0;
        for (std::size_t other = 0; other < 31; ++other) lower += other != 2 && other * 7 % 41 < k * 7 % 41 ? 1U : 0U;
        if (k != 2 && lower < 20) expected.push_back(k);
    }
    for (std::size_t k = 31; k < 41; ++k) expected.push_back(k);
    CHECK(std::ranges::equal(window.rows, expected));

    const grid_space space({12, 9, 7});
    auto strategy = small();
    strategy.options.process_rows = 20;
    philox gen(2);
    auto state = strategy.start(space);
    while (state.past.size() < 150) (void)step(strategy, state, space, 1, gen);
    CHECK(state.process.size() <= 20);

    state = strategy.start(space);
    while (state.past.size() < 16) (void)step(strategy, state, space, 8, gen);
    const auto out = strategy.propose(state, space, 60, gen);  // more than the process may see
    REQUIRE(out.size() == 60);
    CHECK(state.process.size() <= 20);
    CHECK(std::count(state.process.open.begin(), state.process.open.end(), 0) >= 1);
    const std::vector<measurement> answer{{.cost = 0.5}};
    strategy.observe(state, space, std::span(out).first(1), answer, gen);
    CHECK(std::find(state.process_sees.rows.begin(), state.process_sees.rows.end(), std::size_t{16}) !=
          state.process_sees.rows.end());

    const grid_space large({20, 20, 6});
    auto full = strategy.start(large);
    std::vector<measurement> known;
    for (tk::index i = 0; i < strategy_type::forest_rows + 100; ++i) known.push_back(stepped(large, i));
    tell(strategy, full, large, known);
    (void)strategy.propose(full, large, 1, gen);
    CHECK(full.forest_sees.rows.size() == strategy_type::forest_rows / 4 * 3);  // trimmed, with room for more
}

TEST_CASE("the portfolio never repeats, exhausts the space and is decided by the seed, whatever it is answered")
{
    std::vector<grid_space> spaces;
    spaces.push_back(grid_space({5, 4, 3}));
    spaces.push_back(grid_space({7, 5, 1, 2}, [](std::span<const std::uint16_t> x) { return (x[0] + x[1]) % 3 != 0; }));
    spaces.push_back(grid_space({6, 6}, [](std::span<const std::uint16_t> x) { return x[0] == x[1]; }));
    spaces.push_back(grid_space({1}));
    spaces.push_back(grid_space({3}));
    spaces.push_back(grid_space({0}));
    std::vector<std::uint16_t> many(64, 1);  // 64 parameters, six of which have a choice
    for (const std::size_t j : {0UL, 7UL, 20UL, 33UL, 40UL, 63UL}) many[j] = 2;
    spaces.push_back(grid_space(many));
    auto sampled = small();
    sampled.options.sample = 8;
    sampled.options.shortlist = 3;
    sampled.options.process_rows = 16;
    for (const auto& strategy : {small(), sampled})
        for (const grid_space& space : spaces)
            for (const answers kind : {answers::bowl, answers::equal, answers::failures, answers::abandoned,
                                       answers::mixed, answers::not_a_number})
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

TEST_CASE("a copy of the portfolio's state replays the run")
{
    const grid_space space({9, 8, 7});
    const auto strategy = small();
    philox gen(3);
    auto state = strategy.start(space);
    for (int k = 0; k < 10; ++k) round_of(strategy, state, space, 5, answers::mixed, gen);
    auto copy = state;
    philox copied = gen;
    for (int k = 0; k < 10; ++k) {
        CHECK(round_of(strategy, copy, space, 5, answers::mixed, copied) ==
              round_of(strategy, state, space, 5, answers::mixed, gen));
        CHECK(copy == state);
    }
}

TEST_CASE("what somebody else measured counts as proposed and replaces the first configurations at random")
{
    const grid_space space({4, 4});
    const auto strategy = small();
    auto state = strategy.start(space);
    std::vector<measurement> history;
    for (tk::index i = 0; i < 10; ++i) history.push_back(answer(answers::bowl, i));
    tell(strategy, state, space, history);
    philox gen(2);
    const auto batch = strategy.propose(state, space, 3, gen);
    CHECK(state.process.size() == 12);  // ten of them, and two of the three
    CHECK(batch.size() == 3);
    for (const tk::index i : batch) CHECK(i >= 10);
}

TEST_CASE("the portfolio refuses settings out of range")
{
    const grid_space space({4});
    const auto refused = [&](tk::search::portfolio_options options) {
        auto s = small();
        s.options = options;
        CHECK_THROWS_AS((void)s.start(space), std::invalid_argument);
    };
    refused({.first = 0});
    refused({.first_draws = 0});
    refused({.cost_cap_quantile = 0});
    refused({.cost_cap_quantile = 1.5});
    refused({.cost_cap_quantile = std::numeric_limits<double>::quiet_NaN()});
    refused({.sample = 0});
    refused({.shortlist = 0});
    refused({.process_rows = 15});
    refused({.failing_share = 0});
    refused({.failing_share = std::numeric_limits<double>::quiet_NaN()});
}

TEST_CASE(
    "while nothing valid is known, each proposal is the least crowded by all that are out, failed or somebody else's")
{
    const grid_space space({9, 30, 4, 2});
    const auto strategy = small();
    philox gen(11);
    auto state = strategy.start(space);
    std::vector<tk::index> known, out;
    tk::space::unvisited taken;
    const auto fail = [&](tk::index i) {
        const std::vector<measurement> failed{{.cost = 1, .failed = tk::measure::failure{}}};
        strategy.observe(state, space, std::span(&i, 1), failed, gen);
    };
    for (int round = 0; round < 30; ++round) {
        philox same = gen;
        for (const tk::index i : strategy.propose(state, space, 5, gen)) {
            tk::search::detail::used_values used;
            used.add(space, known);
            CHECK(tk::search::detail::least_crowded(space, used, strategy.options.first_draws, taken, same) == i);
            known.push_back(i);
            out.push_back(i);
            taken.take(i);
        }
        CHECK(gen == same);
        fail(out[out.size() / 2]);
        out.erase(out.begin() + static_cast<std::ptrdiff_t>(out.size() / 2));
        const tk::index other = 7 * static_cast<tk::index>(round);
        if (!taken.take(other)) continue;
        fail(other);
        known.push_back(other);
    }
    CHECK(out.size() > 100);
}

TEST_CASE("the portfolio's first configurations spread over the values of each parameter")
{
    const grid_space space({16, 16});
    auto strategy = small();
    strategy.options.first = 4;
    strategy.options.first_draws = 512;
    auto state = strategy.start(space);
    philox gen(4);
    const auto first = round_of(strategy, state, space, 9, answers::bowl, gen);
    REQUIRE(first.size() == 4);
    for (const std::size_t radix : {std::size_t{1}, std::size_t{16}}) {  // no two of four within an eighth of the range
        std::vector<tk::index> x;
        for (const tk::index i : first) x.push_back(i / radix % 16);
        std::sort(x.begin(), x.end());
        for (std::size_t k = 1; k < 4; ++k) CHECK(x[k] - x[k - 1] >= 2);
    }
}

// Repeats are exchangeable if nothing outlives a run: Kendall's S of 40 results in their order then has sd sqrt(n (n - 1) (2 n + 5) / 18),
// less with ties; 4.9 sd are a false alarm of 1e-6, two-sided, were the seeds not fixed.
TEST_CASE("no state of combined outlives a run: later repeats are no better, and the first comes out the same again")
{
    const grid_space space({12, 9, 7});
    const auto strategy = tk::recipes::combined().strategy;
    const auto run = [&](std::uint64_t seed) {
        philox gen(seed);
        auto state = strategy.start(space);
        std::vector<tk::index> all;
        while (all.size() < 40) {
            const auto batch = round_of(strategy, state, space, 4, answers::bowl, gen);
            all.insert(all.end(), batch.begin(), batch.end());
        }
        return all;
    };
    const auto result = [](const std::vector<tk::index>& all) {
        double sum = 0, best = std::numeric_limits<double>::infinity();
        for (const tk::index i : all) sum += best = (std::min)(best, answer(answers::bowl, i).cost);
        return sum;
    };
    const auto first = run(0);
    std::vector<double> results{result(first)};
    for (std::uint64_t seed = 1; seed < 40; ++seed) results.push_back(result(run(seed)));
    double concordant = 0;
    for (std::size_t i = 0; i < results.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            concordant += results[i] > results[j] ? 1 : results[i] < results[j] ? -1 : 0;
    const auto n = static_cast<double>(results.size());
    CHECK(std::abs(concordant) < 4.9 * std::sqrt(n * (n - 1) * (2 * n + 5) / 18));
    CHECK(run(0) == first);
}

// Fixed seeds, so there are no false alarms. Random search finds one of the 10 best of 10^4 in 150 trials with probability 0.14, in all of
// 8 seeds with probability 1.5e-7.
TEST_CASE("combined finds one of the 10 best of a bent valley of 10^4 within 150 trials in each of 8 seeds")
{
    const grid_space space({10, 10, 10, 10});
    struct valley {
        const grid_space* space;
        std::vector<measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
        {
            std::vector<measurement> out;
            std::vector<std::uint16_t> x(4);
            for (const tk::index i : batch) {
                space->ordinals(std::span(&i, 1), x);
                const auto square = [](double v) { return v * v; };
                out.push_back({.cost = std::exp(0.05 * (square(x[0] - 3) + square(x[1] - 7) +
                                                        square(x[2] + x[3] - 9.0) + 0.3 * square(x[2] - 2))),
                               .runs = 1});
            }
            return out;
        }
    };
    std::vector<tk::index> all(space.size());
    for (tk::index i = 0; i < space.size(); ++i) all[i] = i;
    std::vector<double> costs;
    for (const auto& m : valley{&space}.measure(all, {})) costs.push_back(m.cost);
    std::nth_element(costs.begin(), costs.begin() + 9, costs.end());
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        philox gen(seed);
        const auto found = tk::tune(space, valley{&space}, tk::recipes::combined().strategy, {.trials = 150}, gen);
        REQUIRE(found.found());
        CHECK(found.trials().size() == 150);
        CHECK(found.best_cost() <= costs[9]);
    }
}
