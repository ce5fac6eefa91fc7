// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The page of a run over the operators of a network.

#include <cstdio>
#include <span>
#include <string>

#include "tools/support/network_jobs.hpp"
#include "tools/support/network_options.hpp"
#include "tools/support/network_report.hpp"
#include "tools/support/program.hpp"
#include "tools/support/run_report.hpp"
#include "tunekit/tune/task.hpp"

namespace programs {

/// Now and then while it goes on, and at its end.
class network_page {
public:
    /// Refers to all three; `told` is what the run takes of a past.
    network_page(const tune_network_options& o, const network_jobs& jobs, const std::string& told)
        : page_(o.report), o_(o), jobs_(jobs), told_(told)
    {
    }

    /// After each answer: keeps its time, and writes a page where it is time for one.
    void note(const tunekit::plan& p, std::span<const tunekit::task> tasks)
    {
        if (!page_.wanted()) return;
        stamps_.note(p);
        if (page_.due()) page_.write(seen(p, tasks), true);
    }

    /// The last one, with the outcome of the last comparison.
    void finish(std::span<const tunekit::task> tasks, const network_result& r)
    {
        if (!page_.wanted()) return;
        auto run = seen(r.plan, tasks);
        for (std::size_t k = 0; k < jobs_.all.size(); ++k) {
            const network_job& j = jobs_.all[k];
            if (r.ends[k].best) run.use.push_back(j.name + ": " + j.space.text(*r.ends[k].best));
        }
        const network_totals all = totals_of(jobs_, r, o_.workers);
        if (all.tuned_latency < tunekit::forever && all.default_latency < tunekit::forever) {
            char text[120];
            std::snprintf(text, sizeof text, "last comparison, side by side: %.4g ms by default, %.4g ms tuned",
                          1e3 * all.default_latency, 1e3 * all.tuned_latency);
            run.facts.emplace_back(text);
        }
        page_.write(run, false);
    }

private:
    [[nodiscard]] tunekit::report::seen_run seen(const tunekit::plan& p, std::span<const tunekit::task> tasks) const
    {
        auto run = tunekit::report::seen_run_of(o_.network, tasks, p);
        run.facts = {"strategy " + o_.strategy, "schedule " + o_.schedule, "seed " + std::to_string(o_.seed),
                     "machine " + jobs_.machine(), "tunekit " + version_text()};
        if (!told_.empty()) run.facts.push_back(told_);
        run.workers = o_.workers;
        run.repeat = {o_.command_line};
        for (auto& t : run.tasks) t.never_worse = !o_.may_be_worse;
        stamps_.put(run);
        return run;
    }

    run_report page_;
    answer_stamps stamps_;
    const tune_network_options& o_;
    const network_jobs& jobs_;
    const std::string& told_;
};

}  // namespace programs
