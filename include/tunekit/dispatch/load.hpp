// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Loads a choice from a file when a program starts. A file that does not fit is refused, and the built-in header
/// answers.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/core/machine.hpp"
#include "tunekit/dispatch/choice.hpp"
#include "tunekit/dispatch/detail/line_reader.hpp"
#include "tunekit/dispatch/detail/words.hpp"
#include "tunekit/io/field.hpp"
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
            need(s.at.size() == c.sizes.size(), "has a shape with another number of sizes");
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

[[nodiscard]] inline rung rung_of(const line_reader& in, std::string_view text)
{
    for (const rung by : {rung::exact, rung::nearest, rung::tree, rung::one})
        if (text == to_text(by)) return by;
    in.refuse("names another rung than exact, nearest, tree and one");
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

[[nodiscard]] inline position position_of(const line_reader& in, std::string_view text)
{
    const bool untuned = text.ends_with('u');
    if (untuned) text.remove_suffix(1);
    return {in.number<std::uint32_t>(text), untuned};
}

}  // namespace detail

/// The text of a choice's file. Equal choices have equal texts.
[[nodiscard]] inline std::string to_text(const choice& c)
{
    using detail::as_word;
    std::string out(detail::choice_magic);
    out += "\nkernel " + as_word(c.kernel) + "\nversion " + as_word(c.version) + "\nspace " +
           io::in_hex(c.fingerprint) + "\nsizes " + detail::joined(c.sizes) + "\nparameters " +
           detail::joined(c.parameters) + '\n';
    for (const kept_config& k : c.configs)
        out += "config " + std::to_string(k.candidate) + ' ' + std::to_string(k.shapes) +
               (k.values.empty() ? "" : " ") + detail::joined(k.values) + '\n';
    out += "one " + detail::to_text({c.one, c.one_untuned}) + '\n';
    for (const device_choice& d : c.devices) {
        out += "device " + as_word(d.device) + ' ' + as_word(d.date) + ' ' + to_text(d.general) + '\n';
        for (const rung_score& s : d.scores)
            out += std::string("score ") + to_text(s.by) + ' ' + std::to_string(s.shapes) + ' ' + io::text_of(s.share) +
                   ' ' + io::text_of(s.worst) + ' ' + std::to_string(s.against) + ' ' + io::text_of(s.gain) + ' ' +
                   io::text_of(s.least_gain) + ' ' + std::to_string(s.below) + '\n';
        for (const chosen_shape& s : d.shapes) {
            out +=
                "shape " + detail::to_text({s.config, s.untuned}) + ' ' + detail::to_text({s.around, s.around_untuned});
            for (const std::int64_t x : s.at) out += ' ' + std::to_string(x);
            out += '\n';
        }
        for (const tree_node& n : d.tree)
            out += n.of == 0 ? "leaf " + detail::to_text({n.config, n.untuned}) + '\n'
                             : "node " + std::to_string(n.of) + ' ' + std::to_string(n.less) + ' ' +
                                   std::to_string(n.at_most) + ' ' + std::to_string(n.yes) + ' ' +
                                   std::to_string(n.no) + '\n';
    }
    return detail::with_end(std::move(out));
}

