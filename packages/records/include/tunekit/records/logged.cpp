// SPDX-License-Identifier: MIT
#include "tunekit/records/logged.hpp"

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/processes/machine.hpp"

namespace tunekit::io::detail {

namespace {

log_content::head header_of(const logged_view& run, const logged_options& options)
{
    log_content::head out{.schema = log_content::head::of_events,
                          .version = core::version_text(),
                          .machine = options.machine.empty() ? to_text(this_machine()) : options.machine,
                          .seed = options.seed,
                          .strategy = options.strategy,
                          .schedule = options.schedule,
                          .budget = run.limit(),
                          .value_names = options.value_names.empty() ? run.record(0).value_names : options.value_names,
                          .objective = options.objective,
                          .meaning = options.meaning,
                          .about = options.about};
    run.describe(out, options.name);
    if (!run.has_workers()) out.workers = (std::max)(options.workers, std::uint64_t{1});
    return out;
}

/// The results that the run knew when it began, as events.
std::vector<log_content::event> known(const logged_view& run, std::size_t tasks)
{
    std::vector<log_content::event> out;
    for (std::size_t k = 0; k < tasks; ++k)
        for (const measure::trial& t : run.record(k).known())
            out.push_back({.what = log_content::event::kind::known,
                           .n = out.size(),
                           .jobs = {{.task = k, .candidate = t.candidate}},
                           .measured = t.measured,
                           .values = run.texts(k, t.candidate)});
    return out;
}

constexpr const char* remedy = "; resume with the same, delete the log, or name another file";

std::string shown(std::string text)
{
    constexpr std::size_t longest = 200;
    if (text.size() > longest) text = text.substr(0, longest) + " ...";
    return text.empty() ? "none" : text;
}

std::string joined(std::span<const std::string> all)
{
    std::string out;
    for (const std::string& one : all) (out += out.empty() ? "" : ", ") += one;
    return out;
}

/// Throws where a log was written with another text for `what`.
struct same_in_log {
    const std::string& path;

