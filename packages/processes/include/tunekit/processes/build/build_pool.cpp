// SPDX-License-Identifier: MIT
#include "tunekit/processes/build/build_pool.hpp"

#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/system/files.hpp"

namespace tunekit::measure::detail {

namespace {

std::size_t spare_processors() noexcept
{
    const long n = ::sysconf(_SC_NPROCESSORS_ONLN);
    return n > 2 ? static_cast<std::size_t>(n - 1) : 1;
}

/// Is called after a failure whose cause may be the machine. Throws tunekit::error, with the messages of that failure,
/// where a harmless source fails too.
void try_harmless(const toolchain& tools, const source& failed, const child_process& process,
                  const std::string& scratch)
{
    constexpr double harmless_seconds = 30;
    const std::string stem = scratch + "/harmless";
    const source what = tools.harmless(failed);
    std::vector<build_job> unit;
    unit.push_back({tools.key(what, "kernel"), what, "kernel"});
    auto again = tools.start(unit, stem, scratch);
    static_cast<void>(again.await(harmless_seconds));
    again.end();
    const std::string object = stem + tools.suffix();
    const auto bytes = bytes_of(object);
    const bool good = again.status() == 0 && bytes && !bytes->empty();
    ::unlink(object.c_str());
    ::unlink((stem + ".cpp").c_str());
    if (good) return;
    throw error("builder: not even an empty source is compiled any more, in '" + tools.built().directory() + "': " +
                tools.refused(process).message + "; want a compiler that works, with room there and memory to run in");
}

}  // namespace

build_place::build_place(const std::string& named)
    : own_(named.empty() ? temporary_directory::fresh("tunekit-builder-", "builder") : temporary_directory()),
      name_(named.empty() ? own_.name() : no_option(named))
{
    claim_folder(name_, "builder");
    if (system::detail::runs_nothing(name_))
        throw error("builder: the file system of '" + name_ +
                    "' is mounted noexec, so nothing built there can be loaded; want one elsewhere: name it, or "
                    "set TMPDIR");
    if (!named.empty()) temporary_directory::sweep(name_ + "/building-");
}

failure refusal(const child_process& process, std::size_t from)
{
    const std::string text = process.text();
    std::string line;
    for (std::size_t i = from; i < text.size() && line.size() < 600; ++i) {
        if (text[i] == '\n') {
            line += i + 1 < text.size() ? " | " : "";
        } else {
            line += text[i];
        }
    }
    if (line.empty()) line = "the compiler said nothing";
    if (const int status = process.status(); WIFSIGNALED(status))
        line += "; the compiler was ended by signal " + std::to_string(WTERMSIG(status));
    return {failure_kind::build_error, 0, std::move(line)};
}

build_queue::build_queue(std::size_t processes, const std::string& place)
    : processes_(processes != 0 ? processes : spare_processors()), scratch_(place + "/building-")
{
}

void build_queue::submit(const toolchain& tools, const std::vector<source>& sources, std::string_view entry,
                         double seconds)
{
    std::vector<build_job> wanted;
    for (const source& s : sources) {
        build_job j{tools.key(s, entry), s, std::string(entry), seconds};
        const auto known = known_.find(j.key);
        if (known != known_.end()) {
            state& k = known->second;
            const bool again = k.done && k.result.failed && k.result.failed->kind == failure_kind::build_timeout &&
                               seconds > k.seconds;
            k.result.seconds = k.done ? 0 : k.result.seconds;
            if (!again) continue;
            known_.erase(known);
        }
        const auto there = tools.built().find(j.key);
        known_[j.key] = {there.has_value(), seconds, {.shared = there && there->shared}};
        if (!there) wanted.push_back(std::move(j));
    }
    const std::size_t share = (wanted.size() + processes_ - 1) / processes_;
    const std::size_t most = (std::max)((std::min)(share, tools.together()), std::size_t{1});
    while (!wanted.empty()) {  // groups of sources that are alike, in the order asked for
        std::vector<build_job> unit;
        std::vector<build_job> rest;
        for (build_job& j : wanted) {
            const bool fits = unit.empty() || (unit.size() < most && tools.alike(unit.front().what, j.what));
            (fits ? unit : rest).push_back(std::move(j));
        }
        queue_.push_back(std::move(unit));
        wanted = std::move(rest);
    }
    advance(tools);
}

void build_queue::submit_alone(const toolchain& tools, const source& s, std::string_view entry, double seconds)
{
    std::vector<build_job> unit;
    unit.push_back({tools.key(s, entry), s, std::string(entry), seconds});
    known_[unit.front().key] = {false, seconds, {}};
    queue_.insert(queue_.begin(), std::move(unit));
    advance(tools);
}

build_outcome build_queue::wait(const toolchain& tools, const std::string& key)
{
    const auto at = known_.find(key);
    if (at == known_.end()) invalid("builder.wait: a key that was not submitted, want one that was");
    while (!at->second.done) {
        if (queue_.empty() && running_.empty()) throw error("builder.wait: a build was lost to an earlier error");
        turn(tools, true);
    }
    return at->second.result;
}

std::optional<build_outcome> build_queue::result(const std::string& key)
{
    const auto at = known_.find(key);
    if (at == known_.end() || !at->second.done) return std::nullopt;
    build_outcome out = at->second.result;
    at->second.result.seconds = 0;
    return out;
}

void build_queue::watch(poll_set& events) const
{
    for (const running& r : running_) {
        if (r.process.news() >= 0) events.add(r.process.news());
        else events.by(now_() + 1e-3);  // it has closed its output and is about to end
        events.by(r.start + r.unit.front().seconds);
    }
}

void build_queue::turn(const toolchain& tools, bool patient)
{
    for (;;) {
        while (running_.size() < processes_ && !queue_.empty()) start(tools);
        bool news = false;
        for (std::size_t i = 0; i < running_.size();) {
            running& r = running_[i];
            const bool ended = r.process.advance();
            if (!ended && now_() < r.start + r.unit.front().seconds) {
                ++i;
                continue;
            }
            running over = std::move(r);
            running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
            finish(tools, std::move(over), ended);
            news = true;
        }
        if (news && !patient) continue;  // the next can start
        if (news || !patient) return;
        poll_set events;  // until a compiler writes something, ends, or runs out of time
        events.by(now_() + 1);
        watch(events);
        events.wait(now_());
    }
}

void build_queue::start(const toolchain& tools)
{
    std::vector<build_job> unit = std::move(queue_.front());
    queue_.erase(queue_.begin());
    const std::string stem = scratch_.name() + '/' + std::to_string(started_++);
    const double at = now_();
    auto process = tools.start(unit, stem, scratch_.name());
    running_.push_back({std::move(unit), std::move(process), stem, at});
}

void build_queue::finish(const toolchain& tools, running over, bool ended)
{
    const std::string object = over.stem + tools.suffix();
    const double took = now_() - over.start, seconds = took / static_cast<double>(over.unit.size());
    spent_.all += took;
    if (!ended) spent_.cut_short += took;
    over.process.end();
    const std::optional<std::string> bytes = ended && over.process.status() == 0 ? bytes_of(object) : std::nullopt;
    const bool good = bytes && !bytes->empty();
    if (ended && !good && over.unit.size() == 1 && tools.blames_machine(over.process))
        try_harmless(tools, over.unit.front().what, over.process, scratch_.name());
    for (build_job& j : over.unit) {
        state& k = known_[j.key];
        k.result.seconds += seconds;
        if (good) {
            k.result.shared = over.unit.size() > 1;
            tools.built().publish({*bytes, k.result.shared}, j.key, over.stem + ".whole");
        } else if (over.unit.size() > 1) {
            continue;  // it is built alone later
        } else {
            k.result.failed = ended ? tools.refused(over.process)
                                    : failure{failure_kind::build_timeout, 0,
                                              "was still compiling after " + std::to_string(j.seconds) + " s"};
        }
        k.done = true;
    }
    if (!good && over.unit.size() > 1)
        for (std::size_t i = over.unit.size(); i-- > 0;) {
            std::vector<build_job> alone;
            alone.push_back(std::move(over.unit[i]));
            queue_.insert(queue_.begin(), std::move(alone));
        }
    ::unlink(object.c_str());
    ::unlink((over.stem + ".cpp").c_str());
}

}  // namespace tunekit::measure::detail
