// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of measure/program/ that needs no more than tunekit does.

#include "tunekit/measure/program/finished_run.hpp"
#include "tunekit/measure/program/program.hpp"
#include "tunekit/measure/program/program_options.hpp"
#include "tunekit/measure/program/readings.hpp"
