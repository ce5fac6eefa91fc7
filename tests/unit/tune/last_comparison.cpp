// SPDX-License-Identifier: MIT
#include "tunekit/tune/last_comparison.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/random/normal.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;

namespace {

/// Configuration i takes seconds[i], times a drift that all of a round share; one of 0 seconds fails.
struct drifting {
    std::vector<double> seconds;
    int round = 0;

    std::vector<measure::measurement> measure(std::span<const tk::index> batch, const measure::limits&)
    {
        const double drift = 1 + 0.5 * (++round % 5);
        std::vector<measure::measurement> out;
        for (const tk::index i : batch) {
            auto& m = out.emplace_back();
            m.cost = seconds[i] * drift;
            if (!(seconds[i] > 0)) m.failed = measure::failure{measure::failure_kind::crash, 11, "gone"};
        }
        return out;
    }
};

measure::trial trial_of(tk::index i, double cost, double run_seconds, std::uint32_t runs)
{
    measure::trial t{.candidate = i};
    t.measured.cost = cost;
    t.measured.run_seconds = run_seconds;
    t.measured.runs = runs;
    return t;
}

/// Trials of 0 to 3, of which 1 is the fastest and 3 failed.
tk::tuning recorded()
{
    tk::tuning out;
    out.append(trial_of(0, 2.0, 6, 3), 6);
    out.append(trial_of(1, 1.0, 4, 4), 4);
    out.append(trial_of(2, 1.1, 2, 2), 2);
    measure::trial failed{.candidate = 3};
    failed.measured.failed = measure::failure{measure::failure_kind::crash, 11, "gone"};
    out.append(failed, 1);
    return out;
}

}  // namespace

TEST_CASE("line_up: the best trials and the default, once")
{
    CHECK(tk::line_up(recorded(), 2, 0) == std::vector<tk::index>{1, 2, 0});
    CHECK(tk::line_up(recorded(), 2, 2) == std::vector<tk::index>{1, 2});
    CHECK(tk::line_up({}, 2, 7) == std::vector<tk::index>{7});
}

TEST_CASE("round_seconds: what was measured, and for the rest the longest")
{
    const std::vector<tk::index> all{1, 2, 0}, with_failed{1, 3};
    CHECK(tk::round_seconds(recorded(), all) == doctest::Approx(4 + 2 + 6));
    CHECK(tk::round_seconds(recorded(), all, true) == doctest::Approx(1 + 1 + 2));
    CHECK(tk::round_seconds(recorded(), with_failed) == doctest::Approx(4 + 4));
    CHECK(tk::round_seconds({}, with_failed) == doctest::Approx(2e-3));
    tk::tuning known;
    known.know({.candidate = 5, .measured = {.cost = 0.5}});
    CHECK(tk::line_up(known, 2, 0) == std::vector<tk::index>{5, 0});
    CHECK(tk::round_seconds(known, std::vector<tk::index>{5, 0}) == doctest::Approx(0.5 + 0.5));
}

TEST_CASE("compare_finalists: the fastest of those that the race keeps, and the default's cost in common rounds")
{
    drifting fresh{{3.0, 1.005, 1.0, 0}};
    const std::vector<tk::index> all{1, 2, 0};
    const auto found = tk::compare_finalists(fresh, all, 0, {}, {.max_rounds = 30});
    CHECK(found.best == 2);  // within the margin of 1, which is the race's winner
    CHECK(found.race.winner == 1);
    CHECK(found.race.tied == std::vector<tk::index>{1, 2});
    CHECK(found.cost == doctest::Approx(found.race.cost / 1.005));
    CHECK(found.untuned_cost == doctest::Approx(found.race.cost * 3 / 1.005));  // although it ran in fewer rounds
    CHECK(found.race.standings[2].costs.size() < found.race.rounds);
}

TEST_CASE("compare_finalists: what fails has no cost, and where all fail there is no best")
{
    drifting fresh{{0, 1.0, 0, 0}};
    const auto found = tk::compare_finalists(fresh, std::vector<tk::index>{1, 0}, 0, {}, {.max_rounds = 3});
    CHECK(found.best == 1);
    CHECK(std::isinf(found.untuned_cost));
    const auto none = tk::compare_finalists(fresh, std::vector<tk::index>{2, 0}, 0, {}, {.max_rounds = 3});
    CHECK_FALSE(none.best.has_value());
    CHECK(std::isinf(none.cost));
}

TEST_CASE("compare_finalists of a plan: every task has at least one round, also without time")
{
    tk::plan plan;
    plan.tasks.resize(2);
    plan.tasks[0].record = recorded();  // nothing was measured of the second
    const std::vector<tk::index> untuned{0, 1};
    const auto ends =
        tk::compare_finalists([](std::size_t) { return drifting{{3.0, 1.0, 1.5}}; }, plan, untuned, 0, {});
    REQUIRE(ends.size() == 2);
    CHECK(ends[0].race.rounds >= 1);
    CHECK(ends[0].race.standings.size() == 3);
    CHECK(ends[1].best == 1);
    CHECK(ends[1].untuned_cost == doctest::Approx(1.5));
}

