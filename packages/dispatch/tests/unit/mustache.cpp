// SPDX-License-Identifier: MIT
#include "tunekit/dispatch/detail/mustache.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "packages/dispatch/tests/unit/fixtures.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/dispatch/json.hpp"
#include "tunekit/processes/files/text.hpp"

namespace dispatch = tunekit::dispatch;
using dispatch::detail::mustache;

namespace {

const std::string here = "packages/dispatch/tests/unit/";

std::string error_of(std::string_view text, const mustache::json& data)
{
    try {
        return mustache(text, "my.txt").filled(data);
    } catch (const tunekit::error& e) {
        return e.what();
    }
}

/// What the program prints that has the lines behind the header.
std::string printed(const std::vector<dispatch::choice>& all, const std::string& form, const std::string& before,
                    const std::string& main)
{
    const support::temporary_folder folder;
    const std::string file = "packages/dispatch/templates/" + form;
    dispatch::write_header(folder / "filled.hpp", all, tunekit::io::read_text(file), file);
    tunekit::io::write_text(folder / "use.cpp",
                            before + "#include \"filled.hpp\"\n#include <cstdio>\nint main() {\n" + main + "}\n");
    REQUIRE(std::system(("c++ -std=c++20 -Wall -Wextra -Werror -o '" + folder / "use" + "' '" + folder / "use.cpp" +
                         "' && '" + folder / "use" + "' > '" + folder / "out" + "'")
                            .c_str()) == 0);
    return tunekit::io::read_text(folder / "out");
}

}  // namespace

TEST_CASE(
    "the tests of Mustache's specification; where a name is missing there, here is an error, and nothing is escaped")
{
    const auto spec = mustache::json::parse(tunekit::io::read_text(here + "mustache_spec.json"));
    std::size_t same = 0, missing = 0;
    for (const auto& t : spec["tests"]) {
        const std::string name = t["name"], template_text = t["template"], want = t["expected"];
        if (name.find("HTML") != name.npos) continue;
        CAPTURE(name);
        const std::string have = error_of(template_text, t["data"]);
        if (have.starts_with("tunekit: my.txt:1: nothing is called ")) {
            ++missing;
            continue;
        }
        CHECK(have == want);
        ++same;
    }
    CHECK(missing == 11);
    CHECK(same == 108);
}

TEST_CASE("what is wrong in a template is one line with file and line")
{
    const mustache::json data{{"tile", 4}, {"list", {1, 2}}, {"a", {{"b", 1}}}};
    CHECK(error_of("\n{{tille}}", data) == "tunekit: my.txt:2: nothing is called tille here, want tile");
    CHECK(error_of("{{x.y}}", data) == "tunekit: my.txt:1: nothing is called x.y here, want one of tile, list, a");
    CHECK(error_of("{{a.c}}", data) == "tunekit: my.txt:1: nothing is called a.c here, want a.b");
    CHECK(error_of("{{^no}}{{/no}}", data) ==
          "tunekit: my.txt:1: nothing is called no here, want one of tile, list, a");
    CHECK(error_of("x\n{{#list}}\n\n", data) ==
          "tunekit: my.txt:2: the section {{#list}} does not end, want {{/list}}");
    CHECK(error_of("{{^list}}{{#a}}\n{{/list}}", data) ==
          "tunekit: my.txt:2: {{/list}} ends no section, want {{/a}} of line 1");
    CHECK(error_of("{{/a}}", data) == "tunekit: my.txt:1: {{/a}} ends no section");
    CHECK(error_of("\n\nint a[2] = {{1, 2};", data) == "tunekit: my.txt:3: the tag {{ does not end, want }}");
    CHECK(error_of("{{{tile}}", data) == "tunekit: my.txt:1: the tag {{ does not end, want }}}");
    CHECK(error_of("{{>more}}", data) == "tunekit: my.txt:1: {{>more}} is a partial, want its text here");
    CHECK(error_of("{{=a=}}", data) == "tunekit: my.txt:1: want two words between the signs =, such as {{=<% %>=}}");
    CHECK(error_of("{{list}}", data) == "tunekit: my.txt:1: list is no value but has parts, want {{#list}}");
    CHECK(error_of("{{", data) == "tunekit: my.txt:1: the tag {{ does not end, want }}");
    CHECK(error_of("", data).empty());
}

