// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The Gaussian process: a smooth mean through the measurements, and an uncertainty that grows away from them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/core/detail/unit.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/executor.hpp"
#include "tunekit/random/choice.hpp"
#include "tunekit/random/generator.hpp"
#include "tunekit/surrogate/concepts.hpp"
#include "tunekit/surrogate/detail/process/kept_rows.hpp"
#include "tunekit/surrogate/detail/process/looked_up.hpp"
#include "tunekit/surrogate/detail/process/posterior.hpp"
#include "tunekit/surrogate/process_parameters.hpp"

namespace tunekit::surrogate {

/// The Gaussian process model. An aggregate of parameters: name what you change.
///
///     const gaussian_process model{};
///     auto state = model.start(rows.dimensions());
///     model.fit(state, rows, y, gen);                 // rows of floats or of ordinals
///     model.predict(state, candidates, predictions);  // mean and sd of each
///
/// f ~ GP(m, K), y = f + noise, with `process_parameters` for K. Columns are divided by their range over the rows.
/// Targets are reduced by their mean and divided by their sd. So neither the unit of a column nor that of the targets
/// matters. The parameters maximise evidence times prior. `linalg::lbfgs` finds them with the exact gradient, from the
/// parameters before and from the prior's middle. With more than `evidence_rows` rows the evidence is that of a uniform
/// sample of that many.
///
/// `fit` reuses the last fit where the rows begin with those of that fit. It adds the further rows to the posterior one
/// by one, at O(n^2) each, and replaces the targets. It fits the parameters again once the rows have grown by the share
/// `growth` since the last time. Of more than `max_rows` rows it keeps the best max_rows / 2 and the latest max_rows /
/// 4.
///
/// sd is that of f, without the noise.
///
/// A row may be without a target: it was proposed and is not answered yet. It is believed to be what the rows before it
/// predict. So it lowers the uncertainty around it, and moves no mean.
///
/// Rows:       features and ordinals are treated alike. Use values, log2 of values or ordinals for a quantity, and the
///             distance `overlap` for a name. With `both` neighbours are close, and each value may still be its own.
/// Errors:     std::invalid_argument from start and fit, before the state changes.
/// Randomness: one `bits` per fit of the parameters, and a shuffle where rows are sampled for it.
/// Cost:       fit O(n^2 + n d) where rows were added. Where the parameters are fitted, O(evaluations m^3) with m =
///             min(n, evidence_rows), and O(n^3 / 6). predict O(n^2 / 2 + n d) per row. With kept rows, for a
///             fixed set of candidates, O(n) per row added.
/// Threads:    predict is const; it splits over an executor.
/// Source:     Rasmussen, Williams (2006), Gaussian Processes for Machine Learning, algorithm 2.1; Snoek, Larochelle,
///             Adams (2012) for Matern 5/2 in tuning; the prior's scale from Hvarfner, Hellsten, Nardi (2024).
/// Departures: the most probable parameters, instead of an average over parameters; the evidence of a sample where
///             there are more than `evidence_rows` rows.
struct gaussian_process {
    column_distance distance = column_distance::difference;  ///< of all columns where `columns` is empty
    core::plain_vector<column_distance> columns{};           ///< one per feature, or none
    process_prior prior{};                                   ///< of the parameters
    std::optional<process_parameters> given{};               ///< the parameters where they are known: nothing is fitted
    double growth = 0.25;             ///< > 0; share of further rows after which the parameters are fitted again
    std::size_t evidence_rows = 128;  ///< >= 2; the most rows to which the parameters are fitted
    std::size_t evaluations = 40;     ///< >= 1; of the evidence in one fit of the parameters, at most
    std::size_t max_rows = 1000;      ///< >= 8; that it stands on

    using state = detail::posterior;  ///< a regular value
    using kept = detail::kept_rows;   ///< for a fixed set of candidates
    /// Means alone, of rows whose columns have the values 0, 1, ...: made from a state and the number of values of each
    /// column, `mean(row)` is that of `predict` but for rounding, and O(n d) additions of what is looked up.
    using means_by_place = detail::looked_up;

