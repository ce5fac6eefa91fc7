// SPDX-License-Identifier: MIT
#include "tunekit/search/parego.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <vector>

#include "tools/support/any_recipe.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/parego.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/tune/pareto.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using philox = tk::random::philox;

namespace {

tk::space::any_space grid(std::int64_t n)
{
    std::vector<tk::space::value> values;
    for (std::int64_t k = 0; k < n; ++k) values.emplace_back(k);
    return tk::space::any_space(tk::space::value_product({{"x", values}, {"y", values}, {"z", values}}, {}));
}

/// Fast where x is high, small where it is low; y and z away from 7 are bad in both.
struct trade_off {
    tk::space::any_space space;
    std::size_t fails = 0;  ///< every so many fail

    std::vector<measure::measurement> measure(std::span<const tk::index> batch, const measure::limits&)
    {
        std::vector<measure::measurement> out;
        for (const tk::index i : batch) {
            const auto t = space.texts(i);
            const double x = std::stod(t[0]), y = std::stod(t[1]) - 7, z = std::stod(t[2]) - 7,
                         bad = 1 + 0.05 * (y * y + z * z);
            auto& m = out.emplace_back();
            if (fails != 0 && i % fails == 0) m.failed = measure::failure{measure::failure_kind::crash, 11, "gone"};
            else m = {.cost = bad * std::exp(-0.2 * x), .runs = 1, .values = {bad * std::exp(0.3 * x)}};
        }
        return out;
    }
};

double volume(const tk::tuning& record)
{
    std::vector<std::vector<double>> points;
    for (const auto& m : tk::front_of(record, {0, 1}).members)
        points.push_back({std::log(m.goals[0]), std::log(m.goals[1])});
    return tk::hypervolume(points, std::vector<double>{3, 6});
}

auto light()
{
    auto how = tk::recipes::parego();
    how.strategy.models.forest.trees = 8;
    how.strategy.models.process.evaluations = 6;
    how.strategy.models.options.sample = 300;
    return how.strategy;
}

}  // namespace

TEST_CASE("goal_rows: the augmented Tchebycheff sum by hand, over logarithms where all are positive")
{
    namespace detail = tk::search::detail;
    detail::goal_rows rows;
    CHECK(rows.goals() == 0);
    const auto told = [](double a, double b) { return measure::measurement{.cost = a, .values = {b}}; };
    rows.take(5, told(1, 8), {});
    rows.take(6, told(std::exp(1.0), 4), {});
    rows.take(7, told(std::exp(4.0), 0), {});  // the second goal has a 0: no logarithms
    rows.take(8, {.failed = measure::failure{}}, {});
    rows.take(9, told(1, std::numeric_limits<double>::quiet_NaN()), {});
    REQUIRE(rows.goals() == 2);
    const std::vector<double> w{0.25, 0.75};
    const detail::goal_rows::weighed of(rows, w);
    CHECK(of(5) == doctest::Approx(0.75 + 0.05 * 0.75));                              // z = 0, 1
    CHECK(of(6) == doctest::Approx(0.75 * 0.5 + 0.05 * (0.25 * 0.25 + 0.75 * 0.5)));  // z = 1/4, 1/2
    CHECK(of(7) == doctest::Approx(0.25 + 0.05 * 0.25));                              // z = 1, 0
    CHECK(of(8) == std::numeric_limits<double>::infinity());
    CHECK(of(9) == std::numeric_limits<double>::infinity());
    detail::goal_rows one;
    const std::vector<std::size_t> second{1};
    one.take(0, told(1, 8), second);
    CHECK(one.goals() == 1);
    CHECK(detail::goal_rows::weighed(one, std::vector<double>{1.0})(0) == 0);
}

TEST_CASE("parego: no configuration twice, none outside, all of a small space, the same again for the same seed")
{
    const auto space = grid(4);
    trade_off measures{space, 5};
    std::vector<tk::index> before;
    for (const std::size_t ahead : {1U, 1U, 5U}) {
        philox gen(2);
        const auto strategy = light();
        auto state = strategy.start(space);
        std::vector<tk::index> all;
        for (;;) {
            const auto batch = strategy.propose(state, space, ahead, gen);
            if (batch.empty()) break;
            all.insert(all.end(), batch.begin(), batch.end());
            const auto answers = measures.measure(batch, {});
            strategy.observe(state, space, batch, answers, gen);
        }
        CHECK(all.size() == 64);
        CHECK(std::set<tk::index>(all.begin(), all.end()).size() == 64);
        CHECK(*std::max_element(all.begin(), all.end()) < 64);
        if (ahead == 1 && !before.empty()) CHECK(all == before);
        if (ahead == 1) before = all;
    }
}

TEST_CASE("parego finds more of the front than random search, with the same trials")
{
    const auto space = grid(15);
    trade_off measures{space};
    double mine = 0, random = 0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        philox a(seed), b(seed);
        mine += volume(tk::tune(space, measures, light(), {.trials = 60}, a));
        random += volume(tk::tune(space, measures, tk::search::random{}, {.trials = 60}, b));
    }
    CHECK(mine > random);
}

TEST_CASE("parego by name is parego, and where all fails it goes on")
{
    const auto space = grid(6);
    trade_off measures{space, 1};
    philox gen(4);
    const tk::recipes::any_recipe how = tk::recipes::erased(tk::recipes::parego({0, 1}));
    const auto nothing = tk::tune(space, measures, how.strategy, {.trials = 20}, gen);
    CHECK(nothing.failed() == 20);
    trade_off good{space};
    const auto found = tk::tune(space, good, how.strategy, {.trials = 20}, gen);
    CHECK(found.trials().size() == 20);
    CHECK(found.failed() == 0);
}
