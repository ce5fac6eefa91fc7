// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Ends a run in order, with its results so far, on SIGINT, SIGTERM, SIGHUP, SIGQUIT or SIGPIPE.

#include "tunekit/core/error.hpp"

namespace tunekit {

/// While it lives, SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGPIPE end runs in order instead of the program. It is a
/// `watch` for `tune` and `tune_tasks`. A SIGHUP or SIGPIPE that is ignored, as by nohup, stays so.
///
///     tk::stop_on_signal stop;
///     const auto found = tk::tune(space, measurer, strategy, {.seconds = 600}, gen, {.watch = stop});
///     ...                                        // the table so far
///     return stop.status();                      // 130, 143, or 0
///
/// The measurement under way is completed. Jobs that are out in a pool are waited for. A system call of the program
/// that waits is interrupted (EINTR), as under Python. The same signal a second time ends the program at once, except
/// SIGPIPE. Candidates do not get a Ctrl-C, because they are in process groups of their own. Only one object may exist
/// at a time. When it is destroyed, the signals have their former effect again.
///
/// Throws:     tunekit::error where another object exists.
/// Threads:    the handler is the process's; `heard` may be called from any thread.
class stop_on_signal {
public:
    /// Begins to watch the signals, without a signal heard. Throws tunekit::error where another object exists.
    stop_on_signal();
    stop_on_signal(const stop_on_signal&) = delete;
    stop_on_signal& operator=(const stop_on_signal&) = delete;
    ~stop_on_signal();

    /// The signal that arrived first since the object was made; 0: none.
    [[nodiscard]] static int heard() noexcept;
    /// The exit status that a shell reports for that signal: 128 plus its number; 0 where none arrived.
    [[nodiscard]] static int status() noexcept { return heard() == 0 ? 0 : 128 + heard(); }

    /// Whether the run must end. `watch` is called like this. (It cannot be called without arguments, because that
    /// would make it a clock.)
    template <class Record, class... More>
    [[nodiscard]] bool operator()(const Record&, const More&...) const noexcept
    {
        return heard() != 0;
    }

private:
    struct handlers;

    handlers* handlers_;
};

}  // namespace tunekit
