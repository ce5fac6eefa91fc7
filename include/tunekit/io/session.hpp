// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A run that is written down as it goes and can be taken up where it broke off.

#include <sys/stat.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/io/log.hpp"
#include "tunekit/io/read_log.hpp"
#include "tunekit/measure/each.hpp"

namespace tunekit::io {

template <class Clock, class Measurer>
class recorded;

/// Logs every trial of a run the moment it is measured, and answers the trials of an earlier, broken-off run from its log.
///
///     io::session log(path, header, measure::wall_clock{}, {.resume = true});
///     tk::task t("conv1", space, log.record(0, measurer), flops);          // a measurer like any
///     tk::tune_tasks(tasks, strategy, schedule, limit, log.clock(), stop, gen);
///
/// A resumed run proposes again what the broken-off one proposed (same seed, same strategy), is answered from the log
/// without measuring, with the logged stamps as time, and goes on live from the first trial that the log does not have.
/// Time spent between the two runs, and on a trial that was in flight, is not counted. Address-stable: decorators point here.
///
/// The session's clock is the only one the run may read: its first reading is 0, and its readings after each batch are the
/// batch's stamps, in whole nanoseconds so that nothing depends on rounding.
///
/// Errors: tunekit::error, one line: a log that cannot be read or written, one of another run (naming what differs), or a
///         proposal that differs from the logged one. A write that fails later does not throw: `failed()` tells, trials go
///         on unlogged, and the caller's `stop` should end the run.
template <class Clock>
class session {
public:
    struct options {
        bool resume = false;  ///< take up an existing log; a missing one is begun
        log_file::sync sync = log_file::sync::every_second;
    };

    session(const std::string& path, const log_header& header, Clock clock, options opt)
        : clock_(std::move(clock)), past_(opt.resume && exists(path) ? read_log(path) : log_content{}),
          file_(past_.whole_bytes > 0 ? log_file::reopen(path, past_.whole_bytes, opt.sync) : log_file::create(path, opt.sync))
    {
        if (past_.whole_bytes > 0) compare(path, past_.header, header);
        else file_.append(to_line(header));
        if (file_.failed()) throw error(file_.problem());
    }

    session(const session&) = delete;
    session& operator=(const session&) = delete;

    [[nodiscard]] bool failed() const noexcept { return file_.failed(); }
    [[nodiscard]] const std::string& problem() const noexcept { return file_.problem(); }
    [[nodiscard]] std::size_t replayed() const noexcept { return next_; }       ///< trials answered from the log so far
    [[nodiscard]] std::size_t logged() const noexcept { return past_.trials.size(); }  ///< trials that were in the log

    /// `measurer` for task `task`, recorded here.
    template <measure::measurer Measurer>
    [[nodiscard]] recorded<Clock, Measurer> record(std::size_t task, Measurer measurer)
    {
        return recorded<Clock, Measurer>(*this, task, std::move(measurer));
    }

    /// The run's clock.
    [[nodiscard]] auto clock()
    {
        return [this] { return static_cast<double>(stamp()) / 1e9; };
    }

private:
    template <class C, class M>
    friend class recorded;

    [[nodiscard]] static bool exists(const std::string& path)
    {
        struct stat s;
        return ::stat(path.c_str(), &s) == 0;
    }

