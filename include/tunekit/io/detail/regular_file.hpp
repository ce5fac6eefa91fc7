// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Files that are files: what is opened is neither a folder, a pipe nor a device, and what cannot be read is an error.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "tunekit/core/error.hpp"

namespace tunekit::io::detail {

/// An open file, closed at the end. `what` begins its messages: "log run.jsonl".
class regular_file {
public:
    /// Errors: tunekit::error where it cannot be opened, or is no regular file. `O_NONBLOCK` keeps a pipe that takes the
    /// file's place between the two looks from stopping us.
    regular_file(const std::string& path, int flags, const std::string& what)
    {
        struct stat s;
        if (::stat(path.c_str(), &s) == 0) refuse_others(s, what);
        fd_ = ::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644);
        if (fd_ < 0) {
            const int why = errno;
            if (why == EEXIST && ::stat(path.c_str(), &s) != 0)
                throw error(what + ": is a link to nothing; remove it, or name another file");
            if (why == EEXIST)
                throw error(what + ": exists already; resume it (.resume = true, or --resume), or name another file");
            throw error(what + ": cannot be opened for " + ((flags & O_ACCMODE) == O_RDONLY ? "reading" : "writing") +
                        ": " + std::strerror(why));
        }
        try {
            leave_standard_streams(what);
            refuse_others(status(what), what);
        } catch (...) {
            ::close(fd_);
            throw;
        }
    }

    regular_file(regular_file&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    regular_file& operator=(regular_file&& other) noexcept
    {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~regular_file()
    {
        if (fd_ >= 0) ::close(fd_);
    }

    [[nodiscard]] int fd() const noexcept { return fd_; }

    [[nodiscard]] struct stat status(const std::string& what) const
    {
        struct stat s;
        if (::fstat(fd_, &s) != 0) throw error(what + ": cannot be looked at: " + std::strerror(errno));
        return s;
    }

    /// All that it holds. Errors: tunekit::error where a read fails or memory does not suffice: an end is only what the
    /// system calls the end.
    [[nodiscard]] std::string text(const std::string& what) const
    {
        const auto size = static_cast<std::size_t>(status(what).st_size);
        std::string out;
        try {
            out.resize(size + 1);  // one more, so that the last read finds the end
            for (std::size_t at = 0;;) {
                if (at == out.size()) out.resize(2 * at);
                const ssize_t got = ::read(fd_, out.data() + at, out.size() - at);
                if (got < 0 && errno == EINTR) continue;
                if (got < 0) throw error(what + ": cannot be read: " + std::strerror(errno) + "; nothing was changed");
                if (got == 0) {
                    out.resize(at);
                    return out;
                }
                at += static_cast<std::size_t>(got);
            }
        } catch (const std::bad_alloc&) {
            throw error(what + ": there is no memory for its " + std::to_string(size) + " bytes; nothing was changed");
        }
    }

private:
    /// In a program without standard error, say, this would be 2, and get every message.
    void leave_standard_streams(const std::string& what)
    {
        if (fd_ > STDERR_FILENO) return;
        const int above = ::fcntl(fd_, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (above < 0) throw error(what + ": cannot be opened: " + std::strerror(errno));
        ::close(std::exchange(fd_, above));
    }

    static void refuse_others(const struct stat& s, const std::string& what)
    {
        if (S_ISREG(s.st_mode)) return;
        const char* is = S_ISDIR(s.st_mode) ? "a folder" : S_ISFIFO(s.st_mode) ? "a pipe" : "a device";
        throw error(what + ": is " + is + ", want a regular file");
    }

    int fd_ = -1;
};

}  // namespace tunekit::io::detail
