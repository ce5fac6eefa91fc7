// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Choices as a text file, for programs that load them when they start.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/dispatch/choice.hpp"
#include "tunekit/dispatch/detail/file_head.hpp"
#include "tunekit/processes/files/sealed_file.hpp"
#include "tunekit/processes/files/text.hpp"

namespace tunekit::dispatch {

namespace detail {

inline constexpr std::string_view choice_magic = "# tunekit choice 1";
inline constexpr std::size_t max_depth = 1000;  // levels of a tree, because a tree is written by recursion

/// Throws tunekit::error, `what` first, unless all positions in the choice are valid, its shapes are sorted and its
/// trees are trees.
inline void check_choice(const choice& c, const std::string& what)
{
    const choice::part* on = nullptr;
    const auto need = [&](bool good, std::string_view wrong) {
        if (good) return;
        const std::string device = on == nullptr ? "" : "device " + quoted_device(on->device) + ' ';
        throw error(what + ": " + device + std::string(wrong) + "; write it again");
    };
    need(!c.sizes.empty() && c.sizes.size() <= 32, "has no sizes, or more than 32");
    need(c.one < c.configs.size(), "has no configuration for unknown devices");
    for (const choice::kept& k : c.configs)
        need(k.values.size() == c.parameters.size(), "has a configuration with another number of values");
    for (const choice::part& d : c.devices) {
        on = &d;
        need(!d.shapes.empty() && !d.tree.empty(), "has no shapes, or no tree");
        need(d.general == rung::nearest || d.general == rung::tree, "has another rung than nearest and tree");
        for (std::size_t k = 0; k < d.shapes.size(); ++k) {
            const choice::shape& s = d.shapes[k];
            std::string wrong = wrong_shape(s.at, c.sizes, c.words);
            const auto says = [&](bool good, const char* how) {
                if (wrong.empty() && !good) wrong = "the shape " + detail::shape_text(c.sizes, s.at, c.words) + how;
            };
            says(s.config < c.configs.size() && s.around < c.configs.size(), " without its configuration");
            says(k == 0 || d.shapes[k - 1].at < s.at, " behind a later one, want them sorted");
            need(wrong.empty(), "has " + wrong);
        }
        for (const choice::score& r : d.scores)
            for (const double x : {r.share, r.worst, r.gain, r.least_gain}) need(x >= 0, "has an invalid score");
        std::vector<std::size_t> depth(d.tree.size());  // 0: not reached yet; each node has one parent
        for (std::size_t k = 0; k < d.tree.size(); ++k) {
            const tree_node& n = d.tree[k];
            if (n.of == 0) {
                need(n.config < c.configs.size(), "has a leaf without its configuration");
                continue;
            }
            need(((std::uint64_t{n.of} | n.less) >> c.sizes.size()) == 0, "has a node over sizes that it lacks");
            need(depth[k] < max_depth, "has a tree of more than 1000 levels");
            for (const std::size_t next : {n.yes, n.no}) {
                need(next > k && next < d.tree.size() && depth[next] == 0, "has an invalid tree");
                depth[next] = depth[k] + 1;
            }
        }
    }
}

/// A position, and whether the untuned default is believed to be faster. As text: "3", "3u".
struct position {
    std::uint32_t config = 0;
    bool untuned = false;
};

[[nodiscard]] inline std::string to_text(const position& p)
{
    return std::to_string(p.config) + (p.untuned ? "u" : "");
}

}  // namespace detail

/// The text of a choice's file. Equal choices have equal texts.
[[nodiscard]] inline std::string to_text(const choice& c)
{
    io::sealed_writer out(detail::choice_magic);
    detail::write_head(out, c);
    for (const choice::kept& k : c.configs) out.line("config", k.candidate, k.shapes, k.values);
    out.line("one", detail::to_text({c.one, c.one_untuned}));
    for (const choice::part& d : c.devices) {
        out.line("device", d.device, d.date, to_text(d.general));
        for (const choice::score& s : d.scores)
            out.line("score", to_text(s.by), s.shapes, s.share, s.worst, s.against, s.gain, s.least_gain, s.below);
        for (const choice::shape& s : d.shapes)
            out.line("shape", detail::to_text({s.config, s.untuned}), detail::to_text({s.around, s.around_untuned}),
                     s.at);
        for (const detail::tree_node& n : d.tree)
            if (n.of == 0) out.line("leaf", detail::to_text({n.config, n.untuned}));
            else out.line("node", n.of, n.less, n.at_most, n.yes, n.no);
    }
    return std::move(out).text();
}

namespace detail {

/// The words of one line of a choice's file, by their places.
class choice_line {
public:
    explicit choice_line(io::sealed_reader& in) : in_(in), words_(in.fields(in.next())) { want(words_.size() >= 2); }

    [[nodiscard]] bool is(std::string_view key) const { return words_.front() == key; }
    /// Refuses the line where that is false.
    void want(bool good) const
    {
        if (!good) in_.refuse("is not a line of a choice");
    }
    /// Refuses the line unless it has `n` words, its key included; with `open` more may follow.
    void wants(std::size_t n, bool open = false) const { want(open ? words_.size() >= n : words_.size() == n); }

