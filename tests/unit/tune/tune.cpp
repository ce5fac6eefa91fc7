// SPDX-License-Identifier: MIT
#include "tunekit/tune/tune.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tests/support/in_batches.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/random.hpp"

namespace tk = tunekit;
using support::grid_space;
using support::in_batches;
using philox = tk::random::philox;

namespace {

/// Cost 1 + |i - best| milliseconds; moves a clock by 10 ms a trial; remembers the limits it was given.
struct valley {
    tk::index best = 17;
    double* now = nullptr;
    std::vector<tk::measure::limits> seen{};

    std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits& l)
    {
        seen.push_back(l);
        std::vector<tk::measure::measurement> out;
        for (const auto i : batch) {
            out.push_back(
                {.cost = 1e-3 * (1 + std::abs(static_cast<double>(i) - static_cast<double>(best))), .runs = 1});
            if (now != nullptr) *now += 0.01;
        }
        return out;
    }
};

/// A valley that streams; answers `more` times too often, or breaks at a candidate.
struct one_by_one : valley {
    const tk::tuning* record = nullptr;
    std::size_t told = 0, more = 0, breaks_after = 1000;
    using valley::measure;
    template <class Each>
    void measure(std::span<const tk::index> batch, const tk::measure::limits& l, Each&& each)
    {
        for (const auto& i : batch) {
            if (told == breaks_after) throw std::runtime_error("broken");
            if (record != nullptr) CHECK(record->trials().size() == told);
            ++told;
            each(valley::measure(std::span(&i, 1), l).front());
        }
        for (std::size_t k = 0; k < more; ++k) each({.cost = 1});
    }
};
static_assert(tk::measure::streaming_measurer<one_by_one>);

/// Proposes 0, 1, 2, ...: the least that is a strategy.
struct counting {
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
    void observe(state&, const Space&, std::span<const tk::index>, std::span<const tk::measure::measurement>, G&) const
    {
    }
};
/// Leaves the space.
struct astray : counting {
    template <class Space, class G>
    std::vector<tk::index> propose(state&, const Space& space, std::size_t, G&) const
    {
        return {space.size()};
    }
};

static_assert(tk::search::strategy<counting, grid_space, tk::random::philox>);

}  // namespace

TEST_CASE("a record without a winner says why its trials failed")
{
    using tk::measure::failure_kind;
    tk::tuning record;
    CHECK(record.most_often().empty());
    CHECK_THROWS_WITH_AS((void)record.incumbent(),
                         "tunekit: tuning: nothing was measured, so there is no best; ask found() first", tk::error);
    const auto fails = [&](failure_kind kind, const char* message) {
        tk::measure::measurement m;
        m.failed = tk::measure::failure{kind, 0, message};
        record.append(tk::measure::trial{.candidate = record.trials().size(), .measured = m}, 1);
    };
    fails(failure_kind::crash, "SIGSEGV");
    fails(failure_kind::wrong_result, "element 5 is 0.37, want 1.37");
    CHECK(record.most_often() == "crash, SIGSEGV");  // as often, and earlier
    fails(failure_kind::wrong_result, "element 6 is 0.4, want 1.4");
    CHECK(record.most_often() == "wrong_result, element 5 is 0.37, want 1.37");
    CHECK_THROWS_WITH_AS(
        (void)record.incumbent(),
        "tunekit: tuning: 3 of 3 failed, most often: wrong_result, element 5 is 0.37, want 1.37; correct "
        "the kernel or its check, and delete the log of this run if there is one",
        tk::error);
}

TEST_CASE("tune measures as many trials as the budget has, and keeps the best")
{
    const grid_space space({10, 10});
    valley measure;
    tk::random::philox gen(1);
    const auto found = tk::tune(space, measure, counting{}, {.trials = 21}, gen);
    CHECK(found.stopped() == tk::stop_reason::trials);
    REQUIRE(found.trials().size() == 21);
    REQUIRE(found.found());
    CHECK(found.incumbent().candidate == 17);
    CHECK(found.best_cost() == 1e-3);
    CHECK(measure.seen.size() == 3);  // 8 + 8 + 5
    CHECK(found.finalists(3) == std::vector<tk::index>{17, 16, 18});
    CHECK(found.stale() == 3);
    REQUIRE(found.curve().size() == 21);
    CHECK(found.curve()[4].trial == 5);
    CHECK(found.curve()[4].best_cost == doctest::Approx(14e-3));
}