namespace {

measure::trial trial_with(tk::index i, std::vector<double> runs)
{
    measure::trial t = trial_of(i, *std::min_element(runs.begin(), runs.end()), 1, 1);
    t.measured.batches = std::move(runs);
    return t;
}

/// Configuration i takes seconds[i] with normal noise. Where each measurer has a bias of its own, `fresh` draws it anew.
struct on_a_machine {
    std::vector<double> seconds;
    double noise = 0.02, bias = 0;
    tk::random::philox gen{1};
    std::vector<double> biases = std::vector<double>(seconds.size(), 1.0);
    double time = 0;  ///< of a virtual clock

    on_a_machine& fresh()
    {
        for (double& b : biases) b = std::exp(bias * tk::random::normal(gen));
        return *this;
    }
    std::vector<measure::measurement> measure(std::span<const tk::index> batch, const measure::limits&)
    {
        std::vector<measure::measurement> out;
        for (const tk::index i : batch) {
            const double cost = seconds[i] * biases[i] * std::exp(noise * tk::random::normal(gen));
            out.push_back({.cost = cost, .runs = 1, .run_seconds = cost});
            time += cost;
        }
        return out;
    }
};

}  // namespace

TEST_CASE("comparison_of: separated from all, tied with whom, unclear with too few rounds, not raced alone")
{
    using kind = tk::verdict::kind;
    drifting fresh{{3.0, 1.0, 1.005, 0}};
    const auto says = [&](const std::vector<tk::index>& line, std::uint32_t rounds) {
        return tk::compare_finalists(fresh, line, line.back(), {}, {.max_rounds = rounds});
    };
    const auto apart = says({1, 0}, 30);
    CHECK(apart.says == kind::separated);
    CHECK(apart.tied.empty());
    CHECK(apart.finalists == 2);
    CHECK(apart.rounds == 8);
    CHECK(apart.slower_at_least == doctest::Approx(2));  // without noise the bound is the ratio itself
    const auto tied = says({1, 2, 0}, 30);
    CHECK(tied.says == kind::tied);
    CHECK(tied.best == 1);
    CHECK(tied.tied == std::vector<tk::index>{2});
    const auto brief = says({1, 2, 0}, tk::measure::rounds_to_separate(3) - 1);
    CHECK(brief.says == kind::unclear);
    CHECK(brief.rounds_to_separate == tk::measure::rounds_to_separate(3));
    CHECK(brief.tied == std::vector<tk::index>{0, 2});
    CHECK(says({1}, 30).says == kind::not_raced);
    CHECK(says({1, 3}, 30).says == kind::not_raced);  // the other failed
    CHECK(tk::comparison_of({}, 0).says == kind::not_raced);
}

TEST_CASE("four equal finalists, each worker with a bias: at most 5 % of 1000 races separate one, and few put one out")
{
    // H0: the probability that any finalist drops out wrongly is at most 0.05. More than 95 of 1000 then has p < 1e-8.
    int separated = 0, out = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        on_a_machine machine{{1, 1, 1, 1}, 0.02, 0.02, tk::random::philox(seed)};
        const auto race = measure::race([&]() -> auto& { return machine.fresh(); }, std::vector<tk::index>{0, 1, 2, 3},
                                        {}, {.margin = 0});
        const auto found = tk::comparison_of(race, 3);
        separated += found.says == tk::verdict::kind::separated;
        out += found.tied.size() != 3;
    }
    CHECK(out <= 95);
    CHECK(separated <= out);
}

