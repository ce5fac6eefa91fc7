// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Names of tasks that are shapes of a kernel.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/core/text.hpp"
#include "tunekit/dispatch/results.hpp"
#include "tunekit/processes/files/text.hpp"

namespace tunekit::dispatch {

/// The name of a task that is one shape of a kernel, such as "gemm m=128 n=768 k=768". With such names a log becomes
/// results.
[[nodiscard]] inline std::string task_name(const std::string& kernel, const std::vector<std::string>& sizes,
                                           const shape_sizes& at, std::span<const enumeration> words = {})
{
    return kernel + ' ' + detail::shape_text(sizes, at, words);
}

namespace detail {

/// The kernel and the shape in such a name.
struct named_shape {
    std::string kernel{};              ///< the words before the sizes, with single blanks between
    std::vector<std::string> sizes{};  ///< the names of the sizes, in the order of the text
    shape_sizes at{};                  ///< the sizes, each at least 1
};

/// Reads a task's name: words, then NAME=NUMBER at least once, each number 1 or more, or NAME=WORD for the
/// enumerations. Empty where the name has another form.
[[nodiscard]] inline std::optional<named_shape> named_shape_of(std::string_view name,
                                                               std::span<const enumeration> words = {})
{
    named_shape out;
    for (const std::string_view word : io::words(name)) {
        const std::size_t sign = word.find('=');
        if (sign == std::string_view::npos) {
            if (!out.at.empty()) return std::nullopt;
            out.kernel += (out.kernel.empty() ? "" : " ") + std::string(word);
            continue;
        }
        auto x = core::number<std::int64_t>(word.substr(sign + 1));
        for (const enumeration& e : words) {
            if (e.size != word.substr(0, sign)) continue;
            const auto place = std::find(e.words.begin(), e.words.end(), word.substr(sign + 1));
            if (place == e.words.end()) return std::nullopt;
            x = 1 + (place - e.words.begin());
        }
        if (sign == 0 || !x || *x < 1) return std::nullopt;
        out.sizes.emplace_back(word.substr(0, sign));
        out.at.push_back(*x);
    }
    if (out.kernel.empty() || out.at.empty()) return std::nullopt;
    return out;
}

}  // namespace detail

}  // namespace tunekit::dispatch
