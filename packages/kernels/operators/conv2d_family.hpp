// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Convolutions of many shapes over one space: what a library of convolutions is tuned with.

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "packages/kernels/operators/any_conv2d_operators.hpp"
#include "tunekit/kernels/conv2d/family.hpp"
#include "tunekit/kernels/workloads.hpp"

namespace programs {

/// The 44 convolutions of ResNet-18, VGG-16, AlexNet and SqueezeNet 1.1, each shape once.
inline std::vector<tunekit::kernels::conv2d_shape> conv2d_family()
{
    std::vector<tunekit::kernels::conv2d_shape> out;
    for (const char* const name : {"resnet18", "vgg16", "alexnet", "squeezenet"})
        for (const auto& l : tunekit::kernels::find_network(name)->convolutions)
            if (std::find(out.begin(), out.end(), l.shape) == out.end()) out.push_back(l.shape);
    return out;
}

/// 52 convolutions to learn from, none of them in `conv2d_family`: of ResNet-50 and of GoogLeNet at 224 x 224, and first layers
/// and large images as other networks have them.
/// Source: He, Zhang, Ren, Sun (2016), Deep Residual Learning for Image Recognition, CVPR, table 1; Szegedy et al. (2015), Going
///         Deeper with Convolutions, CVPR, table 1.
inline std::vector<tunekit::kernels::conv2d_shape> conv2d_training_family()
{
    using row = std::array<int, 6>;  // ci, size, co, kernel, stride, padding
    std::vector<tunekit::kernels::conv2d_shape> out;
    for (const auto& [ci, size, co, kernel, stride, padding] :
         {row{64, 56, 256, 1, 1, 0},   row{256, 56, 64, 1, 1, 0},   row{256, 56, 128, 1, 1, 0},
          row{128, 56, 128, 3, 2, 1},  row{128, 28, 512, 1, 1, 0},  row{512, 28, 128, 1, 1, 0},
          row{256, 56, 512, 1, 2, 0},  row{256, 28, 256, 3, 2, 1},  row{256, 14, 1024, 1, 1, 0},
          row{1024, 14, 256, 1, 1, 0}, row{512, 28, 1024, 1, 2, 0}, row{512, 14, 512, 3, 2, 1},
          row{512, 7, 2048, 1, 1, 0},  row{2048, 7, 512, 1, 1, 0},  row{1024, 14, 2048, 1, 2, 0},
          row{64, 56, 192, 3, 1, 1},   row{192, 28, 64, 1, 1, 0},   row{192, 28, 96, 1, 1, 0},
          row{96, 28, 128, 3, 1, 1},   row{192, 28, 16, 1, 1, 0},   row{16, 28, 32, 5, 1, 2},
          row{256, 28, 128, 1, 1, 0},  row{128, 28, 192, 3, 1, 1},  row{256, 28, 32, 1, 1, 0},
          row{32, 28, 96, 5, 1, 2},    row{480, 14, 192, 1, 1, 0},  row{480, 14, 16, 1, 1, 0},
          row{96, 14, 208, 3, 1, 1},   row{16, 14, 48, 5, 1, 2},    row{512, 14, 160, 1, 1, 0},
          row{112, 14, 224, 3, 1, 1},  row{512, 14, 24, 1, 1, 0},   row{24, 14, 64, 5, 1, 2},
          row{512, 14, 64, 1, 1, 0},   row{144, 14, 288, 3, 1, 1},  row{160, 14, 320, 3, 1, 1},
          row{32, 14, 128, 5, 1, 2},   row{832, 7, 256, 1, 1, 0},   row{832, 7, 32, 1, 1, 0},
          row{160, 7, 320, 3, 1, 1},   row{32, 7, 128, 5, 1, 2},    row{832, 7, 384, 1, 1, 0},
          row{192, 7, 384, 3, 1, 1},   row{48, 7, 128, 5, 1, 2},    row{3, 160, 32, 3, 2, 1},
          row{3, 128, 48, 7, 2, 3},    row{3, 112, 32, 3, 1, 1},    row{32, 112, 64, 3, 1, 1},
          row{64, 112, 64, 3, 1, 1},   row{32, 160, 32, 1, 1, 0},   row{64, 80, 96, 1, 2, 0},
          row{48, 56, 64, 3, 2, 1}})
        out.push_back(tunekit::kernels::square_conv2d(ci, size, co, kernel, stride, padding));
    return out;
}

/// A convolution from and to plain NCHW whose configurations are those of the family.
class family_conv2d_operator : public any_nchw_operator {
public:
    static auto space(const shape_type&, tunekit::kernels::hazards)
    {
        return tunekit::kernels::conv2d_family_space(kernel_table());
    }
    static auto untuned(const shape_type& s)
    {
        return tunekit::kernels::default_config<tunekit::kernels::conv2d_family_config>(s, kernel_table());
    }

    template <class Config>
    family_conv2d_operator(const shape_type& s, const Config& c, std::span<const float> x, std::span<const float> w,
                           std::span<float> copy)
        : any_nchw_operator(s, tunekit::kernels::config_of<tunekit::kernels::conv2d_family_config>(c).for_shape(s), x,
                            w, copy)
    {
    }
};

}  // namespace programs
