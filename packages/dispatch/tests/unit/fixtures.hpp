// SPDX-License-Identifier: MIT
#pragma once

// Results whose best is known, and a choice that was written by hand.

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/dispatch/choice.hpp"
#include "tunekit/dispatch/results.hpp"

namespace fixtures {

namespace dispatch = tunekit::dispatch;

inline dispatch::results empty_gemm()
{
    return {
        .kernel = "gemm", .version = "1", .fingerprint = 0xabcdef, .sizes = {"m", "n"}, .parameters = {"tile", "pack"}};
}

inline dispatch::results::row row(std::int64_t m, std::int64_t n, tunekit::index candidate, double seconds,
                                  const std::string& device = "box")
{
    return {.device = device,
            .at = {m, n},
            .candidate = candidate,
            .values = {std::to_string(candidate), candidate % 2 == 0 ? "true" : "false"},
            .seconds = seconds,
            .within = {0.99 * seconds, 1.01 * seconds},
            .runs = 9,
            .searched = true};
}

/// Configuration c is made for m = 2^c, and loses 20 % for each power of two beside it; n does not matter. 0 is the default.
inline dispatch::results powers(int sizes, int configs, const std::string& device = "box")
{
    dispatch::results out = empty_gemm();
    for (int m = 0; m < sizes; ++m)
        for (const std::int64_t n : {16, 64})
            for (int c = 0; c < configs; ++c) {
                auto r = row(std::int64_t{1} << m, n, static_cast<tunekit::index>(c),
                             1e-3 * (1 + 0.2 * std::abs(m - c)), device);
                r.untuned = c == 0;
                out.add(std::move(r));
            }
    return out;
}

/// Two devices, one by its tree and one by the nearest shape; parameters of every type.
inline dispatch::choice by_hand()
{
    return {.kernel = "gemm \\ 2",
            .version = "1",
            .fingerprint = 0xfedcba9876543210,
            .sizes = {"m", "n", "k"},
            .parameters = {"pack", "tile", "bytes", "share", "order"},
            .configs = {{.candidate = 0, .values = {"true", "-4", "1", "0.1", "a\"b\\c?"}, .shapes = 1},
                        {.candidate = 18446744073709551615U,
                         .values = {"false", "8", "9007199254740993", "1e-300", "x\t1"},
                         .shapes = 2},
                        {.candidate = 7, .values = {"true", "2147483647", "-3", "2", ""}, .shapes = 1}},
            .one = 2,
            .devices = {{.device = "AMD, 2 cores",
                         .date = "2026-11-22",
                         .general = dispatch::rung::tree,
                         .shapes = {{.at = {1, 1, 1}, .config = 0, .around = 1, .untuned = true},
                                    {.at = {8, 8, 8}, .config = 1, .around = 1}},
                         .tree = {{.of = 1, .at_most = 100, .yes = 1, .no = 4},
                                  {.of = 6, .less = 1, .at_most = 300000, .yes = 2, .no = 3},
                                  {.config = 0},
                                  {.config = 1},
                                  {.of = 7, .at_most = 2000000, .yes = 5, .no = 6},
                                  {.config = 2},
                                  {.config = 1, .untuned = true}},
                         .scores = {{.by = dispatch::rung::exact,
                                     .shapes = 2,
                                     .share = 0.98765,
                                     .worst = 0.5,
                                     .against = 2,
                                     .gain = 1.5,
                                     .least_gain = 1,
                                     .below = 0},
                                    {.by = dispatch::rung::tree, .shapes = 2, .share = 0.9, .worst = 0.25}}},
                        {.device = "a \"GPU\" \\",
                         .date = "",
                         .general = dispatch::rung::nearest,
                         .shapes = {{.at = {1, 1, 1}, .config = 2, .around = 2},
                                    {.at = {1024, 1024, 1}, .config = 1, .around = 0, .around_untuned = true}},
                         .tree = {{.config = 2}},
                         .scores = {}}}};
}

}  // namespace fixtures
