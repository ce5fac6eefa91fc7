// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Parts of generated CUDA kernels: nested loops that are unrolled as a configuration says, loads by a whole block.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/kernels/autotvm/cuda.hpp"
#include "tunekit/kernels/detail/kernel_text.hpp"
#include "tunekit/processes/build/device_source.hpp"

namespace tunekit::kernels::detail {

/// The resources that one block of a configuration uses.
struct cuda_usage {
    std::int64_t threads_x = 1, threads_y = 1, threads_z = 1;  ///< the block's size
    std::int64_t shared_bytes = 0;                             ///< per block
    std::int64_t accumulators = 1;  ///< floats per thread, including those of virtual threads

    /// The number of threads of a block.
    [[nodiscard]] constexpr std::int64_t threads() const noexcept { return threads_x * threads_y * threads_z; }
};

/// The first limit that `use` exceeds, in one line; else empty. Registers are not checked, because only
/// a compiler knows them.
[[nodiscard]] inline std::optional<std::string> exceeds(const cuda_usage& use, const autotvm::cuda_limits& limits = {})
{
    const auto line = [](const char* what, std::int64_t has, std::int64_t most) {
        return std::string(what) + " is " + std::to_string(has) + ", want at most " + std::to_string(most);
    };
    if (use.threads() > limits.threads) return line("threads per block", use.threads(), limits.threads);
    if (use.threads_x > limits.threads_x) return line("threadIdx.x", use.threads_x, limits.threads_x);
    if (use.threads_y > limits.threads_y) return line("threadIdx.y", use.threads_y, limits.threads_y);
    if (use.threads_z > limits.threads_z) return line("threadIdx.z", use.threads_z, limits.threads_z);
    if (use.shared_bytes > limits.shared_bytes)
        return line("shared memory in bytes", use.shared_bytes, limits.shared_bytes);
    return std::nullopt;
}

/// A split as (block, virtual thread, thread, inner).
struct cuda_tile {
    std::int64_t block = 1, copies = 1, threads = 1, inner = 1;

    explicit cuda_tile(const std::vector<int>& t)
        : block(t[0]), copies(t.size() == 4 ? t[1] : 1), threads(t[t.size() - 2]), inner(t.back())
    {
    }

    /// Of one block.
    [[nodiscard]] std::int64_t size() const noexcept { return copies * threads * inner; }
    /// Where an element of this thread lies in the block's tile.
    [[nodiscard]] std::string at(std::string_view copy, std::string_view axis, std::string_view element) const
    {
        return lines("(((", copy, ") * ", threads, " + thread_", axis, ") * ", inner, " + (", element, "))");
    }
};

/// Throws std::invalid_argument where a static check refuses the configuration.
inline void require_fits(const char* who, const cuda_usage& use, const autotvm::cuda_limits& limits)
{
    if (const auto why = exceeds(use, limits)) invalid(lines(who, ": ", *why));
}

/// Throws std::invalid_argument where an index of so many elements would not fit into int.
inline void require_indexable(const char* who, std::int64_t elements)
{
    require(elements <= (std::numeric_limits<std::int32_t>::max)(),
            lines(who, ": an array has ", elements, " elements, want less than 2^31"));
}

/// AutoTVM's two knobs of unrolling. Loops are unrolled from the innermost outwards while at most `max_step` statements
/// come of it: as text where `written`, else by a pragma.
struct cuda_unrolling {
    std::int64_t max_step = 0;
    bool written = false;
};

/// Throws std::invalid_argument where the grid is larger than a launch allows in y or z.
inline void require_launchable(const char* who, const measure::device_source::launch& l)
{
    require(l.grid[1] <= 65535 && l.grid[2] <= 65535,
            lines(who, ": the grid is ", l.grid[1], " x ", l.grid[2], " in y and z, want at most 65535 each"));
}

template <class Config>
[[nodiscard]] cuda_unrolling unrolling_of(const Config& c)
{
    return {.max_step = get<"auto_unroll_max_step">(c), .written = get<"unroll_explicit">(c) != 0};
}

/// Sources with more statements than this are refused: compilers take minutes over them.
inline constexpr std::int64_t max_cuda_statements = 4096;

/// A loop from 0 to extent - 1. `copied`: over virtual threads; with less than 16 of them, always unrolled.
struct cuda_loop {
    std::string name;
    std::int64_t extent = 1;
    bool copied = false;
};

/// Nested loops around one statement, a macro that takes the loops' variables in their order.
class cuda_nest {
public:
    cuda_nest(std::string macro, std::vector<cuda_loop> loops, const cuda_unrolling& how)
        : macro_(std::move(macro)), loops_(std::move(loops)), how_(how), kept_(loops_.size())
    {
        while (kept_ > 0) {
            const cuda_loop& l = loops_[kept_ - 1];
            const bool replicated = l.copied && l.extent < 16;
            if (!replicated && l.extent > 1 && steps_ * l.extent > how_.max_step) break;
            steps_ *= l.extent;
            --kept_;
        }
    }

