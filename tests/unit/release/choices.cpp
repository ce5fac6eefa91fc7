// SPDX-License-Identifier: MIT
// Hostile numbers to statistics, bandits, criteria, clusters and choices, without assertions.
#include <cstddef>
#include <vector>

#include "tests/unit/release/outcome.hpp"
#include "tunekit/acquisition.hpp"
#include "tunekit/bandit.hpp"
#include "tunekit/random.hpp"
#include "tunekit/screen.hpp"
#include "tunekit/stats.hpp"

namespace {

namespace tk = tunekit;
using numbers = std::vector<double>;
using floats = std::vector<float>;
using enum outcome;

numbers pair(const tk::stats::interval& i) { return {i.low, i.high}; }

/// The arms that a bandit chooses, and what it learns of them.
template <class Rule>
auto plays(Rule rule, numbers rewards, std::size_t arms)
{
    return [=]() -> numbers {
        tk::random::philox gen(1);
        const tk::bandit::on_means policy{rule};
        auto s = policy.start(arms);
        numbers out;
        for (const double r : rewards) {
            const std::size_t k = policy.select(s, gen);
            if (k >= arms) return {nan_d};
            policy.update(s, k, r);
            out.push_back(s.arms[k].estimate);
        }
        return out;
    };
}

/// A choice where no arm is active.
template <class Rule>
auto chooses_of_none(Rule rule, std::size_t pulls)
{
    return [=]() -> numbers {
        tk::random::philox gen(1);
        const tk::bandit::on_means policy{rule};
        auto s = policy.start(3);
        for (auto& a : s.arms) {
            a.active = false;
            a.pulls = pulls;
        }
        return {static_cast<double>(policy.select(s, gen))};
    };
}

/// `found`: what becomes of a game with numbers for rewards.
template <class Rule>
void check_rule(Rule rule, outcome found = answered)
{
    check_all({{"no arms", refused, plays(rule, {1, 2}, 0)},
               {"equal rewards", found, plays(rule, numbers(12, 1.0), 3)},
               {"rewards of 0", found, plays(rule, numbers(12, 0.0), 3)},
               {"rewards of 1e308", found, plays(rule, {1e308, -1e308, 1e308, 1e308, 1e308, 1e308, 1e308, 1e308}, 3)},
               {"denormal rewards", found, plays(rule, numbers(12, 5e-324), 3)},
               {"a reward is NaN", refused, plays(rule, {1, nan_d, 2, 3, 4, nan_d}, 3)},
               {"a reward is infinite", refused, plays(rule, {1, inf, 2, -inf, 4, 4}, 3)},
               {"no arm is active", refused, chooses_of_none(rule, 1)},
               {"no arm is active, none was pulled", refused, chooses_of_none(rule, 0)}});
}

auto clusters(floats points, std::size_t d, std::size_t k)
{
    return [=]() -> numbers {
        tk::random::philox gen(1);
        const tk::screen::k_means m{};
        const tk::screen::point_rows rows{points, d};
        const auto starts = m.starts(rows, k, gen);
        const auto found = m.cluster(rows, k, starts);
        if (found.of.size() * d != points.size()) return {nan_d};
        return {found.loss};
    };
}

auto improves(double sd)
{
    return [=]() -> numbers {
        const tk::acquisition::expected_improvement ei;
        return {ei.value({1, sd}, 2), ei.value({3, sd}, 2), ei.value({1e308, sd}, -1e308),
                ei.value({-1e308, sd}, 1e308)};
    };
}

auto chooses(numbers weights)
{
    return [=]() -> numbers {
        tk::random::philox gen(1);
        return {static_cast<double>(tk::random::choose(weights, gen))};
    };
}

}  // namespace

