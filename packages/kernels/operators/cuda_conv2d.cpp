// SPDX-License-Identifier: MIT
#include "packages/kernels/operators/cuda_tasks.hpp"
#include "packages/kernels/operators/operator_task.hpp"

programs::cuda_operator programs::on_cuda(cuda_tasks* device, const tunekit::kernels::conv2d_shape& shape,
                                          bool winograd, const maybe_repetition& repetition)
{
    return with_cuda_template(shape, winograd, device != nullptr,
                              [&](const auto& what, const auto& operands, const auto& want) {
                                  cuda_operator out{.space = what.space};
                                  if (device == nullptr) return out;
                                  out.untuned = untuned_cuda(what);
                                  device->add(what, operands, want, *repetition);
                                  return out;
                              });
}
