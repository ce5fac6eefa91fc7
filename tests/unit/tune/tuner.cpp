// SPDX-License-Identifier: MIT
#include "tunekit/tune/tuner.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/genetic.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/search/random.hpp"

namespace tk = tunekit;
using support::grid_space;
using philox = tk::random::philox;

namespace {

tk::measure::measurement costs(double cost) { return {.cost = cost, .runs = 1, .run_seconds = 0.5}; }

/// A cost of a configuration alone, a valley with a bump.
tk::measure::measurement of(tk::index i)
{
    const double x = static_cast<double>(i);
    return costs(30 + std::abs(x - 333) + 20 * std::sin(x));
}

/// Proposes what it is told to, right or wrong.
struct scripted {
    std::vector<std::vector<tk::index>> batches;
    struct state {
        std::size_t next = 0;
    };
    template <class Space>
    state start(const Space&) const
    {
        return {};
    }
    template <class Space, class G>
    std::vector<tk::index> propose(state& s, const Space&, std::size_t, G&) const
    {
        return s.next < batches.size() ? batches[s.next++] : std::vector<tk::index>{};
    }
    template <class Space, class G>
    void observe(state&, const Space&, std::span<const tk::index>, std::span<const tk::measure::measurement>, G&) const
    {
    }
};

using grid_tuner = tk::tuner<grid_space, tk::search::grid, philox>;
static_assert(std::is_copy_constructible_v<grid_tuner> && std::is_copy_assignable_v<grid_tuner> &&
              std::is_move_constructible_v<grid_tuner>);
static_assert(!std::is_convertible_v<tk::index, tk::ticket>);

std::vector<tk::index> candidates(const std::vector<tk::job>& jobs)
{
    std::vector<tk::index> out;
    for (const auto& j : jobs) out.push_back(j.candidate);
    return out;
}

}  // namespace

TEST_CASE("a tuner asked and told one at a time, or once per batch, proposes what its strategy proposes alone")
{
    const grid_space space({30, 30});
    const auto same = [&](const auto& strategy, std::size_t n) {
        philox a(5);
        philox b(5);
        tk::tuner t(space, strategy, {.trials = 300}, a);
        auto state = strategy.start(space);
        for (std::size_t done = 0; done < 300;) {
            const auto want = strategy.propose(state, space, (std::min)(n, 300 - done), b);
            std::vector<tk::measure::measurement> answers;
            for (const auto i : want) answers.push_back(of(i));
            strategy.observe(state, space, want, answers, b);
            done += want.size();
            const auto jobs = t.ask(n);
            REQUIRE(candidates(jobs) == want);
            for (const auto& j : jobs) t.tell(j, of(j.candidate));
        }
        CHECK(t.generator() == b);
        CHECK(t.ask(n).empty());
        CHECK(t.over());
        CHECK(t.stopped() == tk::stop_reason::trials);
    };
    for (const std::size_t n : {std::size_t{1}, std::size_t{8}}) {
        same(tk::search::random{}, n);
        same(tk::search::grid{}, n);
        same(tk::search::annealing{}, n);
        same(tk::search::hill_climb{}, n);
        same(tk::search::genetic{}, n);
    }
}

