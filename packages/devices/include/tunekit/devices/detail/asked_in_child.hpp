// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Questions to libraries that this process should not begin: a child asks them.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/devices/library.hpp"
#include "tunekit/processes/build/child_process.hpp"

namespace tunekit::measure::detail {

/// What `work()` prints in a child process, where it returns 0. Throws no_device, in one line that begins with `what`,
/// where it does not answer within `seconds` or fails. Where `work` throws a tunekit::error, the line is that of the
/// error.
template <class Work>
[[nodiscard]] std::string asked_in_child(Work&& work, const std::string& what, double seconds)
{
    child_process child(std::forward<Work>(work));
    if (!child.await(seconds))
        throw no_device(what + ": the driver has not answered for " + std::to_string(seconds) + " s");
    std::string text = child.text();
    if (child.status() == 0 && !text.empty()) return text;
    constexpr std::string_view before = "error: tunekit: ";
    const std::size_t said = text.find(before);
    if (said != std::string::npos)
        throw no_device(text.substr(said + before.size(), text.find('\n', said) - said - before.size()));
    throw no_device(what + ": asking the driver ended with status " + std::to_string(child.status()));
}

/// The devices that `work()` prints in a child process, a line each; `parse` reads a line. Lines that do not parse are
/// left out.
template <class Work, class Parse>
[[nodiscard]] auto devices_in_child(Work&& work, Parse parse, const std::string& what, double seconds)
{
    const std::string text = asked_in_child(std::forward<Work>(work), what, seconds);
    std::vector<typename decltype(parse(text))::value_type> out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = (std::min)(text.find('\n', at), text.size());
        if (auto d = parse(text.substr(at, end - at))) out.push_back(std::move(*d));
        at = end + 1;
    }
    if (out.empty()) throw no_device(what + ": the driver's answer is not understood");
    return out;
}

/// The only one of `all` whose name contains `name`, in capitals or not. Throws no_device, with the names that there
/// are.
template <class Device>
[[nodiscard]] Device device_named(const std::vector<Device>& all, std::string_view name, const std::string& kind)
{
    const auto lower = [](std::string_view text) {
        std::string out(text);
        for (char& c : out)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        return out;
    };
    const Device* found = nullptr;
    bool several = false;
    std::string names;
    for (const Device& d : all) {
        names += (names.empty() ? "" : ", ") + ('"' + d.name + '"');
        if (lower(d.name).find(lower(name)) == std::string::npos) continue;
        several = several || found != nullptr;
        found = &d;
    }
    if (found != nullptr && !several) return *found;
    throw no_device("no " + kind + " device \"" + std::string(name) + "\": " + (several ? "several have" : "none has") +
                    " that in its name, want one of " + names + ", or its number");
}

}  // namespace tunekit::measure::detail
