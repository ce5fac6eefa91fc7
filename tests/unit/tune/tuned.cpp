// SPDX-License-Identifier: MIT
#include "tunekit/tune/tuned.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tests/support/one_worker.hpp"
#include "tunekit/measure/function.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
using support::grid_space;
using philox = tk::random::philox;

namespace {

const tk::space::product tiles{tk::space::powers_of_two<"rows">(1, 64), tk::space::integers<"columns">(1, 8)};

auto cost_of(double scale)
{
    return tk::measure::function{tiles, [scale](const auto& c) {
                                     return scale * (1 + std::abs(tk::get<"rows">(c) - 32) + tk::get<"columns">(c));
                                 }};
}

tk::measure::trial trial(tk::index i, double cost) { return {.candidate = i, .measured = {.cost = cost, .runs = 1}}; }

}  // namespace

TEST_CASE("tune over a typed space returns the best configuration, and says in one line what it found")
{
    philox gen(1);
    auto measure = cost_of(0.205e-3);
    const auto found = tk::tune(tiles, measure, tk::search::grid{}, {}, gen);
    CHECK(found.best() == tiles.of(tk::value<"rows">(32), tk::value<"columns">(1)));
    CHECK(found.best_cost() == doctest::Approx(0.41e-3));
    CHECK(found.trials().size() == tiles.size());
    CHECK(found.stopped() == tk::stop_reason::exhausted);
    CHECK(found.space().size() == tiles.size());
    CHECK(to_text(found) == "best of 56: rows 32, columns 1, 0.41 ms (first try 6.77 ms); not raced");

    const auto nothing = tk::tune(tiles, measure, tk::search::grid{}, {.trials = 0}, gen);
    CHECK(to_text(nothing) == "none of 0 was measured");
    CHECK_THROWS_WITH_AS((void)nothing.best(),
                         "tunekit: tuning: nothing was measured, so there is no best; ask found() first", tk::error);
}

TEST_CASE("the line has seconds in a unit that reads well, and says what failed")
{
    const auto line = [](double first, double best) {
        tk::tuning record;
        record.append(trial(0, first), 1);
        record.append(trial(1, best), 1);
        return to_text(tk::tuned(grid_space({2}), record));
    };
    CHECK(line(12.3456, 2) == "best of 2: x0 1, 2 s (first try 12.3 s); not raced");
    CHECK(line(123456, 0.9996) == "best of 2: x0 1, 1 s (first try 123456 s); not raced");
    CHECK(line(0.99949, 0.9994e-3) == "best of 2: x0 1, 0.999 ms (first try 0.999 s); not raced");
    CHECK(line(1e-6, 1.5e-12) == "best of 2: x0 1, 0.0015 ns (first try 1 us); not raced");
    tk::tuning record;
    tk::measure::measurement bad;
    bad.failed = tk::measure::failure{tk::measure::failure_kind::crash, 11, "SIGSEGV"};
    record.append(tk::measure::trial{.measured = bad}, 1);
    CHECK(to_text(tk::tuned(grid_space({2}), record)) ==
          "none of 1 ran: crash, SIGSEGV; correct it, and delete the log if there is one");
}

TEST_CASE("a baseline is measured first, by value or by index, and the line says what was gained over it")
{
    philox gen(1);
    auto measure = cost_of(0.205e-3);
    const auto today = tiles.of(tk::value<"rows">(1), tk::value<"columns">(8));
    const auto worst = tk::tune(tiles, measure, tk::search::grid{}, {}, gen, {.begin_with = {5, 6}, .baseline = today});
    CHECK(worst.baseline() == tiles.index_of(today));
    CHECK(worst.trials()[0].candidate == worst.baseline());
    CHECK(worst.trials()[1].candidate == 5);
    CHECK(worst.trials().size() == tiles.size());
    CHECK(to_text(worst) ==
          "best of 56: rows 32, columns 1, 0.41 ms (the baseline takes 8.2 ms, 20 times as long); not raced");
    const auto best = tk::tune(tiles, measure, tk::search::grid{}, {.trials = 3}, gen,
                               {.begin_with = {worst.incumbent().candidate}, .baseline = worst.incumbent().candidate});
    CHECK(best.trials().size() == 3);  // what stands in both is measured once
    CHECK(to_text(best) ==
          "best of 3: rows 32, columns 1, 0.41 ms (the baseline: nothing faster was found); not raced");
    CHECK_THROWS_WITH_AS((void)tk::tune(tiles, measure, tk::search::grid{}, {}, gen, {.baseline = tiles.size()}),
                         doctest::Contains("want an index below its size"), std::invalid_argument);

    const auto line = [](const tk::measure::measurement& of_baseline) {
        tk::tuning record;
        record.append(tk::measure::trial{.candidate = 0, .measured = of_baseline}, 1);
        record.append(trial(1, 1e-3), 1);
        return to_text(tk::tuned(grid_space({2}), record, 0));
    };
    CHECK(line({.cost = 2e-3, .runs = 1, .at_least = true}) ==
          "best of 2: x0 1, 1 ms (the baseline takes at least 2 ms, 2 times as long); not raced");
    tk::measure::measurement bad;
    bad.failed = tk::measure::failure{tk::measure::failure_kind::crash, 11, "SIGSEGV"};
    CHECK(line(bad) == "best of 2: x0 1, 1 ms (the baseline failed: crash); not raced");
    tk::tuning other;
    other.append(trial(1, 1e-3), 1);
    CHECK(to_text(tk::tuned(grid_space({2}), other, 0)) ==
          "best of 1: x0 1, 1 ms (the baseline was not measured); not raced");
}

