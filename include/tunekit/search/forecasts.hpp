// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What each source of an experience forecasts of a configuration.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/search/experience.hpp"
#include "tunekit/space/carried.hpp"

namespace tunekit::search {

/// An experience with a Gaussian process fitted to each of its sources. Fitted once, when it is first asked, it serves any
/// number of runs and spaces.
///
///     auto strategy = tk::recipes::autotvm_reg().strategy;
///     strategy.past = std::make_shared<const tk::search::forecasts>(past);       // as strategy.remember(past) does
///
/// The forecast of source s for a configuration x is g_s(x), the mean of the process: about -ln(cost / lowest cost of the
/// source). So 0 is as good as its best, -0.7 twice as slow. A failure counts as the slowest valid cost, a cost that was
/// cut short as its bound. x is given by coordinates: for each of the source's parameters the place of the value among the
/// source's, ascending where they are numbers, else by text.
///
/// Randomness: none but its own; equal experiences forecast equally.
/// Cost:       a fit takes below 20 ms for 200 results; more than `most_rows` leave the better half and the latest quarter.
///             A forecast takes O(rows parameters).
/// Threads:    const calls are safe.
class forecasts {
public:
    static constexpr std::size_t least_valid = 8;   ///< a source with fewer whole costs forecasts nothing
    static constexpr std::size_t most_rows = 500;   ///< results that a fit stands on
    static constexpr std::size_t most_sources = 8;  ///< that a space takes

    explicit forecasts(experience past);  ///< Keeps it; nothing is fitted yet.

    [[nodiscard]] const experience& past() const noexcept { return past_; }  ///< what it was made from

    /// The coordinate of value v of parameter p of source s.
    [[nodiscard]] float coordinate(std::size_t s, std::size_t p, std::size_t v) const
    {
        return models_[s]->places[p][v];
    }
    /// The forecasts of source s for rows of coordinates, one row per entry of `out`. Precondition: the source has
    /// `least_valid` whole costs.
    void predict(std::size_t s, std::span<const float> rows, std::span<double> out) const;

private:
    struct model {
        std::vector<std::vector<float>> places;  ///< by parameter and value
        std::mutex fitting{};
        std::shared_ptr<const void> fitted{};  ///< a process's state
    };

    experience past_;
    std::vector<std::unique_ptr<model>> models_;
};

/// What a space takes of a source of an experience.
struct taken_source {
    std::size_t source = 0;          ///< its place in the experience
    std::size_t configurations = 0;  ///< results whose configurations the space has, with equal or nearest values
};

namespace detail {

/// The sources that a space takes, in their order: of those that have enough whole costs and a parameter's name in common
/// with it, the latest.
[[nodiscard]] inline std::vector<std::size_t> sources_for(const space::matched_parameters& there,
                                                          const experience& past)
{
    std::vector<std::size_t> out;
    for (std::size_t s = past.sources.size(); s-- > 0 && out.size() < forecasts::most_sources;)
        if (past.sources[s].valid() >= forecasts::least_valid && there.shares(past.sources[s].names()))
            out.push_back(s);
    std::reverse(out.begin(), out.end());
    return out;
}

}  // namespace detail

/// What `space` takes of an experience, in the order of its sources: at most `forecasts::most_sources`, the latest that have
/// `forecasts::least_valid` whole costs and a parameter's name in common with it. Cost: O(results values).
template <class Space>
[[nodiscard]] std::vector<taken_source> taken_of(const experience& past, const Space& space)
{
    const space::matched_parameters there(space);
    std::vector<taken_source> out;
    for (const std::size_t k : detail::sources_for(there, past)) {
        const experience_source& s = past.sources[k];
        const auto names = s.names();
        taken_source t{.source = k};
        for (std::size_t r = 0; r < s.results.size(); ++r)
            t.configurations += there.carry(space, names, s.texts(r), std::nullopt).has_value();
        out.push_back(std::move(t));
    }
    return out;
}

}  // namespace tunekit::search

#if TUNEKIT_BODIES
#include "tunekit/random/philox.hpp"
#include "tunekit/surrogate/gaussian_process.hpp"

namespace tunekit::search {

namespace detail {

/// The place of each value in ascending order: by number where all are numbers, else by text.
[[nodiscard]] inline std::vector<float> places_of(const std::vector<std::string>& values)
{
    std::vector<std::optional<double>> numbers;
    for (const std::string& v : values) numbers.push_back(core::number<double>(v));
    const bool all = std::all_of(numbers.begin(), numbers.end(), [](const auto& x) { return x && std::isfinite(*x); });
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return all && *numbers[a] != *numbers[b] ? *numbers[a] < *numbers[b] : values[a] < values[b];
    });
    std::vector<float> out(values.size());
    for (std::size_t k = 0; k < order.size(); ++k) out[order[k]] = static_cast<float>(k);
    return out;
}

[[nodiscard]] inline surrogate::gaussian_process source_process()
{
    return {.distance = surrogate::column_distance::both, .evaluations = 16, .max_rows = forecasts::most_rows};
}

/// The process of a source, fitted to -ln(cost / lowest cost).
[[nodiscard]] inline surrogate::gaussian_process::state fitted_to(const experience_source& s,
                                                                  const std::vector<std::vector<float>>& places)
{
    const std::size_t d = s.parameters.size();
    std::vector<float> rows;
    for (std::size_t k = 0; k < s.rows.size(); ++k) rows.push_back(places[k % d][s.rows[k]]);
    const double best = std::log(s.results[s.best()].cost);
    std::vector<double> y;
    double worst = 0;
    for (const auto& r : s.results) {
        y.push_back(r.failed() ? 1 : best - std::log(r.cost));
        if (r.ok()) worst = (std::min)(worst, y.back());
    }
    for (std::size_t k = 0; k < y.size(); ++k)
        if (s.results[k].failed()) y[k] = worst;
    tunekit::random::philox gen(0);
    const auto process = source_process();
    auto state = process.start(d);
    process.fit(state, surrogate::features(rows, d), y, gen);
    return state;
}

}  // namespace detail

TUNEKIT_INLINE forecasts::forecasts(experience past) : past_(std::move(past))
{
    for (const experience_source& s : past_.sources) {
        models_.push_back(std::make_unique<model>());
        for (const auto& p : s.parameters) models_.back()->places.push_back(detail::places_of(p.values));
    }
}

TUNEKIT_INLINE void forecasts::predict(std::size_t s, std::span<const float> rows, std::span<double> out) const
{
    using state = surrogate::gaussian_process::state;
    model& m = *models_[s];
    const std::shared_ptr<const void> fitted = [&] {
        const std::lock_guard lock(m.fitting);
        if (!m.fitted) m.fitted = std::make_shared<const state>(detail::fitted_to(past_.sources[s], m.places));
        return m.fitted;
    }();
    detail::source_process().means(*static_cast<const state*>(fitted.get()),
                                   surrogate::features(rows, past_.sources[s].parameters.size()), out);
}

}  // namespace tunekit::search
#endif  // TUNEKIT_BODIES
