// SPDX-License-Identifier: MIT
#include "tunekit/records/log.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace tunekit::io {

namespace detail {
namespace {

/// Writes one JSON object, member by member. Numbers keep every bit; what JSON cannot say (NaN, infinities) becomes
/// null.
class json_line {
public:
    json_line& member(std::string_view key, double x) { return begin(key), number(x), *this; }
    json_line& member(std::string_view key, std::uint64_t x) { return begin(key), integer(x), *this; }
    json_line& member(std::string_view key, std::int64_t x) { return begin(key), integer(x), *this; }
    json_line& member(std::string_view key, bool x) { return begin(key), text_ += x ? "true" : "false", *this; }
    json_line& member(std::string_view key, std::string_view x) { return begin(key), quoted(x), *this; }
    json_line& member(std::string_view key, const char* x)
    {
        return member(key, std::string_view(x));
    }  // or it would be a bool
    json_line& member(std::string_view key, const std::vector<double>& xs)
    {
        return list(key, xs, [this](double x) { number(x); });
    }
    json_line& member(std::string_view key, const std::vector<std::string>& xs)
    {
        return list(key, xs, [this](const std::string& x) { quoted(x); });
    }
    json_line& member(std::string_view key, const std::vector<std::vector<std::string>>& xs)
    {
        return list(key, xs, [this](const auto& x) { items(x, [this](const std::string& y) { quoted(y); }); });
    }
    /// `json` is JSON text already.
    json_line& member_json(std::string_view key, std::string_view json) { return begin(key), text_ += json, *this; }

    std::string text() const { return text_.empty() ? "{}" : text_ + '}'; }

private:
    template <class T, class Add>
    json_line& list(std::string_view key, const std::vector<T>& xs, Add&& add)
    {
        begin(key);
        items(xs, add);
        return *this;
    }
    template <class T, class Add>
    void items(const std::vector<T>& xs, Add&& add)
    {
        text_ += '[';
        for (std::size_t i = 0; i < xs.size(); ++i) {
            if (i != 0) text_ += ',';
            add(xs[i]);
        }
        text_ += ']';
    }
    void begin(std::string_view key)
    {
        text_ += text_.empty() ? '{' : ',';
        quoted(key);
        text_ += ':';
    }
    void number(double x)
    {
        if (!std::isfinite(x)) {
            text_ += "null";
            return;
        }
        if (x == 0 && std::signbit(x)) {
            text_ += "-0.0";  // "-0" would be read as an integer, without its sign
            return;
        }
        char buffer[32];
        text_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr);
    }
    template <class Integer>
    void integer(Integer x)
    {
        char buffer[24];
        text_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr);
    }
    void quoted(std::string_view s)
    {
        static constexpr char digits[] = "0123456789abcdef";
        text_ += '"';
        for (const char c : s) {
            const auto u = static_cast<unsigned char>(c);
            if (c == '"' || c == '\\') {
                text_ += '\\';
                text_ += c;
            } else if (u < 0x20 ||
                       u >= 0x7f) {  // foreign bytes as Latin-1: a compiler's message must not make a line unreadable
                text_ += "\\u00";
                text_ += digits[u >> 4];
                text_ += digits[u & 15];
            } else {
                text_ += c;
            }
        }
        text_ += '"';
    }

    std::string text_;
};

/// A stamp as a trial's line has it.
std::int64_t nanoseconds(double stamp)
{
    constexpr double largest = 9.2e18;
    return static_cast<std::int64_t>(stamp * 1e9 < largest ? stamp * 1e9 : largest);
}

/// A time as a line has it: what is not a time becomes null there.
double time_or_none(double seconds) { return seconds >= 0 ? seconds : std::numeric_limits<double>::quiet_NaN(); }

/// The JSON of limits.
std::string to_json(const measure::limits& l)
{
    json_line line;
    line.member("abandon_above", l.abandon_above).member("run_s", l.run_seconds).member("build_s", l.build_seconds);
    if (l.abandon_factor < std::numeric_limits<double>::infinity()) line.member("abandon_factor", l.abandon_factor);
    return line.text();
}

/// The JSON of a budget; what has no limit is null.
std::string to_json(const log_content::budget& b)
{
    const auto number = [](std::uint64_t x) { return x == unlimited ? "null" : std::to_string(x); };
    return json_line()
        .member_json("trials", number(b.trials))
        .member_json("patience", number(b.patience))
        .member_json("workers_per_task", number(b.workers_per_task))
        .text();
}

std::string to_json(const log_content::about& a)
{
    json_line line;
    line.member("title", a.title).member("unit", a.unit).member("maximize", a.maximize);
    if (a.untuned) line.member("untuned", *a.untuned);
    if (a.never_worse) line.member("never_worse", true);
    line.member("values", a.values);
    if (!a.goals.empty()) line.member("goals", a.goals);
    if (!a.space.empty()) line.member_json("space", a.space);
    return line.text();
}

/// The text of a line with a trial behind what it has, with the trial's limits where it has some: what was known before
/// has none, nor has the last comparison.
std::string trial_line(json_line line, const log_content::trial& t, bool limited)
{
    line.member("task", t.task).member("batch", t.batch).member("index", t.candidate);
    if (!t.values.empty()) line.member("values", t.values);
    if (limited) line.member_json("limits", to_json(t.limits));
    const auto& m = t.measured;
    std::vector<double> batches = m.batches;
    for (double& x : batches) x = time_or_none(x);
    line.member("cost", m.cost > 0 ? m.cost : std::numeric_limits<double>::quiet_NaN());
    line.member("spread", time_or_none(m.spread)).member("runs", std::uint64_t{m.runs});
    line.member("at_least", m.at_least).member("build_s", time_or_none(m.build_seconds));
    line.member("run_s", time_or_none(m.run_seconds));
    if (m.failed)
        line.member_json("failed", json_line()
                                       .member("kind", to_text(m.failed->kind))
                                       .member("code", std::int64_t{m.failed->code})
                                       .member("message", m.failed->message)
                                       .text());
    line.member("batches", batches);
    if (m.values.size() != 0) line.member("measured", std::vector<double>(m.values.begin(), m.values.end()));
    if (m.checked == measure::check_state::ok) line.member("checked", "ok");
    line.member("ended_ns", t.ended_ns);
    if (t.stamp_ns) line.member("stamp_ns", *t.stamp_ns);
    return line.text();
}

}  // namespace
}  // namespace detail

