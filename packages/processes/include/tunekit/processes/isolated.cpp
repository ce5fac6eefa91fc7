// SPDX-License-Identifier: MIT
#include "tunekit/processes/isolated.hpp"

#if TUNEKIT_FORKS
#include <optional>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/detail/bad_candidates.hpp"
#include "tunekit/processes/detail/fork_zygote.hpp"
#include "tunekit/processes/detail/worker.hpp"
#include "tunekit/processes/detail/worker_link.hpp"

namespace tunekit::measure::detail {

struct isolated_measurer::state {
    state(work_ref how, worker_hold hold) : work(how), link(fork(std::move(hold))) {}

    worker_link fork(worker_hold hold) const
    {
        auto children = fork_zygote(work, hold, "isolated");
        return {std::move(children), std::move(hold)};
    }

    /// Empty where the candidate ended the children. Children that are gone are forked again first.
    std::optional<measurement> try_one(const order& next)
    {
        if (link.gone()) {
            if (kept.get() == nullptr) throw error("isolated: " + link.why_gone());
            link = fork(link.hold());
        }
        link.begin(next);
        link.await();
        return link.take();
    }

    bad_candidates bad{};
    owned kept{};  ///< the object of `work`, where children may be forked again
    work_ref work;
    worker_link link;
};

isolated_measurer::isolated_measurer(void* work, run_function run, isolated_options options)
    : state_(state({work, run}, {.memory_bytes = options.memory_bytes,
                                 .watched = options.rule == isolated_options::memory_rule::resident,
                                 .canaries = std::move(options.canaries),
                                 .enclosed = options.enclosed,
                                 .confined = options.confined}))
{
}

isolated_measurer::state& isolated_measurer::its() const noexcept { return *static_cast<state*>(state_.get()); }

void isolated_measurer::keep(owned work) { its().kept = std::move(work); }

void isolated_measurer::forget(index candidate) { its().bad.forget({.candidate = candidate}); }

void isolated_measurer::renew() { its().link.renew(); }

measurement isolated_measurer::measure_one(index candidate, const limits& within)
{
    state& s = its();
    const order next{.candidate = candidate, .within = within};
    if (const measurement* const known = s.bad.find(next)) return *known;
    std::optional<measurement> m = s.try_one(next);
    if (!m) m = s.try_one(next);
    if (!m && s.link.refused()) throw error("isolated: " + s.link.why_gone());
    if (!m) {  // the second time with new children
        m.emplace();
        m->failed = failure{failure_kind::lost, 0, "ended the processes that run it, twice"};
    }
    s.bad.note(next, *m);
    return *std::move(m);
}

}  // namespace tunekit::measure::detail
#endif
