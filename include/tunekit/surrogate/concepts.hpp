// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The concept of a surrogate: a regression of scores on features.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "tunekit/core/detail/state_of.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/random/generator.hpp"
#include "tunekit/stats/prediction.hpp"

namespace tunekit::surrogate {

/// A view of n rows of d features, row-major, not owned.
template <class T>
class rows_of {
public:
    constexpr rows_of() = default;

    /// Makes rows from `data`. Precondition: data.size() is a multiple of d > 0.
    constexpr rows_of(std::span<const T> data, std::size_t d) : data_(data), d_(d)
    {
        if (d == 0 || data.size() % d != 0) invalid("surrogate::rows_of: not whole rows of d > 0 features");
    }

    [[nodiscard]] constexpr std::size_t size() const noexcept { return d_ == 0 ? 0 : data_.size() / d_; }
    [[nodiscard]] constexpr std::size_t dimensions() const noexcept { return d_; }
    /// Row i. Precondition: i < size().
    [[nodiscard]] constexpr std::span<const T> operator[](std::size_t i) const noexcept
    {
        return data_.subspan(i * d_, d_);
    }
    /// All rows, one after another.
    [[nodiscard]] constexpr std::span<const T> data() const noexcept { return data_; }

private:
    std::span<const T> data_;
    std::size_t d_ = 0;
};

using features = rows_of<float>;          ///< rows of any numbers
using ordinals = rows_of<std::uint16_t>;  ///< rows of positions in ascending value lists: the fast path of trees

/// The type of the state that `start` returns.
template <class M>
using state_of = core::detail::state_of<M, std::size_t>;

/// A model that is fitted to all rows at once; `y` are scores, finite, one per row. An earlier fit is replaced.
template <class M, class Rows, class G>
concept fits = requires(const M& model, state_of<M>& state, const Rows& rows, std::span<const double> y, G& gen) {
    { model.fit(state, rows, y, gen) } -> std::same_as<void>;
};

/// A model that predicts into out[i] the score of rows[i]. Precondition: fitted; out.size() == rows.size().
template <class M, class Rows>
concept predicts =
    requires(const M& model, const state_of<M>& state, const Rows& rows, std::span<stats::prediction> out) {
        { model.predict(state, rows, out) } -> std::same_as<void>;
    };

/// A model that keeps its computations for a fixed set of candidates: `keep(rows)` holds them, and `only(positions)`
/// some of them; `append(kept)` adds others from the next multiple of eight on. `predict(state, kept, out)` gives the
/// same as `predict(state, rows, out)`. It costs less where the kept rows were predicted before and the state only
/// gained rows.
template <class M, class Rows>
concept keeps_rows = requires(const M& model, const state_of<M>& state, const Rows& rows, typename M::kept& kept,
                              std::span<const std::uint32_t> positions, std::span<stats::prediction> out) {
    { model.keep(rows) } -> std::same_as<typename M::kept>;
    { kept.only(positions) } -> std::same_as<typename M::kept>;
    { kept.append(std::move(kept)) } -> std::same_as<void>;
    { model.predict(state, kept, out) } -> std::same_as<void>;
};

/// A surrogate over `Rows` (features or ordinals).
/// Semantics: equal states, data and generators fit equally; `predict` is const and thread-safe on one state.
template <class M, class Rows, class G>
concept model = std::copyable<M> && core::detail::starts_on<M, std::size_t> && std::copyable<state_of<M>> &&
                fits<M, Rows, G> && predicts<M, Rows>;

}  // namespace tunekit::surrogate
