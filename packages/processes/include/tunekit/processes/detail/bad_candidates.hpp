// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What is known of candidates that failed.

#include <cstdint>
#include <vector>

#include "tunekit/core/index_table.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/processes/detail/worker.hpp"

namespace tunekit::measure::detail {

/// What is known of candidates that failed. They do not run again; after a time-out they do, where the limit is longer.
class bad_candidates {
    struct held {
        std::uint64_t task = 0;
        index candidate = 0;
        measurement what{};
        double run_seconds = 0;  ///< the limit under which it failed
    };

    [[nodiscard]] static std::uint64_t hash_of(std::uint64_t task, index candidate) noexcept;
    /// Its number in `bad_`, or `index_table::none`.
    [[nodiscard]] std::uint32_t number_of(const order& o) const;

public:
    /// The failure that it would have again; null where none is known. Valid until the next `note`.
    [[nodiscard]] const measurement* find(const order& o) const;

    /// Forgets a failure, so that the candidate runs again.
    void forget(const order& o);

    void note(const order& o, const measurement& m);

private:
    std::vector<held> bad_;
    core::index_table<std::uint32_t> numbers_;  ///< positions in `bad_`, by task and candidate
};

}  // namespace tunekit::measure::detail
