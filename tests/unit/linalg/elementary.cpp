// SPDX-License-Identifier: MIT
#include "tunekit/linalg/elementary.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace linalg = tunekit::linalg;

namespace {

/// Distance in units in the last place of `want`, computed in long double; equal infinities are 0 apart.
double ulps(double got, long double want)
{
    const auto rounded = static_cast<double>(want);
    if (got == rounded) return 0;
    const double next = std::nextafter(std::fabs(rounded), std::numeric_limits<double>::infinity());
    const long double unit = static_cast<long double>(next) - std::fabs(static_cast<long double>(rounded));
    return static_cast<double>(std::fabs(static_cast<long double>(got) - want) / unit);
}

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("exp and log know their special values")
{
    CHECK(linalg::exp(0.0) == 1);
    CHECK(ulps(linalg::exp(1.0), 2.718281828459045235360287L) < 1.5);
    CHECK(linalg::exp(800.0) == infinity);
    CHECK(linalg::exp(infinity) == infinity);
    CHECK(linalg::exp(-800.0) == 0);
    CHECK(linalg::exp(-infinity) == 0);
    CHECK(linalg::exp(-744.0) == std::exp(-744.0));  // subnormal
    CHECK(std::isnan(linalg::exp(not_a_number)));
    CHECK(linalg::log(1.0) == 0);
    CHECK(linalg::log(2.0) == 0x1.62e42fefa39efp-1);
    CHECK(linalg::log(0.0) == -infinity);
    CHECK(linalg::log(infinity) == infinity);
    CHECK(std::isnan(linalg::log(-1.0)));
    CHECK(std::isnan(linalg::log(not_a_number)));
    CHECK(linalg::log(5e-324) == doctest::Approx(-744.4400719213812).epsilon(1e-15));
}

TEST_CASE_TEMPLATE("the square root of lanes is that of each number, to the bit", Real, float, double)
{
    using limits = std::numeric_limits<Real>;
    std::vector<Real> x{Real(0), -Real(0), limits::infinity(), limits::denorm_min(), (limits::max)(),
                        Real(2), Real(-1)};
    tunekit::random::philox gen{4};
    while (x.size() < 64) x.push_back(static_cast<Real>(tunekit::random::uniform_01(gen)));
    for (std::size_t i = 0; i < x.size(); i += tunekit::core::detail::lane_count<Real>) {
        tunekit::core::detail::lanes<Real> v;
        tunekit::core::detail::load(v, x.data() + i);
        tunekit::core::detail::sqrt(v);
        for (std::size_t k = 0; k < tunekit::core::detail::lane_count<Real>; ++k) {
            const Real got = v[k], want = std::sqrt(x[i + k]);
            if (std::isnan(want)) CHECK(std::isnan(got));
            else CHECK((got == want && std::signbit(got) == std::signbit(want)));
        }
    }
}

TEST_CASE("a pack of one number holds it in all lanes, -0 as -0")
{
    const auto v = linalg::all<tunekit::core::detail::pack>(-0.0);
    for (std::size_t k = 0; k < tunekit::core::detail::pack_size; ++k) CHECK(std::signbit(v[k]));
}

TEST_CASE("exp stays within 2 ulp of the true value over all finite results")
{
    tunekit::random::philox gen{1};
    double worst = 0;
    for (int i = 0; i < 100000; ++i) {
        const double x = -708 + 1417 * tunekit::random::uniform_01(gen);
        const double small = 2 * tunekit::random::uniform_01(gen) - 1;
        worst = (std::max)({worst, ulps(linalg::exp(x), std::exp(static_cast<long double>(x))),
                            ulps(linalg::exp(small), std::exp(static_cast<long double>(small)))});
    }
    CHECK(worst < 2);
}

TEST_CASE("log stays within 2 ulp of the true value, near 1 and far from it")
{
    tunekit::random::philox gen{2};
    double worst = 0;
    for (int i = 0; i < 100000; ++i) {
        const double near = 0.5 + tunekit::random::uniform_01(gen);
        const double far = std::ldexp(near, static_cast<int>(tunekit::random::uniform_index(2100, gen)) - 1060);
        const double at = 1 + (near - 1) * 1e-6;
        for (const double x : {near, far, at})
            worst = (std::max)(worst, ulps(linalg::log(x), std::log(static_cast<long double>(x))));
    }
    CHECK(worst < 2);
}

TEST_CASE("the falling logistic is 1 / (1 + e^v) within 4 ulp for an exact argument")
{
    tunekit::random::philox gen{3};
    double worst = 0;
    for (int i = 0; i < 100000; ++i) {
        const double t = (i % 2 == 0 ? 2000.0 : 20.0) * (tunekit::random::uniform_01(gen) - 0.5) * 0.99;
        const long double want = 1 / (1 + std::exp2(static_cast<long double>(t)));
        worst = (std::max)(worst, ulps(linalg::falling_logistic_2(t), want));
    }
    CHECK(worst < 4);
}

TEST_CASE("a pack gives the bits of single values, and spans of any length are served in place")
{
    tunekit::random::philox gen{4};
    for (std::size_t n = 0; n < 20; ++n) {
        std::vector<double> x(n), y(n);
        for (double& v : x) v = 40 * tunekit::random::uniform_01(gen) - 20;
        linalg::exp(x, y);
        for (std::size_t i = 0; i < n; ++i) CHECK(y[i] == linalg::exp(x[i]));
        std::vector<double> z = y;
        linalg::log(z, z);
        for (std::size_t i = 0; i < n; ++i) CHECK(z[i] == linalg::log(y[i]));
    }
}

TEST_CASE("a lane sum adds position j of every block in lane j, whatever the register width")
{
    std::vector<double> x(32);
    tunekit::random::philox gen{5};
    for (double& v : x) v = tunekit::random::uniform_01(gen);
    tunekit::core::detail::lane_sum sum;
    for (std::size_t i = 0; i < x.size(); i += tunekit::core::detail::pack_size)
        sum.add(i % tunekit::core::detail::block_size / tunekit::core::detail::pack_size,
                tunekit::core::detail::load(x.data() + i));
    double lane[8] = {};
    for (std::size_t i = 0; i < x.size(); ++i) lane[i % 8] += x[i];
    CHECK(sum.total() == ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7])));
}
