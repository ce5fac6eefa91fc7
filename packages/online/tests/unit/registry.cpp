// SPDX-License-Identifier: MIT
#include "tunekit/online/registry.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "packages/online/tests/unit/application.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/online/kept.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/space/value_product.hpp"

namespace tk = tunekit;
namespace online = tk::online;
using support::application;
using support::temporary_folder;

namespace {

online::winner_line::identity ours() { return {.kernel = "dslash", .version = "3.1", .device = "this machine"}; }

using registry = online::registry<support::tiles_space>;

registry make(online::winner_line::identity of = ours())
{
    return {std::move(of), support::tiles(), support::tiles().at(0)};
}

void settle(registry& r, const std::string& key)
{
    application app;
    auto& t = r.at(key);
    for (int k = 0; k < 100 && !t.settled(); ++k) app.calls(t, 1000);
    REQUIRE(t.settled());
}

}  // namespace

TEST_CASE("registry: a context a key, and references stay")
{
    auto r = make();
    auto& t = r.at("8");
    for (int k = 0; k < 100; ++k) (void)r.at(online::key(k, 2.5, "x"));
    CHECK(&t == &r.at("8"));
    CHECK(r.contexts().size() == 101);
    CHECK(online::key(3, 2.5, "x", true) == "3 2.5 x true");
    CHECK(online::key() == "");
}

TEST_CASE("registry: a new context begins with the winner of the nearest settled one, and must win by itself")
{
    auto r = make();
    settle(r, "8 8");
    const tk::index winner = r.at("8 8").result()->winner;
    REQUIRE(winner != 0);
    const auto is_tried = [&](const std::string& key) {
        application app;
        auto& t = r.at(key);
        for (int k = 0; k < 12; ++k) {
            if (*app.space.index_of(t.next()) == winner) return true;
            if (t.wants_time()) t.report(app.draw(*app.space.index_of(t.next())));
        }
        return false;
    };
    CHECK(is_tried("16 9"));
    CHECK_FALSE(is_tried("16 9 1"));  // of other sizes
    CHECK_FALSE(is_tried("wide"));

    application slow;  // where the winner of the others is ten times as slow
    const auto plain = slow.cost;
    slow.cost = [&](tk::index i) { return (i == winner ? 10 : 1) * plain(i); };
    auto& t = r.at("32 32");
    for (int k = 0; k < 100 && !t.settled(); ++k) slow.calls(t, 1000);
    REQUIRE(t.settled());
    CHECK(t.result()->winner != winner);
}

TEST_CASE("registry: a default outside the space is refused")
{
    const tk::space::product space{tk::space::integers<"a">(0, 3)}, wider{tk::space::integers<"a">(0, 4)};
    const auto four = wider.at(4);
    CHECK_THROWS_AS((online::registry(ours(), space, four)), std::invalid_argument);
}

TEST_CASE("winner_line: reads back what was written, whatever the characters")
{
    const std::string odd = "a\tb\nc%d\r\x01\xff \"\\#";
    const online::winner_line w{
        .of = {.kernel = odd, .version = odd, .device = odd},
        .library = odd,
        .fingerprint = 0xfedcba9876543210U,
        .key = odd,
        .what = {.winner = 7, .runner_up = 9, .cost = 1.0 / 3, .runner_up_cost = 0.5, .default_cost = 1e-9},
        .values = odd};
    const std::string line = online::detail::to_line(w);
    CHECK(line.find('\n') == std::string::npos);
    CHECK(online::detail::winner_line_of(line) == w);
}

TEST_CASE("winner_line: any cut and any changed byte is noticed")
{
    const online::winner_line w{
        .of = ours(),
        .library = "1",
        .fingerprint = 5,
        .key = "8 8",
        .what = {.winner = 7, .runner_up = 9, .cost = 0.25, .runner_up_cost = 0.5, .default_cost = 1},
        .values = "a=1"};
    const std::string line = online::detail::to_line(w);
    for (std::size_t n = 0; n < line.size(); ++n) {
        CHECK_FALSE(online::detail::winner_line_of(line.substr(0, n)).has_value());
        std::string changed = line;
        changed[n] = changed[n] == 'x' ? 'y' : 'x';
        CHECK_FALSE(online::detail::winner_line_of(changed).has_value());
    }
}

