// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A kernel whose text, arguments and launches are data: what a file, a script or a shell can say of it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/measure/measurement.hpp"
#include "tunekit/measure/verify.hpp"

namespace tunekit::measure {

/// The language of a kernel's text.
enum class kernel_language : std::uint8_t {
    c,       ///< C or C++, for the processor: a function of the host
    opencl,  ///< OpenCL C
    cuda,    ///< CUDA C++
};

/// The name of a language: "C", "OpenCL", "CUDA".
[[nodiscard]] const char* to_text(kernel_language language) noexcept;

/// The language that a text is written in: CUDA where it has `__global__`, OpenCL where it has `__kernel` or `kernel
/// void`, else C. Comments do not count.
[[nodiscard]] kernel_language language_of(std::string_view text);

/// The type of the elements of an argument.
enum class element_type : std::uint8_t {
    bytes,  ///< of no type: compared byte by byte
    int8,
    uint8,
    int16,
    uint16,
    int32,
    uint32,
    int64,
    uint64,
    float16,
    float32,
    float64,
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
struct kernel_constant {
    std::string symbol;                ///< the name of the `__constant__` variable
    std::vector<unsigned char> bytes;  ///< its content
};

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
///     what.arguments = {...};
///     what.grid[0] = "-(-1000 // block_size_x)";      // rounded up
///     what.block[0] = "block_size_x";
///     kernel_pool pool(what, space);
///     auto found = tune(space, pool, recipes::combined(), {.seconds = 60}, gen);
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
    /// not scaled.
    std::uint32_t iterations = 0;
    /// Changes what was made for a configuration, such as a text that is a function of it. Called in this process,
    /// once for each. What it throws makes the configuration `invalid`.
    std::function<void(index, kernel_instance&)> adjust{};
    /// Looks at what a configuration computed. Called in this process after each that ran and was right so far, before
    /// the next runs; the fault in one line, or empty.
    std::function<std::optional<std::string>(index, const kernel_arrays&)> verify{};
};

/// What the problem says of one configuration, given by the texts of its values in the order of `names`. `adjust` is
/// not called. Throws std::invalid_argument where an expression has a name that is no parameter, or cannot be
/// evaluated.
[[nodiscard]] kernel_instance instance_of(const kernel_problem& what, std::span<const std::string> names,
                                          std::span<const std::string> values);

}  // namespace tunekit::measure
