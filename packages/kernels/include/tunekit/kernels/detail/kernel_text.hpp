// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Texts of generated kernels: written whole, with names where numbers of a configuration stand.

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

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
class words {
public:
    words() = default;
    /// Those of a convolution's shape, by its fields.
    explicit words(const conv2d_shape& s)
    {
        set("ci co height width oh ow", s.ci, s.co, s.height, s.width, s.oh(), s.ow());
        set("kernel_h kernel_w stride_h stride_w", s.kernel_h, s.kernel_w, s.stride_h, s.stride_w);
        set("padding_h padding_w", s.padding_h, s.padding_w);
    }

    /// Adds names, which blanks separate, and the value of each.
    template <class... Values>
    words& set(std::string_view names, const Values&... values)
    {
        (values_.push_back(lines(values)), ...);
        for (std::size_t end = 0; end != names.npos; names.remove_prefix((std::min)(end, names.size() - 1) + 1)) {
            end = names.find(' ');
            names_.emplace_back(names.substr(0, end));
        }
        if (names_.size() != values_.size()) throw std::logic_error("tunekit: words: a name without its value");
        return *this;
    }

    /// The text with each `{name}` replaced by the value of that name.
    [[nodiscard]] std::string in(std::string_view text) const
    {
        return core::text_template(text, names_, "a kernel's text").filled(values_);
    }

private:
    std::vector<std::string> names_, values_;
};

}  // namespace tunekit::kernels::detail
