// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The content of a recorded space: every configuration with the result and the time of its measurement.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/measure/replay.hpp"
#include "tunekit/processes/files/problem.hpp"

namespace tunekit::io {

/// A `.params` file and its table.
struct recorded_space {
    /// One parameter: its name and its values, in the order of their ordinals.
    struct parameter {
        std::string name;                  ///< in the file
        std::vector<std::int64_t> values;  ///< ascending by ordinal

        friend bool operator==(const parameter&, const parameter&) = default;
    };

    /// One configuration. `record.seconds` covers build, check, benchmark and framework.
    struct row {
        std::vector<std::uint16_t> ordinals;  ///< one per parameter
        measure::recorded_row record;         ///< run_seconds: check and benchmark together
        double framework_seconds = 0;         ///< neither build nor run
        std::size_t line = 0;                 ///< of the file it was read from

        friend bool operator==(const row&, const row&) = default;
    };

    /// A table for `measure::replay`: row i is configuration i of a space.
    struct table {
        std::vector<measure::recorded_row> rows;  ///< of configuration i
        std::vector<std::size_t> source;          ///< of each, its position in `rows`
        std::vector<problem> problems;            ///< rows outside the space; configurations without a row
    };

    std::string kernel;                    ///< its name
    std::string device;                    ///< its name
    std::vector<parameter> parameters;     ///< in column order
    std::vector<std::string> constraints;  ///< expressions over the names
    std::vector<std::string> value_names;  ///< of the numbers beside each cost, `measurement::values`
    std::vector<row> rows;                 ///< in file order
    bool sample = false;            ///< whether other configurations were never measured: a space of these rows alone
    std::vector<problem> problems;  ///< one for each part that was not read

    friend bool operator==(const recorded_space&, const recorded_space&) = default;
};

namespace detail {

/// The columns of what a row cost, in the order of the files.
inline constexpr std::array<std::string_view, 5> costs{"cost_ms", "compile_ms", "verification_ms", "benchmark_ms",
                                                       "framework_ms"};

}  // namespace detail

}  // namespace tunekit::io