TEST_CASE("winner_line: a line with a cost that is none does not count, whosever it is")
{
    const online::outcome good{.winner = 7, .runner_up = 9, .cost = 0.25, .runner_up_cost = 0.5, .default_cost = 1};
    const auto counts = [](const online::outcome& o) {
        return online::detail::winner_line_of(online::detail::to_line(online::winner_line{.what = o})).has_value();
    };
    CHECK(counts(good));
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), -1.0, 0.0, 1e101})
        for (double online::outcome::* cost :
             {&online::outcome::cost, &online::outcome::runner_up_cost, &online::outcome::default_cost}) {
            CAPTURE(bad);
            auto changed = good;
            changed.*cost = bad;
            CHECK_FALSE(counts(changed));
        }
}

TEST_CASE("winner_line: nor does one whose search has numbers that are no seconds; a failed candidate is a dash")
{
    const auto read = [](const online::progress::unfinished& s) {
        return online::detail::winner_line_of(online::detail::to_line(online::winner_line{
            .what = {.winner = 7, .runner_up = 9, .cost = 0.25, .runner_up_cost = 0.5, .default_cost = 1},
            .search = s}));
    };
    const double infinite = std::numeric_limits<double>::infinity();
    const online::progress::unfinished good{.in_vain = 3, .answers = {{5, 0.5}, {6, infinite}}};
    REQUIRE(read(good));
    CHECK(*read(good)->search == good);
    for (const double bad : {std::nan(""), -1.0, 0.0}) {
        CAPTURE(bad);
        CHECK_FALSE(read({.answers = {{5, bad}}}));
    }
    for (const double bad : {std::nan(""), -1.0, infinite, 1e101}) {
        CAPTURE(bad);
        CHECK_FALSE(read({.books = {.lost = bad}}));
    }
}

TEST_CASE("registry: saved, loaded, settled at once; what was not timed yet is not saved")
{
    const temporary_folder folder;
    auto r = make();
    settle(r, "8 8");
    (void)r.at("not called");
    r.save(folder / "tuned");
    auto again = make();
    const auto got = again.load(folder / "tuned");
    CHECK(got.taken == 1);
    CHECK(got.refused.empty());
    CHECK(again.at("8 8").settled());
    CHECK(again.at("8 8").result() == r.at("8 8").result());
    CHECK_FALSE(again.at("not called").settled());
    CHECK(tk::io::lines(tk::io::read_text(folder / "tuned")).size() == 2);
    CHECK(again.load(folder / "no such file").taken == 0);
}

TEST_CASE(
    "registry: another version, device, library or space is refused with the reason; another kernel is left alone")
{
    const temporary_folder folder;
    auto r = make();
    settle(r, "8 8");
    r.save(folder / "tuned");
    const auto refused = [&](online::winner_line::identity of) {
        const auto got = make(std::move(of)).load(folder / "tuned");
        CHECK(got.taken == 0);
        REQUIRE(got.refused.size() == 1);
        return got.refused.front();
    };
    CHECK(refused({"dslash", "3.2", "this machine"}) == "line 2 (8 8): the kernel's version is \"3.1\", here \"3.2\"");
    CHECK(refused({"dslash", "3.1", "another"}) == "line 2 (8 8): the device is \"this machine\", here \"another\"");
    const auto other_kernel = make({"axpy", "3.1", "this machine"}).load(folder / "tuned");
    CHECK(other_kernel.taken == 0);
    CHECK(other_kernel.refused.empty());
    // A line that was cut is told, whose it may be; one with all its fields by its own kernel alone.
    const std::string text = tk::io::read_text(folder / "tuned");
    const std::string edited = text.substr(0, text.size() - 2) + (text[text.size() - 2] == '0' ? "1\n" : "0\n");
    CHECK(make({"axpy", "3.1", "this machine"}).read(edited).refused.empty());
    CHECK(make().read(edited).refused == std::vector<std::string>{"line 2: it was cut or edited"});
    const std::string cut = text.substr(0, text.rfind('\t')) + '\n';
    CHECK(make({"axpy", "3.1", "this machine"}).read(cut).refused.size() == 1);
    auto lines = r.winners();
    lines.front().library = "0.0.1";
    online::write_winners(folder / "old", lines);
    const auto old = make().load(folder / "old");
    REQUIRE(old.refused.size() == 1);
    CHECK(old.refused.front().find("the version of tunekit is \"0.0.1\"") != std::string::npos);
    const tk::space::product wider{tk::space::integers<"a">(0, 10), tk::space::powers_of_two<"b">(1, 64)};
    online::registry changed(ours(), wider, wider.at(0));
    const auto got = changed.load(folder / "tuned");
    REQUIRE(got.refused.size() == 1);
    const auto theirs = tunekit::io::in_hex(lines.front().fingerprint);
    CHECK(got.refused.front() == "line 2 (8 8): the space's fingerprint is \"" + theirs + "\", here \"" +
                                     tunekit::io::in_hex(wider.fingerprint()) +
                                     "\"; give one of the two spaces another name or version");
}