TEST_CASE("tune announces exhaustion, patience, time and the caller's wish")
{
    const grid_space space({5, 5});
    tk::random::philox gen(1);
    SUBCASE("exhausted")
    {
        const auto found = tk::tune(space, valley{}, counting{}, {.trials = 100}, gen);
        CHECK(found.stopped() == tk::stop_reason::exhausted);
        CHECK(found.trials().size() == 25);
    }
    SUBCASE("patience counts from the incumbent, in whole batches")
    {
        const auto found = tk::tune(space, valley{.best = 3}, in_batches(2, counting{}), {.patience = 5}, gen);
        CHECK(found.stopped() == tk::stop_reason::patience);
        CHECK(found.trials().size() ==
              10);  // best at trial 4; 5 stale trials are reached within the batch that ends at 10
    }
    SUBCASE("seconds")
    {
        double now = 5;
        const auto found = tk::tune(space, valley{.now = &now}, in_batches(2, counting{}), {.seconds = 0.095}, gen,
                                    {.clock = [&] { return now; }});
        CHECK(found.stopped() == tk::stop_reason::seconds);
        CHECK(found.trials().size() == 10);
        CHECK(found.seconds() == doctest::Approx(0.1));
    }
    SUBCASE("asked")
    {
        double now = 0;
        const auto found =
            tk::tune(space, valley{}, counting{}, {}, gen,
                     {.watch = [](const tk::tuning& t) { return t.best_cost() < 5e-3; }, .clock = [&] { return now; }});
        CHECK(found.stopped() == tk::stop_reason::asked);
        CHECK(found.trials().size() == 16);
    }
    SUBCASE("nothing to spend")
    {
        const auto found = tk::tune(space, valley{}, counting{}, {.trials = 0}, gen);
        CHECK(found.stopped() == tk::stop_reason::trials);
        CHECK_FALSE(found.found());
        CHECK(std::isinf(found.best_cost()));
    }
    SUBCASE("an empty space")
    {
        const auto found =
            tk::tune(grid_space({3}, [](auto) { return false; }), valley{}, tk::search::random{}, {.trials = 9}, gen);
        CHECK(found.stopped() == tk::stop_reason::exhausted);
    }
}

TEST_CASE("tune proposes each batch with limits relative to the incumbent")
{
    const grid_space space({10, 10});
    valley measure;
    tk::random::philox gen(1);
    (void)tk::tune(space, measure, in_batches(2, counting{}, {.abandon_factor = 3, .max_run_seconds = 7}),
                   {.trials = 4}, gen);
    REQUIRE(measure.seen.size() == 2);
    CHECK(std::isinf(measure.seen[0].abandon_above));
    CHECK(measure.seen[1].abandon_above == doctest::Approx(3 * 17e-3));
    CHECK(measure.seen[1].run_seconds == 7);
}

TEST_CASE("a cost that is no time becomes a failure before the strategy sees it")
{
    struct liar {
        std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
        {
            const double costs[] = {std::nan(""), -1, 0, std::numeric_limits<double>::infinity(), 2};
            std::vector<tk::measure::measurement> out;
            for (const auto i : batch) out.push_back({.cost = costs[i]});
            return out;
        }
    };
    tk::random::philox gen(1);
    const auto found = tk::tune(grid_space({5}), liar{}, counting{}, {}, gen);
    CHECK(found.failed() == 4);
    CHECK(found.incumbent().candidate == 4);
    CHECK(found.trials()[0].measured.failed->kind == tk::measure::failure_kind::bad_cost);
}

TEST_CASE("an abandoned candidate is never the incumbent")
{
    struct cutter {
        std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
        {
            std::vector<tk::measure::measurement> out;
            for (const auto i : batch) out.push_back({.cost = i == 0 ? 1.0 : 2.0, .at_least = i == 0});
            return out;
        }
    };
    tk::random::philox gen(1);
    const auto found = tk::tune(grid_space({4}), cutter{}, counting{}, {}, gen);
    CHECK(found.incumbent().candidate == 1);
    CHECK(found.failed() == 0);
}

