// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The record of one run of a program, and the readings taken from it.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/polymorphic.hpp"
#include "tunekit/measure/concepts.hpp"

namespace tunekit::measure {

/// One run of a program: how it ended, its times and its output. Output and errors are bounded: a longer text keeps its
/// first and its last part. A longer result file keeps its beginning.
struct finished_run {
    /// The way in which a run ended.
    enum class end : std::uint8_t {
        exited,       ///< it ended by itself; `code` is the exit status
        signalled,    ///< a signal ended it; `code` is the signal
        timed_out,    ///< it was ended at the limit of wall time
        out_of_cpu,   ///< it was ended at the limit of processor time
        not_started,  ///< the system could not start it; `code` is errno
    };

    end how = end::exited;      ///< how it ended; it says what `code` means
    int code = 0;               ///< exit status, signal or errno, as `how` says; else 0
    double wall_seconds = 0;    ///< from its start to its end
    double cpu_seconds = 0;     ///< user and system time, of itself and of the children that it waited for
    double user_seconds = 0;    ///< of these, those in user mode
    double system_seconds = 0;  ///< of these, those in the kernel
    /// Memory that it had at most, of itself or of one of the children that it waited for (ru_maxrss of getrusage).
    /// Linux counts what the process had before it became this program, 1 to 2 MiB.
    double peak_bytes = 0;
    /// Of the whole machine, where program_options::powercap asks for it; else NaN.
    double joules = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> counts{};  ///< of program_options::counters, in their order
    std::string output{};          ///< what it wrote to standard output
    std::string errors{};          ///< what it wrote to standard error
    bool cut = false;              ///< whether the result file, or without one the output, was shortened
    bool errors_cut = false;       ///< whether the errors were shortened
    /// The content of its result file, where one was named. A run that did not write it is a failure `bad_cost`.
    std::optional<std::string> file{};

    /// The text in which numbers are looked for: the file where one was named, else the output and then the errors.
    [[nodiscard]] std::string text() const { return file ? *file : output + errors; }
};

namespace detail {

/// Throws a candidate_error of kind `bad_cost`. A reading calls it where it finds no number.
[[noreturn]] inline void no_number(std::string message)
{
    throw candidate_error(failure{.kind = failure_kind::bad_cost, .message = std::move(message)});
}

/// Any callable of a finished_run, as a value. What it throws as candidate_error is the failure of the configuration.
template <class Result>
class of_run {
    struct called {
        called() = default;
        called(const called&) = default;
        called& operator=(const called&) = delete;
        virtual ~called() = default;
        [[nodiscard]] virtual Result on(const finished_run&) const = 0;
    };
    template <class F>
    struct model final : called {
        F f;
        explicit model(F g) : f(std::move(g)) {}
        [[nodiscard]] Result on(const finished_run& run) const override
        {
            if constexpr (std::is_member_object_pointer_v<F>) return run.*f;
            else return f(run);
        }
    };

public:
    /// Holds a copy of `f`, which is called with a finished_run. Throws what f.validate() throws, where there is one.
    template <class F>
        requires(!std::same_as<std::remove_cvref_t<F>, of_run> &&
                 std::is_invocable_r_v<Result, const std::remove_cvref_t<F>&, const finished_run&>)
    of_run(F&& f)  // implicit: a lambda converts
        : measures_time_(is_time<std::remove_cvref_t<F>>(f)),
          held_(core::polymorphic<called>::template make<model<std::remove_cvref_t<F>>>(checked(std::forward<F>(f))))
    {
    }
    /// What the held callable returns for `run`.
    [[nodiscard]] Result operator()(const finished_run& run) const { return held_->on(run); }

    /// Whether it is a run's wall or processor time.
    [[nodiscard]] bool measures_time() const noexcept { return measures_time_; }

private:
    template <class F>
    static bool is_time(const F& f)
    {
        if constexpr (std::same_as<F, double finished_run::*>)
            return f == &finished_run::wall_seconds || f == &finished_run::cpu_seconds;
        else return false;
    }

    template <class F>
    static F&& checked(F&& f)
    {
        if constexpr (requires { f.validate(); }) f.validate();
        return std::forward<F>(f);
    }

    bool measures_time_;
    core::polymorphic<called> held_;
};

}  // namespace detail

}  // namespace tunekit::measure
