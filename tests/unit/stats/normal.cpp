// SPDX-License-Identifier: MIT
#include "tunekit/stats/normal.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace stats = tunekit::stats;

namespace {

// References: 60-digit evaluation of the continued fraction of Mills' ratio; Phi(1), Phi(2) from tables.
bool close(double got, double want, double relative) { return std::abs(got - want) <= relative * std::abs(want); }

}  // namespace

TEST_CASE("normal density and distribution: known answers, the left tail to 14 digits")
{
    CHECK(close(stats::normal_pdf(0), 0.3989422804014327, 1e-15));
    CHECK(close(stats::normal_pdf(-1), 0.24197072451914337, 1e-15));
    CHECK(stats::normal_cdf(0) == 0.5);
    CHECK(close(stats::normal_cdf(1), 0.84134474606854293, 1e-15));
    CHECK(close(stats::normal_cdf(-2), 0.022750131948179207, 1e-15));
    CHECK(close(stats::normal_cdf(-10), 7.61985302416052545e-24, 1e-13));
    CHECK(close(stats::normal_cdf(-37), 5.72557122252457710e-300, 1e-12));
}

TEST_CASE("log of the normal distribution holds where the probability is 0")
{
    CHECK(close(stats::normal_log_cdf(-6.5), std::log(stats::normal_cdf(-6.5)), 1e-14));
    CHECK(close(stats::normal_log_cdf(-10), -53.23128515051247, 1e-14));
    CHECK(close(stats::normal_log_cdf(-40), -804.6084420137538, 1e-14));
    CHECK(close(stats::normal_log_cdf(-100), -5005.524208694205, 1e-14));
    CHECK(close(stats::normal_log_cdf(-1000), -500007.82669481216, 1e-14));
    CHECK(close(stats::normal_log_cdf(5), -2.8665161296376310e-07, 1e-12));
    CHECK(close(stats::normal_log_cdf(-6.0), stats::normal_log_cdf(std::nextafter(-6.0, 0.0)), 1e-14));
}

TEST_CASE("normal quantiles: known answers of Wichura's algorithm and the way back")
{
    CHECK(stats::normal_quantile(0.5) == 0);
    CHECK(close(stats::normal_quantile(0.025), -1.9599639845400538, 1e-15));
    CHECK(close(stats::normal_quantile(0.9), 1.2815515655446008, 1e-15));
    CHECK(close(stats::normal_quantile(0.999), 3.090232306167813, 1e-15));
    CHECK(close(stats::normal_quantile(1e-20), -9.262340089798405, 1e-15));
    CHECK(close(stats::normal_quantile(1e-300), -37.0470962993612, 1e-14));
    CHECK(stats::normal_quantile(0) == -std::numeric_limits<double>::infinity());
    CHECK(stats::normal_quantile(1) == std::numeric_limits<double>::infinity());
    for (double z = -30; z < 5; z += 0.37)
        CHECK(stats::normal_quantile(stats::normal_cdf(z)) == doctest::Approx(z).epsilon(1e-9));
}
