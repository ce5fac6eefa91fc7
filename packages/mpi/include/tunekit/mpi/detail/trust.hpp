// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Who may have a piece that failed or was lost elsewhere, and which workers fail alone.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/text.hpp"
#include "tunekit/mpi/detail/piece.hpp"
#include "tunekit/mpi/detail/quarantine.hpp"
#include "tunekit/mpi/members.hpp"
#include "tunekit/mpi/messages.hpp"

namespace tunekit::mpi::detail {

/// Whether a worker in this state has or takes orders.
[[nodiscard]] constexpr bool can_work(member::state s) noexcept
{
    return s == member::state::checking || s == member::state::idle || s == member::state::busy;
}

/// Whether a worker in this state is used no more.
[[nodiscard]] constexpr bool has_left(member::state s) noexcept
{
    return s == member::state::refused || s == member::state::taken_out || s == member::state::gone;
}

/// What became of the pieces on each worker, by the rule of quarantine, for each duty by itself.
class trust {
public:
    explicit trust(std::size_t workers)
        : rules_{quarantine(workers), quarantine(workers), quarantine(workers)}, failures_(workers)
    {
    }

    /// The worker has measured the reference.
    void measured(std::size_t w, duty a) { rule(a).measured(w); }
    void lost(std::size_t w, const job& j) { losses_.note(w, j); }
    /// Records a failure on a worker.
    void failed(std::size_t w, duty a, piece& p, const answer& with)
    {
        failures_[w] = text_of(*with.measured->failed);
        p.failed_on.push_back(w);
        if (p.built_by) p.built_badly.push_back(*std::exchange(p.built_by, std::nullopt));
        p.failed = with;
        p.failed_at = a;
        p.before_s += with.ran_s;
        p.build_seconds = 0;
        p.code.clear();
    }
    /// Records that a worker has measured a piece. Returns who is sick by that: workers on which it failed or was lost.
    [[nodiscard]] std::vector<std::size_t> measured(const std::vector<member>& members, std::size_t w, const piece& p)
    {
        std::vector<std::size_t> alone = losses_.take(p.what), out;
        for (const auto* const some : {&p.failed_on, &p.built_badly})
            alone.insert(alone.end(), some->begin(), some->end());
        std::sort(alone.begin(), alone.end());
        alone.erase(std::unique(alone.begin(), alone.end()), alone.end());
        rule(members[w].who.duty).measured(w);
        if (p.built_by) rule(duty::builds).measured(*p.built_by);
        for (const std::size_t k : alone)
            if (k != w && k != p.built_by) rule(members[k].who.duty).failed_alone(k);
        for (const std::size_t k : alone)
            if (can_work(members[k].at) && rule(members[k].who.duty).sick(k)) out.push_back(k);
        return out;
    }
    /// Why a worker is taken out.
    [[nodiscard]] std::string why(std::size_t w, duty a) const
    {
        const std::string last = failures_[w].empty() ? "lost them" : "the last with " + failures_[w];
        return "was taken out: " +
               core::detail::counted(rules_[static_cast<std::size_t>(a)].alone(w), "configuration") +
               " failed on it that others measured, " + last;
    }

    /// Whether the failure of a piece counts, or must be seen on another worker first.
    [[nodiscard]] bool counts(const std::vector<member>& members, const piece& p) const
    {
        std::vector<std::size_t> same;
        for (const std::size_t k : p.failed_on)
            if (members[k].who.duty == p.failed_at) same.push_back(k);
        return rules_[static_cast<std::size_t>(p.failed_at)].counts(same);
    }
    /// Whether there is another worker that can try a piece that failed; `may_come`: one that has not joined counts.
    [[nodiscard]] static bool another(const std::vector<member>& members, const piece& p, bool may_come)
    {
        for (std::size_t k = 0; k < members.size(); ++k) {
            const member& m = members[k];
            if (m.at == member::state::absent && may_come) return true;
            if (can_work(m.at) && !has(p.failed_on, k) && (m.who.duty == p.failed_at || m.who.duty == duty::measures))
                return true;
        }
        return false;
    }
    /// Whether a worker should have a piece: not where it failed; not where it was lost, or who built what failed,
    /// while there is another; and what failed goes to a trusted worker while there is one.
    [[nodiscard]] bool suits(const std::vector<member>& members, std::size_t w, const piece& p) const
    {
        if (has(p.failed_on, w)) return false;
        const duty a = members[w].who.duty;
        const bool poor = poorly(w, p), trusted = p.failed_on.empty() || rule(a).trusted(w);
        if (!poor && trusted) return true;
        for (std::size_t k = 0; k < members.size(); ++k) {
            const member& m = members[k];
            if (k == w || !can_work(m.at) || has(p.failed_on, k) || poorly(k, p)) continue;
            const bool other_step = a != m.who.duty && (a == duty::runs || m.who.duty == duty::runs);
            if (other_step) continue;
            if (poor || (m.who.duty == a && rule(a).trusted(k))) return false;
        }
        return true;
    }

private:
    [[nodiscard]] static bool has(const std::vector<std::size_t>& some, std::size_t w)
    {
        return std::find(some.begin(), some.end(), w) != some.end();
    }
    [[nodiscard]] bool poorly(std::size_t w, const piece& p) const
    {
        return has(p.built_badly, w) || losses_.by(w, p.what);
    }
    [[nodiscard]] quarantine& rule(duty a) { return rules_[static_cast<std::size_t>(a)]; }
    [[nodiscard]] const quarantine& rule(duty a) const { return rules_[static_cast<std::size_t>(a)]; }

    std::array<quarantine, 3> rules_;    ///< by duty
    std::vector<std::string> failures_;  ///< the last on each worker
    losses losses_{};
};

}  // namespace tunekit::mpi::detail
