// SPDX-License-Identifier: MIT
#include "tunekit/records/read_log.hpp"

#include <cmath>
#include <iterator>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/processes/files/log_file.hpp"
#include "tunekit/processes/files/regular_file.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/records/detail/cost_reading.hpp"
#include "tunekit/records/json/bounded_json.hpp"
#include "tunekit/records/json/json_fields.hpp"

namespace tunekit::io {

namespace detail {

namespace {

constexpr std::uint64_t max_log_workers = 1U << 20;

/// Null stands for an infinity, or for no number.
double time_or(const json_fields& from, const char* key, double otherwise)
{
    const json_fields x = from.at(key);
    return x.value().is_null() ? otherwise : x.amount("seconds");
}

log_content::budget budget_from(const json_fields& j)
{
    const auto number = [&](const char* key) {
        const json_fields x = j.at(key);
        return x.value().is_null() ? unlimited : x.get<std::uint64_t>();
    };
    return {number("trials"), number("patience"), number("workers_per_task")};
}

/// The texts of the list that is called so; else empty.
std::vector<std::string> texts_from(const json_fields& j, const char* key)
{
    std::vector<std::string> out;
    if (!j.value().contains(key)) return out;
    const json_fields list = j.at(key);
    for (std::size_t k = 0; k < list.size(); ++k) out.push_back(list[k].get<std::string>());
    return out;
}

log_content::about about_from_header(const json_fields& j, std::size_t parameters, index size)
{
    log_content::about out{.title = j.at("title").get<std::string>(),
                           .unit = j.at("unit").get<std::string>(),
                           .maximize = j.at("maximize").get<bool>()};
    if (j.value().contains("untuned")) out.untuned = j.at("untuned").get<index>();
    if (out.untuned && *out.untuned >= size) j.at("untuned").fail("is not a configuration of the space");
    if (j.value().contains("never_worse")) out.never_worse = j.at("never_worse").get<bool>();
    const json_fields values = j.at("values");
    if (values.size() > parameters) values.fail("are more lists than parameters");
    for (std::size_t k = 0; k < values.size(); ++k) {
        auto& texts = out.values.emplace_back();
        for (std::size_t i = 0; i < values[k].size(); ++i) texts.push_back(values[k][i].get<std::string>());
    }
    out.goals = texts_from(j, "goals");
    if (j.value().contains("space")) out.space = j.at("space").value().dump();
    return out;
}

log_content::head header_from(const json_fields& j)
{
    if (!j.value().is_object() || !j.value().contains("tunekit_log"))
        j.fail("is not a tunekit log: the first line has no member tunekit_log");
    const auto schema = j.at("tunekit_log").get<std::int64_t>();
    if (schema != log_content::head::of_trials && schema != log_content::head::of_events)
        j.fail("has schema " + std::to_string(schema) + ", this version reads 1 and 2");
    log_content::head h{
        .schema = static_cast<int>(schema),
        .version = j.at("version").get<std::string>(),
        .machine = j.at("machine").get<std::string>(),
        .seed = j.at("seed").get<std::uint64_t>(),
        .strategy = j.at("strategy").get<std::string>(),
        .schedule = j.at("schedule").get<std::string>(),
        .seconds = time_or(j, "seconds", std::numeric_limits<double>::infinity()),
        .slot_seconds = time_or(j, "slot_seconds", std::numeric_limits<double>::infinity()),
        .batch = j.at("batch").get<std::uint64_t>(),
        .workers = j.value().contains("workers") ? j.at("workers").get<std::uint64_t>() : 1,
        .budget = schema == log_content::head::of_events ? budget_from(j.at("budget")) : log_content::budget{},
        .value_names = texts_from(j, "measured"),
        .objective = j.value().contains("objective") ? j.at("objective").get<std::string>() : std::string(),
        .meaning = {},
        .about = {},
        .tasks = {}};
    if (j.value().contains("meaning"))
        for (const meaning_member& m : meaning_members)
            if (const json_fields all = j.at("meaning"); all.value().contains(m.name))
                h.meaning.*m.at = all.at(m.name).get<std::string>();
    if (h.value_names.size() > measure::measured_values::most) j.at("measured").fail("are more than 8 names");
    if (h.workers == 0 || h.workers > max_log_workers) j.at("workers").fail("is not a number of workers");
    const json_fields tasks = j.at("tasks");
    for (std::size_t k = 0; k < tasks.size(); ++k) {
        const json_fields t = tasks[k];
        log_content::head::task_entry one{.name = t.at("name").get<std::string>(),
                                          .size = t.at("size").get<index>(),
                                          .fingerprint = t.at("fingerprint").get<std::uint64_t>(),
                                          .parameters = texts_from(t, "parameters")};
        if (t.value().contains("flops")) one.flops = t.at("flops").amount("operations");
        if (t.value().contains("weight")) one.weight = t.at("weight").amount("calls");
        h.tasks.push_back(std::move(one));
    }
    if (j.value().contains("about") && !h.tasks.empty())
        h.about = about_from_header(j.at("about"), h.tasks[0].parameters.size(), h.tasks[0].size);
    return h;
}

/// The kind of that name, or of the words that logs of version 0.1 have for it.
std::optional<measure::failure_kind> kind_in_log(std::string_view name)
{
    static constexpr std::string_view words[] = {"invalid",        "build error",  "build time-out", "crash",
                                                 "exit",           "run time-out", "out of memory",  "wrong result",
                                                 "damaged canary", "launch error", "bad cost"};
    for (std::size_t k = 0; k < std::size(words); ++k)
        if (name == words[k]) return measure::failure_kind_of(static_cast<std::uint8_t>(k));
    return measure::failure_kind_of(name);
}

measure::failure failure_from(const json_fields& j)
{
    const auto kind = j.at("kind").get<std::string>();
    const auto known = kind_in_log(kind);
    if (!known) j.at("kind").fail("\"" + kind.substr(0, 80) + "\" is not a kind of failure that this version knows");
    return {.kind = *known, .code = j.at("code").get<int>(), .message = j.at("message").get<std::string>()};
}

measure::limits limits_from(const json_fields& l)
{
    constexpr double inf = std::numeric_limits<double>::infinity();
    return {.abandon_above = time_or(l, "abandon_above", inf),
            .run_seconds = time_or(l, "run_s", inf),
            .build_seconds = time_or(l, "build_s", inf),
            .abandon_factor = l.value().contains("abandon_factor") ? l.at("abandon_factor").amount("times") : inf};
}

std::size_t task_from(const json_fields& j, const log_content::head& header)
{
    const auto task = j.at("task").get<std::uint64_t>();
    if (task >= header.tasks.size()) j.at("task").fail("names a task that the header lacks");
    return static_cast<std::size_t>(task);
}

index candidate_from(const json_fields& i, const log_content::head& header, std::size_t task)
{
    const auto candidate = i.get<index>();
    if (candidate >= header.tasks[task].size) i.fail("is not a configuration of its space, want one below its size");
    return candidate;
}

/// The numbers beside the cost; else empty.
measure::measured_values measured_from(const json_fields& j)
{
    if (!j.value().contains("measured")) return {};
    const json_fields list = j.at("measured");
    if (list.size() > measure::measured_values::most) list.fail("are more than 8 numbers");
    std::vector<double> out;
    for (std::size_t k = 0; k < list.size(); ++k)
        out.push_back(list[k].value().is_null() ? std::numeric_limits<double>::quiet_NaN() : list[k].get<double>());
    return measure::measured_values(std::span<const double>(out));
}

log_content::trial trial_from(const json_fields& j, const log_content::head& header)
{
    constexpr double inf = std::numeric_limits<double>::infinity();
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const std::size_t task = task_from(j, header);
    const bool unlimited = j.value().contains("known") || j.value().contains("round");
    log_content::trial t{.task = task,
                         .batch = j.at("batch").get<std::uint64_t>(),
                         .candidate = candidate_from(j.at("index"), header, task),
                         .limits = unlimited ? measure::limits{} : limits_from(j.at("limits")),
                         .measured = {.cost = none,
                                      .spread = time_or(j, "spread", inf),
                                      .runs = j.at("runs").get<std::uint32_t>(),
                                      .at_least = j.at("at_least").get<bool>(),
                                      .build_seconds = time_or(j, "build_s", inf),
                                      .run_seconds = time_or(j, "run_s", inf),
                                      .failed = {},
                                      .batches = {}},
                         .ended_ns = j.at("ended_ns").get<std::int64_t>(),
                         .stamp_ns = {},
                         .values = texts_from(j, "values")};
    if (j.value().contains("failed")) t.measured.failed = failure_from(j.at("failed"));
    if (const json_fields cost = j.at("cost"); !cost.value().is_null()) {
        t.measured.cost = cost.get<double>();
        if (!t.measured.failed && !(std::isfinite(t.measured.cost) && t.measured.cost > 0))
            cost.fail("is not a time, want seconds above 0");
    }
    const json_fields batches = j.at("batches");
    for (std::size_t k = 0; k < batches.size(); ++k)
        t.measured.batches.push_back(batches[k].value().is_null() ? none : batches[k].amount("seconds"));
    t.measured.values = measured_from(j);
    if (j.value().contains("checked")) {
        if (j.at("checked").get<std::string>() != "ok") j.at("checked").fail("is not a state of a check, want \"ok\"");
        t.measured.checked = measure::check_state::ok;
    }
    if (!t.values.empty() && t.values.size() != header.tasks[task].parameters.size())
        j.at("values").fail("are not one per parameter of the task");
    if (j.value().contains("stamp_ns")) t.stamp_ns = j.at("stamp_ns").get<std::int64_t>();
    return t;
}

worker_about about_from(const json_fields& j)
{
    worker_about out{.host = j.at("host").get<std::string>(),
                     .device = j.at("device").get<std::string>(),
                     .local_rank = j.at("local_rank").get<std::uint64_t>()};
    if (j.value().contains("left")) out.left = j.at("left").get<std::string>();
    if (!j.value().contains("against_first")) return out;
    const json_fields r = j.at("against_first");
    if (r.size() != 3) r.fail("are not a ratio and the ends of its interval");
    out.against_first = worker_about::ratio{r[0].get<double>(), r[1].get<double>(), r[2].get<double>()};
    return out;
}

/// An event; what it says of a trial goes into `trials` besides.
log_content::event event_from(const json_fields& j, const log_content::head& header,
                              std::vector<log_content::trial>& trials)
{
    log_content::event e;
    e.stamp = j.at("stamp_s").amount("seconds");
    if (j.value().contains("workers")) {
        e.what = log_content::event::kind::workers;
        e.n = j.at("workers").get<std::uint64_t>();
        if (e.n == 0 || e.n > max_log_workers) j.at("workers").fail("is not a number of workers");
        return e;
    }
    if (j.value().contains("budget")) {
        e.what = log_content::event::kind::budget;
        e.budget = budget_from(j.at("budget"));
        return e;
    }
    if (j.value().contains("joined")) {
        e.what = log_content::event::kind::joined;
        e.worker = j.at("joined").get<std::uint64_t>();
        e.about = about_from(j);
        return e;
    }
    if (j.value().contains("ended")) {
        e.what = log_content::event::kind::ended;
        e.why = j.at("ended").get<std::string>();
        if (j.value().contains("verdict")) e.verdict = j.at("verdict").get<std::string>();
        if (j.value().contains("seconds_to_separate"))
            e.seconds_to_separate = j.at("seconds_to_separate").get<double>();
        return e;
    }
    const std::size_t task = task_from(j, header);
    if (j.value().contains("checks")) {
        const json_fields c = j.at("checks");
        e.what = log_content::event::kind::checks;
        e.jobs.push_back({.task = task});
        e.checks = {.on = !c.value().contains("on") || c.at("on").get<bool>(),
                    .made = c.at("made").get<std::uint64_t>(),
                    .disturbed = c.at("disturbed").get<std::uint64_t>(),
                    .unsettled = c.at("unsettled").get<std::uint64_t>(),
                    .measured_again = c.at("measured_again").get<std::uint64_t>(),
                    .waited_seconds = c.at("waited_s").amount("seconds"),
                    .seconds = c.at("seconds").amount("seconds"),
                    .put_off = c.value().contains("put_off") ? c.at("put_off").get<std::uint64_t>() : 0};
        return e;
    }
    if (j.value().contains("ask")) {
        e.n = j.at("ask").get<std::uint64_t>();
        e.worker = j.at("worker").get<std::uint64_t>();
        const measure::limits within = limits_from(j.at("limits"));
        const json_fields jobs = j.at("jobs");
        if (jobs.size() > e.n) jobs.fail("are more than were asked for");
        const std::uint64_t carried = j.value().contains("carried") ? j.at("carried").get<std::uint64_t>() : 0;
        for (std::size_t k = 0; k < jobs.size(); ++k)
            e.jobs.push_back({.ticket = ticket{jobs[k][0].get<std::uint64_t>()},
                              .task = task,
                              .candidate = candidate_from(jobs[k][1], header, task),
                              .limits = within,
                              .carried = k < carried});
        return e;
    }
    if (const bool known = j.value().contains("known"); known || j.value().contains("round")) {
        e.what = known ? log_content::event::kind::known : log_content::event::kind::round;
        e.n = j.at(known ? "known" : "round").get<std::uint64_t>();
        log_content::trial t = trial_from(j, header);
        e.jobs.push_back({.task = task, .candidate = t.candidate});
        e.measured = std::move(t.measured);
        e.values = std::move(t.values);
        return e;
    }
    const bool tell = j.value().contains("tell"), recall = j.value().contains("recall");
    e.what = tell     ? log_content::event::kind::tell
             : recall ? log_content::event::kind::recall
                      : log_content::event::kind::drop;
    e.jobs.push_back({.ticket = ticket{j.at(tell     ? "tell"
                                            : recall ? "recall"
                                                     : "drop")
                                           .get<std::uint64_t>()},
                      .task = task,
                      .candidate = candidate_from(j.at("index"), header, task)});
    if (!tell) return e;
    e.worker = j.at("worker").get<std::uint64_t>();
    log_content::trial t = trial_from(j, header);
    t.worker = e.worker;
    e.jobs.front().limits = t.limits;
    if (j.value().contains("device")) e.about.device = t.device = j.at("device").get<std::string>();
    e.values = t.values;
    e.measured = t.measured;
    trials.push_back(std::move(t));
    return e;
}

/// One line more of the log.
void take_line(log_content& out, std::string_view line)
{
    const auto whole = bounded_json(line);
    const json_fields j(whole.value);
    if (out.whole_bytes == 0) out.header = header_from(j);
    else if (out.header.schema == log_content::head::of_events)
        out.events.push_back(event_from(j, out.header, out.trials));
    else out.trials.push_back(trial_from(j, out.header));
}

}  // namespace

std::string bytes_of_log(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c < 0x80) {
            out += text[i];
        } else if ((c == 0xC2 || c == 0xC3) && i + 1 < text.size()) {
            out += static_cast<char>(((c & 3U) << 6) | (static_cast<unsigned char>(text[++i]) & 0x3FU));
        } else {
            return std::string(text);  // not of these: as it stands
        }
    }
    return out;
}

