// SPDX-License-Identifier: MIT
#pragma once

// What Kokkos takes where no tool answers. Its built-in tuners do not say: they map a tree of legal values onto [0, 0.999] and preset
// 0. So this follows the rules of Kokkos 4.6, by the device that the kernel runs on.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include "tools/kokkos_tuner/kokkos_tools.hpp"

namespace kokkos_tuner {

/// Where a kernel runs: the upper 8 bits of a device number of Kokkos Tools.
enum class device_type : std::uint32_t { serial, openmp, cuda, hip, openmp_target, hpx, threads, sycl, openacc, none };

constexpr device_type type_of(std::uint32_t device) { return static_cast<device_type>(device >> 24); }

constexpr bool is_host(device_type t)
{
    return t == device_type::serial || t == device_type::openmp || t == device_type::hpx || t == device_type::threads;
}

/// Vector lengths have no effect on hosts.
inline bool without_effect(std::string_view name, device_type on)
{
    return is_host(on) && name.ends_with("_vector_length");
}

/// On hosts an untuned team has one thread, on devices a recommended size, of which a tool learns nothing.
inline bool smallest_untuned(std::string_view name, device_type on)
{
    return is_host(on) && name.ends_with("_team_size");
}

/// One number per size of a team on a host: all threads, half of them, ... 1. Where the number of threads is not what is
/// presumed here, some sizes occur twice or not at all.
inline std::vector<kt_value> host_teams()
{
    const char* const asked = std::getenv("OMP_NUM_THREADS");
    const int number = asked == nullptr ? 0 : std::atoi(asked);
    const unsigned threads = number > 0 ? static_cast<unsigned>(number) : std::thread::hardware_concurrency();
    const auto sizes = static_cast<std::size_t>(std::bit_width(threads > 1 ? threads : 2U));
    std::vector<kt_value> out(sizes);
    for (std::size_t k = 0; k < sizes; ++k)
        out[k].double_value = 0.999 * (static_cast<double>(k) + 0.5) / static_cast<double>(sizes);
    return out;
}

/// The number that stands for the untuned tile in dimension `place` of `of`. A tree of tiles has at each level the powers of two
/// below what the levels before left of 1024. Hosts take the whole range in the last dimension, for which the largest tile stands,
/// and 2 in the others. Devices take 16 in the first one, and 2 (HIP: 4) in each of the others while the product allows it.
inline double untuned_tile(std::size_t place, std::size_t of, device_type on)
{
    int left = 1024, product = 1;
    for (std::size_t k = 0;; ++k) {
        const auto levels = static_cast<int>(std::bit_width(static_cast<unsigned>(left) - 1));
        const int other = on == device_type::hip ? 2 : 1;
        int level = product << other < 512 ? other : 0;
        if (is_host(on) && k + 1 == of) level = levels - 1;
        if (!is_host(on) && k == 0) level = 4;
        if (k == place) return (level + 0.5) / levels;
        left >>= level;
        product <<= level;
    }
}

}  // namespace kokkos_tuner
