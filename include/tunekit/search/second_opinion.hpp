// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A second model for a portfolio, with its own criterion and its own list of candidates.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/acquisition/concepts.hpp"
#include "tunekit/core/archetypes.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/search/detail/asked_rows.hpp"
#include "tunekit/search/detail/candidate_pool.hpp"
#include "tunekit/search/detail/climb.hpp"
#include "tunekit/space/index_set.hpp"
#include "tunekit/space/unvisited.hpp"
#include "tunekit/surrogate/concepts.hpp"

namespace tunekit::search {

/// The part of a portfolio that has no second opinion.
struct no_second_opinion {
    /// Empty: there is nothing to know.
    struct state {
        friend bool operator==(const state&, const state&) = default;
    };
};

/// Fits `model` to -ln cost in its turn, and proposes the candidate that `acquire` values most. It helps where the two
/// models err in different ways: a forest sees steps and interactions, a Gaussian process sees trends and regions far
/// from all measurements.
///
///     search::portfolio mine{forest, criterion, explore::enumeration{}, {.by_random = 0},
///                            search::second_opinion{surrogate::gaussian_process{}, acquisition::log_expected_improvement{}}};
///
/// The list of candidates has at most m = work / n^2 configurations with n measurements, at least `shortlist` and at most
/// `candidates`. A Gaussian process scores one at a cost that grows as n^2. A space of at most m is listed whole. The list
/// of a larger one has the neighbours (one parameter changed) of the four best measured, then what the portfolio's own
/// model likes, then uniform draws up to m. From the best of these by the criterion it climbs, over neighbours of
/// neighbours. It lists again where n grew by a fifth. In between it scores the `shortlist` best of the list, and of a
/// larger space the neighbours of a new best, and climbs again.
///
/// Randomness: what the model draws; where the space is larger than m, one `sample` per list and a `shuffle` per round of
///             a climb.
/// Cost:       per turn a fit, `shortlist` predictions and those of the climb; per list m predictions.
/// Source:     ours; SMAC (Hutter, Hoos, Leyton-Brown 2011) interleaves random configurations in the same way, and climbs
///             on its criterion too.
template <class Model, class Acquire>
struct second_opinion {
    static_assert(surrogate::model<Model, surrogate::features, archetype::generator>,
                  "tunekit: second_opinion, part 1: not a surrogate::model over features");
    static_assert(acquisition::criterion<Acquire>, "tunekit: second_opinion, part 2: not an acquisition::criterion");

    Model model;                   ///< the surrogate, fitted to -ln cost
    Acquire acquire;               ///< the criterion by which its candidates are ordered
    std::size_t until = 300;       ///< number measured or out after which it is not asked any more
    double cost_cap_quantile = 1;  ///< in (0, 1]; failures and valid costs above this quantile count as that quantile
    std::size_t shortlist = 256;   ///< >= 1; candidates scored between two lists
    std::size_t candidates = 20'000;  ///< >= 1; the most candidates in a list
    double work = 2e7;                ///< > 0; bound of the candidates times the square of the measurements
    std::size_t climb_width = 2;      ///< neighbourhoods judged in a round of a climb
    std::size_t climb_rounds = 4;     ///< the most rounds of a climb
    space::encoding encoding = space::encoding::ordinals;  ///< what the model sees of a configuration

    /// A regular value where the model's state is one.
    struct state {
        surrogate::state_of<Model> model;  ///< what the model has learned from its last fit
        std::vector<float> rows;           ///< features of what was measured, row-major
        std::vector<index> listed;         ///< the shortlist
        detail::asked_rows<Model> asked;   ///< the shortlist as the model takes it
        std::vector<index> line;           ///< what to propose next, the next one last
        index centre = 0;                  ///< the best measured when it was asked last
        std::size_t known = 0;             ///< measurements that the model has seen
        std::size_t relist_at = 0;         ///< number of measurements from which a new list is made

        friend bool operator==(const state&, const state&) = default;
    };

    /// Starts a run. Throws std::invalid_argument where a setting is out of range.
    template <class Space>
    [[nodiscard]] state start(const Space& space) const
    {
        require(cost_cap_quantile > 0 && cost_cap_quantile <= 1,
                "second_opinion: cost_cap_quantile is outside (0, 1] or NaN, want a share");
        require(shortlist >= 1, "second_opinion: shortlist is 0, want >= 1");
        require(candidates >= 1, "second_opinion: candidates is 0, want >= 1");
        require(work > 0, "second_opinion: work is not positive, want > 0");
        state s;
        s.model = model.start(space.feature_count(encoding));
        return s;
    }

