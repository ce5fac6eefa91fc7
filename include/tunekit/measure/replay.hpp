// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Measuring without hardware: the answers are read from a table, the time they took passes on a virtual clock.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/repetition.hpp"
#include "tunekit/measure/virtual_clock.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace tunekit::measure {

/// One configuration of a recorded space.
struct recorded {
    measurement result;  ///< what measuring it gave; `batches` are its raw repeats
    double seconds = 0;  ///< wall time of the whole evaluation: build, check, runs and the tool around them

    friend bool operator==(const recorded&, const recorded&) = default;
};

namespace detail {

/// Throws std::invalid_argument unless every index is a row.
inline void check_rows(std::span<const recorded> table, std::span<const index> batch)
{
    for (const index i : batch)
        if (i >= table.size())
            invalid("replay: index " + std::to_string(i) + " of a table of " + std::to_string(table.size()) +
                    " rows, want the table of the same space");
}

}  // namespace detail

/// A measurer that answers index i with row i of a table and moves a clock by what that evaluation cost.
///
///     double now = 0;
///     tk::measure::replay measure(table, tk::measure::virtual_clock(now));
///
/// A row asked for again answers and costs the same again. Limits are not applied: what was recorded was measured in
/// full, and is returned so.
///
/// Errors:     std::invalid_argument for an index that is no row of the table.
/// Randomness: none.
/// Cost:       a copy of the row.
/// Threads:    one at a time; the table may be shared. Precondition: table and time outlive the measurer.
class replay {
public:
    replay(std::span<const recorded> table, virtual_clock time) noexcept : table_(table), time_(time) {}

    [[nodiscard]] std::vector<measurement> measure(std::span<const index> batch, const limits&)
    {
        detail::check_rows(table_, batch);
        std::vector<measurement> out;
        out.reserve(batch.size());
        for (const index i : batch) {
            out.push_back(table_[static_cast<std::size_t>(i)].result);
            time_.advance(table_[static_cast<std::size_t>(i)].seconds);
        }
        return out;
    }

private:
    std::span<const recorded> table_;
    virtual_clock time_;
};

/// The same under a repetition policy: each run of a batch is one recorded repeat, drawn with replacement, and only the
/// runs used are charged.
///
///     tk::measure::noisy_replay measure(table, time, tk::measure::until_stable{}, 1);
///
/// Charged are the recorded seconds, less all recorded repeats, plus the runs drawn. A row with fewer repeats than the
/// policy's first batch has runs, and one that failed, answers and is charged as it was recorded. Of the limits only
/// `abandon_above` applies: a row that is `surely_above` it is cut short as a live one is, and costs the least seen.
///
/// Errors:     std::invalid_argument for an index that is no row of the table; what the policy's `validate` throws.
/// Randomness: a Philox stream of `seed` per index: a row answers the same whatever was asked before.
/// Cost:       one `uniform_index` per run.
/// Threads:    as `replay`.
template <class Repetition>
class noisy_replay {
    static_assert(repetition<Repetition>, "tunekit: noisy_replay, part 3: not a measure::repetition");

public:
    noisy_replay(std::span<const recorded> table, virtual_clock time, Repetition repeat, std::uint64_t seed)
        : table_(table), time_(time), repeat_(repeat), seed_(seed)
    {
        repeat_.validate();
    }

    [[nodiscard]] std::vector<measurement> measure(std::span<const index> batch, const limits& within)
    {
        detail::check_rows(table_, batch);
        std::vector<measurement> out;
        out.reserve(batch.size());
        for (const index i : batch) {
            const recorded& row = table_[static_cast<std::size_t>(i)];
            out.push_back(row.result);
            double seconds = row.seconds;
            if (!row.result.failed && row.result.batches.size() >= repeat_.next({})) run(i, row, within, out.back(), seconds);
            time_.advance(seconds);
        }
        return out;
    }

private:
    /// Replaces what was recorded of row `i` by runs drawn from it.
    void run(index i, const recorded& row, const limits& within, measurement& out, double& seconds) const
    {
        const std::vector<double>& repeats = row.result.batches;
        auto gen = random::stream(seed_, purpose, i);
        double drawn = 0;
        out.batches.clear();
        out.runs = 0;
        out.at_least = false;
        while (const std::uint32_t runs = repeat_.next(out.batches)) {
            double sum = 0;
            for (std::uint32_t k = 0; k < runs; ++k)
                sum += repeats[static_cast<std::size_t>(random::uniform_index(repeats.size(), gen))];
            drawn += sum;
            out.runs += runs;
            out.batches.push_back(sum / runs);
            out.at_least = surely_above(out.batches, within.abandon_above);
            if (out.at_least) break;
        }
        const estimate of = repeat_.estimate_of(out.batches);
        out.cost = out.at_least ? *std::min_element(out.batches.begin(), out.batches.end()) : of.cost;
        out.spread = of.spread;
        double all = 0;
        for (const double t : repeats) all += t;
        out.run_seconds = (std::max)(0.0, out.run_seconds - all) + drawn;
        seconds = (std::max)(0.0, seconds - all) + drawn;
    }

    static constexpr std::uint32_t purpose = 0x7265706cU;  // "repl": no other part draws from these streams

    std::span<const recorded> table_;
    virtual_clock time_;
    Repetition repeat_;
    std::uint64_t seed_;
};

}  // namespace tunekit::measure
