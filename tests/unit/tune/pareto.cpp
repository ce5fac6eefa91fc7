// SPDX-License-Identifier: MIT
#include "tunekit/tune/pareto.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

#include "tests/support/message.hpp"
#include "tunekit/random/normal.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using support::message;

namespace {

/// Configuration i has these goals, times noise; all of a round share a drift of their costs.
struct noisy_goals {
    std::vector<std::vector<double>> goals;
    std::vector<double> noise;
    tk::random::philox gen{1};
    tk::index without = 1000;  ///< it loses its value

    std::vector<measure::measurement> measure(std::span<const tk::index> batch, const measure::limits&)
    {
        const double drift = std::exp(0.2 * tk::random::normal(gen));
        std::vector<measure::measurement> out;
        for (const tk::index i : batch) {
            auto& m = out.emplace_back();
            const auto at = [&](std::size_t g) { return goals[i][g] * std::exp(noise[g] * tk::random::normal(gen)); };
            m.cost = at(0) * drift;
            if (i != without) m.values = {at(1)};
        }
        return out;
    }
};

tk::tuning record_of(const std::vector<std::vector<double>>& goals)
{
    tk::tuning out;
    for (std::size_t i = 0; i < goals.size(); ++i)
        out.append(
            {i,
             {.cost = goals[i][0], .values = measure::measured_values(std::span<const double>(goals[i]).subspan(1))}},
            1);
    return out;
}

std::vector<tk::index> candidates(const std::vector<tk::front_member>& members)
{
    std::vector<tk::index> out;
    for (const auto& m : members) out.push_back(m.candidate);
    return out;
}

}  // namespace

TEST_CASE("front_of a record: those that none beats in every goal, equals among them, lowest first goal first")
{
    const auto record = record_of({{3, 1}, {1, 5}, {2, 3}, {2, 3}, {2.5, 3}, {4, 1}, {1, 6}});
    CHECK(candidates(tk::front_of(record, {0, 1}).members) == std::vector<tk::index>{1, 2, 3, 0});
    CHECK(tk::front_of(record, {0, 1}).members[1].goals == std::vector<double>{2, 3});
    CHECK(candidates(tk::front_of(record, {1, 0}).members) == std::vector<tk::index>{0, 2, 3, 1});
    tk::tuning broken;
    broken.append({0, {.cost = 1, .values = {std::numeric_limits<double>::quiet_NaN()}}}, 1);
    broken.append({1, {.cost = 9, .values = {9}}}, 1);
    broken.append({2, {.failed = measure::failure{}}}, 1);
    broken.append({3, {.cost = 1, .at_least = true, .values = {1}}}, 1);
    CHECK(candidates(tk::front_of(broken, {0, 1}).members) == std::vector<tk::index>{1});
    CHECK(tk::front_of(tk::tuning{}, {0, 1}).members.empty());
    CHECK(message([&] { (void)tk::front_of(record, {0}); }).find("fewer than two goals") != std::string::npos);
    CHECK(message([&] { (void)tk::front_of(record, {0, 1, 1}); }).find("given twice") != std::string::npos);
}

TEST_CASE("front_finalists: the front first, then what misses it by little, and no more than wanted")
{
    const auto record = record_of({{1, 5}, {5, 1}, {1.03, 5.03}, {1.2, 6}, {5.1, 1.01}});
    CHECK(tk::front_finalists(record, {0, 1}) == std::vector<tk::index>{0, 1, 2, 4});
    CHECK(tk::front_finalists(record, {0, 1}, 3).size() == 3);
    CHECK(tk::front_finalists(record, {0, 1}, 16, 0.5).size() == 5);
    CHECK(tk::front_finalists(record, {0, 1}, 16, 0) == std::vector<tk::index>{0, 1});
}

TEST_CASE("race_front: only what is shown to be beaten in every goal leaves it")
{
    // 0 and 1 are the front, 2 is beaten by 0 in both, 3 as small as 1 and slower, 4 a hair behind 0 (within the margin)
    noisy_goals measurer{{{1, 4}, {2, 2}, {1.3, 5}, {2.6, 2}, {1.002, 4.004}}, {0.02, 0}};
    const auto front = tk::race_front(measurer, std::vector<tk::index>{0, 1, 2, 3, 4}, {0, 1}, {});
    CHECK(candidates(front.members) == std::vector<tk::index>{0, 4, 1});
    CHECK(candidates(front.dropped) == std::vector<tk::index>{2, 3});
    CHECK(front.confidence == 0.95);
    CHECK(front.rounds >= measure::rounds_to_separate(5));
    for (const auto& m : front.members) {
        CHECK(m.within[1].contains(m.goals[1]));
        CHECK(m.within[0].low <= m.goals[0]);
        CHECK(m.within[0].high >= m.goals[0]);
    }
}

