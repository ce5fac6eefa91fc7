// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A block of sums in vector registers, as text for generated kernels.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/kernels/detail/kernel_text.hpp"

namespace tunekit::kernels::detail {

/// Floats in a vector of this machine, for which -march=native compiles.
[[nodiscard]] inline int host_lanes() noexcept
{
#if defined(__x86_64__) || defined(__i386__)
    if (__builtin_cpu_supports("avx512f")) return 16;
    if (__builtin_cpu_supports("avx")) return 8;
#endif
    return 4;
}

/// `rows` sums, each of `width` floats: whole vectors in NAME[row][f], and what is left in NAME_4[row], NAME_2[row],
/// ... Small blocks are unrolled, so that they stay in registers; large ones are loops over memory.
class generated_block {
public:
    static constexpr int max_vectors = 32;      ///< of a block that is unrolled
    static constexpr int max_steps = 64;        ///< multiply-adds in an unrolled loop around it
    static constexpr int max_floats = 1 << 18;  ///< of a block: 1 MiB of stack

    generated_block(std::string name, int rows, int width, int lanes)
        : generated_block(std::move(name), rows, 1, width, lanes)
    {
    }

    /// rows x columns sums.
    generated_block(std::string name, int rows, int columns, int width, int lanes)
        : name_(std::move(name)), lanes_(lanes), full_(width / lanes)
    {
        require(lanes > 0 && (lanes & (lanes - 1)) == 0, "generated code: lanes is not a power of two, want one");
        const long long floats = 1LL * rows * columns * width;
        require(floats <= max_floats,
                "generated_block: " + std::to_string(floats) + " sums at a time, want at most 262144");
        rows_ = rows * columns;
        for (int rest = width % lanes_, w = lanes_ / 2; rest > 0; w /= 2) {
            if (rest < w) continue;
            rest_.push_back(w);
            rest -= w;
        }
        vectors_ = rows_ * (full_ + static_cast<int>(rest_.size()));
    }

    /// The vector types, and the pragma to unroll.
    [[nodiscard]] std::string preamble() const
    {
        std::string out = R"(
#define TUNEKIT_PRAGMA(text) _Pragma(#text)
#ifdef __clang__
#define TUNEKIT_UNROLL(n) TUNEKIT_PRAGMA(clang loop unroll(full))
#else
#define TUNEKIT_UNROLL(n) TUNEKIT_PRAGMA(GCC unroll n)
#endif
)";
        for (int w = lanes_; w > 1; w /= 2)
            out += lines("typedef float v", w, " __attribute__((vector_size(", 4 * w, "), aligned(4), may_alias));\n");
        return out + "typedef float v1;\n";
    }

    /// Unrolls the loop after it, of `n` turns around `rows` of its rows (all: 0), where the block is small enough.
    [[nodiscard]] std::string unroll(int n, int rows = 0) const
    {
        const int steps = rows == 0 ? vectors_ : vectors_ / rows_ * rows * n;
        if (n < 2 || vectors_ > max_vectors || steps > max_steps) return {};
        return lines("TUNEKIT_UNROLL(", n, ") ");
    }

    [[nodiscard]] std::string declare() const
    {
        std::string out;
        if (full_ > 0) out += lines("v", lanes_, " ", name_, "[", rows_, "][", full_, "] = {};\n");
        for (const int w : rest_) out += lines("v", w, " ", name_, "_", w, "[", rows_, "] = {};\n");
        return out;
    }

    /// Sum `row` += `factor` times the floats at `from`.
    [[nodiscard]] std::string add_scaled(std::string_view row, std::string_view factor, std::string_view from) const
    {
        return each(row, [&](const std::string& sum, const std::string& type, const std::string& offset) {
            return lines(sum, " += ", factor, " * *(const ", type, "*)(", from, offset, ");\n");
        });
    }

    /// Sum `row` += the floats at `a` times those at `b`.
    [[nodiscard]] std::string add_product(std::string_view row, std::string_view a, std::string_view b) const
    {
        return each(row, [&](const std::string& sum, const std::string& type, const std::string& offset) {
            return lines(sum, " += *(const ", type, "*)(", a, offset, ") * *(const ", type, "*)(", b, offset, ");\n");
        });
    }

    [[nodiscard]] std::string store(std::string_view row, std::string_view to) const
    {
        return each(row, [&](const std::string& sum, const std::string& type, const std::string& offset) {
            return lines("*(", type, "*)(", to, offset, ") = ", sum, ";\n");
        });
    }

    /// Sum `row` = sum `other_row` of a block of the same width.
    [[nodiscard]] std::string copy_from(std::string_view row, const generated_block& other,
                                        std::string_view other_row) const
    {
        std::string out;
        if (full_ > 0) out += lines(over_full(), name_, "[", row, "][f] = ", other.name_, "[", other_row, "][f];\n");
        for (const int w : rest_)
            out += lines(name_, "_", w, "[", row, "] = ", other.name_, "_", w, "[", other_row, "];\n");
        return out;
    }

    /// An expression: all floats of sum `row`, added up: halves of vectors, and halves of those, so that no compiler
    /// has to find that out.
    [[nodiscard]] std::string total(std::string_view row) const
    {
        std::string out = "({ float all = 0;\n";
        if (full_ > 0) {
            out +=
                lines("v", lanes_, " whole = ", name_, "[", row, "][0];\n",
                      full_ > 1 ? lines("for (int f = 1; f < ", full_, "; ++f) whole += ", name_, "[", row, "][f];\n")
                                : std::string());
            out += halved("whole", lanes_);
        }
        for (const int w : rest_)
            out += lines("{ v", w, " some = ", name_, "_", w, "[", row, "];\n", halved("some", w), "}\n");
        return out + "all; })";
    }

private:
    [[nodiscard]] std::string over_full() const
    {
        return lines(unroll(full_), "for (int f = 0; f < ", full_, "; ++f)\n");
    }

    /// Adds the floats of a vector to `all`.
    static std::string halved(std::string name, int lanes)
    {
        std::string out;
        for (int w = lanes / 2; w > 0; w /= 2) {
            const std::string next = lines("half_", w);
            out +=
                lines("v", w, " ", next, " = ((const v", w, "*)&", name, ")[0] + ((const v", w, "*)&", name, ")[1];\n");
            name = next;
        }
        return out + lines("all += ", name, ";\n");
    }

    template <class Statement>
    std::string each(std::string_view row, Statement&& statement) const
    {
        std::string out;
        if (full_ > 0)
            out += over_full() +
                   statement(lines(name_, "[", row, "][f]"), lines("v", lanes_), lines(" + ", lanes_, " * f"));
        int at = full_ * lanes_;
        for (const int w : rest_) {
            out += statement(lines(name_, "_", w, "[", row, "]"), lines("v", w), lines(" + ", at));
            at += w;
        }
        return out;
    }

    std::string name_;
    int lanes_;
    int full_;
    int rows_ = 1;
    int vectors_ = 0;
    std::vector<int> rest_;
};
}  // namespace tunekit::kernels::detail
