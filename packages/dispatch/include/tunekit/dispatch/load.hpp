// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Loads a choice from a file when a program starts. A file that does not fit is refused, and the built-in header
/// answers.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/machine.hpp"
#include "tunekit/dispatch/choice.hpp"
#include "tunekit/dispatch/detail/file_head.hpp"
#include "tunekit/io/sealed_lines.hpp"
#include "tunekit/io/text.hpp"

namespace tunekit::dispatch {

namespace detail {

inline constexpr std::string_view choice_magic = "# tunekit choice 1";
inline constexpr std::size_t max_depth = 1000;  // levels of a tree, because a tree is written by recursion

/// Throws tunekit::error, `what` first, unless all positions in the choice are valid, its shapes are sorted and its
/// trees are trees.
inline void check_choice(const choice& c, const std::string& what)
{
    const auto need = [&](bool good, const char* wrong) {
        if (!good) throw error(what + ": " + wrong + "; write it again");
    };
    need(!c.sizes.empty() && c.sizes.size() <= 32, "has no sizes, or more than 32");
    need(c.one < c.configs.size(), "has no configuration for unknown devices");
    for (const kept_config& k : c.configs)
        need(k.values.size() == c.parameters.size(), "has a configuration with another number of values");
    for (const device_choice& d : c.devices) {
        need(!d.shapes.empty() && !d.tree.empty(), "has a device without shapes or without a tree");
        need(d.general == rung::nearest || d.general == rung::tree,
             "has a device of another rung than nearest and tree");
        for (std::size_t k = 0; k < d.shapes.size(); ++k) {
            const chosen_shape& s = d.shapes[k];
            need(are_sizes(s.at, c.sizes, c.words),
                 "has a shape with another number of sizes, a size below 1 or a word that is none");
            need(s.config < c.configs.size() && s.around < c.configs.size(), "has a shape without its configuration");
            need(k == 0 || d.shapes[k - 1].at < s.at, "has shapes that are not sorted");
        }
        for (const rung_score& r : d.scores)
            for (const double x : {r.share, r.worst, r.gain, r.least_gain}) need(x >= 0, "has a score that is none");
        std::vector<std::size_t> depth(d.tree.size());  // 0: not reached yet; each node has one parent
        for (std::size_t k = 0; k < d.tree.size(); ++k) {
            const tree_node& n = d.tree[k];
            if (n.of == 0) {
                need(n.config < c.configs.size(), "has a leaf without its configuration");
                continue;
            }
            need(((std::uint64_t{n.of} | n.less) >> c.sizes.size()) == 0, "has a node over sizes that are none");
            need(depth[k] < max_depth, "has a tree of more than 1000 levels");
            for (const std::size_t next : {n.yes, n.no}) {
                need(next > k && next < d.tree.size() && depth[next] == 0, "has a tree that is none");
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
    for (const kept_config& k : c.configs) out.line("config", k.candidate, k.shapes, k.values);
    out.line("one", detail::to_text({c.one, c.one_untuned}));
    for (const device_choice& d : c.devices) {
        out.line("device", d.device, d.date, to_text(d.general));
        for (const rung_score& s : d.scores)
            out.line("score", to_text(s.by), s.shapes, s.share, s.worst, s.against, s.gain, s.least_gain, s.below);
        for (const chosen_shape& s : d.shapes)
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
        if (!good) in_.refuse("is no line of a choice");
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
inline void read_line_of(device_choice& d, const choice_line& line)
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
        throw error(what + ": is no file of a choice, want one that dispatch::write_choice wrote");
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
    for (device_choice& d : out.devices) d.words = bits_of_words(out.sizes, out.words);
    return out;
}

/// The choices in a text of the file that `what` names: whole files of one choice each, one behind another.
[[nodiscard]] inline std::vector<choice> choices_in(std::string_view text, const std::string& what)
{
    constexpr std::string_view begin = "\n# tunekit choice";
    std::vector<choice> out;
    while (!text.empty() || out.empty()) {
        const std::size_t end = (std::min)(text.find(begin), text.size() - (text.empty() ? 0 : 1)) + 1;
        out.push_back(choice_in(text.substr(0, end), what));
        text.remove_prefix((std::min)(end, text.size()));
    }
    return out;
}

}  // namespace detail

/// Reads a choice from a file's text. `name` is the name of the file in messages. Errors: tunekit::error with the file,
/// the line and what is wrong with it, or memory that does not suffice.
[[nodiscard]] inline choice parse_choice(std::string_view text, const std::string& name)
{
    return io::detail::within_memory(name, [&] { return detail::choice_in(text, "choice " + name); });
}

/// Writes a choice's file: a temporary file, then a rename. Errors: tunekit::error where it cannot be written; the old
/// file then stays.
inline void write_choice(const std::string& path, const choice& c) { io::write_text(path, to_text(c)); }

/// The same for the choices of several kernels in one file; `load` takes the one that it wants.
inline void write_choice(const std::string& path, std::span<const choice> all)
{
    std::string text;
    for (const choice& c : all) text += to_text(c);
    io::write_text(path, text);
}

/// The position of the configuration that the environment's variable TUNEKIT_DISPATCH names for a kernel; empty where it
/// names none. It is a list such as "gemm=4711 conv=12" of kernels and of candidates' indices in their spaces; blanks in
/// a kernel's name become _. Errors: tunekit::error where it names what the choice does not have.
[[nodiscard]] inline std::optional<std::uint32_t> forced(const choice& c)
{
    const char* const text = std::getenv("TUNEKIT_DISPATCH");
    for (const std::string_view word : io::words(text == nullptr ? "" : text)) {
        const std::size_t sign = word.find('=');
        if (word.substr(0, sign) != detail::as_word(c.kernel)) continue;
        const auto candidate = core::number<index>(sign == word.npos ? "" : word.substr(sign + 1));
        for (std::uint32_t k = 0; candidate && k < c.configs.size(); ++k)
            if (c.configs[k].candidate == *candidate) return k;
        throw error("TUNEKIT_DISPATCH names " + io::escaped(word) + ", want one of the " +
                    std::to_string(c.configs.size()) + " candidates that are kept for " + c.kernel);
    }
    return std::nullopt;
}

/// The kernel, version, space and device that a program needs a choice for.
struct wanted {
    std::string kernel{};           ///< the name of the kernel
    std::string version{};          ///< the version of the kernel's code
    std::uint64_t fingerprint = 0;  ///< the fingerprint of the space
    std::string device{};           ///< the name of this machine, such as to_text(this_machine())
};

/// A loaded choice, or one line that says why it was refused.
struct loaded {
    std::optional<choice> chosen{};         ///< the choice; none where it was refused
    std::string device{};                   ///< the device of the choice to ask for: the program's own, or a kin of it
    std::string note{};                     ///< where it is a kin, one line that says so; else empty
    std::string refused{};                  ///< the reason, in one line; empty where the choice was loaded
    std::optional<std::uint32_t> forced{};  ///< the position that the environment names, see dispatch::forced
    kinship on = kinship::same;             ///< how the program's device is related to `device`

    /// The configuration for a shape: what the environment forces, else what the choice says for `device`. Precondition:
    /// the choice was loaded. Throws std::invalid_argument unless there is one size for each name.
    [[nodiscard]] pick choose(std::span<const std::int64_t> at) const
    {
        if (forced) return {*forced, rung::forced, false, on};
        pick out = chosen->choose(device, at);
        out.on = on;
        return out;
    }
    [[nodiscard]] pick choose(const shape_sizes& at) const { return choose(std::span<const std::int64_t>(at)); }

    /// Whether the choice was loaded.
    [[nodiscard]] explicit operator bool() const noexcept { return chosen.has_value(); }
};

namespace detail {

/// What an error says, without the library's name: the style of all that `loaded` says.
[[nodiscard]] inline std::string plain(const std::exception& bad)
{
    constexpr std::string_view name = "tunekit: ";
    std::string what = bad.what();
    if (what.starts_with(name)) what.erase(0, name.size());
    return what;
}

}  // namespace detail

/// Loads a choice when a program starts. A file is refused where it is missing, cut, changed, or of another kernel,
/// version, space or device. The result then has the reason in one line, and the built-in choice is used. Where the
/// device was not measured but a kin of it was (`kinship_of`), that one's part answers: it is a guess, better than for
/// an unknown device, and `note` says so. Where TUNEKIT_DISPATCH names a configuration that is none, `note` says that, and
/// it is not obeyed.
///
///     const auto file = dispatch::load("gemm.choice", {.kernel = "gemm", .version = "1",
///                                                       .fingerprint = gemm_choice::fingerprint,
///                                                       .device = to_text(this_machine())});
///     if (!file) log(file.refused);
///     const auto candidate = file ? file.chosen->configs[file.choose(at).config].candidate
///                                 : gemm_choice::choose(m, n, k).candidate;
///
/// Throws nothing but std::bad_alloc.
[[nodiscard]] inline loaded load(const std::string& path, const wanted& want)
{
    try {
        auto all = detail::choices_in(io::read_text(path), "choice " + path);
        std::string kernels;
        auto mine = all.end();
        for (auto c = all.begin(); c != all.end(); ++c) {
            kernels += (kernels.empty() ? "" : ", ") + c->kernel;
            if (mine == all.end() && c->kernel == want.kernel) mine = c;
        }
        const auto other = [&](const std::string& what, const std::string& has, const std::string& wants) {
            return loaded{.refused = "choice " + path + ": is of " + what + ' ' + has + ", not " + wants +
                                     "; what was built in answers"};
        };
        if (mine == all.end()) return other("kernel", kernels, want.kernel);
        choice c = std::move(*mine);
        if (c.version != want.version) return other("version", c.version, want.version);
        if (c.fingerprint != want.fingerprint)
            return other("a space of fingerprint", io::in_hex(c.fingerprint), io::in_hex(want.fingerprint));
        loaded out;
        try {
            out.forced = forced(c);
        } catch (const error& bad) {
            out.note = detail::plain(bad);
        }
        std::string knows, theirs;
        out.on = kinship::other;
        for (const device_choice& d : c.devices) {
            if (const kinship here = kinship_of(d.device, want.device); here < out.on) {
                out.on = here;
                theirs = d.device;
            }
            knows += (knows.empty() ? "" : ", ") + quoted_device(d.device);
        }
        if (out.on == kinship::other)
            return loaded{.refused = "choice " + path + ": does not know device " + quoted_device(want.device) +
                                     (knows.empty() ? ", nor any" : ", only " + knows) + "; what was built in answers"};
        if (out.on == kinship::kin)
            out.note += (out.note.empty() ? "choice " : "; choice ") + path + ": does not know device " +
                        quoted_device(want.device) + "; its kin " + quoted_device(theirs) +
                        " answers, tune here for better";
        out.device = std::move(theirs);
        out.chosen = std::move(c);
        return out;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& bad) {
        return {.refused = detail::plain(bad)};
    }
}

}  // namespace tunekit::dispatch
