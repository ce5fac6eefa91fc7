// SPDX-License-Identifier: MIT
#include "tunekit/report/print_progress.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/tune/tuning.hpp"

namespace tk = tunekit;

namespace {

/// A terminal that nobody sits at, of so many columns.
class pseudo_terminal {
public:
    explicit pseudo_terminal(unsigned short columns)
    {
        ours_ = ::posix_openpt(O_RDWR | O_NOCTTY);
        REQUIRE(ours_ >= 0);
        REQUIRE(::grantpt(ours_) == 0);
        REQUIRE(::unlockpt(ours_) == 0);
        const winsize size{.ws_row = 25, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
        REQUIRE(::ioctl(ours_, TIOCSWINSZ, &size) == 0);
        theirs = std::fopen(::ptsname(ours_), "r+");
        REQUIRE(theirs != nullptr);
    }
    ~pseudo_terminal()
    {
        std::fclose(theirs);
        ::close(ours_);
    }
    pseudo_terminal(const pseudo_terminal&) = delete;
    pseudo_terminal& operator=(const pseudo_terminal&) = delete;

    /// What was written to it since the last call.
    std::string said()
    {
        std::fflush(theirs);
        ::fcntl(ours_, F_SETFL, O_NONBLOCK);
        std::string out;
        char buffer[4096];
        for (ssize_t n = 0; (n = ::read(ours_, buffer, sizeof buffer)) > 0;)
            out.append(buffer, static_cast<std::size_t>(n));
        return out;
    }

    std::FILE* theirs = nullptr;

private:
    int ours_ = -1;
};

void tell(tk::tuning& record, double cost, double seconds = 2)
{
    tk::measure::measurement m{.cost = cost, .runs = 1};
    if (cost >= tk::measure::broken_cost) m.values = {1};  // the cost before an objective judged it
    if (!(cost > 0)) m.failed = {tk::measure::failure_kind::crash, 11, "crashed"};
    record.append(tk::measure::trial{.candidate = record.trials().size(), .measured = m}, seconds);
}

bool has(const std::string& text, const char* what) { return text.find(what) != std::string::npos; }

}  // namespace

TEST_CASE("on a terminal: one line with rate, incumbent, forecast and time left, that stays at the end")
{
    pseudo_terminal terminal(200);
    {
        tk::print_progress watch(tk::budget{.trials = 10}, terminal.theirs);
        tk::tuning record;
        CHECK(terminal.said().empty());
        tell(record, 0);
        watch(record);
        const std::string first = terminal.said();
        CHECK(has(first, "\r1 of 10 trials, 1 failed, 0.5/s | 18 s left\033[K"));
        CHECK_FALSE(has(first, "best"));
        tell(record, 0.004);
        watch(record);
        const std::string second = terminal.said();
        CHECK(has(second, "\r2 of 10 trials, 1 failed, 0.5/s | best 4 ms"));
        CHECK(has(second, " | 16 s left"));
        CHECK_FALSE(has(second, "\n"));
        tell(record, 0.003);
        watch(record);
        CHECK(has(terminal.said(), "best 3 ms"));  // better: at once, not in a tenth of a second
    }
    CHECK(terminal.said() == "\r\n");
}

TEST_CASE("what more time would bring is a share of the cost with its interval")
{
    pseudo_terminal terminal(200);
    tk::print_progress watch(tk::budget{.seconds = 1000}, terminal.theirs);
    tk::tuning record;
    for (int i = 0; i < 20; ++i) tell(record, 0.02 - 0.0005 * i, 1);
    watch(record);
    const std::string line = terminal.said();
    CHECK(has(line, "| next 60 s: -"));
    CHECK(has(line, " to -"));  // both ends with the sign of the expected value
    CHECK(has(line, "| 16 min left"));
}

TEST_CASE("the last answer is on the line that stays, however fast it came")
{
    pseudo_terminal terminal(200);
    {
        tk::print_progress watch(tk::budget{}, terminal.theirs);
        tk::tuning record;
        for (int i = 0; i < 50; ++i) {
            tell(record, 0.004, 1);
            watch(record);
        }
        (void)terminal.said();
    }
    const std::string last = terminal.said();
    CHECK(has(last, "\r50 trials, 0 failed, 1/s | best 4 ms"));
    CHECK(last.ends_with("\r\n"));
}

TEST_CASE("where nothing keeps a limit, the line says by how much the nearest breaks it, until one does")
{
    pseudo_terminal terminal(120);
    tk::tuning record;
    tk::print_progress progress({}, terminal.theirs);
    tell(record, 1.5e30);
    progress(record);
    const std::string broken = terminal.said();
    CHECK(broken.find("| none keeps the limit, the nearest is 50 % beyond it") != std::string::npos);
    CHECK(broken.find("best") == std::string::npos);
    tell(record, 2e-3);
    progress(record);
    CHECK(terminal.said().find("| best 2 ms") != std::string::npos);
}

TEST_CASE("the line is cut to the terminal's width")
{
    pseudo_terminal terminal(30);
    tk::print_progress watch(tk::budget{.trials = 10}, terminal.theirs);
    tk::tuning record;
    tell(record, 0.004);
    watch(record);
    CHECK(terminal.said() == "\r1 of 10 trials, 0 failed, 0.5\033[K");
}

TEST_CASE("a terminal whose width nobody has set counts as one of 80 columns")
{
    pseudo_terminal none(0), eighty(80), wide(200);
    const auto line_on = [](pseudo_terminal& terminal) {
        tk::print_progress watch(tk::budget{.seconds = 1000}, terminal.theirs);
        tk::tuning record;
        for (int i = 0; i < 20; ++i) tell(record, 0.02 - 0.0005 * i, 1);
        watch(record);
        return terminal.said();
    };
    const std::string line = line_on(none);
    CHECK(line == line_on(eighty));
    CHECK(line.size() == 79 + std::string("\r\033[K").size());
    CHECK(line_on(wide).size() > line.size());
}

TEST_CASE("several tasks: the model's latency once all have a configuration")
{
    pseudo_terminal terminal(200);
    tk::print_progress watch(tk::tasks_budget{.seconds = 30}, {}, terminal.theirs);
    tk::plan p;
    p.tasks.resize(2);
    p.seconds = 4;
    tell(p.tasks[0].record, 0.004);
    watch(p, 0);
    CHECK(has(terminal.said(), "\r1 trials, 0 failed, 0.25/s | 26 s left"));
    tell(p.tasks[1].record, 0.001);
    p.slots.push_back({.task = 1, .ended = 4, .model_latency = 0.005});
    watch(p, 1);
    CHECK(has(terminal.said(), "| best 5 ms | 26 s left"));
}

TEST_CASE("where there is no terminal it is silent, and a moved one ends its line once")
{
    std::FILE* file = std::tmpfile();
    {
        tk::print_progress watch(tk::budget{}, file);
        tk::tuning record;
        tell(record, 0.004);
        watch(record);
    }
    CHECK(std::ftell(file) == 0);
    std::fclose(file);

    pseudo_terminal terminal(200);
    {
        tk::print_progress watch(tk::budget{}, terminal.theirs);
        tk::tuning record;
        tell(record, 0.004);
        watch(record);
        const tk::print_progress last = std::move(watch);
        (void)terminal.said();
    }
    CHECK(terminal.said() == "\r\n");
}