TEST_CASE("release: moments, quantiles, ranks and intervals of nothing and of huge numbers")
{
    namespace st = tk::stats;
    const auto quantile = [](numbers of, double p) { return [=]() -> numbers { return {st::quantile(of, p)}; }; };
    check_all({
        {"mean of none", refused, []() -> numbers { return {st::mean(numbers{})}; }},
        {"variance of none", refused, []() -> numbers { return {st::variance(numbers{})}; }},
        {"sample variance of one", refused, []() -> numbers { return {st::sample_variance(numbers{1})}; }},
        {"mean of 1e308", answered, []() -> numbers { return {st::mean(numbers(10, 1e308))}; }},
        {"quantile of none", refused, quantile({}, 0.5)},
        {"quantile p = 2", refused, quantile({1, 2, 3}, 2)},
        {"quantile p = -1", refused, quantile({1, 2, 3}, -1)},
        {"quantile p = NaN", refused, quantile({1, 2, 3}, nan_d)},
        {"quantile with a NaN", not_a_number, quantile({1, nan_d, 3, 2}, 0.5)},
        {"median of none", refused, []() -> numbers { return {st::median({})}; }},
        {"spearman of sizes that differ", refused,
         []() -> numbers { return {st::spearman(numbers{1, 2, 3}, numbers{1, 2})}; }},
        {"kendall of sizes that differ", refused,
         []() -> numbers { return {st::kendall_tau_b(numbers{1, 2, 3}, numbers{1, 2})}; }},
        {"kendall of a constant", not_a_number,
         []() -> numbers { return {st::kendall_tau_b(numbers{1, 1, 1}, numbers{1, 2, 3})}; }},
        {"pearson of a constant", not_a_number,
         []() -> numbers { return {st::pearson(numbers{1, 1, 1}, numbers{1, 2, 3})}; }},
        {"pearson of 1e308", answered,
         []() -> numbers { return {st::pearson(numbers{1e308, -1e308, 1e308}, numbers{1e308, -1e308, 1e308})}; }},
        {"wilson of 0 trials", answered, []() -> numbers { return pair(st::wilson_interval(0, 0)); }},
        {"interval of the mean of one", infinite, []() -> numbers { return pair(st::mean_interval(numbers{1})); }},
        {"interval of the mean of none", infinite, []() -> numbers { return pair(st::mean_interval(numbers{})); }},
        {"interval of the median of none", infinite,
         []() -> numbers {
             tk::random::philox gen(1);
             return pair(st::median_interval({}, {}, gen));
         }},
        {"t quantile of 0 degrees", refused, []() -> numbers { return {st::student_t_quantile(0.9, 0)}; }},
        {"t quantile p = 1", refused, []() -> numbers { return {st::student_t_quantile(1, 3)}; }},
        {"t quantile p = NaN", refused, []() -> numbers { return {st::student_t_quantile(nan_d, 3)}; }},
        {"normal quantile p = 2", refused, []() -> numbers { return {st::normal_quantile(2)}; }},
    });
}

TEST_CASE("release: bandits")
{
    check_rule(tk::bandit::ucb{});
    check_rule(tk::bandit::ucb{.unit = 0.0}, refused);
    check_rule(tk::bandit::epsilon_greedy{});
    check_rule(tk::bandit::epsilon_greedy{.epsilon = nan_d}, refused);
    check_rule(tk::bandit::softmax{});
    check_rule(tk::bandit::softmax{.temperature = -1.0}, refused);
}

TEST_CASE("release: clusters of points that are none, all alike, or too far apart")
{
    check_all({
        {"k-means of fewer points than k", answered, clusters({1, 2, 3}, 1, 10)},
        {"k-means k = 0", refused, clusters({1, 2, 3}, 1, 0)},
        {"k-means of no points", refused, clusters({}, 1, 2)},
        {"k-means of equal points", answered, clusters(floats(20, 1.0F), 2, 4)},
        {"k-means with a NaN", refused, clusters({1, nan_f, 3, 4}, 1, 2)},
        {"k-means of NaN alone", refused, clusters(floats(8, nan_f), 1, 2)},
        {"k-means with infinities", refused, clusters({1, inf_f, 3, -inf_f, 5}, 1, 3)},
        {"k-means with 3e38", refused, clusters({3e38F, -3e38F, 3e38F, 1, 2, 3}, 1, 3)},
        {"k-means with 1e20", refused, clusters({1e20F, -1e20F, 3e20F, 1, 2, 3}, 1, 3)},
        {"k-means of denormals", answered, clusters({1e-45F, 2e-45F, 3e-45F, 1e-44F}, 1, 2)},
    });
}

TEST_CASE("release: expected improvement of every standard deviation")
{
    check_all({
        {"sd = 0", infinite, improves(0)},
        {"sd = NaN", refused, improves(nan_d)},
        {"sd = inf", infinite, improves(inf)},
        {"sd = 5e-324", infinite, improves(5e-324)},
        {"sd = -1", refused, improves(-1)},
    });
}

TEST_CASE("release: choices from nothing")
{
    check_all({
        {"weights of 0", refused, chooses({0, 0, 0})},
        {"a weight is NaN", refused, chooses({1, nan_d, 1})},
        {"no weights", refused, chooses({})},
        {"negative weights", refused, chooses({-1, 1, -1})},
        {"infinite weights", refused, chooses({inf, 1, inf})},
        {"5 of 3", refused,
         []() -> numbers {
             tk::random::philox gen(1);
             return {static_cast<double>(tk::random::sample_without_replacement(3, 5, gen).size())};
         }},
    });
}
