// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One tuner over the ranks of an MPI program. For who has several machines.

#include "tunekit/mpi/code_folder.hpp"
#include "tunekit/mpi/launched.hpp"
#include "tunekit/mpi/leased_pool.hpp"
#include "tunekit/mpi/members.hpp"
#include "tunekit/mpi/messages.hpp"
