// SPDX-License-Identifier: MIT

// Tunes an iterative solver while it runs: the blocks of Jacobi's method on a plane.
//
// The whole run, tuning included, is compared with the same run on the default blocks.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/online/registry.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;

namespace {

constexpr std::size_t n = 258;  // points a side, edges included
constexpr int sweeps = 6000;

struct plane {
    std::vector<double> now = std::vector<double>(n * n, 0.0), next = now;

    plane()
    {
        for (std::size_t i = 0; i < n; ++i) now[i] = next[i] = 1;  // one edge is warm
    }

    /// One sweep, in blocks of rows x cols points.
    void sweep(std::size_t rows, std::size_t cols)
    {
        for (std::size_t i = 1; i < n - 1; i += rows)
            for (std::size_t j = 1; j < n - 1; j += cols) {
                const std::size_t below = (std::min)(i + rows, n - 1), right = (std::min)(j + cols, n - 1);
                for (std::size_t k = i; k < below; ++k)
                    for (std::size_t l = j; l < right; ++l)
                        next[k * n + l] = 0.25 * (now[(k - 1) * n + l] + now[(k + 1) * n + l] + now[k * n + l - 1] +
                                                  now[k * n + l + 1]);
            }
        std::swap(now, next);
    }
};

}  // namespace

int main()
{
    const tk::space::product blocks{tk::space::powers_of_two<"rows">(1, 256), tk::space::powers_of_two<"cols">(1, 256)};
    const auto untuned = blocks.at(3 + 9 * 3);  // 8 x 8, somebody's good idea for another machine
    const auto rows = [](const auto& c) { return static_cast<std::size_t>(tk::get<"rows">(c)); };
    const auto cols = [](const auto& c) { return static_cast<std::size_t>(tk::get<"cols">(c)); };
    tk::measure::wall_clock now;

    plane fixed;
    const double began = now();
    for (int k = 0; k < sweeps; ++k) fixed.sweep(rows(untuned), cols(untuned));
    const double with_default = now() - began;

    tk::online::registry sweeps_of({.kernel = "jacobi", .version = "1", .device = "here"}, blocks, untuned);
    auto& tuned = sweeps_of.at(tk::online::key(n));
    plane own;
    const double again = now();
    for (int k = 0; k < sweeps; ++k) tuned.run([&](const auto& c) { own.sweep(rows(c), cols(c)); });
    const double with_tuning = now() - again;

    const auto is = tuned.status();
    const auto best = blocks.at(is.best);
    std::printf("default %zu x %zu: %.2f s; tuned while it ran: %.2f s, %s, now %zu x %zu\n", rows(untuned),
                cols(untuned), with_default, with_tuning, to_text(is.phase).c_str(), rows(best), cols(best));
    return own.now == fixed.now ? 0 : 1;  // the same result, to the last bit
}
