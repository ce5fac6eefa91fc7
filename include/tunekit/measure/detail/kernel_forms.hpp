// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The forms that kernels and checks may have for `timed`, and their conversion to a single form.

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "tunekit/measure/measurement.hpp"
#include "tunekit/measure/verify.hpp"

namespace tunekit::measure::detail {

template <class F>
concept calls_plainly = std::invocable<F&>;

/// Takes the number of the turn, to use other data in each: 0, 1, 2, ... over all runs of a configuration.
template <class F>
concept calls_by_turn = std::invocable<F&, std::uint64_t>;

template <class F>
concept restores = requires(F& run) { run.restore(); };

template <class C>
concept poisons = requires(C& check) { check.poison(); };

template <class T>
concept nothing_or_seconds =
    std::is_void_v<T> || std::is_floating_point_v<T> || std::same_as<std::remove_cvref_t<T>, reported>;

/// One run of what `prepare` made.
template <class Run>
decltype(auto) run_once(Run& run, std::uint64_t turn)
{
    if constexpr (calls_by_turn<Run>) {
        return run(turn);
    } else {
        return run();
    }
}

/// What `timed` cannot use: the first thing of kernel and check that does not fit configurations of a type.
enum class misfit : std::uint8_t { none, kernel_takes, kernel_gives, check_takes, check_gives };

template <class Check, class Config>
consteval misfit misfit_of_check()
{
    const auto gives = []<class T>(std::type_identity<T>) {
        return std::same_as<T, bool> || std::convertible_to<T, std::optional<std::string>>;
    };
    if constexpr (std::same_as<Check, no_check>) {
        return misfit::none;
    } else if constexpr (std::invocable<Check&, const Config&>) {
        using answer = std::invoke_result_t<Check&, const Config&>;
        return gives(std::type_identity<answer>()) ? misfit::none : misfit::check_gives;
    } else if constexpr (std::invocable<Check&>) {
        return gives(std::type_identity<std::invoke_result_t<Check&>>()) ? misfit::none : misfit::check_gives;
    } else {
        return misfit::check_takes;
    }
}

template <class Kernel, class Check, class Config>
consteval misfit misfit_of()
{
    if constexpr (!std::invocable<Kernel&, const Config&>) {
        return misfit::kernel_takes;
    } else {
        using result = std::invoke_result_t<Kernel&, const Config&>;
        if constexpr (nothing_or_seconds<result>) {
            return misfit_of_check<Check, Config>();
        } else if constexpr (calls_plainly<result> || calls_by_turn<result>) {
            using run = std::remove_cvref_t<result>;
            if (!nothing_or_seconds<decltype(run_once(std::declval<run&>(), 0))>) return misfit::kernel_gives;
            return misfit_of_check<Check, Config>();
        } else {
            return misfit::kernel_gives;
        }
    }
}

/// The same of a `timed`. Of any other callable that measures one configuration nothing is known: `none`.
template <class Timed, class Config>
inline constexpr misfit misfit_for = [] {
    if constexpr (requires { Timed::template misfit_of<Config>; }) {
        return Timed::template misfit_of<Config>;
    } else {
        return misfit::none;
    }
}();

/// Says what is wrong with a `timed`. Whoever takes one asks for its size, so that a compiler's first error is its
/// sentence.
template <misfit Wrong>
struct fits_timed {
    static_assert(Wrong != misfit::kernel_takes,
                  "tunekit: timed, argument 1 (kernel) does not take a configuration: write [](const auto& p) { ... } "
                  "and read its parameters by tunekit::get<\"name\">(p)");
    static_assert(
        Wrong != misfit::kernel_gives,
        "tunekit: timed, argument 1 (kernel) returns something else than nothing (it ran), its seconds (double or "
        "float, or measure::reported), or what runs it: a callable of nothing or of the turn's number, that returns "
        "nothing or its seconds");
    static_assert(
        Wrong != misfit::check_takes,
        "tunekit: timed, argument 3 (check) is called with the configuration or with nothing, and takes neither");
    static_assert(Wrong != misfit::check_gives,
                  "tunekit: timed, argument 3 (check) returns neither bool nor text (std::optional<std::string> or "
                  "const char*), empty if all is well");
    static constexpr bool yes = Wrong == misfit::none;
};

/// A callable that runs `kernel` with `config`, whatever form the kernel has. It returns nothing or its own seconds.
template <class Kernel, class Config>
auto prepare(Kernel& kernel, const Config& config)
{
    if constexpr (nothing_or_seconds<std::invoke_result_t<Kernel&, const Config&>>) {
        return [&kernel, &config] { return kernel(config); };
    } else {
        return kernel(config);
    }
}

/// A check's answer (bool, text or optional text) as an optional line; empty where all is well.
template <class Check, class Config>
std::optional<std::string> verdict(Check& check, const Config& config)
{
    const auto ask = [&] {
        if constexpr (std::invocable<Check&, const Config&>) {
            return check(config);
        } else {
            return check();
        }
    };
    using answer = decltype(ask());
    if constexpr (std::same_as<answer, bool>) {
        if (ask()) return std::nullopt;
        return "the check refused the result";
    } else if constexpr (std::is_pointer_v<answer>) {
        const char* const text = ask();
        if (text == nullptr) return std::nullopt;
        return text;
    } else {
        return ask();
    }
}

}  // namespace tunekit::measure::detail
