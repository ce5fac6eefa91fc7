// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Results as a text file, one per kernel. It is sorted, so that a diff of two shows the new measurements.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/dispatch/detail/file_head.hpp"
#include "tunekit/dispatch/results.hpp"
#include "tunekit/processes/files/sealed_file.hpp"
#include "tunekit/processes/files/text.hpp"

namespace tunekit::dispatch {

namespace detail {

inline constexpr std::string_view results_magic = "# tunekit results 1";
inline constexpr std::size_t max_unfolded = std::size_t{1} << 28;  ///< bytes of rows, each with its values

}  // namespace detail

/// The text of a file of results. Equal results have equal texts, byte for byte.
///
///     # tunekit results 1
///     kernel gemm
///     version 1
///     space 5d0c9a0b8e7f6a51
///     sizes m n k
///     parameters mr nv vl
///     config 4711 6 2 16
///     device AuthenticAMD%2026.2.1,%202%20cores,%20avx512 2026-11-22
///     128 768 768 4711 0.00123 0.00122 0.00124 15 s
///     end 1b2c3d4e5f607182
///
/// A configuration has its index and values. A size that is one of several words has a line `words transposed no yes`
/// behind the parameters. A row has the sizes, the index, the seconds, the two ends of the interval,
/// the number of runs, and letters: `s` for searched at this shape, `u` for the untuned default, `<` for cut short, `-`
/// for none of these. A blank in a field is written as %20.
[[nodiscard]] inline std::string to_text(const results& all)
{
    io::sealed_writer out(detail::results_magic);
    detail::write_head(out, all);
    std::map<index, const std::vector<std::string>*> configs;
    for (const results::row& r : all.rows) configs.emplace(r.candidate, &r.values);
    for (const auto& [candidate, values] : configs) out.line("config", candidate, *values);
    const std::string* device = nullptr;
    std::size_t day = 0;
    for (const results::row& r : all.rows) {
        if (device == nullptr || *device != r.device) {
            while (all.devices[day].device != r.device) ++day;
            out.line("device", r.device, all.devices[day].date);
            device = &r.device;
        }
        const std::string letters =
            std::string(r.searched ? "s" : "") + (r.untuned ? "u" : "") + (r.at_least ? "<" : "");
        out.line(r.at, r.candidate, r.seconds, r.within.low, r.within.high, r.runs, letters.empty() ? "-" : letters);
    }
    return std::move(out).text();
}

namespace detail {

/// Reads the lines of a file of results into `all`.
class results_reader {
public:
    results_reader(std::string_view text, const std::string& what) : in_(text, what, results_magic)
    {
        read_head(in_, all_);
    }

    [[nodiscard]] results read() &&
    {
        while (!in_.done()) {
            const std::string_view line = in_.next();
            if (line.starts_with("device ")) read_device(in_.fields(line));
            else if (line.starts_with("config ")) read_config(in_.fields(line));
            else if (line.starts_with("words ")) read_words(in_, in_.fields(line), all_);
            else read_row(io::words(line));
        }
        return std::move(all_);
    }

private:
    struct config {
        std::vector<std::string> values;
        std::size_t bytes = sizeof(results::row);  // that a row with it takes, at least
    };

    void read_device(const std::vector<std::string>& words)
    {
        if (words.size() != 3) in_.refuse("wants a device and a date");
        device_ = words[1];
        date_ = words[2];
    }

    void read_config(const std::vector<std::string>& words)
    {
        if (words.size() < 2) in_.refuse("has no configuration");
        const auto candidate = in_.number<index>(words[1]);
        config c{{words.begin() + 2, words.end()}};
        for (const std::string& v : c.values) c.bytes += sizeof(std::string) + v.size();
        if (!configs_.emplace(candidate, std::move(c)).second)
            in_.refuse("configuration " + std::to_string(candidate) + " is there twice");
    }

    void read_row(const std::vector<std::string_view>& words)
    {
        if (words.size() != all_.sizes.size() + 6)
            in_.refuse("is not a row of sizes, index, seconds, low, high, runs and letters");
        results::row r{.device = device_};
        for (std::size_t j = 0; j < all_.sizes.size(); ++j) r.at.push_back(in_.number<std::int64_t>(words[j]));
        const auto times = std::span(words).subspan(all_.sizes.size());
        r.candidate = in_.number<index>(times[0]);
        const auto known = configs_.find(r.candidate);
        if (known == configs_.end()) in_.refuse("configuration " + std::to_string(r.candidate) + " is not in the file");
        unfolded_ += known->second.bytes + device_.size();
        if (unfolded_ > max_unfolded) in_.refuse("the rows so far hold more than 256 MiB of values, want less");
        r.values = known->second.values;
        r.seconds = in_.number<double>(times[1]);
        r.within = {in_.number<double>(times[2]), in_.number<double>(times[3])};
        r.runs = in_.number<std::uint32_t>(times[4]);
        for (const char c : times[5]) {
            if (c == 's') r.searched = true;
            else if (c == 'u') r.untuned = true;
            else if (c == '<') r.at_least = true;
            else if (c != '-') in_.refuse("has another letter than s, u, < and -");
        }
        if (!all_.rows.empty() && !before(all_.rows.back(), r))
            in_.refuse(before(r, all_.rows.back()) ? "comes before the row above it, want them sorted"
                                                   : "is a second row of one shape and configuration");
        try {
            all_.add(std::move(r));
            all_.set_date(device_, date_);
        } catch (const std::invalid_argument& bad) {
            in_.refuse(bad.what() + std::string_view("tunekit: ").size());
        }
    }

    io::sealed_reader in_;
    results all_;
    std::map<index, config> configs_;
    std::size_t unfolded_ = 0;
    std::string device_, date_;
};

/// The results in a text of the file that `what` names.
[[nodiscard]] inline results results_in(std::string_view text, const std::string& what)
{
    if (!text.starts_with("# tunekit results"))
        throw error(what + ": is not a file of results, want one that dispatch::write_results wrote");
    return results_reader(text, what).read();
}

}  // namespace detail

/// Reads the text of a file of results; `name` is the name of the file in messages. Errors: tunekit::error with the
/// file, the line and what is wrong: another kind of file, one that was cut or changed, a row that does not fit or is
/// not in order, rows that hold more than 256 MiB, memory that does not suffice.
[[nodiscard]] inline results parse_results(std::string_view text, const std::string& name)
{
    return io::within_memory(name, [&] { return detail::results_in(text, "results " + name); });
}

/// Reads a file of results. Errors: those of parse_results, and tunekit::error where it cannot be read.
[[nodiscard]] inline results read_results(const std::string& path) { return parse_results(io::read_text(path), path); }

/// Writes a file of results: a temporary file, then a rename. Errors: tunekit::error where it cannot be written; the
/// old file then stays.
inline void write_results(const std::string& path, const results& all) { io::write_text(path, to_text(all)); }

}  // namespace tunekit::dispatch
