// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A pool that builds and runs the configurations of a `kernel_problem`, on a device or on the processor.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/devices/cuda/measurer.hpp"
#include "tunekit/devices/detail/kernel_source.hpp"
#include "tunekit/devices/detail/kernel_worker.hpp"
#include "tunekit/devices/detail/launch_builder.hpp"
#include "tunekit/devices/detail/shared_function.hpp"
#include "tunekit/devices/kernel_problem.hpp"
#include "tunekit/devices/library.hpp"
#include "tunekit/devices/opencl/measurer.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/processes/build/pipeline.hpp"
#include "tunekit/processes/machine.hpp"
#include "tunekit/processes/serve.hpp"
#include "tunekit/processes/share_cores.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::measure {

/// The device of a kernel.
struct kernel_device {
    std::string name;             ///< as its driver gives it; of C the processor's
    std::int64_t threads = 1024;  ///< the most of a block
    std::string architecture{};   ///< such as "sm_90"; CUDA alone
    std::string in_use{};         ///< CUDA: the processes of others on them, in words; empty: none, or not known
};

/// Where and how the configurations of a problem are built and run.
struct kernel_options {
    std::vector<int> devices{0};   ///< their numbers, as the driver counts them: equal ones; C: one, of no meaning
    std::string driver{};          ///< libcuda or libOpenCL; empty: the system's
    std::string nvrtc{};           ///< libnvrtc; empty: the newest one found
    std::string compiler = "c++";  ///< of C and C++
    std::size_t compilers = 0;     ///< that run at a time; 0: one less than there are processors, at least 1
    std::string directory{};       ///< of what is built; empty: a temporary one, removed at the end
    std::size_t memory_bytes = std::size_t{8} << 30;  ///< host memory that a worker may make resident
    /// How long each configuration that is right runs on, so that `measurement::values` has what `value_names` says; at
    /// least 0.5 for energy. 0: it has nothing. CUDA alone.
    double sensed_seconds = 0;
    std::string nvml{};  ///< libnvidia-ml; empty: the system's
    /// The command of a program whose main calls `serve_kernel`; it runs the kernels. Empty: this process forks, which
    /// it can while it runs no threads.
    std::vector<std::string> worker{};
};

/// The device that options name, or what their equal ones have in common. Throws no_device where there is none, for C
/// never; std::invalid_argument, in a line that names them, for none, one twice, or devices that differ.
[[nodiscard]] kernel_device find_kernel_device(kernel_language language, const kernel_options& how = {});

/// Builds and runs the configurations of a problem. A `pool`: compilers work, one for each free processor, while a
/// worker process on each device runs what they have built.
///
/// Of each configuration: arrays that change get their first content, it is launched once, and its arrays are compared
/// with the answers; they get their first content again, and it is timed. A crash, an illegal address, an endless loop,
/// a wrong element and a write behind an array's end are one failed trial each. Compilers that are at work when the
/// pool is destroyed are killed.
///
/// Failures:   invalid, build_error, build_timeout, launch_error, crash, wrong_result (a write behind an array, too),
///             run_timeout, out_of_memory, bad_cost.
/// Errors:     no_device where there is no device or compiler; std::invalid_argument for what is wrong in the problem
///             before anything is built: a name that the text does not have, a number of arguments that the function
///             does not take, a name in an expression that is no parameter.
/// Threads:    one at a time. It forks: with other threads running, see kernel_options::worker.
class kernel_pool {
public:
    /// The space gives names, and the texts of a configuration's values; it is copied.
    template <space::described Space>
    kernel_pool(kernel_problem what, const Space& space, const kernel_options& how = {})
        : kernel_pool(
              std::move(what), std::vector<std::string>(space.names().begin(), space.names().end()),
              [space](index i) { return space.texts(i); }, how)
    {
    }
    /// The same with the texts of a configuration's values as a function.
    kernel_pool(kernel_problem what, std::vector<std::string> names,
                detail::shared_function<std::vector<std::string>(index)> texts, const kernel_options& how = {});
    kernel_pool(kernel_pool&&) noexcept;             ///< takes over the processes
    kernel_pool& operator=(kernel_pool&&) noexcept;  ///< takes over the processes
    ~kernel_pool();

    [[nodiscard]] const kernel_device& device() const noexcept;  ///< the device of the kernels

