// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Texts of the products for Hopper (sm_90a): the small device functions that they call, and their parts.

namespace tunekit::kernels::detail {

/// Copies by the tensor memory accelerator, barriers in shared memory and products of warpgroups. Each is one PTX
/// instruction or two; addresses are those of shared memory.
///
///     tk_shared(p)                          the address of p
///     tk_uniform(x)                         x, which all lanes of a warp have alike
///     tk_rank(), tk_meet_cluster()          the block's number in its cluster; a barrier of the cluster
///     tk_barrier_init(at, n)                a barrier whose phase ends with n arrivals and all bytes expected
///     tk_barriers_ready()                   makes new barriers known to the cluster and to copies
///     tk_barrier_expect(at, n)              an arrival that expects n more bytes in this phase
///     tk_barrier_arrive(at, rank)           an arrival at the barrier of a block of the cluster
///     tk_barrier_wait(at, parity)           waits for the end of the phase of this parity
///     tk_copy(to, map, barrier, x, y, z, mask)  a box of a tensor map, to the same place in all blocks of the mask
///     tk_registers_dec<n>(), tk_registers_inc<n>()  from now on n registers for each thread of this warpgroup
///     tk_wgmma_fence(), tk_wgmma_commit(), tk_wgmma_wait<left>(), and tk_wgmma_bf16(c, a, b), ..._f16, ..._tf32 below
inline constexpr const char* hopper_prologue = R"(
#define TK_DYNAMIC_SHARED(name) extern __shared__ __align__(1024) unsigned char name[]
struct alignas(128) tk_tensor_map { unsigned long long opaque[16]; };
__device__ __forceinline__ unsigned tk_shared(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ int tk_uniform(int x) { return __shfl_sync(0xFFFFFFFFu, x, 0); }
__device__ __forceinline__ unsigned tk_rank()
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ __forceinline__ void tk_meet_cluster()
{
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}
__device__ __forceinline__ void tk_barrier_init(unsigned at, int n)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at), "r"(n) : "memory");
}
__device__ __forceinline__ void tk_barriers_ready()
{
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void tk_barrier_expect(unsigned at, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(at), "r"(bytes) : "memory");
}
__device__ __forceinline__ void tk_barrier_arrive(unsigned at, unsigned rank)
{
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" :: "r"(at), "r"(rank) : "memory");
}
__device__ __forceinline__ void tk_barrier_wait(unsigned at, unsigned parity)
{
    asm volatile("{\n.reg .pred done;\nagain:\n"
                 "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n}" :: "r"(at), "r"(parity) : "memory");
}
__device__ __forceinline__ void tk_copy(unsigned to, const tk_tensor_map* map, unsigned barrier, int x, int y, int z)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4, %5}], [%2];"
                 :: "r"(to), "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z) : "memory");
}
__device__ __forceinline__ void tk_copy(unsigned to, const tk_tensor_map* map, unsigned barrier, int x, int y, int z,
                                        int mask)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%4, %5, %6}], [%2], %3;"
                 :: "r"(to), "l"(map), "r"(barrier), "h"((unsigned short)mask), "r"(x), "r"(y), "r"(z) : "memory");
}
template <int n> __device__ __forceinline__ void tk_registers_dec()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" :: "n"(n));
}
template <int n> __device__ __forceinline__ void tk_registers_inc()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" :: "n"(n));
}
__device__ __forceinline__ void tk_wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void tk_wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int left> __device__ __forceinline__ void tk_wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(left) : "memory");
}
__device__ __forceinline__ void tk_store(float* to, float x, float y) { *(float2*)to = make_float2(x, y); }
__device__ __forceinline__ void tk_store_one(float* to, float x) { *to = x; }
)";

/// The product of one step, 64 x n sums: c += a b, with matrices that descriptors tell.
inline constexpr const char* hopper_wgmma = R"(
__device__ __forceinline__ void tk_wgmma_{type}(float (&c)[{sums}], unsigned long long a, unsigned long long b)
{
    asm volatile("{\n.reg .pred keep;\nsetp.ne.b32 keep, 1, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n{n}k{k}.f32.{type}.{type} {registers}, "
                 "%{sums}, %{after}, keep, 1, 1{major};\n}"
                 : {operands} : "l"(a), "l"(b));
}
)";

/// Stores of two neighbours as 16 bits each.
inline constexpr const char* hopper_store = R"(
__device__ __forceinline__ void tk_store_{type}(unsigned short* to, float x, float y)
{
    unsigned both;
    asm("cvt.rn.{type}x2.f32 %0, %1, %2;" : "=r"(both) : "f"(y), "f"(x));
    *(unsigned*)to = both;
}
__device__ __forceinline__ void tk_store_one_{type}(unsigned short* to, float x)
{
    asm("cvt.rn.{type}.f32 %0, %1;" : "=h"(*to) : "f"(x));
}
)";

