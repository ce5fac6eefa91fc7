// SPDX-License-Identifier: MIT
#include "tunekit/measure/objective.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tests/support/message.hpp"
#include "tests/support/one_worker.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using support::message;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
const std::vector<std::string> names{"bytes", "joules"};

measure::measurement told(double cost, double bytes, double joules)
{
    return {.cost = cost, .spread = 0.5, .runs = 2, .batches = {cost, 2 * cost}, .values = {bytes, joules}};
}

double value(const std::string& text, double cost, double bytes, double joules)
{
    return measure::objective(text, names)({.cost = cost, .values = {bytes, joules}, .names = names});
}

/// Configuration i of a grid of 12 x 12 costs (x - 9)^2 + 1, and has 1 + (12 - x) bytes; y is noise.
struct two_goals {
    const support::grid_space& space;
    std::vector<measure::limits> seen{};

    std::vector<measure::measurement> measure(std::span<const tk::index> batch, const measure::limits& within)
    {
        seen.push_back(within);
        std::vector<measure::measurement> out;
        for (const tk::index i : batch) {
            const double x = static_cast<double>(i % 12);
            out.push_back({.cost = (x - 9) * (x - 9) + 1, .runs = 1, .values = {13 - x}});
        }
        return out;
    }
};

}  // namespace

TEST_CASE("objectives: what they make of a cost and two numbers")
{
    const measure::named_measurement m{.cost = 3, .values = {8, 0.5}, .names = names};
    CHECK(m["cost"] == 3);
    CHECK(m["joules"] == 0.5);
    CHECK(std::isnan(m["watts"]));
    CHECK(value("cost", 3, 8, 0.5) == 3);
    CHECK(value("bytes", 3, 8, 0.5) == 8);
    CHECK(value("2*cost + 0.25 * bytes", 3, 8, 0.5) == 8);
    CHECK(value("cost * joules", 3, 8, 0.5) == 1.5);
    CHECK(value("cost where bytes <= 8", 3, 8, 0.5) == 3);
    CHECK(value("cost where bytes <= 4", 3, 8, 0.5) == doctest::Approx(2e30));
    CHECK(value("bytes / cost where cost <= 1 and joules <= 0.25", 3, 8, 0.5) == doctest::Approx(1e30 * (1 + 2 + 1)));
    CHECK(std::isnan(value("cost where bytes <= 8", 3, none, 0.5)));
    CHECK(measure::objective("cost", names).is_cost());
    CHECK_FALSE(measure::objective("cost where bytes <= 8", names).is_cost());
    CHECK(measure::objective("cost where bytes <= 8", names).reads() == std::vector<std::string>{"cost", "bytes"});
}

TEST_CASE("a broken limit orders behind every cost that keeps it, by how much it is broken, whatever the cost")
{
    const auto at = [](double cost, double bytes) { return value("cost where bytes <= 100", cost, bytes, 1); };
    CHECK(at(1e9, 100) < at(1e-9, 101));
    CHECK(at(1e9, 101) < at(1e-9, 102));
    CHECK(at(1, 1e300) < std::numeric_limits<double>::infinity());
    CHECK(at(1e-9, 100.0001) >= measure::broken_cost);
    CHECK(at(1e9, 100) < measure::broken_cost);
    CHECK(measure::broken_limit(1, 0) == 2e30);
    CHECK(measure::broken_limit(-1, -2) == doctest::Approx(1.5e30));
}

TEST_CASE("judged: the cost is the objective's, what was measured stays, and another objective begins from there")
{
    const auto m = measure::judged(told(3, 8, 0.5), measure::objective("cost * joules", names), names);
    CHECK(m.cost == 1.5);
    CHECK(m.spread == 0.25);
    CHECK(m.batches == std::vector<double>{1.5, 3});
    CHECK(m.values == measure::measured_values{8, 0.5, 3});
    CHECK(m.runs == 2);
    const auto all = measure::judged_names(names);
    CHECK(all == std::vector<std::string>{"bytes", "joules", "cost"});
    CHECK(measure::judged_names(all) == all);
    const auto again = measure::judged(m, measure::objective("cost + bytes", all), all);
    CHECK(again.cost == 11);
    CHECK(again.values == m.values);
    CHECK(measure::judged(again, measure::objective("cost", all), all).cost == 3);
    CHECK(measure::measurement_from(measure::to_bytes(again)) == again);
}

