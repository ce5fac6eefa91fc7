// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Files and folders that are this user's: how they are written, read, checked, and removed with what killed processes
/// left.

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/system/files.hpp"

namespace tunekit::measure::detail {

/// A digest of 128 bits of a text, as 32 hexadecimal digits: two byte-wise multiply-and-shift hashes, each with its own
/// odd constant.
inline std::string digest(std::string_view text)
{
    std::uint64_t a = 0x9E3779B97F4A7C15U;
    std::uint64_t b = 0xC2B2AE3D27D4EB4FU;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        a = (a ^ byte) * 0xFF51AFD7ED558CCDU;
        a ^= a >> 32;
        b = (b + byte) * 0xD6E8FEB86659FD93U;
        b ^= b >> 29;
    }
    std::string out;
    for (const std::uint64_t half : {a ^ (a >> 33), b ^ (b >> 31)})
        for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[(half >> shift) & 15U];
    return out;
}

/// Adds a part to a text that is digested. Its length goes before it, so that different parts never give the same text.
inline void add_part(std::string& to, std::string_view part)
{
    to += std::to_string(part.size());
    to += ':';
    to += part;
}

/// Throws tunekit::error where the file cannot be written whole.
inline void write_file(const std::string& name, std::string_view text)
{
    if (!wrote_file(name, text, 0600))
        throw error("builder: cannot write '" + name + "': " + std::strerror(errno) + "; want a directory with room");
}

/// The content of a plain file, without waiting for more; empty where there is no such file of this user's or root's.
inline std::optional<std::string> bytes_of(const std::string& path)
{
    constexpr off_t most = off_t{1} << 30;
    const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
    struct stat s{};
    if (!file || ::fstat(file.get(), &s) != 0 || !S_ISREG(s.st_mode) || s.st_size > most) return std::nullopt;
    if (s.st_uid != ::geteuid() && s.st_uid != 0) return std::nullopt;
    std::string all(static_cast<std::size_t>(s.st_size), '\0');
    for (std::size_t at = 0; at < all.size();) {
        const std::ptrdiff_t got = system::detail::read_some(file.get(), all.data() + at, all.size() - at);
        if (got <= 0) return std::nullopt;
        at += static_cast<std::size_t>(got);
    }
    return all;
}

/// Removes what is in a directory. A folder that lies deep is moved up before, so that neither descriptors nor the
/// length of a path bound the depth. It takes `directory` over.
inline void remove_contents(int directory)
{
    constexpr int deepest = 16;
    struct sweep {
        int top;
        unsigned names = 0;
        bool moved = false;

        void in(int at, int depth)
        {
            DIR* const dir = at >= 0 ? ::fdopendir(at) : nullptr;
            if (dir == nullptr) {
                if (at >= 0) ::close(at);
                return;
            }
            ::fchmod(::dirfd(dir), 0700);  // a folder that cannot be written keeps what is in it
            while (const dirent* const entry = ::readdir(dir)) {
                const std::string_view name = entry->d_name;
                if (name == "." || name == ".." || ::unlinkat(::dirfd(dir), entry->d_name, 0) == 0) continue;
                ::fchmodat(::dirfd(dir), entry->d_name, 0700, 0);  // a folder, that may be sealed: links are gone
                if (depth == deepest) {
                    const std::string up = "moved-up-" + std::to_string(names++);
                    if (::renameat(::dirfd(dir), entry->d_name, top, up.c_str()) == 0) moved = true;
                    continue;
                }
                in(::openat(::dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), depth + 1);
                ::unlinkat(::dirfd(dir), entry->d_name, AT_REMOVEDIR);
            }
            ::closedir(dir);
        }
    } all{directory};
    for (int pass = 0; directory >= 0 && pass < 4096 && (pass == 0 || all.moved); ++pass) {
        all.moved = false;
        all.in(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0);
    }
    if (directory >= 0) ::close(directory);
}

