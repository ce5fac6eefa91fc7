// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What is known of candidates that failed.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tunekit/core/compiled.hpp"
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

#if TUNEKIT_BODIES || defined(TUNEKIT_PROCESSES_BODIES)
namespace tunekit::measure::detail {

TUNEKIT_INLINE std::uint64_t bad_candidates::hash_of(std::uint64_t task, index candidate) noexcept
{
    return core::mixed(core::mixed(0, task), candidate);
}

TUNEKIT_INLINE std::uint32_t bad_candidates::number_of(const order& o) const
{
    return numbers_.find(hash_of(o.task, o.candidate),
                         [&](std::uint32_t k) { return bad_[k].task == o.task && bad_[k].candidate == o.candidate; });
}

TUNEKIT_INLINE const measurement* bad_candidates::find(const order& o) const
{
    const std::uint32_t known = number_of(o);
    if (known == numbers_.none) return nullptr;
    const held& h = bad_[known];
    if (!h.what.failed) return nullptr;
    const bool longer = o.within.run_seconds > h.run_seconds;
    return h.what.failed->kind == failure_kind::run_timeout && longer ? nullptr : &h.what;
}

TUNEKIT_INLINE void bad_candidates::forget(const order& o)
{
    if (const std::uint32_t known = number_of(o); known != numbers_.none) bad_[known].what.failed.reset();
}

TUNEKIT_INLINE void bad_candidates::note(const order& o, const measurement& m)
{
    if (!m.failed) return;
    if (const std::uint32_t known = number_of(o); known != numbers_.none) {
        bad_[known].what = m;
        bad_[known].run_seconds = o.within.run_seconds;
        return;
    }
    const auto number = static_cast<std::uint32_t>(bad_.size());
    bad_.push_back({o.task, o.candidate, m, o.within.run_seconds});
    numbers_.add(
        number, hash_of(o.task, o.candidate), [](std::uint32_t) { return false; },
        [this](std::uint32_t k) { return hash_of(bad_[k].task, bad_[k].candidate); });
}

}  // namespace tunekit::measure::detail
#endif  // TUNEKIT_BODIES
