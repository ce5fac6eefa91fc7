// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The instances of tune_command: their file, the command on each of them, and what is told of each.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/support/command_options.hpp"
#include "tools/support/command_program.hpp"
#include "tools/support/command_report.hpp"
#include "tools/support/command_run.hpp"
#include "tools/support/program.hpp"
#include "tools/support/shell_words.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/measure/over.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/processes/program/program.hpp"
#include "tunekit/processes/program/program_options.hpp"
#include "tunekit/report/run.hpp"
#include "tunekit/report/terminal.hpp"
#include "tunekit/report/text_table.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/stats/interval.hpp"
#include "tunekit/tune/tuning.hpp"

namespace programs {

/// The lines of --instances or of --holdout, and what the placeholders are in each.
struct instance_list {
    std::string from{};  ///< option and path
    std::vector<std::string> names{}, lines{};
    std::vector<std::vector<std::string>> values{};  ///< of each line: those of the names
    std::vector<std::size_t> numbers{};              ///< of the lines in the file

    [[nodiscard]] std::string at(std::size_t k) const { return from + ':' + std::to_string(numbers[k]); }
};

/// The texts of the command line, and of the files that it fills in, that may have placeholders.
inline std::string texts_of(const tunekit::measure::program_options& o)
{
    std::string out;
    for (const auto* const all : {&o.command, &o.build, &o.setup, &o.prepare, &o.cleanup, &o.check_command})
        for (const std::string& text : *all) out += text + '\n';
    for (const auto& [name, value] : o.environment) out += value + '\n';
    for (const auto& file : o.files) out += tunekit::io::read_text(file.from) + '\n' + file.to + '\n';
    for (const auto& number : o.numbers) out += number.size_of + '\n';
    return out + o.directory + '\n' + o.input + '\n' + o.result_file;
}

namespace detail {

/// The names and values of a line of pairs; none for a line that is a value.
inline std::vector<std::pair<std::string, std::string>> pairs_of(const std::string& line, const std::string& texts,
                                                                 const std::string& where)
{
    std::vector<std::pair<std::string, std::string>> out;
    const auto names_one = [&](const std::string& word) {
        const auto at = word.find('=');
        return at != 0 && at != word.npos && texts.find('{' + word.substr(0, at) + '}') != texts.npos;
    };
    if (!names_one(line.substr(0, line.find_first_of(" \t")))) return out;
    for (const std::string& word : words_of(line, where)) {
        const auto at = word.find('=');
        if (!names_one(word)) return {};
        out.emplace_back(word.substr(0, at), word.substr(at + 1));
    }
    return out;
}

/// One line of the file is added.
inline void add_line(instance_list& to, const std::string& line, std::size_t number, const std::string& texts)
{
    to.numbers.push_back(number);
    const std::string where = to.at(to.lines.size());
    std::vector<std::string> names, values;
    for (const auto& [name, value] : pairs_of(line, texts, where)) {
        if (std::find(names.begin(), names.end(), name) != names.end())
            tunekit::invalid(where + ": " + name + "= stands there twice, want it once");
        names.push_back(name);
        values.push_back(value);
    }
    if (names.empty()) {
        names = {"instance"};
        values = {line};
    }
    if (to.lines.empty()) to.names = names;
    if (names != to.names)
        tunekit::invalid(where + ": has " + shell_line(names) + ", but line " + std::to_string(to.numbers.front()) +
                         " has " + shell_line(to.names) + ", want the same names in the same order");
    const auto before = std::find(to.values.begin(), to.values.end(), values);
    if (before != to.values.end())
        tunekit::invalid(where + ": is the instance of line " +
                         std::to_string(to.numbers[static_cast<std::size_t>(before - to.values.begin())]) +
                         ", want each once");
    to.lines.push_back(line);
    to.values.push_back(std::move(values));
}

}  // namespace detail

inline constexpr std::size_t longest_instance = 4096;

/// Reads the instances of a file. Throws std::invalid_argument, one line, for what is wrong in it.
inline instance_list instances_in(const std::string& option, const std::string& path, const std::string& texts)
{
    instance_list out{.from = option + ' ' + path};
    const std::string file = tunekit::io::read_text(path);
    const std::string_view text = tunekit::io::detail::without_bom(file);
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text.size(); ++number) {
        const std::size_t end = (std::min)(text.find('\n', begin), text.size());
        std::string line(text.substr(begin, end - begin));
        begin = end + 1;
        line.erase(line.find_last_not_of(" \t\r") + 1);
        line.erase(0, (std::min)(line.find_first_not_of(" \t"), line.size()));
        if (line.size() > longest_instance || line.find('\0') != line.npos)
            tunekit::invalid(out.from + ':' + std::to_string(number + 1) + ": has a byte 0 or over " +
                             std::to_string(longest_instance) + " bytes, want a line of text");
        if (!line.empty() && line[0] != '#') detail::add_line(out, line, number + 1, texts);
    }
    if (out.lines.empty()) tunekit::invalid(out.from + ": has no instance, want a line for each");
    return out;
}

