// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A pool of compiler processes, whatever the compiler is: what was asked for, what runs, and the results.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/processes/build/child_process.hpp"
#include "tunekit/processes/build/source_template.hpp"
#include "tunekit/processes/build/store.hpp"
#include "tunekit/processes/system/own_files.hpp"

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
    explicit build_place(const std::string& named);
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

private:
    temporary_directory own_;
    std::string name_;
};

/// The failure of a compiler: its messages from byte `from` on, in one line of at most 600 bytes.
failure refusal(const child_process& process, std::size_t from);

/// The result of a build.
struct build_outcome {
    std::optional<failure> failed{};  ///< why it did not build; empty where it did
    double seconds = 0;   ///< wall seconds; its share where several were built together; 0 where it was built before
    bool shared = false;  ///< whether it was compiled together with others, which may have damaged it

    friend bool operator==(const build_outcome&, const build_outcome&) = default;
};

/// A toolchain of any type, as `build_pool` describes it.
struct toolchain {
    virtual ~toolchain() = default;
    [[nodiscard]] virtual const store& built() const = 0;
    [[nodiscard]] virtual std::string key(const source& s, std::string_view entry) const = 0;
    [[nodiscard]] virtual std::size_t together() const = 0;
    [[nodiscard]] virtual bool alike(const source& a, const source& b) const = 0;
    [[nodiscard]] virtual child_process start(const std::vector<build_job>& unit, const std::string& stem,
                                              const std::string& scratch) const = 0;
    [[nodiscard]] virtual failure refused(const child_process& process) const = 0;
    [[nodiscard]] virtual bool blames_machine(const child_process& process) const = 0;
    [[nodiscard]] virtual source harmless(const source& like) const = 0;
    [[nodiscard]] virtual std::string suffix() const = 0;
};

template <class Toolchain>
struct toolchain_view final : toolchain {
    const Toolchain& its;

    explicit toolchain_view(const Toolchain& of) noexcept : its(of) {}
    [[nodiscard]] const store& built() const override { return its.cache(); }
    [[nodiscard]] std::string key(const source& s, std::string_view entry) const override
    {
        return its.cache().key(s, entry);
    }
    [[nodiscard]] std::size_t together() const override { return its.together(); }
    [[nodiscard]] bool alike(const source& a, const source& b) const override { return its.alike(a, b); }
    [[nodiscard]] child_process start(const std::vector<build_job>& unit, const std::string& stem,
                                      const std::string& scratch) const override
    {
        return its.start(unit, stem, scratch);
    }
    [[nodiscard]] failure refused(const child_process& process) const override { return its.refused(process); }
    [[nodiscard]] bool blames_machine(const child_process& process) const override
    {
        return its.blames_machine(process);
    }
    [[nodiscard]] source harmless(const source& like) const override { return its.harmless(like); }
    [[nodiscard]] std::string suffix() const override { return Toolchain::suffix; }
};

/// Wall seconds of processes that build, of all together.
struct build_account {
    double all = 0;        ///< of those that have ended
    double cut_short = 0;  ///< of those that their limit ended
};

/// What a `build_pool` does, whatever its toolchain is. It is moved with the pool, so each call is told the toolchain.
class build_queue {
public:
    build_queue(std::size_t processes, const std::string& place);

    [[nodiscard]] std::size_t processes() const noexcept { return processes_; }
    [[nodiscard]] std::uint64_t started() const noexcept { return started_; }
    [[nodiscard]] build_account spent() const noexcept { return spent_; }
    void submit(const toolchain& tools, const std::vector<source>& sources, std::string_view entry, double seconds);
    void submit_alone(const toolchain& tools, const source& s, std::string_view entry, double seconds);
    [[nodiscard]] build_outcome wait(const toolchain& tools, const std::string& key);
    [[nodiscard]] std::optional<build_outcome> result(const std::string& key);
    void advance(const toolchain& tools) { turn(tools, false); }
    void watch(poll_set& events) const;

private:
    struct state {
        bool done = false;
        double seconds = 0;  ///< the limit under which it was asked for
        build_outcome result{};
    };
    struct running {
        std::vector<build_job> unit;
        child_process process;
        std::string stem;  ///< of the names of its files
        double start = 0;
    };

    void turn(const toolchain& tools, bool patient);
    void start(const toolchain& tools);
    void finish(const toolchain& tools, running over, bool ended);

    std::size_t processes_;
    temporary_directory scratch_;
    std::map<std::string, state> known_;
    std::vector<std::vector<build_job>> queue_;
    std::vector<running> running_;  ///< behind `scratch_`, so that compilers end before their files are removed
    wall_clock now_{};
    std::uint64_t started_ = 0;
    build_account spent_{};
};

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
    using outcome = detail::build_outcome;

    /// `processes` run at a time; 0: one less than there are processors, at least 1. `directory` is made where it is
    /// missing; empty: a temporary one, removed with the pool. The toolchain is Toolchain(directory, options).
    template <class Options>
    build_pool(const std::string& directory, std::size_t processes, const Options& options)
        : place_(directory), tools_(place_.name(), options), queue_(processes, place_.name())
    {
    }

    /// The names of what was built and what could be; kernels take a copy to find their code.
    [[nodiscard]] const auto& cache() const noexcept { return tools_.cache(); }
    /// The toolchain that starts the processes.
    [[nodiscard]] const Toolchain& tools() const noexcept { return tools_; }
    /// The number of processes that run at a time.
    [[nodiscard]] std::size_t processes() const noexcept { return queue_.processes(); }
    /// The number of processes started so far.
    [[nodiscard]] std::uint64_t started() const noexcept { return queue_.started(); }
    /// The wall seconds that all of them took (`all`), and those of them that a limit ended (`cut_short`).
    [[nodiscard]] detail::build_account spent() const noexcept { return queue_.spent(); }

    /// Asks for `sources`, all with the entry point `entry`. Each may take its compiler `seconds` of wall time. Throws
    /// std::invalid_argument where a source asks for a compiler that is not listed.
    void submit(const std::vector<source>& sources, std::string_view entry, double seconds)
    {
        queue_.submit(view(), sources, entry, seconds);
    }

    /// Asks for `s` once more, in a compilation of its own, even where the cache has it: others may have damaged it.
    void submit_alone(const source& s, std::string_view entry, double seconds)
    {
        queue_.submit_alone(view(), s, entry, seconds);
    }

    /// Waits until what was submitted under `key` is built or has failed. Throws std::invalid_argument for an unknown
    /// key.
    [[nodiscard]] outcome wait(const std::string& key) { return queue_.wait(view(), key); }

    /// The result for a key; empty where it is not known yet. A later call for the same key gives 0 seconds.
    [[nodiscard]] std::optional<outcome> result(const std::string& key) { return queue_.result(key); }

    /// Takes what has been built and starts the next compilers. Does not wait.
    void advance() { queue_.advance(view()); }

    /// Adds what it waits for to `events`.
    void watch(detail::poll_set& events) const { queue_.watch(events); }

private:
    [[nodiscard]] detail::toolchain_view<Toolchain> view() const noexcept
    {
        return detail::toolchain_view<Toolchain>(tools_);
    }

    detail::build_place place_;
    Toolchain tools_;
    detail::build_queue queue_;
};

}  // namespace tunekit::measure
