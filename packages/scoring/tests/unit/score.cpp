// SPDX-License-Identifier: MIT
#include "tunekit/scoring/score.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;
using tk::scoring::recording;
using tk::scoring::trajectory;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// 20 x 20 configurations, the best in the middle of a bowl; one row fails.
recording bowl(std::string name, double middle)
{
    const tk::space::product space{tk::space::integers<"x">(0, 19), tk::space::integers<"y">(0, 19)};
    return tk::scoring::computed(
        std::move(name), space,
        [&](tk::index i) {
            const auto p = space.at(i);
            const double x = tk::get<"x">(p) - middle, y = tk::get<"y">(p) - 3.0;
            return tk::get<"x">(p) == 19 ? std::nan("") : 1e-3 * (1 + 0.1 * std::hypot(x, y));
        },
        2);
}

/// Proposes a fixed list, to see what becomes of it.
struct scripted {
    std::vector<std::vector<tk::index>> batches;

    struct state {
        std::size_t at = 0;
        std::size_t told = 0;
    };
    template <class Space>
    state start(const Space&) const
    {
        return {};
    }
    template <class Space, tk::generator G>
    std::vector<tk::index> propose(state& s, const Space&, std::size_t, G&) const
    {
        return s.at < batches.size() ? batches[s.at++] : std::vector<tk::index>{};
    }
    template <class Space, tk::generator G>
    void observe(state& s, const Space&, std::span<const tk::index> batch, std::span<const tk::measure::measurement> m,
                 G&) const
    {
        CHECK(batch.size() == m.size());
        s.told += m.size();
    }
};

}  // namespace

TEST_CASE("a computed space: costs are what the function says, what is not positive and finite failed")
{
    const auto on = bowl("bowl", 4);
    CHECK(on.rows.size() == 400);
    CHECK(on.optimum == 1e-3);
    std::size_t failed = 0;
    for (const auto& row : on.rows) failed += row.result.failed ? 1U : 0U;
    CHECK(failed == 20);
    CHECK(on.rows.front().seconds == 2);
    CHECK_THROWS_AS(
        (void)tk::scoring::computed("b", on.space, [](tk::index) { return 1.0; }, 0), std::invalid_argument);
    CHECK_THROWS_AS((void)tk::scoring::recording_of("b", "b", on.space, {}), std::invalid_argument);
}

TEST_CASE("play follows the strategy evaluation by evaluation, until both ends have passed")
{
    const auto on = tk::scoring::computed(
        "five", tk::space::product(tk::space::integers<"i">(0, 4)),
        [](tk::index i) { return i == 2 ? 0.0 : 5.0 - static_cast<double>(i); }, 10);
    auto gen = tk::random::philox(1);
    const auto run = tk::scoring::play(scripted{{{2, 0}, {1}, {4}, {3}}}, on, {.batch = 2, .evaluations = 4}, gen);
    CHECK(run.best == std::vector<double>{infinite, 5, 4, 1});
    CHECK(run.seconds == std::vector<double>{10, 20, 30, 40});
    CHECK(run.failed == 1);
    CHECK(run.own.size() == 4);
    CHECK(run.rows == std::vector<std::size_t>(4, tk::scoring::recording::no_row));
    CHECK(tk::scoring::play(scripted{{{0}, {1}, {2}, {3}}}, on, {.evaluations = 1, .seconds = 25}, gen).evaluations() ==
          3);
    CHECK(tk::scoring::play(scripted{{{0}}}, on, {}, gen).evaluations() == 1);  // exhausted
    CHECK(tk::scoring::detail::evaluations_to(on, run, 1.05) == 4);
    CHECK(tk::scoring::detail::evaluations_to(on, run, 5) == 2);
    CHECK(tk::scoring::detail::evaluations_to(on, run, 0.9) == infinite);
}

TEST_CASE("a strategy that breaks its contract is told of")
{
    const auto on = bowl("bowl", 4);
    auto gen = tk::random::philox(1);
    CHECK_THROWS_WITH_AS((void)tk::scoring::play(scripted{{{1, 2}}}, on, {}, gen),
                         "tunekit: play: the strategy proposed 2 configurations, want at most 1", tk::error);
    CHECK_THROWS_WITH_AS((void)tk::scoring::play(scripted{{{400}}}, on, {}, gen),
                         "tunekit: play: the strategy proposed configuration 400, want one of the 400 of \"bowl\"",
                         tk::error);
    CHECK_THROWS_WITH_AS((void)tk::scoring::play(scripted{{{7}, {7}}}, on, {}, gen),
                         "tunekit: play: the strategy proposed configuration 7 of \"bowl\" twice, want each once",
                         tk::error);
    CHECK_THROWS_AS((void)tk::scoring::play(scripted{}, on, {.batch = 0}, gen), std::invalid_argument);
}