TEST_CASE("judged: what has no objective fails, with the number that is missing; a failure stays one")
{
    const auto why = [](const measure::measurement& m, const char* text) {
        const auto out = measure::judged(m, measure::objective(text, names), names);
        REQUIRE(out.failed);
        CHECK(std::isnan(out.cost));
        CHECK(out.values.size() == 3);
        return *out.failed;
    };
    CHECK(why(told(3, none, 1), "cost * bytes").kind == measure::failure_kind::bad_cost);
    CHECK(why(told(3, none, 1), "cost * bytes").message ==
          "the objective is nan, want a positive finite number; 'bytes' was not measured");
    CHECK(why(told(3, std::numeric_limits<double>::infinity(), 1), "bytes").message ==
          "the objective is inf, want a positive finite number; 'bytes' is infinite");
    CHECK(why(told(3, 8, 1), "cost - bytes").message == "the objective is -5, want a positive finite number");
    CHECK(why(told(3, 0, 1), "cost / bytes").message.find("division by zero") != std::string::npos);
    measure::measurement crashed{.failed = measure::failure{measure::failure_kind::crash, 11, "gone"}};
    CHECK(why(crashed, "cost * bytes") == *crashed.failed);
    CHECK(why({.cost = 3}, "cost * bytes").message.find("'bytes' was not measured") != std::string::npos);
}

TEST_CASE("objective: one line for what is none")
{
    const auto said = [](const char* text) { return message([&] { measure::objective o(text, names); }); };
    CHECK(said("watts * cost") ==
          "tunekit: objective 'watts * cost': column 1: no number is called 'watts', want one of cost, bytes, joules");
    CHECK(said("cost +") ==
          "tunekit: objective 'cost +': column 7: found the end, want a number, the name of a number or '('");
    CHECK(said("") == "tunekit: objective '' says nothing to lower, want cost, or an expression of it");
    CHECK(said("cost where bytes < 5") ==
          "tunekit: objective 'cost where bytes < 5': 'bytes < 5' is not a limit, want NAME <= NUMBER");
    CHECK(said("cost where bytes <= watts").find("no number is called 'watts'") != std::string::npos);
    const support::grid_space space({12, 12});
    two_goals measures{space};
    const measure::objective power("cost * watts", std::vector<std::string>{"watts"});
    CHECK(message([&] { measure::by_objective by(measures, power, {"bytes"}); }) ==
          "tunekit: objective: no number is called 'watts', want one of cost, bytes");
    CHECK(message([] {
              static_cast<void>(measure::judged_names(std::vector<std::string>(8, "x")));
          }).find("want at most 7") != std::string::npos);
}

TEST_CASE("by_objective: any strategy lowers it, over a measurer and over a pool, and nothing is abandoned as slow")
{
    const support::grid_space space({12, 12});
    REQUIRE(space.size() >= 12);
    const measure::objective within("cost where bytes <= 6", std::vector<std::string>{"bytes"});  // x >= 7: best at 9
    const measure::objective small("bytes + cost / 1000", std::vector<std::string>{"bytes"});     // best at 11
    two_goals measures{space};
    measure::by_objective fast(measures, within, {"bytes"});
    measure::by_objective least(measures, small, {"bytes"});
    auto how = tk::recipes::combined().strategy;
    tk::random::philox gen(3);
    const auto a = tk::tune(space, fast, how, {.trials = space.size()}, gen);
    CHECK(a.incumbent().candidate % 12 == 9);
    CHECK(a.best_cost() == 1);
    CHECK(a.incumbent().measured.values == measure::measured_values{4, 1});
    support::one_worker pool(measures);
    measure::by_objective judged(pool, small, {"bytes"});
    static_assert(tk::pool<decltype(judged)>);
    const auto b = tk::tune(space, judged, tk::search::random{}, {.trials = space.size()}, gen);
    CHECK(b.incumbent().candidate % 12 == 11);
    for (const auto& l : measures.seen) CHECK(l.abandon_above == std::numeric_limits<double>::infinity());
}

TEST_CASE("by_objective: where nothing keeps the limit, the search ends at what breaks it least")
{
    const support::grid_space space({12, 12});
    two_goals measures{space};
    const auto none_keeps = [](const measure::named_measurement& m) {
        return m["bytes"] <= 0.5 ? m["cost"] : measure::broken_limit(m["bytes"], 0.5);
    };
    measure::by_objective never(measures, none_keeps, {"bytes"});
    tk::random::philox gen(3);
    const auto found = tk::tune(space, never, tk::recipes::combined().strategy, {.trials = 60}, gen);
    CHECK(found.failed() == 0);
    CHECK(found.incumbent().candidate % 12 == 11);
    CHECK(found.best_cost() >= measure::broken_cost);
}
