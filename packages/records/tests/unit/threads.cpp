// SPDX-License-Identifier: MIT
// Const operations on one object are safe from many threads: whole runs side by side over one space, one strategy and one
// belief give what they give one after another. Under the preset tsan this looks for data races, too.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "tunekit/acquisition/criteria.hpp"
#include "tunekit/curve/belief.hpp"
#include "tunekit/curve/improvements.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/explore/policy_gradient.hpp"
#include "tunekit/measure/function.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/records/experience.hpp"
#include "tunekit/screen/adaptive_sampling.hpp"
#include "tunekit/screen/epsilon_greedy.hpp"
#include "tunekit/screen/keep_best.hpp"
#include "tunekit/search/genetic.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/search/model_guided.hpp"
#include "tunekit/space/permutation.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/surrogate/boosted_trees.hpp"
#include "tunekit/surrogate/random_forest.hpp"
#include "tunekit/tune/tune.hpp"
#include "tunekit/tune/tuner.hpp"

namespace tk = tunekit;
using tk::random::philox;

namespace {

/// What f(0), f(1), f(2) return, each on a thread of its own.
template <class F>
auto side_by_side(const F& f)
{
    std::vector<decltype(f(std::size_t{0}))> out(3);
    {
        std::vector<std::jthread> pool;
        for (std::size_t i = 0; i < out.size(); ++i) pool.emplace_back([&, i] { out[i] = f(i); });
    }
    return out;
}

template <class F>
auto one_by_one(const F& f)
{
    return std::vector{f(std::size_t{0}), f(std::size_t{1}), f(std::size_t{2})};
}

const tk::space::product tiles{
    tk::space::powers_of_two<"rows">(1, 256),
    tk::space::powers_of_two<"columns">(1, 256),
    tk::space::integers<"unroll">(1, 8),
    tk::space::permutation<"order">({0, 1, 2}),
    tk::space::where<"rows", "columns">([](int rows, int columns) { return rows * columns <= 4096; }),
};

/// Costs that follow from the values of a configuration; a fifth of them fail.
struct made_up {
    [[nodiscard]] std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch,
                                                                const tk::measure::limits&) const
    {
        std::vector<tk::measure::measurement> out;
        for (const tk::index i : batch) {
            const auto p = tiles.at(i);
            const double off = tk::get<"rows">(p) / 32.0 + 16.0 / tk::get<"columns">(p) + tk::get<"unroll">(p) / 4.0;
            tk::measure::measurement m{.cost = 1e-3 * (1 + off + tk::get<"order">(p).front()), .runs = 1};
            if (i % 5 == 2) m.failed = tk::measure::failure{tk::measure::failure_kind::build_error, 0, {}};
            out.push_back(m);
        }
        return out;
    }
};

}  // namespace

TEST_CASE("runs on threads of their own, over one space and one strategy, propose what they propose alone")
{
    const auto check = [](const auto& strategy) {
        const auto run = [&strategy](std::size_t i) {
            philox gen(i + 1);
            made_up measure;
            const tk::tuning record = tk::tune(tiles, measure, strategy, {.trials = 40}, gen);
            std::vector<tk::index> seen;
            for (const auto& t : record.trials()) seen.push_back(t.candidate);
            return seen;
        };
        const auto alone = one_by_one(run);
        REQUIRE(alone[0].size() == 40);
        CHECK(alone[0] != alone[1]);
        CHECK(side_by_side(run) == alone);
    };
    check(tk::search::hill_climb{});
    check(tk::search::genetic{});
    check(tk::search::model_guided{tk::surrogate::boosted_trees{.rounds = 20},
                                   tk::acquisition::mean{},
                                   tk::explore::annealing{.chains = 16, .steps = 20},
                                   tk::screen::epsilon_greedy{tk::screen::keep_best{}},
                                   {.round = 16}});
    check(tk::search::model_guided{tk::surrogate::random_forest{.trees = 8},
                                   tk::acquisition::expected_improvement{},
                                   tk::explore::policy_gradient{.episodes = 8, .steps = 10},
                                   tk::screen::adaptive_sampling{},
                                   {.round = 16}});
    check(tk::recipes::combined().strategy);
}

TEST_CASE("runs on threads of their own share one experience, and so do copies of one run")
{
    // Larger than what an experience tabulates, so that copies of a run ask one and the same memory for its forecasts.
    static const tk::space::product wide{tk::space::integers<"rows">(1, 64), tk::space::integers<"columns">(1, 64),
                                         tk::space::integers<"unroll">(1, 16)};
    const auto cost = [](const auto& c) {
        return 1e-3 * (1 + tk::get<"rows">(c) / 32.0 + 16.0 / tk::get<"columns">(c) + tk::get<"unroll">(c) / 4.0);
    };
    tk::experience past;
    for (const std::uint64_t seed : {1U, 2U}) {
        philox gen(seed);
        made_up measure;
        const tk::tuning record = tk::tune(tiles, measure, tk::search::hill_climb{}, {.trials = 40}, gen);
        past.add(tiles, record, "device " + std::to_string(seed));
    }
    REQUIRE(past.sources.size() == 2);
    const auto asked = [](const tk::tuning& record) {
        std::vector<tk::index> out;
        for (const auto& t : record.trials()) out.push_back(t.candidate);
        return out;
    };
    const auto check = [&](const auto& space) {
        const auto how = tk::recipes::combined(past);  // its models are fitted by the first who wants them
        const auto run = [&](std::size_t i) {
            philox gen(i + 1);
            tk::measure::function measure{space, cost};
            return asked(tk::tune(space, measure, how, {.trials = 12}, gen));
        };
        const auto beside = side_by_side(run);
        CHECK(beside[0].size() == 12);
        CHECK(beside == one_by_one(run));
    };
    check(tiles);
    check(wide);

    const auto drive = [&](auto& run, std::size_t trials) {
        while (run.record().trials().size() < trials)
            for (const tk::job& j : run.ask(1)) run.tell(j, {.cost = cost(wide.at(j.candidate)), .runs = 1});
    };
    tk::tuner begun(wide, tk::recipes::combined(past), {.trials = 14}, philox(5));
    drive(begun, 9);
    const auto go_on = [&](std::size_t) {
        auto copy = begun;
        drive(copy, 14);
        return asked(copy.record());
    };
    const auto copies = side_by_side(go_on);
    CHECK(copies[0].size() == 14);
    CHECK(copies == std::vector(3, go_on(0)));
}

TEST_CASE("one belief forecasts for several threads")
{
    std::vector<double> best;
    for (int i = 0; i < 60; ++i) best.push_back(1e9 * (1 - 0.8 / (1 + i / 7)));
    const auto check = [&](const auto& belief) {
        const auto forecast = [&](std::size_t i) {
            philox gen(i + 1);
            const auto f = belief.predict(best, 100, 2e9, gen);
            return std::vector{f.mean, f.sd, f.expected_improvement, f.low, f.high};
        };
        CHECK(side_by_side(forecast) == one_by_one(forecast));
    };
    check(tk::curve::belief<>{{.steps = 100, .burn_in = 40}});
    check(tk::curve::improvement_process{});
}
