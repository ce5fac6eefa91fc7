// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The parts of the module.

#include <nanobind/nanobind.h>

namespace python {

void bind_space(nanobind::module_& m);
void bind_record(nanobind::module_& m);
void bind_tuner(nanobind::module_& m);
void bind_tasks(nanobind::module_& m);
void bind_child(nanobind::module_& m);
void bind_parts(nanobind::module_& m);

}  // namespace python
