// SPDX-License-Identifier: MIT
#include "packages/kernels/table/families.hpp"

namespace programs::families {
namespace {

template <int... M>
constexpr std::array transforms{tunekit::kernels::make_winograd<M, lanes>()...,
                                tunekit::kernels::make_winograd<M, lanes / 2>()...};

}  // namespace

std::span<const tunekit::kernels::detail::winograd_transform> winograd() { return transforms<2, 3, 4, 5, 6, 7, 8>; }

}  // namespace programs::families
