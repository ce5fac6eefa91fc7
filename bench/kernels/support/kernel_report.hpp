// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What bench_kernels says: rows of a table, geometric means, JSON.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/kernels/support/field.hpp"

namespace bench {

/// One of our kernels on a layer.
struct entry {
    std::string form, config;
    double gflops = 0, untuned = 0;  ///< the winner's, and the untuned configuration's; 0: it does not run
    double sheet = 0;                ///< GFLOP/s by the device's data sheet; 0: not known
};

/// One of ours against one of theirs, or the best of some.
struct comparison {
    std::string form, group, against;  ///< geometric means are over a group
    ratio times;                       ///< as fast
    std::string peer{};                ///< which one that is, where the best of several is meant
};

struct row {
    std::string layer;
    double peak = 0;  ///< GFLOP/s of the fastest tile in the same rounds; 0: not known
    std::vector<entry> ours{};
    std::vector<std::pair<std::string, double>> peers{};  ///< GFLOP/s
    std::vector<comparison> comparisons{};
};

/// Over the rows that have it.
struct summary {
    std::string name;  ///< group_vs_peer
    double geomean = 0, worst = 0;
    std::string worst_layer;
    int layers = 0;
};

inline std::vector<summary> summaries(const std::vector<row>& rows)
{
    std::vector<summary> out;
    for (const auto& r : rows) {
        for (const auto& c : r.comparisons) {
            const std::string name = c.group + "_vs_" + c.against;
            auto s = std::find_if(out.begin(), out.end(), [&](const summary& x) { return x.name == name; });
            if (s == out.end()) s = out.insert(s, {name, 0, HUGE_VAL, {}, 0});
            s->geomean += std::log(c.times.median);
            ++s->layers;
            if (c.times.median < s->worst) {
                s->worst = c.times.median;
                s->worst_layer = r.layer;
            }
        }
    }
    for (auto& s : out) s.geomean = std::exp(s.geomean / s.layers);
    return out;
}

inline void print_row(const row& r)
{
    std::printf("%-14s", r.layer.c_str());
    for (const auto& [name, gflops] : r.peers) std::printf(" %s %.1f", name.c_str(), gflops);
    if (r.peak > 0) std::printf(" peak %.1f", r.peak);
    std::printf(" GFLOP/s\n");
    for (const auto& e : r.ours) {
        std::printf("  %-8s %7.1f", e.form.c_str(), e.gflops);
        if (r.peak > 0) std::printf(" (%.0f %% of peak)", 100 * e.gflops / r.peak);
        if (e.sheet > 0) std::printf(" (%.0f %% of the data sheet's peak)", 100 * e.gflops / e.sheet);
        if (e.untuned > 0) std::printf(", untuned %.1f", e.untuned);
        for (const auto& c : r.comparisons) {
            if (c.form != e.form) continue;
            std::printf("; %.3f [%.3f, %.3f] of %s", c.times.median, c.times.low, c.times.high, c.against.c_str());
            if (!c.peer.empty()) std::printf(" (%s)", c.peer.c_str());
        }
        std::printf("\n           %s\n", e.config.c_str());
    }
    std::fflush(stdout);
}

inline void print_summaries(const std::vector<row>& rows)
{
    std::printf("\n%-34s %8s %8s  %-14s %6s\n", "times as fast", "geomean", "worst", "worst layer", "layers");
    for (const auto& s : summaries(rows)) {
        std::printf("%-34s %8.3f %8.3f  %-14s %6d\n", s.name.c_str(), s.geomean, s.worst, s.worst_layer.c_str(),
                    s.layers);
    }
}

inline std::string to_json(const std::vector<row>& rows)
{
    using json = nlohmann::ordered_json;
    json out{{"rows", json::array()}, {"summaries", json::array()}};
    for (const auto& r : rows) {
        json j{{"layer", r.layer},
               {"peak_gflops", r.peak > 0 ? json(r.peak) : json()},
               {"ours", json::array()},
               {"peers", json::object()},
               {"comparisons", json::array()}};
        for (const auto& e : r.ours) {
            j["ours"].push_back({{"form", e.form},
                                 {"gflops", e.gflops},
                                 {"untuned_gflops", e.untuned > 0 ? json(e.untuned) : json()},
                                 {"sheet_gflops", e.sheet > 0 ? json(e.sheet) : json()},
                                 {"config", e.config}});
        }
        for (const auto& [name, gflops] : r.peers) j["peers"][name] = gflops;
        for (const auto& c : r.comparisons) {
            j["comparisons"].push_back({{"form", c.form},
                                        {"against", c.against},
                                        {"peer", c.peer},
                                        {"ratio", c.times.median},
                                        {"low", c.times.low},
                                        {"high", c.times.high}});
        }
        out["rows"].push_back(std::move(j));
    }
    for (const auto& s : summaries(rows)) {
        out["summaries"].push_back({{"name", s.name},
                                    {"geomean", s.geomean},
                                    {"worst", s.worst},
                                    {"worst_layer", s.worst_layer},
                                    {"layers", s.layers}});
    }
    return out.dump(2);
}

}  // namespace bench
