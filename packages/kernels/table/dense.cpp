// SPDX-License-Identifier: MIT
#include "packages/kernels/table/families.hpp"

namespace programs::families {
namespace {

template <int... M>
constexpr std::array few_rows{
    tunekit::kernels::make_dense_tile<M, 1>()..., tunekit::kernels::make_dense_tile<M, 2>()...,
    tunekit::kernels::make_dense_tile<M, 4>()..., tunekit::kernels::make_dense_tile<M, 8>()...};

}  // namespace

std::span<const tunekit::kernels::detail::dense_tile> dense() { return few_rows<1, 2, 3, 4, 5, 6, 7, 8>; }

}  // namespace programs::families