namespace detail {

/// The choice in a text of the file that `what` names.
[[nodiscard]] inline choice choice_in(std::string_view text, const std::string& what)
{
    if (!text.starts_with("# tunekit choice"))
        throw error(what + ": is no file of a choice, want one that dispatch::write_choice wrote");
    line_reader in(without_end(text, what), what);
    check_first(in, choice_magic);
    choice out;
    out.kernel = in.word(in.after("kernel"));
    out.version = in.word(in.after("version"));
    out.fingerprint = in.hex(in.after("space"));
    out.sizes = in.fields(in.after("sizes"));
    out.parameters = in.fields(in.after("parameters"));
    while (!in.done()) {
        const auto f = in.fields(in.next());
        const auto want = [&](bool good) {
            if (!good) in.refuse("is no line of a choice");
        };
        want(f.size() >= 2);
        const auto number = [&](std::size_t k) { return in.number<std::uint32_t>(f[k]); };
        if (f[0] == "config") {
            want(f.size() >= 3);
            out.configs.push_back(
                {.candidate = in.number<index>(f[1]), .values = {f.begin() + 3, f.end()}, .shapes = number(2)});
        } else if (f[0] == "one") {
            const auto p = position_of(in, f[1]);
            out.one = p.config;
            out.one_untuned = p.untuned;
        } else if (f[0] == "device") {
            want(f.size() == 4);
            out.devices.push_back({.device = f[1], .date = f[2], .general = rung_of(in, f[3])});
        } else {
            want(!out.devices.empty());
            device_choice& d = out.devices.back();
            if (f[0] == "score") {
                want(f.size() == 9);
                d.scores.push_back({.by = rung_of(in, f[1]),
                                    .shapes = number(2),
                                    .share = in.number<double>(f[3]),
                                    .worst = in.number<double>(f[4]),
                                    .against = number(5),
                                    .gain = in.number<double>(f[6]),
                                    .least_gain = in.number<double>(f[7]),
                                    .below = number(8)});
            } else if (f[0] == "shape") {
                want(f.size() >= 3);
                const auto here = position_of(in, f[1]), around = position_of(in, f[2]);
                chosen_shape s{.config = here.config,
                               .around = around.config,
                               .untuned = here.untuned,
                               .around_untuned = around.untuned};
                for (std::size_t k = 3; k < f.size(); ++k) s.at.push_back(in.number<std::int64_t>(f[k]));
                d.shapes.push_back(std::move(s));
            } else if (f[0] == "leaf") {
                want(f.size() == 2);
                const auto p = position_of(in, f[1]);
                d.tree.push_back({.config = p.config, .untuned = p.untuned});
            } else {
                want(f[0] == "node" && f.size() == 6);
                d.tree.push_back({.of = number(1),
                                  .less = number(2),
                                  .at_most = in.number<std::int64_t>(f[3]),
                                  .yes = number(4),
                                  .no = number(5)});
                want(d.tree.back().of != 0);
            }
        }
    }
    check_choice(out, what);
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
inline void write_choice(const std::string& path, const choice& c) { io::replace_text(path, to_text(c)); }

/// The kernel, version, space and device that a program needs a choice for.
struct wanted {
    std::string kernel{};           ///< the name of the kernel
    std::string version{};          ///< the version of the kernel's code
    std::uint64_t fingerprint = 0;  ///< the fingerprint of the space
    std::string device{};           ///< the name of this machine, such as to_text(this_machine())
};

/// A loaded choice, or one line that says why it was refused.
struct loaded {
    std::optional<choice> chosen{};  ///< the choice; none where it was refused
    std::string device{};            ///< the device of the choice to ask for: the program's own, or a kin of it
    std::string note{};              ///< where it is a kin, one line that says so; else empty
    std::string refused{};           ///< the reason, in one line; empty where the choice was loaded

    /// Whether the choice was loaded.
    [[nodiscard]] explicit operator bool() const noexcept { return chosen.has_value(); }
};

/// Loads a choice when a program starts. A file is refused where it is missing, cut, changed, or of another kernel,
/// version, space or device. The result then has the reason in one line, and the built-in choice is used. Where the
/// device was not measured but a kin of it was (`kinship_of`), that one's part answers: it is a guess, better than for
/// an unknown device, and `note` says so.
///
///     const auto file = dispatch::load("gemm.choice", {.kernel = "gemm", .version = "1",
///                                                       .fingerprint = gemm_choice::fingerprint,
///                                                       .device = to_text(this_machine())});
///     if (!file) log(file.refused);
///     const auto candidate = file ? file.chosen->configs[file.chosen->choose(file.device, at).config].candidate
///                                 : gemm_choice::choose(m, n, k).candidate;
///
/// Throws nothing but std::bad_alloc.
[[nodiscard]] inline loaded load(const std::string& path, const wanted& want)
{
    try {
        choice c = parse_choice(io::read_text(path), path);
        const auto other = [&](const std::string& what, const std::string& has, const std::string& wants) {
            return loaded{.refused = "choice " + path + ": is of " + what + ' ' + has + ", not " + wants +
                                     "; what was built in answers"};
        };
        if (c.kernel != want.kernel) return other("kernel", c.kernel, want.kernel);
        if (c.version != want.version) return other("version", c.version, want.version);
        if (c.fingerprint != want.fingerprint)
            return other("a space of fingerprint", io::in_hex(c.fingerprint), io::in_hex(want.fingerprint));
        std::string knows;
        const device_choice* kin = nullptr;
        for (const device_choice& d : c.devices) {
            const kinship on = kinship_of(d.device, want.device);
            if (on == kinship::same) return {.chosen = std::move(c), .device = want.device};
            if (on == kinship::kin && kin == nullptr) kin = &d;
            knows += (knows.empty() ? "" : ", ") + quoted_device(d.device);
        }
        if (kin == nullptr)
            return loaded{.refused = "choice " + path + ": does not know device " + quoted_device(want.device) +
                                     (knows.empty() ? ", nor any" : ", only " + knows) + "; what was built in answers"};
        std::string theirs = kin->device;
        return {.chosen = std::move(c),
                .device = theirs,
                .note = "choice " + path + ": does not know device " + quoted_device(want.device) + "; its kin " +
                        quoted_device(theirs) + " answers, tune here for better"};
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& bad) {
        return {.refused = bad.what()};
    }
}

}  // namespace tunekit::dispatch
