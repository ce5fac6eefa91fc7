// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One operator to be timed and checked: data, reference, and the kernel that a configuration makes of it.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/kernel_table.hpp"
#include "support/noise.hpp"
#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/conv2d.hpp"
#include "tunekit/kernels/conv2d_space.hpp"
#include "tunekit/kernels/dense.hpp"
#include "tunekit/kernels/dense_space.hpp"
#include "tunekit/kernels/gemm.hpp"
#include "tunekit/kernels/gemm_space.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/measure/guarded_buffer.hpp"
#include "tunekit/measure/verify.hpp"

namespace programs {

/// A convolution of one table: operands x (NCHW) and w (OIHW), of which x is packed before it is timed, w when planned.
class conv2d_operator {
public:
    using shape_type = tunekit::kernels::conv2d_shape;

    static auto space(const shape_type& s, tunekit::kernels::hazards h) { return tunekit::kernels::conv2d_space(s, kernel_table(), h); }
    static auto untuned(const shape_type& s) { return tunekit::kernels::default_config(s, kernel_table()); }
    static std::size_t left(const shape_type& s) { return static_cast<std::size_t>(s.inputs()); }
    static std::size_t right(const shape_type& s) { return static_cast<std::size_t>(s.weights()); }
    static std::vector<float> reference(const shape_type& s, std::span<const float> x, std::span<const float> w)
    {
        return tunekit::kernels::reference_conv2d(s, x, w);
    }
    /// Floats of the widest output layout: channels filled up to the widest tile.
    static std::size_t most_output(const shape_type& s)
    {
        int most = s.co;
        for (const auto& t : kernel_table().tiles) most = (std::max)(most, tunekit::kernels::detail::padded(s.co, t.nv * t.vl));
        return static_cast<std::size_t>(s.outputs() / s.co) * static_cast<std::size_t>(most);
    }

    template <class Config>
    conv2d_operator(const shape_type& s, const Config& c, std::span<const float> x, std::span<const float> w, std::span<float> packed)
        : kernel_(s, tunekit::kernels::conv2d_config_of(c), kernel_table(), w), x_(packed.data())
    {
        kernel_.pack_input(x, packed);
    }
    [[nodiscard]] std::size_t output_size() const { return kernel_.output_size(); }
    void run(float* y) { kernel_.run(x_, y); }
    void unpack(std::span<const float> y, std::span<float> nchw) const { kernel_.unpack_output(y, nchw); }

private:
    tunekit::kernels::conv2d_kernel kernel_;
    const float* x_;
};

/// What all matrix products share: dense row-major operands.
struct gemm_operator_sizes {
    using shape_type = tunekit::kernels::gemm_shape;

    static std::size_t left(const shape_type& s) { return static_cast<std::size_t>(s.batch) * static_cast<std::size_t>(s.m) * static_cast<std::size_t>(s.k); }
    static std::size_t right(const shape_type& s) { return static_cast<std::size_t>(s.batch) * static_cast<std::size_t>(s.k) * static_cast<std::size_t>(s.n); }
    static std::size_t most_output(const shape_type& s) { return static_cast<std::size_t>(s.batch) * static_cast<std::size_t>(s.m) * static_cast<std::size_t>(s.n); }
    static std::vector<float> reference(const shape_type& s, std::span<const float> a, std::span<const float> b)
    {
        return tunekit::kernels::reference_gemm(s, a, b);
    }
};

/// A matrix product of one table; what is packed is packed in the timed run.
class gemm_operator : public gemm_operator_sizes {
public:
    static auto space(const shape_type& s, tunekit::kernels::hazards h) { return tunekit::kernels::gemm_space(s, kernel_table(), h); }
    static auto untuned(const shape_type& s) { return tunekit::kernels::default_config(s, kernel_table()); }

    template <class Config>
    gemm_operator(const shape_type& s, const Config& c, std::span<const float> a, std::span<const float> b, std::span<float> copy)
        : kernel_(s, tunekit::kernels::gemm_config_of(c), kernel_table()), a_(copy.data()), b_(b.data()), size_(most_output(s))
    {
        std::copy(a.begin(), a.end(), copy.begin());
    }
    [[nodiscard]] std::size_t output_size() const { return size_; }
    void run(float* y) { kernel_.run(a_, b_, y); }
    void unpack(std::span<const float> y, std::span<float> dense) const { std::copy(y.begin(), y.end(), dense.begin()); }

private:
    tunekit::kernels::gemm_kernel kernel_;
    const float* a_;
    const float* b_;
    std::size_t size_;
};

/// A matrix product of few rows; the weights are packed, where the configuration says so, when it is planned.
class dense_operator : public gemm_operator_sizes {
public:
    static auto space(const shape_type& s, tunekit::kernels::hazards) { return tunekit::kernels::dense_space(s, kernel_table()); }
    static auto untuned(const shape_type& s) { return tunekit::kernels::default_dense_config(s, kernel_table()); }

