// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "driven.hpp"
#include "record.hpp"
#include "space.hpp"
#include "tools/support/names.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/page.hpp"
#include "tunekit/report/run.hpp"
#include "tunekit/tune/tasks_tuner.hpp"

namespace nb = nanobind;
namespace tk = tunekit;
using namespace nb::literals;

namespace python {

namespace {

programs::begun_recipe begun(const std::string& recipe, const std::vector<std::string>& experience,
                             const std::string& schedule, const std::string& log)
{
    auto out = programs::begun_recipe_of("recipe", recipe, experience, {log});
    if (!schedule.empty()) out.how.schedule = programs::find(programs::schedules(), "schedule", schedule);
    return out;
}

tk::tasks_tuner made(const std::vector<tk::task>& tasks, const tk::recipes::any_recipe& by,
                     const tk::tasks_budget& limit, std::size_t workers, std::uint64_t seed)
{
    tk::random::philox gen(seed);
    return {tasks, by, limit, workers, gen};
}

std::vector<tk::task> tasks_of(const std::vector<std::string>& names, const std::vector<grid>& spaces,
                               const std::vector<double>& weights)
{
    std::vector<tk::task> out;
    for (std::size_t k = 0; k < names.size(); ++k) out.emplace_back(names[k], spaces.at(k), 1.0, weights.at(k));
    return out;
}

/// The run behind `pytunekit.minimize_tasks`.
class tasks_run : public driven<tk::tasks_tuner> {
public:
    tasks_run(std::vector<tk::task> tasks, const programs::begun_recipe& recipe, const std::string& schedule,
              const tk::tasks_budget& limit, std::size_t workers, std::uint64_t seed, std::string log, bool resume)
        : driven(made(tasks, recipe.how, limit, workers, seed), std::move(log),
                 {.strategy = recipe.name, .schedule = schedule, .seed = seed, .resume = resume}),
          tasks_(std::move(tasks)),
          taken_(programs::told_of(recipe.past, tasks_))
    {
    }

    record seen(std::size_t k)
    {
        return of_record([&](const tk::plan& p) {
            return record{tasks_.at(k).name(), tasks_.at(k).space(), p.tasks.at(k).record, {}};
        });
    }
    double latency()
    {
        return of_record([&](const tk::plan& p) { return tk::model_latency(tasks_, p); });
    }
    std::string stopped()
    {
        return of_record([](const tk::plan& p) { return to_text(p.stopped); });
    }
    std::string page(const std::vector<std::string>& facts)
    {
        return of_record([&](const tk::plan& p) {
            auto run = tk::report::seen_run_of(
                tasks_.size() == 1 ? tasks_.front().name() : "A model of " + std::to_string(tasks_.size()) + " tasks",
                tasks_, p);
            run.facts = facts;
            return tk::report::to_page(run, tk::report::findings_of(run));
        });
    }

    [[nodiscard]] const std::string& taken() const noexcept { return taken_; }

private:
    std::vector<tk::task> tasks_;
    std::string taken_;  // what is used of the experience, in words
};

}  // namespace

void bind_tasks(nb::module_& m)
{
    bind_driven<tasks_run>(m, "TasksRun")
        .def(
            "__init__",
            [](tasks_run* to, const std::vector<std::string>& names, const std::vector<grid>& spaces,
               const std::vector<double>& weights, const std::string& recipe,
               const std::vector<std::string>& experience, const std::string& schedule, double seconds,
               std::uint64_t trials, std::uint64_t patience, std::size_t workers, std::uint64_t seed,
               const std::string& log, bool resume) {
                const nb::gil_scoped_release free;
                new (to) tasks_run(tasks_of(names, spaces, weights), begun(recipe, experience, schedule, log), schedule,
                                   {.seconds = seconds, .trials_per_task = trials, .patience = patience}, workers, seed,
                                   log, resume);
            },
            nb::kw_only(), "names"_a, "spaces"_a, "weights"_a, "recipe"_a, "experience"_a, "schedule"_a, "seconds"_a,
            "trials"_a, "patience"_a, "workers"_a, "seed"_a, "log"_a, "resume"_a)
        .def("record", &tasks_run::seen)
        .def("latency", &tasks_run::latency)
        .def("stopped", &tasks_run::stopped)
        .def("taken", &tasks_run::taken)
        .def("page", &tasks_run::page);
}

}  // namespace python
