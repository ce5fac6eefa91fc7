// SPDX-License-Identifier: MIT
#include "tunekit/measure/function.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using measure::failure_kind;

TEST_CASE("function: a double of a configuration is tuned, and called once for each")
{
    const tk::space::product space{tk::space::integers<"x">(-20, 20), tk::space::integers<"y">(-20, 20)};
    int calls = 0;
    measure::function cost{space, [&](const auto& c) {
                               ++calls;
                               const int x = tk::get<"x">(c) - 7, y = tk::get<"y">(c) + 3;
                               return 1 + x * x + y * y;
                           }};
    static_assert(measure::measurer<decltype(cost)>);
    tk::random::philox gen(1);
    const auto found = tk::tune(space, cost, tk::search::hill_climb{}, {.trials = 400}, gen);
    CHECK(found.best_cost() == 1);
    CHECK(calls == 400);
    CHECK(found.trials().front().measured.runs == 1);
}

TEST_CASE("function: what is no cost is a failure that names the remedy")
{
    const tk::space::product space{tk::space::integers<"x">(0, 6)};
    measure::function cost{
        space, [](const auto& c) -> double {
            switch (tk::get<"x">(c)) {
                case 0:
                    return 0;
                case 1:
                    return -2;
                case 2:
                    return std::numeric_limits<double>::quiet_NaN();
                case 3:
                    throw std::runtime_error("no way");
                case 4:
                    throw std::bad_alloc();
                case 5:
                    throw measure::candidate_error({.kind = failure_kind::wrong_result, .message = "wrong"});
                default:
                    return 5;
            }
        }};
    const auto m = cost.measure(std::vector<tk::index>{0, 1, 2, 3, 4, 5, 6}, {});
    for (std::size_t i = 0; i < 3; ++i) {
        REQUIRE(m[i].failed);
        CHECK(m[i].failed->kind == failure_kind::bad_cost);
        CHECK(m[i].failed->message.find("exp(x)") != std::string::npos);
        CHECK(m[i].failed->message.find("1/x") != std::string::npos);
    }
    CHECK(m[1].failed->message.find("returned -2") != std::string::npos);
    CHECK(m[3].failed->kind == failure_kind::invalid);
    CHECK(m[4].failed->kind == failure_kind::out_of_memory);
    CHECK(m[5].failed->kind == failure_kind::wrong_result);
    CHECK(m[6].ok());
    CHECK(m[6].cost == 5);
}
