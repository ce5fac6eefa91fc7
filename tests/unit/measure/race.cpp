// SPDX-License-Identifier: MIT
#include "tunekit/measure/race.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "tunekit/random/normal.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;

namespace {

/// Configuration i takes seconds[i], times a drift that all of a round share, times noise of its own.
struct noisy {
    std::vector<double> seconds;
    double noise = 0.02;
    tk::random::philox gen{1};
    std::vector<std::vector<tk::index>> rounds{};
    tk::index fails = 1000;

    std::vector<measure::measurement> measure(std::span<const tk::index> batch, const measure::limits& within)
    {
        rounds.emplace_back(batch.begin(), batch.end());
        const double drift = std::exp(0.3 * tk::random::normal(gen));
        std::vector<measure::measurement> out;
        for (const tk::index i : batch) {
            auto& m = out.emplace_back();
            m.cost = seconds[i] * drift * std::exp(noise * tk::random::normal(gen));
            if (i == fails) m.failed = measure::failure{measure::failure_kind::crash, 11, "gone"};
            m.at_least = m.cost > within.abandon_above;
        }
        return out;
    }
};

}  // namespace

TEST_CASE("evidence: the integral in closed form, by hand and by the trapezoid rule")
{
    CHECK(measure::detail::evidence(0, 0) == doctest::Approx(1));
    CHECK(measure::detail::evidence(1, 1) == doctest::Approx(1.5));  // 4 * 3/8
    CHECK(measure::detail::evidence(0, 1) == doctest::Approx(0.5));
    CHECK(measure::detail::evidence(9, 9) == doctest::Approx(1023.0 / 10));
    for (const std::uint32_t n : {5U, 40U})
        for (std::uint32_t w = 0; w <= n; ++w) {
            double sum = 0;
            const int steps = 20000;
            for (int k = 0; k <= steps; ++k) {
                const double p = 0.5 + 0.5 * k / steps;
                sum += (k == 0 || k == steps ? 0.5 : 1) * std::pow(2 * p, w) * std::pow(2 * (1 - p), n - w);
            }
            CHECK(measure::detail::evidence(w, n) == doctest::Approx(2 * sum * 0.5 / steps).epsilon(1e-4));
        }
}

TEST_CASE("evidence is a martingale under a fair coin: E(w, n) = (E(w, n + 1) + E(w + 1, n + 1)) / 2")
{
    for (std::uint32_t n = 0; n < 60; ++n)
        for (std::uint32_t w = 0; w <= n; ++w)
            CHECK(measure::detail::evidence(w, n) == doctest::Approx(0.5 * (measure::detail::evidence(w, n + 1) +
                                                                            measure::detail::evidence(w + 1, n + 1))));
}

TEST_CASE("race finds the faster one under a drift that dwarfs the difference")
{
    noisy measurer{{1.10e-3, 1.00e-3, 1.05e-3, 1.30e-3}};
    const std::vector<tk::index> finalists{3, 0, 2, 1};
    const auto r = measure::race(measurer, finalists);
    REQUIRE(r.winner);
    CHECK(*r.winner == 1);
    CHECK(r.tied == std::vector<tk::index>{1});
    CHECK(r.rounds < 60);
    CHECK(r.gap.low <= 0.05);
    CHECK(r.gap.high >= 0.05);
    CHECK(r.gap.low > 0.01);
    REQUIRE(r.standings.size() == 4);
    CHECK(r.standings[0].candidate == 3);
    CHECK(r.standings[0].costs.size() < r.standings[3].costs.size() + 1);
    CHECK(r.standings[0].against_winner.median == doctest::Approx(0.3).epsilon(0.2));
    CHECK(r.cost == r.standings[3].cost);
}

TEST_CASE("race: what is equal stays tied and the smallest index wins, whatever the order and the noise")
{
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        noisy measurer{{9, 1.002, 1.0, 1.001, 1.5}, 0.005, tk::random::philox(seed)};
        const std::vector<tk::index> finalists{4, 3, 2, 1};
        const auto r = measure::race(measurer, finalists, {}, {.margin = 0.02});
        CHECK(r.tied == std::vector<tk::index>{1, 2, 3});
        CHECK(r.winner == 1);
        CHECK(r.rounds == 60);
        CHECK_FALSE(r.standings[0].tied);
    }
}

TEST_CASE("race of four equals at confidence 0.9: someone is put out in no more than a tenth of 1000 races")
{
    // H0: the probability per race is at most 0.1. More than 160 of 1000 then has p < 1e-9.
    int wrong = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        noisy measurer{{1, 1, 1, 1}, 0.05, tk::random::philox(seed)};
        const auto r =
            measure::race(measurer, std::vector<tk::index>{0, 1, 2, 3}, {}, {.confidence = 0.9, .margin = 0});
        wrong += r.tied.size() != 4;
    }
    CHECK(wrong <= 160);
}

TEST_CASE("race: the interval covers the true ratio in at least the stated share of 1000 races")
{
    // H0: it misses with probability at most 0.1; more than 160 misses have p < 1e-9. At least one interval must be
    // bounded.
    int missed = 0;
    int bounded = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        noisy measurer{{1, 1.03}, 0.03, tk::random::philox(seed)};
        const auto r = measure::race(measurer, std::vector<tk::index>{0, 1}, {},
                                     {.confidence = 0.9, .margin = 0, .max_rounds = 40});
        const auto gap = r.winner == 0 ? r.gap : measure::slowdown{};
        if (r.winner != 0 || gap.low > 0.03 || gap.high < 0.03) ++missed;
        bounded += std::isfinite(gap.high) && gap.low > -1;
    }
    CHECK(missed <= 160);
    CHECK(bounded > 900);
}

