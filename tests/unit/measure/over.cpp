// SPDX-License-Identifier: MIT
#include "tunekit/measure/over.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/measure/function.hpp"
#include "tunekit/random/normal.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using goal = measure::over_options::goal;

namespace {

/// Gives what `of(candidate, input)` says of n inputs, and keeps in which order it was asked.
struct told {
    std::size_t n;
    std::function<measure::measurement(tk::index, std::size_t)> of;
    std::vector<std::pair<tk::index, std::size_t>> asked{};
    measure::limits within{};

    std::vector<measure::measurement> measure(std::span<const tk::index> batch, const measure::limits& l)
    {
        within = l;
        std::vector<measure::measurement> out;
        for (const tk::index i : batch) {
            asked.emplace_back(i / n, i % n);
            out.push_back(of(i / n, i % n));
        }
        return out;
    }
};

told costs(std::vector<std::vector<double>> table)
{
    return {table.front().size(), [table](tk::index i, std::size_t k) {
                return measure::measurement{.cost = table[i][k], .runs = 2, .build_seconds = 1, .run_seconds = 0.5};
            }};
}

measure::measurement failing(measure::failure_kind kind, const char* why)
{
    return {.failed = measure::failure{kind, 0, why}};
}

std::vector<std::string> named(std::size_t n)
{
    std::vector<std::string> out;
    for (std::size_t k = 0; k < n; ++k) out.push_back("input" + std::to_string(k));
    return out;
}

measure::measurement on_all(measure::over<told>& all, tk::index i, const measure::limits& within = {})
{
    return all.measure(std::vector<tk::index>{i}, within).at(0);
}

}  // namespace

static_assert(measure::streaming_measurer<measure::over<told>>);
static_assert(!measure::detail::tells_of_times<measure::over<told>>);  // ratios are no times

TEST_CASE("over: the geometric mean of the ratios, the sum, the worst; 1 for the default")
{
    const std::vector<std::vector<double>> table{{1, 10, 100}, {2, 10, 50}, {1, 5, 50}, {0.5, 10, 110}};
    const auto cost = [&](goal of, tk::index i) {
        auto each = costs(table);
        measure::over all(named(3), each, {.of = of, .confidence = 1});
        CHECK(on_all(all, 0).cost == 1);
        const auto m = on_all(all, i);
        CHECK(m.ok());
        CHECK(m.runs == 6);
        CHECK(m.build_seconds == 3);
        CHECK(m.run_seconds == doctest::Approx(1.5));
        CHECK(all.ratios(i, m) == std::vector<double>{table[i][0], table[i][1] / 10, table[i][2] / 100});
        return m.cost;
    };
    CHECK(cost(goal::mean, 1) == doctest::Approx(1));
    CHECK(cost(goal::mean, 2) == doctest::Approx(std::cbrt(0.25)));
    CHECK(cost(goal::mean, 3) == doctest::Approx(std::cbrt(0.5 * 1.1)));
    CHECK(cost(goal::sum, 1) == doctest::Approx(62.0 / 111));
    CHECK(cost(goal::sum, 3) == doctest::Approx(120.5 / 111));
    CHECK(cost(goal::worst, 1) == doctest::Approx(2));
    CHECK(cost(goal::worst, 3) == doctest::Approx(1.1));
}

TEST_CASE("over: each candidate has its own order of the inputs, which the seed and the candidate alone decide")
{
    const auto orders = [](std::uint64_t seed, const std::vector<tk::index>& candidates) {
        auto each = costs(std::vector<std::vector<double>>(9, std::vector<double>(6, 1.0)));
        measure::over all(named(6), each, {.seed = seed});
        static_cast<void>(all.measure(candidates, {.abandon_above = 1e-9, .abandon_factor = 2}));
        CHECK(each.within == measure::limits{});  // neither limit is one of an input
        std::vector<std::vector<std::size_t>> out(9);
        for (const auto& [i, k] : each.asked) out[i].push_back(k);
        return out;
    };
    const auto some = orders(1, {0, 1, 2, 3, 4}), others = orders(1, {0, 4, 3, 2, 1});
    CHECK(some == others);
    CHECK(std::set(some.begin(), some.begin() + 5).size() == 5);
    for (std::size_t i = 0; i < 5; ++i) {
        auto sorted = some[i];
        std::sort(sorted.begin(), sorted.end());
        CHECK(sorted == std::vector<std::size_t>{0, 1, 2, 3, 4, 5});
    }
    CHECK(orders(2, {0, 1, 2, 3, 4}) != some);
}