/// A product in tiles. The warps of the last warpgroup fill stages of shared memory, one thread for all; the others
/// multiply what lies there. A stage has two barriers: `full`, at which its bytes arrive, and `empty`, at which the
/// warps arrive that have read it, those of the cluster's other block, too. Clusters take tiles in turn.
inline constexpr const char* hopper_kernel = R"(
// The descriptor of a matrix in shared memory whose rows of {swizzle} bytes are swizzled, by groups of eight.
__device__ __forceinline__ unsigned long long tk_matrix(unsigned at)
{
    return (unsigned long long)((at & 0x3FFFF) >> 4) | 1ull << 16 | {group_bytes}ull / 16 << 32 | {mode}ull << 62;
}
extern "C" __global__ void __launch_bounds__({threads}, {resident}) {cluster_bounds}
kernel(const {element}* __restrict__, const {element}* __restrict__, {result}* __restrict__ c,
       const __grid_constant__ tk_tensor_map map_a, const __grid_constant__ tk_tensor_map map_b)
{
    TK_DYNAMIC_SHARED(shared);
    const int warp = tk_uniform((int)threadIdx.x / 32), lane = (int)threadIdx.x % 32;
    const unsigned stages = tk_shared(shared), full = stages + {all_stages}, empty = full + 8 * {stages};
    {rank}
    if (threadIdx.x == 0) {
        for (int s = 0; s < {stages}; ++s) {
            tk_barrier_init(full + 8 * s, 1);
            tk_barrier_init(empty + 8 * s, {readers});
        }
        tk_barriers_ready();
    }
    {meet};
    int stage = 0;
    unsigned phase = 0;
    if (warp >= {consumer_warps}) {
        {fewer_registers}
        if (warp == {consumer_warps} && lane == 0) {
            #pragma unroll 1
            for (int tile = (int)blockIdx.x / {cluster}; tile < {tiles}; tile += (int)gridDim.x / {cluster}) {
{place}
                #pragma unroll 1
                for (int k = 0; k < {steps}; ++k) {
                    tk_barrier_wait(empty + 8 * stage, phase ^ 1);
                    tk_barrier_expect(full + 8 * stage, {stage_bytes});
                    const unsigned to = stages + stage * {stage_bytes};
                    #pragma unroll
                    for (int part = 0; part < {parts}; ++part) {
                        tk_copy(to + part * {a_part} + {a_share}, &map_a, full + 8 * stage, k * {depth} + part * {part_depth}, first_row + {a_first}, batch{a_mask});
                        tk_copy(to + {a_bytes} + part * {b_part} + {b_share}, &map_b, full + 8 * stage, k * {depth} + part * {part_depth}, first_column + {b_first}, batch{b_mask});
                    }
                    if (++stage == {stages}) {
                        stage = 0;
                        phase ^= 1;
                    }
                }
            }
        }
    } else {
        {more_registers}
        #pragma unroll 1
        for (int tile = (int)blockIdx.x / {cluster}; tile < {tiles}; tile += (int)gridDim.x / {cluster}) {
{place}
            float sum[{fragments}][{sums}];
            #pragma unroll
            for (int i = 0; i < {fragments}; ++i)
                #pragma unroll
                for (int j = 0; j < {sums}; ++j)
                    sum[i][j] = 0.0f;
            #pragma unroll 1
            for (int k = 0; k < {steps}; ++k) {
                tk_barrier_wait(full + 8 * stage, phase);
                const unsigned a = stages + stage * {stage_bytes} + warp / 4 * {group_rows_bytes}, b = stages + stage * {stage_bytes} + {a_bytes};
                tk_wgmma_fence();
                #pragma unroll
                for (int i = 0; i < {fragments}; ++i)
                    #pragma unroll
                    for (int part = 0; part < {parts}; ++part)
                        #pragma unroll
                        for (int s = 0; s < {part_steps}; ++s)
                            tk_wgmma_{type}(sum[i], tk_matrix(a + part * {a_part} + i * {fragment_bytes} + s * 32), tk_matrix(b + part * {b_part} + s * 32));
                tk_wgmma_commit();
                tk_wgmma_wait<{ahead}>();
                {release_in_loop}
                if (++stage == {stages}) {
                    stage = 0;
                    phase ^= 1;
                }
            }
            {release_after}
            #pragma unroll
            for (int i = 0; i < {fragments}; ++i)
                #pragma unroll
                for (int j = 0; j < {quads}; ++j)
                    #pragma unroll
                    for (int h = 0; h < 2; ++h) {
                        const int row = first_row + warp / 4 * {group_rows} + i * 64 + warp % 4 * 16 + h * 8 + lane / 4;
                        const int column = first_column + j * 8 + lane % 4 * 2;
                        {store}
                    }
        }
    }
    {leave}
}
)";

/// Where a tile lies: clusters run in groups of `raster` rows.
inline constexpr const char* hopper_place = R"(
            const int batch = tile / {tiles_of_one}, cell = tile % {tiles_of_one};
            const int above = cell / {group} * {raster}, side = {rows} - above < {raster} ? {rows} - above : {raster};
            const int first_row = ((above + cell % {group} % side) * {cluster_rows} + {rank_row}) * {block_m};
            const int first_column = (cell % {group} / side * {cluster_columns} + {rank_column}) * {block_n};
)";

}  // namespace tunekit::kernels::detail
