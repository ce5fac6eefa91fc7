// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Candidates in the form in which a model takes them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/stats/prediction.hpp"
#include "tunekit/surrogate/concepts.hpp"

namespace tunekit::search::detail {

/// Candidates in the form in which a model takes them. A model that can (`keep`)
/// keeps what was computed for them; else rows of features.
template <class Model>
struct asked_rows {
    core::plain_vector<float> rows;
    std::size_t features = 1;

    asked_rows() = default;
    asked_rows(const Model&, core::plain_vector<float> of, std::size_t d) : rows(std::move(of)), features(d) {}

    friend bool operator==(const asked_rows&, const asked_rows&) = default;

    void predict(const Model& model, const surrogate::state_of<Model>& fitted, std::span<stats::prediction> out)
    {
        model.predict(fitted, surrogate::features(rows, features), out);
    }

    [[nodiscard]] asked_rows only(std::span<const std::uint32_t> positions) const
    {
        asked_rows out;
        out.features = features;
        for (const std::uint32_t i : positions)
            for (std::size_t j = 0; j < features; ++j) out.rows.push_back(rows[i * features + j]);
        return out;
    }
};

template <class Model>
    requires requires(const Model& m, const surrogate::features& rows) { m.keep(rows); }
struct asked_rows<Model> {
    typename Model::kept kept;

    asked_rows() = default;
    asked_rows(const Model& model, const core::plain_vector<float>& of, std::size_t d)
        : kept(model.keep(surrogate::features(of, d)))
    {
    }

    friend bool operator==(const asked_rows&, const asked_rows&) = default;

    void predict(const Model& model, const surrogate::state_of<Model>& fitted, std::span<stats::prediction> out)
    {
        model.predict(fitted, kept, out);
    }

    [[nodiscard]] asked_rows only(std::span<const std::uint32_t> positions) const
    {
        asked_rows out;
        out.kept = kept.only(positions);
        return out;
    }
};

}  // namespace tunekit::search::detail
