// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Convolutions whose spaces are recorded whole: what each space holds, and how a configuration of it is run and checked.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/studies/support/space_values.hpp"
#include "packages/kernels/operators/noise.hpp"
#include "packages/kernels/table/kernel_table.hpp"
#include "tunekit/formats/recorded_space.hpp"
#include "tunekit/kernels/conv2d/blocked.hpp"
#include "tunekit/kernels/conv2d/nchw.hpp"
#include "tunekit/kernels/conv2d/space.hpp"
#include "tunekit/kernels/depthwise/depthwise.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/kernels/winograd/blocked.hpp"

namespace programs {

namespace kernels = tunekit::kernels;

/// A convolution's operands, what it must give, and where a kernel writes.
struct conv2d_operands {
    explicit conv2d_operands(const kernels::conv2d_shape& s)
        : shape(s),
          x(noise(s.inputs(), 1)),
          weights(noise(s.weights(), 2)),
          reference(kernels::reference_conv2d(s, x, weights)),
          got(reference.size())
    {
    }

    kernels::conv2d_shape shape;
    std::vector<float> x, weights, reference, got;
};

/// A kernel in layouts of its own, with its operands there: made anew for each configuration.
template <class Kernel>
class blocked_run {
public:
    /// Plans it and converts the input.
    template <class Config>
    void make(const conv2d_operands& on, const Config& config)
    {
        made_.emplace(on.shape, config, kernel_table(), on.weights);
        input_ = kernels::buffer(made_->input_size());
        output_ = kernels::buffer(made_->output_size());
        made_->pack_input(on.x, {input_.data(), input_.size()});
    }
    void run() { made_->run(input_.data(), output_.data()); }
    /// The elements that it holds beside its operands.
    [[nodiscard]] std::size_t scratch_size() const { return made_->scratch_size(); }
    /// Where it writes.
    [[nodiscard]] const float* output() const { return output_.data(); }
    /// Converts the output into `to.got`.
    void unpack(conv2d_operands& to) { made_->unpack_output({output_.data(), output_.size()}, to.got); }

private:
    std::optional<Kernel> made_;
    kernels::buffer<> input_, output_;
};

/// What differs from the reference, by more than 1e-4 of its largest element.
inline auto wrong(const conv2d_operands& on) { return differs(on.got, on.reference); }

/// One convolution in blocked layouts, and a part of its space.
class conv2d_case {
public:
    explicit conv2d_case(const kernels::conv2d_shape& shape) : on_(shape) {}

    /// In column order; co and vl have one value: they are there for the constraint.
    void describe(tunekit::io::recorded_space& out, bool large) const
    {
        out.constraints = {"oc_block == 1 or oc_block * nv * vl <= co"};
        const auto& s = on_.shape;
        if (large) {
            out.parameters = {{"mr", all_rows},
                              {"nv", {1, 2, 3, 4}},
                              {"ic_block", divisors(s.ci, 64)},
                              {"oh_block", divisors(s.oh(), s.oh())},
                              {"oc_block", {1, 2, 3, 4, 6, 8}},
                              {"order", {0, 1, 2}},
                              {"edge", {0, 1}},
                              {"co", {s.co}},
                              {"vl", {kernel_table().lanes}}};
            return;
        }
        std::vector<std::int64_t> blocks;
        for (const std::int64_t b : {1, 4, 16, 64})
            if (s.ci % b == 0) blocks.push_back(b);
        out.parameters = {{"mr", some_rows},         {"nv", {1, 2, 3, 4}},    {"ic_block", blocks},
                          {"oh_block", {1, s.oh()}}, {"oc_block", {1, 2, 4}}, {"order", {0, 1, 2}},
                          {"edge", {0, 1}},          {"co", {s.co}},          {"vl", {kernel_table().lanes}}};
    }

    /// Plans the configuration with those values, in column order.
    void make(const std::vector<std::int64_t>& v)
    {
        const auto& s = on_.shape;
        const auto pad = kernels::default_config(s, kernel_table()).pad;
        run_.make(on_, kernels::conv2d_config{.mr = at(v, 0),
                                              .nv = at(v, 1),
                                              .vl = at(v, 8),
                                              .ku = 4,
                                              .ic_block = at(v, 2),
                                              .ic_chunk = s.ci / at(v, 2),
                                              .oh_block = at(v, 3),
                                              .oc_block = at(v, 4),
                                              .order = static_cast<kernels::loop_order>(at(v, 5)),
                                              .pad = pad,
                                              .edge = static_cast<kernels::edge_mode>(at(v, 6))});
    }
    void run() { run_.run(); }
    [[nodiscard]] std::size_t scratch_size() const { return run_.scratch_size(); }