    /// An empty Gaussian process of d features. Throws std::invalid_argument where a parameter is out of range.
    [[nodiscard]] state start(std::size_t d) const
    {
        require(d > 0, "gaussian_process.start: 0 features, want >= 1");
        require(columns.empty() || columns.size() == d,
                "gaussian_process: want one member of columns per feature, or none");
        require(prior.length > 0 && prior.noise > 0 && prior.length_spread > 0 && prior.variance_spread > 0 &&
                    prior.noise_spread > 0 && prior.overlap_length > 0,
                "gaussian_process: a member of prior is not positive, want > 0");
        require(growth > 0, "gaussian_process: growth is not positive, want > 0");
        require(evidence_rows >= 2, "gaussian_process: evidence_rows is below 2, want >= 2");
        require(evaluations >= 1, "gaussian_process: evaluations is 0, want >= 1");
        require(max_rows >= 8, "gaussian_process: max_rows is below 8, want >= 8");
        if (given) {
            std::size_t lengths = 0;
            for (const column_distance c : distances(d)) lengths += c == column_distance::both ? 2 : 1;
            require(given->lengths.size() == lengths,
                    "gaussian_process: given wants one length per feature, two if its distance is both");
            for (const double l : given->lengths)
                require(l > 0 && std::isfinite(l), "gaussian_process: a given length is not a finite number > 0");
            require(given->variance > 0 && given->noise > 0 && std::isfinite(given->variance + given->noise),
                    "gaussian_process: given variance or noise is not a finite number > 0");
        }
        state s;
        s.dimensions = d;
        return s;
    }

    /// Fits the Gaussian process to rows and their targets; an earlier fit is replaced. Throws std::invalid_argument
    /// where the sizes disagree, there is no row, a feature or a target is not finite, or the range of y is not.
    template <class T, generator G>
    void fit(state& s, const rows_of<T>& rows, std::span<const double> y, G& gen) const
    {
        fit(s, rows, y, {}, gen);
    }

    /// The same, where the rows at `unanswered` are without a target; their entries of `y` are not read. Throws
    /// std::invalid_argument also where no row has a target, or a position is beyond the rows.
    template <class T, generator G>
    void fit(state& s, const rows_of<T>& rows, std::span<const double> y, std::span<const std::size_t> unanswered,
             G& gen) const
    {
        require(rows.size() > 0, "gaussian_process.fit: no rows, want >= 1");
        require(rows.dimensions() == s.dimensions,
                "gaussian_process.fit: rows of another number of features than started, want the same");
        require(rows.size() == y.size(), "gaussian_process.fit: want one target per row");
        require_finite(rows);
        core::plain_vector<char> out(y.size(), 0);
        for (const std::size_t i : unanswered) {
            require(i < y.size(), "gaussian_process.fit: an unanswered position is beyond the rows, want one of them");
            out[i] = 1;
        }
        core::plain_vector<double> targets(y);
        double low = std::numeric_limits<double>::infinity(), high = -low;
        std::size_t answered = 0;
        for (std::size_t i = 0; i < y.size(); ++i) {
            if (out[i]) {
                targets[i] = std::numeric_limits<double>::quiet_NaN();
                continue;
            }
            require(std::isfinite(y[i]), "gaussian_process.fit: a target is NaN or infinite, want finite ones");
            low = (std::min)(low, y[i]);
            high = (std::max)(high, y[i]);
            ++answered;
        }
        require(answered > 0, "gaussian_process.fit: no row has a target, want one at least");
        require(std::isfinite(high - low),
                "gaussian_process.fit: targets span more than a double holds, want a smaller range");
        const double unit = core::detail::unit_of((std::max)(std::abs(low), std::abs(high)));
        if (unit != 1)
            for (double& t : targets) t /= unit;

        const core::plain_vector<float> seen = floats_of(rows);
        const bool longer = s.extends(seen);
        const bool tune =
            !longer || s.key == 0 || static_cast<double>(answered) >= (1 + growth) * static_cast<double>(s.tuned_rows);
        const bool told = std::any_of(s.taken.begin(), s.taken.end(), [&](std::size_t i) { return !out[i]; });
        if (longer && told && !tune && s.taken.size() + (rows.size() - s.rows()) <= max_rows) {
            s.add_rows(seen);
        } else {
            state next;
            next.dimensions = s.dimensions;
            next.tuned_rows = tune ? answered : s.tuned_rows;
            next.seen = seen;
            next.taken = detail::rows_to_keep(targets, max_rows);
            next.key = random::bits(gen) | 1;
            if (tune) {
                next.measure_columns(distances(s.dimensions));
            } else {
                next.coordinates = s.coordinates;
                next.varying = s.varying;
            }
            next.parameters = s.parameters;
            next.set_targets(targets);
            if (tune) fit_parameters(next, s.key != 0, gen);
            next.factor_rows();
            s = std::move(next);
        }
        s.unit = unit;
        s.set_targets(targets);
        s.whiten_targets(targets);
    }

