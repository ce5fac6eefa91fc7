// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Files that are files: what is opened is neither a folder, a pipe nor a device, and what cannot be read is an error.

#include <string>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/system/files.hpp"

namespace tunekit::io {

namespace detail {

/// An open file, closed at the end. `what` begins its messages: "log run.jsonl".
class regular_file {
public:
    /// Errors: tunekit::error where it cannot be opened, or is no regular file.
    regular_file(const std::string& path, system::detail::opening how, const std::string& what);

    regular_file(regular_file&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    regular_file& operator=(regular_file&& other) noexcept
    {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~regular_file();

    [[nodiscard]] int fd() const noexcept { return fd_; }  ///< its descriptor

    /// What the system says of it. Errors: tunekit::error where it says nothing.
    [[nodiscard]] system::detail::file_state state(const std::string& what) const;

    /// All that it holds. Errors: tunekit::error where a read fails or memory does not suffice: an end is only what the
    /// system calls the end.
    [[nodiscard]] std::string text(const std::string& what) const;

    /// The descriptor, which the caller closes from now on.
    [[nodiscard]] int released() noexcept { return std::exchange(fd_, -1); }

    /// Throws tunekit::error where this is neither a file nor, if `links` may be, a link.
    static void refuse_others(const system::detail::file_state& s, const std::string& what, bool links = false);

private:
    /// In a program without standard error, say, this would be 2, and get every message.
    void leave_standard_streams(const std::string& what);

    int fd_ = -1;
};

}  // namespace detail

/// All that the file at `path` holds; `what` names it in messages, such as "log run.jsonl". Errors: tunekit::error
/// where it is a folder, a pipe or a device, cannot be read, or memory does not suffice.
[[nodiscard]] std::string read_regular_file(const std::string& path, const std::string& what);

}  // namespace tunekit::io