    /// Statements in the unrolled part.
    [[nodiscard]] std::int64_t statements() const noexcept { return steps_; }
    /// Whether no loop is left.
    [[nodiscard]] bool whole() const noexcept { return kept_ == 0; }

    [[nodiscard]] std::string text() const
    {
        std::string out, arguments;
        from(0, arguments, out);
        return out;
    }

private:
    void from(std::size_t i, const std::string& arguments, std::string& out) const
    {
        const auto with = [&](const std::string& value) { return i == 0 ? value : arguments + ", " + value; };
        if (i == loops_.size()) {
            out += lines(macro_, "(", arguments, ")\n");
            return;
        }
        const cuda_loop& l = loops_[i];
        if (l.extent == 1) return from(i + 1, with("0"), out);
        if (i >= kept_ && how_.written) {
            for (std::int64_t v = 0; v < l.extent; ++v) from(i + 1, with(std::to_string(v)), out);
            return;
        }
        out += lines(i >= kept_ ? "#pragma unroll\n" : "", "for (int ", l.name, " = 0; ", l.name, " < ", l.extent,
                     "; ++", l.name, ") {\n");
        from(i + 1, with(l.name), out);
        out += "}\n";
    }

    std::string macro_;
    std::vector<cuda_loop> loops_;
    cuda_unrolling how_;
    std::size_t kept_;
    std::int64_t steps_ = 1;
};

/// What generated kernels are written in. The text of a template is CUDA's; in OpenCL C its few words are macros of
/// `opencl_prologue`, and heads of functions differ.
enum class device_language { cuda, opencl };

/// CUDA's words in OpenCL C, for the templates' texts.
inline constexpr const char* opencl_prologue = R"(
#define __shared__ __local
#define __syncthreads() barrier(CLK_LOCAL_MEM_FENCE)
#define threadIdx ((int3)((int)get_local_id(0), (int)get_local_id(1), (int)get_local_id(2)))
#define blockIdx ((int3)((int)get_group_id(0), (int)get_group_id(1), (int)get_group_id(2)))
)";

/// The head of a function that reads the arrays `inputs` and writes `output`, all of floats. The size of its block is
/// declared, which keeps registers within what such a block may have.
inline std::string device_entry(device_language in, std::string_view name, const std::array<std::int64_t, 3>& block,
                                const std::vector<std::string>& inputs, std::string_view output)
{
    const bool cuda = in == device_language::cuda;
    std::string out =
        cuda ? lines("extern \"C\" __global__ void __launch_bounds__(", block[0] * block[1] * block[2], ") ")
             : lines("__kernel __attribute__((reqd_work_group_size(", block[0], ", ", block[1], ", ", block[2],
                     "))) void ");
    out += lines(name, "(");
    for (const std::string& i : inputs)
        out += lines(cuda ? "const float* __restrict__ " : "__global const float* restrict ", i, ", ");
    return out + lines(cuda ? "float* __restrict__ " : "__global float* restrict ", output, ")\n{\n");
}

/// Elements 0 to size - 1 of a tile, one per thread and turn, neighbours to neighbours: statements `macro(turn)`.
inline cuda_nest cooperative(std::string macro, std::int64_t size, std::int64_t threads, const cuda_unrolling& how)
{
    return {std::move(macro), {{"turn", (size + threads - 1) / threads}}, how};
}

/// What keeps a turn of `cooperative` within the tile.
inline std::string within(std::int64_t size, std::int64_t threads)
{
    return size % threads == 0 ? "" : lines("if (e < ", size, ") ");
}

/// Loops around a body of `statements`, unrolled by a pragma where all within is: adds to the statements. What is not
/// unrolled stays so, for the body has barriers and a compiler that unrolled it would gain nothing.
inline std::string outer_loops(const std::vector<cuda_loop>& loops, bool whole, std::int64_t& statements,
                               const cuda_unrolling& how)
{
    std::vector<bool> unrolled(loops.size());
    for (std::size_t i = loops.size(); i-- > 0 && whole;) {
        whole = loops[i].extent == 1 || statements * loops[i].extent <= how.max_step;
        unrolled[i] = whole && loops[i].extent > 1;
        if (whole) statements *= loops[i].extent;
    }
    std::string out;
    for (std::size_t i = 0; i < loops.size(); ++i)
        out += lines(unrolled[i] ? "#pragma unroll\n" : "#pragma unroll 1\n", "for (int ", loops[i].name, " = 0; ",
                     loops[i].name, " < ", loops[i].extent, "; ++", loops[i].name, ")\n");
    return out;
}

/// Throws std::invalid_argument where there are too many.
inline void require_compilable(std::string_view who, std::int64_t statements)
{
    require(statements <= max_cuda_statements,
            lines(who, ": unrolls to ", statements, " statements, want at most ", max_cuda_statements));
}

}  // namespace tunekit::kernels::detail