TEST_CASE("a template of one's own names every part of a choice")
{
    const support::temporary_folder folder;
    const std::vector<dispatch::choice> all{fixtures::by_hand()};
    const auto filled = [&](std::string_view text) {
        dispatch::write_header(folder / "out", all, text, "t");
        return tunekit::io::read_text(folder / "out");
    };
    CHECK(filled("{{#kernels}}{{kernel}} {{version}} {{fingerprint}} {{one.candidate}}{{/kernels}}") ==
          "gemm \\ 2 1 fedcba9876543210 7");
    CHECK(
        filled("{{#kernels}}{{#sizes}}{{name}}{{^last}},{{/last}}{{/sizes}}:{{#parameters}}{{#first}}{{name}}{{/first}}"
               "{{/parameters}}{{/kernels}}") == "m,n,k:pack");
    CHECK(filled("{{#kernels}}{{#configs}}{{position}} {{value.order}} {{literal.share}} "
                 "{{share}}\n{{/configs}}{{/kernels}}") == "0 a\"b\\c? 0.1 1\n1 x\t1 1e-300 2\n2  2.0 1\n");
    CHECK(filled("{{#kernels}}{{#devices}}{{device}}|{{date}}\n{{#shapes}}  {{#sizes}}{{name}}={{size}} {{/sizes}}at "
                 "{{at.m}} "
                 "{{config.literal.tile}} {{around.position}}{{#untuned}} untuned{{/untuned}}\n{{/shapes}}{{/devices}}"
                 "{{/kernels}}") ==
          "AMD, 2 cores|2026-11-22\n"
          "  m=1 n=1 k=1 at 1 -4 1 untuned\n"
          "  m=8 n=8 k=8 at 8 8 1\n"
          "a \"GPU\" \\|\n"
          "  m=1 n=1 k=1 at 1 2147483647 2\n"
          "  m=1024 n=1024 k=1 at 1024 8 0\n");
    CHECK_THROWS_WITH_AS(filled("\n{{kernel}}"), "tunekit: t:2: nothing is called kernel here, want kernels",
                         tunekit::error);
    CHECK(filled("kept") == "kept");
}

TEST_CASE("cub_selector: a stand-in of cub reads back what was measured for the type and the newest older device")
{
    const auto shape = [](std::int64_t cc, std::int64_t bytes, std::uint32_t config) {
        return dispatch::choice::shape{.at = {cc, bytes}, .config = config, .around = config};
    };
    const dispatch::choice reduce{
        .kernel = "Reduce",
        .version = "1",
        .sizes = {"cc", "bytes"},
        .parameters = {"threads_per_block", "items_per_thread", "load_modifier"},
        .configs = {{.candidate = 3, .values = {"128", "4", "cub::LOAD_DEFAULT"}},
                    {.candidate = 5, .values = {"256", "16", "cub::LOAD_LDG"}},
                    {.candidate = 9, .values = {"512", "20", "cub::LOAD_LDG"}}},
        .devices = {{.device = "lab", .shapes = {shape(80, 4, 1), shape(80, 8, 0), shape(90, 4, 2)}, .tree = {{}}}}};
    CHECK(printed({reduce}, "cub_selector.mustache", R"(
#define __host__
#define __device__
namespace cuda {
struct compute_capability {
    int major, minor;
    constexpr bool operator>=(compute_capability o) const { return major != o.major ? major > o.major : minor >= o.minor; }
};
namespace execution { template <class S> constexpr S tune(S s) { return s; } }
}
namespace cub {
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_LDG };
struct ReducePolicy { int threads_per_block, items_per_thread; CacheLoadModifier load_modifier; };
}
)",
                  R"(
    const auto show = [](cub::ReducePolicy p) { std::printf("%d %d %d\n", p.threads_per_block, p.items_per_thread, p.load_modifier); };
    constexpr auto four = cuda::execution::tune(ReducePolicySelector<float>{});
    static_assert(four(cuda::compute_capability{9, 0}).items_per_thread == 20);
    show(four({9, 0})), show(four({8, 9})), show(four({8, 0})), show(four({7, 5}));
    show(ReducePolicySelector<double>{}({12, 0})), show(ReducePolicySelector<char>{}({9, 0}));
)") == "512 20 1\n256 16 1\n256 16 1\n128 4 0\n128 4 0\n128 4 0\n");
}

TEST_CASE("rocprim_picker: a stand-in of rocPRIM reads back what was measured for the target and the key")
{
    const auto shape = [](std::int64_t bytes, std::uint32_t config) {
        return dispatch::choice::shape{.at = {bytes}, .config = config, .around = config};
    };
    const dispatch::choice reduce{
        .kernel = "reduce",
        .version = "1",
        .sizes = {"bytes"},
        .parameters = {"block_size", "items_per_thread"},
        .configs = {{.candidate = 3, .values = {"64", "2"}},
                    {.candidate = 5, .values = {"128", "4"}},
                    {.candidate = 9, .values = {"256", "16"}}},
        .one = 1,
        .devices = {
            {.device = "target_arch::gfx908", .shapes = {shape(4, 2)}, .tree = {{}}},
            {.device = "target_arch::gfx90a", .shapes = {shape(2, 0), shape(4, 1), shape(8, 2)}, .tree = {{}}}}};
    CHECK(printed({reduce}, "rocprim_picker.mustache", R"(
namespace rocprim::detail {
enum class target_arch { unknown, gfx908, gfx90a };
template <target_arch> struct comp_target {};
template <class... T> struct comp_targets { static constexpr int size = sizeof...(T); };
struct reduce_config_params { unsigned block_size, items_per_thread; };
}
)",
                  R"(
    using namespace rocprim::detail;
    const auto show = [](reduce_config_params p) { std::printf("%u %u\n", p.block_size, p.items_per_thread); };
    using a = comp_target<target_arch::gfx90a>;
    using b = comp_target<target_arch::gfx908>;
    show(reduce_config_picker<a, char>()), show(reduce_config_picker<a, float>()), show(reduce_config_picker<a, double>());
    show(reduce_config_picker<a, long double>()), show(reduce_config_picker<b, double>());
    show(reduce_config_picker<comp_target<target_arch::unknown>, double>());
    static_assert(reduce_targets::size == 2);
)") == "64 2\n128 4\n256 16\n256 16\n256 16\n128 4\n");
}
