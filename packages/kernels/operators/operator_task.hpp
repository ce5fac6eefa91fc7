// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Operators of networks that are ready to be tuned, each compiled in a translation unit of its own (operators/): a program
/// that tunes them is compiled without their spaces and kernels.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/measure/any_repetition.hpp"
#include "tunekit/processes/build/source_template.hpp"
#include "tunekit/processes/worker_task.hpp"
#include "tunekit/space/any_space.hpp"

namespace tunekit::measure {
class builder;
}

namespace programs {

/// An operator on data of its own. Copies share it.
struct operator_task {
    tunekit::space::any_space space;
    tunekit::index untuned = 0;  ///< the configuration of a library that was never tuned
    /// What one worker of a pool needs to run configurations, check what they compute and time them on the thread's clock:
    /// buffers, kernel and check of its own, on the data of all. Call it once for each worker.
    std::function<tunekit::measure::any_worker_task()> worker = {};
    /// Makes a configuration's kernel in this process. Throws tunekit::error where its result is wrong.
    std::function<std::function<void()>(tunekit::index)> plan = {};
};

/// The sources of an operator's configurations, whatever its space: what `measure::pipeline` builds.
struct operator_source {
    struct numbers {
        [[nodiscard]] tunekit::index at(tunekit::index i) const noexcept { return i; }
    };
    numbers space{};
    std::function<tunekit::measure::source(tunekit::index)> source_of;
    std::string entry;
};

/// An operator whose configurations are compiled before they run.
struct built_task {
    tunekit::space::any_space space;
    tunekit::index untuned = 0;
    operator_source program;
    /// As that of `operator_task`; runs what `compilers` have built by then.
    std::function<tunekit::measure::any_worker_task(const tunekit::measure::builder& compilers)> worker = {};
};

/// How often a configuration is run; without, there is nothing to measure with.
using maybe_repetition = std::optional<tunekit::measure::any_repetition>;

operator_task conv2d_task(const tunekit::kernels::conv2d_shape& shape, const maybe_repetition& repetition);
operator_task nchw_task(const tunekit::kernels::conv2d_shape& shape, const maybe_repetition& repetition);
operator_task any_conv2d_task(const tunekit::kernels::conv2d_shape& shape, const maybe_repetition& repetition);
operator_task any_nchw_task(const tunekit::kernels::conv2d_shape& shape, const maybe_repetition& repetition);
/// A depthwise convolution in the layout that goes with what a vector holds.
operator_task depthwise_task(const tunekit::kernels::conv2d_shape& shape, tunekit::kernels::vectorise_mode vectorise,
                             const maybe_repetition& repetition);
operator_task gemm_task(const tunekit::kernels::gemm_shape& shape, const maybe_repetition& repetition);
operator_task dense_task(const tunekit::kernels::gemm_shape& shape, const maybe_repetition& repetition);

/// A convolution under AutoTVM's template for processors.
built_task x86_task(const tunekit::kernels::conv2d_shape& shape, const maybe_repetition& repetition);

class cuda_tasks;

/// An operator under AutoTVM's template for CUDA devices.
struct cuda_operator {
    tunekit::space::any_space space;
    tunekit::index untuned = 0;
};

/// Adds a convolution, under Winograd's template where `winograd` and it applies, or a product to a device; without one only the
/// space is told.
cuda_operator on_cuda(cuda_tasks* device, const tunekit::kernels::conv2d_shape& shape, bool winograd,
                      const maybe_repetition& repetition);
cuda_operator on_cuda(cuda_tasks* device, const tunekit::kernels::gemm_shape& shape, bool winograd,
                      const maybe_repetition& repetition);

}  // namespace programs
