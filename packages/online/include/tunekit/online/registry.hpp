// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The contexts of one kernel by key, one for each size. They are made when first asked for. Their winners can be saved
/// and read back.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/detail/difference.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/index_table.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/online/context.hpp"
#include "tunekit/online/options.hpp"
#include "tunekit/online/outcome.hpp"
#include "tunekit/online/pinned.hpp"
#include "tunekit/online/winners_file.hpp"
#include "tunekit/processes/files/sealed_file.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/processes/machine.hpp"
#include "tunekit/space/carried.hpp"
#include "tunekit/space/text.hpp"

namespace tunekit::online {

/// A key made of several values: their texts, with blanks between.
template <class... Ts>
[[nodiscard]] std::string key(const Ts&... values)
{
    std::string out;
    ((out += out.empty() ? space::text_of(values) : ' ' + space::text_of(values)), ...);
    return out;
}

/// The contexts of one kernel, by key. Each is made when it is first asked for.
///
///     tk::online::registry dslash({"dslash", "3.1", to_text(tk::this_machine())}, space, untuned);
///     dslash.load("tuned.txt");
///     auto& t = dslash.at(tk::online::key(nx, ny));       // the reference stays good
///     t.run([&](const auto& c) { launch(c); });
///     dslash.save("tuned.txt");
///
/// Several kernels, programs and processes may share one file. `save` writes what each context has found: settled
/// winners, and provisional ones with what their search knows. `load` takes the lines of the same kernel, version,
/// device, version of tunekit and space, and their contexts go on from there. Those of a kin device (`kinship_of`) it
/// takes as a beginning: such a winner is the first best, and must win again here. It gives a reason for each line that
/// it refuses.
///
/// The environment's variable TUNEKIT_ONLINE may pin the kernel to one configuration (see `pinned_in`), without a
/// change to the program. Then no context measures anything, the files stay as they are, and one line on standard error
/// says so.
///
/// Errors:  std::invalid_argument for a default that is not in the space, a setting out of range, or a pin to what the
///          kernel does not have.
/// Threads: one at a time, and the same for each context.
template <space::typed Space, class Parts = parts<>>
class registry {
public:
    /// The type of each context.
    using context_type = context<Space, Parts>;
    /// A configuration of the space.
    using config = typename Space::config;

    /// The result of reading winners.
    struct loaded {
        std::size_t taken = 0;    ///< the number of settled lines that were taken: their contexts begin settled
        std::size_t resumed = 0;  ///< the number of provisional lines that were taken: their contexts go on from there
        /// The number of lines of a kin device: their contexts are open, and begin with that winner.
        std::size_t begun = 0;
        std::vector<std::string>
            refused{};  ///< one sentence for each refused line of this kernel, and for each broken line
    };

    /// A registry without contexts. `of` says whose winners a file has; `untuned` is the default of every context.
    registry(winner_line::identity of, Space space, const config& untuned, options o = {}, Parts p = {})
        : of_(std::move(of))
    {
        o.validate();
        const std::optional<index> i = space.index_of(untuned);
        require(i.has_value(), "online::registry: the default is not a configuration of the space, want one that is");
        how_ = std::make_shared<const setup<Space, Parts>>(
            setup<Space, Parts>{.space = std::move(space), .untuned = *i, .options = o, .parts = std::move(p)});
        const char* const pins = std::getenv("TUNEKIT_ONLINE");
        if (pins == nullptr) return;
        pinned_ = pinned_in(pins, of_.kernel, how_->space, how_->untuned);
        if (pinned_)
            std::fprintf(stderr, "tunekit: TUNEKIT_ONLINE: %s uses %s, and measures nothing\n",
                         io::escaped(of_.kernel).c_str(), values_of(*pinned_).c_str());
    }

    /// Says what an index in the default's place lacks.
    template <std::integral Index>
    registry(winner_line::identity, Space, Index, options = {}, Parts = {})
    {
        static_assert(!std::integral<Index>,
                      "tunekit: online::registry, argument 3 is an index, want a configuration: space.at(index), or "
                      "space.of(tk::value<\"name\">(...), ...)");
    }

    /// The context with that key. It is made if it does not exist, and goes on where a line for it was read. Where none
    /// was, it begins with the winner of the nearest settled context: keys of as many positive numbers are as near as
    /// their logarithms (`space::matched_values`). As any beginning, that winner must win here. The reference stays
    /// valid. Cost of a new context: O(contexts).
    [[nodiscard]] context_type& at(std::string_view key)
    {
        const auto there = contexts_.find(key);
        if (there != contexts_.end()) return there->second;
        if (pinned_) {
            context_type& made = contexts_.try_emplace(std::string(key), how_, stream_of(key)).first->second;
            made.pin(*pinned_);
            return made;
        }
        const auto known = known_.find(key);
        if (known != known_.end())
            return contexts_.try_emplace(std::string(key), how_, known->second, stream_of(key)).first->second;
        context_type& made = contexts_.try_emplace(std::string(key), how_, stream_of(key)).first->second;
        if (const auto kin = kin_.find(key); kin != kin_.end()) made.begin_with(kin->second);
        else if (const auto like = nearest(key)) made.begin_with(*like);
        return made;
    }

    /// All contexts that were asked for, by key.
    [[nodiscard]] const std::map<std::string, context_type, std::less<>>& contexts() const noexcept
    {
        return contexts_;
    }

    /// The space that all contexts share.
    [[nodiscard]] const Space& space() const noexcept { return how_->space; }

    /// Reads winners from a file; a missing file has none. Contexts that exist already do not change. Throws
    /// tunekit::error where the file cannot be read or memory does not suffice.
    loaded load(const std::string& path)
    {
        return io::within_memory(path, [&] { return read(detail::text_if_there(path)); });
    }

