// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Measures AutoTVM's CPU spaces of a network, whole or a sample, in two passes, and writes them as recorded spaces.

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/studies/support/spaces_csv.hpp"
#include "packages/kernels/operators/convolution_layer.hpp"
#include "tools/support/program.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/formats/recorded_space.hpp"
#include "tunekit/kernels/autotvm/x86.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/processes/build/generated.hpp"
#include "tunekit/processes/isolated.hpp"
#include "tunekit/random/choice.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/stats/rank.hpp"

namespace programs {

/// How every configuration is timed: ten batches of at least 2 ms; 0.25 s or three batches, whichever is later, end them early;
/// one run where that alone exceeds 0.25 s.
struct recording_protocol {
    std::size_t batches = 10, least_batches = 3;
    double least_seconds = 2e-3, most_seconds = 0.25;

    void validate() const {}

    [[nodiscard]] std::uint32_t next(std::span<const double> seen) const
    {
        if (seen.empty()) return 1;  // `timed` lengthens a batch to least_seconds
        double spent = 0;
        for (const double t : seen) spent += (std::max)(t, least_seconds);
        if (seen.size() >= batches || seen.front() > most_seconds) return 0;
        return seen.size() >= least_batches && spent >= most_seconds ? 0 : 1;
    }

    /// The median: an interruption must not move what every study rests on.
    [[nodiscard]] tunekit::measure::estimate estimate_of(std::span<const double> seen) const
    {
        const std::vector<double> all(seen.begin(), seen.end());
        return {tunekit::stats::median(all), tunekit::measure::mean_of(seen).spread};
    }
};

/// Settings of `record_network`.
struct record_settings {
    std::string network;
    std::string folder;  ///< of the log, the code and the recorded spaces
    std::string device = "unnamed machine";
    std::uint64_t seed = 1;
    std::size_t core = 0;                ///< that kernels run on; compilers take the others
    std::string layer{};                 ///< the only one that is measured; empty: all
    std::size_t sample = 0;              ///< configurations of each layer, at random; 0: all
    std::uint32_t runs = 0, block = 50;  ///< of a pass, timed one by one, and of its blocks; 0: batches, of no order

    [[nodiscard]] recording_protocol protocol() const
    {
        if (runs == 0) return {};
        return {runs, runs, 0, std::numeric_limits<double>::infinity()};
    }
};

/// What became of one layer.
struct layer_record {
    std::string name;
    std::size_t configurations = 0, failed = 0, passes = 0;
    double correlation = 0;                       ///< Spearman's, of the passes' medians
    double optimum = 0, median = 0, slowest = 0;  ///< seconds
    bool tied = false;                            ///< the passes have different winners
    double build_seconds = 0, run_seconds = 0;    ///< of all configurations together
};

namespace detail {

inline constexpr double enough_correlation = 0.95;
inline constexpr std::size_t configurations_together = 64;

/// This process, and what it starts from now on, on the given cores.
inline void run_on(const std::vector<std::size_t>& cores)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const std::size_t c : cores) CPU_SET(c, &set);
    if (::sched_setaffinity(0, sizeof set, &set) != 0)
        throw tunekit::error("--core: the kernel cannot be pinned: " + std::string(std::strerror(errno)) +
                             "; name a core of this process");
}

/// `first` where this process may run there, and the rest.
struct cores {
    std::vector<std::size_t> kernels, compilers;

    explicit cores(std::size_t first)
    {
        cpu_set_t set;
        CPU_ZERO(&set);
        ::sched_getaffinity(0, sizeof set, &set);
        if (first >= CPU_SETSIZE || !CPU_ISSET(first, &set))
            tunekit::invalid("--core " + std::to_string(first) +
                             " is not one that this process may use, want one of them");
        kernels = {first};
        for (std::size_t c = 0; c < CPU_SETSIZE; ++c)
            if (CPU_ISSET(c, &set) && c != first) compilers.push_back(c);
        if (compilers.empty()) compilers = kernels;
    }
};

/// The inner sizes of a configuration, in column order: they tell a configuration of splits in two from the others.
/// `last` is what the two templates do not have in common.
template <class Config>
std::vector<std::int64_t> inner_sizes(const Config& c, std::int64_t last)
{
    return {tunekit::get<"tile_ic">(c)[1], tunekit::get<"tile_oc">(c)[1], tunekit::get<"tile_ow">(c)[1], last};
}

/// All configurations in an order at random, or the first of it; every second pass goes the other way.
inline std::vector<tunekit::index> order_of(tunekit::index size, std::size_t sample, std::uint64_t seed,
                                            std::size_t layer, std::size_t pass)
{
    std::vector<tunekit::index> out(static_cast<std::size_t>(size));
    std::iota(out.begin(), out.end(), tunekit::index{0});
    auto gen = tunekit::random::stream(seed, 0x7265636fU, layer);
    tunekit::random::shuffle(out, gen);
    if (sample > 0) out.resize((std::min)(out.size(), sample));
    if (pass % 2 == 1) std::reverse(out.begin(), out.end());
    return out;
}

