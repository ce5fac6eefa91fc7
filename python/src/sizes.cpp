// SPDX-License-Identifier: MIT
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "outcome.hpp"
#include "space.hpp"
#include "tunekit/dispatch/fit.hpp"
#include "tunekit/dispatch/header.hpp"
#include "tunekit/dispatch/results.hpp"
#include "tunekit/dispatch/tune_shapes.hpp"
#include "tunekit/processes/system/own_files.hpp"

namespace nb = nanobind;
namespace tk = tunekit;
using namespace nb::literals;

namespace python {

namespace {

/// What was measured of a kernel at several problem sizes on one device, all over one space.
class sizes {
public:
    sizes(const grid& space, std::string kernel, const std::string& text, std::string device, std::size_t axes)
        : space_(space), device_(std::move(device))
    {
        const std::vector<std::string> names{"x", "y", "z"};
        all_.kernel = std::move(kernel);
        all_.version = tk::measure::detail::digest(text);
        all_.fingerprint = space.fingerprint();
        all_.sizes.assign(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(axes));
        all_.parameters.assign(space.names().begin(), space.names().end());
    }

    void add(const tk::dispatch::shape_sizes& at, tk::index i, double cost, std::vector<double> runs, bool searched,
             bool untuned)
    {
        const auto m = measurement_of("sizes", cost, "", "", 0, std::move(runs));
        all_.add({.device = device_,
                  .at = at,
                  .candidate = i,
                  .values = space_.texts(i),
                  .seconds = m.cost,
                  .within = tk::dispatch::detail::interval_of(m),
                  .runs = m.runs,
                  .searched = searched,
                  .untuned = untuned},
                 std::numeric_limits<double>::infinity());
    }
    /// The winners of the nearest sizes, with which a search begins.
    [[nodiscard]] std::vector<tk::index> beside(const tk::dispatch::shape_sizes& at) const
    {
        return tk::dispatch::detail::winners_beside(all_, device_, at);
    }
    void write_header(const std::string& path, const std::string& name) const
    {
        tk::dispatch::write_header(path, tk::dispatch::fit(all_, {}), {.name = name});
    }

private:
    grid space_;
    std::string device_;
    tk::dispatch::results all_{};
};

}  // namespace

void bind_sizes(nb::module_& m)
{
    nb::class_<sizes>(m, "Sizes")
        .def(nb::init<const grid&, std::string, const std::string&, std::string, std::size_t>(), "space"_a,
             nb::kw_only(), "kernel"_a, "text"_a, "device"_a, "axes"_a)
        .def("add", &sizes::add, "at"_a, "i"_a, nb::kw_only(), "cost"_a, "runs"_a, "searched"_a, "untuned"_a)
        .def("beside", &sizes::beside)
        .def("write_header", &sizes::write_header, "path"_a, "name"_a, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace python
