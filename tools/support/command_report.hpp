// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What tune_command tells at its end: a table, JSON, a T4 file, and a command to paste.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/support/shell_words.hpp"
#include "tunekit/formats/t4.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/program/program_options.hpp"
#include "tunekit/report/text_table.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/stats/interval.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/tune/tuning.hpp"

namespace programs {

/// A 95 % interval of the median of what `costs` are drawn from: the widest pair of order statistics that a fair coin keeps
/// inside with that probability. None for fewer than 6 costs, of which no pair does.
inline std::optional<tunekit::stats::interval> median_interval(std::vector<double> costs)
{
    std::sort(costs.begin(), costs.end());
    const std::size_t n = costs.size();
    double tail = 0, term = std::pow(0.5, static_cast<double>(n));
    std::optional<tunekit::stats::interval> out;
    for (std::size_t k = 0; k < n / 2; ++k) {
        tail += term;  // P(at most k of n throws are heads)
        if (tail > 0.025) break;
        out = {costs[k], costs[n - 1 - k]};
        term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    }
    return out;
}

/// One line of the table.
struct told_configuration {
    tunekit::index candidate = 0;
    double cost = std::numeric_limits<double>::quiet_NaN();
    std::optional<tunekit::stats::interval> within{};
    std::vector<double> numbers{};
};

/// What is told.
struct command_report {
    std::uint64_t trials = 0, failed = 0;
    double seconds = 0;
    std::string stopped{}, last_failure{};
    std::string problem{};  ///< of the log or of what measures, which ended the run or its last comparison; else empty
    std::optional<told_configuration> untuned{}, best{};
    std::vector<told_configuration> tied{};
    std::uint32_t rounds = 0;              ///< of the last comparison, side by side; 0 where there was none
    std::uint32_t rounds_to_separate = 0;  ///< with fewer it separates none
    double seconds_to_separate = 0;        ///< of a run whose last comparison has as many, about
    std::vector<std::string> number_names{};
    bool is_time = true;  ///< costs are seconds
};

/// A JSON value of a parameter's.
inline nlohmann::ordered_json json_of(const tunekit::space::value& v)
{
    return std::visit(
        []<class T>(const T& x) -> nlohmann::ordered_json {
            if constexpr (std::is_same_v<T, tunekit::space::entries>) return x.of;
            else return x;
        },
        v);
}

inline nlohmann::ordered_json json_of(const tunekit::space::value_product& space, tunekit::index i)
{
    auto out = nlohmann::ordered_json::object();
    const auto values = space.at(i);
    for (std::size_t j = 0; j < values.size(); ++j) out[space.names()[j]] = json_of(values[j]);
    return out;
}

inline nlohmann::ordered_json json_of(const command_report& r, const tunekit::space::value_product& space,
                                      const told_configuration& c)
{
    const auto number = [](double x) {
        return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json();
    };
    nlohmann::ordered_json out{{"config", json_of(space, c.candidate)}, {"cost", number(c.cost)}};
    out["low"] = c.within ? number(c.within->low) : nlohmann::ordered_json();
    out["high"] = c.within ? number(c.within->high) : nlohmann::ordered_json();
    for (std::size_t k = 0; k < c.numbers.size(); ++k) out["numbers"][r.number_names[k]] = number(c.numbers[k]);
    return out;
}

inline void print_json(const command_report& r, const tunekit::space::value_product& space,
                       const tunekit::measure::program_command& winner)
{
    using json = nlohmann::ordered_json;
    json out{{"trials", r.trials}, {"failed", r.failed}, {"seconds", r.seconds}};
    out["default"] = r.untuned ? json_of(r, space, *r.untuned) : json();
    out["best"] = json();
    if (r.best) {
        out["best"] = json_of(r, space, *r.best);
        out["best"]["command"] = winner.arguments;
        for (const auto& [name, value] : winner.environment) out["best"]["environment"][name] = value;
        if (!winner.build.empty()) out["best"]["build"] = winner.build;
    }
    out["tied"] = json::array();
    for (const auto& t : r.tied) out["tied"].push_back(json_of(r, space, t));
    out["rounds"] = r.rounds;
    out["rounds_to_separate"] = r.rounds_to_separate;
    out["stopped"] = r.stopped;
    if (!r.problem.empty()) out["problem"] = r.problem;
    std::printf("%s\n", out.dump(2, ' ', false, json::error_handler_t::replace).c_str());
}

inline std::string cost_text(const command_report& r, double cost)
{
    char text[40];
    if (!r.is_time) std::snprintf(text, sizeof text, "%.5g", cost);
    else if (cost < 1) std::snprintf(text, sizeof text, "%.4g ms", 1e3 * cost);
    else std::snprintf(text, sizeof text, "%.4g s", cost);
    return text;
}

inline void print_table(const command_report& r, const tunekit::space::value_product& space,
                        const tunekit::measure::program_command& winner)
{
    std::printf("%llu configuration%s measured, %llu failed, %.1f s: %s\n\n", static_cast<unsigned long long>(r.trials),
                r.trials == 1 ? "" : "s", static_cast<unsigned long long>(r.failed), r.seconds, r.stopped.c_str());
    if (!r.best) {
        std::printf(
            "no configuration was measured without failing%s%s\n",
            r.last_failure.empty() ? "" : "; the last one: ", tunekit::report::printable(r.last_failure).c_str());
        return;
    }
    tunekit::report::text_table table({"", "cost", "95 % interval", "configuration"}, {-8, 12, -28, -1});
    const auto line = [&](const char* what, const told_configuration& c) {
        const std::string within =
            c.within ? "[" + cost_text(r, c.within->low) + ", " + cost_text(r, c.within->high) + "]" : "";
        std::string numbers;
        for (std::size_t k = 0; k < c.numbers.size(); ++k) {
            char text[64];
            std::snprintf(text, sizeof text, "; %s %.5g", r.number_names[k].c_str(), c.numbers[k]);
            numbers += text;
        }
        table.row(what, cost_text(r, c.cost), within, space.text(c.candidate) + numbers);
    };
    if (r.untuned) line("default", *r.untuned);
    line("best", *r.best);
    const bool unclear = r.rounds < r.rounds_to_separate;
    for (const auto& t : r.tied) line(unclear ? "unclear" : "tied", t);
    std::fputs(table.text().c_str(), stdout);
    if (r.untuned && r.best->candidate != r.untuned->candidate && std::isfinite(r.untuned->cost))
        std::printf("\nthe default costs %.3g times as much\n", r.untuned->cost / r.best->cost);
    if (unclear && (r.rounds == 0 || !r.tied.empty()))
        std::printf(
            "\nnot separated: too few runs side by side, %lu where %lu are the least; want --seconds %.0f or more\n",
            static_cast<unsigned long>(r.rounds), static_cast<unsigned long>(r.rounds_to_separate),
            std::ceil(r.seconds_to_separate));
    std::printf("\n");
    if (!winner.build.empty()) std::printf("mkdir -p tuned && %s\n", shell_line(winner.build).c_str());
    for (const auto& [name, value] : winner.environment) std::printf("%s ", (name + '=' + shell_word(value)).c_str());
    std::printf("%s\n", shell_line(winner.arguments).c_str());
}

/// Every trial as Kernel Tuner writes them.
inline tunekit::io::t4_file t4_of(const tunekit::tuning& record, const tunekit::space::value_product& space,
                                  bool is_time)
{
    using tunekit::measure::failure_kind;
    tunekit::io::t4_file out;
    char stamp[40];
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    std::strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S+00:00", ::gmtime_r(&now, &utc));
    for (const auto& t : record.trials()) {
        const auto& m = t.measured;
        tunekit::io::t4_result r;
        r.configuration = json_of(space, t.candidate);
        r.timestamp = stamp;
        r.times["compilation"] = 1e3 * m.build_seconds;
        r.times["benchmark"] = 1e3 * m.run_seconds;
        if (m.failed) {
            switch (m.failed->kind) {
                case failure_kind::build_error:
                case failure_kind::build_timeout:
                    r.invalidity = "compile";
                    break;
                case failure_kind::run_timeout:
                    r.invalidity = "timeout";
                    break;
                case failure_kind::wrong_result:
                case failure_kind::damaged_canary:
                    r.invalidity = "correctness";
                    break;
                default:
                    r.invalidity = "runtime";
            }
            r.correctness = r.invalidity == "correctness" ? 0 : 1;
        } else {
            r.objectives = {is_time ? "time" : "cost"};
            for (const double s : m.batches)
                if (is_time) r.runtimes.push_back(1e3 * s);
            r.quantities.push_back({r.objectives[0], is_time ? 1e3 * m.cost : m.cost, is_time ? "ms" : ""});
        }
        out.results.push_back(std::move(r));
    }
    return out;
}

}  // namespace programs
