// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One way to compute a layer (direct, plain NCHW, a product), tuned by the library's default strategy or taken from a log.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/operator_case.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/isolated.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/schedule/sequential.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/tune/tune_tasks.hpp"

namespace bench {

/// A form of a layer: its space, what measures it, and what makes a kernel of a configuration in this process.
struct form {
    std::string layer, name;
    tunekit::space::any_space space;
    tunekit::index untuned = 0;
    std::function<std::vector<tunekit::measure::measurement>(std::span<const tunekit::index>, const tunekit::measure::limits&)> measurer;
    std::function<std::function<void()>(tunekit::index)> plan;  ///< throws tunekit::error where the result is wrong

    /// What a log calls it.
    [[nodiscard]] std::string task() const { return layer + "/" + name; }
    [[nodiscard]] std::string text(tunekit::index i) const
    {
        const auto names = space.names();
        const auto texts = space.texts(i);
        std::string out;
        for (std::size_t j = 0; j < texts.size(); ++j) out += (j == 0 ? "" : " ") + names[j] + "=" + texts[j];
        return out;
    }
};

/// Refers to a form's measurer.
struct lent_form {
    form* of;
    std::vector<tunekit::measure::measurement> measure(std::span<const tunekit::index> batch, const tunekit::measure::limits& l)
    {
        return of->measurer(batch, l);
    }
};

inline constexpr tunekit::candidate_limits form_limits{.abandon_factor = 1.5, .run_seconds = 5};

template <class Operator>
form form_of(std::string layer, std::string name, const typename Operator::shape_type& shape)
{
    namespace ms = tunekit::measure;
    const auto on = std::make_shared<programs::operator_case<Operator>>(shape);
    form out{.layer = std::move(layer), .name = std::move(name), .space = on->space(), .untuned = on->default_index(), .measurer = {}, .plan = {}};
    const auto here = std::make_shared<ms::isolated_measurer>(
        ms::isolated(on->space(),
                     ms::timed{on->kernel(), ms::until_confident{.standard_error = 0.02, .group = 1, .runs = 24}, on->check(), ms::thread_clock{}},
                     {.canaries = on->canaries()}));
    out.measurer = [on, here](std::span<const tunekit::index> which, const ms::limits& l) { return here->measure(which, l); };
    out.plan = [on, task = out.task()](tunekit::index i) -> std::function<void()> {
        struct planned {
            tunekit::kernels::buffer in, out;
            Operator kernel;

            planned(const programs::operator_case<Operator>& of, tunekit::index which)
                : in(of.left().size()), out(Operator::most_output(of.shape())),
                  kernel(of.shape(), of.space().at(which), of.left(), of.right(), std::span<float>(in.data(), in.size()))
            {
            }
        };
        const auto p = std::make_shared<planned>(*on, i);
        p->kernel.run(p->out.data());
        std::vector<float> y(on->reference().size());
        p->kernel.unpack({p->out.data(), p->kernel.output_size()}, y);
        if (!(tunekit::kernels::relative_error(y, on->reference()) < 1e-4)) throw tunekit::error("the winner of " + task + " is wrong");
        return [p] { p->kernel.run(p->out.data()); };
    };
    return out;
}

/// Tunes with `recipes::combined` for that long by `clock`, through `measurer`, the untuned configuration first.
template <class Measurer, class Clock>
tunekit::tuning tune_form(const form& of, Measurer measurer, double seconds, Clock&& clock, tunekit::random::philox& gen)
{
    std::vector<tunekit::task> task;
    task.emplace_back(of.task(), of.space, std::move(measurer), 1.0);
    task.back().begin_with({of.untuned});
    auto plan = tunekit::tune_tasks(task, tunekit::recipes::combined(), tunekit::schedule::sequential{},
                                    {.seconds = seconds, .slot_seconds = seconds, .batch = 8, .limits = form_limits}, clock,
                                    [](const tunekit::plan&, std::size_t) { return false; }, gen);
    return std::move(plan.tasks.front().record);
}

/// The best of a record's finalists and the untuned configuration in interleaved rounds of about `seconds`, none of whose times
/// have chosen them: of those that the rounds cannot tell apart the one with the lowest median.
inline tunekit::index winner_of(form& of, const tunekit::tuning& record, double seconds)
{
    constexpr std::size_t most = 6;
    auto finalists = record.finalists(most);
    if (std::find(finalists.begin(), finalists.end(), of.untuned) == finalists.end()) finalists.push_back(of.untuned);
    const double each = (std::max)(0.005, record.found() ? record.incumbent().measured.run_seconds : 0.0);
    const double rounds = (std::min)(40.0, (std::max)(5.0, seconds / (each * static_cast<double>(finalists.size()))));
    lent_form measurer{&of};
    const auto result = tunekit::measure::race(measurer, finalists, {.run_seconds = form_limits.run_seconds}, {.rounds = static_cast<std::uint32_t>(rounds)});
    if (!result.winner) throw tunekit::error("no configuration of " + of.task() + " works");
    tunekit::index best = *result.winner;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& s : result.standings) {
        const double cost = 1 + s.against_winner.median;  // rounds that were not run side by side do not compare
        if (s.tied && cost < least) {
            least = cost;
            best = s.which;
        }
    }
    return best;
}

}  // namespace bench
