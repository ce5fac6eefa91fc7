// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Arrays of numbers: buffers of Python as vectors, and vectors as bytes.

#include <nanobind/nanobind.h>

#include <cstddef>
#include <vector>

namespace python {

/// Numbers, row-major, and how many there are along each axis.
template <class T>
struct array {
    std::vector<T> values;
    std::vector<std::size_t> shape;
};

/// A copy of the numbers of a buffer of Python: flags, integers, floats of 4 or 8 bytes, with any strides. T is float or
/// double. Throws std::invalid_argument, which begins with `who`, for other things, and for another number of axes.
template <class T>
array<T> array_of(const char* who, nanobind::handle from, std::size_t axes);
template <>
array<double> array_of(const char* who, nanobind::handle from, std::size_t axes);
template <>
array<float> array_of(const char* who, nanobind::handle from, std::size_t axes);

/// The same as a bytearray, which Python takes for an array without another copy.
template <class T>
nanobind::object bytes_of(const std::vector<T>& values)
{
    return nanobind::steal(PyByteArray_FromStringAndSize(reinterpret_cast<const char*>(values.data()),
                                                         static_cast<Py_ssize_t>(values.size() * sizeof(T))));
}

}  // namespace python