    static void compare(const std::string& path, const log_header& was, const log_header& is)
    {
        const auto same = [&](bool equal, const std::string& what, const std::string& a, const std::string& b) {
            if (!equal)
                throw error("log " + path + ": was written with " + what + " " + a + ", not " + b +
                            "; resume with the same, or name another file");
        };
        same(was.version == is.version, "tunekit version", was.version, is.version);
        same(was.machine == is.machine, "machine", was.machine, is.machine);
        same(was.seed == is.seed, "seed", std::to_string(was.seed), std::to_string(is.seed));
        same(was.strategy == is.strategy, "strategy", was.strategy, is.strategy);
        same(was.schedule == is.schedule, "schedule", was.schedule, is.schedule);
        same(was.slot_seconds == is.slot_seconds, "slot seconds", std::to_string(was.slot_seconds),
             std::to_string(is.slot_seconds));
        same(was.batch == is.batch, "batch", std::to_string(was.batch), std::to_string(is.batch));
        same(was.tasks.size() == is.tasks.size(), "a number of tasks of", std::to_string(was.tasks.size()),
             std::to_string(is.tasks.size()));
        for (std::size_t k = 0; k < is.tasks.size(); ++k) {
            same(was.tasks[k].name == is.tasks[k].name, "task", was.tasks[k].name, is.tasks[k].name);
            same(was.tasks[k] == is.tasks[k], "another space of task " + is.tasks[k].name + ", of size",
                 std::to_string(was.tasks[k].size), std::to_string(is.tasks[k].size));
        }
    }

    [[nodiscard]] std::int64_t raw() { return std::llround(clock_() * 1e9); }

    /// The logged measurement of the next trial, or nothing once the log is used up.
    [[nodiscard]] const log_trial* replay(std::size_t task, index candidate)
    {
        if (next_ == past_.trials.size()) return nullptr;
        const log_trial& t = past_.trials[next_];
        if (t.task != task || t.candidate != candidate)
            throw error("resume: trial " + std::to_string(next_ + 1) + " of the log is configuration " +
                        std::to_string(t.candidate) + " of task " + past_.header.tasks[t.task].name +
                        ", but this run proposes " + std::to_string(candidate) + " of task " +
                        past_.header.tasks[task].name +
                        "; the seed, the strategy's or schedule's settings, a space or the version changed");
        ++next_;
        now_ = t.stamp_ns.value_or(t.ended_ns);
        return &t;
    }

    void go_live()
    {
        if (live_) return;
        live_ = true;
        epoch_ = raw() - now_;
    }

    /// Writes a trial down; the last of its batch waits for the stamp.
    void write(log_trial t, bool last)
    {
        t.ended_ns = raw() - epoch_;
        if (last) pending_ = std::move(t);
        else file_.append(to_line(t));
    }

    std::int64_t stamp()
    {
        if (!started_) {
            started_ = true;
            epoch_ = raw();
            live_ = past_.trials.empty();
            return 0;
        }
        if (live_) now_ = raw() - epoch_;
        if (pending_) {
            pending_->stamp_ns = now_;
            file_.append(to_line(*pending_));
            pending_.reset();
        }
        return now_;
    }

    Clock clock_;
    log_content past_;
    log_file file_;
    std::size_t next_ = 0;      // trials of the past answered
    std::uint64_t batch_ = 0;   // batches begun
    std::int64_t epoch_ = 0;    // raw time of the run's zero
    std::int64_t now_ = 0;      // last reading
    bool started_ = false;
    bool live_ = false;
    std::optional<log_trial> pending_;
};

/// A measurer whose answers are in a session's log: read from it, or written to it.
template <class Clock, class Measurer>
class recorded {
public:
    [[nodiscard]] std::vector<measure::measurement> measure(std::span<const index> batch, const measure::limits& limits)
    {
        std::vector<measure::measurement> out;
        const std::uint64_t number = session_->batch_++;
        while (out.size() < batch.size()) {
            const log_trial* t = session_->replay(task_, batch[out.size()]);
            if (t == nullptr) break;
            out.push_back(t->measured);
        }
        if (out.size() == batch.size()) return out;
        session_->go_live();
        measure::measure_each(measurer_, batch.subspan(out.size()), limits, [&](measure::measurement m) {
            session_->write({.task = task_, .batch = number, .candidate = batch[out.size()], .limits = limits, .measured = m},
                            out.size() + 1 == batch.size());
            out.push_back(std::move(m));
        });
        return out;
    }

private:
    friend session<Clock>;
    recorded(session<Clock>& s, std::size_t task, Measurer m) : session_(&s), task_(task), measurer_(std::move(m)) {}

    session<Clock>* session_;
    std::size_t task_;
    Measurer measurer_;
};

}  // namespace tunekit::io
