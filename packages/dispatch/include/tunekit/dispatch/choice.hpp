// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A choice of kernels for every shape: a few configurations, and the rules for which of them runs at which shape.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/dispatch/results.hpp"
#include "tunekit/processes/machine.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::dispatch {

namespace detail {

/// log2(x) in steps of 2^-16, linear between powers of two. It is at most 0.0861 too low. It increases with x, and it
/// is the same integer on every machine. For x below 1 it is 0.
[[nodiscard]] constexpr std::int64_t log2_steps(std::int64_t x) noexcept
{
    if (x < 1) return 0;
    // Exponent and first 16 bits of the fraction of a double, which holds all that count of x.
    const auto exact = static_cast<double>(x >> 53 == 0 ? x : x & ~std::int64_t{1023});
    return (std::bit_cast<std::int64_t>(exact) >> 36) - (std::int64_t{1023} << 16);
}

/// Throws std::invalid_argument for a shape of another number of sizes than there are names.
[[noreturn, gnu::cold]] inline void refuse_shape(const std::string& kernel, const std::vector<std::string>& names,
                                                 std::span<const std::int64_t> at)
{
    invalid("choice of " + kernel + ": got " + wrong_shape({at.begin(), at.end()}, names, {}));
}

/// The distance of two sizes in steps of 2^-16 powers of two. Words have no order: two that differ are 64 powers of two
/// apart.
[[nodiscard]] constexpr std::int64_t size_gap(std::int64_t a, std::int64_t b, bool words) noexcept
{
    return words ? (a == b ? 0 : 64 * 65536) : log2_steps(a) - log2_steps(b);
}

/// The name of a kernel in one word, as the environment's variable has it.
[[nodiscard]] inline std::string as_word(std::string kernel)
{
    std::replace(kernel.begin(), kernel.end(), ' ', '_');
    return kernel;
}

/// A node of a tree over shapes. An inner node compares the sum of log2_steps(size) over the sizes in `of`, less that
/// over the sizes in `less`, with `at_most`. For one size alone it compares the size itself. A leaf has of = 0.
struct tree_node {
    std::uint32_t of = 0, less = 0;  ///< the sizes that count, one bit each, and those that are subtracted
    std::int64_t at_most = 0;        ///< the threshold: shapes whose number is at most this go to `yes`, others to `no`
    std::uint32_t yes = 0, no = 0;   ///< the positions of the two next nodes, both behind this one
    std::uint32_t config = 0;        ///< in a leaf: position in choice::configs
    bool untuned = false;            ///< in a leaf: whether the untuned default is believed to be faster

    /// The number that the node compares, for the tree's fit and for its use. Precondition: it is an inner node, of
    /// sizes that the shape has.
    [[nodiscard]] constexpr std::int64_t feature(std::span<const std::int64_t> at) const noexcept
    {
        const auto size = [at](std::uint32_t bits) { return at[static_cast<std::size_t>(std::countr_zero(bits))]; };
        if (less == 0 && (of & (of - 1)) == 0) return size(of);
        std::int64_t sum = 0;
        for (std::uint32_t bits = of; bits != 0; bits &= bits - 1) sum += log2_steps(size(bits));
        for (std::uint32_t bits = less; bits != 0; bits &= bits - 1) sum -= log2_steps(size(bits));
        return sum;
    }

    friend bool operator==(const tree_node&, const tree_node&) = default;
};

}  // namespace detail

/// The rule by which a configuration was chosen, from the most to the least certain.
enum class rung : std::uint8_t {
    exact,    ///< this shape was measured
    nearest,  ///< the best configuration of the nearest measured shape, by the logarithms of the sizes
    tree,     ///< the best configuration for shapes of this kind
    one,      ///< the one configuration that loses least over all shapes: for a device that was not measured
    forced,   ///< what the environment's TUNEKIT_DISPATCH names
};

/// The name of a rung, as it is written in results.
[[nodiscard]] inline std::string to_text(rung by)
{
    constexpr std::array names{"exact", "nearest", "tree", "one", "forced"};
    return names[static_cast<std::size_t>(by)];
}

/// A chosen configuration, and the rule that chose it.
struct pick {
    std::uint32_t config = 0;    ///< position in choice::configs
    rung by = rung::one;         ///< the rule that chose it
    bool untuned = false;        ///< what the program runs untuned is believed to be faster: `fit_options::or_untuned`
    kinship on = kinship::same;  ///< how the device that was asked for is related to the one whose part answered

