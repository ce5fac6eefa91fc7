// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The measurement of one configuration of a program, in a process that does nothing else: files, build, runs, check, cost.

#include <fcntl.h>
#include <ftw.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/detail/system/files.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/measure/batches.hpp"
#include "tunekit/measure/build/compiler.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/detail/command_run.hpp"
#include "tunekit/measure/detail/process.hpp"
#include "tunekit/measure/program/finished_run.hpp"
#include "tunekit/measure/program/program_options.hpp"
#include "tunekit/measure/program/readings.hpp"
#include "tunekit/measure/program/text_template.hpp"

namespace tunekit::measure::detail {

inline void remove_tree(const std::string& path) noexcept
{
    ::nftw(
        path.c_str(), [](const char* name, const struct stat*, int, FTW*) { return ::remove(name) * 0; }, 16,
        FTW_DEPTH | FTW_PHYS);
}

/// The content of a plain file; empty where it cannot be read. A file longer than `bytes` gives its beginning, which is
/// longer than `bytes`.
inline std::optional<std::string> file_text(const std::string& path, std::size_t bytes)
{
    const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat s{};
    if (!file || ::fstat(file.get(), &s) != 0 || !S_ISREG(s.st_mode)) return std::nullopt;
    std::string out;
    char some[16384];
    while (out.size() <= bytes) {
        const ssize_t got = ::read(file.get(), some, sizeof some);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        out.append(some, static_cast<std::size_t>(got));
    }
    return out;
}

/// Throws a candidate_error with that failure.
[[noreturn]] inline void refuse(failure_kind kind, std::string message, int code = 0)
{
    throw candidate_error(failure{kind, code, std::move(message)});
}

inline void put_file(const std::string& path, std::string_view text)
{
    if (!wrote_file(path, text, 0666))
        refuse(failure_kind::invalid, "'" + path + "' cannot be written: " + std::strerror(errno));
}

inline std::string said_by(const finished_run& run)
{
    return "; it said " + last_words(run.errors.empty() ? run.output : run.errors);
}

/// The failure of a run that did not end well; empty where it did.
inline std::optional<failure> failure_of(const finished_run& run, const std::string& name, int wanted,
                                         const command_limits& limits)
{
    switch (run.how) {
        case run_end::not_started:
            return failure{failure_kind::invalid, run.code,
                           "'" + name + "' cannot be started: " + std::strerror(run.code) +
                               (core::detail::system::runs_nothing(name)
                                    ? ", its file system is mounted noexec; set TMPDIR to a folder elsewhere"
                                    : "")};
        case run_end::timed_out:
            return failure{failure_kind::run_timeout, 0,
                           "was still running after " + short_number(limits.wall_seconds) + " s" + said_by(run)};
        case run_end::out_of_cpu:
            return failure{failure_kind::run_timeout, 0,
                           "took more than " + short_number(limits.cpu_seconds) + " s of processor time"};
        case run_end::signalled:
            return failure{failure_kind::crash, run.code,
                           signal_text(run.code) +
                               (limits.memory_bytes == 0
                                    ? std::string()
                                    : ", held to " + short_number(static_cast<double>(limits.memory_bytes >> 20)) +
                                          " MiB of address space") +
                               said_by(run)};
        case run_end::exited:
            break;
    }
    if (run.code == wanted) return std::nullopt;
    return failure{failure_kind::exited, run.code,
                   "exit status " + std::to_string(run.code) + ", want " + std::to_string(wanted) + said_by(run)};
}

/// A program with its texts parsed: what is known before any configuration is. A value. Measuring is const, and happens in
/// a child.
class program_plan {
public:
    /// `names` are those of the parameters. Throws std::invalid_argument for a placeholder that names none and for settings
    /// that contradict each other, and tunekit::error for a template that cannot be read.
    program_plan(std::span<const std::string> names, program_options options)
        : options_(std::move(options)), names_(names.begin(), names.end())
    {
        options_.validate();
        for (const char* own : {"scratch", "build"}) {
            if (std::find(names_.begin(), names_.end(), own) != names_.end())
                invalid(
                    {"program: a parameter is called '", own, "', which is the name of a folder; want another name"});
            names_.emplace_back(own);
        }
        command_ = all("command", options_.command);
        build_ = all("build", options_.build);
        check_command_ = all("check_command", options_.check_command);
        for (const auto& [name, value] : options_.environment)
            environment_.push_back({name, text_template(value, names_, "program: environment " + name)});
        directory_ = one("directory", options_.directory);
        result_file_ = one("result_file", options_.result_file);
        for (const template_file& f : options_.files) {
            const auto text = file_text(f.from, max_template);
            if (!text) throw error("program: the template '" + f.from + "' cannot be read; name a file that can");
            if (text->size() > max_template)
                throw error("program: the template '" + f.from + "' is longer than 16 MiB, want less");
            files_.push_back({text_template(*text, names_, "program: template '" + f.from + "'"), one("files", f.to)});
        }
        built_apart_ = mentions(names_.size() - 1);
        refuse_shared();
    }

