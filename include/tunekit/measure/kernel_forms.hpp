// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The forms that kernels and checks may have for `timed`, made one.

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace tunekit::measure::detail {

template <class F>
concept calls_plainly = std::invocable<F&>;

/// Takes the number of the turn: 0, 1, 2, ... over all runs of a configuration, to use a `rotating` buffer.
template <class F>
concept calls_by_turn = std::invocable<F&, std::uint64_t>;

template <class F>
concept restores = requires(F& run)
{
    run.restore();
};

template <class C>
concept poisons = requires(C& check)
{
    check.poison();
};

template <class Kernel, class Config>
using prepared_t = std::invoke_result_t<Kernel&, const Config&>;

/// What `kernel(config)` is, made one thing: a function of the turn that gives void or its own seconds.
template <class Kernel, class Config>
auto prepare(Kernel& kernel, const Config& config)
{
    using result = prepared_t<Kernel, Config>;
    if constexpr (std::is_void_v<result> || std::is_floating_point_v<result>) {
        return [&kernel, &config] { return kernel(config); };
    } else {
        static_assert(calls_plainly<result> || calls_by_turn<result>,
                      "tunekit: timed, part 1: kernel(config) must run the kernel (void), report its seconds (double) "
                      "or return what runs it: a callable of nothing or of the turn's number");
        return kernel(config);
    }
}

template <class Run>
decltype(auto) run_once(Run& run, std::uint64_t turn)
{
    if constexpr (calls_by_turn<Run>) {
        return run(turn);
    } else {
        return run();
    }
}

/// A message as an optional line: from bool, optional<string> or nothing at all.
template <class Check, class Config>
std::optional<std::string> verdict(Check& check, const Config& config)
{
    const auto ask = [&] {
        if constexpr (std::invocable<Check&, const Config&>) {
            return check(config);
        } else {
            static_assert(std::invocable<Check&>,
                          "tunekit: timed, part 3: a check is called with the configuration or with nothing");
            return check();
        }
    };
    if constexpr (std::same_as<decltype(ask()), bool>) {
        if (ask()) return std::nullopt;
        return "the check refused the result";
    } else {
        static_assert(
            std::convertible_to<decltype(ask()), std::optional<std::string>>,
            "tunekit: timed, part 3: a check returns bool or std::optional<std::string>, empty where all is well");
        return ask();
    }
}

}  // namespace tunekit::measure::detail
