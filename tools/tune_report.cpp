// SPDX-License-Identifier: MIT

// Shows a log as one HTML page, or as text in the terminal.
//
//     tune_report run.jsonl -o run.html            # one file, to be opened from the file system
//     tune_report run.jsonl -o run.html --watch    # written again while the run goes on
//     tune_report run.jsonl --text

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "tools/support/program.hpp"
#include "tools/support/run_report.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/processes/system/files.hpp"
#include "tunekit/report/from_log.hpp"
#include "tunekit/report/page.hpp"
#include "tunekit/report/terminal.hpp"

namespace tk = tunekit;

namespace {

struct settings {
    std::string log, out, svg, title, objective;
    double peak = 0;
    unsigned watch = 0;
    bool text = false;
};

void write(const settings& s)
{
    tk::report::seen_run run = tk::report::seen_run_of_log(s.log, s.objective);
    if (!s.title.empty()) run.title = s.title;
    run.peak_flops = 1e9 * s.peak;
    run.repeat.push_back("tune_report " + s.log + (s.objective.empty() ? "" : " --objective '" + s.objective + "'") +
                         (s.out.empty() ? " --text" : " -o " + s.out));
    const auto findings = tk::report::findings_of(run);
    for (std::size_t k = 0; k < run.tasks.size(); ++k)
        if (const auto& best = findings[k].best)
            run.use.push_back((run.tasks.size() > 1 ? run.tasks[k].name + ": " : std::string()) +
                              tk::report::configuration_of(run.tasks[k], best->candidate, best->values));
    if (s.text || (s.out.empty() && s.svg.empty())) std::fputs(tk::report::to_terminal(run, findings).c_str(), stdout);
    if (!s.out.empty()) tk::io::write_text(s.out, tk::report::to_page(run, findings, s.watch));
    if (!s.svg.empty()) {
        for (std::size_t k = 0; k < run.tasks.size(); ++k)
            tk::io::write_text(
                s.svg + "/tuning_curve_" + std::to_string(k) + ".svg",
                tk::report::to_standalone_svg(tk::report::tuning_curve_svg(run.tasks[k], findings[k], {})));
        if (run.tasks.size() > 1)
            tk::io::write_text(s.svg + "/model_latency.svg",
                               tk::report::to_standalone_svg(tk::report::model_latency_svg(run, {})));
    }
}

void run(const settings& s)
{
    programs::check_file("-o", s.out);
    if (!s.svg.empty()) programs::make_folder("--svg", s.svg);
    if (s.watch == 0) return write(s);
    if (s.out.empty()) tk::invalid("--watch writes a page again and again, want -o FILE.html too");
    for (std::uint64_t seen = 0;; ::sleep(s.watch)) {  // until a signal ends it: the page is always a whole one
        const auto there = tk::system::state_of(s.log);
        if (there && !there->is_file()) return write(s);  // which says what it is
        if (!there || there->size == seen) continue;      // not there yet, or nothing new
        seen = there->size;
        try {
            write(s);
        } catch (const tk::error& e) {  // a header that is being written
            std::fprintf(stderr, "tune_report: %s\n", e.what());
        }
    }
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    CLI::App app("Shows what a tuning run found: a log as one HTML page, or as text.", "tune_report");
    app.add_option("log", s.log, "the log of a run, run.jsonl")->required()->type_name("FILE");
    app.add_option("-o,--out", s.out, "the page, one self-contained file")->type_name("FILE");
    app.add_flag("--text", s.text, "print it to the terminal; so without -o");
    app.add_option("--svg", s.svg, "a folder for the pictures as SVG files")->type_name("FOLDER");
    app.add_flag("--watch{5}", s.watch, "write the page again while the log grows, every 5 s, or every N");
    app.add_option("--objective", s.objective,
                   "judge what was measured by another one: 'cost * NAME', 'cost where NAME <= 5'")
        ->type_name("TEXT");
    app.add_option("--title", s.title, "the page's, instead of the task's name");
    app.add_option("--peak", s.peak, "GFLOP/s of the machine, for shares of peak");
    return programs::run_program(app, argc, argv, [&] { run(s); });
}
