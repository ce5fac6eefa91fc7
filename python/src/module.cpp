// SPDX-License-Identifier: MIT
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <stdexcept>
#include <string>

#include "bind.hpp"
#include "outcome.hpp"
#include "tools/support/names.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/processes/files/text.hpp"

namespace nb = nanobind;

namespace {

nb::handle error_type;  // pytunekit.Error, for as long as the module lives

/// What the library throws for wrong input becomes the one documented exception, with its message.
void translate(const std::exception_ptr& thrown, void*)
{
    try {
        std::rethrow_exception(thrown);
    } catch (const std::logic_error& e) {  // invalid_argument, out_of_range
        PyErr_SetString(error_type.ptr(), e.what());
    } catch (const tunekit::error& e) {
        PyErr_SetString(error_type.ptr(), e.what());
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
    error_type = error.release();
    nb::register_exception_translator(&translate);
    m.attr("version") = tunekit::core::version_text();
    m.def("recipes", [] { return names_of(programs::recipes()); });
    m.def("schedules", [] { return names_of(programs::schedules()); });
    python::bind_space(m);
    python::bind_record(m);
    python::bind_tuner(m);
    python::bind_tasks(m);
    python::bind_child(m);
    python::bind_parts(m);
    m.def("bad_cost", &python::bad_cost);
    m.def("write_text", [](const std::string& path, const std::string& text) { tunekit::io::write_text(path, text); });
}