TEST_CASE("a run whose costs are times ends with the baseline unless all runs of another are faster")
{
    struct three_runs {
        std::vector<double> costs;
        bool times = true;

        [[nodiscard]] bool measures_time() const { return times; }
        std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
        {
            std::vector<tk::measure::measurement> out;
            for (const tk::index i : batch) {
                const double c = costs[static_cast<std::size_t>(i)];
                out.push_back({.cost = c, .runs = 3, .batches = {c, 1.1 * c, 1.2 * c}});
            }
            return out;
        }
    };
    const auto ends_with = [](three_runs m, bool may_be_worse = false) {
        philox gen(1);
        return tk::tune(grid_space({3}), m, tk::search::grid{}, {}, gen,
                        {.baseline = 0, .may_be_worse = may_be_worse, .checks = false});
    };
    const auto kept = ends_with({{1, 0.95, 0.9}});
    CHECK(kept.best_index() == 0);
    CHECK(kept.best_cost() == 1);
    CHECK(kept.verdict().kept);
    CHECK(to_text(kept) == "best of 3: x0 0, 1 s (the baseline: nothing was shown to be faster); not raced");
    CHECK(ends_with({{1, 0.95, 0.8}}).best_index() == 2);
    CHECK(ends_with({{1, 0.95, 0.9}}, true).best_index() == 2);
    CHECK(ends_with({{1, 0.95, 0.9}, false}).best_index() == 2);
}

TEST_CASE("tune begins with configurations by value or by index, and refuses those of another space")
{
    philox gen(1);
    auto measure = cost_of(1);
    const auto a = tiles.of(tk::value<"columns">(8), tk::value<"rows">(2));
    const auto by_value =
        tk::tune(tiles, measure, tk::search::grid{}, {.trials = 3}, gen, {.begin_with = {tiles.at(40), a}});
    CHECK(by_value.trials()[0].candidate == 40);
    CHECK(by_value.trials()[1].candidate == tiles.index_of(a));
    CHECK(by_value.trials()[2].candidate == 0);
    const auto by_index = tk::tune(tiles, measure, tk::search::grid{}, {.trials = 2}, gen, {.begin_with = {9, 4}});
    CHECK(by_index.trials()[0].candidate == 9);
    const tk::space::product wider{tk::space::powers_of_two<"rows">(1, 128), tk::space::integers<"columns">(1, 8)};
    CHECK_THROWS_WITH_AS(
        (void)tk::tune(tiles, measure, tk::search::grid{}, {}, gen, {.begin_with = {wider.at(wider.size() - 1)}}),
        "tunekit: tuner: begin_with has a configuration that is not in this space, want one that its at "
        "or of gave",
        std::invalid_argument);
}

TEST_CASE("a watch or clock that is a variable is referred to, a temporary is kept, and a function is taken")
{
    auto measure = cost_of(1);
    struct counter {
        std::size_t seen = 0;
        counter() = default;
        counter(const counter&) = delete;
        bool operator()(const tk::tuning& t) { return ++seen == 5 && t.found(); }
    } count;
    tk::tune_options<std::remove_const_t<decltype(tiles)>> options{
        .watch = count, .clock = [now = std::make_unique<double>(0)] { return *now += 1; }};
    philox gen(1);
    const auto found = tk::tune(tiles, measure, tk::search::annealing{}, {}, gen, options);
    CHECK(count.seen == found.trials().size());
    CHECK(found.stopped() == tk::stop_reason::asked);
    CHECK(found.seconds() == static_cast<double>(found.trials().size()));

    static std::size_t calls = 0;
    struct plain {
        static void see(const tk::tuning&) { ++calls; }
    };
    auto moved = std::move(options);
    moved.watch = plain::see;
    CHECK(tk::tune(tiles, measure, tk::search::annealing{}, {.trials = 7}, gen, moved).trials().size() == 7);
    CHECK(calls == 7);

    support::one_worker pool(measure);
    CHECK_THROWS_WITH_AS(
        (void)tk::tune(tiles, pool, tk::search::annealing{}, {.trials = 7}, gen, {.clock = [] { return 0.0; }}),
        "tunekit: tune: .clock is given, but a pool has its clock: leave it out", std::invalid_argument);
}

