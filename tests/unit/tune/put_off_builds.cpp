// SPDX-License-Identifier: MIT
// Builds that take too long beside the others: ended, told to nobody, and built once more at the end.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/schedule/round_robin.hpp"
#include "tunekit/tune/detail/doubts.hpp"
#include "tunekit/tune/tune.hpp"
#include "tunekit/tune/tune_tasks.hpp"

namespace tk = tunekit;
using support::grid_space;
using tk::measure::failure_kind;

namespace {

grid_space line(std::size_t n) { return grid_space(std::vector<std::uint16_t>{static_cast<std::uint16_t>(n)}); }

/// Configuration i builds in `builds[i]` made-up seconds, or runs into its limit. None takes any time.
struct shop {
    std::vector<double> builds;
    bool times = true;
    std::vector<std::pair<tk::index, double>> asked{};  // the configurations with their limits

    [[nodiscard]] bool measures_time() const { return times; }
    tk::measure::measurement one(tk::index i, const tk::measure::limits& l)
    {
        asked.emplace_back(i, l.build_seconds);
        const double build = builds[static_cast<std::size_t>(i)];
        tk::measure::measurement m{.cost = 1 + static_cast<double>(i), .runs = 1, .build_seconds = build};
        if (build > l.build_seconds) m.failed = tk::measure::failure{failure_kind::build_timeout, 0, "still compiling"};
        return m;
    }
    std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits& l)
    {
        std::vector<tk::measure::measurement> out;
        for (const tk::index i : batch) out.push_back(one(i, l));
        return out;
    }
};

/// The same as a pool of two.
struct two_shops {
    shop* at;
    std::vector<tk::job> out{};
    double time = 0;

    [[nodiscard]] bool measures_time() const { return true; }
    [[nodiscard]] std::size_t workers() const { return 2; }
    [[nodiscard]] std::size_t room() const { return 2 - out.size(); }
    [[nodiscard]] double now() const { return time; }
    void submit(const tk::job& j) { out.push_back(j); }
    std::vector<tk::answer> collect(double)
    {
        const tk::job j = out.front();
        out.erase(out.begin());
        time += 1;
        return {{.ticket = j.ticket, .measured = at->one(j.candidate, j.limits)}};
    }
};

/// Proposes 0, 1, 2, ... and counts the failures of which it hears.
struct in_order {
    int* failures;
    struct state {
        tk::index next = 0;
    };
    template <class Space>
    state start(const Space&) const
    {
        return {};
    }
    template <class Space, class G>
    std::vector<tk::index> propose(state& s, const Space& space, std::size_t n, G&) const
    {
        std::vector<tk::index> out;
        while (out.size() < n && s.next < space.size()) out.push_back(s.next++);
        return out;
    }
    template <class Space, class G>
    void observe(state&, const Space&, std::span<const tk::index>, std::span<const tk::measure::measurement> of,
                 G&) const
    {
        for (const auto& m : of) *failures += m.failed ? 1 : 0;
    }
};

/// Twenty configurations that build in 0.1 s, of which the 13th takes 5.
shop with_a_slow_one()
{
    shop out{std::vector<double>(20, 0.1)};
    out.builds[12] = 5;
    return out;
}

tk::recipe<in_order> how(int& failures, std::size_t ahead = 1) { return {in_order{&failures}, {}, {}, ahead}; }

}  // namespace

TEST_CASE("the limit is a factor times the 90 % quantile, from the tenth build on, and 0.3 s at least")
{
    tk::detail::build_times t(5);
    for (int i = 1; i < 10; ++i) {
        t.hear(i);
        CHECK(t.limit() == tk::forever);
    }
    t.hear(0.5);
    CHECK(t.limit() == 5 * 8);  // nine of ten took 8 s or less
    for (int i = 0; i < 90; ++i) t.hear(0.01);
    CHECK(t.limit() == 0.3);
    tk::detail::build_times never(tk::forever);
    for (int i = 0; i < 20; ++i) never.hear(1);
    CHECK(never.limit() == tk::forever);
}

TEST_CASE("a build that takes too long is told to nobody, and measured at the end with the limit of the run")
{
    shop m = with_a_slow_one();
    int failures = 0;
    tk::random::philox gen(1);
    const auto found = tk::tune(line(20), m, how(failures), {}, gen, {.checks = false});
    CHECK(failures == 0);
    CHECK(found.failed() == 0);
    CHECK(found.trials().size() == 20);
    CHECK(found.trials().back().candidate == 12);
    CHECK(found.trials().back().measured.cost == 13);
    CHECK(found.checks().put_off == 1);
    REQUIRE(m.asked.size() == 21);
    for (std::size_t k = 0; k < 20; ++k) CHECK(m.asked[k] == std::pair<tk::index, double>(k, k < 10 ? 10 : 0.5));
    CHECK(m.asked[20] == std::pair<tk::index, double>(12, 10));
    CHECK(found.stopped() == tk::stop_reason::exhausted);
}

