// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Results as a table of losses: a row for each shape of a device, a column for each configuration.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/dispatch/results.hpp"

namespace tunekit::dispatch::detail {

inline constexpr std::uint32_t no_config = ~std::uint32_t{0};

/// One shape on one device.
struct table_row {
    std::size_t device = 0;  ///< position in results::devices
    shape_sizes at{};
    double best = 0;   ///< seconds of the fastest, wherever it came from
    double alone = 0;  ///< seconds of the fastest that a search at this shape tried; the fastest of all where none did
    std::uint32_t untuned = no_config;
    double unknown = 0;  ///< the loss of what was not measured here
};

/// loss = log(seconds / best of the row). A configuration that was cut short counts with the least time seen. One that
/// was not measured counts as the slowest of its row, and at least as twice the best, so that ignorance never wins.
struct cost_table {
    std::vector<table_row> rows;                   ///< by device, then shape
    std::vector<index> candidates;                 ///< ascending
    std::vector<std::vector<std::string>> values;  ///< the values of each candidate
    std::vector<double> losses;                    ///< rows x candidates
    std::vector<const results::row*> sources;      ///< rows x candidates; null where nothing was measured
    std::uint32_t words = 0;                       ///< the sizes that are words, one bit each

    [[nodiscard]] std::size_t columns() const { return candidates.size(); }
    [[nodiscard]] double loss(std::size_t row, std::size_t config) const { return losses[row * columns() + config]; }
    /// The loss of the row's untuned default.
    [[nodiscard]] double untuned_loss(std::size_t row) const
    {
        const std::uint32_t c = rows[row].untuned;
        return c == no_config ? rows[row].unknown : loss(row, c);
    }
    /// Whether the untuned default of any of these rows was measured.
    [[nodiscard]] bool knows_untuned(std::span<const std::size_t> some) const
    {
        return std::any_of(some.begin(), some.end(), [&](std::size_t r) { return rows[r].untuned != no_config; });
    }
    [[nodiscard]] const results::row* source(std::size_t row, std::size_t config) const
    {
        return sources[row * columns() + config];
    }
};

/// The table of all shapes that were measured whole at least once, with columns for `more` as well. It refers to `all`.
/// Throws tunekit::error where there is no such shape.
[[nodiscard]] inline cost_table table_of(const results& all, std::span<const index> more = {})
{
    cost_table out;
    out.words = bits_of_words(all.sizes, all.words);
    std::map<index, std::uint32_t> column;
    for (const results::row& r : all.rows) column.emplace(r.candidate, 0);
    for (const index i : more) column.emplace(i, 0);
    for (auto& [candidate, place] : column) {
        place = static_cast<std::uint32_t>(out.candidates.size());
        out.candidates.push_back(candidate);
    }
    out.values.resize(column.size());
    for (const results::row& r : all.rows) out.values[column[r.candidate]] = r.values;
    for (const results::winner& w : all.winners()) {
        table_row row{.at = w.at, .best = all.rows[w.best].seconds};
        while (all.devices[row.device].device != w.device) ++row.device;
        row.alone = std::numeric_limits<double>::infinity();
        const auto like = [&](const results::row& r) { return r.device == w.device && r.at == w.at; };
        double slowest = row.best;
        std::vector<const results::row*> sources(column.size(), nullptr);
        std::size_t from = w.best;
        while (from > 0 && like(all.rows[from - 1])) --from;
        for (; from < all.rows.size() && like(all.rows[from]); ++from) {
            const results::row& r = all.rows[from];
            sources[column[r.candidate]] = &r;
            slowest = (std::max)(slowest, r.seconds);
            if (r.at_least) continue;
            if (r.untuned) row.untuned = column[r.candidate];
            if (r.searched) row.alone = (std::min)(row.alone, r.seconds);
        }
        if (std::isinf(row.alone)) row.alone = row.best;
        row.unknown = std::log((std::max)(slowest / row.best, 2.0));
        for (const results::row* const r : sources) {
            out.losses.push_back(r == nullptr ? row.unknown : std::log(r->seconds / row.best));
            out.sources.push_back(r);
        }
        out.rows.push_back(std::move(row));
    }
    if (out.rows.empty())
        throw error("results of " + all.kernel + ": no shape was measured; measure one at least before you choose");
    return out;
}

/// The columns that a search tried at one of these rows, or that an untuned library runs there: what is known without
/// the other rows. All measured columns where no row says where it came from.
[[nodiscard]] inline std::vector<std::uint32_t> known_at(const cost_table& t, std::span<const std::size_t> rows)
{
    std::vector<std::uint32_t> out, any;
    for (std::uint32_t c = 0; c < t.columns(); ++c) {
        bool here = false, measured = false;
        for (const std::size_t r : rows) {
            const results::row* const s = t.source(r, c);
            measured = measured || (s != nullptr && !s->at_least);
            here = here || (s != nullptr && !s->at_least && (s->searched || s->untuned));
        }
        if (here) out.push_back(c);
        if (measured) any.push_back(c);
    }
    return out.empty() ? any : out;
}

}  // namespace tunekit::dispatch::detail
