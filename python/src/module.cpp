// SPDX-License-Identifier: MIT
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "bind.hpp"
#include "outcome.hpp"
#include "tools/support/names.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/devices/library.hpp"
#include "tunekit/processes/files/text.hpp"

namespace nb = nanobind;

namespace {

nb::handle error_type;      // pytunekit.Error, for as long as the module lives
nb::handle no_device_type;  // pytunekit.NoDevice, too

/// A message of the library with what a caller writes in Python where it says what one writes in C++.
std::string in_python(std::string text)
{
    constexpr std::pair<std::string_view, std::string_view> words[] = {
        {"(.resume = true, or --resume)", "(resume=True)"},
        {"; ask found() first", ""},
        {"correct the kernel or its check", "correct the function"},
    };
    for (const auto& [there, here] : words)
        if (const std::size_t at = text.find(there); at != std::string::npos) text.replace(at, there.size(), here);
    return text;
}

/// What the library throws for wrong input becomes the one documented exception, with its message.
void translate(const std::exception_ptr& thrown, void*)
{
    try {
        std::rethrow_exception(thrown);
    } catch (const std::logic_error& e) {  // invalid_argument, out_of_range
        PyErr_SetString(error_type.ptr(), in_python(e.what()).c_str());
    } catch (const tunekit::measure::no_device& e) {
        PyErr_SetString(no_device_type.ptr(), e.what());
    } catch (const tunekit::error& e) {
        PyErr_SetString(error_type.ptr(), in_python(e.what()).c_str());
    }
}

template <class T>
std::vector<std::string> names_of(const programs::named<T>& all)
{
    std::vector<std::string> out;
    for (const auto& [name, value] : all) out.push_back(name);
    return out;
}

}  // namespace

NB_MODULE(_core, m)
{
    auto error = nb::steal(PyErr_NewExceptionWithDoc(
        "pytunekit.Error",
        "What the caller can mend: wrong input, a log that does not fit, a run that found nothing. One line.",
        PyExc_ValueError, nullptr));
    m.attr("Error") = error;
    auto no_device = nb::steal(PyErr_NewExceptionWithDoc(
        "pytunekit.NoDevice", "There is no device, driver or compiler for a kernel. One line.", error.ptr(), nullptr));
    m.attr("NoDevice") = no_device;
    no_device_type = no_device.release();
    error_type = error.release();
    nb::register_exception_translator(&translate);
    m.attr("version") = tunekit::core::version_text();
    m.def("recipes", [] { return names_of(programs::recipes()); });
    m.def("schedules", [] { return names_of(programs::schedules()); });
    python::bind_space(m);
    python::bind_record(m);
    python::bind_over(m);
    python::bind_tuner(m);
    python::bind_tasks(m);
    python::bind_child(m);
    python::bind_kernels(m);
    python::bind_sizes(m);
    python::bind_parts(m);
    m.def("bad_cost", &python::bad_cost);
    m.def("check_kind", [](const std::string& kind) { static_cast<void>(python::kind_of("", kind)); });
    m.def("write_text", [](const std::string& path, const std::string& text) { tunekit::io::write_text(path, text); });
}
