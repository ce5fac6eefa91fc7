// SPDX-License-Identifier: MIT
// Files that are not as they were written: logs after surgery, hostile texts for every reader, winners whose writers are killed, are
// several users, or have no locks. `--tenth` takes a tenth of the operations.
#include <doctest/doctest.h>
#include <csignal>

#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/targets.hpp"
#include "tests/support/attacks.hpp"
#include "tests/support/grid_space.hpp"
#include "tests/support/resealed.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/online/winners_file.hpp"
#include "tunekit/processes/detail/system/processes.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/schedule/round_robin.hpp"
#include "tunekit/search/annealing.hpp"

namespace tk = tunekit;
namespace online = tunekit::online;
using support::grid_space;
using support::temporary_folder;
using philox = tk::random::philox;

namespace {

support::attack* asked = nullptr;
bool no_locks = false;

[[gnu::constructor]] void arguments(int argc, char** argv, char**)
{
    static support::attack first(argc, argv);
    asked = &first;
}

}  // namespace

extern "C" int flock(int fd, int how) noexcept
{
    if (no_locks) return errno = ENOLCK, -1;
    return static_cast<int>(::syscall(SYS_flock, fd, how));
}

namespace {

std::string text_of(const std::string& path) { return tk::io::read_text(path); }

void put(const std::string& path, std::string_view text)
{
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    REQUIRE(file != nullptr);
    (void)std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
}

constexpr std::size_t trials_each = 14;

tk::tasks_tuner fresh()
{
    philox gen(3);
    std::vector<tk::task> tasks;
    tasks.emplace_back("a", grid_space({20, 20}), 1e6, 1);
    tasks.emplace_back("b", grid_space({9, 9}), 2e6, 2);
    return {tasks,
            tk::search::annealing{},
            tk::schedule::round_robin{},
            tk::tasks_budget{.trials_per_task = trials_each, .slot_seconds = 0.05},
            3,
            gen};
}

tk::measure::measurement of(const tk::job& j)
{
    tk::measure::measurement m{
        .cost = 1e-3 / 3 * static_cast<double>(1 + (j.candidate * 7 + j.task) % 97), .runs = 1, .run_seconds = 0.01};
    if (j.candidate % 7 == 0) m.failed = tk::measure::failure{tk::measure::failure_kind::crash, 11, "signal 11"};
    return m;
}

/// Three workers at work until the run is over, or so many answers were told.
template <class Run>
void drive(Run& run, philox& dice, std::size_t answers = ~std::size_t{0})
{
    std::vector<std::optional<tk::job>> out(3);
    double stamp = run.stamp();
    while (!run.over() && answers > 0) {
        for (std::size_t w = 0; w < 3; ++w)
            if (!out[w])
                for (const tk::job& j : run.ask(w, 1)) out[w] = j;
        const auto w = static_cast<std::size_t>(tk::random::uniform_index(3, dice));
        if (!out[w]) continue;
        run.tell(*out[w], of(*out[w]), stamp += 0.01, w);
        out[w].reset();
        --answers;
    }
}

tk::io::logged_options how(std::uint64_t seed = 3) { return {.strategy = "annealing", .seed = seed, .resume = true}; }

/// The log of a run that was taken up twice, with jobs out each time.
std::string log_of(std::uint64_t seed)
{
    const temporary_folder f;
    philox dice(seed);
    for (const std::size_t answers : {std::size_t{5}, std::size_t{7}, ~std::size_t{0}}) {
        tk::io::logged run(f / "log", fresh(), how());
        drive(run, dice, answers);
    }
    return text_of(f / "log");
}

struct counts {
    std::size_t refused = 0, taken_up = 0;
};

/// Takes up what the operation has left. Refused: in one line, and the file has every byte. Taken up: it ends with what every
/// configuration costs, each once, and none of them lost, unless the text was `forged` with checksums of its own.
void take_up(const std::string& text, bool forged, counts& n)
{
    static const temporary_folder f;
    const std::string path = f / "log";
    put(path, text);
    try {
        {
            tk::io::logged run(path, fresh(), how());
            philox dice(1);
            drive(run, dice);
            ++n.taken_up;
            CHECK_FALSE(run.failed());
            for (std::size_t k = 0; k < 2; ++k) {
                const tk::tuning& record = run.record().tasks[k].record;
                if (!forged) CHECK(record.trials().size() == trials_each);
                std::vector<tk::index> seen;
                for (const auto& t : record.trials()) {
                    seen.push_back(t.candidate);
                    if (forged) continue;
                    auto want = of({.task = k, .candidate = t.candidate});
                    CHECK(t.measured.ok() == want.ok());
                    if (t.measured.ok()) CHECK(t.measured.cost == want.cost);
                }
                std::sort(seen.begin(), seen.end());
                CHECK(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
            }
        }
        const tk::io::logged again(path, fresh(), how());  // which is what it says
        CHECK(again.replayed() == tk::io::read_log(path).trials.size());
    } catch (const tk::error& e) {
        ++n.refused;
        CHECK(std::string_view(e.what()).find('\n') == std::string_view::npos);
        CHECK(text_of(path) == text);
    }
}

std::vector<std::string> lines_of(std::string_view text)
{
    std::vector<std::string> out;
    for (const auto line : tk::io::lines(text)) out.emplace_back(line);
    return out;
}

std::string joined(const std::vector<std::string>& lines, std::string_view end = "\n")
{
    std::string out;
    for (const auto& line : lines) (out += line) += end;
    return out;
}

}  // namespace

TEST_CASE("a log after surgery is refused as it is, or taken up to what is true")
{
    const std::string whole = log_of(1), other = log_of(2);
    REQUIRE(whole.find("\"recall\"") != std::string::npos);
    const auto lines = lines_of(whole), others = lines_of(other);
    counts plain, forged;
    std::uint64_t part = 0;
    const auto tried = [&] { return asked->tries(part++); };

    for (std::size_t at = 0; at <= whole.size(); at += 11)
        if (tried()) take_up(whole.substr(0, at), false, plain);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        auto some = lines;
        const auto with = [&](auto&& change) {
            some = lines;
            change();
            if (tried()) take_up(joined(some), false, plain);
        };
        const auto at = [&](std::size_t k) { return some.begin() + static_cast<std::ptrdiff_t>(k); };
        with([&] { some.erase(at(i)); });
        with([&] { some.insert(at(i), lines[i]); });
        with([&] { std::swap(some[i], some[(i + 1) % some.size()]); });
        with([&] { std::rotate(at(0), at(i), some.end()); });
        with([&] { some[i] = others[i % others.size()]; });
        with([&] { some.insert(at(i), others.begin(), others.end()); });
        with([&] { some.insert(at(i), std::string(1 + i % 4096, '\0')); });
        with([&] { some[i] += '\r'; });
        with([&] { some[i].insert(some[i].size() / 2, "\n"); });
        with([&] { some[i] = "\xef\xbb\xbf" + some[i]; });
    }
    if (tried()) take_up(joined(lines, "\r\n"), false, plain);
    if (tried()) take_up(whole + other, false, plain);
    if (tried()) take_up("\n" + whole, false, plain);
    for (std::size_t at = 0; at < whole.size(); at += 7) {
        std::string text = whole;
        text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << at % 8));
        if (tried()) take_up(text, false, plain);
    }
    // Somebody who knows how checksums are made writes what no run does.
    constexpr std::string_view words[] = {"0",
                                          "-1",
                                          "1e999",
                                          "18446744073709551615",
                                          "18446744073709551616",
                                          "null",
                                          "[]",
                                          "{}",
                                          "\"\"",
                                          "1e100",
                                          "1e308",
                                          "5e-324",
                                          "2.5",
                                          "true",
                                          "99999999"};
    for (std::size_t from = whole.find_first_of("0123456789"); from != std::string::npos;) {
        const std::size_t end = (std::min)(whole.find_first_not_of("0123456789.e+-", from), whole.size());
        if (tried())
            take_up(support::resealed(whole.substr(0, from) + std::string(words[part % std::size(words)]) +
                                      whole.substr(end)),
                    true, forged);
        from = whole.find_first_of("0123456789", whole.find_first_not_of("0123456789.e+-", from));
    }
    CHECK(plain.taken_up > 0);
    CHECK(plain.refused > 0);
    CHECK(forged.refused > 0);
    MESSAGE(plain.refused, " operations refused, ", plain.taken_up, " taken up; forged ", forged.refused, " and ",
            forged.taken_up);
}

