// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A kernel whose text, arguments and launches are data: what a file, a script or a shell can say of it.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/devices/detail/kernel_text.hpp"
#include "tunekit/devices/detail/shared_function.hpp"
#include "tunekit/measure/measurement.hpp"
#include "tunekit/measure/verify.hpp"
#include "tunekit/processes/build/device_source.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/expression.hpp"

namespace tunekit::measure {

/// The language of a kernel's text.
enum class kernel_language : std::uint8_t {
    c,       ///< C or C++, for the processor: a function of the host
    opencl,  ///< OpenCL C
    cuda,    ///< CUDA C++
};

/// The name of a language: "C", "OpenCL", "CUDA".
[[nodiscard]] std::string to_text(kernel_language language);

/// The language that a text is written in: CUDA where it has `__global__`, OpenCL where it has `__kernel` or `kernel
/// void`, else C. Comments do not count.
[[nodiscard]] kernel_language language_of(std::string_view text);

/// The type of the elements of an argument.
enum class element_type : std::uint8_t {
    bytes,    ///< of no type: compared byte by byte
    int8,     ///< std::int8_t
    uint8,    ///< std::uint8_t, and truths
    int16,    ///< std::int16_t
    uint16,   ///< std::uint16_t
    int32,    ///< std::int32_t
    uint32,   ///< std::uint32_t
    int64,    ///< std::int64_t
    uint64,   ///< std::uint64_t
    float16,  ///< half precision
    float32,  ///< float
    float64,  ///< double
};

/// The bytes of one element.
[[nodiscard]] std::size_t size_of(element_type type) noexcept;

/// The type with that name, as C, OpenCL, numpy and T1 files write it: "float", "float32", "unsigned int", "uint32".
/// Empty for another.
[[nodiscard]] std::optional<element_type> element_type_of(std::string_view name);

/// An argument of a kernel: an array, or a value.
struct kernel_argument {
    std::string name{};                                  ///< for messages; empty: its position
    element_type type = element_type::bytes;             ///< of its elements
    bool array = true;                                   ///< else it is passed by value
    std::vector<unsigned char> bytes{};                  ///< its content before each comparison, and before timing
    bool changes = true;                                 ///< whether a kernel may write into the array
    std::optional<std::vector<unsigned char>> answer{};  ///< what it should hold after one launch; empty: not compared
    tolerance within{.absolute = 1e-6, .relative = 1e-5};  ///< of that comparison
};

/// A file that the text includes by this name.
struct kernel_header {
    std::string name;  ///< as in `#include "name"`; a relative path
    std::string text;  ///< its content
};

/// Constant memory of a CUDA kernel, filled before each configuration runs.
using kernel_constant = device_source::constant;

/// What is built and launched for one configuration.
struct kernel_instance {
    std::string name;                                           ///< of the function, with its template arguments
    std::string text;                                           ///< without the macros
    std::vector<std::pair<std::string, std::string>> macros{};  ///< defined in front of the text
    std::vector<std::string> flags{};                           ///< of the compiler
    std::array<std::int64_t, 3> grid{1, 1, 1};                  ///< blocks in x, y, z
    std::array<std::int64_t, 3> block{1, 1, 1};                 ///< threads of a block in x, y, z
    std::int64_t shared_bytes = 0;                              ///< dynamic shared memory of a block

