// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Values of Python as values of parameters.

#include <nanobind/nanobind.h>

#include <string>

#include "tunekit/space/value_product.hpp"

namespace python {

/// A text. Throws std::invalid_argument for what is not a text, or cannot be written in UTF-8.
std::string text_of(nanobind::handle v);

/// A flag, a number, a word, or a tuple of integers. Throws std::invalid_argument that names the parameter for any other.
tunekit::space::value value_of(const std::string& parameter, nanobind::handle v);

}  // namespace python
