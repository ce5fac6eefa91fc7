// SPDX-License-Identifier: MIT
#include "values.hpp"

#include <nanobind/stl/string.h>

#include <cstdint>

#include "tunekit/core/error.hpp"

namespace nb = nanobind;
namespace tk = tunekit;

namespace python {

namespace {

std::int64_t integer_of(const std::string& parameter, nb::handle v)
{
    std::int64_t x = 0;
    if (!nb::try_cast<std::int64_t>(v, x, false))
        tk::invalid("space: parameter '" + parameter +
                    "': an integer is beyond 64 bits, want a smaller one, or a text");
    return x;
}

}  // namespace

std::string text_of(nb::handle v)
{
    std::string out;
    if (!nb::try_cast<std::string>(v, out))
        tk::invalid(std::string("space: ") + nb::repr(v).c_str() + " is not a text that UTF-8 can write");
    return out;
}

tk::space::value value_of(const std::string& parameter, nb::handle v)
{
    if (PyBool_Check(v.ptr())) return v.ptr() == Py_True;
    if (PyLong_Check(v.ptr())) return integer_of(parameter, v);
    if (PyFloat_Check(v.ptr())) return PyFloat_AsDouble(v.ptr());
    if (PyUnicode_Check(v.ptr())) return text_of(v);
    if (PyTuple_Check(v.ptr())) {
        tk::space::entries e;
        for (nb::handle x : nb::borrow<nb::tuple>(v)) {
            if (!PyLong_Check(x.ptr()) || PyBool_Check(x.ptr()))
                tk::invalid("space: parameter '" + parameter +
                            "': a tuple has an entry that is not an integer, want permutation(...)");
            e.of.push_back(integer_of(parameter, x));
        }
        return e;
    }
    tk::invalid("space: parameter '" + parameter + "': " + nb::repr(v).c_str() +
                " is of a type that no parameter has, want bool, int, float, str or a tuple of int");
}

}  // namespace python
