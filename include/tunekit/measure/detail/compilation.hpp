// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One run of a compiler: a process group of its own, whose output comes through a pipe, and which can be ended.

#include <fcntl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/detail/process.hpp"
#include "tunekit/measure/detail/spawn_settings.hpp"

namespace tunekit::measure::detail {

/// A process started by posix_spawn, or by fork. The first 8 KiB of its output and messages are kept. Move-only. The
/// destructor kills a running one with all its children.
class compilation {
public:
    /// Starts `command[0]` with the arguments that follow, on `cores` (empty: any). Its temporary files go to `scratch`. A
    /// shell waits for its end and for the end of this process, with which the whole group ends. Throws tunekit::error where
    /// the system starts no process.
    compilation(const std::vector<std::string>& command, const std::string& scratch, std::span<const int> cores = {})
    {
        const descriptor theirs = listen();
        auto [until, life] = pipe_ends();
        life_ = std::move(life);
        // The shell passes on a signal that ended the compiler.
        constexpr const char* script =
            R"sh("$@" 3<&- & c=$!; { read -r x; kill -9 0; } <&3 >&- 2>&- & exec 3<&- 2>/dev/null; wait $c; s=$?; )sh"
            R"sh([ $s -le 128 ] || kill -$((s - 128)) $$; exit $s)sh";
        std::vector<char*> arguments;
        for (const char* const word : {"sh", "-c", script, "sh"})
            arguments.push_back(const_cast<char*>(word));  // posix_spawn does not write there
        for (const std::string& a : command) arguments.push_back(const_cast<char*>(a.c_str()));  // nor there
        arguments.push_back(nullptr);
        std::string directory = "TMPDIR=" + scratch;
        std::string language = "LC_ALL=C";
        std::vector<char*> environment{directory.data(), language.data()};
        for (char** e = core::detail::system::environment(); e != nullptr && *e != nullptr; ++e)
            if (!std::string_view(*e).starts_with("TMPDIR=") && !std::string_view(*e).starts_with("LC_ALL="))
                environment.push_back(*e);
        environment.push_back(nullptr);

        spawn_settings how;
        how.silence(0, O_RDONLY);
        how.give(1, theirs.get());
        how.give(2, theirs.get());
        how.give(3, until.get());
        const std::vector<int> before = cores.empty() ? std::vector<int>() : allowed_cores();
        if (!use_cores(cores)) throw error("builder: cores are none that this process may use, want some that are");
        const int failed = how.start(pid_, "/bin/sh", arguments.data(), environment.data());
        use_cores(before);  // posix_spawn cannot set them, so the child inherited those of this thread
        if (failed != 0) {
            pid_ = -1;
            throw error(std::string("builder: cannot start /bin/sh: ") + std::strerror(failed));
        }
    }

    /// Forks, for compilers that are libraries: `work()` gives the exit status. The child writes to the pipe, reads nothing,
    /// and has no other descriptor of this process. Throws tunekit::error where the system forks none.
    template <class Work>
    explicit compilation(Work&& work)
        requires std::is_invocable_r_v<int, Work&>
    {
        const descriptor theirs = listen();
        const pid_t self = ::getpid();
        pid_ = ::fork();
        if (pid_ < 0) throw error(std::string("builder: no child process: ") + std::strerror(errno));
        if (pid_ == 0) {
            ::setpgid(0, 0);
            die_with(self);
            reset_signals();
            if (!close_all_but(theirs.get()) || ::dup2(3, 1) < 0 || ::dup2(3, 2) < 0) end_process(127);
            ::close(3);
            limit_memory(0);
            // What this process had not printed yet is no message of a compiler.
            core::detail::system::forget_unwritten(stdout);
            int status = 126;
            try {
                status = work();
            } catch (const std::exception& e) {
                ::dprintf(2, "error: %s\n", e.what());
            } catch (...) {
                ::dprintf(2, "error: something that is no std::exception was thrown\n");
            }
            end_process(status);
        }
        ::setpgid(pid_, pid_);  // in both processes, because either may be first
    }

