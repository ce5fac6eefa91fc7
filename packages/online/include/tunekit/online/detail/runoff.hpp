// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A race whose runs are calls of the application.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tunekit/measure/race.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::online::detail {

/// A race by the rule of measure::race, one run at a time. Copyable.
class runoff {
public:
    /// The first of `all` is the one to beat.
    explicit runoff(const std::vector<index>& all) : track_(all, measure::race_options{}), line_(track_.lines_up()) {}

    /// The configuration of the next run.
    [[nodiscard]] index racer() const noexcept { return line_[round_.size()]; }

    /// Takes the seconds of that run, or that it failed. The result once the race is over.
    [[nodiscard]] std::optional<measure::race_result> told(double seconds, bool good)
    {
        measure::measurement m{.cost = seconds, .runs = 1};
        if (!good) m.failed = measure::failure{.kind = measure::failure_kind::bad_cost};
        round_.push_back(std::move(m));
        if (round_.size() < line_.size()) return std::nullopt;
        track_.finishes(round_);
        round_.clear();
        if (track_.over()) return track_.verdict();
        line_ = track_.lines_up();
        return std::nullopt;
    }

private:
    measure::race_track track_;
    std::vector<index> line_;                    ///< the configurations of the round under way
    std::vector<measure::measurement> round_{};  ///< their measurements so far
};

}  // namespace tunekit::online::detail
