// SPDX-License-Identifier: MIT
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
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
#include "tunekit/measure/clocks.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/tune/tuner.hpp"

namespace nb = nanobind;
namespace tk = tunekit;

namespace python {

namespace {

/// The run behind `tunekit.Tuner`. A log is opened by the first call that is neither `begin_with` nor `know`, because what
/// they say stands before it. Calls from several threads wait for each other, and none holds the interpreter's lock.
class run {
    using tuner = tk::tuner<tk::space::any_space, tk::search::any_strategy, tk::random::philox>;

    template <class F>
    auto with(const F& f)
    {
        if (!log_.empty() && !logged_) {
            space_.emplace(plain_->space());
            logged_ = std::make_unique<tk::io::logged<tuner>>(log_, *plain_, options_);
            plain_.reset();
        }
        if (logged_) return f(*logged_);
        return f(*plain_);
    }

public:
    run(const grid& space, const std::string& recipe, std::uint64_t trials, double seconds, std::uint64_t patience,
        std::uint64_t seed, std::string name, std::string log, bool resume)
        : log_(std::move(log)), options_{.name = std::move(name), .strategy = recipe, .seed = seed, .resume = resume}
    {
        tk::require(!resume || !log_.empty(), "tuner: resume needs a log, want log=\"run.jsonl\"");
        const nb::gil_scoped_release free;
        const auto how = programs::find(programs::recipes(), "recipe", recipe);
        plain_.emplace(space.erased(), how, tk::budget{.trials = trials, .seconds = seconds, .patience = patience},
                       tk::random::philox(seed));
    }

    void begin_with(std::vector<tk::index> first)
    {
        const auto held = hold();
        before("begin_with").begin_with(std::move(first));
    }
    void know(tk::index i, double cost, const std::string& kind, const std::string& message)
    {
        const auto held = hold();
        before("know").know(i, measurement_of("know", cost, kind, message, 0));
    }
    std::vector<tk::job> ask(std::size_t n)
    {
        const auto held = hold();
        auto out = with([&](auto& t) { return t.ask(n); });
        refuse_lost_log();
        return out;
    }
    void tell(const tk::job& j, double cost, const std::string& kind, const std::string& message, double seconds,
              double stamp)
    {
        const auto held = hold();
        auto m = measurement_of("tell", cost, kind, message, seconds);
        with([&](auto& t) { t.tell(j, std::move(m), stamp); });
        refuse_lost_log();
    }
    void drop(const tk::job& j)
    {
        const auto held = hold();
        with([&](auto& t) { t.drop(j); });
    }
    void time(double stamp)
    {
        const auto held = hold();
        with([&](auto& t) { t.time(stamp); });
    }
    void stop()
    {
        const auto held = hold();
        with([](auto& t) { t.stop(); });
    }
    bool over()
    {
        const auto held = hold();
        return with([](auto& t) { return t.over(); });
    }
    std::size_t outstanding()
    {
        const auto held = hold();
        return with([](auto& t) { return t.outstanding(); });
    }
    double stamp()
    {
        const auto held = hold();
        return with([](auto& t) { return t.stamp(); });
    }
    tk::index best()
    {
        const auto held = hold();
        return with([](auto& t) { return t.record().incumbent().candidate; });
    }
    double best_cost()
    {
        const auto held = hold();
        return with([](auto& t) { return t.record().best_cost(); });
    }
    std::size_t told()
    {
        const auto held = hold();
        return with([](auto& t) { return t.record().trials().size(); });
    }
    std::size_t replayed()
    {
        const auto held = hold();
        with([](auto&) {});
        return logged_ ? logged_->replayed() : 0;
    }
    record seen()
    {
        const auto held = hold();
        auto found = with([](auto& t) { return t.record(); });
        return {options_.name, space_of(), std::move(found)};
    }

private:
    struct holding {  // the interpreter goes first, so that who waits here does not stop it
        nb::gil_scoped_release free{};
        std::lock_guard<std::mutex> lock;
        explicit holding(std::mutex& m) : lock(m) {}
    };
    [[nodiscard]] holding hold() { return holding(mutex_); }

    tuner& before(const char* what)
    {
        tk::require(!logged_,
                    std::string("tuner: ") + what + " comes after the log was begun, want it before the first ask");
        return *plain_;
    }
    [[nodiscard]] const tk::space::any_space& space_of() const { return space_ ? *space_ : plain_->space(); }
    void refuse_lost_log() const
    {
        if (logged_ && logged_->failed()) throw tk::error(unprefixed(logged_->problem()));
    }
    /// A sentence without the library's name, which tk::error puts before it.
    static std::string unprefixed(const std::string& what)
    {
        return what.starts_with("tunekit: ") ? what.substr(9) : what;
    }

    std::mutex mutex_;
    std::optional<tuner> plain_;
    std::unique_ptr<tk::io::logged<tuner>> logged_;
    std::optional<tk::space::any_space> space_;  // of what is logged
    std::string log_;
    tk::io::logged_options options_;
};

}  // namespace

void bind_tuner(nb::module_& m)
{
    nb::class_<tk::job>(m, "Job")
        .def_ro("index", &tk::job::candidate)
        .def_ro("task", &tk::job::task)
        .def_prop_ro("ticket", [](const tk::job& j) { return static_cast<std::uint64_t>(j.ticket); });

    nb::class_<run>(m, "Run")
        .def(nb::init<const grid&, const std::string&, std::uint64_t, double, std::uint64_t, std::uint64_t, std::string,
                      std::string, bool>())
        .def("begin_with", &run::begin_with)
        .def("know", &run::know)
        .def("ask", &run::ask)
        .def("tell", &run::tell)
        .def("drop", &run::drop)
        .def("time", &run::time)
        .def("stop", &run::stop)
        .def("over", &run::over)
        .def("outstanding", &run::outstanding)
        .def("stamp", &run::stamp)
        .def("best", &run::best)
        .def("best_cost", &run::best_cost)
        .def("told", &run::told)
        .def("replayed", &run::replayed)
        .def("record", &run::seen);
}

}  // namespace python
