// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Checks of a kernel's output against a reference.

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"

namespace tunekit::measure {

/// The allowed distance between a result and its reference: |got - want| <= absolute + relative * |want|.
struct tolerance {
    double absolute = 0;  ///< >= 0; in the unit of the result; +inf: any finite result is near any finite reference
    double relative = 0;  ///< >= 0; as a share of |want|

    /// Throws std::invalid_argument if one of them is negative or NaN, since nothing would be near enough.
    void validate() const
    {
        require(absolute >= 0 && relative >= 0, "tolerance: absolute or relative is negative or NaN, want >= 0");
    }

    friend bool operator==(const tolerance&, const tolerance&) = default;
};

/// A mask of the elements that are compared: all where empty, else one entry per element, 0 for those left out.
using compared = std::span<const unsigned char>;

namespace detail {

/// Whether `got` is as near to `want` as `within` asks. Integers are compared as such: their distance is exact.
template <class T>
[[nodiscard]] bool near_enough(T got, T want, const tolerance& within)
{
    if constexpr (std::is_floating_point_v<T>) {
        using wide = std::conditional_t<(sizeof(T) > sizeof(double)), T, double>;
        const auto a = static_cast<wide>(got);
        const auto b = static_cast<wide>(want);
        if (std::fabs(a - b) <=
                static_cast<wide>(within.absolute) + static_cast<wide>(within.relative) * std::fabs(b) &&
            std::fabs(b) <= (std::numeric_limits<wide>::max)())
            return true;
        return got == want || (a != a && b != b);
    } else {
        if (got == want) return true;
        using whole = std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>>;
        const auto a = static_cast<whole>(got), b = static_cast<whole>(want);
        const auto apart = static_cast<whole>(got > want ? a - b : b - a);  // modulo 2^bits, which holds it
        const double limit = within.absolute + within.relative * std::fabs(static_cast<double>(want));
        return limit >= static_cast<double>((std::numeric_limits<whole>::max)()) || apart <= static_cast<whole>(limit);
    }
}

}  // namespace detail

/// Compares `got` with `want`. Empty if every element is as near to `want` as `within` asks; else one line about the
/// first that is not. A NaN is right only if the reference is NaN too. An infinity is right only if the reference
/// is the same. Integers are compared as integers, `long double` as itself, everything else as doubles. `mask` leaves
/// elements out, such as halos and padding, which a kernel need not write.
/// Errors: std::invalid_argument if the sizes differ, or a tolerance is negative or NaN.
template <class T>
    requires std::is_arithmetic_v<T>
[[nodiscard]] std::optional<std::string> close_to(std::span<const T> got, std::span<const T> want,
                                                  tolerance within = {}, compared mask = {})
{
    require(got.size() == want.size(), "close_to: result and reference differ in size, want the same");
    require(mask.empty() || mask.size() == got.size(), "close_to: result and mask differ in size, want the same");
    within.validate();
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (!mask.empty() && mask[i] == 0) continue;
        if (detail::near_enough(got[i], want[i], within)) continue;
        const auto digits = [](double x) { return core::text_of(x, std::chars_format::general, 3); };
        return "element " + core::text_of(i) + " is " + core::text_of(+got[i]) + ", want " + core::text_of(+want[i]) +
               " (absolute " + digits(within.absolute) + ", relative " + digits(within.relative) + ")" +
               (got[i] != got[i] ? "; what a kernel does not write stays nan, unless masked" : "");
    }
    return std::nullopt;
}

/// Fills `output` with values that no kernel computes by chance: NaN, or for integers the largest value less 90.
template <class T>
    requires std::is_arithmetic_v<T>
void poison(std::span<T> output) noexcept
{
    T value{};
    if constexpr (std::is_floating_point_v<T>) {
        value = std::numeric_limits<T>::quiet_NaN();
    } else {
        value = static_cast<T>((std::numeric_limits<T>::max)() - T{90});
    }
    for (T& x : output) x = value;
}

/// A check for `timed`. It poisons `output` before the run that is checked, and compares it with `reference` after it.
///
///     timed{kernel, until_stable{}, matches<float>{output, reference, {.absolute = 1e-4}}}
///
/// It refers to both buffers and to the mask. A kernel that skips an element leaves the poison there, so it is found.
/// The mask leaves out what a kernel need not write, such as the frame that a stencil does not touch:
///
///     std::vector<unsigned char> inner(n * n);                        // 1 where the stencil writes, 0 on the frame
///     matches<float>{output, reference, {.absolute = 1e-4}, inner}
///
/// Elements left out are poisoned like the others, and may hold anything after the run.
template <class T>
struct matches {
    std::span<T> output;           ///< what the kernel writes
    std::span<const T> reference;  ///< what it should write; of the same size
    tolerance within;              ///< the allowed distance of each element; 0: the values must be equal
    compared mask;                 ///< the elements that are compared; empty: all

    /// Makes the check. Throws std::invalid_argument if the reference or the mask has another size than the output.
    constexpr matches(std::span<T> written, std::span<const T> wanted, tolerance near = {}, compared those = {})
        : output(written), reference(wanted), within(near), mask(those)
    {
        if (output.size() != reference.size()) invalid("matches: output and reference differ in size, want the same");
        if (!mask.empty() && mask.size() != output.size())
            invalid("matches: output and mask differ in size, want the same");
    }

    /// Throws std::invalid_argument if a tolerance is negative or NaN; `isolated` calls it before anything runs.
    void validate() const { within.validate(); }
    /// Fills `output` with values that no kernel computes by chance; `timed` calls it before the run that is checked.
    void poison() const noexcept { measure::poison(output); }
    /// The first wrong element, in one line; else empty.
    [[nodiscard]] std::optional<std::string> operator()() const
    {
        return close_to(std::span<const T>(output), reference, within, mask);
    }
};

/// The check that accepts everything.
struct no_check {};

}  // namespace tunekit::measure
