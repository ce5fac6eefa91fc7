// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The log of a tuning run: what one line holds, and a file that takes whole lines or none.

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"

namespace tunekit::io {

inline constexpr int log_schema = 1;

/// The first line of a log: what must be the same for the rest to mean the same.
struct log_header {
    struct task_entry {
        std::string name{};
        index size = 0;
        std::uint64_t fingerprint = 0;  ///< of the space

        friend bool operator==(const task_entry&, const task_entry&) = default;
    };

    std::string version{};  ///< of tunekit
    std::string machine{};  ///< key of the machine that measures
    std::uint64_t seed = 0;
    std::string strategy{};
    std::string schedule{};
    double seconds = 0;       ///< budget; may be raised when a run is resumed
    double slot_seconds = 0;  ///< in force
    std::uint64_t batch = 0;
    std::vector<task_entry> tasks{};
};

/// One line per trial.
struct log_trial {
    std::uint64_t task = 0;   ///< position in log_header::tasks
    std::uint64_t batch = 0;  ///< 0, 1, ... over all tasks
    index candidate = 0;
    measure::limits limits{};
    measure::measurement measured{};
    std::int64_t ended_ns = 0;              ///< when it was measured, since the start of the run
    std::optional<std::int64_t> stamp_ns{}; ///< of its batch; only on the batch's last trial
};

/// The names of failures in logs and messages.
inline constexpr const char* failure_names[] = {"invalid",       "build error",  "build time-out", "crash",
                                                "exit",          "run time-out", "out of memory",  "wrong result",
                                                "damaged canary", "launch error", "bad cost"};

[[nodiscard]] inline const char* name_of(measure::failure_kind kind) { return failure_names[static_cast<int>(kind)]; }

namespace detail {

/// Writes one JSON object, member by member. Numbers keep every bit; what JSON cannot say (NaN, infinities) becomes null.
class json_line {
public:
    json_line& member(std::string_view key, double x) { return begin(key), number(x), *this; }
    json_line& member(std::string_view key, std::uint64_t x) { return begin(key), integer(x), *this; }
    json_line& member(std::string_view key, std::int64_t x) { return begin(key), integer(x), *this; }
    json_line& member(std::string_view key, bool x) { return begin(key), text_ += x ? "true" : "false", *this; }
    json_line& member(std::string_view key, std::string_view x) { return begin(key), quoted(x), *this; }
    json_line& member(std::string_view key, const char* x) { return member(key, std::string_view(x)); }  // or it would be a bool
    json_line& member(std::string_view key, const std::vector<double>& xs)
    {
        begin(key);
        text_ += '[';
        for (std::size_t i = 0; i < xs.size(); ++i) {
            if (i != 0) text_ += ',';
            number(xs[i]);
        }
        text_ += ']';
        return *this;
    }
    /// `json` is JSON text already.
    json_line& member_json(std::string_view key, std::string_view json) { return begin(key), text_ += json, *this; }

    [[nodiscard]] std::string text() const { return text_.empty() ? "{}" : text_ + '}'; }

private:
    void begin(std::string_view key)
    {
        text_ += text_.empty() ? '{' : ',';
        quoted(key);
        text_ += ':';
    }
    void number(double x)
    {
        if (!std::isfinite(x)) {
            text_ += "null";
            return;
        }
        char buffer[32];
        text_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr);
    }
    template <class Integer>
    void integer(Integer x)
    {
        char buffer[24];
        text_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr);
    }
    void quoted(std::string_view s)
    {
        static constexpr char hex[] = "0123456789abcdef";
        text_ += '"';
        for (const char c : s) {
            const auto u = static_cast<unsigned char>(c);
            if (c == '"' || c == '\\') {
                text_ += '\\';
                text_ += c;
            } else if (u < 0x20 || u >= 0x7f) {  // foreign bytes as Latin-1: a compiler's message must not make a line unreadable
                text_ += "\\u00";
                text_ += hex[u >> 4];
                text_ += hex[u & 15];
            } else {
                text_ += c;
            }
        }
        text_ += '"';
    }

    std::string text_;
};

}  // namespace detail

/// The text of a header line, without the line's end.
[[nodiscard]] inline std::string to_line(const log_header& h)
{
    std::string tasks = "[";
    for (const auto& t : h.tasks) {
        if (tasks.size() > 1) tasks += ',';
        tasks += detail::json_line().member("name", t.name).member("size", t.size).member("fingerprint", t.fingerprint).text();
    }
    return detail::json_line()
        .member("tunekit_log", std::int64_t{log_schema})
        .member("version", h.version)
        .member("machine", h.machine)
        .member("seed", h.seed)
        .member("strategy", h.strategy)
        .member("schedule", h.schedule)
        .member("seconds", h.seconds)
        .member("slot_seconds", h.slot_seconds)
        .member("batch", h.batch)
        .member_json("tasks", tasks + ']')
        .text();
}

