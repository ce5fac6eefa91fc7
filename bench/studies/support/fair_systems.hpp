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
#include <numeric>
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

/// A recipe under a schedule, both by name. "sequential" is `one_after_another` in a form of the baseline.
struct fair_system {
    std::string name, recipe, schedule;
    std::string measured_as{};  ///< the recipe whose runs and limits a configuration has; empty: its own
    std::size_t one_in = 0;     ///< one of so many proposals is carried from another task; 0: as its recipe has it
};

/// The papers' systems and ours. The first is the baseline: AutoTVM in the one of its forms that is best on other networks.
inline std::vector<fair_system> fair_systems()
{
    return {{"autotvm-best-form", "autotvm-paper", "sequential"},
            {"autotvm-paper", "autotvm-paper", "sequential"},
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
            {"autotvm-all-but-search", "autotvm-carried", "dynatune", "combined"},
            {"combined-ten-runs", "combined-alone", "dynatune", "autotvm-paper"},
            {"combined-carried-ten-runs", "combined", "dynatune", "autotvm-paper"},
            {"combined-alone", "combined-alone", "dynatune"},
            {"combined", "combined", "dynatune"}};
}

/// Whether it is one of ours: its builds always overlap, while a peer has both, and is judged by the better.
inline bool is_ours(const fair_system& s) { return s.recipe.starts_with("combined"); }

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
    static_cast<void>(schedule_of("--systems: schedule", out.schedule));
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
    std::vector<arrivals> own{}, charged{}, oracle{};
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

/// The baseline in one of its forms.
inline fair_system in_form(const baseline_form& form)
{
    auto out = fair_systems().front();
    if (form.spares) out.measured_as = "combined";
    return out;
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
                              : schedule_of("schedule", system.schedule);
    return replayed_network(on.layers, system.recipe, std::move(how), s).run(schedule, repeat);
}

/// What the baseline's forms come to on networks that are not judged by them.
class judged_forms {
public:
    /// All forms have three repeats; of each kind (overlap or not, own runs or spared ones) the best four have all.
    judged_forms(std::span<const fair_network> others, const fair_settings& f) : forms_(baseline_forms())
    {
        const std::size_t few = (std::min)(f.repeats, std::size_t{3});
        runs_.assign(forms_.size(), std::vector<std::vector<arrivals>>(others.size()));
        std::vector<std::size_t> all(forms_.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        run(others, f, all, few);
        std::vector<std::size_t> rest;
        for (const bool spares : {false, true})
            for (const bool overlap : {false, true}) {
                std::vector<std::size_t> kind;
                for (const std::size_t i : all)
                    if (forms_[i].spares == spares && forms_[i].overlap == overlap) kind.push_back(i);
                std::stable_sort(kind.begin(), kind.end(),
                                 [&](std::size_t a, std::size_t b) { return product(a) < product(b); });
                kind.resize(4);
                rest.insert(rest.end(), kind.begin(), kind.end());
            }
        std::sort(rest.begin(), rest.end());
        run(others, f, rest, f.repeats);
        whole_ = std::move(rest);
    }

    /// The best of those that `of` says yes to.
    template <class Of>
    [[nodiscard]] baseline_form best(const Of& of) const
    {
        std::vector<baseline_form> these;
        std::vector<std::vector<double>> tq;
        for (const std::size_t i : whole_)
            if (of(forms_[i])) {
                these.push_back(forms_[i]);
                auto& row = tq.emplace_back();
                for (const auto& network : runs_[i]) row.push_back(geometric_mean(medians(network)));
            }
        return these[best_form(tq)];
    }

private:
    [[nodiscard]] double product(std::size_t form) const
    {
        double out = 1;
        for (const auto& network : runs_[form]) out *= geometric_mean(medians(network));
        return out;
    }

    /// Adds repeats of these forms until they have so many.
    void run(std::span<const fair_network> others, const fair_settings& f, std::span<const std::size_t> these,
             std::size_t repeats)
    {
        if (these.empty() || others.empty()) return;
        const std::size_t had = runs_[these.front()].front().size(), more = repeats - had;
        for (const std::size_t i : these)
            for (auto& network : runs_[i]) network.resize(repeats);
        in_parallel(these.size() * others.size() * more, f.threads, [&](std::size_t k) {
            const std::size_t form = these[k / more / others.size()], network = k / more % others.size(),
                              repeat = had + k % more;
            runs_[form][network][repeat] = arrivals_of(
                fair_run_of(others[network], in_form(forms_[form]), forms_[form], f, forms_[form].overlap, repeat)
                    .model,
                others[network].optimum);
        });
    }

    std::vector<baseline_form> forms_;
    std::vector<std::vector<std::vector<arrivals>>> runs_;  ///< by form, network and repeat
    std::vector<std::size_t> whole_;                        ///< forms with all repeats
};

/// The systems of a table. Those that go one task after another have the form that is best, on the other networks, of those with
/// AutoTVM's ten runs and their own overlap.
struct fair_table {
    baseline_form best{};                 ///< of all: the first row's
    std::array<baseline_form, 2> form{};  ///< with ten runs; [1]: with overlap
    std::vector<fair_row> rows;  ///< the baseline, then each system with overlap, before it without if it is not ours
};

/// Calls `told(row)` after each row.
inline fair_table fair_comparison(const fair_network& on, std::span<const fair_network> others, const fair_settings& f,
                                  const std::function<void(const fair_row&)>& told)
{
    auto systems = fair_systems();
    if (!f.systems.empty()) {
        systems.resize(1);
        for (const auto& name : f.systems)
            if (name != systems.front().name) systems.push_back(fair_system_of(name));
    }
    const judged_forms judged_on(others, f);
    fair_table out{judged_on.best([](const baseline_form&) { return true; }), {}, {}};
    for (const bool overlap : {false, true})
        out.form[overlap ? 1 : 0] =
            judged_on.best([&](const baseline_form& b) { return b.overlap == overlap && !b.spares; });
    const auto add = [&](const fair_system& system, const baseline_form& form, bool overlap) {
        std::vector<fair_run> runs(f.repeats);
        in_parallel(f.repeats, f.threads, [&](std::size_t r) {
            runs[r] = judged(fair_run_of(on, system, form, f, overlap, r), on.untuned, on.optimum);
        });
        fair_row row{system, overlap};
        for (const auto& run : runs) {
            row.own.push_back(run.own);
            row.charged.push_back(run.charged);
            row.oracle.push_back(run.oracle);
            row.excess.push_back(run.excess);
        }
        told(out.rows.emplace_back(std::move(row)));
    };
    add(in_form(out.best), out.best, out.best.overlap);
    for (std::size_t i = 1; i < systems.size(); ++i)
        for (const bool overlap : {false, true})
            if (overlap || !is_ours(systems[i])) add(systems[i], out.form[overlap ? 1 : 0], overlap);
    return out;
}

/// The row of a system, or nothing.
inline const fair_row* row_of(const fair_table& t, const std::string& system, bool overlap)
{
    for (const auto& row : t.rows)
        if (row.system.name == system && row.overlap == overlap) return &row;
    return nullptr;
}

/// The row of a system in which it is sooner by T_q, with overlap or without, or nothing.
inline const fair_row* better_row_of(const fair_table& t, const std::string& system)
{
    const fair_row* out = nullptr;
    for (const auto& row : t.rows)
        if (row.system.name == system &&
            (out == nullptr || geometric_mean(medians(row.own)) < geometric_mean(medians(out->own))))
            out = &row;
    return out;
}

}  // namespace programs
