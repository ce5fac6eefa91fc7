// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// oneDNN, OpenBLAS and Eigen on processors: what kernels are compared with.

#include <cblas.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bench/kernels/support/field.hpp"
#include "tunekit/kernels/gemm/gemm.hpp"
#include "tunekit/kernels/shapes.hpp"

namespace bench {

inline dnnl::engine& onednn_engine()
{
    static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

/// A primitive of oneDNN with operands of its own, run step by step.
struct onednn_plan {
    dnnl::stream stream{onednn_engine()};
    std::vector<std::pair<dnnl::primitive, std::unordered_map<int, dnnl::memory>>> steps;

    dnnl::memory operand(const dnnl::memory::desc& as)
    {
        dnnl::memory m(as, onednn_engine());
        std::fill_n(static_cast<float*>(m.get_data_handle()), as.get_size() / sizeof(float), 0.01F);
        return m;
    }
    void run()
    {
        for (const auto& [what, with] : steps) what.execute(stream, with);
        stream.wait();
    }
};

inline contestant contestant_of(std::string name, std::shared_ptr<onednn_plan> plan)
{
    return {std::move(name), [plan = std::move(plan)] { plan->run(); }};
}

/// oneDNN's convolution in the layouts it likes best or, with `tag`, in that one; with `reorder` from and to plain NCHW as part of the run.
/// Empty where it has no such algorithm.
inline std::optional<contestant> onednn_convolution(std::string name, const tunekit::kernels::conv2d_shape& s,
                                                    dnnl::algorithm algorithm, dnnl::memory::format_tag tag,
                                                    bool reorder = false)
{
    using dnnl::memory;
    const memory::dims x{s.batch, s.ci, s.height, s.width}, y{s.batch, s.co, s.oh(), s.ow()};
    memory::dims w{s.co / s.groups, s.ci / s.groups, s.kernel_h, s.kernel_w};
    if (s.groups > 1) w.insert(w.begin(), s.groups);
    const auto f32 = memory::data_type::f32;
    try {
        const dnnl::convolution_forward::desc desc(
            dnnl::prop_kind::forward_inference, algorithm, memory::desc(x, f32, tag),
            memory::desc(w, f32, memory::format_tag::any), memory::desc(y, f32, tag), {s.stride_h, s.stride_w},
            {s.padding_h, s.padding_w}, {s.padding_h, s.padding_w});
        const dnnl::convolution_forward::primitive_desc how(desc, onednn_engine());
        auto plan = std::make_shared<onednn_plan>();
        const auto in = plan->operand(how.src_desc()), out = plan->operand(how.dst_desc()),
                   weights = plan->operand(how.weights_desc());
        if (reorder) {
            const auto plain = plan->operand(memory::desc(x, f32, memory::format_tag::nchw));
            plan->steps.push_back({dnnl::reorder(plain, in), {{DNNL_ARG_FROM, plain}, {DNNL_ARG_TO, in}}});
        }
        plan->steps.push_back(
            {dnnl::convolution_forward(how), {{DNNL_ARG_SRC, in}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, out}}});
        if (reorder) {
            const auto plain = plan->operand(memory::desc(y, f32, memory::format_tag::nchw));
            plan->steps.push_back({dnnl::reorder(out, plain), {{DNNL_ARG_FROM, out}, {DNNL_ARG_TO, plain}}});
        }
        return contestant_of(std::move(name), std::move(plan));
    } catch (const dnnl::error&) {
        return {};
    }
}

/// All ways of oneDNN to compute a convolution: blocked layouts (direct, its default, Winograd), and from and to plain NCHW.
inline std::vector<contestant> peers_of(const tunekit::kernels::conv2d_shape& s)
{
    using dnnl::algorithm;
    using tag = dnnl::memory::format_tag;
    std::vector<contestant> out;
    for (auto& peer : {onednn_convolution("onednn_direct", s, algorithm::convolution_direct, tag::any),
                       onednn_convolution("onednn_default", s, algorithm::convolution_auto, tag::any),
                       onednn_convolution("onednn_winograd", s, algorithm::convolution_winograd, tag::any),
                       onednn_convolution("nchw_direct", s, algorithm::convolution_direct, tag::nchw),
                       onednn_convolution("nchw_reordered", s, algorithm::convolution_direct, tag::any, true),
                       onednn_convolution("nchw_winograd", s, algorithm::convolution_winograd, tag::any, true)}) {
        if (peer) out.push_back(*peer);
    }
    return out;
}

/// oneDNN's matrix product, row-major; with `any` B in the layout it likes best, packed ahead.
inline contestant onednn_product(std::string name, const tunekit::kernels::gemm_shape& s, dnnl::memory::format_tag of_b)
{
    using dnnl::memory;
    const auto tag = memory::format_tag::abc;
    const auto f32 = memory::data_type::f32;
    const dnnl::matmul::desc desc(memory::desc({s.batch, s.m, s.k}, f32, tag),
                                  memory::desc({s.batch, s.k, s.n}, f32, of_b),
                                  memory::desc({s.batch, s.m, s.n}, f32, tag));
    const dnnl::matmul::primitive_desc how(desc, onednn_engine());
    auto plan = std::make_shared<onednn_plan>();
    const auto a = plan->operand(how.src_desc()), b = plan->operand(how.weights_desc()),
               c = plan->operand(how.dst_desc());
    plan->steps.push_back({dnnl::matmul(how), {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}}});
    return contestant_of(std::move(name), std::move(plan));
}

