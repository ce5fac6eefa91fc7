// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The parts of the module. What has more than four arguments or results takes and gives them by name.

#include <nanobind/nanobind.h>

namespace python {

void bind_space(nanobind::module_& m);
void bind_record(nanobind::module_& m);
void bind_tuner(nanobind::module_& m);
void bind_tasks(nanobind::module_& m);
void bind_child(nanobind::module_& m);
void bind_over(nanobind::module_& m);
void bind_sizes(nanobind::module_& m);
void bind_kernels(nanobind::module_& m);
void bind_parts(nanobind::module_& m);

}  // namespace python
