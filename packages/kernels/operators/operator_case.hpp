// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One operator to be timed and checked: data, reference, and the kernel that a configuration makes of it.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "packages/kernels/operators/noise.hpp"
#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/config.hpp"
#include "tunekit/measure/verify.hpp"
#include "tunekit/processes/guarded_buffer.hpp"
#include "tunekit/space/concepts.hpp"

namespace programs {

/// The same floats where a vector load of them crosses no cache line.
inline tunekit::kernels::buffer<> aligned(std::span<const float> from)
{
    tunekit::kernels::buffer<> out(from.size());
    std::copy(from.begin(), from.end(), out.data());
    return out;
}

/// What all configurations of an operator have in common: shape, space, operands, and the result that they lead to.
template <class Operator>
struct operator_data {
    using shape_type = typename Operator::shape_type;

    shape_type shape;
    decltype(Operator::space(shape_type{}, tunekit::kernels::hazards::excluded)) space;
    std::vector<float> left;
    tunekit::kernels::buffer<> right;  // may be read where it lies, in the timed run
    std::vector<float> reference;
    tunekit::measure::tolerance within;

    explicit operator_data(const shape_type& of, tunekit::kernels::hazards hazards)
        : shape(of),
          space(Operator::space(of, hazards)),
          left(noise(Operator::left(of), 1)),
          right(aligned(noise(Operator::right(of), 2))),
          reference(Operator::reference(of, left, {right.data(), right.size()}))
    {
        double largest = 0;
        for (const float r : reference) largest = (std::max)(largest, std::fabs(static_cast<double>(r)));
        within = {.absolute = 1e-4 * largest};
    }
};

/// Owns what the configurations of an operator are run on. Input and output lie in guarded buffers, the output at the end of
/// its, so that the first float written past it is noticed. Keep it where it is: measurers refer to it.
template <class Operator>
class operator_case {
public:
    using shape_type = typename Operator::shape_type;

    explicit operator_case(const shape_type& shape,
                           tunekit::kernels::hazards hazards = tunekit::kernels::hazards::excluded)
        : operator_case(std::make_shared<const operator_data<Operator>>(shape, hazards))
    {
    }
    /// One more on the same data, with buffers of its own: for another worker.
    explicit operator_case(std::shared_ptr<const operator_data<Operator>> data)
        : data_(std::move(data)),
          input_(data_->left.size()),
          output_(Operator::max_output(data_->shape)),
          dense_(data_->reference.size())
    {
    }
    operator_case(const operator_case&) = delete;
    operator_case& operator=(const operator_case&) = delete;

    [[nodiscard]] const auto& space() const noexcept { return data_->space; }
    [[nodiscard]] const shape_type& shape() const noexcept { return data_->shape; }
    [[nodiscard]] std::span<const float> left() const noexcept { return data_->left; }
    [[nodiscard]] std::span<const float> right() const noexcept { return {data_->right.data(), data_->right.size()}; }
    [[nodiscard]] std::span<const float> reference() const noexcept { return data_->reference; }
    [[nodiscard]] const std::shared_ptr<const operator_data<Operator>>& data() const noexcept { return data_; }
    [[nodiscard]] tunekit::index default_index() const { return index_of(space(), Operator::untuned(shape())).value(); }
    [[nodiscard]] std::vector<tunekit::measure::canary> canaries() const { return {output_.canary()}; }

    /// For `timed`: plans, packs, and returns what runs the operator once.
    [[nodiscard]] auto kernel()
    {
        return [this](const auto& config) {
            planned_.reset();
            planned_.emplace(shape(), config, left(), right(), input_.span());
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
                return tunekit::measure::close_to(std::span<const float>(self->dense_), self->reference(),
                                                  self->data_->within);
            }
        };
        return checker{this};
    }

private:
    [[nodiscard]] std::span<float> out() const { return output_.span().last(planned_->output_size()); }

    std::shared_ptr<const operator_data<Operator>> data_;
    tunekit::measure::guarded_buffer<float> input_, output_;
    std::vector<float> dense_;
    std::optional<Operator> planned_;
};

}  // namespace programs
