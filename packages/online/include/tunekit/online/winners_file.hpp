// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The file of winners: one line per settled context, shared by several kernels, programs and processes.

#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/detail/system/files.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/io/sealed_lines.hpp"
#include "tunekit/io/text.hpp"
#include "tunekit/online/detail/open_run.hpp"

namespace tunekit::online {

/// The identity of a winner: its parts must be the same where the winner is used again.
struct identity {
    std::string kernel{};   ///< the kernel's name; lines of other kernels in a file are left alone
    std::string version{};  ///< the version of the kernel's code
    std::string device{};   ///< such as to_text(this_machine()), or the GPU and its driver

    friend bool operator==(const identity&, const identity&) = default;
};

/// One line of a file of winners.
struct winner_line {
    identity of{};                  ///< whose winner it is
    std::string library{};          ///< the version of tunekit that found it
    std::uint64_t fingerprint = 0;  ///< the fingerprint of the space
    std::string key{};              ///< the key of the context
    outcome what{};                 ///< the winner, the runner-up and their costs
    std::string values{};           ///< the values of the winner, for the reader; they are not read back

    friend bool operator==(const winner_line&, const winner_line&) = default;
};

namespace detail {

inline constexpr std::string_view winners_magic =
    "# tunekit winners 1: kernel, version, device, tunekit, space, key, winner, runner-up, "
    "seconds, its, default's, values, check; tabs between";

/// Whether both lines are about the same context of the same kernel, version, device, library and space.
[[nodiscard]] inline bool same_place(const winner_line& a, const winner_line& b)
{
    return a.of == b.of && a.library == b.library && a.fingerprint == b.fingerprint && a.key == b.key;
}

}  // namespace detail

/// The line's text, without its line end.
[[nodiscard]] inline std::string to_line(const winner_line& w)
{
    using core::text_of;
    return io::sealed_line({w.of.kernel, w.of.version, w.of.device, w.library, io::in_hex(w.fingerprint), w.key,
                            text_of(w.what.winner), text_of(w.what.runner_up), text_of(w.what.cost),
                            text_of(w.what.runner_up_cost), text_of(w.what.default_cost), w.values});
}

namespace detail {

/// Reads one line. Empty where the text is no such line, or was cut or edited.
[[nodiscard]] inline std::optional<winner_line> winner_line_of(std::string_view text)
{
    auto f = io::fields_of_sealed(text);
    if (!f || f->size() != 12) return std::nullopt;
    auto& of = *f;
    const auto fingerprint = io::from_hex(of[4]);
    const auto winner = core::number<index>(of[6]), second = core::number<index>(of[7]);
    const auto cost = core::number<double>(of[8]), its = core::number<double>(of[9]),
               untuned = core::number<double>(of[10]);
    if (!fingerprint || !winner || !second || !cost || !its || !untuned || !(*cost > 0) || std::isinf(*cost))
        return std::nullopt;
    return winner_line{.of = {.kernel = of[0], .version = of[1], .device = of[2]},
                       .library = of[3],
                       .fingerprint = *fingerprint,
                       .key = of[5],
                       .what = {.winner = *winner,
                                .runner_up = *second,
                                .cost = *cost,
                                .runner_up_cost = *its,
                                .default_cost = *untuned},
                       .values = of[11]};
}

/// Whether `text` is a file of winners, or empty.
[[nodiscard]] inline bool is_winners_text(std::string_view text)
{
    return text.empty() || text.substr(0, text.find('\n')).starts_with("# tunekit winners 1:");
}

/// `text` with these lines added. Each line replaces the line of the same kernel, version, device, library, space and
/// key. Where there is none, it comes last. All other lines stay as they are, readable or not.
[[nodiscard]] inline std::string with_winners(std::string_view text, const std::vector<winner_line>& ours)
{
    std::string out(winners_magic);
    out += '\n';
    std::vector<bool> written(ours.size(), false);
    for (const std::string_view line : io::lines(text)) {
        if (line.starts_with('#')) continue;
        const auto theirs = winner_line_of(line);
        std::size_t k = 0;
        while (k < ours.size() && !(theirs && same_place(*theirs, ours[k]))) ++k;
        if (k == ours.size()) {
            out += line;
        } else {
            if (written[k]) continue;
            written[k] = true;
            out += to_line(ours[k]);
        }
        out += '\n';
    }
    for (std::size_t k = 0; k < ours.size(); ++k)
        if (!written[k]) out += to_line(ours[k]) + '\n';
    return out;
}

/// Locks the folder of a file while the file is rewritten. It locks nothing where a file system has no locks.
class folder_lock {
public:
    explicit folder_lock(const std::string& path) : fd_(core::detail::system::lock_folder_of(path)) {}
    folder_lock(const folder_lock&) = delete;
    folder_lock& operator=(const folder_lock&) = delete;
    ~folder_lock()
    {
        if (fd_ >= 0) core::detail::system::close_file(fd_);
    }

private:
    int fd_;
};

/// The file's text; empty where there is no file.
[[nodiscard]] inline std::string text_if_there(const std::string& path)
{
    if (!core::detail::system::state_of(path) && errno == ENOENT) return {};
    return io::read_text(path);
}

}  // namespace detail

/// Writes these lines into the file, which is made where there is none. Lines that other processes wrote meanwhile
/// stay. Throws tunekit::error where it is no file of winners or cannot be written; the file then stays as it is.
inline void write_winners(const std::string& path, const std::vector<winner_line>& ours)
{
    const detail::folder_lock held(path);
    const std::string before = detail::text_if_there(path);
    if (!detail::is_winners_text(before))
        throw error(path + ": is no file of winners of this version, and stays as it is; name another file");
    io::write_text(path, detail::with_winners(before, ours));
}

}  // namespace tunekit::online
