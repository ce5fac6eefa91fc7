// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Measuring without hardware: results come from a table, and a virtual clock moves by the time that they took.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/measure/batches.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace tunekit::measure {

/// One configuration of a recorded space.
struct recorded_row {
    measurement result;            ///< the result of its measurement; `batches` are its raw repeats
    double seconds = 0;            ///< wall time of the whole evaluation: build, check, runs and the tool around them
    double check_seconds = 0;      ///< the part of it, and of result.run_seconds, in which the result was checked
    std::uint32_t pass_runs = 0;   ///< runs of a pass: `batches` are whole passes of runs in their order; 0: in none
    std::uint32_t block_runs = 0;  ///< runs of a block, with which a replay may begin: a pass is whole blocks

    friend bool operator==(const recorded_row&, const recorded_row&) = default;
};

namespace detail {

/// Throws std::invalid_argument unless every index is a row.
void check_rows(std::span<const recorded_row> table, std::span<const index> batch);

/// Runs drawn from the repeats of a row, as `resampled_rows` says.
class drawn_runs {
public:
    /// Views the row. Throws std::invalid_argument if its repeats are not what their order says.
    drawn_runs(const recorded_row& row, random::philox gen);

    /// The seconds of the next run.
    [[nodiscard]] double next()
    {
        if (!ordered_) return from_[static_cast<std::size_t>(random::uniform_index(from_.size(), gen_))];
        const double run = from_[at_];
        at_ = at_ + 1 < from_.size() ? at_ + 1 : 0;
        return run;
    }

private:
    std::span<const double> from_;  ///< all repeats, or those of one pass
    random::philox gen_;
    bool ordered_;
    std::size_t at_ = 0;
};

}  // namespace detail

/// A view of a table that returns its rows.
/// Throws: std::invalid_argument for an index that is no row.
class recorded_rows {
public:
    /// Views `table`, which must outlive it; row i is that of index i.
    explicit recorded_rows(std::span<const recorded_row> table) noexcept : table_(table) {}

    /// All rows, by index.
    [[nodiscard]] std::span<const recorded_row> table() const noexcept { return table_; }

    /// The recorded row of `i`. Limits are not applied.
    [[nodiscard]] recorded_row row(index i, const limits&) const;

private:
    std::span<const recorded_row> table_;
};

/// A view of a table under a repetition policy. Each run of a batch is one recorded repeat. Only the runs used are
/// charged.
///
/// Repeats of which no order is known are drawn one by one, with replacement. Of a row with `pass_runs` a block is
/// drawn, and the runs are the recorded ones from there on, around the end of its pass, as in the circular block
/// bootstrap (Politis and Romano, 1992): so a policy meets the drift and the autocorrelation of the machine.
///
/// An evaluation is charged the recorded seconds, less all recorded repeats, plus the runs drawn. A policy may draw
/// more runs than were recorded. They are the recorded ones again, so it learns nothing new from them. A row that
/// failed, was cut short or has no repeats answers and is charged as it was recorded. Of the limits `abandon_above` and
/// `abandon_factor` apply: a row of which three batches and more are all above the first is cut short as a live
/// candidate is, its cost is the least seen, and it is not charged for its check, which it does not get.
///
/// Errors:     std::invalid_argument for an index that is no row, and for repeats that are no whole passes of whole
///             blocks; what the policy's `validate` throws.
/// Randomness: a Philox stream of `seed` per index: the answer of a row does not depend on earlier ones.
/// Cost:       one `uniform_index` per run; where runs are in order, one in all.
template <class Repetition>
class resampled_rows {
    static_assert(repetition<Repetition>, "tunekit: resampled_rows, part 2: not a measure::repetition");

public:
    /// Views `table`, which must outlive it. Throws std::invalid_argument if a setting of `repeat` is out of range.
    resampled_rows(std::span<const recorded_row> table, Repetition repeat, std::uint64_t seed)
        : table_(table), repeat_(repeat), seed_(seed)
    {
        repeat_.validate();
    }

    /// All rows as they were recorded, by index.
    [[nodiscard]] std::span<const recorded_row> table() const noexcept { return table_; }

    /// The row of `i`, with runs drawn from its repeats.
    [[nodiscard]] recorded_row row(index i, const limits& within) const
    {
        detail::check_rows(table_, {&i, 1});
        recorded_row out = table_[static_cast<std::size_t>(i)];
        if (out.result.ok() && !out.result.batches.empty()) run(i, within, out);
        return out;
    }

private:
    /// Replaces the record of row `i` by runs drawn from it.
    void run(index i, const limits& within, recorded_row& row) const
    {
        const recorded_row& recorded = table_[static_cast<std::size_t>(i)];
        measurement& out = row.result;
        detail::drawn_runs one(recorded, random::stream(seed_, purpose, i));
        double drawn = 0;
        out.batches.clear();
        out.runs = 0;
        out.at_least = false;
        while (const std::uint32_t runs = repeat_.next(out.batches)) {
            double sum = 0;
            for (std::uint32_t k = 0; k < runs; ++k) sum += one.next();
            drawn += sum;
            out.runs += runs;
            out.batches.push_back(sum / runs);
            out.at_least = detail::surely_above(out.batches, within.abandon_above);
            if (out.at_least || detail::enough_of_first(out.batches, within)) break;
        }
        const estimate found = repeat_.estimate_of(out.batches);
        out.cost = out.at_least ? *std::min_element(out.batches.begin(), out.batches.end()) : found.cost;
        out.spread = found.spread;
        double all = 0;  // that it is not charged for
        for (const double t : recorded.result.batches) all += t;
        if (out.at_least) {
            out.checked = check_state::unchecked;
            all += std::exchange(row.check_seconds, 0);
        }
        out.run_seconds = (std::max)(0.0, out.run_seconds - all) + drawn;
        row.seconds = (std::max)(0.0, row.seconds - all) + drawn;
    }