    friend bool operator==(const kernel_instance&, const kernel_instance&) = default;
};

/// The arrays of a kernel as they are after the run that was compared, one for each argument; empty for a value. Views.
using kernel_arrays = std::vector<std::span<const unsigned char>>;

/// A kernel as data. In `name`, `macros` and `shared_bytes`, `grid` and `block`, a parameter's name stands for its
/// value; in the first two a whole identifier is replaced by the value's text.
///
///     kernel_problem what{.name = "scale", .text = io::read_text("scale.cl"), .file = "scale.cl"};
///     what.language = language_of(what.text);
///     what.grid[0] = "-(-1000 // block_size_x)";      // rounded up
///     what.block[0] = "block_size_x";
struct kernel_problem {
    kernel_language language = kernel_language::c;  ///< of `text`
    std::string name;                               ///< of the function; C++ and CUDA: any expression that names one
    std::string text;                               ///< the source, whose parameters are macros
    std::string file = "kernel";                    ///< what the compiler's messages call it
    std::vector<kernel_header> headers{};           ///< found before all other files
    std::vector<std::string> flags{};               ///< of the compiler; of C and C++ for compiling and for linking
    /// Macros and their values. Beside the parameters the values may name grid_size_x, grid_size_y, grid_size_z,
    /// block_size_x, block_size_y and block_size_z, the sizes of the launch. Empty: each parameter is a macro.
    std::optional<std::vector<std::pair<std::string, std::string>>> macros{};
    std::vector<kernel_argument> arguments{};         ///< in the order of the function's parameters
    std::vector<kernel_constant> constants{};         ///< CUDA alone
    std::array<std::string, 3> grid{"1", "1", "1"};   ///< blocks: `space::expression`s, rounded up
    std::array<std::string, 3> block{"1", "1", "1"};  ///< threads of a block
    std::string shared_bytes = "0";                   ///< dynamic shared memory of a block; OpenCL: a last argument
    /// Timed launches of each configuration, whose mean is its cost; none is cut short. 0: as many as are needed, and
    /// the slow ones are cut short. A function of C or C++ that returns float or double says its cost itself, which is
    /// not scaled; 0 is 7 there.
    std::uint32_t iterations = 0;
    /// Changes what was made for a configuration, such as a text that is a function of it. Called in this process,
    /// before each build. What it throws makes the configuration `invalid`.
    detail::shared_function<void(index, kernel_instance&)> adjust{};
    /// Looks at what a configuration computed. Called in this process after each that ran and was right so far, before
    /// the next runs; the fault in one line, or empty.
    detail::shared_function<std::optional<std::string>(index, const kernel_arrays&)> verify{};
};

/// Whether the function says its cost itself: one of C or C++ that its text declares to return float or double.
[[nodiscard]] bool says_cost(const kernel_problem& what);

/// What the problem says of one configuration, given by the texts of its values in the order of `names`. `adjust` is
/// not called. Throws std::invalid_argument where an expression has a name that is no parameter, or cannot be
/// evaluated.
[[nodiscard]] kernel_instance instance_of(const kernel_problem& what, std::span<const std::string> names,
                                          std::span<const std::string> values);

}  // namespace tunekit::measure

namespace tunekit::measure {

inline std::string to_text(kernel_language language)
{
    return language == kernel_language::cuda ? "CUDA" : language == kernel_language::opencl ? "OpenCL" : "C";
}

inline kernel_language language_of(std::string_view text)
{
    const std::string code = detail::code_alone(text);
    const auto has = [&](std::string_view word) { return detail::find_word(code, word) != std::string::npos; };
    if (has("__global__")) return kernel_language::cuda;
    if (has("__kernel")) return kernel_language::opencl;
    for (std::size_t at = 0; (at = detail::find_word(code, "kernel", at)) != std::string::npos; ++at) {
        const std::size_t next = code.find_first_not_of(" \t\r\n", at + 6);
        if (next != std::string::npos && detail::find_word(code, "void", next) == next) return kernel_language::opencl;
    }
    return kernel_language::c;
}

inline std::size_t size_of(element_type type) noexcept
{
    constexpr std::size_t sizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
    return sizes[static_cast<std::size_t>(type)];
}

inline std::optional<element_type> element_type_of(std::string_view name)
{
    using enum element_type;
    constexpr std::pair<std::string_view, element_type> names[] = {{"bytes", bytes},         {"char", int8},
                                                                   {"int8", int8},           {"int8_t", int8},
                                                                   {"uchar", uint8},         {"unsigned char", uint8},
                                                                   {"uint8", uint8},         {"uint8_t", uint8},
                                                                   {"bool", uint8},          {"short", int16},
                                                                   {"int16", int16},         {"int16_t", int16},
                                                                   {"ushort", uint16},       {"unsigned short", uint16},
                                                                   {"uint16", uint16},       {"uint16_t", uint16},
                                                                   {"int", int32},           {"int32", int32},
                                                                   {"int32_t", int32},       {"uint", uint32},
                                                                   {"unsigned int", uint32}, {"unsigned", uint32},
                                                                   {"uint32", uint32},       {"uint32_t", uint32},
                                                                   {"long", int64},          {"int64", int64},
                                                                   {"int64_t", int64},       {"long long", int64},
                                                                   {"ulong", uint64},        {"unsigned long", uint64},
                                                                   {"uint64", uint64},       {"uint64_t", uint64},
                                                                   {"size_t", uint64},       {"half", float16},
                                                                   {"float16", float16},     {"float", float32},
                                                                   {"float32", float32},     {"double", float64},
                                                                   {"float64", float64}};
    for (const auto& [text, type] : names)
        if (text == name) return type;
    return std::nullopt;
}

namespace detail {

/// The values of a configuration, by name.
struct named_values {
    std::span<const std::string> names, texts;

