// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/zygote.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/detail/descent.hpp"
#include "tunekit/processes/detail/keeper.hpp"
#include "tunekit/processes/detail/process.hpp"

namespace tunekit::measure::detail {

namespace {

class zygote {
public:
    zygote(work_ref work, std::size_t memory_bytes, std::span<const canary> own, bool enclosed, bool confined) noexcept
        : own_(own),
          inside_(enclosed || confined ? enclosure::namespaced : enclosure::none),
          confined_(confined),
          work_(work),
          memory_bytes_(memory_bytes),
          parent_(::getppid())
    {
    }

    [[noreturn]] void run() noexcept
    {
        adopt_descent();
        sigset_t all;
        sigfillset(&all);
        ::sigprocmask(SIG_BLOCK, &all, nullptr);
        signals_ = system::detail::signal_news::listening();
        for (;;) {
            pollfd events[3] = {{3, POLLIN, 0}, {signals_.fd(), POLLIN, 0}, {report_.get(), POLLIN, 0}};
            if (::poll(events, 3, -1) < 0) continue;
            if (events[1].revents != 0 || events[2].revents != 0) look_after_keeper();
            if (::getppid() != parent_) leave();  // a SIGTERM is ignored
            if (events[0].revents == 0) continue;
            zygote_order order;
            if (receive_packet(3, &order, sizeof order) != sizeof order) leave();
            zygote_answer answer = end(order.at_once != 0);
            const descriptor theirs = spawn(answer);
            if (!send_packet(3, &answer, sizeof answer, theirs.get())) leave();
        }
    }

private:
    [[noreturn]] void leave()
    {
        end(true);
        end_process(0);
    }

    /// Reads how the worker ended, wakes a keeper that was stopped, and notices one that is gone.
    void look_after_keeper()
    {
        signals_.take();
        if (keeper_ < 0) return;
        siginfo_t info{};
        const bool changed = ::waitid(P_PID, static_cast<id_t>(keeper_), &info, WEXITED | WSTOPPED | WNOHANG) == 0 &&
                             info.si_pid == keeper_;
        const bool gone = changed && info.si_code != CLD_STOPPED;
        if (changed && !gone) ::kill(keeper_, SIGCONT);
        hear_keeper();  // its last note too
        if (!gone) return;
        keeper_ = -1;
        report_.reset();
        if (!ended_) orphaned_ = 1;
        has_ended();
    }

    void hear_keeper()
    {
        keeper_note note;
        std::size_t size = 0;
        if (!report_ || receive_now(report_.get(), &note, sizeof note, size) != received::packet) return;
        if (size != sizeof note || note.news != keeper_note::what::ended) return;
        status_ = note.value;
        has_ended();
    }

    /// Tells the parent once that the worker has ended. The parent may not see it where children of the worker hold its
    /// descriptor.
    void has_ended()
    {
        if (ended_) return;
        ended_ = true;
        const zygote_answer news{.news = zygote_answer::what::ended, .worker = worker_};
        send_packet(3, &news, sizeof news);
    }

    /// Waits for the worker's end, at most that many milliseconds.
    void await_end(int milliseconds)
    {
        const wall_clock now;
        const double deadline = now() + 1e-3 * milliseconds;
        while (!ended_ && keeper_ >= 0) {
            const double left = deadline - now();
            if (left <= 0) return;
            pollfd events[2] = {{signals_.fd(), POLLIN, 0}, {report_.get(), POLLIN, 0}};
            ::poll(events, 2, static_cast<int>(1e3 * left) + 1);
            look_after_keeper();
        }
    }

    /// Ends the worker and all that it leaves.
    zygote_answer end(bool at_once)
    {
        zygote_answer answer;
        if (worker_ >= 0) {
            look_after_keeper();
            if (!at_once) await_end(500);
            answer.forced = ended_ ? 0 : 1;
            answer.status = status_;
            ::kill(-worker_, SIGKILL);  // the group; this works without /proc too
            await_end(1000);            // faster than to wait for all descendants
            answer.orphaned = orphaned_;
            if (keeper_ >= 0) {
                ::kill(keeper_, SIGKILL);
                ::waitpid(keeper_, nullptr, 0);
            }
            end_descent();
        }
        keeper_ = worker_ = -1;
        report_.reset();
        ended_ = false;
        status_ = orphaned_ = 0;
        const std::string where = damage_at(own_);
        std::memcpy(answer.damage, where.data(), (std::min)(where.size(), sizeof answer.damage - 1));
        return answer;
    }

    descriptor spawn(zygote_answer& answer)
    {
        auto [theirs, ours] = socket_pair();
        auto [report, notes] = socket_pair();
        if (!theirs || !report) {
            answer.error = errno;
            return {};
        }
        const pid_t self = ::getpid();
        const uid_t user = ::geteuid();
        const gid_t group = ::getegid();
        pid_t child = fork_into(inside_, confined_);
        if (child < 0 && inside_ == enclosure::namespaced && errno == EPERM) {
            inside_ = enclosure::user_namespaced;
            child = fork_into(inside_, confined_);
        }
        if (child == 0)
            run_keeper({work_, memory_bytes_, own_, inside_, confined_}, self, user, group, ours.get(), notes.get());
        if (child < 0) {
            answer.error = errno;
            return {};
        }
        keeper_ = child;
        report_ = std::move(report);
        notes.reset();
        keeper_note note;
        if (receive_packet(report_.get(), &note, sizeof note) != sizeof note) {
            note.news = keeper_note::what::failed;
            note.value = ECHILD;
        }
        worker_ = note.worker;
        if (note.news != keeper_note::what::begun) {
            answer.error = note.value;
            worker_ = child;  // so that end() ends it
            end(true);
            return {};
        }
        if (inside_ != enclosure::none)
            each_child_of(keeper_, [this](pid_t p) { worker_ = p; });  // its number outside the namespace
        answer.worker = worker_;
        answer.keeper = keeper_;
        return std::move(theirs);
    }

    std::span<const canary> own_;
    enclosure inside_;
    bool confined_;
    work_ref work_;
    std::size_t memory_bytes_;
    pid_t parent_;
    system::detail::signal_news signals_;
    descriptor report_;  ///< notes of the keeper come here
    pid_t keeper_ = -1;
    pid_t worker_ = -1;
    bool ended_ = false;  ///< whether the worker has ended and the parent was told
    int status_ = 0;
    int orphaned_ = 0;
};

}  // namespace

void run_zygote(work_ref work, std::size_t memory_bytes, std::span<const canary> own, bool enclosed,
                bool confined) noexcept
{
    zygote(work, memory_bytes, own, enclosed, confined).run();
}

}  // namespace tunekit::measure::detail
