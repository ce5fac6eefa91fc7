// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A Gaussian process that has seen rows.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/detail/lowest.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/linalg/lbfgs.hpp"
#include "tunekit/surrogate/detail/process/evidence.hpp"
#include "tunekit/surrogate/detail/process/matern.hpp"
#include "tunekit/surrogate/detail/process/triangle.hpp"
#include "tunekit/surrogate/process_parameters.hpp"

namespace tunekit::surrogate::detail {

/// How a coordinate is made of a column: (x - offset) / range.
struct coordinate {
    std::size_t column = 0;
    double offset = 0, range = 1;
    bool overlap = false;

    friend bool operator==(const coordinate&, const coordinate&) = default;
};

/// What a fit leaves: a regular value.
struct posterior {
    std::size_t dimensions = 0;  ///< columns of a row
    std::uint64_t key = 0;  ///< of this factor: another where the parameters or the rows kept are others; 0: not fitted
    std::size_t tuned_rows = 0;             ///< rows with a target when the parameters were fitted
    core::plain_vector<float> seen;         ///< all rows of the last fit
    core::plain_vector<std::size_t> taken;  ///< those in the Gaussian process, in the order of the factor
    core::plain_vector<coordinate> coordinates;
    std::size_t varying = 1;  ///< columns that differ in the rows to which the parameters were fitted, 1 at least
    process_parameters parameters;
    matern covariance;
    point_strips points;  ///< the coordinates of `taken`
    triangle factor;
    double unit = 1;                      ///< a power of two that divides the targets, so that they have squares
    double origin = 0, mean = 0, sd = 1;  ///< the first target of `taken`; mean and sd of all
    core::plain_vector<char> open;        ///< whether a row of `taken` is without a target
    core::plain_vector<double> targets;   ///< (y - mean) / sd, 0 for a row without a target
    /// L^-1 (y - origin) and L^-1 1. A row without a target has 0 in both. They do not change where rows are added.
    core::plain_vector<double> white, white_one;

    friend bool operator==(const posterior&, const posterior&) = default;

    [[nodiscard]] bool fitted() const noexcept { return key != 0; }
    /// How many rows the Gaussian process stands on.
    [[nodiscard]] std::size_t size() const noexcept { return taken.size(); }
    [[nodiscard]] std::size_t rows() const noexcept { return dimensions == 0 ? 0 : seen.size() / dimensions; }

    /// Whether `all` begins with what was seen.
    [[nodiscard]] bool extends(std::span<const float> all) const;

    /// The coordinates of `n` rows, of which `row(i)` begins the i-th.
    template <class Row>
    [[nodiscard]] point_strips scaled(std::size_t n, const Row& row) const
    {
        point_strips out{.dimensions = coordinates.size(), .size = n, .x = {}};
        out.x.resize(strips_for(n) * coordinates.size() * strip);
        for (std::size_t k = 0; k < n; k += strip)
            for (std::size_t c = 0; c < coordinates.size(); ++c) {
                const coordinate& by = coordinates[c];
                double* to = out.x.data() + (k / strip * coordinates.size() + c) * strip;
                for (std::size_t i = 0; i < strip && k + i < n; ++i)
                    to[i] = static_cast<double>(row(k + i)[by.column]) - by.offset;
                for (std::size_t i = 0; i < strip; ++i) to[i] /= by.range;
            }
        return out;
    }

    /// The coordinates, by the ranges of what was seen. `kinds` has the distance of each column.
    void measure_columns(std::span<const column_distance> kinds);
    [[nodiscard]] point_strips points_of(std::span<const std::size_t> some) const;
    /// `y` has the target of each row in units, NaN for a row without one. Precondition: a row of `taken` has one.
    void set_targets(std::span<const double> y);
    /// Everything from the parameters and `taken` on.
    void factor_rows();
    /// `all` begins with what was seen: the rest goes into the factor, eight at a time.
    void add_rows(std::span<const float> all);
    /// A row without a target is believed to be what the rows before it predict: it changes no mean.
    void whiten_targets(std::span<const double> y);
    /// K^-1 (y - mean), by which covariances make a mean. O(n^2).
    [[nodiscard]] std::vector<double> weights() const;
};

/// The better half of `most` and the latest quarter, ascending, where there are more than `most`; else all. NaN is
/// worst.
[[nodiscard]] core::plain_vector<std::size_t> rows_to_keep(std::span<const double> y, std::size_t most);

/// The parameters of highest evidence times prior over `sample`, from the prior's middle, and from those of `s` where
/// it is `known`.
[[nodiscard]] process_parameters most_probable(const posterior& s, std::span<const std::size_t> sample,
                                               const process_prior& prior, std::size_t evaluations, bool known);

}  // namespace tunekit::surrogate::detail

