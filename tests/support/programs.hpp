// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What tests of `measure::program` share: programs that a shell interprets, and what they leave in files.

#include <doctest/doctest.h>
#include <csignal>

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/files.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/processes/program/program.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/product.hpp"

namespace support {

inline const tunekit::measure::any_repetition once{tunekit::measure::fixed{.runs = 1, .batch = 1}};

/// A command that a shell interprets: the program under test is the shell.
inline std::vector<std::string> script(const std::string& text) { return {"/bin/sh", "-c", text, "script", "{x}"}; }

inline auto numbers(int last) { return tunekit::space::product{tunekit::space::integers<"x">(0, last)}; }

inline tunekit::measure::measurement measured(tunekit::measure::program& p, tunekit::index i,
                                              tunekit::measure::limits within = {.run_seconds = 20,
                                                                                 .build_seconds = 20})
{
    return p.measure(std::vector<tunekit::index>{i}, within).front();
}

/// That of configuration 0, run once.
inline tunekit::measure::measurement of(tunekit::measure::program_options o,
                                        tunekit::measure::limits within = {.run_seconds = 20, .build_seconds = 20})
{
    o.repetition = once;
    tunekit::measure::program p(numbers(3), std::move(o));
    return measured(p, 0, within);
}

inline bool contains(const std::string& text, const std::string& words)
{
    return text.find(words) != std::string::npos;
}

/// Whether the process of that number, told by a file, is there; it is given a minute to end.
inline bool lives_on(const std::string& path)
{
    const int pid = std::atoi(text_of(path).c_str());
    REQUIRE(pid > 1);
    for (int k = 0; k < 6000; ++k, ::usleep(10000))
        if (::kill(pid, 0) != 0) return false;
    return true;
}

}  // namespace support