TEST_CASE("a measurer that does not answer, a strategy that leaves the space and a bad budget are errors")
{
    struct mute {
        std::vector<tk::measure::measurement> measure(std::span<const tk::index>, const tk::measure::limits&)
        {
            return {};
        }
    };
    tk::random::philox gen(1);
    const grid_space space({4});
    CHECK_THROWS_WITH_AS((void)tk::tune(space, mute{}, counting{}, {}, gen),
                         "tunekit: tune: the measurer did not answer every candidate of the batch", tk::error);
    CHECK_THROWS_WITH_AS((void)tk::tune(space, valley{}, astray{}, {}, gen),
                         "tunekit: tuner: the strategy proposed configuration 4, outside the space of 4", tk::error);
    CHECK_THROWS_WITH_AS((void)tk::tune(space, valley{}, in_batches(0, counting{}), {}, gen),
                         "tunekit: recipe: ahead is 0, want >= 1", std::invalid_argument);
    CHECK_THROWS_AS((void)tk::tune(space, valley{}, counting{}, {.seconds = -1}, gen), std::invalid_argument);
    CHECK_THROWS_AS((void)tk::tune(space, valley{}, in_batches(1, counting{}, {.abandon_factor = 1}), {}, gen),
                    std::invalid_argument);
}

TEST_CASE("a loop of one's own learns what tune learns, with the same stamps")
{
    const grid_space space({40, 40});
    philox a(3), b(3);
    double now = 0;
    const auto clock = [&] { return now; };
    valley measure{.best = 900, .now = &now};
    const auto found =
        tk::tune(space, measure, in_batches(10, tk::search::random{}), {.trials = 100}, a, {.clock = clock});

    tk::tuner t(space, tk::search::random{}, {.trials = 100}, b);
    tk::run_clock time(clock);
    while (true) {
        const auto jobs = t.ask(10);
        if (jobs.empty()) break;
        std::vector<tk::index> batch;
        for (const auto& j : jobs) batch.push_back(j.candidate);
        const auto measured = measure.measure(batch, jobs[0].limits);
        const double stamp = time.after(measured, jobs[0].limits);
        for (std::size_t i = 0; i < jobs.size(); ++i) t.tell(jobs[i], measured[i], stamp);
    }
    CHECK(t.record().trials() == found.trials());
    CHECK(t.record().seconds() == doctest::Approx(found.seconds()));
    CHECK(t.stopped() == found.stopped());
    CHECK(a == t.generator());
}

TEST_CASE("what a measurer tells one by one is recorded before the next runs, and the clock is read after each")
{
    const grid_space space({10, 10});
    const auto read = [&](auto& measurer, double& now) {
        philox gen(1);
        measurer.now = &now;
        int readings = 0;
        const auto found = tk::tune(space, measurer, in_batches(4, counting{}), {.trials = 20}, gen,
                                    {.clock = [&] { return ++readings, now; }});
        CHECK(found.curve()[0].seconds == doctest::Approx(measurer.seen.size() == 20 ? 0.01 : 0.04));
        return readings;
    };
    double now = 5;
    valley at_once;
    CHECK(read(at_once, now) == 1 + 5);
    one_by_one streams;
    CHECK(read(streams, now) == 1 + 20);

    tk::tuner t(space, in_batches(4, counting{}), {.trials = 12}, philox(1));
    one_by_one broken;
    broken.record = &t.record();
    broken.breaks_after = 6;
    CHECK_THROWS_WITH_AS(tk::tune(t, broken), "broken", std::runtime_error);
    CHECK(t.record().trials().size() == 6);

    one_by_one too_many;
    too_many.more = 1;
    philox gen(1);
    CHECK_THROWS_WITH_AS((void)tk::tune(space, too_many, counting{}, {.trials = 3}, gen),
                         "tunekit: tune: the measurer did not answer every candidate of the batch", tk::error);
}

