// SPDX-License-Identifier: MIT
#pragma once

// What the listing of docs/command_line.md speaks of.

#include "tests/hygiene/listings/listed.hpp"
#include "tunekit/processes/program/program.hpp"
#include "tunekit/processes/program/readings.hpp"
#include "tunekit/recipes/combined.hpp"

namespace tk = tunekit;

namespace command_line {

using listed::gen, listed::space;

}  // namespace command_line
