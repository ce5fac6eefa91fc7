// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A pool of compiler processes, whatever the compiler is: what was asked for, what runs, and the results.

#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/processes/build/child_process.hpp"
#include "tunekit/processes/build/source_template.hpp"
#include "tunekit/processes/build/store.hpp"
#include "tunekit/processes/detail/own_files.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/system/files.hpp"

namespace tunekit::measure {

namespace detail {

/// One source that must be built.
struct build_job {
    std::string key;
    source what;
    std::string entry;
    double seconds = 0;  ///< wall seconds that its compiler may take
};

/// The directory that a pool works in: a named one, made where it is missing, or a temporary one, removed with the
/// pool. Throws tunekit::error where it cannot be made, where others can write to it, and where nothing in it can be
/// executed.
class build_place {
public:
    explicit build_place(const std::string& named)
        : own_(named.empty() ? temporary_directory::fresh("tunekit-builder-", "builder") : temporary_directory()),
          name_(named.empty() ? own_.name() : no_option(named))
    {
        claim_folder(name_, "builder");
        if (system::detail::runs_nothing(name_))
            throw error("builder: the file system of '" + name_ +
                        "' is mounted noexec, so nothing built there can be loaded; want one elsewhere: name it, or "
                        "set TMPDIR");
        if (!named.empty()) temporary_directory::sweep(name_ + "/building-");
    }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

private:
    temporary_directory own_;
    std::string name_;
};

/// The failure of a compiler: its messages from byte `from` on, in one line of at most 600 bytes.
inline failure refusal(const child_process& process, std::size_t from)
{
    const std::string text = process.text();
    std::string line;
    for (std::size_t i = from; i < text.size() && line.size() < 600; ++i) {
        if (text[i] == '\n') {
            line += i + 1 < text.size() ? " | " : "";
        } else {
            line += text[i];
        }
    }
    if (line.empty()) line = "the compiler said nothing";
    if (const int status = process.status(); WIFSIGNALED(status))
        line += "; the compiler was ended by signal " + std::to_string(WTERMSIG(status));
    return {failure_kind::build_error, 0, std::move(line)};
}

}  // namespace detail

/// Builds sources in several processes, each source once. `Toolchain` starts a process and says where its result is.
/// `builder`, `nvrtc_builder` and `opencl_builder` are pools.
///
/// A toolchain is movable and has:
///   * `cache()`: a `store` with `key(source, entry)`;
///   * `together()`: the most sources per process, and `alike(source, source)`: whether two may share one;
///   * `start(jobs, stem, scratch)`: a `child_process` that writes `stem` + `suffix`;
///   * `refused(child_process)`: the failure described by its output;
///   * `blames_machine(child_process)`: whether the machine may be the cause, and `harmless(source)`: a source for the
///     same compiler that fails for no other reason.
/// Where several do not build together, or not within the time of one, they are built one by one, and only the faulty
/// one fails. What was built is in the cache. A failed source is not tried again; after a time-out it is, where the
/// limit is longer.
///
/// Processes are served in `submit`, `wait` and `advance`. Between those calls they continue, but none is started. Each
/// has a process group, which a time-out kills. They read nothing, and their messages become part of the failure.
///
/// Failures:   build_error with the compiler's messages, build_timeout.
/// Errors:     tunekit::error where a process cannot be started, a file cannot be written, or a harmless source fails
///             too.
/// Threads:    one object is for one thread at a time.
template <class Toolchain>
class build_pool {
public:
    /// The result of a build.
    struct outcome {
        std::optional<failure> failed{};  ///< why it did not build; empty where it did
        double seconds = 0;  ///< wall seconds; its share where several were built together; 0 where it was built before
        bool shared = false;  ///< whether it was compiled together with others, which may have damaged it

        friend bool operator==(const outcome&, const outcome&) = default;
    };

    /// `processes` run at a time; 0: one less than there are processors, at least 1. `directory` is made where it is
    /// missing; empty: a temporary one, removed with the pool. The toolchain is Toolchain(directory, options).
    template <class Options>
    build_pool(const std::string& directory, std::size_t processes, const Options& options)
        : processes_(processes != 0 ? processes : spare_processors()),
          place_(directory),
          tools_(place_.name(), options),
          scratch_(place_.name() + "/building-")
    {
    }

