// SPDX-License-Identifier: MIT
#include "tunekit/linalg/levenberg_marquardt.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace linalg = tunekit::linalg;
using linalg::matrix;
using linalg::normal_equations;
using linalg::vector;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Of residuals and their Jacobian.
normal_equations expansion(const vector& r, const matrix& j)
{
    return {r.squaredNorm(), j.transpose() * r, j.transpose() * j};
}

/// y = exp(-p x) at x = 1 and 2 against -0.1 and 2: the sum falls towards infinite p, too, where the slopes vanish.
normal_equations decay(const vector& p)
{
    const double one = std::exp(-p[0]), two = std::exp(-2 * p[0]);
    return expansion(vector{{one + 0.1, two - 2}}, matrix{{-one}, {-2 * two}});
}

linalg::levenberg_marquardt::result free_fit(auto problem, vector start)
{
    return linalg::levenberg_marquardt{}.minimize(problem, start, vector(vector::Constant(start.size(), -infinity)),
                                                  vector(vector::Constant(start.size(), infinity)));
}

}  // namespace

TEST_CASE("levenberg_marquardt ends flat where the slopes have vanished, and converges in the valley beside it")
{
    const auto far = free_fit(decay, vector{{5}});
    CHECK(far.flat);
    CHECK_FALSE(far.converged);
    const auto near = free_fit(decay, vector{{0}});
    CHECK(near.converged);
    CHECK_FALSE(near.flat);
    // (e + 0.1) e + 2 (e^2 - 2) e^2 = 0, e = exp(-p)
    const double e = std::exp(-near.parameters[0]);
    CHECK(std::abs(e + 0.1 + 2 * (e * e - 2) * e) < 1e-6);
}

TEST_CASE("levenberg_marquardt has not converged at a start whose slopes are no numbers")
{
    const auto broken = [](const vector& p) {
        return normal_equations{p.squaredNorm(), vector::Constant(2, std::nan("")), matrix::Identity(2, 2)};
    };
    const auto stopped = free_fit(broken, vector{{3, 4}});
    CHECK_FALSE(stopped.converged);
    CHECK(stopped.evaluations == 1);
    CHECK(stopped.parameters == vector{{3, 4}});
}

TEST_CASE("levenberg_marquardt never ends where it cannot look: points without numbers are passed by")
{
    const auto walled = [](const vector& p) {
        auto at = expansion(vector{{p[0] - 1, 10 * (p[1] - p[0])}}, matrix{{1, 0}, {-10, 10}});
        if (p[1] > p[0] + 3) at.sum_of_squares = std::nan("");
        if (p[1] < p[0] - 3) at.gradient[0] = std::nan("");
        return at;
    };
    for (const double beside : {-2.9, 0.0, 2.9}) {
        const auto found = free_fit(walled, vector{{40, 40 + beside}});
        CHECK(found.converged);
        CHECK((found.parameters - vector{{1, 1}}).norm() < 1e-9);
    }
}

TEST_CASE("levenberg_marquardt leaves a parameter without effect where it is, and shares between equal ones")
{
    const auto unused =
        free_fit([](const vector& p) { return expansion(vector{{p[0] - 2}}, matrix{{1, 0}}); }, vector{{7, 5}});
    CHECK(unused.converged);
    CHECK(unused.parameters[0] == doctest::Approx(2).epsilon(1e-12));
    CHECK(unused.parameters[1] == 5);
    const auto twins =
        free_fit([](const vector& p) { return expansion(vector{{p[0] + p[1] - 2}}, matrix{{1, 1}}); }, vector{{7, 5}});
    CHECK(twins.converged);
    CHECK(twins.parameters.sum() == doctest::Approx(2).epsilon(1e-9));
}

TEST_CASE("levenberg_marquardt finds the least of a box where the free step would leave it on two sides")
{
    // (p0 - 3)^2 + (p1 - p0)^2 * 100 in [0, 1] x [0.5, 0.9]: p = (0.909.., 0.9) is where the derivative along p0 is 0
    const auto bowl = [](const vector& p) {
        return expansion(vector{{p[0] - 3, 10 * (p[1] - p[0])}}, matrix{{1, 0}, {-10, 10}});
    };
    const auto found =
        linalg::levenberg_marquardt{}.minimize(bowl, vector{{0, 0.5}}, vector{{0, 0.5}}, vector{{1, 0.9}});
    CHECK(found.converged);
    CHECK(found.parameters[1] == 0.9);
    CHECK(found.parameters[0] == doctest::Approx((3 + 90) / 101.0).epsilon(1e-9));
}

TEST_CASE("levenberg_marquardt ends with the first sum that is 0, and after no more evaluations than it may")
{
    const auto line = [](const vector& p) { return expansion(vector{{p[0]}}, matrix{{1}}); };
    const auto found = free_fit(line, vector{{8}});
    CHECK(found.converged);
    CHECK(found.evaluations == 2);
    const auto cut =
        linalg::levenberg_marquardt{.max_evaluations = 1}.minimize(line, vector{{8}}, vector{{-9}}, vector{{9}});
    CHECK_FALSE(cut.converged);
    CHECK(cut.evaluations == 1);
    CHECK(cut.parameters[0] == 8);
    CHECK(free_fit(line, vector{{0}}).converged);
}