/// The space of a command that runs on instances: configuration * n + instance, of n of them. Without them, the space as its
/// values are written into commands.
struct instanced_space : worded_space {
    using untyped = instanced_space;
    instanced_space(const value_product& of, const instance_list* list) : worded_space(of)
    {
        const auto own = value_product::names();
        names_.assign(own.begin(), own.end());
        if (list == nullptr) return;
        names_.insert(names_.end(), list->names.begin(), list->names.end());
        values_ = list->values;
    }

    [[nodiscard]] tunekit::index size() const { return value_product::size() * values_.size(); }
    [[nodiscard]] std::span<const std::string> names() const { return names_; }
    [[nodiscard]] std::vector<std::string> texts(tunekit::index i) const
    {
        auto out = worded_space::texts(i / values_.size());
        const auto& more = values_[i % values_.size()];
        out.insert(out.end(), more.begin(), more.end());
        return out;
    }

private:
    std::vector<std::string> names_;
    std::vector<std::vector<std::string>> values_{{}};
};

/// `measure::over` as a pool: candidates on their way through the instances, each on one worker at a time.
class instance_pool {
public:
    instance_pool(tunekit::measure::program& each, tunekit::measure::detail::input_track& track)
        : each_(each), track_(track)
    {
    }

    [[nodiscard]] std::size_t workers() const { return each_.workers(); }
    [[nodiscard]] std::size_t room() const
    {
        return track_.begun() ? each_.room() : (std::min)(each_.room(), std::size_t{out_.empty()});
    }
    [[nodiscard]] double now() const { return each_.now(); }
    void submit(const tunekit::job& next)
    {
        out_.push_back({next, track_.begin(next.candidate)});
        auto& within = out_.back().what.limits;
        within.abandon_above = within.abandon_factor = std::numeric_limits<double>::infinity();
        send(out_.back());
    }
    [[nodiscard]] std::vector<tunekit::answer> collect(double seconds)
    {
        std::vector<tunekit::answer> out;
        const double until = now() + seconds;
        do {
            for (tunekit::answer& a : each_.collect((std::max)(until - now(), 0.0))) {
                const auto at =
                    std::find_if(out_.begin(), out_.end(), [&](const auto& o) { return o.what.ticket == a.ticket; });
                if (at == out_.end()) continue;  // of a round that was left
                at->ran_s += a.ran_s;
                if (a.measured && track_.take(at->on_its_way, std::move(*a.measured), at->what.limits)) {
                    send(*at);
                    continue;
                }
                if (a.measured) a.measured = std::move(at->on_its_way.out);
                a.ran_s = at->ran_s;
                a.within.reset();
                out.push_back(std::move(a));
                out_.erase(at);
            }
        } while (out.empty() && !out_.empty() && now() < until);
        return out;
    }

private:
    struct sent {
        tunekit::job what;
        tunekit::measure::detail::input_track::run on_its_way;
        double ran_s = 0;
    };
    void send(const sent& s)
    {
        each_.submit({.ticket = s.what.ticket, .candidate = track_.next(s.on_its_way), .limits = s.what.limits});
    }