    compilation(compilation&& other) noexcept
        : output_(std::move(other.output_)),
          life_(std::move(other.life_)),
          text_(std::move(other.text_)),
          pid_(std::exchange(other.pid_, -1)),
          status_(other.status_),
          silent_(other.silent_)
    {
    }
    compilation& operator=(compilation&& other) noexcept
    {
        std::swap(output_, other.output_);
        std::swap(life_, other.life_);
        std::swap(text_, other.text_);
        std::swap(pid_, other.pid_);
        std::swap(status_, other.status_);
        std::swap(silent_, other.silent_);
        return *this;
    }
    compilation(const compilation&) = delete;
    compilation& operator=(const compilation&) = delete;
    ~compilation() { end(); }

    /// Reads the output so far; true once the process has ended.
    bool advance()
    {
        const bool ended = reap(WNOHANG);  // before reading, so that its last output is read too
        char some[4096];
        while (!silent_) {
            const ssize_t got = ::read(output_.get(), some, sizeof some);
            if (got > 0) {
                if (text_.size() < most_text) text_.append(some, static_cast<std::size_t>(got));
            } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
                silent_ = true;
            } else if (errno == EAGAIN) {
                break;
            }
        }
        return ended;
    }

    /// Kills it and its children, where it has not ended.
    void end() noexcept
    {
        if (pid_ < 0) return;
        ::kill(-pid_, SIGKILL);
        reap(0);
    }

    /// The descriptor to poll for news; -1 where the process has closed its output and only its end is awaited.
    [[nodiscard]] int news() const noexcept { return silent_ ? -1 : output_.get(); }
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    /// The status, as waitpid gives it.
    [[nodiscard]] int status() const noexcept { return status_; }

private:
    static constexpr std::size_t most_text = 8192;

    /// The read end and the write end of a pipe, with numbers above those that a child needs for itself.
    static std::pair<descriptor, descriptor> pipe_ends()
    {
        const auto [read, write] = core::detail::system::make_pipe();
        if (!read) throw error(std::string("builder: no pipe: ") + std::strerror(errno));
        std::pair<descriptor, descriptor> out(::fcntl(read.get(), F_DUPFD_CLOEXEC, 4),
                                              ::fcntl(write.get(), F_DUPFD_CLOEXEC, 4));
        if (!out.first || !out.second) throw error(std::string("builder: no pipe: ") + std::strerror(errno));
        return out;
    }

    /// Opens the pipe and returns the child's end.
    descriptor listen()
    {
        auto [ours, theirs] = pipe_ends();
        output_ = std::move(ours);
        ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
#ifdef F_SETPIPE_SZ
        ::fcntl(output_.get(), F_SETPIPE_SZ, 1 << 20);  // so that a compiler with much output need not wait
#endif
        return std::move(theirs);
    }

    /// True where the process has ended. Then the children that it left are killed too.
    bool reap(int flags) noexcept
    {
        while (pid_ >= 0) {
            siginfo_t info{};
            const int looked = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | flags);
            if (looked != 0 && errno == EINTR) continue;
            if (looked == 0 && info.si_pid == 0) return false;
            ::kill(-pid_, SIGKILL);  // before waitpid, so that no other process has the number
            while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
            }
            pid_ = -1;  // where the program reaps children itself, the status stays 0 and the output decides
        }
        return true;
    }

    descriptor output_;
    descriptor life_;  ///< the shell waits for the end of this pipe, which ends with this process
    std::string text_;
    pid_t pid_ = -1;
    int status_ = 0;
    bool silent_ = false;
};

/// The failure of a compiler: its messages from byte `from` on, in one line of at most 600 bytes.
inline failure refusal(const compilation& process, std::size_t from)
{
    const std::string& text = process.text();
    std::string line;
    for (std::size_t i = from; i < text.size() && line.size() < 600; ++i) {
        if (text[i] == '\n') {
            line += i + 1 < text.size() ? " | " : "";
        } else {
            line += text[i];
        }
    }
    if (line.empty()) line = "the compiler said nothing";
    if (const int status = process.status(); WIFSIGNALED(status))
        line += "; the compiler was ended by signal " + std::to_string(WTERMSIG(status));
    return {failure_kind::build_error, 0, std::move(line)};
}

}  // namespace tunekit::measure::detail
