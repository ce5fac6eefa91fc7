// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a model predicts of candidates that are asked for again and again.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/detail/pack.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/core/index_table.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/stats/prediction.hpp"
#include "tunekit/surrogate/concepts.hpp"

namespace tunekit::search::detail {

/// What a model keeps of rows that it predicted; nothing where it keeps none.
template <class Model>
auto nothing_kept()
{
    if constexpr (surrogate::keeps_rows<Model, surrogate::features>) return typename Model::kept();
    else return false;
}

/// Candidates, and what a model predicts of them, each once per fit. All compare equal: they change no prediction.
template <class Model>
class asked_rows {
public:
    [[nodiscard]] std::size_t size() const noexcept { return of_.size(); }

    /// The model was fitted: what it kept it predicts again, else all is forgotten.
    void refresh(const Model& model, const surrogate::state_of<Model>& fitted)
    {
        if constexpr (keeps) model.predict(fitted, kept_, predicted_);
        else *this = {};
    }

    /// The predictions of `which`. `rows_of` makes the features of some.
    template <class RowsOf>
    [[nodiscard]] core::plain_vector<stats::prediction> predict(const Model& model,
                                                                const surrogate::state_of<Model>& fitted,
                                                                std::span<const index> which, const RowsOf& rows_of)
    {
        const std::size_t begin = core::detail::whole_blocks(size());
        of_.resize(begin, ~index{0});
        core::plain_vector<std::uint32_t> at;
        for (const index i : which) at.push_back(add(i));
        if (size() > begin) {
            const std::vector<index> fresh(of_.begin() + begin, of_.end());
            const core::plain_vector<float> rows = rows_of(fresh);
            predicted_.resize(size());
            const surrogate::features asked(rows, rows.size() / fresh.size());
            const std::span to(predicted_.begin() + begin, fresh.size());
            if constexpr (keeps) {
                auto some = model.keep(asked);
                model.predict(fitted, some, to);
                if (begin == 0) kept_ = std::move(some);
                else kept_.append(std::move(some));
            } else {
                model.predict(fitted, asked, to);
            }
        }
        core::plain_vector<stats::prediction> out;
        for (const std::uint32_t k : at) out.push_back(predicted_[k]);
        return out;
    }

    /// Forgets all but `which`, which were asked for.
    void only(std::span<const index> which)
    {
        core::plain_vector<std::uint32_t> at;
        asked_rows next;
        for (const index i : which) {
            at.push_back(add(i));
            next.add(i);
            next.predicted_.push_back(predicted_[at.back()]);
        }
        if constexpr (keeps) next.kept_ = kept_.only(at);
        *this = std::move(next);
    }

    friend bool operator==(const asked_rows&, const asked_rows&) { return true; }

private:
    static constexpr bool keeps = surrogate::keeps_rows<Model, surrogate::features>;

    static std::uint64_t hash(index i) { return core::mixed(0, i); }

    /// The place of `i`, the next one where it is new.
    std::uint32_t add(index i)
    {
        of_.push_back(i);
        const auto next = static_cast<std::uint32_t>(size() - 1);
        const std::uint32_t at = places_.add(
            next, hash(i), [&](std::uint32_t k) { return of_[k] == i; }, [&](std::uint32_t k) { return hash(of_[k]); });
        if (at != next) of_.pop_back();
        return at;
    }

    core::plain_vector<index> of_;
    core::index_table<std::uint32_t> places_;  ///< in `of_`
    core::plain_vector<stats::prediction> predicted_;
    decltype(nothing_kept<Model>()) kept_{};
};

}  // namespace tunekit::search::detail
