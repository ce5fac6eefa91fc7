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

/// The nodes of a tree from one on, as nested ifs.
[[nodiscard]] inline std::string tree_text(const dialect& in, const choice::part& d, std::size_t at, std::size_t depth)
{
    const tree_node& n = d.tree[at];
    const std::string indent(4 * depth, ' ');
    if (n.of == 0)
        return indent + in.spoken("return @p{{config}, @rtree, {untuned}, @ksame};\n", "config untuned", n.config,
                                  in.truth(n.untuned));
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
[[nodiscard]] inline std::string exact_text(const choice::part& d, const dialect& in)
{
    std::string rows;
    for (const choice::shape& s : d.shapes) {
        std::string at;
        for (const std::int64_t x : s.at) at += (at.empty() ? "" : ", ") + std::to_string(x);
        rows += "    {{" + at + "}, " + std::to_string(s.config) + ", " + std::to_string(s.around) + ", " +
                in.truth(s.untuned) + ", " + in.truth(s.around_untuned) + "},\n";
    }
    const hash_table hashed(d.shapes);
    return in.spoken(R"(
@t $shape $shapes_#[] = {
{rows}};
{places}
/// The place of the measured shape of these sizes; else -1.
@f int $exact_#(const long long* at)
{
    int place = @i($hash(at) >> {shift});
    for (; $places_#[place] != 0; place = (place + 1) & {mask})
        if ($has_sizes($shapes_# + $places_#[place] - 1, at)) return $places_#[place] - 1;
    return -1;
}
)",
                     "rows places shift mask", rows, numbers_text(in, "places_#", hashed.places), 64 - hashed.bits,
                     hashed.places.size() - 1);
}

/// The tables of the grid of device `#`, and what finds the nearest measured shape.
[[nodiscard]] inline std::string nearest_text(const choice& c, const choice::part& d, const dialect& in)
{
    const nearest_grid grid(d);
    std::string logs, steps, cell;
    for (std::size_t k = 0; k < d.shapes.size(); ++k) {
        std::string row;
        for (std::size_t j = 0; j < c.sizes.size(); ++j) row += (j == 0 ? "" : ", ") + std::to_string(grid.log(k, j));
        logs += "    {" + row + "},\n";
    }
    for (std::size_t j = 0; j < c.sizes.size(); ++j) {
        steps += numbers_text(in, "steps_#_" + std::to_string(j), {grid.steps[j].begin(), grid.steps[j].end()});
        cell += (j == 0 ? "" : " + ") + in.spoken(dialect::is_word(c, c.sizes[j])
                                                      ? "$steps_#_{j}[logs[{j}] < 0 || logs[{j}] > 63 ? 0 : logs[{j}]]"
                                                      : "$steps_#_{j}[logs[{j}] >> {bits}]",
                                                  "j bits", j, nearest_grid::line_bits);
    }
    return in.spoken(R"(
@t int $logs_#[][{rank}] = {
{logs}};
{steps}{from}{nearest}
/// The place of the measured shape next to it. `logs` has log2_steps of the sizes, and the places of words.
@f int $next_#(const long long* logs)
{
    const int cell = @i({cell});
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
)",
                     "rank logs steps from nearest cell", c.sizes.size(), logs, steps,
                     numbers_text(in, "from_#", grid.from), numbers_text(in, "nearest_#", grid.nearest), cell);
}

/// The tables and functions of one device.
[[nodiscard]] inline std::string device_text(const choice& c, const choice::part& d, const dialect& in,
                                             std::size_t number)
{
    const bool by_tree = d.general == rung::tree;
    std::string logs;
    for (std::size_t j = 0; j < c.sizes.size(); ++j) {
        const std::string x = "at[" + std::to_string(j) + ']';
        logs += (j == 0 ? "" : ", ") + (dialect::is_word(c, c.sizes[j]) ? x : in.spoken("$log2_steps(" + x + ')'));
    }
    const std::string out =
        in.spoken(R"({exact}{nearest}
@f $pick $pick_#(const long long* at)
{
    {const}int s = $exact_#(at);
    if (s >= 0) return @p{$shapes_#[s].config, @rexact, $shapes_#[s].untuned, @ksame};
    const long long logs[] = {logs};
{else}}
)",
                  "exact nearest const logs else", exact_text(d, in), by_tree ? "" : nearest_text(c, d, in),
                  by_tree ? "const " : "", '{' + logs + '}',
                  by_tree ? "    (void)logs;\n" + tree_text(in, d, 0, 1) : in.spoken(R"(    s = $next_#(logs);
    return @p{$shapes_#[s].around, @rnearest, $shapes_#[s].around_untuned, @ksame};
)"));
    std::string numbered;
    for (const char x : out) numbered += x == '#' ? std::to_string(number) : std::string(1, x);
    return numbered;
}

}  // namespace tunekit::dispatch::detail
