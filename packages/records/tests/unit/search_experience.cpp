// SPDX-License-Identifier: MIT
#include "tunekit/records/experience.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "tunekit/acquisition/criteria.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/records/detail/fitted_sources.hpp"
#include "tunekit/records/detail/seen_sources.hpp"
#include "tunekit/records/detail/source_views.hpp"
#include "tunekit/records/detail/weigh_sources.hpp"
#include "tunekit/screen/keep_best.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/detail/guidance.hpp"
#include "tunekit/search/forecasts.hpp"
#include "tunekit/search/model_guided.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/surrogate/gaussian_process.hpp"
#include "tunekit/surrogate/random_forest.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
using philox = tk::random::philox;
using tk::search::detail::guidance;

namespace {

using tk::space::parameter;
const tk::space::product tiles{parameter<"rows">({1, 2, 4, 8, 16, 32, 64}),
                               parameter<"columns">({1, 2, 4, 8, 16, 32, 64}),
                               parameter<"depth">({1, 2, 3, 4, 5, 6, 7})};

/// Seconds that are lowest at `rows` x 8 x 3; `device` scales them all.
struct bowl {
    double rows = 16, device = 1;

    template <class Space>
    [[nodiscard]] double cost(const Space& space, tk::index i) const
    {
        const auto texts = space.texts(i);
        const auto square = [](double x) { return x * x; };
        return device *
               std::exp(0.3 * square(std::log2(std::stod(texts[0]) / rows)) +
                        0.3 * square(std::log2(std::stod(texts[1]) / 8)) + 0.1 * square(std::stod(texts[2]) - 3));
    }
};

template <class Space>
struct measured {
    const Space* space;
    bowl on;

    [[nodiscard]] std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch,
                                                                const tk::measure::limits&) const
    {
        std::vector<tk::measure::measurement> out;
        for (const tk::index i : batch) {
            out.push_back({.cost = on.cost(*space, i), .runs = 1});
            if (i % 11 == 5) out.back().failed = tk::measure::failure{};
        }
        return out;
    }
};

/// A search of n trials.
template <class P>
std::vector<tk::measure::trial> search(const P& how, const bowl& on, std::size_t n, std::uint64_t seed = 1)
{
    measured<decltype(tiles)> m{&tiles, on};
    philox gen(seed);
    return tk::tune(tiles, m, how, {.trials = n}, gen).trials();
}

tk::experience logs_of(const std::vector<bowl>& devices)
{
    tk::experience out;
    for (const bowl& b : devices)
        out.add(tiles, search(tk::recipes::combined(), b, 60, 7), "rows " + std::to_string(b.rows));
    return out;
}

std::vector<tk::index> proposals(const std::vector<tk::measure::trial>& trials)
{
    std::vector<tk::index> out;
    for (const auto& t : trials) out.push_back(t.candidate);
    return out;
}

auto guided_by_model()
{
    return tk::search::model_guided{tk::surrogate::random_forest{.trees = 8}, tk::acquisition::expected_improvement{},
                                    tk::explore::annealing{.chains = 8, .steps = 20}, tk::screen::keep_best{},
                                    tk::search::model_guided_options::growing()};
}

}  // namespace

TEST_CASE("a past that is empty, has another kernel's names, or too few valid costs changes nothing")
{
    tk::experience foreign, few;
    const tk::space::product other{parameter<"x">({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})};
    std::vector<tk::measure::trial> trials;
    for (tk::index i = 0; i < 10; ++i)
        trials.push_back({.candidate = i, .measured = {.cost = 1.0 + static_cast<double>(i)}});
    foreign.add(other, trials, "foreign");
    trials.resize(7);
    few.add(tiles, trials, "few");
    const auto cold = proposals(search(tk::recipes::combined(), {}, 30));
    for (const tk::experience& past : {tk::experience{}, foreign, few})
        CHECK(proposals(search(tk::recipes::combined(past), {}, 30)) == cold);
}

TEST_CASE("sources of other devices lead to the optimum at once, whatever their unit of cost")
{
    const tk::experience past = logs_of({{.rows = 8, .device = 1e-6}, {.rows = 32, .device = 1000}});
    REQUIRE(past.sources.size() == 2);
    const auto reached = [](const std::vector<tk::measure::trial>& all) {
        for (std::size_t k = 0; k < all.size(); ++k)
            if (all[k].measured.ok() && all[k].measured.cost < 1.05) return k + 1;
        return std::size_t{1000};
    };
    double cold = 0, warm = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        cold += static_cast<double>(reached(search(tk::recipes::combined(), {}, 100, seed)));
        warm += static_cast<double>(reached(search(tk::recipes::combined(past), {}, 100, seed)));
    }
    CHECK(warm < cold / 2);
}