    static constexpr std::uint32_t purpose = 0x7265706cU;  // "repl": no other part draws from these streams

    std::span<const recorded_row> table_;
    Repetition repeat_;
    std::uint64_t seed_;
};

namespace detail {

/// The measurer over rows: it answers with them, and moves a clock by their seconds.
template <class Rows>
class replay_of {
public:
    replay_of(Rows rows, virtual_clock time) noexcept : rows_(std::move(rows)), time_(time) {}

    [[nodiscard]] std::vector<measurement> measure(std::span<const index> batch, const limits& within)
    {
        return collected(*this, batch, within);
    }
    /// The same, with `each(measurement)` as soon as the clock has moved.
    template <class Each>
    void measure(std::span<const index> batch, const limits& within, Each&& each)
    {
        check_rows(rows_.table(), batch);
        for (const index i : batch) {
            recorded_row r = rows_.row(i, within);
            time_.advance(r.seconds);
            each(std::move(r.result));
        }
    }

private:
    Rows rows_;
    virtual_clock time_;
};

}  // namespace detail

/// A measurer that returns row i of a table for index i, and moves a clock by the recorded seconds of that evaluation.
///
///     double now = 0;
///     tk::measure::replay measure(table, tk::measure::virtual_clock(now));
///
/// A row that is asked for again answers and costs the same again. Limits are not applied: a recording was measured in
/// full, and is returned in full.
///
/// Errors:     std::invalid_argument for an index that is no row of the table.
/// Randomness: none.
/// Cost:       a copy of the row.
/// Threads:    one at a time; the table may be shared. Precondition: table and time outlive the measurer.
class replay : public detail::replay_of<recorded_rows> {
public:
    /// Refers to the rows and to the time that it moves.
    replay(std::span<const recorded_row> table, virtual_clock time) noexcept : replay_of(recorded_rows(table), time) {}
};

/// A `replay` under a repetition policy: its rows are `resampled_rows`.
///
///     tk::measure::noisy_replay measure(table, time, tk::measure::until_stable{}, 1);
///
/// Errors, randomness and cost are those of `resampled_rows`.
/// Threads:    as `replay`.
template <class Repetition>
class noisy_replay : public detail::replay_of<resampled_rows<Repetition>> {
    static_assert(repetition<Repetition>, "tunekit: noisy_replay, part 3: not a measure::repetition");

public:
    /// Refers to the rows and to the time that it moves. Throws what the policy's `validate` throws.
    noisy_replay(std::span<const recorded_row> table, virtual_clock time, Repetition repeat, std::uint64_t seed)
        : noisy_replay::replay_of({table, repeat, seed}, time)
    {
    }
};

}  // namespace tunekit::measure

#if TUNEKIT_BODIES
namespace tunekit::measure::detail {

TUNEKIT_INLINE void check_rows(std::span<const recorded_row> table, std::span<const index> batch)
{
    for (const index i : batch)
        if (i >= table.size())
            invalid("replay: index " + std::to_string(i) + " of a table of " + std::to_string(table.size()) +
                    " rows, want the table of the same space");
}

TUNEKIT_INLINE drawn_runs::drawn_runs(const recorded_row& row, random::philox gen)
    : from_(row.result.batches), gen_(gen), ordered_(row.pass_runs != 0)
{
    if (!ordered_) return;
    const std::size_t pass = row.pass_runs;
    const std::size_t block = row.block_runs;
    if (block == 0 || pass % block != 0 || from_.size() % pass != 0)
        invalid("replay: " + std::to_string(from_.size()) + " runs in passes of " + std::to_string(pass) +
                " and blocks of " + std::to_string(block) + ", want whole passes of whole blocks");
    at_ = block * static_cast<std::size_t>(random::uniform_index(from_.size() / block, gen_));
    from_ = from_.subspan(at_ - at_ % pass, pass);
    at_ %= pass;
}

}  // namespace tunekit::measure::detail
namespace tunekit::measure {

TUNEKIT_INLINE recorded_row recorded_rows::row(index i, const limits&) const
{
    detail::check_rows(table_, {&i, 1});
    return table_[static_cast<std::size_t>(i)];
}

}  // namespace tunekit::measure
#endif  // TUNEKIT_BODIES
