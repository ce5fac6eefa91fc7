// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "tunekit/bandit/epsilon_greedy.hpp"
#include "tunekit/bandit/on_means.hpp"
#include "tunekit/bandit/softmax.hpp"
#include "tunekit/bandit/ucb.hpp"
#include "tunekit/bandit/ucb1.hpp"
#include "tunekit/random/philox.hpp"

namespace bandit = tunekit::bandit;
namespace tkr = tunekit::random;

static_assert(bandit::policy<bandit::ucb1, tkr::philox> && bandit::policy<bandit::ucb1, std::mt19937>);
static_assert(bandit::policy<bandit::on_means<bandit::ucb>, tkr::philox>);
static_assert(bandit::policy<bandit::on_means<bandit::softmax>, std::minstd_rand>);
static_assert(!bandit::policy<bandit::ucb, tkr::philox>);  // it has no memory
static_assert(std::is_aggregate_v<bandit::ucb1> && std::regular<bandit::ucb1::state>);

namespace {

/// Expected regret after each of `rounds` pulls on Bernoulli arms of these means, averaged over `runs` runs.
template <class Policy>
std::vector<double> regret(const Policy& policy, const std::vector<double>& means, int rounds, int runs)
{
    std::vector<double> out(static_cast<std::size_t>(rounds));
    for (int run = 0; run < runs; ++run) {
        auto gen = tkr::stream(1, 0, static_cast<std::uint64_t>(run));
        auto state = policy.start(means.size());
        double lost = 0;
        for (auto& r : out) {
            const std::size_t k = policy.select(state, gen);
            policy.update(state, k, tkr::uniform_01(gen) < means[k] ? 1.0 : 0.0);
            lost += means.back() - means[k];
            r += lost / runs;
        }
    }
    return out;
}

}  // namespace

TEST_CASE("ucb1 pulls every arm once before any arm twice")
{
    const bandit::ucb1 policy;
    tkr::philox gen(1);
    auto s = policy.start(5);
    for (int i = 0; i < 5; ++i) policy.update(s, policy.select(s, gen), 1);
    CHECK(s.pulls == std::vector<std::uint64_t>(5, 1));
    CHECK(s.t == 5);
}

TEST_CASE("ucb1 scores mean + sqrt(2 ln t / pulls)")
{
    const bandit::ucb1 policy;
    auto s = policy.start(2);
    for (const double reward : {0.2, 0.6}) policy.update(s, 0, reward);
    for (const double reward : {1.0, 0.0, 0.5}) policy.update(s, 1, reward);
    CHECK(policy.score(s, 0) == doctest::Approx(0.4 + std::sqrt(std::log(5.0))));
    CHECK(policy.score(s, 1) == doctest::Approx(0.5 + std::sqrt(2 * std::log(5.0) / 3)));
}

TEST_CASE("ucb1 breaks ties uniformly: 30 000 first pulls of 3 arms, chi-squared, p(false alarm) < 1e-6")
{
    const bandit::ucb1 policy;
    const auto s = policy.start(3);
    tkr::philox gen(2);
    std::array<double, 3> seen{};
    for (int i = 0; i < 30000; ++i) ++seen[policy.select(s, gen)];
    double statistic = 0;
    for (const double x : seen) statistic += (x - 10000) * (x - 10000) / 10000;
    CHECK(statistic < 27.7);
}

TEST_CASE("ucb1 regret on Bernoulli(.2, .5, .8) stays under the bound of theorem 1 for every t up to 2000")
{
    const auto r = regret(bandit::ucb1{}, {0.2, 0.5, 0.8}, 2000, 50);
    for (std::size_t t = 1; t <= r.size(); ++t) {
        const double bound =
            8 * std::log(static_cast<double>(t)) * (1 / 0.6 + 1 / 0.3) + (1 + 9.8696044 / 3) * (0.6 + 0.3);
        CHECK(r[t - 1] <= bound);
    }
}

TEST_CASE("regret of ucb grows like ln t, of epsilon-greedy like epsilon t: 40 runs of 8000 pulls")
{
    const std::vector<double> means{0.2, 0.5, 0.8};
    const auto u = regret(bandit::ucb1{}, means, 8000, 40);
    // Each doubling adds about as much as the last one: 1.6 at most, where linear growth would double it.
    CHECK(u[7999] - u[3999] < 1.6 * (u[3999] - u[1999]));
    const auto e = regret(bandit::on_means{bandit::epsilon_greedy{.epsilon = 0.1}}, means, 8000, 40);
    // 0.1 * mean gap 0.3 a pull once the best arm is known; the mean of 40 x 4000 pulls has a standard deviation of 0.0002.
    const double slope = (e[7999] - e[3999]) / 4000;
    CHECK(std::abs(slope - 0.03) < 0.0015);
}