TEST_CASE(
    "random interleavings of ask, tell, drop and failure: nothing goes out twice, nothing is stuck, all is recorded")
{
    const auto survives = [](const auto& strategy, std::uint64_t seed) {
        CAPTURE(seed);
        const grid_space space({12, 12});
        philox dice(seed);
        tk::tuner t(space, strategy, {.seconds = 1e9}, philox(seed + 100));
        t.begin_with({7, 3, 7, 100});
        std::vector<tk::job> out;
        std::set<tk::index> answered;
        std::set<std::uint64_t> tickets;
        std::size_t lost = 0;
        double stamp = 0;
        for (int k = 0; k < 20000 && !t.over(); ++k) {
            const std::uint64_t what = tk::random::uniform_index(10, dice);
            if (what < 4) {
                const std::size_t n = 1 + tk::random::uniform_index(9, dice);
                const auto jobs = t.ask(n);
                CHECK(jobs.size() <= n);
                for (const auto& j : jobs) {
                    CHECK(j.candidate < space.size());
                    CHECK(answered.count(j.candidate) == 0);
                    CHECK(tickets.insert(static_cast<std::uint64_t>(j.ticket)).second);
                    for (const auto& other : out) CHECK(other.candidate != j.candidate);
                    out.push_back(j);
                }
            } else if (!out.empty()) {
                const std::size_t i = tk::random::uniform_index(out.size(), dice);
                const tk::job j = out[i];
                out.erase(out.begin() + static_cast<std::ptrdiff_t>(i));
                if (what == 9) {
                    const std::size_t before = t.record().trials().size();
                    t.drop(j);
                    if (t.record().trials().size() > before) {
                        answered.insert(j.candidate);
                        ++lost;
                        CHECK(t.record().trials().back().measured.failed->kind == tk::measure::failure_kind::lost);
                    }
                } else {
                    auto m = of(j.candidate);
                    if (what == 8) m.failed = tk::measure::failure{.kind = tk::measure::failure_kind::crash};
                    if (what == 7) m.at_least = true;
                    t.tell(j, m, stamp += 0.25);
                    answered.insert(j.candidate);
                }
            }
            CHECK(t.outstanding() == out.size());
        }
        CHECK(t.over());
        CHECK(t.stopped() == tk::stop_reason::exhausted);
        CHECK(answered.size() == 144);
        CHECK(t.record().trials().size() == 144);
        CHECK(lost > 0);
        CHECK(t.record().seconds() == stamp);
    };
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        survives(tk::search::random{}, seed);
        survives(tk::search::grid{}, seed);
        survives(tk::search::annealing{}, seed);
        survives(tk::search::hill_climb{}, seed);
        survives(tk::search::genetic{.population = 16}, seed);
    }
}

TEST_CASE("what is dropped goes out first, under a new ticket and with limits of that moment; lost twice is a failure")
{
    tk::tuner t(grid_space({9}), tk::recipe{tk::search::grid{}, tk::measure::fixed{}, {.abandon_factor = 2}},
                {.trials = 4}, philox(1));
    const auto first = t.ask(3);
    REQUIRE(candidates(first) == std::vector<tk::index>{0, 1, 2});
    CHECK(std::isinf(first[1].limits.abandon_above));
    t.tell(first[0], costs(3));
    t.drop(first[1]);
    CHECK(t.outstanding() == 1);
    const auto again = t.ask(3);
    REQUIRE(candidates(again) == std::vector<tk::index>{1});
    CHECK(again[0].ticket != first[1].ticket);
    CHECK(again[0].limits.abandon_above == 6);
    CHECK(candidates(t.ask(3)) == std::vector<tk::index>{3});  // the fourth trial; the dropped one counts
    CHECK(t.ask(3).empty());
    t.drop(again[0]);
    REQUIRE(t.record().trials().size() == 2);
    CHECK(t.record().trials()[1].candidate == 1);
    REQUIRE(t.record().trials()[1].measured.failed);
    CHECK(t.record().trials()[1].measured.failed->kind == tk::measure::failure_kind::lost);
    CHECK(t.record().failed() == 1);
}

TEST_CASE("what is recalled goes out first, and bears no mark: only its second drop is a failure")
{
    tk::tuner t(grid_space({9}), tk::search::grid{}, {.trials = 4}, philox(1));
    auto j = *t.ask();
    const auto recalled = [&] {
        t.recall(j);
        CHECK(t.outstanding() == 0);
        j = *t.ask();
        CHECK(j.candidate == 0);
        CHECK(t.record().trials().empty());
    };
    for (int k = 0; k < 20; ++k) recalled();
    t.drop(j);
    j = *t.ask();
    for (int k = 0; k < 20; ++k) recalled();  // which does not wash the loss away
    t.drop(j);
    REQUIRE(t.record().trials().size() == 1);
    CHECK(t.record().trials()[0].measured.failed->kind == tk::measure::failure_kind::lost);
    CHECK(t.ask()->candidate == 1);
    CHECK_THROWS_AS(t.recall(j), tk::error);
}

