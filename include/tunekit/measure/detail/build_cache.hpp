// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A directory of shared objects that were built. Each is named by the digest of all that went into it.

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/detail/system/files.hpp"
#include "tunekit/measure/build/compiler.hpp"
#include "tunekit/measure/build/source_template.hpp"
#include "tunekit/measure/detail/built_file.hpp"

namespace tunekit::measure {

namespace detail {

/// Removes the files and directories in a directory, down to `depth` levels.
inline void remove_contents(int directory, int depth = 2)
{
    DIR* const dir = directory >= 0 ? ::fdopendir(directory) : nullptr;
    if (dir == nullptr) return;
    while (const dirent* const entry = ::readdir(dir)) {
        const std::string_view name = entry->d_name;
        if (name == "." || name == ".." || ::unlinkat(::dirfd(dir), entry->d_name, 0) == 0 || depth == 0) continue;
        remove_contents(::openat(::dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
                        depth - 1);
        ::unlinkat(::dirfd(dir), entry->d_name, AT_REMOVEDIR);
    }
    ::closedir(dir);
}

/// Owns a directory, which the destructor removes. It is locked until then, so that the directories of processes that were
/// killed can be recognised.
class temporary_directory {
public:
    temporary_directory() = default;
    /// A new directory whose name starts with `prefix`. Throws tunekit::error where it cannot be made.
    explicit temporary_directory(const std::string& prefix) : name_(prefix + "XXXXXX")
    {
        if (::mkdtemp(name_.data()) == nullptr)
            throw error("builder: no directory '" + name_ + "': " + std::strerror(errno) +
                        "; name one that can be written");
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
        if (name_.empty()) return;
        remove_contents(::open(name_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        ::rmdir(name_.c_str());
    }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    /// Removes directories named `prefix` and six characters that killed processes have left: those of this user that
    /// nobody else may enter, as mkdtemp makes them, that are not locked and are older than a minute. (A younger one may be
    /// made and not locked yet.) `prefix` must be one that nothing but this class uses.
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

/// The directory that a pool works in: a named one, made where it is missing, or a temporary one, removed with the pool.
/// Throws tunekit::error where it cannot be made, where others can write to it, and where nothing in it can be executed.
class build_place {
public:
    explicit build_place(const std::string& named)
        : own_(named.empty() ? fresh() : temporary_directory()), name_(named.empty() ? own_.name() : path_of(named))
    {
        if (!named.empty() && ::mkdir(name_.c_str(), 0700) != 0 && errno != EEXIST) refuse(std::strerror(errno));
        const descriptor place(::open(name_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        struct stat s{};
        if (!place || ::fstat(place.get(), &s) != 0) refuse(std::strerror(errno));
        if ((s.st_uid != ::geteuid() && s.st_uid != 0) || (s.st_mode & (S_IWGRP | S_IWOTH)) != 0)
            throw error("builder: others can write to the directory '" + name_ +
                        "', and who can do so runs code as you; want it owned by you, and chmod go-w");
        if (core::detail::system::runs_nothing(name_))
            throw error("builder: the file system of '" + name_ +
                        "' is mounted noexec, so nothing built there can be loaded; name a directory elsewhere");
        if (!named.empty()) temporary_directory::sweep(name_ + "/building-");
    }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

private:
    /// The path in a form that no compiler takes for an option.
    static std::string path_of(const std::string& named) { return named.starts_with('-') ? "./" + named : named; }

    static temporary_directory fresh()
    {
        const char* const named = std::getenv("TMPDIR");
        const std::string root = named != nullptr && *named != '\0' ? path_of(named) : "/tmp";
        const std::string prefix = root + "/tunekit-builder-";
        temporary_directory::sweep(prefix);
        return temporary_directory(prefix);
    }

    [[noreturn]] void refuse(const char* why) const
    {
        throw error("builder: no directory '" + name_ + "': " + why + "; name one that can be written");
    }

    temporary_directory own_;
    std::string name_;
};

}  // namespace detail

/// Names built code, whether it is built yet or not, by a directory, the compilers and their flags. A value: kernels in
/// worker processes have a copy and find their code with it, so that only a configuration's index is sent to them.
///
/// A key is a digest of the text, the entry point, the flags, and the compiler's identity. Files appear whole or not at
/// all, so several processes may share a directory. Each file ends with a line that has its key and a digest. A file that is
/// not what was put there counts as missing. That protects against accidents only: whoever can write to the directory runs
/// code as you.
class build_cache {
public:
    /// Names files in `directory` for these compilers and flags. Throws std::invalid_argument where there is no compiler.
    build_cache(std::string directory, std::vector<compiler> compilers, std::vector<std::string> flags)
        : directory_(std::move(directory)), compilers_(std::move(compilers)), flags_(std::move(flags))
    {
        require(!compilers_.empty(), "build_cache: no compiler, want one or more");
    }

    /// The directory of the shared objects.
    [[nodiscard]] const std::string& directory() const noexcept { return directory_; }

    /// The compiler that `s` asks for. Throws std::invalid_argument where it is not one of build_options::compilers.
    [[nodiscard]] const compiler& compiler_of(const source& s) const
    {
        if (s.compiler.empty()) return compilers_.front();
        for (const compiler& c : compilers_)
            if (c.name == s.compiler) return c;
        invalid("build_cache: the source asks for the compiler '" + s.compiler +
                "', which is not listed; want it in build_options::compilers");
    }

    /// The builder's flags, then those of `s`.
    [[nodiscard]] std::vector<std::string> flags_of(const source& s) const
    {
        std::vector<std::string> out = flags_;
        out.insert(out.end(), s.flags.begin(), s.flags.end());
        return out;
    }

    /// The key of a source, 32 hexadecimal digits. Throws std::invalid_argument where its compiler is not listed.
    [[nodiscard]] std::string key(const source& s, std::string_view entry) const
    {
        std::string all;
        all.reserve(s.text.size() + 512);
        detail::add_part(all, "tunekit 2");  // the version of how a text is wrapped and linked
        detail::add_part(all, compiler_of(s).identity);
        for (const std::string& flag : flags_) detail::add_part(all, flag);
        for (const std::string& flag : s.flags) detail::add_part(all, flag);
        detail::add_part(all, entry);
        detail::add_part(all, s.text);
        return detail::digest(all);
    }

    /// The path of a key's shared object, whether it exists or not.
    [[nodiscard]] std::string path(std::string_view key) const { return directory_ + '/' + std::string(key) + ".so"; }
    /// The name of the entry point in it.
    [[nodiscard]] static std::string symbol(std::string_view key) { return "tunekit_" + std::string(key); }
    /// What was built for a key; empty where it is missing, incomplete or another user's.
    [[nodiscard]] std::optional<detail::built_file> find(std::string_view key) const
    {
        return detail::read_built(path(key), key);
    }

    /// Makes `what` the shared object of `key`, in one step, and replaces what was there. `beside` is a name on the same file
    /// system under which it is written first. Throws tunekit::error where the directory refuses.
    void publish(const detail::built_file& what, std::string_view key, const std::string& beside) const
    {
        detail::put_built(what, path(key), key, beside);
    }

private:
    std::string directory_;
    std::vector<compiler> compilers_;
    std::vector<std::string> flags_;
};

}  // namespace tunekit::measure
