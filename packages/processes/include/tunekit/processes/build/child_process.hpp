// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A child process whose output is gathered, and which can be ended: a compiler, or a function that may crash.

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "tunekit/processes/detail/child.hpp"

namespace tunekit::measure {

/// A process started from a program or forked for a function, in a process group of its own. It reads nothing. Of its
/// output and messages 1 MiB is kept: of a longer text the first and the last half. Move-only. The destructor ends it.
///
///     child_process child([] { return ask_a_library_that_may_crash(); });
///     if (!child.await(10)) throw error("the library has not answered for 10 s");
///     if (child.status() == 0) use(child.text());
///
/// It ends with this process. Its process group ends with it.
///
/// Errors:     tunekit::error where the system starts no process.
/// Threads:    one object is for one thread at a time. A function needs a process in which no other thread holds what
///             it uses.
class child_process {
public:
    /// Starts `command[0]` with the arguments that follow, on the processors `cores` (empty: any). Its temporary files
    /// go to `scratch`. A shell waits for its end and for the end of this process, with which the whole group ends; no
    /// argument passes through the shell as text.
    child_process(const std::vector<std::string>& command, const std::string& scratch, std::span<const int> cores = {});

    /// Forks. `work()` gives the exit status; what it throws is a message and the status 126. The child has no
    /// descriptor of this process but those of its output.
    template <class Work>
    explicit child_process(Work&& work)
        requires std::is_invocable_r_v<int, Work&>
        : child_process(static_cast<const void*>(&work), [](const void* self) -> int {
              return (*static_cast<std::remove_reference_t<Work>*>(const_cast<void*>(self)))();
          })
    {
    }

    /// Reads the output so far; true once the process has ended.
    bool advance();

    /// Waits for its end or until `enough()`, at most `seconds`; false where neither has come by then.
    template <class Enough = std::false_type>
    [[nodiscard]] bool await(double seconds, const Enough& enough = {})
    {
        return await(seconds, static_cast<const void*>(&enough),
                     [](const void* self) -> bool { return (*static_cast<const Enough*>(self))(); });
    }

    /// Kills it and its group, where it has not ended.
    void end() noexcept { process_.end(); }
    /// Sends it and its group a signal, where it has not ended.
    void signal(int which) const noexcept { process_.kill(which); }

    /// The descriptor to poll for news; -1 where the process has closed its output and only its end is awaited.
    [[nodiscard]] int news() const noexcept { return output_.news(); }
    /// What it has written so far.
    [[nodiscard]] std::string text() const { return output_.text(); }
    /// The status, as waitpid gives it, once it has ended.
    [[nodiscard]] int status() const noexcept { return process_.status(); }

private:
    child_process(const void* work, int (*run)(const void* work));
    bool await(double seconds, const void* condition, bool (*holds)(const void* condition));

    /// Opens the pipe and returns the child's end.
    detail::descriptor listen();

    detail::heard_text output_{std::size_t{1} << 20};
    detail::descriptor life_;  ///< the shell waits for the end of this pipe, which ends with this process
    detail::child process_;
};

}  // namespace tunekit::measure
