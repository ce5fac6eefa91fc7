// SPDX-License-Identifier: MIT
#include "tunekit/bandit.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "tests/unit/edge/sweep.hpp"
#include "tunekit/acquisition.hpp"
#include "tunekit/random/philox.hpp"

namespace aq = tunekit::acquisition;
namespace bandit = tunekit::bandit;
using edge::inf, edge::tiny, edge::list, edge::huge, edge::nan_d, edge::sweep;
using enum edge::kind;

namespace {

std::vector<bandit::arm> arms_of(const list& estimates)
{
    std::vector<bandit::arm> out;
    for (const double e : estimates) out.push_back({.estimate = e, .pulls = 3});
    return out;
}

/// The arm that a rule takes first, by one generator.
template <class Rule>
double first_choice(const Rule& rule, const list& estimates)
{
    tunekit::random::philox gen(1);
    return static_cast<double>(rule.select(arms_of(estimates), 3 * estimates.size(), gen));
}

/// A rule that takes the highest estimate.
template <class Rule>
void takes_the_highest(const Rule& rule)
{
    sweep s(sweep::lists);
    const auto f = [&](const list& x) { return first_choice(rule, x); };
    s.scales(f, {1, 4, 2}, 0);
    s.refuses(not_a_number, [&] { (void)f({1, nan_d}); }, "score of an arm is NaN");
    s.is(largest, f({-huge, 1, huge}), 2);
    s.is(denormal, f({0, tiny, 0}), 1);
    s.is(equal, f({0.1, 0.1, 0.1}), 0);
    s.is(one, f({-7}), 0);
    s.is(two, f({-8, -7}), 1);
    s.refuses(none, [&] { (void)f({}); }, "no arm is active");
    if constexpr (requires { rule.epsilon; }) s.is(infinite, f({1, inf}), 1);
    else s.refuses(infinite, [&] { (void)f({1, inf}); }, "score of an arm is NaN");
}

/// How often softmax draws each of three arms.
std::array<int, 3> draws(const bandit::softmax& rule, const list& estimates)
{
    tunekit::random::philox gen(1);
    std::array<int, 3> out{};
    for (int i = 0; i < 3000; ++i) ++out[rule.select(arms_of(estimates), 9, gen)];
    return out;
}

/// A policy's mean of rewards.
template <class Policy, class Mean>
void learns(const Policy& policy, const Mean& mean)
{
    sweep s(sweep::lists);
    const auto f = [&](const list& rewards) {
        auto state = policy.start(1);
        for (const double r : rewards) policy.update(state, 0, r);
        return mean(state);
    };
    s.scales(f, {1, 2, 6}, 1);
    s.refuses(not_a_number, [&] { (void)f({1, nan_d}); }, "the reward is NaN or infinite");
    s.refuses(infinite, [&] { (void)f({-inf}); }, "the reward is NaN or infinite");
    s.is(largest, f({huge, -huge}), 0);
    s.is(largest, f({-huge, huge, huge}), huge / 3);
    s.is(denormal, f({tiny, 3 * tiny}), 2 * tiny);
    s.is(equal, f({0.1, 0.1, 0.1}), 0.1);
    s.is(one, f({7}), 7);
    s.is(two, f({7, 8}), 7.5);
    s.is(none, f({}), 0);
}

}  // namespace

TEST_CASE("edge: bandit::epsilon_greedy::select, bandit::ucb::select")
{
    takes_the_highest(bandit::epsilon_greedy{.epsilon = 0});
    takes_the_highest(bandit::ucb{.exploration = 0});
    sweep s(sweep::numbers);
    for (const auto& [k, epsilon] :
         {std::pair{not_a_number, nan_d}, {infinite, inf}, {e200, 1e200}, {e160, 1e160}, {largest, huge}})
        s.refuses(
            k, [e = epsilon] { (void)first_choice(bandit::epsilon_greedy{.epsilon = e}, {1, 2}); },
            "epsilon is outside");
    for (const auto& [k, epsilon] : {std::pair{em200, 1e-200}, {denormal, tiny}})
        s.is(k, first_choice(bandit::epsilon_greedy{.epsilon = epsilon}, {1, 2}), 1);
}

TEST_CASE("edge: bandit::softmax::select")
{
    sweep s(sweep::lists);
    const auto want = draws({}, {1, 2, 4});
    for (const auto& [k, by] :
         {std::pair{e200, 1e200}, {em200, 1e-200}, {e160, 1e160}, {denormal, tiny}, {largest, huge / 4}})
        s.holds(k, draws({}, {by, 2 * by, 4 * by}) == want);
    s.refuses(not_a_number, [] { (void)draws({}, {1, nan_d, 2}); }, "is NaN");
    s.refuses(infinite, [] { (void)draws({}, {1, inf, 2}); }, "an estimate is infinite");
    s.refuses(infinite, [] { (void)draws({.temperature = 1.0}, {1, -inf, 2}); }, "an estimate is infinite");
    s.between(largest, draws({}, {huge, -huge, huge})[1], 140, 245);  // 191 wanted of 3000, by e^0, e^-2, e^0
    s.between(equal, draws({}, {0.1, 0.1, 0.1})[1], 900, 1100);
    s.between(equal, draws({}, {0, 0, 0})[1], 900, 1100);
    s.is(one, draws({}, {7})[0], 3000);
    s.between(two, draws({}, {1, 1})[0], 1400, 1600);
    s.refuses(none, [] { (void)draws({}, {}); }, "no arm is active");
    for (const double temperature : {tiny, 1e-320, 1e-200})
        s.is(em200, draws({.temperature = temperature}, {1, 3, 2})[1], 3000);
    for (const double temperature : {inf, huge, 1e160, 1e200})
        s.between(e160, draws({.temperature = temperature}, {1, 3, 2})[1], 900, 1100);
    s.refuses(not_a_number, [] { (void)draws({.temperature = nan_d}, {1, 2, 3}); }, "temperature is not positive");
}