TEST_CASE("concluded: the baseline stays unless the race, or every run, shows the best to be faster")
{
    const auto ended = [](std::vector<double> best, std::vector<double> before, bool may_be_worse = false) {
        tk::tuning record;
        record.append(trial_with(0, std::move(before)), 1);
        record.append(trial_with(1, std::move(best)), 1);
        return tk::concluded(record, {}, 0, may_be_worse);
    };
    const auto faster = ended({1.0, 1.1, 1.2}, {1.3, 1.4, 1.5});
    CHECK(faster.best == 1);
    CHECK_FALSE(faster.kept);
    CHECK(faster.cost == 1);
    CHECK(faster.untuned_cost == 1.3);
    CHECK(faster.says == tk::verdict::kind::not_raced);
    const auto kept = ended({1.0, 1.1, 1.4}, {1.3, 1.4, 1.5});
    CHECK(kept.best == 0);
    CHECK(kept.kept);
    CHECK(kept.cost == 1.3);
    CHECK(ended({1.0, 1.1}, {1.3, 1.4, 1.5}).kept);  // two runs show nothing
    CHECK(ended({1.0, 1.1, 1.4}, {1.3, 1.4, 1.5}, true).best == 1);

    // A race: its rounds are the runs, whatever the trials were.
    tk::tuning record;
    record.append(trial_with(0, {9, 9, 9}), 1);  // measured while the machine was disturbed
    record.append(trial_with(1, {1, 1, 1}), 1);
    const auto raced = [&](std::vector<double> seconds, double noise, std::uint32_t rounds) {
        on_a_machine machine{std::move(seconds), noise, 0, tk::random::philox(4)};
        const auto race = measure::race(machine, std::vector<tk::index>{1, 0}, {}, {.max_rounds = rounds});
        return tk::concluded(record, race, 0);
    };
    const auto equal = raced({1, 1}, 0.02, 30);
    CHECK(equal.says == tk::verdict::kind::tied);
    CHECK(equal.best == 0);
    CHECK(equal.tied == std::vector<tk::index>{1});
    const auto slower = raced({2, 1}, 0.02, 30);
    CHECK(slower.says == tk::verdict::kind::separated);
    CHECK(slower.best == 1);
    const auto few = raced({2, 1}, 0.02, 3);  // unclear, but each of three rounds was faster
    CHECK(few.says == tk::verdict::kind::unclear);
    CHECK(few.best == 1);
    CHECK(raced({1.2, 1}, 0.02, 2).best == 1);      // two rounds, and the trials' runs
    CHECK(tk::concluded(record, {}, 7).best == 1);  // a baseline that never ran
    tk::tuning failed;
    failed.append(trial_with(1, {1, 1, 1}), 1);
    measure::trial crashed{.candidate = 0};
    crashed.measured.failed = measure::failure{measure::failure_kind::crash, 11, "gone"};
    failed.append(crashed, 1);
    CHECK(tk::concluded(failed, {}, 0).best == 1);
}

TEST_CASE("concluded with a baseline: of 400 runs with equal costs few end with another than the baseline")
{
    // Ten candidates and the baseline are equal. Without a race the best by luck would win in ten of eleven. The race
    // drops the baseline wrongly with probability 0.05 at most, and never by trials, as it has more than three rounds.
    int worse = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        on_a_machine machine{std::vector<double>(11, 1.0), 0.03, 0.01, tk::random::philox(seed)};
        tk::tuning record;
        for (tk::index i = 0; i < 11; ++i)
            record.append({.candidate = i, .measured = machine.measure({&i, 1}, {})[0]}, 1);
        const tk::final_race on(record, 0, 1e4, 1);
        REQUIRE(on.finalists.size() >= 2);
        const auto race = measure::race([&]() -> auto& { return machine.fresh(); }, on.finalists, {}, {.margin = 0});
        worse += tk::concluded(record, race, 0).best != 0;
    }
    CHECK(worse <= 50);  // 20 at most are expected; more than 50 has p < 1e-8
}

TEST_CASE("final_race: as many as the kept seconds tell apart, the two that matter in twice as many, else nobody")
{
    tk::tuning record;
    for (tk::index i = 0; i < 6; ++i) record.append(trial_of(i, 1.0 + 0.1 * static_cast<double>(i), 0.1, 1), 0.1);
    const auto line = [&](std::optional<tk::index> baseline, double seconds) {
        return tk::final_race(record, baseline, seconds, 1).finalists;
    };
    using indices = std::vector<tk::index>;
    CHECK(line(std::nullopt, 1000) == indices{0, 1, 2, 3});
    CHECK(line(5, 1000) == indices{0, 5, 1, 2});
    CHECK(line(0, 1000) == indices{0, 1, 2});
    // 11 rounds of four take 4.4 s, 10 of three 3 s, 8 of two 1.6 s; 5 % are kept.
    CHECK(line(5, 88.1) == indices{0, 5, 1, 2});
    CHECK(line(5, 87.9) == indices{0, 5, 1});
    CHECK(line(5, 32.1) == indices{0, 5});
    CHECK(line(5, 16.1) == indices{0, 5});  // in 10 %
    CHECK(line(5, 15.9).empty());
    CHECK(tk::final_race(record, 5, 15.9, 1).seconds_to_separate == doctest::Approx(16));
    CHECK(tk::final_race(record, 5, tk::forever, 1).most_seconds == 1);  // 10 % of 0.6 s would be less
    CHECK(line(9, 1000) == indices{0, 1, 2, 3});                         // never ran
    // Twelve runs of a finalist in a round: 8 rounds of two take 19.2 s.
    CHECK(tk::final_race(record, 5, tk::forever, 12, 19.1).finalists.empty());
    CHECK(tk::final_race(record, 5, tk::forever, 12, 19.3).finalists == indices{0, 5});
    // A line of one's own, of whom the first two are the last to leave.
    CHECK(tk::final_race(record, indices{4, 2, 1}, 3.1, 1).finalists == indices{4, 2, 1});
    CHECK(tk::final_race(record, indices{4, 2, 1}, 2.9, 1).finalists == indices{4, 2});
    CHECK(tk::final_race(record, indices{4, 2, 1}, 1.5, 1).finalists.empty());
    CHECK(tk::final_race({}, 5, 100, 1).finalists.empty());
    tk::tuning alone;
    alone.append(trial_of(3, 1, 0.1, 1), 0.1);
    CHECK(tk::final_race(alone, 3, 100, 1).finalists.empty());
    CHECK(tk::final_race(alone, 3, 100, 1).seconds_to_separate == 0);
}

