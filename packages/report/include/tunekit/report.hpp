// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A run as a page, on a terminal, and in words. For who reads results.

#include "tunekit/report/account.hpp"
#include "tunekit/report/cost_unit.hpp"
#include "tunekit/report/document.hpp"
#include "tunekit/report/figures.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/importance.hpp"
#include "tunekit/report/line_chart.hpp"
#include "tunekit/report/outlook.hpp"
#include "tunekit/report/page.hpp"
#include "tunekit/report/print_progress.hpp"
#include "tunekit/report/run.hpp"
#include "tunekit/report/summary.hpp"
#include "tunekit/report/terminal.hpp"
#include "tunekit/report/text_table.hpp"