/// Seconds that are milliseconds of four digits, which is more than two passes agree on.
inline double rounded(double seconds)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3e", 1e3 * seconds);
    return std::strtod(text, nullptr) / 1e3;
}

/// Seconds that are milliseconds of whole nanoseconds.
inline double whole_nanoseconds(double seconds) { return std::round(1e9 * seconds) / 1e6 / 1e3; }

using measurements =
    std::vector<std::optional<tunekit::measure::measurement>>;  ///< by configuration; none outside the sample

/// Proposes configurations in an order that is given.
struct given_order {
    std::vector<tunekit::index> order;

    struct state {
        std::size_t next = 0;
    };

    [[nodiscard]] state start(const auto&) const { return {}; }
    [[nodiscard]] std::vector<tunekit::index> propose(state& s, const auto&, std::size_t n, auto&) const
    {
        const auto from = order.begin() + static_cast<std::ptrdiff_t>(s.next);
        s.next = (std::min)(order.size(), s.next + n);
        return {from, order.begin() + static_cast<std::ptrdiff_t>(s.next)};
    }
    void observe(state&, const auto&, std::span<const tunekit::index>, std::span<const tunekit::measure::measurement>,
                 auto&) const
    {
    }
};

/// One pass over a layer, with a log of its own.
template <class Program>
measurements measure_layer(const Program& program, const tunekit::kernels::conv2d_shape& shape,
                           const record_settings& s, const cores& on, const std::string& name, std::size_t layer,
                           std::size_t pass)
{
    namespace measure = tunekit::measure;
    convolution_layer data(shape);
    measure::builder pool({.flags = {"-O2", "-march=native"}, .directory = s.folder + "/code"});
    const auto kernel =
        measure::generated_kernel<void(const float*, const float*, float*, float*)>(program, pool.cache(), data.bind());
    measure::thread_clock clock;
    const auto protocol = s.protocol();
    const auto order = order_of(program.space.size(), s.sample, s.seed, layer, pass);
    run_on(on.kernels);
    auto isolated = measure::isolated(
        program.space,
        measure::timed{kernel, protocol, data.check(), clock,
                       measure::timed_options{.min_steps = protocol.least_seconds / measure::smallest_step(clock),
                                              .max_warm_up_runs = 5,
                                              .max_warm_up_seconds = 0.05}},
        {.canaries = data.canaries()});
    run_on(on.compilers);
    const auto all = tunekit::io::logged_run(
        s.folder + '/' + name + '-' + std::to_string(pass + 1) + ".jsonl", program.space,
        measure::generated(program, std::move(pool), std::move(isolated)),
        tunekit::recipe{
            given_order{order}, measure::fixed{},
            tunekit::candidate_limits{.max_run_seconds = s.runs > 0 ? 1000.0 : 30.0, .max_build_seconds = 60},
            configurations_together},
        {.trials = order.size()}, {.name = name, .strategy = "every configuration", .seed = s.seed, .resume = true},
        {.checks = false});
    measurements out(static_cast<std::size_t>(program.space.size()));
    for (const auto& t : all.trials()) out[static_cast<std::size_t>(t.candidate)] = t.measured;
    return out;
}

/// Two passes as one recorded space.
template <class Space, class Last>
tunekit::io::recorded_space merge(const Space& space, Last&& last, const measurements& a, const measurements& b,
                                  const std::string& kernel, const record_settings& s)
{
    tunekit::io::recorded_space out;
    out.kernel = kernel;
    out.device = s.device;
    const std::size_t dimensions = space.dimensions();
    std::vector<std::vector<std::int64_t>> values(dimensions);
    for (tunekit::index i = 0; i < space.size(); ++i) {
        tunekit::io::recorded_space::row row;
        row.ordinals.resize(dimensions);
        space.ordinals(std::span(&i, 1), row.ordinals);
        const auto c = space.at(i);
        const auto sizes = inner_sizes(c, last(c));
        for (std::size_t j = 0; j < dimensions; ++j) {
            if (values[j].size() <= row.ordinals[j]) values[j].resize(row.ordinals[j] + std::size_t{1});
            values[j][row.ordinals[j]] = sizes[j];
        }
        if (!a[static_cast<std::size_t>(i)]) {
            out.sample = true;
            continue;
        }
        const auto& first = *a[static_cast<std::size_t>(i)];
        const auto& second = *b[static_cast<std::size_t>(i)];
        auto& m = row.record.result;
        m.failed = first.failed ? first.failed : second.failed;
        const auto whole = [&](const auto& pass) { return s.runs == 0 || pass.batches.size() == s.runs; };
        if (!m.failed && !(whole(first) && whole(second))) {  // a time limit cut it short
            out.sample = true;
            continue;
        }
        m.build_seconds = rounded((std::max)(first.build_seconds, second.build_seconds));  // built once, in either
        double runs = 0;
        if (!m.failed) {
            for (const auto* pass : {&first, &second})
                for (const double t : pass->batches) m.batches.push_back(rounded(t));
            for (const double t : m.batches) runs += t;
            m.runs = static_cast<std::uint32_t>(m.batches.size());
            row.record.pass_runs = s.runs;
            row.record.block_runs = s.runs > 0 ? s.block : 0;
            m.cost = rounded(tunekit::stats::median(m.batches));
            // The lesser of both: who waits for a core does not check.
            const auto untimed = [](const auto& pass) {
                return pass.run_seconds - static_cast<double>(pass.runs) * pass.cost;
            };
            row.record.check_seconds = rounded((std::max)(0.0, (std::min)(untimed(first), untimed(second))));
        } else {
            row.record.check_seconds = rounded((std::max)(first.run_seconds, second.run_seconds));
        }
        m.run_seconds = whole_nanoseconds(row.record.check_seconds + runs);
        row.record.seconds = whole_nanoseconds(m.build_seconds + m.run_seconds);
        out.rows.push_back(std::move(row));
    }
    for (std::size_t j = 0; j < dimensions; ++j) out.parameters.push_back({space.names()[j], values[j]});
    return out;
}

