// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// <mpi.h> without the C++ bindings that MPI has removed, and with an implementation's extensions for fault tolerance.

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <string>

#include "tunekit/core/error.hpp"

namespace tunekit::mpi::detail {

/// Whether this MPI reports ranks that have failed (ULFM). Its launcher must switch that on.
#if defined(MPIX_ERR_PROC_FAILED)
inline constexpr bool tells_of_failures = true;
#else
inline constexpr bool tells_of_failures = false;
#endif

[[nodiscard]] inline std::string error_text(int code)
{
    char text[MPI_MAX_ERROR_STRING + 1] = {};
    int length = 0;
    MPI_Error_string(code, text, &length);
    return text;
}

inline void check(int code, const char* what)
{
    if (code != MPI_SUCCESS) throw error(std::string("mpi: ") + what + ": " + error_text(code));
}

}  // namespace tunekit::mpi::detail
