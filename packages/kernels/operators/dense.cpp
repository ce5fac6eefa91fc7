// SPDX-License-Identifier: MIT
#include "packages/kernels/operators/product_operators.hpp"
#include "packages/kernels/operators/task_of.hpp"

programs::operator_task programs::dense_task(const tunekit::kernels::gemm_shape& shape,
                                             const maybe_repetition& repetition)
{
    return task_of<dense_operator>(shape, repetition);
}
