// SPDX-License-Identifier: MIT
#include "tunekit/space/expression.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace sp = tunekit::space;

namespace {

const std::vector<std::string> names{"a", "b", "c"};

/// Whether the expression holds for a, b, c.
bool holds(const std::string& text, std::int64_t a = 0, std::int64_t b = 0, std::int64_t c = 0)
{
    const std::int64_t values[] = {a, b, c};
    return sp::expression(text, names).holds([&](std::size_t j) { return values[j]; });
}

void check_message(const std::string& text, const std::string& message)
{
    CAPTURE(text);
    CHECK_THROWS_WITH_AS((void)holds(text), ("tunekit: space: constraint '" + text + "': " + message).c_str(),
                         std::invalid_argument);
}

}  // namespace

// Every expectation below was printed by CPython 3.11.
TEST_CASE("precedence is Python's")
{
    CHECK(holds("1 + 2 * 3 == 7"));
    CHECK(holds("(1 + 2) * 3 == 9"));
    CHECK(holds("10 - 4 - 3 == 3"));
    CHECK(holds("100 // 7 * 7 == 98"));
    CHECK(holds("100 / 8 / 2 == 25 / 4"));
    CHECK(holds("- 7 // 2 == -4"));
    CHECK(holds("-(7 // 2) == -3"));
    CHECK(holds("2 - -3 == 5"));
    CHECK(holds("not 1 == 2"));  // not (1 == 2)
    CHECK(holds("(not 1) == 0"));
    CHECK(holds("not 0 and 1"));
    CHECK(holds("1 or 0 and 0"));  // 1 or (0 and 0)
    CHECK_FALSE(holds("(1 or 0) and 0"));
    CHECK(holds("not not 5"));
    CHECK(holds("1 + 1 < 3 and 2 * 2 >= 4"));
}

TEST_CASE("a name is any text: letters of all languages as they stand, everything else in backquotes")
{
    const std::vector<std::string> odd{
        "gr\xC3\xB6\xC3\x9F"
        "e",
        "units/0", "3a", "a"};
    const auto value = [&](const std::string& text) {
        return sp::expression(text, odd).value([](std::size_t j) { return static_cast<std::int64_t>(j) + 1; });
    };
    CHECK(value("gr\xC3\xB6\xC3\x9F"
                "e + 2 * `units/0`") == 5);
    CHECK(value("`3a`*a") == 12);
    CHECK(value("`a`") == 4);
    check_message("a < `d`", "column 5: no parameter is called 'd', want one of a, b, c");
    check_message("a < `b", "column 5: a name without an end, want a closing `");
    check_message("a < ``", "column 5: no parameter is called '', want one of a, b, c");
}

TEST_CASE("floor division and remainder round down, for integers and quotients")
{
    CHECK(holds("7 // 2 == 3 and -7 // 2 == -4 and 7 // -2 == -4 and -7 // -2 == 3"));
    CHECK(holds("7 % 3 == 1 and -7 % 3 == 2 and 7 % -3 == -2 and -7 % -3 == -1"));
    CHECK(holds("6 % -3 == 0 and -6 // 3 == -2"));
    CHECK(holds("(7 / 2) // 1 == 3 and (-7 / 2) // 1 == -4"));
    CHECK(holds("(7 / 2) % 2 == 3 / 2 and (-7 / 2) % 2 == 1 / 2"));
    CHECK(holds("32 % ((16 * 8) / 32) == 0"));
    CHECK_FALSE(holds("32 % ((8 * 8) / 48) == 0"));
}

TEST_CASE("division is true division; comparing it with integers is exact")
{
    CHECK(holds("7 / 2 == 3 + 1 / 2"));
    CHECK(holds("7 / 2 != 3"));
    CHECK(holds("6 / 2 == 3"));
    CHECK(holds("1 / 3 + 1 / 3 + 1 / 3 == 1"));
    CHECK_FALSE(holds("1 / 10 + 2 / 10 == 3 / 10"));  // as in Python
    CHECK_FALSE(holds("9007199254740993 == 9007199254740992 / 1"));
    CHECK(holds("9007199254740993 > 9007199254740992 / 1"));
    CHECK(holds("-9007199254740993 < -9007199254740992 / 1"));
    CHECK(holds("1 / 2 > 0 and 0 < 1 / 2 and -1 / 2 < 0 and 0 > -1 / 2"));
}

TEST_CASE("comparisons chain and give 0 or 1")
{
    CHECK(holds("1 < 2 < 3"));
    CHECK_FALSE(holds("3 > 2 > 2"));
    CHECK(holds("1 < 3 > 2"));
    CHECK(holds("1 == 1 == 1"));
    CHECK_FALSE(holds("2 == 2 == 1"));
    CHECK(holds("(2 == 2) == 1"));
    CHECK(holds("(1 < 2) + (2 < 3) == 2"));
    CHECK(holds("32 <= a * b <= 64", 8, 8));
    CHECK_FALSE(holds("32 <= a * b <= 64", 8, 9));
}

