// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/function.hpp"
#include "tunekit/measure/in_process.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/schedule/round_robin.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/detail/doubts.hpp"
#include "tunekit/tune/tune.hpp"
#include "tunekit/tune/tune_tasks.hpp"

namespace tk = tunekit;
using support::grid_space;
using philox = tk::random::philox;

namespace {

constexpr double forever = std::numeric_limits<double>::infinity();

/// Seconds of each configuration on a virtual clock. In the stretches of `slow` everything takes twice as long.
struct machine {
    std::vector<double> costs;
    std::vector<std::pair<double, double>> slow{};
    bool times = true, repeats = false;
    double now = 0;
    std::vector<tk::index> measured{}, looked{};
    std::function<void(tk::index)> before{};

    [[nodiscard]] bool measures_time() const { return times; }
    [[nodiscard]] double seconds(tk::index i, double at) const
    {
        const bool disturbed =
            std::any_of(slow.begin(), slow.end(), [at](const auto& w) { return w.first <= at && at < w.second; });
        return costs[static_cast<std::size_t>(i)] * (disturbed ? 2 : 1);
    }
    tk::measure::measurement one(tk::index i, const tk::measure::limits& l)
    {
        (l.only_looks() ? looked : measured).push_back(i);
        if (before) before(i);
        const double t = seconds(i, now);
        now += t;
        return {.cost = t, .runs = 2, .at_least = t > l.abandon_above, .batches = {t, repeats ? t : 1.01 * t}};
    }
    std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits& l)
    {
        std::vector<tk::measure::measurement> out;
        for (const tk::index i : batch) out.push_back(one(i, l));
        return out;
    }
};

/// Proposes 0, 1, 2, ... and remembers what it heard.
struct in_order {
    std::function<void(double)> hear{};  // not a pointer: g++ 12 at -O1 forgets what is written through it
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
        for (const auto& m : of)
            if (hear) hear(m.cost);
    }
};

/// One that expects something of each configuration.
struct expecting : in_order {
    std::vector<tk::stats::prediction> of;
    template <class Space>
    std::optional<tk::stats::prediction> expected(const state&, const Space&, tk::index i) const
    {
        return of[static_cast<std::size_t>(i)];
    }
};

grid_space line(std::size_t n) { return grid_space(std::vector<std::uint16_t>{static_cast<std::uint16_t>(n)}); }

template <class Strategy>
tk::recipe<Strategy> one_at_a_time(Strategy s)
{
    return {s, {}, {.abandon_factor = 1.05}, 1};
}

template <class Strategy>
tk::tuned<grid_space> run(machine& m, const Strategy& s, std::optional<bool> checks = {}, tk::budget limit = {})
{
    philox gen(1);
    return tk::tune(line(m.costs.size()), m, one_at_a_time(s), limit, gen,
                    {.clock = [&m] { return m.now; }, .checks = checks});
}

/// The fourth is the best; it is measured while the machine is disturbed.
machine disturbed_at_the_best() { return {.costs = {1, 0.9, 0.8, 0.5, 0.7}, .slow = {{2.5, 3.9}}}; }

/// Workers that measure at the same time, on one machine.
struct crew {
    struct busy {
        double until;
        tk::answer of;
    };
    machine* on;
    std::vector<std::optional<busy>> at;  // by worker
    bool loses_looks = false;
    double time = 0;

    [[nodiscard]] bool measures_time() const { return true; }
    [[nodiscard]] std::size_t workers() const { return at.size(); }
    [[nodiscard]] std::size_t room() const
    {
        return static_cast<std::size_t>(std::count_if(at.begin(), at.end(), [](const auto& b) { return !b; }));
    }
    [[nodiscard]] double now() const { return time; }
    void submit(const tk::job& j)
    {
        const auto free = std::find_if(at.begin(), at.end(), [](const auto& b) { return !b; });
        on->now = time;
        tk::answer a{.ticket = j.ticket, .measured = on->one(j.candidate, j.limits)};
        if (loses_looks && j.limits.only_looks()) a.measured.reset();
        a.worker = static_cast<std::size_t>(free - at.begin());
        a.ran_s = on->now - time;
        *free = busy{on->now, std::move(a)};
    }
    [[nodiscard]] std::vector<tk::answer> collect(double)
    {
        std::optional<busy>* first = nullptr;
        for (auto& b : at)
            if (b && (first == nullptr || b->until < (*first)->until)) first = &b;
        if (first == nullptr) return {};
        time = (*first)->until;
        std::vector<tk::answer> out{std::move((*first)->of)};
        first->reset();
        return out;
    }
};
static_assert(tk::pool<crew>);

}  // namespace

