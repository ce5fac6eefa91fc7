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
#include "tunekit/dispatch/detail/line_reader.hpp"
#include "tunekit/dispatch/detail/words.hpp"
#include "tunekit/dispatch/results.hpp"
#include "tunekit/io/field.hpp"
#include "tunekit/io/text.hpp"

namespace tunekit::dispatch {

namespace detail {

inline constexpr std::string_view results_magic = "# tunekit results 1";
inline constexpr std::size_t max_unfolded = std::size_t{1}
                                            << 28;  // bytes of rows, each with its configuration's values

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
/// A configuration has its index and values. A row has the sizes, the index, the seconds, the two ends of the interval,
/// the number of runs, and letters: `s` for searched at this shape, `u` for the untuned default, `<` for cut short, `-`
/// for none of these. A blank in a field is written as %20.
[[nodiscard]] inline std::string to_text(const results& all)
{
    std::string out(detail::results_magic);
    out += "\nkernel " + detail::as_word(all.kernel) + "\nversion " + detail::as_word(all.version) + "\nspace " +
           io::in_hex(all.fingerprint) + "\nsizes " + detail::joined(all.sizes) + "\nparameters " +
           detail::joined(all.parameters) + '\n';
    std::map<index, const std::vector<std::string>*> configs;
    for (const result& r : all.rows) configs.emplace(r.candidate, &r.values);
    for (const auto& [candidate, values] : configs) {
        out += "config " + std::to_string(candidate);
        for (const std::string& v : *values) out += ' ' + detail::as_word(v);
        out += '\n';
    }
    const std::string* device = nullptr;
    std::size_t day = 0;
    for (const result& r : all.rows) {
        if (device == nullptr || *device != r.device) {
            while (all.devices[day].device != r.device) ++day;
            out += "device " + detail::as_word(r.device) + ' ' + detail::as_word(all.devices[day].date) + '\n';
            device = &r.device;
        }
        for (const std::int64_t x : r.at) out += std::to_string(x) + ' ';
        out += std::to_string(r.candidate) + ' ' + io::text_of(r.seconds) + ' ' + io::text_of(r.within.low) + ' ' +
               io::text_of(r.within.high) + ' ' + std::to_string(r.runs) + ' ';
        const std::string letters =
            std::string(r.searched ? "s" : "") + (r.untuned ? "u" : "") + (r.at_least ? "<" : "");
        out += (letters.empty() ? "-" : letters) + '\n';
    }
    return detail::with_end(std::move(out));
}

namespace detail {

/// The results in a text of the file that `what` names.
[[nodiscard]] inline results results_in(std::string_view text, const std::string& what)
{
    if (!text.starts_with("# tunekit results"))
        throw error(what + ": is no file of results, want one that dispatch::write_results wrote");
    line_reader in(without_end(text, what), what);
    check_first(in, results_magic);
    results out;
    out.kernel = in.word(in.after("kernel"));
    out.version = in.word(in.after("version"));
    out.fingerprint = in.hex(in.after("space"));
    out.sizes = in.fields(in.after("sizes"));
    out.parameters = in.fields(in.after("parameters"));
    struct config {
        std::vector<std::string> values;
        std::size_t bytes = sizeof(result);  // that a row with it takes, at least
    };
    std::map<index, config> configs;
    std::size_t unfolded = 0;
    std::string device, date;
    while (!in.done()) {
        if (in.peek().starts_with("device ")) {
            const auto both = in.fields(in.after("device"));
            if (both.size() != 2) in.refuse("wants a device and a date");
            device = both[0];
            date = both[1];
            continue;
        }
        if (in.peek().starts_with("config ")) {
            auto values = in.fields(in.after("config"));
            if (values.empty()) in.refuse("has no configuration");
            const auto candidate = in.number<index>(values.front());
            values.erase(values.begin());
            config c{std::move(values)};
            for (const std::string& v : c.values) c.bytes += sizeof(std::string) + v.size();
            if (!configs.emplace(candidate, std::move(c)).second)
                in.refuse("configuration " + std::to_string(candidate) + " is there twice");
            continue;
        }
        const auto words = io::words(in.next());
        if (words.size() != out.sizes.size() + 6)
            in.refuse("is no row of sizes, index, seconds, low, high, runs and letters");
        result r{.device = device};
        for (std::size_t j = 0; j < out.sizes.size(); ++j) r.at.push_back(in.number<std::int64_t>(words[j]));
        const auto times = std::span(words).subspan(out.sizes.size());
        r.candidate = in.number<index>(times[0]);
        const auto known = configs.find(r.candidate);
        if (known == configs.end()) in.refuse("configuration " + std::to_string(r.candidate) + " is not in the file");
        unfolded += known->second.bytes + device.size();
        if (unfolded > max_unfolded) in.refuse("the rows so far hold more than 256 MiB of values, want less");
        r.values = known->second.values;
        r.seconds = in.number<double>(times[1]);
        r.within = {in.number<double>(times[2]), in.number<double>(times[3])};
        r.runs = in.number<std::uint32_t>(times[4]);
        for (const char c : times[5]) {
            if (c == 's') r.searched = true;
            else if (c == 'u') r.untuned = true;
            else if (c == '<') r.at_least = true;
            else if (c != '-') in.refuse("has another letter than s, u, < and -");
        }
        if (!out.rows.empty() && !before(out.rows.back(), r))
            in.refuse(before(r, out.rows.back()) ? "comes before the row above it, want them sorted"
                                                 : "is a second row of one shape and configuration");
        try {
            out.add(std::move(r));
        } catch (const std::invalid_argument& bad) {
            in.refuse(bad.what());
        }
        out.set_date(device, date);
    }
    return out;
}

}  // namespace detail

/// Reads results from a file's text. `name` is the name of the file in messages. Errors: tunekit::error with the file,
/// the line and what is wrong: another kind of file, one that was cut or changed, a row that does not fit or is not
/// in order, rows that hold more than 256 MiB, memory that does not suffice.
[[nodiscard]] inline results parse_results(std::string_view text, const std::string& name)
{
    return io::detail::within_memory(name, [&] { return detail::results_in(text, "results " + name); });
}

/// Reads a file of results. Errors: those of parse_results, and tunekit::error where it cannot be read.
[[nodiscard]] inline results read_results(const std::string& path) { return parse_results(io::read_text(path), path); }

/// Writes a file of results: a temporary file, then a rename. Errors: tunekit::error where it cannot be written; the
/// old file then stays.
inline void write_results(const std::string& path, const results& all) { io::replace_text(path, to_text(all)); }

}  // namespace tunekit::dispatch