    /// Whether its costs are times; not where a function of C says its cost.
    [[nodiscard]] bool measures_time() const noexcept;
    /// The names of the numbers beside the cost: registers of a thread, MHz, degrees Celsius, watts, and joules of one
    /// run. None but where `sensed_seconds` asks a CUDA device; NaN for what its driver does not tell.
    [[nodiscard]] std::vector<std::string> value_names() const;
    [[nodiscard]] std::size_t workers() const noexcept;         ///< one on each device
    [[nodiscard]] std::size_t room() const noexcept;            ///< jobs that may be submitted now
    [[nodiscard]] double now() const noexcept;                  ///< seconds
    void submit(const job& next);                               ///< hands a job to the compilers
    [[nodiscard]] std::vector<answer> collect(double seconds);  ///< the answers known, waiting for one at most so long

    /// A measurer for use while nothing else is out, such as a race.
    class alone_measurer {
    public:
        /// Measures the batch in its order.
        [[nodiscard]] std::vector<measurement> measure(std::span<const index> batch, const limits& within);

    private:
        friend kernel_pool;
        explicit alone_measurer(kernel_pool& pool) noexcept : pool_(&pool) {}
        kernel_pool* pool_;
    };
    /// The measurer on the first device whose worker is left. Worker and task are 0.
    [[nodiscard]] alone_measurer alone(std::size_t worker = 0, std::size_t task = 0);

    /// The arrays after the last run that was compared; they change when the next one runs.
    [[nodiscard]] kernel_arrays arrays() const;

private:
    struct state;
    std::unique_ptr<state> its_;
};

/// What one configuration gave.
struct kernel_run {
    measurement measured{};                            ///< its cost and its times, or why it failed
    std::vector<std::vector<unsigned char>> arrays{};  ///< after one launch, one for each argument; empty for a value
};

/// Builds and runs one configuration, given by the names of its parameters and the texts of their values.
[[nodiscard]] kernel_run run_kernel(kernel_problem what, const std::vector<std::pair<std::string, std::string>>& values,
                                    const kernel_options& how = {}, const limits& within = {});

/// Serves as a pool's worker and does not return, where the arguments ask for it; else does nothing. Call it first in
/// the main of `kernel_options::worker`, before any threads.
void serve_kernel(int argc, char** argv);

}  // namespace tunekit::measure

namespace tunekit::measure {

namespace detail {

/// The flags of a compiler that start threads in the function.
[[nodiscard]] inline bool asks_for_threads(const std::vector<std::string>& flags)
{
    return std::any_of(flags.begin(), flags.end(), [](const std::string& flag) {
        return flag.find("openmp") != flag.npos || flag.find("pthread") != flag.npos || flag.find("acc") == 1;
    });
}

/// A compiler and the worker, of any language.
struct kernel_engine {
    virtual ~kernel_engine() = default;
    [[nodiscard]] virtual std::size_t room() const = 0;
    [[nodiscard]] virtual double now() const = 0;
    virtual void submit(const job& next) = 0;
    [[nodiscard]] virtual std::vector<answer> collect(double seconds) = 0;
};

template <class Builder>
class kernel_engine_of final : public kernel_engine {
public:
    kernel_engine_of(kernel_template of, Builder compilers, kernel_runners runners)
        : inner_(std::move(of), std::move(compilers), std::move(runners))
    {
    }
    [[nodiscard]] std::size_t room() const override { return inner_.room(); }
    [[nodiscard]] double now() const override { return inner_.now(); }
    void submit(const job& next) override { inner_.submit(next); }
    [[nodiscard]] std::vector<answer> collect(double seconds) override { return inner_.collect(seconds); }

private:
    pipeline<kernel_template, kernel_runners, Builder> inner_;
};

}  // namespace detail

struct kernel_pool::state {
    kernel_options how;
    kernel_device device;
    bool says_cost = false;
    detail::temporary_directory place =
        detail::temporary_directory::fresh("tunekit-kernel-", "kernel_pool");  // behind it what uses its files
    std::shared_ptr<detail::kernel_template::parts> parts = std::make_shared<detail::kernel_template::parts>();
    std::vector<detail::shared_arrays> arrays{};  ///< of each worker
    std::size_t compared = 0;                     ///< the worker that ran the last one
    std::optional<opencl_device> charged{};       ///< whose first start no configuration is charged for
    double uncharged = 0;
    std::unique_ptr<detail::kernel_engine> engine{};

