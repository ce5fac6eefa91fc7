// SPDX-License-Identifier: MIT
#include "packages/kernels/table/product_table.hpp"
#include "packages/kernels/table/product_tables.hpp"

const tunekit::kernels::product_table<tunekit::kernels::formats::bf16>& bf16_table()
{
    return programs::families::product_table_of_machine<tunekit::kernels::formats::bf16>;
}
