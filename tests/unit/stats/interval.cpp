// SPDX-License-Identifier: MIT
#include "tunekit/stats/interval.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "tunekit/random/normal.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/stats/bootstrap.hpp"

namespace tkr = tunekit::random;
namespace stats = tunekit::stats;

TEST_CASE("the interval of a mean: 1, 2, 3, 4, 5 at 0.95")
{
    const auto i = stats::mean_interval(std::vector<double>{1, 2, 3, 4, 5});
    CHECK(i.low == doctest::Approx(3 - 2.7764451051977987 * std::sqrt(0.5)));
    CHECK(i.high == doctest::Approx(3 + 2.7764451051977987 * std::sqrt(0.5)));
}

TEST_CASE("one value says nothing of the spread")
{
    CHECK(stats::mean_interval(std::vector<double>{1}) == stats::interval{});
    CHECK(std::isinf(stats::interval{}.high));
}

TEST_CASE("the interval of a mean covers it as often as it says: 20 000 samples of 5, p(false alarm) < 1e-6")
{
    tkr::philox gen(1);
    int covered = 0;
    std::vector<double> x(5);
    for (int run = 0; run < 20000; ++run) {
        for (auto& v : x) v = 7 + 2 * tkr::normal(gen);
        covered += stats::mean_interval(x, 0.9).contains(7);
    }
    CHECK(std::abs(covered - 18000) < 5 * std::sqrt(20000 * 0.9 * 0.1));
}

TEST_CASE("Wilson's interval: 7 of 10, all and none")
{
    const auto i = stats::wilson_interval(7, 10);
    CHECK(i.low == doctest::Approx(0.39677).epsilon(1e-5));
    CHECK(i.high == doctest::Approx(0.89221).epsilon(1e-5));
    CHECK(stats::wilson_interval(0, 10).low == 0);
    CHECK(stats::wilson_interval(0, 10).high == doctest::Approx(0.27753).epsilon(1e-4));
    CHECK(stats::wilson_interval(10, 10).high == 1);
    CHECK(stats::wilson_interval(0, 0) == stats::interval{0, 1});
}

TEST_CASE("intervals refuse what they cannot mean")
{
    tkr::philox gen(1);
    CHECK_THROWS_WITH_AS(static_cast<void>(stats::wilson_interval(3, 2)),
                         "tunekit: wilson_interval: more hits than trials, want hits <= n", std::invalid_argument);
    CHECK_THROWS_WITH_AS(static_cast<void>(stats::mean_interval({}, 1)),
                         "tunekit: interval: level is not between 0 and 1, want for example 0.95",
                         std::invalid_argument);
    CHECK_THROWS_AS(static_cast<void>(stats::median_interval({1}, {.level = std::nan("")}, gen)),
                    std::invalid_argument);
    CHECK_THROWS_WITH_AS(static_cast<void>(stats::median_interval({1}, {.resamples = 0}, gen)),
                         "tunekit: bootstrap: resamples is 0, want >= 1", std::invalid_argument);
}

TEST_CASE("the bootstrap of a median is that of the general form on the same stream")
{
    tkr::philox a(2), b(2);
    for (const std::size_t n : {1U, 2U, 7U, 30U}) {
        std::vector<double> x(n);
        for (auto& v : x) v = tkr::normal(a);
        tkr::philox rest = a;
        std::sort(x.begin(), x.end());
        const auto median_of = [&](std::span<const std::uint32_t> rows) {
            std::vector<double> chosen;
            for (const auto row : rows) chosen.push_back(x[row]);
            return stats::median(chosen);
        };
        CHECK(stats::median_interval(x, {}, a) == stats::bootstrap_interval(n, median_of, {}, rest));
        CHECK((a == rest));
    }
    CHECK(stats::median_interval({}, {}, b) == stats::interval{});
    CHECK(stats::median_interval({4, 4, 4}, {}, b) == stats::interval{4, 4});
}

TEST_CASE(
    "the bootstrap of a median of 40 covers between 0.90 and 0.99 at level 0.95: 1000 samples, p(false alarm) < 1e-6")
{
    // Its true coverage is about 0.95, with a standard deviation of 0.007 over 1000 runs.
    tkr::philox gen(3);
    int covered = 0;
    std::vector<double> x(40);
    for (int run = 0; run < 1000; ++run) {
        for (auto& v : x) v = tkr::normal(gen);
        covered += stats::median_interval(x, {.resamples = 400}, gen).contains(0);
    }
    CHECK(covered > 900);
    CHECK(covered < 990);
}

TEST_CASE("order intervals of a median lie between the values that the binomial distribution says")
{
    const auto of_first = [](int n, double level = 0.95) {
        std::vector<double> x;
        for (int i = n; i > 0; --i) x.push_back(i);
        return stats::order_interval(x, level);
    };
    CHECK(of_first(1) == stats::covering_interval{{1, 1}, 0});
    CHECK(of_first(5) == stats::covering_interval{{1, 5}, 1 - 2 / 32.0});
    CHECK(of_first(6) == stats::covering_interval{{1, 6}, 1 - 2 / 64.0});
    CHECK(of_first(9).within == stats::interval{2, 8});
    CHECK(of_first(9).coverage == doctest::Approx(1 - 2 * (1 + 9) / 512.0));
    CHECK(of_first(15).within == stats::interval{4, 12});  // Conover (1999), table A3: 0.9648
    CHECK(of_first(15).coverage == doctest::Approx(1 - 2 * (1 + 15 + 105 + 455) / 32768.0));
    CHECK(of_first(25).within == stats::interval{8, 18});
    CHECK(of_first(15, 0.5).within == stats::interval{6, 10});
    CHECK(of_first(3000).coverage >= 0.95);
    CHECK(of_first(3000).coverage < 0.955);
    CHECK(stats::order_interval({}).coverage == 1);
    CHECK_THROWS_AS(static_cast<void>(of_first(3, 1)), std::invalid_argument);
}

TEST_CASE("order intervals of 7 cover as often as they say: 4000 samples, within 5 sd, false alarm < 1e-6")
{
    tkr::philox gen(4);
    int covered = 0;
    double said = 0;
    for (int run = 0; run < 4000; ++run) {
        std::vector<double> x(7);
        for (auto& v : x) v = tkr::normal(gen);
        const auto found = stats::order_interval(x);
        said = found.coverage;
        covered += found.within.contains(0);
    }
    CHECK(said == doctest::Approx(1 - 2 / 128.0));
    CHECK(std::abs(covered / 4000.0 - said) < 5 * std::sqrt(said * (1 - said) / 4000));
}
