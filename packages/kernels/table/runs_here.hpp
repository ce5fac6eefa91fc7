// SPDX-License-Identifier: MIT
#pragma once

namespace programs {

/// Whether this processor has the instructions that kernel_table/ was compiled for. A program that may be copied to another machine
/// asks this before it asks for the table, whose code would end it there.
bool table_runs_here();

}  // namespace programs
