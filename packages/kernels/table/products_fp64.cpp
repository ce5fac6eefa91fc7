// SPDX-License-Identifier: MIT
#include "programs/kernel_table/product_table.hpp"
#include "programs/product_tables.hpp"

const tunekit::kernels::product_table<tunekit::kernels::formats::fp64>& fp64_table()
{
    return programs::families::product_table_of_machine<tunekit::kernels::formats::fp64>;
}