TEST_CASE("a result that a disturbance lengthened is measured again, and only then told")
{
    machine m = disturbed_at_the_best();
    std::vector<double> heard;
    const auto found = run(m, in_order{[&](double cost) { heard.push_back(cost); }});
    CHECK(found.incumbent().candidate == 3);
    CHECK(heard == std::vector<double>{1, 0.9, 0.8, 0.5, 0.7});
    CHECK(m.measured == std::vector<tk::index>{0, 1, 2, 3, 3, 4});
    // 3 took 1 s, from 2.7 s on. The look took 1.6 s; the wait ended with the next one, after 0.8 s; 0.5 s for 3 again.
    // Then 4 is no winner: a look of 0.5 s finds the machine quiet.
    CHECK(m.looked == std::vector<tk::index>{2, 2, 3});
    const tk::machine_checks& seen = found.checks();
    CHECK(seen.on);
    CHECK(seen.made == 2);
    CHECK(seen.disturbed == 1);
    CHECK(seen.unsettled == 0);
    CHECK(seen.measured_again == 1);
    CHECK(seen.waited_seconds == doctest::Approx(1.6 + 0.8));
    CHECK(seen.seconds == doctest::Approx(1.6 + 0.8 + 0.5 + 0.5));
    CHECK(found.seconds() == doctest::Approx(m.now));
}

TEST_CASE("checks can be switched off, and are off where costs are no times")
{
    for (const auto& [times, checks, on] :
         {std::tuple(true, std::optional(false), false), std::tuple(false, std::optional<bool>(), false),
          std::tuple(false, std::optional(true), true)}) {
        machine m = disturbed_at_the_best();
        m.times = times;
        const auto found = run(m, in_order{}, checks);
        CHECK(found.checks().on == on);
        CHECK(found.incumbent().candidate == (on ? 3 : 2));  // 4 began in the disturbance, too
        CHECK(m.looked.empty() == !on);
    }
    const tk::space::product space{tk::space::integers<"x">(0, 3)};
    const auto f = [](const auto& p) { return 1.0 + tk::get<"x">(p); };
    CHECK_FALSE(tk::measure::measures_time(tk::measure::function{space, f}));
    CHECK(tk::measure::measures_time(tk::measure::in_process(space, tk::measure::timed{f})));
}

TEST_CASE("who measures elsewhere gets the same check jobs among his own, and in the end all is told")
{
    for (const double end : {3.9, forever}) {
        machine m = disturbed_at_the_best();
        m.slow = {{2.5, end}};
        machine by_loop = m;
        philox gen(1);
        tk::tuner t(line(5), one_at_a_time(in_order{}), {}, gen);
        tk::detail::doubts doubted =
            tk::detail::doubts_of(t, [](std::size_t) { return true; }, [](std::size_t) { return false; });
        std::size_t told = 0;
        tk::detail::checked_run watched(t, doubted, [&](const tk::job&) { ++told; });
        while (true) {
            const auto jobs = watched.ask_until_the_end([&] { return t.ask(1); });
            if (jobs.empty()) break;
            const double before = m.now;
            auto measured = m.one(jobs[0].candidate, jobs[0].limits);
            watched.hear(jobs[0], std::move(measured), m.now, m.now - before, 0);
        }
        CHECK(t.over());
        CHECK(told == 5);
        const auto found = run(by_loop, in_order{});
        CHECK(t.record().trials() == found.trials());
        CHECK(t.record().checks() == found.checks());
        CHECK(found.checks().disturbed == 1);
        CHECK(m.looked == by_loop.looked);
    }
}

