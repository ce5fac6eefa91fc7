// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a pick among many shapes takes: by generated headers, by switches, by a map as CLBlast's, by the library.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/dispatch/header.hpp"
#include "tunekit/dispatch/picker.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/keep.hpp"
#include "tunekit/processes/build/builder.hpp"
#include "tunekit/processes/build/generated_kernel.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace studies {

namespace tk = tunekit;
namespace dispatch = tunekit::dispatch;

/// Nanoseconds of one pick.
struct pick_cost {
    std::string way{};
    double measured_ns = 0;  ///< over shapes that were measured
    double other_ns = 0;     ///< over others; -1 where the way has no answer for them
};

/// A choice among eight configurations for `n` shapes of three sizes from 1 to 4095, whose answers follow no rule: the worst
/// case of the look-up by the nearest.
inline dispatch::choice scattered(std::size_t n, dispatch::rung general, tk::random::philox& gen)
{
    dispatch::choice out{.kernel = "gemm", .sizes = {"m", "n", "k"}, .parameters = {"tile"}};
    const auto eight = [&] { return static_cast<std::uint32_t>(tk::random::uniform_index(8, gen)); };
    for (std::uint32_t k = 0; k < 8; ++k) out.configs.push_back({.candidate = k, .values = {std::to_string(k + 1)}});
    dispatch::choice::part d{.device = "AuthenticAMD 25.17.1, 2 cores, avx2", .general = general};
    while (d.shapes.size() < n) {
        dispatch::shape_sizes at;
        for (int j = 0; j < 3; ++j) {
            const auto low = std::int64_t{1} << tk::random::uniform_index(12, gen);
            at.push_back(low +
                         static_cast<std::int64_t>(tk::random::uniform_index(static_cast<std::uint64_t>(low), gen)));
        }
        const auto place = std::lower_bound(d.shapes.begin(), d.shapes.end(), at,
                                            [](const auto& s, const auto& x) { return s.at < x; });
        if (place != d.shapes.end() && place->at == at) continue;
        d.shapes.insert(place, {.at = at, .config = eight(), .around = eight()});
    }
    d.tree = {{.of = 1, .at_most = 128, .yes = 1, .no = 4},
              {.of = 6, .less = 1, .at_most = 300000, .yes = 2, .no = 3},
              {.config = 1},
              {.config = 2},
              {.of = 7, .at_most = 1500000, .yes = 5, .no = 6},
              {.config = 3},
              {.config = 4}};
    out.devices = {std::move(d)};
    return out;
}

/// A compiled text: its function `kernel` adds up the positions picked for an array of shapes.
class compiled_picks {
public:
    explicit compiled_picks(const std::string& text)
        : code_([&] {
              tk::measure::builder pool({.processes = 1});
              const tk::measure::source source{.text = text, .flags = {"-std=c++17", "-O2", "-include", "stdlib.h"}};
              pool.submit({source}, "kernel", 300);
              key_ = pool.cache().key(source, "kernel");
              if (const auto built = pool.wait(key_); built.failed) throw tk::error("costs: " + built.failed->message);
              return tk::measure::loaded_code(pool.cache().path(key_));
          }()),
          at_(code_.function<long(const long long*, long)>(tk::measure::build_cache::symbol(key_)))
    {
    }
    long operator()(const std::vector<long long>& sizes) const
    {
        return at_(sizes.data(), static_cast<long>(sizes.size() / 3));
    }

private:
    std::string key_{};
    tk::measure::loaded_code code_;
    long (*at_)(const long long*, long);
};

/// A text that picks by the expression `pick` of m, n and k.
inline std::string loop_of(const std::string& before, const std::string& pick)
{
    return before +
           "\nextern \"C\" long kernel(const long long* at, long shapes)\n{\n    long sum = 0;\n    for (; shapes-- > "
           "0; at += 3) "
           "{\n        const long long m = at[0], n = at[1], k = at[2];\n        sum += " +
           pick + ";\n    }\n    return sum;\n}\n";
}

/// Nested switches over m, n and k, as one would write them by hand: 0 for any other shape.
inline std::string switches_of(const dispatch::choice::part& d)
{
    std::string out = "static int by_switch(long long m, long long n, long long k)\n{\n    switch (m) {\n";
    const auto like = [&](std::size_t a, std::size_t b, std::size_t sizes) {
        return b < d.shapes.size() &&
               std::equal(d.shapes[a].at.begin(), d.shapes[a].at.begin() + static_cast<std::ptrdiff_t>(sizes),
                          d.shapes[b].at.begin());
    };
    for (std::size_t a = 0; a < d.shapes.size();) {
        out += "case " + std::to_string(d.shapes[a].at[0]) + ": switch (n) {\n";
        const std::size_t first = a;
        while (a < d.shapes.size() && like(first, a, 1)) {
            out += "case " + std::to_string(d.shapes[a].at[1]) + ": switch (k) {\n";
            const std::size_t row = a;
            for (; a < d.shapes.size() && like(row, a, 2); ++a)
                out += "case " + std::to_string(d.shapes[a].at[2]) + ": return " + std::to_string(d.shapes[a].config) +
                       ";\n";
            out += "default: return 0; }\n";
        }
        out += "default: return 0; }\n";
    }
    return out + "    }\n    return 0;\n}\n";
}

