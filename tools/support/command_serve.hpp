// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// BaCO's and HyperMapper's protocol: requests on one stream, replies on another.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/support/client_lines.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/formats/space_file.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"

namespace programs {

namespace detail {

/// The client as the server sees it: it is asked, and replies line by line, until `ended()` says that nobody waits for it.
template <class Space, std::predicate Ended>
class baco_client {
public:
    baco_client(const Space& space, const tunekit::io::space_file::baco& of, std::FILE* in, std::FILE* out, Ended ended)
        : space_(space), of_(of), lines_(in, out, std::move(ended))
    {
    }

    void ask(const std::vector<tunekit::job>& jobs) const
    {
        const auto names = space_.names();
        std::string request = "Request " + std::to_string(jobs.size()) + '\n';
        for (std::size_t j = 0; j < names.size(); ++j) (request += j == 0 ? "" : ",") += names[j];
        request += '\n';
        for (const tunekit::job& j : jobs) {
            const auto texts = space_.texts(j.candidate);
            for (std::size_t k = 0; k < texts.size(); ++k) (request += k == 0 ? "" : ",") += texts[k];
            request += '\n';
        }
        lines_.say(request);
    }

    /// Hears the first line of a reply, which names its columns.
    void hear_columns()
    {
        header_ = fields_of(heard());
        cost_at_ = column(of_.objective);
        valid_at_ = of_.feasible.empty() ? 0 : column(of_.feasible);
        at_.clear();
        for (const std::string& n : space_.names()) at_.push_back(column(n));
    }

    /// Hears the line of a job.
    [[nodiscard]] tunekit::measure::measurement hear(const tunekit::job& j)
    {
        const auto row = fields_of(heard());
        if (row.size() != header_.size())
            bad("it has " + std::to_string(row.size()) + " fields, want " + std::to_string(header_.size()));
        const auto texts = space_.texts(j.candidate);
        for (std::size_t k = 0; k < texts.size(); ++k)
            if (row[at_[k]] != texts[k])
                bad(space_.names()[k] + " is " + row[at_[k]] + ", want " + texts[k] +
                    ": replies in the order of the request");
        return measured(row[cost_at_], of_.feasible.empty() || row[valid_at_] == of_.true_value);
    }

    void end() const { lines_.say("End of HyperMapper\n"); }

private:
    [[noreturn]] void bad(const std::string& what) const { lines_.bad(what); }
    [[nodiscard]] std::string heard()
    {
        auto line = lines_.next();
        if (!line) bad("the client ended, want " + of_.objective + " for every configuration");
        return *std::move(line);
    }
    [[nodiscard]] std::size_t column(const std::string& name) const
    {
        const auto k = static_cast<std::size_t>(std::find(header_.begin(), header_.end(), name) - header_.begin());
        if (k == header_.size())
            bad("there is no column " + name + ", want the parameters, " + of_.objective +
                (of_.feasible.empty() ? "" : ", " + of_.feasible));
        return k;
    }
    [[nodiscard]] tunekit::measure::measurement measured(const std::string& text, bool valid) const
    {
        using tunekit::measure::failure, tunekit::measure::failure_kind;
        const auto read = tunekit::core::leading_number<double>(text);
        const double cost = read.fits ? read.value : 0;  // 1e999 is a number, and no cost
        if (valid && (read.length == 0 || read.length != text.size()))
            bad(of_.objective + " is '" + text + "', want a number");
        tunekit::measure::measurement m;
        if (!valid) m.failed = failure{failure_kind::invalid, 0, "the client says that it is not valid"};
        else if (!(cost > 0 && cost <= (std::numeric_limits<double>::max)()))
            m.failed =
                failure{failure_kind::bad_cost, 0,
                        "the client says " + text +
                            ", want a positive finite number: exp(x) of what may be 0 or less, 1/x of what is to grow"};
        else m = {.cost = cost, .runs = 1, .batches = {cost}};
        return m;
    }

    const Space& space_;
    const tunekit::io::space_file::baco& of_;
    client_lines<Ended> lines_;
    std::vector<std::string> header_;
    std::size_t cost_at_ = 0, valid_at_ = 0;
    std::vector<std::size_t> at_;  // by parameter: its column
};

}  // namespace detail

/// Drives `run` (anything with tuner's words) by the protocol of BaCO and HyperMapper in client-server mode:
///
///     Request 2                    this program:  how many
///     x1,x2                                       the parameters
///     16,(0, 1)                                   a configuration a line
///     32,(1, 0)
///     x1,x2,time,Valid             the client:    columns in any order
///     16,(0, 1),0.25,True                         a line for each configuration, in the order of the request
///     32,(1, 0),0,False
///     ...
///     End of HyperMapper           this program
///
/// The first request is as long as the scenario's design of experiments, the others ask for one. Costs must be positive and
/// finite where they are valid; a cost of 0 or less is a failed configuration. Once `ended()` the run is stopped, and what is out
/// stays out. Throws tunekit::error for a reply that is not one, a line that is longer than 1 MiB, and a client that reads no
/// more.
template <class Run, class Space, std::predicate Ended>
void serve_baco(Run& run, const Space& space, const tunekit::io::space_file::baco& of, std::FILE* in, std::FILE* out,
                Ended ended)
try {
    detail::baco_client client(space, of, in, out, std::move(ended));
    for (std::size_t wanted = (std::max)(of.first, std::uint64_t{1}); !run.over(); wanted = 1) {
        std::vector<tunekit::job> jobs;
        while (jobs.size() < wanted) {
            const auto more = run.ask(wanted - jobs.size());
            if (more.empty()) break;
            jobs.insert(jobs.end(), more.begin(), more.end());
        }
        if (jobs.empty()) break;
        client.ask(jobs);
        client.hear_columns();
        for (const tunekit::job& j : jobs) run.tell(j, client.hear(j));
    }
    client.end();
} catch (const served_enough&) {
    run.stop();
}

}  // namespace programs