    tunekit::measure::program& each_;
    tunekit::measure::detail::input_track& track_;
    std::vector<sent> out_{};
};

/// What was learnt of an instance.
struct learnt_instance {
    std::string line{};
    double best =
        std::numeric_limits<double>::quiet_NaN();  ///< what the run's best takes there, the default's divided out
    double least = std::numeric_limits<double>::quiet_NaN();  ///< the same of the one that was best there
    tunekit::index fastest = 0;                               ///< that one
    double decides = 0;  ///< share of the variance of the whole, of the candidates that ran on all
};

/// Of each instance; empty where the default was not measured.
inline std::vector<learnt_instance> learnt_of(const tunekit::measure::detail::input_track& track,
                                              const instance_list& list, const tunekit::tuning& record,
                                              tunekit::index best)
{
    std::vector<learnt_instance> out;
    if (!track.begun()) return out;
    std::vector<std::vector<double>> logs;  // of those that ran on all that count
    for (const std::string& line : list.lines) out.push_back({.line = line});
    for (const auto& t : record.trials()) {
        if (t.measured.failed) continue;
        const auto ratios = track.ratios(t.candidate, t.measured);
        for (std::size_t k = 0; k < out.size(); ++k) {
            if (t.candidate == best) out[k].best = ratios[k];
            if (!(out[k].least <= ratios[k]) && ratios[k] > 0) {
                out[k].least = ratios[k];
                out[k].fastest = t.candidate;
            }
        }
        if (!t.measured.ok()) continue;
        auto& row = logs.emplace_back();
        for (const double r : ratios) row.push_back(r > 0 ? std::log(r) : 0);
    }
    // The whole is the sum of its parts, so its variance is that of their covariances with it.
    std::vector<double> whole(logs.size(), 0.0), middle(out.size(), 0.0);
    const auto n = static_cast<double>(logs.size());
    double all = 0;
    for (std::size_t i = 0; i < logs.size(); ++i)
        for (std::size_t k = 0; k < out.size(); ++k) whole[i] += logs[i][k], middle[k] += logs[i][k] / n;
    for (std::size_t i = 0; i < logs.size(); ++i) {
        double away = whole[i];
        for (const double m : middle) away -= m;
        all += away * away;
        for (std::size_t k = 0; k < out.size(); ++k) out[k].decides += (logs[i][k] - middle[k]) * away;
    }
    for (auto& o : out) o.decides = all > 0 ? o.decides / all : 0;
    return out;
}

/// The instances kept back, on which the winner and the default ran once.
struct held_out {
    std::vector<std::string> lines{}, failed{};              ///< those that both ran on; of the others, why not
    std::vector<double> ratios{};                            ///< the winner's cost divided by the default's
    double mean = std::numeric_limits<double>::quiet_NaN();  ///< their geometric mean
    tunekit::stats::interval within{};                       ///< 95 % for it, over instances like these
};

/// Runs both on each of them, in turn: the default first on every second one.
inline held_out held_out_of(tunekit::measure::program& each, const instance_list& list, tunekit::index winner,
                            tunekit::index untuned, const tunekit::measure::limits& within)
{
    held_out out;
    std::vector<double> logs;
    for (std::size_t k = 0; k < list.lines.size() && !end_asked(); ++k) {
        std::vector<tunekit::index> both{untuned * list.lines.size() + k, winner * list.lines.size() + k};
        if (k % 2 == 1) std::swap(both[0], both[1]);
        auto measured = each.measure(both, within);
        if (k % 2 == 1) std::swap(measured[0], measured[1]);
        if (const auto* const why = measured[0].failed ? &measured[0] : measured[1].failed ? &measured[1] : nullptr) {
            out.failed.push_back(list.lines[k] + ": " + (why == &measured[0] ? "the default" : "the best") +
                                 " failed, " + why->failed->message);
            continue;
        }
        out.lines.push_back(list.lines[k]);
        out.ratios.push_back(measured[1].cost / measured[0].cost);
        logs.push_back(std::log(out.ratios.back()));
    }
    if (logs.empty()) return out;
    double sum = 0;
    for (const double x : logs) sum += x;
    out.mean = std::exp(sum / static_cast<double>(logs.size()));
    const auto of_logs = tunekit::stats::mean_interval(logs);
    out.within = {std::exp(of_logs.low), std::exp(of_logs.high)};
    return out;
}

