// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// When a portfolio does again what takes time.

#include <algorithm>
#include <cstddef>

#include "tunekit/space/concepts.hpp"

namespace tunekit::search::detail {

/// The numbers of measurements from which a portfolio fits its forest, makes its list of candidates and makes its line
/// of proposals again: after each measurement at first, then after a share of what is known. A regular value.
class calendar {
public:
    static constexpr std::size_t each_until = 64;  ///< measurements up to which nothing waits for a share

    calendar() = default;
    /// That of one of `states` that propose in turn: beyond `each_until` each fits its forest and lists so much rarer.
    explicit calendar(std::size_t states) : states_(states) {}

    /// Whether the forest is to be fitted to so many answers: then it is next after 2 % more, 4 at least.
    [[nodiscard]] bool take_forest(std::size_t answered)
    {
        if (answered < forest_at_) return false;
        forest_at_ = answered + (answered < each_until ? 1 : states_ * (std::max)(std::size_t{4}, answered / 50));
        return true;
    }

    /// Whether the list is to be made where so many are known, answered or out: then it is next after a fifth more, 100
    /// at most.
    [[nodiscard]] bool take_list(std::size_t known)
    {
        if (known < list_at_) return false;
        list_at_ = known + (known < each_until ? 1 : states_) * std::clamp(known / 5, std::size_t{1}, std::size_t{100});
        return true;
    }

    /// Whether a line no longer serves: as many as it is for were proposed, or there is another best.
    [[nodiscard]] bool line_ends(std::size_t known, index best) const { return known >= line_at_ || best != best_; }

    /// Begins a line and returns for how many proposals it is: one, or from `many` known on 1 % of these.
    [[nodiscard]] std::size_t begin_line(std::size_t known, index best, std::size_t many)
    {
        const std::size_t length = known < many ? 1 : (std::max)(known / 100, std::size_t{1});
        line_at_ = known + length;
        best_ = best;
        return length;
    }

    /// Whether the models were fitted.
    [[nodiscard]] bool begun() const noexcept { return forest_at_ > 0; }

    /// Makes everything due.
    void start_over() { forest_at_ = list_at_ = line_at_ = 0; }

    friend bool operator==(const calendar&, const calendar&) = default;

private:
    std::size_t states_ = 1;
    std::size_t forest_at_ = 0;  // answered
    std::size_t list_at_ = 0;    // known
    std::size_t line_at_ = 0;    // known
    index best_ = 0;             // when the line was made
};

}  // namespace tunekit::search::detail