    /// The names of what was built and what could be; kernels take a copy to find their code.
    [[nodiscard]] const auto& cache() const noexcept { return tools_.cache(); }
    /// The toolchain that starts the processes.
    [[nodiscard]] const Toolchain& tools() const noexcept { return tools_; }
    /// The number of processes that run at a time.
    [[nodiscard]] std::size_t processes() const noexcept { return processes_; }
    /// The number of processes started so far.
    [[nodiscard]] std::uint64_t started() const noexcept { return started_; }

    /// Asks for `sources`, all with the entry point `entry`. Each may take its compiler `seconds` of wall time. Throws
    /// std::invalid_argument where a source asks for a compiler that is not listed.
    void submit(const std::vector<source>& sources, std::string_view entry, double seconds)
    {
        std::vector<job> wanted;
        for (const source& s : sources) {
            job j{cache().key(s, entry), s, std::string(entry), seconds};
            const auto known = known_.find(j.key);
            if (known != known_.end()) {
                state& k = known->second;
                const bool again = k.done && k.result.failed && k.result.failed->kind == failure_kind::build_timeout &&
                                   seconds > k.seconds;
                k.result.seconds = k.done ? 0 : k.result.seconds;
                if (!again) continue;
                known_.erase(known);
            }
            const auto there = cache().find(j.key);
            known_[j.key] = {there.has_value(), seconds, {.shared = there && there->shared}};
            if (!there) wanted.push_back(std::move(j));
        }
        const std::size_t share = (wanted.size() + processes_ - 1) / processes_;
        const std::size_t most = (std::max)((std::min)(share, tools_.together()), std::size_t{1});
        while (!wanted.empty()) {  // groups of sources that are alike, in the order asked for
            std::vector<job> unit;
            std::vector<job> rest;
            for (job& j : wanted) {
                const bool fits = unit.empty() || (unit.size() < most && tools_.alike(unit.front().what, j.what));
                (fits ? unit : rest).push_back(std::move(j));
            }
            queue_.push_back(std::move(unit));
            wanted = std::move(rest);
        }
        advance();
    }

    /// Asks for `s` once more, in a compilation of its own, even where the cache has it: others may have damaged it.
    void submit_alone(const source& s, std::string_view entry, double seconds)
    {
        std::vector<job> unit;
        unit.push_back({cache().key(s, entry), s, std::string(entry), seconds});
        known_[unit.front().key] = {false, seconds, {}};
        queue_.insert(queue_.begin(), std::move(unit));
        advance();
    }

    /// Waits until what was submitted under `key` is built or has failed. Throws std::invalid_argument for an unknown
    /// key.
    [[nodiscard]] outcome wait(const std::string& key)
    {
        const auto at = known_.find(key);
        if (at == known_.end()) invalid("builder.wait: a key that was not submitted, want one that was");
        while (!at->second.done) {
            if (queue_.empty() && running_.empty()) throw error("builder.wait: a build was lost to an earlier error");
            turn(true);
        }
        return at->second.result;
    }

    /// The result for a key; empty where it is not known yet. A later call for the same key gives 0 seconds.
    [[nodiscard]] std::optional<outcome> result(const std::string& key)
    {
        const auto at = known_.find(key);
        if (at == known_.end() || !at->second.done) return std::nullopt;
        outcome out = at->second.result;
        at->second.result.seconds = 0;
        return out;
    }

    /// Takes what has been built and starts the next compilers. Does not wait.
    void advance() { turn(false); }

    /// Adds what it waits for to `events`.
    void watch(detail::poll_set& events) const
    {
        for (const running& r : running_) {
            if (r.process.news() >= 0) events.add(r.process.news());
            else events.by(now_() + 1e-3);  // it has closed its output and is about to end
            events.by(r.start + r.unit.front().seconds);
        }
    }

private:
    using job = detail::build_job;
    struct state {
        bool done = false;
        double seconds = 0;  ///< the limit under which it was asked for
        outcome result{};
    };
    struct running {
        std::vector<job> unit;
        child_process process;
        std::string stem;  ///< of the names of its files
        double start = 0;
    };

    static std::size_t spare_processors() noexcept
    {
        const long n = ::sysconf(_SC_NPROCESSORS_ONLN);
        return n > 2 ? static_cast<std::size_t>(n - 1) : 1;
    }