namespace {

/// `f` in a process of its own with a limit of processor time and of memory: its wait status.
int ended_in_child(const std::function<void()>& f)
{
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const rlimit seconds{20, 20}, bytes{std::size_t{4} << 30, std::size_t{4} << 30};
        ::setrlimit(RLIMIT_CPU, &seconds);
        if (!tk::core::detail::sanitized) ::setrlimit(RLIMIT_AS, &bytes);
        try {
            f();
            ::_exit(0);
        } catch (const tk::error&) {
            ::_exit(0);  // refused, with a line
        } catch (const std::invalid_argument&) {
            ::_exit(0);
        } catch (const std::exception& e) {
            std::fprintf(stderr, "%s\n", e.what());
        }
        ::_exit(1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return status;
}

/// What may be made of a text that a reader knows.
std::vector<std::string> hostile(const std::string& good)
{
    std::vector<std::string> out{"",
                                 std::string(1, '\0'),
                                 "\xef\xbb\xbf",
                                 "\n",
                                 std::string(1 << 20, '\n'),
                                 std::string(1 << 20, ' '),
                                 std::string(1 << 20, 'a'),
                                 std::string(1 << 18, '\t'),
                                 std::string(1 << 18, ','),
                                 std::string(1 << 18, '%')};
    for (const char* deep : {"[", "{\"a\":", "(", "not ", "-", "\"", "\\", "{{"}) {
        std::string text;
        while (text.size() < 300'000) text += deep;
        out.push_back(text);
        out.push_back(good.substr(0, good.size() / 2) + text);
    }
    std::string changed = good;
    for (char& c : changed)
        if (c >= '0' && c <= '9') c = '9';
    out.push_back(changed);
    for (const char* number :
         {"1e999", "-0", "nan", "18446744073709551616", "-1", "1e-400", "00000000000000000000000001"}) {
        changed.clear();
        for (std::size_t i = 0; i < good.size(); ++i) {
            if (good[i] < '0' || good[i] > '9') changed += good[i];
            else if (i == 0 || good[i - 1] < '0' || good[i - 1] > '9') changed += number;
        }
        out.push_back(changed);
    }
    changed.clear();
    for (const char c : good) (changed += c) += '\0';  // as UTF-16
    out.push_back(changed);
    changed = good;
    for (std::size_t at = 0; (at = changed.find('\n', at)) != std::string::npos; at += 2) changed.insert(at, 1, '\r');
    out.push_back(changed);
    changed.clear();
    while (changed.size() < (std::size_t{1} << 18)) changed += good + '\n';  // what is checked may be quadratic
    out.push_back(changed);
    for (const char wrap : {'[', '"', '\x1b', '\xff', '\x80'}) out.push_back(wrap + good + wrap);
    out.push_back(good + "\xe2\x80\xae" + good);
    return out;
}

}  // namespace

TEST_CASE("every reader refuses what is hostile within 20 s and 4 GiB, or reads it as it is")
{
    std::uint64_t part = 1 << 20;
    std::size_t texts = 0;
    for (const auto& target : fuzz::targets())
        for (const auto& file : std::filesystem::directory_iterator("tests/fuzz/corpus/" + std::string(target.name))) {
            const auto all = hostile(text_of(file.path().string()));
            for (std::size_t k = 0; k < all.size(); ++k) {
                if (!asked->tries(part++)) continue;
                CAPTURE(target.name);
                CAPTURE(file.path().string());
                CAPTURE(k);
                ++texts;
                CHECK(ended_in_child([&] { target.read(all[k]); }) == 0);
            }
        }
    MESSAGE(texts, " texts");
}

namespace {

online::winner_line winner(const std::string& who, int k)
{
    return {.of = {.kernel = who, .version = "1", .device = "d"},
            .library = "1",
            .fingerprint = 5,
            .key = std::to_string(k),
            .what = {.winner = 7, .runner_up = 9, .cost = 0.25 + k, .runner_up_cost = 0.5 + k, .default_cost = 1.0 + k},
            .values = std::string(200, 'v')};
}

/// How many lines of `who` count; all lines of the file do, and it has nothing else.
std::size_t whole_lines(const std::string& path, const std::string& who)
{
    std::size_t n = 0;
    const std::string text = text_of(path);
    CHECK(online::detail::is_winners_text(text));
    CHECK((text.empty() || text.back() == '\n'));
    for (const auto line : tk::io::lines(text)) {
        if (line.starts_with('#')) continue;
        const auto w = online::detail::winner_line_of(line);
        CHECK(w.has_value());
        n += w && w->of.kernel == who ? 1U : 0U;
    }
    return n;
}

std::size_t beside(const std::string& folder)
{
    std::size_t n = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        n += entry.path().string().ends_with(".new") ? 1U : 0U;
    return n;
}

/// `n` lines of `who`, written by a process of that user, one at a time; what it says where it may not.
pid_t writer(const std::string& path, const std::string& who, int n, uid_t user = 0)
{
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child != 0) return child;
    if (user != 0 && (::setresgid(user, user, user) != 0 || ::setresuid(user, user, user) != 0)) ::_exit(3);
    ::umask(0);
    try {
        for (int k = 0; k < n; ++k) online::write_winners(path, {winner(who, k)});
    } catch (const std::exception& e) {
        ::_exit(std::string_view(e.what()).find('\n') == std::string_view::npos ? 1 : 4);
    }
    ::_exit(0);
}

int status_of(pid_t child)
{
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("winners whose writers are killed stay whole, and what those left beside them goes")
{
    const temporary_folder f;
    const std::string path = f / "w.txt";
    philox dice(asked->seed());
    std::size_t most = 0;
    for (int kill = 0; kill < (asked->tenth() ? 12 : 120); ++kill) {
        const pid_t child = writer(path, "a", 1'000'000);
        ::usleep(static_cast<useconds_t>(500 + tk::random::uniform_index(8000, dice)));
        ::kill(child, SIGKILL);
        CHECK(status_of(child) == 128 + SIGKILL);
        if (!std::filesystem::exists(path)) continue;
        const std::size_t n = whole_lines(path, "a");
        CHECK(n >= most);
        most = n;
    }
    CHECK(most > 0);
    const std::size_t left = beside(f / "");
    for (const auto& entry : std::filesystem::directory_iterator(f / ""))
        std::filesystem::last_write_time(entry.path(),
                                         std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
    online::write_winners(path, {winner("b", 0)});
    CHECK(beside(f / "") == 0);
    MESSAGE(left, " files were left beside, ", most, " lines");
}

TEST_CASE("a planted name beside a file is neither followed nor written to")
{
    const temporary_folder f;
    const std::string path = f / "w.txt", victim = f / "victim";
    put(victim, "mine");
    for (const char* name : {".new", ".part", ".0123456789abcdef.new"})
        std::filesystem::create_symlink(victim, path + name);
    for (int pid = ::getpid(); pid < ::getpid() + 20; ++pid)
        std::filesystem::create_symlink(victim, path + '.' + std::to_string(pid) + ".new");
    for (int k = 0; k < 20; ++k) CHECK(status_of(writer(path, "a", 1)) == 0);
    CHECK(text_of(victim) == "mine");
    CHECK(std::filesystem::is_regular_file(std::filesystem::symlink_status(path)));
}

TEST_CASE("two users write one file of winners: all lines of both, or a line that says why not; and it is whole")
{
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root can be two users");
        return;
    }
    constexpr uid_t ann = 65533, bob = 65532;
    for (const mode_t mode : {0777U, 01777U, 0773U}) {
        CAPTURE(mode);
        const temporary_folder f;
        REQUIRE(::chmod((f / "").c_str(), mode) == 0);
        const std::string path = f / "w.txt";
        const pid_t one = writer(path, "ann", 30, ann);
        const pid_t two = writer(path, "bob", 30, bob);
        const int of_ann = status_of(one), of_bob = status_of(two);
        CHECK(of_ann <= 1);
        CHECK(of_bob <= 1);
        const std::size_t anns = whole_lines(path, "ann"), bobs = whole_lines(path, "bob");
        if (of_ann == 0 && mode != 0773U) CHECK(anns == 30);  // a folder that cannot be read cannot be locked either
        if (of_bob == 0 && mode != 0773U) CHECK(bobs == 30);
        if (mode == 0777U) CHECK(of_ann + of_bob == 0);
        CHECK(beside(f / "") == 0);
        MESSAGE("mode ", mode, ": ", of_ann, " and ", of_bob, ", ", anns, " and ", bobs, " lines");
    }
}

TEST_CASE("without locks, as on some network file systems: winners stay whole, and a log is refused in a line")
{
    const temporary_folder f;
    const std::string path = f / "w.txt";
    no_locks = true;
    std::vector<pid_t> writers;
    for (const char* who : {"a", "b", "c"}) writers.push_back(writer(path, who, 30));
    for (const pid_t each : writers) CHECK(status_of(each) == 0);
    CHECK(whole_lines(path, "a") + whole_lines(path, "b") + whole_lines(path, "c") >= 30);
    CHECK_THROWS_WITH_AS(tk::io::logged(f / "log", fresh(), how()), doctest::Contains("cannot be locked"), tk::error);
    no_locks = false;
    tk::io::logged run(f / "log", fresh(), how());
    CHECK_FALSE(run.failed());
}
