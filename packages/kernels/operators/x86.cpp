// SPDX-License-Identifier: MIT
#include <memory>
#include <utility>

#include "packages/kernels/operators/convolution_layer.hpp"
#include "packages/kernels/operators/operator_task.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/processes/build/builder.hpp"
#include "tunekit/processes/build/generated_kernel.hpp"

programs::built_task programs::x86_task(const tunekit::kernels::conv2d_shape& shape, const maybe_repetition& repetition)
{
    namespace measure = tunekit::measure;
    return with_x86_template(shape, [&](const auto& program, const auto& last) {
        const auto want = tunekit::kernels::autotvm::conv2d_x86_fallback(shape);
        const std::int64_t flag = shape.kernel_h == 1 && shape.kernel_w == 1 ? want.oh : want.unroll_kw;
        const auto is_it = [&](const auto& c) {
            return tunekit::get<"tile_ic">(c)[1] == want.ic && tunekit::get<"tile_oc">(c)[1] == want.oc &&
                   tunekit::get<"tile_ow">(c)[1] == want.ow && last(c) == flag;
        };
        built_task out{
            .space = program.space,
            .program = {.source_of = [program](tunekit::index i) { return program.source_of(program.space.at(i)); },
                        .entry = program.entry}};
        while (!is_it(program.space.at(out.untuned))) ++out.untuned;  // at() refuses to go past the end
        if (!repetition) return out;
        out.worker = [program, data = std::make_shared<const convolution_data>(shape),
                      how = *repetition](const measure::builder& compilers) {
            const auto own = std::make_shared<convolution_layer>(data);
            return measure::any_worker_task(measure::worker_task{
                program.space,
                measure::timed{
                    measure::generated_kernel<void(const float*, const float*, float*, float*)>(
                        program, compilers.cache(),
                        [own, bind = own->bind()](auto* function, const auto& c) { return bind(function, c); }),
                    how, own->check(), measure::thread_clock{}},
                own->canaries()});
        };
        return out;
    });
}
