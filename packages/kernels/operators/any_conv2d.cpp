// SPDX-License-Identifier: MIT
#include "packages/kernels/operators/any_conv2d_operators.hpp"
#include "packages/kernels/operators/task_of.hpp"

programs::operator_task programs::any_conv2d_task(const tunekit::kernels::conv2d_shape& shape,
                                                  const maybe_repetition& repetition)
{
    return task_of<any_conv2d_operator>(shape, repetition);
}
