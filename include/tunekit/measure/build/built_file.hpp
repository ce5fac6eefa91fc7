// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The files in a cache of built code. Each says what it is, and whether it is whole.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/build/compiler.hpp"
#include "tunekit/measure/detail/process.hpp"

namespace tunekit::measure::detail {

/// Throws tunekit::error where the file cannot be written whole.
inline void write_file(const std::string& name, std::string_view text)
{
    if (!wrote_file(name, text, 0600))
        throw error("builder: cannot write '" + name + "': " + std::strerror(errno) + "; want a directory with room");
}

/// The code that a compiler has made from a source.
struct built_file {
    std::string bytes{};
    bool shared = false;  ///< whether it was compiled together with other sources, which may have damaged it
};

/// The last line of a built file, which loaders ignore: its key, and a digest of the bytes before it.
inline std::string seal_of(std::string_view bytes, std::string_view key, bool shared)
{
    return "\ntunekit " + std::string(key) + ' ' + digest(bytes) + (shared ? " s\n" : " a\n");
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
        const ssize_t got = ::read(file.get(), all.data() + at, all.size() - at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return std::nullopt;
        at += static_cast<std::size_t>(got);
    }
    return all;
}

/// The built file of `key` at `path`. Empty where there is no plain file of this user's or root's, or where it is not what
/// was put there: cut, empty, or of another key.
inline std::optional<built_file> read_built(const std::string& path, std::string_view key)
{
    std::optional<std::string> all = bytes_of(path);
    const std::size_t seal = seal_of({}, key, false).size();
    if (!all || all->size() <= seal) return std::nullopt;
    const std::string_view bytes = std::string_view(*all).substr(0, all->size() - seal);
    const std::string_view last = std::string_view(*all).substr(bytes.size());
    const bool shared = last.ends_with(" s\n");
    if (last != seal_of(bytes, key, shared)) return std::nullopt;
    all->resize(bytes.size());
    return built_file{*std::move(all), shared};
}

/// Puts `what` at `path`, in one step, and replaces what was there. `beside` is a name on the same file system under which
/// it is written first. Throws tunekit::error where the directory refuses.
inline void put_built(const built_file& what, const std::string& path, std::string_view key, const std::string& beside)
{
    write_file(beside, what.bytes + seal_of(what.bytes, key, what.shared));
    if (::rename(beside.c_str(), path.c_str()) == 0) return;
    const int why = errno;
    ::unlink(beside.c_str());
    throw error("builder: cannot put '" + path + "' in place: " + std::strerror(why) +
                "; remove what is there, or name another directory");
}

}  // namespace tunekit::measure::detail