/// C = A B by OpenBLAS, row-major and dense.
inline void blas_product(int m, int n, int k, const float* a, const float* b, float* c)
{
    if (m == 1) cblas_sgemv(CblasRowMajor, CblasTrans, k, n, 1, b, n, a, 1, 0, c, 1);
    else cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n, 0, c, n);
}

/// The same of doubles.
inline void blas_product(int m, int n, int k, const double* a, const double* b, double* c)
{
    if (m == 1) cblas_dgemv(CblasRowMajor, CblasTrans, k, n, 1, b, n, a, 1, 0, c, 1);
    else cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n, 0, c, n);
}

/// OpenBLAS and Eigen in single or double precision; `mark` ends their names.
template <class T>
std::vector<contestant> blas_peers_of(const tunekit::kernels::gemm_shape& s, const std::string& mark)
{
    using elements = tunekit::kernels::buffer<T>;
    struct operands {
        elements a, b, c;
    };
    const auto d = tunekit::kernels::gemm_strides::dense(s);
    const auto of = [&](std::ptrdiff_t n) { return elements(static_cast<std::size_t>(s.batch * n)); };
    const auto on = std::make_shared<operands>(operands{of(d.batch_a), of(d.batch_b), of(d.batch_c)});
    std::fill_n(on->a.data(), on->a.size(), T(0.01));
    std::fill_n(on->b.data(), on->b.size(), T(0.01));
    std::vector<contestant> out;
    out.push_back({"openblas" + mark, [s, d, on] {
                       for (int i = 0; i < s.batch; ++i)
                           blas_product(s.m, s.n, s.k, on->a.data() + i * d.batch_a, on->b.data() + i * d.batch_b,
                                        on->c.data() + i * d.batch_c);
                   }});
    out.push_back({"eigen" + mark, [s, d, on] {
                       using matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
                       for (int i = 0; i < s.batch; ++i) {
                           Eigen::Map<matrix>(on->c.data() + i * d.batch_c, s.m, s.n).noalias() =
                               Eigen::Map<const matrix>(on->a.data() + i * d.batch_a, s.m, s.k) *
                               Eigen::Map<const matrix>(on->b.data() + i * d.batch_b, s.k, s.n);
                       }
                   }});
    return out;
}

/// oneDNN, OpenBLAS and Eigen on plain row-major matrices; for a dense layer oneDNN with its weights packed ahead too.
inline std::vector<contestant> peers_of(const tunekit::kernels::gemm_shape& s)
{
    std::vector<contestant> out{onednn_product("onednn", s, dnnl::memory::format_tag::abc)};
    if (s.m <= 8) out.push_back(onednn_product("onednn_packed", s, dnnl::memory::format_tag::any));
    for (auto& peer : blas_peers_of<float>(s, "")) out.push_back(std::move(peer));
    return out;
}

/// oneDNN's matrix product of other types than floats; with `packed` B in the layout it likes best, packed ahead.
inline contestant onednn_product_in(std::string name, const tunekit::kernels::gemm_shape& s,
                                    dnnl::memory::data_type left, dnnl::memory::data_type right,
                                    dnnl::memory::data_type sum, bool packed)
{
    using dnnl::memory;
    using tag = memory::format_tag;
    const bool one = s.batch == 1;  // of two dimensions oneDNN knows more layouts
    const auto plain = one ? tag::ab : tag::abc;
    const auto dims = [&](int rows, int columns) {
        return one ? memory::dims{rows, columns} : memory::dims{s.batch, rows, columns};
    };
    const dnnl::matmul::desc desc(memory::desc(dims(s.m, s.k), left, plain),
                                  memory::desc(dims(s.k, s.n), right, packed ? tag::any : plain),
                                  memory::desc(dims(s.m, s.n), sum, plain));
    const dnnl::matmul::primitive_desc how(desc, onednn_engine());
    auto plan = std::make_shared<onednn_plan>();
    const auto operand = [&](const memory::desc& as) {
        memory m(as, onednn_engine());
        auto* const bytes = static_cast<unsigned char*>(m.get_data_handle());
        for (std::size_t i = 0; i < as.get_size(); ++i) bytes[i] = i % 2 == 0 ? 0x24 : 0x3c;  // 0.01 in bfloat16
        return m;
    };
    const auto a = operand(how.src_desc()), b = operand(how.weights_desc()), c = operand(how.dst_desc());
    plan->steps.push_back({dnnl::matmul(how), {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}}});
    return contestant_of(std::move(name), std::move(plan));
}

/// oneDNN in the types of a format's name, from plain B and from B packed ahead; none for other names.
inline std::vector<contestant> format_peers_of(const tunekit::kernels::gemm_shape& s, const std::string& format)
{
    using type = dnnl::memory::data_type;
    std::vector<contestant> out;
    if (format == "fp64") return blas_peers_of<double>(s, "_fp64");
    if (format != "bf16" && format != "u8s8") return out;
    const bool bf16 = format == "bf16";
    for (const bool packed : {false, true}) {
        out.push_back(onednn_product_in("onednn_" + format + (packed ? "_packed" : ""), s, bf16 ? type::bf16 : type::u8,
                                        bf16 ? type::bf16 : type::s8, bf16 ? type::f32 : type::s32, packed));
    }
    return out;
}

}  // namespace bench