    /// The compilers' folder, whose names are the worker's, and the worker. `Builder` is made already.
    template <class Builder>
    void begin(Builder compilers, detail::kernel_runners::rule refused, isolated_workers::options workers)
    {
        parts->setup.code = compilers.cache().directory();
        parts->key = [cache = compilers.cache()](const source& s) {
            return cache.key(s, detail::kernel_template::entry);
        };
        workers.memory_bytes = how.memory_bytes;
        workers.rule = isolated_options::memory_rule::resident;
        detail::kernel_runners::look verify;
        if (parts->what.verify)
            verify = [this](index i, std::size_t worker) { return parts->what.verify(i, views(compared = worker)); };
        detail::kernel_template of(parts);
        detail::kernel_runners runners(of, std::move(refused), std::move(verify),
                                       processes(how.devices.size(), parts->setup, workers));
        engine = std::make_unique<detail::kernel_engine_of<Builder>>(std::move(of), std::move(compilers),
                                                                     std::move(runners));
    }

    /// `n` processes that do what a setup says.
    [[nodiscard]] isolated_workers processes(std::size_t n, detail::kernel_setup setup,
                                             const isolated_workers::options& workers)
    {
        if (how.worker.empty()) return {n, [setup](std::size_t k) { return detail::task_of(setup, k); }, workers};
        const std::string path = place.name() + (setup.builds ? "/setup-of-compilers" : "/setup");
        detail::byte_writer bytes;
        setup.each(bytes);
        detail::write_file(path, bytes.out);
        std::vector<std::string> words(how.worker.begin() + 1, how.worker.end());
        words.push_back(path);
        return served_workers(n, detail::numbered_space{},
                              {.workers = workers, .program = how.worker.front(), .arguments = std::move(words)});
    }

    void begin_host(const kernel_problem& what)
    {
        const bool threads = detail::asks_for_threads(what.flags);
        if (threads) parts->flags.emplace_back("-Wl,-z,nodelete");  // threads of OpenMP outlive a run
        builder::options of{.compilers = {how.compiler}, .flags = {}, .directory = how.directory, .whole = true};
        of.processes = how.compilers != 0 ? how.compilers : threads ? 1 : 0;
        isolated_workers::options workers{.pinned = false};
        if (const std::size_t cores = detail::allowed_cores().size(); !threads && cores > 1) {
            const std::size_t spared = of.processes != 0 ? (std::min)(of.processes, cores - 1) : cores - 1;
            auto shares = share_cores(1, spared);
            of.cores = std::move(shares.spared);
            workers.pinned = true;
            workers.cores = std::move(shares.workers);
        }
        begin(builder(of), {}, std::move(workers));
    }
    void begin_opencl()
    {
        const opencl_device on = find_opencl_device(how.devices.front(), how.driver);
        charged = on;
        if (detail::compiles_at_launch(on)) return begin_at_launch(on);
        opencl_builder compilers(
            {.device = on, .directory = how.directory, .processes = how.compilers, .library = how.driver});
        auto refused = refusals(detail::opencl_rule(on), compilers.cache());
        begin(std::move(compilers), std::move(refused), {.pinned = false});
    }
    void begin_at_launch(const opencl_device& on)
    {
        parts->at_launch = true;
        const std::string folder = how.directory.empty() ? place.name() : detail::build_place(how.directory).name();
        detail::code_cache cache(folder, detail::opencl_toolchain::suffix, on.name + ' ' + on.version, {});
        const std::size_t spared = (std::max)(detail::allowed_cores().size(), std::size_t{2}) - 1;
        const isolated_workers::options children{
            .memory_bytes = how.memory_bytes, .rule = isolated_options::memory_rule::resident, .pinned = false};
        detail::launch_builder compilers(cache, place.name(),
                                         processes(how.compilers != 0 ? how.compilers : spared,
                                                   {.language = kernel_language::opencl,
                                                    .places = {{.device = on.index}},
                                                    .driver = how.driver,
                                                    .builds = true,
                                                    .code = folder,
                                                    .folder = place.name()},
                                                   children));
        auto refused = refusals(detail::opencl_rule(on), compilers.cache());
        begin(std::move(compilers), std::move(refused), {.pinned = false});
    }
    void begin_cuda(const cuda_device& on)
    {
        parts->setup.sensed_seconds = how.sensed_seconds;
        parts->setup.nvml = how.nvml;
        nvrtc_builder compilers({.architecture = on.architecture(),
                                 .flags = {},
                                 .directory = how.directory,
                                 .processes = how.compilers,
                                 .library = how.nvrtc});
        auto refused = refusals(detail::cuda_rule(on), compilers.cache());
        begin(std::move(compilers), std::move(refused), {.pinned = false});
    }
    template <class Rule, class Cache>
    [[nodiscard]] static detail::kernel_runners::rule refusals(Rule rule, Cache cache)
    {
        return [rule = std::move(rule),
                cache = std::move(cache)](const detail::kernel_order& o) -> std::optional<failure> {
            auto why = rule.exceeds(o.how, cache.path(o.key));
            if (!why) return std::nullopt;
            return failure{failure_kind::launch_error, Rule::refusal, std::move(*why)};
        };
    }

