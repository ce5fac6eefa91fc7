// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Templates: a space whose configurations are programs.

#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

#include "tunekit/space/concepts.hpp"

namespace tunekit::measure {

/// The source that is compiled for one configuration. Its text needs no header: vector extensions and builtins are
/// enough.
struct source {
    std::string text;                  ///< C++, or what the builder compiles
    std::string compiler{};            ///< one of builder::options::compilers, as written there; empty: the first
    std::vector<std::string> flags{};  ///< they stand after the builder's own, so they override them
    std::vector<std::string> names{};  ///< CUDA: expressions that name kernels, such as "scale<float, 4>"

    friend bool operator==(const source&, const source&) = default;
};

/// A space, the source of each of its configurations, and the name of the function in it.
///
///     const source_template scale{space, [](const auto& c) {
///         return "extern \"C\" void scale(float* x) { for (int i = 0; i < 64; ++i) x[i] *= " +
///                std::to_string(tk::get<"factor">(c)) + "; }";
///     }, "scale"};
///
/// `text(config)` gives std::string; or `source`, where compiler or flags belong to the configuration; or a type whose
/// `whole()` is the text, such as `device_source`. Equal configurations give equal text. The source defines the
/// function `entry` as `extern "C"`, includes nothing, and has no object that needs construction. An exception from
/// `text` makes the configuration invalid.
template <space::typed Space, class Text>
struct source_template {
    Space space;                   ///< the space whose configurations are built
    Text text;                     ///< called as `text(config)`; gives the source
    std::string entry = "kernel";  ///< name of the `extern "C"` function that the source defines

    /// The source of a configuration, whichever form `text` has. Throws what `text` throws.
    template <class Config>
    [[nodiscard]] source source_of(const Config& config) const
    {
        static_assert(std::invocable<const Text&, const Config&>,
                      "tunekit: source_template, part 2: want a function of a configuration that gives its source");
        if constexpr (std::convertible_to<std::invoke_result_t<const Text&, const Config&>, source>) {
            return text(config);
        } else if constexpr (requires(std::invoke_result_t<const Text&, const Config&> parts) { parts.whole(); }) {
            return source{.text = text(config).whole()};
        } else {
            return source{.text = text(config)};
        }
    }
};

template <class S, class T>
source_template(S, T) -> source_template<S, T>;
template <class S, class T, class N>
source_template(S, T, N) -> source_template<S, T>;

}  // namespace tunekit::measure
