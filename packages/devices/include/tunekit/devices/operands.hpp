// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The arguments of a kernel on a device, and the check of its outputs.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/devices/detail/half.hpp"
#include "tunekit/measure/verify.hpp"
#include "tunekit/processes/guarded_buffer.hpp"

namespace tunekit::measure {

template <class Session>
class device_operands;

namespace detail {

/// What differs between two arrays of `T` that are given as bytes, in one line; else empty.
template <class T>
[[nodiscard]] std::optional<std::string> bytes_differ(const std::vector<unsigned char>& got,
                                                      const std::vector<unsigned char>& want, tolerance within)
{
    std::vector<T> a(want.size() / sizeof(T)), b(a.size());
    std::memcpy(a.data(), got.data(), a.size() * sizeof(T));
    std::memcpy(b.data(), want.data(), a.size() * sizeof(T));
    return close_to(std::span<const T>(a), std::span<const T>(b), within);
}

/// The same of numbers of 16 bits, whose value `value_of` says.
template <float (*value_of)(std::uint16_t)>
[[nodiscard]] std::optional<std::string> halves_differ(const std::vector<unsigned char>& got,
                                                       const std::vector<unsigned char>& want, tolerance within)
{
    const auto floats_of = [](const std::vector<unsigned char>& halves) {
        std::vector<float> out(halves.size() / 2);
        for (std::size_t k = 0; k < out.size(); ++k) {
            std::uint16_t half = 0;
            std::memcpy(&half, halves.data() + 2 * k, 2);
            out[k] = value_of(half);
        }
        return out;
    };
    const std::vector<float> a = floats_of(got), b = floats_of(want);
    return close_to(std::span<const float>(a), std::span<const float>(b), within);
}

/// A check for `timed`. It poisons the outputs before the run that is checked, and compares them after it.
template <class Session>
struct device_check {
    device_operands<Session>* data;  ///< the arguments whose outputs are checked; not owned
    Session* gpu;                    ///< the session that they are on; not owned

    /// Fills the outputs with NaN; `timed` calls it before the run that is checked.
    void poison() const { data->poison(*gpu); }
    /// The first fault of the outputs, in one line; else empty.
    [[nodiscard]] std::optional<std::string> operator()() const { return data->wrong(*gpu); }
};

}  // namespace detail

/// The arguments of a kernel, in its order. Inputs and values are given; outputs are compared with a reference.
///
///     cuda_operands data;                                // or opencl_operands
///     data.input<float>(x);
///     data.output<float>(want, {.absolute = 1e-4});
///     data.value(n);
///
/// It holds copies on the host. The first use in a process makes those on the device. After each output there are 4 KiB
/// that no kernel may write. Do not move it: kernels and checks refer to it.
///
/// A session has a type `memory`, empty where it is `memory{}`, and `allocate(bytes)`, `release(at)`,
/// `copy_to(at, from, bytes)`, `copy_from(to, at, bytes)` and `fill(at, value, bytes, offset)`.
template <class Session>
class device_operands {
public:
    using memory = typename Session::memory;  ///< what the session's `allocate` returns

    device_operands() = default;
    device_operands(const device_operands&) = delete;
    device_operands& operator=(const device_operands&) = delete;

    /// Adds an array that kernels read.
    template <class T>
        requires std::is_trivially_copyable_v<T>
    void input(std::span<const T> x)
    {
        add(role::input, x.data(), x.size_bytes());
    }

    /// Adds an array that kernels fill: NaN at first, then compared with `want`.
    template <class T>
        requires std::is_arithmetic_v<T>
    void output(std::span<const T> want, tolerance within = {})
    {
        operand& o = add(role::output, want.data(), want.size_bytes());
        o.within = within;
        o.differs = detail::bytes_differ<T>;
    }

    /// Adds an array of half precision that kernels read: of each number the nearest half.
    void input_half(std::span<const float> x)
    {
        const std::vector<std::uint16_t> halves = halves_of(x);
        input(std::span<const std::uint16_t>(halves));
    }

    /// Adds an array of half precision that kernels fill: NaN at first, then compared with `want`, of each number the
    /// nearest half.
    void output_half(std::span<const float> want, tolerance within)
    {
        const std::vector<std::uint16_t> halves = halves_of(want);
        operand& o = add(role::output, halves.data(), 2 * halves.size());
        o.within = within;
        o.differs = detail::halves_differ<detail::float_of>;
    }

    /// The same with bfloat16, of each number the nearest.
    void output_bfloat16(std::span<const float> want, tolerance within)
    {
        std::vector<std::uint16_t> halves;
        for (const float one : want) halves.push_back(detail::bfloat16_of(one));
        operand& o = add(role::output, halves.data(), 2 * halves.size());
        o.within = within;
        o.differs = detail::halves_differ<detail::float_of_bfloat16>;
    }

    /// An array that kernels read and write. It has its first content before the run that is checked, and again after
    /// it, for the runs that are timed.
    struct changed_array {
        std::vector<unsigned char> content;                ///< at first
        std::optional<std::vector<unsigned char>> want{};  ///< after one run; empty: not compared
        /// What differs, in one line; else empty. Where it is null, the bytes must be equal.
        std::optional<std::string> (*differs)(const std::vector<unsigned char>& got,
                                              const std::vector<unsigned char>& want, tolerance) = nullptr;
        tolerance within{};               ///< for `differs`
        std::span<unsigned char> keep{};  ///< gets the array after the run that is checked; of its size, or empty
        std::string name{};               ///< for messages; empty: "output" and its number
    };

    /// Adds an array that kernels read and write.
    void changed(changed_array a)
    {
        operand& o = add(role::changed, a.content.data(), a.content.size());
        o.within = a.within;
        o.differs = a.differs;
        o.want = std::move(a.want);
        o.keep = a.keep;
        o.name = std::move(a.name);
    }