    void turn(bool patient)
    {
        for (;;) {
            while (running_.size() < processes_ && !queue_.empty()) start();
            bool news = false;
            for (std::size_t i = 0; i < running_.size();) {
                running& r = running_[i];
                const bool ended = r.process.advance();
                if (!ended && now_() < r.start + r.unit.front().seconds) {
                    ++i;
                    continue;
                }
                running over = std::move(r);
                running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
                finish(std::move(over), ended);
                news = true;
            }
            if (news && !patient) continue;  // the next can start
            if (news || !patient) return;
            sleep();
        }
    }

    /// Waits until a compiler writes something, ends, or runs out of time.
    void sleep() const
    {
        detail::poll_set events;
        events.by(now_() + 1);
        watch(events);
        events.wait(now_());
    }

    void start()
    {
        std::vector<job> unit = std::move(queue_.front());
        queue_.erase(queue_.begin());
        const std::string stem = scratch_.name() + '/' + std::to_string(started_++);
        const double at = now_();
        auto process = tools_.start(unit, stem, scratch_.name());
        running_.push_back({std::move(unit), std::move(process), stem, at});
    }

    void finish(running over, bool ended)
    {
        const std::string object = over.stem + Toolchain::suffix;
        const double seconds = (now_() - over.start) / static_cast<double>(over.unit.size());
        over.process.end();
        const std::optional<std::string> bytes =
            ended && over.process.status() == 0 ? detail::bytes_of(object) : std::nullopt;
        const bool good = bytes && !bytes->empty();
        if (ended && !good && over.unit.size() == 1 && Toolchain::blames_machine(over.process))
            try_harmless(over.unit.front(), over.process);
        for (job& j : over.unit) {
            state& k = known_[j.key];
            k.result.seconds += seconds;
            if (good) {
                k.result.shared = over.unit.size() > 1;
                cache().publish({*bytes, k.result.shared}, j.key, over.stem + ".whole");
            } else if (over.unit.size() > 1) {
                continue;  // it is built alone later
            } else {
                k.result.failed = ended ? Toolchain::refused(over.process) : late(j.seconds);
            }
            k.done = true;
        }
        if (!good && over.unit.size() > 1)
            for (std::size_t i = over.unit.size(); i-- > 0;) {
                std::vector<job> alone;
                alone.push_back(std::move(over.unit[i]));
                queue_.insert(queue_.begin(), std::move(alone));
            }
        ::unlink(object.c_str());
        ::unlink((over.stem + ".cpp").c_str());
    }

    /// Is called after a failure whose cause may be the machine. Throws tunekit::error, with the messages of that
    /// failure, where a harmless source fails too.
    void try_harmless(const job& failed, const child_process& process)
    {
        const std::string stem = scratch_.name() + "/harmless";
        std::vector<job> unit;
        unit.push_back({cache().key(tools_.harmless(failed.what), "kernel"), tools_.harmless(failed.what), "kernel"});
        auto again = tools_.start(unit, stem, scratch_.name());
        static_cast<void>(again.await(harmless_seconds));
        again.end();
        const std::string object = stem + Toolchain::suffix;
        const auto bytes = detail::bytes_of(object);
        const bool good = again.status() == 0 && bytes && !bytes->empty();
        ::unlink(object.c_str());
        ::unlink((stem + ".cpp").c_str());
        if (good) return;
        throw error("builder: not even an empty source is compiled any more, in '" + cache().directory() +
                    "': " + Toolchain::refused(process).message +
                    "; want a compiler that works, with room there and memory to run in");
    }

    static constexpr double harmless_seconds = 30;

    static failure late(double seconds)
    {
        return {failure_kind::build_timeout, 0, "was still compiling after " + std::to_string(seconds) + " s"};
    }

    std::size_t processes_;
    detail::build_place place_;
    Toolchain tools_;
    detail::temporary_directory scratch_;
    std::map<std::string, state> known_;
    std::vector<std::vector<job>> queue_;
    std::vector<running> running_;  ///< behind `scratch_`, so that compilers end before their files are removed
    wall_clock now_{};
    std::uint64_t started_ = 0;
};

}  // namespace tunekit::measure
