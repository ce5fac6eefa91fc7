// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What the tasks of a run offer to each other: the books of `carrying`.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/space/carried.hpp"
#include "tunekit/tune/detail/ledger.hpp"
#include "tunekit/tune/recipe.hpp"
#include "tunekit/tune/tuning.hpp"

namespace tunekit::detail {

/// The best configurations that tasks offer to each other, and when a task takes one.
class offers {
public:
    explicit offers(const carrying& how) : how_(how) {}

    /// Adds a task.
    void add(const space::any_space& space)
    {
        places_.emplace_back(std::vector<std::string>(space.names().begin(), space.names().end()), how_.one_in);
    }

    /// Hears of an answer to task `k`: its incumbent is offered where it is new.
    void hear(std::size_t k, const space::any_space& space, const tuning& record);

    /// Puts what is offered to task `k` before the proposals of its strategy, which is about to be asked for `n`.
    /// Returns how many will go out.
    [[nodiscard]] std::size_t begin(std::size_t k, std::size_t n, const space::any_space& space, const tuning& record,
                                    ledger& books);

    /// Hears that `n` proposals of the strategy of task `k` go out.
    void proposed(std::size_t k, std::size_t n) noexcept { places_[k].since += n; }

private:
    struct place {
        place(std::vector<std::string> of, std::size_t one_in) : names(std::move(of)), since(one_in) {}

        std::vector<std::string> names;
        std::optional<space::matched_parameters> matched{};  // made when first needed
        std::vector<std::size_t> waiting{};                  // tasks whose offer was not taken yet, the newest last
        std::optional<index> offered{};                      // the latest of its own
        std::vector<std::string> texts{};                    // of that
        std::uint64_t since;                                 // proposals since the latest one that was carried
    };

    carrying how_;
    std::vector<place> places_;
};

}  // namespace tunekit::detail

#if TUNEKIT_BODIES
namespace tunekit::detail {

TUNEKIT_INLINE void offers::hear(std::size_t k, const space::any_space& space, const tuning& record)
{
    if (how_.one_in == 0 || !record.found() || record.trials().size() < how_.after) return;
    const index best = record.incumbent().candidate;
    if (places_[k].offered == best) return;
    places_[k].offered = best;
    places_[k].texts = space.texts(best);
    const std::vector<std::string>& names = places_[k].names;
    for (std::size_t to = 0; to < places_.size(); ++to) {
        place& p = places_[to];
        const bool shares =
            std::find_first_of(names.begin(), names.end(), p.names.begin(), p.names.end()) != names.end();
        if (to == k || !shares) continue;
        std::erase(p.waiting, k);
        p.waiting.push_back(k);
    }
}

TUNEKIT_INLINE std::size_t offers::begin(std::size_t k, std::size_t n, const space::any_space& space,
                                         const tuning& record, ledger& books)
{
    place& p = places_[k];
    if (p.waiting.empty() || p.since + 1 < how_.one_in || books.waits()) return 0;
    const std::size_t most = (std::min)((std::max)(std::size_t{1}, n / how_.one_in), books.room(record));
    if (!p.matched) p.matched.emplace(space);
    std::optional<index> own;
    if (record.found()) own = record.incumbent().candidate;
    std::size_t taken = 0;
    while (taken < most && !p.waiting.empty()) {
        const place& from = places_[p.waiting.back()];
        p.waiting.pop_back();
        const auto c = p.matched->carry(space, from.names, from.texts, own);
        if (c) taken += books.begin_with({&*c, 1});
    }
    if (taken > 0) p.since = 0;
    return taken;
}

}  // namespace tunekit::detail
#endif  // TUNEKIT_BODIES
