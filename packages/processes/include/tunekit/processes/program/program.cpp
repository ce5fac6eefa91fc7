// SPDX-License-Identifier: MIT
#include "tunekit/processes/program/program.hpp"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <exception>
#include <limits>
#include <optional>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/detail/child.hpp"
#include "tunekit/processes/detail/command_run.hpp"
#include "tunekit/processes/detail/keeper.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/program_plan.hpp"
#include "tunekit/processes/detail/run_failure.hpp"
#include "tunekit/processes/detail/system/counters.hpp"
#include "tunekit/processes/detail/system/files.hpp"
#include "tunekit/processes/detail/worker.hpp"
#include "tunekit/processes/share_cores.hpp"
#include "tunekit/processes/system/own_files.hpp"

namespace tunekit::measure {

namespace {

/// Throws tunekit::error where a counter cannot be had.
void require_counters(const program_options& of)
{
    for (const std::string& name : of.counters)
        if (!system::detail::event_counter(name)) throw error(system::detail::counter_problem(name, errno));
}

}  // namespace

struct program::state {
    state(space::any_space of, program_options options)
        : configurations(std::move(of)),
          plan(configurations.names(), std::move(options)),
          places(plan.options().workers + plan.options().builders)
    {
        const program_options& o = plan.options();
        plan.texts().find();
        require_counters(o);
        plan.build_in(
            system::detail::absolute_path(o.build_directory.empty() ? folder.name() + "/builds" : o.build_directory));
        if (places.size() > 1 && o.pinned) take_cores();
    }

    [[nodiscard]] std::size_t workers() const noexcept { return plan.options().workers; }
    [[nodiscard]] double now() const noexcept { return wall_clock{}() - start; }

    /// A job on its way through builders and workers.
    struct in_work {
        job what{};
        double since = 0;          ///< when it began to wait
        double queued = 0;         ///< seconds in which neither a builder nor a worker had it
        double build_seconds = 0;  ///< seconds of a builder
        bool set_up = true;        ///< whether its configuration is to be set up
        bool cleans_up = false;    ///< whether it is no measurement, but the cleanup of a configuration
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

    /// The folder {scratch} of a place, or of a configuration that stays set up.
    [[nodiscard]] std::string scratch_of(std::size_t k, index candidate) const
    {
        return system::detail::absolute_path(folder.name() + (stays_set_up(k) ? "/set-up-" + std::to_string(candidate)
                                                                              : "/worker-" + std::to_string(k)));
    }
    [[nodiscard]] bool stays_set_up(std::size_t k) const { return plan.options().set_up_once && k < workers(); }

    void take_cores()
    {
        const program_options& o = plan.options();
        const auto shares = detail::share_cores(o.workers, o.builders, detail::allowed_cores());
        cores = shares.workers;
        cores.resize(places.size(), shares.spared);
    }

    /// Gives waiting jobs to places that are free.
    void advance()
    {
        const auto serve = [&](std::deque<in_work>& from, std::size_t first, std::size_t last) {
            for (std::size_t k = first; k < last && !from.empty(); ++k) {
                if (places[k].busy) continue;
                const in_work next = from.front();
                from.pop_front();
                begin(k, next);
            }
        };
        const bool ahead = places.size() > workers();
        serve(ahead ? to_run : waiting, 0, workers());
        if (ahead) serve(waiting, workers(), places.size());
    }

    void begin(std::size_t k, in_work of)
    {
        const job& next = of.what;
        of.set_up = std::find(set_up.begin(), set_up.end(), next.candidate) == set_up.end();
        if (of.set_up && stays_set_up(k)) set_up.push_back(next.candidate);
        detail::refuse_threads("program", "measure in a process without running threads");
        auto [ours, theirs] = detail::socket_pair();
        if (!ours) throw error(detail::no_resources("no socket pair", errno).what());
        const pid_t self = ::getpid();
        const pid_t pid = ::fork();
        if (pid < 0) throw error(detail::no_resources("no process", errno).what());
        if (pid == 0) keep_here(k, of, self, theirs.get());
        ::setpgid(pid, pid);
        place& p = places[k];
        p.busy = true;
        p.of = of;
        p.of.queued += now() - of.since;
        p.process = detail::child(pid, detail::child::reach::alone);
        p.from = std::move(ours);
        p.bytes.clear();
        p.began = wall_clock{}();
        const bool builds = plan.texts().builds();
        p.deadline = p.began + (builds ? next.limits.build_seconds : 0) + next.limits.run_seconds + patience;
        if (plan.options().runs_aside()) p.deadline = std::numeric_limits<double>::infinity();  // they have their limit
        p.lost = false;
    }

