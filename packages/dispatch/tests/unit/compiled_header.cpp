// SPDX-License-Identifier: MIT
// Generated headers of two kernels, compiled as C99 and as C++17 in programs that know nothing of tunekit, choose what the
// choices do.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "packages/dispatch/tests/unit/fixtures.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/dispatch/header.hpp"
#include "tunekit/dispatch/picker.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace dispatch = tunekit::dispatch;

namespace {

constexpr const char* machine = "AuthenticAMD 25.17.1, 64 cores, avx512";
constexpr const char* kin = "AuthenticAMD 25.97.2, 2 cores, avx512";
constexpr std::array<const char*, 4> devices{machine, kin, "some \"GPU\"", "another"};

std::int64_t below(std::int64_t n, tunekit::random::philox& gen)
{
    return static_cast<std::int64_t>(tunekit::random::uniform_index(static_cast<std::uint64_t>(n), gen));
}

/// Any size, few of them large, and now and then one that is none.
std::int64_t some_size(tunekit::random::philox& gen)
{
    return (std::int64_t{1} << below(14, gen)) + below(1 << below(14, gen), gen) - below(2, gen);
}

/// 300 shapes of three sizes and a word on a machine, by the nearest, and on another device, by a tree.
dispatch::choice large(const std::string& kernel, std::uint64_t seed)
{
    tunekit::random::philox gen(seed);
    dispatch::choice out{.kernel = kernel,
                         .version = "1",
                         .sizes = {"m", "transposed", "n", "k"},
                         .parameters = {"tile", "order"},
                         .words = {{"transposed", {"no", "yes", "both"}}},
                         .one = 3};
    for (std::uint32_t k = 0; k < 6; ++k)
        out.configs.push_back(
            {.candidate = 100 + k, .values = {std::to_string(1 << k), k % 2 == 0 ? "rows" : "columns"}});
    dispatch::choice::part near{.device = machine, .general = dispatch::rung::nearest, .words = 2};
    while (near.shapes.size() < 300) {
        const auto one = [&] { return 1 + some_size(gen); };
        const dispatch::shape_sizes at{one(), 1 + below(2, gen), one(), one()};
        const auto place = std::lower_bound(near.shapes.begin(), near.shapes.end(), at,
                                            [](const auto& s, const auto& x) { return s.at < x; });
        if (place != near.shapes.end() && place->at == at) continue;
        near.shapes.insert(place, {.at = at,
                                   .config = static_cast<std::uint32_t>(below(6, gen)),
                                   .around = static_cast<std::uint32_t>(below(6, gen)),
                                   .untuned = below(2, gen) == 0,
                                   .around_untuned = below(2, gen) == 0});
    }
    near.tree = {{.config = 1}};
    dispatch::choice::part tree = near;
    tree.device = "some \"GPU\"";
    tree.general = dispatch::rung::tree;
    tree.tree = {{.of = 2, .at_most = 1, .yes = 1, .no = 2},
                 {.config = 4},
                 {.of = 4 + 8, .less = 1, .at_most = 300000, .yes = 3, .no = 4},
                 {.config = 2},
                 {.config = 5, .untuned = true}};
    out.devices = {near, tree};
    return out;
}

/// A program in both languages that answers the questions of a file: `DEVICE`, then the sizes.
std::string program(bool c)
{
    std::string text = R"(#include "tuned.hpp"
#include <stdio.h>
#define PICK() printf("%d %d %d %d\n", p.config, (int)p.by, (int)p.untuned, (int)p.on)
int main(int n, char** files)
{
    FILE* const in = fopen(files[n - 1], "r");
    char device[200];
    long long m, t, o, k;
    while (fscanf(in, "%199[^;]; %lld %lld %lld %lld\n", device, &m, &t, &o, &k) == 5) {
)";
    for (const std::string kernel : {"gemm", "conv"}) {
        const std::string name = c ? "tuned_" + kernel + "_" : "tuned::" + kernel + "::";
        text += "        { const " + name + "pick p = " + name + (c ? "pick_now_on_device" : "pick_now") +
                "(device, m, (" + name + "transposed)t, o, k); PICK(); }\n";
        if (!c)
            text +=
                "        if (" + name + "visit(" + name + "pick_for(device, m, (" + name +
                "transposed)t, o, k), [](auto c) { return c.position + 0 * int(sizeof(char[c.value.tile])); }) != " +
                name + "pick_for(device, m, (" + name + "transposed)t, o, k).config) return 1;\n";
    }
    return text + "    }\n    return 0;\n}\n";
}

}  // namespace

TEST_CASE(
    "headers of two kernels compile as C99 and C++17 without tunekit, and choose what the choices do, as pickers do")
{
    const support::temporary_folder folder;
    const std::vector<dispatch::choice> all{large("gemm", 1), large("conv", 2)};
    tunekit::random::philox gen(3);
    std::string questions, answers, forced;
    std::array<int, 4> by{};
    std::array<int, 3> on{};
    std::map<std::pair<std::string, const char*>, dispatch::picker> pickers;
    for (const auto& c : all)
        for (const char* const device : devices) pickers[{c.kernel, device}] = dispatch::picker(c, device);
    for (int k = 0; k < 3000; ++k) {
        const char* const device = devices[static_cast<std::size_t>(below(4, gen))];
        const auto& measured = all[static_cast<std::size_t>(k % 2)].devices[0].shapes;
        dispatch::shape_sizes at{some_size(gen), 1 + below(3, gen), some_size(gen), some_size(gen)};
        if (k % 3 == 0) at = measured[static_cast<std::size_t>(below(300, gen))].at;
        if (k % 101 == 0) at[2] = std::int64_t{1} << 62;
        questions += std::string(device) + ';';
        for (const auto x : at) questions += ' ' + std::to_string(x);
        questions += '\n';
        for (const auto& c : all) {
            const auto p = c.choose(device, at);
            CHECK(pickers[{c.kernel, device}](at) == p);
            ++by[static_cast<std::size_t>(p.by)];
            ++on[static_cast<std::size_t>(p.on)];
            const std::string rest = ' ' + std::to_string(static_cast<int>(p.on)) + '\n';
            answers += std::to_string(p.config) + ' ' + std::to_string(static_cast<int>(p.by)) +
                       (p.untuned ? " 1" : " 0") + rest;
            forced += c.kernel == "conv" ? "4 4 0" + rest
                                         : std::to_string(p.config) + ' ' + std::to_string(static_cast<int>(p.by)) +
                                               (p.untuned ? " 1" : " 0") + rest;
        }
    }
    for (const int count : by) CHECK(count > 300);
    for (const int count : on) CHECK(count > 300);
    tunekit::io::write_text(folder / "questions", questions);
    for (const bool c : {true, false}) {
        dispatch::write_header(folder / "tuned.hpp", std::span(all),
                               {.language = c ? dispatch::header_options::c99 : dispatch::header_options::cpp17});
        const std::string source = folder / (c ? "use.c" : "use.cpp"), run = folder / "use";
        tunekit::io::write_text(source, program(c));
        const std::string build = std::string(c ? "cc -std=c99" : "c++ -std=c++17") +
                                  " -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -o '" + run + "' '" +
                                  source + "'";
        REQUIRE(std::system(build.c_str()) == 0);
        const auto answered = [&](const std::string& before) {
            REQUIRE(
                std::system((before + " '" + run + "' '" + folder / "questions" + "' > '" + folder / "answers" + "'")
                                .c_str()) == 0);
            return tunekit::io::read_text(folder / "answers");
        };
        CHECK(answered("env -u TUNEKIT_DISPATCH") == answers);
        CHECK(answered("TUNEKIT_DISPATCH='gemm=5 conv=104'") == forced);  // gemm has no candidate 5
        CHECK(answered("TUNEKIT_DISPATCH='convolution=104 conv=104x'") == answers);
    }
}
