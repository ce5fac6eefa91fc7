// SPDX-License-Identifier: MIT
// What becomes of a log when the system, the disk, the memory or somebody else does not do what it should: never a shorter
// log without a word, never another result.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "packages/records/tests/support/faulty_system.hpp"
#include "tests/support/grid_space.hpp"
#include "tests/support/one_worker.hpp"
#include "tests/support/resealed.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/records/read_log.hpp"
#include "tunekit/search/random.hpp"

namespace tk = tunekit;
using faulty::call;
using support::grid_space;
using support::temporary_folder;

namespace {

constexpr std::size_t trials = 9;

std::string text_of(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void put(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

bool begins_with(const std::string& whole, const std::string& part) { return whole.compare(0, part.size(), part) == 0; }

tk::measure::measurement of(tk::index i)
{
    tk::measure::measurement m{.cost = 1e-3 / 3 * static_cast<double>(1 + i % 97), .runs = 3, .run_seconds = 0.1 / 3};
    if (i % 5 == 0) m.failed = tk::measure::failure{tk::measure::failure_kind::crash, 11, "signal 11"};
    return m;
}

auto fresh()
{
    return tk::tuner(grid_space({20, 20}), tk::search::random{}, {.trials = trials}, tk::random::philox(3));
}

tk::io::logged_options how(bool resume, std::uint64_t seed = 3)
{
    return {.name = "a",
            .strategy = "random",
            .machine = "here",
            .seed = seed,
            .resume = resume,
            .sync = tk::io::log_file::sync::every_line};
}

/// What a run came to: its configurations in order, or why it has none.
struct outcome {
    std::vector<tk::index> candidates;
    std::string error;
    bool no_memory = false;
};

template <class Between>
outcome run(const std::string& path, bool resume, Between&& between)
{
    outcome out;
    try {
        tk::io::logged log(path, fresh(), how(resume));
        while (auto j = log.ask()) {
            log.tell(*j, of(j->candidate));
            between(log);
        }
        if (log.failed()) out.error = log.problem();
        for (const auto& t : log.record().trials()) out.candidates.push_back(t.candidate);
    } catch (const std::bad_alloc&) {
        out.no_memory = true;
    } catch (const tk::error& e) {
        out.error = e.what();
    }
    return out;
}

outcome run(const std::string& path, bool resume)
{
    return run(path, resume, [](const auto&) {});
}

std::size_t end_of_line(const std::string& text, int n)
{
    std::size_t at = 0;
    for (int k = 0; k < n; ++k) at = text.find('\n', at) + 1;
    return at;
}

constexpr std::pair<call, const char*> calls[] = {{call::open, "open"},
                                                  {call::lock, "lock"},
                                                  {call::read, "read"},
                                                  {call::write, "write"},
                                                  {call::short_write, "short write"},
                                                  {call::sync, "sync"},
                                                  {call::cut, "cut"},
                                                  {call::allocate, "allocation"}};

}  // namespace

TEST_CASE(
    "whichever call of a run fails, its log is a prefix of an undisturbed one, the error names it, and it is taken up "
    "to the same end")
{
    const temporary_folder f;
    const outcome plain = run(f / "whole", false);
    REQUIRE(plain.candidates.size() == trials);
    const std::string whole = text_of(f / "whole");
    const std::string path = f / "log";
    for (const auto& one : calls) {
        const call which = one.first;
        const std::string name = one.second;
        CAPTURE(name);
        int n = 1;
        for (bool came = true; came; ++n) {
            CAPTURE(n);
            std::remove(path.c_str());
            outcome found;
            {
                const faulty::nth fault(which, n);
                found = run(path, false);
                came = faulty::nth::came();
            }
            const std::string left = text_of(path);
            CHECK(begins_with(whole, left));
            const bool told = !found.error.empty() || found.no_memory;
            if (!told) CHECK(found.candidates == plain.candidates);
            if (!found.error.empty()) CHECK(found.error.find(path) != std::string::npos);
            if (found.no_memory) CHECK(which == call::allocate);
            const outcome again = run(path, true);
            CHECK(again.error == "");
            CHECK(again.candidates == plain.candidates);
        }
        if (which != call::cut) CHECK(n > 2);  // a new log cuts nothing
    }
}

TEST_CASE("whichever call of a resumed run fails, no whole line is lost")
{
    const temporary_folder f;
    const outcome plain = run(f / "whole", false);
    const std::string whole = text_of(f / "whole");
    const std::size_t kept = end_of_line(whole, 9);  // in between: five trials of nine are lines 2 to 11
    const std::string path = f / "log";
    for (const auto& one : calls) {
        const call which = one.first;
        const std::string name = one.second;
        CAPTURE(name);
        int n = 1;
        for (bool came = true; came; ++n) {
            CAPTURE(n);
            put(path, whole.substr(0, kept + 40));  // with a torn line
            outcome found;
            {
                const faulty::nth fault(which, n);
                found = run(path, true);
                came = faulty::nth::came();
            }
            const std::string left = text_of(path);
            CAPTURE(found.error);
            CAPTURE(left.size());
            CHECK(begins_with(left, whole.substr(0, kept)));
            if (!found.error.empty()) CHECK(found.error.find(path) != std::string::npos);
            if (found.error.empty() && !found.no_memory) CHECK(found.candidates == plain.candidates);
            const outcome again = run(path, true);
            CHECK(again.error == "");
            CHECK(again.candidates == plain.candidates);
        }
        CHECK(n > 2);
    }
}

TEST_CASE("a process that dies before any of its calls leaves a log that is taken up to the same end")
{
    const temporary_folder f;
    const outcome plain = run(f / "whole", false);
    const std::string whole = text_of(f / "whole"), path = f / "log";
    bool died = true;
    int n = 1;
    for (; died; ++n) {
        CAPTURE(n);
        std::remove(path.c_str());
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            faulty::die_at(n);
            (void)run(path, false);
            faulty::die_at(0);
            ::_exit(0);
        }
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        died = WIFSIGNALED(status);
        CHECK(begins_with(whole, text_of(path)));
        const outcome again = run(path, true);
        CHECK(again.error == "");
        CHECK(again.candidates == plain.candidates);
    }
    CHECK(n > 2 * static_cast<int>(trials));
}

TEST_CASE("a read error is an error, not the end of the log")
{
    const temporary_folder f;
    (void)run(f / "log", false);
    const std::string whole = text_of(f / "log");
    {
        const faulty::nth fault(call::read, 1);
        CHECK_THROWS_WITH_AS((void)tk::io::read_log(f / "log"), doctest::Contains("/log: cannot be read: Input/output"),
                             tk::error);
    }
    outcome resumed;
    {
        const faulty::nth fault(call::read, 1);
        resumed = run(f / "log", true);
    }
    CHECK(resumed.error == "tunekit: log " + (f / "log") + ": cannot be read: Input/output error; nothing was changed");
    CHECK(text_of(f / "log") == whole);
}

TEST_CASE("a log is read under its lock: what another process wrote until then is taken up, not cut off")
{
    const temporary_folder f;
    const outcome plain = run(f / "whole", false);
    const std::string whole = text_of(f / "whole");
    const std::size_t half = end_of_line(whole, 6);
    put(f / "log", whole.substr(0, half));
    const faulty::before_lock other([&] { put(f / "log", whole); });
    const outcome found = run(f / "log", true);
    CHECK(found.error == "");
    CHECK(found.candidates == plain.candidates);
    CHECK(text_of(f / "log") == whole);
}

TEST_CASE("a log that is replaced while it is opened is not taken up")
{
    const temporary_folder f;
    (void)run(f / "log", false);
    const std::string whole = text_of(f / "log");
    put(f / "other", whole);
    const faulty::before_lock other([&] { (void)std::rename((f / "other").c_str(), (f / "log").c_str()); });
    CHECK(run(f / "log", true).error ==
          "tunekit: log " + (f / "log") + ": was replaced while it was opened; try again");
    CHECK(text_of(f / "log") == whole);
}

TEST_CASE("a refused resume leaves every byte, a torn last line too")
{
    const temporary_folder f;
    (void)run(f / "log", false);
    const std::string torn = text_of(f / "log") + "{\"ask\":1,\"wor";
    put(f / "log", torn);
    CHECK_THROWS_WITH_AS(tk::io::logged(f / "log", fresh(), how(true, 4)), doctest::Contains("with seed 3, not 4"),
                         tk::error);
    const auto other = [] {
        return tk::tuner(grid_space({20, 20}), tk::search::random{}, {.trials = trials}, tk::random::philox(4));
    };
    CHECK_THROWS_WITH_AS(tk::io::logged(f / "log", other(), how(true)), doctest::Contains("began with configuration"),
                         tk::error);
    CHECK(text_of(f / "log") == torn);
    CHECK(run(f / "log", true).error == "");
    CHECK(torn.find(text_of(f / "log")) == 0);
}

TEST_CASE("an empty log and one with a torn first line are begun anew; other text is not touched")
{
    const temporary_folder f;
    const outcome plain = run(f / "whole", false);
    const std::string whole = text_of(f / "whole"), path = f / "log";
    for (const std::size_t cut : {std::size_t{0}, std::size_t{1}, std::size_t{9}, whole.find('\n')}) {
        CAPTURE(cut);
        put(path, whole.substr(0, cut));
        CHECK(run(path, true).candidates == plain.candidates);
        CHECK(text_of(path) == whole);
    }
    put(path, "my diary");
    CHECK(run(path, true).error ==
          "tunekit: log " + path + ": has no whole line and is not the beginning of a log; name another file");
    CHECK(text_of(path) == "my diary");
}

TEST_CASE(
    "a log that is deleted, cut, replaced or written to while the run goes on is saved beside it, and the run ends")
{
    struct attack {
        const char* what;
        void (*happen)(const std::string& path);
    };
    const attack attacks[] = {
        {"was deleted", [](const std::string& p) { std::remove(p.c_str()); }},
        {"was truncated", [](const std::string& p) { (void)!::truncate(p.c_str(), 100); }},
        {"was replaced",
         [](const std::string& p) {
             put(p + ".new", "{}\n");
             (void)std::rename((p + ".new").c_str(), p.c_str());
         }},
        {"was replaced",
         [](const std::string& p) {
             (void)std::rename(p.c_str(), (p + ".old").c_str());
             put(p, text_of(p + ".old"));
         }},
        {"was written to by somebody else", [](const std::string& p) { std::ofstream(p, std::ios::app) << "x"; }},
    };
    const temporary_folder f;
    const outcome plain = run(f / "whole", false);
    for (std::size_t k = 0; k < std::size(attacks); ++k) {
        CAPTURE(k);
        const std::string path = f / ("log" + std::to_string(k));
        int told = 0;
        const outcome found = run(path, false, [&](const auto&) {
            if (++told == 4) attacks[k].happen(path);
        });
        CHECK(found.candidates.size() == 4);  // noticed by the next ask, which then goes to nobody
        CHECK(found.error == "log " + path + ": " + attacks[k].what + " while the run went on; its lines are in " +
                                 path + ".saved: move that to its place and resume");
        CHECK(std::rename((path + ".saved").c_str(), path.c_str()) == 0);
        const outcome again = run(path, true);
        CHECK(again.error == "");
        CHECK(again.candidates == plain.candidates);
    }
}

TEST_CASE("answers that were out when the log was lost are in what is saved, whose name is a free one")
{
    const temporary_folder f;
    const std::string path = f / "log";
    put(path + ".saved", "somebody's");
    {
        tk::io::logged log(path, fresh(), how(false));
        const auto a = *log.ask(), b = *log.ask();
        std::remove(path.c_str());
        log.tell(a, of(a.candidate));
        CHECK(log.failed());
        CHECK_FALSE(log.over());
        CHECK(log.ask(1).empty());
        log.tell(b, of(b.candidate));
        CHECK(log.over());
        CHECK_FALSE(log.look());
    }
    CHECK(text_of(path + ".saved") == "somebody's");
    CHECK(tk::io::read_log(path + ".saved2").trials.size() == 2);
}

TEST_CASE("a log that is deleted at the very end is told in one call too, and one that is whole is not")
{
    const temporary_folder f;
    const std::string path = f / "log";
    struct last_deletes {
        std::string path;
        std::size_t left = trials;
        std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
        {
            std::vector<tk::measure::measurement> out;
            for (const auto i : batch) out.push_back(of(i));
            if ((left -= batch.size()) == 0 && !path.empty()) std::remove(path.c_str());
            return out;
        }
    };
    const auto tuned = [&](const std::string& log, const std::string& victim) {
        return tk::io::logged_run(log, grid_space({20, 20}), last_deletes{victim}, tk::search::random{},
                                  {.trials = trials}, how(false));
    };
    CHECK(tuned(f / "good", "").trials().size() == trials);
    CHECK_THROWS_WITH_AS((void)tuned(path, path), doctest::Contains("was deleted while the run went on"), tk::error);
    CHECK(tk::io::read_log(path + ".saved").trials.size() == trials);
}

TEST_CASE("a pool is not waited for once the log cannot be written")
{
    const temporary_folder f;
    struct in_memory {
        std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
        {
            std::vector<tk::measure::measurement> out;
            for (const auto i : batch) out.push_back(of(i));
            return out;
        }
    };
    for (int n = 2; n < 8; ++n) {
        const std::string path = f / std::to_string(n);
        in_memory measurer;
        support::one_worker pool(measurer);
        const faulty::nth fault(call::write, n);
        std::string said;
        try {
            (void)tk::io::logged_run(path, grid_space({20, 20}), pool, tk::search::random{}, {.trials = trials},
                                     how(false));
        } catch (const tk::error& e) {
            said = e.what();
        }
        CHECK(said == "tunekit: log " + path +
                          ": Input/output error; everything before this line is kept, make room and resume");
    }
}

TEST_CASE("while a pool waits for long, a log that is lost is noticed before its next line")
{
    const temporary_folder f;
    const std::string path = f / "log";
    /// One worker that takes two waits for each job; somebody deletes the log in the first.
    struct slow {
        std::string victim;
        std::vector<tk::job> out{};
        std::size_t waits = 0, given = 0;
        [[nodiscard]] std::size_t workers() const { return 1; }
        [[nodiscard]] std::size_t room() const { return 2 - out.size(); }
        [[nodiscard]] double now() const { return static_cast<double>(waits); }
        void submit(const tk::job& j)
        {
            out.push_back(j);
            ++given;
        }
        std::vector<tk::answer> collect(double)
        {
            std::remove(victim.c_str());
            if (++waits % 2 == 1 || out.empty()) return {};
            const tk::job j = out.front();
            out.erase(out.begin());
            return {{.ticket = j.ticket, .measured = of(j.candidate)}};
        }
    };
    static_assert(tk::pool<slow>);
    slow pool{path};
    tk::io::logged log(path, fresh(), how(false));
    tk::tune(log, pool);
    CHECK(log.problem().find("was deleted while the run went on") != std::string::npos);
    CHECK(pool.given == 2);  // and nothing more goes out
    CHECK(log.record().trials().size() == 2);
    CHECK(tk::io::read_log(path + ".saved").trials.size() == 2);
}

TEST_CASE("lines are synced at most once a second, or each of them")
{
    using sync = tk::io::log_file::sync;
    const auto at_least = [](sync when, int n, long& seconds) {
        const temporary_folder f;
        const faulty::nth fault(call::sync, n);
        struct timespec a, b;
        ::clock_gettime(CLOCK_MONOTONIC, &a);
        auto file = tk::io::log_file::create(f / "log", when);
        for (int line = 0; line < 200; ++line) file.append("{\"line\":" + std::to_string(line) + "}");
        ::clock_gettime(CLOCK_MONOTONIC, &b);
        seconds = b.tv_sec - a.tv_sec;
        return faulty::nth::came();
    };
    long seconds = 0;
    CHECK(at_least(sync::every_line, 200, seconds));
    CHECK(at_least(sync::every_second, 1, seconds));
    const bool often = at_least(sync::every_second, 100, seconds);
    CHECK((!often || seconds > 90));
}

TEST_CASE("no flipped bit of a log is believed")
{
    const temporary_folder f;
    (void)run(f / "log", false);
    const std::string whole = text_of(f / "log");
    const auto read = tk::io::detail::parse_log(whole, "log");
    CHECK(read.note == "");
    std::size_t refused = 0;
    for (std::size_t at = 0; at + 1 < whole.size(); ++at) {
        std::string text = whole;
        text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << at % 8));
        try {
            (void)tk::io::detail::parse_log(text, "log");
        } catch (const tk::error&) {
            ++refused;
        }
    }
    CHECK(refused == whole.size() - 1);  // the last line's end makes that line a torn one
}

