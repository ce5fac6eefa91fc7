// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/program_runs.hpp"

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

#include "tunekit/measure/batches.hpp"
#include "tunekit/processes/detail/run_failure.hpp"
#include "tunekit/processes/detail/system/files.hpp"

namespace tunekit::measure::detail {

program_runs::program_runs(command_runner& run, const program_options& options, const program_texts& texts,
                           std::span<const std::string> values, const limits& within, double begun, double repeat_until)
    : run_(run),
      options_(options),
      what_(texts.command(values)),
      check_(texts.check(values)),
      setup_(texts.setup(values)),
      prepare_(texts.prepare(values)),
      cleanup_(texts.cleanup(values)),
      file_(texts.result_file(values)),
      sized_(texts.sized_files(values)),
      within_(within),
      deadline_(begun + within.run_seconds),
      repeat_until_(repeat_until),
      checked_((!options.check && check_.arguments.empty()) || within.only_looks())
{
    if (!options.powercap.empty()) energy_.emplace(options.powercap);
}

void program_runs::measure(measurement& out, taken_up& what)
{
    const auto end = [&] {
        if (what.clean_up) what.unclean = clean();
        out.build_seconds += aside_seconds_;
    };
    try {
        if (what.set_up) {
            aside(setup_, "the setup");
            warm_up();
        }
        if (what.run) repeat(out, what.numbers);
    } catch (...) {
        end();
        throw;
    }
    end();
}

void program_runs::aside(const command_line& what, const char* who)
{
    if (what.arguments.empty()) return;
    const double begun = now_();
    const command_limits hold{.wall_seconds = options_.aside_seconds};
    const finished_run ended = run_.run(what, hold);
    aside_seconds_ += now_() - begun;
    deadline_ += now_() - begun;
    if (auto wrong = failure_of(ended, what.arguments.front(), 0, hold)) {
        std::string words = what.arguments.front();
        for (std::size_t k = 1; k < what.arguments.size(); ++k) words += ' ' + what.arguments[k];
        wrong->message = std::string(who) + " '" + words + "': " + wrong->message;
        throw candidate_error(*std::move(wrong));
    }
}

void program_runs::warm_up()
{
    for (std::size_t k = 0; k < options_.warmup; ++k) {
        const finished_run one = one_run(hold_of((std::max)(deadline_ - now_(), 0.0)));
        if (one.how == finished_run::end::timed_out)
            refuse(failure_kind::run_timeout,
                   "was still warming up after " + short_number(within_.run_seconds) + " s" + said_by(one));
    }
}

std::string program_runs::clean()
{
    try {
        aside(cleanup_, "the cleanup");
        return {};
    } catch (const candidate_error& e) {
        return e.why.message;
    }
}

void program_runs::repeat(measurement& out, std::vector<double>& numbers)
{
    std::size_t begun = 0;
    while (const std::uint32_t wanted = within_.only_looks() ? 1 : options_.repetition.next(out.batches)) {
        double sum = 0;
        for (std::uint32_t done = 0; done < wanted;) {
            const double moment = now_(), left = (std::max)(deadline_ - moment, 0.0);
            const bool late = left < fastest_ || moment >= repeat_until_;
            if (late && out.batches.empty() && done > 0) out.batches.push_back(sum / done);
            if (!out.batches.empty() && (late || ended_ >= 3)) return conclude_early(out);
            const bool cuts = !options_.cost && within_.abandon_above < left;
            ++begun;
            try {
                finished_run one = one_run(hold_of(cuts ? within_.abandon_above : left));
                if (one.how == finished_run::end::timed_out && !cuts) {
                    if (out.batches.empty() && done > 0) out.batches.push_back(sum / done);
                    if (out.batches.empty())
                        refuse(failure_kind::run_timeout,
                               "was still running after " + short_number(within_.run_seconds) + " s" + said_by(one));
                    return conclude_early(out);
                }
                if (one.how == finished_run::end::timed_out) {
                    ++ended_;
                    seen_.push_back(one.wall_seconds);
                } else {
                    sum += taken(std::move(one), out, numbers);
                    ++done;
                }
            } catch (const candidate_error& e) {
                if (begun == 1) throw;
                failure why = e.why;
                why.message = "run " + std::to_string(begun) + ", after " + std::to_string(begun - 1) +
                              " without a failure: " + why.message;
                throw candidate_error(std::move(why));
            }
            if (abandoned(out)) return;
        }
        out.batches.push_back(sum / wanted);
        if (!options_.whole_first && enough_of_first(out.batches, within_)) break;
        if (within_.only_looks() && has_looked(out.batches)) break;
    }
    check_once(last_, out);
    conclude(out);
}

command_limits program_runs::hold_of(double wall_seconds) const
{
    return {.wall_seconds = wall_seconds,
            .cpu_seconds = options_.cpu_seconds,
            .memory_bytes = options_.memory_bytes,
            .output_bytes = options_.output_bytes};
}

finished_run program_runs::one_run(const command_limits& hold)
{
    aside(prepare_, "the preparation");
    if (!file_.empty()) refuse_irregular(file_);
    if (!file_.empty() && ::unlink(file_.c_str()) != 0 && errno != ENOENT)
        refuse(failure_kind::invalid,
               "the result file '" + file_ + "' of an earlier run cannot be removed: " + std::strerror(errno));
    if (energy_) energy_->restart();
    finished_run out = run_.run(what_, hold);
    if (energy_) out.joules = energy_->joules();
    if (out.how == finished_run::end::timed_out) return out;
    const bool any = options_.any_status && out.how == finished_run::end::exited;
    if (auto wrong = failure_of(out, what_.arguments.front(), any ? out.code : options_.exit_status, hold))
        throw candidate_error(*std::move(wrong));
    if (!file_.empty()) {
        auto text = file_text(file_, options_.output_bytes);
        if (!text) refuse(failure_kind::bad_cost, "the result file '" + file_ + "' was not written");
        out.cut = text->size() > options_.output_bytes;
        out.file = std::move(text);
    }
    return out;
}

double program_runs::taken(finished_run one, measurement& out, std::vector<double>& numbers)
{
    if (options_.checks == check::always || within_.abandon_above == never) check_once(one, out);
    const double cost = cost_of(one);
    if (out.runs == 0)
        for (std::size_t k = 0; k < options_.numbers.size(); ++k) {
            numbers.push_back(number(k, one));
            if (std::isinf(numbers.back()))
                no_number(options_.numbers[k].name + ": the number is infinite, want a finite one");
        }
    fastest_ = (std::min)(fastest_, one.wall_seconds);
    ++out.runs;
    seen_.push_back(cost);
    if (cost <= within_.abandon_above) check_once(one, out);
    if (!checked_) last_ = std::move(one);
    return cost;
}

void program_runs::check_once(const finished_run& one, measurement& out)
{
    if (std::exchange(checked_, true)) return;
    if (options_.check)
        if (auto wrong = (*options_.check)(one)) refuse(failure_kind::wrong_result, *std::move(wrong));
    out.checked = check_state::ok;
    if (check_.arguments.empty()) return;
    const command_limits hold = hold_of((std::max)(deadline_ - now_(), 0.0));
    if (const auto wrong = failure_of(run_.run(check_, hold), check_.arguments.front(), 0, hold))
        refuse(failure_kind::wrong_result, "the check says: " + wrong->message);
}

double program_runs::number(std::size_t k, const finished_run& one) const
{
    if (sized_[k].empty()) return options_.numbers[k].read(one);
    const auto file = system::detail::state_of(sized_[k]);
    if (!file) no_number(options_.numbers[k].name + ": the file '" + sized_[k] + "' is not there after the run");
    return static_cast<double>(file->size);
}

double program_runs::cost_of(const finished_run& run) const
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

bool program_runs::has_looked(std::span<const double> batches) const
{
    return batches.back() <= within_.abandon_above || batches.size() >= within_.max_runs;
}

bool program_runs::abandoned(measurement& out) const
{
    if (!surely_above(seen_, within_.abandon_above)) return false;
    cut_short(out);
    return true;
}

void program_runs::cut_short(measurement& out) const
{
    out.cost = *std::min_element(seen_.begin(), seen_.end());
    out.at_least = true;
    out.runs = static_cast<std::uint32_t>(seen_.size());
}

void program_runs::conclude(measurement& out) const
{
    const estimate found = options_.repetition.estimate_of(out.batches);
    out.cost = within_.only_looks() ? *std::min_element(out.batches.begin(), out.batches.end()) : found.cost;
    out.spread = found.spread;
}

}  // namespace tunekit::measure::detail
