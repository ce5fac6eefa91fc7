// SPDX-License-Identifier: MIT
#include "packages/kernels/operators/depthwise_operators.hpp"
#include "packages/kernels/operators/task_of.hpp"

programs::operator_task programs::depthwise_task(const tunekit::kernels::conv2d_shape& shape,
                                                 tunekit::kernels::vectorise_mode vectorise,
                                                 const maybe_repetition& repetition)
{
    using tunekit::kernels::vectorise_mode;
    if (vectorise == vectorise_mode::channel)
        return task_of<depthwise_operator<vectorise_mode::channel>>(shape, repetition);
    return task_of<depthwise_operator<vectorise_mode::pixel>>(shape, repetition);
}
