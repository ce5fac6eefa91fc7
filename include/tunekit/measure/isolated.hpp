// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Measuring in a child process: no candidate can stop the tuner.

#include <poll.h>
#include <sys/wait.h>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/guarded_buffer.hpp"
#include "tunekit/measure/worker.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::measure {

/// Who holds a candidate to its memory.
enum class memory_rule : std::uint8_t {
    address_space,  ///< the system: RLIMIT_AS, allocations beyond it fail
    resident,       ///< the parent: looks every 10 ms and kills; for what maps far more than it uses
};

namespace detail {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace detail

/// Settings of `isolated`.
struct isolation {
    std::vector<canary> canaries{};  ///< of the buffers that candidates write; those must outlive the measurer
    /// What a candidate may add to what the worker begins with; 0: no limit.
    std::size_t memory_bytes = std::size_t{4} << 30;
    memory_rule rule = detail::sanitized ? memory_rule::resident : memory_rule::address_space;
};

/// What `isolated` returns: a measurer that owns a zygote, a worker, and what it knows of bad candidates. Move-only.
class isolated_measurer {
public:
    /// Forks. `work(index, limits)` measures one candidate, in the children; it is needed during this call alone.
    template <class Work>
    isolated_measurer(Work& work, isolation options) : options_(std::move(options))
    {
        const int threads = detail::sanitized ? 1 : detail::thread_count();
        if (threads > 1)
            throw error("isolated: this process runs " + std::to_string(threads) +
                        " threads, of which a fork keeps one; build it before starting threads");
        auto [ours, theirs] = detail::socket_pair();
        if (!ours) throw error(std::string("isolated: no socket pair: ") + std::strerror(errno));
        const pid_t self = ::getpid();
        zygote_ = ::fork();
        if (zygote_ < 0) throw error(std::string("isolated: no child process: ") + std::strerror(errno));
        if (zygote_ == 0) {
            ::setpgid(0, 0);
            detail::die_with(self);
            detail::reset_signals();
            if (!detail::close_all_but(theirs.get())) ::_exit(detail::status_unheard);
            const bool by_system = options_.rule == memory_rule::address_space;
            detail::zygote<Work>(work, by_system ? options_.memory_bytes : 0).run();
        }
        control_ = std::move(ours);
    }

    isolated_measurer(isolated_measurer&& other) noexcept
        : options_(std::move(other.options_)),
          bad_(std::move(other.bad_)),
          control_(std::move(other.control_)),
          worker_(std::move(other.worker_)),
          zygote_(std::exchange(other.zygote_, -1)),
          worker_pid_(other.worker_pid_),
          baseline_(other.baseline_),
          served_(other.served_)
    {
    }
    isolated_measurer& operator=(isolated_measurer&& other) noexcept
    {
        isolated_measurer taken(std::move(other));
        std::swap(options_, taken.options_);
        std::swap(bad_, taken.bad_);
        std::swap(control_, taken.control_);
        std::swap(worker_, taken.worker_);
        std::swap(zygote_, taken.zygote_);
        std::swap(worker_pid_, taken.worker_pid_);
        std::swap(baseline_, taken.baseline_);
        std::swap(served_, taken.served_);
        return *this;
    }
    isolated_measurer(const isolated_measurer&) = delete;
    isolated_measurer& operator=(const isolated_measurer&) = delete;

