// SPDX-License-Identifier: MIT
#include "record.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "outcome.hpp"
#include "space.hpp"
#include "tools/support/command_race.hpp"
#include "tunekit/measure/measurement.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/report/figures.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/page.hpp"
#include "tunekit/report/run.hpp"
#include "tunekit/tune/last_comparison.hpp"
#include "tunekit/tune/pareto.hpp"
#include "tunekit/tune/tuned.hpp"
#include "tunekit/tune/verdict.hpp"

namespace nb = nanobind;
namespace tk = tunekit;
using namespace nb::literals;

namespace python {

namespace {

/// The members of each trial by their names.
nb::list trials(const record& r)
{
    const auto names = r.judge.value_names();
    nb::list out;
    for (std::size_t k = 0; k < r.found.trials().size(); ++k) {
        const auto& t = r.found.trials()[k];
        const auto& m = t.measured;
        nb::dict numbers, trial;
        for (std::size_t n = 0; n < (std::min)(names.size(), m.values.size()); ++n)
            numbers[nb::cast(names[n])] = m.values[n];
        trial["index"] = t.candidate;
        trial["cost"] = m.failed ? nb::none() : nb::object(nb::float_(m.cost));
        trial["at_least"] = !m.failed && m.at_least;
        trial["kind"] = m.failed ? to_text(m.failed->kind) : "";
        trial["failed"] = m.failed ? m.failed->message : std::string();
        trial["stamp"] = r.found.curve()[k].seconds;
        trial["seconds"] = m.run_seconds;
        trial["worker"] = t.worker;
        trial["numbers"] = numbers;
        out.append(trial);
    }
    return out;
}

tk::report::seen_run seen(const record& r, const std::vector<std::string>& facts)
{
    auto run = tk::report::seen_run_of(r.name, r.space, r.found);
    run.facts = facts;
    auto& task = run.tasks.front();
    task.objective = r.judge.text();
    if (r.never_worse) task.baseline = r.baseline;
    task.never_worse = r.never_worse;
    if (r.judge.objective) task.unit.name.clear();
    if (!r.found.rounds.empty()) task.goals = r.goals;
    else if (!r.judge.objective && !r.judge.numbers.empty())
        for (std::size_t k = 0; k <= r.judge.numbers.size(); ++k) task.goals.push_back(k);
    return run;
}

std::string page(const record& r, const std::vector<std::string>& facts)
{
    const nb::gil_scoped_release free;
    const auto run = seen(r, facts);
    return tk::report::to_page(run, tk::report::findings_of(run));
}

/// The tuning curve as a picture of its own; empty where nothing has a cost.
std::string curve(const record& r)
{
    if (!r.found.found()) return {};
    const nb::gil_scoped_release free;
    const auto run = seen(r, {});
    const auto all = tk::report::findings_of(run);
    return tk::report::to_standalone_svg(tk::report::tuning_curve_svg(run.tasks.front(), all.front(), {}));
}

/// Calls a function of Python for each configuration.
struct called {
    nb::callable call;  // index -> cost, kind, why, seconds, values by these names
    const judging& judge;

