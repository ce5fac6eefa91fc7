// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Variables as Kokkos declares them, and what its built-in tuners read from the numbers that they get.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/kokkos_tuner/kokkos_tools.hpp"

namespace support {

/// A text, or a number that is reached: what a host tells.
inline kt_variable told(kt_value_type type)
{
    kt_variable v{};
    v.type = type;
    v.quantity = kt_unbounded;
    return v;
}

/// One of these integers, whose memory is the caller's.
inline kt_variable one_of(std::vector<std::int64_t>& integers)
{
    kt_variable v{};
    v.type = kt_int64;
    v.quantity = kt_set;
    v.candidates.set.size = integers.size();
    v.candidates.set.values.int_value = integers.data();
    return v;
}

/// The range of a built-in tuner, without its ends.
inline kt_variable fraction(double cells = 20)
{
    kt_variable v{};
    v.type = kt_double;
    v.category = kt_interval;
    v.quantity = kt_range;
    v.candidates.range.lower.double_value = 0;
    v.candidates.range.upper.double_value = 0.999;
    v.candidates.range.step.double_value = 0.999 / cells;
    v.candidates.range.open_lower = v.candidates.range.open_upper = true;
    return v;
}

/// A number of a built-in tuner as an index into `n` values.
inline std::size_t of_values(double number, std::size_t n)
{
    return static_cast<std::size_t>(static_cast<double>(n) * number);
}

/// The team that a built-in tuner maps the number onto: 128 threads, 64, ... 1.
inline int team_of(double number) { return 128 >> of_values(number, 8); }

/// The tile that a built-in tuner reads from the numbers, at most 1024 elements.
inline std::vector<int> tile_of(const std::vector<kt_variable_value>& numbers)
{
    std::vector<int> out;
    unsigned left = 1024;
    for (const auto& v : numbers) {
        out.push_back(1 << of_values(v.value.double_value, static_cast<std::size_t>(std::bit_width(left - 1))));
        left /= static_cast<unsigned>(out.back());
    }
    return out;
}

}  // namespace support