    [[nodiscard]] const std::string& text(std::size_t k) const { return words_[k]; }
    template <class T = std::uint32_t>
    [[nodiscard]] T number(std::size_t k) const
    {
        return in_.number<T>(words_[k]);
    }
    [[nodiscard]] rung rung_at(std::size_t k) const
    {
        for (const rung by : {rung::exact, rung::nearest, rung::tree, rung::one})
            if (words_[k] == to_text(by)) return by;
        in_.refuse("names another rung than exact, nearest, tree and one");
    }
    [[nodiscard]] position position_at(std::size_t k) const
    {
        std::string_view word = words_[k];
        const bool untuned = word.ends_with('u');
        if (untuned) word.remove_suffix(1);
        return {in_.number<std::uint32_t>(word), untuned};
    }
    [[nodiscard]] std::vector<std::string> texts_from(std::size_t k) const
    {
        return {words_.begin() + static_cast<std::ptrdiff_t>(k), words_.end()};
    }
    [[nodiscard]] shape_sizes sizes_from(std::size_t k) const
    {
        shape_sizes out;
        for (; k < words_.size(); ++k) out.push_back(number<std::int64_t>(k));
        return out;
    }

private:
    const io::sealed_reader& in_;
    std::vector<std::string> words_;
};

/// A line that belongs to the device that was named last.
inline void read_line_of(choice::part& d, const choice_line& line)
{
    if (line.is("score")) {
        line.wants(9);
        d.scores.push_back({.by = line.rung_at(1),
                            .shapes = line.number(2),
                            .share = line.number<double>(3),
                            .worst = line.number<double>(4),
                            .against = line.number(5),
                            .gain = line.number<double>(6),
                            .least_gain = line.number<double>(7),
                            .below = line.number(8)});
    } else if (line.is("shape")) {
        line.wants(3, true);
        const position here = line.position_at(1), around = line.position_at(2);
        d.shapes.push_back({.at = line.sizes_from(3),
                            .config = here.config,
                            .around = around.config,
                            .untuned = here.untuned,
                            .around_untuned = around.untuned});
    } else if (line.is("leaf")) {
        line.wants(2);
        const position p = line.position_at(1);
        d.tree.push_back({.config = p.config, .untuned = p.untuned});
    } else {
        line.want(line.is("node"));
        line.wants(6);
        d.tree.push_back({.of = line.number(1),
                          .less = line.number(2),
                          .at_most = line.number<std::int64_t>(3),
                          .yes = line.number(4),
                          .no = line.number(5)});
        line.want(d.tree.back().of != 0);
    }
}

/// The choice in a text of the file that `what` names.
[[nodiscard]] inline choice choice_in(std::string_view text, const std::string& what)
{
    if (!text.starts_with("# tunekit choice"))
        throw error(what + ": is not a file of a choice, want one that dispatch::write_choice wrote");
    io::sealed_reader in(text, what, choice_magic);
    choice out;
    read_head(in, out);
    while (!in.done()) {
        const choice_line line(in);
        if (line.is("config")) {
            line.wants(3, true);
            out.configs.push_back(
                {.candidate = line.number<index>(1), .values = line.texts_from(3), .shapes = line.number(2)});
        } else if (line.is("one")) {
            const position p = line.position_at(1);
            out.one = p.config;
            out.one_untuned = p.untuned;
        } else if (line.is("words")) {
            line.want(out.devices.empty());
            read_words(in, line.texts_from(0), out);
        } else if (line.is("device")) {
            line.wants(4);
            out.devices.push_back({.device = line.text(1), .date = line.text(2), .general = line.rung_at(3)});
        } else {
            line.want(!out.devices.empty());
            read_line_of(out.devices.back(), line);
        }
    }
    check_choice(out, what);
    for (choice::part& d : out.devices) d.words = bits_of_words(out.sizes, out.words);
    return out;
}

/// The choices in a text of the file that `what` names: whole files of one choice each, one behind another.
[[nodiscard]] inline std::vector<choice> choices_in(std::string_view text, const std::string& what)
{
    constexpr std::string_view begin = "\n# tunekit choice";
    std::vector<choice> out;
    std::ptrdiff_t line = 0;  // before the one that is read: its own lines count from 1
    while (!text.empty() || out.empty()) {
        const std::size_t end = (std::min)(text.find(begin), text.size() - (text.empty() ? 0 : 1)) + 1;
        out.push_back(choice_in(text.substr(0, end), line == 0 ? what : what + " behind line " + std::to_string(line)));
        line +=
            std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>((std::min)(end, text.size())), '\n');
        text.remove_prefix((std::min)(end, text.size()));
    }
    return out;
}

}  // namespace detail

/// Writes a choice's file: a temporary file, then a rename. Errors: tunekit::error where it cannot be written; the old
/// file then stays.
inline void write_choice(const std::string& path, const choice& c) { io::write_text(path, to_text(c)); }

/// The same for the choices of several kernels in one file; `load` takes the one that it wants. Errors:
/// std::invalid_argument for no choice, and for two of one kernel.
inline void write_choice(const std::string& path, std::span<const choice> all)
{
    require(!all.empty(), "write_choice: no choice, want one at least");
    for (const choice& c : all)
        require(std::count_if(all.begin(), all.end(), [&](const choice& d) { return d.kernel == c.kernel; }) == 1,
                "write_choice: two choices of kernel " + c.kernel + ", want one of each");
    std::string text;
    for (const choice& c : all) text += to_text(c);
    io::write_text(path, text);
}

}  // namespace tunekit::dispatch