TEST_CASE(
    "line ends of Windows leave a log its checksums: it is read and gone on with, and no changed number is believed")
{
    const temporary_folder f;
    const outcome plain = run(f / "whole", false);
    std::string text = text_of(f / "whole");
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.insert(at, 1, '\r');
    const auto read = tk::io::detail::parse_log(text, "log");
    CHECK(read.trials.size() == trials);
    CHECK(read.note.empty());
    for (std::size_t at = text.find("\"cost\":"); at != std::string::npos; at = text.find("\"cost\":", at + 1)) {
        std::string changed = text;
        char& digit = changed[at + 8];
        digit = digit == '1' ? '2' : '1';
        CHECK_THROWS_WITH_AS((void)tk::io::detail::parse_log(changed, "log"),
                             doctest::Contains("its checksum is another one"), tk::error);
    }
    put(f / "log", text.substr(0, end_of_line(text, 7)));
    CHECK(run(f / "log", true).candidates == plain.candidates);
    CHECK(tk::io::detail::parse_log(text_of(f / "log"), "log").trials.size() == trials);
}

TEST_CASE(
    "a log whose line ends became those of Windows keeps its checksums: it is taken up, and no flipped bit of it is "
    "believed")
{
    const temporary_folder f;
    const outcome plain = run(f / "whole", false);
    const std::string whole = text_of(f / "whole");
    std::string crlf;
    for (const char c : whole) (crlf += c == '\n' ? "\r" : "") += c;
    const auto read = tk::io::detail::parse_log(crlf, "log");
    CHECK(read.note == "");
    CHECK(read.trials.size() == trials);
    std::size_t refused = 0;
    for (std::size_t at = 0; at + 2 < crlf.size(); ++at) {
        std::string text = crlf;
        text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << at % 8));
        try {
            (void)tk::io::detail::parse_log(text, "log");
        } catch (const tk::error&) {
            ++refused;
        }
    }
    CHECK(refused == crlf.size() - 2);  // the last line's end makes that line a torn one
    std::size_t kept = 0;
    for (int line = 0; line < 7; ++line) kept = crlf.find('\n', kept) + 1;
    put(f / "log", crlf.substr(0, kept));
    CHECK(run(f / "log", true).candidates == plain.candidates);
}

