// SPDX-License-Identifier: MIT
#include "tunekit/processes/powercap.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "tunekit/core/text.hpp"
#include "tunekit/processes/detail/system/files.hpp"

namespace tunekit::measure {

namespace {

/// The whole number in a file of sysfs; empty where it cannot be read or holds something else.
std::optional<double> number_in_file(const std::string& path)
{
    const int file = system::detail::open_file(path, system::detail::opening::read);
    if (file < 0) return std::nullopt;
    char text[64];
    const std::ptrdiff_t got = system::detail::read_some(file, text, sizeof text);
    system::detail::close_file(file);
    std::string_view word(text, static_cast<std::size_t>(got > 0 ? got : 0));
    if (!word.ends_with('\n')) return std::nullopt;  // it goes on
    word.remove_suffix(1);
    const auto found = core::number<std::uint64_t>(word);
    return found ? std::optional(static_cast<double>(*found)) : std::nullopt;
}

}  // namespace

energy_counter::energy_counter(std::string folder)
{
    for (std::size_t k = 0; k < 64; ++k) {
        const std::string zone = folder + "/intel-rapl:" + std::to_string(k);
        const auto now = number_in_file(zone + "/energy_uj");
        if (!now) continue;
        packages_.push_back({zone + "/energy_uj", number_in_file(zone + "/max_energy_range_uj").value_or(0), *now});
    }
}

void energy_counter::restart()
{
    for (package& p : packages_) p.begun = number_in_file(p.file).value_or(std::numeric_limits<double>::quiet_NaN());
}

double energy_counter::joules() const
{
    if (packages_.empty()) return std::numeric_limits<double>::quiet_NaN();
    double sum = 0;
    for (const package& p : packages_) {
        const double now = number_in_file(p.file).value_or(std::numeric_limits<double>::quiet_NaN());
        double more = now - p.begun;
        if (more < 0) more += p.range;  // it began again
        sum += more < 0 ? std::numeric_limits<double>::quiet_NaN() : more;
    }
    return 1e-6 * sum;
}

}  // namespace tunekit::measure