TEST_CASE("and, or give an operand and skip the other")
{
    CHECK(holds("(0 or 5) == 5"));
    CHECK(holds("(3 and 5) == 5"));
    CHECK(holds("(0 and 5) == 0"));
    CHECK(holds("a == 0 or 10 % a == 0", 0));
    CHECK_FALSE(holds("a != 0 and 10 // a == 5", 0));
    CHECK_FALSE(holds("1 > 2 > 1 // 0"));  // the chain ends at its first false link
}

TEST_CASE("an expression knows the names in it")
{
    CHECK(sp::expression("c * 2 > a + c", names).names_used() == std::vector<std::size_t>{0, 2});
    CHECK(sp::expression("1<2", names).names_used().empty());
    CHECK(holds("a<b", 1, 2));
    CHECK(holds("  a\t%b==c ", 7, 4, 3));
}

TEST_CASE("a bad expression names itself, the column and what was expected")
{
    check_message("", "column 1: found the end, want a number, the name of a parameter or '('");
    check_message("a +", "column 4: found the end, want a number, the name of a parameter or '('");
    check_message("a + * b", "column 5: found '*', want a number, the name of a parameter or '('");
    check_message("a b", "column 3: found 'b', want an operator or the end");
    check_message("a = b", "column 3: found '=', want an operator or the end");
    check_message("a ** 2", "column 3: found '**', want an operator or the end");
    check_message("a == not b", "column 6: found 'not', want a number, the name of a parameter or '('");
    check_message("(a + b", "column 7: found the end, want an operator or ')'");
    check_message("a + b)", "column 6: found ')', want an operator or the end");
    check_message("a <= tile", "column 6: no parameter is called 'tile', want one of a, b, c");
    check_message("a < 1.5.2", "column 8: found '.' in a number, want a number");
    check_message("a < 1e999", "column 5: the number is out of range, want one of a double");
    check_message("a == 'x'", "column 6: no parameter has the value 'x', want one that a parameter has");
    check_message("a == 'x", "column 6: a text without an end, want a closing quote");
    check_message("2a", "column 2: found 'a' in a number, want a number");
    check_message("99999999999999999999", "column 1: the integer is too large, want at most 2^63 - 1");
    check_message(std::string(300, '(') + "a", "column 201: nested more than 200 deep, want a simpler expression");
    check_message(std::string(300, '-') + "a", "column 201: nested more than 200 deep, want a simpler expression");
}

TEST_CASE("an evaluation without a value names the expression and the column")
{
    check_message(
        "10 % a == 0",
        "column 4: division by zero for some values, want a constraint that excludes them with 'and' or 'or'");
    check_message(
        "1 / (a - b)",
        "column 3: division by zero for some values, want a constraint that excludes them with 'and' or 'or'");
    check_message("9223372036854775807 + 1 > a",
                  "column 21: an integer beyond 64 bits for some values, want smaller ones");
    check_message("9223372036854775807 * 2 > a",
                  "column 21: an integer beyond 64 bits for some values, want smaller ones");
    check_message("(-9223372036854775807 - 1) // -1 > a",
                  "column 28: an integer beyond 64 bits for some values, want smaller ones");
    check_message("9007199254740993 / 3 > a",
                  "column 18: a quotient of integers beyond 2^53 for some values, want '//'");
}

TEST_CASE("as many operators as a stack holds, and no more")
{
    const std::vector<std::string> a{"a"};
    for (const std::string op : {"+", " and ", " or ", "*"}) {
        CAPTURE(op);
        std::string text = "a";
        for (int k = 0; k < 1000; ++k) text += op + 'a';
        CHECK(tunekit::space::expression(text, a).holds([](std::size_t) { return 1; }));
        for (int k = 0; k < 100'000; ++k) text += op + 'a';
        CHECK_THROWS_WITH_AS(tunekit::space::expression(text, a),
                             doctest::Contains("more than 1000 operators one upon another, want a simpler expression"),
                             std::invalid_argument);
    }
    std::string chain = "a";  // a chain is one level
    for (int k = 0; k < 100'000; ++k) chain += "<=a";
    CHECK(tunekit::space::expression(chain, names).holds([](std::size_t) { return 1; }));
    const std::string text(10'000'000, 'x');
    std::string said;
    try {
        (void)tunekit::space::expression(text, a);
    } catch (const std::invalid_argument& e) {
        said = e.what();
    }
    CHECK(said.size() < 1000);
    CHECK(said.find("no parameter is called") != std::string::npos);
}