TEST_CASE("over: inputs that the default fails on are named and left out; all of them end the run")
{
    told each{3, [](tk::index i, std::size_t k) {
                  return k == 1 ? failing(measure::failure_kind::crash, "gone")
                                : measure::measurement{.cost = i == 0 ? 2.0 : 1.0};
              }};
    measure::over all(named(3), each);
    const auto first = on_all(all, 0);
    CHECK(first.ok());
    CHECK(first.cost == 1);
    CHECK(first.batches.size() == 3);
    CHECK(all.left_out() == std::vector<std::string>{"input1: gone"});
    const auto second = on_all(all, 1);
    CHECK(second.cost == doctest::Approx(0.5));
    CHECK(second.batches == std::vector<double>{1, 1});
    for (const auto& of : {all.ratios(0, first), all.ratios(1, second)}) CHECK(std::isnan(of[1]));
    CHECK(all.ratios(0, first)[2] == 1);
    CHECK(all.ratios(1, second)[2] == 0.5);

    told none{2, [](tk::index, std::size_t) { return failing(measure::failure_kind::exited, "status 1"); }};
    measure::over broken({std::string(500, 'a'), std::string(500, 'a')}, none);
    CHECK_THROWS_WITH_AS(
        static_cast<void>(on_all(broken, 0)),
        ("tunekit: over: the default failed on every input, the first so: " + std::string(200, 'a') + "...: status 1")
            .c_str(),
        tk::error);
}

TEST_CASE("over: a candidate that fails on an input has failed, with the input's name; a time-out may count")
{
    told each{4, [](tk::index i, std::size_t k) {
                  if (i == 1 && k == 2) return failing(measure::failure_kind::run_timeout, "7 s are over");
                  return measure::measurement{.cost = 7.0, .at_least = i == 2};
              }};
    measure::over all(named(4), each, {.confidence = 1});
    static_cast<void>(on_all(all, 0));
    const auto failed = on_all(all, 1);
    REQUIRE(failed.failed);
    CHECK(failed.failed->kind == measure::failure_kind::run_timeout);
    CHECK(failed.failed->message == "input2: 7 s are over");
    CHECK(each.asked.back() == std::pair<tk::index, std::size_t>{1, 2});  // no other input follows
    CHECK(on_all(all, 2).failed->kind == measure::failure_kind::bad_cost);

    measure::over counting(named(4), each, {.timeouts_count = true, .confidence = 1});
    static_cast<void>(on_all(counting, 0, {.run_seconds = 7}));
    CHECK(on_all(counting, 1, {.run_seconds = 7}).cost == doctest::Approx(std::pow(10.0, 0.25)));
}

TEST_CASE("over: wrong settings are refused")
{
    auto each = costs({{1}});
    CHECK_THROWS_WITH_AS((measure::over({}, each)), "tunekit: over: there are no inputs, want at least one",
                         std::invalid_argument);
    for (const double wrong : {0.0, -1.0, 1.5, std::nan("")})
        CHECK_THROWS_AS((measure::over({"a"}, each, {.confidence = wrong})), std::invalid_argument);
    measure::over all({"a"}, each);
    CHECK_THROWS_AS(all.know(0, failing(measure::failure_kind::crash, "gone")), tk::error);
    CHECK_THROWS_AS(all.know(0, {.cost = 1, .batches = {1, 2}}), tk::error);
}