    [[nodiscard]] kernel_arrays views(std::size_t worker) const
    {
        kernel_arrays out;
        for (std::size_t k = 0; k < parts->what.arguments.size(); ++k) {
            const kernel_argument& a = parts->what.arguments[k];
            if (a.array && !a.changes) out.emplace_back(a.bytes);
            else if (a.array && !arrays.empty()) out.emplace_back(arrays[worker].array(k, a.bytes.size()));
            else out.emplace_back();
        }
        return out;
    }
};

namespace detail {

/// The devices that `find(number)` gives, which have to be equal in what `about` says of each.
template <class Find, class About>
[[nodiscard]] auto equal_devices(const std::vector<int>& numbers, Find&& find, About&& about)
{
    std::vector<decltype(find(0))> out;
    for (const int n : numbers) {
        out.push_back(find(n));
        if (about(out.back()) != about(out.front()))
            invalid("kernel_pool: device " + std::to_string(numbers.front()) + " is " + about(out.front()) + ", and " +
                    std::to_string(n) + " is " + about(out.back()) + ", want equal ones");
    }
    return out;
}

/// What equal devices have in common, and those of CUDA.
struct common_device {
    kernel_device all{};
    std::vector<cuda_device> each{};
};

/// `find_kernel_device` without a look at who uses them.
[[nodiscard]] inline common_device common_device_of(kernel_language language, const kernel_options& how)
{
    const auto& numbers = how.devices;
    require(!numbers.empty(), "kernel_pool: no device, want the number of one or more");
    for (auto n = numbers.begin(); n != numbers.end(); ++n)
        if (std::find(numbers.begin(), n, *n) != n)
            invalid("kernel_pool: device " + std::to_string(*n) + " twice, want each once");
    if (language == kernel_language::c) {
        require(numbers.size() == 1, "kernel_pool: a kernel in C runs on the processor, want one device");
        return {.all = {.name = to_text(this_machine())}};
    }
    if (language == kernel_language::opencl) {
        const auto all = equal_devices(
            numbers, [&](int n) { return find_opencl_device(n, how.driver); },
            [](auto& d) { return d.name + " (" + d.version + ", " + std::to_string(d.units) + " compute units)"; });
        return {.all = {.name = all.front().name, .threads = all.front().threads}};
    }
    auto all = equal_devices(
        numbers, [&](int n) { return find_cuda_device(n, how.driver); },
        [](auto& d) {
            return d.name + " (" + d.architecture() + ", " + std::to_string(d.processors) + " processors)";
        });
    const cuda_device& first = all.front();
    kernel_device out{.name = first.name, .threads = first.threads, .architecture = first.architecture()};
    return {.all = std::move(out), .each = std::move(all)};
}

}  // namespace detail

inline kernel_device find_kernel_device(kernel_language language, const kernel_options& how)
{
    auto [out, each] = detail::common_device_of(language, how);
    for (const cuda_device& d : each)
        if (const std::string others = detail::others_on(d.bus, how.nvml); !others.empty())
            out.in_use += std::string(out.in_use.empty() ? "" : "; ") + "device " + std::to_string(d.index) +
                          " is used by process " + others;
    return out;
}

inline kernel_pool::kernel_pool(kernel_problem what, std::vector<std::string> names,
                                detail::shared_function<std::vector<std::string>(index)> texts,
                                const kernel_options& how)
    : its_(std::make_unique<state>(state{.how = how, .device = {}}))
{
    detail::examine(what, names);
    require(how.sensed_seconds >= 0,
            std::string("kernel_pool: sensed_seconds is ") + core::text_of(how.sensed_seconds) + ", want >= 0");
    state& s = *its_;
    const detail::common_device found = detail::common_device_of(what.language, how);
    s.device = found.all;
    s.says_cost = measure::says_cost(what);
    if (s.says_cost && what.iterations == 0) what.iterations = 7;  // no policy of times knows how sure a cost is
    if (!what.headers.empty()) {
        const std::string folder = s.place.name() + "/headers";
        detail::claim_folder(folder, "kernel_pool");
        for (const kernel_header& h : what.headers) {
            require(!h.name.empty() && h.name.front() != '/' && h.name.find("..") == h.name.npos,
                    std::string("kernel_problem: the header '") + h.name +
                        "' is not a relative path, want one below the kernel");
            for (std::size_t at = 0; (at = h.name.find('/', at)) != h.name.npos; ++at)
                detail::claim_folder(folder + '/' + h.name.substr(0, at), "kernel_pool");
            detail::write_file(folder + '/' + h.name, h.text);
        }
        s.parts->flags.push_back(std::string("-I") + folder);
    }
    s.parts->setup = {.language = what.language,
                      .driver = how.driver,
                      .folder = s.place.name(),
                      .iterations = what.iterations,
                      .arguments = what.arguments,
                      .constants = what.constants};
    for (std::size_t k = 0; k < how.devices.size(); ++k) {
        auto& own = s.parts->setup.places.emplace_back();
        own.device = how.devices[k];
        if (!found.each.empty()) own.bus = found.each[k].bus;
        if (!what.verify) continue;
        own.arrays = s.place.name() + "/arrays-" + std::to_string(k);
        detail::write_file(own.arrays, "");
        s.arrays.emplace_back(own.arrays, what.arguments);
    }
    s.parts->what = std::move(what);
    s.parts->names = std::move(names);
    s.parts->texts = std::move(texts);
    if (s.parts->what.language == kernel_language::c) s.begin_host(s.parts->what);
    else if (s.parts->what.language == kernel_language::opencl) s.begin_opencl();
    else s.begin_cuda(found.each.front());
}

inline kernel_pool::kernel_pool(kernel_pool&&) noexcept = default;
inline kernel_pool& kernel_pool::operator=(kernel_pool&&) noexcept = default;
inline kernel_pool::~kernel_pool() = default;

inline const kernel_device& kernel_pool::device() const noexcept { return its_->device; }
inline bool kernel_pool::measures_time() const noexcept { return !its_->says_cost; }
inline std::vector<std::string> kernel_pool::value_names() const
{
    if (its_->parts->setup.sensed_seconds == 0) return {};
    return {std::begin(detail::sensed_names), std::end(detail::sensed_names)};
}
inline std::size_t kernel_pool::workers() const noexcept { return its_->how.devices.size(); }
inline std::size_t kernel_pool::room() const noexcept { return its_->engine->room(); }
inline double kernel_pool::now() const noexcept { return its_->engine->now(); }
inline kernel_arrays kernel_pool::arrays() const { return its_->views(its_->compared); }
inline std::vector<answer> kernel_pool::collect(double seconds) { return its_->engine->collect(seconds); }
inline kernel_pool::alone_measurer kernel_pool::alone(std::size_t, std::size_t) { return alone_measurer(*this); }

inline void kernel_pool::submit(const job& next)
{
    if (its_->charged) {  // its driver begins and compiles for the first time in this run: no candidate's fault
        constexpr double times = 3;
        its_->uncharged = times * detail::first_compilation(*its_->charged, its_->how.driver);
        its_->charged.reset();
    }
    job longer = next;
    longer.limits.build_seconds += its_->uncharged;
    longer.limits.run_seconds += its_->uncharged;
    its_->engine->submit(longer);
}

inline std::vector<measurement> kernel_pool::alone_measurer::measure(std::span<const index> batch, const limits& within)
{
    std::vector<measurement> out;
    for (const index i : batch) {
        pool_->submit({.candidate = i, .limits = within});
        std::vector<answer> answers;
        while (answers.empty()) answers = pool_->collect(1);
        out.push_back(answers.front().measured.value_or(
            measurement{.failed = failure{failure_kind::lost, 0, "its worker was lost"}}));
    }
    return out;
}

inline kernel_run run_kernel(kernel_problem what, const std::vector<std::pair<std::string, std::string>>& values,
                             const kernel_options& how, const limits& within)
{
    std::vector<std::string> names, texts;
    for (const auto& [name, text] : values) {
        names.push_back(name);
        texts.push_back(text);
    }
    if (what.iterations == 0) what.iterations = 1;
    if (!what.verify) what.verify = [](index, const kernel_arrays&) { return std::nullopt; };
    kernel_options one = how;
    one.compilers = 1;
    one.devices.resize((std::min)(one.devices.size(), std::size_t{1}));
    kernel_pool pool(std::move(what), std::move(names), [texts](index) { return texts; }, one);
    const index only = 0;
    kernel_run out{.measured = std::move(pool.alone().measure({&only, 1}, within).front())};
    for (const auto& view : pool.arrays()) out.arrays.emplace_back(view.begin(), view.end());
    return out;
}

inline void serve_kernel(int argc, char** argv)
{
    serve(argc, argv, [&](std::size_t worker) {
        const std::string bytes = detail::bytes_of(argv[argc - 1]).value_or(std::string());
        detail::byte_reader from{bytes};
        detail::kernel_setup setup;
        setup.each(from);
        return detail::task_of(std::move(setup), worker);
    });
}

}  // namespace tunekit::measure
