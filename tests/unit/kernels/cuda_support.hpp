// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Samples of the CUDA templates' sources.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/measure/cuda_source.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/space/concepts.hpp"

/// The source of configuration `i`, none where a static check refuses it.
template <class Template>
std::optional<tunekit::measure::cuda_source> source_of(const Template& t, tunekit::index i)
{
    try {
        return t.text(t.space.at(i));
    } catch (const std::invalid_argument&) {
        return std::nullopt;
    }
}

/// Sources of `n` valid configurations that use more than one thread.
template <class Template>
std::vector<tunekit::measure::cuda_source> valid_sources(const Template& t, std::size_t n, std::uint64_t seed)
{
    tunekit::random::philox gen(seed);
    std::vector<tunekit::measure::cuda_source> out;
    while (out.size() < n) {
        auto s = source_of(t, tunekit::random::uniform_index(t.space.size(), gen));
        if (s && s->launches.front().threads() > 1) out.push_back(*std::move(s));
    }
    return out;
}

/// The text with each of its barriers taken out in turn.
inline std::vector<tunekit::measure::cuda_source> without_one_barrier(const tunekit::measure::cuda_source& whole)
{
    const std::string barrier = "__syncthreads();";
    std::vector<tunekit::measure::cuda_source> out;
    for (std::size_t at = whole.text.find(barrier); at != std::string::npos; at = whole.text.find(barrier, at + 1)) {
        out.push_back(whole);
        out.back().text.erase(at, barrier.size());
    }
    return out;
}
