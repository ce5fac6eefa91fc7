// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Numbers at the edge: what an entry of the sweep asserts for each kind of input.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace edge {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan_d = std::numeric_limits<double>::quiet_NaN();
constexpr double tiny = 5e-324;   // the smallest number above 0
constexpr double huge = 1.7e308;  // near the largest number: twice of it is none

using list = std::vector<double>;

enum class kind : std::size_t { not_a_number, infinite, e200, em200, e160, largest, denormal, equal, one, two, none };

/// One entry: every kind must be asserted once at least, those of lists only where the function takes lists.
class sweep {
public:
    enum takes : std::size_t { numbers = 7, lists = 11 };

    explicit sweep(takes what) : kinds_(what) {}
    sweep(const sweep&) = delete;
    sweep& operator=(const sweep&) = delete;
    ~sweep()
    {
        static constexpr const char* names[] = {"NaN",      "an infinity", "1e200", "1e-200", "1e160", "1.7e308",
                                                "denormal", "all equal",   "one",   "two",    "none"};
        for (std::size_t k = 0; k < kinds_; ++k)
            CHECK_MESSAGE(seen_[k], "the entry asserts nothing of ", std::string(names[k]));
    }

    /// NaN is NaN, an infinity is the same one, 0 is 0, and everything else is that near.
    void is(kind k, double got, double want, double relative = 1e-13)
    {
        see(k);
        const bool same = want != want ? got != got : got == want || std::abs(got / want - 1) <= relative;
        CHECK_MESSAGE(same, "got ", text(got), ", want ", text(want));
    }
    void between(kind k, double got, double low, double high)
    {
        see(k);
        CHECK_MESSAGE((got >= low && got <= high), "got ", text(got), ", want ", text(low), " to ", text(high));
    }
    void holds(kind k, bool what)
    {
        see(k);
        CHECK_MESSAGE(what, "of kind ", static_cast<int>(k));
    }
    /// `f` throws the library's std::invalid_argument, whose line has `says`.
    template <class F>
    void refuses(kind k, const F& f, std::string_view says)
    {
        see(k);
        std::string said;
        try {
            f();
        } catch (const std::exception& e) {
            said = e.what();
        }
        CHECK_MESSAGE((said.starts_with("tunekit: ") && said.find(says) != std::string::npos), "said '", said, "'");
    }
    /// At the scales 1e200, 1e-200 and 1e160 it is f(of) times that scale to the power.
    template <class F>
    void scales(const F& f, const list& of, double power, double relative = 1e-13)
    {
        const double want = f(of);
        for (const auto& [k, by] : {scale{kind::e200, 1e200}, {kind::em200, 1e-200}, {kind::e160, 1e160}}) {
            list at = of;
            for (double& x : at) x *= by;
            is(k, f(at), want * std::pow(by, power), relative);
        }
    }

private:
    struct scale {
        kind which;
        double by;
    };

    void see(kind k) { seen_[static_cast<std::size_t>(k)] = true; }
    [[nodiscard]] static std::string text(double x)
    {
        char line[40];
        std::snprintf(line, sizeof line, "%.17g", x);
        return line;
    }

    std::size_t kinds_;
    std::array<bool, lists> seen_{};
};

}  // namespace edge
