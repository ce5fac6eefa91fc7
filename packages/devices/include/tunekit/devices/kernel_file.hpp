// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Kernels in files of OpenCL C or CUDA C++, whose parameters are macros.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/build/device_source.hpp"
#include "tunekit/processes/build/source_template.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::measure {

/// The parameters of a space as macros: a function of a configuration that gives a line `#define NAME VALUE` for each,
/// as the compiler's option -DNAME=VALUE would. `true` and `false` become 1 and 0; every other value is its text.
///
///     const auto defines = measure::macros(space);
///     defines(space.at(0));                                  // "#define tile 8\n#define unrolled 1\n"
///
/// Errors: std::invalid_argument for a parameter whose name is no identifier.
template <space::typed Space>
[[nodiscard]] auto macros(const Space& space)
{
    const auto listed = space.names();
    const std::vector<std::string> names(listed.begin(), listed.end());
    for (const std::string& n : names) {
        const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
        const auto inside = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
        require(!n.empty() && letter(n.front()) && std::all_of(n.begin(), n.end(), inside),
                "macros: the parameter '" + n + "' is not an identifier, want one of letters, digits and _");
    }
    return [space, names](const auto& config) {
        const auto texts = space.texts(space.index_of(config).value());
        std::string out;
        for (std::size_t j = 0; j < names.size(); ++j)
            out += "#define " + names[j] + ' ' +
                   (texts[j] == "true"    ? "1"
                    : texts[j] == "false" ? "0"
                                          : texts[j]) +
                   '\n';
        return out;
    };
}

/// A template whose configurations are one file, each with the space's `macros` in front. `launches` gives the launches
/// of a configuration, a std::vector<device_source::launch>. The compiler's messages name the file and its lines.
///
///     const auto program = measure::kernel_file("transpose.cl", space, [](const auto& c) {
///         const int tile = tk::get<"tile">(c);
///         return std::vector<tk::measure::device_source::launch>{{.entry = "transpose", .grid = {n / tile, n / tile}, .block = {tile, tile}}};
///     });
///
/// The file is read once, here. Errors: those of `macros`; tunekit::error where the file cannot be read.
template <space::typed Space, class Launches>
[[nodiscard]] auto kernel_file(const std::string& path, const Space& space, Launches launches)
{
    std::string quoted;
    for (const char c : path) quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
    return source_template{space, [defines = macros(space), text = "#line 1 \"" + quoted + "\"\n" + io::read_text(path),
                                   launches = std::move(launches)](const auto& config) {
                               return device_source{
                                   .prologue = defines(config), .text = text, .launches = launches(config)};
                           }};
}

}  // namespace tunekit::measure
