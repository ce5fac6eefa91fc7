// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The tuning space of surrogate_data.hpp as a space.

#include <cstddef>
#include <string>
#include <vector>

#include "surrogate_data.hpp"
#include "tunekit/space/value_product.hpp"

namespace surrogate_data {

inline tunekit::space::value_product space()
{
    std::vector<tunekit::space::value_parameter> parameters;
    for (std::size_t j = 0; j < d; ++j) {
        parameters.push_back({std::string(1, static_cast<char>('a' + j)), {}});
        for (int v = 0; v < sizes[j]; ++v) parameters.back().values.push_back(v);
    }
    return {parameters, {}};
}

}  // namespace surrogate_data
