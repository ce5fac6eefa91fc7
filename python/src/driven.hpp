// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A run that Python drives, over one space or over several tasks, with a log or without.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "outcome.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/tune/tune.hpp"

namespace python {

/// A tuner with its log, where it has one. The log is opened by the first call that is neither `begin_with` nor `know`, because
/// what they say stands before it, and is free again after `close`. Calls from several threads wait for each other, and none
/// holds the interpreter's lock meanwhile.
template <class Tuner>
class driven {
    struct holding {  // the interpreter's lock goes first, so that who waits here does not stop it
        nanobind::gil_scoped_release free{};
        std::lock_guard<std::mutex> lock;
        explicit holding(std::mutex& m) : lock(m) {}
    };

public:
    using record_type = std::remove_cvref_t<decltype(std::declval<const Tuner&>().record())>;

    /// `log` is the path of its log, or empty; `checks`, whether results are watched for disturbances of the machine.
    driven(Tuner t, std::string log, tunekit::io::logged_options options, judging how = {}, bool checks = false)
        : plain_(std::move(t)),
          judge_(std::move(how)),
          log_(std::move(log)),
          options_(std::move(options)),
          checks_(checks)
    {
        options_.value_names = judge_.value_names();
        options_.objective = judge_.text();
        if constexpr (requires { plain_->name_values(options_.value_names); })
            plain_->name_values(options_.value_names);
        tunekit::require(!options_.resume || !log_.empty(), "resume needs a log, want log=\"run.jsonl\"");
    }

    /// Calls f with the tuner, before its log was begun; `what` is done there.
    template <class F>
    void before(const char* what, const F& f)
    {
        const holding held(mutex_);
        refuse_closed();
        tunekit::require(
            !logged_, std::string("tuner: ") + what + " comes after the log was begun, want it before the first ask");
        f(*plain_);
    }

    std::vector<tunekit::job> ask(std::size_t worker, std::size_t n)
    {
        return checked([&](auto& t) { return watched(t).ask_until_the_end([&] { return t.ask(worker, n); }); });
    }
    /// Says how costs are read, for the log: in words, where they are no times, and whether as `cost_of_times` does.
    void reads_costs(std::string how, bool by_times)
    {
        before("reads_costs", [&](Tuner&) {
            options_.meaning.cost = std::move(how);
            options_.fastest = by_times;
        });
    }
    /// Tells an outcome, as `measurement_of` takes it, that came at `stamp` from `worker`.
    void tell(const tunekit::job& j, double cost, const std::string& kind, const std::string& why,
              const std::vector<double>& values, double seconds, double stamp, std::size_t worker,
              std::vector<double> runs)
    {
        tell(j, judge_(measurement_of("tell", cost, kind, why, seconds, std::move(runs)), values), seconds, stamp,
             worker);
    }
    void tell(const tunekit::job& j, tunekit::measure::measurement m, double seconds, double stamp, std::size_t worker)
    {
        checked([&](auto& t) { watched(t).hear(j, std::move(m), stamp, seconds, worker); });
    }
    void drop(const tunekit::job& j)
    {
        checked([&](auto& t) { watched(t).hear(j, std::nullopt, t.stamp(), 0, 0); });
    }
    void time(double stamp)
    {
        checked([&](auto& t) { t.time(stamp); });
    }
    void stop()
    {
        checked([](auto& t) { t.stop(); });
    }
    bool over()
    {
        const holding held(mutex_);
        return ended_ || with([](auto& t) { return t.over(); });
    }
    std::size_t outstanding()
    {
        const holding held(mutex_);
        return ended_ ? 0 : with([](auto& t) { return t.outstanding(); });
    }
    double stamp()
    {
        return checked([](auto& t) { return t.stamp(); });
    }

    /// Writes the race at the run's end into its log, where it has one, and what may be said of the best.
    void conclude(const std::vector<std::vector<tunekit::measure::trial>>& rounds, const tunekit::verdict& says)
    {
        checked([&](auto& t) {
            if constexpr (requires { t.compared(rounds); }) {
                t.compared(rounds);
                t.ended(to_text(t.stopped()), says);
            }
        });
    }