TEST_CASE("where costs repeat to the last bit nothing is measured again")
{
    machine m = disturbed_at_the_best();
    m.repeats = true;
    const auto found = run(m, in_order{});
    CHECK(m.looked.empty());
    CHECK(found.checks().on);
    CHECK(found.checks().made == 0);
}

TEST_CASE("a strategy that expects something doubts what surprises it of a candidate that could have won")
{
    const double sd = 0.1;
    // After 0 costs 1 and 1 costs 0.9: 2 is as slow as expected; 3 could not have won; 4 surprises and could have won.
    machine m{.costs = {1, 0.9, 1.2, 2, 1.3}};
    const std::vector<double> means{0, 0, std::log(1.2), std::log(1.5), std::log(1.1)};
    expecting s;
    for (const double mean : means) s.of.push_back({mean, sd});
    const auto found = run(m, s);
    CHECK(m.looked == std::vector<tk::index>{1});
    CHECK(found.checks().made == 1);
    CHECK(found.checks().disturbed == 0);
    CHECK(found.checks().measured_again == 0);
}

TEST_CASE("what was not expected to win is told at once, on a disturbed machine, too")
{
    machine m{.costs = {1, 0.9, 0.8, 2, 0.85}, .slow = {{1.85, forever}}};
    expecting s;
    for (const double mean : {0.0, 0.0, std::log(0.8), std::log(2.0), std::log(0.8)}) s.of.push_back({mean, 0.1});
    std::vector<double> heard;
    s.hear = [&](double cost) { heard.push_back(cost); };
    const auto found = run(m, s);
    CHECK(heard == std::vector<double>{1, 0.9, 4, 1.6, 1.7});  // 2 and 4 were held until the end
    CHECK(found.checks().disturbed == 1);
    CHECK(found.incumbent().candidate == 1);
}

TEST_CASE("the fastest that came while a disturbance outlasted the wait are measured again once it is over")
{
    machine m{.costs = std::vector<double>(20, 0.9), .slow = {{2.5, 38}}};
    m.costs[0] = 1, m.costs[2] = 0.8, m.costs[3] = 0.5;
    std::vector<double> heard;
    const auto found = run(m, in_order{[&](double cost) { heard.push_back(cost); }});
    CHECK(found.incumbent().candidate == 3);
    CHECK(found.checks().disturbed == 1);
    CHECK(found.checks().unsettled == 1);
    CHECK(found.checks().measured_again == tk::detail::doubts::most_held);
    CHECK(found.checks().waited_seconds <= 0.2 * found.seconds() + 2 * 1.6);
    CHECK(found.trials().size() == 20);
    CHECK(std::count(heard.begin(), heard.end(), 1.8) >= 1);  // of others the disturbed cost was told
}

TEST_CASE("on a machine that stays disturbed the run goes on, with few results held back and few waits")
{
    machine m{.costs = std::vector<double>(80, 0.9), .slow = {{2.5, forever}}};
    m.costs[0] = 1, m.costs[2] = 0.8;
    philox gen(1);
    tk::tuner t(line(m.costs.size()), one_at_a_time(in_order{}), {}, gen);
    m.before = [&](tk::index i) {
        if (m.measured.size() > 3 && i == m.measured.back())
            CHECK(t.outstanding() <= tk::detail::doubts::most_held + 1);
    };
    tk::tune(t, m, {.clock = [&m] { return m.now; }});
    CHECK(t.record().trials().size() == 80);
    CHECK(t.record().incumbent().candidate == 2);
    const tk::machine_checks& seen = t.record().checks();
    CHECK(seen.disturbed == 1);
    CHECK(seen.unsettled == 1);
    CHECK(seen.measured_again == 0);
    CHECK(seen.waited_seconds > 0);
    CHECK(seen.waited_seconds <= 0.2 * t.record().seconds() + 2 * 1.6);  // looks that began in time may end later
}

