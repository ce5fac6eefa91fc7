// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A handler of a signal for a while.

#include <csignal>

#include "tunekit/core/detail/system.hpp"

namespace tunekit::system::detail {

/// While it lives, the first `signal` calls `handler`, and the next one does what it does in a new process. System
/// calls go on behind it. At the end the signal has its former effect again. A SIGHUP that is ignored stays so:
/// nohup(1) says that.
class handled_signal {
public:
    /// From now on, until the end, the first `signal` calls `handler`.
    handled_signal(int signal, void (*handler)(int)) noexcept : signal_(signal)
    {
#if TUNEKIT_ON_WINDOWS
        before_ = std::signal(signal, handler);
#else
        struct sigaction how{};
        how.sa_handler = handler;
        how.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);  // a macro of another type
        ::sigaction(signal, &how, &before_);
        if (signal == SIGHUP && before_.sa_handler == SIG_IGN) ::sigaction(signal, &before_, nullptr);
#endif
    }
    handled_signal(const handled_signal&) = delete;
    handled_signal& operator=(const handled_signal&) = delete;
    ~handled_signal()
    {
#if TUNEKIT_ON_WINDOWS
        if (before_ != SIG_ERR) std::signal(signal_, before_);
#else
        ::sigaction(signal_, &before_, nullptr);
#endif
    }

private:
    int signal_;
#if TUNEKIT_ON_WINDOWS
    void (*before_)(int) = SIG_DFL;
#else
    struct sigaction before_{};
#endif
};

}  // namespace tunekit::system::detail