    [[nodiscard]] const program_options& options() const noexcept { return options_; }
    [[nodiscard]] bool builds() const noexcept { return !build_.empty(); }

    /// The parameters that occur in no text.
    [[nodiscard]] std::vector<std::string> unused() const
    {
        std::vector<std::string> out;
        for (std::size_t j = 0; j + 2 < names_.size(); ++j)
            if (!mentions(j)) out.push_back(names_[j]);
        return out;
    }

    /// The command for the values of a configuration, with these folders.
    [[nodiscard]] program_command filled(std::vector<std::string> values, std::string scratch, std::string build) const
    {
        values.push_back(std::move(scratch));
        values.push_back(std::move(build));
        return {.arguments = texts_of(command_, values),
                .environment = environment_of(values),
                .directory = directory_.filled(values),
                .build = texts_of(build_, values)};
    }

    /// Throws tunekit::error where the program does not exist, as far as that can be known before anything is built.
    void find() const
    {
        for (const auto* const list : {&build_, &command_, &check_command_}) {
            if (list->empty() || !list->front().constant() || !directory_.constant()) continue;
            if (list != &build_ && builds()) continue;  // the build may make it
            const std::string name = list->front().filled({});
            const bool relative = name.find('/') != std::string::npos && name.front() != '/';
            const std::string in = directory_.filled({});
            const std::string path = relative && !in.empty() ? in + '/' + name : name;
            if (find_program(path).empty())
                throw error("program: there is no program '" + path +
                            "' to run; name one that is there and may be run");
        }
        if (directory_.constant() && !directory_.filled({}).empty() &&
            ::access(directory_.filled({}).c_str(), X_OK) != 0)
            throw error("program: there is no folder '" + directory_.filled({}) +
                        "' to run in; name one that is there");
    }

    /// Measures a configuration. `place` is the folder of this worker, `builds` that of all builds. Both exist.
    [[nodiscard]] measurement measure(command_runner& run, std::vector<std::string> values, const limits& within,
                                      const std::string& place, const std::string& builds,
                                      std::vector<double>& numbers) const
    {
        measurement out;
        const wall_clock now;
        double begun = now();
        try {
            const std::string key = placed(values, place, builds);
            if (this->builds() || built_apart_) build(run, values, within, builds, key);
            else write_files(values, false);
            out.build_seconds = this->builds() ? now() - begun : 0;
            begun = now();
            if (this->builds() || built_apart_) write_files(values, false);
            runs(run, values, within, begun, out, numbers);
        } catch (const candidate_error& e) {
            out.failed = e.why;
        }
        if (out.failed &&
            (out.failed->kind == failure_kind::build_error || out.failed->kind == failure_kind::build_timeout))
            out.build_seconds = now() - begun;
        else out.run_seconds = now() - begun;
        return out;
    }