TEST_CASE("a clock that stands still is not waited for")
{
    machine m = disturbed_at_the_best();
    philox gen(1);
    double at = 100;
    m.before = [&](tk::index) { at = m.looked.empty() ? at + 1 : at; };
    const auto found = tk::tune(line(5), m, one_at_a_time(in_order{}), {}, gen, {.clock = [&] { return at; }});
    CHECK(found.trials().size() == 5);
}

TEST_CASE("the seconds of checks count against the budget, and a wait ends with it")
{
    machine m{.costs = std::vector<double>(50, 0.9), .slow = {{2.5, forever}}};
    m.costs[0] = 1;
    const auto found = run(m, in_order{}, {}, {.seconds = 20});
    CHECK(found.stopped() == tk::stop_reason::seconds);
    CHECK(found.seconds() >= 20);
    CHECK(found.seconds() < 20 + 3 * 1.8);  // a candidate and a look
}

TEST_CASE("each task looks at its own incumbent")
{
    double now = 0;
    struct shared {
        machine* of;
        double* now;
        [[nodiscard]] bool measures_time() const { return true; }
        std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits& l)
        {
            of->now = *now;
            auto out = of->measure(batch, l);
            *now = of->now;
            return out;
        }
    };
    machine a{.costs = {1, 0.9, 0.5, 0.7}, .slow = {{0, 0}}}, b{.costs = {3, 2, 1.5, 2.5}, .slow = {{8, 13}}};
    const grid_space four = line(4);
    auto tasks = tk::tasks(tk::task("a", four, shared{&a, &now}, 1), tk::task("b", four, shared{&b, &now}, 1));
    philox gen(1);
    const auto plan = tk::tune_tasks(tasks, one_at_a_time(in_order{}), tk::schedule::round_robin{}, {.slot_seconds = 1},
                                     gen, {.clock = [&now] { return now; }});
    for (std::size_t k = 0; k < 2; ++k) {
        const machine& m = k == 0 ? a : b;
        const tk::tuning& r = plan.tasks[k].record;
        CHECK(r.incumbent().candidate == 2);
        CHECK(r.checks().on);
        for (const auto& t : r.trials()) CHECK(t.measured.cost == m.costs[static_cast<std::size_t>(t.candidate)]);
        for (const tk::index i : m.looked) CHECK(i <= 2);
    }
    CHECK(plan.tasks[0].record.checks().made + plan.tasks[1].record.checks().made >= 2);
}

TEST_CASE("a disturbance that one worker sees doubts what the others measured at that time")
{
    machine m{.costs = std::vector<double>(12, 0.9), .slow = {{2.4, 5}}};
    m.costs[0] = 1, m.costs[1] = 0.8, m.costs[7] = 0.5;
    std::vector<double> heard;
    crew pool{&m, std::vector<std::optional<crew::busy>>(3)};
    philox gen(1);
    const auto found =
        tk::tune(line(12), pool, one_at_a_time(in_order{[&](double cost) { heard.push_back(cost); }}), {}, gen);
    CHECK(found.incumbent().candidate == 7);
    CHECK(found.checks().disturbed == 1);
    CHECK(found.checks().measured_again >= 2);
    CHECK(found.checks().waited_seconds <= 0.2 * found.seconds() + 2 * 1.6);
    std::sort(heard.begin(), heard.end());
    std::vector<double> quiet = m.costs;
    std::sort(quiet.begin(), quiet.end());
    CHECK(heard == quiet);
}

TEST_CASE("a look that is lost decides nothing, and what is held is told as it is")
{
    machine m{.costs = std::vector<double>(12, 0.9)};
    m.costs[0] = 0.8;
    crew pool{&m, std::vector<std::optional<crew::busy>>(2), true};
    philox gen(1);
    const auto found = tk::tune(line(12), pool, one_at_a_time(in_order{}), {}, gen);
    CHECK(found.trials().size() == 12);
    CHECK(found.checks().made == 0);
    CHECK(found.checks().measured_again == 0);
}
