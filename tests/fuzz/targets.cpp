// SPDX-License-Identifier: MIT
#include "tests/fuzz/targets.hpp"

#include <unistd.h>
#include <algorithm>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tests/support/resealed.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/support/command_options.hpp"
#include "tools/support/command_program.hpp"
#include "tools/support/command_protocol.hpp"
#include "tools/support/command_run.hpp"
#include "tools/support/command_serve.hpp"
#include "tools/support/command_starts.hpp"
#include "tools/support/space_words.hpp"
#include "tools/support/t1_kernel.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text_template.hpp"
#include "tunekit/devices/cuda/cubin.hpp"
#include "tunekit/dispatch/fit.hpp"
#include "tunekit/dispatch/header.hpp"
#include "tunekit/dispatch/load.hpp"
#include "tunekit/dispatch/results_file.hpp"
#include "tunekit/formats/csv.hpp"
#include "tunekit/formats/recorded_space.hpp"
#include "tunekit/formats/space_file.hpp"
#include "tunekit/formats/t4.hpp"
#include "tunekit/measure/measurement.hpp"
#include "tunekit/measure/objective.hpp"
#include "tunekit/mpi/detail/wire.hpp"
#include "tunekit/online/winners_file.hpp"
#include "tunekit/processes/files/sealed_file.hpp"
#include "tunekit/processes/machine.hpp"
#include "tunekit/processes/program/readings.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/records/experience.hpp"
#include "tunekit/records/json_reading.hpp"
#include "tunekit/records/read_experience.hpp"
#include "tunekit/records/read_log.hpp"
#include "tunekit/scoring/trajectory_file.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/expression.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/tune/tuner.hpp"

namespace tk = tunekit;