    /// Ends the children and waits for them.
    ~isolated_measurer()
    {
        control_.reset();  // the zygote ends the worker and itself
        worker_.reset();
        if (zygote_ < 0) return;
        while (::waitpid(zygote_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }

    /// Measures the batch in its order. Throws tunekit::error where the children cannot be had.
    [[nodiscard]] std::vector<measurement> measure(std::span<const index> batch, const limits& within)
    {
        std::vector<measurement> out;
        out.reserve(batch.size());
        for (const index i : batch)
            out.push_back(measure_one(i, within));
        return out;
    }

private:
    struct held {
        measurement what;
        double run_seconds = 0;  ///< the limit under which it failed
    };

    measurement measure_one(index which, const limits& within)
    {
        const auto known = bad_.find(which);
        if (known != bad_.end()) {
            const held& h = known->second;
            if (h.what.failed->kind != failure_kind::run_timeout || within.run_seconds <= h.run_seconds) return h.what;
        }
        bool culprit = false;
        const bool suspect = served_ > 0;
        measurement m = attempt(which, within, culprit);
        if (m.failed && suspect && !culprit) {
            const double before = m.run_seconds;
            m = attempt(which, within, culprit);  // in a fresh worker
            m.run_seconds += before;
        }
        if (m.failed) bad_[which] = {m, within.run_seconds};
        return m;
    }

    /// One candidate in the worker there is. Replaces the worker after any failure. `culprit`: no other candidate can
    /// be to blame.
    measurement attempt(index which, const limits& within, bool& culprit)
    {
        detail::order order{which, within};
        order.within.run_seconds *= 0.9;  // so that a good candidate hands in what it has before it is killed
        if (!worker_) replace(true);
        if (!detail::send_packet(worker_.get(), &order, sizeof order)) {
            replace(true);  // it ended between two candidates
            if (!detail::send_packet(worker_.get(), &order, sizeof order))
                throw error("isolated: a new worker does not listen");
        }
        ++served_;
        const wall_clock now;
        const double start = now();
        measurement m;
        switch (listen(which, start + within.run_seconds, m)) {
            case heard::answer:
                if (m.failed && m.failed->kind == failure_kind::out_of_memory &&
                    options_.rule == memory_rule::address_space)
                    m.failed->message += ", held to " + megabytes() + " more of address space (RLIMIT_AS)";
                if (m.failed) replace(true);
                break;
            case heard::end:
                m.failed = ended(replace(false));
                break;
            case heard::nonsense:
                replace(true);
                m.failed = failure{failure_kind::crash, 0, "damaged the worker, which answered nonsense"};
                break;
            case heard::too_long:
                replace(true);
                m.failed = failure{failure_kind::run_timeout, 0,
                                   "was still running after " + number(within.run_seconds) + " s"};
                break;
            case heard::too_much:
                replace(true);
                m.failed = failure{failure_kind::out_of_memory, 0,
                                   "made more than " + megabytes() + " resident (killed by the parent)"};
                break;
        }
        if (m.run_seconds == 0) m.run_seconds = now() - start;
        culprit = look_at_canaries(m);
        if (culprit && served_ != 0) replace(true);
        return m;
    }

    enum class heard : std::uint8_t { answer, end, nonsense, too_long, too_much };

    /// Waits for the answer about `which`.
    heard listen(index which, double deadline, measurement& m)
    {
        const wall_clock now;
        const bool watch = options_.rule == memory_rule::resident && options_.memory_bytes != 0;
        std::vector<unsigned char> bytes;
        unsigned char packet[detail::most_packet];
        for (;;) {
            const double left = 1e3 * (deadline - now());
            int wait = left > 1e9 ? 1000000000 : left > 0 ? static_cast<int>(left) + 1 : 0;
            if (watch && wait > 10) wait = 10;
            pollfd event{worker_.get(), POLLIN, 0};
            const int ready = ::poll(&event, 1, wait);
            if (ready <= 0) {
                if (now() >= deadline) return heard::too_long;
                if (watch && detail::memory_of(worker_pid_, 1) > baseline_ + options_.memory_bytes)
                    return heard::too_much;
                continue;
            }
            const std::size_t got = detail::receive_packet(worker_.get(), packet, sizeof packet);
            if (got == 0) return heard::end;
            bytes.insert(bytes.end(), packet, packet + got);
            if (bytes.size() < sizeof(detail::answer_head)) return heard::nonsense;
            detail::answer_head head;
            std::memcpy(&head, bytes.data(), sizeof head);
            if (head.total > detail::answer_head::most_total || head.total < bytes.size()) return heard::nonsense;
            if (head.total == bytes.size())
                return detail::from_bytes(bytes, which, m) ? heard::answer : heard::nonsense;
        }
    }

    /// Ends the worker, if there is one, and gets another.
    detail::zygote_answer replace(bool at_once)
    {
        worker_.reset();
        const detail::zygote_order order{at_once ? 1U : 0U};
        detail::zygote_answer answer;
        if (!detail::send_packet(control_.get(), &order, sizeof order) ||
            detail::receive_packet(control_.get(), &answer, sizeof answer, &worker_) != sizeof answer)
            throw error("isolated: the zygote is gone; something outside ended it");
        if (answer.worker < 0 || !worker_)
            throw error(std::string("isolated: no new worker: ") + std::strerror(answer.error));
        worker_pid_ = answer.worker;
        served_ = 0;
        if (options_.rule == memory_rule::resident) baseline_ = detail::memory_of(worker_pid_, 1);
        return answer;
    }

    /// What an ended conversation means, by how the worker ended.
    static failure ended(const detail::zygote_answer& how)
    {
        if (how.forced != 0) return {failure_kind::exited, 0, "closed the worker's descriptors and ran on"};
        if (WIFSIGNALED(how.status)) {
            const int signal = WTERMSIG(how.status);
            return {failure_kind::crash, signal, detail::signal_text(signal)};
        }
        const int status = WEXITSTATUS(how.status);
        if (status == detail::status_unheard) return {failure_kind::exited, status, "closed the worker's descriptors"};
        return {failure_kind::exited, status, "ended the process with status " + std::to_string(status)};
    }

    /// Turns damage beside the outputs into a failure, and mends it. True where there was any.
    bool look_at_canaries(measurement& m) const
    {
        std::string where;
        for (std::size_t k = 0; k < options_.canaries.size(); ++k) {
            const canary& c = options_.canaries[k];
            const std::size_t at = c.first_damaged();
            if (at == c.size) continue;
            c.restore();
            where += where.empty() ? "wrote beside output " : ", ";
            where += std::to_string(k) + ", " + std::to_string(at) + " bytes past its end";
        }
        if (where.empty()) return false;
        if (m.failed && (m.failed->kind == failure_kind::crash || m.failed->kind == failure_kind::exited)) {
            m.failed->message += "; " + where;
        } else {
            m.failed = failure{failure_kind::damaged_canary, 0, where};
        }
        m.cost = std::numeric_limits<double>::quiet_NaN();
        m.spread = 0;
        m.at_least = false;
        return true;
    }

    [[nodiscard]] std::string megabytes() const
    {
        return number(static_cast<double>(options_.memory_bytes >> 20)) + " MiB";
    }

    static std::string number(double x)
    {
        char text[32];
        std::snprintf(text, sizeof text, "%g", x);
        return text;
    }

    isolation options_;
    std::map<index, held> bad_;
    detail::descriptor control_;  ///< to the zygote
    detail::descriptor worker_;
    pid_t zygote_ = -1;
    pid_t worker_pid_ = -1;
    std::size_t baseline_ = 0;  ///< resident bytes of the worker when it began
    std::uint64_t served_ = 0;  ///< candidates that this worker was given
};

/// Measures the configurations of `space` in a child process that is replaced after any failure.
///
///     auto measure = isolated(space, timed{time_kernel, until_stable{}, check});
///
/// The children are forked here: kernel, check, space and all they capture are copied now, and what changes in the
/// parent later is not seen. Build it early: before large allocations, threads and device contexts. Outputs may lie in
/// `guarded_buffer`s; name their canaries in the options.
///
/// A candidate that ends the worker by signal or exit, runs longer than limits::run_seconds, takes more memory than it
/// may, answers wrongly or writes beside its output is a failed measurement. Where the worker had run other candidates
/// before, it is repeated once in a fresh one, unless a canary shows who it was; what fails there is kept and never run
/// again (after a time-out, unless the limit is longer). Workers have descriptors, signal handlers and a process group
/// of their own, write to the null device, and end with this process.
///
/// Throws:     tunekit::error where this process runs other threads or no child can be had; std::invalid_argument where
/// a setting
///             of `how` is out of range.
/// Cost:       about 10 us per measurement; about 1 ms for a new worker.
/// Threads:    to be built and used on the thread that outlives it: the system ends the children with the thread that
/// forked them.
template <space::typed Space, class Timed>
[[nodiscard]] isolated_measurer isolated(const Space& space, Timed how, isolation options = {})
{
    how.validate();
    auto work = [&space, &how](index which, const limits& within) { return how(space.at(which), within); };
    return isolated_measurer(work, std::move(options));
}

}  // namespace tunekit::measure
