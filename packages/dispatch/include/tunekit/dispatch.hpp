// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A function that chooses among tuned kernels by the shape of its arguments. For who uses what was tuned.

#include "tunekit/dispatch/choice.hpp"
#include "tunekit/dispatch/choice_file.hpp"
#include "tunekit/dispatch/fit.hpp"
#include "tunekit/dispatch/fit_options.hpp"
#include "tunekit/dispatch/header.hpp"
#include "tunekit/dispatch/load.hpp"
#include "tunekit/dispatch/merge.hpp"
#include "tunekit/dispatch/next_shapes.hpp"
#include "tunekit/dispatch/picker.hpp"
#include "tunekit/dispatch/results.hpp"
#include "tunekit/dispatch/results_file.hpp"
#include "tunekit/dispatch/task_name.hpp"
#include "tunekit/dispatch/tune_shapes.hpp"
