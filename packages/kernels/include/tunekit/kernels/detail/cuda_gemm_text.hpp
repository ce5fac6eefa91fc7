// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Texts of the products for present GPUs: the small device functions that they call for what one thread does not do
/// alone, and their parts.

namespace tunekit::kernels::detail {

/// Asynchronous copies, matrix loads and tensor core products, for compute capability 8.0 and later. Each is one PTX
/// instruction; fragments lie in registers as the PTX manual has them.
///
///     tk_cp_async<bytes>(to, from, valid)     4, 8 or 16 bytes to shared memory; zeros where not valid
///     tk_commit(), tk_wait<left>()            ends a group of copies; waits for all but the `left` latest groups
///     tk_ldmatrix(r, row)                     four 8 x 16-byte matrices, whose rows 32 lanes point to
///     tk_tf32(bits)                           a float rounded to TF32: to nearest, ties away from zero
///     tk_mma_tf32(c, a, b), tk_mma_bf16, tk_mma_fp16  c += a b: 16 x 8 sums, 8 or 16 steps of k; TF32 operands are rounded before,
///                                             for the product leaves open what it makes of the lower bits
///     tk_nearest_bf16(x), tk_nearest_fp16     the nearest number of 16 bits
inline constexpr const char* cuda_prologue = R"(
#define TK_DYNAMIC_SHARED(name) extern __shared__ __align__(128) unsigned char name[]
template <int bytes> __device__ __forceinline__ void tk_cp_async(void* to, const void* from, bool valid)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(to);
    const int taken = valid ? bytes : 0;
    if constexpr (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(at), "l"(from), "r"(taken) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
                     :: "r"(at), "l"(from), "n"(bytes), "r"(taken) : "memory");
}
__device__ __forceinline__ void tk_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int left> __device__ __forceinline__ void tk_wait()
{
    asm volatile("cp.async.wait_group %0;" :: "n"(left) : "memory");
}
__device__ __forceinline__ void tk_ldmatrix(unsigned (&r)[4], const void* row)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}
__device__ __forceinline__ unsigned tk_tf32(unsigned bits)
{
    unsigned rounded;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(__uint_as_float(bits)));
    return rounded;
}
__device__ __forceinline__ void tk_mma_tf32(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void tk_mma_bf16(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void tk_mma_fp16(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ unsigned short tk_nearest_bf16(float x)
{
    unsigned short out;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(out) : "f"(x));
    return out;
}
__device__ __forceinline__ unsigned short tk_nearest_fp16(float x)
{
    unsigned short out;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(out) : "f"(x));
    return out;
}
)";

/// A product in tiles. `a`, `b` and `c` are moved to the matrices of a block's batch, and blocks run in groups of
/// `raster` rows.
inline constexpr const char* cuda_gemm_kernel = R"(
__device__ __forceinline__ int tk_place(int row, int byte)
{
    return row * {pitch} + {place};
}
extern "C" __global__ void __launch_bounds__({threads})
kernel(const {element}* __restrict__ a, const {element}* __restrict__ b, {result}* __restrict__ c)
{
    TK_DYNAMIC_SHARED(shared);
    const int thread = (int)threadIdx.x, lane = thread % 32, warp = thread / 32;
    const int warp_row = warp / {warps_n} * {warp_m}, warp_column = warp % {warps_n} * {warp_n};
    const int group = (int)blockIdx.x / {group}, place = (int)blockIdx.x % {group}, above = group * {raster},
              side = {rows} - above < {raster} ? {rows} - above : {raster};
    const int first_row = (above + place % side) * {block_m}, first_column = place / side * {block_n};
{batch}
    float sum[{fm}][{fn}]{of_lane} = {};
{tiles}
{over_i}
{over_j}
{over_lane}
    {
        const int row = first_row + warp_row + {row}, column = first_column + warp_column + {column};
        {inside} c[(long long)row * {n} + column] = {stored}(sum[i][j]{at_lane});
    }
}
)";

inline constexpr const char* cuda_gemm_batch = R"(
    a += (long long)blockIdx.z * {a_size};
    b += (long long)blockIdx.z * {b_size};
    c += (long long)blockIdx.z * {c_size};
)";

