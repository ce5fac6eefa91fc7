// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The operators of known networks, as workloads for a tuner.

#include <array>
#include <span>
#include <string_view>

#include "tunekit/kernels/shapes.hpp"

namespace tunekit::kernels {

/// One operator of a network and how often an inference calls it.
template <class Shape>
struct layer {
    std::string_view name;  ///< in the paper or the model
    Shape shape;            ///< of one call
    int times = 1;          ///< calls per inference
};

namespace detail {

/// ResNet-18 at 224 x 224 in its pre-activation form, whose first stage has the 1 x 1 shortcut R3.
/// Source: He, Zhang, Ren, Sun (2016), Identity Mappings in Deep Residual Networks, ECCV; shapes as TVM's test model
/// has them.
inline constexpr std::array<layer<conv2d_shape>, 12> resnet18{{
    {"R1", square_conv2d(3, 224, 64, 7, 2, 3), 1},
    {"R2", square_conv2d(64, 56, 64, 3, 1, 1), 4},
    {"R3", square_conv2d(64, 56, 64, 1, 1, 0), 1},
    {"R4", square_conv2d(64, 56, 128, 3, 2, 1), 1},
    {"R5", square_conv2d(64, 56, 128, 1, 2, 0), 1},
    {"R6", square_conv2d(128, 28, 128, 3, 1, 1), 3},
    {"R7", square_conv2d(128, 28, 256, 3, 2, 1), 1},
    {"R8", square_conv2d(128, 28, 256, 1, 2, 0), 1},
    {"R9", square_conv2d(256, 14, 256, 3, 1, 1), 3},
    {"R10", square_conv2d(256, 14, 512, 3, 2, 1), 1},
    {"R11", square_conv2d(256, 14, 512, 1, 2, 0), 1},
    {"R12", square_conv2d(512, 7, 512, 3, 1, 1), 3},
}};

/// The convolutions of VGG-16 at 224 x 224.
/// Source: Simonyan, Zisserman (2015), Very Deep Convolutional Networks for Large-Scale Image Recognition, ICLR, table
/// 1 D.
inline constexpr std::array<layer<conv2d_shape>, 9> vgg16{{
    {"V1", square_conv2d(3, 224, 64, 3, 1, 1), 1},
    {"V2", square_conv2d(64, 224, 64, 3, 1, 1), 1},
    {"V3", square_conv2d(64, 112, 128, 3, 1, 1), 1},
    {"V4", square_conv2d(128, 112, 128, 3, 1, 1), 1},
    {"V5", square_conv2d(128, 56, 256, 3, 1, 1), 1},
    {"V6", square_conv2d(256, 56, 256, 3, 1, 1), 2},
    {"V7", square_conv2d(256, 28, 512, 3, 1, 1), 1},
    {"V8", square_conv2d(512, 28, 512, 3, 1, 1), 2},
    {"V9", square_conv2d(512, 14, 512, 3, 1, 1), 3},
}};

/// The convolutions of AlexNet at 224 x 224, in the variant with one tower.
/// Source: Krizhevsky (2014), One weird trick for parallelizing convolutional neural networks, arXiv:1404.5997.
inline constexpr std::array<layer<conv2d_shape>, 5> alexnet{{
    {"A1", square_conv2d(3, 224, 64, 11, 4, 2), 1},
    {"A2", square_conv2d(64, 27, 192, 5, 1, 2), 1},
    {"A3", square_conv2d(192, 13, 384, 3, 1, 1), 1},
    {"A4", square_conv2d(384, 13, 256, 3, 1, 1), 1},
    {"A5", square_conv2d(256, 13, 256, 3, 1, 1), 1},
}};

/// The convolutions of SqueezeNet 1.1 at 224 x 224. The first one is padded by 1, and pooling is rounded down.
/// Source: Iandola et al. (2016), SqueezeNet, arXiv:1602.07360, release 1.1; padding as in TVM's model.
inline constexpr std::array<layer<conv2d_shape>, 18> squeezenet{{
    {"S1", square_conv2d(3, 224, 64, 3, 2, 1), 1},
    {"S2", square_conv2d(64, 55, 16, 1, 1, 0), 1},
    {"S3", square_conv2d(16, 55, 64, 1, 1, 0), 2},
    {"S4", square_conv2d(16, 55, 64, 3, 1, 1), 2},
    {"S5", square_conv2d(128, 55, 16, 1, 1, 0), 1},
    {"S6", square_conv2d(128, 27, 32, 1, 1, 0), 1},
    {"S7", square_conv2d(32, 27, 128, 1, 1, 0), 2},
    {"S8", square_conv2d(32, 27, 128, 3, 1, 1), 2},
    {"S9", square_conv2d(256, 27, 32, 1, 1, 0), 1},
    {"S10", square_conv2d(256, 13, 48, 1, 1, 0), 1},
    {"S11", square_conv2d(48, 13, 192, 1, 1, 0), 2},
    {"S12", square_conv2d(48, 13, 192, 3, 1, 1), 2},
    {"S13", square_conv2d(384, 13, 48, 1, 1, 0), 1},
    {"S14", square_conv2d(384, 13, 64, 1, 1, 0), 1},
    {"S15", square_conv2d(64, 13, 256, 1, 1, 0), 2},
    {"S16", square_conv2d(64, 13, 256, 3, 1, 1), 2},
    {"S17", square_conv2d(512, 13, 64, 1, 1, 0), 1},
    {"S18", square_conv2d(512, 13, 1000, 1, 1, 0), 1},
}};

/// The matrix products of a transformer encoder of `layers` blocks: width d, heads of width 64, sequence length s,
/// feed-forward width 4 d, the projections to queries, keys and values fused.
/// One block costs 24 s d^2 + 4 s^2 d FLOP.
/// Source: Vaswani et al. (2017), Attention Is All You Need, NeurIPS, section 3.
[[nodiscard]] constexpr std::array<layer<gemm_shape>, 6> transformer_encoder(int d, int s, int layers) noexcept
{
    const int heads = d / 64;
    return {{
        {"QKV", {.m = s, .n = 3 * d, .k = d}, layers},
        {"QK^T", {.batch = heads, .m = s, .n = s, .k = 64}, layers},
        {"AV", {.batch = heads, .m = s, .n = 64, .k = s}, layers},
        {"Out", {.m = s, .n = d, .k = d}, layers},
        {"FF1", {.m = s, .n = 4 * d, .k = d}, layers},
        {"FF2", {.m = s, .n = d, .k = 4 * d}, layers},
    }};
}

inline constexpr std::array<layer<gemm_shape>, 6> transformer =
    transformer_encoder(512, 128, 6);  ///< the paper's base model
inline constexpr std::array<layer<gemm_shape>, 6> bert_base =
    transformer_encoder(768, 128, 12);  ///< Devlin et al. (2019)

}  // namespace detail

/// A network by name: its convolutions, its matrix products, or both.
struct network {
    std::string_view name;                              ///< as programs know it
    std::span<const layer<conv2d_shape>> convolutions;  ///< none in a transformer
    std::span<const layer<gemm_shape>> products;        ///< none in a network of convolutions
};

/// The networks that programs know by name.
inline constexpr std::array<network, 6> networks{{
    {"resnet18", detail::resnet18, {}},
    {"vgg16", detail::vgg16, {}},
    {"alexnet", detail::alexnet, {}},
    {"squeezenet", detail::squeezenet, {}},
    {"transformer", {}, detail::transformer},
    {"bert", {}, detail::bert_base},
}};

/// The network of that name, or nullptr.
[[nodiscard]] constexpr const network* find_network(std::string_view name) noexcept
{
    for (const auto& n : networks) {
        if (n.name == name) return &n;
    }
    return nullptr;
}

}  // namespace tunekit::kernels
