// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The small device functions that generated CUDA kernels call for what one thread does not do alone.

namespace tunekit::kernels::detail {

/// Asynchronous copies, matrix loads and tensor core products, for compute capability 8.0 and later. Each is one PTX
/// instruction; fragments lie in registers as the PTX manual has them.
///
///     tk_cp_async<bytes>(to, from, valid)     4, 8 or 16 bytes to shared memory; zeros where not valid
///     tk_commit(), tk_wait<left>()            ends a group of copies; waits for all but the `left` latest groups
///     tk_ldmatrix(r, row)                     four 8 x 16-byte matrices, whose rows 32 lanes point to
///     tk_tf32(bits)                           a float rounded to TF32: to nearest, ties away from zero
///     tk_mma_tf32(c, a, b), tk_mma_bf16       c += a b: 16 x 8 sums, 8 or 16 steps of k; TF32 operands are rounded before,
///                                             for the product leaves open what it makes of the lower bits
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
)";

}  // namespace tunekit::kernels::detail
