// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of io/ that needs no more than tunekit does.

#include "tunekit/io/log.hpp"
#include "tunekit/io/log_file.hpp"
#include "tunekit/io/problem.hpp"
#include "tunekit/io/sealed_lines.hpp"
#include "tunekit/io/text.hpp"
