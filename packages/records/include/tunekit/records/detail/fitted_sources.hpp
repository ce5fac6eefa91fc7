// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// An experience with a model of each of its sources.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tunekit/records/experience_source.hpp"

namespace tunekit::search::detail {

/// What stands behind `forecasts`. A configuration is given to a source by places: for each of the source's parameters
/// that of the value among the source's, ascending where they are numbers, else by text.
class fitted_sources {
public:
    static constexpr std::size_t least_valid = 8;   ///< a source with fewer whole costs forecasts nothing
    static constexpr std::size_t most_rows = 500;   ///< results that a fit stands on
    static constexpr std::size_t most_sources = 8;  ///< that a space takes

    explicit fitted_sources(std::vector<experience_source> past);  ///< Keeps them; nothing is fitted yet.

    [[nodiscard]] const std::vector<experience_source>& past() const noexcept { return past_; }

    /// The place of value v of parameter p of source s.
    [[nodiscard]] std::uint16_t place(std::size_t s, std::size_t p, std::size_t v) const;
    /// The forecasts of source s for rows of places, one row per entry of `out`. Precondition: the source has
    /// `least_valid` whole costs.
    void predict(std::size_t s, std::span<const std::uint16_t> rows, std::span<double> out) const;

private:
    struct model;

    std::vector<experience_source> past_;
    std::vector<std::shared_ptr<model>> models_;
};

}  // namespace tunekit::search::detail
