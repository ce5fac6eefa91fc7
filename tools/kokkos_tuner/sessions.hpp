// SPDX-License-Identifier: MIT
#pragma once

// What is tuned: a context of tunekit for each key of Kokkos, which one call at a time is timed for.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/kokkos_tuner/kokkos_tools.hpp"
#include "tools/kokkos_tuner/ranges.hpp"
#include "tools/kokkos_tuner/settings.hpp"
#include "tools/kokkos_tuner/untuned.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/online/options.hpp"
#include "tunekit/online/registry.hpp"
#include "tunekit/online/winners_file.hpp"
#include "tunekit/space/value_product.hpp"

namespace kokkos_tuner {

/// How much slower a larger team on a host may be: its threads wait for each other at every barrier, and on busy processors
/// for a time slice each.
constexpr double team_slowdown = 100;

constexpr int never_ended_after = 1000;  ///< calls of a kernel while one of it is timed

/// What a call reached, as a cost; NaN where it says nothing of its goal.
inline double cost_of(const kt_goal& goal, const kt_variable_value& reached, kt_value_type type)
{
    if (reached.id != goal.id) return std::numeric_limits<double>::quiet_NaN();
    const double value = number(reached.value, type);
    return goal.direction == kt_maximize ? 1 / value : value;
}

/// What is tuned under one key.
class session {
public:
    using registry = tunekit::online::registry<tunekit::space::value_product>;

    /// `unread` is of a follower, for which another rank tunes: `contexts` without what was read.
    session(std::string key, registry contexts, std::optional<registry> unread, bool by_time, bool tuned)
        : key_(std::move(key)),
          contexts_(std::move(contexts)),
          unread_(std::move(unread)),
          by_time_(by_time),
          tuned_(tuned)
    {
        keep_best(context_.status().best);
    }
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    [[nodiscard]] const std::string& key() const noexcept { return key_; }

    /// Whether the best known is the answer at any time.
    [[nodiscard]] bool fixed() const noexcept { return !tuned_ && !unread_; }

    /// Whether a call may try something: this rank tunes, and no call is timed.
    [[nodiscard]] bool open() const noexcept { return tuned_ && timed_ == 0; }

    /// Answers the best known.
    void answer(kt_variable_value* out) const
    {
        for (std::size_t k = 0; k < best_.size(); ++k) out[k].value = best_[k];
    }

    /// Answers what is tried next. The call's ticket where its cost is wanted, or 0. Precondition: `open()`.
    [[nodiscard]] std::uint64_t next(kt_variable_value* out)
    {
        const auto& config = context_.next();
        for (std::size_t k = 0; k < config.size(); ++k) out[k].value = cell_of(config[k]);
        if (!context_.wants_time()) return 0;
        passed_ = 0;
        return timed_ = ++tickets_;
    }

    /// Whether the cost of the call with that ticket is still wanted.
    [[nodiscard]] bool waits_for(std::uint64_t ticket) const noexcept { return ticket != 0 && timed_ == ticket; }

    /// The cost of the call that is timed. True where the session settled by it.
    bool report(double cost)
    {
        const bool settled = context_.settled();
        context_.report(cost);
        timed_ = 0;
        keep_best(context_.status().best);
        return !settled && context_.settled();
    }

    /// What `report` met, once.
    [[nodiscard]] tunekit::online::trouble problem() noexcept { return context_.problem(); }

    /// The call with that ticket never ended.
    void drop(std::uint64_t ticket) noexcept
    {
        if (waits_for(ticket)) timed_ = 0;
    }

    /// Counts a call. True where one that is timed has not ended for so many that it never will, and is dropped.
    [[nodiscard]] bool gives_up() noexcept
    {
        if (timed_ == 0 || ++passed_ < never_ended_after) return false;
        timed_ = 0;
        return true;
    }

    /// A follower takes what stands in the file of the rank that tunes.
    void follow(const std::string& text)
    {
        registry found = *unread_;
        (void)found.read(text);
        keep_best(found.at("").status().best);
    }

    [[nodiscard]] std::vector<tunekit::online::winner_line> winners() const { return contexts_.winners(); }

