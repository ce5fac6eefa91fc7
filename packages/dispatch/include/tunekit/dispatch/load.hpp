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

#include "tunekit/core/detail/difference.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/dispatch/choice.hpp"
#include "tunekit/dispatch/choice_file.hpp"
#include "tunekit/dispatch/picker.hpp"
#include "tunekit/processes/files/sealed_file.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/processes/machine.hpp"

namespace tunekit::dispatch {

namespace detail {

/// The position of the configuration that the environment's variable TUNEKIT_DISPATCH names for a kernel; empty where
/// it names none. It is a list such as "gemm=4711 conv=12" of kernels and of candidates' indices in their spaces;
/// blanks in a kernel's name become _. Errors: tunekit::error where it names what the choice does not have.
[[nodiscard]] inline std::optional<std::uint32_t> forced(const choice& c)
{
    const char* const text = std::getenv("TUNEKIT_DISPATCH");
    for (const std::string_view word : io::words(text == nullptr ? "" : text)) {
        const std::size_t sign = word.find('=');
        if (word.substr(0, sign) != as_word(c.kernel)) continue;
        const auto candidate = core::number<index>(sign == word.npos ? "" : word.substr(sign + 1));
        for (std::uint32_t k = 0; candidate && k < c.configs.size(); ++k)
            if (c.configs[k].candidate == *candidate) return k;
        throw error("TUNEKIT_DISPATCH names " + io::escaped(word) + ", want one of the " +
                    std::to_string(c.configs.size()) + " candidates that are kept for " + c.kernel);
    }
    return std::nullopt;
}

}  // namespace detail

/// A loaded choice, or one line that says why it was refused.
struct loaded {
    /// The kernel, version, space and device that a program needs a choice for.
    struct wanted {
        std::string kernel{};           ///< the name of the kernel
        std::string version{};          ///< the version of the kernel's code
        std::uint64_t fingerprint = 0;  ///< the fingerprint of the space
        std::string device{};           ///< the name of this machine, such as to_text(this_machine())
    };

    std::optional<choice> chosen{};         ///< the choice; none where it was refused
    std::string device{};                   ///< the device of the choice to ask for: the program's own, or a kin of it
    std::string note{};                     ///< where it is a kin, one line that says so; else empty
    std::string refused{};                  ///< the reason, in one line; empty where the choice was loaded
    std::optional<std::uint32_t> forced{};  ///< the position that the environment names, see dispatch::forced
    kinship on = kinship::same;             ///< how the program's device is related to `device`
    picker picks{};                         ///< the picks of `chosen` for the program's device, made for many calls

    /// The configuration for a shape: what the environment forces, else what the choice says. Precondition: the choice
    /// was loaded. Throws std::invalid_argument unless there is one size for each name.
    [[nodiscard]] pick choose(std::span<const std::int64_t> at) const
    {
        return forced ? pick{*forced, rung::forced, false, on} : picks(at);
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
/// an unknown device, and `note` says so. Where TUNEKIT_DISPATCH names an unknown configuration, `note` says that, and
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
[[nodiscard]] inline loaded load(const std::string& path, const loaded::wanted& want)
{
    try {
        auto all = detail::choices_in(io::read_text(path), "choice " + path);
        std::string kernels;
        auto mine = all.end();
        for (auto c = all.begin(); c != all.end(); ++c) {
            kernels += (kernels.empty() ? "" : ", ") + c->kernel;
            if (mine == all.end() && c->kernel == want.kernel) mine = c;
        }
        const auto other = [&](const char* what, const std::string& has, const std::string& wants) {
            return loaded{.refused = "choice " + path + ": " + core::detail::differs(what, has, wants) +
                                     "; what was built in answers"};
        };
        if (mine == all.end()) return other("the kernel", kernels, want.kernel);
        choice c = std::move(*mine);
        if (c.version != want.version) return other("the kernel's version", c.version, want.version);
        if (c.fingerprint != want.fingerprint)
            return other("the space's fingerprint", io::in_hex(c.fingerprint), io::in_hex(want.fingerprint));
        loaded out;
        try {
            out.forced = detail::forced(c);
        } catch (const error& bad) {
            out.note = detail::plain(bad);
        }
        const auto [part, on] = c.nearest_of_kin(want.device);
        out.on = on;
        std::string knows;
        for (const choice::part& d : c.devices) knows += (knows.empty() ? "" : ", ") + quoted_device(d.device);
        if (out.on == kinship::other)
            return loaded{.refused = "choice " + path + ": does not know device " + quoted_device(want.device) +
                                     (knows.empty() ? ", nor any" : ", only " + knows) + "; what was built in answers"};
        if (out.on == kinship::kin)
            out.note += (out.note.empty() ? "choice " : "; choice ") + path + ": does not know device " +
                        quoted_device(want.device) + "; its kin " + quoted_device(part->device) +
                        " answers, tune here for better";
        out.device = part->device;
        out.picks = picker(c, want.device);
        out.chosen = std::move(c);
        return out;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& bad) {
        return {.refused = detail::plain(bad)};
    }
}

}  // namespace tunekit::dispatch
