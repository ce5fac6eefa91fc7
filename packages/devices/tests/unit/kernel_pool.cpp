// SPDX-License-Identifier: MIT
#include "tunekit/devices/kernel_pool.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "packages/devices/tests/support/kernel_arguments.hpp"
#include "tunekit/processes/interruptible.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
namespace ms = tunekit::measure;
using ms::failure_kind;
using support::scaling;
using support::values_of;

namespace {

const std::string loop = "for (int i = 0; i < n; ++i) ";

/// A function whose body is that, in C.
std::string with_body(const std::string& body)
{
    return "void scale(float* y, const float* x, int n) { " + body + " }";
}

ms::kernel_run ran(ms::kernel_problem what, const ms::limits& within = {.run_seconds = 30, .build_seconds = 60})
{
    return ms::run_kernel(std::move(what), {{"block_size_x", "32"}, {"factor", "2"}}, {}, within);
}

failure_kind failure_of(const ms::kernel_run& r)
{
    REQUIRE(r.measured.failed);
    return r.measured.failed->kind;
}

}  // namespace

TEST_CASE("a function of C is compiled, called, timed and compared, whatever its linkage is")
{
    for (const std::string before :
         {"", "extern \"C\" ", "static inline ", "namespace lab { } __attribute__((noinline)) "}) {
        auto p = scaling(before + with_body(loop + "y[i] = factor * x[i];"), 37);
        p.iterations = 5;
        const auto r = ran(p);
        INFO(before);
        REQUIRE_MESSAGE(!r.measured.failed, r.measured.failed->message);
        CHECK(r.measured.checked == ms::check_state::ok);
        CHECK(r.measured.batches.size() == 5);
        CHECK(r.measured.build_seconds > 0);
        CHECK(values_of<float>(r.arrays[0])[36] == 74);
        CHECK(values_of<float>(r.arrays[1])[36] == 37);
        CHECK(r.arrays[2].empty());
    }
}

TEST_CASE("a function in a namespace, a template, and one that includes headers of the library")
{
    auto p = scaling(
        "#include <algorithm>\n#include <vector>\nnamespace lab { template <class T, int by>\nvoid scale(T* y, "
        "const T* x, int n) { std::vector<T> z(x, x + n); std::transform(z.begin(), z.end(), y, [](T v) { "
        "return by * v; }); } }");
    p.name = "lab::scale<float, factor>";
    CHECK_FALSE(ran(p).measured.failed);
}

TEST_CASE("what a function returns as float or double is its cost, not scaled")
{
    for (const std::string type : {"float", "double"}) {
        auto p = scaling(type + " scale(float* y, const float* x, int n) { " + loop +
                         "y[i] = factor * x[i]; return 40 + factor; }");
        p.iterations = 3;
        const auto r = ran(p);
        REQUIRE_MESSAGE(!r.measured.failed, r.measured.failed->message);
        CHECK(r.measured.cost == 42);
        CHECK(r.measured.batches == std::vector<double>{42, 42, 42});
    }
}

TEST_CASE("an array that a function adds to has its first content before it is compared, and before it is timed")
{
    // It returns how often y was added to since it was new.
    auto p = scaling("double scale(float* y, const float* x, int n) { double times = 1 + y[0] / (factor * x[0]); " +
                     loop + "y[i] += factor * x[i]; return times; }");
    p.iterations = 2;
    const auto r = ran(p);
    REQUIRE_MESSAGE(!r.measured.failed, r.measured.failed->message);
    CHECK(r.measured.batches.back() > 1);             // nothing is renewed between two launches
    CHECK(values_of<float>(r.arrays[0])[99] == 200);  // of one call
}

TEST_CASE("one wrong element, a write behind an array, a crash, an exception and a hang are failures of that one")
{
    CHECK(failure_of(ran(scaling(with_body("for (int i = 0; i < n - 1; ++i) y[i] = factor * x[i];")))) ==
          failure_kind::wrong_result);
    const auto beyond = ran(scaling(with_body(loop + "y[i] = factor * x[i]; y[n] = 1;")));
    CHECK(failure_of(beyond) == failure_kind::wrong_result);
    CHECK(beyond.measured.failed->message == "argument 'y': wrote past its end, first at byte 0 after it");
    CHECK(failure_of(ran(scaling(with_body("*(volatile int*)8 = 1;")))) == failure_kind::crash);
    CHECK(failure_of(ran(scaling(with_body("throw 1;")))) == failure_kind::crash);
    CHECK(failure_of(ran(scaling(with_body("for (volatile int i = 0;;) i = i + 1;")),
                         {.run_seconds = 1, .build_seconds = 60})) == failure_kind::run_timeout);
    const auto text = ran(scaling(with_body("y[0] = nothing;")));
    CHECK(failure_of(text) == failure_kind::build_error);
    CHECK(text.measured.failed->message.find("kernel:1:") != std::string::npos);  // lines are those of the text
}

