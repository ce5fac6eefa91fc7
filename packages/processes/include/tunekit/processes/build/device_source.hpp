// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The source of one configuration of a template for a device, and its launches.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tunekit::measure {

/// OpenCL C, or CUDA C++ whose entries are `extern "C" __global__`, and the launches that compute the result, one after
/// another. All have the same arguments: the operands, the result, where `scratch_floats` is not 0 scratch memory of
/// that many floats, and the tensor maps.
struct device_source {
    /// One launch of one function, as a driver takes it. OpenCL calls blocks work-groups, threads work-items and shared
    /// memory local: where `shared_bytes` is not 0, the function's last parameter is a `__local` pointer to so many
    /// bytes. Set `entry` there: its default is a reserved word of OpenCL C.
    struct launch {
        std::string entry = "kernel";                               ///< name of the function in the source
        std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};  ///< x, y, z: blocks, and threads of each
        std::int64_t shared_bytes = 0;                              ///< dynamic; what the text declares is added

        /// Threads of one block.
        [[nodiscard]] std::int64_t threads() const noexcept { return block[0] * block[1] * block[2]; }

        friend bool operator==(const launch&, const launch&) = default;
    };

    /// Constant memory of CUDA, filled before the first launch.
    struct constant {
        std::string symbol;                ///< the name of the `__constant__` variable
        std::vector<unsigned char> bytes;  ///< its content

        friend bool operator==(const constant&, const constant&) = default;
    };

    /// An argument that is made from another one: a CUtensorMap, by which compute capability 9.0 and later copies boxes
    /// of an array to shared memory. The function takes it as `const __grid_constant__` of a struct of 128 bytes,
    /// aligned to as many. What lies in a box but outside the array is read as zero.
    struct tensor_map {
        /// The type of an element, with CUDA's number for it; `bits16` copies any of 16 bits as it is, `tf32` rounds
        /// floats.
        enum class element { bits8 = 0, bits16 = 1, bits32 = 2, fp32 = 7, tf32 = 11 };

        std::size_t argument = 0;             ///< the array, by its place among the arguments
        element type = element::fp32;         ///< of the array
        std::vector<std::int64_t> sizes{};    ///< elements in each direction, at most five, the contiguous one first
        std::vector<std::int64_t> strides{};  ///< bytes between neighbours in each direction but the first
        std::vector<std::int64_t> box{};      ///< elements of a box in each direction
        int swizzle_bytes = 0;                ///< 0, or 32, 64 or 128: 16-byte parts are exchanged within so many

        /// The number of bytes of an element.
        [[nodiscard]] int element_bytes() const noexcept
        {
            return type == element::bits8 ? 1 : type == element::bits16 ? 2 : 4;
        }

        friend bool operator==(const tensor_map&, const tensor_map&) = default;
    };

    std::string prologue{};             ///< small functions and macros that `text` uses; compiled in front of it
    std::string text{};                 ///< defines each entry
    std::vector<launch> prepare{};      ///< run once, for example to pack fixed weights; not a part of the time
    std::vector<launch> launches{};     ///< the launches that are timed
    std::int64_t scratch_floats = 0;    ///< size of the scratch memory that every launch gets; 0: none
    std::vector<tensor_map> maps{};     ///< what every launch gets behind all other arguments
    std::vector<constant> constants{};  ///< of the module; OpenCL has arguments in `__constant` memory instead
    std::int64_t statements = 0;        ///< written or unrolled in `text`: a measure of its compile time

    /// What is compiled: the prologue and the text.
    [[nodiscard]] std::string whole() const { return prologue + text; }
    /// The same, and a comment for each launch and each tensor map: what a program needs to run it by itself.
    [[nodiscard]] std::string with_launches() const
    {
        std::string out = whole() + '\n';
        const auto list = [](const auto& numbers) {
            std::string all;
            for (const std::int64_t n : numbers) all += ' ' + std::to_string(n);
            return all;
        };
        for (const auto* part : {&prepare, &launches})
            for (const launch& l : *part)
                out += (part == &prepare ? "// once before: " : "// launch: ") + l.entry + ", grid" + list(l.grid) +
                       ", block" + list(l.block) + ", dynamic shared memory " + std::to_string(l.shared_bytes) +
                       " bytes\n";
        if (scratch_floats != 0) out += "// scratch memory: " + std::to_string(scratch_floats) + " floats\n";
        for (const tensor_map& m : maps)
            out += "// tensor map of argument " + std::to_string(m.argument) + ": type " +
                   std::to_string(static_cast<int>(m.type)) + ", sizes" + list(m.sizes) + ", strides" +
                   list(m.strides) + ", box" + list(m.box) + ", swizzled within " + std::to_string(m.swizzle_bytes) +
                   " bytes\n";
        return out;
    }

    friend bool operator==(const device_source&, const device_source&) = default;
};

}  // namespace tunekit::measure