TEST_CASE("times that are none and failures of no kind are refused, and change nothing")
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    tk::tuner t(grid_space({9}), tk::search::grid{}, {.trials = 4}, philox(1));
    const auto j = *t.ask();
    auto forever = costs(1);
    forever.run_seconds = infinity;
    CHECK_THROWS_WITH_AS(t.tell(j, forever), doctest::Contains("a stamp is not a finite number"), tk::error);
    for (const double stamp : {infinity, -infinity, std::nan("")}) {
        CHECK_THROWS_AS(t.tell(j, costs(1), stamp), tk::error);
        CHECK_THROWS_AS(t.time(stamp), tk::error);
    }
    auto odd = costs(1);
    odd.failed = tk::measure::failure{static_cast<tk::measure::failure_kind>(200), 0, ""};
    CHECK_THROWS_WITH_AS(t.tell(j, odd), "tunekit: tuner: a failure is of kind 200; want one of failure_kind",
                         tk::error);
    CHECK(t.outstanding() == 1);
    CHECK(t.stamp() == 0);
    t.tell(j, costs(1));
    CHECK(t.record().best_cost() == 1);
}

TEST_CASE("a late answer counts while its configuration has no other, and is counted where it has")
{
    const auto lost_one = [] {
        tk::tuner t(grid_space({9}), tk::search::grid{}, {.trials = 9}, philox(1));
        const auto j = *t.ask();
        t.drop(j);
        return std::pair{t, j};
    };
    SUBCASE("before it went out again")
    {
        auto [t, j] = lost_one();
        t.tell(j, costs(2));
        CHECK(t.record().best_cost() == 2);
        CHECK(t.ask()->candidate == 1);
        CHECK(t.late() == 0);
    }
    SUBCASE("while it is out again: the other answer is ignored")
    {
        auto [t, j] = lost_one();
        const auto other = *t.ask();
        REQUIRE(other.candidate == 0);
        t.tell(j, costs(2));
        CHECK(t.outstanding() == 0);
        t.tell(other, costs(1));
        CHECK(t.record().trials().size() == 1);
        CHECK(t.record().best_cost() == 2);
        CHECK(t.late() == 1);
    }
    SUBCASE("after the other answer")
    {
        auto [t, j] = lost_one();
        t.tell(*t.ask(), costs(1));
        t.tell(j, costs(2));
        CHECK(t.record().trials().size() == 1);
        CHECK(t.record().best_cost() == 1);
        CHECK(t.late() == 1);
    }
    SUBCASE("after the second loss")
    {
        auto [t, j] = lost_one();
        const auto other = *t.ask();
        t.drop(other);
        t.tell(other, costs(1));
        t.tell(j, costs(1));
        CHECK(t.record().trials().size() == 1);
        CHECK(t.record().failed() == 1);
        CHECK(t.late() == 2);
    }
}

TEST_CASE("begin_with goes out first; what the strategy proposes meanwhile is not sent again, and later is its fault")
{
    tk::tuner t(grid_space({9}), scripted{{{4, 5}, {6}}}, {.trials = 9}, philox(1));
    t.begin_with({5, 2});
    CHECK(t.ask()->candidate == 5);
    CHECK(t.ask()->candidate == 2);
    CHECK(candidates(t.ask(8)) == std::vector<tk::index>{4});
    CHECK(t.proposals() == 1);
    CHECK(t.outstanding() == 3);
    CHECK_THROWS_AS(t.begin_with({9}), std::invalid_argument);

    tk::tuner u(grid_space({9}), scripted{{{5}, {2}, {6}, {2}}}, {.trials = 9}, philox(1));
    u.begin_with({5, 2});
    const auto jobs = u.ask(2);
    u.tell(jobs[1], costs(1));
    CHECK(u.ask()->candidate == 6);  // 5 is out and 2 is answered: neither is a job
    CHECK(u.proposals() == 3);
    CHECK_THROWS_WITH_AS((void)u.ask(),
                         "tunekit: tuner: the strategy proposed configuration 2 twice; want each at most once in a run",
                         tk::error);
}

TEST_CASE("time is what tells say it is, and never goes back")
{
    tk::tuner t(grid_space({100}), tk::search::grid{}, {.seconds = 2}, philox(1));
    const auto jobs = t.ask(8);
    t.tell(jobs[0], {.cost = 1, .build_seconds = 0.25, .run_seconds = 0.5});
    CHECK(t.stamp() == 0.75);
    t.tell(jobs[1], costs(1), 0.5);
    CHECK(t.record().curve()[1].seconds == 0.75);
    t.time(2.5);
    CHECK(t.record().seconds() == 2.5);
    CHECK(t.ask(1).empty());
    CHECK(t.stopped() == tk::stop_reason::seconds);
    CHECK_FALSE(t.over());
    for (std::size_t i = 2; i < 8; ++i) t.tell(jobs[i], costs(i == 5 ? 0.5 : 1), 3);
    CHECK(t.over());
    CHECK(t.record().best_cost() == 0.5);  // what was out is recorded, and may be the incumbent
    CHECK(t.record().stopped() == tk::stop_reason::seconds);
}

