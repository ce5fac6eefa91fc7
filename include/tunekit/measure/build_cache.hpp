// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Where built code lies: a directory of shared objects, each under the digest of all that went into it.

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/measure/compiler.hpp"
#include "tunekit/measure/source_template.hpp"

namespace tunekit::measure {

namespace detail {

/// Owns a directory of plain files, which ends with it.
class temporary_directory {
public:
    temporary_directory() = default;
    /// A new directory whose name starts with `prefix`. Throws tunekit::error where it cannot be made.
    explicit temporary_directory(const std::string& prefix) : name_(prefix + "XXXXXX")
    {
        if (::mkdtemp(name_.data()) == nullptr)
            throw error("builder: no directory '" + name_ + "': " + std::strerror(errno) +
                        "; name one that can be written");
    }
    temporary_directory(temporary_directory&& other) noexcept : name_(std::exchange(other.name_, std::string())) {}
    temporary_directory& operator=(temporary_directory&& other) noexcept
    {
        std::swap(name_, other.name_);
        return *this;
    }
    temporary_directory(const temporary_directory&) = delete;
    temporary_directory& operator=(const temporary_directory&) = delete;
    ~temporary_directory()
    {
        if (name_.empty()) return;
        if (DIR* const dir = ::opendir(name_.c_str())) {
            while (const dirent* const entry = ::readdir(dir))
                if (std::string_view(entry->d_name) != "." && std::string_view(entry->d_name) != "..")
                    ::unlinkat(::dirfd(dir), entry->d_name, 0);
            ::closedir(dir);
        }
        ::rmdir(name_.c_str());
    }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }

private:
    std::string name_;
};

/// The directory that a pool works in: a named one, made where it is missing, or one that ends with the pool.
class build_place {
public:
    explicit build_place(const std::string& named)
        : own_(named.empty() ? temporary_directory(root() + "/tunekit-") : temporary_directory()),
          name_(named.empty() ? own_.name() : named)
    {
        if (!named.empty() && ::mkdir(named.c_str(), 0700) != 0 && errno != EEXIST)
            throw error("builder: no directory '" + named + "': " + std::strerror(errno) +
                        "; name one that can be written");
    }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

private:
    static std::string root()
    {
        const char* const named = std::getenv("TMPDIR");
        return named != nullptr && *named != '\0' ? named : "/tmp";
    }

    temporary_directory own_;
    std::string name_;
};

/// Throws tunekit::error where the file cannot be written whole.
inline void write_file(const std::string& name, std::string_view text)
{
    const descriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    while (file && !text.empty()) {
        const ssize_t put = ::write(file.get(), text.data(), text.size());
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) break;
        text.remove_prefix(static_cast<std::size_t>(put));
    }
    if (!file || !text.empty())
        throw error("builder: cannot write '" + name + "': " + std::strerror(errno) + "; want a directory with room");
}

}  // namespace detail

/// Names what was built and what could be: a directory, the compilers, their flags. A value: kernels in worker
/// processes carry a copy and find their code with it, so that nothing but a configuration's index travels.
///
/// A key is a digest of the text, the entry point, the flags, and the compiler's identity. Files appear whole or not at
/// all, so several processes may share a directory. It must not be writable to people who may not run code as you.
class build_cache {
public:
    build_cache(std::string directory, std::vector<compiler> compilers, std::vector<std::string> flags)
        : directory_(std::move(directory)), compilers_(std::move(compilers)), flags_(std::move(flags))
    {
        require(!compilers_.empty(), "build_cache: no compiler, want one or more");
    }

    [[nodiscard]] const std::string& directory() const noexcept { return directory_; }

    /// The compiler that `s` asks for. Throws std::invalid_argument where it is not one of ours.
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

    /// 32 hexadecimal digits.
    [[nodiscard]] std::string key(const source& s, std::string_view entry) const
    {
        std::string all;
        all.reserve(s.text.size() + 512);
        detail::add_part(all, "tunekit 1");  // how a text is wrapped and linked
        detail::add_part(all, compiler_of(s).identity);
        for (const std::string& flag : flags_)
            detail::add_part(all, flag);
        for (const std::string& flag : s.flags)
            detail::add_part(all, flag);
        detail::add_part(all, entry);
        detail::add_part(all, s.text);
        return detail::digest(all);
    }

    /// The shared object of a key, whether it is there or not.
    [[nodiscard]] std::string path(std::string_view key) const { return directory_ + '/' + std::string(key) + ".so"; }
    /// The name of the entry point in it.
    [[nodiscard]] static std::string symbol(std::string_view key) { return "tunekit_" + std::string(key); }
    [[nodiscard]] bool contains(std::string_view key) const { return ::access(path(key).c_str(), R_OK) == 0; }

    /// Makes `file`, on the same file system, the shared object of `key`, in one step; one that is there already stays.
    /// Throws tunekit::error where the directory refuses.
    void publish(const std::string& file, std::string_view key) const
    {
        if (::link(file.c_str(), path(key).c_str()) != 0 && errno != EEXIST)
            throw error("build_cache: cannot put '" + path(key) + "' in place: " + std::strerror(errno) +
                        "; want a directory that allows hard links and has room");
    }

private:
    std::string directory_;
    std::vector<compiler> compilers_;
    std::vector<std::string> flags_;
};

}  // namespace tunekit::measure
