// SPDX-License-Identifier: MIT
#include "tunekit/measure/measurement.hpp"

#include <doctest/doctest.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/support/one_worker.hpp"
#include "tests/support/simulated_workers.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/replay.hpp"
#include "tunekit/processes/isolated_workers.hpp"
#include "tunekit/processes/worker_task.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using bytes = std::vector<unsigned char>;

static_assert(std::regular<measure::measured_values> && std::is_trivially_copyable_v<measure::measured_values>);
static_assert(sizeof(measure::measured_values) == 72 && std::regular<measure::measurement>);
static_assert(measure::measured_values{1, 2}.size() == 2 && measure::measured_values{1, 2}[1] == 2);
static_assert(measure::measured_values{} != measure::measured_values{0});

namespace {

/// Every member is another than the default.
measure::measurement full()
{
    return {.cost = 1e-3,
            .spread = 1e-6,
            .runs = 12,
            .at_least = true,
            .checked = measure::check_state::ok,
            .build_seconds = 1,
            .run_seconds = 2,
            .failed = measure::failure{measure::failure_kind::lost, -11, "gone\n"},
            .batches = {1e-3, 2e-3},
            .values = {0.25, -1, 4096, 1, 2, 3, 4, 5}};
}

struct four {
    using config = int;
    [[nodiscard]] tk::index size() const { return 4; }
    [[nodiscard]] config at(tk::index i) const { return static_cast<int>(i); }
    [[nodiscard]] std::optional<tk::index> index_of(const config& c) const { return static_cast<tk::index>(c); }
};

/// What a configuration measures besides its cost, in a process of its own or not.
measure::measurement measured(int c)
{
    return {.cost = 1.0 + c,
            .runs = 1,
            .checked = c % 2 == 0 ? measure::check_state::ok : measure::check_state::unchecked,
            .batches = {1.0 + c},
            .values = {10.0 * c, std::numeric_limits<double>::infinity()}};
}
constexpr auto by_hand = [](int c, const measure::limits&) { return measured(c); };

void same(const measure::measurement& got, int c)
{
    CHECK(got.values == measured(c).values);
    CHECK(got.checked == measured(c).checked);
    CHECK(got.cost == measured(c).cost);
}

template <class Pool>
void through(Pool&& pool)
{
    for (std::uint64_t c = 0; c < 4; ++c) {
        pool.submit({.ticket = tk::ticket{c}, .candidate = c});
        std::vector<tk::answer> got;
        while (got.empty()) got = pool.collect(1);
        REQUIRE(got.at(0).measured.has_value());
        same(*got[0].measured, static_cast<int>(c));
    }
}

std::string refusal(const bytes& b)
{
    try {
        (void)measure::measurement_from(b);
    } catch (const tk::error& e) {
        return e.what();
    }
    return {};
}

}  // namespace

TEST_CASE("a measurement has at most eight values beside its cost")
{
    const std::vector<double> eight(8, 1.5);
    CHECK(measure::measured_values(std::span<const double>(eight)).size() == 8);
    CHECK_THROWS_WITH_AS((measure::measured_values{1, 2, 3, 4, 5, 6, 7, 8, 9}),
                         "tunekit: measured_values: more than 8 numbers in addition to the cost, want at most 8",
                         std::invalid_argument);
    CHECK(measure::measurement{}.values.size() == 0);
    CHECK(measure::measurement{}.checked == measure::check_state::unchecked);
}

TEST_CASE("a measurement reads back from its bytes; from fewer or more it does not")
{
    const bytes whole = measure::to_bytes(full());
    CHECK(measure::measurement_from(whole) == full());
    measure::measurement plain{.cost = 2};
    CHECK(measure::measurement_from(measure::to_bytes(plain)) == plain);
    CHECK(measure::to_bytes(plain).size() == 120);
    for (std::size_t n = 0; n < whole.size(); ++n)
        CHECK_FALSE(refusal(bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n))).empty());
    bytes more = whole;
    more.push_back(0);
    CHECK(refusal(more) == "tunekit: measurement: its bytes are fewer or more than they claim");

    measure::measurement large = full();
    large.failed->message.assign(65537, 'x');
    large.batches.assign(65537, 1);
    const measure::measurement cut = measure::measurement_from(measure::to_bytes(large));
    CHECK(cut.failed->message.size() == 65536);
    CHECK(cut.batches.size() == 65536);
    CHECK(cut.cost == large.cost);
}

TEST_CASE("bytes of a damaged process are refused in a sentence, each fault in its own")
{
    using head = measure::detail::measurement_head;
    const auto with = [](std::size_t at, auto value) {
        bytes b = measure::to_bytes(full());
        std::memcpy(b.data() + at, &value, sizeof value);
        return refusal(b);
    };
    const std::string begin = "tunekit: measurement: its bytes ";
    CHECK(refusal({}) == begin + "end before its numbers do");
    for (const std::size_t at : {offsetof(head, message), offsetof(head, batches)}) {
        CHECK(with(at, ~std::uint32_t{0}) == begin + "claim a longer message or more batches than are ever sent");
        CHECK(with(at, std::uint32_t{0}) == begin + "are fewer or more than they claim");
    }
    CHECK(with(offsetof(head, kind), std::uint8_t{99}) == begin + "name an unknown kind of failure");
    CHECK(with(offsetof(head, value_count), std::uint8_t{9}) == begin + "claim more values than a measurement has");
    for (const std::size_t at : {offsetof(head, failed), offsetof(head, at_least), offsetof(head, checked)})
        CHECK(with(at, std::uint8_t{2}) == begin + "have another answer than yes and no");
    CHECK(with(offsetof(head, failed), std::uint8_t{0}) == begin + "have a message without a failure");
}

TEST_CASE("every way of measuring carries the values beside the cost and the state of the check")
{
    const std::vector<tk::index> all{0, 1, 2, 3};
    std::vector<measure::recorded_row> table;
    for (int c = 0; c < 4; ++c) table.push_back({.result = measured(c), .seconds = 1});

    SUBCASE("isolated_workers")
    {
        through(measure::isolated_workers(2, [](std::size_t) { return measure::worker_task{four{}, by_hand}; }));
    }
    SUBCASE("one_worker over replay")
    {
        double now = 0;
        measure::replay rows(table, measure::virtual_clock(now));
        through(support::one_worker(rows, {}, measure::virtual_clock(now)));
    }
    SUBCASE("noisy_replay: drawn anew from the record's runs")
    {
        double now = 0;
        measure::noisy_replay rows(table, measure::virtual_clock(now), measure::fixed{.runs = 3, .batch = 1}, 1);
        const auto got = rows.measure(all, {});
        for (int c = 0; c < 4; ++c) same(got.at(static_cast<std::size_t>(c)), c);
    }
    SUBCASE("simulated_workers") { through(support::simulated_workers(table, {})); }
}