    friend bool operator==(const pick&, const pick&) = default;
};

/// The choice of a configuration for every shape on every device. It is a value: `fit` makes it, `write_header` prints
/// it and `load` reads it.
///
///     const dispatch::choice chosen = dispatch::fit(all, {.max_kernels = 8});
///     const dispatch::pick p = chosen.choose(to_text(this_machine()), {128, 768, 768});
///     kernel_of(chosen.configs[p.config].candidate).run();
///
/// A shape that was measured gets the best configuration there. Any other shape gets what the device's general rung
/// says, whatever its sizes; a size below 1 counts as 1. A device that was not measured gets what the first of its kin
/// would (`kinship_of`), and without kin rung `one`; `pick::on` says which. Everything is integer arithmetic, so a
/// header generated from it chooses the same.
struct choice {
    /// The configuration that a rung chose at a shape that its fit had not seen, and its time there. For `exact` the
    /// fit has seen the shape.
    struct held_out {
        std::string device{};   ///< the name of the device
        shape_sizes at{};       ///< the sizes of the shape
        rung by = rung::exact;  ///< the rung that chose
        index candidate = 0;  ///< the index of the configuration, or of the untuned default where the rung prefers that
        /// Its seconds there. Where it was cut short, this is the least time seen. Where it was not measured, it is an
        /// assumption: the slowest of the shape, and at least twice the best.
        double seconds = 0;
        bool measured = false;  ///< whether it was measured whole, not cut short
        double best = 0;        ///< seconds of the fastest configuration at this shape
        double of_kept =
            0;  ///< seconds of the fastest kept configuration: what a rule that always chose right would take
        double alone = 0;    ///< seconds of the fastest that a search at this shape tried
        double untuned = 0;  ///< seconds of the untuned default; 0 where that was not measured
        bool below = false;  ///< whether it is slower than the untuned default by more than the intervals
    };

    /// The score of a rung over shapes. For `exact` the shapes are those of the fit; for other rungs each shape was
    /// held out of the fit.
    struct score {
        rung by = rung::exact;      ///< the rung that is scored
        std::uint32_t shapes = 0;   ///< the number of shapes; where it is 0, the other numbers are 0 too
        double share = 0;           ///< geometric mean of best / chosen time; 1 is tuning each shape alone
        double worst = 0;           ///< the least best / chosen time of a shape
        std::uint32_t against = 0;  ///< the number of shapes whose untuned default was measured
        double gain = 0;            ///< over those: geometric mean of untuned / chosen time; else 0
        double least_gain = 0;      ///< over those: the least untuned / chosen time
        std::uint32_t below = 0;    ///< the number of those that are slower than the default by more than the intervals

        /// The score of one rung, from its rows. It is the score on one device, or on all devices where `device` is
        /// empty. Without rows of the rung all its numbers are 0.
        [[nodiscard]] static score of(std::span<const held_out> rows, rung by, const std::string& device = {});

        friend bool operator==(const score&, const score&) = default;
    };

    /// One of the configurations that a library keeps.
    struct kept {
        index candidate = 0;                ///< its index in the space of `choice::fingerprint`
        std::vector<std::string> values{};  ///< the texts of its values, one for each parameter
        std::uint32_t shapes = 0;           ///< the number of measured shapes for which it is the choice

        friend bool operator==(const kept&, const kept&) = default;
    };

    /// A measured shape and its configuration.
    struct shape {
        shape_sizes at{};             ///< the sizes of the shape
        std::uint32_t config = 0;     ///< position in choice::configs
        std::uint32_t around = 0;     ///< position in choice::configs, for shapes near this one
        bool untuned = false;         ///< whether the untuned default is faster here
        bool around_untuned = false;  ///< whether the untuned default is faster for shapes near this one

        friend bool operator==(const shape&, const shape&) = default;
    };

    /// The choice for one device.
    struct part {
        std::string device{};         ///< the name of the device, as in the results
        std::string date{};           ///< the date of its measurements: a text of the user's, empty where not given
        rung general = rung::tree;    ///< the rule for shapes that were not measured: nearest or tree
        std::vector<shape> shapes{};  ///< the measured shapes, sorted by their sizes
        std::vector<detail::tree_node> tree{};  ///< the nodes, the root first
        std::vector<score> scores{};  ///< one for each rung that was scored; with one measured shape only `exact`
        std::uint32_t words = 0;      ///< the sizes that are words, one bit each