    template <class Config>
    dense_operator(const shape_type& s, const Config& c, std::span<const float> a, std::span<const float> b, std::span<float> copy)
        : kernel_(s, tunekit::kernels::dense_config_of(c), kernel_table(), b), a_(copy.data()), size_(most_output(s))
    {
        std::copy(a.begin(), a.end(), copy.begin());
    }
    [[nodiscard]] std::size_t output_size() const { return size_; }
    void run(float* y) { kernel_.run(a_, y); }
    void unpack(std::span<const float> y, std::span<float> dense) const { std::copy(y.begin(), y.end(), dense.begin()); }

private:
    tunekit::kernels::dense_kernel kernel_;
    const float* a_;
    std::size_t size_;
};

/// The same floats where a vector load of them crosses no cache line.
inline tunekit::kernels::buffer aligned(std::span<const float> from)
{
    tunekit::kernels::buffer out(from.size());
    std::copy(from.begin(), from.end(), out.data());
    return out;
}

/// Owns what every configuration of an operator is run on. Input and output lie in guarded buffers, the output at the end of
/// its, so that the first float written past it is noticed. Keep it where it is: measurers refer to it.
template <class Operator>
class operator_case {
public:
    using shape_type = typename Operator::shape_type;

    explicit operator_case(const shape_type& shape, tunekit::kernels::hazards hazards = tunekit::kernels::hazards::excluded)
        : shape_(shape), space_(Operator::space(shape, hazards)), left_(noise(Operator::left(shape), 1)),
          right_(aligned(noise(Operator::right(shape), 2))), reference_(Operator::reference(shape, left_, right())), input_(left_.size()),
          output_(Operator::most_output(shape)), dense_(reference_.size())
    {
        double largest = 0;
        for (const float r : reference_) largest = (std::max)(largest, std::fabs(static_cast<double>(r)));
        within_ = {.absolute = 1e-4 * largest};
    }
    operator_case(const operator_case&) = delete;
    operator_case& operator=(const operator_case&) = delete;

    [[nodiscard]] const auto& space() const noexcept { return space_; }
    [[nodiscard]] const shape_type& shape() const noexcept { return shape_; }
    [[nodiscard]] std::span<const float> left() const noexcept { return left_; }
    [[nodiscard]] std::span<const float> right() const noexcept { return {right_.data(), right_.size()}; }
    [[nodiscard]] std::span<const float> reference() const noexcept { return reference_; }
    [[nodiscard]] tunekit::index default_index() const
    {
        return index_of(space_, Operator::untuned(shape_)).value();
    }
    [[nodiscard]] std::vector<tunekit::measure::canary> canaries() const { return {output_.canary()}; }

    /// For `timed`: plans, packs, and returns what runs the operator once.
    [[nodiscard]] auto kernel()
    {
        return [this](const auto& config) {
            planned_.reset();
            planned_.emplace(shape_, config, left_, right(), input_.span());
            return [this, y = out().data()] { planned_->run(y); };
        };
    }

    /// For `timed`: poisons the output, then compares it with the reference.
    [[nodiscard]] auto check()
    {
        struct checker {
            operator_case* self;
            void poison() const { tunekit::measure::poison(self->out()); }
            [[nodiscard]] std::optional<std::string> operator()() const
            {
                self->planned_->unpack(self->out(), self->dense_);
                return tunekit::measure::close_to(std::span<const float>(self->dense_), std::span<const float>(self->reference_),
                                                  self->within_);
            }
        };
        return checker{this};
    }

private:
    [[nodiscard]] std::span<float> out() const { return output_.span().last(planned_->output_size()); }

    shape_type shape_;
    decltype(Operator::space(shape_type{}, tunekit::kernels::hazards::excluded)) space_;
    std::vector<float> left_;
    tunekit::kernels::buffer right_;  // may be read where it lies, in the timed run
    std::vector<float> reference_;
    tunekit::measure::guarded_buffer<float> input_, output_;
    std::vector<float> dense_;
    tunekit::measure::tolerance within_;
    std::optional<Operator> planned_;
};

using conv2d_case = operator_case<conv2d_operator>;
using gemm_case = operator_case<gemm_operator>;
using dense_case = operator_case<dense_operator>;

}  // namespace programs
