// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A handler of a signal for a while.

#include <csignal>

#include "tunekit/core/detail/system.hpp"

namespace tunekit::system::detail {

/// While it lives, the first `signal` calls `handler`, and the next one does what it does in a new process, unless
/// `each` one is handled. A system call that waits is interrupted by it: else what waits for ever would go on. At the
/// end the signal has its former effect again. A SIGHUP or SIGPIPE that is ignored stays so: nohup(1) says that.
class handled_signal {
public:
    /// From now on, until the end, the first `signal` or `each` calls `handler`.
    handled_signal(int signal, void (*handler)(int), bool each = false) noexcept;
    handled_signal(const handled_signal&) = delete;
    handled_signal& operator=(const handled_signal&) = delete;
    ~handled_signal();

private:
    int signal_;
#if TUNEKIT_ON_WINDOWS
    void (*before_)(int) = SIG_DFL;
#else
    struct sigaction before_{};
#endif
};

}  // namespace tunekit::system::detail
