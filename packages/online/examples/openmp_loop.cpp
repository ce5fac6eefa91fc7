// SPDX-License-Identifier: MIT

// Tunes OpenMP's thread count, schedule and chunk while the program runs.
//
// The iterations of the loop take different times.

#include <omp.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/online/registry.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;

namespace {

constexpr int n = 2000;
constexpr int steps = 600;

/// Row i has i terms: a triangle, which equal shares divide badly.
void rows(std::vector<double>& out)
{
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < n; ++i) {
        double sum = 0;
        for (int j = 1; j <= i / 8; ++j) sum += 1.0 / j;
        out[static_cast<std::size_t>(i)] = sum;
    }
}

void use(int threads, int schedule, int chunk)
{
    omp_set_num_threads(threads);
    omp_set_schedule(static_cast<omp_sched_t>(schedule), chunk);
}

}  // namespace

int main()
{
    const int most = omp_get_max_threads();
    const tk::space::product space{tk::space::integers<"threads">(1, most), tk::space::integers<"schedule">(1, 3),
                                   tk::space::powers_of_two<"chunk">(1, 256)};
    static_assert(omp_sched_static == 1 && omp_sched_dynamic == 2 && omp_sched_guided == 3);
    tk::index untuned = 0;  // what OpenMP does unasked: all threads, static
    for (tk::index i = 0; i < space.size(); ++i)
        if (const auto c = space.at(i);
            tk::get<"threads">(c) == most && tk::get<"schedule">(c) == omp_sched_static && tk::get<"chunk">(c) == 256)
            untuned = i;
    tk::measure::wall_clock now;

    std::vector<double> expected(n), out(n);
    use(most, omp_sched_static, 0);
    rows(expected);
    const double began = now();
    for (int k = 0; k < steps; ++k) rows(out);
    const double with_default = now() - began;

    tk::online::registry loops({.kernel = "triangle", .version = "1", .device = std::to_string(most) + " threads"},
                               space, space.at(untuned));
    auto& tuned = loops.at(tk::online::key(n));
    const double again = now();
    for (int k = 0; k < steps; ++k)
        tuned.run([&](const auto& c) {
            use(tk::get<"threads">(c), tk::get<"schedule">(c), tk::get<"chunk">(c));
            rows(out);
        });
    const double with_tuning = now() - again;

    const auto is = tuned.status();
    const auto best = space.at(is.best);
    const char* const names[] = {"", "static", "dynamic", "guided"};
    std::printf("%d threads, static: %.2f s; tuned while it ran: %.2f s, %s, now %d threads, %s, %d\n", most,
                with_default, with_tuning, to_text(is.phase).c_str(), tk::get<"threads">(best),
                names[tk::get<"schedule">(best)], tk::get<"chunk">(best));
    return out == expected ? 0 : 1;
}