TEST_CASE("on_means learns means, counts pulls and leaves the rule alone")
{
    const bandit::on_means policy{bandit::ucb::scale_free()};
    auto s = policy.start(2);
    tkr::philox gen(3);
    CHECK(policy.select(s, gen) == 0);
    policy.update(s, 0, 4);
    CHECK(policy.select(s, gen) == 1);
    policy.update(s, 1, 1);
    policy.update(s, 0, 2);
    CHECK(s.t == 3);
    CHECK(s.arms == std::vector<bandit::arm>{{3, 2, true}, {1, 1, true}});
    s.arms[0].active = false;
    CHECK(policy.select(s, gen) == 1);
}

TEST_CASE(
    "every rule on means finds the best of rewards in any unit: over 60 % of 3000 pulls of N(5000, 1000), N(4000, "
    "1000)")
{
    const auto share = [](const auto& policy) {
        tkr::philox gen(4);
        auto s = policy.start(2);
        for (int i = 0; i < 3000; ++i) {
            const std::size_t k = policy.select(s, gen);
            policy.update(s, k, (k == 0 ? 4000 : 5000) + 1000 * (2 * tkr::uniform_01(gen) - 1));
        }
        return static_cast<double>(s.arms[1].pulls) / 3000;
    };
    CHECK(share(bandit::on_means{bandit::ucb{}}) > 0.6);
    CHECK(share(bandit::on_means{bandit::epsilon_greedy{}}) > 0.6);
    CHECK(share(bandit::on_means{bandit::softmax{.temperature = 500}}) > 0.6);
}

TEST_CASE("policies refuse zero arms and a negative exploration")
{
    CHECK_THROWS_WITH_AS(static_cast<void>(bandit::ucb1{}.start(0)), "tunekit: ucb1.start: arms is 0, want >= 1",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(static_cast<void>(bandit::ucb1{.exploration = -1}.start(2)),
                         "tunekit: ucb1: exploration is negative or NaN, want >= 0", std::invalid_argument);
    CHECK_THROWS_WITH_AS(static_cast<void>(bandit::on_means{bandit::ucb{}}.start(0)),
                         "tunekit: on_means.start: arms is 0, want >= 1", std::invalid_argument);
}

TEST_CASE("policies choose among the arms that are listed, and among all of them as without a list")
{
    const auto hold = [](const auto& policy) {
        tkr::philox gen(3), other(3);
        auto state = policy.start(5);
        const std::vector<std::size_t> all{0, 1, 2, 3, 4}, some{1, 4};
        std::array<int, 5> counts{};
        for (int i = 0; i < 300; ++i) {
            const std::size_t k = policy.select(state, gen);
            REQUIRE(policy.select(state, all, other) == k);
            policy.update(state, k, tkr::uniform_01(gen));
            (void)tkr::uniform_01(other);
        }
        for (int i = 0; i < 300; ++i) {
            const std::size_t k = policy.select(state, some, gen);
            policy.update(state, k, tkr::uniform_01(gen));
            ++counts[k];
        }
        CHECK(counts[1] > 0);
        CHECK(counts[4] > 0);
        CHECK(counts[1] + counts[4] == 300);
    };
    hold(bandit::ucb1{});
    hold(bandit::on_means{bandit::epsilon_greedy{.epsilon = 0.3}});
    hold(bandit::on_means{bandit::softmax{}});
}

TEST_CASE("no active arm, a reward that is none and settings out of range are refused in release builds too")
{
    namespace tb = tunekit::bandit;
    tunekit::random::philox gen(1);
    const auto none_active = [&](const auto& policy) {
        auto s = policy.start(3);
        for (auto& a : s.arms) {
            a.active = false;
            a.pulls = 1;
        }
        CHECK_THROWS_AS((void)policy.select(s, gen), std::invalid_argument);
    };
    none_active(tb::on_means{tb::ucb{}});
    none_active(tb::on_means{tb::softmax{}});
    none_active(tb::on_means{tb::epsilon_greedy{.epsilon = 1}});
    const tb::on_means policy{tb::ucb{}};
    auto s = policy.start(3);
    CHECK_THROWS_AS(policy.update(s, 3, 1.0), std::invalid_argument);
    CHECK_THROWS_AS(policy.update(s, 0, std::numeric_limits<double>::infinity()), std::invalid_argument);
    const auto refuses = [&](const auto& wrong) {
        auto fresh = wrong.start(2);
        for (auto& a : fresh.arms) a.pulls = 1;
        CHECK_THROWS_AS((void)wrong.select(fresh, gen), std::invalid_argument);
    };
    refuses(tb::on_means{tb::epsilon_greedy{.epsilon = 2}});
    refuses(tb::on_means{tb::softmax{.temperature = -1.0}});
}
