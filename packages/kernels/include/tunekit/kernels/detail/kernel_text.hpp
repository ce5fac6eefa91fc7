// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Texts of generated kernels: written whole, with names where numbers of a configuration stand.

#include <string>
#include <type_traits>

#include "tunekit/core/text_template.hpp"
#include "tunekit/kernels/shapes.hpp"

namespace tunekit::kernels::detail {

/// Texts and numbers, one after another.
template <class... Parts>
std::string lines(const Parts&... parts)
{
    std::string out;
    const auto put = [&out](const auto& part) {
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(part)>>) {
            out += std::to_string(part);
        } else {
            out += part;
        }
    };
    (put(parts), ...);
    return out;
}

/// The names in a kernel's text, and the numbers and texts that stand for them.
class words : public core::text_values {
public:
    words() : core::text_values("a kernel's text") {}
    /// Those of a convolution's shape, by its fields.
    explicit words(const conv2d_shape& s) : words()
    {
        set("ci co height width oh ow", s.ci, s.co, s.height, s.width, s.oh(), s.ow());
        set("kernel_h kernel_w stride_h stride_w", s.kernel_h, s.kernel_w, s.stride_h, s.stride_w);
        set("padding_h padding_w", s.padding_h, s.padding_w);
    }
};

}  // namespace tunekit::kernels::detail
