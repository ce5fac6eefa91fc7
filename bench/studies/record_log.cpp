// SPDX-License-Identifier: MIT
// Writes what a log of tune_command measured as a recorded space, its numbers beside the cost: what bench/studies/data/goals/ holds.
// Values that are no integers become their positions, and a comment of the .params file says which is which.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/support/program.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/formats/recorded_space.hpp"
#include "tunekit/records/read_log.hpp"
#include "tunekit/stats/quantile.hpp"

namespace tk = tunekit;

namespace {

struct settings {
    std::string log, out, kernel, device = "unnamed machine";
    std::vector<std::string> constraints;
};

/// Milliseconds of four digits, which is more than two runs agree on, and short to write.
double rounded(double seconds)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3e", 1e3 * seconds);
    return std::strtod(text, nullptr) / 1e3;
}

void run(const settings& s)
{
    const auto log = tk::io::read_log(s.log);
    const auto& names = log.header.tasks.front().parameters;
    const auto& texts = log.header.about.values;
    if (log.header.tasks.size() != 1 || texts.size() != names.size())
        tk::invalid("log " + s.log + ": does not have the values of one space, want a log of tune_command");
    tk::io::recorded_space out;
    out.kernel = s.kernel.empty() ? log.header.about.title : s.kernel;
    out.device = s.device;
    out.constraints = s.constraints;
    out.value_names = log.header.value_names;
    std::string words;
    for (std::size_t j = 0; j < names.size(); ++j) {
        tk::io::recorded_space::parameter p{names[j], {}};
        for (const std::string& text : texts[j])
            if (const auto x = tk::core::number<std::int64_t>(text)) p.values.push_back(*x);
        if (p.values.size() != texts[j].size()) {
            p.values.clear();
            words += "# " + names[j] + ':';
            for (std::size_t k = 0; k < texts[j].size(); ++k) {
                p.values.push_back(static_cast<std::int64_t>(k));
                words += (k == 0 ? " " : ", ") + std::to_string(k) + " '" + texts[j][k] + '\'';
            }
            words += '\n';
        }
        out.parameters.push_back(std::move(p));
    }
    for (const auto& t : log.trials) {
        tk::io::recorded_space::row row;
        for (std::size_t j = 0; j < names.size(); ++j) {
            const auto at = std::find(texts[j].begin(), texts[j].end(), t.values.at(j));
            if (at == texts[j].end())
                tk::invalid("log " + s.log + ": '" + t.values[j] + "' is no value of " + names[j]);
            row.ordinals.push_back(static_cast<std::uint16_t>(at - texts[j].begin()));
        }
        auto& m = row.record.result = t.measured;
        m.build_seconds = rounded(m.build_seconds);
        m.run_seconds = rounded(m.run_seconds);
        row.record.seconds = rounded(m.build_seconds + m.run_seconds);
        for (double& b : m.batches) b = rounded(b);
        if (m.ok()) m.cost = m.batches.empty() ? rounded(m.cost) : rounded(tk::stats::median(m.batches));
        out.rows.push_back(std::move(row));
    }
    std::sort(out.rows.begin(), out.rows.end(), [](const auto& a, const auto& b) { return a.ordinals < b.ordinals; });
    out.sample = out.rows.size() < log.header.tasks.front().size;
    tk::io::write_recorded_space(s.out, out);
    if (!words.empty()) tk::io::write_text(s.out + ".params", tk::io::read_text(s.out + ".params") + words);
    std::printf("%zu configurations of %llu\n", out.rows.size(),
                static_cast<unsigned long long>(log.header.tasks.front().size));
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    CLI::App app("Writes what a log of tune_command measured as a recorded space, NAME.params and NAME.csv.gz.",
                 "record_log");
    app.add_option("log", s.log, "of tune_command")->required();
    app.add_option("--out", s.out, "NAME of the two files, with their folder")->required();
    app.add_option("--kernel", s.kernel, "what the .params file says of the program");
    app.add_option("--device", s.device, "what it says of this machine");
    app.add_option("--constraint", s.constraints, "of the space, as in its file; may be repeated")
        ->allow_extra_args(false);
    return programs::run_program(app, argc, argv, [&] { run(s); });
}