TEST_CASE("a cost that is no positive finite number is no cost, and of a long source its lowest are where to begin")
{
    using result = tk::experience_source::result;
    for (const double cost : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
        CHECK(result{.cost = cost}.failed());
        CHECK_FALSE(result{.cost = cost}.ok());
    }
    tk::experience past;
    auto& s = past.sources.emplace_back();  // by hand: nothing has looked at its costs
    for (const auto& name : tiles.names()) s.parameters.push_back({.name = name});
    for (tk::index i = 0; i < 20; ++i)
        REQUIRE(s.add(tiles.texts(i), {.cost = 1 + static_cast<double>(i * 7 % 20), .at_least = i == 0}));
    s.results[3].cost = -1;  // the lowest but one whole cost was 2
    CHECK(s.valid() == 18);
    CHECK(s.results[s.best()].cost == 3);
    const tk::search::detail::source_views views(
        std::make_shared<const tk::search::detail::fitted_sources>(past.sources), tiles.names(),
        tk::space::matched_parameters(tiles));
    REQUIRE(views.size() == 1);
    CHECK(views.lowest(0, 3) == std::vector<std::size_t>{6, 9, 12});  // costs 3, 4, 5
    CHECK(views.lowest(0, 99).size() == 18);
    CHECK(views.lowest(0, 0).empty());
    std::vector<double> g(1);
    views.predict(std::vector<std::uint16_t>{0, 0, 6}, g);
    CHECK(std::isfinite(g.front()));
}

TEST_CASE("the option of tune, the recipe and remember are one thing, and a strategy without a past says so")
{
    const tk::experience past = logs_of({{.rows = 8}, {.rows = 32}});
    measured<decltype(tiles)> m{&tiles, {}};
    philox gen(1);
    const auto by_option =
        tk::tune(tiles, m, tk::recipes::combined(), {.trials = 20}, gen, {.experience = past}).trials();
    CHECK(proposals(by_option) == proposals(search(tk::recipes::combined(past), {}, 20)));
    CHECK_THROWS_WITH_AS((void)tk::tune(tiles, m, tk::search::annealing{}, {.trials = 1}, gen, {.experience = past}),
                         doctest::Contains("takes none, want recipes::combined"), std::invalid_argument);
}

TEST_CASE("no configuration is proposed twice, in any batches, until the space is exhausted; states are values")
{
    const tk::space::product small{parameter<"rows">({1, 2, 4}), parameter<"columns">({1, 2, 4, 8}),
                                   parameter<"depth">({1, 2})};
    const tk::experience past = logs_of({{.rows = 8}, {.rows = 32}});
    const auto drain = [&](auto strategy, bool regular) {
        strategy.remember(past);
        philox gen(3);
        auto s = strategy.start(small);
        std::set<tk::index> all;
        std::size_t n = 1;
        for (;;) {
            auto copy = s;
            philox again = gen;
            const auto batch = strategy.propose(s, small, n, gen);
            CHECK(batch == strategy.propose(copy, small, n, again));
            if constexpr (requires { s == copy; }) CHECK((!regular || s == copy));
            if (batch.empty()) break;
            for (const tk::index i : batch) CHECK(all.insert(i).second);
            if (n % 3 != 0) {  // some answers come late
                const auto answers = measured<decltype(small)>{&small, {}}.measure(batch, {});
                strategy.observe(s, small, batch, answers, gen);
            }
            n = n % 4 + 1;
        }
        CHECK(all.size() == small.size());
    };
    drain(tk::recipes::combined().strategy, true);
    drain(guided_by_model(), false);
}

TEST_CASE("from the eighth trial on every second one is that of a state that knows nothing of the past")
{
    tk::search::detail::turns t;
    std::vector<bool> plain;
    const tk::space::product line{tk::space::integers<"x">(0, 99)};
    tk::index next = 0;
    while (plain.size() < 14) {
        const auto one = tk::search::detail::proposed_in_turn(t, line, 1, [&](bool p, std::size_t) {
            plain.push_back(p);
            return std::vector<tk::index>{next++};
        });
        REQUIRE(one.size() == 1);
    }
    CHECK(plain == std::vector<bool>{false, false, false, false, false, false, false, false, true, false, true, false,
                                     true, false});
}