/// Its tiles one after another, each copied and then used.
inline constexpr const char* cuda_gemm_in_turn = R"(
    #pragma unroll 1
    for (int next = 0; next < {tiles}; ++next) {
        {
{copies}
        }
        tk_commit();
        tk_wait<0>();
        __syncthreads();
        const unsigned char* const from = shared;
{compute}
        __syncthreads();
    }
)";

/// Its tiles in stages, copied ahead. One barrier per tile: it tells that a stage has arrived, and that another was
/// read and may be replaced.
inline constexpr const char* cuda_gemm_in_stages = R"(
    #pragma unroll 1
    for (int next = 0; next < {ahead}; ++next) {
        if (next < {tiles}) {
{first_copies}
        }
        tk_commit();
    }
    #pragma unroll 1
    for (int tile = 0; tile < {tiles}; ++tile) {
        tk_wait<{waiting}>();
        __syncthreads();
        const int next = tile + {ahead};
        if (next < {tiles}) {
{copies}
        }
        tk_commit();
        const unsigned char* const from = shared + tile % {stages} * {stage_bytes};
{compute}
    }
)";

/// Starts the copies of stage `next` of both operands.
inline constexpr const char* cuda_gemm_copies = R"(
            unsigned char* const to = shared + ({slot}) * {stage_bytes};
{copy_a}
{copy_b}
)";

/// Of one operand.
inline constexpr const char* cuda_gemm_copy = R"(
            #pragma unroll
            for (int turn = 0; turn < {turns}; ++turn) {
                const int e = turn * {threads} + thread;
                {within} {
                    const int row = e / {each}, byte = e % {each} * {vector}, at = next * {depth} + byte / {bytes};
                    const bool valid = {row_valid} {k_valid};
                    tk_cp_async<{vector}>({to} + tk_place(row, byte), {from} + (valid ? (long long)({first} + row) * {k} + at : 0), valid);
                }
            }
)";

/// Adds the products of the stage at `from`, in plain fp32.
inline constexpr const char* cuda_gemm_plain = R"(
        #pragma unroll {unroll}
        for (int step = 0; step < {steps}; ++step) {
            float4 fa[{fm}], fb[{fn}];
{over_i}
                fa[i] = *(const float4*)(from + tk_place(warp_row + i * 8 + lane / 4, step * 16));
{over_j}
                fb[j] = *(const float4*)(from + {b_tile} + tk_place(warp_column + j * 4 + lane % 4, step * 16));
{over_i}
{over_j}
            {
                sum[i][j] += fa[i].x * fb[j].x;
                sum[i][j] += fa[i].y * fb[j].y;
                sum[i][j] += fa[i].z * fb[j].z;
                sum[i][j] += fa[i].w * fb[j].w;
            }
        }
)";

/// The same on tensor cores.
inline constexpr const char* cuda_gemm_tensor = R"(
        #pragma unroll {unroll}
        for (int step = 0; step < {steps}; ++step) {
            unsigned fa[{fm}][4], fb[{fn}][2];
{over_i}
                tk_ldmatrix(fa[i], from + tk_place(warp_row + i * 16 + lane % 16, step * 32 + lane / 16 * 16));
            #pragma unroll
            for (int j = 0; j < {fn_pairs}; ++j)
            {
                unsigned two[4];
                tk_ldmatrix(two, from + {b_tile} + tk_place(warp_column + j * 16 + lane / 16 * 8 + lane % 8, step * 32 + lane / 8 % 2 * 16));
                fb[2 * j][0] = two[0];
                fb[2 * j][1] = two[1];
                fb[2 * j + 1][0] = two[2];
                fb[2 * j + 1][1] = two[3];
            }
{round}
{over_i}
{over_j}
                {product}(sum[i][j], fa[i], fb[j]);
        }
)";

/// Rounds the fragments of a step to TF32.
inline constexpr const char* cuda_gemm_round = R"(
{over_i}
            #pragma unroll
            for (int q = 0; q < 4; ++q)
                fa[i][q] = tk_tf32(fa[i][q]);
{over_j}
            #pragma unroll
            for (int q = 0; q < 2; ++q)
                fb[j][q] = tk_tf32(fb[j][q]);
)";

}  // namespace tunekit::kernels::detail
