// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Matrix products as operators to be tuned: see `operator_case`.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "packages/kernels/operators/operator_case.hpp"
#include "packages/kernels/table/kernel_table.hpp"
#include "tunekit/kernels/dense/dense.hpp"
#include "tunekit/kernels/dense/space.hpp"
#include "tunekit/kernels/gemm/gemm.hpp"
#include "tunekit/kernels/gemm/space.hpp"
#include "tunekit/kernels/reference.hpp"

namespace programs {

/// What all matrix products share: dense row-major operands.
struct gemm_operator_sizes {
    using shape_type = tunekit::kernels::gemm_shape;

    static std::size_t left(const shape_type& s)
    {
        return static_cast<std::size_t>(s.batch) * static_cast<std::size_t>(s.m) * static_cast<std::size_t>(s.k);
    }
    static std::size_t right(const shape_type& s)
    {
        return static_cast<std::size_t>(s.batch) * static_cast<std::size_t>(s.k) * static_cast<std::size_t>(s.n);
    }
    static std::size_t max_output(const shape_type& s)
    {
        return static_cast<std::size_t>(s.batch) * static_cast<std::size_t>(s.m) * static_cast<std::size_t>(s.n);
    }
    static std::vector<float> reference(const shape_type& s, std::span<const float> a, std::span<const float> b)
    {
        return tunekit::kernels::reference_gemm(s, a, b);
    }
};

/// A matrix product of one table; what is packed is packed in the timed run.
class gemm_operator : public gemm_operator_sizes {
public:
    static auto space(const shape_type& s, tunekit::kernels::hazards h)
    {
        return tunekit::kernels::gemm_space(s, kernel_table(), h);
    }
    static auto untuned(const shape_type& s) { return tunekit::kernels::default_config(s, kernel_table()); }

    template <class Config>
    gemm_operator(const shape_type& s, const Config& c, std::span<const float> a, std::span<const float> b,
                  std::span<float> copy)
        : kernel_(s, tunekit::kernels::config_of<tunekit::kernels::gemm_config>(c), kernel_table()),
          a_(copy.data()),
          b_(b.data()),
          size_(max_output(s))
    {
        std::copy(a.begin(), a.end(), copy.begin());
    }
    [[nodiscard]] std::size_t output_size() const { return size_; }
    void run(float* y) { kernel_.run(a_, b_, y); }
    void unpack(std::span<const float> y, std::span<float> dense) const
    {
        std::copy(y.begin(), y.end(), dense.begin());
    }

private:
    tunekit::kernels::gemm_kernel<> kernel_;
    const float* a_;
    const float* b_;
    std::size_t size_;
};

/// A matrix product of few rows; the weights are packed, where the configuration says so, when it is planned.
class dense_operator : public gemm_operator_sizes {
public:
    static auto space(const shape_type& s, tunekit::kernels::hazards)
    {
        return tunekit::kernels::dense_space(s, kernel_table());
    }
    static auto untuned(const shape_type& s)
    {
        return tunekit::kernels::default_config<tunekit::kernels::dense_config>(s, kernel_table());
    }

    template <class Config>
    dense_operator(const shape_type& s, const Config& c, std::span<const float> a, std::span<const float> b,
                   std::span<float> copy)
        : kernel_(s, tunekit::kernels::config_of<tunekit::kernels::dense_config>(c), kernel_table(), b),
          a_(copy.data()),
          size_(max_output(s))
    {
        std::copy(a.begin(), a.end(), copy.begin());
    }
    [[nodiscard]] std::size_t output_size() const { return size_; }
    void run(float* y) { kernel_.run(a_, y); }
    void unpack(std::span<const float> y, std::span<float> dense) const
    {
        std::copy(y.begin(), y.end(), dense.begin());
    }

private:
    tunekit::kernels::dense_kernel kernel_;
    const float* a_;
    std::size_t size_;
};

using gemm_case = operator_case<gemm_operator>;

}  // namespace programs
