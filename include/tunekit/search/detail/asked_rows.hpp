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

/// How a model predicts rows, and the same rows after its next fit: `again` tells whether it does.
template <class Model>
struct asking {
    using state = surrogate::state_of<Model>;
    using predictions = std::span<stats::prediction>;

    bool again(const Model&, const state&, predictions) { return false; }
    void ask(const Model& model, const state& fitted, const surrogate::features& rows, predictions out)
    {
        model.predict(fitted, rows, out);
    }
    void only(std::span<const std::uint32_t>) {}
};

template <surrogate::keeps_rows<surrogate::features> Model>
struct asking<Model> {
    using state = surrogate::state_of<Model>;
    using predictions = std::span<stats::prediction>;

    typename Model::kept kept;

    bool again(const Model& model, const state& fitted, predictions out)
    {
        model.predict(fitted, kept, out);
        return true;
    }
    void ask(const Model& model, const state& fitted, const surrogate::features& rows, predictions out)
    {
        auto some = model.keep(rows);
        model.predict(fitted, some, out);
        kept.append(std::move(some));
    }
    void only(std::span<const std::uint32_t> positions) { kept = kept.only(positions); }
};

/// Candidates, and what a model predicts of them, each once per fit. All compare equal: they change no prediction.
template <class Model>
class asked_rows {
public:
    [[nodiscard]] std::size_t size() const noexcept { return of_.size(); }

    /// The model was fitted again: what it cannot predict `again` is forgotten.
    void refresh(const Model& model, const surrogate::state_of<Model>& fitted)
    {
        if (!how_.again(model, fitted, predicted_)) *this = {};
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
            how_.ask(model, fitted, surrogate::features(rows, rows.size() / fresh.size()),
                     std::span(predicted_.begin() + begin, fresh.size()));
        }
        core::plain_vector<stats::prediction> out;
        for (const std::uint32_t k : at) out.push_back(predicted_[k]);
        return out;
    }

    /// Forgets all but `which`, which were asked for.
    void only(std::span<const index> which)
    {
        core::plain_vector<std::uint32_t> at;
        for (const index i : which) at.push_back(add(i));
        how_.only(at);
        asked_rows next;
        for (const std::uint32_t k : at) {
            next.add(of_[k]);
            next.predicted_.push_back(predicted_[k]);
        }
        next.how_ = std::move(how_);
        *this = std::move(next);
    }

    friend bool operator==(const asked_rows&, const asked_rows&) { return true; }

private:
    static std::uint64_t hash(index i) { return core::mixed(0, i); }

    /// The place of `i`, the next one where it is new.
    std::uint32_t add(index i)
    {
        of_.push_back(i);
        const auto next = static_cast<std::uint32_t>(size() - 1);
        const std::uint32_t at = places_.add(
            next, hash(i), [&](std::uint32_t k) { return of_[k] == i; },
            [&](std::uint32_t k) { return hash(of_[k]); });
        if (at != next) of_.pop_back();
        return at;
    }

    core::plain_vector<index> of_;
    core::index_table<std::uint32_t> places_;  ///< in `of_`
    core::plain_vector<stats::prediction> predicted_;
    asking<Model> how_;
};

}  // namespace tunekit::search::detail