    void operator()(const std::string& what, const std::string& a, const std::string& b,
                    const char* then = remedy) const
    {
        if (bytes_of_log(a) != b)
            throw error("log " + path + ": was written with " + what + ' ' + shown(bytes_of_log(a)) + ", not " +
                        shown(b) + then);
    }
};

/// Compares a run with that of a log. Throws for what a resumed run must have; returns what else differs, in words.
std::string compare(const std::string& path, const log_content::head& was, const log_content::head& is)
{
    const same_in_log same{path};
    same("tunekit version", was.version, is.version,
         "; resume with that version, or name another file and start from the results of this one");
    same("schema", std::to_string(was.schema), std::to_string(is.schema));
    if (const kinship on = kinship_of(was.machine, is.machine); on != kinship::same)
        throw error("log " + path + ": was written on the machine " + quoted_device(was.machine) + ", this one is " +
                    quoted_device(is.machine) + (on == kinship::kin ? ", a kin, whose times are its own" : "") +
                    "; resume there, delete the log, or name another file");
    same("seed", std::to_string(was.seed), std::to_string(is.seed));
    same("strategy", was.strategy, is.strategy);
    same("schedule", was.schedule, is.schedule);
    std::string note = compare_meaning(path, was, is);
    same("a number of tasks of", std::to_string(was.tasks.size()), std::to_string(is.tasks.size()));
    for (std::size_t k = 0; k < is.tasks.size(); ++k) {
        const auto &before = was.tasks[k], &now = is.tasks[k];
        same("task", before.name, now.name);
        if (!before.parameters.empty()) same("the parameters", joined(before.parameters), joined(now.parameters));
        const auto &texts = was.about.values, &these = is.about.values;
        for (std::size_t j = 0; k == 0 && texts.size() == these.size() && j < these.size(); ++j)
            same("the values of " + now.parameters[j], joined(texts[j]), joined(these[j]));
        if (before.size != now.size)
            throw error("log " + path + ": the space of its task " + now.name + " has " +
                        core::detail::counted(before.size, "configuration") + ", that of this run " +
                        std::to_string(now.size) + remedy);
        if (before.fingerprint != now.fingerprint)
            throw error("log " + path + ": the space of its task " + now.name + " has other " +
                        (k == 0 && !texts.empty() && !these.empty() ? "" : "values or ") +
                        "constraints than that of this run" + remedy);
    }
    if (was.slot_seconds != is.slot_seconds)
        same("slot seconds", std::to_string(was.slot_seconds), std::to_string(is.slot_seconds));
    return note;
}

/// In what two asks at the same place of a run differ; `begins` where it is the first.
std::string difference(const logged_view& run, const std::vector<job>& was, const std::vector<job>& is, bool begins)
{
    const auto configuration = [&](const job& j) {
        return std::to_string(j.candidate) + " (" + shown(joined(run.texts(j.task, j.candidate))) + ')';
    };
    const auto seconds = [](const char* of, double a, double b) {
        return std::string("the limit of a ") + of + " was " + core::text_of(a) + " s, is " + core::text_of(b) + " s";
    };
    for (std::size_t k = 0; k < (std::min)(was.size(), is.size()); ++k) {
        const job &a = was[k], &b = is[k];
        if (a.ticket != b.ticket)
            return "a line before it is missing: its job is number " +
                   std::to_string(static_cast<std::uint64_t>(a.ticket)) + ", that of this run " +
                   std::to_string(static_cast<std::uint64_t>(b.ticket));
        if (a.task != b.task)
            return "it asked for task " + std::to_string(a.task) + ", this run for " + std::to_string(b.task);
        if (a.candidate != b.candidate)
            return std::string(begins ? "the run began" : "it went on") + " with configuration " + configuration(a) +
                   ", this one " + (begins ? "begins" : "goes on") + " with " + configuration(b);
        if (a.limits.run_seconds != b.limits.run_seconds)
            return seconds("run", a.limits.run_seconds, b.limits.run_seconds);
        if (a.limits.build_seconds != b.limits.build_seconds)
            return seconds("build", a.limits.build_seconds, b.limits.build_seconds);
        if (a.limits != b.limits)
            return "a run was given up above " + core::text_of(a.limits.abandon_above) + ", is above " +
                   core::text_of(b.limits.abandon_above);
    }
    return "it asked for " + core::detail::counted(was.size(), "configuration") + ", this run for " +
           std::to_string(is.size());
}

}  // namespace

std::string compare_meaning(const std::string& path, const log_content::head& was, const log_content::head& is)
{
    const same_in_log same{path};
    same("measured values named", joined(was.value_names), joined(is.value_names));
    same("the objective", was.objective.empty() ? "cost" : was.objective, is.objective.empty() ? "cost" : is.objective);
    const auto told = [](const log_content::head& h) { return std::string(h.about.maximize ? "scores" : "costs"); };
    same("what is told as", told(was), told(is));
    same("the unit", was.about.unit, is.about.unit);
    std::string note;
    const bool both = was.meaning != log_content::meaning{} && is.meaning != log_content::meaning{};
    for (const meaning_member& m : meaning_members) {
        const std::string before = bytes_of_log(was.meaning.*m.at), &now = is.meaning.*m.at;
        if (!both || before == now) continue;
        if (m.same) same(m.words, was.meaning.*m.at, now);
        note += (note.empty() ? "" : "; ") + std::string(m.words) + ": was " + shown(before) + ", is " + shown(now);
    }
    return note;
}

run_log::run_log(const std::string& path, const logged_options& options)
    : file_(options.resume ? log_file::take_up(path, options.sync) : log_file::create(path, options.sync)),
      past_(parse_log(file_.text(), path)),
      path_(path),
      mixed_(options.mixed_devices)
{
}

bool run_log::begin(const logged_view& run, const logged_options& options)
{
    if (!options.value_names.empty()) run.name_values(options.value_names);
    check_beginning(file_.text(), past_, path_);
    log_content::head is = header_of(run, options);
    const bool again = past_.whole_bytes > 0;
    if (again) {
        const log_content::head& was = past_.header;
        if (run.slots_open()) is.slot_seconds = was.slot_seconds;
        if (const std::string other = compare(path_, was, is); !other.empty())
            past_.note += (past_.note.empty() ? "log " + path_ + ": " : "; ") + other;
        for (const log_content::trial& t : past_.trials) read_.hear(t.measured);
        if (options.fastest && !read_.all_have_runs)
            throw error("log " + path_ + ": the runs of its costs are not in it, and " +
                        cost_reading{.mean = false, .median = false}.text() + " is a cost here" + remedy);
        if (options.fastest) require_reading({.mean = false, .median = false});
        run.begin_as(was);
        if (replay(run) != is.workers) {
            run.set_workers(is.workers);
            write(run, {.what = log_content::event::kind::workers, .n = is.workers});
        }
        if (run.limit() != is.budget) write(run, {.what = log_content::event::kind::budget, .budget = is.budget});
    } else {
        file_.keep(0);
        file_.append(is.line());
        for (log_content::event& e : known(run, is.tasks.size())) write(run, std::move(e));
    }
    if (file_.failed()) throw error(file_.problem());
    return again;
}

std::vector<job> run_log::ask(const logged_view& run, std::size_t worker, std::size_t n)
{
    const std::uint64_t before = run.proposals();
    std::vector<job> out = run.ask(worker, n);
    if (out.empty() && run.proposals() == before) return out;
    if (write(run, {.n = n, .jobs = out, .worker = worker})) return out;
    for (const job& j : out) run.recall(j);  // what is not written down does not go out
    return {};
}

void run_log::tell(const logged_view& run, const job& j, measure::measurement m, double stamp, std::size_t worker)
{
    if (read_.known()) {
        cost_reading is;
        is.hear(m);
        require_reading(is);
    }
    run.tell(j, m, stamp, worker);
    write(run, {.what = log_content::event::kind::tell,
                .jobs = {j},
                .worker = worker,
                .about = {.device = met(worker) ? about_.at(worker).device : std::string()},
                .measured = std::move(m),
                .values = run.texts(j.task, j.candidate)});
}

void run_log::require_reading(const cost_reading& is) const
{
    if (read_.differs(is))
        throw error("log " + path_ + ": the cost of a configuration is " + read_.text() + " there, and " + is.text() +
                    " here" + remedy);
}

void run_log::meet(const logged_view& run, std::size_t worker, worker_about about)
{
    about.left.clear();
    if (!mixed_ && !device_.empty() && kinship_of(about.device, device_) != kinship::same)
        throw error("log " + path_ + ": its costs are of the device " + quoted_device(device_) + ", worker " +
                    std::to_string(worker) + " measures on " + quoted_device(about.device) +
                    "; resume on the same, name another file, or let devices mix");
    device_ = about.device;
    write(run, {.what = log_content::event::kind::joined, .worker = worker, .about = about});
    about_.insert_or_assign(worker, std::move(about));
}

void run_log::leave(const logged_view& run, std::size_t worker, worker_about about)
{
    write(run, {.what = log_content::event::kind::joined, .worker = worker, .about = std::move(about)});
}

void run_log::take_back(const logged_view& run, const job& j, bool lost)
{
    if (lost) run.drop(j);
    else run.recall(j);
    write(run, {.what = lost ? log_content::event::kind::drop : log_content::event::kind::recall, .jobs = {j}});
}

void run_log::compared(const logged_view& run, std::size_t task, std::uint64_t round, index candidate,
                       measure::measurement m)
{
    write(run, {.what = log_content::event::kind::round,
                .n = round,
                .jobs = {{.task = task, .candidate = candidate}},
                .measured = std::move(m),
                .values = run.texts(task, candidate)});
}

void run_log::ended(const logged_view& run, std::string why, const std::optional<verdict>& says)
{
    write(run, {.what = log_content::event::kind::ended,
                .why = std::move(why),
                .verdict = says ? to_text(*says) : std::string(),
                .seconds_to_separate = says ? says->seconds_to_separate : 0});
}

void run_log::set_checks(const logged_view& run, std::size_t task, const machine_checks& seen)
{
    run.set_checks(task, seen);
    write(run, {.what = log_content::event::kind::checks, .jobs = {{.task = task}}, .checks = seen});
}

bool run_log::look(const logged_view& run)
{
    if (file_.look()) return true;
    run.stop();
    return false;
}

std::uint64_t run_log::replay(const logged_view& run)
{
    std::vector<job> out;
    std::uint64_t workers = past_.header.workers;
    const std::vector<log_content::event> before = known(run, past_.header.tasks.size());
    std::size_t told = 0;  // of these
    bool begins = true;
    run.set_limit(past_.header.budget);
    for (std::size_t i = 0; i < past_.events.size(); ++i) {
        const log_content::event& e = past_.events[i];
        const auto differs = [&](const std::string& what) {
            throw error("log " + path_ + ", line " + std::to_string(i + 2) + ": " + what + remedy);
        };
        if (e.what == log_content::event::kind::known) {
            if (told == before.size() || before[told++].line() != e.line())
                differs("this run knows something else from before");
            continue;
        }
        if (told != before.size()) differs("this run knows more from before");
        if (e.what == log_content::event::kind::round || e.what == log_content::event::kind::ended)
            continue;       // changes no tuner
        run.time(e.stamp);  // by which slots end
        if (e.what == log_content::event::kind::checks) {
            run.set_checks(e.jobs.front().task, e.checks);
            continue;
        }
        if (e.what == log_content::event::kind::workers) {
            run.set_workers(e.n);
            workers = e.n;
            continue;
        }
        if (e.what == log_content::event::kind::budget) {
            run.set_limit(e.budget);
            continue;
        }
        if (e.what == log_content::event::kind::joined) {
            if (e.about.left.empty()) device_ = e.about.device;  // who it is now is told when it answers
            continue;
        }
        if (e.what == log_content::event::kind::ask) {
            if (run.has_workers() && e.worker >= workers) differs("a worker asks that the run does not have");
            std::vector<job> jobs;
            try {
                jobs = run.ask(e.worker, e.n);
            } catch (const std::exception& bad) {
                differs(std::string("this run cannot ask for it: ") + bad.what());
            }
            if (jobs != e.jobs) differs(difference(run, e.jobs, jobs, begins));
            begins = false;
            out.insert(out.end(), jobs.begin(), jobs.end());
            continue;
        }
        const job& j = e.jobs.front();
        std::erase_if(out, [&](const job& o) { return o.ticket == j.ticket; });
        try {
            if (e.what == log_content::event::kind::tell) run.tell(j, e.measured, e.stamp, e.worker);
            else if (e.what == log_content::event::kind::drop) run.drop(j);
            else run.recall(j);
        } catch (const error& bad) {
            differs(bad.what());
        }
    }
    file_.keep(static_cast<std::size_t>(past_.whole_bytes));
    for (; told < before.size(); ++told) write(run, before[told]);
    for (const job& j : out) take_back(run, j, false);
    return workers;
}

bool run_log::write(const logged_view& run, log_content::event e)
{
    e.stamp = run.stamp();
    if (file_.append(e.line())) return true;
    run.stop();
    return false;
}

tuning logged_over(const std::string& path, const space::any_space& space, tunekit::detail::any_measurer& carrier,
                   const recipe<search::any_strategy>& how, const budget& limit, const logged_options& log,
                   const std::vector<index>& first, const tunekit::detail::watched& options)
{
    tuner t(space, how, limit, random::philox(log.seed));
    t.begin_with(first);
    logged run(path, std::move(t), log);
    tunekit::detail::drive(run, carrier, options);
    if (!run.look()) throw error(run.problem());
    return run.record();
}

}  // namespace tunekit::io::detail