#if TUNEKIT_BODIES
namespace tunekit::surrogate::detail {

TUNEKIT_INLINE bool posterior::extends(std::span<const float> all) const
{
    return all.size() >= seen.size() && std::equal(seen.begin(), seen.end(), all.begin());
}

TUNEKIT_INLINE void posterior::measure_columns(std::span<const column_distance> kinds)
{
    coordinates.clear();
    varying = 0;
    for (std::size_t c = 0; c < dimensions; ++c) {
        double low = static_cast<double>(seen[c]), high = low;
        for (std::size_t k = c; k < seen.size(); k += dimensions) {
            low = (std::min)(low, static_cast<double>(seen[k]));
            high = (std::max)(high, static_cast<double>(seen[k]));
        }
        if (high > low) ++varying;
        if (kinds[c] == column_distance::overlap) coordinates.push_back({.column = c, .overlap = true});
        // A column that never changed has no range yet: its values are taken relative to their size.
        else
            coordinates.push_back(
                {.column = c, .offset = low, .range = high > low ? high - low : (std::max)(1.0, std::abs(low))});
    }
    for (std::size_t c = 0; c < dimensions; ++c)
        if (kinds[c] == column_distance::both) coordinates.push_back({.column = c, .overlap = true});
    varying = (std::max)(varying, std::size_t{1});
}

TUNEKIT_INLINE point_strips posterior::points_of(std::span<const std::size_t> some) const
{
    return scaled(some.size(), [&](std::size_t i) { return seen.data() + some[i] * dimensions; });
}

TUNEKIT_INLINE void posterior::set_targets(std::span<const double> y)
{
    core::plain_vector<double> known;
    for (const std::size_t i : taken)
        if (!std::isnan(y[i])) known.push_back(y[i]);
    const auto n = static_cast<double>(known.size());
    origin = known[0];  // equal targets give exactly their value
    double sum = 0, squares = 0;
    for (const double v : known) sum += v - origin;
    mean = origin + sum / n;
    for (const double v : known) squares += (v - mean) * (v - mean);
    sd = squares > 0 ? std::sqrt(squares / n) : 1;
    open.clear();
    targets.clear();
    for (const std::size_t i : taken) {
        open.push_back(std::isnan(y[i]) ? 1 : 0);
        targets.push_back(open.back() ? 0 : (y[i] - mean) / sd);
    }
}

TUNEKIT_INLINE void posterior::factor_rows()
{
    covariance = {.inverse_length = {}, .overlap = {}, .variance = parameters.variance};
    for (std::size_t c = 0; c < coordinates.size(); ++c) {
        covariance.inverse_length.push_back(1 / parameters.lengths[c]);
        covariance.overlap.push_back(coordinates[c].overlap ? 1 : 0);
    }
    points = points_of(taken);
    factor = factor_of(points, covariance, parameters.noise);
}

TUNEKIT_INLINE void posterior::add_rows(std::span<const float> all)
{
    std::size_t next = rows();
    seen.assign(all);
    while (next < rows()) {
        const std::size_t old = taken.size(), n = (std::min)(strip, rows() - next);
        for (std::size_t k = 0; k < n; ++k) taken.push_back(next + k);
        const point_strips fresh = points_of(std::span(taken).subspan(old, n));
        core::plain_vector<double> cross(old * strip), own(strip * strip);
        covariance(points, 0, old, fresh.of(0), cross.data());
        covariance(fresh, 0, n, fresh.of(0), own.data());
        for (std::size_t i = 0; i < n; ++i) own[i * strip + i] += parameters.noise;
        factor.append(cross, own, n, parameters.noise);
        points = points_of(taken);
        next += n;
    }
}

TUNEKIT_INLINE void posterior::whiten_targets(std::span<const double> y)
{
    white.assign(taken.size(), 0.0);
    white_one.assign(taken.size(), 0.0);
    for (std::size_t i = 0; i < taken.size(); ++i) {
        if (open[i]) continue;
        const double l = factor.diagonal(i);
        white[i] = (y[taken[i]] - origin - triangle::inner(factor.row(i), white.data(), i)) / l;
        white_one[i] = (1 - triangle::inner(factor.row(i), white_one.data(), i)) / l;
    }
}

TUNEKIT_INLINE std::vector<double> posterior::weights() const
{
    std::vector<double> out(white.begin(), white.end());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] -= (mean - origin) * white_one[i];
    for (std::size_t i = out.size(); i-- > 0;) {
        const double* row = factor.row(i);
        out[i] /= row[i];
        for (std::size_t j = 0; j < i; ++j) out[j] -= row[j] * out[i];
    }
    return out;
}