    /// The text of a value as a macro has it; empty where there is no such name.
    [[nodiscard]] std::optional<std::string> text_of(std::string_view name) const
    {
        const auto at = std::find(names.begin(), names.end(), name);
        if (at == names.end()) return std::nullopt;
        const std::string& text = texts[static_cast<std::size_t>(at - names.begin())];
        return text == "true" ? "1" : text == "false" ? "0" : text;
    }
    /// What an expression of a launch gives, rounded up. Throws std::invalid_argument.
    [[nodiscard]] std::int64_t size(const std::string& expression) const
    {
        if (const auto plain = core::number<std::int64_t>(expression)) return *plain;
        const space::expression parsed(expression, names, {}, {.what = "kernel_problem: launch"});
        const double x = parsed.value([&](std::size_t k) {
            const std::string text = *text_of(names[k]);
            if (const auto whole = core::number<std::int64_t>(text)) return space::detail::as_number(*whole);
            const auto real = core::number<double>(text);
            require(real.has_value(), std::string("kernel_problem: launch '") + expression + "': the value " + text +
                                          " of '" + names[k] + "' is not a number, want one");
            return space::detail::as_number(*real);
        });
        require(std::fabs(x) < 0x1p53,
                std::string("kernel_problem: launch '") + expression + "' gives " + core::text_of(x) + ", want a size");
        return static_cast<std::int64_t>(std::ceil(x));
    }
};

}  // namespace detail

inline bool says_cost(const kernel_problem& what)
{
    if (what.language != kernel_language::c) return false;
    const auto read = detail::signature_of(detail::code_alone(what.text), detail::function_name(what.name));
    return read && read->says_cost();
}

inline kernel_instance instance_of(const kernel_problem& what, std::span<const std::string> names,
                                   std::span<const std::string> values)
{
    const detail::named_values of{names, values};
    kernel_instance out{.name = {}, .text = what.text, .flags = what.flags};
    out.name = detail::with_identifiers(what.name, [&](std::string_view word) { return of.text_of(word); });
    for (std::size_t k = 0; k < 3; ++k) {
        out.grid[k] = of.size(what.grid[k]);
        out.block[k] = of.size(what.block[k]);
    }
    out.shared_bytes = of.size(what.shared_bytes);
    if (!what.macros) {
        for (const std::string& name : names) out.macros.emplace_back(name, *of.text_of(name));
        return out;
    }
    const auto value_of = [&](std::string_view word) -> std::optional<std::string> {
        for (const auto& [sizes, begin] : {std::pair{&out.grid, "grid_size_"}, std::pair{&out.block, "block_size_"}})
            for (std::size_t k = 0; k < 3; ++k)
                if (word == std::string(begin) + "xyz"[k]) return std::to_string((*sizes)[k]);
        return of.text_of(word);
    };
    for (const auto& [name, value] : *what.macros)
        out.macros.emplace_back(name, detail::with_identifiers(value, value_of));
    return out;
}

}  // namespace tunekit::measure