    /// Calls f with the record as it is now.
    template <class F>
    auto of_record(const F& f)
    {
        const holding held(mutex_);
        if (ended_) return f(*ended_);
        return with([&](auto& t) { return f(t.record()); });
    }

    /// Gives up what is out, and ends the run and its log, which another run may then take up. What was found stays.
    void close()
    {
        const holding held(mutex_);
        if (ended_) return;
        const auto stop = [&](auto& t) {
            t.stop();
            if (doubted_) watched(t).decide();
        };
        if (logged_) stop(*logged_);
        else stop(*plain_);
        ended_ = logged_ ? logged_->record() : plain_->record();
        logged_.reset();
        plain_.reset();
    }

    void means(std::string cost) { options_.meaning.cost = std::move(cost); }
    [[nodiscard]] const std::string& name() const noexcept { return options_.name; }
    [[nodiscard]] const judging& judge() const noexcept { return judge_; }

private:
    template <class F>
    auto with(const F& f)
    {
        if (!log_.empty() && !logged_) {
            logged_ = std::make_unique<tunekit::io::logged<Tuner>>(log_, *plain_, options_);
            plain_.reset();
        }
        if (logged_) return f(*logged_);
        return f(*plain_);
    }
    template <class T>
    auto watched(T& t)
    {
        if (!doubted_)
            doubted_.emplace(tunekit::detail::doubts_of(
                t, [this](std::size_t) { return checks_; }, [](std::size_t) { return false; }));
        return tunekit::detail::checked_run(t, *doubted_, [](const tunekit::job&) {});
    }
    /// The same for a run that goes on, and whose log can still be written.
    template <class F>
    auto checked(const F& f)
    {
        const holding held(mutex_);
        refuse_closed();
        if constexpr (std::is_void_v<decltype(with(f))>) {
            with(f);
            refuse_lost_log();
        } else {
            auto out = with(f);
            refuse_lost_log();
            return out;
        }
    }
    void refuse_closed() const { tunekit::require(!ended_, "tuner: was closed, want another one"); }
    void refuse_lost_log() const
    {
        if (!logged_ || !logged_->failed()) return;
        std::string what = logged_->problem();
        if (what.starts_with("tunekit: ")) what.erase(0, 9);  // which tunekit::error puts there
        throw tunekit::error(what);
    }

    std::mutex mutex_;
    std::optional<Tuner> plain_;  // before the log, and without one
    judging judge_;
    std::unique_ptr<tunekit::io::logged<Tuner>> logged_;  // from the log on
    std::optional<record_type> ended_;                    // after close
    std::string log_;
    tunekit::io::logged_options options_;
    std::optional<tunekit::detail::doubts> doubted_{};  // from the first ask on
    bool checks_;
};

/// Makes the class of `T`, which is a `driven`, with the members that all of them have.
template <class T>
nanobind::class_<T> bind_driven(nanobind::module_& m, const char* name)
{
    return nanobind::class_<T>(m, name)
        .def("ask", &T::ask)
        .def("tell",
             nanobind::overload_cast<const tunekit::job&, double, const std::string&, const std::string&,
                                     const std::vector<double>&, double, double, std::size_t, std::vector<double>>(
                 &T::tell),
             nanobind::arg("job"), nanobind::kw_only(), nanobind::arg("cost"), nanobind::arg("kind"),
             nanobind::arg("why"), nanobind::arg("values"), nanobind::arg("seconds"), nanobind::arg("stamp"),
             nanobind::arg("worker"), nanobind::arg("runs") = std::vector<double>())
        .def("reads_costs", &T::reads_costs, nanobind::arg("how"), nanobind::kw_only(), nanobind::arg("by_times"))
        .def("drop", &T::drop)
        .def("time", &T::time)
        .def("stop", &T::stop)
        .def("close", &T::close)
        .def("over", &T::over)
        .def("outstanding", &T::outstanding)
        .def("stamp", &T::stamp);
}

}  // namespace python