        friend bool operator==(const part&, const part&) = default;
    };

    std::string kernel{};                   ///< the name of the kernel, as in the results
    std::string version{};                  ///< the version of the kernel's code, as in the results
    std::uint64_t fingerprint = 0;          ///< the fingerprint of the space
    std::vector<std::string> sizes{};       ///< the names of the sizes that make a shape, 1 to 32
    std::vector<std::string> parameters{};  ///< the names of the parameters, in the order of the values
    std::vector<enumeration> words{};       ///< the sizes that are words
    std::vector<kept> configs{};            ///< the configurations that the library keeps
    std::uint32_t one = 0;                  ///< position in `configs` of the configuration for an unknown device
    bool one_untuned = false;               ///< whether the untuned default is believed to be faster than that
    std::vector<part> devices{};            ///< the choice for each measured device, sorted by name

    /// The part for one device; null where it was not measured.
    [[nodiscard]] const part* of_device(std::string_view device) const noexcept
    {
        for (const part& d : devices)
            if (d.device == device) return &d;
        return nullptr;
    }

    /// The part that answers for a device: its own, else that of the first of its kin; null and `other` if neither was
    /// measured.
    [[nodiscard]] std::pair<const part*, kinship> nearest_of_kin(std::string_view device) const
    {
        std::pair<const part*, kinship> out{nullptr, kinship::other};
        for (const part& d : devices)
            if (const kinship here = kinship_of(d.device, device); here < out.second)
                out = {&d, here};  // same < kin < other
        return out;
    }

    /// The configuration for a shape on a device. Throws std::invalid_argument unless there is one size for each name.
    [[nodiscard]] pick choose(std::string_view device, std::span<const std::int64_t> at) const
    {
        if (at.size() != sizes.size()) detail::refuse_shape(kernel, sizes, at);
        const auto [nearest, on] = nearest_of_kin(device);
        pick out = nearest == nullptr ? pick{one, rung::one, one_untuned} : choose(*nearest, at);
        out.on = on;
        return out;
    }
    [[nodiscard]] pick choose(std::string_view device, const shape_sizes& at) const
    {
        return choose(device, std::span<const std::int64_t>(at));
    }

    /// The same with the device known. Precondition: one size for each name.
    [[nodiscard]] static pick choose(const part& d, std::span<const std::int64_t> at)
    {
        const auto place =
            std::lower_bound(d.shapes.begin(), d.shapes.end(), at, [](const shape& s, std::span<const std::int64_t> x) {
                return std::lexicographical_compare(s.at.begin(), s.at.end(), x.begin(), x.end());
            });
        if (place != d.shapes.end() && std::equal(place->at.begin(), place->at.end(), at.begin(), at.end()))
            return {place->config, rung::exact, place->untuned};
        return by_rung(d, d.general, at);
    }

    /// The configuration by `nearest` or `tree` alone, whether the shape was measured or not. Precondition: the device
    /// has shapes and a tree.
    [[nodiscard]] static pick by_rung(const part& d, rung general, std::span<const std::int64_t> at)
    {
        if (general == rung::nearest) {
            const shape& s = d.shapes[nearest(d, at)];
            return {s.around, rung::nearest, s.around_untuned};
        }
        const detail::tree_node* node = d.tree.data();
        while (node->of != 0) node = d.tree.data() + (node->feature(at) <= node->at_most ? node->yes : node->no);
        return {node->config, rung::tree, node->untuned};
    }

    /// The measured shape with the least sum of squares of log2_steps differences; among equal ones the first.
    /// Precondition: the device has shapes.
    [[nodiscard]] static std::size_t nearest(const part& d, std::span<const std::int64_t> at)
    {
        std::size_t best = 0;
        std::int64_t least = -1;
        for (std::size_t k = 0; k < d.shapes.size(); ++k) {
            std::int64_t sum = 0;
            for (std::size_t j = 0; j < at.size(); ++j) {
                const std::int64_t gap = detail::size_gap(at[j], d.shapes[k].at[j], (d.words >> j & 1U) != 0);
                sum += gap * gap;
            }
            if (least >= 0 && sum >= least) continue;
            least = sum;
            best = k;
        }
        return best;
    }

    friend bool operator==(const choice&, const choice&) = default;
};

}  // namespace tunekit::dispatch
