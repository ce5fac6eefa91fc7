// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// --report FILE [--watch]: the page of a run, at its end and while it goes on.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/support/program.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/page.hpp"
#include "tunekit/report/run.hpp"
#include "tunekit/tune/task.hpp"
#include "tunekit/tune/tuning.hpp"

namespace programs {

/// What the command line says of it.
struct report_options {
    std::string path;
    unsigned watch = 0;  ///< seconds between two pages while the run goes on; 0: one at its end

    void describe(CLI::App& app)
    {
        app.add_option("--report", path, "the run as one HTML page, written at its end")->type_name("FILE");
        app.add_flag("--watch{5}", watch, "write the page again while the run goes on, every 5 s, or every N");
    }
    /// Throws std::invalid_argument where the page could not be written.
    void check() const
    {
        if (watch > 0 && path.empty())
            tunekit::invalid("--watch writes a page again and again, want --report FILE.html too");
        check_file("--report", path);
    }
};

/// The page of a run.
class run_report {
public:
    explicit run_report(report_options how) : how_(std::move(how)), next_(tunekit::measure::wall_clock{}() + how_.watch)
    {
    }

    [[nodiscard]] bool wanted() const noexcept { return !how_.path.empty(); }

    /// Whether it is time for another page of a run that goes on.
    [[nodiscard]] bool due()
    {
        if (how_.watch == 0) return false;
        const double now = tunekit::measure::wall_clock{}();
        if (now < next_) return false;
        next_ = now + how_.watch;
        return true;
    }

    /// Writes the page; one of a run that goes on reloads itself, and where it cannot be written the run goes on without.
    void write(const tunekit::report::seen_run& run, bool goes_on)
    {
        const auto findings = tunekit::report::findings_of(run);
        const auto page = tunekit::report::to_page(run, findings, goes_on ? how_.watch : 0);
        try {
            tunekit::io::write_text(how_.path, page);
        } catch (const std::exception& e) {
            if (!goes_on) throw;
            std::fprintf(stderr, "%s; no more pages while the run goes on\n", e.what());
            how_.watch = 0;
        }
    }

private:
    report_options how_;
    double next_;
};

/// The run's time at each answer, which a plan does not keep: its tasks know their own seconds alone.
class answer_stamps {
public:
    void note(const tunekit::plan& p)
    {
        of_.resize(p.tasks.size());
        for (std::size_t k = 0; k < of_.size(); ++k) of_[k].resize(p.tasks[k].record.trials().size(), p.seconds);
    }
    /// Gives the trials of `run`, which is of that plan, their stamps.
    void put(tunekit::report::seen_run& run) const
    {
        for (std::size_t k = 0; k < run.tasks.size() && k < of_.size(); ++k)
            for (std::size_t i = 0; i < run.tasks[k].trials.size() && i < of_[k].size(); ++i)
                run.tasks[k].trials[i].stamp = of_[k][i];
    }

private:
    std::vector<std::vector<double>> of_;
};

/// How many trials each worker had: "31+29".
inline std::string trials_by_worker(const tunekit::tuning& record, std::size_t workers)
{
    std::vector<std::size_t> n(workers);
    for (const auto& t : record.trials()) {
        if (t.worker >= n.size()) n.resize(t.worker + 1);  // a log of a run with more
        ++n[t.worker];
    }
    std::string out;
    for (const std::size_t x : n) out += (out.empty() ? "" : "+") + std::to_string(x);
    return out;
}

}  // namespace programs
