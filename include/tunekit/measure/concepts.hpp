// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The concepts of measurers, repetition policies and clocks.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/measurement.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::measure {

/// The cost that a repetition policy computes from the batches of one configuration.
struct estimate {
    double cost = 0;    ///< seconds of one run
    double spread = 0;  ///< seconds; standard error of `cost`; 0 after a single batch

    friend bool operator==(const estimate&, const estimate&) = default;
};

/// A measurer measures configurations, in the order of the batch. It is the only collaborator that changes state: it
/// owns the outside world. An exception means that measuring itself is broken: no memory, or no child process. A
/// candidate's fault is data.
template <class M>
concept measurer = requires(M& m, std::span<const index> batch, const limits& l) {
    { m.measure(batch, l) } -> std::same_as<std::vector<measurement>>;
};

/// A measurer that can report each result before the batch is over: `measure(batch, limits, each)` calls
/// `each(measurement)` once per candidate, in the batch's order, and returns nothing. `tune` records each result as it
/// comes, so that a run that is killed loses only what was being measured. `limits` may fall in `each`: a measurer
/// reads them anew for each candidate.
template <class M>
concept streaming_measurer =
    measurer<M> && requires(M& m, std::span<const index> batch, const limits& l, void (&each)(measurement)) {
        { m.measure(batch, l, each) } -> std::same_as<void>;
    };

namespace detail {

/// The measurements of a batch, from a measurer that streams.
template <class M>
[[nodiscard]] std::vector<measurement> collected(M& m, std::span<const index> batch, const limits& l)
{
    std::vector<measurement> out;
    out.reserve(batch.size());
    m.measure(batch, l, [&out](measurement one) { out.push_back(std::move(one)); });
    return out;
}

/// A measurer or a pool that says whether its costs are times on the machine that measures.
template <class M>
concept tells_of_times = requires(const M& m) {
    { m.measures_time() } -> std::same_as<bool>;
};

/// A policy that gives the number of runs of the next timed batch, from the batches so far; 0 stops. The first batch
/// has at least one run.
template <class R>
concept plans_runs = requires(const R& policy, std::span<const double> batches) {
    { policy.next(batches) } -> std::same_as<std::uint32_t>;
};

/// A policy that computes the cost from the batches so far. Precondition: at least one batch.
template <class R>
concept estimates_cost = requires(const R& policy, std::span<const double> batches) {
    { policy.estimate_of(batches) } -> std::same_as<estimate>;
};

/// A type whose `validate()` throws std::invalid_argument if a setting is out of range.
template <class R>
concept validated = requires(const R& policy) {
    { policy.validate() } -> std::same_as<void>;
};

}  // namespace detail

/// Whether the costs of a measurer or a pool are times on the machine that measures, which whatever else runs there
/// lengthens. It says so by `bool measures_time() const`, by its type or its settings; one that does not is not asked
/// to measure anything again.
template <class M>
[[nodiscard]] bool measures_time(const M& m)
{
    if constexpr (detail::tells_of_times<M>) return m.measures_time();
    else return false;
}

/// A repetition policy: a pure function of the seconds per run of each timed batch, oldest first. That list is its only
/// state, so a policy works on recorded batches as on live ones.
template <class R>
concept repetition = std::copyable<R> && detail::plans_runs<R> && detail::estimates_cost<R> && detail::validated<R>;

/// A clock gives the time in seconds since some fixed moment. It never goes backwards. `timed` reads it before and
/// after each batch.
template <class C>
concept clock = requires(C& c) {
    { c() } -> std::same_as<double>;
};

}  // namespace tunekit::measure
