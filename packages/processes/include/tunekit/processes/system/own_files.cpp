// SPDX-License-Identifier: MIT
#include "tunekit/processes/system/own_files.hpp"

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

#include "tunekit/core/error.hpp"
#include "tunekit/processes/detail/system/files.hpp"

namespace tunekit::measure::detail {

std::string digest(std::string_view text)
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

void add_part(std::string& to, std::string_view part)
{
    to += std::to_string(part.size());
    to += ':';
    to += part;
}

void write_file(const std::string& name, std::string_view text)
{
    if (!wrote_file(name, text, 0600))
        throw error("builder: cannot write '" + name + "': " + std::strerror(errno) + "; want a directory with room");
}

std::optional<std::string> bytes_of(const std::string& path)
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

namespace {

/// Removes what is in a directory. A folder that lies deep is moved up before, so that neither descriptors nor the
/// length of a path bound the depth. It takes `directory` over.
void remove_contents(int directory)
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

}  // namespace

void remove_tree(const std::string& path)
{
    struct stat s{};
    if (::lstat(path.c_str(), &s) == 0 && S_ISDIR(s.st_mode)) ::chmod(path.c_str(), 0700);
    remove_contents(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    std::remove(path.c_str());  // a link, too
}

std::string no_option(const std::string& path) { return path.starts_with('-') ? "./" + path : path; }

temporary_directory::temporary_directory(const std::string& prefix, const std::string& who) : name_(prefix + "XXXXXX")
{
    if (::mkdtemp(name_.data()) == nullptr)
        throw error(who + ": no directory '" + name_ + "': " + std::strerror(errno) +
                    "; name one that can be written, or set TMPDIR to one");
    lock_ = descriptor(::open(name_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (lock_) ::flock(lock_.get(), LOCK_EX | LOCK_NB);
}

temporary_directory::temporary_directory(temporary_directory&& other) noexcept
    : name_(std::exchange(other.name_, std::string())), lock_(std::move(other.lock_))
{
}

temporary_directory::~temporary_directory()
{
    if (!name_.empty() && owner_ == ::getpid()) remove_tree(name_);
}

temporary_directory temporary_directory::fresh(const std::string& prefix, const std::string& who)
{
    const char* const named = std::getenv("TMPDIR");
    const std::string root = named != nullptr && *named != '\0' ? no_option(named) : "/tmp";
    sweep(root + '/' + prefix);
    return temporary_directory(root + '/' + prefix, who);
}

void temporary_directory::sweep(const std::string& prefix)
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

void claim_folder(const std::string& path, const std::string& who)
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
