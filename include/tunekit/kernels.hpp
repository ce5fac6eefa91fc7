// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every header of kernels/ that needs no more than tunekit does.

#include "tunekit/kernels/autotvm_cuda.hpp"
#include "tunekit/kernels/autotvm_cuda_gemm.hpp"
#include "tunekit/kernels/autotvm_cuda_product.hpp"
#include "tunekit/kernels/autotvm_cuda_source.hpp"
#include "tunekit/kernels/autotvm_cuda_winograd.hpp"
#include "tunekit/kernels/autotvm_x86.hpp"
#include "tunekit/kernels/autotvm_x86_layout.hpp"
#include "tunekit/kernels/autotvm_x86_source.hpp"
#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/conv2d.hpp"
#include "tunekit/kernels/conv2d_space.hpp"
#include "tunekit/kernels/cuda_gemm.hpp"
#include "tunekit/kernels/cuda_gemm_space.hpp"
#include "tunekit/kernels/cuda_prologue.hpp"
#include "tunekit/kernels/cuda_text.hpp"
#include "tunekit/kernels/gemm.hpp"
#include "tunekit/kernels/gemm_space.hpp"
#include "tunekit/kernels/generated_block.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/kernels/rows.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/kernels/space_parts.hpp"
#include "tunekit/kernels/table.hpp"
#include "tunekit/kernels/tile.hpp"
#include "tunekit/kernels/workloads.hpp"
