// SPDX-License-Identifier: MIT
#include "gemm_library.hpp"

#include <string_view>

#include "gemm_choice.hpp"

#include "tunekit/kernels/gemm/space.hpp"

namespace kernels = tunekit::kernels;

namespace {

kernels::loop_order order_of(std::string_view text)
{
    for (int k = 0; k < 6; ++k)
        if (text == to_text(static_cast<kernels::loop_order>(k))) return static_cast<kernels::loop_order>(k);
    return kernels::loop_order::ori;
}

}  // namespace

bool gemm_library::tuned_for(int m, int n, int k) const
{
    const gemm_choice::config& c = gemm_choice::choose(m, n, k);
    return table_.find(c.mr, c.nv, c.vl) != nullptr;
}

kernels::gemm_config gemm_library::config_for(int m, int n, int k) const
{
    if (!tuned_for(m, n, k)) return kernels::default_config({.m = m, .n = n, .k = k}, table_);
    const gemm_choice::config& c = gemm_choice::choose(m, n, k);
    return {
        .mr = c.mr,
        .nv = c.nv,
        .vl = c.vl,
        .ku = c.ku,
        .prefetch = c.prefetch,
        .mc = c.mr * c.m_tiles,
        .nc = c.nv * c.vl * c.n_tiles,
        .kc = c.kc,
        .order = order_of(c.order),
        .inner = std::string_view(c.inner) == "pixels_outside" ? kernels::inner_order::pixels_outside
                                                               : kernels::inner_order::channels_outside,
        .pack_a = c.pack_a,
        .pack_b = c.pack_b,
        .fetch_c = c.fetch_c,
        .edge = std::string_view(c.edge) == "remainder" ? kernels::edge_mode::remainder : kernels::edge_mode::balanced};
}

kernels::gemm_kernel<>& gemm_library::kernel_for(int m, int n, int k)
{
    const auto place = planned_.find({m, n, k});
    if (place != planned_.end()) return place->second;
    return planned_
        .emplace(std::tuple(m, n, k), kernels::gemm_kernel({.m = m, .n = n, .k = k}, config_for(m, n, k), table_))
        .first->second;
}
