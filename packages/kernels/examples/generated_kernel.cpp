// SPDX-License-Identifier: MIT

// Tunes generated code: AutoTVM's template for a convolution is compiled for every configuration.
//
// Compilers build the next batch while a worker process measures and checks the last one. The winner is compared with what TVM
// runs without tuning.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/kernels/autotvm/x86.hpp"
#include "tunekit/kernels/autotvm/x86_layout.hpp"
#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/measure.hpp"
#include "tunekit/processes/build/generated.hpp"
#include "tunekit/processes/guarded_buffer.hpp"
#include "tunekit/processes/isolated.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
namespace at = tunekit::kernels::autotvm;

namespace {

constexpr tk::kernels::conv2d_shape shape = tk::kernels::square_conv2d(32, 28, 64, 3, 1, 1);

std::vector<float> noise(std::int64_t n, tk::random::philox& gen)
{
    std::vector<float> out(static_cast<std::size_t>(n));
    for (float& x : out) x = static_cast<float>(2 * tk::random::uniform_01(gen) - 1);
    return out;
}

/// The operands of every configuration, and the right result.
struct layer {
    std::vector<float> x, w, want = tk::kernels::reference_conv2d(shape, x, w);
    tk::measure::guarded_buffer<float> y{want.size()},
        frame{std::size_t{shape.ci} * (shape.height + 2) * (shape.width + 2)};
    tk::kernels::buffer<> in{x.size()}, weights{w.size()};  // packed, at 64 bytes: so a vector is within a cache line
    int block = 1;                                          // of the output, as the last configuration has it

    /// Packs the operands into a configuration's layout and gives a call of its function, for `generated_kernel`.
    auto bind()
    {
        return [this](auto* function, const auto& c) {
            block = tk::get<"tile_oc">(c)[1];
            const int ic = tk::get<"tile_ic">(c)[1];
            std::ranges::copy(at::blocked(x, 1, shape.ci, shape.height * shape.width, ic), in.data());
            std::ranges::copy(at::blocked(w, shape, ic, block), weights.data());
            return [function, this] { function(in.data(), weights.data(), y.data(), frame.data()); };
        };
    }
};

/// The check of a result, for `timed`. It is poisoned before the run, so that an old result cannot pass.
struct checker {
    const layer* on;
    void poison() const { tk::measure::poison(on->y.span()); }
    std::optional<std::string> operator()() const
    {
        const auto got = at::unblocked(on->y.span(), 1, shape.co, shape.oh() * shape.ow(), on->block);
        return tk::measure::close_to<float>(got, on->want, {.absolute = 1e-3});
    }
};

/// The configuration that TVM runs without tuning.
template <class Space>
tk::index untuned(const Space& space)
{
    const auto tiles = at::conv2d_x86_fallback(shape);
    auto c = space.at(0);
    tk::get<"tile_ic">(c) = {shape.ci / tiles.ic, tiles.ic};
    tk::get<"tile_oc">(c) = {shape.co / tiles.oc, tiles.oc};
    tk::get<"tile_ow">(c) = {shape.ow() / tiles.ow, tiles.ow};
    tk::get<"unroll_kw">(c) = tiles.unroll_kw;
    return space.index_of(c).value();
}

int run()
{
    tk::random::philox gen(1);
    layer on{noise(shape.inputs(), gen), noise(shape.weights(), gen)};
    const auto program = at::conv2d_x86_template(shape);
    tk::measure::builder pool;
    const auto kernel = tk::measure::generated_kernel<void(const float*, const float*, float*, float*)>(
        program, pool.cache(), on.bind());
    auto runs =
        tk::measure::isolated(program.space, tk::measure::timed{kernel, tk::measure::until_confident{}, checker{&on}},
                              {.canaries = {on.y.canary(), on.frame.canary()}});
    auto measure = tk::measure::generated(program, std::move(pool), std::move(runs));

    const auto before = measure.measure(std::vector{untuned(program.space)}, {}).front();
    const tk::recipe how{tk::search::annealing{}, tk::measure::fixed{}, {.abandon_factor = 3, .max_run_seconds = 2}, 8};
    const auto found = tk::tune(program.space, measure, how, {.trials = 16}, gen);  // eight are built together
    if (!found.found() || !before.ok()) {
        std::fprintf(stderr, "nothing could be measured: %s\n",
                     before.ok() ? found.most_often().c_str() : before.failed->message.c_str());
        return 1;
    }

    double building = 0;
    for (const auto& t : found.trials()) building += t.measured.build_seconds;
    const auto& best = found.incumbent();
    const auto c = program.space.at(best.candidate);
    std::printf("%zu of %llu configurations tried, %llu failed; %llu compilations, %.0f ms each configuration\n",
                found.trials().size(), static_cast<unsigned long long>(program.space.size()),
                static_cast<unsigned long long>(found.failed()),
                static_cast<unsigned long long>(measure.building().started()),
                1e3 * building / static_cast<double>(found.trials().size()));
    std::printf("untuned %.1f us, %.1f GFLOP/s\n", 1e6 * before.cost, 1e-9 * shape.flops() / before.cost);
    std::printf("tuned   %.1f us, %.1f GFLOP/s: ic %d, oc %d, ow %d, unroll_kw %d\n", 1e6 * best.measured.cost,
                1e-9 * shape.flops() / best.measured.cost, tk::get<"tile_ic">(c)[1], tk::get<"tile_oc">(c)[1],
                tk::get<"tile_ow">(c)[1], tk::get<"unroll_kw">(c) ? 1 : 0);
    std::printf("its source:\n%s", program.source_of(c).text.c_str());
    return 0;
}

}  // namespace

int main()
{
    try {
        return run();
    } catch (const std::exception& e) {  // no compiler, no place for what it builds
        std::fprintf(stderr, "%s\n", e.what());
        return 2;
    }
}