    /// The candidate of highest value; empty where none is left. `scores` has the score of each of `measured`. `ranking` has
    /// the valid ones of these, best first, and `best` is the score of the first. `liked` is what another model likes.
    template <class Space, generator G>
    [[nodiscard]] std::optional<index> next(state& s, const Space& space, std::span<const index> measured,
                                            std::span<const double> scores, std::span<const index> ranking, double best,
                                            std::span<const index> liked, const space::unvisited& proposed,
                                            G& gen) const
    {
        if (measured.size() != s.known || s.line.empty())
            learn(s, space, measured, scores, ranking, best, liked, proposed, gen);
        return detail::next_of(s.line, proposed);
    }

private:
    template <class Space, class G>
    void learn(state& s, const Space& space, std::span<const index> measured, std::span<const double> scores,
               std::span<const index> ranking, double best, std::span<const index> liked,
               const space::unvisited& proposed, G& gen) const
    {
        const std::size_t d = space.feature_count(encoding), n = measured.size();
        s.rows.resize(n * d);
        space.features(measured.subspan(s.known), std::span<float>(s.rows).subspan(s.known * d), encoding);
        s.known = n;
        model.fit(s.model, surrogate::features(s.rows, d), scores, gen);
        const std::size_t most = affordable(n);
        const bool anew = n >= s.relist_at || s.listed.empty(), whole = space.size() <= most;
        if (anew) {
            s.relist_at = n + (std::max)(n / 5, std::size_t{1});
            s.listed = list(space, most, ranking, liked, proposed, gen);
            s.asked = rows_of(space, s.listed);
        }
        std::vector<index> all = s.listed;
        std::vector<double> values = judge(s, s.asked, all.size(), best);
        if (!whole) {
            const auto judge_some = [&](const std::vector<index>& some) {
                auto asked = rows_of(space, some);
                return judge(s, asked, some.size(), best);
            };
            if (!anew && !ranking.empty() && ranking.front() != s.centre) {
                space::index_set seen;
                for (const index i : all) seen.insert(i);
                std::vector<index> around = space.neighbours_of(ranking.front(), space::neighbourhood::any_value);
                std::erase_if(around, [&](index i) { return proposed.contains(i) || seen.contains(i); });
                const std::vector<double> fresh = judge_some(around);
                all.insert(all.end(), around.begin(), around.end());
                values.insert(values.end(), fresh.begin(), fresh.end());
            }
            detail::climb(space, all, values, proposed, climb_width, climb_rounds, judge_some, gen);
        }
        if (!ranking.empty()) s.centre = ranking.front();
        std::vector<detail::scored_position> order;
        for (std::size_t k = 0; k < all.size(); ++k)
            if (!proposed.contains(all[k])) order.push_back({values[k], static_cast<std::uint32_t>(k)});
        s.line = detail::line_of(all, order, shortlist);
        if (!anew) return;
        const bool longer = all.size() > s.listed.size();
        s.listed.assign(s.line.rbegin(), s.line.rend());
        if (longer) {
            s.asked = rows_of(space, s.listed);
        } else {
            std::vector<std::uint32_t> kept;
            for (std::size_t k = 0; k < s.line.size(); ++k) kept.push_back(order[k].at);
            s.asked = s.asked.only(kept);
        }
    }

    template <class Space>
    [[nodiscard]] detail::asked_rows<Model> rows_of(const Space& space, const std::vector<index>& some) const
    {
        const std::size_t d = space.feature_count(encoding);
        std::vector<float> rows(some.size() * d);
        space.features(some, rows, encoding);
        return {model, std::move(rows), d};
    }

    /// The value of each of the `size` candidates in `asked`, by the criterion.
    [[nodiscard]] std::vector<double> judge(const state& s, detail::asked_rows<Model>& asked, std::size_t size,
                                            double best) const
    {
        std::vector<stats::prediction> predicted(size);
        if (!predicted.empty()) asked.predict(model, s.model, predicted);
        std::vector<double> out;
        for (const stats::prediction& p : predicted) out.push_back(acquire.value(p, best));
        return out;
    }

    /// The most candidates that are listed with n measurements.
    [[nodiscard]] std::size_t affordable(std::size_t n) const
    {
        const double most = work / (static_cast<double>(n) * static_cast<double>(n));
        return (std::max)(shortlist,
                          most < static_cast<double>(candidates) ? static_cast<std::size_t>(most) : candidates);
    }

    template <class Space, class G>
    [[nodiscard]] std::vector<index> list(const Space& space, std::size_t most, std::span<const index> ranking,
                                          std::span<const index> liked, const space::unvisited& proposed, G& gen) const
    {
        std::vector<index> out;
        if (space.size() <= most) {
            out.resize(static_cast<std::size_t>(space.size()));
            std::iota(out.begin(), out.end(), index{0});
            return out;
        }
        space::index_set seen;
        const auto add = [&](std::span<const index> some) {
            for (const index i : some)
                if (out.size() < most && !proposed.contains(i) && seen.insert(i)) out.push_back(i);
        };
        for (const index i : ranking.first((std::min)(ranking.size(), std::size_t{4})))
            add(space.neighbours_of(i, space::neighbourhood::any_value));
        add(liked);
        if (out.size() < most) add(space.sample(most - out.size(), gen));
        return out;
    }
};

template <class M, class A>
second_opinion(M, A) -> second_opinion<M, A>;

}  // namespace tunekit::search
