// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What the past says of one space: where to begin, columns for models, and a mean.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/search/forecasts.hpp"
#include "tunekit/search/outlook.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/stats/prediction.hpp"

namespace tunekit::search::detail {

/// `space`, which its caller keeps, as an `asked_space`.
template <class Space>
class asked_space_of final : public forecasts::asked_space {
public:
    explicit asked_space_of(const Space& space) : space_(space) {}

    [[nodiscard]] index size() const override { return space_.size(); }
    [[nodiscard]] std::span<const std::uint16_t> cardinalities() const override { return space_.cardinalities(); }
    [[nodiscard]] std::span<const std::string> names() const override { return space_.names(); }
    [[nodiscard]] std::vector<std::string> texts(index i) const override { return space_.texts(i); }
    [[nodiscard]] std::vector<index> sample(std::size_t n, tunekit::random::philox& gen) const override
    {
        return space_.sample(n, gen);
    }
    void ordinals(std::span<const index> in, std::span<std::uint16_t> out) const override { space_.ordinals(in, out); }
    [[nodiscard]] std::optional<index> index_of_ordinals(std::span<const std::uint16_t> row) const override
    {
        return space_.index_of_ordinals(row);
    }

private:
    const Space& space_;
};

/// The sources of an experience as seen from one space, weighed. Empty where none of them fits. A regular value; copies
/// share what never changes.
class guidance {
public:
    guidance() = default;

    template <class Space>
    guidance(const Space& space, const forecasts& past)
    {
        if (!past.empty()) by_ = past.by_->of(asked_space_of<Space>(space));
        if (on()) weights_.assign(sources(), 1.0 / static_cast<double>(sources()));
    }

    /// Whether there is a source.
    [[nodiscard]] bool on() const noexcept { return by_ != nullptr; }
    [[nodiscard]] std::size_t sources() const noexcept { return on() ? by_->sources() : 0; }
    /// With one source nothing tells whether it misleads: fewer starts, the first ones of a cold run, and a forest that
    /// knows nothing of it.
    [[nodiscard]] bool careful() const noexcept { return sources() == 1; }
    /// Where to begin, the first one last. Precondition: on().
    [[nodiscard]] std::vector<index> starts() const
    {
        const std::span<const index> there = by_->starts();
        return {there.rbegin(), there.rend()};
    }
    /// The number of configurations that a state without answers draws for itself.
    [[nodiscard]] std::size_t first(std::size_t cold) const { return !careful() ? 0 : by_->starts().size() + cold; }

    /// The forecasts of all sources, row-major.
    template <class Space>
    [[nodiscard]] std::vector<double> forecast(const Space& space, std::span<const index> which) const
    {
        std::vector<double> out(which.size() * sources());
        if (!out.empty()) by_->forecast(asked_space_of<Space>(space), which, out);
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

    /// Weighs the sources by scores of configurations, and takes the mean that they make together from the scores.
    /// Those at `open` have none.
    template <class Space>
    void weigh(const Space& space, std::span<const index> which, std::span<double> scores,
               std::span<const std::size_t> open)
    {
        if (!on()) return;
        const std::vector<double> g = forecast(space, which);
        weights_ = by_->weights(g, scores, open);
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
        return a.weights_ == b.weights_ && (a.by_ == b.by_ || (a.on() && b.on() && a.by_->equals(*b.by_)));
    }

private:
    [[nodiscard]] double mean(const double* g) const
    {
        double out = 0;
        for (std::size_t s = 0; s < weights_.size(); ++s) out += weights_[s] * g[s];
        return out;
    }

    std::shared_ptr<const forecasts::outlook> by_;
    std::vector<double> weights_;
};

}  // namespace tunekit::search::detail
