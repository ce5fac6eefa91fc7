// SPDX-License-Identifier: MIT
#include "tunekit/online/detail/account.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "tunekit/online/detail/overtaken.hpp"
#include "tunekit/online/detail/recent.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace tk = tunekit;
namespace online = tk::online;
using online::detail::account;

TEST_CASE("account: what the default would take pays its share, what was saved pays its share")
{
    account a{.regret = 0.02, .reinvest = 0.5};
    CHECK(a.room() == 0);
    a.pass(100, 2.0, 2.0);
    CHECK(a.default_only == 200);
    CHECK(a.saved == 0);
    CHECK(a.room() == doctest::Approx(4));
    a.pass(10, 2.0, 1.5);
    CHECK(a.saved == doctest::Approx(5));
    CHECK(a.room() == doctest::Approx(4.4 + 2.5));
    CHECK(a.room(0.02) == doctest::Approx(0.02 * 215));  // without what was saved, of what was spent
    a.lost = 6.9;
    CHECK(a.room() == doctest::Approx(0).epsilon(1e-12));
    CHECK_FALSE(a.affords(0.1));
}

TEST_CASE("account: so many calls are enough, and one fewer is not")
{
    auto gen = tk::random::philox(1);
    for (int k = 0; k < 2000; ++k) {
        account a{.regret = 0.001 + 0.1 * tk::random::uniform_01(gen), .reinvest = tk::random::uniform_01(gen)};
        const double d = 0.5 + tk::random::uniform_01(gen), c = d * tk::random::uniform_01(gen);
        a.pass(20 * tk::random::uniform_01(gen), d, c);
        a.lost = tk::random::uniform_01(gen);
        std::optional<double> share;
        if (tk::random::uniform_01(gen) < 0.5) share = a.regret * tk::random::uniform_01(gen);
        const double loss = 5 * tk::random::uniform_01(gen);
        const std::uint64_t n = a.calls_until(loss, d, c, share);
        CHECK((n == 0) == a.affords(loss, share));
        account enough = a, too_few = a;
        enough.pass(static_cast<double>(n), d, c);
        CHECK(enough.affords(loss - 1e-9, share));
        if (n == 0) continue;
        too_few.pass(static_cast<double>(n - 1), d, c);
        CHECK_FALSE(too_few.affords(loss + 1e-9, share));
    }
}

TEST_CASE("account: who may lose nothing waits forever")
{
    const account a{.regret = 0, .reinvest = 0};
    CHECK(a.calls_until(1, 1, 1) > 1'000'000'000'000U);
    CHECK(a.calls_until(0, 1, 1) == 0);
}

TEST_CASE("recent: the median of the last 15")
{
    online::detail::recent r;
    r.add(3);
    CHECK(r.median() == 3);
    r.add(1);
    r.add(2);
    CHECK(r.median() == 2);
    CHECK(r.fastest() == 1);
    for (int k = 0; k < 15; ++k) r.add(10 + k);
    CHECK(r.seen() == 18);
    CHECK(r.times().size() == 15);
    CHECK(r.median() == 17);
    CHECK(r.fastest() == 10);  // what is older is forgotten
}

TEST_CASE("recent: the spread is a standard deviation by the quartiles, as a share of the median")
{
    online::detail::recent r;
    for (const double x : {1.0, 2.0, 9.0}) r.add(x);
    CHECK(r.spread() == 0);                      // of three, nothing is said
    for (int k = 0; k < 15; ++k) r.add(93 + k);  // 93 to 107: quartiles 96 and 104
    CHECK(r.median() == 100);
    CHECK(r.spread() == doctest::Approx(8 / 135.0));
    r.add(1e6);  // one disturbed call
    CHECK(r.spread() < 0.1);
}

TEST_CASE("overtaken: thirteen pairs in a row are an alarm, twelve are none")
{
    online::detail::overtaken w;
    for (int k = 0; k < 12; ++k) w.add(true);
    CHECK_FALSE(w.alarm());
    w.add(true);
    CHECK(w.alarm());
}

TEST_CASE("overtaken: a change is seen however long nothing happened")
{
    online::detail::overtaken w;
    for (int k = 0; k < 100000; ++k) w.add(false);
    for (int k = 0; k < 13; ++k) w.add(true);
    CHECK(w.alarm());
}

TEST_CASE("overtaken: fair coins alarm no sooner than after 2000 pairs on average")
{
    // Null hypothesis: the second is faster with probability 1/2. By the theory the mean run length is at least 2000; its standard
    // deviation is about its mean, so 500 runs have a mean below 1600 with probability below 1e-5.
    auto gen = tk::random::philox(7);
    double sum = 0;
    for (int run = 0; run < 500; ++run) {
        online::detail::overtaken w;
        int n = 0;
        while (!w.alarm()) {
            w.add(tk::random::uniform_01(gen) < 0.5);
            ++n;
        }
        sum += n;
    }
    CHECK(sum / 500 > 1600);
}