void check_beginning(std::string_view text, const log_content& read, const std::string& name)
{
    constexpr std::string_view begins = "{\"tunekit_log\":";
    if (read.whole_bytes == 0 && text.substr(0, begins.size()) != begins.substr(0, text.size()))
        throw error("log " + name + ": has no whole line and is not the beginning of a log; name another file");
}

log_content parse_log_beginning(std::string_view text, const std::string& name)
{
    using malformed = json_fields::malformed;
    log_content out;
    bool sealed = false;
    std::size_t at = text.size() - without_bom(text).size();
    for (std::size_t number = 1, end = 0; (end = text.find('\n', at)) != std::string_view::npos; ++number) {
        const std::string_view line = text.substr(at, end - at);
        try {
            const auto has = log_file::seal_of(line);
            if (number == 1) sealed = has != log_file::seal::none;
            if (has == log_file::seal::broken)
                throw malformed{"", "its checksum is another one: it was changed or damaged"};
            if (sealed != (has == log_file::seal::whole))
                throw malformed{"", sealed ? "has no checksum, but the first line has"
                                           : "has a checksum, but the first line has none"};
            take_line(out, line);
        } catch (const malformed& e) {
            out.problem = error("log " + name + ", line " + std::to_string(number) + ": " + e.field +
                                (e.field.empty() ? "" : " ") + e.what + "; the " + std::to_string(number - 1) +
                                " lines before it are whole: cut the file after them to go on");
            if (number == 1) throw error(*out.problem);
            break;
        } catch (const std::bad_alloc&) {
            out = {};  // so that there is memory for the message
            throw error("log " + name + ", line " + std::to_string(number) + ": there is no memory for it");
        }
        at = end + 1;
        out.whole_bytes = static_cast<std::int64_t>(at);
    }
    out.torn = !out.problem && at < text.size();
    if (out.whole_bytes != 0 && !sealed)
        out.note =
            "log " + name + ": has no checksums, as older versions wrote it; a changed number would not be noticed";
    return out;
}

