// SPDX-License-Identifier: MIT
#include "tunekit/dispatch/tune_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "packages/dispatch/tests/unit/fixtures.hpp"
#include "tunekit/dispatch/next_shapes.hpp"
#include "tunekit/dispatch/task_name.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/function.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/schedule/round_robin.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/recipe.hpp"

namespace tk = tunekit;
namespace dispatch = tk::dispatch;

namespace {

const tk::space::product space{tk::space::integers<"tile">(0, 15), tk::space::integers<"unroll">(0, 3)};

/// The best tile is log2 of m, the best unroll that of n / 16; each step beside costs a tenth.
double cost_at(const dispatch::shape_sizes& at, int tile, int unroll)
{
    const double t = std::log2(static_cast<double>(at[0])), u = std::log2(static_cast<double>(at[1]) / 16);
    return 1e-3 * (1 + 0.1 * std::abs(t - tile) + 0.1 * std::abs(u - unroll));
}

dispatch::results empty()
{
    const auto names = space.names();
    return {.kernel = "k",
            .version = "1",
            .fingerprint = space.fingerprint(),
            .sizes = {"m", "n"},
            .parameters = {names.begin(), names.end()}};
}

auto maker(int& made)
{
    return [&made](const dispatch::shape_sizes& at) {
        ++made;
        tk::task t(dispatch::task_name("k", {"m", "n"}, at), space,
                   tk::measure::function{
                       space, [at](const auto& c) { return cost_at(at, tk::get<"tile">(c), tk::get<"unroll">(c)); }},
                   1e6);
        t.begin_with({0});
        return t;
    };
}

std::vector<dispatch::shape_sizes> family()
{
    std::vector<dispatch::shape_sizes> out;
    for (const std::int64_t m : {1, 4, 16, 64, 256, 1024})
        for (const std::int64_t n : {16, 32, 128}) out.push_back({m, n});
    return out;
}

const tk::recipe how{tk::search::hill_climb{},   tk::measure::fixed{}, tk::candidate_limits{}, std::size_t{1}, 20.0,
                     tk::schedule::round_robin{}};

}  // namespace

TEST_CASE("next shapes: the middle first, then the farthest, none twice, none that was measured")
{
    auto all = fixtures::empty_gemm();
    const std::vector<dispatch::shape_sizes> line{{1, 1}, {2, 1}, {4, 1}, {8, 1}, {16, 1}};
    const auto order = dispatch::next_shapes(all, "box", line, 3);
    REQUIRE(order.size() == 3);
    CHECK(order[0].at == dispatch::shape_sizes{4, 1});
    CHECK(order[1].at == dispatch::shape_sizes{1, 1});
    CHECK(order[2].at == dispatch::shape_sizes{16, 1});
    CHECK(std::isinf(order[0].doubt));
    CHECK(dispatch::next_shapes(all, "box", line, 99).size() == 5);
    CHECK(dispatch::next_shapes(all, "box", {}, 3).empty());

    all = fixtures::powers(3, 3);  // m = 1, 2, 4 with n = 16, 64
    const std::vector<dispatch::shape_sizes> some{{4, 16}, {4, 20}, {4096, 16}, {4, 16}};
    const auto next = dispatch::next_shapes(all, "box", some, 9);
    REQUIRE(next.size() == 2);
    CHECK(next[0].at == dispatch::shape_sizes{4096, 16});
    CHECK(next[0].doubt > next[1].doubt);
    CHECK(dispatch::next_shapes(all, "another box", some, 9).size() == 3);
    const std::vector<dispatch::shape_sizes> wrong{{1}};
    CHECK_THROWS_AS(static_cast<void>(dispatch::next_shapes(all, "box", wrong, 1)), std::invalid_argument);
}