    /// Adds an argument of these bytes that is passed by value.
    void value_of_bytes(std::span<const unsigned char> x) { add(role::value, x.data(), x.size()); }

    /// Adds an argument that is passed by value.
    template <class T>
        requires std::is_trivially_copyable_v<T>
    void value(const T& x)
    {
        add(role::value, &x, sizeof x);
    }

    /// An argument in the form of drivers: an address, and a size.
    struct argument {
        void* at = nullptr;    ///< the value, or the handle of the memory
        std::size_t size = 0;  ///< of the value or the handle, in bytes
    };

    /// Every argument, in order. Where `scratch_bytes` is not 0, the last one is memory of that size. It copies to the
    /// device what is not there yet.
    [[nodiscard]] std::vector<argument> arguments(Session& gpu, std::size_t scratch_bytes)
    {
        std::vector<argument> out;
        for (operand& o : all_) {
            if (o.is != role::value && o.device == memory{}) {
                o.device = gpu.allocate(o.content.size() + (o.is == role::input ? 0 : beyond));
                if (o.is != role::output) gpu.copy_to(o.device, o.content.data(), o.content.size());
            }
            if (o.is == role::value) out.push_back({o.content.data(), o.content.size()});
            else out.push_back({&o.device, sizeof o.device});
        }
        if (scratch_bytes != 0) {
            if (scratch_bytes > scratch_size_) {
                if (scratch_size_ != 0) gpu.release(scratch_);
                scratch_size_ = 0;
                scratch_ = gpu.allocate(scratch_bytes);
                scratch_size_ = scratch_bytes;
            }
            out.push_back({&scratch_, sizeof scratch_});
        }
        return out;
    }

    /// The array of argument `k` on the device, for kernels that are launched by hand. Throws std::invalid_argument
    /// where there is no array of this number.
    template <class T>
    [[nodiscard]] T* device(Session& gpu, std::size_t k)
        requires std::is_integral_v<memory>
    {
        require(k < all_.size() && all_[k].is != role::value,
                "device_operands.device: no array of this number, want one");
        static_cast<void>(arguments(gpu, 0));
        return reinterpret_cast<T*>(static_cast<std::uintptr_t>(all_[k].device));
    }

    /// Gives the arrays that kernels change their first content again.
    void renew(Session& gpu) const
    {
        for (const operand& o : all_)
            if (o.is == role::changed && o.device != memory{})
                gpu.copy_to(o.device, o.content.data(), o.content.size());
    }

    /// Fills the outputs with NaN (of every width), and the bytes beyond them with a pattern; arrays that kernels
    /// change get their first content.
    void poison(Session& gpu) const
    {
        renew(gpu);
        for (const operand& o : all_) {
            if (o.is == role::output && o.device != memory{}) gpu.fill(o.device, 0xFF, o.content.size());
            if ((o.is == role::output || o.is == role::changed) && o.device != memory{})
                gpu.fill(o.device, canary::pattern, beyond, o.content.size());
        }
    }

    /// The first wrong output, or the first write beyond one, in one line; else empty. Arrays that kernels change have
    /// their first content afterwards.
    [[nodiscard]] std::optional<std::string> wrong(Session& gpu) const
    {
        auto out = first_fault(gpu);
        renew(gpu);
        return out;
    }

    /// A check for `timed` of what runs in `gpu`: it poisons the outputs before the run that is checked, and compares
    /// them after it. Refers to both.
    [[nodiscard]] detail::device_check<Session> check(Session& gpu) { return {this, &gpu}; }

private:
    static constexpr std::size_t beyond = 4096;
    enum class role : unsigned char { input, output, changed, value };
    using bytes = std::vector<unsigned char>;
    struct operand {
        role is;
        bytes content;  ///< the bytes given; for outputs the reference
        tolerance within{};
        std::optional<std::string> (*differs)(const bytes& got, const bytes& want, tolerance) = nullptr;
        memory device{};
        std::optional<bytes> want{};  ///< of an array that is changed
        std::span<unsigned char> keep{};
        std::string name{};
    };

    [[nodiscard]] std::optional<std::string> first_fault(Session& gpu) const
    {
        std::size_t which = 0;
        for (const operand& o : all_) {
            if (o.is != role::output && o.is != role::changed) continue;
            std::vector<unsigned char> got(o.content.size() + beyond);
            gpu.copy_from(got.data(), o.device, got.size());
            const std::string name = o.name.empty() ? "output " + std::to_string(which) : o.name;
            ++which;
            const canary after{got.data() + o.content.size(), beyond};
            if (const std::size_t at = after.first_damaged(); at != beyond)
                return name + ": wrote past its end, first at byte " + std::to_string(at) + " after it";
            got.resize(o.content.size());
            if (!o.keep.empty()) std::memcpy(o.keep.data(), got.data(), got.size());
            if (o.is == role::changed && !o.want) continue;
            const bytes& want = o.is == role::changed ? *o.want : o.content;
            if (auto line = o.differs(got, want, o.within)) return name + ": " + *line;
        }
        return std::nullopt;
    }

    static std::vector<std::uint16_t> halves_of(std::span<const float> x)
    {
        std::vector<std::uint16_t> out;
        for (const float one : x) out.push_back(detail::half_of(one));
        return out;
    }

    operand& add(role is, const void* from, std::size_t size)
    {
        const auto* const first = static_cast<const unsigned char*>(from);
        return all_.emplace_back(operand{.is = is, .content = bytes(first, first + size)});
    }

    std::deque<operand> all_{};  ///< in the order of the parameters; a deque, because arguments point to them
    memory scratch_{};
    std::size_t scratch_size_ = 0;
};

}  // namespace tunekit::measure
