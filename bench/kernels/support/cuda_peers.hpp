// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// cuBLAS and cuDNN, opened where they are installed: what CUDA kernels are compared with.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tunekit/devices/cuda/session.hpp"
#include "tunekit/devices/library.hpp"
#include "tunekit/kernels/cuda/gemm.hpp"
#include "tunekit/kernels/shapes.hpp"

namespace bench {

/// A peer: `run` puts one call into the default stream.
struct cuda_peer {
    std::string name;
    std::function<void()> run;
};

inline void succeed(int status, const char* what)
{
    if (status != 0) throw tunekit::error(std::string(what) + " answers " + std::to_string(status));
}

/// cuBLAS' C = A B^T for each of a batch, row-major [batch][m][k], [batch][n][k], [batch][m][n]: arguments 0, 1, 2 of
/// `data`. In fp32, and with inputs rounded to TF32. Empty where it is not installed.
inline std::vector<cuda_peer> cublas_peers(tunekit::measure::cuda_session& gpu, tunekit::measure::cuda_operands& data,
                                           const tunekit::kernels::gemm_shape& s)
{
    using handle = void*;
    struct calls {
        tunekit::measure::device_library library{
            "",
            {"libcublas.so.13", "libcublas.so.12", "libcublas.so", "/usr/local/cuda/lib64/libcublas.so"},
            "cuBLAS",
            "install the CUDA toolkit"};
        int (*create)(handle*) = nullptr;
        int (*math)(handle, int) = nullptr;
        int (*product)(handle, int, int, int, int, int, const float*, const float*, int, long long, const float*, int,
                       long long, const float*, float*, int, long long, int) = nullptr;
        handle blas = nullptr;
    };
    std::shared_ptr<calls> of;
    try {
        of = std::make_shared<calls>();
        of->create = of->library.find("cublasCreate_v2");
        of->math = of->library.find("cublasSetMathMode");
        of->product = of->library.find("cublasSgemmStridedBatched");
    } catch (const tunekit::measure::no_device&) {
        return {};
    }
    static_cast<void>(gpu.cuda());
    succeed(of->create(&of->blas), "cublasCreate");
    const float* const a = data.device<float>(gpu, 0);
    const float* const b = data.device<float>(gpu, 1);
    float* const c = data.device<float>(gpu, 2);
    constexpr int fp32 = 0, tf32 = 3;  // CUBLAS_DEFAULT_MATH, CUBLAS_TF32_TENSOR_OP_MATH
    std::vector<cuda_peer> out;
    for (const int mode : {fp32, tf32})
        out.push_back({mode == fp32 ? "cublas" : "cublas_tf32", [=] {
                           constexpr float one = 1, zero = 0;
                           constexpr int plain = 0, transposed = 1;
                           const auto area = [](int x, int y) { return static_cast<long long>(x) * y; };
                           succeed(of->math(of->blas, mode), "cublasSetMathMode");
                           // By columns, as cuBLAS has it: C^T = B A^T.
                           succeed(of->product(of->blas, transposed, plain, s.n, s.m, s.k, &one, b, s.k, area(s.n, s.k),
                                               a, s.k, area(s.m, s.k), &zero, c, s.n, area(s.m, s.n), s.batch),
                                   "cublasSgemmStridedBatched");
                       }});
    return out;
}

/// cuBLAS' C = A B^T on tensor cores, laid out as above: floats rounded to TF32, or bfloat16 operands and sums in fp32, which are
/// written as they are or, where `narrow`, as bfloat16. Empty where it is not installed or cannot do that.
inline std::vector<cuda_peer> cublas_peers(tunekit::measure::cuda_session& gpu, tunekit::measure::cuda_operands& data,
                                           const tunekit::kernels::gemm_shape& s, tunekit::kernels::cuda_arithmetic how,
                                           bool narrow)
{
    using handle = void*;
    struct calls {
        tunekit::measure::device_library library{
            "",
            {"libcublas.so.13", "libcublas.so.12", "libcublas.so", "/usr/local/cuda/lib64/libcublas.so"},
            "cuBLAS",
            "install the CUDA toolkit"};
        int (*create)(handle*) = nullptr;
        int (*product)(handle, int, int, int, int, int, const void*, const void*, int, int, long long, const void*, int,
                       int, long long, const void*, void*, int, int, long long, int, int, int) = nullptr;
        handle blas = nullptr;
    };
    std::shared_ptr<calls> of;
    try {
        of = std::make_shared<calls>();
        of->create = of->library.find("cublasCreate_v2");
        of->product = of->library.find("cublasGemmStridedBatchedEx");
    } catch (const tunekit::measure::no_device&) {
        return {};
    }
    static_cast<void>(gpu.cuda());
    succeed(of->create(&of->blas), "cublasCreate");
    const bool halves = how == tunekit::kernels::cuda_arithmetic::bf16;
    const void* const a = data.device<void>(gpu, 0);
    const void* const b = data.device<void>(gpu, 1);
    void* const c = data.device<void>(gpu, 2);
    return {{halves ? "cublas_bf16" : "cublas_tf32", [=] {
                 constexpr float one = 1, zero = 0;
                 constexpr int plain = 0, transposed = 1, r32 = 0, bf16 = 14,
                               any = -1;                      // CUDA_R_32F, CUDA_R_16BF, CUBLAS_GEMM_DEFAULT
                 constexpr int sums_fp32 = 68, by_tf32 = 77;  // CUBLAS_COMPUTE_32F, ..._32F_FAST_TF32
                 const int type = halves ? bf16 : r32;
                 const int written = halves && narrow ? bf16 : r32;
                 const auto area = [](int x, int y) { return static_cast<long long>(x) * y; };
                 succeed(of->product(of->blas, transposed, plain, s.n, s.m, s.k, &one, b, type, s.k, area(s.n, s.k), a,
                                     type, s.k, area(s.m, s.k), &zero, c, written, s.n, area(s.m, s.n), s.batch,
                                     halves ? sums_fp32 : by_tf32, any),
                         "cublasGemmStridedBatchedEx");
             }}};
}

/// cuDNN's convolution in fp32, NCHW and OIHW, by the fastest of its algorithms: arguments 0, 1, 2 of `data`. Empty where
/// it is not installed.
inline std::vector<cuda_peer> cudnn_peers(tunekit::measure::cuda_session& gpu, tunekit::measure::cuda_operands& data,
                                          const tunekit::kernels::conv2d_shape& s)
{
    using handle = void*;
    struct performance {  // cudnnConvolutionFwdAlgoPerf_t
        int algorithm, status;
        float milliseconds;
        std::size_t workspace;
        int determinism, math, reserved[3];
    };
    struct calls {
        tunekit::measure::device_library library{
            "",
            {"libcudnn.so.9", "libcudnn.so.8", "libcudnn.so", "/usr/local/cuda/lib64/libcudnn.so"},
            "cuDNN",
            "install cuDNN"};
        int (*create)(handle*) = nullptr;
        int (*tensor)(handle*) = nullptr;
        int (*filter)(handle*) = nullptr;
        int (*convolution)(handle*) = nullptr;
        int (*set_tensor)(handle, int, int, int, int, int, int) = nullptr;
        int (*set_filter)(handle, int, int, int, int, int, int) = nullptr;
        int (*set_convolution)(handle, int, int, int, int, int, int, int, int) = nullptr;
        int (*set_math)(handle, int) = nullptr;
        int (*find)(handle, handle, handle, handle, handle, int, int*, performance*) = nullptr;
        int (*forward)(handle, const void*, handle, const void*, handle, const void*, handle, int, void*, std::size_t,
                       const void*, handle, void*) = nullptr;
        handle dnn = nullptr, x = nullptr, w = nullptr, y = nullptr, how = nullptr;
    };
    std::shared_ptr<calls> of;
    try {
        of = std::make_shared<calls>();
        of->create = of->library.find("cudnnCreate");
        of->tensor = of->library.find("cudnnCreateTensorDescriptor");
        of->filter = of->library.find("cudnnCreateFilterDescriptor");
        of->convolution = of->library.find("cudnnCreateConvolutionDescriptor");
        of->set_tensor = of->library.find("cudnnSetTensor4dDescriptor");
        of->set_filter = of->library.find("cudnnSetFilter4dDescriptor");
        of->set_convolution = of->library.find("cudnnSetConvolution2dDescriptor");
        of->set_math = of->library.find("cudnnSetConvolutionMathType");
        of->find = of->library.find("cudnnFindConvolutionForwardAlgorithm");
        of->forward = of->library.find("cudnnConvolutionForward");
    } catch (const tunekit::measure::no_device&) {
        return {};
    }
    static_cast<void>(gpu.cuda());
    constexpr int nchw = 0, float32 = 0, cross_correlation = 1, without_tensor_cores = 3;  // CUDNN_FMA_MATH
    succeed(of->create(&of->dnn), "cudnnCreate");
    succeed(of->tensor(&of->x), "cudnnCreateTensorDescriptor");
    succeed(of->tensor(&of->y), "cudnnCreateTensorDescriptor");
    succeed(of->filter(&of->w), "cudnnCreateFilterDescriptor");
    succeed(of->convolution(&of->how), "cudnnCreateConvolutionDescriptor");
    succeed(of->set_tensor(of->x, nchw, float32, s.batch, s.ci, s.height, s.width), "cudnnSetTensor4dDescriptor");
    succeed(of->set_tensor(of->y, nchw, float32, s.batch, s.co, s.oh(), s.ow()), "cudnnSetTensor4dDescriptor");
    succeed(of->set_filter(of->w, float32, nchw, s.co, s.ci, s.kernel_h, s.kernel_w), "cudnnSetFilter4dDescriptor");
    succeed(of->set_convolution(of->how, s.padding_h, s.padding_w, s.stride_h, s.stride_w, 1, 1, cross_correlation,
                                float32),
            "cudnnSetConvolution2dDescriptor");
    succeed(of->set_math(of->how, without_tensor_cores), "cudnnSetConvolutionMathType");
    performance best[8] = {};
    int found = 0;
    succeed(of->find(of->dnn, of->x, of->w, of->how, of->y, 8, &found, best), "cudnnFindConvolutionForwardAlgorithm");
    int chosen = -1;  // they come fastest first; tensor cores would round
    for (int i = found; i-- > 0;)
        if (best[i].status == 0 && (best[i].math == 0 || best[i].math == without_tensor_cores)) chosen = i;
    if (chosen < 0) return {};
    const auto room = gpu.allocate(best[chosen].workspace);
    return {{"cudnn", [=, algorithm = best[chosen].algorithm, bytes = best[chosen].workspace,
                       x = data.device<float>(gpu, 0), w = data.device<float>(gpu, 1), y = data.device<float>(gpu, 2)] {
                 constexpr float one = 1, zero = 0;
                 succeed(
                     of->forward(of->dnn, &one, of->x, x, of->w, w, of->how, algorithm,
                                 reinterpret_cast<void*>(static_cast<std::uintptr_t>(room)), bytes, &zero, of->y, y),
                     "cudnnConvolutionForward");
             }}};
}

}  // namespace bench
