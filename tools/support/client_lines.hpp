// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A client that is served by lines, bounded and until an end is asked for.

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/support/streams.hpp"
#include "tunekit/core/error.hpp"

namespace programs {

/// The fields of a line; commas in parentheses are part of one.
inline std::vector<std::string> fields_of(std::string_view line)
{
    std::vector<std::string> out(1);
    int depth = 0;
    for (const char c : line) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c == ',' && depth <= 0) out.emplace_back();
        else out.back() += c;
    }
    for (std::string& f : out) {
        f.erase(0, (std::min)(f.find_first_not_of(" \t\r"), f.size()));
        f.erase(f.find_last_not_of(" \t\r") + 1);
    }
    return out;
}

/// The longest line that a client may send: a name and a value of 80 bytes for each of 6000 parameters.
inline constexpr std::size_t max_reply_bytes = std::size_t{1} << 20;

/// An end that was asked for while the client was waited for.
struct served_enough {};

/// What a client sends line by line on `in` and what it is told on `out`, until `ended()` says that nobody waits for it.
template <std::predicate Ended>
class client_lines {
public:
    client_lines(std::FILE* in, std::FILE* out, Ended ended)
        : in_(::fileno(in)), out_(::fileno(out)), ended_(std::move(ended))
    {
    }

    /// The number of the latest line, from 1.
    [[nodiscard]] std::size_t number() const noexcept { return number_; }

    /// The next line without its end; empty where the client ended. Throws served_enough where the end was asked for, and
    /// tunekit::error for a line that is longer than 1 MiB.
    [[nodiscard]] std::optional<std::string> next()
    {
        ++number_;
        if (ended_()) throw served_enough{};  // also where the client never pauses
        for (std::size_t looked = 0;;) {
            if (const std::size_t end = unread_.find('\n', looked); end != std::string::npos) {
                std::string line = unread_.substr(0, end);
                unread_.erase(0, end + 1);
                return line;
            }
            looked = unread_.size();
            if (looked > max_reply_bytes) bad("it is longer than 1 MiB, want a line for each configuration");
            pollfd event{in_, POLLIN, 0};
            while (::poll(&event, 1, 100) <= 0)  // a signal does not interrupt a read
                if (ended_()) throw served_enough{};
            char some[4096];
            const ssize_t got = ::read(in_, some, sizeof some);
            if (got > 0) unread_.append(some, static_cast<std::size_t>(got));
            else if (got == 0 && !unread_.empty()) return std::exchange(unread_, {});
            else if (got == 0 || errno != EINTR) return std::nullopt;
        }
    }

    /// Tells the client something, all of it. Throws served_enough where the end was asked for while the client did not read,
    /// and tunekit::error where it reads no more.
    void say(std::string_view text) const
    {
        if (put(out_, text, ended_)) return;
        if (errno == EINTR) throw served_enough{};
        throw tunekit::error("the client cannot be answered: " + std::string(std::strerror(errno)));
    }

    /// Throws tunekit::error that names the latest line.
    [[noreturn]] void bad(const std::string& what) const
    {
        throw tunekit::error("reply, line " + std::to_string(number_) + ": " + what);
    }

private:
    int in_, out_;
    Ended ended_;
    std::string unread_;
    std::size_t number_ = 0;
};

}  // namespace programs
