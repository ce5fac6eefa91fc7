// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Picks at run time by the tables of a generated header.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "tunekit/core/error.hpp"
#include "tunekit/core/machine.hpp"
#include "tunekit/dispatch/choice.hpp"
#include "tunekit/dispatch/detail/lookup.hpp"

namespace tunekit::dispatch {

/// A choice for one device with the tables of a generated header: measured shapes are found by a hash, the nearest by a
/// grid. It is a value, and keeps what it needs of the choice.
///
///     const dispatch::picker pick_for(chosen, to_text(this_machine()));
///     const dispatch::pick p = pick_for({128, 768, 768});        // the same as chosen.choose(device, {128, 768, 768})
///
/// Cost: of a pick, see docs/dispatch.md; choice::choose looks at all shapes. To make one takes 50 ms for 1000 shapes
/// that follow no rule.
class picker {
public:
    picker() = default;  ///< has nothing to choose: position 0, by rung `one`

    /// The picks of `of` for a device. Where neither it nor its kin was measured, all are by rung `one`.
    picker(const choice& of, std::string_view device)
        : sizes_(of.sizes.size()), always_{of.one, rung::one, of.one_untuned, kinship::other}
    {
        const auto [part, on] = of.nearest_of_kin(device);
        if (part == nullptr) return;
        part_ = *part;
        always_.on = on;
        exact_ = detail::hash_table(part_.shapes);
        if (part_.general == rung::nearest) next_ = detail::nearest_grid(part_);
    }

    /// The configuration for a shape. Throws std::invalid_argument unless there is one size for each name.
    [[nodiscard]] pick operator()(std::span<const std::int64_t> at) const
    {
        require(at.size() == sizes_, "picker: another number of sizes than of names, want one for each");
        pick out = always_;
        if (always_.on == kinship::other) return out;
        if (const std::size_t k = exact_(part_.shapes, at); k < part_.shapes.size()) {
            const chosen_shape& s = part_.shapes[k];
            out = {s.config, rung::exact, s.untuned};
        } else if (part_.general == rung::nearest) {
            const chosen_shape& s = part_.shapes[next_(at)];
            out = {s.around, rung::nearest, s.around_untuned};
        } else {
            out = choice::by_rung(part_, rung::tree, at);
        }
        out.on = always_.on;
        return out;
    }
    [[nodiscard]] pick operator()(const shape_sizes& at) const { return (*this)(std::span<const std::int64_t>(at)); }

private:
    std::size_t sizes_ = 0;
    pick always_{.on = kinship::other};
    device_choice part_{};
    detail::hash_table exact_{};
    detail::nearest_grid next_{};
};

}  // namespace tunekit::dispatch