TEST_CASE("next shapes: where neighbours dispute comes before where they agree, at the same distance")
{
    // For m up to 8 all want configuration 0; from 64 to 256 each shape wants another one.
    auto all = fixtures::empty_gemm();
    for (const std::int64_t m : {1, 4, 64, 256})
        for (std::int64_t c = 0; c < 3; ++c)
            all.add(fixtures::row(m, 1, static_cast<tk::index>(c),
                                  (m < 10    ? c == 0
                                   : m == 64 ? c == 1
                                             : c == 2)
                                      ? 1
                                      : 4));
    const std::vector<dispatch::shape_sizes> two{{2, 1}, {128, 1}};
    CHECK(dispatch::next_shapes(all, "box", two, 1, {.max_kernels = 3}).front().at == dispatch::shape_sizes{128, 1});
}

TEST_CASE("a family is tuned within its trials, carried over, and its choice holds where it was not tuned")
{
    int made = 0;
    auto make = maker(made);
    tk::random::philox gen(3);
    double seconds = 0;
    tk::measure::virtual_clock now(seconds);
    const auto shapes = family();
    std::vector<dispatch::shape_sizes> some;  // two thirds of it, spread
    for (const auto& s : dispatch::next_shapes(empty(), "sim", shapes, 12)) some.push_back(s.at);
    const dispatch::tune_shapes_options options{
        .device = "sim", .budget = {.trials_per_task = 40}, .together = 4, .keep = 1};
    const auto all = dispatch::tune_shapes(empty(), some, make, how, options, now, gen);
    CHECK(made == 12);
    const auto w = all.winners();
    REQUIRE(w.size() == 12);
    for (const auto& one : w) {
        REQUIRE(one.untuned);
        CHECK(all.rows[*one.untuned].candidate == 0);
        CHECK(all.rows[one.best].seconds <= all.rows[*one.untuned].seconds);
        // Every winner was measured at every shape.
        for (const auto& other : w)
            CHECK(std::any_of(all.rows.begin(), all.rows.end(), [&](const auto& r) {
                return r.at == one.at && r.candidate == all.rows[other.best].candidate;
            }));
    }
    CHECK(std::any_of(all.rows.begin(), all.rows.end(), [](const auto& r) { return !r.searched && !r.untuned; }));
    const auto chosen = dispatch::fit(all, {.max_kernels = 12});
    double loss = 0;
    for (const auto& at : shapes) {
        const auto p = chosen.choose("sim", at);
        const auto c = space.at(chosen.configs[p.config].candidate);
        loss += std::log(cost_at(at, tk::get<"tile">(c), tk::get<"unroll">(c)) / 1e-3);
    }
    CHECK(std::exp(-loss / static_cast<double>(shapes.size())) > 0.8);

    // The same again is the same; what is known is not tuned again.
    tk::random::philox again(3);
    tk::measure::virtual_clock then(seconds);
    CHECK(dispatch::tune_shapes(empty(), some, make, how, options, then, again) == all);
    made = 0;
    const auto more =
        dispatch::tune_shapes(all, shapes, make, how, {.device = "sim", .budget = {.trials_per_task = 10}}, now, gen);
    CHECK(made == 6);
    CHECK(more.winners().size() == 18);
}

TEST_CASE("neighbours' winners are what a shape begins with")
{
    int made = 0;
    auto make = maker(made);
    tk::random::philox gen(4);
    double seconds = 0;
    tk::measure::virtual_clock now(seconds);
    const std::vector<dispatch::shape_sizes> pair{{256, 32}, {512, 32}};
    const auto all = dispatch::tune_shapes(
        empty(), pair, make, how, {.device = "sim", .budget = {.trials_per_task = 2}, .together = 1}, now, gen);
    // Two trials: the default and, at the second shape, what won at the first.
    const auto w = all.winners();
    REQUIRE(w.size() == 2);
    CHECK(std::any_of(all.rows.begin(), all.rows.end(), [&](const auto& r) { return !r.searched && !r.untuned; }));
}

