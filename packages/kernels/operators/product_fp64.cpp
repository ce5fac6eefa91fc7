// SPDX-License-Identifier: MIT
#include "packages/kernels/operators/product_task_of.hpp"
#include "packages/kernels/table/product_tables.hpp"

programs::operator_task programs::fp64_task(const tunekit::kernels::gemm_shape& shape, packing how,
                                            const maybe_repetition& repetition)
{
    return product_task_of(shape, fp64_table(), how, repetition);
}
