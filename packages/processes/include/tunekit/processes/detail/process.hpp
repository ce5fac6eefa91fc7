// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The POSIX calls that isolation uses, with their errors handled in one place.

#include "tunekit/processes/detail/system/processes.hpp"  // first: it says what is wanted where a system forks nothing

#include <poll.h>
#include <sys/types.h>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/core/detail/system.hpp"

namespace tunekit::measure::detail {

using core::detail::sanitized;
using system::detail::adopt_descent;
using system::detail::allowed_cores;
using system::detail::close_from_4;
using system::detail::descriptor;
using system::detail::each_number_in;
using system::detail::end_process;
using system::detail::memory_of;
using system::detail::receive_now;
using system::detail::received;
using system::detail::send_packet;
using system::detail::socket_pair;
using system::detail::thread_count;
using system::detail::use_cores;

/// Whether the errno `why` is no configuration's fault: the system or the disk has no more to give, and the next would
/// fail too.
constexpr bool is_scarcity(int why) noexcept
{
    return why == ENOSPC || why == EDQUOT || why == EROFS || why == EIO || why == EMFILE || why == ENFILE ||
           why == ENOMEM || why == EAGAIN;
}

/// What to do where the system refuses a resource, as the end of a message; empty where nothing helps.
const char* remedy_of(int why) noexcept;

/// Writes a file with the content `text`. False, with errno, where it cannot be written whole.
bool wrote_file(const std::string& name, std::string_view text, mode_t mode) noexcept;

/// Waits for one packet. Returns its length; 0 at the end of the conversation.
std::size_t receive_packet(int from, void* bytes, std::size_t room) noexcept;

/// What several conversations wait for: descriptors with something to read, and a moment.
struct poll_set {
    core::plain_vector<pollfd> events{};
    double until = std::numeric_limits<double>::infinity();

    void add(int fd) { events.push_back({fd, POLLIN, 0}); }
    void by(double moment) { until = moment < until ? moment : until; }

    /// Waits for the first of them. `now` is the time on the clock of the moments.
    void wait(double now);
};

/// Makes `keep` descriptor 3, makes 0 to 2 the null device, and closes every other one. True on success. Else errno
/// says why, and descriptor 3 is `keep` all the same where that was possible. It needs five descriptors.
bool close_all_but(int keep) noexcept;

/// Makes `signal` do what it does in a new process.
void plain_signal(int signal) noexcept;

void unblock_signals() noexcept;

/// Makes every signal do what it does in a new process, and blocks none.
void reset_signals() noexcept;

/// Asks the system to send `signal` to this process when the thread that forked it ends, where it can be asked for
/// that. Where `parent` has already ended, this process ends at once.
void die_with(pid_t parent, int signal = SIGKILL) noexcept;

/// Forbids core files, and limits the address space to `more` bytes beyond what is mapped now (0: no limit).
void limit_memory(std::size_t more) noexcept;

/// A number for messages: 0.5, 64, 1e+09.
std::string short_number(double x);

/// A signal's name and meaning, such as "SIGSEGV, touched memory that it may not".
std::string signal_text(int signal);

}  // namespace tunekit::measure::detail
