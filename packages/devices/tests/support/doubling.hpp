// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What the tests' kernels compute: y = 2 x.

#include <cstddef>
#include <span>
#include <vector>

namespace support {

/// x is 1, 2, ...; y is compared with 2 x.
template <class Operands>
struct doubling {
    explicit doubling(std::size_t length)
    {
        std::vector<float> x(length);
        std::vector<float> y(length);
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = static_cast<float>(i + 1);
            y[i] = 2 * x[i];
        }
        data.template input<float>(x);
        data.template output<float>(y);
    }
    Operands data;
};

}  // namespace support