/// What two passes say of a layer.
inline layer_record judge(const std::string& name, const measurements& a, const measurements& b)
{
    layer_record out{.name = name};
    std::vector<double> all, first, second;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!a[i]) continue;
        ++out.configurations;
        out.build_seconds += (std::max)(a[i]->build_seconds, b[i]->build_seconds);
        out.run_seconds += a[i]->run_seconds + b[i]->run_seconds;
        if (!a[i]->ok() || !b[i]->ok()) {
            ++out.failed;
            continue;
        }
        first.push_back(a[i]->cost);
        second.push_back(b[i]->cost);
        all.push_back(0.5 * (a[i]->cost + b[i]->cost));
    }
    if (all.empty()) return out;
    const auto winner = [](const std::vector<double>& x) { return std::min_element(x.begin(), x.end()) - x.begin(); };
    out.correlation = tunekit::stats::spearman(first, second);
    out.tied = winner(first) != winner(second);
    out.optimum = *std::min_element(all.begin(), all.end());
    out.median = tunekit::stats::median(all);
    out.slowest = *std::max_element(all.begin(), all.end());
    return out;
}

}  // namespace detail

/// Measures every configuration of every convolution of a network, or the layer and the sample that the settings name, and writes
/// <folder>/<layer>.params, .csv.gz and spaces.csv.
///
/// A first pass over all layers, each in an order at random, then a second in the opposite orders; two more for a layer whose passes
/// correlate below 0.95 in rank, which replace the first two. Taken up where the logs of the passes, <folder>/<layer>-<pass>.jsonl, end.
/// `tell(layer, pass)` is called before each layer's pass.
template <class Tell>
std::vector<layer_record> record_network(const record_settings& s, Tell&& tell)
{
    const auto* const network = tunekit::kernels::find_network(s.network);
    if (network == nullptr || network->convolutions.empty())
        tunekit::invalid("--network \"" + s.network +
                         "\" has no convolutions here, want alexnet, resnet18, squeezenet or vgg16");
    const auto layers = network->convolutions;
    const auto wanted = [&](const auto& layer) { return s.layer.empty() || s.layer == layer.name; };
    if (std::none_of(layers.begin(), layers.end(), wanted))
        tunekit::invalid("--layer \"" + s.layer + "\" is no convolution of " + s.network + ", want one such as " +
                         std::string(layers[0].name));
    if (s.runs > 0 && (s.block == 0 || s.runs % s.block != 0))
        tunekit::invalid("--block " + std::to_string(s.block) + ": a pass of " + std::to_string(s.runs) +
                         " runs is no whole number of blocks, want a divisor");
    const detail::cores on(s.core);
    make_folder("--record", s.folder);

    const auto pass_over = [&](std::size_t k, std::size_t pass) {
        const std::string name(layers[k].name);
        tell(name, pass);
        return with_x86_template(layers[k].shape, [&](const auto& program, const auto&) {
            return detail::measure_layer(program, layers[k].shape, s, on, name, k, pass);
        });
    };
    std::vector<detail::measurements> first(layers.size());
    for (std::size_t k = 0; k < layers.size(); ++k)
        if (wanted(layers[k])) first[k] = pass_over(k, 0);
    std::vector<layer_record> out;
    std::string csv = spaces_header;
    for (std::size_t k = 0; k < layers.size(); ++k) {
        if (!wanted(layers[k])) continue;
        const std::string name(layers[k].name);
        auto second = pass_over(k, 1);
        auto found = detail::judge(name, first[k], second);
        found.passes = 2;
        if (!(found.correlation >= detail::enough_correlation)) {
            first[k] = pass_over(k, 2);
            second = pass_over(k, 3);
            found = detail::judge(name, first[k], second);
            found.passes = 4;
        }
        with_x86_template(layers[k].shape, [&](const auto& program, const auto& last) {
            const auto space = detail::merge(program.space, last, first[k], second, "conv2d " + name, s);
            tunekit::io::write_recorded_space(s.folder + '/' + name, space);
            csv += spaces_line(name, space);
        });
        out.push_back(std::move(found));
    }
    tunekit::io::write_text(s.folder + "/spaces.csv", csv);
    return out;
}

}  // namespace programs