    /// Predicts mean and sd of each row. Throws std::invalid_argument where a feature is NaN or infinite. Precondition:
    /// fitted, rows of as many features, out.size() == rows.size().
    template <class T, core::executor Run>
    void predict(const state& s, const rows_of<T>& rows, std::span<stats::prediction> out, const Run& run) const
    {
        require(s.fitted() && out.size() == rows.size() && (rows.size() == 0 || rows.dimensions() == s.dimensions),
                "gaussian_process.predict: not fitted, rows of other features, or not one prediction per row");
        require_finite(rows);
        constexpr std::size_t block = 64;
        const auto some = [&](std::size_t k) {
            const std::size_t begin = k * block, n = (std::min)(block, rows.size() - begin);
            kept part(floats_of(rows_of<T>(rows.data().subspan(begin * s.dimensions, n * s.dimensions), s.dimensions)),
                      s.dimensions);
            part.predict(s, out.subspan(begin, n));
        };
        run((rows.size() + block - 1) / block, some);
    }

    template <class T>
    void predict(const state& s, const rows_of<T>& rows, std::span<stats::prediction> out) const
    {
        predict(s, rows, out, core::serial);
    }

    /// Keeps candidates for repeated predictions. Throws std::invalid_argument where a feature is NaN or infinite.
    template <class T>
    [[nodiscard]] kept keep(const rows_of<T>& rows) const
    {
        require_finite(rows);
        return kept(floats_of(rows), rows.dimensions());
    }

    /// Predicts the kept candidates `of`, with the same numbers as `predict` of their rows. It first adds the
    /// rows since the last prediction to `of`, at O(n) per candidate and row. Where the parameters were fitted again,
    /// it computes `of` from the beginning. Precondition: as above.
    void predict(const state& s, kept& of, std::span<stats::prediction> out) const
    {
        require(
            s.fitted() && out.size() == of.size() && (of.size() == 0 || of.dimensions() == s.dimensions),
            "gaussian_process.predict: not fitted, kept rows of other features, or not one prediction per candidate");
        of.predict(s, out);
    }

private:
    template <class T>
    static void require_finite(const rows_of<T>& rows)
    {
        for (const T v : rows.data())
            require(std::isfinite(static_cast<double>(v)),
                    "gaussian_process: a feature is NaN or infinite, want finite ones");
    }

    template <class T>
    [[nodiscard]] static core::plain_vector<float> floats_of(const rows_of<T>& rows)
    {
        core::plain_vector<float> out;
        out.reserve(rows.data().size());
        for (const T v : rows.data()) out.push_back(static_cast<float>(v));
        return out;
    }

    [[nodiscard]] core::plain_vector<column_distance> distances(std::size_t d) const
    {
        return columns.empty() ? core::plain_vector<column_distance>(d, distance) : columns;
    }

    template <class G>
    void fit_parameters(state& s, bool known, G& gen) const
    {
        if (given) {
            s.parameters = *given;
            return;
        }
        core::plain_vector<std::size_t> sample;
        for (std::size_t k = 0; k < s.taken.size(); ++k)
            if (!s.open[k]) sample.push_back(s.taken[k]);
        if (sample.size() > evidence_rows) {
            random::shuffle(std::span<std::size_t>(sample), gen);
            core::plain_vector<char> drawn(s.rows(), 0);
            for (std::size_t k = 0; k < evidence_rows; ++k) drawn[sample[k]] = 1;
            sample.clear();
            for (std::size_t k = 0; k < drawn.size(); ++k)
                if (drawn[k]) sample.push_back(k);
        }
        s.parameters = detail::most_probable(s, sample, prior, evaluations, known);
    }
};

}  // namespace tunekit::surrogate
