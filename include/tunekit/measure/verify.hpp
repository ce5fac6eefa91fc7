// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Whether a kernel computed what it should.

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "tunekit/core/error.hpp"

namespace tunekit::measure {

/// How far a result may lie from its reference: |got - want| <= absolute + relative * |want|.
struct tolerance {
    double absolute = 0;  ///< >= 0; in the unit of the result
    double relative = 0;  ///< >= 0

    friend bool operator==(const tolerance&, const tolerance&) = default;
};

/// Empty where every element of `got` is as near to `want` as `within` asks; else one line on the first that is not.
/// A NaN is wrong, but where the reference is NaN too; an infinity is right only where the reference is the same.
/// Errors: std::invalid_argument where the sizes differ.
template <class T>
requires std::is_arithmetic_v<T>
[[nodiscard]] std::optional<std::string> close_to(std::span<const T> got, std::span<const T> want,
                                                  tolerance within = {})
{
    require(got.size() == want.size(), "close_to: result and reference differ in size, want the same");
    const auto absolute = within.absolute;
    const auto relative = within.relative;
    for (std::size_t i = 0; i < got.size(); ++i) {
        const auto a = static_cast<double>(got[i]);
        const auto b = static_cast<double>(want[i]);
        if (std::fabs(a - b) <= absolute + relative * std::fabs(b) &&
            std::fabs(b) <= (std::numeric_limits<double>::max)())
            continue;
        if (got[i] == want[i] || (a != a && b != b)) continue;
        char line[160];
        std::snprintf(line, sizeof line, "element %zu is %.9g, want %.9g (absolute %.3g, relative %.3g)", i, a, b,
                      absolute, relative);
        return std::string(line);
    }
    return std::nullopt;
}

/// Fills `output` with what no kernel computes by chance: NaN, or for integers the largest value less 90.
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
    for (T& x : output)
        x = value;
}

/// A check for `timed`: poisons `output` before the run that is checked and compares it with `reference` after it.
///
///     timed{kernel, until_stable{}, matches<float>{output, reference, {.absolute = 1e-4}}}
///
/// Refers to both buffers. A kernel that skips an element leaves the poison there and is found out.
template <class T>
struct matches {
    std::span<T> output;
    std::span<const T> reference;
    tolerance within{};

    void poison() const noexcept { measure::poison(output); }
    [[nodiscard]] std::optional<std::string> operator()() const
    {
        return close_to(std::span<const T>(output), reference, within);
    }
};

/// Checks nothing.
struct no_check {};

}  // namespace tunekit::measure
