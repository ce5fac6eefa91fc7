// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What becomes of a call with arguments that nobody should pass, told from a child process.
#include <doctest/doctest.h>

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <exception>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/processes/detail/process.hpp"

#ifndef NDEBUG
#error "these tests are those of release builds: compile them with NDEBUG"
#endif

inline constexpr double inf = std::numeric_limits<double>::infinity();
inline constexpr double nan_d = std::numeric_limits<double>::quiet_NaN();
inline constexpr float inf_f = std::numeric_limits<float>::infinity();
inline constexpr float nan_f = std::numeric_limits<float>::quiet_NaN();

/// What becomes of a call. `answered`: with finite numbers. `refused`: an exception of one line that begins as those of the library do.
enum class outcome : int { answered, infinite, not_a_number, refused, other_exception, ended };

inline std::string to_text(outcome o)
{
    static constexpr const char* names[] = {"answered", "infinite",          "not a number",
                                            "refused",  "another exception", "ended"};
    return names[static_cast<int>(o)];
}

/// A call by its name, and what becomes of it. It returns the numbers of its answer.
struct attempt {
    std::string name;
    outcome expected;
    std::function<std::vector<double>()> call;
};

constexpr int first_status = 100;  // a sanitizer ends its process with 1

inline outcome outcome_here(const attempt& a)
{
    try {
        const std::vector<double> numbers = a.call();
        if (std::any_of(numbers.begin(), numbers.end(), [](double x) { return std::isnan(x); }))
            return outcome::not_a_number;
        if (std::any_of(numbers.begin(), numbers.end(), [](double x) { return std::isinf(x); }))
            return outcome::infinite;
        return outcome::answered;
    } catch (const std::exception& e) {
        const std::string_view what = e.what();
        const bool ours = what.starts_with("tunekit: ") && what.find('\n') == std::string_view::npos;
        return ours ? outcome::refused : outcome::other_exception;
    }
}

/// Makes each attempt in a child of this process. One that does not end within a minute ends by a signal.
inline void check_all(const std::vector<attempt>& attempts)
{
    for (const attempt& a : attempts) {
        CAPTURE(a.name);
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            ::signal(SIGALRM, SIG_DFL);
            ::alarm(60);
            tunekit::measure::detail::end_process(first_status + static_cast<int>(outcome_here(a)));
        }
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        const int told = WIFEXITED(status) ? WEXITSTATUS(status) - first_status : -1;
        const bool known = told >= 0 && told < static_cast<int>(outcome::ended);
        const outcome found = known ? static_cast<outcome>(told) : outcome::ended;
        CHECK_MESSAGE(found == a.expected, "is ", to_text(found), ", want ", to_text(a.expected));
    }
}