TEST_CASE("a bare strategy means the recipe of it")
{
    const auto trials = [](const auto& how) {
        philox gen(5);
        auto measure = cost_of(1);
        std::vector<tk::index> out;
        const auto found = tk::tune(tiles, measure, how, {.trials = 40}, gen);
        for (const auto& t : found.trials()) out.push_back(t.candidate);
        return out;
    };
    CHECK(trials(tk::search::annealing{}) == trials(tk::recipe{tk::search::annealing{}}));
}

TEST_CASE("where nothing keeps a limit, the line says by how much the nearest breaks it, and no cost")
{
    const auto line = [](double first, double second) {
        tk::tuning record;
        record.append({0, {.cost = first, .runs = 1, .values = {1}}}, 0);  // the cost before it was judged
        record.append({19, {.cost = second, .runs = 1, .values = {1}}}, 0);
        CHECK(record.beyond_limit().empty() == (second < tk::measure::broken_cost));
        return to_text(tk::tuned(tiles, record));
    };
    CHECK(tk::tuning().beyond_limit().empty());
    CHECK(line(2e30, 1.234e30) == "of 2 none keeps the limit, the nearest is 23.4 % beyond it: rows 32, columns 3");
    CHECK(line(3e30, 1.5e30) == "of 2 none keeps the limit, the nearest is 50 % beyond it: rows 32, columns 3");
    CHECK(line(3e30, 2) == "best of 2: rows 32, columns 3, 2 s (first try beyond the limit); not raced");
    tk::tuning large;  // costs that no objective has judged break no limit
    large.append({0, {.cost = 2e31, .runs = 1}}, 0);
    large.append({19, {.cost = 1e31, .runs = 1}}, 0);
    CHECK(large.beyond_limit().empty());
    CHECK(to_text(tk::tuned(tiles, large)).find("limit") == std::string::npos);
}

TEST_CASE(
    "what is known before is no trial: the strategy hears of it, it is not measured again, and it may be the best")
{
    std::size_t measured = 0;
    auto measure = tk::measure::function{tiles, [&](const auto& c) {
                                             ++measured;
                                             CHECK(tiles.index_of(c) != 3);
                                             CHECK(tiles.index_of(c) != 20);
                                             return 1.0 + tk::get<"columns">(c);
                                         }};
    const auto run = [&](double cost) {
        tk::tuner t(tiles, tk::search::grid{}, {}, philox(1));
        t.know(3, {.cost = cost, .runs = 1});
        tk::measure::measurement failed;
        failed.failed = tk::measure::failure{tk::measure::failure_kind::crash, 11, "SIGSEGV"};
        t.know(tiles.at(20), failed);
        CHECK(t.record().trials().empty());
        CHECK(t.record().best_cost() == cost);
        CHECK(t.record().incumbent().candidate == 3);
        measured = 0;
        tk::tune(t, measure);
        return tk::tuning(t.record());
    };
    const tk::tuning better = run(0.5);
    CHECK(measured == tiles.size() - 2);
    CHECK(better.trials().size() == tiles.size() - 2);
    CHECK(better.failed() == 0);
    CHECK(better.known().size() == 2);
    CHECK(better.incumbent().candidate == 3);
    CHECK(better.stale() == better.trials().size());
    CHECK(better.curve().front().best_cost == 0.5);
    CHECK(better.finalists(2) == std::vector<tk::index>{3, 0});
    CHECK(to_text(tk::tuned(tiles, better)) ==
          "best of 54 and 2 known: rows 8, columns 1, 0.5 s (first try 2 s); not raced");
    const tk::tuning worse = run(5);
    CHECK(worse.incumbent().candidate == 0);
    CHECK(worse.stale() == worse.trials().size() - 1);

    tk::tuner t(tiles, tk::search::grid{}, {}, philox(1));
    CHECK(t.know(7, {.cost = -1}));
    CHECK(t.record().known()[0].measured.failed->kind == tk::measure::failure_kind::bad_cost);
    CHECK(!t.know(7, {.cost = 1}));  // of two results the first counts
    CHECK(t.record().known().size() == 1);
    CHECK(!t.record().found());
    t.begin_with({9});
    CHECK_THROWS_WITH_AS(t.know(9, {.cost = 1}),
                         "tunekit: tuner: configuration 9 is to go out first, want no result of it",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(t.know(56, {.cost = 1}),
                         "tunekit: tuner: know has configuration 56 of a space of 56, want an index below its size",
                         std::invalid_argument);
    (void)t.ask();
    CHECK_THROWS_WITH_AS(t.know(8, {.cost = 1}), "tunekit: tuner: know comes too late, want it before the first ask",
                         tk::error);
}
