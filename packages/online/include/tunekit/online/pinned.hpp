// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The environment's variable TUNEKIT_ONLINE: which configuration a kernel uses, without measuring anything.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::online {

/// What a list of pins, which is the value of TUNEKIT_ONLINE, says of a kernel: the configuration that all of its
/// contexts use; empty where it names neither the kernel nor all of them. The list has its entries between semicolons:
///
/// * `transpose=rows:32,columns:16`: this configuration, by the texts of its values; a parameter that is left out has
///   the value that it has in `untuned`.
/// * `transpose=off`: `untuned`. `off` alone is that of every kernel without an entry of its own.
///
/// A piece between commas that begins with no parameter's name belongs to the value before it.
/// Errors: std::invalid_argument for a parameter or a configuration that the kernel does not have. Cost: O(size) if an
/// entry has values.
template <class Space>
[[nodiscard]] std::optional<index> pinned_in(std::string_view pins, std::string_view kernel, const Space& space,
                                             index untuned)
{
    const auto entry_of = [&]() -> std::optional<std::string_view> {
        std::optional<std::string_view> of_all;
        for (std::size_t at = 0; at <= pins.size();) {
            const std::size_t end = (std::min)(pins.find(';', at), pins.size());
            const std::string_view entry = pins.substr(at, end - at);
            if (entry.starts_with(kernel) && entry.substr(kernel.size()).starts_with('='))
                return entry.substr(kernel.size() + 1);
            if (entry == "off") of_all = entry;
            at = end + 1;
        }
        return of_all;
    };
    const std::optional<std::string_view> entry = entry_of();
    if (!entry) return std::nullopt;
    if (*entry == "off") return untuned;

    const auto names = space.names();
    std::vector<std::string> wanted = space.texts(untuned);
    std::optional<std::size_t> last;  // the parameter of the piece before
    for (std::size_t at = 0; at <= entry->size();) {
        const std::size_t end = (std::min)(entry->find(',', at), entry->size());
        const std::string_view piece = entry->substr(at, end - at);
        const std::size_t colon = (std::min)(piece.find(':'), piece.size());
        const auto name = std::find(names.begin(), names.end(), piece.substr(0, colon));
        if (name != names.end() && colon < piece.size()) {
            last = static_cast<std::size_t>(name - names.begin());
            wanted[*last] = piece.substr(colon + 1);
        } else if (last) {
            (wanted[*last] += ',') += piece;
        } else {
            std::string known;
            for (const auto& n : names) ((known += known.empty() ? "" : ", ") += '"') += std::string(n) + '"';
            invalid("TUNEKIT_ONLINE: \"" + std::string(piece) + "\" names no parameter of " + std::string(kernel) +
                    ", want NAME:VALUE of " + known + ", or off");
        }
        at = end + 1;
    }
    for (index i = 0; i < space.size(); ++i)
        if (space.texts(i) == wanted) return i;
    invalid("TUNEKIT_ONLINE: " + std::string(kernel) + " has no configuration " + std::string(*entry) +
            ", want values of its space that its constraints allow");
}

}  // namespace tunekit::online
