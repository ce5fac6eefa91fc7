// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// BaCO's and HyperMapper's protocol: requests on one stream, replies on another.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/formats/space_file.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"

namespace programs {

namespace detail {

/// The fields of a line; commas in parentheses are part of one.
inline std::vector<std::string> fields_of(std::string_view line)
{
    std::vector<std::string> out(1);
    int depth = 0;
    for (const char c : line) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c == ',' && depth <= 0) out.emplace_back();
        else out.back() += c;
    }
    for (std::string& f : out) {
        f.erase(0, (std::min)(f.find_first_not_of(" \t\r"), f.size()));
        f.erase(f.find_last_not_of(" \t\r") + 1);
    }
    return out;
}

/// The next line; none at the end.
inline std::optional<std::string> next_line(std::FILE* from)
{
    std::string out;
    for (int c = std::getc(from); c != EOF; c = std::getc(from)) {
        if (c == '\n') return out;
        out += static_cast<char>(c);
    }
    if (out.empty()) return std::nullopt;
    return out;
}

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
/// finite where they are valid; a cost of 0 or less is a failed configuration. Throws tunekit::error for a reply that is none.
template <class Run, class Space>
void serve_baco(Run& run, const Space& space, const tunekit::io::scenario& of, std::FILE* in, std::FILE* out)
{
    namespace tk = tunekit;
    std::size_t line_number = 0;
    const auto bad = [&](const std::string& what) {
        throw tk::error("reply, line " + std::to_string(line_number) + ": " + what);
    };
    const auto heard = [&] {
        ++line_number;
        auto line = detail::next_line(in);
        if (!line) bad("the client ended, want " + of.objective + " for every configuration");
        return *std::move(line);
    };
    const auto names = space.names();
    for (std::size_t wanted = (std::max)(of.first, std::uint64_t{1}); !run.over(); wanted = 1) {
        std::vector<tk::job> jobs;
        while (jobs.size() < wanted) {
            const auto more = run.ask(wanted - jobs.size());
            if (more.empty()) break;
            jobs.insert(jobs.end(), more.begin(), more.end());
        }
        if (jobs.empty()) break;
        std::string request = "Request " + std::to_string(jobs.size()) + '\n';
        for (std::size_t j = 0; j < names.size(); ++j) (request += j == 0 ? "" : ",") += names[j];
        request += '\n';
        for (const tk::job& j : jobs) {
            const auto texts = space.texts(j.candidate);
            for (std::size_t k = 0; k < texts.size(); ++k) (request += k == 0 ? "" : ",") += texts[k];
            request += '\n';
        }
        std::fputs(request.c_str(), out);
        std::fflush(out);
        const auto header = detail::fields_of(heard());
        const auto column = [&](const std::string& name) {
            const auto k = static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
            if (k == header.size())
                bad("there is no column " + name + ", want the parameters, " + of.objective +
                    (of.feasible.empty() ? "" : ", " + of.feasible));
            return k;
        };
        const std::size_t cost_at = column(of.objective);
        const std::size_t valid_at = of.feasible.empty() ? 0 : column(of.feasible);
        std::vector<std::size_t> at;
        for (const std::string& n : names) at.push_back(column(n));
        for (const tk::job& j : jobs) {
            const auto row = detail::fields_of(heard());
            if (row.size() != header.size())
                bad("it has " + std::to_string(row.size()) + " fields, want " + std::to_string(header.size()));
            const auto texts = space.texts(j.candidate);
            for (std::size_t k = 0; k < texts.size(); ++k)
                if (row[at[k]] != texts[k])
                    bad(names[k] + " is " + row[at[k]] + ", want " + texts[k] +
                        ": replies in the order of the request");
            tk::measure::measurement m;
            const std::string& text = row[cost_at];
            const auto read = tk::core::number<double>(text);
            const double cost = read.value_or(0);
            const bool valid = of.feasible.empty() || row[valid_at] == of.true_value;
            if (valid && !read) bad(of.objective + " is '" + text + "', want a number");
            if (!valid)
                m.failed =
                    tk::measure::failure{tk::measure::failure_kind::invalid, 0, "the client says that it is not valid"};
            else if (!(cost > 0 && cost <= (std::numeric_limits<double>::max)()))
                m.failed = tk::measure::failure{
                    tk::measure::failure_kind::bad_cost, 0,
                    "the client says " + text +
                        ", want a positive finite number: exp(x) of what may be 0 or less, 1/x of what is to grow"};
            else m = {.cost = cost, .runs = 1, .batches = {cost}};
            run.tell(j, std::move(m));
        }
    }
    std::fputs("End of HyperMapper\n", out);
    std::fflush(out);
}

}  // namespace programs
