// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The results of one kernel over many shapes and devices, and the best of each.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tunekit/core/detail/difference.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/stats/interval.hpp"
#include "tunekit/stats/normal.hpp"

namespace tunekit::dispatch {

/// The sizes that make a shape, in the order of their names, such as m, n and k of a matrix product. Each is at least
/// 1.
using shape_sizes = std::vector<std::int64_t>;

/// A size that is one of a few words, such as "transposed" of "no" and "yes". A shape has the word's place, from 1.
struct enumeration {
    std::string size{};                ///< the name of the size
    std::vector<std::string> words{};  ///< 1 to 63 different words, in the order of their places

    friend bool operator==(const enumeration&, const enumeration&) = default;
};

namespace detail {

/// The text of a shape, such as "m=128 n=768 transposed=no".
[[nodiscard]] inline std::string shape_text(const std::vector<std::string>& names, const shape_sizes& at,
                                            std::span<const enumeration> words = {})
{
    std::string out;
    for (std::size_t j = 0; j < at.size() && j < names.size(); ++j) {
        std::string value = std::to_string(at[j]);
        for (const enumeration& e : words)
            if (e.size == names[j] && at[j] >= 1 && static_cast<std::size_t>(at[j]) <= e.words.size())
                value = e.words[static_cast<std::size_t>(at[j]) - 1];
        out += (j == 0 ? "" : " ") + names[j] + '=' + value;
    }
    return out;
}

/// What is wrong with a shape: it has one size for each name, at least 1, and the places of words. Empty for nothing.
[[nodiscard]] inline std::string wrong_shape(const shape_sizes& at, const std::vector<std::string>& names,
                                             std::span<const enumeration> words)
{
    if (at.empty() || at.size() != names.size()) {
        std::string out = "a shape of " + core::detail::counted(at.size(), "size") + ", want one for each of";
        for (const std::string& n : names) out += ' ' + n;
        return out;
    }
    std::string wrong;
    for (std::size_t j = 0; j < at.size(); ++j) {
        if (at[j] < 1) wrong = "a size below 1, want >= 1";
        for (const enumeration& e : words)
            if (e.size == names[j] && at[j] > static_cast<std::int64_t>(e.words.size()))
                wrong = "an unknown word for " + e.size + ", want the place of one";
    }
    return wrong.empty() ? wrong : "the shape " + detail::shape_text(names, at, words) + " with " + wrong;
}

}  // namespace detail

namespace detail {

/// What is wrong with these enumerations of some of these sizes; empty where nothing is.
[[nodiscard]] inline std::string wrong_words(const std::vector<std::string>& sizes, std::span<const enumeration> all)
{
    for (const enumeration& e : all) {
        const auto same = [&](const enumeration& other) { return other.size == e.size; };
        if (std::find(sizes.begin(), sizes.end(), e.size) == sizes.end()) return "names words of no size, " + e.size;
        if (std::count_if(all.begin(), all.end(), same) != 1) return "names words of " + e.size + " twice";
        if (e.words.empty() || e.words.size() > 63) return "has no words for " + e.size + ", or more than 63";
        for (const std::string& w : e.words)
            if (std::count(e.words.begin(), e.words.end(), w) != 1)
                return "has the word " + w + " of " + e.size + " twice";
    }
    return {};
}

/// The sizes that are words, one bit each.
[[nodiscard]] inline std::uint32_t bits_of_words(const std::vector<std::string>& sizes,
                                                 std::span<const enumeration> all)
{
    std::uint32_t out = 0;
    for (std::size_t j = 0; j < sizes.size() && j < 32; ++j)
        for (const enumeration& e : all)
            if (e.size == sizes[j]) out |= std::uint32_t{1} << j;
    return out;
}

/// The 95 % interval around a measured cost, whose spread is a standard error. It is [0, inf] where the spread is not
/// above 0.
[[nodiscard]] inline stats::interval interval_of(const measure::measurement& m)
{
    if (!(m.spread > 0)) return {0, std::numeric_limits<double>::infinity()};
    const double half = stats::normal_quantile(0.975) * m.spread;
    return {(std::max)(0.0, m.cost - half), m.cost + half};
}

/// Whether the text is one line that a file can hold and a comment can quote.
[[nodiscard]] inline bool one_line(const std::string& s)
{
    return std::all_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
}

}  // namespace detail

/// All results of one kernel. A value; rows are kept sorted by device, shape and configuration.
///
///     dispatch::results all{.kernel = "gemm", .fingerprint = space.fingerprint(), .sizes = {"m", "n", "k"},
///                           .parameters = names_of(space)};
///     all.add({.device = to_text(this_machine()), .at = {128, 768, 768}, .candidate = 4711, .seconds = 1.2e-3});
///     all.merge(dispatch::read_results("from_the_other_machine.results"));
///
/// All rows are of one space, so an index means the same configuration at each shape. What won at one shape can be
/// tried at another.
struct results {
    struct log_options;  ///< of `results_of`

