// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The file of winners: one line per context, shared by several kernels, programs and processes.

#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/online/outcome.hpp"
#include "tunekit/processes/files/sealed_file.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/processes/system/files.hpp"

namespace tunekit::online {

/// One line of a file of winners.
struct winner_line {
    /// The identity of a winner: its parts must be the same where the winner is used again.
    struct identity {
        std::string kernel{};   ///< the kernel's name; lines of other kernels in a file are left alone
        std::string version{};  ///< the version of the kernel's code
        std::string device{};   ///< such as to_text(this_machine()), or the GPU and its driver

        friend bool operator==(const identity&, const identity&) = default;
    };

    identity of{};                  ///< whose winner it is
    std::string library{};          ///< the version of tunekit that found it
    std::uint64_t fingerprint = 0;  ///< the fingerprint of the space
    std::string key{};              ///< the key of the context
    outcome what{};                 ///< the winner, the runner-up and their costs
    std::string values{};   ///< the values of the winner and of the runner-up, for the reader; they are not read back
    bool settled = true;    ///< whether a race decided it; otherwise it is provisional
    bool reopened = false;  ///< whether the context was settled before that, and tuned again
    std::optional<progress::unfinished> search{};  ///< what is known of a search that is not over

    friend bool operator==(const winner_line&, const winner_line&) = default;
};

namespace detail {

inline constexpr std::string_view winners_magic =
    "# tunekit winners 2: kernel, version, device, tunekit, space, key, state, winner, runner-up, "
    "seconds, its, default's, values, search, answers, check; tabs between";

/// Whether both lines are about the same context of the same kernel, version, device, library and space.
[[nodiscard]] inline bool same_place(const winner_line& a, const winner_line& b)
{
    return a.of == b.of && a.library == b.library && a.fingerprint == b.fingerprint && a.key == b.key;
}

/// Whether the line `ours` may replace the line `theirs` of the same context: a settled one replaces what there is, and
/// a provisional one only what knows less, unless it was opened again.
[[nodiscard]] inline bool outranks(const winner_line& ours, const winner_line& theirs)
{
    if (ours.settled || ours.reopened) return true;
    if (theirs.settled) return false;
    return !theirs.search || (ours.search && ours.search->answers.size() >= theirs.search->answers.size());
}

/// The numbers of a search, with blanks between.
[[nodiscard]] inline std::string text_of_search(const unfinished& s)
{
    std::string out = core::text_of(s.in_vain);
    for (const double x :
         {s.books.default_only, s.books.best_only, s.books.saved, s.books.lost, s.slowest[0], s.slowest[1]})
        (out += ' ') += core::text_of(x);
    return out;
}

/// Each answer as its configuration and its seconds, or a line where it failed.
[[nodiscard]] inline std::string text_of_answers(const std::vector<answer>& all)
{
    std::string out;
    for (const answer& a : all) {
        if (!out.empty()) out += ' ';
        out += core::text_of(a.candidate) + ' ' + (std::isinf(a.cost) ? "-" : core::text_of(a.cost));
    }
    return out;
}

[[nodiscard]] inline bool is_cost(std::optional<double> x) { return x && *x > 0 && *x <= io::max_seconds; }

/// Reads both texts. Empty where they are not numbers.
[[nodiscard]] inline std::optional<unfinished> search_of(std::string_view numbers, std::string_view answers)
{
    unfinished out;
    const auto words = io::words(numbers);
    if (words.size() != 7) return std::nullopt;
    const auto in_vain = core::number<std::uint64_t>(words[0]);
    if (!in_vain) return std::nullopt;
    out.in_vain = *in_vain;
    double* const to[] = {&out.books.default_only, &out.books.best_only, &out.books.saved,
                          &out.books.lost,         &out.slowest[0],      &out.slowest[1]};
    for (std::size_t k = 0; k < 6; ++k) {
        const auto x = core::number<double>(words[k + 1]);
        if (!x || !(*x >= 0 && *x <= io::max_seconds)) return std::nullopt;
        *to[k] = *x;
    }
    const auto pairs = io::words(answers);
    if (pairs.size() % 2 != 0) return std::nullopt;
    for (std::size_t k = 0; k < pairs.size(); k += 2) {
        const auto i = core::number<index>(pairs[k]);
        const bool failed = pairs[k + 1] == "-";
        const std::optional<double> cost = failed ? 1.0 : core::number<double>(pairs[k + 1]);
        if (!i || !is_cost(cost)) return std::nullopt;
        out.answers.push_back({*i, failed ? std::numeric_limits<double>::infinity() : *cost});
    }
    return out;
}

/// The line's text, without its line end.
[[nodiscard]] inline std::string to_line(const winner_line& w)
{
    using core::text_of;
    return io::sealed_line{
        {w.of.kernel, w.of.version, w.of.device, w.library, io::in_hex(w.fingerprint), w.key,
         std::string(w.settled ? "settled" : "provisional") + (w.reopened ? " again" : ""), text_of(w.what.winner),
         text_of(w.what.runner_up), text_of(w.what.cost), text_of(w.what.runner_up_cost), text_of(w.what.default_cost),
         w.values, w.search ? text_of_search(*w.search) : "", w.search ? text_of_answers(w.search->answers) : ""}}
        .text();
}

inline constexpr int fields_of_winner = 15;

/// Reads one line. Empty where the text is no such line, or was cut or edited.
[[nodiscard]] inline std::optional<winner_line> winner_line_of(std::string_view text)
{
    const auto line = io::sealed_line::of(text);
    if (!line || line->fields.size() != fields_of_winner) return std::nullopt;
    const auto& of = line->fields;
    const auto fingerprint = line->hex(4);
    const std::string_view state = of[6];
    const bool again = state.ends_with(" again");
    const std::string_view word = again ? state.substr(0, state.size() - 6) : state;
    const bool settled = word == "settled";
    if (!settled && word != "provisional") return std::nullopt;
    const auto winner = core::number<index>(of[7]), second = core::number<index>(of[8]);
    const auto cost = core::number<double>(of[9]), its = core::number<double>(of[10]),
               untuned = core::number<double>(of[11]);
    if (!fingerprint || !winner || !second || !is_cost(cost) || !is_cost(its) || !is_cost(untuned)) return std::nullopt;
    winner_line w{.of = {.kernel = of[0], .version = of[1], .device = of[2]},
                  .library = of[3],
                  .fingerprint = *fingerprint,
                  .key = of[5],
                  .what = {.winner = *winner,
                           .runner_up = *second,
                           .cost = *cost,
                           .runner_up_cost = *its,
                           .default_cost = *untuned},
                  .values = of[12],
                  .settled = settled,
                  .reopened = again};
    if (!of[13].empty()) {
        w.search = search_of(of[13], of[14]);
        if (!w.search) return std::nullopt;
    }
    return w;
}

/// Whether `text` is a file of winners of any version, or empty.
[[nodiscard]] inline bool is_winners_text(std::string_view text)
{
    return text.empty() || text.starts_with("# tunekit winners ");
}

/// Whether a file of winners is of another version than this one: nothing in it is read, and it is begun anew.
[[nodiscard]] inline bool is_other_version(std::string_view text)
{
    return !text.empty() && !text.starts_with(winners_magic.substr(0, winners_magic.find(':') + 1));
}

/// `text` with these lines added. Each line replaces the line of the same kernel, version, device, library, space and
/// key, where it outranks that. A new key comes last. All other lines stay as they are, readable or not;
/// those of a file of another version go.
[[nodiscard]] inline std::string with_winners(std::string_view text, const std::vector<winner_line>& ours)
{
    std::string out(winners_magic);
    out += '\n';
    std::vector<bool> written(ours.size(), false);
    if (is_other_version(text)) text = {};
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
            out += outranks(ours[k], *theirs) ? to_line(ours[k]) : std::string(line);
        }
        out += '\n';
    }
    for (std::size_t k = 0; k < ours.size(); ++k)
        if (!written[k]) out += to_line(ours[k]) + '\n';
    return out;
}

/// The file's text; empty where there is no file.
[[nodiscard]] inline std::string text_if_there(const std::string& path)
{
    if (!system::state_of(path) && errno == ENOENT) return {};
    return io::read_text(path);
}

}  // namespace detail

/// Writes these lines into the file, which is made if it does not exist. Lines that other processes wrote meanwhile
/// stay. Throws tunekit::error where it is no file of winners or cannot be written; the file then stays as it is.
inline void write_winners(const std::string& path, const std::vector<winner_line>& ours)
{
    const system::folder_lock held(path);
    const std::string before = detail::text_if_there(path);
    if (!detail::is_winners_text(before))
        throw error(path + ": is not a file of winners, and stays as it is; name another file");
    io::write_text(path, detail::with_winners(before, ours));
}

}  // namespace tunekit::online