TEST_CASE("a run that is ended keeps what it has measured, begins no other shape and carries nothing over")
{
    static int asked = 0;
    int made = 0;
    auto make = maker(made);
    tk::random::philox gen(4);
    const std::vector<dispatch::shape_sizes> pair{{256, 32}, {512, 32}};
    const auto all = dispatch::tune_shapes(
        empty(), pair, make, how,
        {.device = "sim", .budget = {.trials_per_task = 40}, .together = 1, .ended = [] { return ++asked > 5; }}, gen);
    CHECK(made == 1);
    REQUIRE(all.winners().size() == 1);
    CHECK(all.winners().front().at == dispatch::shape_sizes{256, 32});
    CHECK(all.rows[*all.winners().front().untuned].candidate == 0);
    CHECK(asked < 10);  // it was asked for after each measurement, and the second shape has none
}

TEST_CASE("a budget of no time tunes one wave's warm-up at most; settings out of range are refused")
{
    int made = 0;
    auto make = maker(made);
    tk::random::philox gen(5);
    const auto shapes = family();
    const auto refused = [&](dispatch::tune_shapes_options o) {
        CHECK_THROWS_AS(static_cast<void>(dispatch::tune_shapes(empty(), shapes, make, how, o, gen)),
                        std::invalid_argument);
    };
    refused({.device = ""});
    refused({.device = "sim", .together = 0});
    refused({.device = "sim", .keep = 0});
    CHECK(made == 0);
    auto foreign = empty();
    foreign.fingerprint = 1;
    CHECK_THROWS_WITH_AS(static_cast<void>(dispatch::tune_shapes(foreign, shapes, make, how, {.device = "sim"}, gen)),
                         doctest::Contains("one space for all shapes"), std::invalid_argument);
    made = 0;
    const auto none = dispatch::tune_shapes(empty(), shapes, make, how,
                                            {.device = "sim", .budget = {.seconds = 0}, .together = 3}, gen);
    CHECK(made <= 3);
    CHECK(none.winners().size() <= 3);
}

TEST_CASE(
    "what a measurer says of a configuration that is carried over may be nonsense: it adds no row, or is an error")
{
    /// Right about its shape's own default alone.
    struct odd {
        tk::index own;
        std::vector<tk::measure::measurement> others;
        std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
        {
            if (batch.front() != own) return others;
            return std::vector<tk::measure::measurement>(batch.size(), {.cost = 1e-3, .runs = 1});
        }
    };
    const std::vector<dispatch::shape_sizes> pair{{256, 32}, {512, 32}};
    const auto tuned = [&](const std::vector<tk::measure::measurement>& others) {
        const auto make = [&](const dispatch::shape_sizes& at) {
            const tk::index own = at == pair[0] ? 0 : 5;
            tk::task t(dispatch::task_name("k", {"m", "n"}, at), space, odd{own, others}, 1e6);
            t.begin_with({own});
            return t;
        };
        tk::random::philox gen(6);
        return dispatch::tune_shapes(empty(), pair, make, how, {.device = "sim", .budget = {.trials_per_task = 1}},
                                     gen);
    };
    const double inf = std::numeric_limits<double>::infinity();
    for (const double cost : {inf, -inf, std::nan(""), 0.0, -1.0}) {
        CAPTURE(cost);
        CHECK(tuned({{.cost = cost, .runs = 1}}).rows.size() == 2);
    }
    CHECK(tuned({{.cost = 2e-3, .spread = inf, .runs = 1}}).rows.size() == 4);
    CHECK_THROWS_WITH_AS(static_cast<void>(tuned({})), doctest::Contains("did not answer its candidate"), tk::error);
}

TEST_CASE("a family with a size below 1 is refused before anything is tuned")
{
    int made = 0;
    auto make = maker(made);
    tk::random::philox gen(7);
    for (const std::int64_t size : {std::int64_t{0}, std::numeric_limits<std::int64_t>::min()})
        CHECK_THROWS_WITH_AS(
            static_cast<void>(dispatch::tune_shapes(empty(), std::vector<dispatch::shape_sizes>{{64, 32}, {size, 32}},
                                                    make, how, {.device = "sim"}, gen)),
            doctest::Contains(" n=32 with a size below 1, want >= 1"), std::invalid_argument);
    CHECK(made == 0);
}