TEST_CASE("over: one that is twice as slow on each input is given up on after five of forty, with a bound")
{
    auto each = costs({std::vector<double>(40, 1.0), std::vector<double>(40, 2.0), std::vector<double>(40, 0.5)});
    measure::over all(named(40), each);
    CHECK(on_all(all, 0).ok());
    const auto slow = on_all(all, 1);
    CHECK(slow.at_least);
    CHECK(slow.batches.size() == 5);  // 8 of the 11 stakes nearly double each time: 2^5 * 8 / 11 = 23
    CHECK(slow.cost > 1);
    CHECK(slow.cost < 2);
    CHECK(on_all(all, 2).cost == doctest::Approx(0.5));
    CHECK(on_all(all, 1).batches.size() == 5);  // against the one that is better still

    measure::over worst(named(40), each, {.of = goal::worst});
    CHECK(on_all(worst, 0).ok());
    CHECK(on_all(worst, 1).batches.size() == 1);
    CHECK(on_all(worst, 1).cost == doctest::Approx(2));
    CHECK(on_all(worst, 2).ok());

    // A sum is larger than the incumbent's once its first part is, whatever the signs are.
    auto uneven = costs({{1, 1, 1, 1}, {0.9, 0.9, 0.9, 9}});
    measure::over sum(named(4), uneven, {.of = goal::sum, .seed = 3});
    CHECK(on_all(sum, 0).ok());
    const auto m = on_all(sum, 1);
    CHECK(m.batches.back() == 9);
    CHECK((m.at_least || m.batches.size() == 4));
    CHECK(m.cost == doctest::Approx(std::accumulate(m.batches.begin(), m.batches.end(), 0.0) / 4));
}

TEST_CASE("evidence above a middle: no gain in expectation for symmetric numbers, and the bound inverts it")
{
    using measure::detail::evidence_above, measure::detail::shown_above;
    CHECK(evidence_above({}, 0) == 1);
    for (const double y : {0.003, 0.1, 2.0, 40.0})  // y and -y are equally likely
        CHECK((evidence_above(std::vector{y}, 0) + evidence_above(std::vector{-y}, 0)) / 2 == doctest::Approx(1));
    for (const double y : {0.1, 1.0}) {
        double naive = 0;
        for (double l = 0.5; l <= 512; l *= 2) naive += std::pow(2 / (1 + std::exp(-2 * l * y)), 3) / 11;
        CHECK(evidence_above(std::vector{y, y, y}, 0) == doctest::Approx(naive));
    }
    const std::vector<double> slower{0.5, 0.7, 0.6, 0.9, 0.4, -0.1, 0.8, 0.5, 0.6, 0.7, 0.9, 1.1};
    const double bound = shown_above(slower, 20);
    CHECK(bound > 0);
    CHECK(evidence_above(slower, bound) == doctest::Approx(20).epsilon(1e-6));
    CHECK(shown_above(std::vector{0.5, 0.5}, 20) == -tk::forever);
}

TEST_CASE(
    "over: a better candidate is given up on in at most 5 % of the runs, over all looks; 12,000 runs of 40 inputs")
{
    // Null hypothesis: the log ratio of each input is symmetric about 0, so that neither is better. By Ville's inequality each
    // of the six counts is at most a binomial one of 2,000 at 5 %.
    tk::random::philox gen{74};
    const auto uniform = [&] { return tk::random::uniform_01(gen); };
    const auto sign = [&] { return uniform() < 0.5 ? -1.0 : 1.0; };
    const std::vector<std::pair<const char*, std::function<double()>>> noises{
        {"normal, 3 %", [&] { return 0.03 * tk::random::normal(gen); }},
        {"normal, factors of 2", [&] { return 0.7 * tk::random::normal(gen); }},
        {"the same amount", [&] { return 0.2 * sign(); }},
        {"Laplace", [&] { return -0.3 * sign() * std::log(1 - uniform()); }},
        {"Cauchy", [&] { return 0.1 * std::tan(3.141592653589793 * (uniform() - 0.5)); }},
        {"most equal", [&] { return uniform() < 0.8 ? 0.0 : sign() * uniform(); }}};
    std::size_t of_winners = 0;
    for (const auto& one : noises) {  // clang 14 captures no structured binding
        std::size_t given_up = 0, winners = 0;
        for (int k = 0; k < 2000; ++k) {
            std::vector<std::vector<double>> table{std::vector<double>(40, 1.0), {}};
            double sum = 0;
            for (int j = 0; j < 40; ++j) {
                const double x = one.second();
                sum += x;
                table[1].push_back(std::exp(x));
            }
            auto each = costs(table);
            measure::over all(named(40), each, {.seed = static_cast<std::uint64_t>(k)});
            static_cast<void>(on_all(all, 0));
            const bool stopped = on_all(all, 1).at_least;
            given_up += stopped;
            winners += stopped && sum < 0;
        }
        INFO(std::string(one.first), ": ", given_up, " given up on, ", winners, " of them better on the 40 inputs");
        CHECK(given_up <= 153);  // of 2000 at 5 %: mean 100, sd 9.7; the probability of more is below 1e-6
        CHECK(given_up >= 10);   // the test would see one that gives up on none
        of_winners += winners;
    }
    CHECK(of_winners <= 120);  // 59 of 12,000 with this seed: a twentieth of the half that is better were 300
}