TEST_CASE("registry: a provisional winner is saved with what its search knows, and goes on from there")
{
    const temporary_folder folder;
    const std::string path = folder / "tuned";
    application app;
    auto r = make();
    auto& t = r.at("8 8");
    for (int k = 0; k < 600 && t.status().trials < 10; ++k) app.calls(t, 1);
    REQUIRE_FALSE(t.settled());
    const tk::index best = t.status().best;
    REQUIRE(best != 0);
    r.save(path);
    auto again = make();
    const auto got = again.load(path);
    CHECK(got.resumed == 1);
    CHECK(got.taken == 0);
    CHECK(got.refused.empty());
    auto& u = again.at("8 8");
    CHECK_FALSE(u.settled());
    CHECK(u.status().best == best);
    const auto known = u.so_far().value();
    CHECK(known.search->answers == t.so_far()->search->answers);
    CHECK(u.status().trials == known.search->answers.size());
    CHECK(*app.space.index_of(again.at("8 8").next()) == 0);  // the default is timed again, twice
    u.report(app.cost(0));
    std::vector<int> ran(app.space.size());
    for (const online::progress::answer& a : known.search->answers) ran[a.candidate] = 1;
    for (int k = 0; k < 20000; ++k) {
        const auto i = *app.space.index_of(u.next());
        if (i != 0 && i != u.status().best && u.phase() == online::phase::searching) CHECK(ran[i] == 0);  // none twice
        if (u.wants_time()) u.report(app.cost(i));
    }
    CHECK(u.settled());
    CHECK(u.result()->winner == app.fastest());

    again.save(path);
    r.save(path);  // knows less, and is provisional
    CHECK(make().load(path).taken == 1);
}

TEST_CASE("registry: six short runs in a row reach what one long one reaches")
{
    // 198 configurations, as a Kokkos program had them, on a machine with noise.
    const tk::space::product space{tk::space::integers<"a">(0, 2), tk::space::integers<"b">(0, 5),
                                   tk::space::integers<"c">(0, 10)};
    const auto cost = [](const auto& c) {
        return 1e-5 * (1 + 0.5 * std::abs(tk::get<"a">(c) - 1) + 0.2 * std::abs(tk::get<"b">(c) - 3) +
                       0.1 * std::abs(tk::get<"c">(c) - 6));
    };
    const auto run = [&](auto& r, int calls, tk::random::philox& gen) {
        auto& t = r.at("");
        double sum = 0;
        for (int k = 0; k < calls; ++k) {
            const double seconds = cost(t.next());
            sum += seconds;
            if (t.wants_time()) t.report(seconds * (1 + 0.1 * tk::random::uniform_01(gen)));
        }
        return sum;
    };
    const temporary_folder folder;
    for (const int calls : {5000, 1000}) {
        const std::string path = folder / std::to_string(calls);
        tk::random::philox gen(1), other(1);
        double in_short = 0;
        std::size_t at_first = 0, tried = 0;
        for (int k = 0; k < 6; ++k) {
            online::registry r(ours(), space, space.at(0));
            r.load(path);
            in_short += run(r, calls, gen);
            const auto now = r.at("").status();
            tried = now.searching ? now.trials : space.size();  // over: all were tried
            if (k == 0) at_first = tried;
            r.save(path);
        }
        CHECK(tried > at_first);
        online::registry once(ours(), space, space.at(0));
        const double in_one = run(once, 6 * calls, other);
        online::registry last(ours(), space, space.at(0));
        CHECK(last.load(path).taken == 1);
        CHECK(last.at("").result()->winner == once.at("").result()->winner);
        CHECK(in_short <= 1.02 * in_one);
    }
}

TEST_CASE("registry: a file of another version is told, and begun anew")
{
    const temporary_folder folder;
    const std::string path = folder / "tuned";
    tk::io::write_text(path, "# tunekit winners 1: kernel, version\ndslash\t3.1\n");
    auto r = make();
    const auto got = r.load(path);
    CHECK(got.taken + got.resumed == 0);
    REQUIRE(got.refused.size() == 1);
    CHECK(got.refused.front() == "this is a file of winners of another version; all is tuned anew");
    settle(r, "8 8");
    r.save(path);
    CHECK(tk::io::lines(tk::io::read_text(path)).size() == 2);
    CHECK(make().load(path).taken == 1);
}

