// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The worker of a `kernel_pool`: what it is told, and how it runs a configuration.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/devices/cuda/clocks.hpp"
#include "tunekit/devices/cuda/kernel.hpp"
#include "tunekit/devices/detail/host_run.hpp"
#include "tunekit/devices/detail/launch_builder.hpp"
#include "tunekit/devices/detail/opencl_run.hpp"
#include "tunekit/devices/kernel_problem.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/fastest_quarter.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/processes/build/store.hpp"
#include "tunekit/processes/system/own_files.hpp"
#include "tunekit/processes/worker_task.hpp"

namespace tunekit::measure::detail {

/// The space of a pool's configurations, of which a worker knows the numbers alone.
struct numbered_space {
    using config = index;
    [[nodiscard]] static config at(index i) noexcept { return i; }
    [[nodiscard]] static std::optional<index> index_of(config c) noexcept { return c; }
};

/// What a worker has to know, whether it is forked or a program of its own.
struct kernel_setup {
    /// What each worker has for itself.
    struct place {
        int device = 0;        ///< the driver's number of it
        std::string bus{};     ///< CUDA: where the device is
        std::string arrays{};  ///< the file of its arrays; empty: they are not shared after the run that is compared
    };
    kernel_language language = kernel_language::c;
    std::vector<place> places{};
    std::string driver{};
    bool builds = false;   ///< whether it is a compiler (`launch_builder`), and no worker
    std::string code{};    ///< the folder of what is built
    std::string folder{};  ///< of a file for each configuration
    std::uint32_t iterations = 0;
    double sensed_seconds = 0;  ///< CUDA: how long each that is right runs on, for energy and clocks
    std::string nvml{};         ///< the library that reads them
    std::vector<kernel_argument> arguments{};
    std::vector<kernel_constant> constants{};

    /// Each member, for what writes and reads them.
    template <class Archive>
    void each(Archive& with)
    {
        with(language, driver, builds, code, folder, iterations, sensed_seconds, nvml);
        with.list(places, [&](place& p) { with(p.device, p.bus, p.arrays); });
        with.list(arguments, [&](kernel_argument& a) {
            with(a.name, a.type, a.array, a.bytes, a.changes, a.answer, a.within.absolute, a.within.relative);
        });
        with.list(constants, [&](kernel_constant& c) { with(c.symbol, c.bytes); });
    }
    [[nodiscard]] std::string path_of(index i) const { return folder + '/' + std::to_string(i); }
};

/// Writes members into bytes, for the same program or another of the same machine.
struct byte_writer {
    std::string out{};

    void operator()(auto&... all) { (one(all), ...); }
    template <class T, class Each>
    void list(std::vector<T>& of, Each&& each)
    {
        one(of.size());
        for (T& x : of) each(x);
    }

private:
    template <class T>
    void one(const T& x)
    {
        if constexpr (requires { x.has_value(); }) {
            one(x.has_value());
            if (x) one(*x);
        } else if constexpr (requires { x.data(); }) {
            one(x.size());
            out.append(reinterpret_cast<const char*>(x.data()), x.size());
        } else {
            static_assert(std::is_trivially_copyable_v<T>);
            out.append(reinterpret_cast<const char*>(&x), sizeof x);
        }
    }
};

/// Reads what `byte_writer` has written. Throws tunekit::error where it ends too early.
struct byte_reader {
    std::string_view in;

    void operator()(auto&... all) { (one(all), ...); }
    template <class T, class Each>
    void list(std::vector<T>& of, Each&& each)
    {
        std::size_t n = 0;
        one(n);
        for (std::size_t k = 0; k < n; ++k) each(of.emplace_back());
    }

private:
    void need(std::size_t n) const
    {
        if (n > in.size()) throw error("serve_kernel: what the pool wrote is cut short");
    }
    void take(void* to, std::size_t n)
    {
        need(n);
        if (n != 0) std::memcpy(to, in.data(), n);
        in.remove_prefix(n);
    }
    template <class T>
    void one(T& x)
    {
        if constexpr (requires { x.has_value(); }) {
            bool there = false;
            one(there);
            if (there) one(x.emplace());
        } else if constexpr (requires { x.data(); }) {
            std::size_t n = 0;
            one(n);
            need(n);
            x.resize(n);
            take(x.data(), n);
        } else {
            take(&x, sizeof x);
        }
    }
};

/// The arrays that kernels change, in a file that worker and pool map. Move-only.
class shared_arrays {
public:
    shared_arrays() = default;
    /// Maps the file, which is there. Throws tunekit::error.
    shared_arrays(const std::string& path, const std::vector<kernel_argument>& of)
    {
        for (const kernel_argument& a : of) {
            begins_.push_back(size_);
            size_ += a.array && a.changes ? (a.bytes.size() + 63) / 64 * 64 : 0;
        }
        if (size_ == 0) return;
        const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
        const bool sized = file >= 0 && ::ftruncate(file, static_cast<off_t>(size_)) == 0;
        void* const at = sized ? ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
        if (file >= 0) ::close(file);
        if (at == MAP_FAILED)
            throw error(std::string("kernel_pool: no memory of ") + std::to_string(size_) + " bytes can be shared in " +
                        path);
        at_ = static_cast<unsigned char*>(at);
    }
    shared_arrays(shared_arrays&& other) noexcept
        : at_(std::exchange(other.at_, nullptr)), size_(other.size_), begins_(std::move(other.begins_))
    {
    }
    shared_arrays& operator=(shared_arrays&& other) noexcept
    {
        std::swap(at_, other.at_);
        std::swap(size_, other.size_);
        std::swap(begins_, other.begins_);
        return *this;
    }
    ~shared_arrays()
    {
        if (at_ != nullptr) ::munmap(at_, size_);
    }

