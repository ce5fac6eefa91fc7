// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A measurer from a plain function that returns a number for a configuration.

#include <concepts>
#include <cstdio>
#include <exception>
#include <limits>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::measure {

/// Measures by a call of `f(config)`, once for each configuration, in this process.
///
///     tk::measure::function cost{space, [&](const auto& c) { return simulate(tk::get<"tile">(c)); }};
///     auto found = tk::tune(space, cost, tk::search::annealing{}, {.trials = 200}, gen);
///
/// The cost is what `f` returns, a number or `measure::reported` with numbers beside it: seconds, bytes, or anything
/// else that is positive and finite, because strategies take its logarithm. Return exp(x) for an x that may be 0 or
/// less, and 1/x for one that should grow. If `f` is noisy, average in it.
///
/// Failures: `bad_cost` for 0, a negative number, an infinity or NaN; `out_of_memory` for std::bad_alloc; the failure
///           of a candidate_error; `invalid` for any other exception.
/// Limits:   none is enforced. `in_process`, `isolated` and `program` enforce them.
/// Cost:     that of `f`.
template <space::typed Space, class F>
struct function {
    static_assert(
        std::invocable<F&, const typename Space::config&>,
        "tunekit: function, argument 2 does not take a configuration: write [](const auto& c) { ... } and read "
        "its parameters by tunekit::get<\"name\">(c)");
    static_assert(std::convertible_to<std::invoke_result_t<F&, const typename Space::config&>, double> ||
                      std::same_as<std::invoke_result_t<F&, const typename Space::config&>, reported>,
                  "tunekit: function, argument 2 does not return a number: want the cost, a double");

    Space space;  ///< the space of the configurations
    F f;          ///< called as `f(config)`; returns the cost

    [[nodiscard]] std::vector<measurement> measure(std::span<const index> batch, const limits& within)
    {
        return detail::collected(*this, batch, within);
    }
    /// The same, with `each(measurement)` as soon as a candidate is measured.
    template <class Each>
    void measure(std::span<const index> batch, const limits&, Each&& each)
    {
        for (const index i : batch) each(one(i));
    }

private:
    template <class Answer>
    [[nodiscard]] static double cost_of(const Answer& answer, measurement& out)
    {
        if constexpr (std::same_as<Answer, reported>) {
            out.values = answer.values;
            return answer.cost;
        } else {
            return static_cast<double>(answer);
        }
    }

    [[nodiscard]] measurement one(index i)
    {
        measurement out;
        const wall_clock now;
        const double begun = now();
        const auto fail = [&out](failure_kind kind, std::string message) {
            out.failed = failure{.kind = kind, .message = std::move(message)};
        };
        try {
            const double cost = cost_of(f(space.at(i)), out);
            if (cost > 0 && cost <= (std::numeric_limits<double>::max)()) {
                out.cost = cost;
                out.runs = 1;
                out.batches = {cost};
            } else {
                char text[160];
                std::snprintf(
                    text, sizeof text,
                    "the function returned %g, want a positive finite cost: return exp(x) of what may be 0 or "
                    "less, 1/x of what is to grow",
                    cost);
                fail(failure_kind::bad_cost, text);
            }
        } catch (const candidate_error& e) {
            out.failed = e.why;
        } catch (const std::bad_alloc&) {
            fail(failure_kind::out_of_memory, "std::bad_alloc");
        } catch (const std::exception& e) {
            fail(failure_kind::invalid, std::string("threw: ") + e.what());
        } catch (...) {
            fail(failure_kind::invalid, "threw something other than a std::exception");
        }
        out.run_seconds = now() - begun;
        return out;
    }
};
template <class S, class F>
function(S, F) -> function<S, F>;

}  // namespace tunekit::measure