    /// Its numbers and values in one line.
    void print() const
    {
        const auto is = context_.status();
        const double unit = by_time_ ? 1e6 : 1;  // of a goal the cost: its value, or 1 over it
        const char* const name = by_time_ ? " us" : "";
        const auto& space = contexts_.space();
        const std::vector<std::string> texts = space.texts(best_index_);
        std::string values;
        for (std::size_t k = 0; k < texts.size(); ++k)
            values += (k == 0 ? "" : ", ") + std::string(space.names()[k]) + ' ' + texts[k];
        std::printf("tunekit: %s: %s, %s, %s, default %.3g%s, best %.3g%s: %s\n", key_.c_str(),
                    tunekit::core::detail::counted(space.size(), "configuration").c_str(),
                    tunekit::core::detail::counted(is.calls, "call").c_str(),
                    tuned_ ? to_text(is.phase).c_str() : "not tuned", is.default_cost * unit, name, is.cost * unit,
                    name, values.c_str());
    }

private:
    void keep_best(tunekit::index best)
    {
        if (best == best_index_ && !best_.empty()) return;
        best_.clear();
        for (const auto& v : contexts_.space().at(best)) best_.push_back(cell_of(v));
        best_index_ = best;
    }

    std::string key_;
    registry contexts_;
    std::optional<registry> unread_;
    registry::context_type& context_ = contexts_.at("");
    bool by_time_;
    bool tuned_;
    std::vector<cell> best_{};  ///< the best known
    tunekit::index best_index_ = 0;
    std::uint64_t tickets_ = 0;
    std::uint64_t timed_ = 0;  ///< the ticket of the call that is timed; 0: none is
    int passed_ = 0;           ///< calls since that began
};

/// All sessions. None is ever removed, and each stays where it is.
class sessions {
public:
    /// The session of a request. One that is new begins with what the file has of it; `say` gets a line for each reason why that
    /// is nothing.
    template <class Say>
    session& at(const request& r, const settings& how, bool follows, const Say& say)
    {
        std::string id = r.key;
        for (const variable& v : r.asked)
            id += ' ' + std::to_string(v.fingerprint) + ' ' + std::to_string(v.cells.size());
        const auto there = all_.find(id);
        if (there != all_.end()) return there->second;
        session::registry contexts = contexts_of(r, how);
        std::optional<session::registry> unread;
        if (follows) unread = contexts;
        if (!how.file.empty()) {
            const auto got = contexts.load(how.file);
            const auto is_same = [&](const auto& of) { return of.second.key() == r.key; };
            if (got.taken + got.resumed + got.begun == 0 && std::none_of(all_.begin(), all_.end(), is_same))
                for (const std::string& why : got.refused) say(how.file + ": " + why);
        }
        const bool tiles = std::any_of(r.asked.begin(), r.asked.end(), [](const variable& v) { return v.tile(); });
        if (tiles)
            say("tiles of MDRangePolicy: Kokkos before 5 counts them wrongly on hosts once a tool sets them (4.6 and "
                "before are affected), which is slow whatever is answered; there, run without KOKKOS_TUNE_INTERNALS. "
                "They are tuned with KOKKOS_TOOLS_TUNEKIT_TILES=1 alone");
        const bool tuned = !follows && (!tiles || how.tiles) && r.key.find(how.only) != std::string::npos;
        return all_.try_emplace(std::move(id), r.key, std::move(contexts), std::move(unread), r.by_time, tuned)
            .first->second;
    }

    [[nodiscard]] bool empty() const noexcept { return all_.empty(); }

    /// What all have found.
    [[nodiscard]] std::vector<tunekit::online::winner_line> winners() const
    {
        std::vector<tunekit::online::winner_line> out;
        for (const auto& [id, s] : all_) {
            auto lines = s.winners();
            std::move(lines.begin(), lines.end(), std::back_inserter(out));
        }
        return out;
    }

    /// All are followers, and take what stands in the file of the rank that tunes.
    void follow(const std::string& text)
    {
        for (auto& [id, s] : all_) s.follow(text);
    }

    void print() const
    {
        for (const auto& [id, s] : all_) s.print();
    }

private:
    static session::registry contexts_of(const request& r, const settings& how)
    {
        tunekit::online::options options = how.options;
        if (!r.by_time) options.call_seconds = 0;  // our own seconds do not compare with the host's unit
        for (const variable& v : r.asked)
            if (smallest_untuned(v.name, r.on)) options.near_slowdown = options.far_slowdown = team_slowdown;
        return {{.kernel = r.key, .version = how.version, .device = how.device}, space_of(r), untuned_of(r), options};
    }

    std::map<std::string, session> all_;
};

}  // namespace kokkos_tuner