TEST_CASE("kept: writes after a context settled, in between, and at the end")
{
    const temporary_folder folder;
    const std::string path = folder / "tuned";
    application app;
    {
        auto r = make();
        online::kept tuned(r, path, 10, app.clock());
        auto& t = r.at("8 8");
        app.calls(t, 20);
        app.time = 9;
        tuned.step();
        CHECK(make().load(path).resumed == 0);
        app.time = 11;
        tuned.step();
        CHECK(make().load(path).resumed == 1);
        for (int k = 0; k < 100 && !t.settled(); ++k) app.calls(t, 1000);
        app.time = 11.5;
        tuned.step();
        CHECK(make().load(path).resumed == 1);
        app.time = 12.5;
        tuned.step();
        CHECK(make().load(path).taken == 1);
        app.calls(r.at("9 9"), 20);
    }
    CHECK(make().load(path).resumed == 1);
    auto r = make();
    online::kept tuned(r, path);
    CHECK(tuned.read().taken == 1);
    CHECK_THROWS_AS(online::kept(r, path, 0), std::invalid_argument);
}

TEST_CASE("registry: the winner of a kin begins a context, and must win again")
{
    const temporary_folder folder;
    const std::string path = folder / "tuned";
    const auto on = [](const char* device) { return make({"dslash", "3.1", device}); };
    auto theirs = on("AuthenticAMD 25.17.1, 64 cores, avx512");
    settle(theirs, "8 8");
    theirs.save(path);
    const tk::index winner = theirs.at("8 8").result()->winner;
    REQUIRE(winner != 0);

    auto here = on("AuthenticAMD 25.97.2, 2 cores, avx512");
    const auto got = here.load(path);
    CHECK(got.taken == 0);
    CHECK(got.begun == 1);
    CHECK(got.refused.empty());
    auto& t = here.at("8 8");
    CHECK_FALSE(t.settled());
    CHECK(t.status().best == winner);
    application same;
    for (int k = 0; k < 100 && !t.settled(); ++k) same.calls(t, 1000);
    CHECK(t.result()->winner == winner);
    here.save(path);  // beside theirs, which keeps its own
    const auto both = on("AuthenticAMD 25.97.2, 2 cores, avx512").load(path);
    CHECK(both.taken == 1);
    CHECK(both.begun == 1);

    auto slow = on("AuthenticAMD 25.1.1, 2 cores, avx512");
    CHECK(slow.load(path).begun == 2);
    application another;
    another.cost = [&](tk::index i) { return i == winner ? 0.1 : i == 5 ? 0.5e-3 : 1e-3; };
    auto& u = slow.at("8 8");
    const double took = another.calls(u, 1000);
    CHECK(took < 1000 * 1e-3 + 10 * 0.1);  // its few first calls, and no more
    for (int k = 0; k < 100 && !u.settled(); ++k) another.calls(u, 1000);
    CHECK(u.result()->winner != winner);

    auto other = on("AuthenticAMD 25.1.1, 2 cores, avx2");
    CHECK(other.load(path).refused.size() == 2);
    auto old = on("AMD EPYC, 2 cores");
    settle(old, "4");
    old.save(folder / "old");
    const auto from_old = other.load(folder / "old");
    REQUIRE(from_old.refused.size() == 1);
    CHECK(from_old.refused.front() ==
          "line 2 (4): the device is \"AMD EPYC, 2 cores\" (an old name, from before 0.3), here "
          "\"AuthenticAMD 25.1.1, 2 cores, avx2\"");
    CHECK_THROWS_AS(u.begin_with(70), std::invalid_argument);
}

TEST_CASE("registry: a foreign file is refused and stays as it is")
{
    const temporary_folder folder;
    const std::string path = folder / "notes";
    tk::io::write_text(path, "dear diary\n");
    auto r = make();
    settle(r, "8 8");
    const auto got = r.load(path);
    CHECK(got.taken == 0);
    CHECK(got.refused.size() == 1);
    CHECK_THROWS_AS(r.save(path), tk::error);
    CHECK(tk::io::read_text(path) == "dear diary\n");
    CHECK_THROWS_AS(r.save(folder / "no/such/folder"), tk::error);
}

