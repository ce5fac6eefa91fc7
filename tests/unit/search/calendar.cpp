// SPDX-License-Identifier: MIT
#include "tunekit/search/detail/calendar.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace tk = tunekit;
using tk::search::detail::calendar;

namespace {

/// The numbers up to `last`, counted one by one, at which `take` says yes.
template <class Take>
std::vector<std::size_t> dates(std::size_t from, std::size_t last, const Take& take)
{
    std::vector<std::size_t> out;
    for (std::size_t n = from; n <= last; ++n)
        if (take(n)) out.push_back(n);
    return out;
}

}  // namespace

TEST_CASE("calendar: the forest is fitted after each of 64 answers, then after four more, then after 2 % more")
{
    calendar one;
    const auto all = dates(0, 64, [&](std::size_t n) { return one.take_forest(n); });
    CHECK(all.size() == 65);
    CHECK(dates(65, 80, [&](std::size_t n) { return one.take_forest(n); }) == std::vector<std::size_t>{68, 72, 76, 80});
    CHECK(one.take_forest(500));  // many at once: one date
    CHECK(dates(501, 525, [&](std::size_t n) { return one.take_forest(n); }) == std::vector<std::size_t>{510, 520});
}

TEST_CASE("calendar: the list is made again when a fifth more is known, 100 at most")
{
    calendar one;
    CHECK(dates(0, 12, [&](std::size_t n) { return one.take_list(n); }) ==
          std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12});
    CHECK(one.take_list(100));
    CHECK(dates(101, 150, [&](std::size_t n) { return one.take_list(n); }) == std::vector<std::size_t>{120, 144});
    CHECK(one.take_list(5000));
    CHECK(dates(5001, 5200, [&](std::size_t n) { return one.take_list(n); }) == std::vector<std::size_t>{5100, 5200});
}

TEST_CASE("calendar: of two states that propose in turn, each fits and lists half as often from 64 on")
{
    calendar two(2);
    CHECK(dates(60, 80, [&](std::size_t n) { return two.take_forest(n); }) ==
          std::vector<std::size_t>{60, 61, 62, 63, 64, 72, 80});
    CHECK(dates(50, 90, [&](std::size_t n) { return two.take_list(n); }) == std::vector<std::size_t>{50, 60, 72});
}

TEST_CASE("calendar: a line serves one proposal, and 1 % of what is known where that is much, or until another is best")
{
    calendar one;
    CHECK(one.line_ends(0, 7));
    CHECK(one.begin_line(20, 7, 300) == 1);
    CHECK_FALSE(one.line_ends(20, 7));
    CHECK(one.line_ends(21, 7));
    CHECK(one.begin_line(299, 7, 300) == 1);
    CHECK(one.begin_line(300, 7, 300) == 3);
    CHECK_FALSE(one.line_ends(302, 7));
    CHECK(one.line_ends(303, 7));
    CHECK(one.line_ends(301, 8));
    CHECK(one.begin_line(40, 8, 16) == 1);
}

TEST_CASE("calendar: after a new start everything is due, and states still take turns")
{
    calendar two(2);
    CHECK((two.take_forest(100) && two.take_list(100)));
    CHECK(two.begin_line(100, 0, 300) == 1);
    CHECK_FALSE((two.take_forest(100) || two.take_list(100) || two.line_ends(100, 0)));
    two.start_over();
    CHECK(two.line_ends(100, 0));
    CHECK((two.take_forest(100) && two.take_list(100)));
    CHECK_FALSE(two.take_forest(107));
    CHECK(two.take_forest(108));
}
