// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The two kinds of child that `isolated` has: the worker, which runs candidates, and the zygote, which forks workers.

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/process.hpp"

namespace tunekit::measure::detail {

/// What the parent says to a worker.
struct order {
    index which = 0;
    limits within{};
};

/// What a worker answers, followed by the message and the batches.
struct answer_head {
    std::uint64_t magic = expected_magic;
    std::uint64_t total = 0;  ///< bytes, this head included
    index which = 0;
    double cost = 0;
    double spread = 0;
    double build_seconds = 0;
    double run_seconds = 0;
    std::uint64_t message = 0;  ///< bytes
    std::uint64_t batches = 0;  ///< doubles
    std::uint32_t runs = 0;
    std::int32_t code = 0;
    std::uint8_t kind = 0;
    std::uint8_t failed = 0;
    std::uint8_t at_least = 0;
    std::uint8_t unused[5] = {};

    static constexpr std::uint64_t expected_magic = 0x74756E656B697431U;
    static constexpr std::uint64_t most_total = std::uint64_t{1} << 26;
};

inline constexpr std::size_t most_packet = 32768;
inline constexpr int status_unheard = 121;  ///< exit status of a worker whose answer could not be sent

inline std::vector<unsigned char> to_bytes(index which, const measurement& m)
{
    answer_head head;
    head.which = which;
    head.cost = m.cost;
    head.spread = m.spread;
    head.build_seconds = m.build_seconds;
    head.run_seconds = m.run_seconds;
    head.runs = m.runs;
    head.at_least = m.at_least ? 1 : 0;
    head.batches = m.batches.size();
    if (m.failed) {
        head.failed = 1;
        head.kind = static_cast<std::uint8_t>(m.failed->kind);
        head.code = m.failed->code;
        head.message = (std::min)(m.failed->message.size(), std::size_t{65536});
    }
    head.total = sizeof head + head.message + head.batches * sizeof(double);
    std::vector<unsigned char> bytes(head.total);
    std::memcpy(bytes.data(), &head, sizeof head);
    if (head.message != 0) std::memcpy(bytes.data() + sizeof head, m.failed->message.data(), head.message);
    if (head.batches != 0)
        std::memcpy(bytes.data() + sizeof head + head.message, m.batches.data(), head.batches * sizeof(double));
    return bytes;
}

/// The answer in `bytes`; false where they are none to `which`: a candidate may have damaged the worker that sent them.
inline bool from_bytes(const std::vector<unsigned char>& bytes, index which, measurement& m)
{
    answer_head head;
    if (bytes.size() < sizeof head) return false;
    std::memcpy(&head, bytes.data(), sizeof head);
    if (head.magic != answer_head::expected_magic || head.which != which || head.total != bytes.size()) return false;
    if (head.kind > static_cast<std::uint8_t>(failure_kind::bad_cost) || head.message > bytes.size() ||
        head.batches > bytes.size())
        return false;
    if (sizeof head + head.message + head.batches * sizeof(double) != bytes.size()) return false;
    m = measurement{};
    m.cost = head.cost;
    m.spread = head.spread;
    m.build_seconds = head.build_seconds;
    m.run_seconds = head.run_seconds;
    m.runs = head.runs;
    m.at_least = head.at_least != 0;
    m.batches.resize(head.batches);
    const unsigned char* const message = bytes.data() + sizeof head;
    if (head.batches != 0) std::memcpy(m.batches.data(), message + head.message, head.batches * sizeof(double));
    if (head.failed != 0)
        m.failed =
            failure{static_cast<failure_kind>(head.kind), head.code, std::string(message, message + head.message)};
    return true;
}

/// Answers orders on descriptor 3 until nobody gives any more. `work(index, limits)` measures.
template <class Work>
[[noreturn]] void serve(Work& work)
{
    order next;
    while (receive_packet(3, &next, sizeof next) == sizeof next) {
        measurement m;
        try {
            m = work(next.which, next.within);
        } catch (const std::bad_alloc&) {
            m.failed = failure{failure_kind::out_of_memory, 0, "std::bad_alloc"};
        } catch (const std::exception& e) {
            m.failed = failure{failure_kind::invalid, 0, std::string("threw: ") + e.what()};
        } catch (...) {
            m.failed = failure{failure_kind::invalid, 0, "threw something that is no std::exception"};
        }
        const std::vector<unsigned char> bytes = to_bytes(next.which, m);
        for (std::size_t at = 0; at < bytes.size(); at += most_packet)
            if (!send_packet(3, bytes.data() + at, (std::min)(most_packet, bytes.size() - at))) ::_exit(status_unheard);
    }
    ::_exit(0);
}

/// What the parent says to the zygote: end the worker, if there is one, and give me another.
struct zygote_order {
    std::uint32_t at_once = 0;  ///< or let it end by itself, for a while
};

/// What the zygote answers, with the parent's end of the conversation with the new worker.
struct zygote_answer {
    pid_t worker = -1;  ///< the new one; -1 where there is none, for the reason `error`
    int error = 0;      ///< errno
    int status = 0;     ///< of the worker that ended, as waitpid gives it
    int forced = 0;     ///< it had to be killed
};

/// Forks workers on demand, and ends with its parent or at the end of the conversation on descriptor 3. Small, and runs
/// no candidate.
template <class Work>
class zygote {
public:
    zygote(Work& work, std::size_t memory_bytes) : work_(work), memory_bytes_(memory_bytes) {}

