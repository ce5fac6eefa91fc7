// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Depthwise convolutions whose spaces are recorded whole, alone and with the pointwise convolution behind them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/studies/support/convolution_cases.hpp"
#include "tunekit/kernels/depthwise/depthwise.hpp"

namespace programs {

/// The depthwise part of a depthwise-separable convolution in the place of a layer: its kernel on each of its input channels.
[[nodiscard]] inline kernels::conv2d_shape depthwise_of(kernels::conv2d_shape s)
{
    s.groups = s.co = s.ci;
    return s;
}

/// Its pointwise part: from those channels to the layer's outputs.
[[nodiscard]] inline kernels::conv2d_shape pointwise_of(const kernels::conv2d_shape& s)
{
    return {.batch = s.batch, .ci = s.ci, .height = s.oh(), .width = s.ow(), .co = s.co};
}

/// Values of a depthwise kernel with channels in vectors: rows of pixels mr, vectors nv, and how its border is treated.
inline std::vector<tunekit::io::recorded_space::parameter> depthwise_parameters(const kernels::conv2d_shape& s)
{
    return {{"mr", {1, 2, 3, 4, 5, 6, 7, 8}},
            {"nv", {1, 2}},
            {"oh_block", divisors(s.oh(), s.oh())},
            {"pad", {0, 1}},
            {"vl", {kernel_table().lanes}}};
}

/// The configuration with those values, in that order.
[[nodiscard]] inline kernels::depthwise_config depthwise_config_at(const std::vector<std::int64_t>& v)
{
    return {.vectorise = kernels::vectorise_mode::channel,
            .mr = at(v, 0),
            .nv = at(v, 1),
            .vl = at(v, 4),
            .oh_block = at(v, 2),
            .pad = static_cast<kernels::padding_mode>(at(v, 3))};
}

/// A depthwise convolution alone: a space of some hundred configurations at most.
class depthwise_case {
public:
    explicit depthwise_case(const kernels::conv2d_shape& layer) : on_(depthwise_of(layer)) {}

    /// In column order. Blocks of rows are for copies only.
    void describe(tunekit::io::recorded_space& out, bool large) const
    {
        if (large)
            tunekit::invalid("--kind depthwise: its whole space is small, want it without --large, or separable");
        out.constraints = {"pad == 0 or oh_block == 1"};
        out.parameters = depthwise_parameters(on_.shape);
    }

    /// Plans the configuration with those values, in column order.
    void make(const std::vector<std::int64_t>& v) { run_.make(on_, depthwise_config_at(v)); }
    void run() { run_.run(); }

    /// What is wrong with the last result.
    [[nodiscard]] auto check()
    {
        run_.unpack(on_);
        return wrong(on_);
    }

private:
    conv2d_operands on_;
    blocked_run<kernels::depthwise_kernel> run_;
};

/// A depthwise-separable convolution in the place of a layer, as MobileNet has it: the depthwise part writes the blocks of channels
/// that the pointwise part reads, so that one setting of the first, nv, decides the layout of the second.
class separable_case {
public:
    explicit separable_case(const kernels::conv2d_shape& layer)
        : first_(depthwise_of(layer)),
          second_(pointwise_of(layer)),
          weights_(noise(second_.weights(), 3)),
          reference_(kernels::reference_conv2d(second_, first_.reference, weights_)),
          got_(reference_.size())
    {
        if (second_.ci % (2 * kernel_table().lanes) != 0)
            tunekit::invalid("--kind separable: channels are no multiple of two vectors, want a layer such as R6");
    }

    /// In column order: the depthwise part's values, then those of the pointwise one.
    void describe(tunekit::io::recorded_space& out, bool large) const
    {
        out.constraints = {"pad == 0 or oh_block == 1", "oc_block == 1 or oc_block * nv2 * vl <= co"};
        out.parameters = depthwise_parameters(first_.shape);
        const std::vector<std::int64_t> few{4, 8};
        out.parameters.push_back({"mr2", large ? all_rows : few});
        out.parameters.push_back({"nv2", {1, 2, 3, 4}});
        out.parameters.push_back(
            {"oc_block", large ? std::vector<std::int64_t>{1, 2, 4} : std::vector<std::int64_t>{1}});
        out.parameters.push_back({"order", large ? std::vector<std::int64_t>{0, 2} : std::vector<std::int64_t>{2}});
        out.parameters.push_back({"co", {second_.co}});
    }

    /// Plans the configuration with those values, in column order.
    void make(const std::vector<std::int64_t>& v)
    {
        run_.make(first_, depthwise_config_at(v));
        const int block = at(v, 1) * at(v, 4);
        made_.emplace(second_,
                      kernels::conv2d_config{.mr = at(v, 5),
                                             .nv = at(v, 6),
                                             .vl = at(v, 4),
                                             .ku = 4,
                                             .ic_block = block,
                                             .ic_chunk = second_.ci / block,
                                             .oh_block = 1,
                                             .oc_block = at(v, 7),
                                             .order = static_cast<kernels::loop_order>(at(v, 8))},
                      kernel_table(), weights_);
        output_ = kernels::buffer(made_->output_size());
    }
    void run()
    {
        run_.run();
        made_->run(run_.output(), output_.data());
    }

    /// What is wrong with the last result.
    [[nodiscard]] auto check()
    {
        made_->unpack_output({output_.data(), output_.size()}, got_);
        return differs(got_, reference_);
    }

private:
    conv2d_operands first_;
    kernels::conv2d_shape second_;
    std::vector<float> weights_, reference_, got_;
    blocked_run<kernels::depthwise_kernel> run_;
    std::optional<kernels::conv2d_kernel<>> made_;
    kernels::buffer<> output_;
};

}  // namespace programs
