// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What the past says of one space: where to begin, columns for models, and a mean.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/detail/source_views.hpp"
#include "tunekit/search/detail/weigh_sources.hpp"
#include "tunekit/search/forecasts.hpp"
#include "tunekit/space/carried.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/index_set.hpp"
#include "tunekit/stats/prediction.hpp"

namespace tunekit::search::detail {

/// The sources of an experience as seen from one space. Empty where none of them fits. A regular value; copies share what
/// never changes.
///
/// Cost: made, a forecast of each configuration of a space of at most `tabulated`; of larger ones forecasts are made when
///       they are asked for.
class guidance {
public:
    static constexpr index tabulated = 32768;  ///< largest space whose forecasts are kept
    static constexpr std::size_t pool = 8192;  ///< draws from a larger one, where no measured configuration fits
    static constexpr std::size_t most_of_a_source = 1000;  ///< lowest costs among which it chooses where to begin

    guidance() = default;

    template <class Space>
    guidance(const Space& space, const std::shared_ptr<const forecasts>& past)
    {
        if (!past || past->past().empty() || space.size() == 0) return;
        const tunekit::space::matched_parameters there(space);
        auto made = std::make_shared<known>();
        made->views = {past, space.names(), there};
        const std::size_t n = made->views.size();
        if (n == 0) return;
        by_ = made;
        if (space.size() <= tabulated) {
            std::vector<index> all(static_cast<std::size_t>(space.size()));
            std::iota(all.begin(), all.end(), index{0});
            std::vector<double> g(all.size() * n);
            made->views.predict(ordinals_of(space, all), g);
            made->table.assign(g.begin(), g.end());
        }
        weights_.assign(sources(), 1.0 / static_cast<double>(sources()));
        made->starts = cover(space, there);
    }

    /// Whether there is a source.
    [[nodiscard]] bool on() const noexcept { return by_ != nullptr; }
    [[nodiscard]] std::size_t sources() const noexcept { return on() ? by_->views.size() : 0; }
    /// With one source nothing tells whether it misleads: fewer starts, the first ones of a cold run, and a forest that knows
    /// nothing of it.
    [[nodiscard]] bool careful() const noexcept { return sources() == 1; }
    /// Where to begin.
    [[nodiscard]] std::vector<index> starts() const { return on() ? by_->starts : std::vector<index>(); }
    /// The number of configurations that a state without answers draws for itself.
    [[nodiscard]] std::size_t first(std::size_t cold) const { return !careful() ? 0 : by_->starts.size() + cold; }

    /// The forecasts of all sources, row-major.
    template <class Space>
    [[nodiscard]] std::vector<double> forecast(const Space& space, std::span<const index> which) const
    {
        const std::size_t n = sources();
        std::vector<double> out(which.size() * n);
        if (n == 0) return out;
        if (!by_->table.empty()) {
            for (std::size_t k = 0; k < out.size(); ++k)
                out[k] = static_cast<double>(by_->table[static_cast<std::size_t>(which[k / n]) * n + k % n]);
            return out;
        }
        const std::lock_guard lock(by_->recalling);  // a copy of a run may be in another thread
        by_->recall(which, ordinals_of(space, by_->not_recalled(which)), out);
        return out;
    }

    /// `rows` of `d` features each with the forecasts of all sources behind each row.
    template <class Space, class Rows>
    [[nodiscard]] Rows with_columns(const Space& space, std::span<const index> which, Rows rows, std::size_t d) const
    {
        const std::size_t n = sources();
        if (n == 0) return rows;
        const std::vector<double> g = forecast(space, which);
        Rows out;
        out.reserve(rows.size() + g.size());
        for (std::size_t k = 0; k < which.size(); ++k) {
            for (std::size_t j = 0; j < d; ++j) out.push_back(rows[k * d + j]);
            for (std::size_t s = 0; s < n; ++s) out.push_back(static_cast<float>(g[k * n + s]));
        }
        return out;
    }

    /// Weighs the sources by scores of configurations, and takes the mean that they make together from the scores. Those at
    /// `open` have none.
    template <class Space>
    void weigh(const Space& space, std::span<const index> which, std::span<double> scores,
               std::span<const std::size_t> open)
    {
        if (!on()) return;
        const std::vector<double> g = forecast(space, which);
        weights_ = ridge_weights(g, scores, open, sources());
        for (std::size_t k = 0; k < scores.size(); ++k) scores[k] -= mean(&g[k * sources()]);
    }

