// SPDX-License-Identifier: MIT
#include "tunekit/devices/kernel_problem.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ms = tunekit::measure;
using ms::kernel_language;
using words = std::vector<std::string>;

namespace {

ms::kernel_instance made(const ms::kernel_problem& of, const words& names, const words& values)
{
    return ms::instance_of(of, names, values);
}

}  // namespace

TEST_CASE("the language of a text is that of its code, and not of its comments")
{
    CHECK(ms::language_of("__global__ void f() {}") == kernel_language::cuda);
    CHECK(ms::language_of("__kernel void f() {}") == kernel_language::opencl);
    CHECK(ms::language_of("kernel\nvoid f() {}") == kernel_language::opencl);
    CHECK(ms::language_of("// a __global__ of old\n/* __kernel */ void kernel(const char* s = \"__kernel\");") ==
          kernel_language::c);
    CHECK(to_text(kernel_language::opencl) == "OpenCL");
}

TEST_CASE("types have the names of C, OpenCL and numpy")
{
    for (const char* const name : {"float", "float32"}) CHECK(ms::element_type_of(name) == ms::element_type::float32);
    for (const char* const name : {"uint", "unsigned int", "uint32", "uint32_t"})
        CHECK(ms::element_type_of(name) == ms::element_type::uint32);
    CHECK_FALSE(ms::element_type_of("float3"));
    CHECK(ms::size_of(ms::element_type::float16) == 2);
    CHECK(ms::size_of(ms::element_type::uint64) == 8);
}

TEST_CASE("an instance has the sizes of its launch, and each parameter as a macro")
{
    ms::kernel_problem p{.name = "f<kind, bx * 2>", .text = "text", .flags = {"-O2"}};
    p.grid = {"-(-1000 // bx)", "10 / 4", "1"};
    p.block[0] = "bx";
    p.shared_bytes = "bx * 4";
    const auto one = made(p, {"bx", "kind", "fast"}, {"64", "float", "true"});
    CHECK(one.name == "f<float, 64 * 2>");  // whole identifiers
    CHECK(one.grid == std::array<std::int64_t, 3>{16, 3, 1});
    CHECK(one.block == std::array<std::int64_t, 3>{64, 1, 1});
    CHECK(one.shared_bytes == 256);
    CHECK(one.macros ==
          std::vector<std::pair<std::string, std::string>>{{"bx", "64"}, {"kind", "float"}, {"fast", "1"}});
    p.macros = {{"kernel_tuner", "1"},
                {"grid_size_x", "grid_size_x"},
                {"wide", "kind bx_2 bx"},
                {"block_size_y", "block_size_y"}};
    CHECK(made(p, {"bx", "kind"}, {"64", "double"}).macros ==
          std::vector<std::pair<std::string, std::string>>{
              {"kernel_tuner", "1"}, {"grid_size_x", "16"}, {"wide", "double bx_2 64"}, {"block_size_y", "1"}});
}

TEST_CASE("an expression of a launch with what is no number, or no parameter, is refused")
{
    ms::kernel_problem p{.name = "f", .text = ""};
    p.grid[0] = "1000 // by";
    CHECK_THROWS_WITH_AS(static_cast<void>(made(p, {"bx"}, {"1"})), doctest::Contains("no parameter is called"),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(static_cast<void>(made(p, {"by"}, {"wide"})),
                         doctest::Contains("the value wide of 'by' is not a number"), std::invalid_argument);
    CHECK_THROWS_AS(static_cast<void>(made(p, {"by"}, {"0"})), std::invalid_argument);
}

TEST_CASE("a function's signature is read where it is defined, and not where it is called")
{
    using ms::detail::signature_of;
    const std::string code = ms::detail::code_alone(R"(
#define real double
static int other(int a) { return run(a, 2); }
template <class T, int N> /* of , many */ float run(const T* __restrict__ in, T* out, int n, std::pair<int, T> p) { }
)");
    const auto read = signature_of(code, "run");
    REQUIRE(read);
    CHECK(read->parameters.size() == 4);
    CHECK(read->says_cost());
    CHECK(read->reads_only(0));
    CHECK_FALSE(read->reads_only(1));
    CHECK_FALSE(signature_of(code, "other")->says_cost());
    CHECK(signature_of("void f(void);", "f")->parameters.empty());
    CHECK(signature_of("#define real double\nvoid f() {", "f")->parameters.empty());
    CHECK_FALSE(signature_of("#define real double\nvoid f() {", "f")->says_cost());
    CHECK_FALSE(signature_of("int main() { f(1); }", "f"));
    CHECK_FALSE(signature_of("void f(\n#ifdef A\nint a,\n#endif\nint b) {}", "f"));  // which it is depends
    CHECK_FALSE(signature_of("KERNEL(f)(int* a) {}", "f"));
    CHECK(ms::says_cost({.name = "f", .text = "double f() { return 1; }"}));
    CHECK_FALSE(ms::says_cost({.name = "f", .text = "double* f() { return 0; }"}));
    CHECK(ms::detail::function_name("lab::stretch<float, g<2>>") == "stretch");
}
