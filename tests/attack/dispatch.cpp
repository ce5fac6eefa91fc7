// SPDX-License-Identifier: MIT
// Results of kernels that are damaged: cut, edited, of another version, or forged with a checksum that fits and names that mean something to a
// compiler. Without the checksum each is refused in one line. What is taken merges with the whole file the same in both orders, and the
// headers of what is chosen from it compile as C99 and as C++17. 600 damages; `--seed 2` for others.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/attacks.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/dispatch/fit.hpp"
#include "tunekit/dispatch/header.hpp"
#include "tunekit/dispatch/merge.hpp"
#include "tunekit/dispatch/results_file.hpp"
#include "tunekit/processes/files/sealed_file.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace tk = tunekit;
namespace dispatch = tk::dispatch;

namespace {

std::uint64_t seed = 1;
std::size_t damages = 600;

[[gnu::constructor]] void options_before_main(int argc, char** argv, char**)
{
    const support::attack asked(argc, argv);
    seed = asked.seed();
    if (asked.tenth()) damages /= 10;
}

std::size_t below(std::size_t n, tk::random::philox& gen) { return tk::random::uniform_index(n, gen); }

std::vector<std::string> lines_of(const std::string& text)
{
    std::vector<std::string> out(1);
    for (const char c : text)
        if (c == '\n') out.emplace_back();
        else out.back() += c;
    if (out.back().empty()) out.pop_back();
    return out;
}

/// One damage: a line lost, doubled, cut or moved, or one of its words another.
void damage(std::vector<std::string>& lines, tk::random::philox& gen)
{
    static const std::string words[] = {"2",
                                        "0",
                                        "-1",
                                        "1e999",
                                        "nan",
                                        "inf",
                                        "",
                                        "%2A/",
                                        "%5C",
                                        "%3F%3F/",
                                        "%22",
                                        "%0A",
                                        "/*",
                                        "//",
                                        "int",
                                        "class",
                                        "main",
                                        "_x",
                                        "1x",
                                        "18446744073709551616",
                                        "9223372036854775807",
                                        "%E2%80%AE",
                                        std::string(300, 'x'),
                                        "cost",
                                        "tuned",
                                        "device"};
    if (lines.empty()) return;
    const std::size_t at = below(lines.size(), gen);
    std::string& line = lines[at];
    switch (below(7, gen)) {
        case 0:
            lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
            return;
        case 1:
            lines.push_back(line);
            return;
        case 2:
            line.resize(below(line.size() + 1, gen));
            return;
        case 3:
            std::swap(line, lines[below(lines.size(), gen)]);
            return;
        default:
            break;
    }
    const std::size_t blank = line.find(' ', below(line.size() + 1, gen));
    const std::size_t begin = blank == std::string::npos ? 0 : blank + 1;
    line.replace(begin, line.find(' ', begin) - begin, words[below(std::size(words), gen)]);
}

std::string sealed(const std::vector<std::string>& lines)
{
    std::string body;
    for (const std::string& line : lines) body += line + '\n';
    return tk::io::detail::with_end(std::move(body));
}

/// The results, or none where they are refused by one line that names the file.
std::optional<dispatch::results> read(const std::string& text)
{
    try {
        return dispatch::parse_results(text, "theirs.results");
    } catch (const tk::error& e) {
        const std::string what = e.what();
        CHECK(what.starts_with("tunekit: "));
        CHECK(what.find("theirs.results") != std::string::npos);
        CHECK(what.find('\n') == std::string::npos);
        return std::nullopt;
    }
}

/// What both have, in a text; none where they do not go together.
std::optional<std::string> merged(const dispatch::results& a, const dispatch::results& b)
{
    try {
        return to_text(dispatch::merge_all(std::vector{a, b}).all);
    } catch (const tk::error&) {
    } catch (const std::invalid_argument&) {
    }
    return std::nullopt;
}

}  // namespace

TEST_CASE("damaged results are refused or merge the same in both orders, and headers made of them compile")
{
    const std::string good = tk::io::read_text("tests/fuzz/corpus/results/small");
    auto whole = lines_of(good.substr(0, good.rfind("end ")));
    const auto mine = dispatch::parse_results(sealed(whole), "mine.results");
    const support::temporary_folder f;
    std::string c_files, cpp_files;
    tk::random::philox gen(seed);
    std::size_t taken = 0, together = 0, headers = 0;
    for (std::size_t k = 0; k < damages; ++k) {
        CAPTURE(k);
        auto lines = whole;
        for (std::size_t n = 1 + below(3, gen); n > 0; --n) damage(lines, gen);
        if (lines == whole) continue;
        const std::string seal = sealed(whole), forged = sealed(lines);
        CHECK(!read(forged.substr(0, forged.rfind("end ")) + seal.substr(seal.rfind("end "))));
        CHECK(!read(forged.substr(0, below(forged.size(), gen))));
        const auto theirs = read(forged);
        if (!theirs) continue;
        ++taken;
        const auto both = merged(mine, *theirs);
        CHECK(both == merged(*theirs, mine));
        if (both) CHECK(dispatch::parse_results(*both, "both").rows.size() >= 1);
        if (both) ++together;
        for (const auto language : {dispatch::header_options::c99, dispatch::header_options::cpp17}) {
            const bool c = language == dispatch::header_options::c99;
            const std::string name = "h" + std::to_string(k) + (c ? "c" : "cpp");
            try {
                dispatch::write_header(f / (name + ".h"), dispatch::fit(*theirs), {.language = language});
            } catch (const std::invalid_argument&) {
                continue;  // a name that is none in the language, or nothing to choose from
            }
            const std::string path = f / (name + (c ? ".c" : ".cpp"));
            tk::io::write_text(path, "#include \"" + name + ".h\"\n");
            ++headers;
            (c ? c_files : cpp_files) += " '" + path + '\'';
        }
    }
    CHECK(taken > damages / 20);
    CHECK(headers > 0);
    const std::string flags =
        " -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wno-unused-function -Werror -fsyntax-only";
    CHECK(std::system(("cc -std=c99" + flags + c_files).c_str()) == 0);
    CHECK(std::system(("c++ -std=c++17" + flags + cpp_files).c_str()) == 0);
    MESSAGE(taken, " of ", damages, " forged files taken, ", together, " merged, ", headers, " headers");
}

TEST_CASE("a file of results of another version is refused by its version, whatever its checksum")
{
    const std::string good = tk::io::read_text("tests/fuzz/corpus/results/small");
    auto lines = lines_of(good.substr(0, good.rfind("end ")));
    for (const char* version : {"0", "2", "10", "-1", "x", ""}) {
        lines[0] = std::string("# tunekit results ") + version;
        CHECK(!read(sealed(lines)));
    }
}