    /// Runs in the child: it forks the runner, which measures, and stays its parent.
    [[noreturn]] void keep_here(std::size_t k, const in_work& of, pid_t tuner, int to) noexcept
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
        if (runner == 0) measure_here(k, of, self);
        if (runner < 0) {
            tell(of.what, {.failed = failure{failure_kind::lost, 0, detail::no_resources("no process", errno).what()}});
            ::_exit(0);
        }
        ::close(3);
        detail::keep_runner(runner, tuner);
    }

    /// Runs in the runner: measures or builds one configuration, sends the result, and ends the process.
    /// It throws nothing: an exception would run the parent's own handlers and destructors here.
    [[noreturn]] void measure_here(std::size_t k, const in_work& of, pid_t keeper) noexcept
    {
        const job& next = of.what;
        ::setsid();  // no terminal, and one share of the processor for this process and its programs
        detail::reset_signals();
        detail::die_with(keeper, SIGCONT);
        detail::command_runner run;
        detail::use_cores(cores.empty() ? std::span<const int>() : std::span<const int>(cores[k]));
        const std::string scratch = scratch_of(k, next.candidate);
        measurement m;
        detail::taken_up what{.set_up = of.set_up, .run = !of.cleans_up, .clean_up = of.cleans_up || !stays_set_up(k)};
        try {
            run.count(plan.options().counters);
            if (of.set_up) detail::empty_folder(scratch);
            auto values = configurations.texts(next.candidate);
            m = k < workers() ? plan.measure(run, std::move(values), next.limits, scratch, start + until, what)
                              : plan.build_ahead(run, std::move(values), next.limits, scratch);
            m.values = measured_values(what.numbers);
        } catch (const detail::no_resources& e) {
            m = {.failed = failure{failure_kind::lost, 0, e.what()}};
        } catch (const std::exception& e) {
            m = {.failed = failure{failure_kind::invalid, 0, e.what()}};
        }
        ::_exit(tell(next, m, what.unclean) ? 0 : detail::status_unheard);
    }

    /// Sends the result to the tuner, and behind it why the cleanup failed, with as many bytes as `changed` says.
    static bool tell(const job& next, const measurement& m, const std::string& unclean = {})
    {
        std::vector<unsigned char> bytes = detail::to_bytes({.candidate = next.candidate}, m, false);
        detail::answer_head head;
        std::memcpy(&head, bytes.data(), sizeof head);
        head.changed = unclean.size();
        std::memcpy(bytes.data(), &head, sizeof head);
        bytes.insert(bytes.end(), unclean.begin(), unclean.end());
        for (std::size_t sent = 0; sent < bytes.size(); sent += detail::max_packet)
            if (!detail::send_packet(3, bytes.data() + sent, (std::min)(detail::max_packet, bytes.size() - sent)))
                return false;
        return true;
    }

    /// Reads what the process of a place has sent. True where nothing more will come.
    bool heard(std::size_t k)
    {
        place& p = places[k];
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
        place& p = places[k];
        const bool built = k >= workers();
        answer out{
            .ticket = p.of.what.ticket, .worker = built ? 0 : k, .queued_s = p.of.queued, .within = p.of.what.limits};
        detail::answer_head head;
        measurement m;
        if (!p.lost && p.bytes.size() >= sizeof head) {
            std::memcpy(&head, p.bytes.data(), sizeof head);
            const std::size_t said = (std::min)(head.changed, p.bytes.size() - sizeof head);
            const std::string why(p.bytes.end() - static_cast<std::ptrdiff_t>(said), p.bytes.end());
            p.bytes.resize(p.bytes.size() - said);
            if (detail::from_bytes(p.bytes, head, m)) out.measured = std::move(m);
            if (out.measured && !why.empty() && unclean++ == 0) first_unclean = why;
        }
        if (!out.measured) std::erase(set_up, p.of.what.candidate);
        end(k);
        out.ran_s = wall_clock{}() - p.began;
        if (out.measured && out.measured->failed && out.measured->failed->kind == failure_kind::lost) {
            --jobs_out;
            throw error(out.measured->failed->message);
        }
        if (built && out.measured && !out.measured->failed) {
            in_work next = p.of;
            next.build_seconds = out.measured->build_seconds;
            next.since = now();
            to_run.push_back(next);
            return std::nullopt;
        }
        if (!built && out.measured) {
            out.measured->build_seconds += p.of.build_seconds;
            for (auto* const jobs : {&waiting, &to_run})
                for (in_work& other : *jobs) other.what.hear(p.of.what, *out.measured);
            for (std::size_t b = workers(); b < places.size(); ++b)  // what is being built runs later
                places[b].of.what.hear(p.of.what, *out.measured);
        }
        out.ran_s += p.of.build_seconds;
        --jobs_out;
        return out;
    }

