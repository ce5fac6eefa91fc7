// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Files and folders that are this user's: how they are written, read, checked, and removed with what killed processes
/// left. For who writes a package: its names are in detail namespaces, as those of other packages are.

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tunekit/processes/detail/process.hpp"

namespace tunekit::measure::detail {

/// A digest of 128 bits of a text, as 32 hexadecimal digits: two byte-wise multiply-and-shift hashes, each with its own
/// odd constant.
std::string digest(std::string_view text);

/// Adds a part to a text that is digested. Its length goes before it, so that different parts never give the same text.
void add_part(std::string& to, std::string_view part);

/// Throws tunekit::error where the file cannot be written whole.
void write_file(const std::string& name, std::string_view text);

/// The content of a plain file, without waiting for more; empty where there is no such file of this user's or root's.
std::optional<std::string> bytes_of(const std::string& path);

/// Removes a folder and all that is in it.
void remove_tree(const std::string& path);

/// A path in a form that no program takes for an option.
std::string no_option(const std::string& path);

/// Owns a directory, which the destructor removes in the process that made it. It is locked until then, so that the
/// directories of processes that were killed can be recognised.
class temporary_directory {
public:
    temporary_directory() = default;
    /// A new directory whose name starts with `prefix`. Throws tunekit::error, which begins with `who`, where it cannot
    /// be made.
    explicit temporary_directory(const std::string& prefix, const std::string& who = "builder");
    temporary_directory(temporary_directory&& other) noexcept;
    temporary_directory& operator=(temporary_directory&& other) noexcept
    {
        std::swap(name_, other.name_);
        std::swap(lock_, other.lock_);
        return *this;
    }
    temporary_directory(const temporary_directory&) = delete;
    temporary_directory& operator=(const temporary_directory&) = delete;
    ~temporary_directory();

    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    /// A new one in TMPDIR or /tmp, whose name starts with `prefix`. What killed processes have left there is removed.
    static temporary_directory fresh(const std::string& prefix, const std::string& who);

    /// Removes directories named `prefix` and six characters that killed processes have left: those of this user that
    /// nobody else may enter, as mkdtemp makes them, that are not locked and are older than a minute. (A younger one
    /// may be made and not locked yet.) `prefix` must be one that nothing but this class uses.
    static void sweep(const std::string& prefix);

private:
    std::string name_;
    descriptor lock_;
    pid_t owner_ = ::getpid();
};

/// Makes the folder `path` where it is missing, for this user alone. Throws tunekit::error, which begins with `who`,
/// where that is impossible, and where others can write to what is there.
void claim_folder(const std::string& path, const std::string& who);

}  // namespace tunekit::measure::detail