/// What a run on instances tells.
struct learnt_instances {
    bool wanted = false;
    std::vector<learnt_instance> of{};
    std::vector<std::string> left_out{};
    std::optional<held_out> kept{};
    std::string why{};  ///< why those kept back did not run; else empty

    /// Sentences for a page: who wins where, which instances decide, and what those kept back say.
    void tell_facts(std::vector<std::string>& out, const tunekit::space::value_product& space) const
    {
        using tunekit::report::fixed;
        for (const auto& i : of)
            if (i.least > 0)
                out.push_back("instance " + i.line + ": " +
                              (i.best > 0 ? "the best takes " + fixed(i.best, 3) + " of the default, " : "") +
                              "decides " + fixed(100 * i.decides, 0) + " %, least " + fixed(i.least, 3) + " with " +
                              space.text(i.fastest));
        for (const std::string& line : left_out) out.push_back("left out, as the default failed on it: " + line);
        for (std::string& line : of_kept()) out.push_back(std::move(line));
    }

    /// The members `instances`, `left_out` and `holdout` of the JSON.
    void tell(nlohmann::ordered_json& out, const tunekit::space::value_product& space) const
    {
        using json = nlohmann::ordered_json;
        if (!wanted) return;
        out["instances"] = json::array();
        for (const auto& i : of)
            out["instances"].push_back({{"instance", i.line},
                                        {"ratio", i.best},
                                        {"decides", i.decides},
                                        {"least", i.least},
                                        {"least_with", i.least > 0 ? json_of(space, i.fastest) : json()}});
        out["left_out"] = left_out;
        if (!kept) return;
        out["holdout"] = {{"ratio", kept->mean}, {"low", kept->within.low}, {"high", kept->within.high}};
        out["holdout"]["instances"] = json::array();
        for (std::size_t k = 0; k < kept->lines.size(); ++k)
            out["holdout"]["instances"].push_back({{"instance", kept->lines[k]}, {"ratio", kept->ratios[k]}});
        out["holdout"]["failed"] = kept->failed;
    }

    /// A table for a terminal: of the twenty that decide most.
    void print(const tunekit::space::value_product& space) const
    {
        using tunekit::report::fixed, tunekit::report::printable;
        if (of.empty()) return;
        auto all = of;
        std::erase_if(all, [](const auto& i) { return !(i.least > 0); });
        std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.decides > b.decides; });
        tunekit::report::text_table table({"instance", "best", "decides", "least", "with"}, {-8, 7, 7, 7, -1});
        for (std::size_t k = 0; k < (std::min)(all.size(), std::size_t{20}); ++k)
            table.row(printable(all[k].line), all[k].best > 0 ? fixed(all[k].best, 3) : "",
                      fixed(100 * all[k].decides, 0) + " %", fixed(all[k].least, 3), space.text(all[k].fastest));
        std::printf("\ncosts divided by the default's, and the share of the differences that each instance makes\n%s",
                    table.text().c_str());
        if (all.size() > 20) std::printf("and %zu more\n", all.size() - 20);
        for (const std::string& line : of_kept()) std::printf("%s\n", printable(line).c_str());
    }

private:
    [[nodiscard]] std::vector<std::string> of_kept() const
    {
        using tunekit::report::fixed;
        std::vector<std::string> out;
        if (!why.empty()) out.push_back(why);
        if (!kept) return out;
        for (const std::string& line : kept->failed) out.push_back("kept back, " + line);
        const std::size_t n = kept->ratios.size();
        if (n > 0)
            out.push_back("on " + std::to_string(n) + " kept back the best takes " + fixed(kept->mean, 3) +
                          " of the default" +
                          (n > 1 ? ", 95 % " + fixed(kept->within.low, 3) + " to " + fixed(kept->within.high, 3) : ""));
        return out;
    }
};

