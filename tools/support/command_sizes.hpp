// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Several sizes of one problem in tune_command and tune_kernel: each is tuned, and a header chooses for all.

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/support/command_run.hpp"
#include "tools/support/program.hpp"
#include "tools/support/streams.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/dispatch/fit.hpp"
#include "tunekit/dispatch/header.hpp"
#include "tunekit/dispatch/results_file.hpp"
#include "tunekit/dispatch/task_name.hpp"
#include "tunekit/dispatch/tune_shapes.hpp"
#include "tunekit/processes/interruptible.hpp"
#include "tunekit/processes/stop_on_signal.hpp"

namespace programs {

/// What --sizes and its companions say.
struct size_options {
    std::vector<std::string> all{};  ///< such as 512x512,64x64
    std::string header{}, results{}, name = "kernel_choice";
};

/// The options of several sizes; `what` are they.
inline void describe_sizes(CLI::App& app, size_options& o, const std::string& what)
{
    app.add_option("--sizes", o.all, what + ": each is tuned, --header chooses for all; 1000,4000 or 64x64,512x64")
        ->allow_extra_args(false)
        ->type_name("SIZE,...");
    app.add_option("--header", o.header, "of --sizes: a header for C++17 that gives every size its configuration")
        ->type_name("FILE");
    app.add_option("--results", o.results, "of --sizes: what was measured before, and is added to")->type_name("FILE");
    app.add_option("--name", o.name, "of the header's namespace")->capture_default_str();
}

/// The sizes of --sizes, all with as many axes.
inline std::vector<tunekit::dispatch::shape_sizes> sizes_of(const size_options& o)
{
    std::vector<tunekit::dispatch::shape_sizes> out;
    std::vector<std::string> words;
    for (const std::string& text : o.all)
        for (std::string& word : listed("--sizes", text)) words.push_back(std::move(word));
    for (const std::string& word : words) {
        tunekit::dispatch::shape_sizes at;
        for (std::size_t begin = 0; begin <= word.size();) {
            const std::size_t end = (std::min)(word.find('x', begin), word.size());
            const auto n = tunekit::core::number<std::int64_t>(word.substr(begin, end - begin));
            if (!n || *n < 1)
                tunekit::invalid("--sizes '" + word + "', want numbers from 1 on with x between, such as 512x64");
            at.push_back(*n);
            begin = end + 1;
        }
        if (at.size() > 3 || (!out.empty() && at.size() != out.front().size()))
            tunekit::invalid("--sizes '" + word + "', want one to three numbers, as many for each size");
        if (std::find(out.begin(), out.end(), at) != out.end())
            tunekit::invalid("--sizes '" + word + "' twice, want each once");
        out.push_back(std::move(at));
    }
    return out;
}

/// The names of the axes of a size.
inline std::vector<std::string> axes_of(const tunekit::dispatch::shape_sizes& at)
{
    const std::vector<std::string> all{"x", "y", "z"};
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(at.size())};
}

/// Runs configurations of one size until the end is asked for; then those that are left are lost.
template <class Inner>
struct sized_measurer {
    std::shared_ptr<Inner> inner;

    [[nodiscard]] std::vector<tunekit::measure::measurement> measure(std::span<const tunekit::index> batch,
                                                                     const tunekit::measure::limits& within)
    {
        return tunekit::measure::interruptible(*inner, end_asked).measure(batch, within);
    }
    [[nodiscard]] bool measures_time() const { return inner->measures_time(); }
};

/// What the results of several sizes are of.
struct sized_kernel {
    std::string kernel, version, device;
};

/// Tunes each of several sizes, and writes the header that chooses among their winners; `make(size)` gives a shared_ptr
/// of what measures there. The exit status.
template <class Make>
int tune_sizes(const size_options& how, const command_setup& s, const sized_kernel& of, const Make& make)
{
    namespace dispatch = tunekit::dispatch;
    using inner = std::remove_reference_t<decltype(*make(dispatch::shape_sizes{}))>;
    const command_options& o = s.o;
    const std::pair<const char*, bool> others[] = {{"--log", !o.log.empty()},
                                                   {"--t4", !o.t4.empty()},
                                                   {"--report", !o.report.path.empty()},
                                                   {"--export-json", !o.export_json.empty()},
                                                   {"--export-csv", !o.export_csv.empty()},
                                                   {"--export-markdown", !o.export_markdown.empty()},
                                                   {"--json", o.json},
                                                   {"--dry-run", o.dry_run}};
    for (const auto& [option, given] : others)
        if (given) tunekit::invalid(std::string("--sizes has --results and --header, want it without ") + option);
    if (how.header.empty()) tunekit::invalid("--sizes makes a header, want --header FILE");
    check_file("--header", how.header);
    check_file("--results", how.results);
    const auto family = sizes_of(how);
    const auto axes = axes_of(family.front());
    dispatch::results all{.kernel = of.kernel,
                          .version = of.version,
                          .fingerprint = tunekit::space::any_space(s.space).fingerprint(),
                          .sizes = axes,
                          .parameters = {s.space.names().begin(), s.space.names().end()}};
    const dispatch::choice what{.kernel = all.kernel,  // a header that cannot be is told before anything is measured
                                .sizes = axes,
                                .parameters = all.parameters,
                                .configs = {{.values = std::vector<std::string>(all.parameters.size(), "1")}},
                                .devices = {{.general = dispatch::rung::nearest, .shapes = {{.at = family.front()}}}}};
    static_cast<void>(dispatch::header_text(what, {.name = how.name}));
    if (!how.results.empty() && ::access(how.results.c_str(), F_OK) == 0)
        all.merge(dispatch::read_results(how.results));
    tunekit::stop_on_signal stop;
    const auto task_at = [&](const dispatch::shape_sizes& at) {
        tunekit::task t(dispatch::task_name(of.kernel, axes, at), s.space, sized_measurer<inner>{make(at)}, 1.0);
        t.begin_with({s.untuned});
        return t;
    };
    tunekit::random::philox gen(o.seed);
    const double seconds = o.seconds > 0 ? o.seconds : o.trials > 0 ? tunekit::forever : 60;
    all = dispatch::tune_shapes(
        std::move(all), family, task_at, s.how,
        {.device = of.device,
         .budget = {.seconds = seconds, .trials_per_task = o.trials > 0 ? o.trials : tunekit::unlimited},
         .ended = end_asked},
        gen);
    if (stop.heard() != 0 && all.rows.empty()) return stop.status();
    if (all.rows.empty()) throw tunekit::error("no configuration runs at any of the sizes");
    if (!how.results.empty()) dispatch::write_results(how.results, all);
    dispatch::write_header(how.header, dispatch::fit(all, {}), {.name = how.name});
    for (const auto& w : all.winners())
        if (w.device == of.device) {
            const auto texts = s.space.texts(all.rows[w.best].candidate);
            std::string values;
            for (std::size_t k = 0; k < texts.size(); ++k) values += ' ' + (s.space.names()[k] + ('=' + texts[k]));
            std::printf("%s:%s, %.4g", all.text_of(w.at).c_str(), values.c_str(), all.rows[w.best].seconds);
            if (w.untuned) std::printf(", the default %.4g", all.rows[*w.untuned].seconds);
            std::printf("\n");
        }
    check_output();
    return stop.status();
}

}  // namespace programs
