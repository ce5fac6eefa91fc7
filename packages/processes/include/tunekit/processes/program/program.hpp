// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A measurer for a program with a command line: no shell, no leftovers, any cost.

#include "tunekit/processes/detail/system/processes.hpp"  // first: it says what is wanted where a system forks nothing

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/processes/detail/child.hpp"
#include "tunekit/processes/detail/command_run.hpp"
#include "tunekit/processes/detail/keeper.hpp"
#include "tunekit/processes/detail/own_files.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/program_plan.hpp"
#include "tunekit/processes/detail/system/files.hpp"
#include "tunekit/processes/detail/worker.hpp"
#include "tunekit/processes/program/program_options.hpp"
#include "tunekit/processes/share_cores.hpp"
#include "tunekit/space/any_space.hpp"

namespace tunekit::measure {

/// Measures the configurations of `space` by running a program. It is a measurer, and with several workers a pool.
///
///     tk::space::value_product space({{"tile", {16, 32, 64}}, {"threads", {1, 2, 4}}}, {});
///     tk::measure::program run(space, {.command = {"./stencil", "--tile={tile}"},
///                                      .environment = {{"OMP_NUM_THREADS", "{threads}"}},
///                                      .cost = tk::measure::matched("elapsed: ([0-9.]+)")});
///     auto found = tk::tune(space, run, tk::recipes::combined(), {.trials = 100}, gen);
///
/// With `builders`, configurations are built in processes of their own while others run. They then wait until a worker
/// is free. So the compiler and the program do not wait for each other.
///
/// A configuration is measured in a process of its own. It writes the files, builds, and starts the program as often as
/// the repetition says. Each run has a session and a process group of its own, the null device as its input and no
/// terminal. What a run leaves behind, daemons included, ends before the next run begins. All of it ends with this
/// process. Where the cost is wall time, a run that is longer than limits::abandon_above is ended, and three such runs
/// cut the configuration short.
///
/// Costs are positive finite numbers of any unit: strategies take their logarithm. Report exp(x) for a number x that
/// may be 0 or less, and 1/x for one that should grow.
///
/// Failures:   invalid (cannot be started, a file cannot be written), build_error, build_timeout, crash, exited,
///             run_timeout (wall or processor time), wrong_result, bad_cost (no number, two, or none that is a cost),
///             lost (the process that ran it was ended).
/// Throws:     std::invalid_argument for a placeholder that names nothing, settings out of range, or files that several
///             workers would share; tunekit::error where the program does not exist, others can write to the folder of
///             builds, this process runs other threads, or the system gives no process, no descriptor, or no room on
///             the disk of a folder. That is held against no configuration.
/// Cost:       two forks per configuration and about 2 ms per run, in addition to the program's time.
/// Threads:    one at a time, in a process without other threads.
/// Limits:     cpu_seconds and memory_bytes limit each process of a program, not their sum. A program that ends the
///             process that runs it is ended too, with its daemons; these stay only where it ends that process's parent
///             as well.
class program {
public:
    /// Checks the settings, finds the program, and makes a temporary folder in TMPDIR or /tmp. Starts nothing. Throws
    /// as said above.
    program(space::any_space space, program_options options)
        : space_(std::move(space)),
          plan_(space_.names(), std::move(options)),
          places_(plan_.options().workers + plan_.options().builders)
    {
        const program_options& o = plan_.options();
        plan_.texts().find();
        plan_.build_in(
            system::detail::absolute_path(o.build_directory.empty() ? folder_.name() + "/builds" : o.build_directory));
        if (places_.size() > 1 && o.pinned) take_cores();
    }
    program(const program&) = delete;
    program& operator=(const program&) = delete;

    /// Ends the processes that run.
    ~program()
    {
        for (std::size_t k = 0; k < places_.size(); ++k)
            if (places_[k].busy) end(k);
    }

