// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Products in double precision, bfloat16 and bytes that are ready to be tuned: see `operator_task`.

#include "packages/kernels/operators/operator_task.hpp"

namespace programs {

/// Whether B is packed in the timed run, or when the kernel is planned.
enum class packing { in_the_run, ahead };

operator_task fp64_task(const tunekit::kernels::gemm_shape& shape, packing how, const maybe_repetition& repetition);
operator_task bf16_task(const tunekit::kernels::gemm_shape& shape, packing how, const maybe_repetition& repetition);
operator_task u8s8_task(const tunekit::kernels::gemm_shape& shape, packing how, const maybe_repetition& repetition);

}  // namespace programs
