// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The options of `tune` and `tune_tasks`: what watches a run, its clock, and where it begins.

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/search/forecasts.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit {

class tuning;
struct plan;

namespace detail {

/// A callable whose type is not in what holds it: an lvalue is referred to, a temporary is kept. Empty by default. It
/// is called once an answer. If it is to return `bool`, it may return nothing, which is false.
template <class R, class... Args>
class callable {
public:
    callable() = default;
    template <class F>
        requires(!std::same_as<std::remove_cvref_t<F>, callable>)
    callable(F&& f)  // implicit: `.watch = f`
    {
        static_assert(fits<F> || !std::is_void_v<R>, "tunekit: not a callable of these arguments");
        static_assert(fits<F> || !std::is_same_v<R, double>,
                      "tunekit: .clock is not a clock: double operator()() is missing");
        static_assert(fits<F> || !std::is_same_v<R, bool> || sizeof...(Args) != 1,
                      "tunekit: .watch is not an observer: operator()(const tuning&) is missing");
        static_assert(fits<F> || !std::is_same_v<R, bool> || sizeof...(Args) != 2,
                      "tunekit: .watch is not an observer: operator()(const plan&, std::size_t task) is missing");
        if constexpr (fits<F>) {
            using kept = std::decay_t<F>;
            if constexpr (std::is_lvalue_reference_v<F> && !std::is_function_v<std::remove_reference_t<F>>) {
                to_ = const_cast<kept*>(&f);  // called as what it is: see `call`
            } else {
                to_ = new kept(std::forward<F>(f));
                end_ = [](void* what) { delete static_cast<kept*>(what); };
            }
            call_ = &call<std::conditional_t<std::is_const_v<std::remove_reference_t<F>>, const kept, kept>>;
        }
    }
    callable(callable&& other) noexcept
        : to_(std::exchange(other.to_, nullptr)), call_(std::exchange(other.call_, nullptr)), end_(other.end_)
    {
    }
    callable& operator=(callable&& other) noexcept
    {
        std::swap(to_, other.to_);
        std::swap(call_, other.call_);
        std::swap(end_, other.end_);
        return *this;
    }
    callable(const callable&) = delete;
    callable& operator=(const callable&) = delete;
    ~callable()
    {
        if (end_ != nullptr && to_ != nullptr) end_(to_);
    }

    explicit operator bool() const noexcept { return call_ != nullptr; }
    R operator()(Args... args) const { return call_(to_, args...); }

private:
    template <class F>
    static constexpr bool fits = [] {
        if constexpr (!std::is_invocable_v<F&, Args...>) return false;
        else if constexpr (std::is_void_v<R>) return true;
        else if constexpr (std::is_same_v<R, bool>)
            return std::is_void_v<std::invoke_result_t<F&, Args...>> ||
                   std::is_constructible_v<bool, std::invoke_result_t<F&, Args...>>;
        else return std::is_same_v<std::invoke_result_t<F&, Args...>, R>;
    }();

    template <class F>
    static R call(void* what, Args... args)
    {
        F& f = *static_cast<F*>(what);
        if constexpr (std::is_void_v<R>) f(args...);
        else if constexpr (std::is_void_v<std::invoke_result_t<F&, Args...>>) return f(args...), R{};
        else return static_cast<R>(f(args...));
    }

    void* to_ = nullptr;
    R (*call_)(void*, Args...) = nullptr;
    void (*end_)(void*) = nullptr;  // of what is kept
};

/// Nobody can make one.
struct no_configuration {
    no_configuration() = delete;
};

template <class Space>
struct configuration_in {
    using type = no_configuration;
};
template <space::typed Space>
struct configuration_in<Space> {
    using type = typename Space::config;
};
/// The configurations of a typed space; another space has none to give.
template <class Space>
using configuration_of = typename configuration_in<Space>::type;

/// The index of a configuration. Throws std::invalid_argument for one that is not in the space; `what` says whose it
/// is.
template <class Space>
[[nodiscard]] index index_in(const Space& space, const configuration_of<Space>& c, const char* what)
{
    const auto i = space.index_of(c);
    require(i.has_value(), what + std::string(" has a configuration that is not in this space, want one that its at or "
                                              "of gave"));
    return *i;
}

/// Configurations of a space, all by index or all by value.
template <class Space>
class configurations {
public:
    using config = configuration_of<Space>;

    configurations() = default;
    configurations(std::vector<index> by_index) : by_index_(std::move(by_index)) {}
    configurations(std::initializer_list<index> by_index) : by_index_(by_index) {}
    configurations(std::vector<config> by_value) : by_value_(std::move(by_value)) {}
    configurations(std::initializer_list<config> by_value) : by_value_(by_value) {}

    [[nodiscard]] std::vector<index> in(const Space& space, const char* what) const
    {
        std::vector<index> out = by_index_;
        if constexpr (space::typed<Space>)
            for (const config& c : by_value_) out.push_back(index_in(space, c, what));
        return out;
    }

private:
    std::vector<index> by_index_;
    std::vector<config> by_value_;
};

/// One configuration of a space, by index or by value, or none.
template <class Space>
class configuration {
public:
    configuration() = default;
    configuration(index by_index) : one_({by_index}), given_(true) {}
    configuration(configuration_of<Space> by_value) : one_({std::move(by_value)}), given_(true) {}

    [[nodiscard]] std::optional<index> in(const Space& space, const char* what) const
    {
        return given_ ? std::optional(one_.in(space, what).front()) : std::nullopt;
    }

private:
    configurations<Space> one_{};
    bool given_ = false;
};

/// `how` with `past` as the past of its strategy; as it is, if there is none.
template <class P>
[[nodiscard]] P with_experience(P how, const search::forecasts& past)
{
    if (past.empty()) return how;
    if constexpr (requires { how.strategy.remember(past); }) how.strategy.remember(past);
    else if constexpr (requires { how.remember(past); }) how.remember(past);
    else
        invalid(
            "tune: .experience is given to a strategy that takes none, want recipes::combined, a portfolio or a "
            "model_guided strategy; give it to the strategy itself before its type is hidden");
    return how;
}

}  // namespace detail

/// The options of `tune` over a space.
///
///     const auto found = tk::tune(space, measure, strategy, {.trials = 512}, gen, {.watch = watch, .begin_with = {space.at(7)}});
///
/// A watch or a clock that is a variable is referred to, and must live as long as the options; a temporary is kept.
template <class Space = void>
struct tune_options {
    /// Called with the record after each answer. If it returns a value, true ends the run.
    detail::callable<bool, const tuning&> watch{};
    /// The time of a measurer, by default the wall clock's. It is read once at the start and once after each answer, or
    /// each batch of a measurer that does not stream (`measure::streaming_measurer`). Its jumps are left out
    /// (`run_clock`). A pool has its clock.
    detail::callable<double> clock{};
    /// What to measure first, as by `tuner::begin_with`: configurations or their indices.
    detail::configurations<Space> begin_with{};
    /// What is in use today: a configuration or its index. It is measured first, and `to_text` says what was gained
    /// over it.
    detail::configuration<Space> baseline{};
    /// Of `tune` over a kernel: whether its run ends with a race of the best and the baseline (`final_race`).
    bool race = true;
    /// If costs are times (`measure::measures_time`): whether the best may be worse than the baseline. Otherwise the
    /// run ends with the baseline, unless another was shown to be faster (`concluded`).
    bool may_be_worse = false;
    /// What other devices, sizes or weeks have shown, as by `recipes::combined(past)`. Throws std::invalid_argument
    /// where there is some and the strategy takes none.
    search::forecasts experience{};
    /// Whether results are watched for disturbances of the machine, and the incumbent runs again if one is doubted
    /// (`machine_checks`). Empty: where the costs are times (`measure::measures_time`).
    std::optional<bool> checks{};
};

/// The options of `tune` with a tuner that was made before.
template <>
struct tune_options<void> {
    detail::callable<bool, const tuning&> watch{};  ///< as in `tune_options`
    detail::callable<double> clock{};               ///< as in `tune_options`
    std::optional<bool> checks{};                   ///< as in `tune_options`
};

/// The options of `tune_tasks`.
struct tune_tasks_options {
    /// Called with the plan so far and the task of the last answer. If it returns a value, true ends the run.
    detail::callable<bool, const plan&, std::size_t> watch{};
    detail::callable<double> clock{};  ///< as in `tune_options`
    std::optional<bool> checks{};      ///< as in `tune_options`
};

}  // namespace tunekit
