// SPDX-License-Identifier: MIT
#pragma once

#include "tunekit/kernels/table.hpp"

/// The micro-kernels of products in double precision, bfloat16 and bytes, for the machine that kernel_table/ was compiled on. Link
/// tunekit_product_tables, which is apart from the table of single precision.
const tunekit::kernels::product_table<tunekit::kernels::formats::fp64>& fp64_table();
const tunekit::kernels::product_table<tunekit::kernels::formats::bf16>& bf16_table();
const tunekit::kernels::product_table<tunekit::kernels::formats::u8s8>& u8s8_table();