TEST_CASE("registry: a cut line is told, and what others wrote stays")
{
    const temporary_folder folder;
    const std::string path = folder / "tuned";
    auto theirs = make({"axpy", "1", "elsewhere"});
    settle(theirs, "4");
    theirs.save(path);
    auto r = make();
    settle(r, "8 8");
    settle(r, "16 16");
    r.save(path);
    std::string text = tk::io::read_text(path);
    text.resize(text.size() - 5);  // as a full disk leaves it
    tk::io::write_text(path, text);
    auto again = make();
    const auto got = again.load(path);
    CHECK(got.taken == 1);
    REQUIRE(got.refused.size() == 1);
    CHECK(got.refused.front() == "line 4: it was cut or edited");
    r.save(path);
    CHECK(make().load(path).taken == 2);
    CHECK(make({"axpy", "1", "elsewhere"}).load(path).taken == 1);
    for (int k = 0; k < 3; ++k) r.save(path);
    CHECK(tk::io::lines(tk::io::read_text(path)).size() == 5);  // a line a context, and the cut one
}

namespace {

/// The environment says `text` to online tuning as long as this lives.
struct pins {
    explicit pins(const char* text) { setenv("TUNEKIT_ONLINE", text, 1); }
    pins(const pins&) = delete;
    pins& operator=(const pins&) = delete;
    ~pins() { unsetenv("TUNEKIT_ONLINE"); }
};

}  // namespace

TEST_CASE("registry: the environment pins a kernel to one configuration, and nothing is measured or written")
{
    const temporary_folder folder;
    const std::string file = folder / "winners.txt";
    const auto space = support::tiles();
    const tk::index wanted = space.size() - 1;
    std::string text = "stencil=off;dslash=";
    const auto names = space.names();
    const auto texts = space.texts(wanted);
    for (std::size_t k = 0; k < texts.size(); ++k) text += (k > 0 ? "," : "") + std::string(names[k]) + ':' + texts[k];

    auto free = make();
    settle(free, "8");
    free.save(file);
    const std::string before = online::detail::text_if_there(file);

    const pins set(text.c_str());
    auto r = make();
    CHECK(r.load(file).taken == 1);
    for (const char* key : {"8", "9"}) {
        auto& t = r.at(key);
        CHECK(t.phase() == online::phase::pinned);
        for (int k = 0; k < 1000; ++k) {
            CHECK(space.index_of(t.next()) == wanted);
            CHECK_FALSE(t.wants_time());
        }
        t.reopen();
        t.begin_with(0);
        CHECK(space.index_of(t.next()) == wanted);
        CHECK_FALSE(t.result().has_value());
        const auto is = t.status();
        CHECK(is.best == wanted);
        CHECK(is.calls == 1001);
        CHECK(std::isnan(is.cost));
        CHECK_FALSE(is.searching);
    }
    CHECK(r.winners().empty());
    r.save(file);
    CHECK(online::detail::text_if_there(file) == before);

    auto other = make({.kernel = "stencil", .version = "1", .device = "this machine"});
    CHECK(other.at("8").status().best == 0);
    auto third = make({.kernel = "third", .version = "1", .device = "this machine"});
    CHECK(third.at("8").phase() == online::phase::opening);
}

TEST_CASE("pinned_in: entries, values that are left out, and what a kernel does not have")
{
    const tk::space::value_product space({{"rows", {1, 2, 4}}, {"order", {"0,1", "1,0"}}}, {});
    const auto in = [&](const char* text) { return online::pinned_in(text, "k", space, 0); };
    const auto at = [&](std::vector<std::string> texts) { return space.index_of_texts(texts); };
    CHECK_FALSE(in("").has_value());
    CHECK_FALSE(in("kk=off;other=rows:2").has_value());
    CHECK(in("off") == 0);
    CHECK(in("k=off") == 0);
    CHECK(in("off;k=rows:4") == at({"4", "0,1"}));
    CHECK(in("k=order:1,0") == at({"1", "1,0"}));
    CHECK(in("k=order:1,0,rows:2") == at({"2", "1,0"}));
    CHECK_THROWS_WITH_AS(in("k=row:2"),
                         "tunekit: TUNEKIT_ONLINE: \"row:2\" names no parameter of k, want NAME:VALUE of \"rows\", "
                         "\"order\", or off",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(in("k="),
                         "tunekit: TUNEKIT_ONLINE: \"\" names no parameter of k, want NAME:VALUE of \"rows\", "
                         "\"order\", or off",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(in("k=rows:3"),
                         "tunekit: TUNEKIT_ONLINE: k has no configuration rows:3, want values of its space that its "
                         "constraints allow",
                         std::invalid_argument);
}

TEST_CASE("registry: a new context beside one that gave up begins with the default")
{
    auto r = make();
    auto& t = r.at("8");
    for (int k = 0; k < 100 && !t.settled(); ++k) {
        (void)t.next();
        if (t.wants_time()) t.report(-1);
    }
    REQUIRE(t.phase() == online::phase::gave_up);
    CHECK(r.at("9").status().best == 0);
}