TEST_CASE("a log without checksums is read with a word about it, and gone on with as it is")
{
    const temporary_folder f;
    const outcome plain = run(f / "whole", false);
    const std::string whole = text_of(f / "whole");
    std::string old;
    for (std::size_t at = 0, end = 0; (end = whole.find('\n', at)) != std::string::npos; at = end + 1)
        old += whole.substr(at, end - at - tk::io::detail::seal_size) + "}\n";
    const auto read = tk::io::detail::parse_log(old, "old.jsonl");
    CHECK(read.trials.size() == trials);
    CHECK(read.note ==
          "log old.jsonl: has no checksums, as older versions wrote it; a changed number would not be noticed");
    put(f / "log", old.substr(0, end_of_line(old, 7)));
    CHECK(run(f / "log", true).candidates == plain.candidates);
    CHECK(text_of(f / "log") == old);
    const std::string mixed = whole.substr(0, end_of_line(whole, 3)) + old.substr(end_of_line(old, 3));
    CHECK_THROWS_WITH_AS((void)tk::io::detail::parse_log(mixed, "m"),
                         doctest::Contains("line 4: has no checksum, but the first"), tk::error);
}

TEST_CASE("numbers out of range or of another kind are refused by line and name")
{
    const temporary_folder f;
    (void)run(f / "log", false);
    const std::string whole = text_of(f / "log");
    struct wrong {
        const char* name;
        const char* value;
    };
    const wrong all[] = {{"seed", "-1"},
                         {"seed", "18446744073709551616"},
                         {"tunekit_log", "1.9"},
                         {"tunekit_log", "4294967297"},
                         {"seconds", "-1"},
                         {"slot_seconds", "-1e300"},
                         {"workers", "0"},
                         {"workers", "18446744073709551615"},
                         {"fingerprint", "1.5"},
                         {"size", "-1"},
                         {"stamp_s", "-1"},
                         {"stamp_s", "null"},
                         {"worker", "-1"},
                         {"task", "-0.5"},
                         {"task", "1"},
                         {"index", "-1"},
                         {"index", "2.9"},
                         {"index", "400"},
                         {"abandon_above", "-1"},
                         {"run_s", "\"1\""},
                         {"cost", "-1"},
                         {"cost", "0"},
                         {"cost", "1e999"},
                         {"cost", "true"},
                         {"spread", "-1"},
                         {"runs", "-1"},
                         {"runs", "1099511627776"},
                         {"build_s", "-1e300"},
                         {"ended_ns", "1e300"},
                         {"ended_ns", "9223372036854775808"},
                         {"at_least", "1"},
                         {"batches", "[-1]"},
                         {"batches", "{}"},
                         {"tell", "18446744073709551616"},
                         {"ask", "0"}};
    for (const wrong& one : all) {
        const char *const name = one.name, *const value = one.value;
        CAPTURE(name);
        CAPTURE(value);
        std::string text = whole;
        const std::string key = '"' + std::string(name) + "\":";
        std::size_t at = text.find(key);
        if (std::string(name) == "cost")  // of one that did not fail
            while (text.substr(text.rfind('\n', at) + 1, text.find('\n', at) - text.rfind('\n', at)).find("failed") !=
                   std::string::npos)
                at = text.find(key, at + 1);
        REQUIRE(at != std::string::npos);
        at += key.size();
        const std::size_t end = text[at] == '[' ? text.find(']', at) + 1 : text.find_first_of(",}", at);
        text.replace(at, end - at, value);
        std::string said;
        try {
            (void)tk::io::detail::parse_log(support::resealed(text), "log");
        } catch (const tk::error& e) {
            said = e.what();
        }
        CHECK(said.find("log log, line ") != std::string::npos);
        if (std::string(value) != "1e999" && std::string(name) != "tunekit_log" && std::string(name) != "ask")
            CHECK(said.find(name) != std::string::npos);
    }
    std::string twice = whole;
    twice.insert(twice.find("\"seed\""), "\"seed\":3,");
    CHECK_THROWS_WITH_AS((void)tk::io::detail::parse_log(support::resealed(twice), "log"),
                         doctest::Contains("line 1: seed stands twice"), tk::error);
    const std::string deep = "{\"tunekit_log\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}\n";
    CHECK_THROWS_WITH_AS((void)tk::io::detail::parse_log(deep, "log"), doctest::Contains("is nested deeper than 64"),
                         tk::error);
}