TEST_CASE("over: a run that is taken up is the same run")
{
    std::vector<std::vector<double>> table;
    tk::random::philox gen{5};
    for (int i = 0; i < 40; ++i) {
        auto& row = table.emplace_back();
        const double level = std::exp(0.5 * tk::random::normal(gen));
        for (int k = 0; k < 12; ++k) row.push_back(level * std::exp(0.1 * tk::random::normal(gen)));
    }
    const auto each_of = [&] {
        auto each = costs(table);
        each.of = [of = each.of](tk::index i, std::size_t k) {
            if (i == 0 && k == 3) return failing(measure::failure_kind::crash, "gone");
            return i == 7 ? failing(measure::failure_kind::crash, "gone") : of(i, k);
        };
        return each;
    };
    auto each = each_of();
    measure::over whole(named(12), each, {.seed = 9});
    std::vector<measure::measurement> first;
    for (tk::index i = 0; i < 40; ++i) first.push_back(on_all(whole, i));
    CHECK(std::count_if(first.begin(), first.end(), [](const auto& m) { return m.at_least; }) >= 20);
    auto later = each_of();
    measure::over resumed(named(12), later, {.seed = 9});
    for (tk::index i = 0; i < 20; ++i) resumed.know(i, first[i]);
    CHECK(resumed.left_out().size() == 1);
    CHECK(later.asked.empty());
    for (tk::index i = 20; i < 40; ++i) CHECK(on_all(resumed, i) == first[i]);
}

TEST_CASE("over: tune finds what is best on all inputs, of a space whose first parameter is the input")
{
    const tk::space::value_product space({{"tile", {1, 2, 3, 4}}, {"unroll", {1, 2, 4}}}, {"tile * unroll <= 8"});
    const tk::space::value_product both({{"input", {0, 1, 2}}, {"tile", {1, 2, 3, 4}}, {"unroll", {1, 2, 4}}},
                                        {"tile * unroll <= 8"});
    REQUIRE(both.size() == 3 * space.size());
    for (tk::index i = 0; i < both.size(); ++i) {
        const auto words = both.texts(i), alone = space.texts(i / 3);
        CHECK(words == std::vector<std::string>{std::to_string(i % 3), alone[0], alone[1]});
    }
    measure::function each{both, [](const auto& c) {
                               const double tile = std::stod(tk::space::text_of_value(c[1]));
                               const double best = 1.5 + std::stod(tk::space::text_of_value(c[0])) / 2;  // 1.5, 2, 2.5
                               return std::exp(std::fabs(tile - best)) * std::stod(tk::space::text_of_value(c[2]));
                           }};
    measure::over all({"0", "1", "2"}, each);
    tk::random::philox gen{1};
    const auto found = tk::tune(space, all, tk::search::random{}, {.trials = 100}, gen, {.begin_with = {space.at(3)}});
    REQUIRE(found.found());
    CHECK(found.trials().size() == space.size());
    CHECK(found.trials().front().measured.cost == 1);
    CHECK(space.text(found.incumbent().candidate) == "tile = 2, unroll = 1");
}
