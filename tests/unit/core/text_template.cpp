// SPDX-License-Identifier: MIT
#include "tunekit/core/text_template.hpp"

#include <doctest/doctest.h>

#include <regex.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace tk = tunekit;
using tk::core::text_template;

TEST_CASE("text_template: names in braces are replaced, all other braces stay")
{
    const std::vector<std::string> names{"tile", "n-1", "a.b"};
    const std::vector<std::string> values{"64", "{tile}", "; rm -rf /"};
    const auto filled = [&](const char* text) { return text_template(text, names).filled(values); };
    CHECK(filled("--tile={tile}") == "--tile=64");
    CHECK(filled("{tile}{tile}x{n-1}") == "6464x{tile}");  // values are not looked at again
    CHECK(filled("{a.b}") == "; rm -rf /");
    CHECK(filled("{{tile}} {tile}") == "{tile} 64");
    CHECK(filled("") == "");
    for (const char* same :
         {"{", "}", "{}", "{ tile }", "{tile", "int f() { return 0; }", "{\"k\": 1}", "{{", "{{}}", "{tile "})
        CHECK(filled(same) == same);
    CHECK(text_template("{n-1}", names).uses(1));
    CHECK(!text_template("{n-1}", names).uses(0));
    CHECK(text_template("{{tile}}", names).constant());
    CHECK(text_template("{tile}", names).alone());
    CHECK_FALSE(text_template("{tile}{tile}", names).alone());
    CHECK_FALSE(text_template("{tile} ", names).alone());
    CHECK_THROWS_WITH_AS(text_template("-x{tille}", names, "command '-x{tille}'"),
                         "tunekit: command '-x{tille}': no parameter is called {tille}, want tile, or {{tille}} for "
                         "the text itself",
                         std::invalid_argument);
}

TEST_CASE("text_template: whatever may be a name is one between braces; what is none stays text")
{
    const std::vector<std::string> names{
        "gr\xC3\xB6\xC3\x9F"
        "e",
        "units/0", "a+b", "x;y"};
    const std::vector<std::string> values{"1", "2", "3", "4"};
    for (std::size_t j = 0; j < names.size(); ++j) {
        CAPTURE(names[j]);
        CHECK(tk::core::is_name(names[j]));
        CHECK(text_template("<{" + names[j] + "}>", names).filled(values) == "<" + values[j] + ">");
        CHECK(text_template("{{" + names[j] + "}}", names).filled(values) == "{" + names[j] + "}");
    }
    for (const char* same : {"{units/1}", "{a+c}", "{x;}", "{a +b}"})
        CHECK(text_template(same, names).filled(values) == same);
    for (const char* none : {"", "a b", "a,b", "{a", "a}", "a=b", "'a'", "\"", "a`", "a\n", "a\x7f"})
        CHECK_FALSE(tk::core::is_name(none));
}

TEST_CASE("text_template: agrees with a regular expression, for random texts")
{
    const std::vector<std::string> names{"a"};
    const std::vector<std::string> values{"1"};
    regex_t placeholder;
    REQUIRE(::regcomp(&placeholder, "\\{(\\{a+\\})\\}|\\{(a+)\\}", REG_EXTENDED) == 0);
    tk::random::philox gen(7);
    std::size_t replaced = 0;
    for (int k = 0; k < 5000; ++k) {
        std::string text;
        for (int i = 0; i < 10; ++i) text += "{{}}a "[tk::random::uniform_index(6, gen)];
        std::string want;
        bool unknown = false;
        const char* rest = text.c_str();
        for (regmatch_t m[3]; ::regexec(&placeholder, rest, 3, m, 0) == 0; rest += m[0].rm_eo) {
            want.append(rest, static_cast<std::size_t>(m[0].rm_so));
            if (m[1].rm_so >= 0) want.append(rest + m[1].rm_so, static_cast<std::size_t>(m[1].rm_eo - m[1].rm_so));
            else want += "1";
            unknown = unknown || (m[2].rm_so >= 0 && m[2].rm_eo - m[2].rm_so != 1);
            ++replaced;
        }
        want += rest;
        CAPTURE(text);
        if (unknown) CHECK_THROWS_AS(text_template(text, names), std::invalid_argument);
        else CHECK(text_template(text, names).filled(values) == want);
    }
    ::regfree(&placeholder);
    CHECK(replaced > 500);
}

TEST_CASE("text_values: numbers and texts by name, of a text that is filled once")
{
    tk::core::text_values known("a kernel's text");
    known.set("tile threads", 64, "8").set("type", std::string("{tile}"));
    CHECK(known.in("{type}[{tile}] of {threads}; {}") == "{tile}[64] of 8; {}");
    CHECK_THROWS_WITH_AS(
        (void)known.in("{tiles}"),
        "tunekit: a kernel's text: no parameter is called {tiles}, want tile, or {{tiles}} for the text "
        "itself",
        std::invalid_argument);
    CHECK_THROWS_AS(known.set("a b", 1), std::logic_error);
}