    /// The time of one configuration at one shape on one device.
    struct row {
        std::string device{};               ///< the name of the device, in one line
        shape_sizes at{};                   ///< the sizes of the shape
        index candidate = 0;                ///< the index in the space that all shapes share
        std::vector<std::string> values{};  ///< the texts of its values, one per parameter
        double seconds = 0;                 ///< the time of one run, above 0
        /// The 95 % interval around `seconds`; unbounded where nothing is known.
        stats::interval within{0, std::numeric_limits<double>::infinity()};
        std::uint32_t runs = 0;  ///< the number of runs that were measured; 0 where it is not known
        bool at_least = false;   ///< whether it was cut short: the true time is not below `seconds`
        bool searched = false;   ///< whether a search at this shape tried it; otherwise it came from another shape
        bool untuned = false;    ///< whether it is what an untuned library runs at this shape

        /// Whether this and another row of its configuration, shape and device cannot both be right: measured whole,
        /// with intervals that do not overlap, and times that differ by a factor above `max_ratio`.
        [[nodiscard]] bool contradicts(const row& other, double max_ratio) const
        {
            return !at_least && !other.at_least && (within.low > other.within.high || other.within.low > within.high) &&
                   (std::max)(seconds / other.seconds, other.seconds / seconds) > max_ratio;
        }

        friend bool operator==(const row&, const row&) = default;
    };

    /// The date of a device's rows.
    struct dated {
        std::string device{};  ///< the name of the device
        std::string date{};    ///< a text of the user's; empty where not given

        friend bool operator==(const dated&, const dated&) = default;
    };

    /// The fastest configuration at one shape on one device.
    struct winner {
        std::string device{};                  ///< the name of the device
        shape_sizes at{};                      ///< the sizes of the shape
        std::size_t best = 0;                  ///< position in results::rows
        std::vector<std::size_t> tied{};       ///< the positions of others whose intervals do not differ from its own
        std::optional<std::size_t> untuned{};  ///< the position of the untuned default, where that was measured whole
    };

    struct merged;  ///< what `merge_all` returns

    std::string kernel{};                   ///< the name of the kernel
    std::string version{};                  ///< the version of the kernel's code: a text of the user's
    std::uint64_t fingerprint = 0;          ///< the fingerprint of the space
    std::vector<std::string> sizes{};       ///< the names of the sizes that make a shape, in their order
    std::vector<std::string> parameters{};  ///< the names of the parameters, in the order of the values
    std::vector<enumeration> words{};       ///< the sizes that are words: transposed or not, the precision
    std::vector<dated> devices{};           ///< the devices with rows, sorted by name
    std::vector<row> rows{};  ///< the results, sorted by device, shape and configuration; `add` keeps them so

    /// Adds a row. Where a row of the same device, shape and configuration exists, the faster of the two stays, because
    /// disturbances only lengthen times. The `searched` and `untuned` of both count. A time measured whole replaces one
    /// that was cut short. Of two that were cut short, the longer one stays.
    /// Errors: std::invalid_argument for a row that does not fit (sizes, values, a time that is not positive and
    ///         finite, text of several lines). tunekit::error where two rows contradict each other.
    void add(row r, double max_ratio = 2);

    /// Adds the rows of `other`, all of them or none. A device's date becomes the later one.
    /// Errors: tunekit::error where `other` is of another kernel, version or space, or where a row contradicts.
    void merge(const results& other, double max_ratio = 2);

    /// Sets the date of a device's rows. Throws std::invalid_argument where the device has no rows, or the date has
    /// several lines.
    void set_date(const std::string& device, const std::string& date);

    /// The fastest configuration of each device and shape, in the order of the rows: the least time among rows measured
    /// whole, and the first of equal ones. A shape without such a row has no winner.
    [[nodiscard]] std::vector<winner> winners() const;

    /// The text of a shape, such as "m=128 n=768 transposed=no".
    [[nodiscard]] std::string text_of(const shape_sizes& at) const { return detail::shape_text(sizes, at, words); }

