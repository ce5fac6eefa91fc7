// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Programs by their command line, as measurers. For who tunes something that is run, not called.

#include "tunekit/processes/program/finished_run.hpp"
#include "tunekit/processes/program/program.hpp"
#include "tunekit/processes/program/program_options.hpp"
#include "tunekit/processes/program/readings.hpp"