    /// Reads winners from a file's text, for programs where one rank reads the file and sends the text to the others.
    loaded read(std::string_view text)
    {
        loaded out;
        if (!detail::is_winners_text(text)) {
            out.refused.emplace_back("this is not a file of winners");
            return out;
        }
        if (detail::is_other_version(text)) {
            out.refused.emplace_back("this is a file of winners of another version; all is tuned anew");
            return out;
        }
        const std::string ours = io::escaped(of_.kernel) + '\t';
        std::size_t number = 0;
        for (const std::string_view line : io::lines(text)) {
            ++number;
            if (line.starts_with('#') || is_whole_and_of_another(line, ours)) continue;
            const std::optional<winner_line> w = detail::winner_line_of(line);
            if (w && w->of.kernel != of_.kernel) continue;
            const std::string why = w ? refusal(*w) : "it was cut or edited";
            if (why.empty() && w->of.device == of_.device) {
                known_.insert_or_assign(w->key, progress{w->what, w->settled, w->reopened, w->search});
                ++(w->settled ? out.taken : out.resumed);
            } else if (why.empty()) {
                kin_.insert_or_assign(w->key, w->what.winner);
                ++out.begun;
            } else {
                out.refused.push_back("line " + std::to_string(number) + (w ? " (" + io::escaped(w->key) + ")" : "") +
                                      ": " + why);
            }
        }
        return out;
    }

    /// What all contexts have found, for a file: settled winners and provisional ones.
    [[nodiscard]] std::vector<winner_line> winners() const
    {
        std::vector<winner_line> out;
        for (const auto& [key, c] : contexts_)
            if (std::optional<progress> p = c.so_far())
                out.push_back({.of = of_,
                               .library = core::version_text(),
                               .fingerprint = how_->space.fingerprint(),
                               .key = key,
                               .what = p->what,
                               .values = values_of(p->what.winner) + "; then " + values_of(p->what.runner_up),
                               .settled = p->settled,
                               .reopened = p->reopened,
                               .search = std::move(p->search)});
        return out;
    }

    /// Writes what all contexts have found, and leaves the rest of the file as it is. Throws tunekit::error where the
    /// file is no file of winners or cannot be written; the file then stays as it is.
    void save(const std::string& path) const { write_winners(path, winners()); }

private:
    /// The winner of the settled context whose key is nearest; else empty of as many numbers.
    [[nodiscard]] std::optional<index> nearest(std::string_view key) const
    {
        std::vector<std::string> keys;
        std::vector<index> winners;
        const auto add = [&](const std::string& of, index winner) {
            keys.push_back(of);
            winners.push_back(winner);
        };
        for (const auto& [of, c] : contexts_)
            if (const std::optional<outcome> found = c.result()) add(of, found->winner);
        for (const auto& [of, p] : known_)
            if (p.settled && !contexts_.contains(of)) add(of, p.what.winner);
        const auto at = space::matched_values(std::move(keys)).match(key);
        if (!at || winners[*at] == how_->untuned) return std::nullopt;  // with the default it begins anyway
        return winners[*at];
    }

    /// Why a line of this kernel does not count; empty where it does.
    [[nodiscard]] std::string refusal(const winner_line& w) const
    {
        using core::detail::differs, core::detail::differs_as_quoted;
        if (w.of.version != of_.version) return differs("the kernel's version", w.of.version, of_.version);
        if (kinship_of(w.of.device, of_.device) == kinship::other)
            return differs_as_quoted("the device", quoted_device(w.of.device), quoted_device(of_.device));
        if (w.library != core::version_text())
            return differs("the version of tunekit", w.library, core::version_text());
        if (w.fingerprint != how_->space.fingerprint())
            return differs("the space's fingerprint", io::in_hex(w.fingerprint),
                           io::in_hex(how_->space.fingerprint())) +
                   "; give one of the two spaces another name or version";
        const auto inside = [n = how_->space.size()](index i) { return i < n; };
        if (!inside(w.what.winner) || !inside(w.what.runner_up)) return "its winner is outside the space";
        if (w.search)
            for (const progress::answer& a : w.search->answers)
                if (!inside(a.candidate)) return "a candidate of its search is outside the space";
        return {};
    }

    [[nodiscard]] std::string values_of(index i) const
    {
        const std::vector<std::string> texts = how_->space.texts(i);
        const auto names = how_->space.names();
        std::string out;
        for (std::size_t k = 0; k < texts.size(); ++k) {
            if (k > 0) out += ' ';
            ((out += names[k]) += '=') += texts[k];
        }
        return out;
    }

    /// Whether a line has all its fields and the first is not `ours`. It is not read: a program of a thousand kernels
    /// asks a thousand times about each line.
    [[nodiscard]] static bool is_whole_and_of_another(std::string_view line, std::string_view ours)
    {
        return !line.starts_with(ours) && std::count(line.begin(), line.end(), '\t') == detail::fields_of_winner;
    }

    [[nodiscard]] static std::uint64_t stream_of(std::string_view key)
    {
        std::uint64_t h = 0;
        for (const char c : key) h = core::mixed(h, static_cast<unsigned char>(c));
        return h;
    }

    winner_line::identity of_;
    std::shared_ptr<const setup<Space, Parts>> how_;
    std::map<std::string, context_type, std::less<>> contexts_{};
    std::map<std::string, progress, std::less<>> known_{};
    std::map<std::string, index, std::less<>> kin_{};  ///< winners of kin devices
    std::optional<index> pinned_{};                    ///< by the environment
};

}  // namespace tunekit::online
