// SPDX-License-Identifier: MIT
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "outcome.hpp"
#include "space.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/devices/kernel_pool.hpp"
#include "tunekit/devices/kernel_problem.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/measure/measurement.hpp"

namespace nb = nanobind;
namespace tk = tunekit;
using namespace nb::literals;

namespace python {

namespace {

using tk::measure::kernel_instance;
using tk::measure::kernel_problem;

tk::measure::kernel_language language_named(const std::string& name)
{
    using enum tk::measure::kernel_language;
    for (const auto language : {c, opencl, cuda})
        if (name == to_text(language)) return language;
    tk::invalid("kernel: the language is '" + name + "', want C, OpenCL or CUDA");
}

std::vector<unsigned char> bytes_in(const nb::bytes& from)
{
    const auto* begin = reinterpret_cast<const unsigned char*>(from.c_str());
    return {begin, begin + from.size()};
}

/// What all configurations share, by the names that Python gives it.
struct shared {
    kernel_problem what{};
    tk::measure::kernel_options how{};
    double run_seconds = 0;
};

shared shared_of(const nb::kwargs& said)
{
    shared out;
    out.what.language = language_named(nb::cast<std::string>(said["language"]));
    out.what.name = nb::cast<std::string>(said["name"]);
    out.what.text = nb::cast<std::string>(said["text"]);
    out.what.file = nb::cast<std::string>(said["file"]);
    out.what.flags = nb::cast<std::vector<std::string>>(said["flags"]);
    out.what.macros.emplace();
    for (const nb::handle one : nb::cast<nb::list>(said["arguments"])) {
        const auto parts = nb::cast<nb::tuple>(one);
        tk::measure::kernel_argument argument{.name = nb::cast<std::string>(parts[0])};
        argument.type =
            tk::measure::element_type_of(nb::cast<std::string>(parts[1])).value_or(tk::measure::element_type::bytes);
        argument.array = nb::cast<bool>(parts[2]);
        argument.bytes = bytes_in(nb::cast<nb::bytes>(parts[3]));
        argument.changes = nb::cast<bool>(parts[4]);
        out.what.arguments.push_back(std::move(argument));
    }
    for (const nb::handle one : nb::cast<nb::list>(said["constants"])) {
        const auto parts = nb::cast<nb::tuple>(one);
        out.what.constants.push_back(
            {.symbol = nb::cast<std::string>(parts[0]), .bytes = bytes_in(nb::cast<nb::bytes>(parts[1]))});
    }
    out.what.iterations = nb::cast<std::uint32_t>(said["iterations"]);
    out.how.devices = nb::cast<std::vector<int>>(said["devices"]);
    if (const auto compiler = nb::cast<std::string>(said["compiler"]); !compiler.empty()) out.how.compiler = compiler;
    out.how.compilers = nb::cast<std::size_t>(said["compilers"]);
    out.how.worker = nb::cast<std::vector<std::string>>(said["worker"]);
    out.how.sensed_seconds = nb::cast<double>(said["sensed_seconds"]);
    out.run_seconds = nb::cast<double>(said["run_seconds"]);
    return out;
}

/// Fills what is built and launched for a configuration.
void fill(kernel_instance& to, const nb::dict& said)
{
    to.name = nb::cast<std::string>(said["name"]);
    to.text = nb::cast<std::string>(said["text"]);
    to.macros = nb::cast<std::vector<std::pair<std::string, std::string>>>(said["macros"]);
    to.flags = nb::cast<std::vector<std::string>>(said["flags"]);
    const auto sizes = [&](const char* name, std::array<std::int64_t, 3>& into) {
        const auto given = nb::cast<std::vector<std::int64_t>>(said[name]);
        for (std::size_t d = 0; d < into.size(); ++d) into[d] = given.at(d);
    };
    sizes("grid", to.grid);
    sizes("block", to.block);
    to.shared_bytes = nb::cast<std::int64_t>(said["shared_bytes"]);
}

/// What a function of Python throws, as one of C++ that needs no interpreter's lock.
template <class F>
auto without_python_error(const F& f)
{
    try {
        return f();
    } catch (nb::python_error& e) {
        std::string why = nb::str(e.value()).c_str();
        if (why.starts_with("tunekit: ")) why.erase(0, 9);
        throw std::runtime_error(why);
    }
}

nb::dict device_of(const tk::measure::kernel_device& device)
{
    nb::dict out;
    out["name"] = device.name;
    out["threads"] = device.threads;
    out["architecture"] = device.architecture;
    out["in_use"] = device.in_use;
    return out;
}

nb::dict measured_of(const tk::measure::measurement& m)
{
    nb::dict out;
    out["kind"] = m.failed ? to_text(m.failed->kind) : "";
    out["why"] = m.failed ? m.failed->message : std::string();
    out["times"] = m.batches.empty() && !m.failed ? std::vector<double>{m.cost} : m.batches;
    out["build_seconds"] = m.build_seconds;
    out["run_seconds"] = m.run_seconds;
    out["values"] = std::vector<double>(m.values.begin(), m.values.end());
    return out;
}

/// The pool behind `pytunekit.tune_kernel`. `adjust(index)` says what a configuration is, and `verify(index, arrays)`
/// whether what it computed is right; both are called here, while the pool is asked for something.
class kernels {
public:
    kernels(const grid& space, nb::object adjust, nb::object verify, const nb::kwargs& said)
        : adjust_(std::move(adjust)), verify_(std::move(verify))
    {
        auto [what, how, run_seconds] = shared_of(said);
        limits_.run_seconds = run_seconds;
        limits_.build_seconds = run_seconds + 60;  // of a busy machine's compiler
        what.adjust = [this](tk::index i, kernel_instance& to) {
            const nb::gil_scoped_acquire held;
            without_python_error([&] { fill(to, nb::cast<nb::dict>(adjust_(i))); });
        };
        if (!verify_.is_none())
            what.verify = [this](tk::index i, const tk::measure::kernel_arrays& arrays) {
                const nb::gil_scoped_acquire held;
                return without_python_error([&]() -> std::optional<std::string> {
                    const nb::object fault = verify_(i, views_of(arrays));
                    if (fault.is_none()) return std::nullopt;
                    return nb::cast<std::string>(fault);
                });
            };
        const nb::gil_scoped_release free;
        pool_ = std::make_unique<tk::measure::kernel_pool>(std::move(what), space, how);
    }
    kernels(const kernels&) = delete;
    kernels& operator=(const kernels&) = delete;
    ~kernels() { close(); }

