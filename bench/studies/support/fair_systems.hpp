// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Whole systems on a recorded network under the same clock: the same builders, the same overlap, the same horizon.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "bench/studies/support/one_after_another.hpp"
#include "bench/studies/support/replay_network.hpp"
#include "bench/studies/support/to_optimum.hpp"
#include "tools/support/names.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/kernels/autotvm/x86.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/schedule/any_schedule.hpp"

namespace programs {

/// A recipe under a schedule, both by name. "sequential" is `one_after_another` in the baseline's form.
struct fair_system {
    std::string name, recipe, schedule;
    std::string measured_as{};  ///< the recipe whose runs and limits a configuration has; empty: its own
    std::size_t one_in = 0;     ///< one of so many proposals is carried from another task; 0: as its recipe has it
};

/// The papers' systems and ours; the first is the baseline.
inline std::vector<fair_system> fair_systems()
{
    return {{"autotvm-paper", "autotvm-paper", "sequential"},
            {"autotvm-rank-paper", "autotvm-rank-paper", "sequential"},
            {"adatune-paper", "adatune-paper", "sequential"},
            {"chameleon-sa-as", "chameleon-sa-as", "sequential"},
            {"chameleon-ae", "chameleon-ae", "sequential"},
            {"chameleon-paper", "chameleon", "sequential"},
            {"dynatune-paper", "autotvm-paper", "dynatune-paper"},
            {"dynatune-paper-chameleon", "chameleon", "dynatune-paper"},
            {"dynatune-paper-adatune", "adatune-paper", "dynatune-paper"},
            {"ansor", "autotvm-paper", "ansor"},
            {"autotvm-dynatune", "autotvm-paper", "dynatune"},
            {"autotvm-carried", "autotvm-carried", "sequential"},
            {"autotvm-carried-dynatune", "autotvm-carried", "dynatune"},
            {"combined-ten-runs", "combined-alone", "dynatune", "autotvm-paper"},
            {"combined-alone", "combined-alone", "dynatune"},
            {"combined", "combined", "dynatune"}};
}

/// What stands between the name of a system and how often it carries.
constexpr std::string_view carrying_mark = "-1-in-";

/// A system of the table by its name, or RECIPE or RECIPE/SCHEDULE; a recipe alone is `sequential`. Behind any of them -1-in-N says how
/// often it carries.
inline fair_system fair_system_of(const std::string& name)
{
    if (const auto mark = name.rfind(carrying_mark); mark != std::string::npos) {
        const auto n = tunekit::core::number<std::size_t>(name.substr(mark + carrying_mark.size()));
        if (!n || *n == 0)
            tunekit::invalid("--systems: \"" + name + "\", want a whole number above 0 behind " +
                             std::string(carrying_mark));
        fair_system out = fair_system_of(name.substr(0, mark));
        out.name = name;
        out.one_in = *n;
        return out;
    }
    for (const auto& s : fair_systems())
        if (s.name == name) return s;
    const auto slash = name.find('/');
    fair_system out{name, name.substr(0, slash), slash == std::string::npos ? "sequential" : name.substr(slash + 1)};
    static_cast<void>(find(recipes(), "--systems: recipe", out.recipe));
    static_cast<void>(find(schedules(), "--systems: schedule", out.schedule));
    return out;
}

/// A recorded network, and what T_q asks of it.
struct fair_network {
    std::string name;
    std::vector<replayed_layer> layers;
    double optimum = 0;  ///< s of the model with every layer at its recorded optimum
    double untuned = 0;  ///< s with TVM's untuned configurations, as recorded
};

namespace detail {

/// Floats in a vector of the machines that the networks were recorded on.
constexpr int recorded_lanes = 16;

/// The recorded cost of TVM's untuned configuration of a convolution.
inline double untuned_cost(const replayed_layer& layer, const tunekit::kernels::conv2d_shape& shape)
{
    const auto want = tunekit::kernels::autotvm::conv2d_x86_fallback(shape, recorded_lanes);
    const bool pointwise = shape.kernel_h == 1 && shape.kernel_w == 1;
    const tunekit::space::value_product::config values{want.ic, want.oc, want.ow,
                                                       pointwise ? want.oh : (want.unroll_kw ? 1 : 0)};
    for (std::size_t i = 0; i < layer.rows.size(); ++i)
        if (layer.space.at(i) == values) return layer.rows[i].result.cost;
    tunekit::invalid("--recorded: layer " + layer.name +
                     " has no row for TVM's untuned configuration, want a space of AutoTVM's templates");
}

}  // namespace detail

/// Reads a network. Throws std::invalid_argument or tunekit::error where it has no recording, or one that is not whole.
inline fair_network fair_network_of(const std::string& name, const std::string& folder)
{
    const auto* const known = tunekit::kernels::find_network(name);
    if (known == nullptr || known->convolutions.empty())
        tunekit::invalid("--fair --network \"" + name +
                         "\": the recorded optimum is not known, want alexnet, resnet18, squeezenet or vgg16");
    fair_network out{name, load_network(name, folder)};
    out.optimum = optimal_latency(out.layers);
    if (!(out.optimum < std::numeric_limits<double>::infinity()))
        throw tunekit::error("--recorded " + folder + ": a layer has no valid configuration, so no optimum is known");
    for (std::size_t k = 0; k < out.layers.size(); ++k)
        out.untuned += out.layers[k].weight * detail::untuned_cost(out.layers[k], known->convolutions[k].shape);
    return out;
}

struct fair_settings {
    std::vector<std::string> systems{};  ///< names; empty: all
    std::size_t builders = 8, repeats = 15, threads = (std::max)(std::thread::hardware_concurrency(), 1U);
    std::uint64_t seed = 1;
};

/// All repeats of a system.
struct fair_row {
    fair_system system;
    bool overlap = false;
    std::vector<arrivals> own{}, oracle{};
    std::vector<double> excess{};
};

/// Calls `each(i)` for every i < n, on so many threads. The first exception is thrown again once all have ended.
inline void in_parallel(std::size_t n, std::size_t threads, const std::function<void(std::size_t)>& each)
{
    std::atomic<std::size_t> next{0};
    std::exception_ptr first;
    std::mutex taken;
    const auto work = [&] {
        for (std::size_t i = next++; i < n; i = next++) try {
                each(i);
            } catch (...) {
                const std::lock_guard lock(taken);
                if (!first) first = std::current_exception();
                next = n;
            }
    };
    {
        std::vector<std::thread> others;
        for (std::size_t t = 1; t < (std::min)(threads, n); ++t) others.emplace_back(work);
        work();
        for (auto& t : others) t.join();
    }
    if (first) std::rethrow_exception(first);
}

/// One repeat of a system. Without overlap it asks for as many at a time as there are builders, or as its recipe has it.
inline replayed_run fair_run_of(const fair_network& on, const fair_system& system, const baseline_form& form,
                                const fair_settings& f, bool overlap, std::size_t repeat)
{
    const bool sequential = system.schedule == "sequential";
    const replay_settings s{.seconds = fair_horizon,
                            .seed = f.seed,
                            .patience = sequential ? form.stop : tunekit::unlimited,
                            .builders = f.builders,
                            .first = sequential ? form.first : 0,
                            .overlap = overlap};
    auto how = replayed_by(system.recipe, s, on.layers.size());
    how.recipe.ahead = (std::max)(how.recipe.ahead, f.builders);
    if (!system.measured_as.empty()) {
        const auto as = find(recipes(), "recipe", system.measured_as);
        how.recipe.repetition = as.repetition;
        how.recipe.limits = as.limits;
    }
    if (system.one_in > 0) how.recipe.carry.one_in = system.one_in;
    const auto schedule = sequential
                              ? tunekit::schedule::any_schedule(one_after_another{order_of(on.layers, form.by_work)})
                              : find(schedules(), "schedule", system.schedule);
    return replayed_network(on.layers, system.recipe, std::move(how), s).run(schedule, repeat);
}

/// The form of the baseline that is best by T_q on networks that are not judged by it, in five repeats.
inline baseline_form form_chosen_on(std::span<const fair_network> others, const fair_settings& f, bool overlap)
{
    const auto forms = baseline_forms();
    const auto baseline = fair_systems().front();
    const std::size_t repeats = (std::min)(f.repeats, std::size_t{5}), networks = others.size();
    std::vector<std::vector<arrivals>> runs(forms.size() * networks, std::vector<arrivals>(repeats));
    in_parallel(runs.size() * repeats, f.threads, [&](std::size_t i) {
        const std::size_t cell = i / repeats;
        const auto& on = others[cell % networks];
        const auto run = fair_run_of(on, baseline, forms[cell / networks], f, overlap, i % repeats);
        runs[cell][i % repeats] = arrivals_of(run.model, on.optimum);
    });
    std::vector<std::vector<double>> tq(forms.size());
    for (std::size_t cell = 0; cell < runs.size(); ++cell)
        tq[cell / networks].push_back(geometric_mean(medians(runs[cell])));
    return forms[best_form(tq)];
}

/// Every system with overlap and without, each way with the form of the baseline that is best on the other networks.
struct fair_table {
    std::array<baseline_form, 2> form{};  ///< [1]: with overlap
    std::vector<fair_row> rows;           ///< in pairs: without, with; the first pair is the baseline
};

/// Calls `told(row)` after each row.
inline fair_table fair_comparison(const fair_network& on, std::span<const fair_network> others, const fair_settings& f,
                                  const std::function<void(const fair_row&)>& told)
{
    std::vector<fair_system> systems{fair_systems().front()};
    for (const auto& name : f.systems)
        if (name != systems.front().name) systems.push_back(fair_system_of(name));
    if (f.systems.empty()) systems = fair_systems();
    fair_table out{{form_chosen_on(others, f, false), form_chosen_on(others, f, true)}, {}};
    for (const auto& system : systems)
        for (const bool overlap : {false, true}) {
            std::vector<fair_run> runs(f.repeats);
            in_parallel(f.repeats, f.threads, [&](std::size_t r) {
                runs[r] =
                    judged(fair_run_of(on, system, out.form[overlap ? 1 : 0], f, overlap, r), on.untuned, on.optimum);
            });
            fair_row row{system, overlap};
            for (const auto& run : runs) {
                row.own.push_back(run.own);
                row.oracle.push_back(run.oracle);
                row.excess.push_back(run.excess);
            }
            told(out.rows.emplace_back(std::move(row)));
        }
    return out;
}

/// The row of a system, or nothing.
inline const fair_row* row_of(const fair_table& t, const std::string& system, bool overlap)
{
    for (const auto& row : t.rows)
        if (row.system.name == system && row.overlap == overlap) return &row;
    return nullptr;
}

}  // namespace programs