    /// Ends the processes of a place.
    void end(std::size_t k) noexcept
    {
        place& p = places[k];
        if (p.bytes.empty()) p.process.kill(SIGTERM);
        p.from.reset();
        p.process.end_within(p.lost ? 0 : 6);
        p.busy = false;
    }

    space::any_space configurations;
    detail::program_plan plan;
    std::vector<place> places;
    std::vector<std::vector<int>> cores{};
    detail::temporary_directory folder = detail::temporary_directory::fresh("tunekit-program-", "program");
    std::size_t jobs_out = 0;
    std::uint64_t unclean = 0;
    std::string first_unclean{};  ///< what the first of them said
    std::vector<index> set_up{};  ///< configurations that stay set up
    std::deque<in_work> waiting{}, to_run{};
    double start = wall_clock{}();
    double until = std::numeric_limits<double>::infinity();
};

program::state& program::its() const noexcept { return *static_cast<state*>(state_.get()); }

program::program(space::any_space space, program_options options) : state_(state(std::move(space), std::move(options)))
{
}

program::~program()
{
    state& s = its();
    for (std::size_t k = 0; k < s.places.size(); ++k)
        if (s.places[k].busy) s.end(k);
}

std::vector<std::string> program::unused() const { return its().plan.texts().unused(); }

std::vector<std::string> unused_parameters(std::span<const std::string> names, const program_options& options)
{
    const detail::program_texts texts(names, options);
    texts.find();
    require_counters(options);
    return texts.unused();
}

program_options::filled program::command_of(index i, const std::string& scratch, const std::string& build) const
{
    return its().plan.filled(its().configurations.texts(i), scratch, build);
}

const std::string& program::builds() const noexcept { return its().plan.builds().folder(); }

void program::require_idle() const
{
    require(its().jobs_out == 0, "program.measure: jobs are out, want them collected before");
}

measurement program::measure_one(index candidate, const limits& within)
{
    std::optional<measurement> m;
    for (int attempt = 0; attempt < 2 && !m; ++attempt) {
        submit({.candidate = candidate, .limits = within});
        std::vector<answer> answers;
        while (answers.empty()) answers = collect(1);
        m = std::move(answers.front().measured);
    }
    if (!m) m = measurement{.failed = failure{failure_kind::lost, 0, "the process that ran it was ended, twice"}};
    return *std::move(m);
}

bool program::measures_time() const noexcept
{
    const auto& cost = its().plan.options().cost;
    return !cost || cost->measures_time();
}

std::size_t program::workers() const noexcept { return its().workers(); }

std::size_t program::room() const noexcept { return its().places.size() - its().jobs_out; }

double program::now() const noexcept { return its().now(); }

std::uint64_t program::failed_cleanups() const noexcept { return its().unclean; }

const std::string& program::failed_cleanup() const noexcept { return its().first_unclean; }

void program::clean_up()
{
    state& s = its();
    for (std::size_t k = 0; k < s.places.size(); ++k)
        if (s.places[k].busy) s.end(k);
    s.waiting.clear();
    s.to_run.clear();
    s.jobs_out = 0;
    if (s.plan.options().cleanup.empty()) s.set_up.clear();
    const std::vector<index> all = s.set_up;
    for (const index i : all) {
        s.begin(0, {.what = {.candidate = i}, .since = s.now(), .cleans_up = true});
        s.jobs_out = 1;
        while (s.jobs_out > 0) static_cast<void>(collect(1));
        std::erase(s.set_up, i);
    }
}

void program::repeat_until(double moment) noexcept { its().until = moment; }

void program::submit(const job& next)
{
    state& s = its();
    require(room() > 0, "program.submit: no room, want a call of room() before");
    require(next.task == 0 && next.candidate < s.configurations.size(),
            "program.submit: no such configuration, want one of the space");
    s.waiting.push_back({.what = next, .since = s.now()});
    s.advance();
    ++s.jobs_out;
}

std::vector<answer> program::collect(double seconds)
{
    state& s = its();
    const wall_clock clock;
    const double until = clock() + seconds;
    for (;;) {
        std::vector<answer> out;
        for (std::size_t k = 0; k < s.places.size(); ++k)
            if (s.places[k].busy && s.heard(k))
                if (auto told = s.answer_of(k)) out.push_back(*std::move(told));
        s.advance();
        const double moment = clock();
        if (!out.empty() || s.jobs_out == 0 || moment >= until) return out;
        detail::poll_set events;
        events.by((std::min)(until, moment + 0.5));  // then those are woken that were stopped
        for (const state::place& p : s.places) {
            if (!p.busy) continue;
            events.add(p.from.get());
            events.by(p.deadline);
        }
        events.wait(moment);
        if (clock() < until && events.events.empty()) return out;
    }
}

}  // namespace tunekit::measure
