// SPDX-License-Identifier: MIT
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "outcome.hpp"
#include "record.hpp"
#include "space.hpp"
#include "tools/support/names.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/io/logged.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/page.hpp"
#include "tunekit/report/run.hpp"
#include "tunekit/tune/tasks_tuner.hpp"

namespace nb = nanobind;
namespace tk = tunekit;

namespace python {

namespace {

/// The run behind `tunekit.minimize_tasks`, with one worker.
class tasks_run {
    template <class F>
    auto with(const F& f)
    {
        tk::require(!ended_, "minimize_tasks: the run has ended, want another one");
        if (logged_) return f(*logged_);
        return f(*plain_);
    }

public:
    tasks_run(const std::vector<std::string>& names, const std::vector<grid>& spaces,
              const std::vector<double>& weights, const std::string& recipe, const std::string& schedule,
              double seconds, std::uint64_t trials, std::uint64_t patience, std::uint64_t seed, const std::string& log,
              bool resume)
    {
        tk::require(!resume || !log.empty(), "minimize_tasks: resume needs a log, want log=\"run.jsonl\"");
        const nb::gil_scoped_release free;
        for (std::size_t k = 0; k < names.size(); ++k)
            tasks_.emplace_back(names[k], spaces[k].erased(), 1.0, weights[k]);
        auto how = programs::find(programs::recipes(), "recipe", recipe);
        if (!schedule.empty()) how.schedule = programs::find(programs::schedules(), "schedule", schedule);
        tk::random::philox gen(seed);
        tk::tasks_tuner t(
            tasks_, how, tk::tasks_budget{.seconds = seconds, .trials_per_task = trials, .patience = patience}, 1, gen);
        if (log.empty()) plain_.emplace(std::move(t));
        else
            logged_ = std::make_unique<tk::io::logged<tk::tasks_tuner>>(
                log, std::move(t),
                tk::io::logged_options{.strategy = recipe, .schedule = schedule, .seed = seed, .resume = resume});
    }

    std::optional<tk::job> ask()
    {
        const nb::gil_scoped_release free;
        const auto out = with([](auto& t) { return t.ask(0, 1); });
        if (out.empty()) return std::nullopt;
        return out.front();
    }
    void tell(const tk::job& j, double cost, const std::string& kind, const std::string& message, double seconds,
              double stamp)
    {
        const nb::gil_scoped_release free;
        auto m = measurement_of("tell", cost, kind, message, seconds);
        with([&](auto& t) { t.tell(j, std::move(m), stamp); });
        if (logged_ && logged_->failed()) {
            const std::string& what = logged_->problem();
            throw tk::error(what.starts_with("tunekit: ") ? what.substr(9) : what);
        }
    }
    void drop(const tk::job& j)
    {
        with([&](auto& t) { t.drop(j); });
    }
    /// Ends the run and its log, which another run may then take up.
    void close()
    {
        if (logged_) ended_ = logged_->record();
        else if (plain_) ended_ = plain_->record();
        logged_.reset();
        plain_.reset();
    }
    void stop()
    {
        with([](auto& t) { t.stop(); });
    }
    double stamp()
    {
        return with([](auto& t) { return t.stamp(); });
    }
    record seen(std::size_t k) { return {tasks_.at(k).name(), tasks_.at(k).space(), plan().tasks.at(k).record}; }
    std::uint64_t slots(std::size_t k) { return plan().tasks.at(k).slots; }
    double latency() { return tk::model_latency(tasks_, plan()); }
    std::string stopped() { return to_text(plan().stopped); }
    std::string page(const std::vector<std::string>& facts)
    {
        const nb::gil_scoped_release free;
        auto run = tk::report::seen_run_of(
            tasks_.size() == 1 ? tasks_.front().name() : "A model of " + std::to_string(tasks_.size()) + " tasks",
            tasks_, plan());
        run.facts = facts;
        return tk::report::to_page(run, tk::report::findings_of(run));
    }

private:
    [[nodiscard]] const tk::plan& plan() const
    {
        return ended_ ? *ended_ : logged_ ? logged_->record() : plain_->record();
    }

    std::vector<tk::task> tasks_;
    std::optional<tk::tasks_tuner> plain_;
    std::unique_ptr<tk::io::logged<tk::tasks_tuner>> logged_;
    std::optional<tk::plan> ended_;
};

}  // namespace

void bind_tasks(nb::module_& m)
{
    nb::class_<tasks_run>(m, "TasksRun")
        .def(nb::init<const std::vector<std::string>&, const std::vector<grid>&, const std::vector<double>&,
                      const std::string&, const std::string&, double, std::uint64_t, std::uint64_t, std::uint64_t,
                      const std::string&, bool>())
        .def("ask", &tasks_run::ask)
        .def("tell", &tasks_run::tell)
        .def("drop", &tasks_run::drop)
        .def("stop", &tasks_run::stop)
        .def("close", &tasks_run::close)
        .def("stamp", &tasks_run::stamp)
        .def("record", &tasks_run::seen)
        .def("slots", &tasks_run::slots)
        .def("latency", &tasks_run::latency)
        .def("stopped", &tasks_run::stopped)
        .def("page", &tasks_run::page);
}

}  // namespace python