    /// What is wrong with the last result.
    [[nodiscard]] auto check()
    {
        run_.unpack(on_);
        return wrong(on_);
    }

private:
    conv2d_operands on_;
    blocked_run<kernels::conv2d_kernel<>> run_;
};

/// The same by Winograd's minimal filtering, tiles of 2 to 7 outputs.
class winograd_case {
public:
    /// Throws std::invalid_argument where the convolution is not 3 x 3 without stride.
    explicit winograd_case(const kernels::conv2d_shape& shape) : on_(shape)
    {
        if (!shape.fits_winograd())
            tunekit::invalid("--kind winograd: the layer is not 3 x 3 without stride, want one such as S16");
    }

    /// In column order; input channels are in blocks of whole vectors, as many as divide them.
    void describe(tunekit::io::recorded_space& out, bool large) const
    {
        const std::int64_t vl = kernel_table().lanes, block = on_.shape.ci % vl == 0 ? vl : 1;
        const std::vector<std::int64_t> tiles{2, 3, 4, 5, 6, 7}, few{2, 4, 6};
        out.parameters = {{"tile_h", large ? tiles : few},
                          {"tile_w", large ? tiles : few},
                          {"mr", {1, 2, 3, 4, 6, 8}},
                          {"nv", {1, 2, 3, 4}},
                          {"tile_block", {4, 8, 16, 64}},
                          {"oc_block", {1, 2, 4}},
                          {"layout", {0, 1}},
                          {"ic_block", {block}},
                          {"vl", {vl}}};
    }

    /// Plans the configuration with those values, in column order.
    void make(const std::vector<std::int64_t>& v)
    {
        run_.make(on_, kernels::winograd_config{.tile_h = at(v, 0),
                                                .tile_w = at(v, 1),
                                                .mr = at(v, 2),
                                                .nv = at(v, 3),
                                                .vl = at(v, 8),
                                                .ku = 4,
                                                .ic_block = at(v, 7),
                                                .ic_chunk = on_.shape.ci / at(v, 7),
                                                .tile_block = at(v, 4),
                                                .oc_block = at(v, 5),
                                                .layout = static_cast<kernels::winograd_config::products>(at(v, 6))});
    }
    void run() { run_.run(); }
    [[nodiscard]] std::size_t scratch_size() const { return run_.scratch_size(); }

    /// What is wrong with the last result.
    [[nodiscard]] auto check()
    {
        run_.unpack(on_);
        return wrong(on_);
    }

private:
    conv2d_operands on_;
    blocked_run<kernels::winograd_kernel> run_;
};

/// The same from and to plain NCHW, with channels or pixels in vectors.
class nchw_case {
public:
    explicit nchw_case(const kernels::conv2d_shape& shape) : on_(shape) {}

    /// In column order. No vector of pixels lies wholly beyond the row; ow and vl have one value, for that constraint.
    void describe(tunekit::io::recorded_space& out, bool large) const
    {
        const auto& s = on_.shape;
        out.constraints = {"vectorise == 0 or (nv - 1) * vl < ow"};
        out.parameters = {{"vectorise", {0, 1}},
                          {"mr", large ? all_rows : some_rows},
                          {"nv", {1, 2, 3, 4}},
                          {"ic_block", divisors(s.ci, large ? 64 : 4)},
                          {"oh_block", divisors(s.oh(), s.oh())},
                          {"oc_block", large ? std::vector<std::int64_t>{1, 2, 4, 8} : std::vector<std::int64_t>{1, 4}},
                          {"order", {0, 1, 2}},
                          {"pad", {0, 1}},
                          {"ow", {s.ow()}},
                          {"vl", {kernel_table().lanes}}};
    }

    /// Plans the configuration with those values, in column order.
    void make(const std::vector<std::int64_t>& v)
    {
        made_.emplace(on_.shape,
                      kernels::nchw_config{.vectorise = at(v, 0) == 0 ? kernels::vectorise_mode::channel
                                                                      : kernels::vectorise_mode::pixel,
                                           .mr = at(v, 1),
                                           .nv = at(v, 2),
                                           .vl = at(v, 9),
                                           .ku = 4,
                                           .ic_block = at(v, 3),
                                           .ic_chunk = on_.shape.ci / at(v, 3),
                                           .oh_block = at(v, 4),
                                           .oc_block = at(v, 5),
                                           .order = static_cast<kernels::loop_order>(at(v, 6)),
                                           .pad = static_cast<kernels::padding_mode>(at(v, 7))},
                      kernel_table(), on_.weights);
    }
    void run() { made_->run(on_.x.data(), on_.got.data()); }
    [[nodiscard]] std::size_t scratch_size() const { return made_->scratch_size(); }

    /// What is wrong with the last result.
    [[nodiscard]] auto check() { return wrong(on_); }

private:
    conv2d_operands on_;
    std::optional<kernels::nchw_kernel> made_;
};

}  // namespace programs
