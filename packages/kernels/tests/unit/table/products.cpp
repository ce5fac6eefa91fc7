// SPDX-License-Identifier: MIT
// Products by the instructions of this machine, where it has them.
#include <doctest/doctest.h>

#include "packages/kernels/table/product_tables.hpp"
#include "packages/kernels/tests/unit/product_support.hpp"

TEST_CASE("products of the machine's tables agree with the wide definition, and touch nothing beside their matrices")
{
    check_products(fp64_table(), 60);
    check_products(bf16_table(), 60);
    check_products(u8s8_table(), 60);
}

TEST_CASE("the machine's bf16 sums are the documented ones to the last bit") { check_bf16_bits(bf16_table()); }
