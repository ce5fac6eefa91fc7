// SPDX-License-Identifier: MIT
#include "tunekit/stats/rank.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace tkr = tunekit::random;
namespace stats = tunekit::stats;

TEST_CASE("ranks share what ties occupy")
{
    CHECK(stats::ranks(std::vector<double>{10, 30, 20}) == std::vector<double>{1, 3, 2});
    CHECK(stats::ranks(std::vector<double>{2, 1, 2, 2, 5}) == std::vector<double>{3, 1, 3, 3, 5});
    CHECK(stats::ranks({}).empty());
}

TEST_CASE("Spearman's rho: without ties 1 - 6 sum d^2 / (n (n^2 - 1)), with ties Pearson's of the ranks")
{
    const std::vector<double> iq{106, 86, 100, 101, 99, 103, 97, 113, 112, 110};
    const std::vector<double> hours{7, 0, 27, 50, 28, 29, 20, 12, 6, 17};
    CHECK(stats::spearman(iq, hours) == doctest::Approx(-29.0 / 165));
    CHECK(stats::spearman(std::vector<double>{1, 2, 2, 3}, std::vector<double>{1, 3, 2, 4}) ==
          doctest::Approx(4.5 / std::sqrt(22.5)));
    CHECK(stats::spearman(iq, iq) == 1);
}

TEST_CASE("Kendall's tau-b: known answers with and without ties")
{
    CHECK(stats::kendall_tau_b(std::vector<double>{1, 2, 3, 4}, std::vector<double>{1, 3, 2, 4}) ==
          doctest::Approx(4.0 / 6));
    CHECK(stats::kendall_tau_b(std::vector<double>{12, 2, 1, 12, 2}, std::vector<double>{1, 4, 7, 1, 0}) ==
          doctest::Approx(-0.4714045207910316));
}

TEST_CASE("Kendall's tau-b equals the count over all pairs")
{
    tkr::philox gen(1);
    for (int run = 0; run < 300; ++run) {
        const auto n = static_cast<std::size_t>(2 + tkr::uniform_index(40, gen));
        const std::uint64_t values = 2 + tkr::uniform_index(30, gen);
        std::vector<double> x(n), y(n);
        for (auto& v : x) v = static_cast<double>(tkr::uniform_index(values, gen));
        for (auto& v : y) v = static_cast<double>(tkr::uniform_index(values, gen));
        double difference = 0, untied_x = 0, untied_y = 0;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                const int sx = (x[i] > x[j]) - (x[i] < x[j]);
                const int sy = (y[i] > y[j]) - (y[i] < y[j]);
                difference += sx * sy;
                untied_x += sx != 0;
                untied_y += sy != 0;
            }
        }
        const double untied = std::sqrt(untied_x * untied_y);
        const double want = untied > 0 ? difference / untied : std::numeric_limits<double>::quiet_NaN();
        const double got = stats::kendall_tau_b(x, y);
        CHECK((std::isnan(want) ? std::isnan(got) : got == doctest::Approx(want).epsilon(1e-13)));
    }
}

TEST_CASE("a constant side or a single pair correlates with nothing: NaN")
{
    const std::vector<double> same{3, 3, 3}, other{1, 2, 3}, one{1};
    CHECK(std::isnan(stats::pearson(same, other)));
    CHECK(std::isnan(stats::spearman(other, same)));
    CHECK(std::isnan(stats::kendall_tau_b(same, other)));
    CHECK(std::isnan(stats::kendall_tau_b(other, same)));
    CHECK(std::isnan(stats::pearson(one, one)));
    CHECK(std::isnan(stats::kendall_tau_b(one, one)));
    CHECK(std::isnan(stats::spearman({}, {})));
}