TEST_CASE("race: rounds are rotated and turned round, and run only who is left")
{
    noisy measurer{{1, 1, 1, 50}, 0.001};
    static_cast<void>(measure::race(measurer, std::vector<tk::index>{0, 1, 2, 3}));
    CHECK(measurer.rounds[0] == std::vector<tk::index>{0, 1, 2, 3});
    CHECK(measurer.rounds[1] == std::vector<tk::index>{0, 3, 2, 1});
    CHECK(measurer.rounds[2] == std::vector<tk::index>{2, 3, 0, 1});
    CHECK(measurer.rounds.back().size() == 3);
}

TEST_CASE("race: failures are out, one finalist is measured once, none gives no winner")
{
    noisy measurer{{1, 2}};
    measurer.fails = 0;
    const auto r = measure::race(measurer, std::vector<tk::index>{0, 1});
    CHECK(r.winner == 1);
    CHECK(r.standings[0].failed->kind == measure::failure_kind::crash);
    CHECK(r.rounds == 1);
    CHECK(r.gap == measure::slowdown{});

    noisy one{{1}};
    const auto alone = measure::race(one, std::vector<tk::index>{0}, {.abandon_above = 1e-9});
    CHECK(alone.winner == 0);
    CHECK(alone.rounds == 1);

    noisy bad{{1}};
    bad.fails = 0;
    CHECK_FALSE(measure::race(bad, std::vector<tk::index>{0}).winner);
    CHECK_FALSE(measure::race(bad, std::vector<tk::index>{}).winner);
}

TEST_CASE("race: out of time it ends after the round under way, and not before the first")
{
    noisy m{{1, 1}};
    const std::vector<tk::index> both{0, 1};
    const auto result = measure::race(m, both, {}, {.max_seconds = 1e-12});
    CHECK(result.rounds == 1);
    CHECK(result.tied == both);
    CHECK(measure::race(m, both, {}, {.max_rounds = 3, .max_seconds = 1e9}).rounds == 3);
    CHECK_THROWS_AS((void)measure::race(m, both, {}, {.max_seconds = 0}), std::invalid_argument);
}

TEST_CASE("race_track: before the first round there is a result, and it has no winner")
{
    measure::race_track track(std::vector<tk::index>{7, 3}, {});
    const auto r = track.verdict();
    CHECK_FALSE(r.winner.has_value());
    CHECK(r.tied.empty());
    CHECK(r.rounds == 0);
    REQUIRE(r.standings.size() == 2);
    CHECK(std::isnan(r.standings[0].cost));
    CHECK_FALSE(r.standings[0].tied);
}

TEST_CASE("race: a measurer of its own for each round, and the same result where it is the same one")
{
    const std::vector<tk::index> three{0, 1, 2};
    noisy m{{1, 1.2, 1.4}};
    const auto once = measure::race(m, three);
    std::uint32_t made = 0;
    noisy again{{1, 1.2, 1.4}};
    const auto anew = measure::race([&]() -> noisy& { return ++made, again; }, three);
    CHECK(anew.winner == once.winner);
    CHECK(anew.rounds == once.rounds);
    CHECK(anew.gap == once.gap);
    CHECK(made == once.rounds);
    CHECK(measure::race([] { return noisy{{1, 1.2, 1.4}}; }, three).winner == 0);
}

TEST_CASE("rounds_to_separate: with one round fewer nobody is put out, however slow, and with as many somebody is")
{
    CHECK(measure::rounds_to_separate(2) == 8);  // 511 / 9 >= 2 / 0.05 > 255 / 8
    CHECK(measure::rounds_to_separate(4) == 11);
    CHECK(measure::rounds_to_separate(5) == 12);
    CHECK(measure::rounds_to_separate(2, 0.5) == 4);  // 31 / 5 >= 4 > 15 / 4
    for (const std::size_t m : {2U, 3U, 4U, 6U})
        for (const double confidence : {0.5, 0.95, 0.999}) {
            std::vector<tk::index> all;
            for (std::size_t k = 0; k < m; ++k) all.push_back(k);
            const std::uint32_t enough = measure::rounds_to_separate(m, confidence);
            for (const std::uint32_t rounds : {enough - 1, enough}) {
                noisy fast{std::vector<double>(m, 1000)};
                fast.seconds[0] = 1;
                const auto r = measure::race(fast, all, {}, {.confidence = confidence, .max_rounds = rounds});
                CHECK(r.tied.size() == (rounds < enough ? m : 1));
            }
        }
    CHECK_THROWS_AS(static_cast<void>(measure::rounds_to_separate(2, 1)), std::invalid_argument);
}

TEST_CASE("race refuses what means nothing")
{
    noisy m{{1, 2}};
    CHECK_THROWS_WITH_AS(static_cast<void>(measure::race(m, std::vector<tk::index>{1, 1})),
                         "tunekit: race: a finalist is given twice, want each once", std::invalid_argument);
    CHECK_THROWS_AS(static_cast<void>(measure::race(m, std::vector<tk::index>{1}, {}, {.confidence = 1})),
                    std::invalid_argument);
    CHECK_THROWS_AS(static_cast<void>(measure::race(m, std::vector<tk::index>{1}, {}, {.margin = std::nan("")})),
                    std::invalid_argument);
}