/// Tells of inputs that the default failed on, once it is through.
class left_out_lines {
public:
    void operator()(const tunekit::measure::detail::input_track& track)
    {
        for (; told_ < track.left_out().size(); ++told_)
            complain("left out, as the default failed on it: " + track.left_out()[told_]);
    }

private:
    std::size_t told_ = 0;
};

/// What the options say of instances, or refuse beside them.
struct instance_setup {
    std::optional<instance_list> chosen{}, kept_back{};
    tunekit::measure::over_options how{};
    tunekit::measure::program_options program{};

    /// Throws std::invalid_argument, one line, for what is wrong.
    instance_setup(const command_options& o, const tunekit::space::value_product& space,
                   const tunekit::measure::program_options& runs)
        : program(runs)
    {
        if (o.instances.empty() && !o.holdout.empty())
            tunekit::invalid("--holdout is for --instances FILE, want that too");
        const std::string texts = o.instances.empty() ? std::string() : texts_of(program);
        const auto has = [&](const std::string& name) {
            const auto names = space.names();
            return std::find(names.begin(), names.end(), name) != names.end();
        };
        if (o.instances.empty()) {
            refuse_placeholder(has("instance"));
            return;
        }
        how.of = o.instance_cost == "sum"     ? tunekit::measure::over_options::goal::sum
                 : o.instance_cost == "worst" ? tunekit::measure::over_options::goal::worst
                                              : tunekit::measure::over_options::goal::mean;
        if (o.instance_cost != "mean" && o.instance_cost != "sum" && o.instance_cost != "worst")
            tunekit::invalid("--instance-cost '" + o.instance_cost + "' is unknown, want mean, sum or worst");
        how.timeouts_count = o.timeouts_count;
        if (o.every_instance) how.confidence = 1;
        how.seed = o.seed;
        chosen = instances_in("--instances", o.instances, texts);
        for (const std::string& name : chosen->names) {
            if (has(name))
                tunekit::invalid("the parameter '" + name + "' has the name of a placeholder of --instances " +
                                 o.instances + ", want another name");
            if (texts.find('{' + name + '}') == texts.npos)
                tunekit::invalid("--instances " + o.instances + ": the command does not use them, want {" + name +
                                 "} in an argument, a variable or a file");
        }
        if (o.holdout.empty()) return;
        kept_back = instances_in("--holdout", o.holdout, texts);
        if (kept_back->names != chosen->names)
            tunekit::invalid(kept_back->from + ": has " + shell_line(kept_back->names) +
                             ", want what --instances has, " + shell_line(chosen->names));
        for (std::size_t k = 0; k < kept_back->lines.size(); ++k)
            if (const auto at = std::find(chosen->values.begin(), chosen->values.end(), kept_back->values[k]);
                at != chosen->values.end())
                tunekit::invalid(kept_back->at(k) + ": is also the instance " +
                                 chosen->at(static_cast<std::size_t>(at - chosen->values.begin())) +
                                 ", want others to be kept back");
    }