    /// Builds, without a run. It returns the failure of the build, or its seconds. A later measurement, in any place, finds
    /// the build done.
    [[nodiscard]] measurement build_ahead(command_runner& run, std::vector<std::string> values, const limits& within,
                                          const std::string& place, const std::string& builds) const
    {
        measurement out;
        const wall_clock now;
        const double begun = now();
        try {
            const std::string key = placed(values, place, builds);
            build(run, values, within, builds, key);
        } catch (const candidate_error& e) {
            out.failed = e.why;
        }
        out.build_seconds = now() - begun;
        return out;
    }

private:
    static constexpr std::size_t max_template = std::size_t{1} << 24;

    struct variable {
        std::string name;
        text_template value;
    };
    struct written_file {
        text_template text;
        text_template to;
    };

    [[nodiscard]] text_template one(const std::string& what, const std::string& text) const
    {
        return {text, names_, "program: " + what + " '" + text + "'"};
    }
    [[nodiscard]] std::vector<text_template> all(const std::string& what, const std::vector<std::string>& texts) const
    {
        std::vector<text_template> out;
        for (const std::string& t : texts) out.push_back(one(what, t));
        return out;
    }
    [[nodiscard]] static std::vector<std::string> texts_of(const std::vector<text_template>& texts,
                                                           std::span<const std::string> values)
    {
        std::vector<std::string> out;
        for (const text_template& t : texts) out.push_back(t.filled(values));
        return out;
    }
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> environment_of(
        std::span<const std::string> values) const
    {
        std::vector<std::pair<std::string, std::string>> out;
        for (const variable& v : environment_) out.emplace_back(v.name, v.value.filled(values));
        return out;
    }
    [[nodiscard]] bool mentions(std::size_t j) const
    {
        const auto uses = [j](const text_template& t) { return t.uses(j); };
        return std::any_of(command_.begin(), command_.end(), uses) || std::any_of(build_.begin(), build_.end(), uses) ||
               std::any_of(check_command_.begin(), check_command_.end(), uses) || directory_.uses(j) ||
               result_file_.uses(j) ||
               std::any_of(environment_.begin(), environment_.end(),
                           [&](const variable& v) { return uses(v.value); }) ||
               std::any_of(files_.begin(), files_.end(),
                           [&](const written_file& f) { return uses(f.text) || uses(f.to); });
    }

    /// Throws std::invalid_argument where a worker would write what another one reads.
    void refuse_shared() const
    {
        const std::size_t scratch = names_.size() - 2;
        const std::size_t built = names_.size() - 1;
        const bool apart = directory_.uses(scratch);
        const auto shared = [&](const text_template& path, const std::string& text) {
            return !path.uses(scratch) && !path.uses(built) && !(apart && !text.starts_with('/'));
        };
        if (options_.builders > 0) {
            if (!builds() || !built_apart_)
                invalid("program: builders build what others run later, want a build whose result lies in {build}");
            if (std::any_of(build_.begin(), build_.end(), [&](const text_template& t) { return t.uses(scratch); }))
                invalid(
                    "program: a build in {scratch} is gone when it is to run, want it in {build} where there are "
                    "builders");
        }
        if (options_.workers <= 1) return;
        for (std::size_t k = 0; k < files_.size(); ++k)
            if (shared(files_[k].to, options_.files[k].to))
                invalid("program: the file '" + options_.files[k].to +
                        "' would be written by every worker, want it in {scratch}");
        if (!options_.result_file.empty() && shared(result_file_, options_.result_file))
            invalid("program: the result_file '" + options_.result_file +
                    "' would be written by every worker, want it in {scratch}");
        if (builds() && !built_apart_)
            invalid("program: every worker would build in the same place, want what is built in {build}");
    }

    /// The path of a file. A relative one begins at the folder in which the program runs.
    [[nodiscard]] std::string beside(const std::string& path, std::span<const std::string> values) const
    {
        const std::string in = directory_.filled(values);
        return path.starts_with('/') || in.empty() ? path : in + '/' + path;
    }

    /// Writes the files that belong to the build, or the others.
    void write_files(std::span<const std::string> values, bool of_build) const
    {
        for (const written_file& f : files_)
            if (f.to.uses(names_.size() - 1) == of_build)
                put_file(beside(f.to.filled(values), values), f.text.filled(values));
    }