    friend bool operator==(const results&, const results&) = default;
};

namespace detail {

[[nodiscard]] inline bool before(const results::row& a, const results::row& b)
{
    return std::tie(a.device, a.at, a.candidate) < std::tie(b.device, b.at, b.candidate);
}

}  // namespace detail

inline std::vector<results::winner> results::winners() const
{
    std::vector<winner> out;
    for (std::size_t k = 0; k < rows.size();) {
        std::size_t end = k;
        std::optional<std::size_t> best, untuned;
        for (; end < rows.size() && rows[end].device == rows[k].device && rows[end].at == rows[k].at; ++end) {
            if (rows[end].at_least) continue;
            if (rows[end].untuned) untuned = end;
            if (!best || rows[end].seconds < rows[*best].seconds) best = end;
        }
        if (best) {
            winner w{.device = rows[k].device, .at = rows[k].at, .best = *best, .untuned = untuned};
            for (std::size_t i = k; i < end; ++i)
                if (i != *best && !rows[i].at_least && rows[i].within.low <= rows[*best].within.high)
                    w.tied.push_back(i);
            out.push_back(std::move(w));
        }
        k = end;
    }
    return out;
}

inline void results::add(row r, double max_ratio)
{
    const auto need = [&](bool good, const char* what) {
        if (!good) invalid("results: a row of " + kernel + " at " + text_of(r.at) + ' ' + what);
    };
    need(!r.device.empty() && detail::one_line(r.device), "has no device, or one of several lines, want its name");
    const std::string wrong = detail::wrong_shape(r.at, sizes, words);
    if (!wrong.empty()) invalid("results: a row of " + kernel + " has " + wrong);
    need(r.values.size() == parameters.size(), "has other values than the results, want one for each parameter");
    need(std::all_of(r.values.begin(), r.values.end(), detail::one_line), "has a value of several lines, want one");
    need(std::isfinite(r.seconds) && r.seconds > 0, "has an invalid time, want seconds above 0");
    need(r.within.low >= 0 && r.within.low <= r.seconds && r.seconds <= r.within.high,
         "has an interval without its time, want low <= seconds <= high");
    const auto place = std::lower_bound(rows.begin(), rows.end(), r, detail::before);
    if (place == rows.end() || detail::before(r, *place)) {
        const auto day = std::lower_bound(devices.begin(), devices.end(), r.device,
                                          [](const dated& d, const std::string& name) { return d.device < name; });
        if (day == devices.end() || day->device != r.device) devices.insert(day, {r.device, {}});
        rows.insert(place, std::move(r));
        return;
    }
    row& old = *place;
    if (old.values != r.values)
        throw error("results: configuration " + std::to_string(r.candidate) + " of " + kernel + " at " + text_of(r.at) +
                    " has other values in each of two rows; want rows of one space");
    if (r.contradicts(old, max_ratio))
        throw error("results: configuration " + std::to_string(r.candidate) + " of " + kernel + " at " + text_of(r.at) +
                    " on " + r.device + " took " + std::to_string(1e6 * old.seconds) + " us and " +
                    std::to_string(1e6 * r.seconds) + " us: they contradict; measure it again, or drop one");
    const bool searched = old.searched || r.searched, untuned = old.untuned || r.untuned;
    const bool better = old.at_least == r.at_least ? (r.seconds < old.seconds) != r.at_least : old.at_least;
    if (better) old = std::move(r);
    old.searched = searched;
    old.untuned = untuned;
}

inline void results::merge(const results& other, double max_ratio)
{
    const auto same = [&](bool good, const char* what, const std::string& ours, const std::string& theirs) {
        if (!good)
            throw error("results of " + kernel + ": of those to be merged " +
                        core::detail::differs(what, theirs, ours) + "; keep a file for each");
    };
    same(other.kernel == kernel, "the kernel", kernel, other.kernel);
    same(other.version == version, "the kernel's version", version, other.version);
    same(other.fingerprint == fingerprint, "the space's fingerprint", std::to_string(fingerprint),
         std::to_string(other.fingerprint));
    const auto list = [](const auto& names) {
        std::string out;
        for (const auto& name : names) (out += out.empty() ? "" : ", ") += name;
        return out;
    };
    same(other.sizes == sizes, "the shape", list(sizes), list(other.sizes));
    same(other.parameters == parameters, "the set of parameters", list(parameters), list(other.parameters));
    const auto all_words = [&list](const results& of) {
        std::vector<std::string> out;
        for (const enumeration& e : of.words) out.push_back(e.size + ": " + list(e.words));
        return list(out);
    };
    same(other.words == words, "the set of words", all_words(*this), all_words(other));
    results out = *this;  // so that all rows are added, or none
    for (const row& r : other.rows) out.add(r, max_ratio);
    for (const dated& d : other.devices) {
        const auto day = std::find_if(out.devices.begin(), out.devices.end(),
                                      [&](const dated& mine) { return mine.device == d.device; });
        if (day != out.devices.end() && day->date < d.date) day->date = d.date;
    }
    *this = std::move(out);
}

inline void results::set_date(const std::string& device, const std::string& date)
{
    require(detail::one_line(date), "results: a date has several lines, want one");
    for (dated& d : devices)
        if (d.device == device) {
            d.date = date;
            return;
        }
    invalid("results: device \"" + device + "\" has no rows, want one that has");
}

}  // namespace tunekit::dispatch