log_content parse_log(std::string_view text, const std::string& name)
{
    log_content out = parse_log_beginning(text, name);
    if (out.problem) throw error(*out.problem);
    return out;
}

std::vector<measure::trial> trials_of(const log_content& log, const std::string& name, index size,
                                      std::uint64_t fingerprint)
{
    for (std::size_t k = 0; k < log.header.tasks.size(); ++k) {
        const auto& task = log.header.tasks[k];
        if (task.name != name) continue;
        if (task.size != size || task.fingerprint != fingerprint)
            throw error("log: task " + name + " was tuned over another space" +
                        (task.size == size ? std::string()
                                           : ", of " + core::detail::counted(task.size, "configuration") + ", not " +
                                                 std::to_string(size)) +
                        "; give the space that the log was written with, or delete the log and tune again");
        std::vector<measure::trial> out;
        for (const log_content::trial& t : log.trials)
            if (t.task == k)
                out.push_back(
                    {.candidate = t.candidate, .measured = t.measured, .worker = static_cast<std::size_t>(t.worker)});
        return out;
    }
    throw error("log: has no task " + name + "; want one of its header's");
}

}  // namespace detail

std::vector<measure::trial> by_fastest_runs(std::vector<measure::trial> of)
{
    detail::cost_reading was;
    for (const measure::trial& t : of) was.hear(t.measured);
    for (measure::trial& t : of) t.measured = was.by_fastest(std::move(t.measured));
    return of;
}

log_content read_log(const std::string& path)
{
    return within_memory(path, [&] {
        const std::string what = "log " + path;
        log_content out = detail::parse_log(read_regular_file(path, what), path);
        if (out.whole_bytes == 0) throw error(what + ": has no whole line: nothing was logged yet");
        return out;
    });
}

log_content read_log_beginning(const std::string& path)
{
    log_content out = detail::parse_log_beginning(read_text(path), path);
    if (out.whole_bytes == 0) throw error("log " + path + ": has no whole line: nothing was logged yet");
    return out;
}

}  // namespace tunekit::io
