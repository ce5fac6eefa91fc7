// SPDX-License-Identifier: MIT
// A space on the command line: every form gives the values that it stands for, and what is wrong is one line.
#include "tools/support/space_words.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace {

namespace tk = tunekit;
using programs::space_option;

space_option parameter(const std::string& word) { return {"--parameter", {word}}; }

/// The values of the only parameter, as JSON.
std::string values(const std::vector<space_option>& options)
{
    const auto file = programs::space_of_options(options);
    REQUIRE(file.parameters.size() == 1);
    return programs::json_of(file)["parameters"][0]["values"].dump();
}

std::string values(const std::string& word) { return values({parameter("a=" + word)}); }

std::string refusal(const std::vector<space_option>& options)
{
    try {
        static_cast<void>(programs::space_of_options(options));
    } catch (const std::exception& e) {
        return e.what();
    }
    return "nothing was refused";
}

void refused(const std::vector<space_option>& options, const std::string& words)
{
    const std::string said = refusal(options);
    CAPTURE(said);
    CHECK(said.find(words) != std::string::npos);
}

}  // namespace

TEST_CASE("a list is of numbers where every word is one, else of texts")
{
    CHECK(values("1,2,4,8") == "[1,2,4,8]");
    CHECK(values("-3,0.5,1.0,1e-3") == "[-3,0.5,1.0,0.001]");
    CHECK(values("gcc,clang") == R"(["gcc","clang"])");
    CHECK(values("1,2,many") == R"(["1","2","many"])");
    CHECK(values(",-O3") == R"(["","-O3"])");
    CHECK(values(R"(a\,b,c\\,d\e)") == R"(["a,b","c\\","d\\e"])");
    CHECK(values("'1',\"2,3\"") == R"(["1","2,3"])");
    CHECK(values("1,'2'") == R"(["1","2"])");
    CHECK(values("x=y,it's") == R"(["x=y","it's"])");
}

TEST_CASE("what would be written back as another text is no number: versions, numbers with zeros before them")
{
    CHECK(values("3.9,3.10") == R"(["3.9","3.10"])");
    CHECK(values("01,02") == R"(["01","02"])");
    CHECK(values("inf,nan") == R"(["inf","nan"])");
    CHECK(values("0x10,+5") == R"(["0x10","+5"])");
    CHECK(values("12345678901234567890123") == R"(["12345678901234567890123"])");
}

TEST_CASE("ranges have a step or a factor, and their last number where it is met")
{
    CHECK(values("1..4") == "[1,2,3,4]");
    CHECK(values("-1..1") == "[-1,0,1]");
    CHECK(values("5..5") == "[5]");
    CHECK(values("1..9:4") == "[1,5,9]");
    CHECK(values("1..8:4") == "[1,5]");
    CHECK(values("0..0.3:0.1") == "[0.0,0.1,0.2,0.3]");
    CHECK(values("8..512*2") == "[8,16,32,64,128,256,512]");
    CHECK(values("8..100*2") == "[8,16,32,64]");
    CHECK(values("0.001..1*10") == "[0.001,0.01,0.1,1.0]");
    CHECK(values("2^0..2^4") == "[1,2,4,8,16]");
    CHECK(values("2^-1..2^1") == "[0.5,1.0,2.0]");
    CHECK(values("1..3,8,16..32*2") == "[1,2,3,8,16,32]");
    CHECK(values("1..3,auto") == R"(["1","2","3","auto"])");
    CHECK(values("../a,b..c") == R"(["../a","b..c"])");
    CHECK(values("permutation(3)") == "[[0,1,2],[0,2,1],[1,0,2],[1,2,0],[2,0,1],[2,1,0]]");
}

TEST_CASE("-L, -P and -D mean what they mean in hyperfine")
{
    const auto list = [](const std::string& text) { return values({{"-L", {"a", text}}}); };
    CHECK(list("gcc,clang") == R"(["gcc","clang"])");
    CHECK(list("1,2") == "[1,2]");
    CHECK(list("1..3,'x'") == R"(["1..3","'x'"])");  // which has neither ranges nor quotes
    CHECK(list(R"(a\,b)") == R"(["a,b"])");
    const space_option whole{"-P", {"a", "1", "8"}}, fraction{"-P", {"a", "0.5", "1.5"}};
    CHECK(values({whole}) == "[1,2,3,4,5,6,7,8]");
    CHECK(values({whole, {"-D", {"3"}}}) == "[1,4,7]");
    CHECK(values({fraction, {"-D", {"0.5"}}}) == "[0.5,1.0,1.5]");
    CHECK(values({{"-P", {"a", "0", "1"}}, {"-D", {"0.5"}}}) == "[0.0,0.5,1.0]");
    const auto two = programs::space_of_options({whole, {"-D", {"7"}}, {"-P", {"b", "1", "3"}}});
    CHECK(programs::json_of(two)["parameters"].dump() ==
          R"([{"name":"a","values":[1,8]},{"name":"b","values":[1,2,3]}])");
}

TEST_CASE("--where leaves out what does not satisfy it, in the words of a space file or of C")
{
    const std::vector<space_option> options{parameter("threads=1,2,4"),
                                            parameter("tile=128..512*2"),
                                            {"--where", {"threads * tile <= 512"}},
                                            {"--where", {"threads > 1 && tile != 512"}}};
    CHECK(programs::space_of_options(options).space().size() == 3);  // 2 128, 2 256, 4 128
}

TEST_CASE("options stand beside a file, whose default has the first value of what it does not know")
{
    const auto text = R"({"parameters": [{"name": "tile", "values": [1, 2]}], "default": {"tile": 2}})";
    const auto file = tk::io::detail::parse_space_file(text, "space.json");
    const auto both = programs::space_of_options({parameter("mode=x,y"), parameter("order=permutation(2)")}, file);
    CHECK(both.space().size() == 8);
    CHECK(both.untuned == std::vector<std::string>{"2", "x", "(0, 1)"});
    // What a log holds is read as the same space.
    const auto again = tk::io::detail::parse_space_file(programs::json_of(both).dump(), "log");
    CHECK(programs::json_of(again) == programs::json_of(both));
    refused({{"--where", {"tile > 9"}}}, "is empty, want one parameter or more");
}

TEST_CASE("what is wrong is said in a line that names the option")
{
    refused({parameter("tile=")}, "--parameter tile=: has no values, want such as NAME=1,2,4");
    refused({parameter("tile")}, "--parameter tile: want NAME=VALUES, such as threads=1,2,4,8 or tile=8..512*2");
    refused({parameter("=1")}, "want NAME=VALUES");
    refused({parameter("a b=1")}, "parameters[0].name: is not a name, want one without blanks");
    refused({parameter("a=1,2"), parameter("a=3")}, "'a'");
    refused({parameter("a=1,2,1")}, "space: parameter 'a': value 1 is there twice");
    refused({parameter("a=8..1")}, "--parameter a=8..1: a range from above to below, want the smaller number first");
    refused({parameter("a=0..1:0.5..")}, "'0.5..' is not a number, want one");
    refused({parameter("a=0.5..1")}, "a range of fractions has no step, want one: 0..1:0.25");
    refused({parameter("a=1..x")}, "'x' is not a number, want one");
    refused({parameter("a=1..9:")}, "nothing follows ':', want a number");
    refused({parameter("a=1..9:0")}, "the step is not above 0, want one that is");
    refused({parameter("a=0..9*2")}, "or from a number that is not above 0; want 8..512*2");
    refused({parameter("a=1..9*1")}, "a factor of 1 or less");
    refused({parameter("a=2^0..3^2")}, "powers are of one number, want such as 2^0..2^10");
    refused({parameter("a=1..70000")}, "a range of more than 65535 values, want a larger step");
    refused({parameter("a=1..1e300:1e299")}, "want numbers below 1e15 in a range");
    refused({parameter("a='x")}, "a quote is not closed, want pairs");
    refused({parameter("a='x'y,z")}, "something follows a quoted value, want a comma there");
    refused({parameter("a=permutation(x)")}, "want a number of entries, such as permutation(3)");
    refused({parameter("a=permutation(9)")}, "is a permutation of 9 entries, want 1 to 8");
    refused({{"-L", {"a", ""}}}, "-L a : has no values");
    refused({{"-P", {"a", "one", "8"}}}, "-P a one 8: 'one' is not a number, want one");
    refused({{"-P", {"a", "0.5", "1"}}}, "a range of fractions has no step, want one by -D STEP");
    refused({{"-P", {"a", "1", "8"}}, {"-D", {"x"}}}, "'x' is not a number");
    refused({{"-D", {"2"}}}, "-D 2: is no step of a -P, want it right behind one");
    refused({{"-P", {"a", "1", "8"}}, {"-D", {"2"}}, {"-D", {"3"}}}, "-D 3: is no step of a -P");
    refused({parameter("tile=1,2"), {"--where", {"tille <= 4"}}},
            "the command line: space: constraint 'tille <= 4': column 1: no parameter is called 'tille', want tile");
    refused({parameter("tile=1,2"), {"--where", {"tile > 9"}}}, "leaves nothing, want one that some values fulfil");
    refused({parameter("tile=\xff")}, "is not UTF-8");
}
