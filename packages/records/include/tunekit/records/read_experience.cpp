// SPDX-License-Identifier: MIT
#include "tunekit/records/read_experience.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/processes/files/regular_file.hpp"
#include "tunekit/processes/files/sealed_file.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/processes/system/files.hpp"
#include "tunekit/records/detail/cost_reading.hpp"
#include "tunekit/records/read_log.hpp"

namespace tunekit::io {

namespace detail {

namespace {

constexpr std::string_view experience_magic = "# tunekit experience 1";

/// Whether a file of this name in a folder is one of experience. The logs of one run on several kinds of devices are
/// run.jsonl.0, run.jsonl.1.
bool names_experience(std::string_view name)
{
    const std::size_t dot = name.find_last_not_of("0123456789");
    if (dot != std::string_view::npos && dot + 1 < name.size() && name[dot] == '.') name = name.substr(0, dot);
    return name.ends_with(".jsonl") || name.ends_with(".log") || name.ends_with(".experience");
}

/// The files that `path` stands for.
std::vector<std::string> files_of(const std::string& path)
{
    const auto there = system::state_of(path);
    if (!there || !there->is_folder()) return {path};
    std::vector<std::string> out;
    system::each_name_in(path, [&](const std::string& name) {
        if (names_experience(name)) out.push_back(path + (path.ends_with('/') ? "" : "/") + name);
    });
    std::sort(out.begin(), out.end());
    return out;
}

/// Whether both paths lead to one file.
bool same_file(const std::string& a, const std::string& b)
{
    const auto x = system::state_of(a), y = system::state_of(b);
    if (!x || !y || x->number == 0) return a == b;  // the last: Windows tells no numbers
    return x->device == y->device && x->number == y->number;
}

/// What a message says behind the library's name, which comes again where the message is shown.
std::string without_name(std::string what)
{
    constexpr std::string_view name = "tunekit: ";
    return what.starts_with(name) ? what.substr(name.size()) : what;
}

}  // namespace

experience experience_of(const log_content& log, const std::string& name)
{
    experience out;
    if (!log.note.empty()) out.notes.push_back(log.note);
    std::vector<experience_source> of;
    std::vector<cost_reading> read(log.header.tasks.size());
    for (const auto& task : log.header.tasks) {
        of.push_back({.name = name + ' ' + task.name, .machine = log.header.machine});
        for (const std::string& p : task.parameters) of.back().parameters.push_back({.name = p});
    }
    std::size_t nameless = 0, crowded = 0;
    const auto each = [&log](auto&& of_a_result) {
        for (const log_content::event& e : log.events)
            if (e.what == log_content::event::kind::known) of_a_result(e.jobs.front().task, e.values, e.measured);
        for (const log_content::trial& t : log.trials)
            of_a_result(static_cast<std::size_t>(t.task), t.values, t.measured);
    };
    const bool times = has_times(log.header);
    if (times) each([&](std::size_t task, const auto&, const auto& m) { read[task].hear(m); });
    each([&](std::size_t task, std::span<const std::string> values, const measure::measurement& m) {
        if (values.empty() || values.size() != of[task].parameters.size()) ++nameless;
        else if (!experience::take(of[task], values, times ? read[task].by_fastest(m) : m)) ++crowded;
    });
    const auto note = [&](std::size_t n, const char* why) {
        if (n > 0) out.notes.push_back("log " + name + ": " + core::detail::counted(n, "result") + " left out: " + why);
    };
    note(nameless, "they do not name their values, as older logs; read it with io::trials_of and its space");
    note(crowded, "a parameter has more than 65535 values");
    for (experience_source& s : of)
        if (!s.results.empty()) out.add(std::move(s));
    if (out.empty() && nameless + crowded == 0) out.notes.push_back("log " + name + ": left out: it has no result");
    return out;
}

experience parse_experience(std::string_view text, const std::string& name)
{
    sealed_reader in(text, "experience " + name, experience_magic);
    experience out;
    const auto wants = [&](bool good, const char* what) {
        if (!good) in.refuse(what);
    };
    auto left = in.number<std::size_t>(in.after("sources"));
    wants(left <= 65536, "wants at most 65536 sources");  // each is compared with those before
    for (; left > 0; --left) {
        const auto head = in.fields(in.after("source"));
        wants(head.size() == 4, "wants a name, a machine and two numbers");
        experience_source s{.name = head[0], .machine = head[1]};
        const auto d = in.number<std::size_t>(head[2]), n = in.number<std::size_t>(head[3]);
        wants(d > 0 && n > 0, "wants a parameter and a result at least");
        for (std::size_t j = 0; j < d; ++j) {
            auto words = in.fields(in.after("parameter"));
            wants(words.size() > 1, "wants a name and values");
            s.parameters.push_back({words[0], {words.begin() + 1, words.end()}});
        }
        for (std::size_t k = 0; k < n; ++k) {
            const auto words = io::words(in.next());
            wants(words.size() == d + 2, "wants a cost and a position per parameter");
            wants(words[0] == "cost" || words[0] == "above" || words[0] == "failed", "is not a result");
            experience_source::result r;
            if (words[0] != "failed") r = {in.number<double>(words[1]), words[0] == "above"};
            wants(words[0] == "failed" || (r.cost > 0 && !r.failed()), "has no positive finite cost");
            s.results.push_back(r);
            for (std::size_t j = 0; j < d; ++j) {
                s.rows.push_back(in.number<std::uint16_t>(words[j + 2]));
                wants(s.rows.back() < s.parameters[j].values.size(), "has a position beyond the values");
            }
        }
        out.add(std::move(s));
    }
    wants(in.done(), "has lines after its last source");
    return out;
}

namespace {

experience experience_in_file(const std::string& path)
{
    const std::string text = read_regular_file(path, path);
    if (const auto plain = without_bom(text); plain.starts_with(experience_magic)) return parse_experience(plain, path);
    const log_content log = parse_log(text, path);
    if (log.whole_bytes == 0) throw error("log " + path + ": has no whole line: nothing was logged yet");
    experience out = experience_of(log, path);
    if (log.torn) out.notes.push_back("log " + path + ": its last line is torn and left out");
    return out;
}

}  // namespace

}  // namespace detail

std::string to_text(const experience& past)
{
    sealed_writer out(detail::experience_magic);
    out.line("sources", past.sources.size());
    for (const experience_source& s : past.sources) {
        out.line("source", s.name, s.machine, s.parameters.size(), s.results.size());
        for (const auto& p : s.parameters) out.line("parameter", p.name, p.values);
        const std::size_t d = s.parameters.size();
        for (std::size_t k = 0; k < s.results.size(); ++k) {
            const auto& r = s.results[k];
            out.line(r.failed()   ? "failed"
                     : r.at_least ? "above"
                                  : "cost",
                     r.failed() ? 0.0 : r.cost, std::span(s.rows).subspan(k * d, d));
        }
    }
    return std::move(out).text();
}

void write_experience(const std::string& path, const experience& past) { write_text(path, to_text(past)); }

experience experience_in(std::span<const std::string> paths, std::span<const std::string> own)
{
    experience out;
    for (const std::string& given : paths) {
        const auto files = detail::files_of(given);
        if (files.empty()) out.notes.push_back(given + ": left out: no file in it ends in .jsonl, .log or .experience");
        for (const std::string& path : files) try {
                for (const std::string& log : own)
                    if (detail::same_file(path, log)) throw error("log " + path + ": is that of this run");
                out.merge(within_memory(path, [&] { return detail::experience_in_file(path); }));
            } catch (const error& e) {
                out.notes.push_back(detail::without_name(e.what()) + "; left out");
            }
    }
    return out;
}

}  // namespace tunekit::io
