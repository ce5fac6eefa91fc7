// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Picks at run time by the tables of a generated header.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/dispatch/choice.hpp"
#include "tunekit/dispatch/detail/lookup.hpp"
#include "tunekit/processes/machine.hpp"

namespace tunekit::dispatch {

/// A choice for one device with the tables of a generated header: measured shapes are found by a hash, the nearest by a
/// grid. It is a value, and keeps what it needs of the choice.
///
///     const dispatch::picker pick_for(chosen, to_text(this_machine()));
///     const dispatch::pick p = pick_for({128, 768, 768});        // the same as chosen.choose(device, {128, 768, 768})
///
/// Cost: of a pick, see docs/dispatch.md; choice::choose looks at all shapes. To make one takes 80 ms for 1000 shapes
/// that follow no rule.
class picker {
public:
    picker() = default;  ///< has nothing to choose: position 0, by rung `one`

    /// The picks of `of` for a device. Where neither it nor its kin was measured, all are by rung `one`.
    picker(const choice& of, std::string_view device)
        : kernel_(of.kernel), sizes_(of.sizes), always_{of.one, rung::one, of.one_untuned, kinship::other}
    {
        const auto [part, on] = of.nearest_of_kin(device);
        if (part == nullptr) return;
        always_.on = on;
        exact_ = detail::hash_table(part->shapes);
        for (const choice::shape& s : part->shapes) here_.push_back({s.config, rung::exact, s.untuned, on});
        if (part->general == rung::nearest) {
            next_ = detail::nearest_grid(*part);
            for (const choice::shape& s : part->shapes)
                around_.push_back({s.around, rung::nearest, s.around_untuned, on});
        } else {
            tree_.tree = part->tree;
        }
    }

    /// The configuration for a shape. Throws std::invalid_argument unless there is one size for each name.
    [[nodiscard]] pick operator()(std::span<const std::int64_t> at) const
    {
        if (at.size() != sizes_.size()) detail::refuse_shape(kernel_, sizes_, at);
        if (always_.on == kinship::other) return always_;
        if (const std::size_t k = exact_(at); k != 0) return here_[k - 1];
        if (!around_.empty()) return around_[next_(at)];
        pick out = choice::by_rung(tree_, rung::tree, at);
        out.on = always_.on;
        return out;
    }
    [[nodiscard]] pick operator()(const shape_sizes& at) const { return (*this)(std::span<const std::int64_t>(at)); }

private:
    std::string kernel_{};
    std::vector<std::string> sizes_{};
    pick always_{.on = kinship::other};
    detail::hash_table exact_{};
    std::vector<pick> here_{}, around_{};  // of each measured shape, and of those next to it; none with a tree
    detail::nearest_grid next_{};
    choice::part tree_{};  // its tree alone
};

}  // namespace tunekit::dispatch