namespace {

/// What must hold of everything that was read.
void must(bool holds, const char* what)
{
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}

bool is_cost(double x) { return std::isfinite(x) && x > 0; }

const tk::space::value_product& small_space()
{
    static const tk::space::value_product space({{"mr", {1, 2, 3, 4}}, {"n,v", {1, 2, 7}}}, {"mr <= 3"});
    return space;
}

void csv(std::string_view text)
{
    for (const auto& r : tk::io::csv_records(text)) must(!r.fields.empty(), "a record has a field");
}

void t4(std::string_view text)
{
    const auto file = tk::io::detail::parse_t4(text, "x");
    for (const auto& r : file.results) {
        const auto row = r.recorded();
        must(row.result.failed || is_cost(row.result.cost), "a cost is a positive number");
        must(row.seconds >= 0 && std::isfinite(row.seconds), "an evaluation takes no negative time");
    }
    const auto back = tk::io::detail::parse_t4(tk::io::detail::to_json(file).dump(), "y");
    must(back.problems.empty() && back.results == file.results, "what was written reads back equal");
}

/// The .params file and the table, with a byte 0x1e in between.
void recorded_space(std::string_view text)
{
    static const support::temporary_folder folder;
    const auto at = text.find('\x1e');
    tk::io::write_text(folder / "s.params", text.substr(0, at));
    tk::io::write_text(folder / "s.csv", at == std::string_view::npos ? std::string_view() : text.substr(at + 1));
    const auto read = tk::io::read_recorded_space(folder / "s");
    double size = 1;
    for (const auto& p : read.parameters) size *= static_cast<double>(p.values.size());
    for (const auto& row : read.rows) {
        must(row.ordinals.size() == read.parameters.size(), "a row has a value per parameter");
        for (std::size_t j = 0; j < row.ordinals.size(); ++j)
            must(row.ordinals[j] < read.parameters[j].values.size(), "which it has");
        must(row.record.result.failed || is_cost(row.record.result.cost), "a cost is a positive number");
        must(row.record.seconds >= 0 && std::isfinite(row.record.seconds), "an evaluation takes no negative time");
    }
    tk::io::write_recorded_space(folder / "t", read);
    const auto back = tk::io::read_recorded_space(folder / "t");
    must(back.problems.empty() && back.parameters == read.parameters && back.rows.size() == read.rows.size(),
         "what was written reads back");
    for (std::size_t k = 0; k < back.rows.size(); ++k) {
        const auto &a = back.rows[k].record, &b = read.rows[k].record;
        must(a.result.ok() == b.result.ok() && back.rows[k].ordinals == read.rows[k].ordinals, "row for row");
        must(!a.result.ok() || a.result.cost == b.result.cost, "with its cost");
    }
    if (size > 20'000) return;
    const auto space = tk::io::space_of(read);
    (void)tk::io::table_of(read, space);
}

void expression(std::string_view text)
{
    static const std::vector<std::string> names{"a", "bb", "c_1", "notx"};
    static constexpr std::int64_t values[] = {0,
                                              1,
                                              -1,
                                              7,
                                              std::int64_t{1} << 53,
                                              std::numeric_limits<std::int64_t>::max(),
                                              std::numeric_limits<std::int64_t>::min(),
                                              3};
    const tk::space::expression read(std::string(text), names);
    must(read.text() == text, "an expression has its text");
    const auto result = [](const tk::space::expression& e, std::size_t k) {
        try {
            return e.holds([k](std::size_t j) { return values[(3 * j + k) % std::size(values)]; }) ? 1 : 0;
        } catch (const std::invalid_argument&) {
            return -1;
        }
    };
    try {
        const tk::space::expression bracketed('(' + std::string(text) + ')', names);
        for (std::size_t k = 0; k < std::size(values); ++k)
            must(result(read, k) == result(bracketed, k), "brackets around everything change nothing");
    } catch (const std::invalid_argument&) {  // one bracket too many
    }
}

void log(std::string_view text)
{
    const auto check = [](const std::string& whole) {
        const auto lines_of = [](const tk::io::log_content& c) {
            std::string out = c.header.line() + '\n';
            if (c.header.schema == tk::io::log_content::head::of_events)
                for (const auto& e : c.events) out += e.line() + '\n';
            else
                for (const auto& t : c.trials) out += t.line() + '\n';
            return out;
        };
        try {
            const auto read = tk::io::detail::parse_log(whole, "x");
            must(read.whole_bytes <= static_cast<std::int64_t>(whole.size()), "a log is not longer than its text");
            for (const auto& t : read.trials) {
                must(t.task < read.header.tasks.size() && t.candidate < read.header.tasks[t.task].size,
                     "a trial is of a task and its space");
                must(t.measured.failed || std::isnan(t.measured.cost) || is_cost(t.measured.cost),
                     "a cost is a positive number, or none");
            }
            const auto past = tk::io::detail::experience_of(read, "x");
            must(past.size() <= read.trials.size() + read.events.size(),
                 "a log is no more experience than it has results");
            if (const auto m = tk::machine::of(read.header.machine))
                must(tk::machine::of(to_text(*m)) == m, "a machine's name is read back");
            if (read.whole_bytes == 0) return;
            const std::string written = lines_of(read);
            must(lines_of(tk::io::detail::parse_log(written, "y")) == written, "what was written reads back equal");
        } catch (const tk::error&) {
        }
    };
    check(std::string(text));
    check(support::resealed(std::string(text)));
}

/// The text with an end line that fits, so that mutations get past the checksum.
std::string with_its_end(std::string_view text)
{
    const std::size_t end = text.rfind("end ");
    std::string body(text.substr(0, end == std::string_view::npos ? text.size() : end));
    if (!body.ends_with('\n')) body += '\n';
    return tk::io::detail::with_end(std::move(body));
}

/// A file of experience.
void experience(std::string_view text)
{
    static const support::temporary_folder folder;
    std::ofstream(folder / "a.experience", std::ios::binary) << with_its_end(text);
    std::ofstream(folder / "b.jsonl", std::ios::binary) << text;
    const auto of_files = tk::io::experience_in({folder / "", folder / "b.jsonl"});
    must(!of_files.empty() || !of_files.notes.empty(), "a file is taken, or left out with a line");
    const auto read = tk::io::detail::parse_experience(with_its_end(text), "x");
    for (const auto& s : read.sources) {
        must(!s.results.empty() && !s.parameters.empty(), "a source has a result and a parameter");
        must(s.rows.size() == s.results.size() * s.parameters.size(), "a result has a value per parameter");
        for (std::size_t k = 0; k < s.rows.size(); ++k)
            must(s.rows[k] < s.parameters[k % s.parameters.size()].values.size(), "which it has");
        for (const auto& r : s.results) must(r.failed() || is_cost(r.cost), "a cost is a positive number");
    }
    const std::string written = tk::io::to_text(read);
    const auto back = tk::io::detail::parse_experience(written, "y");
    must(back == read && tk::io::to_text(back) == written, "what was written reads back equal");
    for (const auto& t : tk::search::taken_of(read, small_space()))
        must(t.configurations <= read.sources.at(t.source).results.size(), "what is taken is there");
}

/// The text of an objective.
void objective(std::string_view text)
{
    static const std::vector<std::string> names{"mr", "joules", "n-1"};
    static constexpr double numbers[] = {
        0.25, 0, -1, 1e308, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 3};
    const tk::measure::objective read(std::string(text), names);
    must(read.text() == text, "an objective has its text");
    for (const std::string& name : read.reads())
        must(name == "cost" || std::find(names.begin(), names.end(), name) != names.end(), "it reads what there is");
    const std::string behind = text.find(" where ") == std::string_view::npos ? " where " : " and ";
    const tk::measure::objective kept(std::string(text) + behind + "1 <= 2", names);
    for (std::size_t k = 0; k < std::size(numbers); ++k) {
        tk::measure::measurement m{.cost = 1 + static_cast<double>(k), .batches = {1, 2}};
        m.values = tk::measure::measured_values{numbers[k], numbers[(3 * k + 1) % std::size(numbers)], 2};
        const auto judged = tk::measure::judged(m, read, names), same = tk::measure::judged(m, kept, names);
        must(judged.failed ? !judged.failed->message.empty() : is_cost(judged.cost),
             "a cost is a positive number, or a failure says why");
        must(judged.ok() == same.ok() && (!judged.ok() || judged.cost == same.cost),
             "a limit that is kept changes nothing");
        if (judged.ok()) {
            const auto again = tk::measure::judged(judged, read, tk::measure::judged_names(names));
            must(again.ok() && again.cost == judged.cost, "judged again it is the same");
        }
    }
}

/// What stands in the files of --known, --seeds and --default.
void begins(std::string_view text)
{
    static const support::temporary_folder folder;
    static const tk::io::space_file file{.format = "tunekit",
                                         .parameters = {{"mr", {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}}},
                                                        {"n-v", {std::string("a"), true, 2.5}}},
                                         .constraints = {}};
    static const tk::space::value_product space = file.space();
    std::ofstream(folder / "f", std::ios::binary) << text;  // nothing waits for the disk
    programs::command_options o;
    const auto tried = [](auto&& read) {
        try {
            read();
        } catch (const tk::error&) {
        } catch (const std::invalid_argument&) {
        }
    };
    o.seeds = o.untuned = o.retry_failed = folder / "f";
    o.known = folder / (text.find("\"results\"") == std::string_view::npos ? "f" : "f.json");  // of Kernel Tuner
    std::ofstream(o.known, std::ios::binary) << text;
    tried([&] {
        std::vector<std::string> logs{o.known, "of ours"};
        const auto past = programs::taken_from(logs);
        must(logs.size() + past.notes.size() + past.sources.size() >= 2,
             "each is taken, left out with a line, or ours");
    });
    tried([&] {
        for (const auto& t : programs::known_of(o, space, {"few"})) {
            must(t.candidate < space.size(), "a result is of the space");
            must(t.measured.failed || is_cost(t.measured.cost), "a cost is a positive number");
        }
    });
    tried([&] {
        for (const auto& row : programs::rows_of("--seeds", o.seeds, space, {"cost", "failure"}, [](const auto&) {}))
            must(row.candidate < space.size(), "a seed is of the space");
    });
    tried([&] {
        for (const auto& t : programs::retried_of(o, space, tk::io::read_log(o.retry_failed).header).known)
            must(t.candidate < space.size() && is_cost(t.measured.cost), "what is known has a cost");
    });
    must(programs::untuned_of(o, file, space) < space.size(), "the default is of the space");
}

/// A message between ranks.
void message(std::string_view text)
{
    namespace wire = tk::mpi::detail;
    const std::span bytes(reinterpret_cast<const unsigned char*>(text.data()), text.size());
    const auto check = [&]<class Message>(const Message*) {
        const auto read = wire::from_bytes<Message>(bytes);
        if (!read) return;
        const auto written = wire::to_bytes(*read);
        must(written.size() <= bytes.size(), "a message is not larger than its bytes");
        const auto back = wire::from_bytes<Message>(written);
        must(back && wire::to_bytes(*back) == written, "what was written reads back equal");
    };
    check(static_cast<const wire::greeting*>(nullptr));
    check(static_cast<const wire::order*>(nullptr));
    check(static_cast<const wire::reply*>(nullptr));
}

/// What a damaged worker may send.
void measurement(std::string_view text)
{
    const auto* const first = reinterpret_cast<const unsigned char*>(text.data());
    const auto read = tk::measure::measurement_from({first, text.size()});
    must(read.values.size() <= 8 && read.batches.size() <= text.size(), "a measurement is not larger than its bytes");
    must(!read.failed || !tk::measure::to_text(read.failed->kind).empty(), "a kind of failure has a name");
    const auto written = tk::measure::to_bytes(read);
    must(tk::measure::to_bytes(tk::measure::measurement_from(written)) == written, "what was written reads back equal");
}

nlohmann::json json_of(const tk::space::value& v)
{
    if (const auto* const list = std::get_if<tk::space::entries>(&v)) return list->of;
    if (const auto* const b = std::get_if<bool>(&v)) return *b;
    if (const auto* const i = std::get_if<std::int64_t>(&v)) return *i;
    if (const auto* const x = std::get_if<double>(&v)) return *x;
    return std::get<std::string>(v);
}

/// Ours, T1 problems and BaCO's scenarios.
void space_file(std::string_view text)
{
    tk::io::space_file said;
    try {
        said = tk::io::detail::described_space(text, "x");
    } catch (const tk::io::detail::json_fields::malformed&) {
        return;
    }
    must(!said.parameters.empty(), "a space has a parameter");
    double size = 1;
    for (const auto& p : said.parameters) {
        must(!p.name.empty() && !p.values.empty(), "a parameter has a name and a value");
        size *= static_cast<double>(p.values.size());
    }
    if (size > 20'000) return;  // what constraints relate is enumerated
    const auto read = tk::io::detail::parse_space_file(text, "x");
    const auto space = read.space();
    must(space.size() > 0 && static_cast<double>(space.size()) <= size, "a space is a part of its grid");
    must(space.index_of_texts(space.texts(space.size() - 1)) == space.size() - 1, "its texts name a configuration");

    nlohmann::json written;
    for (const auto& p : read.parameters) {
        nlohmann::json values;
        for (const auto& v : p.values) values.push_back(json_of(v));
        written["parameters"].push_back({{"name", p.name}, {"values", values}});
    }
    if (!read.constraints.empty()) written["constraints"] = read.constraints;
    std::string again;
    try {
        again = written.dump();
    } catch (const nlohmann::json::type_error&) {  // a text that is no UTF-8, taken out of a Python list
        return;
    }
    const auto back = tk::io::detail::parse_space_file(again, "y");
    must(back.constraints == read.constraints && back.parameters.size() == read.parameters.size(), "as it was written");
    must(back.space().fingerprint() == space.fingerprint(), "and is the same space");
}

/// The kernel of a T1 problem.
void kernel(std::string_view text)
{
    static const support::temporary_folder folder;
    static const auto made = [](const char* name, std::string_view what) {
        std::ofstream(folder / name, std::ios::binary) << what;
        return folder / name;
    };
    static const std::string source = made("k.c", "void k(float* y) {}\n"), data = made("data", "12345678");
    const std::string path = made("f", text);
    constexpr double max_bytes = 1 << 20;
    const auto space = tk::io::read_space_file(path);
    const auto read = programs::read_t1_kernel(path, space, max_bytes);
    std::size_t bytes = 0;
    for (const auto& a : read.what.arguments) {
        must(a.array || a.bytes.size() == size_of(a.type), "a scalar is one element");
        must(a.bytes.size() % size_of(a.type) == 0, "an array has whole elements");
        bytes += a.bytes.size();
    }
    must(static_cast<double>(bytes) <= max_bytes, "arrays are not beyond their bound");
    for (const std::size_t k : read.outputs)
        must(read.what.arguments.at(k).array && !read.what.arguments[k].answer, "an output has no reference");
}

/// A word a line.
void command_line(std::string_view text)
{
    std::vector<std::string> words{"tune_command"};
    for (std::size_t at = 0; at <= text.size();) {
        const auto end = (std::min)(text.find('\n', at), text.size());
        const auto word = text.substr(at, end - at);
        words.emplace_back(word.substr(0, word.find('\0')));  // as a system passes it
        at = end + 1;
    }
    std::vector<char*> argv;
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    static CLI::App app;
    static programs::command_options o;
    [[maybe_unused]] static const bool described =
        (programs::describe(app, o), true);  // that takes longer than reading
    o = {};
    try {
        app.parse(programs::split_command_line(app, static_cast<int>(words.size()), argv.data(), o));
    } catch (const CLI::ParseError&) {
        return;
    }
    const auto tried = [](auto&& read) {
        try {
            read();
        } catch (const tk::error&) {
        } catch (const std::invalid_argument&) {
        }
    };
    tried([] {
        if (o.space_words.empty()) return;
        const auto file = programs::space_of_options(o.space_words);
        double size = 1;
        for (const auto& p : file.parameters) {
            must(!p.values.empty(), "a parameter has a value");
            size *= static_cast<double>(p.values.size());
        }
        if (size > 20'000) return;  // what constraints relate is enumerated
        const auto space = file.space();
        if (o.untuned.find('=') != std::string::npos)
            must(programs::untuned_of(o, file, space) < space.size(), "the default is of the space");
    });
    tried([] {
        const auto names = programs::names_of_numbers(o);
        must(names.size() == o.numbers.size(), "a number has a name");
        (void)programs::objective_of(o, names);
        must(programs::goals_of(o, names).size() != 1, "one goal is none");
    });
    tried([] {
        tk::budget limit;
        programs::set_gain(limit, o);
        must(limit.stop_when_gain_below >= 0, "a gain is not negative");
    });
    if (o.check.starts_with("output:")) return;  // a file
    const auto made = programs::program_of(o);
    must(made.command == o.command, "the command is passed as it is");
    must(made.memory_bytes >> 20 == o.memory_mib, "a limit is the one that was asked for");
    must(o.environment.size() == made.environment.size() && o.files.size() == made.files.size(), "nothing is left out");
    must(o.numbers.size() == made.numbers.size(), "no number is left out");
    for (const auto& [name, value] : made.environment) must(!name.empty(), "a variable has a name");
}

void text_template(std::string_view text)
{
    const std::vector<std::string> names{"tile", "n-1", "a.b", "_"};
    const std::vector<std::string> values{"64", "{tile}", "", "{{_}}"};
    const auto in_name = [](char c) {
        return std::string_view("_-.").find(c) != std::string_view::npos || (c >= '0' && c <= '9') ||
               (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    std::string quoted;  // each {name} as {{name}}
    for (std::size_t at = 0; at < text.size(); ++at) {
        std::size_t end = at + 1;
        while (text[at] == '{' && end < text.size() && in_name(text[end])) ++end;
        if (text[at] == '{' && end > at + 1 && end < text.size() && text[end] == '}') {
            quoted += '{' + std::string(text.substr(at, end + 1 - at)) + '}';
            at = end;
        } else {
            quoted += text[at];
        }
    }
    const tk::core::text_template same(quoted, names);
    must(same.constant() && same.filled(values) == text, "what is quoted is the text itself");

    const tk::core::text_template read(text, names);
    const std::string filled = read.filled(values);
    bool any = false;
    for (std::size_t j = 0; j < names.size(); ++j) {
        any = any || read.uses(j);
        if (read.uses(j)) must(filled.find(values[j]) != std::string::npos, "what is used is there");
    }
    must(any != read.constant(), "a text without names is constant");
}

void winners(std::string_view text)
{
    namespace online = tk::online;
    const auto check = [&](std::string_view line) {
        const auto w = online::detail::winner_line_of(line);
        if (!w) return;
        for (const double cost : {w->what.cost, w->what.runner_up_cost, w->what.default_cost})
            must(is_cost(cost), "a winner's time is a positive number, and those beside it are");
        const std::string written = online::detail::to_line(*w);
        const auto back = online::detail::winner_line_of(written);
        must(back && online::detail::to_line(*back) == written, "what was written reads back equal");
        const std::string file = online::detail::with_winners(text, {*w});
        must(online::detail::is_winners_text(file), "a file of winners stays one");
        const auto lines = tk::io::lines(file);
        must(file.find(written) != std::string::npos ||
                 std::any_of(lines.begin(), lines.end(),
                             [&](std::string_view one) {
                                 const auto that = online::detail::winner_line_of(one);
                                 return that && online::detail::same_place(*that, *w) &&
                                        !online::detail::outranks(*w, *that);
                             }),
             "and has what was put in, or what outranks it");
        must(online::detail::with_winners(file, {*w}) == file, "once");
    };
    for (const std::string_view line : tk::io::lines(text)) {
        check(line);
        const auto last = line.rfind('\t');
        if (last == std::string_view::npos) continue;
        const std::string before(line.substr(0, last + 1));
        check(before + tk::io::in_hex(tk::io::detail::fnv1a(before)));
    }
}

/// Whether a header is code outside of its comments and literals: no text from a file has left them.
bool is_whole_code(std::string_view header)
{
    std::string open;
    for (std::size_t at = 0; at < header.size(); ++at) {
        const char c = header[at];
        if (header.substr(at, 2) == "//") {
            at = header.find('\n', at);
            if (at == std::string_view::npos) return false;
        } else if (c == '"') {
            for (++at; at < header.size() && header[at] != '"'; ++at) {
                if (header[at] == '\n') return false;
                if (header[at] == '\\') ++at;
            }
            if (at >= header.size()) return false;
        } else if (c == '{' || c == '(' || c == '[') {
            open += c;
        } else if (c == '}' || c == ')' || c == ']') {
            const char other = c == '}' ? '{' : c == ')' ? '(' : '[';
            if (!open.ends_with(other)) return false;
            open.pop_back();
        } else if (c != '\n' && (c < 0x20 || c > 0x7e)) {
            return false;
        }
    }
    return open.empty();
}

void generates(const tk::dispatch::choice& c)
{
    const std::string text = tk::dispatch::to_text(c);
    must(tk::dispatch::to_text(tk::dispatch::detail::choice_in(text, "choice y")) == text,
         "what was written reads back equal");
    for (const auto& d : c.devices)
        for (const auto& at : d.shapes)
            must(static_cast<std::size_t>(c.choose(d.device, at.at).config) < c.configs.size(),
                 "what is chosen is kept");
    for (const auto language : {tk::dispatch::header_options::cpp17, tk::dispatch::header_options::c99}) try {
            const std::string header = tk::dispatch::header_text(c, {.language = language});
            must(is_whole_code(header), "a header is code");
            must(tk::dispatch::header_text(c, {.language = language}) == header, "and the same each time");
        } catch (const std::invalid_argument&) {
            // a name that is none in the language
        }
}

void choice(std::string_view text) { generates(tk::dispatch::detail::choice_in(with_its_end(text), "choice x")); }

void results(std::string_view text)
{
    const auto all = tk::dispatch::detail::results_in(with_its_end(text), "results x");
    for (const auto& r : all.rows) must(is_cost(r.seconds), "a cost is a positive number");
    const std::string written = tk::dispatch::to_text(all);
    must(tk::dispatch::to_text(tk::dispatch::detail::results_in(written, "results y")) == written,
         "what was written reads back equal");
    if (all.rows.size() <= 64) generates(tk::dispatch::fit(all));
}

void cubin(std::string_view bytes)
{
    for (const auto& kernel : tk::measure::detail::cubin_kernels(bytes))
        must(kernel.first.size() < bytes.size(), "a kernel's name is from the file");
}

/// Trajectories of another tuner.
void trajectories(std::string_view text)
{
    static const support::temporary_folder folder;
    std::ofstream(folder / "t.csv", std::ios::binary) << text;  // nothing waits for the disk
    const auto read = tk::scoring::read_trajectories(folder / "t.csv");
    std::size_t all = 0;
    for (const auto& run : read) {
        all += run.best.size();
        must(run.seconds.size() == run.best.size(), "every evaluation has its time");
        for (std::size_t k = 0; k < run.best.size(); ++k) {
            must(run.best[k] > 0 || run.best[k] == 0, "a best cost is no negative number");
            must(std::isfinite(run.seconds[k]) && run.seconds[k] >= 0, "a time is a number");
            must(k == 0 || (run.best[k] <= run.best[k - 1] && run.seconds[k] >= run.seconds[k - 1]), "in order");
        }
    }
    must(all > 0, "a file that is read has an evaluation");
}

/// The replies of a client of `tune_command --serve`.
void served(std::string_view text)
{
    static const tk::space::value_product space({{"x", {1, 2, 4, 8}}, {"y", {1, 2}}}, {});
    static std::FILE* const nobody = std::fopen("/dev/null", "w");
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> client(std::tmpfile(), std::fclose);
    must(client && nobody, "there is a file");
    (void)std::fwrite(text.data(), 1, text.size(), client.get());
    std::rewind(client.get());
    tk::tuner run(space, tk::search::random{}, {.trials = 8}, tk::random::philox(1));
    const tk::io::space_file::baco scenario{.objective = "time", .feasible = "Valid", .true_value = "1", .first = 2};
    const auto check = [&] {
        for (const auto& t : run.record().trials())
            must(t.measured.failed || is_cost(t.measured.cost), "a cost is a positive number");
    };
    try {
        programs::serve_baco(run, space, scenario, client.get(), nobody, [] { return false; });
    } catch (const tk::error&) {
        check();
        throw;
    }
    check();
}

/// The requests of a client of `tune_command --serve=json`, a line each.
void protocol(std::string_view text)
{
    static constexpr std::size_t max_trials = 12;
    static const support::temporary_folder folder;
    static const programs::command_options o = [] {
        programs::command_options out;
        out.space = folder / "space.json";
        tk::io::write_text(
            out.space,
            R"({"parameters": [{"name": "x", "values": [1, 2, 4, 8]}, {"name": "y", "values": ["a", "b", "c", "d"]}]})");
        out.strategy = "random";
        out.numbers = {"n=peak-memory"};
        out.objective = "cost where n <= 5";
        out.trials = max_trials;
        return out;
    }();
    static const programs::command_setup setup(o);
    auto run = setup.begun();
    programs::protocol_server server(run, setup);
    for (const std::string_view line : tk::io::lines(text)) {
        try {
            must(server.answer(line).is_object(), "an answer is an object");
        } catch (const tk::io::detail::json_fields::malformed&) {
        } catch (const std::exception&) {  // which the client is told
        }
        for (const auto& t : run.record().trials())
            must(t.measured.failed || is_cost(t.measured.cost), "a cost is a positive number");
        must(run.record().trials().size() <= max_trials, "a run has the trials that it was given");
    }
}

/// What a program writes, as a cost is looked for in it.
void readings(std::string_view text)
{
    const tk::measure::finished_run run{.output = std::string(text)};
    const auto read = [&](const auto& how) {
        try {
            const double x = how(run);
            must(!std::isnan(x), "what is found is a number");
        } catch (const tk::measure::candidate_error&) {  // none, or two
        }
    };
    static const tk::measure::matched time("time: *([-+.e0-9]+)");
    static const tk::measure::at_pointer seconds("/a/0/seconds");
    read(time);
    read(seconds);
    static const tk::measure::same_output like{"time: 1.5\n2 3 4\n", {.relative = 1e-3}};
    (void)like(run);
    must(!tk::measure::same_output{std::string(text), {}}(run), "a text is itself");
}

constexpr std::string_view json_words[] = {"-1",
                                           "0",
                                           "1e308",
                                           "1e999",
                                           "5e-324",
                                           "-0.0",
                                           "18446744073709551615",
                                           "18446744073709551616",
                                           "-9223372036854775809",
                                           "null",
                                           "true",
                                           "NaN",
                                           "\"\"",
                                           "[",
                                           "]",
                                           "{",
                                           "}",
                                           ",",
                                           ":",
                                           "[[[[[[[[",
                                           "]]]]]]]]",
                                           "\"\\u0000\"",
                                           "2.9",
                                           "\n",
                                           "\"a\":",
                                           "{}",
                                           "[]"};
constexpr std::string_view text_words[] = {"-1",
                                           "0",
                                           "1e308",
                                           "1e-323",
                                           "nan",
                                           "inf",
                                           "-inf",
                                           "+2",
                                           " ",
                                           ",",
                                           "\"",
                                           "\"\"",
                                           "\r\n",
                                           "\n",
                                           "\xef\xbb\xbf",
                                           "valid",
                                           "compile_error",
                                           "param ",
                                           "constraint ",
                                           "#",
                                           "\x1e",
                                           "9223372036854775807",
                                           "99999999999999999999",
                                           "time_ms",
                                           "t0"};
constexpr std::string_view dispatch_words[] = {"config ",
                                               "words ",
                                               "device ",
                                               "node ",
                                               "leaf ",
                                               "shape ",
                                               "score ",
                                               "one ",
                                               "exact",
                                               "nearest",
                                               "tree",
                                               "-",
                                               "s",
                                               "u",
                                               "<",
                                               "%",
                                               "%0A",
                                               "%22",
                                               "%5C",
                                               "%2F%2F",
                                               " ",
                                               "\n",
                                               "-1",
                                               "0",
                                               "inf",
                                               "nan",
                                               "1e308",
                                               "4294967295",
                                               "9223372036854775807",
                                               "18446744073709551615"};
constexpr std::string_view expression_words[] = {"a",
                                                 "bb",
                                                 "c_1",
                                                 "notx",
                                                 " and ",
                                                 " or ",
                                                 "not ",
                                                 "(",
                                                 ")",
                                                 "+",
                                                 "-",
                                                 "*",
                                                 "/",
                                                 "//",
                                                 "%",
                                                 "**",
                                                 "<",
                                                 "<=",
                                                 "==",
                                                 "!=",
                                                 "0",
                                                 "1",
                                                 "9223372036854775807",
                                                 " ",
                                                 "\t"};

constexpr std::string_view space_words[] = {"ConfigurationSpace",
                                            "TuningParameters",
                                            "Conditions",
                                            "\"Values\":",
                                            "input_parameters",
                                            "parameters",
                                            "\"default\":",
                                            "[16, 32]",
                                            "['a', 'b']",
                                            "[True, False]",
                                            "\"integer\"",
                                            "\"real\"",
                                            "\"permutation\"",
                                            "\"categorical\"",
                                            "&&",
                                            "||",
                                            "!",
                                            "~",
                                            ") & (",
                                            ") | (",
                                            "'",
                                            "1e300",
                                            "-1e308",
                                            "9223372036854775807",
                                            "-9223372036854775808",
                                            "18446744073709551615",
                                            "null",
                                            "{}",
                                            "[]",
                                            ",",
                                            "65535",
                                            "0.5"};
constexpr std::string_view option_words[] = {"--space\n",
                                             "--seconds\n",
                                             "--trials\n",
                                             "--env\n",
                                             "--file\n",
                                             "--build\n",
                                             "--cost\n",
                                             "--number\n",
                                             "--check\n",
                                             "--workers\n",
                                             "--repeat\n",
                                             "--memory-mib\n",
                                             "--cpu-seconds\n",
                                             "--seed\n",
                                             "--resume\n",
                                             "--json\n",
                                             "\n--\n",
                                             "\n",
                                             "=",
                                             ":",
                                             "'",
                                             "\"",
                                             "{tile}",
                                             "regex:([0-9]+)",
                                             "json:/a/0",
                                             "status:",
                                             "command:",
                                             "-1",
                                             "nan",
                                             "inf",
                                             "1e999",
                                             "4294967297",
                                             "17592186044416",
                                             "18446744073709551616",
                                             "{",
                                             "}",
                                             "\\",
                                             "(",
                                             "["};
constexpr std::string_view kernel_words[] = {"\"KernelSpecification\":",
                                             "\"ProblemSize\":",
                                             "\"GlobalSize\":",
                                             "\"LocalSize\":",
                                             "\"GridDivX\":",
                                             "\"SharedMemory\":",
                                             "\"ReferenceData\":",
                                             "\"MemoryType\":",
                                             "\"Size\":",
                                             "\"FillType\":",
                                             "\"FillValue\":",
                                             "\"TypeSize\":",
                                             "\"BinaryRaw\"",
                                             "\"DataSource\": \"data\"",
                                             "\"Random\"",
                                             "\"Scalar\"",
                                             "\"Symbol\"",
                                             "\"custom\"",
                                             "\"half4\"",
                                             "\"double2\"",
                                             "\"uint8\"",
                                             "\"int64\"",
                                             "\"ProblemSize[0]\"",
                                             "\"max(a)\"",
                                             "ProblemSize[",
                                             "max(",
                                             " * ",
                                             "1e300",
                                             "-1",
                                             "0",
                                             "9223372036854775807",
                                             "1048576",
                                             ",",
                                             "{}",
                                             "[]"};
constexpr std::string_view experience_words[] = {"sources ",   "source ",
                                                 "parameter ", "cost ",
                                                 "above ",     "failed ",
                                                 "mr",         "n,v",
                                                 "% ",         "%25",
                                                 "\n",         " ",
                                                 "-1",         "0",
                                                 "nan",        "inf",
                                                 "1e999",      "5e-324",
                                                 "65535",      "65536",
                                                 "1",          "18446744073709551616"};
constexpr std::string_view objective_words[] = {"cost", "mr", "joules", "n-1", " where ", " and ", "<=",   "*",
                                                "+",    "-",  "/",      "(",   ")",       "0",     "1e30", "1e308",
                                                "2",    " ",  "min",    "or ", "not ",    "**",    "//",   "%"};
constexpr std::string_view protocol_words[] = {"{\"hello\": 1}\n",
                                               "{\"ask\": 1}\n",
                                               "{\"ask\": 4294967295}\n",
                                               "{\"tell\": 0, \"cost\": 1}\n",
                                               "{\"drop\": 0}\n",
                                               "{\"best\": true}\n",
                                               "{\"describe\": true}\n",
                                               "\"tell\": ",
                                               "\"cost\": ",
                                               "\"failed\": \"\"",
                                               "\"kind\": \"crash\"",
                                               "\"numbers\": {}",
                                               "1",
                                               "2",
                                               "-1",
                                               "1e999",
                                               "5e-324",
                                               "18446744073709551615",
                                               "null",
                                               "[",
                                               "]",
                                               "{",
                                               "}",
                                               ",",
                                               "\n"};
constexpr std::string_view begin_words[] = {"mr",   "n-v",   "\"n-v\"", "cost", "failure", "few",  ",", "\n",
                                            "\r\n", "\"",    "1",       "2.5",  "2",       "true", "a", "nan",
                                            "inf",  "1e999", "-1",      "{",    "}",       ":",    "[", "null"};
constexpr std::string_view template_words[] = {"{tile}", "{n-1}", "{a.b}",    "{_}",  "{{",  "}}", "{",
                                               "}",      "{}",    "{{tile}}", "tile", "{x}", " "};
constexpr std::string_view winner_words[] = {"\t",
                                             "\n",
                                             "%",
                                             "%00",
                                             "%7F",
                                             "%zz",
                                             "nan",
                                             "inf",
                                             "-1",
                                             "0",
                                             "1e-323",
                                             "1e999",
                                             "18446744073709551615",
                                             "18446744073709551616",
                                             "# tunekit winners 2:",
                                             "ffffffffffffffff",
                                             ""};
constexpr std::string_view cubin_words[] = {{"\x7f"
                                             "ELF",
                                             4},
                                            {"\xff\xff\xff\xff\xff\xff\xff\xff", 8},
                                            {"\0\0\0\0\0\0\0\0", 8},
                                            {"\x40\0\0\0\0\0\0\0", 8},
                                            {"\xff\xff", 2},
                                            {"\x04\x2f\x08\0", 4},
                                            ".text.",
                                            ".nv.info",
                                            ".symtab",
                                            {"\0", 1}};

constexpr std::string_view served_words[] = {"x",  "y",   "time", "Valid", ",", "\n", "1", "0",
                                             "-1", "nan", "inf",  "1e999", "(", ")",  " ", "1e-400"};
constexpr std::string_view measurement_words[] = {{"\0\0\0\0\0\0\0\0", 8},
                                                  {"\xff\xff\xff\xff", 4},
                                                  {"\0\0\xf0\x7f", 4},
                                                  {"\0\0\xf8\x7f", 4},
                                                  {"\x10\0\0\0", 4},
                                                  {"\1", 1},
                                                  {"\x0b", 1}};

constexpr fuzz::target all[] = {{"csv", csv, text_words},
                                {"t4", t4, json_words},
                                {"recorded_space", recorded_space, text_words},
                                {"log", log, json_words},
                                {"expression", expression, expression_words},
                                {"space_file", space_file, space_words},
                                {"command_line", command_line, option_words},
                                {"text_template", text_template, template_words},
                                {"winners", winners, winner_words},
                                {"results", results, dispatch_words},
                                {"choice", choice, dispatch_words},
                                {"cubin", cubin, cubin_words},
                                {"measurement", measurement, measurement_words},
                                {"trajectories", trajectories, text_words},
                                {"served", served, served_words},
                                {"readings", readings, json_words},
                                {"experience", experience, experience_words},
                                {"objective", objective, objective_words},
                                {"begins", begins, begin_words},
                                {"kernel", kernel, kernel_words},
                                {"message", message, measurement_words},
                                {"protocol", protocol, protocol_words}};

}  // namespace

std::span<const fuzz::target> fuzz::targets() { return all; }
