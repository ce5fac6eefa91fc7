// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What the sources of an experience say of one space.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "tunekit/records/detail/source_views.hpp"
#include "tunekit/search/outlook.hpp"
#include "tunekit/space/carried.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/index_set.hpp"

namespace tunekit::search::detail {

/// The sources of an experience as seen from one space.
///
/// Cost: made, a forecast of each configuration of a space of at most `tabulated`; of larger ones forecasts are made
///       when they are asked for.
class seen_sources final : public forecasts::outlook {
public:
    static constexpr index tabulated = 32768;   ///< largest space whose forecasts are kept
    static constexpr std::size_t draws = 8192;  ///< from a larger space, where no measured configuration fits
    static constexpr std::size_t most_of_a_source = 1000;  ///< lowest costs among which it chooses where to begin

    seen_sources(const forecasts::asked_space& space, std::shared_ptr<const fitted_sources> past,
                 const tunekit::space::matched_parameters& there);

    [[nodiscard]] std::size_t sources() const noexcept override { return views_.size(); }
    [[nodiscard]] std::span<const index> starts() const noexcept override { return starts_; }
    void forecast(const forecasts::asked_space& space, std::span<const index> which,
                  std::span<double> out) const override;
    [[nodiscard]] std::vector<double> weights(std::span<const double> forecasts, std::span<const double> scores,
                                              std::span<const std::size_t> open) const override;
    [[nodiscard]] bool equals(const forecasts::outlook& other) const override;

private:
    [[nodiscard]] static std::vector<std::uint16_t> ordinals_of(const forecasts::asked_space& space,
                                                                std::span<const index> which);
    [[nodiscard]] std::vector<double> forecasts_of(const forecasts::asked_space& space,
                                                   std::span<const index> which) const;
    /// The configurations to begin with: of those that a source measured whole, its best, and that are here. Where
    /// these are too few, the best by each source's forecast and by their sum, of all or of draws, but none that has
    /// failed wherever it was measured.
    [[nodiscard]] std::vector<index> cover(const forecasts::asked_space& space,
                                           const tunekit::space::matched_parameters& there) const;
    [[nodiscard]] tunekit::space::index_set failed_everywhere(const forecasts::asked_space& space,
                                                              const tunekit::space::matched_parameters& there) const;
    /// Those of `which` that are not recalled; they have their places from now on.
    [[nodiscard]] std::vector<index> not_recalled(std::span<const index> which) const;

    source_views views_;
    std::vector<float> table_;
    std::vector<index> starts_;

    /// Of a space too large for a table: what was asked for before, as each proposal asks for much of it again.
    /// Forgotten at `tabulated` configurations; a forecast does not depend on it.
    mutable std::mutex recalling_;
    mutable std::unordered_map<index, std::size_t> places_;
    mutable std::vector<double> recalled_;
};

/// The sources of an experience as `forecasts` keeps them.
class remembered final : public forecasts::memory {
public:
    explicit remembered(std::vector<experience_source> past);

    [[nodiscard]] std::shared_ptr<const forecasts::outlook> of(const forecasts::asked_space& space) const override;

private:
    std::shared_ptr<const fitted_sources> by_;
};

}  // namespace tunekit::search::detail
