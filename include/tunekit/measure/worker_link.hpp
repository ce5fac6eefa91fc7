// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The parent's side of `isolated`: a zygote, and the worker that it made last.

#include <poll.h>
#include <sys/wait.h>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/isolation.hpp"
#include "tunekit/measure/process.hpp"
#include "tunekit/measure/worker.hpp"

namespace tunekit::measure::detail {

/// How a wait for a worker's answer ended.
enum class heard : std::uint8_t { answer, end, nonsense, too_long, too_much };

/// Owns the children. Move-only.
/// Throws: tunekit::error where they cannot be had.
class worker_link {
public:
    /// Forks the zygote, whose workers measure with `work`; it is needed during this call alone.
    template <class Work>
    worker_link(Work& work, const isolation& how)
        : watched_bytes_(how.rule == memory_rule::resident ? how.memory_bytes : 0)
    {
        const int threads = sanitized ? 1 : thread_count();
        if (threads > 1)
            throw error("isolated: this process runs " + std::to_string(threads) +
                        " threads, of which a fork keeps one; build it before starting threads");
        auto [ours, theirs] = socket_pair();
        if (!ours) throw error(std::string("isolated: no socket pair: ") + std::strerror(errno));
        const pid_t self = ::getpid();
        zygote_ = ::fork();
        if (zygote_ < 0) throw error(std::string("isolated: no child process: ") + std::strerror(errno));
        if (zygote_ == 0) {
            ::setpgid(0, 0);
            die_with(self);
            reset_signals();
            if (!close_all_but(theirs.get())) ::_exit(status_unheard);
            const bool by_system = how.rule == memory_rule::address_space;
            zygote<Work>(work, by_system ? how.memory_bytes : 0).run();
        }
        control_ = std::move(ours);
    }

    worker_link(worker_link&& other) noexcept
        : watched_bytes_(other.watched_bytes_),
          control_(std::move(other.control_)),
          worker_(std::move(other.worker_)),
          zygote_(std::exchange(other.zygote_, -1)),
          worker_pid_(other.worker_pid_),
          baseline_(other.baseline_),
          served_(other.served_)
    {
    }
    worker_link& operator=(worker_link&& other) noexcept
    {
        worker_link taken(std::move(other));
        std::swap(watched_bytes_, taken.watched_bytes_);
        std::swap(control_, taken.control_);
        std::swap(worker_, taken.worker_);
        std::swap(zygote_, taken.zygote_);
        std::swap(worker_pid_, taken.worker_pid_);
        std::swap(baseline_, taken.baseline_);
        std::swap(served_, taken.served_);
        return *this;
    }
    worker_link(const worker_link&) = delete;
    worker_link& operator=(const worker_link&) = delete;

    /// Ends the children and waits for them.
    ~worker_link()
    {
        control_.reset();  // the zygote ends the worker and itself
        worker_.reset();
        if (zygote_ < 0) return;
        while (::waitpid(zygote_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }

    /// Candidates that this worker was given.
    [[nodiscard]] std::uint64_t served() const noexcept { return served_; }

    /// Gives a candidate to the worker there is, or to a new one.
    void give(const order& next)
    {
        if (!worker_) replace(true);
        if (!send_packet(worker_.get(), &next, sizeof next)) {
            replace(true);  // it ended between two candidates
            if (!send_packet(worker_.get(), &next, sizeof next)) throw error("isolated: a new worker does not listen");
        }
        ++served_;
    }

    /// Waits for the answer about `which`.
    heard listen(index which, double deadline, measurement& m)
    {
        const wall_clock now;
        const bool watch = watched_bytes_ != 0;
        std::vector<unsigned char> bytes;
        unsigned char packet[most_packet];
        for (;;) {
            const double left = 1e3 * (deadline - now());
            int wait = left > 1e9 ? 1000000000 : left > 0 ? static_cast<int>(left) + 1 : 0;
            if (watch && wait > 10) wait = 10;
            pollfd event{worker_.get(), POLLIN, 0};
            const int ready = ::poll(&event, 1, wait);
            if (ready <= 0) {
                if (now() >= deadline) return heard::too_long;
                if (watch && memory_of(worker_pid_, 1) > baseline_ + watched_bytes_)
                    return heard::too_much;
                continue;
            }
            const std::size_t got = receive_packet(worker_.get(), packet, sizeof packet);
            if (got == 0) return heard::end;
            bytes.insert(bytes.end(), packet, packet + got);
            if (bytes.size() < sizeof(answer_head)) return heard::nonsense;
            answer_head head;
            std::memcpy(&head, bytes.data(), sizeof head);
            if (head.total > answer_head::most_total || head.total < bytes.size()) return heard::nonsense;
            if (head.total == bytes.size())
                return from_bytes(bytes, which, m) ? heard::answer : heard::nonsense;
        }
    }

    /// Ends the worker, if there is one, and gets another.
    zygote_answer replace(bool at_once)
    {
        worker_.reset();
        const zygote_order order{at_once ? 1U : 0U};
        zygote_answer answer;
        if (!send_packet(control_.get(), &order, sizeof order) ||
            receive_packet(control_.get(), &answer, sizeof answer, &worker_) != sizeof answer)
            throw error("isolated: the zygote is gone; something outside ended it");
        if (answer.worker < 0 || !worker_)
            throw error(std::string("isolated: no new worker: ") + std::strerror(answer.error));
        worker_pid_ = answer.worker;
        served_ = 0;
        if (watched_bytes_ != 0) baseline_ = memory_of(worker_pid_, 1);
        return answer;
    }

private:
    std::size_t watched_bytes_;  ///< resident bytes that a worker may add; 0: not the parent's business
    descriptor control_;         ///< to the zygote
    descriptor worker_;
    pid_t zygote_ = -1;
    pid_t worker_pid_ = -1;
    std::size_t baseline_ = 0;  ///< resident bytes of the worker when it began
    std::uint64_t served_ = 0;
};

}  // namespace tunekit::measure::detail
