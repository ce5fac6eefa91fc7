// SPDX-License-Identifier: MIT
#include "tunekit/measure/jobs.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace {

using tunekit::answer;
using tunekit::job;
using tunekit::ticket;

struct whole_pool {
    [[nodiscard]] std::size_t workers() const { return 1; }
    [[nodiscard]] std::size_t room() const { return out_ ? 0 : 1; }
    void submit(const job&) { out_ = true; }
    [[nodiscard]] std::vector<answer> collect(double) { return {}; }
    [[nodiscard]] double now() const { return 0; }

private:
    bool out_ = false;
};
static_assert(tunekit::pool<whole_pool>);

struct without_time : whole_pool {
    double now() const = delete;
};
struct answers_alone : whole_pool {
    answer collect(double);
};
struct takes_candidates : whole_pool {
    void submit(tunekit::index);
};
struct room_changes : whole_pool {
    std::size_t room();
};
struct counts_in_int : whole_pool {
    [[nodiscard]] int workers() const { return 1; }
};
static_assert(!tunekit::pool<without_time> && !tunekit::pool<answers_alone> && !tunekit::pool<takes_candidates> &&
              !tunekit::pool<room_changes> && !tunekit::pool<counts_in_int> && !tunekit::pool<int>);

// An index told for a ticket does not compile, nor the other way round.
static_assert(!std::is_convertible_v<tunekit::index, ticket> && !std::is_convertible_v<ticket, tunekit::index>);
static_assert(std::is_same_v<std::underlying_type_t<ticket>, std::uint64_t>);

}  // namespace

TEST_CASE("a job is a value with the limits of its moment; an answer without a measurement is a lost one")
{
    const job a{.ticket = ticket{7}, .task = 2, .candidate = 11, .limits = {.run_seconds = 3}};
    job b = a;
    CHECK(a == b);
    b.ticket = ticket{8};
    CHECK(a != b);
    const answer lost{.ticket = a.ticket};
    CHECK_FALSE(lost.measured.has_value());
    CHECK(answer{.ticket = a.ticket, .measured = tunekit::measure::measurement{.cost = 1}}.measured->cost == 1);
}