TEST_CASE("a bare strategy is asked for eight at a time, a recipe for as many as it says, which is one")
{
    const grid_space space({100});
    CHECK(tk::tuner(space, tk::search::random{}, {}, philox(1)).ahead() == 8);
    CHECK(tk::tuner(space, tk::recipe{tk::search::random{}}, {}, philox(1)).ahead() == 8);
    tk::recipe three{tk::search::random{}};
    three.ahead = 3;
    CHECK(tk::tuner(space, three, {}, philox(1)).ahead() == 3);
}

TEST_CASE("a stopped run stays stopped, and a copy of a run is a fork of it")
{
    tk::tuner t(grid_space({100}), tk::search::random{}, {.trials = 50, .patience = 3}, philox(1));
    for (int k = 0; k < 2; ++k) t.tell(*t.ask(), costs(1 + k));
    auto fork = t;
    for (int k = 0; k < 2; ++k) {
        const auto a = *t.ask();
        const auto b = *fork.ask();
        CHECK(a == b);
        t.tell(a, costs(9));
        fork.tell(b, costs(0.5));
    }
    CHECK_FALSE(t.ask());
    CHECK(t.stopped() == tk::stop_reason::patience);
    fork.stop();
    CHECK_FALSE(fork.ask());
    CHECK(fork.stopped() == tk::stop_reason::asked);
    CHECK(fork.over());
}

TEST_CASE("what breaks the contract of a tuner is one error that names it")
{
    const grid_space space({9});
    const auto asked = [&](std::vector<tk::index> proposal) {
        tk::tuner t(space, scripted{{{0}, std::move(proposal)}}, {}, philox(1));
        (void)t.ask(2);
        (void)t.ask(2);
    };
    CHECK_THROWS_WITH_AS(
        asked({1, 2, 3}),
        "tunekit: tuner: the strategy proposed 3 configurations where it was asked for 2; want at most that many",
        tk::error);
    CHECK_THROWS_WITH_AS(asked({9}), "tunekit: tuner: the strategy proposed configuration 9, outside the space of 9",
                         tk::error);
    CHECK_THROWS_WITH_AS(asked({1, 1}),
                         "tunekit: tuner: the strategy proposed configuration 1 twice; want each at most once in a run",
                         tk::error);
    CHECK_THROWS_WITH_AS(asked({0}),
                         "tunekit: tuner: the strategy proposed configuration 0 twice; want each at most once in a run",
                         tk::error);

    tk::tuner t(space, tk::search::grid{}, {}, philox(1));
    const auto j = *t.ask();
    auto wrong = j;
    wrong.candidate = 5;
    CHECK_THROWS_WITH_AS(
        t.tell(wrong, costs(1)),
        "tunekit: tuner: ticket 0 went out with configuration 0, not 5; tell the job that ask returned", tk::error);
    CHECK_THROWS_WITH_AS(t.tell({.ticket = tk::ticket{7}}, costs(1)),
                         "tunekit: tuner: ticket 7 was never given out; tell what ask returned", tk::error);
    CHECK_THROWS_WITH_AS(t.tell(j, costs(1), std::nan("")),
                         "tunekit: tuner: a stamp is not a finite number; want seconds since the run began", tk::error);
    t.tell(j, costs(1));
    CHECK_THROWS_WITH_AS(t.tell(j, costs(1)), "tunekit: tuner: ticket 0 was answered already; tell each job once",
                         tk::error);
    CHECK_THROWS_WITH_AS(t.drop(j), "tunekit: tuner: ticket 0 was answered already; drop what is out", tk::error);
    const auto k = *t.ask();
    t.drop(k);
    CHECK_THROWS_WITH_AS(t.drop(k), "tunekit: tuner: ticket 1 was dropped already; drop what is out", tk::error);

    CHECK_THROWS_WITH_AS(tk::tuner(space, tk::search::grid{}, {.patience = 0}, philox(1)),
                         "tunekit: budget: patience is 0, want >= 1 (unlimited: never)", std::invalid_argument);
    auto none = tk::recipe{tk::search::grid{}};
    none.ahead = 0;
    CHECK_THROWS_WITH_AS(tk::tuner(space, none, {}, philox(1)), "tunekit: recipe: ahead is 0, want >= 1",
                         std::invalid_argument);
    none = tk::recipe{tk::search::grid{}};
    none.limits.abandon_factor = 1;
    CHECK_THROWS_AS(tk::tuner(space, none, {}, philox(1)), std::invalid_argument);
}