/// The way of CLBlast 1.6's database: a map by precision, device and kernel, here with the shape, too, under a lock; a value
/// has its parameters by their names.
class locked_map {
public:
    explicit locked_map(const dispatch::choice& c) : device_(c.devices.front().device)
    {
        for (const auto& s : c.devices.front().shapes)
            map_.emplace(key{32, device_, c.kernel, s.at[0], s.at[1], s.at[2]},
                         std::map<std::string, std::size_t>{{"config", s.config}});
    }
    [[nodiscard]] long operator()(const std::vector<long long>& sizes) const
    {
        static const std::string kernel = "gemm";
        long sum = 0;
        for (std::size_t k = 0; k < sizes.size(); k += 3) {
            const std::lock_guard<std::mutex> lock(mutex_);
            const auto found = map_.find(std::tie(precision_, device_, kernel, sizes[k], sizes[k + 1], sizes[k + 2]));
            if (found != map_.end()) sum += static_cast<long>(found->second.at("config"));
        }
        return sum;
    }

private:
    using key = std::tuple<int, std::string, std::string, long long, long long, long long>;
    int precision_ = 32;
    std::string device_;
    mutable std::mutex mutex_{};
    std::map<key, std::map<std::string, std::size_t>, std::less<>> map_{};
};

/// Nanoseconds of a pick by each way among `n` shapes: the least of seven interleaved rounds by the thread's clock.
inline std::vector<pick_cost> pick_costs(std::size_t n)
{
    tk::random::philox gen(1);
    const auto near = scattered(n, dispatch::rung::nearest, gen);
    auto tree = near;
    tree.devices.front().general = dispatch::rung::tree;
    const auto& shapes = near.devices.front().shapes;
    std::vector<long long> measured, others;
    for (int k = 0; k < 4096; ++k) {
        const auto& at = shapes[tk::random::uniform_index(shapes.size(), gen)].at;
        measured.insert(measured.end(), at.begin(), at.end());
        for (int j = 0; j < 3; ++j) {
            const auto low = std::int64_t{1} << tk::random::uniform_index(12, gen);
            others.push_back(
                low + static_cast<std::int64_t>(tk::random::uniform_index(static_cast<std::uint64_t>(low), gen)));
        }
    }
    const std::string on =
        tk::dispatch::detail::as_literal(dispatch::detail::value_type::text, near.devices.front().device);
    const compiled_picks by_nearest(loop_of(dispatch::header_text(near), "tuned::pick_for(m, n, k).config"));
    const compiled_picks by_tree(loop_of(dispatch::header_text(tree), "tuned::pick_for(m, n, k).config"));
    const compiled_picks by_device(loop_of(dispatch::header_text(near), "tuned::pick_for(" + on + ", m, n, k).config"));
    const compiled_picks by_switch(loop_of(switches_of(near.devices.front()), "by_switch(m, n, k)"));
    const locked_map by_map(near);
    const auto by_library = [](const auto& pick_for) {
        return [&pick_for](const std::vector<long long>& sizes) {
            long sum = 0;
            for (std::size_t k = 0; k < sizes.size(); k += 3)
                sum += pick_for(std::array<std::int64_t, 3>{sizes[k], sizes[k + 1], sizes[k + 2]}).config;
            return sum;
        };
    };
    const dispatch::picker picker(near, near.devices.front().device);
    const dispatch::picker tree_picker(tree, tree.devices.front().device);
    const auto choose = [&](std::span<const std::int64_t> at) {
        return dispatch::choice::choose(near.devices.front(), at);
    };
    const auto by_picker = by_library(picker);
    const auto by_tree_picker = by_library(tree_picker);
    const auto by_choice = by_library(choose);
    std::vector<pick_cost> out{{"header, nearest"},
                               {"header, tree"},
                               {"header, nearest, device by name"},
                               {"nested switches"},
                               {"map by name and shape, locked"},
                               {"dispatch::picker, nearest"},
                               {"dispatch::picker, tree"},
                               {"dispatch::choice"}};
    for (pick_cost& c : out) c.measured_ns = c.other_ns = std::numeric_limits<double>::infinity();
    const tk::measure::thread_clock now;
    const auto time = [&](pick_cost& of, const auto& way) {
        for (const bool known : {true, false}) {
            const auto& sizes = known ? measured : others;
            constexpr int times = 25;
            long sum = way(sizes);  // for the caches
            const double start = now();
            for (int k = 0; k < times; ++k) sum += way(sizes);
            tk::measure::keep(sum);
            double& least = known ? of.measured_ns : of.other_ns;
            least = (std::min)(least, 1e9 * (now() - start) * 3 / (times * static_cast<double>(sizes.size())));
        }
    };
    for (int round = 0; round < 7; ++round) {
        time(out[0], by_nearest);
        time(out[1], by_tree);
        time(out[2], by_device);
        time(out[3], by_switch);
        time(out[4], by_map);
        time(out[5], by_picker);
        time(out[6], by_tree_picker);
        time(out[7], by_choice);
    }
    out[3].other_ns = out[4].other_ns = -1;
    return out;
}

}  // namespace studies