TEST_CASE("tune takes a tuner that was begun, observers that return nothing, and gives the generator back on a throw")
{
    const grid_space space({10, 10});
    philox gen(1);
    tk::tuner t(space, in_batches(1, counting{}), {.trials = 5}, gen);
    t.begin_with({50, 60});
    valley measure;
    std::size_t seen = 0;
    tk::tune(t, measure, {.watch = [&](const tk::tuning& r) { CHECK(r.trials().size() == ++seen); }});
    CHECK(seen == 5);
    CHECK(t.record().trials()[1].candidate == 60);
    CHECK(t.record().trials()[2].candidate == 0);

    struct broken {
        int left = 3;
        std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
        {
            if (left-- == 0) throw std::runtime_error("no more");
            return std::vector<tk::measure::measurement>(batch.size(), {.cost = 1});
        }
    };
    philox a(7), b(7);
    CHECK_THROWS_AS((void)tk::tune(space, broken{}, in_batches(1, tk::search::random{}), {}, a), std::runtime_error);
    tk::tuner same(space, tk::search::random{}, {}, b);
    for (int k = 0; k < 3; ++k) same.tell(*same.ask(), {.cost = 1});
    (void)same.ask();
    CHECK(a == same.generator());
}

TEST_CASE(
    "a clock that jumps by an hour, forwards or backwards, at any reading neither ends a run early nor keeps it from "
    "its end")
{
    struct telling : valley {
        std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits& l)
        {
            auto out = valley::measure(batch, l);
            for (auto& m : out) m.run_seconds = 0.01;
            return out;
        }
    };
    for (const double hours : {1.0, -1.0})
        for (int when = 1; when < 30; ++when) {
            CAPTURE(when);
            double now = 5;
            int readings = 0;
            tk::random::philox gen(3);
            telling measurer;
            measurer.now = &now;
            const auto jumping = [&] { return now + (readings++ >= when ? 3600 * hours : 0); };
            const auto found = tk::tune(grid_space({20, 20}), measurer, in_batches(4, counting{}), {.seconds = 0.99},
                                        gen, {.clock = jumping});
            CHECK(found.stopped() == tk::stop_reason::seconds);
            CHECK(found.trials().size() == 100);
            CHECK(found.seconds() == doctest::Approx(1.0));
            for (std::size_t i = 1; i < found.curve().size(); ++i)
                CHECK(found.curve()[i].seconds >= found.curve()[i - 1].seconds);
        }
}

TEST_CASE("a clock that tells no number ends a budget of seconds all the same, by the times of the measurements")
{
    struct second {
        std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
        {
            return std::vector<tk::measure::measurement>(batch.size(), {.cost = 1, .run_seconds = 1});
        }
    };
    for (const int numberless : {1, 5, 1000}) {  // readings from the start
        CAPTURE(numberless);
        tk::random::philox gen(3);
        int readings = 0;
        const auto clock = [&] { return ++readings <= numberless ? std::nan("") : 1e9 + readings; };
        const auto found =
            tk::tune(grid_space({20, 20}), second{}, in_batches(1, counting{}), {.seconds = 12}, gen, {.clock = clock});
        CHECK(found.trials().size() == 12);
        CHECK(found.stopped() == tk::stop_reason::seconds);
    }
}

TEST_CASE("hours that pass by the clock count where the limits allow them or the measurements tell no times")
{
    struct slow {
        double* now = nullptr;
        double told = 0;
        std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
        {
            *now += 3600 * static_cast<double>(batch.size());
            return std::vector<tk::measure::measurement>(batch.size(), {.cost = 1, .run_seconds = told});
        }
    };
    const auto trials = [](double told, double limit) {
        double now = 0;
        tk::random::philox gen(3);
        return tk::tune(grid_space({20, 20}), slow{&now, told}, in_batches(1, counting{}, {.max_run_seconds = limit}),
                        {.seconds = 36000}, gen, {.clock = [&] { return now; }})
            .trials()
            .size();
    };
    CHECK(trials(0, 10) == 10);
    CHECK(trials(3600, 3600) == 10);
    CHECK(trials(3600, 10) == 10);
    CHECK(trials(100, 10) == 360);
}
