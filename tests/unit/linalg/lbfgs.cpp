// SPDX-License-Identifier: MIT
#include "tunekit/linalg/lbfgs.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

namespace linalg = tunekit::linalg;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double rosenbrock(std::span<const double> x, std::span<double> g)
{
    const double a = x[1] - x[0] * x[0], b = 1 - x[0];
    g[0] = -400 * x[0] * a - 2 * b;
    g[1] = 200 * a;
    return 100 * a * a + b * b;
}

/// sum_i (i + 1)^2 (x_i - i)^2 / 2.
double bowl(std::span<const double> x, std::span<double> g)
{
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto k = static_cast<double>(i + 1), z = x[i] - static_cast<double>(i);
        g[i] = k * k * z;
        sum += 0.5 * k * k * z * z;
    }
    return sum;
}

static_assert(linalg::detail::differentiable_function<decltype(rosenbrock)> &&
              linalg::detail::differentiable_function<decltype(bowl)>);

}  // namespace

TEST_CASE("lbfgs: the valley of Rosenbrock")
{
    const std::vector<double> start{-1.2, 1}, low(2, -infinite), high(2, infinite);
    const auto found = linalg::lbfgs{}.minimize(rosenbrock, start, low, high);
    CHECK(found.converged);
    CHECK(found.x[0] == doctest::Approx(1).epsilon(1e-6));
    CHECK(found.x[1] == doctest::Approx(1).epsilon(1e-6));
    CHECK(found.evaluations < 70);
    std::vector<double> g(2);
    CHECK(rosenbrock(found.x, g) == found.value);
    CHECK(found.gradient == g);
}

TEST_CASE("lbfgs: a bowl in a box has its minimum at the nearest corner, side or inside")
{
    const std::vector<double> start(6, 2.5), low{0.5, 0, 2, 0, 0, -1}, high{9, 0.5, 2, 9, 9, 3.5};
    const auto found = linalg::lbfgs{.tolerance = 1e-9}.minimize(bowl, start, low, high);
    CHECK(found.converged);
    const std::vector<double> expected{0.5, 0.5, 2, 3, 4, 3.5};
    for (std::size_t i = 0; i < 6; ++i) CHECK(found.x[i] == doctest::Approx(expected[i]).epsilon(1e-8));
}

TEST_CASE("lbfgs: a box keeps Rosenbrock from its minimum")
{
    // On x_0 = 0.5: x_1 = 0.25, value 0.25.
    const std::vector<double> start{-1.2, 1}, low(2, -2.0), high{0.5, 2};
    const auto found = linalg::lbfgs{.tolerance = 1e-8}.minimize(rosenbrock, start, low, high);
    CHECK(found.x[0] == 0.5);
    CHECK(found.x[1] == doctest::Approx(0.25).epsilon(1e-7));
    CHECK(found.value == doctest::Approx(0.25).epsilon(1e-10));
}

TEST_CASE("lbfgs: many coordinates of very different curvature")
{
    const std::vector<double> start(40, -3.0), low(40, -infinite), high(40, infinite);
    const auto found = linalg::lbfgs{.max_evaluations = 500, .tolerance = 1e-5}.minimize(bowl, start, low, high);
    CHECK(found.converged);
    for (std::size_t i = 0; i < 40; ++i) CHECK(std::abs(found.x[i] - static_cast<double>(i)) < 1e-4);
}

TEST_CASE("lbfgs: values that are not finite are stepped around, or end it where it starts")
{
    const auto logarithm = [](std::span<const double> x, std::span<double> g) {
        g[0] = 1 - 1 / x[0];
        return x[0] - std::log(x[0]);  // NaN below 0
    };
    const std::vector<double> low{-infinite}, high{infinite};
    const auto found = linalg::lbfgs{.first_step = 50}.minimize(logarithm, std::vector<double>{20}, low, high);
    CHECK(found.converged);
    CHECK(found.x[0] == doctest::Approx(1).epsilon(1e-5));
    const auto lost = linalg::lbfgs{}.minimize(logarithm, std::vector<double>{-1}, low, high);
    CHECK_FALSE(lost.converged);
    CHECK(lost.evaluations == 1);
    CHECK(lost.x[0] == -1);
}

TEST_CASE("lbfgs: the limit on evaluations, the start outside of the box, and boxes that are none")
{
    const std::vector<double> start{-1.2, 1}, low(2, -infinite), high(2, infinite);
    const auto cut = linalg::lbfgs{.max_evaluations = 5}.minimize(rosenbrock, start, low, high);
    CHECK_FALSE(cut.converged);
    CHECK(cut.evaluations == 5);
    std::vector<double> g(2);
    CHECK(cut.value < rosenbrock(start, g));
    const auto inside = linalg::lbfgs{.max_evaluations = 1}.minimize(
        bowl, std::vector<double>{9, -9}, std::vector<double>(2, -1.0), std::vector<double>(2, 1.0));
    CHECK(inside.x == std::vector<double>{1, -1});
    CHECK_THROWS_AS((void)linalg::lbfgs{}.minimize(bowl, start, high, low), std::invalid_argument);
    CHECK_THROWS_AS((void)linalg::lbfgs{}.minimize(bowl, start, std::vector<double>{0}, high), std::invalid_argument);
}
