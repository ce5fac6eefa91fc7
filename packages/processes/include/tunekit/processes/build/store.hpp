// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A folder of what was built, which is believed only where it is whole and this user's.

#include "tunekit/processes/detail/needs_forks.hpp"  // first: it says what is wanted where a system forks nothing

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tunekit/processes/detail/own_files.hpp"

namespace tunekit::measure {

/// Keeps what was built, a file for each key, in a folder. A value: it only names them.
///
/// Files appear whole or not at all, so several processes may share a folder. Each file ends with a line that has its
/// key and a digest. What is no plain file of this user's or root's, or not what was put there, counts as missing. That
/// protects against accidents only: whoever can write to the folder runs code as you.
class store {
public:
    /// What was built from a source.
    struct file {
        std::string bytes{};  ///< the content of its file, without the last line that `store` adds
        bool shared = false;  ///< whether it was built together with other sources, which may have damaged it

        friend bool operator==(const file&, const file&) = default;
    };

    /// Names files in `directory` by their keys and `kind`, the end of their names, such as ".so".
    store(std::string directory, std::string kind) : directory_(std::move(directory)), kind_(std::move(kind)) {}

    /// The folder.
    [[nodiscard]] const std::string& directory() const noexcept { return directory_; }
    /// The path of a key's file, whether it exists or not.
    [[nodiscard]] std::string path(std::string_view key) const;

    /// What was built for a key; empty where it is missing, incomplete or another user's.
    [[nodiscard]] std::optional<file> find(std::string_view key) const;

    /// Makes `what` the file of `key`, in one step, and replaces what was there. `beside` is a name on the same file
    /// system under which it is written first. Throws tunekit::error where the folder refuses.
    void publish(const file& what, std::string_view key, const std::string& beside) const;

private:
    std::string directory_;
    std::string kind_;
};

}  // namespace tunekit::measure