TEST_CASE("what a measurer may say reads back, whatever it is")
{
    constexpr double inf = std::numeric_limits<double>::infinity();
    const temporary_folder f;
    const std::vector<double> odd = {-1, 0, inf, -inf, std::nan(""), 5e-324, 1e308};
    {
        tk::io::logged log(f / "log", fresh(), how(false));
        for (const double x : odd) {
            const auto j = *log.ask();
            log.tell(
                j,
                {.cost = x, .spread = x, .build_seconds = x, .run_seconds = x, .batches = {x, x}, .values = {x, 1, x}},
                log.stamp() + 1);
        }
    }
    tk::io::logged again(f / "log", fresh(), how(true));
    REQUIRE(again.replayed() == odd.size());
    for (std::size_t i = 0; i < odd.size(); ++i)
        CHECK(again.record().trials()[i].measured.ok() == (std::isfinite(odd[i]) && odd[i] > 0));
    for (std::size_t i = 0; i < odd.size(); ++i) {
        const auto& values = again.record().trials()[i].measured.values;
        REQUIRE(values.size() == 3);
        CHECK((std::isfinite(odd[i]) ? values[0] == odd[i] : std::isnan(values[0])));
        CHECK(values[1] == 1);
    }
}

TEST_CASE("folders, pipes, devices and links to nothing are no logs, and none of them is waited for")
{
    const temporary_folder f;
    REQUIRE(::mkfifo((f / "pipe").c_str(), 0600) == 0);
    REQUIRE(::symlink((f / "nothing").c_str(), (f / "link").c_str()) == 0);
    REQUIRE(::mkdir((f / "folder").c_str(), 0700) == 0);
    const auto said = [](const std::string& path, bool resume) { return run(path, resume).error; };
    for (const bool resume : {false, true}) {
        CHECK(said(f / "pipe", resume) == "tunekit: log " + (f / "pipe") + ": is a pipe, want a regular file");
        CHECK(said(f / "folder", resume) == "tunekit: log " + (f / "folder") + ": is a folder, want a regular file");
        for (const std::string device : {"/dev/null", "/dev/zero", "/dev/full"})
            CHECK(said(device, resume) == "tunekit: log " + device + ": is a device, want a regular file");
    }
    CHECK(said(f / "link", false) ==
          "tunekit: log " + (f / "link") + ": is a link to nothing; remove it, or name another file");
    CHECK_THROWS_WITH_AS((void)tk::io::read_log(f / "pipe"), doctest::Contains("is a pipe"), tk::error);
    CHECK_THROWS_WITH_AS((void)tk::io::read_log("/dev/zero"), doctest::Contains("is a device"), tk::error);
}
