// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Samples of the CUDA templates' sources, and whether they are right.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "packages/devices/tests/support/cuda_emulation.hpp"
#include "packages/kernels/tests/unit/support.hpp"
#include "tunekit/devices/cuda/session.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/space/concepts.hpp"

/// The source of configuration `i`, none where a static check refuses it.
template <class Template>
std::optional<tunekit::measure::device_source> source_of(const Template& t, tunekit::index i)
{
    try {
        return t.text(t.space.at(i));
    } catch (const std::invalid_argument&) {
        return std::nullopt;
    }
}

/// Sources of `n` valid configurations that use more than one thread.
template <class Template>
std::vector<tunekit::measure::device_source> valid_sources(const Template& t, std::size_t n, std::uint64_t seed)
{
    tunekit::random::philox gen(seed);
    std::vector<tunekit::measure::device_source> out;
    while (out.size() < n) {
        auto s = source_of(t, tunekit::random::uniform_index(t.space.size(), gen));
        const auto many = [](const tunekit::measure::device_source::launch& l) { return l.threads() > 1; };
        if (s && std::all_of(s->launches.begin(), s->launches.end(), many)) out.push_back(*std::move(s));
    }
    return out;
}

/// The text with each of its barriers taken out in turn.
inline std::vector<tunekit::measure::device_source> without_one_barrier(const tunekit::measure::device_source& whole)
{
    const std::string barrier = "__syncthreads();";
    std::vector<tunekit::measure::device_source> out;
    for (std::size_t at = whole.text.find(barrier); at != std::string::npos; at = whole.text.find(barrier, at + 1)) {
        out.push_back(whole);
        out.back().text.erase(at, barrier.size());
    }
    return out;
}

/// W [batch][n][k] of a product as [batch][k][n].
inline std::vector<float> transposed_weights(const tunekit::kernels::gemm_shape& s, const std::vector<float>& w)
{
    std::vector<float> out(w.size());
    const auto n = static_cast<std::size_t>(s.n), k = static_cast<std::size_t>(s.k);
    for (std::size_t b = 0; b < static_cast<std::size_t>(s.batch); ++b)
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t l = 0; l < k; ++l) out[(b * k + l) * n + j] = w[(b * n + j) * k + l];
    return out;
}

/// A convolution of random numbers, and what should come of it.
struct emulated_convolution {
    explicit emulated_convolution(const tunekit::kernels::conv2d_shape& shape)
        : s(shape), y(static_cast<std::size_t>(shape.outputs()))
    {
        tunekit::random::philox gen(3);
        x = uniform_floats(s.inputs(), gen);
        w = uniform_floats(s.weights(), gen);
        want = tunekit::kernels::reference_conv2d(s, x, w);
    }

    /// How far off a source's result is.
    double error(const tunekit::measure::device_source& source, std::uint64_t seed = 1)
    {
        const guarded scratch(static_cast<std::size_t>(source.scratch_floats));
        y.fill(1e9F);
        scratch.fill(1e9F);
        emulation::program(source).run({x.data(), w.data(), y.data(), scratch.data()}, seed);
        return tunekit::kernels::relative_error(y.span(), want);
    }

    tunekit::kernels::conv2d_shape s;
    std::vector<float> x, w, want;
    guarded y;
};
