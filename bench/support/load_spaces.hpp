// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The recorded spaces of a folder, as a search and a model want them.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/support/recorded_names.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/io/recorded_space.hpp"
#include "tunekit/io/text.hpp"
#include "tunekit/space/any_space.hpp"

namespace programs {

struct loaded_space {
    std::string name, kernel;
    tunekit::space::any_space space;
    tunekit::io::replay_table table;
    double optimum = std::numeric_limits<double>::infinity();  ///< seconds
    std::vector<std::size_t> lines;                            ///< of each configuration, its line in the file; 0: none
};

/// All spaces of the comma-separated `folders` whose name contains `only`, by name within each. What is wrong with them
/// goes to stderr.
inline std::vector<loaded_space> load_spaces(const char* program, const std::string& folders, const std::string& only)
{
    std::vector<loaded_space> out;
    for (const auto folder : tunekit::io::split(folders, ',')) {
        const std::string path(folder);
        for (const auto& name : recorded_names(path)) {
            if (name.find(only) == std::string::npos) continue;
            auto recorded = tunekit::io::read_recorded_space(path + '/' + name);
            tunekit::space::any_space space = recorded.sample
                                                  ? tunekit::space::any_space(tunekit::io::listed_space_of(recorded))
                                                  : tunekit::space::any_space(tunekit::io::space_of(recorded));
            auto table =
                recorded.sample ? tunekit::io::listed_table_of(recorded) : tunekit::io::table_of(recorded, space);
            for (const auto* problems : {&recorded.problems, &table.problems})
                for (const auto& p : *problems) std::fprintf(stderr, "%s: %s\n", program, p.text().c_str());
            double optimum = std::numeric_limits<double>::infinity();
            for (auto& row : table.rows) {
                if (row.result.ok()) optimum = (std::min)(optimum, row.result.cost);
                row.result.batches.clear();  // copied at every look-up otherwise
            }
            std::vector<std::size_t> lines;
            for (const std::size_t k : table.source)
                lines.push_back(k < recorded.rows.size() ? recorded.rows[k].line : 0);
            out.push_back({name, recorded.kernel, std::move(space), std::move(table), optimum, std::move(lines)});
        }
    }
    if (out.empty())
        tunekit::invalid("--spaces \"" + folders + "\" holds no such recorded space, want NAME.params and NAME.csv.gz");
    return out;
}

}  // namespace programs