TEST_CASE("edge: bandit::on_means::update, bandit::on_means::select")
{
    const bandit::on_means policy{bandit::epsilon_greedy{.epsilon = 0}};
    learns(policy, [](const auto& state) { return state.arms[0].estimate; });
    auto state = policy.start(2);
    policy.update(state, 0, -huge);
    policy.update(state, 1, huge);
    tunekit::random::philox gen(1);
    CHECK(policy.select(state, gen) == 1);
}

TEST_CASE("edge: bandit::ucb1::update, bandit::ucb1::score, bandit::ucb1::select")
{
    const bandit::ucb1 policy{.exploration = 0};
    learns(policy, [](const auto& state) { return state.mean[0]; });
    learns(policy, [&](const auto& state) { return state.t == 0 ? 0 : policy.score(state, 0); });
    auto state = policy.start(3);
    CHECK(policy.score(state, 0) == inf);
    for (const auto& [k, reward] : {std::pair{0, -huge}, {1, huge}, {2, tiny}})
        policy.update(state, static_cast<std::size_t>(k), reward);
    tunekit::random::philox gen(1);
    CHECK(policy.select(state, gen) == 1);
    for (const double exploration : {nan_d, -tiny})
        CHECK_THROWS((void)bandit::ucb1{.exploration = exploration}.start(2));
}

TEST_CASE("edge: bandit::ucb::bonus")
{
    sweep s(sweep::numbers);
    const auto f = [](double exploration) { return bandit::ucb{.exploration = exploration}.bonus(2, 8); };
    const double one_unit = std::sqrt(std::log(8.0) / 2);
    s.is(not_a_number, f(nan_d), nan_d);
    s.is(infinite, f(inf), inf);
    s.is(e200, f(1e200), 1e100 * one_unit);
    s.is(em200, f(1e-200), 1e-100 * one_unit);
    s.is(e160, f(1e160), 1e80 * one_unit);
    s.is(largest, f(1.7e308 / 4), std::sqrt(1.7e308 / 4) * one_unit);
    s.between(denormal, f(tiny), 0, 1e-161);
    CHECK(bandit::ucb{}.bonus(1, 0) == 0);
}

TEST_CASE("edge: acquisition::mean::value, acquisition::upper_confidence_bound::value")
{
    sweep s(sweep::numbers);
    const auto bound = [](double mean, double sd) { return aq::upper_confidence_bound{}.value({mean, sd}, 0); };
    s.is(not_a_number, bound(nan_d, 1), nan_d);
    s.is(infinite, bound(inf, 1), inf);
    s.is(infinite, bound(-inf, inf), nan_d);
    s.is(infinite, bound(1, inf), inf);
    for (const auto& [k, x] : {std::pair{e200, 1e200}, {em200, 1e-200}, {e160, 1e160}, {denormal, tiny}}) {
        s.is(k, bound(x, x), 3 * x);
        s.is(k, aq::mean{}.value({x, inf}, nan_d), x);
    }
    s.is(largest, bound(huge, huge), inf);
    s.is(largest, bound(-huge, huge / 2), 0);
    s.is(not_a_number, aq::mean{}.value({nan_d, 1}, 0), nan_d);
}

TEST_CASE("edge: acquisition::probability_of_improvement::value")
{
    sweep s(sweep::numbers);
    const auto f = [](double mean, double sd, double best) {
        return aq::probability_of_improvement{}.value({mean, sd}, best);
    };
    s.is(not_a_number, f(nan_d, 1, 0), nan_d);
    s.is(not_a_number, f(nan_d, 0, 0), nan_d);
    s.is(infinite, f(inf, 1, 0), 1);
    s.is(infinite, f(1, inf, 0), 0.5);
    s.is(infinite, f(inf, inf, 0), nan_d);
    for (const auto& [k, x] : {std::pair{e200, 1e200}, {em200, 1e-200}, {e160, 1e160}})
        s.is(k, f(x, x, 0), 0.84134474606854295);
    s.is(largest, f(huge, 1, -huge), 1);
    s.is(largest, f(-huge, 1, huge), 0);
    s.is(denormal, f(tiny, tiny, 0), 0.84134474606854295);
    s.is(denormal, f(tiny, 0, 0), 1);
}

TEST_CASE("edge: acquisition::expected_improvement::value, acquisition::log_expected_improvement::value")
{
    sweep s(sweep::numbers);
    const auto f = [](double mean, double sd, double best) {
        return aq::expected_improvement{}.value({mean, sd}, best);
    };
    const auto ln = [](double mean, double sd, double best) {
        return aq::log_expected_improvement{}.value({mean, sd}, best);
    };
    s.is(not_a_number, f(nan_d, 0, 0), nan_d);
    s.is(not_a_number, ln(0, 1, nan_d), nan_d);
    s.refuses(not_a_number, [&] { (void)f(0, nan_d, 0); }, "sd is negative or NaN");
    s.is(infinite, f(-inf, 1, 0), 0);
    s.is(infinite, ln(inf, 1, 0), inf);
    for (const auto& [k, x] : {std::pair{e200, 1e200}, {em200, 1e-200}, {e160, 1e160}}) {
        s.is(k, f(x, x, 0), x * 1.0833154705876863);
        s.is(k, ln(x, x, 0), std::log(x) + std::log(1.0833154705876863));
    }
    s.is(largest, f(huge, 1, -huge), inf);
    s.is(largest, f(-huge, 1, huge), 0);
    s.is(denormal, f(3 * tiny, 0, tiny), 2 * tiny);
    s.is(denormal, ln(0, 0, tiny), -inf);
}