/// Removes a folder and all that is in it.
inline void remove_tree(const std::string& path)
{
    struct stat s{};
    if (::lstat(path.c_str(), &s) == 0 && S_ISDIR(s.st_mode)) ::chmod(path.c_str(), 0700);
    remove_contents(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    std::remove(path.c_str());  // a link, too
}

/// A path in a form that no program takes for an option.
inline std::string no_option(const std::string& path) { return path.starts_with('-') ? "./" + path : path; }

/// Owns a directory, which the destructor removes. It is locked until then, so that the directories of processes that
/// were killed can be recognised.
class temporary_directory {
public:
    temporary_directory() = default;
    /// A new directory whose name starts with `prefix`. Throws tunekit::error, which begins with `who`, where it cannot
    /// be made.
    explicit temporary_directory(const std::string& prefix, const std::string& who = "builder")
        : name_(prefix + "XXXXXX")
    {
        if (::mkdtemp(name_.data()) == nullptr)
            throw error(who + ": no directory '" + name_ + "': " + std::strerror(errno) +
                        "; name one that can be written, or set TMPDIR to one");
        lock_ = descriptor(::open(name_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (lock_) ::flock(lock_.get(), LOCK_EX | LOCK_NB);
    }
    temporary_directory(temporary_directory&& other) noexcept
        : name_(std::exchange(other.name_, std::string())), lock_(std::move(other.lock_))
    {
    }
    temporary_directory& operator=(temporary_directory&& other) noexcept
    {
        std::swap(name_, other.name_);
        std::swap(lock_, other.lock_);
        return *this;
    }
    temporary_directory(const temporary_directory&) = delete;
    temporary_directory& operator=(const temporary_directory&) = delete;
    ~temporary_directory()
    {
        if (!name_.empty()) remove_tree(name_);
    }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    /// A new one in TMPDIR or /tmp, whose name starts with `prefix`. What killed processes have left there is removed.
    static temporary_directory fresh(const std::string& prefix, const std::string& who)
    {
        const char* const named = std::getenv("TMPDIR");
        const std::string root = named != nullptr && *named != '\0' ? no_option(named) : "/tmp";
        sweep(root + '/' + prefix);
        return temporary_directory(root + '/' + prefix, who);
    }

    /// Removes directories named `prefix` and six characters that killed processes have left: those of this user that
    /// nobody else may enter, as mkdtemp makes them, that are not locked and are older than a minute. (A younger one
    /// may be made and not locked yet.) `prefix` must be one that nothing but this class uses.
    static void sweep(const std::string& prefix)
    {
        const std::size_t slash = prefix.rfind('/') + 1;
        const descriptor parent(::open(prefix.substr(0, slash).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        DIR* const dir = parent ? ::fdopendir(::dup(parent.get())) : nullptr;
        if (dir == nullptr) return;
        const std::string_view begin = std::string_view(prefix).substr(slash);
        while (const dirent* const entry = ::readdir(dir)) {
            const std::string_view name = entry->d_name;
            if (!name.starts_with(begin) || name.size() != begin.size() + 6) continue;
            descriptor left(::openat(parent.get(), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
            struct stat s{};
            if (!left || ::fstat(left.get(), &s) != 0 || s.st_uid != ::geteuid() || (s.st_mode & 07777) != 0700 ||
                ::time(nullptr) < s.st_mtime + 60 || ::flock(left.get(), LOCK_EX | LOCK_NB) != 0)
                continue;
            remove_contents(::dup(left.get()));
            ::unlinkat(parent.get(), entry->d_name, AT_REMOVEDIR);
        }
        ::closedir(dir);
    }

private:
    std::string name_;
    descriptor lock_;
};

/// Makes the folder `path` where it is missing, for this user alone. Throws tunekit::error, which begins with `who`,
/// where that is impossible, and where others can write to what is there.
inline void claim_folder(const std::string& path, const std::string& who)
{
    const bool made = ::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST;
    const descriptor place(made ? ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1);
    struct stat s{};
    if (!place || ::fstat(place.get(), &s) != 0)
        throw error(who + ": no directory '" + path + "': " + std::strerror(errno) + "; name one that can be written");
    if ((s.st_uid != ::geteuid() && s.st_uid != 0) || (s.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        throw error(who + ": others can write to the directory '" + path +
                    "', and who can do so runs code as you; want it owned by you, and chmod go-w");
}

}  // namespace tunekit::measure::detail