    [[nodiscard]] bool measures_time() { return there().measures_time(); }
    [[nodiscard]] std::vector<std::string> value_names() { return there().value_names(); }
    [[nodiscard]] std::size_t room() { return there().room(); }
    void submit(tk::job next)
    {
        next.limits = limits_;  // every configuration has all of its launches
        const nb::gil_scoped_release free;
        there().submit(next);
    }
    /// The answers that are known, waiting for one at most so long.
    nb::list collect(double seconds)
    {
        std::vector<tk::answer> all;
        {
            const nb::gil_scoped_release free;
            all = there().collect(seconds);
        }
        nb::list out;
        for (const auto& a : all) {
            nb::dict answer = measured_of(a.measured.value_or(tk::measure::measurement{}));
            answer["ticket"] = static_cast<std::uint64_t>(a.ticket);
            answer["lost"] = !a.measured;
            answer["worker"] = a.worker;
            out.append(answer);
        }
        return out;
    }
    nb::dict measure(tk::index i)
    {
        std::vector<tk::measure::measurement> all;
        {
            const nb::gil_scoped_release free;
            all = there().alone().measure({&i, 1}, limits_);
        }
        return measured_of(all.at(0));
    }
    /// Ends compilers and worker.
    void close()
    {
        const nb::gil_scoped_release free;
        pool_.reset();
    }

private:
    static nb::list views_of(const tk::measure::kernel_arrays& arrays)
    {
        nb::list out;
        for (const auto& one : arrays) {
            auto* begin = const_cast<char*>(reinterpret_cast<const char*>(one.data()));
            out.append(one.data() == nullptr ? nb::none()
                                             : nb::steal(PyMemoryView_FromMemory(
                                                   begin, static_cast<Py_ssize_t>(one.size()), PyBUF_READ)));
        }
        return out;
    }
    tk::measure::kernel_pool& there()
    {
        tk::require(pool_ != nullptr, "kernel: the pool was closed, want another one");
        return *pool_;
    }

    nb::object adjust_;
    nb::object verify_;
    tk::measure::limits limits_{};
    std::unique_ptr<tk::measure::kernel_pool> pool_{};
};

/// Builds and launches one configuration. Returns what came of it, and its arrays afterwards, none for a value.
nb::object run_kernel(const nb::dict& instance, const nb::kwargs& said)
{
    auto [what, how, run_seconds] = shared_of(said);
    kernel_instance only;
    fill(only, instance);
    what.adjust = [&](tk::index, kernel_instance& to) { to = only; };
    tk::measure::kernel_run done;
    {
        const nb::gil_scoped_release free;
        done = tk::measure::run_kernel(std::move(what), {}, how,
                                       {.run_seconds = run_seconds, .build_seconds = run_seconds + 60});
    }
    nb::list arrays;
    for (std::size_t k = 0; k < done.arrays.size(); ++k) {
        const auto& one = done.arrays[k];
        arrays.append(nb::bytes(one.data(), one.size()));
    }
    return nb::make_tuple(measured_of(done.measured), arrays);
}

}  // namespace

void bind_kernels(nb::module_& m)
{
    nb::class_<kernels>(m, "KernelPool")
        .def(nb::init<const grid&, nb::object, nb::object, const nb::kwargs&>(), "space"_a, "adjust"_a,
             "verify"_a.none(), "said"_a)
        .def("measures_time", &kernels::measures_time)
        .def("value_names", &kernels::value_names)
        .def("room", &kernels::room)
        .def("submit", &kernels::submit)
        .def("collect", &kernels::collect)
        .def("measure", &kernels::measure)
        .def("close", &kernels::close);
    m.def("cost_of_times", &cost_of_times, "runs"_a);
    m.def("run_kernel", &run_kernel, "instance"_a, "said"_a);
    m.def("find_kernel_device", [](const std::string& language, std::vector<int> devices) {
        tk::measure::kernel_device found;
        {
            const nb::gil_scoped_release free;
            found = tk::measure::find_kernel_device(language_named(language), {.devices = std::move(devices)});
        }
        return device_of(found);
    });
    m.def("serve_kernel", [](std::vector<std::string> words) {
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        const nb::gil_scoped_release free;
        tk::measure::serve_kernel(static_cast<int>(words.size()), argv.data());
    });
}

}  // namespace python
