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
#include <iterator>
#include <map>
#include <optional>
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
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/records/json/bounded_json.hpp"
#include "tunekit/records/json/json_fields.hpp"
#include "tunekit/report/run.hpp"
#include "tunekit/tune/tune.hpp"

namespace programs {

inline constexpr int protocol_version = 1;

/// What answers the lines of a client, one each, over `Run` (anything with tuner's words).
template <class Run>
class protocol_server {
public:
    protocol_server(Run& run, const command_setup& s)
        : run_(run),
          s_(s),
          doubted_(tunekit::detail::doubts_of(
              run, [&s](std::size_t) { return s.o.with_checks; }, [](std::size_t) { return false; }))
    {
    }

    /// Whether the run's log can be written no more. Then the run ends: what is told would be lost.
    [[nodiscard]] bool lost_log() const
    {
        if constexpr (requires { run_.problem(); }) return run_.failed();
        else return false;
    }

    /// The answer to a line. Throws json_fields::malformed or std::exception for a line that is no request, and for one that
    /// the log does not have.
    [[nodiscard]] nlohmann::ordered_json answer(std::string_view line)
    {
        auto out = answer_of(line);
        if constexpr (requires { run_.problem(); })
            if (lost_log()) throw tunekit::error(run_.problem());
        return out;
    }

    /// Ends the run: what is held back is told.
    void end()
    {
        run_.stop();
        checked().decide();
    }

private:
    using fields = tunekit::io::detail::json_fields;

    /// The word of the request. It is one alone, and nothing stands beside it that it does not know.
    static std::string_view word_of(const fields& in)
    {
        static constexpr std::string_view words[] = {"hello", "ask", "tell", "drop", "best", "describe"},
                                          of_tell[] = {"cost", "numbers", "failed", "kind"};
        const auto& all = in.value();
        for (const std::string_view word : words) {
            if (!all.is_object() || !all.contains(word)) continue;
            for (const auto& [name, value] : all.items()) {
                const bool told = std::find(std::begin(of_tell), std::end(of_tell), name) != std::end(of_tell);
                if (name != word && !(word == "tell" && told))
                    in.at(name.c_str()).fail("is no part of this request, want one request a line");
            }
            return word;
        }
        in.fail("is not a request, want an object with hello, ask, tell, drop, best or describe");
    }

    [[nodiscard]] nlohmann::ordered_json answer_of(std::string_view line)
    {
        using json = nlohmann::ordered_json;
        const auto whole = tunekit::io::detail::bounded_json(line);
        const fields in(whole.value);
        const auto has = [asked = word_of(in)](std::string_view word) { return asked == word; };
        if (has("hello")) {
            if (const auto v = in.at("hello").get<std::int64_t>(); v != protocol_version)
                in.at("hello").fail("is " + std::to_string(v) + ", want " + std::to_string(protocol_version));
            return {{"hello", protocol_version},
                    {"tunekit", version_text()},
                    {"parameters", s_.space.names()},
                    {"size", s_.space.size()}};
        }
        if (has("ask")) return asked(in.at("ask"));
        if (has("tell")) {
            const auto m = measured(in);
            hear(take(in.at("tell")), m);
            return {{"told", in.at("tell").get<std::uint64_t>()}};
        }
        if (has("drop")) {
            hear(take(in.at("drop")), std::nullopt);
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
        return {{"describe", description_of(s_, s_.seen(run_.record()).tasks.front())}};
    }

    [[nodiscard]] nlohmann::ordered_json asked(const fields& number)
    {
        constexpr std::size_t most = 65536;  // of an answer
        const std::size_t n = number.get<std::uint32_t>();
        if (n > most) number.fail("is more than 65536, want at most so many at a time");
        auto jobs = nlohmann::ordered_json::array();
        while (jobs.size() < n) {
            const auto some = checked().ask_until_the_end([&] { return run_.ask(n - jobs.size()); });
            if (some.empty()) break;
            for (const tunekit::job& j : some) {
                const auto name = static_cast<std::uint64_t>(j.ticket);
                out_.emplace(name, j);
                jobs.push_back({{"job", name}, {"config", json_of(s_.space, j.candidate)}});
            }
        }
        const bool over = run_.over() || (n > 0 && jobs.empty() && out_.empty());
        return {{"jobs", std::move(jobs)}, {"over", over}};
    }

    [[nodiscard]] auto checked()
    {
        const auto nobody = [](const tunekit::job&) {};
        return tunekit::detail::checked_run(run_, doubted_, nobody);
    }
    /// Time passes for checks alone: without them a run is the same, however long its client takes.
    void hear(const tunekit::job& j, std::optional<tunekit::measure::measurement> m)
    {
        const double stamp = s_.o.with_checks ? began_ + wall_() : run_.stamp();
        checked().hear(j, std::move(m), stamp, stamp - heard_, 0);
        heard_ = stamp;
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
        const bool failed = in.value().contains("failed");
        for (const char* const other : {"cost", "numbers", "kind"})
            if (in.value().contains(other) && failed != (other == std::string_view("kind")))
                in.at(other).fail(failed ? "stands beside \"failed\", want one of both" : "wants \"failed\" beside it");
        if (failed) {
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
    tunekit::detail::doubts doubted_;
    tunekit::measure::wall_clock wall_{};
    double began_ = run_.stamp(), heard_ = began_;
    std::map<std::uint64_t, tunekit::job> out_;
};

/// Answers line by line, until the client ends or `ended()` says that nobody waits. A line that is no request is answered by
/// {"error": "..."}, and changes nothing. So is one that the log could not take, and that ends it. Throws tunekit::error for a
/// line that is longer than 1 MiB, and for a client that reads no more.
template <class Run, std::predicate Ended>
void serve_protocol(Run& run, const command_setup& s, std::FILE* in, std::FILE* out, Ended ended)
{
    protocol_server server(run, s);
    try {
        client_lines lines(in, out, std::move(ended));
        while (!server.lost_log()) {
            const auto line = lines.next();
            if (!line) break;
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
            lines.say(said.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + '\n');
        }
    } catch (const served_enough&) {
    }
    server.end();
}

}  // namespace programs