    /// Adds the folders to the values, and returns the name of the build.
    [[nodiscard]] std::string placed(std::vector<std::string>& values, const std::string& place,
                                     const std::string& builds) const
    {
        values.push_back(place);
        values.emplace_back();
        const std::string key = builds_key(values);
        values.back() = builds + '/' + key;
        return key;
    }

    /// A digest of all that goes into a build: its arguments, and the files written for it.
    [[nodiscard]] std::string builds_key(std::span<const std::string> values) const
    {
        std::string what;
        for (const std::string& a : texts_of(build_, values)) add_part(what, a);
        for (const written_file& f : files_)
            if (f.to.uses(names_.size() - 1)) add_part(what, f.text.filled(values));
        return digest(what);
    }

    /// Builds what is not built yet. A lock allows one build at a time in one place; a worker that waited finds it done.
    void build(command_runner& run, std::span<const std::string> values, const limits& within,
               const std::string& builds, const std::string& key) const
    {
        const wall_clock now;
        const double deadline = now() + within.build_seconds;
        const std::string& place = values.back();
        const std::string name = built_apart_ ? place : builds + "/in-place";
        const descriptor lock(::open((name + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
        if (!lock) throw error("program: '" + name + ".lock' cannot be written: " + std::strerror(errno));
        while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
            if (now() > deadline) refuse(failure_kind::build_timeout, "another worker was still building the same");
            ::usleep(10000);
        }
        const auto done = file_text(name + ".done", 64);
        if (done && *done == key) return;
        if (const auto why = file_text(place + ".failed", 65536)) refuse(failure_kind::build_error, *why);
        ::unlink((name + ".done").c_str());
        if (built_apart_) {
            remove_tree(place);
            ::mkdir(place.c_str(), 0777);
        }
        write_files(values, true);
        if (this->builds()) {
            const std::vector<std::string> arguments = texts_of(build_, values);
            const command_limits hold{.wall_seconds = deadline - now()};
            const finished_run made = run.run({arguments, environment_of(values), directory_.filled(values)}, hold);
            if (made.how == run_end::timed_out)
                refuse(failure_kind::build_timeout,
                       "the build did not end in " + std::to_string(within.build_seconds) + " s");
            if (const auto wrong = failure_of(made, arguments.front(), 0, hold)) {
                const std::string message = "the build failed: " + wrong->message;
                put_file(place + ".failed", message);
                refuse(failure_kind::build_error, message);
            }
        }
        put_file(name + ".done", key);
    }

    /// One run. A run that took too long is returned; any other that did not end well is thrown as candidate_error.
    [[nodiscard]] finished_run one_run(command_runner& run, std::span<const std::string> values,
                                       const command_line& what, const command_limits& hold) const
    {
        const std::string file = result_file_.filled(values);
        if (!file.empty() && ::unlink(beside(file, values).c_str()) != 0 && errno != ENOENT)
            refuse(failure_kind::invalid,
                   "the result file '" + file + "' of an earlier run cannot be removed: " + std::strerror(errno));
        finished_run out = run.run(what, hold);
        if (out.how == run_end::timed_out) return out;
        if (auto wrong = failure_of(out, what.arguments.front(), options_.exit_status, hold))
            throw candidate_error(*std::move(wrong));
        if (!file.empty()) {
            auto text = file_text(beside(file, values), options_.output_bytes);
            if (!text) refuse(failure_kind::bad_cost, "the result file '" + file + "' was not written");
            out.cut = text->size() > options_.output_bytes;
            out.file = std::move(text);
        }
        return out;
    }

    void check(command_runner& run, std::span<const std::string> values, const finished_run& first,
               const command_limits& hold) const
    {
        if (options_.check)
            if (auto wrong = (*options_.check)(first)) refuse(failure_kind::wrong_result, *std::move(wrong));
        if (check_command_.empty()) return;
        const std::vector<std::string> arguments = texts_of(check_command_, values);
        const finished_run checked = run.run({arguments, environment_of(values), directory_.filled(values)}, hold);
        if (const auto wrong = failure_of(checked, arguments.front(), 0, hold))
            refuse(failure_kind::wrong_result, "the check says: " + wrong->message);
    }

    [[nodiscard]] double cost_of(const finished_run& run) const
    {
        const double cost = options_.cost ? (*options_.cost)(run) : run.wall_seconds;
        if (cost > 0 && cost <= (std::numeric_limits<double>::max)()) return cost;
        char text[160];
        std::snprintf(text, sizeof text,
                      "the cost is %g, want a positive finite number: report exp(x) of what may be 0 or less, 1/x of "
                      "what is to grow",
                      cost);
        no_number(text);
    }

    void runs(command_runner& run, std::span<const std::string> values, const limits& within, double begun,
              measurement& out, std::vector<double>& numbers) const
    {
        const wall_clock now;
        const command_line what{texts_of(command_, values), environment_of(values), directory_.filled(values)};
        const double deadline = begun + within.run_seconds;
        double fastest = std::numeric_limits<double>::infinity();  // wall seconds of a run
        std::vector<double> seen;  // costs of runs, and seconds of those that were ended at abandon_above
        std::size_t ended = 0;     // the number of those that were ended
        while (const std::uint32_t wanted = options_.repetition.next(out.batches)) {
            double sum = 0;
            for (std::uint32_t done = 0; done < wanted;) {
                const double left = (std::max)(deadline - now(), 0.0);
                if (!out.batches.empty() && (left < fastest || ended >= 3)) return conclude(out);
                command_limits hold{.wall_seconds = left,
                                    .cpu_seconds = options_.cpu_seconds,
                                    .memory_bytes = options_.memory_bytes,
                                    .output_bytes = options_.output_bytes};
                const bool cuts = !options_.cost && within.abandon_above < left;
                if (cuts) hold.wall_seconds = within.abandon_above;
                const finished_run one = one_run(run, values, what, hold);
                if (one.how == run_end::timed_out && !cuts) {
                    if (out.batches.empty() && done > 0) out.batches.push_back(sum / done);
                    if (out.batches.empty())
                        refuse(failure_kind::run_timeout,
                               "was still running after " + short_number(within.run_seconds) + " s" + said_by(one));
                    return conclude(out);
                }
                if (one.how == run_end::timed_out) {
                    ++ended;
                    seen.push_back(one.wall_seconds);
                } else {
                    if (out.runs == 0) {
                        hold.wall_seconds = (std::max)(deadline - now(), 0.0);
                        check(run, values, one, hold);
                    }
                    const double cost = cost_of(one);
                    if (out.runs == 0)
                        for (const named_reading& n : options_.numbers) numbers.push_back(n.read(one));
                    fastest = (std::min)(fastest, one.wall_seconds);
                    sum += cost;
                    ++out.runs;
                    ++done;
                    seen.push_back(cost);
                }
                if (abandoned(seen, within, out)) return;
            }
            out.batches.push_back(sum / wanted);
        }
        conclude(out);
    }

    /// Cuts the configuration short where at least three runs were made and all were above the limit.
    static bool abandoned(const std::vector<double>& seen, const limits& within, measurement& out)
    {
        if (!surely_above(seen, within.abandon_above)) return false;
        out.cost = *std::min_element(seen.begin(), seen.end());
        out.at_least = true;
        out.runs = static_cast<std::uint32_t>(seen.size());
        return true;
    }

    void conclude(measurement& out) const
    {
        const estimate found = options_.repetition.estimate_of(out.batches);
        out.cost = found.cost;
        out.spread = found.spread;
    }

    program_options options_;
    std::vector<std::string> names_;  ///< those of the parameters, then "scratch" and "build"
    std::vector<text_template> command_;
    std::vector<text_template> build_;
    std::vector<text_template> check_command_;
    std::vector<variable> environment_;
    text_template directory_{"", {}};
    text_template result_file_{"", {}};
    std::vector<written_file> files_;
    bool built_apart_ = false;  ///< whether each build has a folder of its own, {build}
};

}  // namespace tunekit::measure::detail