    /// How many there are; 1 without any.
    [[nodiscard]] std::size_t count() const { return chosen ? chosen->lines.size() : 1; }
    [[nodiscard]] instanced_space space(const tunekit::space::value_product& of) const
    {
        return {of, chosen ? &*chosen : nullptr};
    }
    /// Where candidates are on their way; none without instances.
    [[nodiscard]] std::optional<tunekit::measure::detail::input_track> track() const
    {
        if (!chosen) return std::nullopt;
        return tunekit::measure::detail::input_track(chosen->lines, how);
    }
    /// Calls f with a pool of configurations, by which none is given up on: for the last comparison.
    template <class F>
    void whole(const command_setup& s, tunekit::measure::program& alone, const tunekit::tuning& record, F&& f) const
    {
        if (!chosen) return s.judge(alone, f);
        auto all = how;
        all.confidence = 1;
        tunekit::measure::detail::input_track on_all(chosen->lines, all);
        on_all.know(record.trials().front().candidate, record.trials().front().measured);
        instance_pool pool(alone, on_all);
        f(pool);
    }
    /// The command of a configuration, in which the placeholders of the instances stay.
    [[nodiscard]] tunekit::measure::program_options::filled command_of(const command_setup& s,
                                                                       const tunekit::measure::program& of,
                                                                       tunekit::index i) const
    {
        if (!chosen) return of.command_of(i, ".", "tuned");
        instance_list any{.names = chosen->names, .values = {{}}};
        for (const std::string& name : any.names) any.values.front().push_back('{' + name + '}');
        return tunekit::measure::program(instanced_space(s.space, &any), program).command_of(i, ".", "tuned");
    }
    /// What was learnt of each instance, and those kept back, which run now where there is a winner. The facts of the report
    /// have it, too.
    [[nodiscard]] learnt_instances learnt(const command_setup& s,
                                          const std::optional<tunekit::measure::detail::input_track>& track,
                                          const tunekit::tuning& record, command_report& r,
                                          tunekit::measure::program_options alone) const
    {
        learnt_instances out;
        if (!track) return out;
        out.wanted = true;
        out.left_out = track->left_out();
        if (!r.found.best) return out;
        const tunekit::index best = r.found.best->candidate;
        out.of = learnt_of(*track, *chosen, record, best);
        if (kept_back && best == s.untuned) out.why = "the default is the best, so none of those kept back was run";
        else if (kept_back && end_asked()) out.why = "the end was asked for, so none of those kept back was run";
        else if (kept_back) {
            tunekit::measure::program each(instanced_space(s.space, &*kept_back), std::move(alone));
            out.kept = held_out_of(each, *kept_back, best, s.untuned,
                                   {.run_seconds = s.o.run_seconds, .build_seconds = s.o.build_seconds});
        }
        out.tell_facts(r.run.facts, s.space);
        return out;
    }

    /// Throws std::invalid_argument where another option makes no sense beside instances.
    static void refuse_others(const command_options& o)
    {
        const auto refuse = [&](bool given, const char* option, const char* why) {
            if (given && !o.instances.empty())
                tunekit::invalid(std::string("--instances ") + why + ", want it without " + option);
        };
        const char* const ratio = "makes a ratio of the costs, which is no time";
        const char* const one = "makes one cost of all instances";
        refuse(o.unit.has_value(), "--unit", ratio);
        refuse(o.with_checks, "--checks", ratio);
        refuse(!o.export_json.empty(), "--export-json", ratio);
        refuse(!o.known.empty(), "--known", ratio);
        refuse(!o.numbers.empty(), "--number", one);
        refuse(!o.objective.empty(), "--objective", one);
        refuse(!o.goals.empty(), "--goals", one);
        refuse(o.strategy == "parego", "--strategy parego", one);
        if (o.timeouts_count && o.cost != "wall" && o.cost != "cpu")
            tunekit::invalid("--timeouts-count makes a time of a time-out, want it without --cost " + o.cost);
    }

private:
    void refuse_placeholder(bool parameter) const
    {
        for (const std::string& text : program.command)
            if (!parameter && text.find("{instance}") != text.npos && text.find("{{instance}}") == text.npos)
                tunekit::invalid("{instance} in the command is for --instances FILE, want that too");
    }
};

/// Calls f with the pool of a search over instances, of which the trials of an earlier run are known. Where the default fails on
/// all of them a line says so, the search is over, and it returns false.
template <class F>
bool search_over(tunekit::measure::program& each, tunekit::measure::detail::input_track& track,
                 const tunekit::tuning& record, F&& f)
{
    for (const auto& t : record.trials()) track.know(t.candidate, t.measured);
    instance_pool pool(each, track);
    try {
        f(pool);
    } catch (const tunekit::error& e) {
        if (track.begun()) throw;
        complain(e.what());
        return false;
    }
    return true;
}

}  // namespace programs
