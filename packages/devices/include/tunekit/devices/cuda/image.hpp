// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Compiled CUDA programs: machine code of one architecture, and PTX for other devices.

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace tunekit::measure {

/// A cubin and its PTX. In a file the PTX follows the cubin, and a last line says how long it is. Readers of ELF files ignore
/// what follows one.
struct cuda_image {
    std::string cubin{};  ///< machine code of one architecture, an ELF file
    std::string ptx{};    ///< what the driver of a later device compiles; empty where there is none

    /// The content of a file: cubin, PTX and the line with its length.
    [[nodiscard]] std::string text() const
    {
        char line[line_size + 1];
        std::snprintf(line, sizeof line, "\nptx %016zu\n", ptx.size());
        return cubin + ptx + line;
    }

    /// The image in a file's content. A text without that line is all cubin.
    [[nodiscard]] static cuda_image of(std::string_view text)
    {
        const std::string last(text.substr(text.size() < line_size ? 0 : text.size() - line_size));
        std::size_t size = 0;
        int read = 0;
        const bool ours = std::sscanf(last.c_str(), "\nptx %16zu\n%n", &size, &read) == 1 && read == line_size &&
                          last.size() == line_size && size <= text.size() - line_size;
        if (!ours) return {std::string(text), {}};
        const std::size_t cubin = text.size() - line_size - size;
        return {std::string(text.substr(0, cubin)), std::string(text.substr(cubin, size))};
    }

    friend bool operator==(const cuda_image&, const cuda_image&) = default;

private:
    static constexpr int line_size = 22;
};

}  // namespace tunekit::measure
