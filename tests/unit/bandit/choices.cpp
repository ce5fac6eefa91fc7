// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

#include "tunekit/bandit/epsilon_greedy.hpp"
#include "tunekit/bandit/softmax.hpp"
#include "tunekit/random/philox.hpp"

namespace bandit = tunekit::bandit;
namespace tkr = tunekit::random;
using bandit::arm;

static_assert(bandit::bandit<bandit::epsilon_greedy, tkr::philox> && bandit::bandit<bandit::softmax, tkr::philox>);
static_assert(std::is_aggregate_v<bandit::epsilon_greedy> && std::is_aggregate_v<bandit::softmax>);

namespace {

template <class Rule>
std::array<double, 4> frequencies(const Rule& rule, const std::vector<arm>& arms, int n)
{
    tkr::philox gen(1);
    std::array<double, 4> out{};
    for (int i = 0; i < n; ++i) out[rule.select(arms, 100, gen)] += 1.0 / n;
    return out;
}

}  // namespace

TEST_CASE(
    "epsilon-greedy chooses the best active arm with 1 - epsilon + epsilon / active, others with epsilon / active, "
    "p(false alarm) < 1e-6")
{
    const int n = 100000;
    const auto f = frequencies(bandit::epsilon_greedy{.epsilon = 0.3}, {{1, 2}, {3, 2}, {9, 2, false}, {2, 2}}, n);
    const auto close = [](double got, double p) { return std::abs(got - p) < 5.2 * std::sqrt(p * (1 - p) / n); };
    CHECK(close(f[0], 0.1));
    CHECK(close(f[1], 0.8));
    CHECK(f[2] == 0);
    CHECK(close(f[3], 0.1));
}

TEST_CASE("epsilon-greedy without epsilon is greed: the first of the best, negative estimates too")
{
    CHECK(frequencies(bandit::epsilon_greedy{.epsilon = 0}, {{-2, 2}, {-1, 2}, {-1, 2}, {-3, 1}}, 100)[1] ==
          doctest::Approx(1));
}

TEST_CASE("softmax follows exp(estimate / temperature), p(false alarm) < 1e-6")
{
    const int n = 100000;
    const auto f = frequencies(bandit::softmax{.temperature = 2}, {{1, 2}, {3, 2}, {9, 2, false}, {2, 2}}, n);
    const double sum = std::exp(0.5) + std::exp(1.5) + std::exp(1.0);
    const auto close = [](double got, double p) { return std::abs(got - p) < 5.2 * std::sqrt(p * (1 - p) / n); };
    CHECK(close(f[0], std::exp(0.5) / sum));
    CHECK(close(f[1], std::exp(1.5) / sum));
    CHECK(f[2] == 0);
    CHECK(close(f[3], std::exp(1.0) / sum));
}

TEST_CASE("softmax takes the mean estimate of the active arms as temperature, so a common factor changes nothing")
{
    const std::vector<arm> arms{{1, 2}, {3, 2}, {9, 2, false}, {2, 2}};
    auto times_1024 = arms;
    for (auto& a : times_1024) a.estimate *= 1024;
    CHECK(frequencies(bandit::softmax{}, arms, 1000) == frequencies(bandit::softmax{.temperature = 2}, arms, 1000));
    CHECK(frequencies(bandit::softmax{}, arms, 1000) == frequencies(bandit::softmax{}, times_1024, 1000));
}

TEST_CASE("softmax of nothing expected draws uniformly, p(false alarm) < 1e-6; of huge estimates it stays finite")
{
    const int n = 30000;
    const auto f = frequencies(bandit::softmax{}, {{0, 2}, {0, 2}, {0, 2, false}, {0, 2}}, n);
    for (const std::size_t k : {0U, 1U, 3U}) CHECK(std::abs(f[k] - 1.0 / 3) < 5.2 * std::sqrt(2.0 / 9 / n));
    CHECK(frequencies(bandit::softmax{.temperature = 1}, {{1e300, 2}, {-1e300, 2}, {0, 1}, {0, 1}}, 100)[0] ==
          doctest::Approx(1));
}

TEST_CASE("an arm never pulled goes first, in declaration order, without a draw")
{
    const std::vector<arm> arms{{5, 1}, {0, 0, false}, {0, 0}, {0, 0}};
    tkr::philox gen;
    CHECK(bandit::epsilon_greedy{}.select(arms, 1, gen) == 2);
    CHECK(bandit::softmax{}.select(arms, 1, gen) == 2);
    CHECK((gen == tkr::philox()));
}
