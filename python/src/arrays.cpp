// SPDX-License-Identifier: MIT
#include "arrays.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "tunekit/core/error.hpp"

namespace nb = nanobind;
namespace tk = tunekit;

namespace python {

namespace {

struct viewed {
    Py_buffer is{};
    viewed(const std::string& who, nb::handle from)
    {
        if (PyObject_GetBuffer(from.ptr(), &is, PyBUF_STRIDED_RO | PyBUF_FORMAT) != 0) {
            PyErr_Clear();
            tk::invalid(who + " is no array with strides, want one of numbers");
        }
    }
    ~viewed() { PyBuffer_Release(&is); }
    viewed(const viewed&) = delete;
    viewed& operator=(const viewed&) = delete;
};

template <class From>
void append(const Py_buffer& b, int axis, const char* at, std::vector<double>& out)
{
    for (Py_ssize_t i = 0; i < b.shape[axis]; ++i, at += b.strides[axis]) {
        if (axis + 1 < b.ndim) {
            append<From>(b, axis + 1, at, out);
        } else {
            From v;
            std::memcpy(&v, at, sizeof v);
            out.push_back(static_cast<double>(v));
        }
    }
}

/// Appends the numbers of a format of the module struct; false for another one.
bool append_any(const Py_buffer& b, std::vector<double>& out)
{
    std::string_view format = b.format == nullptr ? "B" : b.format;
    if (!format.empty() && std::string_view("@=<").find(format[0]) != std::string_view::npos) format.remove_prefix(1);
    if (format.size() != 1) return false;
    const auto is_of = [&](std::string_view letters) { return letters.find(format[0]) != std::string_view::npos; };
    const auto* at = static_cast<const char*>(b.buf);
    const auto as = [&]<class From>(From) { append<From>(b, 0, at, out); };
    const auto sized = [&](auto one, auto two, auto four, auto eight) {
        switch (b.itemsize) {
            case 1:
                as(one);
                return true;
            case 2:
                as(two);
                return true;
            case 4:
                as(four);
                return true;
            case 8:
                as(eight);
                return true;
            default:
                return false;
        }
    };
    if (format == "d" && b.itemsize == 8) as(double{});
    else if (format == "f" && b.itemsize == 4) as(float{});
    else if (is_of("bhilqn")) return sized(std::int8_t{}, std::int16_t{}, std::int32_t{}, std::int64_t{});
    else if (is_of("?BHILQN")) return sized(std::uint8_t{}, std::uint16_t{}, std::uint32_t{}, std::uint64_t{});
    else return false;
    return true;
}

}  // namespace

template <>
array<double> array_of(const char* who, nb::handle from, std::size_t axes)
{
    const viewed buffer(who, from);
    const Py_buffer& b = buffer.is;
    if (static_cast<std::size_t>(b.ndim) != axes)
        tk::invalid(std::string(who) + " has " + std::to_string(b.ndim) + " axes, want " + std::to_string(axes));
    array<double> out;
    for (std::size_t i = 0; i < axes; ++i) out.shape.push_back(static_cast<std::size_t>(b.shape[i]));
    out.values.reserve(static_cast<std::size_t>(b.len / b.itemsize));
    if (!append_any(b, out.values))
        tk::invalid(std::string(who) + " has values of the type '" + (b.format == nullptr ? "" : b.format) +
                    "', want integers, or floats of 4 or 8 bytes");
    return out;
}

template <>
array<float> array_of(const char* who, nb::handle from, std::size_t axes)
{
    const auto all = array_of<double>(who, from, axes);
    return {std::vector<float>(all.values.begin(), all.values.end()), all.shape};
}

}  // namespace python