TUNEKIT_INLINE core::plain_vector<std::size_t> rows_to_keep(std::span<const double> y, std::size_t most)
{
    const std::size_t latest = y.size() <= most ? y.size() : most / 4;
    core::plain_vector<double> worse;
    for (const double v : y.first(y.size() - latest)) worse.push_back(-v);
    core::plain_vector<char> kept(y.size(), 0);
    std::fill(kept.end() - static_cast<std::ptrdiff_t>(latest), kept.end(), 1);
    for (const std::uint32_t k : core::detail::lowest(worse, most / 2)) kept[k] = 1;
    core::plain_vector<std::size_t> out;
    for (std::size_t k = 0; k < kept.size(); ++k)
        if (kept[k]) out.push_back(k);
    return out;
}

TUNEKIT_INLINE process_parameters most_probable(const posterior& s, std::span<const std::size_t> sample,
                                                const process_prior& prior, std::size_t evaluations, bool known)
{
    const std::size_t d = s.coordinates.size();
    core::plain_vector<double> middle;
    for (const coordinate& c : s.coordinates)
        middle.push_back(std::log(c.overlap ? prior.overlap_length : prior.length) +
                         0.5 * std::log(static_cast<double>(s.varying)));
    middle.push_back(0);
    middle.push_back(std::log(prior.noise));
    core::plain_vector<double> lower(d, std::log(1e-2)), upper(d, std::log(1e3));
    for (const double x : {std::log(1e-2), std::log(1e-6)}) lower.push_back(x);
    for (const double x : {std::log(1e3), std::log(2.0)}) upper.push_back(x);
    const auto natural = [&](std::span<const double> theta) {
        process_parameters out{.lengths = {}, .variance = std::exp(theta[d]), .noise = std::exp(theta[d + 1])};
        for (std::size_t c = 0; c < d; ++c) out.lengths.push_back(std::exp(theta[c]));
        return out;
    };
    for (std::size_t k = 0; k < middle.size(); ++k) middle[k] = std::clamp(middle[k], lower[k], upper[k]);
    core::plain_vector<double> y;
    for (const std::size_t i : sample) {
        const auto at = std::lower_bound(s.taken.begin(), s.taken.end(), i) - s.taken.begin();
        y.push_back(s.targets[static_cast<std::size_t>(at)]);
    }
    if (std::all_of(y.begin(), y.end(), [&](double v) { return v == y[0]; })) return natural(middle);
    const point_strips whole = s.points_of(sample);
    core::plain_vector<char> overlap;
    core::plain_vector<std::size_t> lengths;  // of the coordinates that are not the same in all rows
    for (std::size_t c = 0; c < d; ++c) {
        std::size_t i = 1;
        while (i < whole.size && whole.at(i, c) == whole.at(0, c)) ++i;
        if (i == whole.size) continue;
        lengths.push_back(c);
        overlap.push_back(s.coordinates[c].overlap ? 1 : 0);
    }
    point_strips points{.dimensions = lengths.size(), .size = whole.size, .x = {}};
    for (std::size_t k = 0; k < strips_for(whole.size); ++k)
        for (const std::size_t c : lengths) points.x.append({whole.of(k) + c * strip, strip});
    const evidence of(points, y, overlap, lengths, prior, middle);
    const linalg::lbfgs method{.max_evaluations = (std::max)(known ? evaluations / 2 : evaluations, std::size_t{1}),
                               .tolerance = 1e-3};
    linalg::lbfgs::minimum best = method.minimize(of, middle, lower, upper);
    if (known) {
        core::plain_vector<double> start;
        for (const double l : s.parameters.lengths) start.push_back(std::log(l));
        start.push_back(std::log(s.parameters.variance));
        start.push_back(std::log(s.parameters.noise));
        linalg::lbfgs::minimum other = method.minimize(of, start, lower, upper);
        if (other.value < best.value) best = std::move(other);
    }
    return natural(best.x);
}

}  // namespace tunekit::surrogate::detail
#endif  // TUNEKIT_BODIES
