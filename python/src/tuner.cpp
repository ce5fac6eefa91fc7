// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "driven.hpp"
#include "over.hpp"
#include "record.hpp"
#include "space.hpp"
#include "tools/support/names.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/records/read_experience.hpp"
#include "tunekit/tune/last_comparison.hpp"
#include "tunekit/tune/task.hpp"
#include "tunekit/tune/tuner.hpp"

namespace nb = nanobind;
namespace tk = tunekit;
using namespace nb::literals;

namespace python {

namespace {

using tuner = tk::tuner<tk::space::any_space, tk::search::any_strategy, tk::random::philox>;

/// The run behind `pytunekit.Tuner`.
class run : public driven<tuner> {
public:
    run(const grid& space, const programs::begun_recipe& recipe, const tk::budget& limit, std::uint64_t seed,
        std::string name, std::string log, bool resume, judging how, bool checks)
        : driven(tuner(space, recipe.how, limit, tk::random::philox(seed)), std::move(log),
                 {.name = std::move(name), .strategy = recipe.name, .seed = seed, .resume = resume}, std::move(how),
                 checks),
          space_(space)
    {
        if (recipe.past.empty()) return;
        const tk::task here("run", space_, 1.0);
        taken_ = programs::told_of(recipe.past, {&here, 1});
    }

    void begin_with(const std::vector<tk::index>& first)
    {
        before("begin_with", [&](tuner& t) { t.begin_with(first); });
    }
    void know(tk::index i, double cost, const std::string& kind, const std::string& why,
              const std::vector<double>& values)
    {
        const auto m = judge()(measurement_of("know", cost, kind, why, 0), values);
        before("know", [&](tuner& t) { t.know(i, m); });
    }
    /// What a cost is, of a run over several instances.
    void runs_on(std::string cost)
    {
        before("instances", [&](tuner&) { means(std::move(cost)); });
    }
    tk::index best()
    {
        return of_record([](const tk::tuning& r) { return r.incumbent().candidate; });
    }
    double best_cost()
    {
        return of_record([](const tk::tuning& r) { return r.best_cost(); });
    }
    std::string beyond_limit()
    {
        return of_record([](const tk::tuning& r) { return r.beyond_limit(); });
    }
    record seen()
    {
        return of_record([&](const tk::tuning& r) { return record{name(), space_, r, judge()}; });
    }
    /// Writes the race of the record and its verdict into the log.
    void conclude(const record& r)
    {
        driven::conclude(r.found.rounds, tk::concluded(r.found, r.race, r.baseline, !r.never_worse));
    }
    [[nodiscard]] const std::string& taken() const noexcept { return taken_; }

private:
    tk::space::any_space space_;
    std::string taken_;  // what is used of the experience, in words
};

}  // namespace

void bind_tuner(nb::module_& m)
{
    nb::class_<tk::job>(m, "Job")
        .def("__init__",
             [](tk::job* to, tk::index i, std::size_t task, std::uint64_t ticket) {
                 new (to) tk::job{.ticket = tk::ticket{ticket}, .task = task, .candidate = i};
             })
        .def_ro("index", &tk::job::candidate)
        .def_ro("task", &tk::job::task)
        .def_prop_ro("check", [](const tk::job& j) { return tk::detail::doubts::owns(j); })
        .def_prop_ro("ticket", [](const tk::job& j) { return static_cast<std::uint64_t>(j.ticket); });

    m.def("experience_notes", [](const std::vector<std::string>& paths, const std::string& log) {
        return tk::io::experience_in(paths, {&log, 1}).notes;
    });

    bind_driven<run>(m, "Run")
        .def(
            "__init__",
            [](run* to, const grid& space, const std::string& recipe, const std::vector<std::string>& experience,
               std::uint64_t trials, double seconds, std::uint64_t patience, double until, std::uint64_t seed,
               std::string name, const std::string& log, bool resume, std::vector<std::string> numbers,
               const std::string& objective, bool checks) {
                const nb::gil_scoped_release free;
                new (to) run(space, programs::begun_recipe_of("recipe", recipe, experience, {log}),
                             {.trials = trials, .seconds = seconds, .patience = patience, .until_cost = until}, seed,
                             std::move(name), log, resume, judging(std::move(numbers), objective), checks);
            },
            "space"_a, nb::kw_only(), "recipe"_a, "experience"_a, "trials"_a, "seconds"_a, "patience"_a, "until"_a,
            "seed"_a, "name"_a, "log"_a, "resume"_a, "numbers"_a, "objective"_a, "checks"_a)
        .def("begin_with", &run::begin_with)
        .def("know", &run::know, "i"_a, nb::kw_only(), "cost"_a, "kind"_a, "why"_a, "values"_a)
        .def("runs_on", &run::runs_on)
        .def("tell_whole", [](run& r, const tk::job& j, const on_its_way& whole, double stamp,
                              std::size_t worker) { r.tell(j, whole.out, whole.out.run_seconds, stamp, worker); })
        .def("best", &run::best)
        .def("best_cost", &run::best_cost)
        .def("beyond_limit", &run::beyond_limit)
        .def("conclude", &run::conclude)
        .def("taken", &run::taken)
        .def("record", &run::seen);
}

}  // namespace python