TEST_CASE("race_of: it ends with the kept seconds, and goes on up to twice as many where its rounds say nothing yet")
{
    tk::tuning record;
    for (tk::index i = 0; i < 2; ++i) record.append(trial_of(i, 0.1, 0.1, 1), 0.1);
    const auto run = [&](double slower_than_measured) {
        on_a_machine machine{{0.1 * slower_than_measured, 0.1 * slower_than_measured}, 0.01};
        tk::tuning of = record;
        const tk::final_race on(of, std::nullopt, 32.5, 1);  // 1.625 s are kept, of 8 rounds of 0.2 s each
        const auto race =
            tk::race_of(of, on, [&]() -> auto& { return machine.fresh(); }, {}, [&machine] { return machine.time; });
        CHECK(of.rounds.size() == race.rounds);
        CHECK(of.seconds() == doctest::Approx(0.2 + machine.time));
        CHECK(of.trials().size() == 2);
        return std::pair(race.rounds, machine.time);
    };
    const auto as_planned = run(1);
    CHECK(as_planned.first >= 8);
    CHECK(as_planned.second < 1.625 + 0.25);
    const auto slower = run(1.5);  // 8 rounds take 2.4 s
    CHECK(slower.first == 8);
    const auto much_slower = run(3);  // 8 rounds would take 4.8 s, and 3.25 s are the most
    CHECK(much_slower.first == 6);
    CHECK(tk::concluded(record, {}, std::nullopt).says == tk::verdict::kind::not_raced);
    record.seconds_to_separate = 16;
    CHECK(to_text(tk::concluded(record, {}, std::nullopt)) ==
          "unclear: 0 rounds side by side, with fewer than 8 none can be distinguished; want 16 s or more");
}

TEST_CASE("race_of: in a round each runs as often as the race says, and none of it is left out")
{
    tk::tuning record;
    for (tk::index i = 0; i < 2; ++i) record.append(trial_of(i, 0.1, 0.1, 1), 0.1);
    struct told {
        measure::limits within{};
        std::vector<measure::measurement> measure(std::span<const tk::index> batch, const measure::limits& l)
        {
            within = l;
            return std::vector(batch.size(), measure::measurement{.cost = 0.1, .at_least = l.only_looks()});
        }
    };
    for (const std::uint32_t runs : {1U, 4U}) {
        told machine;
        double now = 0;
        const tk::final_race on(record, std::nullopt, 1000, runs);
        const auto race = tk::race_of(
            record, on, [&]() -> auto& { return machine; }, {.run_seconds = 3}, [&now] { return now += 1; });
        CHECK(race.rounds > 0);
        CHECK(machine.within.run_seconds == 3);
        CHECK(machine.within.only_looks() == (runs == 4));
        if (runs == 4) CHECK(machine.within.max_runs == 4);
        if (runs == 4) CHECK(machine.within.abandon_above == 0);
        for (const auto& t : record.rounds.back()) CHECK(t.measured.ok());
    }
}

TEST_CASE("comparison_reserve: two rounds of every task, and at most 0.3 of the seconds")
{
    tk::plan plan;
    plan.tasks.resize(2);
    tk::comparison_reserve reserve(100, {0, 0});
    plan.seconds = 95;
    plan.tasks[0].record = recorded();     // a round of 12 s
    CHECK_FALSE(reserve.needed(plan, 0));  // the other task has nothing to compare yet
    plan.tasks[1].record.append(trial_of(0, 1, 1, 1), 1);
    plan.seconds = 73;
    CHECK_FALSE(reserve.needed(plan, 1));  // 73 + 2 * (12 + 1) < 100
    plan.seconds = 74;
    CHECK(reserve.needed(plan, 1));
    tk::comparison_reserve brief(50, {0, 0});
    plan.seconds = 34;
    (void)brief.needed(plan, 0);
    CHECK_FALSE(brief.needed(plan, 1));  // 26 is more than 0.3 of 50
    plan.seconds = 35;
    CHECK(brief.needed(plan, 1));
}
