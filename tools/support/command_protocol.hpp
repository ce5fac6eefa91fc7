// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The protocol of tune_command --serve: a line of JSON is asked, a line of JSON is answered.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/support/client_lines.hpp"
#include "tools/support/command_describe.hpp"
#include "tools/support/command_report.hpp"
#include "tools/support/command_run.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/records/json/bounded_json.hpp"
#include "tunekit/records/json/json_fields.hpp"
#include "tunekit/report/run.hpp"

namespace programs {

inline constexpr int protocol_version = 1;

/// What answers the lines of a client, one each, over `Run` (anything with tuner's words).
template <class Run>
class protocol_server {
public:
    protocol_server(Run& run, const command_setup& s) : run_(run), s_(s) {}

    /// The answer to a line. Throws json_fields::malformed or std::exception for a line that is no request.
    [[nodiscard]] nlohmann::ordered_json answer(std::string_view line)
    {
        using json = nlohmann::ordered_json;
        const auto whole = tunekit::io::detail::bounded_json(line);
        const fields in(whole.value);
        const auto has = [&](const char* word) { return whole.value.is_object() && whole.value.contains(word); };
        if (has("hello")) {
            if (const auto v = in.at("hello").get<std::int64_t>(); v != protocol_version)
                in.at("hello").fail("is " + std::to_string(v) + ", want " + std::to_string(protocol_version));
            return {{"hello", protocol_version},
                    {"tunekit", version_text()},
                    {"parameters", s_.space.names()},
                    {"size", s_.space.size()}};
        }
        if (has("ask")) return asked(in.at("ask").get<std::uint32_t>());
        if (has("tell")) {
            const auto m = measured(in);
            run_.tell(take(in.at("tell")), m);
            return {{"told", in.at("tell").get<std::uint64_t>()}};
        }
        if (has("drop")) {
            run_.drop(take(in.at("drop")));
            return {{"dropped", in.at("drop").get<std::uint64_t>()}};
        }
        if (has("best")) {
            const auto& record = run_.record();
            json out{{"best", json()}, {"trials", record.trials().size()}, {"failed", record.failed()}};
            if (record.found())
                out["best"] = {{"config", json_of(s_.space, record.incumbent().candidate)},
                               {"cost", s_.unit.shown(record.best_cost())}};
            return out;
        }
        if (has("describe")) return {{"describe", description_of(s_, s_.seen(run_.record()).tasks.front())}};
        in.fail("is not a request, want an object with hello, ask, tell, drop, best or describe");
    }

private:
    using fields = tunekit::io::detail::json_fields;

    [[nodiscard]] nlohmann::ordered_json asked(std::uint32_t n)
    {
        auto jobs = nlohmann::ordered_json::array();
        while (jobs.size() < n) {
            const auto some = run_.ask(n - jobs.size());
            if (some.empty()) break;
            for (const tunekit::job& j : some) {
                const auto number = static_cast<std::uint64_t>(j.ticket);
                out_.emplace(number, j);
                jobs.push_back({{"job", number}, {"config", json_of(s_.space, j.candidate)}});
            }
        }
        const bool over = run_.over() || (n > 0 && jobs.empty() && out_.empty());
        return {{"jobs", std::move(jobs)}, {"over", over}};
    }

    /// The job of that number, which is out no more.
    [[nodiscard]] tunekit::job take(const fields& number)
    {
        const auto found = out_.find(number.get<std::uint64_t>());
        if (found == out_.end()) number.fail("is not a job that is out, want the number of one");
        const tunekit::job out = found->second;
        out_.erase(found);
        return out;
    }

    [[nodiscard]] tunekit::measure::measurement measured(const fields& in) const
    {
        using tunekit::measure::failure, tunekit::measure::failure_kind;
        if (in.value().contains("failed")) {
            failure why{failure_kind::invalid, 0, in.at("failed").get<std::string>()};
            if (in.value().contains("kind")) {
                const auto kind = tunekit::measure::failure_kind_of(in.at("kind").get<std::string>());
                if (!kind)
                    in.at("kind").fail(
                        "is not a kind of failure, want crash, exited, run_timeout, wrong_result or another");
                why.kind = *kind;
            }
            return {.failed = std::move(why)};
        }
        const auto told = in.at("cost").get<double>(), cost = s_.unit.shown(told);
        if (!(told > 0 && cost > 0 && cost < tunekit::forever))
            in.at("cost").fail("is not a positive finite number, want exp(x) of what may be 0 or less, or \"failed\"");
        tunekit::measure::measurement out{.cost = cost, .runs = 1, .batches = {cost}};
        if (in.value().contains("numbers") || s_.objective || !s_.goals.empty()) {
            const fields all = in.at("numbers");
            std::vector<double> numbers;
            for (const std::string& name : s_.number_names)
                numbers.push_back(all.at(name.c_str()).template get<double>());
            for (const auto& [name, value] : all.value().items())
                if (std::find(s_.number_names.begin(), s_.number_names.end(), name) == s_.number_names.end())
                    all.at(name.c_str()).fail("is no --number of this run, want one of its names");
            out.values = tunekit::measure::measured_values(std::span<const double>(numbers));
        }
        return s_.judged(std::move(out));
    }

    Run& run_;
    const command_setup& s_;
    std::map<std::uint64_t, tunekit::job> out_;
};

/// Answers line by line, until the client ends or `ended()` says that nobody waits. A line that is no request is answered by
/// {"error": "..."}, and changes nothing. Throws tunekit::error for a line that is longer than 1 MiB.
template <class Run, std::predicate Ended>
void serve_protocol(Run& run, const command_setup& s, std::FILE* in, std::FILE* out, Ended ended)
try {
    client_lines lines(in, std::move(ended));
    protocol_server server(run, s);
    while (const auto line = lines.next()) {
        nlohmann::ordered_json said;
        const auto wrong = [&](const std::string& what) {
            said = {{"error", "line " + std::to_string(lines.number()) + ": " + what}};
        };
        try {
            said = server.answer(*line);
        } catch (const tunekit::io::detail::json_fields::malformed& e) {
            wrong(e.field + (e.field.empty() ? "" : " ") + e.what);
        } catch (const std::exception& e) {
            wrong(e.what());
        }
        std::fprintf(out, "%s\n", said.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
        std::fflush(out);
    }
    run.stop();
} catch (const served_enough&) {
    run.stop();
}

}  // namespace programs
