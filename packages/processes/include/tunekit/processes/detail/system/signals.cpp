// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/system/signals.hpp"

#include "tunekit/core/detail/system.hpp"

namespace tunekit::system::detail {

handled_signal::handled_signal(int signal, void (*handler)(int), bool each) noexcept : signal_(signal)
{
#if TUNEKIT_ON_WINDOWS
    (void)each;  // nobody sends a second one there
    before_ = std::signal(signal, handler);
#else
    struct sigaction how{};
    how.sa_handler = handler;
    how.sa_flags = each ? 0 : static_cast<int>(SA_RESETHAND);  // a macro of another type
    ::sigaction(signal, &how, &before_);
    if ((signal == SIGHUP || signal == SIGPIPE) && before_.sa_handler == SIG_IGN)
        ::sigaction(signal, &before_, nullptr);
#endif
}

handled_signal::~handled_signal()
{
#if TUNEKIT_ON_WINDOWS
    if (before_ != SIG_ERR) std::signal(signal_, before_);
#else
    ::sigaction(signal_, &before_, nullptr);
#endif
}

}  // namespace tunekit::system::detail
