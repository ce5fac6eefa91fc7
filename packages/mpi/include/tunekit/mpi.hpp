// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of mpi/ that needs no more than tunekit::mpi does.

#include "tunekit/mpi/code_folder.hpp"
#include "tunekit/mpi/launched.hpp"
#include "tunekit/mpi/leased_pool.hpp"
#include "tunekit/mpi/members.hpp"
#include "tunekit/mpi/messages.hpp"
