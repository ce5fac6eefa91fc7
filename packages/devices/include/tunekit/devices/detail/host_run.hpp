// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Functions of the host as kernels: memory, calls and seconds of a shared object's function.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/devices/operands.hpp"
#include "tunekit/devices/timing.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/build/device_source.hpp"
#include "tunekit/processes/build/generated_kernel.hpp"
#include "tunekit/processes/guarded_buffer.hpp"

namespace tunekit::measure::detail {

/// The processor as a device, for `device_operands` and `launch_series`. What is allocated begins a page, and the page
/// behind it cannot be touched.
class host_session {
public:
    using memory = unsigned char*;
    static constexpr bool counts_waiting = false;

    std::vector<double> said{};  ///< the costs that a function returned, in the order of its calls

    explicit host_session(device_timing how = {}) : how_(how) { how_.validate(); }
    host_session(const host_session&) = delete;
    host_session& operator=(const host_session&) = delete;

    [[nodiscard]] const device_timing& timing() const noexcept { return how_; }
    [[nodiscard]] memory allocate(std::size_t bytes) { return memory_.emplace_back(bytes != 0 ? bytes : 1).data(); }
    void release(memory at)
    {
        std::erase_if(memory_, [&](const guarded_buffer<unsigned char>& b) { return b.data() == at; });
    }
    static void copy_to(memory to, const void* from, std::size_t bytes)
    {
        if (bytes != 0) std::memcpy(to, from, bytes);
    }
    static void copy_from(void* to, memory from, std::size_t bytes)
    {
        if (bytes != 0) std::memcpy(to, from, bytes);
    }
    static void fill(memory at, unsigned char value, std::size_t bytes, std::size_t offset = 0)
    {
        std::memset(at + offset, value, bytes);
    }
    void flush() { flush_(*this, how_.flush_bytes, 0); }

    template <class Launch>
    [[nodiscard]] double seconds(std::uint32_t times, Launch&& launch) const
    {
        const double start = now_();
        for (std::uint32_t i = 0; i < times; ++i) launch();
        return (now_() - start) / static_cast<double>(times);
    }

private:
    device_timing how_;
    wall_clock now_{};
    std::deque<guarded_buffer<unsigned char>> memory_{};
    cache_flush<host_session> flush_{};
};

using host_operands = device_operands<host_session>;

/// What stands behind a text whose function `name` is called with values of these sizes (null: of any): two functions
/// that `host_run` finds, whatever the linkage, the parameters and the result of `name` are. Every name of it begins
/// with `tunekit_`, as the text's macros are in force.
[[nodiscard]] inline std::string host_call(const std::string& name, const std::vector<std::size_t>* sizes)
{
    std::string check;
    if (sizes != nullptr) {
        for (const std::size_t size : *sizes) check += (check.empty() ? "" : ", ") + std::to_string(size);
        check =
            "    static_assert(tunekit_same<tunekit_list<sizeof(typename tunekit_plain<tunekit_a>::tunekit_type)...>, "
            "tunekit_list<" +
            check +
            ">>::tunekit_yes, \"the kernel's parameters are not those of its arguments: want as many, of the same "
            "sizes\");\n";
    }
    return R"(
#line 1 "the call of the kernel"
namespace tunekit_call {
template <unsigned long... tunekit_n> struct tunekit_list {};
template <unsigned long tunekit_n, unsigned long... tunekit_i> struct tunekit_upto : tunekit_upto<tunekit_n - 1, tunekit_n - 1, tunekit_i...> {};
template <unsigned long... tunekit_i> struct tunekit_upto<0, tunekit_i...> { typedef tunekit_list<tunekit_i...> tunekit_type; };
template <class tunekit_t> struct tunekit_plain { typedef tunekit_t tunekit_type; };
template <class tunekit_t> struct tunekit_plain<tunekit_t&> { typedef tunekit_t tunekit_type; };
template <class tunekit_x, class tunekit_y> struct tunekit_same { static const bool tunekit_yes = false; };
template <class tunekit_x> struct tunekit_same<tunekit_x, tunekit_x> { static const bool tunekit_yes = true; };
template <class tunekit_r> struct tunekit_result {
    static const int tunekit_is_cost = tunekit_same<tunekit_r, float>::tunekit_yes || tunekit_same<tunekit_r, double>::tunekit_yes;
};
template <class tunekit_r, class... tunekit_a> struct tunekit_function {
)" + check +
           R"(
    template <unsigned long... tunekit_i>
    static tunekit_r tunekit_apply(tunekit_r (*tunekit_f)(tunekit_a...), void** tunekit_p, tunekit_list<tunekit_i...>)
    {
        return tunekit_f(*static_cast<typename tunekit_plain<tunekit_a>::tunekit_type*>(tunekit_p[tunekit_i])...);
    }
};
template <class tunekit_r> struct tunekit_caller {
    template <class... tunekit_a> static double tunekit_run(tunekit_r (*tunekit_f)(tunekit_a...), void** tunekit_p)
    {
        return static_cast<double>(tunekit_function<tunekit_r, tunekit_a...>::tunekit_apply(tunekit_f, tunekit_p, typename tunekit_upto<sizeof...(tunekit_a)>::tunekit_type()));
    }
};
template <> struct tunekit_caller<void> {
    template <class... tunekit_a> static double tunekit_run(void (*tunekit_f)(tunekit_a...), void** tunekit_p)
    {
        tunekit_function<void, tunekit_a...>::tunekit_apply(tunekit_f, tunekit_p, typename tunekit_upto<sizeof...(tunekit_a)>::tunekit_type());
        return 0;
    }
};
template <class tunekit_r, class... tunekit_a> int tunekit_costs(tunekit_r (*)(tunekit_a...)) { return tunekit_result<tunekit_r>::tunekit_is_cost; }
template <class tunekit_r, class... tunekit_a> double tunekit_run(tunekit_r (*tunekit_f)(tunekit_a...), void** tunekit_p)
{
    return tunekit_caller<tunekit_r>::tunekit_run(tunekit_f, tunekit_p);
}
}
extern "C" __attribute__((visibility("default"))) double tunekit_run_kernel(void** tunekit_p) { return tunekit_call::tunekit_run(&)" +
           name + R"(, tunekit_p); }
extern "C" __attribute__((visibility("default"))) int tunekit_kernel_costs() { return tunekit_call::tunekit_costs(&)" +
           name + R"(); }
)";
}

/// Runs one configuration: a function of a shared object. Move-only. The destructor unloads it.
class host_run {
public:
    /// Loads the object at `path`, which has what `host_call` added. Throws tunekit::error.
    host_run(host_session& on, const std::string& path, host_operands& data)
        : on_(&on), code_(path), call_(code_.function<double(void**)>("tunekit_run_kernel"))
    {
        for (const auto& a : data.arguments(on, 0)) arguments_.push_back(a.at);
        says_cost_ = code_.function<int()>("tunekit_kernel_costs")() != 0;
    }

    /// The seconds of one run. What the function returns as its cost is kept by the session.
    [[nodiscard]] double operator()(std::uint64_t /* turn */)
    {
        if (says_cost_) return on_->seconds(1, [this] { on_->said.push_back(call_(arguments_.data())); });
        return series_(*on_, [this] { static_cast<void>(call_(arguments_.data())); });
    }

private:
    host_session* on_;
    loaded_code code_;
    double (*call_)(void**);
    bool says_cost_ = false;
    std::vector<void*> arguments_{};
    launch_series series_{};
};

}  // namespace tunekit::measure::detail
