// SPDX-License-Identifier: MIT
#include "tunekit/processes/stop_on_signal.hpp"

#include <atomic>
#include <csignal>

#include "tunekit/processes/detail/system/signals.hpp"

namespace tunekit {

namespace detail {

/// The signal that came; 0: none. There is one for the process, because signals are the process's.
static std::atomic<int> signal_heard{0};
static std::atomic<bool> signals_watched{false};

static void note_signal(int signal)
{
    int none = 0;
    signal_heard.compare_exchange_strong(none, signal);
}

/// Begins without a signal heard. Throws tunekit::error where another object exists.
struct only_watch {
    only_watch()
    {
        if (signals_watched.exchange(true)) throw error("stop_on_signal: there is one already, want one at a time");
        signal_heard = 0;
    }
    only_watch(const only_watch&) = delete;
    only_watch& operator=(const only_watch&) = delete;
    ~only_watch() { signals_watched = false; }
};

}  // namespace detail

struct stop_on_signal::handlers {
    detail::only_watch only{};
    system::detail::handled_signal interrupt{SIGINT, detail::note_signal}, terminate{SIGTERM, detail::note_signal};
#ifdef SIGHUP
    system::detail::handled_signal hang_up{SIGHUP, detail::note_signal}, quit{SIGQUIT, detail::note_signal};
    system::detail::handled_signal no_reader{SIGPIPE, detail::note_signal, true};  // each later write is one more
#endif
};

stop_on_signal::stop_on_signal() : handlers_(new handlers) {}

stop_on_signal::~stop_on_signal() { delete handlers_; }

int stop_on_signal::heard() noexcept { return detail::signal_heard; }

}  // namespace tunekit