TEST_CASE("an outcome by hand: two runs of four evaluations")
{
    const auto on = tk::scoring::computed("eight", tk::space::product(tk::space::integers<"i">(0, 7)),
                                          [](tk::index i) { return 1.0 + 0.02 * static_cast<double>(i); });
    const auto by = tk::scoring::yardstick_of(on, 3);
    const std::vector<trajectory> runs{
        {.seconds = {1, 2, 3, 4}, .best = {1.14, 1.04, 1.04, 1.0}, .own = {0.1, 0.2, 0.3, 0.4}, .failed = 1},
        {.seconds = {1, 2, 3, 4}, .best = {1.0, 1.0, 1.0, 1.0}, .own = {0.2, 0.4, 0.6, 0.8}, .failed = 0}};
    const auto o = tk::scoring::outcome_of("s", on, by, runs, 3);
    CHECK(o.evaluations_to_5 == 2);  // 2 and 1: the greater
    CHECK(o.evaluations_to_1 == 4);
    CHECK(o.regret == doctest::Approx(0.02));  // after three: 4 % and nothing
    CHECK(*o.failed_share == doctest::Approx(1.0 / 8));
    CHECK(o.own_seconds == doctest::Approx(1.2 / 8));
    CHECK(o.s[1] == doctest::Approx(1));
    CHECK(o.shares[0] == doctest::Approx(0.5 * (1 + (by.chance[0] - std::log(1.14)) / by.chance[0])));
    double mean = 0;
    for (const double x : o.shares) mean += x / 3;
    CHECK(o.s_mean() == doctest::Approx(mean));
    CHECK(o.mean_to_5 == 1.5);
    const std::vector<trajectory> late{{.seconds = {1, 2}, .best = {1.14, 1.14}, .own = {0, 0}, .failed = 0}};
    const auto l = tk::scoring::outcome_of("s", on, by, late, 3);
    double clamped = 0;
    for (const double chance : by.chance) clamped += (std::max)((chance - std::log(1.14)) / chance, -1.0) / 3;
    REQUIRE((by.chance[2] - std::log(1.14)) / by.chance[2] < -1);
    CHECK(l.clamped_mean() == doctest::Approx(clamped));
    CHECK(l.clamped[0] > l.s[0]);
    CHECK(l.mean_to_5 == 3);  // one more than it has
    CHECK_THROWS_AS((void)tk::scoring::outcome_of("s", on, by, {}, 3), std::invalid_argument);
}

TEST_CASE("a scoreboard: random search has 0 in its interval, a climber more, and the difference says so with its sign")
{
    const std::vector<recording> spaces{bowl("one", 4), bowl("two", 12)};
    const tk::scoring::score_options how{.repeats = 20, .judged = 150, .evaluations = 150};
    const auto all =
        tk::scoring::score({{"random", tk::search::random{}}, {"climb", tk::search::hill_climb{}}}, spaces, how);
    CHECK(all.spaces == std::vector<std::string>{"one", "two"});
    CHECK(all.outcomes.size() == 4);
    CHECK(all.outcomes[1].space == "two");
    REQUIRE(all.standings.size() == 2);
    REQUIRE(all.differences.size() == 1);
    const auto& d = all.differences[0];
    CHECK(d.strategy == "climb");
    CHECK(d.than == "random");
    CHECK(d.s.mean == doctest::Approx(all.standings[1].s.mean - all.standings[0].s.mean));
    CHECK(d.s.within.low > 0);
    CHECK(d.s.within.contains(d.s.mean));
    // Null hypothesis: the interval of random search holds 0, the mean over all its orders. It is a percentile interval of 20 repeats,
    // which misses in about 7 % of seeds; the seed is fixed.
    CHECK(all.standings[0].s.within.contains(0));
    CHECK(all.standings[1].reached_5 == 2);
    CHECK(all.timed == std::vector<bool>{true, true});
    REQUIRE(all.standings[0].p.has_value());

    const auto again =
        tk::scoring::score({{"random", tk::search::random{}}, {"climb", tk::search::hill_climb{}}}, spaces, how);
    CHECK(again.outcomes[2].s == all.outcomes[2].s);
    const auto swapped =
        tk::scoring::score({{"climb", tk::search::hill_climb{}}, {"random", tk::search::random{}}}, spaces, how);
    CHECK(swapped.differences[0].s.mean == doctest::Approx(-d.s.mean));
    CHECK(swapped.outcomes[0].s == all.outcomes[2].s);  // the same streams whoever comes first
}

