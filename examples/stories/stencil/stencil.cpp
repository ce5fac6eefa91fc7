// SPDX-License-Identifier: MIT

// Heat on a plane: a loop of OpenMP that tunes how many sweeps it fuses, its tiles and its threads while it computes.
//
//     stencil CALLS [FILE]    with FILE it tunes itself and keeps there what it finds; without it computes as one writes such a loop
//
// A call is eight sweeps. Prints the seconds to solution, those of all processors, the configuration at the end, and a sum of the plane, which no
// configuration changes by a bit.

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>
#include <vector>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/online.hpp"
#include "tunekit/processes/machine.hpp"
#include "tunekit/space.hpp"

namespace tk = tunekit;

namespace {

constexpr std::size_t n = 1026;  // points a side, edges included
constexpr std::size_t sweeps = 8;

struct tile {
    std::size_t top, bottom, left, right;
};

/// Where the points of a plane, or of a part of one that begins at (top, left), lie.
struct view {
    double* points;
    std::size_t stride, top = 0, left = 0;

    [[nodiscard]] double* at(std::size_t i, std::size_t j) const { return points + (i - top) * stride + (j - left); }
};

void sweep(const view& from, const view& to, const tile& t)
{
    for (std::size_t i = t.top; i < t.bottom; ++i) {
        const double *const above = from.at(i - 1, t.left), *const here = from.at(i, t.left),
                            *const below = from.at(i + 1, t.left);
        double* __restrict const out = to.at(i, t.left);
        for (std::size_t j = 0; j < t.right - t.left; ++j)
            out[j] = here[j] + 0.2 * ((above[j] + below[j]) + (here[j - 1] + here[j + 1]) - 4 * here[j]);
    }
}

/// The tile with so many points around it, those of the plane's edges left out.
tile grown(const tile& t, std::size_t by)
{
    return {t.top - (std::min)(t.top - 1, by), (std::min)(t.bottom + by, n - 1), t.left - (std::min)(t.left - 1, by),
            (std::min)(t.right + by, n - 1)};
}

/// `fused` sweeps of a tile at once: what lies around it is computed along with it, and again by its neighbours.
void sweeps_of(const view& now, const view& next, const tile& t, std::size_t fused)
{
    thread_local std::vector<double> memory;
    const tile most = grown(t, fused - 1);
    const std::size_t stride = most.right - most.left + 2, points = (most.bottom - most.top + 2) * stride;
    if (fused > 1) memory.resize((std::max)(memory.size(), 2 * points));
    const view parts[] = {{memory.data(), stride, most.top - 1, most.left - 1},
                          {memory.data() + points, stride, most.top - 1, most.left - 1}};
    for (std::size_t k = 0; k < 2 && fused > 1; ++k) {  // the edges of the plane stay as they are
        const auto kept = [&](std::size_t i, std::size_t j) { *parts[k].at(i, j) = *now.at(i, j); };
        for (const std::size_t i : {most.top - 1, most.bottom})
            for (std::size_t j = most.left - 1; j <= most.right; ++j) kept(i, j);
        for (const std::size_t j : {most.left - 1, most.right})
            for (std::size_t i = most.top - 1; i <= most.bottom; ++i) kept(i, j);
    }
    view from = now;
    for (std::size_t left = fused; left-- > 0; from = parts[left % 2])
        sweep(from, left == 0 ? next : parts[left % 2], grown(t, left));
}

struct plane {
    std::vector<double> now = std::vector<double>(n * n, 0.0), next;

    plane()
    {
        for (std::size_t i = 0; i < n; ++i) now[i] = 1;  // one edge is warm
        next = now;
    }

    /// Eight sweeps.
    void advance(std::size_t fused, std::size_t rows, std::size_t cols, int threads)
    {
        for (std::size_t done = 0; done < sweeps; done += fused) {
#pragma omp parallel for collapse(2) schedule(static) num_threads(threads)
            for (std::size_t i = 1; i < n - 1; i += rows)
                for (std::size_t j = 1; j < n - 1; j += cols)
                    sweeps_of({now.data(), n}, {next.data(), n},
                              {i, (std::min)(i + rows, n - 1), j, (std::min)(j + cols, n - 1)}, fused);
            std::swap(now, next);
        }
    }
};

}  // namespace

int main(int argc, char** argv)
{
    const long calls = argc > 1 ? std::atol(argv[1]) : 0;
    if (calls < 1 || argc > 3) return std::fprintf(stderr, "stencil: want CALLS [FILE], at least one call\n"), 2;
    const int most = omp_get_max_threads();
    const tk::space::product space{tk::space::powers_of_two<"fused">(1, 8), tk::space::powers_of_two<"rows">(4, 512),
                                   tk::space::parameter<"cols">({64, 128, 256, 512, 1024}),
                                   tk::space::integers<"threads">(1, most)};
    const auto untuned =
        space.of(tk::value<"fused">(1), tk::value<"rows">(4), tk::value<"cols">(1024), tk::value<"threads">(most));
    plane heat;
    const auto advance = [&](const auto& c) {
        heat.advance(static_cast<std::size_t>(tk::get<"fused">(c)), static_cast<std::size_t>(tk::get<"rows">(c)),
                     static_cast<std::size_t>(tk::get<"cols">(c)), tk::get<"threads">(c));
    };
    auto last = untuned;
    std::string phase = "as written";
    // Of one thread the processor time counts, which other programs do not disturb.
    const auto now = [most] { return most == 1 ? tk::measure::thread_clock{}() : tk::measure::wall_clock{}(); };
    const tk::measure::wall_clock wall;
    const double began = wall();
    if (argc == 2) {
        for (long k = 0; k < calls; ++k) advance(untuned);
    } else {
        tk::online::registry planes(
            {"heat", "1", to_text(tk::this_machine())}, space, untuned, {},
            tk::online::parts{tk::online::widening{}, tk::online::alone{}, tk::online::no_probe{}, now});
        tk::online::kept file(planes, argv[2]);
        auto& tuned = planes.at(tk::online::key(n, most));
        for (long k = 0; k < calls; ++k) {
            tuned.run(advance);
            file.step();
        }
        last = space.at(tuned.status().best);
        phase = to_text(tuned.status().phase);
    }
    const double seconds = wall() - began, busy = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    double sum = 0;
    for (const double x : heat.now) sum += x;
    std::printf("seconds %.3f of %.3f, %s: %d sweeps at once, tiles of %d x %d, threads %d; sum %.17g\n", seconds, busy,
                phase.c_str(), tk::get<"fused">(last), tk::get<"rows">(last), tk::get<"cols">(last),
                tk::get<"threads">(last), sum);
    return 0;
}
