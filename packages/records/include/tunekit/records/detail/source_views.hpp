// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The sources of an experience as seen from one space.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tunekit/records/experience_source.hpp"
#include "tunekit/space/carried.hpp"

namespace tunekit::search::detail {

class fitted_sources;

/// The sources that a space takes, and what they forecast there. A value that a source does not know counts as the
/// nearest that it knows; where none is near, and for parameters that only the source has, the value of its best
/// counts.
class source_views {
public:
    source_views() = default;
    /// `names`: of the space's parameters, in the order of its ordinals.
    source_views(std::shared_ptr<const fitted_sources> past, std::span<const std::string> names,
                 const space::matched_parameters& there);

    [[nodiscard]] std::size_t size() const noexcept { return views_.size(); }
    [[nodiscard]] const experience_source& operator[](std::size_t k) const;
    /// Of source k the results of the `count` lowest whole costs, and of those equal to the last, in their order.
    [[nodiscard]] std::vector<std::size_t> lowest(std::size_t k, std::size_t count) const;

    /// The forecasts of all sources, row-major, for configurations by their ordinals.
    void predict(std::span<const std::uint16_t> ordinals, std::span<double> out) const;

    bool operator==(const source_views& other) const;

private:
    /// For each parameter of the source the parameter here and the place of each of its values; without a parameter
    /// here one place.
    struct view {
        std::size_t source = 0;
        std::vector<std::size_t> from{};
        std::vector<std::vector<std::uint16_t>> to{};

        friend bool operator==(const view&, const view&) = default;
    };

    std::shared_ptr<const fitted_sources> past_;
    std::size_t dimensions_ = 0;
    std::vector<view> views_;
};

}  // namespace tunekit::search::detail
