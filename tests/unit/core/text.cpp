// SPDX-License-Identifier: MIT
#include "tunekit/core/text.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

#include "tunekit/random/philox.hpp"

namespace core = tunekit::core;

namespace {

/// Both readers' answers to one text; the one of the standard library where it reads doubles.
void compare(std::string_view text)
{
    if constexpr (core::detail::read_by_library<double>) {
        const core::detail::leading<double> ours = core::detail::leading_double(text),
                                            its = core::leading_number<double>(text);
        INFO(std::string(text));
        REQUIRE(ours.length == its.length);
        REQUIRE(ours.fits == its.fits);
        if (std::isnan(its.value)) REQUIRE(std::isnan(ours.value));
        else REQUIRE(std::bit_cast<std::uint64_t>(ours.value) == std::bit_cast<std::uint64_t>(its.value));
    }
}

std::string written(double x, std::chars_format form, int digits)
{
    char text[1200];
    const auto [end, bad] = std::to_chars(text, text + sizeof text, x, form, digits);
    return bad == std::errc{} ? std::string(text, end) : std::string();
}

}  // namespace

TEST_CASE("a double is read exactly, without the standard library's help too")
{
    tunekit::random::philox gen(7);
    for (int n = 0; n < 20000; ++n) {
        const double x = std::bit_cast<double>((std::uint64_t{gen()} << 32) | gen());
        char text[40];
        const std::string shortest(text, std::to_chars(text, text + sizeof text, x).ptr);
        const auto read = core::detail::leading_double(shortest);
        CHECK(read.length == shortest.size());
        CHECK((std::isnan(x) || std::bit_cast<std::uint64_t>(read.value) == std::bit_cast<std::uint64_t>(x)));
        CHECK(core::number<double>(shortest).has_value());
        compare(shortest);
        if (!std::isfinite(x)) continue;
        compare(written(x, std::chars_format::scientific, 16));
        compare(written(x, std::chars_format::scientific, 3));
        // Half way between two doubles, a digit above it and one below it.
        const std::string whole = std::to_string((std::uint64_t{1} << 52) | (std::bit_cast<std::uint64_t>(x) >> 12));
        const std::string zeros(gen() % 50, '0'), power = "e" + std::to_string(static_cast<int>(gen() % 600) - 320);
        for (const std::string& tail :
             {std::string(".5"), ".5" + zeros + "1", std::string(".4999999999999999999999999")}) {
            compare(whole + tail);
            compare(whole + tail + power);
        }
    }
}

TEST_CASE("what is not a number, or only begins with one, is told as the standard library tells it")
{
    for (const char* text : {"",
                             "-",
                             "+1",
                             " 1",
                             "1 ",
                             ".",
                             "-.",
                             ".5",
                             "5.",
                             "-.5e",
                             "1e",
                             "1e+",
                             "1e-",
                             "1e5x",
                             "e5",
                             "1.2.3",
                             "0x10",
                             "0x1p3",
                             "inf",
                             "-inf",
                             "INFINITY",
                             "infinit",
                             "iNf1",
                             "nan",
                             "-NaN",
                             "nan(",
                             "nan()",
                             "nan(a_1)",
                             "nan(-)",
                             "nanx",
                             "1e309",
                             "-1e309",
                             "1e308",
                             "1e-323",
                             "1e-324",
                             "1e-400",
                             "0e999",
                             "0.0e999",
                             "-0",
                             "-0e-9",
                             "00000001",
                             "1,5",
                             "1'000",
                             "2e-324",
                             "3e-324",
                             "9e99999999999999999999",
                             "9e-99999999999999999999",
                             "1.7976931348623157e308",
                             "1.7976931348623159e308",
                             "2.2250738585072011e-308",
                             "9007199254740993",
                             "9007199254740992.99999999999999999999999",
                             "0.1e1e1",
                             "--1",
                             "1-1"})
        compare(text);
    compare(std::string("1\0002", 3));
    compare(std::string(5000, '9') + "e-5000");
    compare("0." + std::string(5000, '0') + "1e5000");
    compare("1" + std::string(5000, '0') + "e-5001");
    const std::string_view unended = std::string_view("3.1415").substr(0, 3);
    CHECK(core::number<double>(unended) == 3.1);
    CHECK(core::detail::leading_double(unended).value == 3.1);

    const std::string_view letters = "0123456789012345..eE+--infatynINFATY()_ xp,";
    tunekit::random::philox gen(8);
    for (int n = 0; n < 200000; ++n) {
        std::string text;
        for (auto left = 1 + gen() % 12; left > 0; --left) text += letters[gen() % letters.size()];
        compare(text);
    }
}

TEST_CASE("no locale changes how a number is read")
{
    const std::string before = std::setlocale(LC_ALL, nullptr);
    for (const char* name : {"de_DE.UTF-8", "tr_TR.UTF-8", "C"}) {
        if (std::setlocale(LC_ALL, name) == nullptr) continue;
        CHECK(core::number<double>("2.5e-1") == 0.25);
        CHECK_FALSE(core::number<double>("2,5"));
        CHECK(core::detail::leading_double("2.5e-1").value == 0.25);
        CHECK(core::detail::leading_double("2,5").length == 1);
        CHECK(core::detail::leading_double("INFINITY").length == 8);
    }
    std::setlocale(LC_ALL, before.c_str());
}

TEST_CASE("a number is the whole text, and fits")
{
    CHECK(core::number<int>("-12") == -12);
    CHECK_FALSE(core::number<int>("12 "));
    CHECK_FALSE(core::number<int>(""));
    CHECK_FALSE(core::number<std::uint8_t>("256"));
    CHECK(core::number<std::uint8_t>("255") == 255);
    CHECK_FALSE(core::number<double>("1e999"));
    CHECK(core::number<double>("inf") == std::numeric_limits<double>::infinity());
    const auto begins = core::leading_number<double>("1.5e3) < 2");
    CHECK(begins.value == 1500);
    CHECK(begins.length == 5);
}

TEST_CASE("a number as text is printf's, with a point in every locale")
{
    const std::string before = std::setlocale(LC_ALL, nullptr);
    const auto printed = [](const char* format, int digits, double x) {
        char text[400];
        std::snprintf(text, sizeof text, format, digits, x);
        return std::string(text);
    };
    const std::initializer_list<double> numbers{0.0, -0.0, 1.0, 0.05, 12.25, 1e7, 123456.789, -3e-5, 5e-324, 1.7e308};
    for (const double x : numbers)
        for (const int digits : {0, 1, 4, 9}) {
            CHECK(core::text_of(x, std::chars_format::fixed, digits) == printed("%.*f", digits, x));
            CHECK(core::text_of(x, std::chars_format::scientific, digits) == printed("%.*e", digits, x));
            CHECK(core::text_of(x, std::chars_format::general, digits) == printed("%.*g", digits, x));
        }
    for (const char* name : {"de_DE.UTF-8", "C"})
        if (std::setlocale(LC_ALL, name) != nullptr)
            CHECK(core::text_of(12.25, std::chars_format::fixed, 2) == "12.25");
    std::setlocale(LC_ALL, before.c_str());
}