TEST_CASE("three of four requests are the plain state's while nothing better turns up")
{
    tk::search::detail::turns t{.proposed = 8};
    const std::vector<tk::index> all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    std::vector<tk::measure::measurement> answers(13, {.cost = 2});
    t.hear(all, answers);
    const auto plain = [&] {
        std::vector<bool> out;
        for (t.requests = 0; t.requests < 4; ++t.requests) out.push_back(t.plain_is_next());
        return out;
    };
    CHECK(plain() == std::vector<bool>{true, true, true, false});
    answers.resize(1);
    answers.front().cost = 1;
    t.hear(std::vector<tk::index>{13}, answers);
    CHECK(plain() == std::vector<bool>{true, false, true, false});
}

TEST_CASE("an inverted past costs no more than the turn: what a cold run finds is found")
{
    tk::experience past = logs_of({{.rows = 8}, {.rows = 32}});
    for (auto& s : past.sources)
        for (auto& r : s.results)
            if (r.ok()) r.cost = 1 / r.cost;
    const auto best = [](const std::vector<tk::measure::trial>& all) {
        double out = 1e9;
        for (const auto& t : all)
            if (t.measured.ok()) out = (std::min)(out, t.measured.cost);
        return out;
    };
    CHECK(best(search(tk::recipes::combined(past), {}, 100)) < 1.05);
}

TEST_CASE("values and parameters that a source does not know count as its nearest and its best")
{
    const tk::experience past = logs_of({{.rows = 8}, {.rows = 32}});
    const tk::space::product newer{parameter<"columns">({1, 3, 8, 200}), parameter<"rows">({1, 16, 64}),
                                   parameter<"unroll">({0, 1})};
    const guidance told(newer, past);
    REQUIRE(told.sources() == 2);
    // (columns 8, rows 16) is about as good as the best of both; depth is at its best, unroll does not matter.
    std::vector<tk::index> all(static_cast<std::size_t>(newer.size()));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    const std::vector<double> g = told.forecast(newer, all);
    const auto sum = [&](std::size_t i) { return g[2 * i] + g[2 * i + 1]; };
    std::size_t best = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (sum(i) > sum(best)) best = i;
    CHECK(newer.texts(best)[0] == "8");
    CHECK(newer.texts(best)[1] == "16");
    CHECK(told.starts().size() >= 3);
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = 0; j < all.size(); ++j)
            if (newer.texts(i)[0] == newer.texts(j)[0] && newer.texts(i)[1] == newer.texts(j)[1])
                CHECK(g[2 * i] == g[2 * j]);
}

TEST_CASE("what failed in every source that measured it is no place to begin")
{
    // Two sources ran with x = 0, 1, 2 and each depth, of which there is one here. All others failed in the first; the
    // second ran with x = 8 and 9, too.
    const tk::space::product old{tk::space::integers<"x">(0, 9), tk::space::integers<"depth">(0, 39)};
    const tk::space::product now{tk::space::integers<"x">(0, 9)};
    tk::experience past;
    for (const bool second : {false, true}) {
        std::vector<tk::measure::trial> trials;
        for (tk::index i = 0; i < old.size(); ++i) {
            const auto p = old.at(i);
            tk::measure::trial t{.candidate = i, .measured = {.cost = 1.0 + tk::get<"x">(p), .runs = 1}};
            if (tk::get<"x">(p) > 2 && !(second && tk::get<"x">(p) > 7)) t.measured.failed = tk::measure::failure{};
            trials.push_back(t);
        }
        past.add(old, trials, second ? "second" : "first", second ? "b" : "a");
    }
    const guidance told(now, past);
    REQUIRE(told.sources() == 2);
    std::set<tk::index> starts;
    for (const tk::index i : told.starts()) starts.insert(i);
    CHECK(starts == std::set<tk::index>{0, 1, 2, 8, 9});  // of six that may be
}