TEST_CASE("nothing to spend and nowhere to search are runs that are over")
{
    tk::tuner none(grid_space({9}), tk::search::grid{}, {.trials = 0}, philox(1));
    CHECK(none.over());
    CHECK(none.stopped() == tk::stop_reason::trials);
    tk::tuner empty(grid_space({3}, [](auto) { return false; }), tk::search::random{}, {.trials = 9}, philox(1));
    CHECK_FALSE(empty.ask());
    CHECK(empty.over());
    CHECK(empty.stopped() == tk::stop_reason::exhausted);
}

TEST_CASE("another budget takes up what the old one stopped, and nothing else; a record names its workers")
{
    const grid_space space({9, 9});
    tk::tuner t(space, tk::search::grid{}, {.trials = 3}, philox(1));
    while (const auto j = t.ask()) t.tell(*j, of(j->candidate), t.stamp() + 1, 4);
    CHECK(t.stopped() == tk::stop_reason::trials);
    CHECK(t.record().trials().back().worker == 4);
    t.set_limit({.trials = 3, .seconds = 10});
    CHECK(t.stopped() == tk::stop_reason::trials);  // what stopped it is as it was
    t.set_limit({.trials = 20, .seconds = 10});
    CHECK(t.stopped() == tk::stop_reason::running);
    while (const auto j = t.ask()) t.tell(*j, of(j->candidate), t.stamp() + 1);
    CHECK(t.stopped() == tk::stop_reason::seconds);
    CHECK(t.record().trials().size() == 10);
    t.set_limit({.trials = 20, .seconds = 10, .patience = 7});
    CHECK(t.stopped() == tk::stop_reason::seconds);
    t.set_limit({.trials = 20, .seconds = 9});
    CHECK(t.stopped() == tk::stop_reason::seconds);  // decided again, and the same
    t.set_limit({.trials = 12, .seconds = 90});
    while (const auto j = t.ask()) t.tell(*j, of(j->candidate));
    CHECK(t.record().trials().size() == 12);
    CHECK(t.limit().seconds == 90);
    t.set_limit({});
    t.stop();
    t.set_limit({.trials = 50});
    CHECK(t.stopped() == tk::stop_reason::asked);
    CHECK_THROWS_AS(t.set_limit({.seconds = -1}), std::invalid_argument);
}

TEST_CASE("a run ends with the first incumbent that is as good as was asked, and goes on where more is asked")
{
    tk::tuner t(grid_space({60}), tk::search::grid{}, {.until_cost = 50}, philox(1));
    const auto drive = [&t] {
        while (const auto j = t.ask()) {
            tk::measure::measurement m{.cost = 60.0 - static_cast<double>(j->candidate)};
            if (j->candidate == 5) m = {.cost = 1, .failed = tk::measure::failure{}};
            t.tell(*j, m);
        }
    };
    drive();
    CHECK(t.stopped() == tk::stop_reason::cost);
    CHECK(tk::to_text(t.stopped()) == "the cost that was asked for is reached");
    CHECK(t.record().incumbent().candidate == 10);  // 50 itself is enough, and what failed costs nothing
    CHECK(t.record().trials().size() == 11);
    t.set_limit({.until_cost = 50});
    CHECK(t.stopped() == tk::stop_reason::cost);
    t.set_limit({.until_cost = 33});
    drive();
    CHECK(t.record().trials().size() == 28);
    t.set_limit({});
    drive();
    CHECK(t.stopped() == tk::stop_reason::exhausted);
    CHECK(t.record().trials().size() == 60);

    tk::tuner known(grid_space({60}), tk::search::grid{}, {.until_cost = 1}, philox(1));
    known.know(3, {.cost = 1});
    CHECK(!known.ask());  // what is known is an incumbent
    CHECK(known.stopped() == tk::stop_reason::cost);
    CHECK_THROWS_WITH_AS(t.set_limit({.until_cost = std::nan("")}),
                         "tunekit: budget: until_cost is negative or NaN, want a cost (0: never)",
                         std::invalid_argument);
}