TEST_CASE("a function with threads of OpenMP has them in each run, whatever processor its worker is pinned to")
{
    auto p = scaling(
        "#include <omp.h>\n"
        "float scale(float* y, const float* x, int n) {\n"
        "    int seen = 0;\n"
        "    #pragma omp parallel for num_threads(3) reduction(max : seen)\n"
        "    for (int i = 0; i < n; ++i) { y[i] = factor * x[i]; seen = omp_get_num_threads(); }\n"
        "    return seen;\n"
        "}\n");
    p.flags = {"-fopenmp"};
    p.iterations = 4;
    const auto r = ran(p);
    REQUIRE_MESSAGE(!r.measured.failed, r.measured.failed->message);
    CHECK(r.measured.checked == ms::check_state::ok);
    CHECK(r.measured.batches == std::vector<double>{3, 3, 3, 3});
}

TEST_CASE("what is wrong in a problem is told before anything is built")
{
    const auto refused = [](ms::kernel_problem what, const std::string& why) {
        INFO(why);
        CHECK_THROWS_WITH_AS(static_cast<void>(ran(std::move(what))), doctest::Contains(why.c_str()),
                             std::invalid_argument);
    };
    const std::string good = with_body(loop + "y[i] = factor * x[i];");
    auto p = scaling(good);
    p.name = "scales";
    refused(p, "the text has no function 'scales'");
    p = scaling(good);
    p.arguments.pop_back();
    refused(p, "'scale' takes 3 arguments, and there are 2");
    p = scaling(good);
    p.arguments[1].array = false;
    refused(p, "argument 1 'x' of 'scale' is a value, want an array");
    p = scaling(good);
    p.arguments[2].array = true;
    refused(p, "argument 2 'n' of 'scale' is an array, want a value");
    p = scaling(good);
    p.grid[0] = "100 // block";
    refused(p, "no parameter is called");
    p = scaling(good);
    p.constants = {{"c", {0}}};
    refused(p, "constant memory is CUDA's, and the kernel is in C");
    p = scaling("void scale(float* y, const float* x, double n) {}");  // which it learns from the compiler
    CHECK(failure_of(ran(p)) == failure_kind::build_error);
}

TEST_CASE("headers of a problem are found by their names, and a look of the caller's can refuse a result")
{
    auto p = scaling("#include \"parts/by.h\"\n" + with_body(loop + "y[i] = BY * x[i];"));
    p.headers = {{"parts/by.h", "#define BY factor\n"}};
    p.verify = [](tk::index, const ms::kernel_arrays& arrays) -> std::optional<std::string> {
        CHECK(arrays.size() == 3);
        CHECK(arrays[1].size() == 400);
        return "not to my taste";
    };
    const auto r = ran(p);
    CHECK(failure_of(r) == failure_kind::wrong_result);
    CHECK(r.measured.failed->message == "not to my taste");
}

TEST_CASE("a pool measures a space: each configuration once, wrong ones are failures, and the best is the best")
{
    const tk::space::value_product space(
        {{"factor", std::vector<int>{1, 2, 3}}, {"block_size_x", std::vector<int>{8, 16}}}, {});
    auto p = scaling("double scale(float* y, const float* x, int n) { " + loop +
                     "y[i] = factor * x[i]; return block_size_x; }");
    p.iterations = 1;
    ms::kernel_pool pool(p, space);
    CHECK_FALSE(pool.measures_time());
    tk::random::philox gen(1);
    const auto found = tk::tune(space, pool, tk::search::random{}, {.trials = 6}, gen);
    CHECK(found.trials().size() == 6);
    CHECK(found.failed() == 4);
    CHECK(found.best_cost() == 8);
    const tk::index best = *space.index_of_texts(std::vector<std::string>{"2", "16"});
    CHECK(pool.alone().measure({&best, 1}, {}).front().cost == 16);
}

TEST_CASE("what a configuration is made of may be a function of it")
{
    const tk::space::value_product space({{"factor", std::vector<int>{2, 3}}, {"block_size_x", std::vector<int>{8}}},
                                         {});
    auto p = scaling("void other() {}");
    p.adjust = [&](tk::index i, ms::kernel_instance& of) {
        if (i == 1) throw std::runtime_error("not this one");
        of.text = with_body(loop + "y[i] = factor * x[i];");
        of.flags.push_back("-DUSED");
    };
    ms::kernel_pool pool(p, space);
    const std::vector<tk::index> both{0, 1};
    const auto got = pool.alone().measure(both, {.run_seconds = 30, .build_seconds = 60});
    CHECK_FALSE(got[0].failed);
    REQUIRE(got[1].failed);
    CHECK(got[1].failed->kind == failure_kind::invalid);
}

TEST_CASE("compilers at work end with the pool")
{
    const tk::space::value_product space({{"factor", std::vector<int>{2, 3, 4}}, {"block_size_x", std::vector<int>{8}}},
                                         {});
    // 2^30 instantiations: no compiler comes to an end
    auto p = scaling(
        "template <int n, int m> struct tree { static const int v = tree<n - 1, 2 * m>::v + tree<n - 1, 2 * m + 1>::v; "
        "};\n"
        "template <int m> struct tree<0, m> { static const int v = 1; };\n" +
        with_body("y[0] = tree<30, 1>::v;"));
    ms::kernel_pool pool(p, space);
    ms::interruptible in_time(pool, [&] { return pool.now() >= 1; });
    tk::random::philox gen(1);
    const auto found = tk::tune(space, in_time, tk::search::random{}, {.seconds = 1}, gen);
    CHECK(found.trials().empty());
}