    /// Array `k`, of so many bytes; empty where nothing is shared.
    [[nodiscard]] std::span<unsigned char> array(std::size_t k, std::size_t bytes) const noexcept
    {
        return at_ == nullptr ? std::span<unsigned char>() : std::span(at_ + begins_[k], bytes);
    }

private:
    unsigned char* at_ = nullptr;
    std::size_t size_ = 0;
    std::vector<std::size_t> begins_{};
};

/// What differs between two arrays of a type, in one line; else empty.
using bytes_comparison = std::optional<std::string> (*)(const std::vector<unsigned char>&,
                                                        const std::vector<unsigned char>&, tolerance);

[[nodiscard]] inline bytes_comparison comparison_of(element_type type) noexcept
{
    constexpr bytes_comparison all[] = {
        bytes_differ<std::uint8_t>,  bytes_differ<std::int8_t>,   bytes_differ<std::uint8_t>,
        bytes_differ<std::int16_t>,  bytes_differ<std::uint16_t>, bytes_differ<std::int32_t>,
        bytes_differ<std::uint32_t>, bytes_differ<std::int64_t>,  bytes_differ<std::uint64_t>,
        halves_differ<float_of>,     bytes_differ<float>,         bytes_differ<double>};
    return all[static_cast<std::size_t>(type)];
}

/// The numbers beside the time of a CUDA kernel, in the order of `sensed`.
inline constexpr const char* sensed_names[] = {"num_regs",    "core_freq",  "mem_freq",
                                               "temperature", "nvml_power", "nvml_energy"};

/// Runs a kernel for so many seconds between two readings of the device's counters; `each` are the seconds of one run,
/// about. Power is what the energy's counter says, or, where there is none, what NVML says at the end.
template <class Run>
[[nodiscard]] measured_values sensed(Run run, cuda_clocks& clocks, double seconds, double each)
{
    const auto in_a_row = static_cast<std::uint32_t>(std::clamp(0.02 / each, 1.0, 1000.0));
    run.repeat(1);
    const wall_clock now;
    const cuda_reading before = clocks.read();
    const double begin = now();
    double runs = 0;
    for (; runs == 0 || now() - begin < seconds; runs += in_a_row) run.repeat(in_a_row);
    const cuda_reading after = clocks.read();
    const double took = now() - begin, joules = after.joules - before.joules;
    const double watts = joules > 0 ? joules / took : after.watts;
    return {run.registers(), after.mhz, after.memory_mhz, after.celsius, watts, watts * took / runs};
}

/// What the pool writes for a configuration, and its worker reads.
struct kernel_order {
    std::string key{};  ///< of what was built
    device_source::launch how{};

    template <class Archive>
    void each(Archive& with)
    {
        with(key, how.entry, how.grid[0], how.grid[1], how.grid[2], how.block[0], how.block[1], how.block[2],
             how.shared_bytes);
    }
};

/// Runs the configurations of a problem in a session of its device, for a worker. `Run` is made as
/// `Load(session, store, order, source, operands)` says.
template <class Session, class Load>
class kernel_runs {
public:
    kernel_runs(kernel_setup of, std::shared_ptr<Session> on, Load load, const char* suffix)
        : of_(std::make_shared<kernel_setup>(std::move(of))),
          on_(std::move(on)),
          load_(std::move(load)),
          code_(of_->code, suffix),
          data_(std::make_shared<std::optional<held>>())
    {
    }

    [[nodiscard]] bool measures_time() const noexcept { return true; }
    void validate() const {}

    [[nodiscard]] measurement operator()(index i, limits within)
    {
        if (!*data_) data_->emplace(*of_);  // in the worker: this process needs none
        auto kernel = [this](index c) {
            kernel_order order;
            const std::string bytes = bytes_of(of_->path_of(c)).value_or(std::string());
            byte_reader from{bytes};
            order.each(from);
            device_source source{.launches = {order.how}, .constants = of_->constants};
            auto run = load_(*on_, code_, order, source, (*data_)->operands);
            (*data_)->operands.renew(*on_);
            return run;
        };
        const auto check = (*data_)->operands.check(*on_);
        if constexpr (says_costs) on_->said.clear();
        if (of_->iterations == 0)
            return with_more(timed{kernel, fastest_quarter{until_confident{}}, check}(i, within), kernel, i);
        if (!within.only_looks())
            within.abandon_above = within.abandon_factor = std::numeric_limits<double>::infinity();
        return with_more(timed{kernel, fastest_quarter{fixed{.runs = of_->iterations, .batch = 1}}, check}(i, within),
                         kernel, i);
    }

private:
    static constexpr bool says_costs = requires(Session& on) { on.said; };

