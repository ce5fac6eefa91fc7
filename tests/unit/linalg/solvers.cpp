// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "tunekit/linalg/levenberg_marquardt.hpp"
#include "tunekit/linalg/singular_values.hpp"
#include "tunekit/random/normal.hpp"
#include "tunekit/random/philox.hpp"

namespace linalg = tunekit::linalg;
using linalg::matrix;
using linalg::normal_equations;
using linalg::vector;

namespace {

/// r = (10 (x2 - x1^2), 1 - x1): the classic curved valley, minimum 0 at (1, 1).
normal_equations rosenbrock(const vector& p)
{
    const vector r{{10 * (p[1] - p[0] * p[0]), 1 - p[0]}};
    const matrix j{{-20 * p[0], 10}, {-1, 0}};
    return {r.squaredNorm(), j.transpose() * r, j.transpose() * j};
}

}  // namespace

TEST_CASE("levenberg_marquardt finds Rosenbrock's minimum from the classic start")
{
    const auto fit =
        linalg::levenberg_marquardt{}.minimize(rosenbrock, vector{{-1.2, 1}}, vector{{-5, -5}}, vector{{5, 5}});
    CHECK(fit.converged);
    CHECK(fit.parameters[0] == doctest::Approx(1).epsilon(1e-9));
    CHECK(fit.parameters[1] == doctest::Approx(1).epsilon(1e-9));
    CHECK(fit.evaluations < 60);
}

TEST_CASE("levenberg_marquardt slides along a bound to the constrained minimum")
{
    // x1 <= 0.5: the best is x2 = 0.25, S = 0.25
    const auto fit =
        linalg::levenberg_marquardt{}.minimize(rosenbrock, vector{{-1.2, 1}}, vector{{-5, -5}}, vector{{0.5, 5}});
    CHECK(fit.converged);
    CHECK(fit.parameters[0] == 0.5);
    CHECK(fit.parameters[1] == doctest::Approx(0.25).epsilon(1e-9));
    CHECK(fit.at.sum_of_squares == doctest::Approx(0.25));
}

TEST_CASE("levenberg_marquardt says so when the start has no finite sum, and refuses an empty box")
{
    const auto broken = [](const vector& p) { return normal_equations{std::nan(""), p, matrix::Identity(2, 2)}; };
    CHECK_FALSE(
        linalg::levenberg_marquardt{}.minimize(broken, vector{{0, 0}}, vector{{-1, -1}}, vector{{1, 1}}).converged);
    CHECK_THROWS_WITH_AS(
        (void)linalg::levenberg_marquardt{}.minimize(rosenbrock, vector{{0, 0}}, vector{{1, 1}}, vector{{0, 2}}),
        "tunekit: levenberg_marquardt: a lower bound is above the upper, want a box", std::invalid_argument);
}

TEST_CASE("cholesky multiplies back, and names a matrix that has no factor")
{
    const matrix a{{4, 2, 1}, {2, 5, 3}, {1, 3, 6}};
    const matrix l = linalg::cholesky(a);
    CHECK((l * l.transpose() - a).norm() < 1e-14);
    CHECK(l(0, 1) == 0);
    CHECK_THROWS_AS((void)linalg::cholesky(matrix{{1, 2}, {2, 1}}), tunekit::numerical_error);
}

TEST_CASE("singular values of known matrices")
{
    // [[3, 0], [4, 5]] has 3 sqrt(5) and sqrt(5)
    const auto s = linalg::singular_values({3, 4, 0, 5}, 2);
    CHECK(s[0] == doctest::Approx(3 * std::sqrt(5.0)).epsilon(1e-14));
    CHECK(s[1] == doctest::Approx(std::sqrt(5.0)).epsilon(1e-14));
    CHECK(linalg::singular_values({1, 1, 1, 2, 2, 2}, 3)[1] < 1e-15);
    CHECK_THROWS_AS((void)linalg::singular_values({1, 2}, 1), std::invalid_argument);
}

TEST_CASE("singular values keep their squares' sum and, squared, are eigenvalues of the Gram matrix")
{
    tunekit::random::philox gen{7};
    std::vector<double> x(12 * 4);
    double squares = 0;
    for (double& v : x) {
        v = tunekit::random::normal(gen);
        squares += v * v;
    }
    const auto s = linalg::singular_values(x, 12);
    double sum = 0;
    const Eigen::Map<const matrix> a(x.data(), 12, 4);
    for (const double v : s) {
        sum += v * v;
        const matrix shifted = a.transpose() * a - v * v * matrix::Identity(4, 4);
        CHECK(linalg::singular_values({shifted.data(), shifted.data() + 16}, 4)[3] < 1e-12 * squares);
    }
    CHECK(sum == doctest::Approx(squares).epsilon(1e-13));
}
