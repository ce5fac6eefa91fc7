// SPDX-License-Identifier: MIT
// Numbers beside the cost, from the kernel that reports them to the record.

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/function.hpp"
#include "tunekit/measure/in_process.hpp"
#include "tunekit/measure/replay.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/processes/isolated.hpp"
#include "tunekit/processes/isolated_workers.hpp"
#include "tunekit/processes/worker_task.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;

namespace {

struct ten {
    using config = int;
    [[nodiscard]] tk::index size() const { return 10; }
    [[nodiscard]] config at(tk::index i) const { return static_cast<int>(i); }
    [[nodiscard]] std::optional<tk::index> index_of(const config& c) const { return static_cast<tk::index>(c); }
};

constexpr measure::fixed twice{.runs = 2, .batch = 1};

/// Costs 1 + c, and has 100 c bytes and the number of its run.
struct counting {
    [[nodiscard]] auto operator()(int c) const
    {
        return [c](std::uint64_t run) { return measure::reported{1.0 + c, {100.0 * c, static_cast<double>(run)}}; };
    }
};

}  // namespace

TEST_CASE("a kernel's numbers come through in this process, in a child, and through several workers")
{
    const auto right = [](const measure::measurement& m, int c) {
        CHECK(m.cost == 1.0 + c);
        REQUIRE(m.values.size() == 2);
        CHECK(m.values[0] == 100.0 * c);
        CHECK(m.values[1] >= 1);  // warm-up is run 0, and the last timed run counts
    };
    const std::vector<tk::index> batch{3, 7};
    auto here = measure::in_process(ten{}, measure::timed{counting{}, twice});
    auto child = measure::isolated(ten{}, measure::timed{counting{}, twice});
    for (const auto& all : {here.measure(batch, {}), child.measure(batch, {})}) {
        REQUIRE(all.size() == 2);
        right(all[0], 3);
        right(all[1], 7);
    }
    measure::isolated_workers pool(
        2, [](std::size_t) { return measure::worker_task{ten{}, measure::timed{counting{}, twice}}; });
    for (std::uint64_t t = 0; t < 2; ++t) pool.submit({.ticket = tk::ticket{t}, .candidate = 4 + t});
    for (std::size_t got = 0; got < 2;)
        for (const tk::answer& a : pool.collect(10)) {
            REQUIRE(a.measured);
            right(*a.measured, 4 + static_cast<int>(a.ticket));
            ++got;
        }
}

TEST_CASE("a kernel that reports at once, and one that a check follows, keep their numbers")
{
    auto at_once =
        measure::in_process(ten{}, measure::timed{[](int c) { return measure::reported{1.0 + c, {7}}; }, twice});
    CHECK(at_once.measure(std::vector<tk::index>{2}, {}).front().values == measure::measured_values{7});
    auto checked = measure::in_process(ten{}, measure::timed{counting{}, twice, [] { return true; }});
    const auto m = checked.measure(std::vector<tk::index>{2}, {.abandon_above = 100}).front();
    CHECK(m.checked == measure::check_state::ok);
    CHECK(m.values[0] == 200);
    auto bad = measure::in_process(ten{}, measure::timed{[](int) { return measure::reported{-1, {7}}; }, twice});
    CHECK(bad.measure(std::vector<tk::index>{2}, {}).front().failed->kind == measure::failure_kind::bad_cost);
}

TEST_CASE("a function's numbers, those of a replay, and their names in the record")
{
    const tk::space::product space{tk::space::integers<"x">(1, 4)};
    measure::function cost{
        space, [](const auto& c) { return measure::reported{1.0 * tk::get<"x">(c), {2.0 * tk::get<"x">(c)}}; }};
    tk::tuner t(space, tk::search::grid{}, {.trials = 4}, tk::random::philox(1));
    t.name_values({"bytes"});
    tk::tune(t, cost);
    CHECK(t.record().value_names == std::vector<std::string>{"bytes"});
    for (const auto& one : t.record().trials())
        CHECK(one.measured.values == measure::measured_values{2 * one.measured.cost});
    CHECK_THROWS_AS(t.name_values(std::vector<std::string>(9)), std::invalid_argument);

    std::vector<measure::recorded_row> table(3);
    for (auto& row : table) row.result = {.cost = 1, .runs = 2, .batches = {1, 1}, .values = {64}};
    double now = 0;
    measure::replay plain(table, measure::virtual_clock(now));
    measure::noisy_replay noisy(table, measure::virtual_clock(now), twice, 1);
    const std::vector<tk::index> batch{1};
    CHECK(plain.measure(batch, {}).front().values == measure::measured_values{64});
    CHECK(noisy.measure(batch, {}).front().values == measure::measured_values{64});
}