    /// With the costs that the function returned in place of its times, as a limit of seconds is one of times; or with
    /// what the device tells of its energy and clocks.
    template <class Kernel>
    [[nodiscard]] measurement with_more(measurement m, const Kernel& kernel, index i)
    {
        if constexpr (requires { kernel(i).registers(); }) {
            auto& clocks = (*data_)->clocks;
            if (m.failed || m.at_least || !clocks) return m;
            try {
                m.values = sensed(kernel(i), *clocks, of_->sensed_seconds, m.cost);
            } catch (const candidate_error& e) {
                m.failed = e.why;
                m.cost = std::numeric_limits<double>::quiet_NaN();
            }
        }
        if constexpr (says_costs) {
            const auto& said = on_->said;
            if (m.failed || said.empty()) return m;
            const std::size_t n = (std::min)(m.batches.size(), said.size());
            m.batches.assign(said.end() - static_cast<std::ptrdiff_t>(n), said.end());
            m.cost = mean_of(m.batches).cost;
            m.spread = mean_of(m.batches).spread;
            if (!std::isfinite(m.cost))
                m.failed = failure{failure_kind::bad_cost, 0, "the function returned a cost that is not finite"};
        }
        return m;
    }

    struct held {
        explicit held(const kernel_setup& of)
        {
            const auto& own = of.places.front();
            if (of.sensed_seconds > 0) clocks.emplace(own.bus, of.nvml);  // it forks, before the device begins
            if (!own.arrays.empty()) shared = shared_arrays(own.arrays, of.arguments);
            for (std::size_t k = 0; k < of.arguments.size(); ++k) {
                const kernel_argument& a = of.arguments[k];
                if (!a.array) operands.value_of_bytes(a.bytes);
                else if (!a.changes) operands.input(std::span<const unsigned char>(a.bytes));
                else
                    operands.changed({.content = a.bytes,
                                      .want = a.answer,
                                      .differs = comparison_of(a.type),
                                      .within = a.within,
                                      .keep = shared.array(k, a.bytes.size()),
                                      .name = std::string("argument ") +
                                              (a.name.empty() ? std::to_string(k) : '\'' + a.name + '\'')});
            }
        }
        shared_arrays shared{};
        device_operands<Session> operands{};
        std::optional<cuda_clocks> clocks{};
    };

    std::shared_ptr<const kernel_setup> of_;
    std::shared_ptr<Session> on_;
    Load load_;
    store code_;
    std::shared_ptr<std::optional<held>> data_;
};

/// The task of a worker; compilers all have that of the first.
[[nodiscard]] inline any_worker_task task_of(kernel_setup of, std::size_t worker)
{
    if (!of.builds) of.places = {of.places.at(worker)};
    const int device = of.places.front().device;
    const device_timing each{.min_seconds = 0, .max_launches = 1};
    const device_timing timing = of.iterations == 0 ? device_timing{} : each;
    const auto task = [](auto how) { return any_worker_task(worker_task{numbered_space{}, std::move(how)}); };
    if (of.builds) return task(launch_compiles(device, of.driver, of.code, of.folder));
    if (of.language == kernel_language::c) {
        const auto load = [](host_session& on, const store& code, const kernel_order& order, const device_source&,
                             host_operands& data) { return host_run(on, code.path(order.key), data); };
        return task(kernel_runs(std::move(of), std::make_shared<host_session>(timing), load, host_toolchain::suffix));
    }
    const auto bytes = [](const store& code, const kernel_order& order) {
        auto there = code.find(order.key);
        return there ? std::move(there->bytes) : std::string();
    };
    if (of.language == kernel_language::opencl) {
        const auto load = [bytes](opencl_session& on, const store& code, const kernel_order& order,
                                  const device_source& source,
                                  opencl_operands& data) { return opencl_run(on, bytes(code, order), source, data); };
        auto on = std::make_shared<opencl_session>(device, of.driver, timing);
        return task(kernel_runs(std::move(of), std::move(on), load, opencl_toolchain::suffix));
    }
    const auto load = [bytes](cuda_session& on, const store& code, const kernel_order& order,
                              const device_source& source, cuda_operands& data) {
        return cuda_run(on, cuda_image::of(bytes(code, order)), source, data);
    };
    auto on = std::make_shared<cuda_session>(device, of.driver, timing);
    return task(kernel_runs(std::move(of), std::move(on), load, nvrtc_toolchain::suffix));
}

}  // namespace tunekit::measure::detail