    /// The parameters that occur in no argument, variable or file. They have no effect, and were most likely forgotten.
    [[nodiscard]] std::vector<std::string> unused() const { return plan_.texts().unused(); }

    /// The command for a configuration, with these folders in place of {scratch} and {build}. Nothing is run.
    [[nodiscard]] program_options::filled command_of(index i, const std::string& scratch = ".",
                                                     const std::string& build = ".") const
    {
        return plan_.filled(space_.texts(i), scratch, build);
    }

    /// The folder of the builds. Another `program` with this folder as its build_directory finds what was built.
    [[nodiscard]] const std::string& builds() const noexcept { return plan_.builds().folder(); }

    // As a measurer: one after another.

    /// Measures the batch in its order. Precondition: no job is out.
    [[nodiscard]] std::vector<measurement> measure(std::span<const index> batch, const limits& within)
    {
        return detail::collected(*this, batch, within);
    }
    /// The same, with `each(measurement)` as soon as a candidate is measured.
    template <class Each>
    void measure(std::span<const index> batch, const limits& within, Each&& each)
    {
        require(out_ == 0, "program.measure: jobs are out, want them collected before");
        for (const index i : batch) {
            std::optional<measurement> m;
            for (int attempt = 0; attempt < 2 && !m; ++attempt) {
                submit({.candidate = i, .limits = within});
                std::vector<answer> answers;
                while (answers.empty()) answers = collect(1);
                m = std::move(answers.front().measured);
            }
            if (!m)
                m = measurement{.failed = failure{failure_kind::lost, 0, "the process that ran it was ended, twice"}};
            each(*std::move(m));
        }
    }

    // As a pool.

    [[nodiscard]] std::size_t workers() const noexcept { return plan_.options().workers; }
    /// The number of jobs that may be submitted now: workers and builders, less the jobs that are out.
    [[nodiscard]] std::size_t room() const noexcept { return places_.size() - out_; }
    /// Seconds since it was built.
    [[nodiscard]] double now() const noexcept { return wall_clock{}() - start_; }

    /// Submits a job, which begins at once where a place is free. Throws std::invalid_argument where there is no room
    /// or no such configuration, and tunekit::error where this process runs other threads or no process can be forked.
    void submit(const job& next)
    {
        require(room() > 0, "program.submit: no room, want a call of room() before");
        require(next.task == 0 && next.candidate < space_.size(),
                "program.submit: no such configuration, want one of the space");
        waiting_.push_back({.what = next, .since = now()});
        advance();
        ++out_;
    }

    /// The answers known so far; it waits for the first one for at most `seconds`, and not at all where no job is out.
    /// Throws tunekit::error where the system has no resources for a job.
    [[nodiscard]] std::vector<answer> collect(double seconds)
    {
        const wall_clock clock;
        const double until = clock() + seconds;
        for (;;) {
            std::vector<answer> out;
            for (std::size_t k = 0; k < places_.size(); ++k)
                if (places_[k].busy && heard(k))
                    if (auto told = answer_of(k)) out.push_back(*std::move(told));
            advance();
            const double moment = clock();
            if (!out.empty() || out_ == 0 || moment >= until) return out;
            detail::poll_set events;
            events.by((std::min)(until, moment + 0.5));  // then those are woken that were stopped
            for (const place& p : places_) {
                if (!p.busy) continue;
                events.add(p.from.get());
                events.by(p.deadline);
            }
            events.wait(moment);
            if (clock() < until && events.events.empty()) return out;
        }
    }

private:
    /// A job on its way through builders and workers.
    struct in_work {
        job what{};
        double since = 0;          ///< when it began to wait
        double queued = 0;         ///< seconds in which neither a builder nor a worker had it
        double build_seconds = 0;  ///< seconds of a builder
    };

    /// A place for one process. The places of the workers come first, then those of the builders.
    struct place {
        bool busy = false;
        in_work of{};
        detail::child process{};
        detail::descriptor from{};
        std::vector<unsigned char> bytes{};
        double began = 0;
        double deadline = 0;
        bool lost = false;
    };

