// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/opencl.md speak of.

#include <string>
#include <vector>

#include "tests/hygiene/listings/listed.hpp"
#include "tunekit/devices/opencl.hpp"
#include "tunekit/kernels/autotvm/opencl_source.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/search/annealing.hpp"

namespace tk = tunekit;

namespace opencl {

using listed::gen;

inline const unsigned n = 64;
inline const std::vector<float> x(n), want(n);
inline const tk::space::product space{tk::space::powers_of_two<"items">(1U, 16U)};
inline const tk::measure::source_template program{space, [](const auto&) { return tk::measure::device_source{}; }};
inline tk::measure::opencl_operands data;
inline const tk::measure::opencl_device device{};

}  // namespace opencl
