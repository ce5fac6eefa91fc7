// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A few configurations of our kernels that were good at many shapes: what tuning a new shape begins with.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/processes/files/text.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/space/carried.hpp"

namespace tunekit::kernels {

namespace detail {

/// Configurations of one kernel for one width of vectors by names and values, the one that covers most shapes first.
///
/// They are places to begin, and are measured as any other: they were found on one machine, at other shapes.
struct covering_list {
    std::string_view kernel;                             ///< conv2d, gemm
    int lanes = 0;                                       ///< floats of a vector: 16 for AVX-512, 8 for AVX2
    std::string_view device;                             ///< the machine of the recording
    std::string_view date;                               ///< of the recording
    std::size_t shapes = 0;                              ///< of the recording; none is one of `networks`
    std::string_view parameters{};                       ///< their names, with blanks between
    std::span<const std::string_view> configurations{};  ///< the values of each, in the order of the names
};

// made by bench/studies/covering_lists bench/studies/data/conv2d_shapes.results.gz
// bench/studies/data/gemm_158_shapes.results.gz bench/studies/data/conv2d_shapes_avx2.results.gz
// bench/studies/data/gemm_shapes_avx2.results.gz

inline constexpr std::string_view conv2d_by_16[] = {
    "winograd channel 14 2 16 2 4 256 4096 4096 1 iro channels_outside clip balanced 4 4 by_tile",
    "winograd pixel 8 3 16 4 8 24 4096 4096 16 rio pixels_outside clip balanced 5 16 by_tile",
    "direct channel 14 2 16 1 0 1 4096 8 1 roi channels_outside clip balanced 2 1 by_element",
    "winograd pixel 10 2 16 4 0 256 4096 4 2 roi pixels_outside clip balanced 5 1 by_tile"};
inline constexpr std::string_view gemm_by_16[] = {
    "14 2 16 2 8 64 64 3072 iro pixels_outside false false false balanced",
    "1 6 16 1 0 1 1 256 oir channels_outside false false false balanced",
    "8 1 16 2 8 64 1 768 iro channels_outside false false false balanced",
    "10 2 16 8 24 12 4 1536 rio channels_outside false true false remainder"};
inline constexpr std::string_view conv2d_by_8[] = {
    "winograd channel 6 2 8 1 8 256 4096 16 1 iro pixels_outside clip balanced 4 8 by_element",
    "winograd pixel 6 2 8 1 8 256 4096 4096 1 oir channels_outside clip balanced 5 4 by_element",
    "direct channel 6 2 8 1 24 32 256 4096 32 iro channels_outside clip balanced 2 1 by_element",
    "winograd channel 3 4 8 1 0 256 256 16 1 rio channels_outside clip remainder 6 32 by_tile"};
inline constexpr std::string_view gemm_by_8[] = {"4 3 8 1 4 48 16 64 iro channels_outside false false false remainder",
                                                 "6 2 8 2 0 24 64 3072 oir channels_outside false false true balanced",
                                                 "8 1 8 1 24 64 48 1024 ori pixels_outside false false false remainder",
                                                 "3 4 8 1 8 48 4 3072 oir pixels_outside false false true remainder"};

/// The lists that there are.
inline constexpr covering_list covering_lists[] = {
    {"conv2d", 16, "AMD EPYC Zen 5 (family 26 model 2), 2-core virtual machine", "2026-11-23", 52,
     "algorithm vectorise mr nv vl ku prefetch ic_width ic_depth oh_rows oc_block order inner pad edge tile m_tiles "
     "layout",
     conv2d_by_16},
    {"gemm", 16, "AMD EPYC Zen 5 (family 26 model 2), 2-core virtual machine", "2026-11-23", 148,
     "mr nv vl ku prefetch m_tiles n_tiles kc order inner pack_a pack_b fetch_c edge", gemm_by_16},
    {"conv2d", 8, "Intel Xeon (family 6 model 207), 2-core virtual machine, compiled at x86-64-v3", "2026-11-26", 52,
     "algorithm vectorise mr nv vl ku prefetch ic_width ic_depth oh_rows oc_block order inner pad edge tile m_tiles "
     "layout",
     conv2d_by_8},
    {"gemm", 8, "Intel Xeon (family 6 model 207), 2-core virtual machine, compiled at x86-64-v3", "2026-11-26", 95,
     "mr nv vl ku prefetch m_tiles n_tiles kc order inner pack_a pack_b fetch_c edge", gemm_by_8},
};
// end of what was made

}  // namespace detail

/// The configurations of the lists for a kernel and the vectors of its table (`tile_table::lanes`) that `space` has, in
/// their order, each once. Parameters that a list does not name have the values of `otherwise`. None where there is no
/// list: what was good with vectors of 16 floats and 32 registers says little of 8 and 16.
[[nodiscard]] inline std::vector<index> covering(std::string_view kernel, int lanes, const space::any_space& space,
                                                 index otherwise)
{
    std::vector<index> out;
    const space::matched_parameters there(space);
    const auto words = [](std::string_view text) {
        const auto all = io::words(text);
        return std::vector<std::string>(all.begin(), all.end());
    };
    for (const auto& l : detail::covering_lists) {
        if (l.kernel != kernel || l.lanes != lanes) continue;
        const std::vector<std::string> names = words(l.parameters);
        for (const std::string_view one : l.configurations) {
            const auto c = there.carry(space, names, words(one), otherwise);
            if (c && std::find(out.begin(), out.end(), *c) == out.end()) out.push_back(*c);
        }
    }
    return out;
}

}  // namespace tunekit::kernels