    static constexpr double patience =
        15;  ///< seconds beyond a configuration's limits after which its process counts as stopped

    /// The folder {scratch} of a place.
    [[nodiscard]] std::string scratch_of(std::size_t k) const
    {
        return system::detail::absolute_path(folder_.name() + "/worker-" + std::to_string(k));
    }

    void take_cores()
    {
        const program_options& o = plan_.options();
        const auto shares = detail::share_cores(o.workers, o.builders, detail::allowed_cores());
        cores_ = shares.workers;
        cores_.resize(places_.size(), shares.spared);
    }

    /// Gives waiting jobs to places that are free.
    void advance()
    {
        const auto serve = [&](std::deque<in_work>& from, std::size_t first, std::size_t last) {
            for (std::size_t k = first; k < last && !from.empty(); ++k) {
                if (places_[k].busy) continue;
                const in_work next = from.front();
                from.pop_front();
                begin(k, next);
            }
        };
        const bool ahead = places_.size() > workers();
        serve(ahead ? built_ : waiting_, 0, workers());
        if (ahead) serve(waiting_, workers(), places_.size());
    }

    void begin(std::size_t k, const in_work& of)
    {
        const job& next = of.what;
        detail::refuse_threads("program", "measure where no threads run");
        auto [ours, theirs] = detail::socket_pair();
        if (!ours) throw error(detail::no_resources("no socket pair", errno).what());
        const pid_t self = ::getpid();
        const pid_t pid = ::fork();
        if (pid < 0) throw error(detail::no_resources("no process", errno).what());
        if (pid == 0) keep_here(k, next, self, theirs.get());
        ::setpgid(pid, pid);
        place& p = places_[k];
        p.busy = true;
        p.of = of;
        p.of.queued += now() - of.since;
        p.process = detail::child(pid, detail::child::reach::alone);
        p.from = std::move(ours);
        p.bytes.clear();
        p.began = wall_clock{}();
        const bool builds = plan_.texts().builds();
        p.deadline = p.began + (builds ? next.limits.build_seconds : 0) + next.limits.run_seconds + patience;
        p.lost = false;
    }

    /// Runs in the child: it forks the runner, which measures, and stays its parent.
    [[noreturn]] void keep_here(std::size_t k, const job& next, pid_t tuner, int to) noexcept
    {
        ::setpgid(0, 0);
        sigset_t all;
        sigfillset(&all);
        ::sigprocmask(SIG_BLOCK, &all, nullptr);
        detail::die_with(tuner, SIGCONT);  // which a stopped process hears, too
        detail::adopt_descent();
        if (!detail::close_all_but(to) || ::fcntl(3, F_SETFD, FD_CLOEXEC) != 0) ::_exit(detail::status_unheard);
        const pid_t self = ::getpid();
        const pid_t runner = ::fork();
        if (runner == 0) measure_here(k, next, self);
        if (runner < 0) {
            tell(next, {.failed = failure{failure_kind::lost, 0, detail::no_resources("no process", errno).what()}});
            ::_exit(0);
        }
        ::close(3);
        detail::keep_runner(runner, tuner);
    }

    /// Runs in the runner: measures or builds one configuration, sends the result, and ends the process.
    /// It throws nothing: an exception would run the parent's own handlers and destructors here.
    [[noreturn]] void measure_here(std::size_t k, const job& next, pid_t keeper) noexcept
    {
        ::setpgid(0, 0);
        detail::reset_signals();
        detail::die_with(keeper, SIGCONT);
        detail::command_runner run;
        detail::use_cores(cores_.empty() ? std::span<const int>() : std::span<const int>(cores_[k]));
        const std::string scratch = scratch_of(k);
        measurement m;
        std::vector<double> numbers;
        try {
            detail::empty_folder(scratch);
            auto values = space_.texts(next.candidate);
            m = k < workers() ? plan_.measure(run, std::move(values), next.limits, scratch, numbers)
                              : plan_.build_ahead(run, std::move(values), next.limits, scratch);
            m.values = measured_values(numbers);
        } catch (const detail::no_resources& e) {
            m = {.failed = failure{failure_kind::lost, 0, e.what()}};
        } catch (const std::exception& e) {
            m = {.failed = failure{failure_kind::invalid, 0, e.what()}};
        }
        ::_exit(tell(next, m) ? 0 : detail::status_unheard);
    }

