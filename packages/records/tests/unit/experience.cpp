// SPDX-License-Identifier: MIT
#include "tunekit/records/read_experience.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tests/support/resealed.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/processes/files/sealed_file.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tuner.hpp"

namespace tk = tunekit;
using support::temporary_folder;

namespace {

const tk::space::product tiles{tk::space::parameter<"tile">({8, 16, 32}),
                               tk::space::parameter<"order">(std::vector<std::string>{"ij", "j i"})};

tk::measure::measurement of(tk::index i)
{
    tk::measure::measurement m{.cost = 1e-3 / 3 * static_cast<double>(1 + i), .runs = 1, .run_seconds = 0.25};
    if (i == 2) m.failed = tk::measure::failure{};
    if (i == 4) m.at_least = true;
    return m;
}

/// Writes the log of a run over all tiles and returns its record.
tk::tuning log_all(const std::string& path)
{
    tk::tuner t(tiles, tk::search::random{}, {.trials = 100}, tk::random::philox(1));
    t.know(5, of(5));
    auto run = tk::io::logged(path, std::move(t), {.name = "R1", .strategy = "random", .machine = "here", .seed = 1});
    for (auto j = run.ask(0, 1); !j.empty(); j = run.ask(0, 1)) run.tell(j.front(), of(j.front().candidate));
    return run.record();
}

std::string text_of(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

}  // namespace

TEST_CASE("a log becomes the source that its record would have been, with failures, bounds and what was known")
{
    const temporary_folder folder;
    const std::string path = folder / "run.jsonl";
    const tk::tuning record = log_all(path);
    tk::experience direct;
    direct.add(tiles, record, path + " R1", "here");
    const tk::experience read = tk::io::experience_in({path});
    CHECK(read == direct);
    REQUIRE(read.sources.size() == 1);
    const auto& s = read.sources.front();
    REQUIRE(s.results.size() == 6);
    CHECK(s.names() == std::vector<std::string>{"tile", "order"});
    CHECK(s.texts(0) == tiles.texts(5));  // what was known comes first
    CHECK(s.valid() == 4);
    CHECK(s.texts(s.best()) == tiles.texts(0));
}

TEST_CASE("a file of experience gives back what was written, whatever its texts are, and tells what was changed")
{
    tk::experience past;
    tk::experience_source s{.name = "a % b\n", .machine = ""};
    s.parameters = {{"tile size"}, {"order"}};
    REQUIRE(s.add(std::vector<std::string>{"8", ""}, {.cost = 0.1 / 3}));
    REQUIRE(s.add(std::vector<std::string>{"16", "j i"}, {.cost = 2, .at_least = true}));
    REQUIRE(s.add(std::vector<std::string>{"16", ""}, {.cost = -1}));
    CHECK(s.results.back().failed());
    past.add(s);
    past.add(s);  // once
    REQUIRE(past.sources.size() == 1);
    s.name = "other";
    past.add(s);
    const temporary_folder folder;
    tk::io::write_experience(folder / "all.experience", past);
    CHECK(tk::io::experience_in({folder / "all.experience"}) == past);

    std::string text = tk::io::to_text(past);
    text[text.find("0.0")] = '1';
    CHECK_THROWS_WITH_AS((void)tk::io::detail::parse_experience(text, "x"),
                         doctest::Contains("experience x: was changed or damaged"), tk::error);
}

TEST_CASE("a file of experience that lies about its sizes is refused with its line")
{
    const auto refused = [](const std::vector<std::string>& lines) -> std::string {
        std::string body = "# tunekit experience 1\n";
        for (const std::string& line : lines) body += line + '\n';
        try {
            (void)tk::io::detail::parse_experience(tk::io::detail::with_end(body), "x");
        } catch (const tk::error& e) {
            return e.what();
        }
        return "";
    };
    CHECK(refused({"sources 1"}).find("ends too early") != std::string::npos);
    CHECK(refused({"sources 65537"}).find("line 2: wants at most 65536 sources") != std::string::npos);
    CHECK(refused({"sources 1", "source a b 0 1"}).find("line 3: wants a parameter and a result") != std::string::npos);
    CHECK(refused({"sources 1", "source a b 1 99999999999", "parameter p 1", "cost 1 0"}).find("ends too early") !=
          std::string::npos);
    CHECK(refused({"sources 1", "source a b 1 1", "parameter p 1", "cost 1 1"}).find("beyond the values") !=
          std::string::npos);
    CHECK(refused({"sources 1", "source a b 1 1", "parameter p 1", "cost nan 0"}).find("no positive finite cost") !=
          std::string::npos);
    CHECK(refused({"sources 0", "cost 1 1"}).find("lines after its last source") != std::string::npos);
}

TEST_CASE("what cannot be used is left out with a line, and the rest is read")
{
    const temporary_folder folder;
    (void)log_all(folder / "a.jsonl");
    const std::string whole = text_of(folder / "a.jsonl");
    std::string torn = whole.substr(0, whole.size() - 5);  // of another machine: else it were a copy
    torn.replace(torn.find("\"here\""), 6, "\"there\"");
    write(folder / "b.jsonl", support::resealed(torn));
    std::string damaged = whole;
    damaged[whole.size() / 2] ^= 1;
    write(folder / "c.jsonl", damaged);
    write(folder / "d.log", "no log\n");
    write(folder / "e.jsonl", "");
    write(folder / "f.txt", "is not looked at");
    tk::io::log_content::head old{.version = "0.1.0", .machine = "old"};
    old.tasks = {{"first", 6, 1}};
    write(folder / "g.jsonl", old.line() + '\n' + tk::io::log_content::trial{.measured = of(1)}.line() + '\n');

    const tk::experience past = tk::io::experience_in({folder / "", folder / "none.jsonl"});
    REQUIRE(past.sources.size() == 2);
    CHECK(past.sources[0].results.size() == 6);
    CHECK(past.sources[1].results.size() == 5);
    const auto told = [&](const std::string& file, const std::string& why) {
        std::size_t n = 0;
        for (const std::string& line : past.notes) {
            CHECK(line.find('\n') == std::string::npos);
            if (line.find(file) != std::string::npos && line.find(why) != std::string::npos) ++n;
        }
        return n;
    };
    CHECK(told("b.jsonl", "torn") == 1);
    CHECK(told("c.jsonl", "changed or damaged") == 1);
    CHECK(told("d.log", "is no") == 1);
    CHECK(told("e.jsonl", "nothing was logged yet") == 1);
    CHECK(told("g.jsonl", "1 result left out: they do not name their values") == 1);
    CHECK(told("none.jsonl", "cannot be opened") == 1);
    CHECK(told("f.txt", "") == 0);
}

TEST_CASE("a copy of a log counts once, whatever it is called and however far the run had come")
{
    const auto source = [](const char* name, std::size_t results, const char* machine = "m", double first = 2) {
        tk::experience_source s{.name = name, .machine = machine, .parameters = {{"p"}, {"q"}}};
        for (std::size_t k = 0; k < results; ++k)
            s.add(std::vector<std::string>{std::to_string(k), k % 2 == 0 ? "a" : "b"},
                  {.cost = k == 0 ? first : 1.0 / 3 + static_cast<double>(k)});
        return s;
    };
    tk::experience past;
    past.add(source("half", 5));
    past.add(source("whole", 9));
    past.add(source("copy", 9));
    past.add(source("early", 1));
    REQUIRE(past.sources.size() == 1);
    CHECK(past.sources[0] == source("whole", 9));
    past.add(source("elsewhere", 9, "n"));       // the same costs of another machine
    past.add(source("another run", 9, "m", 3));  // another first result
    CHECK(past.sources.size() == 3);
    CHECK(past.size() == 27);
}

TEST_CASE("a trial outside the space and a source without parameters are refused; an empty one adds nothing")
{
    tk::experience past;
    CHECK_THROWS_AS(past.add(tiles, std::vector<tk::measure::trial>{{.candidate = 6}}, "x"), std::invalid_argument);
    CHECK_THROWS_AS(past.add(tk::experience_source{}), std::invalid_argument);
    past.add(tiles, std::vector<tk::measure::trial>{}, "x");
    CHECK(past.empty());
    tk::experience_source s{.name = "x", .parameters = {{"p", {"1"}}}, .rows = {1}, .results = {{.cost = 1}}};
    CHECK_THROWS_AS(past.add(s), std::invalid_argument);
}

TEST_CASE("a parameter has 65535 values at most")
{
    tk::experience_source s{.name = "x", .parameters = {{"p"}}};
    s.parameters[0].values.resize(65534, "a");
    CHECK(s.add(std::vector<std::string>{"b"}, {.cost = 1}));
    CHECK_FALSE(s.add(std::vector<std::string>{"c"}, {.cost = 1}));
    CHECK(s.add(std::vector<std::string>{"b"}, {.cost = 2}));
    CHECK(s.results.size() == 2);
}