TEST_CASE("with a budget of trials it is one of them, and of a batch the builds may have been one")
{
    shop m = with_a_slow_one();
    int failures = 0;
    tk::random::philox gen(1);
    CHECK(tk::tune(line(20), m, how(failures), {.trials = 15}, gen, {.checks = false}).trials().back().candidate == 12);
    CHECK(m.asked.size() == 16);
    // Eight that say 0.1 s each may have taken 0.8 s together, so the limit is 4 s.
    shop batches{std::vector<double>(20, 0.1)};
    batches.builds[17] = 5;
    const auto found = tk::tune(line(20), batches, how(failures, 8), {}, gen, {.checks = false});
    CHECK(batches.asked.back() == std::pair<tk::index, double>(17, 10));
    CHECK(batches.asked[19].second == doctest::Approx(4));
    CHECK(found.checks().put_off == 1);
    CHECK(failures == 0);
}

TEST_CASE("one that takes too long for the run's own limit is a failure then, and once")
{
    shop m = with_a_slow_one();
    m.builds[12] = 11;
    m.builds[3] = 12;  // before there is a limit: at once
    int failures = 0;
    tk::random::philox gen(1);
    const auto found = tk::tune(line(20), m, how(failures), {}, gen, {.checks = false});
    CHECK(failures == 2);
    CHECK(found.checks().put_off == 1);
    CHECK(found.trials()[3].measured.failed.has_value());
    CHECK(found.trials().back().candidate == 12);
    CHECK(found.trials().back().measured.failed->kind == failure_kind::build_timeout);
    CHECK(m.asked.size() == 21);
}

TEST_CASE("a run that is ended does not build it again, and knows nothing of it")
{
    shop m = with_a_slow_one();
    int failures = 0;
    tk::random::philox gen(1);
    tk::tuner t(line(20), how(failures), {}, gen);
    tk::tune(t, m, {.watch = [](const tk::tuning& r) { return r.trials().size() == 15; }, .checks = false});
    CHECK(t.record().trials().size() == 15);
    CHECK(t.record().checks().put_off == 1);
    CHECK(t.record().failed() == 0);
    CHECK(t.outstanding() == 0);
    CHECK(m.asked.size() == 16);
}

TEST_CASE("there is no limit under a clock of its own, for costs that are no times, and where it is switched off")
{
    int failures = 0;
    tk::random::philox gen(1);
    const auto all_had_ten = [](const shop& m) {
        return std::all_of(m.asked.begin(), m.asked.end(), [](const auto& a) { return a.second == 10; });
    };
    shop clock = with_a_slow_one(), size = with_a_slow_one(), off = with_a_slow_one();
    (void)tk::tune(line(20), clock, how(failures), {}, gen, {.clock = [] { return 0.0; }, .checks = false});
    size.times = false;
    (void)tk::tune(line(20), size, how(failures), {}, gen, {.checks = false});
    auto never = how(failures);
    never.limits.max_build_factor = tk::forever;
    CHECK(tk::tune(line(20), off, never, {}, gen, {.checks = false}).checks().put_off == 0);
    for (const shop* m : {&clock, &size, &off}) {
        CHECK(m->asked.size() == 20);
        CHECK(all_had_ten(*m));
    }
    CHECK(failures == 0);
    never.limits.max_build_factor = 1;
    CHECK_THROWS_AS((void)tk::tune(line(20), off, never, {}, gen), std::invalid_argument);
}

TEST_CASE("a pool puts off as a measurer does, and so do the tasks of a run, each by its own builds")
{
    shop m = with_a_slow_one();
    int failures = 0;
    tk::random::philox gen(1);
    two_shops pool{&m};
    const auto found = tk::tune(line(20), pool, how(failures), {}, gen, {.checks = false});
    CHECK(failures == 0);
    CHECK(found.trials().size() == 20);
    CHECK(found.trials().back().candidate == 12);
    CHECK(found.checks().put_off == 1);

    // The second task builds for seconds, as all of its do.
    shop quick = with_a_slow_one(), slow{std::vector<double>(20, 5)};
    struct lent {
        shop* to;
        [[nodiscard]] bool measures_time() const { return true; }
        std::vector<tk::measure::measurement> measure(std::span<const tk::index> b, const tk::measure::limits& l)
        {
            return to->measure(b, l);
        }
    };
    auto tasks = tk::tasks(tk::task("quick", line(20), lent{&quick}, 1), tk::task("slow", line(20), lent{&slow}, 1));
    const auto plan =
        tk::tune_tasks(tasks, how(failures), tk::schedule::round_robin{}, {.slot_seconds = 1}, gen, {.checks = false});
    CHECK(failures == 0);
    CHECK(plan.tasks[0].record.checks().put_off == 1);
    CHECK(plan.tasks[1].record.checks().put_off == 0);
    for (const auto& t : plan.tasks) CHECK(t.record.trials().size() == 20);
    CHECK(plan.tasks[0].record.trials().back().candidate == 12);
}

TEST_CASE("a run whose results are watched as well puts off the same")
{
    shop m = with_a_slow_one();
    int failures = 0;
    tk::random::philox gen(1);
    const auto found = tk::tune(line(20), m, how(failures), {}, gen);
    CHECK(failures == 0);
    CHECK(found.checks().on);
    CHECK(found.checks().put_off == 1);
    CHECK(found.trials().size() == 20);
    const auto slow =
        std::find_if(found.trials().begin(), found.trials().end(), [](const auto& t) { return t.candidate == 12; });
    CHECK(slow->measured.ok());
    CHECK(std::count_if(m.asked.begin(), m.asked.end(), [](const auto& a) { return a.first == 12; }) == 2);
}