std::string log_content::head::line() const
{
    std::string entries = "[";
    for (const auto& t : tasks) {
        if (entries.size() > 1) entries += ',';
        detail::json_line one;
        one.member("name", t.name).member("size", t.size).member("fingerprint", t.fingerprint);
        if (!t.parameters.empty()) one.member("parameters", t.parameters);
        if (t.flops > 0) one.member("flops", t.flops).member("weight", t.weight);
        entries += one.text();
    }
    detail::json_line out;
    out.member("tunekit_log", std::int64_t{schema})
        .member("version", version)
        .member("machine", machine)
        .member("seed", seed)
        .member("strategy", strategy)
        .member("schedule", schedule)
        .member("seconds", seconds)
        .member("slot_seconds", slot_seconds)
        .member("batch", batch);
    if (schema == of_events) out.member("workers", workers).member_json("budget", detail::to_json(budget));
    if (!value_names.empty()) out.member("measured", value_names);
    if (!objective.empty()) out.member("objective", objective);
    if (meaning != log_content::meaning{}) {
        detail::json_line told;
        for (const detail::meaning_member& m : detail::meaning_members)
            if (!(meaning.*m.at).empty()) told.member(m.name, meaning.*m.at);
        out.member_json("meaning", told.text());
    }
    if (about != log_content::about{}) out.member_json("about", detail::to_json(about));
    return out.member_json("tasks", entries + ']').text();
}

std::string log_content::trial::line() const { return detail::trial_line({}, *this, true); }

std::string log_content::event::line() const
{
    const auto number = [](ticket t) { return static_cast<std::uint64_t>(t); };
    if (what == kind::workers) return detail::json_line().member("workers", n).member("stamp_s", stamp).text();
    if (what == kind::budget)
        return detail::json_line().member_json("budget", detail::to_json(budget)).member("stamp_s", stamp).text();
    if (what == kind::checks)
        return detail::json_line()
            .member_json("checks", detail::json_line()
                                       .member("made", checks.made)
                                       .member("disturbed", checks.disturbed)
                                       .member("unsettled", checks.unsettled)
                                       .member("measured_again", checks.measured_again)
                                       .member("waited_s", checks.waited_seconds)
                                       .member("seconds", checks.seconds)
                                       .member("put_off", checks.put_off)
                                       .member("on", checks.on)
                                       .text())
            .member("task", std::uint64_t{jobs.at(0).task})
            .member("stamp_s", stamp)
            .text();
    if (what == kind::ended) {
        detail::json_line out;
        out.member("ended", why);
        if (!verdict.empty()) out.member("verdict", verdict);
        if (seconds_to_separate > 0) out.member("seconds_to_separate", seconds_to_separate);
        return out.member("stamp_s", stamp).text();
    }
    if (what == kind::joined) {
        detail::json_line out;
        out.member("joined", worker).member("host", about.host).member("device", about.device);
        out.member("local_rank", about.local_rank);
        if (const auto& r = about.against_first)
            out.member("against_first", std::vector<double>{r->value, r->low, r->high});
        if (!about.left.empty()) out.member("left", about.left);
        return out.member("stamp_s", stamp).text();
    }
    if (what == kind::drop || what == kind::recall)
        return detail::json_line()
            .member(what == kind::drop ? "drop" : "recall", number(jobs.at(0).ticket))
            .member("task", std::uint64_t{jobs[0].task})
            .member("index", jobs[0].candidate)
            .member("stamp_s", stamp)
            .text();
    const bool known = what == kind::known;
    if (what == kind::tell || known || what == kind::round) {
        const trial told{.task = jobs.at(0).task,
                         .candidate = jobs[0].candidate,
                         .limits = jobs[0].limits,
                         .measured = measured,
                         .ended_ns = detail::nanoseconds(stamp),
                         .stamp_ns = {},
                         .values = values};
        detail::json_line out;
        if (what != kind::tell) out.member(known ? "known" : "round", n);
        else out.member("tell", number(jobs[0].ticket)).member("worker", worker);
        if (!about.device.empty()) out.member("device", about.device);
        out.member("stamp_s", stamp);
        return detail::trial_line(std::move(out), told, what == kind::tell);
    }
    const measure::limits l = jobs.empty() ? measure::limits{} : jobs.front().limits;
    std::string given = "[";
    std::uint64_t carried = 0;
    for (const job& j : jobs) carried += j.carried ? 1 : 0;
    for (const job& j : jobs)
        given += (given.size() > 1 ? ",[" : "[") + std::to_string(number(j.ticket)) + ',' +
                 std::to_string(j.candidate) + ']';
    detail::json_line out;
    out.member("ask", n)
        .member("worker", worker)
        .member("stamp_s", stamp)
        .member("task", std::uint64_t{jobs.empty() ? 0 : jobs.front().task})
        .member_json("jobs", given + ']');
    if (carried > 0) out.member("carried", carried);  // they come first
    return out.member_json("limits", detail::to_json(l)).text();
}

}  // namespace tunekit::io