TEST_CASE("a space too large to tabulate gets the forecasts that its table would have had")
{
    const tk::experience past = logs_of({{.rows = 8}, {.rows = 32}});
    const tk::search::forecasts by(past);
    const tk::space::product large{parameter<"rows">({1, 2, 4, 8, 16, 32, 64}),
                                   parameter<"columns">({1, 2, 4, 8, 16, 32, 64}),
                                   parameter<"depth">({1, 2, 3, 4, 5, 6, 7}), tk::space::integers<"other">(1, 1000)};
    REQUIRE(large.size() > tk::search::detail::seen_sources::tabulated);
    const guidance of_small(tiles, by), of_large(large, by);
    for (const tk::index i : {tk::index{0}, tk::index{17}, tk::index{342}}) {
        std::vector<std::uint16_t> row(4, 4);
        tiles.ordinals(std::span(&i, 1), std::span(row).first(3));
        const tk::index j = *large.index_of_ordinals(row);
        const auto a = of_small.forecast(tiles, std::vector{i}), b = of_large.forecast(large, std::vector{j});
        for (std::size_t s = 0; s < 2; ++s) CHECK(a[s] == doctest::Approx(b[s]).epsilon(1e-6));
    }
    CHECK_FALSE(of_large.starts().empty());
}

TEST_CASE(
    "sources are weighed by ridge regression: one that is right gets 1, one against it none, and none exceeds 3/2")
{
    std::vector<double> g, t, doubled;
    for (int k = 0; k < 40; ++k) {
        const double x = std::sin(k);
        g.insert(g.end(), {x, -x});
        t.push_back(3 + x);
        doubled.push_back(4 * x);
    }
    const auto w = tk::search::detail::ridge_weights(g, t, {}, 2);
    CHECK(w[0] == doctest::Approx(1).epsilon(0.02));
    CHECK(w[1] < 0.01);
    CHECK(tk::search::detail::ridge_weights(g, doubled, {}, 2) == std::vector<double>{1.5, 0});
    t[3] = 1e6;  // has no answer
    const auto open = tk::search::detail::ridge_weights(g, t, std::vector<std::size_t>{3}, 2);
    CHECK(open[0] == doctest::Approx(1).epsilon(0.02));
    const auto even = tk::search::detail::ridge_weights(std::vector<double>{1, 1}, std::vector<double>{5}, {}, 2);
    CHECK(even == std::vector<double>{0.5, 0.5});  // one result tells nothing
}

TEST_CASE("starts cover: the second is good where the first is bad, and differs in two parameters")
{
    //                       source 0, 1
    const std::vector<double> g{-1, -1, 0, -3, -3, 0, 0, -2.9};
    const std::vector<std::uint16_t> apart{0, 0, 1, 1, 2, 2, 1, 0};
    CHECK(tk::search::detail::cover_of(g, std::vector<std::uint16_t>{0, 0, 1, 1, 2, 2, 3, 3}, 4, 3) ==
          std::vector<std::size_t>{0, 3, 2});
    CHECK(tk::search::detail::cover_of(g, apart, 4, 3) == std::vector<std::size_t>{0, 1, 2});
    CHECK(tk::search::detail::cover_of(g, apart, 4, 9).size() == 3);  // the last is next to two others
}

TEST_CASE("the means of a process that are looked up are those that it predicts")
{
    static const tk::surrogate::gaussian_process model{.distance = tk::surrogate::column_distance::both};
    philox gen(5);
    std::vector<std::uint16_t> rows;
    std::vector<double> y;
    for (int k = 0; k < 60; ++k) {
        rows.insert(rows.end(), {static_cast<std::uint16_t>(k % 7), static_cast<std::uint16_t>(k % 11), 1});
        y.push_back(1e3 + std::sin(k % 7) * (k % 11));
    }
    const tk::surrogate::ordinals seen(rows, 3);  // the third never changes
    auto s = model.start(3);
    model.fit(s, seen, y, std::vector<std::size_t>{4, 9}, gen);
    std::vector<tk::stats::prediction> p(60);
    model.predict(s, seen, p);
    const tk::surrogate::gaussian_process::means_by_place means(s, std::vector<std::size_t>{8, 12, 3});
    for (std::size_t k = 0; k < 60; ++k)
        CHECK(means.mean(std::span(rows).subspan(3 * k, 3)) == doctest::Approx(p[k].mean).epsilon(1e-9));
    const std::vector<std::uint16_t> unseen{7, 11, 2, 3, 11, 0};
    model.predict(s, tk::surrogate::ordinals(unseen, 3), std::span(p).first(2));
    for (std::size_t k = 0; k < 2; ++k)
        CHECK(means.mean(std::span(unseen).subspan(3 * k, 3)) == doctest::Approx(p[k].mean).epsilon(1e-9));
}
