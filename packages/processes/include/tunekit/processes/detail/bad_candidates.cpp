// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/bad_candidates.hpp"

namespace tunekit::measure::detail {

std::uint64_t bad_candidates::hash_of(std::uint64_t task, index candidate) noexcept
{
    return core::mixed(core::mixed(0, task), candidate);
}

std::uint32_t bad_candidates::number_of(const order& o) const
{
    return numbers_.find(hash_of(o.task, o.candidate),
                         [&](std::uint32_t k) { return bad_[k].task == o.task && bad_[k].candidate == o.candidate; });
}

const measurement* bad_candidates::find(const order& o) const
{
    const std::uint32_t known = number_of(o);
    if (known == numbers_.none) return nullptr;
    const held& h = bad_[known];
    if (!h.what.failed) return nullptr;
    const bool longer = o.within.run_seconds > h.run_seconds;
    return h.what.failed->kind == failure_kind::run_timeout && longer ? nullptr : &h.what;
}

void bad_candidates::forget(const order& o)
{
    if (const std::uint32_t known = number_of(o); known != numbers_.none) bad_[known].what.failed.reset();
}

void bad_candidates::note(const order& o, const measurement& m)
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
