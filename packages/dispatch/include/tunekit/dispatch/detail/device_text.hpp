// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a generated header has for each device: its shapes, what finds one of them, and its tree.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tunekit/dispatch/choice.hpp"
#include "tunekit/dispatch/detail/cpp_text.hpp"
#include "tunekit/dispatch/detail/dialect.hpp"
#include "tunekit/dispatch/detail/lookup.hpp"

namespace tunekit::dispatch::detail {

/// `cells` as a table, twenty in a line, of the narrowest type that holds them.
[[nodiscard]] inline std::string numbers_text(const dialect& in, const std::string& name,
                                              const std::vector<std::uint32_t>& cells)
{
    const std::uint32_t most = cells.empty() ? 0 : *std::max_element(cells.begin(), cells.end());
    std::string out =
        in.spoken(std::string("@t unsigned ") + (most < 65536 ? "short" : "int") + " $" + name + "[] = {");
    for (std::size_t k = 0; k < cells.size(); ++k)
        out += (k == 0 ? "\n    " : k % 20 == 0 ? ",\n    " : ", ") + std::to_string(cells[k]);
    return out + "};\n";
}

/// A return of a pick.
[[nodiscard]] inline std::string returned(const dialect& in, const std::string& config, const char* by,
                                          const std::string& untuned)
{
    return in.spoken("return @p{" + config + ", @r" + by + ", " + untuned + ", @ksame};\n");
}

/// The nodes of a tree from one on, as nested ifs.
[[nodiscard]] inline std::string tree_text(const dialect& in, const device_choice& d, std::size_t at, std::size_t depth)
{
    const tree_node& n = d.tree[at];
    const std::string indent(4 * depth, ' ');
    if (n.of == 0) return indent + returned(in, std::to_string(n.config), "tree", in.truth(n.untuned));
    std::string feature;
    const bool one = n.less == 0 && (n.of & (n.of - 1)) == 0;
    for (std::size_t j = 0; j < 32; ++j)
        if ((n.of >> j & 1U) != 0)
            feature += (feature.empty() ? "" : " + ") + std::string(one ? "at[" : "logs[") + std::to_string(j) + ']';
    for (std::size_t j = 0; j < 32; ++j)
        if ((n.less >> j & 1U) != 0) feature += " - logs[" + std::to_string(j) + ']';
    return indent + "if (" + feature + " <= " + std::to_string(n.at_most) + ") {\n" +
           tree_text(in, d, n.yes, depth + 1) + indent + "}\n" + tree_text(in, d, n.no, depth);
}

/// The table of the shapes of device `#`, the places of their hashes, and what finds a shape that was measured. Shapes
/// go by their places in it: under -fsanitize=undefined no pointer into it compares in a constant expression.
[[nodiscard]] inline std::string exact_text(const device_choice& d, const dialect& in)
{
    std::string rows;
    for (const chosen_shape& s : d.shapes) {
        std::string at;
        for (const std::int64_t x : s.at) at += (at.empty() ? "" : ", ") + std::to_string(x);
        rows += "    {{" + at + "}, " + std::to_string(s.config) + ", " + std::to_string(s.around) + ", " +
                in.truth(s.untuned) + ", " + in.truth(s.around_untuned) + "},\n";
    }
    const hash_table hashed(d.shapes);
    return in.spoken("\n@t $shape $shapes_#[] = {\n") + rows + "};\n" + numbers_text(in, "places_#", hashed.places) +
           in.spoken(R"(
/// The place of the measured shape of these sizes; else -1.
@f int $exact_#(const long long* at)
{
    int place = @i($hash(at) >> )" +
                     std::to_string(64 - hashed.bits) + R"();
    for (; $places_#[place] != 0; place = (place + 1) & )" +
                     std::to_string(hashed.places.size() - 1) + R"()
        if ($has_sizes($shapes_# + $places_#[place] - 1, at)) return $places_#[place] - 1;
    return -1;
}
)");
}

/// The tables of the grid of device `#`, and what finds the nearest measured shape.
[[nodiscard]] inline std::string nearest_text(const choice& c, const device_choice& d, const dialect& in)
{
    const nearest_grid grid(d);
    std::string out = in.spoken("\n@t int $logs_#[][" + std::to_string(c.sizes.size()) + "] = {\n"), cell;
    for (std::size_t k = 0; k < d.shapes.size(); ++k) {
        std::string row;
        for (std::size_t j = 0; j < c.sizes.size(); ++j) row += (j == 0 ? "" : ", ") + std::to_string(grid.log(k, j));
        out += "    {" + row + "},\n";
    }
    out += "};\n";
    for (std::size_t j = 0; j < c.sizes.size(); ++j) {
        const std::string k = std::to_string(j), x = "logs[" + k + ']';
        out += numbers_text(in, "steps_#_" + k, {grid.steps[j].begin(), grid.steps[j].end()});
        cell += (j == 0 ? "" : " + ") + in.spoken("$steps_#_" + k + '[') +
                (dialect::is_word(c, c.sizes[j]) ? x + " < 0 || " + x + " > 63 ? 0 : " + x
                                                 : x + " >> " + std::to_string(nearest_grid::line_bits)) +
                ']';
    }
    return out + numbers_text(in, "from_#", grid.from) + numbers_text(in, "nearest_#", grid.nearest) + in.spoken(R"(
/// The place of the measured shape next to it. `logs` has log2_steps of the sizes, and the places of words.
@f int $next_#(const long long* logs)
{
    const int cell = @i()" + cell + R"();
    const unsigned end = $from_#[cell + 1];
    unsigned k = $from_#[cell];
    int best = $nearest_#[k++];
    if (k != end) {
        long long least = $distance($logs_#[best], logs);
        for (; k != end; ++k) {
            const int s = $nearest_#[k];
            const long long gap = $distance($logs_#[s], logs);
            best = gap < least ? s : best;
            least = gap < least ? gap : least;
        }
    }
    return best;
}
)");
}

/// The tables and functions of one device.
[[nodiscard]] inline std::string device_text(const choice& c, const device_choice& d, const dialect& in,
                                             std::size_t number)
{
    const bool by_tree = d.general == rung::tree;
    std::string logs;
    for (std::size_t j = 0; j < c.sizes.size(); ++j) {
        const std::string x = "at[" + std::to_string(j) + ']';
        logs += (j == 0 ? "" : ", ") + (dialect::is_word(c, c.sizes[j]) ? x : in.spoken("$log2_steps(" + x + ')'));
    }
    const std::string out =
        exact_text(d, in) + (by_tree ? "" : nearest_text(c, d, in)) +
        in.spoken("\n@f $pick $pick_#(const long long* at)\n{\n    " + std::string(by_tree ? "const " : "") +
                  "int s = $exact_#(at);\n    if (s >= 0) ") +
        returned(in, "$shapes_#[s].config", "exact", "$shapes_#[s].untuned") + "    const long long logs[] = {" + logs +
        "};\n" +
        (by_tree ? "    (void)logs;\n" + tree_text(in, d, 0, 1)
                 : in.spoken("    s = $next_#(logs);\n    ") +
                       returned(in, "$shapes_#[s].around", "nearest", "$shapes_#[s].around_untuned")) +
        "}\n";
    std::string numbered;
    for (const char x : out) numbered += x == '#' ? std::to_string(number) : std::string(1, x);
    return numbered;
}

}  // namespace tunekit::dispatch::detail
