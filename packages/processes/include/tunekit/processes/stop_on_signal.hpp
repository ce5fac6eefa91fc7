// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Ends a run in order, with its results so far, on SIGINT, SIGTERM, SIGHUP or SIGQUIT.

#include <atomic>
#include <csignal>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/detail/system/signals.hpp"

namespace tunekit {

namespace detail {

/// The signal that came; 0: none. There is one for the process, because signals are the process's.
inline std::atomic<int> signal_heard{0};
inline std::atomic<bool> signals_watched{false};

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

/// While it lives, SIGINT, SIGTERM, SIGHUP and SIGQUIT end runs in order instead of the program. It is a `watch` for
/// `tune` and `tune_tasks`. A SIGHUP that is ignored, as by nohup, stays so.
///
///     tk::stop_on_signal stop;
///     const auto found = tk::tune(space, measurer, strategy, {.seconds = 600}, gen, {.watch = stop});
///     ...                                        // the table so far
///     return stop.status();                      // 130, 143, or 0
///
/// The measurement under way is completed. Jobs that are out in a pool are waited for. The same signal a second time
/// ends the program at once. Candidates do not get a Ctrl-C, because they are in process groups of their own. Only one
/// object may exist at a time. When it is destroyed, the signals have their former effect again.
///
/// Throws:     tunekit::error where another object exists.
/// Threads:    the handler is the process's; `heard` may be called from any thread.
class stop_on_signal {
public:
    /// Begins to watch the signals, without a signal heard. Throws tunekit::error where another object exists.
    stop_on_signal() = default;
    stop_on_signal(const stop_on_signal&) = delete;
    stop_on_signal& operator=(const stop_on_signal&) = delete;

    /// The signal that arrived; 0: none.
    [[nodiscard]] int heard() const noexcept { return detail::signal_heard; }
    /// The exit status that a shell reports for that signal: 128 plus its number; 0 where none arrived.
    [[nodiscard]] int status() const noexcept { return heard() == 0 ? 0 : 128 + heard(); }

    /// Whether the run must end. `watch` is called like this. (It cannot be called without arguments, because that
    /// would make it a clock.)
    template <class Record, class... More>
    [[nodiscard]] bool operator()(const Record&, const More&...) const noexcept
    {
        return heard() != 0;
    }

private:
    static void note(int signal) { detail::signal_heard = signal; }

    detail::only_watch only_;
    system::detail::handled_signal interrupt_{SIGINT, note}, terminate_{SIGTERM, note};
#ifdef SIGHUP
    system::detail::handled_signal hang_up_{SIGHUP, note}, quit_{SIGQUIT, note};
#endif
};

}  // namespace tunekit