TEST_CASE("a space whose optimum random search is next to soon is named and left out of the means of S")
{
    // Ten cost 1 to 1.009, two 1.1: after two of ten evaluations E ln cost is 0.0046, and ln 1.01 is 0.00995.
    const auto flat = [](double slow) {
        return tk::scoring::computed("flat", tk::space::product(tk::space::integers<"i">(0, 11)), [slow](tk::index i) {
            return i >= 10 ? slow : 1 + 0.001 * static_cast<double>(i);
        });
    };
    const auto by_hand = [](double slow) {  // E ln of the lower of two of the twelve, without repetition
        double sum = 0;
        for (int i = 0; i < 12; ++i)
            for (int k = i + 1; k < 12; ++k) sum += std::log(i >= 10 ? slow : 1 + 0.001 * i) / 66;
        return sum;
    };
    REQUIRE(by_hand(1.1) < std::log(1.01));
    REQUIRE(by_hand(3) > std::log(1.01));
    CHECK(tk::scoring::yardstick_of(flat(1.1), 10).easy);
    CHECK_FALSE(tk::scoring::yardstick_of(flat(3), 10).easy);
    CHECK_FALSE(tk::scoring::yardstick_of(flat(1.1), 5).easy);  // after one evaluation it is 0.0196

    const std::vector<recording> spaces{bowl("one", 4), flat(1.1)};
    const tk::scoring::score_options how{.repeats = 5, .judged = 10, .evaluations = 10};
    const auto scores = [&](std::span<const recording> on) {
        return tk::scoring::score({{"grid", tk::search::grid{}}, {"climb", tk::search::hill_climb{}}}, on, how);
    };
    const auto all = scores(spaces), one = scores(std::span(spaces).first(1)), easy = scores(std::span(spaces).last(1));
    CHECK(all.easy == std::vector<bool>{false, true});
    CHECK(all.standings[1].s.mean == one.standings[1].s.mean);
    CHECK(all.standings[1].clamped.within == one.standings[1].clamped.within);
    CHECK(all.differences[0].s.mean == one.differences[0].s.mean);
    CHECK(all.differences[0].clamped.mean == one.differences[0].clamped.mean);
    CHECK(tk::scoring::easy_text(one).empty());
    CHECK(tk::scoring::easy_text(all) ==
          "Left out of the means of S10, as random search is within 1 % of the optimum "
          "by a fifth of the evaluations: flat.");
    CHECK(easy.standings[0].s.mean == doctest::Approx(easy.outcomes[0].s_mean()));  // there is no other
    CHECK(tk::scoring::easy_text(easy).starts_with("Every space is easy"));
}

TEST_CASE("a strategy against itself differs by nothing at all")
{
    const std::vector<recording> spaces{bowl("one", 4)};
    const auto all = tk::scoring::score({{"a", tk::search::random{}}, {"b", tk::search::random{}}}, spaces,
                                        {.repeats = 5, .judged = 30, .evaluations = 30});
    CHECK(all.differences[0].s.mean == 0);
    CHECK(all.differences[0].s.within == tk::stats::interval{0, 0});
    CHECK(all.differences[0].p->within == tk::stats::interval{0, 0});
}

TEST_CASE("who has not run everywhere is named and not ranked; counts of 0 are refused")
{
    const std::vector<recording> spaces{bowl("one", 4), bowl("two", 12)};
    const auto by = tk::scoring::yardsticks_of(spaces, 30);
    std::vector<tk::scoring::outcome> outcomes;
    const tk::scoring::score_options how{.repeats = 3, .judged = 30, .evaluations = 30};
    for (std::size_t i = 0; i < 2; ++i)
        outcomes.push_back(tk::scoring::outcome_of(
            "all", spaces[i], by[i], tk::scoring::play_all(tk::search::grid{}, spaces[i], by[i], how), 30));
    outcomes.push_back(outcomes[1]);
    outcomes.back().strategy = "half";
    const auto board = tk::scoring::scoreboard_of(spaces, by, outcomes, 30);
    CHECK(board.standings.size() == 1);
    CHECK(board.incomplete == std::vector<std::string>{"half"});
    CHECK(board.differences.empty());
    CHECK_THROWS_AS((void)tk::scoring::score({{"a", tk::search::random{}}}, spaces, {.repeats = 0}),
                    std::invalid_argument);
    CHECK_THROWS_AS((void)tk::scoring::score({{"a", tk::search::random{}}}, {}, {}), std::invalid_argument);
}