TEST_CASE("race_front: a noisy goal says nothing early, so nothing leaves; a goal that is missing is a failure")
{
    noisy_goals measurer{{{1, 4}, {1.1, 4.4}}, {0.3, 0.3}};
    const auto front = tk::race_front(measurer, std::vector<tk::index>{0, 1}, {0, 1}, {}, {.max_rounds = 8});
    CHECK(front.members.size() == 2);
    noisy_goals lossy{{{1, 4}, {2, 2}}, {0.01, 0.01}};
    lossy.without = 1;
    const auto rest = tk::race_front(lossy, std::vector<tk::index>{0, 1}, {0, 1}, {});
    CHECK(candidates(rest.members) == std::vector<tk::index>{0});
    CHECK(message([&] {
              (void)tk::race_front(lossy, std::vector<tk::index>{0, 1}, {1, 0}, {});
          }).find("begin with 0") != std::string::npos);
}

TEST_CASE("a race for one goal is what it was: a value beside the cost that is no goal changes no verdict")
{
    const std::vector<tk::index> all{0, 1, 2};
    noisy_goals a{{{1, 4}, {1.05, 2}, {1.2, 1}}, {0.02, 0.5}};
    noisy_goals b = a;
    const auto one = measure::race(a, all);
    const auto same = measure::race(b, all, {}, {});
    CHECK(one.tied == same.tied);
    CHECK(one.tied == std::vector<tk::index>{0});
}

TEST_CASE("race_front keeps its promise: among equal ones, some leave wrongly in less than 1 - confidence of the races")
{
    // Three configurations of the same goals with independent noise: none beats another. 300 races; the probability of more than
    // 33 wrong ones at 5 % each is below 1e-5 (binomial).
    std::size_t wrong = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        noisy_goals measurer{{{1, 2}, {1, 2}, {1, 2}}, {0.1, 0.1}, tk::random::philox(seed)};
        const auto front =
            tk::race_front(measurer, std::vector<tk::index>{0, 1, 2}, {0, 1}, {}, {.margin = 0, .max_rounds = 40});
        wrong += front.members.size() < 3;
    }
    CHECK(wrong <= 33);
}

TEST_CASE("hypervolume: by hand, by inclusion and exclusion, and by counting")
{
    const std::vector<double> at{4, 4};
    CHECK(tk::hypervolume({{1, 1}}, at) == 9);
    CHECK(tk::hypervolume({{1, 3}, {3, 1}, {2, 2}}, at) == 3 + 2 + 1);
    CHECK(tk::hypervolume({{1, 3}, {3, 1}, {2, 2}, {3, 3}, {2, 2}}, at) == 6);  // dominated, and equal
    CHECK(tk::hypervolume({{1, 5}, {4, 1}}, at) == 0);
    CHECK(tk::hypervolume({}, at) == 0);
    CHECK(tk::hypervolume({{1}, {2}}, std::vector<double>{5}) == 4);
    const std::vector<double> cube{2, 2, 2};
    CHECK(tk::hypervolume({{1, 0, 1}, {0, 1, 1}}, cube) == 2 + 2 - 1);
    tk::random::philox gen(7);
    std::vector<std::vector<double>> points;
    for (int k = 0; k < 12; ++k)
        points.push_back({tk::random::uniform_01(gen), tk::random::uniform_01(gen), tk::random::uniform_01(gen)});
    std::size_t hit = 0;
    constexpr std::size_t n = 40;
    for (std::size_t i = 0; i < n * n * n; ++i) {
        const double x[] = {(static_cast<double>(i % n) + 0.5) / n, (static_cast<double>(i / n % n) + 0.5) / n,
                            (static_cast<double>(i / n / n) + 0.5) / n};
        bool below = false;
        for (const auto& p : points) below = below || (p[0] <= x[0] && p[1] <= x[1] && p[2] <= x[2]);
        hit += below;
    }
    CHECK(tk::hypervolume(points, std::vector<double>{1, 1, 1}) ==
          doctest::Approx(static_cast<double>(hit) / (n * n * n)).epsilon(0.02));
}