    /// Sends the result to the tuner.
    static bool tell(const job& next, const measurement& m)
    {
        const std::vector<unsigned char> bytes = detail::to_bytes({.candidate = next.candidate}, m, false);
        for (std::size_t sent = 0; sent < bytes.size(); sent += detail::max_packet)
            if (!detail::send_packet(3, bytes.data() + sent, (std::min)(detail::max_packet, bytes.size() - sent)))
                return false;
        return true;
    }

    /// Reads what the process of a place has sent. True where nothing more will come.
    bool heard(std::size_t k)
    {
        place& p = places_[k];
        unsigned char packet[detail::max_packet];
        for (;;) {
            std::size_t size = 0;
            switch (detail::receive_now(p.from.get(), packet, sizeof packet, size)) {
                case detail::received::packet:
                    p.bytes.insert(p.bytes.end(), packet, packet + size);
                    break;
                case detail::received::end:
                    return true;
                case detail::received::nothing_yet:
                    p.process.kill(SIGCONT);  // a program may have stopped it
                    p.lost = wall_clock{}() >= p.deadline;
                    return p.lost;
            }
        }
    }

    /// The answer to the job of a place; empty where it was built and goes to a worker next. Throws tunekit::error
    /// where the system had no resources for it.
    std::optional<answer> answer_of(std::size_t k)
    {
        place& p = places_[k];
        const bool built = k >= workers();
        answer out{
            .ticket = p.of.what.ticket, .worker = built ? 0 : k, .queued_s = p.of.queued, .within = p.of.what.limits};
        detail::answer_head head;
        measurement m;
        if (!p.lost && p.bytes.size() >= sizeof head) {
            std::memcpy(&head, p.bytes.data(), sizeof head);
            if (detail::from_bytes(p.bytes, head, m)) out.measured = std::move(m);
        }
        end(k);
        out.ran_s = wall_clock{}() - p.began;
        if (out.measured && out.measured->failed && out.measured->failed->kind == failure_kind::lost) {
            --out_;
            throw error(out.measured->failed->message);
        }
        if (built && out.measured && !out.measured->failed) {
            in_work next = p.of;
            next.build_seconds = out.measured->build_seconds;
            next.since = now();
            built_.push_back(next);
            return std::nullopt;
        }
        if (!built && out.measured) {
            out.measured->build_seconds += p.of.build_seconds;
            for (auto* const waiting : {&waiting_, &built_})
                for (in_work& other : *waiting) other.what.hear(p.of.what, *out.measured);
            for (std::size_t b = workers(); b < places_.size(); ++b)  // what is being built runs later
                places_[b].of.what.hear(p.of.what, *out.measured);
        }
        out.ran_s += p.of.build_seconds;
        --out_;
        return out;
    }

    /// Ends the processes of a place.
    void end(std::size_t k) noexcept
    {
        place& p = places_[k];
        if (p.bytes.empty()) p.process.kill(SIGTERM);
        p.from.reset();
        p.process.end_within(p.lost ? 0 : 6);
        p.busy = false;
    }

    space::any_space space_;
    detail::program_plan plan_;
    std::vector<place> places_;
    std::vector<std::vector<int>> cores_{};
    detail::temporary_directory folder_ = detail::temporary_directory::fresh("tunekit-program-", "program");
    std::size_t out_ = 0;
    std::deque<in_work> waiting_{}, built_{};
    double start_ = wall_clock{}();
};

}  // namespace tunekit::measure