    std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
    {
        std::vector<tk::measure::measurement> out;
        for (const tk::index i : batch) {
            const auto r = nb::cast<nb::dict>(call(i));
            out.push_back(judge(measurement_of("race", nb::cast<double>(r["cost"]), nb::cast<std::string>(r["kind"]),
                                               nb::cast<std::string>(r["why"]), nb::cast<double>(r["seconds"])),
                                nb::cast<std::vector<double>>(r["values"])));
        }
        return out;
    }
};

/// The race whose rounds the record has.
tk::measure::race_result race_again(const record& r)
{
    if (r.found.rounds.empty()) return {};
    std::vector<tk::index> line;  // that of the first round is the order of the finalists
    for (const auto& t : r.found.rounds.front()) line.push_back(t.candidate);
    tk::measure::race_track track(line, programs::racing(r.goals));
    for (const auto& round : r.found.rounds) {
        std::vector<tk::measure::measurement> measured;
        for (const auto& t : round) measured.push_back(t.measured);
        static_cast<void>(track.lines_up());
        track.finishes(measured);
    }
    return track.verdict();
}

/// Measures the best and `untuned` afresh, at the end of a run of so many seconds; with several goals, 0 the cost and k + 1 number k,
/// what is near their front. Without an end of seconds telling two apart may take as long as the run. Returns (index, goals, ends of
/// their intervals) of the front's members; by their medians where there were too few rounds.
nb::list race(record& r, const nb::callable& call, tk::index untuned, double seconds,
              const std::vector<std::size_t>& goals)
{
    called by{call, r.judge};
    const tk::final_race on =
        programs::race_at_the_end(r.found, untuned, seconds, goals, (std::max)(1.0, r.found.seconds()));
    r.found.seconds_to_separate = on.seconds_to_separate;
    r.goals = goals;
    r.race =
        tk::race_of(r.found, on, [&]() -> auto& { return by; }, {}, tk::measure::wall_clock{}, programs::racing(goals));
    nb::list front;
    if (goals.empty()) return front;
    const auto members = tk::front_of(r.race).members;
    const bool unclear = tk::comparison_of(r.race, untuned).says == tk::verdict::kind::unclear;
    for (const tk::front_member& m : members) {
        const auto beats = [&](const tk::front_member& other) {
            return other.goals != m.goals && std::ranges::equal(other.goals, m.goals, std::less_equal<>());
        };
        if (unclear && std::ranges::any_of(members, beats)) continue;
        std::vector<std::pair<double, double>> within;
        for (const auto& w : m.within) within.emplace_back(w.low, w.high);
        front.append(nb::make_tuple(m.candidate, m.goals, within));
    }
    return front;
}

/// What may be said of the best; with `never_worse` that is `baseline` unless another was shown to be better.
nb::dict verdict(record& r, std::optional<tk::index> baseline, bool never_worse)
{
    r.baseline = baseline;
    r.never_worse = never_worse && r.goals.empty();
    const tk::verdict v = tk::concluded(r.found, r.race, baseline, !r.never_worse);
    nb::dict out;
    out["says"] = to_text(v.says);
    out["text"] = to_text(v);
    out["best"] = v.best;
    out["cost"] = v.cost;
    out["untuned_cost"] = v.untuned_cost;
    out["kept"] = v.kept;
    out["tied"] = v.tied;
    out["rounds"] = v.rounds;
    out["rounds_to_separate"] = v.rounds_to_separate;
    out["slower_at_least"] = v.slower_at_least;
    out["confidence"] = v.confidence;
    return out;
}

/// The record with the verdict that `verdict` gave.
tk::tuned<tk::space::any_space> tuned(const record& r)
{
    tk::tuned out(r.space, r.found, r.never_worse ? r.baseline : std::nullopt);
    out.conclude(tk::concluded(r.found, r.race, r.baseline, !r.never_worse));
    return out;
}

/// The configurations of the front of these goals, 0 the cost and k + 1 number k, by single measurements.
std::vector<tk::index> front(const record& r, const std::vector<std::size_t>& goals)
{
    std::vector<tk::index> out;
    for (const tk::front_member& m : tk::front_of(r.found, goals).members) out.push_back(m.candidate);
    return out;
}

/// A record as a value that can be pickled; its space is elsewhere.
nb::tuple state(const record& r)
{
    const auto listed = [](const std::vector<tk::measure::trial>& trials) {
        nb::list out;
        for (const tk::measure::trial& t : trials) {
            const auto bytes = to_bytes(t.measured);
            out.append(nb::make_tuple(t.candidate, t.worker, t.carried, nb::bytes(bytes.data(), bytes.size())));
        }
        return out;
    };
    std::vector<double> stamps;
    for (const auto& point : r.found.curve()) stamps.push_back(point.seconds);
    nb::list rounds;
    for (const auto& round : r.found.rounds) rounds.append(listed(round));
    return nb::make_tuple(r.name, r.judge.numbers, r.judge.text(), static_cast<int>(r.found.stopped()),
                          r.found.seconds(), listed(r.found.known()), listed(r.found.trials()), stamps, rounds, r.goals,
                          r.baseline, r.never_worse);
}

record record_of(const grid& space, const nb::tuple& state)
{
    const auto trial_of = [](nb::handle parts) {
        const auto of = nb::cast<nb::tuple>(parts);
        const auto bytes = nb::cast<nb::bytes>(of[3]);
        const std::span all(reinterpret_cast<const unsigned char*>(bytes.c_str()), bytes.size());
        return tk::measure::trial{.candidate = nb::cast<tk::index>(of[0]),
                                  .measured = tk::measure::measurement_from(all),
                                  .worker = nb::cast<std::size_t>(of[1]),
                                  .carried = nb::cast<bool>(of[2])};
    };
    record out{nb::cast<std::string>(state[0]),
               space,
               {},
               judging(nb::cast<std::vector<std::string>>(state[1]), nb::cast<std::string>(state[2]))};
    out.found.value_names = out.judge.value_names();
    for (nb::handle known : nb::cast<nb::list>(state[5])) out.found.know(trial_of(known));
    const auto stamps = nb::cast<std::vector<double>>(state[7]);
    std::size_t k = 0;
    for (nb::handle trial : nb::cast<nb::list>(state[6]))
        out.found.append(trial_of(trial), stamps.at(k++) - out.found.seconds());
    out.found.pass(nb::cast<double>(state[4]) - out.found.seconds());
    out.found.stop(static_cast<tk::stop_reason>(nb::cast<std::uint8_t>(state[3])));
    for (nb::handle round : nb::cast<nb::list>(state[8])) {
        auto& trials = out.found.rounds.emplace_back();
        for (nb::handle trial : nb::cast<nb::list>(round)) trials.push_back(trial_of(trial));
    }
    out.goals = nb::cast<std::vector<std::size_t>>(state[9]);
    out.race = race_again(out);
    out.baseline = nb::cast<std::optional<tk::index>>(state[10]);
    out.never_worse = nb::cast<bool>(state[11]);
    return out;
}

}  // namespace

void bind_record(nb::module_& m)
{
    m.attr("KEPT_FOR_RACE") = tk::final_race::kept;  // of a run's seconds
    nb::class_<record>(m, "Record")
        .def(nb::new_(&record_of))
        .def("state", &state)
        .def_ro("name", &record::name)
        .def("trials", &trials)
        .def("numbers", [](const record& r) { return r.judge.value_names(); })
        .def("front", &front)
        .def("best", [](const record& r) { return r.found.incumbent().candidate; })
        .def("best_cost", [](const record& r) { return r.found.best_cost(); })
        .def("found", [](const record& r) { return r.found.found(); })
        .def("seconds", [](const record& r) { return r.found.seconds(); })
        .def("stopped", [](const record& r) { return to_text(r.found.stopped()); })
        .def("failed", [](const record& r) { return r.found.failed(); })
        .def("text", [](const record& r) { return to_text(tuned(r)); })
        .def("page", &page)
        .def("curve", &curve)
        .def("race", &race, "call"_a, nb::kw_only(), "untuned"_a, "seconds"_a, "goals"_a)
        .def("verdict", &verdict, "baseline"_a.none(), "never_worse"_a);
}

}  // namespace python