    /// Adds the sources' mean to predictions.
    template <class Space>
    void add_mean(const Space& space, std::span<const index> which, std::span<stats::prediction> predicted) const
    {
        if (!on()) return;
        const std::vector<double> g = forecast(space, which);
        for (std::size_t k = 0; k < predicted.size(); ++k) predicted[k].mean += mean(&g[k * sources()]);
    }

    friend bool operator==(const guidance& a, const guidance& b)
    {
        return a.weights_ == b.weights_ && (a.by_ == b.by_ || (a.by_ && b.by_ && *a.by_ == *b.by_));
    }

private:
    struct known {
        source_views views{};
        std::vector<float> table{};
        std::vector<index> starts{};

        /// Of a space too large for a table: what was asked for before, as each proposal asks for much of it again. Forgotten
        /// at `tabulated` configurations; a forecast does not depend on it.
        mutable std::mutex recalling{};
        mutable std::unordered_map<index, std::size_t> places{};
        mutable std::vector<double> recalled{};

        /// Those of `which` that are not recalled; they have their places from now on.
        [[nodiscard]] std::vector<index> not_recalled(std::span<const index> which) const;
        /// Forecasts what is not recalled, whose ordinals are given, and fills in all.
        void recall(std::span<const index> which, std::span<const std::uint16_t> fresh, std::span<double> out) const;

        friend bool operator==(const known& a, const known& b)
        {
            return a.views == b.views && a.table == b.table && a.starts == b.starts;
        }
    };

    template <class Space>
    [[nodiscard]] static std::vector<std::uint16_t> ordinals_of(const Space& space, std::span<const index> which)
    {
        std::vector<std::uint16_t> out(which.size() * space.dimensions());
        space.ordinals(which, out);
        return out;
    }

    [[nodiscard]] double mean(const double* g) const
    {
        double out = 0;
        for (std::size_t s = 0; s < weights_.size(); ++s) out += weights_[s] * g[s];
        return out;
    }

    /// The configurations to begin with: of those that a source measured whole, its best, and that are here. Where these are
    /// too few, the best by each source's forecast and by their sum, of all or of draws.
    template <class Space>
    [[nodiscard]] std::vector<index> cover(const Space& space, const tunekit::space::matched_parameters& there) const
    {
        const std::size_t most = careful() ? 4 : 6, n = sources();
        std::vector<index> candidates;
        tunekit::space::index_set seen;
        for (std::size_t v = 0; v < n; ++v) {
            const experience_source& s = by_->views[v];
            const auto names = s.names();
            for (const std::size_t k : by_->views.lowest(v, most_of_a_source))
                if (const auto c = there.carry(space, names, s.texts(k), std::nullopt); c && seen.insert(*c))
                    candidates.push_back(*c);
        }
        if (candidates.size() < most) {
            std::vector<index> all(static_cast<std::size_t>((std::min)(space.size(), tabulated)));
            if (space.size() <= tabulated) std::iota(all.begin(), all.end(), index{0});
            else {
                tunekit::random::philox gen(0);
                all = space.sample(pool, gen);
            }
            std::erase_if(all, [&](index i) { return !seen.insert(i); });
            const std::vector<double> g = forecast(space, all);
            for (const std::size_t k : best_by_each(g, all.size(), n)) candidates.push_back(all[k]);
        }
        std::vector<index> out;
        const std::vector<double> g = forecast(space, candidates);
        for (const std::size_t k : cover_of(g, ordinals_of(space, candidates), candidates.size(), most))
            out.push_back(candidates[k]);
        return out;
    }

    std::shared_ptr<const known> by_;
    std::vector<double> weights_;
};

}  // namespace tunekit::search::detail

#if TUNEKIT_BODIES
namespace tunekit::search::detail {

TUNEKIT_INLINE std::vector<index> guidance::known::not_recalled(std::span<const index> which) const
{
    if (places.size() >= tabulated ||
        recalled.size() != places.size() * views.size()) {  // the second: memory was short
        places.clear();
        recalled.clear();
    }
    std::vector<index> out;
    for (const index i : which)
        if (places.try_emplace(i, places.size()).second) out.push_back(i);
    return out;
}

TUNEKIT_INLINE void guidance::known::recall(std::span<const index> which, std::span<const std::uint16_t> fresh,
                                            std::span<double> out) const
{
    const std::size_t n = views.size();
    std::vector<double> more(places.size() * n - recalled.size());
    views.predict(fresh, more);
    recalled.insert(recalled.end(), more.begin(), more.end());
    for (std::size_t k = 0; k < which.size(); ++k)
        for (std::size_t s = 0; s < n; ++s) out[k * n + s] = recalled[places.at(which[k]) * n + s];
}

}  // namespace tunekit::search::detail
#endif  // TUNEKIT_BODIES
