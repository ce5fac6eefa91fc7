// SPDX-License-Identifier: MIT

// Tunes a kernel of your own that is sometimes wrong: isolated, verified, with a final race on other inputs.
//
// The kernel multiplies two square matrices in tiles, and has a common bug: it does not check whether the last tile still fits.
// Where the tile size does not divide the matrix, it writes beside the result or adds to it twice. The tuner goes on.

#include <cstdio>
#include <exception>

#include "tunekit/measure.hpp"
#include "tunekit/processes/guarded_buffer.hpp"
#include "tunekit/processes/isolated.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

namespace {

constexpr int n = 100;

/// c = a b, in tiles of `rows` x `columns`, the sums in runs of `depth`.
void multiply(const float* a, const float* b, float* c, int rows, int columns, int depth)
{
    for (int i = 0; i < n * n; ++i) c[i] = 0;
    for (int i0 = 0; i0 < n; i0 += rows)
        for (int k0 = 0; k0 < n; k0 += depth)
            for (int j0 = 0; j0 < n; j0 += columns)
                for (int i = i0; i < i0 + rows; ++i)
                    for (int k = k0; k < k0 + depth; ++k)
                        for (int j = j0; j < j0 + columns; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

/// Inputs, the expected result, and an output whose neighbours are guarded.
struct problem {
    tk::measure::guarded_buffer<float> a{n * n}, b{n * n}, expected{n * n}, c{n * n};

    explicit problem(std::uint64_t seed)
    {
        tk::random::philox gen(seed);
        for (float& x : a.span()) x = static_cast<float>(tk::random::uniform_01(gen) - 0.5);
        for (float& x : b.span()) x = static_cast<float>(tk::random::uniform_01(gen) - 0.5);
        multiply(a.data(), b.data(), expected.data(), 1, n, 1);
        for (const auto* input : {&a, &b, &expected}) input->protect();
    }

    template <class Space, class Repetition>
    auto measurer(const Space& space, Repetition repeat) const
    {
        const auto kernel = [a = a.data(), b = b.data(), c = c.data()](const auto& p) {
            multiply(a, b, c, tk::get<"rows">(p), tk::get<"columns">(p), tk::get<"depth">(p));
        };
        const tk::measure::matches<float> check{c.span(), expected.span(), {.absolute = 1e-4}};
        return tk::measure::isolated(space, tk::measure::timed{kernel, repeat, check}, {.canaries = {c.canary()}});
    }
};

}  // namespace

int main()
try {
    const tk::space::product space{
        tk::space::parameter<"rows">({1, 2, 4, 5, 8, 10, 16, 20, 25, 50}),
        tk::space::parameter<"columns">({8, 10, 16, 20, 25, 50, 100}),
        tk::space::parameter<"depth">({1, 2, 4, 5, 8, 10, 20, 25, 50, 100}),
    };
    const problem tuned(1), other(2);
    auto measure = tuned.measurer(space, tk::measure::until_confident{.standard_error = 0.02, .max_runs = 50});
    auto again = other.measurer(space, tk::measure::fixed{.runs = 5, .batch = 1});  // both fork here, early

    tk::random::philox gen(1);
    const tk::recipe how{tk::search::annealing{}, tk::measure::fixed{}, {.abandon_factor = 3, .max_run_seconds = 2}};
    const auto found = tk::tune(space, measure, how, {.trials = 60}, gen);
    std::printf("%zu of %llu configurations tried, %llu failed. The first failures:\n", found.trials().size(),
                static_cast<unsigned long long>(space.size()), static_cast<unsigned long long>(found.failed()));
    int shown = 0;
    for (const auto& t : found.trials())
        if (t.measured.failed && ++shown <= 3)
            std::printf("  %s: %s\n", space.text(t.candidate).c_str(), t.measured.failed->message.c_str());
    if (!found.found()) return 1;

    const auto verdict =
        tk::measure::race(again, found.finalists(4), {.run_seconds = 2}, {.margin = 0.02, .max_rounds = 30});
    if (!verdict.winner) return 1;
    std::printf("winner: %s, %.1f us, %.2f GFLOP/s; %zu of 4 finalists tied after %u rounds\n",
                space.text(*verdict.winner).c_str(), 1e6 * verdict.cost, 2e-9 * n * n * n / verdict.cost,
                verdict.tied.size(), verdict.rounds);
    return 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "own_kernel: %s\n", e.what());
    return 2;
}