/// The text of a trial's line, without the line's end.
[[nodiscard]] inline std::string to_line(const log_trial& t)
{
    detail::json_line line;
    line.member("task", t.task).member("batch", t.batch).member("index", t.candidate);
    line.member_json("limits", detail::json_line()
                                   .member("abandon_above", t.limits.abandon_above)
                                   .member("run_s", t.limits.run_seconds)
                                   .member("build_s", t.limits.build_seconds)
                                   .text());
    const auto& m = t.measured;
    line.member("cost", m.cost).member("spread", m.spread).member("runs", std::uint64_t{m.runs});
    line.member("at_least", m.at_least).member("build_s", m.build_seconds).member("run_s", m.run_seconds);
    if (m.failed)
        line.member_json("failed", detail::json_line()
                                       .member("kind", name_of(m.failed->kind))
                                       .member("code", std::int64_t{m.failed->code})
                                       .member("message", m.failed->message)
                                       .text());
    line.member("batches", m.batches).member("ended_ns", t.ended_ns);
    if (t.stamp_ns) line.member("stamp_ns", *t.stamp_ns);
    return line.text();
}

/// A file that grows by whole lines, one `write` each, by one process at a time.
///
/// What was written survives the process (SIGKILL included). A loss of power costs at most what the last `fdatasync` left
/// out: a second of lines, or none with `every_line`. A line that cannot be written whole (a full disk) is cut off again;
/// from then on the file is `failed()` and takes nothing. A caller that has a file size limit must ignore SIGXFSZ.
///
/// Errors: tunekit::error with one line naming the file and the remedy.
class log_file {
public:
    enum class sync : std::uint8_t { every_second, every_line };

    /// A new file. An existing one is an error: it may hold somebody's measurements; a device or a pipe is written to.
    [[nodiscard]] static log_file create(const std::string& path, sync when)
    {
        struct stat s;
        const bool device = ::stat(path.c_str(), &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
        return log_file(path, O_WRONLY | O_APPEND | O_CLOEXEC | (device ? 0 : O_CREAT | O_EXCL), when);
    }

    /// An existing file, cut to its first `whole` bytes.
    [[nodiscard]] static log_file reopen(const std::string& path, std::int64_t whole, sync when)
    {
        log_file f(path, O_WRONLY | O_APPEND | O_CLOEXEC, when);
        if (::ftruncate(f.fd_, whole) != 0) throw error("log " + path + ": " + std::strerror(errno));
        f.size_ = whole;
        return f;
    }

    log_file(log_file&& other) noexcept
        : path_(std::move(other.path_)), problem_(std::move(other.problem_)), fd_(std::exchange(other.fd_, -1)),
          size_(other.size_), synced_(other.synced_), when_(other.when_)
    {
    }
    log_file& operator=(log_file&&) = delete;
    ~log_file()
    {
        if (fd_ < 0) return;
        ::fdatasync(fd_);
        ::close(fd_);
    }

    [[nodiscard]] bool failed() const noexcept { return !problem_.empty(); }
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }  ///< one line; empty while all is well

    /// Appends `line` and the line's end; false where that failed, now or before.
    bool append(std::string line)
    {
        if (failed()) return false;
        line += '\n';
        const ssize_t done = ::write(fd_, line.data(), line.size());
        if (done != static_cast<ssize_t>(line.size())) {
            problem_ = "log " + path_ + ": " + (done < 0 ? std::strerror(errno) : "the disk is full") +
                       "; everything before this trial is kept, make room and resume";
            if (done > 0 && ::ftruncate(fd_, size_) != 0) problem_ += " (and the torn last line could not be cut off)";
            return false;
        }
        size_ += done;
        struct timespec t;
        ::clock_gettime(CLOCK_MONOTONIC, &t);
        if (when_ == sync::every_line || t.tv_sec != synced_) ::fdatasync(fd_);
        synced_ = t.tv_sec;
        return true;
    }

private:
    log_file(const std::string& path, int flags, sync when) : path_(path), fd_(::open(path.c_str(), flags, 0644)), when_(when)
    {
        if (fd_ < 0 && errno == EEXIST)
            throw error("log " + path + ": exists already; resume it, or name another file");
        if (fd_ < 0) throw error("log " + path + ": cannot be opened for writing: " + std::strerror(errno));
        if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
            ::close(fd_);
            throw error("log " + path + ": is being written by another process; wait for it, or name another file");
        }
    }

    std::string path_;
    std::string problem_;
    int fd_;
    std::int64_t size_ = 0;
    std::int64_t synced_ = 0;
    sync when_;
};

}  // namespace tunekit::io
