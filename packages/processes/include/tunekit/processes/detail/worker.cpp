// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/worker.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cfenv>
#include <climits>
#include <csignal>
#include <cstring>
#include <exception>
#include <limits>
#include <new>

#include "tunekit/core/index_table.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/measurement.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/system/files.hpp"

namespace tunekit::measure::detail {

std::uint64_t fresh_nonce() noexcept
{
    std::uint64_t out = 0;
    if (!system::detail::unguessable(out))  // the system has just started
        out = core::mixed(static_cast<std::uint64_t>(1e9 * wall_clock{}()), static_cast<std::uint64_t>(::getpid()));
    return out;
}

std::vector<unsigned char> to_bytes(const order& to, const measurement& m, bool changed)
{
    std::vector<unsigned char> bytes = measure::to_bytes(m);
    const answer_head head{.nonce = to.nonce,
                           .total = sizeof head + bytes.size(),
                           .candidate = to.candidate,
                           .changed = changed ? std::uint64_t{1} : 0};
    const auto* const first = reinterpret_cast<const unsigned char*>(&head);
    bytes.insert(bytes.begin(), first, first + sizeof head);
    return bytes;
}

std::optional<answer_head> head_of(const std::vector<unsigned char>& bytes, const order& to)
{
    answer_head head;
    if (bytes.size() < sizeof head) return std::nullopt;
    std::memcpy(&head, bytes.data(), sizeof head);
    const bool fits = head.magic == answer_head::expected_magic && head.nonce == to.nonce &&
                      head.candidate == to.candidate && head.total >= bytes.size() &&
                      head.total <= answer_head::max_total;
    if (!fits) return std::nullopt;
    return head;
}

bool from_bytes(const std::vector<unsigned char>& bytes, const answer_head& head, measurement& m)
{
    if (head.total != bytes.size() || bytes.size() < sizeof head) return false;
    try {
        m = measurement_from(std::span(bytes).subspan(sizeof head));
        return true;
    } catch (const error&) {
        return false;
    }
}

std::string damage_at(std::span<const canary> canaries)
{
    std::string where;
    for (std::size_t k = 0; k < canaries.size(); ++k) {
        const canary& c = canaries[k];
        const std::size_t first = c.first_damaged();
        if (first == c.size) continue;
        c.restore();
        where += where.empty() ? "wrote beside output " : ", ";
        where += std::to_string(k) + ", " + std::to_string(first) + " bytes past its end";
    }
    return where;
}

void blame(measurement& m, const std::string& where)
{
    if (m.failed && (m.failed->kind == failure_kind::crash || m.failed->kind == failure_kind::exited)) {
        m.failed->message += "; " + where;
    } else {
        m.failed = failure{failure_kind::damaged_canary, 0, where};
    }
    m.cost = std::numeric_limits<double>::quiet_NaN();
    m.spread = 0;
    m.at_least = false;
    m.checked = check_state::unchecked;
}

namespace {

/// The state in which every candidate finds its worker: that of this process when this object was made. Signals do what
/// they do in a new process, except those that nobody sends here.
class process_state {
public:
    process_state() noexcept
    {
        std::fegetenv(&arithmetic_);
        if (::getcwd(directory_, sizeof directory_) == nullptr) directory_[0] = '\0';
        mask_ = ::umask(077);
        ::umask(mask_);
        nice_ = priority();
    }

    /// Restores rounding, flushing to zero and traps; signals and timers; working directory and umask.
    void restore() const noexcept
    {
        std::fesetenv(&arithmetic_);
        unblock_signals();
        for (const int s : disturbing) plain_signal(s);
        const itimerval never{};
        for (const auto timer : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) ::setitimer(timer, &never, nullptr);
        if (directory_[0] != '\0' && ::chdir(directory_) != 0) return;  // the directory does not exist any more
        ::umask(mask_);
    }

    /// Whether something changed that is not restored: children, the priority or class of scheduling, processors. Also
    /// true in a child of the process in which this object was made: a candidate that forks may return in both.
    [[nodiscard]] bool changed() const noexcept
    {
        siginfo_t info{};
        const bool childless =
            ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | system::detail::all_children) != 0;
        return !childless || ::getpid() != self_ || priority() != nice_ || place_.differs(system::detail::placement());
    }

private:
    /// Signals that a process gets for its own actions, or may send to itself. No timer is left that could send others.
    static constexpr int disturbing[] = {SIGILL,  SIGTRAP, SIGABRT, SIGBUS,  SIGFPE, SIGSEGV, SIGSYS,
                                         SIGPIPE, SIGCHLD, SIGUSR1, SIGUSR2, SIGINT, SIGTERM, SIGXCPU};

    static int priority() noexcept { return ::getpriority(PRIO_PROCESS, 0); }

    pid_t self_ = ::getpid();
    std::fenv_t arithmetic_{};
    char directory_[PATH_MAX];
    mode_t mask_ = 0;
    int nice_ = 0;
    system::detail::placement place_;
};

/// What one order comes to; what the candidate throws is its failure.
measurement outcome_of(const work_ref& work, const order& next)
{
    measurement m;
    try {
        m = work.run(work.self, static_cast<std::size_t>(next.task), next.candidate, next.within);
    } catch (const std::bad_alloc&) {
        m.failed = failure{failure_kind::out_of_memory, 0, "std::bad_alloc"};
    } catch (const std::exception& e) {
        m.failed = failure{failure_kind::invalid, 0, std::string("threw: ") + e.what()};
    } catch (...) {
        m.failed = failure{failure_kind::invalid, 0, "threw something other than a std::exception"};
    }
    return m;
}

/// Answers that there is no memory left, which takes none.
bool answer_without_memory(const order& to) noexcept
{
    static constexpr char message[] = "left no memory for its own answer";
    struct {
        answer_head head;
        measurement_head measured;
        char text[sizeof message];
    } out;
    out.measured.failed = 1;
    out.measured.kind = static_cast<std::uint8_t>(failure_kind::out_of_memory);
    out.measured.message = sizeof message - 1;
    out.head.nonce = to.nonce;
    out.head.candidate = to.candidate;
    out.head.total = sizeof out.head + sizeof out.measured + out.measured.message;
    std::memcpy(out.text, message, sizeof message);
    return send_packet(3, &out, static_cast<std::size_t>(out.head.total));
}

}  // namespace

[[noreturn]] void obey(const work_ref& work, std::span<const canary> own) noexcept
{
    const process_state before;
    order next;
    while (receive_packet(3, &next, sizeof next) == sizeof next) {
        bool heard = true;
        try {
            measurement m = outcome_of(work, next);
            if (const std::string where = damage_at(own); !where.empty()) blame(m, where);
            const std::vector<unsigned char> bytes = to_bytes(next, m, before.changed());
            for (std::size_t sent = 0; heard && sent < bytes.size(); sent += max_packet)
                heard = send_packet(3, bytes.data() + sent, (std::min)(max_packet, bytes.size() - sent));
        } catch (const std::bad_alloc&) {
            heard = answer_without_memory(next);
        }
        if (!heard) end_process(status_unheard);
        before.restore();  // after the answer, while the parent handles it
    }
    end_process(0);
}

}  // namespace tunekit::measure::detail
