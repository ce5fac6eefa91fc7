// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Whether the configuration of a product fits its format and its table.

#include <algorithm>
#include <string>

#include "tunekit/core/error.hpp"
#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/table.hpp"

namespace tunekit::kernels::detail {

/// Throws std::invalid_argument where it does not.
template <class Format>
void check_gemm(const gemm_config& c, const product_table_of<Format>& table)
{
    for (int mr = 1; mr <= (std::max)(c.mr, 1); ++mr) {
        if (c.mr > 0 && table.find(mr, c.nv, c.vl) != nullptr) continue;
        invalid("gemm_config: no tile " + std::to_string(c.mr) + " x " + std::to_string(c.nv) + " x " +
                std::to_string(c.vl) + " in the table, want one of its tiles");
    }
    const auto refuse = [](const char* name, int value, const char* want) {
        invalid("gemm_config: " + std::string(name) + " is " + std::to_string(value) + ", want " + want);
    };
    if (c.ku != 0 && c.ku != 1 && c.ku != 2 && c.ku != 4 && c.ku != 8) refuse("ku", c.ku, "1, 2, 4 or 8");
    if (c.prefetch < 0) refuse("prefetch", c.prefetch, ">= 0");
    if (c.mc < 1) refuse("mc", c.mc, ">= 1");
    if (c.kc < 1) refuse("kc", c.kc, ">= 1");
    if (c.kc % Format::group != 0) refuse("kc", c.kc, "a multiple of the format's group");
    if (c.nc < 1 || c.nc % (c.nv * c.vl) != 0) refuse("nc", c.nc, "a positive multiple of nv vl");
    require(c.pack_b || Format::group == 1,
            "gemm_config: pack_b is false, want true in the format " + std::string(Format::name));
    require(c.edge == edge_mode::balanced || c.edge == edge_mode::remainder,
            "gemm_config: edge is another one, want balanced or remainder");
}

}  // namespace tunekit::kernels::detail
