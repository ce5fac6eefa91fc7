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
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "outcome.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/report/figures.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/page.hpp"
#include "tunekit/report/run.hpp"
#include "tunekit/tune/last_comparison.hpp"
#include "tunekit/tune/pareto.hpp"
#include "tunekit/tune/tuned.hpp"

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
    if (r.judge.objective) task.unit.name.clear();
    else if (!r.judge.numbers.empty())
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

/// Measures the best `n` and `untuned` afresh; with several goals, 0 the cost and k + 1 number k, what is near their front.
/// `best` is None where all fail, `tied` are those not told apart, `front` has (index, goals, ends of their intervals) of its members.
nb::dict race(const record& r, const nb::callable& call, std::size_t n, tk::index untuned, double seconds,
              const std::vector<std::size_t>& goals)
{
    called by{call, r.judge};
    tk::measure::race_options how{.max_rounds = 30, .max_seconds = seconds};
    auto line = goals.empty() ? tk::line_up(r.found, n, untuned) : tk::front_finalists(r.found, goals, n);
    if (std::find(line.begin(), line.end(), untuned) == line.end()) line.push_back(untuned);
    for (const std::size_t k : goals)
        if (k > 0) how.values.push_back(k - 1);
    const auto found = tk::compare_finalists(by, line, untuned, {}, how);
    nb::list front;
    const tk::pareto raced = goals.empty() ? tk::pareto{} : tk::front_of(found.race);
    for (const tk::front_member& m : raced.members) {
        std::vector<std::pair<double, double>> within;
        for (const auto& w : m.within) within.emplace_back(w.low, w.high);
        front.append(nb::make_tuple(m.candidate, m.goals, within));
    }
    nb::dict out;
    out["best"] = found.best;
    out["cost"] = found.cost;
    out["untuned_cost"] = found.untuned_cost;
    out["tied"] = found.race.tied;
    out["rounds"] = found.race.rounds;
    out["front"] = front;
    return out;
}

/// The configurations of the front of these goals, 0 the cost and k + 1 number k, by single measurements.
std::vector<tk::index> front(const record& r, const std::vector<std::size_t>& goals)
{
    std::vector<tk::index> out;
    for (const tk::front_member& m : tk::front_of(r.found, goals).members) out.push_back(m.candidate);
    return out;
}

}  // namespace

void bind_record(nb::module_& m)
{
    nb::class_<record>(m, "Record")
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
        .def("text", [](const record& r) { return to_text(tk::tuned<tk::space::any_space>(r.space, r.found)); })
        .def("page", &page)
        .def("curve", &curve)
        .def("race", &race, "call"_a, nb::kw_only(), "n"_a, "untuned"_a, "seconds"_a, "goals"_a);
}

}  // namespace python