    [[noreturn]] void run()
    {
        sigset_t child;
        ::sigemptyset(&child);
        ::sigaddset(&child, SIGCHLD);
        ::sigprocmask(SIG_BLOCK, &child, nullptr);
        ended_ = descriptor(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
        for (;;) {
            pollfd events[2] = {{3, POLLIN, 0}, {ended_.get(), POLLIN, 0}};
            if (::poll(events, 2, -1) < 0) continue;
            if (events[1].revents != 0) reap(0);
            if (events[0].revents == 0) continue;
            zygote_order order;
            if (receive_packet(3, &order, sizeof order) != sizeof order) {
                end(true);
                ::_exit(0);
            }
            zygote_answer answer = end(order.at_once != 0);
            const descriptor theirs = spawn(answer);
            if (!send_packet(3, &answer, sizeof answer, theirs.get())) {
                end(true);
                ::_exit(0);
            }
        }
    }

private:
    /// Collects the worker if it has ended, waiting at most so long; ends what it left in its process group.
    bool reap(int milliseconds)
    {
        for (;;) {
            if (worker_ < 0) return true;
            signalfd_siginfo news;
            while (::read(ended_.get(), &news, sizeof news) > 0) {
            }
            siginfo_t info{};
            if (::waitid(P_PID, static_cast<id_t>(worker_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                info.si_pid == worker_) {
                ::kill(-worker_, SIGKILL);
                ::waitpid(worker_, &status_, 0);
                worker_ = -1;
                return true;
            }
            if (milliseconds == 0) return false;
            pollfd event{ended_.get(), POLLIN, 0};
            ::poll(&event, 1, milliseconds);
            milliseconds = 0;
        }
    }

    zygote_answer end(bool at_once)
    {
        zygote_answer answer;
        if (worker_ >= 0 && (at_once || !reap(500))) {
            answer.forced = reap(0) ? 0 : 1;
            if (answer.forced != 0) {
                ::kill(-worker_, SIGKILL);
                ::kill(worker_, SIGKILL);
                while (!reap(1000)) {
                }
            }
        }
        answer.status = status_;
        status_ = 0;
        return answer;
    }

    descriptor spawn(zygote_answer& answer)
    {
        auto [theirs, ours] = socket_pair();
        const pid_t self = ::getpid();
        const pid_t child = theirs ? ::fork() : -1;
        if (child == 0) {
            ::setpgid(0, 0);
            die_with(self);
            reset_signals();
            if (!close_all_but(ours.get())) ::_exit(status_unheard);
            limit_memory(memory_bytes_);
            serve(work_);
        }
        if (child < 0) {
            answer.error = errno;
            return {};
        }
        ::setpgid(child, child);
        worker_ = answer.worker = child;
        return std::move(theirs);
    }

    Work& work_;
    std::size_t memory_bytes_;
    descriptor ended_;
    pid_t worker_ = -1;
    int status_ = 0;
};

}  // namespace tunekit::measure::detail
